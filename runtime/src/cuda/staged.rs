//! Staged copies on an NVIDIA device: the ring, and what it asks of the driver.

use std::ffi::{c_uint, c_void};
use std::ptr::NonNull;
use std::sync::TryLockError;

use cudarc::driver::sys;

use super::link::Link;
use super::outbox::{MIN_APART, Shape};
use super::{CudaDevice, lock};
use crate::device::{Device, DeviceError, DevicePtr, Rows};
use crate::profile::Direction;
use crate::staging::{CHUNK, MIN, Ring, Transport, WORTH, wanted};

/// Whether copies are staged, and with what.
pub(super) enum Stage {
    /// Not before so many bytes more could have been.
    Later(usize),
    Ready(Staged),
    Never,
}

/// Whether copies to the host go on by themselves ([`outbox`](super::outbox)).
#[derive(Clone, Copy)]
pub(super) enum Apart {
    /// Not before so many bytes more could have.
    Later(usize),
    Ready,
    Never,
}

impl Apart {
    /// Where copies are staged.
    pub fn of(stage: &Stage) -> Apart {
        match stage {
            Stage::Never => Apart::Never,
            Stage::Later(rest) => Apart::Later(*rest),
            Stage::Ready(_) => Apart::Later(WORTH),
        }
    }
}

impl Stage {
    /// As `TERRACE_STAGING` says.
    ///
    /// # Errors
    /// A value that is none.
    pub fn from_environment() -> Result<Stage, String> {
        let setting = std::env::var_os("TERRACE_STAGING");
        let setting = setting.as_ref().map(|s| s.to_string_lossy());
        Ok(match wanted(setting.as_deref())? {
            true => Stage::Later(WORTH),
            false => Stage::Never,
        })
    }
}

/// The ring with its memory and an event for each slot.
pub(super) struct Staged {
    ring: Ring,
    memory: NonNull<u8>,
    events: Vec<sys::CUevent>,
}

// SAFETY: the memory and the events are used through the ring, which one copy at a time
// does; the driver's functions may be called from any thread.
unsafe impl Send for Staged {}

impl Staged {
    /// Copies to the host.
    ///
    /// # Safety
    /// As [`Ring::copy_out`] and [`Ring::copy_rows_out`].
    pub unsafe fn copy_out(
        &mut self,
        link: &Link,
        (host, from): (*mut u8, DevicePtr),
        shape: &Shape,
        stream: sys::CUstream,
    ) -> Result<(), DeviceError> {
        let lane = Lane {
            link,
            stream,
            events: &self.events,
        };
        // SAFETY: by the contract.
        unsafe {
            match shape {
                Shape::Bytes(bytes) => self.ring.copy_out(&lane, host, from, *bytes),
                Shape::Rows(rows) => self.ring.copy_rows_out(&lane, host, from, rows),
            }
        }
    }
}

/// One copy on a stream.
pub(super) struct Lane<'a> {
    link: &'a Link,
    stream: sys::CUstream,
    events: &'a [sys::CUevent],
}

// SAFETY: workers use different events, and the driver's functions may be called from
// any thread.
unsafe impl Sync for Lane<'_> {}

impl Transport for Lane<'_> {
    unsafe fn to_device(
        &self,
        to: DevicePtr,
        from: *const u8,
        bytes: usize,
    ) -> Result<(), DeviceError> {
        let driver = self.link.enter()?;
        // SAFETY: the destination was checked, the caller promises the source.
        let code = unsafe { (driver.memcpy_h2d_async)(to.0, from.cast(), bytes, self.stream) };
        self.link
            .check_wait(code, || format!("copy {bytes} bytes to the device"))
    }

    unsafe fn to_host(
        &self,
        to: *mut u8,
        from: DevicePtr,
        bytes: usize,
    ) -> Result<(), DeviceError> {
        let driver = self.link.enter()?;
        // SAFETY: the source was checked, the caller promises the destination.
        let code = unsafe { (driver.memcpy_d2h_async)(to.cast(), from.0, bytes, self.stream) };
        self.link
            .check_wait(code, || format!("copy {bytes} bytes from the device"))
    }

    unsafe fn rows_to_device(
        &self,
        to: DevicePtr,
        from: *const u8,
        rows: &Rows,
    ) -> Result<(), DeviceError> {
        let way = Direction::HostToDevice;
        // SAFETY: the destination was checked, the caller promises the source.
        unsafe {
            self.link
                .rows_by_driver(way, to.0, from as u64, rows, self.stream)
        }
    }

    unsafe fn rows_to_host(
        &self,
        to: *mut u8,
        from: DevicePtr,
        rows: &Rows,
    ) -> Result<(), DeviceError> {
        let way = Direction::DeviceToHost;
        // SAFETY: the source was checked, the caller promises the destination.
        unsafe {
            self.link
                .rows_by_driver(way, to as u64, from.0, rows, self.stream)
        }
    }

    fn mark(&self, slot: usize) -> Result<(), DeviceError> {
        // SAFETY: a live event and a live stream of this device.
        let code = unsafe { (self.link.driver.event_record)(self.events[slot], self.stream) };
        self.link.check_wait(code, || "record an event".to_string())
    }

    fn wait(&self, slot: usize) -> Result<(), DeviceError> {
        let driver = self.link.enter()?;
        // SAFETY: a live event of this device.
        let code = unsafe { (driver.event_synchronize)(self.events[slot]) };
        self.link.check_wait(code, || "wait for a copy".to_string())
    }
}

impl CudaDevice {
    /// Turns staging of copies of pageable memory on or off, for comparisons; it is on
    /// unless `TERRACE_STAGING=0`.
    pub fn set_staging(&self, on: bool) {
        let new = match on {
            true => Stage::Later(0),
            false => Stage::Never,
        };
        *lock(&self.apart) = Apart::of(&new);
        let old = std::mem::replace(&mut *lock(&self.stage), new);
        let apart = self.outbox.stop();
        if self.enter().is_ok() {
            self.release(old);
            self.release(apart.map_or(Stage::Never, Stage::Ready));
        }
    }

    /// Leaves a copy of pageable memory to the host to the device's own thread; none if
    /// that is not worth it, or the stream is the main one, which callers wait for at once.
    ///
    /// # Safety
    /// Both sides have the bytes, and nobody uses the host's until the stream was waited
    /// for. The device is this thread's.
    pub(super) unsafe fn apart(
        &self,
        from: DevicePtr,
        host: *mut u8,
        (shape, bytes): (Shape, usize),
        stream: sys::CUstream,
    ) -> Option<Result<(), DeviceError>> {
        if bytes < MIN_APART || stream == self.main_stream || self.is_pinned(host) {
            return None;
        }
        let mut apart = lock(&self.apart);
        if let Apart::Later(rest) = &mut *apart {
            *rest = rest.saturating_sub(bytes);
            if *rest > 0 {
                return None;
            }
            *apart = match self.make().map(|s| self.outbox.start(s)) {
                Some(Ok(())) => Apart::Ready,
                Some(Err(staged)) => {
                    self.release(Stage::Ready(staged));
                    Apart::Never
                }
                None => Apart::Never,
            };
        }
        let Apart::Ready = *apart else {
            return None;
        };
        // SAFETY: by the contract.
        Some(unsafe { self.outbox.copy(host, from, shape, stream) })
    }

    /// Copies through the ring if that is worth it: a large copy of memory that is not
    /// pinned, and nobody else uses the ring. None if it is not.
    ///
    /// # Safety
    /// The addresses have so many bytes, and the host's are not used otherwise until the
    /// stream was waited for. The device is this thread's.
    pub(super) unsafe fn staged(
        &self,
        direction: Direction,
        device: DevicePtr,
        host: *mut u8,
        bytes: usize,
        stream: sys::CUstream,
    ) -> Option<Result<(), DeviceError>> {
        if bytes < MIN || self.is_pinned(host) {
            return None;
        }
        let mut stage = match self.stage.try_lock() {
            Ok(stage) => stage,
            Err(TryLockError::Poisoned(p)) => p.into_inner(),
            // Another thread's copy: the driver has a ring of its own.
            Err(TryLockError::WouldBlock) => return None,
        };
        let (ring, lane) = self.ring(&mut stage, bytes, stream)?;
        // SAFETY: by the contract.
        Some(unsafe {
            match direction {
                Direction::DeviceToHost => ring.copy_out(&lane, host, device, bytes),
                _ => ring.copy_in(&lane, device, host, bytes),
            }
        })
    }

    /// The ring for a copy of so many bytes on a stream, made if it is worth it by now.
    pub(super) fn ring<'a>(
        &'a self,
        stage: &'a mut Stage,
        bytes: usize,
        stream: sys::CUstream,
    ) -> Option<(&'a mut Ring, Lane<'a>)> {
        if let Stage::Later(rest) = stage {
            *rest = rest.saturating_sub(bytes);
            if *rest > 0 {
                return None;
            }
            *stage = self.make().map_or(Stage::Never, Stage::Ready);
        }
        let Stage::Ready(staged) = stage else {
            return None;
        };
        let lane = Lane {
            link: &self.link,
            stream,
            events: &staged.events,
        };
        Some((&mut staged.ring, lane))
    }

    /// Whether the driver knows a host address, which it then can copy from by itself.
    pub(super) fn is_pinned(&self, host: *mut u8) -> bool {
        let attribute = sys::CUpointer_attribute_enum::CU_POINTER_ATTRIBUTE_MEMORY_TYPE as u32;
        let mut kind: c_uint = 0;
        // SAFETY: the driver stores one number, if the address is one that it knows.
        let code = unsafe {
            (self.driver.pointer_get_attribute)(
                (&raw mut kind).cast::<c_void>(),
                attribute,
                host as u64,
            )
        };
        // Of memory that it knows nothing of it says 0, or that the address is no value.
        code == 0 && kind != 0
    }

    /// Memory, events and threads; none if the driver has not enough of something.
    fn make(&self) -> Option<Staged> {
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        let workers = Ring::workers_for(cores);
        let slots = Ring::slots_for(workers);
        let memory = self.alloc_host(slots * CHUNK).ok()?;
        let mut events = Vec::with_capacity(slots);
        for _ in 0..slots {
            let mut event: sys::CUevent = std::ptr::null_mut();
            let flags = sys::CUevent_flags_enum::CU_EVENT_DISABLE_TIMING as c_uint;
            // SAFETY: the driver stores one event.
            let code = unsafe { (self.driver.event_create)(&mut event, flags) };
            if code != 0 {
                self.give_back(memory, events);
                return None;
            }
            events.push(event);
        }
        Some(Staged {
            // SAFETY: as large as is said, and freed only after the ring.
            ring: unsafe { Ring::new(memory, CHUNK, workers) },
            memory,
            events,
        })
    }

    /// Gives all of it back. The device is this thread's.
    pub(super) fn release(&self, stage: Stage) {
        if let Stage::Ready(Staged {
            ring,
            memory,
            events,
        }) = stage
        {
            drop(ring);
            self.give_back(memory, events);
        }
    }

    fn give_back(&self, memory: NonNull<u8>, events: Vec<sys::CUevent>) {
        // SAFETY: ours, destroyed once; what is queued is done first. After a fault all
        // of these fail, and the driver frees everything when the process ends.
        unsafe {
            (self.driver.ctx_synchronize)();
            for event in events {
                (self.driver.event_destroy)(event);
            }
            (self.driver.mem_free_host)(memory.as_ptr().cast());
        }
    }
}
