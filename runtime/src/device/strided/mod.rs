//! Copies of strided arrays of any rank, made of copies of rows.
//!
//! Dimensions that follow each other without a gap on both sides become one, and the
//! innermost become the width of a row. What is left are up to two dimensions that
//! [`Device::copy_rows`] takes, and outer ones to loop over. Where rows are so short or
//! loops so long that the device would be told of little pieces one by one, the host
//! packs: its side goes through a buffer without gaps.
//!
//! | file | what |
//! | --- | --- |
//! | `dims` | dimensions, and how many bytes they have |
//! | `plan` | the dimensions that are left, and the rows in them |
//! | `pieces` | rows to the device one by one, or packed on either side |

mod dims;
mod pieces;
mod plan;

#[cfg(test)]
mod tests;

pub use dims::{Dim, bytes_of, dims_of};

use super::{Device, DeviceError, StreamId};
use crate::profile::Direction;
use pieces::{move_on_host, pieces_of, through_the_device, through_the_host};
use plan::{StridedCopy, overlaps, plan};

/// More pieces than this are packed on the host, if it has one of the sides.
const MAX_PIECES: usize = 64;

/// Copies a strided array, element by element the same indices, and waits for it where
/// one side is the host's. `dst` and `src` are the addresses of the first elements;
/// sides of one device that overlap are copied as if through a third place.
///
/// # Errors
/// [`DeviceError::OutOfRange`] where an element of the device is not in a live
/// allocation; what the device says.
///
/// # Safety
/// All elements of the host's side are memory of the program that it may read, or write
/// where they are the destination, and that nobody else uses meanwhile.
pub unsafe fn copy_strided(
    device: &dyn Device,
    way: Direction,
    ends: (u64, u64),
    element: usize,
    dims: &[Dim],
    stream: StreamId,
) -> Result<(), DeviceError> {
    // SAFETY: by the contract; waited for.
    unsafe { queue_strided(device, way, ends, element, dims, stream)? };
    match way {
        Direction::DeviceToDevice => Ok(()),
        _ => device.synchronize(stream),
    }
}

/// As [`copy_strided`], but the host goes on at once where the device, or the driver, takes
/// rows as they are. What the host packs is done when this returns.
///
/// # Errors
/// As [`copy_strided`]; nothing uses the host's side then.
///
/// # Safety
/// As [`copy_strided`], until the stream was waited for.
pub unsafe fn queue_strided(
    device: &dyn Device,
    way: Direction,
    (dst, src): (u64, u64),
    element: usize,
    dims: &[Dim],
    stream: StreamId,
) -> Result<(), DeviceError> {
    let Some(plan) = plan(element, dims)? else {
        return Ok(());
    };
    let outer = plan.rows().1;
    let pieces = plan.dims[..outer]
        .iter()
        .fold(1usize, |n, d| n.saturating_mul(d.count));
    // SAFETY: by the contract, here and below.
    unsafe {
        match way {
            Direction::DeviceToDevice if overlaps(&plan, dst, src) => {
                through_the_device(device, &plan, dst, src, stream)
            }
            Direction::DeviceToDevice => pieces_of(device, way, &plan, dst, src, stream),
            _ if pieces > MAX_PIECES => through_the_host(device, way, &plan, dst, src, stream),
            _ => pieces_of(device, way, &plan, dst, src, stream),
        }
    }
}

/// How many bytes one plain copy moves instead, from the given addresses on; `None` where
/// either side has gaps or another order.
///
/// # Errors
/// [`DeviceError::Invalid`] where offsets do not fit 64 bits.
pub fn without_gaps(element: usize, dims: &[Dim]) -> Result<Option<usize>, DeviceError> {
    let plan = plan(element, dims)?;
    let dense = |p: &StridedCopy| p.dims.is_empty() && (p.dst_shift, p.src_shift) == (0, 0);
    Ok(plan.filter(dense).map(|p| p.width))
}

/// Copies a strided array of the host to another.
///
/// # Errors
/// [`DeviceError::Invalid`] where offsets do not fit 64 bits.
///
/// # Safety
/// All elements of both are memory of the program, that of `dst` to be written, which
/// nobody else uses meanwhile.
pub unsafe fn copy_on_host(
    dst: *mut u8,
    src: *const u8,
    element: usize,
    dims: &[Dim],
) -> Result<(), DeviceError> {
    if let Some(plan) = plan(element, dims)? {
        // SAFETY: by the contract.
        unsafe { move_on_host(&plan, dst as u64, src as u64) };
    }
    Ok(())
}
