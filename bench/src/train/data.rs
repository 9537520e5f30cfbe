//! The positions in memory: inputs of both views, what to aim at, and which games are kept out.

use crate::games::{self, Quiet, first};
use anyhow::{Result, bail};
use nguky::game::{Features, Score, Side};
use std::path::PathBuf;

/// One game in so many is kept out.
const HELD_OUT: u64 = 20;
/// Scores beyond this say that the game is decided, not how the pieces stand.
pub const WILD: Score = 3000;

/// Positions, packed.
#[derive(Default)]
pub struct Data {
    /// The inputs of each position behind one another: the mover's view, then as many of the other's.
    inputs: Vec<u16>,
    /// Where each position's inputs begin; one more at the end.
    starts: Vec<usize>,
    /// The searched score for the mover.
    pub scores: Vec<f32>,
    /// The game's result for the mover; no number where there is none.
    pub results: Vec<f32>,
    /// The output head.
    pub heads: Vec<u8>,
}

impl Data {
    /// Positions held.
    pub fn len(&self) -> usize {
        self.scores.len()
    }

    /// Adds a position.
    pub fn add<P: Features>(&mut self, q: &Quiet<P>) {
        let pieces = pieces(q.pos);
        self.push(q, &pieces, views(q.pos, &pieces));
    }

    /// Adds a position mirrored, where that shows a network something else: where a king stands on the board's axis.
    pub fn add_mirrored<P: Features>(&mut self, q: &Quiet<P>) {
        let pieces = pieces(q.pos);
        let mut views = views(q.pos, &pieces);
        let on_axis = views.map(|v| v.king.is_some_and(P::on_axis));
        (0..2).for_each(|i| views[i].turn ^= u8::from(on_axis[i]));
        if on_axis != [false; 2] {
            self.push(q, &pieces, views);
        }
    }

    fn push<P: Features>(&mut self, q: &Quiet<P>, pieces: &[(u8, u8)], views: [View; 2]) {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        for View { side, turn, .. } in views {
            let input = |&(piece, place): &(u8, u8)| P::input(side, turn, piece, place) as u16;
            self.inputs.extend(pieces.iter().map(input));
        }
        self.starts.push(self.inputs.len());
        let (score, result) = (q.score as f32, q.result.unwrap_or(f32::NAN));
        let first = first(q.pos);
        self.scores.push(if first { score } else { -score });
        self.results.push(if first { result } else { 1.0 - result });
        self.heads.push(q.pos.head() as u8);
    }

    /// The inputs of a position by view, the mover's first.
    pub fn inputs(&self, i: usize) -> [&[u16]; 2] {
        let all = &self.inputs[self.starts[i]..self.starts[i + 1]];
        let (own, other) = all.split_at(all.len() / 2);
        [own, other]
    }

    /// What the mover's odds of winning should be.
    pub fn aim(&self, i: usize, blend: f32, unit: f32) -> f32 {
        let (odds, result) = (sigmoid(self.scores[i] / unit), self.results[i]);
        if result.is_nan() {
            odds
        } else {
            odds + blend * (result - odds)
        }
    }

    /// The score at which the odds of winning were e to 1 in these games.
    pub fn unit(&self) -> f32 {
        let step = (self.len() / 200_000).max(1);
        let error = |unit: f32| -> f64 {
            let one = |i: usize| f64::from(sigmoid(self.scores[i] / unit) - self.results[i]).powi(2);
            (0..self.len()).step_by(step).map(one).filter(|e| !e.is_nan()).sum()
        };
        let tried = (10..=80).map(|k| 15.0 * k as f32);
        tried.min_by(|&a, &b| error(a).total_cmp(&error(b))).unwrap_or(400.0)
    }
}

/// Every piece and its place.
fn pieces<P: Features>(pos: &P) -> Vec<(u8, u8)> {
    let mut pieces = Vec::with_capacity(64);
    pos.each(&mut |piece, place| pieces.push((piece, place)));
    pieces
}

/// How a side sees the board.
#[derive(Clone, Copy)]
struct View {
    side: Side,
    /// Where its own king stands.
    king: Option<u8>,
    turn: u8,
}

/// The mover's view and the other's.
fn views<P: Features>(pos: &P, pieces: &[(u8, u8)]) -> [View; 2] {
    [pos.side(), pos.side().other()].map(|side| {
        let king = pieces.iter().find(|p| p.0 == P::royal(side)).map(|p| p.1);
        let turn = king.map_or(0, |king| P::turn(side, king));
        View { side, king, turn }
    })
}

/// The logistic function.
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// The positions to learn from and those of the games kept out.
pub fn load<P: Features>(paths: &[PathBuf]) -> Result<[Data; 2]> {
    const { assert!(P::INPUTS <= 1 << 16) };
    let mut data = [Data::default(), Data::default()];
    let mut twins = 0;
    for path in paths {
        let mut wild = 0;
        let count = games::quiet::<P>(path, &mut |q| {
            if q.score.abs() > WILD {
                wild += 1;
                return;
            }
            // Mixed well, so that neither shards nor numbers decide.
            let kept_out = (q.game.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) % HELD_OUT == 0;
            let into = &mut data[usize::from(kept_out)];
            into.add(&q);
            // Those kept out measure; a mirrored twin would tell nothing new.
            if !kept_out {
                let before = into.len();
                into.add_mirrored(&q);
                twins += into.len() - before;
            }
        })?;
        eprintln!(
            "{}: {} games; {} damaged bytes or lines skipped, {} games broken, {wild} decided positions left out",
            path.display(),
            count.games,
            count.skipped,
            count.broken
        );
    }
    if data[0].len() == 0 {
        bail!("no positions of {} in the data", P::NAME);
    }
    let of = if twins > 0 {
        format!(", {twins} of them mirrored")
    } else {
        String::new()
    };
    eprintln!("{} positions{of}, {} kept out", data[0].len(), data[1].len());
    Ok(data)
}
