//! Rules of chess beyond move counts: draws, setups, move text, exchanges.

use nguky::game::perft::Perft;
use nguky::game::{Move, Position, Rules, Verdict};
use nguky::games::chess::{Chess, ChessMove, ChessRules};

fn at(setup: &str) -> Chess {
    Chess::parse(setup, &ChessRules::default()).unwrap_or_else(|e| panic!("{e}: {setup}"))
}

fn at960(setup: &str) -> Chess {
    Chess::parse(setup, &ChessRules { chess960: true }).unwrap_or_else(|e| panic!("{e}: {setup}"))
}

fn play(p: &mut Chess, moves: &str) {
    for m in moves.split_whitespace() {
        let m = p.parse_move(m).unwrap_or_else(|e| panic!("{e} in {}", p.setup()));
        p.play(m);
    }
}

fn reason(p: &Chess) -> Option<&'static str> {
    p.ended().map(|e| e.reason)
}

fn refused(setup: &str, word: &str) {
    match Chess::parse(setup, &ChessRules::default()) {
        Ok(_) => panic!("accepted: {setup}"),
        Err(e) => assert!(e.text().contains(word), "{} does not name {word}", e.text()),
    }
}

#[test]
fn setups_are_refused_by_name() {
    refused("", "empty");
    refused("8/8/8/8/8/8/8/8 w - - 0 1", "king");
    refused(
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR w - - 0 1",
        "white has 0 kings",
    );
    refused(
        "rnkqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "black has 2 kings",
    );
    refused("pnbqkbnr/1ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQk - 0 1", "pawn");
    refused(
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN w KQkq - 0 1",
        "rank 1 has 7",
    );
    refused("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1", "8 ranks");
    refused("rnbqkbnr/pppxpppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "rank 7");
    refused("4k3/8/8/8/8/8/8/4RK2 w - - 0 1", "take the king");
    refused("4k3/8/8/8/8/8/8/4K3 x - - 0 1", "w or b");
    refused("4k3/8/8/8/8/8/8/4K3 w Z - 0 1", "castling");
    refused("4k3/8/8/8/8/8/8/4K3 w - e9 0 1", "en passant");
    refused("4k3/8/8/8/8/8/8/4K3 w - - x 1", "halfmove");
    refused("nnnnknnn/nnnnnnnn/8/n7/8/8/NNNNNNNN/NNNNKNNN w - - 0 1", "32");
}

#[test]
fn setups_are_read_leniently() {
    assert_eq!(at("4k3/8/8/8/8/8/8/4K3").setup(), "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
    assert_eq!(
        at("4k3/8/8/8/8/8/8/4K3 b KQkq").setup(),
        "4k3/8/8/8/8/8/8/4K3 b - - 0 1"
    );
    // An en passant square without a legal capture does not count.
    assert_eq!(
        at("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1").key(),
        at("4k3/8/8/8/4P3/8/8/4K3 b - - 0 1").key()
    );
    // An impossible double check by bishops can still be searched.
    assert!(at("B6b/8/8/8/2K5/5k2/8/b6B b - - 0 1").in_check());
    // X-FEN names the file of an inner rook.
    assert_eq!(
        at("rr2k3/8/8/8/8/8/8/RR2K3 w Bb - 0 1").setup(),
        "rr2k3/8/8/8/8/8/8/RR2K3 w Bb - 0 1"
    );
    assert_eq!(
        at960(Chess::START).setup(),
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1"
    );
}

#[test]
fn absurd_boards_do_no_harm() {
    for rank in ["nnnnnnnn", "bbbbbbbb", "rrrrrrrr", "qqqqqqqq"] {
        let p = at(&format!(
            "rnbqkbnr/{rank}/8/8/8/8/{}/RNBQKBNR w KQkq - 400 500",
            rank.to_uppercase()
        ));
        assert_eq!(
            Perft {
                bulk: false,
                threads: 1
            }
            .count(&p, 1),
            p.count_legal()
        );
    }
    // The composition with 218 moves, and one with more than any game can reach.
    assert_eq!(
        at("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1").count_legal(),
        218
    );
    let p = at("QQQQQQQQ/Q6Q/Q6Q/Q6Q/Q6Q/QQ5Q/ppQ4Q/krQQQKQQ w - - 0 1");
    assert_eq!(
        Perft {
            bulk: false,
            threads: 1
        }
        .count(&p, 1),
        p.count_legal()
    );
}

#[test]
fn castling_is_written_and_read_both_ways() {
    let p = at("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    let castle = ChessMove::castle(4, 7);
    for text in ["e1g1", "e1h1", "O-O", "0-0", "E1G1"] {
        assert_eq!(p.parse_move(text), Ok(castle), "{text}");
    }
    assert_eq!(p.move_text(castle), "e1g1");
    assert_eq!(p.parse_move("O-O-O"), Ok(ChessMove::castle(4, 0)));
    let q = at960("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    assert_eq!(q.move_text(castle), "e1h1");
    assert_eq!(q.parse_move("e1g1"), Ok(castle));
    // Here the king's step to g1 is another move than castling.
    let r = at960("4k3/8/8/8/8/8/8/5K1R w H - 0 1");
    assert_eq!(r.parse_move("f1g1"), Ok(ChessMove::new(5, 6)));
    assert_eq!(r.parse_move("f1h1"), Ok(ChessMove::castle(5, 7)));
}

#[test]
fn promotions_are_read_in_either_case() {
    let p = at("8/P6k/8/8/8/8/7K/8 w - - 0 1");
    assert_eq!(p.parse_move("a7a8Q"), p.parse_move("a7a8q"));
    assert!(p.parse_move("a7a8").is_err() && p.parse_move("a7a8k").is_err() && p.parse_move("0000").is_err());
    assert!(!p.is_legal(ChessMove::NONE));
}

#[test]
fn games_end() {
    assert_eq!(reason(&at("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1")), Some("checkmate"));
    // Mate on the hundredth half-move takes precedence.
    let mate = at("R5k1/5ppp/8/8/8/8/8/6K1 b - - 100 80");
    assert_eq!((reason(&mate), mate.verdict(3)), (Some("checkmate"), Verdict::Open));
    assert_eq!(reason(&at("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")), Some("stalemate"));
    assert_eq!(
        reason(&at("6k1/8/8/8/8/8/8/R5K1 w - - 100 80")),
        Some("fifty-move rule")
    );
    for thin in [
        "4k3/8/8/8/8/8/8/4K3",
        "4k3/8/8/8/8/8/8/4KN2",
        "4k3/8/8/8/8/8/8/4KB2",
        "4kb2/8/8/8/8/8/8/2B1K3",
    ] {
        assert_eq!(reason(&at(thin)), Some("insufficient material"), "{thin}");
    }
    for enough in [
        "4kb2/8/8/8/8/8/8/4KB2",
        "4k3/8/8/8/8/8/8/3NKN2",
        "4kn2/8/8/8/8/8/8/4KN2",
        "4k3/8/8/8/8/8/P7/4K3",
    ] {
        assert_eq!(reason(&at(enough)), None, "{enough}");
    }
}

#[test]
fn repetitions_are_counted() {
    let mut p = at(Chess::START);
    play(&mut p, "g1f3 g8f6 f3g1");
    assert!(p.may_repeat(4) && !p.may_repeat(3));
    play(&mut p, "f6g8");
    assert_eq!(
        (p.verdict(4), p.verdict(5), reason(&p)),
        (Verdict::Open, Verdict::Draw, None)
    );
    play(&mut p, "g1f3 g8f6 f3g1");
    // Before the root only what has occurred twice counts.
    assert!(p.may_repeat(1));
    play(&mut p, "f6g8");
    assert_eq!(
        (p.verdict(1), reason(&p)),
        (Verdict::Draw, Some("threefold repetition"))
    );
    play(&mut p, "e2e4");
    assert_eq!(p.verdict(9), Verdict::Open);
}

#[test]
fn a_pass_ends_repetitions() {
    let mut p = at("4k3/8/8/8/8/8/8/R3K3 w - - 10 20");
    play(&mut p, "a1a2 e8e7 a2a1");
    p.pass();
    p.pass();
    assert!(!p.may_repeat(9));
    assert_eq!(p.verdict(9), Verdict::Open);
}

#[test]
fn the_clock_changes_only_the_table_key() {
    let (low, high) = (
        at("4k3/8/8/8/8/8/8/R3K3 w - - 3 20"),
        at("4k3/8/8/8/8/8/8/R3K3 w - - 60 70"),
    );
    assert_ne!(low.key(), high.key());
    assert_eq!(low.key(), at("4k3/8/8/8/8/8/8/R3K3 w - - 0 20").key());
    assert_eq!(low.correction_keys(), high.correction_keys());
}

#[test]
fn exchanges_are_weighed() {
    for (setup, text, value) in [
        ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100),
        (
            "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1",
            "d3e5",
            100 - 310,
        ),
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 100),
        ("3rk3/8/8/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", 100 - 500),
        ("3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 100),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 850),
        ("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", -100),
        ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "d4e3", 100),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1", 0),
        ("4k3/8/8/8/8/8/4q3/4K3 w - - 0 1", "e1e2", 950),
    ] {
        let p = at(setup);
        let m = p.parse_move(text).unwrap_or_else(|e| panic!("{e}"));
        assert!(p.see_ge(m, value), "{text} in {setup} wins at least {value}");
        assert!(!p.see_ge(m, value + 1), "{text} in {setup} wins at most {value}");
    }
}

#[test]
fn a_pinned_guard_does_not_recapture() {
    let p = at("4k3/4n3/8/3p4/2P5/8/8/4R1K1 w - - 0 1");
    let m = p.parse_move("c4d5").unwrap_or_else(|e| panic!("{e}"));
    assert!(p.see_ge(m, 100));
    let free = at("4k3/4n3/8/3p4/8/2R5/8/3R2K1 w - - 0 1");
    let m = free.parse_move("d1d5").unwrap_or_else(|e| panic!("{e}"));
    assert!(!free.see_ge(m, 0));
}

#[test]
fn rules_are_set_by_option() {
    let mut rules = ChessRules::default();
    assert!(rules.set("UCI_Chess960", "true").is_ok() && rules.chess960);
    assert!(rules.set("UCI_Chess960", "maybe").is_err() && rules.set("Komi", "7").is_err());
}

#[test]
fn the_picture_tells_the_position() {
    let text = at("4k3/8/8/8/8/8/4q3/4K3 w - - 0 1").picture();
    for part in ["| q |", "Fen: 4k3/8/8/8/8/8/4q3/4K3 w - - 0 1", "Key: ", "Checkers: e2"] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(
        ChessMove::from_raw(ChessMove::new(12, 28).raw()),
        ChessMove::new(12, 28)
    );
}
