//! Perft: counting the leaves of the whole tree of legal moves, the test and the speed gauge of a move generator.

use super::{Moves, Outcome, Position};
use rayon::prelude::*;

/// How the leaves are counted.
#[derive(Clone, Copy, Debug)]
pub struct Perft {
    /// Count the last ply's moves without playing them.
    pub bulk: bool,
    /// Threads to split the root's (and their replies') moves over.
    pub threads: usize,
}

impl Default for Perft {
    fn default() -> Self {
        Self { bulk: true, threads: 1 }
    }
}

impl Perft {
    /// Leaves `depth` plies below `p`.
    pub fn count<P: Position>(self, p: &P, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        self.divide(p, depth).iter().map(|(_, n)| n).sum()
    }

    /// Leaves below each move of `p`, in generation order. `depth` is at least 1.
    pub fn divide<P: Position>(self, p: &P, depth: u32) -> Vec<(P::Move, u64)> {
        let mut moves = Moves::new();
        p.generate_all_legal(&mut moves);
        let below = |m: P::Move| {
            let mut child = p.clone();
            child.play(m);
            (
                m,
                leaves(
                    &mut child,
                    depth.saturating_sub(1),
                    self.bulk,
                    &mut Moves::with_capacity(1024),
                ),
            )
        };
        if self.threads <= 1 {
            return moves.iter().map(below).collect();
        }
        let all: Vec<P::Move> = moves.iter().collect();
        match rayon::ThreadPoolBuilder::new().num_threads(self.threads).build() {
            Ok(pool) => pool.install(|| all.par_iter().with_max_len(1).map(|&m| below(m)).collect()),
            Err(_) => all.into_iter().map(below).collect(),
        }
    }
}

fn leaves<P: Position>(p: &mut P, depth: u32, bulk: bool, moves: &mut Moves<P::Move>) -> u64 {
    if P::CHANCE && p.covered() {
        let mut outcomes = [Outcome::default(); 16];
        p.outcomes(&mut outcomes);
        let mut total = 0;
        for o in outcomes.into_iter().take_while(|o| o.weight > 0) {
            p.reveal(o);
            total += leaves(p, depth, bulk, moves);
            p.cover();
        }
        return total;
    }
    if depth == 0 {
        return 1;
    }
    // Where moves turn pieces up, the leaves are more than the moves.
    if bulk && depth == 1 && !P::CHANCE {
        return p.count_legal();
    }
    let start = moves.len();
    p.generate_all_legal(moves);
    let mut total = 0;
    for i in start..moves.len() {
        p.play(moves.at(i).mv);
        total += leaves(p, depth - 1, bulk, moves);
        p.undo();
    }
    moves.truncate(start);
    total
}
