//! What a device does for copies through a ring of pinned memory.

use crate::device::{DeviceError, DevicePtr, Rows};

/// What a device does for staged copies, all on one of its streams. Called by several
/// threads at once, each with slots of its own.
pub trait Transport: Sync {
    /// Queues a copy from pinned memory to the device.
    ///
    /// # Errors
    /// What the device says.
    ///
    /// # Safety
    /// `from` has this many bytes, which nobody writes until a mark behind it was waited
    /// for.
    unsafe fn to_device(
        &self,
        to: DevicePtr,
        from: *const u8,
        bytes: usize,
    ) -> Result<(), DeviceError>;

    /// Queues a copy from the device to pinned memory.
    ///
    /// # Errors
    /// What the device says.
    ///
    /// # Safety
    /// `to` has this many bytes, which nobody else uses until a mark behind it was waited
    /// for.
    unsafe fn to_host(&self, to: *mut u8, from: DevicePtr, bytes: usize)
    -> Result<(), DeviceError>;

    /// Queues a copy of rows from pinned memory, where they follow each other.
    ///
    /// # Errors
    /// What the device says.
    ///
    /// # Safety
    /// As for [`Transport::to_device`], of all the rows.
    unsafe fn rows_to_device(
        &self,
        to: DevicePtr,
        from: *const u8,
        rows: &Rows,
    ) -> Result<(), DeviceError> {
        rows.each(|d, s| {
            // SAFETY: one of the rows.
            unsafe { self.to_device(DevicePtr(to.0 + d as u64), from.add(s), rows.width) }
        })
    }

    /// Queues a copy of rows to pinned memory, where they follow each other.
    ///
    /// # Errors
    /// What the device says.
    ///
    /// # Safety
    /// As for [`Transport::to_host`], of all the rows.
    unsafe fn rows_to_host(
        &self,
        to: *mut u8,
        from: DevicePtr,
        rows: &Rows,
    ) -> Result<(), DeviceError> {
        rows.each(|d, s| {
            // SAFETY: one of the rows.
            unsafe { self.to_host(to.add(d), DevicePtr(from.0 + s as u64), rows.width) }
        })
    }

    /// Marks what is queued by now as what the slot of this number waits for.
    ///
    /// # Errors
    /// What the device says.
    fn mark(&self, slot: usize) -> Result<(), DeviceError>;

    /// Waits for the last mark of a slot.
    ///
    /// # Errors
    /// Faults of the work before it, or what the device says.
    fn wait(&self, slot: usize) -> Result<(), DeviceError>;
}
