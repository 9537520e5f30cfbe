//! `nguky match`: engine against engine over pipes, refereed by the rules of the library.
//!
//! Games come in pairs: the same opening twice, colours swapped. Each game is fixed by its number, and finished games
//! are kept in a state file, so that a killed match goes on where it stopped.

mod game;
mod player;
mod record;
mod stats;

use anyhow::{Context, Result, bail};
use clap::Args as ClapArgs;
use game::{Fault, Played, Terms};
use indicatif::{ProgressBar, ProgressStyle};
use nguky::game::{Kind, Moves, Position};
use nguky::games::chess::Chess;
use nguky::util::rng::SplitMix;
use player::{Pace, Player, Spec};
use record::{Head, Recorded};
use serde::{Deserialize, Serialize};
use stats::Pairs;
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

#[derive(ClapArgs)]
pub struct Args {
    /// The game played
    #[arg(long, default_value = "chess")]
    game: String,
    /// An engine, "cmd=PATH [name=N] [tc=2+0.02] [nodes=K] [option.Hash=16]"; give two, or none for the built-in one
    #[arg(long)]
    engine: Vec<String>,
    /// Clock of both engines, seconds + increment
    #[arg(long, default_value = "1+0.01")]
    tc: String,
    /// Nodes a move instead of a clock
    #[arg(long, conflicts_with_all = ["depth", "movetime"])]
    nodes: Option<u64>,
    /// Depth instead of a clock
    #[arg(long, conflicts_with = "movetime")]
    depth: Option<u32>,
    /// Milliseconds a move instead of a clock
    #[arg(long)]
    movetime: Option<u64>,
    /// Games; an odd number is rounded up to whole pairs
    #[arg(long, default_value_t = 20)]
    games: usize,
    /// Random plies of an opening
    #[arg(long, default_value_t = 8)]
    plies: u32,
    /// Openings from a file, a setup (FEN) a line, instead of random ones
    #[arg(long)]
    openings: Option<PathBuf>,
    /// Seed of the random openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at a time
    #[arg(long, default_value_t = 1)]
    concurrency: usize,
    /// How far a clock may be passed before the game is lost
    #[arg(long, default_value_t = 50)]
    margin_ms: u64,
    /// Stop when the ratio test of ELO0,ELO1 is decided at 5 % error
    #[arg(long)]
    sprt: Option<String>,
    /// Where the games are recorded
    #[arg(long, default_value = "games.pgn")]
    pgn: PathBuf,
    /// Where the state is kept for going on after a kill [default: beside the record]
    #[arg(long)]
    state: Option<PathBuf>,
    /// Plies after which a game is called drawn
    #[arg(long, default_value_t = 600)]
    longest: usize,
}

/// What is kept between runs.
#[derive(Serialize, Deserialize, Default)]
struct State {
    /// The command line's meaning: another match must not go on in this file.
    terms: String,
    games: BTreeMap<usize, Played>,
}

pub fn run(args: &Args) -> Result<()> {
    match args.game.as_str() {
        Chess::NAME => contest::<Chess>(args),
        other => bail!("no match for {other:?}; expected chess"),
    }
}

/// The two engines; without any, the built-in one against itself.
fn specs(args: &Args) -> Result<[Spec; 2]> {
    let given: Vec<Spec> = args.engine.iter().map(|t| Spec::parse(t)).collect::<Result<_>>()?;
    match given.as_slice() {
        [a, b] => Ok([a.clone(), b.clone()]),
        [a] => Ok([a.clone(), built_in("nguky")?]),
        [] => Ok([built_in("nguky A")?, built_in("nguky B")?]),
        _ => bail!("two engines expected, not {}", given.len()),
    }
}

fn built_in(name: &str) -> Result<Spec> {
    let path = std::env::current_exe()?.with_file_name(format!("nguky-uci{}", std::env::consts::EXE_SUFFIX));
    if !path.exists() {
        bail!("{} is missing; build it with: cargo build --release", path.display());
    }
    Ok(Spec {
        command: vec![path.display().to_string()],
        name: name.into(),
        ..Spec::default()
    })
}

fn default_pace(args: &Args) -> Result<Pace> {
    Ok(match (args.nodes, args.depth, args.movetime) {
        (Some(n), _, _) => Pace::Nodes(n),
        (_, Some(d), _) => Pace::Depth(d),
        (_, _, Some(t)) => Pace::MoveTime(Duration::from_millis(t)),
        _ => Pace::clock(&args.tc)?,
    })
}

fn openings<P: Position>(args: &Args, pairs: usize) -> Result<Vec<P>> {
    let rules = P::Rules::default();
    if let Some(path) = &args.openings {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let setups = text.lines().map(str::trim).filter(|l| !l.is_empty());
        let found: Vec<P> = setups
            .map(|l| P::parse(l, &rules).with_context(|| l.to_string()))
            .collect::<Result<_>>()?;
        if found.is_empty() {
            bail!("{}: no openings", path.display());
        }
        return Ok(found.into_iter().cycle().take(pairs).collect());
    }
    let mut rng = SplitMix::new(args.seed);
    let start = P::parse(P::START, &rules)?;
    let mut found = Vec::new();
    while found.len() < pairs {
        let mut pos = start.clone();
        for _ in 0..args.plies {
            let mut moves = Moves::new();
            pos.generate(Kind::All, &mut moves);
            if moves.is_empty() {
                break;
            }
            pos.play(moves.at(rng.below(moves.len() as u64) as usize).mv);
        }
        if pos.ended().is_none() {
            found.push(pos);
        }
    }
    Ok(found)
}

fn contest<P: Recorded>(args: &Args) -> Result<()> {
    let specs = specs(args)?;
    let pace = default_pace(args)?;
    let paces = [specs[0].pace.unwrap_or(pace), specs[1].pace.unwrap_or(pace)];
    let pairs = args.games.div_ceil(2);
    let openings = openings::<P>(args, pairs)?;
    let bounds = args.sprt.as_deref().map(bounds).transpose()?;
    let terms = format!(
        "{} {:?} {paces:?} {} {} {:?}",
        args.game, specs, args.plies, args.seed, args.openings
    );
    let path = args
        .state
        .clone()
        .unwrap_or_else(|| args.pgn.with_extension("state.json"));
    let state = load(&path, &terms)?;
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} games  {msg}  {eta} left")?;
    let bar = ProgressBar::new(2 * pairs as u64).with_style(style);
    bar.set_position(state.games.len() as u64);
    bar.set_message(summary(&tally(&state, bounds)));
    let (state, next, stop) = (Mutex::new(state), AtomicUsize::new(0), AtomicBool::new(false));
    let worker = || -> Result<()> {
        let mut seats: [Option<Player>; 2] = [None, None];
        while !stop.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= 2 * pairs {
                break;
            }
            if state.lock().is_ok_and(|s| s.games.contains_key(&number)) {
                continue;
            }
            let played = one(&specs, &mut seats, &openings[number / 2], paces, number, args)?;
            let Ok(mut state) = state.lock() else { break };
            record::<P>(args, &specs, paces, number, &played)?;
            state.games.insert(number, played);
            save(&path, &state)?;
            let tally = tally(&state, bounds);
            bar.inc(1);
            bar.set_message(summary(&tally));
            if bar.is_hidden() {
                eprintln!("{}/{} games  {}", state.games.len(), 2 * pairs, summary(&tally));
            }
            if tally.decided.is_some() {
                stop.store(true, Ordering::Relaxed);
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| -> Result<()> {
        let handles: Vec<_> = (0..args.concurrency.max(1)).map(|_| scope.spawn(worker)).collect();
        handles
            .into_iter()
            .try_for_each(|h| h.join().unwrap_or_else(|_| bail!("a game thread failed")))
    })?;
    bar.finish_and_clear();
    let Ok(state) = state.into_inner() else {
        bail!("a game thread failed")
    };
    report(&state, &specs, bounds);
    println!("games in {}", args.pgn.display());
    Ok(())
}

/// Plays one game; an engine that failed is started anew for the next.
fn one<P: Recorded>(
    specs: &[Spec; 2],
    seats: &mut [Option<Player>; 2],
    opening: &P,
    paces: [Pace; 2],
    number: usize,
    args: &Args,
) -> Result<Played> {
    for (seat, spec) in seats.iter_mut().zip(specs) {
        if seat.is_none() {
            *seat = Some(Player::start(spec)?);
        }
    }
    // In the odd games of a pair the second engine has the first move.
    let swapped = number % 2 == 1;
    let terms = Terms {
        paces: if swapped { [paces[1], paces[0]] } else { paces },
        margin: Duration::from_millis(args.margin_ms),
        longest: args.longest,
    };
    let [Some(a), Some(b)] = seats else {
        bail!("an engine is missing")
    };
    let played = game::play(opening, if swapped { [b, a] } else { [a, b] }, terms);
    if played.fault.is_some() {
        *seats = [None, None];
    }
    Ok(played)
}

fn record<P: Recorded>(args: &Args, specs: &[Spec; 2], paces: [Pace; 2], number: usize, played: &Played) -> Result<()> {
    let swapped = number % 2 == 1;
    let (first, second) = if swapped { (1, 0) } else { (0, 1) };
    let head = Head {
        names: [&specs[first].name, &specs[second].name],
        round: format!("{}.{}", number / 2 + 1, number % 2 + 1),
        time_control: paces[first].to_string(),
        date: today(),
    };
    let text = record::pgn::<P>(&head, played, &P::Rules::default());
    let mut file = OpenOptions::new().create(true).append(true).open(&args.pgn)?;
    Ok(file.write_all(text.as_bytes())?)
}

/// The date as PGN writes it (Howard Hinnant's days-to-civil algorithm).
fn today() -> String {
    let seconds = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |d| d.as_secs());
    let z = (seconds / 86_400) as i64 + 719_468;
    let (era, doe) = (z.div_euclid(146_097), z.rem_euclid(146_097));
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let (day, month) = (doy - (153 * mp + 2) / 5 + 1, if mp < 10 { mp + 3 } else { mp - 9 });
    format!("{:04}.{month:02}.{day:02}", yoe + era * 400 + i64::from(month <= 2))
}

fn load(path: &Path, terms: &str) -> Result<State> {
    let fresh = State {
        terms: terms.into(),
        ..State::default()
    };
    match std::fs::read_to_string(path) {
        Err(_) => Ok(fresh),
        Ok(text) => {
            let state: State = serde_json::from_str(&text).with_context(|| format!("{} is damaged", path.display()))?;
            // Another match's state is history, and so is a finished one's once its terms change.
            Ok(if state.terms == terms { state } else { fresh })
        }
    }
}

/// Writes a new file and swaps it in, so that a kill never leaves half a state.
fn save(path: &Path, state: &State) -> Result<()> {
    let new = path.with_extension("new");
    std::fs::write(&new, serde_json::to_string(state)?)?;
    Ok(std::fs::rename(&new, path)?)
}

fn bounds(text: &str) -> Result<(f64, f64)> {
    match text.split_once(',').map(|(a, b)| (a.trim().parse(), b.trim().parse())) {
        Some((Ok(a), Ok(b))) if a < b => Ok((a, b)),
        _ => bail!("--sprt: expected ELO0,ELO1 with ELO0 below ELO1, not {text:?}"),
    }
}

/// Both errors of the sequential test.
const ERROR: f64 = 0.05;

/// The match so far, for the first engine.
#[derive(Default)]
struct Tally {
    /// Wins, draws, losses.
    wdl: [u64; 3],
    pairs: Pairs,
    llr: Option<f64>,
    decided: Option<bool>,
    /// By engine: time losses, illegal moves, disconnects, stalls.
    faults: [[u64; 4]; 2],
    nodes: [u64; 2],
    seconds: [f64; 2],
    depths: [u64; 2],
    moves: u64,
}

fn tally(state: &State, bounds: Option<(f64, f64)>) -> Tally {
    let mut t = Tally::default();
    let points = |number: usize| -> Option<u8> {
        let p = state.games.get(&number)?.points;
        Some(if number % 2 == 1 { 2 - p } else { p })
    };
    for (&number, g) in &state.games {
        t.wdl[2 - usize::from(points(number).unwrap_or(1).min(2))] += 1;
        for side in 0..2 {
            let engine = side ^ (number % 2);
            t.nodes[engine] += g.nodes[side];
            t.seconds[engine] += g.seconds[side];
            t.depths[engine] += g.depths[side];
        }
        t.moves += g.moves.len() as u64;
        if let Some((side, fault)) = g.fault {
            let kind = match fault {
                Fault::TimeLoss => 0,
                Fault::IllegalMove => 1,
                Fault::Disconnect => 2,
                Fault::Stall => 3,
            };
            t.faults[side ^ (number % 2)][kind] += 1;
        }
        if number % 2 == 0
            && let (Some(a), Some(b)) = (points(number), points(number + 1))
        {
            t.pairs.0[usize::from(a + b).min(4)] += 1;
        }
    }
    if let Some((elo0, elo1)) = bounds {
        let (llr, limit) = (t.pairs.llr(elo0, elo1), ((1.0 - ERROR) / ERROR).ln());
        t.llr = Some(llr);
        t.decided = if llr >= limit {
            Some(true)
        } else if llr <= -limit {
            Some(false)
        } else {
            None
        };
    }
    t
}

fn summary(t: &Tally) -> String {
    let [w, d, l] = t.wdl;
    let llr = t.llr.map(|x| format!("  LLR {x:.2}")).unwrap_or_default();
    format!("+{w} ={d} -{l}{llr}")
}

fn report(state: &State, specs: &[Spec; 2], bounds: Option<(f64, f64)>) {
    let t = tally(state, bounds);
    let [w, d, l] = t.wdl;
    let n = (w + d + l).max(1) as f64;
    let (elo, error) = t.pairs.elo();
    println!("{} against {}: {} games", specs[0].name, specs[1].name, w + d + l);
    println!(
        "score      +{w} ={d} -{l}, {:.1} %",
        100.0 * (w as f64 + d as f64 / 2.0) / n
    );
    println!(
        "Elo        {elo:+.1} ± {error:.1} (95 %), likelihood of superiority {:.1} %",
        100.0 * t.pairs.superiority()
    );
    println!("pairs      {:?} of 0, ½, 1, 1½, 2 points", t.pairs.0);
    if let (Some(llr), Some((elo0, elo1))) = (t.llr, bounds) {
        let word = match t.decided {
            Some(true) => "accepted",
            Some(false) => "rejected",
            None => "open",
        };
        println!("ratio test {llr:.2} for Elo {elo1} against {elo0}: {word}");
    }
    for (i, spec) in specs.iter().enumerate() {
        let [time, illegal, gone, stalled] = t.faults[i];
        let moves = (t.moves as f64 / 2.0).max(1.0);
        println!(
            "{:<10} {time} time losses, {illegal} illegal moves, {gone} disconnects, {stalled} stalls; {:.0} nodes/s, mean depth {:.1}",
            spec.name,
            t.nodes[i] as f64 / t.seconds[i].max(1e-9),
            t.depths[i] as f64 / moves
        );
    }
}
