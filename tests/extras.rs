//! What chess has beside search: endgame tables, a book, levels of strength, and the options behind them.

use crate::common::{Client, PATIENCE, best, last_info, number};
use nguky::control::Engine;
use nguky::control::{Limits, Outlook, Report};
use nguky::engine::AlphaBeta;
use nguky::game::{Extras, Position, RootTable, Side, Tablebase, Wdl};
use nguky::games::chess::{Chess, ChessMove};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syzygy");

/// A file of the tests' own.
fn file(name: &str, bytes: &[u8]) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).expect("a file");
    path.display().to_string()
}

/// A book of one move at the game's start: b1c3.
fn book() -> Vec<u8> {
    let (from, to) = (1_u16, 18_u16);
    let mut bytes = 0x463b_9618_1691_fc9c_u64.to_be_bytes().to_vec();
    bytes.extend((from << 6 | to).to_be_bytes());
    bytes.extend([0, 1, 0, 0, 0, 0]);
    bytes
}

/// The one line that refuses an option.
fn refused(c: &mut Client, option: &str, what: &str) {
    c.send(&format!("setoption name {option}"));
    c.send("isready");
    let lines = c.until("readyok").1;
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(
        lines[0].starts_with("info string ") && lines[0].contains(what),
        "{lines:?}"
    );
}

/// XBoard always sends its usual folder of tables, and takes these words for an engine that did not start.
#[test]
fn a_missing_folder_of_tables_is_no_failed_start() {
    let mut e = Client::new();
    let said = e.ask("setoption name SyzygyPath value /nowhere/Syzygy");
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("/nowhere/Syzygy"), "{said:?}");
    let trips = ["No such file", "not found", "Permission denied"];
    assert!(!trips.iter().any(|t| said[0].contains(t)), "{said:?}");
}

#[test]
fn the_book_is_played_when_asked_for() {
    let path = file("one.bin", &book());
    let mut c = Client::ready(&[&format!("BookFile={path}")]);
    let searched = |lines: &[String]| lines.iter().any(|l| l.contains(" depth "));
    c.send("position startpos");
    assert!(searched(&c.go("go depth 3")));
    c.send("setoption name OwnBook value true");
    for go in [
        "go depth 3",
        "go wtime 1000 btime 1000",
        "go movetime 20",
        "go nodes 100",
    ] {
        let lines = c.go(go);
        assert!(!searched(&lines) && best(&lines) == "b1c3", "{go}: {lines:?}");
    }
    assert_eq!(best(&c.go("go depth 3 searchmoves d2d4")), "d2d4");
    for go in ["go infinite", "go ponder wtime 1000 btime 1000"] {
        c.send(go);
        c.until("info depth 5 ");
        c.send("stop");
        c.until("bestmove");
    }
    c.send("position startpos moves e2e4");
    assert!(searched(&c.go("go depth 3")));
    c.send("position startpos");
    c.send("setoption name UCI_AnalyseMode value true");
    assert!(searched(&c.go("go depth 3")));
}

#[test]
fn a_bad_book_leaves_the_former_one() {
    let (good, half) = (file("good.bin", &book()), file("half.bin", &book()[..15]));
    let mut c = Client::ready(&["OwnBook=true", &format!("BookFile={good}")]);
    refused(&mut c, "BookFile value /nowhere/book.bin", "/nowhere/book.bin");
    refused(&mut c, &format!("BookFile value {half}"), "15 bytes");
    assert_eq!(best(&c.go("go depth 2")), "b1c3");
    c.send("setoption name BookFile value <empty>");
    assert!(c.go("go depth 2").len() > 1);
}

#[test]
fn bad_tables_leave_the_former_ones() {
    let mut c = Client::ready(&[&format!("SyzygyPath={TABLES}")]);
    refused(&mut c, "SyzygyPath value /nowhere/at/all", "/nowhere/at/all");
    refused(
        &mut c,
        &format!("SyzygyPath value {}/src", env!("CARGO_MANIFEST_DIR")),
        "no tables",
    );
    refused(&mut c, "SyzygyProbeLimit value 8", "7");
    c.send("position fen 8/8/8/3k4/8/8/8/KR6 w - - 0 1");
    let lines = c.go("go depth 6");
    assert!(number(last_info(&lines), "tbhits").is_some_and(|n| n > 0), "{lines:?}");
}

fn score(lines: &[String]) -> String {
    let mut words = last_info(lines).split(' ').skip_while(|w| *w != "score").skip(1);
    format!("{} {}", words.next().unwrap_or(""), words.next().unwrap_or(""))
}

#[test]
fn the_fifty_move_rule_counts_as_the_option_says() {
    let mut c = Client::ready(&[&format!("SyzygyPath={TABLES}")]);
    // A won endgame, but too late.
    c.send("position fen 8/8/8/3k4/8/8/8/KR6 w - - 90 100");
    assert_eq!(score(&c.go("go depth 4")), "cp 0");
    c.send("setoption name Syzygy50MoveRule value false");
    let told = score(&c.go("go depth 4"));
    let won = told.strip_prefix("cp ").and_then(|n| n.parse::<i32>().ok());
    assert!(won.is_some_and(|n| n > 10_000), "{told}");
}

/// The only move that wins is found at any depth, in a time that allows no search.
#[test]
fn root_moves_are_those_of_the_tables() {
    let mut c = Client::ready(&[&format!("SyzygyPath={TABLES}"), "MultiPV=3"]);
    // Only the opposition wins.
    c.send("position fen 4k3/8/3K4/4P3/8/8/8/8 w - - 0 1");
    for depth in 1..6 {
        assert_eq!(best(&c.go(&format!("go depth {depth}"))), "d6e6");
    }
    // Here only one move draws.
    c.send("position fen 8/8/8/8/6k1/4P3/4K3/8 b - - 0 1");
    for depth in 1..6 {
        assert_eq!(best(&c.go(&format!("go depth {depth}"))), "g4f5");
    }
}

#[test]
fn a_table_win_is_played_to_mate() {
    let mut c = Client::ready(&[&format!("SyzygyPath={TABLES}")]);
    let mut moves = String::new();
    let mut p = Chess::parse("8/8/3k4/8/3K4/8/3P4/8 w - - 0 1", &Default::default()).expect("a position");
    let start = p.setup();
    for _ in 0..120 {
        if p.ended().is_some() {
            break;
        }
        c.send(&format!("position fen {start} moves{moves}"));
        let mv = best(&c.go("go nodes 2000"));
        moves += &format!(" {mv}");
        let mv = p.parse_move(&mv).expect("a legal move");
        p.play(mv);
    }
    assert_eq!(p.ended().map(|e| e.reason), Some("checkmate"), "{moves}");
}

/// Tables that know every position with three pieces, as it suits the test, and count their answers.
struct Fake {
    wdl: fn(&Chess) -> Wdl,
    asked: AtomicU64,
}

impl Tablebase<Chess> for Fake {
    fn probe(&self, p: &Chess, _depth: i32) -> Option<Wdl> {
        (p.occupied().count_ones() == 3).then(|| {
            self.asked.fetch_add(1, Relaxed);
            (self.wdl)(p)
        })
    }

    fn root_moves(&self, _p: &Chess) -> Option<RootTable<ChessMove>> {
        None
    }
}

struct FakeExtras(Arc<Fake>);

impl Extras<Chess> for FakeExtras {
    fn tables(&self) -> Option<Arc<dyn Tablebase<Chess>>> {
        Some(self.0.clone())
    }
}

/// The score and table hits of a search with such tables, and how often they were asked.
fn with_fake(wdl: fn(&Chess) -> Wdl, fen: &str) -> (Outlook, u64, u64) {
    let fake = Arc::new(Fake {
        wdl,
        asked: AtomicU64::new(0),
    });
    let mut engine = AlphaBeta::<Chess>::with(Box::new(FakeExtras(fake.clone()))).expect("an engine");
    engine.position(Some(fen), &[]).expect("a position");
    let last = Arc::new(Mutex::new(None));
    let seen = last.clone();
    let sink = Arc::new(move |report| {
        if let Report::Info(info) = report {
            *seen.lock().expect("a lock") = Some((info.outlook, info.tbhits));
        }
    });
    engine.go(Limits::depth(6), sink).expect("a search");
    engine.wait();
    let (outlook, hits) = last.lock().expect("a lock").take().expect("a line");
    (outlook, hits, fake.asked.load(Relaxed))
}

#[test]
fn the_tree_believes_the_tables() {
    const FEN: &str = "8/8/8/8/8/2k5/8/KQ5q w - - 0 1";
    let cp = |o: Outlook| match o {
        Outlook::Centipawns(cp) => cp,
        Outlook::Mate(_) => panic!("a table's word is no mate"),
    };
    // The queen wins the queen, and that is a draw, they say.
    let (outlook, hits, asked) = with_fake(|_| Wdl::Draw, FEN);
    assert!(cp(outlook).abs() <= 10, "{outlook:?}");
    assert!(hits > 0 && hits == asked, "{hits} of {asked}");
    let won = |p: &Chess| if p.side() == Side::First { Wdl::Win } else { Wdl::Loss };
    assert!(cp(with_fake(won, FEN).0) > 30_000);
}

#[test]
fn a_network_that_is_not_there_is_refused() {
    let mut c = Client::ready(&["EvalFile=<empty>"]);
    refused(&mut c, "EvalFile value some.nnue", "some.nnue");
}

#[test]
fn a_weak_engine_looks_at_little_and_plays_what_it_shows() {
    let mut c = Client::ready(&["UCI_LimitStrength=true"]);
    refused(&mut c, "UCI_Elo value 999", "999");
    refused(&mut c, "UCI_Elo value 3201", "3201");
    let mut spent = Vec::new();
    for elo in [1000, 1500, 2000, 2500, 3000] {
        c.send(&format!("setoption name UCI_Elo value {elo}"));
        c.send("ucinewgame");
        c.send("position startpos moves e2e4 e7e5 g1f3");
        let lines = c.go("go movetime 10000");
        let shown = last_info(&lines);
        assert!(
            shown.contains(" multipv 1 ") && shown.contains(&format!(" pv {}", best(&lines))),
            "{lines:?}"
        );
        spent.push(number(shown, "nodes").expect("a count"));
    }
    assert!(spent.is_sorted() && spent[0] < 2000 && spent[4] <= 75_000, "{spent:?}");
    c.send("setoption name UCI_Elo value 1500");
    // The budget holds on the opponent's time, and the answer waits for its word.
    c.send("go ponder wtime 1000 btime 1000");
    std::thread::sleep(PATIENCE / 100);
    c.send("stop");
    let lines = c.until("bestmove").1;
    assert!(
        number(last_info(&lines), "nodes").is_some_and(|n| n < 10_000),
        "{lines:?}"
    );
    // An analysis is at full strength: so deep the budget does not reach.
    c.send("go infinite");
    c.until("info depth 12 ");
    c.send("stop");
    c.until("bestmove");
}

/// Weak play varies: a person would else win the same game again and again.
#[test]
fn a_weak_engine_varies() {
    let mut c = Client::ready(&["UCI_LimitStrength=true", "UCI_Elo=1000"]);
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..40 {
        c.send("ucinewgame");
        c.send("position startpos");
        seen.insert(best(&c.go("go movetime 100")));
    }
    assert!(seen.len() > 1, "{seen:?}");
}

#[test]
fn mates_are_found_when_asked_for() {
    let mut c = Client::ready(&[]);
    for (fen, moves, mv) in [
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", 1, "a1a8"),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2, "a1a6"),
        ("r5k1/8/8/8/8/8/5PPP/6K1 b - - 0 1", 1, "a8a1"),
    ] {
        c.send(&format!("position fen {fen}"));
        let lines = c.go(&format!("go mate {moves}"));
        assert_eq!((best(&lines), score(&lines)), (mv.to_string(), format!("mate {moves}")));
    }
}
