//! The board, and a position with its history.

use super::attacks::{
    ahead, along_file, between, bishop, cross, diagonals, dragon, gold, horse, king, knight, lance, lines, pawn, rook,
    silver,
};
use super::keys;
use super::types::{DROPS, EMPTY, Hand, Kind, NO_KING, POINTS, SMove, ShogiRules, kind_of, piece, side_of};
use crate::bits::Bb128;
use crate::game::{Move, Side};

/// The set of all golden kinds is kept at this place of [`ShogiBoard::kinds`]; the others keep a set nobody reads behind it.
const GOLDS: usize = 14;

/// Pieces on points, as mailbox and as sets, the hands, and the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShogiBoard {
    points: [u8; POINTS],
    kinds: [Bb128; 16],
    sides: [Bb128; 2],
    kings: [u8; 2],
    pub(super) hands: [Hand; 2],
    /// Who is to move.
    pub(super) side: Side,
}

impl ShogiBoard {
    /// No pieces, sente to move.
    pub const fn empty() -> Self {
        Self {
            points: [EMPTY; POINTS],
            kinds: [Bb128::EMPTY; 16],
            sides: [Bb128::EMPTY; 2],
            kings: [NO_KING; 2],
            hands: [Hand::EMPTY; 2],
            side: Side::First,
        }
    }

    /// What stands on a point, or [`EMPTY`].
    #[inline]
    pub const fn at(&self, point: u8) -> u8 {
        self.points[point as usize]
    }

    /// All occupied points.
    #[inline]
    pub fn occupied(&self) -> Bb128 {
        self.sides[0] | self.sides[1]
    }

    /// A side's pieces.
    #[inline]
    pub const fn of(&self, side: Side) -> Bb128 {
        self.sides[side.index()]
    }

    /// A kind's pieces of both sides.
    #[inline]
    pub const fn kind(&self, kind: Kind) -> Bb128 {
        self.kinds[kind as usize]
    }

    /// The pieces of both sides that move as golds.
    #[inline]
    pub const fn golds(&self) -> Bb128 {
        self.kinds[GOLDS]
    }

    /// A side's pieces of a kind.
    #[inline]
    pub fn pieces(&self, side: Side, kind: Kind) -> Bb128 {
        self.sides[side.index()] & self.kinds[kind as usize]
    }

    /// Where a side's king stands, or [`NO_KING`].
    #[inline]
    pub const fn king(&self, side: Side) -> u8 {
        self.kings[side.index()]
    }

    /// What a side holds.
    #[inline]
    pub const fn hand(&self, side: Side) -> Hand {
        self.hands[side.index()]
    }

    /// Who is to move.
    #[inline]
    pub const fn side(&self) -> Side {
        self.side
    }

    /// Puts a piece on an empty point.
    #[inline]
    pub(super) fn put(&mut self, piece: u8, point: u8) {
        let b = Bb128::of(point);
        let kind = kind_of(piece);
        self.points[point as usize] = piece;
        self.kinds[kind as usize] |= b;
        self.kinds[GOLDS + usize::from(!kind.is_golden())] |= b;
        self.sides[side_of(piece).index()] |= b;
        if kind == Kind::King {
            self.kings[side_of(piece).index()] = point;
        }
    }

    /// Takes the piece off an occupied point.
    #[inline]
    pub(super) fn lift(&mut self, point: u8) -> u8 {
        let piece = self.points[point as usize];
        let b = Bb128::of(point);
        let kind = kind_of(piece);
        self.points[point as usize] = EMPTY;
        self.kinds[kind as usize] ^= b;
        self.kinds[GOLDS + usize::from(!kind.is_golden())] ^= b;
        self.sides[side_of(piece).index()] ^= b;
        piece
    }

    /// Makes a legal move and passes the turn; returns the piece taken, or [`EMPTY`].
    #[inline]
    pub(super) fn make(&mut self, m: SMove) -> u8 {
        let (us, to) = (self.side, m.to());
        self.side = us.other();
        if m.is_drop() {
            let kind = DROPS[m.from() as usize - POINTS];
            self.hands[us.index()].remove(kind);
            self.put(piece(us, kind), to);
            return EMPTY;
        }
        let taken = self.at(to);
        if taken != EMPTY {
            self.lift(to);
            self.hands[us.index()].add(kind_of(taken).origin());
        }
        let moved = self.lift(m.from());
        self.put(moved + 8 * u8::from(m.is_promotion()), to);
        taken
    }

    /// Takes back a [`ShogiBoard::make`].
    #[inline]
    pub(super) fn unmake(&mut self, m: SMove, taken: u8) {
        let (us, to) = (self.side.other(), m.to());
        self.side = us;
        let moved = self.lift(to);
        if m.is_drop() {
            self.hands[us.index()].add(kind_of(moved));
            return;
        }
        self.put(moved - 8 * u8::from(m.is_promotion()), m.from());
        if taken != EMPTY {
            self.hands[us.index()].remove(kind_of(taken).origin());
            self.put(taken, to);
        }
    }

    /// The rooks, bishops and lances of `by`, promoted or not, that attack `point` among `occupied`.
    #[inline]
    pub fn sliders_to(&self, point: u8, occupied: Bb128, by: Side) -> Bb128 {
        let mut out = Bb128::EMPTY;
        let bishops = (self.kind(Kind::Bishop) | self.kind(Kind::Horse)) & self.of(by) & diagonals(point);
        if bishops.any() {
            out |= bishop(point, occupied) & bishops;
        }
        let rooks = (self.kind(Kind::Rook) | self.kind(Kind::Dragon)) & self.of(by) & cross(point);
        if rooks.any() {
            out |= rook(point, occupied) & rooks;
        }
        let lances = self.kind(Kind::Lance) & self.of(by) & ahead(by.other(), point);
        if lances.any() {
            out |= along_file(point, occupied) & lances;
        }
        out
    }

    /// The pieces of `by` that attack `point` by a step or a jump.
    #[inline]
    fn steppers_to(&self, point: u8, by: Side) -> Bb128 {
        let them = by.other();
        (pawn(them, point) & self.kind(Kind::Pawn)
            | knight(them, point) & self.kind(Kind::Knight)
            | silver(them, point) & self.kind(Kind::Silver)
            | gold(them, point) & self.golds()
            | king(point) & (self.kind(Kind::King) | self.kind(Kind::Horse) | self.kind(Kind::Dragon)))
            & self.of(by)
    }

    /// The pieces of `by` that attack `point` among `occupied`.
    #[inline]
    pub fn attackers(&self, point: u8, occupied: Bb128, by: Side) -> Bb128 {
        self.steppers_to(point, by) | self.sliders_to(point, occupied, by)
    }

    /// Whether a piece of `by` attacks `point` among `occupied`.
    #[inline]
    pub fn attacked(&self, point: u8, occupied: Bb128, by: Side) -> bool {
        self.steppers_to(point, by).any() || self.sliders_to(point, occupied, by).any()
    }

    /// The pieces that check a side's king.
    #[inline]
    pub fn checkers(&self, side: Side) -> Bb128 {
        match self.king(side) {
            NO_KING => Bb128::EMPTY,
            home => self.attackers(home, self.occupied(), side.other()),
        }
    }

    /// The same for the side to move, which was not in check before `m` was played: by the piece that moved, or uncovered.
    #[inline]
    pub(super) fn checkers_after(&self, m: SMove) -> Bb128 {
        let (them, to) = (self.side, m.to());
        let home = self.king(them);
        if home == NO_KING {
            return Bb128::EMPTY;
        }
        let occupied = self.occupied();
        let mut out = Bb128::EMPTY;
        if self.reach(to, occupied).has(home) {
            out = Bb128::of(to);
        }
        if !m.is_drop() && lines(home).has(m.from()) {
            out |= self.sliders_to(home, occupied, them.other());
        }
        debug_assert_eq!(out, self.checkers(them), "after {m:?}");
        out
    }

    /// Where the piece on `from` could go, its own side's pieces and its king's safety aside.
    #[inline]
    pub fn reach(&self, from: u8, occupied: Bb128) -> Bb128 {
        let piece = self.at(from);
        attacks(side_of(piece), kind_of(piece), from, occupied)
    }

    /// The points that the side not to move attacks.
    pub fn threats(&self) -> Bb128 {
        let (them, occupied) = (self.side.other(), self.occupied());
        let own = |pieces: Bb128| pieces & self.of(them);
        let (horses, dragons) = (self.kind(Kind::Horse), self.kind(Kind::Dragon));
        let mut all = Bb128::EMPTY;
        own(self.kind(Kind::Pawn)).for_each(|p| all |= pawn(them, p));
        own(self.kind(Kind::Lance)).for_each(|p| all |= lance(them, p, occupied));
        own(self.kind(Kind::Knight)).for_each(|p| all |= knight(them, p));
        own(self.kind(Kind::Silver)).for_each(|p| all |= silver(them, p));
        own(self.golds()).for_each(|p| all |= gold(them, p));
        own(self.kind(Kind::Bishop) | horses).for_each(|p| all |= bishop(p, occupied));
        own(self.kind(Kind::Rook) | dragons).for_each(|p| all |= rook(p, occupied));
        own(self.kind(Kind::King) | horses | dragons).for_each(|p| all |= king(p));
        all
    }

    /// Whether the piece on `from`, going to `to`, leaves its king capturable.
    #[inline]
    pub fn exposes(&self, from: u8, to: u8) -> bool {
        let us = side_of(self.at(from));
        let (start, end) = (Bb128::of(from), Bb128::of(to));
        let occupied = self.occupied().without(start) | end;
        match self.king(us) {
            NO_KING => false,
            home if home == from => self.attackers(to, occupied, us.other()).without(end).any(),
            home => self.attackers(home, occupied, us.other()).without(end).any(),
        }
    }

    /// The long-range pieces of `by` on an open line to `point` with exactly one piece between: (slider, that piece).
    #[inline]
    pub fn for_each_blocked(&self, point: u8, by: Side, mut f: impl FnMut(u8, u8)) {
        let lines = cross(point) & (self.kind(Kind::Rook) | self.kind(Kind::Dragon))
            | diagonals(point) & (self.kind(Kind::Bishop) | self.kind(Kind::Horse))
            | ahead(by.other(), point) & self.kind(Kind::Lance);
        let occupied = self.occupied();
        (lines & self.of(by)).for_each(|slider| {
            let way = between(point, slider) & occupied;
            if way.any() && !way.many() {
                f(slider, way.first());
            }
        });
    }
}

/// Where a piece of a side and kind on `from` attacks among `occupied`.
#[inline]
pub fn attacks(side: Side, kind: Kind, from: u8, occupied: Bb128) -> Bb128 {
    match kind {
        Kind::Pawn => pawn(side, from),
        Kind::Lance => lance(side, from, occupied),
        Kind::Knight => knight(side, from),
        Kind::Silver => silver(side, from),
        Kind::Bishop => bishop(from, occupied),
        Kind::Rook => rook(from, occupied),
        Kind::King => king(from),
        Kind::Horse => horse(from, occupied),
        Kind::Dragon => dragon(from, occupied),
        Kind::Gold | Kind::Tokin | Kind::ProLance | Kind::ProKnight | Kind::ProSilver => gold(side, from),
    }
}

/// The state of a position besides the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ShogiState {
    /// Board, side and hands.
    pub key: u64,
    /// Keys of pawns, of kings, golds and silvers, of sente's and of gote's other pieces.
    pub parts: [u64; 4],
    pub checkers: Bb128,
    /// The hand of the side to move.
    pub hand: Hand,
    /// The move that led here; [`Move::NONE`] after a pass and at the start.
    pub last: SMove,
    pub taken: u8,
    /// Half-moves since the start or a pass, across which the position may be repeated.
    pub free: u32,
    /// Checks that each side has given without a pause, up to its last move.
    pub checks: [u32; 2],
}

/// A shogi position with its history.
#[derive(Clone, Debug)]
pub struct Shogi {
    pub(super) board: ShogiBoard,
    pub(super) now: ShogiState,
    /// The states before `now`, oldest first.
    pub(super) past: Vec<ShogiState>,
    /// The key of board and side without hands, now.
    pub(super) board_key: u64,
    /// The board keys of `past`, dense for the search for repetitions.
    pub(super) keys: Vec<u64>,
    pub(super) rules: ShogiRules,
    pub(super) start_ply: usize,
}

impl Shogi {
    /// Which part key a piece belongs to.
    #[inline]
    pub(super) const fn part(piece: u8) -> usize {
        match kind_of(piece) {
            Kind::Pawn => 0,
            Kind::King | Kind::Gold | Kind::Silver => 1,
            _ => 2 + side_of(piece).index(),
        }
    }

    /// A position without history.
    pub(super) fn from_board(board: ShogiBoard, rules: &ShogiRules, start_ply: usize) -> Self {
        let (board_key, hands_key, parts) = Self::keys_of(&board);
        let now = ShogiState {
            key: board_key ^ hands_key,
            parts,
            checkers: board.checkers(board.side),
            hand: board.hand(board.side),
            last: SMove::NONE,
            taken: EMPTY,
            free: 0,
            checks: [0; 2],
        };
        Self {
            board,
            now,
            past: Vec::new(),
            board_key,
            keys: Vec::new(),
            rules: rules.clone(),
            start_ply,
        }
    }

    /// The keys of a board from scratch: board and side, hands, parts.
    pub(super) fn keys_of(board: &ShogiBoard) -> (u64, u64, [u64; 4]) {
        let (mut key, mut hands, mut parts) = (0, 0, [0; 4]);
        board.occupied().for_each(|point| {
            let piece = board.at(point);
            key ^= keys::of(piece, point);
            parts[Self::part(piece)] ^= keys::of(piece, point);
        });
        for side in [Side::First, Side::Second] {
            for kind in DROPS {
                let number = keys::hand(side, kind, board.hand(side).count(kind));
                hands ^= number;
                parts[2 + side.index()] ^= number;
            }
        }
        if board.side == Side::Second {
            key ^= keys::side();
        }
        (key, hands, parts)
    }

    /// The board with its hands.
    #[inline]
    pub const fn board(&self) -> &ShogiBoard {
        &self.board
    }

    /// The rule settings.
    pub const fn rules(&self) -> &ShogiRules {
        &self.rules
    }

    /// The pieces that check the side to move.
    #[inline]
    pub const fn checkers(&self) -> Bb128 {
        self.now.checkers
    }

    /// The keys that the moves have led to, and those that the board alone gives: equal unless a move went wrong.
    #[doc(hidden)]
    pub fn keys_agree(&self) -> bool {
        let (board, hands, parts) = Self::keys_of(&self.board);
        (self.board_key, self.now.key, self.now.parts) == (board, board ^ hands, parts)
            && self.now.checkers == self.board.checkers(self.board.side)
    }
}
