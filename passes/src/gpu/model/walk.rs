//! Requests looked at one after another, where loops go round differently often for
//! different threads, or conditions stand around an access.
//!
//! Trips of serial loops are the same for all lanes of a warp, and what lanes have of their
//! own are their places: which of them are active, and where the first one's address lies,
//! is all that there is to know of a request. What need not be looked at one by one is taken
//! together:
//!
//! - The innermost loop, unless a condition depends on it: between two trips after which
//!   lanes leave it the same lanes run through the same residues again and again.
//! - Whole blocks along an axis that no bound and no condition depends on, as many as begin
//!   at the same residue; and blocks in which all conditions hold for all threads.

use super::lanes::{LANES, Units, Warps};
use super::nest::{Affine, Mapping, Nest, Reference, Space};
use super::requests::{Axis, Counts};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use terrace_ir::affine::gcd;

/// Lane addresses that are looked at for one access before sampling.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    /// For a count that is exact without.
    exact: f64,
    /// For one that is an estimate in any case.
    estimate: f64,
}

impl Effort {
    pub(crate) const ORDINARY: Effort = Effort {
        exact: (1 << 19) as f64,
        estimate: (1 << 14) as f64,
    };

    #[cfg(test)]
    pub(crate) const ALL: Effort = Effort {
        exact: f64::INFINITY,
        estimate: f64::INFINITY,
    };
}

/// Blocks along an axis and trips of a loop that are looked at then, by how many axes and
/// loops there are of which some have to be chosen.
const SAMPLES: [i64; 5] = [32, 32, 16, 8, 6];

/// Fewer than these are no samples.
const FEW_SAMPLES: i64 = 2;
const FEW_RESIDUES: i64 = 4;
/// More residues than there can be of an address in a line of any cache.
const MOST_RESIDUES: i64 = 1024;

/// At most so many of the numbers below `n`, evenly spread, and how many each stands for.
fn samples(n: i64, most: i64) -> impl Iterator<Item = (i64, f64)> {
    let taken = n.clamp(0, most.max(1));
    let at = move |i: i64| match taken == n {
        true => i,
        false => ((i as f64 + 0.5) * n as f64 / taken as f64) as i64,
    };
    (0..taken).map(move |i| (at(i).min(n - 1), n as f64 / taken as f64))
}

/// See the [module](self).
pub(super) struct Walk<'a> {
    nest: &'a Nest,
    r: &'a Reference,
    units: Units,
    axes: [Axis; 3],
    /// The serial loops around the access, the outermost first.
    serial: Vec<usize>,
    /// Whether the trips of the innermost one are taken together.
    together: bool,
    /// Blocks along an axis and trips of a loop that are looked at, and along an axis that nothing
    /// depends on blocks that begin at different residues.
    samples: i64,
    residues: i64,
    warps: Warps,
    /// Those of the serial loops; 0 for the others.
    trips: Vec<i64>,
    /// What the first trips of the innermost loop ask for, up to each, by the kind of warp,
    /// its lanes, and where its first address lies.
    runs: FxHashMap<(usize, u32, i64), Vec<Counts>>,
    out: Counts,
}

/// A warp of a block, its active lanes, and how many like it there are.
#[derive(Clone, Copy)]
struct Here {
    warp: usize,
    /// Trips of the loops along x, y and z of the block's first thread.
    first: [i64; 3],
    lanes: u32,
    weight: f64,
}

/// Counts an access with these serial loops around it over a launch.
pub(super) fn walk(
    nest: &Nest,
    r: &Reference,
    space: Space,
    mapping: &Mapping,
    axes: [Axis; 3],
    serial: Vec<usize>,
    (units, effort): (Units, Effort),
) -> Counts {
    let along = axes.map(|a| a.of(&r.address));
    let inner = serial.last();
    let depends = |l: &usize| r.guards.iter().any(|g| g.value.coefficient(*l) != 0);
    let mut w = Walk {
        nest,
        r,
        units,
        axes,
        together: inner.is_some_and(|l| !depends(l)),
        serial,
        samples: i64::MAX,
        residues: i64::MAX,
        warps: Warps::new(mapping, along, (r.bytes, space), units),
        trips: vec![0; nest.loops.len()],
        runs: FxHashMap::default(),
        out: Counts::ZERO,
    };
    w.run(f64::from(mapping.threads()), effort);
    w.out
}

impl Walk<'_> {
    fn run(&mut self, threads: f64, effort: Effort) {
        let most = self.nest.most_trips();
        // Lanes that leave a loop at different trips do so from unrolled copies of its body.
        let varies = |l: &usize| self.bounds(*l).any(|s| self.is_of_axes(s));
        self.out.exact = !self.serial.iter().any(varies);
        let outer = &self.serial[..self.serial.len() - usize::from(self.together)];
        let iterations: f64 = outer.iter().map(|l| most[*l] as f64).product();
        let blocks: f64 = (0..3).map(|d| self.different_blocks(d)).product();
        let limit = match self.out.exact {
            true => effort.exact,
            false => effort.estimate,
        };
        if blocks * threads * iterations.max(1.0) > limit {
            self.out.exact = false;
            let axes = (0..3).filter(|d| self.counts(*d)).count();
            let dimensions = (axes + outer.len()).min(SAMPLES.len() - 1);
            self.samples = SAMPLES[dimensions];
            let trips: Vec<i64> = outer.iter().map(|l| most[*l]).collect();
            self.sample_less(&trips, effort.exact / threads);
        }
        let [x, y, z] = [0, 1, 2].map(|d| self.blocks(d));
        // Blocks in which conditions hold for all threads, by what is different about them.
        let mut alike: FxHashMap<(i64, [i64; 3]), ([i64; 3], f64)> = FxHashMap::default();
        let bounded = (0..3).any(|d| self.bounds_depend(d));
        for (c, of_z) in &z {
            for (b, of_y) in &y {
                for (a, of_x) in &x {
                    let (first, weight) = ([*a, *b, *c], of_x * of_y * of_z);
                    let size =
                        [0, 1, 2].map(|d| self.axes[d].block.min(self.axes[d].trips - first[d]));
                    match self.holds(&first, &size) {
                        Some(false) => {}
                        Some(true) if !bounded => {
                            let at = self.parts(&self.r.address, &first).0;
                            let key = (at.rem_euclid(self.units.period), size);
                            alike.entry(key).or_insert((first, 0.0)).1 += weight;
                        }
                        _ => self.block(first, weight),
                    }
                }
            }
        }
        for (first, weight) in alike.into_values() {
            self.block(first, weight);
        }
    }

    /// Takes fewer samples until there are at most so many of blocks and iterations of loops that run
    /// so often: with many loops and axes, those of all of them multiply.
    fn sample_less(&mut self, trips: &[i64], most: f64) {
        loop {
            let blocks = (0..3).map(|d| match self.counts(d) {
                true => self.different_blocks(d).min(self.samples as f64),
                false => self.different_blocks(d).min(self.residues as f64),
            });
            let iterations = trips.iter().map(|n| (*n).min(self.samples).max(1) as f64);
            if blocks.product::<f64>() * iterations.product::<f64>() <= most {
                return;
            }
            if self.residues > FEW_RESIDUES {
                self.residues = (self.residues.min(MOST_RESIDUES) / 2).max(FEW_RESIDUES);
            } else if self.samples > FEW_SAMPLES {
                self.samples -= 1;
            } else {
                return;
            }
        }
    }

    /// Whether the conditions hold for all threads of a block of this size, or for none;
    /// nothing where some hold for some of them, or for some trips.
    fn holds(&self, first: &[i64; 3], size: &[i64; 3]) -> Option<bool> {
        let mut all = true;
        for g in &self.r.guards {
            if self.serial.iter().any(|l| g.value.coefficient(*l) != 0) {
                all = false;
                continue;
            }
            let (start, along) = self.parts(&g.value, first);
            let (mut least, mut most) = (i128::from(start), i128::from(start));
            for d in 0..3 {
                let end = i128::from(along[d]) * i128::from(size[d] - 1);
                least += end.min(0);
                most += end.max(0);
            }
            let (always, never) = match g.equal {
                true => (least == 0 && most == 0, least > 0 || most < 0),
                false => (least >= 0, most < 0),
            };
            if never {
                return Some(false);
            }
            all &= always;
        }
        all.then_some(true)
    }

    /// What bounds how often a loop goes round.
    fn bounds(&self, l: usize) -> impl Iterator<Item = &Affine> {
        self.nest.loops[l].uppers.iter().map(|u| &u.span)
    }

    fn is_of_axes(&self, a: &Affine) -> bool {
        self.axes.iter().any(|axis| axis.of(a) != 0)
    }

    /// Whether bounds or conditions depend on where a block is along an axis.
    fn counts(&self, d: usize) -> bool {
        let of = |a: &Affine| self.axes[d].of(a) != 0;
        self.bounds_depend(d) || self.r.guards.iter().any(|g| of(&g.value))
    }

    fn bounds_depend(&self, d: usize) -> bool {
        let of = |a: &Affine| self.axes[d].of(a) != 0;
        self.serial.iter().any(|l| self.bounds(*l).any(of))
    }

    /// How many blocks along an axis there are to look at.
    fn different_blocks(&self, d: usize) -> f64 {
        let axis = self.axes[d];
        let whole = axis.trips / axis.block;
        let cycle = self.cycle(axis.of(&self.r.address).wrapping_mul(axis.block));
        let whole = if self.counts(d) {
            whole
        } else {
            whole.min(cycle)
        };
        whole as f64 + f64::from(u8::from(axis.trips % axis.block > 0))
    }

    /// The blocks along an axis that are looked at, by the trips of their first thread, and
    /// how many each stands for.
    fn blocks(&self, d: usize) -> Vec<(i64, f64)> {
        let axis = self.axes[d];
        let (whole, rest) = (axis.trips / axis.block, axis.trips % axis.block);
        let step = axis.of(&self.r.address).wrapping_mul(axis.block);
        let cycle = self.cycle(step);
        let mut blocks: Vec<(i64, f64)> = match self.counts(d) {
            true => {
                let taken = samples(whole, self.samples);
                // Not in step with residues.
                let aside = |i: i64| i % cycle.min(whole / self.samples).max(1);
                let shifted = |(i, (at, n)): (i64, (i64, f64))| ((at + aside(i)).min(whole - 1), n);
                (0..).zip(taken).map(shifted).collect()
            }
            false => samples(cycle.min(whole), self.residues)
                .map(|(k, times)| {
                    let alike = whole / cycle + i64::from(k < whole % cycle);
                    (k, times * alike as f64)
                })
                .collect(),
        };
        blocks.extend((rest > 0).then_some((whole, 1.0)));
        let first = |(at, n)| (at * axis.block, n);
        blocks.into_iter().map(first).collect()
    }

    /// Steps after which residues come again.
    fn cycle(&self, step: i64) -> i64 {
        let step = step.rem_euclid(self.units.period);
        self.units.period / gcd(step, self.units.period).max(1)
    }

    fn block(&mut self, first: [i64; 3], weight: f64) {
        let is_whole = |d: usize| first[d] + self.axes[d].block <= self.axes[d].trips;
        let whole = (0..3).all(is_whole);
        for warp in 0..self.warps.all.len() {
            let inside = |t: &[i64; 3]| (0..3).all(|d| first[d] + t[d] < self.axes[d].trips);
            let here = Here {
                warp,
                first,
                lanes: self.warps.all[warp].lanes(|t| whole || inside(t)),
                weight,
            };
            self.level(0, here);
        }
    }

    /// What an expression is for the block's first thread, and what it has of the places
    /// along the axes.
    fn parts(&self, a: &Affine, first: &[i64; 3]) -> (i64, [i64; 3]) {
        let along = self.axes.map(|axis| axis.of(a));
        let start = (0..3).fold(a.eval(&self.trips), |s, d| {
            s.wrapping_add(along[d].wrapping_mul(first[d]))
        });
        (start, along)
    }

    /// The loop at a depth and those in it, for lanes that come there.
    fn level(&mut self, depth: usize, here: Here) {
        if here.lanes == 0 {
            return;
        }
        let Some(l) = self.serial.get(depth).copied() else {
            return self.access(here);
        };
        if self.together && depth + 1 == self.serial.len() {
            let lanes = self.guarded(&here);
            return self.innermost(l, Here { lanes, ..here });
        }
        let ends = self.ends(l, &here);
        let active = |lane: &usize| here.lanes >> lane & 1 == 1;
        let most = (0..ends.len()).filter(active).map(|lane| ends[lane]).max();
        for (t, times) in samples(most.unwrap_or(0), self.samples) {
            let still = |lane: &usize| active(lane) && t < ends[*lane];
            let lanes = (0..ends.len()).filter(still);
            self.trips[l] = t;
            self.level(
                depth + 1,
                Here {
                    lanes: lanes.fold(0, |m, lane| m | 1 << lane),
                    weight: here.weight * times,
                    ..here
                },
            );
        }
        self.trips[l] = 0;
    }

    /// How often each lane goes round a loop.
    fn ends(&self, l: usize, here: &Here) -> SmallVec<[i64; LANES]> {
        let warp = &self.warps.all[here.warp];
        let mut ends = SmallVec::from_elem(i64::MAX, warp.places.len());
        for u in &self.nest.loops[l].uppers {
            let (start, along) = self.parts(&u.span, &here.first);
            for (end, t) in ends.iter_mut().zip(&warp.places) {
                *end = u.trips_of(at(start, &along, t)).min(*end);
            }
        }
        ends
    }

    /// The innermost loop: from one trip at which lanes leave it to the next.
    fn innermost(&mut self, l: usize, here: Here) {
        let mut lanes = here.lanes;
        let ends = self.ends(l, &here).into_iter().enumerate();
        let active = ends.filter(|(lane, _)| lanes >> lane & 1 == 1);
        let mut leave: SmallVec<[(i64, u32); LANES]> =
            active.map(|(lane, end)| (end, 1 << lane)).collect();
        if leave.iter().any(|(end, _)| *end != leave[0].0) {
            leave.sort_unstable();
        }
        let (start, _) = self.parts(&self.r.address, &here.first);
        let step = self.r.address.coefficient(l);
        let mut from = 0;
        for (to, lane) in leave {
            if to > from {
                let base = start.wrapping_add(from.wrapping_mul(step));
                self.run_of(here.warp, lanes, (base, step), to - from, here.weight);
                from = to;
            }
            lanes &= !lane;
        }
    }

    /// So many trips of the innermost loop by the same lanes.
    fn run_of(
        &mut self,
        warp: usize,
        lanes: u32,
        (base, step): (i64, i64),
        trips: i64,
        weight: f64,
    ) {
        let cycle = self.cycle(step);
        let (kind, at) = self.warps.place(warp, base);
        let run = self.runs.entry((kind, lanes, at)).or_default();
        let needed = cycle.min(trips);
        while (run.len() as i64) < needed {
            let before = run.last().copied().unwrap_or(Counts::ZERO);
            let next = base.wrapping_add((run.len() as i64).wrapping_mul(step));
            let mut all = self.warps.request(warp, lanes, next);
            all.add(&before, 1.0);
            run.push(all);
        }
        if trips >= cycle {
            let around = run[cycle as usize - 1];
            self.out.add(&around, weight * (trips / cycle) as f64);
        }
        if trips % cycle > 0 {
            self.out.add(&run[(trips % cycle) as usize - 1], weight);
        }
    }

    /// The lanes for which the access's conditions hold.
    fn guarded(&self, here: &Here) -> u32 {
        let mut lanes = here.lanes;
        for g in &self.r.guards {
            let (start, along) = self.parts(&g.value, &here.first);
            let warp = &self.warps.all[here.warp];
            lanes &= warp.lanes(|t| g.holds(at(start, &along, t)));
        }
        lanes
    }

    /// The access itself, by the lanes for which its conditions hold.
    fn access(&mut self, here: Here) {
        let lanes = self.guarded(&here);
        let (start, _) = self.parts(&self.r.address, &here.first);
        if lanes != 0 {
            let one = self.warps.request(here.warp, lanes, start);
            self.out.add(&one, here.weight);
        }
    }
}

/// An expression at a place of a block.
fn at(start: i64, along: &[i64; 3], place: &[i64; 3]) -> i64 {
    (0..3).fold(start, |s, d| {
        s.wrapping_add(along[d].wrapping_mul(place[d]))
    })
}
