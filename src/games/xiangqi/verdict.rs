//! What the rules say of a position that goes on: repetition, the natural limit, bare material.

use super::position::Xiangqi;
use super::types::Repetition;
use crate::game::{Ending, Verdict};

impl Xiangqi {
    /// The verdict in the tree.
    #[inline]
    pub(super) fn verdict(&self, ply: usize) -> Verdict {
        if self.toothless() || self.spent() {
            return if self.can_move() { Verdict::Draw } else { Verdict::Open };
        }
        match self.repeated(ply) {
            0 => Verdict::Open,
            back => self.judge_cycle(back),
        }
    }

    /// Whether the natural limit is reached.
    #[inline]
    fn spent(&self) -> bool {
        let limit = self.rules.natural_limit;
        limit != 0 && self.now.quiet >= 2 * limit
    }

    #[cold]
    fn judge_cycle(&self, back: usize) -> Verdict {
        let code = self.rules.repetition;
        if code == Repetition::None {
            return Verdict::Draw;
        }
        let deeds = self.deeds(back);
        let (us, them) = (deeds[self.board.side.index()], deeds[self.board.side.other().index()]);
        let blame = |guilty: bool, other: bool| match (guilty, other) {
            (true, false) => Verdict::Loss,
            (false, true) => Verdict::Win,
            _ => Verdict::Draw,
        };
        match code {
            Repetition::None => Verdict::Draw,
            Repetition::Vipgame => blame(us.presses, them.presses),
            _ if us.checks || them.checks => blame(us.checks, them.checks),
            Repetition::Chinese => blame(us.presses, them.presses),
            Repetition::Asian | Repetition::Computer => blame(us.chased != 0, them.chased != 0),
        }
    }

    /// The end of the game by its full rules.
    pub(super) fn ended(&self) -> Option<Ending> {
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
        let back = self.repeated(0);
        if back == 0 {
            return None;
        }
        let verdict = self.judge_cycle(back);
        let reason = match verdict {
            Verdict::Draw => "repetition",
            _ if self.deeds(back).iter().any(|d| d.checks) => "perpetual check",
            _ if matches!(self.rules.repetition, Repetition::Asian | Repetition::Computer) => "perpetual chase",
            _ => "perpetual attack",
        };
        Some(Ending { verdict, reason })
    }
}
