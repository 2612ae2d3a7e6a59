//! Mirrors of which the program asks the flags.
//!
//! A copy of a whole array tells its flags that both sides are valid; copies of parts leave
//! them as they are. Pieces of such a copy would leave the flags at what they were, and the
//! next `xfer.ensure` would copy again. So these copies stay whole, unless nobody asks.

use crate::xfer::arrays::handed_by;
use crate::xfer::optimize::views;
use terrace_dialects::xfer::handed::handed;
use terrace_dialects::{func, xfer};
use terrace_ir::{Context, Op, Value};

/// Whether anything that comes after a copy may ask the flags of a mirror: an op of the
/// function, a function that it is handed to, or whoever called.
pub fn are_asked(ctx: &Context, function: Op, mirror: Value) -> bool {
    let all = views(ctx, mirror);
    let args = function.body(ctx, 0).args(ctx);
    let mut given = handed(ctx, function).unwrap_or_default().into_iter();
    given.any(|h| h.flags && args.get(h.mirror) == Some(&mirror))
        || all
            .iter()
            .flat_map(|v| v.users(ctx))
            .any(|op| match op.name(ctx) {
                xfer::EnsureOp::NAME | xfer::PrefetchOp::NAME => true,
                func::CallOp::NAME => handed_by(ctx, op)
                    .iter()
                    .any(|h| h.flags && all.contains(&op.operand(ctx, h.mirror))),
                _ => false,
            })
}
