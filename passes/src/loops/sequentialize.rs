//! Parallel loops as sequential ones: one order out of those allowed.

use terrace_dialects::{affine, arith, scf};
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind, Value};

/// Replace an affine parallel loop by a nest of loops that run one iteration after another;
/// gives these, the outermost first. `None`, with nothing changed, where it reduces.
pub(crate) fn affine_in_order(
    ctx: &mut Context,
    p: affine::ParallelOp,
) -> Option<Vec<affine::ForOp>> {
    if p.op().num_results(ctx) > 0 {
        return None;
    }
    let (lower, upper) = (p.lower_operands(ctx), p.upper_operands(ctx));
    let (ivs, steps, ops) = (p.ivs(ctx), p.steps(ctx), p.body(ctx).ops(ctx));
    let mut b = Builder::before(ctx, p.op());
    let mut loops = Vec::new();
    for (i, (iv, step)) in ivs.into_iter().zip(steps).enumerate() {
        let lower = (p.lower_map_of(b.ctx, i), &lower[..]);
        let upper = (p.upper_map_of(b.ctx, i), &upper[..]);
        let l = affine::ForOp::build(&mut b, lower, upper, step, &[], |_, _, _| Vec::new());
        let loc = iv.loc(b.ctx);
        l.body(b.ctx).set_arg_loc(b.ctx, 0, loc);
        iv.replace_all_uses(b.ctx, l.iv(b.ctx));
        loops.push(l);
        b.at = InsertPoint::Start(l.body(b.ctx));
    }
    let end = loops.last()?.body(b.ctx).last_op(b.ctx)?;
    for op in ops.into_iter().filter(|o| !o.isa::<affine::YieldOp>(b.ctx)) {
        op.move_before(b.ctx, end);
    }
    p.op().erase(b.ctx);
    Some(loops)
}

/// Replace a loop over a space of points by a parallel loop over the same points.
/// `None`, with nothing changed, where it has shared outputs, which only tensors are.
pub fn forall_to_parallel(ctx: &mut Context, f: scf::ForallOp) -> Option<scf::ParallelOp> {
    if !f.outputs(ctx).is_empty() {
        return None;
    }
    let (lower, upper, steps) = (f.lower_bounds(ctx), f.upper_bounds(ctx), f.steps(ctx));
    let (body, ivs) = (f.body(ctx), f.induction_vars(ctx));
    let mut b = Builder::before(ctx, f.op());
    let mut values = |bounds: Vec<scf::Bound>| -> Vec<Value> {
        let value = |bound| match bound {
            scf::Bound::Constant(c) => arith::constant_index(&mut b, c),
            scf::Bound::Value(v) => v,
        };
        bounds.into_iter().map(value).collect()
    };
    let (lower, upper, steps) = (values(lower), values(upper), values(steps));
    let (p, target) = scf::ParallelOp::build(&mut b, &lower, &upper, &steps, &[]);
    for (old, new) in ivs.into_iter().zip(target.args(b.ctx)) {
        old.replace_all_uses(b.ctx, new);
    }
    for o in body.ops(b.ctx) {
        if !o.isa::<scf::InParallelOp>(b.ctx) {
            o.move_to_end(b.ctx, target);
        }
    }
    b.at = InsertPoint::End(target);
    scf::ReduceOp::build(&mut b, &[]);
    f.op().erase(b.ctx);
    Some(p)
}

/// Replace a parallel loop by nested `scf.for` loops that carry its reductions; gives the
/// outermost.
pub fn sequentialize(ctx: &mut Context, p: scf::ParallelOp) -> Option<Op> {
    let op = p.op();
    let bounds: Vec<_> = p
        .lower_bounds(ctx)
        .into_iter()
        .zip(p.upper_bounds(ctx))
        .zip(p.steps(ctx))
        .map(|((l, u), s)| (l, u, s))
        .collect();
    let (ivs, inits, body) = (p.induction_vars(ctx), p.init_vals(ctx), p.body(ctx));
    let reduce = p.reduce_op(ctx);
    let types = op.result_types(ctx);
    let mut b = Builder::before(ctx, op);
    let mut carried = inits;
    let mut outer: Vec<Op> = Vec::new();
    for ((l, u, s), iv) in bounds.into_iter().zip(ivs) {
        let state = b
            .state::<scf::ForOp>()
            .operands(&[l, u, s])
            .operands(&carried)
            .results(&types)
            .regions(1);
        let f = b.create(state);
        let index = b.ctx.index();
        let args = [&[index][..], &types].concat();
        let block = f.region(b.ctx, 0).add_block(b.ctx, &args);
        iv.replace_all_uses(b.ctx, block.arg(b.ctx, 0));
        carried = block.args(b.ctx)[1..].to_vec();
        outer.push(f);
        b.at = InsertPoint::End(block);
    }
    let innermost = outer.last()?.body(b.ctx, 0);
    for o in body.ops(b.ctx) {
        if Some(o) != reduce.map(|r| r.op()) {
            o.move_to_end(b.ctx, innermost);
        }
    }
    let mut yielded = Vec::new();
    if let Some(r) = reduce {
        for (i, v) in r.op().operands(b.ctx).into_iter().enumerate() {
            let combine = r.op().body(b.ctx, i);
            let (x, y) = (combine.arg(b.ctx, 0), combine.arg(b.ctx, 1));
            x.replace_all_uses(b.ctx, carried[i]);
            y.replace_all_uses(b.ctx, v);
            for o in combine.ops(b.ctx) {
                if o.isa::<scf::ReduceReturnOp>(b.ctx) {
                    yielded.push(o.operand(b.ctx, 0));
                } else {
                    o.move_to_end(b.ctx, innermost);
                }
            }
        }
    }
    for f in outer.iter().rev() {
        b.at = InsertPoint::End(f.body(b.ctx, 0));
        b.op::<scf::YieldOp>(&yielded, &[], &[]);
        yielded = f.results(b.ctx);
    }
    op.replace(b.ctx, &yielded);
    outer.first().copied()
}
