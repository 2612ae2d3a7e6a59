//! Times of the parts of the machine, of which the greatest binds.
//!
//! Each term is what one part has to do over what it can do in a second (the roofline of
//! Williams, Waterman, Patterson, "Roofline: An Insightful Visual Performance Model", 2009,
//! with a roof for each level of memory and each kind of arithmetic). Parts of which every
//! multiprocessor has its own are as slow as the multiprocessor with most blocks. Latency is
//! a term of its own: threads that wait do nothing, and by Little's law what is in flight
//! bounds what arrives (Volkov, "Understanding Latency Hiding on GPUs", 2016, chapter 4).

use super::footprint::{Extents, Level, brought, sectors};
use super::moves;
use super::nest::{Mapping, Nest, Space};
use super::requests::{Counts, LANES, count};
use terrace_machine::{Limit, Machine, Occupancy, Request, occupancy};

/// A part of the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TermKind {
    /// Device memory.
    Memory,
    /// From the L2 cache to multiprocessors.
    L2,
    /// The L1 caches: lines, sectors, addresses.
    L1,
    Shared,
    F32,
    F64,
    Integer,
    Special,
    /// Schedulers.
    Issue,
    /// Threads waiting for memory and for their own results.
    Latency,
    Launch,
}

impl TermKind {
    pub const fn name(self) -> &'static str {
        match self {
            TermKind::Memory => "memory",
            TermKind::L2 => "L2",
            TermKind::L1 => "L1",
            TermKind::Shared => "shared memory",
            TermKind::F32 => "f32",
            TermKind::F64 => "f64",
            TermKind::Integer => "integers",
            TermKind::Special => "functions",
            TermKind::Issue => "issue",
            TermKind::Latency => "latency",
            TermKind::Launch => "launch",
        }
    }
}

/// A part's time, and what it is made of.
#[derive(Clone, PartialEq, Debug)]
pub struct Term {
    pub kind: TermKind,
    /// Microseconds of one launch.
    pub us: f64,
    /// The amounts behind it, in words.
    pub what: String,
}

/// What a nest costs under a mapping.
#[derive(Clone, PartialEq, Debug)]
pub struct Cost {
    /// In the order of the nest's references, over one launch.
    pub references: Vec<Counts>,
    pub terms: Vec<Term>,
    pub grid: [u64; 3],
    pub block: [u32; 3],
    pub occupancy: Occupancy,
    pub registers: u32,
    /// Blocks over those that run at once.
    pub waves: f64,
    /// Sectors that go from the L2 cache to multiprocessors and back.
    pub l2_sectors: f64,
    /// Bytes between device memory and the L2 cache.
    pub memory_bytes: f64,
    pub launches: f64,
}

impl Cost {
    /// The term that binds.
    pub fn binding(&self) -> Option<&Term> {
        self.terms.iter().max_by(|a, b| a.us.total_cmp(&b.us))
    }

    /// Microseconds of one launch: the binding term.
    pub fn us(&self) -> f64 {
        self.binding().map_or(0.0, |t| t.us)
    }

    /// The same with what other terms add where they are nearly as long, for comparing
    /// mappings that one part binds alike: parts do not overlap without gaps.
    pub fn smooth_us(&self) -> f64 {
        let most = self.us();
        let sum: f64 = (self.terms.iter().map(|t| (t.us / most.max(1e-12)).powi(4))).sum();
        most * sum.powf(0.25)
    }

    /// Whether all requests were counted and none estimated.
    pub fn is_exact(&self) -> bool {
        self.references.iter().all(|c| c.exact)
    }

    /// All references together.
    pub fn counts(&self) -> Counts {
        let mut all = Counts::ZERO;
        for c in &self.references {
            all.add(c, 1.0);
        }
        all
    }
}

/// Iterations of innermost loops that the compiler runs together where it can.
const UNROLLED: f64 = 4.0;

/// Iterations of straight code whose loads wait together.
const MOST_TOGETHER: f64 = 16.0;

/// Registers of a thread, from what it has in flight: a guess.
fn registers(nest: &Nest, machine: &Machine) -> u32 {
    let mut most = 0u32;
    for w in &nest.work {
        let loads = nest.references.iter().filter(|r| r.loops == w.loops);
        let words: i64 = loads.map(|r| 2 + (r.bytes + 3) / 4).sum();
        most = most.max(u32::try_from(words).unwrap_or(255));
    }
    (22 + most).min(machine.max_registers_per_thread)
}

/// What the accesses of a nest cost.
struct Traffic {
    references: Vec<Counts>,
    l2_sectors: f64,
    memory_bytes: f64,
    /// For each array the share of loaded sectors that the L1 cache lacks, and of those
    /// that the L2 cache lacks.
    misses: Vec<(f64, f64)>,
}

/// Predicts a nest under a mapping.
///
/// # Errors
///
/// Nests that contradict themselves ([`Nest::check`]), mappings of loops that have no
/// constant bounds, and blocks that cannot run.
pub fn predict(nest: &Nest, mapping: &Mapping, machine: &Machine) -> Result<Cost, String> {
    nest.check()?;
    let mut trips = [1i64; 3];
    for (d, l) in mapping.axes.iter().enumerate() {
        let this = nest.loops.get(*l).filter(|_| d < 3);
        let this = this.ok_or("an axis has a loop that is none")?;
        if mapping.axes[..d].contains(l) {
            return Err(format!("loop '{}' runs along two axes", this.name));
        }
        trips[d] = this.constant_trips().ok_or_else(|| {
            format!(
                "loop '{}' is not mapped: how often it goes round depends on other loops",
                this.name
            )
        })?;
    }
    for (d, b) in mapping.block.iter().enumerate() {
        if *b > machine.max_block[d] {
            let axis = ["x", "y", "z"][d];
            return Err(format!(
                "a block of {b} threads along {axis}; at most {} are allowed",
                machine.max_block[d]
            ));
        }
    }
    let registers = registers(nest, machine);
    let shared: f64 = (nest.arrays.iter())
        .filter(|a| a.space == Space::Shared)
        .map(|a| a.bytes())
        .sum();
    let occupancy = occupancy(
        machine,
        Request {
            threads_per_block: mapping.threads(),
            registers_per_thread: registers,
            shared_per_block: shared.min(1e9) as u32,
        },
    )
    .map_err(|e| e.to_string())?;
    if occupancy.blocks_per_sm == 0 {
        return Err("no block fits on a multiprocessor".into());
    }
    let mut grid = [1u64; 3];
    for d in 0..3 {
        let b = i64::from(mapping.block[d].max(1));
        grid[d] = (trips[d] / b + i64::from(trips[d] % b > 0)).max(0) as u64;
    }
    let blocks = grid.iter().map(|n| *n as f64).product::<f64>();
    let resident = f64::from(machine.sms) * f64::from(occupancy.blocks_per_sm);
    let waves = blocks / resident;
    let traffic = traffic(nest, mapping, machine, &occupancy, trips, grid, shared);
    let mut cost = Cost {
        references: traffic.references.clone(),
        terms: Vec::new(),
        grid,
        block: mapping.block,
        occupancy,
        registers,
        waves,
        l2_sectors: traffic.l2_sectors,
        memory_bytes: traffic.memory_bytes,
        launches: nest.launches.max(1.0),
    };
    cost.terms = terms(nest, mapping, machine, &cost, &traffic, blocks);
    Ok(cost)
}

fn traffic(
    nest: &Nest,
    mapping: &Mapping,
    m: &Machine,
    occupancy: &Occupancy,
    trips: [i64; 3],
    grid: [u64; 3],
    shared: f64,
) -> Traffic {
    let sector = f64::from(m.sector_bytes);
    let references: Vec<Counts> = (nest.references.iter())
        .map(|r| {
            let all = count(nest, mapping, r, m);
            let share = moves::share(nest, r, &mapping.axes);
            let mut made = Counts::ZERO;
            made.add(&all, share);
            made.exact &= share == 1.0;
            made
        })
        .collect();
    let typical = nest.typical_trips();
    // Serial loops from the inside out.
    let mut serial: Vec<usize> = Vec::new();
    for r in &nest.references {
        for (i, l) in r.loops.iter().enumerate() {
            if !mapping.axes.contains(l) && !serial.contains(l) {
                // Behind the last of those around it.
                let outer = r.loops[..i]
                    .iter()
                    .filter_map(|o| serial.iter().position(|s| s == o));
                let at = outer.max().map_or(0, |p| p + 1);
                serial.insert(at, *l);
            }
        }
    }
    serial.reverse();
    let still: Extents = vec![1.0; nest.loops.len()];
    let level = |l: usize| Level {
        l,
        before: 1.0,
        after: typical[l].max(1.0),
    };
    let levels: Vec<Level> = serial.iter().map(|l| level(*l)).collect();
    // A block on its multiprocessor, with the share of the cache that it has.
    let mut block = still.clone();
    let mut parts = 1.0;
    for (d, l) in mapping.axes.iter().enumerate() {
        let b = f64::from(mapping.block[d]);
        block[*l] = b.min(trips[d] as f64);
        parts *= trips[d] as f64 / block[*l].max(1.0);
    }
    let l1 = (f64::from(m.l1_bytes) - shared * f64::from(occupancy.blocks_per_sm)).max(0.0)
        / f64::from(occupancy.blocks_per_sm);
    // The blocks that run at once: first along x, then y, then z.
    let mut wave = still;
    let mut left = (f64::from(m.sms) * f64::from(occupancy.blocks_per_sm)).max(1.0);
    let mut around = Vec::new();
    for (d, l) in mapping.axes.iter().enumerate() {
        let here = left.min(grid[d] as f64).max(1.0);
        let together = (here * f64::from(mapping.block[d])).min(trips[d] as f64);
        wave[*l] = together.max(1.0);
        left = (left / here).max(1.0);
        around.push(Level {
            l: *l,
            before: together.max(1.0),
            after: (trips[d] as f64).max(1.0),
        });
    }
    let mut out_of_wave: Vec<Level> = serial.iter().map(|l| level(*l)).collect();
    out_of_wave.extend(around);
    let mut l2_sectors = 0.0;
    let mut memory_bytes = 0.0;
    let mut misses = Vec::new();
    for (i, a) in nest.arrays.iter().enumerate() {
        let of = |writes: bool| -> f64 {
            let mine = nest.references.iter().zip(&references);
            mine.filter(|(r, _)| r.array == i && r.writes == writes)
                .map(|(_, c)| c.sectors)
                .sum()
        };
        if a.space == Space::Shared {
            misses.push((0.0, 0.0));
            continue;
        }
        let (loaded, stored) = (of(false), of(true));
        let mut from_l2 = 0.0;
        if loaded > 0.0 {
            from_l2 = brought(nest, i, Some(false), &block, &levels, l1, sector) * parts;
            from_l2 = from_l2.min(loaded);
        }
        let capacity = m.l2_bytes as f64;
        let all = |writes| brought(nest, i, Some(writes), &wave, &out_of_wave, capacity, sector);
        let read = if loaded > 0.0 {
            all(false).min(from_l2)
        } else {
            0.0
        };
        let written = if stored > 0.0 {
            all(true).min(stored)
        } else {
            0.0
        };
        l2_sectors += from_l2 + stored;
        memory_bytes += (read + written) * sector;
        misses.push((
            from_l2 / loaded.max(1.0),
            if from_l2 > 0.0 { read / from_l2 } else { 0.0 },
        ));
    }
    Traffic {
        references,
        l2_sectors,
        memory_bytes,
        misses,
    }
}

fn terms(
    nest: &Nest,
    mapping: &Mapping,
    m: &Machine,
    cost: &Cost,
    traffic: &Traffic,
    blocks: f64,
) -> Vec<Term> {
    let r = &m.rates;
    let sms = f64::from(m.sms);
    // Clocks to microseconds.
    let us = |clocks: f64| clocks / (r.clock_ghz.value * 1e3);
    let busy = blocks.min(sms).max(1.0);
    // How much more the multiprocessor with most blocks has to do than the average one.
    // Blocks that run at once share what there is; a last wave that is not full does not.
    let tail = (blocks / sms).ceil().max(1.0) * sms / blocks.max(1.0);
    let per_sm = |work: f64, rate: f64| us(work / (sms * rate)) * tail;
    let mut out = Vec::new();
    let mut term = |kind, us: f64, what: String| out.push(Term { kind, us, what });

    let mb = traffic.memory_bytes / 1e6;
    term(
        TermKind::Memory,
        traffic.memory_bytes / (r.memory_gb_s.value * 1e3),
        format!("{mb:.3} MB at {} GB/s", r.memory_gb_s.value),
    );
    let l2_bytes = traffic.l2_sectors * f64::from(m.sector_bytes);
    let links = busy * r.l2_bytes_per_clock.value * r.clock_ghz.value;
    let l2_rate = r.l2_gb_s.value.min(links);
    term(
        TermKind::L2,
        l2_bytes / (l2_rate * 1e3),
        format!("{:.3} MB at {l2_rate:.0} GB/s", l2_bytes / 1e6),
    );

    let (mut l1_clocks, mut shared_clocks, mut accesses) = (0.0, 0.0, 0.0);
    let (mut lines, mut l1_sectors) = (0.0, 0.0);
    for (reference, c) in nest.references.iter().zip(&traffic.references) {
        accesses += c.requests;
        match nest.arrays[reference.array].space {
            Space::Shared => {
                let bytes = f64::from(m.shared_banks * m.bank_bytes);
                shared_clocks += c.wavefronts * bytes / r.shared_bytes_per_clock.value;
            }
            Space::Global => {
                let by_lines = c.lines / r.l1_lines_per_clock.value;
                let by_bytes = c.sectors * f64::from(m.sector_bytes) / r.l1_bytes_per_clock.value;
                let by_lanes = c.requests * LANES as f64 / r.address_per_clock.value;
                l1_clocks += by_lines.max(by_bytes).max(by_lanes);
                lines += c.lines;
                l1_sectors += c.sectors;
            }
        }
    }
    term(
        TermKind::L1,
        per_sm(l1_clocks, 1.0),
        format!("{accesses:.0} requests of {lines:.0} lines, {l1_sectors:.0} sectors"),
    );
    if shared_clocks > 0.0 {
        let c = cost.counts();
        term(
            TermKind::Shared,
            per_sm(shared_clocks, 1.0),
            format!(
                "{:.0} passes, {:.0} for bank conflicts",
                c.wavefronts, c.conflicts
            ),
        );
    }

    let typical = nest.typical_trips();
    let warps = blocks
        * f64::from(mapping.threads())
            .div_euclid(LANES as f64)
            .max(1.0);
    let (mut f32s, mut f64s, mut i32s, mut specials) = (0.0, 0.0, 0.0, 0.0);
    let mut waiting = 0.0;
    for w in &nest.work {
        let serial = w.loops.iter().filter(|l| !mapping.axes.contains(l));
        let times: f64 = serial.map(|l| typical[*l]).product();
        f32s += w.f32 * times * warps;
        f64s += w.f64 * times * warps;
        i32s += w.i32 * times * warps;
        specials += w.special * times * warps;
        // One iteration waits for the slowest of its loads; unrolled ones wait together.
        let inner = w.loops.last().filter(|l| !mapping.axes.contains(l));
        let (_, straight) = moves::unrolled(nest, &w.loops, &mapping.axes);
        let together = inner.map_or(1.0, |l| typical[*l].clamp(1.0, UNROLLED));
        let together = together.max((straight as f64).min(MOST_TOGETHER));
        let loads = (nest.references.iter()).filter(|r| r.loops == w.loops && !r.writes);
        let slowest = loads.map(|load| {
            if nest.arrays[load.array].space == Space::Shared {
                return r.shared_latency.value;
            }
            let (l1, l2) = traffic.misses[load.array];
            let (l1, l2) = (l1.clamp(0.0, 1.0), l2.clamp(0.0, 1.0));
            let beyond = (1.0 - l2) * r.l2_latency.value + l2 * r.memory_latency.value;
            (1.0 - l1) * r.l1_latency.value + l1 * beyond
        });
        let slowest = slowest.fold(0.0, f64::max);
        waiting += times * (slowest / together + w.chain * r.arithmetic_latency.value);
    }
    let mut arithmetic = |kind, warp_operations: f64, rate: f64, peak: Option<f64>| {
        if warp_operations > 0.0 {
            let lanes = warp_operations * LANES as f64;
            let at_clock = per_sm(lanes, rate);
            let at_peak = peak.map_or(0.0, |tflops| 2.0 * lanes / (tflops * 1e6) * tail);
            out.push(Term {
                kind,
                us: at_clock.max(at_peak),
                what: format!("{warp_operations:.0} operations of warps"),
            });
        }
    };
    arithmetic(
        TermKind::F32,
        f32s,
        r.f32_per_clock.value,
        Some(r.f32_tflops.value),
    );
    arithmetic(
        TermKind::F64,
        f64s,
        r.f64_per_clock.value,
        Some(r.f64_tflops.value),
    );
    arithmetic(TermKind::Integer, i32s, r.i32_per_clock.value, None);
    arithmetic(TermKind::Special, specials, r.special_per_clock.value, None);
    let issued = f32s + f64s + i32s + specials + accesses;
    let mut term = |kind, us: f64, what: String| out.push(Term { kind, us, what });
    term(
        TermKind::Issue,
        per_sm(issued, r.issue_per_clock.value),
        format!("{issued:.0} instructions of warps"),
    );
    let waves = cost.waves.max(1.0);
    let limit = match cost.occupancy.limit {
        Limit::Threads => "threads",
        Limit::Blocks => "blocks",
        Limit::Registers => "registers",
        Limit::Shared => "shared memory",
    };
    term(
        TermKind::Latency,
        us(waves * waiting),
        format!(
            "{waiting:.0} clocks a thread, {:.2} waves of {} warps an SM ({limit})",
            cost.waves, cost.occupancy.warps_per_sm
        ),
    );
    term(
        TermKind::Launch,
        r.launch_us.value,
        "an empty kernel".into(),
    );
    out
}

/// Different sectors that a launch touches, array by array: what memory has to bring at
/// least.
pub fn least_sectors(nest: &Nest, machine: &Machine) -> f64 {
    let all: Extents = nest.typical_trips();
    let global = (0..nest.arrays.len()).filter(|a| nest.arrays[*a].space == Space::Global);
    let sector = f64::from(machine.sector_bytes);
    global.map(|a| sectors(nest, a, None, &all, sector)).sum()
}
