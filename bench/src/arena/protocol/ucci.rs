//! The Universal Chinese Chess Protocol.

use super::{EngineLine, EngineScore, Orders, Protocol, uci};
use crate::arena::player::Pace;
use std::fmt::Write;

/// UCCI 3.0, with clocks in milliseconds.
pub struct UcciClient;

impl Protocol for UcciClient {
    fn hello(&self) -> (&'static str, &'static str) {
        ("ucci", "ucciok")
    }

    fn declared(&self, line: &str) -> Option<String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        // Some engines declare options as in UCI.
        match words.as_slice() {
            ["option", "name", ..] => uci::UciClient.declared(line),
            ["option", name, "type", ..] => Some((*name).to_string()),
            _ => None,
        }
    }

    fn option(&self, name: &str, value: &str) -> String {
        format!("setoption {name} {value}").trim_end().to_string()
    }

    fn ping(&self) -> (&'static str, &'static str) {
        ("isready", "readyok")
    }

    fn new_game(&self) -> &'static str {
        // The unit of the clocks is sent before each game: engines ignore what they do not know.
        "setoption usemillisec true\nsetoption newgame"
    }

    fn position(&self, setup: &str, moves: &[String]) -> String {
        uci::UciClient.position(setup, moves)
    }

    fn go(&self, o: &Orders) -> String {
        match o.pace {
            Pace::Clock { .. } => {
                let [own, other] = [o.mover, 1 - o.mover];
                // A byoyomi comes with each move like an increment, but what is left of it is lost.
                let ms = |times: [std::time::Duration; 2], side: usize| (times[side] + o.byoyomi).as_millis();
                let mut line = format!("go time {}", ms(o.clocks, own));
                match o.moves_to_go {
                    Some(n) => {
                        let _ = write!(line, " movestogo {n}");
                    }
                    None => {
                        let _ = write!(line, " increment {}", ms(o.increments, own));
                    }
                }
                let _ = write!(
                    line,
                    " opptime {} oppincrement {}",
                    ms(o.clocks, other),
                    ms(o.increments, other)
                );
                line
            }
            // There is no time for one move, but a clock for one move.
            Pace::MoveTime(t) => format!("go time {} movestogo 1", t.as_millis()),
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
            ["nobestmove", ..] => EngineLine::Best(String::new()),
            ["info", "message", ..] => EngineLine::Other,
            ["info", rest @ ..] => {
                let EngineLine::Info { depth, nodes, score } = uci::UciClient.read(line) else {
                    return EngineLine::Other;
                };
                EngineLine::Info {
                    depth,
                    nodes,
                    score: score.or_else(|| bare(rest)),
                }
            }
            _ => uci::UciClient.read(line),
        }
    }
}

/// A score without a word for its unit.
fn bare(words: &[&str]) -> Option<EngineScore> {
    let at = words.iter().position(|&w| w == "score")?;
    words.get(at + 1)?.parse().ok().map(EngineScore::Centipawns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn lines_are_read() {
        let info = |score| EngineLine::Info {
            depth: Some(9),
            nodes: None,
            score: Some(score),
        };
        assert_eq!(
            UcciClient.read("info depth 9 score -31 pv h2e2"),
            info(EngineScore::Centipawns(-31))
        );
        assert_eq!(
            UcciClient.read("info depth 9 score mate -1"),
            info(EngineScore::Mate(-1))
        );
        assert_eq!(
            UcciClient.read("bestmove h2e2 ponder h9g7"),
            EngineLine::Best("h2e2".into())
        );
        assert_eq!(UcciClient.read("nobestmove"), EngineLine::Best(String::new()));
        let declared = |line| UcciClient.declared(line);
        assert_eq!(
            declared("option hashsize type spin min 0 max 9 default 1"),
            Some("hashsize".into())
        );
        assert_eq!(declared("option name Hash type spin default 16"), Some("Hash".into()));
    }

    #[test]
    fn the_mover_has_its_own_clock_first() {
        let orders = Orders {
            pace: Pace::clock("2+0.02").expect("a clock"),
            mover: 1,
            clocks: [Duration::from_millis(1500), Duration::from_millis(2000)],
            increments: [Duration::from_millis(10), Duration::from_millis(20)],
            byoyomi: Duration::ZERO,
            moves_to_go: None,
        };
        assert_eq!(
            UcciClient.go(&orders),
            "go time 2000 increment 20 opptime 1500 oppincrement 10"
        );
    }
}
