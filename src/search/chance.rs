//! Chance nodes (expectiminimax): the value of a move that reveals a covered piece is the mean over what it may reveal. Win
//! probabilities are averaged, not scores: a chariot more in a won game is not worth a chariot less in an even one.

use super::alphabeta::Node;
use super::score::{INFINITE, Score, decisive};
use super::table::{NO_EVAL, TableBound, TtEntry};
use super::worker::Worker;
use crate::game::{Evaluator, Move, Outcome, Outcomes, Position, Tunables};

/// Evaluations beyond are as good as won.
const FAR: Score = 8_000;

/// The win probability of a score and back: a logistic curve, whose unit is this evaluation.
#[derive(Clone, Copy, Debug)]
pub struct WinCurve(pub f64);

impl WinCurve {
    /// The win probability of a score.
    fn chance(self, score: Score) -> f64 {
        if decisive(score) {
            return if score > 0 { 1.0 } else { 0.0 };
        }
        1.0 / (1.0 + (-f64::from(score.clamp(-FAR, FAR)) / self.0).exp())
    }

    /// The score at which the win probability is this, unrounded.
    fn logit(self, chance: f64) -> f64 {
        self.0 * (chance / (1.0 - chance)).ln()
    }

    /// The score of a win probability.
    fn score(self, chance: f64) -> Score {
        if chance <= 0.0 {
            -FAR
        } else if chance >= 1.0 {
            FAR
        } else {
            self.logit(chance).round().clamp(f64::from(-FAR), f64::from(FAR)) as Score
        }
    }

    /// The Star1 window of an outcome: it fails low or high only where the others, at their bounds, decide the node (Ballard, "The *-minimax search procedure for trees containing chance nodes", 1983).
    fn window(self, low: f64, high: f64) -> (Score, Score) {
        let alpha = if low <= 0.0 {
            -INFINITE
        } else if low >= 1.0 {
            FAR
        } else {
            self.logit(low).floor().clamp(f64::from(-FAR), f64::from(FAR)) as Score - 1
        };
        let beta = if high >= 1.0 {
            INFINITE
        } else if high <= 0.0 {
            -FAR
        } else {
            self.logit(high).ceil().clamp(f64::from(-FAR), f64::from(FAR)) as Score + 1
        };
        (alpha, beta.max(alpha + 1))
    }
}

/// How the outcomes of a chance node are searched.
#[derive(Clone, Copy, Debug)]
pub struct ExpectationMode {
    /// From scores to win probabilities.
    pub curve: WinCurve,
    /// Outcomes are searched in the node's window, not in Star1 windows of their own.
    pub narrow: bool,
}

/// Bounds of an outcome's score that are known before it is searched: the least and the greatest.
pub type ScoreBounds = (Score, Score);
/// No bounds are known.
pub const UNKNOWN: ScoreBounds = (-INFINITE, INFINITE);

/// The expectation over outcomes, exact inside the window and a bound outside it. `known` goes with `outcomes`; where it
/// ends, nothing is known. `value` searches an outcome in a window.
pub fn expectation(
    outcomes: &[Outcome],
    known: &[ScoreBounds],
    alpha: Score,
    beta: Score,
    mode: ExpectationMode,
    mut value: impl FnMut(Outcome, Score, Score) -> Score,
) -> Score {
    if let [only] = outcomes {
        return value(*only, alpha, beta);
    }
    let total: f64 = outcomes.iter().map(|o| f64::from(o.weight)).sum();
    let bounds = |i: usize| known.get(i).copied().unwrap_or(UNKNOWN);
    let curve = mode.curve;
    let (floor, ceiling) = (curve.chance(alpha), curve.chance(beta));
    // What has been found, and what the rest can add at worst and at best.
    let (mut sum, mut worst, mut best) = (0.0, 0.0, 0.0);
    for (i, o) in outcomes.iter().enumerate() {
        let weight = f64::from(o.weight) / total;
        worst += weight * curve.chance(bounds(i).0);
        best += weight * curve.chance(bounds(i).1);
    }
    // The worst of mates all won, the longest of mates all lost.
    let (mut least, mut most) = (INFINITE, -INFINITE);
    for (i, &o) in outcomes.iter().enumerate() {
        // The rest is left out once what was found decides.
        if i > 0 || !known.is_empty() {
            if sum + best <= floor && floor > 0.0 {
                return curve.score(sum + best).min(alpha);
            }
            if sum + worst >= ceiling && ceiling < 1.0 {
                return curve.score(sum + worst).max(beta);
            }
        }
        let weight = f64::from(o.weight) / total;
        worst = f64::max(worst - weight * curve.chance(bounds(i).0), 0.0);
        best = f64::max(best - weight * curve.chance(bounds(i).1), 0.0);
        let (a, b) = if mode.narrow {
            (alpha, beta)
        } else {
            curve.window((floor - sum - best) / weight, (ceiling - sum - worst) / weight)
        };
        let v = value(o, a, b);
        (least, most) = (least.min(v), most.max(v));
        sum += weight * curve.chance(v);
    }
    match (decisive(least) && least > 0, decisive(most) && most < 0) {
        (true, _) => least,
        (_, true) => most,
        _ => curve.score(sum),
    }
}

/// The piece stays face down.
const NOTHING: Outcome = Outcome {
    piece: Outcome::NOTHING,
    weight: 1,
};

impl<P: Position, E: Evaluator<P>> Worker<P, E> {
    /// The score of a chance node for the side to move: the piece that the last move turned up is not yet revealed. Each
    /// chance node costs two plies of depth (+18 Elo against one) and an unlikely outcome one more (+14 Elo; `docs/tuning.md`).
    #[cold]
    #[inline(never)]
    pub(super) fn expect<N: Node>(&mut self, alpha: Score, beta: Score, depth: i32, ply: usize, cut: bool) -> Score {
        let mut all = Outcomes::default();
        self.pos.outcomes(&mut all);
        let n = all.iter().take_while(|o| o.weight > 0).count();
        if n == 0 {
            self.count_node();
            return self.static_eval();
        }
        if depth <= 0 {
            return self.unanswered::<N>(alpha, beta, ply);
        }
        // The likeliest decide soonest.
        all[..n].sort_unstable_by_key(|o| std::cmp::Reverse(o.weight));
        let key = self.pos.key();
        if !N::PV
            && n > 1
            && let Some(e) = self.shared.table.probe::<P::Move>(key, ply)
            && e.depth >= depth
            && e.bound.settles(e.score, beta)
        {
            return e.score;
        }
        let total: i32 = all[..n].iter().map(|o| i32::from(o.weight)).sum();
        let below = |o: Outcome| {
            let rare = 16 * i32::from(o.weight) < P::Tune::chance_rare() * total;
            depth - P::Tune::chance_depth() * i32::from(n > 1) - i32::from(rare)
        };
        let mode = ExpectationMode {
            curve: WinCurve(f64::from(P::Tune::chance_spread())),
            narrow: !N::PV,
        };
        let mut known = [UNKNOWN; 16];
        let probed = if n > 1 && depth > 1 {
            self.look_up(&all[..n], below, ply, &mut known)
        } else {
            &[]
        };
        let result = expectation(&all[..n], probed, alpha, beta, mode, |o, a, b| {
            if self.aborted {
                return 0;
            }
            let dirty = self.pos.reveal(o);
            self.eval.push(&dirty);
            self.shared.table.prefetch(self.pos.key());
            let value = self.search::<N>(a, b, below(o), ply, cut);
            self.eval.pop();
            self.pos.cover();
            value
        });
        if n > 1 && !self.aborted {
            let bound = match result {
                r if r >= beta => TableBound::Lower,
                r if r <= alpha => TableBound::Upper,
                _ => TableBound::Exact,
            };
            let entry = TtEntry {
                mv: P::Move::NONE,
                score: result,
                eval: NO_EVAL,
                depth,
                bound,
                pv: N::PV,
            };
            self.shared.table.store(key, ply, entry);
        }
        // The line ends here: what follows depends on the piece.
        if N::PV {
            self.pv[ply].clear();
        }
        if self.aborted { 0 } else { result }
    }

    /// Beyond the horizon the piece stays face down and is worth the average; captures go on around it.
    fn unanswered<N: Node>(&mut self, alpha: Score, beta: Score, ply: usize) -> Score {
        let dirty = self.pos.reveal(NOTHING);
        self.eval.push(&dirty);
        let value = self.quiesce::<N>(alpha, beta, ply);
        self.eval.pop();
        self.pos.cover();
        if N::PV {
            self.pv[ply].clear();
        }
        value
    }

    /// The table's bounds of outcomes searched to the depth that each is given (the probing of Star2).
    fn look_up<'a>(
        &mut self,
        all: &[Outcome],
        depth: impl Fn(Outcome) -> i32,
        ply: usize,
        known: &'a mut [ScoreBounds; 16],
    ) -> &'a [ScoreBounds] {
        let mut any = false;
        for (&o, bound) in all.iter().zip(known.iter_mut()) {
            self.pos.reveal(o);
            let entry = self.shared.table.probe::<P::Move>(self.pos.key(), ply);
            self.pos.cover();
            if let Some(e) = entry.filter(|e| e.depth >= depth(o)) {
                any = true;
                match e.bound {
                    TableBound::Lower => bound.0 = e.score,
                    TableBound::Upper => bound.1 = e.score,
                    TableBound::Exact => *bound = (e.score, e.score),
                    TableBound::None => {}
                }
            }
        }
        if any { &known[..all.len()] } else { &[] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::rng::SplitMix;

    const EXACT: ExpectationMode = ExpectationMode {
        curve: WinCurve(360.0),
        narrow: false,
    };

    /// A tree of chances and choices fixed by a seed; leaves are scores, mates among them.
    fn tree(seed: u64, depth: u32, pruned: bool, mut alpha: Score, beta: Score, nodes: &mut u64) -> Score {
        *nodes += 1;
        let mut rng = SplitMix::new(seed);
        if depth == 0 {
            return match rng.below(12) {
                0 => 31_990,
                1 => -31_990,
                _ => rng.below(1200) as Score - 600,
            };
        }
        if depth % 2 == 1 {
            let mut outcomes = [Outcome::default(); 6];
            let n = 1 + rng.below(6) as usize;
            for (i, o) in outcomes.iter_mut().enumerate().take(n) {
                (o.piece, o.weight) = (i as u8, 1 + rng.below(5) as u16);
            }
            let full = (-INFINITE, INFINITE);
            let (a, b) = if pruned { (alpha, beta) } else { full };
            return expectation(&outcomes[..n], &[], a, b, EXACT, |o, a, b| {
                let (a, b) = if pruned { (a, b) } else { full };
                tree(seed * 31 + u64::from(o.piece) + 1, depth - 1, pruned, a, b, nodes)
            });
        }
        let mut best = -INFINITE;
        for i in 0..4 {
            let below = tree(seed * 37 + i + 11, depth - 1, pruned, -beta, -alpha, nodes);
            best = best.max(-below);
            alpha = alpha.max(best);
            if pruned && alpha >= beta {
                break;
            }
        }
        best
    }

    #[test]
    fn pruned_equals_brute_force() {
        let (mut few, mut many) = (0, 0);
        for seed in 0..400 {
            let exact = tree(seed, 4, false, -INFINITE, INFINITE, &mut many);
            let pruned = tree(seed, 4, true, -INFINITE, INFINITE, &mut few);
            assert_eq!(pruned, exact, "seed {seed}");
            for (alpha, beta) in [(-100, 100), (0, 1), (-300, -200), (150, 400)] {
                let v = tree(seed, 4, true, alpha, beta, &mut few);
                if exact <= alpha {
                    assert!(v <= alpha && v >= exact, "{v}, not a ceiling of {exact}, seed {seed}");
                } else if exact >= beta {
                    assert!(v >= beta && v <= exact, "{v}, not a floor of {exact}, seed {seed}");
                } else {
                    assert_eq!(v, exact, "seed {seed}");
                }
            }
        }
        assert!(few < 5 * many);
    }

    #[test]
    fn mates_by_every_outcome_are_mates() {
        let two = [Outcome { piece: 0, weight: 1 }, Outcome { piece: 1, weight: 3 }];
        let won = expectation(&two, &[], -INFINITE, INFINITE, EXACT, |o, _, _| {
            31_990 - Score::from(o.piece)
        });
        assert_eq!(won, 31_989);
        let half = expectation(&two, &[], -INFINITE, INFINITE, EXACT, |o, _, _| {
            if o.piece == 0 { 31_990 } else { 0 }
        });
        assert_eq!(half, 184);
        assert_eq!(EXACT.curve.score(EXACT.curve.chance(77)), 77);
    }
}
