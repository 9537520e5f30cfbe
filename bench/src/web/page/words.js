// @ts-check
// The page's language: keys to sentences.

import { keep, kept } from "./dom.js";
import { WORDS as en } from "./words/en.js";
import { WORDS as vi } from "./words/vi.js";

/** @type {Record<string, Record<string, string>>} */
const ALL = { vi, en };

let lang = kept("lang", (navigator.languages ?? [navigator.language]).some((code) => code.startsWith("vi")) ? "vi" : "en");

/** The language that the page is in. */
export const language = () => (ALL[lang] ? lang : "en");

/** @param {string} code */
export function setLanguage(code) {
  lang = code;
  keep("lang", code);
}

/** Whether there is a sentence under a key. @param {string} key */
export const known = (key) => Object.hasOwn(ALL[language()], key);

/**
 * The sentence of a key with its arguments; an unknown key as it is.
 * @param {string} key
 * @param {...any} args
 * @returns {string}
 */
export function t(key, ...args) {
  if (!known(key)) return args.length ? `${key} ${args.join(" ")}` : key;
  // An argument may be a sentence itself.
  const texts = args.map((one) => (Array.isArray(one) ? said(one) : typeof one === "number" ? plain(one) : String(one ?? "")));
  return ALL[language()][key].replace(/\{(\d)\}/g, (_, i) => texts[Number(i)] ?? "");
}

/** A number as the page's language writes it, with so many digits behind the point. @param {number} value @param {number} [digits] */
export const number = (value, digits = 0) => value.toLocaleString(language(), { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** A number within a sentence: a move's number, an Elo, points of go. @param {number} value */
const plain = (value) => value.toLocaleString(language(), { useGrouping: false });

/** A server's sentence: key and arguments. @param {any[] | null | undefined} parts @returns {string} */
export const said = (parts) => (parts?.length ? t(parts[0], ...parts.slice(1)) : "");
