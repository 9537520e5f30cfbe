//! Random openings for outside match runners.

use super::{AlphaBeta, lock};
use crate::control::Engine;
use crate::control::{Limits, Sink};
use crate::game::random::{step, walk};
use crate::game::{PieceValues, Position};
use crate::search::Task;
use crate::util::rng::SplitMix;
use std::sync::Arc;
use std::time::Instant;

/// Random plies of an opening.
const OPENING_PLIES: u64 = 8;
/// An opening is fair when a short search sees neither side further ahead.
const FAIR: i32 = 150;

/// A position a few random plies from the start; none where the game ended on the way.
fn random_opening<P: Position>(rules: &P::Rules, rng: &mut SplitMix) -> Option<P> {
    let start = P::parse(P::START, rules).ok()?;
    let plies = OPENING_PLIES + rng.below(2);
    walk(&start, plies, rng, |pos, mv, rng| {
        step(pos, mv, rng);
    })
}

impl<P: PieceValues> AlphaBeta<P> {
    /// Up to `n` random openings that a short search finds fair, as setup texts, fixed by the seed.
    pub(super) fn fair_openings(&mut self, n: usize, seed: u64) -> Vec<String> {
        let mut rng = SplitMix::new(seed);
        let mut found = Vec::with_capacity(n);
        // A bound on tries keeps a game without balanced openings from looping for ever.
        for _ in 0..n.saturating_mul(200) {
            if found.len() == n {
                break;
            }
            if let Some(pos) = random_opening::<P>(&self.rules, &mut rng)
                && self.balanced(&pos)
            {
                found.push(pos.setup());
            }
        }
        found
    }

    fn balanced(&mut self, pos: &P) -> bool {
        let Ok(()) = self.position(Some(&pos.setup()), &[]) else {
            return false;
        };
        self.new_game();
        self.signal.begin(Instant::now(), false);
        let moves = self.root_moves(&Limits::default());
        if moves.is_empty() {
            return false;
        }
        let sink: Sink = Arc::new(|_| {});
        self.blank = false;
        let task = Task::new(Limits::nodes(5000), moves, sink);
        let mut worker = lock(&self.workers[0]);
        worker.set_position(pos);
        worker.think(&task, true);
        worker.finish().score.abs() <= FAIR
    }
}

#[cfg(all(test, feature = "chess", feature = "xiangqi", feature = "shogi"))]
mod tests {
    use super::*;
    use crate::game::{Kind, Moves, Side};
    use crate::games::coup::{Coup, CoupRules};

    /// Chi-square of what the first moves of openings turn up: with 5 degrees of freedom 99.99 % of all samples stay
    /// below 26.
    #[test]
    fn hidden_pieces_turn_up_by_their_count() {
        let rules = CoupRules::default();
        let start = Coup::parse(Coup::START, &rules).expect("the start");
        let full = *start.pool(Side::First);
        let (mut rng, mut seen, mut total) = (SplitMix::new(5), [0u32; 7], 0u32);
        for _ in 0..600 {
            let Some(mut pos) = random_opening::<Coup>(&rules, &mut rng) else {
                continue;
            };
            while pos.game_ply() > 1 {
                pos.undo();
            }
            for (seen, (&before, &after)) in seen.iter_mut().zip(full.iter().zip(pos.pool(Side::First))) {
                *seen += u32::from(before - after);
                total += u32::from(before - after);
            }
        }
        assert!(total > 500, "{total}");
        let hidden: u32 = full.iter().map(|&n| u32::from(n)).sum();
        let chi: f64 = seen
            .iter()
            .zip(&full)
            .filter(|(_, n)| **n > 0)
            .map(|(&seen, &n)| {
                let expected = f64::from(total) * f64::from(n) / f64::from(hidden);
                (f64::from(seen) - expected).powi(2) / expected
            })
            .sum();
        assert!(chi < 26.0, "chi-square {chi:.1}: {seen:?} of {full:?}");
    }

    /// Under a short limit of moves without a capture most random games end; none may be played on past its end.
    #[test]
    fn no_opening_leads_through_the_end_of_a_game() {
        let rules = CoupRules {
            no_capture_limit: 4,
            ..CoupRules::default()
        };
        let (mut rng, mut found) = (SplitMix::new(5), 0);
        for _ in 0..4000 {
            let Some(mut pos) = random_opening::<Coup>(&rules, &mut rng) else {
                continue;
            };
            found += 1;
            let end = Coup::parse(&pos.setup(), &rules).expect("a setup");
            let mut moves = Moves::new();
            end.generate(Kind::All, &mut moves);
            assert!(end.ended().is_none() && !moves.is_empty(), "{}", end.setup());
            while pos.game_ply() > 0 {
                pos.undo();
                assert!(
                    pos.ended().is_none(),
                    "{} comes after the end {}",
                    end.setup(),
                    pos.setup()
                );
            }
        }
        assert!(found > 10, "{found}");
    }
}
