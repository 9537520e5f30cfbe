//! Piece values and piece-square tables.

use super::position::Shogi;
use super::types::{Kind, depth, file, kind_of, side_of};
use crate::game::{PieceValues, Score, Side};

/// Piece values by kind, on the board: about those that the program Bonanza learned, with the pawn at 100.
pub const VALUE: [Score; 14] = [100, 270, 290, 420, 650, 740, 500, 15_000, 560, 540, 550, 550, 940, 1080];

impl PieceValues for Shogi {
    fn value(piece: u8) -> Score {
        match kind_of(piece) {
            Kind::King => 0,
            kind => VALUE[kind as usize],
        }
    }

    fn square_value(piece: u8, square: u8) -> Score {
        let side = side_of(piece);
        let advance = 8 - Score::from(depth(side, square));
        // How far towards the side where the bishop starts: kings are safer there, away from their own rook.
        let file = Score::from(file(square)) - 4;
        let left = if side == Side::First { file } else { -file };
        match kind_of(piece) {
            Kind::Pawn => 2 * advance,
            Kind::Knight => -3 * advance,
            Kind::Silver => 5 * advance.min(4) + left,
            Kind::Gold => 4 * advance.min(1) - 6 * (advance - 1).max(0) + 3 * left,
            Kind::King => 7 * left - 25 * (advance - 1).max(0),
            _ => 0,
        }
    }

    /// In hand a piece may go anywhere, and cannot be attacked.
    fn value_off_board(piece: u8, _place: u8) -> Score {
        Self::value(piece) * 9 / 8
    }
}
