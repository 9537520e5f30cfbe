//! The position: the shared board with face-down pieces and their pools, as one side may know it, and what a move counts
//! for.

use super::keys;
use super::material::VALUE;
use super::types::{CoupRules, EMPTY, Pools};
use crate::game::{Score, Side};
use crate::games::xiangqi_board::types::{Kind, XMove};
use crate::games::xiangqi_board::{self as shared, Cover, FaceDown, XiangqiPosition, XiangqiVariant};

/// A cờ úp position with its history, as one side may know it.
pub type Coup = XiangqiPosition<CoupRules>;
/// Pieces on points, face up and face down.
pub type CoupBoard = shared::SharedBoard<FaceDown>;
/// The state of a position besides the board.
pub(super) type CoupState = shared::State<Reveals>;

/// How far the last move's reveal has got.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// Nothing was turned up.
    No,
    /// It is not yet known what was turned up.
    Pending,
    /// It is known.
    Done,
}

/// What was turned up, and what may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reveals {
    pub(super) turn: Turn,
    /// What may be under each side's face-down pieces.
    pub(super) pools: Pools,
}

/// The record of a position's reveals.
#[derive(Clone, Debug, Default)]
pub struct RevealLog {
    /// The states before each reveal.
    pub(super) veiled: Vec<CoupState>,
    /// Face-down pieces taken and known, by the side that lost them.
    pub(super) lost: Pools,
}

impl XiangqiVariant for CoupRules {
    type Cover = FaceDown;
    type More = Reveals;
    type Record = RevealLog;

    const EXCHANGE: [Score; 7] = VALUE;
    /// About the average of a full pool.
    const EXCHANGE_COVERED: Score = 340;

    #[inline]
    fn point_key(piece: u8, point: u8) -> u64 {
        keys::of(piece, point)
    }

    #[inline]
    fn side_key() -> u64 {
        keys::side()
    }

    fn more_key(more: &Reveals) -> u64 {
        keys::pools(&more.pools)
    }

    #[inline]
    fn count_move(next: &mut CoupState, moved: u8, us: Side) {
        next.more.turn = if FaceDown::is_covered(moved) {
            Turn::Pending
        } else {
            Turn::No
        };
        next.quiet = if next.taken == EMPTY {
            next.quiet.saturating_add(1)
        } else {
            0
        };
        count_check(next, next.checks, us);
    }

    fn count_pass(next: &mut CoupState, us: Side) {
        next.more.turn = Turn::No;
        next.checks[us.index()] = 0;
    }

    #[inline]
    fn turned(more: &Reveals) -> bool {
        more.turn != Turn::No
    }

    #[inline]
    fn pending(more: &Reveals) -> bool {
        more.turn == Turn::Pending
    }

    #[inline]
    fn forget(record: &mut RevealLog, more: &Reveals) {
        if more.turn == Turn::Done {
            record.veiled.pop();
        }
    }
}

/// Counts the checks in a row by the side that has just moved, which were `before` it did.
#[inline]
pub(super) fn count_check(next: &mut CoupState, before: [u16; 2], us: Side) {
    next.checks = before;
    next.checks[us.index()] = if next.checkers.any() {
        before[us.index()].saturating_add(1)
    } else {
        0
    };
}

impl Coup {
    /// What may be under a side's face-down pieces, as far as this position's owner knows: at least as many as lie
    /// there, more where the opponent took some unseen.
    #[inline]
    pub const fn pool(&self, side: Side) -> &[u8; 7] {
        &self.now.more.pools[side.index()]
    }

    /// Whether a side has anything that can cross the board quickly, face-down pieces included.
    pub(super) fn has_officers(&self, side: Side) -> bool {
        let b = &self.board;
        let slow = b.kind(Kind::Soldier) | b.kind(Kind::General);
        b.of(side).without(slow.without(b.covered())).any()
    }

    /// Whether a legal move turns a piece up.
    #[inline]
    pub fn turns_up(&self, m: XMove) -> bool {
        let piece = self.board.at(m.from());
        FaceDown::is_covered(piece) && piece != EMPTY
    }
}
