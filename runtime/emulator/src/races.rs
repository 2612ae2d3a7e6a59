//! Who touched which bytes in a launch, and whether it was ordered.
//!
//! Each granule (1, 2, 4 or 8 bytes: the narrowest access of the kernel) remembers
//! its last write and two reads. Two reads are enough: they are kept such that,
//! of all reads not ordered with each other, one is by another thread, and if
//! possible by another block, than the other. A later write that is ordered after
//! both and not after a third would have to be ordered after reads of two
//! blocks, which only kernels with fences can do.

use rustc_hash::FxHashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// An access in 64 bits: valid 1, strong 1, block 28, thread 10, epoch 24.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Record(u64);

const VALID: u64 = 1 << 63;
const STRONG: u64 = 1 << 62;
/// Where the thread's number lies.
const THREAD: u64 = 1023 << 24;
/// Blocks that can be told apart.
pub(crate) const MAX_BLOCKS: u64 = 1 << 28;
/// Epochs that can be told apart.
pub(crate) const MAX_EPOCHS: u32 = 1 << 24;

impl Record {
    pub fn new(block: u64, thread: u32, epoch: u32, strong: bool) -> Record {
        let strong = if strong { STRONG } else { 0 };
        Record(VALID | strong | block << 34 | u64::from(thread) << 24 | u64::from(epoch))
    }

    pub fn block(self) -> u64 {
        self.0 >> 34 & (MAX_BLOCKS - 1)
    }

    /// Number of the thread in its block.
    pub fn thread(self) -> u32 {
        (self.0 >> 24 & 1023) as u32
    }

    fn epoch(self) -> u32 {
        self.0 as u32 & (MAX_EPOCHS - 1)
    }

    fn is_strong(self) -> bool {
        self.0 & STRONG != 0
    }
}

/// What a thread is ordered after.
pub(crate) struct Order<'a> {
    /// Accesses of the block in earlier epochs, by any thread.
    pub barrier: u32,
    /// The same warp by warp, where barriers are of part of the block.
    pub known: Option<&'a [u32]>,
    /// Accesses of the warp in earlier epochs.
    pub warp: u32,
    /// Of other blocks, accesses in earlier epochs than the one given.
    pub acquired: Option<&'a FxHashMap<u64, u32>>,
    pub access: Kind,
}

/// What is special about an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Kind {
    #[default]
    Usual,
    /// That it is strong means nothing to other blocks.
    WithinBlock,
    /// A read of what nobody may write while the kernel runs, in whatever order.
    ReadOnly,
}

impl Order<'_> {
    /// Whether `before` happened before what `me` does now.
    #[inline]
    fn holds(&self, before: Record, me: Record) -> bool {
        if before.block() != me.block() {
            return self.is_acquired(before);
        }
        before.thread() == me.thread()
            || before.epoch() < self.barrier(before)
            || before.thread() / 32 == me.thread() / 32 && before.epoch() < self.warp
    }
}

impl Order<'_> {
    #[inline]
    fn barrier(&self, before: Record) -> u32 {
        match self.known {
            None => self.barrier,
            Some(known) => {
                let warp = (before.thread() / 32) as usize;
                known.get(warp).copied().unwrap_or(0)
            }
        }
    }

    fn is_acquired(&self, before: Record) -> bool {
        let seen = self.acquired.and_then(|a| a.get(&before.block()));
        seen.is_some_and(|epoch| before.epoch() < *epoch)
    }
}

/// How an access touches a granule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Touch {
    Read,
    /// A write of the value that was there: it races with nothing before it.
    Rewrite,
    Write,
}

#[derive(Default)]
struct Cell {
    write: AtomicU64,
    reads: [AtomicU64; 2],
    write_at: AtomicU32,
    reads_at: [AtomicU32; 2],
}

/// The other access of a race.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Conflict {
    pub with: Record,
    /// Its instruction.
    pub at: u32,
    /// Whether it wrote.
    pub wrote: bool,
}

/// The accesses to one region in one launch.
pub(crate) struct Races {
    /// Base-2 logarithm of the bytes of a granule.
    shift: u32,
    chunks: Box<[OnceLock<Box<[Cell]>>]>,
}

/// Granules of a chunk, which comes to be when it is first touched.
const CHUNK: u64 = 4096;

impl Races {
    /// Of a region of so many bytes, with granules of `1 << shift` bytes.
    pub fn new(bytes: u64, shift: u32) -> Races {
        let granules = (bytes >> shift) + 1;
        Races {
            shift,
            chunks: (0..granules.div_ceil(CHUNK))
                .map(|_| OnceLock::new())
                .collect(),
        }
    }

    /// Forgets everything.
    pub fn reset(&mut self) {
        for cell in self
            .chunks
            .iter_mut()
            .filter_map(OnceLock::get_mut)
            .flatten()
        {
            *cell = Cell::default();
        }
    }

    #[inline]
    fn cell(&self, granule: u64) -> &Cell {
        let chunk = self.chunks[(granule / CHUNK) as usize]
            .get_or_init(|| (0..CHUNK).map(|_| Cell::default()).collect());
        &chunk[(granule % CHUNK) as usize]
    }

    /// Notes an access of instruction `pc`; what it races with, if anything.
    #[inline]
    pub fn touch(
        &self,
        at: u64,
        bytes: u32,
        touch: Touch,
        me: Record,
        pc: u32,
        order: &Order<'_>,
    ) -> Option<Conflict> {
        let first = at >> self.shift;
        let last = (at + u64::from(bytes) - 1) >> self.shift;
        let one = |granule: u64| {
            let cell = self.cell(granule);
            match touch {
                Touch::Read => read(cell, me, pc, order, true),
                Touch::Rewrite => read(cell, me, pc, order, false),
                Touch::Write => write(cell, me, pc, order),
            }
        };
        let mut found = one(first);
        for granule in first + 1..=last {
            // Each is noted, whatever the others say.
            let other = one(granule);
            found = found.or(other);
        }
        found
    }
}

#[inline]
fn record(bits: u64) -> Option<Record> {
    (bits & VALID != 0).then_some(Record(bits))
}

#[inline]
fn against(
    slot: &AtomicU64,
    at: &AtomicU32,
    wrote: bool,
    me: Record,
    order: &Order<'_>,
) -> Option<Conflict> {
    let with = record(slot.load(Relaxed))?;
    let ordered = order.access != Kind::ReadOnly && order.holds(with, me);
    let alone = order.access == Kind::WithinBlock && with.block() != me.block();
    if ordered || with.is_strong() && me.is_strong() && !alone {
        return None;
    }
    Some(Conflict {
        with,
        at: at.load(Relaxed),
        wrote,
    })
}

#[inline]
fn read(cell: &Cell, me: Record, pc: u32, order: &Order<'_>, check: bool) -> Option<Conflict> {
    let conflict = if check {
        against(&cell.write, &cell.write_at, true, me, order)
    } else {
        None
    };
    let [a, b] = [&cell.reads[0], &cell.reads[1]].map(|r| r.load(Relaxed));
    // Two reads of this block and epoch are as good as any: nothing changes.
    if (a ^ me.0 | b ^ me.0) & !THREAD == 0 {
        return conflict;
    }
    let free = |slot: Option<Record>| slot.is_none_or(|before| order.holds(before, me));
    let slot = match [record(a), record(b)] {
        [a, _] if free(a) => 0,
        [_, b] if free(b) => 1,
        // Both by one block, and this one by another.
        [Some(a), Some(b)] if a.block() == b.block() && a.block() != me.block() => 1,
        _ => return conflict,
    };
    cell.reads[slot].store(me.0, Relaxed);
    cell.reads_at[slot].store(pc, Relaxed);
    conflict
}

#[inline]
fn write(cell: &Cell, me: Record, pc: u32, order: &Order<'_>) -> Option<Conflict> {
    let mut conflict = against(&cell.write, &cell.write_at, true, me, order);
    for (slot, at) in cell.reads.iter().zip(&cell.reads_at) {
        conflict = conflict.or_else(|| against(slot, at, false, me, order));
    }
    cell.write.store(me.0, Relaxed);
    cell.write_at.store(pc, Relaxed);
    conflict
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Order<'_> = Order {
        barrier: 0,
        known: None,
        warp: 0,
        acquired: None,
        access: Kind::Usual,
    };

    fn plain(block: u64, thread: u32, epoch: u32) -> Record {
        Record::new(block, thread, epoch, false)
    }

    #[test]
    fn records_keep_their_parts() {
        let r = Record::new(MAX_BLOCKS - 1, 1023, MAX_EPOCHS - 1, true);
        assert_eq!(
            (r.block(), r.thread(), r.epoch()),
            (MAX_BLOCKS - 1, 1023, MAX_EPOCHS - 1)
        );
        assert!(r.is_strong() && !plain(0, 0, 0).is_strong());
    }

    #[test]
    fn a_barrier_orders_a_block_and_no_other() {
        let races = Races::new(64, 2);
        let w = |me, order: &Order<'_>| races.touch(8, 4, Touch::Write, me, 1, order);
        assert_eq!(w(plain(0, 1, 0), &START), None);
        // The same thread again, then another one, before and after a barrier.
        assert_eq!(w(plain(0, 1, 0), &START), None);
        let other = w(plain(0, 40, 0), &START).unwrap();
        assert_eq!((other.with.thread(), other.wrote), (1, true));
        let after = Order {
            barrier: 1,
            ..START
        };
        assert_eq!(w(plain(0, 2, 1), &after), None);
        assert!(w(plain(1, 2, 1), &after).is_some());
    }

    #[test]
    fn a_warp_barrier_orders_its_warp() {
        let races = Races::new(64, 2);
        let order = Order { warp: 1, ..START };
        races.touch(0, 4, Touch::Write, plain(0, 0, 0), 1, &START);
        let read = |thread| races.touch(0, 4, Touch::Read, plain(0, thread, 1), 2, &order);
        assert_eq!(read(31), None);
        assert!(read(32).is_some());
    }

    #[test]
    fn of_many_reads_one_is_found_by_whoever_writes() {
        // Reads by three threads of one block and one of another; each of them
        // and a fifth writes.
        for writer in [(0, 0), (0, 1), (0, 2), (5, 0), (6, 0)] {
            let races = Races::new(64, 2);
            for reader in [(0, 0), (0, 1), (0, 2), (5, 0)] {
                races.touch(0, 4, Touch::Read, plain(reader.0, reader.1, 0), 3, &START);
            }
            let me = plain(writer.0, writer.1, 0);
            assert!(
                races.touch(0, 4, Touch::Write, me, 4, &START).is_some(),
                "{writer:?}"
            );
        }
        // After a barrier of the block the read of the other block still counts.
        let races = Races::new(64, 2);
        for reader in [(0, 0), (0, 1), (5, 0)] {
            races.touch(0, 4, Touch::Read, plain(reader.0, reader.1, 0), 3, &START);
        }
        let after = Order {
            barrier: 1,
            ..START
        };
        let race = races.touch(0, 4, Touch::Write, plain(0, 3, 1), 4, &after);
        assert_eq!(race.map(|c| c.with.block()), Some(5));
    }

    #[test]
    fn atomics_do_not_race_with_each_other() {
        let races = Races::new(64, 2);
        let strong = |block| Record::new(block, 0, 0, true);
        assert_eq!(races.touch(0, 4, Touch::Write, strong(0), 1, &START), None);
        assert_eq!(races.touch(0, 4, Touch::Write, strong(1), 1, &START), None);
        assert!(
            races
                .touch(0, 4, Touch::Read, plain(2, 0, 0), 2, &START)
                .is_some()
        );
    }

    #[test]
    fn what_was_released_and_acquired_is_ordered() {
        let races = Races::new(64, 2);
        races.touch(0, 8, Touch::Write, plain(3, 7, 4), 1, &START);
        let mut acquired = FxHashMap::default();
        acquired.insert(3, 5);
        let order = Order {
            acquired: Some(&acquired),
            ..START
        };
        assert_eq!(
            races.touch(4, 4, Touch::Read, plain(9, 0, 0), 2, &order),
            None
        );
        acquired.insert(3, 4);
        let order = Order {
            acquired: Some(&acquired),
            ..START
        };
        assert!(
            races
                .touch(4, 4, Touch::Read, plain(9, 0, 0), 2, &order)
                .is_some()
        );
    }

    #[test]
    fn rewriting_a_value_is_no_race() {
        let races = Races::new(64, 2);
        races.touch(0, 4, Touch::Write, plain(0, 0, 0), 1, &START);
        assert_eq!(
            races.touch(0, 4, Touch::Rewrite, plain(0, 1, 0), 1, &START),
            None
        );
        // But a change after it is one.
        assert!(
            races
                .touch(0, 4, Touch::Write, plain(0, 0, 0), 1, &START)
                .is_some()
        );
    }
}
