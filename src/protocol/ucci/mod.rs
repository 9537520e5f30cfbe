//! UCCI 3.0, the Universal Chinese Chess Protocol (Huang Chen, 2004 to 2007), as its clients speak it; a client that
//! greets with `uci` is answered in [`super::uci`]'s words instead, with the habits of xiangqi's interfaces.
//!
//! | command | what it does | while searching |
//! |---|---|---|
//! | `ucci` | name, options, `ucciok` | at once |
//! | `isready` | `readyok` | at once |
//! | `probe {fen F\|startpos} [moves M...]` | `pophash ...`, the entry of the hash table | at once |
//! | `stop` | the answer, soon; `nobestmove` when idle | at once |
//! | `ponderhit [draw]` | the clock starts | at once; nothing when idle |
//! | `quit` | `bye`, the end | at once |
//! | `setoption O [V]` | sets an option | after the search; stops an endless one |
//! | `position {fen F\|startpos} [moves M...]` | sets up a position | after the search; stops an endless one |
//! | `banmoves M...` | moves that may not be played from it | after the search; stops an endless one |
//! | `go [ponder\|draw] ...` | starts a search | after the search; stops an endless one |
//! | `d`, `eval`, `bench`, `perft`, `go perft` | as in UCI | after the search; stops an endless one |
//!
//! After a refused `position` there is none until one is accepted or a new game begins: `go` answers `nobestmove`.
//!
//! With `batch` on nothing acts while a search runs.

mod words;

use super::cli::AUTHORS;
use super::options;
use super::session::{self, Dialect, Flow, InputLine, Session, Urgency};
use super::uci::{self, UciDialect};
use crate::control::{Bound, Choice, Engine, Info, Limits, Options, Outlook, Report, TimeControl, Value};
use crate::game::BadInput;
use std::fmt::Write;
use std::time::{Duration, Instant};
use words::{declare, engine_name};

/// Which protocol the client greeted in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Greeting {
    Ucci,
    Uci,
}

/// Options of the protocol without an effect here; clients send them unasked.
const UNUSED: [&str; 10] = [
    "usebook",
    "useegtb",
    "bookfiles",
    "egtbpaths",
    "evalapi",
    "idle",
    "promotion",
    "pruning",
    "knowledge",
    "randomness",
];
const HELP: &str = "info message ucci, isready, setoption, position, banmoves, go, probe, stop, ponderhit, quit; also d \
(board), eval, bench [depth], go perft N, genfens N seed S, compiler, uci";
/// The score of a mate in 0 plies in UCCI, as in ElephantEye.
const MATE: i32 = 10_000;
/// From this score on an offered draw is not accepted; drawn positions score close to zero.
const AHEAD: i32 = 10;
/// The styles, and the score of a draw in each.
const STYLES: [(&str, i32); 3] = [("solid", 20), ("normal", 0), ("risky", -40)];
/// Longest clock that is kept apart from a longer one, in seconds: a year.
const LONGEST: f64 = 366.0 * 86_400.0;

/// The dialect's state.
pub struct UcciDialect {
    uci: UciDialect,
    name: String,
    own: Options,
    greeting: Greeting,
    banned: Vec<String>,
    /// The opponent offers a draw with the move that is answered.
    draw_offered: bool,
    /// The last exact score of the running search.
    score: i32,
    /// The best line since that score, when it is a bound and so has not been sent.
    bound: Option<Info>,
}

impl UcciDialect {
    /// A dialect that introduces the engine by this name, in ASCII, and as a player of these variants in UCI.
    pub fn new(name: &str, variants: &[&'static str]) -> Self {
        let mut own = Options::default();
        let check = Value::Check(false);
        own.declare(
            "usemillisec",
            check.clone(),
            "clocks are in milliseconds, not in seconds",
        );
        own.declare("batch", check.clone(), "commands wait for the end of a search");
        own.declare("debug", check.clone(), "all figures of a search, as messages");
        let resign = Value::Spin {
            now: 0,
            min: 0,
            max: 9999,
        };
        own.declare("resignvalue", resign, "resigns when this far behind; 0 for never");
        own.declare("acceptdraw", check, "accepts a draw offered when not ahead");
        let style = Value::Combo {
            now: 1,
            all: STYLES.iter().map(|(name, _)| *name).collect(),
        };
        own.declare("style", style, "how a draw is scored: above zero, zero, below zero");
        own.declare("newgame", Value::Button, "starts a new game");
        Self {
            uci: UciDialect::with_variants(name, variants),
            name: name.into(),
            own,
            greeting: Greeting::Uci,
            banned: Vec::new(),
            draw_offered: false,
            score: 0,
            bound: None,
        }
    }

    fn introduce(&self, s: &mut Session) {
        s.send(&format!("id name {}", self.name));
        s.send(&format!("id copyright 2026, {AUTHORS}; MIT or Apache 2.0"));
        s.send(&format!("id author {AUTHORS}"));
        s.send("id user unknown");
        let lines: Vec<String> = self
            .own
            .iter()
            .chain(s.engine.options().iter())
            .chain(self.uci.variants())
            .filter_map(declare)
            .collect();
        for line in lines {
            s.send(&line);
        }
        s.send("ucciok");
    }

    /// `setoption O [V]`, also with UCI's words `name` and `value`.
    fn set_option(&mut self, words: &[&str], s: &mut Session) -> Result<(), BadInput> {
        let (name, value) = match words {
            [first, ..] if first.eq_ignore_ascii_case("name") => options::name_and_value(words),
            [name, value @ ..] => Some(((*name).to_string(), (!value.is_empty()).then(|| value.join(" ")))),
            [] => None,
        }
        .ok_or_else(|| BadInput::new("setoption: expected OPTION [VALUE]"))?;
        let name = name.to_ascii_lowercase();
        let value = value.as_deref();
        if name == "newgame" {
            s.new_game();
        } else if ["variant", "uci_variant"].contains(&name.as_str()) {
            let value = value.unwrap_or_default();
            return self.uci.set_option(&["name", uci::VARIANT, "value", value], s);
        } else if self.own.get(&name).is_some() {
            self.own.set(&name, value)?;
        } else if let Some(option) = engine_name(&name, s.engine.options()) {
            // 0 asks for the engine's own choice.
            let choice = s.engine.options().get(option).map(|o| o.default.text());
            let value = if value == Some("0") && ["hashsize", "threads"].contains(&name.as_str()) {
                choice.as_deref()
            } else {
                value
            };
            return s.engine.set_option(option, value);
        } else if !UNUSED.contains(&name.as_str()) {
            return Err(BadInput::new(format!("no such option: {name:?}")));
        }
        Ok(())
    }

    fn position(&mut self, words: &[&str], s: &mut Session) -> Result<(), BadInput> {
        let done = match uci::setup_and_moves(words, "fen") {
            Ok((setup, moves)) => s
                .engine
                .position(setup.as_deref(), moves)
                .map_err(|e| BadInput::new(format!("position refused: {e}"))),
            Err(_) => Err(BadInput::new(format!(
                "position: expected startpos or fen FEN, not {:?}",
                words.join(" ")
            ))),
        };
        s.set_position_accepted(done.is_ok());
        done?;
        self.banned.clear();
        Ok(())
    }

    /// `banmoves M...`: all of them or, where one is no move here, none.
    fn ban(&mut self, moves: &[&str], s: &mut Session) -> Result<(), BadInput> {
        s.need_position()?;
        let plain: Vec<String> = moves.iter().map(|w| w.replace('-', "").to_ascii_lowercase()).collect();
        if let Some(unknown) = plain.iter().find(|m| !s.engine.is_legal(m)) {
            return Err(BadInput::new(format!("banmoves unchanged: illegal move: {unknown}")));
        }
        self.banned = plain;
        Ok(())
    }

    /// `go [ponder|draw] ...`.
    fn go(&mut self, words: &[&str], s: &mut Session) -> Result<(), BadInput> {
        let start = Instant::now();
        self.draw_offered = words.first() == Some(&"draw");
        (self.score, self.bound) = (0, None);
        if words.windows(2).any(|w| w == ["depth", "0"]) {
            s.send("nobestmove");
            return Ok(());
        }
        let style = self.own.text("style");
        let limits = Limits {
            banmoves: self.banned.clone(),
            draw: STYLES
                .iter()
                .find(|(name, _)| *name == style)
                .map_or(0, |(_, draw)| *draw),
            ..limits(words, self.own.check("usemillisec"), start)
        };
        let (infinite, ponder) = (limits.infinite, limits.ponder);
        if let Err(e) = s.need_position().and_then(|()| s.search(limits)) {
            s.send(&format!("info message {e}"));
            s.decline("nobestmove", infinite, ponder);
        }
        Ok(())
    }

    fn send_info(&mut self, i: &Info, s: &mut Session) {
        if self.own.check("debug") {
            s.send(&format!("info message {}", uci::info_line(i, true)));
        }
        // UCCI has no form for bounds.
        if i.bound != Bound::Exact {
            if i.multipv <= 1 {
                self.bound = Some(i.clone());
            }
            return;
        }
        let score = ucci_score(i.outlook);
        if i.multipv <= 1 {
            (self.score, self.bound) = (score, None);
        }
        self.send_line(i, score, s);
    }

    fn send_line(&self, i: &Info, score: i32, s: &mut Session) {
        s.send(&format!("info time {} nodes {}", i.time.as_millis(), i.nodes));
        let mut line = format!("info depth {}", i.depth);
        if i.multipv > 1 || s.engine.options().spin("MultiPV") > 1 {
            let _ = write!(line, " multipv {}", i.multipv.max(1));
        }
        let _ = write!(line, " score {score}");
        if !i.pv.is_empty() {
            let _ = write!(line, " pv {}", i.pv.join(" "));
        }
        s.send(&line);
    }

    fn answer(&self, choice: &Choice, ponder: Option<&String>) -> String {
        let Choice::Move(mv) = choice else {
            return "nobestmove".into();
        };
        let mut line = format!("bestmove {mv}");
        let lost = self.own.spin("resignvalue");
        if lost > 0 && i64::from(self.score) <= -lost {
            return line + " resign";
        }
        if let Some(reply) = ponder {
            let _ = write!(line, " ponder {reply}");
        }
        if self.draw_offered && self.own.check("acceptdraw") && self.score < AHEAD {
            line += " draw";
        }
        line
    }

    fn act_ucci(&mut self, line: &InputLine, s: &mut Session) -> Flow {
        let done = match line.words.as_slice() {
            [] => Ok(()),
            ["quit", ..] => return Flow::Break(()),
            ["ucci", ..] => {
                self.introduce(s);
                Ok(())
            }
            ["isready", ..] => {
                s.send("readyok");
                Ok(())
            }
            ["stop", ..] => {
                if s.searching() {
                    s.stop();
                } else {
                    s.send("nobestmove");
                }
                Ok(())
            }
            ["ponderhit", rest @ ..] => {
                self.draw_offered |= rest.first() == Some(&"draw");
                s.ponderhit(None);
                Ok(())
            }
            ["probe", rest @ ..] => {
                s.send(&probe(rest, s.engine.as_ref()));
                Ok(())
            }
            ["setoption", rest @ ..] => self.set_option(rest, s),
            ["position", rest @ ..] => self.position(rest, s),
            ["banmoves", rest @ ..] => self.ban(rest, s),
            // Not in the protocol, but some clients send it.
            ["uccinewgame" | "ucinewgame", ..] => {
                s.new_game();
                Ok(())
            }
            ["go", rest @ ..] if !rest.contains(&"perft") => self.go(rest, s),
            ["help", ..] => {
                s.send(HELP);
                Ok(())
            }
            // UCI's commands, with UCCI's form of an error.
            ["d" | "eval" | "perft" | "go", ..] if s.need_position().is_err() => s.need_position(),
            [first, ..] if *first == "go" || uci::EXTRA.contains(first) => return self.uci.act(line, s),
            _ => Err(BadInput::new(format!("unknown command {:?}", line.words.join(" ")))),
        };
        if let Err(e) = done {
            s.send(&format!("info message {e}"));
        }
        Flow::Continue(())
    }
}

impl Dialect for UcciDialect {
    fn urgency(&self, line: &InputLine) -> Urgency {
        let first = line.words.first();
        if self.greeting == Greeting::Uci && first != Some(&"ucci") {
            // Positions, whatever words follow; see `act`.
            if matches!(first, Some(&("fen" | "startpos"))) {
                return Urgency::Idle;
            }
            return self.uci.urgency(line);
        }
        if self.own.check("batch") {
            return Urgency::Idle;
        }
        match first {
            Some(&("ucci" | "uci" | "isready" | "probe" | "quit")) | None => Urgency::Now,
            Some(&("stop" | "ponderhit")) => Urgency::Search,
            _ => Urgency::Idle,
        }
    }

    fn act(&mut self, line: &InputLine, s: &mut Session) -> Flow {
        match line.words.first() {
            Some(&"ucci") => self.greeting = Greeting::Ucci,
            Some(&"uci") => self.greeting = Greeting::Uci,
            _ => {}
        }
        match (self.greeting, line.words.first()) {
            (Greeting::Ucci, _) => self.act_ucci(line, s),
            // UCI-Cyclone leaves out the word `position`.
            (Greeting::Uci, Some(&("fen" | "startpos"))) => {
                let words = std::iter::once("position").chain(line.words.iter().copied()).collect();
                self.uci.act(&InputLine { words, ..*line }, s)
            }
            (Greeting::Uci, _) => self.uci.act(line, s),
        }
    }

    fn show(&mut self, report: &Report, s: &mut Session) {
        if self.greeting == Greeting::Uci {
            return self.uci.show(report, s);
        }
        match report {
            Report::Info(info) => self.send_info(info, s),
            Report::Current { mv, .. } => s.send(&format!("info currmove {mv}")),
            Report::Message(text) => s.send(&format!("info message {text}")),
            Report::Best { choice, ponder, .. } => {
                // The answer is the move of the last line sent, even where its score is a bound.
                if let Some(i) = self.bound.take() {
                    self.send_line(&i, ucci_score(i.outlook), s);
                }
                s.send(&self.answer(choice, ponder.as_ref()));
            }
        }
    }

    fn fault(&mut self, s: &mut Session) {
        s.send("info message internal fault: the command was dropped");
    }

    fn farewell(&mut self, s: &mut Session) {
        if self.greeting == Greeting::Ucci {
            s.send("bye");
        }
    }
}

fn probe(words: &[&str], engine: &dyn Engine) -> String {
    let mut line = String::from("pophash");
    let known = uci::setup_and_moves(words, "fen").ok();
    let known = known.and_then(|(setup, moves)| engine.probe(setup.as_deref(), moves));
    if let Some(known) = known {
        if let Some(mv) = known.mv {
            let _ = write!(line, " bestmove {mv}");
        }
        let (score, depth) = (ucci_score(known.outlook), known.depth);
        if known.bound != Bound::Upper {
            let _ = write!(line, " lowerbound {score} depth {depth}");
        }
        if known.bound != Bound::Lower {
            let _ = write!(line, " upperbound {score} depth {depth}");
        }
    }
    line
}

/// A score as UCCI writes it: a number, mates near 10,000.
fn ucci_score(outlook: Outlook) -> i32 {
    match outlook {
        Outlook::Centipawns(cp) => cp.clamp(1000 - MATE, MATE - 1000),
        Outlook::Mate(plies) if plies > 0 => MATE - plies,
        Outlook::Mate(plies) => -MATE - plies,
    }
}

/// The arguments of `go` in any order; unknown ones are skipped.
fn limits(words: &[&str], milliseconds: bool, start: Instant) -> Limits {
    let mut l = Limits {
        start,
        ..Limits::default()
    };
    let unit = if milliseconds { 0.001 } else { 1.0 };
    // An unreadable time is an empty clock: better a quick move than a loss on time.
    let time = |w: Option<&&str>| {
        let n = w.and_then(|w| w.parse::<f64>().ok()).filter(|n| n.is_finite());
        Duration::from_secs_f64((n.unwrap_or(0.0) * unit).clamp(0.0, LONGEST))
    };
    let count = |w: Option<&&str>| w.and_then(|w| w.parse::<u64>().ok()).unwrap_or(1).max(1);
    let short = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    let (mut main, mut increment, mut to_go, mut each) = (None, Duration::ZERO, None, None);
    let mut rest = words.iter();
    while let Some(&word) = rest.next() {
        let value = rest.as_slice().first();
        match word {
            "ponder" => l.ponder = true,
            "infinite" => l.infinite = true,
            "depth" if value != Some(&"infinite") => l.depth = Some(short(count(value))),
            "nodes" => l.nodes = Some(count(value)),
            "time" => main = Some(time(value)),
            "increment" => increment = time(value),
            "movestogo" => to_go = Some(short(count(value))),
            "movetime" => each = Some(time(value)),
            _ => {}
        }
    }
    l.time = match (main, each) {
        (Some(main), cap) => {
            l.move_cap = cap;
            TimeControl::Fischer {
                main,
                increment,
                moves_to_go: to_go,
            }
        }
        (None, Some(each)) => TimeControl::MoveTime(each),
        (None, None) => TimeControl::None,
    };
    l.infinite |= !l.finite();
    l
}

/// Speaks UCCI or UCI, as greeted, until quit: on the commands of the command line if there are any, else on the
/// standard input.
pub fn serve(engine: Box<dyn Engine>, name: &str, args: &[String]) {
    let commands = [
        "ucci",
        "uci",
        "isready",
        "probe",
        "stop",
        "ponderhit",
        "quit",
        "setoption",
        "position",
        "banmoves",
        "go",
    ];
    let starts = |word: &str| commands.contains(&word) || uci::EXTRA.contains(&word);
    let lines = uci::command_lines(args, &starts);
    let mut dialect = UcciDialect::new(name, &engine.variants());
    session::serve(engine, &mut dialect, lines);
}

/// The options as a table in Markdown, by their names in UCI; then those that only UCCI has.
pub fn options_table(engine: &dyn Engine) -> String {
    let ucci = UcciDialect::new("", &engine.variants());
    let engine = engine.options();
    options::table(ucci.uci.all_options(engine).chain(ucci.own.iter()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, milliseconds: bool) -> Limits {
        limits(
            &text.split_whitespace().collect::<Vec<_>>(),
            milliseconds,
            Instant::now(),
        )
    }

    #[test]
    fn clocks_are_in_seconds_by_default() {
        let fischer = |main, increment, moves_to_go| TimeControl::Fischer {
            main: Duration::from_millis(main),
            increment: Duration::from_millis(increment),
            moves_to_go,
        };
        assert_eq!(
            read("time 60 increment 2 opptime 50", false).time,
            fischer(60_000, 2000, None)
        );
        assert_eq!(
            read("draw time 60000 movestogo 40", true).time,
            fischer(60_000, 0, Some(40))
        );
        assert_eq!(read("time -5", false).time, fischer(0, 0, None));
        assert!(read("ponder time 1", false).ponder);
        for endless in ["", "infinite", "depth infinite", "ponder"] {
            assert!(read(endless, false).infinite, "{endless}");
        }
        assert_eq!(read("depth 8", false).depth, Some(8));
    }

    #[test]
    fn scores_are_bare_numbers() {
        let scores = [
            Outlook::Centipawns(-12),
            Outlook::Mate(3),
            Outlook::Mate(-2),
            Outlook::Mate(0),
        ];
        assert_eq!(scores.map(ucci_score), [-12, 9997, -9998, -10_000]);
    }
}
