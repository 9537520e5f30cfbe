//! The workbench's commands as programs. One test program has them all: so it is linked once, and one file's long tests
//! run beside another's.

mod coup;
mod go;
mod interrupted;
mod learning;
mod levels;
mod live;
mod matches;
mod play;
mod review;
mod runner;
mod signature;

/// The command of a scripted engine: the ignored test `scripted_engine` of a module of this very program, which speaks to its
/// standard input and output when `variables` name a manner (`FAKE=good`).
fn scripted_engine(module: &str, variables: &str) -> String {
    let program = std::env::current_exe().expect("this program");
    format!(
        "env {variables} {} --ignored --exact {module}::scripted_engine --nocapture",
        program.display()
    )
}
