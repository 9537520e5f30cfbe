//! What the processor can do, by CPUID at run time, and which of the kernels that are compiled in run on it.

/// Vendor, family and the features that a choice depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Processor {
    /// The vendor's twelve letters.
    pub vendor: [u8; 12],
    /// The display family: 0x17 is AMD's Zen 1 and 2.
    pub family: u32,
    /// Whether it has BMI1 and BMI2, and so PEXT.
    pub bmi2: bool,
}

impl Processor {
    /// The one that this program runs on; none on other architectures than x86-64, and under Miri, which has no CPUID.
    pub fn here() -> Option<Self> {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        return Some(x86::here());
        #[cfg(any(not(target_arch = "x86_64"), miri))]
        None
    }

    /// Whether PEXT is there and faster than a multiplication. AMD family 17h (Zen 1 and 2) and its copy by Hygon, family 18h,
    /// run it in microcode, in up to 300 cycles.
    pub fn has_fast_pext(&self) -> bool {
        let microcoded = match &self.vendor {
            b"AuthenticAMD" => self.family <= 0x17,
            b"HygonGenuine" => self.family <= 0x18,
            _ => false,
        };
        self.bmi2 && !microcoded
    }
}

/// The display family of leaf 1's EAX: the extended family counts only beside the base family 15.
pub const fn family(eax: u32) -> u32 {
    let base = eax >> 8 & 15;
    if base == 15 { base + (eax >> 20 & 255) } else { base }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod x86 {
    use super::Processor;
    use std::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv, CpuidResult};

    /// Leaf 7, or nothing set where there is none.
    fn leaf7() -> CpuidResult {
        if __cpuid(0).eax >= 7 {
            __cpuid_count(7, 0)
        } else {
            CpuidResult {
                eax: 0,
                ebx: 0,
                ecx: 0,
                edx: 0,
            }
        }
    }

    pub fn here() -> Processor {
        let id = __cpuid(0);
        let mut vendor = [0; 12];
        for (part, word) in vendor.chunks_exact_mut(4).zip([id.ebx, id.edx, id.ecx]) {
            part.copy_from_slice(&word.to_le_bytes());
        }
        Processor {
            vendor,
            family: super::family(__cpuid(1).eax),
            bmi2: leaf7().ebx & (1 << 3 | 1 << 8) == (1 << 3 | 1 << 8),
        }
    }

    /// The first instruction set that this build was compiled with and that the processor, or the system, lacks.
    #[inline(never)]
    pub fn lacking() -> Option<&'static str> {
        let (basic, more, extended) = (__cpuid(1), leaf7(), __cpuid(0x8000_0001));
        // `is_x86_feature_detected` answers at compile time where the build assumes the feature.
        macro_rules! first_missing {
            ($($feature:literal $name:literal $word:expr, $bit:literal;)*) => {
                $(if cfg!(target_feature = $feature) && $word >> $bit & 1 == 0 {
                    return Some($name);
                })*
            };
        }
        first_missing! {
            "sse3" "SSE3" basic.ecx, 0;
            "ssse3" "SSSE3" basic.ecx, 9;
            "sse4.1" "SSE4.1" basic.ecx, 19;
            "sse4.2" "SSE4.2" basic.ecx, 20;
            "popcnt" "POPCNT" basic.ecx, 23;
            "avx" "AVX" basic.ecx, 28;
            "avx" "the registers of AVX (the system does not save them)" basic.ecx, 27;
            "f16c" "F16C" basic.ecx, 29;
            "movbe" "MOVBE" basic.ecx, 22;
            "fma" "FMA" basic.ecx, 12;
            "bmi1" "BMI1" more.ebx, 3;
            "bmi2" "BMI2" more.ebx, 8;
            "avx2" "AVX2" more.ebx, 5;
            "lzcnt" "LZCNT" extended.ecx, 5;
            "avx512f" "AVX-512F" more.ebx, 16;
            "avx512bw" "AVX-512BW" more.ebx, 30;
            "avx512vl" "AVX-512VL" more.ebx, 31;
        }
        if cfg!(target_feature = "avx") {
            // SAFETY: the processor has OSXSAVE, as seen above, and with it XGETBV.
            let saved = unsafe { saved_registers() };
            let wanted = if cfg!(target_feature = "avx512f") { 0xe6 } else { 6 };
            if saved & wanted != wanted {
                return Some("the registers of AVX (the system does not save them)");
            }
        }
        None
    }

    /// Which registers the system saves.
    #[target_feature(enable = "xsave")]
    unsafe fn saved_registers() -> u64 {
        // SAFETY: the caller has seen OSXSAVE.
        unsafe { _xgetbv(0) }
    }
}

/// Whether this processor runs the second copy of a universal program: it has x86-64-v3 and a fast PEXT.
pub fn is_modern() -> bool {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    return is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("f16c")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("movbe")
        && x86::here().has_fast_pext();
    #[cfg(any(not(target_arch = "x86_64"), miri))]
    false
}

/// What a program begins with: [`require_baseline`](crate::util::cpu::require_baseline), then in a universal build
/// (`dist/twice.rs`) the program's copy for modern processors where this is one.
#[macro_export]
macro_rules! start {
    ($program:literal) => {
        $crate::util::cpu::require_baseline($program);
        #[cfg(universal)]
        if $crate::util::cpu::is_modern() {
            return modern::main();
        }
    };
}

/// Ends the program with one line and status 1 on a processor that lacks instructions of this build, before the first of
/// them is met. Programs call it first.
pub fn require_baseline(program: &str) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if let Some(what) = x86::lacking() {
        use std::io::Write;
        let mut out = std::io::stderr().lock();
        for part in [
            program,
            ": this build needs a processor with ",
            what,
            ", which this one lacks",
        ] {
            let _ = out.write_all(part.as_bytes());
        }
        let _ = out.write_all(b"\n");
        std::process::exit(1);
    }
    #[cfg(any(not(target_arch = "x86_64"), miri))]
    let _ = program;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn family_is_read_as_the_manuals_say() {
        // EAX of leaf 1: Zen 1 (Ryzen 7 1800X), Zen 2 (EPYC 7742), Zen 3 (EPYC 7763), Zen 5, Haswell, Excavator.
        for (eax, expected) in [
            (0x0080_0f11, 0x17),
            (0x0083_0f10, 0x17),
            (0x00a0_0f11, 0x19),
            (0x00b0_0f21, 0x1a),
            (0x0003_06c3, 6),
            (0x0066_0f51, 0x15),
        ] {
            assert_eq!(family(eax), expected, "{eax:#x}");
        }
    }

    #[test]
    fn pext_is_slow_on_zen_1_and_2_only() {
        let of = |vendor: &[u8; 12], family, bmi2| Processor {
            vendor: *vendor,
            family,
            bmi2,
        };
        for (processor, fast) in [
            (of(b"AuthenticAMD", 0x17, true), false),
            (of(b"AuthenticAMD", 0x15, true), false),
            (of(b"HygonGenuine", 0x18, true), false),
            (of(b"AuthenticAMD", 0x19, true), true),
            (of(b"AuthenticAMD", 0x1a, true), true),
            (of(b"GenuineIntel", 6, true), true),
            (of(b"GenuineIntel", 0x17, true), true),
            (of(b"GenuineIntel", 6, false), false),
        ] {
            assert_eq!(processor.has_fast_pext(), fast, "{processor:?}");
        }
    }

    #[test]
    fn this_processor_is_read() {
        let here = Processor::here();
        assert_eq!(here.is_some(), cfg!(all(target_arch = "x86_64", not(miri))));
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        {
            let both = is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("bmi2");
            assert_eq!(here.is_some_and(|p| p.bmi2), both);
            assert!(here.is_some_and(|p| p.family >= 6 && p.vendor.is_ascii()));
            // The tests run, so nothing lacks.
            assert_eq!(x86::lacking(), None);
        }
    }
}
