//! The memory of arrays, of the host or of devices.

use super::error::ArrayError;
use crate::runtime::buffer::HostBuffer;
use crate::runtime::device::{Device, DeviceBuffer, DevicePtr, StreamId};
use crate::runtime::dtype::DType;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};
use terrace_dsl::Complex;

/// A device that memory is on; none is the host.
pub(super) type On = Option<Arc<dyn Device>>;

/// Memory that arrays share. Kernels hold its lock while they use it.
pub(super) struct Memory {
    /// Where each part begins in bytes, and where the last one ends.
    starts: Vec<usize>,
    /// The context that it belongs to, by the address of its inside.
    pub owner: usize,
    contents: RwLock<Contents>,
    /// Where it goes when nobody needs it any more.
    spare: Weak<Spare>,
}

/// The most bytes that are kept of memory which nobody needs, and the most pieces.
const MOST_SPARE: (usize, usize) = (256 << 20, 32);

/// Memory that nobody needs, for who needs some of the same size: what the system gives costs it
/// more than zeros do, and a device waits for its kernels when it gives memory back.
#[derive(Default)]
pub(super) struct Spare {
    kept: Mutex<Vec<Contents>>,
}

impl Spare {
    fn take(&self, devices: &[On], starts: &[usize]) -> Option<Contents> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |c: &Contents| {
            let mut both = c.parts.iter().zip(devices);
            c.starts == starts && both.all(|(p, on)| p.is_on(on.as_ref()))
        };
        let at = kept.iter().position(fits)?;
        Some(kept.swap_remove(at))
    }

    fn keep(&self, contents: Contents) {
        let bytes = |c: &Contents| c.starts.last().copied().unwrap_or(0);
        // A device that looks at each access tells of memory that is used after its end.
        let looks = contents.parts.iter().any(|p| match p {
            Place::Host(_) => false,
            Place::Borrowed(_) => true,
            Place::Device(_, device) => device.looks_at_accesses(),
        });
        if looks || bytes(&contents) == 0 || bytes(&contents) > MOST_SPARE.0 {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(contents);
        // The oldest go first.
        while kept.len() > MOST_SPARE.1 || kept.iter().map(bytes).sum::<usize>() > MOST_SPARE.0 {
            kept.remove(0);
        }
    }

    /// Gives all of it back.
    fn clear(&self) {
        let kept = std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner));
        drop(kept);
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Some(spare) = self.spare.upgrade() {
            let contents = self.contents.get_mut();
            let contents = contents.unwrap_or_else(PoisonError::into_inner);
            spare.keep(Contents {
                parts: std::mem::take(&mut contents.parts),
                starts: std::mem::take(&mut contents.starts),
                lost: None,
                may: May::Write,
            });
        }
    }
}

/// What a memory holds.
pub(super) struct Contents {
    /// One for each device: the parts of the memory in their order.
    parts: Vec<Place>,
    starts: Vec<usize>,
    /// Why it holds nothing.
    pub lost: Option<ArrayError>,
    may: May,
}

/// What may be done with elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum May {
    Write,
    /// They are borrowed from who shares them.
    Read,
    /// They were borrowed, and went back.
    Nothing,
}

/// Bytes of the host that are somebody else's.
struct Borrowed {
    at: *mut u8,
    bytes: usize,
}

// SAFETY: they are elements that may go to other threads and be shared, and the lock of the memory
// orders who uses them.
unsafe impl Send for Borrowed {}
// SAFETY: as above.
unsafe impl Sync for Borrowed {}

/// A number all of whose bits mean something.
pub(super) trait Word {}

impl Word for u32 {}
impl Word for u64 {}
impl Word for f32 {}
impl Word for f64 {}
impl<T: Word> Word for Complex<T> {}

enum Place {
    Host(HostBuffer),
    Borrowed(Borrowed),
    Device(DeviceBuffer, Arc<dyn Device>),
}

impl Memory {
    /// Zeros: so many rows of bytes, shared out over the devices.
    ///
    /// # Errors
    ///
    /// Memory is short.
    pub fn zeros(
        owner: usize,
        spare: &Arc<Spare>,
        devices: &[On],
        rows: usize,
        row_bytes: usize,
    ) -> Result<Memory, ArrayError> {
        let n = devices.len();
        // Rows times devices may be more than a number holds.
        let share = |p: usize| (rows / n) * p + (rows % n) * p / n;
        let starts: Vec<usize> = (0..=n).map(|p| share(p) * row_bytes).collect();
        let made = || -> Result<Contents, ArrayError> {
            let parts = (devices.iter().zip(starts.windows(2)))
                .map(|(on, ends)| Place::zeros(on.as_ref(), ends[1] - ends[0]));
            Ok(Contents {
                parts: parts.collect::<Result<_, _>>()?,
                starts: starts.clone(),
                lost: None,
                may: May::Write,
            })
        };
        let contents = match spare.take(devices, &starts) {
            Some(mut contents) => {
                contents.clear()?;
                contents
            }
            // What is kept may be what there is too little of.
            None => made().or_else(|_| {
                spare.clear();
                made()
            })?,
        };
        Ok(Memory {
            starts,
            owner,
            contents: RwLock::new(contents),
            spare: Arc::downgrade(spare),
        })
    }

    /// Bytes of the host that somebody else owns.
    ///
    /// # Safety
    ///
    /// Until [`Memory::give_back`] they are there, elements of an array's type lie in them at places
    /// that are multiples of its size, and nobody else writes to those elements, nor reads them if
    /// they may be written. Views of the memory have no other elements.
    pub unsafe fn borrowed(owner: usize, at: *mut u8, bytes: usize, may: May) -> Memory {
        Memory {
            starts: vec![0, bytes],
            owner,
            contents: RwLock::new(Contents {
                parts: vec![Place::Borrowed(Borrowed { at, bytes })],
                starts: vec![0, bytes],
                lost: None,
                may,
            }),
            spare: Weak::new(),
        }
    }

    /// Ends the use of bytes that are somebody else's, when kernels that run now are done. What
    /// still has arrays of them gets an error.
    pub fn give_back(&self) {
        let mut contents = self.write();
        contents.may = May::Nothing;
        contents.parts.clear();
    }

    /// Its size.
    pub fn bytes(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Where its parts begin in bytes, and where the last one ends.
    pub fn starts(&self) -> &[usize] {
        &self.starts
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

impl Borrowed {
    /// The address of some of the bytes.
    fn part(&self, offset: usize, bytes: usize) -> *mut u8 {
        assert!(offset + bytes <= self.bytes, "a fault of terrace's own");
        // SAFETY: it stays in the bytes.
        unsafe { self.at.add(offset) }
    }
}

impl Place {
    fn zeros(on: Option<&Arc<dyn Device>>, bytes: usize) -> Result<Place, ArrayError> {
        Ok(match on {
            None => Place::Host(HostBuffer::zeros(DType::U8, &[bytes])?),
            Some(device) => {
                let buffer = DeviceBuffer::new(device, bytes)?;
                device.memset(buffer.ptr(), &[0], bytes, StreamId::MAIN)?;
                Place::Device(buffer, Arc::clone(device))
            }
        })
    }

    /// Whether it is on this device, or the host.
    fn is_on(&self, on: Option<&Arc<dyn Device>>) -> bool {
        match (self, on) {
            (Place::Host(_), None) => true,
            (Place::Device(_, device), Some(on)) => Arc::ptr_eq(device, on),
            _ => false,
        }
    }

    /// Makes all of it zeros.
    fn clear(&mut self) -> Result<(), ArrayError> {
        match self {
            Place::Host(b) => b.bytes_mut().fill(0),
            // Nobody gets such memory for something else.
            Place::Borrowed(_) => {}
            Place::Device(b, device) => {
                device.memset(b.ptr(), &[0], b.size_in_bytes(), StreamId::MAIN)?;
            }
        }
        Ok(())
    }

    fn copy_out(&self, offset: usize, to: &mut [u8]) -> Result<(), ArrayError> {
        match self {
            _ if to.is_empty() => {}
            Place::Host(b) => to.copy_from_slice(&b.bytes()[offset..offset + to.len()]),
            Place::Borrowed(b) => {
                let from = b.part(offset, to.len());
                // SAFETY: they are there, hold elements, and nobody writes them meanwhile.
                unsafe { std::ptr::copy_nonoverlapping(from, to.as_mut_ptr(), to.len()) };
            }
            Place::Device(b, device) => {
                // What does not lie in the memory the device refuses.
                let from = DevicePtr(b.ptr().0.wrapping_add(offset as u64));
                device.copy_d2h(to, from)?;
            }
        }
        Ok(())
    }

    fn copy_in(&mut self, offset: usize, from: &[u8]) -> Result<(), ArrayError> {
        match self {
            _ if from.is_empty() => {}
            Place::Host(b) => {
                b.bytes_mut()[offset..offset + from.len()].copy_from_slice(from);
            }
            Place::Borrowed(b) => {
                let to = b.part(offset, from.len());
                // SAFETY: they are there, and nobody else uses them meanwhile.
                unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), to, from.len()) };
            }
            Place::Device(b, device) => {
                let to = DevicePtr(b.ptr().0.wrapping_add(offset as u64));
                device.copy_h2d(to, from)?;
            }
        }
        Ok(())
    }
}

impl Contents {
    fn clear(&mut self) -> Result<(), ArrayError> {
        self.parts.iter_mut().try_for_each(Place::clear)
    }

    /// The address of the first byte of a part, on the device that it is on. Who reads through it
    /// holds the lock, and who writes holds it for writing.
    pub fn address(&self, part: usize) -> u64 {
        match &self.parts[part] {
            Place::Host(b) => b.as_ptr() as u64,
            Place::Borrowed(b) => b.at as u64,
            Place::Device(b, _) => b.ptr().0,
        }
    }

    /// The device that all of it lies on and its address there; none where the host has it, or several
    /// devices.
    pub fn on_device(&self) -> Option<(&dyn Device, DevicePtr)> {
        match &self.parts[..] {
            [Place::Device(b, device)] => Some((&**device, b.ptr())),
            _ => None,
        }
    }

    /// Where bytes from `offset` on lie: a part, where in it, and where among them.
    fn pieces(&self, offset: usize, bytes: usize) -> Vec<(usize, usize, std::ops::Range<usize>)> {
        let end = offset + bytes;
        let parts = self.starts.windows(2).enumerate();
        let piece = |(part, ends): (usize, &[usize])| {
            let (from, to) = (ends[0].max(offset), ends[1].min(end));
            (from < to).then(|| (part, from - ends[0], from - offset..to - offset))
        };
        parts.filter_map(piece).collect()
    }

    /// Copies bytes from `offset` on to the host.
    ///
    /// # Errors
    ///
    /// There is nothing to copy, or the device refuses.
    pub fn copy_out(&self, offset: usize, to: &mut [u8]) -> Result<(), ArrayError> {
        self.check()?;
        for (part, at, range) in self.pieces(offset, to.len()) {
            self.parts[part].copy_out(at, &mut to[range])?;
        }
        Ok(())
    }

    /// Copies bytes from the host to `offset` and on.
    ///
    /// # Errors
    ///
    /// It may not be written, or the device refuses.
    pub fn copy_in(&mut self, offset: usize, from: &[u8]) -> Result<(), ArrayError> {
        self.check_use(true)?;
        for (part, at, range) in self.pieces(offset, from.len()) {
            self.parts[part].copy_in(at, &from[range])?;
        }
        Ok(())
    }

    /// Lets words of the host that lie in one piece be changed; does nothing to others.
    pub fn in_place<W: Word>(&mut self, f: impl FnOnce(&mut [W])) {
        if let [Place::Host(b)] = &mut self.parts[..] {
            // SAFETY: any bits are a word.
            let (_, words, _) = unsafe { b.bytes_mut().align_to_mut::<W>() };
            f(words);
        }
    }

    /// Whether its elements may be read, or written too.
    ///
    /// # Errors
    ///
    /// They are borrowed, and that is over or for reading alone.
    pub fn check_use(&self, written: bool) -> Result<(), ArrayError> {
        match self.may {
            May::Write => Ok(()),
            May::Read if !written => Ok(()),
            May::Read => Err(ArrayError::Shared),
            May::Nothing => Err(ArrayError::GivenBack),
        }
    }

    /// Whether it holds something.
    ///
    /// # Errors
    ///
    /// Why it does not.
    pub fn check(&self) -> Result<(), ArrayError> {
        self.check_use(false)?;
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
        let memory = Memory::zeros(0, &Arc::default(), &[None], 1, 8).unwrap();
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

    #[test]
    fn memory_is_used_again_and_holds_zeros() {
        let spare = Arc::default();
        let zeros = |bytes| Memory::zeros(0, &spare, &[None], 1, bytes).unwrap();
        let memory = zeros(4096);
        let address = memory.read().address(0);
        memory.write().copy_in(0, &[7; 4096]).unwrap();
        drop(memory);
        let (other, same) = (zeros(4095), zeros(4096));
        assert_ne!(other.read().address(0), address);
        assert_eq!(same.read().address(0), address);
        let mut bytes = [1; 4096];
        same.read().copy_out(0, &mut bytes).unwrap();
        assert_eq!(bytes, [0; 4096]);
        // Not too much is kept.
        drop((0..100).map(|_| zeros(64)).collect::<Vec<_>>());
        drop(zeros(MOST_SPARE.0 + 1));
        drop((zeros(MOST_SPARE.0 / 2 + 1), zeros(MOST_SPARE.0 / 2 + 2)));
        let kept = spare.kept.lock().unwrap();
        assert_eq!(kept.len(), 1);
        // Nobody keeps what outlives its context.
        drop(kept);
        let last = zeros(8);
        drop(spare);
        drop(last);
    }

    #[test]
    fn bytes_are_found_in_their_parts() {
        let memory = Memory::zeros(0, &Arc::default(), &[None, None, None], 7, 2).unwrap();
        assert_eq!(memory.starts(), [0, 4, 8, 14]);
        let bytes: Vec<u8> = (1..15).collect();
        memory.write().copy_in(0, &bytes).unwrap();
        for from in 0..14 {
            for to in from..15 {
                let mut found = vec![0; to - from];
                memory.read().copy_out(from, &mut found).unwrap();
                assert_eq!(found, bytes[from..to]);
            }
        }
        memory.write().copy_in(3, &[99; 6]).unwrap();
        let mut found = [0; 14];
        memory.read().copy_out(0, &mut found).unwrap();
        assert_eq!(found, [1, 2, 3, 99, 99, 99, 99, 99, 99, 10, 11, 12, 13, 14]);
    }
}
