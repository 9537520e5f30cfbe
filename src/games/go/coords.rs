//! Points as people write them: a letter without I and a row counted from the bottom.

use super::board::Board;
use super::types::{PASS, Point};
use crate::game::{BadInput, Side};

const LETTERS: &[u8; 25] = b"ABCDEFGHJKLMNOPQRSTUVWXYZ";

/// The vertex of a point, as "D4", or "pass".
pub fn text(board: &Board, p: Point) -> String {
    if p == PASS {
        return "pass".into();
    }
    let (x, y) = board.xy(p);
    format!("{}{}", LETTERS[x] as char, y + 1)
}

/// Reads a vertex in any case; "pass" is [`PASS`].
pub fn parse(board: &Board, text: &str) -> Result<Point, BadInput> {
    if text.eq_ignore_ascii_case("pass") {
        return Ok(PASS);
    }
    let bad = || BadInput::new(format!("invalid coordinate {text:?}"));
    let letter = text.bytes().next().ok_or_else(bad)?.to_ascii_uppercase();
    let x = LETTERS.iter().position(|&l| l == letter).ok_or_else(bad)?;
    let digits = &text[1..];
    // "+3" and "03" parse as numbers but are no vertices.
    if digits.is_empty() || digits.len() > 2 || !digits.bytes().all(|d| d.is_ascii_digit()) || digits.starts_with('0') {
        return Err(bad());
    }
    let y: usize = digits.parse().map_err(|_| bad())?;
    if x >= board.size() || y > board.size() {
        return Err(bad());
    }
    Ok(board.at(x, y - 1))
}

/// Reads a colour: b, black, w, white in any case.
pub fn parse_side(text: &str) -> Result<Side, BadInput> {
    match text.to_ascii_lowercase().as_str() {
        "b" | "black" => Ok(Side::First),
        "w" | "white" => Ok(Side::Second),
        _ => Err(BadInput::new(format!("invalid color {text:?}"))),
    }
}

/// The handicap points of GTP's table: 2 to 9 stones on sizes that have them, fewer on small and even boards.
pub fn fixed_handicap(board: &Board, n: usize) -> Option<Vec<Point>> {
    let size = board.size();
    let most = match size {
        0..=6 => return None,
        7 => 4,
        s if s % 2 == 0 => 4,
        _ => 9,
    };
    if !(2..=most).contains(&n) {
        return None;
    }
    let near = if size < 13 { 2 } else { 3 };
    let (far, mid) = (size - 1 - near, size / 2);
    let corners = [(near, near), (far, far), (far, near), (near, far)];
    let mut spots: Vec<(usize, usize)> = corners[..n.min(4)].to_vec();
    if n >= 6 {
        spots.extend([(near, mid), (far, mid)]);
    }
    if n >= 8 {
        spots.extend([(mid, near), (mid, far)]);
    }
    // The centre only in odd numbers.
    if n >= 5 && n % 2 == 1 {
        spots.push((mid, mid));
    }
    Some(spots.into_iter().map(|(x, y)| board.at(x, y)).collect())
}

/// The star points of a size, to draw the board with: five on 9x9 to 13x13, with those of the sides nine from 15x15 on.
pub fn stars(board: &Board) -> Vec<Point> {
    let n = match board.size() {
        size if size % 2 == 0 || size <= 7 => 4,
        size if size < 15 => 5,
        _ => 9,
    };
    fixed_handicap(board, n).unwrap_or_default()
}
