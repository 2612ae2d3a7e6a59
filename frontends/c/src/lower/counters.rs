//! The counters of the loops that a directive is about (OpenACC 3.1, 2.6.1).

use super::shapes::uncast;
use crate::directive::{Clause, ClauseKind, Directive, DirectiveKind};
use crate::hir::{BinaryOp, Expr, ExprKind, Stmt, StmtKind, VarId};

/// The counters of the loops that a directive is about, which are private to an
/// iteration, apart from those of `seq`: such a loop is one thread's, as without the
/// directive.
pub fn of_directive(d: &Directive, s: &Stmt) -> Vec<VarId> {
    with_starts(d, s).into_iter().map(|c| c.0).collect()
}

/// The counters, each with what its loop begins with.
pub fn with_starts<'h>(d: &Directive, s: &'h Stmt) -> Vec<(VarId, Option<&'h Expr>)> {
    let is_loop = matches!(
        d.kind,
        DirectiveKind::Loop | DirectiveKind::Compute { combined: true, .. }
    );
    let in_order = |c: &Clause| matches!(c.kind, ClauseKind::Seq | ClauseKind::Host(_));
    if !is_loop || d.clauses.iter().any(in_order) {
        return Vec::new();
    }
    let mut depth = 1;
    for c in &d.clauses {
        let loops = match &c.kind {
            ClauseKind::Collapse { count, .. } => {
                let n = count.expr.as_ref().map(|e| &e.kind);
                match n {
                    Some(ExprKind::Int(n)) => usize::try_from(*n).unwrap_or(1),
                    _ => count.text.trim().parse().unwrap_or(1),
                }
            }
            ClauseKind::Tile(sizes) => sizes.len(),
            _ => 1,
        };
        depth = depth.max(loops);
    }
    let mut found = Vec::new();
    let mut at = Some(s);
    while let (Some(s), true) = (at, found.len() < depth) {
        let StmtKind::For {
            init, step, body, ..
        } = &s.kind
        else {
            break;
        };
        let first = init.as_deref().and_then(|i| match &i.kind {
            StmtKind::Expr(e) => Some(e),
            _ => None,
        });
        let counter = step.as_ref().and_then(target).or_else(|| {
            let first = first?;
            target(first)
        });
        // One that the loop itself declares is nobody else's anyway.
        found.extend(counter.map(|v| (v, first)));
        at = first_loop(body);
    }
    found
}

/// The loop that a loop's body is, or begins with where `force` lets others stand there.
fn first_loop(body: &Stmt) -> Option<&Stmt> {
    match &body.kind {
        StmtKind::For { .. } => Some(body),
        StmtKind::Block(list) => list.iter().find_map(first_loop),
        _ => None,
    }
}

/// The variable that an expression assigns.
pub fn target(e: &Expr) -> Option<VarId> {
    match &e.kind {
        ExprKind::Assign { target, .. }
        | ExprKind::CompoundAssign { target, .. }
        | ExprKind::IncDec { target, .. } => match target.kind {
            ExprKind::Var(v) => Some(v),
            _ => None,
        },
        ExprKind::Comma(a, b) => target(a).or_else(|| target(b)),
        ExprKind::Cast(a) => target(a),
        _ => None,
    }
}

/// `i++`, `i -= 2`, `i = i + 3`: the variable and by how much it grows. `number` is the value of an
/// expression that is a constant.
pub fn step_of(e: &Expr, number: &dyn Fn(&Expr) -> Option<i64>) -> Option<(VarId, i64)> {
    let var = |e: &Expr| match e.kind {
        ExprKind::Var(v) => Some(v),
        _ => None,
    };
    match &e.kind {
        ExprKind::IncDec {
            increment, target, ..
        } => Some((var(target)?, if *increment { 1 } else { -1 })),
        ExprKind::CompoundAssign {
            op, target, value, ..
        } => {
            let n = number(value)?;
            match op {
                BinaryOp::Add => Some((var(target)?, n)),
                BinaryOp::Sub => Some((var(target)?, n.checked_neg()?)),
                _ => None,
            }
        }
        ExprKind::Assign { target, value } => {
            let v = var(target)?;
            if let ExprKind::PointerAdd {
                pointer,
                offset,
                subtract,
            } = &value.kind
            {
                let n = number(offset)?;
                let n = if *subtract { n.checked_neg()? } else { n };
                return (var(pointer) == Some(v)).then_some((v, n));
            }
            let ExprKind::Binary { op, lhs, rhs } = &uncast(value).kind else {
                return None;
            };
            match op {
                BinaryOp::Add if var(uncast(lhs)) == Some(v) => Some((v, number(rhs)?)),
                BinaryOp::Add if var(uncast(rhs)) == Some(v) => Some((v, number(lhs)?)),
                BinaryOp::Sub if var(uncast(lhs)) == Some(v) => {
                    Some((v, number(rhs)?.checked_neg()?))
                }
                _ => None,
            }
        }
        ExprKind::Cast(a) => step_of(a, number),
        _ => None,
    }
}
