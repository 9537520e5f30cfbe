//! The live file of a match, `games.live.json` beside its state: how it stands and what is on its boards, for who watches
//! from another process (`nguky web`).
//!
//! Games note their moves in [`LiveBoards`]; a thread of its own writes the file anew when something changed, at most four
//! times a second, and swaps it in whole. Nothing waits for it, and fast games cost no more than slow ones.

mod path;

use super::game::{Clocks, Fault, GameWatcher, Played};
use super::heard::Thought;
use super::protocol::EngineScore;
use super::state::Bout;
use super::tally::MatchFigures;
use crate::whole_file;
pub use path::{PathPoint, ScorePath};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The version of the format.
pub const VERSION: u32 = 1;
/// How the names of live files end.
pub const ENDING: &str = ".live.json";
/// Boards that the file shows; a match of more games at a time shows the first ones.
pub const MOST_BOARDS: usize = 64;
/// Results that are shown, the latest first.
const LAST: usize = 10;
/// The file is written no more often than this,
const PACE: Duration = Duration::from_millis(250);
/// and no less often while the match runs.
const REST: Duration = Duration::from_secs(5);

/// What a live file holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LiveMatch {
    /// The version of the format.
    pub v: u32,
    /// The process of the match.
    pub pid: u32,
    /// When the file was written, in milliseconds since 1970.
    pub written: u64,
    /// What does not change.
    pub spec: LiveSpec,
    /// The boards, by place; a game that is over stays until the next one takes its place.
    pub running: Vec<LiveGame>,
    /// Boards beyond those shown.
    pub more: usize,
    /// The last results, the latest first.
    pub last: Vec<LiveResult>,
    /// How the match stands.
    pub standing: LiveStanding,
    /// The score after so many games, for a match of two.
    pub path: Vec<PathPoint>,
    /// How it ended; none while it runs.
    pub end: Option<LiveEnd>,
}

/// What a match is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LiveSpec {
    /// The command: `nguky match`.
    pub event: String,
    /// The game's name.
    pub game: String,
    /// Settings of its rules, names and values.
    pub rules: Vec<(String, String)>,
    /// Go: points of a side, and white's points for moving second.
    pub size: Option<usize>,
    pub komi: Option<f32>,
    /// The engines, by their places in the match.
    pub engines: Vec<LiveEngine>,
    /// The form of a tournament; a match of two has none.
    pub tournament: Option<String>,
    /// Games in all.
    pub total: usize,
    /// Games at a time.
    pub concurrency: usize,
    /// Where the openings come from.
    pub openings: String,
    /// The record's file.
    pub record: String,
    /// The sequential test, if there is one.
    pub test: Option<LiveTest>,
    /// When this run began, in milliseconds since 1970, and the games that were finished then.
    pub begun: u64,
    pub before: usize,
}

/// One engine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LiveEngine {
    /// Its name in the match.
    pub name: String,
    /// What limits its moves.
    pub limit: String,
    /// Name, version and network, as it gives them itself.
    pub said: String,
}

/// A sequential test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LiveTest {
    /// The two hypotheses, in normalized Elo.
    pub elo0: f64,
    pub elo1: f64,
    /// The ratios at which they are accepted.
    pub low: f64,
    pub high: f64,
}

/// A board.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LiveGame {
    /// The engines by their places in the match, and the game's number among theirs.
    pub pair: [usize; 2],
    pub number: usize,
    /// The opening's number and the game's of its pair.
    pub round: String,
    /// The engines in the order in which they move.
    pub order: [usize; 2],
    /// Where it starts; empty in go, which starts from the empty board.
    pub setup: String,
    /// The moves in the library's coordinates, as everybody may know them.
    pub moves: Vec<String>,
    /// How many of them are the opening.
    pub opening: usize,
    /// Milliseconds left by side, when the side to move began to think; none of an engine without a clock.
    pub clocks: [Option<u64>; 2],
    /// When it began to think, in milliseconds since 1970.
    pub since: u64,
    /// What each side said with its last move.
    pub said: [Option<LiveSaid>; 2],
    /// How it ended.
    pub over: Option<LiveOver>,
}

/// What an engine said with a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LiveSaid {
    /// Hundredths of a pawn, for the engine, or moves to mate.
    pub cp: Option<i32>,
    pub mate: Option<i32>,
    /// Its depth, its nodes, and the milliseconds that it took.
    pub depth: u32,
    pub nodes: u64,
    pub ms: u64,
}

/// The end of a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LiveOver {
    /// Doubled points of the side that moves first.
    pub points: u8,
    /// Why.
    pub reason: String,
    /// The side at fault and how, if one was.
    pub fault: Option<(usize, Fault)>,
}

/// A game that was finished.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LiveResult {
    /// The opening's number and the game's of its pair.
    pub round: String,
    /// The engines in the order in which they moved.
    pub order: [usize; 2],
    /// Half-moves.
    pub plies: usize,
    /// How it ended.
    pub over: LiveOver,
}

/// How a match stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LiveStanding {
    /// Finished games.
    pub games: usize,
    /// The score of a match of two.
    pub tally: Option<MatchFigures>,
    /// The table of a tournament, the best engine first.
    pub table: Vec<LiveRow>,
}

/// An engine of a tournament.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LiveRow {
    /// Its place in the match.
    pub engine: usize,
    /// Wins, draws, losses.
    pub wdl: [u64; 3],
    /// Its rating above the mean, and half the width of the 95 % interval, where there are enough games.
    pub elo: Option<f64>,
    pub error: Option<f64>,
    /// Faults of all kinds.
    pub faults: u64,
}

/// How a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LiveEnd {
    /// All games were played.
    Played,
    /// The sequential test was decided.
    Decided,
    /// The user stopped it.
    Stopped,
    /// It failed.
    Failed,
}

/// Milliseconds since 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    millis(since)
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The live file that belongs beside a match's state.
pub fn beside(state: &Path) -> PathBuf {
    let name = state.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = name.strip_suffix(super::state::ENDING).unwrap_or(&name);
    state.with_file_name(format!("{stem}{ENDING}"))
}

#[derive(Default)]
struct Boards {
    shown: LiveMatch,
    path: ScorePath,
    changed: bool,
}

/// The boards of a match under way, which its games write to and the live file is made from.
#[derive(Default)]
pub struct LiveBoards {
    /// Whether there is a file.
    on: bool,
    boards: Mutex<Boards>,
    ended: Condvar,
}

impl LiveBoards {
    /// Boards that are kept for a file, or for nobody.
    pub fn new(on: bool) -> Self {
        Self { on, ..Self::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Boards> {
        self.boards.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, act: impl FnOnce(&mut Boards)) {
        if self.on {
            let mut boards = self.lock();
            act(&mut boards);
            boards.changed = true;
        }
    }

    /// The match begins, or goes on.
    pub fn open(&self, spec: LiveSpec, path: ScorePath, standing: LiveStanding) {
        self.change(|b| {
            (b.shown.v, b.shown.pid, b.shown.spec) = (VERSION, std::process::id(), spec);
            (b.path, b.shown.standing) = (path, standing);
        });
    }

    /// A game begins: it takes the place of one that is over, or a new one.
    pub fn begin(&self, bout: Bout, round: String, (setup, moves): (&str, &[String])) -> LiveSeat<'_> {
        self.change(|b| {
            let game = LiveGame {
                pair: bout.pair,
                number: bout.number,
                round,
                order: bout.order(),
                setup: setup.into(),
                moves: moves.to_vec(),
                opening: moves.len(),
                since: now(),
                ..LiveGame::default()
            };
            let games = &mut b.shown.running;
            match games.iter_mut().find(|g| g.over.is_some()) {
                Some(place) => *place = game,
                None => games.push(game),
            }
        });
        LiveSeat { boards: self, bout }
    }

    /// A game is over.
    pub fn finished(&self, bout: Bout, played: &Played) {
        self.change(|b| {
            let Some(game) = b.shown.running.iter_mut().find(|g| is(g, bout)) else {
                return;
            };
            let over = LiveOver {
                points: played.points,
                reason: played.reason.clone(),
                fault: played.fault,
            };
            let result = LiveResult {
                round: game.round.clone(),
                order: game.order,
                plies: game.moves.len(),
                over: over.clone(),
            };
            game.over = Some(over);
            b.shown.last.insert(0, result);
            b.shown.last.truncate(LAST);
        });
    }

    /// How the match stands after one more game.
    pub fn stands(&self, standing: LiveStanding) {
        self.change(|b| {
            if let Some(tally) = &standing.tally {
                b.path.add(tally.pairs.iter().sum(), tally.elo, tally.llr);
            }
            b.shown.standing = standing;
        });
    }

    /// The match ends, and with it [`LiveBoards::write`].
    pub fn end(&self, end: LiveEnd) {
        self.change(|b| {
            b.shown.end = Some(end);
            // Games that were broken off have no result to wait for.
            b.shown.running.retain(|g| g.over.is_some() || end == LiveEnd::Stopped);
        });
        self.ended.notify_all();
    }

    /// Keeps the file up to date until the match ends. Where it cannot be written, one line says so, and the match goes on.
    pub fn write(&self, file: &Path) {
        if !self.on {
            return;
        }
        let (mut written, mut told) = (None::<Instant>, false);
        let mut boards = self.lock();
        loop {
            let ends = boards.shown.end.is_some();
            let due = written.is_none_or(|at| boards.changed || at.elapsed() >= REST);
            if due || ends {
                boards.changed = false;
                let text = boards.text();
                drop(boards);
                if let Err(why) = whole_file::replace(file, &text)
                    && !std::mem::replace(&mut told, true)
                {
                    eprintln!("{why:#}; the match cannot be watched");
                }
                written = Some(Instant::now());
                boards = self.lock();
            }
            if ends {
                return;
            }
            let wait = self.ended.wait_timeout_while(boards, PACE, |b| b.shown.end.is_none());
            boards = wait.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Boards {
    /// The file's text.
    fn text(&self) -> String {
        #[derive(Serialize)]
        struct Shown<'a> {
            v: u32,
            pid: u32,
            written: u64,
            spec: &'a LiveSpec,
            running: &'a [LiveGame],
            more: usize,
            last: &'a [LiveResult],
            standing: &'a LiveStanding,
            path: &'a VecDeque<PathPoint>,
            end: Option<LiveEnd>,
        }
        let LiveMatch { running, spec, .. } = &self.shown;
        let shown = &running[..running.len().min(MOST_BOARDS)];
        let whole = Shown {
            v: self.shown.v,
            pid: self.shown.pid,
            written: now(),
            spec,
            running: shown,
            more: running.len() - shown.len(),
            last: &self.shown.last,
            standing: &self.shown.standing,
            path: self.path.points(),
            end: self.shown.end,
        };
        serde_json::to_string(&whole).unwrap_or_default()
    }
}

fn is(game: &LiveGame, bout: Bout) -> bool {
    game.pair == bout.pair && game.number == bout.number && game.over.is_none()
}

/// A game's place among the boards.
pub struct LiveSeat<'a> {
    boards: &'a LiveBoards,
    bout: Bout,
}

impl LiveSeat<'_> {
    fn change(&self, act: impl FnOnce(&mut LiveGame)) {
        let bout = self.bout;
        self.boards.change(|b| {
            if let Some(game) = b.shown.running.iter_mut().find(|g| is(g, bout)) {
                act(game);
            }
        });
    }
}

impl GameWatcher for LiveSeat<'_> {
    fn thinks(&self, clocks: &Clocks) {
        self.change(|game| {
            game.clocks = [0, 1].map(|side| clocks.left(side).map(millis));
            game.since = now();
        });
    }

    fn moved(&self, side: usize, text: &str, thought: &Thought) {
        self.change(|game| {
            game.moves.push(text.into());
            let (cp, mate) = match thought.score {
                Some(EngineScore::Centipawns(cp)) => (Some(cp), None),
                Some(EngineScore::Mate(n)) => (None, Some(n)),
                None => (None, None),
            };
            game.said[side & 1] = Some(LiveSaid {
                cp,
                mate,
                depth: thought.depth,
                nodes: thought.nodes,
                ms: millis(thought.time),
            });
        });
    }
}

#[cfg(test)]
mod tests;
