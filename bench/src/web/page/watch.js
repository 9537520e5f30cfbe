// @ts-check
// A match of engines that runs elsewhere: all its boards, one of them large, and how it stands. The figures are the server's;
// nothing of them is computed here.

import { Board, lastMark, token } from "./board.js";
import { el, set, svg } from "./dom.js";
import { bars, gauge, pathPlot } from "./graph.js";
import { cellHeight, ground, margin } from "./ground.js";
import { piece } from "./pieces.js";
import { language, number, said, t } from "./words.js";

const CELL = 100;
/** Clocks below this show tenths, in milliseconds. */
const SHORT = 20_000;
/** How often running clocks are shown anew. */
const TICK = 100;
/** Room for the pieces in hand above and below a small board of shogi. */
const STRIP = 74;

/** With its sign; no zero is negative. @param {number} value @param {number} [digits] */
const signed = (value, digits = 1) => {
  const text = number(Math.abs(value), digits);
  return `${value < 0 && /[1-9]/.test(text) ? "−" : "+"}${text}`;
};

/** Time left as a clock shows it. @param {number} ms */
function clock(ms) {
  const left = Math.max(0, ms);
  if (left < SHORT) return number(Math.floor(left / 100) / 10, 1);
  const seconds = Math.floor(left / 1000);
  const hours = Math.floor(seconds / 3600);
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  return hours ? `${hours}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}` : `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
}

/** What an engine said with its move: score and depth. @param {any} said */
function score(said) {
  if (!said) return "";
  const { cp, mate, depth } = said;
  const value = mate !== null && mate !== undefined ? `${mate < 0 ? "−" : "+"}#${Math.abs(mate)}` : cp !== null && cp !== undefined ? signed(cp / 100, 2) : "";
  return depth && value ? `${value}/${depth}` : value;
}

/** The points of a side. @param {any} over @param {number} side */
const points = (over, side) => (over.points[side] === 0.5 ? "½" : String(over.points[side]));

/** A small board: a picture, not a thing to play on. */
class SmallBoard {
  /** @param {any} info @param {string} game @param {{style: any, lang: string}} options */
  constructor(info, game, options) {
    Object.assign(this, { info, game, options });
    /** @type {any} */ this.info;
    /** @type {string} */ this.game;
    /** @type {any} */ this.options;
    /** @type {Map<number, {key: string, node: any}>} */
    this.drawn = new Map();
    const { w, h, lines, hand } = info;
    const edge = margin(lines);
    const strip = hand?.length ? STRIP : 0;
    this.tall = cellHeight(lines);
    this.last = svg("g", {});
    this.pieces = svg("g", {});
    this.ring = svg("g", {});
    this.node = svg("svg", { class: `board small-board board-${game}`, role: "img",
      viewBox: [-edge, -edge - strip, w * CELL + 2 * edge, h * this.tall + 2 * (edge + strip)].join(" ") }, ground({ ...info, game }), this.last, this.pieces, this.ring);
  }

  /** @param {number} place @returns {[number, number]} */
  spot(place) {
    const { w } = this.info;
    return [((place % w) + 0.5) * CELL, (Math.floor(place / w) + 0.5) * this.tall];
  }

  /** Draws what changed. @param {any} board */
  show(board) {
    const seen = new Set();
    const put = (/** @type {number} */ place, /** @type {string} */ key, /** @type {() => any} */ make) => {
      seen.add(place);
      const old = this.drawn.get(place);
      if (old?.key === key) return;
      old?.node.remove();
      const node = make();
      this.pieces.append(node);
      this.drawn.set(place, { key, node });
    };
    const { style, lang } = this.options;
    for (const [place, kind, side, down] of board.pieces ?? []) {
      const [x, y] = this.spot(place);
      put(place, [kind, side, down].join(), () => svg("g", { transform: `translate(${x} ${y})` }, piece(this.game, kind, side, Boolean(down), style, lang)));
    }
    this.hands(board.hands ?? [], put);
    for (const [place, { node }] of this.drawn) {
      if (seen.has(place)) continue;
      node.remove();
      this.drawn.delete(place);
    }
    const { lines } = this.info;
    if (lines === "go") return this.markStone(board);
    const marks = (board.last ?? []).flatMap((/** @type {number} */ place, /** @type {number} */ index) => {
      return place < 0 || place >= 1000 ? [] : lastMark(lines, this.spot(place), index, this.tall);
    });
    this.last.replaceChildren(...marks);
  }

  /** The last stone. @param {any} board */
  markStone(board) {
    const place = board.last?.[1] ?? -1;
    const side = board.pieces?.find((/** @type {any} */ one) => one[0] === place)?.[2];
    if (side === undefined) return this.ring.replaceChildren();
    const [cx, cy] = this.spot(place);
    this.ring.replaceChildren(svg("circle", { class: `last-stone on-${side}`, cx, cy, r: 22 }));
  }

  /** Pieces in hand, in a row above and below. @param {any[][]} hands @param {(place: number, key: string, make: () => any) => void} put */
  hands(hands, put) {
    const { w, h, lines } = this.info;
    const edge = margin(lines);
    hands.forEach((held, side) => held.forEach(([kind, count], index) => {
      const x = (index + 0.6) * 120;
      const [left, top] = side === 0 ? [x, h * this.tall + edge + STRIP / 2] : [w * CELL - x, -edge - STRIP / 2];
      put(1000 + 100 * side + index, [kind, count].join(), () => svg("g", { transform: `translate(${left} ${top})` },
        svg("g", { transform: "scale(.72)" }, piece(this.game, kind, side, false, this.options.style, this.options.lang)),
        count > 1 ? svg("text", { class: "held", x: 44, y: 4, "text-anchor": "middle", "dominant-baseline": "central" }, String(count)) : null));
    }));
  }
}

/** A player's line beside a board: name, score, clock or points. */
class Seat {
  /** @param {string} colour */
  constructor(colour) {
    this.dot = el("span", { class: `dot dot-${colour}`, "aria-hidden": "true" });
    this.name = el("span", { class: "seat-name" });
    this.score = el("span", { class: "seat-score" });
    this.clock = el("span", { class: "seat-clock" });
    this.node = el("div", { class: "seat" }, this.dot, this.name, this.score, this.clock);
  }

  /** @param {string} name @param {any} board @param {number} side */
  show(name, board, side) {
    this.name.textContent = name;
    this.name.title = name;
    this.score.textContent = score(board.said[side]);
    this.node.classList.toggle("to-move", !board.over && board.turn === side);
    this.node.classList.toggle("won", board.over?.points[side] === 1);
    this.board = board;
    this.side = side;
  }

  /** @param {number} now the server's time @param {boolean} runs */
  tick(now, runs) {
    const { board } = this;
    const side = this.side ?? 0;
    if (!board) return;
    const left = board.clocks[side];
    const gone = runs && !board.over && board.turn === side ? Math.max(0, now - board.since) : 0;
    const text = board.over ? points(board.over, side) : left === null || left === undefined ? "" : clock(left - gone);
    if (this.clock.textContent !== text) this.clock.textContent = text;
  }
}

export class Watch {
  /** @param {any} app @param {string} id @param {number | null} place */
  constructor(app, id, place) {
    this.app = app;
    this.id = id;
    this.place = place;
    /** @type {any} */ this.match = null;
    /** @type {any} */ this.live = null;
    /** @type {any} */ this.scene = null;
    /** @type {any} the former position that is looked at */ this.shot = null;
    /** The half-moves of the position that was asked for. */ this.wanted = -1;
    /** @type {any} */ this.board = null;
    /** @type {any} how boards are drawn */ this.options = null;
    /** What the head and the figures were last made from. @type {string} */ this.headKey = "";
    /** @type {string} */ this.standing = "";
    /** @type {any[]} */ this.cards = [];
    this.offset = 0;
    this.head = el("header", { class: "match-head" });
    this.score = el("section", { class: "panel-card score-card", "aria-label": t("watch_standing") });
    this.big = el("section", { class: "big", hidden: true });
    this.grid = el("section", { class: "boards", "aria-label": t("watch_boards") });
    this.more = el("p", { class: "faint" });
    this.details = el("div", { class: "match-details" });
    this.moves = el("section", { class: "panel-card game-card", hidden: true });
    this.node = el("div", { class: "match" }, this.head, this.score, this.moves, el("div", { class: "match-boards" }, this.big, this.grid, this.more), this.details);
    this.timer = setInterval(() => this.tick(), TICK);
    this.open();
  }

  /** Asks for the match: at the start, after each reconnection, and for another board. */
  open() {
    this.app.send("watch", { match: this.id, game: this.place }, () => {
      this.node.replaceChildren(el("div", { class: "notice" }, el("p", {}, t("no_match")), el("a", { href: "#", class: "button" }, t("home"))));
    });
  }

  leave() {
    this.board?.leave();
    clearInterval(this.timer);
    this.app.send("bye", { id: this.id }, () => {});
  }

  /** Another board is to be large, or none. @param {number | null} place */
  follow(place) {
    if (place === this.place) return this.open();
    this.place = place;
    this.scene = null;
    this.shot = null;
    this.wanted = -1;
    this.board?.leave();
    this.board = null;
    this.big.replaceChildren();
    this.moves.replaceChildren();
    this.open();
    this.showBoards();
    scrollTo(0, 0);
  }

  /** @param {any} message */
  message(message) {
    if (message.id !== this.id) return;
    if (message.t === "match") this.setMatch(message);
    else if (message.t === "live" && this.match) this.setLive(message);
    else if (message.t === "large" && this.match && message.place === this.place) this.setScene(message.scene);
    else if (message.t === "shot" && message.board === this.place) this.setShot(message);
  }

  /** @param {any} match */
  setMatch(match) {
    const same = this.match && JSON.stringify(this.match) === JSON.stringify(match);
    this.match = match;
    if (same) return;
    this.options = { style: this.app.style(match.spec.game), lang: language(), t, play: () => {}, ask: () => {}, waiting: () => {} };
    this.cards = [];
    this.grid.replaceChildren();
    this.board?.leave();
    this.board = null;
    this.standing = "";
    set(this.node, { class: `match play-${match.spec.game}` });
    document.title = `${this.title()} · Ngũ Kỳ`;
  }

  names() {
    return this.match.spec.engines.map((/** @type {any} */ one) => one.name);
  }

  /** The engine on a side of a board. @param {any} board @param {number} side */
  player(board, side) {
    return this.names()[board.order[side]] ?? "?";
  }

  title() {
    const names = this.names();
    return names.length === 2 ? t("loaded_names", names[0], names[1]) : t("watch_tournament", names.length);
  }

  /** @param {any} live */
  setLive(live) {
    const before = this.live;
    this.live = live;
    this.offset = Date.now() - live.now;
    this.showHead();
    const standing = JSON.stringify([live.standing, live.path, live.last, live.state]);
    if (standing !== this.standing) {
      this.standing = standing;
      this.showStanding();
    }
    this.showBoards();
    if (before && before.state === "running" && live.state !== "running") this.app.tell(`${t(`state_${live.state}`)}. ${this.summary()}`);
  }

  /** How it stands, in a sentence. */
  summary() {
    const { standing } = this.live;
    const games = t("watch_games", number(standing.games), number(this.match.spec.total));
    if (!standing.tally) return games;
    const [w, d, l] = standing.tally.wdl;
    return `${games}. ${this.names()[0]}: ${t("watch_wdl", w, d, l)}`;
  }

  showHead() {
    const { spec, file } = this.match;
    const { state, standing } = this.live;
    const facts = [t("watch_limit", [...new Set(spec.engines.map((/** @type {any} */ one) => one.limit))].join(" · ")), t("watch_openings", spec.openings), file].filter(Boolean).join(" · ");
    const key = [state, standing.games].join();
    if (key === this.headKey) return;
    this.headKey = key;
    this.head.replaceChildren(
      el("div", { class: "match-title" }, el("h1", {}, `${t(`game_${spec.game}`)}: ${this.title()}`), el("span", { class: `chip chip-${state}` }, t(`state_${state}`))),
      el("p", { class: "faint match-facts" }, facts),
      el("div", { class: "match-progress" }, el("progress", { max: Math.max(1, spec.total), value: standing.games, "aria-label": t("watch_progress") }), el("span", {}, t("watch_games", number(standing.games), number(spec.total)))));
  }

  /** Everything about the score. */
  showStanding() {
    const { standing, state } = this.live;
    const { spec } = this.match;
    const tally = standing.tally;
    this.score.replaceChildren(...(tally ? this.scoreOf(tally) : this.table(standing.table)));
    const parts = [];
    if (tally) parts.push(this.pairs(tally), this.engines(tally), this.paths(spec, state));
    parts.push(this.lastResults());
    this.details.replaceChildren(...parts.filter(Boolean));
  }

  /** @param {any} tally */
  scoreOf(tally) {
    const [w, d, l] = tally.wdl;
    const games = w + d + l;
    const [a, b] = this.names();
    const share = games ? (100 * (w + d / 2)) / games : 50;
    const parts = [["win", w], ["draw", d], ["loss", l]].map(([name, value]) => {
      const part = el("span", { class: `wdl-${name}` });
      part.style.flexGrow = String(value);
      return part;
    });
    const lines = [
      el("h2", { class: "unseen" }, t("watch_standing")),
      el("div", { class: "big-score" }, el("span", { class: "score-name" }, a), el("b", {}, `${number(w + d / 2, d % 2 ? 1 : 0)} – ${number(l + d / 2, d % 2 ? 1 : 0)}`), el("span", { class: "score-name" }, b)),
      el("div", { class: "bar wdl", role: "img", "aria-label": `${a}: ${t("watch_wdl", w, d, l)}` }, parts),
      el("p", { class: "wdl-text", "aria-hidden": "true" }, el("span", {}, `+${number(w)}`), el("span", {}, `=${number(d)}`), el("span", {}, `−${number(l)}`), el("b", {}, `${number(share, 1)} %`)),
    ];
    if (tally.alike) lines.push(el("p", { class: "faint" }, t("watch_alike")));
    else if (tally.elo) {
      const [elo, error] = tally.elo;
      lines.push(el("p", { class: "figure" }, el("span", {}, t("watch_elo")), el("b", {}, `${signed(elo)} ± ${number(error, 1)}`)), gauge(t("watch_elo_named", signed(elo), number(error, 1)), elo - error, elo, elo + error));
      const beside = [tally.normalized !== null ? t("watch_normalized", signed(tally.normalized)) : "", tally.superiority !== null ? t("watch_superiority", a, number(100 * tally.superiority, 1)) : ""];
      lines.push(el("p", { class: "faint" }, beside.filter(Boolean).join(" · ")));
    } else lines.push(el("p", { class: "faint" }, t("watch_no_elo")));
    lines.push(...this.ratio(tally));
    return lines;
  }

  /** The sequential test. @param {any} tally */
  ratio(tally) {
    const { test } = this.match.spec;
    if (!test || tally.llr === null) return [];
    const decided = tally.decided === null || tally.decided === undefined ? t("watch_open") : t("watch_accepted", signed(tally.decided ? test.elo1 : test.elo0));
    const text = t("watch_llr", signed(tally.llr, 2), signed(test.low, 2), signed(test.high, 2));
    return [
      el("p", { class: "figure" }, el("span", {}, "LLR"), el("b", {}, signed(tally.llr, 2)), el("span", { class: "faint" }, decided)),
      gauge(text, test.low, tally.llr, test.high, true),
      el("p", { class: "gauge-ends faint" }, el("span", {}, `${signed(test.low, 2)}: ${signed(test.elo0)} Elo`), el("span", {}, `${signed(test.high, 2)}: ${signed(test.elo1)} Elo`)),
      tally.decided === null || tally.decided === undefined ? null : el("p", { class: "faint" }, t("watch_bias")),
    ].filter(Boolean);
  }

  /** The table of a tournament. @param {any[]} rows */
  table(rows) {
    const names = this.names();
    return [el("table", { class: "score standings" }, el("caption", {}, t("watch_table")),
      el("thead", {}, el("tr", {}, ["#", t("watch_engine"), t("watch_points"), "Elo"].map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", {}, rows.map((row, place) => {
        const [w, d, l] = row.wdl;
        const elo = row.elo === null ? "–" : `${signed(row.elo)}${row.error === null ? "" : ` ± ${number(row.error, 1)}`}`;
        return el("tr", {}, el("td", {}, String(place + 1)), el("th", { scope: "row", title: t("watch_wdl", w, d, l) }, names[row.engine] ?? "?"),
          el("td", {}, `${number(w + d / 2, d % 2 ? 1 : 0)} / ${number(w + d + l)}`), el("td", {}, elo));
      })))];
  }

  /** Pairs of games by their points. @param {any} tally */
  pairs(tally) {
    const names = ["0", "½", "1", "1½", "2"];
    const all = tally.pairs.reduce((/** @type {number} */ sum, /** @type {number} */ n) => sum + n, 0);
    return el("section", { class: "panel-card" }, el("h2", {}, t("watch_pairs")), bars(tally.pairs.map((/** @type {number} */ n, /** @type {number} */ i) => [names[i], n])),
      el("p", { class: "faint" }, t("watch_pairs_note", this.names()[0], number(all))));
  }

  /** @param {any} tally */
  engines(tally) {
    const names = this.names();
    const { spec } = this.match;
    const rows = [
      ["watch_speed", tally.engines.map((/** @type {any} */ one) => (one.speed === null ? "–" : number(one.speed)))],
      ["watch_seconds", tally.engines.map((/** @type {any} */ one) => (one.seconds === null ? "–" : number(one.seconds, 3)))],
      ["watch_depth", tally.engines.map((/** @type {any} */ one) => (one.depth === null ? "–" : number(one.depth, 1)))],
      ["watch_time_losses", tally.engines.map((/** @type {any} */ one) => number(one.faults[0]))],
      ["watch_illegal", tally.engines.map((/** @type {any} */ one) => number(one.faults[1]))],
      ["watch_gone", tally.engines.map((/** @type {any} */ one) => number(one.faults[2] + one.faults[3]))],
    ];
    return el("section", { class: "panel-card" }, el("table", { class: "score engines" }, el("caption", {}, t("watch_engines")),
      el("thead", {}, el("tr", {}, el("td", {}), names.map((/** @type {string} */ name, /** @type {number} */ i) => el("th", { scope: "col", title: spec.engines[i].said }, name)))),
      el("tbody", {}, rows.map(([key, both]) => el("tr", {}, el("th", { scope: "row" }, t(/** @type {string} */ (key))), both.map((/** @type {string} */ text) => el("td", {}, text)))))));
  }

  /** @param {any} spec @param {string} state */
  paths(spec, state) {
    const { path } = this.live;
    if (path.length < 2) return null;
    const plots = [[t("watch_path_elo"), pathPlot(t("watch_path_elo"), path, 1, 2, [0])]];
    if (spec.test) plots.push([t("watch_path_llr"), pathPlot(t("watch_path_llr"), path, 3, -1, [spec.test.low, spec.test.high])]);
    return el("section", { class: "panel-card" }, el("h2", {}, t("watch_path")), plots.map(([name, plot]) => el("figure", {}, plot, el("figcaption", { class: "faint" }, name))),
      state === "running" ? el("p", { class: "faint" }, t("watch_path_note")) : null);
  }

  lastResults() {
    const { last } = this.live;
    if (!last.length) return null;
    return el("section", { class: "panel-card" }, el("h2", {}, t("watch_last")), el("ol", { class: "results" }, last.map((/** @type {any} */ one) =>
      el("li", {}, el("span", { class: "result-names" }, this.player(one, 0), " ", el("b", {}, `${points(one.over, 0)} – ${points(one.over, 1)}`), " ", this.player(one, 1)),
        el("small", { class: "faint" }, `${said(one.over.say)} ${t("plies", one.plies)}`)))));
  }

  /** The small boards: all of them, or those beside the large one. */
  showBoards() {
    const boards = this.live?.boards ?? [];
    while (this.cards.length > boards.length) this.cards.pop().node.remove();
    boards.forEach((/** @type {any} */ board, /** @type {number} */ place) => {
      const card = (this.cards[place] ??= this.card(place));
      card.show(board);
    });
    const large = this.place !== null && boards.length > 0;
    this.big.hidden = !large;
    this.moves.hidden = !large;
    this.node.classList.toggle("one-large", large);
    this.grid.classList.toggle("few", !large && boards.length <= 4);
    this.grid.hidden = large && boards.length < 2;
    this.more.textContent = !boards.length ? t("watch_waiting") : this.live.more ? t("watch_more", number(this.live.more)) : "";
    this.tick();
  }

  /** @param {number} place */
  card(place) {
    const { spec, board: info } = this.match;
    const small = new SmallBoard(info, spec.game, this.options);
    const seats = [0, 1].map((side) => new Seat(info.sides[side]));
    const foot = el("div", { class: "card-foot" });
    const node = el("a", { class: "match-card", href: `#w=${this.id}&b=${place}` }, seats[1].node, small.node, seats[0].node, foot);
    this.grid.append(node);
    const show = (/** @type {any} */ board) => {
      const key = JSON.stringify(board);
      if (card.key === key) return;
      card.key = key;
      small.show(board);
      seats.forEach((seat, side) => seat.show(this.player(board, side), board, side));
      const text = board.over ? said(board.over.say) : board.label ?? "";
      const spoken = board.over ? "" : score(board.said[1 - board.turn]);
      foot.replaceChildren(el("span", { title: text }, text), el("span", {}, spoken), el("span", { class: "faint" }, t("plies", board.ply)));
      set(small.node, { "aria-label": t("watch_board", place + 1, text) });
      set(node, { "aria-current": this.place === place ? "true" : null });
    };
    /** @type {any} */
    const card = { node, show, seats, key: "" };
    return card;
  }

  /** The large board with its moves. @param {any} scene */
  setScene(scene) {
    const before = this.scene;
    this.scene = scene;
    if (before && scene?.key !== before.key) {
      this.shot = null;
      this.wanted = -1;
    }
    if (!scene) return this.big.replaceChildren(el("p", { class: "notice" }, t("watch_waiting")));
    if (!this.board) {
      const { spec, board: info } = this.match;
      this.board = new Board({ ...info, game: spec.game, id: this.id, seat: 2 }, this.options);
      this.seats = [0, 1].map((side) => new Seat(info.sides[side]));
      this.big.replaceChildren(
        el("div", { class: "big-bar" }, el("a", { class: "button", href: `#w=${this.id}` }, t("watch_all")), info.turnable === false ? null : el("button", { type: "button", onclick: () => this.turn() }, t("turn_board"))),
        this.seats[1].node, el("div", { class: "board-place" }, this.board.node), this.seats[0].node);
    }
    // Pieces in hand lie beside the board or above and below it, as the window's width allows.
    const [, , wide, high] = this.board.node.getAttribute("viewBox").split(" ").map(Number);
    this.big.style.setProperty("--ratio", String(wide / high));
    if (!this.shot) this.board.show(scene, false);
    this.seats?.forEach((/** @type {Seat} */ seat, /** @type {number} */ side) => seat.show(this.player(scene, side), scene, side));
    this.showMoves(scene);
    if (scene.over && before && !before.over) this.app.tell(`${this.player(scene, 0)} ${points(scene.over, 0)} – ${points(scene.over, 1)} ${this.player(scene, 1)}. ${said(scene.over.say)}`);
    this.tick();
  }

  /** A former position of the large board. @param {any} message */
  setShot({ ply, scene }) {
    if (ply !== this.wanted || scene.key !== this.scene?.key) return;
    this.shot = { ...scene, rev: -1 - ply };
    this.board.show(this.shot, false);
    this.showMoves(this.scene);
  }

  /** Looks at the position after so many moves; at the last one, follows the game again. @param {number} ply */
  look(ply) {
    if (!this.scene || !this.board || ply < 0 || ply > this.scene.played.length) return;
    this.wanted = ply;
    if (ply < this.scene.played.length) return void this.app.send("at", { id: this.id, board: this.place, ply });
    this.shot = null;
    this.wanted = -1;
    this.board.show(this.scene, false);
    this.showMoves(this.scene);
  }

  turn() {
    this.board.turn();
    const [first, second] = this.board.turned ? [1, 0] : [0, 1];
    const place = this.board.node.parentElement;
    place.before(this.seats?.[second].node);
    place.after(this.seats?.[first].node);
  }

  /** @param {any} scene */
  showMoves(scene) {
    const { game } = this.match.spec;
    const first = (scene.turn + scene.played.length) % 2;
    const at = this.shot ? this.shot.ply : scene.played.length;
    const focused = document.activeElement?.getAttribute("data-ply");
    const step = (/** @type {string} */ text, /** @type {string} */ name, /** @type {number} */ ply) =>
      el("button", { type: "button", "aria-label": t(name), title: t(name), "data-ply": name, disabled: ply < 0 || ply > scene.played.length || ply === at, onclick: () => this.look(ply) }, text);
    const steps = el("div", { class: "steps", role: "group", "aria-label": t("moves") }, step("«", "first", 0), step("‹", "back", at - 1), step("›", "forward", at + 1), step("»", "last", scene.played.length));
    const rows = [];
    for (let i = -first; i < scene.played.length; i += 2) {
      const cell = (/** @type {number} */ ply) => {
        if (ply < 0 || ply >= scene.played.length) return el("span", { class: "move" }, ply < 0 ? "…" : "");
        const kind = scene.turned?.[ply];
        return el("button", { type: "button", class: `move${ply < scene.opening ? " opening" : ""}`, "data-ply": ply + 1, "aria-current": ply + 1 === at ? "step" : null, onclick: () => this.look(ply + 1) }, scene.played[ply],
          kind ? el("small", {}, ` (${t(`kind_${game}_${kind}`)})`) : null);
      };
      rows.push(el("li", {}, el("span", { class: "number" }, `${(i + first) / 2 + 1}.`), cell(i), cell(i + 1)));
    }
    const old = this.moves.querySelector(".moves");
    const place = old?.scrollTop ?? 0;
    const follows = !old || old.scrollTop + old.clientHeight >= old.scrollHeight - 40;
    const list = el("ol", { class: "moves", tabindex: "0", "aria-label": t("moves") }, rows);
    const taken = game !== "shogi" && scene.taken?.some((/** @type {any[]} */ one) => one.length)
      ? [1, 0].map((side) => el("ul", { class: "kinds", "aria-label": t("taken_by", this.player(scene, side)) }, scene.taken[side].map((/** @type {any} */ [kind, count]) =>
        el("li", {}, token(game, kind, 1 - side, this.options), el("span", { class: "unseen" }, t(`kind_${game}_${kind}`)), count > 1 ? el("span", {}, `×${count}`) : null)))) : [];
    this.moves.replaceChildren(...[
      el("h2", {}, t("watch_round", scene.round)),
      scene.over ? el("p", { class: "over" }, el("b", {}, `${points(scene.over, 0)} – ${points(scene.over, 1)}`), " ", said(scene.over.say)) : null,
      this.shot ? el("p", { class: "looking" }, t("looking_back", at), " ", el("button", { type: "button", onclick: () => this.look(scene.played.length) }, t("back_to_now"))) : null,
      steps, list, ...taken,
      scene.sound === false ? el("p", { class: "faint" }, t("watch_unsound")) : null].filter(Boolean));
    list.scrollTop = (follows || !old) && !this.shot ? list.scrollHeight : place;
    if (focused) this.moves.querySelector(`[data-ply="${focused}"]`)?.focus({ preventScroll: true });
  }

  /** Running clocks. */
  tick() {
    if (!this.live) return;
    const now = Date.now() - this.offset;
    const runs = this.live.state === "running";
    for (const card of this.cards) card.seats.forEach((/** @type {Seat} */ seat) => seat.tick(now, runs));
    this.seats?.forEach((/** @type {Seat} */ seat) => seat.tick(now, runs));
  }

  /** Another board is asked for by the address, so that the browser's back button works. @param {number | null} place */
  go(place) {
    location.hash = place === null ? `w=${this.id}` : `w=${this.id}&b=${place}`;
  }

  escape() {
    if (this.place !== null) this.go(null);
  }

  /** @param {string} key */
  shortcut(key) {
    const boards = this.live?.boards.length ?? 0;
    const step = { p: -1, n: 1 }[key];
    const at = this.shot ? this.shot.ply : this.scene?.played.length;
    const ply = { "[": at - 1, "]": at + 1, "{": 0, "}": this.scene?.played.length }[key];
    if (ply !== undefined && this.scene) this.look(ply);
    else if (step && boards) {
      this.go(((this.place ?? (step > 0 ? -1 : boards)) + step + boards) % boards);
      return true;
    }
    if (key === "f" && this.place !== null && this.board && this.match.board.turnable !== false) this.turn();
    else if (key === "e" && this.live) this.app.tell(this.summary());
    else return false;
    return true;
  }
}

/** The list of matches on the first view. */
export class Matches {
  /** @param {any} app */
  constructor(app) {
    this.app = app;
    this.node = el("section", { class: "kept matches", "aria-labelledby": "matches-title" });
    this.show([]);
    app.send("matches");
  }

  leave() {
    this.app.send("bye", { id: "matches" }, () => {});
  }

  /** @param {any[]} matches */
  show(matches) {
    const item = (/** @type {any} */ one) => {
      const [w, d, l] = one.wdl ?? [0, 0, 0];
      const names = one.names.length === 2 ? t("loaded_names", one.names[0], one.names[1]) : t("watch_tournament", one.names.length);
      const about = [t("watch_games", number(one.games), number(one.total)), one.wdl && one.games ? `+${w} =${d} −${l}` : "", one.file];
      return el("li", {}, el("a", { href: `#w=${one.id}`, class: "kept-link" },
        token(one.game, { coup: "X", go: "O" }[/** @type {string} */ (one.game)] ?? "K", 0, { style: this.app.style(one.game), lang: language() }),
        el("span", {}, el("b", {}, names), el("small", {}, about.filter(Boolean).join(" · ")), el("span", { class: `chip chip-${one.state}` }, t(`state_${one.state}`)))));
    };
    this.node.replaceChildren(el("h2", { id: "matches-title" }, t("watch_title")),
      matches.length ? el("ul", {}, matches.map(item)) : el("p", { class: "faint" }, t("watch_none")));
  }
}
