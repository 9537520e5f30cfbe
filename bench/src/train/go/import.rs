//! A network file's weights as the first ones of a run, also of one with more blocks.

use super::export;
use super::net::TrainedNet;
use super::shape::Shape;
use anyhow::{Context, Result, bail};
use nguky::eval::conv::model::{BatchNorm, Block, Model, TrunkNorm};
use std::path::Path;

/// The numbers of a block, tensor by tensor.
fn block(block: &Block) -> Option<Vec<Vec<f32>>> {
    let norm = |n: &BatchNorm| n.folded();
    Some(match block {
        Block::Ordinary(b) => {
            let ((scale1, bias1), (scale2, bias2)) = (norm(&b.norm1), norm(&b.norm2));
            let (conv1, conv2) = (b.conv1.weights.clone(), b.conv2.weights.clone());
            vec![scale1, bias1, conv1, scale2, bias2, conv2]
        }
        Block::Pooling(b) => {
            let ((scale1, bias1), (scale2, bias2)) = (norm(&b.norm1), norm(&b.norm2));
            let (conv1, conv2) = (b.conv1.weights.clone(), b.conv2.weights.clone());
            let (conv, (scale, bias)) = (b.pool_conv.weights.clone(), norm(&b.pool_norm));
            let mat = b.pool_mat.weights.clone();
            vec![scale1, bias1, conv1, conv, scale, bias, mat, scale2, bias2, conv2]
        }
        _ => return None,
    })
}

/// The numbers of all but the blocks, tensor by tensor.
fn frame(m: &Model) -> Option<Vec<Vec<f32>>> {
    let TrunkNorm::Batch(last) = &m.trunk.final_norm else {
        return None;
    };
    let (p, v) = (&m.policy, &m.value);
    let norms = [last, &p.pool_norm, &p.norm, &v.norm].map(BatchNorm::folded);
    let convs = [&m.trunk.conv, &p.conv1, &p.pool_conv, &p.conv2, &v.conv, &v.own_conv];
    let mats = [
        &m.trunk.mat,
        &p.pool_mat,
        &p.pass_mat,
        &v.mat,
        &v.value_mat,
        &v.score_mat,
    ];
    let biases = [&v.bias, &v.value_bias, &v.score_bias];
    let norms = norms.into_iter().flat_map(|(scale, bias)| [scale, bias]);
    let convs = convs.into_iter().map(|c| c.weights.clone());
    let mats = mats.into_iter().map(|m| m.weights.clone());
    let biases = biases.into_iter().map(|b| b.weights.clone());
    Some(norms.chain(convs).chain(mats).chain(biases).collect())
}

/// Puts numbers where `places` (indices as the bits of numbers) says; false when there are more or fewer of a tensor.
fn put(places: &[Vec<f32>], from: &[Vec<f32>], to: &mut [f32]) -> bool {
    let fit = |(a, b): (&Vec<f32>, &Vec<f32>)| a.len() == b.len();
    if places.len() != from.len() || !places.iter().zip(from).all(fit) {
        return false;
    }
    for (place, x) in places.iter().flatten().zip(from.iter().flatten()) {
        to[place.to_bits() as usize] = *x;
    }
    true
}

/// The weights for a run of this shape from a network of as many channels and at most as many blocks. Blocks are matched in
/// order by whether they pool; one without a counterpart keeps its random first convolution and adds nothing yet (after
/// Chen, Goodfellow and Shlens, "Net2Net", 2016).
pub fn weights(path: &Path, shape: &Shape, seed: u64) -> Result<Vec<f32>> {
    let name = path.display();
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
    let model = Model::read(&bytes).map_err(|e| anyhow::anyhow!("{name}: {e}"))?;
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
            "--start {name}: expected a network that `nguky train --game go` made, of {} channels and at most {} blocks",
            shape.channels,
            shape.blocks.len()
        );
    }
    Ok(all)
}
