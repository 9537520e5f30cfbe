//! The search's signature: the nodes that each binary's `bench` visits, as `bench/signature.txt` keeps them. A change that
//! means to keep the search as it is leaves them; one that changes it changes the file too, and says so.

use std::process::Command;

/// The line of a game in the file, against what its binary counts.
fn holds(game: &str, program: &str) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/bench/signature.txt");
    let kept = std::fs::read_to_string(path).expect("bench/signature.txt");
    let kept = kept
        .lines()
        .find_map(|l| l.strip_prefix(game)?.strip_prefix(' '))
        .unwrap_or_else(|| panic!("no line for {game}"));
    let out = Command::new(program).arg("bench").output().expect("the engine runs");
    let out = String::from_utf8(out.stdout).expect("UTF-8");
    let counted = out
        .lines()
        .last()
        .and_then(|l| l.split(' ').next())
        .expect("a last line");
    assert_eq!(counted, kept, "nodes of {game}'s bench");
}

#[test]
fn chess() {
    holds("chess", env!("CARGO_BIN_EXE_nguky-uci"));
}

#[test]
fn xiangqi() {
    holds("xiangqi", env!("CARGO_BIN_EXE_nguky-ucci"));
}

#[test]
fn shogi() {
    holds("shogi", env!("CARGO_BIN_EXE_nguky-usi"));
}
