//! The widest access that a thread can make to its elements.

use crate::{Layout, Resource};

/// The most bytes that an access of one thread has.
pub(crate) const WIDEST: i64 = 16;

/// The bytes of the widest access to an array that a layout allows, at most 16.
///
/// The array's elements are adjacent along dimension `fastest`. Its base and all its rows
/// are known to be aligned to `alignment_bytes`. An access takes the elements of the
/// first registers, as many as lie side by side and start at a multiple of their size.
/// The answer is never less than one element.
pub fn widest_access(
    layout: &Layout,
    fastest: usize,
    alignment_bytes: i64,
    element_bytes: i64,
) -> i64 {
    let normal = layout.normal_form();
    let mut width = 1;
    let registers = normal.digits(Resource::Reg);
    let is_line = |step: &[i64]| {
        let others = step.iter().enumerate().filter(|(axis, _)| *axis != fastest);
        step.get(fastest) == Some(&1) && others.into_iter().all(|(_, s)| *s == 0)
    };
    let Some(first) = registers.first().filter(|d| is_line(&d.step)) else {
        return element_bytes;
    };
    // Where every other digit starts an access at a multiple of its size.
    let starts_at = |width: i64| {
        let others = normal.digits_with_resource();
        let mut others = others.filter(|(_, d)| !std::ptr::eq(*d, first));
        others.all(|(_, d)| d.step[fastest] % width == 0)
    };
    // Where the array lets one of so many bytes start.
    let allowed = |bytes: i64| {
        (1..=WIDEST).contains(&bytes) && bytes.count_ones() == 1 && alignment_bytes % bytes == 0
    };
    while first.radix % (2 * width) == 0
        && starts_at(2 * width)
        && allowed(element_bytes.saturating_mul(2 * width))
    {
        width *= 2;
    }
    width * element_bytes
}
