//! What warps ask of memory, from the addresses of their lanes.
//!
//! A request is one instruction of one warp; it asks for the different 32-byte sectors and
//! 128-byte lines that its active lanes touch, and of shared memory for as many passes as
//! the bank with most different words has (CUDA C++ Programming Guide, "Global Memory",
//! "Shared Memory"; 8-byte accesses by half warps, 16-byte ones by quarters).
//!
//! How many sectors a request has depends on the offsets of its lanes from one another and
//! on where its first address lies within a line. The offsets are the same for all blocks
//! that are whole along the same axes, and for all trips of serial loops. So for loops with
//! constant bounds it suffices to know how many requests start at each residue of an
//! address modulo a line: the residues of a sum are a convolution of those of its terms,
//! each of which has a period. That is exact however large the grid is. Where bounds or
//! conditions depend on other counters, requests are enumerated, and sampled where they are
//! too many; the count then says that it is not exact. It says so, too, where lanes of a
//! warp go round a serial loop differently often: the compiler unrolls it, and lanes that
//! leave early then meet the others at other accesses than the text has.

use super::lanes::{Units, Warps};
use super::nest::{Affine, Mapping, Nest, Reference, Space};
use super::walk::{Effort, walk};
use terrace_ir::affine::gcd;
use terrace_machine::Machine;

/// What is counted of an access over a whole launch.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Counts {
    /// Of warps.
    pub requests: f64,
    pub(crate) sectors: f64,
    pub(crate) lines: f64,
    /// Accesses of lanes.
    pub lanes: f64,
    /// Passes through shared memory, and those of them that bank conflicts cost.
    pub wavefronts: f64,
    /// The part of the passes that bank conflicts cost.
    pub conflicts: f64,
    /// Whether these are the numbers, or near them.
    pub exact: bool,
}

impl Counts {
    pub(crate) const ZERO: Counts = Counts {
        requests: 0.0,
        sectors: 0.0,
        lines: 0.0,
        lanes: 0.0,
        wavefronts: 0.0,
        conflicts: 0.0,
        exact: true,
    };

    /// Adds so many times what another has.
    pub(crate) fn add(&mut self, other: &Counts, times: f64) {
        self.requests += other.requests * times;
        self.sectors += other.sectors * times;
        self.lines += other.lines * times;
        self.lanes += other.lanes * times;
        self.wavefronts += other.wavefronts * times;
        self.conflicts += other.conflicts * times;
        self.exact &= other.exact;
    }
}

/// Different values in a short list, which is sorted for it.
pub(super) fn distinct(values: &mut Vec<i64>) -> f64 {
    values.sort_unstable();
    values.dedup();
    values.len() as f64
}

/// One axis of the launch: its loop, iterations, and threads of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub l: Option<usize>,
    pub trips: i64,
    pub block: i64,
}

impl Axis {
    /// What its trips are multiplied by.
    pub(crate) fn of(&self, a: &Affine) -> i64 {
        self.l.map_or(0, |l| a.coefficient(l))
    }
}

fn axes(nest: &Nest, mapping: &Mapping) -> Option<[Axis; 3]> {
    let mut out = [Axis {
        l: None,
        trips: 1,
        block: 1,
    }; 3];
    for (d, axis) in out.iter_mut().enumerate() {
        axis.block = i64::from(mapping.block[d].max(1));
        if let Some(l) = mapping.axes.get(d) {
            axis.l = Some(*l);
            axis.trips = nest.loops.get(*l)?.constant_trips()?;
        }
    }
    Some(out)
}

/// Counts an access of a nest over a launch. Loops along axes have constant bounds
/// ([`super::predict`] makes sure); else there is nothing to count.
pub fn count(nest: &Nest, mapping: &Mapping, r: &Reference, machine: &Machine) -> Counts {
    count_within(nest, mapping, r, machine, Effort::ORDINARY)
}

fn count_within(
    nest: &Nest,
    mapping: &Mapping,
    r: &Reference,
    machine: &Machine,
    effort: Effort,
) -> Counts {
    let units = Units::of(machine);
    let (Some(axes), Some(array)) = (axes(nest, mapping), nest.arrays.get(r.array)) else {
        return Counts {
            exact: false,
            ..Counts::ZERO
        };
    };
    let serial: Vec<usize> = (r.loops.iter().copied())
        .filter(|l| !mapping.axes.contains(l))
        .collect();
    // What does not stand inside a mapped loop is made by all threads of it; such are none
    // in nests as they are read, and are counted once for each iteration.
    let constant: Option<Vec<i64>> = (serial.iter())
        .map(|l| nest.loops.get(*l)?.constant_trips())
        .collect();
    match constant {
        Some(trips) if r.guards.is_empty() => {
            let loops: Vec<(usize, i64)> = serial.into_iter().zip(trips).collect();
            by_residue(r, array.space, mapping, &axes, &loops, &units)
        }
        _ => walk(nest, r, array.space, mapping, axes, serial, (units, effort)),
    }
}

/// How many requests start at each residue.
struct Residues {
    period: i64,
    at: Vec<f64>,
}

impl Residues {
    fn one(at: i64, period: i64) -> Residues {
        let mut all = vec![0.0; period as usize];
        all[at.rem_euclid(period) as usize] = 1.0;
        Residues { period, at: all }
    }

    /// With a term added that is `step` times each number below `count`.
    fn spread(self, step: i64, count: i64) -> Residues {
        if count == 1 {
            return self;
        }
        let step = step.rem_euclid(self.period);
        let cycle = self.period / gcd(step, self.period).max(1);
        let mut out = vec![0.0; self.period as usize];
        for (at, n) in self.at.iter().enumerate().filter(|(_, n)| **n > 0.0) {
            for k in 0..cycle.min(count) {
                let times = count / cycle + i64::from(k < count % cycle);
                let to = (at as i64 + k * step).rem_euclid(self.period);
                out[to as usize] += n * times as f64;
            }
        }
        Residues {
            period: self.period,
            at: out,
        }
    }
}

fn by_residue(
    r: &Reference,
    space: Space,
    mapping: &Mapping,
    axes: &[Axis; 3],
    serial: &[(usize, i64)],
    u: &Units,
) -> Counts {
    let mut out = Counts::ZERO;
    let mut first = Residues::one(r.address.constant, u.period);
    for (l, trips) in serial {
        first = first.spread(r.address.coefficient(*l), *trips);
    }
    let along = axes.map(|a| a.of(&r.address));
    let mut warps = Warps::new(mapping, along, (r.bytes, space), *u);
    // Along each axis the whole blocks together, and the last one where it is not whole.
    for part in 0..8 {
        let is_whole = |d: usize| part >> d & 1 == 0;
        let active: [i64; 3] = std::array::from_fn(|d| match is_whole(d) {
            true if axes[d].trips / axes[d].block > 0 => axes[d].block,
            true => 0,
            false => axes[d].trips % axes[d].block,
        });
        // Most launches have no more than two of the eight parts.
        if active.contains(&0) {
            continue;
        }
        let mut residues = Residues {
            period: u.period,
            at: first.at.clone(),
        };
        for (d, axis) in axes.iter().enumerate() {
            let whole = axis.trips / axis.block;
            let step = along[d].wrapping_mul(axis.block);
            if is_whole(d) {
                residues = residues.spread(step, whole);
            } else {
                let shift = step.wrapping_mul(whole);
                residues
                    .at
                    .rotate_right(shift.rem_euclid(u.period) as usize);
            }
        }
        for warp in 0..warps.all.len() {
            let lanes = warps.all[warp].lanes(|t| (0..3).all(|d| t[d] < active[d]));
            if lanes == 0 {
                continue;
            }
            for (start, n) in residues.at.iter().enumerate().filter(|(_, n)| **n > 0.0) {
                out.add(&warps.request(warp, lanes, start as i64), *n);
            }
        }
    }
    out
}

#[cfg(test)]
#[path = "requests_tests.rs"]
mod tests;
