//! `nguky-usi`: shogi over USI.

use nguky::protocol::{cli::Program, usi};
use nguky::register;
use std::process::ExitCode;

/// Below the options in the help.
const EXAMPLE: &str = "\
Commands of USI may be given as arguments; each waits for the search before it:
  nguky-usi \"go depth 12\" quit";

pub fn main() -> ExitCode {
    nguky::start!("nguky-usi");
    let program = Program {
        command: "nguky-usi",
        about: "Shogi engine speaking USI. Without arguments it waits for USI commands.",
        example: EXAMPLE,
        setup: "sfen",
        engine: |program| register::engine_of(program, const { &register::played_by("nguky-usi") }),
        serve: usi::serve,
        options: usi::options_table,
    };
    program.main()
}
