//! Patterns of `scf.index_switch` and `scf.execute_region`.

use super::for_canonicalize::{outside, rebuild};
use super::{ExecuteRegionOp, IndexSwitchOp, YieldOp};
use crate::cf::BranchOp;
use terrace_ir::opdef::traits;
use terrace_ir::rewrite::{PatternSet, Rewriter};
use terrace_ir::{InsertPoint, Op, OpKind, Region, Value};

/// Put the single block of `region` in place of `op`; its arguments become `args`,
/// the results of `op` what it yields.
pub(super) fn inline_region(rw: &mut Rewriter, op: Op, region: Region, args: &[Value]) {
    let Some(block) = region.entry(rw.ctx) else {
        return;
    };
    let Some(last) = block.last_op(rw.ctx) else {
        return;
    };
    rw.inline_block_before(block, op, args);
    // Read after inlining: a yielded value may have been an argument.
    let results = last.operands(rw.ctx);
    rw.replace_op(op, &results);
    rw.erase(last);
}

pub(super) fn index_switch(set: &mut PatternSet) {
    set.add::<IndexSwitchOp>(constant_case);
    set.add::<IndexSwitchOp>(known_or_unused_results);
}

fn constant_case(rw: &mut Rewriter, op: Op) -> bool {
    let s = IndexSwitchOp::wrap(op);
    let Some(value) = rw.ctx.constant_int(s.arg(rw.ctx)) else {
        return false;
    };
    let region = match s.cases(rw.ctx).iter().position(|c| *c == value) {
        Some(i) => s.case_region(rw.ctx, i),
        None => s.default_region(rw.ctx),
    };
    inline_region(rw, op, region, &[]);
    true
}

pub(super) fn execute_region(set: &mut PatternSet) {
    set.add::<ExecuteRegionOp>(inline_one_block);
    set.add::<ExecuteRegionOp>(inline_blocks);
    set.add::<ExecuteRegionOp>(known_or_unused_results);
}

fn inline_one_block(rw: &mut Rewriter, op: Op) -> bool {
    let e = ExecuteRegionOp::wrap(op);
    let region = e.region(rw.ctx);
    let entry = region
        .entry(rw.ctx)
        .filter(|_| region.has_one_block(rw.ctx));
    let yields = entry
        .and_then(|b| b.last_op(rw.ctx))
        .is_some_and(|t| t.isa::<YieldOp>(rw.ctx));
    if e.no_inline(rw.ctx) || !yields {
        return false;
    }
    inline_region(rw, op, region, &[]);
    true
}

/// Into a region that may have several blocks, all of them go.
fn inline_blocks(rw: &mut Rewriter, op: Op) -> bool {
    let e = ExecuteRegionOp::wrap(op);
    let takes_blocks = op.parent(rw.ctx).is_some_and(|p| {
        p.isa::<ExecuteRegionOp>(rw.ctx) || p.has_trait(rw.ctx, traits::FUNCTION_LIKE)
    });
    let Some(before) = op.block(rw.ctx) else {
        return false;
    };
    let region = e.region(rw.ctx);
    let Some(entry) = region.entry(rw.ctx) else {
        return false;
    };
    if e.no_inline(rw.ctx) || !takes_blocks {
        return false;
    }
    let rest = before.split_before(rw.ctx, op);
    let blocks = region.blocks(rw.ctx);
    rw.at = InsertPoint::End(before);
    BranchOp::build(rw, entry, &[]);
    for b in &blocks {
        let Some(y) = b.last_op(rw.ctx).filter(|y| y.isa::<YieldOp>(rw.ctx)) else {
            continue;
        };
        let values = y.operands(rw.ctx);
        rw.set_before(y);
        BranchOp::build(rw, rest, &values);
        rw.erase(y);
    }
    for b in blocks {
        b.unlink(rw.ctx);
        b.insert_before(rw.ctx, rest);
    }
    let args: Vec<Value> = op
        .result_types(rw.ctx)
        .into_iter()
        .map(|t| rest.add_arg(rw.ctx, t))
        .collect();
    rw.replace_op(op, &args);
    true
}

/// A result that every way yields as one value from outside is that value; results
/// without uses go.
fn known_or_unused_results(rw: &mut Rewriter, op: Op) -> bool {
    let blocks = op.blocks(rw.ctx).into_iter();
    let ends = blocks.filter_map(|b| b.last_op(rw.ctx));
    let yields: Vec<Op> = ends.filter(|t| t.isa::<YieldOp>(rw.ctx)).collect();
    let results = op.results(rw.ctx);
    for (i, r) in results.iter().enumerate() {
        let Some(value) = yields.first().map(|y| y.operand(rw.ctx, i)) else {
            break;
        };
        let common = yields.iter().all(|y| y.operand(rw.ctx, i) == value);
        if common && outside(rw.ctx, op, value) {
            rw.replace_all_uses(*r, value);
        }
    }
    let keep: Vec<bool> = results.iter().map(|r| r.has_uses(rw.ctx)).collect();
    if !keep.contains(&false) {
        return false;
    }
    let kept = |v: Vec<Value>| -> Vec<Value> {
        v.into_iter()
            .zip(&keep)
            .filter(|(_, k)| **k)
            .map(|(v, _)| v)
            .collect()
    };
    for y in yields {
        let values = kept(y.operands(rw.ctx));
        rw.set_operands(y, &values);
    }
    let operands = op.num_operands(rw.ctx);
    rebuild(rw, op, operands, &[], &kept(results));
    true
}
