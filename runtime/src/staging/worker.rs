//! What one worker does of a copy: it takes pieces and moves them through its slots.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::pieces::{Load, Piece};
use super::ring::Ring;
use super::{SLOTS, Transport};
use crate::device::{DeviceError, DevicePtr, Pitch, Rows};

/// Which way a copy goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    In,
    Out,
}

/// What one worker does of a copy.
pub(super) struct Part<'a, T> {
    pub(super) ring: &'a Ring,
    pub(super) transport: &'a T,
    pub(super) device: DevicePtr,
    pub(super) host: *mut u8,
    pub(super) load: &'a Load,
    /// The worker, whose first piece has the same number.
    pub(super) worker: usize,
    /// The first piece that no worker has.
    pub(super) next: &'a AtomicUsize,
    /// Another worker has failed.
    pub(super) failed: &'a AtomicBool,
}

impl<T: Transport> Part<'_, T> {
    /// The piece that this worker takes as its number `k`; none behind the last.
    fn take(&self, k: usize) -> Option<Piece> {
        if self.failed.load(Ordering::Relaxed) {
            return None;
        }
        let number = match k {
            0 => self.worker,
            _ => self.next.fetch_add(1, Ordering::Relaxed),
        };
        self.load.piece(number, self.ring.chunk)
    }

    /// The rows of a piece, between `side` and a slot: the copy's destination first.
    fn rows(&self, p: &Piece, way: Way, side: Pitch) -> Rows {
        let slot = Pitch {
            row: p.width,
            plane: p.width * p.rows,
        };
        let (dst, src) = match way {
            Way::In => (side, slot),
            Way::Out => (slot, side),
        };
        Rows {
            width: p.width,
            rows: p.rows,
            planes: p.planes,
            dst,
            src,
        }
    }

    /// Between the host and a slot.
    ///
    /// # Safety
    /// The host's bytes are there, as is the slot, and neither is used meanwhile.
    unsafe fn pack(&self, p: &Piece, way: Way, slot: *mut u8) {
        // The slot is the other side than towards the device.
        let rows = match way {
            Way::In => self.rows(p, Way::Out, self.load.host),
            Way::Out => self.rows(p, Way::In, self.load.host),
        };
        let result: Result<(), std::convert::Infallible> = rows.each(|d, s| {
            // SAFETY: a row of the piece, which fits the slot.
            unsafe {
                let host = self.host.add(p.host);
                let (to, from) = match way {
                    Way::In => (slot.add(d), host.add(s)),
                    Way::Out => (host.add(d), slot.add(s)),
                };
                std::ptr::copy_nonoverlapping(from, to, p.width);
            }
            Ok(())
        });
        let Ok(()) = result;
    }

    fn slot(&self, k: usize) -> usize {
        self.worker * SLOTS + k % SLOTS
    }

    fn mark(&self, slot: usize) -> Result<(), DeviceError> {
        self.transport.mark(slot)?;
        self.ring.marked[slot].store(true, Ordering::Relaxed);
        Ok(())
    }

    fn wait(&self, slot: usize) -> Result<(), DeviceError> {
        if self.ring.marked[slot].load(Ordering::Relaxed) {
            self.transport.wait(slot)?;
            self.ring.marked[slot].store(false, Ordering::Relaxed);
        }
        Ok(())
    }

    /// # Safety
    /// The host's bytes are there and nobody writes them.
    pub(super) unsafe fn copy_in(&self) -> Result<(), DeviceError> {
        let mut k = 0;
        while let Some(p) = self.take(k) {
            let slot = self.slot(k);
            self.wait(slot)?;
            let memory = self.ring.slot(slot);
            let to = DevicePtr(self.device.0 + p.device as u64);
            // SAFETY: the slot is this worker's, the device is done with it, and it has
            // room for a piece; the host's side is as promised.
            unsafe {
                self.pack(&p, Way::In, memory);
                match p.rows * p.planes {
                    1 => self.transport.to_device(to, memory, p.width)?,
                    _ => {
                        let rows = self.rows(&p, Way::In, self.load.device);
                        self.transport.rows_to_device(to, memory, &rows)?;
                    }
                }
            }
            self.mark(slot)?;
            k += 1;
        }
        Ok(())
    }

    /// # Safety
    /// The host's bytes are there and nobody else uses them.
    pub(super) unsafe fn copy_out(&self) -> Result<(), DeviceError> {
        let mut queued = 0;
        let mut k = 0;
        let mut under_way = VecDeque::with_capacity(SLOTS);
        loop {
            while under_way.len() < SLOTS
                && let Some(p) = self.take(queued)
            {
                let slot = self.slot(queued);
                self.wait(slot)?;
                let memory = self.ring.slot(slot);
                let from = DevicePtr(self.device.0 + p.device as u64);
                // SAFETY: the slot is this worker's, the device is done with it, and
                // what was in it has been taken out.
                unsafe {
                    match p.rows * p.planes {
                        1 => self.transport.to_host(memory, from, p.width)?,
                        _ => {
                            let rows = self.rows(&p, Way::Out, self.load.device);
                            self.transport.rows_to_host(memory, from, &rows)?;
                        }
                    }
                }
                self.mark(slot)?;
                under_way.push_back(p);
                queued += 1;
            }
            let Some(p) = under_way.pop_front() else {
                return Ok(());
            };
            let slot = self.slot(k);
            self.wait(slot)?;
            // SAFETY: the piece has arrived in the slot; the host's side is as promised.
            unsafe { self.pack(&p, Way::Out, self.ring.slot(slot)) };
            k += 1;
        }
    }
}
