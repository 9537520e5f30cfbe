#!/usr/bin/env python3
"""Games of `nguky match --game shogi`, judged again by the Python package cshogi.

    pip install cshogi
    cargo build --release
    python tests/clients/cshogi_referee.py [GAMES] [FOLDER OF THE BINARIES]

Plays the games at fixed nodes, half of them recorded as CSA and half as KIF, reads the records with cshogi's own parsers,
replays them on its board and compares: the legality of each move, that no game went on after its end, and why it ended.
Then two games are played and refereed by cshogi's own match runner.
"""

import collections
import os
import subprocess
import sys
import tempfile

import cshogi
from cshogi import CSA, KIF


def end_of(board, seen):
    """Why the game is over on this board, or None."""
    if board.is_game_over():
        return "mate"
    if seen[board.zobrist_hash()] >= 4:
        draw = board.is_draw()
        if draw == cshogi.REPETITION_DRAW:
            return "repetition"
        return "perpetual check"
    return None


def judge(setup, moves, reason):
    """Replays a game; the faults found."""
    board = cshogi.Board(setup)
    seen = collections.Counter([board.zobrist_hash()])
    for number, move in enumerate(moves, 1):
        over = end_of(board, seen)
        if over:
            return f"goes on after {over} at move {number}"
        if not board.is_legal(move):
            return f"illegal move {number}: {cshogi.move_to_usi(move)}"
        board.push(move)
        seen[board.zobrist_hash()] += 1
    over = end_of(board, seen)
    ours = {
        "checkmate": "mate",
        "no legal move": "mate",
        "fourfold repetition": "repetition",
        "perpetual check": "perpetual check",
    }.get(reason)
    if ours != over:
        return f"ended by {reason!r}, cshogi says {over}"
    if reason == "declaration" and not board.is_nyugyoku():
        return "declared, but cshogi sees no declaration"
    return None


def csa_games(path):
    with open(path, encoding="utf-8") as file:
        texts = [text for text in file.read().split("/\n") if text.strip()]
    for text in texts:
        (game,) = CSA.Parser.parse_str(text)
        yield game.sfen, game.moves, text.strip().splitlines()[-1].lstrip("'")


def diagram(lines):
    """The SFEN of a KIF head: cshogi's reader knows no board diagrams."""
    if any(line.startswith("手合割：平手") for line in lines):
        return cshogi.STARTING_SFEN
    signs = dict(zip("・歩香桂銀角飛金玉と杏圭全馬龍", ". P L N S B R G K +P +L +N +S +B +R".split()))
    rows, hands = [], {"先手": "", "後手": ""}
    for line in lines:
        if line.startswith("|"):
            cells = [line[i : i + 2] for i in range(1, 19, 2)]
            row = "".join(signs[c[1]].lower() if c[0] == "v" else signs[c[1]] for c in cells)
            for n in range(9, 0, -1):
                row = row.replace("." * n, str(n))
            rows.append(row)
        for side in hands:
            if line.startswith(side + "の持駒：") and not line.endswith("なし"):
                for word in line.split("：")[1].split("　"):
                    number = sum(10 if c == "十" else "一二三四五六七八九".index(c) + 1 for c in word[1:]) or 1
                    letter = signs[word[0]]
                    hands[side] += f"{number if number > 1 else ''}{letter if side == '先手' else letter.lower()}"
    side = "w" if "後手番" in lines else "b"
    return f"{'/'.join(rows)} {side} {hands['先手'] + hands['後手'] or '-'} 1"


def kif_games(path):
    with open(path, encoding="utf-8") as file:
        head, *texts = file.read().split("#KIF version")
    assert not head
    for text in texts:
        lines = text.splitlines()
        setup = diagram(lines)
        board, moves = cshogi.Board(setup), []
        for line in lines[next(i for i, l in enumerate(lines) if l.startswith("手数")) + 1 :]:
            move, _, _ = KIF.Parser.parse_move_str(line, board)
            if move is not None:
                moves.append(move)
                board.push(move)
        reason = [line for line in lines if line.startswith("*")][-1].lstrip("*")
        yield setup, moves, reason


def main():
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    folder = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else "target/release")
    wrong, reasons = 0, collections.Counter()
    with tempfile.TemporaryDirectory() as place:
        for seed, (ending, read) in enumerate([("csa", csa_games), ("kif", kif_games)], 1):
            record = f"{place}/games.{ending}"
            command = [f"{folder}/nguky", "match", "--game", "shogi", "--nodes", "400", "--games", str(games // 2)]
            command += ["--seed", str(seed), "--record", record]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for number, (setup, moves, reason) in enumerate(read(record), 1):
                reasons[reason] += 1
                fault = judge(setup, list(moves), reason)
                if fault:
                    wrong += 1
                    print(f"{ending} game {number}: {fault}")
        print(f"{sum(reasons.values())} games, {wrong} judged otherwise by cshogi; {dict(reasons)}")
        engine = f"{folder}/nguky-usi"
        command = [sys.executable, "-m", "cshogi.cli", engine, engine, "--games", "2", "--byoyomi", "50", "--draw", "60"]
        out = subprocess.run(command, check=True, capture_output=True, text=True, timeout=600, cwd=place).stdout
        print(out.strip().splitlines()[-1] if out.strip() else "cshogi.cli said nothing")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
