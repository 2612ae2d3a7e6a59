//! Integer expressions whose value is known while lowering.

use super::Lowerer;
use crate::hir::Expr;
use crate::sema::constant::{Value, convert, fold_with};
use crate::types::Type;

impl Lowerer<'_> {
    /// The value of an integer constant expression, constant variables included,
    /// reduced to its type.
    pub fn constant(&self, e: &Expr) -> Option<i128> {
        let variable = |v| self.constants.get(&v).copied().map(Value::Int);
        match fold_with(e, &variable)? {
            Value::Int(n) if e.ty.is_integer() => Some(n),
            _ => None,
        }
    }

    /// The value that a variable of an integer type has by an integer constant expression.
    pub fn constant_as(&self, e: &Expr, ty: &Type) -> Option<i128> {
        match convert(Value::Int(self.constant(e)?), ty)? {
            Value::Int(n) => Some(n),
            Value::Float(_) => None,
        }
    }
}
