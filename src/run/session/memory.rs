//! Memory of devices, and memory of the host that devices copy fast.

use super::{FAILED, OK, text, with};
use crate::runtime::device::{Device, DeviceError, DevicePtr, StreamId};
use crate::runtime::profile::Event;
use crate::runtime::program::memory::Blocks;
use crate::runtime::program::queue::Queues;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The functions for the JIT's symbol table.
pub fn imports() -> Vec<(&'static str, *const u8)> {
    vec![
        ("terrace_gpu_alloc", alloc as *const u8),
        ("terrace_gpu_alloc_on", alloc_on as *const u8),
        ("terrace_gpu_free", free as *const u8),
        ("terrace_gpu_memset", memset as *const u8),
        ("terrace_gpu_alloc_host", alloc_host as *const u8),
    ]
}

/// Memory of a device that runs of a program take and give back; it is kept for reuse.
pub struct Memory {
    device: Arc<dyn Device>,
    kept: Mutex<(Blocks, Queues)>,
}

impl Memory {
    /// Nothing yet. A device that looks at each access gets all back at once.
    pub fn new(device: &Arc<dyn Device>) -> Memory {
        let blocks = match device.looks_at_accesses() {
            true => Blocks::exact(),
            false => Blocks::new(device.info().total_memory / 2),
        };
        Memory {
            device: Arc::clone(device),
            kept: Mutex::new((blocks, Queues::default())),
        }
    }

    fn lock(&self) -> MutexGuard<'_, (Blocks, Queues)> {
        // Each update is whole.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An empty array still gets an address of its own.
    pub(super) fn alloc(&self, bytes: usize) -> Result<DevicePtr, DeviceError> {
        let (blocks, queues) = &mut *self.lock();
        blocks.alloc(&*self.device, queues, bytes, StreamId::MAIN)
    }

    /// The same on the device of this number. That of others than 0 is not kept.
    pub(super) fn alloc_on(&self, device: u32, bytes: usize) -> Result<DevicePtr, DeviceError> {
        match device {
            0 => self.alloc(bytes),
            _ => self.device.alloc_on(device, bytes.max(1)),
        }
    }

    /// What is given back must not be in use by work that is queued.
    pub(super) fn free(&self, ptr: DevicePtr) -> Result<(), DeviceError> {
        let (blocks, queues) = &mut *self.lock();
        match blocks.free(&*self.device, queues, ptr)? {
            true => Ok(()),
            false => self.device.free(ptr),
        }
    }
}

/// The address of new device memory; 0 after an error.
pub extern "C" fn alloc(bytes: u64, op: u32) -> u64 {
    alloc_on(bytes, 0, op)
}

/// The same on the device of this number.
extern "C" fn alloc_on(bytes: u64, device: u32, op: u32) -> u64 {
    with(op, 0, |s| {
        let size = usize::try_from(bytes).map_err(|_| format!("cannot allocate {bytes} bytes"))?;
        let ptr = s.memory.alloc_on(device, size).map_err(text)?;
        s.live.insert(ptr.0, size);
        s.profile.record(Event::Alloc {
            target: s.target.to_string(),
            bytes,
        });
        Ok(ptr.0)
    })
}

pub extern "C" fn free(ptr: u64, op: u32) -> i32 {
    with(op, FAILED, |s| {
        if s.pinned.remove(&ptr).is_some() {
            let ptr = NonNull::new(ptr as *mut u8).ok_or("frees the null pointer")?;
            // SAFETY: allocated by this device and just taken out of the list; a right
            // program has waited for the copies of it.
            unsafe { s.device.free_host(ptr) }.map_err(text)?;
            return Ok(OK);
        }
        let Some(size) = s.live.remove(&ptr) else {
            return Err(format!("{ptr:#x} is not device memory of this program"));
        };
        // As the driver does before it frees: what is asynchronous may still use it.
        s.streams.wait_all().map_err(text)?;
        s.memory.free(DevicePtr(ptr)).map_err(text)?;
        s.profile.record(Event::Free {
            target: s.target.to_string(),
            bytes: size as u64,
        });
        Ok(OK)
    })
}

extern "C" fn memset(ptr: u64, bits: u64, size: u32, count: u64, op: u32) -> i32 {
    with(op, FAILED, |s| {
        let pattern = bits.to_ne_bytes();
        let size = usize::try_from(size)
            .ok()
            .filter(|n| matches!(n, 1 | 2 | 4 | 8));
        let size = size.ok_or("elements of a memset must have 1, 2, 4 or 8 bytes")?;
        let count = usize::try_from(count).map_err(|_| "a memset of too many elements")?;
        let stream = s.streams.stream().unwrap_or(StreamId::MAIN);
        s.device
            .memset(DevicePtr(ptr), &pattern[..size], count, stream)
            .map_err(text)?;
        if stream == StreamId::MAIN {
            s.streams.note_main();
        }
        Ok(OK)
    })
}

/// The address of new pinned memory of the host; 0 after an error.
extern "C" fn alloc_host(bytes: u64, op: u32) -> u64 {
    with(op, 0, |s| {
        let size = usize::try_from(bytes).map_err(|_| format!("cannot allocate {bytes} bytes"))?;
        let ptr = s.device.alloc_host(size.max(1)).map_err(text)?;
        let address = ptr.as_ptr() as u64;
        s.pinned.insert(address, size);
        Ok(address)
    })
}
