//! Xiangqi: counts of the move tree, laws of random games, refused setups.

use nguky::game::perft::Perft;
use nguky::game::{Kind, Move, Moves, Position};
use nguky::games::xiangqi::{XMove, Xiangqi, XiangqiRules};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

fn parse(setup: &str) -> Xiangqi {
    Xiangqi::parse(setup, &XiangqiRules::default()).unwrap()
}

/// Runs the rows of the data file whose counts lie between the bounds.
fn perft_rows(least: u64, most: u64) {
    let (mut name, mut position) = ("", None);
    for line in include_str!("data/xiangqi.perft").lines() {
        match line.split_once(' ') {
            Some(("id", rest)) => name = rest,
            Some(("epd", rest)) => position = Some(parse(rest)),
            Some(("perft", rest)) => {
                let (depth, count) = rest.split_once(' ').unwrap();
                let count: u64 = count.parse().unwrap();
                if (least..most).contains(&count) {
                    let got = Perft::default().count(position.as_ref().unwrap(), depth.parse().unwrap());
                    assert_eq!(got, count, "{name} depth {depth}");
                }
            }
            _ => assert!(line.is_empty(), "{line}"),
        }
    }
}

#[test]
fn perft() {
    perft_rows(0, 5_000_000);
}

#[test]
#[ignore = "a minute in a debug build"]
fn perft_deep() {
    perft_rows(5_000_000, u64::MAX);
}

fn list(p: &Xiangqi, kind: Kind) -> Vec<XMove> {
    let mut moves = Moves::new();
    p.generate(kind, &mut moves);
    moves.iter().collect()
}

/// The oracle of legality and check: play any board move and look whether a general can be taken.
fn slow_legal(p: &Xiangqi) -> Vec<XMove> {
    let b = p.board();
    let mut out = Vec::new();
    for from in b.of(p.side()) {
        for to in b.reach(from, b.occupied()).without(b.of(p.side())) {
            let mut after = p.clone();
            after.play(XMove::new(from, to));
            if !after.board().exposed(p.side()) {
                out.push(XMove::new(from, to));
            }
        }
    }
    out
}

#[test]
fn random_games_keep_the_laws() {
    let mut rng = StdRng::seed_from_u64(7);
    for game in 0..60 {
        let mut p = parse(Xiangqi::START);
        for _ in 0..200 {
            let mut all = list(&p, Kind::All);
            if all.is_empty() || p.ended().is_some() {
                break;
            }
            let mut both = list(&p, Kind::Tactical);
            both.extend(list(&p, Kind::Quiet));
            let sort = |v: &mut Vec<XMove>| v.sort_by_key(|m| m.raw());
            let mut oracle = slow_legal(&p);
            sort(&mut all);
            sort(&mut both);
            sort(&mut oracle);
            assert_eq!(all, both);
            assert_eq!(all, oracle, "{}", p.setup());
            assert_eq!(p.count_legal(), all.len() as u64);
            for raw in 0..1 << 14 {
                assert_eq!(p.is_legal(XMove::from_raw(raw)), all.contains(&XMove::from_raw(raw)));
                if game > 0 && raw > 50 {
                    break;
                }
            }
            for &m in &all {
                let (key, setup) = (p.key(), p.setup());
                let check = p.gives_check(m);
                p.play(m);
                assert_eq!(p.in_check(), check);
                let again = parse(&p.setup());
                assert_eq!((p.key(), p.correction_keys()), (again.key(), again.correction_keys()));
                assert_eq!(p.board(), again.board());
                p.undo();
                assert_eq!((p.key(), p.setup()), (key, setup));
                assert_eq!(p.parse_move(&p.move_text(m)), Ok(m));
            }
            p.play(all[rng.random_range(0..all.len())]);
        }
    }
}

#[test]
fn setups_in_every_dialect() {
    let start = parse(Xiangqi::START);
    for text in [
        "rheakaehr/9/1c5c1/s1s1s1s1s/9/9/S1S1S1S1S/1C5C1/9/RHEAKAEHR r - - 0 1",
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR",
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w 0 1",
    ] {
        assert_eq!(parse(text).setup(), start.setup());
    }
    for text in ["h2e2", "H2E2", "h2-e2", "H2-E2"] {
        assert_eq!(start.move_text(start.parse_move(text).unwrap()), "h2e2");
    }
    for text in ["h2h9x", "", "a0a0", "h2", "e0e2", "j0j1", "h3h4", "ａ0a1"] {
        assert!(start.parse_move(text).is_err(), "{text}");
    }
}

#[test]
fn refused_setups_name_piece_and_point() {
    for (setup, words) in [
        ("4k4/9/9/9/9/9/9/9/9/2K6 w", "red general on c0 is outside its palace"),
        (
            "4k4/9/9/9/9/9/9/9/9/4K4 w",
            "the generals face each other: red general on e0 can take",
        ),
        ("4k4/9/9/9/9/9/9/4r4/9/3K5 w", ""),
        (
            "3k5/9/9/9/9/9/9/4r4/9/4K4 b",
            "black chariot on e2 can take the red general on e0",
        ),
        ("3k5/9/9/9/9/9/9/9/4B4/4K4 w", "red elephant on e1 is off its points"),
        ("3k5/9/9/9/9/9/4a4/9/9/4K4 w", "black advisor on e3 is off its points"),
        ("9/9/9/9/9/9/9/9/9/4K4 w", "the black general is missing"),
        ("3k5/9/9/9/9/9/9/9/9/9 w", "the red general is missing"),
        ("3k5/9/9/9/9/9/9/9/4K4 w", "9 ranks"),
        ("3k5/9/9/9/9/9/9/9/9/4K5 w", "rank 0 has not 9 points"),
        ("3k5/9/9/9/9/9/9/9/9/4Q4 w", "no piece is called Q"),
        ("3k5/9/9/9/9/9/9/9/RRR6/4K4 w", "red chariot too many on c1"),
        ("3k5/9/9/9/9/9/9/9/9/4K4 x", "side to move"),
        ("3k5/9/9/9/9/9/9/9/9/4K4 w - - x 1", "half-move counter"),
        ("", "empty"),
    ] {
        match Xiangqi::parse(setup, &XiangqiRules::default()) {
            Ok(_) => assert!(words.is_empty(), "{setup} was taken"),
            Err(e) => assert!(!words.is_empty() && e.text().contains(words), "{setup}: {e}"),
        }
    }
}
