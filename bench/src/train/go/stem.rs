//! A first convolution of 5 x 5 points, which networks of KataGo's run g170 have, as products of matrices.

use super::gemm::{MatrixView, gemm};
use super::shape::{Mat, PLANES};
use super::winograd::Tiling;

/// What each point of a board sees through the filters: `[area, taps * PLANES]`, zeros beyond the edge.
fn columns(plan: Tiling, taps: usize, board: &[f32], to: &mut [f32]) {
    let (size, side) = (plan.size, taps.isqrt());
    to.fill(0.0);
    for (at, row) in to.chunks_exact_mut(taps * PLANES).enumerate() {
        for (tap, to) in row.chunks_exact_mut(PLANES).enumerate() {
            let (y, x) = (at / size + tap / side, at % size + tap % side);
            if let (Some(y), Some(x)) = (y.checked_sub(side / 2), x.checked_sub(side / 2))
                && y < size
                && x < size
            {
                to.copy_from_slice(&board[(y * size + x) * PLANES..][..PLANES]);
            }
        }
    }
}

/// The outputs of the points of all boards.
pub fn forward(plan: Tiling, (w, stem): (&[f32], &Mat), planes: &[f32], to: &mut [f32]) {
    let (area, width) = (plan.area(), stem.taps * PLANES);
    let mut seen = vec![0.0; area * width];
    let boards = planes.chunks_exact(area * PLANES);
    for (board, to) in boards.zip(to.chunks_exact_mut(area * stem.outputs)) {
        columns(plan, stem.taps, board, &mut seen);
        let sizes = [area, stem.outputs, width];
        gemm(sizes, MatrixView(&seen, width, 1), &w[stem.range()], to, false);
    }
}

/// Adds the gradient of the filters; `d` is that of the outputs.
pub fn backward(plan: Tiling, stem: &Mat, planes: &[f32], d: &[f32], grad: &mut [f32]) {
    let (area, width) = (plan.area(), stem.taps * PLANES);
    let mut seen = vec![0.0; area * width];
    let boards = planes.chunks_exact(area * PLANES);
    for (board, d) in boards.zip(d.chunks_exact(area * stem.outputs)) {
        columns(plan, stem.taps, board, &mut seen);
        let sizes = [width, stem.outputs, area];
        gemm(sizes, MatrixView(&seen, 1, width), d, &mut grad[stem.range()], true);
    }
}
