//! One search of the go engine: when it is over, and what it answers.

use crate::control::{Bound, Choice, Info, Limits, Outlook, Report, Signal, Sink, clock};
use crate::game::Side;
use crate::games::go::score;
use crate::games::go::types::{BLACK, Colour, EMPTY, PASS, Point, colour};
use crate::games::go::{Board, Game, coords};
use crate::mcts::Analysis;
use std::sync::atomic::Ordering::{AcqRel, Relaxed};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::mind::Mind;

/// What a search decides on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// To play this point, or to pass.
    Play(Point),
    /// To give up.
    Resign,
}

/// Moves that a side must not, or may only, play in the first plies of a search.
#[derive(Clone, Debug)]
pub struct Ban {
    /// Whose moves.
    pub side: Side,
    /// The moves.
    pub moves: Vec<Point>,
    /// Plies in which it holds, from the root on; at least 1.
    pub plies: usize,
    /// Whether all other moves are meant.
    pub others: bool,
}

impl Ban {
    fn allows(&self, depth: usize, turn: Colour, p: Point) -> bool {
        depth >= self.plies || turn != colour(self.side) || self.moves.contains(&p) == self.others
    }
}

/// One search and all that decides its answer.
pub(super) struct Task {
    pub(super) game: Game,
    pub(super) limits: Limits,
    pub(super) budget: Option<clock::Budget>,
    pub(super) only: Vec<Point>,
    pub(super) never: Vec<Point>,
    pub(super) bans: Vec<Ban>,
    /// Visits of the root that end the search.
    pub(super) visits: Option<u64>,
    /// Threads that are on a descent.
    pub(super) descending: AtomicU64,
    /// Who will own each point, as playouts before the search tell; empty early in the game, and where a network judges.
    pub(super) owner: Vec<f32>,
    pub(super) cleanup: bool,
    pub(super) resign: f32,
    pub(super) sink: Sink,
    /// Set before the answer goes to the sink.
    pub(super) decision: Arc<OnceLock<Decision>>,
}

/// How surely a point must be owned to be called settled.
const SETTLED: f32 = 0.8;

impl Task {
    pub(super) fn allows(&self, depth: usize, turn: Colour, p: Point) -> bool {
        let at_root = depth > 0 || (self.only.is_empty() || self.only.contains(&p)) && !self.never.contains(&p);
        at_root && self.bans.iter().all(|ban| ban.allows(depth, turn, p))
    }

    /// Whether the root's move may be played.
    fn may(&self, p: Point) -> bool {
        self.allows(0, colour(self.game.side()), p)
    }

    /// Descents until the search has the playouts or the visits that it was given; nothing where it was given none.
    fn left(&self, mind: &Mind) -> Option<u64> {
        let playouts = self.limits.nodes.map(|most| most.saturating_sub(mind.playouts()));
        let visits = self.visits.map(|most| most.saturating_sub(mind.visits()));
        playouts.into_iter().chain(visits).min()
    }

    /// Asked before each descent of the first thread.
    pub(super) fn is_over(&self, mind: &Mind, signal: &Signal) -> bool {
        let done = mind.playouts();
        if mind.is_exhausted() {
            return true;
        }
        if signal.pondering() {
            return false;
        }
        let left = self.left(mind);
        if left == Some(0) {
            return true;
        }
        let Some(budget) = self.budget.filter(|_| !self.limits.infinite) else {
            return false;
        };
        let used = signal.elapsed();
        if used + mind.last_step(used) >= budget.hard {
            return true;
        }
        if left.is_some_and(|left| done == 0 || used + used.mul_f64(left as f64 / done as f64) <= budget.hard) {
            // The visits that were asked for end the search, not a guess that they change nothing.
            return false;
        }
        if !done.is_multiple_of(mind.stride()) {
            return false;
        }
        let [first, second] = mind.front_runners();
        if used >= budget.soft {
            // More time only where the second is close behind, or where the choice turned out worse than it seemed.
            let unsettled = second * 10 >= first * 8 || mind.is_sinking();
            return used >= budget.soft.mul_f64(2.0) || !unsettled;
        }
        // Over when the rest of the time cannot bring the second to the front.
        let rest = budget
            .hard
            .min(budget.soft.mul_f64(1.2))
            .saturating_sub(used)
            .as_secs_f64();
        let speed = done as f64 / used.as_secs_f64().max(0.001);
        used > Duration::from_millis(50) && (first - second) as f64 > speed * rest * 1.1
    }

    /// Notes whether the search ended in time.
    pub(super) fn note_lateness(&self, signal: &Signal) {
        if let Some(budget) = self.budget.filter(|_| !self.limits.infinite && !self.limits.ponder) {
            signal.note_answer(budget.hard);
        }
    }

    pub(super) fn answer(&self, mind: &Mind, signal: &Signal) {
        let analysis = mind.analysis();
        let board = self.game.board();
        let best = analysis.moves.iter().find(|m| self.may(m.mv));
        let chance = best.map_or(0.5, |m| m.value).clamp(0.0, 1.0);
        let text = |p: Point| coords::text(board, p);
        (self.sink)(Report::Info(Info {
            depth: best.map_or(0, |m| m.pv.len() as u32),
            seldepth: 0,
            multipv: 1,
            outlook: Outlook::Centipawns((best.map_or(0.0, |m| m.score) * 100.0) as i32),
            bound: Bound::Exact,
            wdl: [(chance * 1000.0) as u32, 0, 1000 - (chance * 1000.0) as u32],
            nodes: analysis.playouts,
            hashfull: mind.fullness(),
            tbhits: 0,
            time: signal.elapsed(),
            pv: best.map_or(Vec::new(), |m| m.pv.iter().map(|&p| text(p)).collect()),
        }));
        let ponder = best.and_then(|m| m.pv.get(1)).map(|&p| text(p));
        let owner = if mind.is_network() {
            &analysis.ownership
        } else {
            &self.owner
        };
        let decision = self.choose(&analysis, owner);
        // A search answers once.
        let _ = self.decision.set(decision);
        let choice = match decision {
            Decision::Play(p) => Choice::Move(text(p)),
            Decision::Resign => Choice::Resign,
        };
        (self.sink)(Report::Best {
            choice,
            ponder,
            draw: false,
        });
    }

    fn choose(&self, analysis: &Analysis, owner: &[f32]) -> Decision {
        let board = self.game.board();
        let dead = dead(&self.game, owner);
        let ends = self.game.passes() == 1 || analysis.raw.is_none();
        if self.may(PASS) && self.may_pass(owner, &dead) && (ends || passes_well(analysis)) {
            return Decision::Play(PASS);
        }
        // The tree knows the rules, but the answer is checked against the game itself.
        let side = self.game.side();
        let capture = self.cleanup && self.must_capture(&dead);
        let fit = |p: Point| self.may(p) && self.game.is_legal(p, side) && !(capture && p == PASS);
        let Some(best) = analysis.moves.iter().find(|m| fit(m.mv)) else {
            return Decision::Play(PASS);
        };
        let late = self.game.moves().len() > board.area() / 4;
        // Half a point may still be won back.
        let far = best.score < -1.0 - 0.02 * board.area() as f32;
        let sure = if analysis.raw.is_some() {
            far && analysis.visits >= 16
        } else {
            best.visits > 500 || (far && analysis.visits >= 100)
        };
        if late && sure && best.value < self.resign && analysis.value < self.resign * 1.5 {
            return Decision::Resign;
        }
        Decision::Play(best.mv)
    }

    /// Whether dead stones of the opponent's are still to be taken.
    fn must_capture(&self, dead: &[Point]) -> bool {
        let mine = colour(self.game.side());
        dead.iter().any(|&p| self.game.board().colour(p) != mine)
    }

    /// Whether to pass at once: the opponent has passed and the count wins, or nothing is left to gain.
    fn may_pass(&self, owner: &[f32], dead: &[Point]) -> bool {
        let board = self.game.board();
        if self.cleanup && !dead.is_empty() {
            return false;
        }
        let black = colour(self.game.side()) == BLACK;
        let lead = self.game.score(dead);
        let wins = if black { lead > 0.0 } else { lead < 0.0 };
        if !wins {
            return false;
        }
        if self.game.passes() == 1 {
            return true;
        }
        let territory = score::territory(&board.without(dead));
        // Every point has its owner by count and by playouts or network alike.
        board.points().all(|p| {
            let owner = owner.get(board.index(p)).copied().unwrap_or(0.0);
            let counted = board.colour(p) != EMPTY || territory.get(p as usize).is_some_and(|&c| c != EMPTY);
            counted && owner.abs() >= SETTLED
        })
    }
}

/// A thread's part in the descents of a search, so that all threads together stop at the number that was given.
pub(super) struct Ticket<'a> {
    task: &'a Task,
    held: AtomicBool,
}

impl<'a> Ticket<'a> {
    pub(super) fn new(task: &'a Task) -> Self {
        let held = AtomicBool::new(false);
        Self { task, held }
    }

    /// The descent, if there was one, is over and counted.
    pub(super) fn give_back(&self) {
        if self.held.swap(false, Relaxed) {
            // Whoever sees the descent gone also sees its visit.
            self.task.descending.fetch_sub(1, AcqRel);
        }
    }

    /// Takes part in a descent; false where those that run already are enough.
    pub(super) fn take(&self, mind: &Mind, signal: &Signal) -> bool {
        let others = self.task.descending.fetch_add(1, AcqRel);
        self.held.store(true, Relaxed);
        if signal.pondering() || self.task.left(mind).is_none_or(|left| left > others) {
            return true;
        }
        self.give_back();
        false
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// Whether the pass was looked at and costs nothing: what a network takes for settled may need an answer first.
fn passes_well(analysis: &Analysis) -> bool {
    let pass = analysis.moves.iter().find(|m| m.mv == PASS && m.visits >= 2);
    let best = analysis.moves.first();
    pass.zip(best)
        .is_some_and(|(pass, best)| pass.value >= best.value - 0.02 && pass.score >= best.score - 0.6)
}

/// Early on nothing is settled and nobody passes.
pub(super) fn late(board: &Board) -> bool {
    board.empties().len() * 3 < board.area() * 2
}

/// The stones that both sides will agree are dead; none before much is settled.
pub(super) fn dead(game: &Game, owner: &[f32]) -> Vec<Point> {
    if owner.is_empty() || !late(game.board()) {
        return Vec::new();
    }
    score::to_remove(game.board(), game.rules(), owner)
}
