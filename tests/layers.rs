//! The floors of the house: which may use which. A floor never names one above it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Each floor and the floors that it may use, itself aside.
const MAY_USE: [(&str, &[&str]); 12] = [
    ("util", &[]),
    ("bits", &["util"]),
    ("game", &["bits", "util"]),
    ("games", &["game", "bits", "util"]),
    ("eval", &["game", "bits", "util"]),
    ("control", &["game", "util"]),
    ("search", &["game", "eval", "control", "util"]),
    ("mcts", &["game", "games", "eval", "control", "util"]),
    ("engine", &["search", "mcts", "eval", "control", "game", "bits", "util"]),
    ("register", &["engine", "control", "games", "game", "util"]),
    ("protocol", &["engine", "control", "game", "util"]),
    // The protocols of one game: they know its board and its engine.
    ("gtp", &["protocol", "mcts", "games", "control", "game", "util"]),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// The code of a file: without comments, and without its unit tests, which may use anything.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("a readable file");
    let tests = text.find("#[cfg(test)]\nmod ").or(text.find("#[cfg(all(test, "));
    let text = &text[..tests.unwrap_or(text.len())];
    let line = |l: &str| l.split("//").next().unwrap_or_default().to_string() + "\n";
    text.lines().map(line).collect()
}

/// The floors that some code names: `crate::x` and `crate::{x::.., y::..}`.
fn named(code: &str) -> BTreeSet<String> {
    let word = |t: &str| -> String { t.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
    let mut found = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        match rest.strip_prefix('{') {
            None => drop(found.insert(word(rest))),
            Some(list) => {
                let mut depth = 1;
                let mut start = true;
                for (i, c) in list.char_indices() {
                    match c {
                        '{' => depth += 1,
                        '}' => depth -= 1,
                        ',' if depth == 1 => start = true,
                        c if start && depth == 1 && c.is_alphabetic() => {
                            found.insert(word(&list[i..]));
                            start = false;
                        }
                        _ => {}
                    }
                    if depth == 0 {
                        break;
                    }
                }
            }
        }
    }
    found
}

#[test]
fn no_floor_uses_one_above_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut wrong = Vec::new();
    for path in files {
        let place = path.strip_prefix(&root).expect("a file below src");
        let floor = place.components().next().expect("a name").as_os_str().to_string_lossy();
        let floor = floor.trim_end_matches(".rs");
        if floor == "lib" {
            continue;
        }
        let allowed = MAY_USE.iter().find(|(name, _)| *name == floor);
        let Some((_, allowed)) = allowed else {
            wrong.push(format!("{floor}: a floor that is not in the table"));
            continue;
        };
        for used in named(&code(&path)) {
            let is_floor = MAY_USE.iter().any(|(name, _)| *name == used);
            if is_floor && used != floor && !allowed.contains(&used.as_str()) {
                wrong.push(format!("{}: {floor} uses {used}", place.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn names_are_found_in_lists_too() {
    let found = named("use crate::{game::{Position, Side}, control::Limits};\nlet x = crate::util::rng();");
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["control", "game", "util"]);
}

#[test]
fn the_table_has_no_circle() {
    // A floor's users come after it in the table, so that no circle can be written.
    let place = |name: &str| MAY_USE.iter().position(|(n, _)| *n == name);
    for (floor, uses) in MAY_USE {
        for used in uses {
            assert!(place(used) < place(floor), "{floor} uses {used}");
        }
    }
}

/// Cargo finds no test programs by itself here (`autotests`), so a file that no program names would never run.
#[test]
fn every_file_of_tests_belongs_to_a_program() {
    for folder in ["tests", "bench/tests"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let main = std::fs::read_to_string(folder.join("main.rs")).expect("the program's list");
        let modules: BTreeSet<&str> = main
            .lines()
            .filter_map(|l| l.strip_prefix("mod ")?.strip_suffix(';'))
            .collect();
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let is_module = path.extension().is_some_and(|e| e == "rs") || path.join("mod.rs").exists();
            assert!(
                !is_module || name == "main" || modules.contains(name.as_str()),
                "{}: no module of main.rs",
                path.display()
            );
        }
    }
}
