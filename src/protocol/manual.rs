//! Man pages and completions of shells, made from the definition of a command line: what the hidden command `manual` of every
//! program writes.

use clap::Command;
use clap_complete::Shell;
use std::fs;
use std::io;
use std::path::Path;

/// The shells that get completions.
const SHELLS: [Shell; 4] = [Shell::Bash, Shell::Fish, Shell::PowerShell, Shell::Zsh];

/// Writes the program's man page and one for each of its commands into `FOLDER/man`, completions into `FOLDER/completions`.
/// Hidden commands are left out. The files depend on the definition alone, not on time or machine.
///
/// # Errors
/// One line that names the file or folder that cannot be written.
pub fn write(program: &'static str, command: &Command, folder: &Path) -> io::Result<()> {
    let [man, completions] = ["man", "completions"].map(|name| folder.join(name));
    for place in [&man, &completions] {
        fs::create_dir_all(place).map_err(|e| named(place, &e))?;
    }
    let mut shown = without_hidden(program, command);
    clap_mangen::generate_to(shown.clone(), &man).map_err(|e| named(&man, &e))?;
    for shell in SHELLS {
        clap_complete::generate_to(shell, &mut shown, program, &completions).map_err(|e| named(&completions, &e))?;
    }
    Ok(())
}

/// The command without its hidden subcommands, which the completions would offer. They cannot be taken out of a command, so
/// this is a new one with the rest.
fn without_hidden(program: &'static str, command: &Command) -> Command {
    let mut shown = Command::new(program)
        .version(env!("CARGO_PKG_VERSION"))
        .args(command.get_arguments())
        .subcommands(command.get_subcommands().filter(|c| !c.is_hide_set()));
    if let Some(about) = command.get_about() {
        shown = shown.about(about.clone());
    }
    if let Some(text) = command.get_after_help() {
        shown = shown.after_help(text.clone());
    }
    shown
}

fn named(path: &Path, e: &io::Error) -> io::Error {
    io::Error::new(e.kind(), format!("cannot write {}: {e}", path.display()))
}
