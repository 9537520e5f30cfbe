//! Attack tables, computed by the compiler.
//!
//! Rooks and lances use one table per place of a line, as their sister game does: 20 KB stay in the first cache level.
//! A bishop's diagonal holds at most one point of each rank, so all its files may be laid over each other: one
//! multiplication gathers them, and a table of lines repeated over all files gives the answer under the diagonal's
//! mask. Where PEXT is fast (cfg `fast_pext`), one table read serves both diagonals.

use super::types::{POINTS, file, rank};
use crate::bits::Bb128;
use crate::game::Side;

/// Bits 9, 18, .., 63: the inner files of a rank.
const INNER: u64 = 0x8040_2010_0804_0200;
/// One bit in each of seven files.
const FILES: u64 = 0x0040_2010_0804_0201;

const fn bit(f: i32, r: i32) -> u128 {
    if f >= 0 && f < 9 && r >= 0 && r < 9 {
        1 << (f * 9 + r)
    } else {
        0
    }
}

/// What a line piece at `place` of nine reaches when the places 1..8 are occupied as `inner` tells.
const fn line(place: usize, inner: usize) -> u16 {
    let occupied = inner << 1;
    let mut out = 0;
    let mut at = place;
    while at > 0 {
        at -= 1;
        out |= 1 << at;
        if occupied >> at & 1 != 0 {
            break;
        }
    }
    at = place;
    while at < 8 {
        at += 1;
        out |= 1 << at;
        if occupied >> at & 1 != 0 {
            break;
        }
    }
    out
}

/// How a line is written into a board: along the first file, along the first rank, or repeated over all files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Write {
    File,
    Rank,
    #[cfg(any(not(fast_pext), test))]
    Repeat,
}

const fn line_table(write: Write) -> [[u128; 128]; 9] {
    let mut table = [[0; 128]; 9];
    let mut place = 0;
    while place < 9 {
        let mut inner = 0;
        while inner < 128 {
            let narrow = line(place, inner) as u128;
            let mut f = 0;
            while f < 9 {
                table[place][inner] |= match write {
                    Write::File => narrow,
                    Write::Rank => (narrow >> f & 1) << (9 * f),
                    #[cfg(any(not(fast_pext), test))]
                    Write::Repeat => narrow << (9 * f),
                };
                f += 1;
            }
            inner += 1;
        }
        place += 1;
    }
    table
}

static ALONG_FILE: [[u128; 128]; 9] = line_table(Write::File);
static ALONG_RANK: [[u128; 128]; 9] = line_table(Write::Rank);
#[cfg(any(not(fast_pext), test))]
static REPEATED: [[u128; 128]; 9] = line_table(Write::Repeat);

/// All points on a line in direction `(df, dr)` and its opposite, without the point itself.
const fn both_ways(df: i32, dr: i32) -> [u128; POINTS] {
    let mut table = [0; POINTS];
    let mut p = 0;
    while p < POINTS {
        let (f, r) = (p as i32 / 9, p as i32 % 9);
        let mut n = 1;
        while n < 9 {
            table[p] |= bit(f + n * df, r + n * dr) | bit(f - n * df, r - n * dr);
            n += 1;
        }
        p += 1;
    }
    table
}

const fn either(a: [u128; POINTS], b: [u128; POINTS]) -> [u128; POINTS] {
    let mut out = a;
    let mut p = 0;
    while p < POINTS {
        out[p] |= b[p];
        p += 1;
    }
    out
}

#[cfg(any(not(fast_pext), test))]
static RISING: [u128; POINTS] = both_ways(1, 1);
#[cfg(any(not(fast_pext), test))]
static FALLING: [u128; POINTS] = both_ways(1, -1);
static CROSS: [u128; POINTS] = either(both_ways(1, 0), both_ways(0, 1));
static DIAGONALS: [u128; POINTS] = either(both_ways(1, 1), both_ways(1, -1));

const fn steps(list: &[(i32, i32)]) -> [[u128; POINTS]; 2] {
    let mut table = [[0; POINTS]; 2];
    let mut p = 0;
    while p < POINTS {
        let (f, r) = (p as i32 / 9, p as i32 % 9);
        let mut i = 0;
        while i < list.len() {
            table[0][p] |= bit(f + list[i].0, r + list[i].1);
            table[1][p] |= bit(f - list[i].0, r - list[i].1);
            i += 1;
        }
        p += 1;
    }
    table
}

static PAWN: [[u128; POINTS]; 2] = steps(&[(0, -1)]);
static KNIGHT: [[u128; POINTS]; 2] = steps(&[(-1, -2), (1, -2)]);
static SILVER: [[u128; POINTS]; 2] = steps(&[(-1, -1), (0, -1), (1, -1), (-1, 1), (1, 1)]);
static GOLD: [[u128; POINTS]; 2] = steps(&[(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (0, 1)]);
static KING: [[u128; POINTS]; 2] = steps(&[(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)]);
static AHEAD: [[u128; POINTS]; 2] = steps(&[(0, -1), (0, -2), (0, -3), (0, -4), (0, -5), (0, -6), (0, -7), (0, -8)]);

const fn betweens() -> [[u128; POINTS]; POINTS] {
    const WAYS: [(i32, i32); 8] = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)];
    let mut table = [[0; POINTS]; POINTS];
    let mut p = 0;
    while p < POINTS {
        let mut w = 0;
        while w < 8 {
            let (mut f, mut r) = (p as i32 / 9 + WAYS[w].0, p as i32 % 9 + WAYS[w].1);
            let mut way = 0;
            while bit(f, r) != 0 {
                table[p][(f * 9 + r) as usize] = way;
                way |= bit(f, r);
                f += WAYS[w].0;
                r += WAYS[w].1;
            }
            w += 1;
        }
        p += 1;
    }
    table
}

static BETWEEN: [[u128; POINTS]; POINTS] = betweens();

/// The points strictly between two points of a line; none when they share no line.
#[inline]
pub fn between(a: u8, b: u8) -> Bb128 {
    Bb128(BETWEEN[a as usize][b as usize])
}

/// A pawn's step.
#[inline]
pub fn pawn(side: Side, point: u8) -> Bb128 {
    Bb128(PAWN[side.index()][point as usize])
}

/// A knight's jumps.
#[inline]
pub fn knight(side: Side, point: u8) -> Bb128 {
    Bb128(KNIGHT[side.index()][point as usize])
}

/// A silver's steps.
#[inline]
pub fn silver(side: Side, point: u8) -> Bb128 {
    Bb128(SILVER[side.index()][point as usize])
}

/// A gold's steps.
#[inline]
pub fn gold(side: Side, point: u8) -> Bb128 {
    Bb128(GOLD[side.index()][point as usize])
}

/// A king's steps.
#[inline]
pub fn king(point: u8) -> Bb128 {
    Bb128(KING[0][point as usize])
}

/// All points before a point, as a side sees it: a lance's way on an empty board.
#[inline]
pub fn ahead(side: Side, point: u8) -> Bb128 {
    Bb128(AHEAD[side.index()][point as usize])
}

/// A rook's points on an empty board.
#[inline]
pub fn cross(point: u8) -> Bb128 {
    Bb128(CROSS[point as usize])
}

/// A bishop's points on an empty board.
#[inline]
pub fn diagonals(point: u8) -> Bb128 {
    Bb128(DIAGONALS[point as usize])
}

/// The points that share a line with a point.
#[inline]
pub fn lines(point: u8) -> Bb128 {
    cross(point) | diagonals(point)
}

/// Up and down a file, to the first piece each way.
#[inline]
pub fn along_file(point: u8, occupied: Bb128) -> Bb128 {
    let start = 9 * file(point);
    let inner = (occupied.0 >> (start + 1)) as usize & 127;
    Bb128(ALONG_FILE[rank(point) as usize][inner] << start)
}

/// Along a rank, to the first piece each way.
#[inline]
fn along_rank(point: u8, occupied: Bb128) -> Bb128 {
    let r = rank(point);
    let inner = ((occupied.0 >> r) as u64 & INNER).wrapping_mul(0x0101_0101_0101_0101) >> 57;
    Bb128(ALONG_RANK[file(point) as usize][inner as usize] << r)
}

/// A lance's attacks.
#[inline]
pub fn lance(side: Side, point: u8, occupied: Bb128) -> Bb128 {
    along_file(point, occupied) & ahead(side, point)
}

/// A rook's attacks.
#[inline]
pub fn rook(point: u8, occupied: Bb128) -> Bb128 {
    along_file(point, occupied) | along_rank(point, occupied)
}

/// One diagonal through a point: its files laid over each other are its ranks' occupation.
#[cfg(any(not(fast_pext), test))]
#[inline]
fn along_diagonal(point: u8, occupied: u128, mask: u128) -> u128 {
    let on = occupied & mask;
    let folded = on as u64 & (u64::MAX >> 1) | (on >> 63) as u64;
    let inner = folded.wrapping_mul(FILES) >> 55 & 127;
    REPEATED[rank(point) as usize][inner as usize] & mask
}

/// A bishop's attacks without PEXT.
#[cfg(any(not(fast_pext), test))]
#[inline]
fn bishop_folded(point: u8, occupied: Bb128) -> Bb128 {
    let p = point as usize;
    Bb128(along_diagonal(point, occupied.0, RISING[p]) | along_diagonal(point, occupied.0, FALLING[p]))
}

/// A bishop's attacks.
#[inline]
pub fn bishop(point: u8, occupied: Bb128) -> Bb128 {
    #[cfg(fast_pext)]
    return bishop_pext(point, occupied);
    #[cfg(not(fast_pext))]
    bishop_folded(point, occupied)
}

/// A bishop's attacks by PEXT.
#[cfg(any(fast_pext, all(test, target_arch = "x86_64", target_feature = "bmi2")))]
#[inline]
fn bishop_pext(point: u8, occupied: Bb128) -> Bb128 {
    use std::arch::x86_64::_pext_u64;
    let spot = &pext::SPOTS[point as usize];
    // SAFETY: this is compiled only where BMI2 is a target feature. The safe twin is `bishop_folded`; the tests compare.
    let (low, high) = unsafe {
        (
            _pext_u64(occupied.0 as u64, spot.low),
            _pext_u64((occupied.0 >> 64) as u64, spot.high),
        )
    };
    Bb128(pext::TABLE[(u64::from(spot.start) + (low | high << spot.shift)) as usize])
}

/// Both diagonals' attacks in one table, 316 KB.
#[cfg(any(fast_pext, all(test, target_arch = "x86_64", target_feature = "bmi2")))]
mod pext {
    use super::{POINTS, both_ways, either, line};

    /// What may block a bishop, in two halves, and where its part of the table starts.
    #[derive(Clone, Copy)]
    pub struct Spot {
        pub low: u64,
        pub high: u64,
        pub start: u32,
        pub shift: u32,
    }

    const RISING: [u128; POINTS] = both_ways(1, 1);
    const FALLING: [u128; POINTS] = both_ways(1, -1);
    const DIAGONALS: [u128; POINTS] = either(RISING, FALLING);
    /// The points off all edges.
    const INSIDE: u128 = {
        let mut out = 0;
        let mut f = 1;
        while f < 8 {
            out |= 0b0_1111_1110 << (9 * f);
            f += 1;
        }
        out
    };
    const SIZE: usize = {
        let (mut n, mut p) = (0, 0);
        while p < POINTS {
            n += 1 << (DIAGONALS[p] & INSIDE).count_ones();
            p += 1;
        }
        n
    };

    pub static SPOTS: [Spot; POINTS] = {
        let mut out = [Spot {
            low: 0,
            high: 0,
            start: 0,
            shift: 0,
        }; POINTS];
        let (mut start, mut p) = (0, 0);
        while p < POINTS {
            let mask = DIAGONALS[p] & INSIDE;
            out[p] = Spot {
                low: mask as u64,
                high: (mask >> 64) as u64,
                start,
                shift: (mask as u64).count_ones(),
            };
            start += 1 << mask.count_ones();
            p += 1;
        }
        out
    };

    const fn diagonal(point: usize, occupied: u128, mask: u128) -> u128 {
        let on = occupied & mask;
        let folded = on as u64 & (u64::MAX >> 1) | (on >> 63) as u64;
        let inner = folded.wrapping_mul(super::FILES) >> 55 & 127;
        let all = line(point % 9, inner as usize) as u128;
        (all * 0x100_8040_2010_0804_0201) & mask
    }

    // A long but simple computation, done once by the compiler instead of at every start.
    #[allow(long_running_const_eval)]
    pub static TABLE: [u128; SIZE] = {
        let mut out = [0; SIZE];
        let (mut i, mut p) = (0, 0);
        while p < POINTS {
            let mask = DIAGONALS[p] & INSIDE;
            let mut occupied = 0u128;
            loop {
                out[i] = diagonal(p, occupied, RISING[p]) | diagonal(p, occupied, FALLING[p]);
                i += 1;
                // The next subset of the mask, in the order of PEXT (carry-rippler).
                occupied = occupied.wrapping_sub(mask) & mask;
                if occupied == 0 {
                    break;
                }
            }
            p += 1;
        }
        out
    };
}

/// A promoted bishop's attacks.
#[inline]
pub fn horse(point: u8, occupied: Bb128) -> Bb128 {
    bishop(point, occupied) | king(point)
}

/// A promoted rook's attacks.
#[inline]
pub fn dragon(point: u8, occupied: Bb128) -> Bb128 {
    rook(point, occupied) | king(point)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::rng::SplitMix;

    fn slow(point: u8, occupied: Bb128, ways: &[(i32, i32)]) -> Bb128 {
        let mut out = 0;
        for &(df, dr) in ways {
            let (mut f, mut r) = (i32::from(file(point)) + df, i32::from(rank(point)) + dr);
            while bit(f, r) != 0 {
                out |= bit(f, r);
                if occupied.0 & bit(f, r) != 0 {
                    break;
                }
                f += df;
                r += dr;
            }
        }
        Bb128(out)
    }

    #[test]
    fn sliders_agree_with_walking() {
        let mut rng = SplitMix::new(81);
        for _ in 0..2000 {
            let mut occupied = u128::from(rng.next()) << 64 | u128::from(rng.next());
            occupied &= u128::from(rng.next()) << 64 | u128::from(rng.next());
            let occupied = Bb128(occupied & ((1 << POINTS) - 1));
            for p in 0..POINTS as u8 {
                let slanted = slow(p, occupied, &[(1, 1), (1, -1), (-1, 1), (-1, -1)]);
                assert_eq!(bishop(p, occupied), slanted);
                assert_eq!(bishop_folded(p, occupied), slanted);
                #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
                assert_eq!(bishop_pext(p, occupied), slanted);
                assert_eq!(
                    rook(p, occupied),
                    slow(p, occupied, &[(1, 0), (0, 1), (-1, 0), (0, -1)])
                );
                assert_eq!(lance(Side::First, p, occupied), slow(p, occupied, &[(0, -1)]));
                assert_eq!(lance(Side::Second, p, occupied), slow(p, occupied, &[(0, 1)]));
            }
        }
    }
}
