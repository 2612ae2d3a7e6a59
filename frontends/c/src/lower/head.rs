//! What the heads of loops say: conditions, steps, and what is the body.
//!
//! A counter need not be in the head of a `for`. `while (i < n) { a[i] = 0; i++; }` counts, and so do
//! `for (i = n; i-- > 0;)`, `while (n--)` and `do { .. } while (++i < n)`. A [`Head`] has all of them in
//! one form.

use std::borrow::Cow;

use super::counters::target;
use super::shapes::{commas, mentions, uncast};
use super::walk;
use super::{Lowerer, sharing};
use crate::hir::{BinaryOp, Expr, ExprKind, Leaves, Stmt, StmtKind, VarId};
use crate::types::Type;

/// A loop: `while (cond) { body; steps; }`.
pub struct Head<'h> {
    pub init: Option<&'h Stmt>,
    pub cond: Cow<'h, Expr>,
    /// What the condition itself steps.
    pub own: Option<Own>,
    /// In their order; without the condition's own step.
    pub steps: Vec<Expr>,
    pub body: Cow<'h, Stmt>,
    /// The body runs in front of the first test.
    pub once: bool,
}

/// The step of a condition, as in `i-- > 0` and `--i >= 0`.
#[derive(Clone, Copy)]
pub struct Own {
    pub var: VarId,
    pub by: i64,
    /// The comparison is with what the variable was in front of the step.
    pub old: bool,
}

/// Whether a statement is a loop that looks as if it counted: a `for`, or one whose condition or
/// last statements step a variable that the condition looks at.
pub fn may_count(s: &Stmt) -> bool {
    let (cond, body) = match &s.kind {
        StmtKind::For { .. } => return true,
        StmtKind::While { cond, body } | StmtKind::DoWhile { body, cond } => (cond, body),
        _ => return false,
    };
    let mut steps = false;
    walk::expr(cond, &mut |e| {
        steps |= matches!(e.kind, ExprKind::IncDec { .. });
    });
    let statements = match &body.kind {
        StmtKind::Block(all) => all.as_slice(),
        _ => std::slice::from_ref(&**body),
    };
    for s in statements.iter().rev() {
        let StmtKind::Expr(e) = &s.kind else { break };
        let mut parts = Vec::new();
        commas(e, &mut parts);
        let targets: Option<Vec<VarId>> = parts.into_iter().map(target).collect();
        let Some(targets) = targets else { break };
        steps |= targets.into_iter().any(|v| mentions(cond, v));
    }
    steps
}

impl Lowerer<'_> {
    /// The head of a loop that has a condition.
    pub fn head<'h>(&self, s: &'h Stmt) -> Option<Head<'h>> {
        let (init, cond, step, body, once) = match &s.kind {
            StmtKind::For {
                init,
                cond: Some(cond),
                step,
                body,
            } => (init.as_deref(), cond, step.as_ref(), body, false),
            StmtKind::While { cond, body } => (None, cond, None, body, false),
            StmtKind::DoWhile { body, cond } => (None, cond, None, body, true),
            _ => return None,
        };
        let mut body = Cow::Borrowed(&**body);
        let steps = match step {
            Some(step) => steps_apart(step),
            None => match self.steps_at_end(&body) {
                Some((rest, steps)) => {
                    body = Cow::Owned(rest);
                    steps
                }
                None => Vec::new(),
            },
        };
        let (cond, own) = match self.own_step(cond) {
            Some((compared, own)) => (Cow::Owned(compared), Some(own)),
            None => (Cow::Borrowed(cond), None),
        };
        Some(Head {
            init,
            cond,
            own,
            steps,
            body,
            once,
        })
    }

    /// A body without the steps of variables of outside that it ends with, and these steps.
    fn steps_at_end(&self, body: &Stmt) -> Option<(Stmt, Vec<Expr>)> {
        let StmtKind::Block(all) = &body.kind else {
            return None;
        };
        // Where an iteration is cut short the step is not taken.
        if Leaves::of(body).any() {
            return None;
        }
        let is_step = |s: &&Stmt| match &s.kind {
            StmtKind::Expr(e) => {
                let mut parts = Vec::new();
                commas(e, &mut parts);
                parts.iter().all(|e| {
                    self.step_of(e)
                        .is_some_and(|(v, _)| sharing::declared_outside(self.unit, v, body))
                })
            }
            _ => false,
        };
        let n = all.iter().rev().take_while(is_step).count();
        let (rest, steps) = all.split_at(all.len() - n);
        let steps = steps.iter().flat_map(|s| match &s.kind {
            StmtKind::Expr(e) => steps_apart(e),
            _ => Vec::new(),
        });
        let rest = Stmt {
            kind: StmtKind::Block(rest.to_vec()),
            ..body.clone()
        };
        (n > 0).then(|| (rest, steps.collect()))
    }

    /// The condition without the step that it takes, as of `i-- > 0`, and the step.
    fn own_step(&self, cond: &Expr) -> Option<(Expr, Own)> {
        let step = |e: &Expr| {
            let ExprKind::IncDec { prefix, target, .. } = &uncast(e).kind else {
                return None;
            };
            let (var, by) = self.step_of(uncast(e))?;
            let own = Own {
                var,
                by,
                old: !prefix,
            };
            Some((with_innermost(e, target), own))
        };
        match &cond.kind {
            // `while (n--)`: while it is not zero.
            ExprKind::IncDec { .. } => {
                let (value, own) = step(cond)?;
                if !value.ty.is_integer() {
                    return None;
                }
                let zero = Expr {
                    kind: ExprKind::Int(0),
                    ..value.clone()
                };
                let compared = Expr {
                    kind: ExprKind::Binary {
                        op: BinaryOp::Ne,
                        lhs: Box::new(value),
                        rhs: Box::new(zero),
                    },
                    ty: Type::INT,
                    ..cond.clone()
                };
                Some((compared, own))
            }
            ExprKind::Binary { op, lhs, rhs } => {
                let (value, own) = step(lhs)?;
                let compared = Expr {
                    kind: ExprKind::Binary {
                        op: *op,
                        lhs: Box::new(value),
                        rhs: rhs.clone(),
                    },
                    ..cond.clone()
                };
                Some((compared, own))
            }
            ExprKind::Cast(_) if cond.ty.is_integer() => {
                let (compared, own) = self.own_step(uncast(cond))?;
                Some((compared, own))
            }
            _ => None,
        }
    }
}

/// The steps of `a, b, c` one by one. `j = i++` is two: `j = i` and `i++`, so that the counter is
/// seen; no more than that is taken apart.
fn steps_apart(step: &Expr) -> Vec<Expr> {
    let mut written = Vec::new();
    commas(step, &mut written);
    let mut out = Vec::new();
    for e in written {
        let ExprKind::Assign { target, value } = &e.kind else {
            out.push(e.clone());
            continue;
        };
        let (
            own,
            ExprKind::IncDec {
                prefix,
                target: counter,
                ..
            },
        ) = (target, &uncast(value).kind)
        else {
            out.push(e.clone());
            continue;
        };
        let (ExprKind::Var(to), ExprKind::Var(from)) = (&own.kind, &counter.kind) else {
            out.push(e.clone());
            continue;
        };
        // What the counter is, converted as the value of its step was.
        let read = with_innermost(value, counter);
        if to == from || counter.ty != uncast(value).ty {
            out.push(e.clone());
            continue;
        }
        let copy = Expr {
            kind: ExprKind::Assign {
                target: target.clone(),
                value: Box::new(read),
            },
            ..e.clone()
        };
        let counts = uncast(value).clone();
        out.extend(match prefix {
            true => [counts, copy],
            false => [copy, counts],
        });
    }
    out
}

/// The conversions of `e` around another expression.
fn with_innermost(e: &Expr, inner: &Expr) -> Expr {
    match &e.kind {
        ExprKind::Cast(a) => Expr {
            kind: ExprKind::Cast(Box::new(with_innermost(a, inner))),
            ..e.clone()
        },
        _ => inner.clone(),
    }
}
