// Measures the page: how fast, how small, how steady. Prints figures and fails nothing: a machine under load gives others.
//
//     node bench/web/bars.mjs [click load watchers busy replies live long kill sockets fuzz idle]
//
// Takes the program of target/release (another one: NGUKY_BIN); click and load need chromium and `npm ci` in tests/web.

import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { begin, BINARY, launch, numbers, openPage, Server, until } from "../../tests/web/harness.mjs";
import { OPENINGS, put } from "../../tests/web/matches.mjs";
import { Socket } from "./socket.mjs";

const later = (ms) => new Promise((done) => setTimeout(done, ms));
const share = (list, p) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(p * list.length))];
const told = (list, unit = "ms") => `median ${Math.round(share(list, 0.5))} ${unit}, 95 % ${Math.round(share(list, 0.95))}, most ${Math.round(share(list, 1))} (${list.length})`;
const say = (...words) => console.log(...words, `[load ${loadavg()[0].toFixed(1)}]`);
const status = (pid, name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]);
/** Seconds of processor time of a process or thread. */
const cpu = (file) => Number(readFileSync(`${file}/schedstat`, "utf8").split(" ")[0]) / 1e9;
const threads = (pid) => readdirSync(`/proc/${pid}/task`).map((id) => `/proc/${pid}/task/${id}`);
const whole = (pid) => threads(pid).reduce((sum, file) => sum + cpu(file), 0);
/** The processes that a process started. */
const children = (pid) => [...new Set(readdirSync(`/proc/${pid}/task`).flatMap((id) => readFileSync(`/proc/${pid}/task/${id}/children`, "utf8").trim().split(" ")).filter(Boolean))];

/** Runs a server of its own. */
async function withServer(act) {
  const server = new Server();
  await server.start();
  try {
    return await act(server);
  } finally {
    await server.close();
  }
}

/** The number of the first match, as soon as the server shows one. */
async function listed(socket) {
  const shown = socket.next((message) => message.t === "matches" && message.matches.length > 0);
  socket.send("matches");
  return (await shown).matches[0].id;
}

/** Fifty watchers of a match of eight boards, in both languages. */
async function watching(server, match, heard = (number) => () => {}) {
  const sockets = [];
  for (let i = 0; i < 50; i++) {
    const socket = await new Socket(server.link, heard(i)).hello(i % 2 ? "vi" : "en");
    socket.send("watch", { match, game: i % 9 === 8 ? null : i % 9 });
    sockets.push(socket);
  }
  return sockets;
}

/** A match in a folder; engines with little memory. */
function match(folder, more) {
  const engine = (name) => ["--engine", `cmd=${path.join(path.dirname(BINARY), "nguky-uci")} name=${name} option.Hash=${name === "A" ? 1 : 2}`];
  return spawn(BINARY, ["match", ...engine("A"), ...engine("B"), ...more], { cwd: folder, stdio: "ignore" });
}

const BARS = {
  /** From the click to the own move on the board and to the engine's reply, by the page's clock. */
  async click() {
    await withServer(async (server) => {
      const browser = await launch();
      for (const game of ["chess", "coup", "xiangqi", "shogi", "go"]) {
        const view = await openPage({ browser, server });
        const random = numbers(7);
        await begin(view, game, { level: 1 });
        await view.page.evaluate(() => {
          globalThis.seen = [];
          addEventListener("pointerup", () => (globalThis.seen = [performance.now()]), true);
          new MutationObserver(() => globalThis.seen.push(performance.now(), document.querySelectorAll("button.move").length)).observe(document.querySelector("ol.moves"), { childList: true });
        });
        const [own, reply] = [[], []];
        while (!view.scene.over && own.length < 40) {
          const scene = view.scene;
          const [from, to] = scene.moves[random(scene.moves.length)];
          if (scene.moves.filter((move) => move[0] === from && move[1] === to).length > 1) continue;
          if (from >= 0) await view.page.click(`[data-place="${from}"]`, { force: true });
          await view.page.click(`[data-place="${to}"]`, { force: true });
          await until(view, (next) => next.over || (next.ply >= scene.ply + 2 && !next.thinking), "the reply");
          await later(60);
          const seen = await view.page.evaluate(() => globalThis.seen);
          for (const [list, ply] of [[own, scene.ply + 1], [reply, scene.ply + 2]]) {
            const at = seen.findIndex((value, i) => i > 0 && i % 2 === 0 && value >= ply);
            if (at > 0) list.push(seen[at - 1] - seen[0]);
          }
        }
        say(`click, ${game}: own move ${told(own)}; reply at level 1 ${told(reply)}`);
        await view.context.close();
      }
      await browser.close();
    });
  },

  /** What the first load takes, and how soon the page is of use. */
  async load() {
    await withServer(async (server) => {
      const browser = await launch();
      for (const slower of [1, 4]) {
        const context = await browser.newContext();
        const page = await context.newPage();
        const session = await context.newCDPSession(page);
        await session.send("Emulation.setCPUThrottlingRate", { rate: slower });
        let [bytes, foreign] = [0, 0];
        const files = new Set();
        await session.send("Network.enable");
        session.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
        page.on("request", (request) => {
          files.add(request.url());
          foreign += new URL(request.url()).origin === server.origin ? 0 : 1;
        });
        await page.addInitScript(() => {
          const watch = new MutationObserver(() => {
            if (!document.querySelector(".home .start")) return;
            watch.disconnect();
            globalThis.usable = performance.now();
          });
          watch.observe(document, { childList: true, subtree: true });
        });
        await page.goto(server.link);
        await page.waitForFunction(() => globalThis.usable);
        say(`load, processor ${slower} times slower: usable after ${Math.round(await page.evaluate(() => globalThis.usable))} ms; ${files.size} files, ${(bytes / 1000).toFixed(1)} kB sent with headers, ${foreign} foreign requests`);
        await context.close();
      }
      await browser.close();
      for (const [game, more, plies] of [["chess", {}, 300], ["xiangqi", {}, 300], ["coup", {}, 300], ["shogi", {}, 300], ["go", { size: 19 }, 300]]) {
        let largest = 0;
        const socket = await new Socket(server.link, (message, text) => message.t === "scene" && (largest = Math.max(largest, text.length))).hello("vi");
        const random = numbers(3);
        let wait = socket.next((message) => message.t === "scene");
        socket.send("new", { game, seat: 2, ...more });
        let scene = await wait;
        while (!scene.over && scene.ply < plies && scene.moves.length) {
          wait = socket.next((message) => message.t === "scene" && message.ply > scene.ply);
          socket.send("move", { id: scene.id, rev: scene.rev, m: scene.moves[random(scene.moves.length)][2] });
          scene = await wait;
          await later(21);
        }
        say(`load, largest scene of ${scene.ply} half-moves of ${game}: ${(largest / 1000).toFixed(1)} kB`);
        socket.drop();
      }
    });
  },

  /** Fifty watchers of a match of eight boards: how late the moves come, and what the server takes. */
  async watchers() {
    await withServer(async (server) => {
      const pid = server.child.pid;
      const first = await new Socket(server.link).hello();
      await later(500);
      const idle = status(pid, "VmRSS");
      const running = match(server.matches, ["--games", "1000", "--concurrency", "8", "--movetime", "400", "--margin-ms", "60000"]);
      const id = await listed(first);
      first.drop();
      const late = [];
      const plies = new Map();
      const heard = (number) => (message) => {
        if (message.t !== "live") return;
        for (const board of message.boards) {
          const key = `${number}.${board.place}`;
          const now = `${board.key}.${board.ply}`;
          if (plies.has(key) && plies.get(key) !== now && board.ply > board.opening && !board.over) late.push(Date.now() - board.since);
          plies.set(key, now);
        }
      };
      const sockets = await watching(server, id, heard);
      await later(3_000);
      late.length = 0;
      const [from, at] = [whole(pid), Date.now()];
      await later(30_000);
      const used = (whole(pid) - from) / ((Date.now() - at) / 1000);
      say(`watchers: updates after the move ${told(late)}; server ${(100 * used).toFixed(1)} % of a core, ${((status(pid, "VmRSS") - idle) / 1024).toFixed(1)} MB above idle`);
      sockets.forEach((socket) => socket.drop());
      running.kill("SIGKILL");
    });
  },

  /** A match of eight boards that fills the machine: what fifty watchers take from it. */
  async busy() {
    await withServer(async (server) => {
      const first = await new Socket(server.link).hello();
      const nodes = 20_000;
      const running = match(server.matches, ["--games", "100000", "--concurrency", "8", "--nodes", String(nodes)]);
      const id = await listed(first);
      // One more viewer, there all the time, counts the moves; each takes the same number of nodes.
      let moves = 0;
      const plies = new Map();
      const count = (message) => {
        if (message.t !== "live") return;
        for (const board of message.boards) {
          const [key, ply] = plies.get(board.place) ?? [board.key, board.ply];
          moves += board.key === key ? board.ply - ply : board.ply - board.opening;
          plies.set(board.place, [board.key, board.ply]);
        }
      };
      const counter = await new Socket(server.link, count).hello();
      counter.send("watch", { match: id, game: null });
      const engines = () => children(running.pid).reduce((sum, pid) => sum + whole(pid), 0);
      const rates = { moves: [[], []], engines: [[], []] };
      await later(3_000);
      for (let step = 0; step < 24; step++) {
        const sockets = step % 2 ? await watching(server, id) : [];
        await later(1_500);
        const [at, from, spent] = [Date.now(), moves, engines()];
        await later(10_000);
        const seconds = (Date.now() - at) / 1000;
        rates.moves[step % 2].push((moves - from) / seconds);
        rates.engines[step % 2].push((engines() - spent) / seconds);
        sockets.forEach((socket) => socket.drop());
      }
      for (const [name, [without, beside]] of Object.entries(rates)) {
        const [a, b] = [share(without, 0.5), share(beside, 0.5)];
        const unit = name === "moves" ? `moves of ${nodes} nodes a second` : "processors busy with engines";
        say(`busy: ${a.toFixed(3)} ${unit}, with 50 watchers ${b.toFixed(3)}: ${(100 * (1 - b / a)).toFixed(2)} % lost (medians of ${without.length} windows each)`);
      }
      [first, counter].forEach((socket) => socket.drop());
      running.kill("SIGKILL");
    });
  },

  /** How soon a game at full strength gets its replies beside such a match, fifty watchers and an analysis. */
  async replies() {
    await withServer(async (server) => {
      const first = await new Socket(server.link).hello();
      const running = match(server.matches, ["--games", "100000", "--concurrency", "8", "--nodes", "20000"]);
      const sockets = await watching(server, await listed(first));
      const analyst = await new Socket(server.link).hello();
      const shown = analyst.next((message) => message.t === "scene");
      analyst.send("new", { game: "chess", seat: 2 });
      analyst.send("think", { id: (await shown).id, ply: 0, on: true, lines: 3 });
      for (const game of ["chess", "coup", "go"]) {
        const socket = await new Socket(server.link).hello();
        const random = numbers(17);
        const late = [];
        while (late.length < 40) {
          let wait = socket.next((message) => message.t === "scene");
          socket.send("new", { game, seat: 0, level: 8, sealed: false });
          let scene = await wait;
          while (!scene.over && late.length < 40) {
            const ply = scene.ply;
            wait = socket.next((message) => message.t === "scene" && (message.over || (message.ply >= ply + 2 && !message.thinking)));
            const at = Date.now();
            socket.send("move", { id: scene.id, rev: scene.rev, m: scene.moves[random(scene.moves.length)][2] });
            scene = await wait;
            late.push(Date.now() - at);
          }
        }
        say(`replies: ${game} at full strength (1000 ms) beside match, watchers and analysis after ${told(late)}`);
        socket.drop();
      }
      [first, analyst, ...sockets].forEach((socket) => socket.drop());
      running.kill("SIGKILL");
    });
  },

  /** The live file's thread against all that the match takes. */
  async live() {
    const folder = mkdtempSync(path.join(tmpdir(), "nguky-bars-"));
    const running = match(folder, ["--games", "100000", "--concurrency", "2", "--tc", "1+0.01"]);
    await later(60_000);
    const all = children(running.pid);
    const own = threads(running.pid).filter((file) => readFileSync(`${file}/comm`, "utf8").trim() === "live").map(cpu)[0];
    const sum = whole(running.pid) + all.reduce((total, pid) => total + whole(pid), 0);
    const file = readdirSync(folder).find((name) => name.endsWith(".live.json"));
    const size = readFileSync(path.join(folder, file)).length;
    const games = JSON.parse(readFileSync(path.join(folder, file), "utf8")).standing.games;
    say(`live: its thread ${own.toFixed(3)} s of ${sum.toFixed(1)} s of processor time, ${((100 * own) / sum).toFixed(3)} %; ${games} games, file ${size} bytes`);
    running.kill("SIGKILL");
    await later(500);
    rmSync(folder, { recursive: true, force: true });
  },

  /** The server is killed at random moments of a game of cờ úp: nothing is lost, nothing is doubled. */
  async kill() {
    await withServer(async (server) => {
      const random = numbers(11);
      const faults = [];
      const back = [];
      let socket = await new Socket(server.link).hello();
      const opened = (id) => {
        const parts = {};
        const both = socket.next((message) => {
          if (message.t === "seal") parts.seal = message.digest;
          if (message.t === "scene" && (id === null || message.id === id)) parts.scene = message;
          return parts.seal && parts.scene;
        });
        return both.then(() => parts);
      };
      let wait = opened(null);
      socket.send("new", { game: "coup", seat: 0, level: 1, sealed: false });
      let { scene, seal } = await wait;
      let games = 1;
      for (let i = 0; i < 100; i++) {
        if (scene.over || scene.ply > 120) {
          wait = opened(null);
          socket.send("new", { game: "coup", seat: 0, level: 1, sealed: false });
          ({ scene, seal } = await wait);
          games += 1;
        }
        const seen = [scene];
        socket.heard = (message) => message.t === "scene" && message.id === scene.id && seen.push(message);
        if (random(5) === 0 && scene.keys.includes("undo") && scene.ply >= 2) socket.send("press", { id: scene.id, rev: scene.rev, key: "undo" });
        else if (scene.moves.length) socket.send("move", { id: scene.id, rev: scene.rev, m: scene.moves[random(scene.moves.length)][2] });
        await later(random(120));
        await server.kill();
        await later(5);
        const last = seen[seen.length - 1];
        const at = Date.now();
        await server.start();
        socket = await new Socket(server.link).hello();
        wait = opened(scene.id);
        socket.send("open", { id: scene.id });
        const after = await wait;
        back.push(Date.now() - at);
        if (after.seal !== seal) faults.push(`${i}: another seal`);
        // The last scene that was sent, or what followed it unsent: one more move of either side, or a take-back.
        const [before, now] = [last.played.join(" "), after.scene.played.join(" ")];
        if (!now.startsWith(before) && !before.startsWith(now)) faults.push(`${i}: ${before} became ${now}`);
        if (now === before && JSON.stringify([last.pieces, last.pool, last.taken, last.unseen]) !== JSON.stringify([after.scene.pieces, after.scene.pool, after.scene.taken, after.scene.unseen])) faults.push(`${i}: another board`);
        if (!after.scene.over && after.scene.thinking) {
          scene = await socket.next((message) => message.t === "scene" && message.id === after.scene.id && !message.thinking);
        } else scene = after.scene;
      }
      const list = socket.next((message) => message.t === "games");
      socket.send("list");
      const kept = (await list).games.length;
      say(`kill: 100 times kill -9, ${faults.length} faults, ${games} games begun, ${kept} kept; game shown again ${told(back)} after the restart`, faults.slice(0, 3));
      socket.drop();
    });
  },

  /** A match of 100,000 games: its live file, and the page that shows it while the file is written 400 times. */
  async long() {
    await withServer(async (server) => {
      const browser = await launch();
      const moves = OPENINGS.chess[1].split(" ").concat(Array.from({ length: 37 }, () => ["g1f3", "g8f6", "f3g1", "f6g8"]).flat().slice(2));
      const path = Array.from({ length: 512 }, (_, i) => [196 * (i + 1), 4.5 + Math.sin(i / 9), 31.25 / Math.sqrt(i + 1), i / 200]);
      const write = (step) => {
        const whole = put(server.matches, "long", "chess", { boards: 8, moves: moves.slice(0, 60 + (step % 80)), test: { elo0: 0, elo1: 5, low: -2.94, high: 2.94 } });
        const file = `${server.matches}/long.live.json`;
        const text = JSON.stringify({ ...whole, spec: { ...whole.spec, total: 100_000 }, standing: { ...whole.standing, games: 99_000 + step }, path });
        writeFileSync(file, text);
        return Buffer.byteLength(text);
      };
      const size = write(0);
      const view = await openPage({ browser, server });
      const tools = await view.context.newCDPSession(view.page);
      await view.page.locator(".matches a").click();
      await view.page.waitForSelector(".match-card");
      await view.page.locator(".match-card").first().click();
      await view.page.waitForSelector(".game-card .moves li");
      const heap = async () => {
        await tools.send("HeapProfiler.collectGarbage");
        return (await tools.send("Runtime.getHeapUsage")).usedSize / 1e6;
      };
      const before = await heap();
      for (let step = 1; step <= 400; step++) {
        write(step);
        await later(100);
      }
      say(`long: a match of 100000 games has a live file of ${(size / 1000).toFixed(0)} kB; heap of the page ${before.toFixed(1)} MB, after 400 changes ${(await heap()).toFixed(1)} MB`);
      await browser.close();
    });
  },

  /** Sockets that are opened and dropped. */
  async sockets() {
    await withServer(async (server) => {
      const pid = server.child.pid;
      const before = [status(pid, "Threads"), status(pid, "VmRSS")];
      let failed = 0;
      for (let i = 0; i < 10_000; i += 40) {
        const all = Array.from({ length: 40 }, () => new Socket(server.link));
        await Promise.all(all.map((socket, j) => (j % 2 ? socket.hello() : socket.open).catch(() => (failed += 1))));
        all.forEach((socket) => socket.drop());
      }
      await later(1_000);
      const alive = await new Socket(server.link).hello();
      say(`sockets: 10000 opened and dropped, ${failed} refused; threads ${before[0]} before, ${status(pid, "Threads")} after; ${((status(pid, "VmRSS") - before[1]) / 1024).toFixed(1)} MB more`);
      alive.drop();
    });
  },

  /** Random messages: nothing ends, nothing changes, no memory goes. */
  async fuzz() {
    await withServer(async (server) => {
      const pid = server.child.pid;
      const random = numbers(5);
      const types = ["list", "open", "move", "type", "press", "at", "peek", "save", "think", "new", "bye", "hello", "review", "halt", "try", "pick", "matches", "watch", "load", ""];
      const fields = ["id", "rev", "m", "text", "key", "ply", "on", "lines", "line", "upto", "format", "game", "match", "setup", "level", "effort", "number", "rules", "size"];
      const values = ["", "\u0000../../etc/passwd", -1, 1e300, null, true, [], {}, [[[[]]]], "e2e4", "x".repeat(500), 7, 1 << 30, "chess", "go"];
      let base = 0;
      let closed = 0;
      let socket = null;
      for (let i = 0; i < 100_000; i++) {
        if (!socket || socket.socket.destroyed || i % 60 === 0) {
          socket?.drop();
          socket = await new Socket(server.link).hello().catch(() => null);
          if (!socket) {
            closed += 1;
            await later(50);
            continue;
          }
        }
        const message = { t: types[random(types.length)], n: i };
        for (let k = random(5); k > 0; k--) message[fields[random(fields.length)]] = values[random(values.length)];
        // New games and reviews would measure those.
        if (message.t === "new" && ["chess", "go"].includes(message.game)) message.game = "checkers";
        socket.text(random(20) ? JSON.stringify(message) : JSON.stringify(message).slice(0, random(40)));
        if (i === 20_000) base = status(pid, "VmRSS");
      }
      await later(500);
      const alive = await new Socket(server.link).hello();
      say(`fuzz: 100000 messages, the server answers; ${((status(pid, "VmRSS") - base) / 1024).toFixed(1)} MB more than after 20000; ${closed} connections refused`);
      alive.drop();
    });
  },

  /** What an open page takes, and analysis after its viewers left. */
  async idle() {
    await withServer(async (server) => {
      const pid = server.child.pid;
      const socket = await new Socket(server.link).hello();
      socket.send("matches");
      const opened = socket.next((message) => message.t === "scene");
      socket.send("new", { game: "chess", seat: 2 });
      const scene = await opened;
      await later(1_000);
      const over = async (seconds) => {
        const from = whole(pid);
        await later(1000 * seconds);
        return (100 * (whole(pid) - from)) / seconds;
      };
      const idle = await over(20);
      const thinks = socket.next((message) => message.t === "think");
      socket.send("think", { id: scene.id, ply: 0, on: true, lines: 1 });
      await thinks;
      const busy = await over(5);
      socket.drop();
      await later(1_000);
      say(`idle: an open page ${idle.toFixed(2)} % of a core, with analysis ${busy.toFixed(0)} %, a second after its tab is gone ${(await over(10)).toFixed(2)} %`);
    });
  },
};

const wanted = process.argv.slice(2);
for (const [name, measure] of Object.entries(BARS)) if (!wanted.length || wanted.includes(name)) await measure();
process.exit(0);
