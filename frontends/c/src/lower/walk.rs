//! Walks over statements and expressions, and what they change.

use rustc_hash::FxHashSet;

use crate::hir::{Expr, ExprKind, Init, Stmt, StmtKind, Unit, VarId};
use crate::types::Type;

/// Calls `f` on every expression of a statement, outer ones first.
pub fn exprs<'h>(s: &'h Stmt, f: &mut dyn FnMut(&'h Expr)) {
    stmts(s, &mut |s| own_exprs(s, f));
}

/// Calls `f` on every expression of a statement that is in no statement inside it.
pub fn own_exprs<'h>(s: &'h Stmt, f: &mut dyn FnMut(&'h Expr)) {
    match &s.kind {
        StmtKind::Expr(e)
        | StmtKind::Return(Some(e))
        | StmtKind::If { cond: e, .. }
        | StmtKind::While { cond: e, .. }
        | StmtKind::DoWhile { cond: e, .. }
        | StmtKind::Switch { value: e, .. } => expr(e, f),
        StmtKind::For { cond, step, .. } => {
            for e in cond.iter().chain(step) {
                expr(e, f);
            }
        }
        StmtKind::Decl(list) => {
            for i in list.iter().filter_map(|d| d.1.as_ref()) {
                init_parts(i, &mut |e| expr(e, f));
            }
        }
        _ => {}
    }
}

/// Calls `f` on the expressions of an initialiser.
fn init_parts<'h>(i: &'h Init, f: &mut dyn FnMut(&'h Expr)) {
    match i {
        Init::Expr(e) => f(e),
        Init::List(l) => l.iter().for_each(|(_, i)| init_parts(i, f)),
    }
}

/// Calls `f` on an expression and all in it.
pub fn expr<'h>(e: &'h Expr, f: &mut dyn FnMut(&'h Expr)) {
    f(e);
    each_child(e, &mut |c| expr(c, f));
}

/// Calls `f` on what an expression is made of directly.
pub fn each_child<'h>(e: &'h Expr, f: &mut dyn FnMut(&'h Expr)) {
    use ExprKind as K;
    match &e.kind {
        K::Int(_) | K::Float(_) | K::Str(_) | K::Var(_) | K::Function(_) | K::Unsupported(_) => {}
        K::Index { base: a, index: b }
        | K::Binary { lhs: a, rhs: b, .. }
        | K::PointerAdd {
            pointer: a,
            offset: b,
            ..
        }
        | K::PointerDiff { lhs: a, rhs: b }
        | K::Logical { lhs: a, rhs: b, .. }
        | K::Assign {
            target: a,
            value: b,
        }
        | K::CompoundAssign {
            target: a,
            value: b,
            ..
        }
        | K::Comma(a, b) => {
            f(a);
            f(b);
        }
        K::Deref(a)
        | K::Member { base: a, .. }
        | K::AddressOf(a)
        | K::Decay(a)
        | K::Cast(a)
        | K::Neg(a)
        | K::BitNot(a)
        | K::Not(a)
        | K::IncDec { target: a, .. } => f(a),
        K::Conditional {
            cond,
            then,
            otherwise,
        } => {
            f(cond);
            f(then);
            f(otherwise);
        }
        K::Call { args, .. } => args.iter().for_each(f),
        K::Compound { init, .. } => init_parts(init, f),
    }
}

/// Calls `f` on a statement and all in it, outer ones first.
pub fn stmts<'h>(s: &'h Stmt, f: &mut dyn FnMut(&'h Stmt)) {
    f(s);
    children(s, &mut |c| stmts(c, f));
}

/// Calls `f` on the statements that one is made of directly.
pub fn children<'h>(s: &'h Stmt, f: &mut dyn FnMut(&'h Stmt)) {
    match &s.kind {
        StmtKind::Block(list) => list.iter().for_each(f),
        StmtKind::If {
            then, otherwise, ..
        } => {
            f(then);
            if let Some(o) = otherwise {
                f(o);
            }
        }
        StmtKind::For { init, body, .. } => {
            if let Some(i) = init {
                f(i);
            }
            f(body);
        }
        StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. } => f(body),
        StmtKind::Label(_, s) => f(s),
        StmtKind::Switch { arms, .. } => {
            for a in arms {
                a.body.iter().for_each(&mut *f);
            }
        }
        _ => {}
    }
}

/// What code may change, the functions it calls included.
#[derive(Debug, Default)]
pub struct Changes {
    pub vars: FxHashSet<VarId>,
    /// Fields, as record and number, of any record.
    pub fields: FxHashSet<(usize, usize)>,
    /// Records that are assigned as a whole.
    pub records: FxHashSet<usize>,
    /// Types of elements of memory that is stored to.
    pub stored: Vec<Type>,
    /// Arrays that elements of this type are stored to by the array's own name.
    pub in_arrays: Vec<(Type, VarId)>,
    /// Functions without a body are called, which may change any memory.
    pub calls: bool,
    /// Of a loop with steps: the variables that its body changes.
    pub body: FxHashSet<VarId>,
    functions: FxHashSet<String>,
}

impl Changes {
    pub fn of_stmt(unit: &Unit, s: &Stmt) -> Changes {
        let mut c = Changes::default();
        c.stmt(unit, s);
        c
    }

    pub fn stmt(&mut self, unit: &Unit, s: &Stmt) {
        let mut all = Vec::new();
        exprs(s, &mut |e| all.push(e));
        for e in all {
            self.one(unit, e);
        }
    }

    pub fn expr(&mut self, unit: &Unit, e: &Expr) {
        let mut all = Vec::new();
        expr(e, &mut |e| all.push(e));
        for e in all {
            self.one(unit, e);
        }
    }

    fn one(&mut self, unit: &Unit, e: &Expr) {
        match &e.kind {
            ExprKind::Assign { target, .. }
            | ExprKind::CompoundAssign { target, .. }
            | ExprKind::IncDec { target, .. } => {
                if let Type::Record(r) = target.ty {
                    self.records.insert(r);
                }
                self.target(unit, target);
            }
            // What is done through the address is done to the variable, wherever that is. Of
            // elements behind a pointer it is found where it is done.
            ExprKind::AddressOf(of)
                if !matches!(of.kind, ExprKind::Index { .. } | ExprKind::Deref(_)) =>
            {
                self.target(unit, of);
            }
            ExprKind::Call { function, args } => match unit.function(function) {
                Some(f) => {
                    if self.functions.insert(function.clone()) {
                        self.stmt(unit, &f.body);
                    }
                }
                None => {
                    self.calls |= !super::math::is_total(function);
                    if super::memory::function(unit, function).is_some() {
                        // Through a pointer, whatever it leads to.
                        let of = args.first().and_then(super::memory::elements);
                        self.stored.push(of.cloned().unwrap_or(Type::Void));
                    }
                }
            },
            ExprKind::Unsupported(_) => self.calls = true,
            _ => {}
        }
    }

    fn target(&mut self, unit: &Unit, e: &Expr) {
        match &e.kind {
            ExprKind::Var(v) => {
                self.vars.insert(*v);
            }
            ExprKind::Member { base, field } => {
                if let Type::Record(r) = base.ty {
                    self.fields.insert((r, *field));
                }
                self.stored.push(e.ty.clone());
                self.target(unit, base);
            }
            ExprKind::Cast(a) | ExprKind::Comma(_, a) => self.target(unit, a),
            ExprKind::Index { .. } | ExprKind::Deref(_) => match array_of(unit, e) {
                Some(array) => self.in_arrays.push((e.ty.clone(), array)),
                None => self.stored.push(e.ty.clone()),
            },
            _ => {}
        }
    }

    /// Whether an object of this variable, at these fields, may change.
    pub fn changes(&self, root: Option<VarId>, path: &[(usize, usize)]) -> bool {
        root.is_some_and(|v| self.vars.contains(&v))
            || path
                .iter()
                .any(|p| self.fields.contains(p) || self.records.contains(&p.0))
    }
}

/// The array, a variable, that `e` names an element of.
pub fn array_of(unit: &Unit, e: &Expr) -> Option<VarId> {
    match &e.kind {
        ExprKind::Index { base, .. } => array_of(unit, base),
        ExprKind::Decay(a) => array_of(unit, a),
        ExprKind::Var(v) => matches!(unit.var(*v).ty, Type::Array(_)).then_some(*v),
        _ => None,
    }
}

/// Whether control never comes out at the end of a statement.
pub fn always_leaves(s: &Stmt) -> bool {
    match &s.kind {
        StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) => true,
        StmtKind::Block(l) => l.iter().any(always_leaves),
        StmtKind::Label(_, s) => always_leaves(s),
        StmtKind::If {
            then,
            otherwise: Some(o),
            ..
        } => always_leaves(then) && always_leaves(o),
        _ => false,
    }
}
