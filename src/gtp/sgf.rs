//! Reading the main line of an SGF file, and writing a game as SGF.

use crate::game::{BadInput, Side};
use crate::games::go::types::{BLACK, MAX_SIZE, PASS, Point, side_of};
use crate::games::go::{Board, Game, Rules, coords};

/// Properties of the nodes of the main line, in order.
type Nodes = Vec<Vec<(String, Vec<String>)>>;

/// Nodes read of one file; games are shorter.
const MOST_NODES: usize = 100_000;

/// How often a setup property may name the points of the board, on the average: a standard file names none twice.
const MOST_TIMES: usize = 4;

fn no<T>() -> Result<T, BadInput> {
    Err(BadInput::new("cannot load file"))
}

/// Reads the main line: at every fork the first branch.
fn nodes(text: &str) -> Result<Nodes, BadInput> {
    let mut nodes: Nodes = Vec::new();
    let mut chars = text.chars().skip_while(|&c| c != '(').peekable();
    let mut name = String::new();
    let mut depth = 0usize;
    while let Some(c) = chars.next() {
        match c {
            '(' => depth += 1,
            // The first branch ends at its first closing bracket.
            ')' => break,
            ';' if nodes.len() >= MOST_NODES => return no(),
            ';' => {
                nodes.push(Vec::new());
                name.clear();
            }
            'A'..='Z' => name.push(c),
            '[' => {
                let mut value = String::new();
                loop {
                    match chars.next() {
                        None => return no(),
                        Some(']') => break,
                        Some('\\') => value.extend(chars.next()),
                        Some(c) => value.push(c),
                    }
                }
                let Some(node) = nodes.last_mut() else { return no() };
                match node.last_mut() {
                    Some((_, values)) if name.is_empty() => values.push(value),
                    _ if name.is_empty() => return no(),
                    _ => node.push((std::mem::take(&mut name), vec![value])),
                }
            }
            // Lower-case letters of old names, and white space.
            _ => {}
        }
    }
    if depth == 0 || nodes.is_empty() {
        no()
    } else {
        Ok(nodes)
    }
}

fn point(board: &Board, value: &str) -> Result<Point, BadInput> {
    let size = board.size();
    if value.is_empty() || (value == "tt" && size <= 19) {
        return Ok(PASS);
    }
    let [x, y] = value.as_bytes() else { return no() };
    let at = |b: u8| usize::from(b.wrapping_sub(b'a'));
    if at(*x) >= size || at(*y) >= size {
        return no();
    }
    Ok(board.at(at(*x), size - 1 - at(*y)))
}

/// The points of a setup property, rectangles among them.
fn points(board: &Board, values: &[String]) -> Result<Vec<Point>, BadInput> {
    let mut all = Vec::new();
    for value in values {
        let (a, b) = value.split_once(':').unwrap_or((value, value));
        let (a, b) = (point(board, a)?, point(board, b)?);
        if a == PASS || b == PASS {
            return no();
        }
        let ((x0, y0), (x1, y1)) = (board.xy(a), board.xy(b));
        if all.len() + (x0.abs_diff(x1) + 1) * (y0.abs_diff(y1) + 1) > MOST_TIMES * board.area() {
            return no();
        }
        for y in y0.min(y1)..=y0.max(y1) {
            all.extend((x0.min(x1)..=x0.max(x1)).map(|x| board.at(x, y)));
        }
    }
    Ok(all)
}

/// Reads a game, up to the position before move number `before`, if one is given.
pub fn load(text: &str, rules: Rules, before: Option<usize>) -> Result<Game, BadInput> {
    let nodes = nodes(text)?;
    let first = |name: &str| -> Option<&str> {
        let root = nodes.first()?;
        root.iter()
            .find(|(n, _)| n == name)
            .and_then(|(_, v)| v.first())
            .map(String::as_str)
    };
    let size = match first("SZ") {
        Some(text) => text.trim().parse().unwrap_or(0),
        None => 19,
    };
    if size > MAX_SIZE {
        return no();
    }
    let Ok(empty) = Board::new(size) else { return no() };
    let rules = first("RU").and_then(|r| Rules::named(r).ok()).unwrap_or(rules);
    let mut game = Game::from_board(empty, rules, Side::First);
    let komi = first("KM").and_then(|k| k.trim().parse::<f32>().ok());
    let komi = komi.filter(|k| k.is_finite() && k.abs() <= 1000.0);
    let mut played = 0;
    for node in &nodes {
        for (name, values) in node {
            let value = values.first().map_or("", String::as_str);
            match name.as_str() {
                "AB" | "AW" | "AE" => game = set_up(&game, name, values)?,
                "PL" => game.set_side(coords::parse_side(value.trim())?),
                "B" | "W" => {
                    played += 1;
                    if before.is_some_and(|n| played >= n) {
                        break;
                    }
                    let p = point(game.board(), value)?;
                    let side = if name == "B" { Side::First } else { Side::Second };
                    if game.play(p, side).is_err() {
                        return no();
                    }
                }
                _ => {}
            }
        }
        if before.is_some_and(|n| played >= n) {
            break;
        }
    }
    game.set_komi(komi.unwrap_or(rules.komi));
    Ok(game)
}

fn set_up(game: &Game, name: &str, values: &[String]) -> Result<Game, BadInput> {
    let points = points(game.board(), values)?;
    let fresh = game.moves().is_empty() && game.board().empties().len() == game.board().area();
    if name == "AB" && fresh && points.len() >= 2 {
        let mut next = game.clone();
        if next.place_handicap(&points).is_ok() {
            return Ok(next);
        }
    }
    let mut rows: Vec<Vec<u8>> = game.board().rows().into_iter().map(String::into_bytes).collect();
    let mark = match name {
        "AB" => b'X',
        "AW" => b'O',
        _ => b'.',
    };
    let size = game.board().size();
    for p in points {
        let (x, y) = game.board().xy(p);
        if let Some(cell) = rows.get_mut(size - 1 - y).and_then(|row| row.get_mut(x)) {
            *cell = mark;
        }
    }
    let rows: Vec<String> = rows
        .into_iter()
        .map(|r| String::from_utf8_lossy(&r).into_owned())
        .collect();
    let drawn = Board::drawn(&rows.iter().map(String::as_str).collect::<Vec<_>>())?;
    Ok(Game::from_board(drawn, *game.rules(), game.side()))
}

/// A game as SGF.
pub fn save(game: &Game) -> String {
    let board = game.board();
    let size = board.size();
    let name = |p: Point| {
        if p == PASS {
            return String::new();
        }
        let (x, y) = board.xy(p);
        let letter = |i: usize| (b'a' + i as u8) as char;
        format!("{}{}", letter(x), letter(size - 1 - y))
    };
    let mut text = format!(
        "(;FF[4]CA[UTF-8]GM[1]AP[nguky:{}]SZ[{size}]KM[{}]RU[{}]",
        env!("CARGO_PKG_VERSION"),
        game.komi(),
        game.rules().name
    );
    if game.handicap() > 0 {
        text += &format!("HA[{}]", game.handicap());
    }
    for (c, property) in [(1, "AB"), (2, "AW")] {
        let stones: Vec<Point> = board.points().filter(|&p| game.base().colour(p) == c).collect();
        if !stones.is_empty() {
            text += property;
            stones.iter().for_each(|&p| text += &format!("[{}]", name(p)));
        }
    }
    for &(c, p) in game.moves() {
        let key = if side_of(c) == Side::First && c == BLACK {
            'B'
        } else {
            'W'
        };
        text += &format!(";{key}[{}]", name(p));
    }
    text + ")"
}
