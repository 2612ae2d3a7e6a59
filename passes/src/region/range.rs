//! The least and the greatest value of an index expression over the iterations of the
//! loops around it, as IR.
//!
//! Variables are eliminated from the innermost outwards: where the coefficient of a
//! counter is not negative, the greatest value is at the counter's upper bound, which
//! is put in its place, and so on (as in Fourier-Motzkin elimination: exact where each
//! bound is one affine expression and no inner loop is empty for some outer iteration;
//! else too large at most). Conditions around an access bound the counters too.

use terrace_dialects::arith::{
    self, AddIOp, CmpIOp, CmpIPredicate, MaxSIOp, MinSIOp, MulIOp, SelectOp,
};
use terrace_ir::{Builder, Value};

use crate::analysis::poly::{Atom, Poly, Table};

/// The most expressions evaluated for one bound; past it further bounds of the same
/// counter are left out.
const BUDGET: u32 = 96;

/// A counter: at least each of `lower`, at most each of `upper` (inclusive), over the
/// variables before it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Variable {
    pub lower: Vec<Poly>,
    pub upper: Vec<Poly>,
}

/// The variables around an expression, the outermost first.
pub(crate) type Variables = Vec<Variable>;

/// Which end of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Least,
    Greatest,
}

/// Builds bounds of expressions.
pub(crate) struct Ranges<'a, 'b> {
    pub b: &'a mut Builder<'b>,
    pub table: &'a mut Table,
    budget: u32,
}

impl<'a, 'b> Ranges<'a, 'b> {
    pub(crate) fn new(b: &'a mut Builder<'b>, table: &'a mut Table) -> Self {
        Ranges {
            b,
            table,
            budget: BUDGET,
        }
    }

    /// The value of a polynomial without variables.
    fn eval(&mut self, p: &Poly) -> Option<Value> {
        let index = self.b.ctx.index();
        let mut sum: Option<Value> = None;
        for (m, c) in &p.terms {
            let mut term: Option<Value> = None;
            for a in m {
                let Atom::Fixed(i) = a else { return None };
                let v = self.table.values.get(*i)?.0;
                term = Some(match term {
                    Some(t) => self.b.value::<MulIOp>(&[t, v], index, &[]),
                    None => v,
                });
            }
            let term = match (term, *c) {
                (Some(t), 1) => t,
                (Some(t), c) => {
                    let c = arith::constant_index(self.b, c);
                    self.b.value::<MulIOp>(&[t, c], index, &[])
                }
                (None, c) => arith::constant_index(self.b, c),
            };
            sum = Some(match sum {
                Some(s) => self.b.value::<AddIOp>(&[s, term], index, &[]),
                None => term,
            });
        }
        Some(sum.unwrap_or_else(|| arith::constant_index(self.b, 0)))
    }

    /// A bound of `p` at that end over all values of the variables of `nest`: no
    /// value lies past it. `None` where there is no way to tell.
    pub(crate) fn bound(&mut self, p: &Poly, nest: &[Variable], end: End) -> Option<Value> {
        self.budget = BUDGET;
        self.eliminate(p, nest, end)
    }

    fn eliminate(&mut self, p: &Poly, nest: &[Variable], end: End) -> Option<Value> {
        let Some((v, outer)) = nest.split_last() else {
            return self.eval(p);
        };
        let (coefficient, rest) = p.split(Atom::Variable(outer.len()))?;
        if coefficient.terms.is_empty() {
            return self.eliminate(&rest, outer, end);
        }
        let upwards = (end == End::Greatest) as i32 * 2 - 1;
        match self.table.sign(&coefficient) {
            Some(s) if s == upwards => self.at(&coefficient, &rest, &v.upper, outer, end),
            Some(_) => self.at(&coefficient, &rest, &v.lower, outer, end),
            // One of the two ends it is; which, the sign tells at run time.
            None => {
                let x = self.at(&coefficient, &rest, &v.upper, outer, end)?;
                let y = self.at(&coefficient, &rest, &v.lower, outer, end)?;
                let Some(c) = self.eval(&coefficient) else {
                    return Some(self.further(x, y, end));
                };
                let (grows, falls) = match end {
                    End::Greatest => (x, y),
                    End::Least => (y, x),
                };
                let index = self.b.ctx.index();
                let zero = arith::constant_index(self.b, 0);
                let up = CmpIOp::build(self.b, CmpIPredicate::Sge, c, zero);
                Some(self.b.value::<SelectOp>(&[up, grows, falls], index, &[]))
            }
        }
    }

    /// `coefficient * bound + rest` for each bound, of which each alone is right and the
    /// nearest is kept.
    fn at(
        &mut self,
        coefficient: &Poly,
        rest: &Poly,
        bounds: &[Poly],
        outer: &[Variable],
        end: End,
    ) -> Option<Value> {
        let mut best: Option<Value> = None;
        for bound in bounds {
            if best.is_some() && self.budget == 0 {
                break;
            }
            self.budget = self.budget.saturating_sub(1);
            let Some(p) = coefficient.times(bound).and_then(|p| p.plus(1, rest)) else {
                continue;
            };
            let Some(v) = self.eliminate(&p, outer, end) else {
                continue;
            };
            best = Some(match best {
                Some(b) => self.nearer(b, v, end),
                None => v,
            });
        }
        best
    }

    fn nearer(&mut self, a: Value, b: Value, end: End) -> Value {
        match end {
            End::Least => self.further(a, b, End::Greatest),
            End::Greatest => self.further(a, b, End::Least),
        }
    }

    /// The smaller or the larger of two values.
    pub(crate) fn further(&mut self, a: Value, b: Value, end: End) -> Value {
        if a == b {
            return a;
        }
        let index = self.b.ctx.index();
        match end {
            End::Least => self.b.value::<MinSIOp>(&[a, b], index, &[]),
            End::Greatest => self.b.value::<MaxSIOp>(&[a, b], index, &[]),
        }
    }

    /// `v` where every variable may have a value at all, else `otherwise`.
    pub(crate) fn unless_empty(&mut self, v: Value, otherwise: i64, nest: &[Variable]) -> Value {
        let index = self.b.ctx.index();
        let mut v = v;
        for (i, variable) in nest.iter().enumerate() {
            for upper in &variable.upper {
                for lower in &variable.lower {
                    let Some(room) = upper.plus(-1, lower) else {
                        continue;
                    };
                    if room.as_constant().is_some_and(|c| c >= 0) {
                        continue;
                    }
                    let Some(most) = self.bound(&room, &nest[..i], End::Greatest) else {
                        continue;
                    };
                    let zero = arith::constant_index(self.b, 0);
                    let some = CmpIOp::build(self.b, CmpIPredicate::Sge, most, zero);
                    let none = arith::constant_index(self.b, otherwise);
                    v = self.b.value::<SelectOp>(&[some, v, none], index, &[]);
                }
            }
        }
        v
    }
}
