//! The search from its root: descents of many threads, reuse of the tree between moves, what was found.

use super::leaf::{Judgement, Leaf, State};
use super::tree::{Id, Knot, Node};
use super::trunk::Trunk;
use super::{Params, backup, select};
use crate::games::go::Game;
use crate::games::go::types::{POINTS, Point};
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed};

/// Deepest descent.
const MOST_PLIES: usize = 1000;
/// Playouts whose ownership a thread gathers before it adds them to the common sum.
const BATCH: i32 = 32;

/// One search tree with its root position. Shared by reference between threads.
pub struct Search {
    /// The numbers it searches by.
    pub params: Params,
    trunk: Trunk<Node>,
    playouts: AtomicU64,
    owned: Box<[AtomicI32]>,
    judged: AtomicI32,
}

/// What is known of one root move, from the view of the side to move.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The move.
    pub mv: Point,
    /// Visits.
    pub visits: u32,
    /// Mean success, 0 to 1.
    pub value: f32,
    /// Mean lead in points.
    pub score: f32,
    /// The lead's standard deviation; 0 where it is not known.
    pub stdev: f32,
    /// Its share of the policy.
    pub prior: f32,
    /// A value that it is unlikely to fall below.
    pub lcb: f32,
    /// What the search strives for: success and a little the score, about -1 to 1.
    pub utility: f32,
    /// A utility that it is unlikely to fall below.
    pub utility_lcb: f32,
    /// Visits that count.
    pub weight: f32,
    /// The move with the greatest rank is played.
    pub rank: f32,
    /// The expected line, the move itself first.
    pub pv: Vec<Point>,
    /// The visits of the line's moves.
    pub pv_visits: Vec<u32>,
    /// Whose each point is in the end after this move, as in [`Analysis`]; empty where it is not known.
    pub ownership: Vec<f32>,
}

/// What a network says of the root by itself, from the view of the side to move.
#[derive(Clone, Debug, Default)]
pub struct Raw {
    /// Chance to win.
    pub value: f32,
    /// Lead in points.
    pub score: f32,
    /// The lead's standard deviation.
    pub stdev: f32,
    /// The legal moves, the pass among them, each with its share.
    pub policy: Vec<(Point, f32)>,
}

/// What is known of the root.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// Visits of the root.
    pub visits: u32,
    /// Playouts of this search.
    pub playouts: u64,
    /// Mean success of the side to move.
    pub value: f32,
    /// Its mean lead.
    pub score: f32,
    /// The lead's standard deviation; 0 where it is not known.
    pub stdev: f32,
    /// What the search strives for.
    pub utility: f32,
    /// Visits that count.
    pub weight: f32,
    /// The moves, the one to play first.
    pub moves: Vec<Candidate>,
    /// Whose each point is in the end, from -1 for white to 1 for black, by [`crate::games::go::Board::index`].
    pub ownership: Vec<f32>,
    /// How much the positions of the search differ in it; empty where it is not known.
    pub ownership_stdev: Vec<f32>,
    /// What the network says of the root; nothing where playouts judge.
    pub raw: Option<Raw>,
}

impl Search {
    /// A search with an empty tree of at most this many bytes, both halves together.
    pub fn new(game: &Game, bytes: usize, params: Params) -> Self {
        Self {
            params,
            trunk: Trunk::new(game, bytes),
            playouts: AtomicU64::new(0),
            owned: (0..POINTS).map(|_| AtomicI32::new(0)).collect(),
            judged: AtomicI32::new(0),
        }
    }

    /// Forgets the tree.
    pub fn clear(&mut self) {
        self.trunk.clear();
    }

    /// Moves the root to a game's position, keeping what the tree knows of it.
    pub fn set_root(&mut self, game: &Game) {
        self.trunk.set_root(game);
        self.begin();
    }

    fn begin(&self) {
        self.playouts.store(0, Relaxed);
        self.judged.store(0, Relaxed);
        for sum in &self.owned {
            sum.store(0, Relaxed);
        }
    }

    /// The hopeless stones that both sides will agree on, as far as known before the search.
    pub fn set_dead(&mut self, dead: Vec<Point>) {
        self.trunk.state.dead_on = self.trunk.state.board.key();
        self.trunk.state.dead = dead;
    }

    /// The root's position.
    pub fn state(&self) -> &State {
        &self.trunk.state
    }

    /// Descents in this search so far, over all threads.
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

    /// Makes the root's children, so that there is an answer before the first descent.
    pub fn prepare(&self, leaf: &mut dyn Leaf) {
        let Trunk { tree, root, state, .. } = &self.trunk;
        if tree.claim(*root) {
            let mut priors = Vec::new();
            leaf.policy(state, &mut priors);
            tree.sprout(*root, &priors);
        }
    }

    /// Descends until told to stop; any number of threads may do so at once. `allowed` narrows the root's moves.
    pub fn run(&self, leaf: &mut dyn Leaf, allowed: &(dyn Fn(Point) -> bool + Sync), stop: &(dyn Fn() -> bool + Sync)) {
        let mut worker = Descent {
            search: self,
            state: self.trunk.state.clone(),
            path: Vec::with_capacity(64),
            priors: Vec::with_capacity(self.trunk.state.board.area() + 1),
            judgement: Judgement::default(),
            owned: vec![0; self.trunk.state.board.area()],
            batch: 0,
        };
        while !stop() {
            worker.once(leaf, allowed);
        }
        worker.flush();
    }

    /// The root's moves by visits, the line of each, and the ownership.
    pub fn analysis(&self) -> Analysis {
        let tree = &self.trunk.tree;
        let root = tree.node(self.trunk.root);
        let mut total = 0.0;
        let mut moves: Vec<Candidate> = root
            .children()
            .map(|kid| {
                let node = tree.node(kid);
                let (visits, value) = (node.visits(), node.value());
                let prior = node.prior().0 * node.prior().1;
                total += prior;
                let error = (value * (1.0 - value) / visits.max(1) as f32).sqrt() + 1.0 / (visits + 1) as f32;
                let lcb = (value - 1.96 * error).max(0.0);
                let (mut pv, mut pv_visits) = (vec![node.mv()], vec![visits]);
                if visits > 0 {
                    for (mv, n) in tree.line(kid, 15) {
                        pv.push(mv);
                        pv_visits.push(n);
                    }
                }
                Candidate {
                    mv: node.mv(),
                    visits,
                    value,
                    score: node.score(),
                    stdev: 0.0,
                    prior,
                    lcb,
                    utility: value * 2.0 - 1.0,
                    utility_lcb: lcb * 2.0 - 1.0,
                    weight: visits as f32,
                    rank: visits as f32,
                    pv,
                    pv_visits,
                    ownership: Vec::new(),
                }
            })
            .collect();
        moves.iter_mut().for_each(|m| m.prior /= total);
        moves.sort_by(|a, b| b.visits.cmp(&a.visits).then(b.value.total_cmp(&a.value)));
        let judged = self.judged.load(Relaxed).max(1) as f32;
        let area = self.trunk.state.board.area();
        Analysis {
            visits: root.visits(),
            playouts: self.playouts(),
            value: 1.0 - root.value(),
            score: -root.score(),
            stdev: 0.0,
            utility: 1.0 - 2.0 * root.value(),
            weight: root.visits() as f32,
            moves,
            ownership: self.owned[..area]
                .iter()
                .map(|sum| sum.load(Relaxed) as f32 / judged)
                .collect(),
            ownership_stdev: Vec::new(),
            raw: None,
        }
    }

    /// The two most visited moves' visits, to see whether the second can still pass the first.
    pub fn front_runners(&self) -> [u32; 2] {
        let mut top = [0; 2];
        let tree = &self.trunk.tree;
        for kid in tree.node(self.trunk.root).children() {
            let n = tree.node(kid).visits();
            if n > top[0] {
                top = [n, top[0]];
            } else if n > top[1] {
                top[1] = n;
            }
        }
        top
    }
}

/// One thread's descents.
struct Descent<'a> {
    search: &'a Search,
    state: State,
    path: Vec<Id>,
    priors: Vec<super::leaf::Prior>,
    judgement: Judgement,
    owned: Vec<i32>,
    batch: i32,
}

impl Descent<'_> {
    fn once(&mut self, leaf: &mut dyn Leaf, allowed: &(dyn Fn(Point) -> bool + Sync)) {
        let search = self.search;
        let (trunk, params) = (&search.trunk, &search.params);
        let tree = &trunk.tree;
        self.state.rewind(&trunk.state);
        self.path.clear();
        self.path.push(trunk.root);
        tree.node(trunk.root).enter();
        let mut over = false;
        while !over && self.path.len() < MOST_PLIES {
            let at = self.path[self.path.len() - 1];
            if tree.node(at).is_leaf() && !self.expand(at, leaf) {
                break;
            }
            let picked = if self.path.len() == 1 {
                select::child(tree, at, params, |node| allowed(node.mv()))
            } else {
                select::child(tree, at, params, |_| true)
            };
            let Some(kid) = picked else { break };
            let node = tree.node(kid);
            node.enter();
            self.state.play(node.mv());
            self.path.push(kid);
            over = self.state.passes >= 2
                || (self.state.rules.stone_limit && self.state.supply[self.state.turn as usize] == 0);
        }
        if over {
            self.count();
        } else {
            leaf.judge(&self.state, &mut self.judgement);
        }
        let worth = backup::worth(&self.judgement, params, self.state.board.area());
        backup::path(tree, &self.path, trunk.state.turn, &mut self.judgement, worth);
        // A count at the end shows stones where they stand, dead or alive: only playouts tell who owns what.
        if !over {
            for (sum, &owner) in self.owned.iter_mut().zip(self.judgement.ownership.iter()) {
                *sum += i32::from(owner);
            }
            self.batch += 1;
        }
        if self.batch == BATCH {
            self.flush();
        }
        search.playouts.fetch_add(1, Relaxed);
    }

    fn expand(&mut self, at: Id, leaf: &mut dyn Leaf) -> bool {
        let Trunk { tree, root, .. } = &self.search.trunk;
        let node = tree.node(at);
        if (at != *root && node.visits() < self.search.params.expand_after) || !tree.claim(at) {
            return false;
        }
        self.priors.clear();
        leaf.policy(&self.state, &mut self.priors);
        tree.sprout(at, &self.priors)
    }

    /// The game is over: its count is the judgement.
    fn count(&mut self) {
        let judgement = &mut self.judgement;
        let board = &self.state.board;
        judgement.score = self.state.final_lead();
        judgement.value = if judgement.score > 0.0 {
            1.0
        } else if judgement.score < 0.0 {
            0.0
        } else {
            0.5
        };
        judgement.first[..board.cells()].fill(0);
    }

    fn flush(&mut self) {
        for (sum, own) in self.search.owned.iter().zip(&mut self.owned) {
            sum.fetch_add(std::mem::take(own), Relaxed);
        }
        self.search.judged.fetch_add(std::mem::take(&mut self.batch), Relaxed);
    }
}
