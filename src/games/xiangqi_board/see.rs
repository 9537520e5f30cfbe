//! Static exchange evaluation. Every capture may take away a cannon's screen or put one up, so the attackers are looked
//! up anew after each. Face-down pieces take by their points and count as the average of what they may be.

use super::attacks::slide;
use super::cover::Cover;
use super::position::{XiangqiPosition, XiangqiVariant};
use super::types::{Kind, XMove, kind_of};
use crate::bits::Bb128;
use crate::game::{Score, Side};

/// Least valuable first; face-down pieces stand where `None` is.
const ORDER: [Option<Kind>; 8] = [
    Some(Kind::Soldier),
    Some(Kind::Advisor),
    Some(Kind::Elephant),
    None,
    Some(Kind::Horse),
    Some(Kind::Cannon),
    Some(Kind::Chariot),
    Some(Kind::General),
];

impl<V: XiangqiVariant> XiangqiPosition<V> {
    /// The exchange value of a kind; `None` is a face-down piece.
    #[inline]
    fn value_of(kind: Option<Kind>) -> Score {
        kind.map_or(V::EXCHANGE_COVERED, |k| V::EXCHANGE[k as usize])
    }

    /// The exchange value of a piece, which must not be [`Cover::EMPTY`].
    #[inline]
    fn value(piece: u8) -> Score {
        Self::value_of((!V::Cover::is_covered(piece)).then(|| kind_of(piece)))
    }

    #[inline]
    pub(in crate::games) fn gain(&self, m: XMove) -> Score {
        match self.board.at(m.to()) {
            taken if taken == V::Cover::EMPTY => 0,
            taken => Self::value(taken),
        }
    }

    pub(in crate::games) fn see_ge(&self, m: XMove, floor: Score) -> bool {
        let b = &self.board;
        let (from, to) = (m.from(), m.to());
        let mut swap = self.gain(m) - floor;
        if swap < 0 {
            return false;
        }
        swap = Self::value(b.at(from)) - swap;
        if swap <= 0 {
            return true;
        }
        let mut occupied = b.occupied().without(Bb128::of(from)) | Bb128::of(to);
        let mut side = b.side;
        let mut wins = true;
        loop {
            side = side.other();
            let all = b.attackers(to, occupied).without(Bb128::of(to));
            let Some((kind, taker)) = self.least_taker(side, all & b.of(side), to, occupied) else {
                return wins;
            };
            wins = !wins;
            if kind == Some(Kind::General) {
                // The general may take only what is not defended once it has left its point, the other general's view
                // along the file included.
                let left = occupied.without(taker);
                let facing = slide(to, left) & b.kind(Kind::General);
                let rest = (b.attackers(to, left) | facing).without(Bb128::of(to)) & b.of(side.other());
                return if rest.any() { !wins } else { wins };
            }
            swap = Self::value_of(kind) - swap;
            if swap < i32::from(wins) {
                return wins;
            }
            occupied = occupied.without(taker);
        }
    }

    /// The least valuable of a side's takers that does not expose its general, with its kind unless it is face down.
    /// Pins are so common in xiangqi, by cannons above all, that exchanges without them are wrong too often.
    #[inline]
    fn least_taker(&self, side: Side, takers: Bb128, to: u8, occupied: Bb128) -> Option<(Option<Kind>, Bb128)> {
        let b = &self.board;
        if takers.is_empty() {
            return None;
        }
        for kind in ORDER {
            let set = match kind {
                Some(kind) => b.kind(kind).without(b.covered()),
                None => b.covered(),
            };
            for point in takers & set {
                let taker = Bb128::of(point);
                let left = occupied.without(taker);
                let exposed = kind != Some(Kind::General)
                    && (b.checkers(b.general(side), left, side.other()) & left)
                        .without(Bb128::of(to))
                        .any();
                if !exposed {
                    return Some((kind, taker));
                }
            }
        }
        None
    }
}
