//! Mate in one move.

use super::position::{Shogi, attacks};
use super::types::{BOARD, SMove};
use crate::bits::Bb128;
use crate::game::{Moves, Scored};

impl Shogi {
    /// Whether a legal move that checks mates.
    #[inline]
    pub fn mates(&self, m: SMove) -> bool {
        let mut after = self.board;
        after.make(m);
        !after.has_evasion(after.checkers(after.side))
    }

    /// A move that mates at once, if there is one. `moves` is scratch space and is left as it was.
    pub(super) fn win_in_one(&self, moves: &mut Moves<SMove>) -> Option<SMove> {
        let mark = moves.len();
        self.generate_checks(moves);
        let found = self.first_mate(moves.since(mark));
        moves.truncate(mark);
        found
    }

    fn first_mate(&self, checks: &[Scored<SMove>]) -> Option<SMove> {
        if checks.is_empty() {
            return None;
        }
        let mut board = self.board;
        let (us, them) = (board.side, board.side.other());
        let target = board.king(them);
        let escapes = board.king_steps(them, BOARD);
        let without_king = board.occupied().without(Bb128::of(target));
        checks.iter().map(|s| s.mv).find(|&m| {
            // A drop takes no point from its side's other pieces to attack but may block: what it leaves stays free.
            if let Some(kind) = m.dropped()
                && escapes.without(attacks(us, kind, m.to(), without_king)).any()
            {
                return false;
            }
            let taken = board.make(m);
            let mates = !board.has_evasion(board.checkers(them));
            board.unmake(m, taken);
            mates
        })
    }
}
