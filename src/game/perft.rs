//! Perft: counting the leaves of the whole tree of legal moves, the test and the speed gauge of a move generator.

use super::{Move, Moves, Outcome, Position};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Nobody halts a count.
static NEVER: AtomicBool = AtomicBool::new(false);

/// From this depth on a node asks whether the count was halted: below it are thousands of leaves, which take less than a
/// millisecond.
const ASKED_FROM: u32 = 3;

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
        self.divide_until(p, depth, &NEVER)
    }

    /// The same; once `halt` is set it ends soon, with counts that mean nothing.
    pub fn divide_until<P: Position>(self, p: &P, depth: u32, halt: &AtomicBool) -> Vec<(P::Move, u64)> {
        let mut moves = Moves::new();
        p.generate_all_legal(&mut moves);
        let below = |m: P::Move| {
            let mut child = p.clone();
            child.play(m);
            let mut count = LeafCount {
                bulk: self.bulk,
                halt,
                moves: Moves::with_capacity(1024),
            };
            (m, count.leaves(&mut child, depth.saturating_sub(1)))
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

/// A count of one thread.
struct LeafCount<'a, M> {
    bulk: bool,
    halt: &'a AtomicBool,
    /// The moves of all nodes above, one after the other.
    moves: Moves<M>,
}

impl<M: Move> LeafCount<'_, M> {
    fn leaves<P: Position<Move = M>>(&mut self, p: &mut P, depth: u32) -> u64 {
        if P::CHANCE && p.covered() {
            let mut outcomes = [Outcome::default(); 16];
            p.outcomes(&mut outcomes);
            let mut total = 0;
            for o in outcomes.into_iter().take_while(|o| o.weight > 0) {
                p.reveal(o);
                total += self.leaves(p, depth);
                p.cover();
            }
            return total;
        }
        if depth == 0 || depth >= ASKED_FROM && self.halt.load(Relaxed) {
            return 1;
        }
        // Where moves turn pieces up, the leaves are more than the moves.
        if self.bulk && depth == 1 && !P::CHANCE {
            return p.count_legal();
        }
        let start = self.moves.len();
        p.generate_all_legal(&mut self.moves);
        let mut total = 0;
        for i in start..self.moves.len() {
            p.play(self.moves.at(i).mv);
            total += self.leaves(p, depth - 1);
            p.undo();
        }
        self.moves.truncate(start);
        total
    }
}
