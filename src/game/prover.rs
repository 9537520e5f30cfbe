//! Solvers of forced wins, which look at threats alone.

use super::Position;

/// What a solver found out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProofResult<M> {
    /// Mate with this line; it need not be the shortest, the defence is the longest that was met.
    Mate(Vec<M>),
    /// No mate by checks.
    NoMate,
    /// Stopped before either was certain.
    Unknown,
}

/// A solver of forced mates, which keeps its table from one problem to the next.
pub trait Prover<P: Position>: Send {
    /// Looks for a forced mate by the side to move, in at most so many nodes. `stop` is polled.
    fn prove(&mut self, p: &P, most_nodes: u64, stop: &dyn Fn() -> bool) -> ProofResult<P::Move>;
    /// Nodes of the last problem.
    fn nodes(&self) -> u64;
    /// Forgets all problems.
    fn clear(&mut self);
}
