//! Records of go: SGF FF[4], one game tree after the other.

use super::game::{Fault, Played};
use super::record::RecordHead;
use nguky::games::go::types::BLACK;
use nguky::games::go::{Game, PASS, Point};
use sgf_parse::go::{Move, Point as SgfPoint, Prop};
use sgf_parse::{SgfNode, SimpleText, Text};

/// How every record begins.
pub const FIRST_LINE: &str = "(;GM[1]FF[4]CA[UTF-8]AP[nguky";

/// A game; its first `opening` moves were not the engines'.
pub fn write(head: &RecordHead, game: &Game, opening: usize, played: &Played) -> String {
    let simple = |text: &str| SimpleText { text: text.into() };
    let size = game.board().size();
    let place = |p: Point| {
        let (x, y) = game.board().xy(p);
        SgfPoint {
            x: x as u8,
            y: (size - 1 - y) as u8,
        }
    };
    let mut node: Option<SgfNode<Prop>> = None;
    // A node holds what follows it, so the last move comes first.
    for (i, &(c, p)) in game.moves().iter().enumerate().rev() {
        let mv = if p == PASS { Move::Pass } else { Move::Move(place(p)) };
        let mut properties = vec![if c == BLACK { Prop::B(mv) } else { Prop::W(mv) }];
        let comment = match i.checked_sub(opening) {
            None => Some("opening"),
            Some(i) => played.moves.get(i).map(|(_, comment)| comment.as_str()),
        };
        properties.extend(comment.map(|text| Prop::C(Text { text: text.into() })));
        node = Some(SgfNode::new(properties, node.into_iter().collect(), false));
    }
    let root = vec![
        Prop::GM(1),
        Prop::FF(4),
        Prop::CA(simple("UTF-8")),
        Prop::AP((simple("nguky"), simple(env!("CARGO_PKG_VERSION")))),
        // As one number: the standard calls two equal ones an error.
        Prop::Unknown("SZ".into(), vec![size.to_string()]),
        Prop::KM(f64::from(game.komi())),
        Prop::RU(simple(game.rules().name)),
        Prop::EV(simple(head.event)),
        Prop::RO(simple(&head.round)),
        Prop::DT(simple(&head.date.replace('.', "-"))),
        Prop::PB(simple(head.names[0])),
        Prop::PW(simple(head.names[1])),
        Prop::OT(simple(&head.time_control)),
        Prop::RE(simple(&result(played))),
        Prop::GC(Text {
            text: played.reason.clone(),
        }),
    ];
    SgfNode::new(root, node.into_iter().collect(), true).serialize() + "\n"
}

/// The result in SGF's words.
fn result(played: &Played) -> String {
    if played.unfinished {
        return "Void".into();
    }
    let winner = match played.points {
        0 => 'W',
        1 => return "0".into(),
        _ => 'B',
    };
    match played.fault {
        Some((_, Fault::TimeLoss)) => format!("{winner}+T"),
        Some(_) => format!("{winner}+F"),
        None if played.reason == "resignation" => format!("{winner}+R"),
        None if played.reason.starts_with(winner) => played.reason.clone(),
        None => format!("{winner}+"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nguky::games::go::{Rules, coords};

    #[test]
    fn a_record_reads_back() {
        let mut game = Game::new(9, Rules::CHINESE).expect("a board");
        for text in ["E5", "C3", "pass"] {
            let p = coords::parse(game.board(), text).expect("a vertex");
            game.play(p, game.side()).expect("legal");
        }
        let played = Played {
            points: 2,
            reason: "B+3.5".into(),
            moves: vec![("C3".into(), "0.100s".into()), ("pass".into(), "0.200s".into())],
            ..Played::default()
        };
        let head = RecordHead {
            event: "nguky match",
            names: ["A]B", "C"],
            round: "1.1".into(),
            time_control: "1/move".into(),
            date: "2026.01.02".into(),
        };
        let stopped = Played {
            unfinished: true,
            ..played.clone()
        };
        let text = write(&head, &game, 1, &stopped);
        assert!(text.contains("RE[Void]") && text.contains("EV[nguky match]"), "{text}");
        let text = write(&head, &game, 1, &played);
        assert!(text.starts_with(FIRST_LINE), "{text}");
        assert!(
            text.contains("SZ[9]KM[7.5]RU[chinese]") && text.contains("RE[B+3.5]"),
            "{text}"
        );
        assert!(text.contains(";B[ee]C[opening];W[cg]C[0.100s];B[]C[0.200s])"), "{text}");
        let read = sgf_parse::go::parse(&text).expect("SGF");
        assert_eq!((read.len(), read[0].main_variation().count()), (1, 4));
        let name = read[0].get_property("PB").map(ToString::to_string);
        assert_eq!(name.as_deref(), Some("PB[A\\]B]"));
    }
}
