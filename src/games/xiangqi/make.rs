//! Playing and taking back moves.

use super::position::{State, Xiangqi};
use super::types::{EMPTY, Kind, XMove, kind_of, rank};
use super::{keys, types::side_of};
use crate::bits::Bb128;
use crate::game::{Dirty, OFF, Side};

/// Checks by one side after which its further ones do not count for the natural limit.
const COUNTED_CHECKS: u16 = 10;

impl Xiangqi {
    pub(super) fn do_play(&mut self, m: XMove) -> Dirty {
        let (from, to) = (m.from(), m.to());
        let moved = self.board.at(from);
        let taken = self.board.shift(from, to);
        let mut dirty = Dirty::default();
        dirty.push(moved, from, to);
        let mut next = self.now;
        let change = keys::of(moved, from) ^ keys::of(moved, to);
        next.key ^= change ^ keys::side();
        next.parts[Self::part(moved)] ^= change;
        next.last = m;
        next.taken = taken;
        let us = side_of(moved);
        let them = us.other();
        next.checkers = self.board.checkers(self.board.general(them), self.board.occupied(), us);
        if taken == EMPTY {
            let ahead = kind_of(moved) == Kind::Soldier && rank(from) != rank(to);
            next.free = if ahead { 0 } else { next.free.saturating_add(1) };
            Self::count_quiet(&mut next, us);
        } else {
            dirty.push(taken, to, OFF);
            next.key ^= keys::of(taken, to);
            next.parts[Self::part(taken)] ^= keys::of(taken, to);
            (next.quiet, next.free, next.spared) = (0, 0, false);
            next.checks = [0; 2];
            if next.checkers.any() {
                next.checks[us.index()] = 1;
            }
        }
        self.remember(next);
        dirty
    }

    /// A half-move without a capture counts for the natural limit unless it is a check beyond the tenth or answers one.
    fn count_quiet(next: &mut State, us: Side) {
        let answers = next.spared;
        next.spared = false;
        if next.checkers.any() {
            next.checks[us.index()] = next.checks[us.index()].saturating_add(1);
            next.spared = next.checks[us.index()] > COUNTED_CHECKS;
        }
        if !answers && !next.spared {
            next.quiet = next.quiet.saturating_add(1);
        }
    }

    #[inline]
    fn remember(&mut self, next: State) {
        self.past.push(self.now);
        self.keys.push(self.now.key);
        self.now = next;
    }

    pub(super) fn do_pass(&mut self) {
        let mut next = self.now;
        next.key ^= keys::side();
        next.last = XMove::new(0, 0);
        next.taken = EMPTY;
        next.checkers = Bb128::EMPTY;
        next.free = 0;
        next.spared = false;
        self.board.side = self.board.side.other();
        self.remember(next);
    }

    pub(super) fn do_undo(&mut self) {
        let Some(before) = self.past.pop() else { return };
        self.keys.pop();
        let m = self.now.last;
        if m.from() == m.to() {
            self.board.side = self.board.side.other();
        } else {
            self.board.unshift(m.from(), m.to(), self.now.taken);
        }
        self.now = before;
    }
}
