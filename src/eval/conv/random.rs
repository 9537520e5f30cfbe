//! Nets of random weights, for training and for tests.

use super::model::{
    Activation, ActivationLayer, Attention, BatchNorm, Bias, Block, Conv, FeedForward, Matrix, Model, Nested, Ordinary,
    PassTail, PolicyHead, Pooling, RmsNorm, RotaryEmbedding, Scales, Trunk, TrunkNorm, ValueHead,
};
use crate::util::rng::SplitMix;

/// Kinds of blocks.
#[derive(Clone, Debug, PartialEq)]
pub enum BlockShape {
    /// [`Ordinary`].
    Ordinary,
    /// [`Pooling`].
    Pooling,
    /// [`Nested`], with what is inside.
    Nested(Vec<BlockShape>),
    /// [`Attention`].
    Attention(HeadShape),
    /// [`FeedForward`] with a gate.
    FeedForward,
}

/// What a new attention looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadShape {
    /// HeadShape of the queries.
    pub queries: usize,
    /// HeadShape of the keys and values; divides the former.
    pub keys: usize,
    /// Channels of a query; even where positions matter.
    pub query: usize,
    /// Channels of a value.
    pub value: usize,
    /// How positions enter.
    pub positions: PositionEncoding,
}

/// Kinds of [`RotaryEmbedding`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PositionEncoding {
    /// Not at all.
    None,
    /// By frequencies that fall by powers of this.
    Fixed(f32),
    /// By frequencies that are learned.
    Learned,
}

/// What a new net looks like.
#[derive(Clone, Debug)]
pub struct ModelShape {
    /// Version of its file.
    pub version: u32,
    /// ConvInput planes.
    pub spatial: usize,
    /// ConvInput numbers.
    pub globals: usize,
    /// Rows and columns of the first filter.
    pub first: usize,
    /// Channels of the trunk.
    pub channels: usize,
    /// Channels inside of the nested blocks.
    pub middle: usize,
    /// Channels of the pooled convolutions of the trunk.
    pub pooled: usize,
    /// Blocks.
    pub blocks: Vec<BlockShape>,
    /// All activations.
    pub act: Activation,
    /// Channels of the heads.
    pub head: usize,
    /// Numbers behind the value head's pooling.
    pub value: usize,
}

struct RandomWeights<'a> {
    rng: SplitMix,
    shape: &'a ModelShape,
}

impl RandomWeights<'_> {
    /// Even random numbers of this deviation.
    fn random(&mut self, n: usize, deviation: f32) -> Vec<f32> {
        let spread = deviation * 12f32.sqrt();
        (0..n)
            .map(|_| ((self.rng.next() >> 40) as f32 / 16_777_216.0 - 0.5) * spread)
            .collect()
    }

    fn conv(&mut self, name: &str, size: usize, inputs: usize, outputs: usize) -> Conv {
        let reach = size * size * inputs;
        Conv {
            name: name.to_string(),
            height: size,
            width: size,
            inputs,
            outputs,
            dilation: (1, 1),
            weights: self.random(reach * outputs, (2.0 / reach as f32).sqrt()),
        }
    }

    fn norm(&mut self, name: &str, channels: usize) -> BatchNorm {
        BatchNorm {
            name: name.to_string(),
            epsilon: 1e-4,
            mean: vec![0.0; channels],
            variance: vec![1.0; channels],
            scale: Some(vec![1.0; channels]),
            bias: Some(vec![0.0; channels]),
        }
    }

    fn act(&self, name: &str) -> ActivationLayer {
        ActivationLayer {
            name: name.to_string(),
            kind: if self.shape.version < 11 {
                Activation::Relu
            } else {
                self.shape.act
            },
        }
    }

    fn mat(&mut self, name: &str, inputs: usize, outputs: usize) -> Matrix {
        Matrix {
            name: name.to_string(),
            inputs,
            outputs,
            weights: self.random(inputs * outputs, (1.0 / inputs as f32).sqrt()),
        }
    }

    fn bias(&mut self, name: &str, outputs: usize) -> Bias {
        Bias {
            name: name.to_string(),
            weights: vec![0.0; outputs],
        }
    }

    fn rms_norm(&mut self, name: String, channels: usize) -> RmsNorm {
        RmsNorm {
            name,
            epsilon: 1e-5,
            board: false,
            scale: vec![1.0; channels],
            bias: None,
        }
    }

    fn block(&mut self, layer: &BlockShape, n: &str, channels: usize) -> Block {
        let name = n.to_string();
        match layer {
            BlockShape::Ordinary => Block::Ordinary(Box::new(Ordinary {
                norm1: self.norm(&format!("{n}/norm1"), channels),
                act1: self.act(&format!("{n}/actv1")),
                conv1: self.conv(&format!("{n}/w1"), 3, channels, channels),
                norm2: self.norm(&format!("{n}/norm2"), channels),
                act2: self.act(&format!("{n}/actv2")),
                conv2: self.conv(&format!("{n}/w2"), 3, channels, channels),
                name,
            })),
            BlockShape::Pooling => {
                let pooled = self.shape.pooled;
                let inner = channels.saturating_sub(pooled).max(1);
                Block::Pooling(Box::new(Pooling {
                    norm1: self.norm(&format!("{n}/norm1"), channels),
                    act1: self.act(&format!("{n}/actv1")),
                    conv1: self.conv(&format!("{n}/w1a"), 3, channels, inner),
                    pool_conv: self.conv(&format!("{n}/w1b"), 3, channels, pooled),
                    pool_norm: self.norm(&format!("{n}/norm1b"), pooled),
                    pool_act: self.act(&format!("{n}/actv1b")),
                    pool_mat: self.mat(&format!("{n}/w1r"), 3 * pooled, inner),
                    norm2: self.norm(&format!("{n}/norm2"), inner),
                    act2: self.act(&format!("{n}/actv2")),
                    conv2: self.conv(&format!("{n}/w2"), 3, inner, channels),
                    name,
                }))
            }
            BlockShape::Nested(inside) => {
                let inner = self.shape.middle;
                Block::Nested(Box::new(Nested {
                    norm1: self.norm(&format!("{n}/norm1"), channels),
                    act1: self.act(&format!("{n}/actv1")),
                    conv1: self.conv(&format!("{n}/wdown"), 1, channels, inner),
                    blocks: self.blocks(inside, n, inner),
                    norm2: self.norm(&format!("{n}/norm2"), inner),
                    act2: self.act(&format!("{n}/actv2")),
                    conv2: self.conv(&format!("{n}/wup"), 1, inner, channels),
                    name,
                }))
            }
            BlockShape::Attention(h) => Block::Attention(Box::new(Attention {
                heads: h.queries,
                key_heads: h.keys,
                query: h.query,
                value_channels: h.value,
                norm: self.rms_norm(format!("{n}/norm"), channels),
                q: self.mat(&format!("{n}/q"), channels, h.queries * h.query),
                k: self.mat(&format!("{n}/k"), channels, h.keys * h.query),
                v: self.mat(&format!("{n}/v"), channels, h.keys * h.value),
                out: self.mat(&format!("{n}/out"), h.queries * h.value, channels),
                rotary: match h.positions {
                    PositionEncoding::None => RotaryEmbedding::None,
                    PositionEncoding::Fixed(theta) => RotaryEmbedding::Fixed {
                        name: format!("{n}/rope"),
                        theta,
                    },
                    PositionEncoding::Learned => RotaryEmbedding::Learned {
                        name: format!("{n}/rope"),
                        frequencies: self.random(h.keys * h.query, 0.5),
                    },
                },
                name,
            })),
            BlockShape::FeedForward => Block::FeedForward(Box::new(FeedForward {
                norm: self.rms_norm(format!("{n}/norm"), channels),
                up: self.mat(&format!("{n}/up"), channels, 2 * channels),
                gate: Some(self.mat(&format!("{n}/gate"), channels, 2 * channels)),
                down: self.mat(&format!("{n}/down"), 2 * channels, channels),
                name,
            })),
        }
    }

    fn blocks(&mut self, layers: &[BlockShape], n: &str, channels: usize) -> Vec<Block> {
        let each = layers.iter().enumerate();
        each.map(|(i, layer)| self.block(layer, &format!("{n}/b{i}"), channels))
            .collect()
    }

    fn trunk(&mut self) -> Trunk {
        let s = self.shape;
        Trunk {
            name: "trunk".to_string(),
            channels: s.channels,
            stated: [
                s.channels,
                s.channels.saturating_sub(s.pooled).max(1),
                s.pooled,
                s.pooled,
            ],
            conv: self.conv("conv1", s.first, s.spatial, s.channels),
            mat: self.mat("ginputw", s.globals, s.channels),
            blocks: self.blocks(&s.blocks, "trunk", s.channels),
            final_norm: TrunkNorm::Batch(self.norm("trunk/norm", s.channels)),
            act: self.act("trunk/actv"),
        }
    }

    fn policy(&mut self) -> PolicyHead {
        let s = self.shape;
        let logits = match s.version {
            16 => 4,
            12.. => 2,
            _ => 1,
        };
        let tail = s.version >= 15;
        PolicyHead {
            name: "policyhead".to_string(),
            conv1: self.conv("p1/intermediate_conv/w", 1, s.channels, s.head),
            pool_conv: self.conv("g1/w", 1, s.channels, s.head),
            pool_norm: self.norm("g1/norm", s.head),
            pool_act: self.act("g1/actv"),
            pool_mat: self.mat("matmulg2w", 3 * s.head, s.head),
            norm: self.norm("p1/norm", s.head),
            act: self.act("p1/actv"),
            conv2: self.conv("p2/w", 1, s.head, logits),
            pass_mat: self.mat("matmulpass", 3 * s.head, if tail { s.head } else { logits }),
            pass_tail: tail.then(|| PassTail {
                bias: self.bias("biaspass", s.head),
                act: self.act("actvpass"),
                mat: self.mat("matmulpass2", s.head, logits),
            }),
        }
    }

    fn value(&mut self) -> ValueHead {
        let s = self.shape;
        let scores = Model::scores(s.version);
        ValueHead {
            name: "valuehead".to_string(),
            conv: self.conv("v1/w", 1, s.channels, s.head),
            norm: self.norm("v1/norm", s.head),
            act: self.act("v1/actv"),
            mat: self.mat("v2/w", 3 * s.head, s.value),
            bias: self.bias("v2/b", s.value),
            act2: self.act("v2/actv"),
            value_mat: self.mat("v3/w", s.value, 3),
            value_bias: self.bias("v3/b", 3),
            score_mat: self.mat("sv3/w", s.value, scores),
            score_bias: self.bias("sv3/b", scores),
            own_conv: self.conv("vownership/w", 1, s.head, 1),
        }
    }
}

impl Model {
    /// A net of this shape with random weights.
    pub fn random(name: &str, shape: &ModelShape, seed: u64) -> Self {
        let mut make = RandomWeights {
            rng: SplitMix::new(seed),
            shape,
        };
        Self {
            name: name.to_string(),
            version: shape.version,
            spatial: shape.spatial,
            globals: shape.globals,
            scales: Scales::default(),
            alive_by_suicide: false,
            trunk: make.trunk(),
            policy: make.policy(),
            value: make.value(),
        }
    }
}
