//! A nest as numbers, apart from any IR: what the model is asked about.
//!
//! All is said in trips: how often a loop has gone round, from 0. Loops of lanes that start
//! at different values go round together, so lanes of a warp that are at the same place of
//! the program have the same trips of serial loops, whatever their counters are.

use crate::analysis::directive::Sizes;
use crate::gpu::fit_blocks::shape::for_extents;
use crate::gpu::map_parallel::shape::block_shape;
use terrace_ir::diag::DiagLoc;

/// A sum of multiples of the trips of loops, and a number.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Affine {
    /// Loops of [`Nest::loops`] in ascending order, with what their trips are multiplied by;
    /// never 0.
    pub terms: Vec<(usize, i64)>,
    /// The value where all trips are 0.
    pub constant: i64,
}

impl Affine {
    pub(crate) fn constant(constant: i64) -> Affine {
        Affine {
            terms: Vec::new(),
            constant,
        }
    }

    /// The trips of one loop times a number.
    pub(crate) fn of_loop(l: usize, factor: i64) -> Affine {
        let mut a = Affine::default();
        if factor != 0 {
            a.terms.push((l, factor));
        }
        a
    }

    /// What the trips of a loop are multiplied by.
    pub(crate) fn coefficient(&self, l: usize) -> i64 {
        let found = self.terms.iter().find(|t| t.0 == l);
        found.map_or(0, |t| t.1)
    }

    pub(crate) fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }

    /// The value for given trips; [`Nest::check`] has made sure that it does not overflow.
    pub(crate) fn eval(&self, trips: &[i64]) -> i64 {
        let of = |l: usize| trips.get(l).copied().unwrap_or(0);
        let sum =
            (self.terms.iter()).fold(0i64, |s, (l, c)| s.wrapping_add(c.wrapping_mul(of(*l))));
        sum.wrapping_add(self.constant)
    }

    /// This plus a multiple of another; `None` where numbers overflow.
    pub(crate) fn plus(&self, other: &Affine, factor: i64) -> Option<Affine> {
        let mut out = self.clone();
        out.constant = (other.constant.checked_mul(factor)?).checked_add(out.constant)?;
        for (l, c) in &other.terms {
            out.add_term(*l, c.checked_mul(factor)?)?;
        }
        Some(out)
    }

    pub(crate) fn times(&self, factor: i64) -> Option<Affine> {
        Affine::default().plus(self, factor)
    }

    fn add_term(&mut self, l: usize, c: i64) -> Option<()> {
        match self.terms.binary_search_by_key(&l, |t| t.0) {
            Ok(i) => self.terms[i].1 = self.terms[i].1.checked_add(c)?,
            Err(i) => self.terms.insert(i, (l, c)),
        }
        self.terms.retain(|t| t.1 != 0);
        Some(())
    }

    /// With the trips of a loop replaced.
    fn replace(&self, l: usize, by: &Affine) -> Option<Affine> {
        let c = self.coefficient(l);
        let mut rest = self.clone();
        rest.terms.retain(|t| t.0 != l);
        rest.plus(by, c)
    }
}

/// A bound of the number of trips: `ceil(span / step)`, at least 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Upper {
    /// Upper bound less lower bound.
    pub span: Affine,
    /// More than 0.
    pub step: i64,
}

impl Upper {
    fn trips(&self, trips: &[i64]) -> i64 {
        self.trips_of(self.span.eval(trips))
    }

    /// The bound where the span is this.
    pub(crate) fn trips_of(&self, span: i64) -> i64 {
        let span = span.max(0);
        if self.step == 1 {
            return span;
        }
        span / self.step + i64::from(span % self.step > 0)
    }
}

/// A loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// As the source has it, for people.
    pub name: String,
    /// It goes round as often as the least of these says.
    pub uppers: Vec<Upper>,
}

impl Loop {
    /// A loop that always goes round so often.
    pub fn of_trips(name: &str, trips: i64) -> Loop {
        Loop {
            name: name.to_string(),
            uppers: vec![Upper {
                span: Affine::constant(trips),
                step: 1,
            }],
        }
    }

    /// How often it goes round, given the trips of those around it.
    pub(crate) fn trips(&self, trips: &[i64]) -> i64 {
        let all = self.uppers.iter().map(|u| u.trips(trips));
        all.min().unwrap_or(0)
    }

    /// How often it goes round, where that is one number.
    pub(crate) fn constant_trips(&self) -> Option<i64> {
        let constant = self.uppers.iter().all(|u| u.span.is_constant());
        constant.then(|| self.trips(&[]))
    }
}

/// Where an array lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    /// Memory of the device.
    Global,
    /// Shared memory of a block.
    Shared,
}

/// An array.
#[derive(Clone, PartialEq, Debug)]
pub struct Array {
    /// As the source has it.
    pub name: String,
    /// Arrays with the same number here are views of the same memory.
    pub memory: usize,
    /// Whether it is known that no pointer of another name leads to it.
    pub unaliased: bool,
    /// The memory that it lies in.
    pub space: Space,
    /// Bytes of an element.
    pub element_bytes: i64,
    /// Of each dimension: elements, and bytes from one to the next.
    pub sizes: Vec<i64>,
    /// Bytes from one element to the next, of each dimension.
    pub strides: Vec<i64>,
}

impl Array {
    /// Bytes of all elements.
    pub(crate) fn bytes(&self) -> f64 {
        let elements: f64 = self.sizes.iter().map(|n| *n as f64).product();
        elements * self.element_bytes as f64
    }
}

/// A condition on trips.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Guard {
    pub value: Affine,
    /// Whether it has to be 0; else at least 0.
    pub equal: bool,
}

impl Guard {
    /// Whether it holds where its value is this.
    pub(crate) fn holds(&self, value: i64) -> bool {
        match self.equal {
            true => value == 0,
            false => value >= 0,
        }
    }
}

/// An access.
#[derive(Clone, PartialEq, Debug)]
pub struct Reference {
    /// Its number in [`Nest::arrays`].
    pub array: usize,
    /// As the source has it, for people.
    pub text: String,
    /// Where it stands in the source.
    pub place: DiagLoc,
    /// It is a store.
    pub writes: bool,
    /// Bytes that a thread touches in one iteration: an element's, or those of all elements of
    /// a vector.
    pub bytes: i64,
    /// Elements along each dimension.
    pub subscripts: Vec<Affine>,
    /// Bytes from a place that is aligned as much as allocations are.
    pub address: Affine,
    /// The loops around it, the outermost first.
    pub loops: Vec<usize>,
    /// Conditions that it stands under.
    pub guards: Vec<Guard>,
}

/// Operations of an iteration of the innermost of some loops.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Work {
    /// The loops around, the outermost first.
    pub loops: Vec<usize>,
    pub(crate) f32: f64,
    pub(crate) f64: f64,
    pub(crate) i32: f64,
    /// Approximate functions.
    pub special: f64,
    /// Operations that wait for those of the iteration before, one after another.
    pub chain: f64,
}

/// Loops of which some may run at once, what they access, and what they compute.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Nest {
    /// Outer ones before those in them.
    pub loops: Vec<Loop>,
    /// The loops that may be mapped to axes, the outermost first.
    pub parallel: Vec<usize>,
    /// Each once; references say which by number.
    pub arrays: Vec<Array>,
    /// The accesses of all arrays.
    pub references: Vec<Reference>,
    /// Operations besides accesses.
    pub work: Vec<Work>,
    /// How often it is launched.
    pub launches: f64,
    /// Whether accesses are those that the compiler makes of them (`moves`).
    pub optimised: bool,
    /// What makes it an estimate beside what counts say themselves.
    pub notes: Vec<String>,
    /// Values that were not known, and for which a number was taken, as
    /// [`super::Options::sizes`] names them; empty where they have no name.
    pub assumed: Vec<String>,
}

/// How the iterations lie that a thread does one after another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TileKind {
    /// Next to each other, outside the serial loops.
    Blocked,
    /// As far apart as there are threads along the loop.
    Cyclic,
    /// Next to each other, inside the serial loops.
    Inside,
}

/// Which loops run along the axes, and how large blocks are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mapping {
    /// Loops along x, y, z; at most three.
    pub axes: Vec<usize>,
    /// Threads of a block along x, y, z.
    pub block: [u32; 3],
}

impl Mapping {
    /// What `map-parallel-to-gpu` does: the innermost parallel loop runs along x, the next
    /// along y, the third along z. Sizes of blocks that are not given are its own.
    pub fn default_rule(nest: &Nest, sizes: &[u32]) -> Mapping {
        let axes: Vec<usize> = nest.parallel.iter().rev().take(3).copied().collect();
        let trips = nest.most_trips();
        let extents: Vec<i64> = axes.iter().map(|l| trips[*l].max(1)).collect();
        let counts: Vec<Option<i64>> = extents.iter().copied().map(Some).collect();
        let serial = nest.loops.len() > nest.parallel.len();
        let mut block = match axes.is_empty() {
            true => [1; 3],
            false => block_shape(&counts, Sizes::default(), serial),
        };
        if axes.len() > 1 && sizes.is_empty() {
            let extents = std::array::from_fn(|d| extents.get(d).copied().unwrap_or(1));
            block = for_extents(extents, block);
        }
        for (to, size) in block.iter_mut().zip(sizes).take(axes.len()) {
            *to = i64::from(*size).max(1);
        }
        let block = block.map(|n| u32::try_from(n).unwrap_or(1));
        Mapping { axes, block }
    }

    pub(crate) fn threads(&self) -> u32 {
        self.block.iter().fold(1, |n, b| n.saturating_mul(*b))
    }
}

/// The largest number that an address may be.
const MAX_SIZE: i128 = 1 << 60;

impl Nest {
    /// The most trips that each loop makes, whatever those around it do.
    pub(crate) fn most_trips(&self) -> Vec<i64> {
        let mut most: Vec<i64> = Vec::new();
        for l in &self.loops {
            let uppers = l.uppers.iter().map(|u| {
                let span = greatest(&u.span, &most).clamp(0, MAX_SIZE);
                let trips = span / i128::from(u.step.max(1));
                trips + i128::from(span % i128::from(u.step.max(1)) > 0)
            });
            let trips = uppers.min().unwrap_or(0).clamp(0, MAX_SIZE);
            most.push(i64::try_from(trips).unwrap_or(i64::MAX));
        }
        most
    }

    /// The trips that each loop makes in the middle of those around it.
    pub(crate) fn typical_trips(&self) -> Vec<f64> {
        self.trips_where(|_, _| 0.5)
    }

    /// The same where the loops along axes are where others go round most often.
    pub(crate) fn longest_trips(&self, mapped: &[usize]) -> Vec<f64> {
        self.trips_where(|l, factor| match mapped.contains(&l) {
            true if factor > 0 => 1.0,
            true => 0.0,
            false => 0.5,
        })
    }

    /// The trips of each loop where those around it are at some part of theirs, of the loop
    /// and of what its trips are multiplied by in a bound.
    fn trips_where(&self, part: impl Fn(usize, i64) -> f64) -> Vec<f64> {
        let mut out: Vec<f64> = Vec::new();
        for l in &self.loops {
            let at = |a: &Affine| -> f64 {
                let terms = a.terms.iter().map(|(l, c)| {
                    let n = out.get(*l).copied().unwrap_or(1.0);
                    *c as f64 * (n - 1.0).max(0.0) * part(*l, *c)
                });
                terms.sum::<f64>() + a.constant as f64
            };
            let uppers = l.uppers.iter().map(|u| at(&u.span) / u.step as f64);
            out.push(uppers.fold(f64::INFINITY, f64::min).clamp(0.0, 1e15));
        }
        out
    }

    /// That all indices are of things that there are, and that no number overflows.
    ///
    /// # Errors
    ///
    /// What is wrong, in words.
    pub(crate) fn check(&self) -> Result<(), String> {
        let n = self.loops.len();
        for (i, l) in self.loops.iter().enumerate() {
            let outer = |u: &Upper| u.span.terms.iter().all(|t| t.0 < i) && u.step > 0;
            if l.uppers.is_empty() || !l.uppers.iter().all(outer) {
                return Err(format!(
                    "the bounds of loop '{}' are not of outer loops",
                    l.name
                ));
            }
        }
        let most = self.most_trips();
        let fits = |a: &Affine| {
            let known = a.terms.iter().all(|t| t.0 < n);
            known && greatest(a, &most) < MAX_SIZE && -least(a, &most) < MAX_SIZE
        };
        for l in &self.loops {
            if !l.uppers.iter().all(|u| fits(&u.span)) {
                return Err(format!("the bounds of loop '{}' are too large", l.name));
            }
        }
        for r in &self.references {
            let ok = r.array < self.arrays.len()
                && r.loops.iter().all(|l| *l < n)
                && (1..=4096).contains(&r.bytes)
                && r.subscripts.len() == self.arrays[r.array].strides.len()
                && (r.subscripts.iter().chain([&r.address]))
                    .chain(r.guards.iter().map(|g| &g.value))
                    .all(fits);
            if !ok {
                return Err(format!("the subscripts of '{}' are too large", r.text));
            }
        }
        let loops = self
            .parallel
            .iter()
            .chain(self.work.iter().flat_map(|w| &w.loops));
        match loops.copied().all(|l| l < n) {
            true => Ok(()),
            false => Err("a loop is none of the nest".into()),
        }
    }

    /// Splits a parallel loop so that each thread does `size` of its iterations. The loop
    /// keeps its place among [`Nest::parallel`]; a new serial one is behind all others in
    /// [`Nest::loops`].
    ///
    /// # Errors
    ///
    /// A loop that is not parallel, bounds that depend on others, numbers that overflow.
    pub fn tile(&mut self, l: usize, size: i64, kind: TileKind) -> Result<(), String> {
        if size == 1 {
            return Ok(());
        }
        let total = match self.loops.get(l).and_then(Loop::constant_trips) {
            Some(n) if self.parallel.contains(&l) && size > 1 => n,
            _ => return Err("only parallel loops with constant bounds are tiled".into()),
        };
        let depends = |u: &Upper| u.span.coefficient(l) != 0;
        if self.loops.iter().any(|o| o.uppers.iter().any(depends)) {
            return Err(format!(
                "loop '{}' is not tiled: bounds depend on it",
                self.loops[l].name
            ));
        }
        let new = self.loops.len();
        let name = self.loops[l].name.clone();
        let strips = total / size + i64::from(total % size > 0);
        // Iteration = one factor times the mapped loop's trip + the other times the new one's.
        let (mapped, serial) = match kind {
            TileKind::Cyclic => (1, strips.max(1)),
            TileKind::Blocked | TileKind::Inside => (size, 1),
        };
        let mut inner = Loop::of_trips(&format!("{name}'"), size);
        if total % size != 0 {
            inner.uppers.push(Upper {
                span: Affine {
                    terms: vec![(l, -mapped)],
                    constant: total,
                },
                step: serial,
            });
        }
        self.loops[l] = Loop::of_trips(&name, strips);
        self.loops.push(inner);
        let iteration = Affine {
            terms: vec![(l, mapped), (new, serial)],
            constant: 0,
        };
        let overflow = || format!("tiles of {size} are too large for loop '{name}'");
        for r in &mut self.references {
            for a in (r.subscripts.iter_mut().chain([&mut r.address]))
                .chain(r.guards.iter_mut().map(|g| &mut g.value))
            {
                *a = a.replace(l, &iteration).ok_or_else(overflow)?;
            }
        }
        let parallel = self.parallel.clone();
        let lists = (self.references.iter_mut().map(|r| &mut r.loops))
            .chain(self.work.iter_mut().map(|w| &mut w.loops));
        for loops in lists.filter(|loops| loops.contains(&l)) {
            let behind = match kind {
                TileKind::Inside => loops.len(),
                // Behind the parallel ones and the tiles that are there already.
                _ => loops
                    .iter()
                    .rposition(|o| parallel.contains(o))
                    .map_or(loops.len(), |i| i + 1),
            };
            loops.insert(behind, new);
        }
        if self.optimised {
            super::moves::simplify(self);
        }
        Ok(())
    }
}

fn extreme(a: &Affine, most: &[i64], positive: bool) -> i128 {
    let mut sum = i128::from(a.constant);
    for (l, c) in &a.terms {
        let n = most.get(*l).map_or(0, |n| (n - 1).max(0));
        if (*c > 0) == positive {
            sum = sum.saturating_add(i128::from(*c).saturating_mul(i128::from(n)));
        }
    }
    sum
}

fn greatest(a: &Affine, most: &[i64]) -> i128 {
    extreme(a, most, true)
}

fn least(a: &Affine, most: &[i64]) -> i128 {
    extreme(a, most, false)
}
