//! The accumulators of the feature transformer, updated move by move along the line that the search follows.

use super::kernel::{Chunk, Kernel};
use crate::game::{Dirty, Features, OFF, Side};
use std::marker::PhantomData;
use std::sync::Arc;

/// A feature transformer: the sparse first layer, which has a row of weights for each feature of a piece on a place, as each
/// side sees them.
pub trait FeatureTransformer<P: Features>: Send + Sync {
    /// Features of one perspective for one king bucket.
    const INPUTS: usize;
    /// Chunks of one row.
    fn width(&self) -> usize;
    /// The biases: an accumulator without any piece.
    fn biases(&self) -> &[Chunk];
    /// The king bucket of a perspective whose own king stands on `king`. Another bucket has other rows, so that the
    /// accumulator must be refreshed.
    fn king_bucket(view: Side, king: u8) -> u8;
    /// The feature of a piece on a place, if it has one, below [`FeatureTransformer::INPUTS`].
    fn feature(view: Side, king_bucket: u8, piece: u8, place: u8) -> Option<usize>;
    /// The weights of a feature.
    fn row(&self, view: Side, king_bucket: u8, feature: usize) -> &[Chunk];
    /// A feature that counts once for every piece that a full set has more than this position, and the size of a full set.
    fn missing() -> Option<(usize, usize)> {
        None
    }
}

/// The accumulators of one ply. Their values lie in [`Accumulators::values`], a row for each perspective.
#[derive(Clone, Copy, Debug, Default)]
struct Accumulator {
    /// What the move that led here changed.
    dirty: Dirty,
    /// The king bucket of each perspective.
    king_bucket: [u8; 2],
    /// Whether each perspective's values are computed.
    computed: [bool; 2],
}

/// The last accumulator of one perspective and king bucket, and the features that it holds.
struct CacheEntry {
    values: Vec<Chunk>,
    /// The active features, one bit each.
    features: Vec<u64>,
    /// How often the feature of missing pieces counts.
    missing: usize,
}

/// The refresh cache ("Finny table"): an entry by perspective and king bucket. When a king changes its bucket, only
/// the features that differ from the entry are added and subtracted, instead of all pieces.
#[derive(Default)]
struct RefreshCache([Vec<Option<CacheEntry>>; 2]);

impl RefreshCache {
    /// The entry of a perspective and a king bucket; a new one holds the biases alone.
    fn entry<P: Features, L: FeatureTransformer<P>>(&mut self, layer: &L, view: usize, bucket: u8) -> &mut CacheEntry {
        let (entries, bucket) = (&mut self.0[view], usize::from(bucket));
        if entries.len() <= bucket {
            entries.resize_with(bucket + 1, || None);
        }
        entries[bucket].get_or_insert_with(|| CacheEntry {
            values: layer.biases().to_vec(),
            features: vec![0; L::INPUTS.div_ceil(64)],
            missing: 0,
        })
    }
}

/// The stack of accumulators, one for every ply of the line. Updates are lazy: values are computed when a score is asked
/// for, from the nearest ply that has them, or from the refresh cache.
pub struct Accumulators<P, L> {
    /// The feature transformer.
    pub layer: Arc<L>,
    kernel: Kernel,
    stack: Vec<Accumulator>,
    /// Two rows a ply: the first side's perspective and the second's.
    values: Vec<Chunk>,
    refresh_cache: RefreshCache,
    /// Scratch: a position's active features, one bit each.
    features: Vec<u64>,
    game: PhantomData<fn(&P)>,
}

const VIEWS: [Side; 2] = [Side::First, Side::Second];
/// Plies for which memory is reserved from the start.
const PLIES: usize = 64;
/// Rows that are added or subtracted in one pass.
const BATCH: usize = 16;

impl<P: Features, L: FeatureTransformer<P>> Accumulators<P, L> {
    /// Accumulators that must be [reset](Accumulators::reset) to a position before use.
    pub fn new(layer: Arc<L>, kernel: Kernel) -> Self {
        let mut accumulators = Self {
            values: vec![Chunk::ZERO; PLIES * 2 * layer.width()],
            layer,
            kernel,
            stack: Vec::with_capacity(PLIES),
            refresh_cache: RefreshCache::default(),
            features: vec![0; L::INPUTS.div_ceil(64)],
            game: PhantomData,
        };
        accumulators.clear();
        accumulators
    }

    fn clear(&mut self) {
        self.stack.clear();
        self.stack.push(Accumulator::default());
        self.reserve();
    }

    /// Grows the rows so that the last ply has its own.
    #[inline]
    fn reserve(&mut self) {
        let need = self.stack.len() * 2 * self.layer.width();
        if self.values.len() < need {
            self.values.resize(2 * need, Chunk::ZERO);
        }
    }

    /// Starts a line from a position.
    pub fn reset(&mut self, p: &P) {
        self.clear();
        p.each(&mut |piece, place| {
            for view in VIEWS {
                if piece == P::king_piece(view) {
                    self.stack[0].king_bucket[view.index()] = L::king_bucket(view, place);
                }
            }
        });
    }

    /// Adds a ply: a move was played and changed this.
    #[inline]
    pub fn push(&mut self, d: &Dirty) {
        let mut next = Accumulator {
            dirty: *d,
            king_bucket: self.stack.last().map_or([0; 2], |s| s.king_bucket),
            computed: [false; 2],
        };
        for (piece, _, to) in d.iter() {
            for view in VIEWS {
                if piece == P::king_piece(view) && to != OFF {
                    next.king_bucket[view.index()] = L::king_bucket(view, to);
                }
            }
        }
        self.stack.push(next);
        self.reserve();
    }

    /// Removes the last ply: its move was taken back.
    #[inline]
    pub fn pop(&mut self) {
        self.stack.pop();
    }

    /// The feature transformer and the accumulator of the last ply: the mover's perspective, then the other's. `p` is the
    /// position that the pushes led to.
    #[inline]
    pub fn values(&mut self, p: &P) -> (&L, [&[Chunk]; 2]) {
        if !self.update_last() {
            self.update(p, 0);
            self.update(p, 1);
        }
        let (last, width) = (self.stack.len() - 1, self.layer.width());
        let (first, second) = self.values[2 * last * width..][..2 * width].split_at(width);
        let values = match p.side() {
            Side::First => [first, second],
            Side::Second => [second, first],
        };
        (&self.layer, values)
    }

    /// The fast path: both perspectives of the last ply from the ply before, where that one is computed and the move is a
    /// plain move or capture. False where that is not so.
    #[inline]
    fn update_last(&mut self) -> bool {
        let (width, layer, kernel) = (self.layer.width(), &*self.layer, self.kernel);
        let last = self.stack.len() - 1;
        let [.., before, last_ply] = self.stack.as_mut_slice() else {
            return false;
        };
        let [(piece, from, to), (other, place, gone), ..] = last_ply.dirty.item;
        let takes = last_ply.dirty.len == 2 && place != OFF && gone == OFF;
        let moves = (last_ply.dirty.len == 1 || takes) && from != OFF && to != OFF;
        if !moves
            || last_ply.computed != [false; 2]
            || before.computed != [true; 2]
            || before.king_bucket != last_ply.king_bucket
        {
            return false;
        }
        let bucket = last_ply.king_bucket;
        let row = |view: usize, piece, place| {
            let feature = L::feature(VIEWS[view], bucket[view], piece, place)?;
            Some(layer.row(VIEWS[view], bucket[view], feature))
        };
        let (old, new) = self.values[2 * (last - 1) * width..][..4 * width].split_at_mut(2 * width);
        let (old, new) = (old.split_at(width), new.split_at_mut(width));
        let rows = |piece, place| Some([row(0, piece, place)?, row(1, piece, place)?]);
        let (Some(off), Some(on)) = (rows(piece, from), rows(piece, to)) else {
            return false;
        };
        if takes {
            let Some(taken) = rows(other, place) else {
                return false;
            };
            kernel.copy_add_sub(new.0, old.0, [on[0]], [off[0], taken[0]]);
            kernel.copy_add_sub(new.1, old.1, [on[1]], [off[1], taken[1]]);
        } else {
            kernel.copy_add_sub(new.0, old.0, [on[0]], [off[0]]);
            kernel.copy_add_sub(new.1, old.1, [on[1]], [off[1]]);
        }
        last_ply.computed = [true; 2];
        true
    }

    /// Computes one perspective of the last ply.
    #[inline(never)]
    fn update(&mut self, p: &P, view: usize) {
        let last = self.stack.len() - 1;
        let mut from = last;
        while !self.stack[from].computed[view] {
            // Rows of another king bucket have nothing in common with those before.
            if from == 0 || self.stack[from].king_bucket[view] != self.stack[from - 1].king_bucket[view] {
                self.refresh(p, view);
                // The plies before it in this bucket are computed backwards: their other children start from them.
                (from + 1..=last)
                    .rev()
                    .for_each(|ply| self.update_ply(ply, view, false));
                return;
            }
            from -= 1;
        }
        (from + 1..=last).for_each(|ply| self.update_ply(ply, view, true));
    }

    /// Computes one ply from the ply before, or the ply before from this one.
    fn update_ply(&mut self, ply: usize, view: usize, forward: bool) {
        let (width, layer, side) = (self.layer.width(), &*self.layer, VIEWS[view]);
        let (before, after) = self.values.split_at_mut((2 * ply + view) * width);
        let (before, after) = (
            &mut before[(2 * ply - 2 + view) * width..][..width],
            &mut after[..width],
        );
        let (dirty, bucket) = (&self.stack[ply].dirty, self.stack[ply].king_bucket[view]);
        let row = |piece, place| L::feature(side, bucket, piece, place).map(|i| layer.row(side, bucket, i));
        let (mut added, mut removed): ([&[Chunk]; 4], [&[Chunk]; 4]) = ([&[]; 4], [&[]; 4]);
        let (mut more, mut less) = (0, 0);
        for (piece, from, to) in dirty.iter() {
            if from != OFF
                && let Some(row) = row(piece, from)
            {
                removed[less] = row;
                less += 1;
            }
            if to != OFF
                && let Some(row) = row(piece, to)
            {
                added[more] = row;
                more += 1;
            }
        }
        let (added, removed) = (&added[..more], &removed[..less]);
        let (from, to, added, removed) = if forward {
            (before, after, added, removed)
        } else {
            (after, before, removed, added)
        };
        to.copy_from_slice(from);
        self.kernel.add_sub(to, added, removed);
        self.stack[ply - usize::from(!forward)].computed[view] = true;
    }

    /// Computes one perspective of the last ply from its entry of the refresh cache.
    fn refresh(&mut self, p: &P, view: usize) {
        let (last, width) = (self.stack.len() - 1, self.layer.width());
        let bucket = self.stack[last].king_bucket[view];
        let at = (2 * last + view) * width;
        let (layer, kernel, side) = (&*self.layer, self.kernel, VIEWS[view]);
        let entry = self.refresh_cache.entry(layer, view, bucket);
        let (features, mut pieces) = (&mut self.features, 0);
        features.fill(0);
        p.each(&mut |piece, place| {
            if let Some(feature) = L::feature(side, bucket, piece, place) {
                features[feature / 64] |= 1 << (feature % 64);
                pieces += 1;
            }
        });
        let mut batch = RowBatch::new(kernel, &mut entry.values);
        for (word, (new, old)) in features.iter().zip(&mut entry.features).enumerate() {
            let mut differ = *new ^ *old;
            while differ != 0 {
                let bit = differ.trailing_zeros() as usize;
                batch.push(layer.row(side, bucket, 64 * word + bit), new >> bit & 1 != 0);
                differ &= differ - 1;
            }
            *old = *new;
        }
        if let Some((feature, full)) = L::missing() {
            let (row, missing) = (layer.row(side, bucket, feature), full.saturating_sub(pieces));
            (entry.missing..missing).for_each(|_| batch.push(row, true));
            (missing..entry.missing).for_each(|_| batch.push(row, false));
            entry.missing = missing;
        }
        batch.apply();
        self.values[at..at + width].copy_from_slice(&entry.values);
        self.stack[last].computed[view] = true;
    }
}

/// Rows to be added to an accumulator and subtracted from it, several in one pass over its values.
struct RowBatch<'a> {
    kernel: Kernel,
    values: &'a mut [Chunk],
    /// Those to subtract and those to add.
    rows: [[&'a [Chunk]; BATCH]; 2],
    count: [usize; 2],
}

impl<'a> RowBatch<'a> {
    fn new(kernel: Kernel, values: &'a mut [Chunk]) -> Self {
        Self {
            kernel,
            values,
            rows: [[&[]; BATCH]; 2],
            count: [0; 2],
        }
    }

    #[inline]
    fn push(&mut self, row: &'a [Chunk], add: bool) {
        let add = usize::from(add);
        if self.count[add] == BATCH {
            self.apply();
        }
        self.rows[add][self.count[add]] = row;
        self.count[add] += 1;
    }

    fn apply(&mut self) {
        let [removed, added] = [0, 1].map(|k| &self.rows[k][..self.count[k]]);
        self.kernel.add_sub(self.values, added, removed);
        self.count = [0; 2];
    }
}
