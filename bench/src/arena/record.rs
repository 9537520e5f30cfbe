//! Game records: PGN, with standard algebraic notation for chess.

use super::game::Played;
use nguky::game::{Kind, Moves, Position};
use nguky::games::chess::types::{KING, PAWN, kind};
use nguky::games::chess::{Chess, ChessMove};
use std::fmt::Write;

/// A game whose moves have a notation for people.
pub trait Recorded: Position {
    /// The move in that notation; `self` is the position before it.
    fn notation(&self, m: Self::Move) -> String;
}

impl Recorded for Chess {
    fn notation(&self, m: ChessMove) -> String {
        let mut after = self.clone();
        after.play(m);
        let mut text = if m.is_castle() {
            if m.to() > m.from() {
                "O-O".to_string()
            } else {
                "O-O-O".to_string()
            }
        } else {
            plain(self, m)
        };
        if after.in_check() {
            text.push(if after.count_legal() == 0 { '#' } else { '+' });
        }
        text
    }
}

fn square(s: u8) -> String {
    format!("{}{}", char::from(b'a' + s % 8), char::from(b'1' + s / 8))
}

/// A move that does not castle: piece, what tells it from its like, capture, target, promotion.
fn plain(p: &Chess, m: ChessMove) -> String {
    let letters = ["", "N", "B", "R", "Q", "K"];
    let piece = kind(p.piece_on(m.from()));
    let captures = m.is_en_passant() || p.tags(m).taken < 12;
    let mut text = letters[piece as usize].to_string();
    if piece == PAWN {
        if captures {
            text.push(char::from(b'a' + m.from() % 8));
        }
    } else if piece != KING {
        let mut moves = Moves::new();
        p.generate(Kind::All, &mut moves);
        let like =
            |o: &ChessMove| o.to() == m.to() && o.from() != m.from() && p.piece_on(o.from()) == p.piece_on(m.from());
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
        text += letters[m.promoted() as usize];
    }
    text
}

/// What the record's head says beside the game itself.
pub struct Head<'a> {
    pub names: [&'a str; 2],
    pub round: String,
    pub time_control: String,
    pub date: String,
}

/// One game as PGN.
pub fn pgn<P: Recorded>(head: &Head, g: &Played, rules: &P::Rules) -> String {
    let result = ["0-1", "1/2-1/2", "1-0"][usize::from(g.points.min(2))];
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        let _ = writeln!(
            text,
            "[{name} \"{}\"]",
            value.replace('\\', "\\\\").replace('"', "\\\"")
        );
    };
    tag("Event", "nguky match");
    tag("Site", "?");
    tag("Date", &head.date);
    tag("Round", &head.round);
    tag("White", head.names[0]);
    tag("Black", head.names[1]);
    tag("Result", result);
    tag("TimeControl", &head.time_control);
    tag(
        "Termination",
        if g.fault.is_some() {
            "rules infraction"
        } else {
            "normal"
        },
    );
    tag("PlyCount", &g.moves.len().to_string());
    if g.setup != P::START {
        tag("SetUp", "1");
        tag("FEN", &g.setup);
    }
    text.push('\n');
    let mut line = String::new();
    if let Ok(mut pos) = P::parse(&g.setup, rules) {
        let first = pos.game_ply();
        for (i, (mv, comment)) in g.moves.iter().enumerate() {
            let Ok(m) = pos.parse_move(mv) else { break };
            let ply = first + i;
            if ply % 2 == 0 {
                put(&mut text, &mut line, &format!("{}.", ply / 2 + 1));
            } else if i == 0 {
                put(&mut text, &mut line, &format!("{}...", ply / 2 + 1));
            }
            put(&mut text, &mut line, &pos.notation(m));
            put(&mut text, &mut line, &format!("{{{comment}}}"));
            pos.play(m);
        }
    }
    put(&mut text, &mut line, &format!("{{{}}}", g.reason));
    put(&mut text, &mut line, result);
    text + &line + "\n\n"
}

/// Adds a word, breaking the line before column 80.
fn put(text: &mut String, line: &mut String, word: &str) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn notation(fen: &str, mv: &str) -> String {
        let p = Chess::parse(fen, &Default::default()).expect("a position");
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
    }
}
