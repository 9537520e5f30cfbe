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

/// Every page that README, in either language, and the pages of docs/ link to is there.
#[test]
fn the_links_of_the_pages_lead_somewhere() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = vec![
        root.join("README.md"),
        root.join("README.vi.md"),
        root.join("CHANGELOG.md"),
    ];
    let docs = std::fs::read_dir(root.join("docs")).expect("docs");
    pages.extend(docs.map(|entry| entry.expect("an entry").path()));
    pages.retain(|page| page.extension().is_some_and(|end| end == "md"));
    assert!(pages.len() > 12, "{pages:?}");
    for page in pages {
        let text = std::fs::read_to_string(&page).expect("a page");
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for link in links.filter(|l| !l.starts_with("http")) {
            let file = link.split('#').next().unwrap_or_default();
            let path = page.parent().expect("a folder").join(file);
            assert!(file.is_empty() || path.exists(), "{} links to {link}", page.display());
        }
    }
}

/// README is one screen, and both languages name the same programs, commands and figures.
#[test]
fn the_two_readmes_agree() {
    let [english, vietnamese] = ["README.md", "README.vi.md"].map(|name| {
        let path = format!("{}/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).expect(name)
    });
    assert!(english.lines().count() < 70, "{} lines", english.lines().count());
    for line in [
        "./nguky web --open",
        "./nguky play --game chess",
        "cargo build --release",
    ] {
        assert!(english.lines().any(|l| l == line), "README.md: {line}");
        assert!(vietnamese.lines().any(|l| l == line), "README.vi.md: {line}");
    }
    // The tables: a program and its strength in each row.
    let rows = |text: &str| -> Vec<String> {
        let known = |c: &char| c.is_ascii_digit() || "±%`".contains(*c);
        let row = |l: &str| l.split('|').skip(2).flat_map(str::chars).filter(known).collect();
        text.lines().filter(|l| l.contains("| `nguky-")).map(row).collect()
    };
    assert_eq!(rows(&english).len(), 5);
    assert_eq!(rows(&english), rows(&vietnamese));
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

/// The list of files with `unsafe` code names all of them, and no other.
#[test]
fn the_list_of_unsafe_code_is_whole() {
    fn collect(folder: &std::path::Path, files: &mut Vec<std::path::PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                collect(&path, files);
            } else if path.extension().is_some_and(|e| e == "rs") {
                files.push(path);
            }
        }
    }
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = vec![root.join("build.rs")];
    for folder in ["src", "bench/src", "engines", "examples"] {
        collect(&root.join(folder), &mut files);
    }
    let page = std::fs::read_to_string(root.join("docs/unsafe.md")).expect("docs/unsafe.md");
    // The first column has the files.
    let column = page.lines().filter_map(|l| l.strip_prefix("| ")?.split(" | ").next());
    let mut named: Vec<&str> = column.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    let mut unsafes: Vec<String> = Vec::new();
    for file in &files {
        let text = std::fs::read_to_string(file).expect("a source file");
        let code = text.lines().map(str::trim_start).filter(|l| !l.starts_with("//"));
        let is_unsafe = |l: &str| {
            ["unsafe {", "unsafe fn", "unsafe impl", "unsafe trait"]
                .iter()
                .any(|w| l.contains(w))
        };
        if code.into_iter().any(is_unsafe) {
            let file = file.strip_prefix(root).expect("a file of the repository");
            unsafes.push(file.to_string_lossy().replace('\\', "/"));
        }
    }
    named.sort_unstable();
    unsafes.sort_unstable();
    assert_eq!(named, unsafes);
}
