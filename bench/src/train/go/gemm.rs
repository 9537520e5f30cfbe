//! Products of small matrices, and numbers that are calculated with eight or sixteen at a time.

/// Channel counts are multiples of this.
pub const LANE: usize = 8;

/// Numbers that are calculated with at a time: one register.
pub trait Lanes: Copy {
    /// How many.
    const N: usize;
    /// The same number in all lanes.
    fn all(x: f32) -> Self;
    /// From the start of a list.
    fn load(from: &[f32]) -> Self;
    /// To the start of a list.
    fn store(self, to: &mut [f32]);
    /// `self + o`.
    fn plus(self, o: Self) -> Self;
    /// `self - o`.
    fn minus(self, o: Self) -> Self;
    /// `self * o`.
    fn mul(self, o: Self) -> Self;
    /// `self + a * b`.
    fn and(self, a: Self, b: Self) -> Self;

    /// Times a number.
    #[inline(always)]
    fn times(self, x: f32) -> Self {
        self.mul(Self::all(x))
    }

    /// Plus another times a number.
    #[inline(always)]
    fn with(self, o: Self, x: f32) -> Self {
        self.and(o, Self::all(x))
    }
}

/// Whether the processor has the instructions of [`Avx`].
#[cfg(target_arch = "x86_64")]
pub fn has_avx() -> bool {
    is_x86_feature_detected!("avx") && is_x86_feature_detected!("fma")
}

/// Whether the processor has the instructions of [`Avx512`].
#[cfg(target_arch = "x86_64")]
pub fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
}

/// Calls `$function::<V>` with the widest [`Lanes`] that the processor has, compiled for its instructions; sixteen at a time
/// only if `$sixteen`, which says that all counts of channels are multiples of that.
macro_rules! on_lanes {
    ($sixteen:expr, $function:ident ($($name:ident : $type:ty),* $(,)?)) => {{
        #[cfg(target_arch = "x86_64")]
        if $sixteen && super::gemm::has_avx512() {
            #[target_feature(enable = "avx512f")]
            #[allow(clippy::too_many_arguments)]
            fn avx512($($name: $type),*) {
                $function::<super::gemm::Avx512>($($name),*);
            }
            // SAFETY: the processor has AVX-512F.
            unsafe { avx512($($name),*) };
            return;
        }
        #[cfg(target_arch = "x86_64")]
        if super::gemm::has_avx() {
            #[target_feature(enable = "avx,fma")]
            #[allow(clippy::too_many_arguments)]
            fn avx($($name: $type),*) {
                $function::<super::gemm::Avx>($($name),*);
            }
            // SAFETY: the processor has AVX and FMA.
            unsafe { avx($($name),*) };
            return;
        }
        $function::<super::gemm::Plain>($($name),*);
    }};
}
pub(super) use on_lanes;

#[cfg(target_arch = "x86_64")]
pub use registers::{Avx, Avx512};

#[cfg(target_arch = "x86_64")]
mod registers {
    use super::Lanes;
    use std::arch::x86_64::*;

    /// A register type as [`Lanes`].
    macro_rules! register {
        ($(#[doc = $doc:literal])+ $name:ident, $register:ty, $n:literal,
         $all:ident, $load:ident, $store:ident, $add:ident, $sub:ident, $mul:ident, $fma:ident) => {
            $(#[doc = $doc])+
            #[derive(Clone, Copy)]
            pub struct $name($register);

            // SAFETY (all of these): the processor has the instructions, see above; lists are as long as is read or written.
            impl Lanes for $name {
                const N: usize = $n;

                #[inline(always)]
                fn all(x: f32) -> Self {
                    Self(unsafe { $all(x) })
                }

                #[inline(always)]
                fn load(from: &[f32]) -> Self {
                    let from = &from[..$n];
                    Self(unsafe { $load(from.as_ptr()) })
                }

                #[inline(always)]
                fn store(self, to: &mut [f32]) {
                    let to = &mut to[..$n];
                    unsafe { $store(to.as_mut_ptr(), self.0) }
                }

                #[inline(always)]
                fn plus(self, o: Self) -> Self {
                    Self(unsafe { $add(self.0, o.0) })
                }

                #[inline(always)]
                fn minus(self, o: Self) -> Self {
                    Self(unsafe { $sub(self.0, o.0) })
                }

                #[inline(always)]
                fn mul(self, o: Self) -> Self {
                    Self(unsafe { $mul(self.0, o.0) })
                }

                #[inline(always)]
                fn and(self, a: Self, b: Self) -> Self {
                    Self(unsafe { $fma(a.0, b.0, self.0) })
                }
            }
        };
    }

    register!(
        /// One register of AVX. Only code that runs where [`super::has_avx`] makes them.
        Avx, __m256, 8, _mm256_set1_ps, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_add_ps, _mm256_sub_ps, _mm256_mul_ps,
        _mm256_fmadd_ps
    );
    register!(
        /// One register of AVX-512. Only code that runs where [`super::has_avx512`] makes them.
        Avx512, __m512, 16, _mm512_set1_ps, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_add_ps, _mm512_sub_ps, _mm512_mul_ps,
        _mm512_fmadd_ps
    );
}

/// Eight numbers for any processor.
#[derive(Clone, Copy)]
pub struct Plain([f32; LANE]);

impl Lanes for Plain {
    const N: usize = LANE;

    #[inline(always)]
    fn all(x: f32) -> Self {
        Self([x; LANE])
    }

    #[inline(always)]
    fn load(from: &[f32]) -> Self {
        let from = &from[..LANE];
        Self(std::array::from_fn(|i| from[i]))
    }

    #[inline(always)]
    fn store(self, to: &mut [f32]) {
        to[..LANE].copy_from_slice(&self.0);
    }

    #[inline(always)]
    fn plus(self, o: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] + o.0[i]))
    }

    #[inline(always)]
    fn minus(self, o: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] - o.0[i]))
    }

    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] * o.0[i]))
    }

    #[inline(always)]
    fn and(self, a: Self, b: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] + a.0[i] * b.0[i]))
    }
}

/// A matrix that is read: its numbers, and the steps from row to row and from column to column.
#[derive(Clone, Copy)]
pub struct MatrixView<'a>(pub &'a [f32], pub usize, pub usize);

/// `c += a b`: `a` is m x k, `b` k x n and `c` m x n with their rows one after the other; `n` is a multiple of [`LANE`].
/// Unless `add`, `c` is overwritten.
pub fn gemm(size: [usize; 3], a: MatrixView, b: &[f32], c: &mut [f32], add: bool) {
    on_lanes!(
        size[1].is_multiple_of(2 * LANE),
        gemm_by(size: [usize; 3], a: MatrixView, b: &[f32], c: &mut [f32], add: bool)
    );
}

/// [`gemm`] compiled for some instructions, as the type of the numbers at a time says.
#[inline(always)]
fn gemm_by<V: Lanes>([m, n, k]: [usize; 3], a: MatrixView, b: &[f32], c: &mut [f32], add: bool) {
    let MatrixView(list, row, column) = a;
    let used = if m == 0 || k == 0 {
        0
    } else {
        (m - 1) * row + (k - 1) * column + 1
    };
    assert!(list.len() >= used && b.len() >= k * n && c.len() >= m * n && n.is_multiple_of(V::N));
    let mut j = 0;
    while j < n {
        // AVX-512 has twice as many registers.
        let columns = match (n - j) / V::N {
            4.. if V::N > LANE => 4,
            2.. => 2,
            _ => 1,
        };
        let mut i = 0;
        while i < m {
            let a = MatrixView(&list[i * row..], row, column);
            let (b, c) = (&b[j..], &mut c[i * n + j..]);
            i += match (columns, m - i) {
                (4, 6..) => tile::<V, 6, 4>(k, n, a, b, c, add),
                (4, 2..) => tile::<V, 2, 4>(k, n, a, b, c, add),
                (4, _) => tile::<V, 1, 4>(k, n, a, b, c, add),
                (2, 6..) => tile::<V, 6, 2>(k, n, a, b, c, add),
                (2, 4..) => tile::<V, 4, 2>(k, n, a, b, c, add),
                (2, 2..) => tile::<V, 2, 2>(k, n, a, b, c, add),
                (2, _) => tile::<V, 1, 2>(k, n, a, b, c, add),
                (_, 8..) => tile::<V, 8, 1>(k, n, a, b, c, add),
                (_, 4..) => tile::<V, 4, 1>(k, n, a, b, c, add),
                (_, 2..) => tile::<V, 2, 1>(k, n, a, b, c, add),
                _ => tile::<V, 1, 1>(k, n, a, b, c, add),
            };
        }
        j += columns * V::N;
    }
}

/// `R` rows and `W` registers of columns of the product.
#[inline(always)]
fn tile<V: Lanes, const R: usize, const W: usize>(
    k: usize,
    n: usize,
    a: MatrixView,
    b: &[f32],
    c: &mut [f32],
    add: bool,
) -> usize {
    let mut sums = [[V::all(0.0); W]; R];
    let MatrixView(a, row, column) = a;
    for at in 0..k {
        let mut columns = [V::all(0.0); W];
        for w in 0..W {
            let from = at * n + w * V::N;
            // SAFETY: `gemm` checked the last places of `a` and `b` that are read.
            columns[w] = V::load(unsafe { b.get_unchecked(from..from + V::N) });
        }
        for r in 0..R {
            // SAFETY: as above.
            let x = unsafe { *a.get_unchecked(r * row + at * column) };
            for w in 0..W {
                sums[r][w] = sums[r][w].with(columns[w], x);
            }
        }
    }
    for (r, sums) in sums.iter().enumerate() {
        for (w, sum) in sums.iter().enumerate() {
            let to = &mut c[r * n + w * V::N..];
            let sum = if add { sum.plus(V::load(to)) } else { *sum };
            sum.store(to);
        }
    }
    R
}

/// The transpose of an `m` x `n` matrix.
pub fn transpose(from: &[f32], [m, n]: [usize; 2], to: &mut [f32]) {
    for i in 0..m {
        for j in 0..n {
            to[j * m + i] = from[i * n + j];
        }
    }
}

/// `to += from`.
pub fn add(to: &mut [f32], from: &[f32]) {
    to.iter_mut().zip(from).for_each(|(a, b)| *a += b);
}

#[cfg(test)]
mod tests {
    use super::*;
    use nguky::util::rng::SplitMix;

    /// Whole numbers, so that the order and the rounding of sums do not matter.
    #[test]
    fn all_kinds_of_lanes_multiply_alike() {
        let mut rng = SplitMix::new(5);
        let mut numbers = |n: usize| -> Vec<f32> { (0..n).map(|_| rng.below(19) as f32 - 9.0).collect() };
        for [m, n, k] in [
            [1, 8, 1],
            [7, 16, 3],
            [13, 24, 9],
            [6, 40, 5],
            [9, 48, 7],
            [15, 64, 4],
            [3, 96, 5],
            [0, 8, 2],
        ] {
            let (a, b, c) = (numbers(m * k), numbers(k * n), numbers(m * n));
            for (view, add) in [(MatrixView(&a, k, 1), true), (MatrixView(&a, 1, m), false)] {
                let mut slow = if add { c.clone() } else { vec![0.0; m * n] };
                for (i, j, at) in (0..m).flat_map(|i| (0..n).flat_map(move |j| (0..k).map(move |at| (i, j, at)))) {
                    slow[i * n + j] += view.0[i * view.1 + at * view.2] * b[at * n + j];
                }
                let (mut plain, mut best) = (c.clone(), c.clone());
                gemm_by::<Plain>([m, n, k], view, &b, &mut plain, add);
                gemm([m, n, k], view, &b, &mut best, add);
                assert_eq!(plain, slow);
                assert_eq!(best, slow);
            }
        }
    }
}
