//! `nguky`: the workbench of the Ngũ Kỳ engines. Each subcommand is one module.
#![cfg_attr(fuzzing, no_main, allow(dead_code))]

#[cfg(feature = "manual")]
use clap::CommandFactory;
use clap::{Parser, Subcommand};
use std::process::ExitCode;

mod arena;
mod calibrate;
mod datagen;
#[cfg(any(test, fuzzing))]
mod fuzz;
mod games;
mod go;
mod levels;
mod notation;
mod play;
mod plot;
mod records;
mod review;
mod revision;
mod signature;
mod soak;
mod sprt;
mod spsa;
mod suite;
mod train;
#[cfg(feature = "web")]
mod web;
mod whole_file;

/// Play against the Ngũ Kỳ engines in the browser or the terminal; matches, self-play data, training and tuning.
#[derive(Parser)]
#[command(name = "nguky", version)]
struct NgukyCli {
    #[command(subcommand)]
    command: NgukyCommand,
}

#[derive(Subcommand)]
enum NgukyCommand {
    /// Play engine against engine and record the games
    Match(Box<arena::MatchArgs>),
    /// Play against the engine in the terminal
    Play(play::PlayArgs),
    /// Play against the engines in the browser, on a page of this machine
    #[cfg(feature = "web")]
    Web(web::WebArgs),
    /// Review a recorded game: marks, losses, totals, an annotated record, a picture
    Review(review::ReviewArgs),
    /// Compare the expected scores that the engine reports with the results of games
    Calibrate(calibrate::CalibrateArgs),
    /// Solve test positions with known best moves
    Suite(suite::SuiteArgs),
    /// Let the engine play against itself and keep quiet positions with their results
    Datagen(datagen::DatagenArgs),
    /// Play many games of go at a time for a learner on a GPU, which evaluates their positions (bench/student)
    Actor(go::actor::ActorArgs),
    /// Train a network on such games
    Train(train::TrainArgs),
    /// Count the nodes of every game's bench and compare them with bench/signature.txt
    Signature(signature::SignatureArgs),
    /// Play two builds, networks or sets of options until it is clear whether the new one is better
    Sprt(sprt::SprtArgs),
    /// Measure the levels of strength: play each against its neighbours, rate them, write the table and a plot
    Levels(levels::LevelsArgs),
    /// Play for hours over real pipes with disturbances, and count wrong answers
    Soak(soak::SoakArgs),
    /// Tune the search's numbers by games between steps up and down
    Spsa(spsa::SpsaArgs),
    /// Tell what each of many changes of the search's numbers is worth, from one series of games
    Factorial(spsa::factorial::FactorialArgs),
    /// Write man pages and completions of shells into a folder
    #[cfg(feature = "manual")]
    #[command(hide = true)]
    Manual {
        /// The folder, made where there is none
        folder: std::path::PathBuf,
    },
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

pub fn main() -> ExitCode {
    nguky::start!("nguky");
    leave_quietly_with_the_reader();
    let done = match NgukyCli::parse().command {
        NgukyCommand::Match(args) => arena::run(&args),
        NgukyCommand::Play(args) => play::run(&args),
        #[cfg(feature = "web")]
        NgukyCommand::Web(args) => web::run(&args),
        NgukyCommand::Review(args) => review::run(&args),
        NgukyCommand::Calibrate(args) => calibrate::run(&args),
        NgukyCommand::Suite(args) => suite::run(&args),
        NgukyCommand::Datagen(args) => datagen::run(&args),
        NgukyCommand::Actor(args) => go::actor::run(&args),
        NgukyCommand::Train(args) => train::run(&args),
        NgukyCommand::Signature(args) => signature::run(&args),
        NgukyCommand::Sprt(args) => sprt::run(&args),
        NgukyCommand::Levels(args) => levels::run(&args),
        NgukyCommand::Soak(args) => soak::run(&args),
        NgukyCommand::Spsa(args) => spsa::run(&args),
        NgukyCommand::Factorial(args) => spsa::factorial::run(&args),
        #[cfg(feature = "manual")]
        NgukyCommand::Manual { folder } => {
            nguky::protocol::manual::write("nguky", &NgukyCli::command(), &folder).map_err(anyhow::Error::msg)
        }
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
