//! What the host does around and between the constructs of a group: it counts, and computes
//! scalars that only it has.

use super::super::counters::target;
use super::super::walk;
use crate::hir::{Expr, ExprKind, Init, Stmt, StmtKind, Storage, Unit, VarId};

/// Whether a statement assigns one scalar.
pub fn is_assignment(s: &Stmt) -> bool {
    assigned(s).is_some() && s.directives.is_empty()
}

fn assigned(s: &Stmt) -> Option<VarId> {
    let StmtKind::Expr(e) = &s.kind else {
        return None;
    };
    target(e)
}

/// Whether a statement declares scalars with values.
pub fn is_declaration(unit: &Unit, s: &Stmt) -> bool {
    let StmtKind::Decl(list) = &s.kind else {
        return false;
    };
    let has_value = |(v, init): &(VarId, Option<Init>)| {
        is_own_scalar(unit, *v) && matches!(init, Some(Init::Expr(_)))
    };
    s.directives.is_empty() && list.iter().all(has_value) && is_own(unit, s)
}

/// Whether all that a statement computes with are scalars that no device has and no pointer
/// reaches.
pub fn is_own(unit: &Unit, s: &Stmt) -> bool {
    let mut own = true;
    walk::exprs(s, &mut |e| own &= is_own_part(unit, e));
    own
}

fn is_own_part(unit: &Unit, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Cast(_)
        | ExprKind::Neg(_)
        | ExprKind::BitNot(_)
        | ExprKind::Not(_)
        | ExprKind::Binary { .. }
        | ExprKind::Logical { .. }
        | ExprKind::Conditional { .. }
        | ExprKind::Assign { .. }
        | ExprKind::CompoundAssign { .. }
        | ExprKind::IncDec { .. } => true,
        ExprKind::Var(v) => is_own_scalar(unit, *v),
        _ => false,
    }
}

fn is_own_scalar(unit: &Unit, v: VarId) -> bool {
    let var = unit.var(v);
    let local = matches!(var.storage, Storage::Local | Storage::Param);
    let named = |c| super::super::clauses::names(c, v) && super::data::is_data(c);
    let mut clauses = unit.directives.iter().flat_map(|d| &d.clauses);
    local && var.ty.is_arithmetic() && !var.address_taken && !var.is_volatile && !clauses.any(named)
}

/// Whether a loop of the host only counts: from a start to a bound, by scalars of its own.
pub fn is_counting(unit: &Unit, s: &Stmt) -> bool {
    let StmtKind::For {
        init: Some(init),
        cond: Some(cond),
        step: Some(step),
        ..
    } = &s.kind
    else {
        return false;
    };
    let counts = match &init.kind {
        StmtKind::Decl(list) => list.len() == 1 && list[0].1.is_some(),
        _ => is_assignment(init),
    };
    let mut own = is_own(unit, init);
    for e in [cond, step] {
        walk::expr(e, &mut |e| own &= is_own_part(unit, e));
    }
    counts && own && target(step).is_some()
}
