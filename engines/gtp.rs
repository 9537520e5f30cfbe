//! `nguky-gtp`: go over GTP.

use clap::{Parser, Subcommand};
use nguky::engine::{Engine, Mcts};
use nguky::protocol::gtp;
use nguky::protocol::gtp::analysis::{self, Arguments};
use std::process::ExitCode;

/// Go engine speaking GTP. Without arguments it waits for GTP commands.
#[derive(Parser)]
#[command(name = "nguky-gtp", version, about)]
struct Cli {
    /// Points of a side
    #[arg(long)]
    boardsize: Option<u32>,
    /// White's points for moving second
    #[arg(long, allow_negative_numbers = true)]
    komi: Option<f32>,
    /// chinese, japanese, cothu, tromp-taylor, aga or new-zealand
    #[arg(long)]
    rules: Option<String>,
    /// Search threads
    #[arg(long)]
    threads: Option<u32>,
    /// A network in a file of KataGo's format
    #[arg(long)]
    model: Option<String>,
    /// Playouts a move
    #[arg(long)]
    playouts: Option<u64>,
    /// Size of the search tree in MB
    #[arg(long)]
    max_tree_mb: Option<u32>,
    /// Tell the playouts of each move on the standard error
    #[arg(long)]
    verbose: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Search empty boards of 9, 13 and 19 points a side
    Bench {
        /// Thousands of playouts for each
        #[arg(long, default_value_t = 10)]
        depth: u32,
    },
    /// Answer queries of KataGo's analysis protocol, as KaTrain sends them
    Analysis {
        /// -model FILE, -config FILE, -override-config NAME=VALUE,.. and -quit-without-waiting, as katago takes them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// GTP commands, one an argument, before those of the standard input
    #[command(external_subcommand)]
    Gtp(Vec<String>),
}

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("nguky-gtp: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> Result<(), String> {
    let mut engine = Mcts::new()?;
    let options = [
        ("Rules", cli.rules),
        ("Board Size", cli.boardsize.map(|n| n.to_string())),
        ("Threads", cli.threads.map(|n| n.to_string())),
        ("Model", cli.model),
        ("Playouts", cli.playouts.map(|n| n.to_string())),
        ("Tree Memory", cli.max_tree_mb.map(|n| n.to_string())),
    ];
    for (name, value) in options {
        if let Some(value) = value {
            engine.set_option(name, Some(&value)).map_err(|e| e.to_string())?;
        }
    }
    if let Some(komi) = cli.komi {
        if !komi.is_finite() || komi.abs() > 1000.0 {
            return Err("komi out of range".into());
        }
        let mut game = engine.game().clone();
        game.set_komi(komi);
        engine.set_game(game);
    }
    let commands = match cli.command {
        Some(Command::Bench { depth }) => {
            let (playouts, seconds) = engine.bench(depth, &mut |i, n| println!("board {}: {n} playouts", i + 1));
            println!("{playouts} playouts, {:.0} a second", playouts as f64 / seconds);
            return Ok(());
        }
        Some(Command::Analysis { args }) => return analyse(engine, &args),
        Some(Command::Gtp(lines)) => lines,
        None => Vec::new(),
    };
    let input = std::io::BufReader::new(std::io::stdin());
    gtp::serve(engine, input, Box::new(std::io::stdout()), commands, cli.verbose);
    Ok(())
}

/// Serves the analysis protocol.
fn analyse(mut engine: Mcts, args: &[String]) -> Result<(), String> {
    let found = Arguments::read(args)?;
    let threads = found.threads.map(|n| n.to_string());
    for (name, value) in [("Threads", threads), ("Model", found.model)] {
        if let Some(value) = value {
            engine.set_option(name, Some(&value)).map_err(|e| e.to_string())?;
        }
    }
    eprintln!("Started, ready to begin handling requests");
    let input = std::io::BufReader::new(std::io::stdin());
    analysis::serve(engine, found.settings, input, Box::new(std::io::stdout()));
    Ok(())
}
