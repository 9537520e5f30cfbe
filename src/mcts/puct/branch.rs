//! A node of the tree of opinions.

use super::bias::Kind;
use crate::mcts::tree::{Knot, Ties};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A float that threads share.
#[derive(Default)]
pub struct F32(AtomicU32);

impl F32 {
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

/// What a position is worth to the side that made the move leading to it.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Worth {
    /// Chance to win, 0 to 1.
    pub win: f32,
    /// Lead in points.
    pub lead: f32,
    /// The lead's mean square.
    pub square: f32,
    /// What the search strives for: winning, and a little the score.
    pub utility: f32,
}

impl Worth {
    /// The lead's standard deviation.
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
struct Shared {
    win: F32,
    lead: F32,
    square: F32,
    utility: F32,
}

impl Shared {
    fn get(&self) -> Worth {
        Worth {
            win: self.win.get(),
            lead: self.lead.get(),
            square: self.square.get(),
            utility: self.utility.get(),
        }
    }

    fn set(&self, worth: &Worth) {
        self.win.set(worth.win);
        self.lead.set(worth.lead);
        self.square.set(worth.square);
        self.utility.set(worth.utility);
    }
}

/// A move with what is known of it, from the view of the side that made it. Several threads may write at once: the
/// means are then those of one of them, and the next visit sets them right.
#[derive(Default)]
pub struct Branch {
    ties: Ties,
    /// Share of the policy.
    pub prior: F32,
    /// The best share among the moves below it that have no nodes yet.
    pub left: F32,
    /// Visits that count, which may be less than those that were made.
    pub weight: F32,
    /// The sum of their squares.
    pub weight_square: F32,
    /// Mean square of the utility.
    pub utility_square: F32,
    /// What it added to the errors of its kind: their sum, and its weight.
    pub error: F32,
    /// See [`Self::error`].
    pub error_weight: F32,
    kind: AtomicU32,
    own: Shared,
    mean: Shared,
}

impl Branch {
    /// The position's own judgement.
    pub fn own(&self) -> Worth {
        self.own.get()
    }

    /// Sets the position's own judgement.
    pub fn set_own(&self, worth: &Worth) {
        self.own.set(worth);
    }

    /// What it is worth with all below it.
    pub fn mean(&self) -> Worth {
        self.mean.get()
    }

    /// Sets what it is worth with all below it.
    pub fn set_mean(&self, worth: &Worth) {
        self.mean.set(worth);
    }

    /// The kind of the move.
    #[inline]
    pub fn kind(&self) -> Kind {
        self.kind.load(Relaxed)
    }

    /// Sets the kind of the move.
    pub fn set_kind(&self, kind: Kind) {
        self.kind.store(kind, Relaxed);
    }

    /// The mean utility alone.
    #[inline]
    pub fn utility(&self) -> f32 {
        self.mean.utility.get()
    }

    /// Whether a thread has been here or is on its way.
    #[inline]
    pub fn is_touched(&self) -> bool {
        self.visits() + self.pending() > 0
    }
}

impl Knot for Branch {
    #[inline]
    fn ties(&self) -> &Ties {
        &self.ties
    }

    fn learn(&self, from: &Self) {
        self.prior.set(from.prior.get());
        self.left.set(from.left.get());
        self.weight.set(from.weight.get());
        self.weight_square.set(from.weight_square.get());
        self.utility_square.set(from.utility_square.get());
        self.error.set(from.error.get());
        self.error_weight.set(from.error_weight.get());
        self.set_kind(from.kind());
        self.own.set(&from.own());
        self.mean.set(&from.mean());
    }

    fn value(&self) -> f32 {
        self.mean.win.get()
    }
}
