//! Convolution with filters of 3 x 3 by Winograd's minimal filtering (Lavin and Gray, "Fast algorithms for convolutional
//! neural networks", 2015): tiles of the board are transformed, multiplied point by point and transformed back, with a
//! quarter of the multiplications.

use super::direct::{ConvInput, ConvOutput};
use super::gemm::{PANEL, Panels, Sums, blocks, padded, tile, with_rows};
use super::lanes::{Floats, Lanes, Simd, on_kernel};

/// One side of a transformed tile at most.
const SIDE: usize = 6;

/// A tile size of the minimal filtering F(OUT x OUT, 3 x 3).
pub trait Tile {
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
pub struct Tile4;

/// Tiles of 3 x 3: more multiplications for each, but they fit a board of nine.
#[derive(Clone)]
pub struct Tile3;

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
        ]
    }
}

/// The filters of a convolution, transformed.
#[derive(Clone)]
pub struct WinogradFilters {
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
    /// Transforms filters; `cell` gives them by tap (row * 3 + column), input and output.
    pub fn new<T: Tile>(inputs: usize, outputs: usize, cell: impl Fn(usize, usize, usize) -> f32) -> Self {
        let point = |m: usize, i: usize, o: usize| {
            let (row, column) = (&T::FILTER[m / T::IN], &T::FILTER[m % T::IN]);
            let term = |tap: usize| row[tap / 3] * column[tap % 3] * f64::from(cell(tap, i, o));
            (0..9).map(term).sum::<f64>() as f32
        };
        Self {
            panels: Panels::new(T::IN * T::IN, inputs, outputs, point),
        }
    }

    /// Output channels.
    pub fn outputs(&self) -> usize {
        self.panels.outputs
    }

    /// Runs over a board of `size`: width and height. `zeros` is as long as the padded input channels.
    pub fn run<T: Tile>(
        &self,
        kernel: Simd,
        size: (usize, usize),
        input: ConvInput,
        zeros: &[f32],
        scratch: &mut WinogradScratch,
        target: &mut ConvOutput,
    ) {
        let tiles = size.0.div_ceil(T::OUT) * size.1.div_ceil(T::OUT);
        scratch
            .transformed
            .reserve(T::IN * T::IN * tiles * padded(self.panels.inputs));
        scratch.products.reserve(T::IN * T::IN * tiles * self.panels.outputs);
        on_kernel!(
            kernel,
            all::<T: Tile>(
                filters: &WinogradFilters = self,
                size: (usize, usize) = size,
                input: ConvInput = input,
                zeros: &[f32] = zeros,
                scratch: &mut WinogradScratch = scratch,
                target: &mut ConvOutput = target,
            )
        );
    }
}

#[inline(always)]
fn all<L: Lanes, T: Tile>(
    filters: &WinogradFilters,
    size: (usize, usize),
    input: ConvInput,
    zeros: &[f32],
    scratch: &mut WinogradScratch,
    target: &mut ConvOutput,
) {
    let wide = padded(filters.panels.inputs);
    let tiles = size.0.div_ceil(T::OUT) * size.1.div_ceil(T::OUT);
    transform_tiles::<L, T>(size, input, &zeros[..wide], &mut scratch.transformed);
    // Where each block begins and ends, found once for all points.
    scratch.blocks.clear();
    scratch.blocks.extend(blocks(tiles));
    for point in 0..T::IN * T::IN {
        let from = ConvInput {
            data: &scratch.transformed[point * tiles * wide..][..tiles * wide],
            stride: wide,
        };
        let outputs = filters.panels.outputs;
        let to = &mut scratch.products[point * tiles * outputs..][..tiles * outputs];
        for panel in 0..outputs / PANEL {
            let columns = filters.panels.get(point, panel);
            // The next filters are not in the cache yet: each block prefetches its share of them.
            let mut ahead = filters.panels.after(point, panel);
            let share = ahead.len().div_ceil(scratch.blocks.len());
            for &(start, rows) in &scratch.blocks {
                let (mine, rest) = ahead.split_at(share.min(ahead.len()));
                ahead = rest;
                let to = &mut to[start * outputs + panel * PANEL..];
                with_rows!(rows, part::<L>(from, start, (columns, mine), to, outputs));
            }
        }
    }
    transform_back::<L, T>(size, &scratch.products, filters.panels.outputs, target);
}

/// `R` tiles times a panel.
#[inline(always)]
fn part<L: Lanes, const R: usize>(
    from: ConvInput,
    start: usize,
    (panel, ahead): (&[[f32; PANEL]], &[[f32; PANEL]]),
    to: &mut [f32],
    stride: usize,
) {
    let mut sums: [Sums<L>; R] = [[L::splat(0.0); 2]; R];
    let mut rows: [&[f32]; R] = [&[]; R];
    for r in 0..R {
        rows[r] = from.point(start + r, panel.len());
    }
    tile::<L, R>(rows, panel, ahead, &mut sums);
    for r in 0..R {
        let halves = to[r * stride..][..PANEL].as_chunks_mut::<8>().0;
        sums[r][0].store(&mut halves[0]);
        sums[r][1].store(&mut halves[1]);
    }
}

/// Transforms all input tiles.
#[inline(always)]
fn transform_tiles<L: Lanes, T: Tile>(
    (width, height): (usize, usize),
    input: ConvInput,
    zeros: &[f32],
    to: &mut [f32],
) {
    let wide = zeros.len();
    let to = to.as_chunks_mut::<8>().0;
    let across = width.div_ceil(T::OUT);
    let tiles = across * height.div_ceil(T::OUT);
    for t in 0..tiles {
        let (top, left) = (t / across * T::OUT, t % across * T::OUT);
        let mut points: [&[[f32; 8]]; SIDE * SIDE] = [zeros.as_chunks().0; SIDE * SIDE];
        for (r, c) in (0..T::IN).flat_map(|r| (0..T::IN).map(move |c| (r, c))) {
            // One row and column before the tile; what is before the board wraps to beyond it.
            let (y, x) = ((top + r).wrapping_sub(1), (left + c).wrapping_sub(1));
            if y < height && x < width {
                points[r * SIDE + c] = input.point(y * width + x, wide).as_chunks().0;
            }
        }
        let mut d = [[L::splat(0.0); SIDE]; SIDE];
        for group in 0..wide / 8 {
            for c in 0..T::IN {
                let mut column = [L::splat(0.0); SIDE];
                for r in 0..T::IN {
                    column[r] = L::load(&points[r * SIDE + c][group]);
                }
                let column = T::input_transform(column);
                for r in 0..T::IN {
                    d[r][c] = column[r];
                }
            }
            for r in 0..T::IN {
                let row = T::input_transform(d[r]);
                for c in 0..T::IN {
                    row[c].store(&mut to[((r * T::IN + c) * tiles + t) * (wide / 8) + group]);
                }
            }
        }
    }
}

/// Transforms the products of all tiles back and stores the sums of each point.
#[inline(always)]
fn transform_back<L: Lanes, T: Tile>(
    (width, height): (usize, usize),
    from: &[f32],
    outputs: usize,
    target: &mut ConvOutput,
) {
    let across = width.div_ceil(T::OUT);
    let tiles = across * height.div_ceil(T::OUT);
    let from = &from.as_chunks::<8>().0[..T::IN * T::IN * tiles * outputs / 8];
    for t in 0..tiles {
        let (top, left) = (t / across * T::OUT, t % across * T::OUT);
        let (rows, columns) = (T::OUT.min(height - top), T::OUT.min(width - left));
        let mut d = [[L::splat(0.0); SIDE]; SIDE];
        for group in 0..outputs / 8 {
            for c in 0..T::IN {
                let mut column = [L::splat(0.0); SIDE];
                for r in 0..T::IN {
                    column[r] = L::load(&from[((r * T::IN + c) * tiles + t) * (outputs / 8) + group]);
                }
                let column = T::output_transform(column);
                for r in 0..T::OUT {
                    d[r][c] = column[r];
                }
            }
            for r in 0..rows {
                let row = T::output_transform(d[r]);
                for c in 0..columns {
                    target.put((top + r) * width + left + c, group * 8, row[c]);
                }
            }
        }
    }
}
