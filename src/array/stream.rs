//! Calls that nobody waits for yet.
//!
//! ```
//! # use terrace::array::{Context, sum};
//! # let cx = Context::cpu();
//! let (x, y) = (cx.vector(&[1.0, 2.0])?, cx.zeros::<f64>(&[2])?);
//! let stream = cx.stream()?;
//! stream.assign((y.to(2.0 * &x),));                  // these come back at once
//! stream.assign((x.to(&x + &y),));
//! stream.wait()?;                                    // errors of both come out here
//! assert_eq!(cx.reduce(sum(&x))?, 9.0);
//! # Ok::<(), terrace::array::ArrayError>(())
//! ```
//!
//! A stream does its calls one after the other, in a thread of its own. Streams do theirs side by
//! side, and [`Stream::after`] orders them. Kernels hold the locks of their arrays, as from any
//! threads, so that none sees half of what another one writes.

use super::assign::Assignments;
use super::context::Context;
use super::error::ArrayError;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// How many calls wait in a stream before the next one waits to get in.
const MOST: usize = 1024;

type Call = Box<dyn FnOnce() -> Result<(), ArrayError> + Send>;

/// How far a stream is.
#[derive(Default)]
struct State {
    given: u64,
    done: u64,
    /// The first error that no wait has told.
    error: Option<ArrayError>,
}

#[derive(Default)]
struct Progress {
    state: Mutex<State>,
    changed: Condvar,
}

impl Progress {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until so many calls are done.
    fn reached(&self, count: u64) -> MutexGuard<'_, State> {
        let waits = |s: &mut State| s.done < count;
        let state = self.changed.wait_while(self.state(), waits);
        state.unwrap_or_else(PoisonError::into_inner)
    }

    /// Does a call, unless one before it failed.
    fn run(&self, call: Call) {
        let failed = self.state().error.is_some();
        let result = match failed {
            true => Ok(()),
            false => catch_unwind(AssertUnwindSafe(call))
                .unwrap_or_else(|_| Err(ArrayError::Device("a call of a stream panicked".into()))),
        };
        let mut state = self.state();
        if let (Err(e), None) = (result, &state.error) {
            state.error = Some(e);
        }
        state.done += 1;
        self.changed.notify_all();
    }
}

/// Calls in order. Those behind one that fails are not done, until [`Stream::wait`] has told why.
///
/// Whoever reads an array waits first: a read sees what calls have done so far. A stream that is
/// dropped finishes its calls.
pub struct Stream {
    context: Context,
    progress: Arc<Progress>,
    calls: Option<SyncSender<Call>>,
    thread: Option<JoinHandle<()>>,
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.progress.state();
        f.debug_struct("Stream")
            .field("given", &state.given)
            .field("done", &state.done)
            .finish_non_exhaustive()
    }
}

impl Context {
    /// A stream of calls.
    ///
    /// # Errors
    ///
    /// The system starts no thread.
    pub fn stream(&self) -> Result<Stream, ArrayError> {
        let progress = Arc::<Progress>::default();
        let (calls, all) = sync_channel::<Call>(MOST);
        let own = Arc::clone(&progress);
        let work = move || all.into_iter().for_each(|call| own.run(call));
        let thread = std::thread::Builder::new().name("terrace-stream".to_string());
        let thread = thread.spawn(work).map_err(|e| {
            ArrayError::Device(format!("could not start the thread of a stream: {e}"))
        })?;
        Ok(Stream {
            context: self.clone(),
            progress,
            calls: Some(calls),
            thread: Some(thread),
        })
    }
}

impl Stream {
    /// Does something when all calls before it are done, as [`Array::sort`](super::Array::sort). It
    /// comes back at once, but where very many calls wait.
    pub fn call(&self, call: impl FnOnce() -> Result<(), ArrayError> + Send + 'static) {
        if let Some(calls) = &self.calls {
            self.progress.state().given += 1;
            // The thread takes calls until the stream is dropped.
            if calls.send(Box::new(call)).is_err() {
                self.progress.run(Box::new(|| {
                    Err(ArrayError::Device(
                        "a fault of terrace's own: the thread of a stream is gone".into(),
                    ))
                }));
            }
        }
    }

    /// As [`Context::assign`], when all calls before it are done.
    pub fn assign(&self, all: impl Assignments) {
        let (context, all) = (self.context.clone(), all.list());
        self.call(move || context.assign(all));
    }

    /// What is called from here on is done behind all that the other stream was given so far.
    pub fn after(&self, other: &Stream) {
        let progress = Arc::clone(&other.progress);
        let count = progress.state().given;
        self.call(move || {
            drop(progress.reached(count));
            Ok(())
        });
    }

    /// Waits until all calls are done.
    ///
    /// # Errors
    ///
    /// The first one of those since the last time. Calls behind it were not done.
    pub fn wait(&self) -> Result<(), ArrayError> {
        let count = self.progress.state().given;
        match self.progress.reached(count).error.take() {
            Some(e) => Err(e),
            None => Ok(()),
        }
    }

    /// Whether all calls are done.
    pub fn is_done(&self) -> bool {
        let state = self.progress.state();
        state.done == state.given
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        drop(self.calls.take());
        if let Some(thread) = self.thread.take() {
            // It catches what its calls panic with.
            let _ = thread.join();
        }
    }
}
