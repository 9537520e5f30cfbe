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
