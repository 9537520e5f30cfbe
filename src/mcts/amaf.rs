//! AMAF ("all moves as first") statistics of edges, for evaluators that play games out. A move that a side played at any
//! point of a playout counts as if it had been played at once (Gelly and Silver, "Monte-Carlo tree search and rapid action
//! value estimation in computer Go", 2011). They lie beside the nodes, so that a search by a network has none.

use crate::games::go::types::{BLACK, CELLS, Colour, PASS, Point, other};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Count and mean of the AMAF visits of an edge, as two floats in one word so that they are read together. Threads may lose an
/// update.
#[derive(Default)]
pub struct EdgeAmaf(AtomicU64);

impl EdgeAmaf {
    /// Count and mean win probability.
    #[inline]
    pub fn get(&self) -> (f32, f32) {
        let word = self.0.load(Relaxed);
        (f32::from_bits((word >> 32) as u32), f32::from_bits(word as u32))
    }

    fn set(&self, count: f32, mean: f32) {
        self.0
            .store(u64::from(count.to_bits()) << 32 | u64::from(mean.to_bits()), Relaxed);
    }

    /// Copies another edge's statistics.
    pub fn copy_from(&self, from: &Self) {
        self.0.store(from.0.load(Relaxed), Relaxed);
    }

    /// Sets both to 0.
    pub fn clear(&self) {
        self.set(0.0, 0.0);
    }

    /// Adds visits and how many of them were won.
    #[inline]
    pub fn add(&self, visits: f32, wins: f32) {
        let (count, mean) = self.get();
        let all = count + visits;
        self.set(all, mean + (wins - visits * mean) / all);
    }
}

/// Which side played first where in the playouts of one evaluation, and how often black won those.
#[derive(Clone)]
pub struct AmafUpdate {
    /// By colour and point: playouts, and black's wins among them.
    counts: Box<[[(f32, f32); CELLS]; 3]>,
    playouts: f32,
    wins: f32,
}

impl Default for AmafUpdate {
    fn default() -> Self {
        Self {
            counts: Box::new([[(0.0, 0.0); CELLS]; 3]),
            playouts: 0.0,
            wins: 0.0,
        }
    }
}

impl AmafUpdate {
    /// Clears the counts of a board of so many cells.
    pub fn clear(&mut self, cells: usize) {
        self.counts.iter_mut().for_each(|c| c[..cells].fill((0.0, 0.0)));
        (self.playouts, self.wins) = (0.0, 0.0);
    }

    /// Adds a playout that black won with this probability; `first` is the colour that played first on each cell.
    pub fn add(&mut self, first: &[Colour], win: f32) {
        self.playouts += 1.0;
        self.wins += win;
        for (p, &c) in first.iter().enumerate() {
            let cell = &mut self.counts[c as usize][p];
            cell.0 += 1.0;
            cell.1 += win;
        }
    }

    /// A move of the tree is the first of its point in all playouts.
    pub fn play(&mut self, mv: Point, c: Colour) {
        if mv != PASS {
            self.counts[c as usize][mv as usize] = (self.playouts, self.wins);
            self.counts[other(c) as usize][mv as usize] = (0.0, 0.0);
        }
    }

    /// The share of the playouts in which the side made the move first, and its wins among them.
    #[inline]
    pub fn of(&self, mv: Point, c: Colour) -> (f32, f32) {
        let (playouts, wins) = self.counts[c as usize][mv as usize];
        let wins = if c == BLACK { wins } else { playouts - wins };
        (playouts / self.playouts, wins / self.playouts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::go::types::WHITE;

    #[test]
    fn edges_count_and_average() {
        let edge = EdgeAmaf::default();
        edge.add(2.0, 1.0);
        edge.add(2.0, 2.0);
        assert_eq!(edge.get(), (4.0, 0.75));
        edge.clear();
        assert_eq!(edge.get(), (0.0, 0.0));
    }

    #[test]
    fn the_first_to_play_counts_and_moves_of_the_tree_come_first() {
        let mut update = AmafUpdate::default();
        update.add(&[0, BLACK, WHITE], 1.0);
        update.add(&[0, BLACK, BLACK], 0.0);
        assert_eq!(update.of(1, BLACK), (1.0, 0.5));
        assert_eq!(update.of(2, WHITE), (0.5, 0.0));
        update.play(2, WHITE);
        assert_eq!((update.of(2, BLACK), update.of(2, WHITE)), ((0.0, 0.0), (1.0, 0.5)));
    }
}
