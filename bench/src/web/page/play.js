// @ts-check
// The view of one game: board, whose turn it is, moves, buttons.

import { Board, token } from "./board.js";
import { el, set } from "./dom.js";
import { ask } from "./keys.js";
import { showSeal } from "./seal.js";
import { Notes, Review, SIGNS } from "./review.js";
import { Think } from "./think.js";
import { language, number, said, t } from "./words.js";

/** Buttons that the server may offer, in the order in which they stand. */
const ORDER = ["retry", "hint", "undo", "pass", "claim", "draw", "flip_reveal", "again", "resign"];

export class Play {
  /** @param {any} app @param {string} id */
  constructor(app, id) {
    this.app = app;
    this.id = id;
    /** @type {any} */
    this.info = null;
    /** @type {any} */
    this.board = null;
    /** @type {any} */
    this.options = null;
    /** @type {any} */
    this.scene = null;
    /** @type {any} the position looked back at */
    this.shot = null;
    /** @type {any} */
    this.seal = null;
    /** @type {any} */
    this.opened = null;
    this.wanted = -1;
    this.place = el("div", { class: "board-place" });
    this.confirm = el("button", { type: "button", class: "main confirm", hidden: true, onclick: () => this.board.enter(this.board.ghost, true) });
    this.status = el("div", { class: "status" });
    this.keys = el("div", { class: "buttons", role: "group", "aria-label": t("settings") });
    this.steps = el("div", { class: "steps", role: "group", "aria-label": t("moves") });
    this.moves = el("ol", { class: "moves", tabindex: "0", "aria-label": t("moves") });
    this.side = el("div", { class: "lists" });
    this.think = new Think(this);
    this.review = new Review(this);
    this.notes = new Notes(this);
    this.typed = el("input", { id: "typed", autocomplete: "off", spellcheck: "false", enterkeyhint: "go" });
    this.form = el("form", { class: "type-move", onsubmit: (/** @type {Event} */ event) => this.type(event) },
      el("label", { for: "typed", class: "unseen" }, t("type_move")), this.typed, el("button", { type: "submit" }, t("send")));
    /** Who has the link to watch asks nothing of the engine. */
    this.guest = app.welcome.guest;
    this.node = el("div", { class: "play" }, this.place,
      el("div", { class: "panel" }, this.guest ? el("p", { class: "faint" }, t("guest")) : null, this.status, this.keys, this.guest ? null : this.think.node, this.review.node, this.notes.node, el("section", { class: "record" }, this.steps, this.moves, this.form), this.side));
    this.open();
  }

  /** Asks for the whole game: at the start and after each reconnection. */
  open() {
    this.app.send("open", { id: this.id }, () => {
      this.node.replaceChildren(el("div", { class: "notice" }, el("p", {}, t("no_such_game")), el("a", { href: "#", class: "button" }, t("home"))));
    });
  }

  leave() {
    this.think.stop();
    this.board?.leave();
    this.app.send("bye", { id: this.id }, () => {});
  }

  /** @param {any} message */
  message(message) {
    if (message.id !== this.id) return;
    if (message.t === "board") this.setBoard(message);
    else if (message.t === "scene") this.setScene(message);
    else if (message.t === "shot") this.setShot(message);
    else if (message.t === "think") this.think.message(message);
    else if (message.t === "review") this.review.message(message);
    else if (message.t === "notes") this.notes.message(message);
    else if (message.t === "tried") this.review.setTried(message);
    else if (message.t === "seal") this.seal = message;
    else if (message.t === "broken") this.setBroken(message);
    else if (message.t === "open") {
      this.opened = message;
      if (this.scene) this.showKeys();
    }
  }

  /** The server gave the game up: nothing is waited for any more. @param {any} message */
  setBroken(message) {
    if (this.scene) this.board.show({ ...this.scene, moves: [] }, false);
    this.keys.replaceChildren(el("a", { href: "#", class: "button" }, t("home")));
    this.form.hidden = true;
    this.status.replaceChildren(el("div", { class: "over" }, el("h1", {}, t("broken_title")), el("p", {}, said(message.say))));
    this.app.tell(said(message.say));
  }

  /** @param {any} info */
  setBoard(info) {
    const turned = this.board?.turned ?? info.seat === 1;
    this.board?.leave();
    this.info = info;
    this.options = { style: this.app.style(info.game), lang: language(), t,
      play: (/** @type {any} */ move) => this.play(move), ask: (/** @type {any[]} */ moves) => this.choose(moves),
      waiting: (/** @type {string | null} */ name) => this.showWaiting(name) };
    this.board = new Board(info, this.options);
    if (turned && info.turnable !== false) this.board.turn();
    this.place.replaceChildren(this.board.node, this.confirm);
    set(this.node, { class: `play play-${info.game}` });
    this.scene = null;
    document.title = `${t(`game_${info.game}`)} · Ngũ Kỳ`;
  }

  /** @param {any} scene */
  setScene(scene) {
    if (!this.board) return;
    const before = this.scene;
    this.scene = scene;
    if (before && scene.ply !== before.ply) this.shot = null;
    if (!this.shot) this.board.show(scene, !scene.over);
    this.show();
    this.tell(before, scene);
    this.think.follow();
  }

  /** @param {any} message */
  setShot(message) {
    if (message.line !== undefined && message.line !== null) return this.think.shot(message);
    if (message.ply !== this.wanted || !this.scene) return;
    this.shot = { ...message.scene, ply: message.ply, rev: -1 - message.ply };
    this.showPosition();
    this.show();
    this.think.follow();
  }

  /** Shows the position that is looked at; where a better move is looked for, its moves may be tried. */
  showPosition() {
    if (!this.shot) return this.board.show(this.scene, !this.scene.over);
    const trying = this.review.finding === this.shot.ply && this.shot.moves?.length > 0;
    this.board.show({ ...this.shot, moves: trying ? this.shot.moves : [], hint: null }, trying);
  }

  /** Says in the live region what happened. @param {any} before @param {any} scene */
  tell(before, scene) {
    const parts = [];
    // A quick answer may arrive in one scene with the move before it, so every new move is announced; more than four are a game that was opened.
    const first = before && scene.ply - before.ply <= 4 ? before.ply : scene.ply;
    for (let ply = first; ply < scene.ply; ply++) {
      const side = this.mover(ply);
      parts.push(t("now_moves", this.sideName(side), scene.played[ply] ?? ""));
      const kind = scene.turned?.[ply];
      if (kind) parts.push(t("turned_up", t(`kind_${this.info.game}_${kind}`)));
      // Captures are counted by side, not by move: those of a side go with its last move.
      const took = ply + 2 < scene.ply ? [] : this.newlyTaken(before, scene, side);
      if (took.length) parts.push(t("took", took.join(", ")));
    }
    if (scene.check?.length) parts.push(t("check"));
    if (scene.hint && !before?.hint) parts.push(t("hint_move", scene.hint[2]));
    if (scene.over) parts.push(this.overText(scene));
    if (parts.length) this.app.tell(parts.join(". "));
  }

  /** What a side took between two scenes, in words. @param {any} before @param {any} scene @param {number} side */
  newlyTaken(before, scene, side) {
    const had = new Map(before.taken?.[side] ?? []);
    return (scene.taken?.[side] ?? []).flatMap((/** @type {[string, number]} */ [kind, count]) => {
      const more = count - (had.get(kind) ?? 0);
      const name = t(`kind_${this.info.game}_${kind}`);
      return more <= 0 ? [] : more > 1 ? [`${name}, ${t("times", more)}`] : [name];
    });
  }

  /** Which side made a move: told back from the turn, as the first mover may be either. @param {number} ply */
  mover(ply) {
    const last = this.scene.over && this.scene.turn === undefined ? 0 : this.scene.turn;
    return (last + this.scene.ply - ply) % 2;
  }

  /** @param {number} side */
  sideName(side) {
    return t(`side_${this.info.sides[side]}`);
  }

  /** @param {any} scene */
  overText({ over }) {
    const [a, b] = over.points;
    const reason = said(over.say);
    const { seat } = this.info;
    const who = a === b ? t("drawn") : seat > 1 ? t("side_won", this.sideName(a > b ? 0 : 1)) : t((a > b ? 0 : 1) === seat ? "you_won" : "you_lost");
    return `${who} ${reason}`;
  }

  /** Everything beside the board. */
  show() {
    this.showStatus();
    this.showKeys();
    this.showMoves();
    this.showLists();
    this.review.looked(this.shot?.ply ?? this.scene.ply);
    this.notes.looked(this.shot?.ply ?? this.scene.ply);
  }

  showStatus() {
    const { scene, info } = this;
    const lines = [];
    const name = this.sideName(scene.turn);
    const dot = el("span", { class: `dot dot-${info.sides[scene.turn]}`, "aria-hidden": "true" });
    if (info.loaded) lines.push(el("p", { class: "faint" }, t("loaded_names", info.loaded[0] || "?", info.loaded[1] || "?")));
    if (scene.over) lines.push(el("div", { class: "over" }, el("h1", {}, t("over_title")), el("p", {}, this.overText(scene))));
    else {
      const own = scene.turn === info.seat;
      lines.push(el("h1", { class: "turn" }, dot, scene.thinking ? t("thinking", name) : own ? t("your_turn", name) : t("to_move", name), scene.thinking ? el("span", { class: "dots", "aria-hidden": "true" }) : null));
    }
    if (scene.check?.length && !scene.over) lines.push(el("p", { class: "in-check" }, t("check")));
    if (scene.hint) lines.push(el("p", { class: "hint" }, t("hint_move", scene.hint[2])));
    if (scene.say && !(scene.hint && scene.say[0] === "hint_move")) lines.push(el("p", { class: "faint" }, said(scene.say)));
    if (this.shot) lines.push(el("p", { class: "looking" }, t("looking_back", this.shot.ply), " ", el("button", { type: "button", onclick: () => this.look(scene.ply) }, t("back_to_now"))));
    if (scene.score?.rows) lines.push(this.scoreTable(scene.score.rows));
    this.status.replaceChildren(...lines);
  }

  /** @param {any[]} rows */
  scoreTable(rows) {
    return el("table", { class: "score" }, el("caption", {}, t("score")),
      el("thead", {}, el("tr", {}, el("td", {}), el("th", { scope: "col" }, t("side_black")), el("th", { scope: "col" }, t("side_white")))),
      el("tbody", {}, rows.map(([key, black, white]) => el("tr", {}, el("th", { scope: "row" }, t(key)), [black, white].map((value) => el("td", {}, number(value, value % 1 ? 1 : 0)))))));
  }

  showKeys() {
    const { scene, info } = this;
    const focused = document.activeElement?.getAttribute("data-key");
    const button = (/** @type {string} */ key, /** @type {string} */ text, /** @type {() => void} */ act, kind = "") =>
      el("button", { type: "button", "data-key": key, class: kind, onclick: act }, text);
    const keys = [...scene.keys].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
    const buttons = keys.map((key) => button(key, t(`key_${key}`), () => this.press(key), key === "again" ? "main" : key === "resign" ? "danger" : ""));
    if (this.seal && this.opened) buttons.unshift(button("verify", t("verify"), () => showSeal(this.seal, this.opened, this.options.style), "main"));
    if (info.turnable !== false) buttons.push(button("turn", t("turn_board"), () => this.board.turn()));
    const saves = (this.guest ? [] : info.formats ?? []).map((/** @type {string} */ format, /** @type {number} */ _, /** @type {string[]} */ all) =>
      button(`save-${format}`, all.length > 1 ? `.${format}` : t("save"), () => this.app.send("save", { id: this.id, format })));
    const open = this.keys.querySelector(".saves")?.open ?? false;
    buttons.push(...(saves.length > 1 ? [el("details", { class: "saves", open }, el("summary", { "data-key": "saves" }, t("save")), el("div", { class: "menu" }, saves))] : saves));
    this.keys.replaceChildren(...buttons);
    if (focused) this.keys.querySelector(`[data-key="${focused}"]`)?.focus();
    this.form.hidden = this.guest || Boolean(scene.over) || this.review.finding !== null;
    this.typed.placeholder = scene.moves?.[0] ? t("type_help", scene.moves[0][3]) : t("type_move");
  }

  showMoves() {
    const { scene } = this;
    const at = this.shot ? this.shot.ply : scene.ply;
    const step = (/** @type {string} */ text, /** @type {string} */ name, /** @type {number} */ ply) =>
      el("button", { type: "button", "aria-label": t(name), title: t(name), disabled: ply < 0 || ply > scene.ply || ply === at, onclick: () => this.look(ply) }, text);
    this.steps.replaceChildren(step("«", "first", 0), step("‹", "back", at - 1), step("›", "forward", at + 1), step("»", "last", scene.ply));
    const rows = [];
    const first = scene.ply ? this.mover(0) : 0;
    for (let i = -first; i < scene.played.length; i += 2) {
      const cell = (/** @type {number} */ ply) => {
        if (ply < 0 || ply >= scene.played.length) return el("span", { class: "move" }, ply < 0 ? "…" : "");
        const kind = scene.turned?.[ply];
        const mark = this.review.row(ply)?.mark;
        return el("button", { type: "button", class: "move", "aria-current": ply + 1 === at ? "step" : null, onclick: () => this.look(ply + 1) },
          scene.played[ply], kind ? el("small", { title: t("turned_up", t(`kind_${this.info.game}_${kind}`)) }, ` (${t(`kind_${this.info.game}_${kind}`)})`) : null,
          this.notes.of(ply + 1) ? el("span", { class: "noted", title: t("noted") }, "\u00a0✎", el("span", { class: "unseen" }, t("noted"))) : null,
          mark ? [" ", el("b", { class: `mark mark-${mark}`, "aria-hidden": "true" }, SIGNS[mark]), el("span", { class: "unseen" }, t(`mark_${mark}`))] : null);
      };
      rows.push(el("li", {}, el("span", { class: "number" }, `${(i + first) / 2 + 1}.`), cell(i), cell(i + 1)));
    }
    this.moves.replaceChildren(...rows);
    const current = this.moves.querySelector("[aria-current]");
    if (current) this.moves.scrollTop = current.offsetTop - this.moves.clientHeight / 2;
    else this.moves.scrollTop = 0;
  }

  /** Taken pieces, and in cờ úp what may still lie face down. */
  showLists() {
    const scene = this.shot ?? this.scene;
    const { game } = this.info;
    const parts = [];
    const row = (/** @type {any[]} */ list, /** @type {number} */ side, /** @type {number} */ sum) =>
      el("ul", { class: sum ? "kinds odds" : "kinds" }, list.map(([kind, count]) => {
        const name = t(`kind_${game}_${kind}`);
        const odds = sum ? t("pool_odds", count, sum, Math.round((100 * count) / sum)) : t("times", count);
        return el("li", { title: `${name}: ${odds}` }, token(game, kind, side, this.options), el("span", { class: "unseen" }, name), sum || count > 1 ? el("span", {}, `×${count}`) : null, sum ? el("small", {}, `${Math.round((100 * count) / sum)} %`) : null);
      }));
    if (scene.taken?.some((/** @type {any[]} */ list) => list.length) && game !== "shogi") {
      parts.push(el("section", {}, el("h2", {}, t("taken")), [0, 1].map((side) =>
        el("div", { class: "taken" }, el("h3", {}, t("taken_by", this.sideName(side))), scene.taken[side].length ? row(scene.taken[side], 1 - side, 0) : el("p", { class: "faint" }, t("nothing_taken"))))));
    }
    if (scene.pool?.some((/** @type {any[]} */ list) => list.length)) {
      parts.push(el("section", {}, el("h2", {}, t("pool")), [0, 1].filter((side) => scene.pool[side].length).map((side) => {
        const sum = scene.pool[side].reduce((/** @type {number} */ all, /** @type {any} */ one) => all + one[1], 0);
        const unseen = scene.unseen?.[side];
        return el("div", { class: "taken" }, el("h3", {}, t("pool_of", this.sideName(side))), row(scene.pool[side], side, sum), unseen ? el("p", { class: "faint" }, t("unseen", unseen)) : null);
      })));
    }
    if (this.seal && !this.opened) parts.push(el("section", { class: "seal-note" }, el("h2", {}, t("seal_title")), el("p", { class: "faint" }, t("seal_waiting")), el("code", {}, this.seal.digest)));
    this.side.replaceChildren(...parts);
  }

  /** A button for the stone that waits for its second tap. @param {string | null} name */
  showWaiting(name) {
    this.confirm.hidden = name === null;
    this.confirm.textContent = name === null ? "" : t("confirm_point", name);
  }

  /** Sends a move of the scene's list. @param {any} move */
  play(move) {
    if (this.review.finding !== null) return this.review.attempt(move);
    this.app.send("move", { id: this.id, rev: this.scene.rev, m: move[2] }, (/** @type {any} */ no) => {
      this.app.toast(said(no.say) || t("no_refused", no.code));
      this.board.show(this.shot ?? this.scene, !this.shot);
    });
  }

  /** Several moves have the same beginning and end: promotion or not. @param {any[]} moves */
  choose(moves) {
    const [, plain, side] = (this.shot ?? this.scene).pieces.find((/** @type {any} */ one) => one[0] === moves[0][0]) ?? [];
    // What the piece becomes stands in the move as people write it.
    const kind = (/** @type {string} */ label) => /=([A-Z])/.exec(label)?.[1] ?? (label.endsWith("+") && this.info.game === "shogi" ? `+${plain}` : plain);
    ask(t("choose_move"), moves.map((move) => [[plain ? token(this.info.game, kind(move[3]), side, this.options) : null, el("span", { "data-move": move[2] }, move[3])], move]), (move) => this.play(move));
  }

  /** @param {Event} event */
  type(event) {
    event.preventDefault();
    const text = this.typed.value.trim();
    if (!text) return;
    this.app.send("type", { id: this.id, rev: this.scene.rev, text });
    this.typed.value = "";
  }

  /** @param {string} key */
  press(key) {
    const send = () => this.app.send("press", { id: this.id, rev: this.scene.rev, key });
    if (key === "resign") ask(t("sure_resign"), [[t("no"), false], [t("yes"), true]], (yes) => yes && send());
    else send();
  }

  /** Looks at the position after so many moves; at the last one, plays on. @param {number} ply */
  look(ply) {
    if (!this.scene || ply < 0 || ply > this.scene.ply) return;
    if (ply === this.scene.ply) {
      this.review.leave();
      this.shot = null;
      this.wanted = -1;
      this.board.show(this.scene, !this.scene.over);
      this.show();
      this.think.follow();
    } else {
      this.wanted = ply;
      this.app.send("at", { id: this.id, ply });
    }
  }

  escape() {
    this.board?.cancel();
    this.board?.setArrows([]);
  }

  /** A single-key shortcut; true where it was one. @param {string} key */
  shortcut(key) {
    if (!this.scene) return false;
    const at = this.shot ? this.shot.ply : this.scene.ply;
    /** @type {Record<string, () => any>} */
    const acts = {
      "[": () => this.look(at - 1), "]": () => this.look(at + 1), "{": () => this.look(0), "}": () => this.look(this.scene.ply),
      f: () => this.info.turnable !== false && this.board.turn(), h: () => this.scene.keys.includes("hint") && this.press("hint"),
      "/": () => this.typed.focus(), n: () => this.review.step(1), p: () => this.review.step(-1), a: () => this.think.toggle(), o: () => this.think.toggleOwner(),
      e: () => this.app.tell(this.status.textContent + " " + (this.think.spoken ?? "")),
    };
    if (!acts[key] || (this.guest && !"[]{}fe".includes(key))) return false;
    acts[key]();
    return true;
  }
}
