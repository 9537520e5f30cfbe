//! Piece-square tables (PSQT) fitted to the same games: the baseline that a network has to beat.
//!
//! Two tables, for a full and for a bare board, blended by the stages of the output buckets. They go into a network file of
//! the usual kind: an accumulator value of a half plus the table's value and one of a half minus it have squares whose difference
//! is twice that value. Several such pairs, each rounded at other places, share the work, so that rounding cancels out.

use super::data::{Data, permuted, sigmoid};
use super::model::{Adam, Goal, Weights};
use super::packed::Sample;
use nguky::eval::nnue::{Chunk, FINEST, LANES, Net, QA, SCRELU_SCALE};
use nguky::game::Features;

/// Pairs of accumulator values for each of the two tables; together they fill one chunk.
const PAIRS: usize = LANES / 4;
/// A view's tables may add up to half as many units of the output before they are cut off.
const RANGE: f32 = 16.0;
/// The same range, and pairs for each table, where a network begins with the tables.
const NARROW: f32 = 8.0;
const PLANTED: usize = 4;
/// One in output weights, as a power of two.
const BITS: u8 = 13;
const PASSES: usize = 10;
/// Positions of an epoch, drawn anew for each: so few weights need no more.
const PASS: usize = 2_000_000;
const BATCH: usize = 4096;
const RATE: f32 = 0.01;

/// Two tables with a weight for each input, and a bias by output bucket.
pub struct Psqt {
    all: Vec<f32>,
    inputs: usize,
    buckets: usize,
}

impl Psqt {
    /// How much the table for a full board counts in an output bucket.
    fn share(&self, bucket: usize) -> f32 {
        if self.buckets == 1 {
            1.0
        } else {
            bucket as f32 / (self.buckets - 1) as f32
        }
    }

    /// The output in units of the score.
    pub fn out(&self, sample: &Sample) -> f32 {
        let bucket = sample.bucket;
        let (full, bare) = self.all.split_at(self.inputs);
        let share = self.share(bucket);
        let view = |list: &[u16]| -> f32 {
            let one = |&input: &u16| share * full[usize::from(input)] + (1.0 - share) * bare[usize::from(input)];
            list.iter().map(one).sum()
        };
        let [own, other] = sample.inputs();
        view(own) - view(other) + self.all[2 * self.inputs + bucket]
    }

    fn learn(&self, sample: &Sample, goal: Goal, grad: &mut [f32]) {
        let bucket = sample.bucket;
        let expected = sigmoid(self.out(sample) * goal.factor());
        let slope = 2.0 * (expected - sample.target(goal)) * expected * (1.0 - expected) * goal.factor();
        let share = self.share(bucket);
        for (list, slope) in sample.inputs().into_iter().zip([slope, -slope]) {
            for &input in list {
                grad[usize::from(input)] += slope * share;
                grad[self.inputs + usize::from(input)] += slope * (1.0 - share);
            }
        }
        grad[2 * self.inputs + bucket] += slope;
    }

    /// The mean loss.
    pub fn loss<P: Features>(&self, data: &Data, goal: Goal) -> f64 {
        let mut sample = Sample::new();
        let one = |i: usize| {
            data.sample::<P>(i, false, &mut sample);
            f64::from((sigmoid(self.out(&sample) * goal.factor()) - sample.target(goal)).powi(2))
        };
        (0..data.len()).map(one).sum::<f64>() / data.len().max(1) as f64
    }

    /// Tables fitted to the data.
    pub fn fit<P: Features>(data: &Data, goal: Goal, seed: u64) -> Self {
        let mut squares = Self {
            all: vec![0.0; 2 * P::INPUTS + P::OUTPUT_BUCKETS],
            inputs: P::INPUTS,
            buckets: P::OUTPUT_BUCKETS,
        };
        let (mut adam, mut grad) = (Adam::new(squares.all.len()), vec![0.0; squares.all.len()]);
        let mut sample = Sample::new();
        for pass in 0..PASSES {
            let rate = RATE * (1.0 - pass as f32 / PASSES as f32);
            let (n, key) = (data.len().min(PASS), seed ^ ((pass as u64 + 1) << 32));
            for first in (0..n).step_by(BATCH) {
                grad.fill(0.0);
                let size = BATCH.min(n - first);
                for i in first..first + size {
                    let i = permuted(i as u64, data.len() as u64, key) as usize;
                    data.sample::<P>(i, (i ^ pass) & 1 == 1, &mut sample);
                    squares.learn(&sample, goal, &mut grad);
                }
                grad.iter_mut().for_each(|g| *g /= size as f32);
                adam.descend(&mut squares.all, &grad, rate, |_| 0.0);
            }
        }
        squares
    }

    /// Puts the tables into the first accumulator values of a network that is to be trained: what is left to learn is what they cannot
    /// hold, and few games go further.
    pub fn plant(&self, w: &mut Weights) {
        let hidden = w.hidden;
        for unit in 0..4 * PLANTED {
            let (table, sign) = (unit / 2 / PLANTED, if unit % 2 == 0 { 1.0 } else { -1.0 });
            let common = (w.all.len() - w.common) / hidden;
            for input in 0..self.inputs {
                let weight = sign * self.all[table * self.inputs + input] / NARROW;
                w.all[input * hidden + unit] += weight;
                // What the king buckets have in common is their mean.
                if common > 0 {
                    let share = common as f32 / self.inputs as f32;
                    w.all[w.common + input % common * hidden + unit] += share * weight;
                }
            }
            w.all[w.start + unit] = 0.5;
            for bucket in 0..self.buckets {
                let share = if table == 0 {
                    self.share(bucket)
                } else {
                    1.0 - self.share(bucket)
                };
                let weight = sign * share * NARROW / (2 * PLANTED) as f32;
                let own = w.output + bucket * 2 * hidden + unit;
                w.all[own] = weight;
                w.all[own + hidden] = -weight;
            }
        }
        let (bias, buckets) = (w.bias, self.buckets);
        w.all[bias..bias + buckets].copy_from_slice(&self.all[2 * self.inputs..]);
    }

    /// The tables as a network.
    pub fn network(&self, name: &str) -> Net {
        let one = (QA << FINEST) as f32;
        // Two values for a pair, first those of the full board's table.
        let row = |input: usize| {
            Chunk(std::array::from_fn(|lane| {
                let (pair, sign) = (lane / 2, if lane % 2 == 0 { 1.0 } else { -1.0 });
                let weight = self.all[pair / PAIRS * self.inputs + input] / RANGE * one;
                // Each pair rounds up from somewhere else.
                let shift = (pair % PAIRS) as f32 / PAIRS as f32;
                (sign * (weight + shift).floor()) as i16
            }))
        };
        let weights = |share: f32, sign: f32| {
            Chunk(std::array::from_fn(|lane| {
                let share = if lane / 2 < PAIRS { share } else { 1.0 - share };
                let sign = if lane % 2 == 0 { sign } else { -sign };
                // A pair gives twice its table's value.
                (sign * share * RANGE / (2 * PAIRS) as f32 * f32::from(1u16 << BITS)).round() as i16
            }))
        };
        let unit = SCRELU_SCALE as f32 / 2.0 * f32::from(1u16 << BITS);
        Net {
            name: name.into(),
            width: 1,
            fine: FINEST,
            bits: BITS,
            feature_weights: (0..self.inputs).map(row).collect(),
            feature_biases: vec![Chunk([(one / 2.0) as i16; LANES])],
            output_weights: (0..self.buckets)
                .flat_map(|bucket| [1.0, -1.0].map(|sign| weights(self.share(bucket), sign)))
                .collect(),
            output_biases: self.all[2 * self.inputs..].iter().map(|b| (b * unit) as i32).collect(),
        }
    }
}
