//! PEXT, and whether attack tables are indexed by it. A build for its own machine knows that when it is compiled (cfg
//! `fast_pext`, see `build.rs`); other builds for x86-64 look at the processor once (cfg `dispatch_pext`) and take one
//! well-predicted branch at each lookup; chess lists its moves by code compiled twice, whole.

#[cfg(dispatch_pext)]
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Whether PEXT is used. Until [`choose`] has run it is not, which is as right and slower.
#[cfg(dispatch_pext)]
static FAST: AtomicBool = AtomicBool::new(false);

/// Looks at the processor. Whoever makes a position calls this.
#[inline]
pub fn choose() {
    #[cfg(dispatch_pext)]
    {
        static LOOKED: std::sync::Once = std::sync::Once::new();
        LOOKED.call_once(|| {
            let fast = crate::util::cpu::Processor::here().is_some_and(|p| p.has_fast_pext());
            FAST.store(fast, Relaxed);
        });
    }
}

/// Whether PEXT is used: a constant but for `dispatch_pext`.
#[inline(always)]
pub fn fast() -> bool {
    #[cfg(dispatch_pext)]
    return FAST.load(Relaxed);
    #[cfg(not(dispatch_pext))]
    return cfg!(fast_pext);
}

/// The bits at the places of `mask`, side by side from the lowest up.
///
/// # Safety
/// The processor must have BMI2.
#[cfg(all(target_arch = "x86_64", any(fast_pext, dispatch_pext, test)))]
#[inline(always)]
pub unsafe fn extract(bits: u64, mask: u64) -> u64 {
    #[cfg(target_feature = "bmi2")]
    // SAFETY: as the caller says.
    return unsafe { std::arch::x86_64::_pext_u64(bits, mask) };
    // The intrinsic would be a call here, as its callers are compiled for processors without it too.
    #[cfg(not(target_feature = "bmi2"))]
    {
        let out: u64;
        // SAFETY: as the caller says; the instruction touches neither memory nor flags.
        unsafe {
            std::arch::asm!(
                "pext {}, {}, {}",
                lateout(reg) out,
                in(reg) bits,
                in(reg) mask,
                options(pure, nomem, nostack, preserves_flags)
            );
        }
        out
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::util::rng::SplitMix;

    #[test]
    fn bits_are_gathered_in_order() {
        if !is_x86_feature_detected!("bmi2") {
            return;
        }
        let mut random = SplitMix::new(3);
        for _ in 0..1000 {
            let (bits, mask) = (random.next(), random.next() & random.next());
            let places = (0..64).filter(|i| mask >> i & 1 != 0);
            let slow = places
                .enumerate()
                .fold(0, |out, (to, from)| out | (bits >> from & 1) << to);
            // SAFETY: the processor has BMI2.
            assert_eq!(unsafe { extract(bits, mask) }, slow);
        }
    }

    #[test]
    fn the_choice_is_the_processors() {
        choose();
        let rule = crate::util::cpu::Processor::here().is_some_and(|p| p.has_fast_pext());
        assert_eq!(
            fast(),
            rule && !cfg!(feature = "magic") && cfg!(any(fast_pext, dispatch_pext))
        );
    }
}
