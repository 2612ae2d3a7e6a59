//! Sections of arrays of pointers, `a[0:n][0:m]` of a `double **a`: the pointers, each of
//! the rows, and the pointers' copies on the device made to point to the rows' copies.

use std::borrow::Cow;
use std::ffi::c_uint;

use super::abi::{Kind, Map, ROWS, ZERO};

/// Bytes of a pointer.
const POINTER: u64 = 8;

/// The maps with those of rows put in place: a map for the pointers, one for each row,
/// and an attach for each pointer.
///
/// The pointers are read in the program's memory, where they keep their values.
pub fn expand(maps: &[Map]) -> Cow<'_, [Map]> {
    if !maps.iter().any(|m| m.is(ROWS)) {
        return Cow::Borrowed(maps);
    }
    let mut out = Vec::new();
    let mut rest = maps;
    while let Some((first, behind)) = rest.split_first() {
        let levels = behind.iter().take_while(|m| m.is(ROWS)).count();
        let (rows, after) = behind.split_at(levels);
        section(*first, rows, &mut out);
        rest = after;
    }
    Cow::Owned(out)
}

/// A section: pointers if there are levels of rows below it.
fn section(map: Map, rows: &[Map], out: &mut Vec<Map>) {
    let Some((row, deeper)) = rows.split_first() else {
        out.push(map);
        return;
    };
    let updates = matches!(map.kind(), Ok(Kind::UpdateHost | Kind::UpdateDevice));
    if !updates {
        out.push(pointers(map));
    }
    if map.host.is_null() {
        return;
    }
    for k in 0..map.bytes / POINTER {
        let at = (map.host as u64).wrapping_add(k * POINTER);
        // SAFETY: by the interface the section is memory of the program that holds
        // pointers.
        let to = unsafe { (at as *const u64).read_unaligned() };
        if to == 0 {
            continue;
        }
        let start = to.wrapping_add(row.host as u64);
        let part = Map {
            host: start as *mut _,
            device: start as *mut _,
            flags: row.flags & !ROWS,
            ..*row
        };
        section(part, deeper, out);
        if !updates {
            out.push(attach(map, at, start));
        }
    }
}

/// The map of a table of pointers: they go to the device, so that null ones arrive, and
/// never come back.
fn pointers(map: Map) -> Map {
    let kind = match map.kind() {
        Ok(Kind::Copy | Kind::CopyIn | Kind::Create) => Kind::CopyIn as c_uint,
        // At an exit it is only counted down.
        Ok(Kind::CopyOut) => Kind::CopyIn as c_uint,
        _ => map.kind,
    };
    Map {
        kind,
        flags: map.flags & !ZERO,
        ..map
    }
}

/// The pointer at `at`, to the row whose section begins at `start`.
fn attach(map: Map, at: u64, start: u64) -> Map {
    Map {
        host: at as *mut _,
        device: start as *mut _,
        bytes: POINTER,
        kind: Kind::Attach as c_uint,
        flags: map.flags | ROWS,
        ..map
    }
}
