//! Points, pieces, moves and rule settings.

use crate::bits::Bb128;
use crate::game::{BadInput, Move, RuleKind, RuleOption, Rules, Side};

/// Points of the board: `rank * 9 + file`, rank 0 at red's edge, file 0 on red's left.
pub const POINTS: usize = 90;
/// The mailbox value of an empty point.
pub const EMPTY: u8 = 14;
/// All points.
pub const BOARD: Bb128 = Bb128((1 << POINTS) - 1);

/// Kinds of pieces. A piece is `side * 7 + kind`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum Kind {
    /// King of other books.
    General,
    /// Guard.
    Advisor,
    /// Bishop of other books.
    Elephant,
    /// Knight of other books.
    Horse,
    /// Rook of other books.
    Chariot,
    /// Jumps over one screen to capture.
    Cannon,
    /// Pawn of other books.
    Soldier,
}

/// All kinds in the order of their numbers.
pub const KINDS: [Kind; 7] = [
    Kind::General,
    Kind::Advisor,
    Kind::Elephant,
    Kind::Horse,
    Kind::Chariot,
    Kind::Cannon,
    Kind::Soldier,
];

/// The letters of the pieces in setups, by piece number.
pub const LETTERS: [char; 14] = ['K', 'A', 'B', 'N', 'R', 'C', 'P', 'k', 'a', 'b', 'n', 'r', 'c', 'p'];

/// Values by which exchanges are weighed, by kind: a soldier that has crossed is worth more, but not in exchanges.
pub const EXCHANGE: [i32; 7] = [10_000, 200, 220, 430, 950, 460, 100];

/// The piece of a side and kind.
#[inline]
pub const fn piece(side: Side, kind: Kind) -> u8 {
    side as u8 * 7 + kind as u8
}

/// The kind of a piece, which must not be [`EMPTY`].
#[inline]
pub const fn kind_of(piece: u8) -> Kind {
    KINDS[(if piece >= 7 { piece - 7 } else { piece }) as usize]
}

/// The side of a piece, which must not be [`EMPTY`].
#[inline]
pub const fn side_of(piece: u8) -> Side {
    if piece < 7 { Side::First } else { Side::Second }
}

/// The file of a point, 0..9 from red's left.
#[inline]
pub const fn file(point: u8) -> u8 {
    point % 9
}

/// The rank of a point, 0..10 from red's edge.
#[inline]
pub const fn rank(point: u8) -> u8 {
    point / 9
}

/// The half of the board that a side sets out from.
#[inline]
pub const fn home(side: Side) -> Bb128 {
    match side {
        Side::First => Bb128((1 << 45) - 1),
        Side::Second => Bb128(((1 << 45) - 1) << 45),
    }
}

/// A point's name, file letter and rank digit.
pub fn point_name(point: u8) -> String {
    format!("{}{}", char::from(b'a' + file(point)), rank(point))
}

/// What a piece is called in messages.
pub const fn kind_name(kind: Kind) -> &'static str {
    [
        "general", "advisor", "elephant", "horse", "chariot", "cannon", "soldier",
    ][kind as usize]
}

/// What a side is called in messages.
pub const fn side_name(side: Side) -> &'static str {
    match side {
        Side::First => "red",
        Side::Second => "black",
    }
}

/// A move: from and to, seven bits each.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct XMove(u16);

impl XMove {
    /// The move between two points.
    #[inline]
    pub const fn new(from: u8, to: u8) -> Self {
        Self(from as u16 | (to as u16) << 7)
    }

    /// Whether the value has no bits beyond the two points.
    #[inline]
    pub(super) const fn is_clean(self) -> bool {
        self.0 >> 14 == 0
    }

    /// Where it starts; below 128, a point when the move is legal.
    #[inline]
    pub const fn from(self) -> u8 {
        (self.0 & 127) as u8
    }

    /// Where it ends; below 128, a point when the move is legal.
    #[inline]
    pub const fn to(self) -> u8 {
        (self.0 >> 7 & 127) as u8
    }
}

impl std::fmt::Debug for XMove {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", point_name(self.from()), point_name(self.to()))
    }
}

impl Move for XMove {
    const NONE: Self = Self(0);

    #[inline]
    fn raw(self) -> u16 {
        self.0
    }

    #[inline]
    fn from_raw(raw: u16) -> Self {
        Self(raw)
    }
}

/// The code by which repeated positions are judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Repetition {
    /// The Asian federation's: perpetual check and perpetual chase of an unprotected piece lose.
    #[default]
    Asian,
    /// The Chinese association's: threats of mate in every move are forbidden as well.
    Chinese,
    /// The Vietnamese site's: checking or chasing in every move loses to a side that does neither.
    Vipgame,
    /// Perpetual check loses, then perpetual chase; anything else is a draw. Chases of exactly one piece are judged.
    Computer,
    /// Any repetition is a draw.
    None,
}

/// Rule settings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct XiangqiRules {
    /// Judges repeated positions.
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
    fn options() -> &'static [RuleOption] {
        const ALL: &[RuleOption] = &[
            RuleOption {
                name: "RepetitionRule",
                help: "the code by which repetitions are judged",
                kind: RuleKind::Combo {
                    all: &["asian", "chinese", "vipgame", "computer", "none"],
                },
            },
            RuleOption {
                name: "NaturalLimit",
                help: "moves without a capture after which the game is drawn; 0 for none",
                kind: RuleKind::Spin {
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
                        "NaturalLimit wants a number from 0 to 1000, not {value}"
                    )));
                }
            };
        } else {
            return Err(BadInput::new(format!("no such option: {name}")));
        }
        Ok(())
    }
}
