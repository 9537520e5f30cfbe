// @ts-check
// The score of a game over its moves, as a curve with the marked moves; in go the lead as a second one.

import { svg } from "./dom.js";

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
