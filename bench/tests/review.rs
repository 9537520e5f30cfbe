//! `nguky review` from the outside: its table, its files, its errors.

use std::path::PathBuf;
use std::process::{Command, Output};

/// Runs the command in a folder of its own.
fn review(folder: &str, record: &str, more: &[&str]) -> (Output, PathBuf) {
    let path = std::env::temp_dir().join(format!("nguky-{folder}-{}", std::process::id()));
    std::fs::create_dir_all(&path).expect("a folder");
    std::fs::write(path.join("game"), record).expect("a record");
    let out = Command::new(env!("CARGO_BIN_EXE_nguky"))
        .args(["review", "game", "--nodes", "400", "--hash", "1"])
        .args(more)
        .current_dir(&path)
        .output()
        .expect("nguky runs");
    (out, path)
}

const MATE: &str = "[White \"A\"]\n[Black \"B\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n";

#[test]
fn a_game_is_reviewed_written_and_drawn() {
    let (out, folder) = review("review", MATE, &["--out", "a.pgn", "--svg", "a.svg"]);
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.status.success(), "{said}{}", String::from_utf8_lossy(&out.stderr));
    let row = said.lines().find(|l| l.starts_with("3 ")).expect("the row of g4");
    assert!(row.contains("g4") && row.contains("??"), "{said}");
    let last = said.lines().find(|l| l.starts_with("4 ")).expect("the row of the mate");
    assert!(last.contains("Qh4#") && !last.contains('?'), "{said}");
    assert!(said.contains("accuracy") && said.contains("black"), "{said}");
    let text = std::fs::read_to_string(folder.join("a.pgn")).expect("the record");
    assert!(
        text.contains("2. g4 $4") && text.contains("[Annotator \"Nguky\"]"),
        "{text}"
    );
    let picture = std::fs::read_to_string(folder.join("a.svg")).expect("the picture");
    assert!(picture.starts_with("<svg"), "{picture}");
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn bad_files_and_options_end_in_one_line() {
    for (record, more, expected) in [
        ("", &[][..], "no record of a game"),
        ("1. e4 e9", &[], "line 1, column 7: not a legal move here"),
        (MATE, &["--number", "2"], "--number: the file holds 1 sound games"),
        (MATE, &["--out", "a.kif"], "--out: expected a name that ends in .pgn"),
        (MATE, &["--game", "go"], "expected SGF"),
        (MATE, &["--game", "checkers"], "checkers"),
        (MATE, &["--rule", "x=y"], "x"),
        ("\u{0}\u{1}", &[], "not a text file"),
    ] {
        let (out, folder) = review("review-bad", record, more);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(
            !out.status.success() && said.contains(expected),
            "{record:?} {more:?}: {said}"
        );
        assert_eq!(said.trim_end().lines().count(), 1, "{said}");
        let _ = std::fs::remove_dir_all(folder);
    }
}
