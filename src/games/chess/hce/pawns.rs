//! Pawn structure and the king's shelter, kept in a table by the keys of pawns and kings.

use super::Pair;
use super::terms::{Sink, Sum, index};
use crate::bits::bb64::{Bb, bit, east, file, squares, west};
use crate::game::Side;
use crate::games::chess::Chess;
use crate::games::chess::types::PAWN;

/// What the pawns and kings alone tell.
#[derive(Clone, Copy, Default)]
pub struct PawnEntry {
    key: u64,
    /// Sum of the pawn terms, white's minus black's.
    pub score: Pair,
    /// Squares attacked by pawns, by side.
    pub attacks: [Bb; 2],
    /// Squares that pawns attack now or may after advancing, by side.
    pub span: [Bb; 2],
    /// Passed pawns by side.
    pub passed: [Bb; 2],
}

/// Entries by key.
pub struct PawnTable {
    entries: Box<[PawnEntry]>,
}

const SIZE: usize = 1 << 13;

impl PawnTable {
    /// An empty table.
    pub fn new() -> Self {
        Self {
            entries: vec![PawnEntry::default(); SIZE].into_boxed_slice(),
        }
    }

    /// The entry of a position's pawns.
    #[inline]
    pub fn probe(&mut self, p: &Chess) -> &PawnEntry {
        // The shelter depends on the kings too; key 0 marks an empty entry.
        let kings = u64::from(p.king(Side::First)) << 6 | u64::from(p.king(Side::Second));
        let key = (p.pawn_key() ^ (kings + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)) | 1;
        let entry = &mut self.entries[(key >> 32) as usize % SIZE];
        if entry.key != key {
            let mut sum = Sum::default();
            *entry = count(p, &mut sum);
            entry.score = sum.sides[0].minus(sum.sides[1]);
            entry.key = key;
        }
        entry
    }
}

/// Squares attacked by a set of pawns.
#[inline]
pub(super) fn attacks(set: Bb, side: usize) -> Bb {
    let ahead = if side == 0 { set << 8 } else { set >> 8 };
    east(ahead) | west(ahead)
}

/// All squares ahead of a set on its files.
#[inline]
fn fill_ahead(mut set: Bb, side: usize) -> Bb {
    if side == 0 {
        set |= set << 8;
        set |= set << 16;
        set |= set << 32;
    } else {
        set |= set >> 8;
        set |= set >> 16;
        set |= set >> 32;
    }
    set
}

/// The squares ahead of a square on its file, itself left out.
#[inline]
pub(super) fn front_span(square: u8, side: usize) -> Bb {
    fill_ahead(bit(square), side) & !bit(square)
}

/// Counts the pawn terms.
pub(super) fn count<S: Sink>(p: &Chess, sink: &mut S) -> PawnEntry {
    let mut entry = PawnEntry::default();
    let pawns = [p.pieces(Side::First, PAWN), p.pieces(Side::Second, PAWN)];
    for side in 0..2 {
        entry.attacks[side] = attacks(pawns[side], side);
        entry.span[side] = fill_ahead(entry.attacks[side], side);
    }
    for side in 0..2 {
        structure(pawns, side, &mut entry, sink);
        let king = p.king(if side == 0 { Side::First } else { Side::Second });
        shelter(pawns, side, king, sink);
    }
    entry
}

fn structure<S: Sink>(pawns: [Bb; 2], side: usize, entry: &mut PawnEntry, sink: &mut S) {
    let (own, their) = (pawns[side], pawns[1 - side]);
    for s in squares(own) {
        let rank = if side == 0 { s / 8 } else { 7 - s / 8 } as usize;
        let front = front_span(s, side);
        let beside = east(file(s % 8)) | west(file(s % 8));
        let open = their & front == 0;
        if own & front != 0 {
            sink.add(side, index::DOUBLED, 1);
        } else if open && their & (east(front) | west(front)) == 0 {
            entry.passed[side] |= bit(s);
            sink.add(side, index::PASSED + rank, 1);
        }
        let neighbours = own & beside;
        let level = east(bit(s)) | west(bit(s));
        if neighbours == 0 {
            sink.add(side, index::ISOLATED + usize::from(open), 1);
        } else {
            // No neighbour level with it or behind, and its next square is guarded by an enemy pawn.
            let behind = fill_ahead(level, 1 - side);
            let step = if side == 0 { bit(s) << 8 } else { bit(s) >> 8 };
            if own & behind == 0 && entry.attacks[1 - side] & step != 0 {
                sink.add(side, index::BACKWARD + usize::from(open), 1);
            }
        }
        if entry.attacks[side] & bit(s) != 0 {
            sink.add(side, index::DEFENDED + rank, 1);
        }
        if own & level != 0 {
            sink.add(side, index::PHALANX + rank, 1);
        }
    }
}

/// Pawns on the king's file and those beside.
fn shelter<S: Sink>(pawns: [Bb; 2], side: usize, king: u8, sink: &mut S) {
    let centre = (king % 8).clamp(1, 6);
    // Level with the king and ahead of it.
    let ahead = fill_ahead(0xff << (king & 56), side);
    for f in centre - 1..=centre + 1 {
        let nearest = |set: Bb| -> usize {
            let set = set & file(f) & ahead;
            if set == 0 {
                0
            } else if side == 0 {
                (set.trailing_zeros() / 8) as usize
            } else {
                7 - ((63 - set.leading_zeros()) / 8) as usize
            }
        };
        let (own, their) = (nearest(pawns[side]), nearest(pawns[1 - side]));
        sink.add(side, index::SHELTER + 8 * f.min(7 - f) as usize + own, 1);
        let blocked = own != 0 && own + 1 == their;
        sink.add(side, index::STORM + 8 * usize::from(blocked) + their, 1);
    }
}
