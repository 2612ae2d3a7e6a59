//! Pointers on the device: where a pointer and what it points to are both present, the
//! pointer's copy points to the copy (OpenACC 3.1, 2.6.4).

use std::collections::BTreeMap;

use super::abi::{FINALIZE, Kind, Map};
use super::data::Work;
use super::rows::Table;
use crate::device::DevicePtr;

/// A pointer in memory that is present, whose copy on the device holds the device
/// address of what it points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Attachment {
    count: u64,
    pub(super) host: u64,
    pub(super) device: u64,
}

/// Attached pointers, by the host address of the pointer.
#[derive(Debug, Default)]
pub(crate) struct Attachments(pub(super) BTreeMap<u64, Attachment>);

/// Bytes of a pointer.
const POINTER: u64 = 8;

impl Attachments {
    /// Those whose pointers lie in a section.
    pub(super) fn inside(&self, start: u64, end: u64) -> Vec<(u64, Attachment)> {
        let range = self.0.range(start..end);
        let all = range.map(|(at, a)| (*at, *a));
        all.filter(|(at, _)| at.saturating_add(POINTER) <= end)
            .collect()
    }
}

impl Work<'_> {
    /// Writes a pointer to device memory, and waits, since the value is on our stack.
    pub(super) fn store(&mut self, device: u64, value: u64) -> Result<(), String> {
        let bytes = value.to_ne_bytes();
        self.state.queues.mark(self.stream);
        let dev = &*self.runtime.device;
        // SAFETY: waited for before the bytes go.
        let result = unsafe {
            dev.copy_h2d_async(DevicePtr(device), bytes.as_ptr(), bytes.len(), self.stream)
        };
        match result {
            Ok(()) => self.wait(),
            Err(e) => {
                self.wait()?;
                self.error(e)
            }
        }
    }

    /// Attaches the pointers among the maps: where a pointer and what it points to are
    /// present, the pointer's copy on the device is made to point to the latter's.
    pub(super) fn attach(&mut self, maps: &[Map]) -> Result<(), String> {
        for map in maps.iter().filter(|m| m.kind() == Ok(Kind::Attach)) {
            let (at, _) = map.range();
            let holder = self.state.table.containing(at, POINTER);
            let Some(in_device) = holder.filter(|_| at != 0).map(|e| e.translate(at)) else {
                continue;
            };
            // SAFETY: the address of a pointer of the program.
            let host = unsafe { (at as *const u64).read_unaligned() };
            let target = self.state.table.containing(host, 0);
            let Some(device) = target.map(|e| e.translate(host)) else {
                continue;
            };
            if let Some(a) = self.state.attached.0.get_mut(&at)
                && (a.host, a.device) == (host, device)
            {
                a.count += 1;
                continue;
            }
            self.store(in_device, device)?;
            let a = Attachment {
                count: 1,
                host,
                device,
            };
            self.state.attached.0.insert(at, a);
        }
        Ok(())
    }

    /// Detaches the pointers among the maps (a construct passes the same maps at its
    /// end as at its beginning): the last one gives the copy the host's value again.
    pub(super) fn detach(&mut self, maps: &[Map]) -> Result<(), String> {
        let wanted = |m: &&Map| matches!(m.kind(), Ok(Kind::Attach | Kind::Detach));
        for map in maps.iter().filter(wanted) {
            let (at, _) = map.range();
            let Some(a) = self.state.attached.0.get_mut(&at) else {
                continue;
            };
            a.count = match map.is(FINALIZE) {
                true => 0,
                false => a.count.saturating_sub(1),
            };
            if a.count > 0 {
                continue;
            }
            let host = a.host;
            self.state.attached.0.remove(&at);
            let holder = self.state.table.containing(at, POINTER);
            if let Some(device) = holder.map(|e| e.translate(at)) {
                self.store(device, host)?;
            }
        }
        Ok(())
    }

    /// Attaches all pointers of a table that is present, by one copy.
    pub(super) fn attach_table(&mut self, t: &Table) -> Result<(), String> {
        let Some(holder) = self.state.table.containing(t.start, t.bytes()) else {
            return Ok(());
        };
        let in_device = holder.translate(t.start);
        let mut words = Vec::with_capacity(t.pointers.len());
        let mut changed = false;
        for (at, host) in t.each() {
            let section = host.wrapping_add(t.offset);
            let target = self.state.table.containing(section, 0);
            let target = target.filter(|_| host != 0).map(|e| e.translate(section));
            let Some(device) = target.map(|d| d.wrapping_sub(t.offset)) else {
                let before = self.state.attached.0.get(&at);
                words.push(before.map_or(host, |a| a.device));
                continue;
            };
            words.push(device);
            match self.state.attached.0.get_mut(&at) {
                Some(a) if (a.host, a.device) == (host, device) => a.count += 1,
                _ => {
                    changed = true;
                    let a = Attachment {
                        count: 1,
                        host,
                        device,
                    };
                    self.state.attached.0.insert(at, a);
                }
            }
        }
        match changed {
            true => self.store_all(in_device, &words),
            false => Ok(()),
        }
    }

    /// Undoes [`Self::attach_table`].
    pub(super) fn detach_table(&mut self, t: &Table) -> Result<(), String> {
        let mut words = Vec::with_capacity(t.pointers.len());
        let mut changed = false;
        for (at, host) in t.each() {
            let Some(a) = self.state.attached.0.get_mut(&at) else {
                words.push(host);
                continue;
            };
            a.count = match t.finalize {
                true => 0,
                false => a.count.saturating_sub(1),
            };
            if a.count > 0 {
                words.push(a.device);
                continue;
            }
            words.push(a.host);
            self.state.attached.0.remove(&at);
            changed = true;
        }
        let holder = self.state.table.containing(t.start, t.bytes());
        match holder.filter(|_| changed) {
            // Somebody else has it, too.
            Some(e) if e.structured + e.dynamic > 1 => {
                let in_device = e.translate(t.start);
                self.store_all(in_device, &words)
            }
            _ => Ok(()),
        }
    }

    /// Writes pointers to device memory, and waits, since the values are ours.
    fn store_all(&mut self, device: u64, words: &[u64]) -> Result<(), String> {
        self.state.queues.mark(self.stream);
        let dev = &*self.runtime.device;
        // SAFETY: waited for before the words go.
        let result = unsafe {
            dev.copy_h2d_async(
                DevicePtr(device),
                words.as_ptr().cast(),
                size_of_val(words),
                self.stream,
            )
        };
        match result {
            Ok(()) => self.wait(),
            Err(e) => {
                self.wait()?;
                self.error(e)
            }
        }
    }
}
