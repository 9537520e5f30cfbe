//! Endgame tables as the search asks them. A game that has them implements this outside its rules.

use super::Position;

/// What a table says for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Wdl {
    /// Lost.
    Loss,
    /// Drawn, also where only the fifty-move rule saves or spoils it.
    Draw,
    /// Won.
    Win,
}

/// Endgame tables of one game.
pub trait Tablebase<P: Position>: Send + Sync {
    /// The outcome for the side to move, if the tables hold the position and the search may ask at this depth.
    fn probe(&self, p: &P, depth: i32) -> Option<Wdl>;
    /// The root moves that keep the best outcome, with that outcome, ranked by distance; `None` when not in the tables.
    fn root_moves(&self, p: &P) -> Option<(Wdl, Vec<P::Move>)>;
}
