//! What a person plays on: a game, its engine, and what each side may see of it.

use super::draw::{self, Cell, Grid};
use crate::arena::coup::Dealt;
use crate::arena::game::{Course, Played};
use crate::arena::record::{self, Head};
use crate::arena::{record_of, sgf};
use crate::notation::Notation;
use anyhow::{Result, anyhow, bail};
use nguky::control::{Choice, Limits, Outlook, Report};
use nguky::engine::{Engine, Mcts};
use nguky::game::{Position, Side, Verdict};
use nguky::games::coup::Coup;
use nguky::games::go::types::{BLACK, EMPTY};
use nguky::games::go::{Game, coords};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;

/// The end of a game: the doubled points of the side that moved first, and why.
pub type End = (u8, String);
/// What an engine chose and how it sees the game.
pub type Answer = (Choice, Option<Outlook>);

/// A game at the terminal.
pub trait Table {
    /// The game's name.
    fn name(&self) -> &'static str;
    /// The names of the sides.
    fn sides(&self) -> [&'static str; 2];
    /// Who is to move: 0 for the side that moves first.
    fn side(&self) -> usize;
    /// Half-moves played.
    fn plies(&self) -> usize;
    /// How the game ended, if it did.
    fn ended(&mut self) -> Option<End>;
    /// Whether the side to move may claim a win.
    fn may_claim(&self) -> bool {
        false
    }
    /// Plays a move; its text, as both sides may know it.
    fn play(&mut self, text: &str) -> Result<String>;
    /// Takes a half-move back.
    fn undo(&mut self);
    /// The legal moves.
    fn moves(&self) -> Vec<String>;
    /// The board as a side sees it.
    fn grid(&self, side: usize) -> Grid;
    /// Lets the engine think for the side to move, with what that side may know.
    fn think(&mut self, limits: Limits) -> Result<Answer>;
    /// The game for a file; while it is not over, as a side knows it.
    fn record(&self, file: &Path, head: &Head, end: Option<&End>, side: usize) -> String;
    /// What is shown when all is over.
    fn secret(&self) -> Option<Grid> {
        None
    }
}

/// Asks an engine.
fn answer(engine: &mut dyn Engine, limits: Limits) -> Result<Answer> {
    let (tell, told) = channel();
    engine.go(
        limits,
        Arc::new(move |report| {
            let _ = tell.send(report);
        }),
    )?;
    let mut outlook = None;
    for report in told {
        match report {
            Report::Info(info) => outlook = Some(info.outlook),
            Report::Best { choice, .. } => {
                engine.wait();
                return Ok((choice, outlook));
            }
            _ => {}
        }
    }
    bail!("the engine did not answer")
}

fn end(verdict: Verdict, side: Side, reason: &str) -> End {
    let points = match (verdict, side) {
        (Verdict::Draw, _) => 1,
        (Verdict::Win, Side::First) | (Verdict::Loss, Side::Second) => 2,
        _ => 0,
    };
    (points, reason.into())
}

fn played(setup: String, moves: &[String], over: Option<&End>) -> Played {
    let (points, reason) = over.cloned().unwrap_or((1, "unfinished".into()));
    Played {
        points,
        reason,
        adjudicated: over.is_none(),
        setup,
        moves: moves.iter().map(|m| (m.clone(), String::new())).collect(),
        ..Played::default()
    }
}

fn listed<P: Position>(pos: &P) -> Vec<String> {
    let mut moves = nguky::game::Moves::new();
    pos.generate(nguky::game::Kind::All, &mut moves);
    moves.iter().map(|m| pos.move_text(m)).collect()
}

/// A game of which both sides see everything.
pub struct Open<P: Notation> {
    pub pos: P,
    pub setup: String,
    pub texts: Vec<String>,
    pub engine: Box<dyn Engine>,
    pub sides: [&'static str; 2],
}

impl<P: Notation> Table for Open<P> {
    fn name(&self) -> &'static str {
        P::NAME
    }

    fn sides(&self) -> [&'static str; 2] {
        self.sides
    }

    fn side(&self) -> usize {
        self.pos.side().index()
    }

    fn plies(&self) -> usize {
        self.texts.len()
    }

    fn ended(&mut self) -> Option<End> {
        let over = self
            .pos
            .ended()
            .filter(|e| e.verdict != Verdict::Win || !self.pos.may_claim())?;
        Some(end(over.verdict, self.pos.side(), over.reason))
    }

    fn may_claim(&self) -> bool {
        self.pos.may_claim()
    }

    fn play(&mut self, text: &str) -> Result<String> {
        let m = match self.pos.parse_move(text) {
            Ok(m) => m,
            // As people write it, too: Nf3, 炮二平五.
            Err(why) => self.pos.read_notation(text).map_err(|_| why)?,
        };
        let text = self.pos.move_text(m);
        self.texts.push(text.clone());
        self.pos.play(m);
        Ok(text)
    }

    fn undo(&mut self) {
        if self.texts.pop().is_some() {
            self.pos.undo();
        }
    }

    fn moves(&self) -> Vec<String> {
        listed(&self.pos)
    }

    fn grid(&self, _side: usize) -> Grid {
        let setup = self.pos.setup();
        let mut grid = draw::grid(P::NAME, &setup);
        if let Some(last) = self.texts.last() {
            grid.mark(last);
        }
        if P::NAME == "shogi" {
            let hands = setup.split(' ').nth(2).unwrap_or("-");
            let of = |upper: bool| -> String {
                let mut text = String::new();
                let mut count = String::new();
                for c in hands.chars().filter(|&c| c != '-') {
                    if c.is_ascii_digit() {
                        count.push(c);
                    } else {
                        if c.is_ascii_uppercase() == upper {
                            text += &format!(" {}{count}", c.to_ascii_uppercase());
                        }
                        count.clear();
                    }
                }
                if text.is_empty() { " nothing".into() } else { text }
            };
            grid.notes.push(format!(
                "in hand: {}{}; {}{}",
                self.sides[0],
                of(true),
                self.sides[1],
                of(false)
            ));
        }
        grid
    }

    fn think(&mut self, limits: Limits) -> Result<Answer> {
        let moves: Vec<&str> = self.texts.iter().map(String::as_str).collect();
        self.engine.position(Some(&self.setup), &moves)?;
        answer(self.engine.as_mut(), limits)
    }

    fn record(&self, file: &Path, head: &Head, over: Option<&End>, _side: usize) -> String {
        let (_, format) = record_of::<P>(Some(file.into()));
        (format.write)(head, &played(self.setup.clone(), &self.texts, over))
    }
}

/// Cờ úp: the deal stays with the dealer.
pub struct Hidden {
    pub fresh: Dealt,
    pub deal: Dealt,
    /// The moves in full, for the record of a game that is over.
    pub whole: Vec<String>,
    pub engine: Box<dyn Engine>,
}

impl Hidden {
    /// What a side knows of the game.
    fn view(&self, side: usize) -> Coup {
        let (setup, moves) = self.deal.told(side);
        let mut pos = Coup::parse(setup, self.deal.position().rules()).unwrap_or_else(|_| self.deal.position().clone());
        for m in moves {
            if pos.play_text(m).is_err() {
                break;
            }
        }
        pos
    }
}

/// A pool in words: `2 chariots, 1 advisor`.
fn pool_in_words(pos: &Coup, side: Side) -> String {
    use nguky::games::xiangqi::types::{KINDS, kind_name};
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

impl Table for Hidden {
    fn name(&self) -> &'static str {
        Coup::NAME
    }

    fn sides(&self) -> [&'static str; 2] {
        ["red", "black"]
    }

    fn side(&self) -> usize {
        self.deal.side().index()
    }

    fn plies(&self) -> usize {
        self.whole.len()
    }

    fn ended(&mut self) -> Option<End> {
        let over = self.deal.ended()?;
        Some(end(over.verdict, self.deal.side(), over.reason))
    }

    fn play(&mut self, text: &str) -> Result<String> {
        let m = self.deal.position().parse_move(text)?;
        let turns = self.deal.position().turns_up(m);
        let whole = self.deal.play_move(m);
        let public = whole.get(..if turns { 5 } else { 4 }).unwrap_or(&whole).to_string();
        self.whole.push(whole);
        Ok(public)
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
        listed(self.deal.position())
    }

    fn grid(&self, side: usize) -> Grid {
        let mut grid = draw::grid(Coup::NAME, &self.deal.position().setup());
        if let Some(last) = self.whole.last() {
            grid.mark(last);
        }
        let view = self.view(side);
        for (who, name) in [(Side::First, "red"), (Side::Second, "black")] {
            let lie = (view.board().covered() & view.board().of(who)).len();
            if lie > 0 {
                let gone = view.pool(who).iter().map(|&n| u32::from(n)).sum::<u32>() - lie;
                let unseen = if gone > 0 {
                    format!(" ({gone} of them taken unseen)")
                } else {
                    String::new()
                };
                let pool = pool_in_words(&view, who);
                grid.notes
                    .push(format!("{name} has {lie} face down, out of {pool}{unseen}"));
            }
        }
        if let Some(told) = self.deal.told(side).1.last()
            && told.len() > 4
        {
            grid.notes.push(format!("shown by the last move: {}", &told[4..]));
        }
        grid
    }

    fn think(&mut self, limits: Limits) -> Result<Answer> {
        let (setup, moves) = self.deal.told(self.side());
        let moves: Vec<&str> = moves.iter().map(String::as_str).collect();
        self.engine.position(Some(setup), &moves)?;
        answer(self.engine.as_mut(), limits)
    }

    fn record(&self, _file: &Path, head: &Head, over: Option<&End>, side: usize) -> String {
        let (setup, told) = self.deal.told(side);
        let say = |_: &Coup, _, text: &str| text.to_string();
        if over.is_none() {
            return record::pgn(head, &played(setup.into(), told, over), &[], say);
        }
        let faces = self.fresh.faces();
        record::pgn(head, &played(setup.into(), &self.whole, over), &[("Deal", &faces)], say)
    }

    fn secret(&self) -> Option<Grid> {
        Some(draw::grid(Coup::NAME, &self.fresh.faces()))
    }
}

/// Go.
pub struct Stones {
    pub game: Game,
    pub engine: Mcts,
}

impl Table for Stones {
    fn name(&self) -> &'static str {
        "go"
    }

    fn sides(&self) -> [&'static str; 2] {
        ["black", "white"]
    }

    fn side(&self) -> usize {
        self.game.side().index()
    }

    fn plies(&self) -> usize {
        self.game.moves().len()
    }

    fn ended(&mut self) -> Option<End> {
        self.game.ended()?;
        self.engine.set_game(self.game.clone());
        let lead = self.engine.final_score();
        Some(match lead {
            x if x > 0.0 => (2, format!("B+{x}")),
            x if x < 0.0 => (0, format!("W+{}", -x)),
            _ => (1, "0".into()),
        })
    }

    fn play(&mut self, text: &str) -> Result<String> {
        let p = coords::parse(self.game.board(), text)?;
        self.game.play(p, self.game.side())?;
        Ok(coords::text(self.game.board(), p))
    }

    fn undo(&mut self) {
        self.game.undo();
    }

    fn moves(&self) -> Vec<String> {
        let board = self.game.board();
        let mut all: Vec<String> = self
            .game
            .legal_points()
            .iter()
            .map(|&p| coords::text(board, p))
            .collect();
        all.push("pass".into());
        all
    }

    fn grid(&self, _side: usize) -> Grid {
        let board = self.game.board();
        let size = board.size();
        let mut grid = Grid::default();
        let last = self.game.moves().last().map(|m| m.1);
        for y in (0..size).rev() {
            let row = (0..size).map(|x| {
                let p = board.at(x, y);
                let colour = board.colour(p);
                let (ascii, sign) = match colour {
                    EMPTY => ("", ""),
                    BLACK => ("X", "●"),
                    _ => ("O", "○"),
                };
                Cell {
                    ascii: ascii.into(),
                    sign: sign.into(),
                    side: usize::from(colour != BLACK),
                    covered: false,
                    marked: last == Some(p),
                }
            });
            grid.rows.push(row.collect());
        }
        let names = (0..size).map(|x| coords::text(board, board.at(x, 0))[..1].to_string());
        grid.names = [names.collect(), (1..=size).rev().map(|y| y.to_string()).collect()];
        if self.game.passes() > 0 {
            grid.notes.push("the last move was a pass".into());
        }
        grid
    }

    fn think(&mut self, limits: Limits) -> Result<Answer> {
        self.engine.set_game(self.game.clone());
        answer(&mut self.engine, limits)
    }

    fn record(&self, _file: &Path, head: &Head, over: Option<&End>, _side: usize) -> String {
        sgf::write(head, &self.game, 0, &played(String::new(), &[], over))
    }
}

/// A text for an error of an engine's making.
pub fn failed(why: String) -> anyhow::Error {
    anyhow!("the engine cannot start: {why}")
}
