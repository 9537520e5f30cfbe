//! What surrounds the games of a match: which engines and files take part, where they are kept, and what is said.
//!
//! The engines are shell scripts that shuffle a piece to and fro until the rules call it a draw.
#![cfg(unix)]

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Arguments: the game (or gtp), how long a move takes in seconds, what else it does. Every fourth half-move brings the
/// position back.
const SCRIPT: &str = r#"
game=$1; pause=$2; manner=$3; n=0; net=built-in
case $game in
    chess) set -- g1f3 g8f6 f3g1 f6g8;;
    xiangqi) set -- h0g2 h9g7 g2h0 g7h9;;
    shogi) set -- 5i5h 5a5b 5h5i 5b5a;;
esac
a=$1; b=$2; c=$3; d=$4
while read -r line; do
    case $line in
        uci|ucci|usi)
            case $manner in silent) continue;; only-*) [ "$manner" = "only-$line" ] || continue;; esac
            echo "id name fake $manner"
            echo "option name EvalFile type string default <empty>"
            echo "option name Hash type spin default 1 min 1 max 64"
            echo "${line}ok";;
        isready) echo readyok;;
        "setoption name EvalFile value "*)
            file=${line##* }
            if [ -r "$file" ]; then net=$file; else echo "info string option EvalFile: cannot read \"$file\""; fi;;
        "setoption name Hash value 99") echo "info string Hash: out of range";;
        position*" moves "*) moves=${line#* moves }; set -- $moves; n=$#;;
        position*) n=0;;
        go*)
            echo "$line" >> heard
            [ "$pause" = 0 ] || sleep "$pause"
            echo "info string NNUE evaluation using $net"
            nodes=50; [ "$manner" = greedy ] && nodes=500
            echo "info depth 1 score cp 1 nodes $nodes pv 0000"
            case $((n % 4)) in 0) echo "bestmove $a";; 1) echo "bestmove $b";; 2) echo "bestmove $c";; 3) echo "bestmove $d";; esac;;
        quit) exit;;
    esac
done
"#;

/// A folder of its own with the engine, removed when the test ends.
struct Place(TempDir);

impl Place {
    fn new(name: &str) -> Self {
        let folder = TempDir::with_prefix(format!("nguky-runner-{name}-")).expect("a folder");
        let place = Self(folder);
        place.put("engine.sh", SCRIPT);
        place
    }

    fn put(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).expect("written");
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.path().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// The records in the folder, by name.
    fn records(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).expect("the folder");
        let names = entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned());
        let mut records: Vec<String> = names
            .filter(|n| [".pgn", ".csa", ".kif", ".sgf"].iter().any(|end| n.ends_with(end)))
            .collect();
        records.sort();
        records
    }
}

fn nguky(place: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nguky"));
    command.current_dir(place).args(args).stdin(Stdio::null());
    command
}

/// A match between two scripts named A and B, from the start of the game. What follows a manner belongs to the spec.
fn play(game: &str, [a, b]: [&str; 2], more: &str) -> Vec<String> {
    let mut words: Vec<String> = ["match", "--game", game].map(str::to_string).to_vec();
    for (name, manner) in [("A", a), ("B", b)] {
        words.push("--engine".into());
        words.push(format!("cmd=sh engine.sh {game} {manner} name={name}"));
    }
    words.extend("--plies 0 --tc 60".split(' ').map(str::to_string));
    words.extend(more.split_whitespace().map(str::to_string));
    words
}

fn run(place: &Place, words: &[String]) -> Output {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    nguky(place.0.path(), &words).output().expect("nguky runs")
}

/// What a run that succeeds says on both its outputs.
fn told(place: &Place, words: &[String]) -> String {
    let out = run(place, words);
    let text = [&out.stdout[..], &out.stderr].map(String::from_utf8_lossy).concat();
    assert!(out.status.success(), "{words:?}: {text}");
    text
}

/// The one line of a run that fails.
fn refused(place: &Place, words: &[String]) -> String {
    let out = run(place, words);
    let text = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(!out.status.success(), "{words:?}: {text}");
    assert_eq!(text.trim_end().lines().count(), 1, "{text}");
    assert_eq!(String::from_utf8_lossy(&out.stdout), "", "{words:?}");
    text
}

/// The rounds in a PGN, sorted.
fn rounds(record: &str) -> Vec<&str> {
    let tags = record.lines().filter_map(|l| l.strip_prefix("[Round \""));
    let mut rounds: Vec<&str> = tags.map(|l| l.trim_end_matches("\"]")).collect();
    rounds.sort_unstable();
    rounds
}

#[test]
fn a_network_that_cannot_be_read_ends_the_match() {
    let place = Place::new("network");
    place.put("good.nnue", "x");
    let with = |option: &str| play("chess", ["0 x", &format!("0 x {option}")], "--games 2");
    let line = refused(&place, &with("option.EvalFile=/none"));
    assert!(
        line.contains("B refuses an option") && line.contains("cannot read \"/none\""),
        "{line}"
    );
    let line = refused(&place, &with("option.Hash=99"));
    assert!(line.contains("B refuses an option: Hash: out of range"), "{line}");
    assert!(place.records().is_empty(), "{:?}", place.records());
    let engine = "sh engine.sh chess 0 x";
    let sprt: Vec<String> = [
        "sprt",
        "--new",
        engine,
        "--old",
        engine,
        "--new-net",
        "/none",
        "--games",
        "2",
    ]
    .map(str::to_string)
    .to_vec();
    let line = refused(&place, &sprt);
    assert!(
        line.contains("new refuses an option") && line.contains("/none"),
        "{line}"
    );
    // Both networks stand in the head of the report.
    let text = told(&place, &with("option.EvalFile=good.nnue"));
    assert!(
        text.contains("A: 60+0; fake x, evaluated by network built-in; sh"),
        "{text}"
    );
    assert!(
        text.contains("B: 60+0; fake x, evaluated by network good.nnue; sh"),
        "{text}"
    );
    assert!(text.contains("EvalFile=good.nnue (sha256 2d711642b726)"), "{text}");
}

#[test]
fn engines_of_the_house_are_asked_for_their_network() {
    for (game, program) in [
        ("chess", env!("CARGO_BIN_EXE_nguky-uci")),
        ("xiangqi", env!("CARGO_BIN_EXE_nguky-ucci")),
        ("coup", env!("CARGO_BIN_EXE_nguky-ucci")),
        ("shogi", env!("CARGO_BIN_EXE_nguky-usi")),
    ] {
        // The workbench looks for it beside itself, as `cargo install` puts the five programs of one package.
        assert_eq!(
            Path::new(program).parent(),
            Path::new(env!("CARGO_BIN_EXE_nguky")).parent()
        );
        let place = Place::new(&format!("house-{game}"));
        let words = |net: &str| -> Vec<String> {
            let line = format!("sprt --game {game} --new-net {net} --nodes 20 --games 2 -- --longest 4");
            line.split(' ').map(str::to_string).collect()
        };
        let line = refused(&place, &words("/none"));
        assert!(
            line.contains("new refuses an option") && line.contains("cannot read \"/none\""),
            "{line}"
        );
        let text = told(&place, &words("material"));
        assert!(
            text.contains("evaluated by material") && text.contains("evaluated by network"),
            "{text}"
        );
        assert!(text.starts_with(&format!("nguky sprt of {game}")), "{text}");
        let records = place.records();
        assert!(
            records.len() == 1 && records[0].starts_with(&format!("{game}-sprt-20")),
            "{records:?}"
        );
        assert!(
            place.read(&records[0]).contains("nguky sprt"),
            "{}",
            place.read(&records[0])
        );
    }
}

#[test]
fn another_build_at_the_same_path_is_another_match() {
    let place = Place::new("build");
    let words = play("chess", ["0 x", "0 y"], "--games 2");
    told(&place, &words);
    let first = place.records();
    assert!(first.len() == 1 && first[0].starts_with("chess-20"), "{first:?}");
    let was = place.read(&first[0]);
    place.put("engine.sh", &format!("{SCRIPT}# a newer build\n"));
    let text = told(&place, &words);
    assert!(
        text.contains("has another match (A was another build: engine.sh had sha256"),
        "{text}"
    );
    assert!(text.contains(": 2 games"), "{text}");
    let both = place.records();
    let (stem, _) = first[0].split_once(".pgn").expect("a PGN");
    assert_eq!(both, [format!("{stem}-2.pgn"), first[0].clone()]);
    assert_eq!(place.read(&first[0]), was);
    // Each build goes on with its own games.
    place.put("engine.sh", SCRIPT);
    let text = told(&place, &play("chess", ["0 x", "0 y"], "--games 4"));
    assert!(
        text.contains(&format!("2 games of this match are in {}", first[0])) && text.contains(": 4 games"),
        "{text}"
    );
    assert_eq!(rounds(&place.read(&first[0])), ["1.1", "1.2", "2.1", "2.2"]);
    assert_eq!(place.records().len(), 2);
}

#[test]
fn games_of_different_games_never_share_a_file() {
    let place = Place::new("games");
    told(&place, &play("chess", ["0 x", "0 y"], "--games 2"));
    told(&place, &play("xiangqi", ["0 x", "0 y"], "--games 2"));
    let records = place.records();
    assert!(
        records.len() == 2 && records[0].starts_with("chess-") && records[1].starts_with("xiangqi-"),
        "{records:?}"
    );
    let named = play("chess", ["0 x", "0 y"], "--games 2 --record r.pgn");
    told(&place, &named);
    let was = place.read("r.pgn");
    for (words, why) in [
        (
            play("xiangqi", ["0 x", "0 y"], "--games 2 --record r.pgn"),
            "another match (nguky match of chess)",
        ),
        (
            play("chess", ["0 x", "0 y"], "--games 2 --record r.pgn --seed 2"),
            "another match (--seed was 1)",
        ),
        (
            play("chess", ["0 x", "0 z"], "--games 2 --state r.pgn.state.json"),
            "another match (B was started by",
        ),
    ] {
        let line = refused(&place, &words);
        assert!(line.contains(why), "{line}");
    }
    place.put("mine.pgn", "[Event \"mine\"]\n\n1. e4 *\n");
    let line = refused(&place, &play("chess", ["0 x", "0 y"], "--record mine.pgn"));
    assert!(
        line.contains("mine.pgn has games that no state beside it covers"),
        "{line}"
    );
    assert_eq!(place.read("r.pgn"), was);
    assert_eq!(place.read("mine.pgn"), "[Event \"mine\"]\n\n1. e4 *\n");
    // The engine against itself is told so, and neither is called better.
    let text = told(&place, &play("chess", ["0 x", "0 x"], "--games 2"));
    assert!(
        text.contains("both are the same program with the same options"),
        "{text}"
    );
    assert!(!text.contains("Elo") && !text.contains("superiority"), "{text}");
}

#[test]
fn what_cannot_be_written_is_told_before_the_first_game() {
    let place = Place::new("unwritable");
    for more in ["--record none/r.pgn", "--record r.pgn --state none/s.json"] {
        let line = refused(&place, &play("chess", ["0 x", "0 y"], more));
        assert!(line.contains("cannot write none/"), "{line}");
        let heard = place.read("heard");
        assert!(!heard.contains("wtime"), "a game was begun: {heard}");
    }
}

fn started(place: &Place, words: &[String]) -> Child {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut command = nguky(place.0.path(), &words);
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("nguky runs")
}

fn until(what: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !what() {
        assert!(Instant::now() < end, "waited for too long");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn games_broken_off_are_saved_as_unfinished() {
    // Each waits for its engines most of the time.
    std::thread::scope(|scope| {
        scope.spawn(|| broken_off("chess", "pgn", "-INT", "{unfinished} *\n"));
        scope.spawn(|| broken_off("xiangqi", "zh.pgn", "-TERM", "{unfinished} *\n"));
        scope.spawn(|| broken_off("shogi", "csa", "-TERM", "\n%CHUDAN\n"));
        scope.spawn(|| broken_off("shogi", "kif", "-INT", "で中断\n"));
    });
}

/// A match with a record in files of this ending, told by this signal to stop: the game under way is marked so in the record.
fn broken_off(game: &str, ending: &str, signal: &str, unfinished: &str) {
    let place = Place::new(&format!("broken-{ending}"));
    let more = format!("--games 4 --record r.{ending}");
    let with = |pause: &str| {
        let manner = format!("{pause} only-{}", if game == "shogi" { "usi" } else { "uci" });
        play(
            game,
            [
                &manner,
                &format!("{manner} proto={}", if game == "shogi" { "usi" } else { "uci" }),
            ],
            &more,
        )
    };
    let words = with("0.1");
    let mut child = started(&place, &words);
    let record = place.0.path().join(format!("r.{ending}"));
    // The second game is under way.
    until(|| std::fs::metadata(&record).is_ok_and(|m| m.len() > 0));
    std::thread::sleep(Duration::from_millis(350));
    let sent = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status()
        .expect("kill runs");
    assert!(sent.success());
    assert_eq!(child.wait().expect("gone").code(), Some(130), "{game} {ending}");
    let text = place.read(&format!("r.{ending}"));
    assert_eq!(text.matches(unfinished).count(), 1, "{text}");
    // Going on, it plays that game anew, and the record has every game once.
    told(&place, &words);
    let text = place.read(&format!("r.{ending}"));
    assert_eq!(text.matches(unfinished).count(), 0, "{text}");
    for round in ["1.1", "1.2", "2.1", "2.2"] {
        let [pgn, other] = [format!("[Round \"{round}\"]"), format!("nguky match {round}\n")];
        let count = text.matches(&pgn).count() + text.matches(&other).count();
        assert_eq!(count, 1, "{round} in {text}");
    }
}

#[test]
fn kills_at_any_moment_neither_lose_nor_double_a_game() {
    let place = Place::new("killed");
    let words = play("chess", ["0.01 x", "0.01 y"], "--games 12 --record r.pgn");
    for moment in 0..10 {
        let mut child = started(&place, &words);
        std::thread::sleep(Duration::from_millis(97 * (moment + 1)));
        let _ = child.kill();
        child.wait().expect("gone");
    }
    let text = told(&place, &words);
    assert!(text.contains(": 12 games"), "{text}");
    let record = place.read("r.pgn");
    let all: Vec<String> = (1..=6).flat_map(|n| [format!("{n}.1"), format!("{n}.2")]).collect();
    assert_eq!(rounds(&record), all);
    assert_eq!(record.matches("[Event ").count(), 12);
    assert_eq!(
        record.matches(" 1/2-1/2\n").count() + record.matches("\n1/2-1/2\n").count(),
        12,
        "{record}"
    );
}

#[test]
fn the_wrong_protocol_is_told_with_the_right_one() {
    let place = Place::new("protocol");
    let line = refused(&place, &play("xiangqi", ["0 x", "0 only-ucci start=1"], ""));
    for part in [
        "B did not answer \"uci\" with \"uciok\" within 1 s",
        "spoken to in UCI",
        "give it proto=ucci",
    ] {
        assert!(line.contains(part), "{part}: {line}");
    }
    let line = refused(&place, &play("chess", ["0 x", "0 silent start=1"], ""));
    assert!(line.contains("name it by proto=ucci, proto=usi, proto=gtp"), "{line}");
    assert!(line.contains("start=SECONDS"), "{line}");
    place.put("broken.sh", "echo no model >&2; exit 1");
    let spec = [
        "match",
        "--engine",
        "cmd=sh broken.sh name=B",
        "--engine",
        "cmd=sh engine.sh chess 0 x",
    ];
    let line = refused(&place, &spec.map(str::to_string));
    assert!(
        line.contains("spoken to in UCI: B ended before it said \"uciok\", saying: no model"),
        "{line}"
    );
    let go = [
        "match",
        "--game",
        "go",
        "--engine",
        "cmd=sh broken.sh name=B",
        "--engine",
        "cmd=true",
    ];
    let line = refused(&place, &go.map(str::to_string));
    assert!(line.contains("spoken to in GTP, saying: no model"), "{line}");
}

#[test]
fn searches_beyond_their_nodes_are_warned_of() {
    let place = Place::new("greedy");
    let words = |manner: &str| {
        let mut words = play("chess", ["0 x", &format!("0 {manner}")], "--games 2 --nodes 50");
        words.retain(|w| w != "--tc" && w != "60");
        words
    };
    let text = told(&place, &words("greedy"));
    assert!(
        text.contains("warning: B does not keep to 50 nodes: by its own count 8 of 8 searches took more"),
        "{text}"
    );
    let text = told(&place, &words("modest"));
    assert!(!text.contains("warning"), "{text}");
}

/// A GTP engine that passes, and knows these commands beside the least that a match needs.
fn gtp(commands: &str, params: &str) -> String {
    format!(
        r#"while read -r command rest; do
    echo "$command $rest" >> heard
    case $command in
        list_commands) printf '= name\nversion\n{commands}\n\n';;
        kata-list-params) printf '= {params}\n\n';;
        kata-get-param) printf '= 50\n\n';;
        genmove) printf '= pass\n\n';;
        quit) printf '=\n\n'; exit;;
        *) printf '=\n\n';;
    esac
done"#
    )
}

#[test]
fn a_limit_that_an_engine_does_not_take_is_refused() {
    let place = Place::new("limits");
    place.put("none.sh", &gtp("time_settings", ""));
    place.put(
        "playouts.sh",
        &gtp("kata-set-param\\nkata-list-params", "maxPlayouts threads"),
    );
    place.put(
        "visits.sh",
        &gtp(
            "kata-set-param\\nkata-list-params\\nkata-get-param",
            "maxPlayouts maxVisits",
        ),
    );
    place.put("level.sh", &gtp("level\\nkata-set-param\\nkata-list-params", "threads"));
    let words = |limit: &str, engine: &str| -> Vec<String> {
        let mut words: Vec<String> = ["match", "--game", "go", "--size", "5", "--games", "2", "--plies", "0"]
            .map(str::to_string)
            .to_vec();
        words.extend(limit.split_whitespace().map(str::to_string));
        for (name, engine) in [("A", "visits.sh"), ("B", engine)] {
            words.extend(["--engine".into(), format!("cmd=sh {engine} name={name}")]);
        }
        words
    };
    for (limit, engine, lacking) in [
        (
            "--nodes 50",
            "none.sh",
            "B cannot be limited to 50 nodes: it lacks the command kata-set-param",
        ),
        (
            "--nodes 50",
            "level.sh",
            "B cannot be limited to 50 nodes: it lacks maxVisits and maxPlayouts",
        ),
        (
            "--movetime 100",
            "none.sh",
            "A cannot be limited to 0.1/move: it lacks the command time_settings",
        ),
        (
            "--depth 3",
            "level.sh",
            "A cannot be limited to depth 3: it lacks the command level",
        ),
        ("--nodes 60", "visits.sh", "A was given maxVisits 60 and reports \"50\""),
    ] {
        let line = refused(&place, &words(limit, engine));
        assert!(line.contains(lacking), "{line}");
        assert!(place.records().is_empty());
    }
    let _ = std::fs::remove_file(place.0.path().join("heard"));
    told(&place, &words("--nodes 50", "playouts.sh"));
    let heard = place.read("heard");
    assert!(heard.contains("kata-set-param maxVisits 50\n"), "{heard}");
    assert!(heard.contains("kata-set-param maxPlayouts 50\n"), "{heard}");
    // What limits itself is named so, in the report and in the record.
    let text = told(&place, &words("--nodes 50 --record own.sgf", "none.sh limit=own"));
    assert!(text.contains("B: own limit; "), "{text}");
    assert!(
        place.read("own.sgf").contains("OT[B 50 nodes, W own limit]"),
        "{}",
        place.read("own.sgf")
    );
    let line = refused(&place, &play("chess", ["0 x", "0 x limit=own"], ""));
    assert!(line.contains("limit=own is for GTP engines"), "{line}");
}

#[test]
fn a_reader_who_leaves_is_no_fault() {
    let place = Place::new("pipe");
    // A suite prints a line for every failure; its reader is gone before the first.
    let lines = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm a3;\n".repeat(9);
    place.put("s.epd", &lines);
    let suite = [
        "suite",
        "--epd",
        "s.epd",
        "--nodes",
        "5",
        "--engine",
        "cmd=sh engine.sh chess 0 x",
    ];
    for words in [
        suite.map(str::to_string).to_vec(),
        play("chess", ["0 x", "0 y"], "--games 2"),
    ] {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut child = nguky(place.0.path(), &words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("nguky runs");
        drop(child.stdout.take());
        let out = child.wait_with_output().expect("nguky ends");
        let error = String::from_utf8_lossy(&out.stderr);
        assert!(
            !error.contains("panicked") && !error.contains("rror"),
            "{words:?}: {error}"
        );
    }
}
