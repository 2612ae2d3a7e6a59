//! Device memory: who owns it, and where it ends.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::Arc;

use super::{Device, DeviceError, DevicePtr, StreamId};
use crate::buffer::HostBuffer;

/// The live allocations of a device, for checking that an access stays inside
/// one of them. Every implementation of [`Device`] keeps one.
#[derive(Debug, Default)]
pub struct AllocTable {
    live: BTreeMap<u64, usize>,
}

impl AllocTable {
    /// Records an allocation.
    pub fn insert(&mut self, ptr: DevicePtr, bytes: usize) {
        self.live.insert(ptr.0, bytes);
    }

    /// Forgets an allocation; its bytes if `ptr` is the start of one.
    pub fn remove(&mut self, ptr: DevicePtr) -> Option<usize> {
        self.live.remove(&ptr.0)
    }

    /// The start of the allocation that an address lies in; one of no bytes has its start.
    pub fn start_of(&self, ptr: DevicePtr) -> Option<DevicePtr> {
        let (start, size) = self.live.range(..=ptr.0).next_back()?;
        (ptr.0 - start < (*size as u64).max(1)).then_some(DevicePtr(*start))
    }

    /// The number of live allocations, and their bytes.
    pub fn totals(&self) -> (usize, usize) {
        (self.live.len(), self.live.values().sum())
    }

    /// The start of every live allocation.
    pub fn pointers(&self) -> Vec<DevicePtr> {
        self.live.keys().map(|p| DevicePtr(*p)).collect()
    }

    /// Checks that `bytes` bytes at `ptr` lie inside one allocation. No bytes
    /// are always inside.
    ///
    /// # Errors
    /// [`DeviceError::OutOfRange`] with `operation`'s text.
    pub fn check(
        &self,
        ptr: DevicePtr,
        bytes: usize,
        operation: impl FnOnce() -> String,
    ) -> Result<(), DeviceError> {
        if bytes == 0 {
            return Ok(());
        }
        let below = self.live.range(..=ptr.0).next_back();
        let containing = below.filter(|(start, size)| ptr.0 - **start < **size as u64);
        if let Some((start, size)) = containing
            && bytes as u64 <= *size as u64 - (ptr.0 - start)
        {
            return Ok(());
        }
        Err(DeviceError::OutOfRange {
            operation: operation(),
            ptr,
            bytes,
            allocation: containing.map(|(start, size)| (DevicePtr(*start), *size)),
        })
    }
}

/// Bytes that go from one device to another at a time.
const BETWEEN: usize = 8 << 20;

/// Copies from one device's memory to another's through the host's, and waits. Each side is
/// a device, an address and the stream whose work it comes after.
///
/// # Errors
/// [`DeviceError::OutOfRange`], or what the driver says.
pub fn copy_between(
    (to, dst, to_stream): (&dyn Device, DevicePtr, StreamId),
    (from, src, from_stream): (&dyn Device, DevicePtr, StreamId),
    bytes: usize,
) -> Result<(), DeviceError> {
    let mut piece = vec![0u8; bytes.min(BETWEEN)];
    let mut done = 0;
    let overflow = || DeviceError::Invalid {
        operation: format!("copy {bytes} bytes between devices"),
        problem: "that is more than an address can count".to_string(),
    };
    while done < bytes {
        let part = &mut piece[..(bytes - done).min(BETWEEN)];
        let at = |p: DevicePtr| p.checked_add(done).ok_or_else(overflow);
        let (dst, src) = (at(dst)?, at(src)?);
        // SAFETY: the piece is kept, and used by nobody else, until each was waited for, and
        // for good where waiting fails.
        let brought = unsafe {
            from.copy_d2h_async(part.as_mut_ptr(), src, part.len(), from_stream)
                .and_then(|()| from.synchronize(from_stream))
                .and_then(|()| to.copy_h2d_async(dst, part.as_ptr(), part.len(), to_stream))
                .and_then(|()| to.synchronize(to_stream))
        };
        done += part.len();
        if let Err(error) = brought {
            // A copy that could not be waited for may still be under way.
            std::mem::forget(piece);
            return Err(error);
        }
    }
    Ok(())
}

/// Owned device memory; freed when dropped.
pub struct DeviceBuffer {
    device: Arc<dyn Device>,
    ptr: DevicePtr,
    bytes: usize,
}

impl DeviceBuffer {
    /// Allocates without initialising.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`], or what the driver says.
    pub fn new(device: &Arc<dyn Device>, bytes: usize) -> Result<DeviceBuffer, DeviceError> {
        Ok(DeviceBuffer {
            device: Arc::clone(device),
            ptr: device.alloc(bytes)?,
            bytes,
        })
    }

    /// Allocates, and copies the bytes of a host array.
    ///
    /// # Errors
    /// As [`DeviceBuffer::new`], and errors of the copy.
    pub fn from_host(
        device: &Arc<dyn Device>,
        host: &HostBuffer,
    ) -> Result<DeviceBuffer, DeviceError> {
        let buffer = DeviceBuffer::new(device, host.size_in_bytes())?;
        buffer.upload(host.bytes())?;
        Ok(buffer)
    }

    /// The address of the first byte.
    pub fn ptr(&self) -> DevicePtr {
        self.ptr
    }

    /// Bytes asked for.
    pub fn size_in_bytes(&self) -> usize {
        self.bytes
    }

    /// The device it is on.
    pub fn device(&self) -> &Arc<dyn Device> {
        &self.device
    }

    /// Copies host bytes to its beginning, and waits.
    ///
    /// # Errors
    /// [`DeviceError::OutOfRange`] when there are too many; errors of the copy.
    pub fn upload(&self, bytes: &[u8]) -> Result<(), DeviceError> {
        self.device.copy_h2d(self.ptr, bytes)
    }

    /// Copies its beginning to host bytes, and waits.
    ///
    /// # Errors
    /// [`DeviceError::OutOfRange`] when there are too many; errors of the copy.
    pub fn download(&self, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.device.copy_d2h(bytes, self.ptr)
    }
}

impl Drop for DeviceBuffer {
    fn drop(&mut self) {
        // After a fault on the device every call fails, this one too; the fault
        // was reported where it was noticed.
        let _ = self.device.free(self.ptr);
    }
}

impl fmt::Debug for DeviceBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceBuffer({} bytes at {})", self.bytes, self.ptr)
    }
}

/// Owned host memory that the device can read and write by itself, which makes
/// copies faster and lets them overlap with other work. Zero when new.
pub struct PinnedBuffer {
    device: Arc<dyn Device>,
    data: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the memory is owned, and shared access only reads it.
unsafe impl Send for PinnedBuffer {}
// SAFETY: as above.
unsafe impl Sync for PinnedBuffer {}

impl PinnedBuffer {
    /// Allocates zeros.
    ///
    /// # Errors
    /// What the driver says.
    pub fn new(device: &Arc<dyn Device>, bytes: usize) -> Result<PinnedBuffer, DeviceError> {
        let data = device.alloc_host(bytes)?;
        // SAFETY: `alloc_host` gives at least `bytes` writable bytes.
        unsafe { data.as_ptr().write_bytes(0, bytes) };
        Ok(PinnedBuffer {
            device: Arc::clone(device),
            data,
            bytes,
        })
    }
}

impl Deref for PinnedBuffer {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        // SAFETY: initialised by `new`, owned, alive until dropped.
        unsafe { std::slice::from_raw_parts(self.data.as_ptr(), self.bytes) }
    }
}

impl DerefMut for PinnedBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `deref`, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.data.as_ptr(), self.bytes) }
    }
}

impl Drop for PinnedBuffer {
    fn drop(&mut self) {
        // SAFETY: allocated by `alloc_host` of this device, freed once. A failure
        // was reported before, as for `DeviceBuffer`.
        let _ = unsafe { self.device.free_host(self.data) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_stay_inside_one_allocation() {
        let mut table = AllocTable::default();
        table.insert(DevicePtr(1000), 100);
        table.insert(DevicePtr(1100), 50);
        table.insert(DevicePtr(u64::MAX - 7), 8);
        let check = |at: u64, bytes| table.check(DevicePtr(at), bytes, || "copy".to_string());
        assert!(check(1000, 100).is_ok() && check(1099, 1).is_ok());
        assert!(check(0, 0).is_ok() && check(u64::MAX - 7, 8).is_ok());
        assert!(check(u64::MAX, 2).is_err());
        let error = check(1090, 11).unwrap_err().to_string();
        assert_eq!(
            error,
            "could not copy: 11 bytes at 0x442 reach beyond the 100 bytes allocated at 0x3e8"
        );
        assert!(
            check(999, 1)
                .unwrap_err()
                .to_string()
                .contains("not in any live allocation")
        );
        assert!(check(1150, 1).is_err() && check(1000, usize::MAX).is_err());
        assert_eq!(table.totals(), (3, 158));
        assert_eq!(table.remove(DevicePtr(1100)), Some(50));
        assert_eq!(table.remove(DevicePtr(1001)), None);
        assert_eq!(table.pointers().len(), 2);
    }
}
