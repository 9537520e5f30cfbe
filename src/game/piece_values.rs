//! What pieces are worth: the data of the evaluation that needs no network.

use super::{Features, Score, Side};

/// Piece values and piece-square tables of a game, in hundredths of a pawn. A piece is a number below
/// [`Position::PIECES`](super::Position::PIECES).
///
/// Values alone are enough for a new game to play by; piece-square tables make it develop its pieces.
pub trait PieceValues: Features {
    /// What a piece on the board is worth to its owner; 0 for a king.
    fn value(piece: u8) -> Score;

    /// What a square adds to the value of a piece that stands there.
    fn square_value(_piece: u8, _square: u8) -> Score {
        0
    }

    /// What a piece at a place off the board is worth: in hand, say.
    fn value_off_board(piece: u8, _place: u8) -> Score {
        Self::value(piece)
    }

    /// The side that a piece belongs to: the first half of the numbers is the first side's.
    fn owner(piece: u8) -> Side {
        if usize::from(piece) < Self::PIECES / 2 {
            Side::First
        } else {
            Side::Second
        }
    }
}
