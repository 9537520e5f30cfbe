//! The board with its face-down pieces, and a position with its history.

use super::keys;
use super::types::{BLANK, COVERED, CoupRules, EMPTY, Pools, covered, side_of, start_kind};
use crate::bits::Bb128;
use crate::game::Side;
use crate::games::xiangqi::XMove;
use crate::games::xiangqi::attacks::{
    advisor, free_advisor, free_elephant, general, hop, horse, horse_to, slide, slide_and_hop, soldier, soldier_to,
};
use crate::games::xiangqi::types::{Kind, POINTS, kind_of};

/// Pieces on points, as mailbox and as sets by what they move as, and the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Board {
    points: [u8; POINTS],
    /// Pieces by what they move as: face-down ones by their points.
    acts: [Bb128; 7],
    covered: Bb128,
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
            acts: [Bb128::EMPTY; 7],
            covered: Bb128::EMPTY,
            sides: [Bb128::EMPTY; 2],
            generals: [0; 2],
            side: Side::First,
        }
    }

    /// What lies on a point, or [`EMPTY`].
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

    /// The pieces of both sides that move as a kind.
    #[inline]
    pub const fn acting(&self, kind: Kind) -> Bb128 {
        self.acts[kind as usize]
    }

    /// The pieces face down.
    #[inline]
    pub const fn covered(&self) -> Bb128 {
        self.covered
    }

    /// A side's pieces of a kind, face up.
    #[inline]
    pub fn pieces(&self, side: Side, kind: Kind) -> Bb128 {
        self.sides[side.index()] & self.acts[kind as usize].without(self.covered)
    }

    /// Where a side's general stands.
    #[inline]
    pub const fn general(&self, side: Side) -> u8 {
        self.generals[side.index()]
    }

    /// What the piece on a point moves as; `None` for a piece that is just being turned up.
    #[inline]
    pub const fn acts_as(&self, point: u8) -> Option<Kind> {
        let piece = self.at(point);
        if piece < COVERED {
            Some(kind_of(piece))
        } else if self.covered.has(point) {
            start_kind(side_of(piece), point)
        } else {
            None
        }
    }

    /// Puts a piece on an empty point. A face-down piece lies on one of its own starting points.
    #[inline]
    pub(super) fn put(&mut self, piece: u8, point: u8) {
        let b = Bb128::of(point);
        self.points[point as usize] = piece;
        self.sides[side_of(piece).index()] |= b;
        if piece >= COVERED {
            self.covered |= b;
            if let Some(kind) = start_kind(side_of(piece), point) {
                self.acts[kind as usize] |= b;
            }
            return;
        }
        self.acts[kind_of(piece) as usize] |= b;
        if kind_of(piece) == Kind::General {
            self.generals[side_of(piece).index()] = point;
        }
    }

    /// Puts a piece that is just being turned up on an empty point: so far it only stands in the way.
    #[inline]
    pub(super) fn put_blank(&mut self, side: Side, point: u8) {
        self.points[point as usize] = covered(side);
        self.sides[side.index()] |= Bb128::of(point);
    }

    /// Takes the piece off an occupied point.
    #[inline]
    pub(super) fn lift(&mut self, point: u8) -> u8 {
        let piece = self.points[point as usize];
        let b = Bb128::of(point);
        if let Some(kind) = self.acts_as(point) {
            self.acts[kind as usize] ^= b;
        }
        self.points[point as usize] = EMPTY;
        self.covered = self.covered.without(b);
        self.sides[side_of(piece).index()] ^= b;
        piece
    }

    /// Moves a piece and gives the turn over; the piece taken, or [`EMPTY`], comes back. A face-down piece is blank from
    /// now on.
    #[inline]
    pub(super) fn shift(&mut self, from: u8, to: u8) -> u8 {
        let taken = self.at(to);
        if taken != EMPTY {
            self.lift(to);
        }
        match self.lift(from) {
            moved if moved >= COVERED => self.put_blank(side_of(moved), to),
            moved => self.put(moved, to),
        }
        self.side = self.side.other();
        taken
    }

    /// Takes back a [`Board::shift`] and what it turned up.
    #[inline]
    pub(super) fn unshift(&mut self, from: u8, to: u8, taken: u8, turned: bool) {
        let moved = self.lift(to);
        self.put(if turned { covered(side_of(moved)) } else { moved }, from);
        if taken > EMPTY {
            self.put_blank(side_of(taken - BLANK), to);
        } else if taken != EMPTY {
            self.put(taken, to);
        }
        self.side = self.side.other();
    }

    /// Whether a face-down piece stands on the point that has left its starting point and not been turned up.
    #[inline]
    pub(super) const fn is_blank(&self, point: u8) -> bool {
        let piece = self.at(point);
        piece >= COVERED && piece != EMPTY && !self.covered.has(point)
    }

    /// The advisors that could step to or from the point: open ones anywhere, face-down ones inside the palace.
    #[inline]
    fn advisors(&self, point: u8) -> Bb128 {
        let all = self.acting(Kind::Advisor);
        free_advisor(point) & all.without(self.covered) | advisor(point) & all & self.covered
    }

    /// The pieces of `by` that would take a general of the other side on `point`; facing generals count.
    #[inline]
    pub fn checkers(&self, point: u8, occupied: Bb128, by: Side) -> Bb128 {
        let (near, far) = slide_and_hop(point, occupied);
        let lines = near & (self.acting(Kind::Chariot) | self.acting(Kind::General)) | far & self.acting(Kind::Cannon);
        let horses = horse_to(point, occupied) & self.acting(Kind::Horse);
        let guards = self.advisors(point) | free_elephant(point, occupied) & self.acting(Kind::Elephant);
        (lines | horses | guards | soldier_to(by, point) & self.acting(Kind::Soldier)) & self.of(by)
    }

    /// The pieces of both sides that would take a piece on `point`, standing among `occupied`.
    #[inline]
    pub fn attackers(&self, point: u8, occupied: Bb128) -> Bb128 {
        let (near, far) = slide_and_hop(point, occupied);
        let soldiers = soldier_to(Side::First, point) & self.of(Side::First)
            | soldier_to(Side::Second, point) & self.of(Side::Second);
        (near & self.acting(Kind::Chariot)
            | far & self.acting(Kind::Cannon)
            | horse_to(point, occupied) & self.acting(Kind::Horse)
            | soldiers & self.acting(Kind::Soldier)
            | free_elephant(point, occupied) & self.acting(Kind::Elephant)
            | self.advisors(point)
            | general(point) & self.acting(Kind::General))
            & occupied
    }

    /// Where the piece on `from` could go, its own side's pieces and its general's safety aside.
    #[inline]
    pub fn reach(&self, from: u8, occupied: Bb128) -> Bb128 {
        match self.acts_as(from) {
            None => Bb128::EMPTY,
            Some(Kind::General) => general(from),
            Some(Kind::Advisor) if self.covered.has(from) => advisor(from),
            Some(Kind::Advisor) => free_advisor(from),
            Some(Kind::Elephant) => free_elephant(from, occupied),
            Some(Kind::Horse) => horse(from, occupied),
            Some(Kind::Chariot) => slide(from, occupied),
            Some(Kind::Cannon) => slide(from, occupied).without(occupied) | hop(from, occupied) & occupied,
            Some(Kind::Soldier) => soldier(side_of(self.at(from)), from),
        }
    }

    /// Whether the piece on `from`, going to `to`, leaves its general capturable.
    #[inline]
    pub fn exposes(&self, from: u8, to: u8) -> bool {
        let us = side_of(self.at(from));
        let (start, end) = (Bb128::of(from), Bb128::of(to));
        let occupied = self.occupied().without(start) | end;
        let home = self.general(us);
        let home = if from == home { to } else { home };
        self.checkers(home, occupied, us.other()).without(end).any()
    }
}

/// How far the last move's reveal has got.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Turn {
    /// Nothing was turned up.
    No,
    /// Nature has yet to say.
    Pending,
    /// Nature has spoken.
    Done,
}

/// What a position remembers besides the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct State {
    pub key: u64,
    /// Keys of soldiers and face-down pieces, of advisors and elephants, of red's and of black's other pieces.
    pub parts: [u64; 4],
    pub checkers: Bb128,
    /// The move that led here; `from == to` after a pass and at the start.
    pub last: XMove,
    pub taken: u8,
    pub turn: Turn,
    /// What may be under each side's face-down pieces.
    pub pools: Pools,
    /// Half-moves without a capture.
    pub quiet: u16,
    /// Half-moves that the board may be repeated across: since a capture, a reveal, a soldier's step ahead or a pass.
    pub free: u16,
    /// Checks in a row by each side up to its last move.
    pub checks: [u16; 2],
}

/// A cờ úp position with its history, as one side may know it.
#[derive(Clone, Debug)]
pub struct Coup {
    pub(super) board: Board,
    pub(super) now: State,
    /// The states before `now`, oldest first.
    pub(super) past: Vec<State>,
    /// The states before each reveal.
    pub(super) veiled: Vec<State>,
    /// The keys of `past`, dense for the search for repetitions.
    pub(super) keys: Vec<u64>,
    /// Face-down pieces taken and known, by the side that lost them.
    pub(super) lost: Pools,
    pub(super) rules: CoupRules,
    pub(super) start_ply: usize,
}

impl Coup {
    /// Which part key a piece belongs to.
    #[inline]
    pub(super) const fn part(piece: u8) -> usize {
        if piece >= COVERED {
            return 0;
        }
        match kind_of(piece) {
            Kind::Soldier => 0,
            Kind::Advisor | Kind::Elephant => 1,
            _ => 2 + side_of(piece).index(),
        }
    }

    /// A position without history.
    pub(super) fn from_board(board: Board, pools: Pools, rules: &CoupRules, quiet: u16, start_ply: usize) -> Self {
        let (key, parts) = Self::keys_of(&board, &pools);
        let checkers = board.checkers(board.general(board.side), board.occupied(), board.side.other());
        let now = State {
            key,
            parts,
            checkers,
            last: XMove::new(0, 0),
            taken: EMPTY,
            turn: Turn::No,
            pools,
            quiet,
            free: 0,
            checks: [0; 2],
        };
        Self {
            board,
            now,
            past: Vec::new(),
            veiled: Vec::new(),
            keys: Vec::new(),
            lost: [[0; 7]; 2],
            rules: rules.clone(),
            start_ply,
        }
    }

    /// The keys of a board from scratch.
    pub(super) fn keys_of(board: &Board, pools: &Pools) -> (u64, [u64; 4]) {
        let (mut key, mut parts) = (keys::pools(pools), [0; 4]);
        board.occupied().for_each(|point| {
            let piece = board.at(point);
            key ^= keys::of(piece, point);
            parts[Self::part(piece)] ^= keys::of(piece, point);
        });
        if board.side == Side::Second {
            key ^= keys::side();
        }
        (key, parts)
    }

    /// The board.
    #[inline]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// The rule settings.
    pub const fn rules(&self) -> &CoupRules {
        &self.rules
    }

    /// What may be under a side's face-down pieces, as far as this position's owner knows: at least as many as lie
    /// there, more where the opponent took some unseen.
    #[inline]
    pub const fn pool(&self, side: Side) -> &[u8; 7] {
        &self.now.pools[side.index()]
    }

    /// Whether a side has anything that can cross the board quickly, face-down pieces included.
    pub(super) fn has_officers(&self, side: Side) -> bool {
        let b = &self.board;
        let slow = b.acting(Kind::Soldier) | b.acting(Kind::General);
        b.of(side).without(slow.without(b.covered)).any()
    }
}
