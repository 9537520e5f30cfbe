//! What users of chess engines complain of, one test a complaint.

use crate::common::{Client, PATIENCE};
use nguky::util::rng::SplitMix;
use std::time::{Duration, Instant};

const MATE_IN_ONE: &str = "position fen 6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
const SHORT: Duration = Duration::from_millis(150);

#[test]
fn readyok_comes_while_searching() {
    let mut e = Client::new();
    e.send("go infinite");
    e.send("isready");
    let seen = e.until("readyok").1;
    assert!(!seen.iter().any(|l| l.starts_with("bestmove")));
    e.send("stop");
    e.until("bestmove");
}

#[test]
fn an_endless_search_waits_for_stop() {
    let mut e = Client::new();
    // A mate at once, a single legal move, mated: nothing excuses an early answer.
    for position in [
        MATE_IN_ONE,
        "position fen 7k/8/8/8/8/8/6q1/7K w - - 0 1",
        "position fen 7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
    ] {
        for go in ["go infinite", "go ponder wtime 10 btime 10", "go ponder movetime 1"] {
            e.send(position);
            e.send(go);
            std::thread::sleep(SHORT);
            assert!(!e.ask("").iter().any(|l| l.starts_with("bestmove")), "{position} {go}");
            e.send("stop");
            e.until("bestmove");
        }
    }
}

#[test]
fn a_ponder_hit_starts_the_clock() {
    let mut e = Client::new();
    e.send("go ponder movetime 300");
    std::thread::sleep(2 * SHORT);
    let start = Instant::now();
    e.send("ponderhit");
    e.until("bestmove");
    assert!(start.elapsed() >= Duration::from_millis(250), "{:?}", start.elapsed());
}

#[test]
fn a_late_stop_does_not_end_the_next_search() {
    let mut e = Client::new();
    e.send("go depth 1");
    e.until("bestmove");
    e.send("stop");
    e.send("go depth 8");
    let seen = e.until("bestmove").1;
    assert!(seen.iter().any(|l| l.starts_with("info depth 8 ")), "{seen:?}");
}

/// A perft that would last for years ends at `stop`, and a mate search that finds none, behind a line that waits for it, at the
/// `stop` that the perft kept.
#[test]
fn a_perft_and_what_it_kept_end_at_a_stop() {
    let mut e = Client::new();
    for line in ["go perft 15", "go mate 2", "d", "isready", "stop"] {
        e.send(line);
    }
    e.until("readyok");
    e.until("info string perft was stopped");
    e.until("bestmove");
    e.until("Fen: ");
    // One stop ends both.
    for line in ["go perft 15", "go perft 15", "stop"] {
        e.send(line);
    }
    e.until("info string perft was stopped");
    e.until("info string perft was stopped");
    e.sync();
    // A quit waits for the count.
    e.send("go perft 4");
    e.send("quit");
    e.until("Nodes searched: 197281");
}

#[test]
fn castling_is_written_as_the_mode_asks() {
    let mut e = Client::new();
    let castle = "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    e.send(castle);
    e.send("go perft 1");
    let moves = e.until("Nodes searched").1;
    e.sync();
    assert!(moves.iter().any(|l| l.starts_with("e1g1:")) && !moves.iter().any(|l| l.starts_with("e1h1:")));
    e.send("setoption name UCI_Chess960 value true");
    e.send(castle);
    e.send("go perft 1");
    let moves = e.until("Nodes searched").1;
    e.sync();
    assert!(moves.iter().any(|l| l.starts_with("e1h1:")));
    e.send("setoption name UCI_Chess960 value false");
    // Both are understood.
    for mv in ["e1g1", "e1h1"] {
        assert!(e.ask(&format!("{castle} moves {mv}")).is_empty(), "{mv}");
        assert!(e.fen().starts_with("4k3/8/8/8/8/8/8/5RK1 b"));
    }
}

#[test]
fn option_names_know_no_case() {
    let mut e = Client::new();
    for line in [
        "setoption name clear hash",
        "setoption name HASH value 8",
        "setoption name uci_showWDL value true",
    ] {
        assert!(e.ask(line).is_empty(), "{line}");
    }
    e.send("go depth 3");
    assert!(e.until("bestmove").1.iter().any(|l| l.contains(" wdl ")));
}

#[test]
fn searchmoves_and_ponder_moves_are_legal() {
    let mut e = Client::new();
    e.send("position startpos");
    e.send("go depth 5 searchmoves a2a3 h2h3");
    assert!(["a2a3", "h2h3"].contains(&e.bestmove().as_str()));
    // After the mating move there is nothing to ponder on.
    e.send(MATE_IN_ONE);
    e.send("go depth 4");
    assert_eq!(e.until("bestmove").1.last().map(String::as_str), Some("bestmove a1a8"));
}

#[test]
fn stop_is_answered_soon() {
    let mut e = Client::new();
    let mut waits: Vec<Duration> = (0..20)
        .map(|i| {
            e.send(if i % 2 == 0 {
                "position startpos"
            } else {
                "position fen 8/8/8/4k3/8/8/8/4KR2 w - - 90 100"
            });
            e.send("go infinite");
            std::thread::sleep(Duration::from_millis(20));
            let start = Instant::now();
            e.send("stop");
            e.until("bestmove");
            start.elapsed()
        })
        .collect();
    waits.sort();
    // The figure itself is for the bench; here only a hang is a failure.
    assert!(waits[10] < Duration::from_secs(1), "{waits:?}");
}

fn cycles(n: usize) {
    let mut e = Client::new();
    let mut rng = SplitMix::new(3);
    for _ in 0..n {
        let go = [
            "go infinite",
            "go depth 3",
            "go movetime 2",
            "go nodes 500",
            "go ponder wtime 100 btime 100",
        ];
        let position = ["position startpos", "position startpos moves e2e4", MATE_IN_ONE];
        e.send(position[rng.below(3) as usize]);
        e.send(go[rng.below(5) as usize]);
        match rng.below(3) {
            0 => e.send("stop"),
            1 => {
                e.send("isready");
                e.until("readyok");
                e.send("stop");
            }
            _ => {
                e.send("ponderhit");
                e.send("stop");
            }
        }
    }
    e.send("go depth 1");
    e.send("isready");
    e.until("readyok");
    // One answer a search, all of them.
    let mut answers = 0;
    e.send("uci");
    while answers < 1 {
        answers += e.until("bestmove").1.len().min(1);
    }
    e.send("quit");
    assert!(e.ended(PATIENCE).is_some());
}

#[test]
fn random_cycles_of_go_and_stop() {
    cycles(300);
}

#[test]
#[ignore = "a minute"]
fn many_random_cycles_of_go_and_stop() {
    cycles(10_000);
}
