//! A sixth game that the library does not know: minichess, in a folder of its own, keeps the laws, counts its move tree and
//! plays over UCI. `docs/new-game.md` goes through its files.

mod minichess;
mod plain;

use crate::laws::check::{Places, by_place, check_game, squares};
use minichess::Minichess;
use nguky::control::Engine;
use nguky::engine::AlphaBeta;
use nguky::game::perft::Perft;
use nguky::game::{Position, Verdict};
use nguky::protocol::Session;
use nguky::protocol::uci::UciDialect;
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write, pipe};
use std::thread::JoinHandle;

/// Positions beside the start: promotions of both sides, checks, a bare ending.
const SETUPS: [&str; 5] = [
    Minichess::START,
    "k4/3P1/5/1p3/4K w 0 20",
    "2k2/1P1P1/5/p2p1/KN3 b 3 20",
    "r1b1k/pp1pp/2n1q/PPP1P/R1BQK w 1 6",
    "4k/5/2K2/3Q1/5 w 7 30",
];

const PLACES: Places = Places {
    read: |setup| squares(setup, Minichess::ABOUT.letters, [5, 5]),
    index: by_place,
};

fn position(setup: &str) -> Minichess {
    Minichess::parse(setup, &()).unwrap_or_else(|e| panic!("{e}: {setup}"))
}

#[test]
fn the_laws_hold() {
    for (seed, setup) in SETUPS.iter().cycle().take(20).enumerate() {
        check_game::<Minichess>(setup, &(), PLACES, seed as u64, 100);
    }
}

#[test]
fn move_trees_are_those_of_a_plain_generator() {
    for setup in SETUPS {
        for depth in 1..=4 {
            let count = Perft::default().count(&position(setup), depth);
            assert_eq!(count, plain::perft(setup, depth), "depth {depth} of {setup}");
        }
    }
}

#[test]
fn bad_setups_are_refused() {
    for (setup, why) in [
        ("", "5 ranks"),
        ("rnbqk/ppppp/5/PPPPP/RNBQ w", "5 squares"),
        ("rnbqk/pppppp/5/PPPPP/RNBQK w", "in rank"),
        ("rnbqk/ppxpp/5/PPPPP/RNBQK w", "'x'"),
        ("rnbqk/ppppp/5/PPPPP/RNBQK", "side"),
        ("rnbqk/ppppp/5/PPPPP/RNBQK w -1", "number"),
        ("rnbqk/ppppp/5/PPPPP/RNBQQ w", "one king"),
        ("4k/5/5/5/K3R w", "not to move is in check"),
        ("3Pk/5/5/5/K4 w", "pawn"),
    ] {
        let told = Minichess::parse(setup, &()).err().map(|e| e.to_string());
        assert!(told.as_ref().is_some_and(|t| t.contains(why)), "{setup}: {told:?}");
    }
}

/// The UCI session of an engine, in a thread of its own.
struct Client {
    input: PipeWriter,
    output: BufReader<PipeReader>,
    session: JoinHandle<()>,
}

impl Client {
    fn new() -> Self {
        let (commands, input) = pipe().expect("a pipe");
        let (output, answers) = pipe().expect("a pipe");
        let session = std::thread::spawn(move || {
            let engine: Box<dyn Engine> = Box::new(AlphaBeta::<Minichess>::new().expect("an engine"));
            let mut session = Session::new(engine, Box::new(answers));
            session.run(&mut UciDialect::new("toy"), Vec::new(), BufReader::new(commands));
        });
        Self {
            input,
            output: BufReader::new(output),
            session,
        }
    }

    /// Sends a line and reads up to the answer that begins so.
    fn ask(&mut self, line: &str, end: &str) -> Vec<String> {
        writeln!(self.input, "{line}").expect("the session listens");
        let mut lines = Vec::new();
        while lines.last().is_none_or(|l: &String| !l.starts_with(end)) {
            let mut line = String::new();
            let read = self.output.read_line(&mut line).expect("a line");
            assert!(read > 0, "the session ended: {lines:?}");
            lines.push(line.trim_end().to_string());
        }
        lines
    }
}

#[test]
fn it_plays_a_game_over_uci_to_its_end() {
    let mut client = Client::new();
    let options = client.ask("uci", "uciok");
    assert!(
        options.iter().any(|l| l.starts_with("option name EvalFile")),
        "{options:?}"
    );
    let mut board = position(Minichess::START);
    let mut line = "position startpos moves".to_string();
    let mut captures = 0;
    while board.ended().is_none() {
        assert!(board.game_ply() < 600, "{line}");
        writeln!(client.input, "{line}").expect("the session listens");
        let answer = client.ask("go nodes 400", "bestmove");
        // Said once: the game has no network.
        let told = |l: &String| l.starts_with("info string no network of minichess is built in") && l.contains("chess");
        assert_eq!(answer.iter().any(told), board.game_ply() == 0, "{answer:?}");
        let last = answer.last().expect("an answer");
        let text = last.split(' ').nth(1).expect("a move");
        let m = board.parse_move(text).unwrap_or_else(|e| panic!("{e} after {line}"));
        captures += u32::from(usize::from(board.tags(m).taken) < Minichess::PIECES);
        board.play(m);
        line += &format!(" {text}");
    }
    assert!(captures > 0, "{line}");
    assert_ne!(board.ended().map(|e| e.verdict), Some(Verdict::Open));
    // What is illegal is refused, and a mate is found.
    let refused = client.ask("position startpos moves a2a4\nisready", "readyok");
    assert!(refused[0].contains("a2a4"), "{refused:?}");
    let mate = client.ask("position fen 4k/5/2K2/3Q1/5 w 0 1\ngo depth 6", "bestmove");
    assert!(mate.iter().any(|l| l.contains("score mate")), "{mate:?}");
    let perft = client.ask("position startpos\ngo perft 3", "Nodes searched");
    let counted = perft.last().and_then(|l| l.rsplit(' ').next()).map(str::to_string);
    assert_eq!(counted, Some(plain::perft(Minichess::START, 3).to_string()));
    writeln!(client.input, "quit").expect("the session listens");
    client.session.join().expect("a quiet end");
}
