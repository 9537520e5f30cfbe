// @ts-check
// What lies under the pieces: squares, lines, the river, points and coordinates. A cell is 100 by 100 units.

import { svg } from "./dom.js";
import { sign } from "./pieces.js";

/** @typedef {{w: number, h: number, lines: string, stars: number[], names: [string[], string[]], game: string}} Ground */

const CELL = 100;

/** The height of a cell: those of a shogi board are taller than they are wide. @param {string} lines */
export const cellHeight = (lines) => (lines === "cells" ? 108 : CELL);

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
function cells({ w, h }) {
  const tall = cellHeight("cells");
  /** @type {[number, number, number, number][]} */
  const lines = [];
  for (let x = 1; x < w; x++) lines.push([x * CELL, 0, x * CELL, h * tall]);
  for (let y = 1; y < h; y++) lines.push([0, y * tall, w * CELL, y * tall]);
  return [
    svg("path", { class: "line", d: path(lines) }),
    svg("rect", { class: "frame", width: w * CELL, height: h * tall }),
    // Four dots on the crossings mark where the camps of nine by three end.
    [3, w - 3].flatMap((x) => [3, h - 3].map((y) => svg("circle", { class: "star", r: 8, cx: x * CELL, cy: y * tall }))),
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
    ...stars.map((place) => svg("circle", { class: "star", r: w > 13 ? 11 : 9, cx: middle(place % w), cy: middle(Math.floor(place / w)) })),
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
      d += `M${middle(x) + right * 9} ${middle(y) + down * 24}v${-down * 15}h${right * 15}`;
    }
  }
  return d;
}

/** @param {Ground} board */
function xiangqi({ w, h }) {
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
  const text = [["楚", 2], ["河", 3], ["漢", 6], ["界", 7]].map(([one, x]) =>
    svg("g", { transform: `translate(${Number(x) * CELL} ${river * CELL})` }, sign(String(one), 56, "river")));
  return [
    svg("path", { class: "line", d: path(lines) }),
    svg("rect", { class: "frame", x: middle(0), y: middle(0), width: (w - 1) * CELL, height: (h - 1) * CELL }),
    svg("rect", { class: "rim", x: middle(0) - 13, y: middle(0) - 13, width: (w - 1) * CELL + 26, height: (h - 1) * CELL + 26 }),
    svg("path", { class: "mark", d: marks.join("") }),
    ...text,
  ];
}

/**
 * The grain of the wood: long lines along a board, closer in some places than in others.
 * @param {number} x @param {number} y @param {number} width @param {number} height
 */
function grain(x, y, width, height) {
  let d = "";
  for (let i = 0, at = 0; at < width; i++) {
    at += 22 + 19 * Math.sin(i * 1.7) + 11 * Math.sin(i * 0.61 + 2);
    const bend = 16 * Math.sin(i * 0.9) + 7 * Math.sin(i * 2.3);
    const left = Math.round(x + at);
    if (left + Math.abs(bend) < x + width - 6 && left - Math.abs(bend) > x + 6) d += `M${left} ${y + 3}q${Math.round(bend)} ${Math.round(height * (0.35 + 0.2 * Math.sin(i)))} 0 ${height - 6}`;
  }
  return svg("path", { class: "grain", d });
}

/**
 * A board of wood.
 * @param {string} kind a class @param {number} x @param {number} y @param {number} width @param {number} height @param {number} round
 */
export function wood(kind, x, y, width, height, round) {
  return [svg("rect", { class: kind, x, y, width, height, rx: round }), grain(x, y, width, height)];
}

/**
 * Space around the cells for coordinates, in units: chess writes them inside its squares.
 * @param {string} lines
 */
export function margin(lines) {
  return { squares: 0, cells: 42, go: 48 }[lines] ?? 34;
}

/**
 * The empty board without coordinates.
 * @param {Ground} board
 */
export function ground(board) {
  const { w, h, lines } = board;
  const wide = margin(lines);
  const drawn = { squares, xiangqi, cells, go: points }[lines] ?? points;
  return svg("g", { class: `ground ground-${lines}` },
    lines === "squares" ? null : wood("wood", -wide, -wide, w * CELL + 2 * wide, h * cellHeight(lines) + 2 * wide, wide / 3),
    drawn(board));
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
  const tall = cellHeight(lines);
  if (lines === "xiangqi") {
    // The files as the moves name them: each side counts from its right.
    for (let x = 0; x < w; x++) {
      add(String(w - x), middle(x), h * CELL + 15);
      add(String(x + 1), middle(x), -15);
    }
    return group;
  }
  for (let x = 0; x < w; x++) {
    const name = columns[turned ? w - 1 - x : x];
    if (lines === "squares") add(name, x * CELL + 90, h * CELL - 11, { class: (x + h) % 2 ? "on-light" : "on-dark" });
    else if (lines === "cells") add(name, middle(x), -19);
    else {
      add(name, middle(x), h * CELL + 20);
      add(name, middle(x), -20);
    }
  }
  for (let y = 0; y < h; y++) {
    const name = rows[turned ? h - 1 - y : y];
    if (lines === "squares") add(name, 9, y * CELL + 13, { class: y % 2 ? "on-dark" : "on-light" });
    else if (lines === "cells") add(name, w * CELL + 20, (y + 0.5) * tall);
    else {
      add(name, -20, middle(y));
      add(name, w * CELL + 20, middle(y));
    }
  }
  return group;
}
