//! What a learned evaluator sees of a game: which piece stands where, from the view of each side.

use super::{Position, Score, Side};

/// A game as the inputs of a network. A piece is a number below [`Position::PIECES`], a place a point of the board or
/// one behind the board for a piece in hand, as [`Dirty`](super::Dirty) tells them.
pub trait Features: Position {
    /// Inputs of one view.
    const INPUTS: usize;
    /// The most of them that can be on at once: how far the sums can get goes by it.
    const MOST: usize;
    /// Inputs fall into so many parts of one size, alike but for where the view's king stands. What they have in common
    /// is learnt once.
    const PARTS: usize = 1;
    /// Output heads; each judges a stage of the game.
    const HEADS: usize;
    /// Which head judges this position, below [`Features::HEADS`].
    fn head(&self) -> usize;
    /// The king of a side.
    fn royal(side: Side) -> u8;
    /// How a view turns the board when its own king stands on `king`: views that are turned alike share their sums, a
    /// change of turn costs a fresh start.
    fn turn(view: Side, king: u8) -> u8;
    /// Whether a king here stands on the axis of a board that [turns](Features::turn) mirror by their lowest bit: then the
    /// view mirrored is one of a position that is worth as much.
    fn on_axis(_king: u8) -> bool {
        false
    }
    /// The input that a piece on a place switches on, below [`Features::INPUTS`].
    fn input(view: Side, turn: u8, piece: u8, place: u8) -> usize;
    /// Whether networks of the HalfKP layout, which shogi programs share, can judge this game.
    const HALF_KP: bool = false;
    /// The HalfKP input of a piece on a place for a view whose own king stands on `king`; on [`OFF`](super::OFF) that of
    /// a piece which the position lacks. None for a king.
    fn half_kp(_view: Side, _king: u8, _piece: u8, _place: u8) -> Option<usize> {
        None
    }
    /// What is left of a network's score for the side to move where rules or bare endings decide.
    #[inline]
    fn temper(&self, score: Score) -> Score {
        score
    }
    /// Pieces that can stand on the board at once.
    const MEN: usize = Self::MOST;
    /// Pairs of a piece and a place behind the board that [`Features::each`] may tell, each by a number below this.
    const BEHIND: usize = 0;
    /// The pair of a number, or one of the same input.
    fn behind(_number: usize) -> (u8, u8) {
        (0, 0)
    }
    /// The number of a pair.
    fn number_behind(_piece: u8, _place: u8) -> usize {
        0
    }
    /// Calls `f` with every piece and its place.
    fn each(&self, f: &mut dyn FnMut(u8, u8));
}
