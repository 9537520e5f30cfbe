//! The games as the page sees them: boards, pieces and moves as plain data, so that the page knows no rules.
//!
//! A place is a number: the points row by row from the top left as the side that moves first sees them, and
//! `1000 + 100 * side + index` for what is held in hand.

mod hidden;
mod open;
mod stones;
mod watched;

use super::notes::Notes;
use super::words::Lang;
use crate::arena::record::RecordHead;
use crate::games::of_game;
use crate::play::draw::{self, Grid};
use crate::play::table::GameEnd;
use crate::records::{RecordedGame, RecordedMove, RecordedResult};
use crate::review::annotate::{ENGLISH, Phrases, VIETNAMESE};
use crate::review::marks::Review;
use anyhow::{Result, bail};
use nguky::control::{Engine, Info};
use nguky::game::{About, BoardFamily, Side};
use nguky::mcts::Mcts;
use nguky::register::{self, GO};
use open::make as make_open;
use serde::{Deserialize, Serialize};
pub use watched::{WatchedGame, watched};

/// Longest setup that is read, in bytes.
const LONGEST_SETUP: usize = 300;
/// The same of the root of a record of go, which may name a stone for each point.
const LONGEST_ROOT: usize = 8 << 10;
/// A move from here starts where a click is a move, or nowhere.
pub const NOWHERE: i32 = -1;

/// What a game is started from, as the file of a game keeps it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GameSpec {
    /// The game's name.
    pub game: String,
    /// Settings of the rules: names and values of the engine's options.
    pub rules: Vec<(String, String)>,
    /// Go: points of a side.
    pub size: usize,
    /// Go: white's points for moving second.
    pub komi: Option<f32>,
    /// Go: stones that black has at the start.
    pub handicap: usize,
    /// Where it starts, as a FEN or SFEN; the game's start where there is none.
    pub setup: Option<String>,
    /// Cờ úp: what lies where, every piece face up. Drawn when the game is made.
    pub faces: Option<String>,
}

impl GameSpec {
    /// The settings of the rules as a command line has them.
    pub fn settings(&self) -> Vec<String> {
        self.rules
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect()
    }
}

/// A kind of piece with how many there are.
pub type KindCount = (String, usize);
/// A move for the page: from, to, the move as the page sends it back, and as people write it.
pub type PlacedMove = (i32, i32, String, String);

/// What one viewer sees of a position.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SeenBoard {
    /// Place, kind, side, 1 where it lies face down.
    pub pieces: Vec<(usize, String, usize, u8)>,
    /// What each side holds in hand.
    pub hands: [Vec<KindCount>; 2],
    /// What each side took; `?` for what the viewer does not know.
    pub taken: [Vec<KindCount>; 2],
    /// Cờ úp: what may lie face down of each side.
    pub pool: [Vec<KindCount>; 2],
    /// Cờ úp: pieces of each side that were taken face down and are unknown to the viewer.
    pub unseen: [usize; 2],
    /// Where the last move came from and went to.
    pub last: Option<(i32, i32)>,
    /// The kings in check.
    pub check: Vec<usize>,
    /// Places with a name: dead stones and territory.
    pub marks: Vec<(&'static str, Vec<usize>)>,
    /// The moves so far, as people write them.
    pub played: Vec<String>,
    /// Cờ úp: what each move turned up.
    pub turned: Vec<Option<String>>,
    /// Go: the count, once the game is over.
    pub score: Option<ScoreTable>,
}

/// The count of a game of go: key of what is counted, black's points, white's.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScoreTable {
    /// The rows; the last is the sum.
    pub rows: Vec<(String, f32, f32)>,
}

/// What does not change in a game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BoardFacts {
    /// Columns.
    pub w: usize,
    /// Rows.
    pub h: usize,
    /// What the lines look like: squares, xiangqi, cells, go.
    pub lines: &'static str,
    /// Star points of go.
    pub stars: Vec<usize>,
    /// The names of the columns from the left and of the rows from the top.
    pub names: [Vec<String>; 2],
    /// Whether the second side sees it the other way round.
    pub turnable: bool,
    /// The kinds of pieces.
    pub kinds: Vec<String>,
    /// The kinds that are held in hand.
    pub hand: Vec<String>,
    /// What the sides are called.
    pub sides: [&'static str; 2],
    /// Formats of records, by the endings of their files.
    pub formats: Vec<&'static str>,
    /// Where the game started.
    pub setup: String,
}

/// Why a typed text is no move.
#[derive(Debug, PartialEq)]
pub enum Unread {
    /// It is none here.
    Unknown,
    /// It may be several, as people write them.
    Several(Vec<String>),
}

/// An engine for a game.
pub enum RoomEngine {
    /// Alpha-beta search.
    Search(Box<dyn Engine>),
    /// The tree search of go.
    Tree(Box<Mcts>),
}

impl RoomEngine {
    /// What both can do.
    pub fn engine(&mut self) -> &mut dyn Engine {
        match self {
            Self::Search(engine) => engine.as_mut(),
            Self::Tree(engine) => engine.as_mut(),
        }
    }

    /// Ends the running search soon.
    pub fn stop(&self) {
        match self {
            Self::Search(engine) => engine.stop(),
            Self::Tree(engine) => engine.stop(),
        }
    }
}

/// A game under way, without its engine.
pub trait WebGame: Send {
    /// Who is to move.
    fn side(&self) -> usize;
    /// Half-moves played.
    fn plies(&self) -> usize;
    /// How the rules ended it, if they did.
    fn ended(&self) -> Option<GameEnd>;
    /// Whether an engine has to count, once the rules ended it.
    fn is_counted(&self) -> bool {
        false
    }
    /// Counts the ended game: the dead stones, as vertices.
    fn dead(&self, _engine: &mut RoomEngine) -> Vec<String> {
        Vec::new()
    }
    /// Takes the count's dead stones, as [`WebGame::dead`] gave them.
    fn settle(&mut self, _dead: &[String]) {}
    /// Whether the side to move may claim a win.
    fn may_claim(&self) -> bool {
        false
    }
    /// Whether the side to move may pass.
    fn may_pass(&self) -> bool {
        false
    }
    /// Plays a move as [`WebGame::moves`] lists it, or as an engine chose it.
    fn play(&mut self, m: &str) -> Result<()>;
    /// The move that a person typed.
    fn read(&self, text: &str, lang: Lang) -> Result<String, Unread>;
    /// Takes a half-move back.
    fn undo(&mut self);
    /// The game as it stood after so many half-moves.
    fn at(&self, ply: usize) -> Box<dyn WebGame>;
    /// An engine by the rules of this game.
    fn engine(&self) -> Result<RoomEngine>;
    /// Brings an engine to the position, as a side knows it.
    fn prepare(&self, engine: &mut RoomEngine, side: usize) -> Result<()>;
    /// The position as a side knows it.
    fn seen(&self, side: usize, lang: Lang) -> SeenBoard;
    /// The position as somebody knows it who knows what both sides know.
    fn seen_by_all(&self, lang: Lang) -> SeenBoard {
        self.seen(0, lang)
    }
    /// The legal moves of the side to move.
    fn moves(&self, lang: Lang) -> Vec<PlacedMove>;
    /// What does not change.
    fn facts(&self) -> BoardFacts;
    /// A line of an engine's moves as far as a side can follow it: placed moves, and the position after `upto` of them.
    fn line(&self, side: usize, pv: &[String], upto: usize, lang: Lang) -> (Vec<PlacedMove>, SeenBoard);
    /// The record in a format, as a side knows the game.
    fn record(&self, format: &str, head: &RecordHead, end: Option<&GameEnd>, side: usize) -> Option<String>;
    /// A review of the game as it stands, which has not begun.
    fn review(&self) -> Review;
    /// The record with a review's marks and lines, in a format; for games whose secrets are open.
    fn annotated(&self, format: &str, review: &Review, head: AnnotatedHead) -> Option<String>;
    /// What an engine's line of go tells beside the lines.
    fn heat(&self, _engine: &RoomEngine) -> Option<GoHeat> {
        None
    }
    /// The best lines of a running search that does not report them by itself.
    fn found(&self, _engine: &RoomEngine, _most: usize) -> Vec<Info> {
        Vec::new()
    }
    /// A score of the engine, as messages have it.
    fn score(&self, info: &Info) -> serde_json::Value {
        match info.outlook {
            nguky::control::Outlook::Centipawns(cp) => serde_json::json!({ "cp": cp }),
            nguky::control::Outlook::Mate(plies) => {
                serde_json::json!({ "mate": if plies > 0 { (plies + 1) / 2 } else { -((1 - plies) / 2) } })
            }
        }
    }
}

/// Go's analysis by points.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GoHeat {
    /// Place, winrate per mille for the side to move, lead in points, visits.
    pub heat: Vec<(i32, u32, f64, u32)>,
    /// Expected owner of each point, 100 for black to -100 for white, by place.
    pub own: Vec<i32>,
}

/// A game by its description.
///
/// # Errors
/// One line that says what is wrong with it.
pub fn make(spec: &GameSpec) -> Result<Box<dyn WebGame>> {
    let go = register::find(&spec.game)?.name == GO.name;
    let most = if go { LONGEST_ROOT } else { LONGEST_SETUP };
    if spec.setup.as_ref().is_some_and(|s| s.len() > most) {
        bail!("setup: expected at most {most} bytes");
    }
    if go {
        return stones::make(spec);
    }
    of_game!(&spec.game, make_open(spec))
}

/// Draws what lies face down, where the game hides anything.
///
/// # Errors
/// Where the setup is bad or the system gives no random numbers.
pub fn deal(spec: &mut GameSpec) -> Result<()> {
    if is_hidden(register::find(&spec.game)?) {
        spec.faces = Some(hidden::draw(spec)?);
    }
    Ok(())
}

/// Whether pieces of a game lie face down.
pub fn is_hidden(about: &About) -> bool {
    !about.covered.is_empty()
}

/// The kinds of a game's pieces, as the page names them.
fn kinds(about: &About) -> Vec<String> {
    if about.board == BoardFamily::Go {
        return vec!["O".into()];
    }
    let first = about.letters.chars().filter(char::is_ascii_uppercase);
    let plain = first.map(String::from);
    let promoted = about
        .letters
        .chars()
        .filter(char::is_ascii_uppercase)
        .map(|c| format!("+{c}"));
    plain.chain(promoted.filter(|k| about.glyph(k).is_some())).collect()
}

/// The kinds that are held in hand.
fn hand_kinds(about: &About) -> Vec<String> {
    match about.board {
        BoardFamily::Shogi => about.by_value.chars().map(String::from).collect(),
        _ => Vec::new(),
    }
}

/// Board and names of a game by a setup.
fn facts(about: &'static About, setup: &str, formats: Vec<&'static str>, start: &str) -> BoardFacts {
    let grid = draw::grid(about, setup);
    BoardFacts {
        w: grid.names[0].len(),
        h: grid.names[1].len(),
        lines: match about.board {
            BoardFamily::Chess => "squares",
            BoardFamily::Xiangqi => "xiangqi",
            BoardFamily::Shogi => "cells",
            BoardFamily::Go => "go",
        },
        stars: Vec::new(),
        names: grid.names,
        turnable: true,
        kinds: kinds(about),
        hand: hand_kinds(about),
        sides: about.sides,
        formats,
        setup: start.into(),
    }
}

/// The pieces of a board.
fn pieces(grid: &Grid) -> Vec<(usize, String, usize, u8)> {
    let width = grid.names[0].len();
    let mut all = Vec::new();
    for (y, row) in grid.rows.iter().enumerate() {
        for (x, cell) in row.iter().enumerate().filter(|(_, c)| !c.ascii.is_empty()) {
            let kind = cell.ascii.to_ascii_uppercase();
            all.push((y * width + x, kind, cell.look.side, u8::from(cell.look.covered)));
        }
    }
    all
}

/// Where a side's king stands.
fn kings(grid: &Grid, side: usize) -> Vec<usize> {
    let king = if side == 0 { "K" } else { "k" };
    let width = grid.names[0].len();
    let cells = grid.rows.iter().flatten().enumerate();
    debug_assert!(grid.rows.iter().all(|r| r.len() == width));
    cells.filter(|(_, c)| c.ascii == king).map(|(i, _)| i).collect()
}

/// The places of a move's text: `e2e4`, `7g7f+`, `P*5e`.
fn places(about: &About, grid: &Grid, side: usize, text: &str) -> (i32, i32) {
    let width = grid.names[0].len();
    let place = |at: Option<(usize, usize)>| at.map_or(NOWHERE, |(row, column)| (row * width + column) as i32);
    let [from, to] = grid.places(text);
    let dropped = text.split_once('*').map(|(kind, _)| kind);
    let held = dropped.and_then(|kind| hand_kinds(about).iter().position(|k| k.eq_ignore_ascii_case(kind)));
    match held {
        Some(i) => ((1000 + 100 * side + i) as i32, place(to)),
        None => (place(from), place(to)),
    }
}

/// Counts letters by kind, the most valuable first; letters that are of no kind count as unknown.
fn counted(about: &About, letters: &[char]) -> Vec<KindCount> {
    let mut all = Vec::new();
    for kind in about.by_value.chars() {
        let n = letters.iter().filter(|c| c.eq_ignore_ascii_case(&kind)).count();
        if n > 0 {
            let name = if about.covered.contains(kind) {
                "?".into()
            } else {
                kind.to_string()
            };
            all.push((name, n));
        }
    }
    all
}

/// The words of comments in a language.
pub const fn phrases(lang: Lang) -> &'static Phrases {
    match lang {
        Lang::Vi => &VIETNAMESE,
        Lang::En => &ENGLISH,
    }
}

/// What an annotated record has beside its moves and their marks.
pub struct AnnotatedHead<'a> {
    /// Names and values of its tags.
    pub tags: Vec<(String, String)>,
    /// The players, the side that moves first before the other.
    pub names: [&'a str; 2],
    /// The end; none of a game under way.
    pub end: Option<&'a GameEnd>,
    /// The language of the comments.
    pub lang: Lang,
    /// What the record said that the game was loaded from.
    pub notes: Option<&'a Notes>,
}

/// A game as a record: its head, and its moves with who played them.
fn recorded(head: AnnotatedHead, setup: Option<String>, moves: impl Iterator<Item = (Side, String)>) -> RecordedGame {
    let notes = head.notes;
    let mut record = RecordedGame {
        tags: head.tags,
        names: head.names.map(String::from),
        setup,
        moves: moves.map(|(side, text)| RecordedMove::new(side, text)).collect(),
        outcome: match head.end.map(|e| e.0) {
            Some(2) => RecordedResult::Won(Side::First),
            Some(0) => RecordedResult::Won(Side::Second),
            Some(_) => RecordedResult::Drawn,
            None => RecordedResult::Unknown,
        },
        ..RecordedGame::default()
    };
    if let Some(notes) = notes {
        notes.add_to(&mut record);
    }
    record
}

/// The sizes of boards that the page offers for go.
pub const fn stone_sizes() -> &'static [usize] {
    &stones::SIZES
}
