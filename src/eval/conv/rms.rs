//! Normalisation by the root mean square.

use super::lanes::{Lanes, Simd, on_kernel};
use super::model::RmsNorm;

/// What the numbers are divided by.
#[derive(Clone)]
pub struct Rms {
    /// Channels that count; those behind them are 0.
    channels: usize,
    epsilon: f32,
    /// Whether the mean is over the whole board.
    board: bool,
}

impl Rms {
    /// Of a norm.
    pub fn new(norm: &RmsNorm) -> Self {
        Self {
            channels: norm.scale.len(),
            epsilon: norm.epsilon,
            board: norm.board,
        }
    }

    /// `to = from / root * scale + bias`, and at least 0 if `relu`; points are as wide as scale and bias.
    pub fn run(&self, kernel: Simd, affine: (&[f32], &[f32]), relu: bool, from: &[f32], to: &mut [f32]) {
        on_kernel!(
            kernel,
            all(rms: &Rms = self, scale: &[f32] = affine.0, bias: &[f32] = affine.1, relu: bool = relu,
                from: &[f32] = from, to: &mut [f32] = to)
        );
    }

    /// What to multiply by, where `count` points have squares of this sum.
    fn factor(&self, squares: f64, count: usize) -> f32 {
        let mean = squares / (count * self.channels) as f64;
        (1.0 / (mean + f64::from(self.epsilon)).sqrt()) as f32
    }
}

#[inline(always)]
fn all<L: Lanes>(rms: &Rms, scale: &[f32], bias: &[f32], relu: bool, from: &[f32], to: &mut [f32]) {
    let wide = scale.len();
    let (scale, bias) = (L::cells(scale), L::cells(bias));
    let least = L::splat(if relu { 0.0 } else { f32::MIN });
    let mut whole = 1.0;
    if rms.board {
        let mut sum = 0.0;
        for point in from.chunks_exact(wide) {
            sum += f64::from(squares::<L>(point));
        }
        whole = rms.factor(sum, from.len() / wide);
    }
    for (from, to) in from.chunks_exact(wide).zip(to.chunks_exact_mut(wide)) {
        let factor = if rms.board {
            whole
        } else {
            rms.factor(f64::from(squares::<L>(from)), 1)
        };
        let (factor, zero) = (L::splat(factor), L::splat(0.0));
        let cells = L::cells(from).iter().zip(L::cells_mut(to));
        for ((from, to), (scale, bias)) in cells.zip(scale.iter().zip(bias)) {
            let x = L::load(from).mul_add(factor, zero);
            x.mul_add(L::load(scale), L::load(bias)).max(least).store(to);
        }
    }
}

/// The sum of the squares of a point's channels.
#[inline(always)]
fn squares<L: Lanes>(point: &[f32]) -> f32 {
    let mut sum = L::splat(0.0);
    for cells in L::cells(point) {
        let x = L::load(cells);
        sum = x.mul_add(x, sum);
    }
    sum.sum()
}
