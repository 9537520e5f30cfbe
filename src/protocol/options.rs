//! The option registry in UCI's words, and as the table of `docs/options.md`.

use crate::control::{Opt, Options, Value};
use std::fmt::Write;

fn or_empty(text: &str) -> &str {
    if text.is_empty() { "<empty>" } else { text }
}

/// An option as UCI declares it.
pub fn declare(o: &Opt) -> String {
    declare_with(o, "string")
}

/// An option with the protocol's word for a path.
pub fn declare_with(o: &Opt, path: &str) -> String {
    let kind = match &o.default {
        Value::Check(on) => format!("check default {on}"),
        Value::Spin { now, min, max } => format!("spin default {now} min {min} max {max}"),
        Value::Combo { now, all } => {
            let mut line = format!("combo default {}", all.get(*now).unwrap_or(&""));
            for word in all {
                let _ = write!(line, " var {word}");
            }
            line
        }
        Value::Text(t) => format!("string default {}", or_empty(t)),
        Value::File(t) => format!("{path} default {}", or_empty(t)),
        Value::Button => "button".into(),
    };
    format!("option name {} type {kind}", o.name)
}

/// The name and the value in the words after `setoption`: `name A B value C D`. `None` without a name.
pub fn name_and_value(words: &[&str]) -> Option<(String, Option<String>)> {
    let is = |word: &str, keyword: &str| word.eq_ignore_ascii_case(keyword);
    let words = match words {
        [first, rest @ ..] if is(first, "name") => rest,
        _ => words,
    };
    let at = words.iter().position(|w| is(w, "value")).unwrap_or(words.len());
    let (name, value) = words.split_at(at);
    let value = value.get(1..).map(|v| v.join(" "));
    (!name.is_empty()).then(|| (name.join(" "), value))
}

/// The options as a table in Markdown.
pub fn table<'a>(options: impl Iterator<Item = &'a Opt>) -> String {
    let mut out = String::from("| option | type | default | range | what it does |\n|---|---|---|---|---|\n");
    for o in options {
        let (kind, default, range) = match &o.default {
            Value::Check(on) => ("check", on.to_string(), String::new()),
            Value::Spin { now, min, max } => ("spin", now.to_string(), format!("{min} to {max}")),
            Value::Combo { now, all } => ("combo", (*all.get(*now).unwrap_or(&"")).to_string(), all.join(", ")),
            Value::Text(t) => ("string", or_empty(t).to_string(), String::new()),
            Value::File(t) => ("string", or_empty(t).to_string(), "a path".to_string()),
            Value::Button => ("button", String::new(), String::new()),
        };
        let code = |text: String| if text.is_empty() { text } else { format!("`{text}`") };
        let _ = writeln!(
            out,
            "| `{}` | {kind} | {} | {range} | {} |",
            o.name,
            code(default),
            o.help
        );
    }
    out
}

/// All options of an engine and of its dialect.
pub fn both<'a>(engine: &'a Options, dialect: &'a Options) -> impl Iterator<Item = &'a Opt> {
    engine
        .iter()
        .chain(dialect.iter().filter(|o| engine.get(o.name).is_none()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> Option<(String, Option<String>)> {
        name_and_value(&line.split_whitespace().collect::<Vec<_>>())
    }

    #[test]
    fn names_and_values_have_blanks() {
        let pair = |n: &str, v: Option<&str>| Some((n.to_string(), v.map(str::to_string)));
        assert_eq!(split("name Move Overhead value 30"), pair("Move Overhead", Some("30")));
        assert_eq!(split("name clear hash"), pair("clear hash", None));
        assert_eq!(
            split("name SyzygyPath value /a b/c"),
            pair("SyzygyPath", Some("/a b/c"))
        );
        assert_eq!(split("NAME Hash VALUE 16"), pair("Hash", Some("16")));
        assert_eq!(split("Hash value"), pair("Hash", Some("")));
        assert_eq!(split("name"), None);
        assert_eq!(split("name value 3"), None);
        assert_eq!(split(""), None);
    }

    #[test]
    fn declarations() {
        let mut o = Options::default();
        let spin = Value::Spin {
            now: 16,
            min: 1,
            max: 64,
        };
        o.declare("Hash", spin, "table");
        o.declare("Path", Value::File(String::new()), "files");
        o.declare(
            "Style",
            Value::Combo {
                now: 1,
                all: vec!["solid", "risky"],
            },
            "style",
        );
        o.declare("Clear Hash", Value::Button, "forget");
        let lines: Vec<String> = o.iter().map(declare).collect();
        assert_eq!(
            lines,
            [
                "option name Hash type spin default 16 min 1 max 64",
                "option name Path type string default <empty>",
                "option name Style type combo default risky var solid var risky",
                "option name Clear Hash type button",
            ]
        );
    }

    #[test]
    fn one_row_an_option() {
        let mut o = Options::default();
        o.declare("Ponder", Value::Check(false), "think");
        assert!(table(o.iter()).ends_with("| `Ponder` | check | `false` |  | think |\n"));
    }
}
