//! What a program did on a device: counts and times for a table at its end
//! (`TERRACE_PROFILE`), and a line for each launch and copy (`TERRACE_NOTIFY`). Both go
//! to standard error.

use std::collections::HashMap;
use std::sync::Mutex;

use super::abi::Place;
use super::lock;
use super::settings::Settings;
use crate::device::{Device, EventId, KernelId, LaunchConfig, StreamId};
use crate::profile::{Direction, Table, time};

/// Times are taken from the device when this many wait for it.
const MOST_PENDING: usize = 512;

/// A record of what one device did.
#[derive(Debug, Default)]
pub struct Report {
    profile: bool,
    notify: bool,
    record: Mutex<Record>,
}

#[derive(Debug, Default)]
struct Record {
    rows: Vec<Row>,
    by_key: HashMap<Key, usize>,
    pending: Vec<Pending>,
    spare: Vec<EventId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    /// Region and kernel.
    Kernel(String, String),
    Copy(String, String, Direction),
}

#[derive(Debug, Clone)]
struct Row {
    key: Key,
    place: String,
    /// Of the last launch, and whether all had the same.
    shape: Option<([u32; 3], [u32; 3])>,
    varies: bool,
    /// Of a thread, as the driver says.
    registers: Option<u32>,
    count: u64,
    bytes: u64,
    /// Microseconds, of `timed` of them.
    timed: u64,
    total: f64,
    min: f64,
    max: f64,
}

/// The kernel of a launch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Launched<'a> {
    pub region: &'a str,
    pub kernel: &'a str,
    pub id: KernelId,
    pub place: &'a Place,
}

#[derive(Debug)]
struct Pending {
    start: EventId,
    end: EventId,
    row: usize,
}

impl Row {
    fn new(key: Key, place: String) -> Row {
        Row {
            key,
            place,
            shape: None,
            varies: false,
            registers: None,
            count: 0,
            bytes: 0,
            timed: 0,
            total: 0.0,
            min: f64::INFINITY,
            max: 0.0,
        }
    }

    fn add_time(&mut self, microseconds: f64) {
        self.timed += 1;
        self.total += microseconds;
        self.min = self.min.min(microseconds);
        self.max = self.max.max(microseconds);
    }

    /// Total, minimum, average, maximum as text.
    fn times(&self) -> [String; 4] {
        if self.timed == 0 {
            return std::array::from_fn(|_| "-".to_string());
        }
        let average = self.total / self.timed as f64;
        [self.total, self.min, average, self.max].map(time)
    }
}

impl Record {
    fn row(&mut self, key: Key, place: impl FnOnce() -> String) -> usize {
        if let Some(i) = self.by_key.get(&key) {
            return *i;
        }
        let i = self.rows.len();
        self.rows.push(Row::new(key.clone(), place()));
        self.by_key.insert(key, i);
        i
    }

    fn drain(&mut self, device: &dyn Device) {
        for p in std::mem::take(&mut self.pending) {
            // After a fault there are no times; the fault is reported by itself.
            if let (Ok(t), Some(row)) =
                (device.elapsed_us(p.start, p.end), self.rows.get_mut(p.row))
            {
                row.add_time(t);
            }
            self.spare.extend([p.start, p.end]);
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

    fn end(&mut self, device: &dyn Device, stream: StreamId, start: Option<EventId>, row: usize) {
        let Some(start) = start else {
            return;
        };
        match self.event(device, stream) {
            Some(end) => self.pending.push(Pending { start, end, row }),
            None => self.spare.push(start),
        }
        if self.pending.len() >= MOST_PENDING {
            self.drain(device);
        }
    }
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

impl Report {
    /// A report as the settings ask for.
    pub fn new(settings: &Settings) -> Report {
        Report {
            profile: settings.profile,
            notify: settings.notify,
            record: Mutex::default(),
        }
    }

    /// Marks the beginning of something, if times are wanted.
    pub(crate) fn begin(&self, device: &dyn Device, stream: StreamId) -> Option<EventId> {
        if !self.profile {
            return None;
        }
        lock(&self.record).event(device, stream)
    }

    /// A kernel was launched.
    pub(crate) fn launched(
        &self,
        device: &dyn Device,
        config: &LaunchConfig,
        start: Option<EventId>,
        what: &Launched,
    ) {
        let Launched {
            region,
            kernel,
            place,
            ..
        } = what;
        if self.notify {
            eprintln!("{}", launch_line(place, region, kernel, config));
        }
        if !self.profile {
            return;
        }
        let mut record = lock(&self.record);
        let key = Key::Kernel(region.to_string(), kernel.to_string());
        let i = record.row(key, || place.to_string());
        let row = &mut record.rows[i];
        let shape = Some((config.grid, config.block));
        row.varies |= row.shape.is_some() && row.shape != shape;
        row.shape = shape;
        row.count += 1;
        if row.registers.is_none() {
            row.registers = device.kernel_info(what.id).ok().map(|k| k.registers);
        }
        record.end(device, config.stream, start, i);
    }

    /// A region ran on the host's cores.
    pub(crate) fn ran(&self, region: &str, place: &Place, microseconds: f64) {
        if self.notify {
            eprintln!("terrace: run {place}: {region} on the host's cores");
        }
        if !self.profile {
            return;
        }
        let mut record = lock(&self.record);
        let key = Key::Kernel(region.to_string(), "(cpu)".to_string());
        let i = record.row(key, || place.to_string());
        record.rows[i].count += 1;
        record.rows[i].add_time(microseconds);
    }

    /// Bytes were copied.
    #[expect(
        clippy::too_many_arguments,
        reason = "each says another thing of the copy"
    )]
    pub(crate) fn copied(
        &self,
        device: &dyn Device,
        stream: StreamId,
        start: Option<EventId>,
        direction: Direction,
        name: &str,
        place: &Place,
        bytes: u64,
    ) {
        if self.notify {
            eprintln!("{}", copy_line(place, name, bytes, direction));
        }
        if !self.profile {
            return;
        }
        let mut record = lock(&self.record);
        let at = place.to_string();
        let key = Key::Copy(at.clone(), name.to_string(), direction);
        let i = record.row(key, || at);
        record.rows[i].count += 1;
        record.rows[i].bytes = record.rows[i].bytes.saturating_add(bytes);
        record.end(device, stream, start, i);
    }

    /// The tables, with the times that are still out; empty when nothing was recorded.
    pub fn finish(&self, device: Option<&dyn Device>) -> String {
        let mut record = lock(&self.record);
        if let Some(device) = device {
            record.drain(device);
        }
        let mut kernels = Table::new(&[
            "region",
            "kernel",
            "at",
            "count",
            "grid",
            "block",
            "registers",
            "total",
            "min",
            "average",
            "max",
        ]);
        let mut copies = Table::new(&[
            "copies", "way", "at", "count", "bytes", "total", "min", "average", "max",
        ]);
        let mut sums: [(u64, u64, f64); 3] = Default::default();
        for row in &record.rows {
            match &row.key {
                Key::Kernel(region, kernel) => {
                    let (grid, block) = match (row.shape, row.varies) {
                        (_, true) => ("varies".to_string(), "varies".to_string()),
                        (Some((grid, block)), _) => (size(grid), size(block)),
                        (None, _) => ("-".to_string(), "-".to_string()),
                    };
                    let count = row.count.to_string();
                    let (region, kernel) = (region.clone(), kernel.clone());
                    let registers = row.registers.map_or("-".to_string(), |n| n.to_string());
                    let place = row.place.clone();
                    let mut cells = vec![region, kernel, place, count, grid, block, registers];
                    cells.extend(row.times());
                    kernels.rows.push(cells);
                }
                Key::Copy(_, name, direction) => {
                    let way = direction.name().to_string();
                    let (count, bytes) = (row.count.to_string(), row.bytes.to_string());
                    let mut cells = vec![name.clone(), way, row.place.clone(), count, bytes];
                    cells.extend(row.times());
                    copies.rows.push(cells);
                    let sum = &mut sums[*direction as usize];
                    sum.0 += row.count;
                    sum.1 = sum.1.saturating_add(row.bytes);
                    sum.2 += row.total;
                }
            }
        }
        for (direction, (count, bytes, total)) in Direction::ALL.into_iter().zip(sums) {
            if count > 0 {
                let dash = || "-".to_string();
                copies.rows.push(vec![
                    "all".to_string(),
                    direction.name().to_string(),
                    dash(),
                    count.to_string(),
                    bytes.to_string(),
                    time(total),
                    dash(),
                    time(total / count as f64),
                    dash(),
                ]);
            }
        }
        let tables = [kernels, copies].into_iter().filter(|t| !t.rows.is_empty());
        let tables: Vec<String> = tables.map(|t| t.to_string()).collect();
        tables.join("\n")
    }
}
