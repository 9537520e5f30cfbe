//! Boards as a person reads them in a terminal: a grid of points with files and ranks around it, and notes.

use super::paint::{BoardStyle, BoardView, Colours, Palette};
use nguky::game::{About, BoardFamily};
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// One point or square.
#[derive(Clone, Default)]
pub struct Cell {
    /// The piece's letters in ASCII; empty for none.
    pub ascii: String,
    /// Its sign in Unicode, at most two columns wide.
    pub sign: String,
    /// What it looks like.
    pub look: BoardView,
    /// Whether it is a star point of go.
    pub star: bool,
}

/// What is shown beside the board.
#[derive(Clone)]
pub enum Note {
    /// A sentence.
    Text(String),
    /// Pieces with how many there are of each.
    Pieces(String, Vec<(Cell, usize)>),
}

/// A board, its first row at the top as the first side sees it.
#[derive(Clone)]
pub struct Grid {
    /// The game that it belongs to.
    pub about: &'static About,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
    /// The names of the columns from the left, and of the rows from the top.
    pub names: [Vec<String>; 2],
    /// What is shown of each side, on its side of the board.
    pub of_side: [Vec<Note>; 2],
    /// What is shown below.
    pub notes: Vec<Note>,
}

/// A piece by its letter.
pub fn piece(about: &About, letter: &str) -> Cell {
    Cell {
        ascii: letter.into(),
        sign: about.glyph(letter).map_or_else(|| letter.into(), String::from),
        look: BoardView {
            side: usize::from(letter.ends_with(|c: char| c.is_ascii_lowercase())),
            covered: about.covered.contains(letter),
            promoted: letter.starts_with('+'),
            ..BoardView::default()
        },
        star: false,
    }
}

/// The board of a setup as FEN and SFEN write them.
pub fn grid(about: &'static About, setup: &str) -> Grid {
    let board = setup.split(' ').next().unwrap_or_default();
    let mut grid = Grid::new(about);
    for text in board.split('/') {
        let (mut row, mut promoted) = (Vec::new(), false);
        for c in text.chars() {
            if c == '+' {
                promoted = true;
            } else if let Some(gap) = c.to_digit(10) {
                row.extend(std::iter::repeat_n(Cell::default(), gap as usize));
            } else {
                row.push(piece(about, &if promoted { format!("+{c}") } else { c.to_string() }));
                promoted = false;
            }
        }
        grid.rows.push(row);
    }
    let (columns, rows) = (grid.rows.first().map_or(0, Vec::len), grid.rows.len());
    let letters = |n: usize| (0..n).map(|i| char::from(b'a' + (i % 26) as u8).to_string());
    grid.names = match about.board {
        // Files from the right, ranks by letters.
        BoardFamily::Shogi => [
            (1..=columns).rev().map(|n| n.to_string()).collect(),
            letters(rows).collect(),
        ],
        BoardFamily::Chess => [
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

/// Columns of a cell before, within and behind its sign.
fn widths(board: BoardFamily) -> [usize; 3] {
    match board {
        BoardFamily::Chess => [1, 1, 1],
        BoardFamily::Go => [1, 1, 0],
        BoardFamily::Xiangqi | BoardFamily::Shogi => [1, 2, 1],
    }
}

impl Grid {
    /// A grid of a game without rows yet.
    pub const fn new(about: &'static About) -> Self {
        Self {
            about,
            rows: Vec::new(),
            names: [Vec::new(), Vec::new()],
            of_side: [Vec::new(), Vec::new()],
            notes: Vec::new(),
        }
    }

    const fn family(&self) -> BoardFamily {
        self.about.board
    }

    /// The rows and columns that a move names, as `e2e4`, `7g7f` or `P*5e`: of its first point and of its second.
    pub fn places(&self, text: &str) -> [Option<(usize, usize)>; 2] {
        let signs: Vec<char> = text.chars().collect();
        [0, 2].map(|i| {
            let [a, b] = [signs.get(i)?.to_string(), signs.get(i + 1)?.to_string()];
            let column = self.names[0].iter().position(|n| *n == a)?;
            let row = self.names[1].iter().position(|n| *n == b)?;
            Some((row, column))
        })
    }

    /// Marks the points that a move names.
    pub fn mark(&mut self, text: &str) {
        for (row, column) in self.places(text).into_iter().flatten() {
            self.rows[row][column].look.marked = true;
        }
    }

    /// Marks a side's king as being in check.
    pub fn alarm(&mut self, side: usize) {
        let king = if side == 0 { "K" } else { "k" };
        let cells = self.rows.iter_mut().flatten().filter(|c| c.ascii == king);
        cells.for_each(|c| c.look.checked = true);
    }

    /// Turns the board for the second side.
    fn turned(mut self) -> Self {
        self.rows.reverse();
        self.rows.iter_mut().for_each(|r| r.reverse());
        self.names.iter_mut().for_each(|n| n.reverse());
        self
    }

    /// The board as text, seen by a side.
    pub fn draw(self, side: usize, style: BoardStyle) -> String {
        let grid = if side == 1 && self.family() != BoardFamily::Go {
            self.turned()
        } else {
            self
        };
        let lines = grid.family() == BoardFamily::Xiangqi;
        let mut out = String::new();
        // In go there is no far side.
        let far = if grid.family() == BoardFamily::Go {
            usize::MAX
        } else {
            1 - (side & 1)
        };
        for note in grid.of_side.get(far).into_iter().flatten() {
            let _ = writeln!(out, "{}", grid.note(note, style));
        }
        let ahead: Vec<String> = (1..=grid.names[0].len()).map(|n| n.to_string()).collect();
        let own: Vec<String> = ahead.iter().rev().cloned().collect();
        grid.header(&mut out, if lines { &ahead } else { &grid.names[0] });
        let margin = grid.margin();
        for (y, (row, name)) in grid.rows.iter().zip(&grid.names[1]).enumerate() {
            if lines && y == 5 {
                let river = grid.river(style);
                let _ = writeln!(out, "{:margin$} {river}", "");
            }
            let _ = write!(out, "{name:>margin$} ");
            for x in 0..row.len() {
                out += &grid.cell(y, x, side, style);
            }
            // What closes the row of lines, or the bracket around the last point.
            if grid.family() == BoardFamily::Go {
                let close = if row.last().is_some_and(|c| c.look.marked) && style.colours == Colours::None {
                    ")"
                } else {
                    " "
                };
                out += &style.paint(close, Palette::of(grid.family()).board(BoardView::default()));
            }
            let japanese = ["一", "二", "三", "四", "五", "六", "七", "八", "九"];
            let rank = name.bytes().next().map_or(0, |b| usize::from(b.wrapping_sub(b'a')));
            match japanese
                .get(rank)
                .filter(|_| grid.family() == BoardFamily::Shogi && !style.ascii)
            {
                Some(kanji) => _ = writeln!(out, " {kanji}"),
                None => _ = writeln!(out, " {name}"),
            }
        }
        grid.header(&mut out, if lines { &own } else { &grid.names[0] });
        if lines {
            grid.header(&mut out, &grid.names[0]);
        }
        let near = (0..2).filter(|&i| i != far).flat_map(|i| &grid.of_side[i]);
        for note in near.chain(&grid.notes) {
            let _ = writeln!(out, "{}", grid.note(note, style));
        }
        out
    }

    fn margin(&self) -> usize {
        self.names[1].iter().map(String::len).max().unwrap_or(0)
    }

    fn header(&self, out: &mut String, names: &[String]) {
        let mut line = format!("{:1$} ", "", self.margin());
        let width: usize = widths(self.family()).iter().sum();
        for name in names {
            let _ = write!(line, " {name:<0$}", width - 1);
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }

    /// The river of xiangqi, between the fifth and the sixth row.
    fn river(&self, style: BoardStyle) -> String {
        let text = match style.ascii {
            true => format!(" {:^33}  ", "~  ~  ~  ~  ~  ~  ~  ~"),
            false => format!(" │{:7}楚 河{:7}漢 界{:7}│  ", "", "", ""),
        };
        style.paint(&text, Palette::of(self.family()).board(BoardView::default()))
    }

    /// The sign of an empty point.
    fn empty(&self, y: usize, x: usize, style: BoardStyle) -> char {
        let cell = &self.rows[y][x];
        let coloured = style.colours != Colours::None;
        let in_cells = matches!(self.family(), BoardFamily::Chess | BoardFamily::Shogi);
        match self.family() {
            _ if style.ascii && cell.star => '+',
            _ if in_cells && coloured => ' ',
            _ if style.ascii => '.',
            _ if in_cells => '·',
            _ if cell.star => '╋',
            board => {
                let (last, right) = (self.rows.len() - 1, self.rows[y].len() - 1);
                let river = board == BoardFamily::Xiangqi && x > 0 && x < right;
                let top = y == 0 || river && y == 5;
                let bottom = y == last || river && y == 4;
                match (top, bottom, x == 0, x == right) {
                    (true, _, true, _) => '┌',
                    (true, _, _, true) => '┐',
                    (_, true, true, _) => '└',
                    (_, true, _, true) => '┘',
                    (true, ..) => '┬',
                    (_, true, ..) => '┴',
                    (_, _, true, _) => '├',
                    (_, _, _, true) => '┤',
                    _ => '┼',
                }
            }
        }
    }

    /// A point with what lies left and right of its sign.
    fn cell(&self, y: usize, x: usize, side: usize, style: BoardStyle) -> String {
        let cell = &self.rows[y][x];
        let palette = Palette::of(self.family());
        let plain = style.colours == Colours::None;
        let right = self.rows[y].len() - 1;
        let on_lines = matches!(self.family(), BoardFamily::Xiangqi | BoardFamily::Go);
        let lines = on_lines && !style.ascii;
        let rule = |end: bool| if lines && !end { '─' } else { ' ' };
        let look = BoardView {
            dark: (y + x) % 2 == 1,
            ..cell.look
        };
        let [mut open, mut close] = [rule(x == 0), rule(x == right)];
        if plain {
            let before = x.checked_sub(1).is_some_and(|x| self.rows[y][x].look.marked);
            match (look.checked, look.marked, self.family()) {
                (_, true, BoardFamily::Go) => open = '(',
                (_, _, BoardFamily::Go) if before => open = ')',
                (true, ..) => [open, close] = ['!', '!'],
                (_, true, _) => [open, close] = ['[', ']'],
                _ => {}
            }
        }
        // Shogi's pieces have one form, and a `v` tells those that point this way.
        if self.family() == BoardFamily::Shogi && !style.ascii && !cell.ascii.is_empty() && look.side != side {
            open = 'v';
        }
        let [_, width, behind] = widths(self.family());
        let sign = if cell.ascii.is_empty() {
            self.empty(y, x, style).to_string()
        } else {
            self.text(cell, style)
        };
        let filler = if cell.ascii.is_empty() { rule(x == right) } else { ' ' };
        let missing = width.saturating_sub(sign.width());
        let sign = sign + &filler.to_string().repeat(missing);
        let body = match cell.ascii.is_empty() {
            true => palette.board(look),
            false => palette.piece(look),
        };
        // Around a point of lines, the ground is the board's.
        let edge = match on_lines {
            true => palette.board(BoardView::default()),
            false => body,
        };
        let close = if behind > 0 { close.to_string() } else { String::new() };
        if edge == body {
            return style.paint(&format!("{open}{sign}{close}"), body);
        }
        let mut text = style.paint(&open.to_string(), edge) + &style.paint(&sign, body);
        if behind > 0 {
            text += &style.paint(&close, edge);
        }
        text
    }

    /// The letters or the sign of a piece. Without colours, chess and go have letters: full and hollow signs change their
    /// meaning between dark and light terminals.
    fn text(&self, cell: &Cell, style: BoardStyle) -> String {
        let told_by_colour = matches!(self.family(), BoardFamily::Chess | BoardFamily::Go);
        let letters = style.ascii || style.colours == Colours::None && told_by_colour;
        if letters { cell.ascii.clone() } else { cell.sign.clone() }
    }

    fn note(&self, note: &Note, style: BoardStyle) -> String {
        let (label, pieces) = match note {
            Note::Text(text) => return super::help::wrapped(text, "  "),
            Note::Pieces(label, pieces) => (label, pieces),
        };
        let palette = Palette::of(self.family());
        let words = pieces.iter().map(|(cell, count)| {
            let text = match style.colours {
                Colours::None => self.text(cell, style),
                _ => style.paint(&format!(" {} ", self.text(cell, style)), palette.piece(cell.look)),
            };
            match (count, style.ascii) {
                (1, _) => text,
                (n, true) => format!("{n}{text}"),
                (n, false) => format!("{text}×{n}"),
            }
        });
        let words: Vec<String> = words.collect();
        let words = if words.is_empty() {
            "nothing".into()
        } else {
            words.join(" ")
        };
        format!("{label}: {words}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nguky::register::find;

    /// A board of a game by its name.
    fn grid(game: &str, setup: &str) -> Grid {
        super::grid(find(game).expect("a game"), setup)
    }

    const PLAIN: BoardStyle = BoardStyle {
        ascii: true,
        colours: Colours::None,
    };
    const SIGNS: BoardStyle = BoardStyle {
        ascii: false,
        colours: Colours::None,
    };
    const FULL: BoardStyle = BoardStyle {
        ascii: false,
        colours: Colours::Full,
    };

    /// A text without its escape sequences.
    fn bare(text: &str) -> String {
        let mut out = String::new();
        for (i, part) in text.split('\x1b').enumerate() {
            out += if i == 0 {
                part
            } else {
                part.split_once('m').map_or("", |p| p.1)
            };
        }
        out
    }

    #[test]
    fn boards_are_drawn_and_turned() {
        let mut g = grid("chess", "4k3/8/8/8/8/8/P7/4K2R w K - 0 1");
        g.mark("a1a2");
        let text = g.clone().draw(0, PLAIN);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0].trim(), "a  b  c  d  e  f  g  h");
        assert_eq!(lines[1], "8  .  .  .  .  k  .  .  .  8");
        assert_eq!(lines[8], "1 [.] .  .  .  K  .  .  R  1");
        let turned = g.clone().draw(1, PLAIN);
        assert!(
            turned.lines().nth(1).is_some_and(|l| l.starts_with("1  R ")),
            "{turned}"
        );
        g.alarm(1);
        assert!(g.clone().draw(0, PLAIN).contains("!k!"));
        // A king in check has the whole square in red.
        assert!(g.draw(0, FULL).contains("\x1b[48;2;200;30;30m ♚ \x1b[0m"));
    }

    #[test]
    fn columns_line_up_whatever_the_signs() {
        let setups = [
            ("chess", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1"),
            (
                "xiangqi",
                "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
            ),
            ("coup", "xxxxkxxxx/9/1x5x1/x1x1x1x1x/9/9/X1X1X1X1X/1X5X1/9/XXXXKXXXX w"),
            (
                "shogi",
                "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1+B5+R1/LNSGKGSNL b -",
            ),
        ];
        for (game, setup) in setups {
            for style in [PLAIN, SIGNS, FULL] {
                for side in 0..2 {
                    let mut g = grid(game, setup);
                    g.mark("a1b2");
                    g.alarm(0);
                    let text = bare(&g.draw(side, style));
                    let board: Vec<&str> = text
                        .lines()
                        .filter(|l| !l.trim_start().starts_with(['a', 'i', '1', '9']))
                        .collect();
                    let widths: Vec<usize> = text
                        .lines()
                        .filter(|l| l.starts_with(|c: char| c.is_ascii_alphanumeric()))
                        .map(|l| {
                            l.trim_end_matches(|c: char| c.is_alphanumeric() && !"玉".contains(c))
                                .width()
                        })
                        .collect();
                    assert!(!board.is_empty() && widths.len() >= 8);
                    assert!(widths.iter().all(|w| *w == widths[0]), "{game}: {text}");
                    assert!(text.lines().all(|l| l.width() <= 60), "{game}: {text}");
                }
            }
        }
    }

    #[test]
    fn signs_are_of_the_game() {
        for (game, letter, glyph) in [
            ("shogi", "+R", '龍'),
            ("coup", "x", '暗'),
            ("xiangqi", "n", '馬'),
            ("chess", "q", '♛'),
        ] {
            assert_eq!(find(game).expect("a game").glyph(letter), Some(glyph));
        }
        let text = grid("coup", "x8/9/9/9/9/9/9/9/9/4K4 w").draw(0, FULL);
        // Red on a light body, and a black back with a light sign.
        assert!(
            text.contains("48;2;45;45;45m暗") && text.contains("\x1b[38;2;175;0;0m\x1b[48;2;255;240;205m帥"),
            "{text}"
        );
    }

    #[test]
    fn notes_stand_on_their_sides() {
        let mut g = grid("xiangqi", "4k4/9/9/9/9/9/9/9/9/4K4 w");
        g.of_side = [
            vec![Note::Pieces("red has taken".into(), vec![(piece(g.about, "p"), 2)])],
            vec![Note::Pieces("black has taken".into(), Vec::new())],
        ];
        let text = g.clone().draw(0, SIGNS);
        assert!(text.starts_with("black has taken: nothing\n"), "{text}");
        assert!(text.ends_with("red has taken: 卒×2\n"), "{text}");
        assert!(g.draw(1, PLAIN).starts_with("red has taken: 2p\n"));
        let river = text.lines().position(|l| l.contains("楚 河"));
        assert_eq!(river, Some(7), "{text}");
    }
}
