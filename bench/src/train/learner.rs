//! The trainer's inner loops: forward, backward and AdamW over slices of the accumulator.
//!
//! Each slice has some lanes of the feature transformer's rows, the output weights behind them, their gradients and
//! AdamW's means, all in one place: few enough lanes that weights and gradients stay in a core's second-level cache however
//! wide the network is, and a thread takes slices, not positions, so that no gradients are added up between threads. A
//! batch goes through in chunks: all positions of a chunk through every slice forward, the loss, then backward. Backward, the
//! gradient of a row is kept in registers while all positions of a part of the chunk that have its input are added.

use super::data::{Data, sigmoid};
use super::model::{Adam, BETA, CLIP, Goal, TINY, Weights};
use super::packed::{MOST_INPUTS, Sample};
use nguky::game::Features;
use nguky::util::rng::SplitMix;
use rayon::prelude::*;

/// Positions of a chunk: their activations are kept from forward to backward.
const CHUNK: usize = 2048;
/// Positions of a chunk whose inputs are sorted together for backward.
const PART: usize = 256;
/// The most lanes of a slice.
const WIDEST: usize = 128;
/// Slices are whole multiples of so many lanes.
const STEP: usize = 16;

/// One batch.
#[derive(Clone, Copy)]
pub struct Batch<'a> {
    /// Which positions.
    pub list: &'a [u32],
    /// Their targets.
    pub goal: Goal,
    /// Mirrors positions at random by this seed; none mirrors none.
    pub mirror: Option<u64>,
}

/// How far a step goes.
#[derive(Clone, Copy)]
pub struct Pull {
    /// The learning rate.
    pub rate: f32,
    /// How many times faster the output layer learns: its weights are larger than the others.
    pub output_rate: f32,
    /// What a weight loses, by the rate.
    pub decay: f32,
    /// How many times that a king bucket's row loses of its distance from the common one: a bucket sees few positions, and
    /// without this learns them by heart.
    pub bucket_decay: f32,
    /// What it loses of its distance from its first value, by the rate: L2-SP, after Li, Grandvalet and Davoine, "Explicit
    /// inductive bias for transfer learning with convolutional networks" (2018).
    pub anchor: f32,
    /// Larger errors of the win probability pull no harder than one of this size: the loss of Huber, "Robust estimation of
    /// a location parameter" (1964). Scores of short searches have gross errors.
    pub huber: f32,
}

#[cfg(test)]
impl Pull {
    /// Without an anchor, against the squared error.
    pub fn new(rate: f32, decay: f32) -> Self {
        Self {
            rate,
            output_rate: 1.0,
            decay,
            bucket_decay: 1.0,
            anchor: 0.0,
            huber: f32::INFINITY,
        }
    }
}

/// Inputs and targets of a part of a chunk.
struct Inputs {
    /// Positions in it.
    len: usize,
    /// By position and view: [`MOST_INPUTS`] places, of which as many are taken as `count` says.
    inputs: Vec<u16>,
    count: Vec<u8>,
    buckets: Vec<u8>,
    targets: Vec<f32>,
    /// The views (twice the position, one more for the view that is not to move) that have an input, input by input.
    users: Vec<u16>,
    /// Where each input's users begin; one more at the end.
    starts: Vec<u32>,
    sample: Sample,
}

impl Inputs {
    fn new(inputs: usize) -> Self {
        Self {
            len: 0,
            inputs: vec![0; PART * 2 * MOST_INPUTS],
            count: vec![0; PART],
            buckets: vec![0; PART],
            targets: vec![0.0; PART],
            users: vec![0; PART * 2 * MOST_INPUTS],
            starts: vec![0; inputs + 1],
            sample: Sample::new(),
        }
    }

    fn view(&self, at: usize) -> &[u16] {
        &self.inputs[at * MOST_INPUTS..][..self.count[at / 2].into()]
    }

    /// Unpacks positions; sorts their inputs, too, if they are to be learnt from.
    fn fill<P: Features>(&mut self, data: &Data, batch: Batch, list: &[u32], learn: bool) {
        self.len = list.len();
        for (k, &i) in list.iter().enumerate() {
            let mirrored = batch
                .mirror
                .is_some_and(|seed| SplitMix::new(seed ^ u64::from(i)).next() & 1 == 1);
            data.sample::<P>(i as usize, mirrored, &mut self.sample);
            let views = self.sample.inputs();
            self.count[k] = views[0].len() as u8;
            self.buckets[k] = self.sample.bucket as u8;
            self.targets[k] = self.sample.target(batch.goal);
            for (view, inputs) in views.into_iter().enumerate() {
                self.inputs[(2 * k + view) * MOST_INPUTS..][..inputs.len()].copy_from_slice(inputs);
            }
        }
        if learn {
            self.sort();
        }
    }

    /// A counting sort of all views by input.
    fn sort(&mut self) {
        self.starts.fill(0);
        for at in 0..2 * self.len {
            for &input in &self.inputs[at * MOST_INPUTS..][..self.count[at / 2].into()] {
                self.starts[usize::from(input)] += 1;
            }
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        for at in 0..2 * self.len {
            for &input in &self.inputs[at * MOST_INPUTS..][..self.count[at / 2].into()] {
                let place = &mut self.starts[usize::from(input)];
                *place -= 1;
                self.users[*place as usize] = at as u16;
            }
        }
    }
}

/// Some lanes of a network, with all that learning needs of them. Weights, gradients and means are laid out like
/// [`Weights`] of as many hidden sums, without the output biases.
struct Slice {
    /// The first lane.
    at: usize,
    /// How the parts lie.
    shape: Weights,
    /// The weights that those of this network are drawn back to.
    first: Vec<f32>,
    grad: Vec<f32>,
    mean: Vec<f32>,
    square: Vec<f32>,
    /// Activations of a chunk by position and view, clipped to 0..1; backward the gradients of the sums.
    active: Vec<f32>,
    /// This slice's share of each position's output.
    out: Vec<f32>,
}

/// `$f::<W>($args)` for the width of a slice.
macro_rules! by_width {
    ($width:expr, $f:ident($($args:expr),*)) => {
        match $width {
            16 => $f::<16>($($args),*),
            32 => $f::<32>($($args),*),
            48 => $f::<48>($($args),*),
            64 => $f::<64>($($args),*),
            80 => $f::<80>($($args),*),
            96 => $f::<96>($($args),*),
            112 => $f::<112>($($args),*),
            _ => $f::<128>($($args),*),
        }
    };
}

/// Lanes of one row, beginning at an offset.
#[inline(always)]
fn lanes<const W: usize>(all: &[f32], at: usize) -> &[f32; W] {
    all[at..].first_chunk().expect("rows are whole")
}

#[inline(always)]
fn lanes_mut<const W: usize>(all: &mut [f32], at: usize) -> &mut [f32; W] {
    all[at..].first_chunk_mut().expect("rows are whole")
}

/// Adds the rows at these offsets to `sum`, in blocks of lanes that stay in registers.
#[inline(always)]
fn add_rows<const W: usize>(sum: &mut [f32; W], rows: &[f32], offsets: impl Iterator<Item = usize> + Clone) {
    const B: usize = STEP;
    let mut at = 0;
    // Four blocks at a time, then what is left.
    while at + 4 * B <= W {
        let mut acc: [f32; 4 * B] = *lanes(sum, at);
        for offset in offsets.clone() {
            let row: &[f32; 4 * B] = lanes(rows, offset + at);
            for k in 0..4 * B {
                acc[k] += row[k];
            }
        }
        *lanes_mut(sum, at) = acc;
        at += 4 * B;
    }
    while at < W {
        let mut acc: [f32; B] = *lanes(sum, at);
        for offset in offsets.clone() {
            let row: &[f32; B] = lanes(rows, offset + at);
            for k in 0..B {
                acc[k] += row[k];
            }
        }
        *lanes_mut(sum, at) = acc;
        at += B;
    }
}

fn forward<const W: usize>(slice: &mut Slice, parts: &[Inputs]) {
    let w = &slice.shape;
    let mut position = 0;
    for part in parts {
        for k in 0..part.len {
            let mut dot = [0.0f32; STEP];
            for view in 0..2 {
                let active = lanes_mut::<W>(&mut slice.active, (2 * position + view) * W);
                *active = *lanes(&w.all, w.start);
                let offsets = part.view(2 * k + view).iter().map(|&i| usize::from(i) * W);
                add_rows::<W>(active, &w.all, offsets);
                let weights = lanes::<W>(&w.all, w.bucket(part.buckets[k].into()).start + view * W);
                for (v, weights) in active.chunks_exact_mut(STEP).zip(weights.chunks_exact(STEP)) {
                    for i in 0..STEP {
                        v[i] = v[i].clamp(0.0, 1.0);
                        dot[i] += v[i] * v[i] * weights[i];
                    }
                }
            }
            slice.out[position] = dot.iter().sum();
            position += 1;
        }
    }
}

fn backward<const W: usize>(slice: &mut Slice, parts: &[Inputs], slopes: &[f32]) {
    let (w, grad) = (&slice.shape, &mut slice.grad);
    let mut first = 0;
    for part in parts {
        // The gradients of the sums take their places.
        for k in 0..part.len {
            let (slope, bucket) = (slopes[first + k], w.bucket(part.buckets[k].into()).start);
            for view in 0..2 {
                let active = lanes_mut::<W>(&mut slice.active, (2 * (first + k) + view) * W);
                let weights = lanes::<W>(&w.all, bucket + view * W);
                let grads = lanes_mut::<W>(grad, bucket + view * W);
                for i in 0..W {
                    let v = active[i];
                    grads[i] += slope * v * v;
                    let inside = v > 0.0 && v < 1.0;
                    active[i] = if inside { 2.0 * slope * v * weights[i] } else { 0.0 };
                }
                let biases = lanes_mut::<W>(grad, w.start);
                for i in 0..W {
                    biases[i] += active[i];
                }
            }
        }
        let rows = &slice.active[2 * first * W..];
        for (input, range) in part.starts.windows(2).enumerate() {
            let users = &part.users[range[0] as usize..range[1] as usize];
            if !users.is_empty() {
                let offsets = users.iter().map(|&user| usize::from(user) * W);
                add_rows::<W>(lanes_mut::<W>(grad, input * W), rows, offsets);
            }
        }
        first += part.len;
    }
}

/// One of AdamW's steps.
#[derive(Clone, Copy)]
struct Step {
    rate: f32,
    /// How many times that of the output layer.
    output_rate: f32,
    decay: f32,
    /// That of the distance of a king bucket's row from the common one.
    bucket_decay: f32,
    /// How much a weight is drawn back to its first value.
    anchor: f32,
    /// What the gradients are multiplied by: they are sums.
    scale: f32,
    /// What takes the bias out of young means.
    fix: [f32; 2],
}

impl Step {
    /// The weight after a step.
    #[inline(always)]
    fn step(self, w: f32, first: f32, g: f32, m: &mut f32, s: &mut f32) -> f32 {
        let g = g * self.scale;
        *m = BETA[0] * *m + (1.0 - BETA[0]) * g;
        *s = BETA[1] * *s + (1.0 - BETA[1]) * g * g;
        let step = (*m / self.fix[0]) / ((*s / self.fix[1]).sqrt() + TINY);
        w - self.rate * (self.decay * w + self.anchor * (w - first) + step)
    }

    /// That of the output layer.
    fn of_output(self) -> Self {
        Self {
            rate: self.rate * self.output_rate,
            ..self
        }
    }

    /// Steps of neighbours that are held within the clip; their gradients are zero again.
    fn run(self, w: &mut [f32], first: &[f32], grad: &mut [f32], mean: &mut [f32], square: &mut [f32]) {
        for ((((w, first), g), m), s) in w.iter_mut().zip(first).zip(grad).zip(mean).zip(square) {
            *w = self.step(*w, *first, *g, m, s).clamp(-CLIP, CLIP);
            *g = 0.0;
        }
    }
}

impl Slice {
    fn new<P: Features>(at: usize, width: usize) -> Self {
        let shape = Weights::zero::<P>(width);
        let n = shape.all.len();
        Self {
            at,
            shape,
            first: vec![0.0; n],
            grad: vec![0.0; n],
            mean: vec![0.0; n],
            square: vec![0.0; n],
            active: vec![0.0; CHUNK * 2 * width],
            out: vec![0.0; CHUNK],
        }
    }

    /// Adds up the gradients of the parts of the inputs where their common rows have theirs.
    fn sum_parts(&mut self) {
        let (rows, common) = self.grad.split_at_mut(self.shape.common);
        if !common.is_empty() {
            common.fill(0.0);
            for part in rows[..self.shape.start].chunks_exact(common.len()) {
                common.iter_mut().zip(part).for_each(|(sum, g)| *sum += g);
            }
        }
    }

    fn descend(&mut self, step: Step) {
        self.sum_parts();
        let shape = &self.shape;
        let [start, output, bias, common] = [shape.start, shape.output, shape.bias, shape.common];
        let (rows, fixed) = self.shape.all.split_at_mut(common);
        let (first, fixed_first) = self.first.split_at(common);
        let (grads, fixed_grads) = self.grad.split_at_mut(common);
        let (means, fixed_means) = self.mean.split_at_mut(common);
        let (squares, fixed_squares) = self.square.split_at_mut(common);
        // Rows of king buckets have a step of their own.
        let shared = !fixed.is_empty();
        if shared {
            let before = fixed.to_vec();
            step.run(fixed, fixed_first, fixed_grads, fixed_means, fixed_squares);
            // What is decayed of a part's row is only its distance from the common one.
            let n = before.len();
            let distance = Step {
                decay: step.bucket_decay,
                ..step
            };
            for at in (0..start).step_by(n) {
                for i in 0..n {
                    let j = at + i;
                    let own_first = first[j] - fixed_first[i];
                    let own = distance.step(rows[j] - before[i], own_first, grads[j], &mut means[j], &mut squares[j]);
                    rows[j] = (own + fixed[i]).clamp(-CLIP, CLIP);
                    grads[j] = 0.0;
                }
            }
        }
        let from = if shared { start } else { 0 };
        for (from, to, step) in [(from, output, step), (output, bias, step.of_output())] {
            step.run(
                &mut rows[from..to],
                &first[from..to],
                &mut grads[from..to],
                &mut means[from..to],
                &mut squares[from..to],
            );
        }
    }
}

/// A network that learns.
pub struct Learner {
    slices: Vec<Slice>,
    /// Output biases by head, their gradients and AdamW's means.
    bias: Vec<f32>,
    bias_first: Vec<f32>,
    bias_grad: Vec<f32>,
    bias_mean: Vec<f32>,
    bias_square: Vec<f32>,
    steps: u32,
    parts: Vec<Inputs>,
    /// What the loss of each position of a chunk falls by with its output.
    slopes: Vec<f32>,
}

/// Lanes of a slice, so that as many threads as there are have as much to do where that can be.
fn width(hidden: usize, threads: usize) -> usize {
    let widths = || {
        (STEP..=WIDEST)
            .rev()
            .step_by(STEP)
            .filter(|w| hidden.is_multiple_of(*w))
    };
    let even = widths().find(|w| (hidden / w).is_multiple_of(threads));
    even.or_else(|| widths().find(|w| hidden / w >= threads))
        .or_else(|| widths().last())
        .unwrap_or(STEP)
}

impl Learner {
    /// A learner with these weights and this memory of the optimiser, for so many threads.
    pub fn new<P: Features>(weights: &Weights, adam: &Adam, threads: usize) -> Self {
        let width = width(weights.hidden, threads);
        let slices = (0..weights.hidden).step_by(width).map(|at| Slice::new::<P>(at, width));
        let inputs = || Inputs::new(P::INPUTS);
        let mut learner = Self {
            slices: slices.collect(),
            bias: vec![0.0; P::OUTPUT_BUCKETS],
            bias_first: vec![0.0; P::OUTPUT_BUCKETS],
            bias_grad: vec![0.0; P::OUTPUT_BUCKETS],
            bias_mean: vec![0.0; P::OUTPUT_BUCKETS],
            bias_square: vec![0.0; P::OUTPUT_BUCKETS],
            steps: adam.steps,
            parts: (0..CHUNK / PART).map(|_| inputs()).collect(),
            slopes: vec![0.0; CHUNK],
        };
        learner.put(weights, &weights.all, |s| &mut s.shape.all, |l| &mut l.bias);
        learner.put(weights, &adam.mean, |s| &mut s.mean, |l| &mut l.bias_mean);
        learner.put(weights, &adam.square, |s| &mut s.square, |l| &mut l.bias_square);
        learner
    }

    /// Steps taken.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// Takes other weights.
    pub fn set(&mut self, weights: &Weights) {
        self.put(weights, &weights.all, |s| &mut s.shape.all, |l| &mut l.bias);
    }

    /// Sets what a step's anchor draws the weights back to: zero at first.
    pub fn anchor_to(&mut self, weights: &Weights) {
        self.put(weights, &weights.all, |s| &mut s.first, |l| &mut l.bias_first);
    }

    fn put(
        &mut self,
        whole: &Weights,
        from: &[f32],
        to: impl Fn(&mut Slice) -> &mut Vec<f32>,
        bias: impl Fn(&mut Self) -> &mut Vec<f32>,
    ) {
        for slice in &mut self.slices {
            let (at, width) = (slice.at, slice.shape.hidden);
            let rows = rows(whole, &slice.shape);
            let to = to(slice);
            rows.for_each(|(far, near)| to[near..near + width].copy_from_slice(&from[far + at..far + at + width]));
        }
        bias(self).copy_from_slice(&from[whole.bias..whole.common]);
    }

    fn take(&self, whole: &Weights, to: &mut [f32], from: impl Fn(&Slice) -> &Vec<f32>, bias: &[f32]) {
        for slice in &self.slices {
            let (at, width) = (slice.at, slice.shape.hidden);
            rows(whole, &slice.shape).for_each(|(far, near)| {
                to[far + at..far + at + width].copy_from_slice(&from(slice)[near..near + width]);
            });
        }
        to[whole.bias..whole.common].copy_from_slice(bias);
    }

    /// Gives the weights and the optimiser's memory back.
    pub fn store(&self, weights: &mut Weights, adam: &mut Adam) {
        let mut all = std::mem::take(&mut weights.all);
        self.take(weights, &mut all, |s| &s.shape.all, &self.bias);
        self.take(weights, &mut adam.mean, |s| &s.mean, &self.bias_mean);
        self.take(weights, &mut adam.square, |s| &s.square, &self.bias_square);
        weights.all = all;
        adam.steps = self.steps;
    }

    /// The summed squared error of a batch; with `huber`, the bound of [`Pull::huber`], the gradient of that loss is added to
    /// the gradients.
    fn pass<P: Features>(&mut self, data: &Data, batch: Batch, huber: Option<f32>) -> f64 {
        let learn = huber.is_some();
        let (mut sum, factor) = (0.0, batch.goal.factor());
        for list in batch.list.chunks(CHUNK) {
            let n = list.len().div_ceil(PART);
            let fill = |(part, list): (&mut Inputs, &[u32])| part.fill::<P>(data, batch, list, learn);
            self.parts[..n].par_iter_mut().zip(list.par_chunks(PART)).for_each(fill);
            let parts = &self.parts[..n];
            self.slices
                .par_iter_mut()
                .with_max_len(1)
                .for_each(|s| by_width!(s.shape.hidden, forward(s, parts)));
            let buckets = parts.iter().flat_map(|p| &p.buckets[..p.len]);
            let targets = parts.iter().flat_map(|p| &p.targets[..p.len]);
            for (i, (&bucket, &target)) in buckets.zip(targets).enumerate() {
                let bucket = usize::from(bucket);
                let out = self.slices.iter().map(|s| s.out[i]).sum::<f32>() + self.bias[bucket];
                let expected = sigmoid(out * factor);
                let error = expected - target;
                sum += f64::from(error * error);
                if let Some(most) = huber {
                    self.slopes[i] = 2.0 * error.clamp(-most, most) * expected * (1.0 - expected) * factor;
                    self.bias_grad[bucket] += self.slopes[i];
                }
            }
            if learn {
                let slopes = &self.slopes;
                self.slices
                    .par_iter_mut()
                    .with_max_len(1)
                    .for_each(|s| by_width!(s.shape.hidden, backward(s, parts, slopes)));
            }
        }
        sum
    }

    /// Learns from a batch: one step of AdamW against the mean gradient. Returns the summed squared error.
    pub fn learn<P: Features>(&mut self, data: &Data, batch: Batch, pull: Pull) -> f64 {
        let sum = self.pass::<P>(data, batch, Some(pull.huber));
        self.steps = self.steps.saturating_add(1);
        let step = Step {
            rate: pull.rate,
            output_rate: pull.output_rate,
            decay: pull.decay,
            bucket_decay: pull.decay * pull.bucket_decay,
            anchor: pull.anchor,
            scale: 1.0 / batch.list.len().max(1) as f32,
            fix: BETA.map(|b| 1.0 - b.powf(self.steps as f32)),
        };
        self.slices.par_iter_mut().with_max_len(1).for_each(|s| s.descend(step));
        step.of_output().run(
            &mut self.bias,
            &self.bias_first,
            &mut self.bias_grad,
            &mut self.bias_mean,
            &mut self.bias_square,
        );
        sum
    }

    /// The mean loss over data that is not learnt from.
    pub fn loss<P: Features>(&mut self, data: &Data, goal: Goal) -> f64 {
        let mut sum = 0.0;
        for first in (0..data.len()).step_by(CHUNK) {
            let list: Vec<u32> = (first as u32..(first + CHUNK).min(data.len()) as u32).collect();
            let batch = Batch {
                list: &list,
                goal,
                mirror: None,
            };
            sum += self.pass::<P>(data, batch, None);
        }
        sum / data.len().max(1) as f64
    }

    /// The gradient of a batch's summed loss, by the bound of [`Pull::huber`], with the common rows' gradients, laid out like
    /// the weights.
    #[cfg(test)]
    pub fn gradient<P: Features>(&mut self, data: &Data, batch: Batch, huber: f32, like: &Weights) -> Vec<f32> {
        self.pass::<P>(data, batch, Some(huber));
        self.slices.iter_mut().for_each(Slice::sum_parts);
        let mut all = vec![0.0; like.all.len()];
        self.take(like, &mut all, |s| &s.grad, &self.bias_grad);
        all
    }
}

/// Where each row of a network lies and where the slice has its lanes of it.
fn rows(whole: &Weights, slice: &Weights) -> impl Iterator<Item = (usize, usize)> + use<> {
    let (hidden, width) = (whole.hidden, slice.hidden);
    // Input rows, hidden biases and output rows lie behind one another in both.
    let first = (0..whole.bias / hidden).map(move |i| (i * hidden, i * width));
    let (far, near) = (whole.common, slice.common);
    let common = (slice.all.len() - near) / width;
    first.chain((0..common).map(move |i| (far + i * hidden, near + i * width)))
}
