//! `nguky play` as a person meets it: in a pseudo-terminal made by `script`, every game a few moves.
#![cfg(target_os = "linux")]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("nguky-play-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).expect("the saved game")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What a terminal shows of a game in which these lines are typed; `None` where there is no `script`.
fn terminal(place: &Place, args: &str, lines: &[&str]) -> Option<String> {
    let command = format!("{} play {args} --nodes 200", env!("CARGO_BIN_EXE_nguky"));
    let mut child = match Command::new("script")
        .current_dir(&place.0)
        .args(["-q", "-e", "-c", &command, "/dev/null"])
        .env_remove("NO_COLOR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
    {
        Ok(child) => child,
        Err(_) => {
            eprintln!("skipped: there is no `script`");
            return None;
        }
    };
    let mut input = child.stdin.take().expect("a pipe");
    for line in lines {
        writeln!(input, "{line}").expect("typed");
    }
    let out = child.wait_with_output().expect("an end");
    drop(input);
    let text = String::from_utf8(out.stdout).expect("UTF-8").replace('\r', "");
    assert!(out.status.success(), "{args}: {text}");
    Some(text)
}

/// The same without a terminal, hence without colours.
fn piped(place: &Place, args: &str, lines: &[&str]) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_nguky"))
        .current_dir(&place.0)
        .arg("play")
        .args(args.split(' '))
        .args(["--nodes", "200"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("nguky runs");
    let mut input = child.stdin.take().expect("a pipe");
    // The other end may be gone already: a bad command line.
    let _ = input.write_all((lines.join("\n") + "\n").as_bytes());
    drop(input);
    let out = child.wait_with_output().expect("an end");
    String::from_utf8_lossy(&out.stdout).to_string() + &String::from_utf8_lossy(&out.stderr)
}

#[test]
fn every_game_in_a_terminal() {
    let place = Place::new("all");
    for (args, mv, sign) in [
        ("--game chess", "e2e4", "♔"),
        ("--game xiangqi", "h2e2", "帥"),
        ("--game coup --seed 3", "e3e4", "暗"),
        ("--game shogi", "7g7f", "玉"),
        ("--game go", "D4", "●"),
    ] {
        let lines = [mv, "hint", "undo", mv, "resign", "quit"];
        let Some(text) = terminal(&place, args, &lines) else {
            return;
        };
        assert_eq!(text.matches("you play ").count(), 2, "{args}: {text}");
        assert_eq!(text.matches("the engine plays ").count(), 2, "{args}: {text}");
        assert!(
            text.contains("hint: ") && text.contains("wins: resignation"),
            "{args}: {text}"
        );
        assert!(text.contains(sign) && text.contains("\x1b[1;3"), "{args}: {text}");
    }
}

#[test]
fn the_deal_stays_secret_until_the_end() {
    let place = Place::new("secret");
    let moves = ["moves", "board", "e3e4", "hint", "save before.pgn"];
    let before = piped(&place, "--game coup --seed 3 --ascii", &moves);
    // All that is seen of face-down pieces is their backs, but for what the two moves turned up.
    for line in before.lines().filter(|l| l.starts_with(|c: char| c.is_ascii_digit())) {
        let faces = line.chars().filter(|c| "RNBACPrnbacp".contains(*c)).count();
        assert!(faces <= 1, "{line}");
    }
    assert!(before.contains("red has 14 face down, out of "), "{before}");
    assert!(!place.read("before.pgn").contains("Deal"));
    let text = piped(
        &place,
        "--game coup --seed 3 --ascii",
        &["e3e4", "resign", "save after.pgn", "quit"],
    );
    assert!(text.contains("what lay where at the start"), "{text}");
    let after = place.read("after.pgn");
    let deal = after.lines().find(|l| l.starts_with("[Deal ")).expect("the deal");
    assert!(
        !deal.to_ascii_lowercase().contains('x') && deal.contains("/9/"),
        "{deal}"
    );
}

#[test]
fn games_are_kept_as_their_world_keeps_them() {
    let place = Place::new("kept");
    for (game, mv, file, words) in [
        ("chess", "e4", "a.pgn", "1. e4"),
        ("xiangqi", "炮二平五", "b.pgn", "H2-E2"),
        ("shogi", "7g7f", "c.csa", "+7776FU"),
        ("go", "D4", "d.sgf", ";B[df]"),
    ] {
        let text = piped(
            &place,
            &format!("--game {game}"),
            &[mv, &format!("save {file}"), "quit"],
        );
        assert!(text.contains(&format!("kept in {file}")), "{text}");
        let kept = place.read(file);
        assert!(kept.contains(words), "{game}: {kept}");
    }
    piped(&place, "--game chess --side second --save e.pgn", &["quit"]);
    assert!(place.read("e.pgn").contains("[White \"Nguky\"]"));
}

#[test]
fn what_cannot_be_played_is_named() {
    let place = Place::new("bad");
    for (args, lines, words) in [
        (
            "--game chess",
            &["e2e5", "zz", "undo", "save", "claim", "a b c"][..],
            &[
                "not a legal move: e2e5",
                "zz",
                "there is nothing to take back",
                "save: expected the name of a file",
                "the rules grant no win here",
                "expected a move or a command, not \"a b c\"",
            ][..],
        ),
        (
            "--game coup",
            &["e3e5", "e3", "é"][..],
            &["illegal move: e3e5", "not a move: e3", "not a move: é"][..],
        ),
        (
            "--game go",
            &["Z9", "D4", "d4", "resign", "D5"][..],
            &["invalid coordinate \"Z9\"", "the game is over"][..],
        ),
        (
            "--game checkers",
            &[][..],
            &["no game \"checkers\"; expected chess, xiangqi, coup, shogi or go"][..],
        ),
        ("--game xiangqi --setup x", &[][..], &["bad setup"][..]),
        ("--game coup --rule CapturedDark=some", &[][..], &["CapturedDark"][..]),
    ] {
        let text = piped(&place, args, lines);
        for word in words {
            assert!(text.contains(word), "{args}: {word:?} missing in {text}");
        }
    }
}

#[test]
fn a_mate_ends_the_game_and_can_be_taken_back() {
    let place = Place::new("mate");
    let setup = "--game chess --side both --setup";
    let mut args: Vec<&str> = setup.split(' ').collect();
    args.push("7k/5K2/6Q1/8/8/8/8/8 w - - 0 1");
    let mut child = Command::new(env!("CARGO_BIN_EXE_nguky"))
        .current_dir(&place.0)
        .arg("play")
        .args(&args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("nguky runs");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(b"g6g7\nundo\ng6g7\nquit\n").expect("typed");
    drop(input);
    let text = String::from_utf8(child.wait_with_output().expect("an end").stdout).expect("UTF-8");
    assert_eq!(text.matches("white wins: checkmate").count(), 2, "{text}");
}
