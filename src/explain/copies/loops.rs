//! Loops of the host.

use terrace_c::hir::{BinaryOp, Expr, ExprKind, Init, Span, Stmt, StmtKind, Unit, VarId};

use crate::c::visit;
use crate::c::visit::children;
use crate::explain;

/// A loop, and how often its body runs.
pub struct Loop {
    pub span: Span,
    /// The counter; empty if there is none.
    pub variable: String,
    /// Where that is constant.
    pub trips: Option<u64>,
}

impl Loop {
    pub fn of(unit: &Unit, s: &Stmt) -> Option<Loop> {
        let is_loop = matches!(
            s.kind,
            StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. }
        );
        is_loop.then(|| Loop {
            span: s.span,
            variable: explain::counter(unit, s),
            trips: trips(s),
        })
    }
}

/// What of a loop runs in each iteration.
pub fn repeated(s: &Stmt) -> Vec<&Stmt> {
    match &s.kind {
        StmtKind::For { body, .. }
        | StmtKind::While { body, .. }
        | StmtKind::DoWhile { body, .. } => vec![body],
        _ => Vec::new(),
    }
}

/// The expressions of its head that do.
pub fn conditions(s: &Stmt) -> Vec<&Expr> {
    match &s.kind {
        StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } => visit::heads(s),
        _ => Vec::new(),
    }
}

/// The first `return` in a statement.
pub fn return_in(s: &Stmt) -> Option<Span> {
    match s.kind {
        StmtKind::Return(_) => Some(s.span),
        _ => children(s).into_iter().find_map(return_in),
    }
}

fn plain(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Cast(inner) => plain(inner),
        _ => e,
    }
}

fn constant(e: &Expr) -> Option<i128> {
    match &plain(e).kind {
        ExprKind::Int(n) => Some(*n),
        ExprKind::Neg(x) => constant(x)?.checked_neg(),
        ExprKind::Binary { op, lhs, rhs } => {
            let (a, b) = (constant(lhs)?, constant(rhs)?);
            match op {
                BinaryOp::Add => a.checked_add(b),
                BinaryOp::Sub => a.checked_sub(b),
                BinaryOp::Mul => a.checked_mul(b),
                BinaryOp::Div => a.checked_div(b),
                _ => None,
            }
        }
        _ => None,
    }
}

fn variable(e: &Expr) -> Option<VarId> {
    match &plain(e).kind {
        ExprKind::Var(v) => Some(*v),
        _ => None,
    }
}

/// How often the body of a `for` runs that goes from one constant to another and is not
/// left on the way.
fn trips(s: &Stmt) -> Option<u64> {
    let StmtKind::For {
        init: Some(init),
        cond: Some(cond),
        step: Some(step),
        body,
    } = &s.kind
    else {
        return None;
    };
    let (v, from) = match &init.kind {
        StmtKind::Decl(vars) => match &vars[..] {
            [(v, Some(Init::Expr(e)))] => (*v, constant(e)?),
            _ => return None,
        },
        StmtKind::Expr(e) => match &e.kind {
            ExprKind::Assign { target, value } => (variable(target)?, constant(value)?),
            _ => return None,
        },
        _ => return None,
    };
    let by = match &step.kind {
        ExprKind::IncDec {
            increment, target, ..
        } if variable(target) == Some(v) => {
            if *increment {
                1
            } else {
                -1
            }
        }
        ExprKind::CompoundAssign {
            op, target, value, ..
        } if variable(target) == Some(v) => match op {
            BinaryOp::Add => constant(value)?,
            BinaryOp::Sub => constant(value)?.checked_neg()?,
            _ => return None,
        },
        _ => return None,
    };
    let ExprKind::Binary { op, lhs, rhs } = &cond.kind else {
        return None;
    };
    let (op, to) = match (variable(lhs) == Some(v), variable(rhs) == Some(v)) {
        (true, false) => (*op, constant(rhs)?),
        (false, true) => (turned(*op)?, constant(lhs)?),
        _ => return None,
    };
    if changes(body, v) || left(body, true) {
        return None;
    }
    let length = match (op, by > 0) {
        (BinaryOp::Lt, true) => to.checked_sub(from)?,
        (BinaryOp::Le, true) => to.checked_sub(from)?.checked_add(1)?,
        (BinaryOp::Gt, false) => from.checked_sub(to)?,
        (BinaryOp::Ge, false) => from.checked_sub(to)?.checked_add(1)?,
        (BinaryOp::Ne, _) if by.abs() == 1 && (to - from) * by >= 0 => (to - from).abs(),
        _ => return None,
    };
    let by = by.checked_abs()?;
    u64::try_from((length.max(0) + by - 1) / by).ok()
}

fn turned(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        BinaryOp::Ne => BinaryOp::Ne,
        _ => return None,
    })
}

/// Whether a statement gives a variable a value.
pub fn changes(s: &Stmt, v: VarId) -> bool {
    let mut found = false;
    visit::expressions(s, |e| match &e.kind {
        ExprKind::Assign { target, .. }
        | ExprKind::CompoundAssign { target, .. }
        | ExprKind::IncDec { target, .. } => found |= variable(target) == Some(v),
        ExprKind::AddressOf(x) => found |= variable(x) == Some(v),
        _ => {}
    });
    found
}

/// Whether the body of a loop may be left before its end.
fn left(s: &Stmt, own: bool) -> bool {
    match &s.kind {
        StmtKind::Return(_) | StmtKind::Goto(_) | StmtKind::Unsupported(_) => true,
        StmtKind::Break => own,
        StmtKind::For { .. }
        | StmtKind::While { .. }
        | StmtKind::DoWhile { .. }
        | StmtKind::Switch { .. } => children(s).into_iter().any(|c| left(c, false)),
        _ => children(s).into_iter().any(|c| left(c, own)),
    }
}
