//! `nguky calibrate`: whether the expected scores that the engine reports are what games between equals come to.
//!
//! Positions are drawn at random from recorded games and searched as a review does it, with what the side to move knows.
//! Each tenth of the expected score is then compared with the mean result of its positions. For the games of the alpha-beta
//! search it also fits the two numbers of the curve from scores to chances ([`chances`]; `wdl_even` and `wdl_spread` in the
//! table of search numbers) by maximum likelihood, as Stockfish's `WDL_model` does it for its own; for go the power of the
//! odds ([`nguky::mcts::expected_score`]).

use crate::games::every_game;
use crate::records::{self, FileFormat, RecordedGame, RecordedResult};
use crate::review::{game, marks::ReviewQuery, open};
use anyhow::{Context, Result, bail};
use clap::Args as ClapArgs;
use indicatif::{ProgressBar, ProgressStyle};
use nguky::control::Limits;
use nguky::search::root::chances;
use nguky::util::rng::SplitMix;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

/// Games that are read of a file.
const MOST_GAMES: usize = 100_000;
/// Expected scores are compared by so many equal parts.
const BINS: usize = 10;
/// Scores beyond this are no longer told apart by the fit; below it they are grouped by [`GROUP`].
const CLEAR: i32 = 4000;
/// Hundredths of a pawn that the fit counts as one score.
const GROUP: i32 = 5;

/// The command line of `nguky calibrate`.
#[derive(ClapArgs)]
pub struct CalibrateArgs {
    /// Records of games between equals, as `nguky match` writes them
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[arg(long, help = format!("{} [default: as the first record tells]", every_game()))]
    game: Option<String>,
    /// Positions that are drawn from each game, at most
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    positions: u32,
    /// Nodes a position, playouts in go
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Seed of the draw
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A rule of the game, as the engine's option of that name: "CapturedDark=both"
    #[arg(long, value_name = "NAME=VALUE")]
    rule: Vec<String>,
}

/// A position that was searched, from the side to move.
#[derive(Clone, Copy, Debug)]
struct Drawn {
    /// The number of its game.
    game: usize,
    /// The expected score, 0 to 1.
    score: f64,
    /// Hundredths of a pawn; none where a mate was found or the engine reports a lead.
    cp: Option<i32>,
    /// 2 for a win, 1 for a draw, 0 for a loss.
    points: u8,
}

/// Searches positions of the records and prints the comparison.
pub fn run(args: &CalibrateArgs) -> Result<()> {
    let mut games: Vec<RecordedGame> = Vec::new();
    let mut about = None;
    for path in &args.files {
        let named = || path.display().to_string();
        let bytes = records::bytes(path)?;
        let form = FileFormat::of(path, &String::from_utf8_lossy(&bytes));
        let wanted = args.game.as_deref().or(about.map(|a: &nguky::game::About| a.name));
        let text = records::decoded(&bytes, open::encoding(form, wanted, &bytes)).with_context(named)?;
        let opened = open::open(path, &text, wanted, MOST_GAMES).with_context(named)?;
        about = Some(opened.about);
        games.extend(opened.games);
    }
    let about = about.context("no record")?;
    games.retain(|g| g.outcome != RecordedResult::Unknown);
    if games.is_empty() {
        bail!("no game with a result in these records");
    }
    let drawn = searched(args, about.name, &games)?;
    print!("{}", table(&drawn, games.len()));
    match fitted(&drawn) {
        Some([even, spread]) => println!("fitted to these positions: wdl_even {even}, wdl_spread {spread}"),
        None => println!(
            "fitted to these positions: the odds that were expected to the power {:.2}",
            fitted_power(&drawn)
        ),
    }
    Ok(())
}

/// Searches the positions that are drawn from the games.
fn searched(args: &CalibrateArgs, name: &str, games: &[RecordedGame]) -> Result<Vec<Drawn>> {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} games, {eta} left")?;
    let bar = ProgressBar::new(games.len() as u64).with_style(style);
    let mut rng = SplitMix::new(args.seed);
    let limits = Limits::nodes(args.nodes);
    let mut drawn = Vec::new();
    for (number, record) in games.iter().enumerate() {
        let plies = draw(record, args.positions as usize, &mut rng);
        let mut game = game::with_engine(name, record.clone(), &args.rule)?;
        for &ply in plies.iter().rev() {
            let query = ReviewQuery {
                ply,
                only: None,
                halves: 2,
            };
            let found = game::search(game.as_mut(), &query, &limits)?;
            drawn.push(Drawn {
                game: number,
                score: found.score,
                cp: found.cp,
                points: points(record, ply),
            });
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(drawn)
}

/// The plies of a game whose positions are searched, in order: those before its moves, but for the opening's.
fn draw(record: &RecordedGame, most: usize, rng: &mut SplitMix) -> Vec<usize> {
    let opening = |ply: &usize| record.moves[*ply].comment.trim() == "opening";
    let mut plies: Vec<usize> = (0..record.moves.len()).filter(|ply| !opening(ply)).collect();
    while plies.len() > most {
        plies.remove(rng.below(plies.len() as u64) as usize);
    }
    plies
}

/// Half points of the side that moves at a ply.
fn points(record: &RecordedGame, ply: usize) -> u8 {
    match record.outcome {
        RecordedResult::Won(side) => 2 * u8::from(side == record.moves[ply].side),
        RecordedResult::Drawn | RecordedResult::Unknown => 1,
    }
}

/// One part of the scale of expected scores.
#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    positions: usize,
    /// Sums over its positions.
    expected: f64,
    scored: f64,
}

/// What was expected and what was scored by each part of the scale, with the greatest difference of all.
fn table(drawn: &[Drawn], games: usize) -> String {
    let mut bins = [Bin::default(); BINS];
    // The positions of one game share its result, so the error is that of a mean over games.
    let mut off: Vec<BTreeMap<usize, f64>> = vec![BTreeMap::new(); BINS];
    for d in drawn {
        let i = ((d.score * BINS as f64) as usize).min(BINS - 1);
        let scored = f64::from(d.points) / 2.0;
        bins[i].positions += 1;
        bins[i].expected += d.score;
        bins[i].scored += scored;
        *off[i].entry(d.game).or_default() += scored - d.score;
    }
    let mut text = format!(
        "{} positions of {games} games\n{:<12} {:>9} {:>8} {:>7} {:>10} {:>6}\n",
        drawn.len(),
        "expected",
        "positions",
        "mean",
        "scored",
        "difference",
        "error"
    );
    let mut worst: f64 = 0.0;
    for (i, (bin, off)) in bins.iter().zip(&off).enumerate().filter(|(_, (b, _))| b.positions > 0) {
        let n = bin.positions as f64;
        let difference = 100.0 * (bin.scored - bin.expected) / n;
        let error = 100.0 * off.values().map(|x| x * x).sum::<f64>().sqrt() / n;
        worst = worst.max(difference.abs());
        let _ = writeln!(
            text,
            "{:<12} {:>9} {:>7.1}% {:>6.1}% {difference:>+10.1} {error:>6.1}",
            format!("{}% to {}%", 100 * i / BINS, 100 * (i + 1) / BINS),
            bin.positions,
            100.0 * bin.expected / n,
            100.0 * bin.scored / n,
        );
    }
    let _ = writeln!(text, "greatest difference: {worst:.1} points");
    text
}

/// The numbers `wdl_even` and `wdl_spread` under which the results are likeliest; none where no position has a score in
/// hundredths of a pawn.
fn fitted(drawn: &[Drawn]) -> Option<[i32; 2]> {
    let mut counts: BTreeMap<i32, [f64; 3]> = BTreeMap::new();
    for d in drawn {
        if let Some(cp) = d.cp {
            let group = (cp.clamp(-CLEAR, CLEAR) as f64 / f64::from(GROUP)).round() as i32;
            counts.entry(group * GROUP).or_default()[2 - usize::from(d.points)] += 1.0;
        }
    }
    if counts.is_empty() {
        return None;
    }
    let loss = |[even, spread]: [i32; 2]| -> f64 {
        let one = |(cp, n): (&i32, &[f64; 3])| {
            let p = chances(f64::from(*cp), even.into(), spread.into());
            n.iter().zip(p).map(|(n, p)| -n * p.max(1e-4).ln()).sum::<f64>()
        };
        counts.iter().map(one).sum()
    };
    // Two smooth numbers: steps along each, halved where none helps.
    let (mut at, mut step) = ([150, 150], 128);
    let mut least = loss(at);
    while step > 0 {
        let steps = [[step, 0], [-step, 0], [0, step], [0, -step]];
        let tried = steps.map(|[a, b]| [(at[0] + a).max(0), (at[1] + b).max(1)]);
        let best = tried
            .into_iter()
            .map(|t| (loss(t), t))
            .min_by(|a, b| a.0.total_cmp(&b.0));
        match best {
            Some((found, t)) if found < least => (least, at) = (found, t),
            _ => step /= 2,
        }
    }
    Some(at)
}

/// The power of the expected odds under which the results are likeliest.
fn fitted_power(drawn: &[Drawn]) -> f64 {
    let loss = |power: f64| -> f64 {
        let one = |d: &Drawn| {
            let score = d.score.clamp(0.001, 0.999);
            let [won, lost] = [score, 1.0 - score].map(|p| p.powf(power));
            let share = f64::from(d.points) / 2.0;
            -share * (won / (won + lost)).ln() - (1.0 - share) * (lost / (won + lost)).ln()
        };
        drawn.iter().map(one).sum()
    };
    let tried = (1..=1000).map(|i| f64::from(i) / 100.0);
    tried.min_by(|a, b| loss(*a).total_cmp(&loss(*b))).unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::RecordedMove;
    use nguky::game::Side;

    /// Positions whose results follow a curve exactly in their shares.
    fn by_curve(even: f64, spread: f64) -> Vec<Drawn> {
        let mut all = Vec::new();
        for cp in (-1200..=1200).step_by(40) {
            let [win, draw, loss] = chances(f64::from(cp), even, spread);
            for (points, p) in [(2, win), (1, draw), (0, loss)] {
                let one = Drawn {
                    game: all.len(),
                    score: win + draw / 2.0,
                    cp: Some(cp),
                    points,
                };
                all.extend(std::iter::repeat_n(one, (1000.0 * p).round() as usize));
            }
        }
        all
    }

    #[test]
    fn the_fit_finds_the_curve_that_made_the_results() {
        for (even, spread) in [(170, 95), (340, 170), (30, 300), (15, 800)] {
            let [a, b] = fitted(&by_curve(even.into(), spread.into())).expect("scores");
            assert!(
                (a - even).abs() <= 4 && (b - spread).abs() <= 4,
                "{even} {spread}: {a} {b}"
            );
        }
        let lead = Drawn {
            game: 0,
            score: 0.5,
            cp: None,
            points: 1,
        };
        assert_eq!(fitted(&[lead]), None);
    }

    #[test]
    fn the_fit_finds_the_power_of_the_odds() {
        let mut drawn = Vec::new();
        for i in 1..100 {
            let score = f64::from(i) / 100.0;
            let [won, lost] = [score, 1.0 - score].map(|p| p.powf(1.6));
            for (points, p) in [(2, won / (won + lost)), (0, lost / (won + lost))] {
                let one = Drawn {
                    game: 0,
                    score,
                    cp: None,
                    points,
                };
                drawn.extend(std::iter::repeat_n(one, (1000.0 * p).round() as usize));
            }
        }
        assert!((fitted_power(&drawn) - 1.6).abs() < 0.015);
    }

    #[test]
    fn a_true_curve_shows_no_difference_and_a_false_one_does() {
        let mut drawn = by_curve(170.0, 95.0);
        let worst = |drawn: &[Drawn]| -> f64 {
            let text = table(drawn, 1);
            let last = text.lines().last().expect("a line").to_string();
            let figure = last.strip_prefix("greatest difference: ").expect("the figure");
            figure.trim_end_matches(" points").parse().expect("a number")
        };
        assert!(worst(&drawn) < 0.5);
        for d in &mut drawn {
            let [win, draw, _] = chances(f64::from(d.cp.expect("a score")), 170.0, 40.0);
            d.score = win + draw / 2.0;
        }
        assert!(worst(&drawn) > 6.0);
    }

    #[test]
    fn openings_are_not_drawn_and_results_are_the_movers() {
        let mut record = RecordedGame {
            outcome: RecordedResult::Won(Side::Second),
            ..RecordedGame::default()
        };
        for ply in 0..9 {
            let mut m = RecordedMove::new([Side::First, Side::Second][ply % 2], String::new());
            if ply < 3 {
                m.comment = "opening".into();
            }
            record.moves.push(m);
        }
        let mut rng = SplitMix::new(1);
        assert_eq!(draw(&record, 20, &mut rng), [3, 4, 5, 6, 7, 8]);
        assert_eq!(draw(&record, 2, &mut rng).len(), 2);
        assert_eq!([points(&record, 3), points(&record, 4)], [2, 0]);
        record.outcome = RecordedResult::Drawn;
        assert_eq!(points(&record, 4), 1);
    }
}
