//! Boards as a person reads them in a terminal: a grid of cells with files and ranks around it.

use std::fmt::Write;

/// One point or square.
#[derive(Clone, Default)]
pub struct Cell {
    /// The piece's letters in ASCII; empty for none.
    pub ascii: String,
    /// Its sign in Unicode, at most two columns wide.
    pub sign: String,
    /// Whose it is: 0 for the side that moves first.
    pub side: usize,
    /// Whether it lies face down.
    pub covered: bool,
    /// Whether the last move touched it.
    pub marked: bool,
}

/// A board, its first row at the top as the first side sees it.
#[derive(Clone, Default)]
pub struct Grid {
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
    /// The names of the columns from the left, and of the rows from the top.
    pub names: [Vec<String>; 2],
    /// What is told beside the board.
    pub notes: Vec<String>,
}

/// How boards are drawn.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Letters only.
    pub ascii: bool,
    /// With the terminal's colours.
    pub colour: bool,
}

/// The colours of the two sides' pieces, by game: bright, so that both stand out on dark and on light.
fn inks(game: &str) -> [&'static str; 2] {
    match game {
        "xiangqi" | "coup" => ["1;31", "1;34"],
        "go" => ["1;35", "1;36"],
        _ => ["1;33", "1;34"],
    }
}

/// The sign of a letter that setups use; capitals are the first side's.
fn sign(game: &str, letter: &str) -> String {
    let of = |letters: &str, signs: &str| -> Option<String> {
        let at = letters
            .chars()
            .position(|c| letter.strip_prefix('+').unwrap_or(letter) == c.to_string())?;
        signs.chars().nth(at).map(String::from)
    };
    let found = match game {
        "chess" => of("KQRBNPkqrbnp", "♔♕♖♗♘♙♚♛♜♝♞♟"),
        "shogi" if letter.starts_with('+') => of("PLNSBRplnsbr", "と杏圭全馬龍と杏圭全馬龍"),
        "shogi" => of("KRBGSNLPkrbgsnlp", "玉飛角金銀桂香歩玉飛角金銀桂香歩"),
        "xiangqi" | "coup" => of("KABNRCPXkabnrcpx", "帥仕相傌俥炮兵暗將士象馬車砲卒闇"),
        _ => None,
    };
    found.unwrap_or_else(|| letter.to_string())
}

/// The board of a setup as FEN and SFEN write them.
pub fn grid(game: &str, setup: &str) -> Grid {
    let board = setup.split(' ').next().unwrap_or_default();
    let mut grid = Grid::default();
    for text in board.split('/') {
        let (mut row, mut promoted) = (Vec::new(), false);
        for c in text.chars() {
            if c == '+' {
                promoted = true;
            } else if let Some(gap) = c.to_digit(10) {
                row.extend(std::iter::repeat_n(Cell::default(), gap as usize));
            } else {
                let ascii = if promoted { format!("+{c}") } else { c.to_string() };
                row.push(Cell {
                    sign: sign(game, &ascii),
                    side: usize::from(c.is_ascii_lowercase()),
                    covered: game == "coup" && matches!(c, 'x' | 'X'),
                    marked: false,
                    ascii,
                });
                promoted = false;
            }
        }
        grid.rows.push(row);
    }
    let (columns, rows) = (grid.rows.first().map_or(0, Vec::len), grid.rows.len());
    let letters = |n: usize| (0..n).map(|i| char::from(b'a' + (i % 26) as u8).to_string());
    grid.names = match game {
        // Files from the right, ranks by letters.
        "shogi" => [
            (1..=columns).rev().map(|n| n.to_string()).collect(),
            letters(rows).collect(),
        ],
        "chess" => [
            letters(columns).collect(),
            (1..=rows).rev().map(|n| n.to_string()).collect(),
        ],
        _ => [
            letters(columns).collect(),
            (0..rows).rev().map(|n| n.to_string()).collect(),
        ],
    };
    grid
}

impl Grid {
    /// Marks the points that a move names, as `e2e4`, `7g7f` or `P*5e`.
    pub fn mark(&mut self, text: &str) {
        let signs: Vec<char> = text.chars().collect();
        for pair in [signs.get(..2), signs.get(2..4)].into_iter().flatten() {
            let [a, b] = [pair[0].to_string(), pair[1].to_string()];
            let column = self.names[0].iter().position(|n| *n == a);
            let row = self.names[1].iter().position(|n| *n == b);
            if let (Some(column), Some(row)) = (column, row) {
                self.mark_at(row, column);
            }
        }
    }

    /// Marks a point by its row from the top and its column from the left.
    pub fn mark_at(&mut self, row: usize, column: usize) {
        if let Some(cell) = self.rows.get_mut(row).and_then(|r| r.get_mut(column)) {
            cell.marked = true;
        }
    }

    /// Turns the board for the second side.
    fn turned(mut self) -> Self {
        self.rows.reverse();
        self.rows.iter_mut().for_each(|r| r.reverse());
        self.names.iter_mut().for_each(|n| n.reverse());
        self
    }

    /// The board as text, seen by a side.
    pub fn draw(self, game: &str, side: usize, style: Style) -> String {
        let grid = if side == 1 && game != "go" { self.turned() } else { self };
        let ink = inks(game);
        let margin = grid.names[1].iter().map(String::len).max().unwrap_or(0);
        let mut out = String::new();
        let header = |out: &mut String| {
            let _ = write!(out, "{:margin$} ", "");
            for name in &grid.names[0] {
                let _ = write!(out, " {name:<3}");
            }
            out.push('\n');
        };
        header(&mut out);
        for (row, name) in grid.rows.iter().zip(&grid.names[1]) {
            let _ = write!(out, "{name:>margin$} ");
            for cell in row {
                // Shogi's pieces are all of one colour, and a `v` tells those that point this way.
                let theirs = game == "shogi" && !style.ascii && !cell.ascii.is_empty() && cell.side != side;
                let [open, close] = match cell.marked {
                    true => ['[', ']'],
                    false if theirs => ['v', ' '],
                    false => [' ', ' '],
                };
                out.push(open);
                out += &cell.text(ink, style);
                out.push(close);
            }
            let _ = writeln!(out, "{name:>margin$}");
        }
        header(&mut out);
        for note in &grid.notes {
            out += note;
            out.push('\n');
        }
        out
    }
}

impl Cell {
    /// The cell in two columns.
    fn text(&self, ink: [&str; 2], style: Style) -> String {
        if self.ascii.is_empty() {
            return if style.ascii { ". ".into() } else { "· ".into() };
        }
        let text = if style.ascii { &self.ascii } else { &self.sign };
        let wide = text
            .chars()
            .next()
            .is_some_and(|c| ('\u{2e80}'..='\u{9fff}').contains(&c));
        let close = if wide || text.chars().count() > 1 { "" } else { " " };
        if !style.colour {
            return format!("{text}{close}");
        }
        let face = if self.covered { ";7" } else { "" };
        format!("\x1b[{}{face}m{text}\x1b[0m{close}", ink[self.side & 1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Style = Style {
        ascii: true,
        colour: false,
    };

    #[test]
    fn boards_are_drawn_and_turned() {
        let mut g = grid("chess", "4k3/8/8/8/8/8/P7/4K2R w K - 0 1");
        g.mark("a1a2");
        let text = g.clone().draw("chess", 0, PLAIN);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0].trim(), "a   b   c   d   e   f   g   h");
        assert_eq!(lines[1], "8  .   .   .   .   k   .   .   .  8");
        assert_eq!(lines[8], "1 [. ] .   .   .   K   .   .   R  1");
        let turned = g.draw("chess", 1, PLAIN);
        assert!(
            turned.lines().nth(1).is_some_and(|l| l.starts_with("1  R ")),
            "{turned}"
        );
    }

    #[test]
    fn signs_are_of_the_game() {
        assert_eq!(sign("shogi", "+R"), "龍");
        assert_eq!(sign("coup", "x"), "闇");
        assert_eq!(sign("xiangqi", "n"), "馬");
        assert_eq!(sign("chess", "q"), "♛");
        let style = Style {
            ascii: false,
            colour: true,
        };
        let text = grid("coup", "x8/9/9/9/9/9/9/9/9/4K4 w").draw("coup", 0, style);
        assert!(
            text.contains("\x1b[1;34;7m闇\x1b[0m") && text.contains("\x1b[1;31m帥"),
            "{text}"
        );
    }
}
