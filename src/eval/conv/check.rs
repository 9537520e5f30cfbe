//! Whether the layers of a net fit each other.

use super::model::{
    Activation, ActivationLayer, Attention, BatchNorm, Bias, Block, Conv, FeedForward, Matrix, Model, PolicyHead,
    RmsNorm, RotaryEmbedding, Trunk, TrunkNorm, ValueHead,
};

type Result<T> = std::result::Result<T, String>;

/// `found` must be `expected`.
fn same(name: &str, what: &str, found: usize, expected: usize) -> Result<()> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{name}: {what} {found}, expected {expected}"))
    }
}

fn weights(name: &str, list: &[f32], expected: usize) -> Result<()> {
    same(name, "weights", list.len(), expected)?;
    match list.iter().position(|x| !x.is_finite()) {
        Some(i) => Err(format!("{name}: weight {i} is not finite")),
        None => Ok(()),
    }
}

fn conv(c: &Conv, inputs: usize) -> Result<usize> {
    same(&c.name, "inputs", c.inputs, inputs)?;
    let odd = |n: usize| n % 2 == 1 && n <= 19;
    if !odd(c.height) || !odd(c.width) {
        let size = format!("{}x{}", c.height, c.width);
        return Err(format!("{}: a filter of {size}, expected odd sizes up to 19", c.name));
    }
    if c.dilation.0 == 0 || c.dilation.1 == 0 || c.outputs == 0 {
        return Err(format!("{}: no outputs or no step between filter points", c.name));
    }
    weights(&c.name, &c.weights, c.height * c.width * inputs * c.outputs)?;
    Ok(c.outputs)
}

fn norm(n: &BatchNorm, channels: usize) -> Result<()> {
    same(&n.name, "channels", n.channels(), channels)?;
    for list in [Some(&n.mean), Some(&n.variance), n.scale.as_ref(), n.bias.as_ref()] {
        weights(&n.name, list.map_or(&[], |l| l), list.map_or(0, |_| channels))?;
    }
    if n.variance.iter().any(|v| v + n.epsilon <= 0.0) || n.epsilon <= 0.0 {
        return Err(format!("{}: a variance that is not above 0", n.name));
    }
    Ok(())
}

fn rms_norm(n: &RmsNorm, channels: usize) -> Result<()> {
    weights(&n.name, &n.scale, channels)?;
    match &n.bias {
        Some(bias) => weights(&n.name, bias, channels),
        None => Ok(()),
    }
}

fn mat(m: &Matrix, inputs: usize) -> Result<usize> {
    same(&m.name, "inputs", m.inputs, inputs)?;
    weights(&m.name, &m.weights, inputs * m.outputs)?;
    Ok(m.outputs)
}

fn bias(b: &Bias, outputs: usize) -> Result<()> {
    weights(&b.name, &b.weights, outputs)
}

fn act(a: &ActivationLayer, version: u32) -> Result<()> {
    if version < 11 && a.kind != Activation::Relu {
        return Err(format!("{}: only ReLU before version 11", a.name));
    }
    Ok(())
}

fn attention(b: &Attention, channels: usize) -> Result<()> {
    let odd = b.rotary != RotaryEmbedding::None && b.query % 2 == 1;
    if b.heads == 0 || b.key_heads == 0 || !b.heads.is_multiple_of(b.key_heads) || odd {
        return Err(format!("{}: the heads do not fit", b.name));
    }
    rms_norm(&b.norm, channels)?;
    same(&b.q.name, "outputs", mat(&b.q, channels)?, b.heads * b.query)?;
    same(&b.k.name, "outputs", mat(&b.k, channels)?, b.key_heads * b.query)?;
    same(
        &b.v.name,
        "outputs",
        mat(&b.v, channels)?,
        b.key_heads * b.value_channels,
    )?;
    same(
        &b.out.name,
        "outputs",
        mat(&b.out, b.heads * b.value_channels)?,
        channels,
    )?;
    match &b.rotary {
        RotaryEmbedding::Learned { name, frequencies } => weights(name, frequencies, b.key_heads * b.query),
        RotaryEmbedding::None | RotaryEmbedding::Fixed { .. } => Ok(()),
    }
}

fn feed_forward(b: &FeedForward, channels: usize) -> Result<()> {
    rms_norm(&b.norm, channels)?;
    let inner = mat(&b.up, channels)?;
    if let Some(gate) = &b.gate {
        same(&gate.name, "outputs", mat(gate, channels)?, inner)?;
    }
    same(&b.down.name, "outputs", mat(&b.down, inner)?, channels)
}

fn block(b: &Block, channels: usize, version: u32) -> Result<()> {
    match b {
        Block::Ordinary(b) => {
            norm(&b.norm1, channels)?;
            let inner = conv(&b.conv1, channels)?;
            norm(&b.norm2, inner)?;
            [&b.act1, &b.act2].into_iter().try_for_each(|a| act(a, version))?;
            same(&b.conv2.name, "outputs", conv(&b.conv2, inner)?, channels)
        }
        Block::Pooling(b) => {
            norm(&b.norm1, channels)?;
            let (inner, pooled) = (conv(&b.conv1, channels)?, conv(&b.pool_conv, channels)?);
            norm(&b.pool_norm, pooled)?;
            same(&b.pool_mat.name, "outputs", mat(&b.pool_mat, 3 * pooled)?, inner)?;
            norm(&b.norm2, inner)?;
            [&b.act1, &b.pool_act, &b.act2]
                .into_iter()
                .try_for_each(|a| act(a, version))?;
            same(&b.conv2.name, "outputs", conv(&b.conv2, inner)?, channels)
        }
        Block::Nested(b) => {
            norm(&b.norm1, channels)?;
            let inner = conv(&b.conv1, channels)?;
            b.blocks.iter().try_for_each(|b| block(b, inner, version))?;
            norm(&b.norm2, inner)?;
            [&b.act1, &b.act2].into_iter().try_for_each(|a| act(a, version))?;
            same(&b.conv2.name, "outputs", conv(&b.conv2, inner)?, channels)
        }
        Block::Attention(b) => attention(b, channels),
        Block::FeedForward(b) => feed_forward(b, channels),
    }
}

fn trunk(m: &Model, t: &Trunk) -> Result<()> {
    same(&t.conv.name, "outputs", conv(&t.conv, m.spatial)?, t.channels)?;
    same(&t.mat.name, "outputs", mat(&t.mat, m.globals)?, t.channels)?;
    t.blocks.iter().try_for_each(|b| block(b, t.channels, m.version))?;
    act(&t.act, m.version)?;
    match &t.final_norm {
        TrunkNorm::Batch(n) => norm(n, t.channels),
        TrunkNorm::Rms(n) if m.version < 15 => Err(format!("{}: no such norm before version 15", n.name)),
        TrunkNorm::Rms(n) => rms_norm(n, t.channels),
    }
}

fn policy(m: &Model, p: &PolicyHead) -> Result<()> {
    let (inner, pooled) = (conv(&p.conv1, m.trunk.channels)?, conv(&p.pool_conv, m.trunk.channels)?);
    norm(&p.norm, inner)?;
    norm(&p.pool_norm, pooled)?;
    [&p.act, &p.pool_act].into_iter().try_for_each(|a| act(a, m.version))?;
    same(&p.pool_mat.name, "outputs", mat(&p.pool_mat, 3 * pooled)?, inner)?;
    let logits = conv(&p.conv2, inner)?;
    match m.version {
        17.. if logits != 2 && logits != 4 => {
            return Err(format!("{}: outputs {logits}, expected 2 or 4", p.conv2.name));
        }
        17.. => {}
        16 => same(&p.conv2.name, "outputs", logits, 4)?,
        12.. => same(&p.conv2.name, "outputs", logits, 2)?,
        _ => same(&p.conv2.name, "outputs", logits, 1)?,
    }
    let mut pass = mat(&p.pass_mat, 3 * pooled)?;
    match (&p.pass_tail, m.version) {
        (None, ..15) => {}
        (Some(tail), 15..) => {
            bias(&tail.bias, pass)?;
            pass = mat(&tail.mat, pass)?;
        }
        _ => return Err(format!("{}: layers for the pass that are not of this version", p.name)),
    }
    same(&p.pass_mat.name, "logits", pass, logits)
}

fn value(m: &Model, v: &ValueHead) -> Result<()> {
    let channels = conv(&v.conv, m.trunk.channels)?;
    norm(&v.norm, channels)?;
    [&v.act, &v.act2].into_iter().try_for_each(|a| act(a, m.version))?;
    let inner = mat(&v.mat, 3 * channels)?;
    bias(&v.bias, inner)?;
    same(&v.value_mat.name, "outputs", mat(&v.value_mat, inner)?, 3)?;
    bias(&v.value_bias, 3)?;
    let scores = Model::scores(m.version);
    same(&v.score_mat.name, "outputs", mat(&v.score_mat, inner)?, scores)?;
    bias(&v.score_bias, scores)?;
    same(&v.own_conv.name, "outputs", conv(&v.own_conv, channels)?, 1)
}

impl Model {
    /// Whether all layers fit each other, with what does not.
    pub fn check(&self) -> Result<()> {
        if !Self::VERSIONS.contains(&self.version) {
            return Err(format!("version {} is unknown", self.version));
        }
        trunk(self, &self.trunk)?;
        policy(self, &self.policy)?;
        value(self, &self.value)
    }
}
