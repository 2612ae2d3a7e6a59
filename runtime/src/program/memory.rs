//! Device memory that is kept for reuse: the driver takes long to allocate, and waits
//! for all streams when it frees.
//!
//! A block that is given back may still be in use by work that is queued. It remembers
//! the moments up to which it may be, and is given out again once these are past, or at
//! once for work of the one stream that used it.

use std::collections::BTreeMap;
use std::ops::Bound;

use super::queue::{Queues, Ticket};
use crate::device::{Device, DeviceError, DevicePtr, StreamId};

/// Sizes are rounded up to a multiple of this.
const GRAIN: usize = 512;

struct Block {
    ptr: DevicePtr,
    after: Vec<Ticket>,
}

/// The memory of a device.
pub struct Blocks {
    /// What is given out: address to rounded size.
    live: BTreeMap<u64, usize>,
    /// What is kept, by rounded size.
    kept: BTreeMap<usize, Vec<Block>>,
    kept_bytes: usize,
    /// What the last allocation that found no memory had given back in vain.
    released: usize,
    /// Keep at most this much.
    most: usize,
    /// What sizes are rounded up to a multiple of.
    grain: usize,
}

impl Blocks {
    /// No memory yet; of what is given back at most `most` bytes are kept.
    pub fn new(most: usize) -> Blocks {
        Blocks {
            live: BTreeMap::new(),
            kept: BTreeMap::new(),
            kept_bytes: 0,
            released: 0,
            most,
            grain: GRAIN,
        }
    }

    /// For a device that looks at each access: allocations end where the program thinks,
    /// and what was freed is gone.
    pub fn exact() -> Blocks {
        Blocks {
            grain: 1,
            ..Blocks::new(0)
        }
    }

    /// Memory for work of a stream; its content is not defined.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] when what is kept does not help either, or what the
    /// device says.
    pub fn alloc(
        &mut self,
        device: &dyn Device,
        queues: &mut Queues,
        bytes: usize,
        stream: StreamId,
    ) -> Result<DevicePtr, DeviceError> {
        let size = bytes.max(1).checked_next_multiple_of(self.grain);
        let size = size.unwrap_or(usize::MAX);
        if let Some((found, ptr)) = self.reuse(queues, size, stream) {
            self.live.insert(ptr.0, found);
            return Ok(ptr);
        }
        self.released = 0;
        let ptr = match device.alloc(size) {
            Err(DeviceError::OutOfMemory { .. }) if self.kept_bytes > 0 => {
                self.released = self.kept_bytes;
                let now = queues.busy();
                device.synchronize_all()?;
                now.into_iter().for_each(|t| queues.done(t));
                self.release_kept(device)?;
                device.alloc(size)?
            }
            other => other?,
        };
        self.live.insert(ptr.0, size);
        Ok(ptr)
    }

    /// A kept block of this size, or up to an eighth larger.
    fn reuse(
        &mut self,
        queues: &Queues,
        size: usize,
        stream: StreamId,
    ) -> Option<(usize, DevicePtr)> {
        let most = size.saturating_add(size / 8);
        let range = (Bound::Included(size), Bound::Included(most));
        for (found, blocks) in self.kept.range_mut(range) {
            let ready = |t: &Ticket| t.stream == stream || queues.is_past(*t);
            let Some(i) = blocks.iter().position(|b| b.after.iter().all(ready)) else {
                continue;
            };
            let (found, block) = (*found, blocks.swap_remove(i));
            if blocks.is_empty() {
                self.kept.remove(&found);
            }
            self.kept_bytes -= found;
            return Some((found, block.ptr));
        }
        None
    }

    /// Takes memory back; false if it is none of this program's. Work that is queued
    /// may still use it.
    ///
    /// # Errors
    /// What the device says.
    pub fn free(
        &mut self,
        device: &dyn Device,
        queues: &Queues,
        ptr: DevicePtr,
    ) -> Result<bool, DeviceError> {
        let Some(size) = self.live.remove(&ptr.0) else {
            return Ok(false);
        };
        if self.kept_bytes.saturating_add(size) > self.most {
            // The driver waits for the work.
            device.free(ptr)?;
            return Ok(true);
        }
        self.kept_bytes += size;
        let after = queues.busy();
        let block = Block { ptr, after };
        self.kept.entry(size).or_default().push(block);
        Ok(true)
    }

    /// Gives everything that is kept back to the device.
    ///
    /// # Errors
    /// What the device says.
    pub fn release_kept(&mut self, device: &dyn Device) -> Result<(), DeviceError> {
        self.kept_bytes = 0;
        for block in std::mem::take(&mut self.kept).into_values().flatten() {
            device.free(block.ptr)?;
        }
        Ok(())
    }

    /// The number of blocks that are given out, and their bytes.
    pub fn live(&self) -> (usize, usize) {
        let bytes = self.live.values().fold(0usize, |n, b| n.saturating_add(*b));
        (self.live.len(), bytes)
    }

    /// Bytes that were kept for reuse and went back to the device in vain when the last
    /// allocation found no memory; 0 when it found some.
    pub fn released(&self) -> usize {
        self.released
    }

    /// Bytes that are kept for reuse.
    pub fn kept_bytes(&self) -> usize {
        self.kept_bytes
    }

    /// The size of the given-out block that begins here.
    pub fn size(&self, ptr: DevicePtr) -> Option<usize> {
        self.live.get(&ptr.0).copied()
    }

    /// Whether an address lies in memory that is given out.
    pub fn contains(&self, address: u64) -> bool {
        let below = self.live.range(..=address).next_back();
        below.is_some_and(|(start, size)| address - start < *size as u64)
    }

    /// Bytes from an address to the end of the given-out block that it lies in.
    pub fn room(&self, address: u64) -> Option<u64> {
        let (start, size) = self.live.range(..=address).next_back()?;
        let end = start.saturating_add(*size as u64);
        end.checked_sub(address).filter(|room| *room > 0)
    }
}
