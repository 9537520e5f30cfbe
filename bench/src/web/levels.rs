//! How strong the engine plays: eight levels of each game.

use super::board::RoomEngine;
use nguky::control::{Limits, TimeControl};
use serde::Serialize;
use std::time::Duration;

/// One level of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct WebLevel {
    /// From 1 for the weakest.
    pub level: u8,
    /// The engine's own scale of strength, where it has one.
    pub elo: Option<u32>,
    /// Nodes a move, or visits in go; none at full strength.
    pub nodes: Option<u64>,
}

/// The highest level: as strong as the engine plays in about a second.
pub const FULL: u8 = 8;
/// The level of a new game.
pub const USUAL: u8 = 4;
/// What full strength and hints take.
const SECOND: Duration = Duration::from_secs(1);
/// Strengths of the game that has a scale of them.
const ELO: [u32; 7] = [1000, 1300, 1600, 1900, 2200, 2500, 2850];
/// Nodes a move of the other games.
const NODES: [u64; 7] = [50, 200, 800, 3_000, 12_000, 50_000, 200_000];
/// Visits a move in go.
const VISITS: [u64; 7] = [2, 8, 25, 80, 250, 700, 1_600];

/// The levels of a game.
pub fn levels(game: &str) -> Vec<WebLevel> {
    let step = |i: usize| WebLevel {
        level: i as u8 + 1,
        elo: (game == "chess").then(|| ELO.get(i).copied()).flatten(),
        nodes: match game {
            "chess" => None,
            "go" => VISITS.get(i).copied(),
            _ => NODES.get(i).copied(),
        },
    };
    (0..usize::from(FULL)).map(step).collect()
}

/// Full strength for about a second.
pub fn full() -> Limits {
    Limits {
        time: TimeControl::MoveTime(SECOND),
        ..Limits::default()
    }
}

/// Sets an engine to a level: the limits of its searches.
pub fn set(engine: &mut RoomEngine, game: &str, level: u8) -> Limits {
    let found = levels(game).into_iter().find(|l| l.level == level);
    let (elo, nodes) = found.map_or((None, None), |l| (l.elo, l.nodes));
    strength(engine, elo);
    Limits { nodes, ..full() }
}

/// Sets an engine to full strength, with so many lines.
pub fn set_full(engine: &mut RoomEngine, lines: usize) -> Limits {
    strength(engine, None);
    option(engine, "MultiPV", &lines.to_string());
    full()
}

fn strength(engine: &mut RoomEngine, elo: Option<u32>) {
    option(engine, "MultiPV", "1");
    option(
        engine,
        "UCI_LimitStrength",
        if elo.is_some() { "true" } else { "false" },
    );
    if let Some(elo) = elo {
        option(engine, "UCI_Elo", &elo.to_string());
    }
}

/// Sets an option of an engine that has it.
pub fn option(engine: &mut RoomEngine, name: &str, value: &str) {
    let engine = engine.engine();
    if engine.options().get(name).is_some()
        && let Err(why) = engine.set_option(name, Some(value))
    {
        eprintln!("nguky web: option {name}: {why}");
    }
}
