//! A network file's weights as the first ones of a run, also of one with more blocks or channels.

use super::export;
use super::gemm::LANE;
use super::net::TrainedNet;
use super::shape::{Shape, Widths};
use anyhow::{Context, Result, bail};
use nguky::eval::conv::model::{BatchNorm, Bias, Block, Conv, Matrix, Model, TrunkNorm};
use std::path::Path;

/// Numbers by tap, input and output.
struct Tensor {
    numbers: Vec<f32>,
    inputs: usize,
    outputs: usize,
    /// Parts that the inputs fall into, one after the other: mean, scaled mean and maximum of what is pooled.
    parts: usize,
}

impl Tensor {
    fn conv(c: &Conv) -> Self {
        Self {
            numbers: c.weights.clone(),
            inputs: c.inputs,
            outputs: c.outputs,
            parts: 1,
        }
    }

    fn matrix(m: &Matrix, parts: usize) -> Self {
        Self {
            numbers: m.weights.clone(),
            inputs: m.inputs,
            outputs: m.outputs,
            parts,
        }
    }

    /// Numbers by output alone.
    fn list(numbers: Vec<f32>) -> Self {
        Self {
            outputs: numbers.len(),
            numbers,
            inputs: 1,
            parts: 1,
        }
    }

    fn norm(n: &BatchNorm) -> [Self; 2] {
        let (scale, bias) = n.folded();
        [scale, bias].map(Self::list)
    }

    fn bias(b: &Bias) -> Self {
        Self::list(b.weights.clone())
    }

    /// Copies the numbers of a tensor that is no wider to where these say (indices as the bits of numbers). Outputs that it
    /// lacks stay as they are; inputs that it lacks add nothing to the others. False where it does not fit.
    fn fill(&self, from: &Self, to: &mut [f32]) -> bool {
        let taps = |t: &Self| t.numbers.len() / (t.inputs * t.outputs).max(1);
        let (width, known) = (self.inputs / self.parts, from.inputs / from.parts);
        if taps(self) != taps(from) || self.parts != from.parts || width < known || self.outputs < from.outputs {
            return false;
        }
        for (row, places) in self.numbers.chunks_exact(self.outputs).enumerate() {
            let (tap, input) = (row / self.inputs, row % self.inputs);
            let (part, input) = (input / width, input % width);
            let row = (tap * from.parts + part) * known + input;
            for (o, place) in places.iter().take(from.outputs).enumerate() {
                to[place.to_bits() as usize] = if input < known {
                    from.numbers[row * from.outputs + o]
                } else {
                    0.0
                };
            }
        }
        true
    }
}

/// The tensors of a block.
fn block(block: &Block) -> Option<Vec<Tensor>> {
    let mut all = Vec::new();
    match block {
        Block::Ordinary(b) => {
            all.extend([&b.norm1, &b.norm2].into_iter().flat_map(Tensor::norm));
            all.extend([&b.conv1, &b.conv2].map(Tensor::conv));
        }
        Block::Pooling(b) => {
            all.extend([&b.norm1, &b.pool_norm, &b.norm2].into_iter().flat_map(Tensor::norm));
            all.extend([&b.conv1, &b.pool_conv, &b.conv2].map(Tensor::conv));
            all.push(Tensor::matrix(&b.pool_mat, 3));
        }
        _ => return None,
    }
    Some(all)
}

/// Those of all but the blocks.
fn frame(m: &Model) -> Option<Vec<Tensor>> {
    let TrunkNorm::Batch(last) = &m.trunk.final_norm else {
        return None;
    };
    let (p, v) = (&m.policy, &m.value);
    let norms = [last, &p.pool_norm, &p.norm, &v.norm]
        .into_iter()
        .flat_map(Tensor::norm);
    let convs = [&m.trunk.conv, &p.conv1, &p.pool_conv, &p.conv2, &v.conv, &v.own_conv].map(Tensor::conv);
    let pooled = [&p.pool_mat, &p.pass_mat, &v.mat].map(|m| Tensor::matrix(m, 3));
    let mats = [&m.trunk.mat, &v.value_mat, &v.score_mat].map(|m| Tensor::matrix(m, 1));
    let biases = [&v.bias, &v.value_bias, &v.score_bias].map(Tensor::bias);
    Some(norms.chain(convs).chain(pooled).chain(mats).chain(biases).collect())
}

/// [`Tensor::fill`] one by one; false when there are more or fewer of them.
fn put(places: &[Tensor], from: &[Tensor], to: &mut [f32]) -> bool {
    places.len() == from.len() && places.iter().zip(from).all(|(p, f)| p.fill(f, to))
}

/// A network file.
fn read(path: &Path) -> Result<Model> {
    let name = path.display();
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
    Model::read(&bytes).map_err(|e| anyhow::anyhow!("{name}: {e}"))
}

/// The shape of a run that begins from a network: its own blocks and channels and, where the network has as many channels, the
/// network's other sizes.
pub fn shape(path: &Path, shape: Shape) -> Result<Shape> {
    let model = read(path)?;
    let pools = model.trunk.blocks.iter().find_map(|b| match b {
        Block::Pooling(b) => Some(b.pool_conv.outputs),
        _ => None,
    });
    if model.trunk.channels != shape.channels {
        return Ok(shape);
    }
    let known = Widths {
        stem: model.trunk.conv.width,
        pooled: pools.unwrap_or(shape.widths.pooled),
        head: model.value.conv.outputs,
        hidden: model.value.mat.outputs,
    };
    // Products of matrices are made eight columns at a time.
    let even = [known.pooled, known.head, known.hidden].iter().all(|n| n % LANE == 0);
    let fits = even && known.pooled < shape.channels && [3, 5].contains(&known.stem);
    let (blocks, channels) = (shape.blocks.len(), shape.channels);
    Ok(if fits {
        Shape::with(blocks, channels, known)
    } else {
        shape
    })
}

/// The weights for a run of this shape from a network of at most as many channels and blocks, which it computes at first.
/// Blocks are matched in order by whether they pool; one without a counterpart keeps its random first convolution and adds
/// nothing yet, as new channels do (after Chen, Goodfellow and Shlens, "Net2Net", 2016).
pub fn weights(path: &Path, shape: &Shape, seed: u64) -> Result<Vec<f32>> {
    let model = read(path)?;
    let mut all = shape.random(seed);
    // A network whose weights are their own indices, written as networks are, says where each tensor comes from.
    let indices = (0..shape.len as u32).map(f32::from_bits).collect();
    let places = export::model(&TrainedNet::new(shape.clone(), indices), "");
    let mut blocks = model.trunk.blocks.iter().peekable();
    let mut fits = model.version == export::VERSION;
    for (place, layout) in places.trunk.blocks.iter().zip(&shape.blocks) {
        match blocks.next_if(|b| std::mem::discriminant(*b) == std::mem::discriminant(place)) {
            Some(from) => {
                fits &= block(place)
                    .zip(block(from))
                    .is_some_and(|(p, f)| put(&p, &f, &mut all))
            }
            None => all[layout.conv2.range()].fill(0.0),
        }
    }
    fits &= blocks.next().is_none();
    fits &= frame(&places)
        .zip(frame(&model))
        .is_some_and(|(p, f)| put(&p, &f, &mut all));
    if !fits {
        bail!(
            "--start {}: expected a network that `nguky train --game go` made, of at most {} channels and {} blocks, or one like \
             those of KataGo's run g170 with as many channels",
            path.display(),
            shape.channels,
            shape.blocks.len()
        );
    }
    Ok(all)
}
