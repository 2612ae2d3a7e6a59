//! Scalars that each gang of a `parallel` construct has of its own, as those of its loop.
//!
//! Under `parallel` a scalar without a clause is `firstprivate` (OpenACC 3.3, 2.6.2): what
//! the construct assigns is lost at its end. In a `kernels` construct it would be the
//! program's. The loop's `private` says the same, where no iteration reads what the scalar
//! was before.

use super::super::liveness::{live_after, live_before};
use super::super::sharing::{self, Part, Sharing, reductions};
use super::super::{counters, walk};
use super::{Construct, clause};
use crate::directive::{Arg, Clause, ClauseKind, Compute, Section};
use crate::hir::{Expr, ExprKind, Stmt, StmtKind, Storage, Unit, VarId};

/// The clauses that the loop of a construct gets; `None` where they would not do. `last` is
/// the last statement of the group, in the function's `body`.
pub fn of(unit: &Unit, body: &Stmt, last: &Stmt, c: &Construct) -> Option<Vec<Clause>> {
    match c.construct {
        Compute::Parallel => {}
        Compute::Serial => {
            // What the gang assigns is lost, so nobody may read it afterwards.
            let read = live_after(unit, body, c.stmt)?;
            let lost = |v: VarId| !read.contains(&v) && !is_seen_by_others(unit, v);
            return changed(unit, c.stmt).into_iter().all(lost).then(Vec::new);
        }
        _ => return Some(Vec::new()),
    }
    let d = unit.directive(c.id);
    let StmtKind::For { body: inside, .. } = &c.stmt.kind else {
        return None;
    };
    let sharing = Sharing::of(unit, c.construct, Some(d), c.stmt);
    // Arrays and records that begin as the program's.
    if !sharing.in_place().is_empty() {
        return None;
    }
    let directives = || c.stmt.directives.iter().map(|i| unit.directive(*i));
    let of_loop: Vec<VarId> = directives().flat_map(reductions).map(|r| r.0).collect();
    let counters: Vec<VarId> = directives()
        .flat_map(|d| counters::of_directive(d, c.stmt))
        .collect();
    let listed: Vec<VarId> = sharing.objects().map(|o| o.var).collect();
    let read_first = live_before(unit, inside)?;
    let read_behind = live_after(unit, body, last)?;
    let mut own = Vec::new();
    for v in changed(unit, c.stmt) {
        if listed.contains(&v) || counters.contains(&v) || of_loop.contains(&v) {
            continue;
        }
        if sharing.is_reduced(v) {
            // The sum of a loop inside, which begins anew in each iteration, or of this one
            // without a clause.
            let inner = in_clauses_inside(unit, c.stmt, v);
            match (inner, read_first.contains(&v)) {
                (false, true) => continue,
                (_, true) => return None,
                _ if read_behind.contains(&v) || is_seen_by_others(unit, v) => return None,
                _ => {}
            }
        } else if !sharing.is_own(v, Part::Whole) {
            continue;
        }
        if read_first.contains(&v) {
            return None;
        }
        own.push(v);
    }
    if own.is_empty() {
        return Some(Vec::new());
    }
    let vars = own.into_iter().map(|v| section(unit, v, c.stmt)).collect();
    Some(vec![clause(ClauseKind::Private(vars), d.span)])
}

/// Whether code of other functions, or behind a pointer, may read a variable.
fn is_seen_by_others(unit: &Unit, v: VarId) -> bool {
    let var = unit.var(v);
    var.address_taken || !matches!(var.storage, Storage::Local | Storage::Param)
}

/// Whether a `reduction` clause of a loop in the statement names the variable.
fn in_clauses_inside(unit: &Unit, s: &Stmt, v: VarId) -> bool {
    let mut found = false;
    walk::stmts(s, &mut |inner| {
        for id in &inner.directives {
            found |= reductions(unit.directive(*id)).any(|r| r.0 == v);
        }
    });
    found
}

/// The scalars from outside that a statement assigns by name.
pub fn changed(unit: &Unit, s: &Stmt) -> Vec<VarId> {
    let mut found = sharing::changed(s);
    found.retain(|v| sharing::declared_outside(unit, *v, s));
    found
}

/// A variable as the entry of a clause.
fn section(unit: &Unit, v: VarId, s: &Stmt) -> Section {
    let var = unit.var(v);
    let expr = Expr {
        kind: ExprKind::Var(v),
        ty: var.ty.clone(),
        span: s.span,
    };
    Section {
        base: Arg {
            text: var.name.clone(),
            span: s.span,
            expr: Some(expr),
        },
        dims: Vec::new(),
        span: s.span,
        modifiers: Vec::new(),
    }
}
