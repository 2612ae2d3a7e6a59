//! The present table: which host memory has a copy on the device, and who still needs
//! it (OpenACC 3.1, 2.6.7 and 2.7). No device is touched here.

use std::collections::BTreeMap;

use super::abi::SourcePlace;
use super::queue::Ticket;

/// A section of host memory with a copy on the device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Host address of the first byte, and the number of bytes.
    pub start: u64,
    pub bytes: u64,
    /// Device address of the first byte.
    pub device: u64,
    /// That of the memory which the runtime allocated for it.
    pub block: u64,
    /// How many constructs that have not ended hold it.
    pub structured: u64,
    /// How many `enter data` without their `exit data`.
    pub dynamic: u64,
    /// Whether the runtime allocated the device memory; what `acc_map_data` brought is
    /// neither freed nor forgotten by clauses.
    pub owned: bool,
    /// Until when queues may still use it: of each that it was entered with, the moment
    /// it was left last.
    pub users: Vec<Ticket>,
    /// The variable it was entered for, and where.
    pub name: String,
    pub place: SourcePlace,
}

impl Entry {
    /// The host address behind the last byte.
    pub fn end(&self) -> u64 {
        self.start.saturating_add(self.bytes)
    }

    /// The device address for a host address; wraps where that is not inside.
    pub fn translate(&self, host: u64) -> u64 {
        self.device.wrapping_add(host.wrapping_sub(self.start))
    }

    /// Notes that work of a queue may use it until this moment.
    pub fn used(&mut self, until: Ticket) {
        self.users.retain(|t| t.stream != until.stream);
        self.users.push(until);
    }

    /// Whether nobody needs it any more.
    pub fn is_unused(&self) -> bool {
        self.owned && self.structured == 0 && self.dynamic == 0
    }
}

/// How a section lies to what is present.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Presence {
    /// All of it is in the entry that begins here.
    Inside(u64),
    /// Some of it is present: in the entries that begin at these addresses.
    Partly(Vec<u64>),
    Absent,
}

/// All entries; no two overlap.
#[derive(Debug, Default)]
pub struct Table {
    entries: BTreeMap<u64, Entry>,
}

impl Table {
    /// How `bytes` bytes at `start` lie to what is present. No bytes are treated as
    /// one, so that an address can be looked up.
    pub fn find(&self, start: u64, bytes: u64) -> Presence {
        let end = start.saturating_add(bytes.max(1));
        let mut overlapping = Vec::new();
        // No two overlap, so their ends are in order too.
        for (at, entry) in self.entries.range(..end).rev() {
            if entry.end() <= start {
                break;
            }
            if entry.start <= start && end <= entry.end() {
                return Presence::Inside(*at);
            }
            overlapping.push(*at);
        }
        if overlapping.is_empty() {
            return Presence::Absent;
        }
        overlapping.reverse();
        Presence::Partly(overlapping)
    }

    /// The entry that all of a section lies in.
    pub fn containing(&self, start: u64, bytes: u64) -> Option<&Entry> {
        match self.find(start, bytes) {
            Presence::Inside(at) => self.entries.get(&at),
            _ => None,
        }
    }

    /// The entry that begins at this host address.
    pub fn get(&self, start: u64) -> Option<&Entry> {
        self.entries.get(&start)
    }

    /// As [`Table::get`], to change the counts.
    pub fn get_mut(&mut self, start: u64) -> Option<&mut Entry> {
        self.entries.get_mut(&start)
    }

    /// Adds an entry; its section must be absent and not empty.
    pub fn insert(&mut self, entry: Entry) {
        debug_assert_eq!(self.find(entry.start, entry.bytes), Presence::Absent);
        self.entries.insert(entry.start, entry);
    }

    /// Forgets the entry that begins at this address.
    pub fn remove(&mut self, start: u64) -> Option<Entry> {
        self.entries.remove(&start)
    }

    /// All entries, by host address.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }

    /// Forgets everything.
    pub fn take(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.entries).into_values().collect()
    }

    /// The entry that has one of these bytes on the device.
    pub fn on_device(&self, device: u64, bytes: u64) -> Option<&Entry> {
        let end = device.saturating_add(bytes);
        let meets = |e: &&Entry| device < e.device.saturating_add(e.bytes) && e.device < end;
        self.entries.values().find(meets)
    }

    /// The host address for a device address.
    pub fn host_of(&self, device: u64) -> Option<u64> {
        let inside = |e: &&Entry| device >= e.device && device - e.device < e.bytes;
        let entry = self.entries.values().find(inside)?;
        Some(entry.start + (device - entry.device))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(start: u64, bytes: u64) -> Entry {
        Entry {
            start,
            bytes,
            device: start + 10_000,
            block: start + 10_000,
            structured: 1,
            dynamic: 0,
            owned: true,
            users: Vec::new(),
            name: "a".to_string(),
            place: SourcePlace::default(),
        }
    }

    #[test]
    fn sections_are_found() {
        let mut table = Table::default();
        table.insert(entry(1000, 100));
        table.insert(entry(1100, 50));
        assert_eq!(table.find(1000, 100), Presence::Inside(1000));
        assert_eq!(table.find(1050, 50), Presence::Inside(1000));
        assert_eq!(table.find(1149, 1), Presence::Inside(1100));
        assert_eq!(table.find(1150, 10), Presence::Absent);
        assert_eq!(table.find(990, 10), Presence::Absent);
        assert_eq!(table.find(990, 11), Presence::Partly(vec![1000]));
        // Neighbours on the host are not neighbours on the device.
        assert_eq!(table.find(1050, 60), Presence::Partly(vec![1000, 1100]));
        assert_eq!(table.find(0, u64::MAX), Presence::Partly(vec![1000, 1100]));
        assert_eq!(table.find(1100, 0), Presence::Inside(1100));
        assert_eq!(table.containing(1120, 8).unwrap().translate(1120), 11120);
        assert_eq!(table.host_of(11099), Some(1099));
        assert_eq!(table.host_of(11150), None);
        assert_eq!(table.on_device(11099, 1).map(|e| e.start), Some(1000));
        assert_eq!(table.on_device(11150, 1), None);
        assert_eq!(table.on_device(10_990, 11).map(|e| e.start), Some(1000));
        assert_eq!(table.remove(1000).map(|e| e.bytes), Some(100));
        assert_eq!(table.find(1000, 100), Presence::Absent);
    }

    #[test]
    fn what_is_mapped_by_hand_is_always_used() {
        let mut e = entry(0, 8);
        assert!(!e.is_unused());
        e.structured = 0;
        assert!(e.is_unused());
        e.owned = false;
        assert!(!e.is_unused());
    }
}
