//! History tables: butterfly, pawn, capture and continuation histories order moves; correction histories adjust the static
//! evaluation.

use crate::game::{Position, Score, Tags, Tunables};
use crate::util::pages::{Pages, Plain};
use std::io;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicI16, Ordering::Relaxed};

/// A history entry with gravity: the nearer it is to the limit, the smaller each further step, so that it never overflows
/// (Stockfish's `StatsEntry`). Atomic, for some tables are shared by all search threads: of two additions at once, one may be
/// lost.
#[derive(Default, Debug)]
pub struct HistoryEntry(AtomicI16);

// SAFETY: a number of an atomic type has the bytes of the number.
unsafe impl Plain for HistoryEntry {}

impl HistoryEntry {
    /// The value, at most the limit of its additions from zero.
    #[inline]
    pub fn get(&self) -> i32 {
        i32::from(self.0.load(Relaxed))
    }

    /// Moves the entry by a bonus or malus towards `limit`, at most 32,767, or its negative.
    #[inline]
    pub fn add(&self, bonus: i32, limit: i32) {
        self.pull(bonus, self.get(), limit);
    }

    /// The same, by the gravity that an entry of `value`, from `-limit` to `limit`, would have.
    #[inline]
    pub fn pull(&self, bonus: i32, value: i32, limit: i32) {
        let bonus = bonus.clamp(-limit, limit);
        let new = self.get() + bonus - value * bonus.abs() / limit;
        self.0.store(new.clamp(-limit, limit) as i16, Relaxed);
    }
}

/// Forgets what the entries hold.
fn clear(entries: &[HistoryEntry]) {
    for entry in entries {
        entry.0.store(0, Relaxed);
    }
}

// These tables are small so that they stay in the processor's second cache: the former ones, 2 to 36 times as large, were no
// stronger at equal nodes and cost chess 5 % of its nodes a second (docs/tuning.md).

/// Correction cells per key and side; a power of two.
const CORRECTION_SIZE: usize = 1 << 13;
/// Cells of the continuation correction history; a power of two.
const CONTINUATION_CORRECTION_SIZE: usize = 1 << 14;
/// Pawn-history rows; a power of two.
const PAWN_ROWS: usize = 64;

/// The (piece, to) of an earlier move of the line, by which continuation histories are chosen; `PieceTo::none` for a pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceTo(u16);

/// Continuation histories and continuation correction histories, which all workers of an engine share: they are by far the
/// largest (10 of shogi's 11 megabytes), so a copy for each thread would be most of what the thread takes.
pub struct ContinuationHistories<P: Position> {
    entries: Pages<HistoryEntry>,
    game: PhantomData<fn() -> P>,
}

impl<P: Position> ContinuationHistories<P> {
    /// (piece, to) pairs, and one more row for "no move".
    const SLOTS: usize = P::PIECES * P::SQUARES;
    /// Where the continuation correction history begins, behind the continuation history.
    const CORRECTION: usize = (Self::SLOTS + 1) * Self::SLOTS;

    /// Empty histories.
    ///
    /// # Errors
    /// When the system has no memory for them.
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            entries: Pages::new(Self::CORRECTION + CONTINUATION_CORRECTION_SIZE)?,
            game: PhantomData,
        })
    }

    /// Clears them.
    pub fn clear(&self) {
        clear(&self.entries);
    }

    #[inline]
    fn entry(&self, before: PieceTo, piece_to: PieceTo) -> &HistoryEntry {
        &self.entries[before.0 as usize * Self::SLOTS + piece_to.0 as usize]
    }

    /// The correction after the last two moves, nearest first, which share cells with others; none after a pass.
    #[inline]
    fn correction(&self, line: [PieceTo; 2]) -> Option<&HistoryEntry> {
        /// Spreads the moves before the last; prime, near the (piece, to) pairs of chess and xiangqi.
        const STRIDE: usize = 1021;
        let [last, before] = line.map(|p| p.0 as usize);
        let cell = (before * STRIDE + last) % CONTINUATION_CORRECTION_SIZE;
        (last < Self::SLOTS).then(|| &self.entries[Self::CORRECTION + cell])
    }
}

/// All histories of one worker: its own tables, one behind the other (large pages are two megabytes each, which tables with
/// pages of their own would round up to), and those that it shares.
pub struct Histories<P: Position> {
    own: Pages<HistoryEntry>,
    continuation: Arc<ContinuationHistories<P>>,
}

impl<P: Position> Histories<P> {
    const SLOTS: usize = ContinuationHistories::<P>::SLOTS;

    // Where each table begins: butterfly history, pawn history, capture history, correction history.
    const PAWN: usize = 4 * 2 * P::FROMS * P::SQUARES;
    const CAPTURE: usize = Self::PAWN + PAWN_ROWS * Self::SLOTS;
    const CORRECTION: usize = Self::CAPTURE + Self::SLOTS * (P::PIECES + 1);
    const ALL: usize = Self::CORRECTION + 4 * 2 * CORRECTION_SIZE;

    /// Empty histories, beside those that are shared.
    ///
    /// # Errors
    /// When the system has no memory for them.
    pub fn new(continuation: Arc<ContinuationHistories<P>>) -> io::Result<Self> {
        Ok(Self {
            own: Pages::new(Self::ALL)?,
            continuation,
        })
    }

    /// Clears the worker's own histories.
    pub fn clear(&self) {
        clear(&self.own);
    }

    /// The piece and destination of a move.
    #[inline]
    pub fn piece_to(t: Tags) -> PieceTo {
        PieceTo((t.piece as usize * P::SQUARES + t.to as usize) as u16)
    }

    /// The value for a pass or of what lies before the root.
    pub const fn no_piece_to() -> PieceTo {
        PieceTo(Self::SLOTS as u16)
    }

    #[inline]
    fn butterfly_at(side: usize, t: Tags) -> usize {
        ((t.attacked as usize * 2 + side) * P::FROMS + t.from as usize) * P::SQUARES + t.to as usize
    }

    #[inline]
    fn pawn_at(pawns: u64, t: Tags) -> usize {
        Self::PAWN + (pawns as usize % PAWN_ROWS) * Self::SLOTS + Self::piece_to(t).0 as usize
    }

    #[inline]
    fn capture_at(t: Tags) -> usize {
        Self::CAPTURE + Self::piece_to(t).0 as usize * (P::PIECES + 1) + t.taken as usize
    }

    /// The capture history of a move.
    #[inline]
    pub fn capture(&self, t: Tags) -> i32 {
        self.own[Self::capture_at(t)].get()
    }

    /// The butterfly and pawn history of a quiet move. The butterfly histories differ by whether the move's origin and target
    /// are attacked (Berserk).
    #[inline]
    pub fn quiet(&self, side: usize, pawns: u64, t: Tags) -> i32 {
        P::Tune::butterfly_weight() * self.own[Self::butterfly_at(side, t)].get()
            + self.own[Self::pawn_at(pawns, t)].get()
    }

    /// The continuation history of a move after an earlier one.
    #[inline]
    pub fn continuation(&self, before: PieceTo, t: Tags) -> i32 {
        self.continuation.entry(before, Self::piece_to(t)).get()
    }

    /// A row of a table whose rows have an entry for each (piece, to).
    #[inline]
    fn row(entries: &[HistoryEntry], at: usize) -> &[HistoryEntry] {
        &entries[at * Self::SLOTS..][..Self::SLOTS]
    }

    /// The parts of the tables that a node's quiet moves share: `line` is the moves 1, 2, 4 and 6 plies back.
    #[inline]
    pub fn rows(&self, side: usize, pawns: u64, line: [PieceTo; 4]) -> Rows<'_, P> {
        Rows {
            side,
            butterfly: &self.own[..Self::PAWN],
            pawn: Self::row(&self.own[Self::PAWN..Self::CAPTURE], pawns as usize % PAWN_ROWS),
            continuation: line.map(|before| Self::row(&self.continuation.entries, before.0.into())),
            game: PhantomData,
        }
    }

    /// Adds a bonus or malus to a capture's history.
    pub fn update_capture(&self, t: Tags, bonus: i32) {
        self.own[Self::capture_at(t)].add(bonus, P::Tune::capture_history_limit());
    }

    /// Adds a bonus or malus to a quiet move's histories, the continuation ones after the earlier moves of the line (nearest
    /// first).
    pub fn update_quiet(&self, side: usize, pawns: u64, t: Tags, line: &[PieceTo], bonus: i32) {
        self.update_butterfly(side, pawns, t, bonus);
        self.update_continuation(t, line, bonus);
    }

    /// The butterfly and pawn part of [`Histories::update_quiet`] alone.
    pub fn update_butterfly(&self, side: usize, pawns: u64, t: Tags, bonus: i32) {
        let limit = P::Tune::quiet_history_limit();
        self.own[Self::butterfly_at(side, t)].add(bonus, limit);
        self.own[Self::pawn_at(pawns, t)].add(bonus, limit);
    }

    /// The continuation part of [`Histories::update_quiet`] alone. The search adds these entries up, so each has the gravity of
    /// their mean, not its own (Clockwork).
    pub fn update_continuation(&self, t: Tags, line: &[PieceTo], bonus: i32) {
        let entries = || {
            let moves = line.iter().filter(|&&before| before != Self::no_piece_to());
            moves.map(|&before| self.continuation.entry(before, Self::piece_to(t)))
        };
        let (sum, count) = entries().fold((0, 0), |(sum, count), entry| (sum + entry.get(), count + 1));
        for entry in entries() {
            entry.pull(bonus, sum / count, P::Tune::continuation_history_limit());
        }
    }

    #[inline]
    fn correction_at(part: usize, side: usize, key: u64) -> usize {
        Self::CORRECTION + (part * 2 + side) * CORRECTION_SIZE + key as usize % CORRECTION_SIZE
    }

    /// What to add to the static evaluation of a position with these part keys, reached by these last two moves.
    #[inline]
    pub fn correction(&self, p: &P, line: [PieceTo; 2]) -> Score {
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
            sum += weight * self.own[Self::correction_at(part, side, key)].get();
        }
        if let Some(entry) = self.continuation.correction(line) {
            sum += P::Tune::correction_continuation() * entry.get();
        }
        sum / 256
    }

    /// The search found a score that differs from the static evaluation by `error` at `depth`.
    pub fn update_correction(&self, p: &P, line: [PieceTo; 2], error: Score, depth: i32) {
        let side = p.side().index();
        let (most, limit) = (P::Tune::correction_bonus_limit(), P::Tune::correction_limit());
        let bonus = (error * depth / P::Tune::correction_divisor()).clamp(-most, most);
        for (part, key) in p.correction_keys().into_iter().enumerate() {
            self.own[Self::correction_at(part, side, key)].add(bonus, limit);
        }
        if let Some(entry) = self.continuation.correction(line) {
            entry.add(bonus, limit);
        }
    }
}

/// The parts of the histories that a node's quiet moves share, found once for all of them.
pub struct Rows<'a, P> {
    side: usize,
    butterfly: &'a [HistoryEntry],
    /// By (piece, to), as those below.
    pawn: &'a [HistoryEntry],
    /// After the moves 1, 2, 4 and 6 plies back.
    continuation: [&'a [HistoryEntry]; 4],
    game: PhantomData<fn() -> P>,
}

impl<P: Position> Rows<'_, P> {
    /// The sum of a quiet move's histories, of the continuation ones after as many moves as the game uses.
    #[inline]
    pub fn sum(&self, t: Tags) -> i32 {
        let at = usize::from(Histories::<P>::piece_to(t).0);
        let butterfly = self.butterfly[Histories::<P>::butterfly_at(self.side, t)].get();
        let after = self.continuation.iter().take(P::Tune::lookbacks() as usize);
        P::Tune::butterfly_weight() * butterfly + self.pawn[at].get() + after.map(|row| row[at].get()).sum::<i32>()
    }
}

#[cfg(test)]
mod tests {
    use super::{ContinuationHistories, Histories, HistoryEntry, PieceTo};
    use crate::game::{Position, Tags, Tunables};
    use crate::util::rng::SplitMix;
    use std::sync::Arc;

    /// The rows of a node give what its moves would find one by one.
    #[test]
    fn rows_add_up_to_the_histories_of_a_move() {
        fn check<P: Position>() {
            let continuation = Arc::new(ContinuationHistories::<P>::new().expect("memory"));
            let histories = Histories::<P>::new(continuation).expect("memory");
            let mut rng = SplitMix::new(8);
            let mut below = |n: usize| rng.below(n as u64);
            let tags: Vec<Tags> = (0..200)
                .map(|_| Tags {
                    piece: below(P::PIECES) as u8,
                    from: below(P::FROMS) as u8,
                    to: below(P::SQUARES) as u8,
                    taken: P::PIECES as u8,
                    attacked: below(4) as u8,
                })
                .collect();
            let mut line = || -> [PieceTo; 4] {
                let mut one = || Histories::<P>::piece_to(tags[below(tags.len()) as usize]);
                [one(), one(), Histories::<P>::no_piece_to(), one()]
            };
            let looked = P::Tune::lookbacks() as usize;
            let nodes: Vec<_> = (0..6).map(|node| (node % 2, node as u64 * 77, line())).collect();
            for (side, pawns, line) in &nodes {
                for t in &tags {
                    let bonus = rng.below(6000) as i32 - 3000;
                    histories.update_quiet(*side, *pawns, *t, &line[..looked], bonus);
                }
            }
            let mut sums = std::collections::HashSet::new();
            for (side, pawns, line) in &nodes {
                let rows = histories.rows(*side, *pawns, *line);
                for t in &tags {
                    let after = line[..looked].iter().map(|&before| histories.continuation(before, *t));
                    assert_eq!(
                        rows.sum(*t),
                        histories.quiet(*side, *pawns, *t) + after.sum::<i32>(),
                        "{}",
                        P::NAME
                    );
                    sums.insert(rows.sum(*t));
                }
            }
            assert!(sums.len() > 200, "{}: {} sums", P::NAME, sums.len());
        }
        #[cfg(feature = "chess")]
        check::<crate::games::chess::Chess>();
        #[cfg(feature = "xiangqi")]
        check::<crate::games::coup::Coup>();
        #[cfg(feature = "shogi")]
        check::<crate::games::shogi::Shogi>();
    }

    #[test]
    fn a_cell_never_passes_its_limit() {
        let c = HistoryEntry::default();
        for bonus in [1, 100, 8192, 100_000, i32::MAX / 2] {
            for _ in 0..1000 {
                c.add(bonus, 8192);
                assert!(c.get() <= 8192);
            }
        }
        c.add(-100_000, 8192);
        assert!(c.get() >= -8192 && c.get() < 0);
    }

    #[test]
    fn a_cell_follows_the_gravity_it_is_told() {
        let (low, high) = (HistoryEntry::default(), HistoryEntry::default());
        high.add(8192, 8192);
        let mean = (low.get() + high.get()) / 2;
        for c in [&low, &high] {
            c.pull(1000, mean, 8192);
        }
        assert_eq!((low.get(), high.get()), (500, 8192));
        for c in [&low, &high] {
            c.pull(-1000, mean, 8192);
        }
        assert_eq!((low.get(), high.get()), (-1000, 6692));
    }
}
