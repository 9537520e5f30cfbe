//! Moves as people write them, read and written.

use super::*;
use nguky::games::coup::Coup;
use nguky::util::rng::SplitMix;

fn at(fen: &str) -> Chess {
    Chess::parse(fen, &Default::default()).expect("a position")
}

fn notation(fen: &str, mv: &str) -> String {
    let p = at(fen);
    p.notation(p.parse_move(mv).expect("a legal move"))
}

#[test]
fn algebraic_notation() {
    assert_eq!(notation(Chess::START, "g1f3"), "Nf3");
    assert_eq!(notation("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1"), "O-O");
    assert_eq!(notation("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1c1"), "O-O-O");
    assert_eq!(notation("4k3/8/8/8/8/8/8/R4RK1 w - - 0 1", "a1d1"), "Rad1");
    assert_eq!(notation("4k3/8/8/R7/8/8/8/R5K1 w - - 0 1", "a1a3"), "R1a3");
    assert_eq!(notation("3r2k1/2P5/8/8/8/8/8/6K1 w - - 0 1", "c7d8q"), "cxd8=Q+");
    assert_eq!(notation("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"), "exd6");
    assert_eq!(notation("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "a1a8"), "Ra8#");
    // Three queens that all reach e1 need file and rank.
    assert_eq!(notation("8/k7/8/8/4Q2Q/8/8/K6Q w - - 0 1", "h4e1"), "Qh4e1");
}

#[test]
fn loose_writing_is_understood() {
    for (fen, text, mv) in [
        (Chess::START, "e4", "e2e4"),
        (Chess::START, "Ng1-f3!?", "g1f3"),
        (Chess::START, "e2-e4", "e2e4"),
        (Chess::START, "e2e4", "e2e4"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "0-0-0", "e1c1"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O+", "e1g1"),
        ("3r2k1/2P5/8/8/8/8/8/6K1 w - - 0 1", "cd8N", "c7d8n"),
        ("3r2k1/2P5/8/8/8/8/8/6K1 w - - 0 1", "c7xd8=Q+", "c7d8q"),
        ("3r2k1/2P5/8/8/8/8/8/6K1 w - - 0 1", "c8(R)", "c7c8r"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6e.p.", "e5d6"),
        ("4k3/8/8/8/1b6/8/8/R1B1K3 w Q - 0 1", "Bd2", "c1d2"),
    ] {
        let p = at(fen);
        let m = p.read_notation(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(p.move_text(m), mv, "{text}");
    }
    let rooks = at("4k3/8/8/8/8/8/8/R4RK1 w - - 0 1");
    for bad in ["Rd1", "", "x", "Nf9", "e5", "O-O", "Ké", "Rabcd1", "♞", "--"] {
        assert!(rooks.read_notation(bad).is_err(), "{bad:?}");
    }
    assert!(
        at("3r2k1/2P5/8/8/8/8/8/6K1 w - - 0 1").read_notation("c8").is_err(),
        "promotes to what?"
    );
}

/// The moves that a text may mean, in coordinates.
fn readings<P: Notation>(p: &P, text: &str, style: Option<MoveStyle>, last: Option<P::Move>) -> Vec<String> {
    p.readings(text, style, last)
        .into_iter()
        .map(|m| p.move_text(m))
        .collect()
}

#[test]
fn chess_as_people_type_it() {
    let castles = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
    let captures = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1";
    let promotes = "3r2k1/2P5/8/8/8/8/8/6K1 w - - 0 1";
    let b_or_bishop = "4k3/8/8/8/2p5/1P6/4B3/4K3 w - - 0 1";
    for (fen, text, moves) in [
        (Chess::START, "nf3", &["g1f3"][..]),
        (Chess::START, "Nf3", &["g1f3"]),
        (Chess::START, "♘f3", &["g1f3"]),
        (Chess::START, "NF3", &["g1f3"]),
        (Chess::START, "E4", &["e2e4"]),
        (Chess::START, "e4!", &["e2e4"]),
        (Chess::START, "e2-e4", &["e2e4"]),
        (Chess::START, "E2E4", &["e2e4"]),
        (castles, "0-0", &["e1g1"]),
        (castles, "o-o-o", &["e1c1"]),
        (captures, "exd5", &["e4d5"]),
        (captures, "ed5", &["e4d5"]),
        (captures, "e4xd5", &["e4d5"]),
        (promotes, "c8=Q", &["c7c8q"]),
        (promotes, "c8Q", &["c7c8q"]),
        (promotes, "c8=q", &["c7c8q"]),
        (promotes, "c8n", &["c7c8n"]),
        (promotes, "c7-c8=R", &["c7c8r"]),
        (promotes, "cxd8", &["c7d8b", "c7d8n", "c7d8q", "c7d8r"]),
        // The file b and a bishop look alike: only the exact notation of one is not asked about.
        (b_or_bishop, "bc4", &["b3c4", "e2c4"]),
        (b_or_bishop, "bxc4", &["b3c4"]),
        (b_or_bishop, "Bxc4", &["e2c4"]),
        (b_or_bishop, "bf3", &["e2f3"]),
        (Chess::START, "zz", &[]),
        (Chess::START, "", &[]),
        (Chess::START, "é4", &[]),
    ] {
        let mut found = readings(&at(fen), text, None, None);
        found.sort();
        assert_eq!(found, moves, "{text}");
    }
}

fn xiangqi(fen: &str) -> Xiangqi {
    Xiangqi::parse(fen, &Default::default()).expect("a position")
}

#[test]
fn xiangqi_in_three_languages() {
    let start = Xiangqi::START;
    let black = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR b - - 0 1";
    let tandem = "3k5/9/9/3N5/9/9/9/3N5/9/4K4 w - - 0 1";
    let three = "3k5/4P4/4P4/4P4/9/9/9/9/9/5K3 w - - 0 1";
    for (fen, text, mv) in [
        (start, "C2=5", "h2e2"),
        (start, "c2=5", "h2e2"),
        (start, "C2.5", "h2e2"),
        (start, "H2+3", "h0g2"),
        (start, "N2+3", "h0g2"),
        (start, "R1+1", "i0i1"),
        (start, "E3+5", "g0e2"),
        (start, "B3+5", "g0e2"),
        (start, "A4+5", "f0e1"),
        (start, "K5+1", "e0e1"),
        (start, "P3+1", "g3g4"),
        (black, "C2=5", "b7e7"),
        (black, "H8+7", "h9g7"),
        (tandem, "H+-8", "d6b5"),
        (tandem, "-H+8", "d2b3"),
        (start, "P2-5", "h2e2"),
        (start, "p2-5", "h2e2"),
        (start, "P2–5", "h2e2"),
        (start, "M2.3", "h0g2"),
        (start, "X1.1", "i0i1"),
        (start, "T3.5", "g0e2"),
        (start, "S4.5", "f0e1"),
        (start, "Tg5.1", "e0e1"),
        (start, "C3.1", "g3g4"),
        (start, "B3.1", "g3g4"),
        (start, "pháo 2 bình 5", "h2e2"),
        (start, "mã 8 tấn 7", "b0c2"),
        (start, "tốt 7 tấn 1", "c3c4"),
        (start, "Tượng 3 tấn 5", "g0e2"),
        (start, "Tướng 5 tấn 1", "e0e1"),
        (tandem, "Mt/8", "d6b5"),
        (tandem, "Ms.8", "d2b3"),
        (tandem, "mã sau tấn 8", "d2b3"),
        (three, "Cg-4", "e7f7"),
        (start, "炮二平五", "h2e2"),
        (start, "砲2平5", "h2e2"),
        (start, "h2e2", "h2e2"),
        (start, "H2-E2", "h2e2"),
        (start, "h2-e2", "h2e2"),
    ] {
        assert_eq!(readings(&xiangqi(fen), text, None, None), [mv], "{text}");
    }
    for bad in [
        "C2=2", "C9=5", "P2", "Tg", "X", "C2=5=5", "pháo", "é", "", "++++", "C0=5", "½",
    ] {
        assert!(readings(&xiangqi(start), bad, None, None).is_empty(), "{bad}");
    }
}

#[test]
fn readings_that_are_both_legal_are_both_found() {
    // A cannon that may go sideways to file 6, and a soldier across the river that may, too.
    let both = xiangqi("5k3/9/9/4P4/9/9/9/4C4/9/3K5 w - - 0 1");
    // English: the soldier of file 5 sideways to 6. Vietnamese: the cannon (pháo) of file 5 forward, which cannot go 6.
    assert_eq!(readings(&both, "P5.6", None, None), ["e6d6"]);
    // English: the cannon sideways to file 1. Vietnamese: the soldier (chốt) forward by 1.
    assert_eq!(readings(&both, "C5.1", None, None), ["e2i2", "e6e7"]);
    assert_eq!(readings(&both, "C5.1", Some(MoveStyle::English), None), ["e2i2"]);
    assert_eq!(readings(&both, "C5.1", Some(MoveStyle::Vietnamese), None), ["e6e7"]);
    // What is said in one language only needs no choice.
    assert_eq!(readings(&both, "P5.1", Some(MoveStyle::English), None), ["e2e3"]);
    assert_eq!(readings(&both, "C5=1", Some(MoveStyle::Vietnamese), None), ["e2i2"]);
}

#[test]
fn face_down_pieces_have_names() {
    let p = Coup::parse(Coup::START, &Default::default()).expect("the start");
    let read = |text: &str| -> Vec<String> {
        let found = letters::NotationBoard::coup(&p).readings(text, None);
        found.into_iter().map(|m| p.move_text(m)).collect()
    };
    for text in [
        "C2=5",
        "P2-5",
        "X2=5",
        "D2=5",
        "U2-5",
        "úp 2 bình 5",
        "炮二平五",
        "暗二平五",
        "h2e2",
        "H2-E2",
    ] {
        assert_eq!(read(text), ["h2e2"], "{text}");
    }
    assert_eq!(read("C3.1"), ["g3g4"]);
    // Two lie face down on the file, and both may go one point forward.
    assert_eq!(read("X1+1"), ["i0i1", "i3i4"]);
}

#[test]
fn shogi_in_japanese_and_western() {
    let at = |sfen: &str| Shogi::parse(sfen, &Default::default()).expect("a position");
    let start = Shogi::START;
    let exchange = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3";
    let golds = "4k4/9/9/9/9/9/9/3G1G3/4K4 b P 1";
    let drop = "4k4/9/9/9/9/9/9/4K4/9 b BR 1";
    let back = "4k4/9/9/4G4/3+R5/9/9/9/4K4 b - 1";
    for (sfen, text, moves) in [
        (start, "７六歩", &["7g7f"][..]),
        (start, "☗76歩", &["7g7f"]),
        (start, "▲７六歩(77)", &["7g7f"]),
        (start, "76歩", &["7g7f"]),
        (start, "7六歩", &["7g7f"]),
        (start, "P-7f", &["7g7f"]),
        (start, "p7f", &["7g7f"]),
        (start, "P-76", &["7g7f"]),
        (start, "P7g-7f", &["7g7f"]),
        (start, "7g7f", &["7g7f"]),
        (start, "7G7F", &["7g7f"]),
        (start, "58金右", &["4i5h"]),
        (start, "58金左", &["6i5h"]),
        (start, "58金", &["6i5h", "4i5h"]),
        (start, "G4i-5h", &["4i5h"]),
        (start, "g49-58", &["4i5h"]),
        (start, "58金(49)", &["4i5h"]),
        (exchange, "２二角成", &["8h2b+"]),
        (exchange, "22角不成", &["8h2b"]),
        (exchange, "22角", &["8h2b+", "8h2b"]),
        (exchange, "Bx2b+", &["8h2b+"]),
        (exchange, "bx2b=", &["8h2b"]),
        (exchange, "8h2b+", &["8h2b+"]),
        (golds, "57金", &["6h5g", "4h5g"]),
        (golds, "５七金左", &["6h5g"]),
        (golds, "58金寄", &["6h5h", "4h5h"]),
        (golds, "55歩打", &["P*5e"]),
        (golds, "５五歩", &["P*5e"]),
        (golds, "P*5e", &["P*5e"]),
        (golds, "p*55", &["P*5e"]),
        (drop, "55角", &["B*5e"]),
        (back, "64金", &["5d6d"]),
        (back, "54龍", &[]),
        (back, "+R-6d", &["6e6d"]),
        (back, "６四龍", &["6e6d"]),
        (start, "同歩", &[]),
        (start, "", &[]),
        (start, "歩", &[]),
        (start, "99", &[]),
        (start, "é", &[]),
    ] {
        let mut found = readings(&at(sfen), text, None, None);
        let mut moves = moves.to_vec();
        found.sort();
        moves.sort_unstable();
        assert_eq!(found, moves, "{text}");
    }
    // 同 names the point that the move before went to.
    let mut p = at("4k4/9/4p4/9/4P4/9/9/9/4K4 w - 1");
    let m = p.parse_move("5c5d").expect("legal");
    p.play(m);
    for text in ["同歩", "☗同　歩", "５四歩"] {
        assert_eq!(readings(&p, text, None, Some(m)), ["5e5d"], "{text}");
    }
    assert_eq!(
        p.written(p.parse_move("5e5d").expect("legal"), MoveStyle::Japanese, Some(m)),
        "☗同歩"
    );
}

fn every_move_reads_back<P: Notation>(games: usize) {
    let mut rng = SplitMix::new(7);
    for _ in 0..games {
        let mut p = P::parse(P::START, &Default::default()).expect("the start");
        for ply in 0..120 {
            let mut moves = Moves::new();
            p.generate(Kind::All, &mut moves);
            if moves.is_empty() {
                break;
            }
            for m in moves.iter() {
                let text = p.notation(m);
                let back = p.read_notation(&text).unwrap_or_else(|e| panic!("{}: {e}", p.setup()));
                assert_eq!(back, m, "{text} in {}", p.setup());
                // What is shown to a person is read as that move and no other.
                for style in MoveStyle::value_variants().iter().filter(|_| ply % 20 == 3) {
                    let text = p.written(m, *style, None);
                    let found = p.readings(&text, None, None);
                    assert_eq!(found, [m], "{style:?} {text} in {}", p.setup());
                }
            }
            p.play(moves.at(rng.below(moves.len() as u64) as usize).mv);
        }
    }
}

#[test]
fn random_games_read_back() {
    every_move_reads_back::<Chess>(30);
    every_move_reads_back::<Xiangqi>(5);
    every_move_reads_back::<Shogi>(3);
}
