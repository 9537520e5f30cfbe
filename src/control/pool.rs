//! A pool of parked threads that each run one job at a time.

use crate::util::pages::room_for;
use crate::util::sync::{Builder, JoinHandle, Receiver, Sender, channel};

type Job = Box<dyn FnOnce() + Send>;

struct Thread {
    jobs: Option<Sender<Job>>,
    done: Receiver<()>,
    busy: bool,
    handle: Option<JoinHandle<()>>,
}

/// Threads that live as long as the pool. A job that panics ends alone: its thread goes on.
pub struct Pool {
    threads: Vec<Thread>,
}

/// A search recurses once a ply and holds its frames on the stack.
const STACK: usize = 16 << 20;

impl Pool {
    /// A pool of `n` threads.
    ///
    /// # Errors
    /// When the system has no room for all of them; none is left then.
    pub fn new(n: usize) -> std::io::Result<Self> {
        let mut threads = Vec::with_capacity(n);
        for i in 0..n {
            let (jobs, inbox) = channel::<Job>();
            let (tell, done) = channel();
            let body = move || {
                let _ = tell.send(());
                for job in inbox {
                    // The job itself answers for its failure; the thread must survive it.
                    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
                    if tell.send(()).is_err() {
                        break;
                    }
                }
            };
            // A starting thread allocates more than its stack, and ends the process where it cannot. So there is room
            // before each starts, and it has started (its first message) before the next one asks.
            room_for(STACK)?;
            let handle = Builder::new()
                .name(format!("search-{i}"))
                .stack_size(STACK)
                .spawn(body)?;
            let _ = done.recv();
            threads.push(Thread {
                jobs: Some(jobs),
                done,
                busy: false,
                handle: Some(handle),
            });
        }
        Ok(Self { threads })
    }

    /// How many threads there are.
    pub fn len(&self) -> usize {
        self.threads.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.threads.is_empty()
    }

    /// Hands thread `i` a job, after its former one has ended.
    pub fn run(&mut self, i: usize, job: impl FnOnce() + Send + 'static) {
        self.wait_for(i);
        let thread = &mut self.threads[i];
        if let Some(jobs) = &thread.jobs {
            thread.busy = jobs.send(Box::new(job)).is_ok();
        }
    }

    /// Waits until all jobs have ended.
    pub fn wait(&mut self) {
        for i in 0..self.threads.len() {
            self.wait_for(i);
        }
    }

    fn wait_for(&mut self, i: usize) {
        let thread = &mut self.threads[i];
        if thread.busy {
            // An error means that the thread is gone, and with it the job.
            let _ = thread.done.recv();
            thread.busy = false;
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        for thread in &mut self.threads {
            thread.jobs = None;
            if let Some(handle) = thread.handle.take() {
                let _ = handle.join();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Pool;
    use crate::util::sync::{AtomicU64, under_many_schedules};
    use std::sync::Arc;
    use std::sync::atomic::Ordering::Relaxed;

    /// Jobs run one after another on their thread, whatever became of the former one, and none is left when the pool is gone.
    #[test]
    fn every_job_runs_once_and_in_order() {
        under_many_schedules(if cfg!(miri) { 1 } else { 100 }, || {
            const ROUNDS: u64 = 3;
            let counts = Arc::new([AtomicU64::new(0), AtomicU64::new(0)]);
            let mut pool = Pool::new(2).expect("two threads");
            for n in 0..ROUNDS {
                for i in 0..pool.len() {
                    let counts = counts.clone();
                    pool.run(i, move || {
                        assert_eq!(counts[i].fetch_add(1, Relaxed), n);
                        // As a panic, but without its message.
                        std::panic::resume_unwind(Box::new(()));
                    });
                }
            }
            pool.wait();
            assert_eq!(counts.each_ref().map(|c| c.load(Relaxed)), [ROUNDS; 2]);
            let last = counts.clone();
            pool.run(0, move || _ = last[0].fetch_add(1, Relaxed));
            drop(pool);
            assert_eq!(counts[0].load(Relaxed), ROUNDS + 1);
        });
    }
}
