//! The match runner against scripted engines that misbehave.
//!
//! The scripted engine is this very test program: the ignored test `scripted_engine` speaks UCI when the variable
//! `FAKE` names a manner. A runner has to skip the test harness's own chatter, as it would any engine's banner.
#![cfg(unix)]

use nguky::game::{Kind, Moves, Position};
use nguky::games::chess::Chess;
use std::io::{BufRead, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Plays the middle one of the legal moves at once, until its manner shows at the third move it is asked for.
#[test]
#[ignore = "an engine for the other tests"]
fn scripted_engine() {
    let Ok(manner) = std::env::var("FAKE") else { return };
    let mut out = std::io::stdout().lock();
    let (mut pos, mut asked) = (start(), 0);
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a line");
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["uci"] => writeln!(
                out,
                "id name fake\nid author nobody\noption name UCI_Elo type spin\nuciok"
            )
            .expect("written"),
            ["isready"] => writeln!(out, "readyok").expect("written"),
            ["ucinewgame"] => asked = 0,
            ["setoption", "name", "UCI_Elo", "value", value] => {
                std::fs::write("elo.txt", value).expect("written");
            }
            ["position", "fen", rest @ ..] => pos = set_up(rest),
            ["go", ..] => {
                asked += 1;
                let mv = middle(&pos);
                writeln!(out, "info depth 7 score cp {} nodes 1000 pv {mv}", score(&manner, &pos)).expect("written");
                match (manner.as_str(), asked) {
                    ("illegal", 3) => writeln!(out, "bestmove e1}}e5").expect("written"),
                    ("crash", 3) => std::process::exit(3),
                    ("stall", 3) => {}
                    ("late", 3) => {
                        std::thread::sleep(Duration::from_millis(700));
                        writeln!(out, "bestmove {mv}").expect("written");
                    }
                    ("slow", _) => {
                        std::thread::sleep(Duration::from_millis(20));
                        writeln!(out, "bestmove {mv}").expect("written");
                    }
                    _ => writeln!(out, "bestmove {mv} ponder a1a1").expect("written"),
                }
            }
            ["quit"] => std::process::exit(0),
            _ => {}
        }
        out.flush().expect("flushed");
    }
}

fn score(manner: &str, pos: &Chess) -> i32 {
    match manner {
        // White is sure to win, and Black agrees.
        "judge" if pos.side().index() == 0 => 900,
        "judge" => -900,
        "dull" => 3,
        _ => 50,
    }
}

fn start() -> Chess {
    Chess::parse(Chess::START, &Default::default()).expect("the start")
}

fn set_up(words: &[&str]) -> Chess {
    let at = words.iter().position(|&w| w == "moves").unwrap_or(words.len());
    let mut pos = Chess::parse(&words[..at].join(" "), &Default::default()).expect("a setup");
    for text in words.iter().skip(at + 1) {
        pos.play(pos.parse_move(text).expect("a legal move"));
    }
    pos
}

fn middle(pos: &Chess) -> String {
    let mut moves = Moves::new();
    pos.generate(Kind::All, &mut moves);
    pos.move_text(moves.at(moves.len() / 2).mv)
}

/// A folder of its own, removed when the test ends.
struct Place(TempDir);

impl Place {
    fn new(name: &str) -> Self {
        let folder = TempDir::with_prefix(format!("nguky-match-{name}-")).expect("a folder");
        Self(folder)
    }

    fn record(&self) -> String {
        std::fs::read_to_string(self.0.path().join("games.pgn")).unwrap_or_default()
    }
}

fn engine(name: &str, manner: &str) -> String {
    let command = crate::scripted_engine("matches", &format!("FAKE={manner}"));
    format!("cmd={command} name={name}")
}

fn command(place: &Path, engines: [&str; 2], more: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nguky"));
    command.current_dir(place).args(["match", "--longest", "60"]);
    if !more.contains("--pgn") {
        command.args(["--record", "games.pgn"]);
    }
    for (name, manner) in ["Good", "Odd"].iter().zip(engines) {
        command.args(["--engine", &engine(name, manner)]);
    }
    command.args(more.split_whitespace()).stdin(Stdio::null());
    command
}

fn run(place: &Place, engines: [&str; 2], more: &str) -> (Output, String) {
    let out = command(place.0.path(), engines, more).output().expect("nguky runs");
    let text = String::from_utf8_lossy(&out.stdout).to_string();
    assert!(out.status.success(), "{text}{}", String::from_utf8_lossy(&out.stderr));
    (out, text)
}

/// A game's tags, and its moves without comments and numbers.
type Game = (Vec<(String, String)>, Vec<String>);

fn games(record: &str) -> Vec<Game> {
    let mut all: Vec<Game> = Vec::new();
    let mut comment = false;
    for line in record.lines() {
        assert!(line.len() <= 79 || line.starts_with('['), "a long line: {line}");
        if let Some(tag) = line.strip_prefix('[') {
            let (name, value) = tag.split_once(' ').expect("a tag");
            if name == "Event" {
                all.push(Default::default());
            }
            let value = value.trim_end_matches(']').trim_matches('"').to_string();
            all.last_mut().expect("a game").0.push((name.to_string(), value));
            continue;
        }
        for word in line.split_whitespace() {
            comment |= word.starts_with('{');
            let numbered = word.ends_with('.') && word.starts_with(|c: char| c.is_ascii_digit());
            if !comment && !numbered {
                all.last_mut().expect("a game").1.push(word.to_string());
            }
            comment &= !word.ends_with('}');
        }
    }
    all
}

fn tag<'a>(game: &'a Game, name: &str) -> &'a str {
    game.0.iter().find(|t| t.0 == name).map_or("", |t| t.1.as_str())
}

/// Standard algebraic notation of a plain reader: compares piece, target and what else the text says, and finds the
/// one legal move.
fn find(pos: &Chess, text: &str) -> <Chess as Position>::Move {
    let bare: String = text.chars().filter(|c| !"+#x=".contains(*c)).collect();
    let mut moves = Moves::new();
    pos.generate(Kind::All, &mut moves);
    let fits = |m: &<Chess as Position>::Move| {
        if m.is_castle() {
            return bare == if m.to() > m.from() { "O-O" } else { "O-O-O" };
        }
        let name = |s: u8| format!("{}{}", char::from(b'a' + s % 8), char::from(b'1' + s / 8));
        let kind = pos.tags(*m).piece % 6;
        let letter = ["", "N", "B", "R", "Q", "K"][usize::from(kind)];
        let (from, to) = (name(m.from()), name(m.to()));
        let end = if m.is_promotion() {
            to + ["", "N", "B", "R", "Q", "K"][usize::from(m.promoted())]
        } else {
            to
        };
        ["", &from[..1], &from[1..], &from]
            .iter()
            .any(|middle| bare == format!("{letter}{middle}{end}"))
    };
    let found: Vec<_> = moves.iter().filter(fits).collect();
    assert_eq!(found.len(), 1, "{text} in {}", pos.setup());
    found[0]
}

#[test]
fn records_replay_and_pairs_swap() {
    let place = Place::new("replay");
    let (_, text) = run(&place, ["good", "good"], "--games 6 --tc 10+0.1 --concurrency 2");
    assert!(text.contains(": 6 games") && !text.contains("1 time losses"), "{text}");
    let mut all = games(&place.record());
    assert_eq!(all.len(), 6);
    all.sort_by(|a, b| tag(a, "Round").cmp(tag(b, "Round")));
    for pair in all.chunks(2) {
        assert_eq!(tag(&pair[0], "FEN"), tag(&pair[1], "FEN"));
        assert_eq!((tag(&pair[0], "White"), tag(&pair[0], "Black")), ("Good", "Odd"));
        assert_eq!((tag(&pair[1], "White"), tag(&pair[1], "Black")), ("Odd", "Good"));
    }
    assert_ne!(tag(&all[0], "FEN"), tag(&all[2], "FEN"));
    for game in &all {
        for name in ["Date", "Result", "TimeControl", "Termination", "SetUp"] {
            assert!(!tag(game, name).is_empty(), "{name}");
        }
        let mut pos = Chess::parse(tag(game, "FEN"), &Default::default()).expect("a setup");
        let (result, moves) = game.1.split_last().expect("a result");
        assert_eq!(result, tag(game, "Result"));
        assert_eq!(moves.len().to_string(), tag(game, "PlyCount"));
        for text in moves {
            let m = find(&pos, text);
            pos.play(m);
            assert_eq!(text.contains(['+', '#']), pos.in_check(), "{text}");
        }
        assert_eq!(tag(game, "Termination") == "normal", pos.ended().is_some());
    }
}

/// One pair against an engine that goes wrong at its third move in both games.
fn fault(manner: &str, more: &str, words: &str, termination: &str) {
    let place = Place::new(manner);
    let (_, text) = run(&place, ["good", manner], &format!("--games 2 {more}"));
    assert!(text.contains("+2 =0 -0"), "{text}");
    let line = |name: &str| {
        text.lines()
            .rfind(|l| l.starts_with(name))
            .unwrap_or_default()
            .to_string()
    };
    assert!(line("Odd").contains(words), "{text}");
    assert!(
        line("Good").contains("0 time losses, 0 illegal moves, 0 disconnects, 0 stalls"),
        "{text}"
    );
    let all = games(&place.record());
    assert_eq!(all.len(), 2);
    for game in &all {
        assert_eq!(tag(game, "Termination"), termination);
        let won = if tag(game, "White") == "Good" { "1-0" } else { "0-1" };
        assert_eq!(
            (tag(game, "Result"), game.1.last().map(String::as_str)),
            (won, Some(won))
        );
    }
}

#[test]
fn an_illegal_move_loses() {
    fault(
        "illegal",
        "--tc 10+0.1",
        "0 time losses, 2 illegal moves, 0 disconnects, 0 stalls",
        "rules infraction",
    );
}

#[test]
fn a_crash_loses_and_the_engine_is_started_anew() {
    fault(
        "crash",
        "--tc 10+0.1",
        "0 time losses, 0 illegal moves, 2 disconnects, 0 stalls",
        "abandoned",
    );
}

#[test]
fn a_passed_clock_loses() {
    fault(
        "late",
        "--movetime 200 --margin-ms 300",
        "2 time losses, 0 illegal moves, 0 disconnects, 0 stalls",
        "time forfeit",
    );
}

#[test]
fn silence_loses() {
    fault(
        "stall",
        "--tc 1+0 --stall-ms 300",
        "0 time losses, 0 illegal moves, 0 disconnects, 2 stalls",
        "abandoned",
    );
}

#[test]
fn judges_end_hopeless_and_level_games() {
    let place = Place::new("judge");
    run(&place, ["judge", "judge"], "--games 2 --tc 10+0.1 --resign 800,3");
    for game in games(&place.record()) {
        assert_eq!(
            (tag(&game, "Result"), tag(&game, "Termination")),
            ("1-0", "adjudication")
        );
        assert_eq!(tag(&game, "PlyCount"), "6");
    }
    let place = Place::new("dull");
    run(&place, ["dull", "dull"], "--games 2 --tc 10+0.1 --draw 7,2,5");
    for game in games(&place.record()) {
        assert_eq!(
            (tag(&game, "Result"), tag(&game, "Termination")),
            ("1/2-1/2", "adjudication")
        );
    }
}

#[test]
fn a_killed_match_goes_on() {
    let place = Place::new("kill");
    let more = "--games 8 --tc 60+0.1";
    let mut child = command(place.0.path(), ["slow", "slow"], more)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("nguky runs");
    let end = Instant::now() + Duration::from_secs(60);
    while place.record().matches("[Event ").count() < 2 && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().expect("killed");
    child.wait().expect("gone");
    let before = place.record().matches("[Event ").count();
    assert!((2..8).contains(&before), "{before} games");
    let (out, text) = run(&place, ["slow", "slow"], more);
    assert!(text.contains(": 8 games"), "{text}");
    assert!(String::from_utf8_lossy(&out.stderr).contains("games of this match are in"));
    let mut rounds: Vec<String> = games(&place.record())
        .iter()
        .map(|g| tag(g, "Round").to_string())
        .collect();
    rounds.sort();
    assert_eq!(rounds, ["1.1", "1.2", "2.1", "2.2", "3.1", "3.2", "4.1", "4.2"]);
    // Once more: nothing is left to play, and nothing is recorded twice.
    let was = place.record();
    run(&place, ["slow", "slow"], more);
    assert_eq!(place.record(), was);
}

/// A tournament of three engines, one of which makes illegal moves.
fn tournament(place: &Place, more: &str) -> Command {
    let mut command = command(place.0.path(), ["good", "slow"], more);
    command.args(["--engine", &engine("Third", "illegal")]);
    command
}

#[test]
fn three_engines_play_a_tournament_that_survives_a_kill() {
    let place = Place::new("tournament");
    let more = "--games 4 --tc 60+0.1 --concurrency 2 --pgn games.pgn";
    let mut child = tournament(&place, more)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("nguky runs");
    let end = Instant::now() + Duration::from_secs(60);
    while place.record().matches("[Event ").count() < 3 && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().expect("killed");
    child.wait().expect("gone");
    let out = tournament(&place, more).output().expect("nguky runs");
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.status.success(), "{text}{}", String::from_utf8_lossy(&out.stderr));
    assert!(text.contains("round robin of 3 engines: 12 games"), "{text}");
    let row = |name: &str| {
        let fits = |l: &&str| l.split_whitespace().nth(1) == Some(name) && l.contains(" %");
        text.lines().find(fits).unwrap_or_default().to_string()
    };
    assert!(
        row("Third").contains("0.0 %") && row("Third").contains("8 illegal moves"),
        "{text}"
    );
    assert!(
        row("Good").contains("+4 =0 -0") && row("Odd").contains("none"),
        "{text}"
    );
    let all = games(&place.record());
    let mut met: Vec<(String, String, String)> = all
        .iter()
        .map(|g| {
            [tag(g, "Round"), tag(g, "White"), tag(g, "Black")]
                .map(String::from)
                .into()
        })
        .collect();
    met.sort();
    met.dedup();
    assert_eq!((all.len(), met.len()), (12, 12), "{met:?}");
    for (a, b) in [("Good", "Odd"), ("Good", "Third"), ("Odd", "Third")] {
        for (white, black) in [(a, b), (b, a)] {
            assert_eq!(
                met.iter().filter(|m| m.1 == white && m.2 == black).count(),
                2,
                "{white} {black}"
            );
        }
    }
}

#[test]
fn a_gauntlet_leaves_out_what_the_first_does_not_play() {
    let place = Place::new("gauntlet");
    let more = "--games 2 --tc 60+0.1 --pgn games.pgn --tournament gauntlet";
    let out = tournament(&place, more).output().expect("nguky runs");
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(text.contains("gauntlet of 3 engines: 4 games"), "{text}");
    assert!(
        games(&place.record())
            .iter()
            .all(|g| [tag(g, "White"), tag(g, "Black")].contains(&"Good"))
    );
    for (more, why) in [
        ("--sprt 0,5", "--sprt compares two engines"),
        ("--tournament swiss", "gauntlet"),
    ] {
        let out = tournament(&place, more).output().expect("nguky runs");
        let told = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(!out.status.success() && told.contains(why), "{told}");
    }
    let mut twice = tournament(&place, "--games 2");
    let out = twice
        .args(["--engine", &engine("Good", "good")])
        .output()
        .expect("nguky runs");
    let told = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(
        !out.status.success() && told.contains("two engines are named \"Good\""),
        "{told}"
    );
}

#[test]
fn the_moves_of_a_book_are_played() {
    let place = Place::new("book");
    let book =
        "[Event \"line\"]\n\n1. e4 e5 2. Nf3 *\n\n[Event \"bad\"]\n\n1. e4 Ke3 *\n\n[Event \"line\"]\n\n1. d4 *\n";
    std::fs::write(place.0.path().join("book.pgn"), book).expect("written");
    let more = "--games 4 --tc 60+0.1 --openings book.pgn";
    let (out, text) = run(&place, ["good", "good"], more);
    assert!(text.contains(": 4 games"), "{text}");
    let told = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(
        told.contains("book.pgn, line 7, column 7: not a legal move here: \"Ke3\"; left out"),
        "{told}"
    );
    let record = place.record();
    assert_eq!(
        record.matches("1. e4 {opening} e5 {opening} 2. Nf3 {opening}").count(),
        2,
        "{record}"
    );
    assert_eq!(record.matches("1. d4 {opening}").count(), 2, "{record}");
    let all = games(&record);
    assert!(all.iter().all(|g| tag(g, "FEN").is_empty()), "{record}");
    for game in &all {
        let (mut pos, (_, moves)) = (start(), game.1.split_last().expect("a result"));
        for text in moves {
            let m = find(&pos, text);
            pos.play(m);
        }
        assert_eq!(tag(game, "PlyCount"), moves.len().to_string());
    }
    std::fs::write(place.0.path().join("book.pgn"), "1. e4 Ke3 *\n").expect("written");
    let out = command(place.0.path(), ["good", "good"], more)
        .output()
        .expect("nguky runs");
    let told = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(!out.status.success() && told.contains("no openings"), "{told}");
}

#[test]
fn options_arrive_by_their_own_names_or_not_at_all() {
    let place = Place::new("options");
    let play = |option: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nguky"));
        let odd = format!("{} {option}", engine("Odd", "good"));
        command
            .current_dir(place.0.path())
            .args(["match", "--games", "2", "--longest", "4"]);
        command.args(["--engine", &engine("Good", "good"), "--engine", &odd]);
        command.output().expect("nguky runs")
    };
    let out = play("option.UCI_Elo=1500");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!(
        std::fs::read_to_string(place.0.path().join("elo.txt")).expect("set"),
        "1500"
    );
    let out = play("option.UCI Elo=1600");
    let error = String::from_utf8_lossy(&out.stderr).to_string();
    assert!(
        !out.status.success() && error.contains("no option \"UCI Elo\"; it has: UCI_Elo"),
        "{error}"
    );
}

#[test]
fn bad_command_lines_are_refused_in_a_line() {
    let place = Place::new("refused");
    for more in [
        "--game draughts",
        "--tc 1+x",
        "--sprt 5,0",
        "--resign 5",
        "--openings /nonexistent",
        "--engine cmd=third",
        "--pgn a --state a",
        "--sprt 0,5,0.05",
    ] {
        let out = command(place.0.path(), ["good", "good"], more)
            .output()
            .expect("nguky runs");
        let error = String::from_utf8_lossy(&out.stderr).to_string();
        assert!(
            !out.status.success() && error.contains("rror") && !error.contains("panicked"),
            "{more}: {error}"
        );
    }
}

fn shogi(place: &Place, more: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nguky"));
    let out = command
        .current_dir(place.0.path())
        .args(["match", "--game", "shogi"])
        .args(more.split_whitespace())
        .output()
        .expect("nguky runs");
    let text = String::from_utf8_lossy(&out.stdout).to_string();
    assert!(out.status.success(), "{text}{}", String::from_utf8_lossy(&out.stderr));
    text
}

#[test]
fn shogi_is_played_over_usi_and_recorded_both_ways() {
    let place = Place::new("shogi");
    let text = shogi(&place, "--games 2 --nodes 400 --longest 120 --record g.csa");
    assert!(
        text.contains("0 time losses, 0 illegal moves, 0 disconnects, 0 stalls"),
        "{text}"
    );
    let record = std::fs::read_to_string(place.0.path().join("g.csa")).expect("the record");
    assert_eq!(record.lines().filter(|l| *l == "/").count(), 2);
    assert_eq!(record.matches("\nV2.2\n").count(), 2);
    assert!(record.matches("\n%").count() == 2, "{record}");
    let text = shogi(
        &place,
        "--games 2 --tc b0.1 --longest 20 --record g.kif --margin-ms 1000",
    );
    assert!(text.contains("0 time losses, 0 illegal moves"), "{text}");
    let record = std::fs::read_to_string(place.0.path().join("g.kif")).expect("the record");
    assert_eq!(record.matches("#KIF version=2.0").count(), 2);
    assert_eq!(record.matches("\nまで20手で持将棋\n").count(), 2, "{record}");
    assert!(record.contains("持ち時間：0b0.1\n"), "{record}");
}
