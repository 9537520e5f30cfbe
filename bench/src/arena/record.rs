//! Game records: PGN, and what else a game knows.

use super::game::{Fault, Played};
use crate::notation::Notation;
use nguky::game::Position;
use std::fmt::Write;

/// How every PGN begins.
pub const FIRST_LINE: &str = "[Event \"";

/// What the record's head says beside the game itself.
pub struct RecordHead<'a> {
    /// What the game was played for, such as `nguky match`.
    pub event: &'a str,
    pub names: [&'a str; 2],
    pub round: String,
    pub time_control: String,
    pub date: String,
}

/// A format of records.
#[derive(Clone, Copy)]
pub struct Format {
    /// The ending of its files' names.
    pub ending: &'static str,
    /// How every record, and nothing else in it, begins.
    pub first_line: &'static str,
    /// One game.
    pub write: fn(&RecordHead, &Played) -> String,
}

/// PGN, which every game has.
pub fn pgn_of<P: Notation>() -> Format {
    Format {
        ending: "pgn",
        first_line: FIRST_LINE,
        write: |head, g| pgn(head, g, &[], |p: &P, m, _| p.notation(m)),
    }
}

/// One game as PGN, with further tags, its moves written by `say`, which also gets each move's own text.
pub fn pgn<P: Position>(
    head: &RecordHead,
    g: &Played,
    tags: &[(&str, &str)],
    say: fn(&P, P::Move, &str) -> String,
) -> String {
    let result = match g.unfinished {
        true => "*",
        false => ["0-1", "1/2-1/2", "1-0"][usize::from(g.points.min(2))],
    };
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        let _ = writeln!(
            text,
            "[{name} \"{}\"]",
            value.replace('\\', "\\\\").replace('"', "\\\"")
        );
    };
    tag("Event", head.event);
    tag("Site", "?");
    tag("Date", &head.date);
    tag("Round", &head.round);
    tag("White", head.names[0]);
    tag("Black", head.names[1]);
    tag("Result", result);
    tag("TimeControl", &head.time_control);
    tag("Termination", termination(g));
    tag("PlyCount", &g.moves.len().to_string());
    if P::NAME != "chess" {
        tag("Variant", P::NAME);
    }
    for (name, value) in tags {
        tag(name, value);
    }
    if g.setup != P::START {
        tag("SetUp", "1");
        tag("FEN", &g.setup);
    }
    text.push('\n');
    let mut line = String::new();
    if let Ok(mut pos) = P::parse(&g.setup, &P::Rules::default()) {
        let first = pos.game_ply();
        for (i, (mv, comment)) in g.moves.iter().enumerate() {
            let Ok(m) = pos.parse_move(mv) else { break };
            let ply = first + i;
            if ply % 2 == 0 {
                put(&mut text, &mut line, &format!("{}.", ply / 2 + 1));
            } else if i == 0 {
                put(&mut text, &mut line, &format!("{}...", ply / 2 + 1));
            }
            put(&mut text, &mut line, &say(&pos, m, mv));
            if !comment.is_empty() {
                put(&mut text, &mut line, &format!("{{{comment}}}"));
            }
            if pos.play_text(mv).is_err() {
                break;
            }
        }
    }
    put(&mut text, &mut line, &format!("{{{}}}", g.reason));
    put(&mut text, &mut line, result);
    text + &line + "\n\n"
}

/// The end in the words of the PGN standard.
fn termination(g: &Played) -> &'static str {
    match g.fault {
        _ if g.unfinished => "unterminated",
        Some((_, Fault::TimeLoss)) => "time forfeit",
        Some((_, Fault::IllegalMove)) => "rules infraction",
        Some((_, Fault::Disconnect | Fault::Stall)) => "abandoned",
        None if g.adjudicated => "adjudication",
        None => "normal",
    }
}

/// Adds a word, breaking the line before column 80.
pub fn put(text: &mut String, line: &mut String, word: &str) {
    if !line.is_empty() && line.len() + 1 + word.len() > 79 {
        text.push_str(line);
        text.push('\n');
        line.clear();
    }
    if !line.is_empty() {
        line.push(' ');
    }
    line.push_str(word);
}
