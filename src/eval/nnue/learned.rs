//! The evaluator with a network of our own.

use super::carried::{Carried, Layer};
use super::kernel::{Chunk, Kernel};
use super::net::Net;
use crate::game::{Dirty, Evaluator, Features, Score, Side};
use std::sync::Arc;

impl<P: Features> Layer<P> for Net {
    const INPUTS: usize = P::INPUTS;

    #[inline]
    fn width(&self) -> usize {
        self.width
    }

    fn start(&self) -> &[Chunk] {
        &self.start
    }

    #[inline]
    fn turn(view: Side, king: u8) -> u8 {
        P::turn(view, king)
    }

    #[inline]
    fn input(view: Side, turn: u8, piece: u8, place: u8) -> Option<usize> {
        Some(P::input(view, turn, piece, place))
    }

    #[inline]
    fn row(&self, _view: Side, _turn: u8, input: usize) -> &[Chunk] {
        &self.hidden[input * self.width..][..self.width]
    }
}

/// An evaluator with a network.
pub struct Learned<P> {
    carried: Carried<P, Net>,
    kernel: Kernel,
}

impl<P: Features> Learned<P> {
    /// An evaluator that must be [reset](Evaluator::reset) to a position before use.
    pub fn new(net: Arc<Net>) -> Self {
        Self::with(net, Kernel::best())
    }

    /// An evaluator whose loops are compiled this way.
    pub fn with(net: Arc<Net>, kernel: Kernel) -> Self {
        Self {
            carried: Carried::new(net, kernel),
            kernel,
        }
    }
}

impl<P: Features> Evaluator<P> for Learned<P> {
    fn reset(&mut self, p: &P) {
        self.carried.reset(p);
    }

    #[inline]
    fn push(&mut self, d: &Dirty) {
        self.carried.push(d);
    }

    #[inline]
    fn pop(&mut self) {
        self.carried.pop();
    }

    fn score(&mut self, p: &P) -> Score {
        let head = p.head();
        let (net, [own, other]) = self.carried.sums(p);
        let sum = self.kernel.weigh(own, other, net.head(head), net.fine);
        p.temper(net.score(sum, head) as Score)
    }

    fn explain(&mut self, p: &P) -> String {
        self.reset(p);
        let score = self.score(p);
        format!("network {}: {score} for the side to move", self.carried.layer.name)
    }
}
