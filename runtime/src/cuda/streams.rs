//! Streams and events of an NVIDIA device.

use cudarc::driver::sys;

use super::{CudaDevice, lock};
use crate::device::{DeviceError, EventId, Handles, StreamId};

impl CudaDevice {
    /// [`Device::create_stream`](crate::device::Device::create_stream).
    pub(super) fn make_stream(&self) -> Result<StreamId, DeviceError> {
        let stream = self.new_stream()?;
        let mut handles = lock(&self.handles);
        let id = handles.fresh();
        handles.streams.insert(id, stream);
        Ok(StreamId(id))
    }

    /// [`Device::adopt_stream`](crate::device::Device::adopt_stream).
    pub(super) fn take_stream(&self, raw: sys::CUstream) -> StreamId {
        let mut handles = lock(&self.handles);
        let id = handles.fresh();
        handles.streams.insert(id, raw);
        handles.adopted.insert(id);
        StreamId(id)
    }

    /// [`Device::handles`](crate::device::Device::handles).
    pub(super) fn own_handles(&self, stream: StreamId) -> Result<Handles, DeviceError> {
        Ok(Handles {
            device: (&raw const self.device).cast_mut().cast(),
            context: self.link.context.cast(),
            stream: self.stream(stream)?.cast(),
        })
    }

    /// [`Device::destroy_stream`](crate::device::Device::destroy_stream).
    pub(super) fn end_stream(&self, stream: StreamId) -> Result<(), DeviceError> {
        let driver = self.enter()?;
        let (removed, adopted) = {
            let mut handles = lock(&self.handles);
            let removed = handles.streams.remove(&stream.0);
            (removed, handles.adopted.remove(&stream.0))
        };
        let Some(raw) = removed else {
            return Err(DeviceError::BadHandle {
                what: "stream",
                id: stream.0,
            });
        };
        // It is destroyed also where the list has failed, which is told behind that.
        let settled = self.outbox.settle_stream(raw);
        // SAFETY: the stream is out of the table, so it is destroyed once; one that the program
        // made is its own.
        let (waited, destroyed) = unsafe {
            let waited = (driver.stream_synchronize)(raw);
            let destroyed = match adopted {
                true => waited,
                false => (driver.stream_destroy)(raw),
            };
            (waited, destroyed)
        };
        self.check_wait(waited, || "finish a stream".to_string())?;
        driver.check(destroyed, || "destroy a stream".to_string())?;
        settled
    }

    /// [`Device::is_idle`](crate::device::Device::is_idle).
    pub(super) fn idle(&self, stream: StreamId) -> Result<bool, DeviceError> {
        let driver = self.enter()?;
        let raw = self.stream(stream)?;
        if self.outbox.has(raw)? {
            return Ok(false);
        }
        // SAFETY: a live stream of this device.
        let code = unsafe { (driver.stream_query)(raw) };
        if code == sys::CUresult::CUDA_ERROR_NOT_READY as u32 {
            return Ok(false);
        }
        self.check_wait(code, || "ask whether the device is done".to_string())?;
        Ok(true)
    }

    /// [`Device::create_event`](crate::device::Device::create_event).
    pub(super) fn make_event(&self) -> Result<EventId, DeviceError> {
        let driver = self.enter()?;
        let mut event: sys::CUevent = std::ptr::null_mut();
        // SAFETY: the driver stores one event.
        let code = unsafe { (driver.event_create)(&mut event, 0) };
        driver.check(code, || "create an event".to_string())?;
        let mut handles = lock(&self.handles);
        let id = handles.fresh();
        handles.events.insert(id, event);
        Ok(EventId(id))
    }

    /// [`Device::destroy_event`](crate::device::Device::destroy_event).
    pub(super) fn end_event(&self, event: EventId) -> Result<(), DeviceError> {
        let driver = self.enter()?;
        let removed = lock(&self.handles).events.remove(&event.0);
        let Some(raw) = removed else {
            return Err(DeviceError::BadHandle {
                what: "event",
                id: event.0,
            });
        };
        let settled = self.outbox.settle_all();
        // SAFETY: the event is out of the table, so it is destroyed once.
        let code = unsafe { (driver.event_destroy)(raw) };
        driver.check(code, || "destroy an event".to_string())?;
        settled
    }

    /// [`Device::record_event`](crate::device::Device::record_event).
    pub(super) fn record(&self, event: EventId, stream: StreamId) -> Result<(), DeviceError> {
        let driver = self.enter()?;
        let (raw, stream) = (self.event(event)?, self.stream(stream)?);
        if self.outbox.record(raw, stream)? {
            return Ok(());
        }
        // SAFETY: a live event and a live stream of this device.
        let code = unsafe { (driver.event_record)(raw, stream) };
        self.check_wait(code, || "record an event".to_string())
    }

    /// [`Device::wait_event`](crate::device::Device::wait_event).
    pub(super) fn wait(&self, stream: StreamId, event: EventId) -> Result<(), DeviceError> {
        let driver = self.enter()?;
        let (raw, stream) = (self.event(event)?, self.stream(stream)?);
        if self.outbox.wait(raw, stream)? {
            return Ok(());
        }
        // SAFETY: a live event and a live stream of this device.
        let code = unsafe { (driver.stream_wait_event)(stream, raw, 0) };
        self.check_wait(code, || "wait for an event".to_string())
    }

    /// [`Device::elapsed_us`](crate::device::Device::elapsed_us).
    pub(super) fn elapsed(&self, start: EventId, end: EventId) -> Result<f64, DeviceError> {
        let driver = self.enter()?;
        let (first, last) = (self.event(start)?, self.event(end)?);
        self.outbox.settle_event(first)?;
        self.outbox.settle_event(last)?;
        let mut milliseconds = 0f32;
        // SAFETY: live events of this device; the driver stores one float.
        let (waited, code) = unsafe {
            let waited = (driver.event_synchronize)(last);
            (
                waited,
                (driver.event_elapsed_time)(&mut milliseconds, first, last),
            )
        };
        self.check_wait(waited, || "wait for an event".to_string())?;
        driver.check(code, || {
            "take the time between two events (were both recorded?)".to_string()
        })?;
        Ok(f64::from(milliseconds) * 1e3)
    }

    pub(super) fn event(&self, id: EventId) -> Result<sys::CUevent, DeviceError> {
        let handles = lock(&self.handles);
        handles
            .events
            .get(&id.0)
            .copied()
            .ok_or(DeviceError::BadHandle {
                what: "event",
                id: id.0,
            })
    }
}
