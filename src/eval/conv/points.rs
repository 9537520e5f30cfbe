//! What is done to every point alone, and to the board as a whole.

use super::gemm::padded;
use super::lanes::{Floats, Lanes, Simd, on_kernel};
use super::model::{Activation, BatchNorm, Matrix, RmsNorm};
use super::rms::Rms;

/// A norm as one multiplication and one addition, if need be after a division, and the activation behind it. Channels beyond
/// the last stay 0.
#[derive(Clone)]
pub struct NormActivation {
    rms: Option<Rms>,
    scale: Floats,
    bias: Floats,
    kind: Activation,
}

impl NormActivation {
    /// Of a norm and an activation.
    pub fn new(norm: &BatchNorm, kind: Activation) -> Self {
        let (scale, bias) = norm.folded();
        Self {
            rms: None,
            scale: scale.as_slice().into(),
            bias: bias.as_slice().into(),
            kind,
        }
    }

    /// Of a norm by the root mean square and an activation.
    pub fn by_rms(norm: &RmsNorm, kind: Activation) -> Self {
        let mut bias = Floats::zeros(norm.scale.len());
        if let Some(list) = &norm.bias {
            bias[..list.len()].copy_from_slice(list);
        }
        Self {
            rms: Some(Rms::new(norm)),
            scale: norm.scale.as_slice().into(),
            bias,
            kind,
        }
    }

    /// Padded channels.
    pub fn channels(&self) -> usize {
        self.scale.len()
    }

    /// `to = act(from * scale + bias)`, where a root divides `from` first if there is one; both as wide as the padded channels.
    pub fn run(&self, kernel: Simd, from: &[f32], to: &mut [f32]) {
        let relu = self.kind == Activation::Relu;
        if let Some(rms) = &self.rms {
            rms.run(kernel, (&self.scale, &self.bias), relu, from, to);
        } else {
            on_kernel!(
                kernel,
                affine(scale: &[f32] = &self.scale, bias: &[f32] = &self.bias, relu: bool = relu,
                    from: &[f32] = from, to: &mut [f32] = to)
            );
        }
        activate(kernel, self.kind, to);
    }
}

#[inline(always)]
fn affine<L: Lanes>(scale: &[f32], bias: &[f32], relu: bool, from: &[f32], to: &mut [f32]) {
    let (scale, bias) = (scale.as_chunks::<8>().0, bias.as_chunks::<8>().0);
    let least = L::splat(if relu { 0.0 } else { f32::MIN });
    let points = from
        .chunks_exact(scale.len() * 8)
        .zip(to.chunks_exact_mut(scale.len() * 8));
    for (from, to) in points {
        let cells = from.as_chunks::<8>().0.iter().zip(to.as_chunks_mut::<8>().0);
        for ((from, to), (scale, bias)) in cells.zip(scale.iter().zip(bias)) {
            L::load(from)
                .mul_add(L::load(scale), L::load(bias))
                .max(least)
                .store(to);
        }
    }
}

/// Applies an activation that is more than a maximum.
pub fn activate(kernel: Simd, kind: Activation, cells: &mut [f32]) {
    match kind {
        Activation::Identity | Activation::Relu => {}
        Activation::Mish => on_kernel!(kernel, mish(cells: &mut [f32] = cells)),
        Activation::Silu => on_kernel!(kernel, silu(cells: &mut [f32] = cells)),
    }
}

/// `e^x` to seven digits, in operations that vectors have too; for |x| below 87.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    let x = x.clamp(-87.0, 87.0);
    // The nearest whole power of 2, by adding a number whose last digit is 1.
    let shifted = x * std::f32::consts::LOG2_E + 12_582_912.0;
    let power = shifted - 12_582_912.0;
    let rest = x - power * 0.693_359_4 + power * 2.121_944_4e-4;
    let mut sum = 1.987_569_2e-4;
    for term in [1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 0.166_666_66, 0.5] {
        sum = sum * rest + term;
    }
    let fraction = sum * rest * rest + rest + 1.0;
    f32::from_bits(fraction.to_bits().wrapping_add(shifted.to_bits() << 23))
}

#[inline(always)]
fn mish<L: Lanes>(cells: &mut [f32]) {
    for x in cells {
        // tanh(ln(1 + e)) = (e² + 2e) / (e² + 2e + 2), and 1 from 20 on.
        let e = exp(x.min(20.0));
        let n = e * (e + 2.0);
        *x *= n / (n + 2.0);
    }
}

#[inline(always)]
fn silu<L: Lanes>(cells: &mut [f32]) {
    for x in cells {
        *x /= 1.0 + exp(-*x);
    }
}

/// `to = silu(first half) * second half` of each point; `wide` is the width of a half.
pub fn gate(kernel: Simd, wide: usize, from: &[f32], to: &mut [f32]) {
    on_kernel!(kernel, gated(wide: usize = wide, from: &[f32] = from, to: &mut [f32] = to));
}

#[inline(always)]
fn gated<L: Lanes>(wide: usize, from: &[f32], to: &mut [f32]) {
    for (from, to) in from.chunks_exact(2 * wide).zip(to.chunks_exact_mut(wide)) {
        let (first, second) = from.split_at(wide);
        for ((to, x), gate) in to.iter_mut().zip(first).zip(second) {
            *to = x / (1.0 + exp(-x)) * gate;
        }
    }
}

/// Some channels of every point.
pub struct ChannelView<'a> {
    /// All channels.
    pub data: &'a mut [f32],
    /// From point to point.
    pub stride: usize,
    /// The first of the channels.
    pub from: usize,
    /// How many.
    pub channels: usize,
}

impl ChannelView<'_> {
    /// The channels of each point.
    pub fn points(&self) -> impl Iterator<Item = &[f32]> {
        let (from, to) = (self.from, self.from + self.channels);
        self.data.chunks_exact(self.stride).map(move |p| &p[from..to])
    }

    /// Adds a bias and applies an activation.
    pub fn activate(&mut self, kernel: Simd, bias: &[f32], kind: Activation) {
        for point in self.data.chunks_exact_mut(self.stride) {
            let cells = &mut point[self.from..self.from + self.channels];
            for (x, b) in cells.iter_mut().zip(bias) {
                *x += b;
                if kind == Activation::Relu {
                    *x = x.max(0.0);
                }
            }
            activate(kernel, kind, cells);
        }
    }

    /// Mean of each channel, the mean scaled by the board's width, and the maximum or, for the value head, the mean scaled
    /// by the width's square.
    pub fn pool(&self, value: bool, out: &mut [f32]) {
        let n = self.channels;
        let (means, rest) = out[..3 * n].split_at_mut(n);
        let (scaled, third) = rest.split_at_mut(n);
        means.fill(0.0);
        third.fill(-1.0);
        let mut area = 0.0f32;
        for point in self.points() {
            area += 1.0;
            for ((mean, most), &x) in means.iter_mut().zip(third.iter_mut()).zip(point) {
                *mean += x;
                *most = most.max(x);
            }
        }
        let wide = area.sqrt() - 14.0;
        for ((mean, scaled), third) in means.iter_mut().zip(scaled).zip(third) {
            *mean /= area;
            *scaled = *mean * wide * 0.1;
            if value {
                *third = *mean * (wide * wide * 0.01 - 0.1);
            }
        }
    }
}

/// A matrix with a bias, for single vectors.
#[derive(Clone)]
pub struct DenseLayer {
    outputs: usize,
    /// By input, output.
    weights: Vec<f32>,
    bias: Vec<f32>,
}

impl DenseLayer {
    /// A matrix whose outputs are scaled; the bias is as it is.
    pub fn new(mat: &Matrix, scale: Option<&[f32]>, bias: &[f32]) -> Self {
        let cell = |(i, &w): (usize, &f32)| w * scale.map_or(1.0, |s| s[i % mat.outputs]);
        let mut bias = bias.to_vec();
        bias.resize(mat.outputs, 0.0);
        Self {
            outputs: mat.outputs,
            weights: mat.weights.iter().enumerate().map(cell).collect(),
            bias,
        }
    }

    /// Multiplies a vector; what `out` has beyond the outputs becomes 0.
    pub fn run(&self, input: &[f32], out: &mut [f32]) {
        out[self.outputs..].fill(0.0);
        let out = &mut out[..self.outputs];
        out.copy_from_slice(&self.bias);
        for (x, row) in input.iter().zip(self.weights.chunks_exact(self.outputs)) {
            for (o, w) in out.iter_mut().zip(row) {
                *o += x * w;
            }
        }
    }

    /// Outputs.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Room that [`run`](Self::run) needs, rounded up for vectors.
    pub fn room(&self) -> usize {
        padded(self.outputs)
    }
}

#[cfg(test)]
mod tests {
    use super::{Activation, Simd, activate};

    #[test]
    fn activations_are_what_they_should_be() {
        for kernel in [Simd::Portable, Simd::best()] {
            for kind in [Activation::Mish, Activation::Silu] {
                let xs: Vec<f32> = (-2000..2000).map(|i| i as f32 * 0.05).collect();
                let mut ys = xs.clone();
                activate(kernel, kind, &mut ys);
                for (x, y) in xs.iter().zip(&ys) {
                    assert!((y - kind.of(*x)).abs() < 2e-6 * x.abs().max(1.0), "{kind:?} {x} {y}");
                }
            }
        }
    }
}
