//! Static exchange evaluation. A capture counts twice: the piece is lost to one side and held by the other.

use super::attacks::{bishop, diagonals, lance, rook};
use super::material::VALUE;
use super::position::Shogi;
use super::types::{EMPTY, KINDS, Kind, SMove, file, kind_of};
use crate::bits::Bb128;
use crate::game::{Score, Side};

/// What the capture of a kind changes: the piece is lost to one side, and its origin held by the other.
const EXCHANGE: [Score; 14] = {
    let mut out = [0; 14];
    let mut k = 0;
    while k < 14 {
        out[k] = VALUE[k] + VALUE[KINDS[k].origin() as usize];
        k += 1;
    }
    out
};

/// Least valuable first.
const ORDER: [Kind; 14] = [
    Kind::Pawn,
    Kind::Lance,
    Kind::Knight,
    Kind::Tokin,
    Kind::Silver,
    Kind::ProLance,
    Kind::ProKnight,
    Kind::ProSilver,
    Kind::Gold,
    Kind::Bishop,
    Kind::Rook,
    Kind::Horse,
    Kind::Dragon,
    Kind::King,
];

impl Shogi {
    /// The value of what a move takes, and of its promotion.
    #[inline]
    pub(super) fn gain(&self, m: SMove) -> Score {
        if m.is_drop() {
            return 0;
        }
        let b = &self.board;
        let taken = match b.at(m.to()) {
            EMPTY => 0,
            taken => EXCHANGE[kind_of(taken) as usize],
        };
        if m.is_promotion() {
            let kind = kind_of(b.at(m.from()));
            taken + VALUE[kind.promoted() as usize] - VALUE[kind as usize]
        } else {
            taken
        }
    }

    pub(super) fn see_ge(&self, m: SMove, floor: Score) -> bool {
        let b = &self.board;
        let to = m.to();
        let mut swap = self.gain(m) - floor;
        if swap < 0 {
            return false;
        }
        let (kind, start) = match m.dropped() {
            Some(kind) => (kind, Bb128::EMPTY),
            None => (kind_of(b.at(m.from())), Bb128::of(m.from())),
        };
        let risked = if m.is_promotion() { kind.promoted() } else { kind };
        swap = EXCHANGE[risked as usize] - swap;
        if swap <= 0 {
            return true;
        }
        let mut occupied = b.occupied().without(start) | Bb128::of(to);
        let mut side = b.side;
        let mut wins = true;
        let mut all = b.attackers(to, occupied, Side::First) | b.attackers(to, occupied, Side::Second);
        loop {
            side = side.other();
            all &= occupied;
            let mine = all & b.of(side);
            if mine.is_empty() {
                return wins;
            }
            wins = !wins;
            let Some(kind) = ORDER.into_iter().find(|&k| mine.meets(b.kind(k))) else {
                return wins;
            };
            let from = (mine & b.kind(kind)).first();
            if kind == Kind::King {
                // The king may take only what is not defended once it has left its point.
                let rest = b.attackers(to, occupied.without(Bb128::of(from)), side.other()) & occupied;
                return if rest.any() { !wins } else { wins };
            }
            swap = EXCHANGE[kind as usize] - swap;
            if swap < i32::from(wins) {
                return wins;
            }
            occupied = occupied.without(Bb128::of(from));
            all |= self.behind(to, from, occupied);
        }
    }

    /// The sliders that bear on `to` through `from`, which has just been left.
    #[inline]
    fn behind(&self, to: u8, from: u8, occupied: Bb128) -> Bb128 {
        let b = &self.board;
        if diagonals(to).has(from) {
            return bishop(to, occupied) & (b.kind(Kind::Bishop) | b.kind(Kind::Horse));
        }
        let rooks = rook(to, occupied) & (b.kind(Kind::Rook) | b.kind(Kind::Dragon));
        if file(to) != file(from) {
            return rooks;
        }
        rooks
            | lance(Side::Second, to, occupied) & b.pieces(Side::First, Kind::Lance)
            | lance(Side::First, to, occupied) & b.pieces(Side::Second, Kind::Lance)
    }
}
