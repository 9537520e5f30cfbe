//! The network in floating point, and how it becomes whole numbers and is read back from them.

use anyhow::{Result, bail};
use nguky::eval::nnue::{Chunk, FINEST, LANES, MOST_BITS, Net, QA, SCALE, SCRELU_SCALE};
use nguky::game::{Features, Side};
use nguky::util::rng::SplitMix;

/// AdamW's constants.
pub const BETA: [f32; 2] = [0.9, 0.999];
pub const TINY: f32 = 1e-8;
/// No weight gets further from zero than this, as is usual: what the quantised network can hold is found out when it is
/// written ([`Weights::bound`]).
pub const CLIP: f32 = 1.98;

/// The weights, or their gradients: rows and biases of the feature transformer, rows and biases of the output layer by output
/// bucket, and behind them what the rows of all [parts](Features::KING_BUCKETS) have in common, where there are several (Stockfish's trainers call it a
/// factoriser): it is contained in the hidden rows, and learns from all of them.
#[derive(Clone)]
pub struct Weights {
    /// Values of one accumulator.
    pub hidden: usize,
    /// All of them.
    pub all: Vec<f32>,
    /// Where the biases, the output rows and their biases begin.
    pub start: usize,
    /// Where the output rows begin.
    pub output: usize,
    /// Where the output biases begin.
    pub bias: usize,
    /// Where the common rows begin.
    pub common: usize,
}

/// How a position's target is made.
#[derive(Clone, Copy)]
pub struct Goal {
    /// How much the game's result counts beside the score.
    pub blend: f32,
    /// The score at which the win probability is the logistic function of 1.
    pub unit: f32,
}

impl Goal {
    /// The unit of networks, for games without results.
    pub const UNIT: f32 = SCALE as f32;

    /// The output times this goes into the logistic function.
    pub fn factor(self) -> f32 {
        SCALE as f32 / self.unit
    }
}

impl Weights {
    /// All zero.
    pub fn zero<P: Features>(hidden: usize) -> Self {
        let start = P::INPUTS * hidden;
        let output = start + hidden;
        let bias = output + P::OUTPUT_BUCKETS * 2 * hidden;
        let common = bias + P::OUTPUT_BUCKETS;
        let rows = if P::KING_BUCKETS > 1 {
            P::INPUTS / P::KING_BUCKETS
        } else {
            0
        };
        Self {
            hidden,
            all: vec![0.0; common + rows * hidden],
            common,
            start,
            output,
            bias,
        }
    }

    /// Small random weights.
    pub fn random<P: Features>(hidden: usize, seed: u64) -> Self {
        let (mut w, mut rng) = (Self::zero::<P>(hidden), SplitMix::new(seed));
        let mut uniform = |most: f32| most * (rng.below(1 << 24) as f32 / (1 << 23) as f32 - 1.0);
        let (start, output, bias) = (w.start, w.output, w.bias);
        let (common, part) = (w.common, w.all.len() - w.common);
        if part == 0 {
            w.all[..start].iter_mut().for_each(|x| *x = uniform(0.1));
        } else {
            // Parts begin as what they have in common.
            w.all[common..].iter_mut().for_each(|x| *x = uniform(0.1));
            (0..start).step_by(part).for_each(|at| w.all.copy_within(common.., at));
        }
        w.all[start..output].iter_mut().for_each(|x| *x = 0.25 + uniform(0.05));
        let out = 1.0 / (2.0 * hidden as f32).sqrt();
        w.all[output..bias].iter_mut().for_each(|x| *x = uniform(out));
        w
    }

    /// The weights of a network in whole numbers, of `hidden` values at least; a narrower network is [widened](Self::widened)
    /// by random units.
    ///
    /// # Errors
    /// Its accumulator is wider.
    pub fn of_net<P: Features>(net: &Net, hidden: usize, seed: u64) -> Result<Self> {
        let width = net.width * LANES;
        if width > hidden {
            bail!("an accumulator of {width} values; expected at most --hidden {hidden}");
        }
        let weights = Self::of_same::<P>(net, width);
        if width == hidden {
            return Ok(weights);
        }
        Ok(weights.widened::<P>(hidden, seed))
    }

    /// The same function with more units: the new ones have random rows, and output weights of zero, which training moves
    /// (function-preserving growth after Chen, Goodfellow and Shlens, Net2Net, 2016; their copies of units would stay
    /// alike for long).
    fn widened<P: Features>(&self, hidden: usize, seed: u64) -> Self {
        let mut w = Self::random::<P>(hidden, seed);
        let (old, new) = (self.hidden, hidden);
        let rows = |to: &mut [f32], from: &[f32]| {
            for (to, from) in to.chunks_exact_mut(new).zip(from.chunks_exact(old)) {
                to[..old].copy_from_slice(from);
            }
        };
        // Rows of the feature transformer and, behind them, its biases; then the output layer's, a row for each view.
        rows(&mut w.all[..w.output], &self.all[..self.output]);
        w.all[w.output..w.bias].fill(0.0);
        rows(&mut w.all[w.output..w.bias], &self.all[self.output..self.bias]);
        w.all[w.bias..w.common].copy_from_slice(&self.all[self.bias..self.common]);
        rows(&mut w.all[w.common..], &self.all[self.common..]);
        w
    }

    /// The weights of a network of this width.
    fn of_same<P: Features>(net: &Net, hidden: usize) -> Self {
        let mut w = Self::zero::<P>(hidden);
        let one = (QA << net.fine) as f32;
        let wide = |chunks: &[Chunk], one: f32| -> Vec<f32> {
            let lanes = chunks.iter().flat_map(|c| c.0);
            lanes.map(|x| f32::from(x) / one).collect()
        };
        let (start, output, bias) = (w.start, w.output, w.bias);
        w.all[..start].copy_from_slice(&wide(&net.feature_weights, one));
        w.all[start..output].copy_from_slice(&wide(&net.feature_biases, one));
        let one = (1 << net.bits) as f32;
        w.all[output..bias].copy_from_slice(&wide(&net.output_weights, one));
        for (to, from) in w.all[bias..].iter_mut().zip(&net.output_biases) {
            *to = *from as f32 / (one * SCRELU_SCALE as f32 / 2.0);
        }
        // What the parts have in common was not kept; their mean serves.
        let (rows, common) = w.all.split_at_mut(w.common);
        if !common.is_empty() {
            let share = common.len() as f32 / start as f32;
            for part in rows[..start].chunks_exact(common.len()) {
                common.iter_mut().zip(part).for_each(|(c, w)| *c += share * w);
            }
        }
        w
    }

    /// The accumulator of one perspective.
    fn sums(&self, inputs: &[u16], out: &mut [f32]) {
        let biases = &self.all[self.start..self.output];
        // Chunk by chunk, so that a chunk's values stay in registers.
        for (k, (out, bias)) in out.chunks_exact_mut(LANES).zip(biases.chunks_exact(LANES)).enumerate() {
            let mut sum: [f32; LANES] = std::array::from_fn(|i| bias[i]);
            for &input in inputs {
                let row = &self.all[usize::from(input) * self.hidden + k * LANES..][..LANES];
                for (s, w) in sum.iter_mut().zip(row) {
                    *s += w;
                }
            }
            out.copy_from_slice(&sum);
        }
    }

    /// The range of an output bucket's weights, those for the mover's perspective first.
    pub fn bucket(&self, bucket: usize) -> std::ops::Range<usize> {
        self.output + bucket * 2 * self.hidden..self.output + (bucket + 1) * 2 * self.hidden
    }

    /// The output in units of [`SCALE`]; `room` is scratch for both accumulators, the mover's first.
    pub fn out(&self, inputs: [&[u16]; 2], bucket: usize, room: &mut [f32]) -> f32 {
        let (own, other) = room.split_at_mut(self.hidden);
        self.sums(inputs[0], own);
        self.sums(inputs[1], other);
        // Eight lanes, so that the sum can be vectorised.
        let mut lanes = [0.0f32; 8];
        let weights = &self.all[self.bucket(bucket)];
        for (s, w) in room.chunks_exact(8).zip(weights.chunks_exact(8)) {
            for k in 0..8 {
                let v = s[k].clamp(0.0, 1.0);
                lanes[k] += v * v * w[k];
            }
        }
        lanes.iter().sum::<f32>() + self.all[self.bias + bucket]
    }

    /// How far the sum of one unit, of as many as `most` inputs of a part that can meet, gets from zero on one side when
    /// one is `one` and no weight counts for more than `cap`.
    fn far(&self, part: &[Vec<usize>], unit: usize, sign: f32, most: usize, [one, cap]: [f32; 2]) -> f32 {
        let whole = |x: f32| (x.min(cap) * one).round();
        let size = |&input: &usize| whole((sign * self.all[input * self.hidden + unit]).max(0.0));
        let largest = |group: &Vec<usize>| group.iter().map(size).fold(0.0, f32::max);
        let mut sizes: Vec<f32> = part.iter().map(largest).collect();
        let rest = sizes.len().saturating_sub(most);
        sizes.sort_unstable_by(f32::total_cmp);
        sizes[rest..].iter().sum::<f32>() + whole(sign * self.all[self.start + unit])
    }

    /// How far the sums of as many as `most` inputs that can meet get from zero when one is `one`.
    fn reach<P: Features>(&self, most: usize, one: f32) -> f32 {
        let rivals = rivals::<P>();
        let parts = rivals
            .iter()
            .flat_map(|part| (0..self.hidden).map(move |unit| (part, unit)));
        let far = |part, unit, sign| self.far(part, unit, sign, most, [one, f32::INFINITY]);
        parts
            .flat_map(|(part, unit)| [far(part, unit, 1.0), far(part, unit, -1.0)])
            .fold(0.0, f32::max)
    }

    /// Lowers the largest weights of units whose sums, of as many as `most` inputs that can meet, could overflow even at
    /// the coarsest scale, and tells of how many units.
    pub fn bound<P: Features>(&mut self, most: usize) -> usize {
        let (rivals, one) = (rivals::<P>(), QA as f32);
        let mut lowered = 0;
        for unit in 0..self.hidden {
            let mut low = false;
            for part in &rivals {
                for sign in [1.0, -1.0] {
                    let fits = |w: &Self, cap| w.far(part, unit, sign, most, [one, cap]) <= f32::from(i16::MAX);
                    if fits(self, f32::INFINITY) {
                        continue;
                    }
                    let (mut inside, mut outside) = (0.0, CLIP);
                    for _ in 0..12 {
                        let cap = (inside + outside) / 2.0;
                        *(if fits(self, cap) { &mut inside } else { &mut outside }) = cap;
                    }
                    let hidden = self.hidden;
                    for &input in part.iter().flatten() {
                        let w = &mut self.all[input * hidden + unit];
                        *w = if sign > 0.0 { w.min(inside) } else { w.max(-inside) };
                    }
                    let bias = &mut self.all[self.start + unit];
                    *bias = if sign > 0.0 {
                        bias.min(inside)
                    } else {
                        bias.max(-inside)
                    };
                    low = true;
                }
            }
            lowered += usize::from(low);
        }
        lowered
    }

    /// The network in whole numbers, at the finest scales at which no sums, of as many as `most` inputs, can overflow.
    pub fn quantised<P: Features>(&self, name: &str, most: usize) -> Result<Net> {
        let scale = |fine: u8| (QA << fine) as f32;
        let Some(fine) = (0..=FINEST)
            .rev()
            .find(|&f| self.reach::<P>(most, scale(f)) <= f32::from(i16::MAX))
        else {
            bail!(
                "accumulator values could reach {} and overflow sixteen bits",
                self.reach::<P>(most, scale(0))
            );
        };
        let chunks = |range: std::ops::Range<usize>, one: f32| -> Vec<Chunk> {
            let chunk = |c: &[f32]| Chunk(std::array::from_fn(|i| (c[i] * one).round() as i16));
            self.all[range].chunks_exact(LANES).map(chunk).collect()
        };
        let mut net = Net {
            name: name.into(),
            width: self.hidden / LANES,
            fine,
            bits: 0,
            feature_weights: chunks(0..self.start, scale(fine)),
            feature_biases: chunks(self.start..self.output, scale(fine)),
            output_weights: Vec::new(),
            output_biases: Vec::new(),
        };
        for bits in (0..=MOST_BITS).rev() {
            let one = (1 << bits) as f32;
            net.bits = bits;
            net.output_weights = chunks(self.output..self.bias, one);
            let bias = |&b: &f32| (b * one * SCRELU_SCALE as f32 / 2.0).round() as i32;
            net.output_biases = self.all[self.bias..self.common].iter().map(bias).collect();
            // A conversion stops at the ends of what whole numbers hold.
            let held = self.all[self.output..self.common]
                .iter()
                .all(|w| w.abs() * one <= f32::from(i16::MAX));
            if held && net.fits() {
                return Ok(net);
            }
        }
        bail!("output weights are so large that their sum could overflow")
    }
}

/// The inputs by part, those of one point of the board together: no view has two of them, nor inputs of two parts.
fn rivals<P: Features>() -> Vec<Vec<Vec<usize>>> {
    let size = P::INPUTS / P::KING_BUCKETS;
    let part = |n: usize| {
        let mut alone: Vec<usize> = (n * size..(n + 1) * size).collect();
        let mut groups = Vec::new();
        for place in 0..P::SQUARES {
            // The lowest bit of a king bucket mirrors.
            let input = |piece| P::feature(Side::First, 2 * n as u8, piece as u8, place as u8);
            let group: Vec<usize> = (0..P::PIECES).map(input).collect();
            alone.retain(|i| !group.contains(i));
            groups.push(group);
        }
        groups.extend(alone.into_iter().map(|i| vec![i]));
        groups
    };
    (0..P::KING_BUCKETS).map(part).collect()
}

/// The score that the engine computes from a position's inputs, in hundredths of a pawn.
pub fn whole_score(net: &Net, inputs: [&[u16]; 2], bucket: usize) -> i64 {
    let width = net.width;
    let weights = net.output_weights[bucket * 2 * width..][..2 * width]
        .iter()
        .flat_map(|c| c.0);
    let mut sums = Vec::with_capacity(2 * width * LANES);
    for list in inputs {
        let mut view: Vec<i16> = net.feature_biases.iter().flat_map(|c| c.0).collect();
        for &input in list {
            let row = net.feature_weights[usize::from(input) * width..][..width]
                .iter()
                .flat_map(|c| c.0);
            view.iter_mut().zip(row).for_each(|(s, w)| *s = s.wrapping_add(w));
        }
        sums.extend(view);
    }
    let one = QA << net.fine;
    let term = |(s, w): (&i16, i16)| {
        let v = i64::from(i32::from(*s).clamp(0, one) << (6 - net.fine));
        ((v * v + (1 << 14)) >> 15) * i64::from(w)
    };
    net.score(sums.iter().zip(weights).map(term).sum(), bucket)
}

/// AdamW's memory (Loshchilov and Hutter 2017).
pub struct Adam {
    /// Running means of the gradients.
    pub mean: Vec<f32>,
    /// Running means of their squares.
    pub square: Vec<f32>,
    /// Steps taken.
    pub steps: u32,
}

impl Adam {
    /// No step taken yet.
    pub fn new(weights: usize) -> Self {
        Self {
            mean: vec![0.0; weights],
            square: vec![0.0; weights],
            steps: 0,
        }
    }

    /// One step of any weights, each with a decay of its own.
    pub fn descend(&mut self, all: &mut [f32], grad: &[f32], rate: f32, decay: impl Fn(usize) -> f32) {
        self.steps = self.steps.saturating_add(1);
        let fix = BETA.map(|b| 1.0 - b.powf(self.steps as f32));
        let memory = grad.iter().zip(&mut self.mean).zip(&mut self.square);
        for (i, (w, ((g, m), s))) in all.iter_mut().zip(memory).enumerate() {
            *m = BETA[0] * *m + (1.0 - BETA[0]) * g;
            *s = BETA[1] * *s + (1.0 - BETA[1]) * g * g;
            let step = (*m / fix[0]) / ((*s / fix[1]).sqrt() + TINY);
            *w = *w * (1.0 - rate * decay(i)) - rate * step;
        }
    }
}

impl AsRef<[f32]> for Weights {
    fn as_ref(&self) -> &[f32] {
        &self.all
    }
}

impl AsMut<[f32]> for Weights {
    fn as_mut(&mut self) -> &mut [f32] {
        &mut self.all
    }
}
