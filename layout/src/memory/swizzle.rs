//! The choice of a buffer through which a tile changes its layout.

use super::access::{WIDEST, widest_access};
use super::conflicts::BANK_BYTES;
use super::{Memory, Passes, Xor, bank_conflicts};
use crate::{Coords, Layout, LayoutError, Resource};

/// A buffer that was chosen, and what it costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Swizzle {
    /// The layout of the buffer.
    pub memory: Memory,
    /// The passes in which the tile is written.
    pub write: Passes,
    /// How many elements one access writes.
    pub write_vector: i64,
    /// The passes in which the tile is read.
    pub read: Passes,
    /// How many elements one access reads.
    pub read_vector: i64,
    /// The bytes of one slot.
    pub bytes: i64,
}

/// The buffer that a tile is written to in one layout, and read from in another.
///
/// Every dimension is tried as the fastest. Rows are tried without padding, with 4, 8 and
/// 16 bytes more, and with a swizzle of 1 to 3 bits. The buffer with the fewest passes is
/// taken, of these the smallest, and of these the one with the fewest accesses.
///
/// # Errors
///
/// Both layouts must be of one shape. An element must have 1, 2, 4, 8 or 16 bytes. The
/// smallest buffer must be within the budget.
pub fn choose_swizzle(
    write: &Layout,
    read: &Layout,
    element_bytes: i64,
    budget_bytes: i64,
) -> Result<Swizzle, LayoutError> {
    let shape = write.shape();
    if shape != read.shape() {
        return Err(LayoutError::Shapes {
            from: Coords::from_slice(shape),
            to: Coords::from_slice(read.shape()),
        });
    }
    let least = [write, read].map(|layout| least(layout, element_bytes));
    let packed = write.volume().saturating_mul(element_bytes);
    let mut best: Option<Swizzle> = None;
    for memory in candidates(shape, element_bytes)? {
        let bytes = memory.slot_elements(shape).saturating_mul(element_bytes);
        if bytes > budget_bytes {
            continue;
        }
        let (write_vector, write) = best_width(write, &memory, element_bytes)?;
        let (read_vector, read) = best_width(read, &memory, element_bytes)?;
        let new = Swizzle {
            memory,
            write,
            write_vector,
            read,
            read_vector,
            bytes,
        };
        let cost = |s: &Swizzle| {
            let passes = s.write.total + s.read.total;
            (passes, s.bytes, s.write.accesses + s.read.accesses)
        };
        if best.as_ref().is_none_or(|b| cost(&new) < cost(b)) {
            // No other buffer can be better than such a one.
            let is_least = bytes == packed
                && least[0] == Some((new.write.total, new.write.accesses))
                && least[1] == Some((new.read.total, new.read.accesses));
            best = Some(new);
            if is_least {
                break;
            }
        }
    }
    best.ok_or(LayoutError::TooLarge {
        what: "the bytes of a buffer for the tile",
        limit: budget_bytes,
    })
}

/// Passes and accesses that no buffer can do without, where no element is outside.
fn least(layout: &Layout, element_bytes: i64) -> Option<(u64, u64)> {
    if !layout.stays_inside() || element_bytes < 1 {
        return None;
    }
    let widest = (WIDEST / element_bytes).max(1);
    let normal = layout.normal_form();
    let vector = match normal.digits(Resource::Reg) {
        // Where dimensions follow each other in memory, an access may go on in the next one.
        [first, _, ..] if first.radix < widest => {
            let registers = layout.size(Resource::Reg) as i64;
            (1 << registers.trailing_zeros()).min(widest)
        }
        _ => {
            let along = |axis| widest_access(layout, axis, WIDEST, element_bytes);
            let bytes = (0..layout.rank()).map(along).max();
            bytes.unwrap_or(element_bytes) / element_bytes
        }
    };
    let accesses = layout.places() as u64 / layout.size(Resource::Lane) as u64 / vector as u64;
    let parts = (vector * element_bytes / BANK_BYTES).max(1);
    Some((accesses * parts as u64, accesses))
}

/// The number of elements with which a tile is accessed in the fewest passes.
fn best_width(
    layout: &Layout,
    memory: &Memory,
    element_bytes: i64,
) -> Result<(i64, Passes), LayoutError> {
    let mut best = (1, bank_conflicts(layout, memory, element_bytes, 1)?);
    let mut vector = 2;
    // What is too wide for a number of elements is too wide for more of them.
    while let Ok(passes) = bank_conflicts(layout, memory, element_bytes, vector) {
        if (passes.total, passes.accesses) < (best.1.total, best.1.accesses) {
            best = (vector, passes);
        }
        vector *= 2;
    }
    Ok(best)
}

/// All buffers that are tried, the simplest first.
fn candidates(shape: &[i64], element_bytes: i64) -> Result<Vec<Memory>, LayoutError> {
    if !(1..=WIDEST).contains(&element_bytes) || element_bytes.count_ones() != 1 {
        let bytes = element_bytes;
        return Err(LayoutError::Access { bytes });
    }
    let rank = shape.len();
    let mut orders: Vec<Vec<usize>> = Vec::new();
    // The last dimension first, as arrays have it.
    for fastest in (0..rank).rev() {
        let rest = (0..rank).rev().filter(|axis| *axis != fastest);
        orders.push(std::iter::once(fastest).chain(rest).collect());
    }
    if orders.is_empty() {
        orders.push(Vec::new());
    }
    let widths: Vec<i64> = [4, 8, 16]
        .into_iter()
        .filter(|bytes| bytes % element_bytes == 0)
        .map(|bytes| bytes / element_bytes)
        .collect();
    let mut out = Vec::new();
    for order in &orders {
        out.push(Memory::padded(shape, order, 0)?);
        if rank > 1 {
            for pad in &widths {
                out.push(Memory::padded(shape, order, *pad)?);
            }
        }
        let row = order.first().map_or(1, |axis| shape[*axis]);
        for xor in swizzles(row, element_bytes, &widths) {
            let plain = Memory::padded(shape, order, 0)?;
            out.push(plain.with_xor(Some(xor))?);
        }
    }
    Ok(out)
}

/// Swizzles that read the number of a row, or what lies above all banks.
fn swizzles(row: i64, element_bytes: i64, widths: &[i64]) -> Vec<Xor> {
    let row = (row as u64).next_power_of_two().ilog2();
    let banks = (128 / element_bytes).ilog2();
    // The lanes of a thread's rows lie as far apart as its registers reach.
    let mut sources = [row, row + 1, row + 2, row + 3, banks, banks + 1];
    sources.sort_unstable();
    let mut out = Vec::new();
    for (n, source) in sources.into_iter().enumerate() {
        if sources[..n].contains(&source) {
            continue;
        }
        for base in widths.iter().map(|w| w.ilog2()) {
            for bits in 1..=3 {
                if source >= base + bits {
                    let shift = source - base;
                    out.push(Xor { bits, base, shift });
                }
            }
        }
    }
    out
}
