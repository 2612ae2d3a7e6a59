//! The conditions of counted loops: comparisons of the counter with what stays the same.

use super::Lowerer;
use super::env::CellId;
use super::shapes::{uncast, widened};
use super::walk::{Changes, array_of, expr as walk_expr};
use crate::hir::{BinaryOp, Expr, ExprKind, VarId};
use crate::types::Type;

/// A comparison of a counter with a bound.
pub struct Test<'e> {
    pub op: BinaryOp,
    pub bound: &'e Expr,
    /// The type of the comparison.
    pub compared: &'e Type,
}

impl Lowerer<'_> {
    /// `i < bound` in one of its forms; `None` if it says something else or the bound
    /// may change.
    pub fn test<'e>(
        &mut self,
        var: VarId,
        c: &'e Expr,
        by: i64,
        changes: &Changes,
    ) -> Option<Test<'e>> {
        use BinaryOp as B;
        let ExprKind::Binary { op, lhs, rhs } = &uncast(c).kind else {
            return None;
        };
        let is_var = |e: &Expr| matches!(widened(e).kind, ExprKind::Var(v) if v == var);
        let (op, bound) = if is_var(lhs) {
            (*op, &**rhs)
        } else if is_var(rhs) {
            let op = match op {
                B::Lt => B::Gt,
                B::Le => B::Ge,
                B::Gt => B::Lt,
                B::Ge => B::Le,
                B::Ne => B::Ne,
                _ => return None,
            };
            (op, &**lhs)
        } else {
            return None;
        };
        let fits = match op {
            B::Lt | B::Le => by > 0,
            B::Gt | B::Ge => by < 0,
            B::Ne => by.abs() == 1,
            _ => false,
        };
        let pointer = self.unit.var(var).ty.is_pointer();
        let counts = match pointer {
            true => bound.ty.is_pointer(),
            false => bound.ty.is_integer(),
        };
        if !fits || !counts || !self.is_invariant(bound, var, changes) {
            return None;
        }
        Some(Test {
            op,
            bound,
            compared: &lhs.ty,
        })
    }

    /// Whether a pointer leads to this variable, which is a value.
    fn leads_to(&self, v: VarId) -> bool {
        (0..self.cells.len())
            .any(|c| self.cells[c].root == Some(v) && self.is_pointed_at(CellId(c)))
    }

    /// Whether an expression has the same value throughout a loop.
    fn is_invariant(&self, e: &Expr, counter: VarId, changes: &Changes) -> bool {
        let mut ok = true;
        // What only its address is taken of is not read.
        let mut addressed: Vec<*const Expr> = Vec::new();
        walk_expr(e, &mut |e| {
            if let ExprKind::AddressOf(of) = &e.kind {
                addressed.push(&raw const **of);
            }
            if addressed.contains(&std::ptr::from_ref(e)) && !matches!(e.kind, ExprKind::Var(_)) {
                if let ExprKind::Member { base, .. } = &e.kind {
                    addressed.push(&raw const **base);
                }
                return;
            }
            let memory_changes =
                |ty: &Type| changes.calls || changes.stored.iter().any(|t| t == ty);
            ok &= match &e.kind {
                ExprKind::Var(v) => {
                    *v != counter
                        && !changes.vars.contains(v)
                        && (changes.stored.is_empty() || !self.leads_to(*v))
                        && (self.is_value(*v)
                            || !self.unit.var(*v).ty.is_arithmetic()
                            || !memory_changes(&e.ty))
                }
                ExprKind::Member { base, field } => {
                    let named = match base.ty {
                        Type::Record(r) => {
                            changes.fields.contains(&(r, *field)) || changes.records.contains(&r)
                        }
                        _ => true,
                    };
                    !named && !changes.calls
                }
                ExprKind::Index { .. } | ExprKind::Deref(_) => {
                    let array = array_of(self.unit, e);
                    let in_it = |v: &VarId| array.is_none() || array == Some(*v);
                    let mut named = changes.in_arrays.iter();
                    let stored = named.any(|(t, v)| *t == e.ty && in_it(v));
                    !e.ty.is_scalar() || !(memory_changes(&e.ty) || stored)
                }
                ExprKind::Assign { .. }
                | ExprKind::CompoundAssign { .. }
                | ExprKind::IncDec { .. }
                | ExprKind::Unsupported(_) => false,
                ExprKind::Call { function, .. } => {
                    self.unit.function(function).is_none() && super::math::is_total(function)
                }
                _ => true,
            };
        });
        ok
    }
}
