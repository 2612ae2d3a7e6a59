//! A changed copy of a function in its place.

use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Context, Op};

/// Makes `function` what `other` is, which stays as it is.
pub fn become_as(ctx: &mut Context, function: Op, other: Op) {
    let copy = clone_op(ctx, other, &mut IrMapping::new());
    take_over(ctx, function, copy);
    function.set_attrs(ctx, &copy.attrs(ctx));
    copy.erase(ctx);
}

/// The body of `copy` in place of that of `function`.
pub fn take_over(ctx: &mut Context, function: Op, copy: Op) {
    function.drop_all_references(ctx);
    for (now, then) in function.regions(ctx).into_iter().zip(copy.regions(ctx)) {
        for b in now.blocks(ctx) {
            b.unlink(ctx);
            b.erase(ctx);
        }
        then.move_blocks_to(ctx, now);
    }
}
