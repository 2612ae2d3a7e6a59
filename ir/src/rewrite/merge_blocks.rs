//! Blocks that do the same become one.

use crate::block::{Block, Region};
use crate::context::Context;
use crate::op::Op;
use crate::value::Value;
use rustc_hash::FxHashMap;

/// Merge the blocks of `region` (but for its entry) that hold the same ops on the same
/// values and go on to the same blocks. Whether anything changed.
pub(crate) fn merge_identical_blocks(ctx: &mut Context, region: Region) -> bool {
    let mut changed = false;
    // Merging two blocks may make those that branch to them the same.
    while let Some((kept, gone)) = find_pair(ctx, region) {
        for branch in gone.branches(ctx) {
            for i in 0..branch.num_successors(ctx) {
                if branch.successor(ctx, i) == gone {
                    branch.set_successor(ctx, i, kept);
                }
            }
        }
        for op in gone.ops(ctx) {
            op.drop_all_references(ctx);
        }
        gone.erase(ctx);
        changed = true;
    }
    changed
}

fn find_pair(ctx: &Context, region: Region) -> Option<(Block, Block)> {
    // Only blocks of the same shape are compared in full.
    let mut groups: FxHashMap<Vec<String>, Vec<Block>> = FxHashMap::default();
    for b in region.blocks(ctx).into_iter().skip(1) {
        let shape = b.ops(ctx).iter().map(|o| o.name(ctx).to_string()).collect();
        let group = groups.entry(shape).or_default();
        if let Some(a) = group.iter().find(|a| same(ctx, **a, b)) {
            return Some((*a, b));
        }
        group.push(b);
    }
    None
}

/// Whether `b` does what `a` does, so that all that goes to `b` may go to `a`.
fn same(ctx: &Context, a: Block, b: Block) -> bool {
    let (ops_a, ops_b) = (a.ops(ctx), b.ops(ctx));
    if a.arg_types(ctx) != b.arg_types(ctx) || ops_a.len() != ops_b.len() {
        return false;
    }
    let mut in_a: FxHashMap<Value, Value> = b.args(ctx).into_iter().zip(a.args(ctx)).collect();
    if !b.args(ctx).iter().all(|v| used_only_in(ctx, *v, b)) {
        return false;
    }
    for (x, y) in ops_a.into_iter().zip(ops_b) {
        if !same_op(ctx, x, y, &in_a) || !y.results(ctx).iter().all(|v| used_only_in(ctx, *v, b)) {
            return false;
        }
        in_a.extend(y.results(ctx).into_iter().zip(x.results(ctx)));
    }
    true
}

/// Ops with regions are not compared.
fn same_op(ctx: &Context, x: Op, y: Op, in_x: &FxHashMap<Value, Value>) -> bool {
    let operands = y.operands(ctx).into_iter();
    let operands: Vec<Value> = operands.map(|v| *in_x.get(&v).unwrap_or(&v)).collect();
    x.num_regions(ctx) == 0
        && y.num_regions(ctx) == 0
        && x.result_types(ctx) == y.result_types(ctx)
        && x.successors(ctx) == y.successors(ctx)
        && x.operands(ctx) == operands
        && match (x.payload(ctx), y.payload(ctx)) {
            (Some(p), Some(q)) => *p == *q,
            (None, None) => true,
            _ => false,
        }
}

fn used_only_in(ctx: &Context, v: Value, b: Block) -> bool {
    v.users(ctx).into_iter().all(|u| u.block(ctx) == Some(b))
}
