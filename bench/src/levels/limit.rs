//! Setting an engine of any game to a level, for those that play people.

use nguky::control::Engine;
use nguky::game::BadInput;
use nguky::games::go::levels::FULL;

/// Sets an engine to a level of its game, Elo or in go a rank, or to full strength without one.
///
/// # Errors
/// Where the game has no such level; the engine's strength may have become full or that of its former level.
pub fn limit_strength(engine: &mut dyn Engine, level: Option<&str>) -> Result<(), BadInput> {
    if engine.options().get("Rank").is_some() {
        return engine.set_option("Rank", Some(level.unwrap_or(FULL)));
    }
    engine.set_option(
        "UCI_LimitStrength",
        Some(if level.is_some() { "true" } else { "false" }),
    )?;
    level.map_or(Ok(()), |elo| engine.set_option("UCI_Elo", Some(elo)))
}
