//! Statements of the nest besides the sum.

use super::access::{element, is_arithmetic, same_element, untouched};
use super::axes::Axes;
use super::{MatchFailure, Statement, Statements, no_match, no_match_at_all};
use crate::analysis::dependence::{Options, dependences};
use crate::analysis::linear::Linear;
use crate::analysis::memory::{base, may_be_same};
use crate::gpu::contraction::shape::{Contraction, Element};
use rustc_hash::FxHashSet;
use terrace_dialects::affine;
use terrace_dialects::affine::ForOp;
use terrace_ir::{Op, Value};

impl Statements<'_> {
    /// Takes in the statements besides the `at`-th, that of the sum, in their order.
    pub(super) fn take_in_others(
        &self,
        at: usize,
        axes: &Axes,
        k_loop: ForOp,
        x: &mut Contraction,
    ) -> Result<(), MatchFailure> {
        for (i, o) in self.statements.iter().enumerate().filter(|s| s.0 != at) {
            if self.is_aside(o, x) {
                x.aside.push(o.store);
            } else if i > at && self.is_mirror(o, axes, x) {
                let renamed = |l: &Linear| l.with(x.row, &Linear::value(x.row));
                let at: Option<Vec<Linear>> = o.target.at.iter().map(renamed).collect();
                x.mirror = at.map(|at| Element {
                    memref: o.target.memref,
                    at,
                });
            } else if x.mirror.is_some() {
                return no_match(o.store, "changes the element when it has been copied");
            } else {
                self.other(o, axes, k_loop, x)?;
                match i < at {
                    true => x.before.push(o.value),
                    false => x.behind.push(o.value),
                }
            }
        }
        Ok(())
    }

    /// Whether a statement stores to another place than the matrix of the sums, or at
    /// subscripts that are not one of rows and one of columns.
    fn is_aside(&self, o: &Statement, x: &Contraction) -> bool {
        o.target.memref != x.c.memref || self.counters(o).is_err()
    }

    /// Whether a statement copies the element, when it has its last value, to where row and
    /// column are exchanged, and elements of that half are none of the domain.
    fn is_mirror(&self, o: &Statement, main: &Axes, x: &Contraction) -> bool {
        let ctx = self.ctx;
        let (row, col) = (main.row.iv(ctx), main.col.iv(ctx));
        let [p, q] = main.at;
        let own = o
            .value
            .def_op()
            .filter(|l| l.name(ctx) == affine::LoadOp::NAME);
        let copies = own.is_some_and(|l| {
            untouched(ctx, l, o.store) && element(ctx, l).is_some_and(|e| same_element(&e, &x.c))
        });
        let exchanged = o.target.memref == x.c.memref
            && o.loops.contains(&main.row)
            && o.loops.contains(&main.col)
            && main.batch.iter().all(|l| o.loops.contains(l))
            && o.loops.len() == 2 + main.batch.len()
            && x.c.at.len() == o.target.at.len()
            && (0..x.c.at.len()).all(|d| match d {
                _ if d == p => o.target.at[d].equals(&x.c.at[q]),
                _ if d == q => o.target.at[d].equals(&x.c.at[p]),
                _ => o.target.at[d].equals(&x.c.at[d]),
            });
        // Rows and columns count the same, and one is never above the other.
        let apart = |v: Value| x.c.at[if v == row { p } else { q }].minus(&Linear::value(v));
        let same_base = match (apart(row), apart(col)) {
            (Some(a), Some(b)) => a.equals(&b),
            _ => false,
        };
        let half = |from: Value, to: Value| {
            let difference = Linear::value(to).minus(&Linear::value(from));
            x.inside.iter().any(|l| {
                let rest = difference.as_ref().and_then(|d| l.minus(d)?.as_constant());
                rest.is_some_and(|c| c <= 0)
            })
        };
        copies && exchanged && same_base && (half(row, col) || half(col, row))
    }

    /// Whether the stores that have nothing to do with the sums may be done before all of
    /// these.
    pub(super) fn check_aside(&self, x: &Contraction) -> Result<(), MatchFailure> {
        let ctx = self.ctx;
        let Some(first) = x.aside.first() else {
            return Ok(());
        };
        let mut of_aside: FxHashSet<Op> = x.aside.iter().copied().collect();
        let mut work: Vec<Value> = x.aside.iter().flat_map(|o| o.operands(ctx)).collect();
        while let Some(v) = work.pop() {
            if let Some(op) = v.def_op().filter(|_| !self.is_outside(v))
                && of_aside.insert(op)
            {
                if op.num_regions(ctx) > 0 {
                    return no_match_at_all(op, "gives a value to several statements");
                }
                work.extend(op.operands(ctx));
            }
        }
        let options = Options {
            distances: false,
            ..Options::default()
        };
        for d in dependences(ctx, self.root, &options).all {
            let ends = [d.source_op, d.sink_op];
            let aside = ends.map(|o| of_aside.contains(&o));
            let main = ends.map(|o| !x.aside.contains(&o));
            if (aside[0] && main[1]) || (aside[1] && main[0]) {
                return no_match(*first, "and the sums need each other");
            }
        }
        Ok(())
    }

    /// Takes in a statement besides the sum: it changes the same element, for the same
    /// rows and columns, outside the loop of the sum.
    fn other(
        &self,
        o: &Statement,
        main: &Axes,
        k_loop: ForOp,
        x: &mut Contraction,
    ) -> Result<(), MatchFailure> {
        let ctx = self.ctx;
        let counters = self.counters(o)?;
        if counters.len() != main.places.len() {
            return no_match(o.store, "stores to another element than that of the sum");
        }
        let axes = self.axes(o, &counters, main.roles);
        if !axes.rest.is_empty() || o.loops.contains(&k_loop) {
            return no_match(o.store, "is done again and again while the sum grows");
        }
        let mut loops = vec![(axes.row, main.row), (axes.col, main.col)];
        loops.extend(axes.outer.into_iter().zip(main.outer));
        loops.extend(axes.batch.iter().copied().zip(main.batch.iter().copied()));
        let pairs: Vec<(Value, Value)> = (loops.iter())
            .map(|(l, m)| (l.iv(ctx), m.iv(ctx)))
            .collect();
        let renamed = |l: &Linear| {
            let mut l = l.clone();
            for (from, to) in &pairs {
                l = l.with(*from, &Linear::value(*to))?;
            }
            Some(l)
        };
        let same = |a: &Linear, b: &Linear| renamed(a).is_some_and(|a| a.equals(b));
        let element_is_same = o.target.memref == x.c.memref
            && axes.places == main.places
            && (o.target.at.iter().zip(&x.c.at)).all(|(a, b)| same(a, b));
        if !element_is_same {
            return no_match(o.store, "stores to another element than that of the sum");
        }
        for (l, m) in loops {
            let (a, b) = (self.bounds(l)?, self.bounds(m)?);
            if !same(&a.lo, &b.lo) || !same(&a.hi, &b.hi) {
                return no_match(o.store, "is done for other elements than the sum");
            }
        }
        x.same.extend(pairs.iter().copied().filter(|p| p.0 != p.1));
        self.check(o, o.value, x, None)
    }

    /// Whether a value can be computed for an element alone: from the element itself, from
    /// other arrays, counters of rows and columns, and values from outside. `sum`: what
    /// stands for the sum in it.
    pub(super) fn check(
        &self,
        s: &Statement,
        value: Value,
        x: &Contraction,
        sum: Option<Value>,
    ) -> Result<(), MatchFailure> {
        let ctx = self.ctx;
        let array = base(ctx, x.c.memref);
        let counters: Vec<Value> = s.loops.iter().map(|l| l.iv(ctx)).collect();
        let mut seen = FxHashSet::default();
        let mut work = vec![value];
        while let Some(v) = work.pop() {
            if self.is_outside(v) || Some(v) == sum || !seen.insert(v) {
                continue;
            }
            let Some(op) = v.def_op() else {
                match counters.contains(&v) {
                    true => continue,
                    false => return no_match_at_all(s.store, "uses a value that a loop carries"),
                }
            };
            if op.name(ctx) == affine::LoadOp::NAME {
                let Some(e) = element(ctx, op) else {
                    return no_match_at_all(op, "has subscripts that are not linear");
                };
                let known = |l: &Linear| {
                    let mut terms = l.terms.iter();
                    terms.all(|t| counters.contains(&t.0) || self.is_outside(t.0))
                };
                if !e.at.iter().all(known) {
                    return no_match_at_all(op, "has subscripts that the nest computes");
                }
                let own = same_element(&e, &s.target);
                if !own && may_be_same(ctx, base(ctx, e.memref), array) {
                    return no_match(
                        op,
                        "may read another element of what the sums are stored to",
                    );
                }
                if own && !untouched(ctx, op, s.store) {
                    return no_match(op, "reads the element before another statement changes it");
                }
                if !own && !x.inside.is_empty() && e.at.iter().any(|l| mixed(l, &counters)) {
                    return no_match(op, "reads an element by both counters at once");
                }
            } else if is_arithmetic(ctx, op) {
                work.extend(op.operands(ctx));
            } else {
                return no_match_at_all(op, "is no arithmetic");
            }
        }
        Ok(())
    }
}

/// Whether a subscript has several counters.
fn mixed(l: &Linear, counters: &[Value]) -> bool {
    l.terms.iter().filter(|t| counters.contains(&t.0)).count() > 1
}
