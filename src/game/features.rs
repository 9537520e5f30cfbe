//! What a learned evaluator sees of a game: which piece stands where, from the view of each side.

use super::{Position, Side};

/// A game as the inputs of a network. A piece is a number below [`Position::PIECES`], a place a point of the board or
/// one behind the board for a piece in hand, as [`Dirty`](super::Dirty) tells them.
pub trait Features: Position {
    /// Inputs of one view.
    const INPUTS: usize;
    /// Output heads; each judges a stage of the game.
    const HEADS: usize;
    /// Which head judges this position, below [`Features::HEADS`].
    fn head(&self) -> usize;
    /// The king of a side.
    fn royal(side: Side) -> u8;
    /// How a view turns the board when its own king stands on `king`: views that are turned alike share their sums, a
    /// change of turn costs a fresh start.
    fn turn(view: Side, king: u8) -> u8;
    /// The input that a piece on a place switches on, below [`Features::INPUTS`].
    fn input(view: Side, turn: u8, piece: u8, place: u8) -> usize;
    /// Calls `f` with every piece and its place.
    fn each(&self, f: &mut dyn FnMut(u8, u8));
}
