//! Values that come into an op from outside.

use terrace_ir::{Context, Op, Value};

/// The values that ops inside `op` use and that are defined outside it, in the order
/// of first use.
pub(crate) fn captured(ctx: &Context, op: Op) -> Vec<Value> {
    let mut out: Vec<Value> = Vec::new();
    for o in op.pre_order(ctx).into_iter().skip(1) {
        for v in o.operands(ctx) {
            if !is_in_body(ctx, op, v) && !out.contains(&v) {
                out.push(v);
            }
        }
    }
    out
}

/// Whether a value is made by `op` or what is in it, or is an argument of a block there.
pub(crate) fn is_inside(ctx: &Context, op: Op, v: Value) -> bool {
    let block = v.arg_block().and_then(|b| b.parent_op(ctx));
    let owner = v.def_op().or(block);
    owner.is_some_and(|o| op.is_ancestor_of(ctx, o))
}

/// Whether a value is made by what is in `op`, or is an argument of a block there. The results
/// of `op` itself are not in its body.
pub(crate) fn is_in_body(ctx: &Context, op: Op, v: Value) -> bool {
    let around = v.block(ctx).and_then(|b| b.parent_op(ctx));
    around.is_some_and(|o| op.is_ancestor_of(ctx, o))
}
