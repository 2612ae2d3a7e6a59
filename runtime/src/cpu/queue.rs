//! Streams of the host: each a thread that does what is queued, in order.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use crate::device::DeviceError;

/// Something to do.
pub type Work = Box<dyn FnOnce() -> Result<(), DeviceError> + Send>;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every update is whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The first thing that went wrong. Nothing runs after it.
#[derive(Default)]
pub struct Failure(Mutex<Option<DeviceError>>);

impl Failure {
    /// What went wrong.
    ///
    /// # Errors
    /// That.
    pub fn check(&self) -> Result<(), DeviceError> {
        lock(&self.0).clone().map_or(Ok(()), Err)
    }

    fn set(&self, error: DeviceError) {
        lock(&self.0).get_or_insert(error);
    }
}

#[derive(Default)]
struct Queued {
    work: VecDeque<Work>,
    /// How much was queued, and how much of it is done.
    issued: u64,
    done: u64,
    ends: bool,
}

#[derive(Default)]
struct Shared {
    queued: Mutex<Queued>,
    changed: Condvar,
}

/// A stream. Dropping it waits for what is queued.
pub struct Queue {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Queue {
    /// An empty one.
    ///
    /// # Errors
    /// [`DeviceError::Invalid`] when the system has no more threads.
    pub fn new(failure: &Arc<Failure>) -> Result<Queue, DeviceError> {
        let shared = Arc::<Shared>::default();
        let (theirs, failure) = (Arc::clone(&shared), Arc::clone(failure));
        let thread = std::thread::Builder::new()
            .name("terrace-stream".to_string())
            .spawn(move || work(&theirs, &failure))
            .map_err(|e| DeviceError::Invalid {
                operation: "create a stream".to_string(),
                problem: e.to_string(),
            })?;
        Ok(Queue {
            shared,
            thread: Some(thread),
        })
    }

    /// Adds something to do.
    pub fn push(&self, work: Work) {
        let mut queued = lock(&self.shared.queued);
        queued.work.push_back(work);
        queued.issued += 1;
        self.shared.changed.notify_all();
    }

    /// Waits for what is queued now.
    pub fn wait(&self) {
        let mut queued = lock(&self.shared.queued);
        let until = queued.issued;
        while queued.done < until {
            let changed = self.shared.changed.wait(queued);
            queued = changed.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Whether all is done.
    pub fn is_idle(&self) -> bool {
        let queued = lock(&self.shared.queued);
        queued.done == queued.issued
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        lock(&self.shared.queued).ends = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // Its panics are caught where they happen.
            let _ = thread.join();
        }
    }
}

/// What a stream's thread does. After a failure the rest is taken out without being done,
/// so that nobody waits for ever.
fn work(shared: &Shared, failure: &Failure) {
    loop {
        let mut queued = lock(&shared.queued);
        let next = loop {
            match queued.work.pop_front() {
                Some(next) => break next,
                None if queued.ends => return,
                None => {
                    let changed = shared.changed.wait(queued);
                    queued = changed.unwrap_or_else(PoisonError::into_inner);
                }
            }
        };
        drop(queued);
        if failure.check().is_ok() {
            let ran = std::panic::catch_unwind(std::panic::AssertUnwindSafe(next));
            match ran {
                Ok(Ok(())) => {}
                Ok(Err(error)) => failure.set(error),
                Err(_) => failure.set(DeviceError::Invalid {
                    operation: "do queued work".to_string(),
                    problem: "it panicked".to_string(),
                }),
            }
        }
        lock(&shared.queued).done += 1;
        shared.changed.notify_all();
    }
}

#[derive(Default)]
struct Happened {
    /// How often it was recorded, and how many of these have happened.
    recorded: u64,
    reached: u64,
    at: Option<Instant>,
}

/// A moment in a stream.
#[derive(Default)]
pub struct Event {
    happened: Mutex<Happened>,
    changed: Condvar,
}

impl Event {
    /// Records it; what is given has to be told [`Event::reach`] by the stream.
    pub fn record(&self) -> u64 {
        let mut happened = lock(&self.happened);
        happened.recorded += 1;
        happened.recorded
    }

    /// It happens now.
    pub fn reach(&self, number: u64) {
        let mut happened = lock(&self.happened);
        // Streams may reach two records of one event in any order.
        if number > happened.reached {
            happened.reached = number;
            happened.at = Some(Instant::now());
        }
        self.changed.notify_all();
    }

    /// The last record.
    pub fn last(&self) -> u64 {
        lock(&self.happened).recorded
    }

    /// Waits until a record has happened; not for ever where it never will.
    pub fn wait(&self, number: u64, failure: &Failure) {
        let mut happened = lock(&self.happened);
        while happened.reached < number && failure.check().is_ok() {
            let again = std::time::Duration::from_millis(20);
            let changed = self.changed.wait_timeout(happened, again);
            happened = changed.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// When it happened last.
    pub fn time(&self) -> Option<Instant> {
        lock(&self.happened).at
    }
}
