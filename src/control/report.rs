//! Reports of a search, by value; each protocol formats them.

use std::sync::Arc;
use std::time::Duration;

/// Where reports go. Called from the search's threads; it must not block for long.
pub type Sink = Arc<dyn Fn(Report) + Send + Sync>;

/// How a position stands for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outlook {
    /// Hundredths of a pawn or, in other games, of its least piece.
    Centipawns(i32),
    /// Mate in this many plies: positive when the side to move mates, negative (or 0, already mated) when it is mated.
    Mate(i32),
}

/// Whether a score is exact or the search only proved a bound of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// As it is.
    Exact,
    /// At least.
    Lower,
    /// At most.
    Upper,
}

/// One line of analysis.
#[derive(Clone, PartialEq, Debug)]
pub struct Info {
    /// Depth in plies.
    pub depth: u32,
    /// The deepest ply reached.
    pub seldepth: u32,
    /// Rank of this line among the best, from 1; 0 where MultiPV is 1 and the number is left out.
    pub multipv: u32,
    /// The score.
    pub outlook: Outlook,
    /// What the score is worth.
    pub bound: Bound,
    /// Chances in thousands: win, draw, loss.
    pub wdl: [u32; 3],
    /// Nodes over all threads.
    pub nodes: u64,
    /// Thousandths of the hash table filled in this search.
    pub hashfull: u32,
    /// Tablebase hits over all threads.
    pub tbhits: u64,
    /// Since the search began.
    pub time: Duration,
    /// The line.
    pub pv: Vec<String>,
}

/// What a search for a forced mate found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Proof {
    /// Mate with this line.
    Mate(Vec<String>),
    /// There is none.
    NoMate,
    /// Stopped before either was certain.
    Unknown,
    /// The engine has no solver.
    NotImplemented,
}

/// The answer of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    /// Play this.
    Move(String),
    /// There is no legal move.
    Nothing,
    /// Give up (only where an option asks for it).
    Resign,
    /// Claim the win that the rules grant (shogi's declaration).
    ClaimWin,
    /// The answer to a mate search.
    Proof(Proof),
}

/// A report of a search.
#[derive(Clone, PartialEq, Debug)]
pub enum Report {
    /// A line of analysis.
    Info(Info),
    /// The move now looked at and its number, from 1.
    Current {
        /// Depth of the iteration.
        depth: u32,
        /// The move.
        mv: String,
        /// Its number.
        number: u32,
    },
    /// A sentence for the user.
    Message(String),
    /// The end.
    Best {
        /// The answer.
        choice: Choice,
        /// The reply that the engine would think about.
        ponder: Option<String>,
        /// Whether a draw is offered or an offer accepted.
        draw: bool,
    },
}
