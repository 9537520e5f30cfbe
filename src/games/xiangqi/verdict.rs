//! What the rules say of a position that goes on: repetition, the natural limit, bare material.

use super::position::Xiangqi;
use crate::game::{Ending, Verdict};

impl Xiangqi {
    /// The verdict in the tree.
    #[inline]
    pub(super) fn judge(&self, ply: usize) -> Verdict {
        if self.toothless() || self.spent() {
            return if self.can_move() { Verdict::Draw } else { Verdict::Open };
        }
        if self.now.free < 4 {
            return Verdict::Open;
        }
        self.repeated(ply)
    }

    /// Whether the natural limit is reached.
    #[inline]
    fn spent(&self) -> bool {
        let limit = self.rules.natural_limit;
        limit != 0 && self.now.quiet >= 2 * limit
    }

    fn repeated(&self, ply: usize) -> Verdict {
        let n = self.keys.len();
        let mut seen = 0;
        for back in (4..=usize::from(self.now.free).min(n)).step_by(2) {
            if self.keys[n - back] == self.now.key {
                seen += 1;
                if back < ply || seen == 2 {
                    return Verdict::Draw;
                }
            }
        }
        Verdict::Open
    }

    /// The end of the game by its full rules.
    pub(super) fn ending(&self) -> Option<Ending> {
        if !self.can_move() {
            let reason = if self.now.checkers.any() {
                "checkmate"
            } else {
                "no legal move"
            };
            return Some(Ending {
                verdict: Verdict::Loss,
                reason,
            });
        }
        if self.toothless() {
            return Some(Ending {
                verdict: Verdict::Draw,
                reason: "no piece left to win with",
            });
        }
        if self.spent() {
            return Some(Ending {
                verdict: Verdict::Draw,
                reason: "natural limit",
            });
        }
        match self.repeated(0) {
            Verdict::Open => None,
            verdict => Some(Ending {
                verdict,
                reason: "repetition",
            }),
        }
    }
}
