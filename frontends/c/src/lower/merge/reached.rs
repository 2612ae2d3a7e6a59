//! Clauses of constructs that the host may not come to.
//!
//! A construct in a loop of the host does nothing where the loop does not go round: its arrays
//! may not even be there. Of a loop that is all of the region this is an `if` clause, whose
//! condition is the loop's own before its first iteration; where it does not hold the host
//! runs the loop, which does nothing.

use super::{Construct, clause};
use crate::directive::{Arg, Clause, ClauseKind};
use crate::hir::{ExprKind, Span, Stmt, StmtKind, Unit};

/// The region's `if` clause, where it needs one; `None` where no condition would do. What has
/// no clauses is copied as far as it is touched, which is nothing then.
pub fn of(unit: &Unit, run: &[Stmt], constructs: &[Construct]) -> Option<Option<Clause>> {
    let named = |c: &&Construct| {
        let mut clauses = unit.directive(c.id).clauses.iter();
        clauses.any(|k| {
            matches!(
                k.kind,
                ClauseKind::Data { .. } | ClauseKind::Default { none: false }
            )
        })
    };
    let depths = constructs.iter().filter(named);
    let depths = depths.map(|c| run.iter().map(|s| loops_around(s, c.stmt)).max());
    match depths.flatten().max() {
        None | Some(0) => Some(None),
        Some(1) => match run {
            [one] => Some(Some(goes_round(unit, one)?)),
            _ => None,
        },
        Some(_) => None,
    }
}

/// How many loops of the host are around a statement in `s`.
fn loops_around(s: &Stmt, inner: &Stmt) -> usize {
    let is_around = |s: &Stmt| {
        let (a, b) = (s.span, inner.span);
        a.start <= b.start && b.end <= a.end && !std::ptr::eq(s, inner)
    };
    if !is_around(s) {
        return 0;
    }
    match &s.kind {
        StmtKind::For { body, .. } => 1 + loops_around(body, inner),
        StmtKind::Block(list) => list
            .iter()
            .map(|s| loops_around(s, inner))
            .max()
            .unwrap_or(0),
        _ => 0,
    }
}

/// `if(...)`: whether a loop has a first iteration.
fn goes_round(unit: &Unit, s: &Stmt) -> Option<Clause> {
    let StmtKind::For {
        init: Some(init),
        cond: Some(cond),
        ..
    } = &s.kind
    else {
        return None;
    };
    let text = |span: Span| {
        let text = unit.text(span).trim();
        // Line markers stand between lines.
        (!text.contains('#')).then(|| text.replace(['\n', '\r'], " "))
    };
    let condition = text(cond.span)?;
    let start = match &init.kind {
        StmtKind::Decl(_) => {
            let declared = text(init.span)?;
            format!("{};", declared.trim_end_matches(';'))
        }
        StmtKind::Expr(e) => {
            let ExprKind::Assign { target, value } = &e.kind else {
                return None;
            };
            let (name, value) = (text(target.span)?, text(value.span)?);
            let first = "__terrace_first";
            format!("__typeof__({name}) {first} = {value}; __typeof__({name}) {name} = {first};")
        }
        _ => return None,
    };
    let condition = Arg {
        text: format!("(__extension__ ({{ {start} {condition}; }}))"),
        span: cond.span,
        expr: None,
    };
    Some(clause(ClauseKind::If(condition), s.span))
}
