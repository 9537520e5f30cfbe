//! The board: what stands where, what may move, and what a move leaves behind.

use nguky::game::{Move, Side};

/// Files, and as many ranks.
pub const SIZE: u8 = 5;
/// Squares; a1 is 0, b1 is 1, a2 is 5.
pub const SQUARES: usize = (SIZE * SIZE) as usize;
/// Kinds of pieces; a piece's number is its kind, and 6 more for the second side.
pub const PAWN: u8 = 0;
pub const KNIGHT: u8 = 1;
pub const BISHOP: u8 = 2;
pub const ROOK: u8 = 3;
pub const QUEEN: u8 = 4;
pub const KING: u8 = 5;
/// No piece.
pub const EMPTY: u8 = 12;

/// Five bits for the origin, five for the target, three for the kind that a pawn becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MiniMove(u16);

impl Move for MiniMove {
    const NONE: Self = Self(0);

    fn raw(self) -> u16 {
        self.0
    }

    fn from_raw(raw: u16) -> Self {
        Self(raw)
    }
}

impl MiniMove {
    fn new(from: u8, to: u8, promoted: u8) -> Self {
        Self(u16::from(from) | u16::from(to) << 5 | u16::from(promoted) << 10)
    }

    pub fn from(self) -> u8 {
        (self.0 & 31) as u8
    }

    pub fn to(self) -> u8 {
        (self.0 >> 5 & 31) as u8
    }

    /// The kind that a pawn becomes; none for any other move.
    pub fn promoted(self) -> Option<u8> {
        Some((self.0 >> 10) as u8).filter(|kind| *kind != PAWN)
    }
}

/// The piece of a side and a kind.
pub fn piece(side: Side, kind: u8) -> u8 {
    kind + 6 * side.index() as u8
}

pub fn kind(piece: u8) -> u8 {
    piece % 6
}

fn is_of(piece: u8, side: Side) -> bool {
    piece != EMPTY && usize::from(piece / 6) == side.index()
}

/// The square some files and ranks away, if it is on the board.
fn step(from: u8, (files, ranks): (i8, i8)) -> Option<u8> {
    let on_board = |x: i8| (0..SIZE as i8).contains(&x);
    let (file, rank) = ((from % SIZE) as i8 + files, (from / SIZE) as i8 + ranks);
    (on_board(file) && on_board(rank)).then_some((rank * SIZE as i8 + file) as u8)
}

const KNIGHT_STEPS: [(i8, i8); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
/// Rooks' directions, then bishops'.
const LINES: [(i8, i8); 8] = [(1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)];

/// The rank that a side's pawns move by.
fn forward(side: Side) -> i8 {
    match side {
        Side::First => 1,
        Side::Second => -1,
    }
}

/// A position without its history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Board {
    pub squares: [u8; SQUARES],
    pub side: Side,
    /// Plies since the last capture or pawn move.
    pub clock: u16,
}

impl Board {
    pub fn at(&self, square: u8) -> u8 {
        self.squares[usize::from(square)]
    }

    pub fn pieces(&self) -> impl Iterator<Item = (u8, u8)> + '_ {
        let all = self.squares.iter().zip(0..);
        all.filter(|(piece, _)| **piece != EMPTY)
            .map(|(piece, square)| (*piece, square))
    }

    /// The squares that the piece on a square reaches; pawns' captures, but not their steps.
    fn reached(&self, from: u8, mut each: impl FnMut(u8)) {
        let mover = self.at(from);
        let side = if mover < 6 { Side::First } else { Side::Second };
        let (steps, slides): (&[(i8, i8)], bool) = match kind(mover) {
            PAWN => (&[(-1, 1), (1, 1)], false),
            KNIGHT => (&KNIGHT_STEPS, false),
            BISHOP => (&LINES[4..], true),
            ROOK => (&LINES[..4], true),
            QUEEN => (&LINES, true),
            _ => (&LINES, false),
        };
        for &(files, ranks) in steps {
            let ranks = if kind(mover) == PAWN { forward(side) } else { ranks };
            let mut at = from;
            while let Some(next) = step(at, (files, ranks)) {
                if !is_of(self.at(next), side) {
                    each(next);
                }
                if !slides || self.at(next) != EMPTY {
                    break;
                }
                at = next;
            }
        }
    }

    /// Whether a side's king is attacked.
    pub fn in_check(&self, side: Side) -> bool {
        let king = piece(side, KING);
        let mut found = false;
        for (_, square) in self.pieces().filter(|(piece, _)| is_of(*piece, side.other())) {
            self.reached(square, |to| found |= self.at(to) == king);
        }
        found
    }

    /// Calls `each` with every legal move.
    pub fn legal(&self, mut each: impl FnMut(MiniMove)) {
        let mut try_move = |m: MiniMove| {
            if !self.after(m).in_check(self.side) {
                each(m);
            }
        };
        for (mover, from) in self.pieces().filter(|(piece, _)| is_of(*piece, self.side)) {
            if kind(mover) != PAWN {
                self.reached(from, |to| try_move(MiniMove::new(from, to, PAWN)));
                continue;
            }
            let mut pawn = |to: u8| {
                let last = to / SIZE == if self.side == Side::First { SIZE - 1 } else { 0 };
                match last {
                    true => (KNIGHT..=QUEEN).for_each(|kind| try_move(MiniMove::new(from, to, kind))),
                    false => try_move(MiniMove::new(from, to, PAWN)),
                }
            };
            if let Some(to) = step(from, (0, forward(self.side))).filter(|to| self.at(*to) == EMPTY) {
                pawn(to);
            }
            self.reached(from, |to| {
                if self.at(to) != EMPTY {
                    pawn(to);
                }
            });
        }
    }

    /// The board after a move.
    pub fn after(&self, m: MiniMove) -> Self {
        let mut next = *self;
        let mover = self.at(m.from());
        next.squares[usize::from(m.from())] = EMPTY;
        next.squares[usize::from(m.to())] = m.promoted().map_or(mover, |kind| piece(self.side, kind));
        next.side = self.side.other();
        next.clock = match kind(mover) == PAWN || self.at(m.to()) != EMPTY {
            true => 0,
            false => self.clock + 1,
        };
        next
    }
}
