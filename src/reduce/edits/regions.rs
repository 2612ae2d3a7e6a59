//! Regions: their ops without the op around them, or nothing in them.

use super::{Pick, backwards, stand_in};
use crate::ir::opdef::{RegionKind, traits};
use crate::ir::{Block, Context, Op, Region, Value};

/// Ops with regions of one block, by what is in one of the regions.
pub fn inline(ctx: &mut Context, module: Op, pick: &mut Pick) {
    for op in backwards(ctx, module) {
        let keeps = traits::ISOLATED | traits::TERMINATOR;
        if op.def(ctx).is_some_and(|d| d.traits & keeps != 0) {
            continue;
        }
        for region in op.regions(ctx) {
            if region.has_one_block(ctx)
                && pick.wants()
                && let Some(body) = region.entry(ctx)
                && inline_body(ctx, op, body)
            {
                break;
            }
        }
    }
}

/// Puts the ops of `body` in place of `op`, which holds it. Counters of loops become
/// zero, values that loops carry what they begin as.
fn inline_body(ctx: &mut Context, op: Op, body: Block) -> bool {
    let arguments = body.args(ctx);
    for (i, argument) in arguments.iter().enumerate() {
        if !argument.has_uses(ctx) {
            continue;
        }
        let ty = argument.ty(ctx);
        let init = initial(ctx, op, arguments.len() - i).filter(|v| v.ty(ctx) == ty);
        let Some(v) = init.or_else(|| stand_in::constant_or_any(ctx, op, ty)) else {
            return false;
        };
        argument.replace_all_uses(ctx, v);
    }
    let end = body.terminator(ctx);
    let yielded = end.map(|o| o.operands(ctx)).unwrap_or_default();
    // A condition of a loop comes before what is handed on.
    let skip = yielded.len().saturating_sub(op.num_results(ctx));
    for (i, result) in op.results(ctx).into_iter().enumerate() {
        if !result.has_uses(ctx) {
            continue;
        }
        let ty = result.ty(ctx);
        let out = yielded.get(skip + i).copied();
        let out = out.filter(|v| v.ty(ctx) == ty && v.def_op() != Some(op));
        let Some(v) = out.or_else(|| stand_in::any(ctx, op, ty)) else {
            return false;
        };
        result.replace_all_uses(ctx, v);
    }
    for o in body.ops(ctx) {
        if Some(o) != end {
            o.move_before(ctx, op);
        }
    }
    op.erase(ctx);
    true
}

/// What a loop hands to the argument of its body that is `from_end`-last, where that is a
/// carried value.
fn initial(ctx: &Context, op: Op, from_end: usize) -> Option<Value> {
    let carried = op.def(ctx)?.has(traits::LOOP_LIKE) && from_end <= op.num_results(ctx);
    let at = op.num_operands(ctx).checked_sub(from_end)?;
    carried.then(|| op.operand(ctx, at))
}

/// What is in regions that may be empty.
pub fn empty(ctx: &mut Context, module: Op, pick: &mut Pick) {
    for op in backwards(ctx, module) {
        for (i, region) in op.regions(ctx).into_iter().enumerate() {
            let kind = op
                .def(ctx)
                .and_then(|d| Some(d.regions.get(i.min(d.regions.len().checked_sub(1)?))?.kind));
            if matches!(
                kind,
                None | Some(RegionKind::Any | RegionKind::AtMostOneBlock)
            ) && !region.is_empty(ctx)
                && pick.wants()
            {
                clear(ctx, region);
            }
        }
    }
}

pub fn clear(ctx: &mut Context, region: Region) {
    let blocks = region.blocks(ctx);
    for op in blocks.iter().flat_map(|b| b.ops(ctx)) {
        op.drop_all_references(ctx);
    }
    for block in blocks {
        block.erase(ctx);
    }
}
