//! Multi-head attention between the points of a board, with rotary position embeddings (RoPE) of queries and keys, as KataGo
//! computes it.

use super::gemm::{Columns, MOST_ROWS, PANEL, blocks, most_rows, padded, tile, with_tile};
use super::lanes::{Floats, Lanes, Simd, on_kernel};
use super::model::{Attention, RotaryEmbedding};
use super::points::exp;

/// The heads of an attention, ready to run.
pub struct AttentionHeads {
    /// Of the queries.
    heads: usize,
    /// Of the keys and values; each serves as many heads of queries.
    key_heads: usize,
    /// Channels of a query and of a key.
    query: usize,
    /// Channels of a value.
    value_channels: usize,
    /// RoPE: the rotation of each pair of channels by a step along x, then y: cosines by key head and pair, then sines.
    /// Empty without RoPE.
    steps: [Vec<f32>; 2],
}

/// Scratch buffers of one thread.
#[derive(Default)]
pub struct AttentionScratch {
    /// The keys of one head, as panels of points.
    keys: Floats,
    /// The values of one head, as panels of channels.
    values: Floats,
    /// Attention scores: a few queries times each key.
    scores: Floats,
    /// RoPE: the rotation of channel pairs by column, then by row of the board; as [`AttentionHeads::steps`].
    rotations: Floats,
}

/// The size of the scratch buffers: the most of each number over all attention blocks.
#[derive(Clone, Copy, Default)]
pub struct ScratchShape {
    query: usize,
    value_channels: usize,
    rotations: usize,
}

impl ScratchShape {
    /// Grows it to fit these heads.
    pub fn include(&mut self, heads: &AttentionHeads) {
        self.query = self.query.max(heads.query);
        self.value_channels = self.value_channels.max(padded(heads.value_channels));
        self.rotations = self.rotations.max(heads.steps[0].len());
    }
}

impl AttentionScratch {
    /// Grows the buffers for boards of this size, width and height.
    pub fn reserve(&mut self, most: &ScratchShape, size: (usize, usize)) {
        let area = size.0 * size.1;
        self.keys.reserve(padded(area) * most.query);
        self.values.reserve(area * most.value_channels);
        self.scores.reserve(MOST_ROWS * padded(area));
        self.rotations.reserve((size.0 + size.1) * most.rotations);
    }
}

impl AttentionHeads {
    /// The heads of a block whose layers fit.
    pub fn new(b: &Attention) -> Self {
        let pairs = b.query / 2;
        let angle = |head: usize, pair: usize, axis: usize| match &b.rotary {
            RotaryEmbedding::None => 0.0,
            RotaryEmbedding::Fixed { theta, .. } => {
                // The first half of the pairs encodes y, the second x.
                let half = pairs / 2;
                let (of, i) = if pair < half { (1, pair) } else { (0, pair - half) };
                let power = f64::from(*theta).powf((2 * i) as f64 / pairs as f64);
                if of == axis { 1.0 / power } else { 0.0 }
            }
            RotaryEmbedding::Learned { frequencies, .. } => f64::from(frequencies[(head * pairs + pair) * 2 + axis]),
        };
        let steps = [0, 1].map(|axis| {
            if b.rotary == RotaryEmbedding::None {
                return Vec::new();
            }
            let all = (0..b.key_heads).flat_map(|head| (0..pairs).map(move |pair| (head, pair)));
            let (cosines, sines): (Vec<f32>, Vec<f32>) = all
                .map(|(head, pair)| angle(head, pair, axis).sin_cos())
                .map(|(sin, cos)| (cos as f32, sin as f32))
                .unzip();
            [cosines, sines].concat()
        });
        Self {
            heads: b.heads,
            key_heads: b.key_heads,
            query: b.query,
            value_channels: b.value_channels,
            steps,
        }
    }

    /// Where keys, values and the end are in a point's row of queries, keys and values.
    pub fn offsets(&self) -> [usize; 3] {
        let keys = padded(self.heads * self.query);
        let values = keys + padded(self.key_heads * self.query);
        [keys, values, values + padded(self.key_heads * self.value_channels)]
    }

    /// The channel of a head that is to be computed at place `c`: the first of all pairs come before the second, so that many
    /// pairs are rotated at a time.
    pub fn channel(&self, c: usize) -> usize {
        let pairs = self.query / 2;
        match c {
            _ if self.steps[0].is_empty() => c,
            c if c < pairs => 2 * c,
            c => 2 * (c - pairs) + 1,
        }
    }

    /// Padded channels of the result.
    pub fn outputs(&self) -> usize {
        padded(self.heads * self.value_channels)
    }

    /// Attends on a board of `size`, width and height. `rows` has queries, already divided by the root of their length, keys
    /// and values of each point; the first two are rotated in place. `out` is as wide as [`outputs`](Self::outputs).
    pub fn run(
        &self,
        kernel: Simd,
        size: (usize, usize),
        room: &mut AttentionScratch,
        rows: &mut [f32],
        out: &mut [f32],
    ) {
        if rows.is_empty() {
            return;
        }
        if !self.steps[0].is_empty() {
            self.places(size, &mut room.rotations);
            on_kernel!(
                kernel,
                turn(heads: &AttentionHeads = self, size: (usize, usize) = size, rotations: &[f32] = &room.rotations,
                    rows: &mut [f32] = rows)
            );
        }
        on_kernel!(
            kernel,
            all(heads: &AttentionHeads = self, room: &mut AttentionScratch = room, rows: &[f32] = rows, out: &mut [f32] = out)
        );
    }

    /// The rotations of all columns and rows, each from the one before.
    fn places(&self, size: (usize, usize), rotations: &mut [f32]) {
        let wide = self.steps[0].len();
        let (columns, rows) = rotations.split_at_mut(size.0 * wide);
        for ((rotations, step), count) in [columns, rows].into_iter().zip(&self.steps).zip([size.0, size.1]) {
            rotations[..wide / 2].fill(1.0);
            rotations[wide / 2..wide].fill(0.0);
            let (cosines, sines) = step.split_at(wide / 2);
            for i in 1..count {
                let (before, now) = rotations[(i - 1) * wide..].split_at_mut(wide);
                let (cos, sin) = before.split_at(wide / 2);
                for p in 0..wide / 2 {
                    now[p] = cos[p] * cosines[p] - sin[p] * sines[p];
                    now[wide / 2 + p] = sin[p] * cosines[p] + cos[p] * sines[p];
                }
            }
        }
    }
}

/// Applies RoPE to the queries and keys of all points.
#[inline(always)]
fn turn<L: Lanes>(heads: &AttentionHeads, size: (usize, usize), rotations: &[f32], rows: &mut [f32]) {
    let (pairs, wide) = (heads.query / 2, heads.steps[0].len());
    let [keys, _, stride] = heads.offsets();
    let group = heads.heads / heads.key_heads;
    for (point, row) in rows.chunks_exact_mut(stride).enumerate() {
        let (x, y) = (point % size.0, point / size.0);
        let (x, y) = (
            &rotations[x * wide..][..wide],
            &rotations[(size.0 + y) * wide..][..wide],
        );
        let ((cos_x, sin_x), (cos_y, sin_y)) = (x.split_at(wide / 2), y.split_at(wide / 2));
        let (queries, keys) = row.split_at_mut(keys);
        for (from, cells) in [(group, queries), (1, keys)] {
            for head in 0..heads.key_heads * from {
                let at = head / from * pairs;
                let (cos_x, sin_x) = (&cos_x[at..][..pairs], &sin_x[at..][..pairs]);
                let (cos_y, sin_y) = (&cos_y[at..][..pairs], &sin_y[at..][..pairs]);
                let (first, second) = cells[head * heads.query..][..2 * pairs].split_at_mut(pairs);
                for p in 0..pairs {
                    let cos = cos_x[p] * cos_y[p] - sin_x[p] * sin_y[p];
                    let sin = sin_x[p] * cos_y[p] + cos_x[p] * sin_y[p];
                    let (a, b) = (first[p], second[p]);
                    first[p] = a * cos - b * sin;
                    second[p] = b * cos + a * sin;
                }
            }
        }
    }
}

/// A head of queries with its keys and values, cut into panels.
struct Head<'a> {
    /// Of each point: queries, and what else is in its row.
    rows: &'a [f32],
    stride: usize,
    /// Where the queries are in a row, and how long they are.
    query: (usize, usize),
    keys: &'a [f32],
    values: &'a [f32],
    /// Where the results go in a row of their own, and how long they are.
    value_channels: (usize, usize),
}

#[inline(always)]
fn all<L: Lanes>(heads: &AttentionHeads, room: &mut AttentionScratch, rows: &[f32], out: &mut [f32]) {
    let [keys, values, stride] = heads.offsets();
    let area = rows.len() / stride;
    let group = heads.heads / heads.key_heads;
    for key_head in 0..heads.key_heads {
        let from = keys + key_head * heads.query;
        for (point, row) in rows.chunks_exact(stride).enumerate() {
            let panel = &mut room.keys[point / PANEL * heads.query * PANEL..];
            for (c, x) in row[from..from + heads.query].iter().enumerate() {
                panel[c * PANEL + point % PANEL] = *x;
            }
        }
        let from = values + key_head * heads.value_channels;
        for (point, row) in rows.chunks_exact(stride).enumerate() {
            for (panel, cells) in row[from..from + heads.value_channels].chunks(PANEL).enumerate() {
                let to = &mut room.values[(panel * area + point) * PANEL..][..PANEL];
                to[..cells.len()].copy_from_slice(cells);
            }
        }
        for head in key_head * group..(key_head + 1) * group {
            let head = Head {
                rows,
                stride,
                query: (head * heads.query, heads.query),
                keys: &room.keys[..padded(area) * heads.query],
                values: &room.values[..area * padded(heads.value_channels)],
                value_channels: (head * heads.value_channels, heads.value_channels),
            };
            for (start, count) in blocks(area, most_rows::<L>()) {
                with_tile!(
                    count,
                    PANEL,
                    attend::<L>(&head, area, start, &mut room.scores, out, heads.outputs())
                );
            }
        }
    }
}

/// `R` queries from point `start` on, by panels of `C` registers.
#[inline(always)]
fn attend<L: Lanes, const R: usize, const C: usize>(
    head: &Head,
    area: usize,
    start: usize,
    scores: &mut [f32],
    out: &mut [f32],
    wide: usize,
) {
    let (from, long) = head.query;
    let mut rows: [&[f32]; R] = [&[]; R];
    for r in 0..R {
        rows[r] = &head.rows[(start + r) * head.stride + from..][..long];
    }
    let stride = padded(area);
    for panel in 0..stride / PANEL {
        let mut sums = [[L::splat(0.0); C]; R];
        let (now, ahead) = head.keys[panel * long * PANEL..].split_at(long * PANEL);
        tile::<L, R, C>(rows, Columns::of(now), ahead.as_chunks().0, &mut sums);
        for r in 0..R {
            put(sums[r], &mut scores[r * stride + panel * PANEL..]);
        }
    }
    let mut factors = [0.0; R];
    let mut shares: [&[f32]; R] = [&[]; R];
    for (r, row) in scores.chunks_exact_mut(stride).take(R).enumerate() {
        factors[r] = 1.0 / softmax::<L>(row, area);
        shares[r] = &row[..area];
    }
    let (from, long) = head.value_channels;
    for panel in 0..long.div_ceil(PANEL) {
        let mut sums = [[L::splat(0.0); C]; R];
        let (now, ahead) = head.values[panel * area * PANEL..].split_at(area * PANEL);
        tile::<L, R, C>(shares, Columns::of(now), ahead.as_chunks().0, &mut sums);
        for r in 0..R {
            let (factor, zero) = (L::splat(factors[r]), L::splat(0.0));
            let mut sums = sums[r];
            for c in 0..C {
                sums[c] = sums[c].mul_add(factor, zero);
            }
            let at = (start + r) * wide + from + panel * PANEL;
            let count = PANEL.min(long - panel * PANEL);
            if count == PANEL {
                put(sums, &mut out[at..]);
            } else {
                let mut cells = [0.0; PANEL];
                put(sums, &mut cells);
                out[at..at + count].copy_from_slice(&cells[..count]);
            }
        }
    }
}

/// Stores the sums of a panel.
#[inline(always)]
fn put<L: Lanes, const C: usize>(sums: [L; C], to: &mut [f32]) {
    for (sums, cells) in sums.into_iter().zip(L::cells_mut(&mut to[..PANEL])) {
        sums.store(cells);
    }
}

/// Softmax without the last division: the exponentials of the first numbers less their maximum, and the sum of those.
#[inline(always)]
fn softmax<L: Lanes>(row: &mut [f32], count: usize) -> f32 {
    // What is behind them becomes next to nothing.
    row[count..].fill(f32::MIN);
    let mut most = L::splat(f32::MIN);
    for cells in L::cells(row) {
        most = most.max(L::load(cells));
    }
    let most = most.largest();
    for x in row.iter_mut() {
        *x = exp(*x - most);
    }
    let mut sum = L::splat(0.0);
    for cells in L::cells(row) {
        sum = sum.add(L::load(cells));
    }
    sum.sum()
}
