//! What single moves are: legal, checking, tactical; and how games end.

use super::keys::move_of;
use super::position::{Chess, castled};
use super::types::*;
use crate::bits::bb64::{self, DARK, bit, has, low, rank, several};
use crate::bits::rays::{between, line};
use crate::bits::sliders::{bishop, queen, rook};
use crate::game::{Ending, Move, Verdict};

impl Chess {
    /// Whether any 16 bits are a legal move here.
    pub(super) fn is_legal(&self, m: ChessMove) -> bool {
        let us = self.side.index();
        let (from, to) = (m.from(), m.to());
        let own = self.sides[us];
        if !has(own, from) {
            return false;
        }
        let mover = kind(self.board[from as usize]);
        if m.is_castle() {
            let wing = us * 2 + usize::from(to < from);
            return mover == KING
                && self.now.checkers == 0
                && self.wings[wing].rook == to
                && self.wings[wing].king == from
                && self.may_castle(wing);
        }
        if has(own, to) {
            return false;
        }
        if m.is_en_passant() {
            return mover == PAWN
                && to == self.now.en_passant
                && has(bb64::PAWN[us][from as usize], to)
                && self.en_passant_is_legal(us, from, to);
        }
        let last = has(rank(0) | rank(7), to);
        if m.is_promotion() {
            if mover != PAWN || !last {
                return false;
            }
        } else if m.flag() != 0 || (mover == PAWN && last) {
            return false;
        }
        let occupied = self.occupied();
        let reach = match mover {
            PAWN => {
                let forward = |s: Square| if us == 0 { s.wrapping_add(8) } else { s.wrapping_sub(8) };
                let one = forward(from);
                let two = forward(one);
                let start = if us == 0 { 1 } else { 6 };
                to == one && !has(occupied, to)
                    || to == two && from / 8 == start && !has(occupied, one) && !has(occupied, two)
                    || has(bb64::PAWN[us][from as usize] & self.sides[us ^ 1], to)
            }
            KNIGHT => has(bb64::KNIGHT[from as usize], to),
            BISHOP => has(bishop(from, occupied), to),
            ROOK => has(rook(from, occupied), to),
            QUEEN => has(queen(from, occupied), to),
            _ => has(bb64::KING[from as usize], to),
        };
        if !reach {
            return false;
        }
        if mover == KING {
            return !self.attacked(to, us ^ 1, occupied ^ bit(from));
        }
        let king = low(own & self.kinds[KING as usize]);
        let checkers = self.now.checkers;
        if checkers != 0 && (several(checkers) || !has(between(king, low(checkers)) | checkers, to)) {
            return false;
        }
        !has(self.now.pinned, from) || has(line(king, from), to)
    }

    /// Whether a legal move checks.
    pub(super) fn gives_check(&self, m: ChessMove) -> bool {
        let us = self.side.index();
        let (from, to) = (m.from(), m.to());
        let king = low(self.sides[us ^ 1] & self.kinds[KING as usize]);
        let mut occupied = self.occupied();
        if m.is_castle() {
            let (king_to, rook_to) = castled(us * 2 + usize::from(to < from));
            occupied = (occupied ^ bit(from) ^ bit(to)) | bit(king_to) | bit(rook_to);
            let (straight, slanted) = self.sliders(us);
            return has(rook(king, occupied), rook_to)
                || rook(king, occupied) & straight & !bit(to) != 0
                || bishop(king, occupied) & slanted != 0;
        }
        occupied = (occupied ^ bit(from)) | bit(to);
        if m.is_en_passant() {
            occupied ^= bit(to ^ 8);
        }
        let arrived = if m.is_promotion() {
            m.promoted()
        } else {
            kind(self.board[from as usize])
        };
        let direct = match arrived {
            PAWN => has(bb64::PAWN[us][to as usize], king),
            KNIGHT => has(bb64::KNIGHT[to as usize], king),
            BISHOP => has(bishop(to, occupied), king),
            ROOK => has(rook(to, occupied), king),
            QUEEN => has(queen(to, occupied), king),
            _ => false,
        };
        if direct {
            return true;
        }
        // A line from the king may open where the piece came from, and in en passant where the victim stood.
        if line(king, from) == 0 && !m.is_en_passant() {
            return false;
        }
        let (straight, slanted) = self.sliders(us);
        let others = !bit(from);
        (rook(king, occupied) & straight | bishop(king, occupied) & slanted) & others & !bit(to) != 0
    }

    /// Whether a legal move is a capture or promotes to a queen.
    #[inline]
    pub(super) fn is_tactical(&self, m: ChessMove) -> bool {
        match m.flag() {
            0 => self.board[m.to() as usize] != NO_PIECE,
            1 => false,
            2 => true,
            _ => m.promoted() == QUEEN || self.board[m.to() as usize] != NO_PIECE,
        }
    }

    /// The piece a legal move captures, or [`NO_PIECE`].
    #[inline]
    pub(super) fn victim(&self, m: ChessMove) -> Piece {
        match m.flag() {
            1 => NO_PIECE,
            2 => piece(self.side.index() ^ 1, PAWN),
            _ => self.board[m.to() as usize],
        }
    }

    /// Neither side can ever mate: bare kings, or one minor piece, or a bishop each on one colour.
    pub(super) fn thin(&self) -> bool {
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
        if self.thin() {
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
        if self.thin() {
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

    /// Whether 16 bits are no move at all.
    pub(super) fn is_none(m: ChessMove) -> bool {
        m == ChessMove::NONE
    }
}
