//! Monte Carlo tree search for go: PUCT with the refinements of KataGo (Wu, "Accelerating self-play learning in Go", 2019,
//! and its `docs/KataGoMethods.md`).
//!
//! There is one tree and one search. Leaves are evaluated by an [`evaluator::LeafEvaluator`]: a [`network::NetEvaluator`],
//! or where there is no network a [`playouts::PlayoutEvaluator`].

pub mod amaf;
pub mod analysis;
pub mod backup;
pub mod bias;
pub mod choice;
pub mod ending;
pub mod engine;
pub mod evaluator;
pub mod network;
pub mod node;
pub mod noise;
pub mod ownership;
pub mod params;
pub mod playouts;
pub mod rooted;
pub mod search;
pub mod select;
pub mod state;
pub mod tree;
pub mod utility;

pub use analysis::{Analysis, Candidate, RootEvaluation, expected_score, wdl};
pub use engine::{Ban, Decision, Mcts, PLAYOUTS_A_NET_VISIT};
pub use params::SearchParams;
pub use search::Search;
