//! One refereed game.

use super::player::{Failure, Pace, Player, Thought};
use nguky::game::{Position, Side, Verdict};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::time::Duration;

/// How a game ended, as counted by the match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fault {
    TimeLoss,
    IllegalMove,
    Disconnect,
    Stall,
}

/// A finished game.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Played {
    /// Points of the side that moves first, doubled: 2, 1 or 0.
    pub points: u8,
    pub reason: String,
    /// Which side (0 or 1) was at fault and how.
    pub fault: Option<(usize, Fault)>,
    pub setup: String,
    /// Move texts in the protocol's coordinates with a comment each.
    pub moves: Vec<(String, String)>,
    /// Nodes, thinking seconds and summed depth by side.
    pub nodes: [u64; 2],
    pub seconds: [f64; 2],
    pub depths: [u64; 2],
}

/// What the referee allows.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    pub paces: [Pace; 2],
    pub margin: Duration,
    /// Plies after which a game is called drawn.
    pub longest: usize,
}

/// How long an engine is waited for beyond its time before it counts as stalled.
const PATIENCE: Duration = Duration::from_secs(10);
/// And where it has no clock.
const NO_CLOCK: Duration = Duration::from_secs(120);

/// Plays a game between `players[0]`, who moves first in the game's array, and `players[1]`.
pub fn play<P: Position>(start: &P, players: [&mut Player; 2], terms: Terms) -> Played {
    let mut pos = start.clone();
    let mut played = Played {
        setup: start.setup(),
        ..Played::default()
    };
    let mut clocks = terms.paces.map(|p| {
        if let Pace::Clock(main, _) = p {
            main
        } else {
            Duration::ZERO
        }
    });
    let mut texts = String::new();
    let [first, second] = players;
    for (side, player) in [&mut *first, &mut *second].into_iter().enumerate() {
        if let Err(f) = player.new_game() {
            return lost(played, side, fault(f));
        }
    }
    loop {
        let side = pos.side().index();
        if let Some(end) = pos.ended() {
            played.points = points(end.verdict, pos.side());
            played.reason = end.reason.to_string();
            return played;
        }
        if played.moves.len() >= terms.longest {
            (played.points, played.reason) = (1, "adjudicated: too long".into());
            return played;
        }
        let player = if side == 0 { &mut *first } else { &mut *second };
        let position = format!("position fen {}{texts}", played.setup);
        let (go, limit) = orders(terms.paces, clocks, side, terms.margin);
        let thought = match player.think(&position, &go, limit) {
            Ok(thought) => thought,
            Err(f) => return lost(played, side, fault(f)),
        };
        played.nodes[side] += thought.nodes;
        played.seconds[side] += thought.time.as_secs_f64();
        played.depths[side] += u64::from(thought.depth);
        if late(terms, &mut clocks[side], side, thought.time) {
            return lost(played, side, Fault::TimeLoss);
        }
        let Ok(mv) = pos.parse_move(&thought.mv) else {
            let mut played = lost(played, side, Fault::IllegalMove);
            let _ = write!(played.reason, " {:?}", thought.mv);
            return played;
        };
        if texts.is_empty() {
            texts += " moves";
        }
        let text = pos.move_text(mv);
        let _ = write!(texts, " {text}");
        played.moves.push((text, comment(&thought)));
        pos.play(mv);
    }
}

fn points(v: Verdict, side: Side) -> u8 {
    match (v, side) {
        (Verdict::Draw, _) => 1,
        (Verdict::Win, Side::First) | (Verdict::Loss, Side::Second) => 2,
        _ => 0,
    }
}

fn fault(f: Failure) -> Fault {
    match f {
        Failure::Disconnect => Fault::Disconnect,
        Failure::Stall => Fault::Stall,
    }
}

fn lost(mut played: Played, side: usize, fault: Fault) -> Played {
    played.points = if side == 0 { 0 } else { 2 };
    played.fault = Some((side, fault));
    let what = match fault {
        Fault::TimeLoss => "time forfeit",
        Fault::IllegalMove => "illegal move",
        Fault::Disconnect => "disconnect",
        Fault::Stall => "stall",
    };
    played.reason = format!("{what} of {}", ["the first side", "the second side"][side]);
    played
}

/// The `go` line and how long to wait for its answer.
fn orders(paces: [Pace; 2], clocks: [Duration; 2], side: usize, margin: Duration) -> (String, Duration) {
    match paces[side] {
        Pace::Clock(..) => {
            let inc = paces.map(|p| {
                if let Pace::Clock(_, inc) = p {
                    inc.as_millis()
                } else {
                    0
                }
            });
            let [w, b] = clocks.map(|c| c.as_millis());
            (
                format!("go wtime {w} btime {b} winc {} binc {}", inc[0], inc[1]),
                clocks[side] + margin + PATIENCE,
            )
        }
        Pace::MoveTime(t) => (format!("go movetime {}", t.as_millis()), t + margin + PATIENCE),
        Pace::Nodes(n) => (format!("go nodes {n}"), NO_CLOCK),
        Pace::Depth(d) => (format!("go depth {d}"), NO_CLOCK),
    }
}

/// Takes the time off the clock; whether the flag fell.
fn late(terms: Terms, clock: &mut Duration, side: usize, used: Duration) -> bool {
    match terms.paces[side] {
        Pace::Clock(_, inc) => {
            let late = used > *clock + terms.margin;
            *clock = clock.saturating_sub(used) + inc;
            late
        }
        Pace::MoveTime(t) => used > t + terms.margin,
        _ => false,
    }
}

fn comment(t: &Thought) -> String {
    let score = match t.score.split_once(' ') {
        Some(("cp", v)) => v
            .parse::<f64>()
            .map(|cp| format!("{:+.2}", cp / 100.0))
            .unwrap_or_default(),
        Some(("mate", v)) => format!("M{v}"),
        _ => String::new(),
    };
    format!("{score}/{} {:.3}s", t.depth, t.time.as_secs_f64())
}
