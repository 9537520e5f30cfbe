//! `nguky play` as a person meets it: in a pseudo-terminal made by `script`, every game a few moves.
#![cfg(target_os = "linux")]

use std::io::Write;
use std::process::{Command, Stdio};
use tempfile::TempDir;

struct Place(TempDir);

impl Place {
    fn new(name: &str) -> Self {
        let folder = TempDir::with_prefix(format!("nguky-play-{name}-")).expect("a folder");
        Self(folder)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.path().join(name)).expect("the saved game")
    }
}

/// What a terminal shows of a game in which these lines are typed; `None` where there is no `script`.
fn terminal(place: &Place, args: &str, lines: &[&str]) -> Option<String> {
    let command = format!("{} play {args} --nodes 200", env!("CARGO_BIN_EXE_nguky"));
    let mut child = match Command::new("script")
        .current_dir(place.0.path())
        .args(["-q", "-e", "-c", &command, "/dev/null"])
        .env_remove("NO_COLOR")
        .env("TERM", "xterm")
        .env("LC_ALL", "C.UTF-8")
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
        .current_dir(place.0.path())
        .arg("play")
        .args(args.split(' '))
        .args(["--nodes", "200"])
        .env("LC_ALL", "C.UTF-8")
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
        ("--game chess", "e2e4", "♚"),
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
        assert!(text.contains(sign) && text.contains("\x1b[48;"), "{args}: {text}");
    }
}

#[test]
fn the_deal_stays_secret_until_the_end() {
    let place = Place::new("secret");
    let moves = ["moves", "board", "e3e4", "hint", "save before.pgn"];
    let before = piped(&place, "--game coup --seed 3 --ascii", &moves);
    // All that is seen of face-down pieces is their backs, but for what the two moves turned up.
    let board = |l: &&str| l.starts_with(|c: char| c.is_ascii_digit()) && !l.contains("to move");
    for line in before.lines().filter(board) {
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
        .current_dir(place.0.path())
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

#[test]
fn moves_are_read_and_shown_as_people_write_them() {
    let place = Place::new("loose");
    for (args, lines, words) in [
        (
            "--game chess",
            &["nf3", "undo", "e2-e4"][..],
            &["you play Nf3", "you play e4"][..],
        ),
        (
            "--game xiangqi",
            &["P2-5", "undo", "c2.5", "undo", "pháo 2 bình 5"],
            &["you play C2=5"],
        ),
        ("--game xiangqi --notation vietnamese", &["h2e2"], &["you play P2-5"]),
        ("--game xiangqi --notation chinese", &["h2e2"], &["you play 炮二平五"]),
        (
            "--game coup --seed 3 --notation vietnamese",
            &["U2-5"],
            &["you play P2-5, which turns up a red "],
        ),
        ("--game shogi", &["☗７六歩"], &["you play P-7f"]),
        ("--game shogi --notation japanese", &["P-7f"], &["you play ☗７六歩"]),
        (
            "--game shogi",
            &["58金", "58金左"],
            &[
                "\"58金\" may mean ",
                "4i5h (G4i-5h)",
                "type one of these",
                "you play G6i-5h",
            ],
        ),
        ("--game go", &["d4"], &["you play D4"]),
    ] {
        let text = piped(&place, args, lines);
        for word in words {
            assert!(text.contains(word), "{args}: {word:?} missing in {text}");
        }
        let moves = lines.iter().filter(|l| **l != "undo").count() - usize::from(lines.contains(&"58金"));
        assert_eq!(text.matches("you play ").count(), moves, "{args}: {text}");
        // The engine's move comes with its score and the line that it expects.
        assert_eq!(text.matches("'s view: ").count(), moves, "{args}: {text}");
        assert_eq!(text.matches("; line: ").count(), moves, "{args}: {text}");
    }
}

#[test]
fn help_is_of_the_game() {
    let place = Place::new("help");
    let text = piped(&place, "--game go", &["help"]);
    assert!(
        text.contains("two passes in a row") && !text.contains("e2e4") && !text.contains("claim"),
        "{text}"
    );
    let text = piped(&place, "--game shogi", &["HELP"]);
    assert!(
        text.contains("claim") && text.contains("P*5e") && !text.contains("e2-e4"),
        "{text}"
    );
}

#[test]
fn check_and_captured_pieces_are_told() {
    let place = Place::new("told");
    let setup = [
        "--setup",
        "4k3/8/8/3p4/4P3/8/8/Q3K3 w - - 0 1",
        "--game",
        "chess",
        "--side",
        "both",
        "--ascii",
    ];
    let text = with_args(&place, &setup, "exd5\nQa4\nkd8\nqa8\nquit\n");
    assert!(text.contains("white has taken: p\n"), "{text}");
    assert!(!text.contains("you play Qa4\n"), "{text}");
    let text = with_args(&place, &setup, "Qa4\nquit\n");
    assert!(
        text.contains("you play Qa4+") && text.contains("black to move, in check > "),
        "{text}"
    );
    assert!(text.contains("!k!"), "{text}");
}

/// What is printed when these arguments are given and this is typed.
fn with_args(place: &Place, args: &[&str], typed: impl AsRef<[u8]>) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_nguky"))
        .current_dir(place.0.path())
        .arg("play")
        .args(args)
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("nguky runs");
    let mut input = child.stdin.take().expect("a pipe");
    let _ = input.write_all(typed.as_ref());
    drop(input);
    let out = child.wait_with_output().expect("an end");
    String::from_utf8_lossy(&out.stdout).to_string() + &String::from_utf8_lossy(&out.stderr)
}

#[test]
fn handicaps_have_names() {
    let place = Place::new("handicaps");
    let shown = |game: &str, name: &str| {
        let args = ["--game", game, "--handicap", name, "--side", "both", "--ascii"];
        with_args(&place, &args, "quit\n")
    };
    let text = shown("shogi", "two-piece");
    let row = text.lines().find(|l| l.starts_with("b ")).unwrap_or_default();
    assert!(row.chars().filter(|&c| c == '.').count() == 9, "{text}");
    assert!(text.contains("1. white to move"), "{text}");
    let text = shown("go", "4");
    assert!(text.matches('X').count() == 4 && text.contains("komi 4.5"), "{text}");
    assert!(text.contains("white to move"), "{text}");
    for (game, name, words) in [
        ("chess", "bishop", "pawn-and-move, knight, rook, queen"),
        ("coup", "rook", "no handicaps"),
        ("go", "1", "2 to 9 stones"),
        ("go", "rook", "2 to 9 stones"),
    ] {
        let text = shown(game, name);
        assert!(
            text.contains("--handicap: ") && text.contains(words),
            "{game} {name}: {text}"
        );
    }
}

/// A level of each game plays, where full strength would think for a minute; a wrong one is refused with the range.
#[test]
fn the_engine_plays_at_a_level() {
    let place = Place::new("levels");
    for (game, level, wrong, range) in [
        ("chess", "1000", "999", "1000 to 3200"),
        ("xiangqi", "1200", "9000", "1000 to 3000"),
        ("coup", "1000", "x", "1000 to 2400"),
        ("shogi", "1100", "0", "1000 to 3200"),
        ("go", "20k", "30k", "1k, 1d, 2d"),
    ] {
        let play = |level: &str| {
            let args = [
                "--game",
                game,
                "--level",
                level,
                "--side",
                "second",
                "--movetime",
                "60000",
                "--ascii",
            ];
            with_args(&place, &args, "quit\n")
        };
        let text = play(level);
        assert!(text.contains("the engine plays "), "{game}: {text}");
        let text = play(wrong);
        assert!(
            text.contains("--level: ") && text.contains(range) && !text.contains("the engine plays"),
            "{game}: {text}"
        );
    }
}

#[test]
fn what_a_side_did_not_see_is_taken_unseen() {
    let place = Place::new("unseen");
    // A red chariot, face up, takes a face-down soldier; only red is told what it was.
    let setup = "4k4/9/9/x8/9/9/9/9/9/R2K5 w p1 0 1";
    let shown = |side: &str| {
        with_args(
            &place,
            &[
                "--game", "coup", "--setup", setup, "--side", side, "--ascii", "--nodes", "50",
            ],
            "R9+6\n",
        )
    };
    let red = shown("first");
    assert!(red.contains("red has taken: p\n"), "{red}");
    // With both sides at one terminal the board is shown to the side to move: black.
    let black = shown("both");
    assert!(black.contains("red has taken: x\n"), "{black}");
}

#[test]
fn the_count_of_go_is_told() {
    let place = Place::new("count");
    let moves = "C1 D1 C2 D2 C3 D3 C4 D4 C5 D5 pass A1 pass pass";
    let typed = moves.replace(' ', "\n") + "\nquit\n";
    let args = ["--game", "go", "--size", "5", "--side", "both", "--ascii"];
    let text = with_args(&place, &args, typed);
    let rows: Vec<Vec<&str>> = text
        .lines()
        .skip_while(|l| !l.starts_with("the count "))
        .map(|l| l.split_whitespace().collect())
        .collect();
    let has = |row: &[&str]| rows.iter().any(|r| r == row);
    // The white stone in black's area is dead, and small on the board; territory bears letters.
    assert!(text.contains("dead stones and territory marked"), "{text}");
    assert!(
        text.lines().any(|l| l.starts_with("1 (o)b") || l.starts_with("1  o")),
        "{text}"
    );
    assert!(
        has(&["territory", "10", "5"]) && has(&["living", "stones", "5", "5"]),
        "{text}"
    );
    assert!(has(&["komi", "-", "7.5"]) && has(&["sum", "15", "17.5"]), "{text}");
    assert!(text.contains("white wins: W+2.5"), "{text}");
    // Captures are told while the game goes on.
    let text = with_args(&place, &args, "A2\nA1\nB1\nquit\n");
    assert!(
        text.contains("stones taken: by black 1, by white 0; komi 7.5"),
        "{text}"
    );
}

#[test]
fn input_that_is_no_text_ends_nothing() {
    let place = Place::new("noise");
    let mut typed = vec![0xff, 0xfe, 0x00, b'\n'];
    typed.extend(vec![b'x'; 300_000]);
    typed.extend_from_slice(b"\n\ne4\n");
    let text = with_args(&place, &["--game", "chess", "--nodes", "50"], typed);
    assert!(
        text.contains("you play e4") && text.contains("the engine plays "),
        "{text}"
    );
    assert!(text.len() < 20_000, "{} bytes", text.len());
}

#[test]
fn a_file_that_cannot_be_written_is_told_at_the_start() {
    let place = Place::new("refused");
    for file in ["no/such/folder.pgn", "."] {
        let text = with_args(&place, &["--game", "chess", "--save", file], "e4\n");
        assert!(
            text.contains("--save: cannot write ") && !text.contains("to move"),
            "{file}: {text}"
        );
    }
    // A game without a move leaves no file, and one that was there stays.
    std::fs::write(place.0.path().join("old.pgn"), "an older game").expect("written");
    let text = with_args(&place, &["--game", "chess", "--save", "old.pgn"], "quit\n");
    assert!(text.contains("old.pgn exists; the first move replaces it"), "{text}");
    assert_eq!(place.read("old.pgn"), "an older game");
    with_args(&place, &["--game", "chess", "--save", "new.pgn"], "quit\n");
    assert!(!place.0.path().join("new.pgn").exists());
}

#[test]
fn a_game_that_is_stopped_is_kept() {
    use std::io::Read;
    let place = Place::new("stopped");
    for (game, mv, file, words) in [
        (
            "chess",
            "e4",
            "a.pgn",
            &["1. e4 ", "[Event \"nguky play\"]", "[Result \"*\"]", "} *\n"][..],
        ),
        (
            "xiangqi",
            "C2=5",
            "b.pgn",
            &["1. H2-E2 ", "[Event \"nguky play\"]", "[Result \"*\"]"],
        ),
        (
            "coup",
            "C2=5",
            "c.pgn",
            &["1. h2e2", "[Event \"nguky play\"]", "[Result \"*\"]"],
        ),
        ("shogi", "P-7f", "d.csa", &["+7776FU", "$EVENT:nguky play", "%CHUDAN"]),
        ("shogi", "P-7f", "e.kif", &["７六歩", "棋戦：nguky play", "中断"]),
        ("go", "D4", "f.sgf", &[";B[df]", "EV[nguky play]", "RE[Void]"]),
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_nguky"))
            .current_dir(place.0.path())
            .args(["play", "--nodes", "50", "--game", game, "--save", file])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("nguky runs");
        let mut input = child.stdin.take().expect("a pipe");
        writeln!(input, "{mv}").expect("typed");
        let mut output = child.stdout.take().expect("a pipe");
        // The second prompt stands behind both moves.
        let (mut text, mut byte) = (Vec::new(), [0]);
        while String::from_utf8_lossy(&text).matches(" to move > ").count() < 2 {
            assert_eq!(output.read(&mut byte).expect("output"), 1, "{game} ended early");
            text.push(byte[0]);
        }
        let id = child.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-INT", &id])
                .status()
                .expect("kill")
                .success()
        );
        assert_eq!(child.wait().expect("an end").code(), Some(130), "{game}");
        drop(input);
        let mut rest = String::new();
        output.read_to_string(&mut rest).expect("output");
        assert!(rest.contains(&format!("the game so far is kept in {file}")), "{rest}");
        let kept = place.read(file);
        assert!(words.iter().all(|w| kept.contains(w)), "{game}: {kept}");
    }
}
