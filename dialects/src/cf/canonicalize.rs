//! Patterns of `cf.assert`, `cf.br` and `cf.cond_br`.

use super::{AssertOp, BranchOp, CondBranchOp};
use crate::arith_by_name as arith;
use crate::ub::UnreachableOp;
use terrace_ir::rewrite::{PatternSet, Rewriter};
use terrace_ir::{Block, Context, InsertPoint, Op, OpKind, Value};

pub(super) fn assert_patterns(set: &mut PatternSet) {
    set.add::<AssertOp>(|rw, op| {
        let holds = rw.ctx.constant_int(op.operand(rw.ctx, 0)) == Some(1);
        if holds {
            rw.erase(op);
        }
        holds
    });
}

pub(super) fn branch_patterns(set: &mut PatternSet) {
    set.add::<BranchOp>(merge_with_only_successor);
    set.add::<BranchOp>(branch_past_empty_block);
}

pub(super) fn cond_branch_patterns(set: &mut PatternSet) {
    set.add::<CondBranchOp>(constant_condition);
    set.add::<CondBranchOp>(unreachable_destination);
    set.add::<CondBranchOp>(cond_branch_past_empty_block);
    set.add::<CondBranchOp>(same_destination);
    set.add::<CondBranchOp>(same_condition_as_predecessor);
    set.add::<CondBranchOp>(condition_known_in_destination);
}

/// The only block that branches here, by one edge.
pub(super) fn single_predecessor(ctx: &Context, block: Block) -> Option<Block> {
    match block.branches(ctx)[..] {
        [branch] => branch.block(ctx),
        _ => None,
    }
}

/// Where a branch to `block` with `operands` gets to when `block` does nothing but
/// branch on, and with which operands.
pub(super) fn past_empty_block(
    ctx: &Context,
    block: Block,
    operands: &[Value],
) -> Option<(Block, Vec<Value>)> {
    let only = block.first_op(ctx)?;
    if only.next(ctx).is_some() {
        return None;
    }
    let on = only.cast::<BranchOp>(ctx)?;
    let args = block.args(ctx);
    if args.iter().any(|a| a.users(ctx).iter().any(|u| *u != only)) {
        return None;
    }
    let dest = on.dest(ctx);
    if dest == block {
        return None;
    }
    // In a cycle of such blocks there would be no end to it.
    let mut seen = vec![block, dest];
    let next = |b: Block| b.terminator(ctx).and_then(|t| t.cast::<BranchOp>(ctx));
    let mut branch = next(dest);
    while let Some(b) = branch {
        let to = b.dest(ctx);
        if seen.contains(&to) {
            return None;
        }
        seen.push(to);
        branch = next(to);
    }
    let passed = on.operands(ctx).into_iter().map(|v| match v.arg_block() {
        Some(b) if b == block => operands.get(v.index(ctx)).copied(),
        _ => Some(v),
    });
    Some((dest, passed.collect::<Option<Vec<Value>>>()?))
}

/// Erase the terminator `old` after a new one was put in front of it.
pub(super) fn replace_with_branch(rw: &mut Rewriter, old: Op, dest: Block, operands: &[Value]) {
    rw.set_before(old);
    BranchOp::build(rw, dest, operands);
    rw.erase(old);
}

/// A block entered from one place only becomes part of that place.
fn merge_with_only_successor(rw: &mut Rewriter, op: Op) -> bool {
    let branch = BranchOp::wrap(op);
    let (dest, operands) = (branch.dest(rw.ctx), branch.operands(rw.ctx));
    let Some(here) = op.block(rw.ctx) else {
        return false;
    };
    if dest == here || dest.is_entry(rw.ctx) || single_predecessor(rw.ctx, dest) != Some(here) {
        return false;
    }
    rw.erase(op);
    rw.merge_block(dest, here, &operands);
    true
}

fn branch_past_empty_block(rw: &mut Rewriter, op: Op) -> bool {
    let branch = BranchOp::wrap(op);
    let (dest, operands) = (branch.dest(rw.ctx), branch.operands(rw.ctx));
    if op.block(rw.ctx) == Some(dest) {
        return false;
    }
    let Some((dest, operands)) = past_empty_block(rw.ctx, dest, &operands) else {
        return false;
    };
    replace_with_branch(rw, op, dest, &operands);
    true
}

fn constant_condition(rw: &mut Rewriter, op: Op) -> bool {
    let branch = CondBranchOp::wrap(op);
    let Some(value) = rw.ctx.constant_int(branch.condition(rw.ctx)) else {
        return false;
    };
    let (dest, operands) = match value {
        0 => (branch.false_dest(rw.ctx), branch.false_operands(rw.ctx)),
        _ => (branch.true_dest(rw.ctx), branch.true_operands(rw.ctx)),
    };
    replace_with_branch(rw, op, dest, &operands);
    true
}

/// A way that is never gone: the other one is.
fn unreachable_destination(rw: &mut Rewriter, op: Op) -> bool {
    let branch = CondBranchOp::wrap(op);
    let never =
        |ctx: &Context, b: Block| b.first_op(ctx).is_some_and(|o| o.isa::<UnreachableOp>(ctx));
    let (dest, operands) = if never(rw.ctx, branch.true_dest(rw.ctx)) {
        (branch.false_dest(rw.ctx), branch.false_operands(rw.ctx))
    } else if never(rw.ctx, branch.false_dest(rw.ctx)) {
        (branch.true_dest(rw.ctx), branch.true_operands(rw.ctx))
    } else {
        return false;
    };
    replace_with_branch(rw, op, dest, &operands);
    true
}

fn cond_branch_past_empty_block(rw: &mut Rewriter, op: Op) -> bool {
    let branch = CondBranchOp::wrap(op);
    let (t, f) = (branch.true_dest(rw.ctx), branch.false_dest(rw.ctx));
    let (t_args, f_args) = (branch.true_operands(rw.ctx), branch.false_operands(rw.ctx));
    let on_true = past_empty_block(rw.ctx, t, &t_args);
    let on_false = past_empty_block(rw.ctx, f, &f_args);
    if on_true.is_none() && on_false.is_none() {
        return false;
    }
    let (t, t_args) = on_true.unwrap_or((t, t_args));
    let (f, f_args) = on_false.unwrap_or((f, f_args));
    let condition = branch.condition(rw.ctx);
    let weights = op.attr(rw.ctx, "branch_weights");
    let new = CondBranchOp::build(rw, condition, (t, &t_args), (f, &f_args));
    if let Some(w) = weights {
        rw.set_attr(new.op(), "branch_weights", w);
    }
    rw.erase(op);
    true
}

/// Both ways lead to one block: branch there with selected operands.
fn same_destination(rw: &mut Rewriter, op: Op) -> bool {
    let branch = CondBranchOp::wrap(op);
    let dest = branch.true_dest(rw.ctx);
    if dest != branch.false_dest(rw.ctx) {
        return false;
    }
    let (t, f) = (branch.true_operands(rw.ctx), branch.false_operands(rw.ctx));
    if t == f {
        replace_with_branch(rw, op, dest, &t);
        return true;
    }
    // Selecting is worth it only where the block becomes part of this one.
    let here = op.block(rw.ctx);
    if dest.predecessors(rw.ctx)[..] != *here.as_slice() || !arith::available(rw) {
        return false;
    }
    let condition = branch.condition(rw.ctx);
    let mut merged = Vec::new();
    for (a, b) in t.into_iter().zip(f) {
        let v = if a == b {
            Some(a)
        } else {
            arith::select(rw, condition, a, b)
        };
        // Selects made so far are dead and go on their own.
        let Some(v) = v else { return false };
        merged.push(v);
    }
    replace_with_branch(rw, op, dest, &merged);
    true
}

fn same_condition_as_predecessor(rw: &mut Rewriter, op: Op) -> bool {
    let branch = CondBranchOp::wrap(op);
    let Some(here) = op.block(rw.ctx) else {
        return false;
    };
    let Some(before) = single_predecessor(rw.ctx, here) else {
        return false;
    };
    let earlier = before
        .terminator(rw.ctx)
        .and_then(|t| t.cast::<CondBranchOp>(rw.ctx));
    let Some(earlier) = earlier else { return false };
    if earlier.condition(rw.ctx) != branch.condition(rw.ctx) || earlier.op() == op {
        return false;
    }
    let (dest, operands) = if earlier.true_dest(rw.ctx) == here {
        (branch.true_dest(rw.ctx), branch.true_operands(rw.ctx))
    } else {
        (branch.false_dest(rw.ctx), branch.false_operands(rw.ctx))
    };
    replace_with_branch(rw, op, dest, &operands);
    true
}

/// In a block that is entered only when the condition holds, the condition is true;
/// likewise false on the other side.
fn condition_known_in_destination(rw: &mut Rewriter, op: Op) -> bool {
    let branch = CondBranchOp::wrap(op);
    let condition = branch.condition(rw.ctx);
    let mut changed = false;
    for (dest, value) in [
        (branch.true_dest(rw.ctx), true),
        (branch.false_dest(rw.ctx), false),
    ] {
        if single_predecessor(rw.ctx, dest).is_none() {
            continue;
        }
        let uses = condition.uses(rw.ctx);
        let uses: Vec<_> = uses
            .into_iter()
            .filter(|u| u.op.block(rw.ctx) == Some(dest))
            .collect();
        if uses.is_empty() {
            continue;
        }
        rw.at = InsertPoint::Before(op);
        let Some(known) = arith::bool_constant(rw, value) else {
            return changed;
        };
        for u in uses {
            rw.set_operand(u.op, u.index, known);
        }
        changed = true;
    }
    changed
}
