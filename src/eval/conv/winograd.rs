//! Convolution with filters of 3 x 3 by Winograd's minimal filtering (Lavin and Gray, "Fast algorithms for convolutional
//! neural networks", 2015): tiles of the board are transformed, multiplied point by point and transformed back, with a
//! quarter of the multiplications.

use super::direct::{Input, Target};
use super::gemm::{PANEL, Panels, Sums, blocks, padded, tile, with_rows};
use super::lanes::{Floats, Kernel, Lanes, on_kernel};

/// One side of a transformed tile at most.
const SIDE: usize = 6;

/// A way to cut the board into tiles.
pub trait Cut {
    /// Points along a tile's side.
    const OUT: usize;
    /// Points along its transformed side.
    const IN: usize;
    /// How the filter is transformed.
    const FILTER: [[f64; 3]; SIDE];
    /// Transforms a row of inputs.
    fn spread<L: Lanes>(d: [L; SIDE]) -> [L; SIDE];
    /// Transforms a row of products back.
    fn gather<L: Lanes>(m: [L; SIDE]) -> [L; SIDE];
}

/// Tiles of 4 x 4.
#[derive(Clone)]
pub struct Four;

/// Tiles of 3 x 3: more multiplications for each, but they fit a board of nine.
#[derive(Clone)]
pub struct Three;

impl Cut for Four {
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
    fn spread<L: Lanes>(d: [L; SIDE]) -> [L; SIDE] {
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
    fn gather<L: Lanes>(m: [L; SIDE]) -> [L; SIDE] {
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

impl Cut for Three {
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
    fn spread<L: Lanes>(d: [L; SIDE]) -> [L; SIDE] {
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
    fn gather<L: Lanes>(m: [L; SIDE]) -> [L; SIDE] {
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
pub struct Filters {
    panels: Panels,
}

/// Room for the transformed tiles of a board.
#[derive(Default)]
pub struct Scratch {
    spread: Floats,
    products: Floats,
    /// Start and rows of each block of tiles.
    cuts: Vec<(usize, usize)>,
}

impl Filters {
    /// Transforms filters; `cell` tells them by tap (row * 3 + column), input and output.
    pub fn new<C: Cut>(inputs: usize, outputs: usize, cell: impl Fn(usize, usize, usize) -> f32) -> Self {
        let point = |m: usize, i: usize, o: usize| {
            let (row, column) = (&C::FILTER[m / C::IN], &C::FILTER[m % C::IN]);
            let term = |tap: usize| row[tap / 3] * column[tap % 3] * f64::from(cell(tap, i, o));
            (0..9).map(term).sum::<f64>() as f32
        };
        Self {
            panels: Panels::new(C::IN * C::IN, inputs, outputs, point),
        }
    }

    /// Output channels.
    pub fn outputs(&self) -> usize {
        self.panels.outputs
    }

    /// Runs over a board of `size`: width and height. `zeros` is as long as the padded input channels.
    pub fn run<C: Cut>(
        &self,
        kernel: Kernel,
        size: (usize, usize),
        input: Input,
        zeros: &[f32],
        scratch: &mut Scratch,
        target: &mut Target,
    ) {
        let tiles = size.0.div_ceil(C::OUT) * size.1.div_ceil(C::OUT);
        scratch
            .spread
            .reserve(C::IN * C::IN * tiles * padded(self.panels.inputs));
        scratch.products.reserve(C::IN * C::IN * tiles * self.panels.outputs);
        on_kernel!(
            kernel,
            all::<C: Cut>(
                filters: &Filters = self,
                size: (usize, usize) = size,
                input: Input = input,
                zeros: &[f32] = zeros,
                scratch: &mut Scratch = scratch,
                target: &mut Target = target,
            )
        );
    }
}

#[inline(always)]
fn all<L: Lanes, C: Cut>(
    filters: &Filters,
    size: (usize, usize),
    input: Input,
    zeros: &[f32],
    scratch: &mut Scratch,
    target: &mut Target,
) {
    let wide = padded(filters.panels.inputs);
    let tiles = size.0.div_ceil(C::OUT) * size.1.div_ceil(C::OUT);
    spread::<L, C>(size, input, &zeros[..wide], &mut scratch.spread);
    // Where each block begins and ends, found once for all points.
    scratch.cuts.clear();
    scratch.cuts.extend(blocks(tiles));
    for point in 0..C::IN * C::IN {
        let from = Input {
            data: &scratch.spread[point * tiles * wide..][..tiles * wide],
            stride: wide,
        };
        let outputs = filters.panels.outputs;
        let to = &mut scratch.products[point * tiles * outputs..][..tiles * outputs];
        for panel in 0..outputs / PANEL {
            let columns = filters.panels.get(point, panel);
            // The next filters come from afar: each block sends for its share of them.
            let mut ahead = filters.panels.after(point, panel);
            let share = ahead.len().div_ceil(scratch.cuts.len());
            for &(start, rows) in &scratch.cuts {
                let (mine, rest) = ahead.split_at(share.min(ahead.len()));
                ahead = rest;
                let to = &mut to[start * outputs + panel * PANEL..];
                with_rows!(rows, part::<L>(from, start, (columns, mine), to, outputs));
            }
        }
    }
    gather::<L, C>(size, &scratch.products, filters.panels.outputs, target);
}

/// `R` tiles times a panel.
#[inline(always)]
fn part<L: Lanes, const R: usize>(
    from: Input,
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

#[inline(always)]
fn spread<L: Lanes, C: Cut>((width, height): (usize, usize), input: Input, zeros: &[f32], to: &mut [f32]) {
    let wide = zeros.len();
    let to = to.as_chunks_mut::<8>().0;
    let across = width.div_ceil(C::OUT);
    let tiles = across * height.div_ceil(C::OUT);
    for t in 0..tiles {
        let (top, left) = (t / across * C::OUT, t % across * C::OUT);
        let mut points: [&[[f32; 8]]; SIDE * SIDE] = [zeros.as_chunks().0; SIDE * SIDE];
        for (r, c) in (0..C::IN).flat_map(|r| (0..C::IN).map(move |c| (r, c))) {
            // One row and column before the tile; what is before the board wraps to beyond it.
            let (y, x) = ((top + r).wrapping_sub(1), (left + c).wrapping_sub(1));
            if y < height && x < width {
                points[r * SIDE + c] = input.point(y * width + x, wide).as_chunks().0;
            }
        }
        let mut d = [[L::splat(0.0); SIDE]; SIDE];
        for group in 0..wide / 8 {
            for c in 0..C::IN {
                let mut column = [L::splat(0.0); SIDE];
                for r in 0..C::IN {
                    column[r] = L::load(&points[r * SIDE + c][group]);
                }
                let column = C::spread(column);
                for r in 0..C::IN {
                    d[r][c] = column[r];
                }
            }
            for r in 0..C::IN {
                let row = C::spread(d[r]);
                for c in 0..C::IN {
                    row[c].store(&mut to[((r * C::IN + c) * tiles + t) * (wide / 8) + group]);
                }
            }
        }
    }
}

/// Transforms the products of all tiles back, and hands the sums of each point to the target.
#[inline(always)]
fn gather<L: Lanes, C: Cut>((width, height): (usize, usize), from: &[f32], outputs: usize, target: &mut Target) {
    let across = width.div_ceil(C::OUT);
    let tiles = across * height.div_ceil(C::OUT);
    let from = &from.as_chunks::<8>().0[..C::IN * C::IN * tiles * outputs / 8];
    for t in 0..tiles {
        let (top, left) = (t / across * C::OUT, t % across * C::OUT);
        let (rows, columns) = (C::OUT.min(height - top), C::OUT.min(width - left));
        let mut d = [[L::splat(0.0); SIDE]; SIDE];
        for group in 0..outputs / 8 {
            for c in 0..C::IN {
                let mut column = [L::splat(0.0); SIDE];
                for r in 0..C::IN {
                    column[r] = L::load(&from[((r * C::IN + c) * tiles + t) * (outputs / 8) + group]);
                }
                let column = C::gather(column);
                for r in 0..C::OUT {
                    d[r][c] = column[r];
                }
            }
            for r in 0..rows {
                let row = C::gather(d[r]);
                for c in 0..columns {
                    target.put((top + r) * width + left + c, group * 8, row[c]);
                }
            }
        }
    }
}
