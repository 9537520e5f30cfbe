//! What the rules say of a position that goes on: repetition, entering kings, the longest game.

use super::position::Shogi;
use crate::game::{Ending, Position, Verdict};

/// How far the search looks back for repetitions; longer ones are left to the referee.
const WINDOW: usize = 128;

impl Shogi {
    /// The verdict in the tree.
    #[inline]
    pub(super) fn verdict(&self, ply: usize) -> Verdict {
        if self.now.free >= 4 {
            let verdict = self.repeated(ply);
            if verdict != Verdict::Open {
                return verdict;
            }
        }
        if self.may_claim() {
            return Verdict::Win;
        }
        if self.tried() {
            return Verdict::Loss;
        }
        // Mate with the last move counts.
        if self.spent() && (!self.in_check() || self.can_move()) {
            return Verdict::Draw;
        }
        Verdict::Open
    }

    /// Whether the game has reached its longest length.
    #[inline]
    fn spent(&self) -> bool {
        self.rules.max_moves != 0 && self.game_ply() >= self.rules.max_moves as usize
    }

    /// Repetition, once within the tree or four times in the game.
    fn repeated(&self, ply: usize) -> Verdict {
        let n = self.keys.len();
        let reach = (self.now.free as usize).min(n).min(WINDOW);
        let mut seen = 1;
        for back in (4..=reach).step_by(2) {
            if self.keys[n - back] != self.board_key {
                continue;
            }
            let then = self.past[n - back].hand;
            if then == self.now.hand {
                seen += 1;
                if back < ply || seen == 4 {
                    return self.cycle_verdict(back);
                }
            } else if back < ply {
                if self.now.hand.covers(then) {
                    return Verdict::Better;
                }
                if then.covers(self.now.hand) {
                    return Verdict::Worse;
                }
            }
        }
        Verdict::Open
    }

    /// A cycle of `length` half-moves has closed: all checks of one side lose, anything else is a draw.
    fn cycle_verdict(&self, length: usize) -> Verdict {
        let us = self.board.side;
        let all_checks = |side: crate::game::Side| 2 * self.now.checks[side.index()] as usize >= length;
        if all_checks(us.other()) {
            Verdict::Win
        } else if all_checks(us) {
            Verdict::Loss
        } else {
            Verdict::Draw
        }
    }

    /// Occurrences of this position in the game, and half-moves since the first of the last four.
    pub fn occurrences(&self) -> (u32, usize) {
        let n = self.keys.len();
        let (mut seen, mut length) = (1, 0);
        for back in (2..=(self.now.free as usize).min(n)).step_by(2) {
            if self.keys[n - back] == self.board_key && self.past[n - back].hand == self.now.hand {
                seen += 1;
                if seen <= 4 {
                    length = back;
                }
            }
        }
        (seen, length)
    }

    /// The end of the game by its full rules.
    pub(super) fn ended(&self) -> Option<Ending> {
        let end = |verdict, reason| Some(Ending { verdict, reason });
        if !self.can_move() {
            let reason = if self.in_check() { "checkmate" } else { "no legal move" };
            return end(Verdict::Loss, reason);
        }
        let (seen, length) = self.occurrences();
        if seen >= 4 {
            return match self.cycle_verdict(length) {
                Verdict::Draw => end(Verdict::Draw, "fourfold repetition"),
                verdict => end(verdict, "perpetual check"),
            };
        }
        if self.tried() {
            return end(Verdict::Loss, "try");
        }
        if self.may_claim() {
            return end(Verdict::Win, "declaration");
        }
        if self.spent() {
            return end(Verdict::Draw, "move limit");
        }
        None
    }
}
