//! Integer arithmetic, bitwise ops, shifts, minima and maxima.

use super::attrs::OVERFLOW_ATTR;
use super::{canonicalize, fold_int, names};
use terrace_ir::constraint::{BOOL_LIKE, SIGNLESS_INT_LIKE as INT, UNIT_ATTR};
use terrace_ir::num::Int;
use terrace_ir::{Context, Op, op};

/// Two operands and a result of one integer type.
macro_rules! binary {
    ($($(#[doc = $d:literal])* $t:ident = $n:literal { $($rest:tt)* })*) => { op! { $(
        $(#[doc = $d])* $t = $n {
            operands: [lhs: INT, rhs: INT],
            results: [result: INT],
            format: "$lhs `,` $rhs attr-dict `:` type($result)",
            $($rest)*
        }
    )* } };
}

/// As `binary`, with flags that promise no overflow.
macro_rules! binary_overflow {
    ($($(#[doc = $d:literal])* $t:ident = $n:literal { $($rest:tt)* })*) => { op! { $(
        $(#[doc = $d])* $t = $n {
            operands: [lhs: INT, rhs: INT],
            results: [result: INT],
            attrs: [overflowFlags: OVERFLOW_ATTR],
            format: "$lhs `,` $rhs (`overflow` `<` $overflowFlags^ `>`)? attr-dict `:` type($result)",
            $($rest)*
        }
    )* } };
}

/// As `binary`, with a flag that promises that no bit of the result is lost.
macro_rules! binary_exact {
    ($($(#[doc = $d:literal])* $t:ident = $n:literal { $($rest:tt)* })*) => { op! { $(
        $(#[doc = $d])* $t = $n {
            operands: [lhs: INT, rhs: INT],
            results: [result: INT],
            attrs: [isExact: UNIT_ATTR],
            format: "$lhs `,` $rhs (`exact` $isExact^)? attr-dict `:` type($result)",
            $($rest)*
        }
    )* } };
}

binary_overflow! {
    /// The sum, wrapped to the width.
    AddIOp = "arith.addi" {
        traits: PURE | COMMUTATIVE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        fold: fold_int::addi,
        canonicalize: canonicalize::addi,
    }

    /// The difference, wrapped to the width.
    SubIOp = "arith.subi" {
        traits: PURE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        fold: fold_int::subi,
        canonicalize: canonicalize::subi,
    }

    /// The product, wrapped to the width.
    MulIOp = "arith.muli" {
        traits: PURE | COMMUTATIVE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        fold: fold_int::muli,
        canonicalize: canonicalize::muli,
        result_names: names::vscale,
    }

    /// The first operand shifted left by the second, read as unsigned; a shift by the
    /// width or more is poison.
    ShLIOp = "arith.shli" {
        traits: PURE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        fold: fold_int::shli,
    }
}

op! {
    /// The unsigned sum and whether it overflows.
    AddUIExtendedOp = "arith.addui_extended" {
        operands: [lhs: INT, rhs: INT],
        results: [sum: INT, overflow: BOOL_LIKE],
        same_type: [[lhs, rhs, sum]],
        traits: PURE | COMMUTATIVE | ELEMENTWISE,
        format: "$lhs `,` $rhs attr-dict `:` type($sum) `,` type($overflow)",
        fold: fold_int::addui_extended,
        canonicalize: canonicalize::addui_extended,
    }

    /// Low and high half of the signed product.
    MulSIExtendedOp = "arith.mulsi_extended" {
        operands: [lhs: INT, rhs: INT],
        results: [low: INT, high: INT],
        same_type: [[lhs, rhs, low, high]],
        traits: PURE | COMMUTATIVE | ELEMENTWISE,
        format: "$lhs `,` $rhs attr-dict `:` type($lhs)",
        fold: fold_int::mulsi_extended,
        canonicalize: canonicalize::mulsi_extended,
    }

    /// Low and high half of the unsigned product.
    MulUIExtendedOp = "arith.mului_extended" {
        operands: [lhs: INT, rhs: INT],
        results: [low: INT, high: INT],
        same_type: [[lhs, rhs, low, high]],
        traits: PURE | COMMUTATIVE | ELEMENTWISE,
        format: "$lhs `,` $rhs attr-dict `:` type($lhs)",
        fold: fold_int::mului_extended,
        canonicalize: canonicalize::mului_extended,
    }
}

// Divisions by what may be zero must not be moved to where they did not run. The remainders and
// `floordivsi` are pure in spite of that, as upstream declares them: they may be computed again.
binary_exact! {
    /// The unsigned quotient, rounded towards zero.
    DivUIOp = "arith.divui" {
        traits: NO_EFFECT | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        fold: fold_int::divui,
        speculatable: speculate_unsigned_division,
    }

    /// The signed quotient, rounded towards zero.
    DivSIOp = "arith.divsi" {
        traits: NO_EFFECT | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        fold: fold_int::divsi,
        speculatable: speculate_signed_division,
    }

    /// Shifted right, zeros shifted in; a shift by the width or more is poison.
    ShRUIOp = "arith.shrui" {
        traits: PURE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        fold: fold_int::shrui,
    }

    /// Shifted right, the sign shifted in; a shift by the width or more is poison.
    ShRSIOp = "arith.shrsi" {
        traits: PURE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        fold: fold_int::shrsi,
    }
}

binary! {
    /// The unsigned quotient, rounded up.
    CeilDivUIOp = "arith.ceildivui" {
        traits: NO_EFFECT | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        fold: fold_int::ceildivui,
        speculatable: speculate_unsigned_division,
    }

    /// The signed quotient, rounded up.
    CeilDivSIOp = "arith.ceildivsi" {
        traits: NO_EFFECT | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        fold: fold_int::ceildivsi,
        speculatable: speculate_signed_division,
    }

    /// The signed quotient, rounded down.
    FloorDivSIOp = "arith.floordivsi" {
        traits: PURE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        fold: fold_int::floordivsi,
        speculatable: speculate_signed_division,
    }

    /// The unsigned remainder.
    RemUIOp = "arith.remui" {
        traits: PURE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        fold: fold_int::remui,
        speculatable: speculate_unsigned_division,
    }

    /// The signed remainder, with the sign of the dividend.
    RemSIOp = "arith.remsi" {
        traits: PURE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        fold: fold_int::remsi,
        speculatable: speculate_signed_division,
    }

    /// Bitwise and.
    AndIOp = "arith.andi" {
        traits: PURE | COMMUTATIVE | IDEMPOTENT | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        fold: fold_int::andi,
        canonicalize: canonicalize::andi,
    }

    /// Bitwise or.
    OrIOp = "arith.ori" {
        traits: PURE | COMMUTATIVE | IDEMPOTENT | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        fold: fold_int::ori,
        canonicalize: canonicalize::ori,
    }

    /// Bitwise exclusive or.
    XOrIOp = "arith.xori" {
        traits: PURE | COMMUTATIVE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        fold: fold_int::xori,
        canonicalize: canonicalize::xori,
    }

    /// The greater as signed.
    MaxSIOp = "arith.maxsi" {
        traits: PURE | COMMUTATIVE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        fold: fold_int::maxsi,
    }

    /// The greater as unsigned.
    MaxUIOp = "arith.maxui" {
        traits: PURE | COMMUTATIVE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        fold: fold_int::maxui,
    }

    /// The lesser as signed.
    MinSIOp = "arith.minsi" {
        traits: PURE | COMMUTATIVE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        fold: fold_int::minsi,
    }

    /// The lesser as unsigned.
    MinUIOp = "arith.minui" {
        traits: PURE | COMMUTATIVE | SAME_OPERANDS_AND_RESULT_TYPE | ELEMENTWISE,
        fold: fold_int::minui,
    }
}

/// Every element of a constant divisor.
fn divisors(ctx: &Context, op: Op) -> Option<Vec<Int>> {
    let c = ctx.constant_of(op.operand(ctx, 1))?;
    Some(super::Elements::of(ctx, c)?.values)
}

/// By a constant without zeros.
fn speculate_unsigned_division(ctx: &Context, op: Op) -> bool {
    divisors(ctx, op).is_some_and(|v| v.iter().all(|d| !d.is_zero()))
}

/// By a constant without zeros, nor -1, by which the least value overflows.
fn speculate_signed_division(ctx: &Context, op: Op) -> bool {
    divisors(ctx, op).is_some_and(|v| v.iter().all(|d| !d.is_zero() && !d.is_all_ones()))
}
