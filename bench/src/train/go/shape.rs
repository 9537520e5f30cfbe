//! The layers of a network in training and where their weights are, in one list.
//!
//! Shapes and order are KataGo's (a trunk of blocks with norm and ReLU before each convolution, some with global pooling;
//! heads for policy, value, score and ownership), so that files in its format hold it. Norms are a scale and a bias of
//! each channel, without statistics; instead the blocks begin as nothing added (after Zhang, Dauphin and Ma, "Fixup
//! initialization", 2019). [`Widths`] has what may differ between networks of as many blocks and channels.

use nguky::util::rng::SplitMix;
use std::ops::Range;

/// Input planes, filled up to whole registers.
pub const PLANES: usize = 24;

/// Input numbers of the whole board.
pub const GLOBALS: usize = 19;

/// Outputs of the value head: win, loss, no result; mean score, its deviation, lead, time.
pub const VALUES: usize = 7;

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

/// A matrix by input and output, or a convolution by row, column, input and output.
#[derive(Clone, Debug)]
pub struct Mat {
    /// Where it is.
    pub at: usize,
    /// Inputs.
    pub inputs: usize,
    /// Outputs.
    pub outputs: usize,
    /// Points of a convolution's filter, or 1.
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
pub struct PoolLayout {
    /// Norm of the pooled channels.
    pub norm: Norm,
    /// From mean, scaled mean and maximum to the other channels.
    pub mat: Mat,
}

/// A block of the trunk.
#[derive(Clone, Debug)]
pub struct BlockLayout {
    /// Norm of what comes in.
    pub norm1: Norm,
    /// First convolution.
    pub conv1: Mat,
    /// Pooling, where it does.
    pub pool: Option<PoolLayout>,
    /// Norm of the first convolution's outputs that are not pooled.
    pub norm2: Norm,
    /// Second convolution, added to what came in.
    pub conv2: Mat,
}

/// Sizes beside the trunk's blocks and channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Widths {
    /// Side of the first filters, 3 or 5 points.
    pub stem: usize,
    /// Channels that a block pools.
    pub pooled: usize,
    /// Channels of each head.
    pub head: usize,
    /// Hidden numbers of the value head.
    pub hidden: usize,
}

impl Widths {
    /// Those of a new network with so many channels.
    pub fn of(channels: usize) -> Self {
        let head = channels.min(32);
        Self {
            stem: 3,
            pooled: (channels / 4).next_multiple_of(8),
            head,
            hidden: 2 * head,
        }
    }
}

/// Where everything is.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Channels of the trunk.
    pub channels: usize,
    /// The other sizes.
    pub widths: Widths,
    /// From the planes.
    pub stem: Mat,
    /// From the numbers of the whole board.
    pub globals: Mat,
    /// The blocks.
    pub blocks: Vec<BlockLayout>,
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
        Self::with(blocks, channels, Widths::of(channels))
    }

    /// A network of so many blocks and channels, and of other sizes than new ones have.
    pub fn with(blocks: usize, channels: usize, widths: Widths) -> Self {
        let Widths {
            pooled,
            head,
            hidden: numbers,
            ..
        } = widths;
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
        let stem = mat!(widths.stem * widths.stem, PLANES, channels);
        let globals = mat!(1, GLOBALS, channels);
        let blocks: Vec<BlockLayout> = (0..blocks)
            .map(|i| {
                let pools = if blocks < 5 { i % 2 == 1 } else { i % 2 == 0 && i > 0 };
                let inner = if pools { channels - pooled } else { channels };
                BlockLayout {
                    norm1: norm!(channels),
                    conv1: mat!(9, channels, channels),
                    pool: pools.then(|| PoolLayout {
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
        let hidden = mat!(1, 3 * head, numbers);
        let hidden_bias = take(numbers)..take(0);
        let value = mat!(1, numbers, VALUES);
        let value_bias = take(VALUES)..take(0);
        let own = mat!(1, head, 1);
        Self {
            channels,
            widths,
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

    /// All convolutions, the first one in front.
    pub fn convs(&self) -> Vec<&Mat> {
        let blocks = self.blocks.iter().flat_map(|b| [&b.conv1, &b.conv2]);
        [&self.stem].into_iter().chain(blocks).collect()
    }
}
