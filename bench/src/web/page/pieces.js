// @ts-check
// One piece as SVG, drawn around the middle of its cell (0, 0).

import { svg } from "./dom.js";
import { SHOGI as SHOGI_SIGNS, XIANGQI as XIANGQI_SIGNS } from "./pieces/characters.js";
import { letters } from "./pieces/letters.js";
import { CHESS, SHOGI, XIANGQI } from "./pieces/pictures.js";

/** @typedef {"letters" | "pictures" | "characters"} Style */

/**
 * A silhouette from its box of 100 by 100.
 * @param {import("./pieces/pictures.js").Picture} picture
 * @param {number} scale
 */
function silhouette(picture, scale) {
  return svg(
    "g",
    { class: "silhouette", transform: `scale(${scale}) translate(-50 -50)` },
    svg("path", { class: "silhouette-body", d: picture.body, "fill-rule": "evenodd" }),
    picture.detail ? svg("path", { class: "silhouette-detail", d: picture.detail }) : null,
  );
}

/**
 * @param {string} text
 * @param {number} size
 * @param {string} kind a class
 */
function sign(text, size, kind) {
  return svg("text", { class: `sign ${kind}`, "font-size": size, "text-anchor": "middle", "dominant-baseline": "central" }, text);
}

/** The back of a disc: a rosette of eight leaves between two rings. */
function back() {
  const leaves = [];
  for (let i = 0; i < 8; i++) {
    leaves.push(svg("path", { class: "leaf", d: "M0 -5C10 -12 10 -22 0 -30C-10 -22 -10 -12 0 -5z", transform: `rotate(${i * 45})` }));
  }
  return svg(
    "g",
    { class: "back" },
    svg("circle", { class: "back-body", r: 44 }),
    svg("circle", { class: "back-ring", r: 39 }),
    svg("circle", { class: "back-ring thin", r: 34 }),
    leaves,
    svg("circle", { class: "back-dot", r: 5 }),
  );
}

/**
 * A xiangqi disc.
 * @param {string} kind
 * @param {number} side
 * @param {boolean} covered
 * @param {Style} style
 * @param {string} lang
 */
function disc(kind, side, covered, style, lang) {
  const shade = svg("circle", { class: "shade", r: 45, cx: 2, cy: 4 });
  if (covered) {
    const known = kind === "X" ? null : svg("g", { class: "peek" }, svg("circle", { r: 17 }), sign(name(kind, side, style, lang), 24, "small"));
    return [shade, back(), known];
  }
  const face =
    style === "pictures" && XIANGQI[kind]
      ? silhouette(XIANGQI[kind], 0.56)
      : [sign(name(kind, side, style, lang), style === "characters" ? 54 : 44, `engraved-light ${style}`), sign(name(kind, side, style, lang), style === "characters" ? 54 : 44, `engraved ${style}`)];
  return [
    shade,
    svg("circle", { class: "disc-side", r: 45 }),
    svg("circle", { class: "disc", r: 44 }),
    svg("circle", { class: "disc-inner", r: 38 }),
    svg("circle", { class: "disc-ring", r: 35.5 }),
    side === 1 ? svg("circle", { class: "disc-ring second", r: 31.5 }) : null,
    face,
  ];
}

/**
 * @param {string} kind
 * @param {number} side
 * @param {Style} style
 * @param {string} lang
 */
function name(kind, side, style, lang) {
  if (style === "letters") return letters("xiangqi", kind, lang);
  return XIANGQI_SIGNS[kind]?.[side] ?? kind;
}

/** Sizes of shogi pieces: half the width at the foot, height above and below the middle. */
const PENTAGON = { K: 1.06, R: 1.04, B: 1.04, G: 1, S: 1, N: 0.96, L: 0.94, P: 0.92 };

/**
 * A shogi piece, pointing up.
 * @param {string} kind
 * @param {number} side
 * @param {Style} style
 * @param {string} lang
 */
function pentagon(kind, side, style, lang) {
  const plain = /** @type {keyof typeof PENTAGON} */ (kind.replace("+", ""));
  const size = PENTAGON[plain] ?? 0.9;
  const d = "M0 -46L27 -34L38 42Q0 46 -38 42L-27 -34z";
  const promoted = kind.startsWith("+");
  let face;
  if (style === "pictures") face = svg("g", { transform: "translate(0 4)" }, silhouette(SHOGI[plain] ?? {}, 0.55), promoted ? svg("path", { class: "plus", d: "M-6 36h12M0 30v12" }) : null);
  else if (style === "letters") face = svg("g", { transform: "translate(0 8)" }, sign(letters("shogi", kind, lang), promoted ? 40 : 46, "letters"));
  else face = svg("g", { transform: "translate(0 6)" }, sign(SHOGI_SIGNS[kind]?.[side] ?? kind, 56, "characters brush"));
  return svg(
    "g",
    { transform: `scale(${size})${side === 1 ? " rotate(180)" : ""}`, class: promoted ? "promoted" : "" },
    svg("path", { class: "shade", d, transform: side === 1 ? "translate(-2 -4)" : "translate(2 4)" }),
    svg("path", { class: "wedge", d }),
    svg("path", { class: "wedge-light", d: "M0 -43L-25 -32.5L-35 39" }),
    face,
  );
}

/** @param {number} side */
function stone(side) {
  return [
    svg("circle", { class: "shade", r: 47, cx: 3, cy: 5 }),
    svg("circle", { class: "stone", r: 47, fill: side === 0 ? "url(#stone-black)" : "url(#stone-white)" }),
  ];
}

/**
 * What to draw for a piece.
 * @param {string} game
 * @param {string} kind
 * @param {number} side
 * @param {boolean} covered face down
 * @param {Style} style
 * @param {string} lang
 */
export function piece(game, kind, side, covered, style, lang) {
  const drawn =
    game === "go" ? stone(side)
    : game === "shogi" ? pentagon(kind, side, style, lang)
    : game === "chess" ? chess(kind, style, lang)
    : disc(kind, side, covered || kind === "X", style, lang);
  return svg("g", { class: `piece piece-${game} side-${side}` }, drawn);
}

/**
 * @param {string} kind
 * @param {Style} style
 * @param {string} lang
 */
function chess(kind, style, lang) {
  if (style !== "letters") return silhouette(CHESS[kind] ?? CHESS.P, 0.94);
  return [svg("circle", { class: "token", r: 40 }), sign(letters("chess", kind, lang), 52, "letters")];
}

/** Gradients that the drawings name. */
export function gradients() {
  const radial = (/** @type {string} */ id, /** @type {[string, string][]} */ stops) =>
    svg("radialGradient", { id, cx: "0.36", cy: "0.3", r: "0.75" }, stops.map(([offset, kind]) => svg("stop", { offset, class: kind })));
  return svg(
    "defs",
    {},
    radial("stone-black", [["0", "black-0"], ["0.4", "black-1"], ["1", "black-2"]]),
    radial("stone-white", [["0", "white-0"], ["0.6", "white-1"], ["1", "white-2"]]),
    radial("disc-wood", [["0", "disc-0"], ["0.7", "disc-1"], ["1", "disc-2"]]),
    svg("linearGradient", { id: "board-wood", x1: 0, y1: 0, x2: 1, y2: 1 },
      [["0", "wood-0"], ["0.5", "wood-1"], ["1", "wood-2"]].map(([offset, kind]) => svg("stop", { offset, class: kind }))),
    svg("marker", { id: "arrow-head", viewBox: "0 0 10 10", refX: 6, refY: 5, markerWidth: 3, markerHeight: 3, orient: "auto" },
      svg("path", { d: "M0 0L10 5L0 10z", class: "arrow-head" })),
  );
}
