//! The registry of an engine's options. Each protocol prints it in its own form, and `docs/options.md` lists it.

use crate::game::{BadInput, GameOption, OptionKind};

/// The type of an option, with its value now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// On or off.
    Check(bool),
    /// A whole number in a range.
    Spin {
        /// The value.
        now: i64,
        /// The least allowed.
        min: i64,
        /// The greatest allowed.
        max: i64,
    },
    /// One word of a list.
    Combo {
        /// The word's place in `all`.
        now: usize,
        /// The words.
        all: Vec<&'static str>,
    },
    /// Free text.
    Text(String),
    /// A file's or folder's path; empty for none.
    File(String),
    /// An action.
    Button,
}

/// One option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opt {
    /// Its name in the protocol; compared without regard to case.
    pub name: &'static str,
    /// Type and value.
    pub value: Value,
    /// Type and value at start.
    pub default: Value,
    /// What it does, in a line.
    pub help: &'static str,
}

/// The options of one engine, in the order of declaration.
#[derive(Clone, Debug, Default)]
pub struct Options {
    all: Vec<Opt>,
}

/// Longest text value kept; paths are shorter on every system.
const LONGEST_TEXT: usize = 8192;

impl Options {
    /// Declares an option with its default.
    pub fn declare(&mut self, name: &'static str, value: Value, help: &'static str) {
        self.all.push(Opt {
            name,
            default: value.clone(),
            value,
            help,
        });
    }

    /// Declares the options of a game: of its rules, or of its extras.
    pub fn declare_all(&mut self, all: &[GameOption]) {
        for option in all {
            self.declare(option.name, Value::of(option.kind), option.help);
        }
    }

    /// All options.
    pub fn iter(&self) -> impl Iterator<Item = &Opt> {
        self.all.iter()
    }

    /// The option of this name, case ignored.
    pub fn get(&self, name: &str) -> Option<&Opt> {
        self.all.iter().find(|o| o.name.eq_ignore_ascii_case(name))
    }

    /// Sets an option from text and returns its new state. On an error it keeps its value.
    pub fn set(&mut self, name: &str, text: Option<&str>) -> Result<Opt, BadInput> {
        let Some(opt) = self.all.iter_mut().find(|o| o.name.eq_ignore_ascii_case(name)) else {
            return Err(BadInput::new(format!("no such option: {name:?}")));
        };
        opt.value = read(opt, text)?;
        Ok(opt.clone())
    }

    /// Puts an option back to a former state, when acting on it failed.
    pub fn restore(&mut self, former: Opt) {
        if let Some(opt) = self.all.iter_mut().find(|o| o.name == former.name) {
            *opt = former;
        }
    }

    /// The value of a check option; false when there is none of this name.
    pub fn check(&self, name: &str) -> bool {
        matches!(
            self.get(name),
            Some(Opt {
                value: Value::Check(true),
                ..
            })
        )
    }

    /// The value of a spin option; 0 when there is none of this name.
    pub fn spin(&self, name: &str) -> i64 {
        match self.get(name) {
            Some(Opt {
                value: Value::Spin { now, .. },
                ..
            }) => *now,
            _ => 0,
        }
    }

    /// The value of a combo, text or file option; empty when there is none of this name.
    pub fn text(&self, name: &str) -> &str {
        match self.get(name).map(|o| &o.value) {
            Some(Value::Text(text) | Value::File(text)) => text,
            Some(Value::Combo { now, all }) => all.get(*now).copied().unwrap_or(""),
            _ => "",
        }
    }
}

impl Value {
    /// A game's option at start.
    fn of(kind: OptionKind) -> Self {
        match kind {
            OptionKind::Check { default } => Self::Check(default),
            OptionKind::Combo { all } => Self::Combo {
                now: 0,
                all: all.to_vec(),
            },
            OptionKind::Spin { default, min, max } => Self::Spin { now: default, min, max },
            OptionKind::File => Self::File(String::new()),
        }
    }

    /// The value as a protocol writes it.
    pub fn text(&self) -> String {
        match self {
            Self::Check(on) => on.to_string(),
            Self::Spin { now, .. } => now.to_string(),
            Self::Combo { now, all } => (*all.get(*now).unwrap_or(&"")).to_string(),
            Self::Text(text) | Self::File(text) => text.clone(),
            Self::Button => String::new(),
        }
    }
}

fn read(opt: &Opt, text: Option<&str>) -> Result<Value, BadInput> {
    let name = opt.name;
    let given = text.unwrap_or("").trim();
    let need = |what: String| Err(BadInput::new(format!("option {name}: {what}, not {given:?}")));
    match &opt.value {
        Value::Button => Ok(Value::Button),
        Value::Check(_) => match given.to_ascii_lowercase().as_str() {
            "true" | "on" | "1" => Ok(Value::Check(true)),
            "false" | "off" | "0" => Ok(Value::Check(false)),
            _ => need("true or false expected".into()),
        },
        Value::Spin { min, max, .. } => match given.parse::<i64>() {
            Ok(now) if (*min..=*max).contains(&now) => Ok(Value::Spin {
                now,
                min: *min,
                max: *max,
            }),
            _ => need(format!("a whole number from {min} to {max} expected")),
        },
        Value::Combo { all, .. } => match all.iter().position(|w| w.eq_ignore_ascii_case(given)) {
            Some(now) => Ok(Value::Combo { now, all: all.clone() }),
            None => need(format!("one of {} expected", all.join(", "))),
        },
        Value::Text(_) | Value::File(_) if given.len() > LONGEST_TEXT => Err(BadInput::new(format!(
            "option {name}: at most {LONGEST_TEXT} bytes expected, not {}",
            given.len()
        ))),
        Value::Text(_) => Ok(Value::Text(clean(given))),
        Value::File(_) => Ok(Value::File(clean(given))),
    }
}

/// "<empty>" is how UCI clients write an empty text.
fn clean(text: &str) -> String {
    if text == "<empty>" {
        String::new()
    } else {
        text.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Options {
        let mut o = Options::default();
        o.declare(
            "Hash",
            Value::Spin {
                now: 16,
                min: 1,
                max: 1024,
            },
            "table size in MB",
        );
        o.declare("UCI_ShowWDL", Value::Check(false), "tell chances");
        o.declare(
            "Style",
            Value::Combo {
                now: 0,
                all: vec!["solid", "risky"],
            },
            "style",
        );
        o.declare("SyzygyPath", Value::File(String::new()), "tablebases");
        o
    }

    #[test]
    fn values_are_checked_and_kept_on_errors() {
        let mut o = options();
        assert!(o.set("hash", Some("64")).is_ok());
        for bad in ["abc", "0", "99999999999", "99999999999999999999999", "", "-1", "1.5"] {
            assert!(o.set("Hash", Some(bad)).is_err(), "{bad}");
        }
        assert_eq!(o.spin("Hash"), 64);
        assert!(o.set("uci_showwdl", Some("TRUE")).is_ok() && o.check("UCI_ShowWDL"));
        assert!(o.set("Style", Some("Risky")).is_ok());
        assert_eq!(o.text("Style"), "risky");
        assert!(o.set("Style", Some("wild")).is_err());
        assert!(o.set("SyzygyPath", Some("<empty>")).is_ok());
        assert_eq!(o.text("SyzygyPath"), "");
        assert!(o.set("Nonsense", None).is_err());
    }
}
