//! What is counted and timed: rows of a table, and spans of time on lanes.
//!
//! The device takes its own times, by events. On a queue that has work the end of one
//! launch is the beginning of the next, so one event each is enough; a device that waits
//! needs two, or the wait for the host would count as the kernel's. Of what is short and
//! often only some are timed ([`Sampler`]); a trace has the others too, where they must have
//! been.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};

use super::events::{Event, Events, host_us};
use super::hold::Hold;
use super::sample::{Cost, FIRST, Sampler};
use crate::device::{Device, StreamId};
use crate::profile::{Direction, LaunchWork, time};

/// Times are taken from the device when this many wait for it, of the older half, which
/// is most likely done: waiting for the newest would empty the device's queue.
const MAX_PENDING: usize = 1024;

/// Spans of one device, and of the host's calls for it; later ones are only counted.
pub(super) const MAX_SPANS: usize = 1 << 20;

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
    /// Those of which the device gave no time though it was asked.
    pub failed: u64,
    /// Microseconds of `timed` of them, and of the `covered` that these stand for.
    pub timed: u64,
    pub covered: u64,
    pub total: f64,
    pub min: f64,
    pub max: f64,
    /// Of those that were timed, their sum and that of their squares.
    sums: [f64; 2],
    sampler: Sampler,
}

impl Row {
    fn new(kind: Kind, names: [&str; 2], place: String, seed: u32) -> Row {
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
            failed: 0,
            timed: 0,
            covered: 0,
            total: 0.0,
            min: f64::INFINITY,
            max: 0.0,
            sums: [0.0; 2],
            sampler: Sampler::new(seed),
        }
    }

    /// The time of one that stands for `weight`.
    pub fn add_time(&mut self, microseconds: f64, weight: u64) {
        self.timed += 1;
        self.covered += weight;
        self.total += microseconds * weight as f64;
        self.sums[0] += microseconds;
        self.sums[1] += microseconds * microseconds;
        self.min = self.min.min(microseconds);
        self.max = self.max.max(microseconds);
    }

    /// One more that does this, if that is known.
    pub fn add_work(&mut self, work: Option<LaunchWork>) {
        let Some(w) = work else { return };
        self.known += 1;
        self.flops[0] += w.flops[0];
        self.flops[1] += w.flops[1];
        self.least_bytes += w.bytes;
    }

    /// What all of them do, if it is known of all.
    pub fn work(&self) -> Option<LaunchWork> {
        (self.known == self.count && self.count > 0).then_some(LaunchWork {
            flops: self.flops,
            bytes: self.least_bytes,
        })
    }

    /// Whether there are some that were not timed, and why should not matter.
    pub fn is_sampled(&self) -> bool {
        self.timed > 0 && self.timed + self.failed < self.count
    }

    /// Of one, on average.
    pub fn average(&self) -> Option<f64> {
        (self.covered > 0).then(|| self.total / self.covered as f64)
    }

    /// The time of all of them, as far as it is known; none where the device gave none.
    pub fn all_us(&self) -> Option<f64> {
        let count = self.count.saturating_sub(self.failed);
        match self.is_sampled() {
            true => Some(self.average()? * count as f64),
            false => (self.timed > 0).then_some(self.total),
        }
    }

    /// The standard error of [`Row::all_us`], as a share of it.
    pub fn error(&self) -> f64 {
        let (n, count) = (self.timed as f64, self.count as f64);
        if n < 2.0 || n >= count || self.sums[0] <= 0.0 {
            return 0.0;
        }
        let mean = self.sums[0] / n;
        let variance = (self.sums[1] / n - mean * mean).max(0.0) * n / (n - 1.0);
        (variance / n * (1.0 - n / count)).sqrt() / mean
    }

    /// Total, minimum, average, maximum as text. The total has a `~` and its standard error
    /// where it is that of some.
    pub fn times(&self) -> [String; 4] {
        let (Some(all), Some(average)) = (self.all_us(), self.average()) else {
            return std::array::from_fn(|_| "-".to_string());
        };
        let [mut total, min, average, max] = [all, self.min, average, self.max].map(time);
        if self.is_sampled() {
            total = format!("~{total} +-{:.1} %", 100.0 * self.error());
        }
        [total, min, average, max]
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

/// How long something took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Took {
    /// Microseconds.
    Measured(f64),
    /// It was not timed; others like it were.
    NotTimed,
    /// The device failed before it could tell.
    Failed,
}

/// A stretch of time, in microseconds of the host's clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub row: usize,
    pub lane: Lane,
    /// The order in which things were queued.
    pub order: u64,
    /// When it began if that was measured, else when it was queued.
    pub start: f64,
    pub took: Took,
    pub size: Size,
}

/// The place of something in a stream, among all that was queued there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order(pub u64);

/// Something that is being queued on a device.
#[derive(Debug, Clone, Copy)]
pub struct Begun {
    row: usize,
    stream: StreamId,
    size: Size,
    /// When, on the host's clock, and in which order.
    queued: f64,
    order: u64,
    /// Its place in the stream, where somebody counts.
    place: Option<Order>,
    /// Where it is timed, its beginning.
    start: Option<Start>,
}

#[derive(Debug, Clone, Copy)]
struct Start {
    event: Event,
    anchor: usize,
    weight: u64,
}

#[derive(Debug)]
struct Pending {
    begun: Begun,
    start: Start,
    end: Event,
}

/// An event at the end of something on a stream, that what follows at once begins with.
#[derive(Debug)]
struct Link {
    stream: StreamId,
    event: Event,
    place: Order,
}

/// All that one device did.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub rows: Vec<Row>,
    /// Rows by the hash of what they count.
    by_hash: HashMap<u64, Vec<usize>>,
    /// Rows that were asked for lately.
    recent: [usize; 8],
    pending: Vec<Pending>,
    events: Events,
    hold: Hold,
    /// The last events of streams.
    links: Vec<Link>,
    /// Whether spans are wanted, and whether each occurrence is timed.
    traced: bool,
    every: bool,
    queued: u64,
    pub spans: Vec<Span>,
    pub dropped: u64,
}

impl Record {
    /// One that keeps spans if they are wanted: there is room from the beginning, so that
    /// none has to be made in between. The system gives memory when it is first written.
    pub fn new(traced: bool, every: bool) -> Record {
        let mut record = Record {
            traced,
            every,
            ..Record::default()
        };
        if traced {
            // With less room there are fewer spans.
            let _ = record.spans.try_reserve_exact(MAX_SPANS);
        }
        record
    }

    /// The row of what has these names; `place` is only used to make it or, of copies,
    /// to tell it from others.
    pub fn row(&mut self, kind: Kind, names: [&str; 2], place: impl Fn() -> String) -> usize {
        let is_it = |row: &Row| row.kind == kind && row.names == names;
        // Programs do few things many times.
        let near = names[1].len() % self.recent.len();
        let guess = self.recent[near];
        if self.rows.get(guess).is_some_and(is_it) {
            return guess;
        }
        let mut hasher = DefaultHasher::new();
        (kind, names).hash(&mut hasher);
        let hash = hasher.finish();
        let known = self.by_hash.get(&hash);
        let found = known.and_then(|v| v.iter().find(|i| is_it(&self.rows[**i])));
        let i = match found {
            Some(i) => *i,
            None => {
                let i = self.rows.len();
                self.rows.push(Row::new(kind, names, place(), hash as u32));
                self.by_hash.entry(hash).or_default().push(i);
                i
            }
        };
        self.recent[near] = i;
        i
    }

    fn push(&mut self, span: Span) {
        if !self.traced {
            return;
        }
        match self.spans.len() < self.spans.capacity().min(MAX_SPANS) {
            true => self.spans.push(span),
            false => self.dropped += 1,
        }
    }

    /// Something on the host, from `start` to now.
    pub fn host(&mut self, row: usize, start: f64) {
        self.push(Span {
            row,
            lane: Lane::Host(thread_number()),
            order: 0,
            start,
            took: Took::Measured((host_us() - start).max(0.0)),
            size: Size::Nothing,
        });
    }

    /// Something is about to be queued on a stream, as `place` there.
    pub fn begin(
        &mut self,
        device: &dyn Device,
        stream: StreamId,
        place: Option<Order>,
        row: usize,
        size: Size,
    ) -> Begun {
        self.queued += 1;
        let mut begun = Begun {
            row,
            stream,
            size,
            queued: if self.traced { host_us() } else { 0.0 },
            order: self.queued,
            place,
            start: None,
        };
        // On an emulated device events cost nothing, and times mean little.
        let every = self.every || device.looks_at_accesses();
        if !every && self.rows[row].sampler.wants_time() {
            self.take_first_time(device, row);
        }
        let weight = match every {
            true => Some(1),
            false => self.rows[row].sampler.next(),
        };
        if let Some(weight) = weight {
            begun.start = self.start(device, &begun, weight);
        }
        begun
    }

    /// The event that something begins with.
    fn start(&mut self, device: &dyn Device, begun: &Begun, weight: u64) -> Option<Start> {
        let stream = begun.stream;
        let busy = device.is_idle(stream).is_ok_and(|idle| !idle);
        let link = self.links.iter().find(|l| l.stream == stream);
        let follows = |l: &&Link| begun.place == Some(Order(l.place.0.wrapping_add(1)));
        let link = link.filter(|l| busy && follows(l)).map(|l| l.event);
        let (event, cost) = match link {
            // What was queued last is not done: this begins when that ends.
            Some(event) => (self.events.share(event), Cost::Chained),
            None => {
                let cost = if busy { Cost::Pair } else { Cost::Idle };
                // What runs when is as it is without a profile, and an emulated device has no way
                // to go to a kernel.
                let as_it_is = self.traced || device.looks_at_accesses();
                if !busy && !as_it_is && self.rows[begun.row].kind == Kind::Kernel {
                    self.hold.begin(device, stream);
                }
                (self.events.record(device, stream)?, cost)
            }
        };
        self.rows[begun.row].sampler.spend(cost);
        let anchor = match self.traced {
            true => self.events.anchor(device, begun.queued),
            false => 0,
        };
        Some(Start {
            event,
            anchor,
            weight,
        })
    }

    /// It was queued.
    pub fn end(&mut self, device: &dyn Device, begun: Begun) {
        let Some(start) = begun.start else {
            self.push(span(&begun, begun.queued, Took::NotTimed));
            return;
        };
        match self.events.record(device, begun.stream) {
            Some(end) => {
                self.pending.push(Pending { begun, start, end });
                self.link(begun.stream, end, begun.place);
            }
            None => self.failed(begun),
        }
        if self.pending.len() >= MAX_PENDING {
            self.drain(device, MAX_PENDING / 2);
        }
    }

    /// What follows at once may begin with this event.
    fn link(&mut self, stream: StreamId, event: Event, place: Option<Order>) {
        let Some(place) = place else { return };
        self.events.share(event);
        let new = Link {
            stream,
            event,
            place,
        };
        match self.links.iter_mut().find(|l| l.stream == stream) {
            Some(link) => {
                let old = std::mem::replace(link, new);
                self.events.release(old.event);
            }
            None => self.links.push(new),
        }
    }

    /// What began came to nothing, or nobody knows to what.
    pub fn failed(&mut self, begun: Begun) {
        self.push(span(&begun, begun.queued, Took::Failed));
        self.rows[begun.row].failed += 1;
        if let Some(start) = begun.start {
            self.forget(start);
        }
    }

    fn forget(&mut self, start: Start) {
        self.events.release(start.event);
        if self.traced {
            self.events.release_anchor(start.anchor);
        }
    }

    /// Takes times up to some of this row's, of which enough are queued that the device
    /// still has work then.
    fn take_first_time(&mut self, device: &dyn Device, row: usize) {
        let of_row = |(_, p): &(usize, &Pending)| p.begun.row == row;
        let pending = self.pending.iter().enumerate().filter(of_row);
        if let Some((at, _)) = pending.take(FIRST as usize / 2).last() {
            self.drain(device, at + 1);
        }
    }

    /// Takes the times of what was queued first; all times if `most` is.
    pub fn drain(&mut self, device: &dyn Device, most: usize) {
        let most = most.min(self.pending.len());
        let rest = self.pending.split_off(most);
        for p in std::mem::replace(&mut self.pending, rest) {
            let Some(length) = self.events.elapsed(device, p.start.event, p.end) else {
                // After a fault there are no times; the fault is reported by itself.
                self.failed(p.begun);
                self.events.release(p.end);
                continue;
            };
            let row = &mut self.rows[p.begun.row];
            row.add_time(length, p.start.weight);
            row.sampler.took(length);
            if self.traced {
                let at = self.events.at(device, p.start.event, p.start.anchor);
                let start = at.unwrap_or(p.begun.queued);
                self.events.was_at(p.end, p.start.anchor, start + length);
                self.push(span(&p.begun, start, Took::Measured(length)));
            }
            self.forget(p.start);
            self.events.release(p.end);
        }
    }
}

fn span(begun: &Begun, start: f64, took: Took) -> Span {
    Span {
        row: begun.row,
        lane: Lane::Device(begun.stream.0),
        order: begun.order,
        start,
        took,
        size: begun.size,
    }
}
