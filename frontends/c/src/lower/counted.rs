//! Counted loops: `for` with a counter that only the step changes, by a constant, and
//! bounds that do not change while it runs. They are `affine.for` where the bounds are
//! affine, else `scf.for`.

use terrace_dialects::affine;
use terrace_dialects::arith;
use terrace_dialects::scf;
use terrace_ir::Value;

use super::alongside::{Alongside, Counter};
use super::core::Exit;
use super::env::{PointerId, Target};
use super::expr::is_signed;
use super::form::Form;
use super::loops::{Carried, Moved, Moves};
use super::place::{LValue, Object};
use super::shapes::{ands, commas, initial, mentions, minmax, uncast};
use super::walk::{Changes, Leaves};
use super::{Lowerer, Result};
use crate::hir::{BinaryOp, Expr, ExprKind, Stmt, StmtKind, VarId};
use crate::types::{Int, Type};

/// The counter's way: from `start`, while less (or, going down, more) than all ends.
pub struct Counted {
    pub var: VarId,
    value: Counter,
    /// The counter starts at the greatest (going down, the least) of these.
    pub start: Vec<Form>,
    /// Exclusive: the least, or going down the greatest.
    ends: Vec<Form>,
    /// Not negative; the direction apart.
    pub step: i64,
    pub down: bool,
}

/// The steps of `a, b, c` one by one. `j = i++` is two: `j = i` and `i++`, so that the counter is
/// seen; no more than that is taken apart.
fn steps_apart(step: &Expr) -> Vec<Expr> {
    let mut written = Vec::new();
    commas(step, &mut written);
    let mut out = Vec::new();
    for e in written {
        let ExprKind::Assign { target, value } = &e.kind else {
            out.push(e.clone());
            continue;
        };
        let (
            own,
            ExprKind::IncDec {
                prefix,
                target: counter,
                ..
            },
        ) = (target, &uncast(value).kind)
        else {
            out.push(e.clone());
            continue;
        };
        let (ExprKind::Var(to), ExprKind::Var(from)) = (&own.kind, &counter.kind) else {
            out.push(e.clone());
            continue;
        };
        // What the counter is, converted as the value of its step was.
        let read = with_innermost(value, counter);
        if to == from || counter.ty != uncast(value).ty {
            out.push(e.clone());
            continue;
        }
        let copy = Expr {
            kind: ExprKind::Assign {
                target: target.clone(),
                value: Box::new(read),
            },
            ..e.clone()
        };
        let counts = uncast(value).clone();
        out.extend(match prefix {
            true => [counts, copy],
            false => [copy, counts],
        });
    }
    out
}

/// The conversions of `e` around another expression.
fn with_innermost(e: &Expr, inner: &Expr) -> Expr {
    match &e.kind {
        ExprKind::Cast(a) => Expr {
            kind: ExprKind::Cast(Box::new(with_innermost(a, inner))),
            ..e.clone()
        },
        _ => inner.clone(),
    }
}

impl Lowerer<'_> {
    /// The loop as a counted one, or `None` if it is no such.
    pub fn counted(
        &mut self,
        s: &Stmt,
        moved: &Moves,
    ) -> Result<Option<std::result::Result<(), Moved>>> {
        let StmtKind::For {
            init,
            cond: Some(cond),
            step: Some(step),
            body,
        } = &s.kind
        else {
            return Ok(None);
        };
        let leaves = Leaves::of(body);
        if leaves.breaks || leaves.returns {
            return Ok(None);
        }
        let apart = steps_apart(step);
        let steps: Vec<&Expr> = apart.iter().collect();
        for i in 0..steps.len() {
            let Some((var, by)) = self.step_of(steps[i]) else {
                continue;
            };
            let mut others = steps.clone();
            others.remove(i);
            let mut changes = Changes::of_stmt(self.unit, body);
            changes.body = changes.vars.clone();
            for e in &others {
                changes.expr(self.unit, e);
            }
            if changes.vars.contains(&var) {
                continue;
            }
            if let Some(c) = self.counter(var, by, init.as_deref(), cond, &changes)? {
                return self
                    .counted_loop(&c, (&others, i), body, &changes, moved)
                    .map(Some);
            }
        }
        Ok(None)
    }

    /// `i++`, `i -= 2`, `i = i + 3`: the variable and by how much it grows.
    pub fn step_of(&self, e: &Expr) -> Option<(VarId, i64)> {
        let var = |e: &Expr| match e.kind {
            ExprKind::Var(v) => Some(v),
            _ => None,
        };
        match &e.kind {
            ExprKind::IncDec {
                increment, target, ..
            } => Some((var(target)?, if *increment { 1 } else { -1 })),
            ExprKind::CompoundAssign {
                op, target, value, ..
            } => {
                let n = i64::try_from(self.constant(value)?).ok()?;
                match op {
                    BinaryOp::Add => Some((var(target)?, n)),
                    BinaryOp::Sub => Some((var(target)?, n.checked_neg()?)),
                    _ => None,
                }
            }
            ExprKind::Assign { target, value } => {
                let v = var(target)?;
                if let ExprKind::PointerAdd {
                    pointer,
                    offset,
                    subtract,
                } = &value.kind
                {
                    let n = i64::try_from(self.constant(offset)?).ok()?;
                    let n = if *subtract { n.checked_neg()? } else { n };
                    return (var(pointer) == Some(v)).then_some((v, n));
                }
                let ExprKind::Binary { op, lhs, rhs } = &uncast(value).kind else {
                    return None;
                };
                let n = |e: &Expr| i64::try_from(self.constant(e)?).ok();
                match op {
                    BinaryOp::Add if var(uncast(lhs)) == Some(v) => Some((v, n(rhs)?)),
                    BinaryOp::Add if var(uncast(rhs)) == Some(v) => Some((v, n(lhs)?)),
                    BinaryOp::Sub if var(uncast(lhs)) == Some(v) => {
                        Some((v, n(rhs)?.checked_neg()?))
                    }
                    _ => None,
                }
            }
            ExprKind::Cast(a) => self.step_of(a),
            _ => None,
        }
    }

    fn counter(
        &mut self,
        var: VarId,
        by: i64,
        init: Option<&Stmt>,
        cond: &Expr,
        changes: &Changes,
    ) -> Result<Option<Counted>> {
        let cell = match self.known_object(var) {
            Some(Object::Cell(cell)) => cell,
            Some(Object::Pointer(id)) => {
                return self.pointer_counter(var, id, by, cond, changes);
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
        let mut conjuncts = Vec::new();
        ands(cond, &mut conjuncts);
        // All of them must fit before anything is evaluated.
        let mut tests = Vec::new();
        for c in &conjuncts {
            let Some(t) = self.test(var, c, by, changes) else {
                return Ok(None);
            };
            tests.push(t);
        }
        let start = match init.and_then(|i| initial(i, var)) {
            Some(e) if minmax(e, !down).is_some() && self.is_plain(e) && !mentions(e, var) => {
                self.extremes(e, !down)?
            }
            _ => {
                let v = self.read(cell);
                vec![self.form(v, &ty)]
            }
        };
        if !signed {
            // Where an unsigned counter goes below zero it wraps around.
            let low = start.iter().all(|f| f.nonneg || f.is_leaf());
            if !low {
                return Ok(None);
            }
        }
        let one = Form::constant(1);
        let mut ends = Vec::new();
        for t in tests {
            // Compared as unsigned although the counter is signed.
            if signed && !is_signed(t.compared) && !start.iter().all(|f| f.nonneg) {
                return Ok(None);
            }
            if t.op == BinaryOp::Ne && !signed && start.iter().all(|f| f.as_constant() != Some(0)) {
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
                let f = match t.op {
                    BinaryOp::Le => f.add(&one),
                    BinaryOp::Ge => f.sub(&one),
                    _ => f,
                };
                if down && !signed && f.as_constant().is_none_or(|c| c < 0) {
                    return Ok(None);
                }
                ends.push(f);
            }
        }
        Ok(Some(Counted {
            var,
            value: Counter::Cell(cell),
            start,
            ends,
            step: by.abs(),
            down,
        }))
    }

    /// As [`Lowerer::counter`], of a pointer that moves over one object: `p < a + n`.
    fn pointer_counter(
        &mut self,
        var: VarId,
        id: PointerId,
        by: i64,
        cond: &Expr,
        changes: &Changes,
    ) -> Result<Option<Counted>> {
        let at = match &self.env.pointers[id.0] {
            Target::Known { null: None, .. } if by != 0 && by != i64::MIN => {
                self.value_of_pointer(id, Type::Void, cond.span)?
            }
            _ => return Ok(None),
        };
        let Some(start) = at.subscripts.last() else {
            return Ok(None);
        };
        let mut conjuncts = Vec::new();
        ands(cond, &mut conjuncts);
        let mut tests = Vec::new();
        for c in &conjuncts {
            let Some(t) = self.test(var, c, by, changes) else {
                return Ok(None);
            };
            tests.push(t);
        }
        let one = Form::constant(1);
        let mut ends = Vec::new();
        for t in tests {
            let end = self.pointer(t.bound)?;
            let leading = |p: &LValue| p.subscripts.split_last().map(|(_, all)| all.to_vec());
            if end.object != at.object || end.null.is_some() || leading(&end) != leading(&at) {
                return Ok(None);
            }
            let Some(f) = end.subscripts.last() else {
                return Ok(None);
            };
            ends.push(match t.op {
                BinaryOp::Le => f.add(&one),
                BinaryOp::Ge => f.sub(&one),
                _ => f.clone(),
            });
        }
        Ok(Some(Counted {
            var,
            value: Counter::Pointer(id),
            start: vec![start.clone()],
            ends,
            step: by.abs(),
            down: by < 0,
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

    fn counted_loop(
        &mut self,
        c: &Counted,
        // The steps of others, of which so many come before the counter's.
        (others, before): (&[&Expr], usize),
        body: &Stmt,
        changes: &Changes,
        moved: &Moves,
    ) -> Result<std::result::Result<(), Moved>> {
        let later: Vec<&Expr> = others[before..].to_vec();
        let mut directive = self.directive.take();
        if let Some(d) = &mut directive {
            // The counter is private by itself, and its value is the loop's.
            d.private.retain(|v| *v != c.var);
        }
        let mut stepped = Changes::default();
        for e in others {
            stepped.expr(self.unit, e);
        }
        let (others, mut alongside) = self.alongside(c, others, changes);
        // What a directive says of variables is the author's.
        let growing = match &directive {
            Some(_) => Vec::new(),
            None => self.growing(c, body, changes),
        };
        alongside.extend(
            growing
                .into_iter()
                .filter(|a| !stepped.vars.contains(&a.var)),
        );
        let carried = self.carried_beside(c, &alongside, changes, moved);
        let exit = Exit {
            broken: self.new_cell(None, "break"),
            continued: Some(self.new_cell(None, "continue")),
        };
        // Going down, the op counts up from 0 and the counter is `start - iv`.
        let origin = match c.down {
            true => Some(self.extreme_form(&c.start, false)),
            false => None,
        };
        let (mut starts, mut ends) = match &origin {
            Some(o) => {
                let ends = c.ends.iter().map(|e| o.sub(e)).collect();
                (vec![Form::constant(0)], ends)
            }
            None => (c.start.clone(), c.ends.clone()),
        };
        let shares = directive.as_ref().is_some_and(|d| d.gangs);
        let gang = self.gang.take_if(|_| shares);
        if let (Some(gang), Some(d)) = (&gang, &mut directive) {
            self.gangs_part(gang, &mut starts, &mut ends, c.step);
            if d.alone {
                let (seq, unit) = (self.ctx.intern("seq"), self.ctx.unit());
                d.attr = self.ctx.dict_attr(vec![(seq, unit)]);
            }
        }
        let inits = self.carried_values(&carried);
        let (op, block, iv) = self.counting_op(&starts, &ends, c.step, &inits);
        let name = self.unit.var(c.var).name.clone();
        let named = self.loc.named(self.ctx, &name);
        block.set_arg_loc(self.ctx, 0, named);
        self.name_carried(&carried, block, 1);
        if let Some(d) = &directive {
            self.mark_loop(op, d);
        }
        let (outside, loc) = (self.block, self.loc);
        let is_affine = op.isa::<affine::ForOp>(self.ctx);
        self.block = block;
        let args = block.args(self.ctx).split_off(1);
        self.set_carried(&carried, &args, true);
        let nonneg = c.down || c.start.iter().any(|f| f.nonneg);
        let iv = Form::leaf(iv, true, nonneg, true);
        let now = match &origin {
            Some(o) => {
                let f = o.sub(&iv);
                let low = c
                    .ends
                    .iter()
                    .any(|e| e.nonneg || e.as_constant() == Some(-1));
                f.with(low, true)
            }
            None => iv.clone(),
        };
        self.set_counter(c.value, c.var, now.clone());
        for a in &alongside {
            self.set_counter(a.value, a.var, a.after(&iv));
        }
        self.exits.stack.push(exit);
        self.iteration(body, exit, directive.as_ref())?;
        // Behind its own step the counter is what the next iteration has.
        let is_later = |e: &&Expr| later.iter().any(|l| std::ptr::eq(*l, *e));
        let (later, before): (Vec<&Expr>, Vec<&Expr>) = others.into_iter().partition(is_later);
        for e in before {
            self.effect(e)?;
        }
        if !later.is_empty() {
            let step = Form::constant(if c.down { -c.step } else { c.step });
            self.set_counter(c.value, c.var, now.add(&step));
        }
        for e in later {
            self.effect(e)?;
        }
        self.exits.stack.pop();
        if gang.is_some() {
            self.gang = gang;
        }
        let values = self.carried_values(&carried);
        let gone = self.moved(&carried, op);
        let end = if is_affine {
            affine::YieldOp::NAME
        } else {
            scf::YieldOp::NAME
        };
        self.loc = loc;
        self.op(end, &values, &[], &[]);
        self.block = outside;
        if !gone.is_empty() {
            return Ok(Err(Moved(gone)));
        }
        self.env.forget(carried.known);
        let results = op.results(self.ctx);
        self.set_carried(&carried, &results, false);
        self.final_alongside(c, &alongside, origin.as_ref());
        self.final_counter(c, origin.as_ref());
        Ok(Ok(()))
    }

    /// What the loop carries beside its counters.
    fn carried_beside(
        &mut self,
        c: &Counted,
        alongside: &[Alongside],
        changes: &Changes,
        moved: &Moves,
    ) -> Carried {
        let mut carried = self.carried(changes, moved);
        carried.cells.retain(|x| c.value != Counter::Cell(*x));
        let is_counter = |p: PointerId| c.value == Counter::Pointer(p);
        carried.pointers.retain(|(p, _)| !is_counter(*p));
        carried.unknown.retain(|p| !is_counter(*p));
        let counts = |v: Counter| alongside.iter().any(|a| a.value == v);
        carried.cells.retain(|x| !counts(Counter::Cell(*x)));
        carried
            .pointers
            .retain(|(p, _)| !counts(Counter::Pointer(*p)));
        carried
    }

    /// The values of other counters behind the loop.
    fn final_alongside(&mut self, c: &Counted, alongside: &[Alongside], origin: Option<&Form>) {
        if alongside.is_empty() {
            return;
        }
        let (first, end) = match origin {
            Some(o) => (Form::constant(0), o.sub(&self.extreme_form(&c.ends, true))),
            None => (
                self.extreme_form(&c.start, true),
                self.extreme_form(&c.ends, false),
            ),
        };
        let last = self.extreme_form(&[first, end], true);
        for a in alongside {
            self.set_counter(a.value, a.var, a.after(&last));
        }
    }

    /// The counter as a value of its C type.
    pub fn counter_value(&mut self, f: &Form, var: VarId) -> Value {
        let ty = self.unit.var(var).ty.clone();
        let t = self.arithmetic_type(&ty).unwrap_or_else(|| self.ctx.i32());
        let name = self.unit.var(var).name.clone();
        let i = self.index(f);
        let loc = self.loc;
        self.loc = loc.named(self.ctx, &name);
        let v = self.value(arith::IndexCastOp::NAME, &[i], t);
        self.loc = loc;
        if self.is_new(v) {
            self.forms.insert((v, is_signed(&ty)), f.clone());
        }
        v
    }

    /// The counter behind the loop: where the first test failed.
    fn final_counter(&mut self, c: &Counted, origin: Option<&Form>) {
        let end = match c.down {
            true => self.extreme_form(&c.ends, true),
            false => self.extreme_form(&c.ends, false),
        };
        let start = match origin {
            Some(o) => o.clone(),
            None => self.extreme_form(&c.start, true),
        };
        let last = if c.step == 1 {
            self.extreme_form(&[start, end], !c.down)
        } else {
            // start + step * ceil((end - start) / step), if that is positive.
            let way = match c.down {
                true => start.sub(&end),
                false => end.sub(&start),
            };
            let way = self.extreme_form(&[way, Form::constant(0)], true);
            let (w, by) = (self.index(&way), self.index_constant(c.step));
            let n = self.binary(arith::CeilDivSIOp::NAME, w, by);
            let n = Form::leaf(n, true, true, true).mul(&Form::constant(c.step));
            match c.down {
                true => start.sub(&n),
                false => start.add(&n),
            }
        };
        self.set_counter(c.value, c.var, last);
    }
}
