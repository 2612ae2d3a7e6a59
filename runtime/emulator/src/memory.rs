//! Device memory: allocations at addresses of their own, and which bytes of
//! them were ever written.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::BTreeMap;
use std::fmt;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// Where allocations begin: far from the host's addresses and from null, so
/// that neither is taken for one.
const FIRST_ADDRESS: u64 = 0x0200_0000_0000;
/// Alignment of allocations.
const ALIGN: u64 = 256;
/// Bytes between allocations that belong to none.
const GAP: u64 = 64 * 1024;
/// Addresses of one device.
const ADDRESSES: u64 = 1 << 43;
/// As many devices have addresses of their own, below those of the host.
pub const MAX_DEVICES: usize = 8;

/// A run of bytes that kernels may access: an allocation, or the shared or local
/// memory of a block. Several host threads may access it at a time; a racing
/// program gets one of the values, as on a GPU.
pub(crate) struct Region {
    pub base: u64,
    pub bytes: u64,
    /// What to call it in messages; empty for plain allocations.
    pub name: String,
    data: NonNull<u8>,
    layout: Layout,
    /// A bit for each byte that was written.
    written: Box<[AtomicU64]>,
    /// Whether all were, so that the bits need not be looked at.
    all_written: AtomicBool,
}

// SAFETY: the data is only accessed by atomic operations, or through `&mut`.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { dealloc(self.data.as_ptr(), self.layout) }
    }
}

impl Region {
    /// Zeros that count as never written; none if the host lacks memory.
    pub fn new(base: u64, bytes: u64, name: &str) -> Option<Region> {
        let size = usize::try_from(bytes)
            .ok()?
            .max(1)
            .checked_next_multiple_of(8)?;
        let layout = Layout::from_size_align(size, ALIGN as usize).ok()?;
        // SAFETY: the size is not 0.
        let data = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        let words = size.div_ceil(64);
        Some(Region {
            base,
            bytes,
            name: name.to_string(),
            data,
            layout,
            written: (0..words).map(|_| AtomicU64::new(0)).collect(),
            all_written: AtomicBool::new(false),
        })
    }

    /// Whether `bytes` bytes from `address` lie inside.
    #[inline]
    pub fn contains(&self, address: u64, bytes: u64) -> bool {
        let at = address.wrapping_sub(self.base);
        at < self.bytes && bytes <= self.bytes - at
    }

    /// Whether the four bytes from `address` on, which is a multiple of four, begin inside.
    /// A device's allocations end at no smaller a step.
    pub fn contains_start_of_word(&self, address: u64) -> bool {
        address.is_multiple_of(4) && self.contains(address, 1)
    }

    fn pointer(&self, at: u64, bytes: u64) -> *mut u8 {
        let room = self.layout.size() as u64;
        assert!(at <= room && bytes <= room - at, "out of the region");
        // SAFETY: inside of the allocation, as was just checked.
        unsafe { self.data.as_ptr().add(at as usize) }
    }

    /// The value of 1, 2, 4 or 8 bytes at an offset, which must be aligned to
    /// the size and inside.
    #[inline]
    pub fn load(&self, at: u64, bytes: u32) -> u64 {
        let p = self.pointer(at, u64::from(bytes));
        debug_assert_eq!(at % u64::from(bytes), 0);
        // SAFETY: valid for this many bytes, aligned since the base is and the
        // callers check the offset, and only accessed atomically.
        unsafe {
            match bytes {
                1 => u64::from(AtomicU8::from_ptr(p).load(Relaxed)),
                2 => u64::from(AtomicU16::from_ptr(p.cast()).load(Relaxed)),
                4 => u64::from(AtomicU32::from_ptr(p.cast()).load(Relaxed)),
                _ => AtomicU64::from_ptr(p.cast()).load(Relaxed),
            }
        }
    }

    /// Writes the low 1, 2, 4 or 8 bytes of a value, under the same conditions.
    #[inline]
    pub fn store(&self, at: u64, bytes: u32, value: u64) {
        let p = self.pointer(at, u64::from(bytes));
        debug_assert_eq!(at % u64::from(bytes), 0);
        // SAFETY: as in `load`.
        unsafe {
            match bytes {
                1 => AtomicU8::from_ptr(p).store(value as u8, Relaxed),
                2 => AtomicU16::from_ptr(p.cast()).store(value as u16, Relaxed),
                4 => AtomicU32::from_ptr(p.cast()).store(value as u32, Relaxed),
                _ => AtomicU64::from_ptr(p.cast()).store(value, Relaxed),
            }
        }
    }

    /// Replaces a value of 2, 4 or 8 bytes by `f` of it, in one step that nothing
    /// comes between; the value before.
    pub fn update(&self, at: u64, bytes: u32, mut f: impl FnMut(u64) -> u64) -> u64 {
        let p = self.pointer(at, u64::from(bytes));
        debug_assert_eq!(at % u64::from(bytes), 0);
        // SAFETY: as in `load`.
        unsafe {
            match bytes {
                2 => u64::from(
                    AtomicU16::from_ptr(p.cast())
                        .fetch_update(Relaxed, Relaxed, |v| Some(f(u64::from(v)) as u16))
                        .unwrap_or_else(|v| v),
                ),
                4 => u64::from(
                    AtomicU32::from_ptr(p.cast())
                        .fetch_update(Relaxed, Relaxed, |v| Some(f(u64::from(v)) as u32))
                        .unwrap_or_else(|v| v),
                ),
                _ => AtomicU64::from_ptr(p.cast())
                    .fetch_update(Relaxed, Relaxed, |v| Some(f(v)))
                    .unwrap_or_else(|v| v),
            }
        }
    }

    /// Whether everything was written.
    #[inline]
    pub fn is_all_written(&self) -> bool {
        self.all_written.load(Relaxed)
    }

    /// Whether every byte of an access of at most 16 bytes, aligned to its size,
    /// was written.
    #[inline]
    pub fn is_written(&self, at: u64, bytes: u32) -> bool {
        if self.all_written.load(Relaxed) {
            return true;
        }
        let bits = ((1u64 << bytes) - 1) << (at % 64);
        self.written[(at / 64) as usize].load(Relaxed) & bits == bits
    }

    /// Whether one of the bytes of such an access was written.
    pub fn is_part_written(&self, at: u64, bytes: u32) -> bool {
        (0..u64::from(bytes)).any(|i| self.is_written(at + i, 1))
    }

    /// Notes that such an access wrote its bytes.
    #[inline]
    pub fn note_written(&self, at: u64, bytes: u32) {
        if self.all_written.load(Relaxed) {
            return;
        }
        let bits = ((1u64 << bytes) - 1) << (at % 64);
        let word = &self.written[(at / 64) as usize];
        if word.load(Relaxed) & bits != bits {
            word.fetch_or(bits, Relaxed);
        }
    }

    /// Notes that a run of bytes was written.
    pub fn note_run_written(&self, at: u64, bytes: u64) {
        if at == 0 && bytes == self.bytes {
            self.all_written.store(true, Relaxed);
        }
        let end = at + bytes;
        let mut i = at;
        while i < end {
            let stop = ((i / 64 + 1) * 64).min(end);
            let n = stop - i;
            let bits = if n == 64 { u64::MAX } else { (1 << n) - 1 };
            self.written[(i / 64) as usize].fetch_or(bits << (i % 64), Relaxed);
            i = stop;
        }
    }

    /// Forgets all contents: zeros that count as never written.
    pub fn reset(&mut self) {
        // SAFETY: the whole allocation, which `&mut` makes ours alone.
        unsafe { std::ptr::write_bytes(self.data.as_ptr(), 0, self.layout.size()) };
        for word in &mut self.written {
            *word.get_mut() = 0;
        }
        *self.all_written.get_mut() = false;
    }

    fn read(&self, at: u64, out: &mut [u8]) {
        let p = self.pointer(at, out.len() as u64);
        for (i, byte) in out.iter_mut().enumerate() {
            // SAFETY: the run was checked; bytes are always aligned.
            *byte = unsafe { AtomicU8::from_ptr(p.add(i)).load(Relaxed) };
        }
    }

    fn write(&self, at: u64, bytes: &[u8]) {
        let p = self.pointer(at, bytes.len() as u64);
        for (i, byte) in bytes.iter().enumerate() {
            // SAFETY: the run was checked; bytes are always aligned.
            unsafe { AtomicU8::from_ptr(p.add(i)).store(*byte, Relaxed) };
        }
        self.note_run_written(at, bytes.len() as u64);
    }
}

/// Why memory could not be had or accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryError {
    /// So many bytes are more than there is.
    OutOfMemory { bytes: u64, free: u64 },
    /// The access does not lie in one allocation.
    OutOfRange { address: u64, bytes: u64 },
    /// Not the start of an allocation.
    NotAllocated { address: u64 },
}

impl fmt::Display for MemoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MemoryError::OutOfMemory { bytes, free } => {
                write!(
                    f,
                    "out of device memory: {bytes} bytes requested, {free} free"
                )
            }
            MemoryError::OutOfRange { address, bytes } => {
                write!(
                    f,
                    "{bytes} bytes at {address:#x} do not lie in one allocation"
                )
            }
            MemoryError::NotAllocated { address } => {
                write!(f, "{address:#x} is not the start of an allocation")
            }
        }
    }
}

impl std::error::Error for MemoryError {}

/// The allocations of one device.
pub struct Memory {
    inner: Mutex<Inner>,
    total: u64,
    /// Behind the last address.
    end: u64,
}

struct Inner {
    live: BTreeMap<u64, Arc<Region>>,
    next: u64,
    used: u64,
}

impl Memory {
    /// A device with so many bytes.
    pub fn new(total: u64) -> Memory {
        Memory::of(0, total)
    }

    /// Device `number` of several, up to [`MAX_DEVICES`]. Each has a range of addresses
    /// of its own, so that one's are not taken for another's.
    pub fn of(number: usize, total: u64) -> Memory {
        let number = number.min(MAX_DEVICES - 1) as u64;
        let first = FIRST_ADDRESS + number * ADDRESSES;
        Memory {
            inner: Mutex::new(Inner {
                live: BTreeMap::new(),
                next: first,
                used: 0,
            }),
            total,
            end: first + ADDRESSES,
        }
    }

    fn inner(&self) -> std::sync::MutexGuard<'_, Inner> {
        // Nothing panics half-way through a change.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Free and total bytes.
    pub fn free_and_total(&self) -> (u64, u64) {
        (self.total - self.inner().used.min(self.total), self.total)
    }

    /// Allocates bytes, aligned to 256, that count as never written. An address
    /// is never handed out a second time, so that the use of freed memory shows.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`].
    pub fn alloc(&self, bytes: u64) -> Result<u64, MemoryError> {
        self.alloc_named(bytes, "")
    }

    pub(crate) fn alloc_named(&self, bytes: u64, name: &str) -> Result<u64, MemoryError> {
        let mut inner = self.inner();
        let free = self.total - inner.used.min(self.total);
        let none = MemoryError::OutOfMemory { bytes, free };
        if bytes > free {
            return Err(none);
        }
        let base = inner.next;
        let end = bytes.checked_add(base + GAP).filter(|e| *e <= self.end);
        let end = end.ok_or(none)?;
        let region = Region::new(base, bytes, name).ok_or(none)?;
        inner.next = end.next_multiple_of(ALIGN);
        inner.used += bytes;
        inner.live.insert(base, Arc::new(region));
        Ok(base)
    }

    /// Frees an allocation.
    ///
    /// # Errors
    /// [`MemoryError::NotAllocated`].
    pub fn free(&self, address: u64) -> Result<(), MemoryError> {
        let mut inner = self.inner();
        let region = inner.live.remove(&address);
        let region = region.ok_or(MemoryError::NotAllocated { address })?;
        inner.used -= region.bytes;
        Ok(())
    }

    fn region(&self, address: u64, bytes: u64) -> Result<(Arc<Region>, u64), MemoryError> {
        let inner = self.inner();
        let below = inner.live.range(..=address).next_back();
        match below {
            // Of 0 bytes the end is inside too.
            Some((base, r)) if address - base <= r.bytes && bytes <= r.bytes - (address - base) => {
                Ok((Arc::clone(r), address - base))
            }
            _ => Err(MemoryError::OutOfRange { address, bytes }),
        }
    }

    /// Copies bytes from the host.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`].
    pub fn write(&self, address: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        let (region, at) = self.region(address, bytes.len() as u64)?;
        region.write(at, bytes);
        Ok(())
    }

    /// Copies bytes to the host.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`].
    pub fn read(&self, address: u64, out: &mut [u8]) -> Result<(), MemoryError> {
        let (region, at) = self.region(address, out.len() as u64)?;
        region.read(at, out);
        Ok(())
    }

    /// Copies bytes within the device. Bytes that were never written stay so.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`].
    pub fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<(), MemoryError> {
        let (target, target_at) = self.region(to, bytes)?;
        let (source, source_at) = self.region(from, bytes)?;
        for i in 0..bytes {
            let value = source.load(source_at + i, 1);
            target.store(target_at + i, 1, value);
            if source.is_written(source_at + i, 1) {
                target.note_written(target_at + i, 1);
            }
        }
        Ok(())
    }

    /// Writes a pattern `count` times.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`].
    pub fn fill(&self, address: u64, pattern: &[u8], count: u64) -> Result<(), MemoryError> {
        let bytes = (pattern.len() as u64).saturating_mul(count);
        let (region, at) = self.region(address, bytes)?;
        for i in 0..count {
            region.write(at + i * pattern.len() as u64, pattern);
        }
        Ok(())
    }

    /// Whether every byte of a run was written by the host or a kernel; an index
    /// of the first that was not.
    ///
    /// # Errors
    /// [`MemoryError::OutOfRange`].
    pub fn first_unwritten(&self, address: u64, bytes: u64) -> Result<Option<u64>, MemoryError> {
        let (region, at) = self.region(address, bytes)?;
        Ok((0..bytes).find(|i| !region.is_written(at + i, 1)))
    }

    /// The live regions in the order of their addresses.
    pub(crate) fn regions(&self) -> Vec<Arc<Region>> {
        self.inner().live.values().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_known_to_the_byte() {
        let memory = Memory::new(1 << 20);
        let a = memory.alloc(200).unwrap();
        assert_eq!(memory.first_unwritten(a, 200), Ok(Some(0)));
        memory.write(a, &[7; 130]).unwrap();
        assert_eq!(memory.first_unwritten(a, 200), Ok(Some(130)));
        memory.fill(a + 130, &[1, 2], 35).unwrap();
        assert_eq!(memory.first_unwritten(a, 200), Ok(None));
        let mut out = [0; 4];
        memory.read(a + 128, &mut out).unwrap();
        assert_eq!(out, [7, 7, 1, 2]);

        let b = memory.alloc(200).unwrap();
        memory.copy(b + 8, a, 100).unwrap();
        assert_eq!(memory.first_unwritten(b + 8, 192), Ok(Some(100)));
    }

    #[test]
    fn what_lies_in_no_allocation_is_refused() {
        let memory = Memory::new(1000);
        let a = memory.alloc(100).unwrap();
        assert_eq!(a % ALIGN, 0);
        let outside = Err(MemoryError::OutOfRange {
            address: a + 90,
            bytes: 11,
        });
        assert_eq!(memory.write(a + 90, &[0; 11]), outside);
        assert!(memory.write(a + 100, &[]).is_ok());
        let free = memory.alloc(901);
        assert_eq!(
            free,
            Err(MemoryError::OutOfMemory {
                bytes: 901,
                free: 900
            })
        );
        memory.free(a).unwrap();
        assert_eq!(
            memory.free(a),
            Err(MemoryError::NotAllocated { address: a })
        );
        assert_ne!(memory.alloc(100), Ok(a));
    }
}
