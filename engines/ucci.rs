//! `nguky-ucci`: xiangqi and cờ úp over UCCI, and over UCI.

use nguky::protocol::{cli::Program, ucci};
use nguky::register;
use std::process::ExitCode;

/// Below the options in the help.
const EXAMPLE: &str = "\
Commands of UCCI or UCI may be given as arguments; each waits for the search before it:
  nguky-ucci ucci \"go depth 12\" quit
  nguky-ucci \"setoption name UCI_Variant value coup\" \"go depth 8\" quit";

pub fn main() -> ExitCode {
    nguky::start!("nguky-ucci");
    let program = Program {
        command: "nguky-ucci",
        about: "Xiangqi and cờ úp (jieqi) engine speaking UCCI and UCI. Without arguments it waits for commands.",
        example: EXAMPLE,
        setup: "fen",
        engine: |program| register::engine_of(program, const { &register::played_by("nguky-ucci") }),
        serve: ucci::serve,
        options: ucci::options_table,
    };
    program.main()
}
