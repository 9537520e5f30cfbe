// @ts-check
// What stands on the pieces: characters, per kind of side 0 and of side 1 (their strokes are in strokes.js), or letters as the
// players of the page's language write them.

/** @type {Record<string, [string, string]>} */
export const XIANGQI = {
  K: ["帥", "將"],
  A: ["仕", "士"],
  B: ["相", "象"],
  N: ["傌", "馬"],
  R: ["俥", "車"],
  C: ["炮", "砲"],
  P: ["兵", "卒"],
};

/** @type {Record<string, [string, string]>} */
export const SHOGI = {
  K: ["玉", "王"],
  R: ["飛", "飛"],
  B: ["角", "角"],
  G: ["金", "金"],
  S: ["銀", "銀"],
  N: ["桂", "桂"],
  L: ["香", "香"],
  P: ["歩", "歩"],
  "+R": ["竜", "竜"],
  "+B": ["馬", "馬"],
  "+S": ["全", "全"],
  "+N": ["圭", "圭"],
  "+L": ["杏", "杏"],
  "+P": ["と", "と"],
};

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
