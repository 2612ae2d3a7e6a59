//! Times of the parts of the machine, of which the greatest binds.
//!
//! Each term is what one part has to do over what it can do in a second (the roofline of
//! Williams, Waterman, Patterson, "Roofline: An Insightful Visual Performance Model", 2009,
//! with a roof for each level of memory and each kind of arithmetic). Parts of which every
//! multiprocessor has its own are as slow as the multiprocessor with most blocks. Latency is
//! a term of its own: threads that wait do nothing, and by Little's law what is in flight
//! bounds what arrives (Volkov, "Understanding Latency Hiding on GPUs", 2016, chapter 4).

use super::footprint::{Extents, Level, brought, sectors};
use super::joined::{joined, passes};
use super::lanes::LANES;
use super::moves;
use super::nest::{Mapping, Nest, Space};
use super::registers::aimed_at;
use super::requests::{Counts, count};
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
    /// Blocks that start one after another.
    Blocks,
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
            TermKind::Blocks => "blocks",
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
    /// mappings that one part binds alike: parts do not overlap without gaps. What waits for
    /// memory takes longer where few blocks are on a multiprocessor, since the last warps of
    /// a block keep its place while they are alone; a launch comes on top.
    pub fn smooth_us(&self) -> f64 {
        let blocks = f64::from(self.occupancy.blocks_per_sm.max(1));
        let mut launch = 0.0;
        let mut sum = 0.0;
        for t in &self.terms {
            match t.kind {
                TermKind::Launch => launch += t.us,
                TermKind::Memory | TermKind::L2 | TermKind::Latency => {
                    sum += (t.us * (1.0 + BLOCK_ENDS / blocks)).powi(OVERLAP);
                }
                _ => sum += t.us.powi(OVERLAP),
            }
        }
        launch + sum.powf(1.0 / f64::from(OVERLAP))
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

/// The norm in which terms add up: 2 to 6 order what was measured on an H200 nearly alike.
const OVERLAP: i32 = 3;

/// The part of a block's time in which its last warps are alone: 0.05 to 0.15 order what was
/// measured on an H200 alike.
const BLOCK_ENDS: f64 = 0.1;

/// Iterations of innermost loops of which the overhead is shared: what the compiler's own
/// unrolling takes together.
const UNROLLED: f64 = 4.0;

/// Iterations of straight code whose loads wait together, ptxas having unrolled what is
/// unrolled by four already by four again.
const MOST_TOGETHER: f64 = 16.0;

/// Registers that hold no loaded values: addresses, counters, sums. 18 to 22 order what was
/// measured on an H200 alike.
const REGISTERS_BESIDE: f64 = 20.0;

/// What a load costs the L2 cache for each line and for each sector of it, in times of a
/// sector of whole lines. Measured on an H200: 272 sectors/ns of whole lines (calibrate), 117
/// where each is of another line (a transpose that loads columns, as a whole).
const LOAD_OF_LINE: f64 = 1.4;
const LOAD_OF_SECTOR: f64 = 0.65;

/// The same of stores: 51 sectors/ns where each is of another line (a transpose that stores
/// columns, as a whole).
const STORE_OF_LINE: f64 = 4.5;
const STORE_OF_SECTOR: f64 = 0.5;

/// What the accesses of a nest cost.
struct Traffic {
    references: Vec<Counts>,
    l2_sectors: f64,
    /// What these cost the L2 cache, in times of a sector of whole lines.
    l2_times: f64,
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
    let registers = aimed_at(mapping.threads(), machine);
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
    let line = f64::from(m.line_bytes);
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
    let blocks = grid.iter().map(|n| *n as f64).product::<f64>();
    let resident = (blocks / f64::from(m.sms.max(1))).ceil();
    let resident = resident.clamp(1.0, f64::from(occupancy.blocks_per_sm.max(1)));
    let l1 = (f64::from(m.l1_bytes) - shared * resident).max(0.0) / resident;
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
    let (mut l2_sectors, mut l2_times) = (0.0, 0.0);
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
            let lines = brought(nest, i, Some(false), &block, &levels, l1, line) * parts;
            let asked = nest.references.iter().zip(&references);
            let asked: f64 = (asked.filter(|(r, _)| r.array == i && !r.writes))
                .map(|(_, c)| c.lines)
                .sum();
            let lines = lines.min(asked).min(from_l2);
            l2_times += lines * LOAD_OF_LINE + from_l2 * LOAD_OF_SECTOR;
        }
        for (r, c) in nest.references.iter().zip(&references) {
            if r.array == i && r.writes {
                let together = joined(nest, r, &mapping.axes).elements as f64;
                let of_line = c.lines / together * STORE_OF_LINE;
                l2_times += of_line + c.sectors / together * STORE_OF_SECTOR;
            }
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
        l2_times,
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
        traffic.l2_times * f64::from(m.sector_bytes) / (l2_rate * 1e3),
        format!(
            "{:.3} MB, which by lines take as long as {:.3}, at {l2_rate:.0} GB/s",
            l2_bytes / 1e6,
            traffic.l2_times * f64::from(m.sector_bytes) / 1e6
        ),
    );

    let (mut l1_clocks, mut shared_clocks, mut accesses) = (0.0, 0.0, 0.0);
    let (mut requests, mut l1_passes) = (0.0, 0.0);
    for (reference, c) in nest.references.iter().zip(&traffic.references) {
        let how = joined(nest, reference, &mapping.axes);
        let made = c.requests / how.elements as f64;
        accesses += made;
        match nest.arrays[reference.array].space {
            Space::Shared => {
                let bytes = f64::from(m.shared_banks * m.bank_bytes);
                shared_clocks += c.wavefronts * bytes / r.shared_bytes_per_clock.value;
            }
            Space::Global => {
                let all = made * passes(nest, mapping, reference, &how, m);
                let bytes = made * LANES as f64 * (reference.bytes * how.elements) as f64;
                let by_lines = all / r.l1_lines_per_clock.value;
                let by_bytes = bytes / r.l1_bytes_per_clock.value;
                let by_lanes = made * LANES as f64 / r.address_per_clock.value;
                l1_clocks += by_lines.max(by_bytes).max(by_lanes);
                requests += made;
                l1_passes += all;
            }
        }
    }
    term(
        TermKind::L1,
        per_sm(l1_clocks, 1.0),
        format!("{requests:.0} requests as they are joined, {l1_passes:.0} passes"),
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
        specials += w.special * times * warps;
        // Iterations that stand next to each other share counting and addresses, and their
        // loads wait together as far as registers hold what they bring.
        let inner = w.loops.last().filter(|l| !mapping.axes.contains(l));
        let (_, straight) = moves::unrolled(nest, &w.loops, &mapping.axes);
        let straight = (straight as f64).min(MOST_TOGETHER);
        let shared = inner.map_or(1.0, |_| UNROLLED.max(straight));
        i32s += w.i32 * times * warps / shared;
        let together = inner.map_or(1.0, |l| typical[*l].clamp(1.0, MOST_TOGETHER));
        let together = together.max(straight);
        let loads = || (nest.references.iter()).filter(|r| r.loops == w.loops && !r.writes);
        let words: f64 = loads().map(|r| r.bytes as f64 / 4.0).sum();
        let room = (f64::from(cost.registers) - REGISTERS_BESIDE).max(4.0);
        let least = 1.0 / (loads().count().max(1) as f64);
        let together = together.min(room / words.max(0.25)).max(least);
        let slowest = loads().map(|load| {
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
    term(
        TermKind::Blocks,
        us(blocks / r.blocks_per_clock.value),
        format!("{blocks:.0} blocks"),
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
