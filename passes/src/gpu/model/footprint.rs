//! How many different sectors of memory some iterations touch, and what a cache brings.
//!
//! The sectors are those of boxes: along each dimension of an array a subscript takes as
//! many values as its loops have trips, or as lie in its range; accesses whose subscripts
//! differ by a number are united to the smallest box around them. That is exact for dense
//! boxes whose rows are whole sectors, and an estimate elsewhere.
//!
//! Reuse follows from it as in Wolf and Lam, "A Data Locality Optimizing Algorithm" (1991):
//! what a loop touches again in its next iteration is still there when all that one of its
//! iterations touches fits into the cache; then all its iterations together bring their
//! union once, else each brings its own.

use super::nest::{Affine, Nest, Space};
use terrace_ir::affine::gcd;

/// For each loop of a nest, how many of its trips are taken; 1 where it stands still.
pub type Extents = Vec<f64>;

/// Different values that a sum takes over all trips, and the step that they are multiples of.
fn values(a: &Affine, extents: &Extents) -> (f64, i64) {
    let (mut count, mut span, mut step) = (1.0, 0.0, 0);
    for (l, c) in &a.terms {
        let n = extents.get(*l).copied().unwrap_or(1.0).max(1.0);
        if n > 1.0 {
            count *= n;
            span += c.unsigned_abs() as f64 * (n - 1.0);
            step = gcd(step, *c);
        }
    }
    let dense = span / (step.max(1) as f64) + 1.0;
    (f64::min(count, dense), step.max(1))
}

/// Sectors of the dimension along which elements are nearest: loops of small factors make
/// runs, and those that go beyond a run's end have as many of them as trips. `bytes` is what
/// all loops standing still take.
fn runs(a: &Affine, extents: &Extents, bytes: f64, stride: f64, sector: f64) -> f64 {
    let mut terms: Vec<(f64, f64)> = (a.terms.iter())
        .map(|(l, c)| {
            let n = extents.get(*l).copied().unwrap_or(1.0).max(1.0);
            (c.unsigned_abs() as f64 * stride, n)
        })
        .collect();
    terms.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut run, mut times) = (bytes, 1.0);
    for (apart, n) in terms.into_iter().filter(|t| t.1 > 1.0) {
        match apart <= run || apart < sector {
            true => run += apart * (n - 1.0),
            false => times *= n,
        }
    }
    f64::max(times * (run / sector).ceil(), 1.0)
}

/// Sectors of an array that some of its accesses touch, over the given trips of loops.
pub fn sectors(
    nest: &Nest,
    array: usize,
    writes: Option<bool>,
    extents: &Extents,
    sector: f64,
) -> f64 {
    let a = &nest.arrays[array];
    let bytes = a.element_bytes as f64;
    // Accesses that are the same but for numbers.
    let mut groups: Vec<Vec<&[Affine]>> = Vec::new();
    for r in &nest.references {
        if r.array != array || writes.is_some_and(|w| w != r.writes) {
            continue;
        }
        let same = |g: &&mut Vec<&[Affine]>| {
            let both = g[0].iter().zip(&r.subscripts);
            both.into_iter().all(|(x, y)| x.terms == y.terms)
        };
        match groups.iter_mut().find(same) {
            Some(g) => g.push(&r.subscripts),
            None => groups.push(vec![&r.subscripts]),
        }
    }
    // The dimension along which elements are nearest.
    let near = (0..a.strides.len()).min_by_key(|d| a.strides[*d].unsigned_abs());
    let mut total = 0.0;
    for g in &groups {
        let (mut one, mut all) = (1.0, 1.0);
        let mut free: Vec<usize> = Vec::new();
        for d in 0..a.strides.len() {
            let (count, step) = values(&g[0][d], extents);
            let constants = g.iter().map(|s| s[d].constant);
            let low = constants.clone().min().unwrap_or(0);
            let spread = (constants.max().unwrap_or(0) as f64 - low as f64).max(0.0);
            let most = a.sizes[d].max(1) as f64;
            let union = count + spread / step as f64;
            for (l, _) in &g[0][d].terms {
                if !free.contains(l) {
                    free.push(*l);
                }
            }
            if Some(d) == near {
                let stride = a.strides[d].unsigned_abs() as f64;
                let whole = (most * stride / sector).ceil();
                one *= runs(&g[0][d], extents, bytes, stride, sector).min(whole);
                let with_spread = bytes + spread * stride;
                all *= runs(&g[0][d], extents, with_spread, stride, sector).min(whole);
            } else {
                one *= count.min(most);
                all *= union.min(most);
            }
        }
        // A diagonal has as many elements as its loop has trips.
        let trips: f64 = free
            .iter()
            .map(|l| extents.get(*l).copied().unwrap_or(1.0).max(1.0))
            .product();
        let most = trips * (bytes / sector).ceil();
        total += f64::min(all, g.len() as f64 * one).min(g.len() as f64 * most);
    }
    total.min((a.bytes() / sector).ceil().max(1.0))
}

/// One after another, from the inside out: a loop, how often it goes round, and whether the
/// array's accesses stand in it.
#[derive(Clone)]
pub struct Level {
    pub l: usize,
    /// Trips of the loop that one of its iterations takes.
    pub before: f64,
    /// Trips that all its iterations take together.
    pub after: f64,
}

/// A cache, and the iterations that use it.
pub struct Cache {
    /// Those that use it together at first.
    pub start: Extents,
    /// The loops around these.
    pub levels: Vec<Level>,
    /// In bytes.
    pub capacity: f64,
    /// How many parts of the launch have such a cache each.
    pub parts: f64,
}

impl Cache {
    /// Sectors that it brings for the loads or the stores of an array: for what `start`
    /// says, then for all levels around it.
    pub fn brought(&self, nest: &Nest, array: usize, writes: bool, sector: f64) -> f64 {
        let mut extents = self.start.clone();
        let mut traffic = sectors(nest, array, Some(writes), &extents, sector);
        for level in &self.levels {
            let mine = |l: usize| {
                (nest.references.iter())
                    .any(|r| r.array == array && (r.loops.contains(&l) || uses(r, l)))
            };
            if !mine(level.l) {
                continue;
            }
            let set: f64 = (0..nest.arrays.len())
                .filter(|a| nest.arrays[*a].space == Space::Global)
                .map(|a| sectors(nest, a, None, &extents, sector) * sector)
                .sum();
            extents[level.l] = level.after;
            traffic = match set <= self.capacity {
                true => sectors(nest, array, Some(writes), &extents, sector),
                false => traffic * (level.after / level.before).max(1.0),
            };
        }
        traffic * self.parts
    }
}

fn uses(r: &super::nest::Reference, l: usize) -> bool {
    r.address.coefficient(l) != 0
}
