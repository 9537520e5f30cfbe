//! Several floats at a time: sixteen by AVX-512, eight by AVX2 and FMA, as the processor has them, else eight in plain Rust.

use std::ops::{Deref, DerefMut};

/// Which instructions are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Simd {
    /// Plain Rust.
    Portable,
    /// AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512: its parts F, BW, DQ and VL.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Simd {
    /// The fastest that this processor runs.
    pub fn best() -> Self {
        Self::available().last().copied().unwrap_or(Self::Portable)
    }

    /// All that this processor runs, the fastest last.
    pub fn available() -> Vec<Self> {
        let all = vec![Self::Portable];
        #[cfg(target_arch = "x86_64")]
        let all = {
            let mut all = all;
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                all.push(Self::Avx2);
                if is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                {
                    all.push(Self::Avx512);
                }
            }
            all
        };
        all
    }

    /// Whether it has dot products of bytes as well (AVX-512 VNNI).
    pub fn has_vnni(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        let has = self == Self::Avx512 && is_x86_feature_detected!("avx512vnni");
        #[cfg(not(target_arch = "x86_64"))]
        let has = false;
        has
    }

    /// What users read of it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => "AVX2 FMA",
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 if self.has_vnni() => "AVX-512 VNNI",
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => "AVX-512",
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
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")]
        #[allow(clippy::too_many_arguments)]
        fn avx512$(<$t: $bound>)?($($name: $type),*) {
            $function::<super::lanes::Avx512 $(, $t)?>($($name),*);
        }
        match $kernel {
            #[cfg(target_arch = "x86_64")]
            super::lanes::Simd::Avx512 => {
                // SAFETY: this kernel is only made where the processor has these parts of AVX-512, AVX2 and FMA.
                unsafe { avx512$(::<$t>)?($($value),*) }
            }
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

/// The floats of a register.
pub trait Lanes: Copy {
    /// They in memory: an array of [`WIDTH`](Self::WIDTH).
    type Cells: Copy;
    /// How many they are; divides the width of a panel.
    const WIDTH: usize;
    /// Whether there are 32 registers and not 16.
    const MANY: bool;
    /// A list cut into arrays for [`load`](Self::load); what is over at its end is left out.
    fn cells(list: &[f32]) -> &[Self::Cells];
    /// The same for [`store`](Self::store).
    fn cells_mut(list: &mut [f32]) -> &mut [Self::Cells];
    /// The same number in all lanes.
    fn splat(x: f32) -> Self;
    /// From memory.
    fn load(from: &Self::Cells) -> Self;
    /// To memory.
    fn store(self, to: &mut Self::Cells);
    /// `self + b`.
    fn add(self, b: Self) -> Self;
    /// `self - b`.
    fn sub(self, b: Self) -> Self;
    /// `self * b + c`.
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// The larger of each.
    fn max(self, b: Self) -> Self;
    /// The sum of the lanes.
    fn sum(self) -> f32;
    /// The largest of the lanes.
    fn largest(self) -> f32;
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
    type Cells = [f32; 8];
    const WIDTH: usize = 8;
    const MANY: bool = false;

    #[inline(always)]
    fn cells(list: &[f32]) -> &[[f32; 8]] {
        list.as_chunks().0
    }

    #[inline(always)]
    fn cells_mut(list: &mut [f32]) -> &mut [[f32; 8]] {
        list.as_chunks_mut().0
    }

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
    fn sum(self) -> f32 {
        self.0.iter().sum()
    }

    #[inline(always)]
    fn largest(self) -> f32 {
        self.0.iter().fold(f32::MIN, |a, &b| a.max(b))
    }

    #[inline(always)]
    fn fetch(_line: &[f32; 16]) {}
}

#[cfg(target_arch = "x86_64")]
pub use x86::{Avx, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Lanes;
    use std::arch::x86_64::{
        __m256, __m512, _MM_HINT_T0, _mm_prefetch, _mm256_add_ps, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_max_ps,
        _mm256_set1_ps, _mm256_storeu_ps, _mm256_sub_ps, _mm512_add_ps, _mm512_fmadd_ps, _mm512_loadu_ps,
        _mm512_max_ps, _mm512_set1_ps, _mm512_storeu_ps, _mm512_sub_ps,
    };

    /// Lanes by the intrinsics of an instruction set.
    macro_rules! lanes {
        ($name:ident, $width:literal, $many:literal, $splat:ident, $load:ident, $store:ident, $add:ident,
            $sub:ident, $mul_add:ident, $max:ident) => {
            // SAFETY of all below: only code that runs under the kernel of these lanes makes them, so the processor has the
            // instructions; arrays are read and written in full.
            impl Lanes for $name {
                type Cells = [f32; $width];
                const WIDTH: usize = $width;
                const MANY: bool = $many;

                #[inline(always)]
                fn cells(list: &[f32]) -> &[[f32; $width]] {
                    list.as_chunks().0
                }

                #[inline(always)]
                fn cells_mut(list: &mut [f32]) -> &mut [[f32; $width]] {
                    list.as_chunks_mut().0
                }

                #[inline(always)]
                fn splat(x: f32) -> Self {
                    // SAFETY: see above.
                    Self(unsafe { $splat(x) })
                }

                #[inline(always)]
                fn load(from: &[f32; $width]) -> Self {
                    // SAFETY: see above.
                    Self(unsafe { $load(from.as_ptr()) })
                }

                #[inline(always)]
                fn store(self, to: &mut [f32; $width]) {
                    // SAFETY: see above.
                    unsafe { $store(to.as_mut_ptr(), self.0) }
                }

                #[inline(always)]
                fn add(self, b: Self) -> Self {
                    // SAFETY: see above.
                    Self(unsafe { $add(self.0, b.0) })
                }

                #[inline(always)]
                fn sub(self, b: Self) -> Self {
                    // SAFETY: see above.
                    Self(unsafe { $sub(self.0, b.0) })
                }

                #[inline(always)]
                fn mul_add(self, b: Self, c: Self) -> Self {
                    // SAFETY: see above.
                    Self(unsafe { $mul_add(self.0, b.0, c.0) })
                }

                #[inline(always)]
                fn max(self, b: Self) -> Self {
                    // SAFETY: see above.
                    Self(unsafe { $max(self.0, b.0) })
                }

                #[inline(always)]
                fn sum(self) -> f32 {
                    let mut parts = [0.0; $width];
                    self.store(&mut parts);
                    halve(&mut parts, |a, b| a + b)
                }

                #[inline(always)]
                fn largest(self) -> f32 {
                    let mut parts = [0.0; $width];
                    self.store(&mut parts);
                    halve(&mut parts, f32::max)
                }

                #[inline(always)]
                fn fetch(line: &[f32; 16]) {
                    // SAFETY: see above; a prefetch reads nothing.
                    unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) }
                }
            }
        };
    }

    /// Joins the second half of the numbers, a power of two of them, to the first until one is left.
    #[inline(always)]
    fn halve<const N: usize>(parts: &mut [f32; N], join: impl Fn(f32, f32) -> f32) -> f32 {
        let mut half = N / 2;
        while half > 0 {
            for i in 0..half {
                parts[i] = join(parts[i], parts[i + half]);
            }
            half /= 2;
        }
        parts[0]
    }

    /// Lanes of AVX2. Only code that runs under [`super::Simd::Avx2`] makes them.
    #[derive(Clone, Copy)]
    pub struct Avx(__m256);

    /// Lanes of AVX-512. Only code that runs under [`super::Simd::Avx512`] makes them.
    #[derive(Clone, Copy)]
    pub struct Avx512(__m512);

    lanes!(
        Avx,
        8,
        false,
        _mm256_set1_ps,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_add_ps,
        _mm256_sub_ps,
        _mm256_fmadd_ps,
        _mm256_max_ps
    );
    lanes!(
        Avx512,
        16,
        true,
        _mm512_set1_ps,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_add_ps,
        _mm512_sub_ps,
        _mm512_fmadd_ps,
        _mm512_max_ps
    );
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
