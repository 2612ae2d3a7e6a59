//! Names, members, `_Generic`, compound literals and statement expressions.

use lang_c::ast::{
    BlockItem, CompoundLiteral, GenericAssociation, GenericSelection, MemberExpression,
    MemberOperator, Statement,
};
use lang_c::span::Node;

use super::literals::string_expr;
use super::{Operand, make};
use crate::hir::{Expr, ExprKind, Span, Storage, Var};
use crate::sema::Sema;
use crate::sema::decl::Scope;
use crate::sema::report::{error_type, is_error, unsupported};
use crate::sema::scope::Entity;
use crate::sema::types::{Quals, same};
use crate::types::Type;

impl Sema<'_> {
    pub(super) fn identifier(&mut self, name: &str, at: Span) -> Operand {
        match self.scopes.lookup(name).cloned() {
            Some(Entity::Var(id)) => {
                let var = self.var(id);
                let quals = Quals {
                    constant: var.is_const,
                    volatile: var.is_volatile,
                    restrict: false,
                };
                Operand::object(make(ExprKind::Var(id), var.ty.clone(), at), quals)
            }
            Some(Entity::Enumerator { value, ty }) => {
                Operand::value(make(ExprKind::Int(value), ty, at))
            }
            Some(Entity::Function) => self.function_name(name, at),
            Some(Entity::Typedef(_)) => {
                self.error(
                    at,
                    format!("`{name}` is a type, and a value is needed here"),
                );
                Operand::value(Self::poison(at))
            }
            None => self.undeclared(name, at),
        }
    }

    pub(super) fn function_name(&mut self, name: &str, at: Span) -> Operand {
        match self.function_table.get(name) {
            Some(f) => {
                let kind = ExprKind::Function(name.to_owned());
                Operand::object(make(kind, f.ty.clone(), at), Quals::default())
            }
            None => Operand::value(Self::poison(at)),
        }
    }

    fn undeclared(&mut self, name: &str, at: Span) -> Operand {
        if matches!(name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") {
            let bytes = self
                .function
                .as_ref()
                .map(|f| f.name.clone().into_bytes())
                .unwrap_or_default();
            let quals = Quals {
                constant: true,
                ..Quals::default()
            };
            return Operand::object(string_expr(bytes, self.source.dialect().char(), at), quals);
        }
        if name.starts_with("__builtin_") {
            // The address of a builtin is no use; calls do not come here.
            return Operand::value(unsupported(format!("`{name}`"), error_type(), at));
        }
        if self.reports.undeclared.insert(name.to_owned()) {
            let mut message = format!("`{name}` is not declared");
            if let Some(near) = self.similar_name(name) {
                message.push_str(&format!("; did you mean `{near}`?"));
            }
            self.error(at, message);
        }
        Operand::object(Self::poison(at), Quals::default())
    }

    /// A visible name that differs in one letter.
    pub(in crate::sema) fn similar_name(&self, name: &str) -> Option<String> {
        if name.len() < 3 {
            return None;
        }
        self.scopes
            .visible()
            .filter(|(n, e)| !n.starts_with('_') && !matches!(e, Entity::Typedef(_)))
            .map(|(n, _)| n)
            .filter(|n| one_apart(n, name))
            .min()
            .map(str::to_owned)
    }

    pub(super) fn member(&mut self, m: &MemberExpression, at: Span) -> Operand {
        let name = &m.identifier.node.name;
        let base = match m.operator.node {
            MemberOperator::Direct => self.expr(&m.expression),
            MemberOperator::Indirect => {
                let pointer = self.value(&m.expression);
                if !pointer.ty.is_pointer() && !is_error(&pointer.ty) {
                    let found = self.spell(&pointer.ty);
                    self.error(
                        at,
                        format!("`->{name}` needs a pointer to a struct, and this is `{found}`"),
                    );
                    return Operand::object(Self::poison(at), Quals::default());
                }
                let span = pointer.span;
                self.dereference(pointer, span)
            }
        };
        if is_error(&base.expr.ty) {
            return Operand::object(Self::poison(at), Quals::default());
        }
        let Type::Record(record) = base.expr.ty else {
            let found = self.spell(&base.expr.ty);
            let hint = if base.expr.ty.is_pointer() {
                format!("; `->{name}` is the member of what a pointer points to")
            } else {
                String::new()
            };
            self.error(
                at,
                format!("`.{name}` needs a struct, and this is `{found}`{hint}"),
            );
            return Operand::object(Self::poison(at), Quals::default());
        };
        let Some(path) = self.find_member(record, name) else {
            let ty = base.expr.ty.clone();
            let expr = self.no_member(&ty, name, at);
            return Operand::object(expr, Quals::default());
        };
        let lvalue = base.lvalue;
        let mut quals = base.quals;
        let mut expr = base.expr;
        for step in path {
            let Type::Record(record) = expr.ty else { break };
            let field = self
                .records
                .get(record)
                .and_then(|r| r.fields.as_ref()?.get(step));
            let Some(field) = field else { break };
            quals = quals.and(Quals {
                constant: field.is_const,
                volatile: field.is_volatile,
                restrict: false,
            });
            let ty = field.ty.clone();
            expr = if let ExprKind::Unsupported(why) = expr.kind {
                unsupported(why, ty, at)
            } else {
                let kind = ExprKind::Member {
                    base: Box::new(expr),
                    field: step,
                };
                make(kind, ty, at)
            };
        }
        Operand {
            expr,
            quals,
            lvalue,
        }
    }

    /// Reports that a record has no such member, or no members yet.
    pub(super) fn no_member(&mut self, ty: &Type, name: &str, at: Span) -> Expr {
        let found = self.spell(ty);
        let fields = match ty {
            Type::Record(r) => self.records.get(*r).and_then(|r| r.fields.as_ref()),
            _ => None,
        };
        let message = match fields {
            None => format!("`{found}` is declared but not defined here, so it has no `{name}`"),
            Some(fields) => {
                let near = fields
                    .iter()
                    .map(|f| f.name.as_str())
                    .find(|f| one_apart(f, name));
                let hint = near.map_or(String::new(), |n| format!("; did you mean `{n}`?"));
                format!("`{found}` has no member `{name}`{hint}")
            }
        };
        self.error(at, message);
        Self::poison(at)
    }

    pub(super) fn generic_selection(&mut self, g: &GenericSelection, at: Span) -> Operand {
        let control = self.unevaluated(|s| s.value(&g.expression));
        let mut default = None;
        for association in &g.associations {
            match &association.node {
                GenericAssociation::Default(e) => default = Some(e),
                GenericAssociation::Type(t) => {
                    let ty = self.type_name(&t.node.type_name).ty;
                    if same(&ty, &control.ty) && pointees_agree(&ty, &control.ty) {
                        return self.expr(&t.node.expression);
                    }
                }
            }
        }
        match default {
            Some(e) => self.expr(e),
            None => {
                if !is_error(&control.ty) {
                    let found = self.spell(&control.ty);
                    self.error(at, format!("no alternative of `_Generic` is for `{found}`"));
                }
                Operand::value(Self::poison(at))
            }
        }
    }

    pub(super) fn compound_literal(&mut self, c: &CompoundLiteral, at: Span) -> Operand {
        let ty = self.type_name(&c.type_name);
        let (init, ty) = self.initializer_list(ty, &c.initializer_list, at);
        if self.function.is_none() {
            let expr = unsupported("a compound literal", ty.ty, at);
            return Operand::object(expr, ty.quals);
        }
        let var = self.add_var(Var {
            // No variable of the program has this name.
            name: "(literal)".to_string(),
            ty: ty.ty.clone(),
            storage: Storage::Local,
            is_const: false,
            is_volatile: false,
            address_taken: false,
            span: at,
            init: None,
        });
        let expr = Expr {
            kind: ExprKind::Compound {
                var,
                init: Box::new(init),
            },
            ty: ty.ty,
            span: at,
        };
        Operand::object(expr, ty.quals)
    }

    /// Reads `({ ... })` for its type and for errors in it.
    pub(super) fn statement_expression(&mut self, s: &Node<Statement>) -> Type {
        let Statement::Compound(items) = &s.node else {
            return Type::Void;
        };
        if self.function.is_none() {
            return error_type();
        }
        self.scopes.enter();
        let mut ty = Type::Void;
        for (i, item) in items.iter().enumerate() {
            match &item.node {
                BlockItem::Statement(s) => {
                    if let (true, Statement::Expression(Some(e))) = (i + 1 == items.len(), &s.node)
                    {
                        ty = self.value(e).ty;
                    } else {
                        self.statement(s);
                    }
                }
                BlockItem::Declaration(d) => {
                    self.declaration(d, Scope::Block);
                }
                BlockItem::StaticAssert(_) => {}
            }
        }
        self.scopes.leave();
        ty
    }
}

/// Whether pointers agree also in the `const` of what they point to.
fn pointees_agree(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Pointer(a), Type::Pointer(b)) => {
            a.to_const == b.to_const
                && a.to_volatile == b.to_volatile
                && pointees_agree(&a.to, &b.to)
        }
        _ => true,
    }
}

/// Whether two names differ by one letter that is other, missing, or too many.
fn one_apart(a: &str, b: &str) -> bool {
    let (a, b) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a == b || b.len() - a.len() > 1 || a.len() < 2 {
        return false;
    }
    let start = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    if a.len() == b.len() {
        a[start + 1..] == b[start + 1..]
    } else {
        a[start..] == b[start + 1..]
    }
}
