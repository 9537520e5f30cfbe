//! Static exchange evaluation: who wins the captures on one square.

use super::material::VALUE;
use super::position::Chess;
use super::types::*;
use crate::bits::bb64::{Bb, bit, has, low, squares};
use crate::bits::rays::line;
use crate::bits::sliders::{bishop, rook};
use crate::game::Score;

impl Chess {
    /// What a legal move wins at once.
    pub(super) fn gain(&self, m: ChessMove) -> Score {
        let victim = self.victim(m);
        let captured = if victim == NO_PIECE {
            0
        } else {
            VALUE[kind(victim) as usize]
        };
        captured
            + if m.is_promotion() {
                VALUE[m.promoted() as usize] - VALUE[PAWN as usize]
            } else {
                0
            }
    }

    /// The pieces of `side` that may not capture on `target`, being pinned on another line.
    fn tied(&self, side: usize, target: Square) -> Bb {
        let pinned = if side == self.side.index() {
            self.now.pinned
        } else {
            self.lines_to_king(side).1
        };
        let king = low(self.sides[side] & self.kinds[KING as usize]);
        squares(pinned)
            .filter(|&s| !has(line(king, s), target))
            .fold(0, |all, s| all | bit(s))
    }

    /// Whether the exchanges that a legal move starts win at least `floor`. The balance is kept as "what we are still
    /// ahead if the last capturer is lost": each side goes on only while that changes who is right.
    pub(super) fn see_ge(&self, m: ChessMove, floor: Score) -> bool {
        if m.is_castle() {
            return floor <= 0;
        }
        let us = self.side.index();
        let (from, to) = (m.from(), m.to());
        let mut balance = self.gain(m) - floor;
        if balance < 0 {
            return false;
        }
        let arrived = if m.is_promotion() {
            m.promoted()
        } else {
            kind(self.board[from as usize])
        };
        balance -= VALUE[arrived as usize];
        if balance >= 0 {
            return true;
        }
        let mut occupied = self.occupied() ^ bit(from) | bit(to);
        if m.is_en_passant() {
            occupied ^= bit(to ^ 8);
        }
        let k = &self.kinds;
        let straight = k[ROOK as usize] | k[QUEEN as usize];
        let slanted = k[BISHOP as usize] | k[QUEEN as usize];
        let mut attackers = self.attackers(to, occupied) & occupied & !bit(to);
        if attackers & self.sides[us ^ 1] == 0 {
            return true;
        }
        let mut free = [!0; 2];
        for (side, free) in free.iter_mut().enumerate() {
            if attackers & self.sides[side] != 0 {
                *free = !self.tied(side, to);
            }
        }
        let mut side = us ^ 1;
        loop {
            attackers &= occupied;
            let own = attackers & self.sides[side] & free[side];
            if own == 0 {
                break;
            }
            let Some(least) = (PAWN..=KING).find(|&p| own & k[p as usize] != 0) else {
                break;
            };
            if least == KING && attackers & self.sides[side ^ 1] != 0 {
                // The king cannot take a guarded piece.
                break;
            }
            let s = low(own & k[least as usize]);
            occupied ^= bit(s);
            side ^= 1;
            balance = -balance - 1 - VALUE[least as usize];
            if balance >= 0 {
                break;
            }
            // Pieces behind the one that captured join in.
            if matches!(least, PAWN | BISHOP | QUEEN) {
                attackers |= bishop(to, occupied) & slanted;
            }
            if matches!(least, ROOK | QUEEN) {
                attackers |= rook(to, occupied) & straight;
            }
        }
        side != us
    }
}
