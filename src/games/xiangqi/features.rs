//! The inputs of xiangqi networks: 14 pieces on 90 points, own pieces first, the board seen from the view's own side and
//! mirrored when its general stands right of the middle file.

use super::position::Xiangqi;
use super::types::{Kind, POINTS, piece};
use crate::game::{Features, Side};

impl Features for Xiangqi {
    const INPUTS: usize = 14 * POINTS;
    const MAX_ACTIVE: usize = 32;
    /// By pieces on the board, four at a time.
    const OUTPUT_BUCKETS: usize = 8;

    fn output_bucket(&self) -> usize {
        let pieces = self.board().occupied().len() as usize;
        (pieces.saturating_sub(1) / 4).min(Self::OUTPUT_BUCKETS - 1)
    }

    fn king_piece(side: Side) -> u8 {
        piece(side, Kind::General)
    }

    fn king_bucket(_view: Side, king: u8) -> u8 {
        u8::from(king % 9 > 4)
    }

    fn on_axis(king: u8) -> bool {
        king % 9 == 4
    }

    #[inline]
    fn feature(view: Side, king_bucket: u8, piece: u8, place: u8) -> usize {
        let (mut file, mut rank) = (place % 9, place / 9);
        if king_bucket != 0 {
            file = 8 - file;
        }
        if view == Side::Second {
            rank = 9 - rank;
        }
        let piece = (piece + 7 * view.index() as u8) % 14;
        piece as usize * POINTS + (rank * 9 + file) as usize
    }

    fn each(&self, f: &mut dyn FnMut(u8, u8)) {
        let board = self.board();
        board.occupied().for_each(|point| f(board.at(point), point));
    }
}
