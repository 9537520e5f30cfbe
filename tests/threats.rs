//! The squares that the other side attacks, against each square asked for by itself, in random games.

use nguky::game::{Kind, Moves, Outcomes, Position, Side};
use nguky::games::chess::Chess;
use nguky::games::chess::types::{BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, piece};
use nguky::games::coup::Coup;
use nguky::games::shogi::Shogi;
use nguky::games::xiangqi::Xiangqi;
use nguky::games::xiangqi_board::{Cover, SharedBoard};
use nguky::util::rng::SplitMix;

/// Plays random games from the start and compares all squares of each position.
fn agree<P: Position>(attacked: fn(&P, u8) -> bool) {
    in_random_games(|p: &P| {
        let threats = p.threats().all;
        assert_eq!(threats >> P::SQUARES, 0, "{}", p.setup());
        for square in 0..P::SQUARES as u8 {
            let by_itself = attacked(p, square);
            assert_eq!(threats >> square & 1 != 0, by_itself, "{square} in {}", p.setup());
        }
    });
}

/// Plays random games from the start and has each position looked at.
fn in_random_games<P: Position>(look: impl Fn(&P)) {
    let mut random = SplitMix::new(5);
    for _ in 0..60 {
        let mut p = P::parse(P::START, &P::Rules::default()).expect("the start is a position");
        for _ in 0..150 {
            look(&p);
            let mut moves = Moves::new();
            p.generate(Kind::All, &mut moves);
            if moves.is_empty() || p.ended().is_some() {
                break;
            }
            let m = moves.iter().nth(random.below(moves.len() as u64) as usize);
            p.play(m.expect("one of the moves"));
            if p.covered() {
                let mut all = Outcomes::default();
                p.outcomes(&mut all);
                let some: Vec<_> = all.into_iter().take_while(|o| o.weight > 0).collect();
                p.reveal(some[random.below(some.len() as u64) as usize]);
            }
        }
    }
}

#[test]
fn chess_threats_are_its_attacked_squares() {
    agree::<Chess>(|p, square| p.attackers(square, p.occupied()) & p.of(p.side().other()) != 0);
}

#[test]
fn chess_tells_apart_what_lesser_pieces_attack() {
    // By class: what is worth less than a minor piece, than a rook and than a queen.
    let lesser: [&[u8]; 3] = [&[PAWN], &[PAWN, KNIGHT, BISHOP], &[PAWN, KNIGHT, BISHOP, ROOK]];
    let classes = [PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING].map(|kind| Chess::threat_class(piece(0, kind)));
    assert_eq!(classes, [None, Some(0), Some(0), Some(1), Some(2), None]);
    assert_eq!(
        classes,
        [PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING].map(|kind| Chess::threat_class(piece(1, kind)))
    );
    in_random_games(|p: &Chess| {
        let threats = p.threats();
        for (class, kinds) in lesser.iter().enumerate() {
            for square in 0..64 {
                let by = kinds
                    .iter()
                    .map(|&kind| p.pieces(p.side().other(), kind))
                    .fold(0, |all, k| all | k);
                let by_itself = p.attackers(square, p.occupied()) & by != 0;
                assert_eq!(
                    threats.lesser[class] >> square & 1 != 0,
                    by_itself,
                    "{square} in {}",
                    p.setup()
                );
            }
            assert_eq!(threats.lesser[class] >> 64, 0);
        }
    });
}

#[test]
fn an_escape_is_from_lesser_pieces_only() {
    // The rook on d1 is attacked by a rook, which is not less; the queen on g5 by a pawn, the knight on b4 by a bishop.
    let p = Chess::parse("4k3/8/3b3p/6Q1/1N6/8/4K3/r2R4 w - - 0 1", &Default::default()).expect("a position");
    let threats = p.threats();
    for (text, escape) in [
        ("d1d4", 0),
        ("d1d5", 0),
        ("d1d2", 0),
        ("g5d8", 1),
        ("g5f4", 0),
        ("g5a5", 0),
        ("b4d5", 0),
    ] {
        let m = p.parse_move(text).expect("a move");
        let tags = p.tags(m);
        let class = Chess::threat_class(tags.piece).expect("a piece with a class");
        assert_eq!(threats.escape(class, tags), escape, "{text}");
    }
    let p = Chess::parse("4k3/8/8/3p4/8/2N5/8/3RK1B1 w - - 0 1", &Default::default()).expect("a position");
    for (text, escape) in [("c3e4", -1), ("c3a4", 0), ("d1d4", 0)] {
        let m = p.parse_move(text).expect("a move");
        let class = Chess::threat_class(p.tags(m).piece).expect("a piece with a class");
        assert_eq!(p.threats().escape(class, p.tags(m)), escape, "{text}");
    }
}

fn on_xiangqi_board<C: Cover>(board: &SharedBoard<C>, side: Side, point: u8) -> bool {
    board.attackers(point, board.occupied()).meets(board.of(side.other()))
}

#[test]
fn xiangqi_and_coup_threats_are_their_attacked_points() {
    agree::<Xiangqi>(|p, point| on_xiangqi_board(p.board(), p.side(), point));
    agree::<Coup>(|p, point| on_xiangqi_board(p.board(), p.side(), point));
}

#[test]
fn shogi_threats_are_its_attacked_points() {
    agree::<Shogi>(|p, point| {
        let board = p.board();
        board.attackers(point, board.occupied(), p.side().other()).any()
    });
}

#[test]
fn a_move_is_told_apart_by_what_attacks_its_ends() {
    let p = Chess::parse("4k3/8/8/8/8/8/4K3/r2R4 w - - 0 1", &Default::default()).expect("a position");
    for (text, attacked) in [
        ("e2e3", 0),
        ("e2f1", 0),
        ("d1d4", 2),
        ("d1c1", 3),
        ("d1a1", 2),
        ("d1d7", 3),
    ] {
        let m = p.parse_move(text).expect("a move");
        assert_eq!(p.tags(m).under(&p.threats()).attacked, attacked, "{text}");
        assert_eq!(p.tags(m).attacked, 0);
    }
}
