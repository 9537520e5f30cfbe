// What everybody can use: axe on all views, keys alone, narrow windows.

import assert from "node:assert/strict";
import { test } from "node:test";
import { begin, faultsOf, numbers, openPage, served, SKIP, until } from "./harness.mjs";

const GAMES = ["chess", "xiangqi", "coup", "shogi", "go"];
const both = served();

for (const lang of ["vi", "en"]) {
  test(`axe finds nothing in any view, language ${lang}`, { skip: SKIP, timeout: 120_000 }, async () => {
    const view = await openPage(both, { lang });
    const found = await faultsOf(view, "home");
    for (const game of GAMES) {
      await begin(view, game);
      found.push(...(await faultsOf(view, game)));
      if (game === "chess") {
        await view.page.keyboard.press("?");
        await view.page.waitForSelector("dialog[open]");
        found.push(...(await faultsOf(view, "shortcuts")));
        await view.page.keyboard.press("Escape");
      }
      await view.page.click(".brand");
      await view.page.waitForSelector(".home .start");
    }
    assert.deepEqual(found, []);
    assert.deepEqual(view.faults, []);
    await view.context.close();
  });
}

/** Presses Tab until an element is reached. */
async function tabTo(page, selector) {
  for (let i = 0; i < 80; i++) {
    if (await page.evaluate((wanted) => document.activeElement.matches(wanted), selector)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab does not reach ${selector}`);
}

/** Moves the focus on the board by arrows, as it is seen by the first side. */
async function walk(page, from, to, width) {
  const [dx, dy] = [(to % width) - (from % width), Math.floor(to / width) - Math.floor(from / width)];
  for (let i = 0; i < Math.abs(dy); i++) await page.keyboard.press(dy > 0 ? "ArrowDown" : "ArrowUp");
  for (let i = 0; i < Math.abs(dx); i++) await page.keyboard.press(dx > 0 ? "ArrowRight" : "ArrowLeft");
  await page.keyboard.press("Enter");
}

test("a mate in chess with keys alone", { skip: SKIP, timeout: 60_000 }, async () => {
  const view = await openPage(both);
  const { page } = view;
  await tabTo(page, "input[name=game]");
  while (!(await page.isChecked("input[name=game][value=chess]"))) await page.keyboard.press("ArrowRight");
  await tabTo(page, "details.more > summary");
  await page.keyboard.press("Enter");
  await tabTo(page, "input[name=setup]");
  await page.keyboard.type("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1");
  await page.keyboard.press("Enter");
  await until(view, (scene) => scene.moves.length > 0, "the game");
  await tabTo(page, "[role=gridcell]");
  await walk(page, 0, 56, 8);
  await walk(page, 56, 0, 8);
  await until(view, (scene) => scene.over, "the mate");
  assert.match(await page.textContent(".over"), /You won! Checkmate\./);
  assert.match(await page.textContent("#live"), /Checkmate/);
  assert.deepEqual(view.faults, []);
  await view.context.close();
});

/** The board as a screen reader says it: the names of the cells, row by row, and where the focus is. */
const read = (page) => page.evaluate(() => {
  const rows = [...document.querySelectorAll("[role=grid] [role=row]")].map((row) => [...row.querySelectorAll("[role=gridcell]")]);
  const y = rows.findIndex((row) => row.includes(document.activeElement));
  return { rows: rows.map((row) => row.map((cell) => cell.getAttribute("aria-label"))), focus: [y, y < 0 ? -1 : rows[y].indexOf(document.activeElement)] };
});

/** Chooses a cell whose name says so, by arrows and Enter. */
async function choose(page, wanted, random) {
  const { rows, focus } = await read(page);
  const cells = rows.flatMap((row, y) => row.flatMap((name, x) => (name.includes(wanted) ? [[y, x]] : [])));
  assert.ok(cells.length, `no cell says "${wanted}"`);
  const [y, x] = cells[random(cells.length)];
  for (let i = focus[0]; i !== y; i += Math.sign(y - i)) await page.keyboard.press(i < y ? "ArrowDown" : "ArrowUp");
  for (let i = focus[1]; i !== x; i += Math.sign(x - i)) await page.keyboard.press(i < x ? "ArrowRight" : "ArrowLeft");
  await page.keyboard.press("Enter");
}

test("a game of cờ úp with keys alone, by the live region and the names of the cells", { skip: SKIP, timeout: 120_000 }, async () => {
  const view = await openPage(both);
  const { page } = view;
  const random = numbers(2027);
  await begin(view, "coup", { sealed: true });
  await page.evaluate(() => {
    globalThis.heard = [];
    const live = document.querySelector("#live");
    new MutationObserver(() => globalThis.heard.push(live.textContent)).observe(live, { childList: true });
  });
  await tabTo(page, "[role=gridcell]");
  const kinds = { K: "general", A: "advisor", B: "elephant", N: "horse", R: "chariot", C: "cannon", P: "soldier" };
  for (let own = 0; own < 40; own++) {
    await choose(page, "can go to", random);
    await choose(page, "can go here", random);
    await page.waitForFunction((count) => globalThis.heard.join(". ").split("Black played").length > count || globalThis.heard.some((text) => /You (won|lost)|Draw/.test(text)), own + 1);
    const scene = await until(view, (next) => next.over || (next.turn === next.seat && !next.thinking), "the engine's move");
    if (scene.over) break;
    // What the names say is the board, and each piece stands where it is said to stand.
    const { rows } = await read(page);
    assert.ok(rows.flat().some((name) => name.includes("can go to")), "no name says that a piece can go");
    const said = rows.flat().filter((name) => !name.includes(", empty")).map((name) => name.split(", ").slice(0, 2).join(", ")).sort();
    const name = (place) => "abcdefghi"[place % 9] + (9 - Math.floor(place / 9));
    const held = scene.pieces.map(([place, kind, side, down]) => `${name(place)}, ${down ? `hidden piece of ${side ? "Black" : "Red"}` : `${side ? "Black" : "Red"} ${kinds[kind]}`}`).sort();
    assert.deepEqual(said, held);
  }
  if (!view.scene.over) {
    await tabTo(page, "[data-key=resign]");
    await page.keyboard.press("Enter");
    await tabTo(page, "dialog[open] button:not(.main)");
    await page.keyboard.press("Enter");
  }
  const { ply, played, turned } = await until(view, (next) => next.over, "the end");
  await page.waitForFunction(() => /You (won|lost)|Draw/.test(globalThis.heard.at(-1)));
  // The whole game was announced, each move once and in order, with what it turned up.
  const announced = (await page.evaluate(() => globalThis.heard)).join(". ").split(/(?=\b(?:Red|Black) played )/).filter((text) => /^(Red|Black) played/.test(text));
  assert.equal(announced.length, ply);
  announced.forEach((text, i) => {
    assert.ok(text.startsWith(`${i % 2 ? "Black" : "Red"} played ${played[i]}`), `${text}: not ${played[i]}`);
    if (turned[i]) assert.ok(text.includes(`${kinds[turned[i]]} turned up`), `${text}: ${turned[i]} is not announced`);
  });
  assert.ok(announced.some((text) => text.includes("took: ")), "no capture is announced");
  assert.deepEqual(view.faults, []);
  await view.context.close();
});

test("a drop and a promotion in shogi by clicks, a drag in xiangqi", { skip: SKIP, timeout: 60_000 }, async () => {
  const view = await openPage(both);
  const { page } = view;
  await begin(view, "shogi", { setup: "8k/9/9/R8/9/9/9/9/4K4 b P 1", seat: 2 });
  const drop = view.scene.moves.find((move) => move[0] >= 1000);
  await page.click(`[data-place="${drop[0]}"]`, { force: true });
  await page.click(`[data-place="${drop[1]}"]`, { force: true });
  await until(view, (scene) => scene.ply === 1, "the drop");
  await page.fill("#typed", view.scene.moves[0][2]);
  await page.keyboard.press("Enter");
  await until(view, (scene) => scene.ply === 2, "the typed move");
  const promotion = view.scene.moves.find((move) => view.scene.moves.filter((other) => other[0] === move[0] && other[1] === move[1]).length === 2);
  await page.click(`[data-place="${promotion[0]}"]`, { force: true });
  await page.click(`[data-place="${promotion[1]}"]`, { force: true });
  assert.equal(await page.locator("dialog[open] button").count(), 2);
  await page.click("dialog[open] button.main");
  await until(view, (scene) => scene.ply === 3, "the promotion");
  await page.click(".brand");
  await page.waitForSelector(".home .start");
  await begin(view, "xiangqi", { seat: 2 });
  const [from, to] = view.scene.moves[0];
  const middle = async (place) => {
    const box = await page.locator(`[data-place="${place}"]`).boundingBox();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  await page.mouse.move(...(await middle(from)));
  await page.mouse.down();
  await page.mouse.move(...(await middle(to)), { steps: 6 });
  await page.mouse.up();
  await until(view, (scene) => scene.ply === 1, "the dragged move");
  assert.deepEqual(view.faults, []);
  await view.context.close();
});

test("no view scrolls sideways from 320 px on", { skip: SKIP, timeout: 60_000 }, async () => {
  const view = await openPage(both, { lang: "vi" });
  const wide = [];
  const measure = async (name) => {
    for (const width of [320, 360, 768, 1280]) {
      await view.page.setViewportSize({ width, height: 740 });
      const over = await view.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (over > 0) wide.push(`${name} at ${width} px: ${over}`);
    }
  };
  await measure("home");
  for (const game of GAMES) {
    await begin(view, game);
    await measure(game);
    await view.page.click(".brand");
    await view.page.waitForSelector(".home .start");
  }
  assert.deepEqual(wide, []);
  await view.context.close();
});

test("places lie on the board and do not overlap, those in hand below it or beside it", { skip: SKIP, timeout: 60_000 }, async () => {
  const view = await openPage(both);
  const wrong = [];
  for (const [game, setup] of [["shogi", "lnsgk4/9/9/9/9/9/9/9/4K4 b RBGSNLPrb2g2s2n2l9p 1"], ["xiangqi", undefined]]) {
    await begin(view, game, { seat: 2, setup });
    for (const width of [360, 899, 900, 1280]) {
      await view.page.setViewportSize({ width, height: 800 });
      for (const turned of [false, true]) {
        await view.page.keyboard.press("f");
        wrong.push(...(await view.page.evaluate((name) => {
          const board = document.querySelector("svg.board").getBoundingClientRect();
          const cells = [...document.querySelectorAll("[role=gridcell]")].map((cell) => [cell.dataset.place, cell.getBoundingClientRect()]);
          const outside = cells.filter(([, one]) => one.left < board.left - 1 || one.right > board.right + 1 || one.top < board.top - 1 || one.bottom > board.bottom + 1);
          const meets = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
          const pairs = cells.filter(([, a], i) => cells.some(([, b], j) => j < i && meets(a, b)));
          return [...outside, ...pairs].map(([place]) => `${name}: ${place}`);
        }, `${game} at ${width} px${turned ? ", turned" : ""}`)));
      }
    }
    await view.page.setViewportSize({ width: 1280, height: 900 });
    await view.page.click(".brand");
    await view.page.waitForSelector(".home .start");
  }
  assert.deepEqual(wrong, []);
  assert.deepEqual(view.faults, []);
  await view.context.close();
});

test("a kept game is deleted after a question only; a wrong link says which one is needed", { skip: SKIP, timeout: 60_000 }, async () => {
  const view = await openPage(both);
  const { page } = view;
  await begin(view, "chess");
  await page.click(".brand");
  await page.waitForSelector(".kept-link");
  const newest = () => page.locator(".kept .kept-link").first().getAttribute("href");
  const kept = await newest();
  await page.locator(".kept li button").first().click();
  await page.click("dialog button.main");
  assert.equal(await newest(), kept);
  await page.locator(".kept li button").first().click();
  await page.click("dialog button:not(.main)");
  await page.waitForFunction((before) => document.querySelector(".kept .kept-link")?.getAttribute("href") !== before, kept);
  await page.evaluate(() => localStorage.setItem("nguky.token", "wrong"));
  await page.reload();
  await page.waitForSelector(".gate");
  assert.match(await page.textContent(".gate"), /#t=/);
  assert.deepEqual(await faultsOf(view, "no link"), []);
  assert.deepEqual(view.faults, []);
  await view.context.close();
});
