//! A [`Model`] prepared for inference: norms folded into the convolutions before them, filters transformed and cut up for the
//! kernels.

use super::attention::{AttentionHeads, ScratchShape};
use super::direct::Direct;
use super::gemm::{Panels, padded};
use super::lanes::Floats;
use super::model::{
    Activation, Attention, BatchNorm, Block, Conv, FeedForward, Model, Nested, Ordinary, Pooling, Scales, TrunkNorm,
};
use super::points::{DenseLayer, NormActivation};
use super::quantized::{MOST_PRODUCTS, QuantizedConv};
use super::winograd::WinogradConv;

/// How filters of more than a point are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Point by point.
    Direct,
    /// Those of 3 x 3 by transformed tiles.
    Winograd,
    /// In 8-bit integers those of 3 x 3 behind activations and those of 5 x 5 over planes, else by transformed tiles: not to the
    /// last digits, which a network's strength can bear, and the fastest where [`is_quantizing_fast`](super::is_quantizing_fast).
    Quantized,
}

/// Most bytes that a net ready to run may take.
const LARGEST: usize = 4 << 30;

/// Convolutions of one shape over the same input, side by side.
pub(super) enum Filter {
    Direct(Direct),
    Winograd(WinogradConv),
    Quantized(QuantizedConv),
}

impl Filter {
    /// Each convolution with the norm whose scales are folded in; each begins at a multiple of the panel. `before` is the
    /// activation that makes their inputs.
    fn new(method: Method, before: Activation, convs: &[(&Conv, Option<&BatchNorm>)]) -> Result<Self, String> {
        let (first, _) = convs[0];
        let shape = |c: &Conv| (c.height, c.width, c.inputs, c.dilation);
        if let Some((other, _)) = convs.iter().find(|(c, _)| shape(c) != shape(first)) {
            let (one, two) = (&first.name, &other.name);
            return Err(format!("{two}: not of the shape of {one}, which is not supported"));
        }
        let scales: Vec<Option<Vec<f32>>> = convs.iter().map(|(_, norm)| norm.map(|n| n.folded().0)).collect();
        let mut columns = Vec::new();
        for (which, (conv, _)) in convs.iter().enumerate() {
            columns.extend((0..padded(conv.outputs)).map(|o| (o < conv.outputs).then_some((which, o))));
        }
        let cell = |tap: usize, i: usize, o: usize| {
            columns[o].map_or(0.0, |(which, o)| {
                let conv = convs[which].0;
                let scale = scales[which].as_ref().map_or(1.0, |s| s[o]);
                conv.weights[(tap * conv.inputs + i) * conv.outputs + o] * scale
            })
        };
        let (inputs, outputs) = (first.inputs, columns.len());
        let (side, taps) = (first.width, first.height * first.width);
        let square = first.height == side && first.dilation == (1, 1);
        let is_quantized = method == Method::Quantized && [3, 5].contains(&side) && taps * inputs <= MOST_PRODUCTS;
        match before.floor() {
            Some(floor) if square && is_quantized => {
                let conv = QuantizedConv::new(side, floor, (inputs, outputs), cell);
                return Ok(Self::Quantized(conv));
            }
            _ if square && side == 3 && method != Method::Direct => {
                return Ok(Self::Winograd(WinogradConv::new(inputs, outputs, cell)));
            }
            _ => {}
        }
        let panels = Panels::new(taps, inputs, outputs, cell);
        Ok(Self::Direct(Direct::new(first, panels)))
    }

    /// A matrix for every point, told by input and output.
    fn matrix(inputs: usize, outputs: usize, cell: impl Fn(usize, usize) -> f32) -> Self {
        let panels = Panels::new(1, inputs, outputs, |_, i, o| cell(i, o));
        Self::Direct(Direct::matrix(panels))
    }

    /// Padded output channels.
    pub(super) fn outputs(&self) -> usize {
        match self {
            Self::Direct(conv) => conv.outputs(),
            Self::Winograd(conv) => conv.outputs(),
            Self::Quantized(conv) => conv.outputs(),
        }
    }
}

/// A block, ready to run.
pub(super) enum PreparedBlock {
    Ordinary {
        before: NormActivation,
        conv1: Filter,
        bias: Floats,
        act: Activation,
        conv2: Filter,
    },
    Pooling {
        before: NormActivation,
        /// The ordinary convolution, then the one that is pooled.
        convs: Filter,
        /// Channels of the first.
        inner: usize,
        pool_bias: Floats,
        pool_act: Activation,
        pooled: usize,
        mat: DenseLayer,
        act: Activation,
        conv2: Filter,
    },
    Nested {
        before: NormActivation,
        down: Filter,
        blocks: Vec<PreparedBlock>,
        after: NormActivation,
        up: Filter,
    },
    Attention {
        before: NormActivation,
        /// To queries, keys and values.
        project: Filter,
        heads: AttentionHeads,
        out: Filter,
    },
    FeedForward {
        before: NormActivation,
        /// The first matrix, then what its output is multiplied by.
        up: Filter,
        down: Filter,
    },
}

/// A net ready to run.
pub struct Net {
    /// The model's name.
    pub name: String,
    /// Its version.
    pub version: u32,
    /// ConvInput planes.
    pub spatial: usize,
    /// ConvInput numbers.
    pub globals: usize,
    /// Whether its pass-alive inputs are computed as if suicide were legal.
    pub alive_by_suicide: bool,
    /// How many weights it has.
    pub weights: usize,
    pub(super) scales: Scales,
    pub(super) first: Filter,
    pub(super) mat: DenseLayer,
    pub(super) blocks: Vec<PreparedBlock>,
    /// Padded channels of the trunk and of what is nested in it, by depth.
    pub(super) depths: Vec<usize>,
    /// Padded channels of the widest layer inside of a block.
    pub(super) widest: usize,
    /// The scratch buffers that attention needs.
    pub(super) attention: ScratchShape,
    pub(super) final_norm: NormActivation,
    pub(super) policy: PreparedPolicy,
    pub(super) value: PreparedValue,
    /// First layers of both heads: policy, what is pooled for it, value.
    pub(super) heads: Filter,
}

pub(super) struct PreparedPolicy {
    pub(super) inner: usize,
    pub(super) pooled: usize,
    pub(super) pool_bias: Floats,
    pub(super) pool_act: Activation,
    pub(super) mat: DenseLayer,
    pub(super) act: Activation,
    pub(super) last: Floats,
    /// The last layer of the optimistic policy, where there is one.
    pub(super) optimistic: Option<Floats>,
    pub(super) pass: DenseLayer,
    pub(super) tail: Option<(Activation, DenseLayer)>,
}

pub(super) struct PreparedValue {
    pub(super) inner: usize,
    pub(super) bias: Floats,
    pub(super) act: Activation,
    pub(super) mat: DenseLayer,
    pub(super) act2: Activation,
    pub(super) value: DenseLayer,
    pub(super) score: DenseLayer,
    pub(super) own: Floats,
}

/// What preparing the blocks needs and finds out.
struct NetBuilder {
    method: Method,
    depths: Vec<usize>,
    widest: usize,
    attention: ScratchShape,
}

impl NetBuilder {
    fn filter(&mut self, before: Activation, convs: &[(&Conv, Option<&BatchNorm>)]) -> Result<Filter, String> {
        let filter = Filter::new(self.method, before, convs)?;
        self.widest = self.widest.max(filter.outputs());
        Ok(filter)
    }

    fn blocks(&mut self, blocks: &[Block], depth: usize, channels: usize) -> Result<Vec<PreparedBlock>, String> {
        if self.depths.len() <= depth {
            self.depths.resize(depth + 1, 0);
        }
        self.depths[depth] = self.depths[depth].max(padded(channels));
        blocks.iter().map(|b| self.block(b, depth)).collect()
    }

    fn block(&mut self, block: &Block, depth: usize) -> Result<PreparedBlock, String> {
        match block {
            Block::Ordinary(b) => self.ordinary(b),
            Block::Pooling(b) => self.pooling(b),
            Block::Nested(b) => self.nested(b, depth),
            Block::Attention(b) => Ok(self.attention(b)),
            Block::FeedForward(b) => self.feed_forward(b),
        }
    }

    fn ordinary(&mut self, b: &Ordinary) -> Result<PreparedBlock, String> {
        Ok(PreparedBlock::Ordinary {
            before: NormActivation::new(&b.norm1, b.act1.kind),
            conv1: self.filter(b.act1.kind, &[(&b.conv1, Some(&b.norm2))])?,
            bias: b.norm2.folded().1.as_slice().into(),
            act: b.act2.kind,
            conv2: self.filter(b.act2.kind, &[(&b.conv2, None)])?,
        })
    }

    fn pooling(&mut self, b: &Pooling) -> Result<PreparedBlock, String> {
        let (scale, bias) = b.norm2.folded();
        Ok(PreparedBlock::Pooling {
            before: NormActivation::new(&b.norm1, b.act1.kind),
            convs: self.filter(
                b.act1.kind,
                &[(&b.conv1, Some(&b.norm2)), (&b.pool_conv, Some(&b.pool_norm))],
            )?,
            inner: b.conv1.outputs,
            pool_bias: b.pool_norm.folded().1.as_slice().into(),
            pool_act: b.pool_act.kind,
            pooled: b.pool_conv.outputs,
            mat: DenseLayer::new(&b.pool_mat, Some(&scale), &bias),
            act: b.act2.kind,
            conv2: self.filter(b.act2.kind, &[(&b.conv2, None)])?,
        })
    }

    fn nested(&mut self, b: &Nested, depth: usize) -> Result<PreparedBlock, String> {
        Ok(PreparedBlock::Nested {
            before: NormActivation::new(&b.norm1, b.act1.kind),
            down: self.filter(b.act1.kind, &[(&b.conv1, None)])?,
            blocks: self.blocks(&b.blocks, depth + 1, b.conv1.outputs)?,
            after: NormActivation::new(&b.norm2, b.act2.kind),
            up: self.filter(b.act2.kind, &[(&b.conv2, None)])?,
        })
    }
}

impl NetBuilder {
    fn attention(&mut self, b: &Attention) -> PreparedBlock {
        let heads = AttentionHeads::new(b);
        self.attention.include(&heads);
        let [keys, values, end] = heads.offsets();
        self.widest = self.widest.max(end).max(heads.outputs());
        let root = (b.query as f32).sqrt();
        let in_head = |o: usize| o / b.query * b.query + heads.channel(o % b.query);
        let cell = |i: usize, o: usize| {
            let (mat, o, divisor) = match o {
                o if o < keys => (&b.q, in_head(o), root),
                o if o < values => (&b.k, in_head(o - keys), 1.0),
                o => (&b.v, o - values, 1.0),
            };
            if o < mat.outputs {
                mat.weights[i * mat.outputs + o] / divisor
            } else {
                0.0
            }
        };
        PreparedBlock::Attention {
            before: NormActivation::by_rms(&b.norm, Activation::Identity),
            project: Filter::matrix(b.q.inputs, end, cell),
            out: Filter::matrix(b.out.inputs, b.out.outputs, |i, o| b.out.weights[i * b.out.outputs + o]),
            heads,
        }
    }

    fn feed_forward(&mut self, b: &FeedForward) -> Result<PreparedBlock, String> {
        let Some(gate) = &b.gate else {
            // The file does not say which activation takes its place.
            return Err(format!(
                "{}: feed-forward blocks without a gate are not supported",
                b.name
            ));
        };
        let wide = padded(b.up.outputs);
        self.widest = self.widest.max(2 * wide);
        let cell = |i: usize, o: usize| {
            let (mat, o) = if o < wide { (&b.up, o) } else { (gate, o - wide) };
            if o < mat.outputs {
                mat.weights[i * mat.outputs + o]
            } else {
                0.0
            }
        };
        Ok(PreparedBlock::FeedForward {
            before: NormActivation::by_rms(&b.norm, Activation::Identity),
            up: Filter::matrix(b.up.inputs, 2 * wide, cell),
            down: Filter::matrix(b.down.inputs, b.down.outputs, |i, o| {
                b.down.weights[i * b.down.outputs + o]
            }),
        })
    }
}

/// A column of a convolution over single points.
fn column(conv: &Conv, i: usize) -> Result<Floats, String> {
    if (conv.height, conv.width) != (1, 1) {
        let size = format!("{}x{}", conv.height, conv.width);
        return Err(format!("{}: a filter of {size} in a head, expected 1x1", conv.name));
    }
    let weights: Vec<f32> = conv.weights.iter().skip(i).step_by(conv.outputs).copied().collect();
    Ok(weights.as_slice().into())
}

impl Net {
    /// Whether it has an optimistic policy.
    pub fn is_optimistic(&self) -> bool {
        self.policy.optimistic.is_some()
    }

    /// Makes a model ready to run.
    pub fn new(model: &Model) -> Result<Self, String> {
        Self::by(model, Method::Winograd)
    }

    /// As [`new`](Self::new), with a method for filters of 3 x 3.
    pub fn by(model: &Model, method: Method) -> Result<Self, String> {
        model.check()?;
        // With the filters transformed for one size of tiles, five and a half times as large for the largest.
        let bytes = model.weights().saturating_mul(4 * 7);
        if bytes > LARGEST {
            return Err(format!("would take {bytes} bytes ready to run, the most is {LARGEST}"));
        }
        let (t, p, v) = (&model.trunk, &model.policy, &model.value);
        let mut make = NetBuilder {
            method,
            depths: Vec::new(),
            widest: 0,
            attention: ScratchShape::default(),
        };
        let blocks = make.blocks(&t.blocks, 0, t.channels)?;
        // Planes, too, are never below 0, but tiles of 3 x 3 over the few of them are as fast in floats.
        let before = if t.conv.width > 3 {
            Activation::Relu
        } else {
            Activation::Identity
        };
        let first = Filter::new(method, before, &[(&t.conv, None)])?;
        let final_norm = match &t.final_norm {
            TrunkNorm::Batch(norm) => NormActivation::new(norm, t.act.kind),
            TrunkNorm::Rms(norm) => NormActivation::by_rms(norm, t.act.kind),
        };
        let heads = [
            (&p.conv1, Some(&p.norm)),
            (&p.pool_conv, Some(&p.pool_norm)),
            (&v.conv, Some(&v.norm)),
        ];
        let (scale, bias) = p.norm.folded();
        let heads = make.filter(t.act.kind, &heads)?;
        let tail = p.pass_tail.as_ref();
        Ok(Self {
            name: model.name.clone(),
            version: model.version,
            spatial: model.spatial,
            globals: model.globals,
            alive_by_suicide: model.alive_by_suicide,
            weights: model.weights(),
            scales: model.scales,
            first,
            mat: DenseLayer::new(&t.mat, None, &[]),
            blocks,
            depths: make.depths,
            widest: make.widest,
            attention: make.attention,
            final_norm,
            policy: PreparedPolicy {
                inner: p.conv1.outputs,
                pooled: p.pool_conv.outputs,
                pool_bias: p.pool_norm.folded().1.as_slice().into(),
                pool_act: p.pool_act.kind,
                mat: DenseLayer::new(&p.pool_mat, Some(&scale), &bias),
                act: p.act.kind,
                last: column(&p.conv2, 0)?,
                optimistic: (model.policies() > 1).then(|| column(&p.conv2, 1)).transpose()?,
                pass: DenseLayer::new(&p.pass_mat, None, tail.map_or(&[], |t| &t.bias.weights)),
                tail: tail.map(|t| (t.act.kind, DenseLayer::new(&t.mat, None, &[]))),
            },
            value: PreparedValue {
                inner: v.conv.outputs,
                bias: v.norm.folded().1.as_slice().into(),
                act: v.act.kind,
                mat: DenseLayer::new(&v.mat, None, &v.bias.weights),
                act2: v.act2.kind,
                value: DenseLayer::new(&v.value_mat, None, &v.value_bias.weights),
                score: DenseLayer::new(&v.score_mat, None, &v.score_bias.weights),
                own: column(&v.own_conv, 0)?,
            },
            heads,
        })
    }
}
