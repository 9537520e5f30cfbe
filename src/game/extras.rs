//! What a game may add to its engine beside rules and evaluation: endgame tables, an opening book.

use super::{BadInput, GameOption, Position, Tablebase};
use std::sync::Arc;

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
}

impl<P: Position> Extras<P> for () {}
