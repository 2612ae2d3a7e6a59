//! Which indices are known not to be negative.

use terrace_dialects::arith::{AddIOp, MaxSIOp, MinSIOp, MulIOp, overflow, overflow_of};
use terrace_dialects::memref;
use terrace_dialects::scf::{ForOp, ParallelOp};
use terrace_ir::{Context, Value};

/// Whether an index is known not to be negative.
pub(super) fn is_not_negative(ctx: &Context, v: Value) -> bool {
    if let Some(c) = ctx.constant_int(v) {
        return c >= 0;
    }
    if let Some(block) = v.arg_block() {
        let around = block.parent_op(ctx);
        if let Some(f) = around.and_then(|op| op.cast::<ForOp>(ctx)) {
            let steps = ctx.constant_int(f.step(ctx)).is_some_and(|s| s > 0);
            let counts = f.induction_var(ctx) == v && !f.is_unsigned(ctx) && steps;
            return counts && is_not_negative(ctx, f.lower_bound(ctx));
        }
        if let Some(p) = around.and_then(|op| op.cast::<ParallelOp>(ctx)) {
            let place = p.body(ctx).args(ctx).iter().position(|iv| *iv == v);
            let lower = place.and_then(|i| p.lower_bounds(ctx).get(i).copied());
            return lower.is_some_and(|l| is_not_negative(ctx, l));
        }
        return false;
    }
    let Some(op) = v.def_op() else {
        return false;
    };
    let exact = overflow_of(ctx, op) & overflow::NSW != 0;
    let mut operands = op.operands(ctx).into_iter();
    match op.name(ctx) {
        MulIOp::NAME | AddIOp::NAME if exact => operands.all(|v| is_not_negative(ctx, v)),
        MinSIOp::NAME => operands.all(|v| is_not_negative(ctx, v)),
        MaxSIOp::NAME => operands.any(|v| is_not_negative(ctx, v)),
        memref::DimOp::NAME => true,
        _ => false,
    }
}
