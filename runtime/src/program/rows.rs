//! Sections of what pointers in memory point to, `a[0:n][0:m]` of a `double **a`: the
//! table of pointers and each row are sections of their own.
//!
//! A map with [`ROWS`] is the table; the maps with [`ROW`] behind it say what is meant of
//! each row, their first byte counted from the pointer; a row may be a table again.

use super::abi::{FINALIZE, IMPLICIT, Kind, Map, ROW, ROWS, SKIPPED};
use super::present;

/// Bytes of a pointer.
const POINTER: u64 = 8;

/// Pointers in memory that are attached together.
pub(super) struct Table {
    /// Host address of the first.
    pub start: u64,
    /// Their values on the host.
    pub pointers: Vec<u64>,
    /// Bytes from where each points to the section that is meant.
    pub offset: u64,
    pub finalize: bool,
}

impl Table {
    pub fn bytes(&self) -> u64 {
        self.pointers.len() as u64 * POINTER
    }

    /// Each pointer: where it is on the host, and its value.
    pub fn each(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let at = |i: usize| self.start + i as u64 * POINTER;
        self.pointers
            .iter()
            .enumerate()
            .map(move |(i, p)| (at(i), *p))
    }
}

/// What maps stand for.
#[derive(Default)]
pub(super) struct Expanded {
    pub maps: Vec<Map>,
    pub tables: Vec<Table>,
    /// Of the maps that were given: which of `maps` it became.
    origins: Vec<Option<usize>>,
}

impl Expanded {
    /// Tells the maps that were given where they are on the device.
    pub fn hand_back(&self, given: &mut [Map]) {
        for (map, origin) in given.iter_mut().zip(&self.origins) {
            if let Some(of) = origin.and_then(|i| self.maps.get(i)) {
                map.device = of.device;
            }
        }
    }

    /// A table of `bytes` bytes at `start`, and its rows.
    fn table(&mut self, map: &Map, start: u64, bytes: u64, rows: &[Map]) {
        let kind = map.kind();
        let update = matches!(kind, Ok(Kind::UpdateHost | Kind::UpdateDevice));
        if !update {
            let mut own = part(map, start, bytes);
            // Pointers of the host are of no use there, and those of the device none here.
            if matches!(kind, Ok(Kind::Copy | Kind::CopyIn | Kind::CopyOut)) {
                own.kind = Kind::Create as u32;
            }
            self.maps.push(own);
        }
        let Some((row, rest)) = rows.split_first() else {
            return;
        };
        if start == 0 || kind == Ok(Kind::DevicePtr) {
            return;
        }
        let offset = row.host as u64;
        let count = usize::try_from(bytes / POINTER).unwrap_or(0);
        // SAFETY: by the interface the section is memory of the program, of pointers.
        let read = |i: usize| unsafe { (start as *const u64).add(i).read_unaligned() };
        let pointers: Vec<u64> = (0..count).map(read).collect();
        for p in pointers.iter().copied().filter(|p| *p != 0) {
            let at = p.wrapping_add(offset);
            match rest.is_empty() {
                true => self.maps.push(part(map, at, row.bytes)),
                false => self.table(map, at, row.bytes, rest),
            }
        }
        self.tables.push(Table {
            start,
            pointers,
            offset,
            finalize: map.is(FINALIZE),
        });
    }
}

/// The same clause for other memory.
fn part(map: &Map, start: u64, bytes: u64) -> Map {
    Map {
        host: start as *mut _,
        bytes,
        kind: map.kind,
        flags: map.flags & !(ROWS | ROW),
        name: map.name,
        device: start as *mut _,
    }
}

/// Whether pointers are to be followed at all.
pub(super) fn any(maps: &[Map]) -> bool {
    maps.iter().any(|m| m.is(ROWS))
}

/// What is to be entered. Of a table that the compiler asks for and that is there
/// already the rows are, too; that is noted in the maps.
pub(super) fn entered(maps: &mut [Map], table: &present::Table) -> Expanded {
    for i in 1..maps.len() {
        let (before, rest) = maps.split_at_mut(i);
        let (Some(m), Some(row)) = (before.last(), rest.first_mut()) else {
            continue;
        };
        let is_there = || table.containing(m.range().0, m.bytes).is_some();
        if m.is(ROWS) && !m.is(ROW) && m.is(IMPLICIT) && is_there() {
            row.flags |= SKIPPED;
        }
    }
    expanded(maps)
}

/// What is to be left, of maps that may have been entered.
pub(super) fn left(maps: &[Map]) -> Expanded {
    expanded(maps)
}

/// What is to be copied.
pub(super) fn updated(maps: &[Map]) -> Vec<Map> {
    expanded(maps).maps
}

fn expanded(maps: &[Map]) -> Expanded {
    let mut all = Expanded::default();
    for (i, m) in maps.iter().enumerate() {
        if m.is(ROW) {
            all.origins.push(None);
            continue;
        }
        all.origins.push(Some(all.maps.len()));
        let (start, _) = m.range();
        if !m.is(ROWS) {
            all.maps.push(part(m, start, m.bytes));
            continue;
        }
        let behind = maps.get(i + 1..).unwrap_or(&[]);
        let count = behind.iter().take_while(|m| m.is(ROW)).count();
        let rows = behind.get(..count).unwrap_or(&[]);
        match rows.first() {
            Some(row) if !row.is(SKIPPED) => all.table(m, start, m.bytes, rows),
            _ => all.maps.push(part(m, start, m.bytes)),
        }
    }
    all
}
