//! Reductions by `&&` and `||`: the variable, or each element of the array, is 0 or 1 while
//! its loops run, and each update one of bits.

use terrace_dialects::affine;
use terrace_dialects::arith;
use terrace_ir::Value;
use terrace_ir::affine::AffineMap;

use super::clauses::variable;
use super::form::Form;
use super::place::LValue;
use super::shapes::stripped;
use super::{Lowerer, Refusal, Result};
use crate::directive::{ClauseKind, Directive, Reduction};
use crate::hir::{BinaryOp, Expr, ExprKind, Span, Stmt, StmtKind, VarId};
use crate::types::{Extent, Type};

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
                let is_array = s.dims.is_empty() && is_array_of_words(&e.ty);
                if self.logical.iter().any(|l| l.0 == v) || !(e.ty.is_integer() || is_array) {
                    continue;
                }
                let p = self.place(e)?;
                self.make_bits(&p, e.span)?;
                self.logical.push((v, *op == Reduction::And));
            }
        }
        Ok(())
    }

    /// `r = r && e`, `r = e ? r : 0` and the like of a variable that is 0 or 1, where a
    /// directive says that it is reduced: the order does not matter, so `e` is evaluated
    /// in any case.
    pub fn logical_update(&mut self, target: &Expr, value: &Expr) -> Result<Option<Value>> {
        let known = root(target).is_some_and(|v| self.logical.iter().any(|l| l.0 == v));
        let Some(update) = known.then(|| update(target, value)).flatten() else {
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

    /// Makes the integers at a place 0 or 1, keeping their truth.
    fn make_bits(&mut self, p: &LValue, span: Span) -> Result<()> {
        let Type::Array(a) = &p.ty else {
            let old = self.load(p, span)?;
            let zero = self.zero(old.ty(self.ctx));
            let set = self.compare(BinaryOp::Ne, old, zero, &p.ty);
            let bit = self.bool_value(set, &p.ty);
            return self.store(p, bit, span);
        };
        let n = match a.len {
            Extent::Const(n) => i64::try_from(n).unwrap_or(i64::MAX),
            _ => return Err(Refusal::fault(span, "an array of no known size")),
        };
        let (from, to) = (AffineMap::constant(0), AffineMap::constant(n));
        let f = affine::ForOp::build_open(&mut self.b(), (from, &[]), (to, &[]), 1, &[]);
        let outside = std::mem::replace(&mut self.block, f.body(self.ctx));
        let mut at = p.clone();
        at.subscripts
            .push(Form::leaf(f.iv(self.ctx), true, true, true));
        at.ty = a.of.clone();
        self.make_bits(&at, span)?;
        self.op(affine::YieldOp::NAME, &[], &[], &[]);
        self.block = outside;
        Ok(())
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
            arith::AndIOp::NAME
        } else {
            arith::OrIOp::NAME
        };
        let new = self.binary(name, old, bit);
        self.store(&p, new, target.span)?;
        Ok(new)
    }
}

/// An array of integers that one atomic operation can update.
fn is_array_of_words(ty: &Type) -> bool {
    let Type::Array(a) = ty else {
        return false;
    };
    let known = matches!(a.len, Extent::Const(_));
    known && (is_array_of_words(&a.of) || matches!(&a.of, Type::Int(i) if i.bits >= 32))
}

/// The variable, or the array of the element.
fn root(e: &Expr) -> Option<VarId> {
    match &e.kind {
        ExprKind::Var(v) => Some(*v),
        ExprKind::Index { base, .. } => root(base),
        ExprKind::Decay(array) => root(array),
        _ => None,
    }
}

/// Whether two expressions without effects are written alike.
fn same(a: &Expr, b: &Expr) -> bool {
    match (&stripped(a).kind, &stripped(b).kind) {
        (ExprKind::Var(x), ExprKind::Var(y)) => x == y,
        (ExprKind::Int(x), ExprKind::Int(y)) => x == y,
        (
            ExprKind::Index { base, index },
            ExprKind::Index {
                base: other,
                index: by,
            },
        ) => same(base, other) && same(index, by),
        (ExprKind::Decay(x), ExprKind::Decay(y)) => same(x, y),
        (
            ExprKind::Binary { op, lhs, rhs },
            ExprKind::Binary {
                op: other,
                lhs: l,
                rhs: r,
            },
        ) => op == other && same(lhs, l) && same(rhs, r),
        _ => false,
    }
}

/// The update of the target that assigning `value` to it is.
fn update<'e>(target: &Expr, value: &'e Expr) -> Option<Update<'e>> {
    let is_target = |e: &Expr| same(e, target);
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
