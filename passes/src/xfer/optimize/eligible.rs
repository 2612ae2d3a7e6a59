//! Whose copies are placed: functions in which nothing is asynchronous, and arrays that are
//! copied as a whole.

use super::super::arrays::{Array, is_on_device};
use crate::analysis::memory::{is_root, is_view};
use terrace_dialects::{gpu, xfer};
use terrace_ir::{Context, Op, OpKind, Value};

/// Whether anything in a function goes on while the host does something else: what is
/// placed there would have to be in order with it.
pub(in crate::xfer) fn is_asynchronous(ctx: &Context, function: Op) -> bool {
    let token = gpu::async_token(ctx);
    let ops = function.pre_order(ctx).into_iter();
    let mut types = ops.flat_map(|o| o.result_types(ctx));
    types.any(|t| t == token)
}

/// Whether the mirror is only copied as a whole to and from its array, so that its
/// copies can be placed. Copies of parts are the author's.
pub(in crate::xfer) fn is_simple(ctx: &Context, a: &Array) -> bool {
    let whole = a
        .create
        .is_none_or(|c| c.array(ctx) == a.host && c.op().attr(ctx, xfer::FIXED).is_none())
        && is_root(ctx, a.host);
    let ours = |op: Op| match op.cast::<xfer::CopyOp>(ctx) {
        Some(c) => {
            let (src, dst) = (c.src(ctx), c.dst(ctx));
            // On the device it uses the mirror as a kernel does.
            let inside = is_on_device(ctx, c);
            inside || (src == a.host && dst == a.mirror) || (src == a.mirror && dst == a.host)
        }
        None => true,
    };
    whole
        && views(ctx, a.mirror)
            .into_iter()
            .all(|v| v.users(ctx).into_iter().all(ours))
}

/// A memref and the views of it.
pub(in crate::xfer) fn views(ctx: &Context, v: Value) -> Vec<Value> {
    let mut out = vec![v];
    let mut at = 0;
    while at < out.len() {
        for user in out[at].users(ctx) {
            if is_view(ctx, user) && user.operand(ctx, 0) == out[at] {
                out.extend(user.results(ctx));
            }
        }
        at += 1;
    }
    out
}
