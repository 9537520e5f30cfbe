//! Piece values and piece-square tables.

use super::position::Xiangqi;
use super::types::{Kind, file, kind_of, rank};
use crate::game::{PieceValues, Score};

/// Piece values by kind.
pub const VALUE: [Score; 7] = [10_000, 200, 220, 430, 950, 460, 100];

/// What a horse's rank adds, from its own edge.
const HORSE_RANK: [Score; 10] = [-26, -8, -4, 2, 6, 10, 12, 8, 2, -8];
/// What a chariot's rank adds.
const CHARIOT_RANK: [Score; 10] = [-12, 0, 0, 2, 4, 8, 8, 8, 8, 4];
/// What a soldier's rank adds: from the sixth on it is across the river.
const SOLDIER_RANK: [Score; 10] = [0, 0, 0, 0, 6, 50, 65, 75, 65, 10];

/// What a point adds to a piece of a kind, seen from its own side.
pub fn point_value(kind: Kind, file: u8, rank: u8) -> Score {
    let at = usize::from(rank);
    // Steps towards the middle file, 0 to 4.
    let middle = Score::from(file.min(8 - file));
    match kind {
        Kind::General => -20 * Score::from(rank),
        Kind::Advisor | Kind::Elephant => 0,
        Kind::Horse => HORSE_RANK[at] + 3 * middle,
        Kind::Chariot => CHARIOT_RANK[at] + middle,
        Kind::Cannon => 3 * middle,
        Kind::Soldier if rank < 5 => SOLDIER_RANK[at],
        Kind::Soldier => SOLDIER_RANK[at] + 8 * middle,
    }
}

impl PieceValues for Xiangqi {
    fn value(piece: u8) -> Score {
        match kind_of(piece) {
            Kind::General => 0,
            kind => VALUE[kind as usize],
        }
    }

    fn square_value(piece: u8, square: u8) -> Score {
        let rank = if piece < 7 { rank(square) } else { 9 - rank(square) };
        point_value(kind_of(piece), file(square), rank)
    }
}
