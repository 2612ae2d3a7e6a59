//! Which arrays of a region C promises to be different memory.
//!
//! A pointer behind `restrict` promises that what is written is reached through it alone,
//! and through pointers that are based on it (C11 6.7.3.1). Another pointer is not based on
//! it if it is `restrict` too, if it is a parameter that nobody assigns, or if nothing in
//! the function keeps the pointer's value.

use crate::hir::{BinaryOp, Expr, ExprKind, Init, Stmt, StmtKind, Storage, Unit, VarId};
use crate::region::{Capture, CapturedArray};
use crate::types::Type;

use super::walk;

/// For each capture, the others that may be the same memory, where one of both is written.
pub fn overlaps(unit: &Unit, body: &Stmt, captures: &[Capture]) -> Vec<Vec<usize>> {
    let overlap = |i: usize, j: usize| {
        let (c, d) = (&captures[i], &captures[j]);
        let (Some(a), Some(b)) = (c.array(), d.array()) else {
            return false;
        };
        if !(c.written || d.written) {
            return false;
        }
        if a.anywhere || b.anywhere {
            return true;
        }
        // Other fields of the same records, or two array objects.
        let object = |c: &Capture, a: &CapturedArray| !a.is_pointer && !is_behind(&c.lvalue);
        // Pointers in memory may lead to the same, whichever members they are.
        let tables = a.tables.is_some() || b.tables.is_some();
        if tables {
            return true;
        }
        let apart = c.lvalue == d.lvalue
            || are_other_members(&c.lvalue, &d.lvalue)
            || object(c, a) && object(d, b);
        !apart && !is_alone(unit, body, (c, a), (d, b)) && !is_alone(unit, body, (d, b), (c, a))
    };
    let all = 0..captures.len();
    all.clone()
        .map(|i| all.clone().filter(|&j| i != j && overlap(i, j)).collect())
        .collect()
}

/// Whether the object is part of what a pointer points to.
pub fn is_behind(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Deref(_) => true,
        ExprKind::Member { base, .. } => is_behind(base),
        ExprKind::Decay(a) => is_behind(a),
        _ => false,
    }
}

/// Whether two objects are different members of one record, or parts of such.
fn are_other_members(a: &Expr, b: &Expr) -> bool {
    // What members that are pointers point to may be the same.
    if a.ty.is_pointer() || b.ty.is_pointer() {
        return false;
    }
    let ((a, of_a), (b, of_b)) = (members(a), members(b));
    same_root(a, b) && of_a.iter().zip(&of_b).any(|(x, y)| x != y)
}

/// The object that a path starts from, and the members on the way.
fn members(mut e: &Expr) -> (&ExprKind, Vec<usize>) {
    let mut members = Vec::new();
    while let ExprKind::Member { base, field } = &e.kind {
        members.push(*field);
        e = base;
    }
    members.reverse();
    (&e.kind, members)
}

/// Whether two paths start from one object.
fn same_root(a: &ExprKind, b: &ExprKind) -> bool {
    match (a, b) {
        (ExprKind::Var(v), ExprKind::Var(w)) => v == w,
        (ExprKind::Deref(p), ExprKind::Deref(q)) => same_path(p, q),
        _ => false,
    }
}

fn same_path(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Member { base, field }, ExprKind::Member { base: b, field: f }) => {
            field == f && same_path(base, b)
        }
        (a, b) => same_root(a, b),
    }
}

/// Whether the first array is reached through its pointer alone, as far as the second one's
/// goes.
fn is_alone(
    unit: &Unit,
    body: &Stmt,
    (c, a): (&Capture, &CapturedArray),
    (d, b): (&Capture, &CapturedArray),
) -> bool {
    if !a.restrict {
        return false;
    }
    // An object that no pointer reaches, one that is no pointer, or a promise of its own.
    if !a.is_pointer || !b.is_pointer || b.restrict {
        return true;
    }
    if let ExprKind::Var(v) = d.lvalue.kind
        && unit.var(v).storage == Storage::Param
        && !unit.var(v).address_taken
        && !is_assigned(body, v)
    {
        return true;
    }
    match c.lvalue.kind {
        ExprKind::Var(v) => {
            let var = unit.var(v);
            let own = matches!(var.storage, Storage::Param | Storage::Local);
            own && !var.address_taken && !is_kept(body, v)
        }
        _ => false,
    }
}

fn is_assigned(body: &Stmt, v: VarId) -> bool {
    let mut found = false;
    walk::exprs(body, &mut |e| {
        if let ExprKind::Assign { target, .. } = &e.kind {
            found |= matches!(target.kind, ExprKind::Var(w) if w == v);
        }
    });
    found
}

/// Whether something may keep a pointer that is based on `v`: a variable, an argument, a
/// result, a number.
fn is_kept(body: &Stmt, v: VarId) -> bool {
    let mut found = false;
    walk::stmts(body, &mut |s| match &s.kind {
        StmtKind::Return(Some(e)) => found |= is_based(e, v),
        StmtKind::Decl(list) => {
            let mut inits = list.iter().filter_map(|(_, i)| i.as_ref());
            found |= inits.any(|i| initialises(i, v));
        }
        _ => {}
    });
    walk::exprs(body, &mut |e| found |= keeps(e, v));
    found
}

fn initialises(i: &Init, v: VarId) -> bool {
    match i {
        Init::Expr(e) => is_based(e, v),
        Init::List(all) => all.iter().any(|(_, i)| initialises(i, v)),
    }
}

/// Whether an operand that is based on `v` goes on in `e` to where it is not followed.
fn keeps(e: &Expr, v: VarId) -> bool {
    use ExprKind as K;
    match &e.kind {
        // It is only followed from here, or looked at.
        K::Index { .. }
        | K::Deref(_)
        | K::Member { .. }
        | K::AddressOf(_)
        | K::Decay(_)
        | K::Cast(_)
        | K::PointerAdd { .. }
        | K::PointerDiff { .. }
        | K::IncDec { .. }
        | K::CompoundAssign { .. }
        | K::Not(_)
        | K::Logical { .. } => false,
        K::Binary { op, .. } if is_comparison(*op) => false,
        K::Assign { target, value } => {
            let itself = matches!(target.kind, K::Var(w) if w == v);
            !itself && is_based(value, v)
        }
        K::Compound { init, .. } => initialises(init, v),
        _ => {
            let mut found = false;
            walk::each_child(e, &mut |c| found |= is_based(c, v));
            found
        }
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge)
}

/// Whether the value of `e` is a pointer based on `v`, or made of one, or `e` is a part of
/// the memory behind it that may become one.
fn is_based(e: &Expr, v: VarId) -> bool {
    use ExprKind as K;
    let whole = |of: &Expr| matches!(e.ty, Type::Array(_) | Type::Record(_)) && is_based(of, v);
    match &e.kind {
        K::Var(w) => *w == v,
        K::Index { base, .. } | K::Member { base, .. } => whole(base),
        K::Deref(p) => whole(p),
        K::AddressOf(a) => is_place(a, v),
        K::Decay(a)
        | K::Cast(a)
        | K::PointerAdd { pointer: a, .. }
        | K::IncDec { target: a, .. }
        | K::CompoundAssign { target: a, .. }
        | K::Assign { target: a, .. } => is_based(a, v),
        _ => false,
    }
}

/// Whether `e` lies in the memory behind `v`.
fn is_place(e: &Expr, v: VarId) -> bool {
    match &e.kind {
        ExprKind::Index { base: p, .. } | ExprKind::Deref(p) => is_based(p, v),
        ExprKind::Member { base, .. } => is_place(base, v),
        _ => is_based(e, v),
    }
}
