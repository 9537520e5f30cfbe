//! `kill -9` at random moments, and disks that fill up: games for training, matches, training and tuning go on where they were
//! cut, lose nothing but what was under way, and end with the files of a run that was never cut.
#![cfg(unix)]

use rand::{RngExt, SeedableRng, rngs::StdRng};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

const ENGINE: &str = env!("CARGO_BIN_EXE_nguky-uci");

/// The chess engine as if built with the feature `tune`: its one number is how many nodes it searches a move.
const TUNED: &str = r#"
{
    n=50
    while read -r line; do
        case $line in
            "setoption name futility_base value "*) n=${line##* };;
            go*) echo "go nodes $n";;
            *) echo "$line";;
        esac
    done
} | "$1" | while read -r line; do
    [ "$line" != uciok ] || echo "option name futility_base type spin default 50 min 0 max 1000"
    echo "$line"
done
"#;

/// A folder of its own, removed when the test ends.
struct Place(TempDir);

impl Place {
    fn new(name: &str) -> Self {
        let folder = TempDir::with_prefix(format!("nguky-interrupted-{name}-")).expect("a folder");
        Self(folder)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.path().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }
}

/// The program; `most` is how large, in blocks of 512 bytes, a file may become (`ulimit -f`): writing beyond it fails as on a full
/// disk, only that the system's words are "File too large".
fn nguky(folder: &Path, words: &str, most: Option<u64>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nguky"));
    if let Some(most) = most {
        command = Command::new("sh");
        let limited = format!("trap '' XFSZ; ulimit -f {most}; exec \"$@\"");
        command.args(["-c", &limited, "sh", env!("CARGO_BIN_EXE_nguky")]);
    }
    let words = words.replace("ENGINE", ENGINE);
    let quoted = words.split('"').enumerate().flat_map(|(i, part)| match i % 2 {
        0 => part.split_whitespace().collect::<Vec<_>>(),
        _ => vec![part],
    });
    command.args(quoted.map(str::to_string).collect::<Vec<_>>());
    command.current_dir(folder).stdin(Stdio::null());
    command
}

/// Runs a command to its end.
fn finish(folder: &Path, words: &str) {
    let out = nguky(folder, words, None).output().expect("nguky runs");
    assert!(
        out.status.success(),
        "{words}: {}",
        String::from_utf8_lossy(&out.stderr)
    );
}

/// Kills a command `kills` times, each time after a random part of `longest`, then lets it end; it begins in a new folder,
/// which `prepare` fills, whenever it came to its end between two kills. What `outcome` reads from the folder has to be what
/// it reads where the command ran in one piece.
fn survives<T: PartialEq + std::fmt::Debug>(
    name: &str,
    words: &str,
    (kills, longest): (u32, Duration),
    prepare: impl Fn(&Path),
    outcome: impl Fn(&Place) -> T,
) {
    let whole = Place::new(&format!("{name}-whole"));
    prepare(whole.0.path());
    finish(whole.0.path(), words);
    let wanted = outcome(&whole);
    let mut rng = StdRng::seed_from_u64(u64::from(kills));
    let mut done = 0;
    while done < kills {
        let place = Place::new(name);
        prepare(place.0.path());
        loop {
            let mut child = nguky(place.0.path(), words, None)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("nguky runs");
            std::thread::sleep(longest.mul_f64(rng.random::<f64>()));
            if let Some(status) = child.try_wait().expect("a process") {
                assert!(status.success(), "{words}: {status}, after {done} kills");
                break;
            }
            child.kill().expect("killed");
            child.wait().expect("gone");
            done += 1;
            if done == kills {
                finish(place.0.path(), words);
                break;
            }
        }
        assert_eq!(outcome(&place), wanted, "after {done} kills");
    }
}

/// Runs a command where no file can grow beyond each of these sizes (blocks of 512 bytes), then where all can: the first run ends
/// with an error that names one of `files`, the second with the outcome of a run in one piece.
fn survives_full_disks<T: PartialEq + std::fmt::Debug>(
    name: &str,
    words: &str,
    sizes: &[u64],
    files: &[&str],
    prepare: impl Fn(&Path),
    outcome: impl Fn(&Place) -> T,
) {
    let whole = Place::new(&format!("{name}-whole"));
    prepare(whole.0.path());
    finish(whole.0.path(), words);
    let wanted = outcome(&whole);
    for &most in sizes {
        let place = Place::new(name);
        prepare(place.0.path());
        let out = nguky(place.0.path(), words, Some(most)).output().expect("nguky runs");
        let told = String::from_utf8_lossy(&out.stderr);
        let line = told.lines().find(|l| l.contains("File too large")).unwrap_or_default();
        assert_eq!(out.status.code(), Some(1), "{name} in {most} blocks: {told}");
        assert!(
            files.iter().any(|f| line.contains(f)),
            "{name} in {most} blocks: {told}"
        );
        assert!(!told.contains("panicked"), "{told}");
        finish(place.0.path(), words);
        assert_eq!(outcome(&place), wanted, "{name} in {most} blocks");
        let left = std::fs::read_dir(place.0.path()).expect("a folder").flatten();
        let left: Vec<_> = left.map(|e| e.file_name()).collect();
        assert!(!left.iter().any(|n| n.to_string_lossy().ends_with(".new")), "{left:?}");
    }
}

const DATAGEN: &str = "datagen --games 60 --nodes 60 --seed 5 --out all.games";
const MATCH: &str = "match --engine \"cmd=ENGINE name=A\" --engine \"cmd=ENGINE name=B\" --nodes 60 --games 16 --seed 3 \
                     --record games.pgn";
const TRAIN: &str = "train --data all.games --hidden 32 --epochs 12 --batch 64 --out tiny.nnue";
const SPSA: &str =
    "spsa --engine \"cmd=sh tuned.sh ENGINE\" --only futility_base --nodes 1 --pairs 12 --rate 0.1 --concurrency";

/// Of each game its round, its moves and its result: what remains are times of day and times on the clock.
fn played_games(place: &Place) -> Vec<(String, String)> {
    let text = String::from_utf8(place.read("games.pgn")).expect("text");
    let mut games: Vec<_> = text
        .split("[Event ")
        .skip(1)
        .map(|game| {
            let (_, rest) = game.split_once("[Round \"").expect("a round");
            let (round, rest) = rest.split_once('"').expect("its end");
            let moves = rest.split_once("\n\n").expect("moves").1;
            let bare = moves.split('{').map(|part| part.split_once('}').map_or(part, |p| p.1));
            let words: Vec<&str> = bare.flat_map(str::split_whitespace).collect();
            (round.to_string(), words.join(" "))
        })
        .collect();
    games.sort();
    games
}

/// The state of a tuning that is over.
fn tuned(place: &Place) -> String {
    let text = String::from_utf8(place.read("spsa.json")).expect("text");
    let state: serde_json::Value = serde_json::from_str(&text).expect("a state");
    assert_eq!(
        (&state["done"], &state["beyond"]),
        (&12.into(), &serde_json::json!([])),
        "{text}"
    );
    assert!(place.0.path().join("spsa.svg").exists());
    text
}

/// Puts the engine of [`SPSA`] into a folder.
fn put_tuned(folder: &Path) {
    std::fs::write(folder.join("tuned.sh"), TUNED).expect("written");
}

/// Makes the games that [`TRAIN`] learns from, and what puts them into a folder.
fn training_games() -> impl Fn(&Path) {
    let shard = Place::new("train-shard");
    finish(shard.0.path(), "datagen --games 40 --nodes 40 --out all.games");
    move |folder| {
        std::fs::copy(shard.0.path().join("all.games"), folder.join("all.games")).expect("copied");
    }
}

fn datagen(kills: u32, at_a_time: &[u32]) {
    for threads in at_a_time {
        survives(
            &format!("datagen-{threads}"),
            &format!("{DATAGEN} --threads {threads}"),
            (kills, Duration::from_millis(700)),
            |_| (),
            |place| place.read("all.games"),
        );
    }
}

fn played_match(kills: u32, at_a_time: &[u32]) {
    for concurrency in at_a_time {
        survives(
            &format!("match-{concurrency}"),
            &format!("{MATCH} --concurrency {concurrency}"),
            (kills, Duration::from_millis(900)),
            |_| (),
            played_games,
        );
    }
}

fn train(kills: u32, at_a_time: &[u32]) {
    let prepare = training_games();
    for threads in at_a_time {
        survives(
            &format!("train-{threads}"),
            &format!("{TRAIN} --threads {threads}"),
            (kills, Duration::from_millis(700)),
            &prepare,
            |place| place.read("tiny.nnue"),
        );
    }
}

fn spsa(kills: u32, at_a_time: &[u32]) {
    // Two at a time, the values depend on which pair ends first: there only how many pairs were played is the same.
    for &concurrency in at_a_time {
        survives(
            &format!("spsa-{concurrency}"),
            &format!("{SPSA} {concurrency}"),
            (kills, Duration::from_millis(1500)),
            put_tuned,
            |place| {
                if concurrency == 1 {
                    tuned(place)
                } else {
                    drop(tuned(place));
                    String::new()
                }
            },
        );
    }
}

// Full at once, and in the midst of the work: at a torn record, a torn state, a torn network or picture.

#[test]
fn a_full_disk_leaves_no_mark_on_datagen() {
    let games = |place: &Place| place.read("all.games");
    survives_full_disks("full-datagen", DATAGEN, &[0, 3, 20], &["all.games"], |_| (), games);
}

#[test]
fn a_full_disk_leaves_no_mark_on_a_match() {
    let files = &["games.pgn", "games.pgn.state.json"];
    survives_full_disks("full-match", MATCH, &[0, 4, 11], files, |_| (), played_games);
}

#[test]
fn a_full_disk_leaves_no_mark_on_training() {
    let (prepare, net) = (training_games(), |place: &Place| place.read("tiny.nnue"));
    survives_full_disks("full-train", TRAIN, &[0, 100, 170], &["tiny."], prepare, net);
}

#[test]
fn a_full_disk_leaves_no_mark_on_tuning() {
    let words = format!("{SPSA} 1");
    survives_full_disks("full-spsa", &words, &[0, 1, 3], &["spsa."], put_tuned, tuned);
}

#[test]
fn a_few_kills_leave_no_mark() {
    datagen(2, &[2]);
    played_match(2, &[2]);
    train(2, &[2]);
    spsa(2, &[2]);
}

#[test]
#[ignore = "some minutes"]
fn a_hundred_kills_of_datagen_leave_no_mark() {
    datagen(100, &[1, 2]);
}

#[test]
#[ignore = "some minutes"]
fn a_hundred_kills_of_a_match_leave_no_mark() {
    played_match(100, &[1, 2]);
}

#[test]
#[ignore = "some minutes"]
fn a_hundred_kills_of_training_leave_no_mark() {
    train(100, &[1, 2]);
}

#[test]
#[ignore = "some minutes"]
fn a_hundred_kills_of_tuning_leave_no_mark() {
    spsa(100, &[1, 2]);
}
