//! Stop and ponder signals, and the clock's zero, shared by the threads of a search and its owner.

use super::clock::Budget;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What the owner of a search and its threads tell each other.
#[derive(Debug)]
pub struct Signal {
    stop: AtomicBool,
    ponder: AtomicBool,
    base: Instant,
    /// Microseconds from `base` to the moment from which the clock counts.
    origin: AtomicU64,
    /// The time that came with a ponder hit.
    late: Mutex<Option<Budget>>,
    nap: Mutex<()>,
    wake: Condvar,
}

impl Default for Signal {
    fn default() -> Self {
        Self {
            stop: AtomicBool::new(true),
            ponder: AtomicBool::new(false),
            base: Instant::now(),
            origin: AtomicU64::new(0),
            late: Mutex::new(None),
            nap: Mutex::new(()),
            wake: Condvar::new(),
        }
    }
}

impl Signal {
    /// A search begins; its clock counts from `start`.
    pub fn begin(&self, start: Instant, ponder: bool) {
        self.set_origin(start);
        *self.late.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.ponder.store(ponder, Relaxed);
        self.stop.store(false, Relaxed);
    }

    /// Ends the search.
    pub fn stop(&self) {
        // The lock orders the store before the sleeper's check, so that no wake-up is lost.
        let _guard = self.nap.lock().unwrap_or_else(PoisonError::into_inner);
        self.stop.store(true, Relaxed);
        self.ponder.store(false, Relaxed);
        self.wake.notify_all();
    }

    /// The opponent played the expected move: the clock starts now.
    pub fn ponderhit(&self) {
        let _guard = self.nap.lock().unwrap_or_else(PoisonError::into_inner);
        self.set_origin(Instant::now());
        self.ponder.store(false, Relaxed);
        self.wake.notify_all();
    }

    /// A ponder hit that brings the time for the move.
    pub fn ponderhit_with(&self, budget: Option<Budget>) {
        *self.late.lock().unwrap_or_else(PoisonError::into_inner) = budget;
        self.ponderhit();
    }

    /// The time that came with the ponder hit, if it did.
    pub fn late_budget(&self) -> Option<Budget> {
        *self.late.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the search has to end.
    #[inline]
    pub fn stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Whether it is still the opponent's time.
    #[inline]
    pub fn pondering(&self) -> bool {
        self.ponder.load(Relaxed)
    }

    /// Time on the clock of this move.
    pub fn elapsed(&self) -> Duration {
        self.base
            .elapsed()
            .saturating_sub(Duration::from_micros(self.origin.load(Relaxed)))
    }

    /// Sleeps until stopped or, when `infinite` is false, until no longer pondering: an answer in an infinite search or
    /// on the opponent's time waits for its word.
    pub fn await_release(&self, infinite: bool) {
        let mut guard = self.nap.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.stopped() && (infinite || self.pondering()) {
            guard = self.wake.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn set_origin(&self, at: Instant) {
        let micros = at.saturating_duration_since(self.base).as_micros();
        self.origin.store(u64::try_from(micros).unwrap_or(u64::MAX), Relaxed);
    }
}
