//! The plain data of a net, in the order and shapes of its file: convolutions by row, column, input, output; matrices by
//! input, output; norms as they were trained.

/// How the outputs of the heads are scaled to points and chances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scales {
    /// Training's score targets over time.
    pub td_score: f32,
    /// The mean score.
    pub score_mean: f32,
    /// Its standard deviation.
    pub score_stdev: f32,
    /// The lead.
    pub lead: f32,
    /// Time until the outcome is settled.
    pub variance_time: f32,
    /// Short-term error of the winning chance.
    pub short_value: f32,
    /// Short-term error of the score.
    pub short_score: f32,
}

impl Default for Scales {
    fn default() -> Self {
        Self {
            td_score: 20.0,
            score_mean: 20.0,
            score_stdev: 20.0,
            lead: 20.0,
            variance_time: 40.0,
            short_value: 0.25,
            short_score: 30.0,
        }
    }
}

/// A net.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Its name: letters, digits, `-` and `_`.
    pub name: String,
    /// Version of the file format, which also says what some outputs mean.
    pub version: u32,
    /// ConvInput planes.
    pub spatial: usize,
    /// ConvInput numbers that belong to no point.
    pub globals: usize,
    /// Scales of the outputs; files before version 13 all have the same.
    pub scales: Scales,
    /// Whether its pass-alive inputs are computed as if suicide were legal (from version 15).
    pub alive_by_suicide: bool,
    /// The body.
    pub trunk: Trunk,
    /// Where to play.
    pub policy: PolicyHead,
    /// Who wins, by how much, and whose each point is.
    pub value: ValueHead,
}

/// A convolution with zero padding.
#[derive(Clone, Debug, PartialEq)]
pub struct Conv {
    /// Its name.
    pub name: String,
    /// Rows of the filter, odd.
    pub height: usize,
    /// Columns of the filter, odd.
    pub width: usize,
    /// ConvInput channels.
    pub inputs: usize,
    /// Output channels.
    pub outputs: usize,
    /// Step between filter rows and columns.
    pub dilation: (usize, usize),
    /// By row, column, input, output.
    pub weights: Vec<f32>,
}

/// Batch normalisation: `scale * (x - mean) / sqrt(variance + epsilon) + bias`.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchNorm {
    /// Its name.
    pub name: String,
    /// Keeps the division sane.
    pub epsilon: f32,
    /// Mean of each channel.
    pub mean: Vec<f32>,
    /// Variance of each channel.
    pub variance: Vec<f32>,
    /// Scale of each channel; 1 where absent.
    pub scale: Option<Vec<f32>>,
    /// Bias of each channel; 0 where absent.
    pub bias: Option<Vec<f32>>,
}

impl BatchNorm {
    /// Channels.
    pub fn channels(&self) -> usize {
        self.mean.len()
    }

    /// The same as one multiplication and one addition a channel: scales and biases.
    pub fn folded(&self) -> (Vec<f32>, Vec<f32>) {
        let at = |list: &Option<Vec<f32>>, i: usize, or: f32| list.as_ref().map_or(or, |l| l[i]);
        (0..self.channels())
            .map(|i| {
                let scale = at(&self.scale, i, 1.0) / (self.variance[i] + self.epsilon).sqrt();
                (scale, at(&self.bias, i, 0.0) - scale * self.mean[i])
            })
            .unzip()
    }
}

/// Kinds of activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// None.
    Identity,
    /// `max(x, 0)`.
    Relu,
    /// `x * tanh(ln(1 + e^x))`.
    Mish,
    /// `x / (1 + e^-x)`.
    Silu,
}

impl Activation {
    /// Each kind by its name in the file.
    pub const NAMES: [(&str, Activation); 4] = [
        ("ACTIVATION_IDENTITY", Activation::Identity),
        ("ACTIVATION_RELU", Activation::Relu),
        ("ACTIVATION_MISH", Activation::Mish),
        ("ACTIVATION_SILU", Activation::Silu),
    ];
}

/// An activation; always [`Activation::Relu`] in files before version 11.
#[derive(Clone, Debug, PartialEq)]
pub struct ActivationLayer {
    /// Its name.
    pub name: String,
    /// What it does.
    pub kind: Activation,
}

/// A matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// Its name.
    pub name: String,
    /// Inputs.
    pub inputs: usize,
    /// Outputs.
    pub outputs: usize,
    /// By input, output.
    pub weights: Vec<f32>,
}

/// What is added to the output of a matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Bias {
    /// Its name.
    pub name: String,
    /// One for each output.
    pub weights: Vec<f32>,
}

/// Normalisation by the root mean square, over the channels of a point or over the whole board.
#[derive(Clone, Debug, PartialEq)]
pub struct RmsNorm {
    /// Its name.
    pub name: String,
    /// Keeps the division sane.
    pub epsilon: f32,
    /// Whether the mean is over the whole board.
    pub board: bool,
    /// Scale of each channel.
    pub scale: Vec<f32>,
    /// Bias of each channel; none inside of transformer blocks.
    pub bias: Option<Vec<f32>>,
}

/// A block of the trunk. Each adds its result to what came in.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// Two convolutions.
    Ordinary(Box<Ordinary>),
    /// Two convolutions, with the pooled board added between them.
    Pooling(Box<Pooling>),
    /// Blocks on fewer channels.
    Nested(Box<Nested>),
    /// Attention of a transformer.
    Attention(Box<Attention>),
    /// The other half of a transformer.
    FeedForward(Box<FeedForward>),
}

/// BatchNorm, activation, convolution, twice.
#[derive(Clone, Debug, PartialEq)]
pub struct Ordinary {
    /// Its name.
    pub name: String,
    /// First norm.
    pub norm1: BatchNorm,
    /// First activation.
    pub act1: ActivationLayer,
    /// First convolution.
    pub conv1: Conv,
    /// Second norm.
    pub norm2: BatchNorm,
    /// Second activation.
    pub act2: ActivationLayer,
    /// Second convolution.
    pub conv2: Conv,
}

/// As [`Ordinary`], and a second convolution of the input is pooled and added to the first one's output.
#[derive(Clone, Debug, PartialEq)]
pub struct Pooling {
    /// Its name.
    pub name: String,
    /// First norm.
    pub norm1: BatchNorm,
    /// First activation.
    pub act1: ActivationLayer,
    /// First convolution.
    pub conv1: Conv,
    /// The convolution that is pooled.
    pub pool_conv: Conv,
    /// BatchNorm before pooling.
    pub pool_norm: BatchNorm,
    /// Activation before pooling.
    pub pool_act: ActivationLayer,
    /// From the pooled numbers (mean, scaled mean, maximum) to the channels.
    pub pool_mat: Matrix,
    /// Second norm.
    pub norm2: BatchNorm,
    /// Second activation.
    pub act2: ActivationLayer,
    /// Second convolution.
    pub conv2: Conv,
}

/// Down to fewer channels, blocks there, and up again.
#[derive(Clone, Debug, PartialEq)]
pub struct Nested {
    /// Its name.
    pub name: String,
    /// First norm.
    pub norm1: BatchNorm,
    /// First activation.
    pub act1: ActivationLayer,
    /// Down.
    pub conv1: Conv,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// Second norm.
    pub norm2: BatchNorm,
    /// Second activation.
    pub act2: ActivationLayer,
    /// Up.
    pub conv2: Conv,
}

/// Rotary position embedding (RoPE): how the places of points enter attention.
#[derive(Clone, Debug, PartialEq)]
pub enum RotaryEmbedding {
    /// Not at all.
    None,
    /// By frequencies that fall from 1 by powers of this.
    Fixed {
        /// Its name.
        name: String,
        /// The base.
        theta: f32,
    },
    /// By frequencies of x and y that were learned, for each key head and pair of channels.
    Learned {
        /// Its name.
        name: String,
        /// By head, pair, x and y.
        frequencies: Vec<f32>,
    },
}

/// Attention between the points.
#[derive(Clone, Debug, PartialEq)]
pub struct Attention {
    /// Its name.
    pub name: String,
    /// Heads of the queries.
    pub heads: usize,
    /// Heads of the keys and values.
    pub key_heads: usize,
    /// Channels of a query.
    pub query: usize,
    /// Channels of a value.
    pub value_channels: usize,
    /// The norm before all.
    pub norm: RmsNorm,
    /// Queries.
    pub q: Matrix,
    /// Keys.
    pub k: Matrix,
    /// Values.
    pub v: Matrix,
    /// What the attended values become.
    pub out: Matrix,
    /// Places.
    pub rotary: RotaryEmbedding,
}

/// Two matrices applied to each point, with an activation between: SiLU where there is a gate.
#[derive(Clone, Debug, PartialEq)]
pub struct FeedForward {
    /// Its name.
    pub name: String,
    /// The norm before all.
    pub norm: RmsNorm,
    /// The first.
    pub up: Matrix,
    /// What the first one's output is multiplied by. Without it the file does not say which activation is meant, and no
    /// [`Net`](super::Net) is made of it.
    pub gate: Option<Matrix>,
    /// The second.
    pub down: Matrix,
}

/// The last norm of the trunk.
#[derive(Clone, Debug, PartialEq)]
pub enum TrunkNorm {
    /// Batch normalisation.
    Batch(BatchNorm),
    /// By the root mean square.
    Rms(RmsNorm),
}

/// The body.
#[derive(Clone, Debug, PartialEq)]
pub struct Trunk {
    /// Its name.
    pub name: String,
    /// Channels.
    pub channels: usize,
    /// Channels inside of the blocks, as the file states them: in all, ordinary, dilated, pooled. Nothing depends on them.
    pub stated: [usize; 4],
    /// From the input planes.
    pub conv: Conv,
    /// From the input numbers; added to every point.
    pub mat: Matrix,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// The last norm.
    pub final_norm: TrunkNorm,
    /// The last activation.
    pub act: ActivationLayer,
}

/// Where to play.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyHead {
    /// Its name.
    pub name: String,
    /// First convolution.
    pub conv1: Conv,
    /// The convolution that is pooled.
    pub pool_conv: Conv,
    /// BatchNorm before pooling.
    pub pool_norm: BatchNorm,
    /// Activation before pooling.
    pub pool_act: ActivationLayer,
    /// From the pooled numbers to the first convolution's channels.
    pub pool_mat: Matrix,
    /// BatchNorm of the first convolution.
    pub norm: BatchNorm,
    /// Its activation.
    pub act: ActivationLayer,
    /// To logits; the first output is the policy.
    pub conv2: Conv,
    /// From the pooled numbers to the pass's logit, or to [`PassTail`].
    pub pass_mat: Matrix,
    /// What follows it from version 15.
    pub pass_tail: Option<PassTail>,
}

/// The second step to the logit of a pass.
#[derive(Clone, Debug, PartialEq)]
pub struct PassTail {
    /// Added first.
    pub bias: Bias,
    /// Then this.
    pub act: ActivationLayer,
    /// To logits.
    pub mat: Matrix,
}

/// Who wins, by how much, and whose each point is.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueHead {
    /// Its name.
    pub name: String,
    /// First convolution.
    pub conv: Conv,
    /// Its norm.
    pub norm: BatchNorm,
    /// Its activation.
    pub act: ActivationLayer,
    /// From the pooled numbers (mean and the mean scaled twice).
    pub mat: Matrix,
    /// Its bias.
    pub bias: Bias,
    /// Its activation.
    pub act2: ActivationLayer,
    /// To the logits of win, loss and no result.
    pub value_mat: Matrix,
    /// Their bias.
    pub value_bias: Bias,
    /// To mean and deviation of the score, lead, time, and from version 9 the two short-term errors.
    pub score_mat: Matrix,
    /// Their bias.
    pub score_bias: Bias,
    /// From the first convolution's channels to whose each point is.
    pub own_conv: Conv,
}

impl Model {
    /// The versions that can be read.
    pub const VERSIONS: std::ops::RangeInclusive<u32> = 8..=17;

    /// Outputs of the policy head: the policy, from version 12 an optimistic one, in version 16 two more.
    pub fn policies(&self) -> usize {
        self.policy.conv2.outputs
    }

    /// Outputs of the score part of the value head.
    pub fn scores(version: u32) -> usize {
        if version >= 9 { 6 } else { 4 }
    }

    /// Weights in all.
    pub fn weights(&self) -> usize {
        let norm = |n: &BatchNorm| 2 * n.channels();
        let t = &self.trunk;
        let final_norm = match &t.final_norm {
            TrunkNorm::Batch(n) => norm(n),
            TrunkNorm::Rms(n) => 2 * n.scale.len(),
        };
        let (p, v) = (&self.policy, &self.value);
        let tail = p.pass_tail.as_ref();
        t.conv.weights.len()
            + t.mat.weights.len()
            + t.blocks.iter().map(Block::weights).sum::<usize>()
            + final_norm
            + [&p.conv1, &p.pool_conv, &p.conv2, &v.conv, &v.own_conv]
                .map(|c| c.weights.len())
                .iter()
                .sum::<usize>()
            + [&p.pool_norm, &p.norm, &v.norm].map(norm).iter().sum::<usize>()
            + [&p.pool_mat, &p.pass_mat, &v.mat, &v.value_mat, &v.score_mat]
                .map(|m| m.weights.len())
                .iter()
                .sum::<usize>()
            + [&v.bias, &v.value_bias, &v.score_bias]
                .map(|b| b.weights.len())
                .iter()
                .sum::<usize>()
            + tail.map_or(0, |t| t.bias.weights.len() + t.mat.weights.len())
    }
}

impl Block {
    /// Weights in all.
    pub fn weights(&self) -> usize {
        let norm = |n: &BatchNorm| 2 * n.channels();
        match self {
            Self::Ordinary(b) => norm(&b.norm1) + norm(&b.norm2) + b.conv1.weights.len() + b.conv2.weights.len(),
            Self::Pooling(b) => {
                let convs = b.conv1.weights.len() + b.pool_conv.weights.len() + b.conv2.weights.len();
                norm(&b.norm1) + norm(&b.norm2) + norm(&b.pool_norm) + convs + b.pool_mat.weights.len()
            }
            Self::Nested(b) => {
                let own = norm(&b.norm1) + norm(&b.norm2) + b.conv1.weights.len() + b.conv2.weights.len();
                own + b.blocks.iter().map(Self::weights).sum::<usize>()
            }
            Self::Attention(b) => {
                let mats = [&b.q, &b.k, &b.v, &b.out]
                    .map(|m| m.weights.len())
                    .iter()
                    .sum::<usize>();
                b.norm.scale.len() + mats
            }
            Self::FeedForward(b) => {
                let gate = b.gate.as_ref().map_or(0, |m| m.weights.len());
                b.norm.scale.len() + b.up.weights.len() + gate + b.down.weights.len()
            }
        }
    }
}
