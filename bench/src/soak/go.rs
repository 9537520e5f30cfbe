//! Episodes of go, over GTP.

use super::line::{EngineLines, PATIENCE};
use super::{Fault, SoakTally, WrongAnswer};
use nguky::game::Side;
use nguky::games::go::{Game, PASS, Rules, coords};
use nguky::util::rng::SplitMix;
use std::time::{Duration, Instant};

/// Moves of a game.
const LONGEST: usize = 120;
/// Seconds of a side's clock for a whole game.
const CLOCK: f64 = 3.0;

/// A conversation with numbered commands.
struct Conversation<'a> {
    lines: &'a mut EngineLines,
    number: u64,
}

impl Conversation<'_> {
    /// Sends a command, in pieces sometimes, and gives its number.
    fn send(&mut self, command: &str, rng: &mut SplitMix, tally: &mut SoakTally) -> u64 {
        self.number += 1;
        self.lines.send(&format!("{} {command}", self.number), rng, tally);
        self.number
    }

    /// Waits for the answer of a command, the first that is still to come: whether it succeeded, its text, and when it came.
    fn answer(&mut self, number: u64) -> Result<(bool, String, Instant), Fault> {
        let (at, first) = loop {
            let (at, line) = self.lines.next(PATIENCE)?;
            if line.starts_with(['=', '?']) {
                break (at, line);
            }
            // Lines of an analysis, and what an answer to noise says.
        };
        let (id, text) = first[1..].split_once(' ').unwrap_or((&first[1..], ""));
        if id != number.to_string() {
            return Err(Fault::new(
                WrongAnswer::ExtraAnswer,
                format!("{first:?}; expected number {number}"),
            ));
        }
        let mut text = text.to_string();
        loop {
            let (_, line) = self.lines.next(PATIENCE)?;
            if line.is_empty() {
                return Ok((first.starts_with('='), text, at));
            }
            text.push('\n');
            text += &line;
        }
    }

    fn ask(
        &mut self,
        command: &str,
        rng: &mut SplitMix,
        tally: &mut SoakTally,
    ) -> Result<(bool, String, Instant), Fault> {
        let number = self.send(command, rng, tally);
        self.answer(number)
    }

    /// A command that has to succeed.
    fn must(&mut self, command: &str, rng: &mut SplitMix, tally: &mut SoakTally) -> Result<String, Fault> {
        match self.ask(command, rng, tally)? {
            (true, text, _) => Ok(text),
            (false, why, _) => Err(Fault::new(
                WrongAnswer::StrangeLine,
                format!("{command:?} was refused: {why}"),
            )),
        }
    }
}

/// Plays a game, of the engine against itself.
pub fn episode(
    lines: &mut EngineLines,
    rng: &mut SplitMix,
    margin: Duration,
    tally: &mut SoakTally,
) -> Result<(), Fault> {
    let mut c = Conversation { lines, number: 0 };
    let size = [5, 7, 9, 9, 13][rng.below(5) as usize];
    let rules = [Rules::CHINESE, Rules::JAPANESE, Rules::TROMP_TAYLOR, Rules::NEW_ZEALAND][rng.below(4) as usize];
    c.must(&format!("boardsize {size}"), rng, tally)?;
    c.must("clear_board", rng, tally)?;
    c.must(&format!("kata-set-rules {}", rules.name), rng, tally)?;
    c.must("time_settings 3 0 0", rng, tally)?;
    let mut game = Game::new(size, rules).map_err(|e| Fault::new(WrongAnswer::StrangeLine, e.to_string()))?;
    let mut clocks = [CLOCK; 2];
    for _ in 0..LONGEST {
        if game.ended().is_some() {
            break;
        }
        disturb(&mut c, &mut game, rng, tally)?;
        let side = game.side();
        let colour = if side == Side::First { "b" } else { "w" };
        if clocks[side.index()] < 0.1 {
            clocks = [CLOCK; 2];
        }
        let left = clocks[side.index()];
        c.must(&format!("time_left {colour} {left:.2} 0"), rng, tally)?;
        let start = Instant::now();
        let number = c.send(&format!("genmove {colour}"), rng, tally);
        let suspended = rng.below(30) == 0 && c.lines.suspend(Duration::from_millis(20 + rng.below(100)));
        let (done, text, at) = c.answer(number)?;
        tally.searches += 1;
        let used = at.saturating_duration_since(start);
        if !suspended {
            if used > Duration::from_secs_f64(left) + margin {
                let told = format!("{} ms used of {left:.2} s on {size}x{size}", used.as_millis());
                return Err(Fault::new(WrongAnswer::TimeLoss, told));
            }
            clocks[side.index()] = (left - used.as_secs_f64()).max(0.0);
        }
        if text.eq_ignore_ascii_case("resign") {
            break;
        }
        let played = coords::parse(game.board(), &text).and_then(|p| game.play(p, side));
        if let (false, _) | (_, Err(_)) = (done, &played) {
            let told = format!("{text:?} by {colour} in\n{}", game.picture());
            return Err(Fault::new(WrongAnswer::IllegalMove, told));
        }
    }
    c.must("final_score", rng, tally)?;
    c.must("protocol_version", rng, tally).map(drop)
}

/// What comes between two moves.
fn disturb(c: &mut Conversation, game: &mut Game, rng: &mut SplitMix, tally: &mut SoakTally) -> Result<(), Fault> {
    let name = match rng.below(30) {
        0..3 => {
            // The next command ends an analysis.
            let number = c.send("kata-analyze 1", rng, tally);
            std::thread::sleep(Duration::from_millis(rng.below(30)));
            let next = c.send("protocol_version", rng, tally);
            c.answer(number)?;
            c.answer(next)?;
            "analysis broken off"
        }
        3..5 => {
            let undone = game.undo();
            let (done, why, _) = c.ask("undo", rng, tally)?;
            if done != undone {
                return Err(Fault::new(
                    WrongAnswer::StrangeLine,
                    format!("undo: {done} {why}; expected {undone}"),
                ));
            }
            "move taken back"
        }
        5..7 => {
            c.must(&format!("kata-set-param maxVisits {}", 1 + rng.below(400)), rng, tally)?;
            "visits"
        }
        7 => {
            c.must(
                &format!("kata-set-param numSearchThreads {}", 1 + rng.below(3)),
                rng,
                tally,
            )?;
            "threads"
        }
        8..10 => {
            let (done, text, _) = c.ask("play b Z99", rng, tally)?;
            if done {
                return Err(Fault::new(
                    WrongAnswer::IllegalMove,
                    format!("Z99 was accepted: {text}"),
                ));
            }
            "bad move"
        }
        10 => {
            let side = game.side();
            let colour = if side == Side::First { "b" } else { "w" };
            if game.passes() > 0 {
                return Ok(());
            }
            c.must(&format!("play {colour} pass"), rng, tally)?;
            game.play(PASS, side)
                .map_err(|e| Fault::new(WrongAnswer::IllegalMove, e.to_string()))?;
            "pass"
        }
        _ => return Ok(()),
    };
    tally.disturbed(name);
    Ok(())
}
