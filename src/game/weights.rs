//! Evaluations as sums of weighted terms: flat tables of (opening, ending) pairs in named groups, as a tuner reads and
//! writes them.

use super::Score;

/// A value of the opening and one of the ending in one number: the ending's in the upper half.
pub type Pair = i32;

/// Both values of a weight in one number.
pub const fn pair(weight: (i16, i16)) -> Pair {
    weight.0 as i32 + ((weight.1 as i32) << 16)
}

/// The value in the opening.
#[inline]
pub const fn opening(p: Pair) -> i32 {
    p as i16 as i32
}

/// The value in the ending.
#[inline]
pub const fn ending(p: Pair) -> i32 {
    ((p + 0x8000) >> 16) as i16 as i32
}

/// Opening and ending by shares: `phase` parts of `full` are opening.
#[inline]
pub const fn blend(total: Pair, phase: i32, full: i32) -> Score {
    (opening(total) * phase + ending(total) * (full - phase)) / full
}

/// A table of weights as [`Pair`]s.
pub const fn pairs<const N: usize>(weights: &[(i16, i16); N]) -> [Pair; N] {
    let mut all = [0; N];
    let mut i = 0;
    while i < N {
        all[i] = pair(weights[i]);
        i += 1;
    }
    all
}

/// Receives the terms: which weight, how often, from the first side's view.
pub trait Tally {
    /// Adds a term.
    fn add(&mut self, weight: usize, times: i32);
}

/// How often each weight counts in a position, for a tuner: the evaluation is
/// `sum(times * blend(weight, phase)) * scale / full scale`.
#[derive(Clone, Debug)]
pub struct Trace {
    /// By weight, from the first side's view.
    pub times: Vec<i16>,
    /// How much of the opening is left.
    pub phase: i32,
    /// How much of an advantage counts; games that scale nothing leave it 1.
    pub scale: i32,
}

impl Trace {
    /// No terms of `n` weights.
    pub fn new(n: usize, phase: i32) -> Self {
        let times = vec![0; n];
        Self { times, phase, scale: 1 }
    }
}

impl Tally for Trace {
    fn add(&mut self, weight: usize, times: i32) {
        self.times[weight] += times as i16;
    }
}

/// Declares groups of weights: an enum `Group`, whose `start` is a group's place in the flat table, their names and sizes
/// `GROUPS`, and `COUNT`, the size of the table.
macro_rules! weight_groups {
    ($($(#[doc = $doc:literal])+ $name:ident : $len:expr;)+) => {
        /// Groups of weights.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Group { $($(#[doc = $doc])+ $name,)+ }

        /// Names and sizes of the groups, in the order of [`Group`].
        pub const GROUPS: &[(&str, usize)] = &[$((stringify!($name), $len),)+];

        impl Group {
            /// Where the group starts in the table.
            pub const fn start(self) -> usize {
                let (mut i, mut sum) = (0, 0);
                while i < self as usize {
                    sum += GROUPS[i].1;
                    i += 1;
                }
                sum
            }
        }

        /// Weights of all groups.
        pub const COUNT: usize = {
            let (mut i, mut sum) = (0, 0);
            while i < GROUPS.len() {
                sum += GROUPS[i].1;
                i += 1;
            }
            sum
        };
    };
}
pub(crate) use weight_groups;
