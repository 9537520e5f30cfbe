//! `nguky train --game go`: fits a convolutional network to games that `nguky datagen --game go` made.
//!
//! AdamW on the cross entropy of policy, value and ownership and on the errors of the score; all positions shuffled, each
//! shown in a random one of its eight views; batches mix boards of all sizes. The file is KataGo's.

mod data;
mod export;
mod gemm;
mod import;
mod layers;
mod loss;
mod net;
mod shape;
mod stem;
mod winograd;

use super::model::Adam;
use super::state::Checkpoint;
use super::{TrainArgs, curve};
use anyhow::{Context, Result, bail};
use data::{GoData, load};
use indicatif::{ProgressBar, ProgressStyle};
use loss::Losses;
use net::{BoardBatch, GoLearner, TrainedNet};
use nguky::util::rng::SplitMix;
use rayon::prelude::*;
use shape::Shape;
use std::path::Path;
use std::time::Instant;

/// A longer gradient is cut to this.
const LONGEST: f32 = 1.0;
/// How much of a convolution's or matrix's weight is lost by a step of rate 1.
const DECAY: f32 = 0.01;
/// Steps over which the rate rises at the start.
const WARM_UP: f32 = 200.0;

/// What `--shape b4c32` means.
fn shape(text: &str) -> Result<Shape> {
    let numbers = text.strip_prefix('b').and_then(|t| t.split_once('c'));
    let parsed = numbers.and_then(|(b, c)| Some((b.parse::<usize>().ok()?, c.parse::<usize>().ok()?)));
    match parsed {
        Some((b @ 1..=40, c @ 16..=256)) if c % 8 == 0 => Ok(Shape::new(b, c)),
        _ => bail!("--shape {text}: expected 1 to 40 blocks of 16 to 256 channels, a multiple of 8, such as b4c32"),
    }
}

/// The losses and the gradient of some groups, shared out among threads.
fn batch(net: &TrainedNet, data: &GoData, groups: &[Vec<u32>], seed: u64, learners: &mut [GoLearner]) -> Losses {
    let share = groups.len().div_ceil(learners.len()).max(1);
    let parts: Vec<Losses> = learners
        .par_iter_mut()
        .enumerate()
        .map(|(k, learner)| {
            learner.clear();
            let mut sum = Losses::default();
            for (i, list) in groups.iter().enumerate().skip(k * share).take(share) {
                let group: BoardBatch = data.group(list, &mut SplitMix::new(seed ^ (i as u64) << 40));
                sum.join(&learner.learn(net, &group));
            }
            sum
        })
        .collect();
    if let Some((total, rest)) = learners.split_first_mut() {
        rest.iter().for_each(|other| total.join(other));
    }
    let mut sum = Losses::default();
    parts.iter().for_each(|p| sum.join(p));
    sum
}

/// The losses over data that is not learnt from.
fn losses(net: &TrainedNet, data: &GoData) -> Losses {
    let evaluate = |learner: &mut GoLearner, list: &Vec<u32>| {
        learner.evaluate(net, &data.group(list, &mut SplitMix::new(u64::from(list[0]))))
    };
    let parts: Vec<Losses> = data
        .groups(1, MOST_KEPT_OUT)
        .par_iter()
        .map_init(|| GoLearner::new(&net.shape), evaluate)
        .collect();
    let mut sum = Losses::default();
    parts.iter().for_each(|p| sum.join(p));
    sum
}

/// The share of the result unless told.
const BLEND: f32 = 0.3;
/// Positions over which the validation loss is taken.
const MOST_KEPT_OUT: usize = 20_000;

/// Runs the training.
pub fn run(args: &TrainArgs) -> Result<()> {
    let shape = shape_of_run(args)?;
    let blend = match args.blend {
        None => BLEND,
        Some(blend) if blend.from == blend.to => blend.from,
        Some(_) => bail!("--blend: expected one share in go, not two"),
    };
    // KataGo's format ends a name at the first blank.
    if args.name.is_empty() || args.name.contains(char::is_whitespace) {
        bail!("--name: expected a name without blanks, not {:?}", args.name);
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads.into())
        .build()?;
    let [data, held_out] = pool.install(|| load(&args.data, blend))?;
    let weights = shape.random(args.seed);
    let adam = Adam::new(weights.len());
    let mut state = Checkpoint {
        weights,
        adam,
        losses: Vec::new(),
    };
    if let Some(path) = args.start.first() {
        state.weights = first_weights(path, &shape, args.seed)?;
    }
    let a_pass = args.pass.unwrap_or(usize::MAX).clamp(1, data.samples.len());
    let settings = format!(
        "go {} {} {} {} {} {} {a_pass} {} {}",
        args.shape,
        args.epochs,
        args.batch,
        args.rate,
        blend,
        args.seed,
        data.samples.len(),
        !args.start.is_empty(),
    );
    let run = args.out.with_extension("run");
    if state.resume(&run, &settings)? {
        eprintln!("going on after pass {}", state.losses.len());
    }
    let mut net = TrainedNet::new(shape.clone(), std::mem::take(&mut state.weights));
    eprintln!("{}: {} weights", args.shape, shape.len);
    let decays = decays(&shape);
    let mut learners: Vec<GoLearner> = (0..args.threads).map(|_| GoLearner::new(&shape)).collect();
    let steps = (a_pass as f32 / args.batch as f32).ceil() * args.epochs as f32;
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} positions  {per_sec}  {msg}  {eta} left")?;
    let bar = ProgressBar::new(a_pass as u64 * u64::from(args.epochs)).with_style(style);
    bar.set_position(a_pass as u64 * state.losses.len() as u64);
    bar.reset_eta();
    let last = args.stop_after.unwrap_or(u32::MAX).min(args.epochs) as usize;
    for epoch in state.losses.len()..last {
        let (start, seed) = (Instant::now(), args.seed ^ ((epoch as u64 + 1) << 32));
        let mut groups = &data.groups(seed, a_pass)[..];
        let mut sum = Losses::default();
        while !groups.is_empty() {
            let mut size = 0;
            let full = groups.iter().position(|g| {
                size += g.len();
                size >= args.batch as usize
            });
            let (list, rest) = groups.split_at(full.map_or(groups.len(), |i| i + 1));
            groups = rest;
            let step_seed = SplitMix::new(seed ^ u64::from(state.adam.steps)).next();
            let found = pool.install(|| batch(&net, &data, list, step_seed, &mut learners));
            sum.join(&found);
            let grad = learners[0].finish(&shape);
            let part = (state.adam.steps as f32 / steps).min(1.0);
            let cosine = 0.01 + 0.99 * 0.5 * (1.0 + (std::f32::consts::PI * part).cos());
            let warm = ((state.adam.steps + 1) as f32 / WARM_UP).min(1.0);
            scale(grad, found.count as f32);
            state
                .adam
                .descend(&mut net.all, grad, args.rate * cosine * warm, |i| decays[i]);
            net.prepare();
            bar.inc(found.count as u64);
        }
        let speed = sum.count / start.elapsed().as_secs_f64();
        let kept_out = pool.install(|| losses(&net, &held_out));
        state.losses.push([sum.total(), kept_out.total()]);
        let [policy, value, own, score, agreed] = kept_out.means();
        let line = format!(
            "loss {:.4}, validation {:.4} (policy {policy:.4}, value {value:.4}, ownership {own:.4}, score {score:.4}, best move {:.1} %)",
            sum.total(),
            kept_out.total(),
            100.0 * agreed
        );
        if bar.is_hidden() {
            eprintln!("pass {} of {}: {line}, {speed:.0} positions/s", epoch + 1, args.epochs);
        }
        bar.set_message(line);
        export::write(&net, &args.name, args.half, &args.out)?;
        curve::draw(&args.out.with_extension("svg"), &args.name, "loss", &state.losses)?;
        state.weights = std::mem::take(&mut net.all);
        let saved = state.save(&run, &settings);
        net.all = std::mem::take(&mut state.weights);
        saved.context("no checkpoint")?;
    }
    bar.finish();
    export::write(&net, &args.name, args.half, &args.out)?;
    println!("network in {}", args.out.display());
    Ok(())
}

/// What `--shape` means, with the other sizes of the network that the run begins from.
fn shape_of_run(args: &TrainArgs) -> Result<Shape> {
    let shape = shape(&args.shape)?;
    match args.start.first() {
        Some(path) if !is_checkpoint(path) => import::shape(path, shape),
        _ => Ok(shape),
    }
}

fn is_checkpoint(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "run")
}

/// The weights of `--start`: of a checkpoint, or of a network file.
fn first_weights(path: &Path, shape: &Shape, seed: u64) -> Result<Vec<f32>> {
    if is_checkpoint(path) {
        Checkpoint::<Vec<f32>>::weights(path, shape.len)
    } else {
        import::weights(path, shape, seed)
    }
}

/// Makes a sum a mean, and cuts what is too long.
fn scale(grad: &mut [f32], count: f32) {
    let length = grad.iter().map(|g| f64::from(*g).powi(2)).sum::<f64>().sqrt() as f32 / count;
    let by = (LONGEST / length.max(LONGEST)) / count;
    grad.iter_mut().for_each(|g| *g *= by);
}

/// By weight, how fast it is lost: matrices and convolutions, not norms and biases.
fn decays(shape: &Shape) -> Vec<f32> {
    let mut all = vec![DECAY; shape.len];
    for norm in shape.norms() {
        all[norm.at..norm.at + 2 * norm.channels].fill(0.0);
    }
    all[shape.hidden_bias.clone()].fill(0.0);
    all[shape.value_bias.clone()].fill(0.0);
    all
}

#[cfg(test)]
mod tests;
