//! The protocols of engines: one file each. A player handles pipes and clocks, never a protocol's words.

pub mod gtp;
mod ucci;
mod uci;
mod usi;

use super::player::Pace;
use anyhow::{Result, bail};
use std::time::Duration;

/// The state of both clocks when a move is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Orders {
    /// What limits this move.
    pub pace: Pace,
    /// Who is to move: 0 for the side that moves first.
    pub mover: usize,
    /// What is left to the side that moves first, and to the other.
    pub clocks: [Duration; 2],
    /// What each of their moves adds.
    pub increments: [Duration; 2],
    /// What each of the mover's moves may take beyond its clock.
    pub byoyomi: Duration,
    /// Moves until the mover's next time control.
    pub moves_to_go: Option<u32>,
}

/// An engine's score of its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineScore {
    /// Hundredths of a pawn, for the mover.
    Centipawns(i32),
    /// Moves to mate; negative when the mover is mated.
    Mate(i32),
}

impl EngineScore {
    /// One number to compare with a threshold: any mate is beyond every score.
    pub fn value(self) -> i32 {
        const MATE: i32 = 100_000;
        match self {
            Self::Centipawns(cp) => cp.clamp(-MATE / 2, MATE / 2),
            Self::Mate(n) if n > 0 => MATE,
            Self::Mate(_) => -MATE,
        }
    }
}

/// One line of an engine's output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineLine {
    /// How the search stands.
    Info {
        depth: Option<u32>,
        nodes: Option<u64>,
        score: Option<EngineScore>,
    },
    /// The move; empty when none was named.
    Best(String),
    /// It resigns.
    Resign,
    /// It claims to have won by a rule.
    Claim,
    /// Anything that does not matter to a match.
    Other,
}

/// The words of one protocol.
pub trait Protocol: Sync {
    /// The handshake's command and the first word of the line that ends it.
    fn hello(&self) -> (&'static str, &'static str);
    /// The name of the option that a line of the greeting declares.
    fn declared(&self, line: &str) -> Option<String>;
    /// Whether an option may be set that the engine does not declare.
    fn undeclared(&self, _name: &str) -> bool {
        false
    }
    /// The line that sets an option.
    fn option(&self, name: &str, value: &str) -> String;
    /// The ping (as `isready`), and the first word of its answer.
    fn ping(&self) -> (&'static str, &'static str);
    /// The line that announces a new game.
    fn new_game(&self) -> &'static str;
    /// Whether the ping may be sent at any time, and not only before a game.
    fn pings_often(&self) -> bool {
        true
    }
    /// Whether an engine can claim a win that the rules grant on demand.
    fn claims(&self) -> bool {
        false
    }
    /// The line that sets up a position; moves are in the rules library's coordinates.
    fn position(&self, setup: &str, moves: &[String]) -> String;
    /// The line that starts a search.
    fn go(&self, orders: &Orders) -> String;
    /// The line with the game's result for an engine, its points doubled.
    fn game_over(&self, _points: u8) -> Option<&'static str> {
        None
    }
    /// The farewell.
    fn quit(&self) -> &'static str;
    /// Reads a line of the search.
    fn read(&self, line: &str) -> EngineLine;
}

/// The protocol of this name.
pub fn named(name: &str) -> Result<&'static dyn Protocol> {
    match name {
        "uci" => Ok(&uci::UciClient),
        "ucci" => Ok(&ucci::UcciClient),
        "usi" => Ok(&usi::UsiClient),
        "gtp" => bail!("gtp is the protocol of go"),
        other => bail!("no protocol {other:?}; expected uci, ucci, usi or gtp"),
    }
}
