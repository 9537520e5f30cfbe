//! `nguky-ucci`: xiangqi and cờ úp over UCCI, and over UCI.

use nguky::engine::{AlphaBeta, Variant, Variants};
use nguky::games::coup::Coup;
use nguky::games::xiangqi::Xiangqi;
use nguky::protocol::{cli::Program, ucci};
use std::process::ExitCode;

/// The games. A setup with face-down pieces is of cờ úp.
const GAMES: &[Variant] = &[
    Variant {
        names: &["xiangqi"],
        engine: || Ok(Box::new(AlphaBeta::<Xiangqi>::new()?)),
        shows: |_| false,
    },
    Variant {
        names: &["coup", "jieqi"],
        engine: || Ok(Box::new(AlphaBeta::<Coup>::new()?)),
        shows: |setup| setup.split(' ').next().is_some_and(|board| board.contains(['x', 'X'])),
    },
];

/// Below the options in the help.
const EXAMPLE: &str = "\
Commands of UCCI or UCI may be given as arguments; each waits for the search before it:
  nguky-ucci ucci \"go depth 12\" quit
  nguky-ucci \"setoption name UCI_Variant value coup\" \"go depth 8\" quit";

fn main() -> ExitCode {
    let program = Program {
        command: "nguky-ucci",
        about: "Xiangqi and cờ úp (jieqi) engine speaking UCCI and UCI. Without arguments it waits for commands.",
        example: EXAMPLE,
        setup: "fen",
        engine: || Ok(Box::new(Variants::new(GAMES)?)),
        serve: ucci::serve,
        options: ucci::options_table,
    };
    program.main()
}
