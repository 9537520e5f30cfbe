//! Where one thread asks a network.

use super::Raw;
use crate::eval::conv::{Net, Output, Runner};
use crate::games::go::planes::{GLOBALS, Painter, SPATIAL, View};
use crate::games::go::rules::{Ko, Scoring};
use crate::games::go::types::{BLACK, PASS, Point};
use crate::mcts::leaf::{Opinion, State};
use std::sync::Arc;

/// What a thread works in.
pub(super) struct Room {
    runner: Runner,
    painter: Painter,
    planes: Vec<f32>,
    turned: Vec<f32>,
    globals: [f32; GLOBALS],
    /// Where each point of the planes is on the turned board.
    map: Vec<u16>,
    out: Output,
}

impl Room {
    pub(super) fn new(net: Arc<Net>) -> Self {
        Self {
            runner: Runner::new(net),
            painter: Painter::default(),
            planes: Vec::new(),
            turned: Vec::new(),
            globals: [0.0; GLOBALS],
            map: Vec::new(),
            out: Output::default(),
        }
    }

    fn view<'a>(&self, state: &'a State) -> View<'a> {
        View {
            board: &state.board,
            turn: state.turn,
            rules: &state.rules,
            compensation: state.compensation,
            passes: state.passes,
            history: &state.history,
            past: &state.past,
            alive_by_suicide: self.runner.net().alive_by_suicide,
        }
    }

    /// Runs the network with the board turned one of eight ways.
    fn ask(&mut self, state: &State, turning: u8) {
        let size = state.board.size();
        let area = size * size;
        self.planes.resize(SPATIAL * area, 0.0);
        self.turned.resize(SPATIAL * area, 0.0);
        let view = self.view(state);
        self.painter.paint(&view, &mut self.planes, &mut self.globals);
        self.map.clear();
        self.map.extend((0..area).map(|i| {
            let (mut x, mut y) = (i % size, i / size);
            if turning & 1 != 0 {
                y = size - 1 - y;
            }
            if turning & 2 != 0 {
                x = size - 1 - x;
            }
            (if turning & 4 != 0 { x * size + y } else { y * size + x }) as u16
        }));
        for (plane, turned) in self.planes.chunks_exact(area).zip(self.turned.chunks_exact_mut(area)) {
            for (x, &to) in plane.iter().zip(&self.map) {
                turned[to as usize] = *x;
            }
        }
        self.runner
            .run((size, size), &self.turned, &self.globals, &mut self.out);
    }

    /// Chances of win, loss and no result of the side to move.
    fn chances(&self, state: &State) -> [f32; 3] {
        let o = &self.out;
        let open = state.rules.ko == Ko::Simple || state.rules.scoring == Scoring::Territory;
        let most = o.win.max(o.loss).max(if open { o.no_result } else { f32::MIN });
        let none = if open { (o.no_result - most).exp() } else { 0.0 };
        let all = [(o.win - most).exp(), (o.loss - most).exp(), none];
        let sum: f32 = all.iter().sum();
        all.map(|x| x / sum)
    }

    /// The place of a point in the planes, as the network saw it.
    fn place(&self, state: &State, p: Point) -> usize {
        let (x, y) = state.board.xy(p);
        let size = state.board.size();
        self.map[(size - 1 - y) * size + x] as usize
    }

    /// The chances of the legal moves and the pass, between the plain policy and the optimistic one.
    fn priors(&self, state: &State, optimism: f32, priors: &mut Vec<(Point, f32)>) {
        let Output { policy, optimistic, .. } = &self.out;
        let logit = |i: usize| {
            optimistic
                .get(i)
                .map_or(policy[i], |o| policy[i] + (o - policy[i]) * optimism)
        };
        let pass = logit(self.map.len());
        priors.clear();
        priors.push((PASS, pass));
        let legal = state.board.empties().iter().filter(|&&p| state.is_legal(p));
        priors.extend(legal.map(|&p| (p, logit(self.place(state, p)))));
        let most = priors.iter().fold(f32::MIN, |a, b| a.max(b.1));
        priors.iter_mut().for_each(|(_, x)| *x = (*x - most).exp());
        share_out(priors);
    }

    /// Everything that the network says of a position, with the board turned.
    pub(super) fn raw(&mut self, state: &State, turning: u8, optimism: f32) -> Raw {
        self.ask(state, turning);
        let size = state.board.size();
        let mut priors = Vec::new();
        self.priors(state, optimism, &mut priors);
        let mut policy = vec![None; size * size];
        for &(p, chance) in &priors[1..] {
            let (x, y) = state.board.xy(p);
            policy[(size - 1 - y) * size + x] = Some(chance);
        }
        let black = state.turn == BLACK;
        let sign = if black { -1.0 } else { 1.0 };
        let [own, other, no_result] = self.chances(state);
        let (win, loss) = if black { (other, own) } else { (own, other) };
        let o = &self.out;
        let square = o.score_mean * o.score_mean + o.score_stdev * o.score_stdev;
        Raw {
            turning,
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
            pass: priors[0].1,
            ownership: self.map.iter().map(|&i| sign * o.ownership[i as usize]).collect(),
        }
    }

    /// The network's opinion, with the board turned.
    pub(super) fn consider(&mut self, state: &State, turning: u8, optimism: f32, out: &mut Opinion) {
        self.ask(state, turning);
        self.priors(state, optimism, &mut out.priors);
        let black = state.turn == BLACK;
        let sign = if black { 1.0 } else { -1.0 };
        let [own, other, no_result] = self.chances(state);
        out.win = if black { own } else { other } + no_result / 2.0;
        out.lead = sign * self.out.lead * (1.0 - no_result);
        out.stdev = self.out.score_stdev;
        for p in state.board.points() {
            out.ownership[state.board.index(p)] = sign * self.out.ownership[self.place(state, p)];
        }
    }
}

/// Makes the chances sum to 1.
pub(super) fn share_out(priors: &mut [(Point, f32)]) {
    let sum: f32 = priors.iter().map(|p| p.1).sum();
    priors.iter_mut().for_each(|p| p.1 /= sum);
}
