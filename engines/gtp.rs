//! `nguky-gtp`: go over GTP.

use std::process::ExitCode;

pub fn main() -> ExitCode {
    nguky::start!("nguky-gtp");
    nguky::gtp::cli::main()
}
