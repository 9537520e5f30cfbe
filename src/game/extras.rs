//! What a game may add to its engine beside rules and evaluation: endgame tables, an opening book, playing strengths.

use super::{BadInput, GameOption, Position, Score, Tablebase};
use std::sync::Arc;

/// How a strength on the Elo scale is played: less is seen, and the choice among what is seen is blurred.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Level {
    /// The strength.
    pub elo: i32,
    /// Nodes of a search.
    pub nodes: u64,
    /// Best lines that the choice is among.
    pub lines: u32,
    /// Spread of the error made in comparing the lines' scores.
    pub noise: Score,
}

/// What a game adds to its engine. All of it may be left out: `()` adds nothing.
pub trait Extras<P: Position>: Send {
    /// The options behind the rest.
    fn options(&self) -> &'static [GameOption] {
        &[]
    }
    /// Sets one of them; `value` has been checked against its kind. On an error everything stays as it was.
    fn set(&mut self, name: &str, _value: &str) -> Result<(), BadInput> {
        Err(BadInput::new(format!("no such option: {name:?}")))
    }
    /// The endgame tables in use.
    fn tables(&self) -> Option<Arc<dyn Tablebase<P>>> {
        None
    }
    /// A legal book move; `dice` is the chance by which it is drawn among several.
    fn book_move(&self, _p: &P, _dice: u64) -> Option<P::Move> {
        None
    }
    /// The strengths that the engine can be held to, weakest first; between two neighbours it is interpolated.
    fn levels(&self) -> &'static [Level] {
        &[]
    }
}

impl<P: Position> Extras<P> for () {}
