//! The go engine as a program: its command line, its name, and how it ends.

use crate::common::{Client, PATIENCE};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ENGINE: &str = env!("CARGO_BIN_EXE_nguky-gtp");

/// What the program prints, and whether it ended well.
fn run(args: &[&str]) -> (String, String, bool) {
    let out = Command::new(ENGINE)
        .args(args)
        .stdin(Stdio::null())
        .output()
        .expect("the engine runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (text(out.stdout), text(out.stderr), out.status.success())
}

#[test]
fn the_help_speaks_of_go() {
    let (help, _, good) = run(&["--help"]);
    assert!(good && help.contains("Go engine speaking GTP") && help.contains("list_options"));
    for word in ["chess", "shogi", "xiangqi", "UCI", "USI", "Hash", "perft"] {
        assert!(!help.contains(word), "{word}: {help}");
    }
}

#[test]
fn the_name_is_the_programs() {
    let (said, _, _) = run(&["name", "version", "quit"]);
    assert_eq!(
        said,
        concat!("= nguky-gtp\n\n= ", env!("CARGO_PKG_VERSION"), "\n\n= \n\n")
    );
}

#[test]
fn arguments_of_gnugo_are_understood() {
    for args in [
        &["--mode", "gtp", "--level", "3", "--boardsize", "9", "--komi", "6.5"][..],
        &[
            "--mode=gtp",
            "--quiet",
            "--level=3",
            "--boardsize=9",
            "--komi=6.5",
            "--japanese-rules",
            "--never-resign",
        ],
        &["--level", "3", "--boardsize", "9", "--komi", "6.5", "gtp"],
    ] {
        let mut e = Client::of(ENGINE, args);
        for (line, want) in [
            ("kata-get-param maxVisits", &["= 4", "= 200"][..]),
            ("get_komi", &["= 6.5"]),
            ("play b J9", &["= "]),
            ("play b K10", &["? invalid color or coordinate"]),
        ] {
            e.send(line);
            let said = e.line(PATIENCE).map(|(_, line)| line).unwrap_or_default();
            assert!(want.contains(&said.as_str()), "{args:?} {line}: {said}");
            e.line(PATIENCE);
        }
        e.quit_within(PATIENCE);
    }
    for (args, word) in [
        (&["--mode", "ascii"][..], "gtp"),
        (&["--level", "0"], "level must be a whole number from 1 to 10"),
        (&["--komi", "1e9"], "from -1000 to 1000"),
        (&["--chinese-rules", "--japanese-rules"], "cannot be used with"),
    ] {
        let (_, told, good) = run(args);
        assert!(!good && told.contains(word), "{args:?}: {told}");
    }
}

/// The program with its answers going nowhere; its input stays open.
fn unheard(args: &[&str]) -> std::process::Child {
    let mut child = Command::new(ENGINE)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the engine starts");
    drop(child.stdout.take());
    child
}

#[test]
fn a_closed_output_ends_it_quietly() {
    for (args, line) in [
        (&[][..], "lz-analyze b 1\n"),
        (&["--boardsize", "9"], "name\nname\n"),
        (&["bench", "--depth", "1"], ""),
        (&["analysis"], "{\"id\":\"a\",\"action\":\"query_version\"}\n"),
        (&["--help"], ""),
    ] {
        let mut child = unheard(args);
        let mut input = child.stdin.take().expect("a piped input");
        let _ = input.write_all(line.as_bytes());
        let until = Instant::now() + Duration::from_secs(60);
        let status = loop {
            if let Some(status) = child.try_wait().expect("a child") {
                break status;
            }
            if Instant::now() > until {
                let _ = child.kill();
                panic!("{args:?} {line:?} goes on");
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        drop(input);
        let mut told = String::new();
        let _ = std::io::Read::read_to_string(&mut child.stderr.take().expect("a pipe"), &mut told);
        assert!(
            status.success() && !told.contains("panicked"),
            "{args:?}: {status} {told}"
        );
    }
}

#[test]
fn the_input_may_end_at_any_time() {
    for (args, input, want) in [
        (&[][..], "boardsize 9\nlz-analyze b 1\n", "=\n"),
        (&[], "boardsize 9\nkata-set-param maxVisits 20\ngenmove b\n", "= "),
        (
            &[],
            "boardsize 9\nkata-set-param maxVisits 20\nkata-genmove_analyze b 1\n",
            "\nplay ",
        ),
        (
            &[],
            "boardsize 9\nkata-set-param maxVisits 20\nkata-set-param ponderingEnabled true\ngenmove b\n",
            "= ",
        ),
        (&["lz-analyze b 1", "7 name"], "", "=7 nguky-gtp\n"),
        (
            &["--boardsize", "9", "kata-set-param maxVisits 20", "genmove b", "8 quit"],
            "",
            "=8 \n",
        ),
        (
            &["analysis"],
            "{\"id\":\"a\",\"moves\":[],\"rules\":\"chinese\",\"boardXSize\":9,\"boardYSize\":9,\"maxVisits\":20}\n",
            "\"isDuringSearch\":false",
        ),
        (
            &["analysis", "-quit-without-waiting"],
            "{\"id\":\"a\",\"moves\":[],\"rules\":\"chinese\",\"boardXSize\":9,\"boardYSize\":9,\"maxVisits\":100000000}\n",
            "",
        ),
    ] {
        let mut child = Command::new(ENGINE)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the engine starts");
        let sent = child.stdin.take().expect("a piped input").write_all(input.as_bytes());
        sent.expect("an open input");
        let out = child.wait_with_output().expect("its output");
        let said = String::from_utf8(out.stdout).expect("UTF-8");
        assert!(out.status.success() && said.contains(want), "{args:?} {input}: {said}");
        // Every answer is closed.
        assert!(
            args.first() == Some(&"analysis") || said.ends_with("\n\n"),
            "{args:?} {input}: {said}"
        );
    }
}

#[test]
fn many_lines_may_wait_for_a_search() {
    let mut e = Client::of(ENGINE, &["--boardsize", "9"]);
    e.send("setoption name Move Time value 500");
    e.send("genmove b");
    for i in 0..512 {
        e.send(&format!("{i} name"));
    }
    e.send("lz-analyze 1");
    for i in 512..1024 {
        e.send(&format!("{i} name"));
    }
    for i in 0..1024 {
        e.expect(&format!("={i} nguky-gtp"));
    }
    e.quit_within(PATIENCE);
}

/// The search runs in threads of its own, whose time counts.
#[test]
fn cputime_counts_the_search() {
    let mut e = Client::of(ENGINE, &["--boardsize", "9"]);
    let ask = |e: &mut Client, line: &str| -> String {
        e.send(line);
        let (_, mut answer) = e.until("= ");
        answer.pop().unwrap_or_default()
    };
    let seconds = |e: &mut Client| -> f64 { ask(e, "cputime")[2..].trim().parse().expect("seconds") };
    ask(&mut e, "setoption name Move Time value 300");
    let before = seconds(&mut e);
    let until = Instant::now() + PATIENCE;
    while seconds(&mut e) < before + 0.1 {
        assert!(Instant::now() < until, "the search took no time");
        ask(&mut e, "reg_genmove b");
    }
    e.quit_within(PATIENCE);
}
