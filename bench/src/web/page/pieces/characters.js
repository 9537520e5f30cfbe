// @ts-check
// The signs that stand on the pieces, per kind: side 0, side 1.

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
  "+R": ["龍", "龍"],
  "+B": ["馬", "馬"],
  "+S": ["全", "全"],
  "+N": ["圭", "圭"],
  "+L": ["杏", "杏"],
  "+P": ["と", "と"],
};

/** Whether the browser has a font with these signs: a missing one is drawn as the sign that no font has. */
export function drawable() {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 24;
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  if (!pen) return false;
  const pixels = (/** @type {string} */ sign) => {
    pen.clearRect(0, 0, 24, 24);
    pen.font = "20px sans-serif";
    pen.fillText(sign, 2, 20);
    return pen.getImageData(0, 0, 24, 24).data.join();
  };
  return pixels("帥") !== pixels("\u{10fffe}");
}
