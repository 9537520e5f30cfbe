//! Setups (FEN) and moves as text.

use super::Minichess;
use super::about::ABOUT;
use super::board::{Board, EMPTY, KING, MiniMove, SIZE, SQUARES, piece};
use nguky::game::{BadInput, Position, Side};

/// The letter of a piece.
fn letter(piece: u8) -> char {
    char::from(ABOUT.letters.as_bytes()[usize::from(piece)])
}

fn square_text(square: u8) -> String {
    format!("{}{}", char::from(b'a' + square % SIZE), square / SIZE + 1)
}

pub fn move_text(m: MiniMove) -> String {
    let promoted = m.promoted().map(|kind| letter(piece(Side::Second, kind)));
    square_text(m.from()) + &square_text(m.to()) + &promoted.map_or_else(String::new, String::from)
}

/// The squares of a FEN's first field.
fn squares(text: &str) -> Result<[u8; SQUARES], BadInput> {
    let mut all = [EMPTY; SQUARES];
    let ranks: Vec<&str> = text.split('/').collect();
    if ranks.len() != usize::from(SIZE) {
        return Err(BadInput::new(format!("bad setup: {SIZE} ranks expected, not {text:?}")));
    }
    for (rank, line) in (0..SIZE).rev().zip(ranks) {
        let mut file = 0;
        for c in line.chars() {
            match (c.to_digit(10), ABOUT.letters.find(c)) {
                (Some(gap), _) => file += gap as usize,
                (None, Some(piece)) if file < usize::from(SIZE) => {
                    all[usize::from(rank * SIZE) + file] = piece as u8;
                    file += 1;
                }
                _ => return Err(BadInput::new(format!("bad setup: {c:?} in rank {line:?}"))),
            }
        }
        if file != usize::from(SIZE) {
            return Err(BadInput::new(format!(
                "bad setup: {SIZE} squares expected in rank {line:?}"
            )));
        }
    }
    Ok(all)
}

/// Reads a FEN: the position without its history, and the plies before it.
pub fn parse(setup: &str) -> Result<(Board, usize), BadInput> {
    let mut fields = setup.split_whitespace();
    let squares = squares(fields.next().unwrap_or_default())?;
    let side = match fields.next() {
        Some("w") => Side::First,
        Some("b") => Side::Second,
        other => return Err(BadInput::new(format!("bad setup: side w or b expected, not {other:?}"))),
    };
    let mut number = |default: u16| match fields.next().map(str::parse) {
        None => Ok(default),
        Some(Ok(n)) if n <= 10_000 => Ok(n),
        _ => Err(BadInput::new("bad setup: a number up to 10000 expected")),
    };
    let board = Board {
        squares,
        side,
        clock: number(0)?,
    };
    let moves = usize::from(number(1)?.max(1)) - 1;
    let kings = |side| squares.iter().filter(|p| **p == piece(side, KING)).count();
    if kings(Side::First) != 1 || kings(Side::Second) != 1 {
        return Err(BadInput::new("bad setup: one king a side expected"));
    }
    if board.in_check(side.other()) {
        return Err(BadInput::new("bad setup: the side that is not to move is in check"));
    }
    let last = |square: usize| square < usize::from(SIZE) || square >= SQUARES - usize::from(SIZE);
    if (0..SQUARES).any(|square| last(square) && squares[square] % 6 == 0 && squares[square] != EMPTY) {
        return Err(BadInput::new("bad setup: a pawn on the first or last rank"));
    }
    Ok((board, 2 * moves + side.index()))
}

/// Writes a FEN.
pub fn setup(board: &Board, ply: usize) -> String {
    let rank = |rank: u8| {
        let mut line = String::new();
        let mut gap = 0;
        for square in rank * SIZE..(rank + 1) * SIZE {
            if board.at(square) == EMPTY {
                gap += 1;
                continue;
            }
            if gap > 0 {
                line += &gap.to_string();
                gap = 0;
            }
            line.push(letter(board.at(square)));
        }
        if gap > 0 { line + &gap.to_string() } else { line }
    };
    let ranks: Vec<String> = (0..SIZE).rev().map(rank).collect();
    let side = if board.side == Side::First { "w" } else { "b" };
    format!("{} {side} {} {}", ranks.join("/"), board.clock, ply / 2 + 1)
}

pub fn picture(p: &Minichess) -> String {
    let setup = p.setup();
    let board = setup.split(' ').next().unwrap_or_default().replace('/', "\n");
    let spread: String = board
        .chars()
        .map(|c| {
            c.to_digit(10)
                .map_or_else(|| format!(" {c}"), |n| " .".repeat(n as usize))
        })
        .collect();
    format!("{}\n\nFen: {setup}\nKey: {:016X}", spread.replace(" \n", "\n"), p.key())
}
