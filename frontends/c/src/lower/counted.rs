//! Counted loops: those with a counter that only one step changes, by a constant, and a condition that holds for so
//! many iterations as can be computed in front of them ([`super::trips`]). They are `affine.for` where their
//! bounds are affine, else `scf.for`.

use terrace_dialects::affine;
use terrace_dialects::arith;
use terrace_dialects::scf;
use terrace_ir::Value;

use super::alongside::{Alongside, Counter};
use super::bounds::Counts;
use super::core::Exit;
use super::counters::step_of;
use super::env::PointerId;
use super::expr::is_signed;
use super::form::Form;
use super::loops::{Carried, Moved, Moves};
use super::walk::Changes;
use super::{Lowerer, Result};
use crate::hir::{Expr, Leaves, Stmt, VarId};

/// The counter's way: from `start`, while less (or, going down, more) than all ends.
pub struct Counted {
    pub var: VarId,
    pub value: Counter,
    /// The counter starts at the greatest (going down, the least) of these.
    pub start: Vec<Form>,
    /// Exclusive: the least, or going down the greatest.
    pub ends: Vec<Form>,
    /// Not negative; the direction apart.
    pub step: i64,
    pub down: bool,
    /// The op counts iterations, because other variables follow from them.
    pub by_iterations: bool,
    /// Unsigned variables that the condition keeps from wrapping around.
    pub meets: Vec<VarId>,
}

impl Counted {
    /// How far the op counts where it begins with 0: to the least of these.
    fn ways(&self, origin: &Form) -> Vec<Form> {
        let way = |e: &Form| {
            if self.down {
                origin.sub(e)
            } else {
                e.sub(origin)
            }
        };
        let ways = self.ends.iter().map(way);
        match self.by_iterations {
            true => ways.map(|w| w.ceil_div(self.step)).collect(),
            false => ways.collect(),
        }
    }

    /// Whether the op makes a step of 1 in each iteration.
    pub fn counts_iterations(&self) -> bool {
        self.step == 1 || self.by_iterations
    }

    /// Whether the op begins with 0 wherever the counter begins.
    pub fn begins_at_zero(&self) -> bool {
        self.down || self.by_iterations
    }
}

impl Lowerer<'_> {
    /// The loop as a counted one, or `None` if it is no such.
    pub fn counted(
        &mut self,
        s: &Stmt,
        moved: &Moves,
    ) -> Result<Option<std::result::Result<(), Moved>>> {
        let Some(head) = self.head(s) else {
            return Ok(None);
        };
        let body = &*head.body;
        let leaves = Leaves::of(body);
        if leaves.breaks || leaves.returns {
            return Ok(None);
        }
        let steps: Vec<&Expr> = head.steps.iter().collect();
        // What may count, by how much, and which of the steps that is.
        let candidates: Vec<(VarId, i64, Option<usize>)> = match head.own {
            Some(own) => vec![(own.var, own.by, None)],
            None => (0..steps.len())
                .filter_map(|i| self.step_of(steps[i]).map(|(var, by)| (var, by, Some(i))))
                .collect(),
        };
        for (var, by, at) in candidates {
            let mut others = steps.clone();
            // The step of a condition comes behind all others.
            let before = at.unwrap_or(others.len());
            if let Some(i) = at {
                others.remove(i);
            }
            let mut changes = Changes::of_stmt(self.unit, body);
            changes.body = changes.vars.clone();
            for e in &others {
                changes.expr(self.unit, e);
            }
            if changes.vars.contains(&var) {
                continue;
            }
            let counts = Counts {
                var,
                by,
                beside: self.steps_beside(&others, &changes),
            };
            if let Some(mut c) = self.counter(&counts, &head, &changes)? {
                c.by_iterations = c.step != 1 && self.has_company(&c, &others, body, &changes);
                return self
                    .counted_loop(&c, (&others, before), body, &changes, moved)
                    .map(Some);
            }
        }
        Ok(None)
    }

    /// [`step_of`] with what the unit knows of constants.
    pub fn step_of(&self, e: &Expr) -> Option<(VarId, i64)> {
        step_of(e, &|n| i64::try_from(self.constant(n)?).ok())
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
        let origin = match c.begins_at_zero() {
            true => Some(self.extreme_form(&c.start, !c.down)),
            false => None,
        };
        let step = if c.by_iterations { 1 } else { c.step };
        let (mut starts, mut ends) = match &origin {
            Some(o) => (vec![Form::constant(0)], c.ways(o)),
            None => (c.start.clone(), c.ends.clone()),
        };
        let shares = directive.as_ref().is_some_and(|d| d.gangs);
        let gang = self.gang.take_if(|_| shares);
        if let (Some(gang), Some(d)) = (&gang, &mut directive) {
            self.gangs_part(gang, &mut starts, &mut ends, step);
            if d.alone {
                let (seq, unit) = (self.ctx.intern("seq"), self.ctx.unit());
                d.attr = self.ctx.dict_attr(vec![(seq, unit)]);
            }
        }
        let inits = self.carried_values(&carried);
        let (op, block, iv) = self.counting_op(&starts, &ends, step, &inits);
        let name = self.unit.var(c.var).name.clone();
        let named = self.loc.named(self.ctx, &name);
        block.set_arg_loc(self.ctx, 0, named);
        self.name_carried(&carried, block, 1);
        if let Some(d) = &directive {
            self.mark_loop(op, d);
            self.mark_reductions(op, d, &carried.cells);
        }
        let (outside, loc) = (self.block, self.loc);
        let is_affine = op.isa::<affine::ForOp>(self.ctx);
        self.block = block;
        let args = block.args(self.ctx).split_off(1);
        self.set_carried(&carried, &args, true);
        let nonneg = c.begins_at_zero() || c.start.iter().any(|f| f.nonneg);
        let iv = Form::leaf(iv, true, nonneg, true);
        let gone = match c.by_iterations {
            true => iv.mul(&Form::constant(c.step)),
            false => iv.clone(),
        };
        let now = match &origin {
            Some(o) if c.down => {
                let low = c
                    .ends
                    .iter()
                    .any(|e| e.nonneg || e.as_constant() == Some(-1));
                o.sub(&gone).with(low, true)
            }
            Some(o) => o.add(&gone).with(o.nonneg, true),
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
            Some(o) => (Form::constant(0), self.extreme_form(&c.ways(o), false)),
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
            None => self.extreme_form(&c.start, !c.down),
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
