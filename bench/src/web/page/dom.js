// @ts-check
// Elements made one by one: the page's Content-Security-Policy allows no parsing of markup.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Record<string, any>} Attributes */

/**
 * Sets attributes; `on*` functions become listeners, `false`, `null` and `undefined` remove.
 * @template {Element} T
 * @param {T} node
 * @param {Attributes} attributes
 * @returns {T}
 */
export function set(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (value === false || value === null || value === undefined) node.removeAttribute(name);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  return node;
}

/**
 * An HTML element with attributes and children (nodes or text; `null` is left out).
 * @param {string} tag
 * @param {Attributes} [attributes]
 * @param {...any} children
 * @returns {HTMLElement & any}
 */
export function el(tag, attributes = {}, ...children) {
  const node = set(document.createElement(tag), attributes);
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/**
 * An SVG element.
 * @param {string} tag
 * @param {Attributes} [attributes]
 * @param {...any} children
 * @returns {SVGElement & any}
 */
export function svg(tag, attributes = {}, ...children) {
  const node = set(/** @type {any} */ (document.createElementNS(SVG, tag)), attributes);
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/**
 * What the browser kept under a name for this page; storage may be switched off.
 * @param {string} name
 * @param {string} otherwise
 */
export function kept(name, otherwise) {
  try {
    return localStorage.getItem(`nguky.${name}`) ?? otherwise;
  } catch {
    return otherwise;
  }
}

/**
 * Keeps a text under a name, where the browser lets us.
 * @param {string} name
 * @param {string} value
 */
export function keep(name, value) {
  try {
    localStorage.setItem(`nguky.${name}`, value);
  } catch {
    // The setting then lasts as long as the page.
  }
}
