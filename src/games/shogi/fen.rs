//! Setup text (SFEN) and coordinates.

use super::position::{Shogi, ShogiBoard};
use super::types::{
    DROPS, EMPTY, Kind, LETTERS, NO_KING, SET, SMove, ShogiRules, dead_end, file, kind_name, kind_of, piece,
    point_name, side_name, side_of,
};
use crate::bits::Bb128;
use crate::game::{BadInput, Move, Position, Side};

/// The order in which hands are written.
const HAND_ORDER: [Kind; 7] = [
    Kind::Rook,
    Kind::Bishop,
    Kind::Gold,
    Kind::Silver,
    Kind::Knight,
    Kind::Lance,
    Kind::Pawn,
];

/// Setups give move numbers up to this one.
const LAST_MOVE: usize = 100_000;

fn bad(text: impl std::fmt::Display) -> BadInput {
    BadInput::new(format!("bad setup: {text}"))
}

fn read_piece(c: char) -> Option<(Side, Kind)> {
    let letter = c.to_ascii_uppercase();
    let at = LETTERS.iter().position(|&l| l == letter)?;
    let side = if c.is_ascii_uppercase() {
        Side::First
    } else {
        Side::Second
    };
    Some((side, super::types::KINDS[at]))
}

fn called(piece: u8) -> String {
    format!("{} {}", side_name(side_of(piece)), kind_name(kind_of(piece)))
}

/// How many of a kind, promoted or not, a board and its hands hold.
fn held(board: &ShogiBoard, kind: Kind) -> u32 {
    let promoted = if kind.promotes() {
        board.kind(kind.promoted())
    } else {
        Bb128::EMPTY
    };
    let hands = match kind {
        Kind::King => 0,
        _ => board.hand(Side::First).count(kind) + board.hand(Side::Second).count(kind),
    };
    (board.kind(kind) | promoted).len() + hands
}

fn place(board: &mut ShogiBoard, side: Side, kind: Kind, point: u8) -> Result<(), BadInput> {
    let put = piece(side, kind);
    let name = point_name(point);
    if dead_end(side, kind).has(point) {
        return Err(bad(format_args!("{} on {name} could never move", called(put))));
    }
    if kind == Kind::King && board.king(side) != NO_KING {
        return Err(bad(format_args!("a second {} on {name}", called(put))));
    }
    if kind == Kind::Pawn && !board.open_files(side).has(point) {
        return Err(bad(format_args!(
            "a second {} on file {}, on {name}",
            called(put),
            file(point) + 1
        )));
    }
    let origin = kind.origin();
    if held(board, origin) == SET[origin as usize] {
        let (most, name) = (SET[origin as usize], kind_name(origin));
        return Err(bad(format_args!("more than {most} {name}s of both sides")));
    }
    board.put(put, point);
    Ok(())
}

fn read_row(board: &mut ShogiBoard, row: &str, r: u8) -> Result<(), BadInput> {
    let rank = char::from(b'a' + r);
    let (mut f, mut plus) = (0u8, false);
    for c in row.chars() {
        if c == '+' && !plus {
            plus = true;
            continue;
        }
        if let (Some(gap @ 1..=9), false) = (c.to_digit(10), plus) {
            f += gap as u8;
        } else if let Some((side, kind)) = read_piece(c) {
            if plus && !kind.promotes() {
                return Err(bad(format_args!("a {} does not promote: +{c}", kind_name(kind))));
            }
            if f < 9 {
                let kind = if plus { kind.promoted() } else { kind };
                place(board, side, kind, (8 - f) * 9 + r)?;
            }
            f += 1;
            plus = false;
        } else {
            let sign = if plus { "+" } else { "" };
            return Err(bad(format_args!("no piece is called {sign}{c} (rank {rank})")));
        }
        if f > 9 {
            break;
        }
    }
    if f != 9 || plus {
        return Err(bad(format_args!("rank {rank} has not 9 points: {row}")));
    }
    Ok(())
}

fn read_hands(board: &mut ShogiBoard, text: &str) -> Result<(), BadInput> {
    if text == "-" {
        return Ok(());
    }
    let mut count: Option<u32> = None;
    let mut seen = [false; 28];
    for c in text.chars() {
        if let Some(digit) = c.to_digit(10) {
            let n = count.unwrap_or(0) * 10 + digit;
            if n == 0 || n > 18 {
                return Err(bad(format_args!("no hand holds {n} pieces of a kind: {text}")));
            }
            count = Some(n);
            continue;
        }
        let Some((side, kind)) = read_piece(c).filter(|&(_, kind)| kind != Kind::King) else {
            return Err(bad(format_args!("a hand holds no {c}: {text}")));
        };
        let slot = &mut seen[piece(side, kind) as usize];
        if *slot {
            return Err(bad(format_args!("{c} stands twice among the hands {text}")));
        }
        *slot = true;
        for _ in 0..count.take().unwrap_or(1) {
            if held(board, kind) == SET[kind as usize] {
                let (most, name) = (SET[kind as usize], kind_name(kind));
                return Err(bad(format_args!("more than {most} {name}s of both sides")));
            }
            board.hands[side.index()].add(kind);
        }
    }
    match count {
        Some(n) => Err(bad(format_args!("no piece after the number {n} in the hands {text}"))),
        None => Ok(()),
    }
}

impl Shogi {
    pub(super) fn parse(setup: &str, rules: &ShogiRules) -> Result<Self, BadInput> {
        let mut words = setup.split_whitespace();
        let rows = words.next().ok_or_else(|| bad("it is empty"))?;
        let mut board = ShogiBoard::empty();
        if rows.split('/').count() != 9 {
            let n = rows.split('/').count();
            return Err(bad(format_args!("{n} ranks instead of 9 in {rows}")));
        }
        for (r, row) in (0..9).zip(rows.split('/')) {
            read_row(&mut board, row, r)?;
        }
        board.side = match words.next() {
            Some("b" | "B") | None => Side::First,
            Some("w" | "W") => Side::Second,
            Some(other) => return Err(bad(format_args!("side to move is b or w, not {other}"))),
        };
        read_hands(&mut board, words.next().unwrap_or("-"))?;
        let number = match words.next() {
            None => 1,
            Some(word) => match word.parse::<usize>() {
                Ok(n) if n <= LAST_MOVE => n,
                _ => {
                    return Err(bad(format_args!(
                        "the move number is a number up to {LAST_MOVE}, not {word}"
                    )));
                }
            },
        };
        if let Some(extra) = words.next() {
            return Err(bad(format_args!(
                "nothing is expected after the move number, not {extra}"
            )));
        }
        // Mating problems often show no king of the attacker.
        if board.kind(Kind::King).is_empty() {
            return Err(bad("both kings are missing"));
        }
        let idle = board.side.other();
        let takers = board.checkers(idle);
        if takers.any() {
            let from = takers.first();
            return Err(bad(format_args!(
                "{} on {} can take the {} king on {}",
                called(board.at(from)),
                point_name(from),
                side_name(idle),
                point_name(board.king(idle))
            )));
        }
        Ok(Self::from_board(board, rules, number.saturating_sub(1)))
    }

    pub(super) fn setup(&self) -> String {
        let b = &self.board;
        let mut out = String::new();
        for r in 0..9 {
            let mut gap = 0;
            for f in (0..9).rev() {
                match b.at(f * 9 + r) {
                    EMPTY => gap += 1,
                    piece => {
                        if gap > 0 {
                            out.push(char::from(b'0' + gap));
                            gap = 0;
                        }
                        out += &Self::letters(piece);
                    }
                }
            }
            if gap > 0 {
                out.push(char::from(b'0' + gap));
            }
            out.push(if r < 8 { '/' } else { ' ' });
        }
        let side = if b.side == Side::First { 'b' } else { 'w' };
        out + &format!("{side} {} {}", self.hands_text(), self.game_ply() + 1)
    }

    /// A piece as setups write it.
    fn letters(piece: u8) -> String {
        let kind = kind_of(piece);
        let letter = LETTERS[kind.origin() as usize];
        let letter = match side_of(piece) {
            Side::First => letter,
            Side::Second => letter.to_ascii_lowercase(),
        };
        if kind == kind.origin() {
            letter.to_string()
        } else {
            format!("+{letter}")
        }
    }

    fn hand_text(&self, side: Side) -> String {
        let mut out = String::new();
        for kind in HAND_ORDER {
            let n = self.board.hand(side).count(kind);
            if n > 1 {
                out += &n.to_string();
            }
            if n > 0 {
                out += &Self::letters(piece(side, kind));
            }
        }
        out
    }

    fn hands_text(&self) -> String {
        let both = self.hand_text(Side::First) + &self.hand_text(Side::Second);
        if both.is_empty() { "-".to_owned() } else { both }
    }

    pub(super) fn parse_move(&self, text: &str) -> Result<SMove, BadInput> {
        let not_a_move = || BadInput::new(format!("not a move: {text}"));
        let point = |f: u8, r: u8| {
            let r = r.to_ascii_lowercase();
            let on = (b'1'..=b'9').contains(&f) && (b'a'..=b'i').contains(&r);
            on.then(|| (f - b'1') * 9 + r - b'a').ok_or_else(not_a_move)
        };
        let m = match *text.as_bytes() {
            [letter, b'*', f, r] => {
                let letter = char::from(letter.to_ascii_uppercase());
                let at = LETTERS[..7].iter().position(|&l| l == letter).ok_or_else(not_a_move)?;
                let kind = DROPS[at];
                if !self.board.hand(self.board.side).has(kind) {
                    return Err(BadInput::new(format!(
                        "illegal move: {text}, {} has no {} in hand",
                        side_name(self.board.side),
                        kind_name(kind)
                    )));
                }
                SMove::drop(kind, point(f, r)?)
            }
            [a, b, c, d] => SMove::new(point(a, b)?, point(c, d)?, false),
            [a, b, c, d, b'+'] => SMove::new(point(a, b)?, point(c, d)?, true),
            _ => return Err(not_a_move()),
        };
        if m != SMove::NONE && self.is_legal(m) {
            Ok(m)
        } else {
            Err(BadInput::new(format!("illegal move: {text}")))
        }
    }

    pub(super) fn picture(&self) -> String {
        let hand = |side: Side| {
            let text = self.hand_text(side);
            if text.is_empty() { "-".to_owned() } else { text }
        };
        let mut out = format!("white's hand: {}\n", hand(Side::Second));
        out += "  9  8  7  6  5  4  3  2  1\n";
        for r in 0..9 {
            for f in (0..9).rev() {
                let piece = self.board.at(f * 9 + r);
                let text = if piece == EMPTY {
                    ".".to_owned()
                } else {
                    Self::letters(piece)
                };
                out += &format!("{text:>3}");
            }
            out += &format!("  {}\n", char::from(b'a' + r));
        }
        out + &format!("black's hand: {}\n", hand(Side::First))
    }
}
