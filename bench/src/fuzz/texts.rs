//! Setups, moves and records.

use crate::notation::{MoveStyle, Notation};
use crate::records::{self, Each, RecordedGame};
use nguky::game::{Move, Moves, Outcome, Outcomes, Position};
use nguky::games::coup::Coup;
use nguky::games::shogi::Shogi;

/// The input as text; what is no UTF-8 is replaced.
pub fn text(data: &[u8]) -> String {
    String::from_utf8_lossy(data).into_owned()
}

fn position<P: Position>(setup: &str) -> Option<P> {
    P::parse(setup, &P::Rules::default()).ok()
}

/// A position that was accepted is written and read back alike, and each of its legal moves too.
fn check<P: Position>(p: &P) {
    let setup = p.setup();
    let again = position::<P>(&setup).unwrap_or_else(|| panic!("refused: {setup}"));
    assert_eq!((again.setup(), again.key()), (setup, p.key()));
    let mut moves = Moves::new();
    p.generate_all_legal(&mut moves);
    for m in moves.iter() {
        assert!(p.is_legal(m), "{} in {}", p.move_text(m), p.setup());
        assert_eq!(p.parse_move(&p.move_text(m)), Ok(m), "in {}", p.setup());
    }
}

/// Turns up what the last move left covered, as one of its outcomes by a number; false where nothing is covered.
pub fn reveal<P: Position>(p: &mut P, choice: usize) -> bool {
    if !p.covered() {
        return false;
    }
    let mut all = Outcomes::default();
    p.outcomes(&mut all);
    let some: Vec<Outcome> = all.into_iter().take_while(|o| o.weight > 0).collect();
    assert!(!some.is_empty(), "{}", p.setup());
    p.reveal(some[choice % some.len()]);
    true
}

/// A setup, and then each of its moves played and taken back.
pub fn setup<P: Position>(data: &[u8]) {
    let Some(mut p) = position::<P>(text(data).trim()) else {
        return;
    };
    check(&p);
    let key = p.key();
    let mut moves = Moves::new();
    p.generate_all_legal(&mut moves);
    for m in moves.iter() {
        p.play(m);
        reveal(&mut p, m.raw().into());
        let _ = (p.in_check(), p.verdict(1), p.ended());
        p.undo();
        assert_eq!(p.key(), key, "{}", p.setup());
    }
}

/// A setup, or nothing for the start, on the first line, and behind it the words of moves. A refused move changes nothing.
pub fn moves<P: Position>(data: &[u8]) {
    let text = text(data);
    let (setup, words) = text.split_once('\n').unwrap_or((&text, ""));
    let setup = if setup.is_empty() { P::START } else { setup };
    let Some(mut p) = position::<P>(setup) else { return };
    for word in words.split_whitespace().take(200) {
        let before = (p.setup(), p.key());
        match p.play_text(word) {
            Ok(()) => check(&p),
            Err(_) => assert_eq!((p.setup(), p.key()), before, "{word}"),
        }
    }
}

/// The same with moves as people write them: each reading is legal, and as it is written it is read again.
pub fn notation<P: Notation>(data: &[u8]) {
    let text = text(data);
    let (setup, words) = text.split_once('\n').unwrap_or((&text, ""));
    let setup = if setup.is_empty() { P::START } else { setup };
    let Some(mut p) = position::<P>(setup) else { return };
    let mut last = None;
    for word in words.lines().take(100) {
        let readings = p.readings(word, None, last);
        assert!(readings.iter().all(|&m| p.is_legal(m)), "{word:?} in {}", p.setup());
        let Some(&m) = readings.first() else { continue };
        assert_eq!(p.read_notation(&p.notation(m)).ok(), Some(m), "in {}", p.setup());
        for style in [
            MoveStyle::Coordinates,
            MoveStyle::English,
            MoveStyle::Vietnamese,
            MoveStyle::Chinese,
            MoveStyle::Japanese,
        ] {
            let written = p.written(m, style, last);
            let again = p.readings(&written, Some(style), last);
            assert!(
                again.contains(&m),
                "{written:?} for {} in {}",
                p.move_text(m),
                p.setup()
            );
        }
        p.play(m);
        last = Some(m);
    }
}

/// Hears the games of a text; those that are accepted replay.
fn replayed<P: Position>(read: impl FnOnce(Each)) {
    read(&mut |game| {
        if let Ok(game) = game {
            replay::<P>(&game);
        }
        true
    });
}

fn replay<P: Position>(game: &RecordedGame) {
    let setup = game.setup.as_deref().unwrap_or(P::START);
    let mut p = position::<P>(setup).unwrap_or_else(|| panic!("the setup of a record: {setup}"));
    for m in &game.moves {
        let played = p.play_text(&m.text);
        assert!(played.is_ok(), "{played:?} of a record in {}", p.setup());
    }
}

/// PGN.
pub fn pgn<P: Notation>(data: &[u8]) {
    if let Ok(text) = records::decoded(data, P::OLD_ENCODING) {
        replayed::<P>(|each| records::pgn::read::<P>(&text, each));
    }
}

/// KIF.
pub fn kif(data: &[u8]) {
    if let Ok(text) = records::decoded(data, Shogi::OLD_ENCODING) {
        replayed::<Shogi>(|each| records::kif::read(&text, each));
    }
}

/// CSA.
pub fn csa(data: &[u8]) {
    if let Ok(text) = records::decoded(data, Shogi::OLD_ENCODING) {
        replayed::<Shogi>(|each| records::csa::read(&text, each));
    }
}

/// JieqiBox's JSON.
pub fn jieqibox(data: &[u8]) {
    replayed::<Coup>(|each| records::jieqibox::read(&text(data), each));
}

/// SGF: a record's game is set up and its moves, which the reader does not check, are legal or refused.
pub fn sgf(data: &[u8]) {
    records::sgf::read(&text(data), &mut |record| {
        if let Ok(record) = record {
            let _ = crate::review::game::stones(&record, &[]);
        }
        true
    });
    let _ = records::sgf::first(&text(data));
}
