//! [`Device`] for several devices.

use std::ptr::NonNull;

use super::Several;
use crate::device::rows::{Rows, one_by_one};
use crate::device::{
    Device, DeviceError, DeviceInfo, DevicePtr, EventId, KernelArg, KernelId, KernelInfo,
    LaunchConfig, MemoryInfo, ModuleId, StreamId, copy_between,
};
use crate::profile::Direction;

impl Device for Several {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn looks_at_accesses(&self) -> bool {
        self.devices.iter().any(|(_, d)| d.looks_at_accesses())
    }

    fn memory(&self) -> Result<MemoryInfo, DeviceError> {
        self.device(0).memory()
    }

    fn allocated(&self) -> (usize, usize) {
        self.state().allocations.totals()
    }

    fn alloc(&self, bytes: usize) -> Result<DevicePtr, DeviceError> {
        let ptr = self.device(0).alloc(bytes)?;
        self.note(ptr, bytes, 0);
        Ok(ptr)
    }

    fn alloc_on(&self, number: u32, bytes: usize) -> Result<DevicePtr, DeviceError> {
        let found = self.numbers.get(&number).copied();
        let index = found.ok_or_else(|| DeviceError::Invalid {
            operation: format!("allocate {bytes} bytes on device {number}"),
            problem: "the program was not started with it".to_string(),
        })?;
        let ptr = self.device(index).alloc(bytes)?;
        self.note(ptr, bytes, index);
        Ok(ptr)
    }

    fn free(&self, ptr: DevicePtr) -> Result<(), DeviceError> {
        let owner = {
            let mut state = self.state();
            let owner = state.owners.remove(&ptr.0);
            state.allocations.remove(ptr);
            owner
        };
        self.device(owner.unwrap_or(0)).free(ptr)
    }

    fn alloc_host(&self, bytes: usize) -> Result<NonNull<u8>, DeviceError> {
        self.device(0).alloc_host(bytes)
    }

    unsafe fn free_host(&self, ptr: NonNull<u8>) -> Result<(), DeviceError> {
        // SAFETY: the caller's promise.
        unsafe { self.device(0).free_host(ptr) }
    }

    fn copy_h2d(&self, dst: DevicePtr, src: &[u8]) -> Result<(), DeviceError> {
        let index = self.owner(dst);
        self.turn(StreamId::MAIN, index)?;
        self.device(index).copy_h2d(dst, src)
    }

    fn copy_d2h(&self, dst: &mut [u8], src: DevicePtr) -> Result<(), DeviceError> {
        let index = self.owner(src);
        self.turn(StreamId::MAIN, index)?;
        self.device(index).copy_d2h(dst, src)
    }

    unsafe fn copy_h2d_async(
        &self,
        dst: DevicePtr,
        src: *const u8,
        bytes: usize,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        let index = self.owner(dst);
        let stream = self.turn(stream, index)?;
        // SAFETY: the caller's promise.
        unsafe { self.device(index).copy_h2d_async(dst, src, bytes, stream) }
    }

    unsafe fn copy_d2h_async(
        &self,
        dst: *mut u8,
        src: DevicePtr,
        bytes: usize,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        let index = self.owner(src);
        let stream = self.turn(stream, index)?;
        // SAFETY: the caller's promise.
        unsafe { self.device(index).copy_d2h_async(dst, src, bytes, stream) }
    }

    fn copy_d2d(
        &self,
        dst: DevicePtr,
        src: DevicePtr,
        bytes: usize,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        let (to, from) = {
            let operation = || format!("copy {bytes} bytes between devices");
            let state = self.state();
            state.allocations.check(dst, bytes, operation)?;
            state.allocations.check(src, bytes, operation)?;
            (state.owner(dst).unwrap_or(0), state.owner(src).unwrap_or(0))
        };
        if to == from {
            let stream = self.turn(stream, to)?;
            return self.device(to).copy_d2d(dst, src, bytes, stream);
        }
        let from_stream = self.turn(stream, from)?;
        let to_stream = self.lane(stream)?[to];
        let source = (self.device(from), src, from_stream);
        copy_between((self.device(to), dst, to_stream), source, bytes)
    }

    unsafe fn copy_rows(
        &self,
        way: Direction,
        dst: u64,
        src: u64,
        rows: &Rows,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        let (to, from) = (self.owner(DevicePtr(dst)), self.owner(DevicePtr(src)));
        let index = match way {
            Direction::HostToDevice => to,
            Direction::DeviceToHost => from,
            _ if to == from => to,
            // SAFETY: the caller's promise.
            _ => return unsafe { one_by_one(self, way, dst, src, rows, stream) },
        };
        let stream = self.turn(stream, index)?;
        // SAFETY: the caller's promise.
        unsafe { self.device(index).copy_rows(way, dst, src, rows, stream) }
    }

    fn memset(
        &self,
        dst: DevicePtr,
        pattern: &[u8],
        count: usize,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        let index = self.owner(dst);
        let stream = self.turn(stream, index)?;
        self.device(index).memset(dst, pattern, count, stream)
    }

    fn load_module(&self, ptx: &str) -> Result<ModuleId, DeviceError> {
        self.load(ptx)
    }

    fn kernel(&self, module: ModuleId, name: &str) -> Result<KernelId, DeviceError> {
        self.entry(module, name)
    }

    fn kernel_info(&self, kernel: KernelId) -> Result<KernelInfo, DeviceError> {
        let first = self.state().kernels.get(&kernel.0).map(|k| k[0]);
        let first = first.ok_or(DeviceError::BadHandle {
            what: "kernel",
            id: kernel.0,
        })?;
        self.device(0).kernel_info(first)
    }

    unsafe fn launch(
        &self,
        kernel: KernelId,
        config: &LaunchConfig,
        args: &[KernelArg],
    ) -> Result<(), DeviceError> {
        // SAFETY: the caller's promise.
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
        // SAFETY: the caller's promise.
        unsafe { self.start(kernel, config, args, true) }
    }

    fn create_stream(&self) -> Result<StreamId, DeviceError> {
        self.make_stream()
    }

    fn destroy_stream(&self, stream: StreamId) -> Result<(), DeviceError> {
        self.end_stream(stream)
    }

    fn synchronize(&self, stream: StreamId) -> Result<(), DeviceError> {
        let lane = self.lane(stream)?;
        let mut all = lane.iter().zip(&self.devices);
        all.try_for_each(|(s, (_, d))| d.synchronize(*s))
    }

    fn is_idle(&self, stream: StreamId) -> Result<bool, DeviceError> {
        let lane = self.lane(stream)?;
        for (stream, (_, device)) in lane.iter().zip(&self.devices) {
            if !device.is_idle(*stream)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn synchronize_all(&self) -> Result<(), DeviceError> {
        self.devices
            .iter()
            .try_for_each(|(_, d)| d.synchronize_all())
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

    fn elapsed_us(&self, start: EventId, end: EventId) -> Result<f64, DeviceError> {
        let (start, end) = (self.event(start)?, self.event(end)?);
        let at = end.at.unwrap_or(0);
        self.device(at).elapsed_us(start.events[at], end.events[at])
    }
}
