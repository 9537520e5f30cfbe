//! Positions of go to learn from, packed: planes as bits, labels as they were written.

use super::loss::GoTarget;
use super::net::BoardBatch;
use super::shape::{GLOBALS, PLANES};
use super::winograd::Tiling;
use crate::games::Scan;
use crate::go::datagen::owned;
use crate::go::record::{GoRecord, Label};
use anyhow::{Context, Result, bail};
use nguky::games::go::types::BLACK;
use nguky::mcts::network::planes::{InputEncoder, SPATIAL};
use nguky::util::rng::SplitMix;
use rayon::prelude::*;
use std::path::PathBuf;

/// One game in so many is for validation.
const KEPT_OUT: u64 = 20;

/// One position, from the view of the side to move. Points go by rows, the top row first, and the pass comes last.
#[derive(Clone, Debug)]
pub struct GoSample {
    size: u8,
    /// Bits by plane and point.
    planes: Box<[u8]>,
    globals: [f32; GLOBALS],
    policy: Box<[(u16, u16)]>,
    win: f32,
    lead: f32,
    mean: f32,
    deviation: Option<f32>,
    /// In 127ths.
    own: Box<[i8]>,
}

/// All positions of one size.
pub struct GoData {
    /// The positions.
    pub samples: Vec<GoSample>,
}

/// The positions of some files: for training and for validation.
pub fn load(paths: &[PathBuf], blend: f32) -> Result<[GoData; 2]> {
    let mut parts = [Vec::new(), Vec::new()];
    for path in paths {
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let mut scan = Scan::new(&bytes);
        let records: Vec<GoRecord> = scan.by_ref().collect();
        if records.is_empty() && !bytes.is_empty() {
            bail!("{} holds no games of go", path.display());
        }
        let played: Vec<(bool, Vec<GoSample>)> = records
            .par_iter()
            .map(|r| {
                let mut samples = Vec::new();
                (take(r, blend, &mut samples), samples)
            })
            .collect();
        let broken = played.iter().filter(|p| !p.0).count();
        if scan.skipped > 0 || broken > 0 {
            let name = path.display();
            eprintln!(
                "{name}: {} damaged bytes skipped, {broken} games with illegal moves cut short",
                scan.skipped
            );
        }
        for (r, (_, samples)) in records.iter().zip(played) {
            let id = r.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ r.number ^ u64::from(r.net) << 32;
            let out = SplitMix::new(id).next().is_multiple_of(KEPT_OUT);
            parts[usize::from(out)].extend(samples);
        }
    }
    let [learn, held] = parts;
    eprintln!("{} positions for training, {} for validation", learn.len(), held.len());
    if learn.is_empty() {
        bail!("no positions to learn from");
    }
    Ok([GoData { samples: learn }, GoData { samples: held }])
}

/// The labelled positions of a game; false when a move is not legal.
fn take(record: &GoRecord, blend: f32, out: &mut Vec<GoSample>) -> bool {
    let mut encoder = InputEncoder::default();
    let area = record.size * record.size;
    let (mut spatial, mut globals) = (vec![0.0; SPATIAL * area], [0.0; GLOBALS]);
    record.replay(&mut |state, label| {
        let view = state.view(false);
        encoder.encode(&view, &mut spatial, &mut globals);
        out.push(sample(record, state.turn == BLACK, label, blend, &spatial, globals));
    })
}

fn sample(
    record: &GoRecord,
    black: bool,
    label: &Label,
    blend: f32,
    spatial: &[f32],
    globals: [f32; GLOBALS],
) -> GoSample {
    let (size, area) = (record.size, record.size * record.size);
    // Labels go by the bottom row first and black's view.
    let turned = |i: usize| {
        if i < area {
            (size - 1 - i / size) * size + i % size
        } else {
            i
        }
    };
    let sign = if black { 1.0 } else { -1.0 };
    let mut bits = vec![0u8; spatial.len().div_ceil(8)];
    for (i, _) in spatial.iter().enumerate().filter(|(_, x)| **x != 0.0) {
        bits[i / 8] |= 1 << (i % 8);
    }
    let (mut win, mut mean) = (label.win, label.lead);
    let mut own = label.own.clone();
    if let Some((lead, end)) = &record.end {
        let result = if *lead == 0.0 {
            0.5
        } else {
            f32::from(u8::from(*lead > 0.0))
        };
        win += blend * (result - win);
        mean = *lead;
        if own.is_empty() {
            own = owned(end);
        }
    }
    let mut points = vec![0; own.len()];
    for (i, o) in own.iter().enumerate() {
        points[turned(i)] = (sign * o * 127.0) as i8;
    }
    GoSample {
        size: size as u8,
        planes: bits.into(),
        globals,
        policy: label
            .policy
            .iter()
            .map(|&(at, w)| (turned(at.into()) as u16, w))
            .collect(),
        win: 0.5 + sign * (win - 0.5),
        lead: sign * label.lead,
        mean: sign * mean,
        deviation: (label.deviation > 0.0).then_some(label.deviation),
        own: points.into(),
    }
}

/// Where each point comes from in the symmetry of a number from 0 to 7.
fn symmetry(size: usize, which: u64) -> Vec<usize> {
    let far = size - 1;
    let from = |i: usize| {
        let (mut y, mut x) = (i / size, i % size);
        if which & 4 != 0 {
            (y, x) = (x, y);
        }
        if which & 1 != 0 {
            x = far - x;
        }
        if which & 2 != 0 {
            y = far - y;
        }
        y * size + x
    };
    (0..size * size).map(from).collect()
}

impl GoData {
    /// Lists of positions of one size each, all in random order, but `most` positions at most.
    pub fn groups(&self, seed: u64, most: usize) -> Vec<Vec<u32>> {
        let order = crate::train::shuffled(self.samples.len(), seed);
        let mut open: Vec<Vec<u32>> = vec![Vec::new(); 256];
        let mut full = Vec::new();
        for i in order.into_iter().take(most) {
            let size = usize::from(self.samples[i as usize].size);
            open[size].push(i);
            // As many boards at a time as make some fifty tiles.
            if open[size].len() >= (50 / size.div_ceil(5).pow(2)).max(1) {
                full.push(std::mem::take(&mut open[size]));
            }
        }
        full.extend(open.into_iter().filter(|g| !g.is_empty()));
        let order = crate::train::shuffled(full.len(), seed ^ 0x5eed);
        order
            .into_iter()
            .map(|i| std::mem::take(&mut full[i as usize]))
            .collect()
    }

    /// Positions unpacked, each in one of its eight views.
    pub fn group(&self, list: &[u32], rng: &mut SplitMix) -> BoardBatch {
        let size = list.first().map_or(0, |&i| usize::from(self.samples[i as usize].size));
        let plan = Tiling {
            size,
            boards: list.len(),
        };
        let area = plan.area();
        let mut group = BoardBatch {
            plan,
            planes: vec![0.0; plan.points() * PLANES],
            globals: Vec::with_capacity(list.len() * GLOBALS),
            targets: Vec::with_capacity(list.len()),
        };
        for (&i, planes) in list.iter().zip(group.planes.chunks_exact_mut(area.max(1) * PLANES)) {
            let s = &self.samples[i as usize];
            let from = symmetry(size, rng.below(8));
            let mut to = vec![0; area];
            for (i, &f) in from.iter().enumerate() {
                to[f] = i;
            }
            for (k, &byte) in s.planes.iter().enumerate() {
                let mut byte = byte;
                while byte != 0 {
                    let bit = 8 * k + byte.trailing_zeros() as usize;
                    planes[to[bit % area] * PLANES + bit / area] = 1.0;
                    byte &= byte - 1;
                }
            }
            group.globals.extend(s.globals);
            group.targets.push(s.target(&from, &to));
        }
        group
    }
}

impl GoSample {
    fn target(&self, from: &[usize], to: &[usize]) -> GoTarget {
        let area = from.len();
        let mut policy = Vec::new();
        let sum: f32 = self.policy.iter().map(|p| f32::from(p.1)).sum();
        if sum > 0.0 {
            policy.resize(area + 1, 0.0);
            for &(at, w) in &self.policy {
                let at = usize::from(at);
                policy[to.get(at).copied().unwrap_or(area)] = f32::from(w) / sum;
            }
        }
        let own = if self.own.is_empty() {
            Vec::new()
        } else {
            from.iter().map(|&f| f32::from(self.own[f]) / 127.0).collect()
        };
        GoTarget {
            policy,
            value: [self.win, 1.0 - self.win, 0.0],
            lead: self.lead,
            mean: self.mean,
            deviation: self.deviation,
            own,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetries_are_eight() {
        let mut all: Vec<Vec<usize>> = (0..8).map(|s| symmetry(3, s)).collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 8);
        for s in &mut all {
            assert_eq!(s[4], 4, "the centre stays");
            s.sort_unstable();
            assert!(s.iter().copied().eq(0..9));
        }
    }
}
