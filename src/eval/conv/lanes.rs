//! Eight floats at a time: by AVX2 and FMA where the processor has them, else in plain Rust.

use std::ops::{Deref, DerefMut};

/// Which instructions are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Simd {
    /// Plain Rust.
    Portable,
    /// AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Simd {
    /// The fastest that this processor runs.
    pub fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return Self::Avx2;
        }
        Self::Portable
    }

    /// What users read of it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => "AVX2 FMA",
        }
    }
}

/// Calls `$function::<L>` with the lanes of a kernel, compiled for its instructions.
macro_rules! on_kernel {
    ($kernel:expr, $function:ident $(::<$t:ident: $bound:ident>)? ($($name:ident : $type:ty = $value:expr),* $(,)?)) => {{
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        #[allow(clippy::too_many_arguments)]
        fn avx2$(<$t: $bound>)?($($name: $type),*) {
            $function::<super::lanes::Avx $(, $t)?>($($name),*);
        }
        match $kernel {
            #[cfg(target_arch = "x86_64")]
            super::lanes::Simd::Avx2 => {
                // SAFETY: this kernel is only made where the processor has AVX2 and FMA.
                unsafe { avx2$(::<$t>)?($($value),*) }
            }
            super::lanes::Simd::Portable => {
                $function::<super::lanes::Plain $(, $t)?>($($value),*);
            }
        }
    }};
}
pub(super) use on_kernel;

/// Eight floats.
pub trait Lanes: Copy {
    /// The same number eight times.
    fn splat(x: f32) -> Self;
    /// From the start of a list.
    fn load(from: &[f32; 8]) -> Self;
    /// To the start of a list.
    fn store(self, to: &mut [f32; 8]);
    /// `self + b`.
    fn add(self, b: Self) -> Self;
    /// `self - b`.
    fn sub(self, b: Self) -> Self;
    /// `self * b + c`.
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// The larger of each.
    fn max(self, b: Self) -> Self;
    /// Sends for a cache line.
    fn fetch(line: &[f32; 16]);
}

/// Lanes of plain Rust.
#[derive(Clone, Copy)]
pub struct Plain([f32; 8]);

impl Plain {
    #[inline(always)]
    fn with(self, b: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], b.0[i])))
    }
}

impl Lanes for Plain {
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self([x; 8])
    }

    #[inline(always)]
    fn load(from: &[f32; 8]) -> Self {
        Self(*from)
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; 8]) {
        *to = self.0;
    }

    #[inline(always)]
    fn add(self, b: Self) -> Self {
        self.with(b, |a, b| a + b)
    }

    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        self.with(b, |a, b| a - b)
    }

    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] * b.0[i] + c.0[i]))
    }

    #[inline(always)]
    fn max(self, b: Self) -> Self {
        self.with(b, f32::max)
    }

    #[inline(always)]
    fn fetch(_line: &[f32; 16]) {}
}

#[cfg(target_arch = "x86_64")]
pub use avx::Avx;

#[cfg(target_arch = "x86_64")]
mod avx {
    use super::Lanes;
    use std::arch::x86_64::{
        __m256, _MM_HINT_T0, _mm_prefetch, _mm256_add_ps, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_max_ps,
        _mm256_set1_ps, _mm256_storeu_ps, _mm256_sub_ps,
    };

    /// Lanes of AVX2. Only code that runs under [`super::Simd::Avx2`] makes them.
    #[derive(Clone, Copy)]
    pub struct Avx(__m256);

    // SAFETY of all below: as said above, the processor has the instructions; lists are read and written in full.
    impl Lanes for Avx {
        #[inline(always)]
        fn splat(x: f32) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_set1_ps(x) })
        }

        #[inline(always)]
        fn load(from: &[f32; 8]) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_loadu_ps(from.as_ptr()) })
        }

        #[inline(always)]
        fn store(self, to: &mut [f32; 8]) {
            // SAFETY: see above.
            unsafe { _mm256_storeu_ps(to.as_mut_ptr(), self.0) }
        }

        #[inline(always)]
        fn add(self, b: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_add_ps(self.0, b.0) })
        }

        #[inline(always)]
        fn sub(self, b: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_sub_ps(self.0, b.0) })
        }

        #[inline(always)]
        fn mul_add(self, b: Self, c: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_fmadd_ps(self.0, b.0, c.0) })
        }

        #[inline(always)]
        fn max(self, b: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_max_ps(self.0, b.0) })
        }

        #[inline(always)]
        fn fetch(line: &[f32; 16]) {
            // SAFETY: see above; a prefetch reads nothing.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) }
        }
    }
}

/// A cache line.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Line([f32; 16]);

/// Floats that start at a cache line; their number is a multiple of 16.
#[derive(Clone, Default)]
pub struct Floats(Vec<Line>);

impl Floats {
    /// So many zeros, or a few more.
    pub fn zeros(n: usize) -> Self {
        Self(vec![Line([0.0; 16]); n.div_ceil(16)])
    }

    /// Room for so many at least.
    pub fn reserve(&mut self, n: usize) {
        if self.len() < n {
            *self = Self::zeros(n);
        }
    }
}

impl From<&[f32]> for Floats {
    fn from(list: &[f32]) -> Self {
        let mut floats = Self::zeros(list.len());
        floats[..list.len()].copy_from_slice(list);
        floats
    }
}

impl Deref for Floats {
    type Target = [f32];

    #[inline]
    fn deref(&self) -> &[f32] {
        // SAFETY: a line is sixteen floats without padding, and lines lie side by side.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), self.0.len() * 16) }
    }
}

impl DerefMut for Floats {
    #[inline]
    fn deref_mut(&mut self) -> &mut [f32] {
        // SAFETY: as above, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), self.0.len() * 16) }
    }
}
