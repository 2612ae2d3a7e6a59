//! The loops that `collapse` and `tile` are about, and ways out of loops that are shared out
//! (2.9, 2.9.1, 2.9.8).

use rustc_hash::FxHashSet;

use super::Rules;
use crate::directive::{ClauseKind, Directive};
use crate::hir::{Expr, ExprKind, Span, Stmt, StmtKind, VarId};
use crate::lower::walk;

impl<'u> Rules<'u> {
    pub(super) fn nest(&mut self, d: &Directive, s: &'u Stmt) {
        for c in &d.clauses {
            if let ClauseKind::Tile(sizes) = &c.kind {
                self.tiled(s, sizes.len(), c.span);
            }
        }
        let in_order = |k: &ClauseKind| matches!(k, ClauseKind::Seq | ClauseKind::Auto);
        if !d.clauses.iter().any(|c| in_order(&c.kind)) {
            self.ways_out(d, s);
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
                walk::exprs(init, &mut |e| walk::expr(e, &mut look));
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

    /// Jumps out of a loop whose number of iterations has to be known when it begins.
    fn ways_out(&mut self, d: &Directive, s: &Stmt) {
        let StmtKind::For { body, .. } = &s.kind else {
            return;
        };
        let mut labels = Vec::new();
        walk::stmts(body, &mut |s| {
            if let StmtKind::Label(name, _) = &s.kind {
                labels.push(name.as_str());
            }
        });
        let mut found = Vec::new();
        jumps(body, true, &labels, &mut found);
        for (at, what) in found {
            let message = format!(
                "`{what}` leaves a loop whose directive shares out its iterations; that is for \
                 loops with `seq`"
            );
            let note = "the directive is here".to_owned();
            self.error_with(at, message, Some((d.span, note)));
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

/// Jumps out of the body of a loop. A `break` in it is the loop's own if `own`.
fn jumps(s: &Stmt, own: bool, labels: &[&str], found: &mut Vec<(Span, String)>) {
    let what = match &s.kind {
        StmtKind::Break if own => Some("break".to_owned()),
        StmtKind::Return(_) => Some("return".to_owned()),
        StmtKind::Goto(label) if !labels.contains(&label.as_str()) => Some(format!("goto {label}")),
        _ => None,
    };
    found.extend(what.map(|w| (s.span, w)));
    let own = own
        && !matches!(
            s.kind,
            StmtKind::For { .. }
                | StmtKind::While { .. }
                | StmtKind::DoWhile { .. }
                | StmtKind::Switch { .. }
        );
    walk::children(s, &mut |c| jumps(c, own, labels, found));
}
