//! `nguky tune`: fits the weights of a hand-written evaluation to game results (Peter Österlund's Texel tuning, with
//! exact gradients since every weight is linear).

use crate::games;
use crate::games::of_game;
use anyhow::{Context, Result};
use clap::Args as ClapArgs;
use indicatif::ProgressBar;
use nguky::game::weights::Trace;
use nguky::game::{Position, Side};
use nguky::games::chess::{Chess, hce};
use nguky::games::coup::{Coup, hce as coup, hce_weights as coup_weights};
use nguky::games::shogi::{Shogi, hce as shogi, hce_weights as shogi_weights};
use nguky::games::xiangqi::{Xiangqi, hce as xiangqi, hce_weights as xiangqi_weights};
use rayon::prelude::*;
use std::fmt::Write as _;
use std::path::PathBuf;

#[derive(ClapArgs)]
pub struct Args {
    /// chess, xiangqi, coup or shogi
    #[arg(long, default_value = "chess")]
    game: String,
    /// Files written by datagen
    #[arg(long, required = true, num_args = 1..)]
    data: Vec<PathBuf>,
    /// Where the new table of weights goes, as Rust source
    #[arg(long)]
    out: PathBuf,
    #[arg(long, default_value_t = 600)]
    epochs: u32,
    /// Share of the game's result in the target, 0 to 1; the rest is the search's score
    #[arg(long, default_value_t = 0.7, value_parser = share)]
    blend: f64,
    #[arg(long, default_value_t = 1.0)]
    rate: f64,
    /// How strongly a weight is held to its present value; rare terms learn from few games
    #[arg(long, default_value_t = 1.0)]
    prior: f64,
}

/// A game whose evaluation is a sum of weighted terms.
trait Traced: Position {
    /// The weights now: of the opening and of the ending by turns.
    fn weights() -> Vec<f64>;
    /// How often each weight counts.
    fn terms(&self) -> Terms;
    /// The weights as Rust source.
    fn source(w: &[f64]) -> String;
}

/// What a position's evaluation consists of, seen from the first side.
struct Terms {
    /// Weight and how often it counts; none twice.
    list: Vec<(u16, i16)>,
    /// Share of the opening sum and of the ending sum.
    share: (f32, f32),
    /// What no weight is for.
    rest: f32,
}

impl Traced for Chess {
    fn weights() -> Vec<f64> {
        let pair = |p: &hce::Pair| [f64::from(p.mg()), f64::from(p.eg())];
        hce::WEIGHTS.iter().flat_map(pair).collect()
    }

    fn terms(&self) -> Terms {
        let t = hce::trace(self);
        let middle = t.phase as f32 / hce::FULL_PHASE as f32;
        Terms {
            list: t.terms,
            share: (middle, (1.0 - middle) * t.scale as f32 / 64.0),
            rest: 0.0,
        }
    }

    fn source(w: &[f64]) -> String {
        let head = "//! The weights of the hand-written evaluation, in the order of [`super::index`]; written by `nguky tune` from \
            games the\n//! engine played against itself.\n\nuse super::Pair;\nuse super::index::COUNT;\n\n\
            /// (middlegame, endgame) in hundredths of a pawn.\n#[rustfmt::skip]\n\
            pub static WEIGHTS: [Pair; COUNT] = [\n";
        format!("{head}{}];\n", rows("Pair::new", w))
    }
}

impl Traced for Xiangqi {
    fn weights() -> Vec<f64> {
        flat(&xiangqi_weights::WEIGHTS)
    }

    fn terms(&self) -> Terms {
        let shares = (xiangqi::FULL_PHASE, xiangqi::FULL_SCALE);
        counted(&xiangqi::trace(self), shares, xiangqi_weights::TEMPO, self.side())
    }

    fn source(w: &[f64]) -> String {
        table(w, xiangqi_weights::GROUPS)
    }
}

impl Traced for Coup {
    fn weights() -> Vec<f64> {
        flat(&coup_weights::WEIGHTS)
    }

    fn terms(&self) -> Terms {
        let shares = (coup::FULL_PHASE, 1);
        counted(&coup::trace(self), shares, coup_weights::TEMPO, self.side())
    }

    fn source(w: &[f64]) -> String {
        table(w, coup_weights::GROUPS)
    }
}

impl Traced for Shogi {
    fn weights() -> Vec<f64> {
        flat(&shogi_weights::WEIGHTS)
    }

    fn terms(&self) -> Terms {
        let shares = (shogi::FULL_PHASE, 1);
        counted(&shogi::trace(self), shares, shogi_weights::TEMPO, self.side())
    }

    fn source(w: &[f64]) -> String {
        table(w, shogi_weights::GROUPS)
    }
}

/// Pairs of weights one after the other.
fn flat(pairs: &[(i16, i16)]) -> Vec<f64> {
    pairs.iter().flat_map(|&(a, b)| [f64::from(a), f64::from(b)]).collect()
}

/// The terms that count at all. `full` is all of the phase and all of the scale.
fn counted(t: &Trace, full: (i32, i32), tempo: i32, side: Side) -> Terms {
    let list = t.times.iter().enumerate().filter(|(_, n)| **n != 0);
    let (opening, scale) = (t.phase as f32 / full.0 as f32, t.scale as f32 / full.1 as f32);
    let tempo = tempo as f32;
    Terms {
        list: list.map(|(i, &n)| (i as u16, n)).collect(),
        share: (opening * scale, (1.0 - opening) * scale),
        rest: if side == Side::First { tempo } else { -tempo },
    }
}

/// A table of weights in groups as Rust source.
fn table(w: &[f64], groups: &[(&str, usize)]) -> String {
    let mut text = String::from(
        "//! The weights of the hand-written evaluation, group after group; written by `nguky tune` from games that the engine\n\
         //! played against itself.\n\nuse super::shogi_weights::COUNT;\n\n\
         /// (opening, ending) in hundredths of a pawn.\n#[rustfmt::skip]\n\
         pub static WEIGHTS: [(i16, i16); COUNT] = [\n",
    );
    let mut rest = w;
    for (name, length) in groups {
        let (group, tail) = rest.split_at(2 * length);
        let _ = write!(text, "    // {name}\n{}", rows("", group));
        rest = tail;
    }
    text + "];\n"
}

/// Pairs of weights, eight in a row.
fn rows(word: &str, w: &[f64]) -> String {
    let whole = |x: f64| x.round() as i64;
    let pairs: Vec<String> = w
        .chunks(2)
        .map(|p| format!("{word}({}, {}),", whole(p[0]), whole(p[1])))
        .collect();
    pairs.chunks(8).fold(String::new(), |mut text, row| {
        let _ = writeln!(text, "    {}", row.join(" "));
        text
    })
}

/// One position: its terms, and how the two sums enter the score.
struct Sample {
    terms: Box<[(u16, i16)]>,
    /// Share of the middlegame sum and of the endgame sum.
    share: (f32, f32),
    rest: f32,
    result: f32,
    score: f32,
}

/// Every so many blocks of positions one is kept for validation.
const HELD_OUT: usize = 20;
/// Positions of one game share its result, so whole stretches of games are kept back, not single positions.
const BLOCK: usize = 1000;

pub fn run(args: &Args) -> Result<()> {
    of_game!(fit(args))
}

fn fit<P: Traced>(args: &Args) -> Result<()> {
    let mut samples: Vec<Sample> = Vec::new();
    for path in &args.data {
        games::quiet::<P>(path, &mut |q| {
            samples.extend(q.result.map(|result| sample(q.pos, q.score, result)))
        })?;
    }
    println!("{} positions", samples.len());
    let (held, used): (Vec<_>, Vec<_>) = samples
        .into_iter()
        .enumerate()
        .partition(|(i, _)| (i / BLOCK).is_multiple_of(HELD_OUT));
    let (held, used): (Vec<_>, Vec<_>) = (
        held.into_iter().map(|x| x.1).collect(),
        used.into_iter().map(|x| x.1).collect(),
    );
    let mut w = P::weights();
    let k = steepness(&used, &w);
    let targets = |s: &Sample| target(s, args.blend, k);
    println!(
        "steepness {k:.5}; loss {:.6}, held out {:.6}",
        loss(&used, &w, k, &targets),
        loss(&held, &w, k, &targets)
    );
    descend(args, &used, &mut w, k, &targets);
    println!(
        "loss {:.6}, held out {:.6}",
        loss(&used, &w, k, &targets),
        loss(&held, &w, k, &targets)
    );
    std::fs::write(&args.out, P::source(&w)).with_context(|| format!("cannot write {}", args.out.display()))
}

fn sample<P: Traced>(pos: &P, score: i32, result: f32) -> Sample {
    let t = pos.terms();
    Sample {
        terms: t.list.into_boxed_slice(),
        share: t.share,
        rest: t.rest,
        result,
        score: score as f32,
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Reads a share, 0 to 1.
fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(x) if (0.0..=1.0).contains(&x) => Ok(x),
        _ => Err("expected a share of the game's result, 0 to 1".into()),
    }
}

/// What the evaluation is fitted to: `blend` is the share of the game's result, as in `nguky train`.
fn target(s: &Sample, blend: f64, k: f64) -> f64 {
    blend * f64::from(s.result) + (1.0 - blend) * sigmoid(k * f64::from(s.score))
}

fn value(s: &Sample, w: &[f64]) -> f64 {
    let (mut mg, mut eg) = (0.0, 0.0);
    for &(i, n) in &s.terms {
        mg += w[2 * i as usize] * f64::from(n);
        eg += w[2 * i as usize + 1] * f64::from(n);
    }
    mg * f64::from(s.share.0) + eg * f64::from(s.share.1) + f64::from(s.rest)
}

fn loss(samples: &[Sample], w: &[f64], k: f64, target: &(impl Fn(&Sample) -> f64 + Sync)) -> f64 {
    let sum: f64 = samples
        .par_iter()
        .map(|s| (sigmoid(k * value(s, w)) - target(s)).powi(2))
        .sum();
    sum / samples.len().max(1) as f64
}

/// The steepness with which the present evaluation predicts results best.
fn steepness(samples: &[Sample], w: &[f64]) -> f64 {
    let results = |s: &Sample| f64::from(s.result);
    let candidates = (3..120).map(|i| f64::from(i) * 1e-4);
    let part = &samples[..samples.len().min(200_000)];
    candidates
        .min_by(|&a, &b| loss(part, w, a, &results).total_cmp(&loss(part, w, b, &results)))
        .unwrap_or(0.004)
}

/// Adam (Kingma and Ba, 2015) over the whole set at each step.
fn descend(args: &Args, samples: &[Sample], w: &mut [f64], k: f64, target: &(impl Fn(&Sample) -> f64 + Sync)) {
    let start = w.to_vec();
    let (mut m, mut v) = (vec![0.0; w.len()], vec![0.0; w.len()]);
    let bar = ProgressBar::new(u64::from(args.epochs));
    for epoch in 1..=args.epochs {
        let mut gradient = gradient(samples, w, k, target);
        for (i, g) in gradient.iter_mut().enumerate() {
            *g += args.prior * (w[i] - start[i]);
        }
        // The last third anneals.
        let left = f64::from(args.epochs - epoch) / f64::from(args.epochs);
        let rate = args.rate * (3.0 * left).min(1.0);
        for i in 0..w.len() {
            m[i] = 0.9 * m[i] + 0.1 * gradient[i];
            v[i] = 0.999 * v[i] + 0.001 * gradient[i] * gradient[i];
            let (mh, vh) = (
                m[i] / (1.0 - 0.9f64.powi(epoch as i32)),
                v[i] / (1.0 - 0.999f64.powi(epoch as i32)),
            );
            w[i] -= rate * mh / (vh.sqrt() + 1e-9);
        }
        bar.inc(1);
    }
    bar.finish();
}

fn gradient(samples: &[Sample], w: &[f64], k: f64, target: &(impl Fn(&Sample) -> f64 + Sync)) -> Vec<f64> {
    let chunk = samples.len() / (2 * rayon::current_num_threads()) + 1;
    let parts: Vec<Vec<f64>> = samples
        .par_chunks(chunk)
        .map(|part| {
            let mut g = vec![0.0; w.len()];
            for s in part {
                let p = sigmoid(k * value(s, w));
                let d = (p - target(s)) * p * (1.0 - p);
                let (mg, eg) = (d * f64::from(s.share.0), d * f64::from(s.share.1));
                for &(i, n) in &s.terms {
                    g[2 * i as usize] += mg * f64::from(n);
                    g[2 * i as usize + 1] += eg * f64::from(n);
                }
            }
            g
        })
        .collect();
    let mut sum = vec![0.0; w.len()];
    for part in parts {
        for (s, p) in sum.iter_mut().zip(part) {
            *s += p;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use nguky::game::{Evaluator, Handmade};

    fn line<P: Traced>(line: &str) -> Sample {
        let (pos, score, result) = games::parsed::<P>(line).expect("a good line");
        sample(&pos, score, result)
    }

    fn samples() -> Vec<Sample> {
        [
            "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 | 90 | 1",
            "r3k3/8/8/8/8/8/4P3/4K3 b - - 0 1 | -400 | 0",
        ]
        .iter()
        .map(|l| line::<Chess>(l))
        .collect()
    }

    /// As in `nguky train`: 1 is the game's result alone, 0 the search's score alone.
    #[test]
    fn blend_is_the_share_of_the_result() {
        // Level by score, won by the result.
        let s = line::<Chess>("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 | 0 | 1");
        assert_eq!(target(&s, 1.0, 0.005), 1.0);
        assert_eq!(target(&s, 0.0, 0.005), 0.5);
        assert!((target(&s, 0.2, 0.005) - 0.6).abs() < 1e-12);
        assert_eq!(share("0.25"), Ok(0.25));
        for bad in ["-0.1", "1.1", "nan", "x", ""] {
            assert!(share(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        let samples = samples();
        let mut w = Chess::weights();
        let (k, t) = (0.005, |s: &Sample| f64::from(s.result));
        let g = gradient(&samples, &w, k, &t);
        for i in (0..w.len()).filter(|&i| g[i] != 0.0) {
            let was = w[i];
            w[i] = was + 1e-3;
            let above = loss(&samples, &w, k, &t);
            w[i] = was - 1e-3;
            let below = loss(&samples, &w, k, &t);
            w[i] = was;
            let slope = (above - below) / 2e-3 * samples.len() as f64 / (2.0 * k);
            assert!(
                (slope - g[i]).abs() < 1e-6 + 1e-3 * g[i].abs(),
                "weight {i}: {slope} against {}",
                g[i]
            );
        }
    }

    #[test]
    fn terms_weigh_what_the_evaluation_says() {
        fn check<P: Traced + Handmade>(count: usize) {
            let w = P::weights();
            for setup in P::BENCH {
                let s = line::<P>(&format!("{setup} | 0 | 0.5"));
                let p = P::parse(setup, &Default::default()).expect("a position");
                let mut hand = P::Hand::default();
                hand.reset(&p);
                let score = hand.score(&p) * if p.side() == Side::First { 1 } else { -1 };
                assert!((value(&s, &w) - f64::from(score)).abs() <= 1.5, "{setup}");
            }
            assert_eq!(P::source(&w).matches("),").count(), count);
        }
        check::<Xiangqi>(xiangqi_weights::COUNT);
        check::<Shogi>(shogi_weights::COUNT);
        check::<Coup>(coup_weights::COUNT);
    }
}
