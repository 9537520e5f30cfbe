#!/usr/bin/env python3
"""Games of `nguky match --game xiangqi`, judged again by the Python package pyffish.

    pip install pyffish
    cargo build --release
    python tests/clients/pyffish_referee.py [GAMES] [FOLDER OF THE BINARIES]

Plays the games at fixed nodes under the Asian code, reads the record, replays it with pyffish and compares: the legality of
each move, that no game went on after its end, why it ended, and who won. pyffish's limit of 50 moves is switched off; the
limit of 60 moves, where checks beyond a side's tenth do not count, is counted here by its rules of check.
"""

import collections
import os
import re
import subprocess
import sys
import tempfile

import pyffish

VARIANT = "referee"
pyffish.load_variant_config(f"[{VARIANT}:xiangqi]\nnMoveRule = 0\n")
LIMIT, COUNTED = 120, 10


class Quiet:
    """Half-moves that count for the natural limit."""

    def __init__(self):
        self.number, self.checks, self.spared = 0, [0, 0], False

    def move(self, side, capture, check):
        if capture:
            self.__init__()
            self.checks[side] = int(check)
            return
        answers, self.spared = self.spared, False
        if check:
            self.checks[side] += 1
            self.spared = self.checks[side] > COUNTED
        if not answers and not self.spared:
            self.number += 1


def end_of(fen, moves, quiet):
    """Why the game is over and what it is worth to the side to move, or None."""
    if not pyffish.legal_moves(VARIANT, fen, moves):
        return ("mate", pyffish.game_result(VARIANT, fen, moves))
    if all(pyffish.has_insufficient_material(VARIANT, fen, moves)):
        return ("material", 0)
    if quiet.number >= LIMIT:
        return ("limit", 0)
    over, value = pyffish.is_optional_game_end(VARIANT, fen, moves)
    return ("repetition", value) if over else None


OURS = {
    "checkmate": "mate",
    "no legal move": "mate",
    "no piece left to win with": "material",
    "natural limit": "limit",
    "repetition": "repetition",
    "perpetual check": "repetition",
    "perpetual chase": "repetition",
}


def judge(fen, moves, reason, result):
    """Replays a game; what pyffish has against it."""
    quiet, first = Quiet(), fen.split()[1] == "b"
    for number, move in enumerate(moves):
        before = moves[:number]
        over = end_of(fen, before, quiet)
        if over:
            return f"goes on after {over} at move {number}"
        if move not in pyffish.legal_moves(VARIANT, fen, before):
            return f"illegal move {number + 1}: {move}"
        capture = pyffish.is_capture(VARIANT, fen, before, move)
        quiet.move((number + first) % 2, capture, pyffish.gives_check(VARIANT, fen, before + [move]))
    over = end_of(fen, moves, quiet)
    if OURS.get(reason) != (over and over[0]):
        return f"ended by {reason!r}, pyffish says {over}"
    if over:
        black = (len(moves) + first) % 2
        value = -over[1] if black else over[1]
        theirs = "1/2-1/2" if value == 0 else "1-0" if value > 0 else "0-1"
        if result != theirs:
            return f"{result} by {reason!r}, pyffish says {theirs}"
    return None


def games(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for record in text.split('[Game "Chinese Chess"]\n')[1:]:
        tags = dict(re.findall(r'^\[(\w+) "(.*)"\]$', record, re.M))
        body = record.split("\n\n", 1)[1]
        reason = re.sub(r"\s+", " ", re.findall(r"{([^}]*)}", body)[-1])
        played = re.findall(r"\b([A-I])(\d)-([A-I])(\d)\b", re.sub(r"{[^}]*}", " ", body))
        # pyffish counts ranks from 1.
        moves = [f"{a.lower()}{int(b) + 1}{c.lower()}{int(d) + 1}" for a, b, c, d in played]
        assert len(moves) == int(tags["PlyCount"]), record
        yield tags.get("FEN") or pyffish.start_fen(VARIANT), moves, reason, tags["Result"]


def main():
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    folder = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else "target/release")
    wrong, plies, reasons = 0, 0, collections.Counter()
    with tempfile.TemporaryDirectory() as place:
        record = f"{place}/games.pgn"
        command = [f"{folder}/nguky", "match", "--game", "xiangqi", "--nodes", "400", "--games", str(number)]
        command += ["--rule", "RepetitionRule=asian", "--record", record]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for index, (fen, moves, reason, result) in enumerate(games(record), 1):
            reasons[reason] += 1
            plies += len(moves)
            fault = judge(fen, moves, reason, result)
            if fault:
                wrong += 1
                print(f"game {index}: {fault}\n  {fen} moves {' '.join(moves)}")
    print(f"{sum(reasons.values())} games, {plies} moves, {wrong} judged otherwise by pyffish; {dict(reasons)}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
