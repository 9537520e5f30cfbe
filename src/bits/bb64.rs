//! Sets of squares of an 8x8 board as 64-bit words: bit 0 is a1, bit 7 is h1, bit 63 is h8.

/// A set of squares.
pub type Bb = u64;

/// The a-file.
pub const FILE_A: Bb = 0x0101_0101_0101_0101;
/// The h-file.
pub const FILE_H: Bb = FILE_A << 7;
/// The first rank.
pub const RANK_1: Bb = 0xff;
/// The eighth rank.
pub const RANK_8: Bb = RANK_1 << 56;
/// The dark squares, a1 among them.
pub const DARK: Bb = 0xaa55_aa55_aa55_aa55;

/// The set of one square.
#[inline(always)]
pub const fn bit(square: u8) -> Bb {
    1 << (square & 63)
}

/// The lowest square; 64 of an empty set.
#[inline(always)]
pub const fn low(b: Bb) -> u8 {
    b.trailing_zeros() as u8
}

/// Whether there are at least two squares.
#[inline(always)]
pub const fn several(b: Bb) -> bool {
    b & b.wrapping_sub(1) != 0
}

/// Whether the square belongs to the set.
#[inline(always)]
pub const fn has(b: Bb, square: u8) -> bool {
    b >> (square & 63) & 1 != 0
}

/// A file, 0 for the a-file.
#[inline(always)]
pub const fn file(f: u8) -> Bb {
    FILE_A << (f & 7)
}

/// A rank, 0 for the first.
#[inline(always)]
pub const fn rank(r: u8) -> Bb {
    RANK_1 << ((r & 7) * 8)
}

/// All squares one step to the east.
#[inline(always)]
pub const fn east(b: Bb) -> Bb {
    (b & !FILE_H) << 1
}

/// All squares one step to the west.
#[inline(always)]
pub const fn west(b: Bb) -> Bb {
    (b & !FILE_A) >> 1
}

/// The squares of a set, lowest first.
#[derive(Clone, Copy, Debug)]
pub struct Squares(pub Bb);

impl Iterator for Squares {
    type Item = u8;

    #[inline(always)]
    fn next(&mut self) -> Option<u8> {
        if self.0 == 0 {
            return None;
        }
        let square = low(self.0);
        self.0 &= self.0 - 1;
        Some(square)
    }
}

/// Walks over a set.
#[inline(always)]
pub const fn squares(b: Bb) -> Squares {
    Squares(b)
}

const fn leaper(steps: &[(i32, i32)]) -> [Bb; 64] {
    let mut table = [0; 64];
    let mut s = 0;
    while s < 64 {
        let mut i = 0;
        while i < steps.len() {
            let (x, y) = (s % 8 + steps[i].0, s / 8 + steps[i].1);
            if x >= 0 && x < 8 && y >= 0 && y < 8 {
                table[s as usize] |= 1 << (y * 8 + x);
            }
            i += 1;
        }
        s += 1;
    }
    table
}

/// Where a knight goes.
pub static KNIGHT: [Bb; 64] = leaper(&[(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]);
/// Where a king goes.
pub static KING: [Bb; 64] = leaper(&[(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]);
/// What a pawn attacks, by side.
pub static PAWN: [[Bb; 64]; 2] = [leaper(&[(-1, 1), (1, 1)]), leaper(&[(-1, -1), (1, -1)])];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_walked_lowest_first() {
        assert_eq!(squares(bit(3) | bit(40) | bit(63)).collect::<Vec<_>>(), [3, 40, 63]);
        assert!(several(6) && !several(4) && !several(0) && has(8, 3));
    }

    #[test]
    fn leapers_stay_on_the_board() {
        assert_eq!(KNIGHT.iter().map(|b| b.count_ones()).sum::<u32>(), 336);
        assert_eq!(KING.iter().map(|b| b.count_ones()).sum::<u32>(), 420);
        assert_eq!(PAWN[0][8], bit(17));
        assert_eq!(PAWN[1][9], bit(0) | bit(2));
    }
}
