//! The checkpoint of a training run, written whole after each epoch and renamed into place.
//!
//! `NGUKYRUN`, the settings' text and the epochs done, then the steps, the losses and the numbers of the weights and of
//! AdamW, and a hash of all that.

use super::model::{Adam, Weights};
use crate::whole_file;
use anyhow::{Context, Result, bail};
use std::path::Path;

const MAGIC: &[u8; 8] = b"NGUKYRUN";

/// What a run is continued from.
pub struct Checkpoint<W = Weights> {
    /// The weights.
    pub weights: W,
    /// The optimiser.
    pub adam: Adam,
    /// The mean loss of each epoch, on the games learnt from and on those held out.
    pub losses: Vec<[f64; 2]>,
}

impl<W: AsRef<[f32]> + AsMut<[f32]>> Checkpoint<W> {
    /// Writes the checkpoint.
    pub fn save(&self, path: &Path, settings: &str) -> Result<()> {
        let mut out = MAGIC.to_vec();
        out.extend((settings.len() as u32).to_le_bytes());
        out.extend(settings.as_bytes());
        out.extend(self.adam.steps.to_le_bytes());
        out.extend((self.losses.len() as u32).to_le_bytes());
        out.extend(self.losses.iter().flatten().flat_map(|x| x.to_le_bytes()));
        for part in [self.weights.as_ref(), &self.adam.mean, &self.adam.square] {
            out.extend(part.iter().flat_map(|x| x.to_le_bytes()));
        }
        out.extend(crate::games::hash(&out).to_le_bytes());
        whole_file::replace(path, &out)
    }

    /// Takes a checkpoint's place, if there is one of these settings.
    pub fn resume(&mut self, path: &Path, settings: &str) -> Result<bool> {
        let Ok(bytes) = std::fs::read(path) else {
            return Ok(false);
        };
        let name = path.display();
        let Parts {
            body,
            told,
            steps,
            passes,
            at,
        } = parts(&bytes, path)?;
        if told != settings.as_bytes() {
            bail!(
                "{name} is of other settings ({}); give the same ones, or remove it to train anew",
                String::from_utf8_lossy(told)
            );
        }
        let n = self.weights.as_ref().len();
        if body.len() != at + passes * 16 + 3 * 4 * n {
            bail!("{name} has the wrong size; remove it to train anew");
        }
        let (losses, rest) = body[at..].split_at(passes * 16);
        let double = |b: &[u8]| f64::from_le_bytes(std::array::from_fn(|i| b[i]));
        self.losses = losses.chunks_exact(16).map(|b| [double(b), double(&b[8..])]).collect();
        let numbers = numbers(rest);
        let parts = [self.weights.as_mut(), &mut self.adam.mean, &mut self.adam.square];
        for (part, from) in parts.into_iter().zip(numbers.chunks_exact(n)) {
            part.copy_from_slice(from);
        }
        self.adam.steps = steps;
        Ok(true)
    }

    /// The weights of a checkpoint, whatever its settings.
    pub fn weights(path: &Path, n: usize) -> Result<Vec<f32>> {
        let name = path.display();
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
        let Parts { body, passes, at, .. } = parts(&bytes, path)?;
        if body.len() != at + passes * 16 + 3 * 4 * n {
            bail!("{name} is of another shape; expected {n} weights");
        }
        Ok(numbers(&body[at + passes * 16..][..4 * n]))
    }
}

fn numbers(bytes: &[u8]) -> Vec<f32> {
    bytes
        .chunks_exact(4)
        .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect()
}

/// What a sound checkpoint is made of.
struct Parts<'a> {
    /// All but the hash.
    body: &'a [u8],
    /// The settings.
    told: &'a [u8],
    steps: u32,
    passes: usize,
    /// Where the losses begin.
    at: usize,
}

fn parts<'a>(bytes: &'a [u8], path: &Path) -> Result<Parts<'a>> {
    let name = path.display();
    let Some((body, sum)) = bytes.split_last_chunk::<4>() else {
        bail!("{name} is no checkpoint");
    };
    if !body.starts_with(MAGIC) || crate::games::hash(body).to_le_bytes() != *sum {
        bail!("{name} is damaged or no checkpoint; remove it to train anew");
    }
    let word = |at: usize| {
        body.get(at..at + 4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    };
    let told = || -> Option<(&[u8], u32, usize, usize)> {
        let len = word(8)? as usize;
        Some((
            body.get(12..12 + len)?,
            word(12 + len)?,
            word(16 + len)? as usize,
            20 + len,
        ))
    };
    let Some((told, steps, passes, at)) = told() else {
        bail!("{name} is damaged; remove it to train anew");
    };
    Ok(Parts {
        body,
        told,
        steps,
        passes,
        at,
    })
}
