//! Transcripts of conversations with the real binaries: `tests/talk/PROTOCOL/*.txt`.
//!
//! `> line` is sent; `< line` has to come next, where `*` stands for anything and lines that begin with `info`, `id` or
//! `option` may come between unless the awaited line begins so too; `# line` is a remark.

use crate::common::{Client, PATIENCE};
use std::path::Path;

fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((head, rest)) => {
            let Some(tail) = text.strip_prefix(head) else {
                return false;
            };
            (0..=tail.len())
                .filter(|&i| tail.is_char_boundary(i))
                .any(|i| matches(rest, &tail[i..]))
        }
    }
}

fn hold(path: &Path, program: &str) {
    let script = std::fs::read_to_string(path).expect("a readable script");
    let name = path.display();
    let mut client = Client::of(program, &[]);
    for (at, line) in script.lines().enumerate() {
        let at = at + 1;
        if let Some(text) = line.strip_prefix("> ") {
            client.send(text);
        } else if let Some(pattern) = line.strip_prefix('<') {
            let pattern = pattern.strip_prefix(' ').unwrap_or(pattern);
            loop {
                let Some((_, said)) = client.line(PATIENCE) else {
                    panic!("{name}:{at}: {pattern:?} never came\n{}", client.tail());
                };
                if matches(pattern, &said) {
                    break;
                }
                let filler = ["info ", "option ", "id "].iter().any(|w| said.starts_with(w));
                assert!(filler, "{name}:{at}: {pattern:?} expected\n{}", client.tail());
            }
        } else {
            assert!(line.is_empty() || line.starts_with('#'), "{name}:{at}: {line:?}?");
        }
    }
    client.quit_within(PATIENCE);
}

fn hold_all(folder: &str, program: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut scripts: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder of scripts")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "txt"))
        .collect();
    scripts.sort();
    assert!(!scripts.is_empty());
    scripts.iter().for_each(|path| hold(path, program));
}

#[test]
fn chess_talks() {
    hold_all("talk/uci", env!("CARGO_BIN_EXE_nguky-uci"));
}

#[test]
fn xiangqi_talks() {
    hold_all("talk/ucci", env!("CARGO_BIN_EXE_nguky-ucci"));
}

#[test]
fn shogi_talks() {
    hold_all("talk/usi", env!("CARGO_BIN_EXE_nguky-usi"));
}

#[test]
fn go_talks() {
    hold_all("talk/gtp", env!("CARGO_BIN_EXE_nguky-gtp"));
}

#[test]
fn stars_stand_for_anything() {
    assert!(matches("info depth * pv *", "info depth 3 score cp 1 pv e2e4"));
    assert!(matches("readyok", "readyok") && !matches("readyok", "readyok "));
    assert!(!matches("bestmove * ponder *", "bestmove e2e4"));
}
