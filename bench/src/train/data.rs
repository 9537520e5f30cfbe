//! The positions in memory, split by games into a training and a validation set.

use super::model::{Goal, Weights};
use super::packed::{DECIDED, Packing, Sample};
use crate::games::{self, Quiet};
use anyhow::{Context, Result, bail};
use nguky::eval::nnue::SCALE;
use nguky::game::Features;
use nguky::util::rng::SplitMix;
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// One game in so many is for validation at first.
const HELD_OUT: u32 = 20;
/// No more positions than these are for validation: the share of the games falls by halves. A twentieth of five million.
const MOST_HELD_OUT: usize = 250_000;
/// Positions of a block: memory grows by such blocks, without copying what is there.
const BLOCK: usize = 1 << 15;
/// Without `--memory`: so much of the memory that the system has left, in percent.
const SHARE_OF_MEMORY: u64 = 80;

/// Positions, packed.
pub struct Data {
    /// Bytes of a position.
    bytes: usize,
    blocks: Vec<Vec<u8>>,
    len: usize,
}

impl Data {
    /// No positions of a game.
    pub fn new<P: Features>() -> Self {
        Self {
            bytes: Packing::<P>::BYTES,
            blocks: Vec::new(),
            len: 0,
        }
    }

    /// Positions held.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Bytes of memory taken.
    pub fn memory(&self) -> u64 {
        (self.blocks.len() * BLOCK * self.bytes) as u64
    }

    fn block(&mut self) -> &mut Vec<u8> {
        if self.len.is_multiple_of(BLOCK) && self.blocks.len() * BLOCK == self.len {
            self.blocks.push(Vec::with_capacity(BLOCK * self.bytes));
        }
        self.len += 1;
        let last = self.blocks.len() - 1;
        &mut self.blocks[last]
    }

    /// Adds a position.
    pub fn add<P: Features>(&mut self, q: &Quiet<P>) {
        Packing::<P>::pack(q, self.block());
    }

    fn add_packed(&mut self, bytes: &[u8]) {
        self.block().extend(bytes);
    }

    fn packed(&self, i: usize) -> &[u8] {
        &self.blocks[i / BLOCK][i % BLOCK * self.bytes..][..self.bytes]
    }

    /// Unpacks a position, mirrored or not ([`Packing::unpack`]).
    pub fn sample<P: Features>(&self, i: usize, mirrored: bool, sample: &mut Sample) {
        Packing::<P>::unpack(self.packed(i), mirrored, sample);
    }

    /// Mixes `share` of what networks say into the score of each position: the mean of two win probabilities by `unit`, that
    /// of the score and that of the networks' mean score (knowledge distillation, Hinton, Vinyals and Dean 2015). Networks
    /// average over many searches, so their scores hold less noise than that of one short search.
    pub fn teach<P: Features>(&mut self, teachers: &[Weights], share: f32, unit: f32) {
        let bytes = self.bytes;
        let widest = teachers.iter().map(|w| w.hidden).max().unwrap_or(0);
        let most = DECIDED as f32;
        self.blocks.par_iter_mut().for_each(|block| {
            let (mut room, mut sample) = (vec![0.0; 2 * widest], Sample::new());
            for packed in block.chunks_exact_mut(bytes) {
                Packing::<P>::unpack(packed, false, &mut sample);
                let mut out = |w: &Weights| w.out(sample.inputs(), sample.bucket, &mut room[..2 * w.hidden]);
                let mean = teachers.iter().map(&mut out).sum::<f32>() * SCALE as f32 / teachers.len() as f32;
                let p = sigmoid(sample.score / unit) * (1.0 - share) + sigmoid(mean / unit) * share;
                let score = (unit * (p / (1.0 - p)).ln()).clamp(-most, most);
                Packing::<P>::set_score(packed, score.round() as i16);
            }
        });
    }

    /// The unit of the logistic win curve that fits these games; where none has a result, that of networks.
    pub fn unit<P: Features>(&self) -> f32 {
        let step = (self.len() / 200_000).max(1);
        let labels: Vec<(f32, f32)> = (0..self.len())
            .step_by(step)
            .map(|i| Packing::<P>::labels(self.packed(i)))
            .filter(|(_, result)| !result.is_nan())
            .collect();
        let error = |unit: f32| -> f64 {
            let one = |(score, result): &(f32, f32)| f64::from(sigmoid(score / unit) - result).powi(2);
            labels.iter().map(one).sum()
        };
        let tried = (10..=80).map(|k| 15.0 * k as f32);
        let best = tried.min_by(|&a, &b| error(a).total_cmp(&error(b)));
        best.filter(|_| !labels.is_empty()).unwrap_or(Goal::UNIT)
    }
}

/// The logistic function.
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// The number at place `i` of a random order of the numbers below `n`, without the memory that a list would take: four
/// rounds of a Feistel network on the next power of four, walked on until the number is below `n` (cycle walking).
pub fn permuted(i: u64, n: u64, key: u64) -> u64 {
    let half = (64 - n.max(2).saturating_sub(1).leading_zeros()).div_ceil(2);
    let mask = (1u64 << half) - 1;
    let mut x = i;
    loop {
        let (mut left, mut right) = (x >> half, x & mask);
        for round in 1..=4u64 {
            let mixed = (right ^ key.rotate_left(round as u32 * 16))
                .wrapping_add(round)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32;
            (left, right) = (right, (left ^ mixed) & mask);
        }
        x = left << half | right;
        if x < n {
            return x;
        }
    }
}

/// Splits positions into training and validation, whole games at a time, whatever their order.
struct Split {
    learnt: Data,
    held_out: Data,
    /// The number of the game of each validation position.
    numbers: Vec<u32>,
    /// Games whose number is below this are for validation.
    share: u32,
    most: usize,
}

impl Split {
    fn new<P: Features>(most: usize) -> Self {
        Self {
            learnt: Data::new::<P>(),
            held_out: Data::new::<P>(),
            numbers: Vec::new(),
            share: u32::MAX / HELD_OUT,
            most,
        }
    }

    fn add<P: Features>(&mut self, q: &Quiet<P>) {
        // Mixed well, so that neither shards nor numbers decide.
        let number = (SplitMix::new(q.game).next() >> 32) as u32;
        if number >= self.share {
            self.learnt.add(q);
            return;
        }
        self.held_out.add(q);
        self.numbers.push(number);
        if self.held_out.len() <= self.most {
            return;
        }
        self.share /= 2;
        let (all, numbers) = (
            std::mem::replace(&mut self.held_out, Data::new::<P>()),
            std::mem::take(&mut self.numbers),
        );
        for (i, number) in numbers.into_iter().enumerate() {
            if number < self.share {
                self.held_out.add_packed(all.packed(i));
                self.numbers.push(number);
            } else {
                self.learnt.add_packed(all.packed(i));
            }
        }
    }
}

/// Bytes that the positions may take: as given in MiB, or by what the system has left, where that is known.
fn room(told: Option<u64>, files: &[PathBuf]) -> Option<u64> {
    let left = || {
        let text = std::fs::read_to_string("/proc/meminfo").ok()?;
        let line = text.lines().find_map(|l| l.strip_prefix("MemAvailable:"))?;
        let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
        Some((kib << 10) / 100 * SHARE_OF_MEMORY)
    };
    // A file is read whole while its positions are added.
    let sizes = files.iter().filter_map(|f| std::fs::metadata(f).ok()).map(|m| m.len());
    let largest = sizes.max().unwrap_or(0);
    told.map(|mib| mib << 20)
        .or_else(|| left().map(|room| room.saturating_sub(largest)))
}

/// What was read of some files: games, and positions left out because their score is decided.
#[derive(Default)]
struct ReadTotals {
    games: u64,
    decided: u64,
}

/// Reads the positions of a file: those not decided go into `add`, which returns the memory that all take by then. A line on
/// the error output names a damaged file and what was skipped in it.
fn read<P: Features>(
    path: &Path,
    lambda: f32,
    room: Option<u64>,
    totals: &mut ReadTotals,
    add: &mut dyn FnMut(&Quiet<P>) -> (u64, usize),
) -> Result<()> {
    const { assert!(P::INPUTS <= 1 << 16) };
    let mut full = None;
    let count = games::quiet::<P>(path, lambda, &mut |q| {
        if q.score.abs() > DECIDED {
            totals.decided += 1;
        } else if full.is_none() {
            let (memory, positions) = add(&q);
            full = room.filter(|&room| memory > room).map(|room| (room, positions));
        }
    })
    .with_context(|| format!("training data {}", path.display()))?;
    if let Some((room, positions)) = full {
        bail!(
            "{}: only {positions} positions fit into {} MiB ({} bytes each); give fewer files, or more memory by --memory",
            path.display(),
            room >> 20,
            Packing::<P>::BYTES
        );
    }
    totals.games += count.games;
    if count.skipped > 0 || count.broken > 0 {
        let name = path.display();
        eprintln!(
            "{name}: {} damaged bytes or lines skipped, {} games with illegal moves cut short",
            count.skipped, count.broken
        );
    }
    Ok(())
}

/// The training and the validation positions; `memory` is the most they may take, in MiB.
pub fn load<P: Features>(paths: &[PathBuf], lambda: f32, memory: Option<u64>) -> Result<[Data; 2]> {
    let (mut sorter, room) = (Split::new::<P>(MOST_HELD_OUT), room(memory, paths));
    let mut totals = ReadTotals::default();
    for path in paths {
        read::<P>(path, lambda, room, &mut totals, &mut |q| {
            sorter.add(q);
            (
                sorter.learnt.memory() + sorter.held_out.memory(),
                sorter.learnt.len() + sorter.held_out.len(),
            )
        })?;
    }
    let data = [sorter.learnt, sorter.held_out];
    if data[0].len() == 0 {
        bail!("no positions of {} in the data", P::NAME);
    }
    eprintln!(
        "{} positions of {} games, {} bytes each; {} held out, {} left out as decided",
        data[0].len() + data[1].len(),
        totals.games,
        Packing::<P>::BYTES,
        data[1].len(),
        totals.decided
    );
    Ok(data)
}

/// All positions of a file, for validation.
pub fn load_all<P: Features>(path: &Path, memory: Option<u64>) -> Result<Data> {
    let mut data = Data::new::<P>();
    let room = room(memory, &[path.to_path_buf()]);
    read::<P>(path, 0.0, room, &mut ReadTotals::default(), &mut |q| {
        data.add(q);
        (data.memory(), data.len())
    })?;
    if data.len() == 0 {
        bail!("no positions of {} in {}", P::NAME, path.display());
    }
    Ok(data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nguky::game::Position;
    use nguky::games::chess::Chess;

    #[test]
    fn a_random_order_has_every_number_once() {
        for n in [1u64, 2, 3, 5, 16, 17, 1000, 4097] {
            let mut seen: Vec<u64> = (0..n).map(|i| permuted(i, n, 7)).collect();
            let other: Vec<u64> = (0..n).map(|i| permuted(i, n, 8)).collect();
            assert!(n < 16 || seen != other);
            if n >= 1000 {
                // Neighbours come apart: no more of them than chance has.
                let near = seen.windows(2).filter(|w| w[0].abs_diff(w[1]) < n / 20).count() as u64;
                assert!(near < n / 6, "{near} of {n}");
            }
            seen.sort_unstable();
            assert!(seen.into_iter().eq(0..n), "{n}");
        }
    }

    /// Whole games are for validation, and a smaller share of them the more there are, in whatever order they come.
    #[test]
    fn the_validation_share_falls_with_the_size() {
        let pos = Chess::parse(Chess::START, &Default::default()).expect("the start");
        let sorted = |games: &mut dyn Iterator<Item = u64>| {
            let mut sorter = Split::new::<Chess>(500);
            for game in games {
                for ply in 0..10 {
                    sorter.add(&Quiet {
                        pos: &pos,
                        score: (game * 10 + ply) as i32,
                        result: None,
                        game,
                    });
                }
            }
            let scores = |data: &Data| -> Vec<i32> {
                let score = |i| Packing::<Chess>::labels(data.packed(i)).0 as i32;
                let mut all: Vec<i32> = (0..data.len()).map(score).collect();
                all.sort_unstable();
                all
            };
            (scores(&sorter.learnt), scores(&sorter.held_out))
        };
        let (learnt, held_out) = sorted(&mut (0..400));
        assert!((100..=320).contains(&held_out.len()), "{}", held_out.len());
        assert_eq!(learnt.len() + held_out.len(), 4000);
        let (learnt, held_out) = sorted(&mut (0..3000));
        assert!((150..=500).contains(&held_out.len()), "{}", held_out.len());
        assert_eq!(learnt.len() + held_out.len(), 30_000);
        assert!(
            held_out
                .chunks(10)
                .all(|game| game[0] % 10 == 0 && game[9] == game[0] + 9)
        );
        assert_eq!((learnt, held_out), sorted(&mut (0..3000).rev()));
    }
}
