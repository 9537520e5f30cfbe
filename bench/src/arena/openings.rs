//! Where games start: random moves fixed by a seed, or a file of setups.

use super::game::{Course, Open};
use super::player::{Player, Spec};
use crate::notation::Notation;
use anyhow::{Context, Result, bail};
use nguky::game::{Kind, Moves, Position};
use nguky::util::rng::SplitMix;
use std::path::Path;

/// A game that two engines can play in pairs, both games of a pair from one opening.
pub trait Paired: Position {
    /// Random plies of an opening, unless asked for otherwise.
    const PLIES: u32;
    /// A game at its opening; a clone of it begins alike.
    type Opening: Course + Clone;
    /// The random opening of a pair, fixed by the seed and the pair's number.
    fn opening(plies: u32, seed: u64, number: u64) -> Result<Self::Opening>;
    /// Starts an engine and brings it to this game.
    fn seat(spec: &Spec) -> Result<Player>;
}

impl<P: Notation> Paired for P {
    const PLIES: u32 = 8;
    type Opening = Open<P>;

    fn opening(plies: u32, seed: u64, number: u64) -> Result<Open<P>> {
        Ok(Open::new(&random::<P>(1, plies, seed.wrapping_add(number))?[0]))
    }

    fn seat(spec: &Spec) -> Result<Player> {
        Player::start(spec, &[])
    }
}

/// Positions after `plies` random moves each, none of them over.
pub fn random<P: Position>(count: usize, plies: u32, seed: u64) -> Result<Vec<P>> {
    let start = P::parse(P::START, &P::Rules::default())?;
    let mut found = Vec::with_capacity(count);
    // Long random games often end: some tries may fail, but not all of them.
    let mut failures = 0;
    // Each opening has its own stream, so that a longer match begins with the openings of a shorter one.
    for number in 0.. {
        if found.len() == count {
            break;
        }
        let mut rng = SplitMix::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number);
        match walk(start.clone(), plies, &mut rng) {
            Some(pos) => found.push(pos),
            None => failures += 1,
        }
        if failures > 1000 + 10 * count {
            bail!("--plies {plies}: random games of that length are over too often");
        }
    }
    Ok(found)
}

fn walk<P: Position>(mut pos: P, plies: u32, rng: &mut SplitMix) -> Option<P> {
    for _ in 0..plies {
        let mut moves = Moves::new();
        pos.generate(Kind::All, &mut moves);
        // No game goes on past its end: a position may count its moves on that understanding.
        if moves.is_empty() || pos.ended().is_some() {
            return None;
        }
        pos.play(moves.at(rng.below(moves.len() as u64) as usize).mv);
    }
    if pos.ended().is_some() {
        return None;
    }
    // The record starts from the setup alone, so the game does too.
    P::parse(&pos.setup(), &P::Rules::default())
        .ok()
        .filter(|p| p.ended().is_none())
}

/// The setups of a file: one a line, as FEN or EPD, or in the FEN tags of game records. Used again from the top when
/// there are fewer than `count`.
pub fn from_file<P: Position>(path: &Path, count: usize) -> Result<Vec<P>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let found: Vec<P> = read(&text).with_context(|| path.display().to_string())?;
    Ok(found.into_iter().cycle().take(count).collect())
}

fn read<P: Position>(text: &str) -> Result<Vec<P>> {
    let records = text.lines().any(|l| l.trim_start().starts_with("[FEN "));
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        let setup = match line.strip_prefix("[FEN \"").and_then(|l| l.strip_suffix("\"]")) {
            Some(setup) => setup,
            None if records || line.is_empty() || line.starts_with('#') => continue,
            None => line,
        };
        let pos: P = setup_of(setup).with_context(|| format!("line {}: {setup:?}", number + 1))?;
        if pos.ended().is_none() {
            found.push(pos);
        }
    }
    if found.is_empty() {
        bail!("no openings");
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

    #[test]
    fn files_of_every_kind_are_read() {
        let fen = "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1";
        let epd = "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - bm d5; id \"a; b\";";
        let pgn = format!("[Event \"x\"]\n[FEN \"{fen}\"]\n\n1... d5 *\n");
        for text in [fen, epd, &pgn, &format!("# a comment\n\n{fen}\n")] {
            let all: Vec<Chess> = read(text).expect("openings");
            assert_eq!(all.len(), 1, "{text}");
            assert!(
                all[0]
                    .setup()
                    .starts_with("rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq -")
            );
        }
        let lines = "startpos moves e2e4 e7e5\nposition startpos\nfen 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 moves e2e4\n";
        let all: Vec<Chess> = read(lines).expect("openings");
        assert_eq!((all.len(), all[0].side()), (3, nguky::game::Side::First));
        assert!(read::<Chess>("startpos moves e2e5").is_err());
        assert!(read::<Chess>("").is_err());
        assert!(read::<Chess>("rubbish w - -").is_err());
        // A game that is over is no opening.
        assert!(read::<Chess>("7k/5KQ1/8/8/8/8/8/8 b - - 0 1").is_err());
    }
}
