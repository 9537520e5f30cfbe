//! What the docs say of the program is what the program says.

use std::process::Command;

#[test]
fn the_tables_of_options_are_current() {
    is_current(env!("CARGO_BIN_EXE_nguky-uci"));
    is_current(env!("CARGO_BIN_EXE_nguky-ucci"));
    is_current(env!("CARGO_BIN_EXE_nguky-usi"));
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
