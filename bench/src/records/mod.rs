//! Game records, read: PGN (chess, and xiangqi in ICCS, letters or Chinese), KIF and CSA (shogi), SGF (go), JieqiBox's (cờ úp). `arena` has the
//! writers.
//!
//! Every reader plays what it reads by the rules of the library, so a [`RecordedGame`] holds legal moves only. A file may hold
//! many games: each is handed over as it is read, a damaged one as [`Damage`], and reading goes on behind it. Sizes,
//! numbers of moves and nesting are bounded, so no file can exhaust memory or the stack.

pub mod csa;
pub mod jieqibox;
pub mod kif;
pub mod pgn;
pub mod sgf;

use anyhow::{Context, Result, bail};
use encoding_rs::Encoding;
use nguky::game::Side;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

/// Bytes of a file.
const LARGEST_FILE: u64 = 1 << 28;
/// Moves of a game with its variations.
pub const MOST_MOVES: usize = 20_000;
/// Variations within variations.
pub const DEEPEST: usize = 64;
/// Characters of what is quoted in an error.
const QUOTED: usize = 24;

/// One game.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedGame {
    /// The line of the file that it begins on, from 1.
    pub line: usize,
    /// Its tags, headers or root properties, by the format's own names, in order.
    pub tags: Vec<(String, String)>,
    /// Who plays the side that moves first, and who the other.
    pub names: [String; 2],
    /// The position that it starts from, as FEN or SFEN; in go the setup properties, `AB[dd][pp]PL[W]`. `None` for the
    /// game's usual start.
    pub setup: Option<String>,
    /// What is said before the first move.
    pub comment: String,
    /// The main line.
    pub moves: Vec<RecordedMove>,
    /// Who won.
    pub outcome: RecordedResult,
    /// The end in the record's own words: `%TORYO`, `投了`, the tag `Termination`, `B+3.5`.
    pub ending: String,
}

impl RecordedGame {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|t| t.0 == name).map(|t| t.1.as_str())
    }
}

/// A move of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedMove {
    /// Who played it.
    pub side: Side,
    /// The move in the library's coordinates: `e2e4`, `7g7f`, `D4`, `pass`.
    pub text: String,
    /// What is said of it.
    pub comment: String,
    /// Its numeric annotation glyphs: 1 for `!`, 2 for `?`, and so on.
    pub nags: Vec<u8>,
    /// The time that it took, where the format tells.
    pub time: Option<Duration>,
    /// What could have been played instead of it.
    pub variations: Vec<Vec<RecordedMove>>,
}

impl RecordedMove {
    /// A move without anything said of it.
    pub fn new(side: Side, text: String) -> Self {
        Self {
            side,
            text,
            comment: String::new(),
            nags: Vec::new(),
            time: None,
            variations: Vec::new(),
        }
    }
}

/// How a recorded game ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecordedResult {
    /// Not at all, or the record does not tell.
    #[default]
    Unknown,
    /// This side won.
    Won(Side),
    /// Drawn.
    Drawn,
}

/// Why a game of a file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The line of the file, from 1.
    pub line: usize,
    /// The character in that line, from 1.
    pub column: usize,
    /// What is wrong, and what was expected.
    pub what: String,
}

impl Damage {
    /// Damage at a place.
    pub fn new(line: usize, column: usize, what: impl Into<String>) -> Self {
        Self {
            line,
            column,
            what: what.into(),
        }
    }
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.what)
    }
}

impl std::error::Error for Damage {}

/// Who hears of the games of a file, in order; `false` ends the reading.
pub type Each<'a> = &'a mut dyn FnMut(Result<RecordedGame, Damage>) -> bool;

/// What a file holds, as its name says, or else its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// PGN, of any game.
    Pgn,
    /// KIF.
    Kif,
    /// CSA.
    Csa,
    /// SGF.
    Sgf,
    /// JieqiBox's JSON.
    JieqiBox,
    /// A Polyglot book.
    Polyglot,
    /// One setup, or the moves of one opening, on each line.
    Lines,
}

impl FileFormat {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pgn => "PGN",
            Self::Kif => "KIF",
            Self::Csa => "CSA",
            Self::Sgf => "SGF",
            Self::JieqiBox => "JieqiBox's JSON",
            Self::Polyglot => "a Polyglot book",
            Self::Lines => "a list of positions",
        }
    }

    /// The form of a file of this name that begins so.
    pub fn of(path: &Path, text: &str) -> Self {
        let lines = || text.lines().map(str::trim).filter(|l| !l.is_empty()).take(100);
        let first = lines().next().unwrap_or("");
        // No other format begins so, and a match of go writes SGF under any name.
        if first.starts_with("(;") {
            return Self::Sgf;
        }
        let ending = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        match ending.as_deref() {
            Some("pgn") => return Self::Pgn,
            Some("kif" | "kifu") => return Self::Kif,
            Some("csa") => return Self::Csa,
            Some("sgf") => return Self::Sgf,
            Some("json") => return Self::JieqiBox,
            Some("bin") => return Self::Polyglot,
            Some("epd" | "fen" | "sfen") => return Self::Lines,
            _ => {}
        }
        if jieqibox::is_record(text) {
            Self::JieqiBox
        } else if lines().any(pgn::is_tag) {
            Self::Pgn
        } else if lines().any(|l| l.starts_with("#KIF") || l.starts_with("手合割") || l.starts_with("手数-")) {
            Self::Kif
        } else if lines().any(|l| l == "PI" || l == "V2" || l.starts_with("V2.") || l.starts_with("N+")) {
            Self::Csa
        } else {
            Self::Lines
        }
    }
}

/// The bytes of a file of a bearable size.
pub fn bytes(path: &Path) -> Result<Vec<u8>> {
    let told = || format!("cannot read {}", path.display());
    let mut bytes = Vec::new();
    // A pipe or device does not tell its length.
    let file = File::open(path).with_context(told)?;
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).with_context(told)?;
    if bytes.len() as u64 > LARGEST_FILE {
        let most = LARGEST_FILE >> 20;
        bail!("{} is too large: records are read up to {most} MiB", path.display());
    }
    Ok(bytes)
}

/// The text of a record file: UTF-8 or UTF-16 with its mark, else UTF-8 where it is valid, else `other`, the encoding
/// that old programs of the game use.
pub fn decoded(bytes: &[u8], other: &'static Encoding) -> Result<String> {
    let plain = Encoding::for_bom(bytes).is_none();
    let (text, _, errors) = match std::str::from_utf8(bytes) {
        Ok(text) if plain => (text.into(), other, false),
        _ => other.decode(bytes),
    };
    if errors || text.contains('\0') {
        bail!("not a text file: neither UTF-8 nor {}", other.name());
    }
    Ok(text.into_owned())
}

/// A piece of the input for an error.
pub fn quoted(text: &str) -> String {
    let mut short: String = text.chars().take(QUOTED).collect();
    if text.chars().nth(QUOTED).is_some() {
        short.push('…');
    }
    format!("{short:?}")
}

/// Adds a remark to those before it.
pub fn remark(all: &mut String, text: &str) {
    let text = text.trim();
    if !text.is_empty() {
        if !all.is_empty() {
            all.push(' ');
        }
        all.push_str(text);
    }
}

/// Sound games and damage of a text.
#[cfg(test)]
pub fn all(read: impl FnOnce(Each)) -> (Vec<RecordedGame>, Vec<Damage>) {
    let (mut games, mut damaged) = (Vec::new(), Vec::new());
    read(&mut |game| {
        match game {
            Ok(game) => games.push(game),
            Err(damage) => damaged.push(damage),
        }
        true
    });
    (games, damaged)
}

#[cfg(test)]
mod tests;
