//! The verdict on a position by the rules: repetition, the natural limit, insufficient material.

use super::position::Xiangqi;
use super::types::Repetition;
use crate::game::{Ending, Verdict};

impl Xiangqi {
    /// The verdict in the tree.
    #[inline]
    pub(super) fn verdict(&self, ply: usize) -> Verdict {
        if self.insufficient_material() || self.natural_limit_reached() {
            return if self.can_move() { Verdict::Draw } else { Verdict::Open };
        }
        match self.repeated(ply) {
            0 => Verdict::Open,
            back => self.cycle_verdict(back),
        }
    }

    /// Whether the natural limit is reached.
    #[inline]
    fn natural_limit_reached(&self) -> bool {
        let limit = self.rules.natural_limit;
        limit != 0 && self.now.quiet >= 2 * limit
    }

    #[cold]
    fn cycle_verdict(&self, back: usize) -> Verdict {
        let code = self.rules.repetition;
        if code == Repetition::None {
            return Verdict::Draw;
        }
        let cycle_attacks = self.cycle_attacks(back);
        let (us, them) = (
            cycle_attacks[self.board.side.index()],
            cycle_attacks[self.board.side.other().index()],
        );
        let loser = |violates: bool, other: bool| match (violates, other) {
            (true, false) => Verdict::Loss,
            (false, true) => Verdict::Win,
            _ => Verdict::Draw,
        };
        match code {
            Repetition::None => Verdict::Draw,
            Repetition::Vipgame => loser(us.attacks, them.attacks),
            _ if us.checks || them.checks => loser(us.checks, them.checks),
            Repetition::Chinese => loser(us.attacks, them.attacks),
            Repetition::Asian | Repetition::Computer => loser(us.chased != 0, them.chased != 0),
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
        if self.insufficient_material() {
            return Some(Ending {
                verdict: Verdict::Draw,
                reason: "no piece left to win with",
            });
        }
        if self.natural_limit_reached() {
            return Some(Ending {
                verdict: Verdict::Draw,
                reason: "natural limit",
            });
        }
        let back = self.repeated(0);
        if back == 0 {
            return None;
        }
        let verdict = self.cycle_verdict(back);
        let reason = match verdict {
            Verdict::Draw => "repetition",
            _ if self.cycle_attacks(back).iter().any(|d| d.checks) => "perpetual check",
            _ if matches!(self.rules.repetition, Repetition::Asian | Repetition::Computer) => "perpetual chase",
            _ => "perpetual attack",
        };
        Some(Ending { verdict, reason })
    }
}
