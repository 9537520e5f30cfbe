//! `nguky soak`: self-play over real pipes with disturbances, for hours; wrong answers are counted.
//!
//! One engine of a game plays both sides. Between and during its searches it gets what careless clients and slow machines
//! send: lines in pieces, noise, pings, stops at any moment, ponder hits and misses, new games, changed options and tables,
//! a suspended process. Every move is checked by the rules library, every search has to answer once, every clock has to hold,
//! and the process's memory is watched. An episode is a game; all that is random in one comes from the seed and its number.

mod board;
mod go;
mod line;

use crate::arena::player::INTERRUPTED;
use crate::games::of_game;
use crate::whole_file;
use anyhow::{Context, Result, bail};
use clap::Args as ClapArgs;
use indicatif::{ProgressBar, ProgressStyle};
use line::EngineLines;
use nguky::game::Position;
use nguky::register::{self, GO};
use nguky::util::rng::SplitMix;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Descriptions of faults that are kept for each game.
const KEPT: usize = 20;
/// Episodes after which a process's memory is taken as its usual one: its tables are filled by then.
const WARM: u64 = 10;

/// The command line of `nguky soak`.
#[derive(ClapArgs)]
pub struct SoakArgs {
    /// The games, separated by commas; all of them unless given
    #[arg(long, value_delimiter = ',')]
    game: Vec<String>,
    /// Minutes in all, with those of earlier runs of this state
    #[arg(long, default_value_t = 10.0)]
    minutes: f64,
    /// Which episodes
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Milliseconds by which a clock may be passed: pipes and a busy machine
    #[arg(long, default_value_t = 100)]
    margin_ms: u64,
    /// What was counted, from which the same command goes on
    #[arg(long, default_value = "soak.json")]
    state: PathBuf,
}

/// What is wrong with an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WrongAnswer {
    /// The move is against the rules, or none was named where there are some.
    IllegalMove,
    /// More answers than searches or commands.
    ExtraAnswer,
    /// No answer in ten seconds.
    Stall,
    /// The process ended.
    Disconnect,
    /// The clock was passed by more than the margin.
    TimeLoss,
    /// A line that no protocol has, or that tells of a panic.
    StrangeLine,
}

/// A wrong answer, and what led to it.
pub struct Fault {
    /// What is wrong.
    pub what: WrongAnswer,
    /// The line, and what was expected.
    pub told: String,
}

impl Fault {
    /// A fault.
    pub fn new(what: WrongAnswer, told: impl Into<String>) -> Self {
        Self {
            what,
            told: told.into(),
        }
    }
}

/// What was counted of one game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SoakTally {
    /// Games played, whole or broken off by a fault.
    pub episodes: u64,
    /// Searches answered.
    pub searches: u64,
    /// Disturbances, by name.
    pub disturbances: BTreeMap<String, u64>,
    /// Wrong answers, by kind.
    pub faults: BTreeMap<WrongAnswer, u64>,
    /// The first of them.
    pub told: Vec<String>,
    /// Resident memory of the process in KiB after so many episodes as fill its tables, and the most since.
    pub memory: Option<[u64; 2]>,
}

impl SoakTally {
    /// Counts a disturbance.
    pub fn disturbed(&mut self, name: &str) {
        *self.disturbances.entry(name.into()).or_default() += 1;
    }
}

/// The state's file.
#[derive(Debug, Default, Serialize, Deserialize)]
struct SoakState {
    /// Seed of the episodes.
    seed: u64,
    /// The games, in turn.
    games: Vec<String>,
    /// Seconds soaked.
    seconds: f64,
    /// Episodes begun.
    next: u64,
    /// By game.
    tallies: BTreeMap<String, SoakTally>,
}

impl SoakState {
    fn open(path: &Path, seed: u64, games: &[String]) -> Result<Self> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self {
                    seed,
                    games: games.to_vec(),
                    ..Self::default()
                });
            }
            Err(e) => return Err(e).with_context(|| format!("cannot read {}", path.display())),
        };
        let state: Self = serde_json::from_str(&text)
            .with_context(|| format!("{} is damaged, or not a state of nguky soak", path.display()))?;
        if state.seed != seed || state.games != games {
            bail!(
                "{} is of --seed {} and --game {}; name another --state, or remove it",
                path.display(),
                state.seed,
                state.games.join(",")
            );
        }
        Ok(state)
    }

    fn save(&self, path: &Path) -> Result<()> {
        whole_file::replace(path, serde_json::to_string_pretty(self)?)
    }

    fn faults(&self) -> u64 {
        self.tallies.values().flat_map(|t| t.faults.values()).sum()
    }
}

/// Runs the soak.
pub fn run(args: &SoakArgs) -> Result<()> {
    let games = match args.game.as_slice() {
        [] => register::games().map(|g| g.name.to_string()).collect(),
        named => named
            .iter()
            .map(|name| Ok(register::find(name)?.name.to_string()))
            .collect::<Result<Vec<_>>>()?,
    };
    if !(0.0..=1e6).contains(&args.minutes) {
        bail!("--minutes {}; expected a number above 0", args.minutes);
    }
    let mut state = SoakState::open(&args.state, args.seed, &games)?;
    state.save(&args.state)?;
    let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
    let bar = ProgressBar::new((args.minutes * 60.0) as u64);
    bar.set_style(ProgressStyle::with_template(
        "{bar:30} {elapsed_precise} of {len} s, {msg}",
    )?);
    let mut running: BTreeMap<String, Running> = BTreeMap::new();
    while state.seconds < args.minutes * 60.0 && !INTERRUPTED.load(Ordering::Relaxed) {
        let (start, number) = (Instant::now(), state.next);
        let game = games[number as usize % games.len()].clone();
        let tally = state.tallies.entry(game.clone()).or_default();
        let mut rng = SplitMix::new(args.seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut engine = match running.remove(&game) {
            Some(engine) => engine,
            None => Running::start(&game)?,
        };
        let margin = Duration::from_millis(args.margin_ms);
        let played = engine.episode(&game, &mut rng, margin, tally);
        // A game that Ctrl-C broke off is played again by the next run.
        if INTERRUPTED.load(Ordering::Relaxed) {
            break;
        }
        match played {
            Ok(()) => {
                engine.watch_memory(tally);
                running.insert(game.clone(), engine);
            }
            // The next episode of this game starts a fresh process.
            Err(fault) => {
                *tally.faults.entry(fault.what).or_default() += 1;
                if tally.told.len() < KEPT {
                    tally
                        .told
                        .push(format!("episode {number}: {:?}: {}", fault.what, fault.told));
                }
            }
        }
        tally.episodes += 1;
        state.next += 1;
        state.seconds += start.elapsed().as_secs_f64();
        state.save(&args.state)?;
        bar.set_position(state.seconds as u64);
        bar.set_message(format!("{} games, {} faults", state.next, state.faults()));
    }
    bar.finish_and_clear();
    report(&state);
    Ok(())
}

fn report(state: &SoakState) {
    println!(
        "{} games in {:.0} s, {} wrong answers",
        state.next,
        state.seconds,
        state.faults()
    );
    println!("game      games  searches  disturbances  wrong  memory KiB");
    for (game, t) in &state.tallies {
        let sum = |counts: &mut dyn Iterator<Item = &u64>| counts.sum::<u64>();
        let memory = t
            .memory
            .map_or("-".into(), |[usual, most]| format!("{usual}, at most {most}"));
        println!(
            "{game:8} {:6} {:9} {:13} {:6}  {memory}",
            t.episodes,
            t.searches,
            sum(&mut t.disturbances.values()),
            sum(&mut t.faults.values()),
        );
        for told in &t.told {
            println!("    {told}");
        }
    }
}

/// An engine that plays episode after episode.
struct Running {
    lines: EngineLines,
    episodes: u64,
}

impl Running {
    fn start(game: &str) -> Result<Self> {
        let lines = EngineLines::start(game)?;
        Ok(Self { lines, episodes: 0 })
    }

    fn episode(
        &mut self,
        game: &str,
        rng: &mut SplitMix,
        margin: Duration,
        tally: &mut SoakTally,
    ) -> Result<(), Fault> {
        self.episodes += 1;
        if game == GO.name {
            return go::episode(&mut self.lines, rng, margin, tally);
        }
        let played = episode_of(game, (&mut self.lines, rng, margin, tally));
        played.unwrap_or_else(|e| Err(Fault::new(WrongAnswer::StrangeLine, e.to_string())))
    }

    fn watch_memory(&self, tally: &mut SoakTally) {
        let Some(now) = self.lines.memory().filter(|_| self.episodes >= WARM) else {
            return;
        };
        let [usual, most] = tally.memory.unwrap_or([now; 2]);
        tally.memory = Some([usual, most.max(now)]);
    }
}

/// What an episode is played with.
type Tools<'a> = (&'a mut EngineLines, &'a mut SplitMix, Duration, &'a mut SoakTally);

fn episode_of(game: &str, tools: Tools) -> Result<Result<(), Fault>> {
    of_game!(game, board_episode(tools))
}

fn board_episode<P: Position>((lines, rng, margin, tally): Tools) -> Result<Result<(), Fault>> {
    Ok(board::episode::<P>(lines, rng, margin, tally))
}
