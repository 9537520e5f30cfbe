//! `nguky-usi`: shogi over USI.

use nguky::engine::AlphaBeta;
use nguky::games::shogi::Shogi;
use nguky::protocol::{cli::Program, usi};
use std::process::ExitCode;

fn main() -> ExitCode {
    let program = Program {
        command: "nguky-usi",
        about: "Shogi engine speaking USI. Without arguments it waits for USI commands.",
        name: concat!("Nguky ", env!("CARGO_PKG_VERSION")),
        engine: || Ok(Box::new(AlphaBeta::<Shogi>::new()?)),
        serve: usi::serve,
        options: usi::options_table,
    };
    program.main()
}
