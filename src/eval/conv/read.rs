//! Reads the files of KataGo: `.bin.gz`, `.txt.gz`, and the same unpacked. Also our own `@F16@` blocks, which hold half
//! floats where KataGo's `@BIN@` holds whole ones.

use super::model::{
    Activation, ActivationLayer, Attention, BatchNorm, Bias, Block, Conv, FeedForward, Matrix, Model, Nested, Ordinary,
    PassTail, PolicyHead, Pooling, RmsNorm, RotaryEmbedding, Scales, Trunk, TrunkNorm, ValueHead,
};
use crate::util::files;
use crate::util::half;
use std::io::{BufRead, BufReader, Read};

/// The largest file that is read, in bytes, and the most that it may unpack to.
const LARGEST: u64 = 1 << 30;
/// The most weights of a block, as a multiple of the square of the channels: an ordinary one has 18.
const PER_BLOCK: usize = 64;
/// The most channels, and anything else that is counted.
const MOST: usize = 8192;
/// Smaller weights are read as zero. Units that training let decay have subnormal ones, which change no output, but by which
/// processors multiply slowly: the transformer b10c384h6nbttflrs, which has 445,000 of them, took 22 to 25 times as long.
const NEGLIGIBLE: f32 = 1e-30;
/// How deep blocks may be nested.
const DEEPEST: usize = 4;

type Result<T> = std::result::Result<T, String>;

impl Model {
    /// Reads a net out of a regular file, which is read no further than it is one.
    ///
    /// # Errors
    /// One line that names the path and says what is wrong.
    pub fn open(path: &str) -> Result<Self> {
        let (file, _) = files::open(path, LARGEST)?;
        Self::from_reader(BufReader::with_capacity(1 << 16, file)).map_err(|why| format!("{path:?}: {why}"))
    }

    /// Reads a net out of a file's bytes.
    ///
    /// # Errors
    /// One line that says what is wrong.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        Self::from_reader(bytes)
    }

    /// Reads a net, unpacking it on the way: no more of it is held than the layers that its head announces.
    fn from_reader(mut input: impl BufRead) -> Result<Self> {
        let start = input.fill_buf().map_err(|why| why.to_string())?;
        let packed = start.starts_with(&[0x1f, 0x8b]);
        let input: Box<dyn BufRead> = if packed {
            let unpacked = flate2::bufread::MultiGzDecoder::new(input).take(LARGEST);
            Box::new(BufReader::with_capacity(1 << 16, unpacked))
        } else {
            Box::new(input)
        };
        let mut r = ModelReader {
            input,
            text: String::new(),
            version: 0,
            left: usize::MAX,
            channels: 0,
            layer: "header".to_string(),
        };
        let model = r.model().map_err(|why| format!("{}: {why}", r.layer))?;
        model.check()?;
        Ok(model)
    }
}

struct ModelReader<'a> {
    input: Box<dyn BufRead + 'a>,
    /// The last word.
    text: String,
    version: u32,
    /// Weights that the rest of the file may have.
    left: usize,
    /// Channels by which that was counted.
    channels: usize,
    /// Of what is being read, for messages.
    layer: String,
}

impl ModelReader<'_> {
    /// What lies ready of the rest; empty at its end.
    fn ready(&mut self) -> Result<&[u8]> {
        self.input.fill_buf().map_err(|why| format!("cannot be read: {why}"))
    }

    /// The next byte that is no blank, which is not taken.
    fn peek(&mut self) -> Result<u8> {
        loop {
            let ready = self.ready()?;
            let blank = ready.iter().take_while(|b| b.is_ascii_whitespace()).count();
            let found = ready.get(blank).copied();
            let (all, end) = (ready.len(), ready.is_empty());
            self.input.consume(if found.is_some() { blank } else { all });
            match found {
                Some(byte) => return Ok(byte),
                None if end => return Err("the file ends too early".to_string()),
                None => {}
            }
        }
    }

    fn word(&mut self) -> Result<&str> {
        self.peek()?;
        self.text.clear();
        loop {
            let ready = self.input.fill_buf().map_err(|why| format!("cannot be read: {why}"))?;
            let length = ready.iter().position(u8::is_ascii_whitespace).unwrap_or(ready.len());
            if self.text.len() + length > 200 || !ready[..length].iter().all(u8::is_ascii_graphic) {
                return Err("expected a word, found something that is no text".to_string());
            }
            self.text.extend(ready[..length].iter().map(|&b| char::from(b)));
            let ends = ready.is_empty() || length < ready.len();
            self.input.consume(length);
            if ends {
                return Ok(&self.text);
            }
        }
    }

    /// So many bytes; room is made as they come.
    fn bytes(&mut self, n: usize) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(n.min(1 << 20));
        let rest = (&mut self.input).take(n as u64).read_to_end(&mut out);
        rest.map_err(|why| format!("cannot be read: {why}"))?;
        Ok(out)
    }

    /// The file announces so many blocks more of so many channels.
    fn announced(&mut self, blocks: usize, channels: usize) {
        self.channels = channels;
        let weights = PER_BLOCK * channels * channels;
        self.left = self.left.saturating_add(blocks.saturating_mul(weights));
    }

    /// The name of a layer; messages name it from here on.
    fn name(&mut self) -> Result<String> {
        self.layer = self.word()?.to_string();
        Ok(self.layer.clone())
    }

    fn parsed<T: std::str::FromStr>(&mut self, what: &str) -> Result<T> {
        let word = self.word()?;
        word.parse().map_err(|_| format!("expected {what}, found '{word}'"))
    }

    fn count(&mut self) -> Result<usize> {
        let n: usize = self.parsed("a number")?;
        if (1..=MOST).contains(&n) {
            Ok(n)
        } else {
            Err(format!("expected a number from 1 to {MOST}, found {n}"))
        }
    }

    fn flag(&mut self) -> Result<bool> {
        match self.parsed("0 or 1")? {
            0 => Ok(false),
            1 => Ok(true),
            n => Err(format!("expected 0 or 1, found {n}")),
        }
    }

    fn number(&mut self) -> Result<f32> {
        let x: f32 = self.parsed("a number")?;
        if x.is_finite() {
            Ok(x)
        } else {
            Err(format!("{x} is not finite"))
        }
    }

    fn positive(&mut self) -> Result<f32> {
        let x = self.number()?;
        if x > 0.0 {
            Ok(x)
        } else {
            Err(format!("{x} is not above 0"))
        }
    }

    /// Options that no version gives a meaning.
    fn zeros(&mut self, n: usize) -> Result<()> {
        for _ in 0..n {
            let word = self.word()?;
            if word != "0" {
                return Err(format!("an unknown option '{word}'"));
            }
        }
        Ok(())
    }

    /// This many weights. Room is made as they come, and for no more than the head announces.
    fn floats(&mut self, n: usize) -> Result<Vec<f32>> {
        let short = || format!("the file ends within its {n} weights");
        let most = self.left;
        self.left = most
            .checked_sub(n)
            .ok_or_else(|| format!("{n} weights; the file's head announces a network of at most {most} more"))?;
        let list: Vec<f32> = if self.peek().map_err(|_| short())? == b'@' {
            let tag = self.bytes(5)?;
            let width = match &tag[..] {
                b"@BIN@" => 4,
                b"@F16@" => 2,
                _ => return Err(format!("expected weights, found '{}'", tag.escape_ascii())),
            };
            let size = n.checked_mul(width).ok_or_else(short)?;
            let bytes = self.bytes(size)?;
            if bytes.len() < size {
                return Err(short());
            }
            let quads = bytes.as_chunks::<4>().0;
            let pairs = bytes.as_chunks::<2>().0;
            match width {
                4 => quads.iter().map(|&b| f32::from_le_bytes(b)).collect(),
                _ => pairs.iter().map(|&b| half::to_f32(u16::from_le_bytes(b))).collect(),
            }
        } else {
            let mut list = Vec::with_capacity(n.min(1 << 20));
            for _ in 0..n {
                self.peek().map_err(|_| short())?;
                list.push(self.parsed("a weight")?);
            }
            list
        };
        match list.iter().position(|x| !x.is_finite()) {
            Some(i) => Err(format!("weight {i} is not finite")),
            None => Ok(list
                .into_iter()
                .map(|x| if x.abs() < NEGLIGIBLE { 0.0 } else { x })
                .collect()),
        }
    }

    fn conv(&mut self) -> Result<Conv> {
        let name = self.name()?;
        let (height, width) = (self.count()?, self.count()?);
        let (inputs, outputs) = (self.count()?, self.count()?);
        let dilation = (self.count()?, self.count()?);
        let size = [height, width, inputs, outputs]
            .iter()
            .try_fold(1usize, |a, &b| a.checked_mul(b));
        let weights = self.floats(size.ok_or("too large")?)?;
        Ok(Conv {
            name,
            height,
            width,
            inputs,
            outputs,
            dilation,
            weights,
        })
    }

    fn norm(&mut self) -> Result<BatchNorm> {
        let name = self.name()?;
        let channels = self.count()?;
        let epsilon = self.positive()?;
        let (scaled, biased) = (self.flag()?, self.flag()?);
        Ok(BatchNorm {
            name,
            epsilon,
            mean: self.floats(channels)?,
            variance: self.floats(channels)?,
            scale: if scaled { Some(self.floats(channels)?) } else { None },
            bias: if biased { Some(self.floats(channels)?) } else { None },
        })
    }

    fn act(&mut self) -> Result<ActivationLayer> {
        let name = self.name()?;
        let kind = if self.version < 11 {
            Activation::Relu
        } else {
            let word = self.word()?;
            let found = Activation::NAMES.iter().find(|(name, _)| *name == word);
            found.ok_or_else(|| format!("an unknown activation '{word}'"))?.1
        };
        Ok(ActivationLayer { name, kind })
    }

    fn mat(&mut self) -> Result<Matrix> {
        let name = self.name()?;
        let (inputs, outputs) = (self.count()?, self.count()?);
        let weights = self.floats(inputs * outputs)?;
        Ok(Matrix {
            name,
            inputs,
            outputs,
            weights,
        })
    }

    fn bias(&mut self) -> Result<Bias> {
        let name = self.name()?;
        let n = self.count()?;
        let weights = self.floats(n)?;
        Ok(Bias { name, weights })
    }

    /// The norm at the trunk's end.
    fn rms_norm(&mut self) -> Result<RmsNorm> {
        let name = self.name()?;
        let channels = self.count()?;
        let epsilon = self.positive()?;
        let board = self.flag()?;
        self.zeros(1)?;
        let (scale, bias) = (self.floats(channels)?, Some(self.floats(channels)?));
        Ok(RmsNorm {
            name,
            epsilon,
            board,
            scale,
            bias,
        })
    }

    /// A norm inside of a transformer block.
    fn point_norm(&mut self) -> Result<RmsNorm> {
        let name = self.name()?;
        let channels = self.count()?;
        Ok(RmsNorm {
            name,
            epsilon: self.positive()?,
            board: false,
            scale: self.floats(channels)?,
            bias: None,
        })
    }

    fn block(&mut self, depth: usize) -> Result<Block> {
        let kind = self.word()?.to_string();
        Ok(match kind.as_str() {
            "ordinary_block" => Block::Ordinary(Box::new(Ordinary {
                name: self.name()?,
                norm1: self.norm()?,
                act1: self.act()?,
                conv1: self.conv()?,
                norm2: self.norm()?,
                act2: self.act()?,
                conv2: self.conv()?,
            })),
            "gpool_block" => Block::Pooling(Box::new(Pooling {
                name: self.name()?,
                norm1: self.norm()?,
                act1: self.act()?,
                conv1: self.conv()?,
                pool_conv: self.conv()?,
                pool_norm: self.norm()?,
                pool_act: self.act()?,
                pool_mat: self.mat()?,
                norm2: self.norm()?,
                act2: self.act()?,
                conv2: self.conv()?,
            })),
            "nested_bottleneck_block" => {
                let name = self.name()?;
                let n = self.count()?;
                if depth == DEEPEST {
                    return Err(format!("blocks nested more than {DEEPEST} deep"));
                }
                self.announced(n, self.channels);
                Block::Nested(Box::new(Nested {
                    name,
                    norm1: self.norm()?,
                    act1: self.act()?,
                    conv1: self.conv()?,
                    blocks: (0..n).map(|_| self.block(depth + 1)).collect::<Result<_>>()?,
                    norm2: self.norm()?,
                    act2: self.act()?,
                    conv2: self.conv()?,
                }))
            }
            "transformer_attention_block" => Block::Attention(Box::new(self.attention()?)),
            "transformer_ffn_block" => {
                let name = self.name()?;
                let (_, _, gated) = (self.count()?, self.count()?, self.flag()?);
                Block::FeedForward(Box::new(FeedForward {
                    name,
                    norm: self.point_norm()?,
                    up: self.mat()?,
                    gate: if gated { Some(self.mat()?) } else { None },
                    down: self.mat()?,
                }))
            }
            _ => return Err(format!("followed by an unknown kind of block '{kind}'")),
        })
    }

    fn attention(&mut self) -> Result<Attention> {
        let name = self.name()?;
        let (heads, key_heads) = (self.count()?, self.count()?);
        let (query, value_channels) = (self.count()?, self.count()?);
        let (placed, learned) = (self.flag()?, self.flag()?);
        let norm = self.point_norm()?;
        let (q, k, v, out) = (self.mat()?, self.mat()?, self.mat()?, self.mat()?);
        let rotary = match (placed, learned) {
            (false, _) => RotaryEmbedding::None,
            (true, false) => RotaryEmbedding::Fixed {
                name: self.name()?,
                theta: self.positive()?,
            },
            (true, true) => RotaryEmbedding::Learned {
                name: self.name()?,
                frequencies: {
                    let (heads, pairs, axes) = (self.count()?, self.count()?, self.count()?);
                    if (heads, pairs, axes) != (key_heads, query / 2, 2) {
                        return Err(format!("{heads}x{pairs}x{axes} frequencies do not fit"));
                    }
                    self.floats(heads * pairs * axes)?
                },
            },
        };
        Ok(Attention {
            name,
            heads,
            key_heads,
            query,
            value_channels,
            norm,
            q,
            k,
            v,
            out,
            rotary,
        })
    }

    fn model(&mut self) -> Result<Model> {
        let name = self.word()?.to_string();
        let version = self.parsed("the version")?;
        let (from, to) = (Model::VERSIONS.start(), Model::VERSIONS.end());
        if !Model::VERSIONS.contains(&version) {
            return Err(format!("version {version} is unknown, expected {from} to {to}"));
        }
        self.version = version;
        let (spatial, globals) = (self.count()?, self.count()?);
        let mut scales = Scales::default();
        if version >= 13 {
            scales = Scales {
                td_score: self.positive()?,
                score_mean: self.positive()?,
                score_stdev: self.positive()?,
                lead: self.positive()?,
                variance_time: self.positive()?,
                short_value: self.positive()?,
                short_score: self.positive()?,
            };
        }
        let mut alive_by_suicide = false;
        if version >= 15 {
            if self.word()? != "0" {
                return Err("nets that want to know who plays (human nets) are not supported".to_string());
            }
            alive_by_suicide = self.flag()?;
            self.zeros(6)?;
        }
        Ok(Model {
            name,
            version,
            spatial,
            globals,
            scales,
            alive_by_suicide,
            trunk: self.trunk(spatial)?,
            policy: self.policy()?,
            value: self.value()?,
        })
    }

    fn trunk(&mut self, spatial: usize) -> Result<Trunk> {
        let name = self.name()?;
        let blocks = self.count()?;
        let channels = self.count()?;
        // The heads are no larger than some blocks; narrow trunks may have wider ones.
        self.left = 0;
        self.announced(blocks + 8, channels.max(spatial).max(64));
        let mut stated = [0; 4];
        for n in &mut stated {
            *n = self.parsed("a number of channels")?;
        }
        let mut rms = false;
        if self.version >= 15 {
            rms = self.flag()?;
            self.zeros(5)?;
        }
        Ok(Trunk {
            name,
            channels,
            stated,
            conv: self.conv()?,
            mat: self.mat()?,
            blocks: (0..blocks).map(|_| self.block(0)).collect::<Result<_>>()?,
            final_norm: if rms {
                TrunkNorm::Rms(self.rms_norm()?)
            } else {
                TrunkNorm::Batch(self.norm()?)
            },
            act: self.act()?,
        })
    }

    fn policy(&mut self) -> Result<PolicyHead> {
        let name = self.name()?;
        if self.version >= 17 {
            self.count()?; // stated by the last convolution too
            self.zeros(3)?;
        }
        Ok(PolicyHead {
            name,
            conv1: self.conv()?,
            pool_conv: self.conv()?,
            pool_norm: self.norm()?,
            pool_act: self.act()?,
            pool_mat: self.mat()?,
            norm: self.norm()?,
            act: self.act()?,
            conv2: self.conv()?,
            pass_mat: self.mat()?,
            pass_tail: if self.version >= 15 {
                Some(PassTail {
                    bias: self.bias()?,
                    act: self.act()?,
                    mat: self.mat()?,
                })
            } else {
                None
            },
        })
    }

    fn value(&mut self) -> Result<ValueHead> {
        let name = self.name()?;
        if self.version >= 17 {
            self.zeros(3)?;
        }
        Ok(ValueHead {
            name,
            conv: self.conv()?,
            norm: self.norm()?,
            act: self.act()?,
            mat: self.mat()?,
            bias: self.bias()?,
            act2: self.act()?,
            value_mat: self.mat()?,
            value_bias: self.bias()?,
            score_mat: self.mat()?,
            score_bias: self.bias()?,
            own_conv: self.conv()?,
        })
    }
}
