//! The board: bitboards by kind and by side, a mailbox beside them, and what a move cannot take back on a stack.

use super::keys::{KEYS, PARTS};
use super::types::*;
use crate::bits::bb64::{self, Bb, bit, low, squares};
use crate::bits::rays::between;
use crate::bits::sliders::{BISHOP_RAYS, ROOK_RAYS, bishop, rook};
use crate::game::Side;

/// What [`Chess`] keeps per move.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ChessState {
    pub key: u64,
    pub parts: [u64; 4],
    /// Enemy pieces that check the side to move.
    pub checkers: Bb,
    /// Pieces of the side to move that shield their king.
    pub pinned: Bb,
    pub mv: u16,
    /// Half-moves since the last capture or pawn move.
    pub clock: u16,
    /// Half-moves since the setup or the last pass: positions before are never repeated.
    pub since: u16,
    pub taken: Piece,
    pub rights: u8,
    /// Only when a capture on it is legal.
    pub en_passant: Square,
}

/// One of the four ways to castle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wing {
    pub king: Square,
    pub rook: Square,
    /// Squares that must be empty.
    pub clear: Bb,
    /// Squares that must not be attacked.
    pub safe: Bb,
}

/// Where king and rook stand after castling.
#[inline(always)]
pub(super) const fn castled(index: usize) -> (Square, Square) {
    match index {
        0 => (6, 5),
        1 => (2, 3),
        2 => (62, 61),
        _ => (58, 59),
    }
}

/// A chess position with its history.
#[derive(Clone)]
pub struct Chess {
    pub(super) kinds: [Bb; 6],
    pub(super) sides: [Bb; 2],
    pub(super) board: [Piece; 64],
    pub(super) side: Side,
    pub(super) now: ChessState,
    pub(super) past: Vec<ChessState>,
    pub(super) start_ply: u32,
    pub(super) wings: [Wing; 4],
    /// The castling rights that stay when a piece leaves or enters a square.
    pub(super) keep: [u8; 64],
    pub(super) rules: ChessRules,
}

impl Chess {
    pub(super) fn empty(rules: ChessRules) -> Self {
        Self {
            kinds: [0; 6],
            sides: [0; 2],
            board: [NO_PIECE; 64],
            side: Side::First,
            now: ChessState {
                taken: NO_PIECE,
                en_passant: NO_SQUARE,
                ..ChessState::default()
            },
            past: Vec::with_capacity(512),
            start_ply: 0,
            wings: [Wing {
                king: NO_SQUARE,
                rook: NO_SQUARE,
                clear: 0,
                safe: 0,
            }; 4],
            keep: [15; 64],
            rules,
        }
    }

    /// The position without its history.
    pub(super) fn without_past(&self) -> Self {
        Self {
            past: Vec::with_capacity(16),
            ..*self
        }
    }

    /// The pieces of a kind, both sides'.
    #[inline(always)]
    pub fn kind(&self, kind: PieceKind) -> Bb {
        self.kinds[kind as usize]
    }

    /// The pieces of a side.
    #[inline(always)]
    pub fn of(&self, side: Side) -> Bb {
        self.sides[side.index()]
    }

    /// The pieces of a side and kind.
    #[inline(always)]
    pub fn pieces(&self, side: Side, kind: PieceKind) -> Bb {
        self.sides[side.index()] & self.kinds[kind as usize]
    }

    /// All pieces.
    #[inline(always)]
    pub fn occupied(&self) -> Bb {
        self.sides[0] | self.sides[1]
    }

    /// A side's king.
    #[inline(always)]
    pub fn king(&self, side: Side) -> Square {
        low(self.sides[side.index()] & self.kinds[KING as usize])
    }

    /// What stands on a square, [`NO_PIECE`] if nothing.
    #[inline(always)]
    pub fn piece_on(&self, square: Square) -> Piece {
        self.board[square as usize & 63]
    }

    /// Half-moves since the last capture or pawn move.
    #[inline(always)]
    pub fn clock(&self) -> u32 {
        u32::from(self.now.clock)
    }

    /// Whether anyone may still castle.
    #[inline(always)]
    pub fn castling_rights(&self) -> bool {
        self.now.rights != 0
    }

    /// The square of a legal en passant capture, [`NO_SQUARE`] if there is none.
    #[inline(always)]
    pub fn en_passant(&self) -> Square {
        self.now.en_passant
    }

    /// The pieces that check the side to move.
    #[inline(always)]
    pub fn checkers(&self) -> Bb {
        self.now.checkers
    }

    /// The pieces of the side to move that may move only on a line with their king.
    #[inline(always)]
    pub fn pinned(&self) -> Bb {
        self.now.pinned
    }

    /// The rules in force.
    #[inline(always)]
    pub fn rules(&self) -> ChessRules {
        self.rules
    }

    /// All pieces of both sides that attack a square, if `occupied` is the occupation.
    #[inline]
    pub fn attackers(&self, square: Square, occupied: Bb) -> Bb {
        let s = square as usize & 63;
        let k = &self.kinds;
        bb64::PAWN[0][s] & k[PAWN as usize] & self.sides[1]
            | bb64::PAWN[1][s] & k[PAWN as usize] & self.sides[0]
            | bb64::KNIGHT[s] & k[KNIGHT as usize]
            | bb64::KING[s] & k[KING as usize]
            | rook(square, occupied) & (k[ROOK as usize] | k[QUEEN as usize])
            | bishop(square, occupied) & (k[BISHOP as usize] | k[QUEEN as usize])
    }

    /// Whether a side attacks a square, if `occupied` is the occupation.
    #[inline(always)]
    pub(super) fn attacked(&self, square: Square, by: usize, occupied: Bb) -> bool {
        let s = square as usize & 63;
        let k = &self.kinds;
        let them = self.sides[by];
        let near = bb64::PAWN[by ^ 1][s] & k[PAWN as usize]
            | bb64::KNIGHT[s] & k[KNIGHT as usize]
            | bb64::KING[s] & k[KING as usize];
        near & them != 0 || self.slides(square, by, occupied)
    }

    /// Whether a side's rooks, bishops or queens attack a square.
    #[inline(always)]
    pub(super) fn slides(&self, square: Square, by: usize, occupied: Bb) -> bool {
        let s = square as usize & 63;
        let (straight, slanted) = self.sliders(by);
        // The rays of the empty board rule most squares out before a table is read.
        (ROOK_RAYS[s] & straight != 0 && rook(square, occupied) & straight != 0)
            || (BISHOP_RAYS[s] & slanted != 0 && bishop(square, occupied) & slanted != 0)
    }

    /// A side's pieces that move straight, and those that move slantwise; queens are in both.
    #[inline(always)]
    pub(super) fn sliders(&self, side: usize) -> (Bb, Bb) {
        let own = self.sides[side];
        let queens = self.kinds[QUEEN as usize];
        (
            own & (self.kinds[ROOK as usize] | queens),
            own & (self.kinds[BISHOP as usize] | queens),
        )
    }

    /// The enemy sliders that check `side`'s king, and its own pieces that stand alone between.
    #[inline(always)]
    pub(super) fn lines_to_king(&self, side: usize) -> (Bb, Bb) {
        let king = low(self.sides[side] & self.kinds[KING as usize]);
        let (straight, slanted) = self.sliders(side ^ 1);
        let snipers = ROOK_RAYS[king as usize & 63] & straight | BISHOP_RAYS[king as usize & 63] & slanted;
        let occupied = self.occupied();
        let (mut checkers, mut pinned) = (0, 0);
        for s in squares(snipers) {
            let shield = between(king, s) & occupied;
            if shield == 0 {
                checkers |= bit(s);
            } else if shield & (shield - 1) == 0 {
                pinned |= shield;
            }
        }
        (checkers, pinned & self.sides[side])
    }

    /// Finds checkers and pins for the side to move.
    #[inline(always)]
    pub(super) fn look_at_king(&mut self, side: usize) {
        let king = low(self.sides[side] & self.kinds[KING as usize]) as usize & 63;
        let (checkers, pinned) = self.lines_to_king(side);
        let near =
            bb64::PAWN[side][king] & self.kinds[PAWN as usize] | bb64::KNIGHT[king] & self.kinds[KNIGHT as usize];
        self.now.checkers = checkers | near & self.sides[side ^ 1];
        self.now.pinned = pinned;
    }

    /// Puts a piece on an empty square.
    #[inline(always)]
    pub(super) fn put(&mut self, piece: Piece, square: Square) {
        let b = bit(square);
        self.kinds[kind(piece) as usize] ^= b;
        self.sides[usize::from(piece >= 6)] ^= b;
        self.board[square as usize & 63] = piece;
    }

    /// Takes a piece off its square.
    #[inline(always)]
    pub(super) fn lift(&mut self, piece: Piece, square: Square) {
        let b = bit(square);
        self.kinds[kind(piece) as usize] ^= b;
        self.sides[usize::from(piece >= 6)] ^= b;
        self.board[square as usize & 63] = NO_PIECE;
    }

    /// Adds (or, again, removes) a value to the keys of a piece.
    #[inline(always)]
    pub(super) fn rekey(&mut self, piece: Piece, value: u64) {
        self.now.key ^= value;
        let parts = &PARTS[piece as usize];
        for (k, m) in self.now.parts.iter_mut().zip(parts) {
            *k ^= value & m;
        }
    }

    /// The keys computed from the board.
    pub(super) fn keys_afresh(&self) -> (u64, [u64; 4]) {
        let mut copy = ChessState::default();
        for s in squares(self.occupied()) {
            let p = self.board[s as usize] as usize;
            copy.key ^= KEYS.piece[p][s as usize];
            for (k, m) in copy.parts.iter_mut().zip(&PARTS[p]) {
                *k ^= KEYS.piece[p][s as usize] & m;
            }
        }
        copy.key ^= KEYS.castling[self.now.rights as usize & 15];
        if self.now.en_passant != NO_SQUARE {
            copy.key ^= KEYS.en_passant[self.now.en_passant as usize & 7];
        }
        if self.side == Side::Second {
            copy.key ^= KEYS.side;
        }
        (copy.key, copy.parts)
    }

    /// Whether a pawn on `from` may legally capture en passant on `to`, by trying it: both pawns leave their rank, which
    /// no pin mask foresees.
    pub(super) fn en_passant_is_legal(&self, side: usize, from: Square, to: Square) -> bool {
        let victim = bit(to ^ 8);
        let occupied = self.occupied() ^ bit(from) ^ victim | bit(to);
        let king = low(self.sides[side] & self.kinds[KING as usize]);
        self.attackers(king, occupied) & self.sides[side ^ 1] & !victim == 0
    }

    /// Whether some pawn of `side` may legally capture en passant on `to`.
    pub(super) fn has_en_passant(&self, side: usize, to: Square) -> bool {
        let pawns = bb64::PAWN[side ^ 1][to as usize & 63] & self.sides[side] & self.kinds[PAWN as usize];
        squares(pawns).any(|from| self.en_passant_is_legal(side, from, to))
    }
}
