//! Constant expressions, with C's arithmetic (C11 6.6).

use lang_c::ast::Expression;
use lang_c::span::Node;

use super::Sema;
use super::report::is_error;
use crate::hir::{BinaryOp, Expr, ExprKind, Span, VarId};
use crate::types::{Float, Int, Type};

/// The value of a constant expression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Value {
    Int(i128),
    Float(f64),
}

impl Sema<'_> {
    /// The value of an integer constant expression; `None` if it is not one.
    pub(super) fn fold_integer(&self, e: &Expr) -> Option<i128> {
        match fold(e)? {
            Value::Int(v) if e.ty.is_integer() => Some(v),
            _ => None,
        }
    }

    /// The value of an integer constant that is not negative: a size, an alignment.
    pub(super) fn constant_u64(&mut self, e: &Node<Expression>) -> Option<u64> {
        let value = self.value(e);
        match self.fold_integer(&value) {
            Some(v) => u64::try_from(v).ok(),
            None => {
                self.not_constant(&value, self.span(e.span), "this value");
                None
            }
        }
    }

    /// Reports an expression that has to be an integer constant, unless there was an
    /// error in it, or something that is not translated and may be one.
    pub(super) fn not_constant(&mut self, value: &Expr, at: Span, what: &str) {
        if is_error(&value.ty) || has_unsupported(value) {
            return;
        }
        if value.ty.is_integer() {
            self.error(at, format!("{what} has to be a constant"));
        } else {
            let found = self.spell(&value.ty);
            self.error(
                at,
                format!("{what} has to be an integer constant, and this is `{found}`"),
            );
        }
    }
}

/// Whether some part of an expression is not translated.
pub(super) fn has_unsupported(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Unsupported(_) => true,
        ExprKind::Cast(e) | ExprKind::Neg(e) | ExprKind::BitNot(e) | ExprKind::Not(e) => {
            has_unsupported(e)
        }
        ExprKind::Binary { lhs, rhs, .. } | ExprKind::Logical { lhs, rhs, .. } => {
            has_unsupported(lhs) || has_unsupported(rhs)
        }
        ExprKind::Conditional {
            cond,
            then,
            otherwise,
        } => has_unsupported(cond) || has_unsupported(then) || has_unsupported(otherwise),
        _ => false,
    }
}

/// The value of a constant expression of arithmetic type.
pub(crate) fn fold(e: &Expr) -> Option<Value> {
    fold_with(e, &|_| None)
}

/// The value of an expression of arithmetic type where `variable` knows those of variables.
pub(crate) fn fold_with(e: &Expr, variable: &dyn Fn(VarId) -> Option<Value>) -> Option<Value> {
    let fold = |e: &Expr| fold_with(e, variable);
    match &e.kind {
        ExprKind::Var(v) => variable(*v),
        ExprKind::Int(v) => Some(Value::Int(*v)),
        ExprKind::Float(v) => Some(Value::Float(*v)),
        ExprKind::Cast(inner) => convert(fold(inner)?, &e.ty),
        ExprKind::Neg(inner) => match fold(inner)? {
            Value::Int(v) => convert(Value::Int(v.checked_neg()?), &e.ty),
            Value::Float(v) => Some(Value::Float(-v)),
        },
        ExprKind::BitNot(inner) => match fold(inner)? {
            Value::Int(v) => convert(Value::Int(!v), &e.ty),
            Value::Float(_) => None,
        },
        ExprKind::Not(inner) => Some(Value::Int(i128::from(!truth(fold(inner)?)))),
        ExprKind::Binary { op, lhs, rhs } => {
            let result = match (fold(lhs)?, fold(rhs)?) {
                (Value::Int(a), Value::Int(b)) => Value::Int(integer(*op, a, b, &e.ty)?),
                (Value::Float(a), Value::Float(b)) => float(*op, a, b)?,
                _ => return None,
            };
            convert(result, &e.ty)
        }
        ExprKind::Logical { and, lhs, rhs } => {
            let left = truth(fold(lhs)?);
            let result = if left == *and {
                truth(fold(rhs)?)
            } else {
                left
            };
            Some(Value::Int(i128::from(result)))
        }
        ExprKind::Conditional {
            cond,
            then,
            otherwise,
        } => {
            if truth(fold(cond)?) {
                fold(then)
            } else {
                fold(otherwise)
            }
        }
        _ => None,
    }
}

fn truth(v: Value) -> bool {
    match v {
        Value::Int(v) => v != 0,
        Value::Float(v) => v != 0.0,
    }
}

/// The value as this type has it (C11 6.3.1).
pub(crate) fn convert(v: Value, to: &Type) -> Option<Value> {
    Some(match (to, v) {
        (Type::Bool, v) => Value::Int(i128::from(truth(v))),
        (Type::Int(int), Value::Int(v)) => Value::Int(wrap(v, *int)),
        (Type::Int(int), Value::Float(v)) => {
            // Out of range is undefined, so it is no constant.
            let whole = v.trunc();
            let value = whole as i128;
            if whole.is_nan() || value as f64 != whole || wrap(value, *int) != value {
                return None;
            }
            Value::Int(value)
        }
        (Type::Float(Float::F32), Value::Int(v)) => Value::Float(f64::from(v as f32)),
        (Type::Float(Float::F64), Value::Int(v)) => Value::Float(v as f64),
        (Type::Float(Float::F32), Value::Float(v)) => Value::Float(f64::from(v as f32)),
        (Type::Float(Float::F64), Value::Float(v)) => Value::Float(v),
        _ => return None,
    })
}

/// The low bits of a value, as this type reads them.
pub(crate) fn wrap(v: i128, int: Int) -> i128 {
    let bits = u32::from(int.bits);
    let shift = 128 - bits;
    if int.signed {
        (v << shift) >> shift
    } else {
        (((v as u128) << shift) >> shift) as i128
    }
}

fn integer(op: BinaryOp, a: i128, b: i128, ty: &Type) -> Option<i128> {
    let bits = match ty {
        Type::Int(i) => i128::from(i.bits),
        _ => 32,
    };
    let yes = |b: bool| Some(i128::from(b));
    match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Div => a.checked_div(b),
        BinaryOp::Rem => a.checked_rem(b),
        BinaryOp::Shl | BinaryOp::Shr if b < 0 || b >= bits => None,
        BinaryOp::Shl => Some(a << b),
        BinaryOp::Shr => Some(a >> b),
        BinaryOp::And => Some(a & b),
        BinaryOp::Or => Some(a | b),
        BinaryOp::Xor => Some(a ^ b),
        BinaryOp::Eq => yes(a == b),
        BinaryOp::Ne => yes(a != b),
        BinaryOp::Lt => yes(a < b),
        BinaryOp::Le => yes(a <= b),
        BinaryOp::Gt => yes(a > b),
        BinaryOp::Ge => yes(a >= b),
    }
}

fn float(op: BinaryOp, a: f64, b: f64) -> Option<Value> {
    let yes = |b: bool| Some(Value::Int(i128::from(b)));
    match op {
        BinaryOp::Add => Some(Value::Float(a + b)),
        BinaryOp::Sub => Some(Value::Float(a - b)),
        BinaryOp::Mul => Some(Value::Float(a * b)),
        BinaryOp::Div => Some(Value::Float(a / b)),
        BinaryOp::Eq => yes(a == b),
        BinaryOp::Ne => yes(a != b),
        BinaryOp::Lt => yes(a < b),
        BinaryOp::Le => yes(a <= b),
        BinaryOp::Gt => yes(a > b),
        BinaryOp::Ge => yes(a >= b),
        _ => None,
    }
}
