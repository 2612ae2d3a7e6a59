//! Copies between host and device, whole and of boxes, as compiled host code asks for them.

use super::{FAILED, OK, Session, Timed, text, with};
use crate::runtime::device::{Device, DeviceError, DevicePtr, StreamId, strided};
use crate::runtime::profile::{Direction, Event};
use crate::runtime::program::report::Copied;
use std::time::Instant;

/// The functions for the JIT's symbol table.
pub fn imports() -> Vec<(&'static str, *const u8)> {
    vec![
        ("terrace_gpu_copy", copy as *const u8),
        ("terrace_gpu_copy_strided", copy_strided as *const u8),
    ]
}

/// A copy that does not touch the device.
const HOST_ONLY: u32 = 4;

impl Session {
    /// Makes or queues a copy by `f`, and tells the trace.
    fn traced(
        &self,
        direction: Direction,
        bytes: u64,
        op: u32,
        stream: StreamId,
        f: impl FnOnce(&dyn Device) -> Result<(), DeviceError>,
    ) -> Result<(), String> {
        let place = self.trace.as_ref().map(|t| t.place(op)).unwrap_or_default();
        let what = Copied {
            direction,
            name: "(memory)",
            place: &place,
            bytes,
        };
        let report = self.trace.as_ref().map(|t| t.report);
        let device = &*self.device;
        let begun = report.and_then(|r| r.begin_copy(device, stream, None, &what));
        let done = f(device);
        if let Some(report) = report {
            match done {
                Ok(()) => report.copied(device, begun, &what),
                Err(_) => report.refused(begun),
            }
        }
        done.map_err(text)
    }

    /// Queues a copy by `f`, and notes it.
    fn queueing(
        &mut self,
        direction: Direction,
        bytes: u64,
        op: u32,
        stream: StreamId,
        f: impl FnOnce(&dyn Device) -> Result<(), DeviceError>,
    ) -> Result<(), String> {
        self.traced(direction, bytes, op, stream, f)?;
        self.streams
            .time(Timed::Copy(direction, bytes))
            .map_err(text)
    }

    /// Makes a copy by `f`, which waits for it, and notes it.
    fn copying(
        &mut self,
        direction: Direction,
        bytes: u64,
        op: u32,
        f: impl FnOnce(&dyn Device) -> Result<(), DeviceError>,
    ) -> Result<(), String> {
        let start = Instant::now();
        self.traced(direction, bytes, op, StreamId::MAIN, f)?;
        self.profile.record(Event::Copy {
            direction,
            bytes,
            microseconds: start.elapsed().as_secs_f64() * 1e6,
        });
        Ok(())
    }

    /// Queues a copy of bytes.
    fn copy_async(
        &mut self,
        dst: u64,
        src: u64,
        n: usize,
        kind: u32,
        op: u32,
        stream: StreamId,
    ) -> Result<(), String> {
        let (to, from) = (DevicePtr(dst), DevicePtr(src));
        let direction = match kind {
            0 => Direction::HostToDevice,
            1 => Direction::DeviceToHost,
            HOST_ONLY => {
                // After what the copy comes after.
                self.device.synchronize(stream).map_err(text)?;
                // SAFETY: neither address is on the device, so both are arrays of the
                // program of this many bytes.
                unsafe { std::ptr::copy(src as *const u8, dst as *mut u8, n) };
                return Ok(());
            }
            _ => Direction::DeviceToDevice,
        };
        self.queueing(direction, n as u64, op, stream, |device| match direction {
            // SAFETY: host code passes an array of its own of this many bytes, which it
            // leaves alone until it has waited; so does whoever called it, since the
            // session waits for everything when the program ends.
            Direction::HostToDevice => unsafe {
                device.copy_h2d_async(to, src as *const u8, n, stream)
            },
            // SAFETY: as above.
            Direction::DeviceToHost => unsafe {
                device.copy_d2h_async(dst as *mut u8, from, n, stream)
            },
            Direction::DeviceToDevice => device.copy_d2d(to, from, n, stream),
        })
    }

    /// Copies bytes, or queues that where a stream was chosen.
    fn copy_bytes(
        &mut self,
        dst: u64,
        src: u64,
        n: usize,
        kind: u32,
        op: u32,
    ) -> Result<(), String> {
        if n == 0 {
            return Ok(());
        }
        if let Some(stream) = self.streams.stream() {
            return self.copy_async(dst, src, n, kind, op, stream);
        }
        let direction = match kind {
            0 => Direction::HostToDevice,
            1 => Direction::DeviceToHost,
            HOST_ONLY => {
                // SAFETY: neither address is on the device, so both are arrays of the
                // program of this many bytes.
                unsafe { std::ptr::copy(src as *const u8, dst as *mut u8, n) };
                return Ok(());
            }
            _ => Direction::DeviceToDevice,
        };
        let (to, from) = (DevicePtr(dst), DevicePtr(src));
        self.copying(direction, n as u64, op, |device| match direction {
            Direction::HostToDevice => {
                // SAFETY: host code passes an array of its own of this many bytes.
                let src = unsafe { std::slice::from_raw_parts(src as *const u8, n) };
                device.copy_h2d(to, src)
            }
            Direction::DeviceToHost => {
                // SAFETY: as above, and nothing else uses it during the call.
                let dst = unsafe { std::slice::from_raw_parts_mut(dst as *mut u8, n) };
                device.copy_d2h(dst, from)
            }
            Direction::DeviceToDevice => {
                device.copy_d2d(to, from, n, StreamId::MAIN)?;
                device.synchronize(StreamId::MAIN)
            }
        })
    }

    /// Which way a copy goes, by where its addresses lie.
    fn kind_of(&self, dst: u64, src: u64) -> u32 {
        let on_device = |a: u64| {
            self.live.iter().any(|(start, size)| {
                (*start..start.saturating_add((*size).max(1) as u64)).contains(&a)
            })
        };
        match (on_device(dst), on_device(src)) {
            (true, false) => 0,
            (false, true) => 1,
            (true, true) => 2,
            (false, false) => HOST_ONLY,
        }
    }
}

/// `kind`: 0 host to device, 1 device to host, 2 on the device, 3 not known.
pub extern "C" fn copy(dst: u64, src: u64, bytes: u64, kind: u32, op: u32) -> i32 {
    with(op, FAILED, |s| {
        let n = usize::try_from(bytes).map_err(|_| format!("cannot copy {bytes} bytes"))?;
        let kind = if kind == 3 { s.kind_of(dst, src) } else { kind };
        s.copy_bytes(dst, src, n, kind, op).map(|()| OK)
    })
}

/// As [`copy`], of elements with gaps between them: `words` are `rank` sizes, and as many
/// strides of either side, in elements.
extern "C" fn copy_strided(
    dst: u64,
    src: u64,
    size: u32,
    rank: u32,
    words: *const i64,
    kind: u32,
    op: u32,
) -> i32 {
    with(op, FAILED, |s| {
        let rank = rank as usize;
        let words = match rank {
            0 => &[],
            // SAFETY: host code passes an array of this length on its stack.
            _ => unsafe { std::slice::from_raw_parts(words, 3 * rank) },
        };
        let (sizes, strides) = words.split_at(rank);
        let (to, from) = strides.split_at(rank);
        let size = size as usize;
        let dims = strided::dims_of(size, sizes, to, from).map_err(text)?;
        let bytes = strided::bytes_of(size, &dims).map_err(text)? as u64;
        if bytes == 0 {
            return Ok(OK);
        }
        let kind = if kind == 3 { s.kind_of(dst, src) } else { kind };
        if let Some(n) = strided::without_gaps(size, &dims).map_err(text)? {
            return s.copy_bytes(dst, src, n, kind, op).map(|()| OK);
        }
        let asynchronous = s.streams.stream();
        if kind == HOST_ONLY {
            if let Some(stream) = asynchronous {
                // After what the copy comes after.
                s.device.synchronize(stream).map_err(text)?;
            }
            // SAFETY: neither address is on the device, so both are arrays of the program.
            unsafe { strided::copy_on_host(dst as *mut u8, src as *const u8, size, &dims) }
                .map_err(text)?;
            return Ok(OK);
        }
        let direction = match kind {
            0 => Direction::HostToDevice,
            1 => Direction::DeviceToHost,
            _ => Direction::DeviceToDevice,
        };
        if let Some(stream) = asynchronous {
            return s
                .queueing(direction, bytes, op, stream, |device| {
                    // SAFETY: the host's side is an array of the program, which it leaves
                    // alone until it has waited.
                    unsafe {
                        strided::queue_strided(device, direction, (dst, src), size, &dims, stream)
                    }
                })
                .map(|()| OK);
        }
        let stream = StreamId::MAIN;
        s.copying(direction, bytes, op, |device| {
            // SAFETY: the host's side is an array of the program, which waits.
            unsafe {
                strided::copy_strided(device, direction, (dst, src), size, &dims, stream)?;
            }
            match direction {
                Direction::DeviceToDevice => device.synchronize(stream),
                _ => Ok(()),
            }
        })?;
        Ok(OK)
    })
}
