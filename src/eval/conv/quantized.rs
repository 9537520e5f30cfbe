//! Convolution with filters of 3 x 3 or 5 x 5 in 8-bit integers (after Jacob et al., "Quantization and training of neural
//! networks for efficient integer-arithmetic-only inference", 2018). Every point is computed directly: one instruction multiplies
//! four times as many numbers as in floats, which outweighs what Winograd's filtering saves (`cargo bench --bench conv`).
//!
//! Weights are from -127 to 127 with a scale for each output channel, so that its largest weight is 127. Inputs are from 0 to 255
//! with one scale for the board, found anew each time, so that the largest input is 255; where the activation behind which they
//! come may be below 0, 0 is some number above it (the zero point), and what that adds is taken off each sum. Sums are exact.

use super::direct::{ConvInput, ConvOutput};
use super::gemm::{PANEL, blocks, padded};
use super::lanes::{Floats, Lanes, Simd, on_kernel};

/// Inputs whose products are summed in one lane.
const QUAD: usize = 4;

/// The weights of four inputs for the outputs of a panel.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Group([[i8; QUAD]; PANEL]);

/// A convolution ready to run.
#[derive(Clone)]
pub struct QuantizedConv {
    /// Points across a filter.
    side: usize,
    /// Quads of input channels.
    quads: usize,
    /// Padded output channels.
    outputs: usize,
    /// By tap, panel of outputs and quad of inputs.
    groups: Vec<Group>,
    /// What 1 in the weights stands for, by output channel.
    scales: Floats,
    /// The sum of the rounded weights, by output channel.
    totals: Floats,
    /// What no input is below, 0 at most.
    floor: f32,
}

/// How the inputs of a board are rounded.
#[derive(Clone, Copy)]
struct Rounding {
    /// What 1 stands for.
    scale: f32,
    /// What 0 is.
    zero: u8,
}

impl Rounding {
    /// From `floor` to `largest`.
    fn new(floor: f32, largest: f32) -> Self {
        // A step less where there is a zero point, which is rounded as well. Of a board of zeros, or of numbers too small to be
        // divided by, only the bias is left.
        let steps = if floor < 0.0 { 254.0 } else { 255.0 };
        let scale = ((largest - floor) / steps).max(f32::MIN_POSITIVE);
        Self {
            scale,
            zero: (-floor / scale).round() as u8,
        }
    }
}

/// Scratch buffers for a board.
#[derive(Default)]
pub struct QuantizedScratch {
    /// The inputs by point and channel, with a border of zero points half a filter wide.
    cells: Vec<[u8; QUAD]>,
    /// The sums by point and channel.
    sums: Floats,
}

/// Most products whose sum fits 32 bits.
pub const MOST_PRODUCTS: usize = i32::MAX as usize / (255 * 127);

/// Whether 8-bit integers are faster than floats on this processor.
pub fn is_quantizing_fast() -> bool {
    Simd::best().has_vnni()
}

impl QuantizedConv {
    /// Rounds filters of so many points across for inputs that are never below `floor`; `cell` gives them by tap, input and
    /// output.
    pub fn new(
        side: usize,
        floor: f32,
        (inputs, outputs): (usize, usize),
        cell: impl Fn(usize, usize, usize) -> f32,
    ) -> Self {
        let (taps, quads, wide) = (side * side, inputs.div_ceil(QUAD), padded(outputs));
        let (mut scales, mut totals) = (Floats::zeros(wide), Floats::zeros(wide));
        let mut groups = vec![Group([[0; QUAD]; PANEL]); taps * wide / PANEL * quads];
        for o in 0..outputs {
            let weights = || (0..taps).flat_map(|tap| (0..inputs).map(move |i| (tap, i)));
            let largest = weights().map(|(tap, i)| cell(tap, i, o).abs()).fold(0.0, f32::max);
            if largest == 0.0 {
                continue;
            }
            scales[o] = largest / 127.0;
            for (tap, i) in weights() {
                let at = (tap * wide / PANEL + o / PANEL) * quads + i / QUAD;
                let rounded = (cell(tap, i, o) / scales[o]).round();
                totals[o] += rounded;
                groups[at].0[o % PANEL][i % QUAD] = rounded as i8;
            }
        }
        Self {
            side,
            quads,
            outputs: wide,
            groups,
            scales,
            totals,
            floor,
        }
    }

    /// Padded output channels.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Cells of a board with its border.
    fn cell_count(&self, size: (usize, usize)) -> usize {
        (size.0 + self.side - 1) * (size.1 + self.side - 1) * self.quads
    }

    /// Runs over a board of `size`: width and height.
    pub fn run(
        &self,
        kernel: Simd,
        size: (usize, usize),
        input: ConvInput,
        scratch: &mut QuantizedScratch,
        target: &mut ConvOutput,
    ) {
        let mut largest = 0.0;
        on_kernel!(
            kernel,
            largest_of(conv: &QuantizedConv = self, area: usize = size.0 * size.1, input: ConvInput = input,
                largest: &mut f32 = &mut largest)
        );
        let rounding = Rounding::new(self.floor, largest);
        scratch.cells.clear();
        scratch.cells.resize(self.cell_count(size), [rounding.zero; QUAD]);
        on_kernel!(
            kernel,
            quantize(conv: &QuantizedConv = self, size: (usize, usize) = size, input: ConvInput = input,
                rounding: Rounding = rounding, to: &mut [[u8; QUAD]] = &mut scratch.cells)
        );
        scratch.sums.reserve(size.0 * size.1 * self.outputs);
        self.sum(kernel, size, &scratch.cells, &mut scratch.sums);
        on_kernel!(
            kernel,
            finish(conv: &QuantizedConv = self, rounding: Rounding = rounding, area: usize = size.0 * size.1,
                sums: &[f32] = &scratch.sums, target: &mut ConvOutput = target)
        );
    }

    /// The sums of a board, not scaled yet.
    fn sum(&self, kernel: Simd, size: (usize, usize), cells: &[[u8; QUAD]], sums: &mut [f32]) {
        #[cfg(target_arch = "x86_64")]
        if kernel.has_vnni() {
            // SAFETY: the processor has the instructions.
            return unsafe { vnni::sum(self, size, cells, sums) };
        }
        let _ = kernel;
        self.sum_plainly(size, cells, sums);
    }

    /// The same in plain Rust.
    fn sum_plainly(&self, (width, height): (usize, usize), cells: &[[u8; QUAD]], sums: &mut [f32]) {
        for (point, sums) in sums.chunks_exact_mut(self.outputs).take(width * height).enumerate() {
            for (panel, sums) in sums.chunks_exact_mut(PANEL).enumerate() {
                let mut all = [0i32; PANEL];
                for tap in 0..self.side * self.side {
                    let row = point / width + tap / self.side;
                    let from = row * (width + self.side - 1) + point % width + tap % self.side;
                    let quads = &cells[from * self.quads..][..self.quads];
                    let groups = &self.groups[(tap * self.outputs / PANEL + panel) * self.quads..][..self.quads];
                    for (quad, group) in quads.iter().zip(groups) {
                        for (sum, weights) in all.iter_mut().zip(&group.0) {
                            for (&x, &w) in quad.iter().zip(weights) {
                                *sum += i32::from(x) * i32::from(w);
                            }
                        }
                    }
                }
                for (to, sum) in sums.iter_mut().zip(all) {
                    *to = sum as f32;
                }
            }
        }
    }
}

/// The largest of the inputs.
#[inline(always)]
fn largest_of<L: Lanes>(conv: &QuantizedConv, area: usize, input: ConvInput, largest: &mut f32) {
    let mut most = L::splat(0.0);
    for point in 0..area {
        for cells in L::cells(input.point(point, padded(conv.quads * QUAD))) {
            most = most.max(L::load(cells));
        }
    }
    *largest = most.largest();
}

/// Rounds the inputs.
#[inline(always)]
fn quantize<L: Lanes>(
    conv: &QuantizedConv,
    (width, height): (usize, usize),
    input: ConvInput,
    rounding: Rounding,
    to: &mut [[u8; QUAD]],
) {
    /// 1.5 times 2 to the power of 23: floats of this size have no fraction, so adding it rounds, and the last byte is the
    /// result. A cast to `u8` saturates, which is not vectorised.
    const ROUND: f32 = 12_582_912.0;
    let (inverse, zero) = (1.0 / rounding.scale, ROUND + f32::from(rounding.zero));
    for y in 0..height {
        let border = conv.side / 2;
        let row = &mut to[((y + border) * (width + 2 * border) + border) * conv.quads..][..width * conv.quads];
        for (x, to) in row.chunks_exact_mut(conv.quads).enumerate() {
            let from = input.point(y * width + x, conv.quads * QUAD);
            for (to, &x) in to.as_flattened_mut().iter_mut().zip(from) {
                *to = (x * inverse + zero).to_bits() as u8;
            }
        }
    }
}

/// Scales the sums and does with them what the target wants.
#[inline(always)]
fn finish<L: Lanes>(conv: &QuantizedConv, rounding: Rounding, area: usize, sums: &[f32], target: &mut ConvOutput) {
    let least = target.least::<L>();
    let zero = L::splat(-f32::from(rounding.zero));
    let by_channel = L::cells(&conv.scales).iter().zip(L::cells(&conv.totals));
    for (channel, (scales, totals)) in (0..conv.outputs).step_by(L::WIDTH).zip(by_channel) {
        let nothing = L::splat(0.0);
        let scale = L::load(scales).mul_add(L::splat(rounding.scale), nothing);
        let excess = L::load(totals).mul_add(zero, nothing);
        let bias = excess.mul_add(scale, target.bias_of::<L>(channel));
        for point in 0..area {
            let cells = &L::cells(&sums[point * conv.outputs + channel..][..L::WIDTH])[0];
            let mut sum = L::load(cells).mul_add(scale, bias);
            if target.add {
                sum = sum.add(target.get(point, channel));
            }
            target.put(point, channel, sum.max(least));
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod vnni {
    use super::{PANEL, QUAD, QuantizedConv, blocks};
    use std::arch::x86_64::{
        __m512i, _mm512_cvtepi32_ps, _mm512_dpbusd_epi32, _mm512_load_si512, _mm512_set1_epi32, _mm512_setzero_si512,
        _mm512_storeu_ps,
    };

    /// [`QuantizedConv::sum_plainly`] by dot products of bytes.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
    pub fn sum(conv: &QuantizedConv, (width, height): (usize, usize), cells: &[[u8; QUAD]], sums: &mut [f32]) {
        assert!(cells.len() >= conv.cell_count((width, height)), "too few cells");
        assert!(
            sums.len() >= width * height * conv.outputs,
            "too little space for the sums"
        );
        let panels = conv.outputs / PANEL;
        let mut panel = 0;
        while panel < panels {
            // Sums, weights and an input fit the 32 registers.
            let (together, most) = match panels - panel {
                1 => (1, 12),
                2 | 3 => (2, 12),
                _ => (4, 6),
            };
            for y in 0..height {
                for (x, rows) in blocks(width, most) {
                    let to = &mut sums[(y * width + x) * conv.outputs + panel * PANEL..];
                    let across = width + conv.side - 1;
                    let from = (y * across + x) * conv.quads;
                    macro_rules! run {
                        ($($r:literal $c:literal),*) => {
                            match (rows, together) {
                                $(($r, $c) => part::<$r, $c>(conv, across, &cells[from..], panel, to),)*
                                _ => unreachable!("a block of too many rows"),
                            }
                        };
                    }
                    run!(
                        1 1, 2 1, 3 1, 4 1, 5 1, 6 1, 7 1, 8 1, 9 1, 10 1, 11 1, 12 1,
                        1 2, 2 2, 3 2, 4 2, 5 2, 6 2, 7 2, 8 2, 9 2, 10 2, 11 2, 12 2,
                        1 4, 2 4, 3 4, 4 4, 5 4, 6 4
                    );
                }
            }
            panel += together;
        }
    }

    /// `R` points side by side times `C` panels of outputs. `across` is from a point to that below it, border and all.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
    #[inline]
    fn part<const R: usize, const C: usize>(
        conv: &QuantizedConv,
        across: usize,
        cells: &[[u8; QUAD]],
        panel: usize,
        to: &mut [f32],
    ) {
        let quads = conv.quads;
        let mut all = [[_mm512_setzero_si512(); C]; R];
        for tap in 0..conv.side * conv.side {
            let groups = &conv.groups[(tap * conv.outputs / PANEL + panel) * quads..][..C * quads];
            let cells = &cells[(tap / conv.side * across + tap % conv.side) * quads..][..R * quads];
            for quad in 0..quads {
                let mut weights = [_mm512_setzero_si512(); C];
                for c in 0..C {
                    // SAFETY: `C * quads` groups are there; each is a register, and aligned to its size.
                    weights[c] = unsafe { _mm512_load_si512(groups.as_ptr().add(c * quads + quad).cast::<__m512i>()) };
                }
                for r in 0..R {
                    // SAFETY: `R * quads` cells are there.
                    let x = i32::from_ne_bytes(unsafe { *cells.as_ptr().add(r * quads + quad) });
                    let x = _mm512_set1_epi32(x);
                    for c in 0..C {
                        all[r][c] = _mm512_dpbusd_epi32(all[r][c], x, weights[c]);
                    }
                }
            }
        }
        for r in 0..R {
            for c in 0..C {
                let to = &mut to[r * conv.outputs + c * PANEL..][..PANEL];
                // SAFETY: a panel of floats is a register.
                unsafe { _mm512_storeu_ps(to.as_mut_ptr(), _mm512_cvtepi32_ps(all[r][c])) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{QUAD, QuantizedConv};
    use crate::eval::conv::Simd;
    use crate::util::rng::SplitMix;

    /// Every kernel finds the sums of plain Rust, at all widths and with an odd panel.
    #[test]
    fn sums_are_exact() {
        let mut rng = SplitMix::new(3);
        for (side, inputs, outputs) in [(3, 22, 16), (3, 64, 96), (3, 5, 48), (5, 22, 96)] {
            let weights: Vec<f32> = (0..side * side * inputs * outputs)
                .map(|_| rng.below(255) as f32 - 127.0)
                .collect();
            let conv = QuantizedConv::new(side, 0.0, (inputs, outputs), |tap, i, o| {
                weights[(tap * inputs + i) * outputs + o]
            });
            let border = side / 2;
            for size in [(1, 1), (2, 3), (9, 9), (13, 12), (19, 19), (25, 2)] {
                let mut cells = vec![[0; QUAD]; conv.cell_count(size)];
                for (at, cell) in cells.iter_mut().enumerate() {
                    let across = size.0 + 2 * border;
                    let (x, y) = (at / conv.quads % across, at / conv.quads / across);
                    if (border..size.0 + border).contains(&x) && (border..size.1 + border).contains(&y) {
                        *cell = std::array::from_fn(|_| rng.below(256) as u8);
                    }
                }
                let mut want = vec![0.0; size.0 * size.1 * conv.outputs];
                conv.sum_plainly(size, &cells, &mut want);
                assert!(want.iter().any(|&x| x > 1000.0), "sums of nothing");
                for kernel in Simd::available() {
                    let mut sums = vec![f32::NAN; want.len()];
                    conv.sum(kernel, size, &cells, &mut sums);
                    assert_eq!(sums, want, "{kernel:?} {side} {inputs} {outputs} {size:?}");
                }
            }
        }
    }
}
