//! Analysis streams: lines while the search runs, until any input comes.

use super::{Args, Gtp, Request, bad};
use crate::control::Limits;
use crate::game::{BadInput, Side};
use crate::games::go::coords;
use crate::mcts::{Ban, Candidate, SearchParams};
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
    /// What `key true` asks for, by [`EXTRAS`].
    extras: [bool; EXTRAS.len()],
    bans: Vec<Ban>,
}

/// What may be asked for besides.
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

impl Wish {
    fn wants(&self, extra: &str) -> bool {
        EXTRAS.iter().zip(self.extras).any(|(name, on)| on && *name == extra)
    }
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
        extras: [false; EXTRAS.len()],
        bans: Vec::new(),
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
            "avoid" | "allow" => {
                let side = coords::parse_side(value)?;
                let list = words.next().copied().unwrap_or("");
                let plies = words.next().copied().unwrap_or("").parse::<usize>();
                let Some(plies) = plies.ok().filter(|&n| n > 0) else {
                    return bad(format!("{word} needs a colour, moves and a depth"));
                };
                let moves = list.split(',').map(|v| gtp.point(v)).collect::<Result<_, _>>()?;
                let others = word == "allow";
                wish.bans.push(Ban {
                    side,
                    moves,
                    plies,
                    others,
                });
            }
            _ if EXTRAS.contains(&word) => {
                for (on, name) in wish.extras.iter_mut().zip(EXTRAS) {
                    *on |= name == word && value == "true";
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
        let wish = match self.is_known().and_then(|()| wish(self, style, &request.args)) {
            Ok(wish) => wish,
            Err(why) => {
                self.say(&format!("?{} {}\n\n", request.id, why.text()));
                return;
            }
        };
        self.say(&format!("={}\n", request.id));
        self.engine.set_bans(wish.bans.clone());
        if generates {
            let interval = wish.interval;
            let played = self.genmove(wish.side, interval, &mut |gtp| gtp.tell(&wish));
            self.tell(&wish);
            self.engine.set_bans(Vec::new());
            match played {
                Ok(text) => {
                    self.say(&format!("play {text}\n\n"));
                    self.ponder();
                }
                Err(_) => self.say("play pass\n\n"),
            }
            return;
        }
        let limits = Limits {
            infinite: true,
            ..Limits::default()
        };
        // The turn of the game is left as it is, and so are the numbers of the search.
        let turn = self.game().side();
        let params = *self.engine.params();
        self.engine.set_params(SearchParams {
            wide_root: self.analysis_noise,
            ..params
        });
        if self.start(wish.side, limits).is_ok() {
            while !self.quit && !self.interrupted(wish.interval) {
                self.tell(&wish);
            }
            crate::control::Engine::stop(&self.engine);
            crate::control::Engine::wait(&mut self.engine);
        }
        self.engine.set_bans(Vec::new());
        self.engine.set_params(params);
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
        let mut parts = Vec::new();
        let least = wish.min_moves.max(1);
        for (order, m) in analysis.moves.iter().enumerate().take(wish.max_moves) {
            if m.visits > 0 || order < least {
                parts.push(self.info(wish, order, m));
            }
        }
        if parts.is_empty() {
            return;
        }
        if wish.wants("rootInfo") {
            let a = &analysis;
            parts.push(format!(
                "rootInfo visits {} utility {:.6} winrate {:.6} scoreMean {3:.4} scoreStdev {4:.4} scoreLead {3:.4} \
                 scoreSelfplay {3:.4} weight {5:.2}",
                a.visits, a.utility, a.value, a.score, a.stdev, a.weight
            ));
        }
        let sign = if wish.side == Side::First { 1.0 } else { -1.0 };
        if wish.wants("ownership") {
            parts.push(self.points("ownership", &analysis.ownership, sign));
        }
        if wish.wants("ownershipStdev") {
            parts.push(self.points("ownershipStdev", &analysis.ownership_stdev, 1.0));
        }
        self.say(&format!("{}\n", parts.join(" ")));
    }

    /// What is known of one move.
    fn info(&self, wish: &Wish, order: usize, m: &Candidate) -> String {
        let board = self.game().board();
        let mv = coords::text(board, m.mv);
        let whole = |x: f32| (x * 10_000.0).round() as i32;
        let mut line = match wish.style {
            Style::Leela => format!(
                "info move {mv} visits {} winrate {} prior {} lcb {} scoreLead {:.2} order {order}",
                m.visits,
                whole(m.value),
                whole(m.prior),
                whole(m.lcb.clamp(0.0, 1.0)),
                m.score
            ),
            Style::Kata => format!(
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
            if wish.wants(key) {
                line += &format!(" {key}");
                m.pv_visits.iter().for_each(|n| line += &format!(" {n}"));
            }
        }
        if wish.wants("movesOwnership") {
            let owner = if m.ownership.is_empty() {
                vec![0.0; board.area()]
            } else {
                m.ownership.clone()
            };
            let sign = if wish.side == Side::First { 1.0 } else { -1.0 };
            line += &format!(" {}", self.points("movesOwnership", &owner, sign));
        }
        line
    }

    /// A number for each point, the top row first.
    fn points(&self, key: &str, values: &[f32], sign: f32) -> String {
        let board = self.game().board();
        let mut text = key.to_string();
        for y in (0..board.size()).rev() {
            for x in 0..board.size() {
                let value = values.get(board.index(board.at(x, y))).copied().unwrap_or(0.0);
                text += &format!(" {:.4}", value * sign);
            }
        }
        text
    }
}
