//! [`Device`] for NVIDIA devices.

use std::ffi::c_void;
use std::ptr::NonNull;

use cudarc::driver::sys;

use super::{CudaDevice, lock};
use crate::device::{
    Device, DeviceError, DeviceInfo, DevicePtr, EventId, Handles, KernelArg, KernelId, KernelInfo,
    LaunchConfig, MemoryInfo, ModuleId, Rows, StreamId, fourier,
};
use crate::profile::Direction;

impl CudaDevice {
    pub(super) fn wait_main(&self, operation: impl FnOnce() -> String) -> Result<(), DeviceError> {
        // SAFETY: the main stream lives as long as `self`.
        let code = unsafe { (self.driver.stream_synchronize)(self.main_stream) };
        self.check_wait(code, operation)
    }
}

impl Device for CudaDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn transform(&self, ptr: DevicePtr, shape: fourier::Transform) -> Result<bool, DeviceError> {
        self.transformed(ptr, shape)
    }

    fn memory(&self) -> Result<MemoryInfo, DeviceError> {
        let driver = self.enter()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: the driver stores two sizes.
        let code = unsafe { (driver.mem_get_info)(&mut free, &mut total) };
        driver.check(code, || "ask for the free memory".to_string())?;
        Ok(MemoryInfo { free, total })
    }

    fn allocated(&self) -> (usize, usize) {
        lock(&self.allocations).totals()
    }

    fn alloc(&self, bytes: usize) -> Result<DevicePtr, DeviceError> {
        let driver = self.enter()?;
        let mut ptr: sys::CUdeviceptr = 0;
        // The driver refuses 0 bytes. SAFETY: it stores one address.
        let code = unsafe { (driver.mem_alloc)(&mut ptr, bytes.max(1)) };
        if code == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY as u32 {
            let memory = self.memory().ok();
            return Err(DeviceError::OutOfMemory {
                requested: bytes,
                free: memory.map(|m| m.free),
                total: memory.map(|m| m.total),
            });
        }
        driver.check(code, || format!("allocate {bytes} bytes on the device"))?;
        lock(&self.allocations).insert(DevicePtr(ptr), bytes);
        Ok(DevicePtr(ptr))
    }

    fn free(&self, ptr: DevicePtr) -> Result<(), DeviceError> {
        let driver = self.enter()?;
        // Out of the table first, so that nobody starts a copy to it meanwhile.
        if lock(&self.allocations).remove(ptr).is_none() {
            return Err(DeviceError::Invalid {
                operation: "free device memory".to_string(),
                problem: format!("{ptr} is not the start of a live allocation"),
            });
        }
        let settled = self.outbox.settle_all();
        // SAFETY: a live allocation of this device; the driver waits for its uses.
        let code = unsafe { (driver.mem_free)(ptr.0) };
        self.check_wait(code, || "free device memory".to_string())?;
        settled
    }

    fn alloc_host(&self, bytes: usize) -> Result<NonNull<u8>, DeviceError> {
        let driver = self.enter()?;
        let operation = || format!("allocate {bytes} bytes of pinned host memory");
        let mut ptr: *mut c_void = std::ptr::null_mut();
        // SAFETY: the driver stores one address.
        let code = unsafe { (driver.mem_host_alloc)(&mut ptr, bytes.max(1), 0) };
        driver.check(code, operation)?;
        NonNull::new(ptr.cast::<u8>()).ok_or_else(|| DeviceError::Invalid {
            operation: operation(),
            problem: "the driver gave a null pointer".to_string(),
        })
    }

    unsafe fn free_host(&self, ptr: NonNull<u8>) -> Result<(), DeviceError> {
        let driver = self.enter()?;
        self.outbox.settle_all()?;
        // SAFETY: the caller promises that it is ours, unused and not freed.
        let code = unsafe { (driver.mem_free_host)(ptr.as_ptr().cast()) };
        self.check_wait(code, || "free pinned host memory".to_string())
    }

    fn copy_h2d(&self, dst: DevicePtr, src: &[u8]) -> Result<(), DeviceError> {
        // SAFETY: `src` is borrowed until this returns, and it waits on all paths
        // on which a copy was queued.
        unsafe { self.copy_h2d_async(dst, src.as_ptr(), src.len(), StreamId::MAIN)? };
        self.wait_main(|| format!("copy {} bytes to the device", src.len()))
    }

    fn copy_d2h(&self, dst: &mut [u8], src: DevicePtr) -> Result<(), DeviceError> {
        // SAFETY: as in `copy_h2d`, and the borrow is exclusive.
        unsafe { self.copy_d2h_async(dst.as_mut_ptr(), src, dst.len(), StreamId::MAIN)? };
        self.wait_main(|| format!("copy {} bytes from the device", dst.len()))
    }

    unsafe fn copy_h2d_async(
        &self,
        dst: DevicePtr,
        src: *const u8,
        bytes: usize,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        // SAFETY: by the contract.
        unsafe { self.copy_in(dst, src, bytes, stream) }
    }

    unsafe fn copy_d2h_async(
        &self,
        dst: *mut u8,
        src: DevicePtr,
        bytes: usize,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        // SAFETY: by the contract.
        unsafe { self.copy_out(dst, src, bytes, stream) }
    }

    fn copy_d2d(
        &self,
        dst: DevicePtr,
        src: DevicePtr,
        bytes: usize,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        self.copy_within(dst, src, bytes, stream)
    }

    unsafe fn copy_rows(
        &self,
        way: Direction,
        dst: u64,
        src: u64,
        rows: &Rows,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        // SAFETY: by the contract.
        unsafe { self.rows(way, dst, src, rows, stream) }
    }

    fn memset(
        &self,
        dst: DevicePtr,
        pattern: &[u8],
        count: usize,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        self.fill(dst, pattern, count, stream)
    }

    fn load_module(&self, ptx: &str) -> Result<ModuleId, DeviceError> {
        self.load(ptx)
    }

    fn kernel(&self, module: ModuleId, name: &str) -> Result<KernelId, DeviceError> {
        self.entry(module, name)
    }

    fn kernel_info(&self, kernel: KernelId) -> Result<KernelInfo, DeviceError> {
        Ok(KernelInfo::clone(&self.find_kernel(kernel)?.info))
    }

    unsafe fn launch(
        &self,
        kernel: KernelId,
        config: &LaunchConfig,
        args: &[KernelArg],
    ) -> Result<(), DeviceError> {
        // SAFETY: by the contract.
        unsafe { self.start(kernel, config, args, false) }
    }

    fn resident_blocks(&self, kernel: KernelId, config: &LaunchConfig) -> Result<u32, DeviceError> {
        self.room_for(kernel, config)
    }

    unsafe fn launch_cooperative(
        &self,
        kernel: KernelId,
        config: &LaunchConfig,
        args: &[KernelArg],
    ) -> Result<(), DeviceError> {
        // SAFETY: by the contract.
        unsafe { self.start(kernel, config, args, true) }
    }

    fn create_stream(&self) -> Result<StreamId, DeviceError> {
        self.make_stream()
    }

    fn handles(&self, stream: StreamId) -> Result<Option<Handles>, DeviceError> {
        self.own_handles(stream).map(Some)
    }

    fn adopt_stream(&self, raw: *mut c_void) -> Result<Option<StreamId>, DeviceError> {
        Ok(Some(self.take_stream(raw.cast())))
    }

    fn destroy_stream(&self, stream: StreamId) -> Result<(), DeviceError> {
        self.end_stream(stream)
    }

    fn synchronize(&self, stream: StreamId) -> Result<(), DeviceError> {
        let driver = self.enter()?;
        let raw = self.stream(stream)?;
        self.outbox.settle_stream(raw)?;
        // SAFETY: a live stream of this device.
        let code = unsafe { (driver.stream_synchronize)(raw) };
        self.check_wait(code, || "wait for the device".to_string())
    }

    fn is_idle(&self, stream: StreamId) -> Result<bool, DeviceError> {
        self.idle(stream)
    }

    fn synchronize_all(&self) -> Result<(), DeviceError> {
        let driver = self.enter()?;
        self.outbox.settle_all()?;
        // SAFETY: takes no pointer.
        let code = unsafe { (driver.ctx_synchronize)() };
        self.check_wait(code, || "wait for the device".to_string())
    }

    fn create_event(&self) -> Result<EventId, DeviceError> {
        self.make_event()
    }

    fn destroy_event(&self, event: EventId) -> Result<(), DeviceError> {
        self.end_event(event)
    }

    fn record_event(&self, event: EventId, stream: StreamId) -> Result<(), DeviceError> {
        self.record(event, stream)
    }

    fn wait_event(&self, stream: StreamId, event: EventId) -> Result<(), DeviceError> {
        self.wait(stream, event)
    }

    fn synchronize_event(&self, event: EventId) -> Result<(), DeviceError> {
        let driver = self.enter()?;
        let raw = self.event(event)?;
        self.outbox.settle_event(raw)?;
        // SAFETY: a live event of this device.
        let code = unsafe { (driver.event_synchronize)(raw) };
        self.check_wait(code, || "wait for an event".to_string())
    }

    fn elapsed_us(&self, start: EventId, end: EventId) -> Result<f64, DeviceError> {
        self.elapsed(start, end)
    }
}
