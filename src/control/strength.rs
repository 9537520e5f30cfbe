//! Playing below one's strength: fewer nodes, a move drawn among the best lines by scores read with an error, and, where
//! that is wanted, about the time that a person takes.

use super::clock::Budget;
use super::limits::{Limits, TimeControl};
use crate::game::{Level, Score};
use crate::util::rng::SplitMix;
use std::time::Duration;

/// A line that is more than so many spreads behind the best is never chosen: one large error would else lose a whole piece,
/// which people of a middle level do not.
const MOST_SPREADS: f64 = 4.0;
/// The error's spread where the best move is seen at once, and what it grows by up to where the last iteration finds it, in parts
/// of the level's spread. People err more where depth is needed: T. Biswas and K. Regan, "Quantifying depth and complexity of
/// thinking and knowledge", ICAART 2015.
const EASY_ERROR: f64 = 0.6;
const HARDER_ERROR: f64 = 0.8;
/// Scores beyond this are all hopeless or all won to a weak player.
const CLEAR: Score = 1500;

/// Longest wait of the human pace.
const LONGEST_PACE: Duration = Duration::from_secs(30);
/// The name and the help of the option that switches it on.
pub const HUMAN_PACE: (&str, &str) = (
    "HumanPace",
    "at a level of strength and with a clock, take about the time that a person takes for a move",
);

/// How long to wait with the move of a level, as a person would: often a short while, now and then a long one, next to nothing
/// where there is no choice, and never more than the optimum time that the clock allows. Nothing without a clock.
pub fn human_pace(limits: &Limits, budget: Option<Budget>, moves: usize, dice: &mut SplitMix) -> Duration {
    let has_clock = matches!(limits.time, TimeControl::Fischer { .. } | TimeControl::Byoyomi { .. });
    let Some(budget) = budget.filter(|_| has_clock && !limits.infinite) else {
        return Duration::ZERO;
    };
    // Thinking times are skewed: about a log-normal distribution.
    let share = if moves < 2 { 0.1 } else { (0.8 * bell(dice)).exp() * 0.4 };
    budget.soft.mul_f64(share.clamp(0.05, 1.0)).min(LONGEST_PACE)
}

/// How weakly to play.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LimitedStrength {
    /// Nodes of a search.
    pub nodes: u64,
    /// Best lines that the choice is among.
    pub lines: usize,
    /// Spread of the error in a line's score, in a position of middling difficulty.
    pub noise: f64,
}

impl LimitedStrength {
    /// The strength `elo` on a scale of levels, weakest first; beyond its ends the nearest one. `None` without levels.
    pub fn at(levels: &[Level], elo: i32) -> Option<Self> {
        let above = levels.iter().position(|l| l.elo >= elo).unwrap_or(levels.len());
        let high = levels.get(above).or(levels.last())?;
        let low = levels.get(above.wrapping_sub(1)).unwrap_or(high);
        let share = match high.elo - low.elo {
            0 => 0.0,
            span => f64::from(elo.min(high.elo) - low.elo) / f64::from(span),
        };
        let between = |a: f64, b: f64| a + (b - a) * share;
        // Strength grows with the logarithm of the nodes.
        let nodes = between((low.nodes.max(1) as f64).ln(), (high.nodes.max(1) as f64).ln()).exp();
        Some(Self {
            nodes: nodes.round() as u64,
            lines: between(low.lines.into(), high.lines.into()).round().max(1.0) as usize,
            noise: between(low.noise.into(), high.noise.into()),
        })
    }

    /// The line to play, by the scores of the best ones, the best first: hundredths of a pawn, in go of a point; and by how hard
    /// the best one was to find, from 0 to 1.
    pub fn choose(&self, scores: &[Score], difficulty: f64, dice: &mut SplitMix) -> usize {
        let spread = self.noise * (EASY_ERROR + HARDER_ERROR * difficulty);
        let clear = |&s: &Score| f64::from(s.clamp(-CLEAR, CLEAR));
        let top = scores.first().map_or(0.0, clear);
        let mut best = (0, f64::NEG_INFINITY);
        for (i, score) in scores.iter().map(clear).enumerate() {
            if top - score > MOST_SPREADS * self.noise {
                continue;
            }
            let score = score + spread * bell(dice);
            if score > best.1 {
                best = (i, score);
            }
        }
        best.0
    }
}

/// A number about 0 with a spread of about 1: the sum of four even ones.
fn bell(dice: &mut SplitMix) -> f64 {
    let mut even = || dice.below(1 << 20) as f64 / f64::from(1 << 20) - 0.5;
    3f64.sqrt() * (even() + even() + even() + even())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEVELS: &[Level] = &[
        Level {
            elo: 1000,
            nodes: 100,
            lines: 6,
            noise: 200,
        },
        Level {
            elo: 2000,
            nodes: 10_000,
            lines: 2,
            noise: 0,
        },
    ];

    #[test]
    fn between_two_levels() {
        let at = |elo| LimitedStrength::at(LEVELS, elo).expect("levels");
        assert_eq!((at(500).nodes, at(500).lines), (100, 6));
        assert_eq!((at(1500).nodes, at(1500).lines, at(1500).noise), (1000, 4, 100.0));
        assert_eq!((at(2500).nodes, at(2500).lines, at(2500).noise), (10_000, 2, 0.0));
        assert_eq!(LimitedStrength::at(&[], 1500), None);
    }

    #[test]
    fn a_person_takes_a_part_of_the_clock_and_none_without_one() {
        let second = Duration::from_secs(1);
        let clock = Limits {
            time: TimeControl::Fischer {
                main: 300 * second,
                increment: 3 * second,
                moves_to_go: None,
            },
            ..Limits::default()
        };
        let budget = |soft: u32| {
            Some(Budget {
                soft: soft * second,
                hard: 4 * soft * second,
                floor: Duration::ZERO,
            })
        };
        let mut dice = SplitMix::new(9);
        let mut waits: Vec<Duration> = (0..1000)
            .map(|_| human_pace(&clock, budget(10), 30, &mut dice))
            .collect();
        waits.sort();
        assert!(waits[999] <= 10 * second && waits[0] >= second / 2, "{:?}", waits[999]);
        // The median is below the middle of the range, and both ends are met.
        assert!(waits[500] > 3 * second && waits[500] < 5 * second, "{:?}", waits[500]);
        assert!(waits[50] < 2 * second && waits[900] > 8 * second);
        assert_eq!(human_pace(&clock, budget(10), 1, &mut dice), second);
        assert!((0..100).all(|_| human_pace(&clock, budget(600), 9, &mut dice) <= 30 * second));
        let fixed = Limits {
            time: TimeControl::MoveTime(second),
            ..Limits::default()
        };
        for (limits, budget) in [(&fixed, budget(1)), (&Limits::default(), None), (&clock, None)] {
            assert_eq!(human_pace(limits, budget, 30, &mut dice), Duration::ZERO);
        }
    }

    #[test]
    fn a_loss_of_many_spreads_is_seen_by_every_level() {
        let weak = LimitedStrength::at(LEVELS, 1000).expect("levels");
        let mut dice = SplitMix::new(3);
        let chosen = |scores: &[Score], dice: &mut SplitMix| weak.choose(scores, 1.0, dice);
        // A queen is seen, half a rook is not always.
        assert!((0..10_000).all(|_| chosen(&[0, -900], &mut dice) == 0));
        assert!((0..10_000).any(|_| chosen(&[0, -250], &mut dice) == 1));
    }

    #[test]
    fn errors_are_larger_where_the_best_line_is_hard_to_find() {
        let weak = LimitedStrength::at(LEVELS, 1000).expect("levels");
        let errors = |difficulty| {
            let mut dice = SplitMix::new(5);
            (0..3000)
                .filter(|_| weak.choose(&[0, -150], difficulty, &mut dice) == 1)
                .count()
        };
        let (easy, middling, hard) = (errors(0.0), errors(0.5), errors(1.0));
        assert!(
            easy > 100 && easy < middling && middling < hard,
            "{easy} {middling} {hard}"
        );
    }

    #[test]
    fn a_better_line_is_chosen_more_often_and_the_same_seed_chooses_the_same() {
        let weak = LimitedStrength::at(LEVELS, 1000).expect("levels");
        let draw = |seed| {
            let mut dice = SplitMix::new(seed);
            let mut count = [0; 3];
            (0..3000).for_each(|_| count[weak.choose(&[100, 0, -100], 0.5, &mut dice)] += 1);
            count
        };
        let count = draw(7);
        assert!(
            count[0] > count[1] && count[1] > count[2] && count[2] > 100,
            "{count:?}"
        );
        assert_eq!(count, draw(7));
        let strong = LimitedStrength::at(LEVELS, 2000).expect("levels");
        assert_eq!(strong.choose(&[30, 29], 1.0, &mut SplitMix::new(1)), 0);
    }
}
