// @ts-check
// Review of a game that is over or was loaded: progress, curve, marks, totals, and better moves to be found.

import { el } from "./dom.js";
import { graphs } from "./graph.js";
import { number, said, t } from "./words.js";

/** Signs of the marks. @type {Record<string, string>} */
export const SIGNS = { inaccuracy: "?!", mistake: "?", blunder: "??" };
/** Formats that take marks and lines, by game; PGN elsewhere. @type {Record<string, string>} */
const FORMATS = { shogi: "kif", go: "sgf" };

export class Review {
  /** @param {any} play the game's view */
  constructor(play) {
    this.play = play;
    /** @type {any} */
    this.last = null;
    /** @type {Map<number, any>} */
    this.rows = new Map();
    this.effort = "normal";
    /** @type {number | null} the ply at which a better move is looked for */
    this.finding = null;
    /** @type {any} what the server said of a tried move */
    this.tried = null;
    this.answer = false;
    this.node = el("section", { class: "review" });
  }

  /** @param {any} message */
  message(message) {
    this.last = message;
    this.rows = new Map((message.rows ?? []).map((/** @type {any} */ row) => [row.ply, row]));
    if (this.play.scene) this.play.showMoves();
    this.draw();
  }

  /** The review of the move that was played at a ply. @param {number} ply */
  row(ply) {
    return this.rows.get(ply);
  }

  /** Another position is on the board: nothing is looked for in it. @param {number} ply */
  looked(ply) {
    if (this.finding !== null && this.finding !== ply) this.leave();
    this.draw();
  }

  leave() {
    this.finding = null;
    this.tried = null;
    this.answer = false;
  }

  /** @param {string} kind @param {any} [more] */
  send(kind, more = {}) {
    this.play.app.send(kind, { id: this.play.id, ...more });
  }

  start() {
    if (this.play.think.on) this.play.think.stop();
    this.send("review", { effort: this.effort });
  }

  /** To the next marked move, or the one before: the position in which it was played. @param {number} way 1 or -1 */
  step(way) {
    const at = this.finding ?? this.at() - (way > 0 ? 1 : 0);
    const marked = [...this.rows.values()].filter((row) => row.mark).map((row) => row.ply).sort((a, b) => a - b);
    const next = way > 0 ? marked.find((ply) => ply > at) : marked.reverse().find((ply) => ply < at);
    if (next === undefined) return this.play.app.toast(t("no_more_marks"));
    this.find(next);
  }

  /** Asks for a better move than that played at a ply. @param {number} ply */
  find(ply) {
    this.leave();
    this.finding = ply;
    this.play.look(ply);
    this.draw();
    this.play.app.tell(this.question(this.rows.get(ply)));
  }

  /** A move that is tried. @param {any} move */
  attempt(move) {
    const refused = (/** @type {any} */ no) => this.play.app.toast(said(no.say) || t("no_refused", no.code));
    this.play.app.send("try", { id: this.play.id, ply: this.finding, m: move[2] }, refused);
    this.tried = { waiting: true };
    this.play.showPosition();
    this.draw();
  }

  /** @param {any} message */
  setTried(message) {
    if (message.ply !== this.finding) return;
    this.tried = message;
    this.draw();
    this.play.app.tell(this.verdict(message));
  }

  showAnswer() {
    this.answer = true;
    const row = this.rows.get(this.finding ?? -1);
    if (row?.best) this.play.board.setArrows([{ from: row.best[0], to: row.best[1], width: 14, kind: "rank-0" }]);
    this.draw();
  }

  /** The ply on the board. */
  at() {
    return this.play.shot?.ply ?? this.play.scene?.ply ?? 0;
  }

  percent(/** @type {number} */ value) {
    return `${Math.round(100 * value)} %`;
  }

  /** @param {any} row */
  question(row) {
    const move = this.play.scene.played[row.ply];
    return `${t("was_marked", this.play.sideName(row.side), move, t(`mark_${row.mark}`))} ${t("find_better")}`;
  }

  /** What a mark means in figures. @param {any} row */
  cost(row) {
    const luck = row.luck === undefined ? "" : ` ${t("row_luck", `${row.luck > 0 ? "+" : ""}${Math.round(100 * row.luck)} %`)}`;
    const cost = row.points === undefined ? t("row_cost", this.percent(row.before), this.percent(row.after))
      : t("row_points", this.percent(row.before), this.percent(row.after), number(row.points, 1));
    return cost + luck;
  }

  /** @param {any} tried */
  verdict(tried) {
    if (tried.best) return t("tried_best", tried.label);
    return t(!tried.mark ? "tried_good" : tried.better ? "tried_better" : "tried_bad", tried.label, this.percent(tried.loss), this.percent(tried.played));
  }

  draw() {
    const { last, play } = this;
    if (!last || !play.scene || (last.state === "none" && !play.scene.over && !play.info.loaded)) return this.node.replaceChildren();
    if (last.state === "none" && play.guest) return this.node.replaceChildren();
    const focused = document.activeElement?.getAttribute("data-review");
    const parts = [el("h2", {}, t("review")), play.guest ? null : this.controls()];
    if (last.curve?.length) parts.push(this.curve());
    if (this.rows.size) parts.push(this.now());
    if (last.totals) parts.push(this.totals());
    this.node.replaceChildren(...parts.filter(Boolean));
    if (focused) this.node.querySelector(`[data-review="${focused}"]`)?.focus();
  }

  /** @param {string} name @param {string} text @param {() => void} act */
  button(name, text, act, kind = "") {
    return el("button", { type: "button", "data-review": name, class: kind, onclick: act }, text);
  }

  controls() {
    const { last } = this;
    const going = last.state === "running" || last.state === "waiting";
    if (going) {
      return el("div", { class: "review-head" },
        el("progress", { max: last.of, value: last.done, "aria-label": t("review_progress") }),
        el("span", { class: "faint" }, last.state === "waiting" ? t("review_waits") : t("review_done", Math.floor((100 * last.done) / last.of))),
        this.button("halt", t("review_halt"), () => this.send("halt")));
    }
    const efforts = this.play.app.welcome.efforts ?? ["normal"];
    const select = el("select", { "aria-label": t("effort"), "data-review": "effort", onchange: (/** @type {any} */ event) => (this.effort = event.target.value) },
      efforts.map((/** @type {string} */ name) => el("option", { value: name, selected: name === this.effort }, t(`effort_${name}`))));
    const again = last.state === "none" ? "review_start" : last.state === "halted" && last.effort === this.effort ? "review_go_on" : "review_again";
    const format = FORMATS[this.play.info.game] ?? "pgn";
    return el("div", { class: "review-head" },
      this.button("start", t(again), () => this.start(), last.state === "none" ? "main" : ""), select,
      last.state === "none" ? null : this.button("save", t("save_review", format), () => this.send("save", { format, review: true }), "quiet"));
  }

  curve() {
    const side = this.play.sideName(0);
    const marks = [...this.rows.values()].filter((row) => row.mark).map((row) => ({
      ply: row.ply + 1, mark: row.mark, title: `${this.play.scene.played[row.ply]} ${SIGNS[row.mark]} ${t(`mark_${row.mark}`)}`,
    }));
    const names = /** @type {[string, string]} */ ([t("graph_score", side), t("graph_lead", side)]);
    const drawn = graphs(this.last, { at: this.at(), names, marks, chosen: (ply) => (this.leave(), this.play.look(ply)) });
    return el("div", { class: "graphs" }, drawn.map((graph, i) => el("figure", {}, el("figcaption", { class: "faint", "aria-hidden": "true" }, names[i]), graph)));
  }

  /** What is said of the position on the board. */
  now() {
    const row = this.finding === null ? this.rows.get(this.at() - 1) : this.rows.get(this.finding);
    const steps = el("div", { class: "buttons" },
      this.button("previous", t("mark_previous"), () => this.step(-1)), this.button("next", t("mark_next"), () => this.step(1)));
    if (!row) return steps;
    const line = row.line?.length ? el("p", {}, t("better_line"), " ", el("span", { class: "better" }, row.line.join(" "))) : null;
    if (this.finding === null) {
      const sign = row.mark ? el("b", { class: `mark mark-${row.mark}` }, `${SIGNS[row.mark]} ${t(`mark_${row.mark}`)}`) : t("mark_none");
      return el("div", { class: "review-now" },
        el("p", {}, el("b", {}, this.play.scene.played[row.ply]), " ", sign), el("p", { class: "faint" }, this.cost(row)), line,
        row.mark ? this.button("find", t("find_better"), () => this.find(row.ply)) : null, steps);
    }
    const { tried } = this;
    const result = !tried ? null : tried.waiting ? el("p", { class: "dots" }, t("trying"), " ")
      : el("p", { class: tried.better ? "tried tried-good" : "tried" }, this.verdict(tried));
    return el("div", { class: "review-now" }, el("p", {}, el("b", {}, this.question(row))), result,
      this.answer ? [el("p", { class: "faint" }, this.cost(row)), line] : this.button("answer", t("show_answer"), () => this.showAnswer()), steps);
  }

  totals() {
    const { totals } = this.last;
    const rows = [
      ["total_accuracy", totals.map((/** @type {any} */ one) => number(one.accuracy))],
      ["total_loss", totals.map((/** @type {any} */ one) => `${number(100 * one.loss, 1)} %`)],
      ["mark_inaccuracy", totals.map((/** @type {any} */ one) => number(one.marks[0]))],
      ["mark_mistake", totals.map((/** @type {any} */ one) => number(one.marks[1]))],
      ["mark_blunder", totals.map((/** @type {any} */ one) => number(one.marks[2]))],
    ];
    if (totals.some((/** @type {any} */ one) => one.points !== undefined)) rows.push(["total_points", totals.map((/** @type {any} */ one) => number(one.points ?? 0, 1))]);
    if (totals.some((/** @type {any} */ one) => one.luck !== undefined)) rows.push(["total_luck", totals.map((/** @type {any} */ one) => `${(one.luck ?? 0) > 0 ? "+" : ""}${number(100 * (one.luck ?? 0))} %`)]);
    return el("table", { class: "score totals" }, el("caption", {}, t("totals")),
      el("thead", {}, el("tr", {}, el("td", {}), [0, 1].map((side) => el("th", { scope: "col" }, this.play.sideName(side))))),
      el("tbody", {}, rows.map(([key, both]) => el("tr", {}, el("th", { scope: "row" }, t(/** @type {string} */ (key))), both.map((/** @type {string} */ text) => el("td", {}, text))))));
  }
}

/** Numeric annotation glyphs as players know them. */
const GLYPHS = ["", "!", "?", "!!", "??", "!?", "?!"];

/** What a loaded record says of its moves: the comment and the variations of the move that led to the position. */
export class Notes {
  /** @param {any} play the game's view */
  constructor(play) {
    this.play = play;
    /** @type {Map<number, any>} by half-moves played; 0 is the game's own comment */
    this.notes = new Map();
    this.node = el("section", { class: "panel-card notes", hidden: true, "aria-label": t("notes") });
  }

  /** @param {any} message */
  message(message) {
    this.notes = new Map(message.moves.map((/** @type {any} */ one) => [one.ply + 1, one]));
    if (message.comment) this.notes.set(0, { comment: message.comment, nags: [], others: [] });
    if (this.play.scene) this.play.show();
  }

  /** What is said of a position's last move. @param {number} ply */
  of(ply) {
    return this.notes.get(ply);
  }

  /** @param {number} ply the position on the board */
  looked(ply) {
    const note = this.of(ply);
    this.node.hidden = !note;
    if (!note) return this.node.replaceChildren();
    const played = ply ? `${this.play.scene.played[ply - 1] ?? ""}${this.glyphs(note)}` : "";
    this.node.replaceChildren(el("h2", {}, t("notes")), ...[
      note.comment || played ? el("p", {}, played ? el("b", {}, played, " ") : null, note.comment) : null,
      ...note.others.filter((/** @type {any[]} */ line) => line.length).map((/** @type {any[]} */ line) => el("p", { class: "variation" }, t("variation"), " ", this.line(line)))].filter(Boolean));
  }

  /** @param {any} one */
  glyphs(one) {
    return one.nags.map((/** @type {number} */ nag) => GLYPHS[nag] ?? "").join("");
  }

  /** A variation as text, the variations within it in parentheses. @param {any[]} line @returns {string} */
  line(line) {
    const first = this.play.scene.ply ? this.play.mover(0) : 0;
    return line.map((one, i) => {
      const half = one.ply + first;
      const number = half % 2 === 0 ? `${half / 2 + 1}. ` : i === 0 ? `${(half + 1) / 2}… ` : "";
      const others = one.others.filter((/** @type {any[]} */ other) => other.length).map((/** @type {any[]} */ other) => ` (${this.line(other)})`).join("");
      return `${number}${one.label}${this.glyphs(one)}${one.comment ? ` {${one.comment}}` : ""}${others}`;
    }).join(" ");
  }
}
