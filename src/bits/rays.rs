//! Lines through two squares of the 8x8 board.

use super::bb64::Bb;
use super::sliders::{walk_bishop, walk_rook};

const fn table(whole: bool) -> [[Bb; 64]; 64] {
    let mut out = [[0; 64]; 64];
    let mut a = 0;
    while a < 64 {
        let mut b = 0;
        while b < 64 {
            let (x, y) = (a as u8, b as u8);
            let (ba, bb) = (1 << a, 1 << b);
            let straight = walk_rook(x, 0) & bb != 0;
            let slanted = walk_bishop(x, 0) & bb != 0;
            out[a][b] = match (straight, slanted, whole) {
                (true, _, false) => walk_rook(x, bb) & walk_rook(y, ba),
                (_, true, false) => walk_bishop(x, bb) & walk_bishop(y, ba),
                (true, _, true) => walk_rook(x, 0) & walk_rook(y, 0) | ba | bb,
                (_, true, true) => walk_bishop(x, 0) & walk_bishop(y, 0) | ba | bb,
                _ => 0,
            };
            b += 1;
        }
        a += 1;
    }
    out
}

#[allow(long_running_const_eval)]
static BETWEEN: [[Bb; 64]; 64] = table(false);
#[allow(long_running_const_eval)]
static LINE: [[Bb; 64]; 64] = table(true);

/// The squares strictly between two squares of one rank, file or diagonal; empty for others.
#[inline(always)]
pub fn between(a: u8, b: u8) -> Bb {
    BETWEEN[a as usize & 63][b as usize & 63]
}

/// The whole rank, file or diagonal through two different squares; empty when there is none.
#[inline(always)]
pub fn line(a: u8, b: u8) -> Bb {
    LINE[a as usize & 63][b as usize & 63]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::bb64::bit;

    #[test]
    fn rays_join_squares() {
        assert_eq!(between(0, 3), bit(1) | bit(2));
        assert_eq!(between(0, 63), bit(9) | bit(18) | bit(27) | bit(36) | bit(45) | bit(54));
        assert_eq!(between(0, 10), 0);
        assert_eq!(line(1, 6), 0xff);
        assert_eq!(line(9, 18), line(0, 63));
        assert_eq!(line(0, 10), 0);
    }
}
