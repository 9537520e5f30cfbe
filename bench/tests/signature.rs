//! The search's signature: what `nguky signature` counts is what `bench/signature.txt` keeps. A change that means to
//! keep the search as it is leaves it; one that changes it changes the file too (`nguky signature --update`), and says so.

use std::process::{Command, Output};

const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/bench/signature.txt");

fn signature(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nguky"))
        .arg("signature")
        .args(arguments)
        .output()
        .expect("the workbench runs")
}

#[test]
fn all_games_search_as_the_file_says() {
    let out = signature(&["--file", KEPT]);
    let (told, complaint) = (
        String::from_utf8_lossy(&out.stdout),
        String::from_utf8_lossy(&out.stderr),
    );
    assert!(out.status.success(), "{told}{complaint}");
    assert_eq!(told, std::fs::read_to_string(KEPT).expect("bench/signature.txt"));
}

/// A wrong line is named and mended by `--update`, the others stay.
#[test]
fn a_changed_search_is_told_and_written() {
    let file = std::env::temp_dir().join(format!("nguky-signature-{}.txt", std::process::id()));
    let name = file.to_str().expect("UTF-8");
    std::fs::write(&file, "chess 7\ngo 1\n").expect("written");
    let out = signature(&["--file", name, "--game", "go"]);
    let complaint = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(
        !out.status.success() && complaint.contains("go not as in"),
        "{complaint}"
    );
    assert!(
        signature(&["--file", name, "--game", "go", "--update"])
            .status
            .success()
    );
    let written = std::fs::read_to_string(&file).expect("written");
    let kept = std::fs::read_to_string(KEPT).expect("bench/signature.txt");
    let go = kept.lines().find(|l| l.starts_with("go ")).expect("a line for go");
    assert_eq!(written, format!("chess 7\n{go}\n"));
    std::fs::remove_file(&file).expect("removed");
    let out = signature(&["--file", KEPT, "--game", "checkers"]);
    assert!(String::from_utf8_lossy(&out.stderr).contains("no game \"checkers\"; expected chess, xiangqi"));
}
