//! Moves of shogi as people write them: Japanese (☗７六歩, 同銀直, ５五角打) and Western (`P-7f`, `Bx2b+`, `P*5e`).
//!
//! Of several pieces that reach a point, Japanese tells the one by where it stands (左 left, 右 right, as its owner sees it) or how
//! it goes (上 up, 引 back, 寄 sideways, 直 straight up), or by its origin as in KIF files; Western by its origin.

use super::MoveStyle;
use nguky::game::{Moves, Position, Side};
use nguky::games::shogi::types::{EMPTY, Kind, LETTERS, file, kind_of, point_name, rank};
use nguky::games::shogi::{SMove, Shogi};
use unicode_normalization::UnicodeNormalization;

/// The Japanese names of the kinds in the order of their numbers, as they are written.
const NAMES: [&str; 14] = [
    "歩", "香", "桂", "銀", "角", "飛", "金", "玉", "と", "成香", "成桂", "成銀", "馬", "龍",
];
/// Other names that are read.
const ALSO: [(&str, Kind); 7] = [
    ("王", Kind::King),
    ("杏", Kind::ProLance),
    ("圭", Kind::ProKnight),
    ("全", Kind::ProSilver),
    ("竜", Kind::Dragon),
    ("步", Kind::Pawn),
    ("飞", Kind::Rook),
];
const NUMBERS: &str = "一二三四五六七八九";

/// A parsed move text; what it leaves open fits all.
#[derive(Default)]
struct ShogiMoveText {
    kind: Option<Kind>,
    to: u8,
    from: Option<u8>,
    drop: Option<bool>,
    promotes: Option<bool>,
    /// Japanese words for which piece moves.
    words: Vec<char>,
}

fn legal(p: &Shogi) -> Vec<SMove> {
    let mut moves = Moves::new();
    p.generate_all_legal(&mut moves);
    moves.iter().collect()
}

/// What moves.
fn mover(p: &Shogi, m: SMove) -> Kind {
    m.dropped().unwrap_or_else(|| kind_of(p.board().at(m.from())))
}

/// The legal moves that a text may mean; `last` is where the move before went, which 同 names.
pub fn readings(p: &Shogi, text: &str, last: Option<u8>) -> Vec<SMove> {
    let text: String = text.nfkc().filter(|c| !c.is_whitespace()).collect();
    let moves = legal(p);
    if let Some(m) = moves.iter().find(|m| p.move_text(**m).eq_ignore_ascii_case(&text)) {
        return vec![*m];
    }
    let Some(said) = japanese(&text, last).or_else(|| western(&text)) else {
        return Vec::new();
    };
    let fits = |m: &SMove| {
        m.to() == said.to
            && said.kind.is_none_or(|k| k == mover(p, *m))
            && said.drop.is_none_or(|d| d == m.is_drop())
            && said.promotes.is_none_or(|b| b == m.is_promotion())
            && said.from.is_none_or(|f| !m.is_drop() && f == m.from())
    };
    let mut found: Vec<SMove> = moves.into_iter().filter(fits).collect();
    // A drop is marked only where a piece on the board might be meant.
    if said.drop.is_none() && found.iter().any(|m| !m.is_drop()) {
        found.retain(|m| !m.is_drop());
    }
    if !said.words.is_empty() {
        found.retain(|m| !m.is_drop());
        narrow(p.side(), &mut found, &said.words);
    }
    found
}

/// Leaves the moves that Japanese words for the way and the place fit, the way first.
fn narrow(side: Side, found: &mut Vec<SMove>, words: &[char]) {
    // Ranks and files as the mover sees them: forward is up, and a greater file is further left.
    let seen = |point: u8| match side {
        Side::First => (i32::from(rank(point)), i32::from(file(point))),
        Side::Second => (8 - i32::from(rank(point)), 8 - i32::from(file(point))),
    };
    for word in words {
        found.retain(|m| {
            let ((a, x), (b, y)) = (seen(m.from() % 81), seen(m.to()));
            match word {
                '上' | '行' | '入' => b < a,
                '引' => b > a,
                '寄' => b == a,
                '直' => b < a && x == y,
                _ => true,
            }
        });
    }
    for word in words {
        let files = found.iter().map(|m| seen(m.from() % 81).1);
        let end = match word {
            '左' => files.max(),
            '右' => files.min(),
            _ => continue,
        };
        found.retain(|m| Some(seen(m.from() % 81).1) == end);
    }
}

/// A point by two digits or a digit and a letter, from 1 and a.
fn point(file: char, rank: char) -> Option<u8> {
    let number = |c: char| match c {
        '1'..='9' => Some(c as u8 - b'1'),
        'a'..='i' => Some(c as u8 - b'a'),
        _ => NUMBERS.chars().position(|n| n == c).map(|n| n as u8),
    };
    Some(file.to_digit(10)?.checked_sub(1)? as u8 * 9 + number(rank)?)
}

fn japanese(text: &str, last: Option<u8>) -> Option<ShogiMoveText> {
    let text = text.trim_start_matches(['☗', '☖', '▲', '△', '▼', '▽']);
    let mut signs = text.chars();
    let to = match signs.next()? {
        '同' => last?,
        digit => point(digit, signs.next()?)?,
    };
    let rest = signs.as_str();
    let names = NAMES
        .iter()
        .enumerate()
        .map(|(i, n)| (*n, nguky::games::shogi::types::KINDS[i]));
    let (name, kind) = names
        .chain(ALSO)
        .filter(|(n, _)| rest.starts_with(n))
        .max_by_key(|(n, _)| n.len())?;
    let mut rest = rest.get(name.len()..)?;
    let mut said = ShogiMoveText {
        kind: Some(kind),
        to,
        ..ShogiMoveText::default()
    };
    if let Some((before, origin)) = rest.strip_suffix(')').and_then(|r| r.rsplit_once('(')) {
        let mut signs = origin.chars();
        said.from = Some(point(signs.next()?, signs.next()?)?);
        rest = before;
        signs.next().is_none().then_some(())?;
    }
    for (word, promotes) in [("不成", false), ("生", false), ("成", true)] {
        if let Some(before) = rest.strip_suffix(word) {
            said.promotes = Some(promotes);
            rest = before;
            break;
        }
    }
    // As in KIF files, an origin without 成 means no promotion.
    if said.from.is_some() && said.promotes.is_none() {
        said.promotes = Some(false);
    }
    if let Some(before) = rest.strip_suffix('打') {
        said.drop = Some(true);
        rest = before;
    }
    said.words = rest.chars().collect();
    let known = said.words.iter().all(|c| "左右上行入引寄直".contains(*c));
    known.then_some(said)
}

fn western(text: &str) -> Option<ShogiMoveText> {
    let text = text.to_ascii_lowercase();
    let bare = text.trim_end_matches(['!', '?']);
    let (bare, promotes) = match (bare.strip_suffix('+'), bare.strip_suffix('=')) {
        (Some(bare), _) => (bare, Some(true)),
        (_, Some(bare)) => (bare, Some(false)),
        _ => (bare, None),
    };
    let (bare, promoted) = bare.strip_prefix('+').map_or((bare, false), |b| (b, true));
    let mut signs: Vec<char> = bare.chars().collect();
    let mut said = ShogiMoveText {
        promotes,
        ..ShogiMoveText::default()
    };
    if signs.first().is_some_and(char::is_ascii_alphabetic) {
        let letter = signs.remove(0).to_ascii_uppercase();
        let kind = LETTERS.iter().position(|l| *l == letter)?;
        let kind = *nguky::games::shogi::types::KINDS.get(kind)?;
        if promoted && !kind.promotes() {
            return None;
        }
        said.kind = Some(if promoted { kind.promoted() } else { kind });
    } else if promoted {
        return None;
    }
    let (rank, file) = (signs.pop()?, signs.pop()?);
    said.to = point(file, rank)?;
    match signs.last() {
        Some('*' | '\'') => {
            said.drop = Some(true);
            signs.pop();
        }
        Some('-' | 'x') => {
            said.drop = Some(false);
            signs.pop();
        }
        _ => {}
    }
    match signs.as_slice() {
        [] if said.kind.is_some() => {}
        [file, rank] if said.drop != Some(true) => said.from = Some(point(*file, *rank)?),
        _ => return None,
    }
    Some(said)
}

/// A legal move in a style.
pub fn written(p: &Shogi, m: SMove, style: MoveStyle, last: Option<u8>) -> String {
    let kind = mover(p, m);
    let rivals: Vec<SMove> = legal(p)
        .into_iter()
        .filter(|o| o.to() == m.to() && mover(p, *o) == kind && o.is_drop() == m.is_drop() && o.from() != m.from())
        .collect();
    let on_board = legal(p)
        .iter()
        .any(|o| o.to() == m.to() && mover(p, *o) == kind && !o.is_drop());
    let choice = !m.is_drop()
        && legal(p)
            .iter()
            .any(|o| (o.from(), o.to()) == (m.from(), m.to()) && o.is_promotion() != m.is_promotion());
    match style {
        MoveStyle::Coordinates => p.move_text(m),
        MoveStyle::Japanese => {
            let mark = if p.side() == Side::First { '☗' } else { '☖' };
            let target = if last == Some(m.to()) {
                "同".to_string()
            } else {
                let digit = char::from_u32('１' as u32 + u32::from(file(m.to()))).unwrap_or('？');
                format!("{digit}{}", NUMBERS.chars().nth(rank(m.to()).into()).unwrap_or('？'))
            };
            let end = match (m.is_promotion(), choice, m.is_drop() && on_board) {
                (true, ..) => "成",
                (_, true, _) => "不成",
                (_, _, true) => "打",
                _ => "",
            };
            let origin = if m.is_drop() || rivals.is_empty() {
                String::new()
            } else {
                format!("({}{})", file(m.from()) + 1, rank(m.from()) + 1)
            };
            format!("{mark}{target}{}{end}{origin}", NAMES[kind as usize])
        }
        _ => {
            let plus = if kind == kind.origin() { "" } else { "+" };
            let letter = LETTERS[kind.origin() as usize];
            let origin = if m.is_drop() || rivals.is_empty() {
                String::new()
            } else {
                point_name(m.from())
            };
            let sign = match (m.is_drop(), p.board().at(m.to()) != EMPTY) {
                (true, _) => '*',
                (_, true) => 'x',
                _ => '-',
            };
            let end = match (m.is_promotion(), choice) {
                (true, _) => "+",
                (_, true) => "=",
                _ => "",
            };
            format!("{plus}{letter}{origin}{sign}{}{end}", point_name(m.to()))
        }
    }
}
