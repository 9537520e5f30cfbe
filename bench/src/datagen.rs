//! `nguky datagen`: games of the engine against itself, kept whole, with the score of every move ([`crate::games`]).
//!
//! A game is fixed by seed, number and settings, and written when those before it are: a killed run goes on behind its
//! last sound game and ends with the same bytes.

use crate::arena;
use crate::games::{Game, NAMES, Ply, Scan, hash, of_game};
use anyhow::{Context, Result, bail};
use clap::Args as ClapArgs;
use indicatif::{ProgressBar, ProgressStyle};
use nguky::control::{Limits, Signal};
use nguky::eval::nnue::Net;
use nguky::eval::{Eval, Judge};
use nguky::game::{Evaluator as _, Handmade, Kind, Move, Moves, Outcomes, Position, Side, Verdict};
use nguky::search::{Shared, Table, Task, Worker};
use nguky::util::rng::SplitMix;
use rayon::prelude::*;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

#[derive(ClapArgs)]
pub struct Args {
    /// chess, xiangqi, coup, shogi or go
    #[arg(long, default_value = "chess")]
    pub game: String,
    /// Games in the file at the end
    #[arg(long, default_value_t = 1000)]
    pub games: u64,
    /// Nodes or playouts a move, after which the running iteration is finished (within eight times as many)
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..1 << 40))]
    pub nodes: u64,
    /// Which games: each seed is a shard of its own
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Games at a time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: u16,
    /// Random plies before the engine plays, one more by turns
    #[arg(long, default_value_t = 8)]
    pub plies: u64,
    /// An opening that the engine finds further from level than this is not played
    #[arg(long, default_value_t = 600)]
    pub fair: i32,
    /// A game is given up when the score has stood beyond this for four plies
    #[arg(long, default_value_t = 1500)]
    pub give_up: i32,
    /// The network that plays; by hand, or by playouts in go, without one
    #[arg(long)]
    pub net: Option<PathBuf>,
    /// Go: a network by which every position is labelled with one look, in KataGo's format
    #[arg(long, conflicts_with = "net")]
    pub teacher: Option<PathBuf>,
    /// Go: sizes of the boards, each with how many games there are to one of the others
    #[arg(long, default_value = "9:6,13:2,19:1")]
    pub sizes: String,
    /// The file of games; one that is there already is gone on with
    #[arg(long)]
    pub out: PathBuf,
}

/// How long a score has to stand beyond `--give-up`.
const GIVE_UP_PLIES: u32 = 4;
/// A game that was level for so many plies, beyond so many plies, is called drawn.
const LEVEL: i32 = 5;
const LEVEL_PLIES: u32 = 12;
const LEVEL_FROM: usize = 80;
/// Longer games are called drawn.
const LONGEST: usize = 400;
/// Games a thread plays between two writes.
const BATCH: u64 = 8;
/// Tries for a fair opening.
const TRIES: usize = 200;
/// How often a log that is no terminal hears of the progress.
const NEWS: Duration = Duration::from_secs(60);

pub fn run(args: &Args) -> Result<()> {
    if args.game == arena::GO {
        return crate::go::datagen::run(args);
    }
    of_game!(generate(args) | arena::GO)
}

/// The network that plays, and its hash.
pub fn network<P: Handmade>(path: Option<&Path>) -> Result<(Judge, u32)> {
    let Some(path) = path else {
        return Ok((Judge::Hand, 0));
    };
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let net = Net::read::<P>(&bytes).map_err(|e| anyhow::anyhow!("{}: {e}", path.display()))?;
    Ok((Judge::Net(Arc::new(net)), hash(&bytes).max(1)))
}

fn generate<P: Handmade>(args: &Args) -> Result<()> {
    let kind = NAMES
        .iter()
        .position(|n| *n == P::NAME)
        .context("a game without a number")?;
    let (judge, net_hash) = network::<P>(args.net.as_deref())?;
    let blank = Game {
        kind,
        seed: args.seed,
        number: 0,
        nodes: args.nodes,
        net: net_hash,
        setup: String::new(),
        result: 1,
        plies: Vec::new(),
    };
    let (file, done) = resume(&args.out, b"NK", |bytes| sound(bytes, &args.out, &blank))?;
    let seats: Mutex<Vec<Seat<P>>> = Mutex::new(Vec::new());
    produce(args, file, done, |number| {
        let free = seats.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut seat = match free {
            Some(seat) => seat,
            None => Seat::new(&judge)?,
        };
        let game = seat.game(
            args,
            Game {
                number,
                ..blank.clone()
            },
        );
        seats.lock().unwrap_or_else(PoisonError::into_inner).push(seat);
        let positions = game.plies.iter().filter(|p| p.score.is_some()).count();
        Ok((game.record(), positions))
    })
}

/// Makes the games from number `done` on: `make` gives a game's bytes and how many positions it has to learn from.
pub fn produce(
    args: &Args,
    mut file: File,
    done: u64,
    make: impl Fn(u64) -> Result<(Vec<u8>, usize)> + Sync,
) -> Result<()> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads.into())
        .build()?;
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} games, {per_sec}, {msg}, {eta} left")?;
    let bar = ProgressBar::new(args.games).with_style(style);
    bar.set_position(done);
    bar.reset_eta();
    let (start, mut news, mut positions, mut next) = (Instant::now(), Instant::now(), 0, done);
    while next < args.games {
        let end = (next + BATCH * u64::from(args.threads)).min(args.games);
        let numbers: Vec<u64> = (next..end).collect();
        let one = |&number: &u64| make(number);
        let games: Vec<(Vec<u8>, usize)> =
            pool.install(|| numbers.par_iter().with_max_len(1).map(one).collect::<Result<_>>())?;
        let bytes: Vec<u8> = games.iter().flat_map(|g| &g.0).copied().collect();
        file.write_all(&bytes)
            .with_context(|| format!("cannot write {}", args.out.display()))?;
        positions += games.iter().map(|g| g.1).sum::<usize>();
        let rate = positions as f64 / start.elapsed().as_secs_f64();
        next = end;
        bar.set_message(format!("{positions} positions, {rate:.0}/s"));
        bar.set_position(next);
        if bar.is_hidden() && (news.elapsed() > NEWS || next == args.games) {
            eprintln!("{next} of {} games, {positions} positions, {rate:.0}/s", args.games);
            news = Instant::now();
        }
    }
    bar.finish();
    Ok(())
}

/// Opens the file behind its last sound game and tells how many games it holds. `scan` tells where the last sound game
/// of some bytes ends, and how many there are; each begins with `magic`.
pub fn resume(path: &Path, magic: &[u8; 2], scan: impl FnOnce(&[u8]) -> Result<(usize, u64)>) -> Result<(File, u64)> {
    let name = path.display();
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .with_context(|| format!("cannot use {name}"))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)
        .with_context(|| format!("cannot read {name}"))?;
    let (end, done) = scan(&bytes)?;
    if done == 0 && !magic.starts_with(&bytes[..bytes.len().min(2)]) {
        bail!("{name} is no file of games");
    }
    if end < bytes.len() {
        eprintln!("{name}: {} damaged bytes at its end are cut off", bytes.len() - end);
    }
    file.set_len(end as u64)?;
    file.seek(SeekFrom::End(0))?;
    Ok((file, done))
}

/// Where the last sound game ends, and how many there are, all of this run.
fn sound(bytes: &[u8], path: &Path, blank: &Game) -> Result<(usize, u64)> {
    let name = path.display();
    let (mut scan, mut done) = (Scan::new(bytes), 0);
    for game in scan.by_ref() {
        let told = |g: &Game| {
            format!(
                "{} of seed {} at {} nodes, network {:08x}",
                NAMES[g.kind], g.seed, g.nodes, g.net
            )
        };
        if told(&game) != told(blank) {
            bail!("{name} holds games of {}; expected {}", told(&game), told(blank));
        }
        if game.number != done {
            bail!(
                "{name} has game {} where {done} is expected; it is no single run's file",
                game.number
            );
        }
        done += 1;
    }
    Ok((scan.end, done))
}

/// One searcher, used for game after game.
pub struct Seat<P: Handmade> {
    worker: Worker<P, Eval<P>>,
    shared: Arc<Shared<P>>,
}

impl<P: Handmade> Seat<P> {
    /// A searcher with this evaluator.
    pub fn new(judge: &Judge) -> Result<Self> {
        let start = P::parse(P::START, &P::Rules::default())?;
        let shared = Arc::new(Shared {
            table: Arc::new(Table::new(2).map_err(anyhow::Error::msg)?),
            signal: Arc::new(Signal::default()),
            tablebase: None,
            counters: vec![Default::default()],
        });
        let worker = Worker::new(0, start, Eval::new(judge), shared.clone());
        Ok(Self { worker, shared })
    }

    /// Forgets all it has seen.
    pub fn clear(&mut self) {
        self.shared.table.clear();
        self.worker.clear();
    }

    /// The best move and its score for the side to move.
    pub fn think(&mut self, pos: &P, nodes: u64) -> (P::Move, i32) {
        let mut moves = Moves::new();
        pos.generate(Kind::All, &mut moves);
        self.shared.signal.begin(Instant::now(), false);
        self.shared.table.grow_older();
        self.worker.set_position(pos);
        let mut task = Task::new(Limits::nodes(8 * nodes), moves.iter().collect(), Arc::new(|_| {}));
        (task.soft, task.shown) = (Some(nodes), 0);
        self.worker.think(&task, true);
        let found = self.worker.finish();
        (found.pv.first().copied().unwrap_or(task.moves[0]), found.score)
    }

    /// The position after the captures that quiescence expects, drawing what they turn up, and its static score for the
    /// side to move.
    pub fn settle(&mut self, mut pos: P, rng: &mut SplitMix) -> (P, i32) {
        for mv in self.worker.settle(&pos) {
            step(&mut pos, mv, rng);
        }
        self.worker.set_position(&pos);
        let score = self.worker.evaluator().score(&pos);
        (pos, score)
    }

    /// Plays one game; without moves when no fair opening was found.
    fn game(&mut self, args: &Args, mut game: Game) -> Game {
        let mut rng = SplitMix::new(SplitMix::new(args.seed).next() ^ game.number);
        self.clear();
        let Some(mut pos) = self.opening(args, &mut rng, &mut game.plies) else {
            return game;
        };
        let (mut beyond, mut level) = (0, 0);
        for ply in game.plies.len()..LONGEST {
            let first = pos.side() == Side::First;
            if let Some(end) = pos.ended() {
                game.result = match (end.verdict, first) {
                    (Verdict::Win, true) | (Verdict::Loss, false) => 2,
                    (Verdict::Win, false) | (Verdict::Loss, true) => 0,
                    _ => 1,
                };
                break;
            }
            let (mv, score) = self.think(&pos, args.nodes);
            let score = if first { score } else { -score };
            game.plies.push(Ply {
                mv: mv.raw(),
                outcome: None,
                score: Some(score),
            });
            beyond = if score.abs() > args.give_up { beyond + 1 } else { 0 };
            level = if score.abs() <= LEVEL { level + 1 } else { 0 };
            if beyond >= GIVE_UP_PLIES {
                game.result = if score > 0 { 2 } else { 0 };
                break;
            }
            if level >= LEVEL_PLIES && ply >= LEVEL_FROM {
                break;
            }
            let outcome = step(&mut pos, mv, &mut rng);
            if let Some(last) = game.plies.last_mut() {
                last.outcome = outcome;
            }
        }
        game
    }

    /// A random opening that the engine finds fair.
    fn opening(&mut self, args: &Args, rng: &mut SplitMix, plies: &mut Vec<Ply>) -> Option<P> {
        for _ in 0..TRIES {
            plies.clear();
            let mut pos = P::parse(P::START, &P::Rules::default()).ok()?;
            for _ in 0..args.plies + rng.below(2) {
                let mut moves = Moves::new();
                pos.generate(Kind::All, &mut moves);
                if moves.is_empty() {
                    break;
                }
                let mv = moves.at(rng.below(moves.len() as u64) as usize).mv;
                let outcome = step(&mut pos, mv, rng);
                plies.push(Ply {
                    mv: mv.raw(),
                    outcome,
                    score: None,
                });
            }
            if pos.ended().is_none() && self.think(&pos, args.nodes).1.abs() <= args.fair {
                return Some(pos);
            }
        }
        plies.clear();
        None
    }
}

/// Plays a move, and draws what it turns up.
pub fn step<P: Position>(pos: &mut P, mv: P::Move, rng: &mut SplitMix) -> Option<u8> {
    pos.play(mv);
    if !P::CHANCE || !pos.covered() {
        return None;
    }
    let mut all = Outcomes::default();
    pos.outcomes(&mut all);
    let total: u64 = all.iter().map(|o| u64::from(o.weight)).sum();
    let mut at = rng.below(total.max(1));
    let drawn = all.iter().find(|o| {
        let here = at < u64::from(o.weight);
        at = at.saturating_sub(o.weight.into());
        here
    })?;
    pos.reveal(*drawn);
    Some(drawn.piece)
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use nguky::games::{chess::Chess, coup::Coup, shogi::Shogi, xiangqi::Xiangqi};

    /// Settings of short games.
    pub fn args(game: &str, dir: &Path, name: &str, games: u64) -> Args {
        Args {
            game: game.into(),
            games,
            nodes: 60,
            seed: 5,
            threads: 2,
            plies: 8,
            fair: 600,
            give_up: 1500,
            net: None,
            teacher: None,
            sizes: "9".into(),
            out: dir.join(name),
        }
    }

    #[test]
    fn a_killed_run_goes_on_and_ends_the_same() {
        let dir = std::env::temp_dir().join(format!("nguky-datagen-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder");
        run(&args("chess", &dir, "whole", 18)).expect("a run");
        let whole = std::fs::read(dir.join("whole")).expect("the file");
        assert_eq!(Scan::<Game>::new(&whole).count(), 18);
        for cut in [0, 1, 8, whole.len() / 3, whole.len() - 1] {
            std::fs::write(dir.join("broken"), &whole[..cut]).expect("written");
            run(&args("chess", &dir, "broken", 18)).expect("a run");
            assert!(
                std::fs::read(dir.join("broken")).expect("the file") == whole,
                "cut at {cut}"
            );
        }
        let other = Args {
            seed: 6,
            ..args("chess", &dir, "whole", 18)
        };
        let told = run(&other).expect_err("another seed").to_string();
        assert!(told.contains("seed 5") && told.contains("seed 6"), "{told}");
        std::fs::remove_dir_all(&dir).expect("removed");
    }

    #[test]
    fn games_play_over_in_every_game() {
        let dir = std::env::temp_dir().join(format!("nguky-datagen-all-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder");
        fn all<P: Position>(dir: &Path) {
            run(&args(P::NAME, dir, P::NAME, 3)).expect("a run");
            let bytes = std::fs::read(dir.join(P::NAME)).expect("the file");
            let mut plies = 0;
            for game in Scan::<Game>::new(&bytes) {
                assert!(game.replay::<P>(&mut |_, _| plies += 1), "{}", P::NAME);
            }
            assert!(
                plies > 60 && bytes.len() < 6 * plies + 100,
                "{} bytes, {plies} plies",
                bytes.len()
            );
        }
        all::<Chess>(&dir);
        all::<Xiangqi>(&dir);
        all::<Coup>(&dir);
        all::<Shogi>(&dir);
        std::fs::remove_dir_all(&dir).expect("removed");
    }
}
