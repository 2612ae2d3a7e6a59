//! Copies of pageable memory through a ring of pinned memory.
//!
//! A device reads and writes only pinned memory by itself. Of other memory the driver
//! copies pieces through pinned memory of its own, on one thread, which is what limits
//! it. Here a few threads do that: the copy is cut into chunks, of which worker `w` takes
//! chunk `w` and then whichever is the next that nobody has, so that one that was late or
//! is slow does fewer. Each has slots of the ring of its own, so that while the device
//! moves one chunk the next is filled or emptied, and workers wait for nobody but the
//! device.
//!
//! What a device must do for it is [`Transport`].

use std::collections::VecDeque;
use std::ptr::NonNull;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::device::{DeviceError, DevicePtr, Pitch, Rows};

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

    /// Queues a copy of rows from pinned memory, where they follow each other.
    ///
    /// # Errors
    /// What the device says.
    ///
    /// # Safety
    /// As for [`Transport::to_device`], of all the rows.
    unsafe fn rows_to_device(
        &self,
        to: DevicePtr,
        from: *const u8,
        rows: &Rows,
    ) -> Result<(), DeviceError> {
        rows.each(|d, s| {
            // SAFETY: one of the rows.
            unsafe { self.to_device(DevicePtr(to.0 + d as u64), from.add(s), rows.width) }
        })
    }

    /// Queues a copy of rows to pinned memory, where they follow each other.
    ///
    /// # Errors
    /// What the device says.
    ///
    /// # Safety
    /// As for [`Transport::to_host`], of all the rows.
    unsafe fn rows_to_host(
        &self,
        to: *mut u8,
        from: DevicePtr,
        rows: &Rows,
    ) -> Result<(), DeviceError> {
        rows.each(|d, s| {
            // SAFETY: one of the rows.
            unsafe { self.to_host(to.add(d), DevicePtr(from.0 + s as u64), rows.width) }
        })
    }

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
    fn slot(&self, slot: usize) -> *mut u8 {
        // SAFETY: a slot of the ring, which has room for all of them.
        unsafe { self.memory.as_ptr().add(slot * self.chunk) }
    }
}

/// What a copy moves, cut into pieces that fit a slot.
struct Load {
    width: usize,
    rows: usize,
    planes: usize,
    host: Pitch,
    device: Pitch,
    /// Of one piece: whole planes, or rows of one plane. A piece of the only row of a
    /// plane is a part of it.
    piece_planes: usize,
    piece_rows: usize,
}

/// One piece: where it begins on either side, and its rows.
struct Piece {
    host: usize,
    device: usize,
    width: usize,
    rows: usize,
    planes: usize,
}

impl Load {
    /// Bytes one after the other.
    fn line(bytes: usize) -> Load {
        let rows = Rows::line(bytes);
        Load {
            width: bytes,
            rows: 1,
            planes: 1,
            host: rows.src,
            device: rows.dst,
            piece_planes: 1,
            piece_rows: 1,
        }
    }

    fn rows(rows: &Rows, host: Pitch, device: Pitch, chunk: usize) -> Load {
        let plane = rows.width.saturating_mul(rows.rows).max(1);
        Load {
            width: rows.width,
            rows: rows.rows,
            planes: rows.planes,
            host,
            device,
            piece_planes: (chunk / plane).max(1),
            piece_rows: match plane <= chunk {
                true => rows.rows.max(1),
                false => (chunk / rows.width.max(1)).max(1),
            },
        }
    }

    /// How many pieces a row is cut into, one after another.
    fn parts(&self, chunk: usize) -> usize {
        self.width.div_ceil(chunk)
    }

    fn pieces(&self, chunk: usize) -> usize {
        let rows = self.rows.div_ceil(self.piece_rows) * self.parts(chunk);
        self.planes.div_ceil(self.piece_planes).saturating_mul(rows)
    }

    /// The piece of this number; none behind the last.
    fn piece(&self, number: usize, chunk: usize) -> Option<Piece> {
        if number >= self.pieces(chunk) {
            return None;
        }
        let parts = self.parts(chunk);
        let (rest, part) = (number / parts, number % parts);
        let groups = self.rows.div_ceil(self.piece_rows);
        let (plane, row) = (
            rest / groups * self.piece_planes,
            rest % groups * self.piece_rows,
        );
        let at = part * chunk;
        let begin = |p: Pitch| plane * p.plane + row * p.row + at;
        Some(Piece {
            host: begin(self.host),
            device: begin(self.device),
            width: (self.width - at).min(chunk),
            rows: (self.rows - row).min(self.piece_rows),
            planes: (self.planes - plane).min(self.piece_planes),
        })
    }
}

/// What one worker does of a copy.
struct Part<'a, T> {
    ring: &'a Ring,
    transport: &'a T,
    device: DevicePtr,
    host: *mut u8,
    load: &'a Load,
    /// The worker, whose first piece has the same number.
    worker: usize,
    /// The first piece that no worker has.
    next: &'a AtomicUsize,
    /// Another worker has failed.
    failed: &'a AtomicBool,
}

impl<T: Transport> Part<'_, T> {
    /// The piece that this worker takes as its number `k`; none behind the last.
    fn take(&self, k: usize) -> Option<Piece> {
        if self.failed.load(Ordering::Relaxed) {
            return None;
        }
        let number = match k {
            0 => self.worker,
            _ => self.next.fetch_add(1, Ordering::Relaxed),
        };
        self.load.piece(number, self.ring.chunk)
    }

    /// The rows of a piece, between `side` and a slot: the copy's destination first.
    fn rows(&self, p: &Piece, way: Way, side: Pitch) -> Rows {
        let slot = Pitch {
            row: p.width,
            plane: p.width * p.rows,
        };
        let (dst, src) = match way {
            Way::In => (side, slot),
            Way::Out => (slot, side),
        };
        Rows {
            width: p.width,
            rows: p.rows,
            planes: p.planes,
            dst,
            src,
        }
    }

    /// Between the host and a slot.
    ///
    /// # Safety
    /// The host's bytes are there, as is the slot, and neither is used meanwhile.
    unsafe fn pack(&self, p: &Piece, way: Way, slot: *mut u8) {
        // The slot is the other side than towards the device.
        let rows = match way {
            Way::In => self.rows(p, Way::Out, self.load.host),
            Way::Out => self.rows(p, Way::In, self.load.host),
        };
        let result: Result<(), std::convert::Infallible> = rows.each(|d, s| {
            // SAFETY: a row of the piece, which fits the slot.
            unsafe {
                let host = self.host.add(p.host);
                let (to, from) = match way {
                    Way::In => (slot.add(d), host.add(s)),
                    Way::Out => (host.add(d), slot.add(s)),
                };
                std::ptr::copy_nonoverlapping(from, to, p.width);
            }
            Ok(())
        });
        let Ok(()) = result;
    }

    fn slot(&self, k: usize) -> usize {
        self.worker * SLOTS + k % SLOTS
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
        while let Some(p) = self.take(k) {
            let slot = self.slot(k);
            self.wait(slot)?;
            let memory = self.ring.slot(slot);
            let to = DevicePtr(self.device.0 + p.device as u64);
            // SAFETY: the slot is this worker's, the device is done with it, and it has
            // room for a piece; the host's side is as promised.
            unsafe {
                self.pack(&p, Way::In, memory);
                match p.rows * p.planes {
                    1 => self.transport.to_device(to, memory, p.width)?,
                    _ => {
                        let rows = self.rows(&p, Way::In, self.load.device);
                        self.transport.rows_to_device(to, memory, &rows)?;
                    }
                }
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
        let mut under_way = VecDeque::with_capacity(SLOTS);
        loop {
            while under_way.len() < SLOTS
                && let Some(p) = self.take(queued)
            {
                let slot = self.slot(queued);
                self.wait(slot)?;
                let memory = self.ring.slot(slot);
                let from = DevicePtr(self.device.0 + p.device as u64);
                // SAFETY: the slot is this worker's, the device is done with it, and
                // what was in it has been taken out.
                unsafe {
                    match p.rows * p.planes {
                        1 => self.transport.to_host(memory, from, p.width)?,
                        _ => {
                            let rows = self.rows(&p, Way::Out, self.load.device);
                            self.transport.rows_to_host(memory, from, &rows)?;
                        }
                    }
                }
                self.mark(slot)?;
                under_way.push_back(p);
                queued += 1;
            }
            let Some(p) = under_way.pop_front() else {
                return Ok(());
            };
            let slot = self.slot(k);
            self.wait(slot)?;
            // SAFETY: the piece has arrived in the slot; the host's side is as promised.
            unsafe { self.pack(&p, Way::Out, self.ring.slot(slot)) };
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

    #[test]
    fn rows_arrive_either_way() {
        for workers in [1, 3] {
            let (mut ring, _memory) = ring(workers);
            for (width, rows, planes) in [
                (1, 1, 1),
                (8, 5, 1),
                (8, 200, 1),
                (20, 3, 40),
                (64, 7, 2),
                (100, 4, 3),
                (7, 30, 5),
                (8, 3, 0),
            ] {
                let host = Pitch {
                    row: width + 5,
                    plane: (width + 5) * rows + 3,
                };
                let device = Pitch {
                    row: width + 2,
                    plane: (width + 2) * rows,
                };
                let shape = |dst, src| Rows {
                    width,
                    rows,
                    planes,
                    dst,
                    src,
                };
                let (to, back) = (shape(device, host), shape(host, device));
                let what = format!("{to:?} by {workers}");
                let mut there = pattern(to.extent(host).unwrap());
                let source = there.clone();
                let mut memory = vec![1u8; to.extent(device).unwrap()];
                let mut expected = memory.clone();
                to.each(|d, s| -> Result<(), ()> {
                    expected[d..d + width].copy_from_slice(&source[s..s + width]);
                    Ok(())
                })
                .unwrap();
                let lazy = Lazy::default();
                let at = DevicePtr(memory.as_mut_ptr() as u64);
                // SAFETY: arrays of these extents.
                unsafe { ring.copy_rows_in(&lazy, at, there.as_ptr(), &to) }.unwrap();
                there.fill(9);
                lazy.run_all();
                assert_eq!(memory, expected, "{what}");
                // SAFETY: as above.
                unsafe { ring.copy_rows_out(&lazy, there.as_mut_ptr(), at, &back) }.unwrap();
                let mut expected = vec![9; there.len()];
                back.each(|d, _| -> Result<(), ()> {
                    expected[d..d + width].copy_from_slice(&source[d..d + width]);
                    Ok(())
                })
                .unwrap();
                assert_eq!(there, expected, "{what}");
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
