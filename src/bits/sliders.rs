//! Attacks of rook and bishop on the 8x8 board: one table read, indexed by PEXT where that is fast (cfg `fast_pext`, see
//! `build.rs`), whose entries PDEP unpacks, and by magic multiplication elsewhere. Both tables are built by the compiler,
//! so a lookup checks nothing but its bounds.

use super::bb64::Bb;

const ROOK: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const BISHOP: [(i32, i32); 4] = [(1, 1), (-1, 1), (1, -1), (-1, -1)];

/// Entries of both pieces' tables: the sum over squares of 2 to the number of blockers that matter.
const SIZE: usize = 102_400 + 5_248;

/// Which bit of a result stands for which square: each its own.
const SQUARES: [u8; 64] = places(!0);

/// Places in a result that has the squares of a mask alone, side by side.
const fn places(mut mask: Bb) -> [u8; 64] {
    let (mut out, mut i) = ([0; 64], 0);
    while mask != 0 {
        out[mask.trailing_zeros() as usize] = i;
        mask &= mask - 1;
        i += 1;
    }
    out
}

/// Walks the four lines square by square, up to and with the first blocker.
const fn walk(square: u8, occupied: Bb, lines: &[(i32, i32); 4]) -> Bb {
    walk_to(square, occupied, lines, &SQUARES)
}

/// The same with other places of the squares in the result.
const fn walk_to(square: u8, occupied: Bb, lines: &[(i32, i32); 4], places: &[u8; 64]) -> Bb {
    let mut out = 0;
    let mut i = 0;
    while i < 4 {
        let (dx, dy) = lines[i];
        let (mut x, mut y) = (square as i32 % 8 + dx, square as i32 / 8 + dy);
        while x >= 0 && x < 8 && y >= 0 && y < 8 {
            let s = y * 8 + x;
            out |= 1 << places[s as usize];
            if occupied & 1 << s != 0 {
                break;
            }
            x += dx;
            y += dy;
        }
        i += 1;
    }
    out
}

/// The rook's attacks by walking: the slow truth that the tables are built from and tested against.
pub const fn walk_rook(square: u8, occupied: Bb) -> Bb {
    walk(square, occupied, &ROOK)
}

/// The bishop's attacks by walking.
pub const fn walk_bishop(square: u8, occupied: Bb) -> Bb {
    walk(square, occupied, &BISHOP)
}

/// The squares whose occupation matters: the lines without their last squares.
const fn relevant(square: u8, lines: &[(i32, i32); 4]) -> Bb {
    let mut out = 0;
    let mut i = 0;
    while i < 4 {
        let (dx, dy) = lines[i];
        let (mut x, mut y) = (square as i32 % 8 + dx, square as i32 / 8 + dy);
        while x + dx >= 0 && x + dx < 8 && y + dy >= 0 && y + dy < 8 {
            out |= 1 << (y * 8 + x);
            x += dx;
            y += dy;
        }
        i += 1;
    }
    out
}

/// A square of one piece.
#[derive(Clone, Copy)]
struct Slot {
    /// The squares whose occupation matters.
    mask: Bb,
    /// The attacks on an empty board.
    #[cfg_attr(not(fast_pext), allow(dead_code))]
    rays: Bb,
    /// Where its part of the table lies.
    offset: usize,
}

/// Rook slots, then bishop slots.
const fn slots() -> [[Slot; 64]; 2] {
    let empty = Slot {
        mask: 0,
        rays: 0,
        offset: 0,
    };
    let mut out = [[empty; 64]; 2];
    let mut offset = 0;
    let mut piece = 0;
    while piece < 2 {
        let lines = if piece == 0 { &ROOK } else { &BISHOP };
        let mut s = 0;
        while s < 64 {
            let mask = relevant(s as u8, lines);
            let rays = walk(s as u8, 0, lines);
            out[piece][s] = Slot { mask, rays, offset };
            offset += 1 << mask.count_ones();
            s += 1;
        }
        piece += 1;
    }
    out
}

/// Attacks on an empty board.
const fn lone(lines: &[(i32, i32); 4]) -> [Bb; 64] {
    let mut out = [0; 64];
    let mut s = 0;
    while s < 64 {
        out[s] = walk(s as u8, 0, lines);
        s += 1;
    }
    out
}

/// The rook's attacks on an empty board.
pub static ROOK_RAYS: [Bb; 64] = lone(&ROOK);
/// The bishop's attacks on an empty board.
pub static BISHOP_RAYS: [Bb; 64] = lone(&BISHOP);

#[cfg(fast_pext)]
pub use pext::{bishop, rook};

#[cfg(not(fast_pext))]
pub use magic::{bishop, rook};

/// The queen's attacks.
#[inline(always)]
pub fn queen(square: u8, occupied: Bb) -> Bb {
    rook(square, occupied) | bishop(square, occupied)
}

#[cfg(any(fast_pext, all(test, target_arch = "x86_64", target_feature = "bmi2")))]
mod pext {
    use super::{BISHOP, Bb, ROOK, SIZE, Slot, places, slots, walk_to};
    use std::arch::x86_64::{_pdep_u64, _pext_u64};

    static SLOTS: [[Slot; 64]; 2] = slots();
    #[allow(long_running_const_eval)]
    static TABLE: [u16; SIZE] = table();

    /// Subsets of a mask in counting order are just the order of their PEXT values. Attacks are kept as which of the at most
    /// fourteen squares of the rays they reach, so that the table, 210 kB, leaves most of the second cache to the search.
    const fn table() -> [u16; SIZE] {
        let mut out = [0; SIZE];
        let slots = slots();
        let mut i = 0;
        let mut piece = 0;
        while piece < 2 {
            let mut s = 0;
            while s < 64 {
                let Slot { mask, rays, .. } = slots[piece][s];
                let places = places(rays);
                let mut blockers: Bb = 0;
                loop {
                    let lines = if piece == 0 { &ROOK } else { &BISHOP };
                    out[i] = walk_to(s as u8, blockers, lines, &places) as u16;
                    i += 1;
                    blockers = blockers.wrapping_sub(mask) & mask;
                    if blockers == 0 {
                        break;
                    }
                }
                s += 1;
            }
            piece += 1;
        }
        out
    }

    #[inline(always)]
    fn look(slot: &Slot, occupied: Bb) -> Bb {
        // SAFETY: this module is compiled only for targets that have BMI2. The safe twin is `magic`; the tests compare.
        unsafe {
            let reached = TABLE[slot.offset + _pext_u64(occupied, slot.mask) as usize];
            _pdep_u64(u64::from(reached), slot.rays)
        }
    }

    /// The rook's attacks.
    #[inline(always)]
    pub fn rook(square: u8, occupied: Bb) -> Bb {
        look(&SLOTS[0][square as usize & 63], occupied)
    }

    /// The bishop's attacks.
    #[inline(always)]
    pub fn bishop(square: u8, occupied: Bb) -> Bb {
        look(&SLOTS[1][square as usize & 63], occupied)
    }
}

#[cfg(any(not(fast_pext), test))]
mod magic {
    use super::super::magics::{BISHOP_MAGIC, ROOK_MAGIC};
    use super::{BISHOP, Bb, ROOK, SIZE, slots, walk};

    #[derive(Clone, Copy)]
    struct Magic {
        mask: Bb,
        factor: u64,
        shift: u32,
        offset: usize,
    }

    static MAGICS: [[Magic; 64]; 2] = magics();
    #[allow(long_running_const_eval)]
    static TABLE: [Bb; SIZE] = table();

    const fn magics() -> [[Magic; 64]; 2] {
        let slots = slots();
        let mut out = [[Magic {
            mask: 0,
            factor: 0,
            shift: 0,
            offset: 0,
        }; 64]; 2];
        let mut s = 0;
        while s < 64 {
            let (r, b) = (slots[0][s], slots[1][s]);
            out[0][s] = Magic {
                mask: r.mask,
                factor: ROOK_MAGIC[s],
                shift: 64 - r.mask.count_ones(),
                offset: r.offset,
            };
            out[1][s] = Magic {
                mask: b.mask,
                factor: BISHOP_MAGIC[s],
                shift: 64 - b.mask.count_ones(),
                offset: b.offset,
            };
            s += 1;
        }
        out
    }

    const fn table() -> [Bb; SIZE] {
        let mut out = [0; SIZE];
        let magics = magics();
        let mut piece = 0;
        while piece < 2 {
            let mut s = 0;
            while s < 64 {
                let m = magics[piece][s];
                let mut blockers: Bb = 0;
                loop {
                    let i = m.offset + (blockers.wrapping_mul(m.factor) >> m.shift) as usize;
                    out[i] = walk(s as u8, blockers, if piece == 0 { &ROOK } else { &BISHOP });
                    blockers = blockers.wrapping_sub(m.mask) & m.mask;
                    if blockers == 0 {
                        break;
                    }
                }
                s += 1;
            }
            piece += 1;
        }
        out
    }

    #[inline(always)]
    fn look(m: &Magic, occupied: Bb) -> Bb {
        TABLE[m.offset + ((occupied & m.mask).wrapping_mul(m.factor) >> m.shift) as usize]
    }

    /// The rook's attacks.
    #[inline(always)]
    pub fn rook(square: u8, occupied: Bb) -> Bb {
        look(&MAGICS[0][square as usize & 63], occupied)
    }

    /// The bishop's attacks.
    #[inline(always)]
    pub fn bishop(square: u8, occupied: Bb) -> Bb {
        look(&MAGICS[1][square as usize & 63], occupied)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::rng::SplitMix;

    /// Calls `f` with every set of blockers that matters on a square, and one that does not.
    fn every_blocker_set(square: u8, lines: &[(i32, i32); 4], f: impl Fn(Bb)) {
        let mask = relevant(square, lines);
        let mut blockers: Bb = 0;
        loop {
            f(blockers);
            f(blockers | !mask);
            blockers = blockers.wrapping_sub(mask) & mask;
            if blockers == 0 {
                break;
            }
        }
    }

    /// Both tables in one build, entry by entry: builds with the feature `magic` and without it search the same nodes.
    #[test]
    fn magic_and_pext_agree_on_every_blocker_set() {
        for s in 0..64 {
            every_blocker_set(s, &ROOK, |occupied| {
                assert_eq!(magic::rook(s, occupied), walk_rook(s, occupied));
                #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
                assert_eq!(pext::rook(s, occupied), magic::rook(s, occupied));
            });
            every_blocker_set(s, &BISHOP, |occupied| {
                assert_eq!(magic::bishop(s, occupied), walk_bishop(s, occupied));
                #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
                assert_eq!(pext::bishop(s, occupied), magic::bishop(s, occupied));
            });
        }
    }

    #[test]
    fn tables_agree_with_the_walk() {
        let mut random = SplitMix::new(1);
        for round in 0..2000 {
            // Sparse and dense boards alike.
            let occupied = if round % 2 == 0 {
                random.next() & random.next()
            } else {
                random.next()
            };
            for s in 0..64 {
                assert_eq!(rook(s, occupied), walk_rook(s, occupied));
                assert_eq!(bishop(s, occupied), walk_bishop(s, occupied));
                assert_eq!(magic::rook(s, occupied), walk_rook(s, occupied));
                assert_eq!(magic::bishop(s, occupied), walk_bishop(s, occupied));
                #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
                {
                    assert_eq!(pext::rook(s, occupied), walk_rook(s, occupied));
                    assert_eq!(pext::bishop(s, occupied), walk_bishop(s, occupied));
                }
            }
        }
    }
}
