//! Copies of rows on an NVIDIA device: by the driver, or through the ring.

use std::sync::TryLockError;

use cudarc::driver::sys;

use super::CudaDevice;
use super::link::Link;
use super::outbox::Shape;
use crate::device::{DeviceError, DevicePtr, Rows, StreamId, rows::one_by_one};
use crate::profile::Direction;
use crate::staging::MIN;

/// Rows further apart than this are beyond the driver.
const MAX_PITCH: usize = i32::MAX as usize;

impl CudaDevice {
    /// [`Device::copy_rows`](crate::device::Device::copy_rows).
    ///
    /// # Safety
    /// As there.
    pub(super) unsafe fn rows(
        &self,
        way: Direction,
        dst: u64,
        src: u64,
        rows: &Rows,
        stream: StreamId,
    ) -> Result<(), DeviceError> {
        let (to_device, from_device) = match way {
            Direction::HostToDevice => (true, false),
            Direction::DeviceToHost => (false, true),
            Direction::DeviceToDevice => (true, true),
        };
        let (dst_bytes, src_bytes) = rows.extents()?;
        let bytes = rows.bytes().unwrap_or(0);
        if bytes == 0 {
            return Ok(());
        }
        let raw = self.stream(stream)?;
        self.enter()?;
        if to_device {
            self.check_range(DevicePtr(dst), dst_bytes, || rows.operation())?;
        }
        if from_device {
            self.check_range(DevicePtr(src), src_bytes, || rows.operation())?;
        }
        if to_device && from_device {
            self.outbox.settle_stream(raw)?;
            let apart = match dst >= src {
                true => dst - src >= src_bytes as u64,
                false => src - dst >= dst_bytes as u64,
            };
            if !apart {
                return Err(DeviceError::Invalid {
                    operation: rows.operation(),
                    problem: format!("source {src:#x} and destination {dst:#x} overlap"),
                });
            }
        } else {
            let (device, host) = match to_device {
                true => (DevicePtr(dst), src as *mut u8),
                false => (DevicePtr(src), dst as *mut u8),
            };
            if from_device && fits_driver(rows) {
                // SAFETY: as below.
                let apart = unsafe { self.apart(device, host, (Shape::Rows(*rows), bytes), raw) };
                if let Some(result) = apart {
                    return result;
                }
            }
            self.outbox.settle_stream(raw)?;
            // SAFETY: the device's side was checked, the caller promises the host's.
            let staged = unsafe { self.staged_rows(way, device, host, rows, bytes, raw) };
            if let Some(result) = staged {
                return result;
            }
        }
        if !fits_driver(rows) {
            // SAFETY: by the contract.
            return unsafe { one_by_one(self, way, dst, src, rows, stream) };
        }
        // SAFETY: by the contract, and the device's sides were checked.
        unsafe { self.link.rows_by_driver(way, dst, src, rows, raw) }
    }

    /// Copies rows of pageable memory through the ring, as [`CudaDevice::staged`] does
    /// bytes; none if that is not worth it.
    ///
    /// # Safety
    /// The rows of both sides are there, and the host's are not used otherwise meanwhile.
    unsafe fn staged_rows(
        &self,
        way: Direction,
        device: DevicePtr,
        host: *mut u8,
        rows: &Rows,
        bytes: usize,
        stream: sys::CUstream,
    ) -> Option<Result<(), DeviceError>> {
        if bytes < MIN || !fits_driver(rows) || self.is_pinned(host) {
            return None;
        }
        let mut stage = match self.stage.try_lock() {
            Ok(stage) => stage,
            Err(TryLockError::Poisoned(p)) => p.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        let (ring, lane) = self.ring(&mut stage, bytes, stream)?;
        // SAFETY: by the contract.
        Some(unsafe {
            match way {
                Direction::DeviceToHost => ring.copy_rows_out(&lane, host, device, rows),
                _ => ring.copy_rows_in(&lane, device, host, rows),
            }
        })
    }
}

impl Link {
    /// Queues the driver's copy of rows.
    ///
    /// # Safety
    /// The rows of both sides are there, and the host's are not used otherwise until the
    /// stream was waited for.
    pub(super) unsafe fn rows_by_driver(
        &self,
        way: Direction,
        dst: u64,
        src: u64,
        rows: &Rows,
        stream: sys::CUstream,
    ) -> Result<(), DeviceError> {
        let mut all = *rows;
        // The driver counts planes in rows, as many as are copied at least.
        let one_plane = |p: crate::device::Pitch| {
            rows.planes == 1 || p.plane.is_multiple_of(p.row) && p.plane / p.row >= rows.rows
        };
        let whole = one_plane(rows.dst) && one_plane(rows.src);
        let times = if whole { 1 } else { rows.planes };
        if !whole {
            all.planes = 1;
        }
        for p in 0..times {
            let to = dst + (p * rows.dst.plane) as u64;
            let from = src + (p * rows.src.plane) as u64;
            let copy = described(way, to, from, &all);
            let driver = self.enter()?;
            // SAFETY: a description whose rows are there, by the contract.
            let code = unsafe { (driver.memcpy_3d_async)(&raw const copy, stream) };
            self.check_wait(code, || rows.operation())?;
        }
        Ok(())
    }
}

/// Whether the driver takes such rows at all.
fn fits_driver(rows: &Rows) -> bool {
    [rows.dst, rows.src]
        .iter()
        .all(|p| (rows.width..=MAX_PITCH).contains(&p.row))
}

fn described(way: Direction, dst: u64, src: u64, rows: &Rows) -> sys::CUDA_MEMCPY3D_st {
    let host = sys::CUmemorytype::CU_MEMORYTYPE_HOST;
    let device = sys::CUmemorytype::CU_MEMORYTYPE_DEVICE;
    let from_host = way == Direction::HostToDevice;
    let to_host = way == Direction::DeviceToHost;
    let null = std::ptr::null_mut();
    let height = |p: crate::device::Pitch| match rows.planes {
        1 => rows.rows,
        _ => p.plane / p.row,
    };
    sys::CUDA_MEMCPY3D_st {
        srcXInBytes: 0,
        srcY: 0,
        srcZ: 0,
        srcLOD: 0,
        srcMemoryType: if from_host { host } else { device },
        srcHost: if from_host { src as *const _ } else { null },
        srcDevice: if from_host { 0 } else { src },
        srcArray: std::ptr::null_mut(),
        reserved0: null,
        srcPitch: rows.src.row,
        srcHeight: height(rows.src),
        dstXInBytes: 0,
        dstY: 0,
        dstZ: 0,
        dstLOD: 0,
        dstMemoryType: if to_host { host } else { device },
        dstHost: if to_host { dst as *mut _ } else { null },
        dstDevice: if to_host { 0 } else { dst },
        dstArray: std::ptr::null_mut(),
        reserved1: null,
        dstPitch: rows.dst.row,
        dstHeight: height(rows.dst),
        WidthInBytes: rows.width,
        Height: rows.rows,
        Depth: rows.planes,
    }
}
