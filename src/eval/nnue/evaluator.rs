//! The NNUE evaluator: accumulators and the output layer of a network of our own.

use super::accumulator::{Accumulators, FeatureTransformer};
use super::kernel::{Chunk, Kernel};
use super::net::Net;
use crate::game::{Dirty, Evaluator, Features, Score, Side};
use std::sync::Arc;

impl<P: Features> FeatureTransformer<P> for Net {
    const INPUTS: usize = P::INPUTS;

    #[inline]
    fn width(&self) -> usize {
        self.width
    }

    fn biases(&self) -> &[Chunk] {
        &self.feature_biases
    }

    #[inline]
    fn king_bucket(view: Side, king: u8) -> u8 {
        P::king_bucket(view, king)
    }

    #[inline]
    fn feature(view: Side, king_bucket: u8, piece: u8, place: u8) -> Option<usize> {
        Some(P::feature(view, king_bucket, piece, place))
    }

    #[inline]
    fn row(&self, _view: Side, _king_bucket: u8, feature: usize) -> &[Chunk] {
        &self.feature_weights[feature * self.width..][..self.width]
    }
}

/// The evaluator with a network of our own.
pub struct NnueEvaluator<P> {
    accumulators: Accumulators<P, Net>,
    kernel: Kernel,
}

impl<P: Features> NnueEvaluator<P> {
    /// An evaluator that must be [reset](Evaluator::reset) to a position before use.
    pub fn new(net: Arc<Net>) -> Self {
        Self::with(net, Kernel::best())
    }

    /// An evaluator whose loops are compiled this way.
    pub fn with(net: Arc<Net>, kernel: Kernel) -> Self {
        Self {
            accumulators: Accumulators::new(net, kernel),
            kernel,
        }
    }
}

impl<P: Features> Evaluator<P> for NnueEvaluator<P> {
    fn reset(&mut self, p: &P) {
        self.accumulators.reset(p);
    }

    #[inline]
    fn push(&mut self, d: &Dirty) {
        self.accumulators.push(d);
    }

    #[inline]
    fn pop(&mut self) {
        self.accumulators.pop();
    }

    fn score(&mut self, p: &P) -> Score {
        let bucket = p.output_bucket();
        let (net, [own, other]) = self.accumulators.values(p);
        let sum = self.kernel.forward(own, other, net.output_row(bucket), net.fine);
        p.adjust(net.score(sum, bucket) as Score)
    }

    fn explain(&mut self, p: &P) -> String {
        self.reset(p);
        let score = self.score(p);
        format!("network {}: {score} for the side to move", self.accumulators.layer.name)
    }
}
