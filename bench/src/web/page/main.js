// @ts-check
// The page's frame: socket, routes, settings. Views get the server's messages and send through `app.send`.

import { el, keep, kept, svg } from "./dom.js";
import { Home } from "./home.js";
import { gradients } from "./pieces.js";
import { Play } from "./play.js";
import { language, said, setLanguage, t } from "./words.js";
import { showKeys } from "./keys.js";
import { Watch } from "./watch.js";

const byId = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** What views may use of the page. */
class App {
  constructor() {
    /** @type {any} */
    this.welcome = null;
    /** @type {any[]} */
    this.games = [];
    /** @type {any} */
    this.view = null;
    this.number = 0;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.wait = 250;
    /** Whether the server refused the token: trying again is of no use. */
    this.locked = false;
    /** @type {Map<number, (message: any) => void>} */
    this.refusals = new Map();
    this.token = this.readToken();
    this.applyTheme();
    document.body.prepend(svg("svg", { class: "unseen", width: 1, height: 1, "aria-hidden": "true" }, gradients()));
    this.frame();
    addEventListener("hashchange", () => this.route());
    document.addEventListener("keydown", (event) => this.key(event));
    this.connect();
  }

  /** The token of the printed link, which then leaves the address bar. */
  readToken() {
    const found = /^#t=([\w.~-]+)/.exec(location.hash);
    if (found) {
      keep("token", found[1]);
      history.replaceState(null, "", location.pathname);
      return found[1];
    }
    return kept("token", "");
  }

  connect() {
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`);
    this.socket = socket;
    socket.onopen = () => this.send("hello", { v: 1, token: this.token, lang: language() });
    socket.onmessage = (event) => this.message(JSON.parse(event.data));
    socket.onclose = (event) => {
      if (this.socket !== socket) return;
      if (this.locked || (event.code === 1008 && !this.welcome)) return this.link("bad_token");
      if (event.code === 4001) return this.link("reload_page");
      this.link(this.welcome ? "lost_link" : "connecting");
      this.retry = setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(this.wait * 1.6, 1500);
    };
  }

  /** Connects anew, so that the server writes in another language. */
  reconnect() {
    const old = this.socket;
    clearTimeout(this.retry);
    this.socket = null;
    old?.close();
    this.connect();
  }

  /**
   * Sends a message; `refused` gets the server's `no`, otherwise it is shown.
   * @param {string} kind @param {any} [body] @param {(no: any) => void} [refused]
   */
  send(kind, body = {}, refused) {
    if (this.socket?.readyState !== WebSocket.OPEN) return -1;
    const n = ++this.number;
    if (refused) this.refusals.set(n, refused);
    if (this.refusals.size > 100) this.refusals.delete(/** @type {number} */ (this.refusals.keys().next().value));
    this.socket.send(JSON.stringify({ t: kind, n, ...body }));
    return n;
  }

  /** @param {any} message */
  message(message) {
    if (message.t === "welcome") {
      this.welcome = message;
      document.body.classList.toggle("guest", message.guest);
      this.wait = 250;
      this.link(null);
      this.send("list");
      this.route();
    } else if (message.t === "games") this.games = message.games;
    else if (message.t === "opened") return void (location.hash = `g=${message.id}`);
    else if (message.t === "file") return this.download(message);
    else if (message.t === "no") return this.refused(message);
    this.view?.message(message);
  }

  /** @param {any} no */
  refused(no) {
    if (no.code === "token") {
      this.locked = true;
      return this.link("bad_token");
    }
    const handler = this.refusals.get(no.n);
    this.refusals.delete(no.n);
    if (handler) handler(no);
    else this.toast(said(no.say) || t("no_refused", no.code));
  }

  /** @param {{name: string, text: string}} file */
  download({ name, text }) {
    const address = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
    const link = el("a", { href: address, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }

  /** Shows the view that the address names. */
  route() {
    if (!this.welcome) return;
    const id = /^#g=([\w-]+)/.exec(location.hash)?.[1];
    const [, match, board] = /^#w=([\w-]+)(?:&b=(\d+))?/.exec(location.hash) ?? [];
    const place = board === undefined ? null : Number(board);
    if (id && this.view instanceof Play && this.view.id === id) return this.view.open();
    if (match && this.view instanceof Watch && this.view.id === match) return this.view.follow(place);
    if (!id && !match && this.view instanceof Home) return this.view.open();
    this.view?.leave();
    this.view = id ? new Play(this, id) : match ? new Watch(this, match, place) : new Home(this);
    byId("view").replaceChildren(this.view.node);
    document.title = t("title");
    scrollTo(0, 0);
    if (!id && !match) this.send("list");
  }

  /** Everything anew: after a change of language or of drawings. */
  again() {
    this.frame();
    this.view?.leave();
    this.view = null;
    this.route();
  }

  /** The line about the connection. @param {string | null} key */
  link(key) {
    const line = byId("link");
    const gate = key === "bad_token" && !this.welcome;
    if (gate) byId("view").replaceChildren(el("div", { class: "gate", role: "alert" }, el("h1", {}, t("gate_title")), el("p", {}, t("gate_help"))));
    line.hidden = key === null || gate;
    line.textContent = key ? t(key) : "";
    document.body.classList.toggle("offline", key !== null);
  }

  /** A short message that goes by itself. @param {string} text */
  toast(text) {
    const line = byId("toast");
    line.textContent = text;
    line.hidden = false;
    clearTimeout(this.gone);
    this.gone = setTimeout(() => (line.hidden = true), 6000);
  }

  /** Tells screen readers. @param {string} text */
  tell(text) {
    byId("live").textContent = text;
  }

  applyTheme() {
    document.documentElement.dataset.theme = kept("theme", "auto");
    document.documentElement.lang = language();
  }

  /** How pieces of a game are drawn. @param {string} game */
  style(game) {
    const chosen = kept("style", "auto");
    if (game === "chess") return chosen === "letters" ? "letters" : "pictures";
    return chosen === "auto" ? "characters" : chosen;
  }

  /** Header with the way home and the settings. */
  frame() {
    const option = (/** @type {string} */ name, /** @type {string} */ fallback, /** @type {string[]} */ values, /** @type {() => void} */ changed) =>
      el("label", {}, el("span", {}, t(name)),
        el("select", { onchange: (/** @type {any} */ event) => (keep(name === "pieces" ? "style" : name, event.target.value), changed()) },
          values.map((value) => el("option", { value, selected: kept(name === "pieces" ? "style" : name, fallback) === value }, t(`${name === "pieces" ? "style" : name}_${value}`)))));
    const other = language() === "vi" ? "en" : "vi";
    const switchLanguage = () => {
      setLanguage(other);
      this.applyTheme();
      this.again();
      this.reconnect();
    };
    const single = el("input", { type: "checkbox", checked: kept("keys", "on") === "on", onchange: (/** @type {any} */ event) => keep("keys", event.target.checked ? "on" : "off") });
    const settings = el("details", { class: "settings" }, el("summary", { "aria-label": t("settings"), title: t("settings") }, "⚙"),
      el("div", { class: "menu" },
        option("theme", "auto", ["auto", "light", "dark", "contrast"], () => this.applyTheme()),
        option("pieces", "auto", ["auto", "characters", "letters", "pictures"], () => this.again()),
        el("label", { class: "tick" }, single, el("span", {}, t("single_keys"))),
        el("button", { type: "button", onclick: () => showKeys() }, t("shortcuts"))));
    byId("top").replaceChildren(
      el("a", { href: "#", class: "brand", title: t("home") }, el("span", { class: "brand-mark", "aria-hidden": "true" }), "Ngũ Kỳ"),
      el("nav", { "aria-label": t("settings") },
        el("a", { href: "#", class: "quiet-link" }, t("home")),
        el("button", { type: "button", class: "quiet", lang: other, onclick: switchLanguage }, other === "vi" ? "Tiếng Việt" : "English"),
        settings));
  }

  /** Single-key shortcuts, outside text fields. @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.key === "Escape") {
      /** @type {any} */ (document.querySelector("details.settings"))?.removeAttribute("open");
      this.view?.escape?.();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || kept("keys", "on") !== "on") return;
    if (target.closest?.("input, select, textarea, dialog")) return;
    if (event.key === "?") showKeys();
    else if (!this.view?.shortcut?.(event.key)) return;
    event.preventDefault();
  }
}

new App();
