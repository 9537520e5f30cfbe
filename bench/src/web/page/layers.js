// @ts-check
// What analysis draws over a board: arrows, candidates and ownership.

import { svg } from "./dom.js";
import { number } from "./words.js";

/**
 * The outline of an arrow that begins beside the middle of its first place and ends at that of its last.
 * @param {number} x @param {number} y @param {number} length @param {number} turn in degrees @param {number} width of its shaft
 */
function arrow(x, y, length, turn, width) {
  const [half, head, wing] = [width / 2, 22 + width, 11 + 0.85 * width];
  const start = Math.min(30, length / 3);
  const neck = Math.max(start, length - head);
  return svg("path", { class: "arrow-shape", transform: `translate(${x} ${y}) rotate(${turn})`,
    d: `M${start} ${-half * 0.6}L${neck} ${-half}L${neck - 4} ${-wing}L${length} 0L${neck - 4} ${wing}L${neck} ${half}L${start} ${half * 0.6}Z` });
}

/**
 * Arrows from place to place, or a ring where a move has no beginning; scores stand at their heads, one above the other where
 * several end in the same place.
 * @param {import("./board.js").Board} board
 * @param {{from: number, to: number, width: number, kind: string, text?: string}[]} list
 */
export function drawArrows(board, list) {
  /** @type {Map<number, number>} */
  const labels = new Map();
  const texts = list.filter(({ text }) => text).reverse().map(({ to, kind, text = "" }) => {
    const above = labels.get(to) ?? 0;
    labels.set(to, above + 1);
    const [x, y] = board.spot(to);
    const [long, top] = [20 + 15 * text.length, y - 54 - 33 * above];
    return svg("g", { class: `arrow-label arrow-${kind}` }, svg("rect", { class: "arrow-box", x: x - long / 2, y: top, width: long, height: 31, rx: 8 }),
      svg("text", { class: "arrow-text", x, y: top + 16.5, "text-anchor": "middle", "dominant-baseline": "central" }, text));
  });
  const drawn = list.map(({ from, to, width, kind }) => {
    const [x, y] = board.spot(to);
    const group = svg("g", { class: `arrow arrow-${kind}` });
    if (from < 0) group.append(svg("circle", { cx: x, cy: y, r: 38, "stroke-width": 0.6 * width, class: "arrow-ring" }));
    else {
      const [fx, fy] = board.spot(from);
      group.append(arrow(fx, fy, Math.hypot(x - fx, y - fy) || 1, (180 / Math.PI) * Math.atan2(y - fy, x - fx), width));
    }
    return group;
  });
  board.layer.arrows.replaceChildren(...drawn, ...texts.reverse());
}

/**
 * Go: ownership as shaded squares, candidates as discs with a letter, winrate and lead.
 * @param {import("./board.js").Board} board
 * @param {any} think the server's `think` message, or null to clear
 */
export function drawHeat(board, think) {
  const own = (think?.own ?? []).flatMap((/** @type {number} */ value, /** @type {number} */ place) => {
    const size = Math.round(Math.abs(value) * 0.44);
    if (size < 6) return [];
    const [x, y] = board.spot(place);
    return [svg("rect", { class: `owner side-${value > 0 ? 0 : 1}`, x: x - size / 2, y: y - size / 2, width: size, height: size })];
  });
  board.layer.own.replaceChildren();
  const heat = (think?.heat ?? []).filter((/** @type {any} */ one) => one[0] >= 0).slice(0, 12).map((/** @type {any} */ [place, rate, lead], /** @type {number} */ index) => {
    const [x, y] = board.spot(place);
    const centred = { x, "text-anchor": "middle", "dominant-baseline": "central" };
    return svg("g", { class: `candidate rank-${Math.min(index, 4)}` },
      svg("circle", { cx: x, cy: y, r: 46 }),
      svg("text", { ...centred, y: y - 14, "font-size": 32 }, String(Math.round(rate / 10))),
      svg("text", { ...centred, y: y + 18, "font-size": 24 }, `${lead > 0 ? "+" : ""}${number(Number(lead), 1)}`),
    );
  });
  board.layer.heat.replaceChildren(...own, ...heat);
}
