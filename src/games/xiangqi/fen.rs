//! Setup text and coordinates.

use super::position::{Spared, Xiangqi, XiangqiBoard};
use super::types::{
    KINDS, Kind, POINTS, XMove, XiangqiRules, kind_name, kind_of, point_name, rank, side_name, side_of,
};
use crate::game::{BadInput, Move, Position, Side};
use crate::games::xiangqi_board::attacks::{ADVISOR_POINTS, ELEPHANT_POINTS, PALACE};
use crate::games::xiangqi_board::fen::{bad, read_board, read_coordinates, side_letter, write_board};

/// Pieces of a kind that a side may have. Some made-up positions have a sixth soldier; more would endanger
/// [`Position::MAX_MOVES`].
const MOST: [u32; 7] = [1, 2, 2, 2, 2, 2, 6];

/// Ranks behind the line on which soldiers start.
const SOLDIERS: u8 = 3;

fn called(piece: u8) -> String {
    format!("{} {}", side_name(side_of(piece)), kind_name(kind_of(piece)))
}

fn check_place(board: &XiangqiBoard, piece: u8, point: u8) -> Result<(), BadInput> {
    if board.pieces(side_of(piece), kind_of(piece)).len() == MOST[kind_of(piece) as usize] {
        let at = point_name(point);
        return Err(bad(format_args!("one {} too many on {at}", called(piece))));
    }
    let side = side_of(piece).index();
    let (allowed, why) = match kind_of(piece) {
        Kind::General => (PALACE[side], "outside its palace"),
        Kind::Advisor => (ADVISOR_POINTS[side], "off its points"),
        Kind::Elephant => (ELEPHANT_POINTS[side], "off its points"),
        // A soldier never goes back: it stands on its first line or before it.
        Kind::Soldier => {
            let behind = match side_of(piece) {
                Side::First => rank(point) < SOLDIERS,
                Side::Second => rank(point) > 9 - SOLDIERS,
            };
            if behind {
                let at = point_name(point);
                return Err(bad(format_args!("{} on {at} is behind its own line", called(piece))));
            }
            return Ok(());
        }
        _ => return Ok(()),
    };
    if allowed.has(point) {
        return Ok(());
    }
    Err(bad(format_args!("{} on {} is {why}", called(piece), point_name(point))))
}

impl Xiangqi {
    pub(super) fn parse(setup: &str, rules: &XiangqiRules) -> Result<Self, BadInput> {
        let mut words = setup.split_whitespace();
        let mut board = read_board(words.next().ok_or_else(|| bad("it is empty"))?, check_place)?;
        board.side = match words.next() {
            Some("w" | "r" | "W" | "R") | None => Side::First,
            Some("b" | "B") => Side::Second,
            Some(other) => return Err(bad(format_args!("side to move is w or b, not {other}"))),
        };
        let idle = board.side.other();
        let takers = board.checkers_of(idle);
        if takers.any() {
            let (from, to) = (takers.first(), board.general(idle));
            let facing = if kind_of(board.at(from)) == Kind::General {
                "the generals face each other: "
            } else {
                ""
            };
            return Err(bad(format_args!(
                "{facing}{} on {} can take the {} general on {}",
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
                _ => Err(bad(format_args!("the {name} is a number up to 60000, not {w}"))),
            },
        };
        let quiet = number("half-move counter", 0)?;
        let full = number("move number", 1)?;
        let ply = 2 * full.saturating_sub(1) + board.side.index();
        Ok(Self::from_board(board, Spared::default(), rules, quiet as u16, ply))
    }

    pub(super) fn setup(&self) -> String {
        let (board, side) = (write_board(&self.board), side_letter(self.board.side));
        format!("{board} {side} - - {} {}", self.now.quiet, self.game_ply() / 2 + 1)
    }

    pub(super) fn parse_move(&self, text: &str) -> Result<XMove, BadInput> {
        let bytes: Vec<u8> = text.bytes().filter(|&b| b != b'-').collect();
        let m = <[u8; 4]>::try_from(bytes).ok().and_then(read_coordinates);
        let m = m.ok_or_else(|| BadInput::new(format!("not a move: {text}")))?;
        if m != XMove::NONE && self.is_legal(m) {
            Ok(m)
        } else {
            Err(BadInput::new(format!("illegal move: {text}")))
        }
    }
}

/// The points and kinds are as many as the tables say.
const _: () = assert!(POINTS == 90 && KINDS.len() == MOST.len());
