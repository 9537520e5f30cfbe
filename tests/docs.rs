//! What the docs say of the program is what the program says.

use std::process::Command;

#[test]
fn the_tables_of_options_are_current() {
    is_current(env!("CARGO_BIN_EXE_nguky-uci"));
    is_current(env!("CARGO_BIN_EXE_nguky-ucci"));
    is_current(env!("CARGO_BIN_EXE_nguky-usi"));
    is_current(env!("CARGO_BIN_EXE_nguky-gtp"));
}

fn is_current(program: &str) {
    let out = Command::new(program)
        .arg("options-table")
        .output()
        .expect("the engine runs");
    let table = String::from_utf8(out.stdout).expect("UTF-8");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/options.md");
    let docs = std::fs::read_to_string(path).expect("docs/options.md");
    assert!(
        docs.contains(table.trim()),
        "docs/options.md is not current; its table is the output of `{program} options-table`:\n{table}"
    );
}

fn readme() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).expect("README.md")
}

/// README names the toolchain that the manifest asks for.
#[test]
fn the_toolchain_is_named() {
    let version = env!("CARGO_PKG_RUST_VERSION");
    assert!(
        !version.is_empty() && readme().contains(&format!("version {version} or later")),
        "{version}"
    );
}

/// The command lines that README shows for the chess engine do what they say.
#[test]
fn the_command_lines_of_the_readme_work() {
    let readme = readme();
    let lines: Vec<&str> = readme.lines().filter_map(|l| l.strip_prefix("./nguky-uci ")).collect();
    assert_eq!(lines.len(), 4, "{lines:?}");
    for line in lines {
        let command = line.split_once('#').map_or(line, |(c, _)| c).trim();
        // These are long, and have tests of their own.
        let args: Vec<&str> = match command {
            "bench" => vec!["bench", "--depth", "3"],
            "perft 6" => vec!["perft", "4"],
            "\"go depth 12\" quit" => vec!["go depth 12", "quit"],
            other => vec![other],
        };
        let out = Command::new(env!("CARGO_BIN_EXE_nguky-uci"))
            .args(&args)
            .output()
            .expect("the engine runs");
        let said = String::from_utf8(out.stdout).expect("UTF-8");
        assert!(out.status.success() && out.stderr.is_empty(), "{command}: {said}");
        let end = match args[0] {
            "bench" => " nps",
            "perft" => "Nodes searched: 197281",
            "go depth 12" => "info depth 12 ",
            _ => "Usage: nguky-uci",
        };
        assert!(said.contains(end), "{command}: {said}");
    }
}

/// Every page that README links to is there.
#[test]
fn the_links_of_the_readme_lead_somewhere() {
    let readme = readme();
    let links = readme.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    for link in links.filter(|l| !l.starts_with("http")) {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(link);
        assert!(path.exists(), "README links to {link}, which is not there");
    }
}

/// The documented parameters of the go engine, and their values at start, are those that it has.
#[test]
fn the_table_of_parameters_is_current() {
    let out = Command::new(env!("CARGO_BIN_EXE_nguky-gtp"))
        .args(["nguky-param", "quit"])
        .output()
        .expect("the engine runs");
    let said = String::from_utf8(out.stdout).expect("UTF-8");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/options.md");
    let docs = std::fs::read_to_string(path).expect("docs/options.md");
    let mut known = 0;
    for line in said.lines() {
        let words: Vec<&str> = line.trim_start_matches("= ").split(' ').collect();
        let [kind, name, value] = words[..] else { continue };
        let value = match (kind, value) {
            ("[bool]", "1") => "true",
            ("[bool]", _) => "false",
            _ => value,
        };
        assert!(
            docs.contains(&format!("| `{name}` | `{value}` |")),
            "docs/options.md has no row | `{name}` | `{value}` |"
        );
        known += 1;
    }
    assert!(known > 25, "{said}");
}

/// Every path that the glossary names exists, and every row has a term, a meaning, a file and a source.
#[test]
fn the_files_of_the_glossary_exist() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let glossary = std::fs::read_to_string(root.join("docs/glossary.md")).expect("docs/glossary.md");
    let rows: Vec<Vec<&str>> = glossary
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| term "))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert!(rows.len() > 30, "{} rows", rows.len());
    for row in rows {
        assert!(row.len() == 4 && row.iter().all(|cell| !cell.is_empty()), "{row:?}");
        let paths = row[2..].iter().flat_map(|cell| cell.split('`').skip(1).step_by(2));
        for path in paths {
            assert!(root.join(path).exists(), "{row:?}: no {path}");
        }
        assert!(row[2].starts_with('`'), "{row:?}");
    }
}
