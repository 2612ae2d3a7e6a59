//! Device memory set to one value, element by element.

use super::CudaDevice;
use crate::device::{DeviceError, DevicePtr, StreamId};

impl CudaDevice {
    /// [`Device::memset`](crate::device::Device::memset).
    pub(super) fn fill(
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
}
