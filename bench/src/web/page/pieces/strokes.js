// @ts-check
// The signs on the pieces as strokes of our own, so that no font of Chinese characters is needed: the middle of each stroke in
// a box of 100 by 100, first the strokes that lie, then all others. A brush drawn along them gives the outlines.

/** @type {Record<string, [string, string]>} */
export const STROKES = {
  // Xiangqi.
  帥: ["M15 23H40M15 49H40M15 62H40M15 87H40M55 30H89", "M30 6C28 12 25 17 22 22M15 22V92M40 23V49M40 62V87M55 30V76M89 30V66C89 73 85 75 78 73M72 7V95"],
  將: ["M12 43H30M7 60H30M59 14H85M41 64H95", "M12 14V43M30 6V95M19 60C19 74 15 85 7 93M63 5C58 16 51 25 41 33M85 14C79 32 64 46 43 55M59 22L68 29M51 32L60 39M79 54V86C79 93 73 95 65 92M51 72L59 81"],
  仕: ["M36 42H95M42 88H90", "M30 8C26 24 18 38 7 49M21 37V94M66 9V88"],
  士: ["M10 42H90M24 88H76", "M50 9V88"],
  相: ["M7 31H46M56 15H89M56 39H89M56 62H89M56 87H89", "M27 8V95M27 33C23 50 16 62 6 71M29 42L44 57M56 15V92M89 15V92"],
  象: ["M35 15H64M22 30H78M22 48H78", "M40 6C35 16 27 24 16 31M64 15C61 21 57 26 53 30M22 30V48M78 30V48M50 30V48C40 56 27 61 11 64M43 55C60 62 66 80 54 92C51 95 47 93 43 91M53 62C43 71 29 77 11 81M59 75C48 85 33 90 15 94M83 54C77 60 70 64 61 67M61 66C69 77 79 85 93 90"],
  俥: ["M38 20H91M43 34H85M43 49H85M43 64H85M33 79H96", "M27 8C23 22 16 36 6 46M18 35V94M43 34V64M85 34V64M64 6V96"],
  車: ["M16 20H84M22 34H78M22 49H78M22 64H78M6 79H94", "M22 34V64M78 34V64M50 6V96"],
  傌: ["M45 13H89M45 27H84M45 41H84M45 56H92", "M27 8C23 22 16 36 6 46M18 35V94M45 13V56M65 13V56M92 56C92 76 91 88 86 92C83 94 79 92 75 90M40 68C40 77 38 84 34 90M51 69L54 82M64 68L67 80M76 67L81 77"],
  馬: ["M26 12H80M26 27H75M26 42H75M26 58H87", "M26 12V58M50 12V58M87 58C87 78 86 89 80 93C76 95 71 92 66 90M17 69C17 78 14 86 9 92M33 71L37 86M49 70L54 84M65 68L71 80"],
  炮: ["M57 22H89M51 40H74M51 58H74M64 92H84", "M10 32C13 39 13 46 11 52M44 26C42 34 38 41 33 46M26 7C28 50 24 74 7 93M28 58C35 66 39 74 41 83M60 7C56 20 49 32 40 40M89 22C89 46 88 62 84 68C81 72 77 70 72 68M74 40V58M51 40V79C51 89 55 92 64 92M84 92C91 92 93 88 93 78"],
  砲: ["M6 16H42M15 52H37M15 82H37M58 22H90M53 40H75M53 58H75M66 92H85", "M24 16C21 38 14 54 5 65M15 52V88M37 52V88M61 7C57 20 51 31 43 39M90 22C90 46 89 62 85 68C82 72 78 70 73 68M75 40V58M53 40V79C53 89 57 92 66 92M85 92C92 92 94 88 94 78"],
  兵: ["M29 37H76M7 64H93", "M70 7C60 13 46 18 29 19M29 19V64M57 37V64M36 71C32 81 24 88 13 94M63 71C72 78 80 86 87 94"],
  卒: ["M11 21H89M7 68H93", "M50 6V21M32 26C30 40 22 51 9 58M30 39C34 45 39 50 44 53M68 26C66 40 59 51 48 58M67 38C72 46 80 53 91 57M50 57V96"],
  楚: ["M8 22H46M54 22H93M16 55H83M50 72H77", "M27 6V48M27 24C22 34 15 41 6 46M29 29L40 39M73 6V48M73 24C68 34 61 41 52 46M75 27C80 35 87 41 95 46M83 55C82 60 80 64 76 67M50 55V91M28 66C26 78 20 87 8 95M27 79C37 90 52 93 94 92"],
  河: ["M32 18H95M40 39H64M40 63H64", "M12 12L23 20M6 34L17 42M8 91L23 61M82 18V82C82 91 77 93 67 90M40 39V68M64 39V68"],
  漢: ["M33 18H95M52 29H76M42 40H87M42 55H87M39 67H91M34 79H96", "M12 12L23 20M6 34L17 42M8 91L23 61M52 7V29M76 7V29M42 40V55M87 40V55M64 29V79M62 79C57 87 47 92 33 95M66 79C73 87 83 92 95 95"],
  界: ["M22 11H78M22 28H78M22 45H78", "M22 11V45M78 11V45M50 11V45M47 47C38 57 24 64 6 69M53 47C62 57 76 64 94 69M38 64C37 79 32 89 20 96M64 64V96"],
  // Shogi.
  王: ["M14 16H86M20 50H80M8 88H92", "M50 16V88"],
  玉: ["M14 16H86M20 50H80M8 88H92", "M50 16V88M65 63L76 75"],
  飛: ["M14 13H60M6 60H54M50 52H64", "M34 27C28 33 20 37 9 39M24 36C25 62 20 80 7 93M44 24V95M60 13C61 31 70 42 87 41C91 40 92 37 92 31M87 10C81 16 75 19 67 21M70 23C77 25 82 28 87 32M64 52C65 74 73 89 88 89C92 88 93 85 93 78M90 52C84 59 77 63 69 65M71 67C78 70 83 74 88 79"],
  竜: ["M16 18H84M6 39H94M23 52H77M23 67H77M23 82H77M62 95H84", "M50 5V18M32 24L37 38M68 24L63 38M23 52V82M77 52V82M50 45V84C50 92 54 95 62 95M84 95C91 95 93 91 93 85"],
  角: ["M37 14H64M22 32H80M22 50H80M21 68H80", "M41 4C35 17 26 26 13 34M64 14C62 21 58 27 53 32M22 32C23 64 19 82 7 95M80 32V84C80 93 74 95 64 92M51 32V68"],
  金: ["M30 43H70M17 61H83M8 91H92", "M50 6C41 22 26 35 7 45M50 6C60 22 75 35 93 45M50 43V91M29 68L36 83M72 67L64 83"],
  銀: ["M16 39H41M9 55H46M60 14H86M60 31H86M60 48H86", "M28 6C23 18 15 28 5 36M28 6C33 15 39 22 48 28M28 39V86M14 63L19 77M42 62L36 76M6 91L48 83M60 14V88M86 14V48M60 90L76 83M69 48C73 66 81 81 95 92M92 58C88 63 83 67 77 69"],
  成: ["M21 27H90M21 49H44", "M21 27C22 60 19 80 8 94M44 49V73C44 80 39 81 33 79M57 6C59 46 69 78 86 91C91 94 93 88 94 79M83 43C75 64 63 80 47 91M72 8L82 17"],
  全: ["M27 48H73M29 68H71M10 91H90", "M50 6C41 22 26 35 7 45M50 6C60 22 75 35 93 45M50 48V91"],
  桂: ["M6 31H43M53 25H90M47 47H95M53 69H90M46 92H96", "M25 8V95M25 33C22 50 14 62 5 71M28 42L42 56M71 8V47M71 55V92"],
  圭: ["M22 23H78M11 46H89M22 69H78M7 92H93", "M50 6V46M50 54V92"],
  香: ["M8 31H92M29 63H71M29 77H71M29 92H71", "M72 6C58 12 42 15 22 17M50 14V57M47 33C38 46 26 54 8 60M53 33C62 46 74 54 92 60M29 63V96M71 63V96"],
  杏: ["M10 25H90M27 68H73M27 91H73", "M50 5V59M48 27C39 41 26 50 8 57M52 27C61 41 74 50 92 57M27 68V95M73 68V95"],
  歩: ["M50 24H79M7 46H93", "M50 6V46M27 19V46M50 46V78C50 84 46 86 40 83M29 56C27 66 21 74 11 81M67 56L82 68M86 62C74 82 52 92 19 96"],
  と: ["", "M34 9C35 27 40 42 47 50M83 27C50 43 25 56 26 72C28 89 55 92 87 88"],
};

/** @typedef {[number, number]} Point */

/** The points of a path of M, L, H, V and C, stroke by stroke. @param {string} d @returns {Point[][]} */
function strokesOf(d) {
  /** @type {Point[][]} */
  const all = [];
  let [x, y] = [0, 0];
  for (const [, command, list] of d.matchAll(/([MLHVC])([^MLHVC]*)/g)) {
    const n = list.trim().split(/[\s,]+/).map(Number);
    const stroke = all[all.length - 1];
    if (command === "M") all.push([[n[0], n[1]]]);
    else if (command === "C") {
      for (let i = 0; i < n.length; i += 6) {
        const [from, [a, b, c, e, f, g]] = [[x, y], n.slice(i, i + 6)];
        for (let k = 1; k <= 10; k++) {
          const [u, v] = [k / 10, 1 - k / 10];
          stroke.push([v ** 3 * from[0] + 3 * v * v * u * a + 3 * v * u * u * c + u ** 3 * f, v ** 3 * from[1] + 3 * v * v * u * b + 3 * v * u * u * e + u ** 3 * g]);
        }
        [x, y] = [f, g];
      }
    } else for (let k = 1; k <= 8; k++) stroke.push(command === "H" ? [x + ((n[0] - x) * k) / 8, y] : command === "V" ? [x, y + ((n[0] - y) * k) / 8] : [x + ((n[0] - x) * k) / 8, y + ((n[1] - y) * k) / 8]);
    [x, y] = all[all.length - 1].slice(-1)[0];
  }
  return all;
}

/** Cuts a stroke at its corners. @param {Point[]} stroke */
function corners(stroke) {
  const parts = [[stroke[0]]];
  for (let i = 1; i < stroke.length; i++) {
    parts[parts.length - 1].push(stroke[i]);
    if (i + 1 === stroke.length) break;
    const [a, b, c] = [stroke[i - 1], stroke[i], stroke[i + 1]];
    const turn = Math.abs(Math.atan2((b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]), (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1])));
    if (turn > 0.7) parts.push([b]);
  }
  return parts;
}

/**
 * How wide a brush draws along a stroke, as a share of the whole width: lying strokes are thin and end in a press, those that
 * fall to the left run out, those to the right swell, hooks end in a point.
 * @param {number} t 0 at the beginning, 1 at the end @param {number} length @param {Point} end the direction at the end
 */
function pressure(t, length, [dx, dy]) {
  if (dy < -0.3) return 1 - 0.75 * t;
  if (length < 21 && dy > 0.2) return dx < -0.2 ? 1.05 - 0.6 * t : 0.62 + 0.58 * t;
  if (dx < -0.25 && dy > -0.2) return t < 0.35 ? 1 : 1 - 0.72 * ((t - 0.35) / 0.65) ** 1.2;
  if (dx > 0.45 && dy > 0.3) return t < 0.8 ? 0.6 + 0.68 * (t / 0.8) : 1.28 - 0.7 * ((t - 0.8) / 0.2);
  return t > 0.85 ? 1 + 0.35 * (t - 0.85) : t < 0.1 ? 1.05 - 0.5 * t : 1;
}

/** The outline of one part of a stroke. @param {Point[]} points @param {number} width @param {boolean} last */
function outline(points, width, last) {
  const steps = points.slice(1).map((p, i) => Math.hypot(p[0] - points[i][0], p[1] - points[i][1]));
  const length = steps.reduce((sum, one) => sum + one, 0);
  const direction = (/** @type {number} */ i) => {
    const [a, b] = [points[Math.max(0, i - 1)], points[Math.min(points.length - 1, i + 1)]];
    const far = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
    return /** @type {Point} */ ([(b[0] - a[0]) / far, (b[1] - a[1]) / far]);
  };
  const end = direction(points.length - 1);
  const [left, right, round] = [/** @type {string[]} */ ([]), /** @type {string[]} */ ([]), /** @type {string[]} */ ([])];
  let gone = 0;
  points.forEach((p, i) => {
    gone += i ? steps[i - 1] : 0;
    const [dx, dy] = direction(i);
    const half = 0.5 * width * (0.66 + 0.34 * Math.abs(dy)) * (last ? pressure(gone / length, length, end) : 1);
    left.push(`${(p[0] + dy * half).toFixed(1)} ${(p[1] - dx * half).toFixed(1)}`);
    right.unshift(`${(p[0] - dy * half).toFixed(1)} ${(p[1] + dx * half).toFixed(1)}`);
    const r = half.toFixed(1);
    if (i === 0 || i === points.length - 1) round.push(`M${(p[0] - half).toFixed(1)} ${p[1].toFixed(1)}a${r} ${r} 0 1 1 ${(2 * half).toFixed(1)} 0a${r} ${r} 0 1 1 ${(-2 * half).toFixed(1)} 0z`);
  });
  // All parts run the same way round, so that none cuts a hole into another.
  return `M${left.join("L")}L${right.join("L")}z${round.join("")}`;
}

/** The outlines of all signs, each as one path to be filled (rule: nonzero). @returns {[string, string][]} */
export function outlines() {
  return Object.entries(STROKES).map(([sign, both]) => {
    const strokes = both.flatMap((d) => strokesOf(d));
    const ink = strokes.reduce((sum, stroke) => sum + stroke.slice(1).reduce((all, p, i) => all + Math.hypot(p[0] - stroke[i][0], p[1] - stroke[i][1]), 0), 0);
    // A sign of many strokes takes a finer brush.
    const width = 12.8 - ink / 230;
    return [sign, strokes.flatMap((stroke) => corners(stroke).map((part, i, all) => outline(part, width, i + 1 === all.length))).join("")];
  });
}
