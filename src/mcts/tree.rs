//! The search tree that all threads share: nodes in an arena of bounded size.
//!
//! After Enzenberger and Müller, "A lock-free multithreaded Monte-Carlo tree search algorithm" (2009).

use super::amaf::EdgeAmaf;
use super::node::{DEFERRED, EXPANDING, NO_NODE, Node};
use crate::games::go::types::{PASS, Point};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::OnceLock;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A node's index in the arena.
pub type NodeId = u32;

/// Nodes of a chunk; more than any node has children.
const CHUNK: usize = 1 << 13;

/// Elements in chunks that are allocated when first used.
struct Chunks<T>(Box<[OnceLock<Box<[T]>>]>);

impl<T: Default> Chunks<T> {
    fn new(chunks: usize) -> Self {
        Self((0..chunks).map(|_| OnceLock::new()).collect())
    }

    #[inline]
    fn get(&self, id: NodeId) -> &T {
        let chunk = self.0[id as usize / CHUNK].get_or_init(|| (0..CHUNK).map(|_| T::default()).collect());
        &chunk[id as usize % CHUNK]
    }
}

/// An arena of nodes that takes memory as it grows, up to its bound.
pub struct Tree {
    nodes: Chunks<Node>,
    amaf: Option<Chunks<EdgeAmaf>>,
    used: AtomicUsize,
}

impl Tree {
    /// An arena of at most this many bytes, but with space for a root and its children at least; with AMAF statistics if
    /// `amaf`.
    pub fn new(bytes: usize, amaf: bool) -> Self {
        let edge = if amaf { size_of::<EdgeAmaf>() } else { 0 };
        let chunks = (bytes / (CHUNK * (size_of::<Node>() + edge))).max(1);
        Self {
            nodes: Chunks::new(chunks),
            amaf: amaf.then(|| Chunks::new(chunks)),
            used: AtomicUsize::new(2),
        }
    }

    /// The node of an id.
    #[inline]
    pub fn node(&self, id: NodeId) -> &Node {
        self.nodes.get(id)
    }

    /// The AMAF statistics of the edge that leads to a node, in a tree that has them.
    #[inline]
    pub fn amaf(&self, id: NodeId) -> Option<&EdgeAmaf> {
        Some(self.amaf.as_ref()?.get(id))
    }

    /// Thousandths of the arena in use.
    pub fn fullness(&self) -> u32 {
        let most = self.nodes.0.len() * CHUNK;
        (self.used.load(Relaxed).min(most) * 1000 / most) as u32
    }

    /// Empties the arena and makes a root.
    pub fn reset(&self) -> NodeId {
        self.used.store(2, Relaxed);
        let root = self.allocate(1).unwrap_or(2);
        self.blank(root, PASS);
        root
    }

    /// Makes a node a new one of this move.
    fn blank(&self, id: NodeId, mv: Point) {
        let node = self.node(id);
        node.links.reset(mv, 0);
        node.copy_statistics(&Node::default());
        if let Some(amaf) = self.amaf(id) {
            amaf.clear();
        }
    }

    /// Makes a node a copy of one of the same or another tree, but without children.
    fn copy(&self, id: NodeId, from: &Self, old: NodeId) {
        let (to, old_node) = (self.node(id), from.node(old));
        to.links.reset(old_node.mv(), old_node.visits());
        to.copy_statistics(old_node);
        if let Some((to, from)) = self.amaf(id).zip(from.amaf(old)) {
            to.copy_from(from);
        }
    }

    fn allocate(&self, n: usize) -> Option<NodeId> {
        loop {
            let at = self.used.load(Relaxed);
            // The children of a node never span two chunks.
            let start = if at % CHUNK + n > CHUNK {
                at.next_multiple_of(CHUNK)
            } else {
                at
            };
            if n > CHUNK || start + n > self.nodes.0.len() * CHUNK {
                return None;
            }
            if self.used.compare_exchange_weak(at, start + n, Relaxed, Relaxed).is_ok() {
                return Some(start as NodeId);
            }
        }
    }

    /// Whether the caller is the one thread that may expand the node.
    pub fn claim(&self, id: NodeId) -> bool {
        self.node(id)
            .links
            .first
            .compare_exchange(NO_NODE, EXPANDING, Acquire, Relaxed)
            .is_ok()
    }

    /// New nodes of these moves with their policy priors; `None` when the arena is full.
    fn make(&self, policy: &[(Point, f32)]) -> Option<NodeId> {
        let first = self.allocate(policy.len())?;
        for (&(mv, prior), id) in policy.iter().zip(first..) {
            self.blank(id, mv);
            self.node(id).prior.set(prior);
        }
        Some(first)
    }

    /// Expands a claimed node by the first `n` moves of a policy and defers the others for
    /// [`Tree::expand_deferred`]; false when the arena is full, and the node stays a leaf.
    pub fn expand(&self, id: NodeId, policy: &[(Point, f32)], n: usize) -> bool {
        let links = &self.node(id).links;
        let n = n.min(policy.len());
        let made = if n > 0 { self.make(&policy[..n]) } else { None };
        if made.is_some() {
            links.count.store(n as u16, Relaxed);
            let deferred = if n < policy.len() { DEFERRED } else { NO_NODE };
            links.deferred.store(deferred, Relaxed);
        }
        links.first.store(made.unwrap_or(NO_NODE), Release);
        made.is_some()
    }

    /// Whether the caller is the one thread that may [`expand_deferred`](Tree::expand_deferred) the node.
    pub fn claim_deferred(&self, id: NodeId) -> bool {
        let deferred = &self.node(id).links.deferred;
        deferred.compare_exchange(DEFERRED, EXPANDING, Acquire, Relaxed).is_ok()
    }

    /// Gives a node so claimed its deferred children; false when the arena is full, and they stay deferred.
    pub fn expand_deferred(&self, id: NodeId, policy: &[(Point, f32)]) -> bool {
        let links = &self.node(id).links;
        let made = if policy.is_empty() {
            Some(NO_NODE)
        } else {
            self.make(policy)
        };
        links.deferred_count.store(policy.len() as u16, Relaxed);
        links.deferred.store(made.unwrap_or(DEFERRED), Release);
        made.is_some()
    }

    /// Gives a node the children of a new policy, and keeps the statistics and subtrees of the former children; false
    /// when the arena is full, and nothing changes. No other thread may be at the node.
    pub fn reexpand(&self, id: NodeId, policy: &[(Point, f32)]) -> bool {
        let links = &self.node(id).links;
        let former: Vec<NodeId> = self.node(id).children().collect();
        let Some(first) = self.allocate(policy.len()).filter(|_| !policy.is_empty()) else {
            return false;
        };
        for (&(mv, prior), child) in policy.iter().zip(first..) {
            match former.iter().find(|&&old| self.node(old).mv() == mv) {
                None => self.blank(child, mv),
                Some(&old) => {
                    self.copy(child, self, old);
                    self.node(child).links.adopt_children(&self.node(old).links);
                }
            }
            self.node(child).prior.set(prior);
        }
        links.count.store(policy.len() as u16, Relaxed);
        links.deferred.store(NO_NODE, Relaxed);
        links.first.store(first, Release);
        true
    }

    /// Gives a claimed node back unexpanded.
    pub fn release(&self, id: NodeId) {
        self.node(id).links.first.store(NO_NODE, Release);
    }

    /// Copies the subtree of another arena's node into this one, which is emptied first, as far as half the space goes: the
    /// other half is left to grow in. Children of the most visited nodes come first; a node without space for its children
    /// becomes a leaf that keeps what was found below it.
    pub fn adopt(&self, from: &Self, top: NodeId) -> NodeId {
        let root = self.reset();
        self.copy(root, from, top);
        let mut queue = BinaryHeap::from([(u32::MAX, Reverse(root), top)]);
        while let Some((_, Reverse(new), old)) = queue.pop() {
            let children = from.node(old).children();
            let n = children.clone().count();
            if n == 0 {
                continue;
            }
            let space = if self.fullness() > 500 { None } else { self.allocate(n) };
            let Some(first) = space else {
                self.node(new).drop_children();
                continue;
            };
            for (child, copy) in children.zip(first..) {
                self.copy(copy, from, child);
                let visits = self.node(copy).visits();
                if visits > 0 {
                    queue.push((visits, Reverse(copy), child));
                }
            }
            let links = &self.node(new).links;
            links.count.store(n as u16, Relaxed);
            if from.node(old).has_deferred() {
                links.deferred.store(DEFERRED, Relaxed);
            }
            links.first.store(first, Release);
        }
        root
    }

    /// About how many nodes [`adopt`](Self::adopt) copies at most.
    pub fn kept(&self) -> usize {
        self.nodes.0.len() * CHUNK / 2
    }

    /// The child of a node by its move.
    pub fn child(&self, id: NodeId, mv: Point) -> Option<NodeId> {
        self.node(id).children().find(|&child| self.node(child).mv() == mv)
    }

    /// The child with the most visits, then the greatest win probability.
    pub fn best(&self, id: NodeId) -> Option<NodeId> {
        let rank = |&child: &NodeId| {
            let node = self.node(child);
            (node.visits(), (node.mean().win * 1e6) as u32)
        };
        self.node(id).children().max_by_key(rank)
    }

    /// The line of most visited moves below a node, each with its visits.
    pub fn line(&self, id: NodeId, most: usize) -> Vec<(Point, u32)> {
        let mut line = Vec::new();
        let mut at = id;
        while line.len() < most
            && let Some(child) = self.best(at)
            && self.node(child).visits() > 0
        {
            line.push((self.node(child).mv(), self.node(child).visits()));
            at = child;
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arena_is_bounded_and_survives_being_full() {
        for amaf in [false, true] {
            let tree = Tree::new(1, amaf);
            let root = tree.reset();
            let mut expanded = 0;
            let mut at = root;
            while tree.claim(at) && tree.expand(at, &[(5, 0.1); 300], 300) {
                at = tree.node(at).children().next().expect("a child");
                expanded += 1;
            }
            assert_eq!(expanded, CHUNK / 300);
            let copy = Tree::new(1, amaf);
            let top = copy.adopt(&tree, root);
            assert_eq!(copy.node(top).children().count(), 300);
        }
    }

    #[test]
    fn moves_may_be_deferred() {
        let tree = Tree::new(1 << 20, false);
        let root = tree.reset();
        let policy = [7, 8, 9, 10, 11].map(|mv| (mv, 0.2));
        assert!(tree.claim(root) && tree.expand(root, &policy, 2));
        assert!(tree.node(root).has_deferred() && tree.node(root).children().count() == 2);
        let copy = Tree::new(1 << 20, false);
        let top = copy.adopt(&tree, root);
        assert!(copy.node(top).has_deferred() && copy.claim_deferred(top) && !copy.claim_deferred(top));
        assert_eq!(copy.node(top).children().count(), 2);
        assert!(copy.expand_deferred(top, &policy[2..]));
        let moves = |tree: &Tree, id| -> Vec<Point> {
            let children = tree.node(id).children();
            children.map(|child| tree.node(child).mv()).collect()
        };
        assert_eq!(moves(&copy, top), [7, 8, 9, 10, 11]);
        assert!(!copy.node(top).has_deferred() && !copy.claim_deferred(top));
        let whole = tree.adopt(&copy, top);
        assert_eq!(moves(&tree, whole), [7, 8, 9, 10, 11]);
        assert!(!tree.node(whole).has_deferred());
    }

    #[test]
    fn a_new_policy_keeps_what_was_searched() {
        let tree = Tree::new(1 << 20, true);
        let root = tree.reset();
        assert!(tree.claim(root) && tree.expand(root, &[(7, 0.5), (8, 0.5)], 2));
        let child = tree.child(root, 8).expect("a child");
        tree.node(child).add_visit();
        tree.amaf(child).expect("AMAF").add(3.0, 1.0);
        assert!(tree.reexpand(root, &[(8, 0.9), (9, 0.1)]));
        let child = tree.child(root, 8).expect("a child");
        assert_eq!((tree.node(child).visits(), tree.node(child).prior.get()), (1, 0.9));
        assert_eq!(tree.amaf(child).expect("AMAF").get().0, 3.0);
        assert!(tree.child(root, 7).is_none() && tree.child(root, 9).is_some());
    }
}
