//! Hostile input: nothing may end the engine, hang it or change its position unasked.

use crate::common::{Client, PATIENCE, best};
use nguky::util::rng::SplitMix;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Each is refused in one line that names the word; then there is no position, and no move, until one is accepted.
#[test]
fn bad_positions_are_refused_by_name() {
    let mut e = Client::new();
    for (line, word) in [
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "king"),
        (
            "position fen rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "9",
        ),
        (
            "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNX w KQkq - 0 1",
            "X",
        ),
        ("position fen nonsense", "rank"),
        ("position startpos moves e2e4 e2e4", "e2e4"),
        ("position startpos moves e2e5", "e2e5"),
        ("position startpos moves zz", "zz"),
        ("position", "startpos"),
        ("position elsewhere", "elsewhere"),
    ] {
        let answer = e.ask(line);
        assert_eq!(answer.len(), 1, "{line}: {answer:?}");
        assert!(
            answer[0].starts_with("info string ") && answer[0].contains(word),
            "{line}: {answer:?}"
        );
        for question in ["d", "eval", "go perft 1"] {
            assert_eq!(
                e.ask(question),
                ["info string no position: the last one was refused"],
                "{line}"
            );
        }
        assert_eq!(best(&e.go("go wtime 1000 btime 1000")), "0000", "{line}");
        assert!(e.ask("position startpos").is_empty());
        assert_eq!(e.fen(), START, "{line}");
        assert_eq!(best(&e.go("go depth 1")).len(), 4, "{line}");
    }
}

/// Where the client gives the word for the answer, a search without a position waits for it too.
#[test]
fn a_search_without_a_position_keeps_the_form() {
    let mut e = Client::new();
    for (go, word) in [
        ("go infinite", "stop"),
        ("go ponder wtime 100 btime 100", "ponderhit"),
        ("go ponder wtime 100 btime 100", "stop"),
        ("go infinite", "position startpos moves e2e5"),
        ("go infinite", "go depth 3"),
    ] {
        e.ask("position startpos moves e2e5");
        e.send(go);
        let early = e.sync();
        assert!(!early.iter().any(|l| l.starts_with("bestmove")), "{go}: {early:?}");
        e.send(word);
        assert_eq!(e.bestmove(), "0000", "{go}, {word}");
        if word.starts_with("go") {
            assert_eq!(e.bestmove(), "0000", "{go}, {word}");
        }
        e.sync();
    }
    // A late hit or stop reaches nothing.
    assert!(e.ask("stop").is_empty() && e.ask("ponderhit").is_empty());
    e.ask("position startpos moves e2e5");
    e.send("go infinite");
    e.close();
    assert_eq!(e.bestmove(), "0000");
    assert!(e.ended(PATIENCE).is_some_and(|s| s.success()));
}

#[test]
fn a_new_game_begins_at_the_start() {
    let mut e = Client::new();
    e.ask("position startpos moves e2e5");
    e.send("ucinewgame");
    assert_eq!(e.fen(), START);
    assert_eq!(best(&e.go("go depth 1")).len(), 4);
    // A position that was accepted stays, as users of scripts expect.
    e.send("position startpos moves e2e4");
    let before = e.fen();
    e.send("ucinewgame");
    assert_eq!(e.fen(), before);
}

#[test]
fn bad_options_are_refused_by_name() {
    let mut e = Client::new();
    for (line, word) in [
        ("setoption name Hash value abc", "abc"),
        ("setoption name Hash value 99999999999", "99999999999"),
        ("setoption name Hash value -5", "-5"),
        ("setoption name Threads value 0", "0"),
        ("setoption name Ponder value maybe", "maybe"),
        ("setoption name Nonsense value 1", "Nonsense"),
        ("setoption name Debug Log File value /nowhere/at/all", "/nowhere/at/all"),
        ("setoption", "NAME"),
        ("setoption name", "NAME"),
    ] {
        let answer = e.ask(line);
        assert_eq!(answer.len(), 1, "{line}: {answer:?}");
        assert!(
            answer[0].starts_with("info string ") && answer[0].contains(word),
            "{line}: {answer:?}"
        );
    }
}

#[test]
fn broken_clocks_get_a_move() {
    let mut e = Client::new();
    for go in [
        "go wtime x",
        "go wtime 0 btime 0",
        "go wtime -500 btime -500",
        "go wtime 1",
        "go movetime 0",
        "go movetime -1",
        "go wtime 99999999999999999999 depth 3",
        "go depth 0",
        "go nodes 0",
        "go depth x movetime 5",
        "go wtime 10 movestogo 0",
        "go btime 50",
        "go depth 2 bogus 7",
    ] {
        e.send("position startpos");
        e.send(go);
        assert_eq!(e.bestmove().len(), 4, "{go}");
    }
}

#[test]
fn no_legal_move_is_said_at_once() {
    let mut e = Client::new();
    for fen in ["7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"] {
        e.send(&format!("position fen {fen}"));
        e.send("go depth 5");
        assert_eq!(e.bestmove(), "(none)");
    }
}

#[test]
fn raw_bytes_are_survived() {
    let mut e = Client::new();
    let mut long = vec![b'x'; 100_000];
    long.push(b'\n');
    for bytes in [
        &b"\xff\xfe\n"[..],
        b"isr\0eady\n",
        b"go \xc3\x28 depth 1\n",
        "gõ đi\n".as_bytes(),
        b"\r\n\r\n",
        &long,
    ] {
        e.bytes(bytes);
    }
    e.bytes(b"stop\r\nisready\r\n");
    e.until("readyok");
    let mut rng = SplitMix::new(11);
    for _ in 0..200 {
        let line: Vec<u8> = (0..rng.below(60))
            .map(|_| rng.next() as u8)
            .filter(|&b| b != b'\n')
            .collect();
        e.bytes(&line);
        e.bytes(b"\n");
    }
    e.send("stop");
    e.send("isready");
    e.until("readyok");
    e.send("quit");
    assert!(e.ended(PATIENCE).is_some_and(|s| s.success()));
}

/// A finite search that would take for ever, and a line that waits for its end: the stop behind both is heard at once.
#[test]
fn a_stop_reaches_a_search_past_a_waiting_line() {
    for waiting in [
        "position startpos moves e2e4",
        "setoption name Hash value 8",
        "ucinewgame",
        "go nodes 10",
    ] {
        let mut e = Client::new();
        e.send("position startpos");
        e.send("go depth 200");
        e.send(waiting);
        e.send("stop");
        assert_eq!(e.bestmove().len(), 4, "{waiting}");
        e.quit_within(PATIENCE);
    }
}

#[test]
fn a_closed_input_ends_a_finite_search_with_its_move() {
    let mut e = Client::new();
    e.send("position startpos");
    e.send("go depth 9");
    e.close();
    assert_eq!(e.bestmove().len(), 4);
    assert!(e.ended(PATIENCE).is_some_and(|s| s.success()));
}

#[test]
fn a_closed_input_ends_an_endless_search() {
    let mut e = Client::new();
    e.send("position startpos");
    e.send("go depth 6");
    e.send("go infinite");
    e.close();
    e.until("bestmove");
    e.until("bestmove");
    assert!(e.ended(PATIENCE).is_some_and(|s| s.success()));
}
