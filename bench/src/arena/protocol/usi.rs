//! The Universal Shogi Interface.

use super::{EngineLine, EngineScore, Orders, Protocol, uci};
use crate::arena::player::Pace;
use std::fmt::Write;

/// USI.
pub struct UsiClient;

/// A mate of unknown length, in moves.
const FAR: i32 = 500;

impl Protocol for UsiClient {
    fn hello(&self) -> (&'static str, &'static str) {
        ("usi", "usiok")
    }

    fn declared(&self, line: &str) -> Option<String> {
        uci::UciClient.declared(line)
    }

    fn undeclared(&self, name: &str) -> bool {
        // Clients set these whether an engine lists them or not.
        ["USI_Hash", "USI_Ponder"].contains(&name)
    }

    fn option(&self, name: &str, value: &str) -> String {
        uci::UciClient.option(name, value)
    }

    fn ping(&self) -> (&'static str, &'static str) {
        ("isready", "readyok")
    }

    fn new_game(&self) -> &'static str {
        "usinewgame"
    }

    fn pings_often(&self) -> bool {
        // A ping prepares a game: some engines forget the position.
        false
    }

    fn claims(&self) -> bool {
        true
    }

    fn position(&self, setup: &str, moves: &[String]) -> String {
        let mut line = format!("position sfen {setup}");
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
                let [black, white] = o.clocks.map(|c| c.as_millis());
                let mut line = format!("go btime {black} wtime {white}");
                let [binc, winc] = o.increments.map(|c| c.as_millis());
                // Either a byoyomi or increments, never both.
                let _ = if o.byoyomi.is_zero() {
                    write!(line, " binc {binc} winc {winc}")
                } else {
                    write!(line, " byoyomi {}", o.byoyomi.as_millis())
                };
                line
            }
            _ => uci::UciClient.go(o),
        }
    }

    fn game_over(&self, points: u8) -> Option<&'static str> {
        Some(["gameover lose", "gameover draw", "gameover win"][usize::from(points.min(2))])
    }

    fn quit(&self) -> &'static str {
        "quit"
    }

    fn read(&self, line: &str) -> EngineLine {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["bestmove", "resign", ..] => EngineLine::Resign,
            ["bestmove", "win", ..] => EngineLine::Claim,
            ["info", rest @ ..] if rest.contains(&"mate") => mate(line, rest),
            _ => uci::UciClient.read(line),
        }
    }
}

/// Mates are counted in plies, and their length may be left out.
fn mate(line: &str, words: &[&str]) -> EngineLine {
    let EngineLine::Info { depth, nodes, .. } = uci::UciClient.read(line) else {
        return EngineLine::Other;
    };
    let at = words.windows(2).position(|w| w == ["score", "mate"]);
    let text = at.and_then(|i| words.get(i + 2)).copied().unwrap_or_default();
    let score = match (text, text.parse::<i32>()) {
        ("+" | "+0", _) => Some(FAR),
        ("-" | "-0", _) => Some(-FAR),
        (_, Ok(plies)) if plies > 0 => Some((plies + 1) / 2),
        (_, Ok(plies)) => Some(plies / 2),
        _ => None,
    };
    EngineLine::Info {
        depth,
        nodes,
        score: score.map(EngineScore::Mate),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn lines_are_read() {
        assert_eq!(
            UsiClient.read("bestmove P*5e ponder 5d5e"),
            EngineLine::Best("P*5e".into())
        );
        assert_eq!(UsiClient.read("bestmove resign"), EngineLine::Resign);
        assert_eq!(UsiClient.read("bestmove win"), EngineLine::Claim);
        for (text, moves) in [("3", 2), ("-4", -2), ("+", FAR), ("-0", -FAR), ("1", 1)] {
            let said = UsiClient.read(&format!("info depth 5 score mate {text} nodes 7 pv 7g7f"));
            let expected = EngineLine::Info {
                depth: Some(5),
                nodes: Some(7),
                score: Some(EngineScore::Mate(moves)),
            };
            assert_eq!(said, expected, "{text}");
        }
        assert_eq!(
            UsiClient.read("info depth 5 score cp -31 pv 7g7f"),
            EngineLine::Info {
                depth: Some(5),
                nodes: None,
                score: Some(EngineScore::Centipawns(-31))
            }
        );
        assert_eq!(
            UsiClient.declared("option name USI_Hash type spin default 1"),
            Some("USI_Hash".into())
        );
    }

    #[test]
    fn orders_are_written() {
        let ms = Duration::from_millis;
        let orders = |tc, byoyomi| Orders {
            pace: Pace::clock(tc).expect("a clock"),
            mover: 0,
            clocks: [ms(1500), ms(2000)],
            increments: [ms(20); 2],
            byoyomi: ms(byoyomi),
            moves_to_go: None,
        };
        assert_eq!(
            UsiClient.go(&orders("2+0.02", 0)),
            "go btime 1500 wtime 2000 binc 20 winc 20"
        );
        assert_eq!(
            UsiClient.go(&orders("2b0.1", 100)),
            "go btime 1500 wtime 2000 byoyomi 100"
        );
        let nodes = Orders {
            pace: Pace::Nodes(5),
            ..orders("1", 0)
        };
        assert_eq!(UsiClient.go(&nodes), "go nodes 5");
        assert_eq!(
            UsiClient.position("S b - 1", &["7g7f".into()]),
            "position sfen S b - 1 moves 7g7f"
        );
    }
}
