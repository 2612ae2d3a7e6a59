//! As which sections the maps of a directive are entered, and what these begin as.

use super::abi::{IMPLICIT, Kind, Map, RESIDENT, ROWS, ZERO};
use super::loose::is_own;
use super::present::{Presence, Table};

/// What new data begins as; the greatest of several clauses serves all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Contents {
    Undefined,
    Zeros,
    Host,
}

impl Contents {
    pub(super) fn of(map: &Map) -> Contents {
        match map.kind() {
            Ok(kind) if kind.copies_in() => Contents::Host,
            Ok(Kind::CopyOut | Kind::Create) if map.is(ZERO) => Contents::Zeros,
            _ => Contents::Undefined,
        }
    }
}

/// A section that is entered as one: of a map, or of overlapping implicit ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Union {
    pub start: u64,
    pub end: u64,
    pub contents: Contents,
}

/// What the memory of a map begins as if it is new: a directive may name it in several
/// clauses, and the first of them makes it for all.
pub(super) fn contents(map: &Map, maps: &[Map]) -> Contents {
    let (start, end) = map.range();
    let same = |m: &&Map| start <= m.range().0 && m.range().1 <= end;
    let each = maps.iter().filter(same).map(Contents::of);
    each.max().unwrap_or(Contents::Undefined)
}

/// Whether a map makes what is not there yet.
fn makes(m: &Map) -> bool {
    let kind = m.kind();
    let makes = matches!(
        kind,
        Ok(Kind::Copy | Kind::CopyIn | Kind::CopyOut | Kind::Create)
    );
    makes && !m.is(ROWS) && !m.is(RESIDENT) && !m.host.is_null() && m.bytes > 0
}

/// The largest section of an object that contains this part of it.
fn around<'m>(part: &Map, maps: &'m [Map]) -> Option<&'m Map> {
    let (start, end) = part.range();
    let contains = |m: &&Map| m.range().0 <= start && end <= m.range().1;
    let of_object = maps.iter().filter(|m| m.object() == part.object());
    let larger = of_object.filter(|m| makes(m) && m.bytes > part.bytes);
    larger.filter(contains).max_by_key(|m| m.bytes)
}

/// For each map the union of the implicit sections that it overlaps with, directly or
/// through others, if nothing of them is present: two names of the same memory in a
/// region that only reads it. For a part of an object that a clause names it is the section
/// around it of that object.
pub(super) fn unions(maps: &[Map], table: &Table) -> Vec<Option<Union>> {
    let mut result = vec![None; maps.len()];
    for (m, union) in maps.iter().zip(&mut result) {
        if m.object() == 0 || !makes(m) {
            continue;
        }
        let Some(whole) = around(m, maps) else {
            continue;
        };
        let (start, end) = whole.range();
        if !is_own(whole, table) && table.find(start, whole.bytes) == Presence::Absent {
            *union = Some(Union {
                start,
                end,
                contents: contents(whole, maps),
            });
        }
    }
    let enters = |m: &Map| makes(m) && m.is(IMPLICIT) && !is_own(m, table);
    let mut order: Vec<(usize, &Map)> =
        maps.iter().enumerate().filter(|(_, m)| enters(m)).collect();
    order.sort_by_key(|(_, m)| m.range().0);
    let mut rest = order.as_slice();
    while let Some((first, _)) = rest.split_first() {
        let (start, mut end) = first.1.range();
        let mut size = 1;
        while let Some((_, m)) = rest.get(size).filter(|(_, m)| m.range().0 < end) {
            end = end.max(m.range().1);
            size += 1;
        }
        let (group, after) = rest.split_at(size);
        rest = after;
        // Where bytes lie between those that one of them writes without reading, the
        // host's values must be there for the copy back.
        let contents = group.iter().map(|(_, m)| Contents::of(m)).max();
        if size > 1 && table.find(start, end - start) == Presence::Absent {
            let union = Union {
                start,
                end,
                contents: contents.unwrap_or(Contents::Undefined),
            };
            for (i, _) in group {
                result[*i] = Some(union);
            }
        }
    }
    result
}
