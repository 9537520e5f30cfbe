//! Runs a network for one thread: features in, policy and values out.

use super::RawOutput;
use super::planes::{GLOBALS, InputEncoder, SPATIAL};
use crate::eval::conv::{Net, Output, Runner, Simd};
use crate::games::go::types::{BLACK, PASS, Point};
use crate::mcts::evaluator::Evaluation;
use crate::mcts::state::SearchState;
use std::sync::Arc;

/// The network with the scratch buffers of a thread.
pub(super) struct NetRunner {
    runner: Runner,
    encoder: InputEncoder,
    planes: Vec<f32>,
    transformed: Vec<f32>,
    globals: [f32; GLOBALS],
    /// Where the symmetry puts each point of the planes.
    map: Vec<u16>,
    out: Output,
}

impl NetRunner {
    pub(super) fn new(net: Arc<Net>, kernel: Simd) -> Self {
        Self {
            runner: Runner::by(net, kernel),
            encoder: InputEncoder::default(),
            planes: Vec::new(),
            transformed: Vec::new(),
            globals: [0.0; GLOBALS],
            map: Vec::new(),
            out: Output::default(),
        }
    }

    /// Runs the network on the board under one of the eight symmetries.
    fn run(&mut self, state: &SearchState, symmetry: u8) {
        let size = state.board.size();
        let area = size * size;
        self.planes.resize(SPATIAL * area, 0.0);
        self.transformed.resize(SPATIAL * area, 0.0);
        let view = state.view(self.runner.net().alive_by_suicide);
        self.encoder.encode(&view, &mut self.planes, &mut self.globals);
        self.map.clear();
        self.map.extend((0..area).map(|i| {
            let (mut x, mut y) = (i % size, i / size);
            if symmetry & 1 != 0 {
                y = size - 1 - y;
            }
            if symmetry & 2 != 0 {
                x = size - 1 - x;
            }
            (if symmetry & 4 != 0 { x * size + y } else { y * size + x }) as u16
        }));
        for (plane, transformed) in self
            .planes
            .chunks_exact(area)
            .zip(self.transformed.chunks_exact_mut(area))
        {
            for (x, &to) in plane.iter().zip(&self.map) {
                transformed[to as usize] = *x;
            }
        }
        self.runner
            .run((size, size), &self.transformed, &self.globals, &mut self.out);
    }

    /// Probabilities of win, loss and no result for the side to move.
    fn outcomes(&self, state: &SearchState) -> [f32; 3] {
        let o = &self.out;
        let open = state.may_have_no_result();
        let most = o.win.max(o.loss).max(if open { o.no_result } else { f32::MIN });
        let none = if open { (o.no_result - most).exp() } else { 0.0 };
        let all = [(o.win - most).exp(), (o.loss - most).exp(), none];
        let sum: f32 = all.iter().sum();
        all.map(|x| x / sum)
    }

    /// The index of a point in the planes that the network saw.
    fn place(&self, state: &SearchState, p: Point) -> usize {
        let (x, y) = state.board.xy(p);
        let size = state.board.size();
        self.map[(size - 1 - y) * size + x] as usize
    }

    /// The softmax over the legal moves and the pass of logits between the plain policy's and the optimistic one's.
    fn policy(&self, state: &SearchState, optimism: f32, out: &mut Vec<(Point, f32)>) {
        let Output { policy, optimistic, .. } = &self.out;
        let logit = |i: usize| {
            optimistic
                .get(i)
                .map_or(policy[i], |o| policy[i] + (o - policy[i]) * optimism)
        };
        let pass = logit(self.map.len());
        out.clear();
        out.push((PASS, pass));
        let legal = state.board.empties().iter().filter(|&&p| state.is_legal(p));
        out.extend(legal.map(|&p| (p, logit(self.place(state, p)))));
        let most = out.iter().fold(f32::MIN, |a, b| a.max(b.1));
        out.iter_mut().for_each(|(_, x)| *x = (*x - most).exp());
        normalize(out);
    }

    /// All outputs for a position.
    pub(super) fn raw(&mut self, state: &SearchState, symmetry: u8, optimism: f32) -> RawOutput {
        self.run(state, symmetry);
        let size = state.board.size();
        let mut moves = Vec::new();
        self.policy(state, optimism, &mut moves);
        let mut policy = vec![None; size * size];
        for &(p, chance) in &moves[1..] {
            let (x, y) = state.board.xy(p);
            policy[(size - 1 - y) * size + x] = Some(chance);
        }
        let black = state.turn == BLACK;
        let sign = if black { -1.0 } else { 1.0 };
        let [own, other, no_result] = self.outcomes(state);
        let (win, loss) = if black { (other, own) } else { (own, other) };
        let o = &self.out;
        let square = o.score_mean * o.score_mean + o.score_stdev * o.score_stdev;
        RawOutput {
            symmetry,
            size,
            win,
            loss,
            no_result,
            lead: sign * o.lead * (1.0 - no_result),
            score: sign * o.score_mean * (1.0 - no_result),
            score_square: square * (1.0 - no_result),
            var_time: o.var_time,
            short_win: o.short_win,
            short_score: o.short_score,
            policy,
            pass: moves[0].1,
            ownership: self.map.iter().map(|&i| sign * o.ownership[i as usize]).collect(),
        }
    }

    /// Evaluates a position.
    pub(super) fn evaluate(&mut self, state: &SearchState, symmetry: u8, optimism: f32, out: &mut Evaluation) {
        self.run(state, symmetry);
        self.policy(state, optimism, &mut out.policy);
        let black = state.turn == BLACK;
        let sign = if black { 1.0 } else { -1.0 };
        let [own, other, no_result] = self.outcomes(state);
        out.win = if black { own } else { other } + no_result / 2.0;
        out.lead = sign * self.out.lead * (1.0 - no_result);
        out.stdev = self.out.score_stdev;
        for p in state.board.points() {
            out.ownership[state.board.index(p)] = sign * self.out.ownership[self.place(state, p)];
        }
    }
}

/// Makes probabilities sum to 1.
pub(super) fn normalize(policy: &mut [(Point, f32)]) {
    let sum: f32 = policy.iter().map(|p| p.1).sum();
    policy.iter_mut().for_each(|p| p.1 /= sum);
}
