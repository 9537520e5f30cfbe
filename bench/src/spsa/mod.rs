//! `nguky spsa`: tunes the search's numbers by playing both sides of a random step against each other.
//!
//! Simultaneous perturbation stochastic approximation (Spall 1992) with the gains that Fishtest uses: every number takes
//! its own step up or down by a coin, the pair of engines so made plays one opening with both colours, and all numbers
//! move along the winner's side. The engine has to be built with the feature `tune`.

pub mod factorial;
mod plot;
mod state;

use crate::arena::books;
use crate::arena::game::{self, Course, Draw, Fault, MatchRules, Resign};
use crate::arena::identity::HashedWord;
use crate::arena::openings::Paired;
use crate::arena::player::{INTERRUPTED, Pace, Player, Spec};
use crate::games::{every_alphabeta_game, of_game};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args as ClapArgs;
use indicatif::{ProgressBar, ProgressStyle};
use nguky::game::{Position, Scope, Tunable, Tunables};
use nguky::util::rng::SplitMix;
use state::SpsaState;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// What `nguky spsa` and `nguky factorial` have in common on their command lines.
#[derive(ClapArgs)]
struct SeriesArgs {
    #[arg(long, default_value = "chess", help = every_alphabeta_game())]
    game: String,
    /// The engine, built with the feature "tune": "cmd=PATH [option.Hash=16]"
    #[arg(long, value_name = "SPEC")]
    engine: String,
    /// Clock of both sides, [MOVES/]SECONDS[+INCREMENT], instead of nodes
    #[arg(long)]
    tc: Option<String>,
    /// Games at a time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
    /// Seed of openings and of what is drawn
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Random plies of an opening [default: 8, none in cờ úp, where the deals differ]
    #[arg(long)]
    plies: Option<u32>,
    /// Open from these positions in turn, one a line (FEN, SFEN, EPD), not by random plies; fair ones tell more, and the engines'
    /// command `genfens` finds them
    #[arg(long, value_name = "FILE", conflicts_with = "plies")]
    openings: Option<PathBuf>,
    /// A game is lost when the loser's own score is below this for three of its moves; 0 plays games out
    #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(i32).range(0..))]
    resign: i32,
    /// Call a game drawn when, from move NUMBER on, both scores were within SCORE for MOVES moves each
    #[arg(long, value_name = "NUMBER,MOVES,SCORE")]
    draw: Option<String>,
}

/// How a series of pairs is played.
struct Setting<P> {
    spec: Spec,
    pace: Pace,
    openings: Openings<P>,
    rules: MatchRules,
}

/// Where the pairs of a series begin.
enum Openings<P> {
    /// After so many random plies.
    Random(u32),
    /// At the positions of a file, in turn, which has this name and contents.
    Positions(Vec<P>, String),
}

impl<P: Paired> Openings<P> {
    /// The opening of a pair.
    fn of_pair(&self, seed: u64, pair: u64) -> Result<P::Opening> {
        match self {
            Self::Random(plies) => P::opening(*plies, seed, pair),
            Self::Positions(all, _) => Ok(P::opening_at(&all[(pair % all.len() as u64) as usize], seed, pair)),
        }
    }

    /// What a run that goes on has to share.
    fn term(&self) -> String {
        match self {
            Self::Random(plies) => plies.to_string(),
            Self::Positions(_, file) => file.clone(),
        }
    }
}

impl SeriesArgs {
    /// The setting for a game, with so many nodes a move where there is no clock.
    fn setting<P: Paired>(&self, nodes: u64) -> Result<Setting<P>> {
        let mut spec = Spec::parse(&self.engine)?;
        if spec.protocol.is_empty() {
            spec.protocol = P::ABOUT.program_protocol.into();
        }
        let pace = self.tc.as_deref().map_or(Ok(Pace::Nodes(nodes)), Pace::clock)?;
        Ok(Setting {
            spec,
            pace,
            openings: match &self.openings {
                None => Openings::Random(self.plies.unwrap_or(P::PLIES)),
                Some(file) => Openings::Positions(
                    books::positions(file).context("--openings")?,
                    HashedWord::argument(&file.display().to_string())?.shown(),
                ),
            },
            rules: MatchRules {
                paces: [pace; 2],
                margin: Duration::from_millis(100),
                patience: Duration::from_secs(10),
                longest: 400,
                resign: Some(self.resign)
                    .filter(|&score| score > 0)
                    .map(|score| Resign { score, moves: 3 }),
                draw: self.draw.as_deref().map(Draw::parse).transpose()?,
            },
        })
    }

    /// Runs the worker in as many threads as games are played at a time, under a bar of so many pairs, until all end or the
    /// user interrupts.
    fn run(&self, pairs: u64, worker: impl Fn(&ProgressBar) -> Result<()> + Sync) -> Result<()> {
        let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} pairs  {eta} left")?;
        let bar = ProgressBar::new(pairs).with_style(style);
        std::thread::scope(|scope| -> Result<()> {
            let handles: Vec<_> = (0..self.concurrency).map(|_| scope.spawn(|| worker(&bar))).collect();
            handles
                .into_iter()
                .try_for_each(|h| h.join().unwrap_or_else(|_| bail!("a game thread failed")))
        })?;
        bar.finish_and_clear();
        Ok(())
    }
}

/// The command line of `nguky spsa`.
#[derive(ClapArgs)]
pub struct SpsaArgs {
    #[command(flatten)]
    series: SeriesArgs,
    /// Nodes a move
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Pairs of games in all
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    pairs: u64,
    /// Learning rate at the end, in squared steps; Fishtest's suits tens of thousands of pairs, fewer want more
    #[arg(long, default_value_t = FISHTEST_RATE, value_parser = learning_rate)]
    rate: f64,
    /// How far a number is stepped up and down at the end, in its steps; wider steps tell more of weak numbers, and less of
    /// where the best value lies
    #[arg(long, default_value_t = 1.0, value_parser = width)]
    width: f64,
    /// The numbers to tune, with commas between [default: all that have an effect in this game, with this limit]
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Begin from the values of another run's state instead of the engine's own
    #[arg(long, value_name = "STATE")]
    start: Option<PathBuf>,
    /// Where the values are kept; the same command goes on from there
    #[arg(long, default_value = "spsa.json")]
    state: PathBuf,
}

/// Exponents and horizon of the gains (Spall's advice).
const ALPHA: f64 = 0.602;
const GAMMA: f64 = 0.101;
const STABILITY: f64 = 0.1;
/// Fishtest's learning rate at the end, in squared steps.
const FISHTEST_RATE: f64 = 0.002;

fn learning_rate(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(rate) if rate > 0.0 && rate <= 1.0 => Ok(rate),
        _ => Err("expected a number above 0, up to 1".into()),
    }
}

fn width(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(width) if (0.1..=20.0).contains(&width) => Ok(width),
        _ => Err("expected a number from 0.1 to 20".into()),
    }
}

/// The gain schedule at one pair of a run.
#[derive(Clone, Copy)]
struct Schedule {
    /// The pair that is played.
    k: u64,
    /// Pairs in all.
    n: u64,
    /// Learning rate at the end, in squared steps.
    rate: f64,
    /// Perturbation at the end, in steps.
    width: f64,
}

impl Schedule {
    /// The perturbation and the gain of a number, so that the first and the product of both end at `width * step` and
    /// `rate * step²`.
    fn gains(&self, step: f64) -> (f64, f64) {
        let (k, n) = (self.k as f64 + 1.0, self.n as f64);
        let stable = STABILITY * n;
        let c = self.width * step * (n / k).powf(GAMMA);
        let a = self.rate * step * step * ((stable + n) / (stable + k)).powf(ALPHA);
        (c, a / c)
    }
}

/// One step drawn: both sides' values, rounded by chance so that fractions count, and each number's direction.
fn drawn(
    values: &[(String, f64)],
    numbers: &[Tunable],
    schedule: Schedule,
    rng: &mut SplitMix,
) -> ([Vec<i32>; 2], Vec<f64>) {
    let (mut sides, mut flips) = ([Vec::new(), Vec::new()], Vec::new());
    for ((_, value), t) in values.iter().zip(numbers) {
        let flip = if rng.below(2) == 0 { 1.0 } else { -1.0 };
        let (c, _) = schedule.gains(f64::from(t.step));
        let dither = rng.below(1 << 20) as f64 / f64::from(1 << 20);
        for (side, sign) in sides.iter_mut().zip([flip, -flip]) {
            let exact = (value + sign * c).clamp(f64::from(t.min), f64::from(t.max));
            side.push((exact + dither).floor() as i32);
        }
        flips.push(flip);
    }
    (sides, flips)
}

/// Moves the values along the side that scored `result` more points (of two games) than the other.
fn step(state: &mut SpsaState, numbers: &[Tunable], schedule: Schedule, flips: &[f64], result: f64) {
    for (((_, value), t), flip) in state.values.iter_mut().zip(numbers).zip(flips) {
        let (_, gain) = schedule.gains(f64::from(t.step));
        *value = (*value + gain * result * flip).clamp(f64::from(t.min), f64::from(t.max));
    }
}

/// Runs the tuning.
pub fn run(args: &SpsaArgs) -> Result<()> {
    of_game!(&args.series.game, tune(args))
}

/// The numbers of a game that `only` names, all without it. Those that have no effect on the games played, with a clock
/// or without, are left out: their values would drift by chance.
fn chosen<P: Position>(only: &[String], clock: bool) -> Result<Vec<Tunable>> {
    let mut all = P::Tune::all();
    all.retain(|t| t.scope.counts(P::CHANCE, clock));
    for name in only {
        if all.iter().any(|t| t.name == name) {
            continue;
        }
        let names = all.iter().map(|t| t.name).collect::<Vec<_>>().join(", ");
        match P::Tune::all().iter().find(|t| t.name == name).map(|t| t.scope) {
            Some(Scope::Clock) => bail!("--only: {name} has no effect without a clock; give --tc"),
            Some(Scope::Report) => bail!("--only: {name} has no effect on play, only on the reported chances"),
            Some(_) => bail!("--only: {name} has no effect in {}; expected some of {names}", P::NAME),
            None => bail!("--only: no number {name:?}; expected some of {names}"),
        }
    }
    let wanted = |t: &Tunable| only.is_empty() || only.iter().any(|n| n == t.name);
    Ok(all.into_iter().filter(wanted).collect())
}

/// Plays an opening with both colours: the points by which the first engine scored more than the second, of two; nothing
/// when the run is interrupted.
///
/// # Errors
/// When an engine ends, hangs or breaks a rule: it cannot be tuned. A lost clock is a result like others.
fn play_pair<C: Course + Clone>(opening: &C, [a, b]: &mut [Player; 2], rules: &MatchRules) -> Result<Option<f64>> {
    let Some(first) = game::follow(&mut opening.clone(), [a, b], rules) else {
        return Ok(None);
    };
    let Some(second) = game::follow(&mut opening.clone(), [b, a], rules) else {
        return Ok(None);
    };
    let gone = |f: &(usize, Fault)| f.1 != Fault::TimeLoss;
    if let Some((_, fault)) = first.fault.filter(gone).or(second.fault.filter(gone)) {
        bail!("a game ended by {fault:?}");
    }
    Ok(Some(f64::from(first.points) - f64::from(second.points)))
}

fn tune<P: Paired>(args: &SpsaArgs) -> Result<()> {
    let series = &args.series;
    let numbers = chosen::<P>(&args.only, series.tc.is_some())?;
    let Setting {
        spec,
        pace,
        openings,
        rules,
    } = series.setting::<P>(args.nodes)?;
    let mut meaning = format!(
        "{} {spec:?} {pace} {} {} {} {} {} {} {}",
        series.game,
        args.pairs,
        openings.term(),
        series.seed,
        args.rate,
        args.width,
        series.resign,
        series.draw.as_deref().unwrap_or_default()
    );
    if let Some(start) = &args.start {
        meaning += &format!(" {}", start.display());
    }
    let state = SpsaState::load(&args.state, args.start.as_deref(), &meaning, &numbers)?;
    let open = Mutex::new(state.open(args.pairs));
    let state = Mutex::new(state);
    let picture = args.state.with_extension("svg");
    if picture == args.state {
        bail!(
            "--state: the picture of the values' course takes the name {}; expected another ending",
            picture.display()
        );
    }
    let mut seated = spec;
    // The options are declared by tuning builds only: an engine without the first is refused at once.
    let first = (numbers[0].name.into(), (numbers[0].get)().to_string());
    seated.options.push(first);
    let worker = |bar: &ProgressBar| -> Result<()> {
        let mut seats = [P::seat(&seated)?, P::seat(&seated)?];
        loop {
            let next = open.lock().map_err(|_| anyhow!("a game thread failed"))?.next();
            let Some(k) = next.filter(|_| !INTERRUPTED.load(Ordering::Relaxed)) else {
                return Ok(());
            };
            let schedule = Schedule {
                k,
                n: args.pairs,
                rate: args.rate,
                width: args.width,
            };
            let mut rng = SplitMix::new(series.seed ^ k.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let lock = || state.lock().map_err(|_| anyhow!("a game thread failed"));
            let values = lock()?.values.clone();
            let (sides, flips) = drawn(&values, &numbers, schedule, &mut rng);
            for (seat, side) in seats.iter_mut().zip(&sides) {
                for (t, value) in numbers.iter().zip(side) {
                    seat.set(t.name, &value.to_string());
                }
            }
            let Some(result) = play_pair(&openings.of_pair(series.seed, k)?, &mut seats, &rules)? else {
                return Ok(());
            };
            let mut state = lock()?;
            step(&mut state, &numbers, schedule, &flips, result);
            let further = state.finish(k, args.pairs);
            state.save(&args.state)?;
            if further {
                plot::draw(&picture, &series.game, &state, &numbers, args.pairs)?;
            }
            bar.set_position(state.played());
            if bar.is_hidden() && state.played().is_multiple_of(100) {
                eprintln!("{}/{} pairs", state.played(), args.pairs);
            }
        }
    };
    series.run(args.pairs, worker)?;
    let state = state.into_inner().map_err(|_| anyhow!("a game thread failed"))?;
    println!(
        "after {} of {} pairs (state in {}, course of the values in {})",
        state.played(),
        args.pairs,
        args.state.display(),
        picture.display()
    );
    for ((name, value), t) in state.values.iter().zip(&numbers) {
        println!("{name:<28} {:>7} -> {value:>9.1}  [{}, {}]", (t.get)(), t.min, t.max);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nguky::games::{chess::Chess, coup::Coup};

    fn series(game: &str) -> SeriesArgs {
        SeriesArgs {
            game: game.into(),
            engine: "cmd=/nonexistent/engine".into(),
            tc: None,
            concurrency: 1,
            seed: 1,
            plies: None,
            openings: None,
            resign: 0,
            draw: None,
        }
    }

    /// Cờ úp's numbers can be tuned too, over starts that pairs share and that differ between pairs.
    #[test]
    fn every_pair_of_coup_has_a_deal() {
        let args = SpsaArgs {
            series: series("coup"),
            nodes: 1,
            pairs: 1,
            rate: FISHTEST_RATE,
            width: 1.0,
            only: Vec::new(),
            start: None,
            state: "/nonexistent/state".into(),
        };
        let e = format!("{:#}", run(&args).expect_err("no such engine"));
        assert!(e.contains("/nonexistent/engine"), "{e}");
        let faces = |number| {
            <Coup as Paired>::opening(Coup::PLIES, 1, number)
                .expect("a deal")
                .faces()
        };
        assert_eq!(faces(0), faces(0));
        assert_ne!(faces(0), faces(1));
    }

    /// The positions of a file come in turn, again from the first; where pieces are hidden, each pair has a deal of its own.
    #[test]
    fn openings_of_a_file_come_in_turn() {
        let path = std::env::temp_dir().join(format!("nguky-series-openings-{}.epd", std::process::id()));
        let setups = [Chess::START, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"];
        std::fs::write(&path, setups.join("\n")).expect("a file");
        let mut args = series("chess");
        args.openings = Some(path.clone());
        let Setting { openings, .. } = args.setting::<Chess>(1).expect("a setting");
        let begun = |pair| openings.of_pair(1, pair).expect("an opening").told(0).0.to_owned();
        assert_eq!([begun(0), begun(1), begun(2)], [setups[0], setups[1], setups[0]]);
        assert_ne!(
            openings.term(),
            path.display().to_string(),
            "without the hash of its contents"
        );
        std::fs::write(&path, "no position").expect("a file");
        assert!(args.setting::<Chess>(1).is_err());
        std::fs::remove_file(&path).expect("removed");
        let told = format!("{:#}", args.setting::<Chess>(1).err().expect("no file"));
        assert!(told.starts_with("--openings: "), "{told}");
        let start = Coup::parse(Coup::START, &Default::default()).expect("the start");
        let faces = |pair| {
            Openings::Positions(vec![start.clone()], String::new())
                .of_pair(1, pair)
                .expect("a deal")
                .faces()
        };
        assert_eq!(faces(0), faces(0));
        assert_ne!(faces(0), faces(1));
    }

    #[test]
    fn gains_end_where_they_should() {
        let at = |k| Schedule {
            k,
            n: 10_000,
            rate: FISHTEST_RATE,
            width: 1.0,
        };
        let (c, gain) = at(9_999).gains(8.0);
        assert!((c - 8.0).abs() < 1e-9 && (gain * c - FISHTEST_RATE * 64.0).abs() < 1e-9);
        let (c0, gain0) = at(0).gains(8.0);
        assert!(c0 > c && gain0 > gain);
    }

    /// Games decided by a known curve lead to its top.
    #[test]
    fn the_top_of_a_hill_is_found() {
        let numbers: Vec<Tunable> =
            chosen::<Chess>(&["futility_base".into(), "probcut".into()], false).expect("known names");
        let mut state = SpsaState::fresh(None, "", &numbers).expect("the engine's values");
        let tops = [200.0, 300.0];
        let worth = |side: &[i32]| -> f64 {
            let off = |i: usize| (f64::from(side[i]) - tops[i]) / f64::from(numbers[i].step);
            -(off(0).powi(2) + off(1).powi(2)) / 20.0
        };
        let n = 20_000;
        for k in 0..n {
            let mut rng = SplitMix::new(k);
            let schedule = Schedule {
                k,
                n,
                rate: FISHTEST_RATE,
                width: 1.0,
            };
            let (sides, flips) = drawn(&state.values, &numbers, schedule, &mut rng);
            let result = (worth(&sides[0]) - worth(&sides[1])).clamp(-2.0, 2.0);
            step(&mut state, &numbers, schedule, &flips, result);
        }
        for ((name, value), top) in state.values.iter().zip(tops) {
            assert!((value - top).abs() < 15.0, "{name}: {value}, not {top}");
        }
    }

    /// A run begun from another's values has them, and refuses a state that lacks one or has it out of range.
    #[test]
    fn a_run_begins_from_anothers_values() {
        let numbers = chosen::<Chess>(&["futility_base".into(), "probcut".into()], false).expect("known names");
        let path = std::env::temp_dir().join(format!("nguky-spsa-start-{}.json", std::process::id()));
        let begun = |values: [(&str, f64); 2]| {
            let other = SpsaState {
                terms: "another run".into(),
                values: values.map(|(n, v)| (n.into(), v)).into(),
                ..SpsaState::default()
            };
            other.save(&path).expect("saved");
            SpsaState::fresh(Some(&path), "this run", &numbers)
        };
        let state = begun([("probcut", 171.5), ("futility_base", 99.25)]).expect("begun");
        assert_eq!((state.played(), state.terms.as_str()), (0, "this run"));
        assert_eq!(state.course, [(0, vec![171.5, 99.25])]);
        for (name, value) in state.values {
            assert_eq!(value, if name == "probcut" { 171.5 } else { 99.25 }, "{name}");
        }
        let lacking = begun([("probcut", 171.5), ("nonsense", 1.0)]).err().expect("lacks one");
        assert!(lacking.to_string().contains("futility_base"), "{lacking}");
        let far = begun([("probcut", 1e9), ("futility_base", 99.25)])
            .err()
            .expect("too far");
        assert!(far.to_string().contains("1000000000 as probcut; expected "), "{far}");
        std::fs::remove_file(&path).expect("removed");
    }

    /// A number without effect in the games that are played would only drift: chance numbers in chess, the clock's at
    /// fixed nodes, those of the reported chances everywhere.
    #[test]
    fn only_numbers_with_an_effect_move() {
        let names = |all: Result<Vec<Tunable>>| -> Vec<_> { all.expect("numbers").iter().map(|t| t.name).collect() };
        let chess = names(chosen::<Chess>(&[], false));
        for without in [
            "chance_spread",
            "chance_depth",
            "chance_rare",
            "horizon",
            "wdl_spread",
            "wdl_even",
            "wdl_rise",
        ] {
            assert!(!chess.contains(&without), "{without}");
        }
        assert!(chess.contains(&"lmr_base"));
        assert!(names(chosen::<Chess>(&[], true)).contains(&"horizon"));
        let coup = names(chosen::<Coup>(&[], false));
        assert!(coup.contains(&"chance_spread") && !coup.contains(&"wdl_even"));
        for (name, why) in [
            ("chance_spread", "no effect in chess"),
            ("horizon", "give --tc"),
            ("wdl_even", "no effect on play"),
        ] {
            let e = chosen::<Chess>(&[name.into()], false).expect_err("no effect");
            assert!(e.to_string().contains(why), "{e}");
        }
    }

    #[test]
    fn unknown_numbers_are_named() {
        let e = chosen::<Chess>(&["nonsense".into()], false)
            .expect_err("unknown")
            .to_string();
        assert!(e.contains("nonsense") && e.contains("late_moves_base"), "{e}");
    }
}
