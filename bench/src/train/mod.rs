//! `nguky train`: fits a network to games that `nguky datagen` made.
//!
//! The network of [`nguky::eval::nnue`] in floating point: a feature transformer with one accumulator per view, SCReLU
//! (clipped to 0..1 and squared), then an output bucket by stage of the game. The loss is the squared error of the win
//! probability; the target is a blend of the searched score's and the game's result. AdamW, all positions shuffled before
//! each epoch, mirrored at random, a checkpoint after each epoch. `packed` and `data` hold the positions, `learner` has
//! the inner loops, `model` the weights and their rounding, `measure` what the end of a run tells.

mod curve;
mod data;
mod go;
mod learner;
mod measure;
mod model;
mod packed;
mod psqt;
mod state;

use crate::games::{every_game, of_game};
use crate::whole_file;
use anyhow::{Context, Result, bail};
use clap::Args as ClapArgs;
use clap::builder::TypedValueParser;
use data::{Data, load, load_all, permuted};
use indicatif::{ProgressBar, ProgressStyle};
use learner::{Batch, Learner, Pull};
use model::{Adam, Goal, Weights};
use nguky::eval::nnue::{LANES, Net};
use nguky::game::Features;
use nguky::register::{self, GO};
use nguky::util::rng::SplitMix;
use psqt::Psqt;
use rayon::prelude::*;
use state::Checkpoint;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Instant;

/// The command line of `nguky train`.
#[derive(ClapArgs)]
pub struct TrainArgs {
    #[arg(long, default_value = "chess", help = every_game())]
    game: String,
    /// Files of `nguky datagen`
    #[arg(long, required = true, num_args = 1..)]
    data: Vec<PathBuf>,
    /// Where the network goes; beside it the checkpoint (.run) and the losses (.svg)
    #[arg(long)]
    out: PathBuf,
    /// The network's name, as the engine shows it
    #[arg(long, default_value = "unnamed")]
    name: String,
    /// Width of the accumulator: values of one perspective, a multiple of 32
    #[arg(long, default_value_t = 128, value_parser = clap::value_parser!(u32).range(32..=1024))]
    hidden: u32,
    /// Go: blocks and channels
    #[arg(long, default_value = "b4c32")]
    shape: String,
    /// A network (.nnue, in go .bin.gz) or a checkpoint (.run) of the same shape whose weights are the first; a network may
    /// be narrower, or have fewer blocks in go: what it lacks is random and does not count yet. Of several (not in go) the
    /// mean weights are the first: with --stop-after 0 they are the network
    #[arg(long, num_args = 1..)]
    start: Vec<PathBuf>,
    /// Networks (.nnue) of any width whose mean score takes the place of a share of each position's own score, which
    /// --teacher-share says: knowledge distillation; not in go
    #[arg(long, num_args = 1..)]
    teacher: Vec<PathBuf>,
    /// How much of a score, as a win probability, is that of the --teacher networks, 0 to 1
    #[arg(long, default_value_t = 0.5, requires = "teacher", value_parser = share())]
    teacher_share: f32,
    /// A file of games that is never learnt from: the loss against its searched scores, with a unit of its own, can be
    /// compared between runs
    #[arg(long)]
    validate: Option<PathBuf>,
    /// MiB of memory that the positions may take; four fifths of what the system has left unless given
    #[arg(long)]
    memory: Option<u64>,
    /// Go: write half floats, as for the network that is built in; a finished run only writes its network anew
    #[arg(long)]
    half: bool,
    /// Go: positions of an epoch, drawn anew for each; all of them unless given
    #[arg(long = "epoch-size", alias = "pass")]
    pass: Option<usize>,
    /// Times that the data are gone through
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    epochs: u32,
    /// Positions between two steps of the weights
    #[arg(long, default_value_t = 4096, value_parser = clap::value_parser!(u32).range(1..))]
    batch: u32,
    /// Learning rate at the start; it falls to a hundredth along a cosine
    #[arg(long, default_value_t = 0.001, value_parser = positive())]
    rate: f32,
    /// How many times faster the output layer learns, whose weights are larger than the others; not in go
    #[arg(long, default_value_t = 1.0, value_parser = positive())]
    output_rate: f32,
    /// Steps over which the rate rises from nothing at first; at most a twentieth of all
    #[arg(long, default_value_t = 400)]
    warmup: u32,
    /// What a weight loses at each step, by the rate
    #[arg(long, default_value_t = 0.01, value_parser = factor())]
    decay: f32,
    /// How many times that the weights of a king bucket lose of their distance from what all buckets have in common, in shogi
    /// alone: from random weights 15, say, keeps them from learning games by heart
    #[arg(long, default_value_t = 1.0, value_parser = factor())]
    bucket_decay: f32,
    /// What a weight loses of its distance from that of --start at each step, by the rate: keeps what the network knows of
    /// games that are not among these; not in go
    #[arg(long, default_value_t = 0.0, requires = "start", value_parser = factor())]
    anchor: f32,
    /// Errors of the win probability beyond this count by their size, not by its square (Huber's loss): a tenth or two against
    /// the gross errors of short searches; 1 bounds none. Not in go
    #[arg(long, default_value_t = 1.0, value_parser = number("a number above 0, at most 1", |x| x > 0.0 && x <= 1.0))]
    huber: f32,
    /// The share of the game's result in the target, beside the score's; A:B goes from A to B over the run. 0.2:0.5
    /// unless given, in go 0.3
    #[arg(long)]
    blend: Option<Blend>,
    /// How much each later score of a game counts beside the one before it in a position's target, 0 to below 1: TD(lambda);
    /// not in go
    #[arg(long, default_value_t = 0.0, value_parser = number("a number from 0 to below 1", |x| (0.0..1.0).contains(&x)))]
    lambda: f32,
    /// The unit of the logistic curve from scores to win probabilities; fitted to the games unless given
    #[arg(long, value_parser = positive())]
    unit: Option<f32>,
    /// Fit piece-square tables (PSQT) instead, an opponent for first networks; --hidden, --epochs, --batch, --rate and --decay
    /// do not count
    #[arg(long = "psqt", alias = "squares")]
    squares: bool,
    /// Begin with piece-square tables in the accumulator, not with random weights alone
    #[arg(long, conflicts_with = "start")]
    tables: bool,
    /// Stop after so many epochs; the same command goes on later
    #[arg(long)]
    stop_after: Option<u32>,
    /// Threads
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Seed of the first weights and of the shuffling
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A parser of numbers that are `sound`; of others it says what was expected.
fn number(expected: &'static str, sound: fn(f32) -> bool) -> impl TypedValueParser<Value = f32> {
    move |text: &str| {
        let number = text.parse().ok().filter(|&x| sound(x));
        number.ok_or_else(|| format!("expected {expected}"))
    }
}

/// A parser of shares.
fn share() -> impl TypedValueParser<Value = f32> {
    number("a number from 0 to 1", |x| (0.0..=1.0).contains(&x))
}

/// A parser of factors of the weights' decay.
fn factor() -> impl TypedValueParser<Value = f32> {
    number("a number from 0 to 1000", |x| (0.0..=1000.0).contains(&x))
}

/// A parser of learning rates and units of scores.
fn positive() -> impl TypedValueParser<Value = f32> {
    number("a number above 0, at most 1000000", |x| x > 0.0 && x <= 1e6)
}

/// Runs the training.
pub fn run(args: &TrainArgs) -> Result<()> {
    let game = register::find(&args.game)?.name;
    check_options(args, game)?;
    if game == GO.name {
        return go::run(args);
    }
    of_game!(&args.game, train(args))
}

/// The share of the result in the target, from the first step to the last.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Blend {
    from: f32,
    to: f32,
}

impl Blend {
    /// The share when so much of the run is done, 0 to 1.
    fn at(self, part: f32) -> f32 {
        self.from + part.clamp(0.0, 1.0) * (self.to - self.from)
    }
}

impl FromStr for Blend {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let share = |t: &str| t.parse().ok().filter(|x| (0.0..=1.0).contains(x));
        let (from, to) = text.split_once(':').unwrap_or((text, text));
        match (share(from), share(to)) {
            (Some(from), Some(to)) => Ok(Self { from, to }),
            _ => Err(format!("expected a share from 0 to 1, or two as 0.2:0.5, not {text:?}")),
        }
    }
}

/// What does not change in a run.
struct Plan {
    /// Steps of an epoch and of the whole run.
    steps: [u32; 2],
    warmup: u32,
    rate: f32,
    blend: Blend,
    unit: f32,
}

impl Plan {
    fn new(args: &TrainArgs, positions: usize, unit: f32) -> Self {
        let an_epoch = positions.div_ceil(args.batch as usize) as u32;
        let steps = an_epoch.saturating_mul(args.epochs);
        Self {
            steps: [an_epoch, steps],
            warmup: args.warmup.min(steps / 20),
            rate: args.rate,
            blend: args.blend.unwrap_or(Blend { from: 0.2, to: 0.5 }),
            unit,
        }
    }

    /// How much of the run is done.
    fn part(&self, step: u32) -> f32 {
        step as f32 / self.steps[1].max(1) as f32
    }

    /// The learning rate of a step: a rise, then half a cosine down to a hundredth.
    fn rate(&self, step: u32) -> f32 {
        let rise = ((step + 1) as f32 / (self.warmup + 1) as f32).min(1.0);
        let cosine = 0.5 * (1.0 + (std::f32::consts::PI * self.part(step)).cos());
        self.rate * rise * (0.01 + 0.99 * cosine)
    }

    fn goal(&self, step: u32) -> Goal {
        Goal {
            blend: self.blend.at(self.part(step)),
            unit: self.unit,
        }
    }
}

/// Positions that are never learnt from, compared by their scores alone.
struct Validation {
    data: Data,
    goal: Goal,
}

impl Validation {
    fn load<P: Features>(args: &TrainArgs) -> Result<Option<Self>> {
        let Some(path) = &args.validate else {
            return Ok(None);
        };
        let data = load_all::<P>(path, args.memory)?;
        let goal = Goal {
            blend: 0.0,
            unit: data.unit::<P>(),
        };
        eprintln!("validation: {} positions, a unit of {}", data.len(), goal.unit);
        Ok(Some(Self { data, goal }))
    }

    /// The loss, as printed at the end of a line.
    fn told<P: Features>(this: Option<&Self>, learner: &mut Learner) -> String {
        this.map_or(String::new(), |v| {
            format!(", validation {:.6}", learner.loss::<P>(&v.data, v.goal))
        })
    }
}

fn train<P: Features>(args: &TrainArgs) -> Result<()> {
    check::<P>(args)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads.into())
        .build()?;
    let start = first_weights::<P>(args)?;
    let validation = Validation::load::<P>(args)?;
    let teachers = teachers::<P>(args)?;
    let [mut data, held_out] = load::<P>(&args.data, args.lambda, args.memory)?;
    let plan = Plan::new(args, data.len(), args.unit.unwrap_or_else(|| data.unit::<P>()));
    eprintln!("the win probability is the logistic function of score / {}", plan.unit);
    if !teachers.is_empty() {
        pool.install(|| data.teach::<P>(&teachers, args.teacher_share, plan.unit));
    }
    if args.squares {
        return fit_psqt::<P>(args, &data, &held_out, plan.goal(plan.steps[1]));
    }
    let weights = match start {
        Some(weights) => weights,
        None => {
            let mut weights = Weights::random::<P>(args.hidden as usize, args.seed);
            if args.tables {
                Psqt::fit::<P>(&data, plan.goal(0), args.seed).plant(&mut weights);
            }
            weights
        }
    };
    let first = (args.anchor > 0.0).then(|| weights.clone());
    let mut state = Checkpoint {
        adam: Adam::new(weights.all.len()),
        weights,
        losses: Vec::new(),
    };
    let (run, settings) = (args.out.with_extension("run"), settings::<P>(args, &plan, data.len()));
    if state.resume(&run, &settings)? {
        eprintln!("going on after epoch {}", state.losses.len());
    }
    let mut learner = Learner::new::<P>(&state.weights, &state.adam, args.threads.into());
    if let Some(first) = &first {
        learner.anchor_to(first);
    }
    if !args.start.is_empty() || args.tables {
        let told = pool.install(|| {
            let loss = learner.loss::<P>(&held_out, plan.goal(0));
            format!(
                "held out {loss:.6}{}",
                Validation::told::<P>(validation.as_ref(), &mut learner)
            )
        });
        eprintln!("the first weights: {told}");
    }
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} positions  {per_sec}  {msg}  {eta} left")?;
    let bar = ProgressBar::new(data.len() as u64 * u64::from(args.epochs)).with_style(style);
    bar.set_position(data.len() as u64 * state.losses.len() as u64);
    bar.reset_eta();
    let last = args.stop_after.unwrap_or(u32::MAX).min(args.epochs) as usize;
    for epoch in state.losses.len()..last {
        let begun = Instant::now();
        let training = pool.install(|| one_epoch::<P>(args, &plan, &data, &mut learner, epoch as u64, &bar));
        let speed = data.len() as f64 / begun.elapsed().as_secs_f64();
        learner.store(&mut state.weights, &mut state.adam);
        let lowered = state.weights.bound::<P>(P::MAX_ACTIVE);
        if lowered > 0 {
            learner.set(&state.weights);
            bar.suspend(|| eprintln!("{lowered} accumulator values could overflow; their largest weights are lowered"));
        }
        let (held, told) = pool.install(|| {
            let goal = plan.goal((epoch as u32 + 1).saturating_mul(plan.steps[0]));
            let held = learner.loss::<P>(&held_out, goal);
            (held, Validation::told::<P>(validation.as_ref(), &mut learner))
        });
        state.losses.push([training, held]);
        let line = format!("loss {training:.6}, held out {held:.6}{told}");
        if bar.is_hidden() {
            eprintln!("epoch {} of {}: {line}, {speed:.0} positions/s", epoch + 1, args.epochs);
        }
        bar.set_message(line);
        let net = state.weights.quantised::<P>(&args.name, P::MAX_ACTIVE)?;
        whole_file::replace(&args.out, net.write::<P>())?;
        curve::draw(
            &args.out.with_extension("svg"),
            &args.name,
            "mean squared error",
            &state.losses,
        )?;
        state.save(&run, &settings)?;
    }
    bar.finish();
    let kept = if held_out.len() > 0 { &held_out } else { &data };
    finish::<P>(
        args,
        &state.weights,
        kept,
        plan.goal(plan.steps[1]),
        validation.as_ref(),
    )
}

/// Refuses options that would have no effect: go's networks are convolutional, those of the other games are not.
fn check_options(args: &TrainArgs, game: &str) -> Result<()> {
    let of_go = [("--half", args.half), ("--epoch-size", args.pass.is_some())];
    let of_others = [
        ("--start with several networks", args.start.len() > 1),
        ("--teacher", !args.teacher.is_empty()),
        ("--validate", args.validate.is_some()),
        ("--memory", args.memory.is_some()),
        ("--output-rate", args.output_rate != 1.0),
        ("--bucket-decay", args.bucket_decay != 1.0),
        ("--anchor", args.anchor != 0.0),
        ("--huber", args.huber != 1.0),
        ("--lambda", args.lambda != 0.0),
        ("--unit", args.unit.is_some()),
        ("--psqt", args.squares),
        ("--tables", args.tables),
    ];
    let (foreign, expected) = if game == GO.name {
        (of_others.as_slice(), "another --game")
    } else {
        (of_go.as_slice(), "--game go")
    };
    if let Some((name, _)) = foreign.iter().find(|(_, given)| *given) {
        bail!("{name} has no effect in training for {game}; expected it with {expected}");
    }
    Ok(())
}

/// Options that cannot be.
fn check<P: Features>(args: &TrainArgs) -> Result<()> {
    if P::KING_BUCKETS == 1 && args.bucket_decay != 1.0 {
        bail!(
            "--bucket-decay has no effect in {}, whose networks have one king bucket",
            P::NAME
        );
    }
    if !(args.hidden as usize).is_multiple_of(LANES) {
        bail!("--hidden: expected a multiple of {LANES}, not {}", args.hidden);
    }
    let beside = |e: &std::ffi::OsStr| ["run", "svg", "new"].iter().any(|x| e == *x);
    if args.out.extension().is_some_and(beside) {
        bail!(
            "--out: {} is the name of a file beside the network; expected NAME.nnue",
            args.out.display()
        );
    }
    Ok(())
}

/// The weights of the networks of `--teacher`.
fn teachers<P: Features>(args: &TrainArgs) -> Result<Vec<Weights>> {
    let one = |path: &PathBuf| {
        let net = Net::open::<P>(path).map_err(|e| anyhow::anyhow!("--teacher: {e}"))?;
        Weights::of_net::<P>(&net, net.width * LANES, 0)
    };
    args.teacher.iter().map(one).collect()
}

/// The mean weights of the networks and checkpoints of `--start`: of runs from one start they are often better than any
/// (Wortsman and others, "Model soups", 2022).
fn first_weights<P: Features>(args: &TrainArgs) -> Result<Option<Weights>> {
    let share = 1.0 / args.start.len() as f32;
    let mut mean = Weights::zero::<P>(args.hidden as usize);
    for path in &args.start {
        let one = weights_of::<P>(path, args)?;
        mean.all.iter_mut().zip(&one.all).for_each(|(m, w)| *m += share * w);
    }
    Ok((!args.start.is_empty()).then_some(mean))
}

/// The weights of a network or of a checkpoint.
fn weights_of<P: Features>(path: &Path, args: &TrainArgs) -> Result<Weights> {
    let name = path.display();
    let mut weights = Weights::zero::<P>(args.hidden as usize);
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
    if bytes.starts_with(b"NGUKYNET") {
        let net = Net::read::<P>(&bytes).map_err(|e| anyhow::anyhow!("{name}: {e}"))?;
        return Weights::of_net::<P>(&net, args.hidden as usize, args.seed).with_context(|| format!("--start {name}"));
    }
    weights.all = Checkpoint::<Weights>::weights(path, weights.all.len())?;
    Ok(weights)
}

/// The settings that a checkpoint must have been made with to be resumed.
fn settings<P: Features>(args: &TrainArgs, plan: &Plan, positions: usize) -> String {
    let start = match args.start.as_slice() {
        [] => if args.tables { "tables" } else { "random" }.into(),
        [one] => format!("{}", one.display()),
        several => format!("{several:?}"),
    };
    let anchor = match args.anchor {
        0.0 => String::new(),
        anchor => format!(" anchor {anchor}"),
    };
    let huber = match args.huber {
        1.0 => String::new(),
        huber => format!(" huber {huber}"),
    };
    let teachers = match args.teacher.as_slice() {
        [] => String::new(),
        files => format!(" teachers {} {files:?}", args.teacher_share),
    };
    let buckets = match args.bucket_decay {
        1.0 => String::new(),
        times => format!(" buckets {times}"),
    };
    let output = match args.output_rate {
        1.0 => String::new(),
        times => format!(" output {times}"),
    };
    format!(
        "{} {} {} {} {} {} {} {}:{} {} {} {} {positions} {start}{anchor}{huber}{teachers}{buckets}{output}",
        P::NAME,
        args.hidden,
        args.epochs,
        args.batch,
        args.rate,
        plan.warmup,
        args.decay,
        plan.blend.from,
        plan.blend.to,
        args.lambda,
        plan.unit,
        args.seed
    )
}

fn fit_psqt<P: Features>(args: &TrainArgs, data: &Data, held_out: &Data, goal: Goal) -> Result<()> {
    let squares = Psqt::fit::<P>(data, goal, args.seed);
    let losses = [data, held_out].map(|d| squares.loss::<P>(d, goal));
    println!("piece-square tables: loss {:.6}, held out {:.6}", losses[0], losses[1]);
    whole_file::replace(&args.out, squares.network(&args.name).write::<P>())?;
    println!("network in {}", args.out.display());
    Ok(())
}

/// Learns from every position once; the mean loss.
fn one_epoch<P: Features>(
    args: &TrainArgs,
    plan: &Plan,
    data: &Data,
    learner: &mut Learner,
    epoch: u64,
    bar: &ProgressBar,
) -> f64 {
    let (n, size) = (data.len(), args.batch as usize);
    let key = args.seed ^ ((epoch + 1) << 32);
    let (mut sum, mut list) = (0.0, Vec::new());
    for first in (0..n).step_by(size) {
        let numbers = first..(first + size).min(n);
        let one = |i: usize| permuted(i as u64, n as u64, key) as u32;
        numbers.into_par_iter().map(one).collect_into_vec(&mut list);
        let step = learner.steps();
        let batch = Batch {
            list: &list,
            goal: plan.goal(step),
            mirror: Some(key),
        };
        let pull = Pull {
            rate: plan.rate(step),
            output_rate: args.output_rate,
            decay: args.decay,
            bucket_decay: args.bucket_decay,
            anchor: args.anchor,
            huber: args.huber,
        };
        sum += learner.learn::<P>(data, batch, pull);
        bar.inc(list.len() as u64);
    }
    sum / n.max(1) as f64
}

/// Rounds the weights anew, perhaps more finely than when they were learnt, and tells what that costs.
fn finish<P: Features>(
    args: &TrainArgs,
    weights: &Weights,
    kept: &Data,
    goal: Goal,
    validation: Option<&Validation>,
) -> Result<()> {
    let mut weights = weights.clone();
    weights.bound::<P>(P::MAX_ACTIVE);
    let net = weights.quantised::<P>(&args.name, P::MAX_ACTIVE)?;
    whole_file::replace(&args.out, net.write::<P>())?;
    println!(
        "correlation with the target win probability, in games held out: {:.3}",
        measure::correlation::<P>(&weights, kept, goal)
    );
    let [mean, worst] = measure::rounding::<P>(&weights, &net, kept);
    println!(
        "whole numbers against floating point: {mean:.2} apart on average, {worst:.1} at worst, in hundredths of a pawn"
    );
    if let Some(Validation { data, goal }) = validation {
        let [float, whole] = measure::losses::<P>(&weights, &net, data, *goal);
        println!("validation loss {float:.6}, in whole numbers {whole:.6}");
    }
    println!("network in {}", args.out.display());
    Ok(())
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
mod speed;
#[cfg(test)]
mod tests;
