//! Static exchange evaluation: face-down pieces take by their points and count as the average of what they may be.

use super::position::Coup;
use super::types::{COVERED, EMPTY, EXCHANGE, EXCHANGE_COVERED};
use crate::bits::Bb128;
use crate::game::{Score, Side};
use crate::games::xiangqi::XMove;
use crate::games::xiangqi::attacks::slide;
use crate::games::xiangqi::types::{Kind, kind_of};

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

const fn worth(piece: u8) -> Score {
    match piece {
        EMPTY => 0,
        COVERED.. => EXCHANGE_COVERED,
        open => EXCHANGE[kind_of(open) as usize],
    }
}

impl Coup {
    /// The value of what a move takes.
    #[inline]
    pub(super) fn prize(&self, m: XMove) -> Score {
        worth(self.board.at(m.to()))
    }

    pub(super) fn exchange_ge(&self, m: XMove, floor: Score) -> bool {
        let b = &self.board;
        let (from, to) = (m.from(), m.to());
        let mut swap = self.prize(m) - floor;
        if swap < 0 {
            return false;
        }
        swap = worth(b.at(from)) - swap;
        if swap <= 0 {
            return true;
        }
        let mut occupied = b.occupied().without(Bb128::of(from)) | Bb128::of(to);
        let mut side = b.side;
        let mut wins = true;
        loop {
            side = side.other();
            let all = b.attackers(to, occupied).without(Bb128::of(to));
            let Some((general, taker)) = self.least_taker(side, all & b.of(side), to, occupied) else {
                return wins;
            };
            wins = !wins;
            if general {
                // The general may take only what is not defended once it has left its point, the other general's view
                // along the file included.
                let left = occupied.without(taker);
                let facing = slide(to, left) & b.acting(Kind::General);
                let rest = (b.attackers(to, left) | facing).without(Bb128::of(to)) & b.of(side.other());
                return if rest.any() { !wins } else { wins };
            }
            swap = worth(b.at(taker.first())) - swap;
            if swap < i32::from(wins) {
                return wins;
            }
            occupied = occupied.without(taker);
        }
    }

    /// The least valuable of a side's takers that does not expose its general, and whether it is the general.
    #[inline]
    fn least_taker(&self, side: Side, takers: Bb128, to: u8, occupied: Bb128) -> Option<(bool, Bb128)> {
        let b = &self.board;
        if takers.is_empty() {
            return None;
        }
        for kind in ORDER {
            let set = match kind {
                Some(kind) => b.acting(kind).without(b.covered()),
                None => b.covered(),
            };
            for point in takers & set {
                let taker = Bb128::of(point);
                let left = occupied.without(taker);
                let general = kind == Some(Kind::General);
                let exposed = !general
                    && (b.checkers(b.general(side), left, side.other()) & left)
                        .without(Bb128::of(to))
                        .any();
                if !exposed {
                    return Some((general, taker));
                }
            }
        }
        None
    }
}
