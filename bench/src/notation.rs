//! Moves as people write them. Records have one notation for each game: standard algebraic notation in chess, ICCS in
//! xiangqi, USI in shogi. A person at the terminal may write more loosely, and in the ways of several languages.

pub mod letters;
pub mod shogi;
#[cfg(test)]
mod tests;

use crate::arena::record::Format;
use crate::arena::{chinese, kifu};
use crate::play::help::{self, Help};
use crate::records::{Each, FileFormat, csa, kif, pgn};
use anyhow::{Result, bail};
use clap::ValueEnum;
use encoding_rs::Encoding;
use nguky::game::{Kind, Moves, Position};
use nguky::games::chess::book::PolyglotBook;
use nguky::games::chess::types::{KING, PAWN, kind};
use nguky::games::chess::{Chess, ChessMove};
use nguky::games::shogi::{SMove, Shogi};
use nguky::games::xiangqi::Xiangqi;
use std::path::Path;

/// A game whose moves have a notation for people.
pub trait Notation: Position {
    /// Formats of records that the game has beside PGN; the first is its usual one.
    const FORMATS: &'static [Format] = &[];
    /// What `nguky play` says of how moves are typed.
    const HELP: Help = help::PLAIN;
    /// The move in that notation, that of the protocol unless the game has another; `self` is the position before it.
    fn notation(&self, m: Self::Move) -> String {
        self.move_text(m)
    }
    /// Reads that notation; only a legal move is accepted.
    fn read_notation(&self, text: &str) -> Result<Self::Move> {
        Ok(self.parse_move(text)?)
    }
    /// The legal moves that a person may mean by a text: none, one, or several to choose from. Of several, a style that
    /// was asked for decides. `last` is the move before.
    fn readings(&self, text: &str, _style: Option<MoveStyle>, _last: Option<Self::Move>) -> Vec<Self::Move> {
        self.read_notation(text).into_iter().collect()
    }
    /// A legal move as it is shown to a person.
    fn written(&self, m: Self::Move, _style: MoveStyle, _last: Option<Self::Move>) -> String {
        self.notation(m)
    }

    /// The encoding of the game's older records, where they are not in UTF-8.
    const OLD_ENCODING: &'static Encoding = encoding_rs::WINDOWS_1252;
    /// Reads the games of a text in one of the game's formats.
    fn read_records(form: FileFormat, text: &str, each: Each) -> Result<()> {
        match form {
            FileFormat::Pgn => pgn::read::<Self>(text, each),
            other => bail!("{} is not a format of {}", other.name(), Self::NAME),
        }
        Ok(())
    }
    /// Opens a Polyglot book, which chess alone has: what draws its moves, by a random number.
    fn polyglot(_path: &Path) -> Result<Drawer<Self>> {
        bail!("Polyglot books are for chess, not for {}", Self::NAME)
    }
}

/// The way in which moves are shown to a person, and which reading of an ambiguous text is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum MoveStyle {
    /// The points alone: e2e4, H2-E2, 7g7f
    Coordinates,
    /// Nf3; in xiangqi C2=5; in shogi P-7f
    English,
    /// In xiangqi and cờ úp P2-5 (pháo 2 bình 5)
    Vietnamese,
    /// In xiangqi and cờ úp 炮二平五
    Chinese,
    /// In shogi ☗７六歩
    Japanese,
}

/// Draws a move of a book for a position, by a random number; none where the book ends.
pub type Drawer<P> = Box<dyn Fn(&P, u64) -> Option<<P as Position>::Move>>;

impl Notation for Chess {
    const HELP: Help = help::CHESS;

    fn polyglot(path: &Path) -> Result<Drawer<Self>> {
        let book = PolyglotBook::open(&path.to_string_lossy()).map_err(anyhow::Error::msg)?;
        Ok(Box::new(move |p, dice| book.pick(p, dice)))
    }

    fn notation(&self, m: ChessMove) -> String {
        let mut after = self.clone();
        after.play(m);
        let mut text = if m.is_castle() {
            castle(m).to_string()
        } else {
            plain(self, m)
        };
        if after.in_check() {
            text.push(if after.count_legal() == 0 { '#' } else { '+' });
        }
        text
    }

    fn read_notation(&self, text: &str) -> Result<ChessMove> {
        let bare = text
            .trim()
            .trim_end_matches(['+', '#', '!', '?'])
            .trim_end_matches("e.p.");
        let mut moves = Moves::new();
        self.generate(Kind::All, &mut moves);
        let wing = bare.replace('0', "O");
        let found: Vec<ChessMove> = if wing.starts_with("O-O") {
            moves.iter().filter(|m| m.is_castle() && castle(*m) == wing).collect()
        } else {
            let Some(wanted) = Written::parse(bare) else {
                bail!("not a move: {text:?}")
            };
            moves.iter().filter(|&m| wanted.fits(self, m)).collect()
        };
        match found.as_slice() {
            [one] => Ok(*one),
            [] => match self.parse_move(bare) {
                Ok(m) => Ok(m),
                Err(_) => bail!("not a legal move here: {text:?}"),
            },
            _ => bail!("more than one move may be meant: {text:?}"),
        }
    }

    fn readings(&self, text: &str, _style: Option<MoveStyle>, _last: Option<ChessMove>) -> Vec<ChessMove> {
        chess_readings(self, text)
    }

    fn written(&self, m: ChessMove, style: MoveStyle, _last: Option<ChessMove>) -> String {
        match style {
            MoveStyle::Coordinates => self.move_text(m),
            _ => self.notation(m),
        }
    }
}

/// Small letters may name pieces, too (`nf3`, `e8q`), capitals files (`E4`), and the piece that a pawn becomes may be left
/// out, which leaves four moves to choose from. A text that is exactly the notation of a move, or its points, is that move.
fn chess_readings(p: &Chess, text: &str) -> Vec<ChessMove> {
    let figure = |c: char| match "♔♕♖♗♘♚♛♜♝♞".chars().position(|f| f == c) {
        Some(i) => Some(char::from(b"KQRBN"[i % 5])),
        None => (!"♙♟\u{fe0e}\u{fe0f}".contains(c) && !c.is_whitespace()).then_some(c),
    };
    let text: String = text.chars().filter_map(figure).collect();
    let lower = text.to_ascii_lowercase();
    let bare = lower.trim_end_matches(['+', '#', '!', '?']).trim_end_matches("e.p.");
    if let Ok(m) = p.parse_move(&bare.replace(['-', '=', 'x', ':'], "")) {
        return vec![m];
    }
    let mut moves = Moves::new();
    p.generate(Kind::All, &mut moves);
    let wing = bare.replace(['0', 'o'], "O");
    if wing.starts_with("O-O") {
        return moves.iter().filter(|m| m.is_castle() && castle(*m) == wing).collect();
    }
    let trimmed = text.trim_end_matches(['+', '#', '!', '?']);
    if let Some(m) = moves
        .iter()
        .find(|m| p.notation(*m).trim_end_matches(['+', '#']) == trimmed)
    {
        return vec![m];
    }
    // The letter of a piece at the front, and at the end that of the piece that a pawn becomes, made capitals.
    let capital = |text: &str, first: bool| -> String {
        let last = text.chars().count().saturating_sub(1);
        let raise = |(i, c): (usize, char)| match i {
            0 if first && "nbrqk".contains(c) => c.to_ascii_uppercase(),
            i if i == last && i > 1 && "nbrq".contains(c) => c.to_ascii_uppercase(),
            _ => c,
        };
        text.chars().enumerate().map(raise).collect()
    };
    let case = trimmed.trim_end_matches("e.p.");
    let forms = [
        case.to_string(),
        capital(case, false),
        capital(case, true),
        capital(bare, false),
        capital(bare, true),
    ];
    let written: Vec<Written> = forms.iter().filter_map(|f| Written::parse(f)).collect();
    let found: Vec<ChessMove> = moves.iter().filter(|&m| written.iter().any(|w| w.fits(p, m))).collect();
    if !found.is_empty() {
        return found;
    }
    let open = |w: &Written, m: ChessMove| w.promotion.is_none() && w.fits_but_promotion(p, m);
    moves
        .iter()
        .filter(|&m| m.is_promotion() && written.iter().any(|w| open(w, m)))
        .collect()
}

impl Notation for Xiangqi {
    const HELP: Help = help::XIANGQI;
    const FORMATS: &'static [Format] = chinese::FORMATS;
    const OLD_ENCODING: &'static Encoding = encoding_rs::GB18030;

    fn notation(&self, m: Self::Move) -> String {
        let text = self.move_text(m).to_ascii_uppercase();
        match text.split_at_checked(2) {
            Some((from, to)) => format!("{from}-{to}"),
            None => text,
        }
    }

    fn read_notation(&self, text: &str) -> Result<Self::Move> {
        if !text.is_ascii() {
            return chinese::read(self, text);
        }
        let coordinates = self.parse_move(&text.replace('-', "").to_ascii_lowercase());
        // Else the World Xiangqi Federation's letters: `C2=5`, which no coordinates look like.
        match letters::NotationBoard::xiangqi(self)
            .readings(text, Some(MoveStyle::English))
            .as_slice()
        {
            [one] if coordinates.is_err() => Ok(*one),
            _ => Ok(coordinates?),
        }
    }

    fn readings(&self, text: &str, style: Option<MoveStyle>, _last: Option<Self::Move>) -> Vec<Self::Move> {
        match chinese::read(self, text) {
            Ok(m) => vec![m],
            Err(_) => letters::NotationBoard::xiangqi(self).readings(text, style),
        }
    }

    fn written(&self, m: Self::Move, style: MoveStyle, _last: Option<Self::Move>) -> String {
        match style {
            MoveStyle::Chinese => chinese::notation(self, m),
            _ => letters::NotationBoard::xiangqi(self).written(m, style),
        }
    }
}

impl Notation for Shogi {
    const HELP: Help = help::SHOGI;
    const FORMATS: &'static [Format] = kifu::FORMATS;
    const OLD_ENCODING: &'static Encoding = encoding_rs::SHIFT_JIS;

    fn read_records(form: FileFormat, text: &str, each: Each) -> Result<()> {
        match form {
            FileFormat::Pgn => pgn::read::<Self>(text, each),
            FileFormat::Kif => kif::read(text, each),
            FileFormat::Csa => csa::read(text, each),
            other => bail!("{} is not a format of {}", other.name(), Self::NAME),
        }
        Ok(())
    }

    fn readings(&self, text: &str, _style: Option<MoveStyle>, last: Option<Self::Move>) -> Vec<Self::Move> {
        shogi::readings(self, text, last.map(SMove::to))
    }

    fn written(&self, m: Self::Move, style: MoveStyle, last: Option<Self::Move>) -> String {
        shogi::written(self, m, style, last.map(SMove::to))
    }
}

/// The letters of the kinds of pieces; a pawn has none.
const LETTERS: [&str; 6] = ["", "N", "B", "R", "Q", "K"];

/// A castling move is stored as the king taking his rook.
fn castle(m: ChessMove) -> &'static str {
    if m.to() > m.from() { "O-O" } else { "O-O-O" }
}

fn square(s: u8) -> String {
    format!("{}{}", char::from(b'a' + s % 8), char::from(b'1' + s / 8))
}

/// A move that does not castle: piece, what tells it from its like, capture, target, promotion.
fn plain(p: &Chess, m: ChessMove) -> String {
    let piece = kind(p.piece_on(m.from()));
    let captures = m.is_en_passant() || usize::from(p.tags(m).taken) < Chess::PIECES;
    let mut text = LETTERS[piece as usize].to_string();
    if piece == PAWN {
        if captures {
            text.push(char::from(b'a' + m.from() % 8));
        }
    } else if piece != KING {
        let mut moves = Moves::new();
        p.generate(Kind::All, &mut moves);
        let like = |o: &ChessMove| {
            o.to() == m.to() && o.from() != m.from() && !o.is_castle() && p.piece_on(o.from()) == p.piece_on(m.from())
        };
        let rivals: Vec<ChessMove> = moves.iter().filter(like).collect();
        let name = square(m.from());
        if !rivals.is_empty() {
            let file = rivals.iter().all(|o| o.from() % 8 != m.from() % 8);
            let rank = rivals.iter().all(|o| o.from() / 8 != m.from() / 8);
            text += if file {
                &name[..1]
            } else if rank {
                &name[1..]
            } else {
                &name
            };
        }
    }
    if captures {
        text.push('x');
    }
    text += &square(m.to());
    if m.is_promotion() {
        text.push('=');
        text += LETTERS[m.promoted() as usize];
    }
    text
}

/// What a written move tells of a move.
struct Written {
    kind: usize,
    file: Option<u8>,
    rank: Option<u8>,
    to: u8,
    promotion: Option<usize>,
}

impl Written {
    /// Reads piece, origin as far as given, target and promotion; signs of capture are skipped.
    fn parse(text: &str) -> Option<Self> {
        let mut signs: Vec<char> = text.chars().filter(|c| !"x:-=()".contains(*c)).collect();
        let letter = |c: char| LETTERS.iter().position(|l| l.starts_with(c));
        let promotion = signs.last().copied().and_then(letter);
        if promotion.is_some() {
            signs.pop();
        }
        let kind = signs.first().copied().and_then(letter);
        if kind.is_some() {
            signs.remove(0);
        }
        let file_of = |c: char| ('a'..='h').contains(&c).then(|| c as u8 - b'a');
        let rank_of = |c: char| ('1'..='8').contains(&c).then(|| c as u8 - b'1');
        let (rank, file) = (rank_of(signs.pop()?)?, file_of(signs.pop()?)?);
        let mut written = Self {
            kind: kind.unwrap_or(0),
            file: None,
            rank: None,
            to: rank * 8 + file,
            promotion,
        };
        for c in signs {
            match (file_of(c), rank_of(c)) {
                (Some(f), _) if written.file.is_none() && written.rank.is_none() => written.file = Some(f),
                (_, Some(r)) if written.rank.is_none() => written.rank = Some(r),
                _ => return None,
            }
        }
        Some(written)
    }

    fn fits(&self, p: &Chess, m: ChessMove) -> bool {
        let promotion = m.is_promotion().then(|| m.promoted() as usize);
        promotion == self.promotion && self.fits_but_promotion(p, m)
    }

    fn fits_but_promotion(&self, p: &Chess, m: ChessMove) -> bool {
        !m.is_castle()
            && m.to() == self.to
            && usize::from(kind(p.piece_on(m.from()))) == self.kind
            && self.file.is_none_or(|f| m.from() % 8 == f)
            && self.rank.is_none_or(|r| m.from() / 8 == r)
    }
}
