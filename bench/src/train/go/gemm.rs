//! Products of small matrices, and eight numbers at a time.

/// Numbers of a [`V`]; channel counts are multiples of it.
pub const LANE: usize = 8;

#[cfg(all(target_arch = "x86_64", target_feature = "avx", target_feature = "fma"))]
mod eight {
    use std::arch::x86_64::*;

    /// Eight numbers in one register.
    #[derive(Clone, Copy)]
    pub struct V(__m256);

    // SAFETY (all of these): the machine that this is built for has AVX and FMA.
    impl V {
        #[inline(always)]
        pub fn all(x: f32) -> Self {
            Self(unsafe { _mm256_set1_ps(x) })
        }

        #[inline(always)]
        pub fn load(from: &[f32]) -> Self {
            let from = &from[..super::LANE];
            Self(unsafe { _mm256_loadu_ps(from.as_ptr()) })
        }

        #[inline(always)]
        pub fn store(self, to: &mut [f32]) {
            let to = &mut to[..super::LANE];
            unsafe { _mm256_storeu_ps(to.as_mut_ptr(), self.0) }
        }

        #[inline(always)]
        pub fn plus(self, o: Self) -> Self {
            Self(unsafe { _mm256_add_ps(self.0, o.0) })
        }

        #[inline(always)]
        pub fn minus(self, o: Self) -> Self {
            Self(unsafe { _mm256_sub_ps(self.0, o.0) })
        }

        #[inline(always)]
        pub fn mul(self, o: Self) -> Self {
            Self(unsafe { _mm256_mul_ps(self.0, o.0) })
        }

        /// Plus a product.
        #[inline(always)]
        pub fn and(self, a: Self, b: Self) -> Self {
            Self(unsafe { _mm256_fmadd_ps(a.0, b.0, self.0) })
        }
    }
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx", target_feature = "fma")))]
mod eight {
    /// Eight numbers.
    #[derive(Clone, Copy)]
    pub struct V([f32; super::LANE]);

    impl V {
        pub fn all(x: f32) -> Self {
            Self([x; super::LANE])
        }

        #[inline(always)]
        pub fn load(from: &[f32]) -> Self {
            Self(std::array::from_fn(|i| from[i]))
        }

        #[inline(always)]
        pub fn store(self, to: &mut [f32]) {
            to[..super::LANE].copy_from_slice(&self.0);
        }

        #[inline(always)]
        pub fn plus(self, o: Self) -> Self {
            Self(std::array::from_fn(|i| self.0[i] + o.0[i]))
        }

        #[inline(always)]
        pub fn minus(self, o: Self) -> Self {
            Self(std::array::from_fn(|i| self.0[i] - o.0[i]))
        }

        #[inline(always)]
        pub fn mul(self, o: Self) -> Self {
            Self(std::array::from_fn(|i| self.0[i] * o.0[i]))
        }

        /// Plus a product.
        #[inline(always)]
        pub fn and(self, a: Self, b: Self) -> Self {
            Self(std::array::from_fn(|i| self.0[i] + a.0[i] * b.0[i]))
        }
    }
}

pub use eight::V;

impl V {
    /// Times a number.
    #[inline(always)]
    pub fn times(self, x: f32) -> Self {
        self.mul(Self::all(x))
    }

    /// Plus another times a number.
    #[inline(always)]
    pub fn with(self, o: Self, x: f32) -> Self {
        self.and(o, Self::all(x))
    }
}

/// A matrix that is read: its numbers, and the steps from row to row and from column to column.
#[derive(Clone, Copy)]
pub struct MatrixView<'a>(pub &'a [f32], pub usize, pub usize);

/// `c += a b`: `a` is m x k, `b` k x n and `c` m x n with their rows one after the other; `n` is a multiple of [`LANE`].
/// Unless `add`, `c` is overwritten.
pub fn gemm([m, n, k]: [usize; 3], a: MatrixView, b: &[f32], c: &mut [f32], add: bool) {
    let MatrixView(list, row, column) = a;
    let used = if m == 0 || k == 0 {
        0
    } else {
        (m - 1) * row + (k - 1) * column + 1
    };
    assert!(list.len() >= used && b.len() >= k * n && c.len() >= m * n && n % LANE == 0);
    let mut j = 0;
    while j < n {
        let wide = n - j >= 2 * LANE;
        let mut i = 0;
        while i < m {
            let a = MatrixView(&list[i * row..], row, column);
            let (b, c) = (&b[j..], &mut c[i * n + j..]);
            i += match (wide, m - i) {
                (true, 6..) => tile::<6, 2>(k, n, a, b, c, add),
                (true, 4..) => tile::<4, 2>(k, n, a, b, c, add),
                (true, 2..) => tile::<2, 2>(k, n, a, b, c, add),
                (true, _) => tile::<1, 2>(k, n, a, b, c, add),
                (false, 8..) => tile::<8, 1>(k, n, a, b, c, add),
                (false, 4..) => tile::<4, 1>(k, n, a, b, c, add),
                (false, 2..) => tile::<2, 1>(k, n, a, b, c, add),
                (false, _) => tile::<1, 1>(k, n, a, b, c, add),
            };
        }
        j += if wide { 2 * LANE } else { LANE };
    }
}

/// `R` rows and `W` registers of columns of the product.
#[inline(always)]
fn tile<const R: usize, const W: usize>(
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
            let from = at * n + w * LANE;
            // SAFETY: `gemm` checked the last places of `a` and `b` that are read.
            columns[w] = V::load(unsafe { b.get_unchecked(from..from + LANE) });
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
            let to = &mut c[r * n + w * LANE..];
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
