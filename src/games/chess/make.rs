//! Playing moves and taking them back.

use super::keys::KEYS;
use super::position::{Chess, castled};
use super::types::*;
use crate::bits::bb64::{self, bit};
use crate::game::{Dirty, Move, OFF};

impl Chess {
    /// Plays a legal move.
    #[inline]
    pub(super) fn play(&mut self, m: ChessMove) -> Dirty {
        self.past.push(self.now);
        let us = self.side.index();
        let (from, to) = (m.from(), m.to());
        let mut dirty = Dirty::default();
        self.now.mv = m.raw();
        self.now.clock += 1;
        self.now.since += 1;
        self.now.key ^= KEYS.side;
        if self.now.en_passant != NO_SQUARE {
            self.now.key ^= KEYS.en_passant[self.now.en_passant as usize & 7];
            self.now.en_passant = NO_SQUARE;
        }
        self.side = self.side.other();
        if m.is_castle() {
            self.make_castle(us, from, to, &mut dirty);
        } else {
            let mover = self.board[from as usize];
            let place = if m.is_en_passant() { to ^ 8 } else { to };
            let taken = self.board[place as usize];
            self.now.taken = taken;
            if taken != NO_PIECE {
                self.lift(taken, place);
                self.rekey(taken, KEYS.piece[taken as usize][place as usize]);
                self.now.clock = 0;
            }
            if m.is_promotion() {
                let promoted = piece(us, m.promoted());
                self.lift(mover, from);
                self.put(promoted, to);
                self.rekey(mover, KEYS.piece[mover as usize][from as usize]);
                self.rekey(promoted, KEYS.piece[promoted as usize][to as usize]);
                self.now.clock = 0;
                dirty.push(mover, from, OFF);
                dirty.push(promoted, OFF, to);
            } else {
                let both = bit(from) | bit(to);
                self.kinds[kind(mover) as usize] ^= both;
                self.sides[us] ^= both;
                self.board[from as usize] = NO_PIECE;
                self.board[to as usize] = mover;
                let keys = &KEYS.piece[mover as usize];
                self.rekey(mover, keys[from as usize] ^ keys[to as usize]);
                dirty.push(mover, from, to);
                if kind(mover) == PAWN {
                    self.now.clock = 0;
                }
            }
            if taken != NO_PIECE {
                dirty.push(taken, place, OFF);
            }
        }
        let keep = self.keep[from as usize] & self.keep[to as usize];
        if self.now.rights & !keep != 0 {
            self.now.key ^= KEYS.castling[self.now.rights as usize & 15];
            self.now.rights &= keep;
            self.now.key ^= KEYS.castling[self.now.rights as usize & 15];
        }
        self.look_at_king(us ^ 1);
        // A double step, since a pawn's other moves change the square by 7, 8 or 9.
        if from ^ to == 16 && kind(self.board[to as usize]) == PAWN && !m.is_promotion() {
            self.offer_en_passant(us, from, to);
        }
        dirty
    }

    #[inline]
    fn offer_en_passant(&mut self, us: usize, from: Square, to: Square) {
        let passed = (from + to) / 2;
        let near = bb64::PAWN[us][passed as usize] & self.sides[us ^ 1] & self.kinds[PAWN as usize];
        if near != 0 && self.has_en_passant(us ^ 1, passed) {
            self.now.en_passant = passed;
            self.now.key ^= KEYS.en_passant[passed as usize & 7];
        }
    }

    #[cold]
    fn make_castle(&mut self, us: usize, from: Square, to: Square, dirty: &mut Dirty) {
        let (king_to, rook_to) = castled(us * 2 + usize::from(to < from));
        let (king, rook) = (piece(us, KING), piece(us, ROOK));
        self.now.taken = NO_PIECE;
        self.lift(king, from);
        self.lift(rook, to);
        self.put(king, king_to);
        self.put(rook, rook_to);
        let (k, r) = (&KEYS.piece[king as usize], &KEYS.piece[rook as usize]);
        self.rekey(king, k[from as usize] ^ k[king_to as usize]);
        self.rekey(rook, r[to as usize] ^ r[rook_to as usize]);
        dirty.push(king, from, king_to);
        dirty.push(rook, to, rook_to);
    }

    /// Takes the last move or pass back.
    #[inline]
    pub(super) fn undo(&mut self) {
        let m = ChessMove::from_raw(self.now.mv);
        let taken = self.now.taken;
        let Some(before) = self.past.pop() else { return };
        self.now = before;
        self.side = self.side.other();
        if m == ChessMove::NONE {
            return;
        }
        let us = self.side.index();
        let (from, to) = (m.from(), m.to());
        if m.is_castle() {
            let (king_to, rook_to) = castled(us * 2 + usize::from(to < from));
            self.lift(piece(us, KING), king_to);
            self.lift(piece(us, ROOK), rook_to);
            self.put(piece(us, KING), from);
            self.put(piece(us, ROOK), to);
            return;
        }
        if m.is_promotion() {
            self.lift(piece(us, m.promoted()), to);
            self.put(piece(us, PAWN), from);
        } else {
            let mover = self.board[to as usize];
            let both = bit(from) | bit(to);
            self.kinds[kind(mover) as usize] ^= both;
            self.sides[us] ^= both;
            self.board[to as usize] = NO_PIECE;
            self.board[from as usize] = mover;
        }
        if taken != NO_PIECE {
            self.put(taken, if m.is_en_passant() { to ^ 8 } else { to });
        }
    }

    /// Passes.
    pub(super) fn pass(&mut self) {
        self.past.push(self.now);
        self.now.mv = ChessMove::NONE.raw();
        self.now.taken = NO_PIECE;
        self.now.clock += 1;
        self.now.since = 0;
        self.now.key ^= KEYS.side;
        if self.now.en_passant != NO_SQUARE {
            self.now.key ^= KEYS.en_passant[self.now.en_passant as usize & 7];
            self.now.en_passant = NO_SQUARE;
        }
        self.side = self.side.other();
        self.look_at_king(self.side.index());
    }
}
