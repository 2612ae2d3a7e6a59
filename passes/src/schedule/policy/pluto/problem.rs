//! What is to be scheduled, without the IR.

use terrace_presburger::{Conjunct, Effort, Generators, Int, Row};

/// A statement: what is done once for each value of its counters.
#[derive(Debug, Clone)]
pub struct Statement {
    /// How many loops are around it.
    pub dims: usize,
    /// The arrays it touches, by number, for the reuse between statements.
    pub arrays: Vec<usize>,
}

/// Instances of `source` that come before instances of `sink` and have to.
///
/// A point is `(parameters, source counters, sink counters, h)`; with h = 1 it is a
/// pair of instances, and generators with h = 0 are directions.
#[derive(Debug, Clone)]
pub struct Dependence {
    pub source: usize,
    pub sink: usize,
    /// Rays of the rational hull, made homogeneous.
    pub rays: Vec<Row>,
    /// Lines of it, which are there only when a parameter has no bounds.
    pub lines: Vec<Row>,
}

/// Statements in textual order and the dependences among them.
#[derive(Debug, Clone)]
pub struct Problem {
    pub params: usize,
    pub statements: Vec<Statement>,
    pub dependences: Vec<Dependence>,
    /// What is left for the search of its schedule.
    pub effort: Effort,
}

/// The steps that a problem may take: a tenth of a second. `heat-3d` takes 200 thousand,
/// more than any other of our examples.
pub const MAX_STEPS: u64 = 2_000_000;

/// How many generators of one dependence are worth while.
const MAX_GENERATORS: usize = 4000;

impl Problem {
    /// Adds the pairs of instances of a conjunct over (parameters, source counters,
    /// sink counters). `false` if its generators are too many to schedule with.
    pub fn add_dependence(&mut self, source: usize, sink: usize, pairs: &Conjunct) -> bool {
        let Some(g) = Generators::of_conjunct(pairs, MAX_GENERATORS, &self.effort) else {
            return false;
        };
        let d = Dependence {
            source,
            sink,
            rays: g.rays,
            lines: g.lines,
        };
        if d.has_instances() {
            self.dependences.push(d);
        }
        true
    }
}

impl Dependence {
    /// Whether there is a pair of instances at all: a vertex among the rays.
    pub fn has_instances(&self) -> bool {
        self.rays
            .iter()
            .any(|r| r.last().is_some_and(Int::is_positive))
    }

    /// The columns of a point's source counters, of its sink counters.
    pub(super) fn counters<'r>(&self, p: &Problem, point: &'r [Int]) -> (&'r [Int], &'r [Int]) {
        let source = p.params + p.statements[self.source].dims;
        let sink = source + p.statements[self.sink].dims;
        (&point[p.params..source], &point[source..sink])
    }

    /// How far apart a hyperplane puts the two instances of a point: the sink's value
    /// less the source's, times h.
    pub(super) fn distance(&self, p: &Problem, rows: &[Row], point: &[Int]) -> Int {
        let (s, t) = self.counters(p, point);
        let h = &point[point.len() - 1];
        let (from, to) = (&rows[self.source], &rows[self.sink]);
        let value = |row: &Row, x: &[Int]| {
            let mut sum = &row[row.len() - 1] * h;
            for (c, x) in row.iter().zip(x) {
                sum.add_product(c, x);
            }
            sum
        };
        &value(to, t) - &value(from, s)
    }

    /// Whether no pair of instances is put apart.
    pub(super) fn is_coincident(&self, p: &Problem, rows: &[Row]) -> bool {
        let mut all = self.rays.iter().chain(&self.lines);
        all.all(|g| self.distance(p, rows, g).is_zero())
    }

    /// What of the dependence a hyperplane leaves to be done: the face of pairs that
    /// it does not put apart. Legal hyperplanes only: none has a negative distance.
    pub(super) fn face(&self, p: &Problem, rows: &[Row]) -> Dependence {
        Dependence {
            source: self.source,
            sink: self.sink,
            rays: self
                .rays
                .iter()
                .filter(|r| self.distance(p, rows, r).is_zero())
                .cloned()
                .collect(),
            lines: self.lines.clone(),
        }
    }
}
