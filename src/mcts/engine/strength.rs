//! Playing at a rank: few visits, and a move drawn among the likeliest ones by leads read with an error.

use super::Mcts;
use super::task::Task;
use crate::control::{LimitedStrength, Limits, Signal, Value};
use crate::game::Score;
use crate::games::go::levels;
use crate::games::go::types::{BLACK, PASS, Point, colour};
use crate::mcts::Search;
use crate::mcts::evaluator::{Evaluation, EvaluatorFactory, LeafEvaluator};
use crate::mcts::network::{NetEvaluator, Network};
use crate::util::rng::SplitMix;
use std::sync::{Arc, OnceLock};

/// Moves with less than this share of the likeliest one's policy are no candidates, up to a spread of [`WIDE_SPREAD`]: no beginner
/// fills his own eyes.
const LEAST_POLICY: f32 = 0.01;
/// Spread in hundredths of a point; beyond it that share falls with the square of the spread: beginners also play where nobody else looks.
const WIDE_SPREAD: f64 = 400.0;

/// Visits by playouts that take about as long as one with a network.
pub const PLAYOUTS_A_NET_VISIT: u64 = 25;

impl Mcts {
    /// How weakly to play, where a rank is set; an analysis is always at full strength.
    pub(super) fn limited_strength(&self, limits: &Limits) -> Option<LimitedStrength> {
        let Some(Value::Combo { now, .. }) = self.options.get("Rank").map(|o| &o.value) else {
            return None;
        };
        let rank = now.checked_sub(1).filter(|_| !limits.infinite)?;
        let mut strength = LimitedStrength::at(levels::levels(self.size), levels::elo(rank))?;
        if !self.has_network() {
            strength.nodes *= PLAYOUTS_A_NET_VISIT;
        }
        Some(strength)
    }

    /// What evaluates at a rank in place of the built-in network: the one to which the ranks are fitted, so that they stay
    /// what they are when a stronger network is built in.
    pub(super) fn rank_evaluators(&self) -> Option<EvaluatorFactory> {
        let name = self.network.as_ref().map(|network| network.net().name.as_str());
        let built_in = self.options.text("Model").is_empty() && name == self.network_name();
        let network = Network::of_ranks().filter(|_| built_in)?;
        Some(NetEvaluator::factory(Arc::new(network)))
    }
}

/// How a move is chosen at a rank.
pub(super) struct RankedPlay {
    strength: LimitedStrength,
    seed: u64,
    /// The move that was drawn; none where the search's own choice holds.
    chosen: OnceLock<Point>,
}

impl RankedPlay {
    pub(super) fn new(strength: LimitedStrength, seed: u64) -> Self {
        Self {
            strength,
            seed,
            chosen: OnceLock::new(),
        }
    }

    /// The move that was drawn.
    pub(super) fn chosen(&self) -> Option<Point> {
        self.chosen.get().copied()
    }

    /// Draws the move after the search. Candidates that it has not visited are evaluated here, one evaluation each.
    pub(super) fn draw(&self, task: &Task, evaluator: &mut dyn LeafEvaluator, search: &Search, signal: &Signal) {
        let analysis = search.analysis();
        let side = task.game.side();
        // A pass is the search's own choice or none.
        if analysis
            .moves
            .iter()
            .find(|m| task.may(m.mv))
            .is_none_or(|best| best.mv == PASS)
        {
            return;
        }
        let mut moves = analysis.moves;
        moves.retain(|m| m.mv != PASS && task.may(m.mv) && task.game.is_legal(m.mv, side));
        let likeliest = moves.iter().map(|m| m.prior).fold(0.0, f32::max);
        let least = LEAST_POLICY * likeliest * (WIDE_SPREAD / self.strength.noise).powi(2).min(1.0) as f32;
        moves.retain(|m| m.visits > 0 || m.prior >= least);
        // As the search ranks them; those that it has not visited by their policy.
        moves.truncate(self.strength.lines);
        let mut evaluation = Evaluation::default();
        let mut leads: Vec<(Point, f32)> = Vec::with_capacity(moves.len());
        for m in &moves {
            let lead = if m.visits > 0 {
                m.score
            } else if signal.stopped() {
                continue;
            } else {
                let mut state = search.state().clone();
                state.play(m.mv);
                evaluator.evaluate(&state, &mut evaluation);
                if colour(side) == BLACK {
                    evaluation.lead
                } else {
                    -evaluation.lead
                }
            };
            leads.push((m.mv, lead));
        }
        leads.sort_by(|a, b| b.1.total_cmp(&a.1));
        let Some(&(favourite, best)) = leads.first() else {
            return;
        };
        // Relative to the best: in a lost game, too, losses differ.
        let scores: Vec<Score> = leads
            .iter()
            .map(|&(_, lead)| ((lead - best) * 100.0) as Score)
            .collect();
        // A move that the policy finds likely is one that players see.
        let found = moves.iter().find(|m| m.mv == favourite).map_or(0.0, |m| m.prior);
        let difficulty = f64::from(1.0 - found.clamp(0.0, 1.0));
        let drawn = self.strength.choose(&scores, difficulty, &mut SplitMix::new(self.seed));
        if let Some(&(mv, _)) = leads.get(drawn) {
            let _ = self.chosen.set(mv);
        }
    }
}
