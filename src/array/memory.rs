//! The memory of arrays, of the host or of a device.

use super::error::ArrayError;
use crate::runtime::buffer::HostBuffer;
use crate::runtime::device::{Device, DeviceBuffer, DevicePtr, StreamId};
use crate::runtime::dtype::DType;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Memory that arrays share. Kernels hold its lock while they use it.
pub(super) struct Memory {
    bytes: usize,
    /// The context that it belongs to, by the address of its inside.
    pub owner: usize,
    contents: RwLock<Contents>,
}

/// What a memory holds.
pub(super) struct Contents {
    place: Place,
    /// Why it holds nothing.
    pub lost: Option<ArrayError>,
}

enum Place {
    Host(HostBuffer),
    Device(DeviceBuffer, Arc<dyn Device>),
}

impl Memory {
    /// Zeros. `device` is none for the host.
    ///
    /// # Errors
    ///
    /// Memory is short.
    pub fn zeros(
        owner: usize,
        device: Option<&Arc<dyn Device>>,
        bytes: usize,
    ) -> Result<Memory, ArrayError> {
        let place = match device {
            None => Place::Host(HostBuffer::zeros(DType::U8, &[bytes])?),
            Some(device) => {
                let buffer = DeviceBuffer::new(device, bytes)?;
                device.memset(buffer.ptr(), &[0], bytes, StreamId::MAIN)?;
                Place::Device(buffer, Arc::clone(device))
            }
        };
        let contents = Contents { place, lost: None };
        Ok(Memory {
            bytes,
            owner,
            contents: RwLock::new(contents),
        })
    }

    /// Its size.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Its contents, which nobody changes meanwhile.
    pub fn read(&self) -> RwLockReadGuard<'_, Contents> {
        // What a panic left behind is bytes all the same.
        self.contents.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its contents, which nobody else uses meanwhile.
    pub fn write(&self) -> RwLockWriteGuard<'_, Contents> {
        self.contents
            .write()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Contents {
    /// The address of the first byte, on the device that it is on. Who reads through it holds the
    /// lock, and who writes holds it for writing.
    pub fn address(&self) -> u64 {
        match &self.place {
            Place::Host(b) => b.as_ptr() as u64,
            Place::Device(b, _) => b.ptr().0,
        }
    }

    /// Copies bytes from `offset` on to the host.
    ///
    /// # Errors
    ///
    /// There is nothing to copy, or the device refuses.
    pub fn copy_out(&self, offset: usize, to: &mut [u8]) -> Result<(), ArrayError> {
        self.check()?;
        match &self.place {
            Place::Host(b) => to.copy_from_slice(&b.bytes()[offset..offset + to.len()]),
            Place::Device(..) if to.is_empty() => {}
            Place::Device(b, device) => {
                // What does not lie in the memory the device refuses.
                let from = DevicePtr(b.ptr().0.wrapping_add(offset as u64));
                device.copy_d2h(to, from)?;
            }
        }
        Ok(())
    }

    /// Copies bytes from the host to `offset` and on.
    ///
    /// # Errors
    ///
    /// The device refuses.
    pub fn copy_in(&mut self, offset: usize, from: &[u8]) -> Result<(), ArrayError> {
        match &mut self.place {
            Place::Host(b) => {
                b.bytes_mut()[offset..offset + from.len()].copy_from_slice(from);
            }
            Place::Device(..) if from.is_empty() => {}
            Place::Device(b, device) => {
                // What does not lie in the memory the device refuses.
                let to = DevicePtr(b.ptr().0.wrapping_add(offset as u64));
                device.copy_h2d(to, from)?;
            }
        }
        Ok(())
    }

    /// Whether it holds something.
    ///
    /// # Errors
    ///
    /// Why it does not.
    pub fn check(&self) -> Result<(), ArrayError> {
        match &self.lost {
            Some(e) => Err(ArrayError::Lost(Box::new(e.clone()))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_says_why() {
        let memory = Memory::zeros(0, None, 8).unwrap();
        let failed = ArrayError::Kernel {
            at: None,
            message: "a fault".to_string(),
        };
        memory.write().lost = Some(failed);
        let mut bytes = [0; 8];
        let said = memory.read().copy_out(0, &mut bytes).unwrap_err();
        assert_eq!(
            said.to_string(),
            "the array holds nothing, since the kernel that was to compute it failed: a fault"
        );
    }
}
