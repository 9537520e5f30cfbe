//! Starts in which one side does without pieces.

use crate::game::{Handicap, Side};

/// The usual odds: the side that gives a pawn and the move is black, of pieces white.
pub const HANDICAPS: &[Handicap] = &[
    Handicap::new(
        "pawn-and-move",
        &[],
        Side::Second,
        "rnbqkbnr/ppppp1pp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    ),
    Handicap::new(
        "knight",
        &[],
        Side::First,
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/R1BQKBNR w KQkq - 0 1",
    ),
    Handicap::new(
        "rook",
        &[],
        Side::First,
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w Kkq - 0 1",
    ),
    Handicap::new(
        "queen",
        &[],
        Side::First,
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1",
    ),
];
