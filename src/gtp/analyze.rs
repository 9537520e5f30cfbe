//! Analysis streams: at each interval a line with all moves, while the search runs.

use super::bad;
use crate::game::{BadInput, Side};
use crate::games::go::{Board, Game, coords};
use crate::mcts::{Analysis, Ban, Candidate};
use std::time::{Duration, Instant};

/// How the lines are written.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum StreamStyle {
    /// As Leela Zero: whole numbers, ten thousand times the chance.
    Leela,
    /// As KataGo: decimal fractions and more fields.
    Kata,
}

/// What a command for a stream asks for.
pub struct Stream {
    style: StreamStyle,
    /// The side to move.
    pub side: Side,
    interval: Duration,
    /// When the next line is due.
    pub due: Option<Instant>,
    min_moves: usize,
    max_moves: usize,
    /// What `key true` asks for, by [`EXTRAS`].
    extras: [bool; EXTRAS.len()],
    /// Moves that the search leaves out.
    pub bans: Vec<Ban>,
}

/// Keys of further output.
const EXTRAS: [&str; 8] = [
    "rootInfo",
    "ownership",
    "ownershipStdev",
    "movesOwnership",
    "pvVisits",
    "pvEdgeVisits",
    "movesOwnershipStdev",
    "noResultValue",
];

impl Stream {
    fn wants(&self, extra: &str) -> bool {
        EXTRAS.iter().zip(self.extras).any(|(name, on)| on && *name == extra)
    }

    /// Sets when the next line is due.
    pub fn wait(&mut self) {
        self.due = Instant::now().checked_add(self.interval);
    }

    /// Reads the arguments of a command: `[COLOUR] [CENTISECONDS] [KEY VALUE..]..`.
    pub fn parse(game: &Game, style: StreamStyle, args: &[&str]) -> Result<Self, BadInput> {
        let mut stream = Self {
            style,
            side: game.side(),
            interval: Duration::from_millis(1000),
            due: None,
            min_moves: 0,
            max_moves: usize::MAX,
            extras: [false; EXTRAS.len()],
            bans: Vec::new(),
        };
        let mut words = args.iter();
        while let Some(&word) = words.next() {
            if let Ok(side) = coords::parse_side(word) {
                stream.side = side;
                continue;
            }
            if let Some(interval) = centiseconds(word) {
                stream.interval = interval;
                continue;
            }
            let value = words.next().copied().unwrap_or("");
            let number = || {
                value
                    .parse::<usize>()
                    .or_else(|_| bad(format!("{word} needs a number")))
            };
            match word {
                "interval" => match centiseconds(value) {
                    Some(interval) => stream.interval = interval,
                    None => return bad("interval needs centiseconds"),
                },
                "minmoves" => stream.min_moves = number()?,
                "maxmoves" => stream.max_moves = number()?,
                "avoid" | "allow" => {
                    let side = coords::parse_side(value)?;
                    let list = words.next().copied().unwrap_or("");
                    let plies = words.next().copied().unwrap_or("").parse::<usize>();
                    let Some(plies) = plies.ok().filter(|&n| n > 0) else {
                        return bad(format!("{word} needs a colour, moves and a depth"));
                    };
                    let moves = list
                        .split(',')
                        .map(|v| coords::parse(game.board(), v))
                        .collect::<Result<_, _>>()?;
                    let others = word == "allow";
                    stream.bans.push(Ban {
                        side,
                        moves,
                        plies,
                        others,
                    });
                }
                _ if EXTRAS.contains(&word) => {
                    for (on, name) in stream.extras.iter_mut().zip(EXTRAS) {
                        *on |= name == word && value == "true";
                    }
                }
                _ => return bad(format!("unknown analysis option {word:?}")),
            }
        }
        Ok(stream)
    }

    /// One line of all moves; nothing before the first visit.
    pub fn line(&self, board: &Board, analysis: &Analysis) -> Option<String> {
        let mut parts = Vec::new();
        let least = self.min_moves.max(1);
        for (order, m) in analysis.moves.iter().enumerate().take(self.max_moves) {
            if m.visits > 0 || order < least {
                parts.push(self.info(board, order, m));
            }
        }
        if parts.is_empty() {
            return None;
        }
        if self.wants("rootInfo") {
            let a = analysis;
            parts.push(format!(
                "rootInfo visits {} utility {:.6} winrate {:.6} scoreMean {3:.4} scoreStdev {4:.4} scoreLead {3:.4} \
                 scoreSelfplay {3:.4} weight {5:.2}",
                a.visits, a.utility, a.value, a.score, a.stdev, a.weight
            ));
        }
        let sign = if self.side == Side::First { 1.0 } else { -1.0 };
        if self.wants("ownership") {
            parts.push(points(board, "ownership", &analysis.ownership, sign));
        }
        if self.wants("ownershipStdev") {
            parts.push(points(board, "ownershipStdev", &analysis.ownership_stdev, 1.0));
        }
        Some(parts.join(" "))
    }

    /// The fields of one move.
    fn info(&self, board: &Board, order: usize, m: &Candidate) -> String {
        let mv = coords::text(board, m.mv);
        let whole = |x: f32| (x * 10_000.0).round() as i32;
        let mut line = match self.style {
            StreamStyle::Leela => format!(
                "info move {mv} visits {} winrate {} prior {} lcb {} scoreLead {:.2} order {order}",
                m.visits,
                whole(m.value),
                whole(m.prior),
                whole(m.lcb.clamp(0.0, 1.0)),
                m.score
            ),
            StreamStyle::Kata => format!(
                "info move {mv} visits {0} edgeVisits {0} utility {1:.6} winrate {2:.6} scoreMean {3:.4} scoreStdev {4:.4} \
                 scoreLead {3:.4} scoreSelfplay {3:.4} prior {5:.6} lcb {6:.6} utilityLcb {7:.6} weight {8:.2} order {order}",
                m.visits, m.utility, m.value, m.score, m.stdev, m.prior, m.lcb, m.utility_lcb, m.weight
            ),
        };
        line += " pv";
        for &p in &m.pv {
            line += &format!(" {}", coords::text(board, p));
        }
        for key in ["pvVisits", "pvEdgeVisits"] {
            if self.wants(key) {
                line += &format!(" {key}");
                m.pv_visits.iter().for_each(|n| line += &format!(" {n}"));
            }
        }
        if self.wants("movesOwnership") {
            let owner = if m.ownership.is_empty() {
                vec![0.0; board.area()]
            } else {
                m.ownership.clone()
            };
            let sign = if self.side == Side::First { 1.0 } else { -1.0 };
            line += &format!(" {}", points(board, "movesOwnership", &owner, sign));
        }
        line
    }
}

fn centiseconds(word: &str) -> Option<Duration> {
    let n: f64 = word.parse().ok()?;
    (0.0..1e9)
        .contains(&n)
        .then(|| Duration::from_secs_f64((n / 100.0).max(0.01)))
}

/// A number for each point, the top row first.
fn points(board: &Board, key: &str, values: &[f32], sign: f32) -> String {
    let mut text = key.to_string();
    for y in (0..board.size()).rev() {
        for x in 0..board.size() {
            let value = values.get(board.index(board.at(x, y))).copied().unwrap_or(0.0);
            text += &format!(" {:.4}", value * sign);
        }
    }
    text
}
