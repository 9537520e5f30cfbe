#!/usr/bin/env python3
"""Levels of strength, set by published clients: python-chess in chess, cshogi in shogi.

    pip install chess cshogi
    cargo build --release
    python tests/clients/levels.py [FOLDER OF THE BINARIES]

Each client reads the range of the level from the engine's greeting, sets levels over all of it and lets each search. A level
has to end its search by itself, a stronger one by more nodes than a weaker one; then a middle level of chess plays the weakest.
"""

import os
import sys

import chess
import chess.engine
import cshogi
from cshogi.usi import Engine

FOLDER = sys.argv[1] if len(sys.argv) > 1 else "target/release"


def over(low, high):
    """Three levels of a range."""
    return [low, (low + high) // 2, high]


def grows(game, nodes):
    """Ends with a fault where a stronger level did not search more than a weaker one."""
    print(f"{game}: nodes of a move {nodes}")
    if nodes != sorted(set(nodes)):
        sys.exit(f"FAIL {game}: nodes {nodes} do not grow with the level")


def by_python_chess():
    """Levels by python-chess's `configure`."""
    binary = os.path.join(FOLDER, "nguky-uci")
    with chess.engine.SimpleEngine.popen_uci(binary) as weak, chess.engine.SimpleEngine.popen_uci(binary) as strong:
        option = weak.options["UCI_Elo"]
        levels, nodes = over(option.min, option.max), []
        for elo in levels:
            weak.configure({"UCI_LimitStrength": True, "UCI_Elo": elo})
            nodes.append(weak.analyse(chess.Board(), chess.engine.Limit(time=60))["nodes"])
        grows("chess", nodes)
        try:
            weak.configure({"UCI_Elo": option.max + 1})
            sys.exit("FAIL chess: a level above the range was taken")
        except chess.engine.EngineError:
            pass
        weak.configure({"UCI_LimitStrength": True, "UCI_Elo": option.min})
        strong.configure({"UCI_LimitStrength": True, "UCI_Elo": (option.min + option.max) // 2})
        board = chess.Board()
        while not board.is_game_over(claim_draw=True):
            player = strong if board.turn else weak
            # python-chess ends with an error itself where a move is illegal.
            board.push(player.play(board, chess.engine.Limit(time=10)).move)
        print(f"chess: {board.result(claim_draw=True)} after {board.ply()} plies")
        if board.result(claim_draw=True) != "1-0":
            sys.exit("FAIL chess: the weakest level held its own")


def by_cshogi():
    """Levels by cshogi's `setoption`."""
    engine = Engine(os.path.join(FOLDER, "nguky-usi"), connect=False)
    engine.connect()
    lines = []
    engine.usi(listener=lines.append)
    words = next(line for line in lines if line.startswith("option name Elo ")).split()
    low, high = (int(words[words.index(key) + 1]) for key in ("min", "max"))
    engine.setoption("LimitStrength", "true")
    engine.isready()
    nodes = []
    for elo in over(low, high):
        engine.setoption("Elo", elo)
        engine.usinewgame()
        engine.position()
        said = []
        move, _ = engine.go(byoyomi=60000, listener=said.append)
        if not cshogi.Board().is_legal(cshogi.Board().move_from_usi(move)):
            sys.exit(f"FAIL shogi: {move} is illegal")
        shown = [line.split() for line in said if " nodes " in line]
        nodes.append(int(shown[-1][shown[-1].index("nodes") + 1]))
    engine.quit()
    grows("shogi", nodes)


if __name__ == "__main__":
    by_python_chess()
    by_cshogi()
    print("ok")
