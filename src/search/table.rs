//! The transposition table: shared by all threads without a lock.
//!
//! A cluster is four relaxed atomic words: three entries of 64 bits and one word with their three 16-bit key checks.
//! A check is folded with its entry's bits, so that an entry and a check written by two threads at once rarely fit
//! together (the idea of R. Hyatt and T. Mann, "A lockless transposition-table implementation for parallel search",
//! ICGA Journal 2002); a move that slips through is tested for legality by the search anyway.

use super::score::{Score, from_table, to_table};
use crate::game::Move;
use crate::util::pages::{Pages, Plain, prefetch};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The bound type of a stored score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum TableBound {
    /// Nothing: the entry holds only a static evaluation.
    None = 0,
    /// It is at most the score.
    Upper = 1,
    /// It is at least the score.
    Lower = 2,
    /// It is the score.
    Exact = 3,
}

impl TableBound {
    fn from_bits(bits: u64) -> Self {
        match bits & 3 {
            0 => Self::None,
            1 => Self::Upper,
            2 => Self::Lower,
            _ => Self::Exact,
        }
    }

    /// The bound of a score outside the window: lower after a fail high, upper after a fail low.
    #[inline]
    pub fn after(fail_high: bool) -> Self {
        if fail_high { Self::Lower } else { Self::Upper }
    }

    /// Whether a score with this bound settles a null window: at least `beta`, or below it.
    #[inline]
    pub fn settles(self, score: Score, beta: Score) -> bool {
        self as u8 & (if score >= beta { Self::Lower } else { Self::Upper }) as u8 != 0
    }
}

/// One entry, unpacked.
#[derive(Clone, Copy, Debug)]
pub struct TtEntry<M> {
    /// Best or refuting move; `NONE` when unknown.
    pub mv: M,
    /// The score, seen from the probing node.
    pub score: Score,
    /// The static evaluation before correction, or [`NO_EVAL`].
    pub eval: Score,
    /// The depth searched.
    pub depth: i32,
    /// What the score is worth.
    pub bound: TableBound,
    /// Whether the position was once on a principal variation.
    pub pv: bool,
}

/// "Not evaluated", as in check.
pub const NO_EVAL: Score = i16::MIN as Score;

/// Depths are stored with this offset: quiescence entries have depth 0 and below.
const DEPTH_OFFSET: i32 = 8;
const AGE_STEP: u64 = 1 << 3;
const AGE_MASK: u64 = 0xff & !7;
const WAYS: usize = 3;

/// Clusters that one thread clears in less time than more threads take to start.
const CLEARED_ALONE: usize = 1 << 21;

#[repr(align(32))]
struct Cluster([AtomicU64; WAYS + 1]);

// SAFETY: atomic numbers, zero at first.
unsafe impl Plain for Cluster {}

/// The table.
pub struct Table {
    clusters: Pages<Cluster>,
    age: AtomicU64,
}

// The 64 bits of an entry: move 16, score 16, eval 16, depth 8, age 5, pv 1, bound 2.
fn depth_of(data: u64) -> i32 {
    (data >> 8 & 0xff) as i32 - DEPTH_OFFSET
}

/// 16 check bits of an entry.
fn fold(data: u64) -> u64 {
    let half = data ^ (data >> 32);
    (half ^ (half >> 16)) & 0xffff
}

impl Table {
    /// A table of about `megabytes` MiB (at least one), or an error line when the memory is not to be had.
    pub fn new(megabytes: usize) -> Result<Self, String> {
        let count = (megabytes.max(1) << 20) / size_of::<Cluster>();
        Ok(Self {
            clusters: Pages::new(count).map_err(|_| format!("no memory for a hash table of {megabytes} MB"))?,
            age: AtomicU64::new(0),
        })
    }

    /// Clears the table, a large one with all processors.
    pub fn clear(&self) {
        let zero = |part: &[Cluster]| {
            for word in part.iter().flat_map(|c| &c.0) {
                word.store(0, Relaxed);
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        let share = self.clusters.len().div_ceil(threads).max(CLEARED_ALONE);
        std::thread::scope(|scope| {
            for part in self.clusters.chunks(share).skip(1) {
                let helper = std::thread::Builder::new().spawn_scoped(scope, move || zero(part));
                if helper.is_err() {
                    zero(part);
                }
            }
            zero(&self.clusters[..share.min(self.clusters.len())]);
        });
        self.age.store(0, Relaxed);
    }

    /// Asks the system for the memory of one part of the table, which keeps what it holds; false behind the last part.
    pub fn populate(&self, part: usize) -> bool {
        self.clusters.populate(part)
    }

    /// Starts a new generation: entries of older searches are replaced first.
    pub fn grow_older(&self) {
        self.age.store((self.age.load(Relaxed) + AGE_STEP) & AGE_MASK, Relaxed);
    }

    #[inline]
    fn cluster(&self, key: u64) -> &Cluster {
        &self.clusters[((u128::from(key) * self.clusters.len() as u128) >> 64) as usize]
    }

    /// Prefetches a key's cluster.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        prefetch(self.cluster(key));
    }

    /// What is known of a position met `ply` plies below the root.
    #[inline]
    pub fn probe<M: Move>(&self, key: u64, ply: usize) -> Option<TtEntry<M>> {
        let words = &self.cluster(key).0;
        let checks = words[WAYS].load(Relaxed);
        for (i, word) in words[..WAYS].iter().enumerate() {
            let data = word.load(Relaxed);
            if data != 0 && checks >> (16 * i) & 0xffff == fold(data) ^ (key & 0xffff) {
                return Some(TtEntry {
                    mv: M::from_raw((data >> 48) as u16),
                    score: from_table(Score::from((data >> 32) as i16), ply),
                    eval: Score::from((data >> 16) as i16),
                    depth: depth_of(data),
                    bound: TableBound::from_bits(data),
                    pv: data & 4 != 0,
                });
            }
        }
        None
    }

    /// Stores what was found. An entry of the same position keeps its move when there is no new one, and is not
    /// overwritten by a much shallower search.
    #[inline]
    pub fn store<M: Move>(&self, key: u64, ply: usize, e: TtEntry<M>) {
        let words = &self.cluster(key).0;
        let checks = words[WAYS].load(Relaxed);
        let age = self.age.load(Relaxed);
        let (mut slot, mut worst, mut old) = (0, i32::MAX, 0);
        for (i, word) in words[..WAYS].iter().enumerate() {
            let data = word.load(Relaxed);
            let same = checks >> (16 * i) & 0xffff == fold(data) ^ (key & 0xffff);
            if data == 0 || same {
                (slot, old) = (i, if same { data } else { 0 });
                break;
            }
            let generations = (age.wrapping_sub(data) & AGE_MASK) / AGE_STEP;
            let worth = depth_of(data) - 8 * generations as i32;
            if worth < worst {
                (slot, worst) = (i, worth);
            }
        }
        let deep = e.depth + 4 + 2 * i32::from(e.pv) > depth_of(old);
        if old != 0 && e.bound != TableBound::Exact && !deep && old & AGE_MASK == age {
            return;
        }
        let mv = if e.mv == M::NONE && old != 0 {
            old >> 48
        } else {
            u64::from(e.mv.raw())
        };
        let data = mv << 48
            | u64::from(to_table(e.score, ply) as i16 as u16) << 32
            | u64::from(e.eval as i16 as u16) << 16
            | ((e.depth + DEPTH_OFFSET).clamp(1, 255) as u64) << 8
            | age
            | u64::from(e.pv) << 2
            | e.bound as u64;
        let check = (fold(data) ^ (key & 0xffff)) << (16 * slot);
        words[slot].store(data, Relaxed);
        words[WAYS].store(checks & !(0xffff << (16 * slot)) | check, Relaxed);
    }

    /// Thousandths of a sample of entries that this search wrote.
    pub fn hashfull(&self) -> u32 {
        let age = self.age.load(Relaxed);
        let sample = self.clusters.len().min(1000);
        let words = self.clusters[..sample].iter().flat_map(|c| &c.0[..WAYS]);
        let filled = words
            .map(|w| w.load(Relaxed))
            .filter(|&data| data != 0 && data & AGE_MASK == age)
            .count();
        (filled * 1000 / (sample * WAYS)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::rng::SplitMix;

    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    struct Raw(u16);
    impl Move for Raw {
        const NONE: Self = Self(0);
        fn raw(self) -> u16 {
            self.0
        }
        fn from_raw(raw: u16) -> Self {
            Self(raw)
        }
    }

    fn entry(mv: u16, score: Score, depth: i32, bound: TableBound) -> TtEntry<Raw> {
        TtEntry {
            mv: Raw(mv),
            score,
            eval: -17,
            depth,
            bound,
            pv: true,
        }
    }

    #[test]
    fn stored_entries_are_found() {
        let table = Table::new(1).expect("a megabyte");
        let mut rng = SplitMix::new(7);
        // Each access costs Miri a walk over the whole table.
        for i in 1..if cfg!(miri) { 20 } else { 1000 } {
            let key = rng.next();
            table.store(key, 3, entry(i, -1234, i32::from(i % 100), TableBound::Lower));
            let e: TtEntry<Raw> = table.probe(key, 3).expect("just stored");
            let got = (e.mv, e.score, e.eval, e.depth, e.bound, e.pv);
            assert_eq!(got, (Raw(i), -1234, -17, i32::from(i % 100), TableBound::Lower, true));
        }
    }

    #[test]
    fn mates_count_from_the_node() {
        let table = Table::new(1).expect("a megabyte");
        table.store(99, 4, entry(1, super::super::score::MATE - 10, 5, TableBound::Exact));
        let e: TtEntry<Raw> = table.probe(99, 2).expect("just stored");
        assert_eq!(e.score, super::super::score::MATE - 8);
    }

    #[test]
    fn a_move_survives_a_store_without_one() {
        let table = Table::new(1).expect("a megabyte");
        table.store(5, 0, entry(77, 10, 3, TableBound::Lower));
        table.store(5, 0, entry(0, 5, 9, TableBound::Upper));
        assert_eq!(table.probe::<Raw>(5, 0).map(|e| (e.mv, e.depth)), Some((Raw(77), 9)));
    }

    #[test]
    #[cfg_attr(miri, ignore = "300,000 entries")]
    fn hashfull_counts_this_search_only() {
        let table = Table::new(1).expect("a megabyte");
        let mut rng = SplitMix::new(1);
        for _ in 0..300_000 {
            table.store(rng.next(), 0, entry(1, 0, 1, TableBound::Upper));
        }
        assert!(table.hashfull() > 900);
        table.grow_older();
        assert_eq!(table.hashfull(), 0);
        table.clear();
        assert!(table.probe::<Raw>(5, 0).is_none());
    }

    /// Two threads store into one cluster while a third probes: what it finds was stored as a whole, for that position.
    #[test]
    fn threads_do_not_mix_entries() {
        let table = Table {
            clusters: Pages::new(1).expect("a cluster"),
            age: AtomicU64::new(0),
        };
        // The lowest 16 bits are checked; no two entries below fold to values 0x8000 apart.
        let keys = [0x1234_5678_0000_1111, 0x1234_5678_0000_9111];
        let rounds: u16 = if cfg!(miri) { 20 } else { 2_000 };
        // Every field says the same number, and whose it is.
        let stored = |owner: u16, n: u16| entry(n << 1 | owner, Score::from(n), i32::from(n % 50), TableBound::Exact);
        std::thread::scope(|scope| {
            for (owner, key) in (0u16..).zip(keys) {
                let (table, stored) = (&table, &stored);
                scope.spawn(move || (1..=rounds).for_each(|n| table.store(key, 0, stored(owner, n))));
            }
            for _ in 0..rounds {
                for (owner, key) in (0u16..).zip(keys) {
                    let Some(e) = table.probe::<Raw>(key, 0) else { continue };
                    let n = e.mv.0 >> 1;
                    assert_eq!(e.mv.0 & 1, owner);
                    assert_eq!((e.score, e.depth), (Score::from(n), i32::from(n % 50)), "{owner} {n}");
                }
            }
        });
    }

    #[test]
    #[cfg_attr(miri, ignore = "200 MB")]
    fn a_large_table_is_cleared_in_parts() {
        let table = Table::new((3 * CLEARED_ALONE * size_of::<Cluster>()) >> 20).expect("memory");
        let mut rng = SplitMix::new(1);
        let keys: Vec<u64> = (0..1000).map(|_| rng.next()).collect();
        for &key in &keys {
            table.store(key, 0, entry(1, 0, 1, TableBound::Upper));
        }
        assert!(keys.iter().all(|&key| table.probe::<Raw>(key, 0).is_some()));
        // Memory comes without a change of what is stored.
        table.populate(1);
        assert!(keys.iter().all(|&key| table.probe::<Raw>(key, 0).is_some()));
        table.clear();
        assert!(keys.iter().all(|&key| table.probe::<Raw>(key, 0).is_none()));
    }
}
