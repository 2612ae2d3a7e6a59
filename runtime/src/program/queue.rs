//! Queues: the streams behind OpenACC's async numbers.

use std::collections::{BTreeMap, HashMap};

use std::sync::Arc;

use super::Runtime;
use super::abi::SourcePlace;
use super::acc::prof::{self, Construct, Event};
use super::failure::of_call;
use super::fault::{InFlight, Origin, attributed};
use super::report::Order;
use crate::device::{Device, DeviceError, StreamId};

/// Not a queue: wait until it is done.
pub const SYNC: i64 = -1;
/// `async` without a number: the thread's default queue.
pub const DEFAULT: i64 = -2;
/// The default queue that a program begins with.
pub const INITIAL: i64 = -3;

/// How far a stream is. Both count the operations that were queued.
#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    issued: u64,
    completed: u64,
}

/// A moment in a stream: after this many operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket {
    pub stream: StreamId,
    pub count: u64,
}

/// The streams of a device.
#[derive(Debug, Default)]
pub struct Queues {
    /// By number.
    streams: HashMap<i64, StreamId>,
    progress: HashMap<StreamId, Progress>,
    /// What ran last on a stream, to say where a fault that is noticed later may come
    /// from.
    last: HashMap<StreamId, String>,
    launches: HashMap<StreamId, InFlight>,
    /// Operations that were marked and that the device may not have been told of yet.
    open: Vec<(StreamId, Order)>,
}

impl Queues {
    /// The stream of a queue, new if it was not used yet. Synchronous work has the main
    /// one.
    ///
    /// # Errors
    /// A negative number that has no meaning, or what the device says.
    pub fn stream(&mut self, device: &dyn Device, queue: i64) -> Result<StreamId, String> {
        if queue == SYNC {
            return Ok(StreamId::MAIN);
        }
        if queue < 0 {
            return Err(format!(
                "found async({queue}), expected a queue from 0, acc_async_sync, \
                 acc_async_noval or acc_async_default"
            ));
        }
        if let Some(stream) = self.streams.get(&queue) {
            return Ok(*stream);
        }
        let stream = device.create_stream().map_err(|e| e.to_string())?;
        self.streams.insert(queue, stream);
        Ok(stream)
    }

    /// Makes this the stream of a queue.
    pub fn set(&mut self, queue: i64, stream: StreamId) {
        self.streams.insert(queue, stream);
    }

    /// The stream of a queue that was used already.
    pub fn existing(&self, queue: i64) -> Option<StreamId> {
        match queue {
            SYNC => Some(StreamId::MAIN),
            _ => self.streams.get(&queue).copied(),
        }
    }

    /// All streams of queues.
    pub fn all(&self) -> Vec<StreamId> {
        self.streams.values().copied().collect()
    }

    /// What each stream is called in reports.
    pub fn names(&self) -> BTreeMap<u64, String> {
        let queues = self
            .streams
            .iter()
            .map(|(n, s)| (s.0, format!("queue {n}")));
        let main = (StreamId::MAIN.0, "main".to_string());
        queues.chain([main]).collect()
    }

    /// The numbers of all queues that were used.
    pub fn numbers(&self) -> Vec<i64> {
        let mut numbers: Vec<i64> = self.streams.keys().copied().collect();
        numbers.sort_unstable();
        numbers
    }

    /// Notes that something is about to be queued; its place in the stream.
    pub fn mark(&mut self, stream: StreamId) -> Order {
        let progress = self.progress.entry(stream).or_default();
        progress.issued += 1;
        Order(progress.issued)
    }

    /// Notes what is about to be queued.
    pub fn mark_as(&mut self, stream: StreamId, what: impl FnOnce() -> String) -> Order {
        self.last.insert(stream, what());
        self.mark(stream)
    }

    /// Notes that a kernel is about to be launched.
    pub fn mark_launch(&mut self, stream: StreamId, origin: &Arc<Origin>) -> Order {
        let order = self.mark(stream);
        self.launches
            .entry(stream)
            .or_default()
            .add(order.0, origin);
        order
    }

    /// Notes that the device has not been told of what was marked: a thread that waits for
    /// the stream meanwhile may not wait for it. [`Queues::close`] ends that.
    pub fn open(&mut self, stream: StreamId, order: Order) {
        self.open.push((stream, order));
    }

    /// The device knows of it now, or has refused it.
    pub fn close(&mut self, stream: StreamId, order: Order) {
        self.open.retain(|o| *o != (stream, order));
    }

    /// What a wait that begins now waits for at least.
    pub fn told(&self, stream: StreamId) -> Ticket {
        let open = self.open.iter().filter(|(s, _)| *s == stream);
        let first = open.map(|(_, order)| order.0.saturating_sub(1)).min();
        let now = self.now(stream);
        Ticket {
            stream,
            count: first.unwrap_or(now.count),
        }
    }

    /// Takes back the launch that was noted last.
    pub fn unmark_launch(&mut self, stream: StreamId) {
        if let Some(launches) = self.launches.get_mut(&stream) {
            launches.take_back();
        }
    }

    /// The launches that are not known to be done, of each stream.
    pub(super) fn in_flight(&self) -> impl Iterator<Item = &InFlight> {
        self.launches.values()
    }

    /// What was noted last.
    pub fn last(&self, stream: StreamId) -> Option<String> {
        let launch = self.launches.get(&stream).and_then(InFlight::newest);
        match launch {
            Some((at, origin)) if at == self.now(stream).count => Some(origin.to_string()),
            _ => self.last.get(&stream).cloned(),
        }
    }

    /// Now, in a stream, with what was marked.
    pub fn now(&self, stream: StreamId) -> Ticket {
        let progress = self.progress.get(&stream).copied().unwrap_or_default();
        Ticket {
            stream,
            count: progress.issued,
        }
    }

    /// Now, in every stream that may still be working.
    pub fn busy(&self) -> Vec<Ticket> {
        let busy = |(_, p): &(&StreamId, &Progress)| p.completed < p.issued;
        let ticket = |(stream, p): (&StreamId, &Progress)| Ticket {
            stream: *stream,
            count: p.issued,
        };
        self.progress.iter().filter(busy).map(ticket).collect()
    }

    /// Notes that a stream was waited for, up to this moment.
    pub fn done(&mut self, ticket: Ticket) {
        let progress = self.progress.entry(ticket.stream).or_default();
        progress.completed = progress.completed.max(ticket.count);
        if let Some(launches) = self.launches.get_mut(&ticket.stream) {
            launches.done(ticket.count);
        }
    }

    /// Whether this moment is known to be past.
    pub fn is_past(&self, ticket: Ticket) -> bool {
        let progress = self.progress.get(&ticket.stream);
        progress.is_none_or(|p| p.completed >= ticket.count)
    }

    /// Waits for a stream while holding the state.
    ///
    /// # Errors
    /// Faults of the work, or what the device says.
    pub fn wait(&mut self, device: &dyn Device, stream: StreamId) -> Result<(), DeviceError> {
        let now = self.told(stream);
        device.synchronize(stream)?;
        self.done(now);
        Ok(())
    }

    /// Makes what is queued on `to` from now on wait for what is queued on `from`.
    ///
    /// # Errors
    /// What the device says.
    pub fn join(
        &mut self,
        device: &dyn Device,
        from: StreamId,
        to: StreamId,
    ) -> Result<(), DeviceError> {
        self.mark(to);
        let event = device.create_event()?;
        device.record_event(event, from)?;
        device.wait_event(to, event)?;
        // The driver keeps it until it has happened.
        device.destroy_event(event)
    }
}

impl Runtime {
    /// Waits for a queue; one that was never used is done.
    ///
    /// # Errors
    /// Faults of its work, with what ran last.
    pub fn wait(&self, queue: i64) -> Result<(), String> {
        let stream = self.state().queues.existing(queue);
        stream.map_or(Ok(()), |stream| self.wait_stream(stream))
    }

    /// Waits for all queues.
    ///
    /// # Errors
    /// As [`Runtime::wait`].
    pub fn wait_all(&self) -> Result<(), String> {
        let streams = self.state().queues.all();
        streams.into_iter().try_for_each(|s| self.wait_stream(s))
    }

    fn wait_stream(&self, stream: StreamId) -> Result<(), String> {
        let events = (Event::WaitStart, Event::WaitEnd);
        let _told = prof::span(events, Construct::Wait, &SourcePlace::call("wait"));
        let _span = self.report.host("wait", "");
        // Other threads go on meanwhile.
        let ticket = self.state().queues.told(stream);
        let result = self.device.synchronize(stream);
        let mut state = self.state();
        if let Err(e) = result {
            if let Some(text) = attributed(&state.queues, &e) {
                return Err(text);
            }
            let last = state.queues.last(stream);
            let last = last.as_deref().unwrap_or("not known");
            return Err(format!(
                "terrace: error: {e}\n  what was queued last: {last}"
            ));
        }
        state.queues.done(ticket);
        Ok(())
    }

    /// Makes what is queued on `queue` from now on wait for what is queued on `on`.
    ///
    /// # Errors
    /// What the device says.
    pub fn wait_on(&self, on: i64, queue: i64) -> Result<(), String> {
        let mut state = self.state();
        let Some(from) = state.queues.existing(on) else {
            return Ok(());
        };
        let to = state.queues.stream(&*self.device, queue)?;
        if from == to {
            return Ok(());
        }
        let joined = state.queues.join(&*self.device, from, to);
        joined.map_err(|e| attributed(&state.queues, &e).unwrap_or_else(|| of_call("error", e)))
    }

    /// Makes `queue` wait for all others.
    ///
    /// # Errors
    /// As [`Runtime::wait_on`].
    pub fn wait_all_on(&self, queue: i64) -> Result<(), String> {
        let queues = self.state().queues.numbers();
        queues.into_iter().try_for_each(|q| self.wait_on(q, queue))
    }

    /// Whether a queue is done.
    ///
    /// # Errors
    /// Faults of its work.
    pub fn is_done(&self, queue: i64) -> Result<bool, String> {
        let Some(stream) = self.state().queues.existing(queue) else {
            return Ok(true);
        };
        let ticket = self.state().queues.told(stream);
        let idle = self.device.is_idle(stream);
        let idle = idle.map_err(|e| {
            let said = attributed(&self.state().queues, &e);
            said.unwrap_or_else(|| of_call("error", e))
        })?;
        if idle {
            self.state().queues.done(ticket);
        }
        Ok(idle)
    }

    /// Whether all queues are done.
    ///
    /// # Errors
    /// Faults of their work.
    pub fn is_all_done(&self) -> Result<bool, String> {
        let queues = self.state().queues.numbers();
        for queue in queues {
            if !self.is_done(queue)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
