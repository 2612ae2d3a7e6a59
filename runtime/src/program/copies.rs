//! Copies that the native code of a region asks for: of bytes, and of boxes of arrays.

use super::abi;
use super::region::{FAILED, OK, Running, with};
use super::report::Copied;
use crate::device::{Device, DeviceError, DevicePtr, strided};
use crate::profile::Direction;

/// Where a copy goes whose `kind` is 0 from host to device, 1 from device to host, 2 on
/// the device, 3 where the addresses must tell; none where neither is on the device.
fn direction(r: &Running, kind: u32, dst: u64, src: u64) -> Option<Direction> {
    let on_device = |a| r.runtime.state().blocks.contains(a);
    match kind {
        0 => Some(Direction::HostToDevice),
        1 => Some(Direction::DeviceToHost),
        3 => match (on_device(dst), on_device(src)) {
            (true, false) => Some(Direction::HostToDevice),
            (false, true) => Some(Direction::DeviceToHost),
            (true, true) => Some(Direction::DeviceToDevice),
            (false, false) => None,
        },
        _ => Some(Direction::DeviceToDevice),
    }
}

/// Queues a copy by `f`, notes it, and waits where the host's memory is one side.
fn copying(
    r: &Running,
    direction: Direction,
    bytes: u64,
    f: impl FnOnce(&dyn Device) -> Result<(), DeviceError>,
) -> Result<i32, String> {
    let (device, report) = (&*r.runtime.device, &r.runtime.report);
    let what = Copied {
        direction,
        name: "(of the region)",
        place: &r.place,
        bytes,
    };
    let order = r.mark();
    let begun = report.begin_copy(device, r.stream, Some(order), &what);
    let queued = f(device);
    r.told(order);
    if let Err(e) = queued {
        report.refused(begun);
        return Err(r.say(e));
    }
    report.copied(device, begun, &what);
    if direction != Direction::DeviceToDevice {
        let ticket = r.runtime.state().queues.told(r.stream);
        device.synchronize(r.stream).map_err(|e| r.say(e))?;
        r.runtime.state().queues.done(ticket);
    }
    Ok(OK)
}

/// Copies `n` bytes.
///
/// # Safety
/// The addresses have this many bytes; `direction` says which of them is the host's.
unsafe fn copy_bytes(
    r: &Running,
    direction: Option<Direction>,
    dst: u64,
    src: u64,
    n: usize,
) -> Result<i32, String> {
    let Some(direction) = direction else {
        // SAFETY: by the contract; both are memory of the program.
        unsafe { std::ptr::copy(src as *const u8, dst as *mut u8, n) };
        return Ok(OK);
    };
    let (to, from) = (DevicePtr(dst), DevicePtr(src));
    copying(r, direction, n as u64, |device| match direction {
        // SAFETY: by the contract; it is waited for.
        Direction::HostToDevice => unsafe {
            device.copy_h2d_async(to, src as *const u8, n, r.stream)
        },
        // SAFETY: as above.
        Direction::DeviceToHost => unsafe {
            device.copy_d2h_async(dst as *mut u8, from, n, r.stream)
        },
        Direction::DeviceToDevice => device.copy_d2d(to, from, n, r.stream),
    })
}

/// Copies; `kind` is 0 from host to device, 1 from device to host, 2 on the device, 3
/// where the addresses must tell. Waits where the host's memory is one side.
///
/// # Safety
/// The addresses have this many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_gpu_copy(
    dst: u64,
    src: u64,
    bytes: u64,
    kind: u32,
    _op: u32,
) -> i32 {
    with(FAILED, |r| {
        let n = abi::size(bytes);
        if n == 0 {
            return Ok(OK);
        }
        // SAFETY: by the contract.
        unsafe { copy_bytes(r, direction(r, kind, dst, src), dst, src, n) }
    })
}

/// As [`terrace_gpu_copy`], of elements of `size` bytes with gaps between them: `words`
/// are `rank` sizes, and as many strides of either side, in elements. Without gaps on
/// either side it is that copy.
///
/// # Safety
/// Called by compiled code with addresses whose elements are there, and its own words.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_gpu_copy_strided(
    dst: u64,
    src: u64,
    size: u32,
    rank: u32,
    words: *const i64,
    kind: u32,
    _op: u32,
) -> i32 {
    with(FAILED, |r| {
        let rank = rank as usize;
        let words = match rank {
            0 => &[],
            // SAFETY: by the contract.
            _ => unsafe { std::slice::from_raw_parts(words, 3 * rank) },
        };
        let (sizes, strides) = words.split_at(rank);
        let (to, from) = strides.split_at(rank);
        let size = size as usize;
        let dims = strided::dims_of(size, sizes, to, from).map_err(|e| r.say(e))?;
        let bytes = strided::bytes_of(size, &dims).map_err(|e| r.say(e))? as u64;
        if bytes == 0 {
            return Ok(OK);
        }
        let direction = direction(r, kind, dst, src);
        if let Some(n) = strided::without_gaps(size, &dims).map_err(|e| r.say(e))? {
            // SAFETY: by the contract.
            return unsafe { copy_bytes(r, direction, dst, src, n) };
        }
        let Some(direction) = direction else {
            // SAFETY: neither address is on the device, so both are memory of the program.
            unsafe { strided::copy_on_host(dst as *mut u8, src as *const u8, size, &dims) }
                .map_err(|e| r.say(e))?;
            return Ok(OK);
        };
        copying(r, direction, bytes, |device| {
            // SAFETY: by the contract; it is waited for.
            unsafe { strided::queue_strided(device, direction, (dst, src), size, &dims, r.stream) }
        })
    })
}
