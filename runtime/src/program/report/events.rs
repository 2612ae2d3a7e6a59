//! Events of a device, used again and again, and the host's clock beside the device's.
//!
//! Spans of the device are laid on the host's clock by an *anchor*: an event on a stream of
//! its own, where nothing keeps it waiting, whose host time is known to a few microseconds.
//! The driver gives times between events as 32-bit floats of milliseconds, which after some
//! seconds no longer tell microseconds, so there is a new anchor now and then.

use std::sync::OnceLock;
use std::time::Instant;

use crate::device::{Device, EventId, StreamId};

/// An anchor serves for so many microseconds.
const ANCHOR_AGE: f64 = 4e6;

/// Microseconds of the host's clock since the first call.
pub(crate) fn host_us() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64() * 1e6
}

/// An event of the pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Event(usize);

#[derive(Debug)]
struct Slot {
    id: EventId,
    /// Who still needs it.
    users: u32,
    /// When it was, on the host's clock by an anchor, once that is known.
    at: Option<(usize, f64)>,
}

#[derive(Debug, Clone, Copy)]
struct Anchor {
    event: EventId,
    /// On the host's clock.
    at: f64,
    /// What was begun with it and is still out.
    users: u32,
}

/// The events of one device.
#[derive(Debug, Default)]
pub(super) struct Events {
    slots: Vec<Slot>,
    spare: Vec<usize>,
    /// The anchor in use is the one at the index.
    anchors: [Option<Anchor>; 2],
    anchor: usize,
    anchor_stream: Option<StreamId>,
}

impl Events {
    /// A new point on a stream, with one user.
    pub fn record(&mut self, device: &dyn Device, stream: StreamId) -> Option<Event> {
        let i = match self.spare.pop() {
            Some(i) => i,
            None => {
                let id = device.create_event().ok()?;
                self.slots.push(Slot {
                    id,
                    users: 0,
                    at: None,
                });
                self.slots.len() - 1
            }
        };
        let slot = &mut self.slots[i];
        match device.record_event(slot.id, stream) {
            Ok(()) => {
                (slot.users, slot.at) = (1, None);
                Some(Event(i))
            }
            Err(_) => {
                self.spare.push(i);
                None
            }
        }
    }

    /// One more user.
    pub fn share(&mut self, event: Event) -> Event {
        self.slots[event.0].users += 1;
        event
    }

    /// One user less.
    pub fn release(&mut self, event: Event) {
        let slot = &mut self.slots[event.0];
        slot.users = slot.users.saturating_sub(1);
        if slot.users == 0 {
            self.spare.push(event.0);
        }
    }

    /// Waits for `end`; the microseconds between.
    pub fn elapsed(&self, device: &dyn Device, start: Event, end: Event) -> Option<f64> {
        let id = |e: Event| self.slots[e.0].id;
        device.elapsed_us(id(start), id(end)).ok()
    }

    /// When it was on the host's clock, by this anchor.
    pub fn at(&self, device: &dyn Device, event: Event, anchor: usize) -> Option<f64> {
        if let Some((by, at)) = self.slots[event.0].at
            && by == anchor
        {
            return Some(at);
        }
        let a = self.anchors.get(anchor).copied().flatten()?;
        let since = device.elapsed_us(a.event, self.slots[event.0].id).ok()?;
        Some(a.at + since)
    }

    /// Notes when it was, by this anchor.
    pub fn was_at(&mut self, event: Event, anchor: usize, at: f64) {
        self.slots[event.0].at = Some((anchor, at));
    }

    /// The anchor for what begins now, which has one user more; a new one if there is none,
    /// or the one in use is old and the other not needed any more.
    pub fn anchor(&mut self, device: &dyn Device, now: f64) -> usize {
        self.renew_anchor(device, now);
        if let Some(a) = &mut self.anchors[self.anchor] {
            a.users += 1;
        }
        self.anchor
    }

    /// What began with this anchor is done with.
    pub fn release_anchor(&mut self, anchor: usize) {
        if let Some(Some(a)) = self.anchors.get_mut(anchor) {
            a.users = a.users.saturating_sub(1);
        }
    }

    fn renew_anchor(&mut self, device: &dyn Device, now: f64) {
        let other = 1 - self.anchor;
        let at = match self.anchors[self.anchor] {
            None => self.anchor,
            Some(a) if now - a.at < ANCHOR_AGE => return,
            Some(_) if self.anchors[other].is_some_and(|a| a.users > 0) => return,
            Some(_) => other,
        };
        let Some(stream) = self.anchor_stream.or_else(|| device.create_stream().ok()) else {
            return;
        };
        self.anchor_stream = Some(stream);
        let event = match self.anchors[at] {
            Some(a) => a.event,
            None => match device.create_event() {
                Ok(event) => event,
                Err(_) => return,
            },
        };
        // The quickest of a few answers is the most exact.
        let mut best: Option<(f64, f64)> = None;
        for _ in 0..5 {
            let before = host_us();
            let done = device.record_event(event, stream);
            if done.and_then(|()| device.synchronize(stream)).is_err() {
                return;
            }
            let after = host_us();
            // The event that counts is the last: stop at a good one, after a first that
            // warms up.
            let took = after - before;
            let first = best.is_none();
            best = Some((took, (before + after) / 2.0));
            if took < 15.0 && !first {
                break;
            }
        }
        if let Some((_, host)) = best {
            self.anchors[at] = Some(Anchor {
                event,
                at: host,
                users: 0,
            });
            self.anchor = at;
        }
    }
}
