//! What the evaluators need to know: values of pieces for `Material`, features for a network.

use super::Minichess;
use super::board::{KING, PAWN, SIZE, SQUARES, kind, piece};
use nguky::game::{Features, PieceValues, Score, Side};

/// The exchange values, kings aside.
pub const VALUES: [Score; 6] = [100, 300, 300, 500, 900, 0];

/// A square as a side sees it.
fn seen(side: Side, square: u8) -> u8 {
    match side {
        Side::First => square,
        Side::Second => (SIZE - 1 - square / SIZE) * SIZE + square % SIZE,
    }
}

impl PieceValues for Minichess {
    fn value(piece: u8) -> Score {
        VALUES[usize::from(kind(piece))]
    }

    fn square_value(piece: u8, square: u8) -> Score {
        let rank = seen(Self::owner(piece), square) / SIZE;
        if kind(piece) == PAWN { 15 * Score::from(rank) } else { 0 }
    }
}

impl Features for Minichess {
    const INPUTS: usize = 12 * SQUARES;
    const MAX_ACTIVE: usize = 20;
    const OUTPUT_BUCKETS: usize = 1;

    fn output_bucket(&self) -> usize {
        0
    }

    fn king_piece(side: Side) -> u8 {
        piece(side, KING)
    }

    fn king_bucket(_view: Side, _king: u8) -> u8 {
        0
    }

    fn feature(view: Side, _king_bucket: u8, piece: u8, place: u8) -> usize {
        // The other side's pieces come second.
        let piece = (piece + 6 * view.index() as u8) % 12;
        usize::from(piece) * SQUARES + usize::from(seen(view, place))
    }

    fn each(&self, f: &mut dyn FnMut(u8, u8)) {
        self.board().pieces().for_each(|(piece, square)| f(piece, square));
    }
}
