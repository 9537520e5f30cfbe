// What the browser tests share: the server, the browser, a page that fails on complaints, and moves by click.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { after, before } from "node:test";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

/** The folder of the page's files. */
export const PAGE = path.join(ROOT, "bench/src/web/page");

const target = process.env.CARGO_TARGET_DIR ?? path.join(ROOT, "target");
export const BINARY = process.env.NGUKY_BIN ?? ["release", "debug"].map((kind) => path.join(target, kind, "nguky")).find(existsSync);
const BROWSER = process.env.CHROMIUM ?? ["chromium", "chromium-browser", "google-chrome"]
  .map((name) => spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim()).find(Boolean);

/** Why browser tests cannot run here, or false. */
export const SKIP = !BROWSER ? "no chromium" : !BINARY ? "nguky is not built" : false;

const ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-quic"];

/** Starts a browser. */
export async function launch() {
  const { chromium } = await import("playwright-core");
  return chromium.launch({ executablePath: BROWSER, args: ARGUMENTS });
}

/** A server of the page with a folder of its own. */
export class Server {
  constructor() {
    this.folder = mkdtempSync(path.join(tmpdir(), "nguky-web-"));
    /** Where matches are looked for. */
    this.matches = mkdtempSync(path.join(tmpdir(), "nguky-matches-"));
    this.port = 0;
  }

  /** Starts it, again at the same port; gives the printed link to play, and keeps that to watch. */
  async start() {
    this.child = spawn(BINARY, ["web", "--port", String(this.port), "--dir", this.folder, "--watch", this.matches, "--hash", "16", "--share"], { cwd: this.matches, stdio: ["ignore", "pipe", "inherit"] });
    for await (const line of createInterface({ input: this.child.stdout })) {
      if (!line.startsWith("http://")) continue;
      if (!line.endsWith("(to watch only)")) {
        this.link = line.trim();
        continue;
      }
      this.guests = line.split(" ")[0];
      this.origin = new URL(this.link).origin;
      this.port = Number(new URL(this.link).port);
      return this.link;
    }
    throw new Error("the server printed no link");
  }

  /** Ends it at once, as a crash would. */
  async kill() {
    const gone = new Promise((done) => this.child.once("exit", done));
    if (this.child.exitCode !== null) return;
    this.child.kill("SIGKILL");
    await gone;
  }

  /** Ends it and removes its folder. */
  async close() {
    await this.kill();
    for (const folder of [this.folder, this.matches]) rmSync(folder, { recursive: true, force: true });
  }
}

/** Server and browser of a file's tests: started before them, ended after them. */
export function served() {
  const both = { server: new Server(), browser: null };
  before(async () => {
    if (SKIP) return;
    await both.server.start();
    both.browser = await launch();
  });
  after(async () => {
    if (SKIP) return;
    await both.browser?.close();
    await both.server.close();
  });
  return both;
}

/** A page with the messages it got and everything it complained of. */
export async function openPage({ browser, server }, { lang = "en", theme = "light", width = 1280, height = 900, guest = false } = {}) {
  const locale = lang === "vi" ? "vi-VN" : "en-US";
  const context = await browser.newContext({ viewport: { width, height }, locale, reducedMotion: "reduce" });
  const page = await context.newPage();
  const view = { page, context, faults: [], frames: [], scene: null };
  // A connection that the server's end cuts is reported by the browser itself; that is no fault of the page.
  page.on("console", (message) => {
    if (message.type() === "error" && !/WebSocket connection/.test(message.text())) view.faults.push(message.text());
  });
  page.on("pageerror", (error) => view.faults.push(String(error)));
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (!["data:", "blob:"].includes(protocol) && origin !== server.origin) view.faults.push(`request to ${request.url()}`);
  });
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      view.frames.push(payload);
      const message = JSON.parse(payload);
      if (message.t === "scene") view.scene = message;
      if (message.t === "board") view.board = message;
    }));
  await page.addInitScript((chosen) => localStorage.setItem("nguky.theme", chosen), theme);
  await page.goto(guest ? server.guests : server.link);
  await page.waitForSelector(guest ? ".home .kept" : ".home .start");
  return view;
}

/** Waits until a scene is as wanted. */
export async function until(view, wanted, what, limit = 30_000) {
  for (const end = Date.now() + limit; Date.now() < end; ) {
    if (view.scene && wanted(view.scene)) return view.scene;
    await new Promise((later) => setTimeout(later, 10));
  }
  throw new Error(`waited in vain for ${what}: ply ${view.scene?.ply}, turn ${view.scene?.turn}, faults ${view.faults}`);
}

/** Begins a game by the form. */
export async function begin(view, game, { level = 1, seat = 0, setup, sealed } = {}) {
  const { page } = view;
  await page.check(`input[name=game][value=${game}]`, { force: true });
  await page.check(`input[name=level][value="${level}"]`, { force: true });
  await page.check(`input[name=seat][value="${seat}"]`, { force: true });
  if (sealed !== undefined) await page.setChecked("input[name=sealed]", sealed);
  if (setup) {
    await page.click("details.more > summary");
    await page.fill("input[name=setup]", setup);
  }
  view.scene = null;
  await page.click(".start");
  await page.waitForSelector("svg[role=grid]");
  return until(view, (scene) => scene.moves.length > 0 || scene.over, "the first scene");
}

/** Plays a move of the scene by clicks; answers the question where two moves begin and end alike. */
export async function click(view, [from, to, sent, label], scene = view.scene) {
  const { page } = view;
  if (from >= 0) await page.click(`[data-place="${from}"]`, { force: true });
  await page.click(`[data-place="${to}"]`, { force: true });
  if (scene.moves.filter((move) => move[0] === from && move[1] === to).length > 1) {
    await page.click(`dialog [data-move="${sent}"]`);
  }
  return until(view, (next) => next.ply > scene.ply, `the move ${label}`);
}

/** Numbers that look random and are the same each time. */
export function numbers(seed) {
  return (below) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
}

/** Faults that axe finds in a view, in each theme. */
export async function faultsOf(view, name) {
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");
  await view.page.evaluate(axe);
  const found = [];
  for (const theme of ["light", "dark", "contrast"]) {
    const violations = await view.page.evaluate(async (chosen) => {
      document.documentElement.dataset.theme = chosen;
      // Themes are colours alone: what else may be wrong is looked for in one of them.
      const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
      const only = chosen === "light" ? { type: "tag", values: tags } : { type: "rule", values: ["color-contrast"] };
      const result = await globalThis.axe.run(document, { runOnly: only });
      if (!result.passes.length) return ["axe looked at nothing"];
      return result.violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.target.join(" ") + " " + (node.any[0]?.message ?? "")).join("; ")}`);
    }, theme);
    found.push(...violations.map((one) => `${name}, ${theme}: ${one}`));
  }
  return found;
}
