//! Copies of pageable memory through a ring of pinned memory.
//!
//! A device reads and writes only pinned memory by itself. Of other memory the driver
//! copies pieces through pinned memory of its own, on one thread, which is what limits
//! it. Here a few threads do that: the copy is cut into chunks, and worker `w` of `t`
//! takes the chunks `w, w + t, w + 2 t, ...`. Each has slots of the ring of its own, so
//! that while the device moves one chunk the next is filled or emptied, and workers
//! wait for nobody but the device.
//!
//! What a device must do for it is [`Transport`].

use std::ptr::NonNull;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::device::{DeviceError, DevicePtr};

/// Bytes of a chunk: long enough that what the driver takes for each is little, short
/// enough that a chunk is still in the caches when the device reads it.
pub const CHUNK: usize = 1 << 20;
/// Slots of each worker: one that the device works on, one that the worker does, and one
/// for when they do not take equally long.
pub const SLOTS: usize = 3;
/// More threads than this do not make memory faster than the link to a device.
pub const MOST_WORKERS: usize = 8;
/// Copies below this are left to the driver.
pub const LEAST: usize = 2 << 20;
/// The ring is made once so many bytes could have gone through it: pinning memory takes
/// milliseconds, which a program with little data would not get back.
pub const WORTH: usize = 32 << 20;

/// Whether staging is wanted: `TERRACE_STAGING`, `1` where it is not set.
///
/// # Errors
/// Another value than `0` or `1`.
pub fn wanted(setting: Option<&str>) -> Result<bool, String> {
    match setting.unwrap_or_default().trim() {
        "" | "1" => Ok(true),
        "0" => Ok(false),
        other => Err(format!(
            "found TERRACE_STAGING=`{}`, expected `1` or `0`",
            other.escape_debug()
        )),
    }
}

/// What a device does for staged copies, all on one of its streams. Called by several
/// threads at once, each with slots of its own.
pub trait Transport: Sync {
    /// Queues a copy from pinned memory to the device.
    ///
    /// # Errors
    /// What the device says.
    ///
    /// # Safety
    /// `from` has this many bytes, which nobody writes until a mark behind it was waited
    /// for.
    unsafe fn to_device(
        &self,
        to: DevicePtr,
        from: *const u8,
        bytes: usize,
    ) -> Result<(), DeviceError>;

    /// Queues a copy from the device to pinned memory.
    ///
    /// # Errors
    /// What the device says.
    ///
    /// # Safety
    /// `to` has this many bytes, which nobody else uses until a mark behind it was waited
    /// for.
    unsafe fn to_host(&self, to: *mut u8, from: DevicePtr, bytes: usize)
    -> Result<(), DeviceError>;

    /// Marks what is queued by now as what the slot of this number waits for.
    ///
    /// # Errors
    /// What the device says.
    fn mark(&self, slot: usize) -> Result<(), DeviceError>;

    /// Waits for the last mark of a slot.
    ///
    /// # Errors
    /// Faults of the work before it, or what the device says.
    fn wait(&self, slot: usize) -> Result<(), DeviceError>;
}

/// Pinned memory cut into slots, and the threads that fill and empty them. Used by one
/// copy at a time.
pub struct Ring {
    memory: NonNull<u8>,
    chunk: usize,
    workers: usize,
    /// Which slots have a mark that nobody waited for.
    marked: Vec<AtomicBool>,
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

/// Which way a copy goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    In,
    Out,
}

impl Ring {
    /// How many workers a machine with so many cores has.
    pub fn workers_for(cores: usize) -> usize {
        cores.clamp(1, MOST_WORKERS)
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
        // SAFETY: by the contract; only read, for this way.
        unsafe { self.copy(transport, Way::In, to, from.cast_mut(), bytes) }
    }

    /// Copies device memory to the host, and waits.
    ///
    /// # Errors
    /// As [`Ring::copy_in`].
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
        // SAFETY: by the contract.
        unsafe { self.copy(transport, Way::Out, from, to, bytes) }
    }

    /// # Safety
    /// `host` has this many bytes, which nobody uses otherwise than this way allows.
    unsafe fn copy(
        &mut self,
        transport: &impl Transport,
        way: Way,
        device: DevicePtr,
        host: *mut u8,
        bytes: usize,
    ) -> Result<(), DeviceError> {
        let chunks = bytes.div_ceil(self.chunk);
        let workers = self.workers.min(chunks);
        let failed = AtomicBool::new(false);
        let error: Mutex<Option<DeviceError>> = Mutex::new(None);
        let host = Host(host);
        let ring = &*self;
        let work = |worker: usize| {
            let part = Part {
                ring,
                transport,
                device,
                host: host.start(),
                bytes,
                first: worker,
                step: workers,
                failed: &failed,
            };
            // SAFETY: the host's side is as the caller promises; workers have slots and
            // chunks of their own.
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
    fn slot(&self, slot: usize) -> *mut u8 {
        // SAFETY: a slot of the ring, which has room for all of them.
        unsafe { self.memory.as_ptr().add(slot * self.chunk) }
    }
}

/// What one worker does of a copy.
struct Part<'a, T> {
    ring: &'a Ring,
    transport: &'a T,
    device: DevicePtr,
    host: *mut u8,
    bytes: usize,
    /// The worker, whose first chunk has the same number.
    first: usize,
    step: usize,
    /// Another worker has failed.
    failed: &'a AtomicBool,
}

impl<T: Transport> Part<'_, T> {
    /// Where the chunk begins that this worker takes as number `k`, and its bytes; none
    /// behind the last.
    fn chunk(&self, k: usize) -> Option<(usize, usize)> {
        let number = k.checked_mul(self.step)?.checked_add(self.first)?;
        let at = number.checked_mul(self.ring.chunk)?;
        let rest = self.bytes.checked_sub(at).filter(|r| *r > 0)?;
        let go_on = !self.failed.load(Ordering::Relaxed);
        go_on.then_some((at, rest.min(self.ring.chunk)))
    }

    fn slot(&self, k: usize) -> usize {
        self.first * SLOTS + k % SLOTS
    }

    fn mark(&self, slot: usize) -> Result<(), DeviceError> {
        self.transport.mark(slot)?;
        self.ring.marked[slot].store(true, Ordering::Relaxed);
        Ok(())
    }

    fn wait(&self, slot: usize) -> Result<(), DeviceError> {
        if self.ring.marked[slot].load(Ordering::Relaxed) {
            self.transport.wait(slot)?;
            self.ring.marked[slot].store(false, Ordering::Relaxed);
        }
        Ok(())
    }

    /// # Safety
    /// The host's bytes are there and nobody writes them.
    unsafe fn copy_in(&self) -> Result<(), DeviceError> {
        let mut k = 0;
        while let Some((at, n)) = self.chunk(k) {
            let slot = self.slot(k);
            self.wait(slot)?;
            let memory = self.ring.slot(slot);
            let to = DevicePtr(self.device.0 + at as u64);
            // SAFETY: the slot is this worker's, the device is done with it, and it has
            // room for a chunk; the host's side is as promised.
            unsafe {
                std::ptr::copy_nonoverlapping(self.host.add(at), memory, n);
                self.transport.to_device(to, memory, n)?;
            }
            self.mark(slot)?;
            k += 1;
        }
        Ok(())
    }

    /// # Safety
    /// The host's bytes are there and nobody else uses them.
    unsafe fn copy_out(&self) -> Result<(), DeviceError> {
        let mut queued = 0;
        let mut k = 0;
        loop {
            while queued < k + SLOTS
                && let Some((at, n)) = self.chunk(queued)
            {
                let slot = self.slot(queued);
                self.wait(slot)?;
                let from = DevicePtr(self.device.0 + at as u64);
                // SAFETY: the slot is this worker's, the device is done with it, and
                // what was in it has been taken out.
                unsafe { self.transport.to_host(self.ring.slot(slot), from, n)? };
                self.mark(slot)?;
                queued += 1;
            }
            let Some((at, n)) = self.chunk(k).filter(|_| k < queued) else {
                return Ok(());
            };
            let slot = self.slot(k);
            self.wait(slot)?;
            // SAFETY: the chunk has arrived in the slot; the host's side is as promised.
            unsafe {
                std::ptr::copy_nonoverlapping(self.ring.slot(slot), self.host.add(at), n);
            }
            k += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// A device that does what it was asked for when somebody waits for it, not before:
    /// what is used too early shows.
    #[derive(Default)]
    struct Lazy {
        state: Mutex<Queue>,
        /// Operations until it fails.
        lives: Option<usize>,
    }

    #[derive(Default)]
    struct Queue {
        done: usize,
        operations: Vec<(usize, usize, usize)>,
        marks: HashMap<usize, usize>,
        waits: usize,
        most_queued: usize,
    }

    impl Lazy {
        fn queue(&self, to: usize, from: usize, bytes: usize) -> Result<(), DeviceError> {
            let mut q = self.state.lock().unwrap();
            if self.lives.is_some_and(|n| q.operations.len() >= n) {
                return Err(DeviceError::Invalid {
                    operation: "copy".to_string(),
                    problem: "no lives left".to_string(),
                });
            }
            q.operations.push((to, from, bytes));
            q.most_queued = q.most_queued.max(q.operations.len() - q.done);
            Ok(())
        }

        fn run(&self, until: usize) {
            let mut q = self.state.lock().unwrap();
            while q.done < until {
                let (to, from, bytes) = q.operations[q.done];
                // SAFETY: the test's arrays and the ring's slots.
                unsafe { std::ptr::copy(from as *const u8, to as *mut u8, bytes) };
                q.done += 1;
            }
        }

        fn run_all(&self) {
            let all = self.state.lock().unwrap().operations.len();
            self.run(all);
        }
    }

    impl Transport for Lazy {
        unsafe fn to_device(
            &self,
            to: DevicePtr,
            from: *const u8,
            bytes: usize,
        ) -> Result<(), DeviceError> {
            self.queue(to.0 as usize, from as usize, bytes)
        }

        unsafe fn to_host(
            &self,
            to: *mut u8,
            from: DevicePtr,
            bytes: usize,
        ) -> Result<(), DeviceError> {
            self.queue(to as usize, from.0 as usize, bytes)
        }

        fn mark(&self, slot: usize) -> Result<(), DeviceError> {
            let mut q = self.state.lock().unwrap();
            let now = q.operations.len();
            q.marks.insert(slot, now);
            Ok(())
        }

        fn wait(&self, slot: usize) -> Result<(), DeviceError> {
            let until = {
                let mut q = self.state.lock().unwrap();
                q.waits += 1;
                q.marks[&slot]
            };
            self.run(until);
            Ok(())
        }
    }

    /// A ring with small chunks, and its memory.
    fn ring(workers: usize) -> (Ring, Box<[u8]>) {
        let chunk = 64;
        let mut memory = vec![0xee; Ring::slots_for(workers) * chunk].into_boxed_slice();
        let start = NonNull::new(memory.as_mut_ptr()).unwrap();
        // SAFETY: as large as is said, and used by nothing else.
        let ring = unsafe { Ring::new(start, chunk, workers) };
        (ring, memory)
    }

    fn pattern(n: usize) -> Vec<u8> {
        (0..n).map(|i| (i * 7 + i / 251) as u8).collect()
    }

    #[test]
    fn every_byte_arrives_either_way() {
        for workers in [1, 2, 5] {
            let (mut ring, _memory) = ring(workers);
            for n in [0, 1, 63, 64, 65, 640, 1000, 5000, 64 * 31] {
                let lazy = Lazy::default();
                let source = pattern(n);
                let mut device = vec![0u8; n];
                let at = DevicePtr(device.as_mut_ptr() as u64);
                let mut there = source.clone();
                // SAFETY: arrays of this length.
                unsafe { ring.copy_in(&lazy, at, there.as_ptr(), n) }.unwrap();
                // The host's side may be used again at once.
                there.fill(0);
                lazy.run_all();
                assert_eq!(device, source, "{n} bytes in by {workers}");
                let mut back = vec![0u8; n];
                // SAFETY: as above.
                unsafe { ring.copy_out(&lazy, back.as_mut_ptr(), at, n) }.unwrap();
                assert_eq!(back, source, "{n} bytes out by {workers}");
            }
        }
    }

    /// Two copies without a wait between them, and one back behind both.
    #[test]
    fn slots_that_are_still_on_their_way_are_waited_for() {
        let (mut ring, _memory) = ring(2);
        let lazy = Lazy::default();
        let (a, b) = (pattern(700), vec![9u8; 300]);
        let mut device = vec![0u8; 1000];
        let at = device.as_mut_ptr() as u64;
        // SAFETY: arrays of this length.
        unsafe {
            ring.copy_in(&lazy, DevicePtr(at), a.as_ptr(), 700).unwrap();
            ring.copy_in(&lazy, DevicePtr(at + 700), b.as_ptr(), 300)
                .unwrap();
        }
        let mut back = vec![0u8; 1000];
        // SAFETY: as above.
        unsafe { ring.copy_out(&lazy, back.as_mut_ptr(), DevicePtr(at), 1000) }.unwrap();
        assert_eq!(back, [a, b].concat());
        let q = lazy.state.lock().unwrap();
        assert!(q.most_queued <= Ring::slots_for(2), "{}", q.most_queued);
        assert!(q.most_queued > 2 && q.waits > 0);
    }

    #[test]
    fn a_failure_is_the_copys() {
        for (lives, workers) in [(0, 1), (3, 1), (5, 3)] {
            let (mut ring, _memory) = ring(workers);
            let lazy = Lazy {
                lives: Some(lives),
                ..Lazy::default()
            };
            let source = pattern(5000);
            let mut device = vec![0u8; 5000];
            let at = DevicePtr(device.as_mut_ptr() as u64);
            // SAFETY: arrays of this length.
            let result = unsafe { ring.copy_in(&lazy, at, source.as_ptr(), 5000) };
            assert!(result.unwrap_err().to_string().contains("no lives left"));
            // SAFETY: as above.
            let result = unsafe { ring.copy_out(&lazy, device.as_mut_ptr(), at, 5000) };
            assert!(result.is_err());
        }
    }

    #[test]
    fn settings() {
        assert_eq!(wanted(None), Ok(true));
        assert_eq!(wanted(Some("0")), Ok(false));
        assert_eq!(
            wanted(Some("off")).unwrap_err(),
            "found TERRACE_STAGING=`off`, expected `1` or `0`"
        );
        assert_eq!([0, 3, 100].map(Ring::workers_for), [1, 3, 8]);
    }
}
