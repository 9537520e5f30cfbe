//! UCI, the Universal Chess Interface (Stefan Meyer-Kahlen and Rudolf Huber, 2006), as today's clients speak it.
//!
//! | command | while searching |
//! |---|---|
//! | `uci` `debug` `isready` `stop` `ponderhit` `quit` | at once |
//! | `setoption` `ucinewgame` `position` `go` `register` | after the search; stops an endless one |
//! | `d` `eval` `bench` `perft` `compiler` `help` | after the search; stops an endless one |

use super::session::{Dialect, Flow, Session, Urgency};
use crate::control::{Bound, Choice, Info, Limits, Opt, Outlook, Report, TimeControl, Value};
use crate::game::{BadInput, Side};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// The dialect's state.
pub struct Uci {
    name: String,
}

impl Uci {
    /// A dialect that introduces the engine by this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into() }
    }
}

impl Dialect for Uci {
    fn urgency(&self, line: &str) -> Urgency {
        match line.split_whitespace().next() {
            Some("uci" | "debug" | "isready" | "stop" | "ponderhit" | "quit") | None => Urgency::Now,
            _ => Urgency::Idle,
        }
    }

    fn act(&mut self, line: &str, s: &mut Session) -> Flow {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut words = words.as_slice();
        // "If the engine receives an unknown command it should just ignore it and try to parse the rest."
        while let [first, rest @ ..] = words {
            if KNOWN.contains(first) {
                break;
            }
            if rest.is_empty() || !rest.iter().any(|w| KNOWN.contains(w)) {
                s.say(&format!(
                    "info string {}",
                    BadInput::new(format!("unknown command {line:?}; try help"))
                ));
                return Flow::Next;
            }
            words = rest;
        }
        match words {
            ["quit", ..] => return Flow::Quit,
            ["uci", ..] => self.introduce(s),
            ["isready", ..] => s.say("readyok"),
            ["debug" | "register", ..] => {}
            ["stop", ..] if s.searching() => s.engine.stop(),
            ["ponderhit", ..] if s.searching() => {
                s.engine.ponderhit();
                s.set_endless(false);
            }
            ["ucinewgame", ..] => s.engine.new_game(),
            ["setoption", rest @ ..] => set_option(rest, s),
            ["position", rest @ ..] => position(rest, s),
            ["go", "perft", rest @ ..] | ["perft", rest @ ..] => perft(rest, s),
            ["go", rest @ ..] => go(rest, s),
            ["d", ..] => s.say(&s.engine.picture()),
            ["eval", ..] => {
                let text = s.engine.explain();
                s.say(&text);
            }
            ["bench", rest @ ..] => bench(rest, s),
            ["compiler", ..] => s.say(concat!("info string rustc, nguky ", env!("CARGO_PKG_VERSION"))),
            ["help", ..] => s.say(HELP),
            _ => {}
        }
        Flow::Next
    }

    fn show(&mut self, report: &Report, s: &mut Session) {
        let line = match report {
            Report::Info(info) => info_line(info, s.engine.options().check("UCI_ShowWDL")),
            Report::Current { depth, mv, number } => {
                format!("info depth {depth} currmove {mv} currmovenumber {number}")
            }
            Report::Message(text) => format!("info string {text}"),
            Report::Best { choice, ponder, .. } => match (choice, ponder) {
                (Choice::Move(mv), Some(ponder)) => format!("bestmove {mv} ponder {ponder}"),
                (Choice::Move(mv), None) => format!("bestmove {mv}"),
                _ => "bestmove (none)".into(),
            },
        };
        s.say(&line);
    }
}

const KNOWN: [&str; 17] = [
    "uci",
    "debug",
    "isready",
    "setoption",
    "register",
    "ucinewgame",
    "position",
    "go",
    "stop",
    "ponderhit",
    "quit",
    "d",
    "eval",
    "bench",
    "perft",
    "compiler",
    "help",
];

const HELP: &str = "info string uci, debug, isready, setoption, register, ucinewgame, position, go, stop, ponderhit, \
quit; also d (board), eval, bench [depth], go perft N, compiler";

impl Uci {
    fn introduce(&self, s: &mut Session) {
        s.say(&format!("id name {}", self.name));
        s.say(concat!("id author ", env!("CARGO_PKG_AUTHORS")));
        let lines: Vec<String> = s.engine.options().iter().map(declare).collect();
        for line in lines {
            s.say(&line);
        }
        s.say("option name Debug Log File type string default <empty>");
        s.say("uciok");
    }
}

/// An option as UCI declares it.
pub fn declare(o: &Opt) -> String {
    let text = |t: &str| {
        if t.is_empty() {
            "<empty>".to_string()
        } else {
            t.to_string()
        }
    };
    let kind = match &o.default {
        Value::Check(on) => format!("check default {on}"),
        Value::Spin { now, min, max } => format!("spin default {now} min {min} max {max}"),
        Value::Combo { now, all } => {
            let mut line = format!("combo default {}", all.get(*now).unwrap_or(&""));
            for word in all {
                let _ = write!(line, " var {word}");
            }
            line
        }
        Value::Text(t) | Value::File(t) => format!("string default {}", text(t)),
        Value::Button => "button".into(),
    };
    format!("option name {} type {kind}", o.name)
}

/// `setoption name A B value C D`.
fn set_option(words: &[&str], s: &mut Session) {
    let words = words.strip_prefix(&["name"]).unwrap_or(words);
    let at = words
        .iter()
        .position(|w| w.eq_ignore_ascii_case("value"))
        .unwrap_or(words.len());
    let (name, value) = words.split_at(at);
    let name = name.join(" ");
    let value = value.get(1..).map(|v| v.join(" "));
    if name.is_empty() {
        return s.say("info string setoption: expected name NAME [value VALUE]");
    }
    let result = if name.eq_ignore_ascii_case("Debug Log File") {
        let path = value.as_deref().filter(|&v| v != "<empty>").unwrap_or("");
        s.log_to(path)
            .map_err(|e| BadInput::new(format!("option Debug Log File: {e}")))
    } else {
        s.engine.set_option(&name, value.as_deref())
    };
    if let Err(e) = result {
        s.say(&format!("info string {e}"));
    }
}

/// `position startpos|fen F [moves M...]`.
fn position(words: &[&str], s: &mut Session) {
    let at = words.iter().position(|&w| w == "moves").unwrap_or(words.len());
    let (setup, moves) = words.split_at(at);
    let moves = moves.get(1..).unwrap_or_default();
    let result = match setup {
        ["startpos", ..] => s.engine.position(None, moves),
        ["fen", fen @ ..] if !fen.is_empty() => s.engine.position(Some(&fen.join(" ")), moves),
        _ => Err(BadInput::new(format!(
            "position: expected startpos or fen FEN, not {:?}",
            setup.join(" ")
        ))),
    };
    if let Err(e) = result {
        s.say(&format!("info string {e}; the position stays as it was"));
    }
}

/// A clock's reading: below zero or out of range counts as the nearest sensible value.
fn milliseconds(text: Option<&&str>) -> Option<Duration> {
    /// A year: longer clocks are as good as none.
    const MOST: i64 = 366 * 86_400_000;
    text?
        .parse::<i64>()
        .ok()
        .map(|ms| Duration::from_millis(ms.clamp(0, MOST) as u64))
}

const GO_WORDS: [&str; 13] = [
    "searchmoves",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
    "perft",
];

/// `go` with its arguments in any order; unknown ones are skipped.
pub fn limits(words: &[&str], side: Side, start: Instant) -> Limits {
    let mut l = Limits {
        start,
        ..Limits::default()
    };
    let (mut time, mut inc, mut to_go, mut movetime) = ([None; 2], [None; 2], None, None);
    let number = |w: Option<&&str>| w?.parse::<u64>().ok();
    let mut rest = words.iter();
    while let Some(&word) = rest.next() {
        let value = rest.as_slice().first();
        match word {
            // A clock that cannot be read is an empty one: better a quick move than a lost game.
            "wtime" => time[0] = Some(milliseconds(value).unwrap_or_default()),
            "btime" => time[1] = Some(milliseconds(value).unwrap_or_default()),
            "winc" => inc[0] = milliseconds(value),
            "binc" => inc[1] = milliseconds(value),
            "movestogo" => to_go = number(value).map(|n| n.clamp(1, 10_000) as u32),
            "depth" => l.depth = number(value).map(|n| n.clamp(1, 10_000) as u32),
            "nodes" => l.nodes = number(value).map(|n| n.max(1)),
            "mate" => l.mate = number(value).map(|n| n.clamp(1, 1000) as u32),
            "movetime" => movetime = Some(milliseconds(value).unwrap_or_default()),
            "infinite" => l.infinite = true,
            "ponder" => l.ponder = true,
            "searchmoves" => {
                l.searchmoves = rest
                    .as_slice()
                    .iter()
                    .take_while(|w| !GO_WORDS.contains(w))
                    .map(|w| (*w).to_string())
                    .collect();
            }
            _ => {}
        }
    }
    let own = |pair: [Option<Duration>; 2]| match (side, pair) {
        (Side::First, [w, _]) => w,
        (Side::Second, [_, b]) => b,
    };
    // When only the opponent's clock is known, it is taken for ours.
    l.time = match (movetime, own(time).or(time[0]).or(time[1])) {
        (Some(t), _) => TimeControl::MoveTime(t),
        (None, Some(main)) => TimeControl::Fischer {
            main,
            increment: own(inc).unwrap_or_default(),
            moves_to_go: to_go,
        },
        (None, None) => TimeControl::None,
    };
    l.infinite |= !l.finite();
    l
}

fn go(words: &[&str], s: &mut Session) {
    if let Some(i) = words.iter().position(|&w| w == "perft") {
        return perft(words.get(i + 1..).unwrap_or_default(), s);
    }
    let limits = limits(words, s.engine.side(), Instant::now());
    let endless = limits.infinite || limits.ponder;
    let sink = s.sink();
    s.started(endless);
    if let Err(e) = s.engine.go(limits, sink) {
        s.say(&format!("info string {e}"));
    }
}

/// Deeper perfts than this would not end in a lifetime.
const DEEPEST_PERFT: u32 = 30;

fn perft(words: &[&str], s: &mut Session) {
    let Some(depth) = words
        .first()
        .and_then(|w| w.parse::<u32>().ok())
        .filter(|d| (1..=DEEPEST_PERFT).contains(d))
    else {
        return s.say(&format!(
            "info string perft: expected a depth from 1 to {DEEPEST_PERFT}"
        ));
    };
    let counts = s.engine.perft(depth, 1);
    for (mv, n) in &counts {
        s.say(&format!("{mv}: {n}"));
    }
    let total: u64 = counts.iter().map(|(_, n)| n).sum();
    s.say(&format!("\nNodes searched: {total}\n"));
}

/// The depth of `bench` unless told otherwise.
pub const BENCH_DEPTH: u32 = 13;

fn bench(words: &[&str], s: &mut Session) {
    let depth = words.first().and_then(|w| w.parse().ok()).unwrap_or(BENCH_DEPTH);
    let (nodes, seconds) = s.engine.bench(depth, &mut |_, _| {});
    s.say(&bench_line(nodes, seconds));
}

/// The line that ends a bench.
pub fn bench_line(nodes: u64, seconds: f64) -> String {
    format!("{nodes} nodes {} nps", (nodes as f64 / seconds.max(1e-9)) as u64)
}

/// Mate in moves, as UCI counts: plies rounded up.
fn outlook_text(o: Outlook) -> String {
    match o {
        Outlook::Centipawns(cp) => format!("cp {cp}"),
        Outlook::Mate(plies) if plies > 0 => format!("mate {}", (plies + 1) / 2),
        Outlook::Mate(plies) => format!("mate {}", plies / 2),
    }
}

/// One line of analysis.
pub fn info_line(i: &Info, wdl: bool) -> String {
    let mut line = format!(
        "info depth {} seldepth {} multipv {} score {}",
        i.depth,
        i.seldepth,
        i.multipv.max(1),
        outlook_text(i.outlook)
    );
    match i.bound {
        Bound::Exact => {}
        Bound::Lower => line += " lowerbound",
        Bound::Upper => line += " upperbound",
    }
    if wdl {
        let [w, d, l] = i.wdl;
        let _ = write!(line, " wdl {w} {d} {l}");
    }
    let ms = i.time.as_millis();
    let nps = (i.nodes as f64 / i.time.as_secs_f64().max(0.001)) as u64;
    let _ = write!(
        line,
        " nodes {} nps {nps} hashfull {} tbhits {} time {ms}",
        i.nodes, i.hashfull, i.tbhits
    );
    if !i.pv.is_empty() {
        let _ = write!(line, " pv {}", i.pv.join(" "));
    }
    line
}

/// Speaks UCI on the standard input and output until told to quit; `first` are lines that come before the input's.
pub fn serve(engine: Box<dyn crate::engine::Engine>, name: &str, first: Vec<String>) {
    let mut session = Session::new(engine, Box::new(std::io::stdout()));
    session.run(&mut Uci::new(name), first, std::io::BufReader::new(std::io::stdin()));
}
