//! Setup text and coordinates.

use super::attacks::{ADVISOR_POINTS, ELEPHANT_POINTS, PALACE};
use super::position::{Board, Xiangqi};
use super::types::{
    EMPTY, KINDS, Kind, LETTERS, POINTS, XMove, XiangqiRules, kind_name, kind_of, piece, point_name, side_name, side_of,
};
use crate::game::{BadInput, Move, Position, Side};
use std::fmt::Write;

/// Pieces of a kind that a side may have. Some made-up positions have a sixth soldier; more would endanger
/// [`Position::MAX_MOVES`].
const MOST: [u32; 7] = [1, 2, 2, 2, 2, 2, 6];

fn read_piece(c: char) -> Option<u8> {
    let kind = match c.to_ascii_uppercase() {
        'K' | 'G' => Kind::General,
        'A' => Kind::Advisor,
        'B' | 'E' => Kind::Elephant,
        'N' | 'H' => Kind::Horse,
        'R' => Kind::Chariot,
        'C' => Kind::Cannon,
        'P' | 'S' => Kind::Soldier,
        _ => return None,
    };
    Some(piece(
        if c.is_ascii_uppercase() {
            Side::First
        } else {
            Side::Second
        },
        kind,
    ))
}

fn called(piece: u8) -> String {
    format!("{} {}", side_name(side_of(piece)), kind_name(kind_of(piece)))
}

fn check_place(piece: u8, point: u8) -> Result<(), BadInput> {
    let side = side_of(piece).index();
    let (allowed, why) = match kind_of(piece) {
        Kind::General => (PALACE[side], "outside its palace"),
        Kind::Advisor => (ADVISOR_POINTS[side], "off its points"),
        Kind::Elephant => (ELEPHANT_POINTS[side], "off its points"),
        _ => return Ok(()),
    };
    if allowed.has(point) {
        return Ok(());
    }
    Err(BadInput::new(format!(
        "bad setup: {} on {} is {why}",
        called(piece),
        point_name(point)
    )))
}

fn read_board(text: &str) -> Result<Board, BadInput> {
    let mut board = Board::empty();
    let ranks: Vec<&str> = text.split('/').collect();
    if ranks.len() != 10 {
        return Err(BadInput::new(format!(
            "bad setup: {} ranks instead of 10 in {text}",
            ranks.len()
        )));
    }
    for (r, row) in (0..10u8).rev().zip(ranks) {
        let mut f = 0u8;
        for c in row.chars() {
            if let Some(gap @ 1..=9) = c.to_digit(10) {
                f += gap as u8;
            } else if let Some(piece) = read_piece(c) {
                if f < 9 {
                    check_place(piece, r * 9 + f)?;
                    let same = board.pieces(side_of(piece), kind_of(piece)).len();
                    if same == MOST[kind_of(piece) as usize] {
                        let point = point_name(r * 9 + f);
                        return Err(BadInput::new(format!(
                            "bad setup: one {} too many on {point}",
                            called(piece)
                        )));
                    }
                    board.put(piece, r * 9 + f);
                }
                f += 1;
            } else {
                return Err(BadInput::new(format!("bad setup: no piece is called {c} (rank {r})")));
            }
            if f > 9 {
                break;
            }
        }
        if f != 9 {
            return Err(BadInput::new(format!("bad setup: rank {r} has not 9 points: {row}")));
        }
    }
    Ok(board)
}

impl Xiangqi {
    pub(super) fn read(setup: &str, rules: &XiangqiRules) -> Result<Self, BadInput> {
        let mut words = setup.split_whitespace();
        let mut board = read_board(words.next().ok_or_else(|| BadInput::new("bad setup: it is empty"))?)?;
        for side in [Side::First, Side::Second] {
            if board.pieces(side, Kind::General).is_empty() {
                return Err(BadInput::new(format!(
                    "bad setup: the {} general is missing",
                    side_name(side)
                )));
            }
        }
        board.side = match words.next() {
            Some("w" | "r" | "W" | "R") | None => Side::First,
            Some("b" | "B") => Side::Second,
            Some(other) => return Err(BadInput::new(format!("bad setup: side to move is w or b, not {other}"))),
        };
        let idle = board.side.other();
        let takers = board.checkers(board.general(idle), board.occupied(), board.side);
        if takers.any() {
            let (from, to) = (takers.first(), board.general(idle));
            let facing = if kind_of(board.at(from)) == Kind::General {
                "the generals face each other: "
            } else {
                ""
            };
            return Err(BadInput::new(format!(
                "bad setup: {facing}{} on {} can take the {} general on {}",
                called(board.at(from)),
                point_name(from),
                side_name(idle),
                point_name(to)
            )));
        }
        // Two dashes stand where chess has castling and en passant; some programs leave them out.
        let mut counters = words.filter(|&w| w != "-");
        let mut number = |name: &str, default: usize| match counters.next() {
            None => Ok(default),
            Some(w) => match w.parse::<usize>() {
                Ok(n) if n <= 60_000 => Ok(n),
                _ => Err(BadInput::new(format!(
                    "bad setup: the {name} is a number up to 60000, not {w}"
                ))),
            },
        };
        let quiet = number("half-move counter", 0)?;
        let full = number("move number", 1)?;
        let ply = 2 * full.saturating_sub(1) + board.side.index();
        Ok(Self::from_board(board, rules, quiet as u16, ply))
    }

    pub(super) fn write(&self) -> String {
        let mut out = String::new();
        for r in (0..10).rev() {
            let mut gap = 0;
            for f in 0..9 {
                match self.board.at(r * 9 + f) {
                    EMPTY => gap += 1,
                    piece => {
                        if gap > 0 {
                            out.push(char::from(b'0' + gap));
                            gap = 0;
                        }
                        out.push(LETTERS[piece as usize]);
                    }
                }
            }
            if gap > 0 {
                out.push(char::from(b'0' + gap));
            }
            out.push(if r > 0 { '/' } else { ' ' });
        }
        let side = if self.board.side == Side::First { 'w' } else { 'b' };
        out + &format!("{side} - - {} {}", self.now.quiet, self.game_ply() / 2 + 1)
    }

    pub(super) fn read_move(&self, text: &str) -> Result<XMove, BadInput> {
        let bad = || BadInput::new(format!("illegal move: {text}"));
        let bytes: Vec<u8> = text
            .bytes()
            .filter(|&b| b != b'-')
            .map(|b| b.to_ascii_lowercase())
            .collect();
        let [a @ b'a'..=b'i', b @ b'0'..=b'9', c @ b'a'..=b'i', d @ b'0'..=b'9'] = bytes[..] else {
            return Err(BadInput::new(format!("not a move: {text}")));
        };
        let m = XMove::new((b - b'0') * 9 + a - b'a', (d - b'0') * 9 + c - b'a');
        if m != XMove::NONE && self.legal(m) {
            Ok(m)
        } else {
            Err(bad())
        }
    }

    pub(super) fn draw_board(&self) -> String {
        let mut out = String::new();
        for r in (0..10).rev() {
            out += &format!("{r} ");
            for f in 0..9 {
                let piece = self.board.at(r * 9 + f);
                out.push(' ');
                out.push(if piece == EMPTY { '.' } else { LETTERS[piece as usize] });
            }
            out.push('\n');
            if r == 5 {
                out += "   ~~~~~~~~~~~~~~~~~\n";
            }
        }
        let mut checkers = String::new();
        self.now.checkers.for_each(|at| {
            let _ = write!(checkers, " {}", point_name(at));
        });
        let _ = write!(
            out,
            "   a b c d e f g h i\n\nFen: {}\nKey: {:016X}\nCheckers:{checkers}",
            self.setup(),
            self.now.key
        );
        out
    }
}

/// The points and kinds are as many as the tables say.
const _: () = assert!(POINTS == 90 && KINDS.len() == MOST.len());
