//! The boards of a match that is watched: the moves of its live file, played over.

use crate::arena::game::Fault;
use crate::arena::live::{LiveGame, LiveMatch, LiveOver, LiveResult, LiveSpec};
use crate::web::board::{self, BoardFacts, GameSpec, SeenBoard, WatchedGame};
use crate::web::words::{self, Lang};
use anyhow::Result;
use serde_json::{Value, json};

/// Half-moves of a game that are played over.
const MOST_PLIES: usize = 2_000;
/// Boards that are shown, whatever the file has.
const MOST_BOARDS: usize = crate::arena::live::MOST_BOARDS;

/// One board.
struct MatchBoard {
    /// Which game it is of.
    key: ([usize; 2], usize),
    setup: String,
    game: Box<dyn WatchedGame>,
    /// The moves of the file that were played, and how far that went.
    played: Vec<String>,
    sound: bool,
}

/// All boards of a match.
pub struct MatchBoards {
    spec: GameSpec,
    facts: BoardFacts,
    boards: Vec<Option<MatchBoard>>,
}

impl MatchBoards {
    /// The boards of a match, empty.
    ///
    /// # Errors
    /// Where it is of no game that we know.
    pub fn new(spec: &LiveSpec) -> Result<Self> {
        let spec = GameSpec {
            game: spec.game.clone(),
            rules: spec.rules.clone(),
            size: spec.size.unwrap_or(19),
            komi: spec.komi,
            ..GameSpec::default()
        };
        let facts = board::watched(&spec)?.facts();
        Ok(Self {
            spec,
            facts,
            boards: Vec::new(),
        })
    }

    /// What does not change.
    pub const fn facts(&self) -> &BoardFacts {
        &self.facts
    }

    /// Brings the boards up to date: of games that go on only the new moves are played.
    pub fn follow(&mut self, shown: &LiveMatch) {
        let games = &shown.running[..shown.running.len().min(MOST_BOARDS)];
        self.boards.resize_with(games.len(), || None);
        for (place, game) in self.boards.iter_mut().zip(games) {
            let same = |b: &MatchBoard| {
                b.key == (game.pair, game.number) && b.setup == game.setup && game.moves.starts_with(&b.played)
            };
            if !place.as_ref().is_some_and(same) {
                *place = fresh(&self.spec, game);
            }
            if let Some(board) = place {
                board.catch_up(game);
            }
        }
    }

    /// All boards as pictures need them.
    pub fn small(&self, shown: &LiveMatch, lang: Lang) -> Vec<Value> {
        let both = self.boards.iter().zip(&shown.running).enumerate();
        both.map(|(place, (board, game))| {
            let mut value = about(place, game);
            if let Some(board) = board {
                let seen = board.game.seen(lang);
                let more = json!({
                    "turn": board.game.side(), "pieces": seen.pieces, "hands": seen.hands, "last": seen.last,
                    "check": seen.check, "label": seen.played.last(), "sound": board.sound,
                });
                crate::web::room::merge(&mut value, more);
            }
            value
        })
        .collect()
    }

    /// One board with its moves.
    pub fn scene(&self, shown: &LiveMatch, place: usize, lang: Lang) -> Option<Value> {
        let (board, game) = self.boards.get(place)?.as_ref().zip(shown.running.get(place))?;
        Some(board.scene(place, game, lang))
    }

    /// One board as it stood after so many half-moves; none where it did not come so far.
    pub fn at(&self, shown: &LiveMatch, place: usize, ply: usize, lang: Lang) -> Option<Value> {
        let (board, game) = self.boards.get(place)?.as_ref().zip(shown.running.get(place))?;
        let former = LiveGame {
            moves: board.played.get(..ply)?.to_vec(),
            ..game.clone()
        };
        let mut board = fresh(&self.spec, &former)?;
        board.catch_up(&former);
        Some(board.scene(place, &former, lang))
    }
}

/// The beginning of a game.
fn fresh(spec: &GameSpec, game: &LiveGame) -> Option<MatchBoard> {
    let spec = GameSpec {
        setup: Some(game.setup.clone()).filter(|s| !s.is_empty()),
        ..spec.clone()
    };
    Some(MatchBoard {
        key: (game.pair, game.number),
        setup: game.setup.clone(),
        game: board::watched(&spec).ok()?,
        played: Vec::new(),
        sound: true,
    })
}

impl MatchBoard {
    fn scene(&self, place: usize, game: &LiveGame, lang: Lang) -> Value {
        let mut value = about(place, game);
        let seen: SeenBoard = self.game.seen(lang);
        let none: [u8; 0] = [];
        let more = json!({
            "turn": self.game.side(), "seat": 2, "rev": self.played.len(), "moves": none, "keys": none, "hint": null,
            "setup": self.setup, "sound": self.sound,
        });
        crate::web::room::merge(&mut value, serde_json::to_value(seen).unwrap_or_default());
        crate::web::room::merge(&mut value, more);
        value
    }

    fn catch_up(&mut self, game: &LiveGame) {
        for m in game.moves.iter().take(MOST_PLIES).skip(self.played.len()) {
            // A move that our rules refuse ends the board; the match itself has its own referee.
            self.sound = self.sound && self.game.play(m).is_ok();
            if !self.sound {
                return;
            }
            self.played.push(m.clone());
        }
    }
}

/// What the file says of a board.
fn about(place: usize, game: &LiveGame) -> Value {
    json!({
        "place": place, "key": format!("{}-{}-{}", game.pair[0], game.pair[1], game.number), "round": game.round,
        "order": game.order, "clocks": game.clocks, "since": game.since, "said": game.said, "ply": game.moves.len(),
        "opening": game.opening, "over": game.over.as_ref().map(ended),
    })
}

/// A result of the match.
pub fn result(result: &LiveResult) -> Value {
    json!({ "round": result.round, "order": result.order, "plies": result.plies, "over": ended(&result.over) })
}

/// How a game ended, as scenes have it.
fn ended(over: &LiveOver) -> Value {
    let say = match over.fault {
        Some((_, Fault::TimeLoss)) => json!(["over_time"]),
        Some((_, Fault::IllegalMove)) => json!(["over_illegal"]),
        Some((_, Fault::Disconnect)) => json!(["over_disconnect"]),
        Some((_, Fault::Stall)) => json!(["over_stall"]),
        None => words::over(over.points, &over.reason),
    };
    let first = f32::from(over.points.min(2)) / 2.0;
    json!({ "points": [first, 1.0 - first], "say": say })
}
