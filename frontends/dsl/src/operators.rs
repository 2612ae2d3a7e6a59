//! Rust's operators on expressions, and on types that stand for one.

use crate::complex;
use crate::element::{Bits, Element, Number, Signed};
use crate::expr::{Expr, Operand};
use crate::node::{Graph, Kind};
use crate::op::{Binary, Unary};
use num_complex::Complex;
use std::panic::Location;

/// A function of two operands of one type.
#[track_caller]
pub(crate) fn binary<T: Element>(op: Binary, l: &Expr<T>, r: &Expr<T>) -> Expr<T> {
    Expr::of(complex::binary(
        op,
        l.graph(),
        r.graph(),
        Location::caller(),
    ))
}

/// An operator of two operands, of which each may be complex, for [`crate::operators_of`].
#[doc(hidden)]
#[track_caller]
pub fn of_graphs<T: Element>(op: Binary, l: &Graph, r: &Graph) -> Expr<T> {
    Expr::of(complex::binary(op, l, r, Location::caller()))
}

/// What stands on the right of `+`, `-`, `*` or `/`, on whose left there are elements of type `T`.
/// A real number stands beside a complex one as it is: none becomes complex.
pub trait Beside<T> {
    /// The type of the result.
    type Output: Number;

    /// It as a graph.
    #[doc(hidden)]
    #[track_caller]
    fn beside(self) -> Graph;
}

impl<T: Number> Beside<T> for T {
    type Output = T;

    #[track_caller]
    fn beside(self) -> Graph {
        crate::parameter(self).graph().clone()
    }
}

macro_rules! mixed {
    ($($left:ty, $own:ty, $output:ty;)*) => {$(
        impl Beside<$left> for $own {
            type Output = $output;

            #[track_caller]
            fn beside(self) -> Graph {
                crate::parameter(self).graph().clone()
            }
        }
    )*};
}

mixed! {
    f32, Complex<f32>, Complex<f32>;
    Complex<f32>, f32, Complex<f32>;
    f64, Complex<f64>, Complex<f64>;
    Complex<f64>, f64, Complex<f64>;
}

/// `-x`.
#[doc(hidden)]
#[track_caller]
pub fn negated<T: Signed>(x: &Expr<T>) -> Expr<T> {
    Expr::of(complex::negated(x.graph(), Location::caller()))
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
        $crate::operators_of!(@beside $of);
        $crate::operators_of!(@arithmetic $of, Add, add);
        $crate::operators_of!(@arithmetic $of, Sub, sub);
        $crate::operators_of!(@arithmetic $of, Mul, mul);
        $crate::operators_of!(@arithmetic $of, Div, div);
        $crate::operators_of!(@all $of, RealNumber, Rem, rem, Rem; i32 i64 u32 u64 f16 bf16 f32 f64);
        $crate::operators_of!(@all $of, Bits, BitAnd, bitand, And; bool i32 i64 u32 u64);
        $crate::operators_of!(@all $of, Bits, BitOr, bitor, Or; bool i32 i64 u32 u64);
        $crate::operators_of!(@all $of, Bits, BitXor, bitxor, Xor; bool i32 i64 u32 u64);
        $crate::operators_of!(@all $of, Integer, Shl, shl, Shl; i32 i64 u32 u64);
        $crate::operators_of!(@all $of, Integer, Shr, shr, Shr; i32 i64 u32 u64);
        $crate::operators_of!(@unary $of, Signed, Neg, neg, negated);
        $crate::operators_of!(@unary $of, Bits, Not, not, inverted);
    };
    (@all $of:ident, $bound:ident, $trait:ident, $method:ident, $op:ident; $($number:ident)*) => {
        $crate::operators_of!(@left $bound, $trait, $method, $op, [$of<T>]);
        $crate::operators_of!(@left $bound, $trait, $method, $op, [&$of<T>]);
        $($crate::operators_of!(@right $trait, $method, $op, $crate::$number, [$of<$crate::$number>]);)*
        $($crate::operators_of!(@right $trait, $method, $op, $crate::$number, [&$of<$crate::$number>]);)*
    };
    (@beside $of:ident) => {
        $crate::operators_of!(@beside T, T, T, [$of<T>]; <T: $crate::Number>);
        $crate::operators_of!(@beside T, T, T, [&$of<T>]; <T: $crate::Number>);
        $crate::operators_of!(@mixed $of, f32);
        $crate::operators_of!(@mixed $of, f64);
    };
    (@mixed $of:ident, $part:ty) => {
        $crate::operators_of!(@beside $part, $crate::Complex<$part>, $crate::Complex<$part>, [$of<$crate::Complex<$part>>];);
        $crate::operators_of!(@beside $part, $crate::Complex<$part>, $crate::Complex<$part>, [&$of<$crate::Complex<$part>>];);
        $crate::operators_of!(@beside $crate::Complex<$part>, $part, $crate::Complex<$part>, [$of<$part>];);
        $crate::operators_of!(@beside $crate::Complex<$part>, $part, $crate::Complex<$part>, [&$of<$part>];);
    };
    (@beside $left:ty, $own:ty, $output:ty, [$of:ty]; $($generic:tt)*) => {
        impl $($generic)* $crate::Beside<$left> for $of {
            type Output = $output;

            #[track_caller]
            fn beside(self) -> $crate::Graph {
                $crate::Operand::<$own>::expr(self).graph().clone()
            }
        }
    };
    (@arithmetic $of:ident, $trait:ident, $method:ident) => {
        $crate::operators_of!(@joined $trait, $method, [$of<T>]);
        $crate::operators_of!(@joined $trait, $method, [&$of<T>]);
        $crate::operators_of!(@numbers $of, $trait, $method; i32 i64 u32 u64 f16 bf16 f32 f64);
        $crate::operators_of!(@complex $of, $trait, $method; f32 f64);
    };
    (@joined $trait:ident, $method:ident, [$left:ty]) => {
        impl<T: $crate::Number, R: $crate::Beside<T>> std::ops::$trait<R> for $left {
            type Output = $crate::Expr<R::Output>;

            #[track_caller]
            fn $method(self, right: R) -> $crate::Expr<R::Output> {
                let left = $crate::Operand::<T>::expr(self);
                let right = $crate::Beside::<T>::beside(right);
                $crate::operators::of_graphs($crate::Binary::$trait, left.graph(), &right)
            }
        }
    };
    (@numbers $of:ident, $trait:ident, $method:ident; $($number:ident)*) => {$(
        $crate::operators_of!(@number $trait, $method, $crate::$number, $crate::$number, [$of<$crate::$number>]);
        $crate::operators_of!(@number $trait, $method, $crate::$number, $crate::$number, [&$of<$crate::$number>]);
    )*};
    (@complex $of:ident, $trait:ident, $method:ident; $($part:ty)*) => {$(
        $crate::operators_of!(@number $trait, $method, $part, $crate::Complex<$part>, [$of<$crate::Complex<$part>>]);
        $crate::operators_of!(@number $trait, $method, $part, $crate::Complex<$part>, [&$of<$crate::Complex<$part>>]);
        $crate::operators_of!(@number $trait, $method, $crate::Complex<$part>, $crate::Complex<$part>, [$of<$crate::Complex<$part>>]);
        $crate::operators_of!(@number $trait, $method, $crate::Complex<$part>, $crate::Complex<$part>, [&$of<$crate::Complex<$part>>]);
        $crate::operators_of!(@number $trait, $method, $crate::Complex<$part>, $crate::Complex<$part>, [$of<$part>]);
        $crate::operators_of!(@number $trait, $method, $crate::Complex<$part>, $crate::Complex<$part>, [&$of<$part>]);
    )*};
    (@number $trait:ident, $method:ident, $number:ty, $output:ty, [$right:ty]) => {
        impl std::ops::$trait<$right> for $number {
            type Output = $crate::Expr<$output>;

            #[track_caller]
            fn $method(self, right: $right) -> $crate::Expr<$output> {
                let left = $crate::parameter::<$number>(self);
                let right = $crate::Operand::expr(right);
                $crate::operators::of_graphs($crate::Binary::$trait, left.graph(), right.graph())
            }
        }
    };
    (@left $bound:ident, $trait:ident, $method:ident, $op:ident, [$left:ty]) => {
        impl<T: $crate::$bound, R: $crate::Operand<T>> std::ops::$trait<R> for $left {
            type Output = $crate::Expr<T>;

            #[track_caller]
            fn $method(self, right: R) -> $crate::Expr<T> {
                let left = $crate::Operand::<T>::expr(self);
                let right = $crate::Operand::<T>::expr(right);
                $crate::operators::of_graphs($crate::Binary::$op, left.graph(), right.graph())
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
                $crate::operators::of_graphs($crate::Binary::$op, left.graph(), right.graph())
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
