//! The binaries as commands: what README and their help promise, arguments in their order, readers that leave early.

use crate::common::{Client, field, last_info, pv};
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Output, Stdio};

const UCI: &str = env!("CARGO_BIN_EXE_nguky-uci");
const UCCI: &str = env!("CARGO_BIN_EXE_nguky-ucci");
const USI: &str = env!("CARGO_BIN_EXE_nguky-usi");
const GTP: &str = env!("CARGO_BIN_EXE_nguky-gtp");

fn output(program: &str, args: &[&str]) -> Output {
    let run = Command::new(program).args(args).stdin(Stdio::null()).output();
    run.expect("the program runs")
}

fn text(program: &str, args: &[&str]) -> String {
    String::from_utf8(output(program, args).stdout).expect("UTF-8")
}

/// A finite search of the command line is finished before the next command, `quit` too.
#[test]
fn commands_as_arguments_wait_for_one_another() {
    for (program, args, last) in [
        (UCI, vec!["go depth 9", "quit"], "bestmove "),
        (UCI, vec!["go", "depth", "9", "quit"], "bestmove "),
        (UCI, vec!["go depth 9", "stop", "quit"], "bestmove "),
        (
            UCI,
            vec!["go depth 4", "position startpos moves e2e4", "go depth 9", "quit"],
            "bestmove ",
        ),
        (UCI, vec!["go depth 9", "isready", "quit"], "readyok"),
        (UCI, vec!["go nodes 5000", "go depth 9", "isready"], "readyok"),
        (UCCI, vec!["uci", "go depth 9", "quit"], "bestmove "),
        (UCCI, vec!["ucci", "go depth 9", "quit"], "bye"),
        (USI, vec!["go depth 9", "quit"], "bestmove "),
    ] {
        let said = text(program, &args);
        assert!(said.contains(" depth 9 "), "{args:?}: {said}");
        assert!(
            said.lines().last().is_some_and(|l| l.starts_with(last)),
            "{args:?}: {said}"
        );
    }
    // An endless one is ended by the next command, as in a talk.
    let said = text(UCI, &["go infinite", "stop", "d", "quit"]);
    let at = |word: &str| said.find(word).unwrap_or_else(|| panic!("no {word} in {said}"));
    assert!(at("bestmove ") < at("Fen: "), "{said}");
    // A long job likewise holds up what comes behind it.
    let said = text(UCI, &["perft", "5", "isready"]);
    assert!(!said.contains("readyok"), "perft is a command of its own: {said}");
    let said = text(UCI, &["go perft 4", "isready", "quit"]);
    assert!(said.trim_end().ends_with("readyok"), "{said}");
}

#[test]
fn a_typed_quit_ends_at_once() {
    let mut c = Client::new();
    c.send("go depth 60");
    c.send("quit");
    let (status, lines) = c.until_end();
    assert!(status.is_some_and(|s| s.success()));
    assert!(!lines.iter().any(|l| l.starts_with("info depth 60 ")), "{lines:?}");
}

/// `PROGRAM ARGS | head -1`: the reader leaves after a line, the program ends soon, quietly and well.
#[test]
fn a_reader_may_leave() {
    for (program, args) in [
        (UCI, vec!["bench", "--depth", "4"]),
        (UCI, vec!["perft", "3", "--divide"]),
        (UCI, vec!["--help"]),
        (UCI, vec!["go depth 60", "quit"]),
        (UCI, vec!["uci", "go infinite"]),
        (UCCI, vec!["bench", "--depth", "4"]),
        (UCCI, vec!["ucci", "go infinite"]),
        (USI, vec!["bench", "--depth", "4"]),
        (USI, vec!["usi", "go depth 60", "quit"]),
        (GTP, vec!["bench", "--depth", "1"]),
        (GTP, vec!["list_commands"]),
        (GTP, vec!["--help"]),
    ] {
        let mut child = Command::new(program)
            .args(&args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut reader = BufReader::new(child.stdout.take().expect("a piped output"));
        let mut line = String::new();
        reader.read_line(&mut line).expect("a line");
        drop(reader);
        let mut complaint = String::new();
        let mut errors = child.stderr.take().expect("a piped error output");
        errors.read_to_string(&mut complaint).expect("UTF-8");
        let status = child.wait().expect("an end");
        assert!(status.success(), "{program} {args:?}: {status}, {complaint}");
        assert_eq!(complaint, "", "{program} {args:?}");
    }
}

/// A long job is broken off when nobody reads it any longer, not worked through.
#[test]
fn a_job_without_a_reader_ends() {
    let log = std::env::temp_dir().join(format!("nguky-reader-{}.log", std::process::id()));
    let mut child = Command::new(UCI)
        .args([
            &*format!("setoption name Debug Log File value {}", log.display()),
            "bench 7",
            "quit",
        ])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut reader = BufReader::new(child.stdout.take().expect("a piped output"));
    reader.read_line(&mut String::new()).expect("a line");
    drop(reader);
    assert!(child.wait().expect("an end").success());
    let said = std::fs::read_to_string(&log).expect("the log");
    let _ = std::fs::remove_file(&log);
    let lines = said
        .lines()
        .filter(|l| l.starts_with("<< info string position "))
        .count();
    assert!((1..10).contains(&lines) && !said.contains(" nps"), "{said}");
}

/// Nobody reads the errors either.
#[test]
fn a_closed_error_output_is_no_fault() {
    let mut child = Command::new(UCI)
        .args(["perft", "3", "--fen", "nonsense"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stderr.take());
    // 101 would be a panic.
    assert_eq!(child.wait().expect("an end").code(), Some(1));
}

#[test]
fn engines_are_named_alike() {
    let version = env!("CARGO_PKG_VERSION");
    for (program, name, hello, end) in [
        (UCI, "nguky-uci", "uci", "uciok"),
        (UCCI, "nguky-ucci", "uci", "uciok"),
        (UCCI, "nguky-ucci", "ucci", "ucciok"),
        (USI, "nguky-usi", "usi", "usiok"),
        (USI, "nguky-usi", "uci", "uciok"),
    ] {
        let mut c = Client::of(program, &[]);
        c.send(hello);
        let lines = c.until(end).1;
        let has = |line: &str| lines.iter().any(|l| l == line);
        assert!(has(&format!("id name {name} {version}")), "{lines:?}");
        assert!(has("id author the Nguky developers"), "{lines:?}");
        assert_eq!(text(program, &["--version"]).trim_end(), format!("{name} {version}"));
    }
}

/// No binary's help speaks of a game that it does not play, and each shows a command line that works.
#[test]
fn help_speaks_of_the_own_game() {
    let words = [
        (UCI, vec!["chess"]),
        (UCCI, vec!["xiangqi", "cờ úp"]),
        (USI, vec!["shogi", "sfen", "usi"]),
        (GTP, vec!["go engine", "gtp"]),
    ];
    for (program, own) in &words {
        let mut help = text(program, &["--help"]);
        for command in ["bench", "perft"].iter().take(if *program == GTP { 1 } else { 2 }) {
            help += &text(program, &[command, "--help"]);
        }
        let help = help.to_lowercase();
        assert!(own.iter().all(|w| help.contains(w)), "{help}");
        let others = words.iter().filter(|(p, _)| p != program).flat_map(|(_, w)| w);
        for other in others.filter(|w| !own.iter().any(|o| o.contains(*w))) {
            assert!(!help.contains(other), "{program} speaks of {other}: {help}");
        }
    }
    for (program, option, setup) in [
        (UCI, "--fen", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        (UCCI, "--fen", "3k5/9/9/9/9/9/9/9/9/4K4 w"),
        (USI, "--sfen", "4k4/9/9/9/9/9/9/9/4K4 b - 1"),
    ] {
        let out = output(program, &["perft", "1", option, setup]);
        assert!(out.status.success(), "{out:?}");
    }
}

/// The answer is the move of the last line of rank 1, whichever thread found it.
#[test]
fn the_answer_of_several_threads_was_told() {
    let positions = [
        "startpos",
        "fen r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2Q1RK1 w - - 0 9",
        "fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "fen 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    ];
    let mut c = Client::ready(&["Threads=4"]);
    for round in 0..40 {
        let position = positions[round % positions.len()];
        c.send("ucinewgame");
        c.send(&format!("position {position}"));
        let lines = c.go(&format!("go nodes {}", 3000 + 700 * round));
        let line = last_info(&lines);
        let answer = lines.last().expect("an answer");
        assert_eq!(
            pv(line).first().copied(),
            field(answer, "bestmove"),
            "{position}: {line}, {answer}"
        );
    }
}

/// Man pages and completions come from the definition of the command line, without the commands that are hidden there.
#[cfg(feature = "manual")]
#[test]
fn manuals_show_what_the_help_shows() {
    let folder = std::env::temp_dir().join(format!("nguky-manual-{}", std::process::id()));
    for (program, name) in [
        (UCI, "nguky-uci"),
        (UCCI, "nguky-ucci"),
        (USI, "nguky-usi"),
        (GTP, "nguky-gtp"),
    ] {
        let place = folder.join(name);
        let out = output(program, &["manual", place.to_str().expect("UTF-8")]);
        assert!(
            out.status.success() && out.stdout.is_empty() && out.stderr.is_empty(),
            "{out:?}"
        );
        let read = |file: String| {
            let text = std::fs::read_to_string(place.join(&file)).unwrap_or_else(|e| panic!("{file}: {e}"));
            assert!(
                !text.contains("options-table") && !text.contains("man pages"),
                "{file}: {text}"
            );
            text
        };
        let page = read(format!("man/{name}.1"));
        assert!(
            page.contains(".TH ") && page.contains(env!("CARGO_PKG_VERSION")),
            "{page}"
        );
        assert!(read(format!("man/{name}-bench.1")).contains("depth"));
        for file in [
            format!("{name}.bash"),
            format!("{name}.fish"),
            format!("_{name}"),
            format!("_{name}.ps1"),
        ] {
            assert!(read(format!("completions/{file}")).contains("bench"), "{file}");
        }
    }
    let file = folder.join("a-file");
    std::fs::write(&file, "").expect("written");
    let out = output(UCI, &["manual", file.to_str().expect("UTF-8")]);
    let said = String::from_utf8(out.stderr).expect("UTF-8");
    assert!(
        !out.status.success() && said.contains("cannot write") && said.contains("a-file"),
        "{said}"
    );
    std::fs::remove_dir_all(folder).expect("removed");
}
