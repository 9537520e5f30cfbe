//! The search from its root: descents of many threads, reuse of the tree between moves, what was found.

use super::bias::{self, Errors, Kind, NO_KIND};
use super::branch::Branch;
use super::choice::{self, Rank};
use super::select::Pick;
use super::utility::Scale;
use super::{Params, backup, ending, noise, select};
use crate::games::go::Game;
use crate::games::go::rules::DeadStones;
use crate::games::go::types::{BLACK, Colour, PASS, Point, other};
use crate::mcts::leaf::{Judge, Opinion, State};
use crate::mcts::root::{Analysis, Candidate, Raw};
use crate::mcts::tree::{Id, Knot};
use crate::mcts::trunk::Trunk;
use crate::util::rng::SplitMix;
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Deepest descent.
const MOST_PLIES: usize = 1000;
/// Least share that the pass has of the root's policy once half of the board is filled.
const LEAST_PASS: f32 = 0.03;
/// Longest line told.
const LONGEST_LINE: usize = 15;

/// Which moves the search may try: asked with the depth, the side to move and the move.
pub type Allowed<'a> = dyn Fn(usize, Colour, Point) -> bool + Sync + 'a;

/// One search tree with its root position. Shared by reference between threads.
pub struct Search {
    /// The numbers it searches by.
    pub params: Params,
    trunk: Trunk<Branch>,
    playouts: AtomicU64,
    full: AtomicBool,
    ready: OnceLock<Ready>,
    record: Mutex<Record>,
    errors: Errors,
}

/// What the first thread finds out about the root before any thread descends.
struct Ready {
    opinion: Opinion,
    scale: Scale,
    /// Points that speak for or against a move of the root, by point.
    bonus: Box<[f32]>,
    any_bonus: bool,
}

/// Sums of ownership over positions.
#[derive(Clone, Default)]
struct Owned {
    n: f32,
    sum: Vec<f32>,
    square: Vec<f32>,
}

impl Owned {
    fn add(&mut self, ownership: &[f32]) {
        self.n += 1.0;
        self.sum.resize(ownership.len(), 0.0);
        self.square.resize(ownership.len(), 0.0);
        for ((sum, square), x) in self.sum.iter_mut().zip(&mut self.square).zip(ownership) {
            *sum += x;
            *square += x * x;
        }
    }

    fn mean(&self) -> Vec<f32> {
        self.sum.iter().map(|x| x / self.n).collect()
    }

    fn stdev(&self) -> Vec<f32> {
        let one = |(sum, square): (&f32, &f32)| (square / self.n - (sum / self.n).powi(2)).max(0.0).sqrt();
        self.sum.iter().zip(&self.square).map(one).collect()
    }
}

/// Whose the points are, over this search.
#[derive(Default)]
struct Record {
    all: Owned,
    /// After each move of the root.
    moves: Vec<(Point, Owned)>,
}

impl Record {
    fn add(&mut self, mv: Option<Point>, ownership: &[f32]) {
        self.all.add(ownership);
        let Some(mv) = mv else { return };
        match self.moves.iter_mut().find(|(m, _)| *m == mv) {
            Some((_, owned)) => owned.add(ownership),
            None => {
                let mut owned = Owned::default();
                owned.add(ownership);
                self.moves.push((mv, owned));
            }
        }
    }
}

impl Search {
    /// A search with an empty tree of at most this many bytes, both halves together.
    pub fn new(game: &Game, bytes: usize, params: Params) -> Self {
        Self {
            params,
            trunk: Trunk::new(game, bytes),
            playouts: AtomicU64::new(0),
            full: AtomicBool::new(false),
            ready: OnceLock::new(),
            record: Mutex::default(),
            errors: Errors::default(),
        }
    }

    /// Forgets the tree.
    pub fn clear(&mut self) {
        self.trunk.clear();
        self.begin();
    }

    /// Moves the root to a game's position, keeping what the tree knows of it.
    pub fn set_root(&mut self, game: &Game) {
        self.trunk.set_root(game);
        self.begin();
    }

    fn begin(&mut self) {
        self.playouts = AtomicU64::new(0);
        self.full = AtomicBool::new(false);
        self.ready = OnceLock::new();
        self.record = Mutex::default();
        self.errors.clear();
    }

    /// From now on stones count as they stand at the end: what is dead must be captured.
    pub fn clean_up(&mut self) {
        self.trunk.state.rules.dead = DeadStones::Stay;
        self.clear();
    }

    /// The root's position.
    pub fn state(&self) -> &State {
        &self.trunk.state
    }

    /// Visits made in this search, over all threads; the root's own judgement is the first.
    pub fn playouts(&self) -> u64 {
        self.playouts.load(Relaxed)
    }

    /// Visits of the root, those of former searches among them.
    pub fn visits(&self) -> u32 {
        self.trunk.tree.node(self.trunk.root).visits()
    }

    /// Thousandths of the tree's memory in use.
    pub fn fullness(&self) -> u32 {
        self.trunk.tree.fullness()
    }

    /// Whether the tree's memory is used up, which ends the descents.
    pub fn is_full(&self) -> bool {
        self.full.load(Relaxed)
    }

    /// What the judge says of the root, once it was asked.
    pub fn opinion(&self) -> Option<&Opinion> {
        self.ready.get().map(|r| &r.opinion)
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the root judged, so that there is an answer before the first descent.
    pub fn prepare(&self, judge: &mut dyn Judge) {
        self.ready(judge);
    }

    fn ready(&self, judge: &mut dyn Judge) -> &Ready {
        self.ready.get_or_init(|| {
            let Trunk { tree, root, state, .. } = &self.trunk;
            let node = tree.node(*root);
            let opinion = self.look(judge, state);
            let expected = match node.visits() {
                0 => opinion.lead,
                _ if state.turn == BLACK => -node.mean().lead,
                _ => node.mean().lead,
            };
            let scale = Scale::around(expected, state.board.size(), &self.params);
            let mut policy = playable(state, &opinion.priors, 0.0);
            // Late in the game the pass is to be looked at, so that it is known what it costs.
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
            let moves = || policy.iter().map(|&(mv, _)| mv);
            let set = |i: usize, kid: &Branch| kid.prior.set(policy[i].1);
            let grown = if tree.claim(*root) {
                tree.grow(*root, moves(), false, set)
            } else {
                tree.regrow(*root, moves(), set)
            };
            if !grown {
                self.full.store(true, Relaxed);
            }
            let worth = scale.worth(&opinion, other(state.turn), &self.params);
            node.set_own(&worth);
            if node.visits() == 0 {
                node.count();
                self.playouts.fetch_add(1, Relaxed);
                let scratch = &mut backup::Scratch::default();
                backup::refresh(tree, *root, true, &self.params, &self.errors, scratch);
            } else {
                self.rescale(&scale);
            }
            self.record().add(None, &opinion.ownership[..state.board.area()]);
            let bonus = ending::bonus(state, &opinion, self.params.ending_points);
            Ready {
                any_bonus: bonus.iter().any(|&b| b != 0.0),
                bonus,
                opinion,
                scale,
            }
        })
    }

    /// The root's opinion, the mean of several in self-play: a judge that turns the board at random says each time
    /// something else.
    fn look(&self, judge: &mut dyn Judge, state: &State) -> Opinion {
        let mut opinion = Opinion::default();
        judge.consider_root(state, &mut opinion);
        let looks = self.params.root_looks.max(1);
        let mut one = Opinion::default();
        for _ in 1..looks {
            judge.consider_root(state, &mut one);
            opinion.win += one.win;
            opinion.lead += one.lead;
            opinion.stdev += one.stdev;
            for (sum, x) in opinion.ownership.iter_mut().zip(one.ownership.iter()) {
                *sum += x;
            }
            for (p, share) in &mut opinion.priors {
                *share += one.priors.iter().find(|(q, _)| q == p).map_or(0.0, |(_, s)| *s);
            }
        }
        let n = looks as f32;
        opinion.win /= n;
        opinion.lead /= n;
        opinion.stdev /= n;
        opinion.ownership.iter_mut().for_each(|x| *x /= n);
        opinion.priors.iter_mut().for_each(|(_, share)| *share /= n);
        opinion
    }

    /// Descends until told to stop or until the tree is full; any number of threads may do so at once.
    pub fn run(&self, judge: &mut dyn Judge, allowed: &Allowed, stop: &(dyn Fn() -> bool + Sync)) {
        let ready = self.ready(judge);
        let mut worker = Descent {
            search: self,
            ready,
            state: self.trunk.state.clone(),
            path: Vec::with_capacity(64),
            opinion: Opinion::default(),
            scratch: backup::Scratch::default(),
            kind: NO_KIND,
            rng: RefCell::new(SplitMix::new(self.params.seed)),
        };
        while !stop() && !self.is_full() {
            worker.once(judge, allowed);
        }
    }

    /// Takes all utilities of the tree anew, for they depend on the score that is expected at the root, and the errors
    /// of the judge with them, for those of moves that were dropped count no more.
    fn rescale(&self, scale: &Scale) {
        let Trunk { tree, root, state, .. } = &self.trunk;
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
            let kids = node.children().filter(|&kid| tree.node(kid).visits() > 0);
            order.extend(kids.map(|kid| (kid, other(mover))));
        }
        let mut scratch = backup::Scratch::default();
        // Once to find the errors, and once to correct by them.
        for _ in 0..2 {
            for &(id, _) in order.iter().rev() {
                backup::refresh(tree, id, id == *root, &self.params, &self.errors, &mut scratch);
            }
        }
    }

    fn bonus_of(&self, kid: &Branch) -> f32 {
        match self.ready.get() {
            Some(ready) if ready.any_bonus => ready.bonus(kid, self.trunk.state.turn, &self.params),
            _ => 0.0,
        }
    }

    /// The root's moves, the one to play first.
    pub fn ranks(&self, allowed: impl Fn(Point) -> bool) -> Vec<Rank> {
        let Trunk { tree, root, .. } = &self.trunk;
        choice::rank(tree, *root, &self.params, allowed, |kid| self.bonus_of(kid))
    }

    /// All that is known of the root, its best move first.
    pub fn analysis(&self) -> Analysis {
        let Trunk { tree, root, state, .. } = &self.trunk;
        let node = tree.node(*root);
        let worth = node.mean().flip();
        let raw = self.ready.get().map(|ready| {
            let worth = ready.scale.worth(&ready.opinion, state.turn, &self.params);
            Raw {
                value: worth.win,
                score: worth.lead,
                stdev: worth.stdev(),
                policy: ready.opinion.priors.clone(),
            }
        });
        let record = self.record();
        let to_win = 0.5 / self.params.radius();
        let candidate = |r: Rank| {
            let mut line = vec![(r.mv, r.visits)];
            line.extend(tree.line(r.id, LONGEST_LINE));
            let (pv, pv_visits) = line.into_iter().unzip();
            let owned = record.moves.iter().find(|(mv, _)| *mv == r.mv);
            // What was never visited is worth what the root is.
            let worth = if r.visits == 0 { worth } else { r.worth };
            Candidate {
                mv: r.mv,
                visits: r.visits,
                value: worth.win,
                score: worth.lead,
                stdev: worth.stdev(),
                prior: r.prior,
                lcb: worth.win - r.radius * to_win,
                utility: worth.utility,
                utility_lcb: r.lcb,
                weight: r.weight,
                rank: r.value.max(0.0),
                pv,
                pv_visits,
                ownership: owned.map_or_else(Vec::new, |(_, owned)| owned.mean()),
            }
        };
        Analysis {
            visits: node.visits(),
            playouts: self.playouts(),
            value: worth.win,
            score: worth.lead,
            stdev: worth.stdev(),
            utility: worth.utility,
            weight: node.weight.get(),
            moves: self.ranks(|_| true).into_iter().map(candidate).collect(),
            ownership: record.all.mean(),
            ownership_stdev: record.all.stdev(),
            raw,
        }
    }
}

impl Ready {
    fn bonus(&self, kid: &Branch, view: Colour, params: &Params) -> f32 {
        let points = self.bonus[kid.mv() as usize];
        if points == 0.0 || kid.visits() == 0 {
            return 0.0;
        }
        self.scale.points(points, &kid.mean(), view, params)
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

/// The moves of an opinion that are worth a place in the tree: own eyes are not filled, moves with a tiny share take no
/// room, and the pass is always there.
fn playable(state: &State, priors: &[(Point, f32)], least: f32) -> Vec<(Point, f32)> {
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

/// One thread's descents.
struct Descent<'a> {
    search: &'a Search,
    ready: &'a Ready,
    state: State,
    path: Vec<Id>,
    opinion: Opinion,
    scratch: backup::Scratch,
    /// The kind of the move that leads to the leaf.
    kind: Kind,
    rng: RefCell<SplitMix>,
}

impl Descent<'_> {
    fn once(&mut self, judge: &mut dyn Judge, allowed: &Allowed) {
        let search = self.search;
        let (trunk, params) = (&search.trunk, &search.params);
        let tree = &trunk.tree;
        self.state.rewind(&trunk.state);
        self.path.clear();
        self.path.push(trunk.root);
        tree.node(trunk.root).enter();
        let done = loop {
            let depth = self.path.len() - 1;
            let at = self.path[depth];
            if depth > 0 && tree.node(at).is_leaf() {
                break self.judge(at, judge);
            }
            if depth >= MOST_PLIES {
                break true;
            }
            let (turn, is_root) = (self.state.turn, depth == 0);
            let may = |kid: &Branch| allowed(depth, turn, kid.mv());
            let picked = if is_root && (self.ready.any_bonus || params.wide_root > 0.0) {
                let bonus = |kid: &Branch| self.ready.bonus(kid, turn, params) + self.wide(params);
                select::child(tree, at, true, params, may, bonus)
            } else {
                select::child(tree, at, is_root, params, may, |_| 0.0)
            };
            let kid = match picked {
                Pick::Child(kid) => kid,
                Pick::More if self.widen(at, judge) => continue,
                Pick::More => break false,
                // Where nothing is allowed, the position's own judgement counts once more.
                Pick::Nothing => break true,
            };
            let node = tree.node(kid);
            node.enter();
            if node.visits() == 0 {
                self.kind = bias::kind(&self.state.board, node.mv(), turn);
            }
            self.state.play(node.mv());
            self.path.push(kid);
        };
        for (depth, &id) in self.path.iter().enumerate().rev() {
            let node = tree.node(id);
            if done {
                node.count();
                backup::refresh(tree, id, depth == 0, params, &search.errors, &mut self.scratch);
            }
            node.retreat();
        }
        if done {
            search.playouts.fetch_add(1, Relaxed);
        } else {
            std::thread::yield_now();
        }
    }

    /// Now and then a move of the root looks better than it is, where the root is to be searched widely.
    fn wide(&self, params: &Params) -> f32 {
        let mut rng = self.rng.borrow_mut();
        if params.wide_root <= 0.0 || rng.below(2) == 0 {
            return 0.0;
        }
        params.wide_root * noise::normal(&mut rng).abs()
    }

    /// Gives a position's other moves nodes; false when another thread is at it, or when there is no room for them.
    fn widen(&mut self, at: Id, judge: &mut dyn Judge) -> bool {
        let search = self.search;
        let tree = &search.trunk.tree;
        if !tree.claim_more(at) {
            return false;
        }
        // Mostly the judge remembers: to keep the policy of every position would take the room that is to be saved.
        judge.consider(&self.state, &mut self.opinion);
        let mut policy = playable(&self.state, &self.opinion.priors, search.params.least_prior);
        policy.retain(|&(mv, _)| tree.child(at, mv).is_none());
        policy.sort_by(|a, b| b.1.total_cmp(&a.1));
        let moves = policy.iter().map(|&(mv, _)| mv);
        let made = tree.extend(at, moves, |i, kid| kid.prior.set(policy[i].1));
        if !made {
            search.full.store(true, Relaxed);
        }
        made
    }

    /// Judges a position without children; false when another thread is at it, or when there is no room for it.
    fn judge(&mut self, at: Id, judge: &mut dyn Judge) -> bool {
        let search = self.search;
        let tree = &search.trunk.tree;
        let state = &mut self.state;
        let over = state.passes >= 2 || (state.rules.stone_limit && state.supply[state.turn as usize] == 0);
        if over && tree.node(at).visits() > 0 {
            return true;
        }
        if !tree.claim(at) {
            return false;
        }
        let view = other(state.turn);
        if over {
            let worth = ending::worth(state, judge, &mut self.opinion, view, &self.ready.scale, &search.params);
            tree.node(at).set_own(&worth);
            tree.release(at);
            return true;
        }
        judge.consider(state, &mut self.opinion);
        let worth = self.ready.scale.worth(&self.opinion, view, &search.params);
        tree.node(at).set_own(&worth);
        tree.node(at).set_kind(self.kind);
        let mut policy = playable(state, &self.opinion.priors, search.params.least_prior);
        policy.sort_by(|a, b| b.1.total_cmp(&a.1));
        let first = policy.len().min(search.params.first_moves);
        tree.node(at).left.set(policy.get(first).map_or(0.0, |p| p.1));
        let moves = policy[..first].iter().map(|&(mv, _)| mv);
        if !tree.grow(at, moves, first < policy.len(), |i, kid| kid.prior.set(policy[i].1)) {
            search.full.store(true, Relaxed);
            return false;
        }
        let first = self.path.get(1).map(|&id| tree.node(id).mv());
        search
            .record()
            .add(first, &self.opinion.ownership[..state.board.area()]);
        true
    }
}

#[cfg(test)]
mod tests;
