//! The network as a file of KataGo's, version 8.

use super::net::TrainedNet;
use super::shape::{BlockLayout, GLOBALS, Mat, Norm, VALUES};
use crate::whole_file;
use anyhow::Result;
use nguky::eval::conv::model;
use std::io::Write;
use std::path::Path;

/// The version whose networks have these heads.
pub const VERSION: u32 = 8;
/// Input planes.
const SPATIAL: usize = 22;
/// Of the value head's outputs those of who wins; the score's follow.
const WHO: usize = 3;

struct Exporter<'a>(&'a [f32]);

impl Exporter<'_> {
    fn norm(&self, name: String, n: &Norm) -> model::BatchNorm {
        model::BatchNorm {
            name,
            epsilon: 1e-20,
            mean: vec![0.0; n.channels],
            variance: vec![1.0; n.channels],
            scale: Some(self.0[n.scale()].to_vec()),
            bias: Some(self.0[n.bias()].to_vec()),
        }
    }

    fn act(&self, name: String) -> model::ActivationLayer {
        model::ActivationLayer {
            name,
            kind: model::Activation::Relu,
        }
    }

    /// Some inputs and outputs of a matrix, `taps` of them one after the other.
    fn part(&self, m: &Mat, inputs: usize, outputs: std::ops::Range<usize>) -> Vec<f32> {
        let rows = self.0[m.range()].chunks_exact(m.outputs).enumerate();
        rows.filter(|(i, _)| i % m.inputs < inputs)
            .flat_map(|(_, row)| row[outputs.clone()].iter().copied())
            .collect()
    }

    fn conv(&self, name: String, m: &Mat, inputs: usize, outputs: std::ops::Range<usize>) -> model::Conv {
        let side = m.taps.isqrt();
        model::Conv {
            name,
            height: side,
            width: side,
            inputs,
            outputs: outputs.len(),
            dilation: (1, 1),
            weights: self.part(m, inputs, outputs),
        }
    }

    fn mat(&self, name: &str, m: &Mat, outputs: std::ops::Range<usize>) -> model::Matrix {
        model::Matrix {
            name: name.into(),
            inputs: m.inputs,
            outputs: outputs.len(),
            weights: self.part(m, m.inputs, outputs),
        }
    }

    fn bias(&self, name: &str, range: std::ops::Range<usize>) -> model::Bias {
        model::Bias {
            name: name.into(),
            weights: self.0[range].to_vec(),
        }
    }
}

/// The network as the engine reads it.
pub fn model(net: &TrainedNet, name: &str) -> model::Model {
    let (s, e) = (&net.shape, Exporter(&net.all));
    let (c, h) = (s.channels, s.widths.head);
    let block = |(i, b): (usize, &BlockLayout)| {
        let named = |part: &str| format!("block{i}/{part}");
        let inner = b.norm2.channels;
        let name = format!("block{i}");
        let norm1 = e.norm(named("norm1"), &b.norm1);
        let norm2 = e.norm(named("norm2"), &b.norm2);
        let [act1, act2] = ["act1", "act2"].map(|n| e.act(named(n)));
        let conv1 = e.conv(named("conv1"), &b.conv1, c, 0..inner);
        let conv2 = e.conv(named("conv2"), &b.conv2, inner, 0..c);
        match &b.pool {
            None => model::Block::Ordinary(Box::new(model::Ordinary {
                name,
                norm1,
                act1,
                conv1,
                norm2,
                act2,
                conv2,
            })),
            Some(p) => model::Block::Pooling(Box::new(model::Pooling {
                name,
                norm1,
                act1,
                conv1,
                pool_conv: e.conv(named("pool_conv"), &b.conv1, c, inner..c),
                pool_norm: e.norm(named("pool_norm"), &p.norm),
                pool_act: e.act(named("pool_act")),
                pool_mat: e.mat(&named("pool_mat"), &p.mat, 0..inner),
                norm2,
                act2,
                conv2,
            })),
        }
    };
    let pooled = s.widths.pooled;
    model::Model {
        name: name.into(),
        version: VERSION,
        spatial: SPATIAL,
        globals: GLOBALS,
        scales: model::Scales::default(),
        alive_by_suicide: false,
        trunk: model::Trunk {
            name: "trunk".into(),
            channels: c,
            stated: [c, c - pooled, 0, pooled],
            conv: e.conv("stem".into(), &s.stem, SPATIAL, 0..c),
            mat: e.mat("globals", &s.globals, 0..c),
            blocks: s.blocks.iter().enumerate().map(block).collect(),
            final_norm: model::TrunkNorm::Batch(e.norm("tip".into(), &s.tip)),
            act: e.act("tip_act".into()),
        },
        policy: model::PolicyHead {
            name: "policyhead".into(),
            conv1: e.conv("p1".into(), &s.heads, c, 0..h),
            pool_conv: e.conv("g1".into(), &s.heads, c, h..2 * h),
            pool_norm: e.norm("g1_norm".into(), &s.pool_norm),
            pool_act: e.act("g1_act".into()),
            pool_mat: e.mat("g1_mat", &s.pool_mat, 0..h),
            norm: e.norm("p1_norm".into(), &s.policy_norm),
            act: e.act("p1_act".into()),
            conv2: e.conv("p2".into(), &s.policy, h, 0..1),
            pass_mat: e.mat("pass", &s.pass, 0..1),
            pass_tail: None,
        },
        value: model::ValueHead {
            name: "valuehead".into(),
            conv: e.conv("v1".into(), &s.heads, c, 2 * h..3 * h),
            norm: e.norm("v1_norm".into(), &s.value_norm),
            act: e.act("v1_act".into()),
            mat: e.mat("v2", &s.hidden, 0..s.hidden.outputs),
            bias: e.bias("v2_bias", s.hidden_bias.clone()),
            act2: e.act("v2_act".into()),
            value_mat: e.mat("v3", &s.value, 0..WHO),
            value_bias: e.bias("v3_bias", s.value_bias.start..s.value_bias.start + WHO),
            score_mat: e.mat("sv3", &s.value, WHO..VALUES),
            score_bias: e.bias("sv3_bias", s.value_bias.start + WHO..s.value_bias.end),
            own_conv: e.conv("vownership".into(), &s.own, h, 0..1),
        },
    }
}

/// Writes the network, packed by gzip; in half floats only our engine reads it.
pub fn write(net: &TrainedNet, name: &str, half: bool, path: &Path) -> Result<()> {
    let mut pack = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let model = model(net, name);
    pack.write_all(&if half { model.write_half() } else { model.write() })?;
    whole_file::replace(path, pack.finish()?)
}
