//! Revealed pieces: what a moving face-down piece may turn out to be, and turning it up.

use super::keys;
use super::position::{Coup, CoupState, Turn, count_check};
use super::types::COVERED;
use crate::game::{Dirty, OFF, Outcome, Outcomes, Side};
use crate::games::xiangqi_board::types::{Kind, kind_of};

impl Coup {
    /// The kinds left in the pool of the side that moved, each with how many are left.
    pub(super) fn outcomes(&self, out: &mut Outcomes) {
        *out = Outcomes::default();
        if self.now.more.turn != Turn::Pending {
            return;
        }
        let us = self.board.side.other();
        let kinds = self.now.more.pools[us.index()]
            .iter()
            .enumerate()
            .filter(|(_, n)| **n > 0);
        for (slot, (kind, &n)) in out.iter_mut().zip(kinds) {
            *slot = Outcome {
                piece: us as u8 * 7 + kind as u8,
                weight: u16::from(n),
            };
        }
    }

    /// Turns the piece that moved face up as an outcome says, and takes it out of its side's pool.
    pub(super) fn reveal(&mut self, o: Outcome) -> Dirty {
        let mut dirty = Dirty::default();
        if self.now.more.turn != Turn::Pending {
            return dirty;
        }
        self.record.veiled.push(self.now);
        if o.piece >= COVERED {
            self.now.more.turn = Turn::Done;
            return dirty;
        }
        let to = self.now.last.to();
        let us = self.board.side.other();
        let blank = self.board.lift(to);
        self.board.put(o.piece, to);
        dirty.push(blank, to, OFF);
        dirty.push(o.piece, OFF, to);
        let left = self.now.more.pools[us.index()][usize::from(o.piece % 7)].saturating_sub(1);
        dirty.push(o.piece, super::features::unseen(left), OFF);
        let (old, new) = (keys::of(blank, to), keys::of(o.piece, to));
        let checkers = self.board.checkers_of(us.other());
        let before = self.past.last().map_or([0; 2], |s| s.checks);
        let now = &mut self.now;
        now.key ^= old ^ new;
        now.parts[Self::part(blank)] ^= old;
        now.parts[Self::part(o.piece)] ^= new;
        Self::draw_from(now, us, kind_of(o.piece));
        now.more.turn = Turn::Done;
        now.checkers = checkers;
        count_check(now, before, us);
        dirty
    }

    /// Takes one of a kind out of a side's pool.
    fn draw_from(now: &mut CoupState, side: Side, kind: Kind) {
        let (s, k) = (side.index(), kind as usize);
        let n = now.more.pools[s][k];
        let less = n.saturating_sub(1);
        now.key ^= keys::pool(s, k, n) ^ keys::pool(s, k, less);
        now.more.pools[s][k] = less;
    }

    /// Takes the last reveal back: the piece lies face down again.
    pub(super) fn cover(&mut self) {
        if self.now.more.turn != Turn::Done {
            return;
        }
        let Some(before) = self.record.veiled.pop() else { return };
        let to = self.now.last.to();
        self.board.lift(to);
        self.board.put_blank(self.board.side.other(), to);
        self.now = before;
    }

    /// Notes what a captured face-down piece was. Part of the game's record: taking the move back forgets it, but for
    /// [`RevealLog::lost`](super::position::Record::lost).
    pub(super) fn note_captured(&mut self, side: Side, kind: Kind) {
        Self::draw_from(&mut self.now, side, kind);
        let lost = &mut self.record.lost[side.index()][kind as usize];
        *lost = lost.saturating_add(1);
    }
}
