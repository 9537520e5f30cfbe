#!/bin/sh
# Shards of games by GNU parallel, one file a seed; the same command goes on after a kill, on what is not finished.
#   parallel.sh NGUKY GAME FIRST-SEED LAST-SEED GAMES-A-SHARD FOLDER [options of nguky datagen]
# On several machines: export PARALLEL='--sshloginfile hosts --workdir .' (the folder and nguky must be there too).
set -eu
[ $# -ge 6 ] || { sed -n 2,4p "$0" >&2; exit 2; }
nguky=$1 game=$2 first=$3 last=$4 games=$5 folder=$6
shift 6
mkdir -p "$folder"
seq "$first" "$last" | parallel --joblog "$folder/$game.log" --resume --resume-failed --halt soon,fail=3 \
    "$nguky" datagen --game "$game" --seed {} --games "$games" --out "$folder/$game-{}.games" "$@" "2>$folder/$game-{}.log"
cat "$folder/$game"-*[0-9].games >"$folder/$game.games"
