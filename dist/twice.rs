//! Compiles the library and the programs twice, into one universal program each: cargo runs this in place of rustc
//! (RUSTC_WORKSPACE_WRAPPER, set by `dist/pack`). The second copy is for processors with x86-64-v3 (AVX2, BMI2, FMA) and a
//! fast PEXT; a program's `main` enters it where `nguky::util::cpu::is_modern` says so (macro `nguky::start`).
//!
//! A library is compiled as cargo asks, then again under the name of its file with `-modern` behind it. A program is compiled
//! as a library first, against the library's second copy; that is linked into the program itself, under the name `modern`.
//! Dependencies and the standard library are compiled once, for the baseline. Targets other than x86-64 have one copy.

use std::env;
use std::process::{Command, ExitCode, exit};

/// Behind the names of the second copies' files.
const MODERN: &str = "-modern";

/// What the second copies are compiled with besides.
const FLAGS: [&str; 8] = [
    "-C",
    "target-cpu=x86-64-v3",
    "--cfg",
    "fast_pext",
    "-C",
    "metadata=modern", // other symbols than the first copy's
    "--cap-lints",
    "allow", // the first copy warns
];

/// The value behind an option, as in `--crate-name nguky`.
fn value<'a>(args: &'a [String], option: &str) -> Option<&'a str> {
    args.windows(2).find(|w| w[0] == option).map(|w| w[1].as_str())
}

/// An argument of the first copy as the second needs it.
fn modern(arg: &str) -> String {
    let library = arg.strip_prefix("nguky=").and_then(|path| path.strip_suffix(".rlib"));
    if let Some(path) = library {
        format!("nguky={path}{MODERN}.rlib")
    } else if arg.starts_with("extra-filename=") {
        format!("{arg}{MODERN}")
    } else if arg.starts_with("--emit=") {
        "--emit=link".into() // cargo follows the first copy's files
    } else if arg.starts_with("--json=") {
        "--json=diagnostic-rendered-ansi".into() // and its progress
    } else if arg == "lto=fat" || arg == "lto=thin" {
        "linker-plugin-lto".into() // as cargo compiles libraries for the linking that optimizes
    } else if arg == "bin" {
        "lib".into()
    } else {
        arg.into()
    }
}

/// Runs the compiler; ends where it fails.
fn run(rustc: &str, args: &[String]) {
    match Command::new(rustc).args(args).status() {
        Ok(status) if status.success() => {}
        Ok(status) => exit(status.code().unwrap_or(1)),
        Err(e) => {
            eprintln!("cannot run {rustc}: {e}");
            exit(1);
        }
    }
}

fn main() -> ExitCode {
    let all: Vec<String> = env::args().skip(1).collect();
    let Some((rustc, args)) = all.split_first() else {
        eprintln!("expected a compiler and its arguments: cargo runs this as RUSTC_WORKSPACE_WRAPPER");
        return ExitCode::from(2);
    };
    let name = value(args, "--crate-name").unwrap_or_default();
    let kind = value(args, "--crate-type").unwrap_or_default();
    let x86_64 = value(args, "--target").map_or(cfg!(target_arch = "x86_64"), |t| t.starts_with("x86_64"));
    let mut first = args.to_vec();
    if x86_64 && name.starts_with("nguky") && ["bin", "lib"].contains(&kind) {
        let second: Vec<String> = args
            .iter()
            .map(|arg| modern(arg))
            .chain(FLAGS.map(String::from))
            .collect();
        run(rustc, &second);
        if kind == "bin" {
            let (folder, hash) = (
                value(args, "--out-dir"),
                args.iter().find_map(|a| a.strip_prefix("extra-filename=")),
            );
            let file = format!(
                "{}/lib{name}{}{MODERN}.rlib",
                folder.unwrap_or("."),
                hash.unwrap_or_default()
            );
            first.extend([
                "--cfg".into(),
                "universal".into(),
                "--extern".into(),
                format!("modern={file}"),
            ]);
        }
    }
    run(rustc, &first);
    ExitCode::SUCCESS
}
