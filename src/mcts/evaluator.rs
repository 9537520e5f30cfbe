//! The leaf evaluator: policy, value, score and ownership of a position.

use super::amaf::AmafUpdate;
use super::state::SearchState;
use crate::games::go::types::{POINTS, Point};
use std::sync::Arc;

/// The evaluation of a position, by a network or by playouts; values from black's point of view.
#[derive(Clone)]
pub struct Evaluation {
    /// The legal moves, the pass among them, each with its probability; empty where the search is to call
    /// [`LeafEvaluator::policy`] when the position is visited again.
    pub policy: Vec<(Point, f32)>,
    /// Black's win probability.
    pub win: f32,
    /// Black's expected lead in points, komi counted.
    pub lead: f32,
    /// Standard deviation of the final score.
    pub stdev: f32,
    /// Expected owner of each point, by [`Board::index`](crate::games::go::Board::index), from -1 for white to 1 for
    /// black.
    pub ownership: Box<[f32; POINTS]>,
    /// What playouts add to AMAF statistics; nothing where a network evaluates.
    pub amaf: Option<AmafUpdate>,
}

impl Default for Evaluation {
    fn default() -> Self {
        Self {
            policy: Vec::new(),
            win: 0.5,
            lead: 0.0,
            stdev: 0.0,
            ownership: Box::new([0.0; POINTS]),
            amaf: None,
        }
    }
}

/// Evaluates positions for one thread of the search.
pub trait LeafEvaluator: Send {
    /// Policy, value, score and ownership of a position; the policy may be left empty.
    fn evaluate(&mut self, state: &SearchState, out: &mut Evaluation);

    /// The same of the root, with its policy, which may be another than below the root.
    fn evaluate_root(&mut self, state: &SearchState, out: &mut Evaluation) {
        self.evaluate(state, out);
    }

    /// The policy alone of a position that was evaluated before.
    fn policy(&mut self, state: &SearchState, out: &mut Evaluation) {
        self.evaluate(state, out);
    }

    /// The same of a position after two passes, where ownership decides which stones are dead.
    fn evaluate_end(&mut self, state: &SearchState, out: &mut Evaluation) {
        self.evaluate(state, out);
    }
}

/// Makes evaluators, one for each thread; a network and its cache are shared by all of them.
#[derive(Clone)]
pub struct EvaluatorFactory {
    /// The name of the network.
    pub name: String,
    /// Makes an evaluator; the seed differs from one to the next.
    pub make: Arc<dyn Fn(u64) -> Box<dyn LeafEvaluator> + Send + Sync>,
    /// Clears the cache of evaluations.
    pub clear_cache: Arc<dyn Fn() + Send + Sync>,
}
