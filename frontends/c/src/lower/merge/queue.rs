//! Constructs that are handed to a queue.
//!
//! `async(q)` on each of them is `async(q)` on the region: a queue does its work in order.
//! The host must not need anything of it, though, which a reduction would be.

use super::super::gangs::counter;
use super::super::{implied, walk};
use super::{Construct, clause, data, scalars};
use crate::directive::{Arg, Clause, ClauseKind, Compute};
use crate::hir::{Stmt, StmtKind, Unit};

/// The region's `async` clause, if its constructs have one; `None` where they differ.
pub fn of(unit: &Unit, run: &[Stmt], constructs: &[Construct]) -> Option<Option<Clause>> {
    let queues: Vec<Option<&Option<Arg>>> = constructs.iter().map(|c| queue(unit, c)).collect();
    let first = *queues.first()?;
    if queues.iter().any(|q| text(*q) != text(first)) {
        return None;
    }
    let Some(queue) = first else {
        return Some(None);
    };
    let fixed = queue.iter().all(|q| data::is_fixed(unit, run, q));
    let mut goes_on = true;
    for c in constructs {
        let clauses = c
            .stmt
            .directives
            .iter()
            .flat_map(|d| &unit.directive(*d).clauses);
        let reduces = |k: &Clause| matches!(k.kind, ClauseKind::Reduction { .. });
        goes_on &= !clauses.into_iter().any(reduces);
        goes_on &= implied::reductions(unit, c.stmt).is_empty() && !gives_scalars(unit, c);
    }
    let span = run.first()?.span;
    (fixed && goes_on).then(|| Some(clause(ClauseKind::Async(queue.clone()), span)))
}

/// Whether a `kernels` construct gives the program's scalars values, other than its counters.
fn gives_scalars(unit: &Unit, c: &Construct) -> bool {
    let mut counters = Vec::new();
    walk::stmts(c.stmt, &mut |s| {
        if let StmtKind::For { init, .. } = &s.kind {
            counters.extend(counter(init.as_deref()));
        }
    });
    let all = scalars::changed(unit, c.stmt);
    c.construct == Compute::Kernels && !all.iter().all(|v| counters.contains(v))
}

/// The argument of the construct's clause.
fn queue<'u>(unit: &'u Unit, c: &Construct) -> Option<&'u Option<Arg>> {
    let mut clauses = unit.directive(c.id).clauses.iter();
    clauses.find_map(|k| match &k.kind {
        ClauseKind::Async(queue) => Some(queue),
        _ => None,
    })
}

fn text(queue: Option<&Option<Arg>>) -> Option<Option<&str>> {
    queue.map(|q| q.as_ref().map(|a| a.text.trim()))
}
