//! The commit-msg hook of `.githooks/`, tried on messages in a repository of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A repository in a new folder, with a signature staged that its first commit lacks.
fn repository(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("nguky-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("bench")).expect("a folder");
    git(&folder, &["init", "-q"]);
    git(&folder, &["config", "user.name", "nobody"]);
    git(&folder, &["config", "user.email", "nobody@example.com"]);
    let hooks = concat!(env!("CARGO_MANIFEST_DIR"), "/.githooks");
    git(&folder, &["config", "core.hooksPath", hooks]);
    folder
}

fn git(folder: &Path, arguments: &[&str]) -> Output {
    Command::new("git")
        .current_dir(folder)
        .args(arguments)
        .output()
        .expect("git runs")
}

/// What the hook says to a message; nothing where it lets it pass.
fn complaint(folder: &Path, message: &str) -> Option<String> {
    let out = git(folder, &["commit", "-q", "--allow-empty", "-m", message]);
    (!out.status.success()).then(|| String::from_utf8_lossy(&out.stderr).into_owned())
}

#[test]
fn subjects_are_held_to_their_form() {
    let folder = repository("subjects");
    for fine in [
        "search: null move at depth 2".to_string(),
        "chess, search: the second network".to_string(),
        format!("docs: {}", "ờ".repeat(66)),
        "fixup! whatever it was".to_string(),
    ] {
        assert_eq!(complaint(&folder, &fine), None);
    }
    for (message, why) in [
        ("no area here".to_string(), "expected \"area: what changed\""),
        ("search:nothing".to_string(), "expected \"area: what changed\""),
        (format!("docs: {}", "x".repeat(67)), "73 characters; at most 72"),
    ] {
        let told = complaint(&folder, &message).expect("refused");
        assert!(told.contains(why), "{message}: {told}");
    }
    std::fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn a_changed_signature_asks_for_its_count() {
    let folder = repository("counts");
    std::fs::write(folder.join("bench/signature.txt"), "chess 77\ngo 5\n").expect("written");
    git(&folder, &["add", "."]);
    for message in [
        "search: more",
        "search: more\n\nBench: 78",
        "search: more\n\nBench: 777",
    ] {
        let told = complaint(&folder, message).expect("refused");
        assert!(told.contains("expected a line \"Bench: 77\""), "{told}");
    }
    assert_eq!(complaint(&folder, "search: more\n\nWon.\n\nBench: 77"), None);
    // Unchanged from here on.
    assert_eq!(complaint(&folder, "search: less"), None);
    std::fs::remove_dir_all(folder).expect("removed");
}
