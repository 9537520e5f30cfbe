// @ts-check
// Dialogs: the list of shortcuts, questions.

import { el } from "./dom.js";
import { t } from "./words.js";

/**
 * Opens a dialog that goes away when it is closed.
 * @param {string} title
 * @param {any[]} content
 * @returns {HTMLDialogElement}
 */
export function dialog(title, content) {
  const node = el("dialog", { "aria-label": title }, el("h2", {}, title), content);
  node.addEventListener("close", () => node.remove());
  node.addEventListener("click", (/** @type {MouseEvent} */ event) => event.target === node && node.close());
  document.body.append(node);
  node.showModal();
  return node;
}

/**
 * Asks to choose one of several answers.
 * @template T
 * @param {string} title
 * @param {[any, T][]} answers what is shown and what it stands for
 * @param {(answer: T) => void} chosen
 */
export function ask(title, answers, chosen) {
  const buttons = answers.map(([text, value], index) =>
    el("button", { type: "button", class: index === 0 ? "main" : "", onclick: () => (node.close(), chosen(value)) }, text));
  const node = dialog(title, [el("div", { class: "answers" }, buttons)]);
}

/** The list of shortcuts. */
export function showKeys() {
  if (document.querySelector("dialog[open]")) return;
  const list = ["board", "looking", "turn", "hint", "type", "think", "owner", "marks", "watch", "say", "help"].map((name) => el("li", {}, t(`keys_${name}`)));
  const node = dialog(t("shortcuts"), [el("ul", { class: "keys" }, list), el("button", { type: "button", class: "main", onclick: () => node.close() }, t("close"))]);
}
