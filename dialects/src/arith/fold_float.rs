//! Folding of float arithmetic.

use super::NegFOp;
use super::attrs::{fastmath, fastmath_of};
use super::elements::{binary, float_of, unary};
use super::fold_int::definition;
use terrace_ir::num::Float;
use terrace_ir::opdef::Fold;
use terrace_ir::{Attr, Context, Op};

type Constants<'a> = &'a [Option<Attr>];

fn constants(ctx: &Context, op: Op, c: Constants, f: fn(&Float, &Float) -> Float) -> Fold {
    Fold::maybe(binary(ctx, c, op.result(ctx, 0).ty(ctx), |a, b| {
        Some(f(a, b))
    }))
}

/// The first operand where the second is such a constant, else of constants `f`.
fn with_neutral(
    ctx: &Context,
    op: Op,
    c: Constants,
    neutral: impl Fn(&Float) -> bool,
    f: fn(&Float, &Float) -> Float,
) -> Fold {
    if float_of(ctx, c[1]).is_some_and(|v| neutral(&v)) {
        return Fold::value(op.operand(ctx, 0));
    }
    constants(ctx, op, c, f)
}

pub(super) fn negf(ctx: &Context, op: Op, c: Constants) -> Fold {
    if let Some(inner) = definition::<NegFOp>(ctx, op.operand(ctx, 0)) {
        return Fold::value(inner.operand(ctx, 0));
    }
    Fold::maybe(unary(ctx, c[0], op.result(ctx, 0).ty(ctx), |a: &Float| {
        Some(a.neg())
    }))
}

pub(super) fn addf(ctx: &Context, op: Op, c: Constants) -> Fold {
    with_neutral(ctx, op, c, Float::is_neg_zero, Float::add)
}

pub(super) fn subf(ctx: &Context, op: Op, c: Constants) -> Fold {
    with_neutral(ctx, op, c, Float::is_pos_zero, Float::sub)
}

pub(super) fn mulf(ctx: &Context, op: Op, c: Constants) -> Fold {
    let flags = fastmath::NNAN | fastmath::NSZ;
    if fastmath_of(ctx, op) & flags == flags && float_of(ctx, c[1]).is_some_and(|v| v.is_zero()) {
        return Fold::value(op.operand(ctx, 1));
    }
    with_neutral(ctx, op, c, Float::is_one, Float::mul)
}

pub(super) fn divf(ctx: &Context, op: Op, c: Constants) -> Fold {
    with_neutral(ctx, op, c, Float::is_one, Float::div)
}

pub(super) fn remf(ctx: &Context, op: Op, c: Constants) -> Fold {
    constants(ctx, op, c, Float::rem)
}

/// A minimum or maximum of two equal values is that value.
fn extremum(
    ctx: &Context,
    op: Op,
    c: Constants,
    neutral: impl Fn(&Float) -> bool,
    f: fn(&Float, &Float) -> Float,
) -> Fold {
    if op.operand(ctx, 0) == op.operand(ctx, 1) {
        return Fold::value(op.operand(ctx, 1));
    }
    with_neutral(ctx, op, c, neutral, f)
}

pub(super) fn maximumf(ctx: &Context, op: Op, c: Constants) -> Fold {
    extremum(
        ctx,
        op,
        c,
        |v| v.is_inf() && v.is_negative(),
        Float::maximum,
    )
}

pub(super) fn maxnumf(ctx: &Context, op: Op, c: Constants) -> Fold {
    extremum(ctx, op, c, Float::is_nan, Float::maxnum)
}

pub(super) fn minimumf(ctx: &Context, op: Op, c: Constants) -> Fold {
    extremum(
        ctx,
        op,
        c,
        |v| v.is_inf() && !v.is_negative(),
        Float::minimum,
    )
}

pub(super) fn minnumf(ctx: &Context, op: Op, c: Constants) -> Fold {
    extremum(ctx, op, c, Float::is_nan, Float::minnum)
}
