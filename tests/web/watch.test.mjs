// Matches of engines on the page: a real one while it runs, and its looks with made-up ones.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { BINARY, faultsOf, openPage, served, SKIP } from "./harness.mjs";
import { OPENINGS, put as putIn, TABLE, TEST } from "./matches.mjs";

const both = served();

/** A made-up match in the folder where this file's server looks. */
const put = (...more) => putIn(both.server.matches, ...more);

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
  // A former position is looked at while the game goes on.
  const lookBack = async () => {
    await page.locator(".game-card .moves button.move").first().click();
    await page.waitForSelector(".game-card .looking", { timeout: 5_000 });
    assert.equal(await page.getAttribute(".game-card .moves [aria-current]", "data-ply", { timeout: 5_000 }), "1");
    await page.keyboard.press("]");
    await page.waitForFunction(() => document.querySelector(".game-card .moves [aria-current]")?.getAttribute("data-ply") === "2", null, { timeout: 5_000 });
    await page.keyboard.press("}");
    await page.waitForFunction(() => !document.querySelector(".game-card .looking"), null, { timeout: 5_000 });
  };
  // Only the end of a game meanwhile excuses a failure; then the next one is looked at.
  const progress = () => page.textContent(".match-progress");
  const before = await progress();
  await lookBack().catch(async (fault) => {
    if ((await progress()) === before) throw fault;
    await lookBack();
  });
  await page.keyboard.press("n");
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
