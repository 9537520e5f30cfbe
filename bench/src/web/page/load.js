// @ts-check
// Records from a file or from pasted text: sent to the server, which makes a game of one.

import { el } from "./dom.js";
import { dialog } from "./keys.js";
import { said, t } from "./words.js";

/** Longest text that the server takes, in bytes, with room for the message around it. */
const LARGEST = 1_000_000;
/** Encodings of records that are not UTF-8: shogi's programs, and all others. */
const OLD = [/\.(kif|kifu|csa|ki2)$/i, "shift_jis", "gb18030"];

export class Load {
  /** @param {any} app */
  constructor(app) {
    this.app = app;
    this.text = el("textarea", { id: "record", rows: 3, spellcheck: "false", autocomplete: "off" });
    const file = el("input", { type: "file", id: "record-file", accept: ".pgn,.kif,.kifu,.csa,.sgf,.json,.txt", onchange: () => this.file(file.files?.[0]) });
    this.node = el("section", { class: "load", "aria-labelledby": "load-title" },
      el("h2", { id: "load-title" }, t("load_record")), el("p", { class: "faint" }, t("load_help")),
      el("div", { class: "load-file" }, el("label", { for: "record-file" }, t("load_file")), file),
      el("form", { onsubmit: (/** @type {Event} */ event) => (event.preventDefault(), this.send(this.text.value, "")) },
        el("label", { for: "record" }, t("load_paste")), this.text, el("button", { type: "submit" }, t("load_open"))));
    this.node.addEventListener("dragover", (/** @type {DragEvent} */ event) => event.preventDefault());
    this.node.addEventListener("drop", (/** @type {DragEvent} */ event) => {
      event.preventDefault();
      this.file(event.dataTransfer?.files[0]);
    });
  }

  /** Reads a file: as UTF-8, else in the encoding of older programs. @param {File | undefined} file */
  async file(file) {
    if (!file) return;
    if (file.size > LARGEST) return this.app.toast(t("no_too_big"));
    const bytes = await file.arrayBuffer();
    let text;
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      const [shogi, first, other] = OLD;
      text = new TextDecoder(/** @type {string} */ (/** @type {RegExp} */ (shogi).test(file.name) ? first : other)).decode(bytes);
    }
    this.send(text, file.name);
  }

  /** @param {string} text @param {string} name */
  send(text, name) {
    if (!text.trim()) return;
    if (new TextEncoder().encode(JSON.stringify(text)).length > LARGEST) return this.app.toast(t("no_too_big"));
    this.app.send("load", { text, name });
  }

  /** A file of many games: one is chosen. @param {any} message */
  choose({ games, damaged }) {
    const item = (/** @type {any} */ game) => el("li", {}, el("button", { type: "button", onclick: () => (node.close(), this.app.send("pick", { number: game.number })) },
      el("b", {}, t("loaded_names", game.names[0] || "?", game.names[1] || "?")), " ",
      el("small", {}, [game.result, t("plies", game.plies), game.event, game.date].filter(Boolean).join(" · "))));
    const faults = damaged.length ? el("p", { class: "faint" }, said(damaged[0])) : "";
    const node = dialog(t("load_choose"), [el("ul", { class: "records" }, games.map(item)), faults, el("button", { type: "button", onclick: () => node.close() }, t("close"))]);
  }
}
