//! What is done to every point alone, and to the board as a whole.

use super::gemm::{PANEL, padded};
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
    let wide = scale.len();
    let (scale, bias) = (L::cells(scale), L::cells(bias));
    let least = L::splat(if relu { 0.0 } else { f32::MIN });
    for (from, to) in from.chunks_exact(wide).zip(to.chunks_exact_mut(wide)) {
        let cells = L::cells(from).iter().zip(L::cells_mut(to));
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

/// `tanh` of each number.
pub fn tanh(kernel: Simd, cells: &mut [f32]) {
    on_kernel!(kernel, tanh_of(cells: &mut [f32] = cells));
}

#[inline(always)]
fn tanh_of<L: Lanes>(cells: &mut [f32]) {
    for x in cells {
        *x = 1.0 - 2.0 / (exp(2.0 * *x) + 1.0);
    }
}

/// Some channels of every point. They begin at a multiple of the panel, and what is behind them up to the next is 0.
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
    /// Adds a bias, of as many numbers as the padded channels, and applies an activation.
    pub fn activate(&mut self, kernel: Simd, bias: &[f32], kind: Activation) {
        let bias = &bias[..padded(self.channels)];
        let relu = kind == Activation::Relu;
        on_kernel!(
            kernel,
            add_bias(view: &mut ChannelView = self, bias: &[f32] = bias, relu: bool = relu)
        );
        if !matches!(kind, Activation::Identity | Activation::Relu) {
            for point in self.data.chunks_exact_mut(self.stride) {
                activate(kernel, kind, &mut point[self.from..][..bias.len()]);
            }
        }
    }

    /// Mean of each channel, the mean scaled by the board's width, and the maximum or, for the value head, the mean scaled
    /// by the width's square.
    pub fn pool(&self, kernel: Simd, value: bool, out: &mut [f32]) {
        let n = self.channels;
        let (means, rest) = out[..3 * n].split_at_mut(n);
        let (scaled, third) = rest.split_at_mut(n);
        on_kernel!(
            kernel,
            sum_and_most(view: &ChannelView = self, sums: &mut [f32] = means, most: &mut [f32] = third)
        );
        let area = (self.data.len() / self.stride) as f32;
        let wide = area.sqrt() - 14.0;
        for ((mean, scaled), third) in means.iter_mut().zip(scaled).zip(third) {
            *mean /= area;
            *scaled = *mean * wide * 0.1;
            if value {
                *third = *mean * (wide * wide * 0.01 - 0.1);
            }
        }
    }

    /// The channels of each point times these weights, of as many numbers as the padded channels, behind what `out` has.
    pub fn project(&self, kernel: Simd, weights: &[f32], out: &mut Vec<f32>) {
        let weights = &weights[..padded(self.channels)];
        on_kernel!(
            kernel,
            products(view: &ChannelView = self, weights: &[f32] = weights, out: &mut Vec<f32> = out)
        );
    }
}

#[inline(always)]
fn add_bias<L: Lanes>(view: &mut ChannelView, bias: &[f32], relu: bool) {
    let least = L::splat(if relu { 0.0 } else { f32::MIN });
    for point in view.data.chunks_exact_mut(view.stride) {
        let cells = L::cells_mut(&mut point[view.from..][..bias.len()]);
        for (cells, bias) in cells.iter_mut().zip(L::cells(bias)) {
            L::load(cells).add(L::load(bias)).max(least).store(cells);
        }
    }
}

/// The sum of each channel over all points, and the maximum, which is at least -1.
#[inline(always)]
fn sum_and_most<L: Lanes>(view: &ChannelView, sums: &mut [f32], most: &mut [f32]) {
    let mut room = [0.0; PANEL];
    for (channel, (sums, most)) in sums.chunks_mut(L::WIDTH).zip(most.chunks_mut(L::WIDTH)).enumerate() {
        let from = view.from + channel * L::WIDTH;
        let (mut sum, mut top) = (L::splat(0.0), L::splat(-1.0));
        for point in view.data.chunks_exact(view.stride) {
            let x = L::load(&L::cells(&point[from..from + L::WIDTH])[0]);
            sum = sum.add(x);
            top = top.max(x);
        }
        for (register, to) in [(sum, sums), (top, most)] {
            register.store(&mut L::cells_mut(&mut room)[0]);
            to.copy_from_slice(&room[..to.len()]);
        }
    }
}

#[inline(always)]
fn products<L: Lanes>(view: &ChannelView, weights: &[f32], out: &mut Vec<f32>) {
    out.reserve(view.data.len() / view.stride);
    for point in view.data.chunks_exact(view.stride) {
        let cells = L::cells(&point[view.from..][..weights.len()]);
        let mut sum = L::splat(0.0);
        for (cells, weights) in cells.iter().zip(L::cells(weights)) {
            sum = L::load(cells).mul_add(L::load(weights), sum);
        }
        out.push(sum.sum());
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
    pub fn run(&self, kernel: Simd, input: &[f32], out: &mut [f32]) {
        on_kernel!(kernel, multiply(layer: &DenseLayer = self, input: &[f32] = input, out: &mut [f32] = out));
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

#[inline(always)]
fn multiply<L: Lanes>(layer: &DenseLayer, input: &[f32], out: &mut [f32]) {
    let (out, rest) = out.split_at_mut(layer.outputs);
    rest.fill(0.0);
    out.copy_from_slice(&layer.bias);
    for (x, row) in input.iter().zip(layer.weights.chunks_exact(layer.outputs)) {
        for (o, w) in out.iter_mut().zip(row) {
            *o += x * w;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Activation, Simd, activate, tanh};

    #[test]
    fn tanh_is_what_it_should_be() {
        for kernel in Simd::available() {
            let xs: Vec<f32> = (-2000..2000).map(|i| i as f32 * 0.01).collect();
            let mut ys = xs.clone();
            tanh(kernel, &mut ys);
            assert!(
                xs.iter().zip(&ys).all(|(x, y)| (y - x.tanh()).abs() < 1e-6),
                "{kernel:?}"
            );
        }
    }

    #[test]
    fn activations_are_what_they_should_be() {
        for kernel in Simd::available() {
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
