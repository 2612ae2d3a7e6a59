//! Calls (C11 6.5.2.2).

use std::rc::Rc;

use lang_c::ast::{CallExpression, Expression};
use lang_c::span::Node;
use terrace_ir::diag::Diagnostic;

use super::{make, untranslated};
use crate::hir::{Expr, ExprKind, Span};
use crate::sema::report::{ERROR, is_error, unsupported};
use crate::sema::scope::Entity;
use crate::sema::{FunctionInfo, Sema};
use crate::types::{Function, Type};

impl Sema<'_> {
    pub(super) fn call(&mut self, c: &CallExpression, at: Span) -> Expr {
        if let Expression::Identifier(name) = &c.callee.node {
            let name = name.node.name.as_str();
            match self.scopes.lookup(name) {
                Some(Entity::Function) => {
                    if let Some(f) = self.function_table.get(name) {
                        let ty = f.ty.clone();
                        return self.call_named(name, &ty, &c.arguments, at);
                    }
                }
                Some(_) => {}
                None => {
                    if let Some(builtin) = name.strip_prefix("__builtin_") {
                        return self.builtin(builtin, &c.arguments, at);
                    }
                    if matches!(name, "asm" | "__asm" | "__asm__") {
                        return unsupported("an asm statement", Type::Void, at);
                    }
                    if name.starts_with("__sync_") || name.starts_with("__atomic_") {
                        return self.unknown_call(&c.arguments, "an atomic builtin", at);
                    }
                    let ty = self.declare_implicitly(name);
                    return self.call_named(name, &ty, &c.arguments, at);
                }
            }
        }
        let callee = self.expr(&c.callee);
        if let ExprKind::Function(name) = &callee.expr.kind {
            let (name, ty) = (name.clone(), callee.expr.ty.clone());
            return self.call_named(&name, &ty, &c.arguments, at);
        }
        let ty = match &callee.expr.ty {
            Type::Function(_) => callee.expr.ty.clone(),
            Type::Pointer(p) if matches!(p.to, Type::Function(_)) => p.to.clone(),
            other => {
                if !is_error(other) {
                    let found = self.spell(other);
                    let at = self.span(c.callee.span);
                    self.error(
                        at,
                        format!("only a function can be called, and this is `{found}`"),
                    );
                }
                for a in &c.arguments {
                    self.value(a);
                }
                return Self::poison(at);
            }
        };
        let Type::Function(f) = &ty else {
            return Self::poison(at);
        };
        let f = f.clone();
        self.arguments(None, &f, &c.arguments, at);
        unsupported("a call through a pointer", f.result.clone(), at)
    }

    pub(super) fn call_named(
        &mut self,
        name: &str,
        ty: &Type,
        args: &[Node<Expression>],
        at: Span,
    ) -> Expr {
        let Type::Function(f) = ty else {
            return Self::poison(at);
        };
        let f = f.clone();
        let result = f.result.clone();
        match self.arguments(Some(name), &f, args, at) {
            None => unsupported(ERROR, result, at),
            Some(_) if name == "setjmp" || name == "_setjmp" || name == "sigsetjmp" => {
                unsupported("a call of setjmp", result, at)
            }
            Some(args) => {
                if let Some(why) = untranslated(&result) {
                    return unsupported(why, result, at);
                }
                let function = name.to_owned();
                make(ExprKind::Call { function, args }, result, at)
            }
        }
    }

    /// The arguments, converted; `None` if there are too few or too many.
    fn arguments(
        &mut self,
        name: Option<&str>,
        f: &Function,
        args: &[Node<Expression>],
        at: Span,
    ) -> Option<Vec<Expr>> {
        let mut values = Vec::with_capacity(args.len());
        for (i, arg) in args.iter().enumerate() {
            let value = self.value(arg);
            let value = match f.params.get(i) {
                Some(param) => {
                    let what = match name {
                        Some(name) => format!("argument {} of `{name}`", i + 1),
                        None => format!("argument {}", i + 1),
                    };
                    self.assigned(value, param, &what)
                }
                None => self.promoted_argument(value),
            };
            values.push(value);
        }
        let (given, wanted) = (args.len(), f.params.len());
        let few = given < wanted && !f.old_style;
        let many = given > wanted && !f.variadic && !f.old_style;
        if few || many {
            let called = name.map_or("this function".to_owned(), |n| format!("`{n}`"));
            let word = if few { "few" } else { "many" };
            let least = if f.variadic { "at least " } else { "" };
            let message =
                format!("too {word} arguments for {called}: {given} given, {least}{wanted} needed");
            let mut diagnostic = Diagnostic::error(self.place(at), message);
            let declared = name.and_then(|n| self.function_table.get(n)?.span);
            if let Some(declared) = declared {
                diagnostic = diagnostic.with_note(self.place(declared), "declared here");
            }
            self.report(at, diagnostic);
            return None;
        }
        Some(values)
    }

    /// A call of what is not known: the arguments are read for errors.
    pub(super) fn unknown_call(
        &mut self,
        args: &[Node<Expression>],
        reason: &str,
        at: Span,
    ) -> Expr {
        for a in args {
            self.value(a);
        }
        unsupported(reason, Type::INT, at)
    }

    /// A function that is called without a declaration returns `int`, unless it is one
    /// of the library's that every compiler knows. The system compiler warns.
    fn declare_implicitly(&mut self, name: &str) -> Type {
        let ty =
            super::library::function(name, &self.source.dialect().char()).unwrap_or_else(|| {
                Type::Function(Rc::new(Function {
                    result: Type::INT,
                    params: Vec::new(),
                    variadic: false,
                    old_style: true,
                }))
            });
        let order = self.function_table.len();
        self.function_table.insert(
            name.to_owned(),
            FunctionInfo {
                ty: ty.clone(),
                span: None,
                defined: false,
                is_static: false,
                order,
            },
        );
        self.scopes.declare_in_file(name, Entity::Function);
        ty
    }
}
