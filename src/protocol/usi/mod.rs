//! USI, the Universal Shogi Interface (Tord Romstad, 2007), as Shogidokoro, ShogiHome and YaneuraOu speak it.
//!
//! | command | what it does | while searching |
//! |---|---|---|
//! | `usi` | name, options, `usiok` | at once |
//! | `isready` | forgets the last game and loads the book unless a search runs, `readyok` | at once |
//! | `stop` | the answer, soon | at once; nothing when idle |
//! | `gameover win\|lose\|draw` | the same | at once; nothing when idle |
//! | `ponderhit [times]` | the clock starts | at once; nothing when idle |
//! | `quit` | the end | at once; after a running `bench` or `perft`, which `stop` ends |
//! | `setoption name N [value V]` | sets an option | after the search; stops an endless one |
//! | `usinewgame` | forgets the last game | after the search; stops an endless one |
//! | `position startpos\|sfen S [moves M...]` | sets up a position | after the search; stops an endless one |
//! | `go ...` | starts a search | after the search; stops an endless one |
//! | `go mate MS\|infinite` | looks for a forced mate, answers `checkmate ...` | after the search; stops an endless one |
//! | `d`, `eval`, `bench`, `perft`, `genfens`, `compiler`, `help` | as in UCI | after the search; stops an endless one |
//! | `uci` | speaks UCI from now on, with Cute Chess's names for points, until `usi` | at once |
//!
//! After a refused `position` there is none until one is accepted or a new game begins: `go` answers `bestmove resign`,
//! `go mate` answers `checkmate timeout`.

mod accent;
mod book;
mod go;
mod throttle;

use super::cli::AUTHORS;
use super::lines::from_command;
use super::options;
use super::session::{self, Dialect, Flow, InputLine, Session, Urgency};
use super::uci::{self, UciDialect, reply};
use crate::control::{Choice, Engine, Opt, Options, Proof, Report, TimeControl, TimeOptions, Value};
use crate::game::{BadInput, Side};
use book::SfenBook;
use std::time::{Duration, Instant};
use throttle::InfoThrottle;

/// The commands of the protocol.
const STANDARD: [&str; 11] = [
    "usi",
    "isready",
    "setoption",
    "usinewgame",
    "position",
    "go",
    "stop",
    "ponderhit",
    "gameover",
    "quit",
    "uci",
];
/// The commands that engines commonly know beside them.
const EXTRA: [&str; 7] = ["d", "eval", "bench", "perft", "genfens", "compiler", "help"];

const HELP: &str = "info string usi, isready, setoption, usinewgame, position, go, stop, ponderhit, gameover, quit; \
also d (board), eval, bench [depth], go perft N, genfens N seed S, compiler, uci";

/// USI's names for the engine's options; names have no blanks, because clients split lines at them.
const RENAMED: [(&str, &str); 5] = [
    ("USI_Hash", "Hash"),
    ("USI_Ponder", "Ponder"),
    ("LimitStrength", "UCI_LimitStrength"),
    ("Elo", "UCI_Elo"),
    ("Clear_Hash", "Clear Hash"),
];
/// The engine's option whose place the dialect's own take.
const REPLACED: &str = "Move Overhead";
/// The answer where there is no move. USI has no other word for none: clients take `(none)`, `0000` and a move of another
/// board for an illegal move, which loses the game too and hides the reason.
const NO_MOVE: &str = "bestmove resign";
/// The answer where nothing is known of a mate.
const NO_PROOF: &str = "checkmate timeout";
/// The option that is a log's path.
const LOG: &str = "WriteDebugLog";

/// The dialect's state.
pub struct UsiDialect {
    name: String,
    own: Options,
    book: SfenBook,
    throttle: InfoThrottle,
    /// Whether the answer may be to resign.
    may_resign: bool,
    /// The search ponders and has no limit: the time comes with the ponder hit.
    lacks_time: bool,
    /// Set while the client speaks UCI.
    uci: Option<UciDialect>,
}

fn own_options() -> Options {
    let mut own = Options::default();
    let mut spin = |name, now, min, max, help| own.declare(name, Value::Spin { now, min, max }, help);
    spin(
        "NetworkDelay",
        30,
        0,
        10_000,
        "milliseconds lost between our answer and the clock",
    );
    spin(
        "NetworkDelay2",
        80,
        0,
        10_000,
        "milliseconds kept back from the last of the time; at most a quarter of it",
    );
    spin(
        "MinimumThinkingTime",
        0,
        0,
        100_000,
        "milliseconds that every move takes at least",
    );
    spin(
        "SlowMover",
        100,
        10,
        1000,
        "share of the usual time for a move, in hundredths",
    );
    spin(
        "ResignValue",
        99_999,
        1,
        99_999,
        "resign when this many hundredths of a pawn behind; 99999 never",
    );
    spin(
        "DrawValueBlack",
        0,
        -30_000,
        30_000,
        "what a draw is worth to us as Black, in hundredths of a pawn",
    );
    spin(
        "DrawValueWhite",
        0,
        -30_000,
        30_000,
        "what a draw is worth to us as White, in hundredths of a pawn",
    );
    spin(
        "PvInterval",
        300,
        0,
        100_000,
        "milliseconds between two reports of the best line; 0 for all",
    );
    own.declare("USI_OwnBook", Value::Check(true), "play moves out of BookFile");
    own.declare(
        "BookFile",
        Value::File(String::new()),
        "an opening book in YaneuraOu's text format",
    );
    own.declare(
        LOG,
        Value::File(String::new()),
        "append all lines read and written to this file",
    );
    own
}

/// The engine's option of this USI name.
fn engine_name(name: &str) -> &str {
    let renamed = RENAMED.iter().find(|(usi, _)| usi.eq_ignore_ascii_case(name));
    renamed.map_or(name, |&(_, own)| own)
}

/// Spins are checked for their range, so that none is below zero where that is not allowed.
fn millis(n: i64) -> Duration {
    Duration::from_millis(u64::try_from(n).unwrap_or_default())
}

impl UsiDialect {
    /// A dialect that introduces the engine by this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            own: own_options(),
            book: SfenBook::default(),
            throttle: InfoThrottle::default(),
            may_resign: false,
            lacks_time: false,
            uci: None,
        }
    }

    /// All options by their USI names.
    fn listed(&self, engine: &Options) -> Vec<Opt> {
        let renamed = |o: &Opt| RENAMED.iter().any(|(_, own)| *own == o.name);
        let shown = |o: &&Opt| (renamed(o) || !o.name.starts_with("UCI_")) && o.name != REPLACED;
        let named = |o: &Opt| {
            let usi = RENAMED.iter().find(|(_, own)| *own == o.name);
            Opt {
                name: usi.map_or(o.name, |&(usi, _)| usi),
                ..o.clone()
            }
        };
        let of_engine = engine.iter().filter(shown).map(named);
        of_engine.chain(self.own.iter().cloned()).collect()
    }

    fn introduce(&self, s: &mut Session) {
        s.send(&format!("id name {}", self.name));
        s.send(&format!("id author {AUTHORS}"));
        for option in self.listed(s.engine.options()) {
            s.send(&options::declare_with(&option, "filename"));
        }
        s.send("usiok");
    }

    /// Does what takes long, so that the greeting is answered quickly.
    fn ready(&mut self, s: &mut Session) -> Result<(), BadInput> {
        let loaded = if s.searching() {
            Ok(())
        } else {
            // `isready` comes before each game; after `usinewgame` `go` may follow at once.
            s.engine.new_game();
            self.book.load(self.own.text("BookFile"))
        };
        if let Err(why) = loaded {
            s.send(&format!("info string {why}"));
        }
        reply(s, "readyok")
    }

    /// `setoption name N [value V]`.
    fn set_option(&mut self, words: &[&str], s: &mut Session) -> Result<(), BadInput> {
        let Some((name, value)) = options::name_and_value(words) else {
            return Err(BadInput::new("setoption: expected name NAME [value VALUE]"));
        };
        let value = value.as_deref();
        if self.own.get(&name).is_none() {
            return s.engine.set_option(engine_name(&name), value);
        }
        s.set_own_option(&mut self.own, &name, value, LOG).map(drop)
    }

    fn time_options(&self) -> TimeOptions {
        let ms = |name| millis(self.own.spin(name));
        TimeOptions {
            overhead: Some(ms("NetworkDelay")),
            reserve: ms("NetworkDelay2"),
            least: ms("MinimumThinkingTime"),
            percent: u32::try_from(self.own.spin("SlowMover")).unwrap_or(100),
        }
    }

    fn go(&mut self, words: &[&str], s: &mut Session) -> Result<(), BadInput> {
        let start = Instant::now();
        if let Some(i) = words.iter().position(|&w| w == "perft") {
            return uci::perft(words.get(i + 1..).unwrap_or_default(), s);
        }
        let side = s.engine.side();
        let mut limits = go::limits(words, side, start);
        let (endless, ponder) = (limits.infinite || limits.prove == Some(Duration::MAX), limits.ponder);
        let none = if limits.prove.is_some() { NO_PROOF } else { NO_MOVE };
        if let Err(e) = s.need_position() {
            decline(&e, none, endless, ponder, s);
            return Ok(());
        }
        let mut played = !endless && limits.prove.is_none();
        self.lacks_time = ponder && limits.time == TimeControl::None;
        let wanted = played && !ponder && limits.searchmoves.is_empty() && self.own.check("USI_OwnBook");
        if let Some(mv) = self.book_move(s).filter(|_| wanted) {
            // The book decides; one ply of search gives the answer its form.
            (limits.searchmoves, limits.depth, played) = (vec![mv], Some(1), false);
        }
        limits.time_options = self.time_options();
        limits.claims = played && limits.searchmoves.is_empty();
        limits.draw = i32::try_from(self.own.spin(match side {
            Side::First => "DrawValueBlack",
            Side::Second => "DrawValueWhite",
        }))
        .unwrap_or_default();
        self.may_resign = played;
        self.throttle.start(millis(self.own.spin("PvInterval")));
        if let Err(e) = s.search(limits) {
            decline(&e, none, endless, ponder, s);
        }
        Ok(())
    }

    /// The book's move, if it is legal.
    fn book_move(&self, s: &Session) -> Option<String> {
        let mv = self.book.find(&s.engine.setup())?;
        s.engine.is_legal(mv).then(|| mv.to_string())
    }

    /// `ponderhit`, with the time where `go ponder` brought none.
    fn ponderhit(&mut self, words: &[&str], s: &mut Session) {
        let mut limits = go::limits(words, s.engine.side(), Instant::now());
        if limits.time == TimeControl::None {
            if !self.lacks_time {
                s.ponderhit(None);
                return;
            }
            // Without any time the answer comes now.
            limits.time = TimeControl::MoveTime(Duration::ZERO);
        }
        limits.time_options = self.time_options();
        s.ponderhit(Some(&limits));
    }

    fn best(&mut self, choice: &Choice, ponder: Option<&String>) -> String {
        let floor = self.own.spin("ResignValue");
        let lost = self.throttle.score().is_some_and(|cp| cp <= -floor);
        let gives_up = self.may_resign && floor < 99_999 && lost;
        match choice {
            Choice::Move(_) if gives_up => "bestmove resign".into(),
            Choice::Move(mv) => match ponder {
                Some(reply) => format!("bestmove {mv} ponder {reply}"),
                None => format!("bestmove {mv}"),
            },
            Choice::Nothing | Choice::Resign => NO_MOVE.into(),
            Choice::ClaimWin => "bestmove win".into(),
            Choice::Proof(Proof::Mate(line)) => format!("checkmate {}", line.join(" ")),
            Choice::Proof(Proof::NoMate) => "checkmate nomate".into(),
            Choice::Proof(Proof::Unknown) => "checkmate timeout".into(),
            Choice::Proof(Proof::NotImplemented) => "checkmate notimplemented".into(),
        }
    }
}

/// The words of a line from its command on; unknown words before one of the protocol's own commands are skipped.
fn command<'w, 'a>(words: &'w [&'a str]) -> &'w [&'a str] {
    from_command(words, &is_command, &STANDARD)
}

fn is_command(word: &str) -> bool {
    STANDARD.contains(&word) || EXTRA.contains(&word)
}

impl Dialect for UsiDialect {
    fn urgency(&self, line: &InputLine) -> Urgency {
        match (&self.uci, command(&line.words).first()) {
            (_, Some(&"usi" | &"uci")) => Urgency::Now,
            (Some(uci), _) => uci.urgency(line),
            (None, Some(&("isready" | "quit")) | None) => Urgency::Now,
            (None, Some(&("stop" | "ponderhit" | "gameover"))) => Urgency::Search,
            _ => Urgency::Idle,
        }
    }

    fn act(&mut self, line: &InputLine, s: &mut Session) -> Flow {
        let words = command(&line.words);
        match words.first() {
            Some(&"usi") => self.uci = None,
            Some(&"uci") => {
                let shogi = Value::Combo {
                    now: 0,
                    all: vec!["shogi"],
                };
                if self.uci.is_none() {
                    let uci = UciDialect::new(&*self.name);
                    self.uci = Some(uci.with("UCI_Variant", shogi, "the game; there is no other"));
                }
            }
            _ => {}
        }
        if let Some(uci) = &mut self.uci {
            let translated = accent::translated_words(&line.words);
            let words = translated.iter().map(String::as_str).collect();
            return uci.act(&InputLine { words, ..*line }, s);
        }
        let done = match words {
            ["quit", ..] => return Flow::Break(()),
            ["usi", ..] => {
                self.introduce(s);
                Ok(())
            }
            ["isready", ..] => self.ready(s),
            [] => Ok(()),
            ["stop" | "gameover", ..] => {
                s.stop();
                Ok(())
            }
            ["ponderhit", rest @ ..] => {
                self.ponderhit(rest, s);
                Ok(())
            }
            ["usinewgame", ..] => {
                s.new_game();
                Ok(())
            }
            ["setoption", rest @ ..] => self.set_option(rest, s),
            ["position", rest @ ..] => uci::position(rest, "sfen", s),
            ["go", rest @ ..] => self.go(rest, s),
            ["perft", rest @ ..] => uci::perft(rest, s),
            ["bench", rest @ ..] => uci::bench(rest, s),
            ["genfens", rest @ ..] => uci::genfens(rest, s),
            ["d", ..] => s.need_position().and_then(|()| {
                let text = format!("{}sfen {}", s.engine.picture(), s.engine.setup());
                reply(s, &text)
            }),
            ["eval", ..] => uci::explain(s),
            ["compiler", ..] => reply(s, &uci::compiler_line()),
            ["help", ..] => reply(s, HELP),
            _ => Err(BadInput::new(format!(
                "unknown command {:?}; try help",
                line.words.join(" ")
            ))),
        };
        if let Err(e) = done {
            self.throttle.other_line();
            s.send(&format!("info string {e}"));
        }
        Flow::Continue(())
    }

    fn show(&mut self, report: &Report, s: &mut Session) {
        if let Some(uci) = &mut self.uci {
            return uci.show(&accented(report), s);
        }
        match report {
            Report::Info(info) => {
                for line in self.throttle.lines(info, Instant::now()) {
                    s.send(&line);
                }
            }
            Report::Current { depth, mv, .. } => {
                self.throttle.other_line();
                s.send(&format!("info depth {depth} currmove {mv}"));
            }
            Report::Message(text) => {
                self.throttle.other_line();
                s.send(&format!("info string {text}"));
            }
            Report::Best { choice, ponder, .. } => {
                for line in self.throttle.last_lines() {
                    s.send(&line);
                }
                let line = self.best(choice, ponder.as_ref());
                s.send(&line);
            }
        }
    }

    fn fault(&mut self, s: &mut Session) {
        s.send("info string internal fault: the command was dropped");
    }
}

/// A report with its moves in Cute Chess's notation.
fn accented(report: &Report) -> Report {
    let mut report = report.clone();
    match &mut report {
        Report::Info(info) => info.pv.iter_mut().for_each(|mv| *mv = accent::from_usi(mv)),
        Report::Current { mv, .. } => *mv = accent::from_usi(mv),
        Report::Best { choice, ponder, .. } => {
            if let Choice::Move(mv) = choice {
                *mv = accent::from_usi(mv);
            }
            ponder.iter_mut().for_each(|mv| *mv = accent::from_usi(mv));
        }
        Report::Message(_) => {}
    }
    report
}

/// Answers a search that cannot be begun: the client waits for an answer.
fn decline(why: &BadInput, answer: &str, endless: bool, ponder: bool, s: &mut Session) {
    s.send(&format!("info string {why}"));
    s.decline(answer, endless, ponder);
}

/// Speaks USI until quit: on the commands of the command line if there are any, else on the standard input.
pub fn serve(engine: Box<dyn Engine>, name: &str, args: &[String]) {
    let lines = uci::command_lines(args, &is_command);
    session::serve(engine, &mut UsiDialect::new(name), lines);
}

/// The options of an engine and of this dialect as a table in Markdown.
pub fn options_table(engine: &dyn Engine) -> String {
    options::table(UsiDialect::new("").listed(engine.options()).iter())
}
