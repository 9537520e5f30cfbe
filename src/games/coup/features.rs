//! The inputs of cờ úp networks: 16 pieces on 90 points, seen from the view's own side and mirrored when its general
//! stands right of the middle file, and how many of each kind may still lie face down: the second chariot unseen is an
//! input of its own beside the first.

use super::position::Coup;
use super::types::{COVERED, side_of};
use crate::game::{Features, Side};
use crate::games::xiangqi_board::types::{KINDS, Kind, POINTS, piece};

/// At most five of a kind are unseen.
const UNSEEN: usize = 5;

/// The place of a piece that lies face down somewhere; `nth` counts those of its kind.
pub const fn unseen(nth: u8) -> u8 {
    POINTS as u8 + nth
}

impl Features for Coup {
    const INPUTS: usize = 16 * POINTS + 14 * UNSEEN;
    /// Pieces, and what may lie face down.
    const MAX_ACTIVE: usize = 32 + 30;
    /// By pieces that lie face down, four at a time; none is a bucket of its own.
    const OUTPUT_BUCKETS: usize = 8;

    fn output_bucket(&self) -> usize {
        let covered = self.board().covered().len() as usize;
        covered.div_ceil(4).min(Self::OUTPUT_BUCKETS - 1)
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
        let theirs = usize::from(side_of(piece) != view);
        if let Some(nth) = usize::from(place).checked_sub(POINTS) {
            return 16 * POINTS + (theirs * 7 + usize::from(piece % 7)) * UNSEEN + nth.min(UNSEEN - 1);
        }
        let (mut file, mut rank) = (place % 9, place / 9);
        if king_bucket != 0 {
            file = 8 - file;
        }
        if view == Side::Second {
            rank = 9 - rank;
        }
        let kind = if piece >= COVERED { 7 } else { usize::from(piece % 7) };
        (theirs * 8 + kind) * POINTS + (rank * 9 + file) as usize
    }

    const MAX_PIECES: usize = 32;
    const OFF_BOARD: usize = 14 * UNSEEN;

    fn off_board(number: usize) -> (u8, u8) {
        ((number / UNSEEN) as u8, unseen((number % UNSEEN) as u8))
    }

    fn off_board_number(piece: u8, place: u8) -> usize {
        usize::from(piece) * UNSEEN + usize::from(place) - POINTS
    }

    fn each(&self, f: &mut dyn FnMut(u8, u8)) {
        let board = self.board();
        board.occupied().for_each(|point| f(board.at(point), point));
        for side in [Side::First, Side::Second] {
            for kind in KINDS {
                let n = self.pool(side)[kind as usize].min(UNSEEN as u8);
                (0..n).for_each(|nth| f(piece(side, kind), unseen(nth)));
            }
        }
    }
}
