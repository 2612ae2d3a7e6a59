//! Accesses that the compiler joins, and what the L1 cache makes of requests.
//!
//! Iterations that stand next to each other in straight code, and members of a structure,
//! become one access of up to 16 bytes where addresses are aligned. The cache serves a
//! request in parts: all 32 lanes at once where each has 4 bytes, half of them where each
//! has 8, a quarter where each has 16 (as shared memory does, CUDA C++ Programming Guide,
//! "Shared Memory"), and of a part one line a pass. The rule is inferred from times, not from
//! counters: a product of matrices on an H200, by accesses of 16 bytes of which the lanes of a
//! warp read 1, 2, 4 and 8 rows, takes 160, 215, 354 and 637 us, and with 16 or 32 rows no more
//! (gemm, `j.i`, one element a thread, in `benches/gpu/mappings/h200.csv`).

use super::lanes::{LANES, threads};
use super::moves;
use super::nest::{Mapping, Nest, Reference, Space};
use super::requests::distinct;
use terrace_machine::Machine;

/// The widest access, in bytes.
const MAX_BYTES: i64 = 16;

/// How an access is made.
pub struct Joined {
    /// Elements of one instruction.
    pub elements: i64,
    /// The loops whose iterations lie next to each other.
    unit: Vec<usize>,
}

/// How many elements an access takes together, of those of the loops that become straight
/// code.
pub fn joined(nest: &Nest, r: &Reference, mapped: &[usize]) -> Joined {
    let mut out = Joined {
        elements: 1,
        unit: Vec::new(),
    };
    if !nest.optimised || !r.guards.is_empty() || nest.arrays[r.array].space == Space::Shared {
        return out;
    }
    let mut neighbours = 1i64;
    for l in moves::straight(nest, &r.loops, mapped) {
        if r.address.coefficient(l) == r.bytes {
            let trips = nest.loops[l].constant_trips().unwrap_or(i64::MAX).max(1);
            neighbours = neighbours.saturating_add(trips - 1);
            out.unit.push(l);
        }
    }
    let alike = |o: &&Reference| {
        o.array == r.array
            && o.writes == r.writes
            && o.bytes == r.bytes
            && o.loops == r.loops
            && o.address.terms == r.address.terms
    };
    let constants = || {
        let all = nest.references.iter().filter(alike);
        all.map(|o| o.address.constant)
    };
    if out.unit.is_empty() && constants().any(|c| c.abs_diff(r.address.constant) == bytes(r)) {
        neighbours = 2;
    }
    let mut n = 1;
    while n * 2 * r.bytes <= MAX_BYTES && n * 2 <= neighbours {
        n *= 2;
    }
    let first = constants().min().unwrap_or(0);
    let unaligned = |n: i64| {
        let others = (r.address.terms.iter()).filter(|(l, _)| !out.unit.contains(l));
        first % (n * r.bytes) != 0 || others.into_iter().any(|(_, c)| c % (n * r.bytes) != 0)
    };
    while n > 1 && unaligned(n) {
        n /= 2;
    }
    out.elements = n;
    out
}

fn bytes(r: &Reference) -> u64 {
    r.bytes.unsigned_abs()
}

/// Warps that are looked at for one access.
const SAMPLES: usize = 8;

/// Passes through the L1 cache of a request, on average over some warps.
pub fn passes(nest: &Nest, mapping: &Mapping, r: &Reference, j: &Joined, m: &Machine) -> f64 {
    let bytes = r.bytes * j.elements;
    let line = i64::from(m.line_bytes.max(1));
    let parts = (bytes / 4).clamp(1, 4) as usize;
    let trips = nest.most_trips();
    let all = threads(mapping);
    let warps: Vec<&[[i64; 3]]> = all.chunks(LANES).collect();
    let axis = |l: usize| mapping.axes.iter().position(|a| *a == l).filter(|d| *d < 3);
    // Knuth's linear congruential generator (MMIX): any that is not in step with loops will do.
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut below = |n: i64| {
        state = (state.wrapping_mul(6_364_136_223_846_793_005)).wrapping_add(1);
        (state >> 33) as i64 % n.max(1)
    };
    let (mut total, mut taken) = (0.0, 0.0);
    let mut lines = Vec::with_capacity(2 * LANES);
    for k in 0..SAMPLES {
        let Some(warp) = warps.get(k % warps.len().max(1)) else {
            break;
        };
        let mut base = r.address.constant;
        for (l, c) in &r.address.terms {
            let at = match axis(*l) {
                Some(d) => {
                    let block = i64::from(mapping.block[d].max(1));
                    below(trips[*l] / block).wrapping_mul(block)
                }
                None if j.unit.contains(l) => below(trips[*l] / j.elements) * j.elements,
                None => below(trips[*l]),
            };
            base = base.wrapping_add(c.wrapping_mul(at));
        }
        // Whole lines do not matter.
        let base = base.rem_euclid(line);
        for part in warp.chunks(LANES / parts) {
            lines.clear();
            for t in part {
                let along = (mapping.axes.iter().take(3).enumerate())
                    .map(|(d, l)| t[d].wrapping_mul(r.address.coefficient(*l)));
                let first = along.fold(base, i64::wrapping_add);
                let last = first.wrapping_add(bytes - 1);
                lines.extend([first.div_euclid(line), last.div_euclid(line)]);
            }
            total += distinct(&mut lines);
        }
        taken += 1.0;
    }
    f64::max(total / f64::max(taken, 1.0), 1.0)
}
