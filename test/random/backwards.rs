//! Parallel loops run backwards: another of the orders in which their iterations may
//! come, which the interpreter would not choose.

use terrace::dialects::affine::{ForOp, ParallelOp, YieldOp};
use terrace::dialects::arith::{self, AddIOp, CeilDivSIOp, MulIOp, SubIOp};
use terrace::dialects::scf;
use terrace::ir::{Builder, Context, Op, OpKind};
use terrace::passes::loops::reverse::reverse;

/// Replace every parallel loop of one variable and without results by a sequential one
/// that runs from its last iteration to its first.
pub fn run_backwards(ctx: &mut Context, root: Op) {
    for p in root.find_all::<scf::ParallelOp>(ctx) {
        if p.num_loops(ctx) == 1 && p.op().num_results(ctx) == 0 {
            scf_backwards(ctx, p);
        }
    }
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

/// A loop over `0..trips` whose counter is `lower + (trips - 1 - k) * step`.
fn scf_backwards(ctx: &mut Context, p: scf::ParallelOp) {
    let bounds = [
        p.lower_bounds(ctx)[0],
        p.upper_bounds(ctx)[0],
        p.steps(ctx)[0],
    ];
    let [lower, upper, step] = bounds;
    let (old, iv) = (p.body(ctx), p.induction_vars(ctx)[0]);
    let index = ctx.index();
    let mut b = Builder::before(ctx, p.op());
    let room = b.value::<SubIOp>(&[upper, lower], index, &[]);
    let trips = b.value::<CeilDivSIOp>(&[room, step], index, &[]);
    let zero = arith::constant_index(&mut b, 0);
    let one = arith::constant_index(&mut b, 1);
    let last = b.value::<SubIOp>(&[trips, one], index, &[]);
    let l = scf::ForOp::build_with(&mut b, (zero, trips, one), &[], |b, k, _| {
        let left = b.value::<SubIOp>(&[last, k], index, &[]);
        let offset = b.value::<MulIOp>(&[left, step], index, &[]);
        let at = b.value::<AddIOp>(&[lower, offset], index, &[]);
        iv.replace_all_uses(b.ctx, at);
        Vec::new()
    });
    let ctx = b.ctx;
    if let Some(end) = l.body(ctx).last_op(ctx) {
        for op in old.ops(ctx) {
            if !op.isa::<scf::ReduceOp>(ctx) {
                op.move_before(ctx, end);
            }
        }
    }
    p.op().erase(ctx);
}
