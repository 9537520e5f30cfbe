// @ts-check
// The score of a game over its moves, as a curve with the marked moves; in go the lead as a second one.

import { svg } from "./dom.js";
import { number } from "./words.js";

const WIDTH = 340;
const HEIGHT = 110;
/** Leads of go beyond this are drawn at the edge. */
const MOST_LEAD = 30;
/** Shapes of the marks, so that colour does not tell them alone. @type {Record<string, (x: number, y: number) => string>} */
const SHAPES = {
  inaccuracy: (x, y) => `M${x - 5} ${y}a5 5 0 1 0 10 0a5 5 0 1 0 -10 0`,
  mistake: (x, y) => `M${x} ${y - 7}l7 7l-7 7l-7 -7z`,
  blunder: (x, y) => `M${x - 6} ${y - 6}h12v12h-12z`,
};

/**
 * One curve.
 * @param {{name: string, points: [number, number][], plies: number, at: number, marks: {ply: number, mark: string, title: string}[],
 *   chosen: (ply: number) => void}} what values from 0 to 1 by ply; `at` is the ply on the board
 */
function curve({ name, points, plies, at, marks, chosen }) {
  const x = (/** @type {number} */ ply) => Math.round((10 * WIDTH * ply) / Math.max(1, plies)) / 10;
  const y = (/** @type {number} */ value) => Math.round(10 * (4 + (HEIGHT - 8) * (1 - value))) / 10;
  const values = new Map(points);
  const line = points.map(([ply, value], i) => `${i ? "L" : "M"}${x(ply)} ${y(value)}`).join("");
  const ends = points.length ? `L${x(points[points.length - 1][0])} ${y(0.5)}L${x(points[0][0])} ${y(0.5)}Z` : "";
  const click = (/** @type {PointerEvent} */ event) => {
    const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
    chosen(Math.round((plies * (event.clientX - box.left)) / Math.max(1, box.width)));
  };
  return svg("svg", { class: "graph", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": name, onpointerdown: click },
    svg("rect", { class: "graph-back", x: 0, y: 0, width: WIDTH, height: HEIGHT }),
    svg("path", { class: "graph-area", d: line + ends }),
    svg("path", { class: "graph-middle", d: `M0 ${y(0.5)}H${WIDTH}` }),
    svg("path", { class: "graph-line", d: line }),
    svg("path", { class: "graph-now", d: `M${x(at)} 0V${HEIGHT}` }),
    marks.filter(({ ply }) => values.has(ply)).map(({ ply, mark, title }) =>
      svg("path", { class: `graph-mark mark-${mark}`, d: SHAPES[mark](Math.min(WIDTH - 8, Math.max(8, x(ply))), Math.min(HEIGHT - 8, Math.max(8, y(values.get(ply) ?? 0.5)))) }, svg("title", {}, title))));
}

/**
 * The curves of a review.
 * @param {any} review the server's `review` message
 * @param {{at: number, names: [string, string], marks: {ply: number, mark: string, title: string}[], chosen: (ply: number) => void}} view
 */
export function graphs(review, { at, names, marks, chosen }) {
  const plies = review.plies;
  /** @type {[number, number][]} */
  const score = review.curve.map((/** @type {any} */ [ply, value]) => [ply, value]);
  /** @type {[number, number][]} */
  const lead = review.curve.filter((/** @type {any} */ one) => one[2] !== null)
    .map((/** @type {any} */ [ply, , value]) => [ply, 0.5 + Math.max(-MOST_LEAD, Math.min(MOST_LEAD, value)) / (2 * MOST_LEAD)]);
  const both = [curve({ name: names[0], points: score, plies, at, marks, chosen })];
  if (lead.length) both.push(curve({ name: names[1], points: lead, plies, at, marks, chosen }));
  return both;
}

/**
 * A value between two ends with a mark at 0: an interval with its middle, or a value on its way to a bound.
 * @param {string} name
 * @param {number} low @param {number} value @param {number} high
 * @param {boolean} [bounded] whether the ends are bounds that the value moves between
 */
export function gauge(name, low, value, high, bounded = false) {
  const far = bounded ? 0 : 1.15 * Math.max(Math.abs(low), Math.abs(high), 5);
  const [from, to] = bounded ? [low, high] : [-far, far];
  const x = (/** @type {number} */ v) => Math.round(10 * (6 + (328 * (Math.min(to, Math.max(from, v)) - from)) / (to - from))) / 10;
  const [a, b] = bounded ? [x(Math.min(0, value)), x(Math.max(0, value))] : [x(low), x(high)];
  return svg("svg", { class: "gauge", viewBox: "0 0 340 22", role: "img", "aria-label": name },
    svg("rect", { class: "gauge-back", x: 6, y: 7, width: 328, height: 8, rx: 4 }),
    svg("rect", { class: "gauge-range", x: a, y: 7, width: Math.max(2, b - a), height: 8, rx: 4 }),
    svg("path", { class: "gauge-zero", d: `M${x(0)} 3V19` }),
    svg("circle", { class: "gauge-value", cx: x(value), cy: 11, r: 6 }));
}

/**
 * Bars with their counts above and names below.
 * @param {[string, number][]} list
 */
export function bars(list) {
  const most = Math.max(1, ...list.map(([, n]) => n));
  const step = 340 / list.length;
  const text = list.map(([name, n]) => `${name}: ${n}`).join(", ");
  return svg("svg", { class: "bars", viewBox: "0 0 340 120", role: "img", "aria-label": text }, list.map(([name, n], i) => {
    const x = step * (i + 0.5);
    const height = (74 * n) / most;
    return svg("g", { class: `bar-${i}` }, svg("rect", { x: x - 0.36 * step, y: 96 - height, width: 0.72 * step, height: Math.max(1.5, height), rx: 3 }),
      svg("text", { class: "bar-count", x, y: 88 - height, "text-anchor": "middle" }, String(n)), svg("text", { class: "bar-name", x, y: 114, "text-anchor": "middle" }, name));
  }));
}

/**
 * A score over the games of a match, with the band of its error where there is one.
 * @param {string} name
 * @param {(number | null)[][]} path games and values
 * @param {number} column of the value @param {number} error of its error, or -1
 * @param {number[]} levels that are drawn across
 */
export function pathPlot(name, path, column, error, levels) {
  const rows = path.filter((row) => row[column] !== null && row[column] !== undefined);
  const last = Math.max(1, ...path.map((row) => row[0] ?? 0));
  // Errors of the first games are wider than all that follows.
  const later = rows.filter((row) => Number(row[0]) * 5 >= last);
  const reach = (later.length ? later : rows).flatMap((row) => [Number(row[column]), Number(row[column]) + Number(row[error] ?? 0), Number(row[column]) - Number(row[error] ?? 0)]);
  const [low, high] = [Math.min(...levels, ...reach), Math.max(...levels, ...reach)];
  const space = 0.06 * (high - low || 1);
  const x = (/** @type {number} */ games) => Math.round((10 * WIDTH * games) / last) / 10;
  const y = (/** @type {number} */ value) => Math.round(10 * Math.min(HEIGHT, Math.max(0, HEIGHT * (1 - (value - low + space) / (high - low + 2 * space))))) / 10;
  const line = (/** @type {number} */ sign) => rows.map((row) => `${x(Number(row[0]))} ${y(Number(row[column]) + sign * Number(row[error] ?? 0))}`);
  const band = error >= 0 && rows.length ? `M${line(1).join("L")}L${line(-1).reverse().join("L")}Z` : "";
  const digits = high - low < 10 ? 1 : 0;
  const label = (/** @type {number} */ value) => svg("text", { class: "plot-label", x: 4, y: Math.min(HEIGHT - 4, Math.max(11, y(value) - 3)) }, number(value, digits));
  return svg("svg", { class: "graph plot", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": name },
    svg("rect", { class: "graph-back", x: 0, y: 0, width: WIDTH, height: HEIGHT }),
    svg("path", { class: "graph-area", d: band }),
    levels.map((level) => [svg("path", { class: "graph-middle", d: `M0 ${y(level)}H${WIDTH}` }), label(level)]),
    svg("path", { class: "graph-line", d: rows.length ? `M${line(0).join("L")}` : "" }),
    svg("text", { class: "plot-label", x: WIDTH - 4, y: HEIGHT - 4, "text-anchor": "end" }, String(last)));
}
