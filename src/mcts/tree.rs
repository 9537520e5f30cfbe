//! The tree that all threads share: nodes in an arena of bounded size, with atomics for everything that changes.
//!
//! After Enzenberger and Müller, "A lock-free multithreaded Monte-Carlo tree search algorithm" (2009): visits are
//! counted exactly, the AMAF statistics may lose an update now and then.

use super::leaf::Prior;
use crate::games::go::types::{PASS, Point};
use std::collections::VecDeque;
use std::iter::Chain;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::atomic::{AtomicI64, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};

/// A node's number in the arena.
pub type Id = u32;

/// No node; as a node's children, "not expanded".
pub const NO_NODE: Id = 0;
/// A node's children while a thread makes them.
const BUSY: Id = 1;
/// A node's further children before anybody asked for them.
const LEFT: Id = Id::MAX;
/// Fixed point of summed values.
const ONE: f32 = 65536.0;

/// A node's place in the tree, and who has been there. Counts never lose an update.
#[derive(Default)]
pub struct Ties {
    mv: AtomicU16,
    kids: AtomicU16,
    first: AtomicU32,
    visits: AtomicU32,
    pending: AtomicU32,
    /// Further children, made when the first ones are not enough.
    more: AtomicU32,
    more_kids: AtomicU16,
}

/// What the arena asks of a node; the statistics are the business of the search.
pub trait Knot: Default + Send + Sync {
    /// Its place.
    fn ties(&self) -> &Ties;
    /// Takes over another's statistics; place and children are the arena's business.
    fn learn(&self, from: &Self);
    /// Success of the side that made the move, to tell moves with equal visits apart.
    fn value(&self) -> f32;

    /// The move that leads here.
    #[inline]
    fn mv(&self) -> Point {
        self.ties().mv.load(Relaxed)
    }

    /// Finished visits.
    #[inline]
    fn visits(&self) -> u32 {
        self.ties().visits.load(Relaxed)
    }

    /// Visits of threads still below: each counts as a loss until it is done (virtual loss).
    #[inline]
    fn pending(&self) -> u32 {
        self.ties().pending.load(Relaxed)
    }

    /// The children's numbers, if there are children.
    #[inline]
    fn children(&self) -> Chain<Range<Id>, Range<Id>> {
        let ties = self.ties();
        let range = |first: Id, kids: &AtomicU16| match first {
            NO_NODE | BUSY | LEFT => 0..0,
            _ => first..first + Id::from(kids.load(Relaxed)),
        };
        range(ties.first.load(Acquire), &ties.kids).chain(range(ties.more.load(Acquire), &ties.more_kids))
    }

    /// Whether it has no children.
    #[inline]
    fn is_leaf(&self) -> bool {
        self.ties().first.load(Acquire) <= BUSY
    }

    /// Whether some of its moves have no nodes yet.
    #[inline]
    fn has_more(&self) -> bool {
        self.ties().more.load(Relaxed) == LEFT
    }

    /// A thread goes below.
    #[inline]
    fn enter(&self) {
        self.ties().pending.fetch_add(1, Relaxed);
    }

    /// A thread comes back with empty hands.
    #[inline]
    fn retreat(&self) {
        self.ties().pending.fetch_sub(1, Relaxed);
    }

    /// A thread comes back and its visit counts.
    #[inline]
    fn count(&self) {
        self.ties().visits.fetch_add(1, Relaxed);
    }
}

/// A move in a tree of playouts with its statistics, from the view of the side that made it.
#[derive(Default)]
pub struct Node {
    ties: Ties,
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

impl Knot for Node {
    #[inline]
    fn ties(&self) -> &Ties {
        &self.ties
    }

    fn learn(&self, from: &Self) {
        self.wins.store(from.wins.load(Relaxed), Relaxed);
        self.score.store(from.score.load(Relaxed), Relaxed);
        self.amaf.store(from.amaf.load(Relaxed), Relaxed);
        self.prior.store(from.prior.load(Relaxed), Relaxed);
    }

    /// Mean success, 0.5 before the first visit.
    #[inline]
    fn value(&self) -> f32 {
        let n = self.visits();
        if n == 0 { 0.5 } else { self.wins() / n as f32 }
    }
}

impl Node {
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

    /// A thread comes back with a result.
    #[inline]
    pub fn leave(&self, value: f32, score: f32) {
        self.retreat();
        self.wins.fetch_add((value * ONE) as u64, Relaxed);
        self.score.fetch_add((score * ONE) as i64, Relaxed);
        self.count();
    }

    /// One more AMAF result.
    #[inline]
    pub fn heard(&self, value: f32) {
        let (n, mean) = self.amaf();
        let n = n + 1.0;
        self.amaf.store(pack(n, mean + (value - mean) / n), Relaxed);
    }
}

impl Tree<Node> {
    /// Gives a claimed node the children that these priors speak for.
    pub fn sprout(&self, id: Id, priors: &[Prior]) -> bool {
        let moves = priors.iter().map(|p| p.mv);
        self.grow(id, moves, false, |i, kid| {
            kid.prior.store(pack(priors[i].visits, priors[i].value), Relaxed);
        })
    }
}

/// Nodes of a chunk; larger than any node's children.
const CHUNK: usize = 1 << 13;

/// An arena of nodes that takes memory as it grows, up to its bound.
pub struct Tree<N> {
    chunks: Box<[OnceLock<Box<[N]>>]>,
    used: AtomicUsize,
}

impl<N: Knot> Tree<N> {
    /// An arena of at most this many bytes, but room for a root and its children at least.
    pub fn new(bytes: usize) -> Self {
        let chunks = (bytes / (CHUNK * size_of::<N>())).max(1);
        Self {
            chunks: (0..chunks).map(|_| OnceLock::new()).collect(),
            used: AtomicUsize::new(2),
        }
    }

    /// The node of a number.
    #[inline]
    pub fn node(&self, id: Id) -> &N {
        let chunk = self.chunks[id as usize / CHUNK].get_or_init(|| (0..CHUNK).map(|_| N::default()).collect());
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
        self.copy(root, &N::default());
        self.node(root).ties().mv.store(PASS, Relaxed);
        root
    }

    /// Makes a node one without children that knows what another knows.
    fn copy(&self, id: Id, from: &N) {
        let node = self.node(id);
        let to = node.ties();
        to.mv.store(from.mv(), Relaxed);
        to.visits.store(from.visits(), Relaxed);
        to.pending.store(0, Relaxed);
        to.kids.store(0, Relaxed);
        to.first.store(NO_NODE, Relaxed);
        to.more.store(NO_NODE, Relaxed);
        node.learn(from);
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
            .ties()
            .first
            .compare_exchange(NO_NODE, BUSY, Acquire, Relaxed)
            .is_ok()
    }

    /// Blank nodes of these moves, each finished by `set`; `None` when the arena is full.
    fn make(&self, moves: impl ExactSizeIterator<Item = Point>, set: impl Fn(usize, &N)) -> Option<Id> {
        let first = self.allocate(moves.len())?;
        let blank = N::default();
        for (i, mv) in moves.enumerate() {
            let kid = first + i as Id;
            self.copy(kid, &blank);
            self.node(kid).ties().mv.store(mv, Relaxed);
            set(i, self.node(kid));
        }
        Some(first)
    }

    /// Gives a claimed node children by these moves, each finished by `set`, and notes whether moves are `left` for
    /// [`Tree::extend`]; false when the arena is full, and the node stays a leaf.
    pub fn grow(
        &self,
        id: Id,
        moves: impl ExactSizeIterator<Item = Point>,
        left: bool,
        set: impl Fn(usize, &N),
    ) -> bool {
        let ties = self.node(id).ties();
        let n = moves.len();
        let made = if n > 0 { self.make(moves, set) } else { None };
        if made.is_some() {
            ties.kids.store(n as u16, Relaxed);
            ties.more.store(if left { LEFT } else { NO_NODE }, Relaxed);
        }
        ties.first.store(made.unwrap_or(NO_NODE), Release);
        made.is_some()
    }

    /// Whether the caller is the one thread that may [`extend`](Tree::extend) the node.
    pub fn claim_more(&self, id: Id) -> bool {
        let more = &self.node(id).ties().more;
        more.compare_exchange(LEFT, BUSY, Acquire, Relaxed).is_ok()
    }

    /// Gives a node so claimed children by the moves that were left; false when the arena is full, and they stay left.
    pub fn extend(&self, id: Id, moves: impl ExactSizeIterator<Item = Point>, set: impl Fn(usize, &N)) -> bool {
        let ties = self.node(id).ties();
        let n = moves.len();
        let made = if n > 0 { self.make(moves, set) } else { Some(NO_NODE) };
        ties.more_kids.store(n as u16, Relaxed);
        ties.more.store(made.unwrap_or(LEFT), Release);
        made.is_some()
    }

    /// Gives a node other children, and keeps what the former ones of the same moves know, all below them included;
    /// false when the arena is full, and nothing changes. No other thread may be at the node.
    pub fn regrow(&self, id: Id, moves: impl ExactSizeIterator<Item = Point>, set: impl Fn(usize, &N)) -> bool {
        let ties = self.node(id).ties();
        let n = moves.len();
        let former: Vec<Id> = self.node(id).children().collect();
        let Some(first) = self.allocate(n).filter(|_| n > 0) else {
            return false;
        };
        let blank = N::default();
        for (i, mv) in moves.enumerate() {
            let kid = first + i as Id;
            let old = former.iter().find(|&&old| self.node(old).mv() == mv);
            self.copy(kid, old.map_or(&blank, |&old| self.node(old)));
            let to = self.node(kid).ties();
            to.mv.store(mv, Relaxed);
            if let Some(&old) = old {
                let from = self.node(old).ties();
                to.kids.store(from.kids.load(Relaxed), Relaxed);
                to.more_kids.store(from.more_kids.load(Relaxed), Relaxed);
                to.more.store(from.more.load(Relaxed), Relaxed);
                to.first.store(from.first.load(Relaxed), Relaxed);
            }
            set(i, self.node(kid));
        }
        ties.kids.store(n as u16, Relaxed);
        ties.more.store(NO_NODE, Relaxed);
        ties.first.store(first, Release);
        true
    }

    /// Gives a claimed node back without children.
    pub fn release(&self, id: Id) {
        self.node(id).ties().first.store(NO_NODE, Release);
    }

    /// Copies the tree below a node of another arena into this one, forgotten before, as far as there is room.
    pub fn adopt(&self, from: &Self, top: Id) -> Id {
        let root = self.reset();
        self.copy(root, from.node(top));
        let mut queue = VecDeque::from([(top, root)]);
        // The upper nodes first, so that what is lost for lack of room lies deep. Half the room is left to grow in.
        while let Some((old, new)) = queue.pop_front() {
            let kids = from.node(old).children();
            let n = kids.clone().count();
            if n == 0 || self.fullness() > 500 {
                continue;
            }
            let Some(first) = self.allocate(n) else {
                continue;
            };
            for (kid, copy) in kids.zip(first..) {
                self.copy(copy, from.node(kid));
                queue.push_back((kid, copy));
            }
            let ties = self.node(new).ties();
            ties.kids.store(n as u16, Relaxed);
            if from.node(old).has_more() {
                ties.more.store(LEFT, Relaxed);
            }
            ties.first.store(first, Release);
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

    /// The line of most visited moves below a node, each with its visits.
    pub fn line(&self, id: Id, most: usize) -> Vec<(Point, u32)> {
        let mut line = Vec::new();
        let mut at = id;
        while line.len() < most
            && let Some(kid) = self.best(at)
            && self.node(kid).visits() > 0
        {
            line.push((self.node(kid).mv(), self.node(kid).visits()));
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
        let tree = Tree::<Node>::new(1);
        let root = tree.reset();
        let mut grown = 0;
        let mut at = root;
        while tree.claim(at) && tree.grow(at, [5; 300].into_iter(), false, |_, _| {}) {
            at = tree.node(at).children().next().expect("a child");
            grown += 1;
        }
        assert_eq!(grown, CHUNK / 300);
        let copy = Tree::<Node>::new(1);
        let top = copy.adopt(&tree, root);
        assert_eq!(copy.node(top).children().count(), 300);
    }

    #[test]
    fn moves_may_be_left_for_later() {
        let tree = Tree::<Node>::new(1 << 20);
        let root = tree.reset();
        assert!(tree.claim(root) && tree.grow(root, [7, 8].into_iter(), true, |_, _| {}));
        assert!(tree.node(root).has_more() && tree.node(root).children().count() == 2);
        let copy = Tree::<Node>::new(1 << 20);
        let top = copy.adopt(&tree, root);
        assert!(copy.node(top).has_more() && copy.claim_more(top) && !copy.claim_more(top));
        assert_eq!(copy.node(top).children().count(), 2);
        assert!(copy.extend(top, [9, 10, 11].into_iter(), |_, _| {}));
        let moves = |tree: &Tree<Node>, id| {
            tree.node(id)
                .children()
                .map(|kid| tree.node(kid).mv())
                .collect::<Vec<_>>()
        };
        assert_eq!(moves(&copy, top), [7, 8, 9, 10, 11]);
        assert!(!copy.node(top).has_more() && !copy.claim_more(top));
        let whole = tree.adopt(&copy, top);
        assert_eq!(moves(&tree, whole), [7, 8, 9, 10, 11]);
        assert!(!tree.node(whole).has_more());
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
