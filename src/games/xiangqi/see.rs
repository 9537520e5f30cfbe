//! Static exchange evaluation. Cannons make the usual list of attackers a lie, because every capture may take away a
//! screen or put one up, so the attackers are looked up anew after each.

use super::attacks::slide;
use super::position::Xiangqi;
use super::types::{EMPTY, EXCHANGE, Kind, XMove, kind_of};
use crate::bits::Bb128;
use crate::game::{Score, Side};

/// Least valuable first.
const ORDER: [Kind; 7] = [
    Kind::Soldier,
    Kind::Advisor,
    Kind::Elephant,
    Kind::Horse,
    Kind::Cannon,
    Kind::Chariot,
    Kind::General,
];

impl Xiangqi {
    /// The value of what a move takes.
    #[inline]
    pub(super) fn prize(&self, m: XMove) -> Score {
        match self.board.at(m.to()) {
            EMPTY => 0,
            taken => EXCHANGE[kind_of(taken) as usize],
        }
    }

    pub(super) fn exchange_ge(&self, m: XMove, floor: Score) -> bool {
        let b = &self.board;
        let (from, to) = (m.from(), m.to());
        let mut swap = self.prize(m) - floor;
        if swap < 0 {
            return false;
        }
        swap = EXCHANGE[kind_of(b.at(from)) as usize] - swap;
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
            if kind == Kind::General {
                // The general may take only what is not defended once it has left its point, the other general's view
                // along the file included.
                let left = occupied.without(taker);
                let facing = slide(to, left) & b.kind(Kind::General);
                let rest = (b.attackers(to, left) | facing).without(Bb128::of(to)) & b.of(side.other());
                return if rest.any() { !wins } else { wins };
            }
            swap = EXCHANGE[kind as usize] - swap;
            if swap < i32::from(wins) {
                return wins;
            }
            occupied = occupied.without(taker);
        }
    }

    /// The least valuable of a side's takers that does not expose its general. Pins are so common in xiangqi, by
    /// cannons above all, that exchanges without them are wrong too often.
    #[inline]
    fn least_taker(&self, side: Side, takers: Bb128, to: u8, occupied: Bb128) -> Option<(Kind, Bb128)> {
        let b = &self.board;
        if takers.is_empty() {
            return None;
        }
        for kind in ORDER {
            for point in takers & b.kind(kind) {
                let taker = Bb128::of(point);
                let left = occupied.without(taker);
                let exposed = kind != Kind::General
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
