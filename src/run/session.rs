//! The GPU as compiled host code sees it: functions that allocate, copy and launch.
//!
//! Host code calls them by address. They find their session in thread-local storage,
//! and each names the op it was made for, so that what the driver refuses is reported
//! at the op's place in the source. After the first error the rest does nothing, and
//! the run reports it at its end. The functions are in the files of the folder, by what
//! they do.

mod copies;
mod data;
mod launch;
mod memory;
mod order;

pub use self::launch::{Entry, Kernel};
pub use self::memory::Memory;
use super::streams::Streams;
use crate::runtime::device::{Device, DeviceError, DevicePtr, Timer};
use crate::runtime::profile::{Direction, Event, KernelRun, LaunchWork, Profile};
use crate::runtime::program::abi::SourcePlace;
use crate::runtime::program::present::Table;
use crate::runtime::program::report::Report;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::Arc;

/// Where what is done is said, if a trace is wanted.
pub struct Tracing {
    pub report: &'static Report,
    /// The function that runs.
    pub function: String,
    /// The places of ops, by their numbers.
    pub places: Arc<Vec<SourcePlace>>,
}

impl Tracing {
    fn place(&self, op: u32) -> SourcePlace {
        self.places.get(op as usize).cloned().unwrap_or_default()
    }
}

/// What went wrong, and the number of the op it happened at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionError {
    pub message: String,
    pub op: u32,
}

/// A device with what one run of a program did on it.
pub struct Session {
    device: Arc<dyn Device>,
    memory: Arc<Memory>,
    kernels: Vec<Kernel>,
    /// Sizes of the memory that the program holds.
    live: HashMap<u64, usize>,
    /// Host memory that devices copy fast.
    pinned: HashMap<u64, usize>,
    timer: Timer,
    streams: Streams<Timed>,
    target: &'static str,
    trace: Option<Tracing>,
    /// What data regions hold, and what the program calls its arrays.
    table: Table,
    arrays: Vec<String>,
    pub profile: Profile,
    /// What the next launch does.
    work: Option<LaunchWork>,
    /// The last asynchronous op that was begun, for faults that show at the end.
    last_async: u32,
    error: Option<SessionError>,
}

/// What is noted of an asynchronous op once it is known how long it took.
enum Timed {
    Copy(Direction, u64),
    Kernel(KernelRun),
}

thread_local! {
    static CURRENT: RefCell<Option<Session>> = const { RefCell::new(None) };
}

impl Session {
    /// A session on `device`, called `target` in reports.
    pub fn new(
        device: Arc<dyn Device>,
        memory: Arc<Memory>,
        kernels: Vec<Kernel>,
        target: &'static str,
        trace: Option<Tracing>,
    ) -> Result<Session, DeviceError> {
        let timer = Timer::new(&device)?;
        Ok(Session {
            streams: Streams::new(Arc::clone(&device)),
            pinned: HashMap::new(),
            device,
            memory,
            kernels,
            live: HashMap::new(),
            timer,
            target,
            trace,
            table: Table::default(),
            arrays: Vec::new(),
            profile: Profile::new(),
            work: None,
            last_async: 0,
            error: None,
        })
    }

    /// What the program calls its arrays, by the numbers that data ops hand over.
    pub fn name_arrays(&mut self, names: &[String]) {
        self.arrays = names.to_vec();
    }

    /// A copy of bytes on the device, freed by [`Session::clean_up`]. Until then the
    /// program may use it like memory of its own.
    ///
    /// # Errors
    ///
    /// What the device cannot do; all memory is freed then.
    pub fn place(&mut self, bytes: &[u8]) -> Result<DevicePtr, DeviceError> {
        let placed = self.memory.alloc(bytes.len()).and_then(|ptr| {
            self.live.insert(ptr.0, bytes.len());
            self.device.copy_h2d(ptr, bytes).map(|()| ptr)
        });
        placed.inspect_err(|_| self.clean_up())
    }

    /// Run host code with this session as the one its calls go to. Gives the session
    /// back, and the first error.
    pub fn run<R>(self, f: impl FnOnce() -> R) -> (Option<Session>, R, Option<SessionError>) {
        let named = self.trace.as_ref().map(|t| (t.report, t.function.clone()));
        let _span = named.as_ref().and_then(|(r, name)| r.host(name, ""));
        CURRENT.with(|c| *c.borrow_mut() = Some(self));
        let r = f();
        let session = CURRENT.with(|c| c.borrow_mut().take());
        let (session, error) = match session {
            Some(mut s) => {
                // What the program left under way uses the arrays of whoever called.
                let ended = s.wait_for_all();
                let last = s.last_async;
                let ended = ended.map_err(|e| SessionError {
                    message: text(e),
                    op: last,
                });
                let e = s.error.take().or(ended.err());
                (Some(s), e)
            }
            None => (None, None),
        };
        (session, r, error)
    }

    /// Free what the program did not, after an error.
    pub fn clean_up(&mut self) {
        for ptr in std::mem::take(&mut self.live).into_keys() {
            // A device that has failed cannot free either; the first error counts.
            let _ = self.memory.free(DevicePtr(ptr));
        }
        for ptr in std::mem::take(&mut self.pinned).into_keys() {
            if let Some(ptr) = NonNull::new(ptr as *mut u8) {
                // SAFETY: allocated by this device, once, and the program has ended.
                let _ = unsafe { self.device.free_host(ptr) };
            }
        }
    }
}

impl Session {
    /// Waits for all asynchronous work, and notes how long it took.
    fn wait_for_all(&mut self) -> Result<(), DeviceError> {
        self.streams.wait_all()?;
        self.note_times(true)
    }

    /// Notes how long asynchronous ops took: all, which waits, or those that are long ago.
    fn note_times(&mut self, all: bool) -> Result<(), DeviceError> {
        for (what, microseconds) in self.streams.take_timed(all)? {
            self.profile.record(match what {
                Timed::Copy(direction, bytes) => Event::Copy {
                    direction,
                    bytes,
                    microseconds,
                },
                Timed::Kernel(run) => Event::Kernel(KernelRun {
                    microseconds,
                    ..run
                }),
            });
        }
        Ok(())
    }
}

/// Do something with the current session; its failure becomes the session's error.
/// `default` where there is none or it has failed before.
fn with<R>(op: u32, default: R, f: impl FnOnce(&mut Session) -> Result<R, String>) -> R {
    CURRENT.with(|c| {
        let mut current = c.borrow_mut();
        let Some(s) = current.as_mut().filter(|s| s.error.is_none()) else {
            return default;
        };
        match f(s) {
            Ok(r) => r,
            Err(message) => {
                s.error = Some(SessionError { message, op });
                default
            }
        }
    })
}

fn text(e: DeviceError) -> String {
    e.to_string()
}

/// Whether these bytes are of pinned memory that the current session's program has allocated.
pub fn pinned_holds(address: usize, bytes: usize) -> bool {
    CURRENT.with(|c| {
        let current = c.borrow();
        let Some(s) = current.as_ref() else {
            return false;
        };
        s.pinned.iter().any(|(at, all)| {
            let skipped = address.checked_sub(*at as usize);
            let end = skipped.and_then(|s| s.checked_add(bytes));
            end.is_some_and(|e| e <= *all)
        })
    })
}

/// Status of a call: whether the program should go on.
const OK: i32 = 0;
const FAILED: i32 = 1;

/// The functions for the JIT's symbol table.
pub fn imports() -> Vec<(&'static str, *const u8)> {
    [
        data::imports(),
        memory::imports(),
        copies::imports(),
        launch::imports(),
        order::imports(),
    ]
    .concat()
}

/// Numbers that host code has on its stack.
///
/// # Safety
/// There are `count` of them at `at`, or `count` is 0.
unsafe fn list<'a, T>(at: *const T, count: u32) -> &'a [T] {
    match count {
        0 => &[],
        // SAFETY: by the contract.
        n => unsafe { std::slice::from_raw_parts(at, n as usize) },
    }
}

/// The number at an address; none for null.
///
/// # Safety
/// The address is that of a number, or null.
unsafe fn optional(at: *const i64) -> Option<i64> {
    // SAFETY: by the contract.
    unsafe { at.as_ref() }.copied()
}
