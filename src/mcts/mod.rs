//! Monte Carlo tree search for go: a shared tree, a judge for its leaves, and what the root makes of it.
//!
//! [`leaf::Leaf`] is the seam for playouts; where a network judges, [`leaf::Judge`] is, and [`puct`] searches.

pub mod backup;
pub mod engine;
pub mod leaf;
pub mod network;
pub mod playout;
pub mod prior;
pub mod puct;
pub mod root;
pub mod select;
pub mod tactics;
pub mod tree;
pub mod trunk;

pub use engine::{Ban, Decision, Judges, Mcts};
pub use puct::Params as SearchParams;
pub use root::{Analysis, Candidate, Raw, Search};

/// The search's numbers.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Visits from which a move's own results outweigh AMAF.
    pub rave_equivalent: f32,
    /// Visits before a leaf gets children.
    pub expand_after: u32,
    /// How much the margin counts beside winning.
    pub margin_weight: f32,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            rave_equivalent: 3500.0,
            expand_after: 4,
            margin_weight: 0.04,
        }
    }
}
