//! The xiangqi engine as its clients meet it, where a transcript does not reach: clocks, offers, resignation, bytes.

use crate::common::{Client, PATIENCE, best, last_info, number};
use nguky::util::rng::SplitMix;
use std::time::{Duration, Instant};

fn client(options: &[&str]) -> Client {
    let mut c = Client::of(env!("CARGO_BIN_EXE_nguky-ucci"), &[]);
    c.send("ucci");
    c.expect("ucciok");
    for option in options {
        c.send(&format!("setoption {option}"));
    }
    c.sync();
    c
}

/// Black is about to be mated.
const LOST: &str = "position fen 3k5/9/9/9/9/9/9/R8/R8/4K4 b - - 0 1";
/// Nobody can win.
const LEVEL: &str = "position fen 4k4/4a4/9/9/9/9/9/9/4A4/4K4 w - - 0 1";

#[test]
fn resigns_only_when_asked_to() {
    for (value, word) in [("0", false), ("900", true)] {
        let mut c = client(&[&format!("resignvalue {value}")]);
        c.send(LOST);
        c.send("go depth 6");
        assert_eq!(c.expect("bestmove").ends_with(" resign"), word, "{value}");
    }
}

#[test]
fn takes_a_draw_only_when_offered_and_allowed() {
    for (allowed, go, word) in [
        ("true", "go draw depth 4", true),
        ("true", "go depth 4", false),
        ("false", "go draw depth 4", false),
    ] {
        let mut c = client(&[&format!("acceptdraw {allowed}")]);
        c.send(LEVEL);
        c.send(go);
        assert_eq!(c.expect("bestmove").ends_with(" draw"), word, "{allowed} {go}");
    }
}

#[test]
fn clocks_are_in_seconds_until_told_otherwise() {
    let mut c = client(&["usemillisec true"]);
    let start = Instant::now();
    c.send("go time 60 increment 0");
    c.expect("bestmove");
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
}

#[test]
fn no_move_passes_its_cap() {
    let mut c = client(&["variant coup", "usemillisec true", "movetimecap 100"]);
    let start = Instant::now();
    c.send("go time 3600000 increment 0");
    c.expect("bestmove");
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

#[test]
fn a_batch_waits_for_its_searches() {
    let mut c = client(&["batch true"]);
    c.send("go depth 5");
    c.send("isready");
    let (_, lines) = c.until("readyok");
    assert!(lines.iter().any(|l| l.starts_with("bestmove ")), "{lines:?}");
}

#[test]
fn forbidden_moves_are_not_played() {
    let mut c = client(&[]);
    c.send("position fen 3k5/9/9/9/9/9/9/9/R8/4K4 w - - 0 1");
    let mut banned = Vec::new();
    for _ in 0..5 {
        c.send(&format!("banmoves {}", banned.join(" ")));
        c.send("go depth 2");
        let mv = c.bestmove();
        assert!(!banned.contains(&mv), "{mv} of {banned:?}");
        banned.push(mv);
    }
}

#[test]
fn farewell() {
    let mut c = client(&[]);
    c.send("go infinite");
    c.send("quit");
    let (status, lines) = c.until_end();
    assert!(status.is_some_and(|s| s.success()));
    // The search that was cut off is answered first.
    let last = &lines[lines.len() - 2..];
    assert!(last[0].starts_with("bestmove ") && last[1] == "bye", "{lines:?}");
}

#[test]
fn nothing_refused_moves_a_piece() {
    let mut c = client(&[]);
    c.send("position startpos moves h2e2");
    let before = c.fen();
    for line in [
        "banmoves zz",
        "go depth 0",
        "probe fen 3k5/9/9/9/9/9/9/9/9/4K4 w",
        "setoption hashsize -1",
        "ponderhit",
        "stop",
    ] {
        c.send(line);
        assert_eq!(c.fen(), before, "{line}");
    }
}

/// After a refused position there is none, and no move, until one is accepted.
#[test]
fn no_move_on_a_refused_position() {
    let mut c = client(&[]);
    for line in [
        "position",
        "position fen",
        "position fen x",
        "position startpos moves h2e2 h9g7 zz",
        "position fen 3k5/9/9/9/9/9/9/9/9/3K5 w",
    ] {
        assert_eq!(c.ask(line).len(), 1, "{line}");
        for question in ["d", "eval", "go perft 1", "banmoves h2e2"] {
            assert_eq!(
                c.ask(question),
                ["info message no position: the last one was refused"],
                "{line}"
            );
        }
        c.send("go depth 2");
        let (_, said) = c.until("nobestmove");
        assert!(!said.iter().any(|l| l.starts_with("bestmove")), "{said:?}");
        c.send("position startpos moves h2e2");
        c.send("go depth 1");
        assert_eq!(c.bestmove().len(), 4);
    }
}

/// Stalemate loses in xiangqi and in cờ úp: it is told as a mate, in UCI and in UCCI.
#[test]
fn a_lost_position_without_a_move_is_mate() {
    for (variant, setup) in [
        ("xiangqi", "3k5/9/3P5/9/9/9/9/9/9/4K4 b - - 0 1"),
        ("coup", "3k5/9/3P5/9/9/9/9/9/9/4K4 b - - 0 1"),
    ] {
        let mut c = client(&[&format!("variant {variant}")]);
        c.send(&format!("position fen {setup}"));
        c.send("go depth 3");
        let (_, said) = c.until("nobestmove");
        assert!(
            said.contains(&"info depth 0 score -10000".to_string()),
            "{variant}: {said:?}"
        );
        c.send("uci");
        c.until("uciok");
        c.send(&format!("position fen {setup}"));
        let said = c.go("go depth 3");
        assert!(last_info(&said).contains(" score mate 0 "), "{variant}: {said:?}");
        assert_eq!(best(&said), "(none)");
    }
}

/// A soldier never goes back, so that none stands behind the line on which it started.
#[test]
fn a_soldier_behind_its_own_line_is_refused() {
    let mut e = Client::of(env!("CARGO_BIN_EXE_nguky-ucci"), &[]);
    e.send("ucci");
    e.expect("ucciok");
    for (fen, at) in [
        ("3k5/9/9/9/9/9/9/P8/9/4K4 w", "a2"),
        ("3k5/9/9/9/9/9/9/9/9/P3K4 w", "a0"),
        ("3k5/9/p8/9/9/9/9/9/9/4K4 w", "a7"),
    ] {
        let said = e.ask(&format!("position fen {fen}"));
        let why = format!("{at} is behind its own line");
        assert!(said.len() == 1 && said[0].contains(&why), "{fen}: {said:?}");
    }
    for fen in ["3k5/9/9/9/9/9/P8/9/9/4K4 w", "3k5/9/9/p8/9/9/9/9/9/4K4 w"] {
        assert!(e.ask(&format!("position fen {fen}")).is_empty(), "{fen}");
    }
}

/// With covered pieces a count of moves and one of leaves differ: it is said which is told.
#[test]
fn perft_says_what_it_counts() {
    for (variant, told) in [("coup", true), ("xiangqi", false)] {
        let mut e = Client::of(env!("CARGO_BIN_EXE_nguky-ucci"), &[]);
        e.send("ucci");
        e.expect("ucciok");
        e.send(&format!("setoption UCI_Variant {variant}"));
        e.send("go perft 1");
        let said = e.until("Nodes searched").1;
        let line = said.iter().any(|l| l.starts_with("info ") && l.contains("each kind"));
        assert_eq!(line, told, "{variant}: {said:?}");
    }
}

#[test]
fn one_command_and_no_talk() {
    for (args, last) in [
        (vec!["perft", "3"], "Nodes searched: 79666"),
        (
            vec!["perft", "2", "--fen", "3k5/9/9/9/9/9/9/9/9/R3K4 w"],
            "Nodes searched: ",
        ),
        (vec!["go perft 2", "quit"], "Nodes searched: 1920"),
        (vec!["--version"], concat!("nguky-ucci ", env!("CARGO_PKG_VERSION"))),
        (vec!["bench", "--depth", "1"], ""),
        (vec!["eval"], ""),
        (vec!["ucci", "go depth 1", "quit"], "bye"),
    ] {
        let mut c = Client::of(env!("CARGO_BIN_EXE_nguky-ucci"), &args);
        let (status, lines) = c.until_end();
        assert!(status.is_some_and(|s| s.success()), "{args:?}");
        let said = lines.iter().rfind(|l| !l.is_empty());
        assert!(said.is_some_and(|l| l.starts_with(last)), "{args:?}: {lines:?}");
    }
}

#[test]
fn a_style_is_a_taste_for_draws() {
    // A lone chariot cannot beat a full guard; the score is what the draw is worth.
    let score = |style: &str| {
        let mut c = client(&[&format!("style {style}"), "naturallimit 1"]);
        c.send("position fen 2bak1b2/4a4/9/9/9/9/9/9/4R4/3K5 w - - 1 30");
        number(last_info(&c.go("go depth 3")), "score").expect("a score")
    };
    let (solid, risky) = (score("solid"), score("risky"));
    assert!(risky < solid, "{risky} {solid}");
}

#[test]
fn raw_bytes_are_survived() {
    let mut c = client(&[]);
    let mut long = vec![b'x'; 100_000];
    long.push(b'\n');
    c.bytes(&long);
    let mut rng = SplitMix::new(5);
    let words = [
        "go",
        "position",
        "fen",
        "moves",
        "banmoves",
        "probe",
        "setoption",
        "time",
        "depth",
        "\u{1}",
        "startpos",
        "h2e2",
        "-1",
        "ponder",
        "infinite",
        "99999999999999999999",
        "hashsize",
        "\u{7fff}",
        "stop",
        "ponderhit",
    ];
    for _ in 0..300 {
        let n = rng.below(6) + 1;
        let line: Vec<&str> = (0..n).map(|_| words[rng.below(words.len() as u64) as usize]).collect();
        // No memory is to be asked for by chance.
        if !line.contains(&"hashsize") {
            c.send(&line.join(" "));
        }
        let noise: Vec<u8> = (0..rng.below(30)).map(|_| rng.next() as u8).collect();
        c.bytes(&noise);
        c.bytes(b"\n");
    }
    c.send("stop");
    c.send("isready");
    c.until("readyok");
    c.quit_within(PATIENCE);
}

/// UCI-Cyclone's positions wait for a search, whatever words they end in.
#[test]
fn a_position_without_its_word_waits_for_the_search() {
    let mut e = Client::of(env!("CARGO_BIN_EXE_nguky-ucci"), &[]);
    e.send("uci");
    e.until("uciok");
    for line in ["go infinite", "startpos moves h2e2 stop"] {
        e.send(line);
    }
    e.until("bestmove");
    e.sync();
}
