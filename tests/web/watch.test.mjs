// Matches of engines on the page: a real one while it runs, and its looks with made-up ones.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { BINARY, faultsOf, openPage, served, SKIP } from "./harness.mjs";

const both = served();

/** The openings that the made-up boards show, by game. */
const OPENINGS = {
  chess: ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6"],
  xiangqi: ["rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1", "h2e2 h9g7 h0g2 i9h9"],
  shogi: ["lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", "7g7f 3c3d 8h2b+ 3a2b"],
  go: ["", "D4 Q16 Q4 D16 C6"],
};

/** Puts a made-up match where the server looks for matches. */
function put(name, game, { boards = 2, engines = ["Ngũ Kỳ 0.2", "Another engine with a long name"], end = null, test = null, table = [] } = {}) {
  const now = Date.now();
  const [setup, moves] = OPENINGS[game];
  const running = Array.from({ length: boards }, (_, i) => ({
    pair: [0, 1], number: i, round: `${1 + (i >> 1)}.${1 + (i % 2)}`, order: i % 2 ? [1, 0] : [0, 1], setup, moves: moves.split(" "), opening: 2,
    clocks: [8_500, 61_000], since: now, said: [{ cp: 31, mate: null, depth: 12, nodes: 9_000, ms: 80 }, { cp: null, mate: -4, depth: 11, nodes: 8_000, ms: 70 }],
    over: i === 1 ? { points: 1, reason: "repetition", fault: null } : null,
  }));
  const figures = { faults: [1, 0, 0, 0], speed: 812_345, seconds: 0.1, depth: 12.3, excessive: false };
  const tally = table.length ? null : { wdl: [40, 60, 24], pairs: [2, 9, 29, 17, 5], elo: [45.2, 31.9], normalized: 51.3, superiority: 0.996, llr: test ? 1.7 : null,
    decided: null, alike: false, disputed: 0, engines: [figures, figures] };
  const whole = {
    v: 1, pid: 1, written: now + 3_600_000, running, more: 0, end,
    spec: { event: "nguky match", game, rules: [], size: game === "go" ? 19 : null, komi: game === "go" ? 7.5 : null,
      engines: engines.map((one) => ({ name: one, limit: "8+0.08", said: "made up" })), tournament: table.length ? "round robin" : null,
      total: 200, concurrency: boards, openings: "random", record: "games.pgn", test, begun: now - 60_000, before: 0 },
    last: [{ round: "60.2", order: [1, 0], plies: 91, over: { points: 2, reason: "checkmate", fault: null } }, { round: "60.1", order: [0, 1], plies: 40, over: { points: 0, reason: "", fault: [0, "TimeLoss"] } }],
    standing: { games: 124, tally, table }, path: Array.from({ length: 62 }, (_, i) => [2 * i + 2, i < 3 ? null : 45 + 30 * Math.sin(i / 5) - i / 3, i < 3 ? null : 250 / Math.sqrt(i), test ? i / 40 : null]),
  };
  const file = path.join(both.server.matches, `${name}.live.json`);
  writeFileSync(`${file}.new`, JSON.stringify(whole));
  renameSync(`${file}.new`, file);
  return whole;
}

const TEST = { elo0: 0, elo1: 5, low: -2.94, high: 2.94 };
const TABLE = [{ engine: 2, wdl: [20, 10, 5], elo: 60.1, error: 40.2, faults: 0 }, { engine: 0, wdl: [15, 10, 10], elo: 11, error: null, faults: 1 }, { engine: 1, wdl: [5, 10, 25], elo: null, error: null, faults: 0 }];

/** Opens a match of the list by its file's name. */
async function watch(view, name) {
  const link = view.page.locator(".matches a", { hasText: name });
  await link.click();
  await view.page.waitForSelector(".match-card");
}

/** The numbers in a text. */
const numbers = (text) => text.replaceAll("−", "-").match(/-?\d+(?:\.\d+)?/g)?.map(Number) ?? [];

test("a match that runs in another process is followed to its end, with the figures that it prints", { skip: SKIP, timeout: 150_000 }, async () => {
  const view = await openPage(both);
  const { page } = view;
  await page.waitForSelector(".matches .faint");
  // Unequal players, so that the score says something.
  const more = ["--game", "chess", "--games", "6", "--concurrency", "2", "--margin-ms", "20000", "--record", "real.pgn", "--resign", "300,2", "--longest", "120"];
  const strong = `cmd=${path.join(path.dirname(BINARY), "nguky-uci")} name=Strong option.Hash=1 movetime=150`;
  const weak = `cmd=${path.join(path.dirname(BINARY), "nguky-uci")} name=Weak option.Hash=1 nodes=60`;
  const run = spawn(BINARY, ["match", "--engine", strong, "--engine", weak, ...more], { cwd: both.server.matches });
  let printed = "";
  run.stdout.on("data", (text) => (printed += text));
  const ended = new Promise((done) => run.once("exit", done));
  await watch(view, "real.pgn");
  assert.match(await page.textContent(".match-head"), /Strong – Weak.*of 6 games/s);
  // Boards change while it runs, and a click makes one of them large.
  await page.waitForFunction(() => document.querySelectorAll(".match-card").length === 2);
  await page.locator(".match-card").first().click();
  await page.waitForSelector(".game-card .moves li");
  const first = await page.locator(".game-card .moves .move").allTextContents();
  await page.waitForFunction((before) => [...document.querySelectorAll(".game-card .moves .move")].map((one) => one.textContent).join() !== before, first.join());
  assert.equal(await page.locator(".big [role=gridcell]").count(), 64);
  await page.keyboard.press("]");
  await page.waitForFunction(() => location.hash.endsWith("&b=1"));
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !location.hash.includes("&b"));
  assert.equal(await ended, 0);
  await page.waitForSelector(".chip-played", { timeout: 20_000 });
  const [, w, d, l, share] = /score +\+(\d+) =(\d+) -(\d+), ([\d.]+) %/.exec(printed) ?? assert.fail(printed);
  const shown = await page.locator(".wdl-text > *").allTextContents();
  assert.deepEqual(shown, [`+${w}`, `=${d}`, `−${l}`, `${share} %`]);
  const [, pairs] = /pairs +\[([\d, ]+)\]/.exec(printed);
  assert.deepEqual((await page.locator(".bar-count").allTextContents()).map(Number), pairs.split(",").map(Number));
  const elo = /Elo +([+-][\d.]+) ± ([\d.]+)/.exec(printed);
  if (elo) assert.deepEqual(numbers(await page.textContent(".figure b")).map(Math.abs), elo.slice(1).map(Number).map(Math.abs));
  else assert.match(await page.textContent(".match"), /Too few pairs/);
  assert.deepEqual(view.faults, []);
  await view.context.close();
});

test("a match that is killed shows as stopped, and the page finds the match again after the server's end", { skip: SKIP, timeout: 60_000 }, async () => {
  put("killed", "go");
  const view = await openPage(both);
  await watch(view, "killed");
  const file = put("killed", "go");
  writeFileSync(path.join(both.server.matches, "killed.live.json"), JSON.stringify({ ...file, written: Date.now() - 20_000 }));
  await view.page.waitForSelector(".match .chip-stopped");
  await both.server.kill();
  await view.page.waitForSelector("#link:not([hidden])");
  await both.server.start();
  await view.page.waitForSelector("#link[hidden]", { state: "attached", timeout: 10_000 });
  put("killed", "go", { end: "played" });
  await view.page.waitForSelector(".match .chip-played", { timeout: 10_000 });
  assert.deepEqual(view.faults, []);
  await view.context.close();
});

for (const lang of ["vi", "en"]) {
  test(`axe finds nothing in matches and none scrolls sideways, language ${lang}`, { skip: SKIP, timeout: 120_000 }, async () => {
    for (const game of Object.keys(OPENINGS)) put(`looks-${game}`, game, { boards: 3, test: game === "shogi" ? null : TEST });
    put("looks-tournament", "chess", { engines: ["A", "B", "C with a name"], table: TABLE });
    const view = await openPage(both, { lang });
    const found = [];
    const wide = [];
    const measure = async (name) => {
      for (const width of [320, 360, 768, 1280]) {
        await view.page.setViewportSize({ width, height: 800 });
        const over = await view.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (over > 0) wide.push(`${name} at ${width} px: ${over}`);
      }
    };
    await view.page.waitForSelector(".matches a");
    found.push(...(await faultsOf(view, "home with matches")));
    await measure("home with matches");
    for (const name of [...Object.keys(OPENINGS), "tournament"]) {
      await watch(view, `looks-${name}`);
      await measure(name);
      if (name === "chess" || name === "tournament") found.push(...(await faultsOf(view, name)));
      await view.page.locator(".match-card").first().click();
      await view.page.waitForSelector(".game-card .moves li");
      await measure(`${name}, one board`);
      found.push(...(await faultsOf(view, `${name}, one board`)));
      assert.doesNotMatch(await view.page.textContent("#view"), /\b(watch|over|state|no|side|kind)_[a-z]/, "a key without words");
      await view.page.click(".brand");
      await view.page.waitForSelector(".matches a");
    }
    assert.deepEqual(found, []);
    assert.deepEqual(wide, []);
    assert.deepEqual(view.faults, []);
    await view.context.close();
  });
}

test("names of engines are text, not markup", { skip: SKIP, timeout: 30_000 }, async () => {
  put("markup", "chess", { engines: ["<img src=x onerror=alert(1)>", "<b>B</b>"] });
  const view = await openPage(both);
  await watch(view, "markup");
  assert.match(await view.page.textContent(".match-head h1"), /<img src=x/);
  assert.equal(await view.page.locator(".match img, .match-head h1 b").count(), 0);
  assert.deepEqual(view.faults, []);
  await view.context.close();
});
