// @ts-check
// What lies under the pieces: squares, lines, the river, points and coordinates. A cell is 100 by 100 units.

import { svg } from "./dom.js";

/** @typedef {{w: number, h: number, lines: string, stars: number[], names: [string[], string[]], game: string}} Ground */

const CELL = 100;

/** @param {number} index */
const middle = (index) => (index + 0.5) * CELL;

/** @param {[number, number, number, number][]} parts */
function path(parts) {
  return parts.map(([x, y, x2, y2]) => `M${x} ${y}L${x2} ${y2}`).join("");
}

/** @param {Ground} board */
function squares({ w, h }) {
  const dark = [];
  for (let y = 0; y < h; y++) for (let x = (y + 1) % 2; x < w; x += 2) dark.push(`M${x * CELL} ${y * CELL}h${CELL}v${CELL}h-${CELL}z`);
  return [
    svg("rect", { class: "square-light", width: w * CELL, height: h * CELL }),
    svg("path", { class: "square-dark", d: dark.join("") }),
  ];
}

/** @param {Ground} board */
function cells({ w, h, stars }) {
  /** @type {[number, number, number, number][]} */
  const lines = [];
  for (let x = 1; x < w; x++) lines.push([x * CELL, 0, x * CELL, h * CELL]);
  for (let y = 1; y < h; y++) lines.push([0, y * CELL, w * CELL, y * CELL]);
  return [
    svg("path", { class: "line", d: path(lines) }),
    svg("rect", { class: "frame", width: w * CELL, height: h * CELL }),
    // The stars of a shogi board lie on the crossings, at the far corner of the named cell.
    ...stars.map((place) =>
      svg("circle", { class: "star", r: 7, cx: ((place % w) + 1) * CELL, cy: (Math.floor(place / w) + 1) * CELL }),
    ),
  ];
}

/** @param {Ground} board */
function points({ w, h, stars }) {
  /** @type {[number, number, number, number][]} */
  const lines = [];
  for (let x = 0; x < w; x++) lines.push([middle(x), middle(0), middle(x), middle(h - 1)]);
  for (let y = 0; y < h; y++) lines.push([middle(0), middle(y), middle(w - 1), middle(y)]);
  return [
    svg("path", { class: "line", d: path(lines) }),
    svg("rect", { class: "frame", x: middle(0), y: middle(0), width: (w - 1) * CELL, height: (h - 1) * CELL }),
    ...stars.map((place) => svg("circle", { class: "star", r: 10, cx: middle(place % w), cy: middle(Math.floor(place / w)) })),
  ];
}

/**
 * The four small angles around a point where cannons and soldiers begin.
 * @param {number} x
 * @param {number} y
 * @param {number} w
 */
function angles(x, y, w) {
  let d = "";
  for (const right of [-1, 1]) {
    if ((x === 0 && right < 0) || (x === w - 1 && right > 0)) continue;
    for (const down of [-1, 1]) {
      d += `M${middle(x) + right * 9} ${middle(y) + down * 26}v${-down * 17}h${right * 17}`;
    }
  }
  return d;
}

/** @param {Ground} board */
function xiangqi({ w, h }, /** @type {boolean} */ signs) {
  const river = h / 2;
  /** @type {[number, number, number, number][]} */
  const lines = [];
  for (let y = 0; y < h; y++) lines.push([middle(0), middle(y), middle(w - 1), middle(y)]);
  for (let x = 1; x < w - 1; x++) {
    lines.push([middle(x), middle(0), middle(x), middle(river - 1)]);
    lines.push([middle(x), middle(river), middle(x), middle(h - 1)]);
  }
  for (const top of [0, h - 3]) {
    lines.push([middle(3), middle(top), middle(5), middle(top + 2)], [middle(5), middle(top), middle(3), middle(top + 2)]);
  }
  const marks = [2, h - 3].flatMap((y) => [angles(1, y, w), angles(w - 2, y, w)]);
  for (const y of [3, h - 4]) for (let x = 0; x < w; x += 2) marks.push(angles(x, y, w));
  const middles = { class: "river", y: river * CELL + 2, "text-anchor": "middle", "dominant-baseline": "central" };
  const text = signs
    ? [svg("text", { ...middles, x: 2.5 * CELL }, "楚 河"), svg("text", { ...middles, x: 6.5 * CELL }, "漢 界")]
    : [svg("path", { class: "waves", d: `M${CELL} ${river * CELL}${"q25 -18 50 0t50 0".repeat(7)}` })];
  return [
    svg("path", { class: "line", d: path(lines) }),
    svg("rect", { class: "frame", x: middle(0), y: middle(0), width: (w - 1) * CELL, height: (h - 1) * CELL }),
    svg("rect", { class: "rim", x: middle(0) - 12, y: middle(0) - 12, width: (w - 1) * CELL + 24, height: (h - 1) * CELL + 24 }),
    svg("path", { class: "line", d: marks.join("") }),
    ...text,
  ];
}

/**
 * Space around the cells for coordinates, in units: chess writes them inside its squares.
 * @param {string} lines
 */
export function margin(lines) {
  return lines === "squares" ? 0 : lines === "cells" ? 42 : 34;
}

/**
 * The empty board without coordinates.
 * @param {Ground} board
 * @param {boolean} signs whether characters can be drawn
 */
export function ground(board, signs) {
  const { w, h, lines } = board;
  const wide = margin(lines);
  const wood = svg("rect", {
    class: "wood", x: -wide, y: -wide, width: w * CELL + 2 * wide, height: h * CELL + 2 * wide, rx: wide / 3,
  });
  const drawn = { squares, xiangqi, cells, go: points }[lines] ?? points;
  return svg("g", { class: `ground ground-${lines}` }, lines === "squares" ? null : wood, drawn(board, signs));
}

/**
 * The coordinates around (chess: inside) the board, as seen from a side.
 * @param {Ground} board
 * @param {boolean} turned
 */
export function coordinates({ w, h, lines, names }, turned) {
  const [columns, rows] = names;
  const group = svg("g", { class: `names names-${lines}`, "aria-hidden": "true" });
  const centred = { "text-anchor": "middle", "dominant-baseline": "central" };
  const add = (/** @type {string} */ text, /** @type {number} */ x, /** @type {number} */ y, more = {}) => {
    group.append(svg("text", { x, y, ...centred, ...more }, text));
  };
  for (let x = 0; x < w; x++) {
    const name = columns[turned ? w - 1 - x : x];
    if (lines === "squares") add(name, x * CELL + 88, h * CELL - 13, { class: (x + h) % 2 ? "on-light" : "on-dark" });
    else if (lines === "cells") add(name, middle(x), -20);
    else {
      add(name, middle(x), h * CELL + 14);
      if (lines === "xiangqi") continue;
      add(name, middle(x), -14);
    }
  }
  for (let y = 0; y < h; y++) {
    const name = rows[turned ? h - 1 - y : y];
    if (lines === "squares") add(name, 11, y * CELL + 15, { class: y % 2 ? "on-dark" : "on-light" });
    else if (lines === "cells") add(name, w * CELL + 20, middle(y));
    else {
      add(name, -14, middle(y));
      if (lines === "go") add(name, w * CELL + 14, middle(y));
    }
  }
  return group;
}
