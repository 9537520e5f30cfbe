//! When a search has to end.

use std::time::{Duration, Instant};

/// How the clock runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TimeControl {
    /// No clock.
    #[default]
    None,
    /// Exactly this long for this move.
    MoveTime(Duration),
    /// A main time with an increment after each move.
    Fischer {
        /// What is left on our clock; zero when the flag is about to fall or a client sent less.
        main: Duration,
        /// What each move adds.
        increment: Duration,
        /// Moves until the next time control, when there is one.
        moves_to_go: Option<u32>,
    },
    /// A main time, then `period` for each `stones` moves.
    Byoyomi {
        /// What is left of the main time.
        main: Duration,
        /// The length of a byoyomi period.
        period: Duration,
        /// Moves per period; 1 in shogi.
        stones: u32,
    },
}

/// The user's settings of time management.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeOptions {
    /// Move overhead: what is lost between the answer and the clock; the engine's own setting where this is `None`.
    pub overhead: Option<Duration>,
    /// Kept back from the last of the time, where being late loses.
    pub reserve: Duration,
    /// No move is played sooner, if there is time at all.
    pub least: Duration,
    /// Share of the usual time, in hundredths.
    pub percent: u32,
}

impl Default for TimeOptions {
    fn default() -> Self {
        Self {
            overhead: None,
            reserve: Duration::ZERO,
            least: Duration::ZERO,
            percent: 100,
        }
    }
}

/// All limits of one search; the first that is reached ends it.
#[derive(Clone, Debug)]
pub struct Limits {
    /// When the command arrived: the clock counts from here.
    pub start: Instant,
    /// The clock.
    pub time: TimeControl,
    /// The user's settings of time management.
    pub time_options: TimeOptions,
    /// A cap on any single move's time, whatever the clock has left.
    pub move_cap: Option<Duration>,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Nodes over all threads, or playouts in a tree of playouts.
    pub nodes: Option<u64>,
    /// Look for a mate in this many moves of ours.
    pub mate: Option<u32>,
    /// Look for a forced mate and nothing else, for at most this long; the answer is a [`super::Proof`].
    pub prove: Option<Duration>,
    /// Whether the answer may be a claim of a win instead of a move.
    pub claims: bool,
    /// What a draw is worth to the side to move.
    pub draw: i32,
    /// Search until a stop command; the answer waits for it.
    pub infinite: bool,
    /// Think on the opponent's time: no limit counts before the ponder hit.
    pub ponder: bool,
    /// Only these moves at the root; empty for all.
    pub searchmoves: Vec<String>,
    /// Never these moves at the root.
    pub banmoves: Vec<String>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            start: Instant::now(),
            time: TimeControl::None,
            time_options: TimeOptions::default(),
            move_cap: None,
            depth: None,
            nodes: None,
            mate: None,
            prove: None,
            claims: false,
            draw: 0,
            infinite: false,
            ponder: false,
            searchmoves: Vec::new(),
            banmoves: Vec::new(),
        }
    }
}

impl Limits {
    /// Limits of a fixed depth.
    pub fn depth(depth: u32) -> Self {
        Self {
            depth: Some(depth),
            ..Self::default()
        }
    }

    /// Limits of a fixed number of nodes.
    pub fn nodes(nodes: u64) -> Self {
        Self {
            nodes: Some(nodes),
            ..Self::default()
        }
    }

    /// Whether the search ends by itself.
    pub fn finite(&self) -> bool {
        !self.infinite
            && (self.depth.is_some()
                || self.nodes.is_some()
                || self.mate.is_some()
                || self.prove.is_some()
                || self.time != TimeControl::None)
    }
}
