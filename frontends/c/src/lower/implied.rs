//! Reductions that no clause names.
//!
//! Under `parallel` and `serial` each gang has its own copy of a scalar, whose value is
//! lost: `sum += a[i]` in a loop that is shared among them would compute nothing. Where
//! a variable is only ever updated so, compilers take it as a reduction, and programs
//! rely on that.

use super::shapes::{same, stripped};
use super::walk;
use crate::directive::{DirectiveKind, Reduction};
use crate::hir::{BinaryOp, Expr, ExprKind, Stmt, StmtKind, Unit, VarId};

/// The variables that loops under loop directives in `s` update by one operation each,
/// and that nothing in `s` uses otherwise.
pub fn reductions(unit: &Unit, s: &Stmt) -> Vec<(VarId, Reduction)> {
    updates(s, |s| is_shared(unit, s))
}

/// The variables that `s` only ever updates by one operation each, in loops that are
/// `shared`.
pub fn updates(s: &Stmt, shared: impl Fn(&Stmt) -> bool) -> Vec<(VarId, Reduction)> {
    let mut updated: Vec<VarId> = Vec::new();
    walk::exprs(s, &mut |e| {
        if let ExprKind::Assign { target, .. }
        | ExprKind::CompoundAssign { target, .. }
        | ExprKind::IncDec { target, .. } = &e.kind
            && let ExprKind::Var(v) = target.kind
            && target.ty.is_arithmetic()
            && !updated.contains(&v)
        {
            updated.push(v);
        }
    });
    let update_of = |v: VarId| {
        let mut found = ImpliedReduction {
            var: v,
            op: None,
            fits: true,
            is_shared: &shared,
        };
        found.stmt(s, false);
        found.op.filter(|_| found.fits).map(|op| (v, op))
    };
    updated.into_iter().filter_map(update_of).collect()
}

fn is_shared(unit: &Unit, s: &Stmt) -> bool {
    s.directives.iter().any(|d| {
        matches!(
            unit.directive(*d).kind,
            DirectiveKind::Loop | DirectiveKind::Compute { combined: true, .. }
        )
    })
}

/// What is found of one variable.
struct ImpliedReduction<'a> {
    var: VarId,
    op: Option<Reduction>,
    fits: bool,
    /// Whether a loop's iterations are shared out.
    is_shared: &'a dyn Fn(&Stmt) -> bool,
}

impl ImpliedReduction<'_> {
    /// `shared`: in a loop that a directive shares out.
    fn stmt(&mut self, s: &Stmt, shared: bool) {
        match &s.kind {
            StmtKind::Expr(e) => self.effect(e, shared),
            StmtKind::Block(list) => list.iter().for_each(|s| self.stmt(s, shared)),
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                if otherwise.is_none()
                    && let Some(op) = self.extreme_if(cond, then)
                {
                    return self.update(op, shared);
                }
                self.use_of(cond);
                self.stmt(then, shared);
                if let Some(o) = otherwise {
                    self.stmt(o, shared);
                }
            }
            StmtKind::For {
                init,
                cond,
                step,
                body,
            } => {
                if let Some(i) = init {
                    self.stmt(i, shared);
                }
                cond.iter().for_each(|e| self.use_of(e));
                let shared = shared || (self.is_shared)(s);
                step.iter().for_each(|e| self.effect(e, shared));
                self.stmt(body, shared);
            }
            StmtKind::While { cond, body } | StmtKind::DoWhile { cond, body } => {
                self.use_of(cond);
                self.stmt(body, shared);
            }
            StmtKind::Switch { value, arms } => {
                self.use_of(value);
                for s in arms.iter().flat_map(|a| &a.body) {
                    self.stmt(s, shared);
                }
            }
            StmtKind::Label(_, s) => self.stmt(s, shared),
            _ => walk::exprs(s, &mut |e| self.fits &= !self.is_var(e)),
        }
    }

    /// An expression of which the value is not used.
    fn effect(&mut self, e: &Expr, shared: bool) {
        if let ExprKind::Comma(a, b) = &e.kind {
            self.effect(a, shared);
            return self.effect(b, shared);
        }
        match self.updated_by(e) {
            Some(op) => self.update(op, shared),
            None => self.use_of(e),
        }
    }

    fn update(&mut self, op: Reduction, shared: bool) {
        self.fits &= shared && self.op.is_none_or(|o| o == op);
        self.op = Some(op);
    }

    fn use_of(&mut self, e: &Expr) {
        self.fits &= !self.mentions(e);
    }

    fn is_var(&self, e: &Expr) -> bool {
        matches!(e.kind, ExprKind::Var(v) if v == self.var)
    }

    fn mentions(&self, e: &Expr) -> bool {
        let mut found = false;
        walk::expr(e, &mut |e| found |= self.is_var(e));
        found
    }

    /// The operation by which an expression updates the variable.
    fn updated_by(&self, e: &Expr) -> Option<Reduction> {
        match &e.kind {
            ExprKind::IncDec { target, .. } if self.is_var(target) => Some(Reduction::Add),
            ExprKind::CompoundAssign {
                op, target, value, ..
            } if self.is_var(target) && !self.mentions(value) => of_binary(*op),
            ExprKind::Assign { target, value } if self.is_var(target) => self.next(value),
            _ => None,
        }
    }

    /// The operation of which the variable is one operand and `e` the result.
    fn next(&self, e: &Expr) -> Option<Reduction> {
        let is_var = |e: &Expr| self.is_var(stripped(e));
        let other = |a: &Expr, b: &Expr| (is_var(a) && !self.mentions(b)).then_some(());
        match &stripped(e).kind {
            ExprKind::Binary { op, lhs, rhs } => {
                let kind = of_binary(*op)?;
                let swapped = match op {
                    BinaryOp::Sub => None,
                    _ => other(rhs, lhs),
                };
                other(lhs, rhs).or(swapped).map(|()| kind)
            }
            ExprKind::Call { function, args } => {
                let [a, b] = &args[..] else { return None };
                other(a, b).or_else(|| other(b, a))?;
                match function.as_str() {
                    "fmax" | "fmaxf" => Some(Reduction::Max),
                    "fmin" | "fminf" => Some(Reduction::Min),
                    _ => None,
                }
            }
            ExprKind::Conditional {
                cond,
                then,
                otherwise,
            } => {
                let (then, otherwise) = (stripped(then), stripped(otherwise));
                match (self.is_var(then), self.is_var(otherwise)) {
                    (true, false) => self.picks(cond, otherwise, false),
                    (false, true) => self.picks(cond, then, true),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// `if (e > v) v = e;`
    fn extreme_if(&self, cond: &Expr, then: &Stmt) -> Option<Reduction> {
        let then = match &then.kind {
            StmtKind::Block(list) => match &list[..] {
                [one] => one,
                _ => return None,
            },
            _ => then,
        };
        let StmtKind::Expr(e) = &then.kind else {
            return None;
        };
        let ExprKind::Assign { target, value } = &e.kind else {
            return None;
        };
        match self.is_var(target) {
            true => self.picks(cond, stripped(value), true),
            false => None,
        }
    }

    /// Whether taking `new` where the condition is `taken`, and the variable else, is a
    /// maximum or a minimum.
    fn picks(&self, cond: &Expr, new: &Expr, taken: bool) -> Option<Reduction> {
        let ExprKind::Binary { op, lhs, rhs } = &stripped(cond).kind else {
            return None;
        };
        let (lhs, rhs) = (stripped(lhs), stripped(rhs));
        let new_is_left = match (self.is_var(lhs), self.is_var(rhs)) {
            (false, true) if same(lhs, new) => true,
            (true, false) if same(rhs, new) => false,
            _ => return None,
        };
        let left_greater = match op {
            BinaryOp::Gt | BinaryOp::Ge => true,
            BinaryOp::Lt | BinaryOp::Le => false,
            _ => return None,
        };
        if self.mentions(new) {
            return None;
        }
        match (new_is_left == left_greater) == taken {
            true => Some(Reduction::Max),
            false => Some(Reduction::Min),
        }
    }
}

fn of_binary(op: BinaryOp) -> Option<Reduction> {
    Some(match op {
        BinaryOp::Add | BinaryOp::Sub => Reduction::Add,
        BinaryOp::Mul => Reduction::Mul,
        BinaryOp::And => Reduction::BitAnd,
        BinaryOp::Or => Reduction::BitOr,
        BinaryOp::Xor => Reduction::BitXor,
        _ => return None,
    })
}
