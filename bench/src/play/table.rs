//! What a person plays on: a game, its engine, and what each side may see of it.

use super::draw::{self, Grid, Note};
use super::help::Help;
use crate::arena::game::Played;
use crate::arena::record::RecordHead;
use crate::arena::record_of;
use crate::notation::{MoveStyle, Notation};
use anyhow::{Result, anyhow, bail};
use nguky::control::Engine;
use nguky::control::{Choice, Info, Limits, Outlook, Report};
use nguky::game::{About, BadInput, BoardFamily, Moves, Position, Side, Verdict};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;

/// How moves are read and shown.
#[derive(Clone, Copy)]
pub struct Manner {
    /// The style that was asked for, if any: it decides between readings.
    pub asked: Option<MoveStyle>,
    /// The style that moves are shown in.
    pub shown: MoveStyle,
}

/// The end of a game: the doubled points of the side that moved first, and why.
pub type GameEnd = (u8, String);

/// What an engine chose, and why.
pub struct EngineChoice {
    /// Its choice; a move is in the protocol's coordinates.
    pub choice: Choice,
    /// The choice as a person writes it, if it is a move.
    pub shown: String,
    /// How it sees the game for the side to move; empty when it did not say.
    pub outlook: String,
    /// The line that it expects, as a person writes it, its move first.
    pub line: Vec<String>,
}

/// A game at the terminal.
pub trait GameTable {
    /// The game.
    fn about(&self) -> &'static About;
    /// What `help` says.
    fn help(&self) -> Help;
    /// Who is to move: 0 for the side that moves first.
    fn side(&self) -> usize;
    /// Half-moves played.
    fn plies(&self) -> usize;
    /// The number of the next move, as the game's people count.
    fn number(&self) -> usize;
    /// Whether the side to move is in check.
    fn in_check(&self) -> bool {
        false
    }
    /// How the game ended, if it did.
    fn ended(&mut self) -> Option<GameEnd>;
    /// Whether the side to move may claim a win.
    fn may_claim(&self) -> bool {
        false
    }
    /// Plays a move that a person typed, or an engine chose; how people write it, and what it turned up.
    fn play(&mut self, text: &str) -> Result<String>;
    /// Takes a half-move back.
    fn undo(&mut self);
    /// The legal moves as people write them.
    fn moves(&self) -> Vec<String>;
    /// The board as a side sees it.
    fn grid(&self, side: usize) -> Grid;
    /// The engine, whose options may be set.
    fn engine(&mut self) -> &mut dyn Engine;
    /// Lets the engine think for the side to move, with what that side may know.
    fn think(&mut self, limits: Limits) -> Result<EngineChoice>;
    /// The game for a file; while it is not over, as a side knows it.
    fn record(&self, file: &Path, head: &RecordHead, end: Option<&GameEnd>, side: usize) -> String;
    /// What is shown when all is over, with a title.
    fn epilogue(&self) -> Option<(&'static str, Grid)> {
        None
    }
}

/// Asks an engine: its choice and the last line of its analysis.
pub fn ask(engine: &mut dyn Engine, limits: Limits) -> Result<(Choice, Option<Info>)> {
    let (tell, told) = channel();
    engine.go(
        limits,
        Arc::new(move |report| {
            let _ = tell.send(report);
        }),
    )?;
    let mut last = None;
    for report in told {
        match report {
            Report::Info(info) => last = Some(info),
            Report::Best { choice, .. } => {
                engine.wait();
                return Ok((choice, last));
            }
            _ => {}
        }
    }
    bail!("the engine did not answer")
}

/// How an engine sees the game, in pawns or in moves to mate.
pub fn in_words(info: &Info) -> String {
    match info.outlook {
        Outlook::Centipawns(cp) => format!("{:+.2}, depth {}", f64::from(cp) / 100.0, info.depth),
        Outlook::Mate(plies) if plies > 0 => format!("mate in {}", (plies + 1) / 2),
        Outlook::Mate(plies) => format!("mated in {}", plies.unsigned_abs().div_ceil(2)),
    }
}

pub fn end(verdict: Verdict, side: Side, reason: &str) -> GameEnd {
    let points = match (verdict, side) {
        (Verdict::Draw, _) => 1,
        (Verdict::Win, Side::First) | (Verdict::Loss, Side::Second) => 2,
        _ => 0,
    };
    (points, reason.into())
}

pub fn played(setup: String, moves: &[String], over: Option<&GameEnd>) -> Played {
    let (points, reason) = over.cloned().unwrap_or((1, "unfinished".into()));
    Played {
        points,
        reason,
        unfinished: over.is_none(),
        setup,
        moves: moves.iter().map(|m| (m.clone(), String::new())).collect(),
        ..Played::default()
    }
}

/// The legal moves of a position.
pub fn legal<P: Position>(pos: &P) -> Vec<P::Move> {
    let mut moves = Moves::new();
    pos.generate_all_legal(&mut moves);
    moves.iter().collect()
}

/// The one move that a text means. Several are listed with their points, which are never ambiguous.
pub fn one<M: Copy>(text: &str, found: &[M], bad: BadInput, say: impl Fn(M) -> [String; 2]) -> Result<M> {
    match found {
        [one] => Ok(*one),
        [] => Err(bad.into()),
        several => {
            let names = several.iter().map(|m| match say(*m) {
                [points, written] if points == written => points,
                [points, written] => format!("{points} ({written})"),
            });
            let names: Vec<String> = names.collect();
            bail!("{text:?} may mean {}; type one of these", names.join(" or "))
        }
    }
}

/// The letters on a setup's board, in its hands not.
pub fn letters(setup: &str) -> Vec<char> {
    let board = setup.split(' ').next().unwrap_or_default();
    board.chars().filter(char::is_ascii_alphabetic).collect()
}

/// The letter of a side's piece that one board has and the next has not: what the other side took.
pub fn taken(before: &str, after: &str, of: usize) -> Option<char> {
    let theirs = |c: &char| c.is_ascii_lowercase() == (of == 1);
    let mut left: Vec<char> = letters(before).into_iter().filter(theirs).collect();
    for c in letters(after).iter().filter(|c| theirs(c)) {
        if let Some(i) = left.iter().position(|l| l == c) {
            left.swap_remove(i);
        }
    }
    left.pop()
}

/// What a side took, as a note, the most valuable pieces first.
pub fn spoils(about: &About, side: &str, pieces: &[char]) -> Note {
    let sorted = about.by_value.chars().filter_map(|letter| {
        let count = pieces.iter().filter(|p| p.eq_ignore_ascii_case(&letter)).count();
        let letter = pieces.iter().find(|p| p.eq_ignore_ascii_case(&letter))?;
        Some((draw::piece(about, &letter.to_string()), count))
    });
    Note::Pieces(format!("{side} has taken"), sorted.collect())
}

/// A game of which both sides see everything.
pub struct OpenTable<P: Notation> {
    pub pos: P,
    pub setup: String,
    pub played: Vec<P::Move>,
    pub texts: Vec<String>,
    /// The letter that each move took.
    pub taken: Vec<Option<char>>,
    pub engine: Box<dyn Engine>,
    pub notation: Manner,
}

impl<P: Notation> OpenTable<P> {
    fn say(&self, m: P::Move) -> [String; 2] {
        let last = self.played.last().copied();
        [self.pos.move_text(m), self.pos.written(m, self.notation.shown, last)]
    }

    /// The pieces in each hand of shogi.
    fn hands(&self, setup: &str, grid: &mut Grid) {
        for (i, hand) in hands(setup).into_iter().enumerate() {
            let pieces = hand.into_iter();
            let pieces = pieces.map(|(c, count)| (draw::piece(P::ABOUT, &c.to_string()), count));
            grid.of_side[i].push(Note::Pieces(format!("{}'s hand", P::ABOUT.sides[i]), pieces.collect()));
        }
    }
}

/// The letters in each hand of a setup of shogi, with how many there are of each.
pub fn hands(setup: &str) -> [Vec<(char, usize)>; 2] {
    let mut hands = [Vec::new(), Vec::new()];
    let mut count = 0;
    for c in setup.split(' ').nth(2).unwrap_or("-").chars() {
        if let Some(digit) = c.to_digit(10) {
            count = 10 * count + digit as usize;
        } else if c.is_ascii_alphabetic() {
            hands[usize::from(c.is_ascii_lowercase())].push((c, count.max(1)));
            count = 0;
        }
    }
    hands
}

impl<P: Notation> GameTable for OpenTable<P> {
    fn about(&self) -> &'static About {
        P::ABOUT
    }

    fn help(&self) -> Help {
        P::HELP
    }

    fn side(&self) -> usize {
        self.pos.side().index()
    }

    fn plies(&self) -> usize {
        self.texts.len()
    }

    fn number(&self) -> usize {
        match P::ABOUT.board {
            BoardFamily::Shogi => self.pos.game_ply() + 1,
            _ => self.pos.game_ply() / 2 + 1,
        }
    }

    fn in_check(&self) -> bool {
        self.pos.in_check()
    }

    fn ended(&mut self) -> Option<GameEnd> {
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
            Err(why) => {
                let found = self
                    .pos
                    .readings(text, self.notation.asked, self.played.last().copied());
                one(text, &found, why, |m| self.say(m))?
            }
        };
        let [text, shown] = self.say(m);
        let (before, us) = (self.pos.setup(), self.side());
        self.pos.play(m);
        self.taken.push(taken(&before, &self.pos.setup(), 1 - us));
        self.texts.push(text);
        self.played.push(m);
        Ok(shown)
    }

    fn undo(&mut self) {
        if self.texts.pop().is_some() {
            self.taken.pop();
            self.played.pop();
            self.pos.undo();
        }
    }

    fn moves(&self) -> Vec<String> {
        legal(&self.pos).into_iter().map(|m| self.say(m)[1].clone()).collect()
    }

    fn grid(&self, _side: usize) -> Grid {
        let setup = self.pos.setup();
        let mut grid = draw::grid(P::ABOUT, &setup);
        if let Some(last) = self.texts.last() {
            grid.mark(last);
        }
        if self.pos.in_check() {
            grid.alarm(self.side());
        }
        if P::ABOUT.board == BoardFamily::Shogi {
            self.hands(&setup, &mut grid);
            return grid;
        }
        for (i, name) in P::ABOUT.sides.iter().enumerate() {
            let theirs = |c: &char| c.is_ascii_lowercase() == (i == 0);
            let taken: Vec<char> = self.taken.iter().flatten().copied().filter(theirs).collect();
            if !taken.is_empty() {
                grid.of_side[i].push(spoils(P::ABOUT, name, &taken));
            }
        }
        grid
    }

    fn engine(&mut self) -> &mut dyn Engine {
        self.engine.as_mut()
    }

    fn think(&mut self, limits: Limits) -> Result<EngineChoice> {
        let moves: Vec<&str> = self.texts.iter().map(String::as_str).collect();
        self.engine.position(Some(&self.setup), &moves)?;
        let (choice, info) = ask(self.engine.as_mut(), limits)?;
        let (mut pos, mut last) = (self.pos.clone(), self.played.last().copied());
        let mut line = Vec::new();
        for text in info.as_ref().map_or(&[][..], |i| &i.pv) {
            let Ok(m) = pos.parse_move(text) else { break };
            line.push(pos.written(m, self.notation.shown, last));
            pos.play(m);
            last = Some(m);
        }
        let shown = match &choice {
            Choice::Move(text) => self.say(self.pos.parse_move(text)?)[1].clone(),
            _ => String::new(),
        };
        Ok(EngineChoice {
            choice,
            shown,
            outlook: info.as_ref().map_or(String::new(), in_words),
            line,
        })
    }

    fn record(&self, file: &Path, head: &RecordHead, over: Option<&GameEnd>, _side: usize) -> String {
        let (_, format) = record_of::<P>(Some(file.into()));
        (format.write)(head, &played(self.setup.clone(), &self.texts, over))
    }
}

/// A text for an error of an engine's making.
pub fn failed(why: String) -> anyhow::Error {
    anyhow!("the engine cannot start: {why}")
}
