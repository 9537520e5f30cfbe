//! `nguky suite`: test positions with known best moves (EPD operations `bm` and `am`) or scores (`ce`).

use crate::arena::player::{Failure, Pace, Player, Spec};
use crate::arena::protocol::{EngineScore, Orders};
use crate::arena::{built_in, setup_of};
use crate::notation::Notation;
use anyhow::{Context, Result, bail};
use clap::Args as ClapArgs;
use indicatif::{ProgressBar, ProgressStyle};
use nguky::game::Position;
use nguky::games::chess::Chess;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The command line of `nguky suite`.
#[derive(ClapArgs)]
pub struct SuiteArgs {
    /// The engine, "cmd=PATH [option.Hash=16]" [default: the built-in one]
    #[arg(long, value_name = "SPEC")]
    engine: Option<String>,
    /// The positions, one EPD line each
    #[arg(long)]
    epd: PathBuf,
    /// Milliseconds a position
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    movetime: u64,
    /// Nodes a position instead
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// How far a score may be from the known one, hundredths of a pawn
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(i32).range(0..=10_000))]
    within: i32,
    /// Positions at a time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
}

/// One test position.
struct SuitePosition<P: Position> {
    id: String,
    pos: P,
    best: Vec<P::Move>,
    avoid: Vec<P::Move>,
    /// The score for the side to move, hundredths of a pawn.
    score: Option<i32>,
}

impl<P: Notation> SuitePosition<P> {
    /// Reads an EPD line; it must name a best move, one to avoid or a score.
    fn parse(line: &str, number: usize) -> Result<Self> {
        let pos: P = setup_of(line)?;
        let (mut id, mut best, mut avoid, mut score) = (format!("line {number}"), Vec::new(), Vec::new(), None);
        for (code, value) in operations(line) {
            let moves = || -> Result<Vec<P::Move>> { value.split_whitespace().map(|m| pos.read_notation(m)).collect() };
            match code.as_str() {
                "bm" => best = moves()?,
                "am" => avoid = moves()?,
                "ce" => {
                    score = Some(
                        value
                            .parse()
                            .with_context(|| format!("ce {value} is no whole number"))?,
                    )
                }
                "id" => id = value.trim_matches('"').to_string(),
                _ => {}
            }
        }
        if best.is_empty() && avoid.is_empty() && score.is_none() {
            bail!("none of bm, am and ce");
        }
        Ok(Self {
            id,
            pos,
            best,
            avoid,
            score,
        })
    }

    fn solved_by(&self, m: P::Move) -> bool {
        (self.best.is_empty() || self.best.contains(&m)) && !self.avoid.contains(&m)
    }

    /// Whether an engine's score is near enough to the known one, where one is known.
    fn scored_by(&self, score: Option<EngineScore>, within: i32) -> bool {
        self.score
            .is_none_or(|known| score.is_some_and(|score| (score.value() - known).abs() <= within))
    }

    fn wanted(&self) -> String {
        let list = |word: &str, moves: &[P::Move]| {
            let texts: Vec<String> = moves.iter().map(|&m| self.pos.notation(m)).collect();
            if texts.is_empty() {
                String::new()
            } else {
                format!("{word} {} ", texts.join(" "))
            }
        };
        let score = self.score.map_or(String::new(), |score| format!("ce {score}"));
        (list("bm", &self.best) + &list("am", &self.avoid) + &score)
            .trim_end()
            .to_string()
    }
}

/// The operations behind an EPD line's four fields, as code and value; a semicolon within quotes ends nothing.
fn operations(line: &str) -> Vec<(String, String)> {
    let mut rest = line.trim();
    for _ in 0..4 {
        rest = rest.split_once(char::is_whitespace).map_or("", |x| x.1.trim_start());
    }
    let (mut parts, mut quoted) = (vec![String::new()], false);
    for c in rest.chars() {
        quoted ^= c == '"';
        match parts.last_mut() {
            Some(part) if c != ';' || quoted => part.push(c),
            _ => parts.push(String::new()),
        }
    }
    let split = |p: &String| {
        let (code, value) = p.trim().split_once(char::is_whitespace)?;
        Some((code.to_string(), value.trim().to_string()))
    };
    parts.iter().filter_map(split).collect()
}

/// Runs a suite.
pub fn run(args: &SuiteArgs) -> Result<()> {
    let spec = match &args.engine {
        Some(text) => Spec::parse(text)?,
        None => built_in(Chess::ABOUT, "nguky")?,
    };
    let text = std::fs::read_to_string(&args.epd).with_context(|| format!("cannot read {}", args.epd.display()))?;
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, l)| !l.trim().is_empty() && !l.starts_with('#'));
    let tasks: Vec<SuitePosition<Chess>> = lines
        .map(|(i, l)| {
            SuitePosition::parse(l, i + 1).with_context(|| format!("{} line {}: {l}", args.epd.display(), i + 1))
        })
        .collect::<Result<_>>()?;
    let pace = match (args.nodes, spec.pace) {
        (Some(n), _) => Pace::Nodes(n),
        (None, Some(pace)) => pace,
        (None, None) => Pace::MoveTime(Duration::from_millis(args.movetime)),
    };
    if matches!(pace, Pace::Clock { .. }) {
        bail!("a suite is run at a fixed time, depth or number of nodes, not at a clock");
    }
    let answers = solve(&spec, &tasks, pace, args)?;
    let failures: Vec<String> = tasks
        .iter()
        .zip(&answers)
        .filter(|(_, a)| !a.solved)
        .map(|(t, a)| format!("{:<16} {:<24} {}", t.id, t.wanted(), a.given))
        .collect();
    for line in &failures {
        println!("{line}");
    }
    println!(
        "{} of {} solved by {}",
        tasks.len() - failures.len(),
        tasks.len(),
        spec.name
    );
    Ok(())
}

/// What came of one position.
#[derive(Clone, Default)]
struct SuiteResult {
    solved: bool,
    /// What the engine played, and its score where one is known.
    given: String,
}

/// How long an engine may take beyond its time, or without one.
const PATIENCE: Duration = Duration::from_secs(600);

fn solve<P: Notation>(
    spec: &Spec,
    tasks: &[SuitePosition<P>],
    pace: Pace,
    args: &SuiteArgs,
) -> Result<Vec<SuiteResult>> {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} positions  {msg} solved  {eta} left")?;
    let bar = ProgressBar::new(tasks.len() as u64).with_style(style);
    let (next, answers) = (
        AtomicUsize::new(0),
        Mutex::new(vec![SuiteResult::default(); tasks.len()]),
    );
    let worker = || -> Result<()> {
        let mut seat = None;
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = tasks.get(i) else { return Ok(()) };
            let mut player = match seat.take() {
                Some(player) => player,
                None => Player::start(spec, &[])?,
            };
            let answer = match ask(&mut player, task, pace, args.within) {
                Ok(answer) => {
                    seat = Some(player);
                    answer
                }
                // A crash costs this position only.
                Err(f) => SuiteResult {
                    solved: false,
                    given: format!("played nothing ({f:?})"),
                },
            };
            let Ok(mut answers) = answers.lock() else { return Ok(()) };
            answers[i] = answer;
            bar.inc(1);
            bar.set_message(answers.iter().filter(|a| a.solved).count().to_string());
        }
    };
    std::thread::scope(|scope| -> Result<()> {
        let handles: Vec<_> = (0..args.concurrency).map(|_| scope.spawn(worker)).collect();
        handles
            .into_iter()
            .try_for_each(|h| h.join().unwrap_or_else(|_| bail!("a thread failed")))
    })?;
    bar.finish_and_clear();
    answers.into_inner().or_else(|_| bail!("a thread failed"))
}

fn ask<P: Notation>(
    player: &mut Player,
    task: &SuitePosition<P>,
    pace: Pace,
    within: i32,
) -> Result<SuiteResult, Failure> {
    player.new_game()?;
    let orders = Orders {
        pace,
        mover: 0,
        clocks: [Duration::ZERO; 2],
        increments: [Duration::ZERO; 2],
        byoyomi: Duration::ZERO,
        moves_to_go: None,
    };
    let thought = player.think(&task.pos.setup(), &[], &orders, PATIENCE)?;
    let mv = task.pos.parse_move(&thought.mv).ok();
    let played = match mv {
        Some(mv) => format!("played {}", task.pos.notation(mv)),
        None => format!("played illegal {:?}", thought.mv),
    };
    let score = match (task.score, thought.score) {
        (None, _) => String::new(),
        (Some(_), Some(EngineScore::Centipawns(score))) => format!(", score {score}"),
        (Some(_), Some(EngineScore::Mate(moves))) => format!(", score mate {moves}"),
        (Some(_), None) => ", no score".into(),
    };
    Ok(SuiteResult {
        solved: mv.is_some_and(|mv| task.solved_by(mv)) && task.scored_by(thought.score, within),
        given: played + &score,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epd_lines_are_read() {
        let line = "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; am Qh4 Nxd5; id \"WAC; 001\";";
        let t: SuitePosition<Chess> = SuitePosition::parse(line, 1).expect("a task");
        assert_eq!(t.id, "WAC; 001");
        assert_eq!(t.wanted(), "bm Qg6 am Qh4 Nxd5");
        let mv = |text: &str| t.pos.read_notation(text).expect("legal");
        assert!(t.solved_by(mv("Qg6")) && !t.solved_by(mv("Qh4")) && !t.solved_by(mv("Rf2")));
        let only_avoid: SuitePosition<Chess> = SuitePosition::parse(&line.replace("bm Qg6; ", ""), 1).expect("a task");
        assert!(only_avoid.solved_by(mv("Rf2")) && !only_avoid.solved_by(mv("Qh4")));
        let known: SuitePosition<Chess> =
            SuitePosition::parse("8/8/8/3k4/8/8/3NN3/3K4 w - - ce 0;", 1).expect("a task");
        assert_eq!(known.wanted(), "ce 0");
        let score = |cp| Some(EngineScore::Centipawns(cp));
        assert!(known.scored_by(score(-50), 50) && !known.scored_by(score(51), 50));
        assert!(!known.scored_by(Some(EngineScore::Mate(-3)), 50) && !known.scored_by(None, 50));
        assert!(t.scored_by(None, 0));
        for bad in [
            "",
            "8/8/8/3k4/8/8/3NN3/3K4 w - - ce much;",
            "8/8 w - - bm Qg6;",
            "2rr3k/8/8/8/8/8/8/6K1 w - - id \"x\";",
            "7k/8/8/8/8/8/8/6K1 w - - bm Qg6;",
        ] {
            assert!(SuitePosition::<Chess>::parse(bad, 1).is_err(), "{bad:?}");
        }
    }
}
