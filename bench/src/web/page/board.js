// @ts-check
// One SVG board for five games. It knows no rules: what may be done is in the scene's list of moves.

import { svg } from "./dom.js";
import { cellHeight, coordinates, ground, margin, wood } from "./ground.js";
import { piece } from "./pieces.js";
import { drawArrows, drawHeat } from "./layers.js";

/** @typedef {[number, number, string, string]} Move from, to, the text to send, the label to show */

const CELL = 100;
const HAND = 1000;
const STRIP = 118;
/** The stand of pieces in hand beside a board: its columns, its rows, its width and the space before it. */
const STAND = { columns: 2, rows: 4, width: 220, gap: 14 };

/** Layers from bottom to top. */
const LAYERS = ["ground", "names", "own", "last", "check", "chosen", "pieces", "marks", "legal", "heat", "arrows", "cells"];
/** From this width of the window on there is room for pieces in hand beside the board. */
const WIDE = "(min-width: 900px)";

/**
 * The mark of the last move: its square is tinted; on points there are the four corners of one.
 * @param {string} lines @param {[number, number]} spot @param {number} index 0 where it came from, 1 where it went
 * @param {number} tall a cell's height
 */
export function lastMark(lines, [x, y], index, tall) {
  if (lines === "squares" || lines === "cells") return [svg("rect", { class: `last last-${index}`, x: x - 50, y: y - tall / 2, width: 100, height: tall })];
  if (lines !== "xiangqi") return [];
  const reach = index ? 49 : 20;
  const arm = index ? 20 : 11;
  const d = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([right, down]) => `M${x + right * reach} ${y + down * (reach - arm)}v${down * arm}h${-right * arm}`).join("");
  return [svg("path", { class: `corners corners-${index}`, d })];
}

/** Whether things should stand still. */
export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export class Board {
  /**
   * @param {any} info the server's `board` message
   * @param {{style: import("./pieces.js").Style, lang: string, t: (key: string, ...args: any[]) => string,
   *   play: (move: Move) => void, ask: (moves: Move[]) => void, waiting: (name: string | null) => void}} options
   *   `waiting` gets the point of a stone that waits for its second tap
   */
  constructor(info, options) {
    this.info = info;
    this.options = options;
    this.turned = false;
    /** @type {any} */
    this.scene = null;
    /** @type {Move[]} */
    this.moves = [];
    /** @type {number | null} */
    this.chosen = null;
    /** @type {number | null} */
    this.ghost = null;
    this.focus = 0;
    /** @type {Map<number, {key: string, node: any}>} */
    this.drawn = new Map();
    /** @type {any} */
    this.drag = null;
    /** @type {number[][]} places as they lie on the screen */
    this.rows = [];
    /** @type {Map<number, any>} */
    this.cells = new Map();
    this.node = svg("svg", { class: `board board-${info.game}`, role: "grid" });
    /** @type {Record<string, any>} */
    this.layer = {};
    for (const name of LAYERS) this.node.append((this.layer[name] = svg("g", { class: `layer-${name}` })));
    this.tall = cellHeight(info.lines);
    /** What lies over the board, for when it is laid out anew. @type {any[]} */
    this.arrows = [];
    /** @type {any} */
    this.heat = null;
    this.wide = matchMedia(WIDE);
    this.beside = false;
    this.listen();
    this.build();
    this.rebuild = () => this.build();
    if (info.hand?.length) this.wide.addEventListener("change", this.rebuild);
  }

  /** The board is shown no more. */
  leave() {
    this.wide.removeEventListener("change", this.rebuild);
  }

  /** Where a place's middle is on the drawing, in units. @param {number} place @returns {[number, number]} */
  spot(place) {
    const { w, h } = this.info;
    if (place >= HAND) {
      const side = Math.floor((place - HAND) / 100);
      const index = (place - HAND) % 100;
      const near = (side === 0) !== this.turned;
      const edge = margin(this.info.lines);
      if (this.beside) {
        const [column, row] = [index % STAND.columns, Math.floor(index / STAND.columns)];
        const left = w * CELL + edge + STAND.gap;
        const [x, y] = [(column + 0.5) * (STAND.width / STAND.columns), (row + 0.5) * this.tall + 8];
        return near ? [left + x, h * this.tall + edge - STAND.rows * this.tall - 16 + y] : [left + STAND.width - x, -edge + 16 + STAND.rows * this.tall - y];
      }
      const step = (w * CELL) / this.info.hand.length;
      const x = (index + 0.5) * step;
      return near ? [x, h * this.tall + edge + STRIP / 2] : [w * CELL - x, -edge - STRIP / 2];
    }
    const x = place % w;
    const y = Math.floor(place / w);
    return this.turned ? [(w - x - 0.5) * CELL, (h - y - 0.5) * this.tall] : [(x + 0.5) * CELL, (y + 0.5) * this.tall];
  }

  /** What players call a place. @param {number} place */
  name(place) {
    const { w, names, hand, game } = this.info;
    if (place >= HAND) return this.options.t("in_hand", this.options.t(`kind_${game}_${hand[(place - HAND) % 100]}`));
    return names[0][place % w] + names[1][Math.floor(place / w)];
  }

  /** Lays out everything that depends on the board and on the side it is seen from. */
  build() {
    const { w, h, lines, hand } = this.info;
    const edge = margin(lines);
    this.beside = Boolean(hand?.length) && this.wide.matches;
    const strip = hand?.length && !this.beside ? STRIP : 0;
    const [width, height] = [w * CELL + 2 * edge, h * this.tall + 2 * edge];
    this.node.setAttribute("viewBox", [-edge, -edge - strip, width + (this.beside ? STAND.gap + STAND.width : 0), height + 2 * strip].join(" "));
    this.node.setAttribute("aria-label", this.options.t("board_name", this.options.t(`game_${this.info.game}`)));
    const stand = STAND.rows * this.tall + 16;
    const stands = this.beside ? [-edge, h * this.tall + edge - stand].map((y) => wood("stand", w * CELL + edge + STAND.gap, y, STAND.width, stand, 12))
      : strip ? [-edge - strip, h * this.tall + edge].map((y) => wood("stand", -edge, y + 7, width, strip - 14, 12)) : [];
    // Without pieces and coordinates all boards look the same from both sides.
    this.layer.ground.replaceChildren(...stands.flat(), ground(this.info));
    this.layer.names.replaceChildren(coordinates(this.info, this.turned));
    const rows = [];
    const order = (/** @type {number[]} */ list) => (this.turned ? list.reverse() : list);
    for (const y of order([...Array(h).keys()])) rows.push(order([...Array(w).keys()]).map((x) => y * w + x));
    if (hand?.length) {
      const near = this.turned ? 1 : 0;
      rows.unshift([...hand.keys()].map((i) => HAND + (1 - near) * 100 + i).reverse());
      rows.push([...hand.keys()].map((i) => HAND + near * 100 + i));
    }
    this.rows = rows;
    this.cells.clear();
    this.layer.cells.replaceChildren(
      ...rows.map((places) =>
        svg("g", { role: "row" }, places.map((place) => {
          const [x, y] = this.spot(place);
          const cell = svg("rect", {
            role: "gridcell", class: "cell", x: x - 48, y: y - this.tall / 2 + 2, width: 96, height: this.tall - 4, rx: lines === "xiangqi" || lines === "go" ? 48 : 6, tabindex: "-1", "data-place": place,
          });
          this.cells.set(place, cell);
          return cell;
        })),
      ),
    );
    this.drawn.clear();
    this.layer.pieces.replaceChildren();
    if (!this.cells.has(this.focus)) this.focus = rows[0][0];
    if (this.scene) this.draw();
    if (this.arrows.length) drawArrows(this, this.arrows);
    if (this.heat) drawHeat(this, this.heat);
  }

  /** Turns the board round. */
  turn() {
    this.turned = !this.turned;
    this.build();
  }

  /**
   * Shows a scene.
   * @param {any} scene
   * @param {boolean} active whether moves may be made on it
   */
  show(scene, active) {
    const before = this.scene;
    const selected = this.chosen;
    this.scene = scene;
    this.moves = active ? scene.moves ?? [] : [];
    this.chosen = null;
    this.ghost = null;
    this.endDrag();
    if (selected !== null && before?.rev === scene.rev && this.from(selected).length) this.chosen = selected;
    this.draw();
    if (before && scene.ply === before.ply + 1 && scene.last && !still()) this.animate(scene);
  }

  /** The pieces of a scene with those in hand: place, kind, side, face down, how many. */
  pieces() {
    const list = this.scene.pieces.map((/** @type {any} */ [place, kind, side, down]) => [place, kind, side, Boolean(down), 1]);
    (this.scene.hands ?? []).forEach((/** @type {any} */ held, /** @type {number} */ side) => {
      for (const [kind, count] of held) {
        const index = this.info.hand.indexOf(kind);
        if (index >= 0 && count > 0) list.push([HAND + side * 100 + index, kind, side, false, count]);
      }
    });
    return list;
  }

  /** Draws the scene: only what changed is made anew. */
  draw() {
    const { game } = this.info;
    const { style, lang } = this.options;
    const seen = new Set();
    for (const [place, kind, side, down, count] of this.pieces()) {
      const key = [kind, side, down, count, style].join();
      seen.add(place);
      const old = this.drawn.get(place);
      if (old?.key === key) continue;
      old?.node.remove();
      const [x, y] = this.spot(place);
      const body = piece(game, kind, side, down, style, lang);
      const turned = game === "shogi" && this.turned ? svg("g", { transform: "rotate(180)" }, body) : body;
      const node = svg("g", { transform: `translate(${x} ${y})` }, svg("g", { class: "slide" }, turned));
      if (count > 1) node.append(svg("circle", { class: "count", cx: 32, cy: 30, r: 18 }), svg("text", { class: "count-text", x: 32, y: 31, "text-anchor": "middle", "dominant-baseline": "central" }, String(count)));
      this.layer.pieces.append(node);
      this.drawn.set(place, { key, node });
    }
    for (const [place, { node }] of this.drawn) {
      if (seen.has(place)) continue;
      node.remove();
      this.drawn.delete(place);
    }
    this.drawLast();
    this.drawMarks();
    this.drawLegal();
    this.setArrows(this.scene.hint ? [{ from: this.scene.hint[0], to: this.scene.hint[1], width: 16, kind: "hint" }] : []);
    this.nameCells();
  }

  /** The last move and the places in check. */
  drawLast() {
    const { lines } = this.info;
    const places = (this.scene.last ?? []).map((/** @type {number | null} */ place, /** @type {number} */ index) => [place ?? -1, index]);
    this.layer.last.replaceChildren(...places.filter((/** @type {number[]} */ [place]) => place >= 0).flatMap((/** @type {number[]} */ [place, index]) => lastMark(lines, this.spot(place), index, this.tall)));
    const checks = (this.scene.check ?? []).map((/** @type {number} */ place) => {
      const [cx, cy] = this.spot(place);
      return svg("circle", { class: "check", cx, cy, r: lines === "xiangqi" ? 80 : 60 });
    });
    this.layer.check.replaceChildren(...checks);
  }

  /** Go: the last stone, dead stones and territory. */
  drawMarks() {
    const marks = [];
    const last = this.scene.last?.[1];
    if (this.info.game === "go" && last >= 0) {
      const side = this.scene.pieces.find((/** @type {any} */ p) => p[0] === last)?.[2] ?? 0;
      const [x, y] = this.spot(last);
      marks.push(svg("circle", { class: `last-stone on-${side}`, cx: x, cy: y, r: 20 }));
    }
    for (const [name, places] of this.scene.marks ?? []) {
      for (const place of places) {
        const [x, y] = this.spot(place);
        if (name === "dead") marks.push(svg("path", { class: "dead", d: `M${x - 22} ${y - 22}l44 44m0 -44l-44 44` }));
        else if (name.startsWith("territory")) marks.push(svg("rect", { class: `territory side-${name.slice(-1)}`, x: x - 16, y: y - 16, width: 32, height: 32 }));
      }
    }
    this.layer.marks.replaceChildren(...marks);
  }

  /** The chosen piece, where it may go, and the stone that waits for its second tap. */
  drawLegal() {
    const marks = [];
    const { lines } = this.info;
    const points = lines === "xiangqi" || lines === "go";
    this.layer.chosen.replaceChildren();
    const taken = new Set(this.scene.pieces.map((/** @type {any} */ p) => p[0]));
    if (this.chosen !== null) {
      const [x, y] = this.spot(this.chosen);
      this.layer.chosen.append(points ? svg("circle", { class: "chosen", cx: x, cy: y, r: 49 })
        : svg("rect", { class: "chosen", x: x - 47, y: y - this.tall / 2 + 3, width: 94, height: this.tall - 6 }));
      for (const to of new Set(this.from(this.chosen).map((move) => move[1]))) {
        const [tx, ty] = this.spot(to);
        marks.push(svg("circle", taken.has(to) ? { class: "legal-take", cx: tx, cy: ty, r: points ? 47 : 45 } : { class: "legal", cx: tx, cy: ty, r: 13 }));
      }
    }
    if (this.ghost !== null) {
      const [x, y] = this.spot(this.ghost);
      const { w, h } = this.info;
      marks.push(svg("path", { class: "cross-hair", d: `M0 ${y}H${w * CELL}M${x} 0V${h * this.tall}` }));
      marks.push(svg("g", { class: "ghost", transform: `translate(${x} ${y})` }, piece(this.info.game, "O", this.scene.turn, false, this.options.style, this.options.lang)));
    }
    this.layer.legal.replaceChildren(...marks);
    this.options.waiting(this.ghost === null ? null : this.name(this.ghost));
    this.node.classList.toggle("can-drop", this.moves.some((move) => move[0] < 0));
    for (const [place, cell] of this.cells) cell.classList.toggle("movable", this.from(place).length > 0);
    for (const [place, { node }] of this.drawn) node.classList.toggle("lifted", place === this.chosen);
  }

  /** Arrows over the board: hints and lines of analysis. @param {any[]} list */
  setArrows(list) {
    this.arrows = list;
    drawArrows(this, list);
  }

  /** Candidates and ownership of an analysis in go. @param {any} think */
  setHeat(think) {
    this.heat = think;
    drawHeat(this, think);
  }

  /** Names every cell in words for screen readers; exactly one can be reached by Tab. */
  nameCells() {
    const { t } = this.options;
    const { game, sides } = this.info;
    const pieces = new Map(this.pieces().map((/** @type {any} */ p) => [p[0], p]));
    for (const [place, cell] of this.cells) {
      const held = pieces.get(place);
      const parts = [this.name(place)];
      if (held) {
        const [, kind, side, down, count] = held;
        const side_name = t(`side_${sides[side]}`);
        parts.push(down || kind === "X" ? t("covered_of", side_name) : t("piece_of", t(`kind_${game}_${kind}`), side_name));
        if (count > 1) parts.push(t("times", count));
      } else if (place < HAND) parts.push(t("empty"));
      const ways = new Set(this.from(place).map((move) => move[1])).size;
      if (ways) parts.push(t("can_go", ways));
      if (this.chosen !== null && this.between(this.chosen, place).length) parts.push(t("can_go_here"));
      cell.setAttribute("aria-label", parts.join(", "));
      cell.setAttribute("aria-selected", String(place === this.chosen));
      cell.setAttribute("tabindex", place === this.focus ? "0" : "-1");
    }
  }

  /** Moves that begin at a place. @param {number} place */
  from(place) {
    return this.moves.filter((move) => move[0] === place);
  }

  /** @param {number} from @param {number} to */
  between(from, to) {
    return this.moves.filter((move) => move[0] === from && move[1] === to);
  }

  /** The piece slides; one that was face down turns over. @param {any} scene */
  animate(scene) {
    const [from, to] = scene.last;
    const node = this.drawn.get(to)?.node;
    if (!node) return;
    const slide = node.querySelector(".slide");
    const [x, y] = this.spot(to);
    node.parentNode.append(node);
    if (from >= 0 && from !== to) {
      const [fx, fy] = this.spot(from);
      slide.animate([{ transform: `translate(${fx - x}px, ${fy - y}px)` }, { transform: "none" }], { duration: 190, easing: "ease-out" });
    } else if (this.info.game === "go") {
      slide.animate([{ transform: "scale(1.15)", opacity: 0.4 }, { transform: "none", opacity: 1 }], { duration: 130, easing: "ease-out" });
    }
    if (!scene.turned?.[scene.ply - 1]) return;
    const body = slide.firstElementChild;
    const side = scene.pieces.find((/** @type {any} */ p) => p[0] === to)?.[2] ?? 0;
    const cover = piece(this.info.game, "X", side, true, this.options.style, this.options.lang);
    slide.append(cover);
    const timing = { duration: 190, delay: 160, fill: /** @type {FillMode} */ ("both") };
    body.animate([{ transform: "scaleX(0)" }, { transform: "scaleX(1)" }], { ...timing, delay: 350, easing: "ease-out" });
    cover.animate([{ transform: "scaleX(1)" }, { transform: "scaleX(0)" }], { ...timing, easing: "ease-in" }).finished.then(
      () => cover.remove(),
      () => cover.remove(),
    );
  }

  /** A place was clicked, tapped, or entered by the keyboard. @param {number} place @param {boolean} [sure] no ghost first */
  enter(place, sure = false) {
    this.focus = place;
    const drops = this.moves.filter((move) => move[0] < 0 && move[1] === place);
    if (this.chosen !== null && this.chosen !== place) {
      const found = this.between(this.chosen, place);
      if (found.length) return this.play(found);
    }
    if (drops.length && !this.from(place).length) {
      if (!sure && this.small() && this.ghost !== place) this.ghost = place;
      else {
        this.ghost = null;
        return this.play(drops);
      }
    } else {
      this.ghost = null;
      this.chosen = this.chosen !== place && this.from(place).length ? place : null;
    }
    this.drawLegal();
    this.nameCells();
  }

  /** @param {Move[]} moves */
  play(moves) {
    this.chosen = null;
    this.drawLegal();
    if (moves.length > 1) this.options.ask(moves);
    else this.options.play(moves[0]);
  }

  /** Whether cells are too small for a sure tap. */
  small() {
    const cell = CELL * (this.node.getScreenCTM()?.a ?? 1);
    return (cell < 40 && matchMedia("(pointer: coarse)").matches) || cell < 24;
  }

  /** Forgets a choice. */
  cancel() {
    const had = this.chosen !== null || this.ghost !== null;
    this.chosen = this.ghost = null;
    if (this.scene) {
      this.drawLegal();
      this.nameCells();
    }
    return had;
  }

  /** The place under a pointer, if it is near one. @param {PointerEvent} event */
  under(event) {
    const matrix = this.node.getScreenCTM();
    if (!matrix) return null;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    let best = null;
    let least = 62;
    for (const place of this.cells.keys()) {
      const [x, y] = this.spot(place);
      const distance = Math.max(Math.abs(at.x - x), Math.abs(at.y - y));
      if (distance < least) [best, least] = [place, distance];
    }
    return best;
  }

  endDrag() {
    if (!this.drag) return;
    this.drag.slide?.removeAttribute("transform");
    this.drag.node?.classList.remove("dragged");
    this.drag = null;
  }

  listen() {
    this.node.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
      if (event.button !== 0 || !this.scene) return;
      const place = this.under(event);
      if (place === null) return;
      const node = this.from(place).length ? this.drawn.get(place)?.node : null;
      this.drag = { place, x: event.clientX, y: event.clientY, node, slide: node?.querySelector(".slide"), moved: false, fresh: this.chosen !== place };
      if (node && this.drag.fresh && (this.chosen === null || !this.between(this.chosen, place).length)) {
        this.chosen = place;
        this.drawLegal();
        this.drag.chose = true;
      }
    });
    this.node.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
      const drag = this.drag;
      if (!drag?.node) return;
      const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
      if (!drag.moved && Math.hypot(dx, dy) < 7) return;
      if (!drag.moved) {
        drag.moved = true;
        this.chosen = drag.place;
        this.drawLegal();
        drag.node.parentNode.append(drag.node);
        drag.node.classList.add("dragged");
        this.node.setPointerCapture(event.pointerId);
      }
      const scale = this.node.getScreenCTM()?.a || 1;
      drag.slide.setAttribute("transform", `translate(${dx / scale} ${dy / scale})`);
    });
    this.node.addEventListener("pointerup", (/** @type {PointerEvent} */ event) => {
      const drag = this.drag;
      if (!drag) return;
      this.endDrag();
      const place = this.under(event);
      if (place === null || (!drag.moved && place !== drag.place)) return void this.cancel();
      if (drag.moved && place === drag.place) return;
      if (drag.chose && !drag.moved) {
        this.focus = place;
        this.nameCells();
      } else this.enter(place);
    });
    this.node.addEventListener("pointercancel", () => this.endDrag());
    this.node.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.key(event));
    this.node.addEventListener("focusin", (/** @type {any} */ event) => {
      const place = event.target.dataset?.place;
      if (place !== undefined) this.focus = Number(place);
    });
  }

  /** Arrows, Enter, Escape. @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const step = steps[/** @type {keyof typeof steps} */ (event.key)];
    if (step) {
      const y = this.rows.findIndex((row) => row.includes(this.focus));
      const x = this.rows[y].indexOf(this.focus);
      const next = Math.min(Math.max(y + step[0], 0), this.rows.length - 1);
      const row = this.rows[next];
      // Rows of hands are shorter than rows of the board.
      const column = Math.round((x * (row.length - 1)) / (this.rows[y].length - 1));
      this.focusOn(row[Math.min(Math.max(column + step[1], 0), row.length - 1)]);
    } else if (event.key === "Enter" || event.key === " ") this.enter(this.focus, true);
    else if (event.key !== "Escape" || !this.cancel()) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} place */
  focusOn(place) {
    this.cells.get(this.focus)?.setAttribute("tabindex", "-1");
    this.focus = place;
    const cell = this.cells.get(place);
    cell?.setAttribute("tabindex", "0");
    cell?.focus();
  }
}

/**
 * A small drawing of one piece, for lists beside the board.
 * @param {string} game
 * @param {string} kind
 * @param {number} side
 * @param {{style: import("./pieces.js").Style, lang: string}} options
 */
export function token(game, kind, side, options) {
  const drawn = piece(game, kind, game === "shogi" ? 0 : side, kind === "X" || kind === "?", options.style, options.lang);
  return svg("svg", { class: "token-box", viewBox: "-50 -50 100 100", "aria-hidden": "true" }, drawn);
}
