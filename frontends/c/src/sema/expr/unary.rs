//! Unary operators (C11 6.5.2.4, 6.5.3) and subscripts.

use lang_c::ast::{Expression, UnaryOperator, UnaryOperatorExpression};
use lang_c::span::Node;

use super::{Operand, make, untranslated};
use crate::hir::{Expr, ExprKind, Span};
use crate::sema::Sema;
use crate::sema::report::{ERROR, error_type, is_error, unsupported};
use crate::sema::types::{QType, Quals};
use crate::types::{Pointer, Type};

impl Sema<'_> {
    pub(super) fn unary(&mut self, u: &UnaryOperatorExpression, at: Span) -> Operand {
        match u.operator.node {
            UnaryOperator::Address => Operand::value(self.address_of(&u.operand, at)),
            UnaryOperator::Indirection => {
                let pointer = self.value(&u.operand);
                self.dereference(pointer, at)
            }
            UnaryOperator::PostIncrement => Operand::value(self.step(true, false, &u.operand, at)),
            UnaryOperator::PostDecrement => Operand::value(self.step(false, false, &u.operand, at)),
            UnaryOperator::PreIncrement => Operand::value(self.step(true, true, &u.operand, at)),
            UnaryOperator::PreDecrement => Operand::value(self.step(false, true, &u.operand, at)),
            UnaryOperator::Negate => {
                let value = self.value(&u.operand);
                let value = self.scalar(value, "the operand of `!`");
                Operand::value(make(ExprKind::Not(Box::new(value)), Type::INT, at))
            }
            UnaryOperator::Plus | UnaryOperator::Minus | UnaryOperator::Complement => {
                let value = self.value(&u.operand);
                Operand::value(self.sign(&u.operator.node, value, at))
            }
        }
    }

    fn sign(&mut self, op: &UnaryOperator, value: Expr, at: Span) -> Expr {
        if is_error(&value.ty) {
            return Self::poison(at);
        }
        if let Some(why) = untranslated(&value.ty) {
            return unsupported(why, value.ty, at);
        }
        let complement = *op == UnaryOperator::Complement;
        if !value.ty.is_arithmetic() || (complement && !value.ty.is_integer()) {
            let (word, needs) = match op {
                UnaryOperator::Complement => ("~", "an integer"),
                UnaryOperator::Minus => ("-", "a number"),
                _ => ("+", "a number"),
            };
            let found = self.spell(&value.ty);
            self.error(
                at,
                format!("the operand of `{word}` has to be {needs}, and this is `{found}`"),
            );
            return Self::poison(at);
        }
        let value = self.promoted(value);
        let ty = value.ty.clone();
        match op {
            UnaryOperator::Plus => {
                // The value alone: `+x` is not `x`, which could be assigned to.
                Expr { span: at, ..value }
            }
            UnaryOperator::Minus => make(ExprKind::Neg(Box::new(value)), ty, at),
            _ => make(ExprKind::BitNot(Box::new(value)), ty, at),
        }
    }

    fn address_of(&mut self, operand: &Node<Expression>, at: Span) -> Expr {
        let operand = self.expr(operand);
        if is_error(&operand.expr.ty) {
            return Self::poison(at);
        }
        let ty = QType {
            ty: operand.expr.ty.clone(),
            quals: operand.quals,
        }
        .pointer();
        if matches!(operand.expr.ty, Type::Function(_)) {
            return make(ExprKind::AddressOf(Box::new(operand.expr)), ty, at);
        }
        if let ExprKind::Unsupported(why) = operand.expr.kind {
            return unsupported(why, ty, at);
        }
        if !operand.lvalue {
            self.error(at, "`&` needs an object, and this is a value");
            return Self::poison(at);
        }
        if self.is_bit_field(&operand.expr) {
            self.error(at, "a bit-field has no address");
            return Self::poison(at);
        }
        self.mark_address(&operand.expr);
        // `&*p` is p (C11 6.5.3.2p3).
        if let ExprKind::Deref(pointer) = operand.expr.kind {
            return Expr {
                span: at,
                ..*pointer
            };
        }
        make(ExprKind::AddressOf(Box::new(operand.expr)), ty, at)
    }

    /// `*p`.
    pub(super) fn dereference(&mut self, pointer: Expr, at: Span) -> Operand {
        if is_error(&pointer.ty) {
            return Operand::object(Self::poison(at), Quals::default());
        }
        let Type::Pointer(p) = &pointer.ty else {
            let found = self.spell(&pointer.ty);
            self.error(at, format!("`*` needs a pointer, and this is `{found}`"));
            return Operand::object(Self::poison(at), Quals::default());
        };
        let quals = pointee_quals(p);
        let ty = p.to.clone();
        // A function that was taken for a pointer is that function.
        if matches!(ty, Type::Function(_)) {
            if let ExprKind::AddressOf(f) = pointer.kind {
                return Operand::object(Expr { span: at, ..*f }, quals);
            }
            return Operand::object(unsupported("a call through a pointer", ty, at), quals);
        }
        if let ExprKind::Unsupported(why) = pointer.kind {
            return Operand::object(unsupported(why, ty, at), quals);
        }
        Operand::object(make(ExprKind::Deref(Box::new(pointer)), ty, at), quals)
    }

    /// `base[index]`, or `index[base]`.
    pub(super) fn index(&mut self, base: Operand, index: &Node<Expression>, at: Span) -> Operand {
        let index = self.expr(index);
        let (base, index) = if base.expr.ty.is_integer() && index.expr.ty.element().is_some() {
            (index, base)
        } else {
            (base, index)
        };
        let poison = Operand::object(Self::poison(at), Quals::default());
        let (quals, ty) = match &base.expr.ty {
            Type::Array(a) => (base.quals, a.of.clone()),
            Type::Pointer(p) => (pointee_quals(p), p.to.clone()),
            // What its elements are was not kept: nothing more is said of them.
            Type::Other(name) if name.starts_with("vector of ") => {
                let ty = Type::Other("vector element".into());
                let element = unsupported("an element of a vector", ty, at);
                return Operand::object(element, base.quals);
            }
            other => {
                if !is_error(other) {
                    let found = self.spell(other);
                    self.error(
                        at,
                        format!(
                            "only an array or a pointer can be subscripted, and this is `{found}`"
                        ),
                    );
                }
                return poison;
            }
        };
        // An array stays the object that it is.
        let base = if matches!(base.expr.ty, Type::Array(_)) {
            base.expr
        } else {
            self.rvalue(base)
        };
        let index = self.rvalue(index);
        if is_error(&index.ty) {
            return Operand::object(unsupported(ERROR, ty, at), quals);
        }
        if !index.ty.is_integer() {
            let found = self.spell(&index.ty);
            self.error(
                index.span,
                format!("a subscript has to be an integer, and this is `{found}`"),
            );
            return Operand::object(unsupported(ERROR, ty, at), quals);
        }
        if matches!(ty, Type::Void) {
            self.error(
                at,
                "what a `void *` points to has no type, so it cannot be subscripted",
            );
            return poison;
        }
        let kind = ExprKind::Index {
            base: Box::new(base),
            index: Box::new(index),
        };
        Operand::object(make(kind, ty, at), quals)
    }

    /// `++` and `--`.
    fn step(
        &mut self,
        increment: bool,
        prefix: bool,
        operand: &Node<Expression>,
        at: Span,
    ) -> Expr {
        let word = if increment { "`++`" } else { "`--`" };
        let operand = self.expr(operand);
        let ty = operand.expr.ty.clone();
        let Some(target) = self.modified(operand, word, at) else {
            return Self::poison(at);
        };
        if let ExprKind::Unsupported(why) = target.kind {
            return unsupported(why, ty, at);
        }
        if let Some(why) = untranslated(&ty) {
            return unsupported(why, ty, at);
        }
        if !ty.is_scalar() {
            let found = self.spell(&ty);
            self.error(
                at,
                format!(
                    "the operand of {word} has to be a number or a pointer, and this is `{found}`"
                ),
            );
            return unsupported(ERROR, error_type(), at);
        }
        let kind = ExprKind::IncDec {
            increment,
            prefix,
            target: Box::new(target),
        };
        make(kind, ty, at)
    }
}

pub(super) fn pointee_quals(p: &Pointer) -> Quals {
    Quals {
        constant: p.to_const,
        volatile: p.to_volatile,
        restrict: false,
    }
}
