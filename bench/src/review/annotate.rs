//! A reviewed game as a record: PGN with glyphs, comments and the better lines, SGF with comments and the lines as
//! variations, KIF and CSA with comments.

use super::marks::{Evaluation, Mark, Review, ReviewRow};
use crate::arena::game::{Fault, Played};
use crate::arena::kifu;
use crate::arena::record::{RecordHead, put};
use crate::records::sgf::escaped;
use crate::records::{RecordedGame, RecordedMove, RecordedResult};
use nguky::game::{Position, Side};
use nguky::games::go::types::PASS;
use nguky::games::go::{Board, coords};
use std::fmt::Write;

/// The words of comments in one language.
pub struct Phrases {
    /// Names of the marks, the least first.
    pub marks: [&'static str; 3],
    /// "expected score", with the figures behind it.
    pub score: &'static str,
    /// "points lost".
    pub points: &'static str,
    /// "luck".
    pub luck: &'static str,
    /// "best".
    pub best: &'static str,
}

/// In English.
pub const ENGLISH: Phrases = Phrases {
    marks: ["inaccuracy", "mistake", "blunder"],
    score: "expected score",
    points: "points lost",
    luck: "luck",
    best: "best",
};

/// In Vietnamese.
pub const VIETNAMESE: Phrases = Phrases {
    marks: ["thiếu chính xác", "sai lầm", "sai lầm nghiêm trọng"],
    score: "điểm kỳ vọng",
    points: "số điểm mất",
    luck: "may rủi",
    best: "tốt nhất",
};

impl Phrases {
    /// What is said of a move: nothing where it has no mark and no luck. `best` is the better move as people write it.
    fn said(&self, row: &ReviewRow, best: Option<&str>) -> String {
        let mut parts = Vec::new();
        if let Some(mark) = row.mark {
            let name = self.marks[mark as usize];
            parts.push(format!("{name}: {} {:.2} → {:.2}", self.score, row.before, row.after));
            if let Some(points) = row.points {
                parts.push(format!("{} {points:.1}", self.points));
            }
            parts.extend(best.map(|best| format!("{} {best}", self.best)));
        }
        if let Some(luck) = row.luck.filter(|l| l.abs() >= 0.005) {
            parts.push(format!("{} {luck:+.2}", self.luck));
        }
        parts.join("; ")
    }
}

/// The rows of a review by ply.
fn by_ply(rows: Vec<ReviewRow>, plies: usize) -> Vec<Option<ReviewRow>> {
    let mut all: Vec<Option<ReviewRow>> = (0..plies).map(|_| None).collect();
    for row in rows {
        if let Some(place) = all.get_mut(row.ply) {
            *place = Some(row);
        }
    }
    all
}

/// How a game writes and plays the moves of its records.
pub struct PgnMoves<P> {
    /// A move as PGN has it.
    pub say: fn(&P, &str) -> Option<String>,
    /// Plays a move; false where that is not possible.
    pub play: fn(&mut P, &str) -> bool,
    /// Whether `[%eval]` is written, which programs of chess read.
    pub evals: bool,
}

/// The text of the moves while it is written.
struct PgnText {
    text: String,
    line: String,
}

impl PgnText {
    fn word(&mut self, word: &str) {
        for part in word.split_whitespace() {
            put(&mut self.text, &mut self.line, part);
        }
    }

    fn comment(&mut self, said: &str) {
        if !said.is_empty() {
            self.word(&format!("{{{}}}", said.replace('}', ")")));
        }
    }

    fn number(&mut self, ply: usize, first: bool) {
        if ply.is_multiple_of(2) {
            self.word(&format!("{}.", ply / 2 + 1));
        } else if first {
            self.word(&format!("{}...", ply / 2 + 1));
        }
    }
}

/// One game as PGN.
pub fn pgn<P: Position>(
    record: &RecordedGame,
    review: &Review,
    start: &P,
    moves: &PgnMoves<P>,
    words: &Phrases,
) -> String {
    let mut out = PgnText {
        text: String::new(),
        line: String::new(),
    };
    let result = match record.outcome {
        RecordedResult::Won(Side::First) => "1-0",
        RecordedResult::Won(Side::Second) => "0-1",
        RecordedResult::Drawn => "1/2-1/2",
        RecordedResult::Unknown => "*",
    };
    let [first, second] = &record.names;
    let mut tags: Vec<(&str, &str)> = record.tags.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    let mut must = vec![("White", first.as_str()), ("Black", second), ("Result", result)];
    if P::NAME != "chess" {
        must.push(("Variant", P::NAME));
    }
    let setup = record.setup.as_deref().unwrap_or(P::START);
    if setup != P::START {
        must.extend([("SetUp", "1"), ("FEN", setup)]);
    }
    // Without a review everything said is the record's own.
    if !review.rows().is_empty() {
        must.push(("Annotator", "Nguky"));
    }
    for (name, value) in must {
        let plain = |n: &str| !n.is_empty() && n.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        tags.retain(|(n, _)| *n != name && plain(n) && (*n != "Red" || record.tag("White").is_some()));
        tags.push((name, value));
    }
    for (name, value) in tags {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(out.text, "[{name} \"{}\"]", value.replace(['\r', '\n'], " "));
    }
    out.text.push('\n');
    out.comment(&record.comment);
    let rows = by_ply(review.rows(), record.moves.len());
    let offset = start.game_ply();
    let mut pos = start.clone();
    let mut broken = true;
    for (i, ply) in record.moves.iter().enumerate() {
        let Some(shown) = (moves.say)(&pos, &ply.text) else {
            break;
        };
        out.number(offset + i, broken);
        out.word(&shown);
        let row = rows[i].as_ref();
        let mark = row.and_then(|r| r.mark);
        let nags = ply
            .nags
            .iter()
            .copied()
            .filter(|n| mark.is_none() || !(1..=6).contains(n));
        for nag in nags.chain(mark.map(Mark::nag)) {
            out.word(&format!("${nag}"));
        }
        let best = row.and_then(|r| r.best.best.as_deref());
        let best = best.and_then(|m| (moves.say)(&pos, m));
        let said = row.map_or(String::new(), |r| words.said(r, best.as_deref()));
        let eval = review.evaluation(i + 1).filter(|_| moves.evals);
        let eval = eval.and_then(|e| eval_text(e, pos.side().other()));
        let all = [ply.comment.trim(), said.as_str(), eval.as_deref().unwrap_or("")];
        out.comment(&all.into_iter().filter(|t| !t.is_empty()).collect::<Vec<_>>().join(" "));
        broken = !ply.variations.is_empty() || all.iter().any(|t| !t.is_empty());
        if let Some(row) = row.filter(|r| r.mark.is_some()) {
            let better = row.best.line.iter().map(|m| RecordedMove::new(pos.side(), m.clone()));
            variation(&mut out, &pos, offset + i, &better.collect::<Vec<_>>(), moves);
            broken = true;
        }
        for other in &ply.variations {
            variation(&mut out, &pos, offset + i, other, moves);
        }
        if !(moves.play)(&mut pos, &ply.text) {
            break;
        }
    }
    out.word(result);
    out.text + &out.line + "\n\n"
}

/// A variation in parentheses, as far as it can be played, with the variations within it.
fn variation<P: Position>(out: &mut PgnText, start: &P, ply: usize, line: &[RecordedMove], moves: &PgnMoves<P>) {
    let mut pos = start.clone();
    let (mut opened, mut broken) = (false, true);
    for (i, one) in line.iter().enumerate() {
        let Some(shown) = (moves.say)(&pos, &one.text) else {
            break;
        };
        // A move of cờ úp that turns a piece up cannot be written without what it turned up.
        let before = pos.clone();
        if !(moves.play)(&mut pos, &one.text) {
            break;
        }
        if !opened {
            out.word("(");
            opened = true;
        }
        out.number(ply + i, broken);
        out.word(&shown);
        one.nags.iter().for_each(|n| out.word(&format!("${n}")));
        out.comment(one.comment.trim());
        one.variations
            .iter()
            .for_each(|v| variation(out, &before, ply + i, v, moves));
        broken = !one.variations.is_empty() || !one.comment.trim().is_empty();
    }
    if opened {
        out.word(")");
    }
}

/// `[%eval 0.25]` or `[%eval #-3]`, for the side that moves first.
fn eval_text(e: &Evaluation, mover: Side) -> Option<String> {
    let sign = if mover == Side::First { 1 } else { -1 };
    if let Some(mate) = e.mate.filter(|m| *m != 0) {
        return Some(format!("[%eval #{}]", sign * (mate + mate.signum()) / 2));
    }
    let cp = f64::from(sign * e.cp?) / 100.0;
    Some(format!("[%eval {cp:.2}]"))
}

/// The game as KIF or CSA writes it, with comments; none where the ending names neither.
pub fn kifu(record: &RecordedGame, review: &Review, setup: &str, ending: &str, words: &Phrases) -> Option<String> {
    let format = kifu::FORMATS.iter().find(|f| f.ending == ending)?;
    let rows = by_ply(review.rows(), record.moves.len());
    let one = |(i, ply): (usize, &RecordedMove)| {
        let row = rows[i].as_ref();
        let said = row.map_or(String::new(), |r| {
            let line = (!r.best.line.is_empty()).then(|| r.best.line.join(" "));
            words.said(r, line.as_deref())
        });
        let mark = row.and_then(|r| r.mark).map_or("", Mark::sign);
        let all = [mark, &said, ply.comment.trim()];
        let text: Vec<&str> = all.into_iter().filter(|t| !t.is_empty()).collect();
        (ply.text.clone(), text.join(" ").replace(['\r', '\n'], " "))
    };
    let (points, unfinished) = match record.outcome {
        RecordedResult::Won(Side::First) => (2, false),
        RecordedResult::Won(Side::Second) => (0, false),
        RecordedResult::Drawn => (1, false),
        RecordedResult::Unknown => (1, true),
    };
    let late = ["TIME_UP", "切れ負け", "時間切れ"]
        .iter()
        .any(|w| record.ending.contains(w));
    let repeated = ["SENNICHITE", "千日手"].iter().any(|w| record.ending.contains(w));
    let reason = match record.ending.as_str() {
        "%KACHI" | "入玉勝ち" | "宣言勝ち" => "declaration",
        _ if repeated => "repetition",
        _ => "resignation",
    };
    let played = Played {
        points,
        unfinished,
        reason: reason.into(),
        fault: late.then_some((usize::from(points == 2), Fault::TimeLoss)),
        setup: setup.into(),
        moves: record.moves.iter().enumerate().map(one).collect(),
        times: record.moves.iter().map(|m| m.time.unwrap_or_default()).collect(),
        ..Played::default()
    };
    let tag = |names: &[&str]| names.iter().find_map(|n| record.tag(n)).unwrap_or("").to_string();
    let [first, second] = &record.names;
    let event = tag(&["棋戦", "$EVENT", "EVENT", "Event"]);
    let head = RecordHead {
        event: &event,
        names: [first, second],
        round: String::new(),
        time_control: "-".into(),
        date: tag(&["開始日時", "$START_TIME", "START_TIME", "Date"]).replace('/', "."),
    };
    Some((format.write)(&head, &played))
}

/// The game as SGF: comments, `DO` and `BM` on marked moves, the value of the position for black in `V`, and the better
/// lines as variations.
pub fn sgf(record: &RecordedGame, review: &Review, board: &Board, words: &Phrases) -> String {
    let mut text = "(;GM[1]FF[4]CA[UTF-8]AP[nguky]".to_string();
    // Without a review everything said is the record's own.
    let reviewed = !review.rows().is_empty();
    for (name, value) in &record.tags {
        let setup = ["AB", "AW", "AE", "PL", "GM", "FF", "CA", "AP"];
        let ours = setup.contains(&name.as_str()) || (reviewed && name == "AN");
        if !ours {
            let _ = write!(text, "{name}[{}]", escaped(value));
        }
    }
    if reviewed {
        text += "AN[Nguky]";
    }
    text += record.setup.as_deref().unwrap_or("");
    if !record.comment.is_empty() {
        let _ = write!(text, "C[{}]", escaped(&record.comment));
    }
    let rows = by_ply(review.rows(), record.moves.len());
    // What is written behind the rest of the main line: the variations, and the end of the bracket around the rest.
    let mut behind = Vec::new();
    for (i, ply) in record.moves.iter().enumerate() {
        let row = rows[i].as_ref();
        let marked = row.filter(|r| r.mark.is_some());
        let mut others = String::new();
        if let Some(row) = marked.filter(|r| !r.best.line.is_empty()) {
            others.push('(');
            for (k, m) in row.best.line.iter().enumerate() {
                let side = if k % 2 == 0 { ply.side } else { ply.side.other() };
                others += &stone(board, side, m);
            }
            others.push(')');
        }
        for other in &ply.variations {
            tree(board, other, &mut others);
        }
        if !others.is_empty() {
            text.push_str("\n(");
            behind.push(format!(")\n{others}"));
        }
        text += &stone(board, ply.side, &ply.text);
        text += match row.and_then(|r| r.mark) {
            Some(Mark::Inaccuracy) => "DO[]",
            Some(Mark::Mistake) => "BM[1]",
            Some(Mark::Blunder) => "BM[2]",
            None => "",
        };
        if let Some(e) = review.evaluation(i + 1)
            && let Some(lead) = e.lead
        {
            let _ = write!(text, "V[{:.1}]", if ply.side == Side::First { -lead } else { lead });
        }
        let best = row.and_then(|r| r.best.best.as_deref());
        let said = row.map_or(String::new(), |r| words.said(r, best));
        let all = [ply.comment.trim(), said.as_str()];
        let all: Vec<&str> = all.into_iter().filter(|t| !t.is_empty()).collect();
        if !all.is_empty() {
            let _ = write!(text, "C[{}]", escaped(&all.join("\n")));
        }
    }
    behind.iter().rev().for_each(|b| text += b);
    text + ")\n"
}

/// A node of one move.
fn stone(board: &Board, side: Side, text: &str) -> String {
    let colour = if side == Side::First { 'B' } else { 'W' };
    let place = coords::parse(board, text).ok().filter(|p| *p != PASS).map(|p| {
        let (x, y) = board.xy(p);
        [x, board.size() - 1 - y]
            .map(|n| char::from(b'a' + n as u8))
            .iter()
            .collect::<String>()
    });
    format!(";{colour}[{}]", place.unwrap_or_default())
}

/// A recorded variation with those within it.
fn tree(board: &Board, line: &[RecordedMove], out: &mut String) {
    let mut behind = Vec::new();
    out.push('(');
    for ply in line {
        if !ply.variations.is_empty() {
            let mut others = String::new();
            ply.variations.iter().for_each(|v| tree(board, v, &mut others));
            out.push('(');
            behind.push(format!("){others}"));
        }
        *out += &stone(board, ply.side, &ply.text);
        if !ply.comment.is_empty() {
            let _ = write!(out, "C[{}]", escaped(&ply.comment));
        }
    }
    behind.iter().rev().for_each(|b| *out += b);
    out.push(')');
}
