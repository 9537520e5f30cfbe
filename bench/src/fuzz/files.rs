//! Files: networks, books, self-play, the state of a match.

use super::texts::text;
use crate::arena::identity::Identity;
use crate::arena::record::FIRST_LINE;
use crate::arena::state::{MatchFiles, MatchState};
use crate::games::{GameRecord, Scan, parsed};
use crate::go::record::GoRecord;
use nguky::eval::conv::Model;
use nguky::eval::nnue::{HalfKp, Net};
use nguky::game::Position;
use nguky::games::chess::Chess;
use nguky::games::chess::book::PolyglotBook;
use nguky::games::coup::Coup;
use nguky::games::shogi::Shogi;
use nguky::games::xiangqi::Xiangqi;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A folder of this process for one target.
pub fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir()
        .join(format!("nguky-fuzz-{}", std::process::id()))
        .join(name);
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    folder
}

/// A file with these bytes.
fn file(name: &str, data: &[u8]) -> PathBuf {
    let path = folder("files").join(name);
    std::fs::write(&path, data).expect("a temporary file");
    path
}

/// Our networks, of each game; an accepted one is written back byte by byte.
pub fn nnue(data: &[u8]) {
    let _ = (
        Net::read::<Xiangqi>(data),
        Net::read::<Coup>(data),
        Net::read::<Shogi>(data),
    );
    if let Ok(net) = Net::read::<Chess>(data) {
        let again = Net::read::<Chess>(&net.write::<Chess>());
        assert_eq!(again.as_ref(), Ok(&net));
    }
}

/// HalfKP networks of shogi.
pub fn halfkp(data: &[u8]) {
    let _ = HalfKp::read(data);
}

/// KataGo's networks, as text, binary and packed.
pub fn conv(data: &[u8]) {
    let _ = Model::read(data);
}

/// Polyglot books.
pub fn polyglot(data: &[u8]) {
    let path = file("book.bin", data);
    if let Ok(book) = PolyglotBook::open(&path.to_string_lossy()) {
        let start = Chess::parse(Chess::START, &Default::default()).expect("the start");
        for dice in 0..4 {
            if let Some(m) = book.pick(&start, dice << 62 | dice) {
                assert!(start.is_legal(m));
            }
        }
    }
}

/// Opening files, of every form that a file's text shows.
pub fn openings(data: &[u8]) {
    let path = file("openings.txt", data);
    let _ = crate::arena::books::from_file::<Chess>(&path, 4, Some(20), 1);
    let _ = crate::arena::books::from_file::<Xiangqi>(&path, 4, Some(20), 1);
    let _ = crate::arena::books::from_file::<Shogi>(&path, 4, Some(20), 1);
    let _ = crate::arena::books::positions::<Coup>(&path);
}

/// Self-play of the games of the alpha-beta search: a sound record is written back alike, and replays or is refused.
pub fn games(data: &[u8]) {
    for record in Scan::<GameRecord>::new(data).take(20) {
        let bytes = record.record();
        let again = Scan::<GameRecord>::new(&bytes).next();
        assert_eq!(again.as_ref(), Some(&record));
        record.replay::<Chess>(&mut |_, _| {});
        record.replay::<Coup>(&mut |_, _| {});
        record.replay::<Shogi>(&mut |_, _| {});
        record.replay::<Xiangqi>(&mut |_, _| {});
    }
}

/// Self-play of go.
pub fn games_of_go(data: &[u8]) {
    for record in Scan::<GoRecord>::new(data).take(20) {
        let bytes = record.bytes();
        assert!(Scan::<GoRecord>::new(&bytes).next().is_some());
        record.replay(&mut |_, _| {});
    }
}

/// Positions with score and result, a line each.
pub fn training_lines(data: &[u8]) {
    for line in text(data).lines() {
        let _ = (parsed::<Chess>(line), parsed::<Coup>(line));
        let _ = (parsed::<Shogi>(line), parsed::<Xiangqi>(line));
    }
}

/// The state of a match: the input is the state's file, beside an empty record.
pub fn match_state(data: &[u8]) {
    let path = file("match.pgn.state.json", data);
    let folder = folder("files");
    let files = MatchFiles {
        record: None,
        state: Some(&path),
        folder: &folder,
        stem: "chess",
        date: "2026-11-23",
        ending: "pgn",
        first_line: FIRST_LINE,
    };
    let identity = Identity {
        event: "nguky match".into(),
        game: "chess".into(),
        engines: Vec::new(),
        terms: BTreeMap::new(),
    };
    let _ = MatchState::open(&files, identity);
}
