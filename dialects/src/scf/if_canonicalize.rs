//! Folds and patterns of `scf.if` alone; those of several of them are in
//! [`super::if_combine`].

use super::branches_canonicalize::inline_region;
use super::for_canonicalize::rebuild;
use super::if_combine;
use super::{IfOp, YieldOp};
use crate::arith_by_name as arith;
use terrace_ir::opdef::Fold;
use terrace_ir::rewrite::{PatternSet, Rewriter};
use terrace_ir::{Attr, Context, InsertPoint, Op, OpKind, Value};

pub(super) fn patterns(set: &mut PatternSet) {
    set.add::<IfOp>(if_combine::consecutive);
    set.add::<IfOp>(if_combine::nested);
    set.add::<IfOp>(condition_known_inside);
    set.add::<IfOp>(yields_from_outside);
    set.add::<IfOp>(empty_else);
    set.add::<IfOp>(constant_condition);
    set.add::<IfOp>(yields_tell_the_condition);
    set.add::<IfOp>(unused_results);
}

/// The operand of a boolean negation, `x xor true`.
pub(super) fn negated(ctx: &Context, v: Value) -> Option<Value> {
    let op = v.def_op().filter(|o| o.name(ctx) == "arith.xori")?;
    let by_true = ctx.constant_int(op.operand(ctx, 1)) == Some(1) && v.ty(ctx) == ctx.i1();
    by_true.then(|| op.operand(ctx, 0))
}

/// `if not c then A else B` is `if c then B else A`.
pub(super) fn fold(ctx: &Context, op: Op, _: &[Option<Attr>]) -> Fold {
    let (then, other) = (op.region(ctx, 0), op.region(ctx, 1));
    if other.is_empty(ctx) {
        return Fold::No;
    }
    let Some(plain) = negated(ctx, op.operand(ctx, 0)) else {
        return Fold::No;
    };
    op.set_operand(ctx, 0, plain);
    let (a, b) = (then.blocks(ctx), other.blocks(ctx));
    for (blocks, to) in [(b, then), (a, other)] {
        for block in blocks {
            block.unlink(ctx);
            to.push_back(ctx, block);
        }
    }
    Fold::InPlace
}

fn constant_condition(rw: &mut Rewriter, op: Op) -> bool {
    let Some(value) = rw.ctx.constant_int(op.operand(rw.ctx, 0)) else {
        return false;
    };
    let region = op.region(rw.ctx, if value != 0 { 0 } else { 1 });
    if region.is_empty(rw.ctx) {
        rw.erase(op);
    } else {
        inline_region(rw, op, region, &[]);
    }
    true
}

fn empty_else(rw: &mut Rewriter, op: Op) -> bool {
    let Some(block) = IfOp::wrap(op).else_block(rw.ctx) else {
        return false;
    };
    let only_yield = block
        .first_op(rw.ctx)
        .is_some_and(|f| f.next(rw.ctx).is_none());
    if op.num_results(rw.ctx) > 0 || !only_yield {
        return false;
    }
    block.unlink(rw.ctx);
    rw.erase_block(block);
    rw.modified(op);
    true
}

/// Yielded values from outside need no branch, only a selection.
fn yields_from_outside(rw: &mut Rewriter, op: Op) -> bool {
    let o = IfOp::wrap(op);
    let (Some(other), condition) = (o.else_block(rw.ctx), o.condition(rw.ctx)) else {
        return false;
    };
    let (t, f) = (o.then_yielded(rw.ctx), o.else_yielded(rw.ctx));
    let then = o.then_block(rw.ctx);
    let inside = |v: &Value, b| v.block(rw.ctx) == Some(b);
    let stays: Vec<bool> = t
        .iter()
        .zip(&f)
        .map(|(t, f)| inside(t, then) || inside(f, other))
        .collect();
    if stays.is_empty() || !stays.contains(&false) || !arith::available(rw) {
        return false;
    }
    rw.set_before(op);
    for (i, _) in stays.iter().enumerate().filter(|(_, s)| !**s) {
        let value = match t[i] == f[i] {
            true => Some(t[i]),
            false => arith::select(rw, condition, t[i], f[i]),
        };
        let Some(value) = value else { return true };
        let result = op.result(rw.ctx, i);
        rw.replace_all_uses(result, value);
    }
    keep_results(rw, op, &stays);
    true
}

fn unused_results(rw: &mut Rewriter, op: Op) -> bool {
    let keep: Vec<bool> = op
        .results(rw.ctx)
        .into_iter()
        .map(|r| r.has_uses(rw.ctx))
        .collect();
    if !keep.contains(&false) {
        return false;
    }
    keep_results(rw, op, &keep);
    true
}

/// Rebuild the op with those results only for which `keep` says so; the others have
/// no uses.
fn keep_results(rw: &mut Rewriter, op: Op, keep: &[bool]) {
    let kept = |v: Vec<Value>| -> Vec<Value> {
        v.into_iter()
            .zip(keep)
            .filter(|(_, k)| **k)
            .map(|(v, _)| v)
            .collect()
    };
    let o = IfOp::wrap(op);
    for block in [Some(o.then_block(rw.ctx)), o.else_block(rw.ctx)]
        .into_iter()
        .flatten()
    {
        let Some(y) = block.last_op(rw.ctx) else {
            continue;
        };
        let values = kept(y.operands(rw.ctx));
        rw.set_operands(y, &values);
    }
    let results = kept(op.results(rw.ctx));
    rebuild(rw, op, 1, &[], &results);
}

/// In the first region the condition is true, in the second false.
fn condition_known_inside(rw: &mut Rewriter, op: Op) -> bool {
    let condition = op.operand(rw.ctx, 0);
    if rw.ctx.constant_of(condition).is_some() {
        return false;
    }
    let mut changed = false;
    for (i, value) in [(0, true), (1, false)] {
        let region = op.region(rw.ctx, i);
        let mut inside = condition.uses(rw.ctx);
        inside.retain(|u| {
            u.op.region_of(rw.ctx)
                .is_some_and(|r| region.contains(rw.ctx, r))
        });
        if inside.is_empty() {
            continue;
        }
        rw.at = InsertPoint::Before(op);
        let Some(known) = arith::bool_constant(rw, value) else {
            return changed;
        };
        for u in inside {
            rw.set_operand(u.op, u.index, known);
        }
        changed = true;
    }
    changed
}

/// A result that both regions yield alike, or as the condition or its opposite.
fn yields_tell_the_condition(rw: &mut Rewriter, op: Op) -> bool {
    let o = IfOp::wrap(op);
    let ends = |b: terrace_ir::Block| b.last_op(rw.ctx).is_some_and(|y| y.isa::<YieldOp>(rw.ctx));
    if !ends(o.then_block(rw.ctx)) || !o.else_block(rw.ctx).is_some_and(ends) {
        return false;
    }
    let (t, f) = (o.then_yielded(rw.ctx), o.else_yielded(rw.ctx));
    let mut changed = false;
    for (i, (t, f)) in t.into_iter().zip(f).enumerate() {
        let result = op.result(rw.ctx, i);
        if !result.has_uses(rw.ctx) {
            continue;
        }
        if t == f {
            rw.replace_all_uses(result, t);
            changed = true;
            continue;
        }
        let truth = |v: Value| rw.ctx.constant_of(v).and_then(|a| a.as_bool(rw.ctx));
        let condition = o.condition(rw.ctx);
        let value = match (truth(t), truth(f)) {
            (Some(true), Some(false)) => Some(condition),
            (Some(false), Some(true)) => {
                rw.set_before(op);
                arith::not(rw, condition)
            }
            _ => None,
        };
        if let Some(v) = value {
            rw.replace_all_uses(result, v);
            changed = true;
        }
    }
    changed
}
