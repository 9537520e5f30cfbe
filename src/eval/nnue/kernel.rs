//! The inner loops: adding rows of weights to the sums, weighing the clipped squares of the sums, and plain layers.
//!
//! Each is written once as plain Rust and compiled twice, for any processor and for AVX2; whole numbers make both equal
//! bit by bit.

/// Sums in one chunk: half a cache line, a vector register of AVX2 twice over.
pub const LANES: usize = 32;

/// Sixteen-bit sums or weights, aligned for vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Chunk(pub [i16; LANES]);

impl Chunk {
    /// All zero.
    pub const ZERO: Self = Self([0; LANES]);
}

/// Which way the loops are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// For any processor.
    Portable,
    /// For processors with AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Kernel {
    /// The fastest that this processor can run.
    pub fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            return Self::Avx2;
        }
        Self::Portable
    }

    /// `to = from + sum of the added rows - sum of the removed rows`. All slices are of one length.
    #[inline]
    pub fn step(self, to: &mut [Chunk], from: &[Chunk], added: &[&[Chunk]], removed: &[&[Chunk]]) {
        match self {
            Self::Portable => step(to, from, added, removed),
            // SAFETY: `best` is the only maker of this value and has seen that the processor has AVX2.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { step_avx2(to, from, added, removed) },
        }
    }

    /// The sum of `clamp(a, 0, QA)² / 8 w` over both views, each square rounded down. `weights` is as long as both together.
    #[inline]
    pub fn weigh(self, own: &[Chunk], other: &[Chunk], weights: &[Chunk]) -> i64 {
        match self {
            Self::Portable => weigh(own, other, weights),
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { weigh_avx2(own, other, weights) },
        }
    }

    /// A layer of whole numbers: each output is its bias and the products of its row of `weights` with `x`, whose values
    /// are at most 127 beside weights of a byte.
    #[inline]
    pub fn affine(self, x: &[i16], weights: &[i16], biases: &[i32], out: &mut [i32]) {
        match self {
            Self::Portable => affine(x, weights, biases, out),
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { affine_avx2(x, weights, biases, out) },
        }
    }
}

#[inline(always)]
fn affine(x: &[i16], weights: &[i16], biases: &[i32], out: &mut [i32]) {
    for ((out, bias), row) in out.iter_mut().zip(biases).zip(weights.chunks_exact(x.len())) {
        let products = x.iter().zip(row).map(|(&a, &b)| i32::from(a) * i32::from(b));
        *out = bias.wrapping_add(products.sum());
    }
}

#[inline(always)]
fn step(to: &mut [Chunk], from: &[Chunk], added: &[&[Chunk]], removed: &[&[Chunk]]) {
    for (i, (to, from)) in to.iter_mut().zip(from).enumerate() {
        let mut sum = from.0;
        for row in removed {
            for (s, w) in sum.iter_mut().zip(&row[i].0) {
                *s = s.wrapping_sub(*w);
            }
        }
        for row in added {
            for (s, w) in sum.iter_mut().zip(&row[i].0) {
                *s = s.wrapping_add(*w);
            }
        }
        to.0 = sum;
    }
}

#[inline(always)]
fn weigh(own: &[Chunk], other: &[Chunk], weights: &[Chunk]) -> i64 {
    let mut sums = [0i32; LANES / 2];
    for (sum, w) in own.iter().chain(other).zip(weights) {
        for k in 0..LANES / 2 {
            let term = |j: usize| {
                let v = sum.0[j].clamp(0, super::QA as i16) as u16;
                // The upper half of a product of sixteen bits each, as processors have it: v² / 8.
                let square = (u32::from(v << 6) * u32::from(v << 7)) >> 16;
                i32::from(square as i16) * i32::from(w.0[j])
            };
            sums[k] = sums[k].wrapping_add(term(2 * k)).wrapping_add(term(2 * k + 1));
        }
    }
    sums.iter().map(|&s| i64::from(s)).sum()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn affine_avx2(x: &[i16], weights: &[i16], biases: &[i32], out: &mut [i32]) {
    affine(x, weights, biases, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn step_avx2(to: &mut [Chunk], from: &[Chunk], added: &[&[Chunk]], removed: &[&[Chunk]]) {
    step(to, from, added, removed);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn weigh_avx2(own: &[Chunk], other: &[Chunk], weights: &[Chunk]) -> i64 {
    weigh(own, other, weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::rng::SplitMix;

    fn chunks(rng: &mut SplitMix, n: usize, most: i64) -> Vec<Chunk> {
        let mut value = || (rng.below(2 * most as u64 + 1) as i64 - most) as i16;
        (0..n).map(|_| Chunk(std::array::from_fn(|_| value()))).collect()
    }

    #[test]
    fn every_way_of_compiling_gives_the_same() {
        let (mut rng, best) = (SplitMix::new(7), Kernel::best());
        for n in 1..=8 {
            let rows: Vec<Vec<Chunk>> = (0..4).map(|_| chunks(&mut rng, n, 500)).collect();
            let from = chunks(&mut rng, n, 8000);
            for count in 0..=2 {
                let added: Vec<&[Chunk]> = rows[..count].iter().map(Vec::as_slice).collect();
                let removed: Vec<&[Chunk]> = rows[2..2 + count].iter().map(Vec::as_slice).collect();
                let (mut a, mut b) = (vec![Chunk::ZERO; n], vec![Chunk::ZERO; n]);
                Kernel::Portable.step(&mut a, &from, &added, &removed);
                best.step(&mut b, &from, &added, &removed);
                assert_eq!(a, b);
                let weights = chunks(&mut rng, 2 * n, 508);
                let slow: i64 = a
                    .iter()
                    .chain(&from)
                    .zip(&weights)
                    .flat_map(|(s, w)| s.0.iter().zip(w.0))
                    .map(|(&s, w)| i64::from(s.clamp(0, 510)).pow(2) / 8 * i64::from(w))
                    .sum();
                assert_eq!(Kernel::Portable.weigh(&a, &from, &weights), slow);
                assert_eq!(best.weigh(&a, &from, &weights), slow);
            }
        }
    }
}
