//! How strong the engine plays: eight levels of each game.

use super::board::RoomEngine;
use crate::levels::limit_strength;
use nguky::control::{Limits, TimeControl};
use nguky::game::BoardFamily;
use nguky::games::go::levels as go;
use nguky::register;
use serde::Serialize;
use std::time::Duration;

/// One level of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct WebLevel {
    /// From 1 for the weakest.
    pub level: u8,
    /// Its place on the engine's scale of strength; none at full strength.
    pub elo: Option<u32>,
    /// The same as a rank, in go.
    pub rank: Option<&'static str>,
}

/// The highest level: as strong as the engine plays in about a second.
pub const FULL: u8 = 8;
/// The level of a new game.
pub const USUAL: u8 = 4;
/// What full strength and hints take.
const SECOND: Duration = Duration::from_secs(1);

/// The levels of a game: even steps over its scale of strength, and full strength above them.
pub fn levels(game: &str) -> Vec<WebLevel> {
    let about = register::find(game).ok();
    let scale = about.map_or(&[][..], |about| about.levels);
    let ends = scale.first().zip(scale.last()).map(|(low, high)| [low.elo, high.elo]);
    let ranked = about.is_some_and(|about| about.board == BoardFamily::Go);
    let below = u32::from(FULL) - 1;
    let step = |i: u32| {
        let elo = ends.filter(|_| i < below).map(|[low, high]| {
            let span = high.abs_diff(low);
            low.unsigned_abs() + span * i / (below - 1)
        });
        WebLevel {
            level: i as u8 + 1,
            elo,
            rank: elo.filter(|_| ranked).and_then(|elo| go::rank(elo as i32)),
        }
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
    strength(engine, levels(game).into_iter().find(|l| l.level == level));
    full()
}

/// Sets an engine to full strength, with so many lines.
pub fn set_full(engine: &mut RoomEngine, lines: usize) -> Limits {
    strength(engine, None);
    option(engine, "MultiPV", &lines.to_string());
    full()
}

fn strength(engine: &mut RoomEngine, level: Option<WebLevel>) {
    option(engine, "MultiPV", "1");
    let level = level.and_then(|l| l.rank.map(str::to_string).or(l.elo.map(|elo| elo.to_string())));
    if let Err(why) = limit_strength(engine.engine(), level.as_deref()) {
        eprintln!("nguky web: level: {why}");
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
