//! Which local variables are read after a statement before they are written: by walking
//! the function's statements backwards, loops until nothing changes.
//!
//! A construct of OpenACC may write to a variable of its own where its text names one of
//! the host, so that nothing in it counts as the write that ends a variable's life. What
//! clauses name counts as read: data goes to the device, and comes back.

use rustc_hash::FxHashSet;

use super::walk;
use crate::directive::{Clause, ClauseKind, Compute, Dialect, DirectiveKind};
use crate::hir::{Arm, DirectiveId, Expr, ExprKind, Init, Stmt, StmtKind, Unit, VarId};

type Set = FxHashSet<VarId>;

/// The variables that `s` may read before it writes them; `None` if jumps or code that was
/// not understood leave that open.
pub fn live_before(unit: &Unit, s: &Stmt) -> Option<Set> {
    let mut l = Liveness::of(unit, s, s)?;
    Some(l.before(s, Set::default(), &Ways::default()))
}

/// The variables that may be read after `target`, which is in `body`; `None` if jumps
/// or code that was not understood leave that open.
pub fn live_after(unit: &Unit, body: &Stmt, target: &Stmt) -> Option<Set> {
    let mut l = Liveness::of(unit, body, target)?;
    l.before(body, Set::default(), &Ways::default());
    Some(l.found)
}

struct Liveness<'h> {
    unit: &'h Unit,
    target: &'h Stmt,
    found: Set,
}

/// What is live where `break` and `continue` go.
#[derive(Clone, Default)]
struct Ways {
    broken: Set,
    continued: Set,
}

impl<'h> Liveness<'h> {
    fn of(unit: &'h Unit, body: &Stmt, target: &'h Stmt) -> Option<Liveness<'h>> {
        let mut open = false;
        walk::stmts(body, &mut |s| {
            open |= matches!(
                s.kind,
                StmtKind::Goto(_) | StmtKind::Label(..) | StmtKind::Unsupported(_)
            );
        });
        walk::exprs(body, &mut |e| {
            open |= matches!(e.kind, ExprKind::Unsupported(_));
        });
        let found = Set::default();
        (!open).then_some(Liveness {
            unit,
            target,
            found,
        })
    }

    /// What is live before a statement and its directives, of what is live after it.
    fn before(&mut self, s: &Stmt, after: Set, ways: &Ways) -> Set {
        if std::ptr::eq(s, self.target) {
            self.found.extend(after.iter().copied());
        }
        let kept = s.directives.iter().any(|d| self.has_own_variables(*d));
        let kept = kept.then(|| after.clone());
        let mut live = self.inside(s, after, ways);
        live.extend(kept.into_iter().flatten());
        for d in &s.directives {
            self.named(*d, &mut live);
        }
        live
    }

    /// Whether a statement under the directive may write to variables of its own that have
    /// the names of the host's.
    fn has_own_variables(&self, d: DirectiveId) -> bool {
        let d = self.unit.directive(d);
        let as_written = match d.kind {
            DirectiveKind::Compute { construct, .. } => construct == Compute::Auto,
            _ => false,
        };
        !as_written && matches!(d.dialect, Dialect::OpenAcc | Dialect::Pgi)
    }

    /// Adds what a directive's clauses name, but what they make private, which is not read.
    fn named(&self, d: DirectiveId, live: &mut Set) {
        let private = |c: &&Clause| matches!(c.kind, ClauseKind::Private(_));
        let clauses = self.unit.directive(d).clauses.iter();
        for c in clauses.filter(|c| !private(c)) {
            c.each_expr(&mut |e| read(e, live));
        }
    }

    /// What is live before a statement without its directives.
    fn inside(&mut self, s: &Stmt, after: Set, ways: &Ways) -> Set {
        match &s.kind {
            StmtKind::Expr(e) => of_expr(e, after),
            StmtKind::Return(value) => match value {
                Some(e) => of_expr(e, Set::default()),
                None => Set::default(),
            },
            StmtKind::Block(list) => self.list(list, after, ways),
            StmtKind::Decl(list) => {
                let mut live = after;
                for (v, init) in list.iter().rev() {
                    live.remove(v);
                    if let Some(i) = init {
                        of_init(i, &mut live);
                    }
                }
                live
            }
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                let mut live = self.before(then, after.clone(), ways);
                live.extend(match otherwise {
                    Some(o) => self.before(o, after, ways),
                    None => after,
                });
                of_expr(cond, live)
            }
            StmtKind::For {
                init,
                cond,
                step,
                body,
            } => {
                let head = self.loop_head(cond.as_ref(), step.as_ref(), body, after);
                match init {
                    Some(i) => self.before(i, head, ways),
                    None => head,
                }
            }
            StmtKind::While { cond, body } => self.loop_head(Some(cond), None, body, after),
            StmtKind::DoWhile { body, cond } => self.fixed(after, |l, head, after| {
                let mut live = head;
                live.extend(after.iter().copied());
                let at_cond = of_expr(cond, live);
                l.body(body, at_cond, after)
            }),
            StmtKind::Switch { value, arms } => of_expr(value, self.arms(arms, after, ways)),
            StmtKind::Break => ways.broken.clone(),
            StmtKind::Continue => ways.continued.clone(),
            StmtKind::Directive(d) => {
                let mut live = after;
                self.named(*d, &mut live);
                live
            }
            StmtKind::Empty
            | StmtKind::Goto(_)
            | StmtKind::Label(..)
            | StmtKind::Unsupported(_) => after,
        }
    }

    /// What is live at the head of a loop that begins with its condition.
    fn loop_head(
        &mut self,
        cond: Option<&Expr>,
        step: Option<&Expr>,
        body: &Stmt,
        after: Set,
    ) -> Set {
        self.fixed(after, |l, head, after| {
            let at_step = match step {
                Some(e) => of_expr(e, head),
                None => head,
            };
            let mut live = l.body(body, at_step, after);
            live.extend(after.iter().copied());
            match cond {
                Some(c) => of_expr(c, live),
                None => live,
            }
        })
    }

    /// What is live before the body of a loop, of what is live where it goes on and after
    /// the loop.
    fn body(&mut self, body: &Stmt, next: Set, after: &Set) -> Set {
        let ways = Ways {
            broken: after.clone(),
            continued: next.clone(),
        };
        self.before(body, next, &ways)
    }

    /// What is live before any of the arms of a switch, or after it.
    fn arms(&mut self, arms: &[Arm], after: Set, ways: &Ways) -> Set {
        let inner = Ways {
            broken: after.clone(),
            continued: ways.continued.clone(),
        };
        let mut next = after.clone();
        let mut any = after;
        for arm in arms.iter().rev() {
            next = self.list(&arm.body, next, &inner);
            any.extend(next.iter().copied());
        }
        any
    }

    fn list(&mut self, list: &[Stmt], after: Set, ways: &Ways) -> Set {
        list.iter()
            .rev()
            .fold(after, |live, s| self.before(s, live, ways))
    }

    /// The least set at the head of a loop.
    fn fixed(&mut self, after: Set, mut step: impl FnMut(&mut Self, Set, &Set) -> Set) -> Set {
        let mut head = Set::default();
        loop {
            let mut next = step(self, head.clone(), &after);
            next.extend(head.iter().copied());
            if next.len() == head.len() {
                return head;
            }
            head = next;
        }
    }
}

/// What is live before an expression.
fn of_expr(e: &Expr, after: Set) -> Set {
    let mut live = after;
    kill(e, &mut live);
    read(e, &mut live);
    live
}

/// Variables that the expression surely assigns.
fn kill(e: &Expr, live: &mut Set) {
    match &e.kind {
        ExprKind::Assign { target, value } => {
            if let ExprKind::Var(v) = target.kind {
                live.remove(&v);
            }
            kill(value, live);
        }
        ExprKind::Comma(a, b) => {
            kill(a, live);
            kill(b, live);
        }
        ExprKind::Cast(a) => kill(a, live),
        _ => {}
    }
}

fn read(e: &Expr, live: &mut Set) {
    match &e.kind {
        ExprKind::Var(v) => {
            live.insert(*v);
        }
        ExprKind::Assign { target, value } => {
            if !matches!(target.kind, ExprKind::Var(_)) {
                read(target, live);
            }
            read(value, live);
        }
        _ => walk::each_child(e, &mut |c| read(c, live)),
    }
}

fn of_init(i: &Init, live: &mut Set) {
    match i {
        Init::Expr(e) => read(e, live),
        Init::List(l) => l.iter().for_each(|(_, i)| of_init(i, live)),
    }
}
