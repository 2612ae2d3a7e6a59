//! Which memrefs a memref may be: through views, choices and the values that loops carry.

use crate::analysis::memory::base;
use rustc_hash::FxHashSet;
use terrace_dialects::arith;
use terrace_dialects::{affine, scf};
use terrace_ir::{Context, Op, Region, Value};

/// The memrefs that `v` may be a view of: allocations, arguments, globals, and what is
/// not seen through.
pub(super) fn origins(ctx: &Context, v: Value) -> Vec<Value> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut work = vec![v];
    while let Some(v) = work.pop() {
        let b = base(ctx, v);
        if !seen.insert(b) {
            continue;
        }
        match sources(ctx, b) {
            Some(from) => work.extend(from),
            None => found.push(b),
        }
    }
    found
}

/// The values one of which `v` is; `None` where that is not known.
fn sources(ctx: &Context, v: Value) -> Option<Vec<Value>> {
    let i = v.index(ctx);
    let Some(op) = v.def_op() else {
        return carried(ctx, v, i);
    };
    match op.name(ctx) {
        arith::SelectOp::NAME => Some(vec![op.operand(ctx, 1), op.operand(ctx, 2)]),
        scf::IfOp::NAME
        | affine::IfOp::NAME
        | scf::IndexSwitchOp::NAME
        | scf::ExecuteRegionOp::NAME => {
            let regions = op.regions(ctx);
            let yielded = regions.iter().map(|r| ends(ctx, *r, i));
            yielded.collect::<Option<Vec<_>>>().map(|y| y.concat())
        }
        scf::ForOp::NAME | affine::ForOp::NAME => of_loop(ctx, op, i),
        scf::WhileOp::NAME => ends(ctx, op.region(ctx, 0), i + 1),
        _ => None,
    }
}

/// What a block argument is in the body of a loop.
fn carried(ctx: &Context, v: Value, i: usize) -> Option<Vec<Value>> {
    let block = v.arg_block()?;
    let op = block.parent_op(ctx)?;
    match op.name(ctx) {
        scf::ForOp::NAME | affine::ForOp::NAME => of_loop(ctx, op, i.checked_sub(1)?),
        scf::WhileOp::NAME if block == op.body(ctx, 0) => {
            let mut from = ends(ctx, op.region(ctx, 1), i)?;
            from.push(*op.operands(ctx).get(i)?);
            Some(from)
        }
        scf::WhileOp::NAME if block == op.body(ctx, 1) => ends(ctx, op.region(ctx, 0), i + 1),
        _ => None,
    }
}

/// The `i`th value that a loop carries.
fn of_loop(ctx: &Context, op: Op, i: usize) -> Option<Vec<Value>> {
    let carried = op.num_results(ctx);
    let operands = op.operands(ctx);
    let mut from = ends(ctx, op.region(ctx, 0), i)?;
    from.push(*operands.get((operands.len() + i).checked_sub(carried)?)?);
    Some(from)
}

/// Operand `i` of each terminator that leaves a region.
fn ends(ctx: &Context, region: Region, i: usize) -> Option<Vec<Value>> {
    let blocks = region.blocks(ctx).into_iter();
    let last = blocks.filter_map(|b| b.last_op(ctx));
    let leaving = last.filter(|t| t.num_successors(ctx) == 0);
    leaving.map(|t| t.operands(ctx).get(i).copied()).collect()
}
