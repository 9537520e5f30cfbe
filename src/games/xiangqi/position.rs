//! The position: the shared board with all pieces face up, and what a move counts for.

use super::keys;
use super::material::VALUE;
use super::types::{EMPTY, Kind, XiangqiRules};
use crate::game::{Score, Side};
use crate::games::xiangqi_board::{self as shared, AllFaceUp, XiangqiPosition, XiangqiVariant};

/// A xiangqi position with its history.
pub type Xiangqi = XiangqiPosition<XiangqiRules>;
/// Pieces on points, all face up.
pub type XiangqiBoard = shared::SharedBoard<AllFaceUp>;
/// The state of a position besides the board.
pub(super) type XiangqiState = shared::State<Spared>;

/// Whether the last move was a check that does not count for the natural limit.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Spared(bool);

/// Checks by one side after which its further ones do not count for the natural limit.
const COUNTED_CHECKS: u16 = 10;

impl XiangqiVariant for XiangqiRules {
    type Cover = AllFaceUp;
    type More = Spared;
    type Record = ();

    /// A soldier that has crossed is worth more, but not in exchanges.
    const EXCHANGE: [Score; 7] = VALUE;

    #[inline]
    fn point_key(piece: u8, point: u8) -> u64 {
        keys::of(piece, point)
    }

    #[inline]
    fn side_key() -> u64 {
        keys::side()
    }

    /// Checks count since the last capture.
    #[inline]
    fn count_move(next: &mut XiangqiState, _moved: u8, us: Side) {
        if next.taken == EMPTY {
            count_quiet(next, us);
            return;
        }
        (next.quiet, next.more) = (0, Spared(false));
        next.checks = [0; 2];
        if next.checkers.any() {
            next.checks[us.index()] = 1;
        }
    }

    fn count_pass(next: &mut XiangqiState, _us: Side) {
        next.more = Spared(false);
    }
}

/// A half-move without a capture counts for the natural limit unless it is a check beyond the tenth or answers one.
fn count_quiet(next: &mut XiangqiState, us: Side) {
    let answers = next.more.0;
    next.more = Spared(false);
    if next.checkers.any() {
        next.checks[us.index()] = next.checks[us.index()].saturating_add(1);
        next.more = Spared(next.checks[us.index()] > COUNTED_CHECKS);
    }
    if !answers && !next.more.0 {
        next.quiet = next.quiet.saturating_add(1);
    }
}

impl Xiangqi {
    /// Whether neither side has a piece left that crosses the river.
    #[inline]
    pub fn insufficient_material(&self) -> bool {
        let b = &self.board;
        (b.kind(Kind::Soldier) | b.kind(Kind::Horse) | b.kind(Kind::Chariot) | b.kind(Kind::Cannon)).is_empty()
    }

    /// Whether a side has horse, chariot or cannon.
    #[inline]
    pub fn has_officers(&self, side: Side) -> bool {
        let b = &self.board;
        (b.kind(Kind::Horse) | b.kind(Kind::Chariot) | b.kind(Kind::Cannon)).meets(b.of(side))
    }
}
