//! Convolution point by point: for filters of any size, and for single points.

use super::gemm::{Panels, at_a_time, blocks, most_rows, tile, with_tile};
use super::lanes::{Lanes, Simd, on_kernel};
use super::model::Conv;

/// Numbers by point and channel, a row of `stride` for each point.
#[derive(Clone, Copy)]
pub struct ConvInput<'a> {
    /// The numbers.
    pub data: &'a [f32],
    /// From point to point.
    pub stride: usize,
}

impl<'a> ConvInput<'a> {
    /// The channels of a point.
    #[inline(always)]
    pub fn point(&self, p: usize, channels: usize) -> &'a [f32] {
        &self.data[p * self.stride..][..channels]
    }
}

/// Where sums go.
pub struct ConvOutput<'a> {
    /// The numbers.
    pub data: &'a mut [f32],
    /// From point to point.
    pub stride: usize,
    /// Added to each channel; as long as the padded outputs, or empty.
    pub bias: &'a [f32],
    /// Whether what is below 0 becomes 0.
    pub relu: bool,
    /// Whether the sums are added to what is there.
    pub add: bool,
}

impl ConvOutput<'_> {
    /// The biases of a register of channels.
    #[inline(always)]
    pub fn bias_of<L: Lanes>(&self, channel: usize) -> L {
        let cells = self.bias.get(channel..channel + L::WIDTH);
        cells.map_or(L::splat(0.0), |cells| L::load(&L::cells(cells)[0]))
    }

    /// What is at least written.
    #[inline(always)]
    pub fn least<L: Lanes>(&self) -> L {
        L::splat(if self.relu { 0.0 } else { f32::MIN })
    }

    /// What is there in a register of channels of a point.
    #[inline(always)]
    pub fn get<L: Lanes>(&self, point: usize, channel: usize) -> L {
        let at = point * self.stride + channel;
        L::load(&L::cells(&self.data[at..at + L::WIDTH])[0])
    }

    /// Writes a register of channels of a point.
    #[inline(always)]
    pub fn put<L: Lanes>(&mut self, point: usize, channel: usize, sums: L) {
        let at = point * self.stride + channel;
        sums.store(&mut L::cells_mut(&mut self.data[at..at + L::WIDTH])[0]);
    }
}

/// A convolution ready to run.
#[derive(Clone)]
pub struct Direct {
    height: usize,
    width: usize,
    dilation: (usize, usize),
    panels: Panels,
}

impl Direct {
    /// Several convolutions of one shape side by side, each scaled by channel: column `padded` sums of theirs.
    pub fn new(shape: &Conv, panels: Panels) -> Self {
        Self {
            height: shape.height,
            width: shape.width,
            dilation: shape.dilation,
            panels,
        }
    }

    /// A matrix for every point.
    pub fn matrix(panels: Panels) -> Self {
        Self {
            height: 1,
            width: 1,
            dilation: (1, 1),
            panels,
        }
    }

    /// Output channels.
    pub fn outputs(&self) -> usize {
        self.panels.outputs
    }

    /// Runs over a board of `size`: width and height. `zeros` is as long as the input channels.
    pub fn run(&self, kernel: Simd, size: (usize, usize), input: ConvInput, zeros: &[f32], target: &mut ConvOutput) {
        // Single points have no neighbours: the board may as well be one long row.
        let size = if self.height * self.width == 1 {
            (size.0 * size.1, 1)
        } else {
            size
        };
        on_kernel!(
            kernel,
            all(
                conv: &Direct = self,
                size: (usize, usize) = size,
                input: ConvInput = input,
                zeros: &[f32] = zeros,
                target: &mut ConvOutput = target,
            )
        );
    }
}

#[inline(always)]
fn all<L: Lanes>(conv: &Direct, size: (usize, usize), input: ConvInput, zeros: &[f32], target: &mut ConvOutput) {
    let mut column = 0;
    while column < conv.panels.outputs {
        let columns = at_a_time::<L>(conv.panels.outputs - column);
        for y in 0..size.1 {
            for (x, rows) in blocks(size.0, most_rows::<L>()) {
                with_tile!(
                    rows,
                    columns,
                    part::<L>(conv, size, input, zeros, (column, y, x), target)
                );
            }
        }
        column += columns;
    }
}

/// `R` points side by side, from column `x` of row `y`, times `C` registers of channels.
#[inline(always)]
fn part<L: Lanes, const R: usize, const C: usize>(
    conv: &Direct,
    (width, height): (usize, usize),
    input: ConvInput,
    zeros: &[f32],
    (channel, y, x): (usize, usize, usize),
    target: &mut ConvOutput,
) {
    let inputs = conv.panels.inputs;
    let mut sums = [[L::splat(0.0); C]; R];
    for ky in 0..conv.height {
        // Below 0 wraps to beyond the board.
        let sy = (y + ky * conv.dilation.0).wrapping_sub(conv.height / 2 * conv.dilation.0);
        if sy >= height {
            continue;
        }
        for kx in 0..conv.width {
            let sx = (x + kx * conv.dilation.1).wrapping_sub(conv.width / 2 * conv.dilation.1);
            let mut rows: [&[f32]; R] = [&[]; R];
            for r in 0..R {
                let sx = sx.wrapping_add(r);
                rows[r] = if sx < width {
                    input.point(sy * width + sx, inputs)
                } else {
                    &zeros[..inputs]
                };
            }
            let columns = conv.panels.get(ky * conv.width + kx, channel);
            tile::<L, R, C>(rows, columns, &[], &mut sums);
        }
    }
    let (start, least) = (y * width + x, target.least::<L>());
    // Simple loops, one after the other, keep the sums in registers.
    for c in 0..C {
        let bias = target.bias_of::<L>(channel + c * L::WIDTH);
        for r in 0..R {
            sums[r][c] = sums[r][c].add(bias);
        }
    }
    if target.add {
        for c in 0..C {
            for r in 0..R {
                sums[r][c] = sums[r][c].add(target.get(start + r, channel + c * L::WIDTH));
            }
        }
    }
    for c in 0..C {
        for r in 0..R {
            target.put(start + r, channel + c * L::WIDTH, sums[r][c].max(least));
        }
    }
}
