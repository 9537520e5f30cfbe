//! `nguky calibrate`: whether the expected scores that the engine reports are what games between equals come to.
//!
//! Positions are drawn at random from recorded games and searched as a review does it, with what the side to move knows.
//! Each tenth of the expected score is then compared with the mean result of its positions. For the games of the alpha-beta
//! search it also fits the three numbers of the curve from scores to chances ([`Curve`]; `wdl_even`, `wdl_rise` and
//! `wdl_spread` in the table of search numbers) by maximum likelihood, as Stockfish's `WDL_model` does it for its own; for go
//! the power of the odds ([`nguky::mcts::expected_score`]). Other games can tell whether a fit holds.

use crate::games::{every_game, of_game};
use crate::records::{self, FileFormat, RecordedGame, RecordedResult};
use crate::review::{game, marks::ReviewQuery, open};
use anyhow::{Context, Result, bail};
use clap::Args as ClapArgs;
use indicatif::{ProgressBar, ProgressStyle};
use nguky::control::Limits;
use nguky::game::{About, Position};
use nguky::register::GO;
use nguky::search::wdl::Curve;
use nguky::util::rng::SplitMix;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Games that are read of a file.
const MOST_GAMES: usize = 100_000;
/// Expected scores are compared by so many equal parts.
const BINS: usize = 10;
/// Scores beyond this are no longer told apart by the fit; below it they are grouped by [`GROUP`].
const CLEAR: i32 = 4000;
/// Hundredths of a pawn that the fit counts as one score.
const GROUP: i32 = 10;
/// Plies that the fit counts as one.
const PLIES: usize = 10;

/// The command line of `nguky calibrate`.
#[derive(ClapArgs)]
pub struct CalibrateArgs {
    /// Records of games between equals, as `nguky match` writes them
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Records of other games, on which what was fitted is checked; may be given more than once
    #[arg(long, value_name = "FILE")]
    check: Vec<PathBuf>,
    /// Take the scores that the engines told during the games, instead of searching: as `nguky match` notes them
    #[arg(long)]
    recorded: bool,
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
    /// Plies of the game before it.
    ply: usize,
    /// The expected score, 0 to 1.
    score: f64,
    /// Hundredths of a pawn; none where a mate was found or the engine reports a lead.
    cp: Option<i32>,
    /// 2 for a win, 1 for a draw, 0 for a loss.
    points: u8,
}

/// Compares the expected scores of positions of the records with the results, and fits the numbers they follow from.
pub fn run(args: &CalibrateArgs) -> Result<()> {
    let (about, games) = read(&args.files, args.game.as_deref())?;
    let now = match about.name {
        name if name == GO.name => None,
        name => Some(curve_of(name)?),
    };
    let drawn = positions(args, about.name, &games, now)?;
    print!("{}", table(&drawn, games.len()));
    let fit = match now {
        Some(_) => fitted(&drawn).map(Fit::Curve),
        None => Some(Fit::Power(fitted_power(&drawn))),
    };
    let fit = fit.context("no position with a score in hundredths of a pawn")?;
    println!("fitted to these positions: {}", fit.told());
    if !args.check.is_empty() {
        let (_, others) = read(&args.check, Some(about.name))?;
        let mut drawn = positions(args, about.name, &others, now)?;
        print!("\nother games, by the present numbers: {}", table(&drawn, others.len()));
        drawn.iter_mut().for_each(|d| d.score = fit.expected(d));
        print!("\nother games, by the fitted numbers: {}", table(&drawn, others.len()));
    }
    Ok(())
}

/// The games of these records that have a result.
fn read(files: &[PathBuf], game: Option<&str>) -> Result<(&'static About, Vec<RecordedGame>)> {
    let mut games: Vec<RecordedGame> = Vec::new();
    let mut about = None;
    for path in files {
        let named = || path.display().to_string();
        let bytes = records::bytes(path)?;
        let form = FileFormat::of(path, &String::from_utf8_lossy(&bytes));
        let wanted = game.or(about.map(|a: &About| a.name));
        let text = records::decoded(&bytes, open::encoding(form, wanted, &bytes)).with_context(named)?;
        let opened = open::open(path, &text, wanted, MOST_GAMES).with_context(named)?;
        about = Some(opened.about);
        games.extend(opened.games);
    }
    games.retain(|g| g.outcome != RecordedResult::Unknown);
    if games.is_empty() {
        let names: Vec<_> = files.iter().map(|f| Path::display(f).to_string()).collect();
        bail!("no game with a result in {}", names.join(", "));
    }
    let copies = leave_out_copies(&mut games);
    if copies > 0 {
        println!("{copies} games are move by move as another and count once with it");
    }
    Ok((about.context("no record")?, games))
}

/// Leaves out games that were played before move by move, and tells how many: at fixed nodes an engine plays an opening with
/// both colours alike, and what is counted twice looks surer than it is.
fn leave_out_copies(games: &mut Vec<RecordedGame>) -> usize {
    let (all, mut seen) = (games.len(), HashSet::new());
    games.retain(|game| {
        let moves: Vec<String> = game.moves.iter().map(|m| m.text.clone()).collect();
        seen.insert((game.setup.clone(), moves))
    });
    all - games.len()
}

/// The curve of the game with this name.
fn curve_of(name: &str) -> Result<Curve> {
    fn own<P: Position>() -> Result<Curve> {
        Ok(Curve::of::<P::Tune>())
    }
    of_game!(name, own())
}

/// What the fit found.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fit {
    /// The curve from scores to chances.
    Curve(Curve),
    /// Go: the power of the odds.
    Power(f64),
}

impl Fit {
    fn told(&self) -> String {
        match self {
            Self::Curve(Curve { even, rise, spread }) => {
                format!("wdl_spread {spread}, wdl_even {even}, wdl_rise {rise}")
            }
            Self::Power(power) => format!("the odds that were expected to the power {power:.2}"),
        }
    }

    /// The expected score of a position by what was fitted.
    fn expected(&self, d: &Drawn) -> f64 {
        match (self, d.cp) {
            (Self::Curve(curve), Some(cp)) => expected(curve, cp, d.ply),
            (Self::Curve(_), None) => d.score,
            (Self::Power(power), _) => {
                let [won, lost] = [d.score, 1.0 - d.score].map(|p| p.powf(*power));
                won / (won + lost)
            }
        }
    }
}

/// The expected score at an evaluation in hundredths of a pawn and a ply of the game.
fn expected(curve: &Curve, cp: i32, ply: usize) -> f64 {
    let [win, draw, _] = curve.chances(cp.into(), ply);
    win + draw / 2.0
}

/// Half-moves played before the record's first, as the game with this name counts them.
fn plies_before(name: &str, record: &RecordedGame) -> Result<usize> {
    fn counted<P: Position>(setup: Option<&str>) -> Result<usize> {
        Ok(P::parse(setup.unwrap_or(P::START), &P::Rules::default())?.game_ply())
    }
    if name == GO.name {
        return Ok(0);
    }
    of_game!(name, counted(record.setup.as_deref()))
}

/// The positions that are drawn from the games, searched or with the scores that the record has.
fn positions(args: &CalibrateArgs, name: &str, games: &[RecordedGame], now: Option<Curve>) -> Result<Vec<Drawn>> {
    if !args.recorded {
        return searched(args, name, games);
    }
    let Some(curve) = now else {
        bail!("--recorded: records of go have no scores in hundredths of a pawn");
    };
    let mut rng = SplitMix::new(args.seed);
    let mut drawn = Vec::new();
    for (number, record) in games.iter().enumerate() {
        let before = plies_before(name, record)?;
        for at in draw(record, args.positions as usize, &mut rng) {
            let Some(told) = recorded(&record.moves[at].comment) else {
                continue;
            };
            let ply = before + at;
            drawn.push(Drawn {
                game: number,
                ply,
                score: match told {
                    Told::Score(cp) => expected(&curve, cp, ply),
                    Told::Mate(wins) => f64::from(u8::from(wins)),
                },
                cp: match told {
                    Told::Score(cp) => Some(cp),
                    Told::Mate(_) => None,
                },
                points: points(record, at),
            });
        }
    }
    if drawn.is_empty() {
        bail!("--recorded: the records tell no scores as `nguky match` notes them");
    }
    Ok(drawn)
}

/// What an engine told of its move.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Told {
    /// Hundredths of a pawn.
    Score(i32),
    /// A mate, and whether it is the mover's.
    Mate(bool),
}

/// What a comment of `nguky match` tells: `+0.35/12 0.050s`, `-M4/20 0.010s`.
fn recorded(comment: &str) -> Option<Told> {
    let score = comment.trim().split_once('/')?.0;
    match score.split_once('M') {
        Some((sign, _)) => Some(Told::Mate(sign != "-")),
        None => Some(Told::Score((100.0 * score.parse::<f64>().ok()?).round() as i32)),
    }
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
        let before = plies_before(name, record)?;
        for &ply in plies.iter().rev() {
            let query = ReviewQuery {
                ply,
                only: None,
                halves: 2,
            };
            let found = game::search(game.as_mut(), &query, &limits)?;
            drawn.push(Drawn {
                game: number,
                ply: before + ply,
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

/// The curve under which the results are likeliest; none where no position has a score in hundredths of a pawn.
fn fitted(drawn: &[Drawn]) -> Option<Curve> {
    let mut counts: BTreeMap<(i32, usize), [f64; 3]> = BTreeMap::new();
    for d in drawn {
        if let Some(cp) = d.cp {
            let group = (cp.clamp(-CLEAR, CLEAR) as f64 / f64::from(GROUP)).round() as i32;
            counts.entry((group * GROUP, d.ply / PLIES)).or_default()[2 - usize::from(d.points)] += 1.0;
        }
    }
    if counts.is_empty() {
        return None;
    }
    let loss = |&[even, rise, spread]: &[i32; 3]| -> f64 {
        let curve = Curve { even, rise, spread };
        let one = |((cp, plies), n): (&(i32, usize), &[f64; 3])| {
            let p = curve.chances(f64::from(*cp), plies * PLIES + PLIES / 2);
            n.iter().zip(p).map(|(n, p)| -n * p.max(1e-4).ln()).sum::<f64>()
        };
        counts.iter().map(one).sum()
    };
    // Three smooth numbers: steps along each and against each other, halved where none helps.
    let ways = [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
        [1, -1, 0],
        [1, 0, 1],
        [0, 1, 1],
        [1, -2, 0],
    ];
    let (mut at, mut step) = ([100, 50, 150], 64);
    let mut least = loss(&at);
    while step > 0 {
        let tried = ways.iter().flat_map(|way| [step, -step].map(|s| way.map(|w| w * s)));
        let tried = tried.map(|by| {
            let moved = [0, 1, 2].map(|i| at[i] + by[i]);
            [moved[0].max(0), moved[1].max(0), moved[2].max(1)]
        });
        let best = tried.map(|t| (loss(&t), t)).min_by(|a, b| a.0.total_cmp(&b.0));
        match best {
            Some((found, t)) if found < least => (least, at) = (found, t),
            _ => step /= 2,
        }
    }
    let [even, rise, spread] = at;
    Some(Curve { even, rise, spread })
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
    fn by_curve(curve: Curve) -> Vec<Drawn> {
        let mut all = Vec::new();
        for (cp, ply) in (-1200..=1200)
            .step_by(40)
            .flat_map(|cp| [15, 65, 155].map(|ply| (cp, ply)))
        {
            let [win, draw, loss] = curve.chances(f64::from(cp), ply);
            for (points, p) in [(2, win), (1, draw), (0, loss)] {
                let one = Drawn {
                    game: all.len(),
                    ply,
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
        for [even, rise, spread] in [
            [170, 0, 95],
            [30, 140, 100],
            [110, 190, 130],
            [20, 430, 330],
            [15, 0, 800],
        ] {
            let curve = Curve { even, rise, spread };
            let found = fitted(&by_curve(curve)).expect("scores");
            let off = [found.even - even, found.rise - rise, found.spread - spread];
            assert!(off.iter().all(|d| d.abs() <= 6), "{curve:?}: {found:?}");
        }
        let lead = Drawn {
            game: 0,
            ply: 0,
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
                    ply: 0,
                    score,
                    cp: None,
                    points,
                };
                drawn.extend(std::iter::repeat_n(one, (250.0 * p).round() as usize));
            }
        }
        assert!((fitted_power(&drawn) - 1.6).abs() < 0.015);
    }

    #[test]
    fn a_true_curve_shows_no_difference_and_a_false_one_does() {
        let curve = |spread| Curve {
            even: 50,
            rise: 120,
            spread,
        };
        let mut drawn = by_curve(curve(95));
        let worst = |drawn: &[Drawn]| -> f64 {
            let text = table(drawn, 1);
            let last = text.lines().last().expect("a line").to_string();
            let figure = last.strip_prefix("greatest difference: ").expect("the figure");
            figure.trim_end_matches(" points").parse().expect("a number")
        };
        assert!(worst(&drawn) < 0.5);
        for d in &mut drawn {
            d.score = expected(&curve(30), d.cp.expect("a score"), d.ply);
        }
        assert!(worst(&drawn) > 6.0);
        // A check by what was fitted finds the true ones again.
        let fit = Fit::Curve(curve(95));
        drawn.iter_mut().for_each(|d| d.score = fit.expected(d));
        assert!(worst(&drawn) < 0.5);
    }

    #[test]
    fn scores_are_read_as_a_match_notes_them() {
        assert_eq!(recorded("+0.35/12 0.050s"), Some(Told::Score(35)));
        assert_eq!(recorded(" -12.01/7 0.050s "), Some(Told::Score(-1201)));
        assert_eq!(recorded("+M3/9 0.001s"), Some(Told::Mate(true)));
        assert_eq!(recorded("-M3/9 0.001s"), Some(Told::Mate(false)));
        assert!(
            ["opening", "", "?/0 0.000s", "a/b"]
                .iter()
                .all(|text| recorded(text).is_none())
        );
    }

    #[test]
    fn a_game_played_twice_counts_once() {
        let game = |setup: Option<&str>, moves: &[&str]| RecordedGame {
            setup: setup.map(String::from),
            moves: moves
                .iter()
                .map(|m| RecordedMove::new(Side::First, (*m).into()))
                .collect(),
            ..RecordedGame::default()
        };
        let mut games = vec![
            game(None, &["a", "b"]),
            game(None, &["a", "b"]),
            game(Some("x"), &["a", "b"]),
            game(None, &["a"]),
            game(Some("x"), &["a", "b"]),
        ];
        assert_eq!((leave_out_copies(&mut games), games.len()), (2, 3));
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
