//! What counts in a loop: integers and pointers, the counter itself and those that grow beside
//! it.

use super::Lowerer;
use super::counted::Counted;
use super::env::{CellId, PointerId, Target};
use super::form::Form;
use super::growing::Around;
use super::place::Object;
use super::sharing;
use super::walk::Changes;
use crate::hir::{Expr, Stmt, VarId};
use crate::types::{Int, Type};

/// What a counter is.
#[derive(Clone, Copy, PartialEq)]
pub enum Counter {
    /// An integer.
    Cell(CellId),
    /// A pointer, whose last subscript counts.
    Pointer(PointerId),
}

/// A variable that grows by a constant with each iteration, beside the counter.
pub struct Alongside {
    pub var: VarId,
    pub value: Counter,
    start: Form,
    /// The number that the loop's op begins with.
    first: Form,
    by: Form,
}

impl Alongside {
    /// What it is where the loop's op is at `iv`, in steps of 1.
    pub fn after(&self, iv: &Form) -> Form {
        let way = iv.sub(&self.first).mul(&self.by);
        self.start.add(&way)
    }
}

impl Lowerer<'_> {
    /// The steps of other variables that grow by a constant in each iteration, as `p` does in
    /// `i++, p++`: what they are follows from the counter. Before them, the steps that remain.
    pub fn alongside<'e>(
        &mut self,
        c: &Counted,
        others: &[&'e Expr],
        changes: &Changes,
    ) -> (Vec<&'e Expr>, Vec<Alongside>) {
        let (mut rest, mut found) = (Vec::new(), Vec::new());
        for (i, e) in others.iter().enumerate() {
            let grows = self.step_of(e).filter(|_| c.counts_iterations());
            let alone = grows.filter(|(v, _)| {
                let again = |o: &&Expr| {
                    let mut more = Changes::default();
                    more.expr(self.unit, o);
                    more.vars.contains(v)
                };
                let twice = others[..i].iter().chain(&others[i + 1..]).any(again);
                *v != c.var && !twice && !changes.body.contains(v)
            });
            match alone.and_then(|(var, by)| self.follows(c, var, Form::constant(by))) {
                Some(a) => found.push(a),
                None => rest.push(*e),
            }
        }
        (rest, found)
    }

    /// Whether something grows beside the counter, by steps of the head or in the body.
    pub fn has_company(
        &mut self,
        c: &Counted,
        steps: &[&Expr],
        body: &Stmt,
        changes: &Changes,
    ) -> bool {
        let around = Around {
            counter: c.var,
            body,
            changes,
        };
        let inside = changes.body.iter().copied().filter(|v| {
            sharing::declared_outside(self.unit, *v, body) && self.is_looked_at(body, *v)
        });
        let inside: Vec<VarId> = inside.collect();
        steps.iter().any(|e| self.step_of(e).is_some())
            || inside
                .into_iter()
                .any(|v| self.growth(body, v, &around).is_some())
    }

    /// Variables that the body of the loop makes grow by a constant, as `p` in `*p++ = x`, in the order of
    /// their declarations.
    pub fn growing(&mut self, c: &Counted, body: &Stmt, changes: &Changes) -> Vec<Alongside> {
        if !c.counts_iterations() {
            return Vec::new();
        }
        let outside = |v: &VarId| sharing::declared_outside(self.unit, *v, body);
        let mut vars: Vec<VarId> = changes.body.iter().copied().filter(outside).collect();
        vars.sort();
        let around = Around {
            counter: c.var,
            body,
            changes,
        };
        let mut found = Vec::new();
        for v in vars {
            if v != c.var
                && self.is_looked_at(body, v)
                && let Some(by) = self.growth(body, v, &around)
                && let Some(a) = self.follows(c, v, by)
            {
                found.push(a);
            }
        }
        found
    }

    /// A variable that grows by `by` with each iteration, where it can be computed.
    fn follows(&mut self, c: &Counted, var: VarId, by: Form) -> Option<Alongside> {
        let (value, start) = match self.known_object(var)? {
            Object::Cell(cell) => {
                let ty = self.unit.var(var).ty.clone();
                let Type::Int(Int { bits, signed, .. }) = ty else {
                    return None;
                };
                // No memory is so long that a number of 64 bits grows beyond its end.
                let grows = bits == 64 && (by.nonneg || by.as_constant().is_some_and(|n| n > 0));
                let fits = match signed {
                    true => bits >= 32,
                    false => grows || c.meets.contains(&var),
                };
                if !fits || self.is_pointed_at(cell) {
                    return None;
                }
                let v = self.read(cell);
                (Counter::Cell(cell), self.form(v, &ty))
            }
            Object::Pointer(id) => match &self.env.pointers[id.0] {
                Target::Known {
                    subscripts,
                    null: None,
                    ..
                } => (Counter::Pointer(id), subscripts.last()?.clone()),
                _ => return None,
            },
            _ => return None,
        };
        // Going down the op counts from 0.
        let first = match c.begins_at_zero() {
            true => Form::constant(0),
            false => self.extreme_form(&c.start, true),
        };
        Some(Alongside {
            var,
            value,
            start,
            first,
            by,
        })
    }

    /// Makes the counter this number.
    pub fn set_counter(&mut self, counter: Counter, var: VarId, to: Form) {
        match counter {
            Counter::Cell(cell) => {
                let v = self.counter_value(&to, var);
                self.env.cells[cell.0] = Some(v);
            }
            Counter::Pointer(id) => {
                if let Target::Known { subscripts, .. } = &mut self.env.pointers[id.0]
                    && let Some(last) = subscripts.last_mut()
                {
                    *last = to;
                }
            }
        }
    }
}
