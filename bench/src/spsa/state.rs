//! Where a run of `nguky spsa` stands: its file, and the course of its values.

use crate::whole_file;
use anyhow::{Context, Result, bail};
use nguky::game::Tunable;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;

/// Points of the course that a run keeps, beside the values it began with.
const POINTS: u64 = 100;

/// Where a run stands.
#[derive(Serialize, Deserialize, Default)]
pub struct SpsaState {
    /// The settings of the run, which a command that goes on with it has to share.
    pub terms: String,
    /// Every pair below this number has been played.
    pub done: u64,
    /// Pairs from `done` on that have been played too: of several at a time, a later one may end first.
    #[serde(default)]
    pub beyond: BTreeSet<u64>,
    /// Each number's name and its value now.
    pub values: Vec<(String, f64)>,
    /// The values in the course of the run: after how many pairs, and each number's value.
    #[serde(default)]
    pub course: Vec<(u64, Vec<f64>)>,
}

impl SpsaState {
    /// A run not begun, from the engine's values or from those where another run stands.
    ///
    /// # Errors
    /// When `start` cannot be read, is no state, lacks one of the numbers or has it out of its range.
    pub fn fresh(start: Option<&Path>, terms: &str, numbers: &[Tunable]) -> Result<Self> {
        let mut values: Vec<_> = numbers.iter().map(|t| (t.name.into(), f64::from((t.get)()))).collect();
        if let Some(path) = start {
            let text =
                std::fs::read_to_string(path).with_context(|| format!("--start: cannot read {}", path.display()))?;
            let other: Self = serde_json::from_str(&text)
                .with_context(|| format!("--start: {} is not the state of a run", path.display()))?;
            for ((name, value), t) in values.iter_mut().zip(numbers) {
                let Some((_, found)) = other.values.iter().find(|v| v.0 == *name) else {
                    bail!("--start: {} has no number {name:?}", path.display());
                };
                if !(f64::from(t.min)..=f64::from(t.max)).contains(found) {
                    bail!(
                        "--start: {} has {found} as {name}; expected {} to {}",
                        path.display(),
                        t.min,
                        t.max
                    );
                }
                *value = *found;
            }
        }
        let first = values.iter().map(|v: &(String, f64)| v.1).collect();
        Ok(Self {
            terms: terms.into(),
            values,
            course: vec![(0, first)],
            ..Self::default()
        })
    }

    /// The run as it stands in its file, or a fresh one where there is none.
    ///
    /// # Errors
    /// When the file cannot be read, is damaged or belongs to another run.
    pub fn load(path: &Path, start: Option<&Path>, terms: &str, numbers: &[Tunable]) -> Result<Self> {
        match std::fs::read_to_string(path) {
            Ok(text) => {
                let old: Self = serde_json::from_str(&text)
                    .with_context(|| format!("{} is damaged; remove it to begin anew", path.display()))?;
                let known = old.values.iter().map(|v| v.0.as_str());
                if old.terms != terms || !known.eq(numbers.iter().map(|t| t.name)) {
                    bail!(
                        "{} belongs to another run; remove it or name another --state",
                        path.display()
                    );
                }
                if old.course.iter().any(|(_, values)| values.len() != numbers.len()) {
                    bail!("{} is damaged; remove it to begin anew", path.display());
                }
                Ok(old)
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Self::fresh(start, terms, numbers),
            Err(e) => Err(e).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    /// Writes the file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        whole_file::replace(path, serde_json::to_string_pretty(self)?)
    }

    /// Pairs that have been played.
    pub fn played(&self) -> u64 {
        self.done + self.beyond.len() as u64
    }

    /// The pairs of a run of `all` that are still to be played, in order.
    pub fn open(&self, all: u64) -> impl Iterator<Item = u64> + use<> {
        let beyond = self.beyond.clone();
        (self.done..all).filter(move |pair| !beyond.contains(pair))
    }

    /// Notes a pair of a run of `all` as played. True when the course got a further point.
    pub fn finish(&mut self, pair: u64, all: u64) -> bool {
        let part = |played: u64| (u128::from(played) * u128::from(POINTS) / u128::from(all.max(1))) as u64;
        let before = part(self.played());
        self.beyond.insert(pair);
        while self.beyond.remove(&self.done) {
            self.done += 1;
        }
        let grown = part(self.played()) > before;
        if grown {
            let rounded = |v: &(String, f64)| (v.1 * 100.0).round() / 100.0;
            self.course
                .push((self.played(), self.values.iter().map(rounded).collect()));
        }
        grown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two pairs at a time, the later one ends first, and the run is cut: the earlier one is played again and no other.
    #[test]
    fn pairs_that_end_out_of_order_are_neither_lost_nor_doubled() {
        let mut state = SpsaState::default();
        for pair in [0, 2, 4] {
            state.finish(pair, 6);
        }
        let text = serde_json::to_string(&state).expect("text");
        let mut state: SpsaState = serde_json::from_str(&text).expect("the same");
        assert_eq!(state.played(), 3);
        assert_eq!(state.open(6).collect::<Vec<_>>(), [1, 3, 5]);
        state.finish(1, 6);
        assert_eq!((state.done, state.open(6).collect::<Vec<_>>()), (3, vec![3, 5]));
        state.finish(3, 6);
        state.finish(5, 6);
        assert_eq!((state.played(), state.open(6).next()), (6, None));
        assert!(state.beyond.is_empty());
    }

    /// The course has a point a hundredth of the run, whatever its length, and ends with the last pair.
    #[test]
    fn the_course_stays_short() {
        for all in [1, 7, 1000, 12_345] {
            let mut state = SpsaState {
                values: vec![("n".into(), 1.0)],
                ..SpsaState::default()
            };
            for pair in 0..all {
                state.values[0].1 = pair as f64;
                state.finish(pair, all);
            }
            assert_eq!(state.course.len() as u64, all.min(POINTS), "{all}");
            assert_eq!(state.course.last(), Some(&(all, vec![all as f64 - 1.0])));
        }
    }
}
