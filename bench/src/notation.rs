//! Moves as people write them: standard algebraic notation in chess, ICCS in xiangqi, where Chinese is read as well, USI
//! in shogi.

use crate::arena::record::Format;
use crate::arena::{chinese, kifu};
use anyhow::{Result, bail};
use nguky::game::{Kind, Moves, Position};
use nguky::games::chess::types::{KING, PAWN, kind};
use nguky::games::chess::{Chess, ChessMove};
use nguky::games::shogi::Shogi;
use nguky::games::xiangqi::Xiangqi;

/// A game whose moves have a notation for people.
pub trait Notation: Position {
    /// Formats of records that the game has beside PGN; the first is its usual one.
    const FORMATS: &'static [Format] = &[];
    /// The move in that notation; `self` is the position before it.
    fn notation(&self, m: Self::Move) -> String;
    /// Reads that notation; only a legal move is accepted.
    fn read_notation(&self, text: &str) -> Result<Self::Move>;
}

impl Notation for Chess {
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
}

impl Notation for Xiangqi {
    const FORMATS: &'static [Format] = chinese::FORMATS;

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
        Ok(self.parse_move(&text.replace('-', "").to_ascii_lowercase())?)
    }
}

impl Notation for Shogi {
    const FORMATS: &'static [Format] = kifu::FORMATS;

    fn notation(&self, m: Self::Move) -> String {
        self.move_text(m)
    }

    fn read_notation(&self, text: &str) -> Result<Self::Move> {
        Ok(self.parse_move(text)?)
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
        !m.is_castle()
            && m.to() == self.to
            && usize::from(kind(p.piece_on(m.from()))) == self.kind
            && self.file.is_none_or(|f| m.from() % 8 == f)
            && self.rank.is_none_or(|r| m.from() / 8 == r)
            && promotion == self.promotion
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nguky::util::rng::SplitMix;

    fn at(fen: &str) -> Chess {
        Chess::parse(fen, &Default::default()).expect("a position")
    }

    fn notation(fen: &str, mv: &str) -> String {
        let p = at(fen);
        p.notation(p.parse_move(mv).expect("a legal move"))
    }

    #[test]
    fn algebraic_notation() {
        assert_eq!(notation(Chess::START, "g1f3"), "Nf3");
        assert_eq!(notation("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1"), "O-O");
        assert_eq!(notation("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1c1"), "O-O-O");
        assert_eq!(notation("4k3/8/8/8/8/8/8/R4RK1 w - - 0 1", "a1d1"), "Rad1");
        assert_eq!(notation("4k3/8/8/R7/8/8/8/R5K1 w - - 0 1", "a1a3"), "R1a3");
        assert_eq!(notation("3r2k1/2P5/8/8/8/8/8/6K1 w - - 0 1", "c7d8q"), "cxd8=Q+");
        assert_eq!(notation("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"), "exd6");
        assert_eq!(notation("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "a1a8"), "Ra8#");
        // Three queens that all reach e1 need file and rank.
        assert_eq!(notation("8/k7/8/8/4Q2Q/8/8/K6Q w - - 0 1", "h4e1"), "Qh4e1");
    }

    #[test]
    fn loose_writing_is_understood() {
        for (fen, text, mv) in [
            (Chess::START, "e4", "e2e4"),
            (Chess::START, "Ng1-f3!?", "g1f3"),
            (Chess::START, "e2-e4", "e2e4"),
            (Chess::START, "e2e4", "e2e4"),
            ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "0-0-0", "e1c1"),
            ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O+", "e1g1"),
            ("3r2k1/2P5/8/8/8/8/8/6K1 w - - 0 1", "cd8N", "c7d8n"),
            ("3r2k1/2P5/8/8/8/8/8/6K1 w - - 0 1", "c7xd8=Q+", "c7d8q"),
            ("3r2k1/2P5/8/8/8/8/8/6K1 w - - 0 1", "c8(R)", "c7c8r"),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6e.p.", "e5d6"),
            ("4k3/8/8/8/1b6/8/8/R1B1K3 w Q - 0 1", "Bd2", "c1d2"),
        ] {
            let p = at(fen);
            let m = p.read_notation(text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(p.move_text(m), mv, "{text}");
        }
        let rooks = at("4k3/8/8/8/8/8/8/R4RK1 w - - 0 1");
        for bad in ["Rd1", "", "x", "Nf9", "e5", "O-O", "Ké", "Rabcd1", "♞", "--"] {
            assert!(rooks.read_notation(bad).is_err(), "{bad:?}");
        }
        assert!(
            at("3r2k1/2P5/8/8/8/8/8/6K1 w - - 0 1").read_notation("c8").is_err(),
            "promotes to what?"
        );
    }

    fn every_move_reads_back<P: Notation>(games: usize) {
        let mut rng = SplitMix::new(7);
        for _ in 0..games {
            let mut p = P::parse(P::START, &Default::default()).expect("the start");
            for _ in 0..120 {
                let mut moves = Moves::new();
                p.generate(Kind::All, &mut moves);
                if moves.is_empty() {
                    break;
                }
                for m in moves.iter() {
                    let text = p.notation(m);
                    let back = p.read_notation(&text).unwrap_or_else(|e| panic!("{}: {e}", p.setup()));
                    assert_eq!(back, m, "{text} in {}", p.setup());
                }
                p.play(moves.at(rng.below(moves.len() as u64) as usize).mv);
            }
        }
    }

    #[test]
    fn random_games_read_back() {
        every_move_reads_back::<Chess>(30);
        every_move_reads_back::<Xiangqi>(5);
        every_move_reads_back::<Shogi>(3);
    }
}
