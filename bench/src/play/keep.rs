//! The file of `--save`: tried before the first move, and written after every one, so that a game that is stopped is
//! not lost.

use crate::whole_file;
use anyhow::{Context, Result};
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Exit code of a program that Ctrl-C ended.
const STOPPED: i32 = 130;

struct SavedGame {
    file: PathBuf,
    /// Whether the file was made here and holds no game yet.
    fresh: bool,
}

impl SavedGame {
    /// An empty file is of no use to anybody.
    fn tidy(&mut self) {
        if std::mem::take(&mut self.fresh) {
            let _ = std::fs::remove_file(&self.file);
        }
    }
}

/// Keeps a game in a file.
pub struct Keeper {
    state: Arc<Mutex<SavedGame>>,
}

impl Keeper {
    /// Tries whether the file can be written, and has Ctrl-C leave it whole. A file that exists is left as it is until the
    /// first move.
    pub fn new(file: &Path) -> Result<Self> {
        let fresh = !file.exists();
        OpenOptions::new()
            .append(true)
            .create(true)
            .open(file)
            .with_context(|| format!("--save: cannot write {}", file.display()))?;
        if !fresh && file.metadata().is_ok_and(|m| m.is_file() && m.len() > 0) {
            println!("{} exists; the first move replaces it", file.display());
        }
        let state = Arc::new(Mutex::new(SavedGame {
            file: file.into(),
            fresh,
        }));
        let shared = state.clone();
        // Only one handler can be set; a second keeper, as in tests, goes without.
        let _ = ctrlc::set_handler(move || {
            // Waits for a file that is being written.
            let mut state = lock(&shared);
            match state.fresh {
                true => println!("\nstopped before the first move"),
                false => println!("\nstopped; the game so far is kept in {}", state.file.display()),
            }
            state.tidy();
            std::process::exit(STOPPED);
        });
        Ok(Self { state })
    }

    /// Writes the game as it stands.
    pub fn keep(&self, text: &str) -> Result<()> {
        let mut state = lock(&self.state);
        whole_file::replace(&state.file, text)?;
        state.fresh = false;
        Ok(())
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        lock(&self.state).tidy();
    }
}

fn lock(state: &Mutex<SavedGame>) -> MutexGuard<'_, SavedGame> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
