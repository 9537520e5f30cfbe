//! JieqiBox's records of cờ úp: JSON with `metadata` and `moves`, each move with the position behind it.
//!
//! What a move turned up and took stands in that position: the letter on the point that it went to, and what left the
//! other side's pool.

use super::{Damage, Each, MOST_MOVES, RecordedGame, RecordedMove, RecordedResult, quoted};
use nguky::game::{Position, Side};
use nguky::games::coup::Coup;
use serde_json::Value;

/// Whether a text looks like such a record.
pub fn is_record(text: &str) -> bool {
    text.trim_start().starts_with('{') && text.contains("\"initialFen\"")
}

/// Reads the game of a text.
pub fn read(text: &str, each: Each) {
    each(game(text));
}

/// The letter on a point of a FEN's board, named as in moves, `a0` the nearest left one of the first side.
fn letter_at(fen: &str, point: &str) -> Option<char> {
    let mut signs = point.bytes();
    let (file, rank) = (signs.next()?.checked_sub(b'a')?, signs.next()?.checked_sub(b'0')?);
    let row = fen
        .split(' ')
        .next()?
        .split('/')
        .nth(9usize.checked_sub(rank.into())?)?;
    let mut at = 0;
    for c in row.chars() {
        match c.to_digit(10) {
            Some(gap) => at += gap,
            None if at == u32::from(file) => return Some(c),
            None => at += 1,
        }
    }
    None
}

/// How many of a piece a FEN's pool has; none where it has no pool.
fn pooled(fen: &str, piece: char) -> Option<u32> {
    let is_pool = |w: &&str| w.len() > 1 && w.chars().all(char::is_alphanumeric) && w.starts_with(char::is_alphabetic);
    let pool = fen.split(' ').skip(1).find(is_pool)?;
    let (_, behind) = pool.split_once(piece).unwrap_or(("", "0"));
    behind.chars().next()?.to_digit(10)
}

fn game(text: &str) -> Result<RecordedGame, Damage> {
    let whole: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|e| Damage::new(e.line().max(1), e.column().max(1), format!("not JSON: {e}")))?;
    let bad = |what: String| Damage::new(1, 1, what);
    let meta = &whole["metadata"];
    let field = |name: &str| meta[name].as_str().unwrap_or("").to_string();
    let mut record = RecordedGame {
        line: 1,
        names: [field("white"), field("black")],
        comment: field("openingComment"),
        outcome: match meta["result"].as_str() {
            Some("1-0") => RecordedResult::Won(Side::First),
            Some("0-1") => RecordedResult::Won(Side::Second),
            Some("1/2-1/2") => RecordedResult::Drawn,
            _ => RecordedResult::Unknown,
        },
        ..RecordedGame::default()
    };
    for (name, tag) in [
        ("event", "Event"),
        ("site", "Site"),
        ("date", "Date"),
        ("round", "Round"),
    ] {
        if let Some(value) = meta[name].as_str() {
            record.tags.push((tag.into(), value.into()));
        }
    }
    let initial = field("initialFen");
    let setup: Vec<&str> = initial.split_whitespace().filter(|w| *w != "-").collect();
    let mut pos = Coup::parse(&setup.join(" "), &Default::default())
        .map_err(|e| bad(format!("initialFen: {e}: {}", quoted(&initial))))?;
    record.setup = (pos.setup() != Coup::START).then(|| pos.setup());
    let moves = whole["moves"].as_array().map_or(&[][..], Vec::as_slice);
    if moves.len() > MOST_MOVES {
        return Err(bad(format!("more than {MOST_MOVES} moves in a game")));
    }
    let mut before = initial;
    for (i, one) in moves.iter().enumerate() {
        let bad = |what: String| Damage::new(1, 1, format!("move {}: {what}", i + 1));
        if one["type"].as_str().is_some_and(|t| t != "move") {
            return Err(bad(
                "the position was set up behind moves; such records are not read".into()
            ));
        }
        let (data, fen) = (one["data"].as_str().unwrap_or(""), one["fen"].as_str().unwrap_or(""));
        let illegal = || bad(format!("not a legal move here: {}", quoted(data)));
        let points: String = data.chars().take(4).collect();
        let m = pos.parse_move(&points).map_err(|_| illegal())?;
        let mut text = pos.move_text(m);
        let own = pos.side();
        let theirs = |c: char, side: Side| c.is_ascii_lowercase() == (side == Side::Second);
        if pos.turns_up(m) {
            let up = letter_at(fen, &text[2..4]).filter(|c| !matches!(c, 'x' | 'X') && theirs(*c, own));
            let up = up.ok_or_else(|| bad("its fen does not tell which piece was turned up".into()))?;
            text.push(up);
        }
        if pos.face_down(m.to()).is_some() {
            let kinds = "RNBACP"
                .chars()
                .map(|c| if own == Side::First { c.to_ascii_lowercase() } else { c });
            let gone = |c: &char| {
                pooled(&before, *c)
                    .zip(pooled(fen, *c))
                    .is_some_and(|(was, is)| is < was)
            };
            text.extend(kinds.clone().find(gone));
        }
        pos.play_text(&text).map_err(|_| illegal())?;
        let mut ply = RecordedMove::new(own, text);
        ply.comment = one["comment"].as_str().unwrap_or("").trim().into();
        let signs = ["!", "?", "!!", "??", "!?", "?!"];
        let nag = signs.iter().position(|s| one["annotation"].as_str() == Some(s));
        ply.nags.extend(nag.map(|n| n as u8 + 1));
        record.moves.push(ply);
        before = fen.to_string();
    }
    Ok(record)
}
