#!/usr/bin/env python3
"""nguky-ucci driven by the Python package cchess over UCCI, and its Chinese records read by it.

    pip install cchess
    cargo build --release
    python tests/clients/cchess_game.py [GAMES] [FOLDER OF THE BINARIES]

Plays one game of the engine against itself through cchess's own client, which sends a FEN for every move; each answer must be
a move on its board, and the game must end there. Then plays games with `nguky match`, recorded in Chinese, and compares each
move with what cchess calls it. cchess knows no names for soldiers on two crowded files, and numbers four otherwise: those
moves are counted only.
"""

import collections
import os
import re
import subprocess
import sys
import tempfile
import time

from cchess import ChessBoard, FULL_INIT_FEN
from cchess.engine import UcciEngine


def drive(program):
    engine = UcciEngine()
    assert engine.load(program) and engine.wait_for_ready(), "no ucciok"
    engine.set_option("usemillisec", "true")
    board = ChessBoard(FULL_INIT_FEN)
    plies, deadline = 0, time.time() + 300
    while not board.no_moves() and plies < 300:
        engine.go_from(board.to_fen(), {"nodes": 2000})
        action = None
        while action is None or action["action"] not in ("bestmove", "dead", "draw"):
            assert time.time() < deadline, "no answer"
            action = engine.get_action()
            if action is None:
                time.sleep(0.002)
        assert action["action"] == "bestmove", action["raw_msg"]
        assert "score" in action or "mate" in action, f"no score before {action['raw_msg']}"
        move = board.move_iccs(action["move"])
        assert move is not None, f"{action['move']} in {board.to_fen()}"
        board.next_turn()
        plies += 1
    engine.quit()
    return f"a game over UCCI: {plies} moves, {'won' if board.no_moves() else 'left off'}"


def read(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    same, other = 0, collections.Counter()
    for record in text.split('[Game "Chinese Chess"]\n')[1:]:
        tags = dict(re.findall(r'^\[(\w+) "(.*)"\]$', record, re.M))
        board = ChessBoard(tags.get("FEN", FULL_INIT_FEN))
        words = re.sub(r"{[^}]*}", " ", record.split("\n\n", 1)[1]).split()
        moves = [word for word in words[:-1] if not word.endswith(".")]
        assert len(moves) == int(tags["PlyCount"]), record
        for ours in moves:
            if ours[0] in "一二三四五":
                # Which soldier is meant is left to our own tests; the rest of the game cannot be followed.
                other[ours[:2]] += 1
                break
            move = board.copy().move_text(ours)
            assert move is not None, f"cchess does not know {ours} in {board.to_fen()}"
            theirs = move.to_text()
            assert theirs == ours, f"{ours}, cchess says {theirs} in {board.to_fen()}"
            board.move(move.p_from, move.p_to)
            board.next_turn()
            same += 1
    return f"{same} moves named alike, left off at {dict(other)}"


def main():
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    folder = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else "target/release")
    print(drive(f"{folder}/nguky-ucci"))
    with tempfile.TemporaryDirectory() as place:
        record = f"{place}/games.zh.pgn"
        command = [f"{folder}/nguky", "match", "--game", "xiangqi", "--nodes", "400", "--games", str(games)]
        command += ["--record", record]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        print(read(record))


if __name__ == "__main__":
    main()
