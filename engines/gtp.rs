//! `nguky-gtp`: go over GTP.

use std::process::ExitCode;

fn main() -> ExitCode {
    nguky::gtp::cli::main()
}
