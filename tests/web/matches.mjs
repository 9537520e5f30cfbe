// Made-up matches: what `nguky match` writes while it runs.

import { renameSync, writeFileSync } from "node:fs";
import path from "node:path";

/** The openings that the made-up boards show, by game. */
export const OPENINGS = {
  chess: ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6"],
  xiangqi: ["rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1", "h2e2 h9g7 h0g2 i9h9"],
  shogi: ["lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", "7g7f 3c3d 8h2b+ 3a2b"],
  go: ["", "D4 Q16 Q4 D16 C6"],
};

/** Puts a made-up match where the server looks for matches. */
export function put(folder, name, game, { boards = 2, engines = ["Ngũ Kỳ 0.2", "Another engine with a long name"], end = null, test = null, table = [], moves = null } = {}) {
  const now = Date.now();
  const [setup, opening] = OPENINGS[game];
  const list = moves ?? opening.split(" ");
  const running = Array.from({ length: boards }, (_, i) => ({
    pair: [0, 1], number: i, round: `${1 + (i >> 1)}.${1 + (i % 2)}`, order: i % 2 ? [1, 0] : [0, 1], setup, moves: moves ? list.slice(0, Math.max(2, list.length - 7 * i)) : list, opening: 2,
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
  const file = path.join(folder, `${name}.live.json`);
  writeFileSync(`${file}.new`, JSON.stringify(whole));
  renameSync(`${file}.new`, file);
  return whole;
}

export const TEST = { elo0: 0, elo1: 5, low: -2.94, high: 2.94 };
export const TABLE = [{ engine: 2, wdl: [20, 10, 5], elo: 60.1, error: 40.2, faults: 0 }, { engine: 0, wdl: [15, 10, 10], elo: 11, error: null, faults: 1 }, { engine: 1, wdl: [5, 10, 25], elo: null, error: null, faults: 0 }];
