//! Playing and taking back moves, and what they turn up.

use super::keys;
use super::position::{Coup, State, Turn};
use super::types::{BLANK, COVERED, EMPTY, side_of};
use crate::bits::Bb128;
use crate::game::{Dirty, OFF, Outcome, Outcomes, Side};
use crate::games::xiangqi::XMove;
use crate::games::xiangqi::types::{Kind, kind_of, piece, rank};

impl Coup {
    pub(super) fn do_play(&mut self, m: XMove) -> Dirty {
        let (from, to) = (m.from(), m.to());
        let moved = self.board.at(from);
        let blank = self.board.is_blank(to);
        let taken = self.board.shift(from, to);
        let mut dirty = Dirty::default();
        dirty.push(moved, from, to);
        let mut next = self.now;
        let change = keys::of(moved, from) ^ keys::of(moved, to);
        next.key ^= change ^ keys::side();
        next.parts[Self::part(moved)] ^= change;
        next.last = m;
        next.taken = if blank { taken + BLANK } else { taken };
        next.turn = if moved >= COVERED { Turn::Pending } else { Turn::No };
        let us = side_of(moved);
        next.checkers = self.aimed_at(us.other());
        if taken == EMPTY {
            let ahead = moved >= COVERED || kind_of(moved) == Kind::Soldier && rank(from) != rank(to);
            next.free = if ahead { 0 } else { next.free.saturating_add(1) };
            next.quiet = next.quiet.saturating_add(1);
        } else {
            dirty.push(taken, to, OFF);
            next.key ^= keys::of(taken, to);
            next.parts[Self::part(taken)] ^= keys::of(taken, to);
            (next.quiet, next.free) = (0, 0);
        }
        Self::count_check(&mut next, self.now.checks, us);
        self.remember(next);
        dirty
    }

    /// The pieces that check a side.
    fn aimed_at(&self, side: Side) -> Bb128 {
        let b = &self.board;
        b.checkers(b.general(side), b.occupied(), side.other())
    }

    fn count_check(next: &mut State, before: [u16; 2], us: Side) {
        next.checks = before;
        next.checks[us.index()] = if next.checkers.any() {
            before[us.index()].saturating_add(1)
        } else {
            0
        };
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
        next.turn = Turn::No;
        next.checkers = Bb128::EMPTY;
        next.free = 0;
        next.checks[self.board.side.index()] = 0;
        self.board.side = self.board.side.other();
        self.remember(next);
    }

    pub(super) fn do_undo(&mut self) {
        let Some(before) = self.past.pop() else { return };
        self.keys.pop();
        if self.now.turn == Turn::Done {
            self.veiled.pop();
        }
        let m = self.now.last;
        if m.from() == m.to() {
            self.board.side = self.board.side.other();
        } else {
            self.board
                .unshift(m.from(), m.to(), self.now.taken, self.now.turn != Turn::No);
        }
        self.now = before;
    }

    pub(super) fn list_outcomes(&self, out: &mut Outcomes) {
        *out = Outcomes::default();
        if self.now.turn != Turn::Pending {
            return;
        }
        let us = self.board.side.other();
        let kinds = self.now.pools[us.index()].iter().enumerate().filter(|(_, n)| **n > 0);
        for (slot, (kind, &n)) in out.iter_mut().zip(kinds) {
            *slot = Outcome {
                piece: us as u8 * 7 + kind as u8,
                weight: u16::from(n),
            };
        }
    }

    pub(super) fn do_reveal(&mut self, o: Outcome) -> Dirty {
        let mut dirty = Dirty::default();
        if self.now.turn != Turn::Pending {
            return dirty;
        }
        self.veiled.push(self.now);
        if o.piece >= COVERED {
            self.now.turn = Turn::Done;
            return dirty;
        }
        let to = self.now.last.to();
        let us = self.board.side.other();
        let blank = self.board.lift(to);
        self.board.put(o.piece, to);
        dirty.push(blank, to, OFF);
        dirty.push(o.piece, OFF, to);
        let left = self.now.pools[us.index()][usize::from(o.piece % 7)].saturating_sub(1);
        dirty.push(o.piece, super::features::unseen(left), OFF);
        let (old, new) = (keys::of(blank, to), keys::of(o.piece, to));
        let checkers = self.aimed_at(us.other());
        let before = self.past.last().map_or([0; 2], |s| s.checks);
        let now = &mut self.now;
        now.key ^= old ^ new;
        now.parts[Self::part(blank)] ^= old;
        now.parts[Self::part(o.piece)] ^= new;
        Self::draw_from(now, us, kind_of(o.piece));
        now.turn = Turn::Done;
        now.checkers = checkers;
        Self::count_check(now, before, us);
        dirty
    }

    /// Takes one of a kind out of a side's pool.
    fn draw_from(now: &mut State, side: Side, kind: Kind) {
        let (s, k) = (side.index(), kind as usize);
        let n = now.pools[s][k];
        let less = n.saturating_sub(1);
        now.key ^= keys::pool(s, k, n) ^ keys::pool(s, k, less);
        now.pools[s][k] = less;
    }

    pub(super) fn do_cover(&mut self) {
        if self.now.turn != Turn::Done {
            return;
        }
        let Some(before) = self.veiled.pop() else { return };
        let to = self.now.last.to();
        self.board.lift(to);
        self.board.put_blank(self.board.side.other(), to);
        self.now = before;
    }

    /// Notes what a captured face-down piece was. Part of the game's record: taking the move back forgets it, but for
    /// [`Coup::lost`].
    pub(super) fn note_captured(&mut self, side: Side, kind: Kind) {
        Self::draw_from(&mut self.now, side, kind);
        let lost = &mut self.lost[side.index()][kind as usize];
        *lost = lost.saturating_add(1);
    }

    /// A face-up piece as its number.
    pub(super) const fn open(side: Side, kind: Kind) -> u8 {
        piece(side, kind)
    }
}
