//! Legal moves, and what single moves are: legal, checking, tactical. One walk over the pieces feeds either a list or a
//! counter: pins and checks become masks of allowed targets first, so that nothing has to be tried on the board except en
//! passant.

use super::position::{Chess, castled};
use super::types::*;
use crate::bits::bb64::{self, Bb, bit, east, has, low, rank, several, squares, west};
use crate::bits::rays::{between, line};
use crate::bits::sliders::{BISHOP_RAYS, ROOK_RAYS, bishop, queen, rook};
use crate::game::{Kind, Move, Moves, Side, Threats};

/// Who receives the moves.
pub(super) trait MoveSink {
    /// One piece's targets.
    fn piece(&mut self, from: Square, to: Bb);
    /// Pawn moves that all go the same way: `back` leads from a target to its origin.
    fn pawns(&mut self, to: Bb, back: i8);
    /// Promotions, to the kinds from `kinds.0` to `kinds.1`.
    fn promotions(&mut self, to: Bb, back: i8, kinds: (PieceKind, PieceKind));
    /// A special move.
    fn single(&mut self, m: ChessMove);
}

struct List<'a>(&'a mut Moves<ChessMove>);

impl MoveSink for List<'_> {
    #[inline(always)]
    fn piece(&mut self, from: Square, to: Bb) {
        for t in squares(to) {
            self.0.push(ChessMove::new(from, t));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, to: Bb, back: i8) {
        for t in squares(to) {
            self.0.push(ChessMove::new(t.wrapping_add_signed(back), t));
        }
    }

    fn promotions(&mut self, to: Bb, back: i8, kinds: (PieceKind, PieceKind)) {
        for t in squares(to) {
            for k in (kinds.0..=kinds.1).rev() {
                self.0.push(ChessMove::promotion(t.wrapping_add_signed(back), t, k));
            }
        }
    }

    #[inline(always)]
    fn single(&mut self, m: ChessMove) {
        self.0.push(m);
    }
}

struct MoveCounter(u32);

impl MoveSink for MoveCounter {
    #[inline(always)]
    fn piece(&mut self, _from: Square, to: Bb) {
        self.0 += to.count_ones();
    }

    #[inline(always)]
    fn pawns(&mut self, to: Bb, _back: i8) {
        self.0 += to.count_ones();
    }

    #[inline(always)]
    fn promotions(&mut self, to: Bb, _back: i8, kinds: (PieceKind, PieceKind)) {
        self.0 += to.count_ones() * u32::from(kinds.1 - kinds.0 + 1);
    }

    #[inline(always)]
    fn single(&mut self, _m: ChessMove) {
        self.0 += 1;
    }
}

const ALL: u8 = 0;
const TACTICAL: u8 = 1;
const QUIET: u8 = 2;

#[inline(always)]
const fn forward<const W: bool>(b: Bb) -> Bb {
    if W { b << 8 } else { b >> 8 }
}

/// What moves need to check the opponent's king.
#[derive(Clone, Copy, Debug)]
pub struct CheckMap {
    /// From which squares a piece of each kind would check.
    squares: [Bb; 6],
    /// Own pieces that stand alone between an own slider and that king.
    blockers: Bb,
    king: Square,
}

impl Chess {
    /// Lists the legal moves of a kind.
    pub(super) fn generate(&self, kind: Kind, out: &mut Moves<ChessMove>) {
        let sink = &mut List(out);
        match (self.side, kind) {
            (Side::First, Kind::All) => self.walk::<true, ALL, _>(sink),
            (Side::First, Kind::Tactical) => self.walk::<true, TACTICAL, _>(sink),
            (Side::First, Kind::Quiet) => self.walk::<true, QUIET, _>(sink),
            (Side::Second, Kind::All) => self.walk::<false, ALL, _>(sink),
            (Side::Second, Kind::Tactical) => self.walk::<false, TACTICAL, _>(sink),
            (Side::Second, Kind::Quiet) => self.walk::<false, QUIET, _>(sink),
        }
    }

    /// The number of legal moves.
    pub(super) fn count_legal(&self) -> u32 {
        let mut sink = MoveCounter(0);
        match self.side {
            Side::First => self.walk::<true, ALL, _>(&mut sink),
            Side::Second => self.walk::<false, ALL, _>(&mut sink),
        }
        sink.0
    }

    #[inline(always)]
    fn walk<const W: bool, const K: u8, S: MoveSink>(&self, sink: &mut S) {
        let us = usize::from(!W);
        let (own, enemy) = (self.sides[us], self.sides[us ^ 1]);
        let occupied = own | enemy;
        let king = low(own & self.kinds[KING as usize]);
        let wanted = match K {
            TACTICAL => enemy,
            QUIET => !occupied,
            _ => !own,
        };
        let steps = self.king_steps::<W>(king, wanted);
        if steps != 0 {
            sink.piece(king, steps);
        }
        let checkers = self.now.checkers;
        if several(checkers) {
            return;
        }
        let mask = if checkers == 0 {
            !0
        } else {
            between(king, low(checkers)) | checkers
        };
        let target = wanted & mask;
        let pinned = self.now.pinned;
        let free = own & !pinned;
        for s in squares(self.kinds[KNIGHT as usize] & free) {
            sink.piece(s, bb64::KNIGHT[s as usize] & target);
        }
        let (straight, slanted) = self.sliders(us);
        for s in squares(slanted & free) {
            sink.piece(s, bishop(s, occupied) & target);
        }
        for s in squares(straight & free) {
            sink.piece(s, rook(s, occupied) & target);
        }
        let pawns = own & self.kinds[PAWN as usize];
        self.pawn_moves::<W, K, S>(pawns & free, mask, sink);
        if pinned != 0 {
            for s in squares(slanted & pinned) {
                sink.piece(s, bishop(s, occupied) & target & line(king, s));
            }
            for s in squares(straight & pinned) {
                sink.piece(s, rook(s, occupied) & target & line(king, s));
            }
            for s in squares(pawns & pinned) {
                self.pawn_moves::<W, K, S>(bb64::bit(s), mask & line(king, s), sink);
            }
        }
        if K != QUIET && self.now.en_passant != NO_SQUARE {
            let to = self.now.en_passant;
            for from in squares(bb64::PAWN[us ^ 1][to as usize & 63] & pawns) {
                if self.en_passant_is_legal(us, from, to) {
                    sink.single(ChessMove::en_passant(from, to));
                }
            }
        }
        if K != TACTICAL && checkers == 0 && self.now.rights & (3 << (us * 2)) != 0 {
            for i in us * 2..us * 2 + 2 {
                if self.may_castle(i) {
                    sink.single(ChessMove::castle(king, self.wings[i].rook));
                }
            }
        }
    }

    /// The king's legal steps.
    #[inline(always)]
    fn king_steps<const W: bool>(&self, king: Square, wanted: Bb) -> Bb {
        let us = usize::from(!W);
        let enemy = self.sides[us ^ 1];
        let pawns = enemy & self.kinds[PAWN as usize];
        let guarded = if W {
            (east(pawns) | west(pawns)) >> 8
        } else {
            (east(pawns) | west(pawns)) << 8
        };
        let enemy_king = low(enemy & self.kinds[KING as usize]);
        let mut steps = bb64::KING[king as usize & 63] & wanted & !guarded & !bb64::KING[enemy_king as usize & 63];
        if steps == 0 {
            return 0;
        }
        for s in squares(enemy & self.kinds[KNIGHT as usize]) {
            steps &= !bb64::KNIGHT[s as usize];
        }
        // The king hides nothing from a slider that he runs away from.
        let occupied = self.occupied() ^ bb64::bit(king);
        for s in squares(steps) {
            if self.slides(s, us ^ 1, occupied) {
                steps ^= bb64::bit(s);
            }
        }
        steps
    }

    #[inline(always)]
    fn pawn_moves<const W: bool, const K: u8, S: MoveSink>(&self, pawns: Bb, mask: Bb, sink: &mut S) {
        let us = usize::from(!W);
        let back: i8 = if W { -8 } else { 8 };
        let empty = !self.occupied();
        let enemy = self.sides[us ^ 1] & mask;
        let last = pawns & rank(if W { 6 } else { 1 });
        let others = pawns ^ last;
        if K != TACTICAL {
            let one = forward::<W>(others) & empty;
            let two = forward::<W>(one & rank(if W { 2 } else { 5 })) & empty;
            sink.pawns(one & mask, back);
            sink.pawns(two & mask, back * 2);
        }
        if K != QUIET {
            sink.pawns(forward::<W>(west(others)) & enemy, back + 1);
            sink.pawns(forward::<W>(east(others)) & enemy, back - 1);
        }
        if last != 0 {
            let kinds = match K {
                TACTICAL => (QUEEN, QUEEN),
                QUIET => (KNIGHT, ROOK),
                _ => (KNIGHT, QUEEN),
            };
            sink.promotions(forward::<W>(last) & empty & mask, back, kinds);
            if K != QUIET {
                sink.promotions(forward::<W>(west(last)) & enemy, back + 1, (KNIGHT, QUEEN));
                sink.promotions(forward::<W>(east(last)) & enemy, back - 1, (KNIGHT, QUEEN));
            }
        }
    }

    /// Whether the side of this way of castling may castle now; it must not be in check.
    #[inline]
    pub(super) fn may_castle(&self, index: usize) -> bool {
        let wing = &self.wings[index];
        let occupied = self.occupied();
        // A rook that shields its king along the first rank may not jump away (only in Chess960).
        self.now.rights >> index & 1 != 0
            && wing.clear & occupied == 0
            && !has(self.now.pinned, wing.rook)
            && !squares(wing.safe).any(|s| self.attacked(s, (index / 2) ^ 1, occupied))
    }

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

    /// The squares that the side not to move attacks.
    pub(super) fn threats(&self) -> Threats {
        let them = self.side.index() ^ 1;
        let (own, k, occupied) = (self.sides[them], &self.kinds, self.occupied());
        let pawns = own & k[PAWN as usize];
        let ahead = if them == 0 {
            forward::<true>(pawns)
        } else {
            forward::<false>(pawns)
        };
        let by_pawns = east(ahead) | west(ahead);
        let mut by_minors = by_pawns;
        for s in squares(own & k[KNIGHT as usize]) {
            by_minors |= bb64::KNIGHT[s as usize & 63];
        }
        for s in squares(own & k[BISHOP as usize]) {
            by_minors |= bishop(s, occupied);
        }
        let mut by_rooks = by_minors;
        for s in squares(own & k[ROOK as usize]) {
            by_rooks |= rook(s, occupied);
        }
        let mut all = by_rooks | bb64::KING[low(own & k[KING as usize]) as usize & 63];
        for s in squares(own & k[QUEEN as usize]) {
            all |= queen(s, occupied);
        }
        Threats {
            all: u128::from(all),
            lesser: [by_pawns, by_minors, by_rooks].map(u128::from),
        }
    }

    /// What the moves of the position need to check, once for all of them (Stockfish's `set_check_info`).
    pub(super) fn check_map(&self) -> CheckMap {
        let us = self.side.index();
        let own = self.sides[us];
        let king = low(self.sides[us ^ 1] & self.kinds[KING as usize]);
        let occupied = self.occupied();
        let (straight, slanted) = (rook(king, occupied), bishop(king, occupied));
        let mut squares_of = [0; 6];
        squares_of[PAWN as usize] = bb64::PAWN[us ^ 1][king as usize];
        squares_of[KNIGHT as usize] = bb64::KNIGHT[king as usize];
        squares_of[BISHOP as usize] = slanted;
        squares_of[ROOK as usize] = straight;
        squares_of[QUEEN as usize] = straight | slanted;
        let (rooks, bishops) = self.sliders(us);
        let mut blockers = 0;
        for slider in squares(ROOK_RAYS[king as usize] & rooks | BISHOP_RAYS[king as usize] & bishops) {
            let shield = between(king, slider) & occupied;
            if !several(shield) {
                blockers |= shield & own;
            }
        }
        CheckMap {
            squares: squares_of,
            blockers,
            king,
        }
    }

    /// Whether a legal move checks, by the map of the position.
    #[inline]
    pub(super) fn checks(&self, map: &CheckMap, m: ChessMove) -> bool {
        if m.flag() != 0 {
            return self.gives_check(m);
        }
        let (from, to) = (m.from(), m.to());
        has(map.squares[kind(self.board[from as usize]) as usize], to)
            || has(map.blockers, from) && !has(line(map.king, from), to)
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

    /// Whether 16 bits are no move at all.
    pub(super) fn is_none(m: ChessMove) -> bool {
        m == ChessMove::NONE
    }
}
