//! Convolution point by point: for filters of any size, and for single points.

use super::gemm::{PANEL, Panels, Sums, blocks, tile, with_rows};
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
    /// Writes eight channels of a point.
    #[inline(always)]
    pub fn put<L: Lanes>(&mut self, point: usize, channel: usize, sums: L) {
        let at = point * self.stride + channel;
        let Some(to) = self.data[at..].first_chunk_mut::<8>() else {
            return;
        };
        let mut sums = sums;
        if let Some(bias) = self.bias.get(channel..).and_then(|b| b.first_chunk::<8>()) {
            sums = sums.add(L::load(bias));
        }
        if self.add {
            sums = sums.add(L::load(to));
        }
        if self.relu {
            sums = sums.max(L::splat(0.0));
        }
        sums.store(to);
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
    for panel in 0..conv.panels.outputs / PANEL {
        for y in 0..size.1 {
            for (x, rows) in blocks(size.0) {
                with_rows!(rows, part::<L>(conv, size, input, zeros, (panel, y, x), target));
            }
        }
    }
}

/// `R` points side by side, from column `x` of row `y`.
#[inline(always)]
fn part<L: Lanes, const R: usize>(
    conv: &Direct,
    (width, height): (usize, usize),
    input: ConvInput,
    zeros: &[f32],
    (panel, y, x): (usize, usize, usize),
    target: &mut ConvOutput,
) {
    let inputs = conv.panels.inputs;
    let mut sums: [Sums<L>; R] = [[L::splat(0.0); 2]; R];
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
            tile::<L, R>(rows, conv.panels.get(ky * conv.width + kx, panel), &[], &mut sums);
        }
    }
    for r in 0..R {
        let point = y * width + x + r;
        target.put(point, panel * PANEL, sums[r][0]);
        target.put(point, panel * PANEL + 8, sums[r][1]);
    }
}
