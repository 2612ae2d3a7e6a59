//! Whether rows that lie where tables of pointers say meet each other, or other arrays.

use std::ffi::{c_int, c_long, c_uint};

use super::abi::{Map, WRITTEN};
use super::entry::{data, maps};
use super::failure::run;

/// The part of an array with a table of rows that a region touches.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct RowArray {
    /// The first pointer of the table.
    pub table: *const u8,
    /// Bytes from one pointer to the next.
    pub distance: c_long,
    /// The first row.
    pub low: c_long,
    /// The row behind the last.
    pub high: c_long,
    /// The first row whose pointer is surely in the table.
    pub from: c_long,
    /// The row behind the last such.
    pub to: c_long,
    /// Bytes from where a row's pointer points to what is touched of it.
    pub first: c_long,
    /// And to the end of that.
    pub end: c_long,
    /// 1 where elements of the rows are written; 2 where the table is among records of which other
    /// members are.
    pub flags: u64,
}

/// The region writes elements of the rows.
const ROWS_WRITTEN: u64 = 1;
/// The table is among records of which the region writes other members.
const AMONG_MEMBERS: u64 = 2;

/// Bytes of a pointer.
const POINTER: c_long = 8;

/// Memory from one address to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Piece {
    from: u64,
    to: u64,
    kind: Kind,
    written: bool,
}

/// What memory it is. Sections of the call are compared with each other elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Section,
    Row,
    Table,
    /// A table that no section is compared with.
    Members,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Section, Kind::Row, Kind::Table, Kind::Members];

    fn is_compared(self, other: Kind) -> bool {
        let apart = |a, b| a == Kind::Section && matches!(b, Kind::Section | Kind::Members);
        !apart(self, other) && !apart(other, self)
    }
}

impl RowArray {
    fn is_empty(&self) -> bool {
        self.low >= self.high || self.first >= self.end
    }

    /// Whether all its rows have pointers.
    fn is_sure(&self) -> bool {
        self.from <= self.low && self.high <= self.to
    }

    /// The part of the table that is read.
    fn table(&self) -> Piece {
        let at = |row: c_long| {
            let far = row.wrapping_mul(self.distance);
            (self.table as u64).wrapping_add(far as u64)
        };
        Piece {
            from: at(self.low),
            to: at(self.high - 1).wrapping_add(POINTER as u64),
            kind: match self.flags & AMONG_MEMBERS {
                0 => Kind::Table,
                _ => Kind::Members,
            },
            written: false,
        }
    }

    /// What is touched of each row.
    ///
    /// # Safety
    /// The pointers of all rows can be read.
    unsafe fn rows(&self) -> impl Iterator<Item = Piece> + use<> {
        let (this, written) = (*self, self.flags & ROWS_WRITTEN != 0);
        (self.low..self.high).map(move |row| {
            let far = row.wrapping_mul(this.distance) as isize;
            // SAFETY: by the contract.
            let start = unsafe {
                this.table
                    .wrapping_offset(far)
                    .cast::<u64>()
                    .read_unaligned()
            };
            Piece {
                from: start.wrapping_add(this.first as u64),
                to: start.wrapping_add(this.end as u64),
                kind: Kind::Row,
                written,
            }
        })
    }
}

/// All memory from the first of these rows to the last, if they follow each other in it.
fn in_a_row(mut rows: impl Iterator<Item = Piece>) -> Option<Piece> {
    let mut all = rows.next()?;
    for r in rows {
        if r.from < all.to {
            return None;
        }
        all.to = r.to;
    }
    Some(all)
}

/// Whether some of these pieces meet of which one is written.
fn any_meet(mut pieces: Vec<Piece>) -> bool {
    // Rows mostly stand in order, which this sort sees.
    pieces.sort();
    // The ends of what began before, by kind: of all, and of what is written.
    let mut ends = [(0u64, 0u64); Kind::ALL.len()];
    for p in pieces {
        let before = Kind::ALL.into_iter().zip(ends);
        let mut compared = before.filter(|(k, _)| p.kind.is_compared(*k));
        if compared.any(|(_, (end, written))| p.from < written || p.written && p.from < end) {
            return true;
        }
        let (end, written) = &mut ends[p.kind as usize];
        *end = p.to.max(*end);
        if p.written {
            *written = p.to.max(*written);
        }
    }
    false
}

/// Whether rows of these arrays meet each other, the tables or sections, where one of both is
/// written; or that is not to be found out.
///
/// # Safety
/// Pointers of rows that are sure can be read.
unsafe fn rows_meet(arrays: &[RowArray], sections: &[Map]) -> bool {
    let arrays = || arrays.iter().filter(|a| !a.is_empty());
    if arrays().any(|a| !a.is_sure()) {
        return true;
    }
    let section = |m: &Map| Piece {
        from: m.range().0,
        to: m.range().1,
        kind: Kind::Section,
        written: m.is(WRITTEN),
    };
    let others = || {
        data(sections)
            .map(section)
            .chain(arrays().map(RowArray::table))
    };
    // SAFETY: by the contract.
    let rows = |a: &RowArray| unsafe { a.rows() };
    let hulls: Option<Vec<Piece>> = arrays().map(|a| in_a_row(rows(a))).collect();
    if let Some(hulls) = hulls
        && !any_meet(hulls.into_iter().chain(others()).collect())
    {
        return false;
    }
    let pieces = arrays().flat_map(rows);
    any_meet(pieces.chain(others()).collect())
}

/// Whether rows that a region touches meet each other, their tables, or its other arrays, where
/// one of both is written; 1 also where not all rows surely have pointers.
///
/// # Safety
/// There are `n` arrays and `sections` maps, and pointers of rows that are sure can be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_rows_meet(
    arrays: *const RowArray,
    n: c_uint,
    m: *const Map,
    sections: c_uint,
) -> c_int {
    run(|| {
        // SAFETY: by the contract; nothing is written.
        let (arrays, maps) = unsafe {
            let arrays = match n {
                0 => &[],
                n => std::slice::from_raw_parts(arrays, n as usize),
            };
            (arrays, maps(m.cast_mut(), sections))
        };
        // SAFETY: by the contract.
        Ok(c_int::from(unsafe { rows_meet(arrays, maps) }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO_SECTIONS: &[Map] = &[];

    fn array(table: &[u64], bytes: c_long, flags: u64) -> RowArray {
        let rows = table.len() as c_long;
        RowArray {
            table: table.as_ptr().cast(),
            distance: POINTER,
            low: 0,
            high: rows,
            from: 0,
            to: rows,
            first: 0,
            end: bytes,
            flags,
        }
    }

    fn meet(arrays: &[RowArray], sections: &[Map]) -> bool {
        // SAFETY: the tables have all rows.
        unsafe { rows_meet(arrays, sections) }
    }

    #[test]
    fn rows_lie_apart_in_any_order() {
        let ordered = [1000, 1100, 1200];
        assert!(!meet(&[array(&ordered, 100, ROWS_WRITTEN)], NO_SECTIONS));
        assert!(meet(&[array(&ordered, 101, ROWS_WRITTEN)], NO_SECTIONS));
        // Nobody writes them.
        assert!(!meet(&[array(&ordered, 101, 0)], NO_SECTIONS));
        let mixed = [1200, 1000, 1100];
        assert!(!meet(&[array(&mixed, 100, ROWS_WRITTEN)], NO_SECTIONS));
        assert!(meet(
            &[array(&[1200, 1000, 1200], 8, ROWS_WRITTEN)],
            NO_SECTIONS
        ));
    }

    #[test]
    fn arrays_meet_where_one_is_written() {
        let (a, b) = ([1000, 1200, 1400], [1100, 1300, 1500]);
        let two = |n, f, g| [array(&a, n, f), array(&b, n, g)];
        assert!(!meet(&two(100, ROWS_WRITTEN, 0), NO_SECTIONS));
        assert!(meet(&two(104, 0, ROWS_WRITTEN), NO_SECTIONS));
        assert!(!meet(&two(104, 0, 0), NO_SECTIONS));
    }

    #[test]
    fn a_table_that_is_written_is_no_table() {
        let mut table = [0u64; 4];
        let own = table.as_ptr() as u64;
        table[0] = own + 16;
        let one = array(&table[..1], 8, ROWS_WRITTEN);
        assert!(!meet(&[one], NO_SECTIONS));
        let one = array(&table[..3], 8, ROWS_WRITTEN);
        assert!(meet(&[one], NO_SECTIONS));
    }

    #[test]
    fn rows_that_may_have_no_pointers_are_not_read() {
        let mut a = array(&[1000], 8, ROWS_WRITTEN);
        a.table = std::ptr::null();
        a.low = -1;
        assert!(meet(&[a], NO_SECTIONS));
        a.high = a.low;
        assert!(!meet(&[a], NO_SECTIONS));
    }
}
