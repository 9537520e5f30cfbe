//! The network in training: the forward and the backward pass over some boards.

use super::gemm::{MatrixView, add, gemm, transpose};
use super::layers::{Of, Pooled, norm, norm_back, pool, pool_back, times, times_back, value_scales};
use super::loss::{GoTarget, Losses, NetOutput, compare};
use super::shape::{GLOBALS, Mat, Shape};
use super::stem;
use super::winograd::{self, FREQUENCIES, TileBuffers, Tiling, TrainFilters};

/// Points of the filters that Winograd's transforms are for.
const TAPS: usize = 9;

/// The weights made ready for a batch.
pub struct TrainedNet {
    /// Where everything is.
    pub shape: Shape,
    /// The weights.
    pub all: Vec<f32>,
    filters: Vec<TrainFilters>,
    heads_back: Vec<f32>,
}

impl TrainedNet {
    /// A net with these weights.
    pub fn new(shape: Shape, all: Vec<f32>) -> Self {
        let mut net = Self {
            filters: vec![TrainFilters::default(); shape.convs().len()],
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
            if conv.taps != TAPS {
                continue;
            }
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

/// Some positions on boards of one size.
pub struct BoardBatch {
    /// Size and number.
    pub plan: Tiling,
    /// [`PLANES`] numbers of each point.
    pub planes: Vec<f32>,
    /// [`GLOBALS`] numbers of each board.
    pub globals: Vec<f32>,
    /// What is to be learnt.
    pub targets: Vec<GoTarget>,
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

/// The tape: activations of the forward pass that the backward pass needs.
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
pub struct GoLearner {
    buffers: TileBuffers,
    tape: Tape,
    out: Vec<NetOutput>,
    /// The gradient, but for the convolutions of 3 x 3 points.
    pub grad: Vec<f32>,
    /// That of the convolutions of 3 x 3 points, by frequency.
    waves: Vec<Vec<f32>>,
}

impl GoLearner {
    /// A learner of such nets.
    pub fn new(shape: &Shape) -> Self {
        let waves = shape.convs().into_iter().map(|c| {
            vec![
                0.0;
                if c.taps == TAPS {
                    FREQUENCIES * c.inputs * c.outputs
                } else {
                    0
                }
            ]
        });
        Self {
            buffers: TileBuffers::default(),
            tape: Tape::default(),
            out: Vec::new(),
            grad: vec![0.0; shape.len],
            waves: waves.collect(),
        }
    }

    /// Clears the gradient.
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
        for (wave, conv) in self.waves.iter().zip(shape.convs()).filter(|(_, c)| c.taps == TAPS) {
            winograd::filter_gradient(wave, conv.inputs * conv.outputs, &mut self.grad[conv.range()]);
        }
        &mut self.grad
    }

    /// The outputs of a net for a batch.
    #[cfg(test)]
    pub fn outputs(&mut self, net: &TrainedNet, group: &BoardBatch) -> &[NetOutput] {
        self.forward(net, group);
        &self.out
    }

    /// The losses of a group, nothing learnt.
    pub fn evaluate(&mut self, net: &TrainedNet, group: &BoardBatch) -> Losses {
        self.forward(net, group);
        let mut sum = Losses::default();
        for (out, target) in self.out.iter_mut().zip(&group.targets) {
            sum.join(&compare(out, target));
        }
        sum
    }

    /// The losses of a group, whose gradient is added.
    pub fn learn(&mut self, net: &TrainedNet, group: &BoardBatch) -> Losses {
        let sum = self.evaluate(net, group);
        self.backward(net, group);
        sum
    }

    fn forward(&mut self, net: &TrainedNet, group: &BoardBatch) {
        self.stem_forth(net, group);
        let (shape, w, plan, tape) = (&net.shape, &net.all, group.plan, &mut self.tape);
        let (points, c, area) = (plan.points(), shape.channels, plan.area());
        tape.blocks.resize_with(shape.blocks.len(), BlockTape::default);
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
                &mut self.buffers,
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
            winograd::forward(plan, &net.filters[2 + 2 * i], &t.second, y, true, &mut self.buffers);
        }
        norm(w, &shape.tip, &tape.trunk[shape.blocks.len()], Of(c, 0), &mut tape.tip);
        self.heads_forth(net, group);
    }

    /// The trunk's first numbers.
    fn stem_forth(&mut self, net: &TrainedNet, group: &BoardBatch) {
        let (shape, w, plan) = (&net.shape, &net.all, group.plan);
        let (c, area) = (shape.channels, plan.area());
        self.tape.trunk.resize(shape.blocks.len() + 1, Vec::new());
        let to = &mut self.tape.trunk[0];
        to.resize(plan.points() * c, 0.0);
        if shape.stem.taps == TAPS {
            winograd::forward(plan, &net.filters[0], &group.planes, to, false, &mut self.buffers);
        } else {
            stem::forward(plan, (w, &shape.stem), &group.planes, to);
        }
        for (board, globals) in to.chunks_exact_mut(area * c).zip(group.globals.chunks_exact(GLOBALS)) {
            let mut sum = vec![0.0; c];
            times(w, &shape.globals, globals, &mut sum);
            board.chunks_exact_mut(c).for_each(|row| add(row, &sum));
        }
    }

    /// The gradients of what the trunk's first numbers, with gradients `d`, come from.
    fn stem_back(&mut self, net: &TrainedNet, group: &BoardBatch, d: &[f32]) {
        let (shape, w, plan, g) = (&net.shape, &net.all, group.plan, &mut self.grad);
        if shape.stem.taps == TAPS {
            let waves = &mut self.waves[0];
            winograd::backward(plan, &net.filters[0], &group.planes, d, waves, None, &mut self.buffers);
        } else {
            stem::backward(plan, &shape.stem, &group.planes, d, g);
        }
        let c = shape.channels;
        for (board, globals) in d.chunks_exact(plan.area() * c).zip(group.globals.chunks_exact(GLOBALS)) {
            let mut sum = vec![0.0; c];
            board.chunks_exact(c).for_each(|row| add(&mut sum, row));
            times_back((w, g), &shape.globals, globals, &sum, &mut [0.0; GLOBALS]);
        }
    }

    fn heads_forth(&mut self, net: &TrainedNet, group: &BoardBatch) {
        let (shape, w, plan, tape) = (&net.shape, &net.all, group.plan, &mut self.tape);
        let (points, c, area, h) = (plan.points(), shape.channels, plan.area(), shape.widths.head);
        tape.heads.resize(points * 3 * h, 0.0);
        gemm(
            [points, 3 * h, c],
            MatrixView(&tape.tip, c, 1),
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
        self.out.resize(plan.boards, NetOutput::default());
        tape.value_pooled.resize(plan.boards * 3 * h, 0.0);
        let numbers = shape.hidden.outputs;
        tape.hidden.resize(plan.boards * numbers, 0.0);
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
            let hidden = &mut tape.hidden[i * numbers..][..numbers];
            hidden.copy_from_slice(&w[shape.hidden_bias.clone()]);
            times(w, &shape.hidden, pooled, hidden);
            hidden.iter_mut().for_each(|x| *x = x.max(0.0));
            out.value.copy_from_slice(&w[shape.value_bias.clone()]);
            times(w, &shape.value, hidden, &mut out.value);
        }
    }

    /// The way back; the outputs hold their gradients.
    fn backward(&mut self, net: &TrainedNet, group: &BoardBatch) {
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
            winograd::backward(
                plan,
                f,
                &t.second,
                &d_trunk,
                waves,
                Some(&mut d_second),
                &mut self.buffers,
            );
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
            winograd::backward(
                plan,
                f,
                &t.first,
                &d_inner,
                waves,
                Some(&mut d_first),
                &mut self.buffers,
            );
            norm_back(
                (w, g),
                &b.norm1,
                (&t.first, &d_first),
                &tape.trunk[i],
                Of(c, 0),
                &mut d_trunk,
            );
        }
        self.stem_back(net, group, &d_trunk);
    }

    fn heads_back(&mut self, net: &TrainedNet, group: &BoardBatch, d_tip: &mut [f32]) {
        let (shape, w, plan) = (&net.shape, &net.all, group.plan);
        let (tape, g) = (&self.tape, &mut self.grad);
        let (points, area, h) = (plan.points(), plan.area(), shape.widths.head);
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
            let numbers = shape.hidden.outputs;
            let hidden = &tape.hidden[i * numbers..][..numbers];
            let mut d_hidden = vec![0.0; numbers];
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
        self.pools_back(net, plan, [&d_policy, &d_value], &mut d_pooled, d_tip);
    }

    /// The heads' gradients, through the policy's global pooling and the norms, down to the trunk.
    fn pools_back(
        &mut self,
        net: &TrainedNet,
        plan: Tiling,
        [d_policy, d_value]: [&[f32]; 2],
        d_pooled: &mut [f32],
        d_tip: &mut [f32],
    ) {
        let (shape, w) = (&net.shape, &net.all);
        let (tape, g) = (&self.tape, &mut self.grad);
        let (points, c, area, h) = (plan.points(), shape.channels, plan.area(), shape.widths.head);
        let mut d_in = vec![0.0; points * h];
        norm_back(
            (w, g),
            &shape.policy_norm,
            (&tape.policy_act, d_policy),
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
        pool_back(plan, &tape.pooled, d_pooled, h, &mut d_act);
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
            (&tape.value_act, d_value),
            &tape.heads,
            Of(3 * h, 2 * h),
            &mut d_heads,
        );
        gemm(
            [c, 3 * h, points],
            MatrixView(&tape.tip, 1, c),
            &d_heads,
            &mut g[shape.heads.range()],
            true,
        );
        gemm(
            [points, c, 3 * h],
            MatrixView(&d_heads, 3 * h, 1),
            &net.heads_back,
            d_tip,
            false,
        );
    }
}

#[cfg(test)]
mod tests;
