//! [`Device`] for NVIDIA devices.

use std::ffi::{CString, c_void};
use std::ptr::NonNull;
use std::sync::Arc;

use cudarc::driver::sys;

use super::outbox::Shape;
use super::{CudaDevice, Kernel, Module, info, lock, module};
use crate::device::{
    Device, DeviceError, DeviceInfo, DevicePtr, EventId, KernelArg, KernelId, KernelInfo, Launch,
    LaunchConfig, MemoryInfo, ModuleId, Rows, StreamId, check_arguments, check_launch,
};
use crate::profile::Direction;

/// A list that is on the stack unless it is long: launches are many.
struct Few<T> {
    few: [T; 16],
    many: Vec<T>,
    length: usize,
}

impl<T: Copy> Few<T> {
    fn new(length: usize, fill: T) -> Few<T> {
        let few = [fill; 16];
        let many = match length > few.len() {
            true => vec![fill; length],
            false => Vec::new(),
        };
        Few { few, many, length }
    }

    fn all(&mut self) -> &mut [T] {
        match self.many.is_empty() {
            true => &mut self.few[..self.length],
            false => &mut self.many,
        }
    }
}

impl CudaDevice {
    fn event(&self, id: EventId) -> Result<sys::CUevent, DeviceError> {
        let handles = lock(&self.handles);
        handles
            .events
            .get(&id.0)
            .copied()
            .ok_or(DeviceError::BadHandle {
                what: "event",
                id: id.0,
            })
    }

    fn find_kernel(&self, id: KernelId) -> Result<Kernel, DeviceError> {
        let handles = lock(&self.handles);
        handles
            .kernels
            .get(&id.0)
            .cloned()
            .ok_or(DeviceError::BadHandle {
                what: "kernel",
                id: id.0,
            })
    }

    fn wait_main(&self, operation: impl FnOnce() -> String) -> Result<(), DeviceError> {
        // SAFETY: the main stream lives as long as `self`.
        let code = unsafe { (self.driver.stream_synchronize)(self.main_stream) };
        self.check_wait(code, operation)
    }

    /// Prepares a function for this much dynamic shared memory. Above 48 KiB in
    /// all a kernel must opt in; the driver never needs to be told to go back.
    fn opt_in_shared(&self, id: KernelId, kernel: &Kernel, bytes: u32) -> Result<(), DeviceError> {
        let all = kernel.info.static_shared.saturating_add(bytes);
        if all <= self.info.shared_per_block || bytes <= kernel.dynamic_shared {
            return Ok(());
        }
        let attribute =
            sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES as u32;
        let value = i32::try_from(bytes).unwrap_or(i32::MAX);
        // SAFETY: the function is of a loaded module.
        let code = unsafe { (self.driver.func_set_attribute)(kernel.function, attribute, value) };
        self.driver.check(code, || {
            format!(
                "give kernel `{}` {bytes} bytes of dynamic shared memory",
                kernel.name
            )
        })?;
        if let Some(kernel) = lock(&self.handles).kernels.get_mut(&id.0) {
            kernel.dynamic_shared = kernel.dynamic_shared.max(bytes);
        }
        Ok(())
    }
}

impl Device for CudaDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
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
        let operation = || format!("copy {bytes} bytes to the device");
        let driver = self.enter()?;
        let stream = self.stream(stream)?;
        self.check_range(dst, bytes, operation)?;
        if bytes == 0 {
            return Ok(());
        }
        self.outbox.settle_stream(stream)?;
        // SAFETY: the destination is ours, the caller promises the source, which is only
        // read in this direction.
        let staged =
            unsafe { self.staged(Direction::HostToDevice, dst, src.cast_mut(), bytes, stream) };
        if let Some(result) = staged {
            return result;
        }
        // SAFETY: as above.
        let code = unsafe { (driver.memcpy_h2d_async)(dst.0, src.cast(), bytes, stream) };
        self.check_wait(code, operation)
    }

    unsafe fn copy_d2h_async(
        &self,
        dst: *mut u8,
        src: DevicePtr,
        bytes: usize,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        let operation = || format!("copy {bytes} bytes from the device");
        let driver = self.enter()?;
        let stream = self.stream(stream)?;
        self.check_range(src, bytes, operation)?;
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: the source is ours, the caller promises the destination.
        let apart = unsafe { self.apart(src, dst, (Shape::Bytes(bytes), bytes), stream) };
        if let Some(result) = apart {
            return result;
        }
        self.outbox.settle_stream(stream)?;
        // SAFETY: as above.
        let staged = unsafe { self.staged(Direction::DeviceToHost, src, dst, bytes, stream) };
        if let Some(result) = staged {
            return result;
        }
        // SAFETY: as above.
        let code = unsafe { (driver.memcpy_d2h_async)(dst.cast(), src.0, bytes, stream) };
        self.check_wait(code, operation)
    }

    fn copy_d2d(
        &self,
        dst: DevicePtr,
        src: DevicePtr,
        bytes: usize,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        let operation = || format!("copy {bytes} bytes on the device");
        let driver = self.enter()?;
        let stream = self.stream(stream)?;
        self.check_range(dst, bytes, operation)?;
        self.check_range(src, bytes, operation)?;
        if bytes == 0 || dst == src {
            return Ok(());
        }
        if dst.0.abs_diff(src.0) < bytes as u64 {
            return Err(DeviceError::Invalid {
                operation: operation(),
                problem: format!("source {src} and destination {dst} overlap"),
            });
        }
        self.outbox.settle_stream(stream)?;
        // SAFETY: both ranges are in live allocations of this device.
        let code = unsafe { (driver.memcpy_d2d_async)(dst.0, src.0, bytes, stream) };
        self.check_wait(code, operation)
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
        let size = pattern.len();
        let operation = || format!("set {count} times {size} bytes on the device");
        let invalid = |problem| DeviceError::Invalid {
            operation: operation(),
            problem,
        };
        if !matches!(size, 1 | 2 | 4 | 8) {
            return Err(invalid(format!(
                "a pattern of {size} bytes, expected 1, 2, 4 or 8"
            )));
        }
        if !dst.0.is_multiple_of(size as u64) {
            return Err(invalid(format!("{dst} is not a multiple of {size}")));
        }
        let bytes = count
            .checked_mul(size)
            .ok_or_else(|| invalid("that is more than an address can count".to_string()))?;
        let driver = self.enter()?;
        let raw = self.stream(stream)?;
        self.check_range(dst, bytes, operation)?;
        if count == 0 {
            return Ok(());
        }
        self.outbox.settle_stream(raw)?;
        // SAFETY: the range is in a live allocation of this device and aligned.
        let code = unsafe {
            match *pattern {
                [a] => (driver.memset_d8_async)(dst.0, a, count, raw),
                [a, b] => (driver.memset_d16_async)(dst.0, u16::from_ne_bytes([a, b]), count, raw),
                [a, b, c, d] => {
                    (driver.memset_d32_async)(dst.0, u32::from_ne_bytes([a, b, c, d]), count, raw)
                }
                [a, b, c, d, e, f, g, h] if [a, b, c, d] == [e, f, g, h] => {
                    let word = u32::from_ne_bytes([a, b, c, d]);
                    (driver.memset_d32_async)(dst.0, word, count * 2, raw)
                }
                [a, b, c, d, e, f, g, h] => {
                    // The driver sets at most 4 bytes at a time: set the first
                    // element in two halves, then double what is there.
                    let low = u32::from_ne_bytes([a, b, c, d]);
                    let high = u32::from_ne_bytes([e, f, g, h]);
                    let mut code = (driver.memset_d32_async)(dst.0, low, 1, raw);
                    if code == 0 {
                        code = (driver.memset_d32_async)(dst.0 + 4, high, 1, raw);
                    }
                    let mut done = 8;
                    while code == 0 && done < bytes {
                        let next = done.min(bytes - done);
                        code = (driver.memcpy_d2d_async)(dst.0 + done as u64, dst.0, next, raw);
                        done += next;
                    }
                    code
                }
                // The sizes were checked above.
                _ => 0,
            }
        };
        self.check_wait(code, operation)
    }

    fn load_module(&self, ptx: &str) -> Result<ModuleId, DeviceError> {
        let driver = self.enter()?;
        if let Some(id) = lock(&self.handles).by_text.get(ptx) {
            return Ok(ModuleId(*id));
        }
        // Not under the lock: compiling takes long, and others may work meanwhile.
        let handle = module::load_cached(driver, ptx, &self.info, self.cache.as_ref())?;
        let mut handles = lock(&self.handles);
        if let Some(id) = handles.by_text.get(ptx) {
            let id = *id;
            drop(handles);
            // Another thread was faster. SAFETY: nobody else knows this copy.
            let code = unsafe { (driver.module_unload)(handle) };
            driver.check(code, || "unload a module".to_string())?;
            return Ok(ModuleId(id));
        }
        let id = handles.fresh();
        handles.modules.insert(
            id,
            Module {
                handle,
                entries: module::entries(ptx),
                kernels: Default::default(),
            },
        );
        handles.by_text.insert(ptx.into(), id);
        Ok(ModuleId(id))
    }

    fn kernel(&self, module: ModuleId, name: &str) -> Result<KernelId, DeviceError> {
        let driver = self.enter()?;
        let mut handles = lock(&self.handles);
        let Some(found) = handles.modules.get(&module.0) else {
            return Err(DeviceError::BadHandle {
                what: "module",
                id: module.0,
            });
        };
        if let Some(id) = found.kernels.get(name) {
            return Ok(KernelId(*id));
        }
        let missing = || DeviceError::NoKernel {
            name: name.to_string(),
            available: found.entries.clone(),
        };
        let c_name = CString::new(name).map_err(|_| missing())?;
        let mut function: sys::CUfunction = std::ptr::null_mut();
        // SAFETY: the module is loaded, the name ends in NUL; one handle is stored.
        let code =
            unsafe { (driver.module_get_function)(&mut function, found.handle, c_name.as_ptr()) };
        if code == sys::CUresult::CUDA_ERROR_NOT_FOUND as u32 {
            return Err(missing());
        }
        driver.check(code, || format!("find kernel `{name}`"))?;
        let info = info::kernel_info(driver, function, name)?;
        let id = handles.fresh();
        handles.kernels.insert(
            id,
            Kernel {
                function,
                name: name.into(),
                info: Arc::new(info),
                dynamic_shared: 0,
            },
        );
        if let Some(module) = handles.modules.get_mut(&module.0) {
            module.kernels.insert(name.into(), id);
        }
        Ok(KernelId(id))
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
        let driver = self.enter()?;
        let found = self.find_kernel(kernel)?;
        let refused = |problem| DeviceError::Launch {
            kernel: found.name.to_string(),
            problem,
        };
        let stream = self.stream(config.stream)?;
        let mut sizes = Few::new(args.len(), 0usize);
        for (size, arg) in sizes.all().iter_mut().zip(args) {
            *size = arg.bytes().len();
        }
        check_arguments(&found.info, sizes.all()).map_err(refused)?;
        if check_launch(&self.info, &found.info, config).map_err(refused)? == Launch::Empty {
            return Ok(());
        }
        self.opt_in_shared(kernel, &found, config.shared_bytes)?;
        self.outbox.settle_stream(stream)?;
        // The driver copies the values before it returns, and does not write.
        let mut pointers = Few::new(args.len(), std::ptr::null_mut::<c_void>());
        for (pointer, arg) in pointers.all().iter_mut().zip(args) {
            *pointer = arg.bytes().as_ptr().cast_mut().cast();
        }
        let ([gx, gy, gz], [bx, by, bz]) = (config.grid, config.block);
        *lock(&self.link.last_kernel) = Some(Arc::clone(&found.name));
        // SAFETY: the function is loaded, the sizes are within its limits, and the
        // caller promises that the arguments are its parameters.
        let code = unsafe {
            (driver.launch_kernel)(
                found.function,
                gx,
                gy,
                gz,
                bx,
                by,
                bz,
                config.shared_bytes,
                stream,
                pointers.all().as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        driver.check(code, || {
            format!(
                "launch kernel `{}` with grid {gx}x{gy}x{gz}, block {bx}x{by}x{bz}, {} bytes of \
                 dynamic shared memory",
                found.name, config.shared_bytes
            )
        })
    }

    fn create_stream(&self) -> Result<StreamId, DeviceError> {
        let stream = self.new_stream()?;
        let mut handles = lock(&self.handles);
        let id = handles.fresh();
        handles.streams.insert(id, stream);
        Ok(StreamId(id))
    }

    fn destroy_stream(&self, stream: StreamId) -> Result<(), DeviceError> {
        let driver = self.enter()?;
        let removed = lock(&self.handles).streams.remove(&stream.0);
        let Some(raw) = removed else {
            return Err(DeviceError::BadHandle {
                what: "stream",
                id: stream.0,
            });
        };
        // It is destroyed also where the list has failed, which is told behind that.
        let settled = self.outbox.settle_stream(raw);
        // SAFETY: the stream is out of the table, so it is destroyed once.
        let (waited, destroyed) = unsafe {
            (
                (driver.stream_synchronize)(raw),
                (driver.stream_destroy)(raw),
            )
        };
        self.check_wait(waited, || "finish a stream".to_string())?;
        driver.check(destroyed, || "destroy a stream".to_string())?;
        settled
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
        let driver = self.enter()?;
        let raw = self.stream(stream)?;
        if self.outbox.has(raw)? {
            return Ok(false);
        }
        // SAFETY: a live stream of this device.
        let code = unsafe { (driver.stream_query)(raw) };
        if code == sys::CUresult::CUDA_ERROR_NOT_READY as u32 {
            return Ok(false);
        }
        self.check_wait(code, || "ask whether the device is done".to_string())?;
        Ok(true)
    }

    fn synchronize_all(&self) -> Result<(), DeviceError> {
        let driver = self.enter()?;
        self.outbox.settle_all()?;
        // SAFETY: takes no pointer.
        let code = unsafe { (driver.ctx_synchronize)() };
        self.check_wait(code, || "wait for the device".to_string())
    }

    fn create_event(&self) -> Result<EventId, DeviceError> {
        let driver = self.enter()?;
        let mut event: sys::CUevent = std::ptr::null_mut();
        // SAFETY: the driver stores one event.
        let code = unsafe { (driver.event_create)(&mut event, 0) };
        driver.check(code, || "create an event".to_string())?;
        let mut handles = lock(&self.handles);
        let id = handles.fresh();
        handles.events.insert(id, event);
        Ok(EventId(id))
    }

    fn destroy_event(&self, event: EventId) -> Result<(), DeviceError> {
        let driver = self.enter()?;
        let removed = lock(&self.handles).events.remove(&event.0);
        let Some(raw) = removed else {
            return Err(DeviceError::BadHandle {
                what: "event",
                id: event.0,
            });
        };
        let settled = self.outbox.settle_all();
        // SAFETY: the event is out of the table, so it is destroyed once.
        let code = unsafe { (driver.event_destroy)(raw) };
        driver.check(code, || "destroy an event".to_string())?;
        settled
    }

    fn record_event(&self, event: EventId, stream: StreamId) -> Result<(), DeviceError> {
        let driver = self.enter()?;
        let (raw, stream) = (self.event(event)?, self.stream(stream)?);
        if self.outbox.record(raw, stream)? {
            return Ok(());
        }
        // SAFETY: a live event and a live stream of this device.
        let code = unsafe { (driver.event_record)(raw, stream) };
        self.check_wait(code, || "record an event".to_string())
    }

    fn wait_event(&self, stream: StreamId, event: EventId) -> Result<(), DeviceError> {
        let driver = self.enter()?;
        let (raw, stream) = (self.event(event)?, self.stream(stream)?);
        if self.outbox.wait(raw, stream)? {
            return Ok(());
        }
        // SAFETY: a live event and a live stream of this device.
        let code = unsafe { (driver.stream_wait_event)(stream, raw, 0) };
        self.check_wait(code, || "wait for an event".to_string())
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
        let driver = self.enter()?;
        let (first, last) = (self.event(start)?, self.event(end)?);
        self.outbox.settle_event(first)?;
        self.outbox.settle_event(last)?;
        let mut milliseconds = 0f32;
        // SAFETY: live events of this device; the driver stores one float.
        let (waited, code) = unsafe {
            let waited = (driver.event_synchronize)(last);
            (
                waited,
                (driver.event_elapsed_time)(&mut milliseconds, first, last),
            )
        };
        self.check_wait(waited, || "wait for an event".to_string())?;
        driver.check(code, || {
            "take the time between two events (were both recorded?)".to_string()
        })?;
        Ok(f64::from(milliseconds) * 1e3)
    }
}

#[cfg(test)]
mod tests {
    use super::Few;

    #[test]
    fn short_and_long_lists() {
        for length in [0, 1, 16, 17, 100] {
            let mut list = Few::new(length, 7);
            assert_eq!(list.all(), vec![7; length]);
        }
    }
}
