//! What turns a position into a score.

pub mod nnue;

use crate::game::{Dirty, Evaluator, Features, Handmade, Score};
use nnue::{Learned, Net};
use std::sync::Arc;

/// The evaluator of a search: written by hand, or learned. One predictable branch a call lets a network be loaded at any
/// time without compiling the search twice.
pub enum Eval<P: Handmade + Features> {
    /// By hand.
    Hand(P::Hand),
    /// By a network.
    Net(Box<Learned<P>>),
}

impl<P: Handmade + Features> Eval<P> {
    /// With the network, or by hand without one.
    pub fn new(net: Option<&Arc<Net>>) -> Self {
        match net {
            Some(net) => Self::Net(Box::new(Learned::new(net.clone()))),
            None => Self::Hand(P::Hand::default()),
        }
    }
}

impl<P: Handmade + Features> Evaluator<P> for Eval<P> {
    fn reset(&mut self, p: &P) {
        match self {
            Self::Hand(e) => e.reset(p),
            Self::Net(e) => e.reset(p),
        }
    }

    #[inline]
    fn push(&mut self, d: &Dirty) {
        match self {
            Self::Hand(e) => e.push(d),
            Self::Net(e) => e.push(d),
        }
    }

    #[inline]
    fn pop(&mut self) {
        match self {
            Self::Hand(e) => e.pop(),
            Self::Net(e) => e.pop(),
        }
    }

    #[inline]
    fn score(&mut self, p: &P) -> Score {
        match self {
            Self::Hand(e) => e.score(p),
            Self::Net(e) => e.score(p),
        }
    }

    fn explain(&mut self, p: &P) -> String {
        match self {
            Self::Hand(e) => e.explain(p),
            Self::Net(e) => {
                let mut hand = P::Hand::default();
                hand.reset(p);
                format!("{}\n{}", hand.explain(p), e.explain(p))
            }
        }
    }
}
