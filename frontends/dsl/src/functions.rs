//! Functions of expressions, as methods with Rust's names.

use crate::complex;
use crate::element::{Bits, Element, Float, Integer, Number, RealNumber, Scalar, Signed};
use crate::expr::{Expr, Operand, constant};
use crate::node::Kind;
use crate::op::{Binary, Compare, Unary, one_bits};
use crate::operators::{binary, of};

impl<T: Element> Expr<T> {
    #[track_caller]
    fn unary(&self, op: Unary, name: &'static str) -> Expr<T> {
        Expr::operation(Kind::Unary(op), name, &[self.graph().clone()])
    }

    #[track_caller]
    fn compare(&self, op: Compare, other: &Expr<T>) -> Expr<bool> {
        Expr::of(complex::compare(op, self.graph(), other.graph()))
    }

    /// Whether it equals the other.
    #[track_caller]
    pub fn eq(&self, other: impl Operand<T>) -> Expr<bool> {
        self.compare(Compare::Eq, &of(other))
    }

    /// Whether it differs from the other; a NaN does from all.
    #[track_caller]
    pub fn ne(&self, other: impl Operand<T>) -> Expr<bool> {
        self.compare(Compare::Ne, &of(other))
    }
}

impl<T: Scalar> Expr<T> {
    /// Whether it is less than the other.
    #[track_caller]
    pub fn lt(&self, other: impl Operand<T>) -> Expr<bool> {
        self.compare(Compare::Lt, &of(other))
    }

    /// Whether it is at most the other.
    #[track_caller]
    pub fn le(&self, other: impl Operand<T>) -> Expr<bool> {
        self.compare(Compare::Le, &of(other))
    }

    /// Whether it is greater than the other.
    #[track_caller]
    pub fn gt(&self, other: impl Operand<T>) -> Expr<bool> {
        self.compare(Compare::Gt, &of(other))
    }

    /// Whether it is at least the other.
    #[track_caller]
    pub fn ge(&self, other: impl Operand<T>) -> Expr<bool> {
        self.compare(Compare::Ge, &of(other))
    }

    /// It as another type, as Rust's `as` converts: a float is cut to an integer, and to the
    /// nearest one that there is; a NaN is 0. What is not 0 is `true`.
    #[track_caller]
    pub fn cast<U: Scalar>(&self) -> Expr<U> {
        Expr::operation(Kind::Cast, "cast", &[self.graph().clone()])
    }
}

impl Expr<bool> {
    /// The first where this holds, else the second. Both are computed.
    #[track_caller]
    pub fn select<T: Element>(&self, yes: impl Operand<T>, no: impl Operand<T>) -> Expr<T> {
        let (yes, no) = (of(yes), of(no));
        Expr::of(complex::select(self.graph(), yes.graph(), no.graph()))
    }
}

impl<T: RealNumber> Expr<T> {
    /// The lesser of both; of a NaN and a number the number.
    #[track_caller]
    pub fn min(&self, other: impl Operand<T>) -> Expr<T> {
        binary(Binary::Min, self, &of(other))
    }

    /// The greater of both; of a NaN and a number the number.
    #[track_caller]
    pub fn max(&self, other: impl Operand<T>) -> Expr<T> {
        binary(Binary::Max, self, &of(other))
    }
}

impl<T: Number> Expr<T> {
    /// Its power, by products: the same ones on each target. Of 0 it is 1, and below 0 it is one
    /// over the power, of integers 0 but for 1 and -1.
    #[track_caller]
    pub fn powi(&self, n: i32) -> Expr<T> {
        let one = constant(T::from_bits(one_bits(T::TYPE).into()));
        let (mut square, mut rest) = (self.clone(), n.unsigned_abs());
        let mut power: Option<Expr<T>> = None;
        while rest > 0 {
            if rest % 2 == 1 {
                power = Some(match power {
                    Some(p) => binary(Binary::Mul, &p, &square),
                    None => square.clone(),
                });
            }
            rest /= 2;
            if rest > 0 {
                square = binary(Binary::Mul, &square, &square);
            }
        }
        let power = power.unwrap_or_else(|| one.clone());
        match n < 0 {
            true => binary(Binary::Div, &one, &power),
            false => power,
        }
    }
}

impl<T: Signed + RealNumber> Expr<T> {
    /// The magnitude. Of the least integer it is that integer.
    #[track_caller]
    pub fn abs(&self) -> Expr<T> {
        self.unary(Unary::Abs, "abs")
    }
}

impl<T: Integer> Expr<T> {
    /// The number of bits that are set. Unlike Rust's method it gives a number of the same type.
    #[track_caller]
    pub fn count_ones(&self) -> Expr<T> {
        self.unary(Unary::CountOnes, "count_ones")
    }

    /// The number of bits above the highest one that is set. Unlike Rust's method it gives a number of the same type.
    #[track_caller]
    pub fn leading_zeros(&self) -> Expr<T> {
        self.unary(Unary::LeadingZeros, "leading_zeros")
    }

    /// The number of bits below the lowest one that is set. Unlike Rust's method it gives a number of the same type.
    #[track_caller]
    pub fn trailing_zeros(&self) -> Expr<T> {
        self.unary(Unary::TrailingZeros, "trailing_zeros")
    }
}

impl<T: Float> Expr<T> {
    /// The square root; a NaN of what is below 0.
    #[track_caller]
    pub fn sqrt(&self) -> Expr<T> {
        self.unary(Unary::Sqrt, "sqrt")
    }

    /// One over the square root.
    #[track_caller]
    pub fn rsqrt(&self) -> Expr<T> {
        self.unary(Unary::Rsqrt, "rsqrt")
    }

    /// The cube root.
    #[track_caller]
    pub fn cbrt(&self) -> Expr<T> {
        self.unary(Unary::Cbrt, "cbrt")
    }

    /// e to the power of it.
    #[track_caller]
    pub fn exp(&self) -> Expr<T> {
        self.unary(Unary::Exp, "exp")
    }

    /// 2 to the power of it.
    #[track_caller]
    pub fn exp2(&self) -> Expr<T> {
        self.unary(Unary::Exp2, "exp2")
    }

    /// e to the power of it, less 1, also where that is near 0.
    #[track_caller]
    pub fn exp_m1(&self) -> Expr<T> {
        self.unary(Unary::ExpM1, "exp_m1")
    }

    /// The natural logarithm.
    #[track_caller]
    pub fn ln(&self) -> Expr<T> {
        self.unary(Unary::Ln, "ln")
    }

    /// The logarithm of base 2.
    #[track_caller]
    pub fn log2(&self) -> Expr<T> {
        self.unary(Unary::Log2, "log2")
    }

    /// The logarithm of base 10.
    #[track_caller]
    pub fn log10(&self) -> Expr<T> {
        self.unary(Unary::Log10, "log10")
    }

    /// The natural logarithm of 1 and it, also where it is near 0.
    #[track_caller]
    pub fn ln_1p(&self) -> Expr<T> {
        self.unary(Unary::Ln1p, "ln_1p")
    }

    /// The sine of an angle in radians.
    #[track_caller]
    pub fn sin(&self) -> Expr<T> {
        self.unary(Unary::Sin, "sin")
    }

    /// The cosine of an angle in radians.
    #[track_caller]
    pub fn cos(&self) -> Expr<T> {
        self.unary(Unary::Cos, "cos")
    }

    /// The tangent of an angle in radians.
    #[track_caller]
    pub fn tan(&self) -> Expr<T> {
        self.unary(Unary::Tan, "tan")
    }

    /// The angle in radians that has this sine.
    #[track_caller]
    pub fn asin(&self) -> Expr<T> {
        self.unary(Unary::Asin, "asin")
    }

    /// The angle in radians that has this cosine.
    #[track_caller]
    pub fn acos(&self) -> Expr<T> {
        self.unary(Unary::Acos, "acos")
    }

    /// The angle in radians that has this tangent.
    #[track_caller]
    pub fn atan(&self) -> Expr<T> {
        self.unary(Unary::Atan, "atan")
    }

    /// The hyperbolic sine.
    #[track_caller]
    pub fn sinh(&self) -> Expr<T> {
        self.unary(Unary::Sinh, "sinh")
    }

    /// The hyperbolic cosine.
    #[track_caller]
    pub fn cosh(&self) -> Expr<T> {
        self.unary(Unary::Cosh, "cosh")
    }

    /// The hyperbolic tangent.
    #[track_caller]
    pub fn tanh(&self) -> Expr<T> {
        self.unary(Unary::Tanh, "tanh")
    }

    /// The inverse of the hyperbolic sine.
    #[track_caller]
    pub fn asinh(&self) -> Expr<T> {
        self.unary(Unary::Asinh, "asinh")
    }

    /// The inverse of the hyperbolic cosine.
    #[track_caller]
    pub fn acosh(&self) -> Expr<T> {
        self.unary(Unary::Acosh, "acosh")
    }

    /// The inverse of the hyperbolic tangent.
    #[track_caller]
    pub fn atanh(&self) -> Expr<T> {
        self.unary(Unary::Atanh, "atanh")
    }

    /// The error function.
    #[track_caller]
    pub fn erf(&self) -> Expr<T> {
        self.unary(Unary::Erf, "erf")
    }

    /// One less the error function, also where that is near 0.
    #[track_caller]
    pub fn erfc(&self) -> Expr<T> {
        self.unary(Unary::Erfc, "erfc")
    }

    /// The greatest integer that is not above it.
    #[track_caller]
    pub fn floor(&self) -> Expr<T> {
        self.unary(Unary::Floor, "floor")
    }

    /// The least integer that is not below it.
    #[track_caller]
    pub fn ceil(&self) -> Expr<T> {
        self.unary(Unary::Ceil, "ceil")
    }

    /// Its integer part.
    #[track_caller]
    pub fn trunc(&self) -> Expr<T> {
        self.unary(Unary::Trunc, "trunc")
    }

    /// The nearest integer, halves away from zero.
    #[track_caller]
    pub fn round(&self) -> Expr<T> {
        self.unary(Unary::Round, "round")
    }

    /// The nearest integer, halves to even ones.
    #[track_caller]
    pub fn round_ties_even(&self) -> Expr<T> {
        self.unary(Unary::RoundTiesEven, "round_ties_even")
    }

    /// It to the power of the other.
    #[track_caller]
    pub fn powf(&self, other: impl Operand<T>) -> Expr<T> {
        binary(Binary::Pow, self, &of(other))
    }

    /// The angle in radians of the point whose y is this and whose x is the other.
    #[track_caller]
    pub fn atan2(&self, other: impl Operand<T>) -> Expr<T> {
        binary(Binary::Atan2, self, &of(other))
    }

    /// It with the sign of the other.
    #[track_caller]
    pub fn copysign(&self, other: impl Operand<T>) -> Expr<T> {
        binary(Binary::CopySign, self, &of(other))
    }

    /// It times `a`, plus `b`, rounded once.
    #[track_caller]
    pub fn mul_add(&self, a: impl Operand<T>, b: impl Operand<T>) -> Expr<T> {
        let (a, b) = (of(a), of(b));
        let operands = [self.graph().clone(), a.graph().clone(), b.graph().clone()];
        Expr::operation(Kind::MulAdd, "mul_add", &operands)
    }

    /// Whether it is no number.
    #[track_caller]
    pub fn is_nan(&self) -> Expr<bool> {
        self.compare(Compare::Ne, self)
    }
}

macro_rules! bits_of_floats {
    ($($float:ty, $bits:ty;)*) => {$(
        impl Expr<$float> {
            /// Its bits as an integer.
            #[track_caller]
            pub fn to_bits(&self) -> Expr<$bits> {
                Expr::operation(Kind::Reinterpret, "to_bits", &[self.graph().clone()])
            }
        }

        impl Expr<$bits> {
            /// The float that has these bits.
            #[track_caller]
            pub fn float_from_bits(&self) -> Expr<$float> {
                Expr::operation(Kind::Reinterpret, "float_from_bits", &[self.graph().clone()])
            }
        }
    )*};
}

bits_of_floats! {
    f32, u32;
    f64, u64;
}

impl<T: Bits> Expr<T> {
    /// The bits that are set in this and not in the other.
    #[track_caller]
    pub fn and_not(&self, other: impl Operand<T>) -> Expr<T> {
        let other = crate::operators::inverted(&of(other));
        binary(Binary::And, self, &other)
    }
}
