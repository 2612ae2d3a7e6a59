//! Rust's operators on expressions, and on types that stand for one.

use crate::element::{Bits, Signed};
use crate::expr::{Expr, Operand};
use crate::node::Kind;
use crate::op::{Binary, Unary};

/// An operator of two operands, for [`crate::operators_of`].
#[doc(hidden)]
#[track_caller]
pub fn binary<T: crate::Element>(op: Binary, l: &Expr<T>, r: &Expr<T>) -> Expr<T> {
    let operands = [l.graph().clone(), r.graph().clone()];
    Expr::operation(Kind::Binary(op), op.name(), &operands)
}

/// `-x`.
#[doc(hidden)]
#[track_caller]
pub fn negated<T: Signed>(x: &Expr<T>) -> Expr<T> {
    Expr::operation(Kind::Unary(Unary::Neg), "-", &[x.graph().clone()])
}

/// `!x`.
#[doc(hidden)]
#[track_caller]
pub fn inverted<T: Bits>(x: &Expr<T>) -> Expr<T> {
    Expr::operation(Kind::Unary(Unary::Not), "!", &[x.graph().clone()])
}

/// Rust's operators on a type `$of<T>`, of which a reference is an [`Operand`] of elements `T`:
/// with expressions, arrays and numbers on either side.
#[macro_export]
macro_rules! operators_of {
    ($of:ident) => {
        $crate::operators_of!(@all $of, Number, Add, add, Add; i32 i64 u32 u64 f32 f64);
        $crate::operators_of!(@all $of, Number, Sub, sub, Sub; i32 i64 u32 u64 f32 f64);
        $crate::operators_of!(@all $of, Number, Mul, mul, Mul; i32 i64 u32 u64 f32 f64);
        $crate::operators_of!(@all $of, Number, Div, div, Div; i32 i64 u32 u64 f32 f64);
        $crate::operators_of!(@all $of, Number, Rem, rem, Rem; i32 i64 u32 u64 f32 f64);
        $crate::operators_of!(@all $of, Bits, BitAnd, bitand, And; bool i32 i64 u32 u64);
        $crate::operators_of!(@all $of, Bits, BitOr, bitor, Or; bool i32 i64 u32 u64);
        $crate::operators_of!(@all $of, Bits, BitXor, bitxor, Xor; bool i32 i64 u32 u64);
        $crate::operators_of!(@all $of, Integer, Shl, shl, Shl; i32 i64 u32 u64);
        $crate::operators_of!(@all $of, Integer, Shr, shr, Shr; i32 i64 u32 u64);
        $crate::operators_of!(@unary $of, Signed, Neg, neg, negated);
        $crate::operators_of!(@unary $of, Bits, Not, not, inverted);
    };
    (@all $of:ident, $bound:ident, $trait:ident, $method:ident, $op:ident; $($number:ty)*) => {
        $crate::operators_of!(@left $bound, $trait, $method, $op, [$of<T>]);
        $crate::operators_of!(@left $bound, $trait, $method, $op, [&$of<T>]);
        $($crate::operators_of!(@right $trait, $method, $op, $number, [$of<$number>]);)*
        $($crate::operators_of!(@right $trait, $method, $op, $number, [&$of<$number>]);)*
    };
    (@left $bound:ident, $trait:ident, $method:ident, $op:ident, [$left:ty]) => {
        impl<T: $crate::$bound, R: $crate::Operand<T>> std::ops::$trait<R> for $left {
            type Output = $crate::Expr<T>;

            #[track_caller]
            fn $method(self, right: R) -> $crate::Expr<T> {
                let left = $crate::Operand::<T>::expr(self);
                let right = $crate::Operand::<T>::expr(right);
                $crate::operators::binary($crate::Binary::$op, &left, &right)
            }
        }
    };
    (@right $trait:ident, $method:ident, $op:ident, $number:ty, [$right:ty]) => {
        impl std::ops::$trait<$right> for $number {
            type Output = $crate::Expr<$number>;

            #[track_caller]
            fn $method(self, right: $right) -> $crate::Expr<$number> {
                let left = $crate::Operand::<$number>::expr(self);
                let right = $crate::Operand::<$number>::expr(right);
                $crate::operators::binary($crate::Binary::$op, &left, &right)
            }
        }
    };
    (@unary $of:ident, $bound:ident, $trait:ident, $method:ident, $make:ident) => {
        impl<T: $crate::$bound> std::ops::$trait for $of<T> {
            type Output = $crate::Expr<T>;

            #[track_caller]
            fn $method(self) -> $crate::Expr<T> {
                $crate::operators::$make(&$crate::Operand::<T>::expr(self))
            }
        }

        impl<T: $crate::$bound> std::ops::$trait for &$of<T> {
            type Output = $crate::Expr<T>;

            #[track_caller]
            fn $method(self) -> $crate::Expr<T> {
                $crate::operators::$make(&$crate::Operand::<T>::expr(self))
            }
        }
    };
}

operators_of!(Expr);

/// An operand as an expression.
#[track_caller]
pub(crate) fn of<T>(operand: impl Operand<T>) -> Expr<T> {
    operand.expr()
}
