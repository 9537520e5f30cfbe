// @ts-check
// One piece as SVG, drawn around the middle of its cell (0, 0).

import { svg } from "./dom.js";
import { letters, SHOGI as SHOGI_SIGNS, XIANGQI as XIANGQI_SIGNS } from "./pieces/characters.js";
import { CHESS, SHOGI, XIANGQI } from "./pieces/pictures.js";
import { outlines, STROKES } from "./pieces/strokes.js";

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
export function sign(text, size, kind) {
  if (STROKES[text]) return svg("use", { class: `sign ${kind}`, href: `#sign-${text}`, x: -50, y: -50, transform: `scale(${size / 100})` });
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
 * A xiangqi disc: a turned edge, the face, the ring in the colour of the side (two rings for the second side).
 * @param {string} kind
 * @param {number} side
 * @param {boolean} covered
 * @param {Style} style
 * @param {string} lang
 */
function disc(kind, side, covered, style, lang) {
  const shade = svg("circle", { class: "soft-shade", r: 53, cx: 2, cy: 5 });
  if (covered) {
    const known = kind === "X" ? null : svg("g", { class: "peek" }, svg("circle", { r: 17 }), sign(name(kind, side, style, lang), 24, "small"));
    return [shade, back(), known];
  }
  const size = style === "characters" ? 55 : 44;
  const face =
    style === "pictures" && XIANGQI[kind]
      ? silhouette(XIANGQI[kind], 0.56)
      : [svg("g", { transform: "translate(1.2 1.6)" }, sign(name(kind, side, style, lang), size, `engraved-light ${style}`)), sign(name(kind, side, style, lang), size, `engraved ${style}`)];
  return [
    shade,
    svg("circle", { class: "disc", r: 45.5 }),
    svg("circle", { class: "disc-bevel", r: 41 }),
    svg("circle", { class: "disc-inner", r: 40 }),
    svg("circle", { class: "disc-ring", r: 36 }),
    side === 1 ? svg("circle", { class: "disc-ring second", r: 32.4 }) : null,
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

/** Sizes of shogi pieces, as those of a set: height, and width at the foot. @type {Record<string, [number, number]>} */
const WEDGES = { K: [98, 86], R: [96, 84], B: [96, 84], G: [92, 79], S: [92, 79], N: [89, 74], L: [87, 69], P: [84, 66] };

/**
 * The outline of a shogi piece that points up: its shoulders lie at a fifth of the height.
 * @param {number} height @param {number} width
 */
function wedge(height, width) {
  const [top, foot, half] = [-height / 2, height / 2, width / 2];
  const [shoulder, narrow] = [top + 0.2 * height, 0.75 * half];
  return { d: `M0 ${top}L${narrow} ${shoulder}L${half} ${foot}H${-half}L${-narrow} ${shoulder}Z`, light: `M${half - 3} ${foot - 2}H${-half + 3}L${-narrow + 2} ${shoulder + 1}L0 ${top + 3}L${narrow - 2} ${shoulder + 1}`,
    side: `M${-half} ${foot}H${half}l-1.5 5H${-half + 1.5}Z` };
}

/**
 * A shogi piece, pointing up.
 * @param {string} kind
 * @param {number} side
 * @param {Style} style
 * @param {string} lang
 */
function pentagon(kind, side, style, lang) {
  const plain = kind.replace("+", "");
  const [height, width] = WEDGES[plain] ?? WEDGES.P;
  const { d, light, side: thick } = wedge(height, width);
  const promoted = kind.startsWith("+");
  let face;
  if (style === "pictures") face = svg("g", { transform: "translate(0 6)" }, silhouette(SHOGI[plain] ?? {}, 0.55), promoted ? svg("path", { class: "plus", d: "M-6 36h12M0 30v12" }) : null);
  else if (style === "letters") face = svg("g", { transform: "translate(0 8)" }, sign(letters("shogi", kind, lang), promoted ? 38 : 46, "letters"));
  else face = svg("g", { transform: `translate(0 ${0.05 * height})` }, sign(SHOGI_SIGNS[kind]?.[side] ?? kind, 0.65 * height, "characters"));
  // Light falls from above the board, whichever way a piece points.
  const far = side === 1;
  return svg(
    "g",
    { transform: far ? "rotate(180)" : "", class: promoted ? "promoted" : "" },
    svg("ellipse", { class: "soft-shade", rx: width * 0.6, ry: height * 0.56, cy: far ? -5 : 6 }),
    far ? null : svg("path", { class: "wedge-side", d: thick }),
    svg("path", { class: far ? "wedge far" : "wedge", d }),
    svg("path", { class: "wedge-light", d: light }),
    face,
  );
}

/** @param {number} side */
function stone(side) {
  return [
    svg("circle", { class: "soft-shade", r: 55, cx: 3, cy: 6 }),
    svg("circle", { class: "stone", r: 48, fill: side === 0 ? "url(#stone-black)" : "url(#stone-white)" }),
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

/** Gradients and signs that the drawings name. */
export function gradients() {
  const stops = (/** @type {[string, string][]} */ list) => list.map(([offset, kind]) => svg("stop", { offset, class: kind }));
  const radial = (/** @type {string} */ id, /** @type {[string, string][]} */ list, cx = 0.36, cy = 0.3, r = 0.75) =>
    svg("radialGradient", { id, cx, cy, r }, stops(list));
  const linear = (/** @type {string} */ id, /** @type {[string, string][]} */ list, x2 = 1, y2 = 1) => svg("linearGradient", { id, x1: 0, y1: 0, x2, y2 }, stops(list));
  return svg(
    "defs",
    {},
    radial("stone-black", [["0", "black-0"], ["0.4", "black-1"], ["1", "black-2"]]),
    radial("stone-white", [["0", "white-0"], ["0.6", "white-1"], ["1", "white-2"]]),
    radial("soft-shade", [["0.7", "soft-0"], ["1", "soft-1"]], 0.5, 0.5, 0.5),
    radial("alarm", [["0.35", "alarm-0"], ["1", "alarm-1"]], 0.5, 0.5, 0.5),
    linear("disc-wood", [["0", "disc-0"], ["0.55", "disc-1"], ["1", "disc-2"]]),
    linear("disc-bevel", [["0", "disc-2"], ["0.5", "disc-1"], ["1", "disc-0"]]),
    linear("wedge-wood", [["0", "wedge-0"], ["0.5", "wedge-1"], ["1", "wedge-2"]]),
    linear("wedge-far", [["0", "wedge-2"], ["0.5", "wedge-1"], ["1", "wedge-0"]]),
    linear("white-piece", [["0", "white-piece-0"], ["1", "white-piece-1"]], 0.3),
    linear("black-piece", [["0", "black-piece-0"], ["1", "black-piece-1"]], 0.3),
    outlines().map(([text, d]) => svg("path", { id: `sign-${text}`, d })),
    linear("board-wood", [["0", "wood-0"], ["0.5", "wood-1"], ["1", "wood-2"]]),
  );
}
