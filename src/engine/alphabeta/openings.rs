//! Random openings for outside match runners.

use super::{AlphaBeta, lock};
use crate::control::{Limits, Sink};
use crate::engine::Engine;
use crate::game::{Handmade, Kind, Moves, Outcomes, Position};
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
    let mut pos = P::parse(P::START, rules).ok()?;
    for _ in 0..OPENING_PLIES + rng.below(2) {
        let mut moves = Moves::new();
        pos.generate(Kind::All, &mut moves);
        if moves.is_empty() {
            return None;
        }
        let mv = moves.at(rng.below(moves.len() as u64) as usize).mv;
        pos.play(mv);
        if P::CHANCE && pos.covered() {
            let mut all = Outcomes::default();
            pos.outcomes(&mut all);
            let some = all.iter().take_while(|o| o.weight > 0).count();
            pos.reveal(all[rng.below(some.max(1) as u64) as usize]);
        }
    }
    pos.ended().is_none().then_some(pos)
}

impl<P: Handmade> AlphaBeta<P> {
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
