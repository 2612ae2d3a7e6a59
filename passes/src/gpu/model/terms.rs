//! The time of each part of the machine.

use super::cost::{Cost, Term, TermKind};
use super::joined::passes;
use super::lanes::LANES;
use super::latency;
use super::nest::{Mapping, Nest, Space};
use super::traffic::Traffic;
use terrace_machine::{Limit, Machine};

/// The terms of a mapped nest, with what is in `cost` but for them.
pub(super) fn terms(
    nest: &Nest,
    mapping: &Mapping,
    m: &Machine,
    cost: &Cost,
    traffic: &Traffic,
) -> Vec<Term> {
    let blocks = cost.grid.iter().map(|n| *n as f64).product::<f64>();
    let mut t = Terms {
        nest,
        mapping,
        m,
        cost,
        traffic,
        blocks,
        out: Vec::new(),
    };
    t.beyond_l1();
    let accesses = t.on_multiprocessors();
    t.operations(accesses);
    t.launch();
    t.out
}

struct Terms<'a> {
    nest: &'a Nest,
    mapping: &'a Mapping,
    m: &'a Machine,
    cost: &'a Cost,
    traffic: &'a Traffic,
    blocks: f64,
    out: Vec<Term>,
}

impl Terms<'_> {
    fn push(&mut self, kind: TermKind, us: f64, what: String) {
        self.out.push(Term { kind, us, what });
    }

    /// How much more the multiprocessor with most blocks has to do than the average one.
    /// Blocks that run at once share what there is; a last wave that is not full does not.
    fn tail(&self) -> f64 {
        let sms = f64::from(self.m.sms);
        (self.blocks / sms).ceil().max(1.0) * sms / self.blocks.max(1.0)
    }

    /// Microseconds of work that multiprocessors do at so much a clock.
    fn per_sm(&self, work: f64, rate: f64) -> f64 {
        self.m.microseconds(work / (f64::from(self.m.sms) * rate)) * self.tail()
    }

    /// Memory, and the way from the L2 cache.
    fn beyond_l1(&mut self) {
        let (r, traffic) = (&self.m.rates, self.traffic);
        let mb = traffic.memory_bytes / 1e6;
        self.push(
            TermKind::Memory,
            traffic.memory_bytes / (r.memory_gb_s.value * 1e3),
            format!("{mb:.3} MB at {} GB/s", r.memory_gb_s.value),
        );
        let sector = f64::from(self.m.sector_bytes);
        let busy = self.blocks.min(f64::from(self.m.sms)).max(1.0);
        let links = busy * r.l2_bytes_per_clock.value * r.clock_ghz.value;
        let l2_rate = r.l2_gb_s.value.min(links);
        self.push(
            TermKind::L2,
            traffic.l2_times * sector / (l2_rate * 1e3),
            format!(
                "{:.3} MB, which by lines take as long as {:.3}, at {l2_rate:.0} GB/s",
                traffic.l2_sectors * sector / 1e6,
                traffic.l2_times * sector / 1e6
            ),
        );
    }

    /// The L1 caches and shared memory. Gives how many accesses warps make.
    fn on_multiprocessors(&mut self) -> f64 {
        let (nest, m, r) = (self.nest, self.m, &self.m.rates);
        let (mut l1_clocks, mut shared_clocks, mut accesses) = (0.0, 0.0, 0.0);
        let (mut requests, mut l1_passes) = (0.0, 0.0);
        let of = self.traffic.references.iter().zip(&self.traffic.joined);
        for (reference, (c, how)) in nest.references.iter().zip(of) {
            let made = c.requests / how.elements as f64;
            accesses += made;
            match nest.arrays[reference.array].space {
                Space::Shared => {
                    let bytes = f64::from(m.shared_banks * m.bank_bytes);
                    shared_clocks += c.wavefronts * bytes / r.shared_bytes_per_clock.value;
                }
                Space::Global => {
                    let all = made * passes(nest, self.mapping, reference, how, m);
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
        self.push(
            TermKind::L1,
            self.per_sm(l1_clocks, 1.0),
            format!("{requests:.0} requests as they are joined, {l1_passes:.0} passes"),
        );
        if shared_clocks > 0.0 {
            let c = self.cost.counts();
            self.push(
                TermKind::Shared,
                self.per_sm(shared_clocks, 1.0),
                format!(
                    "{:.0} passes, {:.0} for bank conflicts",
                    c.wavefronts, c.conflicts
                ),
            );
        }
        accesses
    }

    /// Arithmetic, and the schedulers, which issue these accesses too.
    fn operations(&mut self, accesses: f64) {
        let (nest, mapping, r) = (self.nest, self.mapping, &self.m.rates);
        let typical = nest.typical_trips();
        let threads = f64::from(mapping.threads());
        let warps = self.blocks * threads.div_euclid(LANES as f64).max(1.0);
        let (mut f32s, mut f64s, mut i32s, mut specials) = (0.0, 0.0, 0.0, 0.0);
        for w in &nest.work {
            let serial = w.loops.iter().filter(|l| !mapping.axes.contains(l));
            let times = serial.map(|l| typical[*l]).product::<f64>() * warps;
            f32s += w.f32 * times;
            f64s += w.f64 * times;
            specials += w.special * times;
            i32s += w.i32 * times / latency::sharing(nest, w, mapping);
        }
        for (kind, operations, rate, peak) in [
            (TermKind::F32, f32s, r.f32_per_clock, Some(r.f32_tflops)),
            (TermKind::F64, f64s, r.f64_per_clock, Some(r.f64_tflops)),
            (TermKind::Integer, i32s, r.i32_per_clock, None),
            (TermKind::Special, specials, r.special_per_clock, None),
        ] {
            if operations > 0.0 {
                let lanes = operations * LANES as f64;
                let at_clock = self.per_sm(lanes, rate.value);
                let at_peak = peak.map_or(0.0, |p| 2.0 * lanes / (p.value * 1e6) * self.tail());
                let what = format!("{operations:.0} operations of warps");
                self.push(kind, at_clock.max(at_peak), what);
            }
        }
        let issued = f32s + f64s + i32s + specials + accesses;
        self.push(
            TermKind::Issue,
            self.per_sm(issued, r.issue_per_clock.value),
            format!("{issued:.0} instructions of warps"),
        );
    }

    /// The start of the launch and of its blocks, and what their threads wait for.
    fn launch(&mut self) {
        let (nest, mapping, m, cost) = (self.nest, self.mapping, self.m, self.cost);
        let blocks = self.blocks;
        self.push(
            TermKind::Blocks,
            self.m.microseconds(blocks / m.rates.blocks_per_clock.value),
            format!("{blocks:.0} blocks"),
        );
        let of = |trips: &[f64]| latency::clocks(nest, mapping, m, cost, self.traffic, trips);
        let mean = of(&nest.typical_trips());
        let longest = of(&nest.longest_trips(&mapping.axes)).max(mean);
        let limit = match cost.occupancy.limit {
            Limit::Threads => "threads",
            Limit::Blocks => "blocks",
            Limit::Registers => "registers",
            Limit::Shared => "shared memory",
        };
        let most = match longest > mean {
            true => format!(", {longest:.0} at most"),
            false => String::new(),
        };
        self.push(
            TermKind::Latency,
            self.m.microseconds((cost.waves * mean).max(longest)),
            format!(
                "{mean:.0} clocks a thread{most}, {:.2} waves of {} warps an SM ({limit})",
                cost.waves, cost.occupancy.warps_per_sm
            ),
        );
        self.push(
            TermKind::Launch,
            m.rates.launch_us.value,
            "an empty kernel".into(),
        );
    }
}
