//! What a program did on a device: counts and times for a table at its end
//! (`TERRACE_PROFILE`), a line for each launch and copy (`TERRACE_NOTIFY`), both on
//! standard error, and a file of what ran when (`TERRACE_TRACE`).

mod events;
mod hold;
mod record;
mod sample;
mod tables;
mod trace;

use std::fmt;
use std::sync::Mutex;

use terrace_support::estimate::Work;

use super::abi::SourcePlace;
use super::acc::prof::{self, About, Event};
use super::lock;
use super::settings::Settings;
use crate::device::{Device, KernelId, LaunchConfig, StreamId};
use crate::profile::{Direction, LaunchWork};

use crate::notice::say;
use events::host_us;
pub use record::{Begun, Order};
use record::{Kind, Record, Size};
pub(crate) use trace::{Process, Trace};

/// A record of what one device did.
#[derive(Debug, Default)]
pub struct Report {
    profile: bool,
    notify: bool,
    trace: bool,
    record: Mutex<Record>,
}

/// The kernel of a launch.
#[derive(Debug, Clone, Copy)]
pub struct Launched<'a> {
    pub region: &'a str,
    pub kernel: &'a str,
    pub id: KernelId,
    pub place: &'a SourcePlace,
    /// What it does, if that is known.
    pub work: Option<LaunchWork>,
}

fn size(d: [u32; 3]) -> String {
    format!("{}x{}x{}", d[0], d[1], d[2])
}

/// What is said of a launch where each is.
pub(super) fn launch_line(
    place: &SourcePlace,
    region: &str,
    kernel: &str,
    config: &LaunchConfig,
) -> String {
    let (grid, block) = (size(config.grid), size(config.block));
    format!("terrace: launch {place}: {region}, kernel {kernel}, grid {grid}, block {block}")
}

/// And of a copy.
pub(super) fn copy_line(
    place: &SourcePlace,
    name: &str,
    bytes: u64,
    direction: Direction,
) -> String {
    let way = direction.name();
    format!("terrace: copy {place}: `{name}`, {bytes} bytes, {way}")
}

/// What tools are told of a launch.
fn of_launch<'a>(config: &LaunchConfig, what: &Launched<'a>) -> About<'a> {
    let count = |d: [u32; 3]| d.iter().map(|n| u64::from(*n)).product();
    About::Launch(what.kernel, count(config.grid), count(config.block))
}

/// The events of a copy between host and device.
fn of_copy(direction: Direction) -> Option<(Event, Event)> {
    match direction {
        Direction::HostToDevice => Some((Event::EnqueueUploadStart, Event::EnqueueUploadEnd)),
        Direction::DeviceToHost => Some((Event::EnqueueDownloadStart, Event::EnqueueDownloadEnd)),
        Direction::DeviceToDevice => None,
    }
}

/// A copy.
#[derive(Debug, Clone, Copy)]
pub struct Copied<'a> {
    pub direction: Direction,
    /// Of the array.
    pub name: &'a str,
    pub place: &'a SourcePlace,
    pub bytes: u64,
}

/// Something that the host does for a device, from when this is made until it goes.
pub struct HostSpan<'a> {
    report: &'a Report,
    row: usize,
    start: f64,
}

impl Drop for HostSpan<'_> {
    fn drop(&mut self) {
        lock(&self.report.record).host(self.row, self.start);
    }
}

impl Report {
    /// A report as the settings ask for.
    pub fn new(settings: &Settings) -> Report {
        let trace = settings.trace.is_some();
        if trace {
            // The clock begins before anything that is measured.
            host_us();
        }
        Report {
            profile: settings.profile,
            notify: settings.notify,
            trace,
            record: Mutex::new(Record::new(trace, settings.time_all)),
        }
    }

    /// Whether it is shown what launches do.
    pub fn wants_work(&self) -> bool {
        self.profile
    }

    fn records(&self) -> bool {
        self.profile || self.trace
    }

    /// Marks the beginning of something on the host, if a trace is wanted.
    pub fn host(&self, what: &str, place: impl fmt::Display) -> Option<HostSpan<'_>> {
        if !self.trace {
            return None;
        }
        let place = place.to_string();
        let mut record = lock(&self.record);
        Some(HostSpan {
            report: self,
            row: record.row(Kind::Host, [what, &place], || place.clone()),
            start: host_us(),
        })
    }

    /// A kernel is about to be launched, as `order` on its stream where somebody counts
    /// everything that is queued there.
    pub fn begin_launch(
        &self,
        device: &dyn Device,
        config: &LaunchConfig,
        order: Option<Order>,
        what: &Launched,
    ) -> Option<Begun> {
        prof::queued(
            Event::EnqueueLaunchStart,
            what.place,
            of_launch(config, what),
        );
        if !self.records() {
            return None;
        }
        let mut record = lock(&self.record);
        let names = [what.region, what.kernel];
        let i = record.row(Kind::Kernel, names, || what.place.to_string());
        let row = &mut record.rows[i];
        let shape = Some((config.grid, config.block));
        row.varies |= row.shape.is_some() && row.shape != shape;
        row.shape = shape;
        row.count += 1;
        row.add_work(what.work);
        if row.registers.is_none() {
            row.registers = device.kernel_info(what.id).ok().map(|k| k.registers);
        }
        let size = Size::Launch(config.grid, config.block);
        Some(record.begin(device, config.stream, order, i, size))
    }

    /// It was launched.
    pub fn launched(
        &self,
        device: &dyn Device,
        config: &LaunchConfig,
        begun: Option<Begun>,
        what: &Launched,
    ) {
        prof::queued(Event::EnqueueLaunchEnd, what.place, of_launch(config, what));
        if self.notify {
            let line = launch_line(what.place, what.region, what.kernel, config);
            say!("{line}");
        }
        if let Some(begun) = begun {
            lock(&self.record).end(device, begun);
        }
    }

    /// What began could not be queued, or what it did is an error.
    pub fn refused(&self, begun: Option<Begun>) {
        if let Some(begun) = begun {
            lock(&self.record).failed(begun);
        }
    }

    /// A region ran on the device, and does this, if that is known.
    pub(crate) fn worked(&self, region: &str, place: &SourcePlace, work: Option<Work>) {
        if !self.profile {
            return;
        }
        let mut record = lock(&self.record);
        let i = record.row(Kind::Region, [region, ""], || place.to_string());
        let row = &mut record.rows[i];
        row.count += 1;
        row.add_work(work.map(|w| LaunchWork {
            flops: [w.flops32, w.flops64],
            bytes: w.moved,
        }));
    }

    /// Whether [`Report::ran`] does anything.
    pub(crate) fn wants_runs(&self) -> bool {
        self.notify || self.records()
    }

    /// A region ran on the host's cores, until now.
    pub(crate) fn ran(&self, region: &str, place: &SourcePlace, microseconds: f64) {
        if self.notify {
            say!("terrace: run {place}: {region} on the host's cores");
        }
        if !self.records() {
            return;
        }
        let mut record = lock(&self.record);
        let i = record.row(Kind::Kernel, [region, "(cpu)"], || place.to_string());
        record.rows[i].count += 1;
        record.rows[i].add_time(microseconds, 1);
        record.host(i, host_us() - microseconds);
    }

    /// Bytes are about to be copied, as `order` on the stream.
    pub fn begin_copy(
        &self,
        device: &dyn Device,
        stream: StreamId,
        order: Option<Order>,
        what: &Copied,
    ) -> Option<Begun> {
        if let Some((start, _)) = of_copy(what.direction) {
            prof::queued(start, what.place, About::Data(what.name, what.bytes, 0, 0));
        }
        if !self.records() {
            return None;
        }
        let at = what.place.to_string();
        let mut record = lock(&self.record);
        let i = record.row(Kind::Copy(what.direction), [what.name, &at], || at.clone());
        let row = &mut record.rows[i];
        row.count += 1;
        row.bytes = row.bytes.saturating_add(what.bytes);
        Some(record.begin(device, stream, order, i, Size::Bytes(what.bytes)))
    }

    /// The copy was queued.
    pub fn copied(&self, device: &dyn Device, begun: Option<Begun>, what: &Copied) {
        if let Some((_, end)) = of_copy(what.direction) {
            prof::queued(end, what.place, About::Data(what.name, what.bytes, 0, 0));
        }
        if self.notify {
            let line = copy_line(what.place, what.name, what.bytes, what.direction);
            say!("{line}");
        }
        if let Some(begun) = begun {
            lock(&self.record).end(device, begun);
        }
    }

    /// The tables, with the times that are still out; empty when nothing was recorded.
    pub fn finish(&self, device: Option<&dyn Device>) -> String {
        let mut record = lock(&self.record);
        if let Some(device) = device {
            record.drain(device, usize::MAX);
        }
        tables::tables(&record, device)
    }

    /// Adds what is recorded, with the times that are still out, to a trace.
    pub(crate) fn add_to(&self, trace: &mut Trace, process: &Process, device: Option<&dyn Device>) {
        let mut record = lock(&self.record);
        if let Some(device) = device {
            record.drain(device, usize::MAX);
        }
        trace.add(process, &mut record);
    }
}
