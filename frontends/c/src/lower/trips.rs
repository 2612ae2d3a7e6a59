//! Where the counter of a loop begins, and where it ends: what its init, its condition and its step say together.

use super::alongside::Counter;
use super::bounds::{Counts, Test};
use super::counted::Counted;
use super::env::{PointerId, Target};
use super::expr::is_signed;
use super::form::Form;
use super::head::Head;
use super::place::{LValue, Object};
use super::shapes::{initial, mentions, minmax};
use super::walk::Changes;
use super::{Lowerer, Result};
use crate::hir::{BinaryOp, Expr};
use crate::types::{Int, Type};

impl Lowerer<'_> {
    pub(super) fn counter(
        &mut self,
        counts: &Counts,
        head: &Head,
        changes: &Changes,
    ) -> Result<Option<Counted>> {
        let (var, by) = (counts.var, counts.by);
        let cell = match self.known_object(var) {
            Some(Object::Cell(cell)) => cell,
            Some(Object::Pointer(id)) => {
                return self.pointer_counter(counts, id, head, changes);
            }
            // Of the program around a region; the loop's start has given it a value.
            Some(Object::Outer(o)) => match self.outers[o].cell {
                Some(cell) => cell,
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        let Type::Int(Int { bits, signed, .. }) = self.unit.var(var).ty else {
            return Ok(None);
        };
        if bits < 32 || by == 0 || by == i64::MIN {
            return Ok(None);
        }
        let ty = self.unit.var(var).ty.clone();
        let down = by < 0;
        let Some(tests) = self.tests(counts, head, changes) else {
            return Ok(None);
        };
        let start = match head.init.and_then(|i| initial(i, var)) {
            Some(e) if minmax(e, !down).is_some() && self.is_plain(e) && !mentions(e, var) => {
                self.extremes(e, !down)?
            }
            _ => {
                let v = self.read(cell);
                vec![self.form(v, &ty)]
            }
        };
        if !signed && !starts_above_zero(&start, head, down) {
            return Ok(None);
        }
        let (mut ends, mut meets) = (Vec::new(), Vec::new());
        for t in tests {
            let t = match t {
                Test::Bound(t) => t,
                Test::Sides(sides) => {
                    meets.extend(sides.meets);
                    let (l, r) = (self.expr(sides.lhs)?, self.expr(sides.rhs)?);
                    let (l, r) = (self.form(l, &sides.lhs.ty), self.form(r, &sides.rhs.ty));
                    let way = sides.way(&l, &r, by);
                    let start = self.extreme_form(&start, !down);
                    ends.push(if down {
                        start.sub(&way)
                    } else {
                        start.add(&way)
                    });
                    continue;
                }
            };
            // Compared as unsigned although the counter is signed.
            if signed && !is_signed(t.compared) && !start.iter().all(|f| f.nonneg) {
                return Ok(None);
            }
            let bounds = match minmax(t.bound, down) {
                Some(_) if self.is_plain(t.bound) => self.extremes(t.bound, down)?,
                _ => {
                    let v = self.expr(t.bound)?;
                    vec![self.form(v, &t.bound.ty)]
                }
            };
            for f in bounds {
                // Where an unsigned one would step over the bound it goes around.
                let from_zero = start.iter().all(|f| f.as_constant() == Some(0));
                let meets = if down {
                    f.as_constant() == Some(0)
                } else {
                    from_zero
                };
                if t.op == BinaryOp::Ne && !signed && !meets {
                    return Ok(None);
                }
                let f = t.exclusive(f);
                if down && !signed && f.as_constant().is_none_or(|c| c < 0) {
                    return Ok(None);
                }
                ends.push(f);
            }
        }
        let (start, ends) = self.first_and_ends(start, ends, head, by);
        Ok(Some(Counted {
            var,
            value: Counter::Cell(cell),
            start,
            ends,
            step: by.abs(),
            down,
            by_iterations: false,
            meets,
        }))
    }

    /// Where the first iteration's counter is, and its ends, of a counter that is tested from `tested` on while in front
    /// of `ends`: the condition may step it itself, and the body may run in front of the first test.
    fn first_and_ends(
        &mut self,
        tested: Vec<Form>,
        ends: Vec<Form>,
        head: &Head,
        by: i64,
    ) -> (Vec<Form>, Vec<Form>) {
        let further = |f: &Form| f.add(&Form::constant(by));
        let old = head.own.is_some_and(|o| o.old);
        let stepped = |all: &[Form]| all.iter().map(further).collect::<Vec<Form>>();
        if !head.once {
            return match (head.own.is_some(), old) {
                (true, true) => (stepped(&tested), stepped(&ends)),
                (true, false) => (stepped(&tested), ends),
                (false, _) => (tested, ends),
            };
        }
        let start = self.extreme_form(&tested, by > 0);
        let mut least =
            |end: &Form, at: &Form| self.extreme_form(&[at.clone(), end.clone()], by > 0);
        let ends = ends.iter().map(|end| match old {
            true => further(&least(end, &start)),
            false => least(end, &further(&start)),
        });
        let ends = ends.collect();
        (vec![start], ends)
    }

    /// As [`Lowerer::counter`], of a pointer that moves over one object: `p < a + n`.
    fn pointer_counter(
        &mut self,
        counts: &Counts,
        id: PointerId,
        head: &Head,
        changes: &Changes,
    ) -> Result<Option<Counted>> {
        let (var, by) = (counts.var, counts.by);
        if head.own.is_some() {
            return Ok(None);
        }
        let at = match &self.env.pointers[id.0] {
            Target::Known { null: None, .. } if by != 0 && by != i64::MIN => {
                self.value_of_pointer(id, Type::Void, head.cond.span)?
            }
            _ => return Ok(None),
        };
        let Some(start) = at.subscripts.last() else {
            return Ok(None);
        };
        let Some(tests) = self.tests(counts, head, changes) else {
            return Ok(None);
        };
        let leading = |p: &LValue| p.subscripts.split_last().map(|(_, all)| all.to_vec());
        let same =
            |p: &LValue| p.object == at.object && p.null.is_none() && leading(p) == leading(&at);
        let mut ends = Vec::new();
        for t in tests {
            let (l, r) = match &t {
                Test::Bound(t) => (at.clone(), self.pointer(t.bound)?),
                Test::Sides(s) => (self.pointer(s.lhs)?, self.pointer(s.rhs)?),
            };
            if !same(&l) || !same(&r) {
                return Ok(None);
            }
            let (Some(l), Some(r)) = (l.subscripts.last(), r.subscripts.last()) else {
                return Ok(None);
            };
            ends.push(match &t {
                Test::Bound(t) => t.exclusive(r.clone()),
                Test::Sides(s) => {
                    let way = s.way(l, r, by);
                    if by < 0 {
                        start.sub(&way)
                    } else {
                        start.add(&way)
                    }
                }
            });
        }
        let (start, ends) = self.first_and_ends(vec![start.clone()], ends, head, by);
        Ok(Some(Counted {
            var,
            value: Counter::Pointer(id),
            start,
            ends,
            step: by.abs(),
            down: by < 0,
            by_iterations: false,
            meets: Vec::new(),
        }))
    }

    /// The operands of a minimum or maximum, as forms.
    fn extremes(&mut self, e: &Expr, max: bool) -> Result<Vec<Form>> {
        match minmax(e, max) {
            Some((a, b)) => {
                let mut v = self.extremes(a, max)?;
                v.extend(self.extremes(b, max)?);
                Ok(v)
            }
            None => {
                let v = self.expr(e)?;
                Ok(vec![self.form(v, &e.ty)])
            }
        }
    }
}

/// Whether an unsigned counter never goes below zero on its way, where it would wrap around.
fn starts_above_zero(start: &[Form], head: &Head, down: bool) -> bool {
    let constant = start.iter().all(|f| f.as_constant().is_some());
    match head.own {
        // `--n > 0` and `do .. while (n > 0)` step it in front of the first test.
        Some(own) if down && (!own.old || head.once) => false,
        _ if head.once && (down || !constant) => false,
        // One of 64 bits that has wrapped around by then, `n - 1` of no elements, would be
        // beyond all arrays.
        _ => start.iter().all(|f| f.nonneg || f.is_leaf() || !f.exact),
    }
}
