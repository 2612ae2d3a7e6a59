//! Attached pointers: in memory that is present, with the address on the device of what
//! they point to in their copy (OpenACC 3.1, 2.6.4 and 2.6.8).

use std::collections::BTreeMap;

use super::abi::{FINALIZE, Kind, Map, ROWS};
use super::data::Work;
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
pub(crate) struct Attachments(BTreeMap<u64, Attachment>);

/// Bytes of a pointer.
pub(super) const POINTER: u64 = 8;

impl Attachments {
    /// Those whose pointers lie in a section.
    pub(super) fn inside(&self, start: u64, end: u64) -> Vec<(u64, Attachment)> {
        let range = self.0.range(start..end);
        let all = range.map(|(at, a)| (*at, *a));
        all.filter(|(at, _)| at.saturating_add(POINTER) <= end)
            .collect()
    }

    /// Makes the pointer here lead elsewhere.
    pub(super) fn lead(&mut self, at: u64, host: u64, device: u64) {
        if let Some(a) = self.0.get_mut(&at) {
            (a.host, a.device) = (host, device);
        }
    }

    /// Forgets the pointer here.
    pub(super) fn remove(&mut self, at: u64) {
        self.0.remove(&at);
    }
}

impl Work<'_> {
    /// Writes pointers to device memory, each to its address, and waits, since the
    /// values are ours. Neighbours go together.
    pub(super) fn store(&mut self, pointers: &[(u64, u64)]) -> Result<(), String> {
        if pointers.is_empty() {
            return Ok(());
        }
        let bytes: Vec<u8> = pointers.iter().flat_map(|(_, v)| v.to_ne_bytes()).collect();
        self.state.queues.mark(self.stream);
        let dev = &*self.runtime.device;
        let mut result = Ok(());
        let mut first = 0;
        while first < pointers.len() && result.is_ok() {
            let mut last = first + 1;
            while last < pointers.len() && pointers[last].0 == pointers[last - 1].0 + POINTER {
                last += 1;
            }
            let part = &bytes[first * POINTER as usize..last * POINTER as usize];
            let to = DevicePtr(pointers[first].0);
            // SAFETY: waited for before the bytes go.
            result = unsafe { dev.copy_h2d_async(to, part.as_ptr(), part.len(), self.stream) };
            first = last;
        }
        self.wait()?;
        result.or_else(|e| self.error(e))
    }

    /// Attaches the pointers among the maps: where a pointer and what it points to are
    /// present, the pointer's copy on the device is made to point to the latter's.
    pub(super) fn attach(&mut self, maps: &mut [Map]) -> Result<(), String> {
        let mut stores = Vec::new();
        for (i, map) in maps.iter().enumerate() {
            if map.kind() != Ok(Kind::Attach) {
                continue;
            }
            // The section need not begin where the pointer points to: it is that of the
            // row, or of the clause in front that the pointer is named by.
            let before = i.checked_sub(1).map(|i| &maps[i]);
            let section = match (map.is(ROWS), before) {
                (true, _) => Some(map.device as u64),
                (false, Some(m)) if m.kind() != Ok(Kind::Attach) && m.name() == map.name() => {
                    Some(m.host as u64)
                }
                _ => None,
            };
            for at in pointers(map) {
                let table = &self.state.table;
                let holder = table.containing(at, POINTER);
                let Some(in_device) = holder.filter(|_| at != 0).map(|e| e.translate(at)) else {
                    continue;
                };
                // SAFETY: the address of a pointer of the program.
                let host = unsafe { (at as *const u64).read_unaligned() };
                let target = table.containing(host, 0);
                let target = target.or_else(|| table.containing(section?, 0));
                let Some(device) = target.map(|e| e.translate(host)) else {
                    continue;
                };
                if let Some(a) = self.state.attached.0.get_mut(&at)
                    && (a.host, a.device) == (host, device)
                {
                    a.count += 1;
                    continue;
                }
                stores.push((in_device, device));
                let a = Attachment {
                    count: 1,
                    host,
                    device,
                };
                self.state.attached.0.insert(at, a);
            }
        }
        self.store(&stores)
    }

    /// Whether the pointer here and what it points to are present.
    fn could_be_attached(&self, at: u64) -> bool {
        let table = &self.state.table;
        if at == 0 || table.containing(at, POINTER).is_none() {
            return false;
        }
        // SAFETY: the address of a pointer of the program.
        let host = unsafe { (at as *const u64).read_unaligned() };
        table.containing(host, 0).is_some()
    }

    /// Detaches the pointers among the maps (a construct passes the same maps at its
    /// end as at its beginning): the last one gives the copy the host's value again.
    pub(super) fn detach(&mut self, maps: &[Map]) -> Result<(), String> {
        let mut stores = Vec::new();
        let wanted = |m: &&Map| matches!(m.kind(), Ok(Kind::Attach | Kind::Detach));
        for (i, map) in maps.iter().enumerate().filter(|(_, m)| wanted(m)) {
            // One behind the section that it leads to goes with that, attached or not.
            let own = |before: &Map| !wanted(&before) && before.name() == map.name();
            let by_itself = !i.checked_sub(1).is_some_and(|i| own(&maps[i]));
            for at in pointers(map) {
                let Some(a) = self.state.attached.0.get_mut(&at) else {
                    let asked = map.kind() == Ok(Kind::Detach) && !map.is(FINALIZE | ROWS);
                    if by_itself && asked && self.could_be_attached(at) {
                        return self.error(format!(
                            "detach({}): the pointer is not attached: each detach needs an attach \
                             before it; `finalize` undoes all that there are",
                            map.name()
                        ));
                    }
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
                stores.extend(holder.map(|e| (e.translate(at), host)));
            }
        }
        self.store(&stores)
    }
}

/// The addresses of the pointers that a map is about: one, or those of an array.
fn pointers(map: &Map) -> impl Iterator<Item = u64> {
    let (first, _) = map.range();
    let count = match map.is(ROWS) {
        true => 1,
        false => (map.bytes / POINTER).max(1),
    };
    (0..count).map(move |k| first.saturating_add(k * POINTER))
}
