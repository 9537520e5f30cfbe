//! The board part of setups, coordinates, and the board drawn for a person.

use super::board::SharedBoard;
use super::cover::Cover;
use super::position::{XiangqiPosition, XiangqiVariant};
use super::types::{Kind, LETTERS, XMove, covered, piece, point_name, side_name};
use crate::game::{BadInput, Side};
use std::fmt::{Display, Write};

/// The error of a setup.
pub fn bad(text: impl Display) -> BadInput {
    BadInput::new(format!("bad setup: {text}"))
}

/// The piece of a letter: upper case for red, and two letters for some kinds.
pub fn read_piece<C: Cover>(c: char) -> Option<u8> {
    let side = if c.is_ascii_uppercase() {
        Side::First
    } else {
        Side::Second
    };
    let kind = match c.to_ascii_uppercase() {
        'X' if C::HIDES => return Some(covered(side)),
        'K' | 'G' => Kind::General,
        'A' => Kind::Advisor,
        'B' | 'E' => Kind::Elephant,
        'N' | 'H' => Kind::Horse,
        'R' => Kind::Chariot,
        'C' => Kind::Cannon,
        'P' | 'S' => Kind::Soldier,
        _ => return None,
    };
    Some(piece(side, kind))
}

/// Reads the ranks of a setup from black's edge to red's. `check` says whether a piece may stand on a point beside the
/// pieces that have been read.
pub fn read_board<C: Cover>(
    text: &str,
    check: impl Fn(&SharedBoard<C>, u8, u8) -> Result<(), BadInput>,
) -> Result<SharedBoard<C>, BadInput> {
    let mut board = SharedBoard::empty();
    let ranks: Vec<&str> = text.split('/').collect();
    if ranks.len() != 10 {
        return Err(bad(format_args!("{} ranks instead of 10 in {text}", ranks.len())));
    }
    for (r, row) in (0..10u8).rev().zip(ranks) {
        let mut f = 0u8;
        for c in row.chars() {
            if let Some(gap @ 1..=9) = c.to_digit(10) {
                f += gap as u8;
            } else if let Some(piece) = read_piece::<C>(c) {
                if f < 9 {
                    check(&board, piece, r * 9 + f)?;
                    board.put(piece, r * 9 + f);
                }
                f += 1;
            } else {
                return Err(bad(format_args!("no piece is called {c} (rank {r})")));
            }
            if f > 9 {
                break;
            }
        }
        if f != 9 {
            return Err(bad(format_args!("rank {r} has not 9 points: {row}")));
        }
    }
    for side in [Side::First, Side::Second] {
        if board.pieces(side, Kind::General).is_empty() {
            return Err(bad(format_args!("the {} general is missing", side_name(side))));
        }
    }
    Ok(board)
}

/// The ranks of a setup.
pub fn write_board<C: Cover>(board: &SharedBoard<C>) -> String {
    let mut out = String::new();
    for r in (0..10).rev() {
        let mut gap = 0;
        for f in 0..9 {
            let piece = board.at(r * 9 + f);
            if piece == C::EMPTY {
                gap += 1;
                continue;
            }
            if gap > 0 {
                out.push(char::from(b'0' + gap));
                gap = 0;
            }
            out.push(LETTERS[piece as usize]);
        }
        if gap > 0 {
            out.push(char::from(b'0' + gap));
        }
        if r > 0 {
            out.push('/');
        }
    }
    out
}

/// The letter of the side to move in setups.
pub const fn side_letter(side: Side) -> char {
    match side {
        Side::First => 'w',
        Side::Second => 'b',
    }
}

/// The move of four coordinates, legal or not.
pub fn read_coordinates(text: [u8; 4]) -> Option<XMove> {
    match text.map(|b| b.to_ascii_lowercase()) {
        [a @ b'a'..=b'i', b @ b'0'..=b'9', c @ b'a'..=b'i', d @ b'0'..=b'9'] => {
            Some(XMove::new((b - b'0') * 9 + a - b'a', (d - b'0') * 9 + c - b'a'))
        }
        _ => None,
    }
}

/// The board drawn for a person, above its setup.
pub fn picture<V: XiangqiVariant>(p: &XiangqiPosition<V>, setup: &str) -> String {
    let mut out = String::new();
    for r in (0..10).rev() {
        out += &format!("{r} ");
        for f in 0..9 {
            let piece = p.board.at(r * 9 + f);
            out.push(' ');
            out.push(if piece == V::Cover::EMPTY {
                '.'
            } else {
                LETTERS[piece as usize]
            });
        }
        out.push('\n');
        if r == 5 {
            out += "   ~~~~~~~~~~~~~~~~~\n";
        }
    }
    let mut checkers = String::new();
    p.now.checkers.for_each(|at| {
        let _ = write!(checkers, " {}", point_name(at));
    });
    let _ = write!(
        out,
        "   a b c d e f g h i\n\nFen: {setup}\nKey: {:016X}\nCheckers:{checkers}",
        p.now.key
    );
    out
}
