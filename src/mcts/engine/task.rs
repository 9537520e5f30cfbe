//! One search of the go engine: when it is over, and what it answers.

use super::pace::{self, Standing};
use super::strength::RankedPlay;
use crate::control::{Bound, Choice, Info, Limits, Outlook, Report, Signal, Sink, clock};
use crate::game::Side;
use crate::games::go::score;
use crate::games::go::types::{BLACK, Colour, EMPTY, PASS, Point, colour};
use crate::games::go::{Board, Game, coords};
use crate::mcts::choice::Rank;
use crate::mcts::evaluator::LeafEvaluator;
use crate::mcts::{Analysis, Search};
use std::sync::atomic::Ordering::{AcqRel, Relaxed};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

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
    /// Playouts under way, over all threads.
    pub(super) in_flight: AtomicU64,
    pub(super) cleanup: bool,
    pub(super) resign: f32,
    /// How the move is chosen at a rank; none at full strength.
    pub(super) rank: Option<RankedPlay>,
    /// How long it waits with that move.
    pub(super) pace: Duration,
    pub(super) sink: Sink,
    /// Set before the answer goes to the sink.
    pub(super) decision: Arc<OnceLock<Decision>>,
}

/// Ownership from which a point is settled.
const SETTLED: f32 = 0.8;
/// Visits that end an endless search: nothing more is learned.
pub(super) const MOST_VISITS: u64 = 20_000_000;
/// Visits between two checks of the ranks of moves.
const CHECK_INTERVAL: u64 = 4;

impl Task {
    pub(super) fn allows(&self, depth: usize, turn: Colour, p: Point) -> bool {
        let at_root = depth > 0 || (self.only.is_empty() || self.only.contains(&p)) && !self.never.contains(&p);
        at_root && self.bans.iter().all(|ban| ban.allows(depth, turn, p))
    }

    /// Whether the root's move may be played.
    pub(super) fn may(&self, p: Point) -> bool {
        self.allows(0, colour(self.game.side()), p)
    }

    /// One thread's part of the search; the first thread decides when it is enough.
    pub(super) fn run(&self, first: bool, evaluator: &mut dyn LeafEvaluator, search: &Search, signal: &Signal) {
        let ticket = Ticket::new(self);
        let asked = AtomicU32::new(0);
        let stop = || {
            ticket.give_back();
            // Asked before each playout, so once more than there were.
            let own = asked.fetch_add(1, Relaxed);
            loop {
                let over = if first {
                    self.is_over(search, signal, own)
                } else {
                    // Where there are many, the first one may not get the processor before the time is up.
                    search.playouts() >= MOST_VISITS || self.is_out_of_time(search, signal, own)
                };
                if signal.stopped() || over {
                    return true;
                }
                if ticket.take(search, signal) {
                    return false;
                }
                if !first {
                    return true;
                }
                // The last playouts are under way; one of them may yet be blocked and have to be made again.
                std::thread::yield_now();
            }
        };
        let allowed = |depth: usize, turn: Colour, p: Point| self.allows(depth, turn, p);
        search.run(evaluator, &allowed, &stop);
        drop(ticket);
        if let Some(rank) = self.rank.as_ref().filter(|_| first) {
            rank.draw(self, evaluator, search, signal);
        }
    }

    /// Visits until the search has the playouts or the visits of its limits; nothing where there are no such limits.
    fn left(&self, search: &Search) -> Option<u64> {
        let playouts = self.limits.nodes.map(|most| most.saturating_sub(search.playouts()));
        let visits = self.visits.map(|most| most.saturating_sub(search.visits().into()));
        playouts.into_iter().chain(visits).min()
    }

    /// Whether one more playout may pass the move's maximum time, by a thread that has made `own` of them.
    fn is_out_of_time(&self, search: &Search, signal: &Signal, own: u32) -> bool {
        let budget = self.budget.filter(|_| !self.limits.infinite && !signal.pondering());
        budget.is_some_and(|budget| {
            let used = signal.elapsed();
            // What a full tree has no time to make space for is not searched.
            pace::at_limit(&budget, used, own) || search.is_full() && used + search.space_making_time() >= budget.hard
        })
    }

    /// Whether the search is over; asked before each playout of the first thread, which has made `own` of them.
    fn is_over(&self, search: &Search, signal: &Signal, own: u32) -> bool {
        let done = search.playouts();
        if done >= MOST_VISITS {
            return true;
        }
        if signal.pondering() {
            return false;
        }
        let left = self.left(search);
        if left == Some(0) {
            return true;
        }
        let Some(budget) = self.budget.filter(|_| !self.limits.infinite) else {
            return false;
        };
        if self.is_out_of_time(search, signal, own) {
            return true;
        }
        let used = signal.elapsed();
        if left.is_some_and(|left| done == 0 || used + used.mul_f64(left as f64 / done as f64) <= budget.hard) {
            // A limit of visits that fits the time ends the search by itself.
            return false;
        }
        if !done.is_multiple_of(CHECK_INTERVAL) {
            return false;
        }
        let ranks = search.ranks(|_| true);
        let standing = Standing {
            first: ranks.first().map_or(0, |r| r.visits),
            second: ranks.iter().skip(1).map(|r| r.visits).max().unwrap_or(0),
            has_dropped: has_dropped(search, ranks.first()),
        };
        pace::is_enough(&budget, used, done, &standing)
    }

    /// Notes whether the search ended in time.
    pub(super) fn note_lateness(&self, signal: &Signal) {
        if let Some(budget) = self.budget.filter(|_| !self.limits.infinite && !self.limits.ponder) {
            signal.note_answer(budget.hard);
        }
    }

    pub(super) fn answer(&self, search: &Search, signal: &Signal) {
        let analysis = search.analysis();
        let board = self.game.board();
        let drawn = self.rank.as_ref().and_then(RankedPlay::chosen);
        let best = analysis
            .moves
            .iter()
            .find(|m| drawn.map_or_else(|| self.may(m.mv), |mv| m.mv == mv));
        // A search that visited several moves thinks too well of the one that came out best: the mean of all its visits does
        // not. Where only some moves may be played, or a rank has drawn one, it is the value of that move that counts.
        let free = drawn.is_none() && self.only.is_empty() && self.never.is_empty();
        let chance = match best {
            Some(_) if free => analysis.value,
            Some(m) => m.value,
            None => 0.5,
        };
        let text = |p: Point| coords::text(board, p);
        (self.sink)(Report::Info(Info {
            depth: best.map_or(0, |m| m.pv.len() as u32),
            seldepth: 0,
            multipv: 1,
            outlook: Outlook::Centipawns((best.map_or(0.0, |m| m.score) * 100.0) as i32),
            bound: Bound::Exact,
            wdl: crate::mcts::wdl(chance),
            nodes: analysis.playouts,
            hashfull: search.fullness(),
            tbhits: 0,
            time: signal.elapsed(),
            pv: best.map_or(Vec::new(), |m| m.pv.iter().map(|&p| text(p)).collect()),
        }));
        let ponder = best.and_then(|m| m.pv.get(1)).map(|&p| text(p));
        let decision = self.choose(&analysis);
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

    fn choose(&self, analysis: &Analysis) -> Decision {
        let board = self.game.board();
        let dead = dead(&self.game, &analysis.ownership);
        let answers = self.game.passes() == 1;
        if self.may(PASS) && self.may_pass(&analysis.ownership, &dead) && (answers || passes_well(analysis)) {
            return Decision::Play(PASS);
        }
        // Checked against the game itself, although the tree has legal moves alone.
        let side = self.game.side();
        let capture = self.cleanup && self.must_capture(&dead);
        let fit = |p: Point| self.may(p) && self.game.is_legal(p, side) && !(capture && p == PASS);
        let Some(best) = analysis.moves.iter().find(|m| fit(m.mv)) else {
            return Decision::Play(PASS);
        };
        let late = self.game.moves().len() > board.area() / 4;
        // Half a point may still be won back.
        let far = best.score < -1.0 - 0.02 * board.area() as f32;
        let sure = far && analysis.visits >= 16;
        if late && sure && best.value < self.resign && analysis.value < self.resign * 1.5 {
            return Decision::Resign;
        }
        let drawn = self.rank.as_ref().and_then(RankedPlay::chosen).filter(|&mv| fit(mv));
        Decision::Play(drawn.unwrap_or(best.mv))
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
        // Every point has an owner, by the count and by the search alike.
        board.points().all(|p| {
            let owner = owner.get(board.index(p)).copied().unwrap_or(0.0);
            let counted = board.colour(p) != EMPTY || territory.get(p as usize).is_some_and(|&c| c != EMPTY);
            counted && owner.abs() >= SETTLED
        })
    }
}

/// A thread's share of the playouts, so that all threads together stop at the limit of visits.
pub(super) struct Ticket<'a> {
    task: &'a Task,
    held: AtomicBool,
}

impl<'a> Ticket<'a> {
    pub(super) fn new(task: &'a Task) -> Self {
        let held = AtomicBool::new(false);
        Self { task, held }
    }

    /// The playout, if there was one, is over and counted.
    pub(super) fn give_back(&self) {
        if self.held.swap(false, Relaxed) {
            // A thread that sees the playout gone also sees its visit.
            self.task.in_flight.fetch_sub(1, AcqRel);
        }
    }

    /// Takes a playout; false where those under way are enough.
    pub(super) fn take(&self, search: &Search, signal: &Signal) -> bool {
        let others = self.task.in_flight.fetch_add(1, AcqRel);
        self.held.store(true, Relaxed);
        if signal.pondering() || self.task.left(search).is_none_or(|left| left > others) {
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

/// Whether the best move's value is clearly below the root's own evaluation: time to look for another.
fn has_dropped(search: &Search, best: Option<&Rank>) -> bool {
    let Some(evaluation) = search.root_evaluation() else {
        return false;
    };
    let black = search.state().turn == BLACK;
    let expected = if black { evaluation.win } else { 1.0 - evaluation.win };
    best.is_some_and(|r| r.visits > 0 && r.mean.win < expected - 0.05)
}

/// Whether the pass was searched and costs nothing: what looks settled may need an answer first.
fn passes_well(analysis: &Analysis) -> bool {
    let pass = analysis.moves.iter().find(|m| m.mv == PASS && m.visits >= 2);
    let best = analysis.moves.first();
    pass.zip(best)
        .is_some_and(|(pass, best)| pass.value >= best.value - 0.02 && pass.score >= best.score - 0.6)
}

/// Whether so much of the board is filled that points can be settled.
fn late(board: &Board) -> bool {
    board.empties().len() * 3 < board.area() * 2
}

/// The stones that both sides will agree are dead; none before much is settled.
fn dead(game: &Game, owner: &[f32]) -> Vec<Point> {
    if owner.is_empty() || !late(game.board()) {
        return Vec::new();
    }
    score::to_remove(game.board(), game.rules(), owner)
}
