//! A device in host memory, for tests. Work is only done when somebody waits for it, so
//! that what relies on more than the order of a stream goes wrong.

use super::begin::terrace_tracks;
use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use super::lock;
use crate::device::{
    AllocTable, Device, DeviceError, DeviceInfo, DevicePtr, EventId, KernelArg, KernelId,
    KernelInfo, LaunchConfig, MemoryInfo, ModuleId, StreamId,
};

/// Work on a stream.
enum Op {
    Copy(u64, u64, usize),
    Set(u64, Vec<u8>, usize),
    /// Adds 1 to this many doubles.
    Increment(u64, u64),
    /// Does what a kernel must not.
    Fault,
    Record(u64),
    Wait(u64),
}

#[derive(Default)]
struct Inner {
    table: AllocTable,
    last: u64,
    memory: HashMap<u64, Box<[u64]>>,
    queued: HashMap<u64, Vec<Op>>,
    /// Events to the stream that they are on; gone when they have happened.
    events: HashMap<u64, u64>,
    /// When they happened, in microseconds: each operation takes 2.5.
    times: HashMap<u64, f64>,
    clock: f64,
    limit: usize,
    /// Every operation fails.
    broken: bool,
    /// So many kernels work before one does what it must not.
    good: Option<u64>,
    /// One did: nothing is done any more, and every operation says so.
    faulted: bool,
    /// Events that were recorded.
    recorded: u64,
}

/// The device.
pub struct Fake {
    info: DeviceInfo,
    inner: Mutex<Inner>,
}

impl Fake {
    /// With this much memory.
    pub fn new(limit: usize) -> Fake {
        // This machine need not have one that is real.
        terrace_tracks.store(1, Ordering::Relaxed);
        Fake {
            info: DeviceInfo {
                name: "fake".to_string(),
                total_memory: limit,
                ..DeviceInfo::default()
            },
            inner: Mutex::new(Inner {
                limit,
                ..Inner::default()
            }),
        }
    }
}

impl Fake {
    /// One that says it is of this compute capability.
    pub fn of(limit: usize, capability: (u32, u32)) -> Fake {
        let mut fake = Fake::new(limit);
        fake.info.compute_capability = capability;
        fake
    }

    /// From now on nothing can be queued or waited for.
    pub fn break_down(&self) {
        lock(&self.inner).broken = true;
    }

    /// The kernel behind so many more does what it must not, when its turn comes.
    pub fn fault_after(&self, kernels: u64) {
        lock(&self.inner).good = Some(kernels);
    }

    /// How many events were recorded so far.
    pub fn recorded(&self) -> u64 {
        lock(&self.inner).recorded
    }
}

impl Inner {
    fn works(&self, operation: &str) -> Result<(), DeviceError> {
        if self.faulted {
            return Err(DeviceError::Driver {
                operation: operation.to_string(),
                code: 700,
                name: "CUDA_ERROR_ILLEGAL_ADDRESS".to_string(),
                text: "an illegal memory access was encountered".to_string(),
            });
        }
        match self.broken {
            false => Ok(()),
            true => Err(DeviceError::Invalid {
                operation: operation.to_string(),
                problem: "the device is broken".to_string(),
            }),
        }
    }

    fn push(&mut self, stream: StreamId, op: Op) {
        self.queued.entry(stream.0).or_default().push(op);
    }

    fn run(&mut self, stream: u64) {
        for op in std::mem::take(self.queued.entry(stream).or_default()) {
            if self.faulted {
                return;
            }
            if matches!(op, Op::Copy(..) | Op::Set(..) | Op::Increment(..)) {
                self.clock += 2.5;
            }
            match op {
                // SAFETY: addresses were checked, or are of a test's own arrays.
                Op::Copy(dst, src, n) => unsafe {
                    std::ptr::copy(src as *const u8, dst as *mut u8, n);
                },
                Op::Set(dst, pattern, count) => {
                    for i in 0..count {
                        let at = dst + (i * pattern.len()) as u64;
                        // SAFETY: as above.
                        unsafe {
                            std::ptr::copy(pattern.as_ptr(), at as *mut u8, pattern.len());
                        }
                    }
                }
                Op::Increment(at, n) => {
                    // SAFETY: as above.
                    let values =
                        unsafe { std::slice::from_raw_parts_mut(at as *mut f64, n as usize) };
                    values.iter_mut().for_each(|v| *v += 1.0);
                }
                Op::Fault => self.faulted = true,
                Op::Record(event) => {
                    self.events.remove(&event);
                    self.times.insert(event, self.clock);
                }
                Op::Wait(event) => {
                    if let Some(other) = self.events.get(&event).copied() {
                        self.run(other);
                    }
                }
            }
        }
    }
}

impl Device for Fake {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn memory(&self) -> Result<MemoryInfo, DeviceError> {
        let inner = lock(&self.inner);
        Ok(MemoryInfo {
            free: inner.limit - inner.table.totals().1,
            total: inner.limit,
        })
    }

    fn allocated(&self) -> (usize, usize) {
        lock(&self.inner).table.totals()
    }

    fn alloc(&self, bytes: usize) -> Result<DevicePtr, DeviceError> {
        let mut inner = lock(&self.inner);
        if inner.faulted {
            inner.works("allocate")?;
        }
        if bytes > inner.limit - inner.table.totals().1 {
            return Err(DeviceError::OutOfMemory {
                requested: bytes,
                free: None,
                total: None,
            });
        }
        // What nobody wrote is no number.
        let memory = vec![u64::MAX; bytes.div_ceil(8).max(1)].into_boxed_slice();
        let ptr = DevicePtr(memory.as_ptr() as u64);
        inner.memory.insert(ptr.0, memory);
        inner.table.insert(ptr, bytes);
        Ok(ptr)
    }

    fn free(&self, ptr: DevicePtr) -> Result<(), DeviceError> {
        self.synchronize_all()?;
        let mut inner = lock(&self.inner);
        assert!(inner.table.remove(ptr).is_some(), "freed twice: {ptr}");
        inner.memory.remove(&ptr.0);
        Ok(())
    }

    fn alloc_host(&self, _: usize) -> Result<NonNull<u8>, DeviceError> {
        Ok(NonNull::dangling())
    }

    unsafe fn free_host(&self, _: NonNull<u8>) -> Result<(), DeviceError> {
        Ok(())
    }

    fn copy_h2d(&self, dst: DevicePtr, src: &[u8]) -> Result<(), DeviceError> {
        // SAFETY: waited for before the borrow ends.
        unsafe { self.copy_h2d_async(dst, src.as_ptr(), src.len(), StreamId::MAIN)? };
        self.synchronize(StreamId::MAIN)
    }

    fn copy_d2h(&self, dst: &mut [u8], src: DevicePtr) -> Result<(), DeviceError> {
        // SAFETY: as above.
        unsafe { self.copy_d2h_async(dst.as_mut_ptr(), src, dst.len(), StreamId::MAIN)? };
        self.synchronize(StreamId::MAIN)
    }

    unsafe fn copy_h2d_async(
        &self,
        dst: DevicePtr,
        src: *const u8,
        bytes: usize,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        let mut inner = lock(&self.inner);
        inner.works("copy in")?;
        inner.table.check(dst, bytes, || "copy in".to_string())?;
        inner.push(stream, Op::Copy(dst.0, src as u64, bytes));
        Ok(())
    }

    unsafe fn copy_d2h_async(
        &self,
        dst: *mut u8,
        src: DevicePtr,
        bytes: usize,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        let mut inner = lock(&self.inner);
        inner.works("copy out")?;
        inner.table.check(src, bytes, || "copy out".to_string())?;
        inner.push(stream, Op::Copy(dst as u64, src.0, bytes));
        Ok(())
    }

    fn copy_d2d(
        &self,
        dst: DevicePtr,
        src: DevicePtr,
        bytes: usize,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        let mut inner = lock(&self.inner);
        inner.table.check(src, bytes, || "copy".to_string())?;
        inner.table.check(dst, bytes, || "copy".to_string())?;
        inner.push(stream, Op::Copy(dst.0, src.0, bytes));
        Ok(())
    }

    fn memset(
        &self,
        dst: DevicePtr,
        pattern: &[u8],
        count: usize,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        let mut inner = lock(&self.inner);
        let bytes = pattern.len() * count;
        inner.works("set")?;
        inner.table.check(dst, bytes, || "set".to_string())?;
        inner.push(stream, Op::Set(dst.0, pattern.to_vec(), count));
        Ok(())
    }

    fn load_module(&self, ptx: &str) -> Result<ModuleId, DeviceError> {
        match ptx {
            "increment" => Ok(ModuleId(1)),
            _ => Err(DeviceError::Jit {
                name: "FAKE".to_string(),
                text: format!("cannot compile {ptx}"),
                log: String::new(),
                lines: Vec::new(),
            }),
        }
    }

    fn kernel(&self, _: ModuleId, name: &str) -> Result<KernelId, DeviceError> {
        match name {
            "increment" => Ok(KernelId(1)),
            _ => Err(DeviceError::NoKernel {
                name: name.to_string(),
                available: vec!["increment".to_string()],
            }),
        }
    }

    fn kernel_info(&self, _: KernelId) -> Result<KernelInfo, DeviceError> {
        Ok(KernelInfo {
            registers: 24,
            ..KernelInfo::default()
        })
    }

    unsafe fn launch(
        &self,
        _: KernelId,
        config: &LaunchConfig,
        args: &[KernelArg],
    ) -> Result<(), DeviceError> {
        let number = |i: usize| {
            let mut bytes = [0; 8];
            bytes[..args[i].bytes().len()].copy_from_slice(args[i].bytes());
            u64::from_le_bytes(bytes)
        };
        let (at, n) = (number(0), number(1));
        let mut inner = lock(&self.inner);
        inner.works("launch")?;
        let bytes = n as usize * 8;
        inner
            .table
            .check(DevicePtr(at), bytes, || "increment".to_string())?;
        let op = match inner.good {
            Some(0) => Op::Fault,
            _ => Op::Increment(at, n),
        };
        inner.good = inner.good.map(|n| n.saturating_sub(1));
        inner.push(config.stream, op);
        Ok(())
    }

    fn create_stream(&self) -> Result<StreamId, DeviceError> {
        let mut inner = lock(&self.inner);
        inner.last += 1;
        Ok(StreamId(inner.last))
    }

    fn destroy_stream(&self, stream: StreamId) -> Result<(), DeviceError> {
        self.synchronize(stream)
    }

    fn synchronize(&self, stream: StreamId) -> Result<(), DeviceError> {
        let mut inner = lock(&self.inner);
        inner.works("wait")?;
        inner.run(stream.0);
        // What was done by then may be the fault.
        inner.works("wait")
    }

    fn is_idle(&self, stream: StreamId) -> Result<bool, DeviceError> {
        let inner = lock(&self.inner);
        inner.works("ask")?;
        Ok(inner.queued.get(&stream.0).is_none_or(Vec::is_empty))
    }

    fn synchronize_all(&self) -> Result<(), DeviceError> {
        let mut inner = lock(&self.inner);
        let streams: Vec<u64> = inner.queued.keys().copied().collect();
        streams.into_iter().for_each(|s| inner.run(s));
        Ok(())
    }

    fn create_event(&self) -> Result<EventId, DeviceError> {
        let mut inner = lock(&self.inner);
        inner.last += 1;
        Ok(EventId(inner.last))
    }

    fn destroy_event(&self, _: EventId) -> Result<(), DeviceError> {
        Ok(())
    }

    fn record_event(&self, event: EventId, stream: StreamId) -> Result<(), DeviceError> {
        let mut inner = lock(&self.inner);
        inner.works("record an event")?;
        inner.recorded += 1;
        inner.events.insert(event.0, stream.0);
        inner.push(stream, Op::Record(event.0));
        Ok(())
    }

    fn wait_event(&self, stream: StreamId, event: EventId) -> Result<(), DeviceError> {
        lock(&self.inner).push(stream, Op::Wait(event.0));
        Ok(())
    }

    fn elapsed_us(&self, start: EventId, end: EventId) -> Result<f64, DeviceError> {
        let mut inner = lock(&self.inner);
        inner.works("take a time")?;
        for event in [start, end] {
            if let Some(stream) = inner.events.get(&event.0).copied() {
                inner.run(stream);
            }
        }
        match (inner.times.get(&start.0), inner.times.get(&end.0)) {
            (Some(start), Some(end)) => Ok(end - start),
            _ => Err(DeviceError::Invalid {
                operation: "take a time".to_string(),
                problem: "one was never recorded".to_string(),
            }),
        }
    }
}
