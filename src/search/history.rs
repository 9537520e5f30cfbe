//! What earlier cutoffs teach: histories that order moves, and corrections of the static evaluation.

use crate::game::{Position, Score, Tags, Tunables};
use crate::util::pages::{Pages, Plain, prefetch};
use std::marker::PhantomData;

/// A cell that can only be moved by gravity: the nearer to the limit, the harder to push on, so it never overflows
/// (Stockfish's `StatsEntry`).
#[derive(Clone, Copy, Default, Debug)]
pub struct Cell(i16);

// SAFETY: a plain number.
unsafe impl Plain for Cell {}

impl Cell {
    /// The value, at most the limit of its additions from zero.
    #[inline]
    pub fn get(self) -> i32 {
        i32::from(self.0)
    }

    /// Pulls the cell by a bonus or malus towards `limit`, at most 32,767, or its negative.
    #[inline]
    pub fn add(&mut self, bonus: i32, limit: i32) {
        let bonus = bonus.clamp(-limit, limit);
        let value = self.get() + bonus - self.get() * bonus.abs() / limit;
        self.0 = value as i16;
    }
}

/// Correction cells per key and side; a power of two.
const CORRECTION_SIZE: usize = 1 << 14;
/// Pawn-history rows; a power of two.
const PAWN_ROWS: usize = 512;

/// The (piece, to) of an earlier move of the line, by which continuation histories are chosen; `Slot::none` for a pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot(u16);

/// All histories of one worker.
pub struct Histories<P: Position> {
    butterfly: Pages<Cell>,
    pawn: Pages<Cell>,
    capture: Pages<Cell>,
    continuation: Pages<Cell>,
    correction: Pages<Cell>,
    continuation_correction: Pages<Cell>,
    game: PhantomData<P>,
}

fn cells(n: usize) -> Pages<Cell> {
    Pages::new(n).expect("a few megabytes for each thread")
}

impl<P: Position> Histories<P> {
    /// (piece, to) pairs, and one more row for "no move".
    const SLOTS: usize = P::PIECES * P::SQUARES;

    /// Empty histories.
    pub fn new() -> Self {
        Self {
            butterfly: cells(2 * P::FROMS * P::SQUARES),
            pawn: cells(PAWN_ROWS * Self::SLOTS),
            capture: cells(Self::SLOTS * (P::PIECES + 1)),
            continuation: cells((Self::SLOTS + 1) * Self::SLOTS),
            correction: cells(4 * 2 * CORRECTION_SIZE),
            continuation_correction: cells((Self::SLOTS + 1) * Self::SLOTS),
            game: PhantomData,
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.butterfly.fill(Cell::default());
        self.pawn.fill(Cell::default());
        self.capture.fill(Cell::default());
        self.continuation.fill(Cell::default());
        self.correction.fill(Cell::default());
        self.continuation_correction.fill(Cell::default());
    }

    /// The slot of a move.
    #[inline]
    pub fn slot(t: Tags) -> Slot {
        Slot((t.piece as usize * P::SQUARES + t.to as usize) as u16)
    }

    /// The slot of a pass or of what lies before the root.
    pub const fn no_slot() -> Slot {
        Slot(Self::SLOTS as u16)
    }

    #[inline]
    fn butterfly_at(side: usize, t: Tags) -> usize {
        (side * P::FROMS + t.from as usize) * P::SQUARES + t.to as usize
    }

    #[inline]
    fn pawn_at(pawns: u64, t: Tags) -> usize {
        (pawns as usize % PAWN_ROWS) * Self::SLOTS + Self::slot(t).0 as usize
    }

    #[inline]
    fn capture_at(t: Tags) -> usize {
        Self::slot(t).0 as usize * (P::PIECES + 1) + t.taken as usize
    }

    #[inline]
    fn continuation_at(before: Slot, t: Tags) -> usize {
        before.0 as usize * Self::SLOTS + Self::slot(t).0 as usize
    }

    /// How a capture fared.
    #[inline]
    pub fn capture(&self, t: Tags) -> i32 {
        self.capture[Self::capture_at(t)].get()
    }

    /// How a quiet move fared by itself and with these pawns.
    #[inline]
    pub fn quiet(&self, side: usize, pawns: u64, t: Tags) -> i32 {
        P::Tune::butterfly_weight() * self.butterfly[Self::butterfly_at(side, t)].get()
            + self.pawn[Self::pawn_at(pawns, t)].get()
    }

    /// How a move fared after an earlier one.
    #[inline]
    pub fn continuation(&self, before: Slot, t: Tags) -> i32 {
        self.continuation[Self::continuation_at(before, t)].get()
    }

    /// Rewards or punishes a capture.
    pub fn update_capture(&mut self, t: Tags, bonus: i32) {
        self.capture[Self::capture_at(t)].add(bonus, P::Tune::capture_history_limit());
    }

    /// Rewards or punishes a quiet move, by itself and after the earlier moves of the line (nearest first).
    pub fn update_quiet(&mut self, side: usize, pawns: u64, t: Tags, line: &[Slot], bonus: i32) {
        let limit = P::Tune::quiet_history_limit();
        self.butterfly[Self::butterfly_at(side, t)].add(bonus, limit);
        self.pawn[Self::pawn_at(pawns, t)].add(bonus, limit);
        self.update_continuation(t, line, bonus);
    }

    /// The continuation part of [`Histories::update_quiet`] alone.
    pub fn update_continuation(&mut self, t: Tags, line: &[Slot], bonus: i32) {
        for &before in line {
            if before != Self::no_slot() {
                let limit = P::Tune::continuation_history_limit();
                self.continuation[Self::continuation_at(before, t)].add(bonus, limit);
            }
        }
    }

    /// Rewards a move that is known by its slot only, after the moves before it.
    pub fn praise(&mut self, slot: Slot, line: &[Slot], bonus: i32) {
        for &before in line {
            if before != Self::no_slot() && slot != Self::no_slot() {
                let limit = P::Tune::continuation_history_limit();
                self.continuation[before.0 as usize * Self::SLOTS + slot.0 as usize].add(bonus, limit);
            }
        }
    }

    #[inline]
    fn correction_at(part: usize, side: usize, key: u64) -> usize {
        (part * 2 + side) * CORRECTION_SIZE + key as usize % CORRECTION_SIZE
    }

    #[inline]
    fn continuation_correction_at(line: [Slot; 2]) -> Option<usize> {
        let last = line[0].0 as usize;
        (last < Self::SLOTS).then(|| line[1].0 as usize * Self::SLOTS + last)
    }

    /// Asks the processor to bring the correction cells of a position near.
    #[inline]
    pub fn prefetch(&self, p: &P) {
        for (part, key) in p.correction_keys().into_iter().enumerate() {
            prefetch(&self.correction[Self::correction_at(part, p.side().index(), key)]);
        }
    }

    /// What to add to the static evaluation of a position with these part keys, reached by these last two moves.
    #[inline]
    pub fn correction(&self, p: &P, line: [Slot; 2]) -> Score {
        let side = p.side().index();
        let keys = p.correction_keys();
        let mut sum = 0;
        let pieces = P::Tune::correction_pieces();
        let weights = [
            P::Tune::correction_pawns(),
            P::Tune::correction_minors(),
            pieces,
            pieces,
        ];
        for (part, (&key, weight)) in keys.iter().zip(weights).enumerate() {
            sum += weight * self.correction[Self::correction_at(part, side, key)].get();
        }
        if let Some(i) = Self::continuation_correction_at(line) {
            sum += P::Tune::correction_continuation() * self.continuation_correction[i].get();
        }
        sum / 256
    }

    /// The search found a score that differs from the static evaluation by `error` at `depth`.
    pub fn update_correction(&mut self, p: &P, line: [Slot; 2], error: Score, depth: i32) {
        let side = p.side().index();
        let (most, limit) = (P::Tune::correction_bonus_limit(), P::Tune::correction_limit());
        let bonus = (error * depth / P::Tune::correction_divisor()).clamp(-most, most);
        for (part, key) in p.correction_keys().into_iter().enumerate() {
            self.correction[Self::correction_at(part, side, key)].add(bonus, limit);
        }
        if let Some(i) = Self::continuation_correction_at(line) {
            self.continuation_correction[i].add(bonus, limit);
        }
    }
}

impl<P: Position> Default for Histories<P> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::Cell;

    #[test]
    fn a_cell_never_passes_its_limit() {
        let mut c = Cell::default();
        for bonus in [1, 100, 8192, 100_000, i32::MAX / 2] {
            for _ in 0..1000 {
                c.add(bonus, 8192);
                assert!(c.get() <= 8192);
            }
        }
        c.add(-100_000, 8192);
        assert!(c.get() >= -8192 && c.get() < 0);
    }
}
