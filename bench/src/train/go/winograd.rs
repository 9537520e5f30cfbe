//! Convolutions of 3 x 3 points by Winograd's F(5 x 5, 3 x 3), and their exact gradients: the same steps transposed.
//!
//! After Lavin and Gray, "Fast algorithms for convolutional neural networks" (2016), with interpolation at 0, 1, -1, 2, -2, 1/2 and
//! infinity. Points lie one after the other with their channels together; tiles of 5 x 5 points, which fit boards of 9, 13 and 19
//! with little over, become 49 frequencies, in each of which the convolution is a matrix.

use super::gemm::{LANE, Lanes, MatrixView, gemm, on_lanes, transpose};

/// Points of a tile's side.
const OUT: usize = 5;
/// Points that it depends on, along a side.
const IN: usize = 7;
/// Frequencies.
pub const FREQUENCIES: usize = IN * IN;

/// TrainFilters as frequencies, and the same for the way back.
#[derive(Clone, Default)]
pub struct TrainFilters {
    /// Input channels.
    pub inputs: usize,
    /// Output channels.
    pub outputs: usize,
    filters: Vec<f32>,
    transposed: Vec<f32>,
}

/// `G g`: three numbers of a filter as seven.
fn filter_transform(g: [f32; 3]) -> [f32; IN] {
    let (even, odd) = (g[0] + g[2], g[1]);
    let (far_even, far_odd) = (g[0] + 4.0 * g[2], 2.0 * g[1]);
    [
        -g[0] / 2.0,
        -(even + odd) / 3.0,
        (even - odd) / 9.0,
        (far_even + far_odd) / 36.0,
        -(far_even - far_odd) / 60.0,
        (32.0 * g[0] + 16.0 * g[1] + 8.0 * g[2]) / 45.0,
        g[2],
    ]
}

/// `G` transposed: what seven numbers ask of the three.
fn filter_transform_back(u: [f32; IN]) -> [f32; 3] {
    let (one, minus_one) = (-u[1] / 3.0, u[2] / 9.0);
    let (two, minus_two, half) = (u[3] / 36.0, -u[4] / 60.0, u[5] / 45.0);
    [
        -u[0] / 2.0 + one + minus_one + two + minus_two + 32.0 * half,
        one - minus_one + 2.0 * (two - minus_two) + 16.0 * half,
        one + minus_one + 4.0 * (two + minus_two) + 8.0 * half + u[6],
    ]
}

impl TrainFilters {
    /// Whether sixteen channels can be calculated with at a time.
    fn sixteen(&self) -> bool {
        (self.inputs | self.outputs).is_multiple_of(2 * LANE)
    }

    /// Takes weights over, by row, column, input and output.
    pub fn set(&mut self, weights: &[f32], inputs: usize, outputs: usize) {
        let n = inputs * outputs;
        (self.inputs, self.outputs) = (inputs, outputs);
        self.filters.resize(FREQUENCIES * n, 0.0);
        self.transposed.resize(FREQUENCIES * n, 0.0);
        for i in 0..n {
            let columns: [[f32; IN]; 3] =
                std::array::from_fn(|x| filter_transform(std::array::from_fn(|y| weights[(y * 3 + x) * n + i])));
            for y in 0..IN {
                let row = filter_transform(std::array::from_fn(|x| columns[x][y]));
                for x in 0..IN {
                    self.filters[(y * IN + x) * n + i] = row[x];
                }
            }
        }
        for (filters, transposed) in self.filters.chunks_exact(n).zip(self.transposed.chunks_exact_mut(n)) {
            transpose(filters, [inputs, outputs], transposed);
        }
    }
}

/// The gradient of weights from that of their frequencies; added.
pub fn filter_gradient(frequencies: &[f32], n: usize, to: &mut [f32]) {
    for i in 0..n {
        let rows: [[f32; 3]; IN] =
            std::array::from_fn(|y| filter_transform_back(std::array::from_fn(|x| frequencies[(y * IN + x) * n + i])));
        for x in 0..3 {
            let column = filter_transform_back(std::array::from_fn(|y| rows[y][x]));
            for y in 0..3 {
                to[(y * 3 + x) * n + i] += column[y];
            }
        }
    }
}

/// `B^T d`.
#[inline(always)]
fn input_transform<V: Lanes>(d: [V; IN]) -> [V; IN] {
    // (x^2 - 1)(x^2 - 4) and its multiples by x, with d[i] for x^i.
    let all = |i: usize| d[i + 4].with(d[i + 2], -5.0).with(d[i], 4.0);
    let (one, two, three) = (all(0), all(1), all(2));
    // x (x - 1/2)(x^2 - 4) and x (x - 1/2)(x^2 - 1), and these times x.
    let outer = |i: usize| d[i + 2].with(d[i], -4.0);
    let inner = |i: usize| d[i + 2].minus(d[i]);
    let (near, next) = (outer(2).with(outer(1), -0.5), outer(3).with(outer(2), -0.5));
    let (far, beyond) = (inner(2).with(inner(1), -0.5), inner(3).with(inner(2), -0.5));
    [
        two.with(one, -0.5),
        next.plus(near),
        next.minus(near),
        beyond.with(far, 2.0),
        beyond.with(far, -2.0),
        two,
        three.with(two, -0.5),
    ]
}

/// `B`, the transpose of [`input_transform`].
#[inline(always)]
fn input_transform_back<V: Lanes>(v: [V; IN]) -> [V; IN] {
    let (one, two, three) = (v[0].times(-0.5), v[0].plus(v[5]).with(v[6], -0.5), v[6]);
    let (next, near) = (v[1].plus(v[2]), v[1].minus(v[2]));
    let (beyond, far) = (v[3].plus(v[4]), v[3].minus(v[4]).times(2.0));
    // What is asked of the outer and the inner differences.
    let outer = [near.times(-0.5), near.with(next, -0.5), next];
    let inner = [far.times(-0.5), far.with(beyond, -0.5), beyond];
    [
        one.times(4.0),
        two.times(4.0).with(outer[0], -4.0).minus(inner[0]),
        three.times(4.0).with(one, -5.0).with(outer[1], -4.0).minus(inner[1]),
        outer[0]
            .plus(inner[0])
            .with(two, -5.0)
            .with(outer[2], -4.0)
            .minus(inner[2]),
        outer[1].plus(inner[1]).plus(one).with(three, -5.0),
        outer[2].plus(inner[2]).plus(two),
        three,
    ]
}

/// `A^T m`.
#[inline(always)]
fn output_transform<V: Lanes>(m: [V; IN]) -> [V; OUT] {
    let (a, b) = (m[1].plus(m[2]), m[1].minus(m[2]));
    let (c, d) = (m[3].plus(m[4]), m[3].minus(m[4]));
    [
        m[0].plus(a).plus(c).plus(m[5]),
        b.with(d, 2.0).with(m[5], 0.5),
        a.with(c, 4.0).with(m[5], 0.25),
        b.with(d, 8.0).with(m[5], 0.125),
        a.with(c, 16.0).with(m[5], 0.0625).plus(m[6]),
    ]
}

/// `A`, the transpose of [`output_transform`].
#[inline(always)]
fn output_transform_back<V: Lanes>(y: [V; OUT]) -> [V; IN] {
    let (a, b) = (y[0].plus(y[2]).plus(y[4]), y[1].plus(y[3]));
    let c = y[0].with(y[2], 4.0).with(y[4], 16.0);
    let d = y[1].with(y[3], 4.0).times(2.0);
    let half = y[0]
        .with(y[1], 0.5)
        .with(y[2], 0.25)
        .with(y[3], 0.125)
        .with(y[4], 0.0625);
    [y[0], a.plus(b), a.minus(b), c.plus(d), c.minus(d), half, y[4]]
}

/// Where the tiles of some boards of one size lie.
#[derive(Clone, Copy, Debug)]
pub struct Tiling {
    /// Points of a side.
    pub size: usize,
    /// Boards.
    pub boards: usize,
}

impl Tiling {
    fn side(self) -> usize {
        self.size.div_ceil(OUT)
    }

    fn tiles(self) -> usize {
        self.boards * self.side() * self.side()
    }

    /// Numbers from one frequency to the next: a cache line more than the tiles', for at distances of a power of two the
    /// frequencies of a tile would evict one another.
    fn step(self, channels: usize) -> usize {
        self.tiles() * channels + 2 * LANE
    }

    /// Points of a board.
    pub fn area(self) -> usize {
        self.size * self.size
    }

    /// Points of all boards.
    pub fn points(self) -> usize {
        self.boards * self.area()
    }

    /// Calls `f` with each tile's number, its board's first point, and its top row and left column.
    #[inline(always)]
    fn each(self, mut f: impl FnMut(usize, usize, usize, usize)) {
        let mut tile = 0;
        for board in 0..self.boards {
            for y in 0..self.side() {
                for x in 0..self.side() {
                    f(tile, board * self.area(), y * OUT, x * OUT);
                    tile += 1;
                }
            }
        }
    }
}

/// Memory that convolutions share.
#[derive(Default)]
pub struct TileBuffers {
    wide: Vec<f32>,
    narrow: Vec<f32>,
}

fn sized(list: &mut Vec<f32>, n: usize) -> &mut [f32] {
    if list.len() < n {
        list.resize(n, 0.0);
    }
    &mut list[..n]
}

/// Reads 7 x 7 points around each tile and transforms them.
#[inline(always)]
fn transform_tiles<V: Lanes>(plan: Tiling, x: &[f32], channels: usize, to: &mut [f32]) {
    let (size, step) = (plan.size, plan.step(channels));
    plan.each(|tile, first, top, left| {
        for c in (0..channels).step_by(V::N) {
            let mut half = [[V::all(0.0); IN]; IN];
            for i in 0..IN {
                // Column by column; what lies beyond the board is zero.
                let at = left + i;
                if at == 0 || at > size {
                    continue;
                }
                let mut column = [V::all(0.0); IN];
                for j in 0..IN {
                    let y = top + j;
                    if y > 0 && y <= size {
                        column[j] = V::load(&x[(first + (y - 1) * size + at - 1) * channels + c..]);
                    }
                }
                let column = input_transform(column);
                for j in 0..IN {
                    half[j][i] = column[j];
                }
            }
            for (j, row) in half.iter().enumerate() {
                for (i, v) in input_transform(*row).into_iter().enumerate() {
                    v.store(&mut to[(j * IN + i) * step + tile * channels + c..]);
                }
            }
        }
    });
}

/// `y = conv(x)`, or `y += conv(x)`.
pub fn forward(plan: Tiling, f: &TrainFilters, x: &[f32], y: &mut [f32], add: bool, buffers: &mut TileBuffers) {
    on_lanes!(
        f.sixteen(),
        forward_by(
            plan: Tiling,
            f: &TrainFilters,
            x: &[f32],
            y: &mut [f32],
            add: bool,
            buffers: &mut TileBuffers,
        )
    );
}

/// [`forward`] compiled for some instructions, as the type of the numbers at a time says.
#[inline(always)]
fn forward_by<V: Lanes>(
    plan: Tiling,
    f: &TrainFilters,
    x: &[f32],
    y: &mut [f32],
    add: bool,
    buffers: &mut TileBuffers,
) {
    let (size, tiles) = (plan.size, plan.tiles());
    let (inputs, outputs) = (f.inputs, f.outputs);
    let (wide_step, narrow_step) = (plan.step(inputs), plan.step(outputs));
    let wide = sized(&mut buffers.wide, FREQUENCIES * wide_step);
    let narrow = sized(&mut buffers.narrow, FREQUENCIES * narrow_step);
    transform_tiles::<V>(plan, x, inputs, wide);
    for k in 0..FREQUENCIES {
        gemm(
            [tiles, outputs, inputs],
            MatrixView(&wide[k * wide_step..][..tiles * inputs], inputs, 1),
            &f.filters[k * inputs * outputs..][..inputs * outputs],
            &mut narrow[k * narrow_step..][..tiles * outputs],
            false,
        );
    }
    plan.each(|tile, first, top, left| {
        for c in (0..outputs).step_by(V::N) {
            let mut half = [[V::all(0.0); IN]; OUT];
            for i in 0..IN {
                let mut column = [V::all(0.0); IN];
                for j in 0..IN {
                    column[j] = V::load(&narrow[(j * IN + i) * narrow_step + tile * outputs + c..]);
                }
                for (j, v) in output_transform(column).into_iter().enumerate() {
                    half[j][i] = v;
                }
            }
            for (j, row) in half.iter().enumerate().take(size - top) {
                for (i, v) in output_transform(*row).into_iter().enumerate().take(size - left) {
                    let to = &mut y[(first + (top + j) * size + left + i) * outputs + c..];
                    let v = if add { v.plus(V::load(to)) } else { v };
                    v.store(to);
                }
            }
        }
    });
}

/// Adds to the gradient of the filters' frequencies, and to that of the input unless nobody asks for it.
pub fn backward(
    plan: Tiling,
    f: &TrainFilters,
    x: &[f32],
    dy: &[f32],
    df: &mut [f32],
    dx: Option<&mut [f32]>,
    buffers: &mut TileBuffers,
) {
    on_lanes!(
        f.sixteen(),
        backward_by(
            plan: Tiling,
            f: &TrainFilters,
            x: &[f32],
            dy: &[f32],
            df: &mut [f32],
            dx: Option<&mut [f32]>,
            buffers: &mut TileBuffers,
        )
    );
}

/// [`backward`] compiled for some instructions, as the type of the numbers at a time says.
#[inline(always)]
fn backward_by<V: Lanes>(
    plan: Tiling,
    f: &TrainFilters,
    x: &[f32],
    dy: &[f32],
    df: &mut [f32],
    dx: Option<&mut [f32]>,
    buffers: &mut TileBuffers,
) {
    let (size, tiles) = (plan.size, plan.tiles());
    let (inputs, outputs) = (f.inputs, f.outputs);
    let (wide_step, narrow_step) = (plan.step(inputs), plan.step(outputs));
    let wide = sized(&mut buffers.wide, FREQUENCIES * wide_step);
    let narrow = sized(&mut buffers.narrow, FREQUENCIES * narrow_step);
    transform_tiles::<V>(plan, x, inputs, wide);
    plan.each(|tile, first, top, left| {
        for c in (0..outputs).step_by(V::N) {
            let mut half = [[V::all(0.0); OUT]; IN];
            for i in 0..OUT.min(size - left) {
                let mut column = [V::all(0.0); OUT];
                for j in 0..OUT.min(size - top) {
                    column[j] = V::load(&dy[(first + (top + j) * size + left + i) * outputs + c..]);
                }
                let column = output_transform_back(column);
                for j in 0..IN {
                    half[j][i] = column[j];
                }
            }
            for (j, row) in half.iter().enumerate() {
                for (i, v) in output_transform_back(*row).into_iter().enumerate() {
                    v.store(&mut narrow[(j * IN + i) * narrow_step + tile * outputs + c..]);
                }
            }
        }
    });
    for k in 0..FREQUENCIES {
        let v = &mut wide[k * wide_step..][..tiles * inputs];
        let m = &narrow[k * narrow_step..][..tiles * outputs];
        let df = &mut df[k * inputs * outputs..][..inputs * outputs];
        gemm([inputs, outputs, tiles], MatrixView(v, 1, inputs), m, df, true);
        if dx.is_some() {
            let transposed = &f.transposed[k * inputs * outputs..][..inputs * outputs];
            gemm(
                [tiles, inputs, outputs],
                MatrixView(m, outputs, 1),
                transposed,
                v,
                false,
            );
        }
    }
    let Some(dx) = dx else { return };
    plan.each(|tile, first, top, left| {
        for c in (0..inputs).step_by(V::N) {
            let mut half = [[V::all(0.0); IN]; IN];
            for i in 0..IN {
                let mut column = [V::all(0.0); IN];
                for j in 0..IN {
                    column[j] = V::load(&wide[(j * IN + i) * wide_step + tile * inputs + c..]);
                }
                for (j, v) in input_transform_back(column).into_iter().enumerate() {
                    half[j][i] = v;
                }
            }
            for (j, row) in half.iter().enumerate() {
                let y = top + j;
                if y == 0 || y > size {
                    continue;
                }
                for (i, v) in input_transform_back(*row).into_iter().enumerate() {
                    let at = left + i;
                    if at == 0 || at > size {
                        continue;
                    }
                    let to = &mut dx[(first + (y - 1) * size + at - 1) * inputs + c..];
                    v.plus(V::load(to)).store(to);
                }
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use nguky::util::rng::SplitMix;

    fn numbers(n: usize, seed: u64) -> Vec<f32> {
        let mut rng = SplitMix::new(seed);
        (0..n).map(|_| rng.below(2001) as f32 / 1000.0 - 1.0).collect()
    }

    fn direct(plan: Tiling, w: &[f32], [inputs, outputs]: [usize; 2], x: &[f32]) -> Vec<f32> {
        let size = plan.size as i32;
        let mut y = vec![0.0; plan.points() * outputs];
        for board in 0..plan.boards {
            for (at, tap) in (0..size * size).flat_map(|p| (0..9).map(move |t| (p, t))) {
                let (row, column) = (at / size + tap / 3 - 1, at % size + tap % 3 - 1);
                if row.min(column) < 0 || row.max(column) >= size {
                    continue;
                }
                let from = (board * plan.area() + (row * size + column) as usize) * inputs;
                let to = (board * plan.area() + at as usize) * outputs;
                for i in 0..inputs {
                    for o in 0..outputs {
                        y[to + o] += x[from + i] * w[(tap as usize * inputs + i) * outputs + o];
                    }
                }
            }
        }
        y
    }

    #[test]
    fn as_a_plain_convolution_has_it() {
        for (inputs, outputs) in [(24, 40), (32, 64)] {
            let w = numbers(9 * inputs * outputs, 1);
            let mut f = TrainFilters::default();
            f.set(&w, inputs, outputs);
            let mut buffers = TileBuffers::default();
            for (size, boards) in [(2, 1), (7, 3), (9, 2), (13, 1), (19, 1)] {
                let plan = Tiling { size, boards };
                let x = numbers(plan.points() * inputs, 2);
                let mut y = vec![1.0; plan.points() * outputs];
                forward(plan, &f, &x, &mut y, true, &mut buffers);
                for (y, want) in y.iter().zip(direct(plan, &w, [inputs, outputs], &x)) {
                    assert!((y - 1.0 - want).abs() < 4e-3, "{size}: {y}, not {want}");
                }
            }
        }
    }

    /// `<dy, conv(x)>` changes with `x` and with the weights as the gradients say, exactly: it is linear in each.
    #[test]
    fn gradients_are_the_transpose() {
        check_gradients(8, 16);
        check_gradients(16, 32);
    }

    fn check_gradients(inputs: usize, outputs: usize) {
        let plan = Tiling { size: 6, boards: 2 };
        let [w, dw] = [1, 2].map(|s| numbers(9 * inputs * outputs, s));
        let [x, step] = [3, 4].map(|s| numbers(plan.points() * inputs, s));
        let dy = numbers(plan.points() * outputs, 5);
        let (mut f, mut buffers) = (TrainFilters::default(), TileBuffers::default());
        f.set(&w, inputs, outputs);
        let (mut df, mut dx) = (vec![0.0; FREQUENCIES * inputs * outputs], vec![0.0; x.len()]);
        backward(plan, &f, &x, &dy, &mut df, Some(&mut dx), &mut buffers);
        let mut grad = vec![0.0; w.len()];
        filter_gradient(&df, inputs * outputs, &mut grad);
        let dot = |a: &[f32], b: &[f32]| -> f64 { a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum() };
        let pairs = [
            (dot(&dx, &step), dot(&dy, &direct(plan, &w, [inputs, outputs], &step))),
            (dot(&grad, &dw), dot(&dy, &direct(plan, &dw, [inputs, outputs], &x))),
        ];
        for (given, want) in pairs {
            assert!(
                (given - want).abs() < 1e-3 * want.abs().max(10.0),
                "{given}, not {want}"
            );
        }
    }
}
