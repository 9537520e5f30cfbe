//! Random numbers of the hash keys.

use super::types::POINTS;
use crate::util::rng::SplitMix;

struct XiangqiKeys {
    points: [[u64; POINTS]; 14],
    side: u64,
}

static NUMBERS: XiangqiKeys = {
    let mut rng = SplitMix::new(0x7869_616e_6771_6921);
    let mut points = [[0; POINTS]; 14];
    let mut piece = 0;
    while piece < 14 {
        let mut point = 0;
        while point < POINTS {
            points[piece][point] = rng.next();
            point += 1;
        }
        piece += 1;
    }
    XiangqiKeys {
        points,
        side: rng.next(),
    }
};

/// The number of a piece on a point.
#[inline]
pub fn of(piece: u8, point: u8) -> u64 {
    NUMBERS.points[piece as usize][point as usize]
}

/// The number of black to move.
#[inline]
pub fn side() -> u64 {
    NUMBERS.side
}
