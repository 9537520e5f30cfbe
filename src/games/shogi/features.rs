//! The inputs of shogi networks: 28 pieces on 81 points and 38 places in each hand (the second pawn held is an input of
//! its own beside the first), own pieces first, the board turned about for gote: Stoat's layout of 2344 inputs.

use super::position::Shogi;
use super::types::{DROPS, Kind, POINTS, hand_place, piece};
use crate::game::{Features, Side};

/// Places in one hand.
const HELD: usize = 38;

impl Features for Shogi {
    const INPUTS: usize = 28 * POINTS + 2 * HELD;
    const HEADS: usize = 1;

    fn head(&self) -> usize {
        0
    }

    fn royal(side: Side) -> u8 {
        piece(side, Kind::King)
    }

    fn turn(_view: Side, _king: u8) -> u8 {
        0
    }

    #[inline]
    fn input(view: Side, _turn: u8, piece: u8, place: u8) -> usize {
        let place = place as usize;
        if place >= POINTS {
            let (owner, nth) = ((place - POINTS) / HELD, (place - POINTS) % HELD);
            return 28 * POINTS + (owner ^ view.index()) * HELD + nth;
        }
        let point = if view == Side::Second {
            POINTS - 1 - place
        } else {
            place
        };
        (piece as usize + 14 * view.index()) % 28 * POINTS + point
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
