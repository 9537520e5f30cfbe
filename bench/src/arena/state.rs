//! What a match keeps on disk, so that it goes on after a kill.

use super::game::Played;
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

/// The games played, and how far their record reaches.
#[derive(Serialize, Deserialize, Default)]
pub struct State {
    /// What the match is: another one must not go on in this file.
    pub terms: String,
    /// Bytes of the record file when this was written.
    #[serde(default)]
    recorded: u64,
    /// Finished games by number.
    pub games: BTreeMap<usize, Played>,
}

impl State {
    /// The state of an earlier run of the same match, or a fresh one. `first_line` begins every record.
    pub fn load(path: &Path, terms: &str, record: &Path, first_line: &str) -> Result<Self> {
        let fresh = Self {
            terms: terms.into(),
            ..Self::default()
        };
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(fresh),
            Err(e) => return Err(e).with_context(|| format!("cannot read {}", path.display())),
        };
        let state: Self = serde_json::from_str(&text)
            .with_context(|| format!("{} is damaged; remove it to begin anew", path.display()))?;
        if state.terms != terms {
            return Ok(fresh);
        }
        state.mend(record, first_line)?;
        Ok(state)
    }

    /// Cuts a record that a kill left behind between writing it and counting its game: that game is played again.
    fn mend(&self, record: &Path, first_line: &str) -> Result<()> {
        let bytes = match std::fs::read(record) {
            Ok(bytes) => bytes,
            Err(_) => return Ok(()),
        };
        let Some(tail) = usize::try_from(self.recorded).ok().and_then(|n| bytes.get(n..)) else {
            return Ok(());
        };
        let head = first_line.as_bytes();
        let ours = tail.starts_with(head) || head.starts_with(tail);
        // Anything else behind it was put there by somebody else and is not ours to cut.
        let games = tail.windows(head.len()).filter(|w| *w == head).count();
        if !tail.is_empty() && ours && games <= 1 {
            let file = OpenOptions::new().write(true).open(record)?;
            file.set_len(self.recorded)?;
        }
        Ok(())
    }

    /// Adds a finished game: first its record, then the state, swapped in whole so that a kill never leaves half.
    pub fn add(&mut self, number: usize, played: Played, text: &str, record: &Path, path: &Path) -> Result<()> {
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(record)
            .with_context(|| format!("cannot write {}", record.display()))?;
        file.write_all(text.as_bytes())?;
        self.recorded = file.metadata()?.len();
        self.games.insert(number, played);
        let mut new = path.as_os_str().to_owned();
        new.push(".new");
        std::fs::write(&new, serde_json::to_string(self)?)
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(std::fs::rename(&new, path)?)
    }
}

/// Refuses two files of one name, which would destroy each other.
pub fn distinct(record: &Path, state: &Path) -> Result<()> {
    if record == state {
        bail!("--pgn and --state name the same file: {}", record.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::record::FIRST_LINE;

    #[test]
    fn a_kill_between_record_and_state_leaves_no_double() {
        let dir = std::env::temp_dir().join(format!("nguky-state-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder");
        let (record, path) = (dir.join("g.pgn"), dir.join("g.json"));
        std::fs::write(&record, "somebody's game\n\n").expect("written");
        let game = format!("{FIRST_LINE}\n1. e4 1-0\n\n");
        let mut s = State::load(&path, "t", &record, FIRST_LINE).expect("fresh");
        s.add(0, Played::default(), &game, &record, &path).expect("added");
        let whole = std::fs::read_to_string(&record).expect("the record");
        for torn in ["", "[Ev", game.as_str()] {
            std::fs::write(&record, whole.clone() + torn).expect("written");
            let s = State::load(&path, "t", &record, FIRST_LINE).expect("the state");
            assert_eq!(s.games.len(), 1);
            assert_eq!(std::fs::read_to_string(&record).expect("the record"), whole, "{torn:?}");
        }
        let foreign = whole.clone() + "[Event \"mine\"]\n";
        let two = whole.clone() + &game + &game;
        for text in [foreign, two] {
            std::fs::write(&record, &text).expect("written");
            State::load(&path, "t", &record, FIRST_LINE).expect("the state");
            assert_eq!(std::fs::read_to_string(&record).expect("the record"), text);
        }
        assert!(
            State::load(&path, "other", &record, FIRST_LINE)
                .expect("fresh")
                .games
                .is_empty()
        );
        std::fs::write(&path, "{").expect("written");
        assert!(State::load(&path, "t", &record, FIRST_LINE).is_err());
        std::fs::remove_dir_all(&dir).expect("removed");
    }
}
