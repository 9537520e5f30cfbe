//! The command line that the binaries share: without a command they speak their protocol.

use crate::control::Engine;
use clap::{Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::error::Error;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

/// The engines' authors, as in `id author`; ASCII, because some clients read Latin-1.
pub const AUTHORS: &str = "the Nguky developers";

/// The standard output. Where the reader closes it (`nguky-uci bench | head -1`) the program ends quietly and with success,
/// in the middle of a job too.
pub struct Console;

impl Console {
    fn checked<T>(done: std::io::Result<T>) -> std::io::Result<T> {
        if matches!(&done, Err(e) if e.kind() == ErrorKind::BrokenPipe) {
            std::process::exit(0);
        }
        done
    }
}

impl Write for Console {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        Self::checked(std::io::stdout().write(bytes))
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Self::checked(std::io::stdout().flush())
    }
}

/// A line on the standard error; a closed one is no error.
pub fn print_error(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// What makes one binary of the family.
pub struct Program {
    /// The binary's name.
    pub command: &'static str,
    /// A line on what it is.
    pub about: &'static str,
    /// Lines below the options in the help: an example.
    pub example: &'static str,
    /// What the game calls the text of a position, in lower case: fen or sfen.
    pub setup: &'static str,
    /// Makes the engine in the binary of this name.
    pub engine: fn(&str) -> Result<Box<dyn Engine>, String>,
    /// Speaks the protocol, on the given commands or, without any, on the standard input.
    pub serve: fn(Box<dyn Engine>, &str, &[String]),
    /// The table of options in Markdown.
    pub options: fn(&dyn Engine) -> String,
}

#[derive(Parser)]
#[command(version)]
struct ProgramCli {
    #[command(subcommand)]
    command: Option<ProgramSubcommand>,
}

#[derive(Subcommand)]
enum ProgramSubcommand {
    /// Search fixed positions; the node count is the same on every machine
    Bench {
        /// Depth of each search, in plies
        #[arg(long, default_value_t = super::uci::BENCH_DEPTH)]
        depth: u32,
        /// Search threads; the count is repeatable with one only
        #[arg(long, default_value_t = 1)]
        threads: u32,
        /// Hash table in MB
        #[arg(long, default_value_t = 16)]
        hash: u32,
    },
    /// Count the leaves of the tree of legal moves
    Perft {
        /// Depth of the tree, in plies
        depth: u32,
        /// Start from this position, not from the game's start
        #[arg(long)]
        fen: Option<String>,
        /// Show the count of each root move
        #[arg(long)]
        divide: bool,
        /// Threads that share the root moves
        #[arg(long, default_value_t = 1)]
        threads: usize,
    },
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
    /// Commands of the protocol, instead of those of the standard input
    #[command(external_subcommand)]
    Protocol(Vec<String>),
}

impl Program {
    /// The definition of the command line.
    fn parser(&self) -> Command {
        let setup = self.setup;
        ProgramCli::command()
            .name(self.command)
            .about(self.about)
            .after_help(self.example)
            .mut_subcommand("perft", |perft| {
                perft.mut_arg("fen", |arg| {
                    arg.long(setup).value_name(if setup == "sfen" { "SFEN" } else { "FEN" })
                })
            })
    }

    /// Reads the command line and runs its command.
    pub fn main(&self) -> ExitCode {
        let cli = ProgramCli::from_arg_matches(&self.parser().get_matches()).unwrap_or_else(|e| e.exit());
        match self.run(cli.command) {
            Ok(()) => ExitCode::SUCCESS,
            Err(why) => {
                print_error(&format!("{}: {why}", self.command));
                ExitCode::FAILURE
            }
        }
    }

    fn run(&self, command: Option<ProgramSubcommand>) -> Result<(), Box<dyn Error>> {
        let mut engine = (self.engine)(self.command)?;
        // Clients tell engines apart by the binary's name and its version; ASCII, because some of them read Latin-1.
        let name = format!("{} {}", self.command, env!("CARGO_PKG_VERSION"));
        let print = |line: &str| drop(writeln!(Console, "{line}"));
        match command {
            None => (self.serve)(engine, &name, &[]),
            Some(ProgramSubcommand::Protocol(commands)) => (self.serve)(engine, &name, &commands),
            #[cfg(feature = "manual")]
            Some(ProgramSubcommand::Manual { folder }) => super::manual::write(self.command, &self.parser(), &folder)?,
            Some(ProgramSubcommand::OptionsTable) => print((self.options)(engine.as_ref()).trim_end()),
            Some(ProgramSubcommand::Bench { depth, threads, hash }) => {
                for (option, value) in [("Threads", threads), ("Hash", hash)] {
                    // Not every engine has both.
                    if engine.options().get(option).is_some() {
                        engine.set_option(option, Some(&value.to_string()))?;
                    }
                }
                let mut each = |i, n| print(&format!("position {:>2}: {n} nodes", i + 1));
                let (nodes, seconds) = engine.bench(depth.max(1), &mut each);
                print(&super::uci::bench_line(nodes, seconds));
            }
            Some(ProgramSubcommand::Perft {
                depth,
                fen,
                divide,
                threads,
            }) => {
                engine.position(fen.as_deref(), &[])?;
                let counts = engine.perft(depth.max(1), threads, &AtomicBool::new(false));
                for (mv, n) in counts.iter().filter(|_| divide) {
                    print(&format!("{mv}: {n}"));
                }
                let total: u64 = counts.iter().map(|(_, n)| n).sum();
                print(&format!("Nodes searched: {total}"));
            }
        }
        Ok(())
    }
}
