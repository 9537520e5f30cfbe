//! The reference implementation: the forward pass as simply as it can be written, straight from the [`Model`]. It is slow;
//! tests compare the fast one with it.

use super::model::{
    Activation, ActivationLayer, Attention, BatchNorm, Block, Conv, FeedForward, Matrix, Model, RmsNorm,
    RotaryEmbedding, TrunkNorm,
};
use super::output::Output;

/// Numbers for every point and channel: `point * channels + channel`.
struct Activations {
    channels: usize,
    data: Vec<f32>,
}

/// The board's shape.
#[derive(Clone, Copy)]
struct BoardSize {
    width: usize,
    height: usize,
}

impl BoardSize {
    fn area(self) -> usize {
        self.width * self.height
    }

    fn conv(self, c: &Conv, input: &Activations) -> Activations {
        let mut data = vec![0.0; self.area() * c.outputs];
        let reach = |at: usize, tap: usize, size: usize, dilation: usize, limit: usize| {
            let to = at as isize + (tap as isize - size as isize / 2) * dilation as isize;
            (0..limit as isize).contains(&to).then_some(to as usize)
        };
        for y in 0..self.height {
            for x in 0..self.width {
                let mut sums = vec![0f64; c.outputs];
                for (ky, kx) in (0..c.height).flat_map(|ky| (0..c.width).map(move |kx| (ky, kx))) {
                    let from = (
                        reach(y, ky, c.height, c.dilation.0, self.height),
                        reach(x, kx, c.width, c.dilation.1, self.width),
                    );
                    let (Some(sy), Some(sx)) = from else { continue };
                    for i in 0..c.inputs {
                        let a = f64::from(input.data[(sy * self.width + sx) * c.inputs + i]);
                        let row = &c.weights[((ky * c.width + kx) * c.inputs + i) * c.outputs..][..c.outputs];
                        for (sum, &w) in sums.iter_mut().zip(row) {
                            *sum += a * f64::from(w);
                        }
                    }
                }
                let to = (y * self.width + x) * c.outputs;
                for (cell, sum) in data[to..].iter_mut().zip(&sums) {
                    *cell = *sum as f32;
                }
            }
        }
        Activations {
            channels: c.outputs,
            data,
        }
    }

    /// Mean, the mean scaled by the board's width, and either the maximum or the mean scaled again.
    fn pooled(self, layer: &Activations, value: bool) -> Vec<f32> {
        let area = self.area() as f64;
        let wide = area.sqrt() - 14.0;
        let n = layer.channels;
        let mean: Vec<f64> = (0..n)
            .map(|c| layer.data.iter().skip(c).step_by(n).map(|&x| f64::from(x)).sum::<f64>() / area)
            .collect();
        let most = |c: usize| layer.data.iter().skip(c).step_by(n).fold(-1.0, |a: f32, &b| a.max(b));
        let scaled = mean.iter().map(|m| (m * wide * 0.1) as f32);
        let third = (0..n).map(|c| {
            if value {
                (mean[c] * (wide * wide * 0.01 - 0.1)) as f32
            } else {
                most(c)
            }
        });
        mean.iter().map(|&m| m as f32).chain(scaled).chain(third).collect()
    }

    fn attention(self, b: &Attention, x: &Activations) -> Activations {
        let area = self.area();
        let input = rms_norm(&b.norm, x);
        let (mut q, mut k, v) = (
            each_point(&b.q, &input),
            each_point(&b.k, &input),
            each_point(&b.v, &input),
        );
        let group = b.heads / b.key_heads;
        self.place(b, &mut q, group);
        self.place(b, &mut k, 1);
        let mut mixed = Activations {
            channels: b.heads * b.value_channels,
            data: vec![0.0; area * b.heads * b.value_channels],
        };
        for (head, p) in (0..b.heads).flat_map(|h| (0..area).map(move |p| (h, p))) {
            let ask = &q.data[p * q.channels + head * b.query..][..b.query];
            let logit = |o: usize| {
                let key = &k.data[o * k.channels + head / group * b.query..][..b.query];
                ask.iter().zip(key).map(|(a, b)| a * b).sum::<f32>() / (b.query as f32).sqrt()
            };
            let logits: Vec<f32> = (0..area).map(logit).collect();
            let most = logits.iter().fold(f32::MIN, |a, &b| a.max(b));
            let total: f32 = logits.iter().map(|l| (l - most).exp()).sum();
            for (o, logit) in logits.iter().enumerate() {
                let share = (logit - most).exp() / total;
                for c in 0..b.value_channels {
                    let value = v.data[o * v.channels + head / group * b.value_channels + c];
                    mixed.data[p * b.heads * b.value_channels + head * b.value_channels + c] += share * value;
                }
            }
        }
        each_point(&b.out, &mixed)
    }

    /// Turns pairs of channels by angles that depend on the point.
    fn place(self, b: &Attention, layer: &mut Activations, group: usize) {
        let pairs = b.query / 2;
        for p in 0..self.area() {
            let (x, y) = ((p % self.width) as f32, (p / self.width) as f32);
            for pair in 0..layer.channels / 2 {
                let (head, i) = (pair / pairs / group, pair % pairs);
                let angle = match &b.rotary {
                    RotaryEmbedding::None => return,
                    RotaryEmbedding::Fixed { theta, .. } => {
                        let half = pairs / 2;
                        let (at, i) = if i < half { (y, i) } else { (x, i - half) };
                        at / theta.powf((2 * i) as f32 / pairs as f32)
                    }
                    RotaryEmbedding::Learned { frequencies, .. } => {
                        let f = &frequencies[(head * pairs + i) * 2..][..2];
                        x * f[0] + y * f[1]
                    }
                };
                let (sin, cos) = angle.sin_cos();
                let cell = &mut layer.data[p * layer.channels + 2 * pair..][..2];
                (cell[0], cell[1]) = (cell[0] * cos - cell[1] * sin, cell[1] * cos + cell[0] * sin);
            }
        }
    }

    fn feed_forward(b: &FeedForward, x: &Activations) -> Activations {
        let input = rms_norm(&b.norm, x);
        let mut inner = each_point(&b.up, &input);
        inner.data.iter_mut().for_each(|x| *x = Activation::Silu.of(*x));
        if let Some(gate) = &b.gate {
            let gate = each_point(gate, &input);
            inner.data.iter_mut().zip(&gate.data).for_each(|(x, g)| *x *= g);
        }
        each_point(&b.down, &inner)
    }

    fn block(self, block: &Block, x: &mut Activations) {
        let add = match block {
            Block::Ordinary(b) => {
                let inner = self.conv(&b.conv1, &normed(&b.norm1, &b.act1, x));
                self.conv(&b.conv2, &normed(&b.norm2, &b.act2, &inner))
            }
            Block::Pooling(b) => {
                let input = normed(&b.norm1, &b.act1, x);
                let mut inner = self.conv(&b.conv1, &input);
                let pool = normed(&b.pool_norm, &b.pool_act, &self.conv(&b.pool_conv, &input));
                let bias = times(&b.pool_mat, &self.pooled(&pool, false));
                add_everywhere(&mut inner, &bias);
                self.conv(&b.conv2, &normed(&b.norm2, &b.act2, &inner))
            }
            Block::Nested(b) => {
                let mut inner = self.conv(&b.conv1, &normed(&b.norm1, &b.act1, x));
                for block in &b.blocks {
                    self.block(block, &mut inner);
                }
                self.conv(&b.conv2, &normed(&b.norm2, &b.act2, &inner))
            }
            Block::Attention(b) => self.attention(b, x),
            Block::FeedForward(b) => Self::feed_forward(b, x),
        };
        x.data.iter_mut().zip(&add.data).for_each(|(x, a)| *x += a);
    }
}

fn normed(norm: &BatchNorm, act: &ActivationLayer, input: &Activations) -> Activations {
    let list = |l: &Option<Vec<f32>>, c: usize, or: f64| l.as_ref().map_or(or, |l| f64::from(l[c]));
    let cell = |(i, &x): (usize, &f32)| {
        let c = i % input.channels;
        let deviation = (f64::from(norm.variance[c]) + f64::from(norm.epsilon)).sqrt();
        let y = (f64::from(x) - f64::from(norm.mean[c])) / deviation * list(&norm.scale, c, 1.0);
        act.kind.of((y + list(&norm.bias, c, 0.0)) as f32)
    };
    Activations {
        channels: input.channels,
        data: input.data.iter().enumerate().map(cell).collect(),
    }
}

fn rms_norm(norm: &RmsNorm, input: &Activations) -> Activations {
    let n = input.channels;
    let mut data = input.data.clone();
    let span = if norm.board { data.len() } else { n };
    for part in data.chunks_mut(span) {
        let mean = (part.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>() / span as f64) as f32;
        let factor = 1.0 / (mean + norm.epsilon).sqrt();
        for (i, x) in part.iter_mut().enumerate() {
            *x = *x * factor * norm.scale[i % n] + norm.bias.as_ref().map_or(0.0, |b| b[i % n]);
        }
    }
    Activations { channels: n, data }
}

fn times(m: &Matrix, input: &[f32]) -> Vec<f32> {
    let sum = |o: usize| {
        input
            .iter()
            .enumerate()
            .map(|(i, x)| f64::from(x * m.weights[i * m.outputs + o]))
            .sum::<f64>()
    };
    (0..m.outputs).map(|o| sum(o) as f32).collect()
}

fn each_point(m: &Matrix, input: &Activations) -> Activations {
    Activations {
        channels: m.outputs,
        data: input.data.chunks(input.channels).flat_map(|x| times(m, x)).collect(),
    }
}

fn add_everywhere(layer: &mut Activations, bias: &[f32]) {
    for point in layer.data.chunks_mut(layer.channels) {
        point.iter_mut().zip(bias).for_each(|(x, b)| *x += b);
    }
}

/// Evaluates a position; `size` is width and height.
pub fn run(model: &Model, size: (usize, usize), spatial: &[f32], globals: &[f32], out: &mut Output) {
    let board = BoardSize {
        width: size.0,
        height: size.1,
    };
    let area = board.area();
    let (t, p, v) = (&model.trunk, &model.policy, &model.value);
    let input = Activations {
        channels: model.spatial,
        data: (0..area * model.spatial)
            .map(|i| spatial[i % model.spatial * area + i / model.spatial])
            .collect(),
    };
    let mut x = board.conv(&t.conv, &input);
    add_everywhere(&mut x, &times(&t.mat, globals));
    for block in &t.blocks {
        board.block(block, &mut x);
    }
    let x = match &t.final_norm {
        TrunkNorm::Batch(norm) => normed(norm, &t.act, &x),
        TrunkNorm::Rms(norm) => {
            let mut x = rms_norm(norm, &x);
            x.data.iter_mut().for_each(|x| *x = t.act.kind.of(*x));
            x
        }
    };

    let mut inner = board.conv(&p.conv1, &x);
    let pooled = board.pooled(&normed(&p.pool_norm, &p.pool_act, &board.conv(&p.pool_conv, &x)), false);
    add_everywhere(&mut inner, &times(&p.pool_mat, &pooled));
    let logits = board.conv(&p.conv2, &normed(&p.norm, &p.act, &inner));
    let mut pass = times(&p.pass_mat, &pooled);
    if let Some(tail) = &p.pass_tail {
        let inner: Vec<f32> = pass
            .iter()
            .zip(&tail.bias.weights)
            .map(|(x, b)| tail.act.kind.of(x + b))
            .collect();
        pass = times(&tail.mat, &inner);
    }
    out.policy.clear();
    out.policy.extend(logits.data.iter().step_by(logits.channels));
    out.policy.push(pass[0]);
    out.optimistic.clear();
    if logits.channels > 1 {
        out.optimistic
            .extend(logits.data.iter().skip(1).step_by(logits.channels));
        out.optimistic.push(pass[1]);
    }

    let points = normed(&v.norm, &v.act, &board.conv(&v.conv, &x));
    let biased =
        |m: &Matrix, x: &[f32], b: &[f32]| -> Vec<f32> { times(m, x).iter().zip(b).map(|(x, b)| x + b).collect() };
    let inner = biased(&v.mat, &board.pooled(&points, true), &v.bias.weights);
    let inner: Vec<f32> = inner.into_iter().map(|x| v.act2.kind.of(x)).collect();
    let value = biased(&v.value_mat, &inner, &v.value_bias.weights);
    let scores = biased(&v.score_mat, &inner, &v.score_bias.weights);
    out.ownership.clear();
    out.ownership
        .extend(board.conv(&v.own_conv, &points).data.iter().map(|x| x.tanh()));
    out.set_value_head(model.version, &model.scales, &value, &scores);
}
