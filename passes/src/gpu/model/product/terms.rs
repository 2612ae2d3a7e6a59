//! The time of each part of the machine.
//!
//! As of nests, each part is what it has to do over what it can do, and the multiprocessor
//! with most to do counts. Latency is what blocks take one after another in their slots: the
//! first slab comes from memory, and of every slab the warps of a block wait for one another
//! and then for fragments, before any of them multiplies.

use super::shared::{SlabWork, of_slab};
use super::tiles::{Blocks, Slabs, schedule};
use super::traffic::traffic;
use super::{Product, Unit};
use crate::gpu::model::cost::{Cost, Term, TermKind};
use terrace_machine::{Limit, Machine, Request, occupancy};

/// Instructions of a copy with its addresses and conditions: 16 copies of each of 256 threads
/// took about 320 clocks in which four are issued (`docs/lab/matrix-products.md`).
pub const OF_A_COPY: f64 = 10.0;

/// Registers of a thread beside its sums: fragments, addresses, counters. `ptxas` gives
/// kernels of 64 x 64, 64 x 96 and 128 x 128 elements of f64 162 to 168, 220 to 234 and 244
/// to 255 (`test/ptx/snapshot.txt`).
const BESIDE_SUMS: i64 = 100;

/// Elements of the result that are read before the first of them is stored.
const TOGETHER: i64 = 16;

/// What a product costs.
///
/// # Errors
///
/// Blocks that cannot run, or more of them than are looked at.
pub fn predict(p: &Product, m: &Machine) -> Result<Cost, String> {
    let threads = u32::try_from(p.threads()).unwrap_or(u32::MAX);
    let sums = p.tile[0] * p.tile[1] * p.result.sum_bytes / 4 / p.threads().max(1);
    let registers = u32::try_from(sums + BESIDE_SUMS).unwrap_or(u32::MAX);
    let registers = registers.clamp(16, m.max_registers_per_thread.max(16));
    let occupancy = occupancy(
        m,
        Request {
            threads_per_block: threads,
            registers_per_thread: registers,
            shared_per_block: p.shared_bytes,
        },
    )
    .map_err(|e| e.to_string())?;
    let slots = occupancy.blocks_per_sm;
    if slots == 0 {
        return Err("no block fits on a multiprocessor".into());
    }
    let works: Vec<SlabWork> = p
        .factors
        .chunks(2)
        .map(|pair| of_slab(p, pair, m))
        .collect();
    // Where there are fewer blocks, a multiprocessor has fewer at a time.
    let [rows, cols] = p.tiles().map(|n| n as f64);
    let each = (rows * cols / f64::from(m.sms.max(1))).ceil();
    let pace = Pace::new(p, &works, m, f64::from(slots).min(each.max(1.0)));
    let blocks = schedule(p, m.sms, slots, &|s| pace.block(s))?;
    let traffic = traffic(p, &blocks, m, slots);
    let mut cost = Cost {
        references: traffic.references.clone(),
        terms: Vec::new(),
        grid: [blocks.all as u64, 1, 1],
        block: [threads, 1, 1],
        occupancy,
        registers,
        waves: blocks.all / (f64::from(m.sms) * f64::from(slots)),
        l2_sectors: traffic.l2_sectors,
        memory_bytes: traffic.memory_bytes,
        launches: 1.0,
    };
    let mut t = Terms {
        p,
        m,
        blocks: &blocks,
        out: Vec::new(),
    };
    t.beyond_l1(traffic.memory_bytes, traffic.l2_sectors, traffic.l2_times);
    t.on_multiprocessors(&pace);
    t.launch(&cost, &pace);
    cost.terms = t.out;
    Ok(cost)
}

/// Clocks that a block takes with those that are on its multiprocessor.
struct Pace {
    /// Of the parts, for a slab of each pair of factors.
    unit: f64,
    rounding: f64,
    shared: f64,
    issue: f64,
    /// From the barrier to the first products.
    waits: f64,
    /// Blocks of a multiprocessor, which share its parts.
    together: f64,
    /// Of single elements, for a slab that is ragged.
    single: f64,
    /// In front of the slabs and behind them.
    begins: f64,
    ends: f64,
    instructions: f64,
    passes: f64,
}

impl Pace {
    fn new(p: &Product, works: &[SlabWork], m: &Machine, slots: f64) -> Pace {
        let r = &m.rates;
        let per_pass = f64::from(m.shared_banks * m.bank_bytes) / r.shared_bytes_per_clock.value;
        let sum = |f: &dyn Fn(&SlabWork) -> f64| works.iter().map(f).sum::<f64>();
        let pairs = works.len().max(1) as f64;
        let passes = sum(&|w| w.passes + w.copy_passes);
        let instructions = sum(&|w| w.multiplies + w.loads + w.rounded + w.copies * OF_A_COPY);
        let products = (p.tile[0] * p.tile[1] * p.depth) as f64 * pairs;
        let warps = (p.warps[0] * p.warps[1]) as f64;
        // A warp multiplies on its own quarter of the multiprocessor.
        let quarters = f64::from(m.sm_partitions).max(1.0);
        let part = (warps / quarters).min(1.0);
        let behind = p.tile[0] * p.tile[1] / p.threads().max(1);
        let waits = match p.result.read_behind {
            true => (behind / TOGETHER).max(1) as f64 * r.memory_latency.value,
            false => 0.0,
        };
        // For each k of a ragged slab a thread loads its rows and columns, then adds.
        let lanes = match p.unit {
            Unit::Doubles(_) => r.f64_per_clock.value,
            _ => r.f32_per_clock.value,
        };
        Pace {
            unit: products / (multiplied(p, m) * part),
            rounding: sum(&|w| w.rounded) * 32.0 / r.i32_per_clock.value,
            shared: passes * per_pass,
            issue: instructions / r.issue_per_clock.value,
            waits: sum(&|w| w.first) * per_pass + pairs * r.shared_latency.value,
            together: slots,
            single: products / lanes + pairs * p.depth as f64 * r.shared_latency.value,
            begins: r.memory_latency.value * pairs,
            ends: waits,
            instructions,
            passes,
        }
    }

    /// While one block waits the others multiply, as far as the parts go round.
    fn slab(&self) -> f64 {
        let parts = [self.unit, self.rounding, self.shared, self.issue];
        let most = parts.into_iter().fold(0.0, f64::max);
        (most + self.waits).max(most * self.together)
    }

    fn block(&self, slabs: Option<Slabs>) -> f64 {
        let Some(s) = slabs else { return 0.0 };
        let slabs = s.whole as f64 * self.slab() + s.ragged as f64 * self.single;
        self.begins + slabs + self.ends
    }
}

/// Products that the unit adds in a clock on a multiprocessor.
fn multiplied(p: &Product, m: &Machine) -> f64 {
    let r = &m.rates;
    let (tflops, lanes) = match p.unit {
        Unit::Doubles(_) if r.f64_matrix_tflops.value > 0.0 => (r.f64_matrix_tflops, None),
        Unit::Doubles(_) => (r.f64_tflops, Some(r.f64_per_clock)),
        Unit::Rounded(_) => (r.tf32_matrix_tflops, None),
        Unit::Halves(_) => (r.f16_matrix_tflops, None),
        Unit::Registers(_) => (r.f32_tflops, Some(r.f32_per_clock)),
    };
    let clocks = f64::from(m.sms.max(1)) * r.clock_ghz.value * 1e9;
    let at_peak = tflops.value * 1e12 / 2.0 / clocks;
    lanes.map_or(at_peak, |l| at_peak.min(l.value)).max(1e-3)
}

struct Terms<'a> {
    p: &'a Product,
    m: &'a Machine,
    blocks: &'a Blocks,
    out: Vec<Term>,
}

impl Terms<'_> {
    fn push(&mut self, kind: TermKind, us: f64, what: String) {
        self.out.push(Term { kind, us, what });
    }

    /// Microseconds of so many clocks of multiprocessors.
    fn on_all(&self, clocks: f64) -> f64 {
        self.m.microseconds(clocks / f64::from(self.m.sms.max(1))) * self.blocks.tail
    }

    fn beyond_l1(&mut self, memory: f64, sectors: f64, times: f64) {
        let (r, sector) = (&self.m.rates, f64::from(self.m.sector_bytes));
        let (rate, mb) = (r.memory_gb_s.value, memory / 1e6);
        self.push(
            TermKind::Memory,
            memory / (rate * 1e3),
            format!("{mb:.3} MB at {rate} GB/s"),
        );
        let busy = self.blocks.busy.min(f64::from(self.m.sms)).max(1.0);
        let links = busy * r.l2_bytes_per_clock.value * r.clock_ghz.value;
        let rate = r.l2_gb_s.value.min(links);
        let (moved, times) = (sectors * sector / 1e6, times * sector / 1e6);
        self.push(
            TermKind::L2,
            times * 1e3 / rate,
            format!("{moved:.3} MB, which by lines take as long as {times:.3}, at {rate:.0} GB/s"),
        );
    }

    fn on_multiprocessors(&mut self, pace: &Pace) {
        let b = self.blocks;
        let (whole, all) = (b.whole, b.whole + b.ragged);
        let passes = pace.passes * all;
        self.push(
            TermKind::Shared,
            self.on_all(pace.shared * all),
            format!("{passes:.0} passes"),
        );
        let p = self.p;
        let each = (p.tile[0] * p.tile[1] * p.depth) as f64 * p.products();
        let (kind, single) = match p.unit {
            Unit::Registers(_) => (TermKind::F32, TermKind::F32),
            Unit::Doubles(_) => (TermKind::Matrix, TermKind::F64),
            _ => (TermKind::Matrix, TermKind::F32),
        };
        let tflop = 2.0 * each * whole / 1e12;
        let rate =
            2e-3 * multiplied(p, self.m) * f64::from(self.m.sms) * self.m.rates.clock_ghz.value;
        self.push(
            kind,
            self.on_all(pace.unit * whole),
            format!(
                "{tflop:.4} TFLOP at {rate:.1} TFLOP/s; the fullest multiprocessor has {:.3} times the mean",
                b.tail
            ),
        );
        if b.ragged > 0.0 {
            self.push(
                single,
                self.on_all(pace.single * b.ragged),
                format!(
                    "{:.0} slabs that end within a tile, element by element",
                    b.ragged
                ),
            );
        }
        if pace.rounding > 0.0 {
            self.push(
                TermKind::Integer,
                self.on_all(pace.rounding * whole),
                "elements of fragments rounded to tf32".into(),
            );
        }
        let issued = pace.instructions * all;
        self.push(
            TermKind::Issue,
            self.on_all(pace.issue * all),
            format!("{issued:.0} instructions of warps"),
        );
    }

    fn launch(&mut self, cost: &Cost, pace: &Pace) {
        let b = self.blocks;
        self.push(
            TermKind::Blocks,
            self.m
                .microseconds(b.all / self.m.rates.blocks_per_clock.value),
            match b.busy < b.all {
                true => format!(
                    "{:.0} blocks, of which {:.0} end at once",
                    b.all,
                    b.all - b.busy
                ),
                false => format!("{:.0} blocks", b.all),
            },
        );
        let limit = match cost.occupancy.limit {
            Limit::Threads => "threads",
            Limit::Blocks => "blocks",
            Limit::Registers => "registers",
            Limit::Shared => "shared memory",
        };
        self.push(
            TermKind::Latency,
            self.m.microseconds(b.clocks),
            format!(
                "{:.0} clocks a slab, {:.0} of them until the first products; {:.2} waves of {} blocks an SM ({limit})",
                pace.slab(),
                pace.waits,
                cost.waves,
                cost.occupancy.blocks_per_sm
            ),
        );
        self.push(
            TermKind::Launch,
            self.m.rates.launch_us.value,
            "an empty kernel".into(),
        );
    }
}
