//! The board, and a position with its history.

use super::attacks::{advisor, elephant, general, hop, horse, horse_to, slide, slide_and_hop, soldier, soldier_to};
use super::keys;
use super::types::{EMPTY, Kind, POINTS, XMove, XiangqiRules, kind_of, piece, side_of};
use crate::bits::Bb128;
use crate::game::Side;

/// Pieces on points, as mailbox and as sets, and the side to move. Small enough to copy, which the judges of
/// repetition do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Board {
    points: [u8; POINTS],
    kinds: [Bb128; 7],
    sides: [Bb128; 2],
    generals: [u8; 2],
    /// Who is to move.
    pub(super) side: Side,
}

impl Board {
    /// No pieces, red to move.
    pub const fn empty() -> Self {
        Self {
            points: [EMPTY; POINTS],
            kinds: [Bb128::EMPTY; 7],
            sides: [Bb128::EMPTY; 2],
            generals: [0; 2],
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

    /// A side's pieces of a kind.
    #[inline]
    pub fn pieces(&self, side: Side, kind: Kind) -> Bb128 {
        self.sides[side.index()] & self.kinds[kind as usize]
    }

    /// Where a side's general stands.
    #[inline]
    pub const fn general(&self, side: Side) -> u8 {
        self.generals[side.index()]
    }

    /// Puts a piece on an empty point.
    #[inline]
    pub(super) fn put(&mut self, piece: u8, point: u8) {
        let b = Bb128::of(point);
        self.points[point as usize] = piece;
        self.kinds[kind_of(piece) as usize] |= b;
        self.sides[side_of(piece).index()] |= b;
        if kind_of(piece) == Kind::General {
            self.generals[side_of(piece).index()] = point;
        }
    }

    /// Takes the piece off an occupied point.
    #[inline]
    pub(super) fn lift(&mut self, point: u8) -> u8 {
        let piece = self.points[point as usize];
        let b = Bb128::of(point);
        self.points[point as usize] = EMPTY;
        self.kinds[kind_of(piece) as usize] ^= b;
        self.sides[side_of(piece).index()] ^= b;
        piece
    }

    /// Moves a piece and gives the turn over; the piece taken, or [`EMPTY`], comes back.
    #[inline]
    pub(super) fn shift(&mut self, from: u8, to: u8) -> u8 {
        let taken = self.at(to);
        if taken != EMPTY {
            self.lift(to);
        }
        let moved = self.lift(from);
        self.put(moved, to);
        self.side = self.side.other();
        taken
    }

    /// Takes back a [`Board::shift`].
    #[inline]
    pub(super) fn unshift(&mut self, from: u8, to: u8, taken: u8) {
        let moved = self.lift(to);
        self.put(moved, from);
        if taken != EMPTY {
            self.put(taken, to);
        }
        self.side = self.side.other();
    }

    /// The pieces of `by` that would take a general of the other side on `point`; facing generals count.
    #[inline]
    pub fn checkers(&self, point: u8, occupied: Bb128, by: Side) -> Bb128 {
        let (near, far) = slide_and_hop(point, occupied);
        let lines = near & (self.kind(Kind::Chariot) | self.kind(Kind::General)) | far & self.kind(Kind::Cannon);
        let horses = horse_to(point, occupied) & self.kind(Kind::Horse);
        (lines | horses | soldier_to(by, point) & self.kind(Kind::Soldier)) & self.of(by)
    }

    /// The pieces of both sides that would take a piece on `point`, standing among `occupied`.
    #[inline]
    pub fn attackers(&self, point: u8, occupied: Bb128) -> Bb128 {
        let (near, far) = slide_and_hop(point, occupied);
        let soldiers = soldier_to(Side::First, point) & self.of(Side::First)
            | soldier_to(Side::Second, point) & self.of(Side::Second);
        (near & self.kind(Kind::Chariot)
            | far & self.kind(Kind::Cannon)
            | horse_to(point, occupied) & self.kind(Kind::Horse)
            | soldiers & self.kind(Kind::Soldier)
            | elephant(point, occupied) & self.kind(Kind::Elephant)
            | advisor(point) & self.kind(Kind::Advisor)
            | general(point) & self.kind(Kind::General))
            & occupied
    }

    /// Where the piece on `from` could go, its own side's pieces and its general's safety aside.
    #[inline]
    pub fn reach(&self, from: u8, occupied: Bb128) -> Bb128 {
        let piece = self.at(from);
        match kind_of(piece) {
            Kind::General => general(from),
            Kind::Advisor => advisor(from),
            Kind::Elephant => elephant(from, occupied),
            Kind::Horse => horse(from, occupied),
            Kind::Chariot => slide(from, occupied),
            Kind::Cannon => slide(from, occupied).without(occupied) | hop(from, occupied) & occupied,
            Kind::Soldier => soldier(side_of(piece), from),
        }
    }

    /// Whether the piece on `from`, going to `to`, leaves its general capturable.
    #[inline]
    pub fn exposes(&self, from: u8, to: u8) -> bool {
        self.exposed_by(from, to).any()
    }

    /// The pieces that could take the general of the piece on `from` once it has gone to `to`.
    #[inline]
    pub fn exposed_by(&self, from: u8, to: u8) -> Bb128 {
        let us = side_of(self.at(from));
        let (start, end) = (Bb128::of(from), Bb128::of(to));
        let occupied = self.occupied().without(start) | end;
        let home = self.general(us);
        let home = if from == home { to } else { home };
        self.checkers(home, occupied, us.other()).without(end)
    }

    /// Whether the side's general could be taken now.
    pub fn exposed(&self, side: Side) -> bool {
        self.checkers(self.general(side), self.occupied(), side.other()).any()
    }
}

/// What a position remembers besides the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct State {
    pub key: u64,
    /// Keys of soldiers, of advisors and elephants, of red's and of black's other pieces.
    pub parts: [u64; 4],
    pub checkers: Bb128,
    /// The move that led here; `from == to` after a pass and at the start.
    pub last: XMove,
    pub taken: u8,
    /// Half-moves without a capture that count for the natural limit.
    pub quiet: u16,
    /// Half-moves that the board may be repeated across: since a capture, a soldier's step ahead or a pass.
    pub free: u16,
    /// Checks given by each side since the last capture.
    pub checks: [u16; 2],
    /// Whether the last move was a check that does not count for the natural limit.
    pub spared: bool,
}

/// A xiangqi position with its history.
#[derive(Clone, Debug)]
pub struct Xiangqi {
    pub(super) board: Board,
    pub(super) now: State,
    /// The states before `now`, oldest first.
    pub(super) past: Vec<State>,
    /// The keys of `past`, dense for the search for repetitions.
    pub(super) keys: Vec<u64>,
    pub(super) rules: XiangqiRules,
    pub(super) start_ply: usize,
}

impl Xiangqi {
    /// Which part key a piece belongs to.
    #[inline]
    pub(super) const fn part(piece: u8) -> usize {
        match kind_of(piece) {
            Kind::Soldier => 0,
            Kind::Advisor | Kind::Elephant => 1,
            _ => 2 + side_of(piece).index(),
        }
    }

    /// A position without history.
    pub(super) fn from_board(board: Board, rules: &XiangqiRules, quiet: u16, start_ply: usize) -> Self {
        let (key, parts) = Self::keys_of(&board);
        let checkers = board.checkers(board.general(board.side), board.occupied(), board.side.other());
        let now = State {
            key,
            parts,
            checkers,
            last: XMove::new(0, 0),
            taken: EMPTY,
            quiet,
            free: 0,
            checks: [0; 2],
            spared: false,
        };
        Self {
            board,
            now,
            past: Vec::new(),
            keys: Vec::new(),
            rules: rules.clone(),
            start_ply,
        }
    }

    /// The keys of a board from scratch.
    pub(super) fn keys_of(board: &Board) -> (u64, [u64; 4]) {
        let (mut key, mut parts) = (0, [0; 4]);
        board.occupied().for_each(|point| {
            let piece = board.at(point);
            key ^= keys::of(piece, point);
            parts[Self::part(piece)] ^= keys::of(piece, point);
        });
        (
            if board.side == Side::Second {
                key ^ keys::side()
            } else {
                key
            },
            parts,
        )
    }

    /// The board.
    #[inline]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// The rule settings.
    pub const fn rules(&self) -> &XiangqiRules {
        &self.rules
    }

    /// Whether neither side has a piece left that crosses the river.
    #[inline]
    pub fn toothless(&self) -> bool {
        let b = &self.board;
        (b.kind(Kind::Soldier) | b.kind(Kind::Horse) | b.kind(Kind::Chariot) | b.kind(Kind::Cannon)).is_empty()
    }

    /// Whether a side has horse, chariot or cannon.
    #[inline]
    pub fn has_officers(&self, side: Side) -> bool {
        let b = &self.board;
        (b.kind(Kind::Horse) | b.kind(Kind::Chariot) | b.kind(Kind::Cannon)).meets(b.of(side))
    }

    /// A side's piece on the board as its number.
    #[inline]
    pub const fn piece(side: Side, kind: Kind) -> u8 {
        piece(side, kind)
    }
}
