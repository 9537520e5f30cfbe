//! `nguky-gtp`: go over GTP.

use std::process::ExitCode;

fn main() -> ExitCode {
    nguky::util::cpu::require_baseline("nguky-gtp");
    nguky::gtp::cli::main()
}
