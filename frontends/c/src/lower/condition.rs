//! Conditions: the truth of expressions, short circuits and `?:`.

use terrace_dialects::arith;
use terrace_ir::Value;

use super::form::Form;
use super::{Lowerer, Refusal, Result};
use crate::hir::{BinaryOp, Expr, ExprKind};
use crate::types::Type;

impl Lowerer<'_> {
    /// `cond ? then : otherwise`.
    pub fn conditional(
        &mut self,
        cond: &Expr,
        then: &Expr,
        otherwise: &Expr,
        ty: &Type,
    ) -> Result<Value> {
        let c = self.condition(cond)?;
        if let Some(b) = self.ctx.constant_int(c) {
            return self.expr(if b != 0 { then } else { otherwise });
        }
        if self.is_plain(then) && self.is_plain(otherwise) {
            let a = self.expr(then)?;
            let b = self.expr(otherwise)?;
            let t = a.ty(self.ctx);
            return Ok(self.value(arith::SelectOp::NAME, &[c, a, b], t));
        }
        let cell = self.new_cell(Some(ty.clone()), "?:");
        self.branch(
            c,
            |l| {
                let v = l.expr(then)?;
                l.env.cells[cell.0] = Some(v);
                Ok(())
            },
            Some(|l: &mut Self| {
                let v = l.expr(otherwise)?;
                l.env.cells[cell.0] = Some(v);
                Ok(())
            }),
        )?;
        Ok(self.read(cell))
    }

    /// The truth of a scalar expression, an i1.
    pub fn condition(&mut self, e: &Expr) -> Result<Value> {
        self.enter(e.span)?;
        let loc = self.at(e.span);
        let v = self.condition_inner(e);
        self.loc = loc;
        self.leave();
        v
    }

    fn condition_inner(&mut self, e: &Expr) -> Result<Value> {
        if e.ty.is_integer()
            && let Some(n) = self.constant(e)
        {
            return Ok(self.flag_constant(n != 0));
        }
        match &e.kind {
            ExprKind::Binary { op, lhs, rhs } if op.is_comparison() => {
                if lhs.ty.is_pointer() || rhs.ty.is_pointer() {
                    return self.compare_pointers(*op, lhs, rhs, e.span);
                }
                let a = self.expr(lhs)?;
                let b = self.expr(rhs)?;
                let c = self.compare(*op, a, b, &lhs.ty);
                if lhs.ty.is_integer() {
                    let (f, g) = (self.form(a, &lhs.ty), self.form(b, &lhs.ty));
                    self.remember(c, *op, &f, &g);
                }
                Ok(c)
            }
            ExprKind::Not(inner) => {
                let c = self.condition(inner)?;
                Ok(self.not(c))
            }
            ExprKind::Logical { and, lhs, rhs } => self.logical(*and, lhs, rhs),
            ExprKind::Cast(inner) if is_truth(inner) => self.condition(inner),
            ExprKind::Comma(a, b) => {
                self.effect(a)?;
                self.condition(b)
            }
            _ if e.ty.is_float() => {
                let v = self.expr(e)?;
                let zero = self.float_constant(0.0, &e.ty, e.span)?;
                Ok(self.compare(BinaryOp::Ne, v, zero, &e.ty))
            }
            _ if e.ty.is_integer() => {
                let v = self.expr(e)?;
                let zero = self.int_constant(0, &e.ty, e.span)?;
                let c = self.compare(BinaryOp::Ne, v, zero, &e.ty);
                let form = self.form(v, &e.ty);
                self.remember(c, BinaryOp::Ne, &form, &Form::constant(0));
                Ok(c)
            }
            ExprKind::Unsupported(why) => Err(Refusal::new(e.span, why.clone())),
            _ => {
                let p = self.pointer(e)?;
                let null = self.is_null(&p, e.span)?;
                Ok(self.not(null))
            }
        }
    }

    fn logical(&mut self, and: bool, lhs: &Expr, rhs: &Expr) -> Result<Value> {
        let a = self.condition(lhs)?;
        if let Some(c) = self.ctx.constant_int(a) {
            return match (c != 0) == and {
                true => self.condition(rhs),
                false => Ok(a),
            };
        }
        if self.is_plain(rhs) {
            let b = self.condition(rhs)?;
            let v = self.binary(
                if and {
                    arith::AndIOp::NAME
                } else {
                    arith::OrIOp::NAME
                },
                a,
                b,
            );
            if and && self.is_new(v) {
                let both = match (self.conditions.get(&a), self.conditions.get(&b)) {
                    (Some(x), Some(y)) => Some([x.as_slice(), y].concat()),
                    _ => None,
                };
                if let Some(both) = both {
                    self.conditions.insert(v, both);
                }
            }
            return Ok(v);
        }
        let cell = self.new_cell(None, "&&");
        let known = self.flag_constant(!and);
        self.env.cells[cell.0] = Some(known);
        let go_on = if and { a } else { self.not(a) };
        self.branch(
            go_on,
            |l| {
                let v = l.condition(rhs)?;
                l.env.cells[cell.0] = Some(v);
                Ok(())
            },
            None::<fn(&mut Self) -> Result<()>>,
        )?;
        Ok(self.read(cell))
    }

    /// Remembers what a comparison of forms says, for conditions that are affine.
    pub fn remember(&mut self, c: Value, op: BinaryOp, a: &Form, b: &Form) {
        use BinaryOp as B;
        if !a.exact || !b.exact || !a.fits(b) || !self.is_new(c) {
            return;
        }
        let one = Form::constant(1);
        let (form, is_eq) = match op {
            B::Lt => (b.sub(a).sub(&one), false),
            B::Le => (b.sub(a), false),
            B::Gt => (a.sub(b).sub(&one), false),
            B::Ge => (a.sub(b), false),
            B::Eq => (a.sub(b), true),
            // What is 0 or 1 is the other one of them.
            B::Ne if a.is_bit() && matches!(b.as_constant(), Some(0 | 1)) => {
                (a.add(b).sub(&one), true)
            }
            B::Ne if a.nonneg && b.as_constant() == Some(0) => (a.sub(&one), false),
            _ => return,
        };
        self.conditions.insert(c, vec![(form, is_eq)]);
    }
}

/// Whether the value is 0 or 1.
fn is_truth(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Binary { op, .. } => op.is_comparison(),
        ExprKind::Logical { .. } | ExprKind::Not(_) => true,
        ExprKind::Cast(a) => e.ty == Type::Bool || is_truth(a),
        _ => e.ty == Type::Bool,
    }
}
