//! What the rules say of a position: repetition, the fifty-move rule, material too thin to win, and how games end.

use super::keys::move_of;
use super::position::Chess;
use super::types::*;
use crate::bits::bb64::{DARK, has};
use crate::bits::rays::between;
use crate::game::{Ending, Verdict};

impl Chess {
    /// Neither side can ever mate: bare kings, or one minor piece, or a bishop each on one colour.
    pub(super) fn insufficient_material(&self) -> bool {
        let k = &self.kinds;
        if k[PAWN as usize] | k[ROOK as usize] | k[QUEEN as usize] != 0 {
            return false;
        }
        let (knights, bishops) = (k[KNIGHT as usize], k[BISHOP as usize]);
        match (knights | bishops).count_ones() {
            0 | 1 => true,
            2 => {
                knights == 0
                    && bishops & self.sides[0] != 0
                    && bishops & self.sides[1] != 0
                    && (bishops & DARK == 0 || bishops & DARK == bishops)
            }
            _ => false,
        }
    }

    /// Half-moves back within which a position may repeat, at most the history kept.
    #[inline]
    fn span(&self, at: usize) -> usize {
        let state = if at == self.past.len() {
            &self.now
        } else {
            &self.past[at]
        };
        usize::from(state.clock.min(state.since)).min(at)
    }

    /// Whether the position after `at` moves occurred before.
    fn repeated(&self, at: usize) -> bool {
        let key = if at == self.past.len() {
            self.now.key
        } else {
            self.past[at].key
        };
        (4..=self.span(at)).step_by(2).any(|i| self.past[at - i].key == key)
    }

    /// Whether any position since the last capture or pawn move occurred twice.
    pub(super) fn has_repeated(&self) -> bool {
        let at = self.past.len();
        (0..=self.span(at)).any(|back| self.repeated(at - back))
    }

    /// Earlier occurrences of this position, counted up to two.
    pub(super) fn occurrences(&self) -> usize {
        let at = self.past.len();
        (4..=self.span(at))
            .step_by(2)
            .filter(|i| self.past[at - i].key == self.now.key)
            .take(2)
            .count()
    }

    pub(super) fn verdict(&self, ply: usize) -> Verdict {
        if self.now.clock >= 100 && (self.now.checkers == 0 || self.count_legal() > 0) {
            return Verdict::Draw;
        }
        if self.insufficient_material() {
            return Verdict::Draw;
        }
        let at = self.past.len();
        let mut seen = 0;
        let mut i = 4;
        let span = self.span(at);
        while i <= span {
            if self.past[at - i].key == self.now.key {
                seen += 1;
                // Once within the tree is enough: what was possible once is possible again.
                if i < ply || seen == 2 {
                    return Verdict::Draw;
                }
            }
            i += 2;
        }
        Verdict::Open
    }

    /// Whether one move of the side to move leads back to an earlier position.
    pub(super) fn may_repeat(&self, ply: usize) -> bool {
        let at = self.past.len();
        let span = self.span(at);
        let mut i = 3;
        while i <= span {
            let difference = self.now.key ^ self.past[at - i].key;
            if let Some((a, b)) = move_of(difference)
                && between(a, b) & self.occupied() == 0
            {
                if i < ply {
                    return true;
                }
                // Before the root it must be our move, and its result must have occurred twice.
                let place = if self.board[a as usize] == NO_PIECE { b } else { a };
                if has(self.sides[self.side.index()], place) && self.repeated(at - i) {
                    return true;
                }
            }
            i += 2;
        }
        false
    }

    pub(super) fn ended(&self) -> Option<Ending> {
        let draw = |reason| {
            Some(Ending {
                verdict: Verdict::Draw,
                reason,
            })
        };
        if self.count_legal() == 0 {
            return match self.now.checkers {
                0 => draw("stalemate"),
                _ => Some(Ending {
                    verdict: Verdict::Loss,
                    reason: "checkmate",
                }),
            };
        }
        if self.insufficient_material() {
            return draw("insufficient material");
        }
        if self.now.clock >= 100 {
            return draw("fifty-move rule");
        }
        if self.occurrences() >= 2 {
            return draw("threefold repetition");
        }
        None
    }
}
