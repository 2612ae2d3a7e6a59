//! Parallel loops run backwards: another of the orders in which their iterations may
//! come, which the interpreter would not choose.

use terrace::dialects::affine::{ForOp, ParallelOp, YieldOp};
use terrace::ir::{Builder, Context, Op, OpKind};
use terrace::passes::schedule::mechanics::reverse::reverse;

/// Replace every parallel loop of one variable and without results by a sequential one
/// that runs from its last iteration to its first.
pub fn run_backwards(ctx: &mut Context, root: Op) {
    for p in root.find_all::<ParallelOp>(ctx) {
        if p.num_loops(ctx) != 1 || p.op().num_results(ctx) > 0 {
            continue;
        }
        let (lower, lower_operands) = (p.lower_map_of(ctx, 0), p.lower_operands(ctx));
        let (upper, upper_operands) = (p.upper_map_of(ctx, 0), p.upper_operands(ctx));
        let (step, old) = (p.steps(ctx)[0], p.body(ctx));
        let mut b = Builder::before(ctx, p.op());
        let lower = (lower, &lower_operands[..]);
        let upper = (upper, &upper_operands[..]);
        let l = ForOp::build(&mut b, lower, upper, step, &[], |_, _, _| Vec::new());
        let ctx = b.ctx;
        let Some(end) = l.body(ctx).last_op(ctx) else {
            continue;
        };
        for op in old.ops(ctx) {
            if !op.isa::<YieldOp>(ctx) {
                op.move_before(ctx, end);
            }
        }
        let iv = l.iv(ctx);
        p.ivs(ctx)[0].replace_all_uses(ctx, iv);
        p.op().erase(ctx);
        // One that starts at a maximum and has a step stays as it is.
        let _ = reverse(ctx, l);
    }
}
