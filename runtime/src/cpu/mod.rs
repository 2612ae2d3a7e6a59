//! The host as a [`Device`]: its memory is the host's, its streams are threads.
//!
//! What is queued is done later, by the stream's thread, so what relies on more than the
//! order of a stream and its events goes wrong here as on a GPU, which it does not on the
//! emulator. Addresses are the host's own. Kernels are native functions
//! ([`NativeKernel`]); a module is PTX text whose kernels are looked up among them, so
//! that the same program, with the same checks of launches, runs on either. There is no
//! shared memory.
//!
//! Programs from `terrace cc` do not use it: with `TERRACE_TARGET=cpu` their regions run
//! as native code on the arrays of the program itself, for which data directives have
//! nothing to do.

mod kernels;
mod queue;

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kernels::{FoundKernel, load};
pub use kernels::{NativeKernel, NativeLaunch};
use queue::{Event, Failure, Queue, Work};

use crate::device::{
    AllocTable, Device, DeviceError, DeviceInfo, DevicePtr, EventId, KernelArg, KernelId,
    KernelInfo, Launch, LaunchConfig, MemoryInfo, ModuleId, StreamId, check_arguments,
    check_launch,
};

/// The host's cores and memory.
pub struct CpuDevice {
    info: DeviceInfo,
    native: HashMap<String, NativeKernel>,
    failure: Arc<Failure>,
    main: Queue,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    last: u64,
    allocations: AllocTable,
    /// What is allocated, device memory and pinned memory.
    layouts: HashMap<u64, Layout>,
    pinned: HashMap<u64, Layout>,
    used: usize,
    streams: HashMap<u64, Arc<Queue>>,
    events: HashMap<u64, Arc<Event>>,
    modules: HashMap<u64, Vec<(String, u64)>>,
    by_text: HashMap<Box<str>, u64>,
    kernels: HashMap<u64, FoundKernel>,
}

impl State {
    fn fresh(&mut self) -> u64 {
        self.last += 1;
        self.last
    }
}

/// Alignment of device memory, and of pinned memory.
const ALIGN: usize = 256;
const HOST_ALIGN: usize = 4096;

/// An address that a stream's thread uses.
#[derive(Clone, Copy)]
struct Address(*mut u8);

// SAFETY: whoever queues work promises that the memory is there and nobody else uses it
// until the stream was waited for.
unsafe impl Send for Address {}

impl Address {
    /// The pointer. A function, so that closures capture the whole.
    fn get(self) -> *mut u8 {
        self.0
    }
}

impl CpuDevice {
    /// A device that gives out at most this many bytes, and has these kernels.
    ///
    /// # Errors
    /// [`DeviceError::Invalid`] when the system has no more threads.
    pub fn new(
        memory_bytes: usize,
        native: &[(&str, NativeKernel)],
    ) -> Result<CpuDevice, DeviceError> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let failure = Arc::<Failure>::default();
        Ok(CpuDevice {
            info: DeviceInfo {
                name: "the host's cores".to_string(),
                multiprocessors: u32::try_from(cores).unwrap_or(u32::MAX),
                warp_size: 1,
                max_threads_per_block: 1024,
                max_block: [1024, 1024, 64],
                max_grid: [2_147_483_647, 65535, 65535],
                max_threads_per_multiprocessor: 1024,
                max_blocks_per_multiprocessor: 1,
                total_memory: memory_bytes,
                ..DeviceInfo::default()
            },
            native: (native.iter().map(|(name, run)| (name.to_string(), *run))).collect(),
            main: Queue::new(&failure)?,
            failure,
            state: Mutex::default(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every update is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check_range(
        &self,
        ptr: DevicePtr,
        bytes: usize,
        operation: impl FnOnce() -> String,
    ) -> Result<(), DeviceError> {
        self.state().allocations.check(ptr, bytes, operation)
    }

    /// Does something with a stream.
    fn on<R>(&self, stream: StreamId, f: impl FnOnce(&Queue) -> R) -> Result<R, DeviceError> {
        if stream == StreamId::MAIN {
            return Ok(f(&self.main));
        }
        let found = self.state().streams.get(&stream.0).cloned();
        let bad = DeviceError::BadHandle {
            what: "stream",
            id: stream.0,
        };
        found.map(|queue| f(&queue)).ok_or(bad)
    }

    fn push(&self, stream: StreamId, work: Work) -> Result<(), DeviceError> {
        self.failure.check()?;
        self.on(stream, |queue| queue.push(work))
    }

    /// Waits for everything that was queued.
    fn wait_for_all(&self) {
        let streams: Vec<Arc<Queue>> = self.state().streams.values().cloned().collect();
        self.main.wait();
        streams.iter().for_each(|s| s.wait());
    }

    fn event(&self, id: EventId) -> Result<Arc<Event>, DeviceError> {
        let found = self.state().events.get(&id.0).cloned();
        found.ok_or(DeviceError::BadHandle {
            what: "event",
            id: id.0,
        })
    }

    fn find(&self, kernel: KernelId) -> Result<FoundKernel, DeviceError> {
        let found = self.state().kernels.get(&kernel.0).cloned();
        found.ok_or(DeviceError::BadHandle {
            what: "kernel",
            id: kernel.0,
        })
    }
}

impl Drop for CpuDevice {
    fn drop(&mut self) {
        self.wait_for_all();
        let mut state = self.state();
        let layouts = std::mem::take(&mut state.layouts);
        let pinned = std::mem::take(&mut state.pinned);
        for (ptr, layout) in layouts.into_iter().chain(pinned) {
            // SAFETY: allocated with this layout and not freed; nothing uses it any more.
            unsafe { dealloc(ptr as *mut u8, layout) };
        }
    }
}

impl Device for CpuDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn memory(&self) -> Result<MemoryInfo, DeviceError> {
        let total = self.info.total_memory;
        Ok(MemoryInfo {
            free: total - self.state().used.min(total),
            total,
        })
    }

    fn allocated(&self) -> (usize, usize) {
        self.state().allocations.totals()
    }

    fn alloc(&self, bytes: usize) -> Result<DevicePtr, DeviceError> {
        let mut state = self.state();
        let total = self.info.total_memory;
        let free = total - state.used.min(total);
        let none = || DeviceError::OutOfMemory {
            requested: bytes,
            free: Some(free),
            total: Some(total),
        };
        if bytes > free {
            return Err(none());
        }
        let layout = Layout::from_size_align(bytes.max(1), ALIGN).map_err(|_| none())?;
        // SAFETY: the size is not 0.
        let ptr = NonNull::new(unsafe { alloc(layout) }).ok_or_else(none)?;
        let ptr = DevicePtr(ptr.as_ptr() as u64);
        state.used += bytes;
        state.allocations.insert(ptr, bytes);
        state.layouts.insert(ptr.0, layout);
        Ok(ptr)
    }

    fn free(&self, ptr: DevicePtr) -> Result<(), DeviceError> {
        let layout = {
            let mut state = self.state();
            let (bytes, layout) = (state.allocations.remove(ptr), state.layouts.remove(&ptr.0));
            let (Some(bytes), Some(layout)) = (bytes, layout) else {
                return Err(DeviceError::Invalid {
                    operation: "free device memory".to_string(),
                    problem: format!("{ptr} is not the start of a live allocation"),
                });
            };
            state.used -= bytes;
            layout
        };
        // Nothing new is queued for it, since it is out of the table.
        self.wait_for_all();
        // SAFETY: from `alloc`, with this layout, and taken out of the tables once.
        unsafe { dealloc(ptr.0 as *mut u8, layout) };
        Ok(())
    }

    fn alloc_host(&self, bytes: usize) -> Result<NonNull<u8>, DeviceError> {
        let failed = || DeviceError::OutOfMemory {
            requested: bytes,
            free: None,
            total: None,
        };
        let layout = Layout::from_size_align(bytes.max(1), HOST_ALIGN).map_err(|_| failed())?;
        // SAFETY: the size is not 0.
        let ptr = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(failed)?;
        self.state().pinned.insert(ptr.as_ptr() as u64, layout);
        Ok(ptr)
    }

    unsafe fn free_host(&self, ptr: NonNull<u8>) -> Result<(), DeviceError> {
        let layout = self.state().pinned.remove(&(ptr.as_ptr() as u64));
        let layout = layout.ok_or_else(|| DeviceError::Invalid {
            operation: "free pinned host memory".to_string(),
            problem: "it is not this device's, or was freed".to_string(),
        })?;
        // SAFETY: from `alloc_host`, with this layout; the caller promises that nobody
        // uses it.
        unsafe { dealloc(ptr.as_ptr(), layout) };
        Ok(())
    }

    fn copy_h2d(&self, dst: DevicePtr, src: &[u8]) -> Result<(), DeviceError> {
        // SAFETY: waited for before the borrow ends.
        unsafe { self.copy_h2d_async(dst, src.as_ptr(), src.len(), StreamId::MAIN)? };
        self.synchronize(StreamId::MAIN)
    }

    fn copy_d2h(&self, dst: &mut [u8], src: DevicePtr) -> Result<(), DeviceError> {
        // SAFETY: as above, and the borrow is exclusive.
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
        self.check_range(dst, bytes, || format!("copy {bytes} bytes to the device"))?;
        let (dst, src) = (Address(dst.0 as *mut u8), Address(src.cast_mut()));
        self.push(
            stream,
            Box::new(move || {
                // SAFETY: the destination is ours, and freed after this; the caller
                // promises the source.
                unsafe { std::ptr::copy(src.get().cast_const(), dst.get(), bytes) };
                Ok(())
            }),
        )
    }

    unsafe fn copy_d2h_async(
        &self,
        dst: *mut u8,
        src: DevicePtr,
        bytes: usize,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        self.check_range(src, bytes, || format!("copy {bytes} bytes from the device"))?;
        let (dst, src) = (Address(dst), Address(src.0 as *mut u8));
        self.push(
            stream,
            Box::new(move || {
                // SAFETY: the source is ours, and freed after this; the caller promises
                // the destination.
                unsafe { std::ptr::copy(src.get().cast_const(), dst.get(), bytes) };
                Ok(())
            }),
        )
    }

    fn copy_d2d(
        &self,
        dst: DevicePtr,
        src: DevicePtr,
        bytes: usize,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        let operation = || format!("copy {bytes} bytes on the device");
        self.check_range(dst, bytes, operation)?;
        self.check_range(src, bytes, operation)?;
        if bytes > 0 && dst != src && dst.0.abs_diff(src.0) < bytes as u64 {
            return Err(DeviceError::Invalid {
                operation: operation(),
                problem: format!("source {src} and destination {dst} overlap"),
            });
        }
        let (dst, src) = (Address(dst.0 as *mut u8), Address(src.0 as *mut u8));
        self.push(
            stream,
            Box::new(move || {
                // SAFETY: both are ours, and freed after this.
                unsafe { std::ptr::copy(src.get().cast_const(), dst.get(), bytes) };
                Ok(())
            }),
        )
    }

    fn memset(
        &self,
        dst: DevicePtr,
        pattern: &[u8],
        count: usize,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        let size = pattern.len();
        let operation = || format!("set {count} times {size} bytes on the device");
        let invalid = |problem: String| DeviceError::Invalid {
            operation: operation(),
            problem,
        };
        if !matches!(size, 1 | 2 | 4 | 8) {
            let problem = format!("a pattern of {size} bytes, expected 1, 2, 4 or 8");
            return Err(invalid(problem));
        }
        if !dst.0.is_multiple_of(size as u64) {
            return Err(invalid(format!("{dst} is not a multiple of {size}")));
        }
        let bytes = count
            .checked_mul(size)
            .ok_or_else(|| invalid("that is more than an address can count".to_string()))?;
        self.check_range(dst, bytes, operation)?;
        let (dst, pattern) = (Address(dst.0 as *mut u8), pattern.to_vec());
        self.push(
            stream,
            Box::new(move || {
                for i in 0..count {
                    // SAFETY: inside of an allocation that is freed after this.
                    unsafe {
                        let at = dst.get().add(i * pattern.len());
                        std::ptr::copy_nonoverlapping(pattern.as_ptr(), at, pattern.len());
                    }
                }
                Ok(())
            }),
        )
    }

    fn load_module(&self, ptx: &str) -> Result<ModuleId, DeviceError> {
        if let Some(id) = self.state().by_text.get(ptx) {
            return Ok(ModuleId(*id));
        }
        let found = load(ptx, &self.native, self.info.max_threads_per_block)?;
        let mut state = self.state();
        if let Some(id) = state.by_text.get(ptx) {
            // Another thread was faster.
            return Ok(ModuleId(*id));
        }
        let id = state.fresh();
        let mut names = Vec::new();
        for kernel in found {
            let number = state.fresh();
            names.push((kernel.info.name.clone(), number));
            state.kernels.insert(number, kernel);
        }
        state.modules.insert(id, names);
        state.by_text.insert(ptx.into(), id);
        Ok(ModuleId(id))
    }

    fn kernel(&self, module: ModuleId, name: &str) -> Result<KernelId, DeviceError> {
        let state = self.state();
        let Some(names) = state.modules.get(&module.0) else {
            return Err(DeviceError::BadHandle {
                what: "module",
                id: module.0,
            });
        };
        let found = names.iter().find(|(n, _)| n == name);
        found
            .map(|(_, id)| KernelId(*id))
            .ok_or_else(|| DeviceError::NoKernel {
                name: name.to_string(),
                available: names.iter().map(|(n, _)| n.clone()).collect(),
            })
    }

    fn kernel_info(&self, kernel: KernelId) -> Result<KernelInfo, DeviceError> {
        Ok(KernelInfo::clone(&self.find(kernel)?.info))
    }

    unsafe fn launch(
        &self,
        kernel: KernelId,
        config: &LaunchConfig,
        args: &[KernelArg],
    ) -> Result<(), DeviceError> {
        let found = self.find(kernel)?;
        let name = found.info.name.clone();
        let refused = |problem| DeviceError::Launch {
            kernel: name.clone(),
            problem,
        };
        let sizes: Vec<usize> = args.iter().map(|a| a.bytes().len()).collect();
        check_arguments(&found.info, &sizes).map_err(refused)?;
        let launch = check_launch(&self.info, &found.info, config).map_err(refused)?;
        if launch == Launch::Empty {
            return self.on(config.stream, |_| ());
        }
        let launch = NativeLaunch::new(config.grid, config.block, args);
        self.push(
            config.stream,
            Box::new(move || {
                // SAFETY: the arguments are as many and as large as declared, and the
                // caller promises the memory behind them.
                let ran = unsafe { (found.run)(&launch) };
                ran.map_err(|finding| DeviceError::Fault {
                    kernel: name,
                    findings: vec![finding],
                })
            }),
        )
    }

    fn create_stream(&self) -> Result<StreamId, DeviceError> {
        let queue = Arc::new(Queue::new(&self.failure)?);
        let mut state = self.state();
        let id = state.fresh();
        state.streams.insert(id, queue);
        Ok(StreamId(id))
    }

    fn destroy_stream(&self, stream: StreamId) -> Result<(), DeviceError> {
        let removed = self.state().streams.remove(&stream.0);
        let Some(queue) = removed else {
            return Err(DeviceError::BadHandle {
                what: "stream",
                id: stream.0,
            });
        };
        queue.wait();
        self.failure.check()
    }

    fn synchronize(&self, stream: StreamId) -> Result<(), DeviceError> {
        self.on(stream, Queue::wait)?;
        self.failure.check()
    }

    fn is_idle(&self, stream: StreamId) -> Result<bool, DeviceError> {
        let idle = self.on(stream, Queue::is_idle)?;
        self.failure.check()?;
        Ok(idle)
    }

    fn synchronize_all(&self) -> Result<(), DeviceError> {
        self.wait_for_all();
        self.failure.check()
    }

    fn create_event(&self) -> Result<EventId, DeviceError> {
        let mut state = self.state();
        let id = state.fresh();
        state.events.insert(id, Arc::default());
        Ok(EventId(id))
    }

    fn destroy_event(&self, event: EventId) -> Result<(), DeviceError> {
        // What is queued keeps it until it has happened.
        let removed = self.state().events.remove(&event.0);
        removed.map(|_| ()).ok_or(DeviceError::BadHandle {
            what: "event",
            id: event.0,
        })
    }

    fn record_event(&self, event: EventId, stream: StreamId) -> Result<(), DeviceError> {
        let event = self.event(event)?;
        self.on(stream, |_| ())?;
        self.failure.check()?;
        let number = event.record();
        self.push(
            stream,
            Box::new(move || {
                event.reach(number);
                Ok(())
            }),
        )
    }

    fn wait_event(&self, stream: StreamId, event: EventId) -> Result<(), DeviceError> {
        let event = self.event(event)?;
        let (number, failure) = (event.last(), Arc::clone(&self.failure));
        self.push(
            stream,
            Box::new(move || {
                event.wait(number, &failure);
                Ok(())
            }),
        )
    }

    fn elapsed_us(&self, start: EventId, end: EventId) -> Result<f64, DeviceError> {
        let (start, end) = (self.event(start)?, self.event(end)?);
        for event in [&start, &end] {
            event.wait(event.last(), &self.failure);
        }
        self.failure.check()?;
        match (start.time(), end.time()) {
            (Some(start), Some(end)) => {
                Ok(end.saturating_duration_since(start).as_secs_f64() * 1e6)
            }
            _ => Err(DeviceError::Invalid {
                operation: "measure the time between events".to_string(),
                problem: "one of them was never recorded".to_string(),
            }),
        }
    }
}
