//! A game's description beside its rules: names, programs, letters and glyphs. Each game's folder has one in `about.rs`;
//! the register (`crate::register`) lists them.

use super::{BadInput, Score, Side};

/// A game's description.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// The name in lower case, as in `--game`, in records and in the file of its network (`engines/nets/NAME.nnue`).
    pub name: &'static str,
    /// Other names that are accepted for it.
    pub aliases: &'static [&'static str],
    /// What people call it.
    pub title: &'static str,
    /// What its sides are called; the first moves first.
    pub sides: [&'static str; 2],
    /// The engine of ours that plays it.
    pub program: &'static str,
    /// The protocol that matches use with that engine.
    pub program_protocol: &'static str,
    /// The protocol assumed for other engines of the game; a match's `proto=` chooses another.
    pub protocol: &'static str,
    /// Whether a setup can only be of this game, where a program plays several.
    pub shows: fn(&str) -> bool,
    /// What its board looks like.
    pub board: BoardFamily,
    /// The letters of its pieces in setups, capitals for the first side.
    pub letters: &'static str,
    /// A glyph for each of the letters.
    pub glyphs: &'static str,
    /// A glyph for each of the letters with a `+` before it, a space where there is no such piece; empty in games without.
    pub promoted: &'static str,
    /// Which of the letters are of face-down pieces.
    pub covered: &'static str,
    /// The first side's letters of what may be taken, the most valuable first.
    pub by_value: &'static str,
    /// The strengths that the engine can be held to, weakest first; between two neighbours it is interpolated.
    pub levels: &'static [Level],
    /// The usual starts in which one side does without pieces, the smallest handicap first.
    pub handicaps: &'static [Handicap],
}

/// A start in which one side does without pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handicap {
    /// What it is called on a command line: English, in lower case with hyphens.
    pub name: &'static str,
    /// Its names in the records of the game's own country; empty where there are none.
    pub native: &'static [&'static str],
    /// Who does without the pieces.
    pub side: Side,
    /// The position.
    pub setup: &'static str,
}

/// How a strength on the Elo scale is played: less is seen, and the choice among what is seen is blurred.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Level {
    /// The strength, on the game's own scale; `docs/strength.md` says what it is anchored to.
    pub elo: i32,
    /// Nodes of a search.
    pub nodes: u64,
    /// Best lines that the choice is among.
    pub lines: u32,
    /// Spread of the error made in comparing the lines' scores, in hundredths of a pawn.
    pub noise: Score,
}

impl Handicap {
    /// A row of a game's table.
    pub const fn new(name: &'static str, native: &'static [&'static str], side: Side, setup: &'static str) -> Self {
        Self {
            name,
            native,
            side,
            setup,
        }
    }
}

impl Level {
    /// A row of a game's table.
    pub const fn new(elo: i32, nodes: u64, lines: u32, noise: Score) -> Self {
        Self {
            elo,
            nodes,
            lines,
            noise,
        }
    }
}

/// What a board looks like, by the best-known game of its family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoardFamily {
    /// Squares in two shades; files are letters, ranks are numbers from 1.
    Chess,
    /// Points on lines with a river; files are letters, ranks are numbers from 0.
    Xiangqi,
    /// Cells of one shade; files are numbers from the right, ranks are letters from the top. Pieces are held in hand.
    Shogi,
    /// Stones on the points of lines.
    Go,
}

impl About {
    /// The handicap of this name.
    ///
    /// # Errors
    /// An unknown name, with those that there are.
    pub fn handicap(&self, name: &str) -> Result<&'static Handicap, BadInput> {
        let found = self
            .handicaps
            .iter()
            .find(|h| h.name == name || h.native.contains(&name));
        found.ok_or_else(|| {
            let names: Vec<&str> = self.handicaps.iter().map(|h| h.name).collect();
            BadInput::new(match names.as_slice() {
                [] => format!("{} has no handicaps with a name", self.title),
                names => format!("unknown handicap {name:?}; expected {}", names.join(", ")),
            })
        })
    }

    /// Whether this is a name of the game; case does not matter.
    pub fn is_called(&self, name: &str) -> bool {
        self.names().any(|n| n.eq_ignore_ascii_case(name))
    }

    /// All its names, its own first.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    /// Its name with what else it is called: `coup (cờ úp, jieqi)`.
    pub fn described(&self) -> String {
        let others = [self.title].into_iter().filter(|t| *t != self.name);
        let others: Vec<&str> = others.chain(self.aliases.iter().copied()).collect();
        match others.is_empty() {
            true => self.name.into(),
            false => format!("{} ({})", self.name, others.join(", ")),
        }
    }

    /// The glyph of a piece by its letter, with a `+` before that of a promoted one.
    pub fn glyph(&self, letter: &str) -> Option<char> {
        let (bare, glyphs) = match letter.strip_prefix('+') {
            Some(bare) => (bare, self.promoted),
            None => (letter, self.glyphs),
        };
        let at = self.letters.chars().position(|c| bare.chars().eq([c]))?;
        glyphs.chars().nth(at).filter(|g| *g != ' ')
    }
}
