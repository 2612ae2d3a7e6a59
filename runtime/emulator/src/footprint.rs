//! Which sectors of global memory a launch touches, and how often they would have to
//! come into a cache.
//!
//! A launch falls into windows: one ends where it would touch more different sectors
//! than the L2 cache holds. What a window touches is taken to be brought in once,
//! and nothing to stay from the one before, so that the sectors of all windows are an
//! estimate of what goes between the cache and memory: exact where all of it fits,
//! too high by at most what the cache keeps between windows. Blocks run about in order
//! here, as on a GPU.

use crate::count::Footprint;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Bytes of a sector.
pub(crate) const SECTOR: u64 = 32;

const READ: u32 = 1;
const WRITTEN: u32 = 2;
/// The same in the window whose number the upper bits hold.
const READ_NOW: u32 = 4;
const WRITTEN_NOW: u32 = 8;
const WINDOW_SHIFT: u32 = 4;

/// The windows of a launch.
pub(crate) struct Windows {
    /// Sectors of one; 0 for a single window.
    capacity: u64,
    /// The number of the current one, from 1.
    current: AtomicU32,
    /// Its sectors so far.
    filled: AtomicU64,
    /// Of all windows together.
    sectors: AtomicU64,
    read: AtomicU64,
    written: AtomicU64,
}

impl Windows {
    /// Windows of a cache of so many bytes; 0 for one without end.
    pub fn new(bytes: u64) -> Windows {
        Windows {
            capacity: bytes / SECTOR,
            current: AtomicU32::new(1),
            filled: AtomicU64::new(0),
            sectors: AtomicU64::new(0),
            read: AtomicU64::new(0),
            written: AtomicU64::new(0),
        }
    }

    /// A sector that was not touched in the current window yet: the number of the
    /// window that it falls into, the next one if this one is full.
    fn enter(&self) -> u32 {
        self.sectors.fetch_add(1, Relaxed);
        let filled = self.filled.fetch_add(1, Relaxed) + 1;
        if self.capacity > 0 && filled > self.capacity {
            self.filled.store(1, Relaxed);
            return self.current.fetch_add(1, Relaxed) + 1;
        }
        self.current.load(Relaxed)
    }

    /// Takes a sector back that another thread entered at the same time.
    fn leave(&self) {
        self.sectors.fetch_sub(1, Relaxed);
        self.filled.fetch_sub(1, Relaxed);
    }

    /// How many windows something was touched in, and what in all of them.
    pub fn totals(&self) -> (u64, Footprint) {
        let windows = match self.filled.load(Relaxed) {
            0 => 0,
            _ => u64::from(self.current.load(Relaxed)),
        };
        let footprint = Footprint {
            sectors: self.sectors.load(Relaxed),
            read: self.read.load(Relaxed),
            written: self.written.load(Relaxed),
        };
        (windows, footprint)
    }
}

/// The sectors of one region.
pub(crate) struct Sectors(Box<[AtomicU32]>);

impl Sectors {
    /// Of a region of so many bytes.
    pub fn new(bytes: u64) -> Sectors {
        let n = bytes.div_ceil(SECTOR);
        Sectors((0..n).map(|_| AtomicU32::new(0)).collect())
    }

    /// Notes that a sector is read or written.
    #[inline]
    pub fn touch(&self, sector: u64, write: bool, windows: &Windows) {
        let word = &self.0[sector as usize];
        let (flags, now) = if write {
            (WRITTEN | WRITTEN_NOW, WRITTEN_NOW)
        } else {
            (READ | READ_NOW, READ_NOW)
        };
        loop {
            let old = word.load(Relaxed);
            let known = old >> WINDOW_SHIFT == windows.current.load(Relaxed);
            if known && old & flags == flags {
                // As most are.
                return;
            }
            let new = match known {
                true => old | flags,
                false => old & (READ | WRITTEN) | windows.enter() << WINDOW_SHIFT | flags,
            };
            if word.compare_exchange(old, new, Relaxed, Relaxed).is_ok() {
                if !known || old & now == 0 {
                    let count = if write {
                        &windows.written
                    } else {
                        &windows.read
                    };
                    count.fetch_add(1, Relaxed);
                }
                return;
            }
            if !known {
                windows.leave();
            }
        }
    }

    /// What of the region was touched in the whole launch.
    pub fn footprint(&self) -> Footprint {
        let mut all = Footprint::default();
        for word in &self.0 {
            let word = word.load(Relaxed);
            all.read += u64::from(word & READ != 0);
            all.written += u64::from(word & WRITTEN != 0);
            all.sectors += u64::from(word & (READ | WRITTEN) != 0);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touched(sectors: &[(u64, bool)], cache: u64) -> (Footprint, u64, Footprint) {
        let (windows, region) = (Windows::new(cache), Sectors::new(1024));
        for (sector, write) in sectors {
            region.touch(*sector, *write, &windows);
        }
        let (n, all) = windows.totals();
        (region.footprint(), n, all)
    }

    fn of(sectors: u64, read: u64, written: u64) -> Footprint {
        Footprint {
            sectors,
            read,
            written,
        }
    }

    #[test]
    fn sectors_count_once() {
        let list = [(0, false), (0, false), (0, true), (31, true), (5, false)];
        let expected = of(3, 2, 2);
        assert_eq!(touched(&list, 0), (expected, 1, expected));
        assert_eq!(touched(&[], 64), (of(0, 0, 0), 0, of(0, 0, 0)));
    }

    #[test]
    fn what_does_not_fit_comes_again() {
        // Twice over four sectors, with room for four, and for two.
        let list: Vec<(u64, bool)> = (0..8).map(|i| (i % 4, false)).collect();
        let four = of(4, 4, 0);
        assert_eq!(touched(&list[..4], 128), (four, 1, four));
        assert_eq!(touched(&list, 128), (four, 1, four));
        assert_eq!(touched(&list, 64), (four, 4, of(8, 8, 0)));
        // Twice each, one after the other: nothing comes again.
        let list: Vec<(u64, bool)> = (0..8).map(|i| (i / 2, i % 2 == 1)).collect();
        assert_eq!(touched(&list, 64), (of(4, 4, 4), 2, of(4, 4, 4)));
    }
}
