//! Zeroed memory on large pages, for tables that are read at random: most such reads would otherwise wait for a walk
//! through the page tables first.

use memmap2::{MmapMut, MmapRaw};
use std::io;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// What a large page holds, in bytes.
const LARGE: usize = 2 << 20;

/// Types that may lie in fresh pages.
///
/// # Safety
/// All zero bytes are a value of the type, it wants no more than a page's alignment, and it needs no dropping.
pub unsafe trait Plain {}

/// A slice of values that start as zero bytes, on large pages where the system has them.
pub struct Pages<T: Plain> {
    /// Mapped raw: a reference to its bytes, even one that lives for no more than a line, would say that nobody writes to them.
    map: MmapRaw,
    /// Bytes before the first value, which begins a large page.
    start: usize,
    len: usize,
    kind: PhantomData<T>,
}

impl<T: Plain> Pages<T> {
    /// Room for `len` values. No memory is taken before it is touched.
    ///
    /// # Errors
    /// When the system has no such room.
    pub fn new(len: usize) -> io::Result<Self> {
        let bytes = len
            .checked_mul(size_of::<T>())
            .and_then(|n| n.checked_add(LARGE))
            .ok_or(io::ErrorKind::OutOfMemory)?;
        let map = MmapRaw::from(MmapMut::map_anon(bytes)?);
        // Where large pages are not to be had, small ones do.
        #[cfg(all(target_os = "linux", not(miri)))]
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Self {
            start: map.as_ptr().align_offset(LARGE).min(LARGE),
            map,
            len,
            kind: PhantomData,
        })
    }

    /// Asks the system for the memory of one part (64 MB); values stay as they are. False behind the last part, and where
    /// the system has no such request: memory then comes when it is touched.
    pub fn populate(&self, part: usize) -> bool {
        const PART: usize = 64 << 20;
        let from = part.saturating_mul(PART);
        if from >= self.map.len() {
            return false;
        }
        #[cfg(all(target_os = "linux", not(miri)))]
        let done = {
            let length = PART.min(self.map.len() - from);
            self.map
                .advise_range(memmap2::Advice::PopulateWrite, from, length)
                .is_ok()
        };
        #[cfg(any(not(target_os = "linux"), miri))]
        let done = false;
        done
    }
}

impl<T: Plain> Deref for Pages<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: `new` mapped `len` values behind `start`, at most `LARGE` bytes in; zeros or values written since are
        // of type `T`, as `Plain` promises.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr().add(self.start).cast(), self.len) }
    }
}

impl<T: Plain> DerefMut for Pages<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`, and the map is borrowed for writing.
        unsafe { std::slice::from_raw_parts_mut(self.map.as_mut_ptr().add(self.start).cast(), self.len) }
    }
}

/// Asks the system whether it would give `bytes` more and a few megabytes besides, and takes nothing.
///
/// The standard library ends the process when a container or a new thread gets no memory. A caller that asks first can
/// refuse in a line instead.
///
/// # Errors
/// When it would not.
pub fn room_for(bytes: usize) -> io::Result<()> {
    /// For the small things around what is asked for.
    const SPARE: usize = 8 << 20;
    MmapMut::map_anon(bytes.saturating_add(SPARE)).map(drop)
}

/// Asks the processor to bring a value near.
#[inline]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: prefetching has no effect on memory, and the address is that of a live value.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    // SAFETY: a number of an atomic type has the bytes of the number.
    unsafe impl Plain for AtomicU64 {}

    #[test]
    fn room_is_zeroed_and_keeps_what_is_written() {
        let mut pages = Pages::<AtomicU64>::new(700_001).expect("5 MB");
        assert_eq!(pages.len(), 700_001);
        assert_eq!(pages.as_ptr() as usize % LARGE, 0);
        assert!(pages.iter().all(|n| n.load(Relaxed) == 0));
        pages[700_000].store(7, Relaxed);
        *pages[0].get_mut() = 5;
        assert_eq!([0, 1, 700_000].map(|i| pages[i].load(Relaxed)), [5, 0, 7]);
        assert!(Pages::<AtomicU64>::new(0).expect("nothing").is_empty());
        pages.populate(0);
        assert_eq!([0, 1, 700_000].map(|i| pages[i].load(Relaxed)), [5, 0, 7]);
        assert!(!pages.populate(1) && !pages.populate(usize::MAX));
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri gives up where memory ends")]
    fn too_much_is_an_error() {
        assert!(Pages::<AtomicU64>::new(usize::MAX / 4).is_err());
        assert!(Pages::<AtomicU64>::new(usize::MAX / 64).is_err());
        assert!(room_for(usize::MAX / 64).is_err() && room_for(1 << 20).is_ok());
    }
}
