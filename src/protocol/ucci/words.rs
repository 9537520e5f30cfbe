//! The engine's options in UCCI's words.

use crate::control::{Opt, Options, Value};
use crate::protocol::uci;

/// The engine's options under the names that UCCI gives them.
const NAMES: [(&str, &str); 5] = [
    ("hashsize", "Hash"),
    ("clearhash", "Clear Hash"),
    ("limitstrength", "UCI_LimitStrength"),
    ("elo", "UCI_Elo"),
    ("variant", uci::VARIANT),
];

/// An option as UCCI declares it: one word in lower case, no word `name`; rules and search alike.
pub(super) fn declare(o: &Opt) -> Option<String> {
    // UCI's own switches mean nothing here.
    let named = NAMES.iter().any(|(_, engine_name)| *engine_name == o.name);
    if o.name.starts_with("UCI_") && !named {
        return None;
    }
    let name = ucci_name(o.name);
    Some(match &o.default {
        Value::Check(on) => format!("option {name} type check default {on}"),
        Value::Spin { now, min, max } => {
            // 0 is the engine's own choice.
            let min = if ["hashsize", "threads"].contains(&name.as_str()) {
                &0
            } else {
                min
            };
            format!("option {name} type spin min {min} max {max} default {now}")
        }
        Value::Combo { now, all } => {
            let words: Vec<String> = all.iter().map(|w| format!("var {w}")).collect();
            let default = all.get(*now).unwrap_or(&"");
            format!("option {name} type combo {} default {default}", words.join(" "))
        }
        Value::Text(_) | Value::File(_) => format!("option {name} type string"),
        Value::Button => format!("option {name} type button"),
    })
}

/// UCCI's name of an engine option.
pub(super) fn ucci_name(name: &str) -> String {
    match NAMES.iter().find(|(_, engine_name)| *engine_name == name) {
        Some((ucci_name, _)) => (*ucci_name).to_string(),
        None => name.replace(' ', "").to_ascii_lowercase(),
    }
}

/// The engine's option of a UCCI name.
pub(super) fn engine_name(name: &str, options: &Options) -> Option<&'static str> {
    options.iter().map(|o| o.name).find(|n| ucci_name(n) == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_one_word_in_lower_case() {
        let mut o = Options::default();
        let spin = Value::Spin {
            now: 16,
            min: 1,
            max: 64,
        };
        o.declare("Hash", spin, "table");
        o.declare("Move Overhead", Value::Check(true), "lost");
        o.declare("UCI_ShowWDL", Value::Check(true), "chances");
        let lines: Vec<String> = o.iter().filter_map(declare).collect();
        assert_eq!(
            lines,
            [
                "option hashsize type spin min 0 max 64 default 16",
                "option moveoverhead type check default true"
            ]
        );
        assert_eq!(engine_name("hashsize", &o), Some("Hash"));
        assert_eq!(engine_name("nonsense", &o), None);
    }
}
