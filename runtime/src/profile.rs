//! What ran, for how long, and how fast: a record, and tables of it.

use std::fmt;
use std::time::Duration;

use terrace_ptx::machine::{Arch, Machine, by_arch};

use crate::device::Device;

/// Which way bytes went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    HostToDevice,
    DeviceToHost,
    DeviceToDevice,
}

impl Direction {
    /// All, in the order of the tables.
    pub const ALL: [Direction; 3] = [
        Direction::HostToDevice,
        Direction::DeviceToHost,
        Direction::DeviceToDevice,
    ];

    /// The name in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Direction::HostToDevice => "host to device",
            Direction::DeviceToHost => "device to host",
            Direction::DeviceToDevice => "on device",
        }
    }
}

/// What a launch does, as the compiler counted it. NaN is not known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LaunchWork {
    /// Arithmetic on floats of at most 32 bits, and of 64.
    pub flops: [f64; 2],
    /// What memory must at least move.
    pub bytes: f64,
}

impl LaunchWork {
    /// All arithmetic, if it is known.
    pub fn all_flops(&self) -> Option<f64> {
        let all = self.flops[0] + self.flops[1];
        all.is_finite().then_some(all)
    }

    /// The bytes, if they are known.
    pub fn known_bytes(&self) -> Option<f64> {
        self.bytes.is_finite().then_some(self.bytes)
    }
}

/// The most that a device can do, in 10^9 a second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Peaks {
    /// Operations on floats of at most 32 bits, and of 64.
    pub gflops: [f64; 2],
    pub gigabytes: f64,
}

impl Peaks {
    /// Of a device's kind. Of an emulated one times mean nothing.
    pub fn of(device: &dyn Device) -> Option<Peaks> {
        let rates = &machine(device)?.rates;
        Some(Peaks {
            gflops: [rates.f32_tflops.value * 1e3, rates.f64_tflops.value * 1e3],
            gigabytes: rates.memory_gb_s.value,
        })
    }

    /// The share of the peak of arithmetic, and of that of memory, that so much in so many
    /// microseconds is.
    pub fn shares(&self, work: &LaunchWork, microseconds: f64) -> [Option<f64>; 2] {
        let share = |least: f64| {
            let share = least / microseconds;
            (microseconds > 0.0 && share.is_finite()).then_some(share)
        };
        let [f32s, f64s] = work.flops;
        let arithmetic = (f32s / self.gflops[0] + f64s / self.gflops[1]) * 1e-3;
        [share(arithmetic), share(work.bytes / self.gigabytes * 1e-3)]
    }
}

/// What is known of a device's kind.
pub(crate) fn machine(device: &dyn Device) -> Option<&'static Machine> {
    if device.looks_at_accesses() {
        return None;
    }
    let (major, minor) = device.info().compute_capability;
    by_arch(Arch::sm(u16::try_from(major * 10 + minor).ok()?))
}

/// One run of a kernel, or of a whole program or loop on the host.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelRun {
    pub name: String,
    /// Where it ran, as in `gpu` or `cpu`.
    pub target: String,
    /// Blocks and threads of a block, where there are any.
    pub launch: Option<([u32; 3], [u32; 3])>,
    pub microseconds: f64,
    /// Floating-point operations, where the program says them.
    pub flops: Option<f64>,
    /// What the compiler counted.
    pub work: Option<LaunchWork>,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    Kernel(KernelRun),
    Copy {
        direction: Direction,
        bytes: u64,
        microseconds: f64,
    },
    Alloc {
        target: String,
        bytes: u64,
    },
    Free {
        target: String,
        bytes: u64,
    },
    /// A step on the host that is not the program: compiling, loading.
    Step {
        name: String,
        microseconds: f64,
    },
}

/// Count, total, and distribution of some times.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Stats {
    pub count: usize,
    pub total: f64,
    pub min: f64,
    /// The middle one; of an even number, the mean of the two in the middle.
    pub median: f64,
    pub max: f64,
}

impl Stats {
    /// The statistics of some values; all zero when there are none. NaN counts as
    /// the largest value.
    pub fn of(values: &[f64]) -> Stats {
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let (Some(&min), Some(&max)) = (sorted.first(), sorted.last()) else {
            return Stats::default();
        };
        let middle = sorted.len() / 2;
        let median = if sorted.len() % 2 == 1 {
            sorted[middle]
        } else {
            sorted[middle - 1] / 2.0 + sorted[middle] / 2.0
        };
        Stats {
            count: sorted.len(),
            total: sorted.iter().sum(),
            min,
            median,
            max,
        }
    }
}

/// All runs of one kernel with one launch shape.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelSummary {
    pub name: String,
    pub target: String,
    pub launch: Option<([u32; 3], [u32; 3])>,
    /// In microseconds.
    pub times: Stats,
    /// By the median time, where every run's operations are known and equal; else by what
    /// the compiler counted and all time.
    pub gflops: Option<f64>,
    /// By what the compiler counted of all runs, if it did, and all time.
    pub gigabytes: Option<f64>,
    /// What all did.
    pub work: Option<LaunchWork>,
}

/// All copies in one direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CopySummary {
    pub direction: Direction,
    pub bytes: u64,
    /// In microseconds.
    pub times: Stats,
}

impl CopySummary {
    /// All bytes over all time, in 10^9 bytes a second; `None` without time.
    pub fn gigabytes_per_second(&self) -> Option<f64> {
        rate(self.bytes as f64, self.times.total)
    }
}

/// Units per microsecond, times 1e-3: 10^9 units a second.
fn rate(units: f64, microseconds: f64) -> Option<f64> {
    (microseconds > 0.0).then(|| units / microseconds * 1e-3)
}

/// A record of events, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profile {
    events: Vec<Event>,
    /// Of the device, where they are known.
    pub peaks: Option<Peaks>,
}

impl Profile {
    /// An empty record.
    pub fn new() -> Profile {
        Profile::default()
    }

    /// Adds an event.
    pub fn record(&mut self, event: Event) {
        self.events.push(event);
    }

    /// Adds a step of the host.
    pub fn record_step(&mut self, name: &str, time: Duration) {
        self.record(Event::Step {
            name: name.to_string(),
            microseconds: time.as_secs_f64() * 1e6,
        });
    }

    /// The events, in order.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Adds the events of another record, as those of a further repetition.
    pub fn extend(&mut self, other: Profile) {
        self.events.extend(other.events);
        self.peaks = self.peaks.or(other.peaks);
    }

    /// The kernels in the order of their first run.
    pub fn kernels(&self) -> Vec<KernelSummary> {
        struct Group<'a> {
            run: &'a KernelRun,
            times: Vec<f64>,
            flops: Option<f64>,
            work: Option<LaunchWork>,
        }
        let mut groups: Vec<Group> = Vec::new();
        for event in &self.events {
            let Event::Kernel(run) = event else {
                continue;
            };
            let same = |g: &&mut Group| {
                g.run.name == run.name && g.run.target == run.target && g.run.launch == run.launch
            };
            match groups.iter_mut().find(same) {
                Some(g) => {
                    g.times.push(run.microseconds);
                    if g.flops != run.flops {
                        g.flops = None;
                    }
                    g.work = g.work.zip(run.work).map(|(a, b)| LaunchWork {
                        flops: [a.flops[0] + b.flops[0], a.flops[1] + b.flops[1]],
                        bytes: a.bytes + b.bytes,
                    });
                }
                None => groups.push(Group {
                    run,
                    times: vec![run.microseconds],
                    flops: run.flops,
                    work: run.work,
                }),
            }
        }
        groups
            .into_iter()
            .map(|g| {
                let times = Stats::of(&g.times);
                let said = g.flops.and_then(|flops| rate(flops, times.median));
                let counted = || rate(g.work?.all_flops()?, times.total);
                KernelSummary {
                    name: g.run.name.clone(),
                    target: g.run.target.clone(),
                    launch: g.run.launch,
                    times,
                    gflops: said.or_else(counted),
                    gigabytes: g.work.and_then(|w| rate(w.known_bytes()?, times.total)),
                    work: g.work,
                }
            })
            .collect()
    }

    /// The copies, by direction; directions without any are left out.
    pub fn copies(&self) -> Vec<CopySummary> {
        let one = |wanted: Direction| {
            let mut times = Vec::new();
            let mut sum = 0u64;
            for event in &self.events {
                if let Event::Copy {
                    direction,
                    bytes,
                    microseconds,
                } = event
                    && *direction == wanted
                {
                    times.push(*microseconds);
                    sum = sum.saturating_add(*bytes);
                }
            }
            (!times.is_empty()).then(|| CopySummary {
                direction: wanted,
                bytes: sum,
                times: Stats::of(&times),
            })
        };
        Direction::ALL.into_iter().filter_map(one).collect()
    }

    /// The largest number of bytes allocated at once on a target, and the number
    /// of allocations.
    pub fn allocations(&self, on: &str) -> (u64, usize) {
        let (mut now, mut peak, mut count) = (0u64, 0u64, 0);
        for event in &self.events {
            match event {
                Event::Alloc { target, bytes } if target == on => {
                    now = now.saturating_add(*bytes);
                    peak = peak.max(now);
                    count += 1;
                }
                Event::Free { target, bytes } if target == on => now = now.saturating_sub(*bytes),
                _ => {}
            }
        }
        (peak, count)
    }

    fn targets(&self) -> Vec<&str> {
        let mut targets: Vec<&str> = Vec::new();
        for event in &self.events {
            if let Event::Alloc { target, .. } = event
                && !targets.contains(&target.as_str())
            {
                targets.push(target);
            }
        }
        targets
    }
}

/// The tables: kernels, copies, allocations and steps, those that there are.
impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let distribution = |s: &Stats| {
            [
                s.count.to_string(),
                time(s.total),
                time(s.min),
                time(s.median),
                time(s.max),
            ]
        };
        let or_dash = |value: Option<f64>| match value {
            Some(v) if v < 1.0 => format!("{v:.3}"),
            Some(v) => format!("{v:.1}"),
            None => "-".to_string(),
        };
        let mut head = vec![
            "kernel", "on", "grid", "block", "count", "total", "min", "median", "max", "GFLOP/s",
        ];
        let all = self.kernels();
        // On the host nobody counts.
        let counted = all.iter().any(|k| k.work.is_some());
        let share = |s: Option<f64>| s.map_or("-".to_string(), |s| format!("{:.1} %", 100.0 * s));
        match (counted, self.peaks) {
            (true, Some(_)) => head.extend(["of peak", "GB/s", "of peak"]),
            (true, None) => head.push("GB/s"),
            (false, _) => {}
        }
        let mut kernels = Table::new(&head);
        for k in all {
            let size = |d: [u32; 3]| format!("{}x{}x{}", d[0], d[1], d[2]);
            let (grid, block) = match k.launch {
                Some((grid, block)) => (size(grid), size(block)),
                None => ("-".to_string(), "-".to_string()),
            };
            let mut row = vec![k.name, k.target, grid, block];
            row.extend(distribution(&k.times));
            row.push(or_dash(k.gflops));
            let shares = self.peaks.map(|p| match &k.work {
                Some(work) => p.shares(work, k.times.total),
                None => [None; 2],
            });
            match (counted, shares) {
                (true, Some([flops, bytes])) => {
                    row.extend([share(flops), or_dash(k.gigabytes), share(bytes)]);
                }
                (true, None) => row.push(or_dash(k.gigabytes)),
                (false, _) => {}
            }
            kernels.rows.push(row);
        }
        let mut copies = Table::new(&[
            "copies", "bytes", "count", "total", "min", "median", "max", "GB/s",
        ]);
        for c in self.copies() {
            let mut row = vec![c.direction.name().to_string(), c.bytes.to_string()];
            row.extend(distribution(&c.times));
            row.push(or_dash(c.gigabytes_per_second()));
            copies.rows.push(row);
        }
        let mut memory = Table::new(&["memory", "allocations", "peak bytes"]);
        for target in self.targets() {
            let (peak, count) = self.allocations(target);
            memory.rows.push(vec![
                target.to_string(),
                count.to_string(),
                peak.to_string(),
            ]);
        }
        let mut steps = Table::new(&["step", "time"]);
        for event in &self.events {
            if let Event::Step { name, microseconds } = event {
                steps.rows.push(vec![name.clone(), time(*microseconds)]);
            }
        }
        let mut first = true;
        for table in [kernels, copies, memory, steps] {
            if table.rows.is_empty() {
                continue;
            }
            if !first {
                f.write_str("\n")?;
            }
            first = false;
            write!(f, "{table}")?;
        }
        Ok(())
    }
}

/// A time in the unit that suits it: `12.3 us`, `4.56 ms`, `7.89 s`.
pub fn time(microseconds: f64) -> String {
    match microseconds {
        t if t >= 1e6 => format!("{:.3} s", t / 1e6),
        t if t >= 1e3 => format!("{:.3} ms", t / 1e3),
        t => format!("{t:.2} us"),
    }
}

/// Rows of text; the first column is aligned left, the others right.
pub(crate) struct Table {
    head: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(head: &[&str]) -> Table {
        Table {
            head: head.iter().map(|h| h.to_string()).collect(),
            rows: Vec::new(),
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = || std::iter::once(&self.head).chain(&self.rows);
        let widths: Vec<usize> = (0..self.head.len())
            .map(|c| {
                all()
                    .filter_map(|row| row.get(c))
                    .map(|t| t.chars().count())
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        for row in all() {
            let mut line = String::new();
            for (c, (cell, width)) in row.iter().zip(&widths).enumerate() {
                if c == 0 {
                    line.push_str(&format!("{cell:<width$}"));
                } else {
                    line.push_str(&format!("  {cell:>width$}"));
                }
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str, microseconds: f64, flops: Option<f64>) -> Event {
        Event::Kernel(KernelRun {
            name: name.to_string(),
            target: "gpu".to_string(),
            launch: Some(([10, 1, 1], [256, 1, 1])),
            microseconds,
            flops,
            work: None,
        })
    }

    #[test]
    fn medians() {
        assert_eq!(Stats::of(&[]), Stats::default());
        let odd = Stats::of(&[3.0, 1.0, 2.0]);
        assert_eq!(
            (odd.count, odd.total, odd.min, odd.median, odd.max),
            (3, 6.0, 1.0, 2.0, 3.0)
        );
        assert_eq!(Stats::of(&[4.0, 1.0, 2.0, 3.0]).median, 2.5);
        assert_eq!(Stats::of(&[f64::MAX, f64::MAX]).median, f64::MAX);
    }

    #[test]
    fn runs_are_grouped() {
        let mut profile = Profile::new();
        for microseconds in [30.0, 10.0, 20.0] {
            profile.record(run("gemm", microseconds, Some(2e6)));
        }
        profile.record(run("other", 5.0, None));
        let mut again = Profile::new();
        again.record(run("other", 7.0, None));
        profile.extend(again);
        let kernels = profile.kernels();
        assert_eq!(kernels.len(), 2);
        assert_eq!(
            (kernels[0].times.median, kernels[0].gflops),
            (20.0, Some(100.0))
        );
        assert_eq!((kernels[1].times.count, kernels[1].gflops), (2, None));
        // Different work under one name has no single rate.
        profile.record(run("gemm", 20.0, Some(4e6)));
        assert_eq!(profile.kernels()[0].gflops, None);
    }

    #[test]
    fn counted_work_stands_beside_the_peaks() {
        let mut profile = Profile::new();
        let mut counted = |name: &str, flops: [f64; 2], bytes: f64| {
            let Event::Kernel(mut k) = run(name, 10.0, None) else {
                unreachable!("a run of a kernel");
            };
            k.work = Some(LaunchWork { flops, bytes });
            profile.record(Event::Kernel(k));
        };
        // 30 us: 3e6 operations and 6e6 bytes.
        counted("gemm", [0.0, 1e6], 4e6);
        counted("gemm", [1e6, 0.0], 2e6);
        counted("gemm", [1e6, 0.0], 0.0);
        counted("other", [f64::NAN; 2], 1e6);
        let text = profile.to_string();
        let cells = |text: &str, name: &str| {
            let row = text.lines().find(|l| l.starts_with(name)).unwrap();
            let words: Vec<&str> = row.split_whitespace().skip(13).collect();
            words.join(" ")
        };
        assert_eq!(cells(&text, "gemm"), "100.0 200.0");
        assert_eq!(cells(&text, "other"), "- 100.0");
        profile.peaks = Some(Peaks {
            gflops: [1000.0, 500.0],
            gigabytes: 400.0,
        });
        let text = profile.to_string();
        // 2e6 at 1000 and 1e6 at 500 take 4 us of 30.
        assert_eq!(cells(&text, "gemm"), "100.0 13.3 % 200.0 50.0 %");
        assert_eq!(cells(&text, "other"), "- - 100.0 25.0 %");
    }

    #[test]
    fn copies_and_memory_are_summed() {
        let mut profile = Profile::new();
        for bytes in [4_000_000, 6_000_000] {
            profile.record(Event::Copy {
                direction: Direction::DeviceToHost,
                bytes,
                microseconds: 500.0,
            });
        }
        let copies = profile.copies();
        assert_eq!(copies.len(), 1);
        assert_eq!(copies[0].gigabytes_per_second(), Some(10.0));
        let target = || "gpu".to_string();
        profile.record(Event::Alloc {
            target: target(),
            bytes: 100,
        });
        profile.record(Event::Free {
            target: target(),
            bytes: 100,
        });
        profile.record(Event::Alloc {
            target: target(),
            bytes: 60,
        });
        assert_eq!(profile.allocations("gpu"), (100, 2));
        assert_eq!(profile.allocations("cpu"), (0, 0));
    }

    #[test]
    fn tables_line_up() {
        let mut profile = Profile::new();
        profile.record(run("gemm", 1500.0, Some(3e6)));
        profile.record(run("a_longer_name", 2.5, None));
        profile.record(Event::Copy {
            direction: Direction::HostToDevice,
            bytes: 1000,
            microseconds: 0.0,
        });
        profile.record_step("compile", Duration::from_millis(12));
        let expected = "\
kernel          on    grid    block  count     total       min    median       max  GFLOP/s
gemm           gpu  10x1x1  256x1x1      1  1.500 ms  1.500 ms  1.500 ms  1.500 ms      2.0
a_longer_name  gpu  10x1x1  256x1x1      1   2.50 us   2.50 us   2.50 us   2.50 us        -

copies          bytes  count    total      min   median      max  GB/s
host to device   1000      1  0.00 us  0.00 us  0.00 us  0.00 us     -

step          time
compile  12.000 ms
";
        assert_eq!(profile.to_string(), expected);
        assert_eq!(Profile::new().to_string(), "");
        assert_eq!(time(2.5e6), "2.500 s");
    }
}
