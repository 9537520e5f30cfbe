//! Ownership averaged over the positions of a search.

use crate::games::go::types::Point;

/// Sums of ownership over positions.
#[derive(Clone, Default)]
pub struct OwnershipSums {
    n: f32,
    sum: Vec<f32>,
    square: Vec<f32>,
}

impl OwnershipSums {
    /// Adds a position.
    pub fn add(&mut self, ownership: &[f32]) {
        self.n += 1.0;
        self.sum.resize(ownership.len(), 0.0);
        self.square.resize(ownership.len(), 0.0);
        for ((sum, square), x) in self.sum.iter_mut().zip(&mut self.square).zip(ownership) {
            *sum += x;
            *square += x * x;
        }
    }

    /// The mean of each point; empty before the first position.
    pub fn mean(&self) -> Vec<f32> {
        self.sum.iter().map(|x| x / self.n).collect()
    }

    /// The standard deviation of each point.
    pub fn stdev(&self) -> Vec<f32> {
        let one = |(sum, square): (&f32, &f32)| (square / self.n - (sum / self.n).powi(2)).max(0.0).sqrt();
        self.sum.iter().zip(&self.square).map(one).collect()
    }
}

/// Ownership over this search.
#[derive(Default)]
pub struct OwnershipRecord {
    /// Over all positions.
    pub all: OwnershipSums,
    /// After each move of the root.
    pub moves: Vec<(Point, OwnershipSums)>,
}

impl OwnershipRecord {
    /// Adds a position after this move of the root; the root itself has none.
    pub fn add(&mut self, mv: Option<Point>, ownership: &[f32]) {
        self.all.add(ownership);
        let Some(mv) = mv else { return };
        match self.moves.iter_mut().find(|(m, _)| *m == mv) {
            Some((_, sums)) => sums.add(ownership),
            None => {
                let mut sums = OwnershipSums::default();
                sums.add(ownership);
                self.moves.push((mv, sums));
            }
        }
    }
}
