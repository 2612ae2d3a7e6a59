//! Sections of regions that may reach beyond the program's arrays.
//!
//! What the analysis finds of an array without a clause is never too small, but it may be
//! too large: a condition keeps the program from an element, a remainder is not taken
//! for every number below its divisor. Then other memory may lie in the section, which
//! other threads write, or none at all. Such a section is *loose*. Of it only what can
//! be read is copied to the device, by the kernel, which looks at each page; back go only
//! the bytes that the device changed, which the program then owns. It is no data that other
//! constructs find, but the region's own.

use std::ffi::c_void;

use super::Runtime;
use super::abi::{IMPLICIT, Kind, LOOSE, Map, ROWS, WRITTEN, ZERO, size};
use super::data::Work;
use super::placed::PlacedBlock;
use super::present::{Entry, Presence, Table};
use super::settings::settings;
use crate::device::StreamId;
use crate::notice::say;
use crate::profile::Direction;

/// Larger sections stay on the host: what is copied for nothing may be all of them.
const MAX_BYTES: u64 = 1 << 30;

/// What lies in one piece that can be read.
#[derive(Debug, PartialEq, Eq)]
pub struct Part {
    /// The address of its first byte.
    pub start: u64,
    pub bytes: Vec<u8>,
}

/// A loose section on the device.
#[derive(Debug)]
pub(crate) struct Loose {
    block: PlacedBlock,
    start: u64,
    /// What the device was sent, where it may change something of it.
    sent: Vec<Part>,
}

/// Whether a section is loose and may be copied.
fn is_loose(map: &Map) -> bool {
    let copied = matches!(map.kind(), Ok(Kind::Copy | Kind::CopyIn | Kind::CopyOut));
    map.is(LOOSE)
        && !map.is(ROWS)
        && !map.is(ZERO)
        && copied
        && !map.host.is_null()
        && map.bytes > 0
}

/// Whether the memory of a loose section is the region's own: what the program uses of it is
/// not present. By OpenACC's rules all of that is, or nothing.
pub(super) fn is_own(map: &Map, table: &Table) -> bool {
    is_loose(map)
        && match table.find(map.range().0, map.bytes) {
            Presence::Inside(_) => false,
            Presence::Partly(parts) => serving(map, table, &parts).is_none(),
            Presence::Absent => true,
        }
}

/// Which of the entries that a section meets holds what the program uses of it, before it is
/// entered: of a section of the analysis the only one. Of a loose one that with an element
/// that is surely in the array, or, where no access is sure, of the same variable: what
/// else it meets is other arrays'.
pub(super) fn serving(map: &Map, table: &Table, parts: &[u64]) -> Option<u64> {
    if map.is(LOOSE) {
        let anchor = map.device as u64;
        return entry_with(table, parts, |e| match anchor {
            0 => e.name == map.name(),
            at => e.start <= at && at < e.end(),
        });
    }
    match parts {
        [one] if map.is(IMPLICIT) => Some(*one),
        _ => None,
    }
}

/// The same of a section that was entered, which knows where it is on the device.
pub(super) fn served(map: &Map, table: &Table, parts: &[u64]) -> Option<u64> {
    match map.is(LOOSE) {
        true => entry_with(table, parts, |e| {
            e.translate(map.range().0) == map.device as u64
        }),
        false => serving(map, table, parts),
    }
}

fn entry_with(table: &Table, parts: &[u64], is: impl Fn(&Entry) -> bool) -> Option<u64> {
    let mut all = parts.iter().copied();
    all.find(|at| table.get(*at).is_some_and(&is))
}

/// Whether the program uses the memory of two sections, one of them loose, as one: that is
/// not known, and only matters where one is written.
fn may_meet(a: &Map, b: &Map) -> bool {
    let (from, to) = a.range();
    let (start, end) = b.range();
    let data = !b.is(ROWS) && !matches!(b.kind(), Ok(Kind::Attach | Kind::Detach));
    let writes = a.is(WRITTEN) || b.is(WRITTEN);
    data && writes && !b.host.is_null() && b.bytes > 0 && from < end && start < to
}

impl Runtime {
    /// Why a region has to stay on the host for a loose section, if it does. Until the section
    /// is entered `device` is the address of an element that is in the array if any is used,
    /// or null.
    pub fn strays(&self, maps: &[Map]) -> Option<String> {
        let state = self.state();
        let own = |m: &&Map| is_own(m, &state.table);
        maps.iter().filter(own).find_map(|map| {
            let met = maps
                .iter()
                .find(|m| !std::ptr::eq(*m, map) && may_meet(map, m));
            let name = map.name();
            let bytes = map.bytes;
            match met {
                Some(m) => Some(format!(
                    "`{name}` may reach into `{}`, as far as is known",
                    m.name()
                )),
                None if bytes > MAX_BYTES => Some(format!(
                    "`{name}` may reach {bytes} bytes, as far as is known"
                )),
                None if !can_look() => Some(format!(
                    "`{name}` may reach beyond its array, and the system does not tell what can \
                     be read"
                )),
                None => None,
            }
        })
    }
}

impl Work<'_> {
    /// Gives a loose section memory of the region's own.
    pub(super) fn enter_loose(&mut self, map: &mut Map) -> Result<(), String> {
        // What is queued before may write the section.
        if self.stream != StreamId::MAIN {
            self.wait()?;
        }
        let (start, end) = map.range();
        let block = self.place_block(&map.name(), start, map.bytes)?;
        map.device = block.ptr as *mut c_void;
        let parts = readable(start, end);
        if settings().notify {
            say!(
                "terrace: {}: `{}` may reach beyond its array: of {} bytes {} can be read",
                self.place,
                map.name(),
                map.bytes,
                parts.iter().map(|p| p.bytes.len()).sum::<usize>()
            );
        }
        for part in &parts {
            let to = block.ptr + (part.start - start);
            let (from, n) = (part.bytes.as_ptr() as u64, part.bytes.len() as u64);
            self.copy(&map.name(), Direction::HostToDevice, from, to, n)?;
        }
        // The parts may go before the queue has taken them.
        self.wait()?;
        let written = map.kind().is_ok_and(Kind::copies_out);
        let sent = if written { parts } else { Vec::new() };
        let loose = Loose { block, start, sent };
        self.state.loose.insert(block.ptr, loose);
        Ok(())
    }

    /// Takes the memory of loose sections back, and gives the maps that are none.
    pub(super) fn exit_loose<'m>(&mut self, maps: &'m [Map]) -> Result<Vec<&'m Map>, String> {
        let mut others = Vec::with_capacity(maps.len());
        for map in maps {
            let at = map.device as u64;
            let is_it = |l: &Loose| l.start == map.range().0;
            let own = match is_loose(map) && self.state.loose.get(&at).is_some_and(is_it) {
                true => self.state.loose.remove(&at),
                false => None,
            };
            match own {
                Some(loose) => self.take_back(map, &loose)?,
                None => others.push(map),
            }
        }
        Ok(others)
    }

    fn take_back(&mut self, map: &Map, loose: &Loose) -> Result<(), String> {
        for part in &loose.sent {
            let from = loose.block.ptr + (part.start - loose.start);
            let mut found = vec![0u8; part.bytes.len()];
            let (to, n) = (found.as_mut_ptr() as u64, found.len() as u64);
            self.copy(&map.name(), Direction::DeviceToHost, to, from, n)?;
            self.wait()?;
            for (at, bytes) in changes(&part.bytes, &found) {
                let to = (part.start + at as u64) as *mut u8;
                // SAFETY: the region changed these bytes, so they are memory of the
                // program's that may be written.
                unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
            }
        }
        self.free(loose.block.start)
    }
}

/// The runs of bytes of `new` that are others in `old`, each with its place.
pub fn changes<'n>(old: &[u8], new: &'n [u8]) -> Vec<(usize, &'n [u8])> {
    const CHUNK: usize = 4096;
    let mut out = Vec::new();
    for (k, (a, b)) in old.chunks(CHUNK).zip(new.chunks(CHUNK)).enumerate() {
        if a == b {
            continue;
        }
        let mut at = 0;
        while at < b.len() {
            let differ = |i: &usize| a.get(*i) != b.get(*i);
            let Some(from) = (at..b.len()).find(differ) else {
                break;
            };
            let to = (from..b.len()).find(|i| !differ(i)).unwrap_or(b.len());
            out.push((k * CHUNK + from, &b[from..to]));
            at = to;
        }
    }
    out
}

/// The smallest page of any machine that this is built for: what can be read of one can be
/// read to its end.
const PAGE: u64 = 4096;

/// The most pages that are asked for at a time (IOV_MAX).
const MAX_PAGES: u64 = 1024;

/// The parts of the memory from `start` to below `end` that can be read.
pub fn readable(start: u64, end: u64) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut at = start;
    while at < end {
        let last = (at / PAGE).saturating_add(MAX_PAGES).saturating_mul(PAGE);
        let mut bytes = vec![0; size(end.min(last) - at)];
        let n = look(at, &mut bytes).unwrap_or(0);
        bytes.truncate(n);
        let next = at + n as u64;
        match parts.last_mut() {
            _ if n == 0 => {}
            Some(p) if p.start + p.bytes.len() as u64 == at => p.bytes.append(&mut bytes),
            _ => parts.push(Part { start: at, bytes }),
        }
        // Behind the page that could not be read.
        at = match n {
            0 => (at / PAGE + 1).saturating_mul(PAGE),
            _ => next,
        };
    }
    parts
}

/// Whether memory can be looked at without a fault at all.
fn can_look() -> bool {
    let mut byte = [0];
    let here = [7u8];
    look(here.as_ptr() as u64, &mut byte) == Some(1) && byte == here
}

#[cfg(target_os = "linux")]
mod system {
    use std::ffi::{c_int, c_ulong, c_void};

    #[repr(C)]
    pub struct Piece {
        pub base: *mut c_void,
        pub len: usize,
    }

    unsafe extern "C" {
        pub fn process_vm_readv(
            pid: c_int,
            local: *const Piece,
            locals: c_ulong,
            remote: *const Piece,
            remotes: c_ulong,
            flags: c_ulong,
        ) -> isize;
    }
}

/// Reads memory from `at` on, as far as it can be read: how many bytes were; `None` where
/// that cannot be asked for. The system's kernel reads, and tells of a fault.
#[cfg(target_os = "linux")]
fn look(at: u64, to: &mut [u8]) -> Option<usize> {
    use std::ffi::{c_int, c_ulong};
    use system::{Piece, process_vm_readv};
    let end = at + to.len() as u64;
    let local = Piece {
        base: to.as_mut_ptr().cast(),
        len: to.len(),
    };
    // A piece for each page: what is read ends with one.
    let mut pieces = Vec::new();
    let mut from = at;
    while from < end {
        let next = (from / PAGE + 1).saturating_mul(PAGE).min(end);
        pieces.push(Piece {
            base: from as *mut c_void,
            len: size(next - from),
        });
        from = next;
    }
    let process = c_int::try_from(std::process::id()).ok()?;
    let (n, flags): (c_ulong, c_ulong) = (pieces.len() as c_ulong, 0);
    // SAFETY: `local` is the memory of `to`, and the pieces together are as long; they are
    // only read, by the system, which checks each.
    let read = unsafe { process_vm_readv(process, &local, 1, pieces.as_ptr(), n, flags) };
    usize::try_from(read).ok()
}

/// Elsewhere there is no such call.
#[cfg(not(target_os = "linux"))]
fn look(_: u64, _: &mut [u8]) -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_change() {
        let old: Vec<u8> = (0..10_000).map(|i| i as u8).collect();
        assert_eq!(changes(&old, &old), []);
        let mut new = old.clone();
        new[0] = 9;
        new[4095] = 1;
        new[4096] = 3;
        new[4097] = 3;
        new[9999] = 0;
        let found: Vec<(usize, Vec<u8>)> = changes(&old, &new)
            .into_iter()
            .map(|(at, b)| (at, b.to_vec()))
            .collect();
        let expected = [
            (0, vec![9]),
            (4095, vec![1]),
            (4096, vec![3, 3]),
            (9999, vec![0]),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn only_what_can_be_read_is() {
        assert!(can_look());
        // The first page of all is nobody's.
        assert_eq!(readable(0, 3), []);
        let a: Vec<u8> = (0..5 * PAGE as usize + 100)
            .map(|i| (i % 251) as u8)
            .collect();
        let start = a.as_ptr() as u64;
        let parts = readable(start + 1, start + a.len() as u64);
        assert_eq!(parts.len(), 1);
        assert_eq!((parts[0].start, &parts[0].bytes[..]), (start + 1, &a[1..]));
        // The last pages of the address space are the system's.
        assert_eq!(readable(u64::MAX - 5000, u64::MAX), []);
    }
}
