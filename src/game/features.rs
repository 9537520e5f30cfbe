//! The inputs of a game's NNUE networks: which piece stands where, from the perspective of each side.

use super::{Position, Score, Side};

/// The feature set of a game. A piece is a number below [`Position::PIECES`], a place a point of the board or one off the
/// board for a piece in hand, as in [`Dirty`](super::Dirty).
pub trait Features: Position {
    /// Features of one perspective.
    const INPUTS: usize;
    /// The most of them that can be active at once, which bounds the values of an accumulator.
    const MAX_ACTIVE: usize;
    /// King buckets, each with weights of its own for the same features. Training factorises them: what all buckets have in
    /// common is learnt once.
    const KING_BUCKETS: usize = 1;
    /// Output buckets; each has output weights of its own for a stage of the game.
    const OUTPUT_BUCKETS: usize;
    /// The output bucket of this position, below [`Features::OUTPUT_BUCKETS`].
    fn output_bucket(&self) -> usize;
    /// The king of a side.
    fn king_piece(side: Side) -> u8;
    /// The king bucket of a perspective whose own king stands on `king`, with horizontal mirroring in the lowest bit. A move
    /// that changes it costs a refresh of the accumulator.
    fn king_bucket(view: Side, king: u8) -> u8;
    /// Whether a king here stands on the axis of mirroring: then the mirrored perspective belongs to a position of the same
    /// value.
    fn on_axis(_king: u8) -> bool {
        false
    }
    /// The feature of a piece on a place, below [`Features::INPUTS`].
    fn feature(view: Side, king_bucket: u8, piece: u8, place: u8) -> usize;
    /// Whether networks of the HalfKP layout, which shogi programs share, can evaluate this game.
    const HALF_KP: bool = false;
    /// The HalfKP feature of a piece on a place for a perspective whose own king stands on `king`; on [`OFF`](super::OFF)
    /// that of a piece which the position lacks. None for a king.
    fn half_kp(_view: Side, _king: u8, _piece: u8, _place: u8) -> Option<usize> {
        None
    }
    /// An evaluation's score for the side to move, scaled down where rules or bare endgames make a draw likely.
    #[inline]
    fn adjust(&self, score: Score) -> Score {
        score
    }
    /// Pieces that can stand on the board at once.
    const MAX_PIECES: usize = Self::MAX_ACTIVE;
    /// Pairs of a piece and a place off the board that [`Features::each`] may give, each with a number below this.
    const OFF_BOARD: usize = 0;
    /// The pair of a number, or one of the same feature.
    fn off_board(_number: usize) -> (u8, u8) {
        (0, 0)
    }
    /// The number of a pair.
    fn off_board_number(_piece: u8, _place: u8) -> usize {
        0
    }
    /// Calls `f` with every piece and its place.
    fn each(&self, f: &mut dyn FnMut(u8, u8));
}
