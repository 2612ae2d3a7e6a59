//! The runs, copies and allocations of a record, summed.

use super::{Direction, Event, KernelRun, LaunchWork, Profile};

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

impl Profile {
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

    pub(super) fn targets(&self) -> Vec<&str> {
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
