//! A changed copy of a function in its place.

use terrace_ir::{Context, Op};

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
