//! Points, pieces and moves.

use crate::bits::Bb128;
use crate::game::{Move, Side};

/// Points of the board: `rank * 9 + file`, rank 0 at red's edge, file 0 on red's left.
pub const POINTS: usize = 90;
/// A red piece face down; black's is one more.
pub const COVERED: u8 = 14;
/// Added to a face-down piece that was taken while it stood blank, off its starting point.
pub const BLANK: u8 = 4;
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
pub const LETTERS: [char; 16] = [
    'K', 'A', 'B', 'N', 'R', 'C', 'P', 'k', 'a', 'b', 'n', 'r', 'c', 'p', 'X', 'x',
];

/// The piece of a side and kind.
#[inline]
pub const fn piece(side: Side, kind: Kind) -> u8 {
    side as u8 * 7 + kind as u8
}

/// The kind of a piece that is face up.
#[inline]
pub const fn kind_of(piece: u8) -> Kind {
    KINDS[(if piece >= 7 { piece - 7 } else { piece }) as usize]
}

/// A side's piece face down.
#[inline]
pub const fn covered(side: Side) -> u8 {
    COVERED + side as u8
}

/// The kind of piece that sets out from a point, by point: what a face-down piece there moves as.
static STARTS: [Option<Kind>; POINTS] = {
    const EDGE: [Kind; 9] = [
        Kind::Chariot,
        Kind::Horse,
        Kind::Elephant,
        Kind::Advisor,
        Kind::General,
        Kind::Advisor,
        Kind::Elephant,
        Kind::Horse,
        Kind::Chariot,
    ];
    let mut all = [None; POINTS];
    let mut f = 0;
    while f < 9 {
        if f != 4 {
            (all[f], all[81 + f]) = (Some(EDGE[f]), Some(EDGE[f]));
        }
        if f % 2 == 0 {
            (all[27 + f], all[54 + f]) = (Some(Kind::Soldier), Some(Kind::Soldier));
        }
        f += 1;
    }
    (all[19], all[25]) = (Some(Kind::Cannon), Some(Kind::Cannon));
    (all[64], all[70]) = (Some(Kind::Cannon), Some(Kind::Cannon));
    all
};

/// What a side's face-down piece on the point moves as; `None` where none can lie.
#[inline]
pub const fn start_kind(side: Side, point: u8) -> Option<Kind> {
    if (point < 45) == matches!(side, Side::First) {
        STARTS[point as usize]
    } else {
        None
    }
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
