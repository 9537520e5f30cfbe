//! Shogi records as Japanese programs read them: CSA (the Computer Shogi Association's format 2.2) and KIF.

use super::game::{Fault, Played};
use super::record::{Format, RecordHead};
use nguky::game::{Position, Side};
use nguky::games::shogi::types::{DROPS, EMPTY, Kind, kind_of, side_of};
use nguky::games::shogi::{SMove, Shogi};
use std::fmt::Write;

/// Both, the default first.
pub const FORMATS: &[Format] = &[
    Format {
        ending: "csa",
        first_line: "'nguky record\n",
        write: csa,
    },
    Format {
        ending: "kif",
        first_line: "#KIF version=2.0 encoding=UTF-8\n",
        write: kif,
    },
    Format {
        ending: "kifu",
        first_line: "#KIF version=2.0 encoding=UTF-8\n",
        write: kif,
    },
];

/// CSA's names of the kinds, in the order of their numbers.
const CSA: [&str; 14] = [
    "FU", "KY", "KE", "GI", "KA", "HI", "KI", "OU", "TO", "NY", "NK", "NG", "UM", "RY",
];
/// Their names in KIF's moves, and on its boards where those are shorter.
const KIF: [&str; 14] = [
    "歩", "香", "桂", "銀", "角", "飛", "金", "玉", "と", "成香", "成桂", "成銀", "馬", "龍",
];
const KIF_BOARD: [&str; 14] = [
    "歩", "香", "桂", "銀", "角", "飛", "金", "玉", "と", "杏", "圭", "全", "馬", "龍",
];
const FILES: [&str; 9] = ["１", "２", "３", "４", "５", "６", "７", "８", "９"];
const NUMBERS: [&str; 9] = ["一", "二", "三", "四", "五", "六", "七", "八", "九"];

/// Order of the kinds in a hand.
const HAND: [Kind; 7] = [
    Kind::Rook,
    Kind::Bishop,
    Kind::Gold,
    Kind::Silver,
    Kind::Knight,
    Kind::Lance,
    Kind::Pawn,
];

/// A point's file and rank from 1.
const fn numbers(point: u8) -> (u8, u8) {
    (point / 9 + 1, point % 9 + 1)
}

/// The game's positions with the move played in each.
fn walk(g: &Played, mut each: impl FnMut(usize, &Shogi, SMove)) -> Option<Shogi> {
    let mut p = Shogi::parse(&g.setup, &Default::default()).ok()?;
    for (i, (text, _)) in g.moves.iter().enumerate() {
        let m = p.parse_move(text).ok()?;
        each(i, &p, m);
        p.play(m);
    }
    Some(p)
}

/// How the game ended, for the side to move after the last move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum KifuEnd {
    /// It is mated or gave up.
    Lost,
    /// It claimed to have won.
    Claimed,
    Repetition,
    Draw,
    Late,
    /// This side did what is not allowed: an illegal move, perpetual check, silence.
    Foul(Side),
    /// It has won, and did not say so itself.
    Won,
    /// The game was broken off.
    Unfinished,
}

fn end(g: &Played, last: &Shogi) -> KifuEnd {
    let side = |i| if i == 0 { Side::First } else { Side::Second };
    match g.fault {
        _ if g.unfinished => return KifuEnd::Unfinished,
        Some((_, Fault::TimeLoss)) => return KifuEnd::Late,
        Some((i, _)) => return KifuEnd::Foul(side(i)),
        None => {}
    }
    let winner = side(usize::from(g.points == 0));
    match g.reason.as_str() {
        _ if g.points == 1 && g.reason.contains("repetition") => KifuEnd::Repetition,
        _ if g.points == 1 => KifuEnd::Draw,
        "perpetual check" => KifuEnd::Foul(winner.other()),
        "declaration" => KifuEnd::Claimed,
        _ if winner == last.side() => KifuEnd::Won,
        _ => KifuEnd::Lost,
    }
}

/// One game as CSA.
fn csa(head: &RecordHead, g: &Played) -> String {
    let mut text = String::from("'nguky record\nV2.2\n");
    let _ = writeln!(text, "N+{}\nN-{}", head.names[0], head.names[1]);
    let _ = writeln!(text, "$EVENT:{} {}", head.event, head.round);
    let _ = writeln!(text, "$START_TIME:{}", head.date.replace('.', "/"));
    let _ = writeln!(text, "'time control {}", head.time_control);
    let Ok(start) = Shogi::parse(&g.setup, &Default::default()) else {
        return text;
    };
    text += &csa_board(&start);
    let mut body = String::new();
    let last = walk(g, |i, p, m| {
        let (sign, to) = (csa_sign(p.side()), numbers(m.to()));
        let (from, kind) = match m.dropped() {
            Some(kind) => ((0, 0), kind),
            None => {
                let kind = kind_of(p.board().at(m.from()));
                let kind = if m.is_promotion() { kind.promoted() } else { kind };
                (numbers(m.from()), kind)
            }
        };
        let name = CSA[kind as usize];
        let _ = writeln!(body, "{sign}{}{}{}{}{name}", from.0, from.1, to.0, to.1);
        let seconds = g.times.get(i).map_or(0, |t| t.as_secs());
        let comment = g.moves.get(i).map_or("", |m| &m.1);
        let _ = writeln!(body, "T{seconds}\n'{comment}");
    });
    text += &body;
    let word = match end(g, &last.unwrap_or(start)) {
        KifuEnd::Lost => "%TORYO",
        KifuEnd::Claimed => "%KACHI",
        KifuEnd::Repetition => "%SENNICHITE",
        KifuEnd::Draw => "%HIKIWAKE",
        KifuEnd::Late => "%TIME_UP",
        KifuEnd::Foul(Side::First) => "%+ILLEGAL_ACTION",
        KifuEnd::Foul(Side::Second) => "%-ILLEGAL_ACTION",
        KifuEnd::Won | KifuEnd::Unfinished => "%CHUDAN",
    };
    // A line with a stroke parts games.
    let _ = writeln!(text, "{word}\n'{}\n/", g.reason);
    text
}

const fn csa_sign(side: Side) -> char {
    match side {
        Side::First => '+',
        Side::Second => '-',
    }
}

fn csa_board(p: &Shogi) -> String {
    let mut text = String::new();
    for rank in 0..9 {
        let _ = write!(text, "P{}", rank + 1);
        for file in (0..9).rev() {
            let piece = p.board().at(file * 9 + rank);
            if piece == EMPTY {
                text += " * ";
            } else {
                let _ = write!(text, "{}{}", csa_sign(side_of(piece)), CSA[kind_of(piece) as usize]);
            }
        }
        text.push('\n');
    }
    for side in [Side::First, Side::Second] {
        let hand = p.board().hand(side);
        if hand.is_empty() {
            continue;
        }
        let _ = write!(text, "P{}", csa_sign(side));
        for kind in HAND {
            text += &format!("00{}", CSA[kind as usize]).repeat(hand.count(kind) as usize);
        }
        text.push('\n');
    }
    let _ = writeln!(text, "{}", csa_sign(p.side()));
    text
}

/// One game as KIF.
fn kif(head: &RecordHead, g: &Played) -> String {
    let mut text = String::from("#KIF version=2.0 encoding=UTF-8\n");
    let _ = writeln!(text, "開始日時：{}", head.date.replace('.', "/"));
    let _ = writeln!(text, "棋戦：{} {}", head.event, head.round);
    let _ = writeln!(text, "持ち時間：{}", head.time_control);
    let Ok(start) = Shogi::parse(&g.setup, &Default::default()) else {
        return text;
    };
    if g.setup == Shogi::START {
        text += "手合割：平手\n";
    } else {
        text += &kif_board(&start);
    }
    let _ = writeln!(text, "先手：{}\n後手：{}", head.names[0], head.names[1]);
    text += "手数----指手---------消費時間--\n";
    let mut target = None;
    let mut used = [0; 2];
    let mut body = String::new();
    let last = walk(g, |i, p, m| {
        let seconds = g.times.get(i).map_or(0, |t| t.as_secs());
        let all = &mut used[p.side().index()];
        *all += seconds;
        let clock = format!("{}/{}", minutes(seconds), hours(*all));
        let _ = writeln!(body, "{:>4} {}   ({clock})", i + 1, kif_move(p, m, target));
        if let Some((_, comment)) = g.moves.get(i) {
            let _ = writeln!(body, "*{comment}");
        }
        target = Some(m.to());
    });
    text += &body;
    let last = last.unwrap_or(start);
    let mover = if last.side() == Side::First { "先手" } else { "後手" };
    let other = if last.side() == Side::First { "後手" } else { "先手" };
    let n = g.moves.len();
    let (word, result) = match end(g, &last) {
        KifuEnd::Lost => ("投了", format!("{other}の勝ち")),
        KifuEnd::Claimed => ("入玉勝ち", format!("{mover}の入玉勝ち")),
        KifuEnd::Repetition => ("千日手", "千日手".to_string()),
        KifuEnd::Draw => ("持将棋", "持将棋".to_string()),
        KifuEnd::Late => ("切れ負け", format!("時間切れにより{other}の勝ち")),
        KifuEnd::Foul(side) if side == last.side() => ("反則負け", format!("{mover}の反則負け")),
        KifuEnd::Foul(_) => ("反則勝ち", format!("{mover}の反則勝ち")),
        KifuEnd::Won | KifuEnd::Unfinished => ("中断", "中断".to_string()),
    };
    let _ = writeln!(text, "{:>4} {word}\n*{}\nまで{n}手で{result}\n", n + 1, g.reason);
    text
}

fn minutes(seconds: u64) -> String {
    format!("{:>2}:{:02}", seconds / 60, seconds % 60)
}

fn hours(seconds: u64) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// A move with its target, `同` when that is the last move's, the piece, what becomes of it, and its origin.
fn kif_move(p: &Shogi, m: SMove, last: Option<u8>) -> String {
    let (file, rank) = numbers(m.to());
    let target = if last == Some(m.to()) {
        "同　".to_string()
    } else {
        format!("{}{}", FILES[usize::from(file) - 1], NUMBERS[usize::from(rank) - 1])
    };
    match m.dropped() {
        Some(kind) => format!("{target}{}打", KIF[kind as usize]),
        None => {
            let name = KIF[kind_of(p.board().at(m.from())) as usize];
            let promotes = if m.is_promotion() { "成" } else { "" };
            let (f, r) = numbers(m.from());
            format!("{target}{name}{promotes}({f}{r})")
        }
    }
}

fn kif_hand(p: &Shogi, side: Side) -> String {
    let hand = p.board().hand(side);
    let mut words = Vec::new();
    for kind in HAND.into_iter().filter(|k| DROPS.contains(k) && hand.has(*k)) {
        let number = match hand.count(kind) {
            1 => String::new(),
            n @ 2..=9 => NUMBERS[n as usize - 1].to_string(),
            10 => "十".to_string(),
            n => format!("十{}", NUMBERS[n as usize - 11]),
        };
        words.push(format!("{}{number}", KIF[kind as usize]));
    }
    if words.is_empty() {
        "なし".to_string()
    } else {
        words.join("　")
    }
}

fn kif_board(p: &Shogi) -> String {
    let line = "+---------------------------+\n";
    let mut text = format!(
        "後手の持駒：{}\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n{line}",
        kif_hand(p, Side::Second)
    );
    for rank in 0..9u8 {
        text.push('|');
        for file in (0..9).rev() {
            let piece = p.board().at(file * 9 + rank);
            if piece == EMPTY {
                text += " ・";
            } else {
                text.push(if side_of(piece) == Side::First { ' ' } else { 'v' });
                text += KIF_BOARD[kind_of(piece) as usize];
            }
        }
        let _ = writeln!(text, "|{}", NUMBERS[usize::from(rank)]);
    }
    let _ = writeln!(text, "{line}先手の持駒：{}", kif_hand(p, Side::First));
    if p.side() == Side::Second {
        text += "後手番\n";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn game(setup: &str, moves: &[&str], points: u8, reason: &str) -> Played {
        Played {
            points,
            reason: reason.into(),
            setup: setup.into(),
            moves: moves.iter().map(|m| (m.to_string(), "+0.10/5 1.500s".into())).collect(),
            times: vec![Duration::from_millis(1500); moves.len()],
            ..Played::default()
        }
    }

    const HEAD: RecordHead = RecordHead {
        event: "nguky match",
        names: ["a", "b"],
        round: String::new(),
        time_control: String::new(),
        date: String::new(),
    };

    #[test]
    fn a_game_as_csa() {
        let g = game(
            Shogi::START,
            &["7g7f", "3c3d", "8h2b+", "3a2b", "B*5e"],
            2,
            "resignation",
        );
        let text = csa(&HEAD, &g);
        let lines: Vec<&str> = text.lines().filter(|l| !l.starts_with('\'')).collect();
        assert_eq!(lines[0], "V2.2");
        assert!(lines.contains(&"P1-KY-KE-GI-KI-OU-KI-GI-KE-KY"));
        assert!(lines.contains(&"P2 * -HI *  *  *  *  * -KA * "));
        let tail = [
            "+", "+7776FU", "T1", "-3334FU", "T1", "+8822UM", "T1", "-3122GI", "T1", "+0055KA", "T1", "%TORYO", "/",
        ];
        assert!(lines.ends_with(&tail), "{text}");
    }

    #[test]
    fn a_game_as_kif() {
        let g = game(
            Shogi::START,
            &["7g7f", "3c3d", "8h2b+", "3a2b", "B*5e"],
            2,
            "resignation",
        );
        let text = kif(&HEAD, &g);
        for part in [
            "手合割：平手\n",
            "   1 ７六歩(77)   ( 0:01/00:00:01)\n",
            "   3 ２二角成(88)   ( 0:01/00:00:02)\n",
            "   4 同　銀(31)   ( 0:01/00:00:02)\n",
            "   5 ５五角打   ( 0:01/00:00:03)\n",
            "   6 投了\n",
            "まで5手で先手の勝ち\n",
        ] {
            assert!(text.contains(part), "{part:?} is missing in\n{text}");
        }
        let text = kif(
            &HEAD,
            &game("4k4/9/9/9/9/9/9/9/4K4 w 2R12Pb 2", &[], 1, "fourfold repetition"),
        );
        for part in [
            "後手の持駒：角\n",
            "| ・ ・ ・ ・v玉 ・ ・ ・ ・|一\n",
            "先手の持駒：飛二　歩十二\n後手番\n",
            "   1 千日手\n",
        ] {
            assert!(text.contains(part), "{part:?} is missing in\n{text}");
        }
    }

    #[test]
    fn every_end_has_its_word() {
        let lone = "4k4/9/9/9/9/9/9/9/4K4 b - 1";
        for (points, reason, fault, word) in [
            (0, "checkmate", None, "%TORYO"),
            (2, "declaration", None, "%KACHI"),
            (1, "fourfold repetition", None, "%SENNICHITE"),
            (1, "adjudicated: too long", None, "%HIKIWAKE"),
            (2, "perpetual check", None, "%-ILLEGAL_ACTION"),
            (0, "time forfeit", Some((0, Fault::TimeLoss)), "%TIME_UP"),
            (0, "illegal move", Some((0, Fault::IllegalMove)), "%+ILLEGAL_ACTION"),
            (2, "adjudicated: hopeless", None, "%CHUDAN"),
        ] {
            let g = Played {
                fault,
                ..game(lone, &[], points, reason)
            };
            assert!(csa(&HEAD, &g).contains(&format!("\n{word}\n")), "{reason}");
            let g = Played { unfinished: true, ..g };
            assert!(csa(&HEAD, &g).contains("\n%CHUDAN\n"), "{reason}");
            assert!(kif(&HEAD, &g).contains("まで0手で中断\n"), "{reason}");
        }
    }
}
