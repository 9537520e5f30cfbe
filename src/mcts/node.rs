//! The nodes of the search tree: links, visit counts and statistics, all of them atomic and shared between threads.

use super::bias::PatternId;
use super::tree::NodeId;
use crate::games::go::types::Point;
use std::ops::Range;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::sync::atomic::{AtomicU16, AtomicU32};

/// No node; as the first child, "not expanded".
pub const NO_NODE: NodeId = 0;
/// The first child while a thread expands the node.
pub(super) const EXPANDING: NodeId = 1;
/// The second range of children before it is made.
pub(super) const DEFERRED: NodeId = NodeId::MAX;

/// A float that threads share.
#[derive(Default)]
pub struct AtomicF32(AtomicU32);

impl AtomicF32 {
    /// Its value.
    #[inline]
    pub fn get(&self) -> f32 {
        f32::from_bits(self.0.load(Relaxed))
    }

    /// Changes it.
    #[inline]
    pub fn set(&self, x: f32) {
        self.0.store(x.to_bits(), Relaxed);
    }

    /// Changes it and returns what it was.
    #[inline]
    pub fn swap(&self, x: f32) -> f32 {
        f32::from_bits(self.0.swap(x.to_bits(), Relaxed))
    }
}

/// The value of a position for the side that made the move leading to it.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Value {
    /// Win probability.
    pub win: f32,
    /// Lead in points.
    pub lead: f32,
    /// Mean square of the lead.
    pub square: f32,
    /// What the search maximises: the win probability with a small term for the score, see [`super::utility`].
    pub utility: f32,
}

impl Value {
    /// Standard deviation of the lead.
    pub fn stdev(&self) -> f32 {
        (self.square - self.lead * self.lead).max(0.0).sqrt()
    }

    /// The same for the other side.
    pub fn flip(&self) -> Self {
        Self {
            win: 1.0 - self.win,
            lead: -self.lead,
            square: self.square,
            utility: -self.utility,
        }
    }
}

#[derive(Default)]
struct AtomicValue {
    win: AtomicF32,
    lead: AtomicF32,
    square: AtomicF32,
    utility: AtomicF32,
}

impl AtomicValue {
    fn get(&self) -> Value {
        Value {
            win: self.win.get(),
            lead: self.lead.get(),
            square: self.square.get(),
            utility: self.utility.get(),
        }
    }

    fn set(&self, value: &Value) {
        self.win.set(value.win);
        self.lead.set(value.lead);
        self.square.set(value.square);
        self.utility.set(value.utility);
    }
}

/// A node's move, children and visit counts. Children lie in two ranges: those made when the node was expanded, and
/// those deferred until selection asks for them.
#[derive(Default)]
pub struct NodeLinks {
    pub(super) mv: AtomicU16,
    pub(super) count: AtomicU16,
    pub(super) first: AtomicU32,
    visits: AtomicU32,
    virtual_loss: AtomicU32,
    pub(super) deferred: AtomicU32,
    pub(super) deferred_count: AtomicU16,
}

impl NodeLinks {
    /// Becomes the links of an unexpanded node with these visits.
    pub(super) fn reset(&self, mv: Point, visits: u32) {
        self.mv.store(mv, Relaxed);
        self.visits.store(visits, Relaxed);
        self.virtual_loss.store(0, Relaxed);
        self.count.store(0, Relaxed);
        self.first.store(NO_NODE, Relaxed);
        self.deferred.store(NO_NODE, Relaxed);
    }

    /// Takes over another node's children.
    pub(super) fn adopt_children(&self, from: &Self) {
        self.count.store(from.count.load(Relaxed), Relaxed);
        self.deferred_count.store(from.deferred_count.load(Relaxed), Relaxed);
        self.deferred.store(from.deferred.load(Relaxed), Relaxed);
        self.first.store(from.first.load(Relaxed), Relaxed);
    }
}

/// A move with its statistics, from the view of the side that made it. Threads may update a node at once: its means are
/// then those of one of them, and the next visit recomputes them. Visits never lose an update.
#[derive(Default)]
pub struct Node {
    pub(super) links: NodeLinks,
    /// Policy prior of the edge that leads here.
    pub prior: AtomicF32,
    /// The largest prior among the children that are deferred.
    pub deferred_prior: AtomicF32,
    /// Weight of the visits, which may be less than their number.
    pub weight: AtomicF32,
    /// Weight in the node's own evaluation of visits below it that were dropped for space, see `drop_children`.
    pub dropped_weight: AtomicF32,
    /// Sum of the squared weights.
    pub weight_square: AtomicF32,
    /// Mean square of the utility.
    pub utility_square: AtomicF32,
    /// What the node added to the subtree value bias of its pattern: the sum of errors, and its weight.
    pub error: AtomicF32,
    /// See [`Self::error`].
    pub error_weight: AtomicF32,
    pattern: AtomicU32,
    own: AtomicValue,
    mean: AtomicValue,
}

impl Node {
    /// The move that leads here.
    #[inline]
    pub fn mv(&self) -> Point {
        self.links.mv.load(Relaxed)
    }

    /// Finished visits.
    #[inline]
    pub fn visits(&self) -> u32 {
        self.links.visits.load(Relaxed)
    }

    /// Visits of threads that are still in the subtree: selection counts each as a loss (virtual loss).
    #[inline]
    pub fn virtual_loss(&self) -> u32 {
        self.links.virtual_loss.load(Relaxed)
    }

    /// The children's ids.
    #[inline]
    pub fn children(&self) -> std::iter::Chain<Range<NodeId>, Range<NodeId>> {
        let range = |first: NodeId, count: &AtomicU16| match first {
            NO_NODE | EXPANDING | DEFERRED => 0..0,
            _ => first..first + NodeId::from(count.load(Relaxed)),
        };
        let links = &self.links;
        let made = range(links.first.load(Acquire), &links.count);
        made.chain(range(links.deferred.load(Acquire), &links.deferred_count))
    }

    /// Whether it has no children.
    #[inline]
    pub fn is_leaf(&self) -> bool {
        self.links.first.load(Acquire) <= EXPANDING
    }

    /// Whether some of its children are deferred.
    #[inline]
    pub fn has_deferred(&self) -> bool {
        self.links.deferred.load(Relaxed) == DEFERRED
    }

    /// A thread descends through the node.
    #[inline]
    pub fn add_virtual_loss(&self) {
        self.links.virtual_loss.fetch_add(1, Relaxed);
    }

    /// A thread is done with the subtree.
    #[inline]
    pub fn remove_virtual_loss(&self) {
        self.links.virtual_loss.fetch_sub(1, Relaxed);
    }

    /// Counts a visit.
    #[inline]
    pub fn add_visit(&self) {
        self.links.visits.fetch_add(1, Relaxed);
    }

    /// Whether a thread has been here or is on its way.
    #[inline]
    pub fn is_touched(&self) -> bool {
        self.visits() + self.virtual_loss() > 0
    }

    /// The evaluation of the position itself.
    pub fn own(&self) -> Value {
        self.own.get()
    }

    /// Sets the evaluation of the position itself.
    pub fn set_own(&self, value: &Value) {
        self.own.set(value);
    }

    /// The mean over the subtree.
    pub fn mean(&self) -> Value {
        self.mean.get()
    }

    /// Sets the mean over the subtree.
    pub fn set_mean(&self, value: &Value) {
        self.mean.set(value);
    }

    /// Becomes a leaf whose own evaluation is the mean of what was searched below it, with the weight that it had.
    pub(super) fn drop_children(&self) {
        if self.visits() > 1 {
            self.set_own(&self.mean());
            self.dropped_weight.set((self.weight.get() - 1.0).max(0.0));
        }
    }

    /// The mean utility alone.
    #[inline]
    pub fn utility(&self) -> f32 {
        self.mean.utility.get()
    }

    /// The move's pattern for the subtree value bias.
    #[inline]
    pub fn pattern(&self) -> PatternId {
        self.pattern.load(Relaxed)
    }

    /// Sets the move's pattern.
    pub fn set_pattern(&self, pattern: PatternId) {
        self.pattern.store(pattern, Relaxed);
    }

    /// Copies another node's statistics, but for links and visits.
    pub(super) fn copy_statistics(&self, from: &Self) {
        self.prior.set(from.prior.get());
        self.deferred_prior.set(from.deferred_prior.get());
        self.weight.set(from.weight.get());
        self.dropped_weight.set(from.dropped_weight.get());
        self.weight_square.set(from.weight_square.get());
        self.utility_square.set(from.utility_square.get());
        self.error.set(from.error.get());
        self.error_weight.set(from.error_weight.get());
        self.set_pattern(from.pattern());
        self.own.set(&from.own());
        self.mean.set(&from.mean());
    }
}
