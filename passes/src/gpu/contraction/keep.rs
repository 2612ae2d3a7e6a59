//! A nest with some of its stores alone.

use terrace_dialects::affine;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::is_pure;
use terrace_ir::{Context, Op};

/// Puts a copy of `root` with the given stores and what they need in front of it.
pub(crate) fn with_stores(ctx: &mut Context, root: Op, kept: &[Op]) -> Op {
    let copy = clone_op(ctx, root, &mut IrMapping::new());
    copy.insert_before(ctx, root);
    // Both have the same ops in the same order.
    let pairs: Vec<(Op, Op)> = (root.pre_order(ctx).into_iter())
        .zip(copy.pre_order(ctx))
        .collect();
    for (of_root, of_copy) in &pairs {
        if of_root.name(ctx) == affine::StoreOp::NAME && !kept.contains(of_root) {
            of_copy.erase(ctx);
        }
    }
    // What only the others needed, from the last use to the first and from inside out.
    for op in copy.pre_order(ctx).into_iter().rev() {
        let unused = op != copy && !op.has_uses(ctx);
        let idle = match op.name(ctx) {
            affine::LoadOp::NAME => true,
            _ if op.num_regions(ctx) == 0 => is_pure(ctx, op) && op.num_results(ctx) > 0,
            affine::ForOp::NAME => !stores(ctx, op),
            _ => false,
        };
        if unused && idle {
            op.erase(ctx);
        }
    }
    copy
}

fn stores(ctx: &Context, root: Op) -> bool {
    let mut found = false;
    root.walk(ctx, &mut |o| found |= o.name(ctx) == affine::StoreOp::NAME);
    found
}
