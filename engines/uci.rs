//! `nguky-uci`: chess over UCI.

use clap::{Parser, Subcommand};
use nguky::engine::{AlphaBeta, Engine};
use nguky::games::chess::Chess;
use nguky::protocol::uci;
use std::process::ExitCode;

/// Chess engine speaking UCI. Without arguments it waits for UCI commands.
#[derive(Parser)]
#[command(name = "nguky-uci", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Search fixed positions; the node count is the same on every machine
    Bench {
        #[arg(long, default_value_t = uci::BENCH_DEPTH)]
        depth: u32,
        #[arg(long, default_value_t = 1)]
        threads: u32,
        /// Hash table in MB
        #[arg(long, default_value_t = 16)]
        hash: u32,
    },
    /// Count the leaves of the tree of legal moves
    Perft {
        depth: u32,
        /// Start from this position
        #[arg(long)]
        fen: Option<String>,
        /// Show the count of each root move
        #[arg(long)]
        divide: bool,
        #[arg(long, default_value_t = 1)]
        threads: usize,
    },
    /// UCI commands, one an argument, before those of the standard input: nguky-uci "go depth 8" quit
    #[command(external_subcommand)]
    Uci(Vec<String>),
}

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("nguky-uci: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> Result<(), String> {
    let mut engine: Box<dyn Engine> = Box::new(AlphaBeta::<Chess>::new()?);
    match cli.command {
        None => uci::serve(engine, "Ngũ Kỳ chess", Vec::new()),
        Some(Command::Uci(lines)) => uci::serve(engine, "Ngũ Kỳ chess", lines),
        Some(Command::Bench { depth, threads, hash }) => {
            for (name, value) in [("Threads", threads), ("Hash", hash)] {
                engine
                    .set_option(name, Some(&value.to_string()))
                    .map_err(|e| e.to_string())?;
            }
            let (nodes, seconds) = engine.bench(depth, &mut |i, n| println!("position {:>2}: {n} nodes", i + 1));
            println!("{}", uci::bench_line(nodes, seconds));
        }
        Some(Command::Perft {
            depth,
            fen,
            divide,
            threads,
        }) => {
            engine.position(fen.as_deref(), &[]).map_err(|e| e.to_string())?;
            let counts = engine.perft(depth.max(1), threads);
            for (mv, n) in counts.iter().filter(|_| divide) {
                println!("{mv}: {n}");
            }
            println!("Nodes searched: {}", counts.iter().map(|(_, n)| n).sum::<u64>());
        }
    }
    Ok(())
}
