//! `nguky`: the workbench of the Ngũ Kỳ engines. Each subcommand is one module.

use clap::{Parser, Subcommand};
use std::process::ExitCode;

mod arena;
mod datagen;
mod games;
mod go;
mod notation;
mod play;
mod records;
mod revision;
mod signature;
mod sprt;
mod spsa;
mod stray;
mod suite;
mod train;
mod tune;

/// Matches, self-play data and tuning for the Ngũ Kỳ engines.
#[derive(Parser)]
#[command(name = "nguky", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Play engine against engine and record the games
    Match(Box<arena::Args>),
    /// Play against the engine in the terminal
    Play(play::Args),
    /// Solve test positions with known best moves
    Suite(suite::Args),
    /// Let the engine play against itself and keep quiet positions with their results
    Datagen(datagen::Args),
    /// Add positions a random move off such games
    Stray(stray::Args),
    /// Fit the hand-written evaluation's weights to the results of such games
    Tune(tune::Args),
    /// Train a network on such games
    Train(train::Args),
    /// Count the nodes of every game's bench and compare them with bench/signature.txt
    Signature(signature::Args),
    /// Play two builds, networks or sets of options until it is clear whether the new one is better
    Sprt(sprt::Args),
    /// Tune the search's numbers by games between steps up and down
    Spsa(spsa::Args),
}

/// Ends without a word when the reader of the output has left, as in `nguky ... | head -1`: the standard library's
/// printing panics then. Engines that die must not end a match, so the signal for closed pipes stays off.
fn leave_quietly_with_the_reader() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let text = panic.payload().downcast_ref::<String>().map_or("", String::as_str);
        if text.starts_with("failed printing to") && text.contains("Broken pipe") {
            std::process::exit(0);
        }
        usual(panic);
    }));
}

fn main() -> ExitCode {
    leave_quietly_with_the_reader();
    let done = match Cli::parse().command {
        Command::Match(args) => arena::run(&args),
        Command::Play(args) => play::run(&args),
        Command::Suite(args) => suite::run(&args),
        Command::Datagen(args) => datagen::run(&args),
        Command::Stray(args) => stray::run(&args),
        Command::Tune(args) => tune::run(&args),
        Command::Train(args) => train::run(&args),
        Command::Signature(args) => signature::run(&args),
        Command::Sprt(args) => sprt::run(&args),
        Command::Spsa(args) => spsa::run(&args),
    };
    // One line without a backtrace: what is wrong is with the input, not with the program.
    done.map_or_else(
        |e| {
            eprintln!("Error: {e:#}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}
