//! The network in training: its weights in one list, the way forth over some boards, and the way back.
//!
//! Shapes and order are KataGo's (a trunk of blocks with norm and ReLU before each convolution, some with global pooling;
//! heads for policy, value, score and ownership), so that files in its format hold it. Norms are a scale and a bias of
//! each channel, without statistics; instead the blocks begin as nothing added (after Zhang, Dauphin and Ma, "Fixup
//! initialization", 2019).

use super::gemm::{Left, add, gemm, transpose};
use super::winograd::{self, FREQUENCIES, Filters, Plan, Room};
use nguky::util::rng::SplitMix;
use std::ops::Range;

/// Input planes, filled up to whole registers.
pub const PLANES: usize = 24;
/// Input numbers of the whole board.
pub const GLOBALS: usize = 19;
/// Outputs of the value head: win, loss, no result; mean score, its deviation, lead, time.
pub const VALUES: usize = 7;
/// Points that an output of 1 means in the score head.
pub const POINTS_A_UNIT: f32 = 20.0;

/// How much each loss counts: policy, value, ownership, score.
const COUNTS: [f32; 4] = [1.0, 1.5, 1.0, 1.0];
/// Beyond this error, in units of the output, scores pull no harder.
const FAR: f32 = 0.6;

/// Scale and bias of `channels`.
#[derive(Clone, Debug)]
pub struct Norm {
    /// Where they are.
    pub at: usize,
    /// How many channels.
    pub channels: usize,
}

impl Norm {
    /// Places of the scales.
    pub fn scale(&self) -> Range<usize> {
        self.at..self.at + self.channels
    }

    /// Places of the biases.
    pub fn bias(&self) -> Range<usize> {
        self.at + self.channels..self.at + 2 * self.channels
    }
}

/// A matrix by input and output, or a convolution of 3 x 3 points by row, column, input and output.
#[derive(Clone, Debug)]
pub struct Mat {
    /// Where it is.
    pub at: usize,
    /// Inputs.
    pub inputs: usize,
    /// Outputs.
    pub outputs: usize,
    /// 9 for a convolution, or 1.
    pub taps: usize,
}

impl Mat {
    /// The places of its weights.
    pub fn range(&self) -> Range<usize> {
        self.at..self.at + self.taps * self.inputs * self.outputs
    }
}

/// What a block pools: the last outputs of its first convolution.
#[derive(Clone, Debug)]
pub struct Pool {
    /// Norm of the pooled channels.
    pub norm: Norm,
    /// From mean, scaled mean and maximum to the other channels.
    pub mat: Mat,
}

/// A block of the trunk.
#[derive(Clone, Debug)]
pub struct Block {
    /// Norm of what comes in.
    pub norm1: Norm,
    /// First convolution.
    pub conv1: Mat,
    /// Pooling, where it does.
    pub pool: Option<Pool>,
    /// Norm of the first convolution's outputs that are not pooled.
    pub norm2: Norm,
    /// Second convolution, added to what came in.
    pub conv2: Mat,
}

/// Where everything is.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Channels of the trunk.
    pub channels: usize,
    /// Channels of each head.
    pub head: usize,
    /// From the planes.
    pub stem: Mat,
    /// From the numbers of the whole board.
    pub globals: Mat,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// The last norm of the trunk.
    pub tip: Norm,
    /// To policy, pooled policy and value channels, beside one another.
    pub heads: Mat,
    /// Norm of the pooled policy channels.
    pub pool_norm: Norm,
    /// From them to the policy's.
    pub pool_mat: Mat,
    /// Norm of the policy channels.
    pub policy_norm: Norm,
    /// To a logit a point.
    pub policy: Mat,
    /// To the pass's logit.
    pub pass: Mat,
    /// Norm of the value channels.
    pub value_norm: Norm,
    /// To the hidden numbers.
    pub hidden: Mat,
    /// Their bias.
    pub hidden_bias: Range<usize>,
    /// To win, loss and no result, and to the four of the score.
    pub value: Mat,
    /// Their bias.
    pub value_bias: Range<usize>,
    /// To ownership.
    pub own: Mat,
    /// Weights in all.
    pub len: usize,
}

impl Shape {
    /// A network of so many blocks and channels.
    pub fn new(blocks: usize, channels: usize) -> Self {
        let mut len = 0;
        let mut take = |n: usize| {
            len += n;
            len - n
        };
        macro_rules! mat {
            ($taps:expr, $inputs:expr, $outputs:expr) => {
                Mat {
                    at: take($taps * $inputs * $outputs),
                    inputs: $inputs,
                    outputs: $outputs,
                    taps: $taps,
                }
            };
        }
        macro_rules! norm {
            ($channels:expr) => {
                Norm {
                    at: take(2 * $channels),
                    channels: $channels,
                }
            };
        }
        let head = channels.min(32);
        let pooled = (channels / 4).next_multiple_of(8);
        let stem = mat!(9, PLANES, channels);
        let globals = mat!(1, GLOBALS, channels);
        let blocks: Vec<Block> = (0..blocks)
            .map(|i| {
                let pools = if blocks < 5 { i % 2 == 1 } else { i % 2 == 0 && i > 0 };
                let inner = if pools { channels - pooled } else { channels };
                Block {
                    norm1: norm!(channels),
                    conv1: mat!(9, channels, channels),
                    pool: pools.then(|| Pool {
                        norm: norm!(pooled),
                        mat: mat!(1, 3 * pooled, inner),
                    }),
                    norm2: norm!(inner),
                    conv2: mat!(9, inner, channels),
                }
            })
            .collect();
        let tip = norm!(channels);
        let heads = mat!(1, channels, 3 * head);
        let pool_norm = norm!(head);
        let pool_mat = mat!(1, 3 * head, head);
        let policy_norm = norm!(head);
        let policy = mat!(1, head, 1);
        let pass = mat!(1, 3 * head, 1);
        let value_norm = norm!(head);
        let hidden = mat!(1, 3 * head, 2 * head);
        let hidden_bias = take(2 * head)..take(0);
        let value = mat!(1, 2 * head, VALUES);
        let value_bias = take(VALUES)..take(0);
        let own = mat!(1, head, 1);
        Self {
            channels,
            head,
            stem,
            globals,
            blocks,
            tip,
            heads,
            pool_norm,
            pool_mat,
            policy_norm,
            policy,
            pass,
            value_norm,
            hidden,
            hidden_bias,
            value,
            value_bias,
            own,
            len,
        }
    }

    /// The first weights.
    pub fn random(&self, seed: u64) -> Vec<f32> {
        let mut w = vec![0.0; self.len];
        let mut rng = SplitMix::new(seed);
        let mut normal = |w: &mut [f32], mat: &Mat, gain: f32| {
            let deviation = gain / ((mat.taps * mat.inputs) as f32).sqrt();
            for x in &mut w[mat.range()] {
                let [u, v] = [0; 2].map(|_| (rng.next() >> 40) as f32 / (1u64 << 24) as f32);
                let length = (-2.0 * (u + 1e-7).min(1.0).ln()).sqrt().min(3.0);
                *x = deviation * length * (std::f32::consts::TAU * v).cos();
            }
        };
        let relu = 2f32.sqrt();
        let depth = relu / (self.blocks.len() as f32).sqrt();
        // A board shows some 6 of its planes at a point.
        normal(&mut w, &self.stem, 2.0);
        normal(&mut w, &self.globals, 1.0);
        for b in &self.blocks {
            normal(&mut w, &b.conv1, depth);
            normal(&mut w, &b.conv2, 0.1 * depth);
            if let Some(pool) = &b.pool {
                normal(&mut w, &pool.mat, 0.5);
            }
        }
        for (mat, gain) in [
            (&self.heads, relu),
            (&self.pool_mat, 0.5),
            (&self.policy, 0.5),
            (&self.pass, 0.5),
            (&self.hidden, relu),
            (&self.value, 0.3),
            (&self.own, 0.5),
        ] {
            normal(&mut w, mat, gain);
        }
        for norm in self.norms() {
            w[norm.scale()].fill(1.0);
        }
        w
    }

    /// All norms.
    pub fn norms(&self) -> Vec<&Norm> {
        let blocks = self.blocks.iter().flat_map(|b| {
            [Some(&b.norm1), Some(&b.norm2), b.pool.as_ref().map(|p| &p.norm)]
                .into_iter()
                .flatten()
        });
        blocks
            .chain([&self.tip, &self.pool_norm, &self.policy_norm, &self.value_norm])
            .collect()
    }

    /// All convolutions of 3 x 3 points.
    pub fn convs(&self) -> Vec<&Mat> {
        let blocks = self.blocks.iter().flat_map(|b| [&b.conv1, &b.conv2]);
        [&self.stem].into_iter().chain(blocks).collect()
    }
}

/// The weights made ready for a batch.
pub struct Net {
    /// Where everything is.
    pub shape: Shape,
    /// The weights.
    pub all: Vec<f32>,
    filters: Vec<Filters>,
    heads_back: Vec<f32>,
}

impl Net {
    /// A net with these weights.
    pub fn new(shape: Shape, all: Vec<f32>) -> Self {
        let mut net = Self {
            filters: vec![Filters::default(); shape.convs().len()],
            heads_back: vec![0.0; shape.heads.range().len()],
            shape,
            all,
        };
        net.prepare();
        net
    }

    /// To be called when the weights have changed.
    pub fn prepare(&mut self) {
        for (f, conv) in self.filters.iter_mut().zip(self.shape.convs()) {
            f.set(&self.all[conv.range()], conv.inputs, conv.outputs);
        }
        let heads = &self.shape.heads;
        transpose(
            &self.all[heads.range()],
            [heads.inputs, heads.outputs],
            &mut self.heads_back,
        );
    }
}

/// What is to be learnt from one position, from the view of the side to move.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// Share of each point and of the pass; empty when nothing is said.
    pub policy: Vec<f32>,
    /// Chances of win, loss and no result.
    pub value: [f32; 3],
    /// Lead in points.
    pub lead: f32,
    /// Mean of the final score.
    pub mean: f32,
    /// Its deviation; none when only one outcome is known.
    pub deviation: Option<f32>,
    /// Whose each point is, from -1 to 1; empty when nothing is said.
    pub own: Vec<f32>,
}

/// Some positions on boards of one size.
pub struct Group {
    /// Size and number.
    pub plan: Plan,
    /// [`PLANES`] numbers of each point.
    pub planes: Vec<f32>,
    /// [`GLOBALS`] numbers of each board.
    pub globals: Vec<f32>,
    /// What is to be learnt.
    pub targets: Vec<Target>,
}

/// Sums of losses: policy, value, ownership, score; moves that agree with the target's best; and positions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Losses {
    /// The four losses.
    pub parts: [f64; 4],
    /// Positions whose most likely move is the target's.
    pub agreed: f64,
    /// Positions.
    pub count: f64,
}

impl Losses {
    /// The loss that is made small, a position.
    pub fn total(&self) -> f64 {
        let sum: f64 = self.parts.iter().zip(COUNTS).map(|(x, c)| x * f64::from(c)).sum();
        sum / self.count.max(1.0)
    }

    /// The parts a position, and the share of agreed moves.
    pub fn means(&self) -> [f64; 5] {
        let n = self.count.max(1.0);
        let [a, b, c, d] = self.parts;
        [a / n, b / n, c / n, d / n, self.agreed / n]
    }

    /// Adds others.
    pub fn join(&mut self, o: &Self) {
        self.parts.iter_mut().zip(o.parts).for_each(|(a, b)| *a += b);
        self.agreed += o.agreed;
        self.count += o.count;
    }
}

/// What a net says of one board.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// Logits of the points and of the pass.
    pub policy: Vec<f32>,
    /// The outputs of the value head as they are.
    pub value: [f32; VALUES],
    /// Whose each point is, before `tanh`.
    pub own: Vec<f32>,
}

/// Pooled numbers of one board.
#[derive(Clone, Default)]
struct Pooled {
    /// Mean, scaled mean and maximum (or the mean scaled anew) of each channel.
    sums: Vec<f32>,
    /// The point of each maximum.
    most: Vec<usize>,
}

/// How far a board's side is from 14: pooled means are scaled by it, too.
fn breadth(plan: Plan) -> f32 {
    plan.size as f32 - 14.0
}

fn pool(plan: Plan, a: &[f32], channels: usize, to: &mut Vec<Pooled>) {
    to.resize(plan.boards, Pooled::default());
    for (board, p) in a.chunks_exact(plan.area() * channels).zip(to) {
        p.sums.clear();
        p.sums.resize(3 * channels, 0.0);
        p.most.clear();
        p.most.resize(channels, 0);
        let (mean, rest) = p.sums.split_at_mut(channels);
        let (scaled, most) = rest.split_at_mut(channels);
        most.fill(-1.0);
        for (at, row) in board.chunks_exact(channels).enumerate() {
            for (c, &x) in row.iter().enumerate() {
                mean[c] += x;
                if x > most[c] {
                    (most[c], p.most[c]) = (x, at);
                }
            }
        }
        for (m, s) in mean.iter_mut().zip(scaled) {
            *m /= plan.area() as f32;
            *s = *m * breadth(plan) * 0.1;
        }
    }
}

/// Adds to the gradient of the pooled points.
fn pool_back(plan: Plan, pooled: &[Pooled], grads: &[f32], channels: usize, to: &mut [f32]) {
    let boards = to.chunks_exact_mut(plan.area() * channels);
    for ((board, p), d) in boards.zip(pooled).zip(grads.chunks_exact(3 * channels)) {
        let each: Vec<f32> = (0..channels)
            .map(|c| (d[c] + d[channels + c] * breadth(plan) * 0.1) / plan.area() as f32)
            .collect();
        for row in board.chunks_exact_mut(channels) {
            add(row, &each);
        }
        for c in 0..channels {
            board[p.most[c] * channels + c] += d[2 * channels + c];
        }
    }
}

/// A part of the channels of each point: how many there are, and the first.
#[derive(Clone, Copy)]
struct Of(usize, usize);

/// Scale, bias and ReLU.
fn norm(w: &[f32], norm: &Norm, x: &[f32], Of(stride, first): Of, to: &mut Vec<f32>) {
    let c = norm.channels;
    to.resize(x.len() / stride * c, 0.0);
    let (scale, bias) = (&w[norm.scale()], &w[norm.bias()]);
    for (row, to) in x.chunks_exact(stride).zip(to.chunks_exact_mut(c)) {
        for (((x, to), s), b) in row[first..first + c].iter().zip(to).zip(scale).zip(bias) {
            *to = (x * s + b).max(0.0);
        }
    }
}

/// The way back: `d` is the gradient of the outputs `a`; that of the inputs is added to `dx`.
fn norm_back(
    (w, g): (&[f32], &mut [f32]),
    norm: &Norm,
    (a, d): (&[f32], &[f32]),
    x: &[f32],
    Of(stride, first): Of,
    dx: &mut [f32],
) {
    let c = norm.channels;
    let scale = &w[norm.scale()];
    let mut sums = vec![0.0f32; 2 * c];
    let (ds, db) = sums.split_at_mut(c);
    let rows = a.chunks_exact(c).zip(d.chunks_exact(c));
    for (((a, d), x), dx) in rows.zip(x.chunks_exact(stride)).zip(dx.chunks_exact_mut(stride)) {
        let (x, dx) = (&x[first..first + c], &mut dx[first..first + c]);
        for i in 0..c {
            let d = if a[i] > 0.0 { d[i] } else { 0.0 };
            ds[i] += d * x[i];
            db[i] += d;
            dx[i] += d * scale[i];
        }
    }
    add(&mut g[norm.at..norm.at + 2 * c], &sums);
}

/// A row times a matrix; added.
fn times(w: &[f32], mat: &Mat, x: &[f32], to: &mut [f32]) {
    for (x, row) in x.iter().zip(w[mat.range()].chunks_exact(mat.outputs)) {
        for (to, w) in to.iter_mut().zip(row) {
            *to += x * w;
        }
    }
}

/// The way back of [`times`].
fn times_back((w, g): (&[f32], &mut [f32]), mat: &Mat, x: &[f32], d: &[f32], dx: &mut [f32]) {
    let rows = w[mat.range()]
        .chunks_exact(mat.outputs)
        .zip(g[mat.range()].chunks_exact_mut(mat.outputs));
    for ((x, dx), (row, grow)) in x.iter().zip(dx).zip(rows) {
        for ((g, w), d) in grow.iter_mut().zip(row).zip(d) {
            *g += x * d;
            *dx += w * d;
        }
    }
}

#[derive(Default)]
struct BlockTape {
    first: Vec<f32>,
    inner: Vec<f32>,
    pooled_act: Vec<f32>,
    pooled: Vec<Pooled>,
    /// The first convolution's outputs that are not pooled, with what pooling adds; empty without pooling.
    regular: Vec<f32>,
    second: Vec<f32>,
}

/// All that the way forth leaves for the way back.
#[derive(Default)]
struct Tape {
    trunk: Vec<Vec<f32>>,
    blocks: Vec<BlockTape>,
    tip: Vec<f32>,
    heads: Vec<f32>,
    pool_act: Vec<f32>,
    pooled: Vec<Pooled>,
    policy_in: Vec<f32>,
    policy_act: Vec<f32>,
    value_act: Vec<f32>,
    value_pooled: Vec<f32>,
    hidden: Vec<f32>,
}

/// One thread's memory and gradients.
pub struct Learner {
    room: Room,
    tape: Tape,
    out: Vec<Output>,
    /// The gradient, but for the convolutions of 3 x 3 points.
    pub grad: Vec<f32>,
    /// That of the convolutions, by frequency.
    waves: Vec<Vec<f32>>,
}

impl Learner {
    /// A learner of such nets.
    pub fn new(shape: &Shape) -> Self {
        let waves = shape
            .convs()
            .into_iter()
            .map(|c| vec![0.0; FREQUENCIES * c.inputs * c.outputs]);
        Self {
            room: Room::default(),
            tape: Tape::default(),
            out: Vec::new(),
            grad: vec![0.0; shape.len],
            waves: waves.collect(),
        }
    }

    /// Forgets the gradient.
    pub fn clear(&mut self) {
        self.grad.fill(0.0);
        self.waves.iter_mut().for_each(|w| w.fill(0.0));
    }

    /// Adds another's gradient.
    pub fn join(&mut self, other: &Self) {
        add(&mut self.grad, &other.grad);
        self.waves.iter_mut().zip(&other.waves).for_each(|(a, b)| add(a, b));
    }

    /// The whole gradient.
    pub fn finish(&mut self, shape: &Shape) -> &mut [f32] {
        for (wave, conv) in self.waves.iter().zip(shape.convs()) {
            winograd::lowered(wave, conv.inputs * conv.outputs, &mut self.grad[conv.range()]);
        }
        &mut self.grad
    }

    /// What a net says of a group.
    #[cfg(test)]
    pub fn look(&mut self, net: &Net, group: &Group) -> &[Output] {
        self.forth(net, group);
        &self.out
    }

    /// The losses of a group, nothing learnt.
    pub fn judge(&mut self, net: &Net, group: &Group) -> Losses {
        self.forth(net, group);
        let mut sum = Losses::default();
        for (out, target) in self.out.iter_mut().zip(&group.targets) {
            sum.join(&compare(out, target));
        }
        sum
    }

    /// The losses of a group, whose gradient is added.
    pub fn learn(&mut self, net: &Net, group: &Group) -> Losses {
        let sum = self.judge(net, group);
        self.back(net, group);
        sum
    }

    fn forth(&mut self, net: &Net, group: &Group) {
        let (shape, w, plan, tape) = (&net.shape, &net.all, group.plan, &mut self.tape);
        let (points, c, area) = (plan.points(), shape.channels, plan.area());
        tape.trunk.resize(shape.blocks.len() + 1, Vec::new());
        tape.blocks.resize_with(shape.blocks.len(), BlockTape::default);
        tape.trunk[0].resize(points * c, 0.0);
        winograd::forward(
            plan,
            &net.filters[0],
            &group.planes,
            &mut tape.trunk[0],
            false,
            &mut self.room,
        );
        let boards = tape.trunk[0].chunks_exact_mut(area * c);
        for (board, globals) in boards.zip(group.globals.chunks_exact(GLOBALS)) {
            let mut sum = vec![0.0; c];
            times(w, &shape.globals, globals, &mut sum);
            board.chunks_exact_mut(c).for_each(|row| add(row, &sum));
        }
        for (i, (b, t)) in shape.blocks.iter().zip(&mut tape.blocks).enumerate() {
            let (before, after) = tape.trunk.split_at_mut(i + 1);
            let (x, y) = (&before[i], &mut after[0]);
            norm(w, &b.norm1, x, Of(c, 0), &mut t.first);
            t.inner.resize(points * c, 0.0);
            winograd::forward(
                plan,
                &net.filters[1 + 2 * i],
                &t.first,
                &mut t.inner,
                false,
                &mut self.room,
            );
            if let Some(p) = &b.pool {
                let inner = b.norm2.channels;
                norm(w, &p.norm, &t.inner, Of(c, inner), &mut t.pooled_act);
                pool(plan, &t.pooled_act, p.norm.channels, &mut t.pooled);
                t.regular.resize(points * inner, 0.0);
                let boards = t
                    .regular
                    .chunks_exact_mut(area * inner)
                    .zip(t.inner.chunks_exact(area * c));
                for ((to, from), pooled) in boards.zip(&t.pooled) {
                    let mut sum = vec![0.0; inner];
                    times(w, &p.mat, &pooled.sums, &mut sum);
                    for (to, from) in to.chunks_exact_mut(inner).zip(from.chunks_exact(c)) {
                        for ((to, x), s) in to.iter_mut().zip(from).zip(&sum) {
                            *to = x + s;
                        }
                    }
                }
                norm(w, &b.norm2, &t.regular, Of(inner, 0), &mut t.second);
            } else {
                norm(w, &b.norm2, &t.inner, Of(c, 0), &mut t.second);
            }
            y.clear();
            y.extend_from_slice(x);
            winograd::forward(plan, &net.filters[2 + 2 * i], &t.second, y, true, &mut self.room);
        }
        norm(w, &shape.tip, &tape.trunk[shape.blocks.len()], Of(c, 0), &mut tape.tip);
        self.heads_forth(net, group);
    }

    fn heads_forth(&mut self, net: &Net, group: &Group) {
        let (shape, w, plan, tape) = (&net.shape, &net.all, group.plan, &mut self.tape);
        let (points, c, area, h) = (plan.points(), shape.channels, plan.area(), shape.head);
        tape.heads.resize(points * 3 * h, 0.0);
        gemm(
            [points, 3 * h, c],
            Left(&tape.tip, c, 1),
            &w[shape.heads.range()],
            &mut tape.heads,
            false,
        );
        norm(w, &shape.pool_norm, &tape.heads, Of(3 * h, h), &mut tape.pool_act);
        pool(plan, &tape.pool_act, h, &mut tape.pooled);
        tape.policy_in.resize(points * h, 0.0);
        let boards = tape
            .policy_in
            .chunks_exact_mut(area * h)
            .zip(tape.heads.chunks_exact(area * 3 * h));
        for ((to, from), pooled) in boards.zip(&tape.pooled) {
            let mut sum = vec![0.0; h];
            times(w, &shape.pool_mat, &pooled.sums, &mut sum);
            for (to, from) in to.chunks_exact_mut(h).zip(from.chunks_exact(3 * h)) {
                for ((to, x), s) in to.iter_mut().zip(from).zip(&sum) {
                    *to = x + s;
                }
            }
        }
        norm(w, &shape.policy_norm, &tape.policy_in, Of(h, 0), &mut tape.policy_act);
        norm(w, &shape.value_norm, &tape.heads, Of(3 * h, 2 * h), &mut tape.value_act);
        self.out.resize(plan.boards, Output::default());
        tape.value_pooled.resize(plan.boards * 3 * h, 0.0);
        tape.hidden.resize(plan.boards * 2 * h, 0.0);
        let (policy, own) = (&w[shape.policy.range()], &w[shape.own.range()]);
        let dot = |a: &[f32], b: &[f32]| -> f32 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
        for (i, out) in self.out.iter_mut().enumerate() {
            let rows = tape.policy_act[i * area * h..][..area * h].chunks_exact(h);
            out.policy.clear();
            out.policy.extend(rows.map(|row| dot(row, policy)));
            out.policy.push(dot(&tape.pooled[i].sums, &w[shape.pass.range()]));
            let rows = tape.value_act[i * area * h..][..area * h].chunks_exact(h);
            out.own.clear();
            out.own.extend(rows.clone().map(|row| dot(row, own)));
            let pooled = &mut tape.value_pooled[i * 3 * h..][..3 * h];
            pooled.fill(0.0);
            rows.for_each(|row| add(&mut pooled[..h], row));
            let [a, b] = value_scales(plan);
            for c in 0..h {
                pooled[c] /= area as f32;
                (pooled[h + c], pooled[2 * h + c]) = (pooled[c] * a, pooled[c] * b);
            }
            let hidden = &mut tape.hidden[i * 2 * h..][..2 * h];
            hidden.copy_from_slice(&w[shape.hidden_bias.clone()]);
            times(w, &shape.hidden, pooled, hidden);
            hidden.iter_mut().for_each(|x| *x = x.max(0.0));
            out.value.copy_from_slice(&w[shape.value_bias.clone()]);
            times(w, &shape.value, hidden, &mut out.value);
        }
    }

    /// The way back; the outputs hold their gradients.
    fn back(&mut self, net: &Net, group: &Group) {
        let (shape, w, plan) = (&net.shape, &net.all, group.plan);
        let (points, c, area) = (plan.points(), shape.channels, plan.area());
        let mut d_tip = vec![0.0; points * c];
        self.heads_back(net, group, &mut d_tip);
        let (tape, g) = (&self.tape, &mut self.grad);
        let mut d_trunk = vec![0.0; points * c];
        let last = &tape.trunk[shape.blocks.len()];
        norm_back((w, g), &shape.tip, (&tape.tip, &d_tip), last, Of(c, 0), &mut d_trunk);
        for (i, (b, t)) in shape.blocks.iter().zip(&tape.blocks).enumerate().rev() {
            let inner = b.norm2.channels;
            let mut d_second = vec![0.0; points * inner];
            let (f, waves) = (&net.filters[2 + 2 * i], &mut self.waves[2 + 2 * i]);
            winograd::backward(plan, f, &t.second, &d_trunk, waves, Some(&mut d_second), &mut self.room);
            let mut d_inner = vec![0.0; points * c];
            if let Some(p) = &b.pool {
                let mut d_regular = vec![0.0; points * inner];
                norm_back(
                    (w, g),
                    &b.norm2,
                    (&t.second, &d_second),
                    &t.regular,
                    Of(inner, 0),
                    &mut d_regular,
                );
                let mut d_pooled = vec![0.0; plan.boards * p.mat.inputs];
                let boards = d_regular
                    .chunks_exact(area * inner)
                    .zip(d_inner.chunks_exact_mut(area * c));
                for (i, (from, to)) in boards.enumerate() {
                    let mut sum = vec![0.0; inner];
                    for (from, to) in from.chunks_exact(inner).zip(to.chunks_exact_mut(c)) {
                        to[..inner].copy_from_slice(from);
                        add(&mut sum, from);
                    }
                    let d = &mut d_pooled[i * p.mat.inputs..][..p.mat.inputs];
                    times_back((w, g), &p.mat, &t.pooled[i].sums, &sum, d);
                }
                let mut d_act = vec![0.0; points * p.norm.channels];
                pool_back(plan, &t.pooled, &d_pooled, p.norm.channels, &mut d_act);
                norm_back(
                    (w, g),
                    &p.norm,
                    (&t.pooled_act, &d_act),
                    &t.inner,
                    Of(c, inner),
                    &mut d_inner,
                );
            } else {
                norm_back(
                    (w, g),
                    &b.norm2,
                    (&t.second, &d_second),
                    &t.inner,
                    Of(c, 0),
                    &mut d_inner,
                );
            }
            let mut d_first = vec![0.0; points * c];
            let (f, waves) = (&net.filters[1 + 2 * i], &mut self.waves[1 + 2 * i]);
            winograd::backward(plan, f, &t.first, &d_inner, waves, Some(&mut d_first), &mut self.room);
            norm_back(
                (w, g),
                &b.norm1,
                (&t.first, &d_first),
                &tape.trunk[i],
                Of(c, 0),
                &mut d_trunk,
            );
        }
        winograd::backward(
            plan,
            &net.filters[0],
            &group.planes,
            &d_trunk,
            &mut self.waves[0],
            None,
            &mut self.room,
        );
        let boards = d_trunk.chunks_exact(area * c).zip(group.globals.chunks_exact(GLOBALS));
        for (board, globals) in boards {
            let mut sum = vec![0.0; c];
            board.chunks_exact(c).for_each(|row| add(&mut sum, row));
            times_back((w, g), &shape.globals, globals, &sum, &mut [0.0; GLOBALS]);
        }
    }

    fn heads_back(&mut self, net: &Net, group: &Group, d_tip: &mut [f32]) {
        let (shape, w, plan) = (&net.shape, &net.all, group.plan);
        let (tape, g) = (&self.tape, &mut self.grad);
        let (points, c, area, h) = (plan.points(), shape.channels, plan.area(), shape.head);
        let mut d_policy = vec![0.0; points * h];
        let mut d_value = vec![0.0; points * h];
        let mut d_pooled = vec![0.0; plan.boards * 3 * h];
        // A gradient for each row times a vector that all share, and the vector's own gradient.
        let spread = |g: &mut [f32], mat: &Mat, d: &[f32], rows: &[f32], to: &mut [f32]| {
            let v = &w[mat.range()];
            let g = &mut g[mat.range()];
            for ((d, row), to) in d.iter().zip(rows.chunks_exact(h)).zip(to.chunks_exact_mut(h)) {
                for i in 0..h {
                    g[i] += d * row[i];
                    to[i] += d * v[i];
                }
            }
        };
        for (i, out) in self.out.iter().enumerate() {
            let part = i * area * h..(i + 1) * area * h;
            let (points, pass) = out.policy.split_at(area);
            spread(
                g,
                &shape.policy,
                points,
                &tape.policy_act[part.clone()],
                &mut d_policy[part.clone()],
            );
            let pooled = &mut d_pooled[i * 3 * h..][..3 * h];
            times_back((w, g), &shape.pass, &tape.pooled[i].sums, pass, pooled);
            let d_value = &mut d_value[part.clone()];
            spread(g, &shape.own, &out.own, &tape.value_act[part], d_value);
            add(&mut g[shape.value_bias.clone()], &out.value);
            let hidden = &tape.hidden[i * 2 * h..][..2 * h];
            let mut d_hidden = vec![0.0; 2 * h];
            times_back((w, g), &shape.value, hidden, &out.value, &mut d_hidden);
            for (d, x) in d_hidden.iter_mut().zip(hidden) {
                *d = if *x > 0.0 { *d } else { 0.0 };
            }
            add(&mut g[shape.hidden_bias.clone()], &d_hidden);
            let mut d = vec![0.0; 3 * h];
            times_back(
                (w, g),
                &shape.hidden,
                &tape.value_pooled[i * 3 * h..][..3 * h],
                &d_hidden,
                &mut d,
            );
            let [a, b] = value_scales(plan);
            let each: Vec<f32> = (0..h)
                .map(|c| (d[c] + a * d[h + c] + b * d[2 * h + c]) / area as f32)
                .collect();
            d_value.chunks_exact_mut(h).for_each(|row| add(row, &each));
        }
        let mut d_in = vec![0.0; points * h];
        norm_back(
            (w, g),
            &shape.policy_norm,
            (&tape.policy_act, &d_policy),
            &tape.policy_in,
            Of(h, 0),
            &mut d_in,
        );
        let mut d_heads = vec![0.0; points * 3 * h];
        for (i, (from, to)) in d_in
            .chunks_exact(area * h)
            .zip(d_heads.chunks_exact_mut(area * 3 * h))
            .enumerate()
        {
            let mut sum = vec![0.0; h];
            for (from, to) in from.chunks_exact(h).zip(to.chunks_exact_mut(3 * h)) {
                to[..h].copy_from_slice(from);
                add(&mut sum, from);
            }
            times_back(
                (w, g),
                &shape.pool_mat,
                &tape.pooled[i].sums,
                &sum,
                &mut d_pooled[i * 3 * h..][..3 * h],
            );
        }
        let mut d_act = vec![0.0; points * h];
        pool_back(plan, &tape.pooled, &d_pooled, h, &mut d_act);
        norm_back(
            (w, g),
            &shape.pool_norm,
            (&tape.pool_act, &d_act),
            &tape.heads,
            Of(3 * h, h),
            &mut d_heads,
        );
        norm_back(
            (w, g),
            &shape.value_norm,
            (&tape.value_act, &d_value),
            &tape.heads,
            Of(3 * h, 2 * h),
            &mut d_heads,
        );
        gemm(
            [c, 3 * h, points],
            Left(&tape.tip, 1, c),
            &d_heads,
            &mut g[shape.heads.range()],
            true,
        );
        gemm(
            [points, c, 3 * h],
            Left(&d_heads, 3 * h, 1),
            &net.heads_back,
            d_tip,
            false,
        );
    }
}

/// By what the second and third pooled numbers of the value head are scaled.
fn value_scales(plan: Plan) -> [f32; 2] {
    let b = breadth(plan);
    [b * 0.1, b * b * 0.01 - 0.1]
}

fn softmax(x: &mut [f32]) {
    let most = x.iter().copied().fold(f32::MIN, f32::max);
    x.iter_mut().for_each(|x| *x = (*x - most).exp());
    let sum: f32 = x.iter().sum();
    x.iter_mut().for_each(|x| *x /= sum);
}

fn best(x: &[f32]) -> usize {
    (0..x.len()).fold(0, |a, i| if x[i] > x[a] { i } else { a })
}

/// Cross entropy of logits with shares; the logits become its gradient.
fn cross(logits: &mut [f32], shares: &[f32], count: f32) -> f64 {
    softmax(logits);
    let mut sum = 0.0;
    for (x, &t) in logits.iter_mut().zip(shares) {
        if t > 0.0 {
            sum -= f64::from(t * x.max(1e-12).ln());
        }
        *x = count * (*x - t);
    }
    sum
}

/// Huber's loss of an error; its gradient.
fn huber(d: f32, count: f32) -> (f64, f32) {
    let pull = d.clamp(-FAR, FAR);
    (f64::from(count * (pull * d - 0.5 * pull * pull)), count * pull)
}

/// The losses of an output, which becomes its own gradient.
fn compare(out: &mut Output, target: &Target) -> Losses {
    let mut sum = Losses {
        count: 1.0,
        ..Losses::default()
    };
    if target.policy.is_empty() {
        out.policy.fill(0.0);
    } else {
        sum.agreed = f64::from(u8::from(best(&out.policy) == best(&target.policy)));
        sum.parts[0] = cross(&mut out.policy, &target.policy, COUNTS[0]);
    }
    let [mean, deviation, lead] = [out.value[3], out.value[4], out.value[5]];
    sum.parts[1] = cross(&mut out.value[..3], &target.value, COUNTS[1]);
    if target.own.is_empty() {
        out.own.fill(0.0);
    }
    let each = COUNTS[2] / out.own.len().max(1) as f32;
    for (z, own) in out.own.iter_mut().zip(&target.own) {
        // (1 + tanh z) / 2 is the odds of 2 z.
        let p = 1.0 / (1.0 + (-2.0 * *z).exp());
        let t = 0.5 + 0.5 * own;
        let loss = -(t * p.max(1e-6).ln() + (1.0 - t) * (1.0 - p).max(1e-6).ln());
        sum.parts[2] += f64::from(loss * each / COUNTS[2]);
        *z = 2.0 * (p - t) * each;
    }
    let (a, pull) = huber(mean - target.mean / POINTS_A_UNIT, 0.5);
    let (b, pull_lead) = huber(lead - target.lead / POINTS_A_UNIT, 0.5);
    // The deviation of a normal distribution is 1.2533 of the mean distance.
    let wide = target
        .deviation
        .unwrap_or_else(|| 1.2533 * (target.mean - mean * POINTS_A_UNIT).abs());
    let soft = if deviation > 20.0 {
        deviation
    } else {
        deviation.exp().ln_1p()
    };
    let (c, pull_wide) = huber(soft - wide / POINTS_A_UNIT, 0.2);
    sum.parts[3] = a + b + c;
    out.value[3] = COUNTS[3] * pull;
    out.value[4] = COUNTS[3] * pull_wide / (1.0 + (-deviation).exp());
    out.value[5] = COUNTS[3] * pull_lead;
    out.value[6] = 0.0;
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(size: usize, boards: usize) -> Group {
        let plan = Plan { size, boards };
        let mut rng = SplitMix::new(7);
        let mut part = |n: u64| rng.below(n) as f32 / (n - 1) as f32;
        let planes = (0..plan.points() * PLANES).map(|i| if i % PLANES < 22 && part(4) > 0.8 { 1.0 } else { 0.0 });
        let planes = planes.collect();
        let globals = (0..boards * GLOBALS).map(|_| part(100) - 0.5).collect();
        let targets = (0..boards)
            .map(|i| {
                let mut policy: Vec<f32> = (0..=plan.area()).map(|_| part(50)).collect();
                let sum: f32 = policy.iter().sum();
                policy.iter_mut().for_each(|x| *x /= sum);
                Target {
                    policy,
                    value: [0.7, 0.25, 0.05],
                    lead: 5.0,
                    mean: -8.0,
                    deviation: (i == 0).then_some(12.0),
                    own: (0..plan.area()).map(|_| 2.0 * part(20) - 1.0).collect(),
                }
            })
            .collect();
        Group {
            plan,
            planes,
            globals,
            targets,
        }
    }

    /// The gradient equals the slope between two losses close by.
    #[test]
    fn gradients_are_slopes() {
        let shape = Shape::new(2, 16);
        let all = shape.random(3);
        let mut learner = Learner::new(&shape);
        let groups = [sample(5, 2), sample(7, 1)];
        // The deviation's target hangs on the mean where it is not given: not a slope.
        let mut groups = groups;
        groups
            .iter_mut()
            .flat_map(|g| &mut g.targets)
            .for_each(|t| t.deviation = Some(12.0));
        let net = Net::new(shape.clone(), all.clone());
        for group in &groups {
            learner.learn(&net, group);
        }
        let grad = learner.finish(&shape).to_vec();
        let mut total = |all: Vec<f32>| -> f64 {
            let net = Net::new(shape.clone(), all);
            let one = |g| -> f64 {
                let l = learner.judge(&net, g);
                l.total() * l.count
            };
            groups.iter().map(one).sum()
        };
        let mut rng = SplitMix::new(1);
        let (mut seen, mut wrong) = (0, Vec::new());
        let mut check = |i: usize| {
            let mut near = |d: f32| {
                let mut all = all.clone();
                all[i] += d;
                total(all)
            };
            let slope = (near(4e-3) - near(-4e-3)) / 8e-3;
            let given = f64::from(grad[i]);
            seen += usize::from(given.abs() > 1e-3);
            if (slope - given).abs() > 3e-3 + 0.03 * slope.abs() {
                wrong.push(format!("weight {i}: {given}, not {slope}"));
            }
        };
        let mut parts: Vec<Range<usize>> = shape.convs().iter().map(|c| c.range()).collect();
        parts.extend(shape.norms().iter().map(|n| n.at..n.at + 2 * n.channels));
        let mats = [
            &shape.globals,
            &shape.heads,
            &shape.pool_mat,
            &shape.policy,
            &shape.pass,
            &shape.hidden,
        ];
        parts.extend(mats.iter().map(|m| m.range()));
        parts.extend([
            shape.hidden_bias.clone(),
            shape.value.range(),
            shape.value_bias.clone(),
            shape.own.range(),
        ]);
        for b in &shape.blocks {
            parts.extend(b.pool.iter().map(|p| p.mat.range()));
        }
        assert_eq!(
            parts.iter().map(|p| p.len()).sum::<usize>(),
            shape.len,
            "some weights are not looked at"
        );
        for part in parts {
            for _ in 0..10 {
                check(part.start + rng.below(part.len() as u64) as usize);
            }
        }
        assert!(seen > 100, "only {seen} weights have a gradient");
        // A step may cross the corner of a ReLU or of a maximum.
        assert!(wrong.len() <= 4, "{wrong:#?}");
    }

    #[test]
    fn a_few_positions_are_learnt_by_heart() {
        let shape = Shape::new(2, 16);
        let mut net = Net::new(shape.clone(), shape.random(5));
        let mut learner = Learner::new(&shape);
        let group = sample(5, 3);
        let first = learner.judge(&net, &group).total();
        for _ in 0..60 {
            learner.clear();
            learner.learn(&net, &group);
            let grad = learner.finish(&shape).to_vec();
            net.all.iter_mut().zip(grad).for_each(|(w, g)| *w -= 0.01 * g);
            net.prepare();
        }
        let last = learner.judge(&net, &group).total();
        assert!(last < first - 0.2, "{first} to {last}");
    }
}
