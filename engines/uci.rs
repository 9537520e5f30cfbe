//! `nguky-uci`: chess over UCI.

use nguky::engine::AlphaBeta;
use nguky::games::chess::{Chess, ChessExtras};
use nguky::protocol::{cli::Program, uci};
use std::process::ExitCode;

fn main() -> ExitCode {
    let program = Program {
        command: "nguky-uci",
        about: "Chess engine speaking UCI. Without arguments it waits for UCI commands.",
        name: concat!("Nguky ", env!("CARGO_PKG_VERSION")),
        engine: || Ok(Box::new(AlphaBeta::<Chess>::with(Box::new(ChessExtras::default()))?)),
        serve: uci::serve,
        options: uci::options_table,
    };
    program.main()
}
