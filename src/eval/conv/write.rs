//! Writes what [`Model::read`] reads.

use super::model::{
    ActivationLayer, BatchNorm, Bias, Block, Conv, Matrix, Model, PolicyHead, RmsNorm, RotaryEmbedding, Trunk,
    TrunkNorm, ValueHead,
};
use crate::util::half;
use std::fmt::Display;

/// How weights are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WeightEncoding {
    Binary,
    Half,
    Text,
}

impl Model {
    /// The file that KataGo calls `.bin`, not yet packed by gzip.
    pub fn write(&self) -> Vec<u8> {
        self.write_as(WeightEncoding::Binary)
    }

    /// As [`write`](Self::write) with half floats: half the size, and only we read it.
    pub fn write_half(&self) -> Vec<u8> {
        self.write_as(WeightEncoding::Half)
    }

    /// The file that KataGo calls `.txt`.
    pub fn write_text(&self) -> Vec<u8> {
        self.write_as(WeightEncoding::Text)
    }

    fn write_as(&self, encoding: WeightEncoding) -> Vec<u8> {
        let mut w = Writer {
            out: Vec::new(),
            encoding,
            version: self.version,
        };
        w.model(self);
        w.out
    }
}

struct Writer {
    out: Vec<u8>,
    encoding: WeightEncoding,
    version: u32,
}

impl Writer {
    fn word(&mut self, word: impl Display) {
        self.out.extend(format!("{word}\n").bytes());
    }

    fn words<T: Display>(&mut self, words: impl IntoIterator<Item = T>) {
        for word in words {
            self.word(word);
        }
    }

    fn floats(&mut self, list: &[f32]) {
        match self.encoding {
            WeightEncoding::Binary => {
                self.out.extend(b"@BIN@");
                self.out.extend(list.iter().flat_map(|x| x.to_le_bytes()));
                self.out.push(b'\n');
            }
            WeightEncoding::Half => {
                self.out.extend(b"@F16@");
                self.out
                    .extend(list.iter().flat_map(|&x| half::from_f32(x).to_le_bytes()));
                self.out.push(b'\n');
            }
            WeightEncoding::Text => {
                for x in list {
                    self.out.extend(format!("{x} ").bytes());
                }
                self.out.push(b'\n');
            }
        }
    }

    fn conv(&mut self, c: &Conv) {
        self.word(&c.name);
        self.words([c.height, c.width, c.inputs, c.outputs, c.dilation.0, c.dilation.1]);
        self.floats(&c.weights);
    }

    fn norm(&mut self, n: &BatchNorm) {
        self.word(&n.name);
        self.word(n.channels());
        self.word(n.epsilon);
        self.words([&n.scale, &n.bias].map(|list| u8::from(list.is_some())));
        self.floats(&n.mean);
        self.floats(&n.variance);
        for list in [&n.scale, &n.bias].into_iter().flatten() {
            self.floats(list);
        }
    }

    fn act(&mut self, a: &ActivationLayer) {
        self.word(&a.name);
        if self.version >= 11 {
            let found = super::model::Activation::NAMES.iter().find(|(_, kind)| *kind == a.kind);
            self.words(found.map(|(name, _)| name));
        }
    }

    fn mat(&mut self, m: &Matrix) {
        self.word(&m.name);
        self.words([m.inputs, m.outputs]);
        self.floats(&m.weights);
    }

    fn bias(&mut self, b: &Bias) {
        self.word(&b.name);
        self.word(b.weights.len());
        self.floats(&b.weights);
    }

    fn rms_norm(&mut self, n: &RmsNorm) {
        self.word(&n.name);
        self.word(n.scale.len());
        self.word(n.epsilon);
        if let Some(bias) = &n.bias {
            self.words([u8::from(n.board), 0]);
            self.floats(&n.scale);
            self.floats(bias);
        } else {
            self.floats(&n.scale);
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Ordinary(b) => {
                self.words(["ordinary_block", &b.name]);
                self.norm(&b.norm1);
                self.act(&b.act1);
                self.conv(&b.conv1);
                self.norm(&b.norm2);
                self.act(&b.act2);
                self.conv(&b.conv2);
            }
            Block::Pooling(b) => {
                self.words(["gpool_block", &b.name]);
                self.norm(&b.norm1);
                self.act(&b.act1);
                self.conv(&b.conv1);
                self.conv(&b.pool_conv);
                self.norm(&b.pool_norm);
                self.act(&b.pool_act);
                self.mat(&b.pool_mat);
                self.norm(&b.norm2);
                self.act(&b.act2);
                self.conv(&b.conv2);
            }
            Block::Nested(b) => {
                self.words(["nested_bottleneck_block", &b.name]);
                self.word(b.blocks.len());
                self.norm(&b.norm1);
                self.act(&b.act1);
                self.conv(&b.conv1);
                for inner in &b.blocks {
                    self.block(inner);
                }
                self.norm(&b.norm2);
                self.act(&b.act2);
                self.conv(&b.conv2);
            }
            Block::Attention(b) => {
                self.words(["transformer_attention_block", &b.name]);
                self.words([b.heads, b.key_heads, b.query, b.value_channels]);
                self.words(
                    [
                        b.rotary != RotaryEmbedding::None,
                        matches!(b.rotary, RotaryEmbedding::Learned { .. }),
                    ]
                    .map(u8::from),
                );
                self.rms_norm(&b.norm);
                for mat in [&b.q, &b.k, &b.v, &b.out] {
                    self.mat(mat);
                }
                match &b.rotary {
                    RotaryEmbedding::None => {}
                    RotaryEmbedding::Fixed { name, theta } => {
                        self.word(name);
                        self.word(theta);
                    }
                    RotaryEmbedding::Learned { name, frequencies } => {
                        self.word(name);
                        self.words([b.key_heads, b.query / 2, 2]);
                        self.floats(frequencies);
                    }
                }
            }
            Block::FeedForward(b) => {
                self.words(["transformer_ffn_block", &b.name]);
                self.words([b.up.inputs, b.up.outputs, usize::from(b.gate.is_some())]);
                self.rms_norm(&b.norm);
                self.mat(&b.up);
                if let Some(gate) = &b.gate {
                    self.mat(gate);
                }
                self.mat(&b.down);
            }
        }
    }

    fn model(&mut self, m: &Model) {
        self.word(&m.name);
        self.word(m.version);
        self.words([m.spatial, m.globals]);
        if m.version >= 13 {
            let s = &m.scales;
            self.words([
                s.td_score,
                s.score_mean,
                s.score_stdev,
                s.lead,
                s.variance_time,
                s.short_value,
                s.short_score,
            ]);
        }
        if m.version >= 15 {
            self.words([0, u8::from(m.alive_by_suicide), 0, 0, 0, 0, 0, 0]);
        }
        self.trunk(&m.trunk);
        self.policy(&m.policy);
        self.value(&m.value);
    }

    fn trunk(&mut self, t: &Trunk) {
        self.word(&t.name);
        self.words([t.blocks.len(), t.channels]);
        self.words(t.stated);
        if self.version >= 15 {
            self.words([u8::from(matches!(t.final_norm, TrunkNorm::Rms(_))), 0, 0, 0, 0, 0]);
        }
        self.conv(&t.conv);
        self.mat(&t.mat);
        for block in &t.blocks {
            self.block(block);
        }
        match &t.final_norm {
            TrunkNorm::Batch(norm) => self.norm(norm),
            TrunkNorm::Rms(norm) => self.rms_norm(norm),
        }
        self.act(&t.act);
    }

    fn policy(&mut self, p: &PolicyHead) {
        self.word(&p.name);
        if self.version >= 17 {
            self.words([p.conv2.outputs, 0, 0, 0]);
        }
        self.conv(&p.conv1);
        self.conv(&p.pool_conv);
        self.norm(&p.pool_norm);
        self.act(&p.pool_act);
        self.mat(&p.pool_mat);
        self.norm(&p.norm);
        self.act(&p.act);
        self.conv(&p.conv2);
        self.mat(&p.pass_mat);
        if let Some(tail) = &p.pass_tail {
            self.bias(&tail.bias);
            self.act(&tail.act);
            self.mat(&tail.mat);
        }
    }

    fn value(&mut self, v: &ValueHead) {
        self.word(&v.name);
        if self.version >= 17 {
            self.words([0, 0, 0]);
        }
        self.conv(&v.conv);
        self.norm(&v.norm);
        self.act(&v.act);
        self.mat(&v.mat);
        self.bias(&v.bias);
        self.act(&v.act2);
        self.mat(&v.value_mat);
        self.bias(&v.value_bias);
        self.mat(&v.score_mat);
        self.bias(&v.score_bias);
        self.conv(&v.own_conv);
    }
}
