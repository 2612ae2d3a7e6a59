//! Integer expressions whose value is known while lowering.

use super::Lowerer;
use crate::hir::{BinaryOp, Expr, ExprKind};
use crate::types::Type;

impl Lowerer<'_> {
    /// The value of an integer constant expression, constant variables included,
    /// reduced to its type.
    pub fn constant(&self, e: &Expr) -> Option<i128> {
        let reduce = |n: i128, ty: &Type| wrapped(n, ty);
        match &e.kind {
            ExprKind::Int(n) => reduce(*n, &e.ty),
            ExprKind::Var(v) => self.constants.get(v).copied(),
            ExprKind::Cast(a) if e.ty.is_integer() && a.ty.is_integer() => {
                reduce(self.constant(a)?, &e.ty)
            }
            ExprKind::Neg(a) if e.ty.is_integer() => reduce(-self.constant(a)?, &e.ty),
            ExprKind::Binary { op, lhs, rhs }
                if lhs.ty.is_integer() && rhs.ty.is_integer() && lhs.ty == rhs.ty =>
            {
                let a = self.constant(lhs)?;
                let b = self.constant(rhs)?;
                use BinaryOp as B;
                let truth = |t: bool| Some(i128::from(t));
                match op {
                    B::Add => reduce(a.checked_add(b)?, &e.ty),
                    B::Sub => reduce(a.checked_sub(b)?, &e.ty),
                    B::Mul => reduce(a.checked_mul(b)?, &e.ty),
                    B::Div => reduce(a.checked_div(b)?, &e.ty),
                    B::Rem => reduce(a.checked_rem(b)?, &e.ty),
                    B::And => Some(a & b),
                    B::Or => Some(a | b),
                    B::Xor => reduce(a ^ b, &e.ty),
                    B::Eq => truth(a == b),
                    B::Ne => truth(a != b),
                    B::Lt => truth(a < b),
                    B::Le => truth(a <= b),
                    B::Gt => truth(a > b),
                    B::Ge => truth(a >= b),
                    B::Shl | B::Shr => None,
                }
            }
            _ => None,
        }
    }
}

/// A number reduced to an integer type.
pub fn wrapped(n: i128, ty: &Type) -> Option<i128> {
    match ty {
        Type::Bool => Some(i128::from(n != 0)),
        Type::Int(i) => {
            let m = 1i128 << i.bits;
            let low = n.rem_euclid(m);
            Some(if i.signed && low >= m / 2 {
                low - m
            } else {
                low
            })
        }
        _ => None,
    }
}
