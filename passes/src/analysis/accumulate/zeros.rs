//! Where the sign of a zero can be told.
//!
//! `-0.0` and `0.0` compare as equal, so that a search for the greatest value may find either. In
//! most programs none of them is negative, or nobody looks at the sign of what was found.

use terrace_dialects::arith::{
    AddFOp, CmpFOp, ExtFOp, MulFOp, NegFOp, SIToFPOp, SelectOp, SubFOp, TruncFOp, UIToFPOp,
};
use terrace_dialects::math::{AbsFOp, CosOp, CoshOp, Exp2Op, ExpOp, FmaOp, SqrtOp};
use terrace_ir::num::Float;
use terrace_ir::{AttrData, Context, Value};

/// How many ops values are followed through.
const DEPTH: u32 = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Zero {
    Negative,
    Positive,
}

fn constant(ctx: &Context, v: Value) -> Option<Float> {
    match ctx.constant_of(v)?.data(ctx) {
        AttrData::Float { value, .. } => Some(*value),
        _ => None,
    }
}

/// Whether a float may be this zero, where results are rounded to the nearest and subnormal ones
/// are kept.
pub(super) fn may_be(ctx: &Context, v: Value, zero: Zero) -> bool {
    may_be_within(ctx, v, zero, DEPTH)
}

fn may_be_within(ctx: &Context, v: Value, zero: Zero, depth: u32) -> bool {
    let negative = zero == Zero::Negative;
    if let Some(c) = constant(ctx, v) {
        return c.is_zero() && c.is_negative() == negative;
    }
    let Some(op) = v.def_op().filter(|_| depth > 0) else {
        return true;
    };
    let may = |i: usize, zero: Zero| may_be_within(ctx, op.operand(ctx, i), zero, depth - 1);
    match op.name(ctx) {
        AbsFOp::NAME | ExpOp::NAME | Exp2Op::NAME | SIToFPOp::NAME | UIToFPOp::NAME => !negative,
        // What is multiplied by itself has the sign of its square.
        MulFOp::NAME if op.operand(ctx, 0) == op.operand(ctx, 1) => !negative,
        SqrtOp::NAME | ExtFOp::NAME => may(0, zero),
        TruncFOp::NAME if negative => !is_nonnegative(ctx, op.operand(ctx, 0)) || may(0, zero),
        // A sum is the negative zero of such two alone: where numbers cancel it is the other.
        AddFOp::NAME if negative => may(0, zero) && may(1, zero),
        SubFOp::NAME if negative => may(0, zero) && may(1, Zero::Positive),
        NegFOp::NAME if negative => may(0, Zero::Positive),
        NegFOp::NAME => may(0, Zero::Negative),
        SelectOp::NAME => may(1, zero) || may(2, zero),
        _ => true,
    }
}

/// Whether a float is certainly zero, of either sign, or greater, or a NaN.
pub fn is_nonnegative(ctx: &Context, v: Value) -> bool {
    if let Some(c) = constant(ctx, v) {
        return c.is_zero() || !c.is_negative();
    }
    let Some(op) = v.def_op() else { return false };
    match op.name(ctx) {
        AbsFOp::NAME | ExpOp::NAME | Exp2Op::NAME | SqrtOp::NAME | UIToFPOp::NAME => true,
        MulFOp::NAME => op.operand(ctx, 0) == op.operand(ctx, 1),
        _ => false,
    }
}

/// Whether anything that is computed from a float tells the two zeros apart, as far as one can see.
pub fn sign_of_zero_counts(ctx: &Context, v: Value) -> bool {
    counts(ctx, v, DEPTH)
}

fn counts(ctx: &Context, v: Value, depth: u32) -> bool {
    v.uses(ctx).iter().any(|u| {
        let op = u.op;
        match op.name(ctx) {
            CmpFOp::NAME
            | AbsFOp::NAME
            | ExpOp::NAME
            | Exp2Op::NAME
            | CosOp::NAME
            | CoshOp::NAME => false,
            // At most the sign of a zero differs, again.
            AddFOp::NAME
            | SubFOp::NAME
            | MulFOp::NAME
            | FmaOp::NAME
            | NegFOp::NAME
            | ExtFOp::NAME
            | TruncFOp::NAME
            | SqrtOp::NAME
            | SelectOp::NAME => depth == 0 || counts(ctx, op.result(ctx, 0), depth - 1),
            _ => true,
        }
    })
}
