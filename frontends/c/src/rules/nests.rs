//! The loops that `tile` is about, and the heads of loops that are shared out (2.9, 2.9.8).

use rustc_hash::FxHashSet;

use super::Rules;
use crate::directive::{ClauseKind, Directive};
use crate::hir::{BinaryOp, Expr, ExprKind, Span, Stmt, StmtKind, VarId};
use crate::lower::walk;

impl<'u> Rules<'u> {
    pub(super) fn nest(&mut self, d: &Directive, s: &'u Stmt) {
        for c in &d.clauses {
            if let ClauseKind::Tile(sizes) = &c.kind {
                self.tiled(s, sizes.len(), c.span);
            }
        }
    }

    /// `n` loops directly inside one another, none of whose bounds changes with another.
    fn tiled(&mut self, s: &'u Stmt, n: usize, clause: Span) {
        let mut counters = FxHashSet::default();
        let mut at = s;
        for depth in 1..=n {
            let StmtKind::For {
                init,
                cond,
                step,
                body,
            } = &at.kind
            else {
                return;
            };
            let mut own = Vec::new();
            counter(init.as_deref(), step.as_ref(), &mut own);
            let mut used = None;
            let mut look = |e: &Expr| {
                if let ExprKind::Var(v) = e.kind
                    && counters.contains(&v)
                {
                    used = used.or(Some((v, e.span)));
                }
            };
            if let Some(init) = init {
                walk::exprs(init, &mut look);
            }
            for e in cond.iter().chain(step) {
                walk::expr(e, &mut look);
            }
            if let Some((v, used)) = used {
                let name = self.unit.var(v).name.clone();
                let message = format!(
                    "this loop has another number of iterations for each `{name}`, and `tile` cuts \
                     both: its loops are the sides of a rectangle"
                );
                let note = "`tile` is here".to_owned();
                self.error_with(used, message, Some((clause, note)));
                return;
            }
            counters.extend(own);
            if depth == n {
                return;
            }
            match only(body) {
                Ok(next) => at = next,
                Err(between) => {
                    let message = format!(
                        "`tile` is about {n} loops directly inside one another, and here is the \
                         body of loop {depth}"
                    );
                    let note = "`tile` is here".to_owned();
                    self.error_with(between, message, Some((clause, note)));
                    return;
                }
            }
        }
    }

    /// A loop whose iterations are shared out is counted before it begins (2.9).
    pub(super) fn head(&mut self, d: &Directive, s: &Stmt) {
        let StmtKind::For {
            init, step, body, ..
        } = &s.kind
        else {
            return;
        };
        if in_order(d) {
            return;
        }
        let mut counters = Vec::new();
        counter(init.as_deref(), step.as_ref(), &mut counters);
        let note = |at: Span| Some((at, "the directive is here".to_owned()));
        if let Some(v) = counters.iter().find(|v| self.unit.var(**v).ty.is_float()) {
            let name = self.unit.var(*v).name.clone();
            let message = format!(
                "`{name}` counts a loop whose iterations are shared out, and is no integer and no \
                 pointer"
            );
            self.error_with(s.span, message, note(d.span));
        } else if let Some(e) = step.as_ref().filter(|e| scales(e)) {
            let message = "a loop whose iterations are shared out goes on by the same number each \
                           time; others need `seq`";
            self.error_with(e.span, message, note(d.span));
        } else if let Some(at) = changed(body, &stepped(step.as_ref())) {
            let message = "the counter of a loop whose iterations are shared out changes in the \
                           loop's head only";
            self.error_with(at, message, note(d.span));
        }
    }
}

/// The variables that a loop's head declares or steps.
fn counter(init: Option<&Stmt>, step: Option<&Expr>, found: &mut Vec<VarId>) {
    if let Some(StmtKind::Decl(vars)) = init.map(|i| &i.kind) {
        found.extend(vars.iter().map(|(v, _)| *v));
    }
    if let Some(step) = step {
        walk::expr(step, &mut |e| {
            if let ExprKind::Assign { target, .. }
            | ExprKind::CompoundAssign { target, .. }
            | ExprKind::IncDec { target, .. } = &e.kind
                && let ExprKind::Var(v) = target.kind
            {
                found.push(v);
            }
        });
    }
}

/// The loop that is all there is in a statement, or where something else is.
fn only(s: &Stmt) -> Result<&Stmt, Span> {
    match &s.kind {
        StmtKind::For { .. } => Ok(s),
        StmtKind::Block(list) => {
            let mut real = list.iter().filter(|s| !matches!(s.kind, StmtKind::Empty));
            match (real.next(), real.next()) {
                (Some(one), None) => only(one),
                (Some(one), Some(two)) => match &one.kind {
                    StmtKind::For { .. } => Err(two.span),
                    _ => Err(one.span),
                },
                (None, _) => Err(s.span),
            }
        }
        _ => Err(s.span),
    }
}

/// Whether a directive leaves the order of iterations alone, or leaves it to the analysis.
pub(super) fn in_order(d: &Directive) -> bool {
    let in_order = |k: &ClauseKind| matches!(k, ClauseKind::Seq | ClauseKind::Auto);
    d.clauses.iter().any(|c| in_order(&c.kind))
}

/// The variables that the head of a loop steps.
fn stepped(step: Option<&Expr>) -> Vec<VarId> {
    let mut found = Vec::new();
    counter(None, step, &mut found);
    found
}

/// Whether a step multiplies, divides or shifts what it changes.
fn scales(step: &Expr) -> bool {
    use BinaryOp as Op;
    let scaling = |op: BinaryOp| matches!(op, Op::Mul | Op::Div | Op::Rem | Op::Shl | Op::Shr);
    match &step.kind {
        ExprKind::CompoundAssign { op, .. } => scaling(*op),
        ExprKind::Assign { target, value } => {
            let mut value = &**value;
            while let ExprKind::Cast(v) = &value.kind {
                value = v;
            }
            let ExprKind::Binary { op, lhs, rhs } = &value.kind else {
                return false;
            };
            let mut own = false;
            for side in [lhs, rhs] {
                walk::expr(side, &mut |e| own |= e.kind == target.kind);
            }
            own && scaling(*op)
        }
        _ => false,
    }
}

/// Where one of these variables gets another value.
fn changed(body: &Stmt, vars: &[VarId]) -> Option<Span> {
    let mut found = None;
    walk::exprs(body, &mut |e| {
        if let ExprKind::Assign { target, .. }
        | ExprKind::CompoundAssign { target, .. }
        | ExprKind::IncDec { target, .. } = &e.kind
            && let ExprKind::Var(v) = target.kind
            && vars.contains(&v)
        {
            found = found.or(Some(e.span));
        }
    });
    found
}
