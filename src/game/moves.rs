//! One growing arena of moves for a whole search path, so that a node allocates nothing.

use super::Score;

/// A move with its ordering score.
#[derive(Clone, Copy, Debug)]
pub struct Scored<M> {
    /// The move.
    pub mv: M,
    /// Higher is tried earlier.
    pub score: Score,
}

/// Moves of all nodes on the search path, one after the other; each node remembers where its part starts.
#[derive(Clone, Debug)]
pub struct Moves<M> {
    all: Vec<Scored<M>>,
}

impl<M: Copy> Moves<M> {
    /// An empty arena.
    pub const fn new() -> Self {
        Self { all: Vec::new() }
    }

    /// An empty arena with room for `capacity` moves.
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            all: Vec::with_capacity(capacity),
        }
    }

    /// Appends a move.
    #[inline]
    pub fn push(&mut self, mv: M) {
        self.all.push(Scored { mv, score: 0 });
    }

    /// Moves held, of all nodes.
    #[inline]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Forgets all moves from `mark` on.
    #[inline]
    pub fn truncate(&mut self, mark: usize) {
        self.all.truncate(mark);
    }

    /// The moves from `mark` on.
    #[inline]
    pub fn since(&mut self, mark: usize) -> &mut [Scored<M>] {
        &mut self.all[mark..]
    }

    /// The `i`-th move.
    #[inline]
    pub fn at(&self, i: usize) -> Scored<M> {
        self.all[i]
    }

    /// Exchanges two entries.
    #[inline]
    pub fn swap(&mut self, i: usize, j: usize) {
        self.all.swap(i, j);
    }

    /// All moves in order.
    pub fn iter(&self) -> impl Iterator<Item = M> + '_ {
        self.all.iter().map(|s| s.mv)
    }
}

impl<M: Copy> Default for Moves<M> {
    fn default() -> Self {
        Self::new()
    }
}
