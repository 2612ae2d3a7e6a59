//! The expressions of a statement, and the parts of an expression.

use terrace_c::hir::{Arm, Expr, ExprKind, Init, Stmt, StmtKind, VarId};

/// The expressions directly in a statement, not those of statements in it, in order.
pub fn heads(s: &Stmt) -> Vec<&Expr> {
    match &s.kind {
        StmtKind::Expr(e) | StmtKind::Return(Some(e)) => vec![e],
        StmtKind::If { cond, .. }
        | StmtKind::While { cond, .. }
        | StmtKind::DoWhile { cond, .. }
        | StmtKind::Switch { value: cond, .. } => vec![cond],
        StmtKind::For { cond, step, .. } => cond.iter().chain(step).collect(),
        StmtKind::Decl(vars) => {
            let mut out = Vec::new();
            for init in vars.iter().filter_map(|(_, init)| init.as_ref()) {
                initial(init, &mut out);
            }
            out
        }
        _ => Vec::new(),
    }
}

fn initial<'a>(init: &'a Init, out: &mut Vec<&'a Expr>) {
    match init {
        Init::Expr(e) => out.push(e),
        Init::List(list) => {
            for (_, init) in list {
                initial(init, out);
            }
        }
    }
}

/// The statements directly in a statement, in order of the text.
pub fn children(s: &Stmt) -> Vec<&Stmt> {
    match &s.kind {
        StmtKind::Block(list) => list.iter().collect(),
        StmtKind::If {
            then, otherwise, ..
        } => std::iter::once(&**then)
            .chain(otherwise.as_deref())
            .collect(),
        StmtKind::For { init, body, .. } => {
            init.as_deref().into_iter().chain(Some(&**body)).collect()
        }
        StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. } => vec![body],
        StmtKind::Switch { arms, .. } => arms.iter().flat_map(|a: &Arm| &a.body).collect(),
        StmtKind::Label(_, s) => vec![s],
        StmtKind::Empty
        | StmtKind::Expr(_)
        | StmtKind::Decl(_)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Return(_)
        | StmtKind::Goto(_)
        | StmtKind::Directive(_)
        | StmtKind::Unsupported(_) => Vec::new(),
    }
}

/// The expressions directly in an expression, in order.
pub fn parts(e: &Expr) -> Vec<&Expr> {
    match &e.kind {
        ExprKind::Index { base, index } => vec![base, index],
        ExprKind::Deref(x)
        | ExprKind::Member { base: x, .. }
        | ExprKind::AddressOf(x)
        | ExprKind::Decay(x)
        | ExprKind::Cast(x)
        | ExprKind::Neg(x)
        | ExprKind::BitNot(x)
        | ExprKind::Not(x)
        | ExprKind::IncDec { target: x, .. } => vec![x],
        ExprKind::Binary { lhs, rhs, .. }
        | ExprKind::PointerDiff { lhs, rhs }
        | ExprKind::Logical { lhs, rhs, .. }
        | ExprKind::Comma(lhs, rhs) => vec![lhs, rhs],
        ExprKind::PointerAdd {
            pointer, offset, ..
        } => vec![pointer, offset],
        ExprKind::Conditional {
            cond,
            then,
            otherwise,
        } => vec![cond, then, otherwise],
        ExprKind::Assign { target, value } | ExprKind::CompoundAssign { target, value, .. } => {
            vec![target, value]
        }
        ExprKind::Call { args, .. } => args.iter().collect(),
        ExprKind::Compound { init, .. } => {
            let mut out = Vec::new();
            initial(init, &mut out);
            out
        }
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Str(_)
        | ExprKind::Var(_)
        | ExprKind::Function(_)
        | ExprKind::Unsupported(_) => Vec::new(),
    }
}

/// Every expression of a statement and of what is in it, with their parts.
pub fn expressions<'a>(s: &'a Stmt, mut f: impl FnMut(&'a Expr)) {
    let mut statements = vec![s];
    while let Some(s) = statements.pop() {
        let mut stack = heads(s);
        while let Some(e) = stack.pop() {
            f(e);
            stack.extend(parts(e));
        }
        statements.extend(children(s));
    }
}

/// The variables that a statement and those in it declare.
pub fn declared(s: &Stmt, out: &mut Vec<VarId>) {
    if let StmtKind::Decl(vars) = &s.kind {
        out.extend(vars.iter().map(|(v, _)| *v));
    }
    for child in children(s) {
        declared(child, out);
    }
}

/// What an expression itself changes, or takes the address of, so that others may.
pub fn changed(e: &Expr) -> Option<&Expr> {
    match &e.kind {
        ExprKind::Assign { target, .. }
        | ExprKind::CompoundAssign { target, .. }
        | ExprKind::IncDec { target, .. }
        | ExprKind::AddressOf(target) => Some(target),
        _ => None,
    }
}
