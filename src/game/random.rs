//! Random play, fixed by a seed: moves are drawn uniformly, what they turn up by the count of what is hidden.
//!
//! The openings of `genfens`, of matches and of self-play are all drawn by [`walk`].

use super::{Kind, Moves, Outcomes, Position};
use crate::util::rng::SplitMix;

/// A legal move, each as likely; `None` where there is none.
pub fn random_move<P: Position>(pos: &P, rng: &mut SplitMix) -> Option<P::Move> {
    let mut moves = Moves::new();
    pos.generate(Kind::All, &mut moves);
    (!moves.is_empty()).then(|| moves.at(rng.below(moves.len() as u64) as usize).mv)
}

/// Plays a legal move. In a game of chance the piece that it turns up is drawn by the count of what is hidden
/// ([`super::Outcome::weight`]) and returned.
pub fn step<P: Position>(pos: &mut P, mv: P::Move, rng: &mut SplitMix) -> Option<u8> {
    pos.play(mv);
    if !P::CHANCE || !pos.covered() {
        return None;
    }
    let mut all = Outcomes::default();
    pos.outcomes(&mut all);
    let total: u64 = all.iter().map(|o| u64::from(o.weight)).sum();
    let mut at = rng.below(total.max(1));
    let drawn = all.iter().find(|o| {
        let here = at < u64::from(o.weight);
        at = at.saturating_sub(o.weight.into());
        here
    })?;
    pos.reveal(*drawn);
    Some(drawn.piece)
}

/// The position `plies` random moves after `start`; `None` where the game is over on the way or at the end.
///
/// `play` plays each move: [`step`], or what also records the move or takes what it turns up from a deal.
pub fn walk<P: Position>(
    start: &P,
    plies: u64,
    rng: &mut SplitMix,
    mut play: impl FnMut(&mut P, P::Move, &mut SplitMix),
) -> Option<P> {
    let mut pos = start.clone();
    for _ in 0..plies {
        // No game goes on past its end: a position may count its moves on that understanding.
        if pos.ended().is_some() {
            return None;
        }
        let mv = random_move(&pos, rng)?;
        play(&mut pos, mv, rng);
    }
    is_open(&pos).then_some(pos)
}

/// The position `plies` random moves after `start`, without its history: who is given a setup starts from it alone.
/// `None` where the game is over on the way or at the end.
pub fn random_setup<P: Position>(start: &P, rules: &P::Rules, plies: u64, rng: &mut SplitMix) -> Option<P> {
    let end = walk(start, plies, rng, |pos, mv, rng| {
        step(pos, mv, rng);
    })?;
    P::parse(&end.setup(), rules).ok().filter(is_open)
}

/// Whether the game goes on and the side to move has a move.
fn is_open<P: Position>(pos: &P) -> bool {
    pos.ended().is_none() && pos.count_legal() > 0
}

#[cfg(all(test, feature = "chess", feature = "xiangqi", feature = "shogi"))]
mod tests {
    use super::*;
    use crate::games::{chess::Chess, coup::Coup, shogi::Shogi, xiangqi::Xiangqi};

    /// Walks are fixed by the seed, as long as asked for, and leave a game to play.
    #[test]
    fn walks_repeat_and_leave_a_game_to_play() {
        fn check<P: Position>() {
            let rules = P::Rules::default();
            let start = P::parse(P::START, &rules).expect("the start");
            let setups = |seed| -> Vec<String> {
                let mut rng = SplitMix::new(seed);
                let found = (0..40).filter_map(|_| random_setup(&start, &rules, 60, &mut rng));
                found.map(|pos| pos.setup()).collect()
            };
            let all = setups(1);
            assert!(all.len() > 10, "{}: {}", P::NAME, all.len());
            assert_eq!(all, setups(1));
            assert_ne!(all, setups(2));
            for setup in &all {
                let pos = P::parse(setup, &rules).expect("a setup");
                assert!(is_open(&pos) && !pos.covered(), "{}: {setup}", P::NAME);
            }
            let mut played = 0;
            let end = walk(&start, 7, &mut SplitMix::new(3), |pos, mv, rng| {
                step(pos, mv, rng);
                played += 1;
            });
            assert_eq!((played, end.map(|pos| pos.game_ply())), (7, Some(7)), "{}", P::NAME);
        }
        check::<Chess>();
        check::<Xiangqi>();
        check::<Coup>();
        check::<Shogi>();
    }

    /// No walk begins where the game is over.
    #[test]
    fn nothing_follows_the_end_of_a_game() {
        for setup in [
            "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
            "6k1/6Q1/6K1/8/8/8/8/8 b - - 0 1",
            "8/8/8/8/8/8/8/K1k5 w - - 0 1",
        ] {
            let over = Chess::parse(setup, &Default::default()).expect("a setup");
            for plies in [0, 1] {
                let end = walk(&over, plies, &mut SplitMix::new(1), |_, _, _| panic!("{setup}"));
                assert!(end.is_none(), "{setup}");
            }
        }
    }
}
