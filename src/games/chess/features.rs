//! The inputs of chess networks: 12 pieces on 64 squares, own pieces first, the board seen from the view's own side and
//! mirrored so that its king stands on the queen's wing (768 inputs, as most small networks have).

use super::Chess;
use super::hce::endgame;
use super::types::*;
use crate::bits::bb64::squares;
use crate::game::{Features, Score, Side};

impl Features for Chess {
    const INPUTS: usize = 12 * 64;
    const MOST: usize = 32;
    /// By pieces on the board, four at a time.
    const HEADS: usize = 8;

    fn head(&self) -> usize {
        let pieces = self.occupied().count_ones() as usize;
        (pieces.saturating_sub(1) / 4).min(Self::HEADS - 1)
    }

    fn royal(side: Side) -> u8 {
        KING + 6 * side.index() as u8
    }

    fn turn(_view: Side, king: u8) -> u8 {
        u8::from(king & 4 != 0)
    }

    #[inline]
    fn input(view: Side, turn: u8, piece: u8, place: u8) -> usize {
        let square = place ^ (56 * view.index() as u8) ^ (7 * turn);
        // The other side's pieces come second.
        let piece = match view {
            Side::First => piece,
            Side::Second if piece < 6 => piece + 6,
            Side::Second => piece - 6,
        };
        piece as usize * 64 + square as usize
    }

    #[inline]
    fn temper(&self, score: Score) -> Score {
        endgame::temper(self, score)
    }

    fn each(&self, f: &mut dyn FnMut(u8, u8)) {
        for square in squares(self.occupied()) {
            f(self.piece_on(square), square);
        }
    }
}
