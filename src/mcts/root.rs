//! The search from its root: descents of many threads, reuse of the tree between moves, what was found.

use super::leaf::{Judgement, Leaf, State};
use super::tree::{Id, Tree};
use super::{Params, backup, select};
use crate::games::go::Game;
use crate::games::go::types::{Colour, POINTS, Point};
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed};

/// Deepest descent.
const MOST_PLIES: usize = 1000;
/// Playouts whose ownership a thread gathers before it adds them to the common sum.
const BATCH: i32 = 32;

/// One search tree with its root position. Shared by reference between threads.
pub struct Search {
    /// The numbers it searches by.
    pub params: Params,
    tree: Tree,
    spare: Tree,
    root: Id,
    state: State,
    /// Moves since which game start led to the root, to know it again.
    line: Vec<(Colour, Point)>,
    base: u64,
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
    /// Its share of the policy.
    pub prior: f32,
    /// A value that it is unlikely to fall below.
    pub lcb: f32,
    /// The expected line, the move itself first.
    pub pv: Vec<Point>,
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
    /// The moves, most visited first.
    pub moves: Vec<Candidate>,
    /// Whose each point is in the end, from -1 for white to 1 for black, by [`crate::games::go::Board::index`].
    pub ownership: Vec<f32>,
}

impl Search {
    /// A search with an empty tree of at most this many bytes, both halves together.
    pub fn new(game: &Game, bytes: usize, params: Params) -> Self {
        let tree = Tree::new(bytes / 2);
        let root = tree.reset();
        Self {
            params,
            root,
            tree,
            spare: Tree::new(bytes / 2),
            state: State::of(game),
            line: game.moves().to_vec(),
            base: game.base().key(),
            playouts: AtomicU64::new(0),
            owned: (0..POINTS).map(|_| AtomicI32::new(0)).collect(),
            judged: AtomicI32::new(0),
        }
    }

    /// Forgets the tree.
    pub fn clear(&mut self) {
        self.root = self.tree.reset();
    }

    /// Moves the root to a game's position, keeping what the tree knows of it.
    pub fn set_root(&mut self, game: &Game) {
        let state = State::of(game);
        let kept = self.known(game, &state).and_then(|moves| {
            let mut at = self.root;
            for &mv in moves {
                at = self.tree.child(at, mv)?;
            }
            Some(at)
        });
        match kept {
            Some(at) if at == self.root => {}
            Some(at) => {
                self.root = self.spare.adopt(&self.tree, at);
                std::mem::swap(&mut self.tree, &mut self.spare);
            }
            None => self.clear(),
        }
        self.state = state;
        self.line = game.moves().to_vec();
        self.base = game.base().key();
        self.begin();
    }

    /// The moves from the root to the game's position, if it lies below the root under the same rules.
    fn known<'a>(&self, game: &'a Game, state: &State) -> Option<Vec<&'a Point>> {
        let same = game.base().key() == self.base
            && game.board().size() == self.state.board.size()
            && state.rules == self.state.rules
            && state.compensation == self.state.compensation
            && game.moves().starts_with(&self.line);
        let mut turn = self.state.turn;
        let new = game.moves().get(self.line.len()..).filter(|_| same)?;
        for &(c, _) in new {
            if c != turn {
                return None;
            }
            turn = crate::games::go::types::other(turn);
        }
        (turn == state.turn).then(|| new.iter().map(|(_, p)| p).collect())
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
        self.state.dead_on = self.state.board.key();
        self.state.dead = dead;
    }

    /// The root's position.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Descents in this search so far, over all threads.
    pub fn playouts(&self) -> u64 {
        self.playouts.load(Relaxed)
    }

    /// Thousandths of the tree's memory in use.
    pub fn fullness(&self) -> u32 {
        self.tree.fullness()
    }

    /// Makes the root's children, so that there is an answer before the first descent.
    pub fn prepare(&self, leaf: &mut dyn Leaf) {
        if self.tree.claim(self.root) {
            let mut priors = Vec::new();
            leaf.policy(&self.state, &mut priors);
            self.tree.grow(self.root, &priors);
        }
    }

    /// Descends until told to stop; any number of threads may do so at once. `allowed` narrows the root's moves.
    pub fn run(&self, leaf: &mut dyn Leaf, allowed: &(dyn Fn(Point) -> bool + Sync), stop: &(dyn Fn() -> bool + Sync)) {
        let mut worker = Descent {
            search: self,
            state: self.state.clone(),
            path: Vec::with_capacity(64),
            priors: Vec::with_capacity(self.state.board.area() + 1),
            judgement: Judgement::default(),
            owned: vec![0; self.state.board.area()],
            batch: 0,
        };
        while !stop() {
            worker.once(leaf, allowed);
        }
        worker.flush();
    }

    /// The root's moves by visits, the line of each, and the ownership.
    pub fn analysis(&self) -> Analysis {
        let root = self.tree.node(self.root);
        let mut total = 0.0;
        let mut moves: Vec<Candidate> = root
            .children()
            .map(|kid| {
                let node = self.tree.node(kid);
                let (visits, value) = (node.visits(), node.value());
                let prior = node.prior().0 * node.prior().1;
                total += prior;
                let error = (value * (1.0 - value) / visits.max(1) as f32).sqrt() + 1.0 / (visits + 1) as f32;
                let mut pv = vec![node.mv()];
                if visits > 0 {
                    pv.extend(self.tree.line(kid, 15));
                }
                Candidate {
                    mv: node.mv(),
                    visits,
                    value,
                    score: node.score(),
                    prior,
                    lcb: (value - 1.96 * error).max(0.0),
                    pv,
                }
            })
            .collect();
        moves.iter_mut().for_each(|m| m.prior /= total);
        moves.sort_by(|a, b| b.visits.cmp(&a.visits).then(b.value.total_cmp(&a.value)));
        let judged = self.judged.load(Relaxed).max(1) as f32;
        let area = self.state.board.area();
        Analysis {
            visits: root.visits(),
            playouts: self.playouts(),
            value: 1.0 - root.value(),
            score: -root.score(),
            moves,
            ownership: self.owned[..area]
                .iter()
                .map(|sum| sum.load(Relaxed) as f32 / judged)
                .collect(),
        }
    }

    /// The two most visited moves' visits, to see whether the second can still pass the first.
    pub fn front_runners(&self) -> [u32; 2] {
        let mut top = [0; 2];
        for kid in self.tree.node(self.root).children() {
            let n = self.tree.node(kid).visits();
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
        let (tree, params) = (&search.tree, &search.params);
        self.state.rewind(&search.state);
        self.path.clear();
        self.path.push(search.root);
        tree.node(search.root).enter();
        let mut over = false;
        while !over && self.path.len() < MOST_PLIES {
            let at = self.path[self.path.len() - 1];
            if tree.node(at).children().is_empty() && !self.expand(at, leaf) {
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
        backup::path(tree, &self.path, search.state.turn, &mut self.judgement, worth);
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
        let tree = &self.search.tree;
        let node = tree.node(at);
        if (at != self.search.root && node.visits() < self.search.params.expand_after) || !tree.claim(at) {
            return false;
        }
        self.priors.clear();
        leaf.policy(&self.state, &mut self.priors);
        tree.grow(at, &self.priors)
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
