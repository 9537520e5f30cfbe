//! The hand-written evaluation of chess: weights times counts, tapered from middlegame to endgame.
//!
//! `terms` counts, `weights` weighs, and what stands here adds up: piece-square sums kept move by move, pawn terms kept
//! in a table, the rest afresh, then scaling of drawish endgames. Every weight enters linearly, so `nguky tune` can fit
//! them all from [`trace`].

pub(super) mod endgame;
mod pawns;
mod terms;
mod weights;

pub use terms::{Ledger, index};
pub use weights::WEIGHTS;

use super::Chess;
use super::types::NO_PIECE;
use crate::game::{Dirty, Evaluator, Handmade, OFF, Position, Score, Side};
use pawns::PawnTable;
use terms::{Sink, Sum};

/// Middlegame and endgame weight in one word: the endgame's in the upper half.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Pair(i32);

impl Pair {
    /// A pair; each part must fit 15 bits, sums included.
    pub const fn new(mg: i16, eg: i16) -> Self {
        Self(((eg as i32) << 16) + mg as i32)
    }

    /// The middlegame part.
    #[inline]
    pub const fn mg(self) -> i32 {
        self.0 as i16 as i32
    }

    /// The endgame part; a negative middlegame part has borrowed from it.
    #[inline]
    pub const fn eg(self) -> i32 {
        (self.0.wrapping_add(0x8000)) >> 16
    }

    #[inline]
    const fn times(self, n: i32) -> Self {
        Self(self.0.wrapping_mul(n))
    }

    #[inline]
    const fn plus(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }

    #[inline]
    const fn minus(self, other: Self) -> Self {
        Self(self.0.wrapping_sub(other.0))
    }
}

/// Phase of a full board; 0 is a bare endgame.
pub const FULL_PHASE: i32 = 24;
/// What each kind adds to the phase.
const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];

/// Material and piece-square pair of each piece on each square; the second side's are negative.
static PIECE_SQUARE: [[Pair; 64]; 12] = piece_square();

const fn piece_square() -> [[Pair; 64]; 12] {
    let mut t = [[Pair(0); 64]; 12];
    let mut square = 0;
    while square < 64 {
        let mut k = 0;
        while k < 6 {
            let material = if k < 5 { WEIGHTS[index::MATERIAL + k] } else { Pair(0) };
            t[k][square] = material.plus(WEIGHTS[index::SQUARE + 64 * k + square]);
            // The second side sees the board from the other end.
            t[k + 6][square ^ 56] = Pair(0).minus(t[k][square]);
            k += 1;
        }
        square += 1;
    }
    t
}

/// The hand-written evaluator: running sums of one line, and the pawn table.
pub struct Hand {
    sums: Vec<Pair>,
    pawns: PawnTable,
}

impl Default for Hand {
    fn default() -> Self {
        Self {
            sums: vec![Pair::default()],
            pawns: PawnTable::new(),
        }
    }
}

impl Hand {
    fn total(&mut self, p: &Chess) -> Pair {
        let mut sum = Sum::default();
        let pawns = self.pawns.probe(p);
        terms::count(p, pawns, &mut sum);
        let sums = self.sums.last().copied().unwrap_or_default();
        sums.plus(pawns.score).plus(sum.sides[0]).minus(sum.sides[1])
    }
}

impl Evaluator<Chess> for Hand {
    fn reset(&mut self, p: &Chess) {
        let mut sum = Pair::default();
        for square in 0..64 {
            if let Some(row) = PIECE_SQUARE.get(p.piece_on(square) as usize) {
                sum = sum.plus(row[square as usize]);
            }
        }
        self.sums.clear();
        self.sums.push(sum);
    }

    #[inline]
    fn push(&mut self, d: &Dirty) {
        let mut sum = self.sums.last().copied().unwrap_or_default();
        for (piece, from, to) in d.iter() {
            let row = &PIECE_SQUARE[piece as usize];
            if from != OFF {
                sum = sum.minus(row[from as usize]);
            }
            if to != OFF {
                sum = sum.plus(row[to as usize]);
            }
        }
        self.sums.push(sum);
    }

    #[inline]
    fn pop(&mut self) {
        self.sums.pop();
    }

    fn score(&mut self, p: &Chess) -> Score {
        let total = self.total(p);
        let white = endgame::taper(p, total.mg(), total.eg());
        if p.side() == Side::First { white } else { -white }
    }

    fn explain(&mut self, p: &Chess) -> String {
        self.reset(p);
        let ledger = trace(p);
        let mut text = format!("{:<18} {:>8} {:>8}\n", "term", "middle", "end");
        for (name, range) in index::NAMES {
            let mut sum = (0, 0);
            for &(i, n) in ledger.terms.iter().filter(|(i, _)| range.contains(&(*i as usize))) {
                let w = WEIGHTS[i as usize];
                sum = (sum.0 + w.mg() * i32::from(n), sum.1 + w.eg() * i32::from(n));
            }
            text += &format!("{name:<18} {:>8} {:>8}\n", sum.0, sum.1);
        }
        let white = if p.side() == Side::First {
            self.score(p)
        } else {
            -self.score(p)
        };
        text + &format!("phase {}/{FULL_PHASE}\nscore {white} (white's side)", phase(p))
    }
}

impl Handmade for Chess {
    type Hand = Hand;
}

/// How much of the middlegame is left, from [`FULL_PHASE`] down to 0.
pub fn phase(p: &Chess) -> i32 {
    let sum: i32 = (1..5).map(|k| PHASE[k as usize] * p.kind(k).count_ones() as i32).sum();
    sum.min(FULL_PHASE)
}

/// All terms of a position with their counts, white's minus black's: what a tuner fits weights to.
pub fn trace(p: &Chess) -> Ledger {
    let mut ledger = Ledger::default();
    for square in 0..64u8 {
        let on = p.piece_on(square);
        if on == NO_PIECE {
            continue;
        }
        let (side, k) = (on as usize / 6, on as usize % 6);
        if k < 5 {
            ledger.add(side, index::MATERIAL + k, 1);
        }
        let seen = if side == 0 { square } else { square ^ 56 };
        ledger.add(side, index::SQUARE + 64 * k + seen as usize, 1);
    }
    let pawns = pawns::count(p, &mut ledger);
    terms::count(p, &pawns, &mut ledger);
    let scale = endgame::scale(p, ledger.endgame_sum());
    ledger.finish(phase(p), scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Kind, Moves};
    use crate::util::rng::SplitMix;

    /// Positions of random games.
    fn walk(seed: u64, mut look: impl FnMut(&Chess, &mut Hand)) {
        let mut rng = SplitMix::new(seed);
        for _ in 0..20 {
            let mut p = Chess::parse(Chess::START, &Default::default()).expect("the start");
            let mut hand = Hand::default();
            hand.reset(&p);
            for _ in 0..120 {
                let mut moves = Moves::new();
                p.generate(Kind::All, &mut moves);
                if moves.is_empty() {
                    break;
                }
                let d = p.play(moves.at(rng.below(moves.len() as u64) as usize).mv);
                hand.push(&d);
                look(&p, &mut hand);
            }
        }
    }

    #[test]
    fn running_sums_equal_a_fresh_start() {
        walk(1, |p, hand| {
            let mut fresh = Hand::default();
            fresh.reset(p);
            assert_eq!(hand.score(p), fresh.score(p), "{}", p.setup());
        });
    }

    #[test]
    fn the_trace_weighs_what_the_score_says() {
        walk(2, |p, hand| {
            let total = hand.total(p);
            let ledger = trace(p);
            let dot = |part: fn(Pair) -> i32| -> i32 {
                ledger
                    .terms
                    .iter()
                    .map(|&(i, n)| part(WEIGHTS[i as usize]) * i32::from(n))
                    .sum()
            };
            assert_eq!(
                (dot(Pair::mg), dot(Pair::eg)),
                (total.mg(), total.eg()),
                "{}",
                p.setup()
            );
        });
    }

    #[test]
    fn colours_are_equal() {
        walk(3, |p, hand| {
            let text = p.setup();
            let fields: Vec<&str> = text.split(' ').collect();
            let ranks: Vec<String> = fields[0].split('/').rev().map(swap_case).collect();
            let side = if fields[1] == "w" { "b" } else { "w" };
            let flipped = format!(
                "{} {side} {} - {} {}",
                ranks.join("/"),
                swap_case(fields[2]),
                fields[4],
                fields[5]
            );
            let q = Chess::parse(&flipped, &Default::default()).expect("a mirrored position");
            let mut other = Hand::default();
            other.reset(&q);
            assert_eq!(hand.score(p), other.score(&q), "{text}");
        });
    }

    fn swap_case(text: &str) -> String {
        text.chars()
            .map(|c| {
                if c.is_lowercase() {
                    c.to_ascii_uppercase()
                } else {
                    c.to_ascii_lowercase()
                }
            })
            .collect()
    }
}
