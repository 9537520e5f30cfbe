//! The engines at their limits: no memory to be had, memory of threads, positions with the most moves, games of ten thousand
//! half-moves.

use crate::common::{Client, best, number};
use std::collections::BTreeSet;

const UCI: &str = env!("CARGO_BIN_EXE_nguky-uci");
const UCCI: &str = env!("CARGO_BIN_EXE_nguky-ucci");
const USI: &str = env!("CARGO_BIN_EXE_nguky-usi");

/// The programs of alpha-beta games with the name of their hash option; `nguky-ucci` speaks UCI here.
const PROGRAMS: [(&str, &str); 3] = [(UCI, "Hash"), (UCCI, "Hash"), (USI, "USI_Hash")];

/// A program that has been greeted in its protocol.
fn greeted(program: &str) -> Client {
    greet(Client::of(program, &[]), program)
}

/// Greets a program that was started in another way.
fn greet(mut e: Client, program: &str) -> Client {
    e.send(if program == USI { "usi" } else { "uci" });
    e.until(if program == USI { "usiok" } else { "uciok" });
    e
}

/// Where the system has no memory for a table or for threads, a line says so, the former ones stay, and the engine plays on.
#[test]
#[cfg(target_os = "linux")]
fn memory_that_is_not_to_be_had_is_refused_in_a_line() {
    for (program, hash) in PROGRAMS {
        for megabytes in [260, 800] {
            let script = format!("ulimit -v {}; exec {program}", megabytes * 1000);
            let mut e = greet(Client::of("sh", &["-c", &script]), program);
            for size in [4096, 1_048_576] {
                let answer = e.ask(&format!("setoption name {hash} value {size}"));
                assert_eq!(answer.len(), 1, "{program} {megabytes}: {answer:?}");
                assert!(
                    answer[0].contains("Hash: no memory for a hash table of"),
                    "{program} {megabytes}: {answer:?}"
                );
            }
            let answer = e.ask("setoption name Threads value 512");
            assert_eq!(answer.len(), 1, "{program} {megabytes}: {answer:?}");
            let told = [
                "Threads: no memory for 512 threads",
                "Threads: no 512 threads to be had",
            ];
            assert!(
                told.iter().any(|t| answer[0].contains(t)),
                "{program} {megabytes}: {answer:?}"
            );
            e.send("position startpos");
            assert!(best(&e.go("go depth 5")).len() >= 4, "{program} {megabytes}");
        }
    }
}

/// Beside the hash table at most 64 MB with one thread, and 8 MB for each further one; docs/testers.md has what it is.
#[test]
#[cfg(target_os = "linux")]
fn a_thread_takes_at_most_eight_megabytes() {
    let most_memory = |e: &Client| {
        let status = std::fs::read_to_string(format!("/proc/{}/status", e.id())).expect("a process");
        let line = status
            .lines()
            .find(|l| l.starts_with("VmHWM"))
            .expect("the most memory");
        let kib: u64 = line
            .split_whitespace()
            .nth(1)
            .expect("a number")
            .parse()
            .expect("a number");
        kib * 1024
    };
    for (program, variant) in [(UCI, "chess"), (UCCI, "xiangqi"), (UCCI, "coup"), (USI, "shogi")] {
        let used = [1, 5].map(|threads| {
            let mut e = greeted(program);
            if program == UCCI {
                e.send(&format!("setoption name UCI_Variant value {variant}"));
            }
            e.ask(&format!("setoption name Threads value {threads}"));
            e.send("position startpos");
            e.go("go nodes 300000");
            most_memory(&e)
        });
        // Tables begin with 16 MiB.
        assert!(used[0] <= (16 << 20) + 64_000_000, "{variant}: {used:?}");
        assert!(used[1] <= used[0] + 4 * 8_000_000, "{variant}: {used:?}");
    }
}

/// The positions with the most moves that are known (chess and shogi; xiangqi: one with many), each move with its own line.
#[test]
fn positions_with_the_most_moves() {
    for (program, position, moves) in [
        (UCI, "fen R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", 218),
        (UCCI, "fen 3ak4/4a4/4R4/9/2C1N4/4C4/9/9/4N4/R3K4 w - - 0 1", 58),
        (USI, "sfen R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1", 593),
    ] {
        let mut e = greeted(program);
        e.ask("setoption name MultiPV value 500");
        e.send(&format!("position {position}"));
        e.send("go perft 1");
        assert_eq!(e.expect("Nodes searched"), format!("Nodes searched: {moves}"));
        let lines = e.go("go depth 2");
        let deepest = lines.iter().filter(|l| l.contains(" depth 2 "));
        let told: BTreeSet<_> = deepest.filter_map(|l| number(l, "multipv")).collect();
        assert_eq!(told, (1..=moves.min(500)).collect(), "{program}");
    }
}

/// A game of ten thousand half-moves is read, and searched from its last position.
#[test]
fn games_of_ten_thousand_half_moves() {
    for (program, cycle) in [
        (UCI, "g1f3 g8f6 f3g1 f6g8"),
        (UCCI, "b0c2 b9c7 c2b0 c7b9"),
        (USI, "2h3h 8b7b 3h2h 7b8b"),
    ] {
        let mut e = greeted(program);
        let line = format!("position startpos moves {}", [cycle; 2500].join(" "));
        assert!(e.ask(&line).is_empty(), "{program}");
        assert_eq!(best(&e.go("go depth 4")).len(), 4, "{program}");
    }
}
