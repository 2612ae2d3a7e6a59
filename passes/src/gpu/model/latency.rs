//! How long a thread takes by itself: what it waits for, and its own instructions.
//!
//! Loads of iterations that stand next to each other in straight code are on their way
//! together, as many as registers hold values of, and what uses them waits for the slowest.
//! So one miss among them makes all of them wait as long as if all had missed: what counts is
//! not which share of loads misses but how many of those that wait together do. A value that
//! goes from iteration to iteration waits for arithmetic.

use super::cost::Cost;
use super::lanes::LANES;
use super::moves;
use super::nest::{Mapping, Nest, Reference, Space, Work};
use super::traffic::Traffic;
use terrace_machine::Machine;

/// Iterations of innermost loops of which the overhead is shared: what the compiler's own
/// unrolling takes together.
const UNROLLED: f64 = moves::UNROLLED_BY as f64;

/// Iterations of straight code whose loads wait together, ptxas having unrolled what is
/// unrolled by four already by four again.
const MAX_TOGETHER: f64 = 16.0;

/// Registers that hold no loaded values: addresses, counters, sums. 18 to 22 order what was
/// measured on an H200 alike.
const REGISTERS_BESIDE: f64 = 20.0;

/// Clocks of a thread whose serial loops go round so often. `cost` says its registers.
pub(super) fn clocks(
    nest: &Nest,
    mapping: &Mapping,
    m: &Machine,
    cost: &Cost,
    traffic: &Traffic,
    trips: &[f64],
) -> f64 {
    let of = |w: &Work| {
        let serial = w.loops.iter().filter(|l| !mapping.axes.contains(l));
        let times: f64 = serial.map(|l| trips[*l]).product();
        let here = Here {
            nest,
            mapping,
            m,
            traffic,
            w,
        };
        let together = here.together(f64::from(cost.registers), trips);
        let chain = w.chain * m.rates.arithmetic_latency.value;
        times * (here.slowest(together) / together + chain + here.own())
    };
    nest.work.iter().map(of).sum()
}

/// Iterations of straight code, of those in the same loops.
fn straight(nest: &Nest, w: &Work, mapping: &Mapping) -> f64 {
    let (_, all) = moves::unrolled(nest, &w.loops, &mapping.axes);
    (all as f64).min(MAX_TOGETHER)
}

/// Iterations that share counting and addresses, since they stand next to each other.
pub(super) fn sharing(nest: &Nest, w: &Work, mapping: &Mapping) -> f64 {
    match w.loops.last() {
        Some(l) if !mapping.axes.contains(l) => UNROLLED.max(straight(nest, w, mapping)),
        _ => 1.0,
    }
}

/// An iteration of the innermost of some loops.
struct Here<'a> {
    nest: &'a Nest,
    mapping: &'a Mapping,
    m: &'a Machine,
    traffic: &'a Traffic,
    w: &'a Work,
}

impl Here<'_> {
    /// The accesses that stand here, by their places.
    fn accesses(&self) -> impl Iterator<Item = (usize, &Reference)> {
        let all = self.nest.references.iter().enumerate();
        all.filter(|(_, r)| r.loops == self.w.loops)
    }

    fn loads(&self) -> impl Iterator<Item = (usize, &Reference)> {
        self.accesses().filter(|(_, r)| !r.writes)
    }

    /// Iterations whose loads wait together: those in straight code, as far as registers
    /// hold what they bring.
    fn together(&self, registers: f64, trips: &[f64]) -> f64 {
        let inner = self.w.loops.last();
        let inner = inner.filter(|l| !self.mapping.axes.contains(l));
        let next = inner.map_or(1.0, |l| trips[*l].clamp(1.0, MAX_TOGETHER));
        let code = next.max(straight(self.nest, self.w, self.mapping));
        let words = |(i, r): (usize, &Reference)| self.traffic.shares[i] * r.bytes as f64 / 4.0;
        let words: f64 = self.loads().map(words).sum();
        let room = (registers - REGISTERS_BESIDE).max(4.0);
        let least = 1.0 / (self.loads().count().max(1) as f64);
        code.min(room / words.max(0.25)).max(least)
    }

    /// Clocks until the slowest of the loads of so many iterations is there, on average. The
    /// caches' shares of misses are of sectors; a request misses if one of its sectors does.
    fn slowest(&self, together: f64) -> f64 {
        let r = &self.m.rates;
        let (mut hit, mut from_l2, mut from_memory) = (0.0, 0.0, 0.0);
        for (i, load) in self.loads() {
            if self.nest.arrays[load.array].space == Space::Shared {
                hit = f64::max(hit, r.shared_latency.value);
                continue;
            }
            hit = f64::max(hit, r.l1_latency.value);
            let c = &self.traffic.references[i];
            let (l1, l2) = self.traffic.misses[load.array];
            let missing = (l1 * c.sectors / c.requests.max(1.0)).clamp(0.0, 1.0);
            let requests = together * self.traffic.shares[i] * missing;
            from_l2 += requests;
            from_memory += requests * l2.clamp(0.0, 1.0);
        }
        let (l1, l2) = (r.l1_latency.value, r.l2_latency.value);
        hit + f64::min(from_l2, 1.0) * (l2 - l1)
            + f64::min(from_memory, 1.0) * (r.memory_latency.value - l2)
    }

    /// Clocks in which a scheduler issues the instructions of one warp: no other hides them
    /// where the warp is alone.
    fn own(&self) -> f64 {
        let r = &self.m.rates;
        let each = |rate: f64| {
            let lanes = rate / r.issue_per_clock.value.max(1.0);
            f64::max(LANES as f64 / lanes.max(0.25), 1.0)
        };
        let w = self.w;
        let accesses: f64 = (self.accesses())
            .map(|(i, _)| self.traffic.shares[i] / self.traffic.joined[i].elements as f64)
            .sum();
        let integers = w.i32 / sharing(self.nest, w, self.mapping);
        w.f32 * each(r.f32_per_clock.value)
            + w.f64 * each(r.f64_per_clock.value)
            + w.special * each(r.special_per_clock.value)
            + integers * each(r.i32_per_clock.value)
            + accesses
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::model::nest::{Affine, Array, Loop};
    use crate::gpu::model::{Term, TermKind, predict};
    use terrace_ir::diag::DiagLoc;
    use terrace_machine::by_name;

    /// Threads that sum up the same elements.
    fn sums(threads: i64, elements: i64) -> Nest {
        let array = |name: &str, n: i64| Array {
            name: name.into(),
            memory: 0,
            unaliased: true,
            space: Space::Global,
            element_bytes: 8,
            sizes: vec![n],
            strides: vec![8],
        };
        Nest {
            loops: vec![Loop::of_trips("i", threads), Loop::of_trips("k", elements)],
            parallel: vec![0],
            arrays: vec![array("x", elements)],
            references: vec![Reference {
                array: 0,
                text: "x[k]".into(),
                place: DiagLoc::Unknown,
                writes: false,
                bytes: 8,
                subscripts: vec![Affine::of_loop(1, 1)],
                address: Affine::of_loop(1, 8),
                loops: vec![0, 1],
                guards: Vec::new(),
            }],
            work: vec![Work {
                loops: vec![0, 1],
                f64: 1.0,
                chain: 1.0,
                ..Work::default()
            }],
            launches: 1.0,
            optimised: true,
            ..Nest::default()
        }
    }

    fn latency(nest: &Nest, block: u32) -> f64 {
        let mapping = Mapping {
            axes: vec![0],
            block: [block, 1, 1],
        };
        let cost = predict(nest, &mapping, by_name("sm_90").unwrap()).unwrap();
        let mut terms = cost.terms.iter();
        let of = |t: &&Term| t.kind == TermKind::Latency;
        terms.find(of).unwrap().us
    }

    /// Each fourth load misses in a block of one warp, and all wait for it: sixteen elements
    /// are not there sooner than one. In a block of eight warps seven of eight find it there;
    /// one of two warps has as many registers.
    #[test]
    fn loads_that_wait_together_wait_for_the_one_that_misses() {
        let nest = sums(256, 4096);
        let (one, two, eight) = (latency(&nest, 32), latency(&nest, 64), latency(&nest, 256));
        let m = by_name("sm_90").unwrap();
        let (r, us) = (&m.rates, |clocks| m.microseconds(clocks));
        // At most 16 iterations at once.
        assert!(one > us(4096.0 / 16.0 * r.l2_latency.value), "{one}");
        assert!(two > 1.5 * eight, "{two} {eight}");
    }

    /// Where nothing misses and nothing waits, the warp's own instructions take their time:
    /// two clocks each, since a scheduler has 16 lanes of f64.
    #[test]
    fn a_warp_takes_the_time_of_its_own_instructions() {
        let mut nest = sums(32, 4096);
        nest.references.clear();
        nest.work[0].chain = 0.0;
        nest.work[0].f64 = 10.0;
        let us = latency(&nest, 32);
        let clock = by_name("sm_90").unwrap().rates.clock_ghz.value;
        assert_eq!(us.round(), (4096.0 * 20.0 / (clock * 1e3)).round());
    }

    /// A launch is not over before its longest thread.
    #[test]
    fn the_longest_thread_counts() {
        let even = sums(256, 2048);
        let mut triangle = sums(256, 4096);
        triangle.loops[1].uppers[0].span = Affine::of_loop(0, 16);
        let (even, triangle) = (latency(&even, 256), latency(&triangle, 256));
        assert!(triangle > 1.8 * even, "{triangle} {even}");
        let mut down = sums(256, 4096);
        let span = Affine::constant(4096).plus(&Affine::of_loop(0, 16), -1);
        down.loops[1].uppers[0].span = span.unwrap();
        assert!(latency(&down, 256) > 1.8 * even);
    }
}
