//! The search: playouts of many threads from the root, tree reuse between moves, and the analysis.

mod worker;

use super::analysis::{Analysis, Candidate, RootEvaluation};
use super::bias::{NO_PATTERN, SubtreeBias};
use super::choice::{self, Rank};
use super::evaluator::{Evaluation, LeafEvaluator};
use super::node::Node;
use super::ownership::OwnershipRecord;
use super::rooted::{Arenas, RootedTree};
use super::state::SearchState;
use super::utility::ScoreScale;
use super::{SearchParams, backup, ending, noise};
use crate::games::go::Game;
use crate::games::go::rules::DeadStones;
use crate::games::go::types::{BLACK, Colour, PASS, Point, other};
use crate::util::rng::SplitMix;
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use worker::Worker;

/// Least prior of the pass at the root once half of the board is filled.
const LEAST_PASS: f32 = 0.03;
/// What it takes to keep a node when a full tree is cut back.
const TIME_A_KEPT_NODE: Duration = Duration::from_nanos(200);
/// Longest principal variation.
const LONGEST_LINE: usize = 15;

/// Which moves the search may try, by depth, side to move and move.
pub type Allowed<'a> = dyn Fn(usize, Colour, Point) -> bool + Sync + 'a;

/// A search tree with its root position, shared by reference between threads.
pub struct Search {
    /// The parameters.
    pub params: SearchParams,
    rooted: RootedTree,
    playouts: AtomicU64,
    full: AtomicBool,
    root_info: OnceLock<RootInfo>,
    ownership: Mutex<OwnershipRecord>,
    bias: SubtreeBias,
}

/// What the first thread computes at the root before any playout.
struct RootInfo {
    evaluation: Evaluation,
    scale: ScoreScale,
    /// The ending bonus in points, by point.
    bonus: Box<[f32]>,
    has_bonus: bool,
}

impl Search {
    /// A search with an empty tree of at most this many bytes, both arenas together.
    pub fn new(game: &Game, bytes: usize, params: SearchParams) -> Self {
        Self {
            params,
            rooted: RootedTree::new(game, bytes, params.amaf_equivalence > 0.0),
            playouts: AtomicU64::new(0),
            full: AtomicBool::new(false),
            root_info: OnceLock::new(),
            ownership: Mutex::default(),
            bias: SubtreeBias::default(),
        }
    }

    /// Clears the tree.
    pub fn clear(&mut self) {
        self.rooted.clear();
        self.begin();
    }

    /// Moves the root to a game's position, keeping its subtree.
    pub fn set_root(&mut self, game: &Game) {
        self.rooted.set_root(game);
        self.begin();
    }

    fn begin(&mut self) {
        self.playouts = AtomicU64::new(0);
        self.full = AtomicBool::new(false);
        self.root_info = OnceLock::new();
        self.ownership = Mutex::default();
        self.bias.clear();
    }

    /// From now on stones count as they stand at the end: what is dead must be captured.
    pub fn clean_up(&mut self) {
        self.rooted.state.rules.dead = DeadStones::Stay;
        self.clear();
    }

    /// The root's position.
    pub fn state(&self) -> &SearchState {
        &self.rooted.state
    }

    /// Visits made in this search, over all threads; the root's own evaluation is the first.
    pub fn playouts(&self) -> u64 {
        self.playouts.load(Relaxed)
    }

    /// Visits of the root, those of former searches among them.
    pub fn visits(&self) -> u32 {
        let arenas = self.rooted.arenas();
        arenas.tree.node(arenas.root).visits()
    }

    /// Thousandths of the tree's memory in use.
    pub fn fullness(&self) -> u32 {
        self.rooted.arenas().tree.fullness()
    }

    /// Whether the tree's memory is used up: the next playout drops what was visited least first.
    pub fn is_full(&self) -> bool {
        self.full.load(Relaxed)
    }

    /// About how long it takes to drop what was visited least from a full tree, in which time there are no playouts.
    pub fn space_making_time(&self) -> Duration {
        TIME_A_KEPT_NODE * self.rooted.arenas().tree.kept() as u32
    }

    /// The evaluation of the root, once it is made.
    pub fn root_evaluation(&self) -> Option<&Evaluation> {
        self.root_info.get().map(|info| &info.evaluation)
    }

    fn ownership(&self) -> MutexGuard<'_, OwnershipRecord> {
        self.ownership.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Evaluates the root, so that there is an answer before the first playout.
    pub fn prepare(&self, evaluator: &mut dyn LeafEvaluator) {
        self.root_info(evaluator);
    }

    fn root_info(&self, evaluator: &mut dyn LeafEvaluator) -> &RootInfo {
        self.root_info.get_or_init(|| {
            let arenas = self.rooted.arenas();
            let (state, Arenas { tree, root, .. }) = (&self.rooted.state, &*arenas);
            let node = tree.node(*root);
            let evaluation = self.evaluate_root(evaluator, state);
            let expected = match node.visits() {
                0 => evaluation.lead,
                _ if state.turn == BLACK => -node.mean().lead,
                _ => node.mean().lead,
            };
            let scale = ScoreScale::around(expected, state.board.size(), &self.params);
            let mut policy = playable(state, &evaluation.policy, 0.0);
            // Late in the game the pass is to be searched, so that its value is known.
            if self.params.noise == 0.0 && state.board.empties().len() * 2 < state.board.area() {
                let pass = policy.iter_mut().filter(|(p, _)| *p == PASS);
                pass.for_each(|(_, share)| *share = share.max(LEAST_PASS));
                normalize(&mut policy);
            }
            if self.params.root_temperature != 1.0 {
                policy
                    .iter_mut()
                    .for_each(|(_, p)| *p = p.powf(1.0 / self.params.root_temperature));
                normalize(&mut policy);
            }
            let mut rng = SplitMix::new(self.params.seed ^ state.board.key() ^ state.history.len() as u64);
            noise::mix(
                &mut policy,
                self.params.noise,
                self.params.noise_concentration,
                &mut rng,
            );
            policy.sort_by(|a, b| b.1.total_cmp(&a.1));
            let expanded = if tree.claim(*root) {
                tree.expand(*root, &policy, policy.len())
            } else {
                tree.reexpand(*root, &policy)
            };
            if !expanded {
                self.full.store(true, Relaxed);
            }
            let value = scale.value(&evaluation, other(state.turn), &self.params);
            node.set_own(&value);
            if node.visits() == 0 {
                node.add_visit();
                self.playouts.fetch_add(1, Relaxed);
                let scratch = &mut backup::Scratch::default();
                backup::recompute(tree, *root, true, &self.params, &self.bias, scratch);
            } else {
                self.rescale(&arenas, &scale);
            }
            self.ownership().add(None, &evaluation.ownership[..state.board.area()]);
            let bonus = ending::bonus(state, &evaluation, self.params.ending_points);
            RootInfo {
                has_bonus: bonus.iter().any(|&b| b != 0.0),
                bonus,
                evaluation,
                scale,
            }
        })
    }

    /// The root's evaluation; in self-play the mean over several random symmetries.
    fn evaluate_root(&self, evaluator: &mut dyn LeafEvaluator, state: &SearchState) -> Evaluation {
        let mut mean = Evaluation::default();
        evaluator.evaluate_root(state, &mut mean);
        let samples = self.params.root_symmetries.max(1);
        let mut one = Evaluation::default();
        for _ in 1..samples {
            evaluator.evaluate_root(state, &mut one);
            mean.win += one.win;
            mean.lead += one.lead;
            mean.stdev += one.stdev;
            for (sum, x) in mean.ownership.iter_mut().zip(one.ownership.iter()) {
                *sum += x;
            }
            for (p, share) in &mut mean.policy {
                *share += one.policy.iter().find(|(q, _)| q == p).map_or(0.0, |(_, s)| *s);
            }
        }
        let n = samples as f32;
        mean.win /= n;
        mean.lead /= n;
        mean.stdev /= n;
        mean.ownership.iter_mut().for_each(|x| *x /= n);
        mean.policy.iter_mut().for_each(|(_, share)| *share /= n);
        mean
    }

    /// Makes playouts until `stop`; any number of threads may do so at once.
    pub fn run(&self, evaluator: &mut dyn LeafEvaluator, allowed: &Allowed, stop: &(dyn Fn() -> bool + Sync)) {
        let info = self.root_info(evaluator);
        let mut worker = Worker {
            search: self,
            info,
            state: self.rooted.state.clone(),
            path: Vec::with_capacity(64),
            evaluation: Evaluation::default(),
            scratch: backup::Scratch::default(),
            pattern: NO_PATTERN,
            rng: RefCell::new(SplitMix::new(self.params.seed)),
        };
        while !stop() {
            if self.is_full() {
                self.rooted.make_space(&self.full);
            }
            worker.playout(evaluator, allowed);
        }
    }

    /// The moves from the root to one of the visited nodes, each visit as likely; none to the root itself.
    pub fn random_line(&self, rng: &mut SplitMix) -> Vec<Point> {
        let arenas = self.rooted.arenas();
        let Arenas { tree, root, .. } = &*arenas;
        let visits = |id| u64::from(tree.node(id).visits());
        let (mut line, mut at) = (Vec::new(), *root);
        loop {
            let below: u64 = tree.node(at).children().map(visits).sum();
            // One of the node's visits was its own evaluation.
            let mut left = rng.below(below + 1);
            let next = tree.node(at).children().find(|&child| {
                let here = visits(child);
                let found = left < here;
                left = left.saturating_sub(here);
                found
            });
            let Some(next) = next else { return line };
            line.push(tree.node(next).mv());
            at = next;
        }
    }

    /// Recomputes all utilities of the tree, for they depend on the score that is expected at the root, and the subtree
    /// value bias with them, for that of subtrees that were dropped counts no more.
    fn rescale(&self, Arenas { tree, root, .. }: &Arenas, scale: &ScoreScale) {
        let state = &self.rooted.state;
        let mut order = vec![(*root, other(state.turn))];
        let mut next = 0;
        while let Some(&(id, mover)) = order.get(next) {
            next += 1;
            let node = tree.node(id);
            let mut own = node.own();
            own.utility = scale.utility(&own, mover, &self.params);
            node.set_own(&own);
            node.error.set(0.0);
            node.error_weight.set(0.0);
            let visited = node.children().filter(|&child| tree.node(child).visits() > 0);
            order.extend(visited.map(|child| (child, other(mover))));
        }
        let mut scratch = backup::Scratch::default();
        // Once for the errors, and once to correct by them.
        for _ in 0..2 {
            for &(id, _) in order.iter().rev() {
                backup::recompute(tree, id, id == *root, &self.params, &self.bias, &mut scratch);
            }
        }
    }

    fn bonus_of(&self, child: &Node) -> f32 {
        match self.root_info.get() {
            Some(info) if info.has_bonus => info.bonus(child, self.rooted.state.turn, &self.params),
            _ => 0.0,
        }
    }

    /// The root's moves, the one to play first.
    pub fn ranks(&self, allowed: impl Fn(Point) -> bool) -> Vec<Rank> {
        self.ranks_in(&self.rooted.arenas(), allowed)
    }

    fn ranks_in(&self, Arenas { tree, root, .. }: &Arenas, allowed: impl Fn(Point) -> bool) -> Vec<Rank> {
        choice::rank(tree, *root, &self.params, allowed, |child| self.bonus_of(child))
    }

    /// All that is known of the root, its best move first.
    pub fn analysis(&self) -> Analysis {
        let arenas = self.rooted.arenas();
        let (state, Arenas { tree, root, .. }) = (&self.rooted.state, &*arenas);
        let node = tree.node(*root);
        let mean = node.mean().flip();
        let raw = self.root_info.get().map(|info| {
            let value = info.scale.value(&info.evaluation, state.turn, &self.params);
            RootEvaluation {
                value: value.win,
                score: value.lead,
                stdev: value.stdev(),
                policy: info.evaluation.policy.clone(),
            }
        });
        let ownership = self.ownership();
        let to_win = 0.5 / self.params.radius();
        let candidate = |r: Rank| {
            let mut line = vec![(r.mv, r.visits)];
            line.extend(tree.line(r.id, LONGEST_LINE));
            let (pv, pv_visits) = line.into_iter().unzip();
            let sums = ownership.moves.iter().find(|(mv, _)| *mv == r.mv);
            // A move without visits is given the root's value.
            let value = if r.visits == 0 { mean } else { r.mean };
            Candidate {
                mv: r.mv,
                visits: r.visits,
                value: value.win,
                score: value.lead,
                stdev: value.stdev(),
                prior: r.prior,
                lcb: value.win - r.radius * to_win,
                utility: value.utility,
                utility_lcb: r.lcb,
                weight: r.weight,
                rank: r.selection.max(0.0),
                pv,
                pv_visits,
                ownership: sums.map_or_else(Vec::new, |(_, sums)| sums.mean()),
            }
        };
        Analysis {
            visits: node.visits(),
            playouts: self.playouts(),
            value: mean.win,
            score: mean.lead,
            stdev: mean.stdev(),
            utility: mean.utility,
            weight: node.weight.get(),
            moves: self.ranks_in(&arenas, |_| true).into_iter().map(candidate).collect(),
            ownership: ownership.all.mean(),
            ownership_stdev: ownership.all.stdev(),
            raw,
        }
    }
}

impl RootInfo {
    fn bonus(&self, child: &Node, view: Colour, params: &SearchParams) -> f32 {
        let points = self.bonus[child.mv() as usize];
        if points == 0.0 || child.visits() == 0 {
            return 0.0;
        }
        self.scale.points(points, &child.mean(), view, params)
    }
}

fn normalize(policy: &mut [(Point, f32)]) {
    let sum: f32 = policy.iter().map(|(_, p)| p).sum();
    if sum > 0.0 {
        policy.iter_mut().for_each(|(_, p)| *p /= sum);
    } else {
        let n = policy.len() as f32;
        policy.iter_mut().for_each(|(_, p)| *p = 1.0 / n);
    }
}

/// The moves of a policy that get nodes: not those that fill own eyes or have a tiny prior, but always the pass.
fn playable(state: &SearchState, priors: &[(Point, f32)], least: f32) -> Vec<(Point, f32)> {
    let good = |&&(p, share): &&(Point, f32)| p == PASS || (share >= least && !state.board.is_eye(p, state.turn));
    let mut policy: Vec<(Point, f32)> = priors.iter().filter(good).copied().collect();
    for (_, share) in &mut policy {
        *share = if share.is_finite() { share.max(0.0) } else { 0.0 };
    }
    if !policy.iter().any(|&(p, _)| p == PASS) {
        policy.push((PASS, 0.0));
    }
    normalize(&mut policy);
    policy
}

#[cfg(test)]
mod tests;
