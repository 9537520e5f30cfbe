//! `nguky levels`: a small ladder of the built-in engine, played, rated, written and resumed.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A folder of its own, removed when the test ends.
struct Place(TempDir);

impl Place {
    fn new(name: &str) -> Self {
        let folder = TempDir::with_prefix(format!("nguky-levels-{name}-")).expect("a folder");
        Self(folder)
    }

    fn run(&self, line: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nguky"));
        command.current_dir(self.0.path()).arg("levels").args(line.split(' '));
        command.stdin(Stdio::null()).output().expect("nguky runs")
    }

    fn told(&self, line: &str) -> String {
        let out = self.run(line);
        let error = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.success(), "{error}");
        String::from_utf8_lossy(&out.stdout).into_owned() + &error
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.path().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }
}

#[test]
fn a_ladder_is_played_rated_and_resumed() {
    let place = Place::new("ladder");
    let ladder = "--game xiangqi --levels 1000,1370,1760 --record l.pgn --seed 5";
    let told = place.told(&format!("{ladder} --games 2"));
    assert!(told.contains("ladder of 3 engines: 6 games"), "{told}");
    let table = place.read("l.md");
    for level in ["| 1000 | ", "| 1370 | ", "| 1760 | "] {
        let row = table
            .lines()
            .find(|l| l.starts_with(level))
            .unwrap_or_else(|| panic!("{level}: {table}"));
        assert_eq!(row.matches('|').count(), 9, "{row}");
    }
    // More games: those played stay, and what the moves cost is said.
    let more = place.told(&format!("{ladder} --games 4 --losses 100 --loss-games 1"));
    assert!(more.contains("6 games of this match are in l.pgn already"), "{more}");
    assert!(more.contains("ladder of 3 engines: 12 games"), "{more}");
    let costs = place.read("l.md");
    let (_, costs) = costs.split_once("What a move costs").expect("the second table");
    assert_eq!(costs.lines().filter(|l| l.starts_with("| 1")).count(), 3, "{costs}");
    // The same command plays nothing more and says the same.
    let again = place.told(&format!("{ladder} --games 4"));
    assert!(again.contains("ladder of 3 engines: 12 games"), "{again}");
}

#[test]
fn an_anchor_moves_the_scale() {
    let place = Place::new("anchor");
    let program = PathBuf::from(env!("CARGO_BIN_EXE_nguky")).with_file_name("nguky-ucci");
    let anchor = format!(
        "cmd={} proto=uci elo=2500 option.UCI_LimitStrength=true option.UCI_Elo=1370",
        program.display()
    );
    let out = Command::new(env!("CARGO_BIN_EXE_nguky"))
        .current_dir(place.0.path())
        .args("levels --game xiangqi --levels 1370 --reach 0 --games 24 --record a.pgn --anchor".split(' '))
        .arg(&anchor)
        .stdin(Stdio::null())
        .output()
        .expect("nguky runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let table = place.read("a.md");
    assert!(table.contains("moved to the anchors"), "{table}");
    assert!(
        table
            .lines()
            .any(|l| l.starts_with("| nguky-ucci 2500 | 2500 | 2500 | ")),
        "{table}"
    );
}

#[test]
fn what_cannot_be_played_is_said_in_a_line() {
    let place = Place::new("refused");
    for (line, what) in [
        ("--game xiangqi --levels 1370 --reach 0", "nobody meets"),
        ("--game xiangqi --levels 5000", "expected 1000 to"),
        ("--game draughts", "draughts"),
    ] {
        let out = place.run(line);
        let error = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(
            !out.status.success() && error.contains(what) && error.lines().count() == 1,
            "{line}: {error}"
        );
    }
}
