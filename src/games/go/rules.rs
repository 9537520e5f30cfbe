//! The codes of rules as one value: what differs between them are a few choices.

use crate::game::{self, BadInput, GameOption, OptionKind};

/// The usual komi of a game in which black begins with handicap stones: half a point, against draws.
pub const HANDICAP_KOMI: f32 = 0.5;

/// What may not be repeated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ko {
    /// The position before the opponent's last move.
    Simple,
    /// Any former position.
    Positional,
    /// Any former position with the same side to move.
    Situational,
}

/// What counts at the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scoring {
    /// Living stones and the points they enclose.
    Area,
    /// Enclosed points and prisoners.
    Territory,
}

/// Points that do not count although they are enclosed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tax {
    /// All count.
    None,
    /// Those of groups in seki do not.
    Seki,
    /// Two of each group do not, and those of groups in seki.
    All,
}

/// What becomes of hopeless stones when the game ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeadStones {
    /// They stay; what is to be counted as captured must be captured.
    Stay,
    /// They are taken off as the players agree.
    Agreed,
}

/// What white gets for black's handicap stones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bonus {
    /// Nothing.
    None,
    /// A point for each stone.
    Each,
    /// A point for each stone but the first.
    EachButOne,
}

/// A code of rules.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rules {
    /// Its name, or "custom".
    pub name: &'static str,
    /// What may not be repeated.
    pub ko: Ko,
    /// What counts.
    pub scoring: Scoring,
    /// Whether a chain may be given up to nothing: one of a single stone only under situational superko, because the
    /// board is the same after it.
    pub suicide: bool,
    /// What does not count.
    pub tax: Tax,
    /// Whether each player has only his half of the stones: on n x n points, black (n²+1)/2 and white n²/2.
    pub stone_limit: bool,
    /// What becomes of hopeless stones.
    pub dead: DeadStones,
    /// What white gets for handicap stones.
    pub bonus: Bonus,
    /// White's points for moving second by default.
    pub komi: f32,
}

impl Rules {
    /// Chinese rules as played: area, simple ko with positional superko against longer cycles.
    pub const CHINESE: Self = Self {
        name: "chinese",
        ko: Ko::Positional,
        scoring: Scoring::Area,
        suicide: false,
        tax: Tax::None,
        stone_limit: false,
        dead: DeadStones::Agreed,
        bonus: Bonus::Each,
        komi: 7.5,
    };
    /// Japanese rules of 1989.
    pub const JAPANESE: Self = Self {
        name: "japanese",
        ko: Ko::Simple,
        scoring: Scoring::Territory,
        suicide: false,
        tax: Tax::Seki,
        stone_limit: false,
        dead: DeadStones::Agreed,
        bonus: Bonus::None,
        komi: 6.5,
    };
    /// The rules of the game hall Cờ Thủ (2014): a limited supply of stones, basic ko, territory counted on the board
    /// as it stands.
    pub const COTHU: Self = Self {
        name: "cothu",
        ko: Ko::Simple,
        scoring: Scoring::Territory,
        suicide: false,
        tax: Tax::None,
        stone_limit: true,
        dead: DeadStones::Stay,
        bonus: Bonus::None,
        komi: 5.5,
    };
    /// Tromp-Taylor rules: area, positional superko, suicide, all stones alive.
    pub const TROMP_TAYLOR: Self = Self {
        name: "tromp-taylor",
        ko: Ko::Positional,
        scoring: Scoring::Area,
        suicide: true,
        tax: Tax::None,
        stone_limit: false,
        dead: DeadStones::Stay,
        bonus: Bonus::None,
        komi: 7.5,
    };
    /// Rules of the American Go Association; their territory with pass stones counts as area does.
    pub const AGA: Self = Self {
        name: "aga",
        ko: Ko::Situational,
        scoring: Scoring::Area,
        suicide: false,
        tax: Tax::None,
        stone_limit: false,
        dead: DeadStones::Agreed,
        bonus: Bonus::EachButOne,
        komi: 7.5,
    };
    /// Rules of New Zealand: area, situational superko, suicide, of a single stone too.
    pub const NEW_ZEALAND: Self = Self {
        name: "new-zealand",
        ko: Ko::Situational,
        scoring: Scoring::Area,
        suicide: true,
        tax: Tax::None,
        stone_limit: false,
        dead: DeadStones::Agreed,
        bonus: Bonus::None,
        komi: 7.0,
    };
    /// All codes with a name.
    pub const ALL: [Self; 6] = [
        Self::CHINESE,
        Self::JAPANESE,
        Self::COTHU,
        Self::TROMP_TAYLOR,
        Self::AGA,
        Self::NEW_ZEALAND,
    ];

    /// The code of a name; `-`, `_` and blanks are the same, and case is ignored.
    pub fn named(name: &str) -> Result<Self, BadInput> {
        let plain: String = name.trim().to_ascii_lowercase().replace(['_', ' '], "-");
        let plain = match plain.as_str() {
            "tromptaylor" | "tt" => "tromp-taylor",
            "newzealand" | "nz" => "new-zealand",
            "korean" => "japanese",
            "bga" | "french" => "aga",
            "cgos" => "tromp-taylor",
            other => other,
        };
        let found = Self::ALL.into_iter().find(|r| r.name == plain);
        found.ok_or_else(|| BadInput::new(format!("no such rules: {name:?}")))
    }

    /// How many stones a side may place in a whole game.
    pub fn supply(&self, size: usize, black: bool) -> usize {
        match (self.stone_limit, black) {
            (false, _) => usize::MAX,
            (true, true) => (size * size).div_ceil(2),
            (true, false) => size * size / 2,
        }
    }

    /// White's points for black's handicap.
    pub fn handicap_points(&self, stones: usize) -> f32 {
        if stones < 2 {
            return 0.0;
        }
        match self.bonus {
            Bonus::None => 0.0,
            Bonus::Each => stones as f32,
            Bonus::EachButOne => stones as f32 - 1.0,
        }
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self::CHINESE
    }
}

impl game::Rules for Rules {
    fn options() -> &'static [GameOption] {
        &[GameOption {
            name: "Rules",
            help: "the ruleset",
            kind: OptionKind::Combo {
                all: &["chinese", "japanese", "cothu", "tromp-taylor", "aga", "new-zealand"],
            },
        }]
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), BadInput> {
        if name != "Rules" {
            return Err(BadInput::new(format!("no such option: {name}")));
        }
        *self = Self::named(value)?;
        Ok(())
    }
}
