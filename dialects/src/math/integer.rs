//! Functions of integers.

use super::fold;
use terrace_ir::constraint::SIGNLESS_INT_LIKE as INT;
use terrace_ir::op;

op! {
    /// The distance from zero; the smallest signed value is its own.
    AbsIOp = "math.absi" {
        operands: [operand: INT],
        results: [result: INT],
        traits: PURE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        format: "$operand attr-dict `:` type($result)",
        fold: fold::absi,
    }

    /// The number of zero bits above the highest set one.
    CountLeadingZerosOp = "math.ctlz" {
        operands: [operand: INT],
        results: [result: INT],
        traits: PURE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        format: "$operand attr-dict `:` type($result)",
        fold: fold::ctlz,
    }

    /// The number of zero bits below the lowest set one.
    CountTrailingZerosOp = "math.cttz" {
        operands: [operand: INT],
        results: [result: INT],
        traits: PURE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        format: "$operand attr-dict `:` type($result)",
        fold: fold::cttz,
    }

    /// The number of set bits.
    CtPopOp = "math.ctpop" {
        operands: [operand: INT],
        results: [result: INT],
        traits: PURE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        format: "$operand attr-dict `:` type($result)",
        fold: fold::ctpop,
    }

    /// A signed power, wrapped to the width; of a negative exponent, the reciprocal
    /// rounded towards zero.
    IPowIOp = "math.ipowi" {
        operands: [lhs: INT, rhs: INT],
        results: [result: INT],
        traits: PURE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        format: "$lhs `,` $rhs attr-dict `:` type($result)",
        fold: fold::ipowi,
    }
}
