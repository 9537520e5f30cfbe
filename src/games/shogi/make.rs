//! Playing and taking back moves.

use super::keys;
use super::position::{Shogi, ShogiState};
use super::types::{EMPTY, Kind, SMove, hand_place, kind_of, piece};
use crate::bits::Bb128;
use crate::game::{Dirty, Move, OFF, Side};

impl Shogi {
    pub(super) fn play(&mut self, m: SMove) -> Dirty {
        let to = m.to();
        let us = self.board.side;
        let mut dirty = Dirty::default();
        let mut next = self.now;
        let mut board_key = self.board_key ^ keys::side();
        let mut hands = 0;
        if let Some(kind) = m.dropped() {
            let held = self.board.hand(us).count(kind);
            let moved = piece(us, kind);
            dirty.push(moved, hand_place(us, kind, held - 1), to);
            hands = Self::hand_change(&mut next, us, kind, held, held - 1);
            Self::toggle(&mut board_key, &mut next, moved, to);
        } else {
            let moved = self.board.at(m.from());
            let taken = self.board.at(to);
            Self::toggle(&mut board_key, &mut next, moved, m.from());
            if m.is_promotion() {
                dirty.push(moved, m.from(), OFF);
                dirty.push(moved + 8, OFF, to);
                Self::toggle(&mut board_key, &mut next, moved + 8, to);
            } else {
                dirty.push(moved, m.from(), to);
                Self::toggle(&mut board_key, &mut next, moved, to);
            }
            if taken != EMPTY {
                let kind = kind_of(taken).origin();
                let held = self.board.hand(us).count(kind);
                dirty.push(taken, to, OFF);
                dirty.push(piece(us, kind), OFF, hand_place(us, kind, held));
                Self::toggle(&mut board_key, &mut next, taken, to);
                hands = Self::hand_change(&mut next, us, kind, held, held + 1);
            }
        }
        next.taken = self.board.make(m);
        next.last = m;
        next.key = self.now.key ^ self.board_key ^ board_key ^ hands;
        next.checkers = self.board.checkers_after(m);
        next.hand = self.board.hand(us.other());
        next.free = self.now.free + 1;
        let checks = &mut next.checks[us.index()];
        *checks = if next.checkers.any() { *checks + 1 } else { 0 };
        self.remember(next, board_key);
        dirty
    }

    /// The key after a legal move.
    #[inline]
    pub(super) fn key_after(&self, m: SMove) -> u64 {
        let (b, us, to) = (&self.board, self.board.side, m.to());
        let key = self.now.key ^ keys::side();
        if let Some(kind) = m.dropped() {
            let held = b.hand(us).count(kind);
            return key ^ keys::of(piece(us, kind), to) ^ keys::hand(us, kind, held) ^ keys::hand(us, kind, held - 1);
        }
        let (moved, taken) = (b.at(m.from()), b.at(to));
        let arrived = if m.is_promotion() { moved + 8 } else { moved };
        let key = key ^ keys::of(moved, m.from()) ^ keys::of(arrived, to);
        if taken == EMPTY {
            return key;
        }
        let kind = kind_of(taken).origin();
        let held = b.hand(us).count(kind);
        key ^ keys::of(taken, to) ^ keys::hand(us, kind, held) ^ keys::hand(us, kind, held + 1)
    }

    #[inline]
    fn toggle(board_key: &mut u64, next: &mut ShogiState, piece: u8, point: u8) {
        let number = keys::of(piece, point);
        *board_key ^= number;
        next.parts[Self::part(piece)] ^= number;
    }

    #[inline]
    fn hand_change(next: &mut ShogiState, us: Side, kind: Kind, before: u32, after: u32) -> u64 {
        let change = keys::hand(us, kind, before) ^ keys::hand(us, kind, after);
        next.parts[2 + us.index()] ^= change;
        change
    }

    #[inline]
    fn remember(&mut self, next: ShogiState, board_key: u64) {
        self.past.push(self.now);
        self.keys.push(self.board_key);
        self.now = next;
        self.board_key = board_key;
    }

    pub(super) fn pass(&mut self) {
        let mut next = self.now;
        let board_key = self.board_key ^ keys::side();
        next.key ^= keys::side();
        next.last = SMove::NONE;
        next.taken = EMPTY;
        next.checkers = Bb128::EMPTY;
        next.free = 0;
        next.checks = [0; 2];
        self.board.side = self.board.side.other();
        next.hand = self.board.hand(self.board.side);
        self.remember(next, board_key);
    }

    pub(super) fn undo(&mut self) {
        let (Some(before), Some(board_key)) = (self.past.pop(), self.keys.pop()) else {
            return;
        };
        let m = self.now.last;
        if m == SMove::NONE {
            self.board.side = self.board.side.other();
        } else {
            self.board.unmake(m, self.now.taken);
        }
        self.now = before;
        self.board_key = board_key;
    }
}
