//! Conversions between integers, floats and index.

use super::attrs::{
    BITCASTABLE, FIXED_INT_LIKE as INT, INDEX_CASTABLE, OPTIONAL_FASTMATH, OVERFLOW_ATTR,
    ROUNDING_ATTR,
};
use super::{canonicalize, fold_cast, verify};
use terrace_ir::constraint::FLOAT_LIKE as FLOAT;
use terrace_ir::op;

op! {
    /// A wider integer with zeros in the new bits.
    ExtUIOp = "arith.extui" {
        operands: [in: INT],
        results: [out: INT],
        traits: PURE | SAME_OPERANDS_AND_RESULT_SHAPE | ELEMENTWISE,
        format: "$in attr-dict `:` type($in) `to` type($out)",
        verify_types: verify::tensor_sizes,
        verify: verify::wider_int,
        fold: fold_cast::extui,
    }

    /// A wider integer with the sign in the new bits.
    ExtSIOp = "arith.extsi" {
        operands: [in: INT],
        results: [out: INT],
        traits: PURE | SAME_OPERANDS_AND_RESULT_SHAPE | ELEMENTWISE,
        format: "$in attr-dict `:` type($in) `to` type($out)",
        verify_types: verify::tensor_sizes,
        verify: verify::wider_int,
        fold: fold_cast::extsi,
        canonicalize: canonicalize::extsi,
    }

    /// The same number in a wider float format.
    ExtFOp = "arith.extf" {
        operands: [in: FLOAT],
        results: [out: FLOAT],
        attrs: [fastmath: OPTIONAL_FASTMATH],
        traits: PURE | SAME_OPERANDS_AND_RESULT_SHAPE | ELEMENTWISE,
        format: "$in (`fastmath` `<` $fastmath^ `>`)? attr-dict `:` type($in) `to` type($out)",
        verify_types: verify::tensor_sizes,
        verify: verify::wider_float,
        fold: fold_cast::extf,
    }

    /// A wider float times a scale, as the OCP microscaling formats have it: the scale
    /// counts only by its exponent.
    ScalingExtFOp = "arith.scaling_extf" {
        operands: [in: FLOAT, scale: FLOAT],
        results: [out: FLOAT],
        attrs: [fastmath: OPTIONAL_FASTMATH],
        traits: PURE | ELEMENTWISE,
        format: "$in `,` $scale (`fastmath` `<` $fastmath^ `>`)? attr-dict `:` type($in) `,` type($scale) `to` type($out)",
        verify_types: verify::tensor_sizes,
        verify: verify::wider_float,
    }

    /// The low bits of an integer.
    TruncIOp = "arith.trunci" {
        operands: [in: INT],
        results: [out: INT],
        attrs: [overflowFlags: OVERFLOW_ATTR],
        traits: PURE | SAME_OPERANDS_AND_RESULT_SHAPE | ELEMENTWISE,
        format: "$in (`overflow` `<` $overflowFlags^ `>`)? attr-dict `:` type($in) `to` type($out)",
        verify_types: verify::tensor_sizes,
        verify: verify::shorter_int,
        fold: fold_cast::trunci,
        canonicalize: canonicalize::trunci,
    }

    /// The number rounded to a shorter float format.
    TruncFOp = "arith.truncf" {
        operands: [in: FLOAT],
        results: [out: FLOAT],
        attrs: [roundingmode: ROUNDING_ATTR, fastmath: OPTIONAL_FASTMATH],
        traits: PURE | SAME_OPERANDS_AND_RESULT_SHAPE | ELEMENTWISE,
        format: "$in ($roundingmode^)? (`fastmath` `<` $fastmath^ `>`)? attr-dict `:` type($in) `to` type($out)",
        verify_types: verify::tensor_sizes,
        verify: verify::shorter_float,
        fold: fold_cast::truncf,
        canonicalize: canonicalize::truncf,
    }

    /// A shorter float of the number divided by a scale; see `arith.scaling_extf`.
    ScalingTruncFOp = "arith.scaling_truncf" {
        operands: [in: FLOAT, scale: FLOAT],
        results: [out: FLOAT],
        attrs: [roundingmode: ROUNDING_ATTR, fastmath: OPTIONAL_FASTMATH],
        traits: PURE | ELEMENTWISE,
        format: "$in `,` $scale ($roundingmode^)? (`fastmath` `<` $fastmath^ `>`)? attr-dict `:` type($in) `,` type($scale) `to` type($out)",
        verify_types: verify::tensor_sizes,
        verify: verify::shorter_float,
    }

    /// The float nearest to an unsigned integer.
    UIToFPOp = "arith.uitofp" {
        operands: [in: INT],
        results: [out: FLOAT],
        traits: PURE | SAME_OPERANDS_AND_RESULT_SHAPE | ELEMENTWISE,
        format: "$in attr-dict `:` type($in) `to` type($out)",
        verify_types: verify::tensor_sizes,
        verify: verify::cast_shapes,
        fold: fold_cast::uitofp,
    }

    /// The float nearest to a signed integer.
    SIToFPOp = "arith.sitofp" {
        operands: [in: INT],
        results: [out: FLOAT],
        traits: PURE | SAME_OPERANDS_AND_RESULT_SHAPE | ELEMENTWISE,
        format: "$in attr-dict `:` type($in) `to` type($out)",
        verify_types: verify::tensor_sizes,
        verify: verify::cast_shapes,
        fold: fold_cast::sitofp,
    }

    /// The unsigned integer of a float, rounded towards zero; poison where it does not
    /// fit.
    FPToUIOp = "arith.fptoui" {
        operands: [in: FLOAT],
        results: [out: INT],
        traits: PURE | SAME_OPERANDS_AND_RESULT_SHAPE | ELEMENTWISE,
        format: "$in attr-dict `:` type($in) `to` type($out)",
        verify_types: verify::tensor_sizes,
        verify: verify::cast_shapes,
        fold: fold_cast::fptoui,
    }

    /// The signed integer of a float, rounded towards zero; poison where it does not
    /// fit.
    FPToSIOp = "arith.fptosi" {
        operands: [in: FLOAT],
        results: [out: INT],
        traits: PURE | SAME_OPERANDS_AND_RESULT_SHAPE | ELEMENTWISE,
        format: "$in attr-dict `:` type($in) `to` type($out)",
        verify_types: verify::tensor_sizes,
        verify: verify::cast_shapes,
        fold: fold_cast::fptosi,
    }

    /// Between index and integers: sign-extended or cut off.
    IndexCastOp = "arith.index_cast" {
        operands: [in: INDEX_CASTABLE],
        results: [out: INDEX_CASTABLE],
        traits: PURE | SAME_OPERANDS_AND_RESULT_SHAPE | ELEMENTWISE,
        format: "$in attr-dict `:` type($in) `to` type($out)",
        verify_types: verify::tensor_sizes,
        verify: verify::index_cast,
        fold: fold_cast::index_cast,
        canonicalize: canonicalize::index_cast,
    }

    /// Between index and integers: zero-extended or cut off.
    IndexCastUIOp = "arith.index_castui" {
        operands: [in: INDEX_CASTABLE],
        results: [out: INDEX_CASTABLE],
        traits: PURE | SAME_OPERANDS_AND_RESULT_SHAPE | ELEMENTWISE,
        format: "$in attr-dict `:` type($in) `to` type($out)",
        verify_types: verify::tensor_sizes,
        verify: verify::index_cast,
        fold: fold_cast::index_castui,
        canonicalize: canonicalize::index_castui,
    }

    /// The same bits as another type of the same width.
    BitcastOp = "arith.bitcast" {
        operands: [in: BITCASTABLE],
        results: [out: BITCASTABLE],
        traits: PURE | SAME_OPERANDS_AND_RESULT_SHAPE | ELEMENTWISE,
        format: "$in attr-dict `:` type($in) `to` type($out)",
        verify_types: verify::tensor_sizes,
        verify: verify::bitcast,
        fold: fold_cast::bitcast,
        canonicalize: canonicalize::bitcast,
    }
}
