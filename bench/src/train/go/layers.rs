//! The small layers forth and back: norms with ReLU, global pooling, and rows times a matrix.

use super::gemm::add;
use super::shape::{Mat, Norm};
use super::winograd::Tiling;

/// Pooled numbers of one board.
#[derive(Clone, Default)]
pub struct Pooled {
    /// Mean, scaled mean and maximum (or the mean scaled anew) of each channel.
    pub sums: Vec<f32>,
    /// The point of each maximum.
    pub most: Vec<usize>,
}

/// How far a board's side is from 14: pooled means are scaled by it, too.
pub fn breadth(plan: Tiling) -> f32 {
    plan.size as f32 - 14.0
}

/// By what the second and third pooled numbers of the value head are scaled.
pub fn value_scales(plan: Tiling) -> [f32; 2] {
    let b = breadth(plan);
    [b * 0.1, b * b * 0.01 - 0.1]
}

pub fn pool(plan: Tiling, a: &[f32], channels: usize, to: &mut Vec<Pooled>) {
    to.resize(plan.boards, Pooled::default());
    for (board, p) in a.chunks_exact(plan.area() * channels).zip(to) {
        p.sums.clear();
        p.sums.resize(3 * channels, 0.0);
        p.most.clear();
        p.most.resize(channels, 0);
        let (mean, rest) = p.sums.split_at_mut(channels);
        let (scaled, most) = rest.split_at_mut(channels);
        most.fill(-1.0);
        for (at, row) in board.chunks_exact(channels).enumerate() {
            for (c, &x) in row.iter().enumerate() {
                mean[c] += x;
                if x > most[c] {
                    (most[c], p.most[c]) = (x, at);
                }
            }
        }
        for (m, s) in mean.iter_mut().zip(scaled) {
            *m /= plan.area() as f32;
            *s = *m * breadth(plan) * 0.1;
        }
    }
}

/// Adds to the gradient of the pooled points.
pub fn pool_back(plan: Tiling, pooled: &[Pooled], grads: &[f32], channels: usize, to: &mut [f32]) {
    let boards = to.chunks_exact_mut(plan.area() * channels);
    for ((board, p), d) in boards.zip(pooled).zip(grads.chunks_exact(3 * channels)) {
        let each: Vec<f32> = (0..channels)
            .map(|c| (d[c] + d[channels + c] * breadth(plan) * 0.1) / plan.area() as f32)
            .collect();
        for row in board.chunks_exact_mut(channels) {
            add(row, &each);
        }
        for c in 0..channels {
            board[p.most[c] * channels + c] += d[2 * channels + c];
        }
    }
}

/// A part of the channels of each point: how many there are, and the first.
#[derive(Clone, Copy)]
pub struct Of(pub usize, pub usize);

/// Scale, bias and ReLU.
pub fn norm(w: &[f32], norm: &Norm, x: &[f32], Of(stride, first): Of, to: &mut Vec<f32>) {
    let c = norm.channels;
    to.resize(x.len() / stride * c, 0.0);
    let (scale, bias) = (&w[norm.scale()], &w[norm.bias()]);
    for (row, to) in x.chunks_exact(stride).zip(to.chunks_exact_mut(c)) {
        for (((x, to), s), b) in row[first..first + c].iter().zip(to).zip(scale).zip(bias) {
            *to = (x * s + b).max(0.0);
        }
    }
}

/// The way back: `d` is the gradient of the outputs `a`; that of the inputs is added to `dx`.
pub fn norm_back(
    (w, g): (&[f32], &mut [f32]),
    norm: &Norm,
    (a, d): (&[f32], &[f32]),
    x: &[f32],
    Of(stride, first): Of,
    dx: &mut [f32],
) {
    let c = norm.channels;
    let scale = &w[norm.scale()];
    let mut sums = vec![0.0f32; 2 * c];
    let (ds, db) = sums.split_at_mut(c);
    let rows = a.chunks_exact(c).zip(d.chunks_exact(c));
    for (((a, d), x), dx) in rows.zip(x.chunks_exact(stride)).zip(dx.chunks_exact_mut(stride)) {
        let (x, dx) = (&x[first..first + c], &mut dx[first..first + c]);
        for i in 0..c {
            let d = if a[i] > 0.0 { d[i] } else { 0.0 };
            ds[i] += d * x[i];
            db[i] += d;
            dx[i] += d * scale[i];
        }
    }
    add(&mut g[norm.at..norm.at + 2 * c], &sums);
}

/// A row times a matrix; added.
pub fn times(w: &[f32], mat: &Mat, x: &[f32], to: &mut [f32]) {
    for (x, row) in x.iter().zip(w[mat.range()].chunks_exact(mat.outputs)) {
        for (to, w) in to.iter_mut().zip(row) {
            *to += x * w;
        }
    }
}

/// The way back of [`times`].
pub fn times_back((w, g): (&[f32], &mut [f32]), mat: &Mat, x: &[f32], d: &[f32], dx: &mut [f32]) {
    let rows = w[mat.range()]
        .chunks_exact(mat.outputs)
        .zip(g[mat.range()].chunks_exact_mut(mat.outputs));
    for ((x, dx), (row, grow)) in x.iter().zip(dx).zip(rows) {
        for ((g, w), d) in grow.iter_mut().zip(row).zip(d) {
            *g += x * d;
            *dx += w * d;
        }
    }
}
