//! Arrays whose rows lie where pointers say: whether they lie apart is looked at before each call.

use terrace_c::region::Capture;

use super::arrays::Arrays;
use super::call::Call;

/// The runtime's flags of an array of rows: it is written.
const WRITTEN: u32 = 1;
/// Its table is among records of which the region writes other members.
const AMONG_MEMBERS: u32 = 2;
/// Bytes of a pointer.
const POINTER: u64 = 8;

/// How many dimensions of an array the function of the extents tells about.
pub(super) fn dimensions(c: &Capture) -> usize {
    1 + usize::from(distance(c).is_some())
}

/// How many pointers lie from a row's to the next one's, of an array with a table of rows.
fn distance(c: &Capture) -> Option<u64> {
    c.array().and_then(|a| a.tables)
}

/// Where the table of an array with one is, in C.
pub(super) fn address(c: &Capture) -> Option<String> {
    distance(c)?;
    c.array().map(|a| format!("({})", a.address))
}

/// Whether the call has to look whether rows lie apart: not where all are only read.
pub(super) fn look(captures: &[Capture], arrays: &Arrays) -> bool {
    let is_written = |c: &Capture| c.written && (c.addressed || distance(c).is_some());
    let written = arrays.slots.iter().any(|s| s.written) || captures.iter().any(is_written);
    written && captures.iter().any(|c| distance(c).is_some())
}

impl Call<'_> {
    /// Describes the arrays of rows to the runtime; the question whether any of them meet what is
    /// written, in C.
    pub(super) fn rows_meet(&self, out: &mut String) -> String {
        let (w, n) = (&self.names.words, self.maps());
        let captures = &self.plan.region.captures;
        let mut described = String::new();
        let mut number = 0;
        for (i, c) in captures.iter().enumerate() {
            let (Some(array), Some(distance)) = (c.array(), distance(c)) else {
                continue;
            };
            // What is not known to lie apart is taken to meet.
            let Some(first) = self.computed.iter().position(|x| *x == i) else {
                return "1".to_string();
            };
            let touched = self.layout.results + 2 * first;
            let sure = touched + 2 * self.computed.len();
            let is_member = |d: &Capture| {
                d.written && d.lvalue == c.lvalue && d.array().is_some_and(|a| a.field.is_some())
            };
            let mut flags = if c.written { WRITTEN } else { 0 };
            if array.field.is_some() && captures.iter().any(is_member) {
                flags |= AMONG_MEMBERS;
            }
            let address = &array.address;
            described.push_str(&format!(
                " __terrace_rows_of(&{w}r[{number}], {address}, {}, &{w}[{touched}], &{w}[{sure}], \
                 (long)sizeof(**({address})), {flags});",
                POINTER * distance,
            ));
            number += 1;
        }
        out.push_str(&format!(
            " struct __terrace_rows {w}r[{number}];{described}"
        ));
        let maps = match n {
            0 => "0",
            _ => self.names.maps.as_str(),
        };
        format!("terrace_rows_meet({w}r, {number}, {maps}, {n})")
    }
}
