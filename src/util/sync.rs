//! The threads, locks and channels of code whose interleavings are tested: those of std, and in unit tests built with
//! `--cfg shuttle` those of the crate shuttle, which chooses the schedule itself and fails where no thread can go on.

#[cfg(not(all(test, shuttle)))]
pub use std::{
    sync::{
        Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64},
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread::{Builder, JoinHandle, scope, spawn, yield_now},
};

#[cfg(all(test, shuttle))]
pub use shuttle::{
    sync::{
        Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64},
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread::{Builder, JoinHandle, scope, spawn, yield_now},
};

/// Runs a test `rounds` times as the system schedules it or, with `--cfg shuttle`, under 20,000 schedules: half of them
/// random, half by probabilistic concurrency testing (S. Burckhardt et al., "A randomized scheduler with probabilistic
/// guarantees of finding bugs", 2010), which finds faults of up to three ordering constraints more often.
#[cfg(test)]
pub fn under_many_schedules(rounds: usize, test: impl Fn() + Send + Sync + 'static) {
    #[cfg(not(shuttle))]
    for _ in 0..rounds {
        test();
    }
    #[cfg(shuttle)]
    {
        let _ = rounds;
        let test = std::sync::Arc::new(test);
        let again = test.clone();
        shuttle::check_random(move || test(), 10_000);
        shuttle::check_pct(move || again(), 10_000, 3);
    }
}
