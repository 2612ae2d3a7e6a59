//! Which update of its target an expression is.

use super::shapes::{same, selects_greater, stripped};
use crate::hir::{BinaryOp, Expr, ExprKind};
use crate::types::Type;

/// `target op= value`, or with the operands the other way round.
pub struct Update<'e> {
    pub target: &'e Expr,
    pub op: Change<'e>,
    /// The value of the expression is that after the update.
    pub new: bool,
}

pub enum Change<'e> {
    /// By 1, up or down.
    Step(bool),
    Binary {
        op: BinaryOp,
        value: &'e Expr,
        /// `value op target`.
        reversed: bool,
        compute: &'e Type,
    },
    /// The smaller, or the greater.
    Extreme { value: &'e Expr, max: bool },
}

impl<'e> Update<'e> {
    pub fn of(e: &'e Expr) -> Option<Update<'e>> {
        match &e.kind {
            ExprKind::IncDec {
                increment,
                prefix,
                target,
            } => Some(Update {
                target,
                op: Change::Step(*increment),
                new: *prefix,
            }),
            ExprKind::CompoundAssign {
                op,
                target,
                value,
                compute,
            } => Some(Update {
                target,
                op: Change::Binary {
                    op: *op,
                    value,
                    reversed: false,
                    compute,
                },
                new: true,
            }),
            ExprKind::Assign { target, value } => Some(Update {
                target,
                op: Change::of(target, value, &e.ty)?,
                new: true,
            }),
            _ => None,
        }
    }
}

impl<'e> Change<'e> {
    /// The change of `target` that an assignment of type `ty` to it makes.
    fn of(target: &Expr, value: &'e Expr, ty: &Type) -> Option<Change<'e>> {
        let inner = match &value.kind {
            ExprKind::Cast(a) if a.ty.is_arithmetic() => a,
            _ => value,
        };
        match &inner.kind {
            ExprKind::Binary { op, lhs, rhs } if !op.is_comparison() => {
                let (value, first) = other(target, lhs, rhs)?;
                Some(Change::Binary {
                    op: *op,
                    value,
                    reversed: !first,
                    compute: &inner.ty,
                })
            }
            ExprKind::Conditional {
                cond,
                then,
                otherwise,
            } => {
                let max = selects_greater(cond, then, otherwise)?;
                // The order of a NaN is another matter.
                if !then.ty.is_integer() || then.ty != target.ty {
                    return None;
                }
                let (value, _) = other(target, then, otherwise)?;
                Some(Change::Extreme { value, max })
            }
            ExprKind::Call { function, args } => {
                let max = match function.as_str() {
                    "fmax" | "fmaxf" => true,
                    "fmin" | "fminf" => false,
                    _ => return None,
                };
                let [a, b] = args.as_slice() else {
                    return None;
                };
                if *ty != inner.ty {
                    return None;
                }
                let (value, _) = other(target, a, b)?;
                Some(Change::Extreme { value, max })
            }
            _ => None,
        }
    }
}

/// Of two operands the one that is not the target, and whether the target is the first.
fn other<'e>(target: &Expr, a: &'e Expr, b: &'e Expr) -> Option<(&'e Expr, bool)> {
    let is_target = |e: &Expr| same(stripped(e), target);
    match (is_target(a), is_target(b)) {
        (true, _) => Some((b, true)),
        (false, true) => Some((a, false)),
        _ => None,
    }
}
