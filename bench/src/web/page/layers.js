// @ts-check
// What analysis draws over a board: arrows, candidates and ownership.

import { svg } from "./dom.js";

/**
 * Arrows from place to place, or a ring where a move has no beginning.
 * @param {import("./board.js").Board} board
 * @param {{from: number, to: number, width: number, kind: string, text?: string}[]} list
 */
export function drawArrows(board, list) {
  const drawn = list.map(({ from, to, width, kind, text }) => {
    const [x, y] = board.spot(to);
    const group = svg("g", { class: `arrow arrow-${kind}` });
    if (from < 0) group.append(svg("circle", { cx: x, cy: y, r: 36, "stroke-width": width, class: "arrow-ring" }));
    else {
      const [fx, fy] = board.spot(from);
      const length = Math.hypot(x - fx, y - fy) || 1;
      const short = (length - 2.4 * width) / length;
      group.append(svg("path", { d: `M${fx} ${fy}L${fx + (x - fx) * short} ${fy + (y - fy) * short}`, "stroke-width": width, "marker-end": "url(#arrow-head)", class: "arrow-line" }));
    }
    if (text) {
      const long = 26 + 17 * text.length;
      group.append(svg("rect", { class: "arrow-box", x: x - long / 2, y: y - 66, width: long, height: 42, rx: 12 }));
      group.append(svg("text", { class: "arrow-text", x, y: y - 44, "text-anchor": "middle", "dominant-baseline": "central" }, text));
    }
    return group;
  });
  board.layer.arrows.replaceChildren(...drawn);
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
      svg("text", { ...centred, y: y + 18, "font-size": 24 }, `${lead > 0 ? "+" : ""}${Number(lead).toFixed(1)}`),
    );
  });
  board.layer.heat.replaceChildren(...own, ...heat);
}
