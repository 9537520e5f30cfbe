//! `nguky-ucci`: xiangqi over UCCI, and over UCI.

use nguky::engine::AlphaBeta;
use nguky::games::xiangqi::Xiangqi;
use nguky::protocol::{cli::Program, ucci};
use std::process::ExitCode;

fn main() -> ExitCode {
    let program = Program {
        command: "nguky-ucci",
        about: "Xiangqi engine speaking UCCI and UCI. Without arguments it waits for commands.",
        name: concat!("Nguky ", env!("CARGO_PKG_VERSION")),
        engine: || Ok(Box::new(AlphaBeta::<Xiangqi>::new()?)),
        serve: ucci::serve,
        options: ucci::options_table,
    };
    program.main()
}
