//! Running a region, and the functions that its native code calls for the device.
//!
//! Native code names ops by number; the region tells where each is in the source. The
//! device, the stream and the image of the region that a thread runs are in
//! thread-local storage.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use terrace_support::estimate::Work;

use super::abi::{self, Entry, Place, Region, text};
use super::exhausted::explain;
use super::failure::guard;
use super::fault::{Origin, attributed};
use super::queue::SYNC;
use super::report::{Launched, Order, Report};
use super::{Runtime, lock};
use crate::device::{DeviceError, DevicePtr, KernelArg, KernelId, LaunchConfig, StreamId};
use crate::profile::LaunchWork;
use terrace_ptx::launch::{Indices, Subject};

/// The kernels of an image on one device.
#[derive(Debug)]
pub struct Loaded {
    kernels: Vec<LoadedKernel>,
}

#[derive(Debug)]
struct LoadedKernel {
    id: KernelId,
    name: String,
    params: Vec<Parameter>,
    /// Runs in its place where addresses are not aligned as it takes them to be.
    fallback: Option<(KernelId, String)>,
    /// What launches must keep to where indices have 32 bits.
    indices: Option<Indices>,
    /// Where it was launched first; mostly there is one place.
    origin: OnceLock<Arc<Origin>>,
}

#[derive(Debug)]
struct Parameter {
    /// What the program calls it.
    name: Option<String>,
    bytes: usize,
    align: u64,
    fallback_align: u64,
}

impl LoadedKernel {
    /// What launches with these words can run: the kernel, or its fallback.
    fn fitting(&self, words: &[u64]) -> Result<(KernelId, &str), String> {
        let all = || words.iter().zip(&self.params);
        if all().all(|(w, p)| w.is_multiple_of(p.align)) {
            return Ok((self.id, &self.name));
        }
        let least = |p: &Parameter| match self.fallback {
            Some(_) => p.fallback_align,
            None => p.align,
        };
        let odd = all().find(|(w, p)| !w.is_multiple_of(least(p)));
        match (odd, &self.fallback) {
            (None, Some((id, name))) => Ok((*id, name)),
            (odd, _) => Err(odd.map_or_else(String::new, |(w, p)| {
                let align = least(p);
                format!(
                    "{} is at address {w:#x} of the device, {} bytes past a multiple of {align}; \
                     kernel {} takes it to be aligned to {align} bytes",
                    p.name.as_deref().unwrap_or("an array"),
                    w % align,
                    self.name
                )
            })),
        }
    }

    /// Whether indices of a launch with these words fit.
    fn check_indices(&self, words: &[u64], config: &LaunchConfig) -> Result<(), String> {
        let Some(indices) = &self.indices else {
            return Ok(());
        };
        let name = |s: Subject| {
            let (Subject::Scalar(at) | Subject::Array(at)) = s;
            let named = self.params.get(at).and_then(|p| p.name.clone());
            named.unwrap_or_else(|| match s {
                Subject::Scalar(at) => format!("parameter {at} of kernel {}", self.name),
                Subject::Array(_) => "an array".to_string(),
            })
        };
        indices.check(words, config.grid, config.block, &name)
    }
}

/// What a thread runs on a device.
pub(super) struct Running {
    pub(super) runtime: &'static Runtime,
    loaded: Arc<Loaded>,
    pub(super) stream: StreamId,
    name: String,
    pub(super) place: Place,
    /// The region itself, for as long as it runs.
    region: *const Region,
    error: Option<String>,
    /// Whether the error says by itself where it comes from.
    placed: Cell<bool>,
    /// What the next launch does.
    work: Cell<Option<LaunchWork>>,
}

impl Running {
    /// Notes that something is about to be queued, until [`Running::told`].
    pub(super) fn mark(&self) -> Order {
        let mut state = self.runtime.state();
        let order = state.queues.mark(self.stream);
        state.queues.open(self.stream, order);
        order
    }

    /// The device knows of it.
    pub(super) fn told(&self, order: Order) {
        self.runtime.state().queues.close(self.stream, order);
    }

    /// What is said of an error of the device: a fault is that of a launch before, with the
    /// place of that.
    pub(super) fn say(&self, e: DeviceError) -> String {
        match attributed(&self.runtime.state().queues, &e) {
            Some(text) => {
                self.placed.set(true);
                text
            }
            None => e.to_string(),
        }
    }

    /// Where `kernel` is launched from by this op.
    fn origin(&self, kernel: &LoadedKernel, name: &str, op: u32) -> Arc<Origin> {
        let is_it = |o: &&Arc<Origin>| o.op == op && o.kernel == name && o.region == self.name;
        if let Some(known) = kernel.origin.get().filter(is_it) {
            return Arc::clone(known);
        }
        // SAFETY: this is only made, and used, while the region's reference lives.
        let region = unsafe { &*self.region };
        let code = i32::try_from(op).map_or(0, |op| op.saturating_add(1));
        let origin = Arc::new(Origin {
            op,
            region: self.name.clone(),
            kernel: name.to_string(),
            // SAFETY: the region is as in `terrace.h`.
            place: unsafe { site(region, code, &self.place) },
        });
        // The first stays; others are made again.
        let _ = kernel.origin.set(Arc::clone(&origin));
        origin
    }
}

thread_local! {
    static RUNNING: RefCell<Option<Running>> = const { RefCell::new(None) };
    /// The region that this thread was asked about last, and what it does when it is run
    /// next.
    static EXPECTED: Cell<Option<(usize, Work)>> = const { Cell::new(None) };
}

/// Notes what the next run of a region on this thread does, for profiles.
pub(super) fn expect(region: *const Region, work: Option<Work>) {
    EXPECTED.set(work.map(|w| (region as usize, w)));
}

/// What was noted of this region.
fn expected(region: &Region) -> Option<Work> {
    let (of, work) = EXPECTED.take()?;
    (of == std::ptr::from_ref(region) as usize).then_some(work)
}

/// The region's name and place.
///
/// # Safety
/// The region's strings are as in `terrace.h`.
pub unsafe fn describe(region: &Region) -> (String, Place) {
    // SAFETY: by the contract.
    unsafe {
        let name = text(region.name).unwrap_or_default().into_owned();
        (name, Place::new(region.file, region.line, region.column))
    }
}

/// The place of the op that a packed entry's result names; the region's where it names
/// none.
///
/// # Safety
/// The region's sites are as in `terrace.h`.
unsafe fn site(region: &Region, code: i32, otherwise: &Place) -> Place {
    let index = u64::from(code.unsigned_abs()).wrapping_sub(1);
    if code <= 0 || index >= region.num_sites || region.sites.is_null() {
        return otherwise.clone();
    }
    // SAFETY: below the number of sites.
    let site = unsafe { &*region.sites.add(index as usize) };
    // SAFETY: by the contract.
    let place = unsafe { Place::new(site.file, site.line, site.column) };
    match place.file.is_empty() {
        true => otherwise.clone(),
        false => place,
    }
}

const FAILED_CHECK: &str = "a check failed while this ran: a division by zero, an index out of \
                            bounds, memory that could not be had, or an assertion";

/// Checks that a region is one of ours.
///
/// # Errors
/// When it was made for another version of this interface.
///
/// # Safety
/// The region is as in `terrace.h`.
pub unsafe fn check(region: &Region) -> Result<(), String> {
    if region.abi == abi::ABI {
        return Ok(());
    }
    // The rest cannot be trusted to be where it is looked for.
    Err(format!(
        "terrace: a region was compiled for version {} of the runtime's interface, this is {}: \
         compile all files again",
        region.abi,
        abi::ABI
    ))
}

/// Runs a region's own code for this machine's cores.
///
/// # Errors
/// A check of the program that failed, with its place.
///
/// # Safety
/// `words` are the arguments of this region.
pub unsafe fn run_cpu(
    region: &Region,
    entry: Entry,
    words: *mut u64,
    report: &Report,
) -> Result<(), String> {
    let start = Instant::now();
    // SAFETY: by the contract.
    let code = unsafe { entry(words) };
    // SAFETY: by the contract.
    let (name, place) = unsafe { describe(region) };
    if code != 0 {
        // SAFETY: by the contract.
        let place = unsafe { site(region, code, &place) };
        return Err(format!("{place}: error: {FAILED_CHECK}"));
    }
    report.ran(&name, &place, start.elapsed().as_secs_f64() * 1e6);
    Ok(())
}

impl Runtime {
    /// Runs a region on the device: its newest version that the device can run.
    ///
    /// # Errors
    /// What the device says, with the place of the op.
    ///
    /// # Safety
    /// `words` are the arguments of this region, with addresses on this device.
    pub unsafe fn run(
        &'static self,
        region: &Region,
        entry: Entry,
        words: *mut u64,
        queue: i64,
    ) -> Result<(), String> {
        // SAFETY: by the contract.
        let (name, place) = unsafe { describe(region) };
        let at = |e: String| format!("{place}: error: {e}");
        let _span = self.report.host(&name, &place);
        let work = expected(region);
        // SAFETY: by the contract.
        let versions = unsafe { slice(region.versions, region.num_versions) };
        let capability = self.device.info().compute_capability;
        let newest = versions.iter().rfind(|v| v.fits(capability));
        let newest = newest.and_then(|v| Some((v.gpu?, v.image)));
        let (entry, image) = newest.unwrap_or((entry, region.image));
        // SAFETY: by the contract.
        let loaded = unsafe { self.load(image) }.map_err(at)?;
        let stream = self
            .state()
            .queues
            .stream(&*self.device, queue)
            .map_err(at)?;
        let running = Running {
            runtime: self,
            loaded,
            stream,
            name: name.clone(),
            place: place.clone(),
            region,
            error: None,
            placed: Cell::new(false),
            work: Cell::new(None),
        };
        let outer = RUNNING.with(|r| r.borrow_mut().replace(running));
        // SAFETY: by the contract.
        let code = unsafe { entry(words) };
        let done = RUNNING.with(|r| std::mem::replace(&mut *r.borrow_mut(), outer));
        let placed = done.as_ref().is_some_and(|r| r.placed.get());
        let error = done.and_then(|r| r.error);
        if let (Some(error), true) = (&error, placed) {
            return Err(error.clone());
        }
        if code != 0 || error.is_some() {
            // SAFETY: by the contract.
            let place = unsafe { site(region, code, &place) };
            let error = error.unwrap_or_else(|| FAILED_CHECK.to_string());
            return Err(format!("{place}: error: {error}"));
        }
        self.report.worked(&name, &place, work);
        if queue == SYNC {
            let ticket = self.state().queues.told(stream);
            if let Err(e) = self.device.synchronize(stream) {
                let said = attributed(&self.state().queues, &e);
                return Err(said.unwrap_or_else(|| at(e.to_string())));
            }
            self.state().queues.done(ticket);
        }
        Ok(())
    }

    /// Loads an image once.
    ///
    /// # Safety
    /// Null, or as in `terrace.h`, and there until the process ends.
    unsafe fn load(&self, image: *const abi::Image) -> Result<Arc<Loaded>, String> {
        let key = image as usize;
        // Held while compiling: another thread that wants the same image waits for it.
        let mut images = lock(&self.images);
        if let Some(loaded) = images.get(&key) {
            return Ok(Arc::clone(loaded));
        }
        // SAFETY: by the contract.
        let loaded = match unsafe { image.as_ref() } {
            // SAFETY: by the contract.
            Some(image) => unsafe { self.load_new(image)? },
            None => Loaded {
                kernels: Vec::new(),
            },
        };
        let loaded = Arc::new(loaded);
        images.insert(key, Arc::clone(&loaded));
        Ok(loaded)
    }

    /// # Safety
    /// As in `terrace.h`.
    unsafe fn load_new(&self, image: &abi::Image) -> Result<Loaded, String> {
        // SAFETY: by the contract.
        let ptx = unsafe { slice(image.ptx.cast::<u8>(), image.ptx_bytes) };
        let ptx = ptx.strip_suffix(&[0]).unwrap_or(ptx);
        let ptx = std::str::from_utf8(ptx).map_err(|e| format!("the device code: {e}"))?;
        let _span = self.report.host("load kernels", "");
        let module = self.device.load_module(ptx).map_err(|e| e.to_string())?;
        // SAFETY: by the contract.
        let kernels = unsafe { slice(image.kernels, u64::from(image.num_kernels)) };
        let mut loaded = Vec::new();
        for k in kernels {
            // SAFETY: by the contract.
            let (name, fallback, params, words) = unsafe {
                (
                    text(k.name).unwrap_or_default().into_owned(),
                    text(k.fallback),
                    slice(k.params, u64::from(k.num_params)),
                    slice(k.indices, k.num_indices),
                )
            };
            let parameter = |p: &abi::Param| Parameter {
                // SAFETY: by the contract.
                name: unsafe { text(p.name) }.map(Cow::into_owned),
                bytes: p.bytes as usize,
                align: u64::from(p.align.max(1)),
                fallback_align: u64::from(p.fallback_align.max(1)),
            };
            let indices = match words.is_empty() {
                true => None,
                false => Some(
                    Indices::from_words(words)
                        .ok_or("found a description of indices that terrace did not write")?,
                ),
            };
            let kernel = |n: &str| self.device.kernel(module, n).map_err(|e| e.to_string());
            loaded.push(LoadedKernel {
                id: kernel(&name)?,
                fallback: fallback
                    .map(|f| Ok::<_, String>((kernel(&f)?, f.into_owned())))
                    .transpose()?,
                params: params.iter().map(parameter).collect(),
                indices,
                name,
                origin: OnceLock::new(),
            });
        }
        Ok(Loaded { kernels: loaded })
    }
}

/// # Safety
/// Null, or an array of this length that lives for `'a`.
unsafe fn slice<'a, T>(pointer: *const T, length: u64) -> &'a [T] {
    if pointer.is_null() || length == 0 {
        return &[];
    }
    // SAFETY: by the contract.
    unsafe { std::slice::from_raw_parts(pointer, length as usize) }
}

/// Does something for the region that runs; its failure becomes the region's. `failed`
/// where none runs or it has failed before.
pub(super) fn with<R>(failed: R, f: impl FnOnce(&Running) -> Result<R, String>) -> R {
    guard(|| {
        RUNNING.with(|r| {
            let mut running = r.borrow_mut();
            let Some(running) = running.as_mut().filter(|r| r.error.is_none()) else {
                return failed;
            };
            match f(running) {
                Ok(value) => value,
                Err(message) => {
                    running.error = Some(message);
                    failed
                }
            }
        })
    })
}

/// Statuses for native code.
pub(super) const OK: i32 = 0;
pub(super) const FAILED: i32 = 1;

/// The address of new device memory; 0 after an error.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_gpu_alloc(bytes: u64, _op: u32) -> u64 {
    with(0, |r| {
        let size = abi::size(bytes);
        let mut state = r.runtime.state();
        let state = &mut *state;
        let device = &*r.runtime.device;
        let ptr = state
            .blocks
            .alloc(device, &mut state.queues, size, r.stream);
        match ptr {
            Ok(ptr) => Ok(ptr.0),
            Err(e) => {
                let said = attributed(&state.queues, &e);
                r.placed.set(said.is_some());
                Err(said.unwrap_or_else(|| {
                    let why = explain(state, device, e);
                    format!("no place for memory of the region ({bytes} bytes): {why}")
                }))
            }
        }
    })
}

/// Gives device memory back; what is queued may still use it.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_gpu_free(ptr: u64, _op: u32) -> i32 {
    with(FAILED, |r| {
        let mut state = r.runtime.state();
        let state = &mut *state;
        let freed = state
            .blocks
            .free(&*r.runtime.device, &state.queues, DevicePtr(ptr));
        let freed = match freed {
            Ok(freed) => freed,
            Err(e) => {
                let said = attributed(&state.queues, &e);
                r.placed.set(said.is_some());
                return Err(said.unwrap_or_else(|| e.to_string()));
            }
        };
        match freed {
            true => Ok(OK),
            false => Err(format!("{ptr:#x} is not device memory of this program")),
        }
    })
}

/// Sets `count` elements of `size` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_gpu_memset(ptr: u64, bits: u64, size: u32, count: u64, _op: u32) -> i32 {
    with(FAILED, |r| {
        let pattern = bits.to_ne_bytes();
        let size = usize::try_from(size)
            .ok()
            .filter(|n| matches!(n, 1 | 2 | 4 | 8));
        let size = size.ok_or("elements of a memset must have 1, 2, 4 or 8 bytes")?;
        let count = abi::size(count);
        let order = r.mark();
        let device = &*r.runtime.device;
        let set = device.memset(DevicePtr(ptr), &pattern[..size], count, r.stream);
        r.told(order);
        set.map_err(|e| r.say(e))?;
        Ok(OK)
    })
}

/// Whether [`terrace_gpu_work`] is to be told.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_gpu_profiled() -> i32 {
    with(0, |r| Ok(i32::from(r.runtime.report.wants_work())))
}

/// What the next launch does: arithmetic on floats of at most 32 bits and of 64, and the bytes
/// that memory must at least move; NaN is not known.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_gpu_work(flops32: f64, flops64: f64, bytes: f64) {
    with((), |r| {
        r.work.set(Some(LaunchWork {
            flops: [flops32, flops64],
            bytes,
        }));
        Ok(())
    });
}

/// Launches a kernel of the region's image; `grid` and `block` point to three sizes
/// each, `args` to `count` words.
///
/// # Safety
/// The pointers are to arrays of these lengths, and the words are the kernel's
/// arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_gpu_launch(
    kernel: u32,
    grid: *const u64,
    block: *const u64,
    shared: u32,
    args: *const u64,
    count: u32,
    op: u32,
) -> i32 {
    with(FAILED, |r| {
        // SAFETY: by the contract.
        let (grid, block, words) = unsafe {
            (
                slice(grid, 3),
                slice(block, 3),
                slice(args, u64::from(count)),
            )
        };
        let k = r
            .loaded
            .kernels
            .get(kernel as usize)
            .ok_or("a kernel that does not exist")?;
        if k.params.len() != words.len() {
            return Err(format!(
                "kernel {} takes {} parameters, but the launch passes {}",
                k.name,
                k.params.len(),
                words.len()
            ));
        }
        let config = LaunchConfig {
            grid: sizes(grid, "grid")?,
            block: sizes(block, "block")?,
            shared_bytes: shared,
            stream: r.stream,
        };
        let (id, name) = k.fitting(words)?;
        k.check_indices(words, &config)?;
        let args: Vec<KernelArg> = words
            .iter()
            .zip(&k.params)
            .map(|(w, p)| KernelArg::of_word(*w, p.bytes))
            .collect();
        let (device, report) = (&*r.runtime.device, &r.runtime.report);
        let origin = r.origin(k, name, op);
        let order = {
            let mut state = r.runtime.state();
            let order = state.queues.mark_launch(r.stream, &origin);
            state.queues.open(r.stream, order);
            order
        };
        let launched = Launched {
            region: &r.name,
            kernel: name,
            id,
            place: &r.place,
            work: r.work.take(),
        };
        let begun = report.begin_launch(device, &config, Some(order), &launched);
        // SAFETY: sizes are those of the kernel's parameters; the addresses among them
        // are entered data, which leaves the device only after what is queued.
        let result = unsafe { device.launch(id, &config, &args) };
        r.told(order);
        if let Err(e) = result {
            report.refused(begun);
            // It is not out, so that a fault is not taken to be its own.
            r.runtime.state().queues.unmark_launch(r.stream);
            return Err(r.say(e));
        }
        report.launched(device, &config, begun, &launched);
        if r.runtime.waits {
            let ticket = r.runtime.state().queues.told(r.stream);
            device.synchronize(r.stream).map_err(|e| r.say(e))?;
            r.runtime.state().queues.done(ticket);
        }
        Ok(OK)
    })
}

fn sizes(values: &[u64], what: &str) -> Result<[u32; 3], String> {
    let mut out = [0; 3];
    for (o, v) in out.iter_mut().zip(values) {
        *o = u32::try_from(*v).map_err(|_| format!("{what} size {} is out of range", *v as i64))?;
    }
    Ok(out)
}

/// Waits for the region's work so far.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_gpu_sync(_op: u32) -> i32 {
    with(FAILED, |r| {
        let ticket = r.runtime.state().queues.told(r.stream);
        r.runtime
            .device
            .synchronize(r.stream)
            .map_err(|e| r.say(e))?;
        r.runtime.state().queues.done(ticket);
        Ok(OK)
    })
}
