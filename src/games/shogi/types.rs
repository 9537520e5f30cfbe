//! Points, pieces, hands, moves and rule settings.

use crate::bits::Bb128;
use crate::game::{BadInput, GameOption, Move, OptionKind, Rules, Side};

/// Points of the board: `file * 9 + rank`, file 0 on sente's right (called 1), rank 0 at gote's edge (called a). A file
/// is nine neighbouring bits, which makes lances and the two-pawn rule cheap.
pub const POINTS: usize = 81;
/// The mailbox value of an empty point.
pub const EMPTY: u8 = 28;
/// "This side has no king", as in mating problems.
pub const NO_KING: u8 = 81;
/// All points.
pub const BOARD: Bb128 = Bb128((1 << POINTS) - 1);
/// The points of rank a.
pub const TOP: Bb128 = Bb128(0x100_8040_2010_0804_0201);

/// Kinds of pieces. A piece is `side * 14 + kind`; a promoted kind is its origin plus 8.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum Kind {
    /// Fu.
    Pawn,
    /// Kyō.
    Lance,
    /// Kei.
    Knight,
    /// Gin.
    Silver,
    /// Kaku.
    Bishop,
    /// Hisha.
    Rook,
    /// Kin.
    Gold,
    /// Gyoku.
    King,
    /// Promoted pawn.
    Tokin,
    /// Promoted lance.
    ProLance,
    /// Promoted knight.
    ProKnight,
    /// Promoted silver.
    ProSilver,
    /// Promoted bishop.
    Horse,
    /// Promoted rook.
    Dragon,
}

/// All kinds in the order of their numbers.
pub const KINDS: [Kind; 14] = [
    Kind::Pawn,
    Kind::Lance,
    Kind::Knight,
    Kind::Silver,
    Kind::Bishop,
    Kind::Rook,
    Kind::Gold,
    Kind::King,
    Kind::Tokin,
    Kind::ProLance,
    Kind::ProKnight,
    Kind::ProSilver,
    Kind::Horse,
    Kind::Dragon,
];

/// The kinds that may be held in hand.
pub const DROPS: [Kind; 7] = [
    Kind::Pawn,
    Kind::Lance,
    Kind::Knight,
    Kind::Silver,
    Kind::Bishop,
    Kind::Rook,
    Kind::Gold,
];

/// The letters of the unpromoted kinds.
pub const LETTERS: [char; 8] = ['P', 'L', 'N', 'S', 'B', 'R', 'G', 'K'];

/// How many of each unpromoted kind a set holds, both sides together.
pub const SET: [u32; 8] = [18, 4, 4, 4, 2, 2, 4, 2];

impl Kind {
    /// The kind it was before promotion.
    #[inline]
    pub const fn origin(self) -> Self {
        KINDS[(self as u8 & 7) as usize]
    }

    /// What it promotes to; gold, king and promoted kinds stay what they are.
    #[inline]
    pub const fn promoted(self) -> Self {
        if self.promotes() {
            KINDS[self as usize + 8]
        } else {
            self
        }
    }

    /// Whether it may promote.
    #[inline]
    pub const fn promotes(self) -> bool {
        (self as u8) < 6
    }

    /// Whether it moves as a gold does.
    #[inline]
    pub const fn is_golden(self) -> bool {
        0b1111_0100_0000 >> self as u8 & 1 != 0
    }

    /// Whether its unpromoted move is all but always worse than the promotion.
    #[inline]
    pub const fn always_promotes(self) -> bool {
        matches!(self, Self::Pawn | Self::Bishop | Self::Rook)
    }
}

/// The piece of a side and kind.
#[inline]
pub const fn piece(side: Side, kind: Kind) -> u8 {
    side as u8 * 14 + kind as u8
}

/// The kind of a piece, which must not be [`EMPTY`].
#[inline]
pub const fn kind_of(piece: u8) -> Kind {
    KINDS[(if piece >= 14 { piece - 14 } else { piece }) as usize % 14]
}

/// The side of a piece, which must not be [`EMPTY`].
#[inline]
pub const fn side_of(piece: u8) -> Side {
    if piece < 14 { Side::First } else { Side::Second }
}

/// The file of a point, 0..9 from sente's right.
#[inline]
pub const fn file(point: u8) -> u8 {
    point / 9
}

/// The rank of a point, 0..9 from gote's edge.
#[inline]
pub const fn rank(point: u8) -> u8 {
    point % 9
}

/// The rank of a point as its side counts: 0 is the far edge.
#[inline]
pub const fn depth(side: Side, point: u8) -> u8 {
    match side {
        Side::First => rank(point),
        Side::Second => 8 - rank(point),
    }
}

/// The farthest `ranks` ranks of a side.
#[inline]
pub const fn far(side: Side, ranks: u32) -> Bb128 {
    let rows = ((1 << ranks) - 1) * TOP.0;
    match side {
        Side::First => Bb128(rows),
        Side::Second => Bb128(rows << (9 - ranks)),
    }
}

/// The far three ranks, where a side promotes.
#[inline]
pub const fn zone(side: Side) -> Bb128 {
    match side {
        Side::First => const { far(Side::First, 3) },
        Side::Second => const { far(Side::Second, 3) },
    }
}

/// The points where an unpromoted piece could never move again.
#[inline]
pub const fn dead_end(side: Side, kind: Kind) -> Bb128 {
    match (kind, side) {
        (Kind::Pawn | Kind::Lance, Side::First) => const { far(Side::First, 1) },
        (Kind::Pawn | Kind::Lance, Side::Second) => const { far(Side::Second, 1) },
        (Kind::Knight, Side::First) => const { far(Side::First, 2) },
        (Kind::Knight, Side::Second) => const { far(Side::Second, 2) },
        _ => Bb128::EMPTY,
    }
}

/// A point's name, file digit and rank letter.
pub fn point_name(point: u8) -> String {
    format!("{}{}", file(point) + 1, char::from(b'a' + rank(point)))
}

/// What a kind is called in messages.
pub const fn kind_name(kind: Kind) -> &'static str {
    [
        "pawn",
        "lance",
        "knight",
        "silver",
        "bishop",
        "rook",
        "gold",
        "king",
        "promoted pawn",
        "promoted lance",
        "promoted knight",
        "promoted silver",
        "promoted bishop",
        "promoted rook",
    ][kind as usize]
}

/// What a side is called in messages.
pub const fn side_name(side: Side) -> &'static str {
    match side {
        Side::First => "black",
        Side::Second => "white",
    }
}

/// The pieces that a side holds: a number per kind, each below a guard bit, so that hands compare by one subtraction.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Hash)]
pub struct Hand(u32);

impl Hand {
    const SHIFT: [u32; 7] = [0, 6, 10, 14, 18, 21, 24];
    const MASK: [u32; 7] = [31, 7, 7, 7, 3, 3, 7];
    const GUARDS: u32 = 1 << 5 | 1 << 9 | 1 << 13 | 1 << 17 | 1 << 20 | 1 << 23 | 1 << 27;

    /// Nothing held.
    pub const EMPTY: Self = Self(0);

    /// How many of a kind.
    #[inline]
    pub const fn count(self, kind: Kind) -> u32 {
        self.0 >> Self::SHIFT[kind as usize] & Self::MASK[kind as usize]
    }

    /// Whether there is one of a kind.
    #[inline]
    pub const fn has(self, kind: Kind) -> bool {
        self.0 & Self::MASK[kind as usize] << Self::SHIFT[kind as usize] != 0
    }

    /// Whether it is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Adds one.
    #[inline]
    pub const fn add(&mut self, kind: Kind) {
        self.0 += 1 << Self::SHIFT[kind as usize];
    }

    /// Takes one away.
    #[inline]
    pub const fn remove(&mut self, kind: Kind) {
        self.0 -= 1 << Self::SHIFT[kind as usize];
    }

    /// Whether it holds at least as many of every kind.
    #[inline]
    pub const fn covers(self, other: Self) -> bool {
        (self.0 | Self::GUARDS).wrapping_sub(other.0) & Self::GUARDS == Self::GUARDS
    }

    /// How many kinds of silver, bishop, rook and gold it holds, which drop anywhere.
    #[inline]
    pub const fn free_kinds(self) -> u32 {
        self.has(Kind::Silver) as u32
            + self.has(Kind::Bishop) as u32
            + self.has(Kind::Rook) as u32
            + self.has(Kind::Gold) as u32
    }
}

/// The place of the `nth` piece of a kind in a side's hand, the first being 0, as [`Dirty`](crate::game::Dirty) tells
/// it: 38 places a side behind the points, by kind.
#[inline]
pub const fn hand_place(side: Side, kind: Kind, nth: u32) -> u8 {
    const START: [u8; 7] = [0, 18, 22, 26, 30, 32, 34];
    POINTS as u8 + 38 * side as u8 + START[kind as usize] + nth as u8
}

/// A move: from and to, seven bits each, promotion and drop. A drop comes from `81 + kind`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SMove(u16);

impl SMove {
    const PROMOTE: u16 = 1 << 14;
    const DROP: u16 = 1 << 15;

    /// The move between two points.
    #[inline]
    pub const fn new(from: u8, to: u8, promote: bool) -> Self {
        Self(from as u16 | (to as u16) << 7 | (promote as u16) << 14)
    }

    /// A drop.
    #[inline]
    pub const fn drop(kind: Kind, to: u8) -> Self {
        Self((POINTS as u16 + kind as u16) | (to as u16) << 7 | Self::DROP)
    }

    /// Where it starts, a point or `81 + kind`; below 128.
    #[inline]
    pub const fn from(self) -> u8 {
        (self.0 & 127) as u8
    }

    /// Where it ends; below 128, a point when the move is legal.
    #[inline]
    pub const fn to(self) -> u8 {
        (self.0 >> 7 & 127) as u8
    }

    /// Whether it promotes.
    #[inline]
    pub const fn is_promotion(self) -> bool {
        self.0 & Self::PROMOTE != 0
    }

    /// Whether it is a drop.
    #[inline]
    pub const fn is_drop(self) -> bool {
        self.0 & Self::DROP != 0
    }

    /// The kind of a drop that is well formed.
    #[inline]
    pub const fn dropped(self) -> Option<Kind> {
        let from = self.from() as usize;
        if self.is_drop() && from >= POINTS && from < POINTS + 7 && !self.is_promotion() {
            Some(DROPS[from - POINTS])
        } else {
            None
        }
    }
}

impl std::fmt::Debug for SMove {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let to = point_name(self.to());
        if let Some(kind) = self.dropped() {
            write!(f, "{}*{to}", LETTERS[kind as usize])
        } else {
            let plus = if self.is_promotion() { "+" } else { "" };
            write!(f, "{}{to}{plus}", point_name(self.from()))
        }
    }
}

impl Move for SMove {
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

/// When a king that has entered the enemy camp wins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EnteringKing {
    /// Declaration with 28 points for sente or 27 for gote.
    #[default]
    Csa27,
    /// Declaration with 31 points.
    Csa24,
    /// A king that safely reaches the start point of the other.
    Try,
    /// Never.
    None,
}

/// Rule settings.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ShogiRules {
    /// The entering-king rule.
    pub entering_king: EnteringKing,
    /// Moves of a game after which it is drawn; 0 never.
    pub max_moves: u32,
    /// Whether the search also sees the unpromoted moves that are all but always worse than the promotion.
    pub all_moves: bool,
}

impl Rules for ShogiRules {
    fn options() -> &'static [GameOption] {
        const ALL: &[GameOption] = &[
            GameOption {
                name: "EnteringKingRule",
                help: "how a king that has entered the camp may claim the win",
                kind: OptionKind::Combo {
                    all: &["CSARule27", "CSARule24", "TryRule", "NoEnteringKing"],
                },
            },
            GameOption {
                name: "MaxMovesToDraw",
                help: "plies after which the game is drawn; 0 for none",
                kind: OptionKind::Spin {
                    default: 0,
                    min: 0,
                    max: 100_000,
                },
            },
            GameOption {
                name: "GenerateAllLegalMoves",
                help: "also search moves that another one is never worse than, such as not promoting a rook",
                kind: OptionKind::Check { default: false },
            },
        ];
        ALL
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), BadInput> {
        if name.eq_ignore_ascii_case("EnteringKingRule") {
            self.entering_king = match value.to_ascii_lowercase().as_str() {
                "csarule27" => EnteringKing::Csa27,
                "csarule24" => EnteringKing::Csa24,
                "tryrule" => EnteringKing::Try,
                "noenteringking" => EnteringKing::None,
                _ => return Err(BadInput::new(format!("no such entering-king rule: {value}"))),
            };
        } else if name.eq_ignore_ascii_case("MaxMovesToDraw") {
            self.max_moves = match value.parse() {
                Ok(moves @ 0..=100_000) => moves,
                _ => {
                    return Err(BadInput::new(format!(
                        "MaxMovesToDraw takes a number from 0 to 100000, not {value}"
                    )));
                }
            };
        } else if name.eq_ignore_ascii_case("GenerateAllLegalMoves") {
            self.all_moves = match value.to_ascii_lowercase().as_str() {
                "true" => true,
                "false" => false,
                _ => {
                    return Err(BadInput::new(format!(
                        "GenerateAllLegalMoves takes true or false, not {value}"
                    )));
                }
            };
        } else {
            return Err(BadInput::new(format!("no such option: {name}")));
        }
        Ok(())
    }
}
