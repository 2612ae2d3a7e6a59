//! Binary operators, `&&` and `||`, and `?:` (C11 6.5.5 to 6.5.15).

use lang_c::ast::{BinaryOperator, ConditionalExpression};

use super::convert::is_null;
use super::{make, untranslated};
use crate::hir::{BinaryOp, Expr, ExprKind, Span};
use crate::sema::Sema;
use crate::sema::report::{is_error, unsupported};
use crate::sema::types::same;
use crate::types::Type;

/// The operator, if it is one of those that only compute.
pub(super) fn operator(op: &BinaryOperator) -> Option<BinaryOp> {
    Some(match op {
        BinaryOperator::Multiply => BinaryOp::Mul,
        BinaryOperator::Divide => BinaryOp::Div,
        BinaryOperator::Modulo => BinaryOp::Rem,
        BinaryOperator::Plus => BinaryOp::Add,
        BinaryOperator::Minus => BinaryOp::Sub,
        BinaryOperator::ShiftLeft => BinaryOp::Shl,
        BinaryOperator::ShiftRight => BinaryOp::Shr,
        BinaryOperator::Less => BinaryOp::Lt,
        BinaryOperator::Greater => BinaryOp::Gt,
        BinaryOperator::LessOrEqual => BinaryOp::Le,
        BinaryOperator::GreaterOrEqual => BinaryOp::Ge,
        BinaryOperator::Equals => BinaryOp::Eq,
        BinaryOperator::NotEquals => BinaryOp::Ne,
        BinaryOperator::BitwiseAnd => BinaryOp::And,
        BinaryOperator::BitwiseXor => BinaryOp::Xor,
        BinaryOperator::BitwiseOr => BinaryOp::Or,
        _ => return None,
    })
}

pub(super) fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge)
}

/// `%`, shifts and bit operations.
pub(super) fn needs_integers(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Rem | Shl | Shr | And | Or | Xor)
}

impl Sema<'_> {
    pub(super) fn binary(&mut self, op: BinaryOp, lhs: Expr, rhs: Expr, at: Span) -> Expr {
        if is_error(&lhs.ty) || is_error(&rhs.ty) {
            return Self::poison(at);
        }
        let numeric = |t: &Type| t.is_arithmetic() || matches!(t, Type::Other(_));
        let comparison = is_comparison(op);
        if numeric(&lhs.ty) && numeric(&rhs.ty) {
            if needs_integers(op) && (lhs.ty.is_float() || rhs.ty.is_float()) {
                return self.bad_operands(op, &lhs, &rhs, at);
            }
            if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
                let lhs = self.promoted(lhs);
                let rhs = self.promoted(rhs);
                if let Some(why) = untranslated(&lhs.ty).or_else(|| untranslated(&rhs.ty)) {
                    return unsupported(why, lhs.ty, at);
                }
                let ty = lhs.ty.clone();
                return make_binary(op, lhs, rhs, ty, at);
            }
            let (lhs, rhs, common) = self.usual(lhs, rhs);
            let ty = if comparison {
                Type::INT
            } else {
                common.clone()
            };
            if let Some(why) = untranslated(&common) {
                return unsupported(why, ty, at);
            }
            return make_binary(op, lhs, rhs, ty, at);
        }
        match op {
            BinaryOp::Add if lhs.ty.is_pointer() && rhs.ty.is_integer() => {
                self.pointer_add(lhs, rhs, false, at)
            }
            BinaryOp::Add if lhs.ty.is_integer() && rhs.ty.is_pointer() => {
                self.pointer_add(rhs, lhs, false, at)
            }
            BinaryOp::Sub if lhs.ty.is_pointer() && rhs.ty.is_integer() => {
                self.pointer_add(lhs, rhs, true, at)
            }
            BinaryOp::Sub if lhs.ty.is_pointer() && rhs.ty.is_pointer() => {
                let fits = match (lhs.ty.element(), rhs.ty.element()) {
                    (Some(a), Some(b)) => same(a, b),
                    _ => false,
                };
                if !fits {
                    return self.bad_operands(op, &lhs, &rhs, at);
                }
                let kind = ExprKind::PointerDiff {
                    lhs: Box::new(lhs),
                    rhs: Box::new(rhs),
                };
                make(kind, Type::LONG, at)
            }
            op if comparison => self.pointer_comparison(op, lhs, rhs, at),
            _ => self.bad_operands(op, &lhs, &rhs, at),
        }
    }

    pub(super) fn pointer_add(&mut self, p: Expr, by: Expr, subtract: bool, at: Span) -> Expr {
        let to = p.ty.element().cloned().unwrap_or(Type::Void);
        if matches!(&to, Type::Record(_)) && self.size_of(&to).is_none() {
            let found = self.spell(&to);
            self.error(
                at,
                format!("a pointer to `{found}` cannot be moved: its size is not known"),
            );
            return Self::poison(at);
        }
        let ty = p.ty.clone();
        let offset = self.promoted(by);
        let kind = ExprKind::PointerAdd {
            pointer: Box::new(p),
            offset: Box::new(offset),
            subtract,
        };
        make(kind, ty, at)
    }

    /// A pointer compared with a pointer, or with a number, which is cast.
    fn pointer_comparison(&mut self, op: BinaryOp, lhs: Expr, rhs: Expr, at: Span) -> Expr {
        let ty = match (&lhs.ty, &rhs.ty) {
            (Type::Pointer(_), Type::Pointer(_)) => {
                // Pointers of different types are compared with a warning.
                Self::composite_pointer(&lhs.ty, &rhs.ty).unwrap_or_else(|| lhs.ty.clone())
            }
            (Type::Pointer(_), b) if b.is_integer() => lhs.ty.clone(),
            (a, Type::Pointer(_)) if a.is_integer() => rhs.ty.clone(),
            _ => return self.bad_operands(op, &lhs, &rhs, at),
        };
        let lhs = self.cast(lhs, &ty);
        let rhs = self.cast(rhs, &ty);
        make_binary(op, lhs, rhs, Type::INT, at)
    }

    pub(super) fn bad_operands(&mut self, op: BinaryOp, lhs: &Expr, rhs: &Expr, at: Span) -> Expr {
        let (l, r) = (self.spell(&lhs.ty), self.spell(&rhs.ty));
        self.error(
            at,
            format!("`{}` cannot be applied to `{l}` and `{r}`", op.symbol()),
        );
        Self::poison(at)
    }

    pub(super) fn logical(&mut self, and: bool, lhs: Expr, rhs: Expr, at: Span) -> Expr {
        let what = if and {
            "an operand of `&&`"
        } else {
            "an operand of `||`"
        };
        let lhs = self.scalar(lhs, what);
        let rhs = self.scalar(rhs, what);
        let kind = ExprKind::Logical {
            and,
            lhs: Box::new(lhs),
            rhs: Box::new(rhs),
        };
        make(kind, Type::INT, at)
    }

    pub(super) fn conditional(&mut self, c: &ConditionalExpression, at: Span) -> Expr {
        let cond = self.condition(&c.condition);
        let then = self.value(&c.then_expression);
        let otherwise = self.value(&c.else_expression);
        if is_error(&then.ty) || is_error(&otherwise.ty) {
            return Self::poison(at);
        }
        let numeric = |t: &Type| t.is_arithmetic() || matches!(t, Type::Other(_));
        let (then, otherwise, ty) = if same(&then.ty, &otherwise.ty) && !then.ty.is_arithmetic() {
            let ty =
                Self::composite_pointer(&then.ty, &otherwise.ty).unwrap_or_else(|| then.ty.clone());
            (then, otherwise, ty)
        } else if numeric(&then.ty) && numeric(&otherwise.ty) {
            self.usual(then, otherwise)
        } else if matches!(then.ty, Type::Void) || matches!(otherwise.ty, Type::Void) {
            let void = |e: Expr| {
                let span = e.span;
                make(ExprKind::Cast(Box::new(e)), Type::Void, span)
            };
            (void(then), void(otherwise), Type::Void)
        } else {
            let ty = if then.ty.is_pointer() && (is_null(&otherwise)) {
                then.ty.clone()
            } else if otherwise.ty.is_pointer() && is_null(&then) {
                otherwise.ty.clone()
            } else if let Some(ty) = Self::composite_pointer(&then.ty, &otherwise.ty) {
                ty
            } else if then.ty.is_pointer() && otherwise.ty.is_pointer() {
                Type::pointer_to(Type::Void)
            } else if then.ty.is_pointer() && otherwise.ty.is_integer() {
                then.ty.clone()
            } else if otherwise.ty.is_pointer() && then.ty.is_integer() {
                otherwise.ty.clone()
            } else {
                let (a, b) = (self.spell(&then.ty), self.spell(&otherwise.ty));
                self.error(
                    at,
                    format!("the two values of `?:` have no common type: `{a}` and `{b}`"),
                );
                return Self::poison(at);
            };
            (self.cast(then, &ty), self.cast(otherwise, &ty), ty)
        };
        if let Some(why) = untranslated(&ty) {
            return unsupported(why, ty, at);
        }
        let kind = ExprKind::Conditional {
            cond: Box::new(cond),
            then: Box::new(then),
            otherwise: Box::new(otherwise),
        };
        make(kind, ty, at)
    }
}

fn make_binary(op: BinaryOp, lhs: Expr, rhs: Expr, ty: Type, at: Span) -> Expr {
    let kind = ExprKind::Binary {
        op,
        lhs: Box::new(lhs),
        rhs: Box::new(rhs),
    };
    make(kind, ty, at)
}
