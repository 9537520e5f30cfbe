// Takes pictures of every view in two languages, three themes and two widths, to be looked at: nothing is compared.
//
//     node bench/web/pictures.mjs [--languages vi,en] [--themes light,dark,contrast] [--widths 360,1280] FOLDER [VIEW...]
//
// Writes FOLDER/VIEW-LANGUAGE-THEME-WIDTH.png and, of each view and width, a sheet of all six. Needs chromium and
// `npm ci` in tests/web; the program is that of target/release (another one: NGUKY_BIN), and NGUKY_PAGE names a folder of the page's files that is served instead of those built in.

import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { begin, click, launch, numbers, openPage, Server, until } from "../../tests/web/harness.mjs";
import { CHECKS, MOVES, RECORD } from "./games.mjs";
import { put, TABLE, TEST } from "../../tests/web/matches.mjs";

const text = (value) => ({ type: "string", default: value });
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { languages: text("vi,en"), themes: text("light,dark,contrast"), widths: text("360,1280") },
});
const [folder, ...wanted] = positionals;
if (!folder) throw new Error("which folder are the pictures to go to?");
mkdirSync(folder, { recursive: true });
const GAMES = ["coup", "xiangqi", "chess", "shogi", "go"];
const LANGUAGES = values.languages.split(",");
const THEMES = values.themes.split(",");
const WIDTHS = values.widths.split(",").map(Number);
const later = (ms) => new Promise((done) => setTimeout(done, ms));

const server = new Server();
await server.start();
const browser = await launch();

/** Pictures of what the page shows now. */
async function shoot(view, name, lang) {
  for (const theme of THEMES) {
    await view.page.evaluate((chosen) => (document.documentElement.dataset.theme = chosen), theme);
    for (const width of WIDTHS) {
      await view.page.setViewportSize({ width, height: width < 600 ? 740 : 860 });
      await later(60);
      await view.page.screenshot({ path: path.join(folder, `${name}-${lang}-${theme}-${width}.png`), fullPage: !name.startsWith("dialog") });
    }
  }
  await view.page.setViewportSize({ width: 1280, height: 860 });
}

/** One picture of all six of a view and width. */
async function sheet(name, width) {
  const columns = Math.min(LANGUAGES.length * THEMES.length, width < 600 ? 6 : 3);
  const page = await browser.newPage({ viewport: { width: columns * (width < 600 ? 373 : 700), height: 400 } });
  const files = LANGUAGES.flatMap((lang) => THEMES.map((theme) => path.join(folder, `${name}-${lang}-${theme}-${width}.png`)));
  const shown = files.map((file) => `<img src="data:image/png;base64,${readFileSync(file).toString("base64")}">`).join("");
  await page.setContent(`<style>body{margin:8px;background:#777;display:grid;gap:8px;align-items:start;grid-template-columns:repeat(${columns},1fr)}img{width:100%}</style>${shown}`);
  await page.screenshot({ path: path.join(folder, `sheet-${name}-${width}.png`), fullPage: true });
  await page.close();
}

/** A game of both sides after the moves of a list. */
async function after(view, game, moves, more = {}) {
  if (game === "go") {
    await view.page.check("input[name=game][value=go]", { force: true });
    await view.page.check('input[name=size][value="19"]', { force: true });
  }
  await begin(view, game, { seat: 2, ...more });
  for (const move of moves) {
    const { ply } = view.scene;
    await view.page.fill("#typed", move);
    await view.page.keyboard.press("Enter");
    await until(view, (scene) => scene.ply === ply + 1, `the move ${move}`);
  }
}

/** Chooses the piece that may go to most places, or one of the hand. */
async function choose(view, from) {
  const count = new Map();
  for (const move of view.scene.moves) if (move[0] >= 0) count.set(move[0], (count.get(move[0]) ?? 0) + 1);
  const most = from ?? [...count].sort((a, b) => b[1] - a[1])[0]?.[0];
  if (most !== undefined) await view.page.click(`[data-place="${most}"]`, { force: true });
}

/** Cờ úp: moves drawn by lot, taking where that is possible. */
async function hidden(view, plies, more = {}) {
  const random = numbers(11);
  await begin(view, "coup", { seat: 2, ...more });
  while (view.scene.ply < plies && !view.scene.over) {
    const takes = view.scene.moves.filter((move) => view.scene.pieces.some(([place]) => place === move[1]));
    const list = takes.length && random(3) ? takes : view.scene.moves;
    await click(view, list[random(list.length)]);
  }
}

/** The first move of the list, and the answer. */
async function choosePlay(view) {
  await click(view, view.scene.moves[0]);
  await until(view, (scene) => scene.over || (scene.turn === scene.seat && !scene.thinking), "the answer");
}

async function resign(view) {
  await view.page.click("[data-key=resign]");
  await view.page.click("dialog button:not(.main)");
  await until(view, (scene) => scene.over, "the end");
}

const halfway = { chess: 52, xiangqi: 29, shogi: 72, go: 106 };
const VIEWS = {};
for (const game of GAMES) {
  VIEWS[`home-${game}`] = async (view) => {
    if (!(await view.page.locator(".kept-link").count())) {
      for (const one of ["coup", "chess", "go"]) {
        await begin(view, one);
        await choosePlay(view);
        if (one === "chess") await resign(view);
        await view.page.click(".brand");
        await view.page.waitForSelector(".home .start");
      }
    }
    await view.page.check(`input[name=game][value=${game}]`, { force: true });
    if (game === "coup" || game === "shogi") await view.page.click("details.more > summary");
  };
  VIEWS[`play-${game}`] = async (view) => {
    if (game === "coup") await hidden(view, 30);
    else await after(view, game, MOVES[game].split(" ").slice(0, halfway[game]));
    await choose(view);
  };
  VIEWS[`start-${game}`] = async (view) => void (await begin(view, game, { seat: 0, level: 2 }));
  VIEWS[`think-${game}`] = async (view) => {
    if (game === "coup") await hidden(view, 12, { sealed: false });
    else await after(view, game, MOVES[game].split(" ").slice(0, game === "go" ? 60 : 24));
    await view.page.click("[data-think=on]");
    await view.page.waitForSelector(".pv li:nth-child(2)", { timeout: 60_000 });
    await later(2500);
  };
}
VIEWS["check-chess"] = async (view) => void (await begin(view, "chess", { seat: 2, setup: CHECKS.chess }));
VIEWS["check-xiangqi"] = async (view) => {
  await begin(view, "xiangqi", { seat: 2, setup: CHECKS.xiangqi });
  await view.page.click("[data-key=hint]");
  await until(view, (scene) => scene.hint, "the hint");
};
VIEWS["check-shogi"] = async (view) => after(view, "shogi", MOVES.shogi.split(" "));
VIEWS["over-coup"] = async (view) => {
  await hidden(view, 40, { sealed: true });
  if (!view.scene.over) await resign(view);
};
VIEWS["over-go"] = async (view) => {
  await after(view, "go", MOVES.go.split(" "));
  for (let i = 0; i < 2; i++) {
    const { ply } = view.scene;
    await view.page.click("[data-key=pass]");
    await until(view, (scene) => scene.ply > ply, "the pass");
  }
  await until(view, (scene) => scene.over, "the count", 60_000);
};
VIEWS["over-chess"] = async (view) => after(view, "chess", "f2f3 e7e5 g2g4 d8h4".split(" "));
VIEWS["dialog-seal"] = async (view) => {
  await VIEWS["over-coup"](view);
  await view.page.click("[data-key=verify]");
  await view.page.waitForSelector(".seal-same");
};
VIEWS["dialog-keys"] = async (view) => {
  await begin(view, "chess");
  await view.page.keyboard.press("?");
};
VIEWS["dialog-promotion"] = async (view) => {
  await begin(view, "shogi", { setup: "8k/9/9/R8/9/9/9/9/4K4 b P 1", seat: 2 });
  const { moves } = view.scene;
  const two = moves.find((move) => moves.filter((other) => other[0] === move[0] && other[1] === move[1]).length === 2);
  for (const place of two.slice(0, 2)) await view.page.click(`[data-place="${place}"]`, { force: true });
};
VIEWS["dialog-menu"] = async (view) => view.page.click(".settings summary");
VIEWS["review-chess"] = async (view) => {
  view.scene = null;
  await view.page.fill("#record", RECORD);
  await view.page.click(".load button[type=submit]");
  await until(view, (scene) => scene.played.length > 0, "the loaded game");
  await view.page.selectOption("[data-review=effort]", "fast");
  await view.page.click("[data-review=start]");
  await view.page.waitForSelector(".totals", { timeout: 90_000 });
  await view.page.keyboard.press("{");
  await view.page.keyboard.press("n");
  await later(300);
  await view.page.click("[data-review=answer]");
};
VIEWS["review-go"] = async (view) => {
  view.scene = null;
  const moves = MOVES.go.split(" ").slice(0, 30).map((move, i) => `;${i % 2 ? "W" : "B"}[${point(move)}]`).join("");
  await view.page.fill("#record", `(;GM[1]SZ[19]KM[7.5]PB[Lê Thu]PW[Phạm Minh]${moves})`);
  await view.page.click(".load button[type=submit]");
  await until(view, (scene) => scene.played.length > 0, "the loaded game");
  await view.page.selectOption("[data-review=effort]", "fast");
  await view.page.click("[data-review=start]");
  await view.page.waitForSelector(".totals", { timeout: 120_000 });
};
VIEWS["match-all"] = async (view) => watched(view, "xiangqi", 6);
for (const game of ["chess", "shogi", "go"]) {
  VIEWS[`match-${game}`] = async (view) => {
    await watched(view, game, 3);
    await view.page.locator(".match-card").first().click();
    await view.page.waitForSelector(".game-card .moves li");
  };
}
VIEWS["match-table"] = async (view) => watched(view, "chess", 2, { engines: ["A", "B", "C with a name"], table: TABLE });
VIEWS["match-back"] = async (view) => {
  await VIEWS["match-chess"](view);
  await view.page.locator(".game-card button.move").nth(2).click();
  await view.page.waitForSelector(".game-card .looking");
};
VIEWS["guest-home"] = async (view) => {
  await begin(view, "coup", { seat: 0, level: 2, sealed: true });
  await view.page.goto("about:blank");
  await view.page.goto(server.guests);
  await view.page.waitForSelector(".kept-link");
};
VIEWS["guest-coup"] = async (view) => {
  await VIEWS["guest-home"](view);
  await view.page.locator(".kept-link").first().click();
  await view.page.waitForSelector("[role=gridcell]");
};
VIEWS["error-token"] = async (view) => {
  await view.page.evaluate(() => localStorage.setItem("nguky.token", "wrong"));
  await view.page.goto(`${server.origin}/`);
  await view.page.reload();
  await view.page.waitForSelector(".gate");
};
VIEWS["error-game"] = async (view) => {
  await view.page.goto(`${server.origin}/#g=nothing`);
  await view.page.waitForSelector(".notice");
};
VIEWS["error-toast"] = async (view) => {
  await begin(view, "chess");
  await view.page.fill("#typed", "e2e5");
  await view.page.keyboard.press("Enter");
  await view.page.waitForSelector("#toast:not([hidden])");
};

/** A point as a file of go writes it. */
function point(move) {
  const column = "ABCDEFGHJKLMNOPQRST".indexOf(move[0]);
  return String.fromCharCode(97 + column) + String.fromCharCode(97 + 19 - Number(move.slice(1)));
}

/** A match of made-up games. */
async function watched(view, game, boards, more = {}) {
  put(server.matches, `picture-${game}-${boards}`, game, { boards, test: game === "shogi" ? null : TEST, moves: MOVES[game].split(" "), ...more });
  await view.page.locator(".matches a", { hasText: `picture-${game}-${boards}` }).click();
  await view.page.waitForSelector(".match-card");
}

for (const [name, show] of Object.entries(VIEWS)) {
  if (wanted.length && !wanted.some((one) => name.startsWith(one))) continue;
  const began = Date.now();
  for (const lang of LANGUAGES) {
    const view = await openPage({ browser, server }, { lang });
    try {
      await show(view);
      await shoot(view, name, lang);
    } catch (error) {
      console.error(`${name}, ${lang}: ${error.message}`);
    }
    await view.context.close();
  }
  if (LANGUAGES.length * THEMES.length > 1) for (const width of WIDTHS) await sheet(name, width);
  console.log(`${name}: ${((Date.now() - began) / 1000).toFixed(1)} s`);
}
await browser.close();
await server.close();
