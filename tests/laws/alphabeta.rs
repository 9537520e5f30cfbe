//! The games of the alpha-beta search: play and undo, keys, legality, changes.

use nguky::game::{Dirty, Kind, Move, Moves, OFF, Outcome, Outcomes, Position, Side};
use nguky::games::chess::{Chess, ChessRules};
use nguky::games::coup::{Coup, CoupRules};
use nguky::games::shogi::types::{Kind as ShogiKind, hand_place};
use nguky::games::shogi::{Shogi, ShogiRules};
use nguky::games::xiangqi::{Xiangqi, XiangqiRules};
use nguky::util::rng::SplitMix;

/// How a game's changes are checked against its setup texts.
#[derive(Clone, Copy)]
struct Places {
    /// The piece at each place of a setup text; hands and pools come after the squares.
    read: fn(&str) -> Vec<u8>,
    /// Where a piece at a place of a [`Dirty`] stands in that list.
    index: fn(u8, u8) -> usize,
}

/// Places of a [`Dirty`] that are each one piece's.
fn by_place(_piece: u8, place: u8) -> usize {
    place.into()
}

const EMPTY: u8 = OFF;

/// The piece on each square of a setup's board, a piece's number being the place of its letter in `letters`. A setup begins
/// with the last rank.
fn squares(setup: &str, letters: &str, [files, ranks]: [usize; 2]) -> Vec<u8> {
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

fn check_game<P: Position>(start: &str, rules: &P::Rules, places: Places, seed: u64, plies: usize) {
    let mut random = SplitMix::new(seed);
    let mut p = P::parse(start, rules).unwrap_or_else(|e| panic!("{e}: {start}"));
    let mut trail = Vec::new();
    for _ in 0..plies {
        let moves = check_position(&p, rules, &mut random);
        if moves.is_empty() {
            break;
        }
        let before = (p.setup(), p.key(), p.correction_keys());
        for &m in &moves {
            let m = P::Move::from_raw(m);
            let checks = p.gives_check(m);
            assert_eq!(p.check_test()(m), checks, "{m:?} in {}", before.0);
            let mut board = (places.read)(&before.0);
            let d = p.play(m);
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
    while let Some(setup) = trail.pop() {
        p.undo();
        assert_eq!(p.setup(), setup);
    }
}

const CHESS_PLACES: Places = Places {
    read: chess_places,
    index: by_place,
};

fn chess_places(setup: &str) -> Vec<u8> {
    squares(setup, "PNBRQKpnbrqk", [8, 8])
}

#[test]
fn chess_keeps_the_laws() {
    for seed in 0..12 {
        check_game::<Chess>(Chess::START, &ChessRules::default(), CHESS_PLACES, seed, 120);
    }
    for (seed, start) in [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    ]
    .into_iter()
    .enumerate()
    {
        for round in 0..4 {
            check_game::<Chess>(
                start,
                &ChessRules::default(),
                CHESS_PLACES,
                (seed * 4 + round) as u64 + 100,
                60,
            );
        }
    }
}

#[test]
fn chess960_keeps_the_laws() {
    let rules = ChessRules { chess960: true };
    for (seed, start) in [
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
        "qbbnnrkr/2pp2pp/p7/1p2pp2/8/P3PP2/1PPP1KPP/QBBNNR1R w hf - 0 9",
        "1nbbnrkr/p1p1ppp1/3p4/1p3P1p/3Pq2P/8/PPP1P1P1/QNBBNRKR w HFhf - 0 9",
        "rk2r3/pppppppp/8/8/8/8/PPPPPPPP/RK2R3 w EAea - 0 1",
        "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1",
    ]
    .into_iter()
    .enumerate()
    {
        for round in 0..4 {
            check_game::<Chess>(start, &rules, CHESS_PLACES, (seed * 4 + round) as u64, 50);
        }
    }
}

const XIANGQI_PLACES: Places = Places {
    read: xiangqi_places,
    index: by_place,
};

fn xiangqi_places(setup: &str) -> Vec<u8> {
    squares(setup, "KABNRCPkabnrcp", [9, 10])
}

#[test]
fn xiangqi_keeps_the_laws() {
    for seed in 0..8 {
        check_game::<Xiangqi>(Xiangqi::START, &XiangqiRules::default(), XIANGQI_PLACES, seed, 150);
    }
    for (seed, start) in [
        "3akab2/4n4/4b4/9/4C1c2/2r6/9/4R4/4A4/2BAK4 w - - 0 1",
        "4k4/4c4/9/4P4/4N4/9/4r4/9/4A4/3K1A3 b - - 0 1",
        "2bak4/4a4/4b1n2/9/2p6/6P2/5c3/3RB4/4A4/2BAK1C1r w - - 7 30",
        "3k5/9/3P1P3/9/9/2p1p4/9/3p5/9/5K3 w - - 0 1",
    ]
    .into_iter()
    .enumerate()
    {
        for round in 0..4 {
            check_game::<Xiangqi>(
                start,
                &XiangqiRules::default(),
                XIANGQI_PLACES,
                (seed * 4 + round) as u64,
                60,
            );
        }
    }
}

const COUP_PLACES: Places = Places {
    read: coup_places,
    index: |piece, place| match place {
        0..90 => place.into(),
        // The same place for all kinds: the number of the piece among those of its kind that may lie face down.
        _ => 90 + usize::from(piece) * 5 + usize::from(place - 90),
    },
};

fn coup_places(setup: &str) -> Vec<u8> {
    const LETTERS: &str = "KABNRCPkabnrcpXx";
    let piece = |c: char| LETTERS.find(c).map_or(EMPTY, |i| i as u8);
    let mut words = setup.split(' ');
    let mut out = squares(words.next().unwrap_or_default(), LETTERS, [9, 10]);
    out.resize(90 + 14 * 5, EMPTY);
    let mut last = EMPTY;
    for c in words.nth(1).unwrap_or_default().chars() {
        match c.to_digit(10) {
            Some(n) => (0..n as usize).for_each(|nth| out[90 + usize::from(last) * 5 + nth] = last),
            None => last = piece(c),
        }
    }
    out
}

#[test]
fn coup_keeps_the_laws() {
    let rules = CoupRules::default();
    for seed in 0..12 {
        check_game::<Coup>(Coup::START, &rules, COUP_PLACES, seed, 160);
    }
    for (seed, start) in Coup::BENCH.iter().enumerate() {
        check_game::<Coup>(start, &rules, COUP_PLACES, seed as u64 + 100, 60);
    }
}

const SHOGI_PLACES: Places = Places {
    read: shogi_places,
    index: by_place,
};

fn shogi_places(setup: &str) -> Vec<u8> {
    const LETTERS: &str = "PLNSBRGKplnsbrgk";
    let piece = |c: char| LETTERS.find(c).map(|i| (i / 8 * 14 + i % 8) as u8);
    let mut words = setup.split(' ');
    let mut out = vec![EMPTY; 81 + 2 * 38];
    for (r, row) in words.next().unwrap_or_default().split('/').enumerate() {
        let (mut x, mut plus) = (0, 0);
        for c in row.chars() {
            match (c, c.to_digit(10)) {
                ('+', _) => plus = 8,
                (_, Some(gap)) => x += gap as usize,
                (_, None) => {
                    out[(8 - x) * 9 + r] = piece(c).map_or(EMPTY, |p| p + plus);
                    (x, plus) = (x + 1, 0);
                }
            }
        }
    }
    let mut count = 0;
    for c in words.nth(1).unwrap_or("-").chars() {
        if let Some(digit) = c.to_digit(10) {
            count = count * 10 + digit;
        } else if let Some(piece) = piece(c) {
            let side = if piece < 14 { Side::First } else { Side::Second };
            let kind: ShogiKind = nguky::games::shogi::types::kind_of(piece);
            for nth in 0..count.max(1) {
                out[hand_place(side, kind, nth) as usize] = piece;
            }
            count = 0;
        }
    }
    out
}

#[test]
fn shogi_keeps_the_laws() {
    // With every move listed, all of the laws hold; the lean list is compared in the tests of shogi itself.
    let rules = ShogiRules {
        all_moves: true,
        ..ShogiRules::default()
    };
    for seed in 0..8 {
        check_game::<Shogi>(Shogi::START, &rules, SHOGI_PLACES, seed, 160);
    }
    for (seed, start) in Shogi::BENCH.iter().enumerate() {
        check_game::<Shogi>(start, &rules, SHOGI_PLACES, seed as u64 + 100, 40);
    }
    let most = "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1";
    check_game::<Shogi>(most, &rules, SHOGI_PLACES, 200, 20);
}
