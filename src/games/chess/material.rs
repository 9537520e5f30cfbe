//! Piece values and piece-square tables.

use super::Chess;
use super::types::{BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK};
use crate::game::{PieceValues, Score};

/// Piece values by kind.
pub const VALUE: [Score; 6] = [100, 310, 330, 500, 950, 0];

/// What a pawn's rank adds.
const PAWN_RANK: [Score; 8] = [0, 0, 2, 8, 20, 45, 90, 0];

impl PieceValues for Chess {
    fn value(piece: u8) -> Score {
        VALUE[usize::from(piece % 6)]
    }

    fn square_value(piece: u8, square: u8) -> Score {
        let seen = if piece < 6 { square } else { square ^ 56 };
        let (file, rank) = (Score::from(seen % 8), Score::from(seen / 8));
        // Steps from the edge towards the middle, 0 to 3.
        let [file_in, rank_in] = [file, rank].map(|x| x.min(7 - x));
        let centre = file_in + rank_in;
        let at_home = if rank == 0 { -8 } else { 0 };
        match piece % 6 {
            PAWN => PAWN_RANK[seen as usize / 8] + 3 * file_in * (rank - 1).clamp(0, 3),
            KNIGHT => 8 * centre - 30 + at_home,
            BISHOP => 4 * centre - 14 + at_home,
            ROOK => 2 * file_in + if rank == 6 { 15 } else { 0 },
            QUEEN => centre,
            // Castled is best; the middle is the worst place as long as there are queens.
            KING => -12 * file_in - 20 * rank.min(3),
            _ => 0,
        }
    }
}
