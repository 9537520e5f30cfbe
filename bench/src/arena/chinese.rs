//! Xiangqi records as Chinese programs read them: PGN with their tags, its moves in ICCS or in Chinese.
//!
//! A Chinese move names the piece, its file, the direction (forward, back, across) and, across or for a piece that
//! goes aslant, the target's file, else the number of points: 炮二平五. Both sides count files from their own right,
//! red in Chinese numbers. Of several alike on a file the place among them replaces the file: 前 front, 中 middle,
//! 后 rear. More than three are numbered from the front, and so are soldiers two or more of which stand on each of two
//! files: from the right, and on a file from the front. Advisors and elephants need none of this: of two on a file one
//! can only go forward, the other only back.

use super::game::Played;
use super::record::{self, Format, RecordHead};
use crate::notation::Notation;
use anyhow::{Result, bail};
use nguky::game::{Moves, Position, Side};
use nguky::games::xiangqi::types::{EMPTY, Kind, file, kind_of, rank, side_of};
use nguky::games::xiangqi::{XMove, Xiangqi};

/// Both, the default first.
pub const FORMATS: &[Format] = &[
    Format {
        ending: "pgn",
        first_line: FIRST_LINE,
        write: |head, g| pgn(head, g, "ICCS", |p, m, _| p.notation(m)),
    },
    Format {
        ending: "zh.pgn",
        first_line: FIRST_LINE,
        write: |head, g| pgn(head, g, "Chinese", |p, m, _| notation(p, m)),
    },
];

/// Their programs expect this tag first.
const FIRST_LINE: &str = "[Game \"Chinese Chess\"]\n";

fn pgn(head: &RecordHead, g: &Played, format: &str, say: fn(&Xiangqi, XMove, &str) -> String) -> String {
    let tags = [("Red", head.names[0]), ("Format", format)];
    format!("{FIRST_LINE}{}", record::pgn(head, g, &tags, say))
}

/// The pieces by number: red's, then black's.
const PIECES: [char; 14] = [
    '帅', '仕', '相', '马', '车', '炮', '兵', '将', '士', '象', '马', '车', '炮', '卒',
];
const RED: [char; 9] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];
const BLACK: [char; 9] = ['１', '２', '３', '４', '５', '６', '７', '８', '９'];
/// The front and the rear one; with a middle one when there are three.
const PLACES: [char; 3] = ['前', '中', '后'];

/// What else a sign may look like: traditional characters, and those that only printed books or stones use.
const LIKE: [(char, &str); 10] = [
    ('帅', "帥"),
    ('将', "將"),
    ('马', "馬傌"),
    ('车', "車俥"),
    ('炮', "砲包"),
    ('进', "進"),
    ('后', "後"),
    ('兵', "卒"),
    ('仕', "士"),
    ('相', "象"),
];

/// A file, or a number of points, from 1.
fn number(side: Side, n: u8) -> char {
    let signs = if side == Side::First { RED } else { BLACK };
    signs.get(usize::from(n.wrapping_sub(1))).copied().unwrap_or('？')
}

/// A point's file as its side counts.
const fn own_file(side: Side, point: u8) -> u8 {
    match side {
        Side::First => 9 - file(point),
        Side::Second => file(point) + 1,
    }
}

/// The points of a piece's like on a file, numbered as its side counts, from the front.
fn column(p: &Xiangqi, piece: u8, own: u8) -> Vec<u8> {
    let side = side_of(piece);
    let mut points: Vec<u8> = (0..90u8)
        .filter(|&at| p.board().at(at) == piece && own_file(side, at) == own)
        .collect();
    if side == Side::First {
        points.reverse();
    }
    points
}

/// What the piece on a point is called, the usual name first.
fn names(p: &Xiangqi, from: u8) -> Vec<String> {
    let piece = p.board().at(from);
    if piece == EMPTY {
        return Vec::new();
    }
    let (side, letter) = (side_of(piece), PIECES[usize::from(piece)]);
    let here = number(side, own_file(side, from));
    let mine = column(p, piece, own_file(side, from));
    let place = mine.iter().position(|&at| at == from).unwrap_or(0);
    if mine.len() < 2 || matches!(kind_of(piece), Kind::General | Kind::Advisor | Kind::Elephant) {
        return vec![format!("{letter}{here}")];
    }
    let word = match mine.len() {
        2 => PLACES[2 * place],
        3 => PLACES[place],
        _ => RED[place],
    };
    let crowded: Vec<Vec<u8>> = (1..=9)
        .map(|own| column(p, piece, own))
        .filter(|points| points.len() > 1)
        .collect();
    if crowded.len() > 1 {
        let order = crowded.iter().flatten().position(|&at| at == from).unwrap_or(0);
        // The second and third are how books write it.
        return vec![
            format!("{}{letter}", number(Side::First, order as u8 + 1)),
            format!("{word}{letter}{here}"),
            format!("{word}{here}"),
        ];
    }
    let mut all = vec![format!("{word}{letter}")];
    if mine.len() > 3 && place == 0 {
        all.push(format!("前{letter}"));
    }
    if mine.len() > 3 && place + 1 == mine.len() {
        all.push(format!("后{letter}"));
    }
    all
}

/// Where a move goes.
fn course(p: &Xiangqi, m: XMove) -> String {
    let piece = p.board().at(m.from());
    if piece == EMPTY {
        return String::new();
    }
    let (side, from, to) = (side_of(piece), rank(m.from()), rank(m.to()));
    let aslant = matches!(kind_of(piece), Kind::Advisor | Kind::Elephant | Kind::Horse);
    let target = number(side, own_file(side, m.to()));
    let word = match (from == to, (from < to) == (side == Side::First)) {
        (true, _) => return format!("平{target}"),
        (false, true) => '进',
        (false, false) => '退',
    };
    let last = if aslant {
        target
    } else {
        number(side, from.abs_diff(to))
    };
    format!("{word}{last}")
}

/// The move in Chinese.
pub fn notation(p: &Xiangqi, m: XMove) -> String {
    let name = names(p, m.from()).into_iter().next().unwrap_or_default();
    name + &course(p, m)
}

/// Signs of one meaning made one sign.
fn plain(text: &str) -> String {
    let sign = |c: char| {
        let like = LIKE.iter().find(|(_, others)| others.contains(c));
        let c = like.map_or(c, |(one, _)| *one);
        let digit = RED.iter().chain(&BLACK).position(|&n| n == c);
        digit.map_or(c, |i| char::from(b'1' + (i % 9) as u8))
    };
    text.chars().filter(|c| !c.is_whitespace()).map(sign).collect()
}

/// Reads a move in Chinese, simplified or traditional; only a legal one is accepted.
pub fn read(p: &Xiangqi, text: &str) -> Result<XMove> {
    let wanted = plain(text);
    let mut moves = Moves::new();
    p.generate(nguky::game::Kind::All, &mut moves);
    let meant = |m: &XMove| {
        let course = course(p, *m);
        names(p, m.from())
            .iter()
            .any(|name| plain(&format!("{name}{course}")) == wanted)
    };
    let found: Vec<XMove> = moves.iter().filter(meant).collect();
    match found.as_slice() {
        [one] => Ok(*one),
        [] => bail!("not a legal move here: {text:?}"),
        _ => bail!("more than one move may be meant: {text:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nguky::util::rng::SplitMix;

    fn at(fen: &str) -> Xiangqi {
        Xiangqi::parse(fen, &Default::default()).unwrap_or_else(|e| panic!("{fen}: {e}"))
    }

    #[test]
    fn moves_in_chinese() {
        for (fen, mv, text) in [
            (Xiangqi::START, "h2e2", "炮二平五"),
            (Xiangqi::START, "h0g2", "马二进三"),
            (Xiangqi::START, "i0i1", "车一进一"),
            (Xiangqi::START, "g3g4", "兵三进一"),
            (Xiangqi::START, "c0e2", "相七进五"),
            (Xiangqi::START, "d0e1", "仕六进五"),
            (Xiangqi::START, "e0e1", "帅五进一"),
            ("3k5/9/9/9/9/9/9/9/8r/4K4 b - - 0 1", "i1i9", "车９退８"),
            ("3k1n3/9/9/9/9/9/9/9/9/4K4 b - - 0 1", "f9e7", "马６进５"),
            ("3k1n3/9/9/9/9/9/9/9/9/4K4 b - - 0 1", "d9d8", "将４进１"),
            // Two on a file: horses, chariots; elephants need no word.
            ("3k5/9/9/3N5/9/9/9/3N5/9/4K4 w - - 0 1", "d6b5", "前马退八"),
            ("3k5/9/9/3N5/9/9/9/3N5/9/4K4 w - - 0 1", "d2b3", "后马进八"),
            ("3k5/9/9/r8/9/9/r8/9/9/4K4 b - - 0 1", "a3b3", "前车平２"),
            ("3k5/9/9/r8/9/9/r8/9/9/4K4 b - - 0 1", "a6a7", "后车退１"),
            ("3k5/9/9/9/9/6B2/9/9/9/4K1B2 w - - 0 1", "g4e2", "相三退五"),
            // Soldiers: three and five on a file, and two files with several.
            ("3k5/4P4/4P4/4P4/9/9/9/9/9/5K3 w - - 0 1", "e7f7", "中兵平四"),
            ("3k5/4P4/4P4/4P4/9/9/9/9/9/5K3 w - - 0 1", "e8d8", "前兵平六"),
            ("3k5/4P4/4P4/4P4/4P4/9/4P4/9/9/5K3 w - - 0 1", "e7d7", "二兵平六"),
            ("3k5/4P4/4P4/4P4/4P4/9/4P4/9/9/5K3 w - - 0 1", "e3e4", "五兵进一"),
            ("3k5/5P3/3P5/5P3/3P5/P8/9/9/9/5K3 w - - 0 1", "f8e8", "一兵平五"),
            ("3k5/5P3/3P5/5P3/3P5/P8/9/9/9/5K3 w - - 0 1", "d5e5", "四兵平五"),
            ("3k5/5P3/3P5/5P3/3P5/P8/9/9/9/5K3 w - - 0 1", "a4a5", "兵九进一"),
            ("3k5/9/9/9/9/3p1p3/9/3p1p3/9/4K4 b - - 0 1", "d2e2", "一卒平５"),
            ("3k5/9/9/9/9/3p1p3/9/3p1p3/9/4K4 b - - 0 1", "f4e4", "四卒平５"),
        ] {
            let p = at(fen);
            let m = p.parse_move(mv).unwrap_or_else(|e| panic!("{mv}: {e}"));
            assert_eq!(notation(&p, m), text, "{mv} in {fen}");
            assert_eq!(read(&p, text).unwrap_or_else(|e| panic!("{e}")), m);
        }
    }

    #[test]
    fn loose_writing_is_understood() {
        let (two, five) = (
            "3k5/5P3/3P5/5P3/3P5/P8/9/9/9/5K3 w - - 0 1",
            "3k5/4P4/4P4/4P4/4P4/9/4P4/9/9/5K3 w - - 0 1",
        );
        for (fen, text, mv) in [
            (Xiangqi::START, "砲二平五", "h2e2"),
            (Xiangqi::START, "炮2平5", "h2e2"),
            (Xiangqi::START, " 傌二進三 ", "h0g2"),
            (Xiangqi::START, "俥一進一", "i0i1"),
            ("3k5/9/9/r8/9/9/r8/9/9/4K4 b - - 0 1", "後車退1", "a6a7"),
            (two, "前兵四平五", "f8e8"),
            (two, "后四进一", "f6f7"),
            (two, "後六平七", "d5c5"),
            (five, "前兵平六", "e8d8"),
            (five, "后兵进一", "e3e4"),
        ] {
            let p = at(fen);
            let m = read(&p, text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(p.move_text(m), mv, "{text}");
        }
        let p = at(Xiangqi::START);
        for bad in [
            "",
            "炮",
            "炮二平",
            "炮二平二",
            "前炮平五",
            "马二进一进",
            "帅五平四",
            "兵四平五",
            "x",
        ] {
            assert!(read(&p, bad).is_err(), "{bad:?}");
        }
    }

    /// In every position the names of the legal moves are all different, and each is read as its move.
    fn check(p: &Xiangqi) {
        let mut moves = Moves::new();
        p.generate(nguky::game::Kind::All, &mut moves);
        for m in moves.iter() {
            let text = notation(p, m);
            let back = read(p, &text).unwrap_or_else(|e| panic!("{}: {e}", p.setup()));
            assert_eq!(back, m, "{text} in {}", p.setup());
        }
    }

    #[test]
    fn random_games_read_back() {
        let mut rng = SplitMix::new(11);
        let soldiers = "3k5/2P1P1P2/2P1P4/9/9/4p1p2/4p4/2p1p4/9/5K3 w - - 0 1";
        for game in 0..12 {
            let mut p = at(if game % 3 == 0 { soldiers } else { Xiangqi::START });
            for ply in 0..100 {
                let mut moves = Moves::new();
                p.generate(nguky::game::Kind::All, &mut moves);
                if moves.is_empty() {
                    break;
                }
                if ply % 7 == 0 {
                    check(&p);
                }
                p.play(moves.at(rng.below(moves.len() as u64) as usize).mv);
            }
        }
    }

    #[test]
    fn a_game_in_both() {
        let g = Played {
            points: 1,
            reason: "agreed".into(),
            setup: Xiangqi::START.into(),
            moves: ["h2e2", "h9g7"].map(|m| (m.to_string(), "+0.10/5".into())).to_vec(),
            ..Played::default()
        };
        let head = RecordHead {
            event: "nguky match",
            names: ["a", "b"],
            round: String::new(),
            time_control: String::new(),
            date: String::new(),
        };
        for (format, tag, first, second) in [
            (
                &FORMATS[0],
                "[Format \"ICCS\"]\n",
                "1. H2-E2 {+0.10/5} H9-G7",
                "1/2-1/2",
            ),
            (
                &FORMATS[1],
                "[Format \"Chinese\"]\n",
                "1. 炮二平五 {+0.10/5} 马８进７",
                "1/2-1/2",
            ),
        ] {
            let text = (format.write)(&head, &g);
            assert!(text.starts_with(format.first_line), "{text}");
            for part in [tag, "[Red \"a\"]\n", "[Black \"b\"]\n", first, second] {
                assert!(text.contains(part), "{part} in {text}");
            }
        }
    }
}
