//! The inputs of chess networks: 12 pieces on 64 squares, own pieces first, the board seen from the view's own side and
//! mirrored so that its king stands on the queen's wing (768 inputs, as most small networks have).

use super::types::*;
use super::{Chess, endgame};
use crate::bits::bb64::squares;
use crate::game::{Features, Score, Side};

impl Features for Chess {
    const INPUTS: usize = 12 * 64;
    const MAX_ACTIVE: usize = 32;
    /// By pieces on the board, four at a time.
    const OUTPUT_BUCKETS: usize = 8;

    fn output_bucket(&self) -> usize {
        let pieces = self.occupied().count_ones() as usize;
        (pieces.saturating_sub(1) / 4).min(Self::OUTPUT_BUCKETS - 1)
    }

    fn king_piece(side: Side) -> u8 {
        KING + 6 * side.index() as u8
    }

    fn king_bucket(_view: Side, king: u8) -> u8 {
        u8::from(king & 4 != 0)
    }

    #[inline]
    fn feature(view: Side, king_bucket: u8, piece: u8, place: u8) -> usize {
        let square = place ^ (56 * view.index() as u8) ^ (7 * king_bucket);
        // The other side's pieces come second.
        let piece = match view {
            Side::First => piece,
            Side::Second if piece < 6 => piece + 6,
            Side::Second => piece - 6,
        };
        piece as usize * 64 + square as usize
    }

    #[inline]
    fn adjust(&self, score: Score) -> Score {
        endgame::adjust(self, score)
    }

    fn each(&self, f: &mut dyn FnMut(u8, u8)) {
        for square in squares(self.occupied()) {
            f(self.piece_on(square), square);
        }
    }
}
