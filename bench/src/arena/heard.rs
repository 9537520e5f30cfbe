//! An engine's output: its moves with their scores, its name and version, the network that it evaluates with, and whether it
//! refuses an option.

use super::protocol::EngineScore;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// An engine's name, version and network, by its own output.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Introduction {
    /// Its name and version; empty where it gives none.
    pub program: String,
    /// What evaluates positions, as it names it.
    pub network: Option<String>,
}

impl fmt::Display for Introduction {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.program.as_str() {
            "" => write!(f, "without a name of its own")?,
            program => write!(f, "{program}")?,
        }
        match &self.network {
            Some(network) => write!(f, ", evaluated by {network}"),
            None => write!(f, ", names no network"),
        }
    }
}

/// What an engine decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineDecision {
    /// To move.
    #[default]
    Move,
    /// To resign.
    Resign,
    /// To claim a win.
    Claim,
}

/// An engine's output for one move.
#[derive(Clone, Debug, Default)]
pub struct Thought {
    /// Whether it moves at all.
    pub decision: EngineDecision,
    /// The move as it named it.
    pub mv: String,
    /// The last iteration's depth.
    pub depth: u32,
    /// Nodes searched, by its own count.
    pub nodes: u64,
    /// Its score, from its own side.
    pub score: Option<EngineScore>,
    /// Time from the order to the answer.
    pub time: Duration,
}

/// Why an engine did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The process ended.
    Disconnect,
    /// No answer long after its time was over.
    Stall,
    /// The user stopped the match.
    Interrupted,
}

/// What evaluates where an engine names no network.
pub const NO_NETWORK: &str = "an evaluation without a network";
/// What evaluates where one of ours has only piece values and piece-square tables.
const MATERIAL: &str = "material";
/// What Stockfish called its evaluation before networks.
const CLASSICAL: &str = "the hand-crafted evaluation";
/// Characters of an engine's line that are shown.
const SHOWN: usize = 200;

/// Whether a name is that of an engine of the house, which answers to `eval`.
pub fn of_the_house(program: &str) -> bool {
    let name = program.to_lowercase();
    ["nguky", "ngu ky", "ngũ kỳ"].iter().any(|n| name.contains(n))
}

/// A line without what marks it as a message, and not too long to show.
pub fn message(line: &str) -> String {
    let line = line.trim();
    let bare = ["info string ", "info message "]
        .iter()
        .find_map(|w| line.strip_prefix(w));
    let plain = bare.unwrap_or(line).chars().filter(|c| !c.is_control());
    plain.take(SHOWN).collect()
}

/// What evaluates, as a line on it says, in the words of Stockfish and its kin, of YaneuraOu's, or of our own `eval`.
pub fn network(line: &str) -> Option<String> {
    let text = message(line);
    let lower = text.to_ascii_lowercase();
    if is_complaint(&lower) {
        return None;
    }
    if let Some(rest) = text.strip_prefix("network ") {
        return rest.rsplit_once(": ").map(|(name, _)| format!("network {name}"));
    }
    if text.starts_with("material evaluation: ") {
        return Some(MATERIAL.into());
    }
    let using = "evaluation using ";
    if let Some(at) = lower.find(using) {
        let name = text.get(at + using.len()..)?.split(" (").next()?;
        return Some(format!("network {}", name.trim_end_matches(" enabled").trim()));
    }
    if lower.contains("classical evaluation") {
        return Some(CLASSICAL.into());
    }
    let loaded = ["loading eval file", "eval file loaded", "loaded network", "loaded net"];
    (line.starts_with("info ") && loaded.iter().any(|w| lower.contains(w))).then_some(text)
}

/// Whether a line says that something did not go well.
fn is_complaint(lower: &str) -> bool {
    [
        "error",
        "cannot ",
        "can't ",
        "can not ",
        "could not ",
        "couldn't ",
        "failed",
        "no such",
        "not found",
        "not loaded",
        "unknown",
        "invalid",
        "out of range",
        "expected",
        "unable to",
        "not supported",
        "unsupported",
        "illegal",
    ]
    .iter()
    .any(|w| lower.contains(w))
}

/// The first line by which an engine refuses one of these options. With `named` the line must name the option or its
/// value: where the question whether the engine listens makes it load what it has, it may complain of other things.
pub fn refusal<'a>(lines: &'a [String], options: &[(String, String)], named: bool) -> Option<&'a String> {
    let about = |lower: &str| {
        options.iter().any(|(name, value)| {
            let value = value.to_lowercase();
            lower.contains(&name.to_lowercase()) || (value.len() > 1 && lower.contains(&value))
        })
    };
    lines.iter().find(|line| {
        let lower = line.to_lowercase();
        // What a search tells is no answer to an option.
        let search =
            lower.starts_with("info ") && !lower.starts_with("info string") && !lower.starts_with("info message");
        !options.is_empty() && !search && is_complaint(&lower) && (!named || about(&lower))
    })
}

/// The line that best says why an engine went away.
pub fn last_words(lines: &[String]) -> Option<String> {
    let complaint = lines.iter().find(|l| is_complaint(&l.to_lowercase()));
    complaint.or(lines.last()).map(|l| message(l)).filter(|l| !l.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_told_in_many_words() {
        for (line, name) in [
            (
                "info string NNUE evaluation using nn-ad9b42354671.nnue enabled",
                Some("network nn-ad9b42354671.nnue"),
            ),
            (
                "info string NNUE evaluation using nn-1c0000000000.nnue (133MiB, (22528, 3072, 15, 32, 1))",
                Some("network nn-1c0000000000.nnue"),
            ),
            (
                "network nguky-chess-2: 50 for the side to move",
                Some("network nguky-chess-2"),
            ),
            ("info string classical evaluation enabled", Some(CLASSICAL)),
            ("material evaluation: 25 for the side to move", Some(MATERIAL)),
            (
                "info string loading eval file : eval/nn.bin",
                Some("loading eval file : eval/nn.bin"),
            ),
            (
                "info string ERROR: The network file /none was not loaded successfully.",
                None,
            ),
            ("info depth 1 score cp 3 nodes 20 pv e2e4", None),
            ("readyok", None),
        ] {
            assert_eq!(network(line).as_deref(), name, "{line}");
        }
    }

    #[test]
    fn refusals_are_known_from_other_messages() {
        let set = |name: &str, value: &str| vec![(name.to_string(), value.to_string())];
        let one = |line: &str| vec![line.to_string()];
        let net = set("EvalFile", "/none");
        for line in [
            "info string option EvalFile: cannot read \"/none\": No such file or directory (os error 2)",
            "info message option EvalFile: cannot read \"/none\"",
            "No such option: Nope",
            "info string ERROR: The network file /none was not loaded successfully.",
            "info string option Hash: a whole number from 1 to 64 expected, not \"99\"",
            "Unknown option: Foo",
        ] {
            assert!(refusal(&one(line), &net, false).is_some(), "{line}");
            assert!(refusal(&one(line), &[], false).is_none(), "nothing was set: {line}");
        }
        for line in [
            "info string Using 2 threads",
            "info string Found 145 tablebases",
            "info depth 1 score cp 3 pv e2e4 string error",
        ] {
            assert!(refusal(&one(line), &net, false).is_none(), "{line}");
        }
        let book = "info string Error! : can't read file : book/standard_book.db";
        assert!(refusal(&one(book), &set("Threads", "1"), true).is_none());
        assert!(refusal(&one(book), &set("BookFile", "standard_book.db"), true).is_some());
    }

    #[test]
    fn the_best_last_words_are_found() {
        let lines = ["banner", "info string ERROR: no network", "bye"].map(str::to_string);
        assert_eq!(last_words(&lines).as_deref(), Some("ERROR: no network"));
        assert_eq!(last_words(&lines[..1]).as_deref(), Some("banner"));
        assert_eq!(last_words(&[]), None);
    }
}
