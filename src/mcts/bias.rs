//! Subtree value bias correction, after KataGo: where the same move was made in the same surroundings before and the search
//! below it found another value than the evaluation, new evaluations are corrected by the mean difference.

use crate::games::go::Board;
use crate::games::go::types::{Colour, EDGE, EMPTY, PASS, Point};
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

/// A move with its surroundings, hashed; [`NO_PATTERN`] for none.
pub type PatternId = u32;

/// No pattern: the root, and ended games.
pub const NO_PATTERN: PatternId = 0;
/// Entries of the table; patterns of the same entry share it.
const ENTRIES: usize = 1 << 16;
/// Fixed point of the sums.
const ONE: f32 = 1_048_576.0;

#[derive(Default)]
struct Sum {
    error: AtomicI64,
    weight: AtomicI64,
}

/// Errors of evaluations by pattern, shared by threads.
pub struct SubtreeBias(Box<[Sum]>);

impl Default for SubtreeBias {
    fn default() -> Self {
        Self((0..ENTRIES).map(|_| Sum::default()).collect())
    }
}

impl SubtreeBias {
    /// Clears all sums.
    pub fn clear(&self) {
        for sum in &self.0 {
            sum.error.store(0, Relaxed);
            sum.weight.store(0, Relaxed);
        }
    }

    /// The mean error of a pattern, 0 before anything is known.
    pub fn mean(&self, id: PatternId) -> f32 {
        let sum = &self.0[id as usize % ENTRIES];
        let weight = sum.weight.load(Relaxed);
        // Above 0, for sums from which everything was subtracted again keep rounding errors.
        if id == NO_PATTERN || weight < 1024 {
            return 0.0;
        }
        sum.error.load(Relaxed) as f32 / weight as f32
    }

    /// Adds to the sums of a pattern.
    pub fn add(&self, id: PatternId, error: f32, weight: f32) {
        if id != NO_PATTERN {
            let sum = &self.0[id as usize % ENTRIES];
            sum.error.fetch_add((error * ONE) as i64, Relaxed);
            sum.weight.fetch_add((weight * ONE) as i64, Relaxed);
        }
    }
}

/// The pattern of a move: where it and the move before it are, whose it is, and the 25 points around it with their chains
/// in atari.
pub fn pattern(board: &Board, mv: Point, turn: Colour) -> PatternId {
    let mut key = u64::from(mv) << 32 | u64::from(board.last()[0]) << 16 | u64::from(board.ko()) << 2 | u64::from(turn);
    let mut mix = |part: u64| {
        key = (key ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        key ^= key >> 29;
    };
    mix(0);
    if mv != PASS {
        let (x, y) = board.xy(mv);
        for dy in 0..5 {
            let mut row = 0;
            for dx in 0..5 {
                let (x, y) = ((x + dx).wrapping_sub(2), (y + dy).wrapping_sub(2));
                let inside = x < board.size() && y < board.size();
                let p = if inside { board.at(x, y) } else { PASS };
                let c = if inside { board.colour(p) } else { EDGE };
                let atari = inside && c != EMPTY && board.liberties(p) == 1;
                row = row << 3 | u64::from(c) | u64::from(atari) << 2;
            }
            mix(row);
        }
    }
    (key >> 40) as PatternId + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::go::types::{BLACK, WHITE};

    #[test]
    fn errors_have_a_mean_and_can_be_subtracted_again() {
        let errors = SubtreeBias::default();
        errors.add(3, 0.5, 1.0);
        errors.add(3, 0.25, 2.0);
        assert!((errors.mean(3) - 0.25).abs() < 1e-4);
        errors.add(3, -0.75, -3.0);
        assert_eq!(errors.mean(3), 0.0);
        errors.add(NO_PATTERN, 9.0, 9.0);
        assert_eq!(errors.mean(NO_PATTERN), 0.0);
    }

    #[test]
    fn patterns_depend_on_the_surroundings_alone() {
        let mut board = Board::new(9).expect("a board");
        let mv = board.at(4, 4);
        let empty = pattern(&board, mv, BLACK);
        assert_ne!(empty, pattern(&board, mv, WHITE));
        assert_ne!(empty, pattern(&board, board.at(4, 5), BLACK));
        board.set_up(board.at(0, 8), WHITE);
        assert_eq!(empty, pattern(&board, mv, BLACK));
        board.set_up(board.at(6, 6), WHITE);
        assert_ne!(empty, pattern(&board, mv, BLACK));
        pattern(&board, PASS, BLACK);
        pattern(&board, board.at(0, 0), BLACK);
    }
}
