//! `nguky-uci`: chess over UCI.

use nguky::protocol::{cli::Program, uci};
use nguky::register;
use std::process::ExitCode;

/// Below the options in the help.
const EXAMPLE: &str = "\
Commands of UCI may be given as arguments; each waits for the search before it:
  nguky-uci \"go depth 12\" quit";

pub fn main() -> ExitCode {
    nguky::start!("nguky-uci");
    let program = Program {
        command: "nguky-uci",
        about: "Chess engine speaking UCI. Without arguments it waits for UCI commands.",
        example: EXAMPLE,
        setup: "fen",
        engine: |program| register::engine_of(program, const { &register::played_by("nguky-uci") }),
        serve: uci::serve,
        options: uci::options_table,
    };
    program.main()
}
