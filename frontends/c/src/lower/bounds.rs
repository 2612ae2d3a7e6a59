//! The conditions of counted loops: comparisons of the counter with what stays the same, and of sides that come nearer
//! to one another.

use super::Lowerer;
use super::env::CellId;
use super::form::Form;
use super::head::Head;
use super::shapes::{ands, uncast, widened};
use super::walk::{Changes, array_of, expr as walk_expr};
use crate::hir::{BinaryOp, Expr, ExprKind, VarId};
use crate::types::Type;

/// What counts in a loop: a variable, and by how much each iteration makes it grow.
pub struct Counts {
    pub var: VarId,
    pub by: i64,
    /// Other variables that only the head steps, and by how much.
    pub beside: Vec<(VarId, i64)>,
}

impl Counts {
    fn by_of(&self, v: VarId) -> Option<i64> {
        if v == self.var {
            return Some(self.by);
        }
        self.beside.iter().find(|b| b.0 == v).map(|b| b.1)
    }
}

/// A comparison that decides whether a loop goes on.
pub enum Test<'e> {
    Bound(Bound<'e>),
    Sides(Sides<'e>),
}

/// A comparison of the counter itself with what stays the same.
pub struct Bound<'e> {
    pub op: BinaryOp,
    pub bound: &'e Expr,
    /// The type of the comparison.
    pub compared: &'e Type,
}

impl Bound<'_> {
    /// The first number on the counter's way that the comparison fails for.
    pub fn exclusive(&self, bound: Form) -> Form {
        match self.op {
            BinaryOp::Le => bound.add(&Form::constant(1)),
            BinaryOp::Ge => bound.sub(&Form::constant(1)),
            _ => bound,
        }
    }
}

/// `lhs < rhs`, where each iteration brings them nearer to one another, by always the same: `i + 3 < n`,
/// `2 * i < n`, `i < j` where `j` counts down.
pub struct Sides<'e> {
    pub lhs: &'e Expr,
    pub rhs: &'e Expr,
    /// `lhs <= rhs`.
    equal: bool,
    /// How much nearer, positive.
    nearer: i64,
    /// An unsigned variable that the comparison keeps from going below zero.
    pub meets: Option<VarId>,
}

impl Sides<'_> {
    /// How far the counter goes, upwards or downwards, while the comparison holds: at most zero where it never does. `l` and
    /// `r` are the sides in front of the loop, and `by` is the counter's step.
    pub fn way(&self, l: &Form, r: &Form, by: i64) -> Form {
        let mut apart = r.sub(l);
        if self.equal {
            apart = apart.add(&Form::constant(1));
        }
        match self.nearer == by.abs() {
            true => apart,
            false => apart.ceil_div(self.nearer).mul(&Form::constant(by.abs())),
        }
    }
}

impl Lowerer<'_> {
    /// The tests of a loop's condition, if they are all of that kind.
    pub fn tests<'e>(
        &mut self,
        counts: &Counts,
        head: &'e Head,
        changes: &Changes,
    ) -> Option<Vec<Test<'e>>> {
        let mut conjuncts = Vec::new();
        ands(&head.cond, &mut conjuncts);
        // A step in one of several conditions is not always taken.
        if head.own.is_some() && conjuncts.len() > 1 {
            return None;
        }
        let mut tests = Vec::new();
        for c in conjuncts {
            let t = match self.test(counts.var, c, counts.by, changes) {
                Some(t) => Test::Bound(t),
                None if head.own.is_some() => return None,
                None => Test::Sides(self.sides(c, counts, changes)?),
            };
            tests.push(t);
        }
        Some(tests)
    }

    /// The variables beside the counter that steps of the head make grow, once each, and nothing else changes.
    pub fn steps_beside(&self, steps: &[&Expr], changes: &Changes) -> Vec<(VarId, i64)> {
        let changed_by = |e: &Expr, v: VarId| {
            let mut c = Changes::default();
            c.expr(self.unit, e);
            c.vars.contains(&v)
        };
        let grows = steps.iter().filter_map(|e| self.step_of(e));
        grows
            .filter(|(v, _)| {
                let once = steps.iter().filter(|e| changed_by(e, *v)).count() == 1;
                once && !changes.body.contains(v) && !self.leads_to(*v)
            })
            .collect()
    }

    /// A comparison as one whose sides come nearer.
    fn sides<'e>(&mut self, c: &'e Expr, counts: &Counts, changes: &Changes) -> Option<Sides<'e>> {
        use BinaryOp as B;
        let ExprKind::Binary { op, lhs, rhs } = &uncast(c).kind else {
            return None;
        };
        let (lhs, rhs, equal) = match op {
            B::Lt => (&**lhs, &**rhs, false),
            B::Le => (&**lhs, &**rhs, true),
            B::Gt => (&**rhs, &**lhs, false),
            B::Ge => (&**rhs, &**lhs, true),
            _ => return None,
        };
        let pointers = lhs.ty.is_pointer() && rhs.ty.is_pointer();
        let meets = match (pointers, self.meet(lhs, rhs, equal, counts)) {
            (false, None) if !self.compares_numbers(lhs, rhs, counts) => return None,
            (_, meets) => meets,
        };
        let (l, r) = (
            self.growth_in(lhs, counts, changes)?,
            self.growth_in(rhs, counts, changes)?,
        );
        let nearer = l.checked_sub(r).filter(|n| *n > 0)?;
        Some(Sides {
            lhs,
            rhs,
            equal,
            nearer,
            meets,
        })
    }

    /// `i < j` of unsigned variables of which one counts up and the other, which is returned, down: neither
    /// comes to an end of its type.
    fn meet(&self, lhs: &Expr, rhs: &Expr, equal: bool, counts: &Counts) -> Option<VarId> {
        let (ExprKind::Var(l), ExprKind::Var(r)) = (&lhs.kind, &rhs.kind) else {
            return None;
        };
        let meet = counts.by_of(*l) == Some(1) && counts.by_of(*r) == Some(-1) && !equal;
        let unsigned = matches!(lhs.ty, Type::Int(ty) if ty.bits >= 32 && !ty.signed);
        (meet && unsigned).then_some(*r)
    }

    /// Whether both sides of a comparison are the numbers that they would be if their types had no end.
    fn compares_numbers(&mut self, lhs: &Expr, rhs: &Expr, counts: &Counts) -> bool {
        let Type::Int(ty) = lhs.ty else { return false };
        if ty.bits < 32 {
            return false;
        }
        // Overflow of signed numbers has no meaning.
        if ty.signed {
            return true;
        }
        // `i + 3 < n` of 64 bits: no array is so long that the sum wraps around.
        let ExprKind::Binary {
            op: BinaryOp::Add,
            lhs: of,
            rhs: more,
        } = &lhs.kind
        else {
            return false;
        };
        let counter = |e: &Expr| match e.kind {
            ExprKind::Var(v) => counts.by_of(v),
            _ => None,
        };
        let grows = counter(of).is_some_and(|by| by > 0);
        let small = self
            .constant(more)
            .is_some_and(|n| (0..1 << 31).contains(&n));
        ty.bits == 64 && grows && small && counter(rhs).is_none()
    }

    /// By how much an iteration changes an expression that is linear in what counts.
    fn growth_in(&mut self, e: &Expr, counts: &Counts, changes: &Changes) -> Option<i64> {
        if let ExprKind::Var(v) = e.kind
            && let Some(by) = counts.by_of(v)
        {
            return Some(by);
        }
        if self.is_invariant(e, counts.var, changes) {
            return Some(0);
        }
        match &e.kind {
            ExprKind::Cast(a) => match (&a.ty, &e.ty) {
                (Type::Int(from), Type::Int(to))
                    if (to.bits > from.bits && (to.signed || !from.signed))
                        || (to.bits == from.bits && to.signed == from.signed) =>
                {
                    self.growth_in(a, counts, changes)
                }
                _ => None,
            },
            ExprKind::Neg(a) => self.growth_in(a, counts, changes)?.checked_neg(),
            ExprKind::Binary { op, lhs, rhs } => {
                let factor = |e: &Expr| i64::try_from(self.constant(e)?).ok();
                match op {
                    BinaryOp::Add => self
                        .growth_in(lhs, counts, changes)?
                        .checked_add(self.growth_in(rhs, counts, changes)?),
                    BinaryOp::Sub => self
                        .growth_in(lhs, counts, changes)?
                        .checked_sub(self.growth_in(rhs, counts, changes)?),
                    BinaryOp::Mul => match (factor(lhs), factor(rhs)) {
                        (Some(n), _) => self.growth_in(rhs, counts, changes)?.checked_mul(n),
                        (_, Some(n)) => self.growth_in(lhs, counts, changes)?.checked_mul(n),
                        _ => None,
                    },
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// `i < bound` in one of its forms; `None` if it says something else or the bound
    /// may change.
    fn test<'e>(
        &mut self,
        var: VarId,
        c: &'e Expr,
        by: i64,
        changes: &Changes,
    ) -> Option<Bound<'e>> {
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
        Some(Bound {
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
