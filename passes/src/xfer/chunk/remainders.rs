//! What a thread does where less than a whole group of rows is left, where the sizes say
//! that there always is a whole one.
//!
//! ```text
//! %whole = arith.cmpi slt, %row + 3, 4096     rows(%row, 4)
//! scf.if %whole {                          =>
//!   rows(%row, 4)
//! } else {
//!   scf.for %r = %row to 4096 { ... }
//! }
//! ```
//!
//! The loop ends where the array does, so the rows in it would not follow the blocks.

use crate::analysis::linear::Linear;
use crate::xfer::narrow::bounds::Known;
use crate::xfer::narrow::expand::expand;
use terrace_dialects::arith::{CmpIOp, CmpIPredicate};
use terrace_dialects::gpu::LaunchOp;
use terrace_dialects::scf;
use terrace_ir::{Context, Op, OpKind};

/// Takes away the branches whose condition constants show to hold.
pub fn remove(ctx: &mut Context, function: Op, launch: LaunchOp) {
    // One after the other: what is erased may have held the next.
    while let Some(branch) = next(ctx, function, launch) {
        let op = branch.op();
        let ops = branch.then_block(ctx).ops(ctx);
        for inside in ops.iter().take(ops.len().saturating_sub(1)) {
            inside.move_before(ctx, op);
        }
        op.erase(ctx);
    }
}

fn next(ctx: &Context, function: Op, launch: LaunchOp) -> Option<scf::IfOp> {
    let mut all = launch.op().find_all::<scf::IfOp>(ctx).into_iter();
    all.find(|b| b.op().num_results(ctx) == 0 && always_holds(ctx, function, *b) == Some(true))
}

/// Whether the condition of a branch with something in its else holds whenever it is asked.
fn always_holds(ctx: &Context, function: Op, branch: scf::IfOp) -> Option<bool> {
    let op = branch.op();
    op.region(ctx, 1).entry(ctx)?;
    let compare = branch.condition(ctx).def_op()?.cast::<CmpIOp>(ctx)?;
    let (a, b) = (compare.op().operand(ctx, 0), compare.op().operand(ctx, 1));
    if a.ty(ctx) != ctx.index() {
        return None;
    }
    use CmpIPredicate::{Sge, Sgt, Sle, Slt};
    // `less <= more`, or below it.
    let (less, more, strictly) = match compare.predicate(ctx)? {
        Slt => (a, b, true),
        Sle => (a, b, false),
        Sgt => (b, a, true),
        Sge => (b, a, false),
        _ => return None,
    };
    let over: Linear = expand(ctx, less).plus_times(&expand(ctx, more), -1)?;
    let known = Known::in_block(ctx, function, op.block(ctx)?);
    let most = known.upper(ctx, &over, &|_| false)?.as_constant()?;
    Some(match strictly {
        true => most < 0,
        false => most <= 0,
    })
}
