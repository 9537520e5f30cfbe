//! `nguky train`: fits a network to games that `nguky datagen` made.
//!
//! The network of [`nguky::eval::nnue`] in floating point: one row of hidden sums per view, clipped to 0..1 and squared,
//! then an output head by stage of the game. The loss is the squared error of the odds of winning; what is aimed at is a
//! blend of the searched score and the game's result. AdamW, all positions shuffled before each pass, gradients summed
//! per thread, a checkpoint after each pass.

mod curve;
mod data;
mod go;
mod model;
mod squares;
mod state;

use crate::arena;
use crate::games::of_game;
use anyhow::{Context, Result, bail};
use clap::Args as ClapArgs;
use data::{Data, load, sigmoid};
use indicatif::{ProgressBar, ProgressStyle};
use model::{Adam, Goal, Weights, whole_score};
use nguky::eval::nnue::{LANES, Net, SCALE};
use nguky::game::Features;
use nguky::util::rng::SplitMix;
use rayon::prelude::*;
use squares::Squares;
use state::State;
use std::path::PathBuf;
use std::time::Instant;

/// The command line of `nguky train`.
#[derive(ClapArgs)]
pub struct Args {
    /// The game: chess, xiangqi, coup, shogi or go
    #[arg(long, default_value = "chess")]
    game: String,
    /// Files of `nguky datagen`
    #[arg(long, required = true, num_args = 1..)]
    data: Vec<PathBuf>,
    /// Where the network goes; beside it the checkpoint (.run) and the losses (.svg)
    #[arg(long)]
    out: PathBuf,
    /// The network's name, as the engine tells it
    #[arg(long, default_value = "unnamed")]
    name: String,
    /// Hidden sums of a view, a multiple of 32
    #[arg(long, default_value_t = 128, value_parser = clap::value_parser!(u32).range(32..=1024))]
    hidden: u32,
    /// Go: blocks and channels
    #[arg(long, default_value = "b4c32")]
    shape: String,
    /// A checkpoint (.run) of the same shape whose weights are the first
    #[arg(long)]
    start: Option<PathBuf>,
    /// Go: write half floats, as for the network that is built in; a finished run only writes its network anew
    #[arg(long)]
    half: bool,
    /// Go: positions of a pass, drawn anew for each; all of them unless given
    #[arg(long)]
    pass: Option<usize>,
    /// Passes over the data
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    epochs: u32,
    /// Positions between two steps of the weights
    #[arg(long, default_value_t = 16_384, value_parser = clap::value_parser!(u32).range(1..))]
    batch: u32,
    /// Learning rate at the start; it falls to a hundredth along a cosine
    #[arg(long, default_value_t = 0.001)]
    rate: f32,
    /// What a weight loses at each step, by the rate
    #[arg(long, default_value_t = 0.01)]
    decay: f32,
    /// How much the game's result counts beside the score
    #[arg(long, default_value_t = 0.3)]
    blend: f32,
    /// The score at which the odds of winning are e to 1; as the games have it unless given
    #[arg(long)]
    unit: Option<f32>,
    /// Fit piece-square tables instead, an opponent for first networks; --hidden, --epochs, --batch, --rate and --decay
    /// do not count
    #[arg(long)]
    squares: bool,
    /// Begin with piece-square tables among the sums, not with random weights alone
    #[arg(long, conflicts_with = "start")]
    tables: bool,
    /// Stop after so many passes; the same command goes on later
    #[arg(long)]
    stop_after: Option<u32>,
    /// Threads
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Seed of the first weights and of the shuffling
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs the training.
pub fn run(args: &Args) -> Result<()> {
    if args.game == arena::GO {
        return go::run(args);
    }
    of_game!(train(args) | arena::GO)
}

/// The gradient of a batch and its summed loss.
fn batch(w: &Weights, data: &Data, list: &[u32], goal: Goal, grads: &mut [Weights]) -> f64 {
    let share = list.len().div_ceil(grads.len()).max(1);
    let used = list.len().div_ceil(share);
    let sum = grads
        .par_iter_mut()
        .zip(list.par_chunks(share))
        .map(|(grad, list)| {
            let mut room = vec![0.0; 2 * w.hidden];
            grad.all.fill(0.0);
            list.iter()
                .map(|&i| f64::from(w.learn(data, i as usize, goal, &mut room, grad)))
                .sum::<f64>()
        })
        .sum();
    // Fewer shares than threads leave some gradients untouched.
    if let Some((total, rest)) = grads.split_first_mut() {
        for other in rest.iter().take(used.saturating_sub(1)) {
            for (a, b) in total.all.iter_mut().zip(&other.all) {
                *a += b;
            }
        }
    }
    sum
}

/// The mean loss over data that is not learnt from.
fn loss(w: &Weights, data: &Data, goal: Goal) -> f64 {
    let one = |room: &mut Vec<f32>, i: usize| f64::from(w.loss(data, i, goal, room));
    let sum: f64 = (0..data.len())
        .into_par_iter()
        .map_init(|| vec![0.0; 2 * w.hidden], one)
        .sum();
    sum / data.len().max(1) as f64
}

fn train<P: Features>(args: &Args) -> Result<()> {
    let hidden = args.hidden as usize;
    if !hidden.is_multiple_of(LANES) {
        bail!("--hidden: expected a multiple of {LANES}, not {hidden}");
    }
    if args
        .out
        .extension()
        .is_some_and(|e| ["run", "svg", "new"].iter().any(|x| e == *x))
    {
        bail!(
            "--out: {} is the name of a file beside the network; expected NAME.nnue",
            args.out.display()
        );
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads.into())
        .build()?;
    let [data, held_out] = load::<P>(&args.data)?;
    let goal = Goal {
        blend: args.blend,
        unit: args.unit.unwrap_or_else(|| data.unit()),
    };
    eprintln!("a score of {} is worth odds of e to 1", goal.unit);
    if args.squares {
        let squares = Squares::fit::<P>(&data, goal, args.seed);
        let losses = [&data, &held_out].map(|d| squares.loss(d, goal));
        println!("piece-square tables: loss {:.6}, kept out {:.6}", losses[0], losses[1]);
        write(args, &squares.network(&args.name).write::<P>())?;
        println!("network in {}", args.out.display());
        return Ok(());
    }
    let mut grads = vec![Weights::zero::<P>(hidden); args.threads.into()];
    let mut weights = Weights::random::<P>(hidden, args.seed);
    if let Some(start) = &args.start {
        weights.all = State::<Weights>::weights(start, weights.all.len())?;
        eprintln!(
            "{} alone: kept out {:.6}",
            start.display(),
            loss(&weights, &held_out, goal)
        );
    } else if args.tables {
        Squares::fit::<P>(&data, goal, args.seed).plant(&mut weights);
        eprintln!("the tables alone: kept out {:.6}", loss(&weights, &held_out, goal));
    }
    let adam = Adam::new(weights.all.len());
    let mut state = State {
        weights,
        adam,
        losses: Vec::new(),
    };
    let settings = format!(
        "{} {hidden} {} {} {} {} {} {} {} {} {}",
        P::NAME,
        args.epochs,
        args.batch,
        args.rate,
        args.decay,
        args.blend,
        goal.unit,
        args.seed,
        data.len(),
        match &args.start {
            Some(start) => format!("{}", start.display()),
            None => if args.tables { "tables" } else { "random" }.into(),
        }
    );
    let run = args.out.with_extension("run");
    if state.resume(&run, &settings)? {
        eprintln!("going on after pass {}", state.losses.len());
    }
    let rounded = |state: &State| state.weights.quantised::<P>(&args.name, P::MOST);
    let size = args.batch as usize;
    let steps = (data.len().div_ceil(size) * args.epochs as usize) as f32;
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} positions  {per_sec}  {msg}  {eta} left")?;
    let bar = ProgressBar::new(data.len() as u64 * u64::from(args.epochs)).with_style(style);
    bar.set_position(data.len() as u64 * state.losses.len() as u64);
    bar.reset_eta();
    let last = args.stop_after.unwrap_or(u32::MAX).min(args.epochs) as usize;
    for epoch in state.losses.len()..last {
        let start = Instant::now();
        let order = shuffled(data.len(), args.seed ^ ((epoch as u64 + 1) << 32));
        let mut sum = 0.0;
        for list in order.chunks(size) {
            sum += pool.install(|| batch(&state.weights, &data, list, goal, &mut grads));
            let mean = 1.0 / list.len() as f32;
            let total = &mut grads[0].all;
            total.iter_mut().for_each(|g| *g *= mean);
            grads[0].sum_parts();
            let part = state.adam.steps as f32 / steps;
            let rate = args.rate * (0.01 + 0.99 * 0.5 * (1.0 + (std::f32::consts::PI * part).cos()));
            state.adam.step(&mut state.weights, &grads[0].all, rate, args.decay);
            bar.inc(list.len() as u64);
        }
        let speed = data.len() as f64 / start.elapsed().as_secs_f64();
        let (learnt, kept_out) = (
            sum / data.len() as f64,
            pool.install(|| loss(&state.weights, &held_out, goal)),
        );
        state.losses.push([learnt, kept_out]);
        let line = format!("loss {learnt:.6}, kept out {kept_out:.6}");
        if bar.is_hidden() {
            eprintln!("pass {} of {}: {line}, {speed:.0} positions/s", epoch + 1, args.epochs);
        }
        bar.set_message(line);
        write(args, &rounded(&state)?.write::<P>())?;
        curve::draw(
            &args.out.with_extension("svg"),
            &args.name,
            "mean squared error",
            &state.losses,
        )?;
        state.save(&run, &settings)?;
    }
    bar.finish();
    // A finished run only rounds its weights anew, perhaps more finely than when they were learnt.
    let net = rounded(&state)?;
    write(args, &net.write::<P>())?;
    let kept = if held_out.len() > 0 { &held_out } else { &data };
    let [mean, worst] = rounding(&state.weights, &net, kept);
    println!(
        "correlation with the odds aimed at, in games kept out: {:.3}",
        correlation(&state.weights, kept, goal)
    );
    println!(
        "whole numbers against floating point: {mean:.2} apart on average, {worst:.1} at worst, in hundredths of a pawn"
    );
    println!("network in {}", args.out.display());
    Ok(())
}

/// Writes the network, whole and then under its name.
fn write(args: &Args, net: &[u8]) -> Result<()> {
    let new = args.out.with_extension("new");
    std::fs::write(&new, net)
        .and_then(|()| std::fs::rename(&new, &args.out))
        .with_context(|| format!("cannot write {}", args.out.display()))
}

/// How well the odds that the network gives go with those aimed at.
fn correlation(w: &Weights, data: &Data, goal: Goal) -> f64 {
    let (mut room, mut sums) = (vec![0.0; 2 * w.hidden], [0.0f64; 5]);
    let n = data.len().min(100_000);
    for i in 0..n {
        let out = w.out(data.inputs(i), data.heads[i].into(), &mut room);
        let (x, y) = (
            f64::from(sigmoid(out * goal.factor())),
            f64::from(data.aim(i, goal.blend, goal.unit)),
        );
        for (sum, add) in sums.iter_mut().zip([x, y, x * x, y * y, x * y]) {
            *sum += add / n as f64;
        }
    }
    let [x, y, xx, yy, xy] = sums;
    (xy - x * y) / ((xx - x * x) * (yy - y * y)).sqrt().max(f64::MIN_POSITIVE)
}

/// How far the whole numbers are from the floating point: mean and greatest distance over some positions.
fn rounding(w: &Weights, net: &Net, data: &Data) -> [f32; 2] {
    let n = data.len().min(10_000);
    let mut room = vec![0.0; 2 * w.hidden];
    let mut apart = |i: usize| {
        let (inputs, head) = (data.inputs(i), data.heads[i].into());
        (w.out(inputs, head, &mut room) * SCALE as f32 - whole_score(net, inputs, head) as f32).abs()
    };
    let (mut sum, mut worst) = (0.0, 0.0f32);
    for i in 0..n {
        let d = apart(i);
        (sum, worst) = (sum + d, worst.max(d));
    }
    [sum / n.max(1) as f32, worst]
}

/// The numbers below `n` in random order.
fn shuffled(n: usize, seed: u64) -> Vec<u32> {
    let (mut order, mut rng): (Vec<u32>, _) = ((0..n as u32).collect(), SplitMix::new(seed));
    for i in (1..n).rev() {
        order.swap(i, rng.below(i as u64 + 1) as usize);
    }
    order
}

#[cfg(test)]
mod tests;
