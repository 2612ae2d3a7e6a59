//! The GPU as compiled host code sees it: functions that allocate, copy and launch.
//!
//! Host code calls them by address. They find their session in thread-local storage,
//! and each names the op it was made for, so that what the driver refuses is reported
//! at the op's place in the source. After the first error the rest does nothing, and
//! the run reports it at its end.

mod copies;
mod data;

use self::copies::{copy, copy_strided};
use super::streams::{DONE, Streams};
use crate::runtime::device::{
    Device, DeviceError, DevicePtr, KernelArg, KernelId, LaunchConfig, StreamId, Timer,
    cooperative_grid,
};
use crate::runtime::profile::{Direction, Event, KernelRun, LaunchWork, Profile};
use crate::runtime::program::abi::SourcePlace;
use crate::runtime::program::memory::Blocks;
use crate::runtime::program::present::Table;
use crate::runtime::program::queue::Queues;
use crate::runtime::program::report::{Launched, Report};
use crate::targets::gpu_to_ptx::Indices;
use crate::targets::ptx::launch::Subject;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A kernel that host code may launch.
#[derive(Debug, Clone)]
pub struct Kernel {
    pub name: String,
    pub id: KernelId,
    /// The size in bytes of each parameter.
    pub params: Vec<usize>,
    /// What launches must not exceed, where indices have 32 bits.
    pub indices: Option<Indices>,
    /// Of each, the alignment in bytes that its address must have, and the
    /// argument of the kernel that it is of; none for what is no address.
    pub aligned: Vec<Option<(u64, usize)>>,
    /// Its blocks wait for each other.
    pub cooperative: bool,
}

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

/// Memory of a device that runs of a program take and give back; it is kept for reuse.
pub struct Memory {
    device: Arc<dyn Device>,
    kept: Mutex<(Blocks, Queues)>,
}

impl Memory {
    /// Nothing yet. A device that looks at each access gets all back at once.
    pub fn new(device: &Arc<dyn Device>) -> Memory {
        let blocks = match device.looks_at_accesses() {
            true => Blocks::exact(),
            false => Blocks::new(device.info().total_memory / 2),
        };
        Memory {
            device: Arc::clone(device),
            kept: Mutex::new((blocks, Queues::default())),
        }
    }

    fn lock(&self) -> MutexGuard<'_, (Blocks, Queues)> {
        // Each update is whole.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An empty array still gets an address of its own.
    fn alloc(&self, bytes: usize) -> Result<DevicePtr, DeviceError> {
        let (blocks, queues) = &mut *self.lock();
        blocks.alloc(&*self.device, queues, bytes, StreamId::MAIN)
    }

    /// The same on the device of this number. That of others than 0 is not kept.
    fn alloc_on(&self, device: u32, bytes: usize) -> Result<DevicePtr, DeviceError> {
        match device {
            0 => self.alloc(bytes),
            _ => self.device.alloc_on(device, bytes.max(1)),
        }
    }

    /// What is given back must not be in use by work that is queued.
    fn free(&self, ptr: DevicePtr) -> Result<(), DeviceError> {
        let (blocks, queues) = &mut *self.lock();
        match blocks.free(&*self.device, queues, ptr)? {
            true => Ok(()),
            false => self.device.free(ptr),
        }
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

/// Status of a call: whether the program should go on.
const OK: i32 = 0;
const FAILED: i32 = 1;

/// The functions for the JIT's symbol table.
pub fn imports() -> Vec<(&'static str, *const u8)> {
    let mut all = data::imports();
    all.extend([
        ("terrace_gpu_alloc", alloc as *const u8),
        ("terrace_gpu_alloc_on", alloc_on as *const u8),
        ("terrace_gpu_free", free as *const u8),
        ("terrace_gpu_copy", copy as *const u8),
        ("terrace_gpu_copy_strided", copy_strided as *const u8),
        ("terrace_gpu_memset", memset as *const u8),
        ("terrace_gpu_launch", launch as *const u8),
        ("terrace_gpu_sync", sync as *const u8),
        ("terrace_gpu_profiled", profiled as *const u8),
        ("terrace_gpu_work", work as *const u8),
        ("terrace_gpu_begin", begin as *const u8),
        ("terrace_gpu_token", token as *const u8),
        ("terrace_gpu_wait", wait as *const u8),
        ("terrace_gpu_join", join as *const u8),
        ("terrace_gpu_alloc_host", alloc_host as *const u8),
    ]);
    all
}

/// The address of new device memory; 0 after an error.
extern "C" fn alloc(bytes: u64, op: u32) -> u64 {
    alloc_on(bytes, 0, op)
}

/// The same on the device of this number.
extern "C" fn alloc_on(bytes: u64, device: u32, op: u32) -> u64 {
    with(op, 0, |s| {
        let size = usize::try_from(bytes).map_err(|_| format!("cannot allocate {bytes} bytes"))?;
        let ptr = s.memory.alloc_on(device, size).map_err(text)?;
        s.live.insert(ptr.0, size);
        s.profile.record(Event::Alloc {
            target: s.target.to_string(),
            bytes,
        });
        Ok(ptr.0)
    })
}

extern "C" fn free(ptr: u64, op: u32) -> i32 {
    with(op, FAILED, |s| {
        if s.pinned.remove(&ptr).is_some() {
            let ptr = NonNull::new(ptr as *mut u8).ok_or("frees the null pointer")?;
            // SAFETY: allocated by this device and just taken out of the list; a right
            // program has waited for the copies of it.
            unsafe { s.device.free_host(ptr) }.map_err(text)?;
            return Ok(OK);
        }
        let Some(size) = s.live.remove(&ptr) else {
            return Err(format!("{ptr:#x} is not device memory of this program"));
        };
        // As the driver does before it frees: what is asynchronous may still use it.
        s.streams.wait_all().map_err(text)?;
        s.memory.free(DevicePtr(ptr)).map_err(text)?;
        s.profile.record(Event::Free {
            target: s.target.to_string(),
            bytes: size as u64,
        });
        Ok(OK)
    })
}

extern "C" fn memset(ptr: u64, bits: u64, size: u32, count: u64, op: u32) -> i32 {
    with(op, FAILED, |s| {
        let pattern = bits.to_ne_bytes();
        let size = usize::try_from(size)
            .ok()
            .filter(|n| matches!(n, 1 | 2 | 4 | 8));
        let size = size.ok_or("elements of a memset must have 1, 2, 4 or 8 bytes")?;
        let count = usize::try_from(count).map_err(|_| "a memset of too many elements")?;
        let stream = s.streams.stream().unwrap_or(StreamId::MAIN);
        s.device
            .memset(DevicePtr(ptr), &pattern[..size], count, stream)
            .map_err(text)?;
        if stream == StreamId::MAIN {
            s.streams.note_main();
        }
        Ok(OK)
    })
}

/// `grid` and `block` point to three 64-bit sizes each, `args` to `count` words.
extern "C" fn launch(
    kernel: u32,
    grid: *const u64,
    block: *const u64,
    shared: u32,
    args: *const u64,
    count: u32,
    op: u32,
) -> i32 {
    with(op, FAILED, |s| {
        // SAFETY: host code passes arrays of these lengths on its stack.
        let (grid, block, words) = unsafe {
            let words = if count == 0 {
                &[]
            } else {
                std::slice::from_raw_parts(args, count as usize)
            };
            (
                std::slice::from_raw_parts(grid, 3),
                std::slice::from_raw_parts(block, 3),
                words,
            )
        };
        let k = s
            .kernels
            .get(kernel as usize)
            .cloned()
            .ok_or("a kernel that does not exist")?;
        if k.params.len() != words.len() {
            return Err(format!(
                "kernel {} takes {} parameters, but the launch passes {}",
                k.name,
                k.params.len(),
                words.len()
            ));
        }
        for (word, aligned) in words.iter().zip(&k.aligned) {
            if let Some((align, arg)) = aligned
                && !word.is_multiple_of(*align)
            {
                return Err(format!(
                    "argument {arg} of kernel {} is at address {word:#x}, {} bytes past a multiple of {align}; the kernel takes it to be aligned to {align} bytes",
                    k.name,
                    word % align
                ));
            }
        }
        let size = |v: &[u64], what: &str| -> Result<[u32; 3], String> {
            let mut out = [0; 3];
            for (o, v) in out.iter_mut().zip(v) {
                *o = u32::try_from(*v).map_err(|_| format!("{what} size {v} is out of range"))?;
            }
            Ok(out)
        };
        let mut config = LaunchConfig {
            grid: size(grid, "grid")?,
            block: size(block, "block")?,
            shared_bytes: shared,
            stream: s.streams.stream().unwrap_or(StreamId::MAIN),
        };
        if k.cooperative {
            let room = s.device.resident_blocks(k.id, &config).map_err(text)?;
            config.grid = cooperative_grid(config.grid, room);
        }
        if let Some(indices) = &k.indices {
            indices.check(words, config.grid, config.block, &Subject::by_position)?;
        }
        let args: Vec<KernelArg> = words
            .iter()
            .zip(&k.params)
            .map(|(w, n)| KernelArg::of_word(*w, *n))
            .collect();
        let place = s.trace.as_ref().map(|t| t.place(op)).unwrap_or_default();
        let what = s.trace.as_ref().map(|t| Launched {
            region: &t.function,
            kernel: &k.name,
            id: k.id,
            place: &place,
            work: s.work,
        });
        let report = s.trace.as_ref().map(|t| t.report);
        let traced = report.zip(what);
        let begun = traced.and_then(|(r, w)| r.begin_launch(&*s.device, &config, None, &w));
        if config.stream == StreamId::MAIN {
            s.timer.start(StreamId::MAIN).map_err(text)?;
        }
        // SAFETY: sizes are those of the kernel's parameters; the addresses among
        // them are the program's own memory, alive until it is freed after the run.
        let result = unsafe {
            match k.cooperative {
                true => s.device.launch_cooperative(k.id, &config, &args),
                false => s.device.launch(k.id, &config, &args),
            }
        };
        match (traced, &result) {
            (Some((r, w)), Ok(())) => r.launched(&*s.device, &config, begun, &w),
            (Some((r, _)), Err(_)) => r.refused(begun),
            (None, _) => {}
        }
        result.map_err(text)?;
        let mut run = KernelRun {
            name: k.name,
            target: s.target.to_string(),
            launch: Some((config.grid, config.block)),
            microseconds: 0.0,
            flops: None,
            work: s.work.take(),
        };
        if config.stream != StreamId::MAIN {
            s.streams.time(Timed::Kernel(run)).map_err(text)?;
            return Ok(OK);
        }
        run.microseconds = s.timer.stop_us(StreamId::MAIN).map_err(text)?;
        s.profile.record(Event::Kernel(run));
        Ok(OK)
    })
}

/// Every run has a profile.
extern "C" fn profiled() -> i32 {
    1
}

extern "C" fn work(flops32: f64, flops64: f64, bytes: f64) {
    // No op of the program can fail here.
    with(0, (), |s| {
        s.work = Some(LaunchWork {
            flops: [flops32, flops64],
            bytes,
        });
        Ok(())
    });
}

extern "C" fn sync(op: u32) -> i32 {
    with(op, FAILED, |s| {
        s.device.synchronize(StreamId::MAIN).map_err(text)?;
        s.wait_for_all().map(|()| OK).map_err(text)
    })
}

/// The address of new pinned memory of the host; 0 after an error.
extern "C" fn alloc_host(bytes: u64, op: u32) -> u64 {
    with(op, 0, |s| {
        let size = usize::try_from(bytes).map_err(|_| format!("cannot allocate {bytes} bytes"))?;
        let ptr = s.device.alloc_host(size.max(1)).map_err(text)?;
        let address = ptr.as_ptr() as u64;
        s.pinned.insert(address, size);
        Ok(address)
    })
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

/// The copy, fill or launch that comes next is asynchronous. `queue` may be null.
extern "C" fn begin(tokens: *const u64, count: u32, queue: *const i64, op: u32) -> i32 {
    with(op, FAILED, |s| {
        // SAFETY: host code passes lists of these lengths on its stack.
        let (tokens, queue) = unsafe { (list(tokens, count), optional(queue)) };
        s.last_async = op;
        s.note_times(false).map_err(text)?;
        s.streams.begin(tokens, queue).map(|()| OK).map_err(text)
    })
}

/// The token of what was begun.
extern "C" fn token(op: u32) -> u64 {
    with(op, DONE, |s| s.streams.end().map_err(text))
}

/// The host waits.
extern "C" fn wait(
    tokens: *const u64,
    count: u32,
    queues: *const i64,
    num_queues: u32,
    op: u32,
) -> i32 {
    with(op, FAILED, |s| {
        // SAFETY: host code passes lists of these lengths on its stack.
        let (tokens, queues) = unsafe { (list(tokens, count), list(queues, num_queues)) };
        s.streams.wait(tokens, queues).map(|()| OK).map_err(text)
    })
}

/// A token for tokens and queues, or all; a queue, unless null, goes on after these.
extern "C" fn join(
    tokens: *const u64,
    count: u32,
    queues: *const i64,
    num_queues: u32,
    all: u32,
    on: *const i64,
    op: u32,
) -> u64 {
    with(op, DONE, |s| {
        // SAFETY: host code passes lists of these lengths on its stack.
        let (tokens, queues, on) =
            unsafe { (list(tokens, count), list(queues, num_queues), optional(on)) };
        let joined = s.streams.join(tokens, queues, all != 0, on);
        joined.map_err(text)
    })
}
