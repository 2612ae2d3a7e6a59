//! Loops as parallel loops.

use crate::analysis::reduction::Reduction;
use terrace_dialects::affine::{ForOp, ParallelOp};
use terrace_ir::affine::AffineMap;
use terrace_ir::{Builder, Context, OpKind, Value};

/// An `affine.parallel` before `l` that runs its iterations, with the body of `l` in it.
/// An iteration yields `contributions`, which it combines as their kinds say. The
/// values that `l` carries are arguments of the body still, and `l` is left without
/// one: who asks for it gives the former a meaning, and replaces the latter.
pub(crate) fn parallel_form(
    ctx: &mut Context,
    l: ForOp,
    contributions: &[(Value, i64)],
) -> ParallelOp {
    let op = l.op();
    let (lower, lower_operands) = (l.lower_map(ctx).clone(), l.lower_operands(ctx));
    let (upper, upper_operands) = (l.upper_map(ctx).clone(), l.upper_operands(ctx));
    let step = l.step(ctx);
    let (values, kinds): (Vec<Value>, Vec<i64>) = contributions.iter().copied().unzip();
    let types: Vec<_> = values.iter().map(|v| v.ty(ctx)).collect();
    let one = |m: AffineMap| [m];
    let mut b = Builder::before(ctx, op);
    let new = ParallelOp::build(
        &mut b,
        (&one(lower), &lower_operands),
        (&one(upper), &upper_operands),
        &[step],
        &kinds,
        &types,
        |_, _| Vec::new(),
    );
    let target = new.op().region(ctx, 0);
    for block in target.blocks(ctx) {
        block.unlink(ctx);
        block.erase(ctx);
    }
    op.region(ctx, 0).move_blocks_to(ctx, target);
    if let Some(end) = new.body(ctx).last_op(ctx) {
        end.set_operands(ctx, &values);
    }
    new
}

/// Replace `l` by an `affine.parallel` of the same iterations, which is given.
pub fn parallelize(ctx: &mut Context, l: ForOp, reductions: &[Reduction]) -> ParallelOp {
    let op = l.op();
    let (inits, types) = (l.inits(ctx), op.result_types(ctx));
    // What an iteration contributes may be the result of a loop that was replaced since it was
    // looked for.
    let contribution = |(r, arg): (&Reduction, Value)| {
        let at = usize::from(r.combiner.operand(ctx, 0) == arg);
        (r.combiner.operand(ctx, at), r.kind as i64)
    };
    let each = reductions.iter().zip(l.iter_args(ctx));
    let contributions: Vec<_> = each.map(contribution).collect();
    let new = parallel_form(ctx, l, &contributions);
    let body = new.body(ctx);
    // What comes out has to be combined with what went in.
    let mut results = Vec::new();
    let mut b = Builder::after(ctx, new.op());
    for (i, r) in reductions.iter().enumerate() {
        let v = new.op().result(b.ctx, i);
        let combined = r.kind.combine(&mut b, inits[i], v, types[i]);
        results.push(combined);
    }
    for r in reductions {
        r.combiner.erase(ctx);
    }
    while body.num_args(ctx) > 1 {
        body.erase_arg(ctx, body.num_args(ctx) - 1);
    }
    op.replace(ctx, &results);
    new
}
