//! The score of a match over its games, in a bounded number of points.

use crate::arena::state::Games;
use crate::arena::stats::{PairCounts, SprtBounds};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Points that are kept; beyond them every second one is dropped.
const MOST: usize = 512;

/// The score after some games: games, Elo and its error, the sequential test's ratio.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PathPoint(pub u64, pub Option<f64>, pub Option<f64>, pub Option<f64>);

/// The score over the games, pair by pair.
#[derive(Clone, Debug)]
pub struct ScorePath {
    points: VecDeque<PathPoint>,
    /// Pairs from one point to the next.
    every: u64,
}

impl Default for ScorePath {
    fn default() -> Self {
        Self {
            points: VecDeque::new(),
            every: 1,
        }
    }
}

/// Three digits are more than a plot shows.
fn short(x: f64) -> f64 {
    (1000.0 * x).round() / 1000.0
}

impl ScorePath {
    /// The path of the games so far, in the order of their numbers: in which order they ended is not kept.
    pub fn of(games: &Games, test: Option<&SprtBounds>) -> Self {
        let whole: Vec<u8> = games
            .iter()
            .filter(|(number, _)| *number % 2 == 0)
            .filter_map(|(number, a)| Some(a.points.min(2) + 2 - games.get(&(number + 1))?.points.min(2)))
            .collect();
        let mut path = Self::default();
        while whole.len() as u64 / path.every > MOST as u64 / 2 {
            path.every *= 2;
        }
        let mut pairs = PairCounts::default();
        for points in whole {
            pairs.0[usize::from(points)] += 1;
            if pairs.count().is_multiple_of(path.every) {
                let llr = test.map(|t| pairs.llr(t.elo0, t.elo1));
                path.add(pairs.count(), pairs.elo().map(|(elo, error)| [elo, error]), llr);
            }
        }
        path
    }

    /// The points.
    pub const fn points(&self) -> &VecDeque<PathPoint> {
        &self.points
    }

    /// Adds the score after so many pairs.
    pub fn add(&mut self, pairs: u64, elo: Option<[f64; 2]>, llr: Option<f64>) {
        let games = 2 * pairs;
        if !pairs.is_multiple_of(self.every) || pairs == 0 || self.points.back().is_some_and(|p| p.0 >= games) {
            return;
        }
        let [value, error] = [0, 1].map(|i| elo.map(|e| short(e[i])));
        self.points.push_back(PathPoint(games, value, error, llr.map(short)));
        if self.points.len() > MOST {
            self.every *= 2;
            let every = 2 * self.every;
            self.points.retain(|p| p.0 % every == 0);
        }
    }
}
