#!/usr/bin/env python3
"""Shards of games by HyperQueue (pip install hyperqueue), one task a seed; the same command goes on after a kill.

    hyperqueue_shards.py NGUKY GAME FIRST-SEED LAST-SEED GAMES-A-SHARD FOLDER [options of nguky datagen]

Uses the server that `hq server start` left in HQ_SERVER_DIR (say ~/.hq-server/hq-current), with all machines that run
`hq worker start`; without that variable a server and a worker on this machine alone.
"""
import os
import sys
from pathlib import Path

from hyperqueue import Client, Job, LocalCluster
from hyperqueue.cluster import WorkerConfig


def run(client, words):
    nguky, game, first, last, games, folder, *rest = words
    folder = Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    job = Job(max_fails=3)
    shards = []
    for seed in range(int(first), int(last) + 1):
        out = folder / f"{game}-{seed}.games"
        shards.append(out)
        job.program(
            [str(Path(nguky).resolve()), "datagen", "--game", game, "--seed", str(seed), "--games", games]
            + ["--out", str(out), *rest],
            stderr=str(out.with_suffix(".log")),
        )
    client.wait_for_jobs([client.submit(job)])
    # Records stand for themselves: files of games are merged by putting one behind the other.
    with open(folder / f"{game}.games", "wb") as merged:
        for out in shards:
            merged.write(out.read_bytes())


def main():
    if len(sys.argv) < 7:
        sys.exit(__doc__)
    server = os.environ.get("HQ_SERVER_DIR")
    if server:
        run(Client(Path(server)), sys.argv[1:])
        return
    with LocalCluster() as cluster:
        cluster.start_worker(WorkerConfig(cores=os.cpu_count()))
        run(cluster.client(), sys.argv[1:])


if __name__ == "__main__":
    main()
