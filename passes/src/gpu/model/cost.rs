//! Times of the parts of the machine, of which the greatest binds.
//!
//! Each term is what one part has to do over what it can do in a second (the roofline of
//! Williams, Waterman, Patterson, "Roofline: An Insightful Visual Performance Model", 2009,
//! with a roof for each level of memory and each kind of arithmetic). Parts of which every
//! multiprocessor has its own are as slow as the multiprocessor with most blocks. Latency is
//! a term of its own: threads that wait do nothing, and by Little's law what is in flight
//! bounds what arrives (Volkov, "Understanding Latency Hiding on GPUs", 2016, chapter 4).

use super::nest::{Mapping, Nest, Space};
use super::registers::aimed_at;
use super::requests::Counts;
use super::terms::terms;
use super::traffic::Launch;
use terrace_machine::{Machine, Occupancy, Request, occupancy};

/// A part of the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TermKind {
    /// Device memory.
    Memory,
    /// From the L2 cache to multiprocessors.
    L2,
    /// The L1 caches: lines, sectors, addresses.
    L1,
    /// Shared memory of blocks.
    Shared,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
    /// Matrix units.
    Matrix,
    /// Integer units.
    Integer,
    /// Units for roots, exponentials and the like.
    Special,
    /// Schedulers.
    Issue,
    /// Blocks that start one after another.
    Blocks,
    /// Threads waiting for memory and for their own results.
    Latency,
    /// The start of the kernel.
    Launch,
}

impl TermKind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            TermKind::Memory => "memory",
            TermKind::L2 => "L2",
            TermKind::L1 => "L1",
            TermKind::Shared => "shared memory",
            TermKind::F32 => "f32",
            TermKind::F64 => "f64",
            TermKind::Matrix => "matrix units",
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
    pub(crate) kind: TermKind,
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
    pub(crate) terms: Vec<Term>,
    pub(crate) grid: [u64; 3],
    pub(crate) block: [u32; 3],
    pub(crate) occupancy: Occupancy,
    pub(crate) registers: u32,
    /// Blocks over those that run at once.
    pub waves: f64,
    /// Sectors that go from the L2 cache to multiprocessors and back.
    pub l2_sectors: f64,
    /// Bytes between device memory and the L2 cache.
    pub memory_bytes: f64,
    pub(crate) launches: f64,
}

impl Cost {
    /// The term that binds.
    pub(crate) fn binding(&self) -> Option<&Term> {
        self.terms.iter().max_by(|a, b| a.us.total_cmp(&b.us))
    }

    /// Microseconds of one launch: the binding term.
    pub(crate) fn us(&self) -> f64 {
        self.binding().map_or(0.0, |t| t.us)
    }

    /// The same with what other terms add where they are nearly as long, for comparing
    /// mappings that one part binds alike: parts do not overlap without gaps. What waits for
    /// memory takes longer where few blocks are on a multiprocessor, since the last warps of
    /// a block keep its place while they are alone; a launch comes on top.
    pub fn smooth_us(&self) -> f64 {
        self.smooth_of(|_| true)
    }

    /// The same of some terms.
    pub(crate) fn smooth_of(&self, counts: impl Fn(TermKind) -> bool) -> f64 {
        let blocks = f64::from(self.occupancy.blocks_per_sm.max(1));
        let mut launch = 0.0;
        let mut sum = 0.0;
        for t in self.terms.iter().filter(|t| counts(t.kind)) {
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
    pub(crate) fn is_exact(&self) -> bool {
        self.references.iter().all(|c| c.exact)
    }

    /// All references together.
    pub(crate) fn counts(&self) -> Counts {
        let mut all = Counts::ZERO;
        for c in &self.references {
            all.add(c, 1.0);
        }
        all
    }
}

/// Microseconds of a launch that queues up behind others, which a loop of the host makes one
/// after another: measured on an H200.
pub const QUEUED_LAUNCH_US: f64 = 2.5;

/// The norm in which terms add up: 2 to 6 order what was measured on an H200 nearly alike.
const OVERLAP: i32 = 3;

/// The part of a block's time in which its last warps are alone: 0.05 to 0.15 order what was
/// measured on an H200 alike.
const BLOCK_ENDS: f64 = 0.1;

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
    let launch = Launch {
        nest,
        mapping,
        machine,
        occupancy: &occupancy,
        trips,
        grid,
        shared,
    };
    let traffic = launch.traffic();
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
    cost.terms = terms(nest, mapping, machine, &cost, &traffic);
    Ok(cost)
}
