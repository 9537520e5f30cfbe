// @ts-check
// The seal of a game of cờ úp: the digest given before move 1 against the one of what was opened after the end.

import { token } from "./board.js";
import { el } from "./dom.js";
import { dialog } from "./keys.js";
import { language, t } from "./words.js";

/** The SHA-256 of a text in hex, or null where the browser does not compute it. @param {string} text */
async function digestOf(text) {
  if (!globalThis.crypto?.subtle) return null;
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Shows both digests and all the faces.
 * @param {any} seal the server's `seal` message
 * @param {any} open the server's `open` message
 * @param {string} style
 */
export async function showSeal(seal, open, style) {
  const id = open.id;
  const text = `${open.salt}\n${id}\n${open.faces}`;
  const computed = await digestOf(text);
  const same = computed !== null && computed === seal.digest;
  const verdict = computed === null ? t("seal_no_crypto", `printf '%s\\n%s\\n%s' '${open.salt}' '${id}' '${open.faces}' | sha256sum`) : t(same ? "seal_same" : "seal_differs");
  // The faces are rows from the top, letters for pieces, figures for empty points.
  const drawn = [...String(open.faces)].flatMap((sign) => {
    if (/[a-z]/i.test(sign)) return [token("coup", sign.toUpperCase(), sign === sign.toUpperCase() ? 0 : 1, { style: /** @type {any} */ (style), lang: language() })];
    return /\d/.test(sign) ? Array.from({ length: Number(sign) }, () => el("span")) : [];
  });
  const node = dialog(t("seal_title"), [
    el("p", { class: same ? "seal-same" : "seal-differs", role: "status" }, `${same ? "✓ " : ""}${verdict}`),
    el("dl", { class: "digests" }, el("dt", {}, t("seal_before")), el("dd", {}, seal.digest), el("dt", {}, t("seal_after")), el("dd", {}, computed ?? "?")),
    el("h3", {}, t("seal_faces")),
    el("p", { class: "faces", "aria-label": open.faces, role: "img" }, drawn),
    el("button", { type: "button", class: "main", onclick: () => node.close() }, t("close")),
  ]);
}
