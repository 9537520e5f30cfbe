//! Random numbers of the hash keys.

use super::types::Pools;
use crate::games::xiangqi_board::types::POINTS;
use crate::util::rng::SplitMix;

/// Copies of one kind that a pool may hold, none included.
const COPIES: usize = 8;

struct CoupKeys {
    points: [[u64; POINTS]; 16],
    pools: [[[u64; COPIES]; 7]; 2],
    side: u64,
}

static NUMBERS: CoupKeys = {
    let mut rng = SplitMix::new(0x636f_7570_2121_6a71);
    let mut points = [[0; POINTS]; 16];
    let mut piece = 0;
    while piece < 16 {
        let mut point = 0;
        while point < POINTS {
            points[piece][point] = rng.next();
            point += 1;
        }
        piece += 1;
    }
    let mut pools = [[[0; COPIES]; 7]; 2];
    let mut i = 0;
    while i < 2 * 7 * COPIES {
        pools[i / (7 * COPIES)][i / COPIES % 7][i % COPIES] = rng.next();
        i += 1;
    }
    CoupKeys {
        points,
        pools,
        side: rng.next(),
    }
};

/// The number of a piece on a point.
#[inline]
pub fn of(piece: u8, point: u8) -> u64 {
    NUMBERS.points[piece as usize][point as usize]
}

/// The number of a kind of which so many are face down.
#[inline]
pub fn pool(side: usize, kind: usize, count: u8) -> u64 {
    NUMBERS.pools[side][kind][count as usize % COPIES]
}

/// The number of all that is face down.
pub fn pools(pools: &Pools) -> u64 {
    let mut key = 0;
    for (side, counts) in pools.iter().enumerate() {
        for (kind, &n) in counts.iter().enumerate() {
            key ^= pool(side, kind, n);
        }
    }
    key
}

/// The number of black to move.
#[inline]
pub fn side() -> u64 {
    NUMBERS.side
}
