//! UCI, the Universal Chess Interface (Stefan Meyer-Kahlen and Rudolf Huber, 2006), as today's clients speak it.
//!
//! | command | what it does | while searching |
//! |---|---|---|
//! | `uci` | name, options, `uciok` | at once |
//! | `isready` | `readyok` | at once |
//! | `debug` | nothing | at once |
//! | `stop` | the answer, soon | at once; nothing when idle |
//! | `ponderhit` | the clock starts | at once; nothing when idle |
//! | `quit` | the end | at once; after a running `bench` or `perft`, which `stop` ends |
//! | `setoption name N [value V]` | sets an option | after the search; stops an endless one |
//! | `ucinewgame` | forgets the last game | after the search; stops an endless one |
//! | `position startpos\|fen F [moves M...]` | sets up a position | after the search; stops an endless one |
//! | `go ...` | starts a search | after the search; stops an endless one |
//! | `register` | nothing | after the search; stops an endless one |
//! | `go perft N`, `perft N` | counts moves | after the search; stops an endless one |
//! | `d`, `eval` | the board, the evaluation's terms | after the search; stops an endless one |
//! | `bench [depth]` | searches fixed positions | after the search; stops an endless one |
//! | `genfens N seed S [book B]` | random openings, as OpenBench asks for them | after the search; stops an endless one |
//! | `compiler`, `help` | a line | after the search; stops an endless one |
//!
//! After a refused `position` there is none until one is accepted or a new game begins: `go` answers `bestmove 0000`, and
//! `d`, `eval` and `perft` say so.

use super::cli::AUTHORS;
use super::go::limits;
use super::lines::{from_command, next_line};
use super::session::{Dialect, DuringJob, Flow, InputLine, Session, Urgency};
use super::{options, session};
use crate::control::{Bound, Choice, Engine, Info, Opt, Options, Outlook, Report, Value};
use crate::game::BadInput;
use crate::util::files;
use crate::util::rng::SplitMix;
use std::fmt::Write;
use std::io::BufReader;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

/// The commands of the protocol.
const STANDARD: [&str; 11] = [
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
];
/// The commands that engines commonly know beside them.
pub(super) const EXTRA: [&str; 7] = ["d", "eval", "bench", "perft", "genfens", "compiler", "help"];

const HELP: &str = "info string uci, debug, isready, setoption, register, ucinewgame, position, go, stop, ponderhit, \
quit; also d (board), eval, bench [depth], go perft N, genfens N seed S, compiler";

/// The dialect's own option: the path of the log.
const LOG: &str = "Debug Log File";
/// The option that names the game.
pub(super) const VARIANT: &str = "UCI_Variant";

/// The dialect's state.
pub struct UciDialect {
    name: String,
    own: Options,
}

impl UciDialect {
    /// A dialect that introduces the engine by this name; ASCII, because some clients read Latin-1.
    pub fn new(name: impl Into<String>) -> Self {
        let mut own = Options::default();
        own.declare(
            LOG,
            Value::File(String::new()),
            "append all lines read and written to this file",
        );
        Self { name: name.into(), own }
    }

    /// The same for an engine of several games, where there are names: interfaces choose among them by `UCI_Variant`.
    pub fn with_variants(name: impl Into<String>, variants: &[&'static str]) -> Self {
        let mut uci = Self::new(name);
        if variants.is_empty() {
            return uci;
        }
        let all = Value::Combo {
            now: 0,
            all: variants.to_vec(),
        };
        uci.own.declare(VARIANT, all, "the game that is played");
        uci
    }

    /// All options: the engine's and the dialect's own.
    pub fn all_options<'a>(&'a self, engine: &'a Options) -> impl Iterator<Item = &'a Opt> {
        options::both(engine, &self.own)
    }

    /// The option that names the game, where there are several.
    pub(super) fn variants(&self) -> Option<&Opt> {
        self.own.get(VARIANT)
    }

    /// The dialect with one more option, which only clients use.
    pub fn with(mut self, name: &'static str, value: Value, help: &'static str) -> Self {
        self.own.declare(name, value, help);
        self
    }

    fn introduce(&self, s: &mut Session) {
        s.send(&format!("id name {}", self.name));
        s.send(&format!("id author {AUTHORS}"));
        let lines: Vec<String> = options::both(s.engine.options(), &self.own)
            .map(options::declare)
            .collect();
        for line in lines {
            s.send(&line);
        }
        s.send("uciok");
    }

    /// `setoption name A B [value C D]`.
    pub(super) fn set_option(&mut self, words: &[&str], s: &mut Session) -> Result<(), BadInput> {
        let Some((name, value)) = options::name_and_value(words) else {
            return Err(BadInput::new("setoption: expected name NAME [value VALUE]"));
        };
        let value = value.as_deref();
        if self.own.get(&name).is_none() || s.engine.options().get(&name).is_some() {
            return s.engine.set_option(&name, value);
        }
        let new = s.set_own_option(&mut self.own, &name, value, LOG)?;
        if new.name == VARIANT {
            s.engine.set_variant(&new.value.text())?;
        }
        Ok(())
    }
}

fn is_command(word: &str) -> bool {
    STANDARD.contains(&word) || EXTRA.contains(&word)
}

/// The words of a line from its command on: "If the engine receives an unknown command or token it should just ignore
/// it and try to parse the rest of the string". Only the protocol's own commands are looked for behind an unknown word.
fn command<'w, 'a>(words: &'w [&'a str]) -> &'w [&'a str] {
    from_command(words, &is_command, &STANDARD)
}

impl Dialect for UciDialect {
    fn urgency(&self, line: &InputLine) -> Urgency {
        match command(&line.words).first() {
            Some(&("uci" | "debug" | "isready" | "quit")) | None => Urgency::Now,
            Some(&("stop" | "ponderhit")) => Urgency::Search,
            _ => Urgency::Idle,
        }
    }

    fn act(&mut self, line: &InputLine, s: &mut Session) -> Flow {
        let done = match command(&line.words) {
            ["quit", ..] => return Flow::Break(()),
            ["uci", ..] => {
                self.introduce(s);
                Ok(())
            }
            ["isready", ..] => reply(s, "readyok"),
            ["debug" | "register", ..] | [] => Ok(()),
            ["stop", ..] => {
                s.stop();
                Ok(())
            }
            ["ponderhit", ..] => {
                s.ponderhit(None);
                Ok(())
            }
            ["ucinewgame", ..] => {
                s.new_game();
                Ok(())
            }
            ["setoption", rest @ ..] => self.set_option(rest, s),
            ["position", rest @ ..] => position(rest, "fen", s),
            ["go", rest @ ..] => go(rest, s),
            ["perft", rest @ ..] => perft(rest, s),
            ["bench", rest @ ..] => bench(rest, s),
            ["genfens", rest @ ..] => genfens(rest, s),
            ["d", ..] => s.need_position().and_then(|()| reply(s, &s.engine.picture())),
            ["eval", ..] => explain(s),
            ["compiler", ..] => reply(s, &compiler_line()),
            ["help", ..] => reply(s, HELP),
            _ => Err(BadInput::new(format!(
                "unknown command {:?}; try help",
                line.words.join(" ")
            ))),
        };
        if let Err(e) = done {
            s.send(&format!("info string {e}"));
        }
        Flow::Continue(())
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
        s.send(&line);
    }

    fn fault(&mut self, s: &mut Session) {
        s.send("info string internal fault: the command was dropped");
    }
}

/// Sends the answer of a command that cannot fail.
pub(super) fn reply(s: &mut Session, text: &str) -> Result<(), BadInput> {
    s.send(text);
    Ok(())
}

/// `eval`.
pub(super) fn explain(s: &mut Session) -> Result<(), BadInput> {
    s.need_position()?;
    let text = s.engine.explain();
    reply(s, &text)
}

/// The words after `position`: `startpos` or `fen FEN`, where `keyword` stands for `fen`, and the moves. An error is the
/// setup that is neither.
pub(super) fn setup_and_moves<'a>(
    words: &'a [&'a str],
    keyword: &str,
) -> Result<(Option<String>, &'a [&'a str]), String> {
    let at = words.iter().position(|&w| w == "moves").unwrap_or(words.len());
    let (setup, moves) = words.split_at(at);
    let setup = match setup {
        ["startpos", ..] => None,
        [word, setup @ ..] if *word == keyword && !setup.is_empty() => Some(setup.join(" ")),
        _ => return Err(setup.join(" ")),
    };
    Ok((setup, moves.get(1..).unwrap_or_default()))
}

/// `position startpos|fen FEN [moves M...]`, where `keyword` stands for `fen`.
pub(super) fn position(words: &[&str], keyword: &str, s: &mut Session) -> Result<(), BadInput> {
    let done = match setup_and_moves(words, keyword) {
        Err(given) => Err(BadInput::new(format!(
            "position: expected startpos or {keyword} {}, not {given:?}",
            keyword.to_uppercase()
        ))),
        Ok((setup, moves)) => s.engine.position(setup.as_deref(), moves).map_err(|e| match setup {
            Some(setup) if moves.is_empty() => BadInput::new(format!("position refused: {e}, in {setup:?}")),
            _ => BadInput::new(format!("position refused: {e}")),
        }),
    };
    s.set_position_accepted(done.is_ok());
    done
}

fn go(words: &[&str], s: &mut Session) -> Result<(), BadInput> {
    let start = Instant::now();
    if let Some(i) = words.iter().position(|&w| w == "perft") {
        return perft(words.get(i + 1..).unwrap_or_default(), s);
    }
    let limits = limits(words, s.engine.side(), start);
    let (infinite, ponder) = (limits.infinite, limits.ponder);
    // Whoever asks for a search waits for its answer. UCI's null move means that there is no board to move on, `(none)`
    // that the board has no move.
    if let Err(e) = s.need_position() {
        s.send(&format!("info string {e}"));
        s.decline("bestmove 0000", infinite, ponder);
        return Ok(());
    }
    if let Err(e) = s.search(limits) {
        s.send(&format!("info string {e}"));
        s.decline("bestmove (none)", infinite, ponder);
    }
    Ok(())
}

/// What a line does while a job has the engine that no line ends: pings are answered.
fn during_job(line: &InputLine) -> DuringJob {
    match command(&line.words).first() {
        Some(&"isready") => DuringJob::Answered("readyok"),
        _ => DuringJob::Waits,
    }
}

/// The same where a `stop` ends the job. A `quit` waits for its result: scripts send one with the command.
fn during_perft(line: &InputLine) -> DuringJob {
    match command(&line.words).first() {
        Some(&"stop") => DuringJob::Ends,
        _ => during_job(line),
    }
}

/// Deeper perfts than this would not end in a lifetime.
const DEEPEST_PERFT: u32 = 20;

pub(super) fn perft(words: &[&str], s: &mut Session) -> Result<(), BadInput> {
    s.need_position()?;
    let depth = words.first().and_then(|w| w.parse::<u32>().ok());
    let Some(depth) = depth.filter(|d| (1..=DEEPEST_PERFT).contains(d)) else {
        return Err(BadInput::new(format!(
            "perft: expected a depth from 1 to {DEEPEST_PERFT}, not {:?}",
            words.first().unwrap_or(&"")
        )));
    };
    s.lend(during_perft, |engine, send, halt| {
        let threads = usize::try_from(engine.options().spin("Threads")).unwrap_or(1);
        let counts = engine.perft(depth, threads.max(1), halt);
        if halt.load(Relaxed) {
            return send("info string perft was stopped".into());
        }
        for (mv, n) in &counts {
            send(format!("{mv}: {n}"));
        }
        if let Some(what) = engine.perft_counts() {
            send(format!("info string {what}"));
        }
        let total: u64 = counts.iter().map(|(_, n)| n).sum();
        send(format!("\nNodes searched: {total}\n"));
    });
    Ok(())
}

/// The depth of `bench` by default.
pub const BENCH_DEPTH: u32 = 13;
/// Deeper benches would not end.
const DEEPEST_BENCH: u32 = 40;

pub(super) fn bench(words: &[&str], s: &mut Session) -> Result<(), BadInput> {
    let depth = match words.first() {
        None => Some(BENCH_DEPTH),
        Some(w) => w.parse().ok().filter(|d| (1..=DEEPEST_BENCH).contains(d)),
    };
    let Some(depth) = depth else {
        return Err(BadInput::new(format!(
            "bench: expected a depth from 1 to {DEEPEST_BENCH}, not {:?}",
            words.first().unwrap_or(&"")
        )));
    };
    s.lend(during_job, |engine, send, _| {
        let (nodes, seconds) = engine.bench(depth, &mut |i, n| {
            send(format!("info string position {}: {n} nodes", i + 1))
        });
        send(bench_line(nodes, seconds));
    });
    Ok(())
}

/// Most openings given at once.
const MOST_OPENINGS: usize = 100_000;

/// `genfens N seed S [book None|PATH]`, the call by which OpenBench asks for openings.
pub(super) fn genfens(words: &[&str], s: &mut Session) -> Result<(), BadInput> {
    let after = |key: &str| {
        let at = words.iter().position(|&w| w == key)?;
        words.get(at + 1).copied()
    };
    let n = words.first().and_then(|w| w.parse::<usize>().ok());
    let seed = after("seed").map_or(Some(0), |w| w.parse::<u64>().ok());
    let (Some(n @ 0..=MOST_OPENINGS), Some(seed)) = (n, seed) else {
        return Err(BadInput::new("genfens: expected N seed S [book None|PATH]"));
    };
    let book = after("book").filter(|b| !b.eq_ignore_ascii_case("none"));
    let setup = s.engine.setup();
    let openings = match book {
        Some(path) => from_book(path, n, seed, s.engine.as_mut())?,
        None => s.engine.openings(n, seed),
    };
    let _ = s.engine.position(Some(&setup), &[]);
    for fen in openings {
        s.send(&format!("info string genfens {fen}"));
    }
    Ok(())
}

/// The largest book of openings that is read into memory, in bytes.
const LARGEST_BOOK: u64 = 1 << 30;

/// `n` lines of a book of setups, drawn by the seed; lines that the engine refuses are passed over.
fn from_book(path: &str, n: usize, seed: u64, engine: &mut dyn Engine) -> Result<Vec<String>, BadInput> {
    let refused = |why: String| BadInput::new(format!("genfens: {why}"));
    let (mut file, _) = files::open(path, LARGEST_BOOK).map_err(refused)?;
    let head = files::head(&mut file, 4096).map_err(|e| refused(format!("cannot read {path:?}: {e}")))?;
    if head.contains(&0) {
        return Err(refused(format!(
            "{path:?} is no text; expected a position in each line"
        )));
    }
    let mut input = BufReader::new(file);
    let mut lines: Vec<String> = std::iter::from_fn(|| next_line(&mut input)).collect();
    let mut rng = SplitMix::new(seed);
    let mut found = Vec::new();
    while found.len() < n && !lines.is_empty() {
        let line = lines.swap_remove(rng.below(lines.len() as u64) as usize);
        // An EPD's operations are not part of the setup.
        let setup = line.split(';').next().unwrap_or_default().trim();
        if engine.position(Some(setup), &[]).is_ok() {
            found.push(engine.setup());
        }
    }
    Ok(found)
}

/// The version, and which of the built-in kernels the processor runs.
pub(super) fn compiler_line() -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!("info string nguky {version}, rustc; {}", crate::engine::kernels())
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

/// Speaks UCI until quit: on the commands of the command line if there are any, else on the standard input.
pub fn serve(engine: Box<dyn Engine>, name: &str, args: &[String]) {
    let lines = command_lines(args, &is_command);
    let mut dialect = UciDialect::with_variants(name, &engine.variants());
    session::serve(engine, &mut dialect, lines);
}

/// The options of an engine and of this dialect as a table in Markdown.
pub fn options_table(engine: &dyn Engine) -> String {
    let uci = UciDialect::with_variants("", &engine.variants());
    options::table(uci.all_options(engine.options()))
}

/// Arguments to lines: each that begins with a command begins one, so that both `"go depth 5" d` and `go depth 5 d` do.
pub(super) fn command_lines(args: &[String], starts: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for arg in args {
        let word = arg.split_whitespace().next().unwrap_or_default();
        match lines.last_mut() {
            // `go perft 5` is one command.
            Some(line) if !starts(word) || (line == "go" && word == "perft") => {
                line.push(' ');
                line.push_str(arg);
            }
            _ => lines.push(arg.clone()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_words_before_a_command_are_skipped() {
        let command = |text| command(&InputLine::new(text).words).join(" ");
        assert_eq!(command("joho debug on"), "debug on");
        assert_eq!(command("  go  depth 3 "), "go depth 3");
        assert_eq!(command("what is a d"), "what is a d");
        assert_eq!(command(" \t "), "");
    }

    #[test]
    fn arguments_are_lines() {
        let lines = |text: &[&str]| command_lines(&text.iter().map(|s| s.to_string()).collect::<Vec<_>>(), &is_command);
        assert_eq!(lines(&["go depth 5", "quit"]), ["go depth 5", "quit"]);
        assert_eq!(
            lines(&["position", "startpos", "go", "perft", "3"]),
            ["position startpos", "go perft 3"]
        );
        assert_eq!(lines(&["genfens 8 seed 1 book None", "quit"]).len(), 2);
    }

    #[test]
    fn mates_are_counted_in_moves() {
        let text = |plies| outlook_text(Outlook::Mate(plies));
        assert_eq!([text(1), text(2), text(3)], ["mate 1", "mate 1", "mate 2"]);
        assert_eq!([text(0), text(-2), text(-4)], ["mate 0", "mate -1", "mate -2"]);
    }

    #[test]
    fn an_info_line_has_its_fields_in_order() {
        let info = Info {
            depth: 5,
            seldepth: 7,
            multipv: 0,
            outlook: Outlook::Centipawns(-12),
            bound: Bound::Lower,
            wdl: [1, 2, 997],
            nodes: 3000,
            hashfull: 4,
            tbhits: 1,
            time: std::time::Duration::from_millis(1500),
            pv: vec!["e2e4".into(), "e7e5".into()],
        };
        assert_eq!(
            info_line(&info, true),
            "info depth 5 seldepth 7 multipv 1 score cp -12 lowerbound wdl 1 2 997 nodes 3000 nps 2000 hashfull 4 \
             tbhits 1 time 1500 pv e2e4 e7e5"
        );
    }
}
