//! `nguky factorial`: what each of many changes of the search's numbers is worth, from one series of games.
//!
//! A two-level factorial design (Fisher 1935; Box, Hunter and Hunter, "Statistics for Experimenters"): for each pair of games
//! every change goes by a coin to one of the two engines, and a linear regression of the results has the worth of each. Every
//! game counts for every change, so that the errors are those of a match of all games, however many changes there are.

use super::{SeriesArgs, Setting, chosen, play_pair};
use crate::arena::openings::Paired;
use crate::arena::player::INTERRUPTED;
use crate::games::of_game;
use crate::whole_file;
use anyhow::{Context, Result, anyhow, bail};
use clap::Args as ClapArgs;
use indicatif::ProgressBar;
use nguky::game::Tunable;
use nguky::util::rng::SplitMix;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::Ordering;

/// The command line of `nguky factorial`.
#[derive(ClapArgs)]
pub struct FactorialArgs {
    #[command(flatten)]
    series: SeriesArgs,
    /// The changes, with commas between: lmr_base=800,null_base=4
    #[arg(long = "try", value_name = "NAME=VALUE", value_delimiter = ',', required = true)]
    changes: Vec<String>,
    /// Nodes a move
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Pairs of games in all
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pairs: u64,
    /// Where the results are kept; the same command goes on from there
    #[arg(long, default_value = "factorial.json")]
    state: PathBuf,
}

/// A number and the value tried for it.
struct Change {
    number: Tunable,
    value: i32,
}

/// The results so far.
#[derive(Serialize, Deserialize, Default)]
struct FactorialState {
    /// The settings of the run, which a command that goes on with it has to share.
    terms: String,
    /// By pair: the points, of two, by which its first engine scored more than the second.
    results: BTreeMap<u64, f64>,
}

impl FactorialState {
    fn load(path: &Path, terms: String) -> Result<Self> {
        let old: Self = match std::fs::read_to_string(path) {
            Ok(text) => serde_json::from_str(&text)
                .with_context(|| format!("{} is damaged; remove it to begin anew", path.display()))?,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self {
                    terms,
                    ..Self::default()
                });
            }
            Err(e) => return Err(e).with_context(|| format!("cannot read {}", path.display())),
        };
        if old.terms != terms {
            bail!(
                "{} belongs to another run; remove it or name another --state",
                path.display()
            );
        }
        Ok(old)
    }
}

/// The changes that the command line names.
fn parsed(texts: &[String], numbers: impl Fn(&[String]) -> Result<Vec<Tunable>>) -> Result<Vec<Change>> {
    let mut changes: Vec<Change> = Vec::new();
    for text in texts {
        let (name, value) = text
            .split_once('=')
            .and_then(|(name, value)| Some((name, value.parse::<i32>().ok()?)))
            .ok_or_else(|| anyhow!("--try: {text:?}; expected NAME=VALUE, such as lmr_base=800"))?;
        let number = numbers(&[name.to_owned()])
            .map_err(|e| anyhow!("{}", e.to_string().replace("--only:", "--try:")))?
            .remove(0);
        if !(number.min..=number.max).contains(&value) || value == (number.get)() {
            bail!(
                "--try: {name}={value}; expected {} to {}, other than {}",
                number.min,
                number.max,
                (number.get)()
            );
        }
        if changes.iter().any(|c| c.number.name == name) {
            bail!("--try: {name} is named twice");
        }
        changes.push(Change { number, value });
    }
    Ok(changes)
}

/// Which engine of a pair gets which changes: true for the first.
fn coins(seed: u64, pair: u64, changes: usize) -> Vec<bool> {
    let mut rng = SplitMix::new(seed ^ pair.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    (0..changes).map(|_| rng.below(2) == 0).collect()
}

/// Elo per share of the points, where the shares are nearly even.
const ELO_PER_SHARE: f64 = 1600.0 / std::f64::consts::LN_10;

/// The main effect of each change and its 95 % error in Elo, by least squares; `None` while there are too few results for it. The rows
/// are coins and the points, of two, by which the first engine scored more.
fn effects(rows: &[(Vec<bool>, f64)], changes: usize) -> Option<Vec<(f64, f64)>> {
    if rows.len() < 2 * changes + 10 {
        return None;
    }
    let sign = |coin: bool| if coin { 1.0 } else { -1.0 };
    // Normal equations, with the identity beside them, which elimination turns into the inverse.
    let mut table = vec![vec![0.0; 2 * changes]; changes];
    let mut right = vec![0.0; changes];
    for (coins, points) in rows {
        for i in 0..changes {
            for j in 0..changes {
                table[i][j] += sign(coins[i]) * sign(coins[j]);
            }
            right[i] += sign(coins[i]) * points / 4.0;
        }
    }
    for (i, row) in table.iter_mut().enumerate() {
        row[changes + i] = 1.0;
    }
    for i in 0..changes {
        // Gauss and Jordan; the matrix is positive definite, so no row needs to be exchanged.
        let pivot = table[i][i];
        if pivot < 1e-6 {
            return None;
        }
        table[i].iter_mut().for_each(|x| *x /= pivot);
        let from = table[i].clone();
        for (k, row) in table.iter_mut().enumerate() {
            let factor = if k == i { 0.0 } else { row[i] };
            row.iter_mut().zip(&from).for_each(|(x, y)| *x -= factor * y);
        }
    }
    let inverse = |i: usize, j: usize| table[i][changes + j];
    let shares: Vec<f64> = (0..changes)
        .map(|i| (0..changes).map(|j| inverse(i, j) * right[j]).sum())
        .collect();
    let squares: f64 = rows
        .iter()
        .map(|(coins, points)| {
            let told: f64 = coins.iter().zip(&shares).map(|(&c, share)| sign(c) * share).sum();
            (points / 4.0 - told).powi(2)
        })
        .sum();
    let variance = squares / (rows.len() - changes) as f64;
    let error = |i| ELO_PER_SHARE * 1.96 * (variance * inverse(i, i)).sqrt();
    Some(
        shares
            .iter()
            .enumerate()
            .map(|(i, share)| (ELO_PER_SHARE * share, error(i)))
            .collect(),
    )
}

/// Runs the series.
///
/// # Errors
/// For arguments that make no sense, an engine that cannot be started or breaks a rule, files that cannot be written.
pub fn run(args: &FactorialArgs) -> Result<()> {
    of_game!(&args.series.game, play(args))
}

fn play<P: Paired>(args: &FactorialArgs) -> Result<()> {
    let series = &args.series;
    let changes = parsed(&args.changes, |only| chosen::<P>(only, series.tc.is_some()))?;
    let Setting {
        mut spec,
        pace,
        openings,
        rules,
    } = series.setting::<P>(args.nodes)?;
    let terms = format!(
        "{} {spec:?} {} {pace} {} {} {}{}",
        series.game,
        args.changes.join(","),
        series.seed,
        openings.term(),
        series.resign,
        series.draw.as_deref().map(|d| format!(" {d}")).unwrap_or_default()
    );
    let state = FactorialState::load(&args.state, terms)?;
    let open: Vec<u64> = (0..args.pairs)
        .filter(|pair| !state.results.contains_key(pair))
        .collect();
    let (open, state) = (Mutex::new(open.into_iter()), Mutex::new(state));
    // The options are declared by tuning builds only: an engine without the first is refused at once.
    spec.options
        .push((changes[0].number.name.into(), (changes[0].number.get)().to_string()));
    let worker = |bar: &ProgressBar| -> Result<()> {
        let mut seats = [P::seat(&spec)?, P::seat(&spec)?];
        loop {
            let next = open.lock().map_err(|_| anyhow!("a game thread failed"))?.next();
            let Some(pair) = next.filter(|_| !INTERRUPTED.load(Ordering::Relaxed)) else {
                return Ok(());
            };
            let coins = coins(series.seed, pair, changes.len());
            for (seat, first) in seats.iter_mut().zip([true, false]) {
                for (change, &coin) in changes.iter().zip(&coins) {
                    let value = if coin == first {
                        change.value
                    } else {
                        (change.number.get)()
                    };
                    seat.set(change.number.name, &value.to_string());
                }
            }
            let Some(points) = play_pair(&openings.of_pair(series.seed, pair)?, &mut seats, &rules)? else {
                return Ok(());
            };
            let mut state = state.lock().map_err(|_| anyhow!("a game thread failed"))?;
            state.results.insert(pair, points);
            whole_file::replace(&args.state, serde_json::to_string(&*state)?)?;
            bar.set_position(state.results.len() as u64);
        }
    };
    series.run(args.pairs, worker)?;
    let state = state.into_inner().map_err(|_| anyhow!("a game thread failed"))?;
    report(&state, &changes, args);
    Ok(())
}

/// Prints what each change is worth, the best first.
fn report(state: &FactorialState, changes: &[Change], args: &FactorialArgs) {
    println!(
        "after {} of {} pairs (results in {})",
        state.results.len(),
        args.pairs,
        args.state.display()
    );
    let rows: Vec<_> = state
        .results
        .iter()
        .map(|(&pair, &points)| (coins(args.series.seed, pair, changes.len()), points))
        .collect();
    let Some(effects) = effects(&rows, changes.len()) else {
        println!("too few pairs to tell the changes apart");
        return;
    };
    let mut table: Vec<_> = changes.iter().zip(effects).collect();
    table.sort_by(|a, b| b.1.0.total_cmp(&a.1.0));
    for (change, (elo, error)) in table {
        let (name, now) = (change.number.name, (change.number.get)());
        println!(
            "{name:<28} {now:>7} -> {:>7}  Elo {elo:+6.1} ± {error:.1}",
            change.value
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nguky::games::chess::Chess;

    fn numbers(only: &[String]) -> Result<Vec<Tunable>> {
        chosen::<Chess>(only, false)
    }

    #[test]
    fn changes_are_read_or_refused_by_name() {
        let read = |texts: &[&str]| parsed(&texts.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>(), numbers);
        let good = read(&["lmr_base=800", "probcut=100"]).expect("two changes");
        assert_eq!(
            (good[0].number.name, good[0].value, good[1].value),
            ("lmr_base", 800, 100)
        );
        let now = numbers(&["lmr_base".to_owned()]).expect("a number")[0];
        let same = format!("lmr_base={}", (now.get)());
        for (texts, word) in [
            (vec!["lmr_base"], "expected NAME=VALUE"),
            (vec!["lmr_base=high"], "expected NAME=VALUE"),
            (vec!["nonsense=1"], "--try: no number \"nonsense\""),
            (vec!["horizon=30"], "without a clock"),
            (vec!["lmr_base=99999"], "expected 0 to 2048"),
            (vec![same.as_str()], "other than"),
            (vec!["lmr_base=800", "lmr_base=900"], "twice"),
        ] {
            let told = read(&texts).err().expect("refused").to_string();
            assert!(told.contains(word), "{told}");
        }
    }

    /// Results made of known effects and noise: each effect is found within its error or a little more, and the errors are those
    /// of a match of all games.
    #[test]
    fn known_effects_are_found() {
        let truth = [30.0, -20.0, 0.0, 10.0, 0.0, -5.0];
        let mut rng = SplitMix::new(9);
        let rows: Vec<_> = (0..20_000)
            .map(|pair| {
                let coins = coins(1, pair, truth.len());
                let elo: f64 = coins.iter().zip(truth).map(|(&c, t)| if c { t } else { -t }).sum();
                let share = 0.5 + elo / ELO_PER_SHARE;
                // Two games that are won or lost.
                let won = |rng: &mut SplitMix| {
                    if (rng.below(1 << 20) as f64) < share * f64::from(1 << 20) {
                        1.0
                    } else {
                        -1.0
                    }
                };
                (coins, won(&mut rng) + won(&mut rng))
            })
            .collect();
        let found = effects(&rows, truth.len()).expect("enough");
        for ((elo, error), truth) in found.iter().zip(truth) {
            assert!((elo - truth).abs() < 1.5 * error, "{elo} ± {error}, not {truth}");
            // 694.9 * 1.96 * 0.5 / sqrt(40,000 games).
            assert!((error - 3.4).abs() < 0.2, "{error}");
        }
        assert_eq!(effects(&rows[..20], truth.len()), None);
    }

    #[test]
    fn every_change_is_on_each_side_about_as_often() {
        for change in 0..8 {
            let first = (0..1000).filter(|&pair| coins(1, pair, 8)[change]).count();
            assert!((430..570).contains(&first), "{first}");
        }
        assert_ne!(coins(1, 0, 30), coins(1, 1, 30));
        assert_eq!(coins(1, 7, 30), coins(1, 7, 30));
    }
}
