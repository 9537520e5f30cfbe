//! Endgame tables (tablebases) as the search probes them. A game that has them implements this outside its rules.

use super::Position;

/// The result in a table (win, draw, loss) for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Wdl {
    /// Lost.
    Loss,
    /// Drawn, also where only the fifty-move rule saves or spoils it.
    Draw,
    /// Won.
    Win,
}

/// A root move with its result in the tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ranked<M> {
    /// The move.
    pub mv: M,
    /// What it leads to, for the side that plays it.
    pub wdl: Wdl,
    /// Greater is better; moves of one rank are left to the search.
    pub rank: i32,
}

/// All legal moves of a root position in the tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RootTable<M> {
    /// The moves.
    pub moves: Vec<Ranked<M>>,
    /// Whether the ranks are by distance to zeroing or mate, and not only by result. The search then need not probe the
    /// tables again, and finds the mate among moves that all make progress.
    pub by_distance: bool,
}

/// Endgame tables of one game.
pub trait Tablebase<P: Position>: Send + Sync {
    /// The outcome for the side to move, if the tables hold the position and the search may probe at this depth.
    fn probe(&self, p: &P, depth: i32) -> Option<Wdl>;
    /// The legal moves ranked; `None` when not all of them are in the tables.
    fn root_moves(&self, p: &P) -> Option<RootTable<P::Move>>;
}
