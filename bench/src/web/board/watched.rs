//! Games of a match that is watched: their moves come from elsewhere, and what is shown everybody may know.

use super::open::watched as watched_open;
use super::{BoardFacts, GameSpec, LONGEST_SETUP, SeenBoard, WebGame, stones};
use crate::games::of_game;
use crate::web::words::Lang;
use anyhow::{Result, bail};
use nguky::register::{self, GO};

/// A game that is watched.
pub trait WatchedGame: Send {
    /// Who is to move.
    fn side(&self) -> usize;
    /// Plays a move in the library's coordinates.
    ///
    /// # Errors
    /// Where it is none here.
    fn play(&mut self, m: &str) -> Result<()>;
    /// The position as everybody may know it.
    fn seen(&self, lang: Lang) -> SeenBoard;
    /// What does not change.
    fn facts(&self) -> BoardFacts;
}

/// A game without secrets, which both sides see alike.
impl WatchedGame for Box<dyn WebGame> {
    fn side(&self) -> usize {
        self.as_ref().side()
    }

    fn play(&mut self, m: &str) -> Result<()> {
        self.as_mut().play(m)
    }

    fn seen(&self, lang: Lang) -> SeenBoard {
        self.as_ref().seen(0, lang)
    }

    fn facts(&self) -> BoardFacts {
        self.as_ref().facts()
    }
}

/// A game by its description, to be watched.
///
/// # Errors
/// One line that says what is wrong with it.
pub fn watched(spec: &GameSpec) -> Result<Box<dyn WatchedGame>> {
    if spec.setup.as_ref().is_some_and(|s| s.len() > LONGEST_SETUP) {
        bail!("setup: expected at most {LONGEST_SETUP} bytes");
    }
    if register::find(&spec.game)?.name == GO.name {
        return Ok(Box::new(stones::of_size(spec)?));
    }
    of_game!(&spec.game, watched_open(spec))
}
