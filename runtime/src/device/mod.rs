//! Devices: memory of their own, and kernels that run on it.
//!
//! [`Device`] is what a compiled program and its host code need of one; the
//! NVIDIA driver implements it in [`crate::cuda`]. The trait is object safe, so
//! that a program is run the same way on any of them.

mod error;
pub mod fourier;
mod limits;
mod memory;
mod open;
pub mod rows;
mod several;
pub mod strided;

use std::ffi::c_void;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

pub use error::DeviceError;
pub use limits::{DeviceInfo, KernelInfo, Launch, check_arguments, check_launch, cooperative_grid};
pub use memory::{AllocTable, DeviceBuffer, PinnedBuffer, copy_between};
pub use open::Driver;
pub use rows::{Pitch, Rows};
pub use several::Several;

use crate::dtype::Scalar;
use crate::profile::Direction;

fn not_cooperative() -> DeviceError {
    DeviceError::Invalid {
        operation: "launch a kernel whose blocks wait for each other".to_string(),
        problem: "this device runs blocks one after another".to_string(),
    }
}

/// An address in device memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DevicePtr(pub u64);

impl DevicePtr {
    /// The address `bytes` further on; `None` when it overflows.
    pub fn checked_add(self, bytes: usize) -> Option<DevicePtr> {
        self.0.checked_add(bytes as u64).map(DevicePtr)
    }
}

impl fmt::Display for DevicePtr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

/// A queue of work that runs in order. Work of different streams may overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StreamId(pub u64);

impl StreamId {
    /// The stream that every device has, which the waiting copies use.
    pub const MAIN: StreamId = StreamId(0);
}

/// A point in a stream, with its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EventId(pub u64);

/// A loaded module: compiled code of one or more kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ModuleId(pub u64);

/// A kernel of a loaded module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KernelId(pub u64);

/// How a kernel is launched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchConfig {
    /// Blocks in x, y, z; with a 0 nothing runs, and that is no error.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u32,
    pub stream: StreamId,
}

/// An argument of a kernel: up to 8 bytes, passed by value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(8))]
pub struct KernelArg {
    bytes: [u8; 8],
    size: usize,
}

impl KernelArg {
    /// The argument's bytes, in this machine's order.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.size]
    }

    fn new(value: &[u8]) -> KernelArg {
        let mut bytes = [0; 8];
        bytes[..value.len()].copy_from_slice(value);
        KernelArg {
            bytes,
            size: value.len(),
        }
    }
}

macro_rules! kernel_arg {
    ($($rust:ty)*) => {$(
        impl From<$rust> for KernelArg {
            fn from(value: $rust) -> KernelArg {
                KernelArg::new(&value.to_ne_bytes())
            }
        }
    )*};
}

kernel_arg!(i8 u8 i16 u16 i32 u32 i64 u64 f32 f64);

impl From<DevicePtr> for KernelArg {
    fn from(value: DevicePtr) -> KernelArg {
        value.0.into()
    }
}

impl KernelArg {
    /// An argument of `bytes` bytes, the low ones of a word of the packed call.
    pub fn of_word(word: u64, bytes: usize) -> KernelArg {
        match bytes {
            1 => (word as u8).into(),
            2 => (word as u16).into(),
            4 => (word as u32).into(),
            _ => word.into(),
        }
    }
}

impl From<Scalar> for KernelArg {
    fn from(value: Scalar) -> KernelArg {
        KernelArg::of_word(value.bits(), value.dtype().size())
    }
}

/// Free and total device memory in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryInfo {
    pub free: usize,
    pub total: usize,
}

/// What the vendor's own interface calls a device and a stream of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handles {
    /// The address of the device's number.
    pub device: *mut c_void,
    pub context: *mut c_void,
    pub stream: *mut c_void,
}

/// A device with memory of its own.
///
/// Every address is checked to lie in a live allocation before it is used by a
/// copy. A kernel's own accesses are not: a fault of one is reported by the next
/// operation that waits, and leaves a real device unusable for this process.
///
/// All operations may be called from any thread, but a stream, event or address
/// must not be destroyed or freed while another thread is passing it to one.
pub trait Device: Send + Sync {
    /// What it is.
    fn info(&self) -> &DeviceInfo;

    /// Whether each access of a kernel is held against the allocation that it lies in
    /// and what was written there, so that memory should be given out as it was asked
    /// for and not be used again.
    fn looks_at_accesses(&self) -> bool {
        false
    }

    /// Transforms complex numbers on the device along an axis, in place, by a library of its vendor:
    /// element `k` becomes the sum of elements `j` times `exp(-2 pi i j k / n)`. It waits until that
    /// is done. False where there is no such library, or the numbers are too many for it: then
    /// nothing was done.
    ///
    /// # Errors
    /// The memory is not in one allocation, or what the library says.
    fn transform(&self, ptr: DevicePtr, shape: fourier::Transform) -> Result<bool, DeviceError> {
        let _ = (ptr, shape);
        Ok(false)
    }

    /// Free and total memory, of all processes.
    ///
    /// # Errors
    /// What the driver says.
    fn memory(&self) -> Result<MemoryInfo, DeviceError>;

    /// The number of live allocations made here, and their bytes.
    fn allocated(&self) -> (usize, usize);

    /// Allocates memory, aligned to 256 bytes and not initialised. Of 0 bytes
    /// too an address is given, which must be freed. [`DeviceBuffer`] frees by
    /// itself.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`], or what the driver says.
    fn alloc(&self, bytes: usize) -> Result<DevicePtr, DeviceError>;

    /// As [`Device::alloc`], on the device of this number where there are [`Several`];
    /// one alone is 0.
    ///
    /// # Errors
    /// As [`Device::alloc`], and [`DeviceError::Invalid`] for another number.
    fn alloc_on(&self, number: u32, bytes: usize) -> Result<DevicePtr, DeviceError> {
        match number {
            0 => self.alloc(bytes),
            _ => Err(DeviceError::Invalid {
                operation: format!("allocate {bytes} bytes on device {number}"),
                problem: "there is one device, number 0".to_string(),
            }),
        }
    }

    /// Frees an allocation, after the work that was queued before.
    ///
    /// # Errors
    /// [`DeviceError::Invalid`] when `ptr` is not the start of a live one.
    fn free(&self, ptr: DevicePtr) -> Result<(), DeviceError>;

    /// Allocates host memory for fast copies; see [`PinnedBuffer`], which frees
    /// by itself.
    ///
    /// # Errors
    /// What the driver says.
    fn alloc_host(&self, bytes: usize) -> Result<NonNull<u8>, DeviceError>;

    /// Frees such memory.
    ///
    /// # Errors
    /// What the driver says.
    ///
    /// # Safety
    /// `ptr` comes from [`Device::alloc_host`] of this device, is not freed
    /// already, and neither the host nor queued work uses it any more.
    unsafe fn free_host(&self, ptr: NonNull<u8>) -> Result<(), DeviceError>;

    /// Copies host bytes to the device on the main stream, and waits.
    ///
    /// # Errors
    /// [`DeviceError::OutOfRange`], or what the driver says.
    fn copy_h2d(&self, dst: DevicePtr, src: &[u8]) -> Result<(), DeviceError>;

    /// Copies device memory to host bytes on the main stream, and waits.
    ///
    /// # Errors
    /// [`DeviceError::OutOfRange`], or what the driver says.
    fn copy_d2h(&self, dst: &mut [u8], src: DevicePtr) -> Result<(), DeviceError>;

    /// Queues a copy of host bytes to the device.
    ///
    /// # Errors
    /// [`DeviceError::OutOfRange`], or what the driver says.
    ///
    /// # Safety
    /// `src` is valid to read for `bytes` bytes, and nobody writes them, until the
    /// stream has been synchronised.
    unsafe fn copy_h2d_async(
        &self,
        dst: DevicePtr,
        src: *const u8,
        bytes: usize,
        stream: StreamId,
    ) -> Result<(), DeviceError>;

    /// Queues a copy of device memory to host bytes.
    ///
    /// # Errors
    /// [`DeviceError::OutOfRange`], or what the driver says.
    ///
    /// # Safety
    /// `dst` is valid to write for `bytes` bytes, and nobody else uses them, until
    /// the stream has been synchronised.
    unsafe fn copy_d2h_async(
        &self,
        dst: *mut u8,
        src: DevicePtr,
        bytes: usize,
        stream: StreamId,
    ) -> Result<(), DeviceError>;

    /// Queues a copy within the device.
    ///
    /// # Errors
    /// [`DeviceError::OutOfRange`], [`DeviceError::Invalid`] when source and
    /// destination overlap, or what the driver says.
    fn copy_d2d(
        &self,
        dst: DevicePtr,
        src: DevicePtr,
        bytes: usize,
        stream: StreamId,
    ) -> Result<(), DeviceError>;

    /// Queues a copy of rows. `dst` and `src` are addresses of the host or of the device,
    /// as `way` says; [`strided::copy_strided`] makes such copies of any strided array.
    ///
    /// # Errors
    /// [`DeviceError::OutOfRange`] where a row of the device is not in a live allocation,
    /// [`DeviceError::Invalid`] where offsets overflow or rows of one device overlap, or
    /// what the driver says.
    ///
    /// # Safety
    /// The rows of the host are as [`Device::copy_h2d_async`] and
    /// [`Device::copy_d2h_async`] ask for.
    unsafe fn copy_rows(
        &self,
        way: Direction,
        dst: u64,
        src: u64,
        rows: &Rows,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        // SAFETY: by the contract.
        unsafe { rows::one_by_one(self, way, dst, src, rows, stream) }
    }

    /// Queues writing `pattern` (1, 2, 4 or 8 bytes, in this machine's order)
    /// `count` times one after the other. `dst` is aligned to the pattern's size.
    ///
    /// # Errors
    /// [`DeviceError::OutOfRange`], [`DeviceError::Invalid`] for another size of
    /// pattern or an unaligned `dst`, or what the driver says.
    fn memset(
        &self,
        dst: DevicePtr,
        pattern: &[u8],
        count: usize,
        stream: StreamId,
    ) -> Result<(), DeviceError>;

    /// Compiles a module of PTX text. The same text is compiled once.
    ///
    /// # Errors
    /// [`DeviceError::Jit`] with the compiler's log, or what the driver says.
    fn load_module(&self, ptx: &str) -> Result<ModuleId, DeviceError>;

    /// A kernel of a module.
    ///
    /// # Errors
    /// [`DeviceError::NoKernel`], [`DeviceError::BadHandle`].
    fn kernel(&self, module: ModuleId, name: &str) -> Result<KernelId, DeviceError>;

    /// What a kernel needs.
    ///
    /// # Errors
    /// [`DeviceError::BadHandle`].
    fn kernel_info(&self, kernel: KernelId) -> Result<KernelInfo, DeviceError>;

    /// Queues a kernel, after checking it with [`check_launch`] and
    /// [`check_arguments`].
    ///
    /// # Errors
    /// [`DeviceError::Launch`] when a limit is broken, or what the driver says.
    ///
    /// # Safety
    /// The arguments are as many and as large as the kernel's parameters (checked
    /// where [`KernelInfo::parameters`] is known), and pointers among them are to
    /// memory that the kernel may use as it does until the stream has been
    /// synchronised.
    unsafe fn launch(
        &self,
        kernel: KernelId,
        config: &LaunchConfig,
        args: &[KernelArg],
    ) -> Result<(), DeviceError>;

    /// How many blocks of `config.block` threads and `config.shared_bytes` of a kernel the
    /// device has room for at a time.
    ///
    /// # Errors
    /// [`DeviceError::Invalid`] where blocks cannot wait for each other, or what the driver says.
    fn resident_blocks(&self, kernel: KernelId, config: &LaunchConfig) -> Result<u32, DeviceError> {
        let _ = (kernel, config);
        Err(not_cooperative())
    }

    /// As [`Device::launch`], of a kernel whose blocks wait for each other: all of them run at
    /// a time, or none.
    ///
    /// # Errors
    /// The same, and where the grid has more blocks than [`Device::resident_blocks`].
    ///
    /// # Safety
    /// The same.
    unsafe fn launch_cooperative(
        &self,
        kernel: KernelId,
        config: &LaunchConfig,
        args: &[KernelArg],
    ) -> Result<(), DeviceError> {
        let _ = (kernel, config, args);
        Err(not_cooperative())
    }

    /// A new stream.
    ///
    /// # Errors
    /// What the driver says.
    fn create_stream(&self) -> Result<StreamId, DeviceError>;

    /// The vendor's own handles of the device and of a stream; none where there is no such thing.
    ///
    /// # Errors
    /// [`DeviceError::BadHandle`].
    fn handles(&self, stream: StreamId) -> Result<Option<Handles>, DeviceError> {
        let _ = stream;
        Ok(None)
    }

    /// Takes a stream that the program made by the vendor's own interface and goes on to own; none
    /// where there is no such thing.
    ///
    /// # Errors
    /// What the driver says.
    fn adopt_stream(&self, raw: *mut c_void) -> Result<Option<StreamId>, DeviceError> {
        let _ = raw;
        Ok(None)
    }

    /// Destroys a stream after its work is done; the main one cannot be.
    ///
    /// # Errors
    /// [`DeviceError::BadHandle`].
    fn destroy_stream(&self, stream: StreamId) -> Result<(), DeviceError>;

    /// Waits for a stream.
    ///
    /// # Errors
    /// Faults of its work, or what the driver says.
    fn synchronize(&self, stream: StreamId) -> Result<(), DeviceError>;

    /// Whether everything that was queued on a stream is done, without waiting.
    ///
    /// # Errors
    /// Faults of its work, or what the driver says.
    fn is_idle(&self, stream: StreamId) -> Result<bool, DeviceError>;

    /// Waits for everything.
    ///
    /// # Errors
    /// Faults of the work, or what the driver says.
    fn synchronize_all(&self) -> Result<(), DeviceError>;

    /// A new event with timing.
    ///
    /// # Errors
    /// What the driver says.
    fn create_event(&self) -> Result<EventId, DeviceError>;

    /// Destroys an event.
    ///
    /// # Errors
    /// [`DeviceError::BadHandle`].
    fn destroy_event(&self, event: EventId) -> Result<(), DeviceError>;

    /// Queues the event: it happens after the work before it.
    ///
    /// # Errors
    /// [`DeviceError::BadHandle`], or what the driver says.
    fn record_event(&self, event: EventId, stream: StreamId) -> Result<(), DeviceError>;

    /// Makes later work of a stream wait for an event.
    ///
    /// # Errors
    /// [`DeviceError::BadHandle`], or what the driver says.
    fn wait_event(&self, stream: StreamId, event: EventId) -> Result<(), DeviceError>;

    /// Waits for an event.
    ///
    /// # Errors
    /// When it was never recorded, faults of the work before it, or what the driver says.
    fn synchronize_event(&self, event: EventId) -> Result<(), DeviceError> {
        self.elapsed_us(event, event).map(drop)
    }

    /// Waits for `end`, and gives the microseconds between two events.
    ///
    /// # Errors
    /// When one was never recorded, or what the driver says.
    fn elapsed_us(&self, start: EventId, end: EventId) -> Result<f64, DeviceError>;
}

/// A pair of events around some work of a stream.
pub struct Timer {
    device: Arc<dyn Device>,
    start: EventId,
    end: EventId,
}

impl Timer {
    /// A timer, not started.
    ///
    /// # Errors
    /// What the driver says.
    pub fn new(device: &Arc<dyn Device>) -> Result<Timer, DeviceError> {
        let start = device.create_event()?;
        let end = match device.create_event() {
            Ok(end) => end,
            Err(error) => {
                // The second failure is the one to report.
                let _ = device.destroy_event(start);
                return Err(error);
            }
        };
        Ok(Timer {
            device: Arc::clone(device),
            start,
            end,
        })
    }

    /// Marks the beginning.
    ///
    /// # Errors
    /// What the driver says.
    pub fn start(&self, stream: StreamId) -> Result<(), DeviceError> {
        self.device.record_event(self.start, stream)
    }

    /// Marks the end, waits for it, and gives the microseconds between.
    ///
    /// # Errors
    /// When not started, faults of the work, or what the driver says.
    pub fn stop_us(&self, stream: StreamId) -> Result<f64, DeviceError> {
        self.device.record_event(self.end, stream)?;
        self.device.elapsed_us(self.start, self.end)
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        // Fails only after a fault, which was reported where it was noticed.
        let _ = self.device.destroy_event(self.start);
        let _ = self.device.destroy_event(self.end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;

    #[test]
    fn arguments_keep_their_width() {
        assert_eq!(KernelArg::from(1.5f32).bytes(), 1.5f32.to_ne_bytes());
        assert_eq!(KernelArg::from(DevicePtr(7)).bytes(), 7u64.to_ne_bytes());
        let half = Scalar::from_f64(DType::F16, 1.0).unwrap();
        assert_eq!(KernelArg::from(half).bytes(), 0x3c00u16.to_ne_bytes());
        let flag = Scalar::from_int(DType::I1, 1).unwrap();
        assert_eq!(KernelArg::from(flag).bytes(), [1]);
        assert_eq!(align_of::<KernelArg>(), 8);
    }

    #[test]
    fn errors_say_what_and_why() {
        let jit = DeviceError::Jit {
            name: "CUDA_ERROR_INVALID_PTX".into(),
            text: "a PTX JIT compilation failed".into(),
            log: "ptxas application ptx input, line 2; fatal : Parsing error".into(),
            lines: vec![(2, "bad".into())],
        };
        let text = jit.to_string();
        assert!(
            text.contains("CUDA_ERROR_INVALID_PTX") && text.ends_with("\n     2 | bad"),
            "{text}"
        );
        let error = DeviceError::NoKernel {
            name: "f".into(),
            available: vec!["g".into(), "h".into()],
        };
        assert_eq!(error.to_string(), "no kernel `f`: the module has `g`, `h`");
        let error = DeviceError::OutOfMemory {
            requested: 10,
            free: Some(5),
            total: Some(7),
        };
        assert_eq!(
            error.to_string(),
            "out of device memory: 10 bytes requested, 5 of 7 free"
        );
    }
}
