//! Reductions by `&&` and `||`: the variable is 0 or 1 while its loops run, and each
//! update one of bits.

use terrace_ir::Value;

use super::atomic::stripped;
use super::clauses::variable;
use super::{Lowerer, Result};
use crate::directive::{ClauseKind, Directive, Reduction};
use crate::hir::{BinaryOp, Expr, ExprKind, Stmt, StmtKind, VarId};

/// `variable = variable && cond` or, where `and` is false, `||`; of `!cond` if `not`.
struct Update<'e> {
    and: bool,
    cond: &'e Expr,
    not: bool,
}

impl Lowerer<'_> {
    /// Makes the variables that a directive reduces by `&&` or `||` 0 or 1, so that
    /// updates are those of bits.
    pub fn logical_reductions(&mut self, d: &Directive) -> Result<()> {
        for c in &d.clauses {
            let ClauseKind::Reduction {
                op: op @ (Reduction::And | Reduction::Or),
                vars,
            } = &c.kind
            else {
                continue;
            };
            for s in vars {
                let (Some(v), Some(e)) = (variable(s), &s.base.expr) else {
                    continue;
                };
                if self.logical.iter().any(|l| l.0 == v) || !e.ty.is_integer() {
                    continue;
                }
                let p = self.place(e)?;
                let old = self.load(&p, e.span)?;
                let zero = self.zero(old.ty(self.ctx));
                let set = self.compare(BinaryOp::Ne, old, zero, &e.ty);
                let bit = self.bool_value(set, &e.ty);
                self.store(&p, bit, e.span)?;
                self.logical.push((v, *op == Reduction::And));
            }
        }
        Ok(())
    }

    /// `r = r && e`, `r = e ? r : 0` and the like of a variable that is 0 or 1, where a
    /// directive says that it is reduced: the order does not matter, so `e` is evaluated
    /// in any case.
    pub fn logical_update(&mut self, target: &Expr, value: &Expr) -> Result<Option<Value>> {
        let ExprKind::Var(v) = target.kind else {
            return Ok(None);
        };
        match self.logical.iter().find(|l| l.0 == v) {
            Some(_) => {}
            None => return Ok(None),
        }
        let Some(update) = update(v, value) else {
            return Ok(None);
        };
        self.logical_bits(target, &update).map(Some)
    }

    /// `if (e) r = 1;` and `if (e) r = 0;` of such a variable; whether it was one.
    pub fn logical_if(
        &mut self,
        cond: &Expr,
        then: &Stmt,
        otherwise: Option<&Stmt>,
    ) -> Result<bool> {
        let (None, Some(StmtKind::Expr(e))) = (otherwise, only(then).map(|s| &s.kind)) else {
            return Ok(false);
        };
        let ExprKind::Assign { target, value } = &e.kind else {
            return Ok(false);
        };
        let (ExprKind::Var(v), Some(bit)) = (&target.kind, constant_bit(value)) else {
            return Ok(false);
        };
        // It is set for `||`, and cleared for `&&`.
        if !self.logical.contains(&(*v, !bit)) {
            return Ok(false);
        }
        let update = Update {
            and: !bit,
            cond,
            not: !bit,
        };
        self.logical_bits(target, &update)?;
        Ok(true)
    }

    fn logical_bits(&mut self, target: &Expr, update: &Update) -> Result<Value> {
        let mut set = self.condition(update.cond)?;
        if update.not {
            set = self.not(set);
        }
        let bit = self.bool_value(set, &target.ty);
        let p = self.place(target)?;
        let old = self.load(&p, target.span)?;
        let name = if update.and {
            "arith.andi"
        } else {
            "arith.ori"
        };
        let new = self.binary(name, old, bit);
        self.store(&p, new, target.span)?;
        Ok(new)
    }
}

/// The update of `v` that assigning `value` to it is.
fn update(v: VarId, value: &Expr) -> Option<Update<'_>> {
    let is_target = |e: &Expr| matches!(stripped(e).kind, ExprKind::Var(x) if x == v);
    match &stripped(value).kind {
        ExprKind::Logical { and, lhs, rhs } => {
            let cond = match (is_target(lhs), is_target(rhs)) {
                (true, _) => rhs,
                (_, true) => lhs,
                _ => return None,
            };
            let (and, not) = (*and, false);
            Some(Update { and, cond, not })
        }
        ExprKind::Conditional {
            cond,
            then,
            otherwise,
        } => {
            let (bit, not) = match (is_target(then), is_target(otherwise)) {
                (true, false) => (constant_bit(otherwise)?, true),
                (false, true) => (constant_bit(then)?, false),
                _ => return None,
            };
            // Where the condition says so it becomes the bit.
            Some(Update {
                and: !bit,
                cond,
                not: not == bit,
            })
        }
        _ => None,
    }
}

/// 0 or 1.
fn constant_bit(e: &Expr) -> Option<bool> {
    match stripped(e).kind {
        ExprKind::Int(0) => Some(false),
        ExprKind::Int(1) => Some(true),
        _ => None,
    }
}

/// The statement that is all there is in a block, without directives.
fn only(s: &Stmt) -> Option<&Stmt> {
    let StmtKind::Block(list) = &s.kind else {
        return s.directives.is_empty().then_some(s);
    };
    match list.as_slice() {
        [one] if s.directives.is_empty() => only(one),
        _ => None,
    }
}
