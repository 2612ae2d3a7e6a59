//! Float arithmetic, minima and maxima.

use super::attrs::FASTMATH_ATTR;
use super::{canonicalize, fold_float};
use terrace_ir::constraint::FLOAT_LIKE as FLOAT;
use terrace_ir::op;

/// Two operands and a result of one float type, with fast-math flags.
macro_rules! binary {
    ($($(#[doc = $d:literal])* $t:ident = $n:literal { $($rest:tt)* })*) => { op! { $(
        $(#[doc = $d])* $t = $n {
            operands: [lhs: FLOAT, rhs: FLOAT],
            results: [result: FLOAT],
            attrs: [fastmath: FASTMATH_ATTR],
            format: "$lhs `,` $rhs (`fastmath` `<` $fastmath^ `>`)? attr-dict `:` type($result)",
            $($rest)*
        }
    )* } };
}

op! {
    /// The sign inverted.
    NegFOp = "arith.negf" {
        operands: [operand: FLOAT],
        results: [result: FLOAT],
        attrs: [fastmath: FASTMATH_ATTR],
        traits: PURE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        format: "$operand (`fastmath` `<` $fastmath^ `>`)? attr-dict `:` type($result)",
        fold: fold_float::negf,
    }
}

binary! {
    /// The sum.
    AddFOp = "arith.addf" {
        traits: PURE | COMMUTATIVE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        fold: fold_float::addf,
    }

    /// The difference.
    SubFOp = "arith.subf" {
        traits: PURE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        fold: fold_float::subf,
    }

    /// The product.
    MulFOp = "arith.mulf" {
        traits: PURE | COMMUTATIVE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        fold: fold_float::mulf,
        canonicalize: canonicalize::mulf,
    }

    /// The quotient.
    DivFOp = "arith.divf" {
        traits: PURE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        fold: fold_float::divf,
        canonicalize: canonicalize::divf,
    }

    /// The remainder of the quotient rounded towards zero, with the sign of the
    /// dividend.
    RemFOp = "arith.remf" {
        traits: PURE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        fold: fold_float::remf,
    }

    /// The greater; NaN if either is, and +0 above -0.
    MaximumFOp = "arith.maximumf" {
        traits: PURE | COMMUTATIVE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        fold: fold_float::maximumf,
    }

    /// The greater; the number if one is NaN.
    MaxNumFOp = "arith.maxnumf" {
        traits: PURE | COMMUTATIVE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        fold: fold_float::maxnumf,
    }

    /// The lesser; NaN if either is, and -0 below +0.
    MinimumFOp = "arith.minimumf" {
        traits: PURE | COMMUTATIVE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        fold: fold_float::minimumf,
    }

    /// The lesser; the number if one is NaN.
    MinNumFOp = "arith.minnumf" {
        traits: PURE | COMMUTATIVE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        fold: fold_float::minnumf,
    }
}
