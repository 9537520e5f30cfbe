//! The hand-written evaluation: material, hands and king-relative places kept up to date with the moves, the other terms
//! counted anew, and all of them blended between opening and ending.

use super::dfpn::MateSolver;
use super::hce_terms::count_terms;
use super::hce_weights::{AROUND, COUNT, GROUPS, Group, TEMPO, WEIGHTS};
use super::position::{Board, Shogi};
use super::types::{DROPS, EMPTY, Kind, NO_KING, POINTS, depth, file, hand_place, kind_of, side_of};
use crate::bits::Bb128;
use crate::game::weights::{Pair, Tally, Trace, blend, ending, opening, pair, pairs};
use crate::game::{Dirty, Evaluator, Handmade, OFF, Position, Prover, Score, Side};

/// What [`phase`] gives in the opening.
pub const FULL_PHASE: i32 = 32;
/// Points and places in hand.
const PLACES: usize = POINTS + 2 * 38;

static PAIRS: [Pair; COUNT] = pairs(&WEIGHTS);

/// Where a point lies relative to a king, as sente's king sees it; a missing king stands in the middle.
static AROUND_KING: [[u8; POINTS]; POINTS + 1] = {
    let mut all = [[0; POINTS]; POINTS + 1];
    let mut k = 0;
    while k <= POINTS {
        let home = if k == POINTS { 40 } else { k as i32 };
        let mut p = 0;
        while p < POINTS {
            let df = (p as i32 / 9 - home / 9).abs();
            let dr = p as i32 % 9 - home % 9 + 4;
            let df = if df > 4 { 4 } else { df };
            let dr = if dr < 0 {
                0
            } else if dr > 8 {
                8
            } else {
                dr
            };
            all[k][p] = (df * 9 + dr) as u8;
            p += 1;
        }
        k += 1;
    }
    all
};

/// Where a point lies relative to a side's king.
#[inline]
fn around(side: Side, home: u8, point: u8) -> usize {
    let (home, point) = match (side, home) {
        (Side::Second, NO_KING) => (home, 80 - point),
        (Side::Second, _) => (80 - home, 80 - point),
        (Side::First, _) => (home, point),
    };
    AROUND_KING[home as usize][point as usize] as usize
}

/// What each piece adds at each place around each side's king, from sente's view. Material goes with the own king.
static NEAR: [[[Pair; AROUND]; 28]; 2] = {
    let mut all = [[[0; AROUND]; 28]; 2];
    let mut i = 0;
    while i < 2 * 28 * AROUND {
        let (side, piece, place) = (i / (28 * AROUND), i / AROUND % 28, i % AROUND);
        let kind = piece % 14;
        let sum = if piece / 14 == side {
            pair(WEIGHTS[Group::Board.start() + kind]) + pair(WEIGHTS[Group::NearOwn.start() + kind * AROUND + place])
        } else {
            pair(WEIGHTS[Group::NearFoe.start() + kind * AROUND + place])
        };
        all[side][piece][place] = if piece < 14 { sum } else { -sum };
        i += 1;
    }
    all
};

/// What each place in hand adds when it is filled, from sente's view.
static HELD: [Pair; 2 * 38] = {
    let mut all = [0; 2 * 38];
    let mut i = 0;
    while i < 7 * 18 {
        let (kind, nth) = (i / 18, i % 18);
        if nth < super::types::SET[kind] as usize {
            let sum = pair(WEIGHTS[Group::Held.start() + 2 * kind + (nth > 0) as usize]);
            let place = hand_place(Side::First, DROPS[kind], nth as u32) as usize - POINTS;
            all[place] = sum;
            all[place + 38] = -sum;
        }
        i += 1;
    }
    all
};

/// The weight of a king's point.
#[inline]
fn king_weight(side: Side, home: u8) -> usize {
    let f = file(home).min(8 - file(home));
    Group::KingAt.start() + 5 * depth(side, home) as usize + f as usize
}

struct Sum(Pair);

impl Tally for Sum {
    #[inline(always)]
    fn add(&mut self, weight: usize, times: i32) {
        self.0 += PAIRS[weight] * times;
    }
}

/// The trace of a position, material and places included.
pub fn trace(p: &Shogi) -> Trace {
    let b = p.board();
    let mut t = Trace::new(COUNT, phase(b));
    b.occupied().for_each(|point| {
        let (side, kind) = (side_of(b.at(point)), kind_of(b.at(point)) as usize);
        let sign = if side == Side::First { 1 } else { -1 };
        let foe = side.other();
        t.add(Group::Board.start() + kind, sign);
        t.add(
            Group::NearOwn.start() + kind * AROUND + around(side, b.king(side), point),
            sign,
        );
        t.add(
            Group::NearFoe.start() + kind * AROUND + around(foe, b.king(foe), point),
            sign,
        );
    });
    for (side, sign) in [(Side::First, 1), (Side::Second, -1)] {
        for kind in DROPS {
            let n = b.hand(side).count(kind) as i32;
            t.add(Group::Held.start() + 2 * kind as usize, sign * n.min(1));
            t.add(Group::Held.start() + 2 * kind as usize + 1, sign * (n - 1).max(0));
        }
    }
    count_kings(b, &mut t);
    count_terms(b, &mut t);
    t
}

fn count_kings(b: &Board, t: &mut impl Tally) {
    for (side, sign) in [(Side::First, 1), (Side::Second, -1)] {
        if b.king(side) != NO_KING {
            t.add(king_weight(side, b.king(side)), sign);
        }
    }
}

/// How much of the opening is left: [`FULL_PHASE`] with all pieces at home, 0 when many are in hand or promoted.
#[inline]
pub fn phase(b: &Board) -> i32 {
    let promoted = b.golds().without(b.kind(Kind::Gold)) | b.kind(Kind::Horse) | b.kind(Kind::Dragon);
    let held = 40 - b.occupied().len() as i32;
    (FULL_PHASE - held - 2 * promoted.len() as i32).clamp(0, FULL_PHASE)
}

/// The sums after one move.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// The move's changes, to take it back by.
    dirty: Dirty,
    kings: [u8; 2],
    /// Places around each side's king, from sente's view; hands go with the first.
    near: [Pair; 2],
}

/// The hand-written evaluator.
#[derive(Clone, Debug)]
pub struct Hand {
    /// A mailbox of its own, because a king's move changes what all pieces count.
    places: [u8; PLACES],
    filled: Bb128,
    now: Frame,
    past: Vec<Frame>,
}

impl Default for Hand {
    fn default() -> Self {
        Self {
            places: [EMPTY; PLACES],
            filled: Bb128::EMPTY,
            now: Frame {
                dirty: Dirty::default(),
                kings: [NO_KING; 2],
                near: [0; 2],
            },
            past: Vec::with_capacity(256),
        }
    }
}

impl Hand {
    #[inline]
    fn set(&mut self, piece: u8, place: u8) {
        self.places[place as usize] = piece;
        if (place as usize) < POINTS {
            let b = Bb128::of(place);
            self.filled = if piece == EMPTY {
                self.filled.without(b)
            } else {
                self.filled | b
            };
        }
    }

    /// The sum around a side's king from scratch, hands aside.
    fn near(&self, side: Side) -> Pair {
        let home = self.now.kings[side.index()];
        let mut sum = 0;
        self.filled.for_each(|p| {
            sum += NEAR[side.index()][self.places[p as usize] as usize][around(side, home, p)];
        });
        sum
    }

    fn held(&self) -> Pair {
        (0..2 * 38)
            .filter(|&i| self.places[POINTS + i] != EMPTY)
            .map(|i| HELD[i])
            .sum()
    }

    /// What a piece at a place adds to each sum.
    #[inline]
    fn worth(&self, piece: u8, place: u8) -> [Pair; 2] {
        if place as usize >= POINTS {
            return [HELD[place as usize - POINTS], 0];
        }
        let [black, white] = self.now.kings;
        [
            NEAR[0][piece as usize][around(Side::First, black, place)],
            NEAR[1][piece as usize][around(Side::Second, white, place)],
        ]
    }

    #[inline]
    fn total(&self, b: &Board) -> Pair {
        let mut sum = Sum(self.now.near[0] + self.now.near[1]);
        count_kings(b, &mut sum);
        count_terms(b, &mut sum);
        sum.0
    }
}

impl Evaluator<Shogi> for Hand {
    fn reset(&mut self, p: &Shogi) {
        let b = p.board();
        *self = Self::default();
        b.occupied().for_each(|point| self.set(b.at(point), point));
        for side in [Side::First, Side::Second] {
            self.now.kings[side.index()] = b.king(side);
            for kind in DROPS {
                for nth in 0..b.hand(side).count(kind) {
                    self.set(super::types::piece(side, kind), hand_place(side, kind, nth));
                }
            }
        }
        self.now.near = [self.near(Side::First) + self.held(), self.near(Side::Second)];
    }

    #[inline]
    fn push(&mut self, d: &Dirty) {
        self.past.push(self.now);
        self.now.dirty = *d;
        let mut king_moved = None;
        for (piece, from, to) in d.iter() {
            if from != OFF {
                let [a, b] = self.worth(piece, from);
                self.now.near[0] -= a;
                self.now.near[1] -= b;
                self.set(EMPTY, from);
            }
            if to != OFF && kind_of(piece) == Kind::King {
                king_moved = Some((side_of(piece), to));
            }
        }
        for (piece, _, to) in d.iter().filter(|i| i.2 != OFF) {
            let [a, b] = self.worth(piece, to);
            self.now.near[0] += a;
            self.now.near[1] += b;
            self.set(piece, to);
        }
        if let Some((side, to)) = king_moved {
            self.now.kings[side.index()] = to;
            let held = if side == Side::First { self.held() } else { 0 };
            self.now.near[side.index()] = self.near(side) + held;
        }
    }

    #[inline]
    fn pop(&mut self) {
        let Some(before) = self.past.pop() else { return };
        let d = self.now.dirty;
        for (_, _, to) in d.iter().filter(|i| i.2 != OFF) {
            self.set(EMPTY, to);
        }
        for (piece, from, _) in d.iter().filter(|i| i.1 != OFF) {
            self.set(piece, from);
        }
        self.now = before;
    }

    #[inline]
    fn score(&mut self, p: &Shogi) -> Score {
        let b = p.board();
        let black = blend(self.total(b), phase(b), FULL_PHASE);
        TEMPO + if p.side() == Side::First { black } else { -black }
    }

    fn explain(&mut self, p: &Shogi) -> String {
        let t = trace(p);
        let mut out = format!(
            "{:<18}{:>8}{:>8}{:>8}\n",
            "term (sente's view)", "opening", "ending", "now"
        );
        let mut start = 0;
        for &(name, length) in GROUPS {
            let part: Pair = (start..start + length).map(|i| i32::from(t.times[i]) * PAIRS[i]).sum();
            start += length;
            let (a, b, c) = (opening(part), ending(part), blend(part, t.phase, FULL_PHASE));
            out += &format!("{name:<18}{a:>8}{b:>8}{c:>8}\n");
        }
        self.reset(p);
        out + &format!(
            "phase {} of {FULL_PHASE}, tempo {TEMPO}\nscore {} for the side to move\n",
            t.phase,
            self.score(p)
        )
    }
}

impl Handmade for Shogi {
    type Hand = Hand;

    fn prover(megabytes: usize) -> Option<Box<dyn Prover<Self>>> {
        Some(Box::new(MateSolver::new(megabytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Moves;
    use crate::util::rng::SplitMix;

    /// Positions of random games.
    fn walk(seed: u64, mut look: impl FnMut(&Shogi, &mut Hand)) {
        let mut rng = SplitMix::new(seed);
        for _ in 0..20 {
            let mut p = Shogi::parse(Shogi::START, &Default::default()).expect("the start");
            let mut hand = Hand::default();
            hand.reset(&p);
            for _ in 0..150 {
                let mut moves = Moves::new();
                p.generate_all_legal(&mut moves);
                if moves.is_empty() {
                    break;
                }
                let mut pick = || moves.at(rng.below(moves.len() as u64) as usize).mv;
                let before = hand.score(&p);
                hand.push(&p.play(pick()));
                p.undo();
                hand.pop();
                assert_eq!(hand.score(&p), before);
                hand.push(&p.play(pick()));
                look(&p, &mut hand);
            }
        }
    }

    #[test]
    fn running_sums_equal_a_fresh_start() {
        walk(1, |p, hand| {
            let mut fresh = Hand::default();
            fresh.reset(p);
            assert_eq!(hand.now.near, fresh.now.near, "{}", p.setup());
            assert_eq!(hand.score(p), fresh.score(p), "{}", p.setup());
        });
    }

    #[test]
    fn the_trace_weighs_what_the_score_says() {
        walk(2, |p, hand| {
            let t = trace(p);
            let dot: Pair = (0..COUNT).map(|i| i32::from(t.times[i]) * PAIRS[i]).sum();
            assert_eq!(dot, hand.total(p.board()), "{}", p.setup());
        });
    }

    #[test]
    fn sides_are_equal() {
        walk(3, |p, hand| {
            let text = p.setup();
            let words: Vec<&str> = text.split(' ').collect();
            let swap = |c: char| {
                if c.is_uppercase() {
                    c.to_ascii_lowercase()
                } else {
                    c.to_ascii_uppercase()
                }
            };
            // Turned by half: a plus sign stands before its piece again once the text is read backwards.
            let mut board = String::new();
            let mut rest = words[0].chars().rev().map(swap).peekable();
            while let Some(c) = rest.next() {
                if rest.next_if_eq(&'+').is_some() {
                    board.push('+');
                }
                board.push(c);
            }
            let side = if words[1] == "b" { "w" } else { "b" };
            let hands: String = words[2].chars().map(swap).collect();
            let q = Shogi::parse(&format!("{board} {side} {hands} 1"), &Default::default()).expect("turned");
            let mut other = Hand::default();
            other.reset(&q);
            assert_eq!(hand.score(p), other.score(&q), "{text}");
        });
    }
}
