//! Convolution with filters of 3 x 3 by Winograd's minimal filtering (Lavin and Gray, "Fast algorithms for convolutional
//! neural networks", 2015): tiles of the board are transformed, multiplied point by point and transformed back, with a
//! quarter of the multiplications.

use super::direct::{ConvInput, ConvOutput};
use super::gemm::{Columns, PANEL, Panels, at_a_time, blocks, most_rows, padded, tile, with_tile};
use super::lanes::{Floats, Lanes, Simd, on_kernel};
use std::sync::OnceLock;

/// One side of a transformed tile at most.
const SIDE: usize = 7;

/// A tile size of the minimal filtering F(OUT x OUT, 3 x 3).
trait Tile {
    /// Points along a tile's side.
    const OUT: usize;
    /// Points along its transformed side.
    const IN: usize;
    /// The matrix of the filter transform.
    const FILTER: [[f64; 3]; SIDE];
    /// The input transform of one row.
    fn input_transform<L: Lanes>(d: [L; SIDE]) -> [L; SIDE];
    /// The output transform of one row of products.
    fn output_transform<L: Lanes>(m: [L; SIDE]) -> [L; SIDE];
}

/// Tiles of 4 x 4.
#[derive(Clone)]
struct Tile4;

/// Tiles of 5 x 5: they fit boards of 13 and 19.
#[derive(Clone)]
struct Tile5;

/// Tiles of 3 x 3: more multiplications for each, but they fit a board of nine.
#[derive(Clone)]
struct Tile3;

impl Tile for Tile4 {
    const OUT: usize = 4;
    const IN: usize = 6;
    const FILTER: [[f64; 3]; SIDE] = [
        [1.0 / 4.0, 0.0, 0.0],
        [-1.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0],
        [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
        [1.0 / 24.0, 1.0 / 12.0, 1.0 / 6.0],
        [1.0 / 24.0, -1.0 / 12.0, 1.0 / 6.0],
        [0.0, 0.0, 1.0],
        [0.0, 0.0, 0.0],
    ];

    #[inline(always)]
    fn input_transform<L: Lanes>(d: [L; SIDE]) -> [L; SIDE] {
        let k = L::splat;
        let (even, odd) = (k(-4.0).mul_add(d[2], d[4]), k(-4.0).mul_add(d[1], d[3]));
        let (half, twice) = (d[4].sub(d[2]), d[3].sub(d[1]));
        [
            k(4.0).mul_add(d[0], k(-5.0).mul_add(d[2], d[4])),
            even.add(odd),
            even.sub(odd),
            k(2.0).mul_add(twice, half),
            k(-2.0).mul_add(twice, half),
            k(4.0).mul_add(d[1], k(-5.0).mul_add(d[3], d[5])),
            half,
        ]
    }

    #[inline(always)]
    fn output_transform<L: Lanes>(m: [L; SIDE]) -> [L; SIDE] {
        let k = L::splat;
        let (s, d) = (m[1].add(m[2]), m[1].sub(m[2]));
        let (t, e) = (m[3].add(m[4]), m[3].sub(m[4]));
        [
            m[0].add(s).add(t),
            k(2.0).mul_add(e, d),
            k(4.0).mul_add(t, s),
            k(8.0).mul_add(e, d).add(m[5]),
            s,
            s,
            s,
        ]
    }
}

impl Tile for Tile3 {
    const OUT: usize = 3;
    const IN: usize = 5;
    const FILTER: [[f64; 3]; SIDE] = [
        [1.0 / 2.0, 0.0, 0.0],
        [-1.0 / 2.0, -1.0 / 2.0, -1.0 / 2.0],
        [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
        [1.0 / 6.0, 1.0 / 3.0, 2.0 / 3.0],
        [0.0, 0.0, 1.0],
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0],
    ];

    #[inline(always)]
    fn input_transform<L: Lanes>(d: [L; SIDE]) -> [L; SIDE] {
        let k = L::splat;
        let rest = d[3].sub(d[1]);
        [
            k(2.0).mul_add(d[0].sub(d[2]), rest),
            k(-2.0).mul_add(d[1], d[3].sub(d[2])),
            k(2.0).mul_add(d[1], k(-3.0).mul_add(d[2], d[3])),
            rest,
            k(-2.0).mul_add(rest, d[4].sub(d[2])),
            rest,
            rest,
        ]
    }

    #[inline(always)]
    fn output_transform<L: Lanes>(m: [L; SIDE]) -> [L; SIDE] {
        let k = L::splat;
        let (s, d) = (m[1].add(m[2]), m[1].sub(m[2]));
        [
            m[0].add(s).add(m[3]),
            k(2.0).mul_add(m[3], d),
            k(4.0).mul_add(m[3], s).add(m[4]),
            s,
            s,
            s,
            s,
        ]
    }
}

// Interpolation at 0, 1, -1, 2, -2, 1/2 and infinity.
impl Tile for Tile5 {
    const OUT: usize = 5;
    const IN: usize = 7;
    const FILTER: [[f64; 3]; SIDE] = [
        [-1.0 / 2.0, 0.0, 0.0],
        [-1.0 / 3.0, -1.0 / 3.0, -1.0 / 3.0],
        [1.0 / 9.0, -1.0 / 9.0, 1.0 / 9.0],
        [1.0 / 36.0, 1.0 / 18.0, 1.0 / 9.0],
        [-1.0 / 60.0, 1.0 / 30.0, -1.0 / 15.0],
        [32.0 / 45.0, 16.0 / 45.0, 8.0 / 45.0],
        [0.0, 0.0, 1.0],
    ];

    #[inline(always)]
    fn input_transform<L: Lanes>(d: [L; SIDE]) -> [L; SIDE] {
        let k = L::splat;
        // (x^2 - 1)(x^2 - 4) and its multiples by x, with d[i] for x^i.
        let all = |i: usize| k(4.0).mul_add(d[i], k(-5.0).mul_add(d[i + 2], d[i + 4]));
        let (one, two, three) = (all(0), all(1), all(2));
        // x (x - 1/2)(x^2 - 4) and x (x - 1/2)(x^2 - 1).
        let without_ones =
            |i: usize| k(-0.5).mul_add(k(-4.0).mul_add(d[i], d[i + 2]), k(-4.0).mul_add(d[i + 1], d[i + 3]));
        let without_twos = |i: usize| k(-0.5).mul_add(d[i + 2].sub(d[i]), d[i + 3].sub(d[i + 1]));
        let (near, next) = (without_ones(1), without_ones(2));
        let (far, beyond) = (without_twos(1), without_twos(2));
        [
            k(-0.5).mul_add(one, two),
            next.add(near),
            next.sub(near),
            k(2.0).mul_add(far, beyond),
            k(-2.0).mul_add(far, beyond),
            two,
            k(-0.5).mul_add(two, three),
        ]
    }

    #[inline(always)]
    fn output_transform<L: Lanes>(m: [L; SIDE]) -> [L; SIDE] {
        let k = L::splat;
        let (s, d) = (m[1].add(m[2]), m[1].sub(m[2]));
        let (t, e) = (m[3].add(m[4]), m[3].sub(m[4]));
        let half = m[5];
        [
            m[0].add(s).add(t).add(half),
            k(0.5).mul_add(half, k(2.0).mul_add(e, d)),
            k(0.25).mul_add(half, k(4.0).mul_add(t, s)),
            k(0.125).mul_add(half, k(8.0).mul_add(e, d)),
            k(0.0625).mul_add(half, k(16.0).mul_add(t, s)).add(m[6]),
            s,
            s,
        ]
    }
}

/// A convolution with filters of 3 x 3, which are transformed for a size of tiles when a board first needs it.
pub struct WinogradConv {
    inputs: usize,
    outputs: usize,
    /// By tap, input and output.
    cells: Box<[f32]>,
    three: OnceLock<WinogradFilters>,
    four: OnceLock<WinogradFilters>,
    five: OnceLock<WinogradFilters>,
}

impl WinogradConv {
    /// A convolution whose filters `cell` gives by tap (row * 3 + column), input and output.
    pub fn new(inputs: usize, outputs: usize, cell: impl Fn(usize, usize, usize) -> f32) -> Self {
        let at = |k: usize| cell(k / (inputs * outputs), k / outputs % inputs, k % outputs);
        Self {
            inputs,
            outputs,
            cells: (0..9 * inputs * outputs).map(at).collect(),
            three: OnceLock::new(),
            four: OnceLock::new(),
            five: OnceLock::new(),
        }
    }

    /// Output channels.
    pub fn outputs(&self) -> usize {
        padded(self.outputs)
    }

    /// Runs over a board of `size`: width and height. `zeros` is as long as the padded input channels.
    pub fn run(
        &self,
        kernel: Simd,
        size: (usize, usize),
        input: ConvInput,
        zeros: &[f32],
        scratch: &mut WinogradScratch,
        target: &mut ConvOutput,
    ) {
        // What it costs to read a transformed filter, in multiplications by it, as measured on Zen 4 with 64 to 192 channels: the
        // filters of wide networks are not in the nearer caches.
        let reading = 6 + self.inputs / 64;
        let costs = [
            cost::<Tile3>(size, reading),
            cost::<Tile4>(size, reading),
            cost::<Tile5>(size, reading),
        ];
        if costs[2] < costs[0].min(costs[1]) {
            let filters = self.five.get_or_init(|| self.transformed::<Tile5>());
            filters.run::<Tile5>(kernel, size, input, zeros, scratch, target);
        } else if costs[0] < costs[1] {
            let filters = self.three.get_or_init(|| self.transformed::<Tile3>());
            filters.run::<Tile3>(kernel, size, input, zeros, scratch, target);
        } else {
            let filters = self.four.get_or_init(|| self.transformed::<Tile4>());
            filters.run::<Tile4>(kernel, size, input, zeros, scratch, target);
        }
    }

    fn transformed<T: Tile>(&self) -> WinogradFilters {
        let cell = |tap: usize, i: usize, o: usize| self.cells[(tap * self.inputs + i) * self.outputs + o];
        WinogradFilters::new::<T>(self.inputs, self.outputs, cell)
    }
}

/// How many tiles cover a board.
const fn tiles<T: Tile>((width, height): (usize, usize)) -> usize {
    width.div_ceil(T::OUT) * height.div_ceil(T::OUT)
}

/// Numbers from a point of the transformed tiles to the next: a cache line more than the tiles', for at distances of a power of
/// two the points of a tile would evict one another.
const fn step(tiles: usize, channels: usize) -> usize {
    tiles * channels + PANEL
}

/// The cost of a convolution over a board, in multiplications for each pair of channels.
const fn cost<T: Tile>(size: (usize, usize), reading: usize) -> usize {
    T::IN * T::IN * (tiles::<T>(size) + reading)
}

/// The filters of a convolution, transformed.
#[derive(Clone)]
struct WinogradFilters {
    /// Points of a transformed tile.
    points: usize,
    panels: Panels,
}

/// Scratch buffers for the transformed tiles of a board.
#[derive(Default)]
pub struct WinogradScratch {
    transformed: Floats,
    products: Floats,
    /// Start and rows of each block of tiles.
    blocks: Vec<(usize, usize)>,
}

impl WinogradFilters {
    /// Transforms filters; `cell` gives them by tap, input and output.
    fn new<T: Tile>(inputs: usize, outputs: usize, cell: impl Fn(usize, usize, usize) -> f32) -> Self {
        let point = |m: usize, i: usize, o: usize| {
            let (row, column) = (&T::FILTER[m / T::IN], &T::FILTER[m % T::IN]);
            let term = |tap: usize| row[tap / 3] * column[tap % 3] * f64::from(cell(tap, i, o));
            (0..9).map(term).sum::<f64>() as f32
        };
        Self {
            points: T::IN * T::IN,
            panels: Panels::new(T::IN * T::IN, inputs, outputs, point),
        }
    }

    fn run<T: Tile>(
        &self,
        kernel: Simd,
        size: (usize, usize),
        input: ConvInput,
        zeros: &[f32],
        scratch: &mut WinogradScratch,
        target: &mut ConvOutput,
    ) {
        let tiles = tiles::<T>(size);
        let points = T::IN * T::IN;
        scratch
            .transformed
            .reserve(points * step(tiles, padded(self.panels.inputs)));
        scratch.products.reserve(points * step(tiles, self.panels.outputs));
        let wide = padded(self.panels.inputs);
        on_kernel!(
            kernel,
            transform_tiles::<T: Tile>(
                size: (usize, usize) = size,
                input: ConvInput = input,
                zeros: &[f32] = &zeros[..wide],
                to: &mut [f32] = &mut scratch.transformed,
            )
        );
        on_kernel!(
            kernel,
            multiply(filters: &WinogradFilters = self, tiles: usize = tiles, scratch: &mut WinogradScratch = scratch)
        );
        on_kernel!(
            kernel,
            transform_back::<T: Tile>(
                size: (usize, usize) = size,
                from: &[f32] = &scratch.products,
                outputs: usize = self.panels.outputs,
                target: &mut ConvOutput = target,
            )
        );
    }
}

/// Multiplies each point of the transformed tiles by its filters.
#[inline(always)]
fn multiply<L: Lanes>(filters: &WinogradFilters, tiles: usize, scratch: &mut WinogradScratch) {
    let (points, outputs) = (filters.points, filters.panels.outputs);
    let wide = padded(filters.panels.inputs);
    // Where each block begins and ends, found once for all points.
    scratch.blocks.clear();
    scratch.blocks.extend(blocks(tiles, most_rows::<L>()));
    for point in 0..points {
        let from = ConvInput {
            data: &scratch.transformed[point * step(tiles, wide)..][..tiles * wide],
            stride: wide,
        };
        let to = &mut scratch.products[point * step(tiles, outputs)..][..tiles * outputs];
        let mut column = 0;
        while column < outputs {
            let columns = at_a_time::<L>(outputs - column);
            let filter = filters.panels.get(point, column);
            // The next filters are not in the cache yet: each block prefetches its share of them.
            let mut ahead = filters.panels.after(point, column, columns);
            let share = ahead.len().div_ceil(scratch.blocks.len()).next_multiple_of(2);
            for &(start, rows) in &scratch.blocks {
                let (mine, rest) = ahead.split_at(share.min(ahead.len()));
                ahead = rest;
                let to = &mut to[start * outputs + column..];
                with_tile!(rows, columns, part::<L>(from, start, (filter, mine), to, outputs));
            }
            column += columns;
        }
    }
}

/// `R` tiles times `C` registers of channels.
#[inline(always)]
fn part<L: Lanes, const R: usize, const C: usize>(
    from: ConvInput,
    start: usize,
    (filter, ahead): (Columns, &[[f32; PANEL]]),
    to: &mut [f32],
    stride: usize,
) {
    let mut sums = [[L::splat(0.0); C]; R];
    let mut rows: [&[f32]; R] = [&[]; R];
    for r in 0..R {
        rows[r] = from.point(start + r, from.stride);
    }
    tile::<L, R, C>(rows, filter, ahead, &mut sums);
    for r in 0..R {
        let cells = L::cells_mut(&mut to[r * stride..][..C * L::WIDTH]);
        for c in 0..C {
            sums[r][c].store(&mut cells[c]);
        }
    }
}

/// Where the points of a tile are: `size` is the board's width and height, `t` the tile's number row by row.
#[inline(always)]
fn corner<T: Tile>((width, _): (usize, usize), t: usize) -> (usize, usize) {
    let across = width.div_ceil(T::OUT);
    (t / across * T::OUT, t % across * T::OUT)
}

/// Transforms all input tiles; `to` has the results by transformed point, tile and channel.
#[inline(always)]
fn transform_tiles<L: Lanes, T: Tile>(
    (width, height): (usize, usize),
    input: ConvInput,
    zeros: &[f32],
    to: &mut [f32],
) {
    let wide = zeros.len();
    let tiles = tiles::<T>((width, height));
    let step = step(tiles, wide);
    assert!(to.len() >= T::IN * T::IN * step, "too little space for the tiles");
    let zeros = zeros.as_ptr();
    let mut d = [[L::splat(0.0); SIDE]; SIDE];
    for t in 0..tiles {
        let (top, left) = corner::<T>((width, height), t);
        let mut points = [zeros; SIDE * SIDE];
        for r in 0..T::IN {
            // One row and column before the tile; what is before the board wraps to beyond it.
            let y = (top + r).wrapping_sub(1);
            if y >= height {
                continue;
            }
            // The first and the last column of the tile that are on the board.
            let (from, until) = (usize::from(left == 0), T::IN.min(width + 1 - left));
            let row = &input.data[(y * width + left + from - 1) * input.stride..];
            assert!(
                row.len() >= (until - from - 1) * input.stride + wide,
                "a row ends too early"
            );
            for c in from..until {
                points[r * SIDE + c] = row.as_ptr().wrapping_add((c - from) * input.stride);
            }
        }
        for channel in (0..wide).step_by(L::WIDTH) {
            for c in 0..T::IN {
                let mut column = [L::splat(0.0); SIDE];
                for r in 0..T::IN {
                    // SAFETY: each point has as many channels, the zeros too, see above.
                    column[r] = unsafe { load::<L>(points[r * SIDE + c].add(channel)) };
                }
                let column = T::input_transform(column);
                for r in 0..T::IN {
                    d[r][c] = column[r];
                }
            }
            for r in 0..T::IN {
                let row = T::input_transform(d[r]);
                for c in 0..T::IN {
                    let at = (r * T::IN + c) * step + t * wide + channel;
                    // SAFETY: there is space for all, see above.
                    unsafe { store(row[c], to.as_mut_ptr().add(at)) };
                }
            }
        }
    }
}

/// # Safety
/// A register of floats must be there.
#[inline(always)]
unsafe fn load<L: Lanes>(from: *const f32) -> L {
    // SAFETY: as the caller says; cells are an array of floats.
    L::load(unsafe { &*from.cast::<L::Cells>() })
}

/// # Safety
/// There must be space for a register of floats, which nothing else borrows.
#[inline(always)]
unsafe fn store<L: Lanes>(register: L, to: *mut f32) {
    // SAFETY: as the caller says; cells are an array of floats.
    register.store(unsafe { &mut *to.cast::<L::Cells>() });
}

/// Transforms the products of all tiles back and stores the sums of each point.
#[inline(always)]
fn transform_back<L: Lanes, T: Tile>(
    (width, height): (usize, usize),
    from: &[f32],
    outputs: usize,
    target: &mut ConvOutput,
) {
    let tiles = tiles::<T>((width, height));
    let step = step(tiles, outputs);
    assert!(from.len() >= T::IN * T::IN * step, "too few products");
    let mut d = [[L::splat(0.0); SIDE]; SIDE];
    let least = target.least::<L>();
    for t in 0..tiles {
        let (top, left) = corner::<T>((width, height), t);
        let (rows, columns) = (T::OUT.min(height - top), T::OUT.min(width - left));
        for channel in (0..outputs).step_by(L::WIDTH) {
            for c in 0..T::IN {
                let mut column = [L::splat(0.0); SIDE];
                for r in 0..T::IN {
                    let at = (r * T::IN + c) * step + t * outputs + channel;
                    // SAFETY: the products of all channels are there, see above.
                    column[r] = unsafe { load::<L>(from.as_ptr().add(at)) };
                }
                let column = T::output_transform(column);
                for r in 0..T::OUT {
                    d[r][c] = column[r];
                }
            }
            let bias = target.bias_of::<L>(channel);
            for r in 0..rows {
                let row = T::output_transform(d[r]);
                for c in 0..columns {
                    let point = (top + r) * width + left + c;
                    let mut sums = row[c].add(bias);
                    if target.add {
                        sums = sums.add(target.get(point, channel));
                    }
                    target.put(point, channel, sums.max(least));
                }
            }
        }
    }
}
