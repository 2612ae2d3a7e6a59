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

use super::nest::{Mapping, Nest, Reference, Space};
use terrace_machine::Machine;

/// Lanes of a warp.
pub const LANES: usize = 32;

/// What is counted of an access over a whole launch.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Counts {
    pub requests: f64,
    pub sectors: f64,
    pub lines: f64,
    /// Accesses of lanes.
    pub lanes: f64,
    /// Passes through shared memory, and those of them that bank conflicts cost.
    pub wavefronts: f64,
    pub conflicts: f64,
    /// Whether these are the numbers, or near them.
    pub exact: bool,
}

impl Counts {
    pub const ZERO: Counts = Counts {
        requests: 0.0,
        sectors: 0.0,
        lines: 0.0,
        lanes: 0.0,
        wavefronts: 0.0,
        conflicts: 0.0,
        exact: true,
    };

    /// Adds so many times what another has.
    pub fn add(&mut self, other: &Counts, times: f64) {
        self.requests += other.requests * times;
        self.sectors += other.sectors * times;
        self.lines += other.lines * times;
        self.lanes += other.lanes * times;
        self.wavefronts += other.wavefronts * times;
        self.conflicts += other.conflicts * times;
        self.exact &= other.exact;
    }
}

/// What a warp's request is cut into.
#[derive(Clone, Copy, Debug)]
struct Units {
    sector: i64,
    line: i64,
    banks: i64,
    bank: i64,
    /// Addresses that differ by a multiple of this give the same counts.
    period: i64,
}

impl Units {
    fn of(m: &Machine) -> Units {
        let (line, all) = (i64::from(m.line_bytes), m.shared_banks * m.bank_bytes);
        Units {
            sector: i64::from(m.sector_bytes),
            line,
            banks: i64::from(m.shared_banks),
            bank: i64::from(m.bank_bytes),
            period: lcm(line, i64::from(all)),
        }
    }
}

pub(super) fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

fn lcm(a: i64, b: i64) -> i64 {
    (a / gcd(a, b).max(1)).saturating_mul(b).clamp(1, 1 << 20)
}

/// Different values in a short list, which is sorted for it.
pub(super) fn distinct(values: &mut Vec<i64>) -> f64 {
    values.sort_unstable();
    values.dedup();
    values.len() as f64
}

/// The counts of one request: the active lanes with their addresses.
fn of_request(lanes: &[(usize, i64)], bytes: i64, space: Space, u: &Units) -> Counts {
    if lanes.is_empty() {
        return Counts::ZERO;
    }
    let mut out = Counts {
        requests: 1.0,
        lanes: lanes.len() as f64,
        ..Counts::ZERO
    };
    match space {
        Space::Global => {
            let mut touched = Vec::with_capacity(2 * LANES);
            let mut of = |unit: i64| {
                touched.clear();
                for (_, at) in lanes {
                    let last = at + bytes - 1;
                    touched.extend(at.div_euclid(unit)..=last.div_euclid(unit));
                }
                distinct(&mut touched)
            };
            out.sectors = of(u.sector);
            out.lines = of(u.line);
        }
        Space::Shared => {
            // Lanes are served in as many groups as an access has words, at most four.
            let groups = (bytes / u.bank).clamp(1, 4);
            let together = LANES / groups as usize;
            for group in 0..groups as usize {
                let here = lanes.iter().filter(|(lane, _)| lane / together == group);
                let mut words: Vec<i64> = here
                    .flat_map(|(_, at)| (0..groups).map(move |w| at.div_euclid(u.bank) + w))
                    .collect();
                words.sort_unstable();
                words.dedup();
                let mut most = 0;
                let mut per_bank = vec![0u32; u.banks as usize];
                for w in &words {
                    let n = &mut per_bank[w.rem_euclid(u.banks) as usize];
                    *n += 1;
                    most = most.max(*n);
                }
                out.wavefronts += f64::from(most);
                out.conflicts += f64::from(most.saturating_sub(1));
            }
        }
    }
    out
}

/// One axis of the launch: what an access moves by, iterations, and threads of a block.
#[derive(Clone, Copy, Debug)]
struct Axis {
    l: Option<usize>,
    trips: i64,
    block: i64,
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

/// The threads of a block in the order of warps: places along x, y, z.
pub(super) fn threads(mapping: &Mapping) -> Vec<[i64; 3]> {
    let [x, y, z] = mapping.block.map(i64::from);
    let mut out = Vec::new();
    for c in 0..z {
        for b in 0..y {
            out.extend((0..x).map(|a| [a, b, c]));
        }
    }
    out
}

/// Lane addresses that are looked at for one access before sampling.
const EFFORT: f64 = (1 << 19) as f64;

/// Counts an access of a nest over a launch. Loops along axes have constant bounds
/// ([`super::predict`] makes sure); else there is nothing to count.
pub fn count(nest: &Nest, mapping: &Mapping, r: &Reference, machine: &Machine) -> Counts {
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
        _ => {
            let mut e = Enumeration {
                nest,
                r,
                space: array.space,
                units,
                axes,
                serial,
                samples: i64::MAX,
                out: Counts::ZERO,
            };
            e.run(mapping);
            e.out
        }
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
    fn spread(&self, step: i64, count: i64) -> Residues {
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
    let along = axes.map(|a| a.l.map_or(0, |l| r.address.coefficient(l)));
    let all = threads(mapping);
    // Along each axis the whole blocks together, and the last one where it is not whole.
    for part in 0..8 {
        let mut residues = Residues {
            period: u.period,
            at: first.at.clone(),
        };
        let mut active = [0; 3];
        for (d, axis) in axes.iter().enumerate() {
            let (whole, rest) = (axis.trips / axis.block, axis.trips % axis.block);
            let step = along[d].wrapping_mul(axis.block);
            if part >> d & 1 == 0 {
                active[d] = if whole > 0 { axis.block } else { 0 };
                residues = residues.spread(step, whole);
            } else {
                active[d] = rest;
                let shift = step.wrapping_mul(whole);
                residues
                    .at
                    .rotate_right(shift.rem_euclid(u.period) as usize);
            }
        }
        if active.contains(&0) {
            continue;
        }
        for warp in all.chunks(LANES) {
            let offset = |t: &[i64; 3]| (0..3).map(|d| t[d].wrapping_mul(along[d])).sum::<i64>();
            let offsets: Vec<(usize, i64)> = (warp.iter().enumerate())
                .filter(|(_, t)| (0..3).all(|d| t[d] < active[d]))
                .map(|(lane, t)| (lane, offset(t)))
                .collect();
            if offsets.is_empty() {
                continue;
            }
            for (start, n) in residues.at.iter().enumerate().filter(|(_, n)| **n > 0.0) {
                let lanes: Vec<(usize, i64)> = (offsets.iter())
                    .map(|(lane, o)| (*lane, o + start as i64))
                    .collect();
                out.add(&of_request(&lanes, r.bytes, space, u), *n);
            }
        }
    }
    out
}

/// At most so many of the numbers below `n`, evenly spread, and how many each stands for.
fn samples(n: i64, most: i64) -> impl Iterator<Item = (i64, f64)> {
    let taken = n.clamp(0, most.max(1));
    let at = move |i: i64| match taken == n {
        true => i,
        false => ((i as f64 + 0.5) * n as f64 / taken as f64) as i64,
    };
    (0..taken).map(move |i| (at(i).min(n - 1), n as f64 / taken as f64))
}

struct Enumeration<'a> {
    nest: &'a Nest,
    r: &'a Reference,
    space: Space,
    units: Units,
    axes: [Axis; 3],
    /// The serial loops around the access, the outermost first.
    serial: Vec<usize>,
    /// Trips of each loop that are looked at.
    samples: i64,
    out: Counts,
}

impl Enumeration<'_> {
    fn run(&mut self, mapping: &Mapping) {
        let all = threads(mapping);
        let most = self.nest.most_trips();
        let iterations: f64 = (self.serial.iter()).map(|l| most[*l] as f64).product();
        let blocks = self
            .axes
            .map(|a| a.trips / a.block + i64::from(a.trips % a.block > 0));
        let total = blocks.iter().map(|n| *n as f64).product::<f64>();
        let lanes = total * all.len() as f64;
        // Lanes that leave a loop at different trips do so from unrolled copies of its body.
        let varies = |l: &usize| {
            let spans = self.nest.loops[*l].uppers.iter().map(|u| &u.span);
            let mut terms = spans.flat_map(|s| &s.terms);
            terms.any(|t| self.axes.iter().any(|a| a.l == Some(t.0)))
        };
        self.out.exact = !self.serial.iter().any(varies);
        let mut blocks_taken = i64::MAX;
        if lanes * iterations.max(1.0) > EFFORT {
            self.out.exact = false;
            let depth = self.serial.len() as f64;
            // As many blocks as trips of each loop.
            let per_block = (EFFORT / all.len() as f64).max(1.0);
            let each = per_block.powf(1.0 / (depth + 1.0)).max(2.0);
            self.samples = each as i64;
            blocks_taken = (each as i64).max(256);
        }
        let count = total.min(1e15) as i64;
        let taken = count.min(blocks_taken);
        for i in 0..taken {
            let weight = count as f64 / taken as f64;
            let number = match taken == count {
                true => i,
                // Multiples of the golden section are spread evenly, and not in step with
                // rows of blocks.
                false => ((i as f64 * 0.618_033_988_749_894_9).fract() * count as f64) as i64,
            };
            let b = [
                number % blocks[0],
                number / blocks[0] % blocks[1],
                number / blocks[0] / blocks[1],
            ];
            for warp in all.chunks(LANES) {
                let mut lanes: Vec<(usize, Vec<i64>)> = Vec::with_capacity(LANES);
                for (lane, t) in warp.iter().enumerate() {
                    let mut trips = vec![0; self.nest.loops.len()];
                    let mut inside = true;
                    for (d, axis) in self.axes.iter().enumerate() {
                        let at = b[d] * axis.block + t[d];
                        inside &= at < axis.trips;
                        if let Some(l) = axis.l {
                            trips[l] = at;
                        }
                    }
                    if inside {
                        lanes.push((lane, trips));
                    }
                }
                self.level(0, &mut lanes, weight);
            }
        }
    }

    /// The loop at a depth and those in it, for lanes that come there.
    fn level(&mut self, depth: usize, lanes: &mut [(usize, Vec<i64>)], weight: f64) {
        if lanes.is_empty() {
            return;
        }
        let Some(l) = self.serial.get(depth).copied() else {
            let r = self.r;
            let at: Vec<(usize, i64)> = (lanes.iter())
                .filter(|(_, trips)| r.guards.iter().all(|g| g.holds(trips)))
                .map(|(lane, trips)| (*lane, r.address.eval(trips)))
                .collect();
            let one = of_request(&at, r.bytes, self.space, &self.units);
            self.out.add(&one, weight);
            return;
        };
        let this = &self.nest.loops[l];
        let ends: Vec<i64> = lanes.iter().map(|(_, trips)| this.trips(trips)).collect();
        let most = ends.iter().copied().max().unwrap_or(0);
        for (t, times) in samples(most, self.samples) {
            let mut inside: Vec<(usize, Vec<i64>)> = (lanes.iter().zip(&ends))
                .filter(|(_, end)| t < **end)
                .map(|(lane, _)| lane.clone())
                .collect();
            for (_, trips) in &mut inside {
                trips[l] = t;
            }
            self.level(depth + 1, &mut inside, weight * times);
        }
    }
}

#[cfg(test)]
#[path = "requests_tests.rs"]
mod tests;
