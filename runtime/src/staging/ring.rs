//! The ring: pinned memory, the threads that fill and empty it, and copies divided among
//! them.

use std::ptr::NonNull;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::pieces::Load;
use super::worker::{Part, Way};
use super::{MAX_WORKERS, SLOTS, Transport};
use crate::device::{DeviceError, DevicePtr, Rows};

/// Pinned memory cut into slots, and the threads that fill and empty them. Used by one
/// copy at a time.
pub struct Ring {
    memory: NonNull<u8>,
    pub(super) chunk: usize,
    workers: usize,
    /// Which slots have a mark that nobody waited for.
    pub(super) marked: Vec<AtomicBool>,
    /// The threads but the calling one.
    threads: Option<rayon::ThreadPool>,
}

// SAFETY: the memory is the ring's alone, and its slots are divided among the workers of
// the one copy that borrows it mutably.
unsafe impl Send for Ring {}
// SAFETY: as above.
unsafe impl Sync for Ring {}

/// A host address that workers share, each for chunks of its own.
#[derive(Clone, Copy)]
struct Host(*mut u8);

// SAFETY: see [`Ring::copy`], which divides what it points to.
unsafe impl Send for Host {}
// SAFETY: as above.
unsafe impl Sync for Host {}

impl Host {
    /// By a method, so that closures hold all of this and not only the pointer.
    fn start(self) -> *mut u8 {
        self.0
    }
}

impl Ring {
    /// How many workers a machine with so many cores has.
    pub fn workers_for(cores: usize) -> usize {
        cores.clamp(1, MAX_WORKERS)
    }

    /// The slots of so many workers.
    pub fn slots_for(workers: usize) -> usize {
        workers * SLOTS
    }

    /// A ring of this memory, without workers but the calling thread if no threads can be
    /// started.
    ///
    /// # Safety
    /// `memory` has `slots_for(workers) * chunk` bytes, which are the ring's alone as
    /// long as it lives. Neither number is 0.
    pub unsafe fn new(memory: NonNull<u8>, chunk: usize, workers: usize) -> Ring {
        let threads = rayon::ThreadPoolBuilder::new()
            .num_threads(workers.saturating_sub(1).max(1))
            .thread_name(|i| format!("terrace-copy-{}", i + 1))
            .build();
        let threads = threads.ok().filter(|_| workers > 1);
        Ring {
            memory,
            chunk,
            workers: if threads.is_some() { workers } else { 1 },
            marked: (0..Ring::slots_for(workers))
                .map(|_| AtomicBool::new(false))
                .collect(),
            threads,
        }
    }

    /// Copies host memory to the device. When it returns the host's side may be used
    /// again, and the rest is queued.
    ///
    /// # Errors
    /// The first of what the device says; some of the bytes may have been copied.
    ///
    /// # Safety
    /// `from` has this many bytes, which nobody writes meanwhile.
    pub unsafe fn copy_in(
        &mut self,
        transport: &impl Transport,
        to: DevicePtr,
        from: *const u8,
        bytes: usize,
    ) -> Result<(), DeviceError> {
        let load = Load::line(bytes);
        // SAFETY: by the contract; this way only reads the host's side.
        unsafe { self.copy(transport, Way::In, to, from.cast_mut(), &load) }
    }

    /// Copies device memory to the host. When it returns the bytes are there.
    ///
    /// # Errors
    /// The first of what the device says; some of the bytes may have been copied.
    ///
    /// # Safety
    /// `to` has this many bytes, which nobody else uses meanwhile.
    pub unsafe fn copy_out(
        &mut self,
        transport: &impl Transport,
        to: *mut u8,
        from: DevicePtr,
        bytes: usize,
    ) -> Result<(), DeviceError> {
        let load = Load::line(bytes);
        // SAFETY: by the contract.
        unsafe { self.copy(transport, Way::Out, from, to, &load) }
    }

    /// As [`Ring::copy_in`], of rows: they are packed as they go into the ring.
    ///
    /// # Errors
    /// As [`Ring::copy_in`].
    ///
    /// # Safety
    /// As [`Ring::copy_in`], of all the rows, whose offsets do not overflow.
    pub unsafe fn copy_rows_in(
        &mut self,
        transport: &impl Transport,
        to: DevicePtr,
        from: *const u8,
        rows: &Rows,
    ) -> Result<(), DeviceError> {
        let load = Load::rows(rows, rows.src, rows.dst, self.chunk);
        // SAFETY: by the contract; this way only reads the host's side.
        unsafe { self.copy(transport, Way::In, to, from.cast_mut(), &load) }
    }

    /// As [`Ring::copy_out`], of rows.
    ///
    /// # Errors
    /// As [`Ring::copy_out`].
    ///
    /// # Safety
    /// As [`Ring::copy_out`], of all the rows, whose offsets do not overflow.
    pub unsafe fn copy_rows_out(
        &mut self,
        transport: &impl Transport,
        to: *mut u8,
        from: DevicePtr,
        rows: &Rows,
    ) -> Result<(), DeviceError> {
        let load = Load::rows(rows, rows.dst, rows.src, self.chunk);
        // SAFETY: by the contract.
        unsafe { self.copy(transport, Way::Out, from, to, &load) }
    }

    /// # Safety
    /// `host` has the bytes of `load`, which nobody uses otherwise than this way allows.
    unsafe fn copy(
        &mut self,
        transport: &impl Transport,
        way: Way,
        device: DevicePtr,
        host: *mut u8,
        load: &Load,
    ) -> Result<(), DeviceError> {
        let workers = self.workers.min(load.pieces(self.chunk));
        let failed = AtomicBool::new(false);
        let next = AtomicUsize::new(workers);
        let error: Mutex<Option<DeviceError>> = Mutex::new(None);
        let host = Host(host);
        let ring = &*self;
        let work = |worker: usize| {
            let part = Part {
                ring,
                transport,
                device,
                host: host.start(),
                load,
                worker,
                next: &next,
                failed: &failed,
            };
            // SAFETY: the host's side is as the caller promises; workers have slots and
            // pieces of their own.
            let result = unsafe {
                match way {
                    Way::In => part.copy_in(),
                    Way::Out => part.copy_out(),
                }
            };
            if let Err(e) = result {
                failed.store(true, Ordering::Relaxed);
                let mut first = error.lock().unwrap_or_else(PoisonError::into_inner);
                first.get_or_insert(e);
            }
        };
        match &self.threads {
            Some(threads) if workers > 1 => threads.in_place_scope(|scope| {
                for worker in 1..workers {
                    let work = &work;
                    scope.spawn(move |_| work(worker));
                }
                work(0);
            }),
            _ => (0..workers).for_each(work),
        }
        let error = error.into_inner().unwrap_or_else(PoisonError::into_inner);
        error.map_or(Ok(()), Err)
    }

    /// The memory of a slot.
    pub(super) fn slot(&self, slot: usize) -> *mut u8 {
        // SAFETY: a slot of the ring, which has room for all of them.
        unsafe { self.memory.as_ptr().add(slot * self.chunk) }
    }
}
