//! `nguky datagen`: games of the engine against itself, as labelled quiet positions.
//!
//! One line a position: `SETUP | score | result`, both seen from the first side; the result is 1, 0.5 or 0. Games are
//! fixed by seed and number and written in batches, each closed by a line `# done N`, so that a killed run goes on
//! where it stopped.

use anyhow::{Context, Result, bail};
use clap::Args as ClapArgs;
use indicatif::{ProgressBar, ProgressStyle};
use nguky::control::{Limits, Signal};
use nguky::game::{Handmade, Kind, Moves, Position, Side, Verdict};
use nguky::games::{chess::Chess, shogi::Shogi, xiangqi::Xiangqi};
use nguky::search::score::decisive;
use nguky::search::{Shared, Table, Task, Worker};
use nguky::util::rng::SplitMix;
use rayon::prelude::*;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

#[derive(ClapArgs)]
pub struct Args {
    /// chess, xiangqi or shogi
    #[arg(long, default_value = "chess")]
    game: String,
    #[arg(long, default_value_t = 1000)]
    games: u64,
    /// Nodes a move
    #[arg(long, default_value_t = 5000)]
    nodes: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at a time
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// A game is given up when the score has stood beyond this for five plies
    #[arg(long, default_value_t = 1500)]
    give_up: i32,
    #[arg(long)]
    out: PathBuf,
}

/// Random plies before the engine plays, one more by turns.
const RANDOM_PLIES: u64 = 8;
/// An opening further from level than this is thrown away.
const FAIR: i32 = 300;
/// How long a score has to stand beyond `--give-up`.
const GIVE_UP_PLIES: u32 = 5;
/// Longer games are called drawn.
const LONGEST: usize = 400;
/// Games between two writes.
const BATCH: u64 = 64;

pub fn run(args: &Args) -> Result<()> {
    match args.game.as_str() {
        Chess::NAME => generate::<Chess>(args),
        Xiangqi::NAME => generate::<Xiangqi>(args),
        Shogi::NAME => generate::<Shogi>(args),
        other => bail!("no datagen for {other:?}; expected chess, xiangqi or shogi"),
    }
}

fn generate<P: Handmade>(args: &Args) -> Result<()> {
    let (mut file, done) = resume(&args.out).with_context(|| format!("cannot use {}", args.out.display()))?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads).build()?;
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} games, {per_sec}, {eta} left")?;
    let bar = ProgressBar::new(args.games).with_style(style);
    bar.set_position(done);
    let mut next = done;
    while next < args.games {
        let end = (next + BATCH).min(args.games);
        let numbers: Vec<u64> = (next..end).collect();
        let texts: Vec<String> = pool.install(|| {
            numbers
                .par_iter()
                .with_max_len(1)
                .map(|&i| game::<P>(args, i))
                .collect()
        });
        let mut text = texts.concat();
        writeln!(text, "# done {end}")?;
        file.write_all(text.as_bytes())?;
        next = end;
        bar.set_position(next);
    }
    bar.finish();
    Ok(())
}

/// Opens the file behind its last whole batch and tells how many games it holds.
fn resume(path: &Path) -> Result<(File, u64)> {
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let (mut keep, mut done, mut at) = (0, 0, 0);
    for line in text.split_inclusive('\n') {
        at += line.len() as u64;
        if let Some(n) = line.strip_prefix("# done ").filter(|l| l.ends_with('\n')) {
            (keep, done) = (at, n.trim().parse()?);
        }
    }
    file.set_len(keep)?;
    file.seek(SeekFrom::End(0))?;
    Ok((file, done))
}

/// One game's lines; empty when its opening was no good.
fn game<P: Handmade>(args: &Args, number: u64) -> String {
    let mut rng = SplitMix::new(args.seed.wrapping_mul(0x9e37_79b9).wrapping_add(number));
    let Some(mut pos) = opening::<P>(&mut rng) else {
        return String::new();
    };
    let Ok(table) = Table::new(4) else { return String::new() };
    let shared = Arc::new(Shared {
        table: Arc::new(table),
        signal: Arc::new(Signal::default()),
        tablebase: None,
        counters: vec![Default::default()],
    });
    let mut worker = Worker::new(0, pos.clone(), P::Hand::default(), shared.clone());
    let mut kept: Vec<(String, i32)> = Vec::new();
    let (mut beyond, mut result) = (0, 0.5);
    for ply in 0..LONGEST {
        let first = pos.side() == Side::First;
        if let Some(end) = pos.ended() {
            result = match (end.verdict, first) {
                (Verdict::Draw, _) => 0.5,
                (Verdict::Win, true) | (Verdict::Loss, false) => 1.0,
                _ => 0.0,
            };
            break;
        }
        let mut moves = Moves::new();
        pos.generate(Kind::All, &mut moves);
        shared.signal.begin(Instant::now(), false);
        shared.table.grow_older();
        worker.set_position(&pos);
        let task = Task::new(Limits::nodes(args.nodes), moves.iter().collect(), Arc::new(|_| {}));
        worker.think(&task, true);
        let found = worker.finish();
        let mv = found.pv[0];
        let white = if first { found.score } else { -found.score };
        if ply == 0 && white.abs() > FAIR {
            return String::new();
        }
        beyond = if white.abs() > args.give_up { beyond + 1 } else { 0 };
        if beyond >= GIVE_UP_PLIES {
            result = f64::from(u8::from(white > 0));
            break;
        }
        if !decisive(white) && !pos.in_check() && !pos.is_tactical(mv) {
            kept.push((pos.setup(), white));
        }
        pos.play(mv);
    }
    kept.into_iter().fold(String::new(), |mut text, (setup, score)| {
        let _ = writeln!(text, "{setup} | {score} | {result}");
        text
    })
}

fn opening<P: Position>(rng: &mut SplitMix) -> Option<P> {
    let mut pos = P::parse(P::START, &P::Rules::default()).ok()?;
    for _ in 0..RANDOM_PLIES + rng.below(2) {
        let mut moves = Moves::new();
        pos.generate(Kind::All, &mut moves);
        if moves.is_empty() {
            return None;
        }
        pos.play(moves.at(rng.below(moves.len() as u64) as usize).mv);
    }
    pos.ended().is_none().then_some(pos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_killed_run_goes_on_and_ends_the_same() {
        let dir = std::env::temp_dir().join(format!("nguky-datagen-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder");
        let args = |name: &str, games| Args {
            game: "chess".into(),
            games,
            nodes: 200,
            seed: 5,
            threads: 2,
            give_up: 1500,
            out: dir.join(name),
        };
        run(&args("whole", BATCH + 2)).expect("a run");
        run(&args("broken", BATCH)).expect("a run");
        let mut file = OpenOptions::new()
            .append(true)
            .open(dir.join("broken"))
            .expect("the file");
        file.write_all(b"half a li").expect("written");
        run(&args("broken", BATCH + 2)).expect("a run");
        let text = |name: &str| std::fs::read_to_string(dir.join(name)).expect("the file");
        assert!(text("whole").lines().count() > 100);
        assert_eq!(text("whole"), text("broken"));
        std::fs::remove_dir_all(&dir).expect("removed");
    }
}
