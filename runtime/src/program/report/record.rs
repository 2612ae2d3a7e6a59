//! What is counted and timed: rows of a table, and spans of time on lanes.
//!
//! The device takes its own times, by events around each launch and copy. For the spans
//! these are laid on the host's clock by an *anchor*: an event on a stream of its own,
//! where nothing keeps it waiting, whose host time is known to a few microseconds. The
//! driver gives times between events as 32-bit floats of milliseconds, which after some
//! seconds no longer tell microseconds, so there is a new anchor now and then.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use crate::device::{Device, EventId, StreamId};
use crate::profile::{Direction, time};

/// Times are taken from the device when this many wait for it, of the older half, which
/// is most likely done: waiting for the newest would empty the device's queue.
const MOST_PENDING: usize = 1024;

/// Spans of one device, and of the host's calls for it; later ones are only counted.
pub(super) const MOST_SPANS: usize = 1 << 20;

/// An anchor serves for so many microseconds.
const ANCHOR_AGE: f64 = 4e6;

/// Microseconds of the host's clock since the first call.
pub(crate) fn host_us() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64() * 1e6
}

/// The number of this thread, in the order in which threads first asked.
pub(super) fn thread_number() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    thread_local! {
        static NUMBER: u32 = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    NUMBER.with(|n| *n)
}

/// What a row counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// Runs of a kernel; the two names are the region's and the kernel's.
    Kernel,
    /// Copies; of an array.
    Copy(Direction),
    /// Something that the host does for the device; its name. Only on lanes.
    Host,
    /// Runs of a region on the device; its name. Only with what it is known to do.
    Region,
}

/// One row of the tables.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub kind: Kind,
    pub names: [String; 2],
    pub place: String,
    /// Of the last launch, and whether all had the same.
    pub shape: Option<([u32; 3], [u32; 3])>,
    pub varies: bool,
    /// Of a thread, as the driver says.
    pub registers: Option<u32>,
    pub count: u64,
    pub bytes: u64,
    /// What it is known to do, of `known` of them: arithmetic on floats of at most 32
    /// bits and of 64, and the bytes of the arrays that it reads, and that it writes.
    pub flops: [f64; 2],
    pub least_bytes: f64,
    pub known: u64,
    /// Microseconds, of `timed` of them.
    pub timed: u64,
    pub total: f64,
    pub min: f64,
    pub max: f64,
}

impl Row {
    fn new(kind: Kind, names: [&str; 2], place: String) -> Row {
        Row {
            kind,
            names: names.map(str::to_string),
            place,
            shape: None,
            varies: false,
            registers: None,
            count: 0,
            bytes: 0,
            flops: [0.0; 2],
            least_bytes: 0.0,
            known: 0,
            timed: 0,
            total: 0.0,
            min: f64::INFINITY,
            max: 0.0,
        }
    }

    pub fn add_time(&mut self, microseconds: f64) {
        self.timed += 1;
        self.total += microseconds;
        self.min = self.min.min(microseconds);
        self.max = self.max.max(microseconds);
    }

    /// Total, minimum, average, maximum as text.
    pub fn times(&self) -> [String; 4] {
        if self.timed == 0 {
            return std::array::from_fn(|_| "-".to_string());
        }
        let average = self.total / self.timed as f64;
        [self.total, self.min, average, self.max].map(time)
    }
}

/// How large something was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    /// Grid and block.
    Launch([u32; 3], [u32; 3]),
    Bytes(u64),
    Nothing,
}

/// Where a span is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lane {
    /// A thread of the host.
    Host(u32),
    /// A stream of the device.
    Device(u64),
}

/// A stretch of time, in microseconds of the host's clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub row: usize,
    pub lane: Lane,
    pub start: f64,
    /// None where the device failed before it could tell; `start` is when it was queued.
    pub length: Option<f64>,
    pub size: Size,
}

/// The beginning of something on a device.
#[derive(Debug, Clone, Copy)]
pub struct Begun {
    event: EventId,
    anchor: usize,
    /// When it was queued, on the host's clock.
    queued: f64,
}

#[derive(Debug)]
struct Pending {
    begun: Begun,
    end: EventId,
    row: usize,
    stream: StreamId,
    size: Size,
}

#[derive(Debug, Clone, Copy)]
struct Anchor {
    event: EventId,
    /// On the host's clock.
    at: f64,
}

/// All that one device did.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub rows: Vec<Row>,
    /// Rows by the hash of what they count.
    by_hash: HashMap<u64, Vec<usize>>,
    pending: Vec<Pending>,
    spare: Vec<EventId>,
    /// Whether spans are wanted.
    traced: bool,
    pub spans: Vec<Span>,
    pub dropped: u64,
    /// The anchor in use is the one at the index.
    anchors: [Option<Anchor>; 2],
    anchor: usize,
    anchor_stream: Option<StreamId>,
}

impl Record {
    /// One that keeps spans: there is room from the beginning, so that none has to be
    /// made in between. The system gives memory when it is first written.
    pub fn traced() -> Record {
        let mut record = Record {
            traced: true,
            ..Record::default()
        };
        // With less room there are fewer spans.
        let _ = record.spans.try_reserve_exact(MOST_SPANS);
        record
    }

    /// The row of what has these names; `place` is only used to make it or, of copies,
    /// to tell it from others.
    pub fn row(&mut self, kind: Kind, names: [&str; 2], place: impl Fn() -> String) -> usize {
        let mut hasher = DefaultHasher::new();
        (kind, names).hash(&mut hasher);
        let hash = hasher.finish();
        let rows = &self.rows;
        let is_it = |i: &&usize| {
            let row = &rows[**i];
            row.kind == kind && row.names == names
        };
        let known = self.by_hash.get(&hash);
        if let Some(i) = known.and_then(|v| v.iter().find(is_it)) {
            return *i;
        }
        let i = self.rows.len();
        self.rows.push(Row::new(kind, names, place()));
        self.by_hash.entry(hash).or_default().push(i);
        i
    }

    fn push(&mut self, span: Span) {
        if !self.traced {
            return;
        }
        match self.spans.len() < self.spans.capacity().min(MOST_SPANS) {
            true => self.spans.push(span),
            false => self.dropped += 1,
        }
    }

    /// Something on the host, from `start` to now.
    pub fn host(&mut self, row: usize, start: f64) {
        self.push(Span {
            row,
            lane: Lane::Host(thread_number()),
            start,
            length: Some((host_us() - start).max(0.0)),
            size: Size::Nothing,
        });
    }

    /// Marks the beginning of something on a stream.
    pub fn begin(&mut self, device: &dyn Device, stream: StreamId) -> Option<Begun> {
        let queued = match self.traced {
            true => {
                let now = host_us();
                self.keep_anchored(device, now);
                now
            }
            false => 0.0,
        };
        let event = self.event(device, stream)?;
        Some(Begun {
            event,
            anchor: self.anchor,
            queued,
        })
    }

    /// And its end.
    pub fn end(
        &mut self,
        device: &dyn Device,
        stream: StreamId,
        begun: Option<Begun>,
        row: usize,
        size: Size,
    ) {
        let Some(begun) = begun else {
            return;
        };
        match self.event(device, stream) {
            Some(end) => self.pending.push(Pending {
                begun,
                end,
                row,
                stream,
                size,
            }),
            None => self.failed(stream, begun, row, size),
        }
        if self.pending.len() >= MOST_PENDING {
            self.drain(device, MOST_PENDING / 2);
        }
    }

    /// What began came to nothing, or nobody knows to what.
    pub fn failed(&mut self, stream: StreamId, begun: Begun, row: usize, size: Size) {
        self.push(Span {
            row,
            lane: Lane::Device(stream.0),
            start: begun.queued,
            length: None,
            size,
        });
        self.spare.push(begun.event);
    }

    /// Takes the times of what was queued first; all times if `most` is.
    pub fn drain(&mut self, device: &dyn Device, most: usize) {
        let most = most.min(self.pending.len());
        let rest = self.pending.split_off(most);
        for p in std::mem::replace(&mut self.pending, rest) {
            let Ok(length) = device.elapsed_us(p.begun.event, p.end) else {
                // After a fault there are no times; the fault is reported by itself.
                self.failed(p.stream, p.begun, p.row, p.size);
                self.spare.push(p.end);
                continue;
            };
            if let Some(row) = self.rows.get_mut(p.row) {
                row.add_time(length);
            }
            if self.traced {
                let anchor = self.anchors[p.begun.anchor];
                let since = anchor
                    .and_then(|a| Some(a.at + device.elapsed_us(a.event, p.begun.event).ok()?));
                self.push(Span {
                    row: p.row,
                    lane: Lane::Device(p.stream.0),
                    start: since.unwrap_or(p.begun.queued),
                    length: Some(length),
                    size: p.size,
                });
            }
            self.spare.extend([p.begun.event, p.end]);
        }
    }

    fn event(&mut self, device: &dyn Device, stream: StreamId) -> Option<EventId> {
        let event = match self.spare.pop() {
            Some(event) => event,
            None => device.create_event().ok()?,
        };
        match device.record_event(event, stream) {
            Ok(()) => Some(event),
            Err(_) => {
                self.spare.push(event);
                None
            }
        }
    }

    /// Makes an anchor if there is none, or the one in use is old and the other not
    /// needed any more.
    fn keep_anchored(&mut self, device: &dyn Device, now: f64) {
        let other = 1 - self.anchor;
        let at = match self.anchors[self.anchor] {
            None => self.anchor,
            Some(a) if now - a.at < ANCHOR_AGE => return,
            Some(_) if self.pending.iter().any(|p| p.begun.anchor == other) => return,
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
            self.anchors[at] = Some(Anchor { event, at: host });
            self.anchor = at;
        }
    }
}
