//! How strong the engine plays: eight levels of each game.

use super::board::RoomEngine;
use nguky::control::{Limits, TimeControl};
use nguky::register;
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
/// Visits a move in games without levels of strength: go.
const VISITS: [u64; 7] = [2, 8, 25, 80, 250, 700, 1_600];

/// The levels of a game: even steps over its scale of strength, and full strength above them.
pub fn levels(game: &str) -> Vec<WebLevel> {
    let scale = register::find(game).map_or(&[][..], |about| about.levels);
    let ends = scale.first().zip(scale.last()).map(|(low, high)| [low.elo, high.elo]);
    let below = u32::from(FULL) - 1;
    let step = |i: u32| WebLevel {
        level: i as u8 + 1,
        elo: ends.filter(|_| i < below).map(|[low, high]| {
            let span = high.abs_diff(low);
            low.unsigned_abs() + span * i / (below - 1)
        }),
        nodes: match ends {
            Some(_) => None,
            None => VISITS.get(i as usize).copied(),
        },
    };
    (0..=below).map(step).collect()
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
