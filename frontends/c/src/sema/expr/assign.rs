//! Assignment (C11 6.5.16).

use lang_c::ast::{BinaryOperator, Expression};
use lang_c::span::Node;

use super::arithmetic::needs_integers;
use super::{Operand, make, untranslated};
use crate::hir::{BinaryOp, Expr, ExprKind, Span};
use crate::sema::Sema;
use crate::sema::report::{ERROR, is_error, unsupported};
use crate::types::Type;

/// The operator of a compound assignment.
pub(super) fn compound(op: &BinaryOperator) -> Option<BinaryOp> {
    Some(match op {
        BinaryOperator::AssignMultiply => BinaryOp::Mul,
        BinaryOperator::AssignDivide => BinaryOp::Div,
        BinaryOperator::AssignModulo => BinaryOp::Rem,
        BinaryOperator::AssignPlus => BinaryOp::Add,
        BinaryOperator::AssignMinus => BinaryOp::Sub,
        BinaryOperator::AssignShiftLeft => BinaryOp::Shl,
        BinaryOperator::AssignShiftRight => BinaryOp::Shr,
        BinaryOperator::AssignBitwiseAnd => BinaryOp::And,
        BinaryOperator::AssignBitwiseXor => BinaryOp::Xor,
        BinaryOperator::AssignBitwiseOr => BinaryOp::Or,
        _ => return None,
    })
}

impl Sema<'_> {
    pub(super) fn assignment(
        &mut self,
        op: &BinaryOperator,
        target: Operand,
        value: &Node<Expression>,
        at: Span,
    ) -> Expr {
        let value = self.value(value);
        let ty = target.expr.ty.clone();
        let Some(target) = self.modified(target, "an assignment", at) else {
            return Self::poison(at);
        };
        if is_error(&value.ty) {
            return unsupported(ERROR, ty, at);
        }
        match compound(op) {
            None => {
                let value = self.assigned(value, &ty, "an assignment to this object");
                if let ExprKind::Unsupported(why) = target.kind {
                    return unsupported(why, ty, at);
                }
                let kind = ExprKind::Assign {
                    target: Box::new(target),
                    value: Box::new(value),
                };
                make(kind, ty, at)
            }
            Some(op) => self.compound_assignment(op, target, value, at),
        }
    }

    fn compound_assignment(&mut self, op: BinaryOp, target: Expr, value: Expr, at: Span) -> Expr {
        let ty = target.ty.clone();
        let numeric = |t: &Type| t.is_arithmetic() || matches!(t, Type::Other(_));
        let pointer =
            matches!(op, BinaryOp::Add | BinaryOp::Sub) && ty.is_pointer() && value.ty.is_integer();
        let (value, compute) = if pointer {
            (self.promoted(value), ty.clone())
        } else if !numeric(&ty)
            || !numeric(&value.ty)
            || (needs_integers(op) && (ty.is_float() || value.ty.is_float()))
        {
            return self.bad_operands(op, &target, &value, at);
        } else if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            let compute = self.promoted(target.clone()).ty;
            (self.promoted(value), compute)
        } else {
            let (_, value, compute) = self.usual(target.clone(), value);
            (value, compute)
        };
        if let Some(why) = untranslated(&compute).or_else(|| untranslated(&ty)) {
            return unsupported(why, ty, at);
        }
        if let ExprKind::Unsupported(why) = target.kind {
            return unsupported(why, ty, at);
        }
        let kind = ExprKind::CompoundAssign {
            op,
            target: Box::new(target),
            value: Box::new(value),
            compute,
        };
        make(kind, ty, at)
    }

    /// The object that is changed; `None` after an error. `what` changes it.
    pub(super) fn modified(&mut self, target: Operand, what: &str, at: Span) -> Option<Expr> {
        let Operand {
            expr,
            quals,
            lvalue,
        } = target;
        if is_error(&expr.ty) {
            return None;
        }
        if matches!(expr.kind, ExprKind::Unsupported(_)) {
            return Some(expr);
        }
        if !lvalue || matches!(expr.ty, Type::Function(_)) {
            self.error(
                at,
                format!("{what} changes an object, and what stands there is a value"),
            );
            return None;
        }
        if matches!(expr.ty, Type::Array(_)) {
            let found = self.spell(&expr.ty);
            self.error(
                at,
                format!("{what} cannot change an array as a whole, and this is `{found}`"),
            );
            return None;
        }
        if quals.constant {
            let name = self.text(expr.span);
            self.error(at, format!("{what} cannot change `{name}`, which is const"));
            return None;
        }
        if quals.volatile && !matches!(expr.kind, ExprKind::Var(_)) {
            return Some(unsupported(
                "an access to a volatile object",
                expr.ty,
                expr.span,
            ));
        }
        Some(expr)
    }

    /// The text of a span, on one line.
    pub(in crate::sema) fn text(&self, span: Span) -> String {
        let text = self
            .source
            .text()
            .get(span.start as usize..span.end as usize)
            .unwrap_or_default();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}
