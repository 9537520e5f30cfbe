//! CSA, the records of the Computer Shogi Association (format 2.2 and, where it adds nothing but time, 3.0).

use super::{Damage, Each, MOST_MOVES, RecordedGame, RecordedMove, RecordedResult, quoted, remark};
use nguky::game::{Position, Side};
use nguky::games::shogi::Shogi;
use nguky::games::shogi::types::{EMPTY, kind_of, side_of};
use std::time::Duration;

/// CSA's names of the kinds and their letters in SFEN, in the order of the library's numbers.
const PIECES: [(&str, &str); 14] = [
    ("FU", "P"),
    ("KY", "L"),
    ("KE", "N"),
    ("GI", "S"),
    ("KA", "B"),
    ("HI", "R"),
    ("KI", "G"),
    ("OU", "K"),
    ("TO", "+P"),
    ("NY", "+L"),
    ("NK", "+N"),
    ("NG", "+S"),
    ("UM", "+B"),
    ("RY", "+R"),
];

/// Pieces of the usual start on the second side's ranks, for `PI`.
const ALL: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";

/// Reads the games of a text, which lines with a stroke part.
pub fn read(text: &str, each: Each) {
    let text = text.trim_start_matches('\u{feff}');
    let mut game: Option<CsaGame> = None;
    for (i, line) in text.lines().enumerate() {
        if line.trim() == "/" {
            if game.take().is_some_and(|g| g.begun && !each(g.done())) {
                return;
            }
            continue;
        }
        if !line.trim().is_empty() {
            game.get_or_insert_with(|| CsaGame::new(i + 1)).take(i + 1, line);
        }
    }
    if let Some(game) = game.filter(|g| g.begun) {
        each(game.done());
    }
}

/// A game as far as it was read.
struct CsaGame {
    record: RecordedGame,
    damage: Option<Damage>,
    /// Whether anything but remarks was seen.
    begun: bool,
    /// The board by rank and file from 1, as letters of SFEN; none until it is given.
    board: Option<Vec<Vec<String>>>,
    hands: [Vec<&'static str>; 2],
    /// Whether the second side holds all that is not elsewhere (`AL`), or the first.
    rest: Option<usize>,
    pos: Option<Shogi>,
}

impl CsaGame {
    fn new(line: usize) -> Self {
        Self {
            record: RecordedGame {
                line,
                ..RecordedGame::default()
            },
            damage: None,
            begun: false,
            board: None,
            hands: Default::default(),
            rest: None,
            pos: None,
        }
    }

    fn take(&mut self, number: usize, line: &str) {
        if self.damage.is_some() {
            return;
        }
        if let Some(text) = line.strip_prefix('\'') {
            let said = self
                .record
                .moves
                .last_mut()
                .map_or(&mut self.record.comment, |m| &mut m.comment);
            remark(said, text.trim_start_matches('*'));
            return;
        }
        self.begun = true;
        // A comma parts statements of one line, but names may hold one.
        let whole = line.starts_with(['N', '$', 'V']);
        let mut column = 1;
        for part in line.split(',').take(if whole { 0 } else { usize::MAX }) {
            if let Err(what) = self.statement(part) {
                self.damage = Some(Damage::new(number, column, what));
                return;
            }
            column += part.chars().count() + 1;
        }
        if whole && let Err(what) = self.statement(line) {
            self.damage = Some(Damage::new(number, 1, what));
        }
    }

    fn statement(&mut self, text: &str) -> Result<(), String> {
        let bare = text.trim_end();
        match bare.as_bytes() {
            [] => Ok(()),
            [b'V', ..] => Ok(()),
            [b'N', b'+', ..] => {
                self.record.names[0] = bare[2..].to_string();
                Ok(())
            }
            [b'N', b'-', ..] => {
                self.record.names[1] = bare[2..].to_string();
                Ok(())
            }
            [b'$', ..] => {
                let (name, value) = bare[1..].split_once(':').unwrap_or((&bare[1..], ""));
                self.record.tags.push((name.into(), value.into()));
                Ok(())
            }
            [b'P', ..] if self.pos.is_none() => self.place(&bare[1..]),
            [b'+' | b'-'] if self.pos.is_none() => self.begin(bare == "+"),
            [b'+' | b'-', ..] => self.play(bare),
            [b'T', ..] => {
                let seconds: f64 = bare[1..].parse().unwrap_or(-1.0);
                let time = Duration::try_from_secs_f64(seconds).map_err(|_| format!("no time: {}", quoted(bare)))?;
                self.record
                    .moves
                    .last_mut()
                    .into_iter()
                    .for_each(|m| m.time = Some(time));
                Ok(())
            }
            [b'%', ..] => self.end(bare),
            _ => Err(format!("no statement of CSA: {}", quoted(bare))),
        }
    }

    /// `PI82HI`, `P1-KY...`, `P+00FU`, `P-00AL`.
    fn place(&mut self, text: &str) -> Result<(), String> {
        let bad = || format!("no position: {}", quoted(&format!("P{text}")));
        let empty = || vec![vec![String::new(); 9]; 9];
        let first = text.chars().next().ok_or_else(bad)?;
        let rest = text.get(first.len_utf8()..).unwrap_or("");
        if !rest.is_ascii() {
            return Err(bad());
        }
        match first {
            'I' => {
                let mut board = usual();
                for removed in pairs(rest, 4).ok_or_else(bad)? {
                    let (file, rank) = point(removed).ok_or_else(bad)?;
                    board[rank][file].clear();
                }
                self.board = Some(board);
            }
            '1'..='9' => {
                let rank = first as usize - '1' as usize;
                let board = self.board.get_or_insert_with(empty);
                for (i, cell) in rest.as_bytes().chunks(3).take(9).enumerate() {
                    let cell = std::str::from_utf8(cell).map_err(|_| bad())?;
                    board[rank][8 - i] = match cell.get(..1) {
                        Some("+") => letter(cell.get(1..).unwrap_or("")).ok_or_else(bad)?.to_string(),
                        Some("-") => letter(cell.get(1..).unwrap_or("")).ok_or_else(bad)?.to_lowercase(),
                        _ if cell.trim() == "*" || cell.trim().is_empty() => String::new(),
                        _ => return Err(bad()),
                    };
                }
            }
            '+' | '-' => {
                let side = usize::from(first == '-');
                for piece in pairs(rest, 4).ok_or_else(bad)? {
                    if piece == "00AL" {
                        self.rest = Some(side);
                    } else if let Some(name) = piece.strip_prefix("00") {
                        let letter = letter(name)
                            .filter(|l| !l.starts_with('+') && *l != "K")
                            .ok_or_else(bad)?;
                        if self.hands[side].len() >= 40 {
                            return Err(bad());
                        }
                        self.hands[side].push(letter);
                    } else {
                        let (file, rank) = point(piece).ok_or_else(bad)?;
                        let letter = letter(&piece[2..]).ok_or_else(bad)?;
                        let board = self.board.get_or_insert_with(empty);
                        board[rank][file] = if side == 0 {
                            letter.to_string()
                        } else {
                            letter.to_lowercase()
                        };
                    }
                }
            }
            _ => return Err(bad()),
        }
        Ok(())
    }

    /// `+` or `-`: the position is complete, and who moves first.
    fn begin(&mut self, first: bool) -> Result<(), String> {
        let board = self.board.clone().unwrap_or_else(usual);
        if let Some(side) = self.rest {
            for (letter, all) in [("R", 2), ("B", 2), ("G", 4), ("S", 4), ("N", 4), ("L", 4), ("P", 18)] {
                let on_board = board.iter().flatten();
                let used = on_board
                    .filter(|p| p.trim_start_matches('+').eq_ignore_ascii_case(letter))
                    .count();
                let held = self.hands.iter().flatten().filter(|l| **l == letter).count();
                let left = usize::saturating_sub(all, used + held);
                self.hands[side].extend(std::iter::repeat_n(letter, left));
            }
        }
        let mut ranks = Vec::new();
        for rank in &board {
            let (mut text, mut empty) = (String::new(), 0);
            for cell in rank.iter().rev() {
                if cell.is_empty() {
                    empty += 1;
                    continue;
                }
                if empty > 0 {
                    text += &empty.to_string();
                }
                empty = 0;
                text += cell;
            }
            if empty > 0 {
                text += &empty.to_string();
            }
            ranks.push(text);
        }
        let mut hands = String::new();
        for (side, hand) in self.hands.iter().enumerate() {
            for letter in ["R", "B", "G", "S", "N", "L", "P"] {
                let n = hand.iter().filter(|l| **l == letter).count();
                if n > 1 {
                    hands += &n.to_string();
                }
                if n > 0 {
                    hands += &if side == 0 {
                        letter.to_string()
                    } else {
                        letter.to_lowercase()
                    };
                }
            }
        }
        let hands = if hands.is_empty() { "-" } else { &hands };
        let sfen = format!("{} {} {hands} 1", ranks.join("/"), if first { 'b' } else { 'w' });
        let pos = Shogi::parse(&sfen, &Default::default()).map_err(|e| e.to_string())?;
        let setup = pos.setup();
        self.record.setup = (setup != Shogi::START).then_some(setup);
        self.pos = Some(pos);
        Ok(())
    }

    /// `+7776FU`: side, origin (00 in hand), target, and what stands there afterwards.
    fn play(&mut self, text: &str) -> Result<(), String> {
        let bad = || format!("not a legal move here: {}", quoted(text));
        if self.pos.is_none() {
            return Err("a move before the side to move was given; expected a line + or -".into());
        }
        if !self.record.ending.is_empty() {
            return Err("a move behind the end of the game".into());
        }
        if self.record.moves.len() >= MOST_MOVES {
            return Err(format!("more than {MOST_MOVES} moves in a game"));
        }
        let Some(pos) = &mut self.pos else { return Err(bad()) };
        let side = if text.starts_with('+') {
            Side::First
        } else {
            Side::Second
        };
        let name = text
            .get(5..7)
            .filter(|_| text.len() == 7 && text.is_ascii())
            .ok_or_else(bad)?;
        let after = letter(name).ok_or_else(bad)?;
        let (file, rank) = point(&text[3..]).ok_or_else(bad)?;
        let target = format!("{}{}", file + 1, char::from(b'a' + rank as u8));
        let usi = if &text[1..3] == "00" {
            format!("{after}*{target}")
        } else {
            let (file, rank) = point(&text[1..]).ok_or_else(bad)?;
            let piece = pos.board().at((file * 9 + rank) as u8);
            if piece == EMPTY || side_of(piece) != side {
                return Err(bad());
            }
            let before = PIECES[kind_of(piece) as usize].1;
            let promotes = before != after && after.strip_prefix('+') == Some(before);
            if !promotes && before != after {
                return Err(bad());
            }
            format!(
                "{}{}{target}{}",
                file + 1,
                char::from(b'a' + rank as u8),
                if promotes { "+" } else { "" }
            )
        };
        if side != pos.side() {
            return Err(format!("the other side is to move: {}", quoted(text)));
        }
        let m = pos.parse_move(&usi).map_err(|_| bad())?;
        self.record.moves.push(RecordedMove::new(side, pos.move_text(m)));
        pos.play(m);
        Ok(())
    }

    fn end(&mut self, text: &str) -> Result<(), String> {
        let Some(pos) = &self.pos else {
            return Err("an end before the side to move was given; expected a line + or -".into());
        };
        let (mover, other) = (pos.side(), pos.side().other());
        self.record.outcome = match text {
            "%TORYO" | "%TSUMI" | "%TIME_UP" | "%ILLEGAL_MOVE" => RecordedResult::Won(other),
            "%KACHI" => RecordedResult::Won(mover),
            "%+ILLEGAL_ACTION" => RecordedResult::Won(Side::Second),
            "%-ILLEGAL_ACTION" => RecordedResult::Won(Side::First),
            "%SENNICHITE" | "%JISHOGI" | "%HIKIWAKE" | "%MAX_MOVES" => RecordedResult::Drawn,
            "%CHUDAN" | "%MATTA" | "%FUZUMI" | "%ERROR" => RecordedResult::Unknown,
            _ => return Err(format!("no end that CSA knows: {}", quoted(text))),
        };
        self.record.ending = text.into();
        Ok(())
    }

    fn done(mut self) -> Result<RecordedGame, Damage> {
        if let Some(damage) = self.damage {
            return Err(damage);
        }
        if self.pos.is_none() {
            let line = self.record.line;
            self.begin(true).map_err(|what| Damage::new(line, 1, what))?;
        }
        Ok(self.record)
    }
}

fn usual() -> Vec<Vec<String>> {
    let mut board = Vec::new();
    for rank in ALL.split('/') {
        let mut cells = Vec::new();
        for c in rank.chars() {
            match c.to_digit(10) {
                Some(n) => cells.extend((0..n).map(|_| String::new())),
                None => cells.push(c.to_string()),
            }
        }
        cells.reverse();
        board.push(cells);
    }
    board
}

/// The letters of SFEN for one of CSA's names.
fn letter(name: &str) -> Option<&'static str> {
    PIECES.iter().find(|p| p.0 == name).map(|p| p.1)
}

/// Pieces of so many letters each.
fn pairs(text: &str, width: usize) -> Option<Vec<&str>> {
    let whole = text.len().is_multiple_of(width) && text.is_ascii();
    let parts = (0..text.len() / width).map(|i| &text[i * width..(i + 1) * width]);
    whole.then(|| parts.collect())
}

/// File and rank from 0 of two digits.
fn point(text: &str) -> Option<(usize, usize)> {
    let digit = |i: usize| {
        text.as_bytes()
            .get(i)
            .filter(|b| (b'1'..=b'9').contains(b))
            .map(|b| usize::from(b - b'1'))
    };
    Some((digit(0)?, digit(1)?))
}
