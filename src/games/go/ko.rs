//! Superko: which positions have been on the board.

use super::rules::Ko;
use super::types::{Colour, WHITE};

/// Mixed into a position's key when white is to move.
const WHITE_TO_MOVE: u64 = 0x9d39_247e_3377_6d41;

/// The positions of a game, each as one key that says what the ko rule compares.
#[derive(Clone, Default, Debug)]
pub struct KoHistory {
    keys: Vec<u64>,
}

impl KoHistory {
    /// A board's key as the ko rule sees it, with `turn` to move.
    #[inline]
    pub fn key(ko: Ko, board: u64, turn: Colour) -> u64 {
        if ko == Ko::Situational && turn == WHITE {
            board ^ WHITE_TO_MOVE
        } else {
            board
        }
    }

    /// A position came up.
    #[inline]
    pub fn push(&mut self, key: u64) {
        self.keys.push(key);
    }

    /// The last position is taken back.
    #[inline]
    pub fn pop(&mut self) {
        self.keys.pop();
    }

    /// Removes all positions from number `len` on.
    #[inline]
    pub fn truncate(&mut self, len: usize) {
        self.keys.truncate(len);
    }

    /// How many positions there were.
    #[inline]
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there was none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The keys of all positions, the earliest first.
    #[inline]
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// Whether the position was on the board before. The latest are the likeliest.
    #[inline]
    pub fn contains(&self, key: u64) -> bool {
        self.keys.iter().rev().any(|&k| k == key)
    }
}
