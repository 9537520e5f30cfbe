//! The command line of `nguky-gtp`.

use super::GtpDialect;
use super::analysis::{self, Arguments};
use crate::control::Engine;
use crate::mcts::Mcts;
use crate::protocol::Session;
use crate::protocol::cli::{Console, print_error};
#[cfg(feature = "manual")]
use clap::CommandFactory;
use clap::{Parser, Subcommand, ValueEnum};
use std::io::{BufReader, Write};
use std::process::ExitCode;

/// Go engine speaking GTP. Without arguments it waits for GTP commands.
#[derive(Parser)]
#[command(
    name = "nguky-gtp",
    version,
    after_help = "The GTP command list_options names all options; setoption name NAME value VALUE sets one."
)]
struct GtpCli {
    /// Board size
    #[arg(long)]
    boardsize: Option<u32>,
    /// Komi
    #[arg(long, allow_negative_numbers = true)]
    komi: Option<f32>,
    /// chinese, japanese, cothu, tromp-taylor, aga or new-zealand
    #[arg(long)]
    rules: Option<String>,
    /// Search threads
    #[arg(long)]
    threads: Option<u32>,
    /// Network file in KataGo's format
    #[arg(long)]
    model: Option<String>,
    /// Playouts per move
    #[arg(long)]
    playouts: Option<u64>,
    /// Strength from 1 to 10: one visit per move at 1, twice as many at each further level
    #[arg(long)]
    level: Option<u32>,
    /// Play at a rank, 20k to 9d
    #[arg(long, conflicts_with = "level")]
    rank: Option<String>,
    /// Size of the search tree in MB
    #[arg(long)]
    max_tree_mb: Option<u32>,
    /// Print the playouts of each move on the standard error
    #[arg(long)]
    verbose: bool,
    /// For compatibility with gnugo; gtp is the only mode
    #[arg(long, value_name = "MODE")]
    mode: Option<Mode>,
    /// For compatibility with gnugo; has no effect
    #[arg(long)]
    quiet: bool,
    /// For compatibility with gnugo: the same as --rules chinese
    #[arg(long, conflicts_with_all = ["rules", "japanese_rules"])]
    chinese_rules: bool,
    /// For compatibility with gnugo: the same as --rules japanese
    #[arg(long, conflicts_with = "rules")]
    japanese_rules: bool,
    /// For compatibility with gnugo: never resign
    #[arg(long)]
    never_resign: bool,
    #[command(subcommand)]
    command: Option<GtpSubcommand>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Mode {
    Gtp,
}

#[derive(Subcommand)]
enum GtpSubcommand {
    /// Search empty boards of sizes 9, 13 and 19
    Bench {
        /// Thousands of playouts per board
        #[arg(long, default_value_t = 10)]
        depth: u32,
    },
    /// Answer queries of KataGo's analysis protocol, as KaTrain sends them
    Analysis {
        /// -model FILE, -config FILE, -override-config NAME=VALUE,.. and -quit-without-waiting, as katago takes them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Wait for GTP commands, as without arguments
    Gtp,
    /// The options as a table in Markdown
    #[command(hide = true)]
    OptionsTable,
    /// Write man pages and completions of shells into a folder
    #[cfg(feature = "manual")]
    #[command(hide = true)]
    Manual {
        /// The folder, made where there is none
        folder: std::path::PathBuf,
    },
    /// GTP commands, one per argument, before those of the standard input
    #[command(external_subcommand)]
    Lines(Vec<String>),
}

/// Reads the command line and runs its command.
pub fn main() -> ExitCode {
    match run(GtpCli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            print_error(&format!("nguky-gtp: {why}"));
            ExitCode::FAILURE
        }
    }
}

fn run(cli: GtpCli) -> Result<(), String> {
    let mut engine = Mcts::new()?;
    let named = [(cli.chinese_rules, "chinese"), (cli.japanese_rules, "japanese")];
    let rules = named.into_iter().find_map(|(on, name)| on.then(|| name.to_string()));
    let options = [
        ("Rules", cli.rules.or(rules)),
        ("Board Size", cli.boardsize.map(|n| n.to_string())),
        ("Threads", cli.threads.map(|n| n.to_string())),
        ("Model", cli.model),
        ("Playouts", cli.playouts.map(|n| n.to_string())),
        ("Tree Memory", cli.max_tree_mb.map(|n| n.to_string())),
        ("Resign", cli.never_resign.then(|| "0".to_string())),
    ];
    for (name, value) in options {
        if let Some(value) = value {
            engine.set_option(name, Some(&value)).map_err(|e| e.to_string())?;
        }
    }
    if let Some(komi) = cli.komi {
        if !komi.is_finite() || komi.abs() > 1000.0 {
            return Err(format!("komi must be a number from -1000 to 1000, not {komi}"));
        }
        let mut game = engine.game().clone();
        game.set_komi(komi);
        engine.set_game(game);
    }
    let print = |line: &str| drop(writeln!(Console, "{line}"));
    let commands = match cli.command {
        Some(GtpSubcommand::Bench { depth }) => {
            let (playouts, seconds) = engine.bench(depth, &mut |i, n| print(&format!("board {}: {n} playouts", i + 1)));
            print(&format!(
                "{playouts} playouts, {:.0} a second",
                playouts as f64 / seconds
            ));
            return Ok(());
        }
        Some(GtpSubcommand::Analysis { args }) => return serve_analysis(engine, &args),
        Some(GtpSubcommand::OptionsTable) => {
            print(crate::protocol::options::table(engine.options().iter()).trim_end());
            return Ok(());
        }
        #[cfg(feature = "manual")]
        Some(GtpSubcommand::Manual { folder }) => {
            let written = crate::protocol::manual::write("nguky-gtp", &GtpCli::command(), &folder);
            return written.map_err(|e| e.to_string());
        }
        Some(GtpSubcommand::Lines(lines)) => lines,
        Some(GtpSubcommand::Gtp) | None => Vec::new(),
    };
    if let Some(level) = cli.level {
        super::params::set_level(&mut engine, &level.to_string()).map_err(|e| e.to_string())?;
    }
    if let Some(rank) = &cli.rank {
        super::params::set_rank(&mut engine, rank).map_err(|e| e.to_string())?;
    }
    let mut session = Session::new(Box::new(engine), Box::new(Console));
    session.run(
        &mut GtpDialect::new(cli.verbose),
        commands,
        BufReader::new(std::io::stdin()),
    );
    Ok(())
}

/// Serves the analysis protocol.
fn serve_analysis(mut engine: Mcts, args: &[String]) -> Result<(), String> {
    let found = Arguments::read(args)?;
    let threads = found.threads.map(|n| n.to_string());
    for (name, value) in [("Threads", threads), ("Model", found.model)] {
        if let Some(value) = value {
            engine.set_option(name, Some(&value)).map_err(|e| e.to_string())?;
        }
    }
    print_error("Started, ready to begin handling requests");
    let mut session = Session::new(Box::new(engine), Box::new(Console));
    let mut dialect = analysis::KataAnalysis::new(found.settings);
    session.run(&mut dialect, Vec::new(), BufReader::new(std::io::stdin()));
    Ok(())
}
