//! Ops that go, alone or in favour of other values.

use super::{Pick, backwards, stand_in};
use crate::ir::opdef::traits;
use crate::ir::{Context, Op};

/// Whether an op could go without another op in its place. Symbols go with their uses,
/// in `functions.rs`.
fn may_go(ctx: &Context, op: Op) -> bool {
    op.def(ctx)
        .is_none_or(|d| !d.is_terminator() && !d.has(traits::SYMBOL))
}

/// Ops; what is used of them is replaced by one of their operands, a constant or an
/// earlier value.
pub fn remove(ctx: &mut Context, module: Op, pick: &mut Pick) {
    for op in backwards(ctx, module) {
        if may_go(ctx, op) && pick.wants() {
            stand_in::replace(ctx, op, stand_in::any);
        }
    }
}

/// Ops whose results are used, by zeros or ones.
pub fn replace_by_constants(ctx: &mut Context, module: Op, pick: &mut Pick) {
    for op in backwards(ctx, module) {
        if !op.has_uses(ctx) || !may_go(ctx, op) || ctx.constant_value(op).is_some() {
            continue;
        }
        for value in [0, 1] {
            if pick.wants()
                && stand_in::replace(ctx, op, |ctx, op, ty| {
                    stand_in::constant(ctx, op, ty, value)
                })
            {
                break;
            }
        }
    }
}

/// Ops whose results are used, by the first values of their types.
pub fn replace_by_earlier(ctx: &mut Context, module: Op, pick: &mut Pick) {
    for op in backwards(ctx, module) {
        if op.has_uses(ctx) && may_go(ctx, op) && pick.wants() {
            stand_in::replace(ctx, op, |ctx, op, ty| stand_in::earlier(ctx, op, ty));
        }
    }
}
