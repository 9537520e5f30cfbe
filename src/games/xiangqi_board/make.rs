//! Playing and taking back moves.

use super::cover::Cover;
use super::position::{State, XiangqiPosition, XiangqiVariant};
use super::types::{BLANK, Kind, XMove, kind_of, rank};
use crate::bits::Bb128;
use crate::game::{Dirty, OFF};

impl<V: XiangqiVariant> XiangqiPosition<V> {
    #[inline]
    pub(in crate::games) fn play(&mut self, m: XMove) -> Dirty {
        let (from, to) = (m.from(), m.to());
        let moved = self.board.at(from);
        let blank = self.board.is_blank(to);
        let taken = self.board.shift(from, to);
        let mut dirty = Dirty::default();
        dirty.push(moved, from, to);
        let mut next = self.now;
        let change = V::point_key(moved, from) ^ V::point_key(moved, to);
        next.key ^= change ^ V::side_key();
        next.parts[Self::part(moved)] ^= change;
        next.last = m;
        next.taken = if blank { taken + BLANK } else { taken };
        let us = V::Cover::side_of(moved);
        next.checkers = self.board.checkers_of(us.other());
        if taken == V::Cover::EMPTY {
            let ahead = V::Cover::is_covered(moved) || kind_of(moved) == Kind::Soldier && rank(from) != rank(to);
            next.free = if ahead { 0 } else { next.free.saturating_add(1) };
        } else {
            dirty.push(taken, to, OFF);
            next.key ^= V::point_key(taken, to);
            next.parts[Self::part(taken)] ^= V::point_key(taken, to);
            next.free = 0;
        }
        V::count_move(&mut next, moved, us);
        self.remember(next);
        dirty
    }

    /// The key after a legal move, but for what it turns up or takes face down.
    #[inline]
    pub(in crate::games) fn key_after(&self, m: XMove) -> u64 {
        let (from, to) = (m.from(), m.to());
        let (moved, taken) = (self.board.at(from), self.board.at(to));
        let mut key = self.now.key ^ V::side_key() ^ V::point_key(moved, from) ^ V::point_key(moved, to);
        if taken != V::Cover::EMPTY {
            key ^= V::point_key(taken, to);
        }
        key
    }

    #[inline]
    fn remember(&mut self, next: State<V::More>) {
        self.past.push(self.now);
        self.keys.push(self.now.key);
        self.now = next;
    }

    pub(in crate::games) fn pass(&mut self) {
        let mut next = self.now;
        next.key ^= V::side_key();
        next.last = XMove::new(0, 0);
        next.taken = V::Cover::EMPTY;
        next.checkers = Bb128::EMPTY;
        next.free = 0;
        V::count_pass(&mut next, self.board.side);
        self.board.side = self.board.side.other();
        self.remember(next);
    }

    #[inline]
    pub(in crate::games) fn undo(&mut self) {
        let Some(before) = self.past.pop() else { return };
        self.keys.pop();
        V::forget(&mut self.record, &self.now.more);
        let m = self.now.last;
        if m.from() == m.to() {
            self.board.side = self.board.side.other();
        } else {
            let turned = V::turned(&self.now.more);
            self.board.unshift(m.from(), m.to(), self.now.taken, turned);
        }
        self.now = before;
    }
}
