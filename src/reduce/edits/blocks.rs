//! Blocks that branch to one another.

use super::{Pick, backwards, operands, stand_in};
use crate::dialects::cf::BranchOp;
use crate::ir::rewrite::erase_unreachable_blocks;
use crate::ir::{Block, Builder, Context, Op, OpState, Region, Value};

fn regions(ctx: &Context, module: Op) -> Vec<Region> {
    let all = backwards(ctx, module).flat_map(|op| op.regions(ctx));
    all.filter(|r| !r.is_empty(ctx) && !r.has_one_block(ctx))
        .collect()
}

/// Branches of which one way is left, or none: what ends the region stands there then.
/// Blocks that nothing leads to go.
pub fn remove_branches(ctx: &mut Context, module: Op, pick: &mut Pick) {
    for region in regions(ctx, module) {
        let mut changed = false;
        for block in region.blocks(ctx) {
            let Some(end) = block.terminator(ctx) else {
                continue;
            };
            let ways = end.num_successors(ctx);
            if ways > 0 && pick.wants() && return_instead(ctx, region, end) {
                changed = true;
                continue;
            }
            for i in 0..ways {
                if ways > 1 && pick.wants() && go_one_way(ctx, end, i) {
                    changed = true;
                    break;
                }
            }
        }
        if changed {
            erase_unreachable_blocks(ctx, region);
        }
    }
}

fn go_one_way(ctx: &mut Context, end: Op, successor: usize) -> bool {
    let Some(handed) = end.def(ctx).and_then(|d| d.successor_operands) else {
        return false;
    };
    let handed: Vec<Value> = handed(ctx, end, successor)
        .map(|i| end.operand(ctx, i))
        .collect();
    let to = end.successor(ctx, successor);
    let mut b = Builder::before(ctx, end);
    let state = b.state::<BranchOp>().operands(&handed).successors(&[to]);
    b.create(state);
    end.erase(ctx);
    true
}

/// Puts a copy of an op that leaves the region in place of a branch.
fn return_instead(ctx: &mut Context, region: Region, end: Op) -> bool {
    let mut ends = region.blocks(ctx).into_iter();
    let Some(leave) = ends.find_map(|b| b.terminator(ctx).filter(|t| t.num_successors(ctx) == 0))
    else {
        return false;
    };
    let mut state = OpState::like(ctx, leave);
    for ty in leave.operand_types(ctx) {
        match stand_in::constant_or_any(ctx, end, ty) {
            Some(v) => state.operands.push(v),
            None => return false,
        }
    }
    let leave = state.create(ctx);
    leave.insert_before(ctx, end);
    end.erase(ctx);
    true
}

/// Blocks that one plain branch leads to, with the block it stands in.
pub fn merge(ctx: &mut Context, module: Op, pick: &mut Pick) {
    for region in regions(ctx, module) {
        for block in region.blocks(ctx).into_iter().rev() {
            if let [branch] = block.branches(ctx)[..]
                && branch.isa::<BranchOp>(ctx)
                && let Some(from) = branch.block(ctx)
                && from != block
                && !block.is_entry(ctx)
                && pick.wants()
            {
                for (a, v) in block.args(ctx).into_iter().zip(branch.operands(ctx)) {
                    a.replace_all_uses(ctx, v);
                }
                branch.erase(ctx);
                from.append_ops_of(ctx, block);
                block.erase(ctx);
            }
        }
    }
}

/// Arguments of blocks that branches lead to.
pub fn remove_arguments(ctx: &mut Context, module: Op, pick: &mut Pick) {
    for region in regions(ctx, module) {
        for block in region.blocks(ctx).into_iter().skip(1) {
            for i in (0..block.num_args(ctx)).rev() {
                if pick.wants() {
                    remove_argument(ctx, block, i);
                }
            }
        }
    }
}

fn remove_argument(ctx: &mut Context, block: Block, argument: usize) {
    let value = block.arg(ctx, argument);
    if value.has_uses(ctx) {
        let Some(first) = block.first_op(ctx) else {
            return;
        };
        let ty = value.ty(ctx);
        let other = stand_in::earlier(ctx, first, ty)
            .filter(|v| *v != value)
            .or_else(|| stand_in::constant(ctx, first, ty, 0));
        match other {
            Some(v) => value.replace_all_uses(ctx, v),
            None => return,
        }
    }
    let mut branches = block.branches(ctx);
    branches.dedup();
    for branch in branches {
        let Some(handed) = branch.def(ctx).and_then(|d| d.successor_operands) else {
            continue;
        };
        for s in (0..branch.num_successors(ctx)).rev() {
            if branch.successor(ctx, s) == block {
                let at = handed(ctx, branch, s).start + argument;
                operands::erase(ctx, branch, at);
            }
        }
    }
    block.erase_arg(ctx, argument);
}
