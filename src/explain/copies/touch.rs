//! What code of the host does to the arrays of a function.

use std::collections::HashSet;

use terrace_c::hir::{Expr, ExprKind, Function, Init, Span, Stmt, StmtKind, Storage, Unit, VarId};
use terrace_c::types::Type;

use super::library;
use crate::c::visit;
use crate::c::visit::{children, parts};

/// An array: a variable and the members on the way to it. What a pointer points to goes
/// by the name of the pointer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    pub var: VarId,
    pub fields: Vec<usize>,
}

impl Array {
    /// The array that an lvalue or a pointer is of or in.
    pub fn of(e: &Expr) -> Option<Array> {
        let mut fields = Vec::new();
        let mut e = e;
        loop {
            e = match &e.kind {
                ExprKind::Var(var) => {
                    fields.reverse();
                    return Some(Array { var: *var, fields });
                }
                ExprKind::Member { base, field } => {
                    fields.push(*field);
                    base
                }
                // Fields behind a subscript are of the elements.
                ExprKind::Index { base, .. } => {
                    fields.clear();
                    base
                }
                ExprKind::Deref(p) => p,
                ExprKind::PointerAdd { pointer, .. } => pointer,
                ExprKind::AddressOf(x) | ExprKind::Decay(x) | ExprKind::Cast(x) => x,
                _ => return None,
            };
        }
    }

    /// Whether one may be part of the other.
    pub fn meets(&self, other: &Array) -> bool {
        let n = self.fields.len().min(other.fields.len());
        self.var == other.var && self.fields[..n] == other.fields[..n]
    }
}

/// What is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    Reads(Array),
    Writes(Array),
    /// A pointer to it goes to a function as the argument of this number.
    Passes(Array, String, usize),
    /// The pointer gets another value.
    Moves(Array),
    Calls(String),
    /// In the words of the front end.
    Unknown(String),
}

/// Something that is done, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch {
    pub what: What,
    pub span: Span,
}

/// A pointer that got its value from an array.
#[derive(Debug, Clone)]
pub struct Alias {
    pub pointer: VarId,
    pub to: Array,
    pub span: Span,
}

/// What the statement does that `skip` does not leave out, in order of the text.
pub fn touches(s: &Stmt, skip: &dyn Fn(&Stmt) -> bool) -> Vec<Touch> {
    let mut out = Vec::new();
    statement(s, skip, &mut out);
    out
}

fn statement(s: &Stmt, skip: &dyn Fn(&Stmt) -> bool, out: &mut Vec<Touch>) {
    if skip(s) {
        return;
    }
    match &s.kind {
        StmtKind::Decl(vars) => {
            for init in vars.iter().filter_map(|(_, init)| init.as_ref()) {
                initial(init, out);
            }
        }
        StmtKind::Unsupported(why) => out.push(Touch {
            what: What::Unknown(why.clone()),
            span: s.span,
        }),
        _ => {
            for e in visit::heads(s) {
                expression(e, false, out);
            }
        }
    }
    for child in children(s) {
        statement(child, skip, out);
    }
}

fn initial(init: &Init, out: &mut Vec<Touch>) {
    match init {
        Init::Expr(e) => expression(e, false, out),
        Init::List(list) => list.iter().for_each(|(_, init)| initial(init, out)),
    }
}

fn expression(e: &Expr, written: bool, out: &mut Vec<Touch>) {
    match &e.kind {
        ExprKind::Index { .. } | ExprKind::Deref(_) | ExprKind::Member { .. }
            if !matches!(e.ty, Type::Array(_)) =>
        {
            if let Some(a) = Array::of(e) {
                let what = match written {
                    true => What::Writes(a),
                    false => What::Reads(a),
                };
                out.push(Touch { what, span: e.span });
            }
            subscripts(e, out);
        }
        ExprKind::Assign { target, value } => {
            assigned(target, out);
            expression(value, false, out);
        }
        ExprKind::CompoundAssign { target, value, .. } => {
            expression(target, false, out);
            assigned(target, out);
            expression(value, false, out);
        }
        ExprKind::IncDec { target, .. } => {
            expression(target, false, out);
            assigned(target, out);
        }
        ExprKind::Call { function, args } => {
            let what = What::Calls(function.clone());
            out.push(Touch { what, span: e.span });
            for (i, arg) in args.iter().enumerate() {
                match pointed(arg) {
                    Some(a) => {
                        let what = What::Passes(a, function.clone(), i);
                        out.push(Touch { what, span: e.span });
                        subscripts(arg, out);
                    }
                    None => expression(arg, false, out),
                }
            }
        }
        ExprKind::Unsupported(why) => out.push(Touch {
            what: What::Unknown(why.clone()),
            span: e.span,
        }),
        _ => parts(e).into_iter().for_each(|p| expression(p, false, out)),
    }
}

fn assigned(target: &Expr, out: &mut Vec<Touch>) {
    match &target.kind {
        ExprKind::Var(_) if target.ty.is_pointer() => {
            if let Some(a) = Array::of(target) {
                let span = target.span;
                out.push(Touch {
                    what: What::Moves(a),
                    span,
                });
            }
        }
        _ => expression(target, true, out),
    }
}

/// The expressions in an lvalue that are computed to find it.
fn subscripts(e: &Expr, out: &mut Vec<Touch>) {
    match &e.kind {
        ExprKind::Index { base, index } => {
            subscripts(base, out);
            expression(index, false, out);
        }
        ExprKind::PointerAdd {
            pointer, offset, ..
        } => {
            subscripts(pointer, out);
            expression(offset, false, out);
        }
        ExprKind::Var(_) => {}
        ExprKind::Member { base: x, .. }
        | ExprKind::Deref(x)
        | ExprKind::AddressOf(x)
        | ExprKind::Decay(x)
        | ExprKind::Cast(x) => subscripts(x, out),
        _ => expression(e, false, out),
    }
}

/// The array that a pointer value points into.
fn pointed(e: &Expr) -> Option<Array> {
    e.ty.is_pointer().then(|| Array::of(e)).flatten()
}

/// Whether a function may write what its argument of this number points to.
pub fn may_write(unit: &Unit, function: &str, argument: usize) -> bool {
    let ty = match unit.function(function) {
        Some(f) => f.params.get(argument).map(|v| &unit.var(*v).ty),
        None => {
            let external = unit.externals.iter().find(|(name, _)| name == function);
            external.and_then(|(_, ty)| match ty {
                Type::Function(f) => f.params.get(argument),
                _ => None,
            })
        }
    };
    !matches!(ty, Some(Type::Pointer(p)) if p.to_const)
}

/// Pointers of a function that point into arrays, or into what other pointers point to.
pub fn aliases(f: &Function) -> Vec<Alias> {
    let mut out = Vec::new();
    let mut statements = vec![&f.body];
    let mut add = |pointer: VarId, value: &Expr, span: Span| {
        if let Some(to) = pointed(value)
            && to.var != pointer
        {
            out.push(Alias { pointer, to, span });
        }
    };
    while let Some(s) = statements.pop() {
        if let StmtKind::Decl(vars) = &s.kind {
            for (v, init) in vars {
                if let Some(Init::Expr(e)) = init {
                    add(*v, e, s.span);
                }
            }
        }
        let mut stack = visit::heads(s);
        while let Some(e) = stack.pop() {
            if let ExprKind::Assign { target, value } = &e.kind
                && let ExprKind::Var(v) = &target.kind
            {
                add(*v, value, e.span);
            }
            stack.extend(parts(e));
        }
        statements.extend(children(s));
    }
    out.sort_by_key(|a| a.span.start);
    out
}

/// Whether a call of `function` may touch a variable of file scope: its body, or that of
/// a function that it calls, has it, or nobody knows what it does. The words say which.
pub fn may_touch(unit: &Unit, function: &str, v: VarId) -> Option<String> {
    let var = unit.var(v);
    if matches!(
        var.storage,
        Storage::Local | Storage::Param | Storage::LocalStatic
    ) {
        return None;
    }
    let mut seen: HashSet<&str> = HashSet::new();
    let mut todo = vec![function];
    while let Some(name) = todo.pop() {
        if !seen.insert(name) {
            continue;
        }
        let Some(f) = unit.function(name) else {
            let private = var.storage == Storage::FileStatic && !var.address_taken;
            if !private && !library::is_known(name) {
                return Some(format!("calls {name}, whose body is not here"));
            }
            continue;
        };
        let mut uses = false;
        let mut unknown = false;
        visit::expressions(&f.body, |e| match &e.kind {
            ExprKind::Var(x) => uses |= *x == v,
            ExprKind::Call { function, .. } => todo.push(function),
            ExprKind::Unsupported(_) => unknown = true,
            _ => {}
        });
        if uses || unknown {
            let verb = if uses { "uses it" } else { "may use it" };
            return Some(match name == function {
                true => format!("calls {name}, which {verb}"),
                false => format!("calls {function}, and {name}, which it calls, {verb}"),
            });
        }
    }
    None
}

/// What an expression does.
pub fn of_expression(e: &Expr) -> Vec<Touch> {
    let mut out = Vec::new();
    expression(e, false, &mut out);
    out
}
