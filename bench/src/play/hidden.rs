//! Cờ úp at the terminal: the deal stays with the dealer, and each side sees what it may know.

use super::draw::{self, Grid, Note};
use super::help::{self, Help};
use super::table::{EngineChoice, GameEnd, GameTable, Manner, ask, end, in_words, legal, one, played, spoils, taken};
use crate::arena::coup::{self, Dealt};
use crate::arena::game::Course;
use crate::arena::record::{self, RecordHead};
use crate::notation::letters::NotationBoard;
use anyhow::Result;
use nguky::control::Engine;
use nguky::control::{Choice, Limits};
use nguky::game::{About, Position, Side};
use nguky::games::coup::Coup;
use nguky::games::xiangqi::XMove;
use nguky::games::xiangqi::types::{KINDS, kind_name};
use std::path::Path;

/// Cờ úp.
pub struct HiddenTable {
    pub fresh: Dealt,
    pub deal: Dealt,
    /// The moves in full, for the record of a game that is over.
    pub whole: Vec<String>,
    pub engine: Box<dyn Engine>,
    pub notation: Manner,
}

impl HiddenTable {
    fn say(&self, m: XMove) -> [String; 2] {
        let pos = self.deal.position();
        [
            pos.move_text(m),
            NotationBoard::coup(pos).written(m, self.notation.shown),
        ]
    }
}

/// What a side knows of a game, and what each side took as far as it knows: `x` for a piece it did not see.
pub fn known(deal: &Dealt, side: usize) -> (Coup, [Vec<char>; 2]) {
    let (setup, moves) = deal.told(side);
    let rules = deal.position().rules();
    let mut pos = Coup::parse(setup, rules).unwrap_or_else(|_| deal.position().clone());
    let mut spoils = [Vec::new(), Vec::new()];
    for m in moves {
        if !follow(&mut pos, &mut spoils, m) {
            break;
        }
    }
    (pos, spoils)
}

/// Plays a move as somebody knows it, and adds the letter of what it took to the spoils; false where it is none here.
pub fn follow(pos: &mut Coup, spoils: &mut [Vec<char>; 2], m: &str) -> bool {
    let (before, us) = (pos.setup(), pos.side().index());
    if pos.play_text(m).is_err() {
        return false;
    }
    if let Some(letter) = taken(&before, &pos.setup(), 1 - us) {
        let theirs = |c: &char| c.is_ascii_lowercase() == (us == 0);
        // What was taken face down and is known stands behind the points.
        let seen = m
            .chars()
            .skip(4)
            .find(theirs)
            .filter(|_| letter.eq_ignore_ascii_case(&'x'));
        spoils[us].push(seen.unwrap_or(letter));
    }
    true
}

/// A pool in words: `2 chariots, 1 advisor`.
fn pool_in_words(pos: &Coup, side: Side) -> String {
    let some = KINDS
        .iter()
        .map(|&k| (pos.pool(side)[k as usize], kind_name(k)))
        .filter(|(n, _)| *n > 0);
    let words: Vec<String> = some
        .map(|(n, name)| format!("{n} {name}{}", if n > 1 { "s" } else { "" }))
        .collect();
    if words.is_empty() {
        "nothing".into()
    } else {
        words.join(", ")
    }
}

/// What a letter stands for: `red horse`.
fn named(letter: char) -> String {
    let side = if letter.is_ascii_uppercase() { "red" } else { "black" };
    let kind = KINDS
        .iter()
        .find(|k| Coup::letter(Side::First, **k) == letter.to_ascii_uppercase());
    format!("{side} {}", kind.map_or("piece", |k| kind_name(*k)))
}

impl GameTable for HiddenTable {
    fn about(&self) -> &'static About {
        Coup::ABOUT
    }

    fn help(&self) -> Help {
        help::COUP
    }

    fn side(&self) -> usize {
        self.deal.side().index()
    }

    fn plies(&self) -> usize {
        self.whole.len()
    }

    fn number(&self) -> usize {
        self.deal.number()
    }

    fn in_check(&self) -> bool {
        self.deal.position().in_check()
    }

    fn ended(&mut self) -> Option<GameEnd> {
        let over = self.deal.ended()?;
        Some(end(over.verdict, self.deal.side(), over.reason))
    }

    fn play(&mut self, text: &str) -> Result<String> {
        let pos = self.deal.position();
        let m = match pos.parse_move(text) {
            Ok(m) => m,
            Err(why) => one(
                text,
                &NotationBoard::coup(pos).readings(text, self.notation.asked),
                why,
                |m| self.say(m),
            )?,
        };
        let [_, shown] = self.say(m);
        let turns = pos.turns_up(m);
        let whole = self.deal.play_move(m);
        let up = whole.chars().nth(4).filter(|_| turns);
        self.whole.push(whole);
        Ok(match up {
            Some(letter) => format!("{shown}, which turns up a {}", named(letter)),
            None => shown,
        })
    }

    fn undo(&mut self) {
        self.whole.pop();
        // What the deal turns up, it turns up again.
        self.deal = self.fresh.clone();
        for m in &self.whole {
            if self.deal.play(m).is_none() {
                break;
            }
        }
    }

    fn moves(&self) -> Vec<String> {
        let moves = legal(self.deal.position());
        moves.into_iter().map(|m| self.say(m)[1].clone()).collect()
    }

    fn grid(&self, side: usize) -> Grid {
        let mut grid = draw::grid(Coup::ABOUT, &self.deal.position().setup());
        if let Some(last) = self.whole.last() {
            grid.mark(last);
        }
        if self.in_check() {
            grid.alarm(self.side());
        }
        let (view, taken) = known(&self.deal, side);
        for (who, name) in [(Side::First, "red"), (Side::Second, "black")] {
            let notes = &mut grid.of_side[who.index()];
            let took = &taken[who.index()];
            if !took.is_empty() {
                notes.push(spoils(Coup::ABOUT, name, took));
            }
            let lie = (view.board().covered() & view.board().of(who)).len();
            if lie > 0 {
                let gone = view.pool(who).iter().map(|&n| u32::from(n)).sum::<u32>() - lie;
                let unseen = match gone {
                    0 => String::new(),
                    n => format!(" ({n} of them taken unseen)"),
                };
                let pool = pool_in_words(&view, who);
                notes.push(Note::Text(format!("{name} has {lie} face down, out of {pool}{unseen}")));
            }
        }
        grid
    }

    fn engine(&mut self) -> &mut dyn Engine {
        self.engine.as_mut()
    }

    fn think(&mut self, limits: Limits) -> Result<EngineChoice> {
        let (setup, moves) = self.deal.told(self.side());
        let moves: Vec<&str> = moves.iter().map(String::as_str).collect();
        self.engine.position(Some(setup), &moves)?;
        let (choice, info) = ask(self.engine.as_mut(), limits)?;
        let mut pos = known(&self.deal, self.side()).0;
        let mut line = Vec::new();
        for text in info.as_ref().map_or(&[][..], |i| &i.pv) {
            let Ok(m) = pos.parse_move(text) else { break };
            line.push(NotationBoard::coup(&pos).written(m, self.notation.shown));
            // What follows depends on the piece that is turned up.
            if pos.turns_up(m) || pos.play_text(text).is_err() {
                break;
            }
        }
        let shown = match &choice {
            Choice::Move(text) => self.say(self.deal.position().parse_move(text)?)[1].clone(),
            _ => String::new(),
        };
        Ok(EngineChoice {
            choice,
            shown,
            outlook: info.as_ref().map_or(String::new(), in_words),
            line,
        })
    }

    fn record(&self, _file: &Path, head: &RecordHead, over: Option<&GameEnd>, side: usize) -> String {
        let (setup, told) = self.deal.told(side);
        if over.is_none() {
            let say = |_: &Coup, _, text: &str| text.to_string();
            return record::pgn(head, &played(setup.into(), told, over), &[], say);
        }
        coup::record(head, &self.fresh, &played(setup.into(), &self.whole, over))
    }

    fn epilogue(&self) -> Option<(&'static str, Grid)> {
        let grid = draw::grid(Coup::ABOUT, &self.fresh.faces());
        Some(("what lay where at the start", grid))
    }
}
