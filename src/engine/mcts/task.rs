//! One search of the go engine: when it is over, and what it answers.

use crate::control::{Bound, Choice, Info, Limits, Outlook, Report, Signal, Sink, clock};
use crate::games::go::score;
use crate::games::go::types::{BLACK, EMPTY, PASS, Point, colour};
use crate::games::go::{Game, coords};
use crate::mcts::{Analysis, Search};
use std::time::Duration;

/// Descents that end an endless search by themselves: nothing more is learned, and the machine rests.
pub(super) const ENOUGH: u64 = 20_000_000;
/// One search and all that decides its answer.
pub(super) struct Task {
    pub(super) game: Game,
    pub(super) limits: Limits,
    pub(super) budget: Option<clock::Budget>,
    pub(super) only: Vec<Point>,
    pub(super) never: Vec<Point>,
    pub(super) dead: Vec<Point>,
    /// Who will own each point, as playouts before the search tell; empty early in the game.
    pub(super) owner: Vec<f32>,
    pub(super) cleanup: bool,
    pub(super) resign: f32,
    pub(super) sink: Sink,
}

/// How surely a point must be owned to be called settled.
const SETTLED: f32 = 0.8;

impl Task {
    pub(super) fn allows(&self, p: Point) -> bool {
        (self.only.is_empty() || self.only.contains(&p)) && !self.never.contains(&p)
    }

    /// Asked before each descent of the first thread.
    pub(super) fn is_over(&self, search: &Search, signal: &Signal) -> bool {
        let done = search.playouts();
        if done >= ENOUGH {
            return true;
        }
        if signal.pondering() || self.limits.infinite {
            return false;
        }
        if self.limits.nodes.is_some_and(|most| done >= most) {
            return true;
        }
        let Some(budget) = self.budget else { return false };
        let used = signal.elapsed();
        if used >= budget.hard {
            return true;
        }
        if !done.is_multiple_of(32) {
            return false;
        }
        let [first, second] = search.front_runners();
        if used >= budget.soft {
            // More time only where the second is close behind.
            return used >= budget.soft.mul_f64(2.0) || second * 10 < first * 8;
        }
        // Over when the rest of the time cannot bring the second to the front.
        let rest = budget
            .hard
            .min(budget.soft.mul_f64(1.2))
            .saturating_sub(used)
            .as_secs_f64();
        let speed = done as f64 / used.as_secs_f64().max(0.001);
        used > Duration::from_millis(50) && f64::from(first - second) > speed * rest * 1.1
    }

    pub(super) fn answer(&self, search: &Search, signal: &Signal) {
        let analysis = search.analysis();
        let board = self.game.board();
        let best = analysis.moves.iter().find(|m| self.allows(m.mv));
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
            hashfull: search.fullness(),
            tbhits: 0,
            time: signal.elapsed(),
            pv: best.map_or(Vec::new(), |m| m.pv.iter().map(|&p| text(p)).collect()),
        }));
        let ponder = best.and_then(|m| m.pv.get(1)).map(|&p| text(p));
        let choice = self.choose(&analysis);
        (self.sink)(Report::Best {
            choice,
            ponder,
            draw: false,
        });
    }

    fn choose(&self, analysis: &Analysis) -> Choice {
        let board = self.game.board();
        if self.allows(PASS) && self.may_pass() {
            return Choice::Move("pass".into());
        }
        // The tree knows the rules, but the answer is checked against the game itself.
        let side = self.game.side();
        let best = analysis
            .moves
            .iter()
            .find(|m| self.allows(m.mv) && self.game.is_legal(m.mv, side));
        let Some(best) = best else {
            return Choice::Move("pass".into());
        };
        let late = self.game.moves().len() > board.area() / 4;
        if late && best.visits > 500 && best.value < self.resign && analysis.value < self.resign * 1.5 {
            return Choice::Resign;
        }
        Choice::Move(coords::text(board, best.mv))
    }

    /// Whether to pass at once: the opponent has passed and the count wins, or nothing is left to gain.
    fn may_pass(&self) -> bool {
        let board = self.game.board();
        if self.cleanup && !self.dead.is_empty() {
            return false;
        }
        let black = colour(self.game.side()) == BLACK;
        let lead = self.game.score(&self.dead);
        let wins = if black { lead > 0.0 } else { lead < 0.0 };
        if !wins {
            return false;
        }
        if self.game.passes() == 1 {
            return true;
        }
        let territory = score::territory(&board.without(&self.dead));
        // Every point has its owner by count and by playouts alike.
        board.points().all(|p| {
            let owner = self.owner.get(board.index(p)).copied().unwrap_or(0.0);
            let counted = board.colour(p) != EMPTY || territory.get(p as usize).is_some_and(|&c| c != EMPTY);
            counted && owner.abs() >= SETTLED
        })
    }
}
