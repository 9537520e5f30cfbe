//! Mate in one move.

use super::position::Shogi;
use super::types::SMove;
use crate::game::Moves;

impl Shogi {
    /// Appends the legal moves that check.
    pub fn generate_checks(&self, out: &mut Moves<SMove>) {
        self.list_checks(out);
    }

    /// Whether a legal move that checks mates.
    #[inline]
    pub fn mates(&self, m: SMove) -> bool {
        let mut after = self.board;
        after.make(m);
        !after.has_evasion(after.checkers(after.side))
    }

    /// A move that mates at once, if there is one. `moves` is borrowed room and comes back as it was.
    pub fn mate_in_one(&self, moves: &mut Moves<SMove>) -> Option<SMove> {
        let mark = moves.len();
        self.list_checks(moves);
        let found = moves.since(mark).iter().map(|s| s.mv).find(|&m| self.mates(m));
        moves.truncate(mark);
        found
    }
}
