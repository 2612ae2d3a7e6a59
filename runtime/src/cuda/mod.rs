//! NVIDIA devices, through the driver's own interface, opened at run time: this
//! builds and starts on machines without it.
//!
//! | file | what |
//! | --- | --- |
//! | `driver` | the functions of the driver |
//! | `info` | what a device and a kernel are |
//! | `link` | the context, and what is told of its faults |
//! | `module` | PTX compiled by the driver |
//! | `operations` | what is asked of a device, in short or by the files below |
//! | `kernels`, `launch` | modules and kernels, and launches of them |
//! | `streams` | streams and events |
//! | `fourier` | transforms by cuFFT, where it is found |
//! | `copies`, `rows`, `fill` | copies of bytes and of rows, and memory set to one value |
//! | `staged`, `outbox` | copies of pageable memory through the ring, and by a thread of their own |

mod copies;
mod driver;
mod fill;
mod fourier;
mod info;
mod kernels;
mod launch;
mod link;
mod module;
mod operations;
mod outbox;
mod rows;
mod staged;
mod streams;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cudarc::driver::sys;

use crate::cache::Cache;
use crate::device::{AllocTable, DeviceError, DeviceInfo, DevicePtr, KernelInfo, StreamId};
use driver::Driver;
use link::Link;
use outbox::Outbox;
use staged::{Apart, Stage};

/// One NVIDIA device, with its primary context retained.
///
/// It may be used from any thread. What it loaded and allocated is freed when it
/// is dropped.
pub struct CudaDevice {
    driver: &'static Driver,
    device: sys::CUdevice,
    link: Arc<Link>,
    info: DeviceInfo,
    /// Where compiled modules are kept.
    cache: Option<Cache>,
    stage: Mutex<Stage>,
    apart: Mutex<Apart>,
    outbox: Outbox,
    main_stream: sys::CUstream,
    allocations: Mutex<AllocTable>,
    handles: Mutex<Handles>,
    plans: Mutex<fourier::Plans>,
}

// SAFETY: the driver's functions may be called from any thread, the context is
// made current before each, and the tables are behind locks.
unsafe impl Send for CudaDevice {}
// SAFETY: as above.
unsafe impl Sync for CudaDevice {}

/// What the numbers handed out stand for.
#[derive(Default)]
struct Handles {
    last: u64,
    streams: HashMap<u64, sys::CUstream>,
    /// Those that the program made itself.
    adopted: HashSet<u64>,
    events: HashMap<u64, sys::CUevent>,
    modules: HashMap<u64, Module>,
    /// Modules by their text, hashed by the map; equal hashes are told apart.
    by_text: HashMap<Box<str>, u64>,
    kernels: HashMap<u64, Kernel>,
}

struct Module {
    handle: sys::CUmodule,
    entries: Vec<String>,
    kernels: HashMap<Box<str>, u64>,
}

#[derive(Clone)]
struct Kernel {
    function: sys::CUfunction,
    name: Arc<str>,
    info: Arc<KernelInfo>,
    /// Bytes of dynamic shared memory the function is set up to accept.
    dynamic_shared: u32,
}

impl Handles {
    fn fresh(&mut self) -> u64 {
        self.last += 1;
        self.last
    }
}

/// A lock that a panic elsewhere does not spoil: every update here is whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl CudaDevice {
    /// The number of devices; 0 where the driver finds none.
    ///
    /// # Errors
    /// [`DeviceError::NoDriver`], or what the driver says.
    pub fn count() -> Result<usize, DeviceError> {
        let driver = Driver::get()?;
        let mut count = 0;
        // SAFETY: the driver stores one int.
        let code = unsafe { (driver.device_get_count)(&mut count) };
        if matches!(
            code,
            c if c == sys::CUresult::CUDA_ERROR_NO_DEVICE as u32
                || c == sys::CUresult::CUDA_ERROR_NOT_INITIALIZED as u32
        ) {
            return Ok(0);
        }
        driver.check(code, || "count the devices".to_string())?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    /// Opens device number `ordinal`, from 0 in the driver's order
    /// (`CUDA_VISIBLE_DEVICES` applies).
    ///
    /// # Errors
    /// [`DeviceError::NoDriver`] where there is no usable driver,
    /// [`DeviceError::NoDevice`] where there is no such device, or what the driver
    /// says.
    pub fn open(ordinal: usize) -> Result<CudaDevice, DeviceError> {
        let driver = Driver::get()?;
        let found = CudaDevice::count()?;
        let number = match i32::try_from(ordinal) {
            Ok(number) if ordinal < found => number,
            _ => {
                return Err(DeviceError::NoDevice {
                    emulated: false,
                    ordinal,
                    found,
                });
            }
        };
        let set = |name| std::env::var_os(name).is_some_and(|v| !v.is_empty() && v != "0");
        let notify = set("TERRACE_NOTIFY") || set("TERRACE_PROFILE");
        let cache = Cache::from_environment(notify).map_err(|problem| DeviceError::Invalid {
            operation: "read the settings of the kernel cache".to_string(),
            problem,
        })?;
        let stage = Stage::from_environment().map_err(|problem| DeviceError::Invalid {
            operation: "read the settings of copies".to_string(),
            problem,
        })?;
        let opening = || format!("open device {ordinal}");
        let mut device: sys::CUdevice = 0;
        // SAFETY: the driver stores one device number.
        driver.check(unsafe { (driver.device_get)(&mut device, number) }, opening)?;
        let info = info::device_info(driver, device)?;
        let mut context: sys::CUcontext = std::ptr::null_mut();
        // SAFETY: the driver stores one context, released when this is dropped.
        let code = unsafe { (driver.primary_ctx_retain)(&mut context, device) };
        driver.check(code, opening)?;
        // From here on dropping releases the context.
        let link = Arc::new(Link {
            driver,
            context,
            last_kernel: Mutex::default(),
        });
        let mut opened = CudaDevice {
            driver,
            device,
            outbox: Outbox::new(Arc::clone(&link)),
            link,
            info,
            cache,
            apart: Mutex::new(Apart::of(&stage)),
            stage: Mutex::new(stage),
            main_stream: std::ptr::null_mut(),
            allocations: Mutex::default(),
            handles: Mutex::default(),
            plans: Mutex::default(),
        };
        opened.main_stream = opened.new_stream()?;
        Ok(opened)
    }

    /// The same device with another cache of compiled modules, or without one.
    pub fn with_cache(self, cache: Option<Cache>) -> CudaDevice {
        let mut device = self;
        device.cache = cache;
        device
    }

    /// [`Link::enter`].
    fn enter(&self) -> Result<&'static Driver, DeviceError> {
        self.link.enter()
    }

    fn new_stream(&self) -> Result<sys::CUstream, DeviceError> {
        let driver = self.enter()?;
        let mut stream: sys::CUstream = std::ptr::null_mut();
        let flags = sys::CUstream_flags_enum::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: the driver stores one stream.
        let code = unsafe { (driver.stream_create)(&mut stream, flags) };
        driver.check(code, || "create a stream".to_string())?;
        Ok(stream)
    }

    fn stream(&self, id: StreamId) -> Result<sys::CUstream, DeviceError> {
        if id == StreamId::MAIN {
            return Ok(self.main_stream);
        }
        let handles = lock(&self.handles);
        handles
            .streams
            .get(&id.0)
            .copied()
            .ok_or(DeviceError::BadHandle {
                what: "stream",
                id: id.0,
            })
    }

    /// [`Link::check_wait`].
    fn check_wait(&self, code: u32, operation: impl FnOnce() -> String) -> Result<(), DeviceError> {
        self.link.check_wait(code, operation)
    }

    fn check_range(
        &self,
        ptr: DevicePtr,
        bytes: usize,
        operation: impl FnOnce() -> String,
    ) -> Result<(), DeviceError> {
        lock(&self.allocations).check(ptr, bytes, operation)
    }
}

impl Drop for CudaDevice {
    fn drop(&mut self) {
        // After a fault all of these fail, and the driver frees everything when
        // the process ends; before one, none does.
        let apart = self.outbox.stop();
        if self.enter().is_err() {
            return;
        }
        self.release(apart.map_or(Stage::Never, Stage::Ready));
        lock(&self.plans).clear();
        let driver = self.driver;
        let handles = std::mem::take(&mut *lock(&self.handles));
        self.release(std::mem::replace(&mut *lock(&self.stage), Stage::Never));
        // SAFETY: these handles are ours, were not destroyed before (destroying
        // takes them out of the tables), and nobody can use them after this.
        unsafe {
            (driver.ctx_synchronize)();
            for event in handles.events.into_values() {
                (driver.event_destroy)(event);
            }
            for (id, stream) in handles.streams {
                if !handles.adopted.contains(&id) {
                    (driver.stream_destroy)(stream);
                }
            }
            if !self.main_stream.is_null() {
                (driver.stream_destroy)(self.main_stream);
            }
            for module in handles.modules.into_values() {
                (driver.module_unload)(module.handle);
            }
            for ptr in lock(&self.allocations).pointers() {
                (driver.mem_free)(ptr.0);
            }
            (driver.primary_ctx_release)(self.device);
        }
    }
}

impl fmt::Debug for CudaDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "CudaDevice({}, {})",
            self.info.name,
            self.info.architecture()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opening_works_or_says_why_not() {
        // SAFETY: opening the driver runs its initialisers, as any use of it.
        let present = unsafe { sys::is_culib_present() };
        match CudaDevice::open(0) {
            Err(DeviceError::NoDriver { detail }) => {
                assert!(!detail.is_empty());
                assert!(
                    present || detail.contains("found no NVIDIA driver library"),
                    "{detail}"
                );
            }
            // A driver without devices, as in a container.
            Err(DeviceError::NoDevice { found, .. }) => assert!(present && found == 0),
            Err(other) => panic!("{other}"),
            Ok(device) => assert!(present && device.info.multiprocessors > 0),
        }
        if !present {
            assert!(matches!(
                CudaDevice::count(),
                Err(DeviceError::NoDriver { .. })
            ));
            let text = CudaDevice::open(3).unwrap_err().to_string();
            assert!(text.starts_with("no usable CUDA driver: "), "{text}");
        }
    }
}
