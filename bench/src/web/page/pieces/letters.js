// @ts-check
// Letters as the players of the page's language write them; side 0 has capitals, side 1 is told apart by its rim.

/** @type {Record<string, Record<string, string>>} */
const VIETNAMESE = {
  xiangqi: { K: "Tg", A: "S", B: "T", N: "M", R: "X", C: "P", P: "C" },
};

/**
 * The letters on a piece.
 * @param {"chess" | "xiangqi" | "shogi"} set
 * @param {string} kind
 * @param {string} lang
 */
export function letters(set, kind, lang) {
  const names = lang === "vi" ? VIETNAMESE[set] : undefined;
  return names?.[kind] ?? kind;
}
