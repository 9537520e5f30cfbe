//! Stop and ponder signals, and the clock's zero, shared by the threads of a search and its owner.

use super::clock::Budget;
use crate::util::sync::{AtomicBool, AtomicU64, Condvar, Mutex, PoisonError};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// A longer gap means that the machine was suspended, and says nothing of the next move's delay.
const MOST_LATENESS: Duration = Duration::from_millis(200);

/// The last search has not answered, or ran without a clock.
const UNANSWERED: u64 = u64::MAX;

/// The flags and the clock that the owner of a search shares with its threads.
#[derive(Debug)]
pub struct Signal {
    stop: AtomicBool,
    ponder: AtomicBool,
    base: Instant,
    /// Microseconds from `base` to the moment from which the clock counts.
    origin: AtomicU64,
    /// Microseconds by which answers came, or may have come, after the moment that was planned.
    lateness: AtomicU64,
    /// Microseconds that the last search took until its answer, or [`UNANSWERED`].
    spent: AtomicU64,
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
            lateness: AtomicU64::new(0),
            spent: AtomicU64::new(UNANSWERED),
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
        self.spent.store(UNANSWERED, Relaxed);
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

    /// Notes that a thread which watches the clock saw it so late, or that an answer came so late. One answer in time takes
    /// little of it back, so that the margin outlasts the load that called for it.
    pub fn note_lateness(&self, by: Duration) {
        let by = u64::try_from(by.min(MOST_LATENESS).as_micros()).unwrap_or(0);
        self.lateness.fetch_max(by, Relaxed);
    }

    /// Notes the end of a search that should have ended before `hard`.
    pub fn note_answer(&self, hard: Duration) {
        let former = self.lateness.load(Relaxed);
        self.lateness.store(former - former / 16, Relaxed);
        let spent = self.elapsed();
        self.note_lateness(spent.saturating_sub(hard));
        self.spent
            .store(u64::try_from(spent.as_micros()).unwrap_or(UNANSWERED), Relaxed);
    }

    /// What the last search took until its answer, where that ran on a clock.
    pub fn spent(&self) -> Option<Duration> {
        let spent = self.spent.load(Relaxed);
        (spent != UNANSWERED).then(|| Duration::from_micros(spent))
    }

    /// The margin that this machine needs before the end of a move's time: what it was late by of late.
    pub fn lateness(&self) -> Duration {
        Duration::from_micros(self.lateness.load(Relaxed))
    }

    /// Sleeps until stopped or, when `infinite` is false, until no longer pondering: an answer in an infinite search or
    /// on the opponent's time waits for its word.
    pub fn await_release(&self, infinite: bool) {
        let mut guard = self.nap.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.stopped() && (infinite || self.pondering()) {
            guard = self.wake.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Sleeps until so much time is on the clock of this move, or until stopped.
    pub fn await_elapsed(&self, time: Duration) {
        let mut guard = self.nap.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.stopped() {
            let left = time.saturating_sub(self.elapsed());
            if left.is_zero() {
                return;
            }
            guard = match self.wake.wait_timeout(guard, left) {
                Ok((guard, _)) => guard,
                Err(poison) => poison.into_inner().0,
            };
        }
    }

    fn set_origin(&self, at: Instant) {
        let micros = at.saturating_duration_since(self.base).as_micros();
        self.origin.store(u64::try_from(micros).unwrap_or(u64::MAX), Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::sync::{scope, under_many_schedules};

    #[test]
    fn a_wait_ends_with_its_time_or_with_the_search() {
        let signal = std::sync::Arc::new(Signal::default());
        signal.begin(Instant::now(), false);
        signal.await_elapsed(Duration::from_millis(20));
        assert!(signal.elapsed() >= Duration::from_millis(20));
        let other = signal.clone();
        let stopper = std::thread::spawn(move || other.stop());
        signal.await_elapsed(Duration::from_secs(3600));
        assert!(signal.stopped());
        stopper.join().expect("it stopped the wait");
    }

    /// A lost wake-up would be a search that never answers.
    #[test]
    fn no_wake_up_is_lost() {
        under_many_schedules(if cfg!(miri) { 1 } else { 200 }, || {
            let signal = Signal::default();
            signal.begin(Instant::now(), true);
            scope(|scope| {
                scope.spawn(|| signal.await_release(false));
                scope.spawn(|| signal.await_release(true));
                scope.spawn(|| signal.await_elapsed(Duration::from_secs(3600)));
                signal.ponderhit();
                signal.stop();
            });
            assert!(signal.stopped() && !signal.pondering());
        });
    }

    #[test]
    fn lateness_grows_at_once_and_goes_slowly() {
        let signal = Signal::default();
        signal.begin(Instant::now(), false);
        assert_eq!(signal.lateness(), Duration::ZERO);
        signal.note_lateness(Duration::from_millis(16));
        signal.note_lateness(Duration::from_millis(3));
        assert_eq!(signal.lateness(), Duration::from_millis(16));
        signal.note_answer(Duration::from_secs(3600));
        assert_eq!(signal.lateness(), Duration::from_millis(15));
        // A suspended machine is no reason for the next move to be played in no time.
        signal.note_lateness(Duration::from_secs(7200));
        assert_eq!(signal.lateness(), Duration::from_millis(200));
    }
}
