//! The laws of the games of the alpha-beta search, for any of them: play and undo, keys, legality, changes.

use nguky::game::{Dirty, Kind, Move, Moves, OFF, Outcome, Outcomes, Position};
use nguky::util::rng::SplitMix;

/// How a game's changes are checked against its setup texts.
#[derive(Clone, Copy)]
pub struct Places {
    /// The piece at each place of a setup text; hands and pools come after the squares.
    pub read: fn(&str) -> Vec<u8>,
    /// Where a piece at a place of a [`Dirty`] stands in that list.
    pub index: fn(u8, u8) -> usize,
}

/// Places of a [`Dirty`] that are each one piece's.
pub fn by_place(_piece: u8, place: u8) -> usize {
    place.into()
}

/// No piece.
pub const EMPTY: u8 = OFF;

/// The piece on each square of a setup's board, a piece's number being the place of its letter in `letters`. A setup begins
/// with the last rank.
pub fn squares(setup: &str, letters: &str, [files, ranks]: [usize; 2]) -> Vec<u8> {
    let board = setup.split(' ').next().unwrap_or_default();
    let mut out = vec![EMPTY; files * ranks];
    for (row, line) in board.split('/').enumerate() {
        let mut file = 0;
        for c in line.chars() {
            match c.to_digit(10) {
                Some(gap) => file += gap as usize,
                None => {
                    out[(ranks - 1 - row) * files + file] = letters.find(c).map_or(EMPTY, |i| i as u8);
                    file += 1;
                }
            }
        }
    }
    out
}

fn legal<P: Position>(p: &P, kind: Kind) -> Vec<u16> {
    let mut moves = Moves::new();
    p.generate(kind, &mut moves);
    moves.iter().map(Move::raw).collect()
}

fn sorted(mut moves: Vec<u16>) -> Vec<u16> {
    moves.sort_unstable();
    moves
}

/// All changes at once: first every piece leaves, then every piece arrives.
fn replay(places: &mut [u8], index: fn(u8, u8) -> usize, d: &Dirty) {
    for (piece, from, _) in d.iter().filter(|i| i.1 != OFF) {
        let from = index(piece, from);
        assert_eq!(places[from], piece, "a change moves a piece that is not there: {d:?}");
        places[from] = EMPTY;
    }
    for (piece, _, to) in d.iter().filter(|i| i.2 != OFF) {
        let to = index(piece, to);
        assert_eq!(places[to], EMPTY, "a change ends on a piece: {d:?}");
        places[to] = piece;
    }
}

/// Games of chance: turns the piece of the last move up, at random, and covers it and turns it up once more.
fn reveal<P: Position>(p: &mut P, random: &mut SplitMix) -> Dirty {
    if !p.covered() {
        return Dirty::default();
    }
    let key = p.key();
    let mut all = Outcomes::default();
    p.outcomes(&mut all);
    let some: Vec<Outcome> = all.into_iter().take_while(|o| o.weight > 0).collect();
    assert!(!some.is_empty(), "{}", p.setup());
    p.reveal(some[random.below(some.len() as u64) as usize]);
    assert!(!p.covered());
    p.cover();
    assert!(p.covered() && p.key() == key);
    p.reveal(some[random.below(some.len() as u64) as usize])
}

/// What holds of a position; its legal moves.
fn check_position<P: Position>(p: &P, rules: &P::Rules, random: &mut SplitMix) -> Vec<u16> {
    let all = sorted(legal(p, Kind::All));
    let mut parts = legal(p, Kind::Tactical);
    assert!(
        parts.iter().all(|&m| p.is_tactical(P::Move::from_raw(m))),
        "{}",
        p.setup()
    );
    let quiet = legal(p, Kind::Quiet);
    assert!(
        quiet.iter().all(|&m| !p.is_tactical(P::Move::from_raw(m))),
        "{}",
        p.setup()
    );
    parts.extend(quiet);
    assert_eq!(sorted(parts), all, "tactical and quiet are not all: {}", p.setup());
    assert_eq!(p.count_legal(), all.len() as u64, "{}", p.setup());
    assert!(all.len() <= P::MAX_MOVES);
    for &m in &all {
        let m = P::Move::from_raw(m);
        assert!(p.is_legal(m), "{m:?} in {}", p.setup());
        let t = p.tags(m);
        assert!((t.piece as usize) < P::PIECES && (t.from as usize) < P::FROMS && (t.to as usize) < P::SQUARES);
        assert!(t.taken as usize <= P::PIECES);
        assert_eq!(
            p.parse_move(&p.move_text(m)),
            Ok(m),
            "{} in {}",
            p.move_text(m),
            p.setup()
        );
        assert!(p.see_ge(m, -100_000) && !p.see_ge(m, 100_000));
    }
    assert!(!p.is_legal(P::Move::NONE));
    for _ in 0..200 {
        let raw = random.next() as u16;
        assert_eq!(
            p.is_legal(P::Move::from_raw(raw)),
            all.binary_search(&raw).is_ok(),
            "{raw:#06x} in {}",
            p.setup()
        );
    }
    let again = P::parse(&p.setup(), rules);
    let again = again.unwrap_or_else(|e| panic!("{e}: {}", p.setup()));
    assert_eq!(again.setup(), p.setup());
    assert_eq!(again.key(), p.key(), "{}", p.setup());
    assert_eq!(again.correction_keys(), p.correction_keys(), "{}", p.setup());
    assert_eq!(again.in_check(), p.in_check());
    assert_eq!(again.side(), p.side());
    all
}

/// Plays a random game from a setup, of so many plies, and checks the laws at each position and each move.
pub fn check_game<P: Position>(start: &str, rules: &P::Rules, places: Places, seed: u64, plies: usize) {
    let mut random = SplitMix::new(seed);
    let mut p = P::parse(start, rules).unwrap_or_else(|e| panic!("{e}: {start}"));
    let mut trail = Vec::new();
    let (mut foretold, mut played) = (0, 0);
    for _ in 0..plies {
        let moves = check_position(&p, rules, &mut random);
        if moves.is_empty() {
            break;
        }
        let before = (p.setup(), p.key(), p.correction_keys());
        for &m in &moves {
            let m = P::Move::from_raw(m);
            let checks = p.gives_check(m);
            assert_eq!(p.checks(&p.check_map(), m), checks, "{m:?} in {}", before.0);
            let mut board = (places.read)(&before.0);
            let key = p.key_after(m);
            let d = p.play(m);
            played += 1;
            foretold += u32::from(p.key() == key);
            replay(&mut board, places.index, &d);
            assert_eq!(p.in_check(), checks, "{m:?} in {}", before.0);
            let turned = reveal(&mut p, &mut random);
            replay(&mut board, places.index, &turned);
            assert_eq!(
                board,
                (places.read)(&p.setup()),
                "{d:?} {turned:?} of {m:?} in {}",
                before.0
            );
            p.undo();
            assert_eq!((p.setup(), p.key(), p.correction_keys()), before, "{m:?}");
        }
        if !p.in_check() {
            p.pass();
            assert_ne!(p.key(), before.1);
            p.undo();
            assert_eq!((p.setup(), p.key(), p.correction_keys()), before, "pass");
        }
        trail.push(before.0);
        p.play(P::Move::from_raw(moves[random.below(moves.len() as u64) as usize]));
        reveal(&mut p, &mut random);
    }
    // Rare kinds of moves may be told wrong, and what is turned up is not known.
    assert!(
        P::CHANCE || 2 * foretold >= played,
        "key_after is right for {foretold} of {played} moves from {start}"
    );
    while let Some(setup) = trail.pop() {
        p.undo();
        assert_eq!(p.setup(), setup);
    }
}
