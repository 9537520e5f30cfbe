//! The tree that all threads share: nodes in an arena of bounded size, with atomics for everything that changes.
//!
//! After Enzenberger and Müller, "A lock-free multithreaded Monte-Carlo tree search algorithm" (2009): visits are
//! counted exactly, the AMAF statistics may lose an update now and then.

use super::leaf::Prior;
use crate::games::go::types::{PASS, Point};
use std::sync::OnceLock;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::atomic::{AtomicI64, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};

/// A node's number in the arena.
pub type Id = u32;

/// No node; as a node's children, "not expanded".
pub const NO_NODE: Id = 0;
/// A node's children while a thread makes them.
const BUSY: Id = 1;
/// Fixed point of summed values.
const ONE: f32 = 65536.0;

/// A move in the tree with its statistics, from the view of the side that made it.
#[derive(Default)]
pub struct Node {
    mv: AtomicU16,
    kids: AtomicU16,
    first: AtomicU32,
    visits: AtomicU32,
    pending: AtomicU32,
    wins: AtomicU64,
    score: AtomicI64,
    /// Count and mean as two floats in one word, so that they are always read together.
    amaf: AtomicU64,
    prior: AtomicU64,
}

#[inline]
fn pack(count: f32, mean: f32) -> u64 {
    u64::from(count.to_bits()) << 32 | u64::from(mean.to_bits())
}

#[inline]
fn unpack(word: u64) -> (f32, f32) {
    (f32::from_bits((word >> 32) as u32), f32::from_bits(word as u32))
}

impl Node {
    /// The move that leads here.
    #[inline]
    pub fn mv(&self) -> Point {
        self.mv.load(Relaxed)
    }

    /// Finished visits.
    #[inline]
    pub fn visits(&self) -> u32 {
        self.visits.load(Relaxed)
    }

    /// Visits of threads still below: each counts as a loss until it is done (virtual loss).
    #[inline]
    pub fn pending(&self) -> u32 {
        self.pending.load(Relaxed)
    }

    /// Mean success, 0.5 before the first visit.
    #[inline]
    pub fn value(&self) -> f32 {
        let n = self.visits();
        if n == 0 { 0.5 } else { self.wins() / n as f32 }
    }

    /// Summed success.
    #[inline]
    pub fn wins(&self) -> f32 {
        self.wins.load(Relaxed) as f32 / ONE
    }

    /// Mean lead in points.
    pub fn score(&self) -> f32 {
        let n = self.visits();
        if n == 0 {
            0.0
        } else {
            self.score.load(Relaxed) as f32 / ONE / n as f32
        }
    }

    /// Count and mean of "all moves as first".
    #[inline]
    pub fn amaf(&self) -> (f32, f32) {
        unpack(self.amaf.load(Relaxed))
    }

    /// Imagined visits and their success.
    #[inline]
    pub fn prior(&self) -> (f32, f32) {
        unpack(self.prior.load(Relaxed))
    }

    /// The children's numbers, if there are children.
    #[inline]
    pub fn children(&self) -> std::ops::Range<Id> {
        let first = self.first.load(Acquire);
        if first <= BUSY {
            0..0
        } else {
            first..first + Id::from(self.kids.load(Relaxed))
        }
    }

    /// A thread goes below.
    #[inline]
    pub fn enter(&self) {
        self.pending.fetch_add(1, Relaxed);
    }

    /// A thread comes back with a result.
    #[inline]
    pub fn leave(&self, value: f32, score: f32) {
        self.pending.fetch_sub(1, Relaxed);
        self.wins.fetch_add((value * ONE) as u64, Relaxed);
        self.score.fetch_add((score * ONE) as i64, Relaxed);
        self.visits.fetch_add(1, Relaxed);
    }

    /// One more AMAF result.
    #[inline]
    pub fn heard(&self, value: f32) {
        let (n, mean) = self.amaf();
        let n = n + 1.0;
        self.amaf.store(pack(n, mean + (value - mean) / n), Relaxed);
    }

    fn set(&self, prior: &Prior) {
        self.mv.store(prior.mv, Relaxed);
        self.prior.store(pack(prior.visits, prior.value), Relaxed);
    }

    fn copy(&self, from: &Self) {
        self.mv.store(from.mv(), Relaxed);
        self.visits.store(from.visits(), Relaxed);
        self.wins.store(from.wins.load(Relaxed), Relaxed);
        self.score.store(from.score.load(Relaxed), Relaxed);
        self.amaf.store(from.amaf.load(Relaxed), Relaxed);
        self.prior.store(from.prior.load(Relaxed), Relaxed);
        self.pending.store(0, Relaxed);
        self.kids.store(0, Relaxed);
        self.first.store(NO_NODE, Relaxed);
    }
}

/// Nodes of a chunk; larger than any node's children.
const CHUNK: usize = 1 << 13;

/// An arena of nodes that takes memory as it grows, up to its bound.
pub struct Tree {
    chunks: Box<[OnceLock<Box<[Node]>>]>,
    used: AtomicUsize,
}

impl Tree {
    /// An arena of at most this many bytes, but room for a root and its children at least.
    pub fn new(bytes: usize) -> Self {
        let chunks = (bytes / (CHUNK * size_of::<Node>())).max(1);
        Self {
            chunks: (0..chunks).map(|_| OnceLock::new()).collect(),
            used: AtomicUsize::new(2),
        }
    }

    /// The node of a number.
    #[inline]
    pub fn node(&self, id: Id) -> &Node {
        let chunk = self.chunks[id as usize / CHUNK].get_or_init(|| (0..CHUNK).map(|_| Node::default()).collect());
        &chunk[id as usize % CHUNK]
    }

    /// Thousandths of the arena in use.
    pub fn fullness(&self) -> u32 {
        let room = self.chunks.len() * CHUNK;
        (self.used.load(Relaxed).min(room) * 1000 / room) as u32
    }

    /// Forgets everything and makes a root.
    pub fn reset(&self) -> Id {
        self.used.store(2, Relaxed);
        let root = self.allocate(1).unwrap_or(2);
        self.node(root).copy(&Node::default());
        self.node(root).mv.store(PASS, Relaxed);
        root
    }

    fn allocate(&self, n: usize) -> Option<Id> {
        loop {
            let at = self.used.load(Relaxed);
            // The children of a node never span two chunks.
            let start = if at % CHUNK + n > CHUNK {
                at.next_multiple_of(CHUNK)
            } else {
                at
            };
            if n > CHUNK || start + n > self.chunks.len() * CHUNK {
                return None;
            }
            if self.used.compare_exchange_weak(at, start + n, Relaxed, Relaxed).is_ok() {
                return Some(start as Id);
            }
        }
    }

    /// Whether the caller is the one thread that may give the node children.
    pub fn claim(&self, id: Id) -> bool {
        self.node(id)
            .first
            .compare_exchange(NO_NODE, BUSY, Acquire, Relaxed)
            .is_ok()
    }

    /// Gives a claimed node its children; false when the arena is full, and the node stays a leaf.
    pub fn grow(&self, id: Id, priors: &[Prior]) -> bool {
        let node = self.node(id);
        let Some(first) = self.allocate(priors.len()).filter(|_| !priors.is_empty()) else {
            node.first.store(NO_NODE, Release);
            return false;
        };
        for (i, prior) in priors.iter().enumerate() {
            let kid = self.node(first + i as Id);
            kid.copy(&Node::default());
            kid.set(prior);
        }
        node.kids.store(priors.len() as u16, Relaxed);
        node.first.store(first, Release);
        true
    }

    /// Copies the tree below a node of another arena into this one, forgotten before, as far as there is room.
    pub fn adopt(&self, from: &Self, top: Id) -> Id {
        let root = self.reset();
        self.node(root).copy(from.node(top));
        let mut queue = std::collections::VecDeque::from([(top, root)]);
        // The upper nodes first, so that what is lost for lack of room lies deep. Half the room is left to grow in.
        while let Some((old, new)) = queue.pop_front() {
            let kids = from.node(old).children();
            if kids.is_empty() || self.fullness() > 500 {
                continue;
            }
            let Some(first) = self.allocate(kids.len()) else {
                continue;
            };
            for (i, kid) in kids.clone().enumerate() {
                self.node(first + i as Id).copy(from.node(kid));
                queue.push_back((kid, first + i as Id));
            }
            self.node(new).kids.store(kids.len() as u16, Relaxed);
            self.node(new).first.store(first, Release);
        }
        root
    }

    /// The child of a node by its move.
    pub fn child(&self, id: Id, mv: Point) -> Option<Id> {
        self.node(id).children().find(|&kid| self.node(kid).mv() == mv)
    }

    /// The child with the most visits, ties by value.
    pub fn best(&self, id: Id) -> Option<Id> {
        let rank = |&kid: &Id| (self.node(kid).visits(), (self.node(kid).value() * 1e6) as u32);
        self.node(id).children().max_by_key(rank)
    }

    /// The line of most visited moves below a node.
    pub fn line(&self, id: Id, most: usize) -> Vec<Point> {
        let mut line = Vec::new();
        let mut at = id;
        while line.len() < most
            && let Some(kid) = self.best(at)
            && self.node(kid).visits() > 0
        {
            line.push(self.node(kid).mv());
            at = kid;
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arena_is_bounded_and_survives_being_full() {
        let tree = Tree::new(1);
        let root = tree.reset();
        let prior = Prior {
            mv: 5,
            visits: 1.0,
            value: 0.5,
        };
        let mut grown = 0;
        let mut at = root;
        while tree.claim(at) && tree.grow(at, &[prior; 300]) {
            at = tree.node(at).children().start;
            grown += 1;
        }
        assert_eq!(grown, CHUNK / 300);
        let copy = Tree::new(1);
        let top = copy.adopt(&tree, root);
        assert_eq!(copy.node(top).children().len(), 300);
    }

    #[test]
    fn amaf_counts_and_means() {
        let node = Node::default();
        for v in [1.0, 0.0, 1.0, 1.0] {
            node.heard(v);
        }
        assert_eq!(node.amaf(), (4.0, 0.75));
    }
}
