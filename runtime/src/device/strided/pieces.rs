//! What a plan says, done: each piece as rows, by the host alone, or through packed memory
//! of the host or the device.

use super::dims::too_large;
use super::plan::{StridedCopy, at, replanned};
use crate::device::{Device, DeviceError, StreamId};
use crate::profile::Direction;

/// By the host, element by element or by rows of them.
///
/// # Safety
/// All elements of both sides are memory that may be used so.
pub(super) unsafe fn move_on_host(plan: &StridedCopy, dst: u64, src: u64) {
    let result: Result<(), std::convert::Infallible> = plan.each(plan.dims.len(), &mut |d, s| {
        let (to, from) = (at(dst, d) as *mut u8, at(src, s) as *const u8);
        // SAFETY: an element or a row of them, by the contract.
        unsafe { std::ptr::copy(from, to, plan.width) };
        Ok(())
    });
    let Ok(()) = result;
}

/// Each piece as rows.
///
/// # Safety
/// As for [`super::copy_strided`], until the stream was waited for.
pub(super) unsafe fn pieces_of(
    device: &dyn Device,
    way: Direction,
    plan: &StridedCopy,
    dst: u64,
    src: u64,
    stream: StreamId,
) -> Result<(), DeviceError> {
    let (rows, outer) = plan.rows();
    let result = plan.each(outer, &mut |d, s| {
        // SAFETY: by the contract.
        unsafe { device.copy_rows(way, at(dst, d), at(src, s), &rows, stream) }
    });
    if result.is_err() && way != Direction::DeviceToDevice {
        // What was queued before still uses the host's memory.
        let _ = device.synchronize(stream);
    }
    result
}

/// The host's side through a buffer without gaps; waited for.
///
/// # Safety
/// As for [`super::copy_strided`].
pub(super) unsafe fn through_the_host(
    device: &dyn Device,
    way: Direction,
    plan: &StridedCopy,
    dst: u64,
    src: u64,
    stream: StreamId,
) -> Result<(), DeviceError> {
    let bytes = plan.bytes().ok_or_else(too_large)?;
    let mut buffer: Vec<u8> = Vec::new();
    buffer
        .try_reserve_exact(bytes)
        .map_err(|_| DeviceError::Invalid {
            operation: format!("pack {bytes} bytes on the host"),
            problem: "there is no memory left".to_string(),
        })?;
    buffer.resize(bytes, 0);
    let place = buffer.as_mut_ptr() as u64;
    // SAFETY: the buffer has room for all, and lives until the stream was waited for.
    unsafe {
        if way == Direction::HostToDevice {
            move_on_host(&plan.packed(true), place, src);
            let queued = pieces_of(
                device,
                way,
                &replanned(&plan.packed(false))?,
                dst,
                place,
                stream,
            );
            let waited = device.synchronize(stream);
            return queued.and(waited);
        }
        let queued = pieces_of(
            device,
            way,
            &replanned(&plan.packed(true))?,
            place,
            src,
            stream,
        );
        let waited = device.synchronize(stream);
        queued.and(waited)?;
        move_on_host(&plan.packed(false), dst, place);
    }
    Ok(())
}

/// Sides of one device that overlap, through more memory of it.
///
/// # Safety
/// As for [`super::copy_strided`].
pub(super) unsafe fn through_the_device(
    device: &dyn Device,
    plan: &StridedCopy,
    dst: u64,
    src: u64,
    stream: StreamId,
) -> Result<(), DeviceError> {
    let way = Direction::DeviceToDevice;
    let bytes = plan.bytes().ok_or_else(too_large)?;
    let place = device.alloc(bytes)?;
    // SAFETY: both sides are on the device.
    let copied = unsafe {
        replanned(&plan.packed(true))
            .and_then(|p| pieces_of(device, way, &p, place.0, src, stream))
            .and_then(|()| replanned(&plan.packed(false)))
            .and_then(|p| pieces_of(device, way, &p, dst, place.0, stream))
    };
    let freed = device.free(place);
    copied.and(freed)
}
