// @ts-check
// The first view: a new game, and the games that are kept.

import { token } from "./board.js";
import { el, keep, kept } from "./dom.js";
import { ask } from "./keys.js";
import { Load } from "./load.js";
import { Matches } from "./watch.js";
import { known, language, t } from "./words.js";

/** The pieces on each game's card: kind and side. @type {Record<string, [string, number][]>} */
const CARDS = {
  coup: [["X", 0], ["C", 0], ["X", 1]],
  xiangqi: [["R", 0], ["K", 0], ["N", 1]],
  chess: [["N", 1], ["K", 0], ["Q", 1]],
  shogi: [["P", 0], ["K", 0], ["+R", 0]],
  go: [["O", 0], ["O", 1], ["O", 0]],
};

/** So many kept games are listed at first. */
const FEW = 6;

export class Home {
  /** @param {any} app */
  constructor(app) {
    this.app = app;
    const games = app.welcome.games.map((/** @type {any} */ game) => game.game);
    this.chosen = kept("game", language() === "vi" ? "coup" : "chess");
    if (!games.includes(this.chosen)) this.chosen = games[0];
    this.form = el("form", { class: "form", onsubmit: (/** @type {Event} */ event) => this.start(event) });
    this.all = false;
    this.list = el("section", { class: "kept", "aria-labelledby": "kept-title" });
    /** Who has the link to watch begins nothing. */
    this.guest = app.welcome.guest;
    this.load = new Load(app);
    this.matches = new Matches(app);
    this.node = el("div", { class: "home" },
      el("section", { class: "choose" }, el("h1", {}, t(this.guest ? "guest" : "tagline")), this.guest ? el("p", { class: "faint" }, t("guest_help")) : [this.cards(), this.form]),
      el("div", { class: "lists-beside" }, this.list, this.matches.node), this.guest ? null : this.load.node);
    this.fill();
    this.showList();
  }

  /** After a reconnection the server knows nothing of what this view listens to. */
  open() {
    this.app.send("matches");
  }

  leave() {
    this.matches.leave();
  }

  /** @param {any} message */
  message(message) {
    if (message.t === "games") this.showList();
    else if (message.t === "matches") this.matches.show(message.matches);
    else if (message.t === "records") this.load.choose(message);
  }

  cards() {
    const order = ["coup", "xiangqi", "chess", "shogi", "go"].filter((game) => this.facts(game));
    return el("fieldset", { class: "cards" }, el("legend", { class: "unseen" }, t("choose_game")),
      order.map((game) =>
        el("label", { class: `card card-${game}` },
          el("input", { type: "radio", name: "game", value: game, checked: game === this.chosen, onchange: () => this.choose(game) }),
          el("span", { class: "card-art" }, CARDS[game].map(([kind, side]) => token(game, kind, side, { style: this.app.style(game), lang: language() }))),
          el("span", { class: "card-name" }, t(`game_${game}`)),
          el("span", { class: "card-about" }, t(`about_${game}`)))));
  }

  /** What the server says of a game. @param {string} game */
  facts(game) {
    return this.app.welcome.games.find((/** @type {any} */ known) => known.game === game);
  }

  /** @param {string} game */
  choose(game) {
    this.chosen = game;
    keep("game", game);
    this.fill();
  }

  /** The fields of the chosen game. */
  fill() {
    const facts = this.facts(this.chosen);
    const sides = facts.sides.map((/** @type {string} */ side) => t(`side_${side}`));
    const radio = (/** @type {string} */ name, /** @type {any} */ value, /** @type {boolean} */ on, /** @type {string} */ text, label = text) =>
      el("label", { class: "pill" }, el("input", { type: "radio", name, value, checked: on, "aria-label": label }), el("span", {}, text));
    const level = Number(kept("level", "3"));
    const levels = facts.levels.map((/** @type {any} */ one) =>
      radio("level", one.level, one.level === level, String(one.level), this.levelText(one)));
    const chosen = el("small", { class: "faint" });
    const show = () => {
      const on = /** @type {HTMLInputElement | null} */ (this.form.querySelector("input[name=level]:checked"));
      const one = facts.levels.find((/** @type {any} */ one) => String(one.level) === on?.value);
      chosen.textContent = one ? this.levelText(one) : "";
    };
    const value = (/** @type {any} */ rule, /** @type {any} */ one) => [`value_${rule.name}_${one}`, `value_${one}`].filter(known).map((key) => t(key))[0] ?? String(one);
    const select = (/** @type {any} */ rule) =>
      el("label", { class: "field" }, el("span", {}, known(`rule_${rule.name}`) ? t(`rule_${rule.name}`) : rule.name),
        Array.isArray(rule.values) && rule.values.length
          ? el("select", { name: `rule:${rule.name}` }, rule.values.map((/** @type {any} */ one) => el("option", { value: one, selected: String(one) === String(rule.value) }, value(rule, one))))
          : el("input", { name: `rule:${rule.name}`, value: rule.value ?? "", inputmode: "numeric" }));
    const go = facts.sizes?.length > 0;
    const option = (/** @type {any} */ value, /** @type {string} */ text) => el("option", { value }, text);
    const given = (/** @type {any} */ one) => t("handicap_of", sides[one.side], t(`handicap_${this.chosen}_${one.name}`));
    const handicaps = [option("", t("handicap_none")),
      ...(go ? [2, 3, 4, 5, 6, 7, 8, 9].map((n) => option(n, t("handicap_stones", n))) : facts.handicaps.map((/** @type {any} */ one) => option(one.setup, given(one))))];
    this.form.replaceChildren(
      el("h2", {}, t(`game_${this.chosen}`)),
      el("div", { class: "form-part" }, go ? el("fieldset", {}, el("legend", {}, t("size")), el("div", { class: "pills" }, facts.sizes.map((/** @type {number} */ size) => radio("size", size, size === facts.sizes[0], `${size}×${size}`)))) : "",
      el("fieldset", {}, el("legend", {}, t("opponent")), el("div", { class: "pills" },
        [0, 1, 2].map((seat) => radio("seat", seat, seat === 0, t(`seat_${seat}`, sides[seat] ?? ""))))),
      el("fieldset", {}, el("legend", {}, t("level"), " ", el("small", {}, t("level_text"))), el("div", { class: "pills levels", onchange: show }, levels), chosen)),
      el("div", { class: "form-part" }, facts.seals ? el("label", { class: "tick" }, el("input", { type: "checkbox", name: "sealed", checked: true }), el("span", {}, el("b", {}, t("sealed")), el("small", {}, t("sealed_help")))) : "",
      handicaps.length > 1 ? el("label", { class: "field" }, el("span", {}, t("handicap")), el("select", { name: "handicap" }, handicaps)) : "",
      el("details", { class: "more" }, el("summary", {}, t("more_rules")),
        facts.rules.map(select),
        go ? el("label", { class: "field" }, el("span", {}, t("komi")), el("input", { name: "komi", inputmode: "decimal" })) : "",
        go ? "" : el("label", { class: "field" }, el("span", {}, t("setup")), el("input", { name: "setup", maxlength: 300, spellcheck: "false", autocomplete: "off" })))),
      el("button", { class: "main start", type: "submit" }, t("start")));
    if (!this.form.querySelector("input[name=level]:checked")) this.form.querySelector("input[name=level]")?.setAttribute("checked", "");
    show();
  }

  /** A level with its strength: a rank in go, Elo elsewhere. @param {any} one */
  levelText(one) {
    if (!one.elo) return t("level_full", one.level);
    return t(one.rank ? "level_rank" : "level_elo", one.level, one.rank ?? one.elo);
  }

  /** @param {Event} event */
  start(event) {
    event.preventDefault();
    const data = new FormData(this.form);
    const facts = this.facts(this.chosen);
    /** @type {Record<string, string>} */
    const rules = {};
    for (const rule of facts.rules) {
      const value = data.get(`rule:${rule.name}`);
      if (value !== null && String(value) !== String(rule.value)) rules[rule.name] = String(value);
    }
    keep("level", String(data.get("level") ?? "3"));
    /** @type {any} */
    const wish = { game: this.chosen, rules, seat: Number(data.get("seat")), level: Number(data.get("level")) };
    if (data.get("size")) wish.size = Number(data.get("size"));
    const komi = String(data.get("komi") ?? "").trim().replace(",", ".");
    if (komi) wish.komi = Number(komi);
    const handicap = String(data.get("handicap") ?? "");
    if (handicap && data.get("size")) wish.handicap = Number(handicap);
    const setup = String(data.get("setup") ?? "").trim() || (wish.handicap ? "" : handicap);
    if (setup) wish.setup = setup;
    if (facts.seals) wish.sealed = data.get("sealed") !== null;
    this.app.send("new", wish);
  }

  showList() {
    const games = this.app.games;
    this.list.replaceChildren(
      el("h2", { id: "kept-title" }, t(this.guest ? "shared_games" : "kept_games")),
      games.length ? el("ul", {}, games.slice(0, this.all ? games.length : FEW).map((/** @type {any} */ game) => this.item(game))) : el("p", { class: "faint" }, t("no_games")),
      games.length > FEW && !this.all ? el("button", { type: "button", class: "kept-more", onclick: () => this.showAll() }, t("all_games", games.length)) : "");
  }

  showAll() {
    this.all = true;
    this.showList();
    /** @type {HTMLElement | undefined} */ (this.list.querySelectorAll(".kept-link")[FEW])?.focus();
  }

  /** @param {any} game */
  remove(game) {
    ask(t("sure_delete", t("kept_line", t(`game_${game.game}`), game.ply)), [[t("no"), false], [t("yes"), true]], (yes) => yes && this.app.send("delete", { id: game.id }));
  }

  /** @param {any} game */
  item(game) {
    const end = game.over && (this.guest || game.seat > 1 ? t("kept_points", ...game.over)
      : game.over[0] === game.over[1] ? t("kept_drawn") : game.over[game.seat] > 0.5 ? t("kept_won") : t("kept_lost"));
    const at = new Date(game.at * 1000);
    const when = at.toDateString() === new Date().toDateString() ? at.toLocaleTimeString(language(), { timeStyle: "short" }) : at.toLocaleDateString(language(), { dateStyle: "short" });
    const kind = { coup: "X", go: "O" }[/** @type {string} */ (game.game)] ?? "K";
    return el("li", {},
      el("a", { href: `#g=${game.id}`, class: "kept-link" },
        token(game.game, kind, 0, { style: this.app.style(game.game), lang: language() }),
        el("span", {}, el("span", { class: "kept-head" }, el("b", {}, t("kept_line", t(`game_${game.game}`), game.ply)), el("small", {}, when)),
          el("small", {}, el("span", { class: "go-on" }, t(this.guest ? "watch" : game.over ? "look_at" : "go_on")), " · ", [game.names ? t("loaded_names", game.names[0] || "?", game.names[1] || "?") : null, end, game.names ? null : t("level_n", game.level), game.sealed ? t("kept_sealed") : null].filter(Boolean).join(" · ")))),
      this.guest ? null : el("button", { type: "button", class: "quiet", "aria-label": `${t("delete_game")}: ${t("kept_line", t(`game_${game.game}`), game.ply)}`, onclick: () => this.remove(game) }, "✕"));
  }
}
