//! What a nest costs whose blocks copy tiles ahead of the iterations that use them, as
//! `gpu-map-reductions` makes them: one warp of a block has iterations of the parallel loop,
//! others copy what serial loops load to workgroup memory.
//!
//! Every element of a matrix is then asked for once, by lanes that are neighbours where it
//! lies, and as much is under way as there are tiles: what waits is a tile, not a thread.

use super::cost::{Cost, Term, TermKind};
use super::lanes::{LANES, shared_passes};
use super::nest::{Mapping, Nest, Reference};
use super::product::OF_A_COPY;
use super::registers::aimed_at;
use super::requests::Counts;
use super::traffic::{
    LOAD_OF_LINE, LOAD_OF_SECTOR, Launch, STORE_OF_LINE, STORE_OF_SECTOR, Traffic,
};
use crate::gpu::map_reductions::{BLOCK, THREADS, Way};
use terrace_machine::{Limit, Machine, Request, occupancy};

/// Tiles in workgroup memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tiles {
    /// Iterations of a tile.
    pub columns: i64,
    /// Tiles of each array: one is used, the others are under way.
    pub stages: i64,
    pub shared_bytes: i64,
}

/// How an access is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Made {
    /// By way of a tile.
    Copied(Way),
    /// In a register while the loop runs.
    Kept,
    /// As it stands.
    Plain,
}

/// What waits to be used of a loop, of an access and in which way.
fn made(nest: &Nest, r: &Reference) -> Made {
    let [l] = nest.parallel[..] else {
        return Made::Plain;
    };
    let Some(j) = r.loops.last().copied().filter(|j| *j != l) else {
        return Made::Plain;
    };
    let stays = r.address.coefficient(j) == 0;
    match (r.address.coefficient(l), r.address.coefficient(j)) {
        _ if stays => Made::Kept,
        _ if r.writes => Made::Plain,
        (0, _) => Made::Copied(Way::Vector),
        (a, _) if a == r.bytes => Made::Copied(Way::Columns),
        (_, b) if b == r.bytes => Made::Copied(Way::Rows),
        _ => Made::Plain,
    }
}

/// The ways and elements of the tiles that each innermost loop of a nest needs.
pub(crate) fn wanted(nest: &Nest) -> Vec<Vec<(Way, i64)>> {
    let mut loops: Vec<(&[usize], Vec<&Reference>)> = Vec::new();
    for r in &nest.references {
        if !matches!(made(nest, r), Made::Copied(_)) {
            continue;
        }
        match loops.iter_mut().find(|l| l.0 == r.loops) {
            // What is loaded twice is copied once.
            Some((_, all))
                if all
                    .iter()
                    .any(|o| o.address == r.address && o.array == r.array) => {}
            Some((_, all)) => all.push(r),
            None => loops.push((&r.loops, vec![r])),
        }
    }
    let way = |r: &&Reference| match made(nest, r) {
        Made::Copied(way) => Some((way, r.bytes)),
        _ => None,
    };
    loops
        .iter()
        .map(|(_, all)| all.iter().filter_map(way).collect())
        .collect()
}

/// What a nest costs by tiles.
///
/// # Errors
///
/// Nests that contradict themselves or have not one parallel loop with constant bounds, and
/// blocks that cannot run.
pub fn predict(nest: &Nest, tiles: &Tiles, m: &Machine) -> Result<Cost, String> {
    nest.check()?;
    let [l] = nest.parallel[..] else {
        return Err("only one parallel loop is done by tiles".into());
    };
    let trips = nest.loops.get(l).and_then(|l| l.constant_trips());
    let trips = trips.ok_or("how often the parallel loop goes round is not constant")?;
    let threads = BLOCK as u32;
    let registers = aimed_at(threads, m);
    let occupancy = occupancy(
        m,
        Request {
            threads_per_block: threads,
            registers_per_thread: registers,
            shared_per_block: u32::try_from(tiles.shared_bytes).unwrap_or(u32::MAX),
        },
    )
    .map_err(|e| e.to_string())?;
    if occupancy.blocks_per_sm == 0 {
        return Err("no block fits on a multiprocessor".into());
    }
    let blocks = trips / THREADS + i64::from(trips % THREADS > 0);
    let grid = [blocks.max(0) as u64, 1, 1];
    let mapping = Mapping {
        axes: vec![l],
        block: [THREADS as u32, 1, 1],
    };
    let launch = Launch {
        nest,
        mapping: &mapping,
        machine: m,
        occupancy: &occupancy,
        trips: [trips, 1, 1],
        grid,
        shared: tiles.shared_bytes as f64,
    };
    let mut plain = launch.traffic();
    plain.memory_bytes = memory(nest, m, &|nest: &Nest| {
        Launch { nest, ..launch }.traffic().memory_bytes
    });
    let waves = blocks as f64 / (f64::from(m.sms) * f64::from(occupancy.blocks_per_sm));
    let mut t = Terms {
        nest,
        l,
        tiles,
        m,
        blocks: blocks as f64,
        plain,
        trips: nest.typical_trips(),
        out: Vec::new(),
        references: Vec::new(),
        l2: [0.0; 2],
    };
    t.requests();
    t.beyond_l1();
    let (copies, loads) = t.shared();
    let own = t.operations(copies, loads);
    let mut cost = Cost {
        references: std::mem::take(&mut t.references),
        terms: Vec::new(),
        grid,
        block: [threads, 1, 1],
        occupancy,
        registers,
        waves,
        l2_sectors: t.l2[0],
        memory_bytes: t.plain.memory_bytes,
        launches: nest.launches.max(1.0),
    };
    t.launch(&cost, own);
    cost.terms = t.out;
    Ok(cost)
}

/// Bytes that memory moves. What the L2 cache has no room for each loop brings again, and
/// each of the accesses that go another way through the same array.
fn memory(nest: &Nest, m: &Machine, of: &dyn Fn(&Nest) -> f64) -> f64 {
    let mut sum = 0.0;
    for (i, a) in nest.arrays.iter().enumerate() {
        let mine = nest.references.iter().filter(|r| r.array == i);
        let mut groups: Vec<Vec<&Reference>> = Vec::new();
        for r in mine {
            let same = |g: &&mut Vec<&Reference>| {
                let (a, b) = (&g[0].address.terms, &r.address.terms);
                a == b && g[0].loops == r.loops
            };
            let fits = a.bytes() <= m.l2_bytes as f64;
            match groups.iter_mut().find(|g| fits || same(g)) {
                Some(g) => g.push(r),
                None => groups.push(vec![r]),
            }
        }
        for g in groups {
            let part = Nest {
                references: g.into_iter().cloned().collect(),
                work: Vec::new(),
                ..nest.clone()
            };
            sum += of(&part);
        }
    }
    sum
}

struct Terms<'a> {
    nest: &'a Nest,
    /// The parallel loop.
    l: usize,
    tiles: &'a Tiles,
    m: &'a Machine,
    blocks: f64,
    /// What the accesses would ask for as they stand.
    plain: Traffic,
    trips: Vec<f64>,
    out: Vec<Term>,
    references: Vec<Counts>,
    /// Sectors from and to the L2 cache, and what they cost in times of those of whole lines.
    l2: [f64; 2],
}

impl Terms<'_> {
    fn push(&mut self, kind: TermKind, us: f64, what: String) {
        self.out.push(Term { kind, us, what });
    }

    /// Microseconds of clocks of multiprocessors, of the one with most blocks.
    fn on_all(&self, clocks: f64) -> f64 {
        let sms = f64::from(self.m.sms.max(1));
        let most = (self.blocks / sms).ceil().max(1.0);
        self.m.microseconds(clocks * most / self.blocks.max(1.0))
    }

    /// Iterations of the serial loops around something, for one thread.
    fn times(&self, loops: &[usize]) -> f64 {
        let serial = loops.iter().filter(|l| **l != self.l);
        serial.map(|l| self.trips[*l]).product()
    }

    /// What each access asks for.
    fn requests(&mut self) {
        let (sector, line) = (f64::from(self.m.sector_bytes), f64::from(self.m.line_bytes));
        let threads = LANES as f64;
        for (i, r) in self.nest.references.iter().enumerate() {
            let bytes = r.bytes as f64;
            let c = match made(self.nest, r) {
                Made::Copied(way) => {
                    // Of a vector a block copies each element once, of a matrix those of all
                    // its threads.
                    let each = if way == Way::Vector { 1.0 } else { threads };
                    let all = self.times(&r.loops) * self.blocks * each;
                    let run = match way {
                        Way::Columns => threads * bytes,
                        Way::Rows | Way::Vector => self.tiles.columns as f64 * bytes,
                    };
                    let of = |unit: f64| all * bytes / run * (run / unit).ceil();
                    Counts {
                        requests: all / threads,
                        sectors: of(sector),
                        lines: of(line),
                        lanes: all,
                        exact: false,
                        ..Counts::ZERO
                    }
                }
                Made::Kept => {
                    let outer = &r.loops[..r.loops.len().saturating_sub(1)];
                    let share = self.times(outer) / self.times(&r.loops).max(1.0);
                    let mut c = Counts::ZERO;
                    // Counted once for each time that the loop goes round, or already moved.
                    let of = self.plain.references[i];
                    let once = self.blocks * self.times(outer);
                    let times = if of.requests > 1.5 * once { share } else { 1.0 };
                    c.add(&of, times);
                    c
                }
                Made::Plain => self.plain.references[i],
            };
            let (by_line, by_sector) = match r.writes {
                true => (STORE_OF_LINE, STORE_OF_SECTOR),
                false => (LOAD_OF_LINE, LOAD_OF_SECTOR),
            };
            self.l2[0] += c.sectors;
            self.l2[1] += c.lines * by_line + c.sectors * by_sector;
            self.references.push(c);
        }
    }

    fn beyond_l1(&mut self) {
        let (r, sector) = (&self.m.rates, f64::from(self.m.sector_bytes));
        let (rate, bytes) = (r.memory_gb_s.value, self.plain.memory_bytes);
        let what = format!("{:.3} MB at {rate} GB/s", bytes / 1e6);
        let busy = self.blocks.min(f64::from(self.m.sms)).max(1.0);
        let l2 = (r.l2_gb_s.value).min(busy * r.l2_bytes_per_clock.value * r.clock_ghz.value);
        let [moved, times] = self.l2.map(|n| n * sector / 1e6);
        self.push(TermKind::Memory, bytes / (rate * 1e3), what);
        self.push(
            TermKind::L2,
            times * 1e3 / l2,
            format!("{moved:.3} MB, which by lines take as long as {times:.3}, at {l2:.0} GB/s"),
        );
    }

    /// Shared memory; copies and loads of warps.
    fn shared(&mut self) -> (f64, f64) {
        let (mut passes, mut copies, mut loads) = (0.0, 0.0, 0.0);
        let columns = self.tiles.columns;
        let mut seen: Vec<&Reference> = Vec::new();
        for (i, r) in self.nest.references.iter().enumerate() {
            let Made::Copied(way) = made(self.nest, r) else {
                continue;
            };
            // The lanes that copy lie next to one another, those that load a line apart
            // where lines are rows.
            let (to, from) = match way {
                Way::Rows => (r.bytes, (columns + 1) * r.bytes),
                Way::Columns => (r.bytes, r.bytes),
                Way::Vector => (r.bytes, 0),
            };
            let lanes = |step: i64| (0..LANES as i64).map(|n| n * step).collect::<Vec<_>>();
            let of = |step: i64| shared_passes(&lanes(step), r.bytes, self.m);
            let twice = seen
                .iter()
                .any(|o| o.address == r.address && o.loops == r.loops);
            seen.push(r);
            if !twice {
                copies += self.references[i].requests;
                passes += self.references[i].requests * of(to);
            }
            let each = self.times(&r.loops) * self.blocks;
            loads += each;
            passes += each * of(from);
        }
        let per_pass = f64::from(self.m.shared_banks * self.m.bank_bytes);
        let clocks = passes * per_pass / self.m.rates.shared_bytes_per_clock.value;
        self.push(
            TermKind::Shared,
            self.on_all(clocks),
            format!("{passes:.0} passes"),
        );
        (copies, loads)
    }

    /// Arithmetic and schedulers. Gives the clocks that the warp of a block with iterations
    /// takes by itself, and those of the ones that copy.
    fn operations(&mut self, copies: f64, loads: f64) -> [f64; 2] {
        let r = self.m.rates;
        let (mut f32s, mut f64s, mut i32s, mut specials, mut chain) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for w in &self.nest.work {
            let times = self.times(&w.loops);
            f32s += w.f32 * times;
            f64s += w.f64 * times;
            specials += w.special * times;
            // The loop through a tile is unrolled, and its subscripts are copied ones.
            i32s += w.i32 * times / UNROLLED;
            chain += w.chain * times * r.arithmetic_latency.value;
        }
        let blocks = self.blocks;
        for (kind, n, rate, peak) in [
            (TermKind::F32, f32s, r.f32_per_clock, Some(r.f32_tflops)),
            (TermKind::F64, f64s, r.f64_per_clock, Some(r.f64_tflops)),
            (TermKind::Integer, i32s, r.i32_per_clock, None),
            (TermKind::Special, specials, r.special_per_clock, None),
        ] {
            if n > 0.0 {
                let lanes = n * blocks * LANES as f64;
                let at_clock = self.on_all(lanes / rate.value);
                let at_peak = peak.map_or(0.0, |p| 2.0 * lanes / (p.value * 1e6));
                let what = format!("{:.0} operations of warps", n * blocks);
                self.push(kind, at_clock.max(at_peak), what);
            }
        }
        let own = f32s + f64s + i32s + specials;
        let copying = copies * OF_A_COPY;
        let all = own * blocks + loads + copying;
        self.push(
            TermKind::Issue,
            self.on_all(all / r.issue_per_clock.value),
            format!("{all:.0} instructions of warps"),
        );
        let alone = |n: f64, rate: f64| n * (LANES as f64 * 4.0 / rate).max(1.0);
        let works = alone(f32s, r.f32_per_clock.value)
            + alone(f64s, r.f64_per_clock.value)
            + alone(specials, r.special_per_clock.value)
            + i32s
            + loads / blocks.max(1.0)
            + chain;
        let copiers = ((BLOCK - THREADS) / THREADS) as f64;
        [works, copying / blocks.max(1.0) / copiers]
    }

    fn launch(&mut self, cost: &Cost, [works, copies]: [f64; 2]) {
        let r = &self.m.rates;
        let blocks = self.blocks;
        self.push(
            TermKind::Blocks,
            self.m.microseconds(blocks / r.blocks_per_clock.value),
            format!("{blocks:.0} blocks"),
        );
        // A tile is there as soon as it is copied; of those under way one after another comes.
        let mut tiles = 0.0;
        let mut loops: Vec<&[usize]> = Vec::new();
        for r in &self.nest.references {
            if matches!(made(self.nest, r), Made::Copied(_)) && !loops.contains(&&r.loops[..]) {
                loops.push(&r.loops);
                tiles += (self.times(&r.loops) / self.tiles.columns.max(1) as f64).ceil();
            }
        }
        let ahead = (self.tiles.stages - 1).max(1) as f64;
        let waits = tiles * r.memory_latency.value / ahead;
        let begins = loops.len() as f64 * r.memory_latency.value;
        let clocks = begins + waits.max(works).max(copies);
        let limit = match cost.occupancy.limit {
            Limit::Threads => "threads",
            Limit::Blocks => "blocks",
            Limit::Registers => "registers",
            Limit::Shared => "shared memory",
        };
        self.push(
            TermKind::Latency,
            match blocks > 0.0 {
                true => self.m.microseconds(cost.waves.max(1.0) * clocks),
                false => 0.0,
            },
            format!(
                "{clocks:.0} clocks a block, {ahead:.0} tiles under way; {:.2} waves of {} blocks an SM ({limit})",
                cost.waves, cost.occupancy.blocks_per_sm
            ),
        );
        self.push(
            TermKind::Launch,
            self.m.rates.launch_us.value,
            "an empty kernel".into(),
        );
    }
}

/// Iterations that share counting and addresses: those of the loop through a tile.
const UNROLLED: f64 = 8.0;
