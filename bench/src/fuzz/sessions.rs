//! Whole sessions of each protocol, in this process: the input's lines, then `stop` and `quit`.

use super::files::folder;
use super::texts::text;
use nguky::control::Engine;
use nguky::gtp::GtpDialect;
use nguky::gtp::analysis::{KataAnalysis, Settings};
use nguky::mcts::engine::Mcts;
use nguky::protocol::session::{Dialect, Session};
use nguky::protocol::ucci::UcciDialect;
use nguky::protocol::uci::UciDialect;
use nguky::protocol::usi::UsiDialect;
use nguky::register;
use std::io::{Cursor, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Lines of a session.
const LINES: usize = 60;

/// What a session wrote.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Whether a line leaves the machine as it is: no file is named, and no count asks for more memory or threads than a fuzzer's
/// process should take.
fn harmless(line: &str) -> bool {
    let mut digits = 0;
    let large = line.starts_with("setoption")
        && line.bytes().any(|c| {
            digits = if c.is_ascii_digit() { digits + 1 } else { 0 };
            digits > 1
        });
    let lower = line.to_lowercase();
    !large
        && !["file", "log", "sgf", "model", "path", "book", "genfens", "bench"]
            .iter()
            .any(|w| lower.contains(w))
}

/// Runs a session; a panic that it caught is a fault as well.
fn run<E: Engine + ?Sized>(engine: Box<E>, dialect: &mut dyn Dialect<E>, lines: &[&str]) {
    let output = Output::default();
    let mut all = lines.join("\n");
    all.push_str("\nstop\nquit\n");
    Session::new(engine, Box::new(output.clone())).run(dialect, Vec::new(), Cursor::new(all.into_bytes()));
    let told = output.0.lock().unwrap_or_else(PoisonError::into_inner);
    assert!(!String::from_utf8_lossy(&told).contains("internal fault"));
}

/// The harmless lines of an input.
fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|l| harmless(l)).take(LINES).collect()
}

fn engine(program: &str) -> Box<dyn Engine> {
    register::engine(program).expect("built-in networks")
}

/// UCI.
pub fn uci(data: &[u8]) {
    let engine = engine("nguky-uci");
    let mut dialect = UciDialect::with_variants("nguky-uci", &engine.variants());
    run(engine, &mut dialect, &lines(&text(data)));
}

/// UCCI.
pub fn ucci(data: &[u8]) {
    let engine = engine("nguky-ucci");
    let mut dialect = UcciDialect::new("nguky-ucci", &engine.variants());
    run(engine, &mut dialect, &lines(&text(data)));
}

/// USI.
pub fn usi(data: &[u8]) {
    run(
        engine("nguky-usi"),
        &mut UsiDialect::new("nguky-usi"),
        &lines(&text(data)),
    );
}

/// GTP.
pub fn gtp(data: &[u8]) {
    go(&lines(&text(data)));
}

fn go(lines: &[&str]) {
    let mut engine = Mcts::new().expect("the built-in network");
    engine.set_option("Visits", Some("8")).expect("an option");
    run(Box::new(engine), &mut GtpDialect::new(false), lines);
}

/// KataGo's analysis, a request a line.
pub fn analysis(data: &[u8]) {
    let text = text(data);
    let lines: Vec<&str> = text.lines().take(LINES).collect();
    let engine = Mcts::new().expect("the built-in network");
    run(Box::new(engine), &mut KataAnalysis::new(Settings::default()), &lines);
}

/// `loadsgf` of GTP.
pub fn loadsgf(data: &[u8]) {
    let path = folder("loadsgf").join("game.sgf");
    std::fs::write(&path, data).expect("a temporary file");
    go(&[
        &format!("loadsgf {}", path.display()),
        "showboard",
        "printsgf",
        "final_score",
    ]);
}

/// A book of YaneuraOu's.
pub fn sfen_book(data: &[u8]) {
    let path = folder("sfen").join("book.db");
    std::fs::write(&path, data).expect("a temporary file");
    let option = format!("setoption name BookFile value {}", path.display());
    let lines = [
        "usi",
        &option,
        "isready",
        "position startpos",
        "go depth 1",
        "go depth 1",
    ];
    run(engine("nguky-usi"), &mut UsiDialect::new("nguky-usi"), &lines);
}

/// An endgame table of king and queen against king.
pub fn syzygy(data: &[u8]) {
    let folder = folder("syzygy");
    let table = |ending: &str| write(&folder.join(format!("KQvK.{ending}")), data);
    table("rtbw");
    table("rtbz");
    let option = format!("setoption name SyzygyPath value {}", folder.display());
    let lines = [
        "uci",
        &option,
        "isready",
        "position fen 8/8/8/3k4/8/8/1Q6/1K6 w - - 0 1",
        "go depth 3",
    ];
    let engine = engine("nguky-uci");
    let mut dialect = UciDialect::with_variants("nguky-uci", &engine.variants());
    run(engine, &mut dialect, &lines);
}

fn write(path: &Path, data: &[u8]) {
    std::fs::write(path, data).expect("a temporary file");
}
