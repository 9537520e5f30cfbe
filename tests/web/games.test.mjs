// Whole games of all five against the engine, by clicks on random legal moves, to the end.

import assert from "node:assert/strict";
import { test } from "node:test";
import { begin, click, numbers, openPage, served, SKIP, until } from "./harness.mjs";

/** The engine's level: the easiest, or that of NGUKY_E2E_LEVEL, of which 8 is the highest. */
const LEVEL = Number(process.env.NGUKY_E2E_LEVEL ?? 1);
/** How many games of each, with other moves; more than one with NGUKY_E2E_GAMES, which are then all played to the end that the rules give. */
const GAMES = Number(process.env.NGUKY_E2E_GAMES ?? 1);
/** Own moves after which a game is given up, so that the run has an end. */
const LONGEST = GAMES > 1 ? Infinity : 60;

const both = served();

for (const [game, nth] of ["chess", "xiangqi", "coup", "shogi", "go"].flatMap((game) => Array.from({ length: GAMES }, (_, nth) => [game, nth]))) {
  test(`a game of ${game} to its end${nth ? ` (${nth + 1})` : ""}`, { skip: SKIP, timeout: LEVEL === 1 && GAMES === 1 ? 150_000 : 1_800_000 }, async () => {
    const view = await openPage(both);
    const random = numbers(2026 + nth);
    await begin(view, game, { level: LEVEL });
    for (let own = 0; !view.scene.over; own++) {
      const scene = view.scene;
      if (scene.keys.includes("claim")) await view.page.click("[data-key=claim]");
      else if (own >= LONGEST) {
        await view.page.click("[data-key=resign]");
        await view.page.click("dialog button:not(.main)");
        await until(view, (next) => next.over, "the end by resignation");
      } else if (scene.keys.includes("pass") && (scene.ply >= 40 || !scene.moves.length)) {
        await view.page.click("[data-key=pass]");
        await until(view, (next) => next.ply > scene.ply, "the pass");
      } else await click(view, scene.moves[random(scene.moves.length)]);
      await until(view, (next) => next.over || (next.turn === next.seat && !next.thinking), "the engine's move", LEVEL === 1 ? 30_000 : 300_000);
    }
    await view.page.waitForSelector(".over");
    assert.equal(view.scene.moves.length, 0);
    if (GAMES > 1) console.log(`${game} ${nth + 1}: ${view.scene.ply} half-moves, ${await view.page.textContent(".over")}`);
    assert.equal(view.scene.played.length, view.scene.ply);
    assert.match(await view.page.textContent(".over"), /\S+ .*\.$/);
    assert.doesNotMatch(await view.page.textContent("#view"), /\b(over|no|score|key|kind|side)_[a-z]/, "a key without words");
    assert.deepEqual(view.faults, []);
    await view.context.close();
  });
}

test("an illegal move typed in is refused in words and changes nothing", { skip: SKIP, timeout: 30_000 }, async () => {
  const view = await openPage(both);
  const { rev } = await begin(view, "chess");
  await view.page.fill("#typed", "e2e5");
  await view.page.keyboard.press("Enter");
  await view.page.waitForSelector("#toast:not([hidden])");
  assert.match(await view.page.textContent("#toast"), /e2e5/);
  assert.equal(view.scene.rev, rev);
  assert.deepEqual(view.faults, []);
  await view.context.close();
});
