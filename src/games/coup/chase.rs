//! Chases: a move after which a piece could be taken that could not be taken before. Not by general or soldier, not of
//! general or uncrossed soldier, not of a protected piece unless by a lesser one, and not by a piece that is itself
//! offered. Face-down pieces count as what sets out from their points.

use super::position::{Board, Coup, Turn};
use super::types::{EMPTY, side_of};
use crate::bits::Bb128;
use crate::game::Side;
use crate::games::xiangqi_board::types::{Kind, home};

/// A board on the way back through the game, on which every piece knows where it stands now.
struct Walk {
    board: Board,
    stands: [u8; 90],
}

/// Who chases whom: the hunters of each prey, by the points where they stand.
type Chases = Vec<(u8, Bb128)>;

impl Walk {
    /// The chases of a side on this board. `able` leaves out those that would expose its own general.
    fn look(&self, by: Side, able: bool) -> Chases {
        let b = &self.board;
        let occupied = b.occupied();
        let uncrossed = b.kind(Kind::Soldier) & home(by.other());
        let prey = b.of(by.other()).without(uncrossed | Bb128::of(b.general(by.other())));
        let mut found = Chases::new();
        b.of(by)
            .without(b.kind(Kind::General) | b.kind(Kind::Soldier))
            .for_each(|from| {
                (b.reach(from, occupied) & prey).for_each(|to| {
                    if able && b.exposes(from, to) || !is_threat(b, from, to) {
                        return;
                    }
                    match found.iter_mut().find(|(p, _)| *p == to) {
                        Some((_, hunters)) => *hunters |= Bb128::of(from),
                        None => found.push((to, Bb128::of(from))),
                    }
                });
            });
        found
    }
}

impl Coup {
    /// The longest run of moves, of the side that made the move `skip` half-moves ago, each of which chased one and the
    /// same piece without checking, counted up to `most`; and the pieces that chased it.
    pub(super) fn chase_run(&self, skip: usize, most: usize) -> (usize, usize) {
        let mut walk = Walk {
            board: self.board,
            stands: std::array::from_fn(|p| p as u8),
        };
        let mut t = 0;
        while t < skip {
            if !self.step_back(&mut walk, t) {
                return (0, 0);
            }
            t += 1;
        }
        let by = walk.board.side.other();
        // The prey that has been chased in every move so far, with its hunters.
        let mut alive: Vec<(u8, u128)> = Vec::new();
        let mut best = (0, 0);
        for turn in 0..most {
            if t >= self.past.len() || self.ago(t).checkers.any() {
                break;
            }
            let (after, stands) = (walk.look(by, true), walk.stands);
            if after.is_empty() || !self.step_back(&mut walk, t) {
                break;
            }
            // Out of check or out of a pin, a piece attacks nothing that it did not attack before.
            let before = walk.look(by, false);
            // Standing places of now make pieces comparable across the moves.
            let stood = |prey: u8| before.iter().find(|(p, _)| walk.stands[*p as usize] == prey);
            let mut next = Vec::new();
            for (point, hunters) in after {
                let prey = stands[point as usize];
                let mut old = 0u128;
                if let Some((_, set)) = stood(prey) {
                    set.for_each(|p| old |= bit(walk.stands[p as usize]));
                }
                let mut new = 0u128;
                hunters.for_each(|p| new |= bit(stands[p as usize]));
                new &= !old;
                let former = alive.iter().find(|(p, _)| *p == prey).map(|(_, set)| *set);
                if new != 0 && (turn == 0 || former.is_some()) {
                    next.push((prey, former.unwrap_or(0) | new));
                }
            }
            if next.is_empty() {
                break;
            }
            alive = next;
            // Among several prey the least number of hunters has the least patience granted.
            let fewest = alive.iter().map(|(_, set)| set.count_ones() as usize).min();
            best = (turn + 1, fewest.unwrap_or(0));
            t += 1;
            if t >= self.past.len() || !self.step_back(&mut walk, t) {
                break;
            }
            t += 1;
        }
        best
    }

    /// Takes the walk back over the move that led to the state `t` half-moves ago.
    fn step_back(&self, walk: &mut Walk, t: usize) -> bool {
        if t >= self.past.len() {
            return false;
        }
        let s = self.ago(t);
        let m = s.last;
        if m.from() == m.to() {
            return false;
        }
        walk.board.unshift(m.from(), m.to(), s.taken, s.more.turn != Turn::No);
        walk.stands[m.from() as usize] = walk.stands[m.to() as usize];
        walk.stands[m.to() as usize] = if s.taken == EMPTY { u8::MAX } else { (90 + t % 38) as u8 };
        true
    }
}

const fn bit(stands: u8) -> u128 {
    if stands < 128 { 1 << stands } else { 0 }
}

fn worth(kind: Option<Kind>) -> u8 {
    match kind {
        Some(Kind::Chariot) => 3,
        Some(Kind::Horse | Kind::Cannon) => 2,
        _ => 1,
    }
}

/// Whether the piece on `from` could rightly win the one on `to`, its own general's safety aside.
fn is_threat(b: &Board, from: u8, to: u8) -> bool {
    let (hunter, prey) = (b.acts_as(from), b.acts_as(to));
    if worth(hunter) < worth(prey) {
        return true;
    }
    // An offer to be taken for nothing is a sacrifice; two of a kind that attack each other offer an exchange.
    if is_free(b, from) || hunter == prey && b.reach(to, b.occupied()).has(from) && !b.exposes(to, from) {
        return false;
    }
    !has_avenger(b, from, to)
}

/// Whether the side that loses the piece on `to` could take back.
fn has_avenger(b: &Board, from: u8, to: u8) -> bool {
    let mut after = *b;
    after.shift(from, to);
    let loser = side_of(b.at(to));
    let mut avengers = after.attackers(to, after.occupied()) & after.of(loser);
    Iterator::any(&mut avengers, |p| !after.exposes(p, to))
}

/// Whether the piece could be taken for nothing.
fn is_free(b: &Board, point: u8) -> bool {
    let side = side_of(b.at(point));
    let mut takers = b.attackers(point, b.occupied()) & b.of(side.other());
    Iterator::any(&mut takers, |from| {
        !b.exposes(from, point) && !has_avenger(b, from, point)
    })
}
