//! The inputs of shogi networks: 28 pieces on 81 points and 38 places in each hand (the second pawn held is an input of
//! its own beside the first), own pieces first, the board turned about for gote: Stoat's layout of 2344 inputs. Here it
//! is mirrored when the own king stands left of the middle file, and each zone of that king is a king bucket.

use super::position::Shogi;
use super::types::{DROPS, Kind, POINTS, depth, file, hand_place, kind_of, piece, side_of};
use crate::game::{Features, OFF, Side};

/// Places in one hand.
const HELD: usize = 38;
/// HalfKP inputs of hands: by the first place of each kind, own and the other's.
const KP_HANDS: [(usize, usize, usize); 7] = [
    (0, 1, 20),
    (18, 39, 44),
    (22, 49, 54),
    (26, 59, 64),
    (30, 79, 82),
    (32, 85, 88),
    (34, 69, 74),
];

/// Features of one king bucket.
const BUCKET: usize = 28 * POINTS + 2 * HELD;
/// The zone of a king on a point, by rank from the far side and file from the edge: castled near the edge, castled
/// further in, at home, on its way, entering.
#[rustfmt::skip]
const ZONES: [[u8; 5]; 9] = [
    [4, 4, 4, 4, 4],
    [4, 4, 4, 4, 4],
    [4, 4, 4, 4, 4],
    [3, 3, 3, 3, 3],
    [3, 3, 3, 3, 3],
    [3, 3, 3, 3, 3],
    [0, 0, 1, 1, 2],
    [0, 0, 1, 1, 2],
    [0, 0, 1, 1, 2],
];

impl Features for Shogi {
    const INPUTS: usize = Self::KING_BUCKETS * BUCKET;
    const MAX_ACTIVE: usize = 40;
    const KING_BUCKETS: usize = 5;
    /// By pieces in hand, two at a time.
    const OUTPUT_BUCKETS: usize = 8;

    fn output_bucket(&self) -> usize {
        let held = |side| {
            DROPS
                .iter()
                .map(|&kind| self.board().hand(side).count(kind))
                .sum::<u32>()
        };
        ((held(Side::First) + held(Side::Second)).div_ceil(2) as usize).min(Self::OUTPUT_BUCKETS - 1)
    }

    fn king_piece(side: Side) -> u8 {
        piece(side, Kind::King)
    }

    fn king_bucket(view: Side, king: u8) -> u8 {
        let (file, depth) = (file(king), depth(view, king));
        let from_edge = file.min(8 - file);
        // Gote's board is turned about, so that its left is sente's right.
        let left = if view == Side::Second { file < 4 } else { file > 4 };
        2 * ZONES[usize::from(depth.min(8))][usize::from(from_edge.min(4))] + u8::from(left)
    }

    fn on_axis(king: u8) -> bool {
        file(king) == 4
    }

    #[inline]
    fn feature(view: Side, king_bucket: u8, piece: u8, place: u8) -> usize {
        let (first, place) = (usize::from(king_bucket / 2) * BUCKET, place as usize);
        if place >= POINTS {
            let (owner, nth) = ((place - POINTS) / HELD, (place - POINTS) % HELD);
            return first + 28 * POINTS + (owner ^ view.index()) * HELD + nth;
        }
        let point = if view == Side::Second {
            POINTS - 1 - place
        } else {
            place
        };
        let mirrored = king_bucket & 1 != 0;
        let point = if mirrored {
            (8 - point / 9) * 9 + point % 9
        } else {
            point
        };
        first + (piece as usize + 14 * view.index()) % 28 * POINTS + point
    }

    const HALF_KP: bool = true;

    fn half_kp(view: Side, king: u8, piece: u8, place: u8) -> Option<usize> {
        let seen = |point: u8| usize::from(if view == Side::Second { 80 - point } else { point });
        // A position without a king has no such input; any king will do.
        let row = 1548 * seen(king.min(80));
        if place == OFF {
            return Some(row);
        }
        if let Some(place) = usize::from(place).checked_sub(POINTS) {
            let (theirs, nth) = (place / HELD != view.index(), place % HELD);
            let &(start, own, other) = KP_HANDS.iter().rev().find(|h| h.0 <= nth)?;
            return Some(row + if theirs { other } else { own } + nth - start);
        }
        let base = match kind_of(piece) {
            Kind::King => return None,
            Kind::Pawn => 90,
            Kind::Lance => 252,
            Kind::Knight => 414,
            Kind::Silver => 576,
            Kind::Bishop => 900,
            Kind::Horse => 1062,
            Kind::Rook => 1224,
            Kind::Dragon => 1386,
            _ => 738,
        };
        let theirs = usize::from(side_of(piece) != view);
        Some(row + base + POINTS * theirs + seen(place))
    }

    const OFF_BOARD: usize = 2 * HELD;

    /// The place alone tells the piece in hand.
    fn off_board(number: usize) -> (u8, u8) {
        (0, (POINTS + number) as u8)
    }

    fn off_board_number(_piece: u8, place: u8) -> usize {
        usize::from(place) - POINTS
    }

    fn each(&self, f: &mut dyn FnMut(u8, u8)) {
        let board = self.board();
        board.occupied().for_each(|point| f(board.at(point), point));
        for side in [Side::First, Side::Second] {
            for kind in DROPS {
                for nth in 0..board.hand(side).count(kind) {
                    f(piece(side, kind), hand_place(side, kind, nth));
                }
            }
        }
    }
}
