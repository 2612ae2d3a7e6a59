//! Asynchronous copies from global to shared memory.
//!
//! The bytes move when they are waited for, which is the latest they may: until
//! then whoever reads or writes the destination, or writes the source, is reported,
//! and afterwards the write counts as done by the thread that waited, so that other
//! threads need a barrier. A copy that nobody waits for never lands.

use crate::WARP;
use crate::access::{Does, Window};
use crate::count::{distinct, wavefronts};
use crate::decode::{Access, NO_ROW, Ordering, R};
use crate::finding::FindingKind;
use crate::races::Touch;
use crate::step::Runner;
use crate::warp::lanes;
use std::collections::VecDeque;

/// A copy that was started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Copy {
    /// Offset in shared memory, and bytes there.
    to: u64,
    bytes: u32,
    /// Region and offset, and bytes that are read; the rest becomes zero.
    from: Option<(Window, u64)>,
    read: u32,
    /// Its instruction.
    pc: u32,
    /// The thread's group that it belongs to.
    group: u32,
}

/// What one thread has running.
#[derive(Clone, Default)]
struct Thread {
    /// Groups that were ended.
    groups: u32,
    copies: VecDeque<Copy>,
}

/// Who copies into a word of shared memory: the instruction and the thread.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Owner {
    /// Instruction plus one; 0 for nobody.
    at: u32,
    thread: u32,
}

/// The copies of a block.
#[derive(Default)]
pub(crate) struct Copies {
    threads: Vec<Thread>,
    /// For each 4 bytes of shared memory.
    owners: Vec<Owner>,
    running: usize,
}

/// Bytes of a word.
const WORD: u64 = 4;

impl Copies {
    /// Of a block with so many threads and bytes of shared memory.
    pub fn reset(&mut self, threads: u32, shared: u64) {
        self.threads.clear();
        self.threads.resize(threads as usize, Thread::default());
        self.owners.clear();
        let words = usize::try_from(shared / WORD + 1).unwrap_or(0);
        self.owners.resize(words, Owner::default());
        self.running = 0;
    }

    /// Whether any copy runs.
    pub fn are_running(&self) -> bool {
        self.running > 0
    }

    fn words(&mut self, at: u64, bytes: u32) -> &mut [Owner] {
        let first = (at / WORD) as usize;
        let last = ((at + u64::from(bytes) - 1) / WORD) as usize;
        self.owners.get_mut(first..=last).unwrap_or(&mut [])
    }

    /// The copy into one of the bytes.
    fn over(&mut self, at: u64, bytes: u32) -> Option<Owner> {
        if !self.are_running() {
            return None;
        }
        let words = self.words(at, bytes);
        words.iter().copied().find(|o| o.at != 0)
    }

    /// The copy out of one of the bytes of a region of global memory.
    fn out_of(&self, place: Window, at: u64, bytes: u32) -> Option<Owner> {
        if !self.are_running() {
            return None;
        }
        let end = at + u64::from(bytes);
        self.threads.iter().enumerate().find_map(|(thread, t)| {
            let copy = t.copies.iter().find(|c| {
                c.from.is_some_and(|(from, first)| {
                    from == place && first < end && at < first + u64::from(c.read)
                })
            })?;
            Some(Owner {
                at: copy.pc + 1,
                thread: thread as u32,
            })
        })
    }

    fn start(&mut self, thread: u32, mut copy: Copy) {
        let at = copy.pc + 1;
        self.words(copy.to, copy.bytes).fill(Owner { at, thread });
        if let Some(t) = self.threads.get_mut(thread as usize) {
            copy.group = t.groups;
            t.copies.push_back(copy);
            self.running += 1;
        }
    }

    fn commit(&mut self, thread: u32) {
        if let Some(t) = self.threads.get_mut(thread as usize) {
            t.groups += 1;
        }
    }

    /// The thread's next copy that is to land, all groups but the `pending` latest;
    /// of all copies if none is given.
    fn land(&mut self, thread: u32, pending: Option<u32>) -> Option<Copy> {
        let t = self.threads.get_mut(thread as usize)?;
        let next = t.copies.front()?;
        let due = match pending {
            None => true,
            Some(pending) => next.group.saturating_add(pending) < t.groups,
        };
        if !due {
            return None;
        }
        let copy = t.copies.pop_front()?;
        self.running -= 1;
        self.words(copy.to, copy.bytes).fill(Owner::default());
        Some(copy)
    }
}

impl Runner<'_> {
    fn thread(&self, lane: usize) -> u32 {
        self.warp.index * WARP as u32 + lane as u32
    }

    pub fn copy(&mut self, to: &Access, from: &Access, read: R, pc: u32, mask: u32) {
        let bytes = to.bytes;
        let targets = self.addresses(to, mask);
        let sources = self.addresses(from, mask);
        let wanted = |runner: &Self, lane: usize| match read {
            NO_ROW => bytes,
            row => (runner.warp.rows[row as usize][lane] as u32).min(bytes),
        };
        let reading = lanes(mask).fold(0, |m, l| m | u32::from(wanted(self, l) > 0) << l);
        let count = &mut self.counts[pc as usize];
        count.shared += wavefronts(&targets, mask, bytes);
        if reading != 0 {
            count.global.requests += 1;
            count.global.sectors += distinct(&sources, reading, u64::from(bytes), 5);
            count.global.lines += distinct(&sources, reading, u64::from(bytes), 7);
            count.global.bytes += u64::from(bytes) * u64::from(reading.count_ones());
        }
        for lane in lanes(mask) {
            let read = wanted(self, lane);
            let Some((place, at)) = self.find(to, targets[lane], bytes, pc, lane, Does::Write)
            else {
                continue;
            };
            let mut source = None;
            if read > 0 {
                let address = sources[lane];
                if !self.is_aligned(address, bytes, pc, lane, Does::Read) {
                    continue;
                }
                let Some(found) = self.locate(from, address, read, pc, lane, Does::Read) else {
                    continue;
                };
                let (place, at) = found;
                let whole = (0..u64::from(read)).all(|i| self.region(place).is_written(at + i, 1));
                if self.context.checks.uninitialized && !whole {
                    self.unwritten(place, at, read, pc, lane, address);
                }
                self.touch(place, at, read, Touch::Read, Ordering::default(), pc, lane);
                source = Some(found);
            }
            if self.copy_runs(place, at, bytes, pc, lane, Does::Write) {
                continue;
            }
            // Written from now on, as far as others are concerned.
            self.touch(
                place,
                at,
                bytes,
                Touch::Write,
                Ordering::default(),
                pc,
                lane,
            );
            let copy = Copy {
                to: at,
                bytes,
                from: source,
                read,
                pc,
                group: 0,
            };
            let thread = self.thread(lane);
            self.state.copies.start(thread, copy);
        }
    }

    pub fn copy_commit(&mut self, mask: u32) {
        for lane in lanes(mask) {
            let thread = self.thread(lane);
            self.state.copies.commit(thread);
        }
    }

    pub fn copy_wait(&mut self, pending: Option<u32>, mask: u32) {
        for lane in lanes(mask) {
            let thread = self.thread(lane);
            while let Some(copy) = self.state.copies.land(thread, pending) {
                self.land(&copy, lane);
            }
        }
    }

    fn land(&mut self, copy: &Copy, lane: usize) {
        let pc = copy.pc;
        if let Some((place, at)) = copy.from {
            self.touch(
                place,
                at,
                copy.read,
                Touch::Read,
                Ordering::default(),
                pc,
                lane,
            );
        }
        let place = Window::Shared;
        self.touch(
            place,
            copy.to,
            copy.bytes,
            Touch::Write,
            Ordering::default(),
            pc,
            lane,
        );
        for i in 0..u64::from(copy.bytes) {
            let byte = match copy.from {
                Some((from, at)) if i < u64::from(copy.read) => self.region(from).load(at + i, 1),
                _ => 0,
            };
            self.region(place).store(copy.to + i, 1, byte);
        }
        self.region(place).note_written(copy.to, copy.bytes);
    }

    /// Whether an access meets a copy that is running, which is reported: any access
    /// to its destination, a write to its source.
    pub fn copy_runs(
        &mut self,
        place: Window,
        at: u64,
        bytes: u32,
        pc: u32,
        lane: usize,
        does: Does,
    ) -> bool {
        if !self.context.code.has_copies {
            return false;
        }
        let owner = match place {
            Window::Shared => self.state.copies.over(at, bytes),
            Window::Global(_) if does != Does::Read => self.state.copies.out_of(place, at, bytes),
            _ => None,
        };
        let Some(owner) = owner else {
            return false;
        };
        let [x, y, z] = self.context.thread_coordinates(owner.thread);
        let other = Some(owner.at - 1);
        self.note_with(FindingKind::CopyInFlight, pc, other, lane, |_| {
            let verb = does.verb();
            match place {
                Window::Shared => format!(
                    "{bytes} bytes {verb} at offset {at} of shared memory, into which a copy of \
                     thread ({x}, {y}, {z}) runs that was not waited for,"
                ),
                _ => format!(
                    "{bytes} bytes {verb} at offset {at} of an allocation, out of which a copy of \
                     thread ({x}, {y}, {z}) runs that was not waited for,"
                ),
            }
        });
        true
    }
}
