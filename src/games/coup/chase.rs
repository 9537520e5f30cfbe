//! Chases: a move after which a piece could be taken that could not be taken before. Not by general or soldier, not of
//! general or uncrossed soldier, not of a protected piece unless by a lesser one, and not by a piece that is itself
//! offered. Face-down pieces count as what sets out from their points.

use super::position::{Coup, CoupBoard, Turn};
use super::types::{EMPTY, side_of};
use crate::bits::Bb128;
use crate::game::Side;
use crate::games::xiangqi_board::types::{Kind, home};

/// The board while moves are taken back; `now_on` has the point where each piece stands at the end.
struct ChaseReplay {
    board: CoupBoard,
    now_on: [u8; 90],
}

/// The chasers of each target, by the points where they stand.
type Chases = Vec<(u8, Bb128)>;

impl ChaseReplay {
    /// The chases of a side on this board. `able` leaves out those that would expose its own general.
    fn threats(&self, by: Side, able: bool) -> Chases {
        let b = &self.board;
        let occupied = b.occupied();
        let uncrossed = b.kind(Kind::Soldier) & home(by.other());
        let target = b.of(by.other()).without(uncrossed | Bb128::of(b.general(by.other())));
        let mut found = Chases::new();
        b.of(by)
            .without(b.kind(Kind::General) | b.kind(Kind::Soldier))
            .for_each(|from| {
                (b.reach(from, occupied) & target).for_each(|to| {
                    if able && b.exposes(from, to) || !is_threat(b, from, to) {
                        return;
                    }
                    match found.iter_mut().find(|(p, _)| *p == to) {
                        Some((_, chasers)) => *chasers |= Bb128::of(from),
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
        let mut replay = ChaseReplay {
            board: self.board,
            now_on: std::array::from_fn(|p| p as u8),
        };
        let mut t = 0;
        while t < skip {
            if !self.step_back(&mut replay, t) {
                return (0, 0);
            }
            t += 1;
        }
        let by = replay.board.side.other();
        // The targets chased in every move so far, with their chasers.
        let mut chased: Vec<(u8, u128)> = Vec::new();
        let mut best = (0, 0);
        for turn in 0..most {
            if t >= self.past.len() || self.ago(t).checkers.any() {
                break;
            }
            let (after, now_on) = (replay.threats(by, true), replay.now_on);
            if after.is_empty() || !self.step_back(&mut replay, t) {
                break;
            }
            // Out of check or out of a pin, a piece attacks nothing that it did not attack before.
            let before = replay.threats(by, false);
            // Pieces are compared across the moves by the point where they stand now.
            let stood = |target: u8| before.iter().find(|(p, _)| replay.now_on[*p as usize] == target);
            let mut next = Vec::new();
            for (point, chasers) in after {
                let target = now_on[point as usize];
                let mut old = 0u128;
                if let Some((_, set)) = stood(target) {
                    set.for_each(|p| old |= bit(replay.now_on[p as usize]));
                }
                let mut new = 0u128;
                chasers.for_each(|p| new |= bit(now_on[p as usize]));
                new &= !old;
                let former = chased.iter().find(|(p, _)| *p == target).map(|(_, set)| *set);
                if new != 0 && (turn == 0 || former.is_some()) {
                    next.push((target, former.unwrap_or(0) | new));
                }
            }
            if next.is_empty() {
                break;
            }
            chased = next;
            // Among several targets the one with the fewest chasers has the lowest limit.
            let fewest = chased.iter().map(|(_, set)| set.count_ones() as usize).min();
            best = (turn + 1, fewest.unwrap_or(0));
            t += 1;
            if t >= self.past.len() || !self.step_back(&mut replay, t) {
                break;
            }
            t += 1;
        }
        best
    }

    /// Takes the replay back over the move that led to the state `t` half-moves ago.
    fn step_back(&self, replay: &mut ChaseReplay, t: usize) -> bool {
        if t >= self.past.len() {
            return false;
        }
        let s = self.ago(t);
        let m = s.last;
        if m.from() == m.to() {
            return false;
        }
        replay.board.unshift(m.from(), m.to(), s.taken, s.more.turn != Turn::No);
        replay.now_on[m.from() as usize] = replay.now_on[m.to() as usize];
        replay.now_on[m.to() as usize] = if s.taken == EMPTY { u8::MAX } else { (90 + t % 38) as u8 };
        true
    }
}

const fn bit(now_on: u8) -> u128 {
    if now_on < 128 { 1 << now_on } else { 0 }
}

fn rank(kind: Option<Kind>) -> u8 {
    match kind {
        Some(Kind::Chariot) => 3,
        Some(Kind::Horse | Kind::Cannon) => 2,
        _ => 1,
    }
}

/// Whether the piece on `from` threatens to win the one on `to`, pins of its own aside.
fn is_threat(b: &CoupBoard, from: u8, to: u8) -> bool {
    let (chaser, target) = (b.acts_as(from), b.acts_as(to));
    if rank(chaser) < rank(target) {
        return true;
    }
    // An offer to be taken for nothing is a sacrifice; two of a kind that attack each other offer an exchange.
    if is_unprotected(b, from) || chaser == target && b.reach(to, b.occupied()).has(from) && !b.exposes(to, from) {
        return false;
    }
    !has_protector(b, from, to)
}

/// Whether the piece on `to` has a protector that could recapture.
fn has_protector(b: &CoupBoard, from: u8, to: u8) -> bool {
    let mut after = *b;
    after.shift(from, to);
    let loser = side_of(b.at(to));
    let mut protectors = after.attackers(to, after.occupied()) & after.of(loser);
    Iterator::any(&mut protectors, |p| !after.exposes(p, to))
}

/// Whether the piece could be captured without recapture.
fn is_unprotected(b: &CoupBoard, point: u8) -> bool {
    let side = side_of(b.at(point));
    let mut takers = b.attackers(point, b.occupied()) & b.of(side.other());
    Iterator::any(&mut takers, |from| {
        !b.exposes(from, point) && !has_protector(b, from, point)
    })
}
