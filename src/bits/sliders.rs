//! Attacks of rook and bishop on the 8x8 board: one table read, indexed by PEXT where that is fast (cfg `fast_pext`, see
//! `build.rs`) and by magic multiplication elsewhere. Both tables are built by the compiler, so a lookup checks nothing
//! but its bounds.

use super::bb64::Bb;

const ROOK: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const BISHOP: [(i32, i32); 4] = [(1, 1), (-1, 1), (1, -1), (-1, -1)];

/// Entries of both pieces' tables: the sum over squares of 2 to the number of blockers that matter.
const SIZE: usize = 102_400 + 5_248;

/// Walks the four lines square by square, up to and with the first blocker.
const fn walk(square: u8, occupied: Bb, lines: &[(i32, i32); 4]) -> Bb {
    let mut out = 0;
    let mut i = 0;
    while i < 4 {
        let (dx, dy) = lines[i];
        let (mut x, mut y) = (square as i32 % 8 + dx, square as i32 / 8 + dy);
        while x >= 0 && x < 8 && y >= 0 && y < 8 {
            let b = 1 << (y * 8 + x);
            out |= b;
            if occupied & b != 0 {
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

/// Where a square's part of the table lies.
#[derive(Clone, Copy)]
struct Slot {
    mask: Bb,
    offset: usize,
}

/// Rook slots, then bishop slots.
const fn slots() -> [[Slot; 64]; 2] {
    let mut out = [[Slot { mask: 0, offset: 0 }; 64]; 2];
    let mut offset = 0;
    let mut piece = 0;
    while piece < 2 {
        let mut s = 0;
        while s < 64 {
            let mask = relevant(s as u8, if piece == 0 { &ROOK } else { &BISHOP });
            out[piece][s] = Slot { mask, offset };
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
    use super::{BISHOP, Bb, ROOK, SIZE, Slot, slots, walk};
    use std::arch::x86_64::_pext_u64;

    static SLOTS: [[Slot; 64]; 2] = slots();
    #[allow(long_running_const_eval)]
    static TABLE: [Bb; SIZE] = table();

    /// Subsets of a mask in counting order are just the order of their PEXT values.
    const fn table() -> [Bb; SIZE] {
        let mut out = [0; SIZE];
        let slots = slots();
        let mut i = 0;
        let mut piece = 0;
        while piece < 2 {
            let mut s = 0;
            while s < 64 {
                let mask = slots[piece][s].mask;
                let mut blockers: Bb = 0;
                loop {
                    out[i] = walk(s as u8, blockers, if piece == 0 { &ROOK } else { &BISHOP });
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
    fn extract(bits: u64, mask: u64) -> usize {
        // SAFETY: this module is compiled only for targets that have BMI2. The safe twin is `magic`; the tests compare.
        unsafe { _pext_u64(bits, mask) as usize }
    }

    /// The rook's attacks.
    #[inline(always)]
    pub fn rook(square: u8, occupied: Bb) -> Bb {
        let slot = &SLOTS[0][square as usize & 63];
        TABLE[slot.offset + extract(occupied, slot.mask)]
    }

    /// The bishop's attacks.
    #[inline(always)]
    pub fn bishop(square: u8, occupied: Bb) -> Bb {
        let slot = &SLOTS[1][square as usize & 63];
        TABLE[slot.offset + extract(occupied, slot.mask)]
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
