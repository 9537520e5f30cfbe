//! `nguky datagen`: games of the engine against itself, kept whole, with the score of every move ([`crate::games`]).
//!
//! A game is fixed by seed, number and settings, and written when those before it are: a killed run goes on behind its
//! last sound game and ends with the same bytes. `self_play` plays the games, `starts` has the setups that they begin from.

use crate::games::{GameRecord, Scan, every_game, hash, of_game};
use anyhow::{Context, Result, bail};
use clap::Args as ClapArgs;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use nguky::eval::EvalSource;
use nguky::eval::nnue::Net;
use nguky::game::PieceValues;
use nguky::mcts::network::Precision;
use nguky::register::{self, ALPHABETA, GO};
use nguky::util::rng::SplitMix;
use rayon::prelude::*;
pub use self_play::SelfPlayer;
use self_play::percent;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

mod self_play;
mod starts;

/// The command line of `nguky datagen`.
#[derive(ClapArgs)]
pub struct DatagenArgs {
    #[arg(long, default_value = "chess", help = every_game())]
    pub game: String,
    /// Games in the file at the end
    #[arg(long, default_value_t = 1000)]
    pub games: u64,
    /// Nodes or playouts a move, after which the running iteration is finished (within eight times as many)
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..1 << 40))]
    pub nodes: u64,
    /// Plies in a hundred that are searched by --nodes and learnt from; the others are played by --fast nodes, so that the
    /// same time gives more games (playout cap randomization, Wu 2019). 100 unless given, in go 25
    #[arg(long, conflicts_with = "teacher", value_parser = clap::value_parser!(u8).range(1..=100))]
    pub full: Option<u8>,
    /// Nodes or playouts of the plies that --full leaves out; a fifth of --nodes unless given
    #[arg(long, conflicts_with = "teacher", value_parser = clap::value_parser!(u64).range(1..1 << 40))]
    pub fast: Option<u64>,
    /// Which games: each seed is a shard of its own
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Games at a time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: u16,
    /// Random plies before the engine plays, one more by turns
    #[arg(long, default_value_t = 8)]
    pub plies: u64,
    /// Games in a hundred that begin with two to four random plies more
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub long_openings: u8,
    /// Chess: games in a hundred that begin from a double Fischer random setup, the two sides' ranks drawn apart
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub dfrc: u8,
    /// An opening that the engine finds further from level than this is not played
    #[arg(long, default_value_t = 400)]
    pub fair: i32,
    /// A game is adjudicated as won when the score has stood beyond this for four plies
    #[arg(long, default_value_t = 2500)]
    pub give_up: i32,
    /// Games in a hundred with one random move, at a random ply from 20 to 80; what comes before it has no result
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub random_moves: u8,
    /// Searches in a hundred after which a position from inside the search tree is searched and kept, too
    #[arg(long, default_value_t = 25, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub inside: u8,
    /// Cờ úp: how often the rest of a game is played, from a random ply on, each time with the face-down pieces dealt
    /// anew; the positions before share the mean result
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=16))]
    pub deals: u8,
    /// The network that plays; without one material evaluates, in go playouts do
    #[arg(long)]
    pub net: Option<PathBuf>,
    /// Go: a network by which every position is labelled with one look, in KataGo's format; with --net, which draws the
    /// moves then, one in three is
    #[arg(long)]
    pub teacher: Option<PathBuf>,
    /// Go, with --teacher and --net: the student searches its moves by so many visits on average; every position is labelled
    /// then, and some from inside the search trees
    #[arg(long, requires_all = ["teacher", "net"], value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub visits: Option<u64>,
    /// Go: numbers that the networks' filters are run in, float or int8
    #[arg(long, default_value = "float", value_parser = PossibleValuesParser::new(["float", "int8"]).map(|n| Precision::named(&n)))]
    pub precision: Precision,
    /// Go: sizes of the boards, each with how many games there are to one of the others
    #[arg(long, default_value = "9:6,13:2,19:1")]
    pub sizes: String,
    /// The file of games; one that is there already is resumed
    #[arg(long)]
    pub out: PathBuf,
}

impl DatagenArgs {
    /// Plies in a hundred that are searched in full.
    pub fn full(&self) -> u8 {
        let go = register::find(&self.game).is_ok_and(|g| g.name == GO.name);
        self.full.unwrap_or(if go { 25 } else { 100 })
    }

    /// Nodes or playouts of the other plies.
    pub fn fast(&self) -> u64 {
        self.fast.unwrap_or(self.nodes.div_ceil(5))
    }

    /// Draws how a ply is searched: whether in full, and by how many nodes or playouts.
    pub fn draw_ply(&self, rng: &mut SplitMix) -> (bool, u64) {
        // Nothing is drawn where all plies are full, so that such games are what they were before there was a choice.
        let full = self.full() == 100 || percent(self.full(), rng);
        (full, if full { self.nodes } else { self.fast() })
    }
}

/// Games a thread plays between two writes.
const BATCH: u64 = 8;
/// The time between two lines of progress where the output is no terminal.
const NEWS: Duration = Duration::from_secs(60);

pub fn run(args: &DatagenArgs) -> Result<()> {
    if register::find(&args.game)?.name == GO.name {
        return crate::go::datagen::run(args);
    }
    of_game!(&args.game, generate(args))
}

/// The network that plays, and its hash.
pub fn network<P: PieceValues>(path: Option<&Path>) -> Result<(EvalSource, u32)> {
    let Some(path) = path else {
        return Ok((EvalSource::Material, 0));
    };
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let net = Net::read::<P>(&bytes).map_err(|e| anyhow::anyhow!("{}: {e}", path.display()))?;
    Ok((EvalSource::Net(Arc::new(net)), hash(&bytes).max(1)))
}

fn generate<P: PieceValues>(args: &DatagenArgs) -> Result<()> {
    let kind = ALPHABETA.iter().position(|g| g.name == P::NAME);
    let kind = kind.context("a game without a number")?;
    let (source, net_hash) = network::<P>(args.net.as_deref())?;
    if args.dfrc + args.long_openings > 100 {
        bail!(
            "--dfrc {} and --long-openings {} are more than a hundred games in a hundred",
            args.dfrc,
            args.long_openings
        );
    }
    let blank = GameRecord {
        kind,
        seed: args.seed,
        number: 0,
        nodes: args.nodes,
        net: net_hash,
        setup: String::new(),
        result: Some(0.5),
        more: false,
        plies: Vec::new(),
    };
    let settings = blank.settings(settings::<P>(args));
    let (file, done) = resume(&args.out, b"NK", |bytes| sound(bytes, &args.out, &settings))?;
    let seats: Mutex<Vec<SelfPlayer<P>>> = Mutex::new(Vec::new());
    produce(args, file, done, |number| {
        let free = seats.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut seat = match free {
            Some(seat) => seat,
            None => SelfPlayer::new(&source)?,
        };
        let records = seat.game(
            args,
            GameRecord {
                number,
                ..blank.clone()
            },
        );
        seats.lock().unwrap_or_else(PoisonError::into_inner).push(seat);
        let mut bytes = if number == 0 { settings.record() } else { Vec::new() };
        bytes.extend(records.iter().flat_map(GameRecord::record));
        let plies = records.iter().flat_map(|g| &g.plies);
        Ok((bytes, plies.filter(|p| p.score.is_some()).count()))
    })
}

/// What a game depends on beside its seed, its number, the nodes and the network, as a text.
fn settings<P: PieceValues>(args: &DatagenArgs) -> String {
    let mut text = format!(
        "--plies {} --long-openings {} --fair {} --give-up {} --random-moves {} --inside {}",
        args.plies, args.long_openings, args.fair, args.give_up, args.random_moves, args.inside
    );
    if args.full() < 100 {
        text += &format!(" --full {} --fast {}", args.full(), args.fast());
    }
    if starts::has_dfrc::<P>() {
        text += &format!(" --dfrc {}", args.dfrc);
    }
    if P::CHANCE {
        text += &format!(" --deals {}", args.deals);
    }
    text
}

/// Makes the games from number `done` on: `make` gives a game's bytes and how many positions it has to learn from.
pub fn produce(
    args: &DatagenArgs,
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
            let each = start.elapsed().as_secs_f64() / (next - done) as f64;
            eprintln!(
                "{next} of {} games, {positions} positions, {rate:.0}/s, {} left",
                args.games,
                HumanDuration(Duration::from_secs_f64(each * (args.games - next) as f64))
            );
            news = Instant::now();
        }
    }
    bar.finish();
    Ok(())
}

/// Opens the file behind its last sound game; returns how many games it holds. `scan` finds where the last sound game
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

/// Where the last whole game ends, and how many there are, all of this run. A file begins with the record of its settings.
fn sound(bytes: &[u8], path: &Path, settings: &GameRecord) -> Result<(usize, u64)> {
    let name = path.display();
    let (mut scan, mut done, mut end) = (Scan::<GameRecord>::new(bytes), 0, 0);
    let mut first = true;
    while let Some(game) = scan.next() {
        let told = |g: &GameRecord| {
            format!(
                "{} of seed {} at {} nodes, network {:08x}",
                ALPHABETA[g.kind].name, g.seed, g.nodes, g.net
            )
        };
        if told(&game) != told(settings) {
            bail!("{name} holds games of {}; expected {}", told(&game), told(settings));
        }
        if std::mem::take(&mut first) {
            match game.told_settings() {
                Some(text) if text == settings.setup => continue,
                Some(text) => bail!("{name} holds games of {text}; expected {}", settings.setup),
                None => {
                    bail!("{name} does not begin with its settings (an earlier version's file); give another --out")
                }
            }
        }
        if game.number != done {
            bail!(
                "{name} has game {} where {done} is expected; it is no single run's file",
                game.number
            );
        }
        if !game.more {
            (done, end) = (done + 1, scan.end);
        }
    }
    Ok((end, done))
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use nguky::game::Position;
    use nguky::games::{chess::Chess, coup::Coup, shogi::Shogi, xiangqi::Xiangqi};

    /// Settings of short games.
    pub fn args(game: &str, dir: &Path, name: &str, games: u64) -> DatagenArgs {
        DatagenArgs {
            game: game.into(),
            games,
            nodes: 60,
            full: None,
            fast: None,
            seed: 5,
            threads: 2,
            plies: 8,
            long_openings: 20,
            dfrc: 20,
            fair: 600,
            give_up: 1500,
            random_moves: 0,
            inside: 0,
            deals: 1,
            net: None,
            teacher: None,
            visits: None,
            precision: Precision::Float,
            sizes: "9".into(),
            out: dir.join(name),
        }
    }

    #[test]
    fn a_killed_run_goes_on_and_ends_the_same() {
        let dir = std::env::temp_dir().join(format!("nguky-datagen-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder");
        let args = |name: &str| DatagenArgs {
            random_moves: 50,
            inside: 20,
            ..args("chess", &dir, name, 18)
        };
        run(&args("whole")).expect("a run");
        let whole = std::fs::read(dir.join("whole")).expect("the file");
        assert_eq!(Scan::<GameRecord>::new(&whole).filter(|g| !g.more).count(), 18);
        for cut in [0, 1, 8, 40, whole.len() / 3, whole.len() / 2, whole.len() - 1] {
            std::fs::write(dir.join("broken"), &whole[..cut]).expect("written");
            run(&args("broken")).expect("a run");
            assert!(
                std::fs::read(dir.join("broken")).expect("the file") == whole,
                "cut at {cut}"
            );
        }
        let other = DatagenArgs {
            seed: 6,
            ..args("whole")
        };
        let told = run(&other).expect_err("another seed").to_string();
        assert!(told.contains("seed 5") && told.contains("seed 6"), "{told}");
        let other = DatagenArgs {
            inside: 21,
            ..args("whole")
        };
        let told = run(&other).expect_err("other settings").to_string();
        assert!(told.contains("--inside 20") && told.contains("--inside 21"), "{told}");
        let other = DatagenArgs {
            dfrc: 60,
            long_openings: 41,
            ..args("new")
        };
        let told = run(&other).expect_err("too many").to_string();
        assert!(told.contains("more than a hundred"), "{told}");
        assert!(!dir.join("new").exists());
        // A file of an earlier version has no settings.
        let games: Vec<GameRecord> = Scan::<GameRecord>::new(&whole).skip(1).collect();
        let bytes: Vec<u8> = games.iter().flat_map(GameRecord::record).collect();
        std::fs::write(dir.join("whole"), &bytes).expect("written");
        let told = run(&args("whole")).expect_err("no settings").to_string();
        assert!(told.contains("does not begin with its settings"), "{told}");
        assert_eq!(std::fs::read(dir.join("whole")).expect("the file"), bytes);
        std::fs::remove_dir_all(&dir).expect("removed");
    }

    /// The games of a run, the record of the settings left out.
    fn played(args: &DatagenArgs) -> Vec<GameRecord> {
        run(args).expect("a run");
        let bytes = std::fs::read(&args.out).expect("the file");
        Scan::new(&bytes).skip(1).collect()
    }

    #[test]
    fn games_play_over_in_every_game() {
        let dir = std::env::temp_dir().join(format!("nguky-datagen-all-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder");
        fn all<P: Position>(dir: &Path) {
            let args = DatagenArgs {
                random_moves: 100,
                inside: 30,
                deals: 3,
                ..args(P::NAME, dir, P::NAME, 3)
            };
            let (mut plies, games) = (0, played(&args));
            let (mut inside, mut cut, mut mean) = (0, 0, 0);
            for game in &games {
                let mut last = None;
                assert!(
                    game.replay::<P>(&mut |pos, _| last = Some(pos.in_check())),
                    "{}",
                    P::NAME
                );
                plies += game.plies.len();
                let alone = game.result.is_none() && game.plies.len() == 1;
                assert!(!alone || last == Some(false), "{}: a position in check", P::NAME);
                inside += usize::from(alone);
                cut += usize::from(game.result.is_none() && game.plies.len() >= 20);
                mean += usize::from(game.result.is_some_and(|r| (2.0 * r).fract() != 0.0));
            }
            assert_eq!(games.iter().filter(|g| !g.more).count(), 3, "{}", P::NAME);
            assert!(
                plies > 60 && inside > plies / 12,
                "{}: {inside} of {plies} plies",
                P::NAME
            );
            assert!(cut > 0, "{}: no game with a random move", P::NAME);
            assert!(mean == 0 || P::CHANCE, "{}: {mean} mean results", P::NAME);
            // The rest was played three times.
            assert!(!P::CHANCE || games.iter().filter(|g| g.result.is_some()).count() > 3);
            let size = std::fs::metadata(dir.join(P::NAME)).expect("the file").len() as usize;
            assert!(size < 6 * plies + 130 * inside + 1000, "{size} bytes, {plies} plies");
        }
        all::<Chess>(&dir);
        all::<Xiangqi>(&dir);
        all::<Coup>(&dir);
        all::<Shogi>(&dir);
        std::fs::remove_dir_all(&dir).expect("removed");
    }

    /// The openings are as many random plies as the options say, a share of them from double Fischer random setups.
    #[test]
    fn openings_come_in_their_shares() {
        let dir = std::env::temp_dir().join(format!("nguky-datagen-openings-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder");
        let games = |dfrc, long_openings| {
            let name = format!("{dfrc}-{long_openings}");
            let args = DatagenArgs {
                nodes: 1,
                give_up: 0,
                dfrc,
                long_openings,
                ..args("chess", &dir, &name, 24)
            };
            played(&args)
        };
        let random = |g: &GameRecord| g.plies.iter().take_while(|p| p.score.is_none()).count();
        for game in games(0, 0) {
            assert!(game.setup.is_empty() && (8..=9).contains(&random(&game)));
        }
        for game in games(0, 100) {
            assert!(game.setup.is_empty() && (10..=12).contains(&random(&game)));
        }
        for game in games(100, 0) {
            assert!(!game.setup.is_empty() && (8..=9).contains(&random(&game)));
        }
        let mixed = games(40, 30);
        let dfrc = mixed.iter().filter(|g| !g.setup.is_empty()).count();
        let long = mixed.iter().filter(|g| random(g) > 9).count();
        assert!((3..=18).contains(&dfrc) && (1..=15).contains(&long), "{dfrc}, {long}");
        std::fs::remove_dir_all(&dir).expect("removed");
    }

    /// So many plies in a hundred have a score, whatever else a run does, and a run of such games is resumed as others are.
    #[test]
    fn fast_searches_leave_no_score() {
        let dir = std::env::temp_dir().join(format!("nguky-datagen-fast-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder");
        let args = |name: &str| DatagenArgs {
            full: Some(30),
            random_moves: 50,
            inside: 20,
            ..args("chess", &dir, name, 16)
        };
        let (mut scored, mut all) = (0, 0);
        for game in played(&args("fast")) {
            // What is one ply long comes from inside a search tree.
            if game.plies.len() > 1 {
                let played = game.plies.iter().skip_while(|p| p.score.is_none());
                (scored, all) = played.fold((scored, all), |(s, n), p| (s + usize::from(p.score.is_some()), n + 1));
            }
        }
        let share = 100 * scored / all;
        assert!(all > 300 && (24..=38).contains(&share), "{scored} of {all}");
        let whole = std::fs::read(dir.join("fast")).expect("the file");
        std::fs::write(dir.join("cut"), &whole[..whole.len() / 2]).expect("written");
        run(&args("cut")).expect("a run");
        assert!(std::fs::read(dir.join("cut")).expect("the file") == whole);
        let other = DatagenArgs {
            full: Some(31),
            ..args("fast")
        };
        let told = run(&other).expect_err("other settings").to_string();
        assert!(told.contains("--full 30") && told.contains("--full 31"), "{told}");
        std::fs::remove_dir_all(&dir).expect("removed");
    }

    /// Positions before the rest was played several times have the mean result of it.
    #[test]
    fn games_of_chance_share_a_mean_result() {
        let dir = std::env::temp_dir().join(format!("nguky-datagen-deals-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder");
        let args = DatagenArgs {
            deals: 4,
            nodes: 20,
            ..args("coup", &dir, "deals", 4)
        };
        let (mut branches, mut trunks) = (Vec::new(), 0);
        for game in played(&args) {
            let result = game.result.expect("nothing but games with a result");
            if game.setup.is_empty() && branches.len() == 4 {
                let mean = branches.iter().sum::<f32>() / 4.0;
                assert!((result - mean).abs() < 1e-6, "{result} of {branches:?}");
                trunks += 1;
            }
            if game.more {
                branches.push(result);
            } else {
                branches.clear();
            }
        }
        assert!(trunks > 1, "{trunks} games were played on several times");
        std::fs::remove_dir_all(&dir).expect("removed");
    }
}
