//! What the judge is wrong about: where the same move was made in the same surroundings before, and the search below it
//! found more or less than the judge had said, a new judgement is corrected by that. KataGo calls it subtree value bias.

use crate::games::go::Board;
use crate::games::go::types::{Colour, EDGE, EMPTY, PASS, Point};
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

/// A kind of move; [`NO_KIND`] for none.
pub type Kind = u32;

/// No kind: the root, and games that are over.
pub const NO_KIND: Kind = 0;
/// Kinds told apart; others that fall on the same number are mixed up.
const KINDS: usize = 1 << 16;
/// Fixed point of the sums.
const ONE: f32 = 1_048_576.0;

#[derive(Default)]
struct Sum {
    error: AtomicI64,
    weight: AtomicI64,
}

/// Errors by kind of move, shared by threads.
pub struct Errors(Box<[Sum]>);

impl Default for Errors {
    fn default() -> Self {
        Self((0..KINDS).map(|_| Sum::default()).collect())
    }
}

impl Errors {
    /// Forgets all.
    pub fn clear(&self) {
        for sum in &self.0 {
            sum.error.store(0, Relaxed);
            sum.weight.store(0, Relaxed);
        }
    }

    /// The mean error of a kind, 0 before anything is known.
    pub fn mean(&self, kind: Kind) -> f32 {
        let sum = &self.0[kind as usize % KINDS];
        let weight = sum.weight.load(Relaxed);
        // A little more than nothing, for sums that were taken back leave dust.
        if kind == NO_KIND || weight < 1024 {
            return 0.0;
        }
        sum.error.load(Relaxed) as f32 / weight as f32
    }

    /// Changes a kind's sums.
    pub fn add(&self, kind: Kind, error: f32, weight: f32) {
        if kind != NO_KIND {
            let sum = &self.0[kind as usize % KINDS];
            sum.error.fetch_add((error * ONE) as i64, Relaxed);
            sum.weight.fetch_add((weight * ONE) as i64, Relaxed);
        }
    }
}

/// The kind of a move: where it and the move before it are, whose it is, and the 25 points around it with their chains
/// in atari.
pub fn kind(board: &Board, mv: Point, turn: Colour) -> Kind {
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
    (key >> 40) as Kind + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::go::types::{BLACK, WHITE};

    #[test]
    fn errors_have_a_mean_and_can_be_taken_back() {
        let errors = Errors::default();
        errors.add(3, 0.5, 1.0);
        errors.add(3, 0.25, 2.0);
        assert!((errors.mean(3) - 0.25).abs() < 1e-4);
        errors.add(3, -0.75, -3.0);
        assert_eq!(errors.mean(3), 0.0);
        errors.add(NO_KIND, 9.0, 9.0);
        assert_eq!(errors.mean(NO_KIND), 0.0);
    }

    #[test]
    fn kinds_know_the_surroundings_and_nothing_beyond() {
        let mut board = Board::new(9).expect("a board");
        let mv = board.at(4, 4);
        let empty = kind(&board, mv, BLACK);
        assert_ne!(empty, kind(&board, mv, WHITE));
        assert_ne!(empty, kind(&board, board.at(4, 5), BLACK));
        board.set_up(board.at(0, 8), WHITE);
        assert_eq!(empty, kind(&board, mv, BLACK));
        board.set_up(board.at(6, 6), WHITE);
        assert_ne!(empty, kind(&board, mv, BLACK));
        kind(&board, PASS, BLACK);
        kind(&board, board.at(0, 0), BLACK);
    }
}
