//! Whether a transformation of loops is legal, decided from the program before it and
//! the program after it, and from nothing that the transformation says of itself.
//!
//! Before a step, a mark ([`InstanceOp`]) is put in front of each op that touches
//! memory and of the end of each loop that carries values, with the variables of the
//! loops around as operands. Mechanics copy, move and substitute marks as they do any
//! op, so that afterwards each mark tells, as an affine function of the new loops,
//! which old iteration runs there:
//!
//! ```text
//! affine.for %i = 0 to 8 {             affine.for %k = 0 to 8 step 2 {
//!   schedule.instance 0(%i)              schedule.instance 0(%k)
//!   affine.store %x, %A[%i]       =>     affine.store %x, %A[%k]
//! }                                      %k1 = affine.apply (d0) -> (d0 + 1)(%k)
//!                                        schedule.instance 0(%k1)
//!                                        affine.store %x, %A[%k1]
//!                                      }
//! ```
//!
//! With that, three things are proved ([`terrace_presburger`] decides each of them
//! exactly):
//!
//! * `instances`: each iteration that was run is run, once, and no other;
//! * `elements`: each access touches the element that it touched in that iteration;
//! * `order`: for each dependence, the second iteration still comes after the first
//!   (W. Kelly, W. Pugh, "A unifying framework for iteration reordering
//!   transformations", 1995, section 4). Iterations of a parallel loop have no order.
//!
//! What is computed without memory is taken to move along with its iteration. What is
//! not known for sure counts as forbidden, with the reason.

mod constraints;
mod context;
mod elements;
mod instances;
mod marks;
mod order;
pub(crate) mod parallel;
mod rows;
#[cfg(test)]
mod tests;
mod units;
mod violation;
mod words;

pub use violation::Violation;

use crate::analysis::dependence::{self, Program};
use constraints::Constraint;
use marks::Mark;
use rustc_hash::FxHashSet;
use terrace_dialects::affine::ApplyOp;
use terrace_dialects::schedule::InstanceOp;
use terrace_ir::effects::is_trivially_dead;
use terrace_ir::{Context, Op, OpKind, Value};
use units::Unit;
use words::Words;

/// What a step may do beyond changing the order of iterations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Promise {
    /// It changes which memory is touched, and proves by itself that each iteration
    /// finds the values that it found.
    pub storage: bool,
    /// It combines values that a loop carries in another order, having found them to
    /// be reductions.
    pub reductions: bool,
}

/// A program before a step, with marks in it.
pub struct Before {
    function: Op,
    program: Program,
    words: Words,
    units: Vec<Unit>,
    constraints: Vec<Constraint>,
}

impl Before {
    /// Analyse a function and mark its ops.
    pub fn of(ctx: &mut Context, function: Op) -> Before {
        let options = dependence::Options {
            distances: false,
            ..dependence::Options::default()
        };
        let found = dependence::dependences(ctx, function, &options);
        let mut program = found.program.clone();
        let units = units::of(ctx, &mut program);
        let constraints = constraints::of(ctx, &found, &mut program, &units);
        for (id, u) in units.iter().enumerate() {
            let carried = [&u.ivs[..], &u.symbols[..]].concat();
            InstanceOp::build_before(ctx, u.op, id, &carried);
        }
        let mut words = Words::default();
        words.learn(ctx, &program.params);
        Before {
            function,
            program,
            words,
            units,
            constraints,
        }
    }

    /// Whether what the function has become since is legal. Takes the marks out.
    ///
    /// # Errors
    ///
    /// The first thing that is not, or is not known to be.
    pub fn check(mut self, ctx: &mut Context, promise: Promise) -> Result<(), Violation> {
        let ops: Vec<Op> = self
            .function
            .find_all::<InstanceOp>(ctx)
            .into_iter()
            .map(|m| m.op())
            .collect();
        let result = self.examine(ctx, &ops, promise);
        for m in ops {
            let of = m.operands(ctx).into_iter().filter_map(Value::def_op);
            let applies: FxHashSet<Op> = of.filter(|op| op.isa::<ApplyOp>(ctx)).collect();
            m.erase(ctx);
            // What told the iteration and is of no other use.
            for op in applies {
                if is_trivially_dead(ctx, op) {
                    op.erase(ctx);
                }
            }
        }
        result
    }

    fn examine(&mut self, ctx: &Context, ops: &[Op], promise: Promise) -> Result<(), Violation> {
        let marks = marks::read(ctx, &mut self.program, &self.units, ops)?;
        let mut words = std::mem::take(&mut self.words);
        words.learn(ctx, &self.program.params);
        let unchanged = self.unchanged(ctx, &marks);
        // Units that stood and stand in the same places are run for the same iterations.
        let mut done: Vec<(&Unit, Vec<&Mark>)> = Vec::new();
        for (id, unit) in self.units.iter().enumerate() {
            if unchanged[id] {
                continue;
            }
            let mine: Vec<&Mark> = marks.iter().filter(|m| m.id == id).collect();
            if !done.iter().any(|d| alike(d, (unit, &mine))) {
                instances::check(&words, unit, &mine)?;
                done.push((unit, mine.clone()));
            }
            if !promise.storage {
                for m in mine {
                    elements::check(ctx, unit, m)?;
                }
            }
        }
        for c in &self.constraints {
            if c.is_carried() && promise.reductions {
                continue;
            }
            if unchanged[c.source] && unchanged[c.sink] && in_place(&marks, c.source, c.sink) {
                continue;
            }
            order::check(&words, &self.units, c, &marks)?;
        }
        Ok(())
    }

    /// For each unit: whether it is as it was and stands in the same loops, once.
    fn unchanged(&self, ctx: &Context, marks: &[Mark]) -> Vec<bool> {
        let mut seen = vec![0usize; self.units.len()];
        let mut same = vec![true; self.units.len()];
        for m in marks {
            seen[m.id] += 1;
            let u = &self.units[m.id];
            let itself = u.ends > 0 || (m.op == Some(u.op) && context::own(ctx, u.op) == u.own);
            same[m.id] &= itself && m.iteration == u.ivs && m.context == u.context;
        }
        seen.iter()
            .zip(same)
            .map(|(n, same)| *n == 1 && same)
            .collect()
    }
}

/// Whether two units that stand once each follow one another as their numbers do.
fn in_place(marks: &[Mark], a: usize, b: usize) -> bool {
    let place = |id: usize| marks.iter().position(|m| m.id == id);
    a == b || (a < b) == (place(a) < place(b))
}

/// Whether two units were in the same loops, and are in the same ones now with the same
/// iterations.
fn alike(a: &(&Unit, Vec<&Mark>), b: (&Unit, &[&Mark])) -> bool {
    let same = |(x, y): (&&Mark, &&Mark)| x.iteration == y.iteration && x.context == y.context;
    a.0.context == b.0.context && a.1.len() == b.1.len() && a.1.iter().zip(b.1).all(same)
}
