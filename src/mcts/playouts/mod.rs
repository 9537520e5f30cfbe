//! The leaf evaluator that needs no network: a policy from patterns and local reading, and the mean of a few playouts.

pub mod playout;
pub mod prior;
pub mod tactics;

use super::evaluator::{Evaluation, EvaluatorFactory, LeafEvaluator};
use super::state::SearchState;
use crate::games::go::Board;
use crate::games::go::types::{BLACK, WHITE};
use playout::{Playout, Rates};
use std::sync::Arc;

/// Playouts of a position of the tree.
pub const PLAYOUTS: u32 = 2;
/// Playouts that decide which stones are dead: after two passes, and at the root once a third of the board is filled.
const STATUS_PLAYOUTS: u32 = 100;
/// Standard deviation of the score of a single playout, in sides of the board.
const SCORE_STDEV: f32 = 1.0;

/// Evaluates positions by playouts, with random numbers of its own.
pub struct PlayoutEvaluator {
    playout: Playout,
    scratch: prior::Scratch,
    playouts: u32,
}

impl PlayoutEvaluator {
    /// An evaluator for one thread.
    pub fn new(board: &Board, playouts: u32, seed: u64) -> Self {
        Self {
            playout: Playout::new(board.clone(), Rates::HEAVY, seed),
            scratch: prior::Scratch::default(),
            playouts: playouts.max(1),
        }
    }

    /// Makes evaluators for boards of this size.
    pub fn factory(board: &Board) -> EvaluatorFactory {
        let board = board.clone();
        EvaluatorFactory {
            name: "playouts".into(),
            make: Arc::new(move |seed| Box::new(Self::new(&board, PLAYOUTS, seed))),
            clear_cache: Arc::new(|| {}),
        }
    }

    /// Value, score, ownership and AMAF statistics by so many playouts.
    fn play_out(&mut self, state: &SearchState, playouts: u32, out: &mut Evaluation) {
        let n = playouts as f32;
        let cells = state.board.cells();
        let mut amaf = out.amaf.take().unwrap_or_default();
        amaf.clear(cells);
        let fixed = -state.area_surplus() - state.compensation;
        let (mut wins, mut sum, mut square) = (0.0, 0.0, 0.0);
        out.ownership.fill(0.0);
        for _ in 0..playouts {
            self.playout.run(&state.board, state.turn);
            let lead = self.playout.lead() as f32 + fixed;
            let win = if lead > 0.0 {
                1.0
            } else if lead < 0.0 {
                0.0
            } else {
                0.5
            };
            wins += win;
            sum += lead;
            square += lead * lead;
            amaf.add(&self.playout.first[..cells], win);
            for (owner, p) in out.ownership.iter_mut().zip(state.board.points()) {
                *owner += match self.playout.owner(p) {
                    BLACK => 1.0,
                    WHITE => -1.0,
                    _ => 0.0,
                };
            }
        }
        out.ownership.iter_mut().for_each(|owner| *owner /= n);
        (out.win, out.lead) = (wins / n, sum / n);
        let variance = (square / n - out.lead * out.lead).max(0.0);
        // As if one playout more had an ordinary deviation.
        let ordinary = SCORE_STDEV * state.board.size() as f32;
        out.stdev = ((variance * n + ordinary * ordinary) / (n + 1.0)).sqrt();
        out.amaf = Some(amaf);
    }
}

impl LeafEvaluator for PlayoutEvaluator {
    /// Without the policy: most leaves are never visited again.
    fn evaluate(&mut self, state: &SearchState, out: &mut Evaluation) {
        out.policy.clear();
        self.play_out(state, self.playouts, out);
    }

    fn evaluate_root(&mut self, state: &SearchState, out: &mut Evaluation) {
        let board = &state.board;
        let late = board.empties().len() * 3 < board.area() * 2;
        let playouts = if late { STATUS_PLAYOUTS } else { self.playouts };
        self.policy(state, out);
        self.play_out(state, playouts, out);
    }

    fn evaluate_end(&mut self, state: &SearchState, out: &mut Evaluation) {
        self.play_out(state, STATUS_PLAYOUTS, out);
    }

    fn policy(&mut self, state: &SearchState, out: &mut Evaluation) {
        prior::policy(state, &mut self.scratch, &mut self.playout.rng, &mut out.policy);
    }
}
