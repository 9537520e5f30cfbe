//! Counts of chess move trees against known numbers: a shallow file that always runs, and the public suites on demand.

use nguky::game::Position;
use nguky::game::perft::Perft;
use nguky::games::chess::{Chess, ChessRules};
use rayon::prelude::*;

/// A line "FEN ;D1 n ;D2 n ...".
fn check_line(line: &str, chess960: bool, deepest: u32) -> u64 {
    let mut parts = line.split(';').map(str::trim);
    let fen = parts.next().unwrap_or_default();
    let p = Chess::parse(fen, &ChessRules { chess960 }).unwrap_or_else(|e| panic!("{e}: {fen}"));
    let mut leaves = 0;
    for part in parts {
        let (depth, count) = part.trim_start_matches('D').split_once(' ').expect("D<depth> <count>");
        let (depth, count): (u32, u64) = (depth.parse().expect("depth"), count.trim().parse().expect("count"));
        if depth <= deepest {
            assert_eq!(Perft::default().count(&p, depth), count, "depth {depth} of {fen}");
            leaves += count;
        }
    }
    leaves
}

#[test]
fn known_counts() {
    for line in include_str!("data/chess.perft").lines().filter(|l| !l.starts_with('#')) {
        match line.strip_prefix("960 ") {
            Some(rest) => check_line(rest, true, 9),
            None => check_line(line, false, 9),
        };
    }
}

#[test]
fn counting_by_list_agrees() {
    let p = Chess::parse(Chess::START, &ChessRules::default()).expect("start");
    assert_eq!(
        Perft {
            bulk: false,
            threads: 2
        }
        .count(&p, 4),
        197_281
    );
}

/// Runs a public suite from the folder `NGUKY_FACTS`, or says why not.
fn suite(name: &str, chess960: bool, deepest: u32) {
    let Some(facts) = std::env::var_os("NGUKY_FACTS") else {
        println!("skipped: NGUKY_FACTS is not set");
        return;
    };
    let path = std::path::Path::new(&facts).join("chess").join(name);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(e) => {
            println!("skipped: {}: {e}", path.display());
            return;
        }
    };
    let lines: Vec<&str> = text.lines().filter(|l| l.contains(";D")).collect();
    let leaves: u64 = lines.par_iter().map(|l| check_line(l, chess960, deepest)).sum();
    println!("{name}: {} positions, {leaves} leaves", lines.len());
}

#[test]
#[ignore = "the public suite, a minute in a release build"]
fn public_suite() {
    suite("perftsuite.epd", false, 5);
}

#[test]
#[ignore = "the public Chess960 suite, half a minute in a release build"]
fn public_chess960_suite() {
    suite("frcperftsuite.epd", true, 4);
}

#[test]
#[ignore = "reads a public list of absurd boards"]
fn absurd_boards_are_refused_or_searched() {
    let Some(facts) = std::env::var_os("NGUKY_FACTS") else {
        println!("skipped: NGUKY_FACTS is not set");
        return;
    };
    let path = std::path::Path::new(&facts).join("chess/destruction-test.epd");
    let Ok(bytes) = std::fs::read(&path) else {
        println!("skipped: {} cannot be read", path.display());
        return;
    };
    let text = String::from_utf8_lossy(&bytes);
    let mut accepted = 0;
    for line in text.lines() {
        let fen = line.split(';').next().unwrap_or_default();
        match Chess::parse(fen, &ChessRules::default()) {
            Ok(p) => {
                accepted += 1;
                assert_eq!(
                    Perft {
                        bulk: false,
                        threads: 1
                    }
                    .count(&p, 2),
                    Perft::default().count(&p, 2),
                    "{fen}"
                );
            }
            Err(e) => println!("{e}: {fen}"),
        }
    }
    println!("{accepted} of {} accepted", text.lines().count());
}
