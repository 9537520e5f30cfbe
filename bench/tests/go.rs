//! Matches of go against scripted GTP engines. As in `matches.rs` the scripted engine is this very test program: the
//! ignored test `scripted_engine` speaks GTP when the variable `FAKE` names a manner.
#![cfg(unix)]

use nguky::games::go::{Game, Rules, coords};
use std::io::{BufRead, Write};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// Plays the first legal point four times, then passes; a manner shows at its third move.
#[test]
#[ignore = "an engine for the other tests"]
fn scripted_engine() {
    let Ok(manner) = std::env::var("FAKE") else { return };
    let mut out = std::io::stdout().lock();
    // The harness has begun a line of its own.
    writeln!(out).expect("written");
    let mut game = Game::new(9, Rules::CHINESE).expect("a board");
    let mut asked = 0;
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a line");
        let words: Vec<&str> = line.split_whitespace().collect();
        let answer = match words.as_slice() {
            ["list_commands"] => "= boardsize\ntime_settings\ntime_left\nlevel\nfinal_score".to_string(),
            ["boardsize", size] => match Game::new(size.parse().expect("a size"), Rules::CHINESE) {
                Ok(new) => {
                    (game, asked) = (new, 0);
                    "=".into()
                }
                Err(_) => "? unacceptable size".into(),
            },
            // Whole seconds only, as some engines read them.
            ["time_settings" | "time_left", rest @ ..] if rest.concat().contains('.') => "? syntax error".into(),
            ["play", colour, vertex] => {
                let p = coords::parse(game.board(), vertex).expect("a vertex");
                game.play(p, coords::parse_side(colour).expect("a colour"))
                    .expect("legal");
                "=".into()
            }
            ["genmove", colour] => {
                asked += 1;
                let side = coords::parse_side(colour).expect("a colour");
                match (manner.as_str(), asked) {
                    ("illegal", 3) => "= A0".into(),
                    ("refuse", 3) => "? no idea".into(),
                    ("crash", 3) => std::process::exit(3),
                    ("resign", 3) => "= resign".into(),
                    (_, 1..=4) => {
                        if manner == "late" && asked == 3 {
                            std::thread::sleep(Duration::from_millis(900));
                        }
                        let p = game.legal_points()[0];
                        game.play(p, side).expect("legal");
                        format!("={}", coords::text(game.board(), p))
                    }
                    _ => {
                        game.play(nguky::games::go::PASS, side).expect("a pass");
                        "= PASS".into()
                    }
                }
            }
            ["final_score"] => "= W+3".into(),
            ["quit"] => std::process::exit(0),
            _ => "=".into(),
        };
        write!(out, "{answer}\n\n").expect("written");
        out.flush().expect("flushed");
    }
}

struct Place(TempDir);

impl Place {
    fn new(name: &str) -> Self {
        let folder = TempDir::with_prefix(format!("nguky-go-{name}-")).expect("a folder");
        Self(folder)
    }
}

fn engine(manner: &str) -> String {
    crate::scripted_engine("go", &format!("FAKE={manner}"))
}

/// The result and the record of a pair between a good engine and one of this manner.
fn pair(manner: &str, more: &[&str]) -> (String, String) {
    let place = Place::new(&format!("{manner}{}", more.len()));
    let out = Command::new(env!("CARGO_BIN_EXE_nguky"))
        .current_dir(place.0.path())
        .args([
            "match",
            "--game",
            "go",
            "--size",
            "9",
            "--games",
            "2",
            "--record",
            "games.sgf",
        ])
        .args(["--engine", &format!("cmd={} name=Good", engine("good"))])
        .args(["--engine", &format!("cmd={} name=Odd", engine(manner))])
        .args(more)
        .stdin(Stdio::null())
        .output()
        .expect("nguky runs");
    let text = String::from_utf8_lossy(&out.stdout).to_string();
    assert!(out.status.success(), "{text}{}", String::from_utf8_lossy(&out.stderr));
    (
        text,
        std::fs::read_to_string(place.0.path().join("games.sgf")).unwrap_or_default(),
    )
}

#[test]
fn a_third_engine_counts() {
    let (text, record) = pair(
        "good",
        &["--movetime", "5000", "--referee", &engine("good"), "--komi", "-100"],
    );
    assert!(text.contains("+1 =0 -1"), "{text}");
    // Black has a hundred points more than white by our own count.
    assert!(text.contains("2 results differ from our own count"), "{text}");
    let games = sgf_parse::go::parse(&record).expect("SGF");
    assert_eq!(games.len(), 2);
    for game in &games {
        let result = game.get_property("RE").map(ToString::to_string);
        assert_eq!(result.as_deref(), Some("RE[W+3]"));
        // The opening's two moves, four of each side, two passes.
        assert_eq!(game.main_variation().count(), 1 + 2 + 8 + 2);
    }
}

#[test]
fn our_own_count_decides_without_one() {
    let (text, record) = pair("good", &["--depth", "1", "--komi", "90", "--plies", "4"]);
    assert!(text.contains("+1 =0 -1"), "{text}");
    assert_eq!(record.matches("RE[W+").count(), 2, "{record}");
}

#[test]
fn what_takes_too_long_is_counted_as_it_stands() {
    let (text, record) = pair("good", &["--depth", "1", "--komi", "90", "--longest", "6"]);
    assert!(text.contains("+1 =0 -1"), "{text}");
    assert_eq!(record.matches("RE[W+]").count(), 2, "{record}");
    assert_eq!(record.matches("too long, counted as it stands").count(), 2, "{record}");
}

fn fault(manner: &str, more: &[&str], words: &str, result: &str) {
    let (text, record) = pair(manner, more);
    assert!(text.contains("+2 =0 -0"), "{text}");
    let line = text.lines().rfind(|l| l.starts_with("Odd")).unwrap_or_default();
    assert!(line.contains(words), "{text}");
    for colour in ['B', 'W'] {
        assert!(record.contains(&format!("RE[{colour}+{result}]")), "{record}");
    }
}

#[test]
fn faults_lose() {
    fault("illegal", &["--depth", "1"], "0 time losses, 2 illegal moves", "F");
    fault("refuse", &["--depth", "1"], "0 time losses, 2 illegal moves", "F");
    fault("crash", &["--depth", "1"], "0 illegal moves, 2 disconnects", "F");
    fault("resign", &["--depth", "1"], "0 time losses, 0 illegal moves", "R");
}

#[test]
fn a_passed_clock_loses() {
    let clock = ["--movetime", "200", "--margin-ms", "400"];
    fault("late", &clock, "2 time losses, 0 illegal moves", "T");
}

#[test]
fn what_is_not_for_the_game_is_refused() {
    let place = Place::new("refused");
    let words = |args: &[&str]| -> String {
        let out = Command::new(env!("CARGO_BIN_EXE_nguky"))
            .current_dir(place.0.path())
            .arg("match")
            .args(args)
            .output()
            .expect("nguky runs");
        assert!(!out.status.success(), "{args:?}");
        String::from_utf8_lossy(&out.stderr).to_string()
    };
    assert!(words(&["--komi", "7"]).contains("--komi is for go, not for chess"));
    assert!(words(&["--game", "go", "--size", "26"]).contains("26"));
    assert!(words(&["--game", "go", "--engine", "cmd=x proto=uci", "--engine", "cmd=y"]).contains("not uci"));
    assert!(words(&["--engine", "cmd=true proto=gtp", "--engine", "cmd=true"]).contains("gtp is the protocol of go"));
    let two = ["--engine", "cmd=true", "--engine", "cmd=true"];
    assert!(words(&[&["--game", "go", "--rule", "Rules=x"][..], &two].concat()).contains("Rules"));
    assert!(words(&[&["--game", "go"][..], &two].concat()).contains("list_commands"));
}
