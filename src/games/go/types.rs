//! The small words of go: points, colours, the limits of the board.

use crate::game::Side;

/// A cell of the padded board: rows of `size + 1` cells, bottom row first, one edge cell left of each row.
/// 0 is a corner of the frame and never a point of the board, so it serves as "none" and as the pass.
pub type Point = u16;

/// What stands on a cell: [`EMPTY`], [`BLACK`], [`WHITE`] or [`EDGE`].
pub type Colour = u8;

/// Neither stone nor edge.
pub const EMPTY: Colour = 0;
/// The side that moves first.
pub const BLACK: Colour = 1;
/// The other side.
pub const WHITE: Colour = 2;
/// Beyond the board.
pub const EDGE: Colour = 3;

/// A pass, where a move is meant.
pub const PASS: Point = 0;
/// No point.
pub const NONE: Point = 0;

/// Smallest board, as GTP allows.
pub const MIN_SIZE: usize = 2;
/// Largest board, as GTP allows.
pub const MAX_SIZE: usize = 25;
/// Cells of the largest board with its frame.
pub const CELLS: usize = (MAX_SIZE + 2) * (MAX_SIZE + 1) + 1;
/// Points of the largest board.
pub const POINTS: usize = MAX_SIZE * MAX_SIZE;

/// The colour of a side's stones.
#[inline]
pub const fn colour(side: Side) -> Colour {
    side as u8 + 1
}

/// The opponent's colour. Only for [`BLACK`] and [`WHITE`].
#[inline]
pub const fn other(c: Colour) -> Colour {
    3 - c
}

/// The side that owns stones of this colour; black for anything but white.
#[inline]
pub const fn side_of(c: Colour) -> Side {
    if c == WHITE { Side::Second } else { Side::First }
}
