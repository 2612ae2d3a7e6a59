//! Streams and events: one of each device.

use super::Several;
use crate::device::{DeviceError, EventId, StreamId};

/// A stream of each device.
pub(super) struct Lane {
    pub(super) streams: Vec<StreamId>,
    /// The device that it worked on last.
    pub(super) last: Option<usize>,
}

/// An event of each device.
#[derive(Clone)]
pub(super) struct Event {
    pub(super) events: Vec<EventId>,
    /// The device that its stream had worked on when it was recorded.
    pub(super) at: Option<usize>,
}

impl Several {
    /// Makes `index` the device that a stream works on, behind its work on others; the
    /// device's stream.
    pub(super) fn turn(&self, stream: StreamId, index: usize) -> Result<StreamId, DeviceError> {
        let mut state = self.state();
        let lane = state
            .streams
            .get_mut(&stream.0)
            .ok_or_else(|| bad_stream(stream))?;
        if let Some(before) = lane.last.filter(|l| *l != index) {
            self.device(before).synchronize(lane.streams[before])?;
        }
        lane.last = Some(index);
        Ok(lane.streams[index])
    }

    pub(super) fn lane(&self, stream: StreamId) -> Result<Vec<StreamId>, DeviceError> {
        let state = self.state();
        let lane = state
            .streams
            .get(&stream.0)
            .ok_or_else(|| bad_stream(stream))?;
        Ok(lane.streams.clone())
    }

    pub(super) fn event(&self, event: EventId) -> Result<Event, DeviceError> {
        let found = self.state().events.get(&event.0).cloned();
        found.ok_or_else(|| bad_event(event))
    }

    /// [`Device::create_stream`](crate::device::Device::create_stream).
    pub(super) fn make_stream(&self) -> Result<StreamId, DeviceError> {
        let streams = self.devices.iter().map(|(_, d)| d.create_stream());
        let streams = streams.collect::<Result<Vec<_>, _>>()?;
        let mut state = self.state();
        let id = state.fresh();
        let lane = Lane {
            streams,
            last: None,
        };
        state.streams.insert(id, lane);
        Ok(StreamId(id))
    }

    /// [`Device::destroy_stream`](crate::device::Device::destroy_stream).
    pub(super) fn end_stream(&self, stream: StreamId) -> Result<(), DeviceError> {
        let main = stream == StreamId::MAIN;
        let removed = match main {
            true => None,
            false => self.state().streams.remove(&stream.0),
        };
        let lane = removed.ok_or_else(|| bad_stream(stream))?;
        let all = lane.streams.iter().zip(&self.devices);
        // All are destroyed, whatever the first says.
        let results: Vec<_> = all.map(|(s, (_, d))| d.destroy_stream(*s)).collect();
        results.into_iter().collect()
    }

    /// [`Device::create_event`](crate::device::Device::create_event).
    pub(super) fn make_event(&self) -> Result<EventId, DeviceError> {
        let events = self.devices.iter().map(|(_, d)| d.create_event());
        let events = events.collect::<Result<Vec<_>, _>>()?;
        let mut state = self.state();
        let id = state.fresh();
        state.events.insert(id, Event { events, at: None });
        Ok(EventId(id))
    }

    /// [`Device::destroy_event`](crate::device::Device::destroy_event).
    pub(super) fn end_event(&self, event: EventId) -> Result<(), DeviceError> {
        let removed = self.state().events.remove(&event.0);
        let removed = removed.ok_or_else(|| bad_event(event))?;
        let all = removed.events.iter().zip(&self.devices);
        // As of a stream.
        let results: Vec<_> = all.map(|(e, (_, d))| d.destroy_event(*e)).collect();
        results.into_iter().collect()
    }

    /// [`Device::record_event`](crate::device::Device::record_event).
    pub(super) fn record(&self, event: EventId, stream: StreamId) -> Result<(), DeviceError> {
        let found = self.event(event)?;
        let lane = self.lane(stream)?;
        // On each device, so that times can be taken on whichever works next.
        for (i, (_, device)) in self.devices.iter().enumerate() {
            device.record_event(found.events[i], lane[i])?;
        }
        let mut state = self.state();
        let at = state.streams.get(&stream.0).and_then(|l| l.last);
        if let Some(event) = state.events.get_mut(&event.0) {
            event.at = Some(at.unwrap_or(0));
        }
        Ok(())
    }

    /// [`Device::wait_event`](crate::device::Device::wait_event).
    pub(super) fn wait(&self, stream: StreamId, event: EventId) -> Result<(), DeviceError> {
        let found = self.event(event)?;
        let mut state = self.state();
        let lane = state
            .streams
            .get_mut(&stream.0)
            .ok_or_else(|| bad_stream(stream))?;
        // One that was never recorded is nothing to wait for.
        let Some(at) = found.at else {
            return Ok(());
        };
        if lane.last.is_some_and(|l| l != at) {
            // The devices do not know each other's events.
            return self.device(at).synchronize_event(found.events[at]);
        }
        lane.last = Some(at);
        self.device(at)
            .wait_event(lane.streams[at], found.events[at])
    }
}

fn bad_stream(stream: StreamId) -> DeviceError {
    DeviceError::BadHandle {
        what: "stream",
        id: stream.0,
    }
}

fn bad_event(event: EventId) -> DeviceError {
    DeviceError::BadHandle {
        what: "event",
        id: event.0,
    }
}
