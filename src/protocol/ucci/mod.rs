//! UCCI 3.0, the Universal Chinese Chess Protocol (Huang Chen, 2004 to 2007), as its clients speak it; a client that
//! greets with `uci` is answered in [`super::uci`]'s words instead, with the habits of xiangqi's interfaces.
//!
//! | command | what it does | while searching |
//! |---|---|---|
//! | `ucci` | name, options, `ucciok` | at once |
//! | `isready` | `readyok` | at once |
//! | `probe {fen F\|startpos} [moves M...]` | `pophash ...`, what the hash table knows | at once |
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

use super::cli::{AUTHORS, Console};
use super::options;
use super::session::{Dialect, Flow, Session, Urgency};
use super::uci::{self, Uci};
use crate::control::{Bound, Choice, Engine, Info, Limits, Options, Outlook, Report, TimeControl, Value};
use crate::game::BadInput;
use std::fmt::Write;
use std::io::BufReader;
use std::time::{Duration, Instant};
use words::{declare, theirs};

/// Which protocol the client greeted in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Tongue {
    Ucci,
    Uci,
}

/// Options of the protocol that this engine has no use for: clients send them blindly.
const IDLE: [&str; 10] = [
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
/// What a mate now is worth in UCCI's bare scores, as ElephantEye counts.
const MATE: i32 = 10_000;
/// From this score on a draw offered is not taken; drawn positions are seen a shade off zero.
const AHEAD: i32 = 10;
/// The games behind these protocols; the second and third are one.
const VARIANTS: [&str; 3] = ["xiangqi", "coup", "jieqi"];
/// The styles, and what a draw is worth in each.
const STYLES: [(&str, i32); 3] = [("solid", 20), ("normal", 0), ("risky", -40)];
/// Longest clock that is kept apart from a longer one, in seconds: a year.
const LONGEST: f64 = 366.0 * 86_400.0;

/// The dialect's state.
pub struct Ucci {
    uci: Uci,
    name: String,
    own: Options,
    tongue: Tongue,
    banned: Vec<String>,
    /// The opponent offers a draw with the move that is answered.
    offered: bool,
    /// The last exact score of the running search.
    score: i32,
    /// The best line since that score, when it is a bound and so has not been told.
    bound: Option<Info>,
}

impl Ucci {
    /// A dialect that introduces the engine by this name, in ASCII, and as a player of these variants in UCI.
    pub fn new(name: &str, variants: &[&'static str]) -> Self {
        let mut own = Options::default();
        let check = Value::Check(false);
        own.declare(
            "usemillisec",
            check.clone(),
            "clocks are told in milliseconds, not in seconds",
        );
        own.declare("batch", check.clone(), "commands wait for the end of a search");
        own.declare("debug", check.clone(), "all figures of a search, as messages");
        let resign = Value::Spin {
            now: 0,
            min: 0,
            max: 9999,
        };
        own.declare("resignvalue", resign, "gives up when this far behind; 0 for never");
        own.declare("acceptdraw", check, "takes a draw offered when not ahead");
        let style = Value::Combo {
            now: 1,
            all: STYLES.iter().map(|(name, _)| *name).collect(),
        };
        own.declare("style", style, "whether a draw is liked");
        own.declare("newgame", Value::Button, "forgets the last game");
        Self {
            uci: Uci::with_variants(name, variants),
            name: name.into(),
            own,
            tongue: Tongue::Uci,
            banned: Vec::new(),
            offered: false,
            score: 0,
            bound: None,
        }
    }

    fn introduce(&self, s: &mut Session) {
        s.say(&format!("id name {}", self.name));
        s.say(&format!("id copyright 2026, {AUTHORS}; MIT or Apache 2.0"));
        s.say(&format!("id author {AUTHORS}"));
        s.say("id user unknown");
        let lines: Vec<String> = self
            .own
            .iter()
            .chain(s.engine.options().iter())
            .chain(self.uci.variants())
            .filter_map(declare)
            .collect();
        for line in lines {
            s.say(&line);
        }
        s.say("ucciok");
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
        } else if let Some(theirs) = theirs(&name, s.engine.options()) {
            // 0 asks for the engine's own choice.
            let choice = s.engine.options().get(theirs).map(|o| o.default.text());
            let value = if value == Some("0") && ["hashsize", "threads"].contains(&name.as_str()) {
                choice.as_deref()
            } else {
                value
            };
            return s.engine.set_option(theirs, value);
        } else if !IDLE.contains(&name.as_str()) {
            return Err(BadInput::new(format!("no such option: {name:?}")));
        }
        Ok(())
    }

    fn position(&mut self, words: &[&str], s: &mut Session) -> Result<(), BadInput> {
        let (setup, moves) = setup_and_moves(words).ok_or_else(|| {
            BadInput::new(format!(
                "position: expected startpos or fen FEN, not {:?}",
                words.join(" ")
            ))
        })?;
        s.engine
            .position(setup.as_deref(), moves)
            .map_err(|e| BadInput::new(format!("position refused: {e}")))?;
        self.banned.clear();
        Ok(())
    }

    /// `banmoves M...`: all of them or, where one is no move here, none.
    fn ban(&mut self, moves: &[&str], s: &mut Session) -> Result<(), BadInput> {
        s.need_position()?;
        let legal = s.engine.perft(1, 1);
        let plain: Vec<String> = moves.iter().map(|w| w.replace('-', "").to_ascii_lowercase()).collect();
        if let Some(stranger) = plain.iter().find(|m| !legal.iter().any(|(l, _)| l == *m)) {
            return Err(BadInput::new(format!("banmoves unchanged: illegal move: {stranger}")));
        }
        self.banned = plain;
        Ok(())
    }

    /// `go [ponder|draw] ...`.
    fn go(&mut self, words: &[&str], s: &mut Session) -> Result<(), BadInput> {
        let start = Instant::now();
        self.offered = words.first() == Some(&"draw");
        (self.score, self.bound) = (0, None);
        if words.windows(2).any(|w| w == ["depth", "0"]) {
            s.say("nobestmove");
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
        let (infinite, ponder, sink) = (limits.infinite, limits.ponder, s.sink());
        let begun = s.need_position().and_then(|()| s.engine.go(limits, sink));
        match begun {
            Ok(()) => s.started(infinite, ponder),
            Err(e) => {
                s.say(&format!("info message {e}"));
                s.decline("nobestmove", infinite, ponder);
            }
        }
        Ok(())
    }

    fn say_info(&mut self, i: &Info, s: &mut Session) {
        if self.own.check("debug") {
            s.say(&format!("info message {}", uci::info_line(i, true)));
        }
        // UCCI has no words for bounds.
        if i.bound != Bound::Exact {
            if i.multipv <= 1 {
                self.bound = Some(i.clone());
            }
            return;
        }
        let score = bare(i.outlook);
        if i.multipv <= 1 {
            (self.score, self.bound) = (score, None);
        }
        self.say_line(i, score, s);
    }

    fn say_line(&self, i: &Info, score: i32, s: &mut Session) {
        s.say(&format!("info time {} nodes {}", i.time.as_millis(), i.nodes));
        let mut line = format!("info depth {}", i.depth);
        if i.multipv > 1 || s.engine.options().spin("MultiPV") > 1 {
            let _ = write!(line, " multipv {}", i.multipv.max(1));
        }
        let _ = write!(line, " score {score}");
        if !i.pv.is_empty() {
            let _ = write!(line, " pv {}", i.pv.join(" "));
        }
        s.say(&line);
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
        if self.offered && self.own.check("acceptdraw") && self.score < AHEAD {
            line += " draw";
        }
        line
    }

    fn act_ucci(&mut self, words: &[&str], line: &str, s: &mut Session) -> Flow {
        let done = match words {
            [] => Ok(()),
            ["quit", ..] => return Flow::Quit,
            ["ucci", ..] => {
                self.introduce(s);
                Ok(())
            }
            ["isready", ..] => {
                s.say("readyok");
                Ok(())
            }
            ["stop", ..] => {
                if s.searching() {
                    s.stop();
                } else {
                    s.say("nobestmove");
                }
                Ok(())
            }
            ["ponderhit", rest @ ..] => {
                self.offered |= rest.first() == Some(&"draw");
                s.ponderhit();
                Ok(())
            }
            ["probe", rest @ ..] => {
                s.say(&probe(rest, s.engine.as_ref()));
                Ok(())
            }
            ["setoption", rest @ ..] => self.set_option(rest, s),
            ["position", rest @ ..] => {
                let done = self.position(rest, s);
                s.note_position(done.is_ok());
                done
            }
            ["banmoves", rest @ ..] => self.ban(rest, s),
            // Not in the protocol, but some clients say so.
            ["uccinewgame" | "ucinewgame", ..] => {
                s.new_game();
                Ok(())
            }
            ["go", rest @ ..] if !rest.contains(&"perft") => self.go(rest, s),
            ["help", ..] => {
                s.say(HELP);
                Ok(())
            }
            // The words of UCI alone, not its form of an error.
            ["d" | "eval" | "perft" | "go", ..] if s.need_position().is_err() => s.need_position(),
            [first, ..] if *first == "go" || uci::EXTRA.contains(first) => return self.uci.act(line, s),
            _ => Err(BadInput::new(format!("unknown command {line:?}"))),
        };
        if let Err(e) = done {
            s.say(&format!("info message {e}"));
        }
        Flow::Next
    }
}

/// UCI-Cyclone leaves out the word `position`.
fn cyclone(line: &str) -> Option<String> {
    let first = line.split_whitespace().next()?;
    ["fen", "startpos"].contains(&first).then(|| format!("position {line}"))
}

impl Dialect for Ucci {
    fn urgency(&self, line: &str) -> Urgency {
        if self.tongue == Tongue::Uci && line.split_whitespace().next() != Some("ucci") {
            return self.uci.urgency(line);
        }
        if self.own.check("batch") {
            return Urgency::Idle;
        }
        match line.split_whitespace().next() {
            Some("ucci" | "uci" | "isready" | "probe" | "quit") | None => Urgency::Now,
            Some("stop" | "ponderhit") => Urgency::Search,
            _ => Urgency::Idle,
        }
    }

    fn act(&mut self, line: &str, s: &mut Session) -> Flow {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.first() {
            Some(&"ucci") => self.tongue = Tongue::Ucci,
            Some(&"uci") => self.tongue = Tongue::Uci,
            _ => {}
        }
        match self.tongue {
            Tongue::Ucci => self.act_ucci(&words, line, s),
            Tongue::Uci => self.uci.act(cyclone(line).as_deref().unwrap_or(line), s),
        }
    }

    fn show(&mut self, report: &Report, s: &mut Session) {
        if self.tongue == Tongue::Uci {
            return self.uci.show(report, s);
        }
        match report {
            Report::Info(info) => self.say_info(info, s),
            Report::Current { mv, .. } => s.say(&format!("info currmove {mv}")),
            Report::Message(text) => s.say(&format!("info message {text}")),
            Report::Best { choice, ponder, .. } => {
                // The answer is the move of the last line told, though that be a bound.
                if let Some(i) = self.bound.take() {
                    self.say_line(&i, bare(i.outlook), s);
                }
                s.say(&self.answer(choice, ponder.as_ref()));
            }
        }
    }

    fn fault(&mut self, s: &mut Session) {
        s.say("info message internal fault: the command was dropped");
    }

    fn farewell(&mut self, s: &mut Session) {
        if self.tongue == Tongue::Ucci {
            s.say("bye");
        }
    }
}

/// `{fen F|startpos} [moves M...]`.
fn setup_and_moves<'a>(words: &'a [&'a str]) -> Option<(Option<String>, &'a [&'a str])> {
    let at = words.iter().position(|&w| w == "moves").unwrap_or(words.len());
    let (setup, moves) = words.split_at(at);
    let setup = match setup {
        ["startpos", ..] => None,
        ["fen", fen @ ..] if !fen.is_empty() => Some(fen.join(" ")),
        _ => return None,
    };
    Some((setup, moves.get(1..).unwrap_or_default()))
}

fn probe(words: &[&str], engine: &dyn Engine) -> String {
    let mut line = String::from("pophash");
    let known = setup_and_moves(words).and_then(|(setup, moves)| engine.probe(setup.as_deref(), moves));
    if let Some(known) = known {
        if let Some(mv) = known.mv {
            let _ = write!(line, " bestmove {mv}");
        }
        let (score, depth) = (bare(known.outlook), known.depth);
        if known.bound != Bound::Upper {
            let _ = write!(line, " lowerbound {score} depth {depth}");
        }
        if known.bound != Bound::Lower {
            let _ = write!(line, " upperbound {score} depth {depth}");
        }
    }
    line
}

/// A score as a bare number; mates near 10,000.
fn bare(outlook: Outlook) -> i32 {
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
    // What cannot be read is an empty clock: better a quick move than a lost game.
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

/// Speaks UCCI or UCI, as greeted, until told to quit: on the commands of the command line if there are any, else on the
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
    let mut session = Session::new(engine, Box::new(Console));
    let mut dialect = Ucci::new(name, &VARIANTS);
    if lines.is_empty() {
        session.run(&mut dialect, lines, BufReader::new(std::io::stdin()));
    } else {
        session.run(&mut dialect, lines, std::io::empty());
    }
}

/// The options as a table in Markdown, by their names in UCI; then those that only UCCI has.
pub fn options_table(engine: &dyn Engine) -> String {
    let ucci = Ucci::new("", &VARIANTS);
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
    fn clocks_are_in_seconds_unless_told_otherwise() {
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
        assert_eq!(scores.map(bare), [-12, 9997, -9998, -10_000]);
    }
}
