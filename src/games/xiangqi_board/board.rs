//! Pieces on points.

use super::attacks::{
    advisor, elephant, free_advisor, free_elephant, general, hop, horse, horse_to, slide, slide_and_hop, soldier,
    soldier_to,
};
use super::cover::Cover;
use super::types::{BLANK, Kind, POINTS, covered, kind_of, start_kind};
use crate::bits::Bb128;
use crate::game::Side;

/// Pieces on points, as mailbox and as sets, and the side to move. Small enough to copy, which the code for
/// repetition do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SharedBoard<C: Cover> {
    points: [u8; POINTS],
    /// Pieces by what they move as: face-down ones by their points.
    kinds: [Bb128; 7],
    sides: [Bb128; 2],
    cover: C,
    generals: [u8; 2],
    /// Who is to move.
    pub(in crate::games) side: Side,
}

impl<C: Cover> SharedBoard<C> {
    /// No pieces, red to move.
    pub fn empty() -> Self {
        Self {
            points: [C::EMPTY; POINTS],
            kinds: [Bb128::EMPTY; 7],
            sides: [Bb128::EMPTY; 2],
            cover: C::default(),
            generals: [0; 2],
            side: Side::First,
        }
    }

    /// What lies on a point, or [`Cover::EMPTY`].
    #[inline]
    pub const fn at(&self, point: u8) -> u8 {
        self.points[point as usize]
    }

    /// All occupied points.
    #[inline]
    pub fn occupied(&self) -> Bb128 {
        self.sides[0] | self.sides[1]
    }

    /// A side's pieces.
    #[inline]
    pub const fn of(&self, side: Side) -> Bb128 {
        self.sides[side.index()]
    }

    /// The pieces of both sides that move as a kind.
    #[inline]
    pub const fn kind(&self, kind: Kind) -> Bb128 {
        self.kinds[kind as usize]
    }

    /// The pieces face down.
    #[inline]
    pub fn covered(&self) -> Bb128 {
        self.cover.points()
    }

    /// A side's pieces of a kind, face up.
    #[inline]
    pub fn pieces(&self, side: Side, kind: Kind) -> Bb128 {
        self.of(side) & self.kind(kind).without(self.covered())
    }

    /// Where a side's general stands.
    #[inline]
    pub const fn general(&self, side: Side) -> u8 {
        self.generals[side.index()]
    }

    /// What the piece on an occupied point moves as; `None` for a piece that is just being turned up.
    #[inline]
    pub fn acts_as(&self, point: u8) -> Option<Kind> {
        let piece = self.at(point);
        if !C::is_covered(piece) {
            Some(kind_of(piece))
        } else if self.covered().has(point) {
            start_kind(C::side_of(piece), point)
        } else {
            None
        }
    }

    /// Whether a face-down piece stands on the point that has left its starting point and not been turned up.
    #[inline]
    pub(in crate::games) fn is_blank(&self, point: u8) -> bool {
        let piece = self.at(point);
        C::is_covered(piece) && piece != C::EMPTY && !self.covered().has(point)
    }

    /// Puts a piece on an empty point. A face-down piece lies on one of its own starting points.
    #[inline]
    pub(in crate::games) fn put(&mut self, piece: u8, point: u8) {
        let b = Bb128::of(point);
        let side = C::side_of(piece);
        self.points[point as usize] = piece;
        self.sides[side.index()] |= b;
        if C::is_covered(piece) {
            self.cover.insert(b);
            if let Some(kind) = start_kind(side, point) {
                self.kinds[kind as usize] |= b;
            }
            return;
        }
        self.kinds[kind_of(piece) as usize] |= b;
        if kind_of(piece) == Kind::General {
            self.generals[side.index()] = point;
        }
    }

    /// Puts a piece that is just being turned up on an empty point: so far it only stands in the way.
    #[inline]
    pub(in crate::games) fn put_blank(&mut self, side: Side, point: u8) {
        self.points[point as usize] = covered(side);
        self.sides[side.index()] |= Bb128::of(point);
    }

    /// Takes the piece off an occupied point.
    #[inline]
    pub(in crate::games) fn lift(&mut self, point: u8) -> u8 {
        let piece = self.at(point);
        let b = Bb128::of(point);
        if let Some(kind) = self.acts_as(point) {
            self.kinds[kind as usize] ^= b;
        }
        self.points[point as usize] = C::EMPTY;
        self.cover.remove(b);
        self.sides[C::side_of(piece).index()] ^= b;
        piece
    }

    /// Moves a piece and passes the turn; returns the piece taken, or [`Cover::EMPTY`]. A face-down piece is
    /// blank from now on.
    #[inline]
    pub(in crate::games) fn shift(&mut self, from: u8, to: u8) -> u8 {
        let taken = self.at(to);
        if taken != C::EMPTY {
            self.lift(to);
        }
        let moved = self.lift(from);
        if C::is_covered(moved) {
            self.put_blank(C::side_of(moved), to);
        } else {
            self.put(moved, to);
        }
        self.side = self.side.other();
        taken
    }

    /// Takes back a [`SharedBoard::shift`] and what it turned up. `taken` has [`BLANK`] added where it stood blank.
    #[inline]
    pub(in crate::games) fn unshift(&mut self, from: u8, to: u8, taken: u8, turned: bool) {
        let moved = self.lift(to);
        self.put(
            if C::HIDES && turned {
                covered(C::side_of(moved))
            } else {
                moved
            },
            from,
        );
        if C::HIDES && taken > C::EMPTY {
            self.put_blank(C::side_of(taken - BLANK), to);
        } else if taken != C::EMPTY {
            self.put(taken, to);
        }
        self.side = self.side.other();
    }

    /// The advisors that could step to or from the point: face-down ones inside the palace, face-up ones anywhere if
    /// some may lie face down.
    #[inline]
    fn advisors(&self, point: u8) -> Bb128 {
        let all = self.kind(Kind::Advisor);
        if C::HIDES {
            free_advisor(point) & all.without(self.covered()) | advisor(point) & all & self.covered()
        } else {
            advisor(point) & all
        }
    }

    /// The elephants that could step to or from the point: across the river only if some may lie face down.
    #[inline]
    fn elephants(&self, point: u8, occupied: Bb128) -> Bb128 {
        let steps = if C::HIDES { free_elephant } else { elephant };
        steps(point, occupied) & self.kind(Kind::Elephant)
    }

    /// The pieces of `by` that would take a general of the other side on `point`; facing generals count.
    #[inline]
    pub fn checkers(&self, point: u8, occupied: Bb128, by: Side) -> Bb128 {
        let (near, far) = slide_and_hop(point, occupied);
        let lines = near & (self.kind(Kind::Chariot) | self.kind(Kind::General)) | far & self.kind(Kind::Cannon);
        let horses = horse_to(point, occupied) & self.kind(Kind::Horse);
        let mut all = lines | horses | soldier_to(by, point) & self.kind(Kind::Soldier);
        // Advisors and elephants that are bound to their own half never reach the other palace.
        if C::HIDES {
            all |= self.advisors(point) | self.elephants(point, occupied);
        }
        all & self.of(by)
    }

    /// The pieces that check a side's general.
    #[inline]
    pub(in crate::games) fn checkers_of(&self, side: Side) -> Bb128 {
        self.checkers(self.general(side), self.occupied(), side.other())
    }

    /// The pieces of both sides that would take a piece on `point`, standing among `occupied`.
    #[inline]
    pub fn attackers(&self, point: u8, occupied: Bb128) -> Bb128 {
        let (near, far) = slide_and_hop(point, occupied);
        let soldiers = soldier_to(Side::First, point) & self.of(Side::First)
            | soldier_to(Side::Second, point) & self.of(Side::Second);
        (near & self.kind(Kind::Chariot)
            | far & self.kind(Kind::Cannon)
            | horse_to(point, occupied) & self.kind(Kind::Horse)
            | soldiers & self.kind(Kind::Soldier)
            | self.elephants(point, occupied)
            | self.advisors(point)
            | general(point) & self.kind(Kind::General))
            & occupied
    }

    /// Where the piece on `from` could go, its own side's pieces and its general's safety aside.
    #[inline]
    pub fn reach(&self, from: u8, occupied: Bb128) -> Bb128 {
        match self.acts_as(from) {
            None => Bb128::EMPTY,
            Some(Kind::General) => general(from),
            Some(Kind::Advisor) if C::HIDES && !self.covered().has(from) => free_advisor(from),
            Some(Kind::Advisor) => advisor(from),
            Some(Kind::Elephant) if C::HIDES => free_elephant(from, occupied),
            Some(Kind::Elephant) => elephant(from, occupied),
            Some(Kind::Horse) => horse(from, occupied),
            Some(Kind::Chariot) => slide(from, occupied),
            Some(Kind::Cannon) => slide(from, occupied).without(occupied) | hop(from, occupied) & occupied,
            Some(Kind::Soldier) => soldier(C::side_of(self.at(from)), from),
        }
    }

    /// The points on which the side not to move could take a piece.
    pub fn threats(&self) -> Bb128 {
        let (them, occupied) = (self.side.other(), self.occupied());
        let own = |kind: Kind| self.kind(kind) & self.of(them);
        let steps = if C::HIDES { free_elephant } else { elephant };
        let mut all = Bb128::EMPTY;
        own(Kind::Chariot).for_each(|p| all |= slide(p, occupied));
        own(Kind::Cannon).for_each(|p| all |= hop(p, occupied));
        own(Kind::Horse).for_each(|p| all |= horse(p, occupied));
        own(Kind::Soldier).for_each(|p| all |= soldier(them, p));
        own(Kind::Elephant).for_each(|p| all |= steps(p, occupied));
        let advisors = own(Kind::Advisor);
        // Face up in cờ úp they are not bound to the palace.
        let free = if C::HIDES {
            advisors.without(self.covered())
        } else {
            Bb128::EMPTY
        };
        free.for_each(|p| all |= free_advisor(p));
        advisors.without(free).for_each(|p| all |= advisor(p));
        own(Kind::General).for_each(|p| all |= general(p));
        all
    }

    /// Whether the piece on `from`, going to `to`, leaves its general capturable.
    #[inline]
    pub fn exposes(&self, from: u8, to: u8) -> bool {
        self.exposed_by(from, to).any()
    }

    /// The pieces that could take the general of the piece on `from` once it has gone to `to`.
    #[inline]
    pub fn exposed_by(&self, from: u8, to: u8) -> Bb128 {
        let us = C::side_of(self.at(from));
        let (start, end) = (Bb128::of(from), Bb128::of(to));
        let occupied = self.occupied().without(start) | end;
        let home = self.general(us);
        let home = if from == home { to } else { home };
        self.checkers(home, occupied, us.other()).without(end)
    }

    /// Whether the side's general could be taken now.
    pub fn exposed(&self, side: Side) -> bool {
        self.checkers_of(side).any()
    }
}
