//! Variables that grow by a constant in each iteration of a loop, wherever its body says so:
//! `*q++ = *p++`, `b[k++] = x`, `k += 2`.
//!
//! What such a variable is at the start of an iteration follows from the loop's counter, so that
//! nothing goes from one iteration to the next.

use super::Lowerer;
use super::expr::is_signed;
use super::form::Form;
use super::shapes::{initial, uncast};
use super::sharing;
use super::walk::{self, Changes};
use crate::hir::{BinaryOp, Expr, ExprKind, Init, Leaves, Stmt, StmtKind, Unit, VarId};

/// The loop in whose iterations something grows.
pub(super) struct Around<'h> {
    pub counter: VarId,
    pub body: &'h Stmt,
    /// What its iterations change beside the counter.
    pub changes: &'h Changes,
}

impl Around<'_> {
    /// Whether a variable is there in front of the loop and has the same value in all iterations.
    fn keeps(&self, unit: &Unit, v: VarId) -> bool {
        let changed = v == self.counter || self.changes.vars.contains(&v);
        !changed && sharing::declared_outside(unit, v, self.body)
    }
}

impl Lowerer<'_> {
    /// Whether something in a statement uses a variable for more than to make it grow. What is only
    /// counted is a sum, which loops around may share.
    pub(super) fn is_looked_at(&self, s: &Stmt, v: VarId) -> bool {
        let mut found = false;
        walk::stmts(s, &mut |s| {
            if let StmtKind::Expr(e) = &s.kind
                && self.step_of(e).is_some_and(|(var, _)| var == v)
            {
                return;
            }
            walk::own_exprs(s, &mut |e| {
                found |= matches!(e.kind, ExprKind::Var(w) if w == v);
            });
        });
        found
    }

    /// By how much each run of the statement, the body of a loop, makes a variable
    /// grow, if that is always the same.
    pub(super) fn growth(&mut self, s: &Stmt, v: VarId, around: &Around) -> Option<Form> {
        let none = Form::constant(0);
        if !Changes::of_stmt(self.unit, s).vars.contains(&v) {
            return Some(none);
        }
        match &s.kind {
            StmtKind::Expr(e) => self.growth_of(e, v).map(Form::constant),
            StmtKind::Block(all) => {
                // It may not come to all of them.
                if Leaves::of(s).any() {
                    return None;
                }
                let mut sum = none;
                for s in all {
                    let more = self.growth(s, v, around)?;
                    sum = sum.add(&more);
                }
                Some(sum)
            }
            StmtKind::Decl(list) => {
                let mut sum = 0_i64;
                for (_, init) in list {
                    sum = sum.checked_add(match init {
                        Some(Init::Expr(e)) => self.growth_of(e, v)?,
                        Some(Init::List(_)) => return None,
                        None => 0,
                    })?;
                }
                Some(Form::constant(sum))
            }
            StmtKind::For {
                init,
                cond,
                step,
                body,
            } => {
                // As a counter it begins anew.
                let mut head = Changes::default();
                if let Some(init) = init {
                    head.stmt(self.unit, init);
                }
                for e in cond.iter().chain(step) {
                    head.expr(self.unit, e);
                }
                if head.vars.contains(&v) {
                    return None;
                }
                let each = self.growth(body, v, around)?;
                Some(self.trips(s, around)?.mul(&each))
            }
            _ => None,
        }
    }

    /// The same of an expression, where it is always evaluated as a whole.
    fn growth_of(&self, e: &Expr, v: VarId) -> Option<i64> {
        if let Some((var, by)) = self.step_of(e)
            && var == v
        {
            return Some(by);
        }
        let mut changes = Changes::default();
        changes.expr(self.unit, e);
        if !changes.vars.contains(&v) {
            return Some(0);
        }
        let is_target = |t: &Expr| matches!(t.kind, ExprKind::Var(w) if w == v);
        match &e.kind {
            // What is evaluated in one case alone, and values that are no steps.
            ExprKind::Conditional { .. }
            | ExprKind::Logical { .. }
            | ExprKind::Call { .. }
            | ExprKind::Compound { .. } => None,
            ExprKind::Assign { target, .. }
            | ExprKind::CompoundAssign { target, .. }
            | ExprKind::AddressOf(target)
                if is_target(target) =>
            {
                None
            }
            _ => {
                let mut sum = Some(0_i64);
                walk::each_child(e, &mut |c| {
                    let more = self.growth_of(c, v);
                    sum = sum.zip(more).and_then(|(a, b)| a.checked_add(b));
                });
                sum
            }
        }
    }

    /// How often `for (j = a; j < b; j++)` runs in a loop around it, where that is the same
    /// in each of its iterations and it is not left early.
    fn trips(&mut self, s: &Stmt, around: &Around) -> Option<Form> {
        let StmtKind::For {
            init: Some(init),
            cond: Some(cond),
            step: Some(step),
            body,
        } = &s.kind
        else {
            return None;
        };
        let (counter, 1) = self.step_of(step)? else {
            return None;
        };
        let first = initial(init, counter)?;
        let ExprKind::Binary { op, lhs, rhs } = &uncast(cond).kind else {
            return None;
        };
        let compares = matches!(uncast(lhs).kind, ExprKind::Var(v) if v == counter);
        let beyond = match op {
            BinaryOp::Lt => 0,
            BinaryOp::Le => 1,
            _ => return None,
        };
        let changed = Changes::of_stmt(self.unit, body).vars.contains(&counter);
        if !compares || changed || Leaves::of(body).any() {
            return None;
        }
        let (from, to) = (self.same(first, around)?, self.same(rhs, around)?);
        let trips = to.add(&Form::constant(beyond)).sub(&from);
        Some(match trips.as_constant() {
            Some(n) => Form::constant(n.max(0)),
            None => self.extreme_form(&[Form::constant(0), trips], true),
        })
    }

    /// An expression of signed integers that has the same value in all iterations of the loop around, evaluated in
    /// front of it.
    fn same(&mut self, e: &Expr, around: &Around) -> Option<Form> {
        if let Some(n) = self.constant(e) {
            return i64::try_from(n).ok().map(Form::constant);
        }
        let mut fixed = true;
        walk::expr(e, &mut |e| match &e.kind {
            ExprKind::Var(v) => fixed &= around.keeps(self.unit, *v),
            ExprKind::Int(_) | ExprKind::Cast(_) | ExprKind::Binary { .. } => {}
            _ => fixed = false,
        });
        if !fixed || !is_signed(&e.ty) || !self.is_plain(e) {
            return None;
        }
        let v = self.expr(e).ok()?;
        Some(self.form(v, &e.ty))
    }
}
