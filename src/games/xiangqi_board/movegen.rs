//! Legal moves. Only moves that can expose the general are tried out. What a face-down piece turns out to be does not
//! matter for its first move's legality.

use super::attacks::{
    advisor, between, cross, elephant, free_elephant, general, hop, horse, horse_to, leg, slide, soldier, view,
};
use super::cover::Cover;
use super::position::{XiangqiPosition, XiangqiVariant};
use super::types::{BOARD, Kind, POINTS, XMove};
use crate::bits::Bb128;
use crate::game::{self, Moves};

/// What endangers the general of the side to move when it is not in check.
struct Dangers {
    /// Own pieces that may not leave at will: sole screen before a chariot or the other general, one of two before a
    /// cannon, a horse's leg, an elephant's eye where elephants may cross the river.
    tied: Bb128,
    /// Empty points before a bare cannon, where a piece would become its screen.
    hollow: Bb128,
}

impl<V: XiangqiVariant> XiangqiPosition<V> {
    fn dangers(&self) -> Dangers {
        let b = &self.board;
        let (us, them) = (b.side, b.side.other());
        let (home, occupied) = (b.general(us), b.occupied());
        let (mut tied, mut hollow) = (Bb128::EMPTY, Bb128::EMPTY);
        let lines = cross(home) & b.of(them) & (b.kind(Kind::Chariot) | b.kind(Kind::Cannon) | b.kind(Kind::General));
        lines.for_each(|from| {
            let way = between(home, from);
            match ((way & occupied).len(), b.kind(Kind::Cannon).has(from)) {
                (0, true) => hollow |= way,
                (1, false) | (2, true) => tied |= way,
                _ => (),
            }
        });
        let horses = horse_to(home, Bb128::EMPTY) & b.of(them) & b.kind(Kind::Horse);
        horses.for_each(|from| tied |= Bb128::of(leg(from, home)));
        if V::Cover::HIDES {
            let elephants = free_elephant(home, Bb128::EMPTY) & b.of(them) & b.kind(Kind::Elephant);
            elephants.for_each(|from| tied |= Bb128::of(eye(from, home)));
        }
        Dangers {
            tied: tied & b.of(us),
            hollow,
        }
    }

    /// Calls `f` with each piece and the points in `mask` that it may legally go to. Nothing while it is not known what
    /// the last move turned up.
    #[inline]
    fn walk(&self, mask: Bb128, mut f: impl FnMut(u8, Bb128)) {
        if V::pending(&self.now.more) {
            return;
        }
        let b = &self.board;
        let us = b.side;
        let home = b.general(us);
        f(home, self.safe(home, general(home) & mask));
        if self.now.checkers.any() {
            self.walk_evasions(mask, f);
            return;
        }
        let occupied = b.occupied();
        let d = self.dangers();
        let free = b.of(us).without(d.tied);
        let open = mask.without(d.hollow);
        if V::Cover::HIDES {
            let free = free.without(Bb128::of(home));
            free.for_each(|p| f(p, b.reach(p, occupied) & open));
        } else {
            // Kind by kind saves a jump for every piece.
            let theirs = b.of(us.other());
            (free & b.kind(Kind::Chariot)).for_each(|p| f(p, slide(p, occupied) & open));
            (free & b.kind(Kind::Cannon)).for_each(|p| {
                f(
                    p,
                    (slide(p, occupied).without(occupied) | hop(p, occupied) & theirs) & open,
                );
            });
            (free & b.kind(Kind::Horse)).for_each(|p| f(p, horse(p, occupied) & open));
            (free & b.kind(Kind::Soldier)).for_each(|p| f(p, soldier(us, p) & open));
            (free & b.kind(Kind::Advisor)).for_each(|p| f(p, advisor(p) & open));
            (free & b.kind(Kind::Elephant)).for_each(|p| f(p, elephant(p, occupied) & open));
        }
        d.tied.for_each(|p| f(p, self.safe(p, b.reach(p, occupied) & open)));
    }

    /// In check: only points that stop the first checker are tried, and all moves of a cannon's screen.
    #[inline(never)]
    fn walk_evasions(&self, mask: Bb128, mut f: impl FnMut(u8, Bb128)) {
        let b = &self.board;
        let (us, occupied) = (b.side, b.occupied());
        let home = b.general(us);
        let checker = self.now.checkers.first();
        let way = between(home, checker);
        let mut stops = Bb128::of(checker);
        let mut screen = Bb128::EMPTY;
        match b.acts_as(checker) {
            Some(Kind::Cannon) => {
                stops |= way;
                screen = way & occupied;
            }
            Some(Kind::Horse) => stops |= Bb128::of(leg(checker, home)),
            Some(Kind::Elephant) => stops |= Bb128::of(eye(checker, home)),
            _ => stops |= way,
        }
        b.of(us).without(Bb128::of(home)).for_each(|p| {
            let mut to = b.reach(p, occupied) & mask;
            if !screen.has(p) {
                to &= stops;
            }
            if to.any() {
                f(p, self.safe(p, to));
            }
        });
    }

    /// Those of the targets that do not expose the general.
    #[inline]
    fn safe(&self, from: u8, targets: Bb128) -> Bb128 {
        let mut out = targets;
        targets.for_each(|to| {
            if self.board.exposes(from, to) {
                out ^= Bb128::of(to);
            }
        });
        out
    }

    #[inline]
    pub(in crate::games) fn generate(&self, kind: game::Kind, out: &mut Moves<XMove>) {
        let b = &self.board;
        let mask = match kind {
            game::Kind::Tactical => b.of(b.side.other()),
            game::Kind::Quiet => BOARD.without(b.occupied()),
            game::Kind::All => BOARD.without(b.of(b.side)),
        };
        self.walk(mask, |from, targets| {
            targets.for_each(|to| out.push(XMove::new(from, to)))
        });
    }

    pub(in crate::games) fn count_legal(&self) -> u64 {
        let mut n = 0;
        self.walk(BOARD.without(self.board.of(self.board.side)), |_, targets| {
            n += u64::from(targets.len())
        });
        n
    }

    /// Whether there is any legal move.
    pub(in crate::games) fn can_move(&self) -> bool {
        self.count_legal() != 0
    }

    pub(in crate::games) fn is_legal(&self, m: XMove) -> bool {
        let (from, to) = (m.from(), m.to());
        if from as usize >= POINTS || to as usize >= POINTS || !m.is_clean() || V::pending(&self.now.more) {
            return false;
        }
        let b = &self.board;
        b.of(b.side).has(from) && !b.of(b.side).has(to) && b.reach(from, b.occupied()).has(to) && !b.exposes(from, to)
    }

    /// Whether a legal move checks for sure: a face-down piece only by what it leaves open.
    pub(in crate::games) fn gives_check(&self, m: XMove) -> bool {
        let us = self.board.side;
        let seen = view(self.board.general(us.other()));
        if !seen.has(m.from()) && !seen.has(m.to()) {
            return false;
        }
        // Playing on a copy costs less than a second attack function that takes a moved piece into account.
        let mut after = self.board;
        after.shift(m.from(), m.to());
        after.checkers_of(us.other()).any()
    }
}

/// The point between an elephant and its target.
const fn eye(from: u8, to: u8) -> u8 {
    (from + to) / 2
}
