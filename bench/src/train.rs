//! `nguky train`: fits a network to games that `nguky datagen` made.
//!
//! The network of [`nguky::eval::nnue`] in floating point: one row of hidden sums per view, clipped to 0..1 and squared,
//! then an output head by stage of the game. The loss is the squared error of the odds of winning; what is aimed at is a
//! blend of the searched score and the game's result. AdamW (Loshchilov and Hutter 2017), gradients summed per thread.

use anyhow::{Context, Result, bail};
use clap::Args as ClapArgs;
use indicatif::{ProgressBar, ProgressStyle};
use nguky::eval::nnue::{Chunk, LANES, MOST, Net, QA, QB, SCALE};
use nguky::game::{Features, Position, Side};
use nguky::games::{chess::Chess, shogi::Shogi, xiangqi::Xiangqi};
use nguky::util::rng::SplitMix;
use rayon::prelude::*;
use std::path::PathBuf;

/// The command line of `nguky train`.
#[derive(ClapArgs)]
pub struct Args {
    /// The game: chess, xiangqi or shogi
    #[arg(long, default_value = "chess")]
    game: String,
    /// Files of `nguky datagen`
    #[arg(long, required = true, num_args = 1..)]
    data: Vec<PathBuf>,
    /// Where the network goes
    #[arg(long)]
    out: PathBuf,
    /// The network's name, as the engine tells it
    #[arg(long, default_value = "unnamed")]
    name: String,
    /// Hidden sums of a view, a multiple of 32
    #[arg(long, default_value_t = 128, value_parser = clap::value_parser!(u32).range(32..=2048))]
    hidden: u32,
    /// Passes over the data
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    epochs: u32,
    /// Positions between two steps of the weights
    #[arg(long, default_value_t = 16_384, value_parser = clap::value_parser!(u32).range(1..))]
    batch: u32,
    /// Learning rate at the start; it falls to a hundredth along a cosine
    #[arg(long, default_value_t = 0.001)]
    rate: f32,
    /// How much the game's result counts beside the score
    #[arg(long, default_value_t = 0.3)]
    blend: f32,
    /// Threads
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Seed of the first weights and of the shuffling
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Weight decay, and AdamW's constants.
const DECAY: f32 = 0.01;
const BETA: [f32; 2] = [0.9, 0.999];
const TINY: f32 = 1e-8;
/// Weights stay within what the quantised network can hold.
const CLIP: f32 = MOST as f32 / QB as f32;
/// Lines of a file that are kept out or trained on together: neighbours are of one game.
const BLOCK: usize = 512;
/// One block in so many is kept out.
const HELD_OUT: usize = 20;
/// Scores beyond this say that the game is decided, not how the pieces stand.
const WILD: i32 = 3000;

/// The positions, packed: (piece, place) pairs of each behind one another.
#[derive(Default)]
struct Data {
    pairs: Vec<(u8, u8)>,
    /// Where each position's pairs begin; one more at the end.
    starts: Vec<u32>,
    /// What the mover's odds of winning should be.
    aims: Vec<f32>,
    /// The side to move and the head.
    sides: Vec<(u8, u8)>,
}

impl Data {
    fn len(&self) -> usize {
        self.aims.len()
    }

    fn add<P: Features>(&mut self, line: &str, blend: f32) -> Option<()> {
        let mut parts = line.split(" | ");
        let (setup, score, result) = (parts.next()?, parts.next()?, parts.next()?);
        let score: i32 = score.trim().parse().ok()?;
        let result: f32 = result.trim().parse().ok()?;
        let pos = P::parse(setup, &P::Rules::default()).ok()?;
        if score.abs() > WILD || !(0.0..=1.0).contains(&result) {
            return None;
        }
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        pos.each(&mut |piece, place| self.pairs.push((piece, place)));
        self.starts.push(u32::try_from(self.pairs.len()).ok()?);
        let first = (1.0 - blend) * sigmoid(score as f32 / SCALE as f32) + blend * result;
        let mover = pos.side();
        self.aims.push(if mover == Side::First { first } else { 1.0 - first });
        self.sides.push((mover.index() as u8, pos.head() as u8));
        Some(())
    }

    /// The inputs of a position: the mover's view, then the other's.
    fn inputs<P: Features>(&self, i: usize, out: &mut [Vec<u32>; 2]) {
        let pairs = &self.pairs[self.starts[i] as usize..self.starts[i + 1] as usize];
        let mover = self.sides[i].0 as usize;
        for (k, list) in out.iter_mut().enumerate() {
            let view = [Side::First, Side::Second][mover ^ k];
            let king = pairs.iter().find(|p| p.0 == P::royal(view)).map_or(u8::MAX, |p| p.1);
            let turn = if king == u8::MAX { 0 } else { P::turn(view, king) };
            list.clear();
            list.extend(
                pairs
                    .iter()
                    .map(|&(piece, place)| P::input(view, turn, piece, place) as u32),
            );
        }
    }
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// The weights, or their gradients: hidden rows, hidden biases, output rows by head, output biases.
#[derive(Clone)]
struct Weights {
    hidden: usize,
    all: Vec<f32>,
    /// Where the biases, the output rows and their biases begin.
    start: usize,
    output: usize,
    bias: usize,
}

impl Weights {
    fn zero<P: Features>(hidden: usize) -> Self {
        let start = P::INPUTS * hidden;
        let output = start + hidden;
        let bias = output + P::HEADS * 2 * hidden;
        Self {
            hidden,
            all: vec![0.0; bias + P::HEADS],
            start,
            output,
            bias,
        }
    }

    /// Small random weights.
    fn random<P: Features>(hidden: usize, seed: u64) -> Self {
        let (mut w, mut rng) = (Self::zero::<P>(hidden), SplitMix::new(seed));
        let mut uniform = |most: f32| most * (rng.below(1 << 24) as f32 / (1 << 23) as f32 - 1.0);
        let (start, output, bias) = (w.start, w.output, w.bias);
        w.all[..start].iter_mut().for_each(|x| *x = uniform(0.1));
        w.all[start..output].iter_mut().for_each(|x| *x = 0.25 + uniform(0.05));
        let out = 1.0 / (2.0 * hidden as f32).sqrt();
        w.all[output..bias].iter_mut().for_each(|x| *x = uniform(out));
        w
    }

    fn row(&self, input: u32) -> &[f32] {
        &self.all[input as usize * self.hidden..][..self.hidden]
    }

    /// The sums of one view.
    fn sums(&self, inputs: &[u32], out: &mut [f32]) {
        out.copy_from_slice(&self.all[self.start..self.output]);
        for &input in inputs {
            for (o, w) in out.iter_mut().zip(self.row(input)) {
                *o += w;
            }
        }
    }

    fn head(&self, head: usize) -> std::ops::Range<usize> {
        self.output + head * 2 * self.hidden..self.output + (head + 1) * 2 * self.hidden
    }

    /// The output before the sigmoid; `sums` are both views', the mover's first.
    fn out(&self, sums: &[f32], head: usize) -> f32 {
        let weights = &self.all[self.head(head)];
        let term = |(s, w): (&f32, &f32)| {
            let v = s.clamp(0.0, 1.0);
            v * v * w
        };
        // Eight lanes, so that the sum can be vectorised.
        let mut lanes = [0.0f32; 8];
        for (s, w) in sums.chunks_exact(8).zip(weights.chunks_exact(8)) {
            for k in 0..8 {
                lanes[k] += term((&s[k], &w[k]));
            }
        }
        lanes.iter().sum::<f32>() + self.all[self.bias + head]
    }

    /// Adds the gradient of one position's loss and returns the loss.
    fn learn(&self, inputs: &[Vec<u32>; 2], head: usize, aim: f32, sums: &mut [f32], grad: &mut Self) -> f32 {
        let h = self.hidden;
        let (own, other) = sums.split_at_mut(h);
        self.sums(&inputs[0], own);
        self.sums(&inputs[1], other);
        let odds = sigmoid(self.out(sums, head));
        let error = odds - aim;
        let slope = 2.0 * error * odds * (1.0 - odds);
        let weights = self.head(head);
        grad.all[self.bias + head] += slope;
        for (i, s) in sums.iter_mut().enumerate() {
            let v = s.clamp(0.0, 1.0);
            grad.all[weights.start + i] += slope * v * v;
            // The sum's own gradient takes its place.
            *s = if *s > 0.0 && *s < 1.0 {
                2.0 * slope * v * self.all[weights.start + i]
            } else {
                0.0
            };
        }
        for (list, part) in inputs.iter().zip(sums.chunks_exact(h)) {
            for (g, s) in grad.all[self.start..self.output].iter_mut().zip(part) {
                *g += s;
            }
            for &input in list {
                let row = &mut grad.all[input as usize * h..][..h];
                for (g, s) in row.iter_mut().zip(part) {
                    *g += s;
                }
            }
        }
        error * error
    }

    /// The quantised network.
    fn quantised(&self, name: &str) -> Net {
        let chunks = |range: std::ops::Range<usize>, one: i32| -> Vec<Chunk> {
            let whole = |x: f32| (x * one as f32).round() as i16;
            let chunk = |c: &[f32]| Chunk(std::array::from_fn(|i| whole(c[i])));
            self.all[range].chunks_exact(LANES).map(chunk).collect()
        };
        Net {
            name: name.into(),
            width: self.hidden / LANES,
            hidden: chunks(0..self.start, QA),
            start: chunks(self.start..self.output, QA),
            output: chunks(self.output..self.bias, QB),
            bias: self.all[self.bias..]
                .iter()
                .map(|b| (b * (QA * QB) as f32).round() as i32)
                .collect(),
        }
    }
}

/// AdamW's memory.
struct Adam {
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: i32,
}

impl Adam {
    fn step(&mut self, w: &mut Weights, grad: &[f32], rate: f32) {
        self.steps += 1;
        let fix = BETA.map(|b| 1.0 - b.powi(self.steps));
        for (((w, g), m), s) in w.all.iter_mut().zip(grad).zip(&mut self.mean).zip(&mut self.square) {
            *m = BETA[0] * *m + (1.0 - BETA[0]) * g;
            *s = BETA[1] * *s + (1.0 - BETA[1]) * g * g;
            let step = (*m / fix[0]) / ((*s / fix[1]).sqrt() + TINY);
            *w = (*w * (1.0 - rate * DECAY) - rate * step).clamp(-CLIP, CLIP);
        }
    }
}

/// Runs the training.
pub fn run(args: &Args) -> Result<()> {
    match args.game.as_str() {
        Chess::NAME => train::<Chess>(args),
        Xiangqi::NAME => train::<Xiangqi>(args),
        Shogi::NAME => train::<Shogi>(args),
        other => bail!("no networks for {other:?}; expected chess, xiangqi or shogi"),
    }
}

/// The data to train on and the data kept out.
fn load<P: Features>(args: &Args) -> Result<[Data; 2]> {
    let (mut data, mut bad) = ([Data::default(), Data::default()], 0);
    for path in &args.data {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        for (i, line) in text.lines().enumerate().filter(|(_, l)| !l.starts_with('#')) {
            let part = &mut data[usize::from(i / BLOCK % HELD_OUT == HELD_OUT - 1)];
            bad += usize::from(part.add::<P>(line, args.blend).is_none());
        }
    }
    eprintln!(
        "{} positions, {} kept out, {bad} left aside",
        data[0].len(),
        data[1].len()
    );
    if data[0].len() == 0 {
        bail!("no positions of {} in the data", P::NAME);
    }
    Ok(data)
}

/// The gradient of a batch and its summed loss.
fn batch<P: Features>(w: &Weights, data: &Data, list: &[u32], grads: &mut [Weights]) -> f64 {
    let share = list.len().div_ceil(grads.len()).max(1);
    grads
        .par_iter_mut()
        .zip(list.par_chunks(share))
        .map(|(grad, list)| {
            let (mut inputs, mut sums) = ([Vec::new(), Vec::new()], vec![0.0; 2 * w.hidden]);
            grad.all.fill(0.0);
            list.iter()
                .map(|&i| {
                    let i = i as usize;
                    data.inputs::<P>(i, &mut inputs);
                    let head = usize::from(data.sides[i].1);
                    f64::from(w.learn(&inputs, head, data.aims[i], &mut sums, grad))
                })
                .sum::<f64>()
        })
        .sum()
}

/// The mean loss over data that is not learnt from.
fn loss<P: Features>(w: &Weights, data: &Data) -> f64 {
    let one = |i: usize| {
        let (mut inputs, mut sums) = ([Vec::new(), Vec::new()], vec![0.0; 2 * w.hidden]);
        data.inputs::<P>(i, &mut inputs);
        let (own, other) = sums.split_at_mut(w.hidden);
        w.sums(&inputs[0], own);
        w.sums(&inputs[1], other);
        f64::from(sigmoid(w.out(&sums, data.sides[i].1.into())) - data.aims[i]).powi(2)
    };
    (0..data.len()).into_par_iter().map(one).sum::<f64>() / data.len().max(1) as f64
}

fn train<P: Features>(args: &Args) -> Result<()> {
    let hidden = args.hidden as usize;
    if !hidden.is_multiple_of(LANES) {
        bail!("--hidden: expected a multiple of {LANES}, not {hidden}");
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads).build()?;
    let [data, held_out] = load::<P>(args)?;
    let mut w = Weights::random::<P>(hidden, args.seed);
    let zero = Weights::zero::<P>(hidden);
    let mut grads = vec![zero.clone(); args.threads.max(1)];
    let mut adam = Adam {
        mean: zero.all.clone(),
        square: zero.all.clone(),
        steps: 0,
    };
    let mut order: Vec<u32> = (0..data.len() as u32).collect();
    let size = args.batch as usize;
    let steps = (data.len().div_ceil(size) * args.epochs as usize) as f32;
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} positions  {per_sec}  {msg}  {eta} left")?;
    let bar = ProgressBar::new(data.len() as u64 * u64::from(args.epochs)).with_style(style);
    for epoch in 0..args.epochs {
        let mut rng = SplitMix::new(args.seed ^ u64::from(epoch + 1) << 32);
        for i in (1..order.len()).rev() {
            order.swap(i, rng.below(i as u64 + 1) as usize);
        }
        let mut sum = 0.0;
        for list in order.chunks(size) {
            sum += pool.install(|| batch::<P>(&w, &data, list, &mut grads));
            // Fewer shares than threads leave some gradients untouched.
            let used = list.len().div_ceil(list.len().div_ceil(grads.len()).max(1));
            let (total, rest) = grads.split_at_mut(1);
            let total = &mut total[0].all;
            for other in &rest[..used - 1] {
                for (a, b) in total.iter_mut().zip(&other.all) {
                    *a += b;
                }
            }
            let mean = 1.0 / list.len() as f32;
            total.iter_mut().for_each(|g| *g *= mean);
            let part = adam.steps as f32 / steps;
            let rate = args.rate * (0.01 + 0.99 * 0.5 * (1.0 + (std::f32::consts::PI * part).cos()));
            adam.step(&mut w, total, rate);
            bar.inc(list.len() as u64);
        }
        let (train, test) = (sum / data.len() as f64, pool.install(|| loss::<P>(&w, &held_out)));
        bar.set_message(format!("loss {train:.6}, kept out {test:.6}"));
        if bar.is_hidden() {
            eprintln!(
                "epoch {} of {}: loss {train:.6}, kept out {test:.6}",
                epoch + 1,
                args.epochs
            );
        }
        let net = w.quantised(&args.name);
        std::fs::write(&args.out, net.write::<P>()).with_context(|| format!("cannot write {}", args.out.display()))?;
    }
    bar.finish();
    println!("network in {}", args.out.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Data {
        let mut data = Data::default();
        for line in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 | 20 | 0.5",
            "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/3P1N2/PPP2PPP/RNBQK2R b KQkq - 0 5 | -35 | 1",
            "8/5k2/8/8/3K4/8/4P3/8 w - - 0 1 | 150 | 1",
        ] {
            data.add::<Chess>(line, 0.3).expect("a good line");
        }
        assert!(data.add::<Chess>("nonsense", 0.3).is_none());
        data
    }

    /// The gradient equals the slope between two losses close by.
    #[test]
    fn gradients_are_slopes() {
        let (data, hidden) = (sample(), 32);
        let w = Weights::random::<Chess>(hidden, 3);
        let mut grads = vec![Weights::zero::<Chess>(hidden)];
        let list: Vec<u32> = (0..data.len() as u32).collect();
        batch::<Chess>(&w, &data, &list, &mut grads);
        let total = |w: &Weights| loss::<Chess>(w, &data) * data.len() as f64;
        let mut lists = [Vec::new(), Vec::new()];
        data.inputs::<Chess>(0, &mut lists);
        let rows: Vec<usize> = lists.concat().iter().map(|&i| i as usize * hidden + 5).collect();
        let mut seen = 0;
        for i in rows
            .into_iter()
            .chain(w.start..w.start + 8)
            .chain(w.output..w.all.len())
        {
            let near = |d: f32| {
                let mut w = w.clone();
                w.all[i] += d;
                total(&w)
            };
            let slope = (near(1e-2) - near(-1e-2)) / 2e-2;
            let given = f64::from(grads[0].all[i]);
            assert!(
                (slope - given).abs() < 2e-5 + 0.02 * slope.abs(),
                "weight {i}: {given}, not {slope}"
            );
            seen += usize::from(given.abs() > 1e-5);
        }
        assert!(seen > 50, "only {seen} weights have a gradient");
    }

    /// What the engine computes is what was trained, up to rounding.
    #[test]
    fn quantising_keeps_the_score() {
        use nguky::eval::nnue::Learned;
        use nguky::game::Evaluator;
        let (data, w) = (sample(), Weights::random::<Chess>(64, 9));
        let mut learned = Learned::<Chess>::new(std::sync::Arc::new(w.quantised("test")));
        for (i, setup) in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/3P1N2/PPP2PPP/RNBQK2R b KQkq - 0 5",
            "8/5k2/8/8/3K4/8/4P3/8 w - - 0 1",
        ]
        .iter()
        .enumerate()
        {
            let pos = Chess::parse(setup, &Default::default()).expect("a position");
            learned.reset(&pos);
            let (mut inputs, mut sums) = ([Vec::new(), Vec::new()], vec![0.0; 128]);
            data.inputs::<Chess>(i, &mut inputs);
            let (own, other) = sums.split_at_mut(64);
            w.sums(&inputs[0], own);
            w.sums(&inputs[1], other);
            let exact = w.out(&sums, data.sides[i].1.into()) * SCALE as f32;
            let score = learned.score(&pos) as f32;
            assert!((exact - score).abs() < 15.0, "{setup}: {score}, not {exact}");
        }
    }
}
