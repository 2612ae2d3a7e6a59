//! Results of ops, with what makes them in the op's regions.

use super::{Pick, backwards, operands, stand_in};
use crate::ir::opdef::traits;
use crate::ir::{Context, Op, OpState};

/// Results of loops, conditions and what else has regions.
pub fn remove(ctx: &mut Context, module: Op, pick: &mut Pick) {
    for op in backwards(ctx, module) {
        let mut op = op;
        for i in (0..op.num_results(ctx)).rev() {
            if op.num_regions(ctx) > 0
                && pick.wants()
                && let Some(rest) = remove_one(ctx, op, i)
            {
                op = rest;
            }
        }
    }
}

fn remove_one(ctx: &mut Context, op: Op, result: usize) -> Option<Op> {
    let results = op.num_results(ctx);
    let is_loop = op.has_trait(ctx, traits::LOOP_LIKE);
    let init = (op.num_operands(ctx) + result).checked_sub(results);
    let init =
        init.filter(|i| is_loop && op.operand(ctx, *i).ty(ctx) == op.result(ctx, result).ty(ctx));
    for region in op.regions(ctx) {
        let Some(body) = region.entry(ctx) else {
            continue;
        };
        if let Some(end) = body.terminator(ctx)
            && let Some(skip) = end.num_operands(ctx).checked_sub(results)
        {
            operands::erase(ctx, end, skip + result);
        }
        let argument = (body.num_args(ctx) + result).checked_sub(results);
        if let (Some(a), Some(i)) = (argument, init) {
            let value = body.arg(ctx, a);
            value.replace_all_uses(ctx, op.operand(ctx, i));
            body.erase_arg(ctx, a);
        }
    }
    let rest = without(ctx, op, result)?;
    if let Some(i) = init {
        operands::erase(ctx, rest, i);
    }
    if let Some(list) = rest.attr(ctx, "reductions").and_then(|a| a.as_array(ctx)) {
        let mut list = list.to_vec();
        if result < list.len() {
            list.remove(result);
        }
        rest.set_attr(ctx, "reductions", ctx.array_attr(list));
    }
    Some(rest)
}

/// The op again without a result, for which another value stands in where it is used.
pub fn without(ctx: &mut Context, op: Op, result: usize) -> Option<Op> {
    let gone = op.result(ctx, result);
    if gone.has_uses(ctx) {
        let v = stand_in::any(ctx, op, gone.ty(ctx))?;
        gone.replace_all_uses(ctx, v);
    }
    let mut state = OpState::like(ctx, op);
    state.operands = op.operands(ctx);
    state.result_types = op.result_types(ctx);
    state.result_types.remove(result);
    state.successors = op.successors(ctx);
    let rest = state.regions(op.num_regions(ctx)).create(ctx);
    rest.insert_before(ctx, op);
    for (from, to) in op.regions(ctx).into_iter().zip(rest.regions(ctx)) {
        from.move_blocks_to(ctx, to);
    }
    let mut old = op.results(ctx);
    old.remove(result);
    for (from, to) in old.into_iter().zip(rest.results(ctx)) {
        from.replace_all_uses(ctx, to);
    }
    op.erase(ctx);
    Some(rest)
}
