// A sealed game of cờ úp tells nothing before its time; games outlive reloads and a killed server.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { begin, click, faultsOf, numbers, openPage, served, SKIP, until } from "./harness.mjs";

const both = served();

/** Plays some random moves. */
async function play(view, count) {
  const random = numbers(7);
  for (let i = 0; i < count && !view.scene.over; i++) {
    await click(view, view.scene.moves[random(view.scene.moves.length)]);
    await until(view, (scene) => scene.over || (scene.turn === scene.seat && scene.moves.length), "the engine's move");
  }
}

test("hidden pieces stay hidden until the end, then the seal verifies", { skip: SKIP, timeout: 90_000 }, async () => {
  const view = await openPage(both);
  await begin(view, "coup", { sealed: true });
  await play(view, 8);
  if (!view.scene.over) {
    await view.page.click("[data-key=resign]");
    await view.page.click("dialog button:not(.main)");
    await until(view, (scene) => scene.over, "the end");
  }
  await view.page.click("[data-key=verify]");
  const messages = view.frames.map((frame) => JSON.parse(frame));
  const opened = messages.find((message) => message.t === "open");
  const seal = messages.find((message) => message.t === "seal");
  assert.ok(messages.indexOf(seal) < messages.findIndex((message) => message.t === "scene"), "the seal comes before the first scene");
  assert.equal(createHash("sha256").update(opened.text).digest("hex"), seal.digest);
  let covered = 0;
  for (const message of messages) {
    if (message.t !== "scene" || message.over) continue;
    for (const [place, kind, , down] of message.pieces) {
      if (!down) continue;
      covered++;
      assert.equal(kind, "X", `the face at ${place} was sent`);
    }
  }
  assert.ok(covered > 100);
  const first = messages.indexOf(opened);
  assert.ok(messages.slice(first).find((message) => message.t === "scene").over, "the deal was opened before the end");
  for (const frame of view.frames.slice(0, first)) {
    assert.ok(!frame.includes(opened.salt) && !frame.includes(opened.faces), "the salt or the faces were sent early");
  }
  await view.page.waitForSelector(".seal-same");
  const digests = await view.page.locator(".digests dd").allTextContents();
  assert.deepEqual(digests, [seal.digest, seal.digest]);
  assert.equal(await view.page.locator(".faces svg").count(), 32);
  assert.deepEqual(view.faults, []);
  await view.context.close();
});

/** The board in words. */
const board = (view) => view.page.locator("[role=gridcell]").evaluateAll((cells) => cells.map((cell) => cell.getAttribute("aria-label")).join("\n"));

test("a game outlives a reload and a killed server", { skip: SKIP, timeout: 90_000 }, async () => {
  const view = await openPage(both);
  await begin(view, "coup", { sealed: true });
  await play(view, 3);
  const [before, { ply, pool }] = [await board(view), view.scene];
  view.scene = null;
  await view.page.reload();
  await until(view, (scene) => scene.ply === ply, "the scene after the reload");
  await view.page.waitForSelector("[role=gridcell]");
  assert.equal(await board(view), before);
  await both.server.kill();
  await view.page.waitForSelector("#link:not([hidden])");
  view.scene = null;
  await both.server.start();
  await until(view, (scene) => scene.ply === ply, "the scene after the restart");
  await view.page.waitForSelector("#link", { state: "hidden" });
  assert.equal(await board(view), before);
  assert.deepEqual(view.scene.pool, pool);
  await play(view, 1);
  assert.deepEqual(view.faults, []);
  await view.context.close();
});

test("who has the link to watch follows a game and can do nothing", { skip: SKIP, timeout: 90_000 }, async () => {
  const view = await openPage(both);
  await begin(view, "coup", { sealed: true });
  const guest = await openPage(both, { guest: true });
  assert.equal(await guest.page.locator(".home form, .load, .kept button.quiet").count(), 0);
  assert.deepEqual(await faultsOf(guest, "a guest's first view"), []);
  // By its name: a game of an earlier test may have been played in the same second, so the order does not tell.
  await guest.page.click(`.kept-link[href="${new URL(view.page.url()).hash}"]`);
  await until(guest, (scene) => scene.ply === 0, "the guest's scene");
  await play(view, 2);
  await until(guest, (scene) => scene.ply === view.scene.ply, "the same move");
  const covered = (of) => of.scene.pieces.filter((piece) => piece[3]).length;
  assert.equal(covered(guest), covered(view));
  assert.deepEqual([guest.scene.moves, guest.scene.keys], [[], []]);
  for (const name of ["resign", "undo", "hint", "save"]) assert.equal(await guest.page.locator(`[data-key=${name}]`).count(), 0);
  assert.equal(await guest.page.locator("#typed").isVisible(), false);
  await guest.page.keyboard.press("[");
  await guest.page.waitForSelector(".looking");
  assert.deepEqual(await faultsOf(guest, "a guest's game"), []);
  assert.deepEqual([view.faults, guest.faults], [[], []]);
  for (const one of [view, guest]) await one.context.close();
});
