//! Attack tables, computed by the compiler.
//!
//! Chariots and cannons use one table per rank and one per file instead of a table per point: 50 KB for both kinds stay
//! in the first cache levels. A file's ten bits are gathered by one multiplication, which takes the three cycles of a
//! PEXT on every machine, so there is no second build for machines that have it.

use super::types::{POINTS, file, rank};
use crate::bits::Bb128;
use crate::game::Side;

/// Bits 0, 9, .., 63: a file's first eight ranks in the low half.
const DIAGONAL: u64 = 0x8040_2010_0804_0201;

const fn on(f: i32, r: i32) -> bool {
    f >= 0 && f < 9 && r >= 0 && r < 10
}

const fn bit(f: i32, r: i32) -> u128 {
    if on(f, r) { 1 << (r * 9 + f) } else { 0 }
}

/// What a line piece at `place` of a line of `length` reaches with `inner` (bits of places 1 .. length-1 without the
/// ends): up to the first piece or, for a cannon's capture (`hop`), from behind that screen up to the second.
const fn line(place: usize, length: usize, inner: usize, hop: bool) -> u16 {
    let occupied = inner << 1;
    let mut out = 0;
    let mut way = 0;
    while way < 2 {
        let mut screens = 0;
        let mut at = place;
        loop {
            if way == 0 {
                if at == 0 {
                    break;
                }
                at -= 1;
            } else {
                at += 1;
                if at == length {
                    break;
                }
            }
            if hop && screens == 1 || !hop && screens == 0 {
                out |= 1 << at;
            }
            if occupied >> at & 1 != 0 {
                screens += 1;
                if screens == 2 || !hop {
                    break;
                }
            }
        }
        way += 1;
    }
    out
}

const fn ranks(hop: bool) -> [[u16; 128]; 9] {
    let mut table = [[0; 128]; 9];
    let mut f = 0;
    while f < 9 {
        let mut inner = 0;
        while inner < 128 {
            table[f][inner] = line(f, 9, inner, hop);
            inner += 1;
        }
        f += 1;
    }
    table
}

const fn files(hop: bool) -> [[u128; 256]; 10] {
    let mut table = [[0; 256]; 10];
    let mut r = 0;
    while r < 10 {
        let mut inner = 0;
        while inner < 256 {
            let narrow = line(r, 10, inner, hop);
            let mut to = 0;
            while to < 10 {
                table[r][inner] |= (narrow as u128 >> to & 1) << (9 * to);
                to += 1;
            }
            inner += 1;
        }
        r += 1;
    }
    table
}

static SLIDE_RANK: [[u16; 128]; 9] = ranks(false);
static HOP_RANK: [[u16; 128]; 9] = ranks(true);
static SLIDE_FILE: [[u128; 256]; 10] = files(false);
static HOP_FILE: [[u128; 256]; 10] = files(true);

/// Where a point lies and how its lines are occupied: the index that chariot and cannon share.
#[derive(Clone, Copy)]
struct LineTables {
    file: u8,
    rank: u8,
    along: u8,
    up: u8,
}

#[inline]
fn lines(point: u8, occupied: Bb128) -> LineTables {
    let (f, r) = (file(point), rank(point));
    let column = occupied.0 >> f;
    let low = (column as u64 & DIAGONAL).wrapping_mul(0x0101_0101_0101_0101) >> 57;
    let high = (column >> 72) as u64 & 1;
    LineTables {
        file: f,
        rank: r,
        along: (occupied.0 >> (9 * r + 1)) as u8 & 127,
        up: (low | high << 7) as u8,
    }
}

#[inline]
fn join(l: LineTables, along: &[[u16; 128]; 9], up: &[[u128; 256]; 10]) -> Bb128 {
    let row = u128::from(along[l.file as usize][l.along as usize & 127]) << (9 * l.rank);
    Bb128(row | up[l.rank as usize][l.up as usize] << l.file)
}

/// Up to and including the first piece on each line.
#[inline]
pub fn slide(point: u8, occupied: Bb128) -> Bb128 {
    join(lines(point, occupied), &SLIDE_RANK, &SLIDE_FILE)
}

/// A cannon's captures: behind the screen, the first piece on each line, up to and including the second; an empty end of a
/// line may be included.
#[inline]
pub fn hop(point: u8, occupied: Bb128) -> Bb128 {
    join(lines(point, occupied), &HOP_RANK, &HOP_FILE)
}

/// [`slide`] and [`hop`] at once.
#[inline]
pub fn slide_and_hop(point: u8, occupied: Bb128) -> (Bb128, Bb128) {
    let l = lines(point, occupied);
    (join(l, &SLIDE_RANK, &SLIDE_FILE), join(l, &HOP_RANK, &HOP_FILE))
}

const DIAGONALS: [(i32, i32); 4] = [(-1, -1), (1, -1), (-1, 1), (1, 1)];
const STRAIGHT: [(i32, i32); 4] = [(0, -1), (-1, 0), (1, 0), (0, 1)];

const fn horses(to: bool) -> [[u128; 16]; POINTS] {
    let mut table = [[0; 16]; POINTS];
    let mut p = 0;
    while p < POINTS {
        let (f, r) = ((p % 9) as i32, (p / 9) as i32);
        let mut blocked = 0;
        while blocked < 16 {
            let mut d = 0;
            while d < 4 {
                if blocked >> d & 1 == 0 {
                    table[p][blocked] |= if to {
                        let (x, y) = DIAGONALS[d];
                        bit(f + 2 * x, r + y) | bit(f + x, r + 2 * y)
                    } else {
                        let (x, y) = STRAIGHT[d];
                        // Two steps ahead, one to either side.
                        bit(f + 2 * x + y, r + 2 * y + x) | bit(f + 2 * x - y, r + 2 * y - x)
                    };
                }
                d += 1;
            }
            blocked += 1;
        }
        p += 1;
    }
    table
}

const fn elephants(confined: bool) -> [[u128; 16]; POINTS] {
    let mut table = [[0; 16]; POINTS];
    let mut p = 0;
    while p < POINTS {
        let (f, r) = ((p % 9) as i32, (p / 9) as i32);
        let mut blocked = 0;
        while blocked < 16 {
            let mut d = 0;
            while d < 4 {
                let (x, y) = DIAGONALS[d];
                if blocked >> d & 1 == 0 && (!confined || (r < 5) == (r + 2 * y < 5)) {
                    table[p][blocked] |= bit(f + 2 * x, r + 2 * y);
                }
                d += 1;
            }
            blocked += 1;
        }
        p += 1;
    }
    table
}

static HORSE: [[u128; 16]; POINTS] = horses(false);
static HORSE_TO: [[u128; 16]; POINTS] = horses(true);
static ELEPHANT: [[u128; 16]; POINTS] = elephants(true);
static FREE_ELEPHANT: [[u128; 16]; POINTS] = elephants(false);

/// The four orthogonal neighbours' occupancy, in the order of `STRAIGHT`. A neighbour across the board's edge reads
/// some other point, which the tables ignore.
#[inline]
fn legs(point: u8, occupied: Bb128) -> usize {
    let w = ((occupied.0 << 9) >> point) as u32;
    (w & 1 | w >> 7 & 2 | w >> 8 & 4 | w >> 15 & 8) as usize
}

/// The four diagonal neighbours' occupancy, in the order of `DIAGONALS`.
#[inline]
fn eyes(point: u8, occupied: Bb128) -> usize {
    let w = ((occupied.0 << 10) >> point) as u32;
    (w & 1 | w >> 1 & 2 | w >> 16 & 4 | w >> 17 & 8) as usize
}

/// Where a horse jumps to.
#[inline]
pub fn horse(point: u8, occupied: Bb128) -> Bb128 {
    Bb128(HORSE[point as usize][legs(point, occupied)])
}

/// Where horses stand that reach the point: the legs are next to them, diagonal neighbours of the point.
#[inline]
pub fn horse_to(point: u8, occupied: Bb128) -> Bb128 {
    Bb128(HORSE_TO[point as usize][eyes(point, occupied)])
}

/// Where an elephant steps to, and comes from.
#[inline]
pub fn elephant(point: u8, occupied: Bb128) -> Bb128 {
    Bb128(ELEPHANT[point as usize][eyes(point, occupied)])
}

/// Where an elephant that may cross the river steps to, and comes from.
#[inline]
pub fn free_elephant(point: u8, occupied: Bb128) -> Bb128 {
    Bb128(FREE_ELEPHANT[point as usize][eyes(point, occupied)])
}

/// The leg of a horse at `from` whose move goes to `to`.
pub const fn leg(from: u8, to: u8) -> u8 {
    let (df, dr) = (file(to) as i8 - file(from) as i8, rank(to) as i8 - rank(from) as i8);
    if df == 2 || df == -2 {
        (from as i8 + df / 2) as u8
    } else {
        (from as i8 + dr / 2 * 9) as u8
    }
}

const fn palace(side: Side) -> u128 {
    let red: u128 = 0b111 << 3 | 0b111 << 12 | 0b111 << 21;
    match side {
        Side::First => red,
        Side::Second => red << 63,
    }
}

/// The points of the palaces, by side.
pub const PALACE: [Bb128; 2] = [Bb128(palace(Side::First)), Bb128(palace(Side::Second))];
/// The points that advisors may stand on, by side.
pub const ADVISOR_POINTS: [Bb128; 2] = {
    let red: u128 = 0b101 << 3 | 1 << 13 | 0b101 << 21;
    [Bb128(red), Bb128(red << 63)]
};
/// The points that elephants may stand on, by side.
pub const ELEPHANT_POINTS: [Bb128; 2] = {
    let red: u128 = 1 << 2 | 1 << 6 | 1 << 18 | 1 << 22 | 1 << 26 | 1 << 38 | 1 << 42;
    [Bb128(red), Bb128(red << 45)]
};

const fn steps(directions: [(i32, i32); 4], confined: bool) -> [u128; POINTS] {
    let mut table = [0; POINTS];
    let mut p = 0;
    while p < POINTS {
        let inside = if !confined {
            u128::MAX
        } else if p < 45 {
            palace(Side::First)
        } else {
            palace(Side::Second)
        };
        let mut d = 0;
        while d < 4 && inside >> p & 1 != 0 {
            let (x, y) = directions[d];
            table[p] |= bit((p % 9) as i32 + x, (p / 9) as i32 + y) & inside;
            d += 1;
        }
        p += 1;
    }
    table
}

const fn soldiers(to: bool) -> [[u128; POINTS]; 2] {
    let mut table = [[0; POINTS]; 2];
    let mut p = 0;
    while p < POINTS {
        let (f, r) = ((p % 9) as i32, (p / 9) as i32);
        let aside = bit(f - 1, r) | bit(f + 1, r);
        let back = if to { -1 } else { 1 };
        table[0][p] = bit(f, r + back) | if r >= 5 { aside } else { 0 };
        table[1][p] = bit(f, r - back) | if r < 5 { aside } else { 0 };
        p += 1;
    }
    table
}

static GENERAL: [u128; POINTS] = steps(STRAIGHT, true);
static ADVISOR: [u128; POINTS] = steps(DIAGONALS, true);
static FREE_ADVISOR: [u128; POINTS] = steps(DIAGONALS, false);
static SOLDIER: [[u128; POINTS]; 2] = soldiers(false);
static SOLDIER_TO: [[u128; POINTS]; 2] = soldiers(true);

/// Where a general steps to, and comes from.
#[inline]
pub fn general(point: u8) -> Bb128 {
    Bb128(GENERAL[point as usize])
}

/// Where an advisor steps to, and comes from.
#[inline]
pub fn advisor(point: u8) -> Bb128 {
    Bb128(ADVISOR[point as usize])
}

/// Where an advisor that may leave the palace steps to, and comes from.
#[inline]
pub fn free_advisor(point: u8) -> Bb128 {
    Bb128(FREE_ADVISOR[point as usize])
}

/// Where a side's soldier steps to.
#[inline]
pub fn soldier(side: Side, point: u8) -> Bb128 {
    Bb128(SOLDIER[side.index()][point as usize])
}

/// Where a side's soldiers stand that reach the point.
#[inline]
pub fn soldier_to(side: Side, point: u8) -> Bb128 {
    Bb128(SOLDIER_TO[side.index()][point as usize])
}

const fn crosses() -> [u128; POINTS] {
    let mut table = [0; POINTS];
    let mut p = 0;
    while p < POINTS {
        let mut q = 0;
        while q < POINTS {
            if p != q && (p % 9 == q % 9 || p / 9 == q / 9) {
                table[p] |= 1 << q;
            }
            q += 1;
        }
        p += 1;
    }
    table
}

static CROSS: [u128; POINTS] = crosses();

/// All points on the rank and file of a point.
#[inline]
pub fn cross(point: u8) -> Bb128 {
    Bb128(CROSS[point as usize])
}

const fn views() -> [u128; POINTS] {
    let mut table = crosses();
    let mut p = 0;
    while p < POINTS {
        let mut q = 0;
        while q < POINTS {
            if (p % 9).abs_diff(q % 9) <= 2 && (p / 9).abs_diff(q / 9) <= 2 {
                table[p] |= 1 << q;
            }
            q += 1;
        }
        p += 1;
    }
    table
}

static VIEW: [u128; POINTS] = views();

/// The points that decide whether a piece on `point` is attacked: its rank and file, and all within two points of it, where
/// horses and elephants stand with their legs and eyes.
#[inline]
pub fn view(point: u8) -> Bb128 {
    Bb128(VIEW[point as usize])
}

/// The points strictly between two points of one rank or file; nothing for others.
#[inline]
pub fn between(a: u8, b: u8) -> Bb128 {
    // The points above the lower and below the upper one, cut to what is common to their crosses.
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    let span = ((1u128 << high) - 1) & !((2u128 << low) - 1);
    let step = if file(a) == file(b) {
        FILE << file(a)
    } else {
        RANK << (9 * rank(a))
    };
    if file(a) != file(b) && rank(a) != rank(b) {
        Bb128::EMPTY
    } else {
        Bb128(span & step)
    }
}

const RANK: u128 = 0x1ff;
const FILE: u128 = {
    let mut all = 0;
    let mut r = 0;
    while r < 10 {
        all |= 1 << (9 * r);
        r += 1;
    }
    all
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::rng::SplitMix;

    /// The oracle: walk each line point by point.
    fn walk(point: u8, occupied: Bb128, hop: bool) -> Bb128 {
        let mut out = 0;
        for (x, y) in STRAIGHT {
            let (mut f, mut r, mut screens) = (i32::from(file(point)) + x, i32::from(rank(point)) + y, 0);
            while on(f, r) {
                let here = bit(f, r);
                if hop == (screens == 1) && screens < 2 {
                    out |= here;
                }
                if occupied.0 & here != 0 {
                    screens += 1;
                }
                if screens == 2 || screens == 1 && !hop {
                    break;
                }
                (f, r) = (f + x, r + y);
            }
        }
        Bb128(out)
    }

    #[test]
    fn lines_agree_with_walking() {
        let mut rng = SplitMix::new(1);
        for round in 0..20_000 {
            let mut bits = u128::from(rng.next()) << 64 | u128::from(rng.next());
            if round % 2 == 0 {
                bits &= u128::from(rng.next()) << 64 | u128::from(rng.next());
            }
            let occupied = Bb128(bits & ((1 << 90) - 1));
            let point = rng.below(90) as u8;
            assert_eq!(slide(point, occupied), walk(point, occupied, false));
            assert_eq!(hop(point, occupied) & occupied, walk(point, occupied, true) & occupied);
            for other in 0..90 {
                assert_eq!(horse(point, occupied).has(other), horse_to(other, occupied).has(point));
                assert_eq!(
                    elephant(point, occupied).has(other),
                    elephant(other, occupied).has(point)
                );
                if horse(point, Bb128::EMPTY).has(other) {
                    assert_eq!(horse(point, occupied).has(other), !occupied.has(leg(point, other)));
                }
                for side in [Side::First, Side::Second] {
                    assert_eq!(soldier(side, point).has(other), soldier_to(side, other).has(point));
                }
                let line = between(point, other);
                for p in 0..90 {
                    let aligned = cross(point).has(other) && cross(point).has(p) && cross(other).has(p);
                    assert_eq!(line.has(p), aligned && (p > point) != (p > other));
                }
            }
        }
    }
}
