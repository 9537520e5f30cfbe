//! `nguky signature`: the counts by which a change of search or evaluation shows, game by game.

use anyhow::{Context, Result, anyhow, bail};
use clap::Args as ClapArgs;
use nguky::alphabeta_games;
use nguky::control::{Engine, Limits};
use nguky::engine::AlphaBeta;
use nguky::game::{PieceValues, Position};
use nguky::games::go::{Game, PASS, Rules};
use nguky::mcts::Mcts;
use nguky::register::{self, GO};
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// The command line of `nguky signature`.
#[derive(ClapArgs)]
pub struct SignatureArgs {
    /// Write what is counted to the file instead of comparing
    #[arg(long)]
    update: bool,
    /// The file, a line "GAME COUNT" for each game
    #[arg(long, default_value = "bench/signature.txt")]
    file: PathBuf,
    /// This game only
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
}

/// Counts a game.
type NodeCount = fn() -> Result<u64, String>;

macro_rules! counts {
    ([] $(#[$on:meta] $game:ty),*) => { &[$(#[$on] (<$game as Position>::NAME, bench::<$game>),)* (GO.name, go)] };
}

/// The games, and how each is counted.
const GAMES: &[(&str, NodeCount)] = alphabeta_games!(counts);

/// The nodes that the engine's `bench` visits.
fn bench<P: PieceValues>() -> Result<u64, String> {
    Ok(AlphaBeta::<P>::new()?.bench(P::BENCH_DEPTH, &mut |_, _| {}).0)
}

/// What go's search is counted by: its evaluators, and with each the visits a search. A network is run in floats, for
/// whether 8-bit integers take their place depends on the processor. Floats differ in their last bits between processors (fused
/// multiplication and addition or not); in a search as short as this that moves no visit.
const SEARCHES: [(&str, u64); 2] = [("playouts", 500), ("network", 48)];

/// Searches of empty boards: the sum, over the root's moves, of the visits times the number of the point from 1 on. Go's
/// search counts playouts where others count nodes, and they are as many as asked for: what tells is where they went.
fn go() -> Result<u64, String> {
    let mut sum = 0;
    for (evaluator, playouts) in SEARCHES {
        for size in [9, 13, 19] {
            let mut engine = Mcts::new()?;
            engine
                .set_option("Evaluator", Some(evaluator))
                .and_then(|()| engine.set_option("Precision", Some("float")))
                .map_err(|e| e.to_string())?;
            engine.set_game(Game::new(size, Rules::default()).map_err(|e| e.to_string())?);
            engine
                .go(Limits::nodes(playouts), Arc::new(|_| {}))
                .map_err(|e| e.to_string())?;
            engine.wait();
            let board = engine.game().board();
            for m in engine.analysis().moves {
                let point = if m.mv == PASS { 0 } else { board.index(m.mv) as u64 + 1 };
                sum += point * u64::from(m.visits);
            }
        }
    }
    Ok(sum)
}

/// The count of a game in the file's text.
fn kept(text: &str, game: &str) -> Option<u64> {
    text.lines()
        .find_map(|l| l.strip_prefix(game)?.strip_prefix(' ')?.trim().parse().ok())
}

/// Counts, and compares with the file or writes it.
pub fn run(args: &SignatureArgs) -> Result<()> {
    let only = args.game.as_deref().map(register::find).transpose()?;
    let path = args.file.display();
    let text = match std::fs::read_to_string(&args.file) {
        Err(e) if args.update && e.kind() == std::io::ErrorKind::NotFound => String::new(),
        read => read.with_context(|| format!("cannot read {path}"))?,
    };
    let wanted = |name: &str| only.is_none_or(|g| g.name == name);
    let counted: Vec<(&str, Option<u64>)> = GAMES
        .par_iter()
        .map(|&(name, count)| match wanted(name) {
            true => count().map(|n| (name, Some(n))).map_err(|e| anyhow!("{name}: {e}")),
            false => Ok((name, None)),
        })
        .collect::<Result<_>>()?;
    let mut new = String::new();
    let mut changed = Vec::new();
    for (name, count) in counted {
        let before = kept(&text, name);
        if let Some(n) = count {
            match before {
                Some(old) if old == n => println!("{name} {n}"),
                Some(old) => println!("{name} {n}, {old} before"),
                None => println!("{name} {n}, none before"),
            }
            if before != Some(n) {
                changed.push(name);
            }
        }
        if let Some(n) = count.or(before) {
            new += &format!("{name} {n}\n");
        }
    }
    if args.update {
        std::fs::write(&args.file, new).with_context(|| format!("cannot write {path}"))?;
    } else if !changed.is_empty() {
        bail!(
            "{} not as in {path}; where that is meant, run nguky signature --update",
            changed.join(", ")
        );
    }
    Ok(())
}
