//! Regions made smaller: blocks that nothing reaches, values that nothing needs.

use super::merge_blocks::merge_identical_blocks;
use crate::block::{Block, Region};
use crate::context::Context;
use crate::dominance::reverse_post_order;
use crate::effects::would_be_trivially_dead;
use crate::op::Op;
use crate::value::Value;
use rustc_hash::FxHashSet;

/// Erase unreachable blocks, dead block arguments and dead cycles in every region
/// inside `root`, and merge blocks that do the same where `merge` says so. Whether
/// anything changed.
pub fn simplify_regions(ctx: &mut Context, root: Op, merge: bool) -> bool {
    let mut changed = false;
    let mut regions: Vec<Region> = root.regions(ctx);
    while let Some(r) = regions.pop() {
        // Most regions have one block, where the worklist has done all there is.
        if !r.is_empty(ctx) && !r.has_one_block(ctx) {
            changed |= erase_unreachable_blocks(ctx, r);
            changed |= remove_dead_in_region(ctx, r);
            changed |= merge && merge_identical_blocks(ctx, r);
        }
        let mut block = r.entry(ctx);
        while let Some(b) = block {
            let mut next = b.first_op(ctx);
            while let Some(op) = next {
                for i in 0..op.num_regions(ctx) {
                    regions.push(op.region(ctx, i));
                }
                next = op.next(ctx);
            }
            block = b.next(ctx);
        }
    }
    changed
}

/// Erase the blocks in every region inside `root` that no way from the region's entry leads to.
/// Whether there were any.
pub(super) fn erase_unreachable_inside(ctx: &mut Context, root: Op) -> bool {
    let mut changed = false;
    let mut regions: Vec<Region> = root.regions(ctx);
    while let Some(r) = regions.pop() {
        if !r.is_empty(ctx) && !r.has_one_block(ctx) {
            changed |= erase_unreachable_blocks(ctx, r);
        }
        for block in r.blocks(ctx) {
            let mut next = block.first_op(ctx);
            while let Some(op) = next {
                regions.extend((0..op.num_regions(ctx)).map(|i| op.region(ctx, i)));
                next = op.next(ctx);
            }
        }
    }
    changed
}

/// Erase the blocks of `region` that no way from its entry leads to.
pub fn erase_unreachable_blocks(ctx: &mut Context, region: Region) -> bool {
    let reached: FxHashSet<Block> = reverse_post_order(ctx, region).into_iter().collect();
    let dead: Vec<Block> = region
        .blocks(ctx)
        .into_iter()
        .filter(|b| !reached.contains(b))
        .collect();
    // They may use each other's values and branch to each other.
    for b in &dead {
        for op in b.ops(ctx) {
            op.drop_all_references(ctx);
        }
    }
    for b in &dead {
        b.erase(ctx);
    }
    !dead.is_empty()
}

/// Erase the ops and block arguments of `region` that only feed one another, also
/// in circles through block arguments.
pub(crate) fn remove_dead_in_region(ctx: &mut Context, region: Region) -> bool {
    let live = liveness(ctx, region);
    let mut changed = false;
    let blocks = region.blocks(ctx);
    // Operands handed to dead arguments go first, so that nothing uses dead values.
    for b in blocks.iter().skip(1) {
        for i in (0..b.num_args(ctx)).rev() {
            if live.values.contains(&b.arg(ctx, i)) || !can_drop_arg(ctx, *b) {
                continue;
            }
            drop_passed_operands(ctx, *b, i);
            changed = true;
        }
    }
    let mut dead = Vec::new();
    for b in &blocks {
        for op in b.ops(ctx) {
            if !live.ops.contains(&op) {
                op.drop_all_references(ctx);
                dead.push(op);
            }
        }
    }
    for op in dead {
        op.erase(ctx);
        changed = true;
    }
    for b in blocks.iter().skip(1) {
        for i in (0..b.num_args(ctx)).rev() {
            let arg = b.arg(ctx, i);
            if !live.values.contains(&arg) && !arg.has_uses(ctx) && can_drop_arg(ctx, *b) {
                b.erase_arg(ctx, i);
                changed = true;
            }
        }
    }
    changed
}

struct Live {
    ops: FxHashSet<Op>,
    values: FxHashSet<Value>,
}

/// The operands of `branch` handed to its successors, where it says so.
fn passed(ctx: &Context, branch: Op, successor: usize) -> Option<std::ops::Range<usize>> {
    let f = branch.def(ctx)?.successor_operands?;
    Some(f(ctx, branch, successor))
}

/// What `region` needs directly inside it, from its terminators and from the ops
/// that do something.
fn liveness(ctx: &Context, region: Region) -> Live {
    let mut live = Live {
        ops: FxHashSet::default(),
        values: FxHashSet::default(),
    };
    let mut ops: Vec<Op> = Vec::new();
    for b in region.blocks(ctx) {
        for op in b.ops(ctx) {
            if op.next(ctx).is_none() && op.num_successors(ctx) > 0
                || !would_be_trivially_dead(ctx, op)
            {
                live.ops.insert(op);
                ops.push(op);
            }
        }
    }
    let mut values: Vec<Value> = Vec::new();
    loop {
        if let Some(op) = ops.pop() {
            uses_of_op(ctx, op, &mut values);
        } else if let Some(v) = values.pop() {
            // Only what is defined directly in this region is followed.
            if v.block(ctx).and_then(|b| b.region(ctx)) != Some(region) || !live.values.insert(v) {
                continue;
            }
            match (v.def_op(), v.arg_block()) {
                (Some(def), _) => {
                    if live.ops.insert(def) {
                        ops.push(def);
                    }
                }
                (None, Some(block)) => {
                    let n = v.index(ctx);
                    for branch in block.branches(ctx) {
                        for s in 0..branch.num_successors(ctx) {
                            if branch.successor(ctx, s) != block {
                                continue;
                            }
                            if let Some(r) = passed(ctx, branch, s)
                                && let Some(i) = r.clone().nth(n)
                            {
                                values.push(branch.operand(ctx, i));
                            }
                        }
                    }
                }
                (None, None) => {}
            }
        } else {
            return live;
        }
    }
}

/// The values that a live op needs: its operands, but for those it only hands on to
/// block arguments, and all operands of the ops in it.
fn uses_of_op(ctx: &Context, op: Op, values: &mut Vec<Value>) {
    let mut handed_on: FxHashSet<usize> = FxHashSet::default();
    for s in 0..op.num_successors(ctx) {
        if let Some(r) = passed(ctx, op, s)
            && can_drop_arg(ctx, op.successor(ctx, s))
        {
            handed_on.extend(r);
        }
    }
    for i in 0..op.num_operands(ctx) {
        if !handed_on.contains(&i) {
            values.push(op.operand(ctx, i));
        }
    }
    if op.num_regions(ctx) > 0 {
        op.walk(ctx, &mut |o| {
            if o != op {
                values.extend(o.operands(ctx));
            }
        });
    }
}

/// Whether every branch to `block` says which operands it hands over, in groups
/// whose sizes can be changed.
fn can_drop_arg(ctx: &Context, block: Block) -> bool {
    block.branches(ctx).into_iter().all(|b| {
        b.def(ctx).is_some_and(|d| {
            d.successor_operands.is_some()
                && (d.operands.len() <= 1
                    || d.has(crate::opdef::traits::ATTR_SIZED_OPERANDS)
                    || d.operands
                        .iter()
                        .filter(|o| o.constraint.arity != crate::constraint::Arity::One)
                        .count()
                        <= 1)
        })
    })
}

/// Remove the operands that branches hand to argument `n` of `block`.
fn drop_passed_operands(ctx: &Context, block: Block, n: usize) {
    let mut seen: FxHashSet<Op> = FxHashSet::default();
    for branch in block.branches(ctx) {
        // A branch is listed once for each time it names the block.
        if !seen.insert(branch) {
            continue;
        }
        for s in 0..branch.num_successors(ctx) {
            if branch.successor(ctx, s) != block {
                continue;
            }
            let Some(i) = passed(ctx, branch, s).and_then(|mut r| r.nth(n)) else {
                continue;
            };
            erase_operand_of_group(ctx, branch, i);
        }
    }
}

/// Erase operand `i` and, where groups have sizes, shrink its group.
fn erase_operand_of_group(ctx: &Context, op: Op, i: usize) {
    const SIZES: &str = "operandSegmentSizes";
    if let Some(mut sizes) = op.attr(ctx, SIZES).and_then(|a| a.as_i64_array(ctx)) {
        let mut end = 0;
        for s in &mut sizes {
            end += *s;
            if (i as i64) < end {
                *s -= 1;
                break;
            }
        }
        let sizes: Vec<i32> = sizes.into_iter().map(|s| s as i32).collect();
        op.set_attr(ctx, SIZES, ctx.i32_array(&sizes));
    }
    op.erase_operand(ctx, i);
}
