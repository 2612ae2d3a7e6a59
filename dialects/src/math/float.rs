//! Functions of floats.

use super::fold;
use crate::arith::{FASTMATH_ATTR, i1_like};
use terrace_ir::constraint::{BOOL_LIKE, FLOAT_LIKE as FLOAT, SIGNLESS_INT_LIKE};
use terrace_ir::opdef::Verified;
use terrace_ir::{Context, Op, OpState, Type, op};

/// An operand and a result of one float type, with fast-math flags.
macro_rules! unary {
    ($($(#[doc = $d:literal])* $t:ident = $n:literal { $($rest:tt)* })*) => { op! { $(
        $(#[doc = $d])* $t = $n {
            operands: [operand: FLOAT],
            results: [result: FLOAT],
            attrs: [fastmath: FASTMATH_ATTR],
            traits: PURE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
            format: "$operand (`fastmath` `<` $fastmath^ `>`)? attr-dict `:` type($result)",
            $($rest)*
        }
    )* } };
}

/// Two operands and a result of one float type, with fast-math flags.
macro_rules! binary {
    ($($(#[doc = $d:literal])* $t:ident = $n:literal { $($rest:tt)* })*) => { op! { $(
        $(#[doc = $d])* $t = $n {
            operands: [lhs: FLOAT, rhs: FLOAT],
            results: [result: FLOAT],
            attrs: [fastmath: FASTMATH_ATTR],
            traits: PURE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
            format: "$lhs `,` $rhs (`fastmath` `<` $fastmath^ `>`)? attr-dict `:` type($result)",
            $($rest)*
        }
    )* } };
}

/// A question about a float, answered element by element.
macro_rules! classify {
    ($($(#[doc = $d:literal])* $t:ident = $n:literal { $($rest:tt)* })*) => { op! { $(
        $(#[doc = $d])* $t = $n {
            operands: [operand: FLOAT],
            results: [result: BOOL_LIKE],
            attrs: [fastmath: FASTMATH_ATTR],
            traits: PURE | ELEMENTWISE,
            format: "$operand attr-dict `:` type($operand)",
            infer: infer_bool,
            verify_types: verify_bool,
            $($rest)*
        }
    )* } };
}

unary! {
    /// The distance from zero.
    AbsFOp = "math.absf" {
        fold: fold::absf,
    }

    /// The arc cosine.
    AcosOp = "math.acos" {
        fold: fold::acos,
    }

    /// The inverse hyperbolic cosine.
    AcoshOp = "math.acosh" {
        fold: fold::acosh,
    }

    /// The arc sine.
    AsinOp = "math.asin" {
        fold: fold::asin,
    }

    /// The inverse hyperbolic sine.
    AsinhOp = "math.asinh" {
        fold: fold::asinh,
    }

    /// The arc tangent.
    AtanOp = "math.atan" {
        fold: fold::atan,
    }

    /// The inverse hyperbolic tangent.
    AtanhOp = "math.atanh" {
        fold: fold::atanh,
    }

    /// The cube root.
    CbrtOp = "math.cbrt" {}

    /// Rounded up to an integral value.
    CeilOp = "math.ceil" {
        fold: fold::ceil,
    }

    /// The cosine.
    CosOp = "math.cos" {
        fold: fold::cos,
    }

    /// The hyperbolic cosine.
    CoshOp = "math.cosh" {
        fold: fold::cosh,
    }

    /// The error function.
    ErfOp = "math.erf" {
        fold: fold::erf,
    }

    /// One minus the error function.
    ErfcOp = "math.erfc" {
        fold: fold::erfc,
    }

    /// e to the power of the operand.
    ExpOp = "math.exp" {
        fold: fold::exp,
    }

    /// 2 to the power of the operand.
    Exp2Op = "math.exp2" {
        fold: fold::exp2,
    }

    /// e to the power of the operand, minus 1, exact near zero.
    ExpM1Op = "math.expm1" {
        fold: fold::expm1,
    }

    /// Rounded down to an integral value.
    FloorOp = "math.floor" {
        fold: fold::floor,
    }

    /// The natural logarithm.
    LogOp = "math.log" {
        fold: fold::log,
    }

    /// The logarithm to base 10.
    Log10Op = "math.log10" {
        fold: fold::log10,
    }

    /// The natural logarithm of one plus the operand, exact near zero.
    Log1pOp = "math.log1p" {
        fold: fold::log1p,
    }

    /// The logarithm to base 2.
    Log2Op = "math.log2" {
        fold: fold::log2,
    }

    /// Rounded to the nearest integral value, ties away from zero.
    RoundOp = "math.round" {
        fold: fold::round,
    }

    /// Rounded to the nearest integral value, ties to even.
    RoundEvenOp = "math.roundeven" {
        fold: fold::roundeven,
    }

    /// One divided by the square root.
    RsqrtOp = "math.rsqrt" {}

    /// The sine.
    SinOp = "math.sin" {
        fold: fold::sin,
    }

    /// The hyperbolic sine.
    SinhOp = "math.sinh" {
        fold: fold::sinh,
    }

    /// The square root.
    SqrtOp = "math.sqrt" {
        fold: fold::sqrt,
    }

    /// The tangent.
    TanOp = "math.tan" {
        fold: fold::tan,
    }

    /// The hyperbolic tangent.
    TanhOp = "math.tanh" {
        fold: fold::tanh,
    }

    /// Rounded towards zero to an integral value.
    TruncOp = "math.trunc" {
        fold: fold::trunc,
    }
}

binary! {
    /// The angle of the point (rhs, lhs).
    Atan2Op = "math.atan2" {
        fold: fold::atan2,
    }

    /// The magnitude of the first with the sign of the second.
    CopySignOp = "math.copysign" {
        fold: fold::copysign,
    }

    /// The first to the power of the second.
    PowFOp = "math.powf" {
        fold: fold::powf,
    }
}

classify! {
    /// Whether it is neither infinite nor NaN.
    IsFiniteOp = "math.isfinite" {
        fold: fold::isfinite,
    }

    /// Whether it is infinite.
    IsInfOp = "math.isinf" {
        fold: fold::isinf,
    }

    /// Whether it is NaN.
    IsNaNOp = "math.isnan" {
        fold: fold::isnan,
    }

    /// Whether it is neither zero, subnormal, infinite nor NaN.
    IsNormalOp = "math.isnormal" {
        fold: fold::isnormal,
    }
}

op! {
    /// The value if it lies between two bounds, else the nearer bound; NaN if any
    /// operand is.
    ClampFOp = "math.clampf" {
        operands: [value: FLOAT, min: FLOAT, max: FLOAT],
        results: [result: FLOAT],
        attrs: [fastmath: FASTMATH_ATTR],
        traits: PURE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        format: "$value `to` ` ` `[` $min `,` $max `]` (`fastmath` `<` $fastmath^ `>`)? attr-dict `:` type($result)",
    }

    /// `a * b + c`, rounded once.
    FmaOp = "math.fma" {
        operands: [a: FLOAT, b: FLOAT, c: FLOAT],
        results: [result: FLOAT],
        attrs: [fastmath: FASTMATH_ATTR],
        traits: PURE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        format: "$a `,` $b `,` $c (`fastmath` `<` $fastmath^ `>`)? attr-dict `:` type($result)",
    }

    /// A float to the power of a signed integer.
    FPowIOp = "math.fpowi" {
        operands: [lhs: FLOAT, rhs: SIGNLESS_INT_LIKE],
        results: [result: FLOAT],
        attrs: [fastmath: FASTMATH_ATTR],
        same_type: [[lhs, result]],
        traits: PURE | SAME_OPERANDS_AND_RESULT_SHAPE | ELEMENTWISE,
        format: "$lhs `,` $rhs (`fastmath` `<` $fastmath^ `>`)? attr-dict `:` type($lhs) `,` type($rhs)",
    }

    /// Sine and cosine at once.
    SincosOp = "math.sincos" {
        operands: [operand: FLOAT],
        results: [sin: FLOAT, cos: FLOAT],
        attrs: [fastmath: FASTMATH_ATTR],
        same_type: [[operand, sin, cos]],
        traits: PURE | SAME_OPERANDS_AND_RESULT_SHAPE | ELEMENTWISE,
        format: "$operand (`fastmath` `<` $fastmath^ `>`)? attr-dict `:` type($operand)",
    }
}

fn infer_bool(ctx: &Context, s: &OpState) -> Result<Vec<Type>, String> {
    match s.operands.first() {
        Some(v) => Ok(vec![i1_like(ctx, v.ty(ctx))]),
        None => Err("needs an operand to know its result type".into()),
    }
}

fn verify_bool(ctx: &Context, op: Op) -> Verified {
    if op.result(ctx, 0).ty(ctx) != i1_like(ctx, op.operand(ctx, 0).ty(ctx)) {
        return Err(
            "failed to verify that result type has i1 element type and same shape as operands"
                .into(),
        );
    }
    Ok(())
}
