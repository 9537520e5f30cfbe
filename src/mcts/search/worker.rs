//! One thread of the search: selection, evaluation and backup.

use super::super::bias::{self, PatternId};
use super::super::evaluator::{Evaluation, LeafEvaluator};
use super::super::node::Node;
use super::super::select::{self, Pick};
use super::super::state::SearchState;
use super::super::tree::{NodeId, Tree};
use super::super::{SearchParams, backup, ending, noise};
use super::{Allowed, RootInfo, Search, playable};
use crate::games::go::types::other;
use crate::util::rng::SplitMix;
use std::cell::RefCell;
use std::sync::atomic::Ordering::Relaxed;

/// The deepest playout.
const MOST_PLIES: usize = 1000;

/// One thread's playouts.
pub(super) struct Worker<'a> {
    pub(super) search: &'a Search,
    pub(super) info: &'a RootInfo,
    pub(super) state: SearchState,
    pub(super) path: Vec<NodeId>,
    pub(super) evaluation: Evaluation,
    pub(super) scratch: backup::Scratch,
    /// The pattern of the move that leads to the leaf.
    pub(super) pattern: PatternId,
    pub(super) rng: RefCell<SplitMix>,
}

/// How a playout ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leaf {
    /// At a new evaluation.
    Evaluated,
    /// At a position whose value is known.
    Known,
    /// At a node that another thread evaluates.
    Blocked,
}

impl Worker<'_> {
    /// Selects down to a leaf, evaluates it and backs its value up.
    pub(super) fn playout(&mut self, evaluator: &mut dyn LeafEvaluator, allowed: &Allowed) {
        let search = self.search;
        let arenas = search.rooted.arenas();
        let tree = &arenas.tree;
        self.state.rewind(&search.rooted.state);
        self.path.clear();
        self.path.push(arenas.root);
        tree.node(arenas.root).add_virtual_loss();
        let leaf = self.descend(tree, evaluator, allowed);
        if leaf == Leaf::Evaluated && search.params.amaf_equivalence > 0.0 {
            self.backup_amaf(tree);
        }
        for (depth, &id) in self.path.iter().enumerate().rev() {
            let node = tree.node(id);
            if leaf != Leaf::Blocked {
                node.add_visit();
                let (params, bias) = (&search.params, &search.bias);
                backup::recompute(tree, id, depth == 0, params, bias, &mut self.scratch);
            }
            node.remove_virtual_loss();
        }
        if leaf == Leaf::Blocked {
            std::thread::yield_now();
        } else {
            search.playouts.fetch_add(1, Relaxed);
        }
    }

    fn descend(&mut self, tree: &Tree, evaluator: &mut dyn LeafEvaluator, allowed: &Allowed) -> Leaf {
        let (search, params) = (self.search, &self.search.params);
        loop {
            let depth = self.path.len() - 1;
            let at = self.path[depth];
            if depth > 0 && tree.node(at).is_leaf() {
                if tree.node(at).visits() == 0 || self.state.is_over() {
                    return self.evaluate(tree, at, evaluator);
                }
                if search.is_full() {
                    // There is space from the next playout on; this one counts its value once more.
                    return Leaf::Known;
                }
                if !self.expand(tree, at, evaluator) {
                    return if search.is_full() { Leaf::Known } else { Leaf::Blocked };
                }
            }
            if depth >= MOST_PLIES {
                return Leaf::Known;
            }
            let (turn, is_root) = (self.state.turn, depth == 0);
            let may = |child: &Node| allowed(depth, turn, child.mv());
            let growing = !search.is_full();
            let picked = if is_root && (self.info.has_bonus || params.wide_root > 0.0) {
                let bonus = |child: &Node| self.info.bonus(child, turn, params) + self.wide_root_noise(params);
                select::child(tree, at, (true, growing), params, may, bonus)
            } else {
                select::child(tree, at, (is_root, growing), params, may, |_| 0.0)
            };
            let child = match picked {
                Pick::Child(child) => child,
                // Where the tree has become full meanwhile, the deferred moves are picked no more.
                Pick::Deferred if self.expand_deferred(tree, at, evaluator) || search.is_full() => continue,
                Pick::Deferred => return Leaf::Blocked,
                // Where nothing is allowed, the position's own evaluation counts once more.
                Pick::Nothing => return Leaf::Known,
            };
            let node = tree.node(child);
            node.add_virtual_loss();
            if node.visits() == 0 {
                self.pattern = bias::pattern(&self.state.board, node.mv(), turn);
            }
            self.state.play(node.mv());
            self.path.push(child);
        }
    }

    /// Noise that now and then makes a move of the root look better than it is.
    fn wide_root_noise(&self, params: &SearchParams) -> f32 {
        let mut rng = self.rng.borrow_mut();
        if params.wide_root <= 0.0 || rng.below(2) == 0 {
            return 0.0;
        }
        params.wide_root * noise::normal(&mut rng).abs()
    }

    /// Gives a node its deferred children; false when another thread is at it, or when the tree is full.
    fn expand_deferred(&mut self, tree: &Tree, at: NodeId, evaluator: &mut dyn LeafEvaluator) -> bool {
        let search = self.search;
        if !tree.claim_deferred(at) {
            return false;
        }
        // Policies are not kept, for the sake of memory; a network's is mostly in its cache.
        evaluator.policy(&self.state, &mut self.evaluation);
        let mut policy = playable(&self.state, &self.evaluation.policy, search.params.least_prior);
        policy.retain(|&(mv, _)| tree.child(at, mv).is_none());
        policy.sort_by(|a, b| b.1.total_cmp(&a.1));
        let expanded = tree.expand_deferred(at, &policy);
        if !expanded {
            search.full.store(true, Relaxed);
        }
        expanded
    }

    /// Evaluates a position without children.
    fn evaluate(&mut self, tree: &Tree, at: NodeId, evaluator: &mut dyn LeafEvaluator) -> Leaf {
        let (search, params) = (self.search, &self.search.params);
        let state = &mut self.state;
        let over = state.is_over();
        if over && tree.node(at).visits() > 0 {
            return Leaf::Known;
        }
        if !tree.claim(at) {
            return Leaf::Blocked;
        }
        let view = other(state.turn);
        if over {
            let value = ending::value(state, evaluator, &mut self.evaluation, view, &self.info.scale, params);
            tree.node(at).set_own(&value);
            tree.release(at);
            return Leaf::Known;
        }
        evaluator.evaluate(state, &mut self.evaluation);
        let value = self.info.scale.value(&self.evaluation, view, params);
        tree.node(at).set_own(&value);
        tree.node(at).set_pattern(self.pattern);
        if self.evaluation.policy.is_empty() {
            tree.release(at);
        } else {
            // A full tree has no space for them: the node stays a leaf, with its value.
            self.make_children(tree, at);
        }
        let first = self.path.get(1).map(|&id| tree.node(id).mv());
        let ownership = &self.evaluation.ownership[..self.state.board.area()];
        search.ownership().add(first, ownership);
        Leaf::Evaluated
    }

    /// Expands a node that was evaluated without a policy; false when another thread is at it, or when the tree is full.
    fn expand(&mut self, tree: &Tree, at: NodeId, evaluator: &mut dyn LeafEvaluator) -> bool {
        tree.claim(at) && {
            evaluator.policy(&self.state, &mut self.evaluation);
            self.make_children(tree, at)
        }
    }

    /// Gives a claimed node the children of the policy; false when the tree is full.
    fn make_children(&self, tree: &Tree, at: NodeId) -> bool {
        let (search, params) = (self.search, &self.search.params);
        let mut policy = playable(&self.state, &self.evaluation.policy, params.least_prior);
        policy.sort_by(|a, b| b.1.total_cmp(&a.1));
        let deferred = policy.get(params.first_moves).map_or(0.0, |p| p.1);
        tree.node(at).deferred_prior.set(deferred);
        let made = tree.expand(at, &policy, params.first_moves);
        if !made {
            search.full.store(true, Relaxed);
        }
        made
    }

    /// Adds the leaf's playouts to the AMAF statistics along the path.
    fn backup_amaf(&mut self, tree: &Tree) {
        let first = self.search.rooted.state.turn;
        let Some(update) = self.evaluation.amaf.as_mut() else {
            return;
        };
        for (depth, &id) in self.path.iter().enumerate().rev() {
            let turn = if depth % 2 == 0 { first } else { other(first) };
            for child in tree.node(id).children() {
                let (share, wins) = update.of(tree.node(child).mv(), turn);
                if share > 0.0
                    && let Some(amaf) = tree.amaf(child)
                {
                    amaf.add(share, wins);
                }
            }
            if depth > 0 {
                update.play(tree.node(id).mv(), other(turn));
            }
        }
    }
}
