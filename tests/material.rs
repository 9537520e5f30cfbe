//! The evaluation without a network: the sums of the line equal fresh ones in every game, and the sides are alike.

use nguky::eval::Material;
use nguky::game::random::random_move;
use nguky::game::{Dirty, Evaluator, Outcomes, PieceValues, Position, Side};
use nguky::games::chess::Chess;
use nguky::games::coup::Coup;
use nguky::games::shogi::Shogi;
use nguky::games::xiangqi::Xiangqi;
use nguky::util::rng::SplitMix;
use std::collections::HashMap;

fn parse<P: Position>(setup: &str) -> P {
    P::parse(setup, &P::Rules::default()).unwrap_or_else(|e| panic!("{setup}: {e}"))
}

fn score<P: PieceValues>(pos: &P) -> i32 {
    let mut material = Material::default();
    material.reset(pos);
    material.score(pos)
}

/// Plays a move or passes, and tells the evaluator; gives the changes told.
fn step<P: PieceValues>(pos: &mut P, material: &mut Material<P>, rng: &mut SplitMix) -> Option<usize> {
    if rng.below(12) == 0 && !pos.in_check() && pos.may_pass() {
        pos.pass();
        material.push(&Dirty::default());
        return Some(1);
    }
    let m = random_move(pos, rng)?;
    material.push(&pos.play(m));
    if !pos.covered() {
        return Some(1);
    }
    let mut all = Outcomes::default();
    pos.outcomes(&mut all);
    let some = all.iter().take_while(|o| o.weight > 0).count() as u64;
    material.push(&pos.reveal(all[rng.below(some) as usize]));
    Some(2)
}

/// The score of a line is that of a fresh start, on random games with moves taken back.
fn running_equals_fresh<P: PieceValues>() {
    let mut rng = SplitMix::new(7);
    for _ in 0..40 {
        let mut pos: P = parse(P::START);
        let mut material = Material::default();
        material.reset(&pos);
        assert_eq!(material.score(&pos), 0, "the sides begin alike");
        let mut told = Vec::new();
        for _ in 0..150 {
            let back = if rng.below(4) == 0 { told.pop() } else { None };
            if let Some(changes) = back {
                (0..changes).for_each(|_| material.pop());
                pos.undo();
            } else if pos.ended().is_some() {
                break;
            } else if let Some(changes) = step(&mut pos, &mut material, &mut rng) {
                told.push(changes);
            }
            assert_eq!(material.score(&pos), score(&pos), "{}", pos.setup());
        }
    }
}

/// A piece counts as much for either side: features of networks tell which squares correspond.
fn sides_are_alike<P: PieceValues>() {
    let pairs = || (0..P::PIECES as u8).flat_map(|piece| (0..P::SQUARES as u8).map(move |square| (piece, square)));
    let worth = |view: Side, piece: u8, square: u8| {
        let value = P::value(piece) + P::square_value(piece, square);
        if P::owner(piece) == view { value } else { -value }
    };
    let mut first: HashMap<usize, i32> = HashMap::new();
    for (piece, square) in pairs() {
        first.insert(
            P::feature(Side::First, 0, piece, square),
            worth(Side::First, piece, square),
        );
    }
    for (piece, square) in pairs() {
        let other = first.get(&P::feature(Side::Second, 0, piece, square));
        assert_eq!(other, Some(&worth(Side::Second, piece, square)), "{piece} on {square}");
    }
}

#[test]
fn chess() {
    running_equals_fresh::<Chess>();
    sides_are_alike::<Chess>();
}

#[test]
fn xiangqi() {
    running_equals_fresh::<Xiangqi>();
    sides_are_alike::<Xiangqi>();
}

#[test]
fn coup() {
    running_equals_fresh::<Coup>();
    sides_are_alike::<Coup>();
}

#[test]
fn shogi() {
    running_equals_fresh::<Shogi>();
    sides_are_alike::<Shogi>();
}

/// A rook more is worth about a rook, for the side that has it, whoever moves.
#[test]
fn a_rook_more_is_worth_a_rook() {
    fn check<P: PieceValues>(setups: [&str; 2], range: std::ops::Range<i32>) {
        let [own, other] = setups.map(|setup| score(&parse::<P>(setup)));
        assert!(range.contains(&own), "{own}: {}", setups[0]);
        assert_eq!(other, -own, "{}", setups[1]);
    }
    check::<Chess>(
        [
            "1nbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQk - 0 1",
            "1nbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQk - 0 1",
        ],
        450..550,
    );
    check::<Xiangqi>(
        [
            "1nbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
            "1nbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR b - - 0 1",
        ],
        850..1000,
    );
    // The rook has gone over into the other's hand.
    check::<Shogi>(
        [
            "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b R 1",
            "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w R 1",
        ],
        1400..1700,
    );
    // Turned up, the rook is worth more than face down; what may lie under the others is as good as before.
    check::<Coup>(
        [
            "xxxxkxxxx/9/1x5x1/x1x1x1x1x/9/9/X1X1X1X1X/1X5X1/8R/XXXXKXXX1 w R1A2C2P5N2B2r2a2c2p5n2b2 0 1",
            "xxxxkxxxx/9/1x5x1/x1x1x1x1x/9/9/X1X1X1X1X/1X5X1/8R/XXXXKXXX1 b R1A2C2P5N2B2r2a2c2p5n2b2 0 1",
        ],
        150..350,
    );
}

/// What is left of the material where it cannot win is nothing.
#[test]
fn a_bishop_alone_wins_nothing() {
    assert_eq!(score(&parse::<Chess>("4k3/8/8/8/8/8/8/2B1K3 w - - 0 40")), 0);
}
