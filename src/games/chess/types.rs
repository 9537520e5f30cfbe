//! Squares, pieces and moves of chess in small numbers.

use crate::game::{BadInput, GameOption, Move, OptionKind, Rules};

/// A square: 0 is a1, 7 is h1, 63 is h8.
pub type Square = u8;
/// "No square", as the en passant square of most positions.
pub const NO_SQUARE: Square = 64;

/// A kind of piece.
pub type PieceKind = u8;
/// The pawn.
pub const PAWN: PieceKind = 0;
/// The knight.
pub const KNIGHT: PieceKind = 1;
/// The bishop.
pub const BISHOP: PieceKind = 2;
/// The rook.
pub const ROOK: PieceKind = 3;
/// The queen.
pub const QUEEN: PieceKind = 4;
/// The king.
pub const KING: PieceKind = 5;

/// A piece with its colour: white's six kinds, then black's.
pub type Piece = u8;
/// An empty square of the mailbox; it equals `Position::PIECES`.
pub const NO_PIECE: Piece = 12;

/// The piece of a side (0 or 1) and kind.
#[inline(always)]
pub const fn piece(side: usize, kind: PieceKind) -> Piece {
    side as u8 * 6 + kind
}

/// The kind of a piece.
#[inline(always)]
pub const fn kind(piece: Piece) -> PieceKind {
    if piece >= 6 { piece - 6 } else { piece }
}

/// Letters of the pieces in their order, as FEN writes them.
pub(super) const LETTERS: &[u8; 12] = b"PNBRQKpnbrqk";

/// The four castling rights, also indices: side * 2 + wing, wing 0 towards the h-file.
pub(super) const fn right(side: usize, wing: usize) -> u8 {
    1 << (side * 2 + wing)
}

/// A move in 16 bits: origin, target, and four bits of what is special about it. Castling is the king taking its own
/// rook, which is unambiguous in Chess960 too.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChessMove(u16);

impl ChessMove {
    const CASTLE: u16 = 1;
    const EN_PASSANT: u16 = 2;
    const PROMOTION: u16 = 4;

    /// A move without anything special.
    #[inline(always)]
    pub const fn new(from: Square, to: Square) -> Self {
        Self(from as u16 | (to as u16) << 6)
    }

    /// Castling: from the king's square to its rook's.
    #[inline(always)]
    pub const fn castle(king: Square, rook: Square) -> Self {
        Self(king as u16 | (rook as u16) << 6 | Self::CASTLE << 12)
    }

    /// An en passant capture.
    #[inline(always)]
    pub const fn en_passant(from: Square, to: Square) -> Self {
        Self(from as u16 | (to as u16) << 6 | Self::EN_PASSANT << 12)
    }

    /// A promotion to knight, bishop, rook or queen.
    #[inline(always)]
    pub const fn promotion(from: Square, to: Square, kind: PieceKind) -> Self {
        Self(from as u16 | (to as u16) << 6 | (Self::PROMOTION + kind as u16 - KNIGHT as u16) << 12)
    }

    /// The origin.
    #[inline(always)]
    pub const fn from(self) -> Square {
        (self.0 & 63) as u8
    }

    /// The target; the rook's square in castling.
    #[inline(always)]
    pub const fn to(self) -> Square {
        (self.0 >> 6 & 63) as u8
    }

    /// Whether it is castling.
    #[inline(always)]
    pub const fn is_castle(self) -> bool {
        self.0 >> 12 == Self::CASTLE
    }

    /// Whether it captures en passant.
    #[inline(always)]
    pub const fn is_en_passant(self) -> bool {
        self.0 >> 12 == Self::EN_PASSANT
    }

    /// Whether it promotes.
    #[inline(always)]
    pub const fn is_promotion(self) -> bool {
        self.0 >> 14 == Self::PROMOTION >> 2
    }

    /// What it promotes to; meaningless for other moves.
    #[inline(always)]
    pub const fn promoted(self) -> PieceKind {
        (self.0 >> 12 & 3) as u8 + KNIGHT
    }

    /// The four bits.
    #[inline(always)]
    pub(super) const fn flag(self) -> u16 {
        self.0 >> 12
    }
}

impl Move for ChessMove {
    const NONE: Self = Self(0);

    #[inline(always)]
    fn raw(self) -> u16 {
        self.0
    }

    #[inline(always)]
    fn from_raw(raw: u16) -> Self {
        Self(raw)
    }
}

impl std::fmt::Debug for ChessMove {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}{}/{}",
            square_text(self.from()),
            square_text(self.to()),
            self.flag()
        )
    }
}

/// A square's name.
pub(super) fn square_text(s: Square) -> String {
    format!("{}{}", (b'a' + s % 8) as char, (b'1' + s / 8) as char)
}

/// The rules a user may choose.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct ChessRules {
    /// Castling is written king-takes-rook, and setups with the castling rights' files.
    pub chess960: bool,
}

impl Rules for ChessRules {
    fn options() -> &'static [GameOption] {
        &[GameOption {
            name: "UCI_Chess960",
            help: "Chess960: castling is written king takes rook",
            kind: OptionKind::Check { default: false },
        }]
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), BadInput> {
        if !name.eq_ignore_ascii_case("UCI_Chess960") {
            return Err(BadInput::new(format!("no such option: {name}")));
        }
        self.chess960 = match value {
            "true" => true,
            "false" => false,
            _ => return Err(BadInput::new(format!("UCI_Chess960 is true or false, not {value}"))),
        };
        Ok(())
    }
}
