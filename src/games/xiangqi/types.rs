//! Rule settings, and the shared board's types with all pieces face up.

pub use crate::games::xiangqi_board::types::{
    BOARD, KINDS, Kind, LETTERS, POINTS, XMove, file, home, kind_name, kind_of, piece, point_name, rank, side_name,
};

use crate::game::{BadInput, GameOption, OptionKind, Rules, Side};
use crate::games::xiangqi_board::{AllFaceUp, Cover};

/// The mailbox value of an empty point.
pub const EMPTY: u8 = AllFaceUp::EMPTY;

/// The side of a piece, which must not be [`EMPTY`].
#[inline]
pub const fn side_of(piece: u8) -> Side {
    if piece < 7 { Side::First } else { Side::Second }
}

/// The code of rules for repeated positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Repetition {
    /// The Asian federation's: perpetual check and perpetual chase of an unprotected piece lose.
    #[default]
    Asian,
    /// The Chinese association's: threats of mate in every move are forbidden as well.
    Chinese,
    /// The Vietnamese site's: checking or chasing in every move loses to a side that does neither.
    Vipgame,
    /// Perpetual check loses, then perpetual chase; anything else is a draw. Only chases of one and the same piece count.
    Computer,
    /// Any repetition is a draw.
    None,
}

/// Rule settings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct XiangqiRules {
    /// The code for repeated positions.
    pub repetition: Repetition,
    /// Moves by each side without a capture that make a draw; 0 never.
    pub natural_limit: u16,
}

impl Default for XiangqiRules {
    fn default() -> Self {
        Self {
            repetition: Repetition::Asian,
            natural_limit: 60,
        }
    }
}

impl Rules for XiangqiRules {
    fn options() -> &'static [GameOption] {
        const ALL: &[GameOption] = &[
            GameOption {
                name: "RepetitionRule",
                help: "the code of rules for repetitions",
                kind: OptionKind::Combo {
                    all: &["asian", "chinese", "vipgame", "computer", "none"],
                },
            },
            GameOption {
                name: "NaturalLimit",
                help: "moves without a capture after which the game is drawn; 0 for none",
                kind: OptionKind::Spin {
                    default: 60,
                    min: 0,
                    max: 1000,
                },
            },
        ];
        ALL
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), BadInput> {
        if name.eq_ignore_ascii_case("RepetitionRule") {
            self.repetition = match value.to_ascii_lowercase().as_str() {
                "asian" => Repetition::Asian,
                "chinese" => Repetition::Chinese,
                "vipgame" => Repetition::Vipgame,
                "computer" => Repetition::Computer,
                "none" => Repetition::None,
                _ => return Err(BadInput::new(format!("no such repetition rule: {value}"))),
            };
        } else if name.eq_ignore_ascii_case("NaturalLimit") {
            self.natural_limit = match value.parse() {
                Ok(moves @ 0..=1000) => moves,
                _ => {
                    return Err(BadInput::new(format!(
                        "NaturalLimit takes a number from 0 to 1000, not {value}"
                    )));
                }
            };
        } else {
            return Err(BadInput::new(format!("no such option: {name}")));
        }
        Ok(())
    }
}
