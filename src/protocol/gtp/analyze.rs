//! Analysis streams: lines while the search runs, until any input comes.

use super::{Args, Gtp, Request, bad};
use crate::control::Limits;
use crate::game::{BadInput, Side};
use crate::games::go::coords;
use crate::games::go::types::PASS;
use std::time::Duration;

/// How the lines are written.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Style {
    /// Whole numbers, ten thousand times the chance.
    Leela,
    /// Decimal fractions and more fields.
    Kata,
}

/// What a stream was asked for.
struct Wish {
    style: Style,
    side: Side,
    interval: Duration,
    min_moves: usize,
    max_moves: usize,
    ownership: bool,
    root: bool,
    only: Vec<String>,
    never: Vec<String>,
}

/// Whether a command answers with a stream of lines.
pub fn is_stream(name: &str) -> bool {
    NAMES.contains(&name)
}

/// The commands that do.
pub const NAMES: [&str; 7] = [
    "analyze",
    "lz-analyze",
    "kata-analyze",
    "genmove_analyze",
    "lz-genmove_analyze",
    "kata-genmove_analyze",
    "cgos-genmove_analyze",
];

fn wish(gtp: &Gtp, style: Style, args: &Args) -> Result<Wish, BadInput> {
    let mut wish = Wish {
        style,
        side: gtp.game().side(),
        interval: Duration::from_millis(1000),
        min_moves: 0,
        max_moves: usize::MAX,
        ownership: false,
        root: false,
        only: Vec::new(),
        never: Vec::new(),
    };
    let mut words = args.iter();
    while let Some(&word) = words.next() {
        if let Ok(side) = coords::parse_side(word) {
            wish.side = side;
            continue;
        }
        if let Some(interval) = centiseconds(word) {
            wish.interval = interval;
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
                Some(interval) => wish.interval = interval,
                None => return bad("interval needs centiseconds"),
            },
            "minmoves" => wish.min_moves = number()?,
            "maxmoves" => wish.max_moves = number()?,
            "ownership" => wish.ownership = value == "true",
            "rootInfo" => wish.root = value == "true",
            "ownershipStdev" | "movesOwnership" | "pvVisits" => {}
            "avoid" | "allow" => {
                let side = coords::parse_side(value)?;
                let list = words.next().copied().unwrap_or("");
                let depth = words.next().copied().unwrap_or("");
                if depth.parse::<u32>().is_err() {
                    return bad(format!("{word} needs a colour, moves and a depth"));
                }
                for vertex in list.split(',') {
                    gtp.point(vertex)?;
                    let target = if word == "avoid" {
                        &mut wish.never
                    } else {
                        &mut wish.only
                    };
                    if side == wish.side {
                        target.push(vertex.to_string());
                    }
                }
            }
            _ => return bad(format!("unknown analysis option {word:?}")),
        }
    }
    Ok(wish)
}

fn centiseconds(word: &str) -> Option<Duration> {
    let n: f64 = word.parse().ok()?;
    (0.0..1e9)
        .contains(&n)
        .then(|| Duration::from_secs_f64((n / 100.0).max(0.01)))
}

impl Gtp {
    /// Answers a streaming command.
    pub(super) fn stream(&mut self, request: &Request) {
        let style = if request.name.starts_with("lz-") || !request.name.contains('-') {
            Style::Leela
        } else {
            Style::Kata
        };
        let generates = request.name.contains("genmove");
        let wish = match wish(self, style, &request.args) {
            Ok(wish) => wish,
            Err(why) => {
                self.say(&format!("?{} {}\n\n", request.id, why.text()));
                return;
            }
        };
        let limits = Limits {
            searchmoves: wish.only.clone(),
            banmoves: wish.never.clone(),
            ..Limits::default()
        };
        self.say(&format!("={}\n", request.id));
        if generates {
            let interval = wish.interval;
            let played = self.genmove(wish.side, interval, &mut |gtp| gtp.tell(&wish));
            self.tell(&wish);
            match played {
                Ok(text) => self.say(&format!("play {text}\n\n")),
                Err(_) => self.say("play pass\n\n"),
            }
            return;
        }
        let limits = Limits {
            infinite: true,
            ..limits
        };
        // The turn of the game is left as it is.
        let turn = self.game().side();
        if self.start(wish.side, limits).is_ok() {
            while !self.interrupted(wish.interval) {
                self.tell(&wish);
            }
            crate::engine::Engine::stop(&self.engine);
            crate::engine::Engine::wait(&mut self.engine);
        }
        if turn != self.game().side() {
            let mut game = self.game().clone();
            game.set_side(turn);
            self.engine.set_game(game);
        }
        self.say("\n");
        self.gather();
    }

    /// One line of all moves.
    fn tell(&mut self, wish: &Wish) {
        let analysis = self.engine.analysis();
        let board = self.game().board();
        let mut line = String::new();
        let least = wish.min_moves.max(1);
        for (order, m) in analysis.moves.iter().enumerate().take(wish.max_moves) {
            if m.visits == 0 && order >= least {
                break;
            }
            let mv = coords::text(board, m.mv);
            let pv: Vec<String> = m.pv.iter().map(|&p| coords::text(board, p)).collect();
            let pv = pv.join(" ");
            let whole = |x: f32| (x.clamp(0.0, 1.0) * 10_000.0) as u32;
            line += &match wish.style {
                Style::Leela => format!(
                    "info move {mv} visits {} winrate {} prior {} lcb {} scoreLead {:.2} order {order} pv {pv} ",
                    m.visits,
                    whole(m.value),
                    whole(m.prior),
                    whole(m.lcb),
                    m.score
                ),
                Style::Kata => format!(
                    "info move {mv} visits {0} utility {1:.6} winrate {2:.6} scoreMean {3:.4} scoreStdev 0 scoreLead {3:.4} \
                     scoreSelfplay {3:.4} prior {4:.6} lcb {5:.6} utilityLcb {6:.6} weight {0} order {order} pv {pv} ",
                    m.visits,
                    m.value * 2.0 - 1.0,
                    m.value,
                    m.score,
                    m.prior,
                    m.lcb,
                    m.lcb * 2.0 - 1.0
                ),
            };
        }
        if line.is_empty() {
            return;
        }
        if wish.root {
            line += &format!(
                "rootInfo visits {} utility {:.6} winrate {:.6} scoreLead {:.4} ",
                analysis.visits,
                analysis.value * 2.0 - 1.0,
                analysis.value,
                analysis.score
            );
        }
        if wish.ownership {
            let sign = if wish.side == Side::First { 1.0 } else { -1.0 };
            let size = board.size();
            line += "ownership";
            for y in (0..size).rev() {
                for x in 0..size {
                    let p = board.at(x, y);
                    debug_assert!(p != PASS);
                    let owner = analysis.ownership.get(board.index(p)).copied().unwrap_or(0.0);
                    line += &format!(" {:.4}", owner * sign);
                }
            }
        }
        let line = format!("{}\n", line.trim_end());
        self.say(&line);
    }
}
