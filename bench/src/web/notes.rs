//! What a loaded record says beside its moves: comments, glyphs and variations. They are kept with the game, shown with the
//! move that they are of, and written again when the game is saved.

use super::board::WebGame;
use super::words::Lang;
use crate::records::{RecordedGame, RecordedMove};
use nguky::game::Side;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Moves of variations that the page gets of a game.
const MOST_MOVES: usize = 2_000;
/// Characters of a comment that it gets.
const LONGEST: usize = 4_000;

/// A move with what is said of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NotedMove {
    /// The move in the library's coordinates.
    pub m: String,
    /// Who played it.
    pub side: usize,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub comment: String,
    /// Numeric annotation glyphs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nags: Vec<u8>,
    /// What could have been played instead of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Vec<NotedMove>>,
}

/// What a record says, by the number of the move, and before the first one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Notes {
    /// Of the game.
    pub comment: String,
    /// Of its moves, by their numbers from 0.
    pub moves: BTreeMap<usize, NotedMove>,
}

impl From<&RecordedMove> for NotedMove {
    fn from(ply: &RecordedMove) -> Self {
        let lines = ply.variations.iter();
        Self {
            m: ply.text.clone(),
            side: ply.side.index(),
            comment: ply.comment.trim().into(),
            nags: ply.nags.clone(),
            others: lines.map(|line| line.iter().map(Self::from).collect()).collect(),
        }
    }
}

impl From<&NotedMove> for RecordedMove {
    fn from(noted: &NotedMove) -> Self {
        let side = if noted.side == 0 { Side::First } else { Side::Second };
        let lines = noted.others.iter();
        Self {
            comment: noted.comment.clone(),
            nags: noted.nags.clone(),
            variations: lines.map(|line| line.iter().map(Self::from).collect()).collect(),
            ..Self::new(side, noted.m.clone())
        }
    }
}

impl Notes {
    /// What a record says.
    pub fn of(record: &RecordedGame) -> Self {
        let moves = record.moves.iter().map(NotedMove::from).enumerate();
        let says = |(_, m): &(usize, NotedMove)| !(m.comment.is_empty() && m.nags.is_empty() && m.others.is_empty());
        Self {
            comment: record.comment.trim().into(),
            moves: moves.filter(says).collect(),
        }
    }

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.comment.is_empty() && self.moves.is_empty()
    }

    /// Forgets what is said of moves from a number on: they were taken back.
    pub fn cut(&mut self, plies: usize) {
        self.moves.retain(|ply, _| *ply < plies);
    }

    /// Adds what is said to a record of the same moves.
    pub fn add_to(&self, record: &mut RecordedGame) {
        record.comment.clone_from(&self.comment);
        for (ply, noted) in &self.moves {
            if let Some(own) = record.moves.get_mut(*ply) {
                let RecordedMove { text, side, .. } = own.clone();
                *own = RecordedMove {
                    text,
                    side,
                    ..RecordedMove::from(noted)
                };
            }
        }
    }

    /// The notes for the page, with moves as people write them.
    pub fn shown(&self, game: &dyn WebGame, lang: Lang) -> Value {
        let mut left = MOST_MOVES;
        let one = |(ply, noted): (&usize, &NotedMove)| {
            let others = noted.others.iter();
            let others: Vec<Value> = others.map(|line| shown(game.at(*ply), line, lang, &mut left)).collect();
            json!({ "ply": ply, "comment": short(&noted.comment), "nags": noted.nags, "others": others })
        };
        let moves: Vec<Value> = self.moves.iter().map(one).collect();
        json!({ "comment": short(&self.comment), "moves": moves })
    }
}

fn short(text: &str) -> String {
    text.chars()
        .filter(|c| *c == '\n' || !c.is_control())
        .take(LONGEST)
        .collect()
}

/// A variation from a position, as far as it can be followed: number, move, comment and glyphs of each, and the variations
/// within.
fn shown(mut game: Box<dyn WebGame>, line: &[NotedMove], lang: Lang, left: &mut usize) -> Value {
    let mut all = Vec::new();
    for noted in line {
        if *left == 0 {
            break;
        }
        *left -= 1;
        let (ply, side) = (game.plies(), game.side());
        let Some(label) = game.line(side, std::slice::from_ref(&noted.m), 0, lang).0.pop() else {
            break;
        };
        let others: Vec<Value> = noted
            .others
            .iter()
            .map(|other| shown(game.at(ply), other, lang, left))
            .collect();
        all.push(json!({ "ply": ply, "label": label.3, "comment": short(&noted.comment), "nags": noted.nags, "others": others }));
        if game.play(&noted.m).is_err() {
            break;
        }
    }
    all.into()
}
