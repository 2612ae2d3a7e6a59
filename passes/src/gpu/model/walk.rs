//! Requests looked at one after another, where loops go round differently often for
//! different threads, or conditions stand around an access.
//!
//! Trips of serial loops are the same for all lanes of a warp, and what lanes have of their
//! own are their places: which of them are active, and where the first one's address lies,
//! is all that there is to know of a request. A loop around nothing but the access runs
//! through the same residues again and again, which are taken together.

use super::lanes::{Units, Warps};
use super::nest::{Affine, Mapping, Nest, Reference, Space};
use super::requests::{Axis, Counts, gcd};

/// Lane addresses that are looked at for one access before sampling.
const EFFORT: f64 = (1 << 19) as f64;

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
    /// Trips of each loop that are looked at.
    samples: i64,
    warps: Warps,
    /// Those of the serial loops; 0 for the others.
    trips: Vec<i64>,
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
    units: Units,
) -> Counts {
    let along = axes.map(|a| a.of(&r.address));
    let mut w = Walk {
        nest,
        r,
        units,
        axes,
        serial,
        samples: i64::MAX,
        warps: Warps::new(mapping, along, (r.bytes, space), units),
        trips: vec![0; nest.loops.len()],
        out: Counts::ZERO,
    };
    w.run(f64::from(mapping.threads()));
    w.out
}

impl Walk<'_> {
    fn run(&mut self, threads: f64) {
        let most = self.nest.most_trips();
        let iterations: f64 = (self.serial.iter()).map(|l| most[*l] as f64).product();
        let blocks = self
            .axes
            .map(|a| a.trips / a.block + i64::from(a.trips % a.block > 0));
        let total = blocks.iter().map(|n| *n as f64).product::<f64>();
        // Lanes that leave a loop at different trips do so from unrolled copies of its body.
        let varies = |l: &usize| {
            let spans = self.nest.loops[*l].uppers.iter().map(|u| &u.span);
            let mut terms = spans.flat_map(|s| &s.terms);
            terms.any(|t| self.axes.iter().any(|a| a.l == Some(t.0)))
        };
        self.out.exact = !self.serial.iter().any(varies);
        let mut blocks_taken = i64::MAX;
        if total * threads * iterations.max(1.0) > EFFORT {
            self.out.exact = false;
            let depth = self.serial.len() as f64;
            // As many blocks as trips of each loop.
            let per_block = (EFFORT / threads).max(1.0);
            let each = per_block.powf(1.0 / (depth + 1.0)).max(2.0);
            self.samples = each as i64;
            blocks_taken = (each as i64).max(256);
        }
        let count = total.min(1e15) as i64;
        let taken = count.min(blocks_taken);
        for i in 0..taken {
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
            let first: [i64; 3] = std::array::from_fn(|d| b[d] * self.axes[d].block);
            for warp in 0..self.warps.all.len() {
                let inside = |t: &[i64; 3]| (0..3).all(|d| first[d] + t[d] < self.axes[d].trips);
                let here = Here {
                    warp,
                    first,
                    lanes: self.warps.all[warp].lanes(inside),
                    weight: count as f64 / taken as f64,
                };
                self.level(0, here);
            }
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
        let ends = self.ends(l, &here);
        let active = |lane: &usize| here.lanes >> lane & 1 == 1;
        let of_active = || (0..ends.len()).filter(active).map(|lane| ends[lane]);
        let most = of_active().max().unwrap_or(0);
        let least = of_active().min().unwrap_or(0).max(0);
        // What all lanes do can be taken together where it is all that the loop does.
        let innermost = depth + 1 == self.serial.len() && self.r.guards.is_empty();
        let together = innermost && most <= self.samples.max(1);
        if together {
            self.cycle(l, here, least);
        }
        for (t, times) in samples(most, self.samples) {
            if together && t < least {
                continue;
            }
            let still = |lane: &usize| t < ends[*lane];
            let lanes = match t < least {
                true => here.lanes,
                false => (0..ends.len())
                    .filter(active)
                    .filter(still)
                    .fold(0, |m, lane| m | 1 << lane),
            };
            self.trips[l] = t;
            self.level(
                depth + 1,
                Here {
                    lanes,
                    weight: here.weight * times,
                    ..here
                },
            );
        }
        self.trips[l] = 0;
    }

    /// How often each lane goes round a loop.
    fn ends(&self, l: usize, here: &Here) -> Vec<i64> {
        let warp = &self.warps.all[here.warp];
        let mut ends = vec![i64::MAX; warp.places.len()];
        for u in &self.nest.loops[l].uppers {
            let (start, along) = self.parts(&u.span, &here.first);
            for (end, t) in ends.iter_mut().zip(&warp.places) {
                *end = u.trips_of(at(start, &along, t)).min(*end);
            }
        }
        ends
    }

    /// The access in the first trips of a loop in which all lanes are.
    fn cycle(&mut self, l: usize, here: Here, trips: i64) {
        let (start, _) = self.parts(&self.r.address, &here.first);
        let step = self.r.address.coefficient(l).rem_euclid(self.units.period);
        let cycle = self.units.period / gcd(step, self.units.period).max(1);
        for k in 0..cycle.min(trips) {
            let times = trips / cycle + i64::from(k < trips % cycle);
            let base = start.wrapping_add(k * step);
            let one = self.warps.request(here.warp, here.lanes, base);
            self.out.add(&one, here.weight * times as f64);
        }
    }

    /// The access itself, by the lanes for which its conditions hold.
    fn access(&mut self, here: Here) {
        let mut lanes = here.lanes;
        for g in &self.r.guards {
            let (start, along) = self.parts(&g.value, &here.first);
            let warp = &self.warps.all[here.warp];
            lanes &= warp.lanes(|t| g.holds(at(start, &along, t)));
        }
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
