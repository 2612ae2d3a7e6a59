//! A trace in Chrome's trace event format, which Perfetto and `chrome://tracing` open.
//!
//! The host is one process with a lane for each thread; each device is another, with a
//! lane for the kernels and one for the copies of each of its streams. Times are
//! microseconds of the host's clock, with nanoseconds behind the point. Spans of a lane
//! of a device do not overlap: work of a stream runs in order, and where the mapping to
//! the host's clock has it otherwise by a microsecond, the later one gives way. What was not
//! timed takes as long as others like it on average, from when it was queued or what came
//! before it was done, and is squeezed between what was timed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::record::{Kind, Lane, Record, Row, Size, Span, Took};
use super::size;

/// A device as a trace shows it.
pub(crate) struct Process {
    /// Its number, from 0.
    pub ordinal: usize,
    pub name: String,
    /// What its streams are called.
    pub streams: BTreeMap<u64, String>,
}

impl Process {
    /// For what only ran on the host.
    pub fn host() -> Process {
        Process {
            ordinal: 0,
            name: "host".to_string(),
            streams: BTreeMap::new(),
        }
    }
}

/// The number of the host among the processes.
const HOST: usize = 0;

/// A file in the making.
pub(crate) struct Trace {
    text: String,
    threads: BTreeSet<u32>,
    dropped: u64,
    first: bool,
}

/// The text between the quotes of a JSON string.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}

/// Nanoseconds, from microseconds of the clock.
fn nanoseconds(microseconds: f64) -> u64 {
    (microseconds.max(0.0) * 1e3).round() as u64
}

/// Nanoseconds as microseconds, exactly.
fn micros(ns: u64) -> String {
    format!("{}.{:03}", ns / 1000, ns % 1000)
}

/// A span of the host, in nanoseconds.
fn host_times(span: &Span) -> (u64, u64) {
    let length = match span.took {
        Took::Measured(length) => length,
        Took::NotTimed | Took::Failed => 0.0,
    };
    let start = nanoseconds(span.start);
    (start, nanoseconds(span.start + length).max(start))
}

/// Start and end of each span of a lane of a device, in nanoseconds, in the order in which
/// they were queued.
fn laid_out(rows: &[Row], spans: &[Span]) -> Vec<(u64, u64)> {
    let mut times: Vec<(u64, u64)> = Vec::with_capacity(spans.len());
    // The end of what came before, and the first of those whose times are not known.
    let (mut end, mut open) = (0, 0usize);
    for span in spans {
        let start = nanoseconds(span.start);
        let length = match span.took {
            Took::Measured(length) => length,
            Took::NotTimed => rows[span.row].average().unwrap_or(0.0),
            Took::Failed => 0.0,
        };
        if matches!(span.took, Took::Measured(_)) {
            let before = open.checked_sub(1).and_then(|i| times.get(i));
            let limit = start.max(before.map_or(0, |t| t.1));
            squeeze(times.get_mut(open..).unwrap_or_default(), limit);
            end = times.last().map_or(0, |t| t.1);
            open = times.len() + 1;
        }
        let start = start.max(end);
        end = start.saturating_add(nanoseconds(length));
        times.push((start, end));
    }
    times
}

/// Moves spans that follow each other together where they end behind `limit`.
fn squeeze(times: &mut [(u64, u64)], limit: u64) {
    let (Some(first), Some(last)) = (times.first(), times.last()) else {
        return;
    };
    let (from, to) = (first.0.min(limit), last.1);
    if to <= limit {
        return;
    }
    let (room, long) = (u128::from(limit - from), u128::from(to - first.0).max(1));
    let base = first.0;
    let moved = |t: u64| from + (u128::from(t - base) * room / long) as u64;
    for t in times {
        *t = (moved(t.0), moved(t.1));
    }
}

impl Trace {
    /// Nothing yet but the host.
    pub fn new() -> Trace {
        let mut trace = Trace {
            text: "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n".to_string(),
            threads: BTreeSet::new(),
            dropped: 0,
            first: true,
        };
        trace.name("process", HOST, 0, "host");
        trace
    }

    fn event(&mut self, event: &str) {
        if !std::mem::replace(&mut self.first, false) {
            self.text.push_str(",\n");
        }
        self.text.push_str(event);
    }

    /// Names a process or a thread.
    fn name(&mut self, what: &str, process: usize, thread: usize, name: &str) {
        let name = escape(name);
        self.event(&format!(
            "{{\"ph\":\"M\",\"pid\":{process},\"tid\":{thread},\"name\":\"{what}_name\",\
             \"args\":{{\"name\":\"{name}\"}}}}"
        ));
    }

    /// Adds what a record has, which is sorted for it.
    pub(super) fn add(&mut self, process: &Process, record: &mut Record) {
        self.dropped = self.dropped.saturating_add(record.dropped);
        let Record { rows, spans, .. } = record;
        let copies = |s: &Span| matches!(rows[s.row].kind, Kind::Copy(_));
        spans.sort_by(|a, b| {
            let key = |s: &Span| (s.lane, copies(s), s.order);
            key(a).cmp(&key(b)).then(a.start.total_cmp(&b.start))
        });
        let pid = process.ordinal + 1;
        let lane = |s: &Span| (s.lane, copies(s));
        let mut number = 0;
        for spans in spans.chunk_by(|a, b| lane(a) == lane(b)) {
            let Some(first) = spans.first() else { continue };
            let stream = match first.lane {
                Lane::Host(thread) => {
                    self.threads.insert(thread);
                    for span in spans {
                        let (start, stop) = host_times(span);
                        self.span(&rows[span.row], span, HOST, thread as usize, start, stop);
                    }
                    continue;
                }
                Lane::Device(stream) => stream,
            };
            if number == 0 {
                self.name("process", pid, 0, &process.name);
            }
            number += 1;
            let what = if copies(first) { "copies" } else { "kernels" };
            let unnamed = || format!("stream {stream}");
            let stream = process.streams.get(&stream).cloned();
            let name = format!("{}: {what}", stream.unwrap_or_else(unnamed));
            self.name("thread", pid, number, &name);
            for (span, (start, stop)) in spans.iter().zip(laid_out(rows, spans)) {
                self.span(&rows[span.row], span, pid, number, start, stop);
            }
        }
    }

    fn span(&mut self, row: &Row, span: &Span, pid: usize, tid: usize, start: u64, stop: u64) {
        let (name, category) = match (row.kind, span.lane) {
            (Kind::Kernel, Lane::Host(_)) => (&row.names[0], "region"),
            (Kind::Kernel, _) => (&row.names[1], "kernel"),
            (Kind::Copy(_), _) => (&row.names[0], "copy"),
            (Kind::Host | Kind::Region, _) => (&row.names[0], "host"),
        };
        let mut event = format!(
            "{{\"ph\":\"X\",\"pid\":{pid},\"tid\":{tid},\"ts\":{},\"dur\":{},\"cat\":\"{category}\",\
             \"name\":\"{}\",\"args\":{{\"at\":\"{}\"",
            micros(start),
            micros(stop - start),
            escape(name),
            escape(&row.place)
        );
        if let (Kind::Kernel, Lane::Device(_)) = (row.kind, span.lane) {
            let _ = write!(event, ",\"region\":\"{}\"", escape(&row.names[0]));
        }
        if let Kind::Copy(direction) = row.kind {
            let _ = write!(event, ",\"way\":\"{}\"", direction.name());
        }
        match span.size {
            Size::Launch(grid, block) => {
                let (grid, block) = (size(grid), size(block));
                let _ = write!(event, ",\"grid\":\"{grid}\",\"block\":\"{block}\"");
            }
            Size::Bytes(bytes) => {
                let _ = write!(event, ",\"bytes\":{bytes}");
                if let Took::Measured(length) = span.took
                    && length > 0.0
                {
                    let _ = write!(event, ",\"GB/s\":{:.3}", bytes as f64 / length * 1e-3);
                }
            }
            Size::Nothing => {}
        }
        let said = match span.took {
            Took::Measured(_) => None,
            Took::NotTimed if row.average().is_some() => {
                Some(("not timed", "as long as others on average"))
            }
            Took::NotTimed | Took::Failed => {
                let why = "the device gave no time; this is when it was queued";
                Some(("failed", why))
            }
        };
        if let Some((what, why)) = said {
            let _ = write!(event, ",\"{what}\":\"{why}\"");
        }
        event.push_str("}}");
        self.event(&event);
    }

    /// The whole text.
    pub fn finish(mut self) -> String {
        for thread in std::mem::take(&mut self.threads) {
            let name = format!("thread {thread}");
            self.name("thread", HOST, thread as usize, &name);
        }
        let _ = write!(
            self.text,
            "\n],\"otherData\":{{\"made by\":\"terrace\",\"spans left out\":{}}}}}\n",
            self.dropped
        );
        self.text
    }
}
