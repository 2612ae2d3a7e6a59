//! Copies of bytes on an NVIDIA device: by the device's own thread, through the ring, or by
//! the driver.

use super::CudaDevice;
use super::outbox::Shape;
use crate::device::{DeviceError, DevicePtr, StreamId};
use crate::profile::Direction;

impl CudaDevice {
    /// [`Device::copy_h2d_async`](crate::device::Device::copy_h2d_async).
    ///
    /// # Safety
    /// As there.
    pub(super) unsafe fn copy_in(
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

    /// [`Device::copy_d2h_async`](crate::device::Device::copy_d2h_async).
    ///
    /// # Safety
    /// As there.
    pub(super) unsafe fn copy_out(
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

    /// [`Device::copy_d2d`](crate::device::Device::copy_d2d).
    pub(super) fn copy_within(
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
}
