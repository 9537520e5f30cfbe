//! Piece values and piece-square tables.
//!
//! All of a side's face-down pieces together count three quarters of what its pool holds, so that turning one up gains a
//! quarter of its value: each counts [`COVERED_VALUE`] on the board, and each piece of the pool adds the difference.

use super::position::Coup;
use super::types::{COVERED, side_of};
use crate::game::{PieceValues, Score, Side};
use crate::games::xiangqi::material::point_value;
use crate::games::xiangqi_board::types::{Kind, file, kind_of, rank};

/// Piece values by kind, face up.
pub const VALUE: [Score; 7] = [10_000, 200, 230, 440, 950, 460, 140];

/// A piece face down: about three quarters of a full pool's average.
const COVERED_VALUE: Score = 260;

impl PieceValues for Coup {
    fn value(piece: u8) -> Score {
        match piece {
            COVERED.. => COVERED_VALUE,
            _ if kind_of(piece) == Kind::General => 0,
            _ => VALUE[kind_of(piece) as usize],
        }
    }

    fn square_value(piece: u8, square: u8) -> Score {
        if piece >= COVERED {
            return 0;
        }
        let rank = if side_of(piece) == Side::First {
            rank(square)
        } else {
            9 - rank(square)
        };
        // Advisors and elephants may go anywhere here.
        let kind = match kind_of(piece) {
            Kind::Advisor | Kind::Elephant => Kind::Horse,
            kind => kind,
        };
        point_value(kind, file(square), rank)
    }

    fn value_off_board(piece: u8, _place: u8) -> Score {
        if piece < COVERED {
            Self::value(piece) * 3 / 4 - COVERED_VALUE
        } else {
            0
        }
    }

    fn owner(piece: u8) -> Side {
        side_of(piece)
    }
}
