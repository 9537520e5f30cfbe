//! The Universal Chess Interface.

use super::{EngineLine, EngineScore, Orders, Protocol};
use crate::arena::player::Pace;
use std::fmt::Write;

/// UCI.
pub struct UciClient;

impl Protocol for UciClient {
    fn hello(&self) -> (&'static str, &'static str) {
        ("uci", "uciok")
    }

    fn declared(&self, line: &str) -> Option<String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let ["option", "name", rest @ ..] = words.as_slice() else {
            return None;
        };
        let end = rest.iter().position(|&w| w == "type")?;
        Some(rest[..end].join(" "))
    }

    fn option(&self, name: &str, value: &str) -> String {
        match value {
            // A button has no value.
            "" => format!("setoption name {name}"),
            _ => format!("setoption name {name} value {value}"),
        }
    }

    fn ping(&self) -> (&'static str, &'static str) {
        ("isready", "readyok")
    }

    fn new_game(&self) -> &'static str {
        "ucinewgame"
    }

    fn position(&self, setup: &str, moves: &[String]) -> String {
        let mut line = format!("position fen {setup}");
        if !moves.is_empty() {
            line += " moves";
        }
        for m in moves {
            line.push(' ');
            line += m;
        }
        line
    }

    fn go(&self, o: &Orders) -> String {
        match o.pace {
            Pace::Clock { .. } => {
                // There is no byoyomi: it comes with each move like an increment, but what is left of it is lost.
                let [white, black] = o.clocks.map(|c| (c + o.byoyomi).as_millis());
                let [winc, binc] = o.increments.map(|c| (c + o.byoyomi).as_millis());
                let mut line = format!("go wtime {white} btime {black} winc {winc} binc {binc}");
                if let Some(n) = o.moves_to_go {
                    let _ = write!(line, " movestogo {n}");
                }
                line
            }
            Pace::MoveTime(t) => format!("go movetime {}", t.as_millis()),
            Pace::Nodes(n) => format!("go nodes {n}"),
            Pace::Depth(d) => format!("go depth {d}"),
            Pace::Own => "go".into(),
        }
    }

    fn quit(&self) -> &'static str {
        "quit"
    }

    fn read(&self, line: &str) -> EngineLine {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["bestmove", rest @ ..] => EngineLine::Best(rest.first().copied().unwrap_or_default().to_string()),
            ["info", "string", ..] => EngineLine::Other,
            ["info", rest @ ..] => info(rest),
            _ => EngineLine::Other,
        }
    }
}

/// Reads the fields before the line of moves; other lines than the best are not news.
fn info(words: &[&str]) -> EngineLine {
    let (mut depth, mut nodes, mut score) = (None, None, None);
    let mut rest = words;
    loop {
        rest = match rest {
            [] | ["pv" | "string", ..] => break,
            ["multipv", n, ..] if *n != "1" => return EngineLine::Other,
            ["depth", n, tail @ ..] => {
                depth = n.parse().ok();
                tail
            }
            ["nodes", n, tail @ ..] => {
                nodes = n.parse().ok();
                tail
            }
            ["score", "cp", n, tail @ ..] => {
                score = n.parse().ok().map(EngineScore::Centipawns);
                tail
            }
            ["score", "mate", n, tail @ ..] => {
                score = n.parse().ok().map(EngineScore::Mate);
                tail
            }
            // A bound is no score to resign on.
            ["lowerbound" | "upperbound", tail @ ..] => {
                score = None;
                tail
            }
            [_, tail @ ..] => tail,
        };
    }
    EngineLine::Info { depth, nodes, score }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn lines_are_read() {
        let info = |depth, nodes, score| EngineLine::Info { depth, nodes, score };
        assert_eq!(
            UciClient.read("bestmove e2e4 ponder e7e5"),
            EngineLine::Best("e2e4".into())
        );
        let declared = |line: &str| UciClient.declared(line);
        assert_eq!(
            declared("option name Clear Hash type button"),
            Some("Clear Hash".into())
        );
        assert_eq!((declared("option name Hash"), declared("id name type")), (None, None));
        assert_eq!(UciClient.read("bestmove"), EngineLine::Best(String::new()));
        assert_eq!(UciClient.read("info string depth 3 nodes 5"), EngineLine::Other);
        assert_eq!(UciClient.read("info multipv 2 depth 3 score cp 1"), EngineLine::Other);
        assert_eq!(
            UciClient.read("info depth 9 seldepth 12 multipv 1 score cp -31 nodes 77 nps 9 pv e2e4 depth 4"),
            info(Some(9), Some(77), Some(EngineScore::Centipawns(-31)))
        );
        assert_eq!(
            UciClient.read("info depth 5 score mate -2 nodes x"),
            info(Some(5), None, Some(EngineScore::Mate(-2)))
        );
        assert_eq!(
            UciClient.read("info depth 5 score cp 20 upperbound nodes 3"),
            info(Some(5), Some(3), None)
        );
    }

    #[test]
    fn orders_are_written() {
        let orders = Orders {
            pace: Pace::clock("40/2+0.02").expect("a clock"),
            mover: 0,
            clocks: [Duration::from_millis(1500), Duration::from_millis(2000)],
            increments: [Duration::from_millis(20); 2],
            byoyomi: Duration::ZERO,
            moves_to_go: Some(7),
        };
        assert_eq!(
            UciClient.go(&orders),
            "go wtime 1500 btime 2000 winc 20 binc 20 movestogo 7"
        );
        assert_eq!(
            UciClient.position("F w", &["a1a2".into(), "b1b2".into()]),
            "position fen F w moves a1a2 b1b2"
        );
        assert_eq!(UciClient.option("Clear Hash", ""), "setoption name Clear Hash");
    }
}
