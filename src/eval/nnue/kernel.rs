//! The inner loops: adding and subtracting rows of the feature transformer (`add_sub`), the output layer with its SCReLU
//! (`forward`), and plain affine layers.
//!
//! Each is plain Rust for any processor; for AVX2 it is compiled once more, and the output layer is written out, because
//! compilers run short of registers there. For AVX-512 both loops over the accumulator are written out, one register for a chunk:
//! compilers keep to half registers by themselves. Whole numbers make all ways equal bit by bit.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// Values in one chunk: half a cache line, a vector register of AVX2 twice over.
pub const LANES: usize = 32;

/// Twice the SCReLU of a value that stands for 1, as [`Kernel::forward`] scales it.
pub const SCRELU_SCALE: i64 = 255 * 255;
/// Where SCReLU clips, in the scale before the square.
const CLIP: i16 = 510 << 6;

/// Sixteen-bit accumulator values or weights, aligned for vectors.
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
    /// For processors with AVX-512 for words (BW) and its dot products (VNNI).
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Kernel {
    /// The fastest that this processor can run.
    pub fn best() -> Self {
        Self::all().last().copied().unwrap_or(Self::Portable)
    }

    /// Those that this processor can run, the fastest last.
    pub fn all() -> Vec<Self> {
        #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut))]
        let mut all = vec![Self::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                all.push(Self::Avx2);
            }
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vnni")
                && is_x86_feature_detected!("avx2")
            {
                all.push(Self::Avx512);
            }
        }
        all
    }

    /// What users read of it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => "AVX-512 VNNI",
        }
    }

    /// `to = from + sum of the added rows - sum of the removed rows`. All slices are of one length.
    #[inline]
    pub fn copy_add_sub<const A: usize, const R: usize>(
        self,
        to: &mut [Chunk],
        from: &[Chunk],
        added: [&[Chunk]; A],
        removed: [&[Chunk]; R],
    ) {
        match self {
            Self::Portable => copy_add_sub(to, from, added, removed),
            // SAFETY: `all` is the only maker of this value and has seen that the processor has AVX2.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { copy_add_sub_avx2(to, from, added, removed) },
            // SAFETY: as above, with AVX-512.
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => unsafe { copy_add_sub_avx512(to, from, added, removed) },
        }
    }

    /// Adds rows to an accumulator and subtracts others in place, any number of them.
    pub fn add_sub(self, values: &mut [Chunk], added: &[&[Chunk]], removed: &[&[Chunk]]) {
        match self {
            Self::Portable => add_sub(values, added, removed),
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { add_sub_avx2(values, added, removed) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => unsafe { add_sub_avx512(values, added, removed) },
        }
    }

    /// The output layer: SCReLU (the square of a value clipped to 0..1) of both perspectives' accumulators times the
    /// weights, added up. 1 is `QA << fine` in an accumulator, and half of [`SCRELU_SCALE`] when squared. `weights` is as
    /// long as both perspectives together.
    #[inline]
    pub fn forward(self, own: &[Chunk], other: &[Chunk], weights: &[Chunk], fine: u8) -> i64 {
        match fine {
            0 => self.forward_by::<6>(own, other, weights),
            1 => self.forward_by::<5>(own, other, weights),
            _ => self.forward_by::<4>(own, other, weights),
        }
    }

    #[inline]
    fn forward_by<const SHIFT: i32>(self, own: &[Chunk], other: &[Chunk], weights: &[Chunk]) -> i64 {
        match self {
            Self::Portable => forward::<SHIFT>(own, other, weights),
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { forward_avx2::<SHIFT>(own, other, weights) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => unsafe { forward_avx512::<SHIFT>(own, other, weights) },
        }
    }

    /// An affine layer of whole numbers: each output is its bias and the products of its row of `weights` with `x`, whose values
    /// are at most 127 beside weights of a byte.
    #[inline]
    pub fn affine(self, x: &[i16], weights: &[i16], biases: &[i32], out: &mut [i32]) {
        match self {
            Self::Portable => affine(x, weights, biases, out),
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 | Self::Avx512 => unsafe { affine_avx2(x, weights, biases, out) },
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

/// `sum + added - removed`, lane by lane.
#[inline(always)]
fn add_sub_lanes<'a>(
    mut sum: [i16; LANES],
    added: impl Iterator<Item = &'a Chunk>,
    removed: impl Iterator<Item = &'a Chunk>,
) -> Chunk {
    for row in removed {
        for (s, w) in sum.iter_mut().zip(&row.0) {
            *s = s.wrapping_sub(*w);
        }
    }
    for row in added {
        for (s, w) in sum.iter_mut().zip(&row.0) {
            *s = s.wrapping_add(*w);
        }
    }
    Chunk(sum)
}

#[inline(always)]
fn copy_add_sub<const A: usize, const R: usize>(
    to: &mut [Chunk],
    from: &[Chunk],
    added: [&[Chunk]; A],
    removed: [&[Chunk]; R],
) {
    let n = to.len();
    let (from, added, removed) = (&from[..n], added.map(|r| &r[..n]), removed.map(|r| &r[..n]));
    for i in 0..n {
        to[i] = add_sub_lanes(from[i].0, added.iter().map(|r| &r[i]), removed.iter().map(|r| &r[i]));
    }
}

#[inline(always)]
fn add_sub(values: &mut [Chunk], added: &[&[Chunk]], removed: &[&[Chunk]]) {
    for (i, sum) in values.iter_mut().enumerate() {
        *sum = add_sub_lanes(sum.0, added.iter().map(|r| &r[i]), removed.iter().map(|r| &r[i]));
    }
}

#[inline(always)]
fn forward<const SHIFT: i32>(own: &[Chunk], other: &[Chunk], weights: &[Chunk]) -> i64 {
    let mut sums = [0i32; LANES / 2];
    for (sum, w) in own.iter().chain(other).zip(weights) {
        for k in 0..LANES / 2 {
            let screlu = |j: usize| {
                let v = i32::from(sum.0[j].clamp(0, CLIP >> SHIFT)) << SHIFT;
                // The upper half of a product, rounded, as processors have it.
                let square = (v * v + (1 << 14)) >> 15;
                square * i32::from(w.0[j])
            };
            sums[k] = sums[k].wrapping_add(screlu(2 * k)).wrapping_add(screlu(2 * k + 1));
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
#[inline]
fn copy_add_sub_avx2<const A: usize, const R: usize>(
    to: &mut [Chunk],
    from: &[Chunk],
    added: [&[Chunk]; A],
    removed: [&[Chunk]; R],
) {
    copy_add_sub(to, from, added, removed);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_sub_avx2(values: &mut [Chunk], added: &[&[Chunk]], removed: &[&[Chunk]]) {
    add_sub(values, added, removed);
}

/// The two registers of a chunk.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn registers(chunk: &Chunk) -> [__m256i; 2] {
    // SAFETY: both are 64 bytes of plain whole numbers, and a chunk is aligned to 64.
    unsafe { *std::ptr::from_ref(chunk).cast() }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn forward_avx2<const SHIFT: i32>(own: &[Chunk], other: &[Chunk], weights: &[Chunk]) -> i64 {
    let (zero, most) = (_mm256_setzero_si256(), _mm256_set1_epi16(CLIP >> SHIFT));
    let screlu = |s: __m256i, w: __m256i| {
        let v = _mm256_slli_epi16::<SHIFT>(_mm256_min_epi16(_mm256_max_epi16(s, zero), most));
        _mm256_madd_epi16(_mm256_mulhrs_epi16(v, v), w)
    };
    let n = own.len().min(other.len()).min(weights.len() / 2);
    let (own, other) = (&own[..n], &other[..n]);
    let (for_own, for_other) = (&weights[..n], &weights[n..2 * n]);
    let mut sums = [zero; 4];
    for i in 0..n {
        for (k, (s, w)) in [(&own[i], &for_own[i]), (&other[i], &for_other[i])]
            .into_iter()
            .enumerate()
        {
            let ([a, b], [v, w]) = (registers(s), registers(w));
            sums[2 * k] = _mm256_add_epi32(sums[2 * k], screlu(a, v));
            sums[2 * k + 1] = _mm256_add_epi32(sums[2 * k + 1], screlu(b, w));
        }
    }
    // Lane by lane as above, and wider from here on.
    let wide = |s: __m256i| {
        let low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(s));
        _mm256_add_epi64(low, _mm256_cvtepi32_epi64(_mm256_extracti128_si256::<1>(s)))
    };
    let halves = [_mm256_add_epi32(sums[0], sums[2]), _mm256_add_epi32(sums[1], sums[3])];
    let sum = _mm256_add_epi64(wide(halves[0]), wide(halves[1]));
    let sum = _mm_add_epi64(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
    _mm_cvtsi128_si64(_mm_add_epi64(sum, _mm_unpackhi_epi64(sum, sum)))
}

/// The register of a chunk.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn register(chunk: &Chunk) -> __m512i {
    // SAFETY: both are 64 bytes of plain whole numbers, and a chunk is aligned to 64.
    unsafe { *std::ptr::from_ref(chunk).cast() }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn store(chunk: &mut Chunk, value: __m512i) {
    // SAFETY: as above.
    unsafe { *std::ptr::from_mut(chunk).cast() = value }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn copy_add_sub_avx512<const A: usize, const R: usize>(
    to: &mut [Chunk],
    from: &[Chunk],
    mut added: [&[Chunk]; A],
    mut removed: [&[Chunk]; R],
) {
    let n = to.len();
    let from = &from[..n];
    // No `map`: it is compiled for the baseline, and so could not inline a closure compiled for AVX-512.
    for row in &mut added {
        *row = &row[..n];
    }
    for row in &mut removed {
        *row = &row[..n];
    }
    for i in 0..n {
        let mut sum = register(&from[i]);
        for row in removed {
            sum = _mm512_sub_epi16(sum, register(&row[i]));
        }
        for row in added {
            sum = _mm512_add_epi16(sum, register(&row[i]));
        }
        store(&mut to[i], sum);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
fn add_sub_avx512(values: &mut [Chunk], added: &[&[Chunk]], removed: &[&[Chunk]]) {
    for (i, to) in values.iter_mut().enumerate() {
        let mut sum = register(to);
        for row in removed {
            sum = _mm512_sub_epi16(sum, register(&row[i]));
        }
        for row in added {
            sum = _mm512_add_epi16(sum, register(&row[i]));
        }
        store(to, sum);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn forward_avx512<const SHIFT: i32>(own: &[Chunk], other: &[Chunk], weights: &[Chunk]) -> i64 {
    let (zero, most) = (_mm512_setzero_si512(), _mm512_set1_epi16(CLIP >> SHIFT));
    let shift = _mm_cvtsi32_si128(SHIFT);
    // The products of neighbours are added to the sum of their lane.
    let add = |sum: __m512i, s: &Chunk, w: &Chunk| {
        let v = _mm512_sll_epi16(_mm512_min_epi16(_mm512_max_epi16(register(s), zero), most), shift);
        _mm512_dpwssd_epi32(sum, _mm512_mulhrs_epi16(v, v), register(w))
    };
    let n = own.len().min(other.len()).min(weights.len() / 2);
    let (own, other) = (&own[..n], &other[..n]);
    let (for_own, for_other) = (&weights[..n], &weights[n..2 * n]);
    let mut sums = [zero; 2];
    for i in 0..n {
        sums[0] = add(sums[0], &own[i], &for_own[i]);
        sums[1] = add(sums[1], &other[i], &for_other[i]);
    }
    // Lane by lane as above, and wider from here on.
    let sum = _mm512_add_epi32(sums[0], sums[1]);
    let low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(sum));
    let high = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64::<1>(sum));
    _mm512_reduce_add_epi64(_mm512_add_epi64(low, high))
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
        let (mut rng, all) = (SplitMix::new(7), Kernel::all());
        // Miri takes minutes for what the processor does in a moment.
        let most = if cfg!(miri) { 3 } else { 32 };
        assert_eq!(all.last(), Some(&Kernel::best()));
        for (n, &kernel) in (1..=most).flat_map(|n| all.iter().map(move |kernel| (n, kernel))) {
            let rows: Vec<Vec<Chunk>> = (0..4).map(|_| chunks(&mut rng, n, 500)).collect();
            let from = chunks(&mut rng, n, 8000);
            let rows: [&[Chunk]; 4] = std::array::from_fn(|i| rows[i].as_slice());
            for count in 0..=2 {
                let (added, removed) = (&rows[..count], &rows[2..2 + count]);
                let (mut a, mut b) = (from.clone(), from.clone());
                Kernel::Portable.add_sub(&mut a, added, removed);
                kernel.add_sub(&mut b, added, removed);
                assert_eq!(a, b, "{kernel:?}");
                let mut c = vec![Chunk::ZERO; n];
                match count {
                    0 => kernel.copy_add_sub(&mut c, &from, [], []),
                    1 => kernel.copy_add_sub(&mut c, &from, [rows[0]], [rows[2]]),
                    _ => kernel.copy_add_sub(&mut c, &from, [rows[0], rows[1]], [rows[2], rows[3]]),
                }
                assert_eq!(a, c, "{kernel:?}");
                Kernel::Portable.add_sub(&mut b, removed, added);
                kernel.add_sub(&mut b, added, added);
                assert_eq!(b, from);
                let weights = chunks(&mut rng, 2 * n, 2000);
                for fine in 0..=2 {
                    let one = i64::from(super::super::QA) << fine;
                    let square = |s: i16| {
                        let part = i64::from(s).clamp(0, one);
                        (part * part * SCRELU_SCALE + one * one) / (2 * one * one)
                    };
                    let (sums, lanes) = (a.iter().chain(&from), |c: &Chunk| c.0);
                    let pairs = sums.flat_map(lanes).zip(weights.iter().flat_map(lanes));
                    let slow: i64 = pairs.map(|(s, w)| square(s) * i64::from(w)).sum();
                    assert_eq!(kernel.forward(&a, &from, &weights, fine), slow, "{kernel:?}");
                }
            }
        }
    }
}
