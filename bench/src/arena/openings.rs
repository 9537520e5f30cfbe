//! Where games start: random moves fixed by a seed; [`super::books`] has the openings of files.

use super::game::{Course, OpenGame};
use super::player::{Player, Spec};
use super::runner::play_all;
use super::state::MatchState;
use super::{MatchArgs, PositionMatch};
use crate::notation::Notation;
use anyhow::{Result, bail};
use nguky::game::Position;
use nguky::game::random::random_setup;
use nguky::util::rng::SplitMix;

/// A game that two engines can play in pairs, both games of a pair from one opening.
pub trait Paired: Position {
    /// Random plies of an opening, unless asked for otherwise.
    const PLIES: u32;
    /// A game at its opening; a clone of it begins alike.
    type Opening: Course + Clone;
    /// The random opening of a pair, fixed by the seed and the pair's number.
    fn opening(plies: u32, seed: u64, number: u64) -> Result<Self::Opening>;
    /// The opening of a pair at a position; what is hidden there is fixed by the seed and the pair's number.
    fn opening_at(start: &Self, seed: u64, number: u64) -> Self::Opening;
    /// Starts an engine and brings it to this game.
    fn seat(spec: &Spec) -> Result<Player>;
    /// Plays the match of a command line.
    fn contest(args: &MatchArgs, event: &str) -> Result<MatchState>;
}

impl<P: Notation> Paired for P {
    const PLIES: u32 = 8;
    type Opening = OpenGame<P>;

    fn opening(plies: u32, seed: u64, number: u64) -> Result<OpenGame<P>> {
        Ok(OpenGame::new(&random::<P>(1, plies, seed.wrapping_add(number))?[0]))
    }

    fn opening_at(start: &P, _seed: u64, _number: u64) -> OpenGame<P> {
        OpenGame::new(start)
    }

    fn seat(spec: &Spec) -> Result<Player> {
        Player::start(spec, &[])
    }

    fn contest(args: &MatchArgs, event: &str) -> Result<MatchState> {
        play_all(&PositionMatch::<P>::new(args, event)?, args)
    }
}

/// Positions after `plies` random moves each from the usual start, none of them over.
pub fn random<P: Position>(count: usize, plies: u32, seed: u64) -> Result<Vec<P>> {
    random_from(P::START, count, plies, seed)
}

/// Positions after `plies` random moves each from a setup, none of them over.
pub fn random_from<P: Position>(start: &str, count: usize, plies: u32, seed: u64) -> Result<Vec<P>> {
    let rules = P::Rules::default();
    let start = P::parse(start, &rules)?;
    let mut found = Vec::with_capacity(count);
    // Long random games often end: some tries may fail, but not all of them.
    let mut failures = 0;
    // Each opening has its own stream, so that a longer match begins with the openings of a shorter one.
    for number in 0.. {
        if found.len() == count {
            break;
        }
        let mut rng = SplitMix::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number);
        match random_setup(&start, &rules, plies.into(), &mut rng) {
            Some(pos) => found.push(pos),
            None => failures += 1,
        }
        if failures > 1000 + 10 * count {
            bail!("--plies {plies}: random games of that length are over too often");
        }
    }
    Ok(found)
}

/// Reads a setup, or the four first fields of an EPD line, whose operations follow them, or a position as protocols
/// write it, `startpos` or `sfen SETUP` and perhaps `moves M...`.
pub fn setup_of<P: Position>(line: &str) -> Result<P> {
    let rules = P::Rules::default();
    let line = line.strip_prefix("position ").unwrap_or(line);
    let line = ["sfen ", "fen "]
        .iter()
        .find_map(|w| line.strip_prefix(w))
        .unwrap_or(line);
    if line.starts_with("startpos") || line.contains(" moves ") {
        let (setup, moves) = line.split_once(" moves ").unwrap_or((line, ""));
        let setup = if setup.trim() == "startpos" { P::START } else { setup };
        let mut pos = P::parse(setup, &rules)?;
        for text in moves.split_whitespace() {
            let m = pos.parse_move(text)?;
            pos.play(m);
        }
        // The record starts from the setup alone, so the game does too.
        return Ok(P::parse(&pos.setup(), &rules)?);
    }
    match P::parse(line, &rules) {
        Ok(pos) => Ok(pos),
        Err(whole) => {
            let fields: Vec<&str> = line.split_whitespace().take(4).collect();
            match P::parse(&format!("{} 0 1", fields.join(" ")), &rules) {
                Ok(pos) => Ok(pos),
                Err(_) => Err(whole.into()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nguky::games::chess::Chess;

    #[test]
    fn random_openings_repeat_and_are_open() {
        let setups = |n, seed| -> Vec<String> {
            let all: Vec<Chess> = random(n, 8, seed).expect("openings");
            all.iter().map(Position::setup).collect()
        };
        let all = setups(50, 3);
        assert_eq!(all[..20], setups(20, 3));
        assert_ne!(all, setups(50, 4));
        let distinct: std::collections::HashSet<&String> = all.iter().collect();
        assert!(distinct.len() > 45);
        assert!(random::<Chess>(5, 100_000, 1).is_err());
    }
}
