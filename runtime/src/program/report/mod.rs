//! What a program did on a device: counts and times for a table at its end
//! (`TERRACE_PROFILE`), a line for each launch and copy (`TERRACE_NOTIFY`), both on
//! standard error, and a file of what ran when (`TERRACE_TRACE`).

mod record;
mod tables;
mod trace;

use std::fmt;
use std::sync::Mutex;

use terrace_support::estimate::Work;

use super::abi::Place;
use super::lock;
use super::settings::Settings;
use crate::device::{Device, KernelId, LaunchConfig, StreamId};
use crate::profile::Direction;

pub use record::Begun;
use record::{Kind, Record, Size, host_us};
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
    pub place: &'a Place,
}

fn size(d: [u32; 3]) -> String {
    format!("{}x{}x{}", d[0], d[1], d[2])
}

/// What is said of a launch where each is.
pub(super) fn launch_line(
    place: &Place,
    region: &str,
    kernel: &str,
    config: &LaunchConfig,
) -> String {
    let (grid, block) = (size(config.grid), size(config.block));
    format!("terrace: launch {place}: {region}, kernel {kernel}, grid {grid}, block {block}")
}

/// And of a copy.
pub(super) fn copy_line(place: &Place, name: &str, bytes: u64, direction: Direction) -> String {
    let way = direction.name();
    format!("terrace: copy {place}: `{name}`, {bytes} bytes, {way}")
}

/// Something that the host does for a device, from when this is made until it goes.
pub struct HostSpan<'a> {
    report: &'a Report,
    what: &'a str,
    place: String,
    start: f64,
}

impl Drop for HostSpan<'_> {
    fn drop(&mut self) {
        let mut record = lock(&self.report.record);
        let place = std::mem::take(&mut self.place);
        let row = record.row(Kind::Host, [self.what, &place], || place.clone());
        record.host(row, self.start);
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
            record: Mutex::new(match trace {
                true => Record::traced(),
                false => Record::default(),
            }),
        }
    }

    fn records(&self) -> bool {
        self.profile || self.trace
    }

    /// Marks the beginning of something on a stream, if times are wanted.
    pub fn begin(&self, device: &dyn Device, stream: StreamId) -> Option<Begun> {
        match self.records() {
            true => lock(&self.record).begin(device, stream),
            false => None,
        }
    }

    /// Marks the beginning of something on the host, if a trace is wanted.
    pub fn host<'a>(&'a self, what: &'a str, place: impl fmt::Display) -> Option<HostSpan<'a>> {
        self.trace.then(|| HostSpan {
            report: self,
            what,
            place: place.to_string(),
            start: host_us(),
        })
    }

    /// A kernel was launched.
    pub fn launched(
        &self,
        device: &dyn Device,
        config: &LaunchConfig,
        begun: Option<Begun>,
        what: &Launched,
    ) {
        if self.notify {
            let line = launch_line(what.place, what.region, what.kernel, config);
            eprintln!("{line}");
        }
        if !self.records() {
            return;
        }
        let mut record = lock(&self.record);
        let i = self.kernel_row(&mut record, device, config, what);
        let size = Size::Launch(config.grid, config.block);
        record.end(device, config.stream, begun, i, size);
    }

    /// A kernel could not be launched, or what it did is an error.
    pub fn refused(
        &self,
        device: &dyn Device,
        config: &LaunchConfig,
        begun: Option<Begun>,
        what: &Launched,
    ) {
        let Some(begun) = begun else {
            return;
        };
        let mut record = lock(&self.record);
        let i = self.kernel_row(&mut record, device, config, what);
        let size = Size::Launch(config.grid, config.block);
        record.failed(config.stream, begun, i, size);
    }

    fn kernel_row(
        &self,
        record: &mut Record,
        device: &dyn Device,
        config: &LaunchConfig,
        what: &Launched,
    ) -> usize {
        let names = [what.region, what.kernel];
        let i = record.row(Kind::Kernel, names, || what.place.to_string());
        let row = &mut record.rows[i];
        let shape = Some((config.grid, config.block));
        row.varies |= row.shape.is_some() && row.shape != shape;
        row.shape = shape;
        row.count += 1;
        if row.registers.is_none() {
            row.registers = device.kernel_info(what.id).ok().map(|k| k.registers);
        }
        i
    }

    /// A region ran on the device, and does this, if that is known.
    pub(crate) fn worked(&self, region: &str, place: &Place, work: Option<Work>) {
        if !self.profile {
            return;
        }
        let mut record = lock(&self.record);
        let i = record.row(Kind::Region, [region, ""], || place.to_string());
        let row = &mut record.rows[i];
        row.count += 1;
        if let Some(w) = work {
            row.known += 1;
            row.flops[0] += w.flops32;
            row.flops[1] += w.flops64;
            row.least_bytes += w.moved;
        }
    }

    /// A region ran on the host's cores, until now.
    pub(crate) fn ran(&self, region: &str, place: &Place, microseconds: f64) {
        if self.notify {
            eprintln!("terrace: run {place}: {region} on the host's cores");
        }
        if !self.records() {
            return;
        }
        let mut record = lock(&self.record);
        let i = record.row(Kind::Kernel, [region, "(cpu)"], || place.to_string());
        record.rows[i].count += 1;
        record.rows[i].add_time(microseconds);
        record.host(i, host_us() - microseconds);
    }

    /// Bytes were copied.
    #[expect(
        clippy::too_many_arguments,
        reason = "each says another thing of the copy"
    )]
    pub fn copied(
        &self,
        device: &dyn Device,
        stream: StreamId,
        begun: Option<Begun>,
        direction: Direction,
        name: &str,
        place: &Place,
        bytes: u64,
    ) {
        if self.notify {
            eprintln!("{}", copy_line(place, name, bytes, direction));
        }
        if !self.records() {
            return;
        }
        let mut record = lock(&self.record);
        let at = place.to_string();
        let i = record.row(Kind::Copy(direction), [name, &at], || at.clone());
        record.rows[i].count += 1;
        record.rows[i].bytes = record.rows[i].bytes.saturating_add(bytes);
        record.end(device, stream, begun, i, Size::Bytes(bytes));
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
