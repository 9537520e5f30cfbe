//! What may lie face down on the board: nothing in xiangqi, pieces on their starting points in cờ úp.

use super::types::COVERED;
use crate::bits::Bb128;
use crate::game::Side;
use std::fmt::Debug;

/// What may lie face down. [`AllFaceUp`] holds no data and compiles to a board without face-down pieces.
///
/// Where pieces may lie face down, advisors and elephants that are face up may go anywhere: their kind may be turned up
/// on any point.
pub trait Cover: Copy + Eq + Debug + Default + Send + Sync + 'static {
    /// Whether pieces may lie face down.
    const HIDES: bool;
    /// The mailbox value of an empty point: one more than the last piece.
    const EMPTY: u8 = if Self::HIDES { COVERED + 2 } else { COVERED };

    /// The points of face-down pieces.
    fn points(self) -> Bb128;
    /// Adds points of face-down pieces.
    fn insert(&mut self, points: Bb128);
    /// Removes points of face-down pieces.
    fn remove(&mut self, points: Bb128);

    /// The side of a piece, which must not be [`Cover::EMPTY`].
    #[inline]
    fn side_of(piece: u8) -> Side {
        if piece < 7 || Self::HIDES && piece == COVERED {
            Side::First
        } else {
            Side::Second
        }
    }

    /// Whether a piece, which must not be [`Cover::EMPTY`], is face down.
    #[inline]
    fn is_covered(piece: u8) -> bool {
        Self::HIDES && piece >= COVERED
    }
}

/// All pieces are face up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AllFaceUp;

impl Cover for AllFaceUp {
    const HIDES: bool = false;

    #[inline]
    fn points(self) -> Bb128 {
        Bb128::EMPTY
    }

    #[inline]
    fn insert(&mut self, _: Bb128) {}

    #[inline]
    fn remove(&mut self, _: Bb128) {}
}

/// The points where pieces lie face down.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FaceDown(Bb128);

impl Cover for FaceDown {
    const HIDES: bool = true;

    #[inline]
    fn points(self) -> Bb128 {
        self.0
    }

    #[inline]
    fn insert(&mut self, points: Bb128) {
        self.0 |= points;
    }

    #[inline]
    fn remove(&mut self, points: Bb128) {
        self.0 = self.0.without(points);
    }
}
