// @ts-check
// Analysis beside a game: lines with scores, arrows as wide as good, a bar of chances; in go candidates and ownership.

import { el } from "./dom.js";
import { number, t } from "./words.js";

/** Arrows of the lines, the best one widest. */
const WIDTHS = [20, 14, 11, 9, 8];

export class Think {
  /** @param {any} play the game's view */
  constructor(play) {
    this.play = play;
    this.on = false;
    this.lines = 3;
    this.owner = true;
    /** @type {any} */
    this.last = null;
    this.asked = -1;
    this.spoken = "";
    this.node = el("section", { class: "think" });
    this.draw();
  }

  /** The ply on the board. */
  ply() {
    return this.play.shot?.ply ?? this.play.scene?.ply ?? 0;
  }

  allowed() {
    const { info, scene, app } = this.play;
    return Boolean(app.welcome?.caps?.analysis && info && scene && !(info.sealed && !scene.over));
  }

  toggle() {
    if (!this.allowed()) return;
    if (this.on) this.stop();
    else {
      this.on = true;
      this.asked = -1;
      this.follow();
    }
  }

  toggleOwner() {
    this.owner = !this.owner;
    this.overBoard();
  }

  stop() {
    if (this.on && this.asked >= 0) this.play.app.send("think", { id: this.play.id, ply: this.asked, on: false, lines: this.lines }, () => {});
    this.on = false;
    this.asked = -1;
    this.last = null;
    this.overBoard();
    this.draw();
  }

  /** The position on the board may have changed: the analysis goes with it. */
  follow() {
    if (!this.on) return this.draw();
    const ply = this.ply();
    if (ply === this.asked) return this.overBoard();
    if (this.asked >= 0) this.play.app.send("think", { id: this.play.id, ply: this.asked, on: false, lines: this.lines }, () => {});
    this.asked = ply;
    this.last = null;
    this.play.app.send("think", { id: this.play.id, ply, on: true, lines: this.lines }, (/** @type {any} */ no) => {
      this.on = false;
      this.asked = -1;
      this.play.app.refused({ ...no, n: -1 });
      this.draw();
    });
    this.draw();
  }

  /** @param {any} message */
  message(message) {
    if (!this.on || message.ply !== this.ply()) return;
    this.last = message;
    this.draw();
    this.overBoard();
  }

  /** A position along a line, asked for by pointing at its moves. @param {any} message */
  shot(message) {
    if (this.pointed !== `${message.line}.${message.upto}`) return;
    this.play.board.show({ ...message.scene, moves: [], hint: null, rev: -1 }, false);
  }

  /** @param {number} line @param {number} upto */
  peek(line, upto) {
    this.pointed = `${line}.${upto}`;
    this.play.app.send("peek", { id: this.play.id, ply: this.asked, line, upto }, () => {});
  }

  unpeek() {
    this.pointed = "";
    const { play } = this;
    play.showPosition();
    this.overBoard();
  }

  overBoard() {
    const { board } = this.play;
    if (!board?.scene) return;
    const lines = this.on ? this.last?.lines ?? [] : [];
    if (this.play.info.game === "go") board.setHeat(this.on && this.last ? { ...this.last, own: this.owner ? this.last.own : [] } : null);
    else if (this.on) board.setArrows(lines.filter((/** @type {any} */ line) => line.to >= 0).map((/** @type {any} */ line, /** @type {number} */ i) => ({ from: line.from, to: line.to, width: WIDTHS[i] ?? 8, kind: `rank-${i}`, text: score(line) })).reverse());
  }

  draw() {
    if (!this.allowed()) return this.node.replaceChildren();
    const focused = document.activeElement?.getAttribute("data-think");
    const button = el("button", { type: "button", "data-think": "on", "aria-pressed": String(this.on), onclick: () => this.toggle() }, t(this.on ? "think_off" : "think_on"));
    const count = el("select", { "aria-label": t("lines"), "data-think": "lines", onchange: (/** @type {any} */ event) => {
      this.lines = Number(event.target.value);
      if (this.on) {
        this.stop();
        this.toggle();
      }
    } }, [1, 2, 3, 4, 5].map((n) => el("option", { value: n, selected: n === this.lines }, String(n))));
    const owner = this.play.info.game === "go" ? el("button", { type: "button", "data-think": "owner", "aria-pressed": String(this.owner), onclick: () => this.toggleOwner() }, t("owner")) : null;
    const parts = [el("div", { class: "think-head" }, button, el("label", {}, t("lines"), " ", count), owner)];
    const best = this.on ? this.last?.lines?.[0] : null;
    if (best) {
      if (best.wdl) parts.push(this.bar(best.wdl, this.last.side ?? 0));
      this.spoken = `${score(best)} ${best.pv.slice(0, 4).join(" ")}`;
      parts.push(el("ol", { class: "pv" }, this.last.lines.map((/** @type {any} */ line, /** @type {number} */ i) =>
        el("li", {}, el("b", { class: "pv-score" }, score(line)), " ", line.pv.slice(0, 14).map((/** @type {string} */ move, /** @type {number} */ j) =>
          el("span", { class: "pv-move", onpointerenter: () => this.peek(i, j + 1), onpointerleave: () => this.unpeek() }, move, " "))))));
      parts.push(el("p", { class: "faint" }, t("depth_nodes", best.depth ?? 0, number(Number(best.nodes ?? 0)))));
    }
    this.node.replaceChildren(...parts);
    if (focused) this.node.querySelector(`[data-think="${focused}"]`)?.focus();
  }

  /** Chances of the first side, drawn and of the second side. @param {number[]} wdl @param {number} side */
  bar(wdl, side) {
    const [win, draw, loss] = side === 0 ? wdl : [...wdl].reverse();
    const share = (/** @type {number} */ value) => Math.round(value / 10);
    const text = `${this.play.sideName(0)} ${share(win)} %${draw ? ` · ${t("draws", share(draw))}` : ""} · ${this.play.sideName(1)} ${share(loss)} %`;
    const parts = [["first", win], ["draw", draw], ["second", loss]].map(([name, value]) => {
      const part = el("span", { class: `bar-${name}` });
      part.style.flexGrow = String(value);
      return part;
    });
    return el("div", {}, el("div", { class: "bar", role: "img", "aria-label": t("bar_name", text) }, parts), el("p", { class: "faint", "aria-hidden": "true" }, text));
  }
}

/** A score as players read it. @param {any} line */
function score(line) {
  const { cp, mate } = line.score ?? {};
  if (mate !== undefined && mate !== null) return `#${mate}`;
  if (cp === undefined || cp === null) return "";
  return `${cp > 0 ? "+" : ""}${number(cp / 100, 1)}`;
}
