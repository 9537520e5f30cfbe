//! Piece values and piece-square tables.
//!
//! A side's face-down pieces count as three quarters of what its pool holds: turning one up gains the rest of its value,
//! and never changes what the others are thought to be. Each lies on the board as [`COVERED_VALUE`], and a piece of the
//! pool adds what it differs from that.

use super::position::Coup;
use super::types::{COVERED, CoupRules, side_of};
use crate::game::{PieceValues, Score, Side};
use crate::games::xiangqi::material::point_value;
use crate::games::xiangqi_board::XiangqiVariant;
use crate::games::xiangqi_board::types::{Kind, file, kind_of, rank};

/// A piece face down: about three quarters of a full pool's average.
const COVERED_VALUE: Score = 260;

impl PieceValues for Coup {
    fn value(piece: u8) -> Score {
        match piece {
            COVERED.. => COVERED_VALUE,
            _ if kind_of(piece) == Kind::General => 0,
            _ => CoupRules::EXCHANGE[kind_of(piece) as usize],
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
