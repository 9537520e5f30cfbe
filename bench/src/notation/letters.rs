//! Moves of xiangqi and cờ úp by piece, file, direction and number: in English letters (the World Xiangqi Federation's,
//! `C2=5`), in Vietnamese (`P2-5`) and in Chinese (炮二平五).
//!
//! Files count from the mover's own right. The number after the direction is the file that is reached, or, for pieces
//! that go straight up or down a file, the points gone. The same letter and the same sign mean different things:
//!
//! | | forward | sideways | back | cannon | soldier | front, rear one of two on a file |
//! |---|---|---|---|---|---|---|
//! | English | `+` | `=` or `.` | `-` | C | P | `C+`, `C-`, or `+C`, `-C` |
//! | Vietnamese | `.` | `-` | `/` | P (pháo) | C (chốt), B (binh) | `Pt` (trước), `Ps` (sau) |
//!
//! So a text may have two readings; those that are legal moves are told apart by the caller. A face-down piece of cờ úp
//! is named like what its point makes it move as, or by a letter for any face-down piece: X or D, in Vietnamese U (úp),
//! 暗 in Chinese.

use super::MoveStyle;
use nguky::game::{Kind as Generate, Moves, Position, Side};
use nguky::games::coup::Coup;
use nguky::games::xiangqi::types::{EMPTY, Kind, file, kind_of, rank, side_of};
use nguky::games::xiangqi::{XMove, Xiangqi};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A piece as its notation sees it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Man {
    side: Side,
    /// What it moves as.
    kind: Kind,
    face_down: bool,
}

/// A board with the legal moves of the side to move.
pub struct NotationBoard {
    men: [Option<Man>; 90],
    moves: Vec<XMove>,
}

/// Where among its like on a file a piece stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FileOrder {
    Front,
    Middle,
    Rear,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Forward,
    Sideways,
    Back,
}

/// A parsed move text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct LettersMove {
    /// `None`: a face-down piece, whatever it moves as.
    kind: Option<Kind>,
    place: Option<FileOrder>,
    file: Option<u8>,
    way: Way,
    number: u8,
}

fn legal<P: Position<Move = XMove>>(p: &P) -> Vec<XMove> {
    let mut moves = Moves::new();
    p.generate(Generate::All, &mut moves);
    moves.iter().collect()
}

/// A point's file as its side counts, from 1.
const fn own_file(side: Side, point: u8) -> u8 {
    match side {
        Side::First => 9 - file(point),
        Side::Second => file(point) + 1,
    }
}

/// Whether a kind's number is the file reached, also forward and back.
const fn aslant(kind: Kind) -> bool {
    matches!(kind, Kind::Advisor | Kind::Elephant | Kind::Horse)
}

impl NotationBoard {
    /// A position of xiangqi.
    pub fn xiangqi(p: &Xiangqi) -> Self {
        let man = |point: u8| {
            let piece = p.board().at(point);
            (piece != EMPTY).then(|| Man {
                side: side_of(piece),
                kind: kind_of(piece),
                face_down: false,
            })
        };
        Self {
            men: std::array::from_fn(|i| man(i as u8)),
            moves: legal(p),
        }
    }

    /// A position of cờ úp.
    pub fn coup(p: &Coup) -> Self {
        let board = p.board();
        let man = |point: u8| {
            Some(Man {
                side: if board.of(Side::First).has(point) {
                    Side::First
                } else {
                    Side::Second
                },
                kind: board.acts_as(point)?,
                face_down: p.face_down(point).is_some(),
            })
        };
        Self {
            men: std::array::from_fn(|i| man(i as u8)),
            moves: legal(p),
        }
    }

    fn at(&self, point: u8) -> Option<Man> {
        self.men.get(usize::from(point)).copied().flatten()
    }

    /// The points of a man's like on its file, from the front.
    fn column(&self, man: Man, own: u8) -> Vec<u8> {
        let like = |at: &u8| {
            self.at(*at)
                .is_some_and(|o| (o.side, o.kind) == (man.side, man.kind) && own_file(man.side, *at) == own)
        };
        let mut points: Vec<u8> = (0..90).filter(like).collect();
        if man.side == Side::First {
            points.reverse();
        }
        points
    }

    fn course(&self, man: Man, m: XMove) -> (Way, u8) {
        let (from, to) = (rank(m.from()), rank(m.to()));
        let way = match (from == to, (from < to) == (man.side == Side::First)) {
            (true, _) => Way::Sideways,
            (_, true) => Way::Forward,
            _ => Way::Back,
        };
        let number = match way {
            Way::Forward | Way::Back if !aslant(man.kind) => from.abs_diff(to),
            _ => own_file(man.side, m.to()),
        };
        (way, number)
    }

    fn fits(&self, said: LettersMove, m: XMove) -> bool {
        let Some(man) = self.at(m.from()) else { return false };
        let own = own_file(man.side, m.from());
        if said.kind.map_or(!man.face_down, |kind| kind != man.kind) || said.file.is_some_and(|f| f != own) {
            return false;
        }
        if let Some(place) = said.place {
            let column = self.column(man, own);
            let at = column.iter().position(|&p| p == m.from()).unwrap_or(0);
            let fits = match place {
                FileOrder::Front => at == 0,
                FileOrder::Rear => at + 1 == column.len(),
                FileOrder::Middle => at == 1 && column.len() == 3,
            };
            if column.len() < 2 || !fits {
                return false;
            }
        }
        self.course(man, m) == (said.way, said.number)
    }

    fn all(&self, said: &[LettersMove]) -> Vec<XMove> {
        let fits = |m: &XMove| said.iter().any(|s| self.fits(*s, *m));
        self.moves.iter().copied().filter(fits).collect()
    }

    /// The legal moves that a text may mean. A style that is asked for wins over the others.
    pub fn readings(&self, text: &str, style: Option<MoveStyle>) -> Vec<XMove> {
        let point: String = text
            .chars()
            .filter(|c| *c != '-')
            .collect::<String>()
            .to_ascii_lowercase();
        if let Some(m) = self.moves.iter().find(|m| format!("{m:?}") == point) {
            return vec![*m];
        }
        let english = self.all(&english(text));
        let vietnamese = self.all(&vietnamese(text));
        let (mut first, second) = match style {
            Some(MoveStyle::Vietnamese) => (vietnamese, english),
            _ => (english, vietnamese),
        };
        if first.is_empty() || !matches!(style, Some(MoveStyle::Vietnamese | MoveStyle::English)) {
            first.extend(second);
            first.sort_unstable_by_key(|m| (m.from(), m.to()));
            first.dedup();
        }
        first
    }

    /// A legal move in a style; in coordinates where more than two alike stand on a file, or two on each of two files.
    pub fn written(&self, m: XMove, style: MoveStyle) -> String {
        let coordinates = || {
            let text = format!("{m:?}").to_ascii_uppercase();
            text.split_at_checked(2)
                .map_or(text.clone(), |(a, b)| format!("{a}-{b}"))
        };
        let Some(man) = self.at(m.from()) else {
            return coordinates();
        };
        let index = match style {
            MoveStyle::Vietnamese => 1,
            MoveStyle::Chinese => 2,
            MoveStyle::Coordinates => return coordinates(),
            _ => 0,
        };
        let own = own_file(man.side, m.from());
        let mine = self.column(man, own);
        let digit = |n: u8| match (index, man.side) {
            (2, Side::First) => {
                ['一', '二', '三', '四', '五', '六', '七', '八', '九'][usize::from(n - 1) % 9].to_string()
            }
            _ => n.to_string(),
        };
        let names: [[&str; 7]; 4] = [
            ["K", "A", "E", "H", "R", "C", "P"],
            ["Tg", "S", "T", "M", "X", "P", "C"],
            ["帥", "仕", "相", "傌", "俥", "炮", "兵"],
            ["將", "士", "象", "馬", "車", "砲", "卒"],
        ];
        let black = usize::from(index == 2 && man.side == Side::Second);
        let name = names[index + black][man.kind as usize];
        let single = mine.len() < 2 || matches!(man.kind, Kind::Advisor | Kind::Elephant | Kind::General);
        let who = if single {
            format!("{name}{}", digit(own))
        } else {
            let crowded = (1..=9).filter(|&f| self.column(man, f).len() > 1).count();
            if mine.len() > 2 || crowded > 1 {
                return coordinates();
            }
            let place = [["+", "-"], ["t", "s"], ["前", "後"]][index][usize::from(mine[0] != m.from())];
            if index == 2 {
                format!("{place}{name}")
            } else {
                format!("{name}{place}")
            }
        };
        let (way, number) = self.course(man, m);
        let sign = [["+", "=", "-"], [".", "-", "/"], ["進", "平", "退"]][index][way as usize];
        let text = format!("{who}{sign}{}", digit(number));
        // An ambiguous text is written by its points instead.
        if self.readings(&text, None) == [m] {
            text
        } else {
            coordinates()
        }
    }
}

/// Letters and digits of one kind: full-width ones made narrow, accents taken off, dashes made one, blanks left out.
fn plain(text: &str) -> String {
    let sign = |c: char| match c {
        '–' | '—' | '−' | '‐' => '-',
        c => c,
    };
    text.nfkd()
        .filter(|c| !is_combining_mark(*c) && !c.is_whitespace())
        .map(sign)
        .flat_map(char::to_lowercase)
        .collect()
}

/// Takes the longest of some words off the front of a text.
fn word<T: Copy>(text: &mut &str, words: &[(&str, T)]) -> Option<T> {
    let fits = words.iter().filter(|(w, _)| text.starts_with(w));
    let (w, meaning) = fits.max_by_key(|(w, _)| w.len())?;
    *text = text.get(w.len()..).unwrap_or_default();
    Some(*meaning)
}

/// Takes a digit from 1 to 9 off the front of a text.
fn digit(text: &mut &str) -> Option<u8> {
    let c = text.chars().next().filter(|c| ('1'..='9').contains(c))?;
    *text = text.get(1..).unwrap_or_default();
    Some(c as u8 - b'0')
}

/// The English reading, and the Chinese, whose signs are put into letters first.
fn english(text: &str) -> Vec<LettersMove> {
    const KINDS: [(&str, Option<Kind>); 12] = [
        ("k", Some(Kind::General)),
        ("a", Some(Kind::Advisor)),
        ("e", Some(Kind::Elephant)),
        ("b", Some(Kind::Elephant)),
        ("h", Some(Kind::Horse)),
        ("n", Some(Kind::Horse)),
        ("r", Some(Kind::Chariot)),
        ("c", Some(Kind::Cannon)),
        ("p", Some(Kind::Soldier)),
        ("s", Some(Kind::Soldier)),
        ("x", None),
        ("d", None),
    ];
    const PLACES: [(&str, FileOrder); 5] = [
        ("+", FileOrder::Front),
        ("-", FileOrder::Rear),
        ("<", FileOrder::Front),
        ("|", FileOrder::Middle),
        (">", FileOrder::Rear),
    ];
    const WAYS: [(&str, Way); 4] = [
        ("+", Way::Forward),
        ("=", Way::Sideways),
        (".", Way::Sideways),
        ("-", Way::Back),
    ];
    let letters: String = plain(text).chars().map(chinese).collect();
    let mut rest = letters.as_str();
    let said = || -> Option<LettersMove> {
        let ahead = word(&mut rest, &PLACES);
        let kind = word(&mut rest, &KINDS)?;
        let file = digit(&mut rest);
        let place = if ahead.is_none() && file.is_none() {
            word(&mut rest, &PLACES)
        } else {
            ahead
        };
        finish(kind, place, file, rest, &WAYS)
    }();
    said.into_iter().collect()
}

/// What stands behind the piece: direction and number, and nothing more.
fn finish(
    kind: Option<Kind>,
    place: Option<FileOrder>,
    file: Option<u8>,
    mut rest: &str,
    ways: &[(&str, Way)],
) -> Option<LettersMove> {
    let way = word(&mut rest, ways)?;
    let number = digit(&mut rest)?;
    let said = LettersMove {
        kind,
        place,
        file,
        way,
        number,
    };
    (rest.is_empty() && (place.is_some() || file.is_some())).then_some(said)
}

/// The letter, digit or sign of a Chinese character.
fn chinese(c: char) -> char {
    const LIKE: [(char, &str); 14] = [
        ('k', "帅帥将將"),
        ('a', "仕士"),
        ('e', "相象"),
        ('h', "马馬傌"),
        ('r', "车車俥"),
        ('c', "炮砲包"),
        ('p', "兵卒"),
        ('x', "暗闇"),
        ('<', "前"),
        ('|', "中"),
        ('>', "后後"),
        ('+', "进進"),
        ('=', "平"),
        ('-', "退"),
    ];
    if let Some(n) = "一二三四五六七八九".chars().position(|d| d == c) {
        return char::from(b'1' + n as u8);
    }
    LIKE.iter()
        .find(|(_, all)| all.contains(c))
        .map_or(c, |(letter, _)| *letter)
}

/// The Vietnamese readings: letters, or the words they stand for. Without accents a general and an elephant are written
/// alike.
fn vietnamese(text: &str) -> Vec<LettersMove> {
    const KINDS: [(&str, &[Option<Kind>]); 17] = [
        ("tg", &[Some(Kind::General)]),
        ("tuong", &[Some(Kind::General), Some(Kind::Elephant)]),
        ("s", &[Some(Kind::Advisor)]),
        ("si", &[Some(Kind::Advisor)]),
        ("t", &[Some(Kind::Elephant)]),
        ("v", &[Some(Kind::Elephant)]),
        ("x", &[Some(Kind::Chariot)]),
        ("xe", &[Some(Kind::Chariot)]),
        ("m", &[Some(Kind::Horse)]),
        ("ma", &[Some(Kind::Horse)]),
        ("p", &[Some(Kind::Cannon)]),
        ("phao", &[Some(Kind::Cannon)]),
        ("c", &[Some(Kind::Soldier)]),
        ("chot", &[Some(Kind::Soldier)]),
        ("tot", &[Some(Kind::Soldier)]),
        ("b", &[Some(Kind::Soldier)]),
        ("binh", &[Some(Kind::Soldier)]),
    ];
    const COVERED: [(&str, &[Option<Kind>]); 2] = [("u", &[None]), ("up", &[None])];
    const PLACES: [(&str, FileOrder); 6] = [
        ("t", FileOrder::Front),
        ("truoc", FileOrder::Front),
        ("g", FileOrder::Middle),
        ("giua", FileOrder::Middle),
        ("s", FileOrder::Rear),
        ("sau", FileOrder::Rear),
    ];
    const WAYS: [(&str, Way); 7] = [
        (".", Way::Forward),
        ("tan", Way::Forward),
        ("-", Way::Sideways),
        ("binh", Way::Sideways),
        ("/", Way::Back),
        ("thoai", Way::Back),
        ("thoi", Way::Back),
    ];
    let text = plain(text);
    let mut rest = text.as_str();
    let Some(kinds) = word(&mut rest, &KINDS).or_else(|| word(&mut rest, &COVERED)) else {
        return Vec::new();
    };
    let place = word(&mut rest, &PLACES);
    let file = digit(&mut rest);
    let said = |kind: &Option<Kind>| finish(*kind, place, file, rest, &WAYS);
    kinds.iter().filter_map(said).collect()
}
