//! Random numbers of the hash keys.

use super::types::{Kind, POINTS};
use crate::game::Side;
use crate::util::rng::SplitMix;

struct ShogiKeys {
    points: [[u64; POINTS]; 28],
    hands: [[[u64; 19]; 7]; 2],
    side: u64,
}

static NUMBERS: ShogiKeys = {
    let mut rng = SplitMix::new(0x7368_6f67_6921_0001);
    let mut points = [[0; POINTS]; 28];
    let mut piece = 0;
    while piece < 28 {
        let mut point = 0;
        while point < POINTS {
            points[piece][point] = rng.next();
            point += 1;
        }
        piece += 1;
    }
    // None in hand has the number 0, so that an empty hand does not change the key.
    let mut hands = [[[0; 19]; 7]; 2];
    let mut i = 0;
    while i < 2 * 7 * 18 {
        hands[i / 126][i / 18 % 7][i % 18 + 1] = rng.next();
        i += 1;
    }
    ShogiKeys {
        points,
        hands,
        side: rng.next(),
    }
};

/// The number of a piece on a point.
#[inline]
pub fn of(piece: u8, point: u8) -> u64 {
    NUMBERS.points[piece as usize][point as usize]
}

/// The number of `count` pieces of a kind in a side's hand.
#[inline]
pub fn hand(side: Side, kind: Kind, count: u32) -> u64 {
    NUMBERS.hands[side.index()][kind as usize][count as usize]
}

/// The number of gote to move.
#[inline]
pub fn side() -> u64 {
    NUMBERS.side
}
