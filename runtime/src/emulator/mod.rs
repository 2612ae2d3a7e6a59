//! A device without a GPU: the emulator behind [`Device`].
//!
//! Everything happens at once: work of a stream is done when it is queued, and a
//! kernel that is found wrong is an error of its launch, which names the source
//! lines. `TERRACE_EMULATOR` says what is checked; see [`settings::Settings`].

mod settings;

use crate::notice::say;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

pub use settings::Settings;
use terrace_emulator::{Config, Counts, Memory, Module, Outcome, launch};
use terrace_emulator::{Launch as EmulatedLaunch, MemoryError};

use crate::device::{
    AllocTable, Device, DeviceError, DeviceInfo, DevicePtr, EventId, KernelArg, KernelId,
    KernelInfo, Launch, LaunchConfig, MemoryInfo, ModuleId, StreamId, check_arguments,
    check_launch,
};

/// An emulated device.
pub struct EmulatorDevice {
    info: DeviceInfo,
    settings: Settings,
    memory: Memory,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    last: u64,
    allocations: AllocTable,
    host: HashMap<usize, Layout>,
    streams: Vec<u64>,
    events: HashMap<u64, Option<Instant>>,
    modules: HashMap<u64, Arc<Module>>,
    by_text: HashMap<Box<str>, u64>,
    kernels: HashMap<u64, (u64, usize)>,
    counts: HashMap<String, Counts>,
}

impl State {
    fn fresh(&mut self) -> u64 {
        self.last += 1;
        self.last
    }
}

/// Blocks that may wait for each other. The emulator could keep many more going, but a barrier
/// of them all takes it so much longer, and finds nothing else.
const RESIDENT_BLOCKS: u32 = 8;

/// Alignment of host memory for copies.
const HOST_ALIGN: usize = 4096;

impl EmulatorDevice {
    /// A device of the architecture, with the checks, that the settings ask for.
    pub fn new(settings: Settings) -> EmulatorDevice {
        EmulatorDevice::numbered(0, settings)
    }

    /// One of several, whose addresses differ from the others'.
    pub fn numbered(ordinal: usize, settings: Settings) -> EmulatorDevice {
        EmulatorDevice {
            info: settings.info(),
            memory: Memory::of(ordinal, settings.memory_bytes),
            settings,
            state: Mutex::default(),
        }
    }

    /// Device `ordinal`, from 0, as `TERRACE_EMULATOR` says.
    ///
    /// # Errors
    /// [`DeviceError::Invalid`] for a setting that is none,
    /// [`DeviceError::NoDevice`] where there is no such device.
    pub fn open(ordinal: usize) -> Result<EmulatorDevice, DeviceError> {
        let settings = from_environment()?;
        if ordinal >= settings.devices {
            return Err(DeviceError::NoDevice {
                emulated: true,
                ordinal,
                found: settings.devices,
            });
        }
        Ok(EmulatorDevice::numbered(ordinal, settings))
    }

    /// How many devices `TERRACE_EMULATOR` asks for: 1 where it says nothing.
    ///
    /// # Errors
    /// [`DeviceError::Invalid`] for a setting that is none.
    pub fn count() -> Result<usize, DeviceError> {
        Ok(from_environment()?.devices)
    }

    /// What all launches of a kernel did so far.
    pub fn counts(&self, kernel: &str) -> Option<Counts> {
        self.state().counts.get(kernel).cloned()
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

    fn check_stream(&self, stream: StreamId) -> Result<(), DeviceError> {
        if stream == StreamId::MAIN || self.state().streams.contains(&stream.0) {
            return Ok(());
        }
        Err(DeviceError::BadHandle {
            what: "stream",
            id: stream.0,
        })
    }

    fn find(&self, kernel: KernelId) -> Result<(Arc<Module>, usize), DeviceError> {
        let state = self.state();
        let found = state.kernels.get(&kernel.0);
        let found = found.and_then(|(m, k)| Some((Arc::clone(state.modules.get(m)?), *k)));
        found.ok_or(DeviceError::BadHandle {
            what: "kernel",
            id: kernel.0,
        })
    }

    fn judge(&self, kernel: &str, outcome: Outcome) -> Result<(), DeviceError> {
        let counts = outcome.counts;
        if self.settings.counts {
            let l2 = self.settings.checks.l2_bytes;
            say!("{}", settings::report(kernel, &counts, l2));
        }
        self.state()
            .counts
            .entry(kernel.to_string())
            .or_default()
            .add_launch(&counts);
        if outcome.findings.is_empty() {
            return Ok(());
        }
        Err(DeviceError::Fault {
            kernel: kernel.to_string(),
            findings: outcome.findings.iter().map(ToString::to_string).collect(),
        })
    }
}

fn from_environment() -> Result<Settings, DeviceError> {
    let text = std::env::var_os("TERRACE_EMULATOR").unwrap_or_default();
    Settings::parse(&text.to_string_lossy()).map_err(|problem| DeviceError::Invalid {
        operation: "read TERRACE_EMULATOR".to_string(),
        problem,
    })
}

impl Drop for EmulatorDevice {
    fn drop(&mut self) {
        for (ptr, layout) in std::mem::take(&mut self.state().host) {
            // SAFETY: from `alloc_host`, with this layout, and not freed.
            unsafe { dealloc(ptr as *mut u8, layout) };
        }
    }
}

fn memory_error(operation: &str, error: MemoryError) -> DeviceError {
    match error {
        MemoryError::OutOfMemory { bytes, free } => DeviceError::OutOfMemory {
            requested: bytes as usize,
            free: Some(free as usize),
            total: None,
        },
        other => DeviceError::Invalid {
            operation: operation.to_string(),
            problem: other.to_string(),
        },
    }
}

impl Device for EmulatorDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn looks_at_accesses(&self) -> bool {
        true
    }

    fn memory(&self) -> Result<MemoryInfo, DeviceError> {
        let (free, total) = self.memory.free_and_total();
        Ok(MemoryInfo {
            free: free as usize,
            total: total as usize,
        })
    }

    fn allocated(&self) -> (usize, usize) {
        self.state().allocations.totals()
    }

    fn alloc(&self, bytes: usize) -> Result<DevicePtr, DeviceError> {
        let ptr = self
            .memory
            .alloc(bytes as u64)
            .map_err(|e| memory_error("allocate", e))?;
        self.state().allocations.insert(DevicePtr(ptr), bytes);
        Ok(DevicePtr(ptr))
    }

    fn free(&self, ptr: DevicePtr) -> Result<(), DeviceError> {
        if self.state().allocations.remove(ptr).is_none() {
            return Err(DeviceError::Invalid {
                operation: "free device memory".to_string(),
                problem: format!("{ptr} is not the start of a live allocation"),
            });
        }
        self.memory
            .free(ptr.0)
            .map_err(|e| memory_error("free device memory", e))
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
        self.state().host.insert(ptr.as_ptr() as usize, layout);
        Ok(ptr)
    }

    unsafe fn free_host(&self, ptr: NonNull<u8>) -> Result<(), DeviceError> {
        let layout = self.state().host.remove(&(ptr.as_ptr() as usize));
        let layout = layout.ok_or_else(|| DeviceError::Invalid {
            operation: "free host memory".to_string(),
            problem: "it is not this device's, or was freed".to_string(),
        })?;
        // SAFETY: from `alloc_host`, with this layout; the caller promises that
        // nobody uses it.
        unsafe { dealloc(ptr.as_ptr(), layout) };
        Ok(())
    }

    fn copy_h2d(&self, dst: DevicePtr, src: &[u8]) -> Result<(), DeviceError> {
        let operation = || format!("copy {} bytes to the device", src.len());
        self.check_range(dst, src.len(), operation)?;
        if src.is_empty() {
            return Ok(());
        }
        self.memory
            .write(dst.0, src)
            .map_err(|e| memory_error(&operation(), e))
    }

    fn copy_d2h(&self, dst: &mut [u8], src: DevicePtr) -> Result<(), DeviceError> {
        let bytes = dst.len();
        let operation = || format!("copy {bytes} bytes from the device");
        self.check_range(src, bytes, operation)?;
        if bytes == 0 {
            return Ok(());
        }
        self.memory
            .read(src.0, dst)
            .map_err(|e| memory_error(&operation(), e))
    }

    unsafe fn copy_h2d_async(
        &self,
        dst: DevicePtr,
        src: *const u8,
        bytes: usize,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        self.check_stream(stream)?;
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: the caller promises that so many bytes can be read.
        self.copy_h2d(dst, unsafe { std::slice::from_raw_parts(src, bytes) })
    }

    unsafe fn copy_d2h_async(
        &self,
        dst: *mut u8,
        src: DevicePtr,
        bytes: usize,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        self.check_stream(stream)?;
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: the caller promises that so many bytes can be written, and that
        // nobody else uses them.
        self.copy_d2h(unsafe { std::slice::from_raw_parts_mut(dst, bytes) }, src)
    }

    fn copy_d2d(
        &self,
        dst: DevicePtr,
        src: DevicePtr,
        bytes: usize,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        let operation = || format!("copy {bytes} bytes within the device");
        self.check_stream(stream)?;
        self.check_range(dst, bytes, operation)?;
        self.check_range(src, bytes, operation)?;
        let (a, b, n) = (dst.0, src.0, bytes as u64);
        if n > 0 && a < b + n && b < a + n {
            return Err(DeviceError::Invalid {
                operation: operation(),
                problem: format!("source {src} and destination {dst} overlap"),
            });
        }
        if n == 0 {
            return Ok(());
        }
        self.memory
            .copy(a, b, n)
            .map_err(|e| memory_error(&operation(), e))
    }

    fn memset(
        &self,
        dst: DevicePtr,
        pattern: &[u8],
        count: usize,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        let operation = || format!("fill {count} times {} bytes", pattern.len());
        self.check_stream(stream)?;
        let invalid = |problem: String| DeviceError::Invalid {
            operation: operation(),
            problem,
        };
        if !matches!(pattern.len(), 1 | 2 | 4 | 8) {
            return Err(invalid("a pattern has 1, 2, 4 or 8 bytes".to_string()));
        }
        if !dst.0.is_multiple_of(pattern.len() as u64) {
            return Err(invalid(format!("{dst} is not aligned to the pattern")));
        }
        let bytes = pattern
            .len()
            .checked_mul(count)
            .ok_or_else(|| invalid("more bytes than there can be".to_string()))?;
        self.check_range(dst, bytes, operation)?;
        if bytes == 0 {
            return Ok(());
        }
        self.memory
            .fill(dst.0, pattern, count as u64)
            .map_err(|e| memory_error(&operation(), e))
    }

    fn load_module(&self, ptx: &str) -> Result<ModuleId, DeviceError> {
        if let Some(id) = self.state().by_text.get(ptx) {
            return Ok(ModuleId(*id));
        }
        let module = Module::load(&self.memory, ptx).map_err(|error| DeviceError::Jit {
            name: "the emulator".to_string(),
            text: "the text is not PTX, or beyond what is emulated".to_string(),
            log: error.to_string(),
            lines: error
                .errors
                .iter()
                .filter_map(|(line, ..)| {
                    let line = *line as usize;
                    let text = ptx.lines().nth(line.checked_sub(1)?)?;
                    Some((line, text.to_string()))
                })
                .take(8)
                .collect(),
        })?;
        let mut state = self.state();
        if let Some(id) = state.by_text.get(ptx).copied() {
            drop(state);
            // Another thread was faster.
            module.unload(&self.memory);
            return Ok(ModuleId(id));
        }
        let id = state.fresh();
        state.modules.insert(id, Arc::new(module));
        state.by_text.insert(ptx.into(), id);
        Ok(ModuleId(id))
    }

    fn kernel(&self, module: ModuleId, name: &str) -> Result<KernelId, DeviceError> {
        let mut state = self.state();
        let Some(found) = state.modules.get(&module.0).cloned() else {
            return Err(DeviceError::BadHandle {
                what: "module",
                id: module.0,
            });
        };
        let Some(index) = found.kernels.iter().position(|k| k.name == name) else {
            return Err(DeviceError::NoKernel {
                name: name.to_string(),
                available: found.kernels.iter().map(|k| k.name.clone()).collect(),
            });
        };
        let same = state
            .kernels
            .iter()
            .find(|(_, known)| **known == (module.0, index));
        if let Some((id, _)) = same {
            return Ok(KernelId(*id));
        }
        let id = state.fresh();
        state.kernels.insert(id, (module.0, index));
        Ok(KernelId(id))
    }

    fn kernel_info(&self, kernel: KernelId) -> Result<KernelInfo, DeviceError> {
        let (module, index) = self.find(kernel)?;
        let kernel = &module.kernels[index];
        let bounds = kernel.bounds.required_threads.or(kernel.bounds.max_threads);
        let most = bounds.map_or(self.info.max_threads_per_block, |d| {
            d.iter()
                .product::<u32>()
                .min(self.info.max_threads_per_block)
        });
        Ok(KernelInfo {
            name: kernel.name.clone(),
            // Only an assembler knows.
            registers: 0,
            static_shared: kernel.static_shared,
            local: kernel.local,
            constant: 0,
            max_threads_per_block: most,
            parameters: Some(kernel.parameters.iter().map(|p| p.bytes as usize).collect()),
        })
    }

    unsafe fn launch(
        &self,
        kernel: KernelId,
        config: &LaunchConfig,
        args: &[KernelArg],
    ) -> Result<(), DeviceError> {
        self.check_stream(config.stream)?;
        let info = self.kernel_info(kernel)?;
        let refused = |problem: String| DeviceError::Launch {
            kernel: info.name.clone(),
            problem,
        };
        let sizes: Vec<usize> = args.iter().map(|a| a.bytes().len()).collect();
        check_arguments(&info, &sizes).map_err(refused)?;
        if check_launch(&self.info, &info, config).map_err(refused)? == Launch::Empty {
            return Ok(());
        }
        let (module, index) = self.find(kernel)?;
        let kernel = &module.kernels[index];
        let mut params = vec![0; kernel.parameter_bytes as usize];
        for (parameter, arg) in kernel.parameters.iter().zip(args) {
            let at = parameter.offset as usize;
            params[at..at + arg.bytes().len()].copy_from_slice(arg.bytes());
        }
        let run = EmulatedLaunch {
            kernel,
            config: Config {
                grid: config.grid,
                block: config.block,
                shared_bytes: config.shared_bytes,
            },
            params: &params,
        };
        let outcome = launch(&self.memory, &run, &self.settings.checks).map_err(refused)?;
        self.judge(&kernel.name, outcome)
    }

    fn resident_blocks(&self, kernel: KernelId, _: &LaunchConfig) -> Result<u32, DeviceError> {
        self.kernel_info(kernel).map(|_| RESIDENT_BLOCKS)
    }

    unsafe fn launch_cooperative(
        &self,
        kernel: KernelId,
        config: &LaunchConfig,
        args: &[KernelArg],
    ) -> Result<(), DeviceError> {
        let blocks = config.grid.iter().fold(1u64, |n, d| n * u64::from(*d));
        if blocks > u64::from(RESIDENT_BLOCKS) {
            return Err(DeviceError::Launch {
                kernel: self.kernel_info(kernel)?.name,
                problem: format!(
                    "{blocks} blocks that wait for each other, there is room for {RESIDENT_BLOCKS}"
                ),
            });
        }
        // SAFETY: by the contract. The emulator takes all of so few blocks in turns.
        unsafe { self.launch(kernel, config, args) }
    }

    fn create_stream(&self) -> Result<StreamId, DeviceError> {
        let mut state = self.state();
        let id = state.fresh();
        state.streams.push(id);
        Ok(StreamId(id))
    }

    fn destroy_stream(&self, stream: StreamId) -> Result<(), DeviceError> {
        let mut state = self.state();
        match state.streams.iter().position(|s| *s == stream.0) {
            Some(at) => {
                state.streams.swap_remove(at);
                Ok(())
            }
            None => Err(DeviceError::BadHandle {
                what: "stream",
                id: stream.0,
            }),
        }
    }

    fn synchronize(&self, stream: StreamId) -> Result<(), DeviceError> {
        self.check_stream(stream)
    }

    fn is_idle(&self, stream: StreamId) -> Result<bool, DeviceError> {
        self.check_stream(stream).map(|()| true)
    }

    fn synchronize_all(&self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn create_event(&self) -> Result<EventId, DeviceError> {
        let mut state = self.state();
        let id = state.fresh();
        state.events.insert(id, None);
        Ok(EventId(id))
    }

    fn destroy_event(&self, event: EventId) -> Result<(), DeviceError> {
        match self.state().events.remove(&event.0) {
            Some(_) => Ok(()),
            None => Err(bad_event(event)),
        }
    }

    fn record_event(&self, event: EventId, stream: StreamId) -> Result<(), DeviceError> {
        self.check_stream(stream)?;
        match self.state().events.get_mut(&event.0) {
            Some(at) => {
                *at = Some(Instant::now());
                Ok(())
            }
            None => Err(bad_event(event)),
        }
    }

    fn wait_event(&self, stream: StreamId, event: EventId) -> Result<(), DeviceError> {
        self.check_stream(stream)?;
        match self.state().events.contains_key(&event.0) {
            true => Ok(()),
            false => Err(bad_event(event)),
        }
    }

    fn elapsed_us(&self, start: EventId, end: EventId) -> Result<f64, DeviceError> {
        let state = self.state();
        let time = |event: EventId| match state.events.get(&event.0) {
            Some(Some(at)) => Ok(*at),
            Some(None) => Err(DeviceError::Invalid {
                operation: "measure the time between events".to_string(),
                problem: "one of them was never recorded".to_string(),
            }),
            None => Err(bad_event(event)),
        };
        let (start, end) = (time(start)?, time(end)?);
        Ok(end.saturating_duration_since(start).as_secs_f64() * 1e6)
    }
}

fn bad_event(event: EventId) -> DeviceError {
    DeviceError::BadHandle {
        what: "event",
        id: event.0,
    }
}
