//! Patterns that make one `scf.if` of two.

use super::branches::yielded;
use super::if_canonicalize::negated;
use super::{IfOp, YieldOp};
use crate::arith_by_name as arith;
use terrace_ir::rewrite::Rewriter;
use terrace_ir::{Block, InsertPoint, Op, OpKind, Type, Value};

/// Replace the terminator of `block` by a yield of `values`.
fn set_yield(rw: &mut Rewriter, block: Block, values: &[Value]) {
    if let Some(y) = block.last_op(rw.ctx) {
        rw.set_operands(y, values);
    }
}

/// Append the ops of `from` to `to`, both ending in yields; the result yields what
/// both did.
fn append(rw: &mut Rewriter, from: Block, to: Block) {
    let mut values = yielded(rw.ctx, to);
    values.extend(yielded(rw.ctx, from));
    if let Some(y) = to.last_op(rw.ctx) {
        rw.erase(y);
    }
    from.unlink(rw.ctx);
    rw.merge_block(from, to, &[]);
    set_yield(rw, to, &values);
}

/// Two in a row with the same condition, or opposite ones.
pub(super) fn consecutive(rw: &mut Rewriter, op: Op) -> bool {
    let next = IfOp::wrap(op);
    let Some(prev) = op.prev(rw.ctx).and_then(|p| p.cast::<IfOp>(rw.ctx)) else {
        return false;
    };
    let (c_prev, c_next) = (prev.condition(rw.ctx), next.condition(rw.ctx));
    let (then, other) = (Some(next.then_block(rw.ctx)), next.else_block(rw.ctx));
    let (then, other) = if c_prev == c_next {
        (then, other)
    } else if negated(rw.ctx, c_next) == Some(c_prev) || negated(rw.ctx, c_prev) == Some(c_next) {
        (other, then)
    } else {
        return false;
    };
    // Inside, the first one's results are what the matching region yielded.
    let (t, f) = (prev.then_yielded(rw.ctx), prev.else_yielded(rw.ctx));
    for (i, result) in prev.op().results(rw.ctx).into_iter().enumerate() {
        for (block, values) in [(then, &t), (other, &f)] {
            let Some(region) = block.and_then(|b| b.region(rw.ctx)) else {
                continue;
            };
            for u in result.uses(rw.ctx) {
                if u.op
                    .region_of(rw.ctx)
                    .is_some_and(|r| region.contains(rw.ctx, r))
                {
                    rw.set_operand(u.op, u.index, values[i]);
                }
            }
        }
    }
    let mut types: Vec<Type> = prev.op().result_types(rw.ctx);
    types.extend(op.result_types(rw.ctx));
    rw.set_before(op);
    let s = rw
        .state::<IfOp>()
        .operands(&[c_prev])
        .results(&types)
        .regions(2);
    let both = rw.create(s);
    for (i, block) in [then, other].into_iter().enumerate() {
        let to = both.region(rw.ctx, i);
        let from = prev.op().region(rw.ctx, i);
        rw.move_region(from, to);
        match (to.entry(rw.ctx), block) {
            (Some(first), Some(second)) => append(rw, second, first),
            (None, Some(second)) => {
                second.unlink(rw.ctx);
                to.push_back(rw.ctx, second);
            }
            _ => {}
        }
    }
    let results = both.results(rw.ctx);
    let (a, b) = results.split_at(prev.op().num_results(rw.ctx));
    rw.replace_op(prev.op(), a);
    rw.replace_op(op, b);
    true
}

/// One that holds nothing but another: both conditions at once.
pub(super) fn nested(rw: &mut Rewriter, op: Op) -> bool {
    let outer = IfOp::wrap(op);
    let only_yield = |b: Option<Block>| {
        b.is_none_or(|b| b.first_op(rw.ctx).is_some_and(|f| f.next(rw.ctx).is_none()))
    };
    let then = outer.then_block(rw.ctx);
    let inner = then.first_op(rw.ctx).and_then(|f| f.cast::<IfOp>(rw.ctx));
    let Some(inner) = inner else { return false };
    let next = inner.op().next(rw.ctx);
    if next.is_none_or(|y| !y.isa::<YieldOp>(rw.ctx) || y.next(rw.ctx).is_some())
        || !only_yield(outer.else_block(rw.ctx))
        || !only_yield(inner.else_block(rw.ctx))
        || !arith::available(rw)
        || rw.ctx.op_def("arith.andi").is_none()
    {
        return false;
    }
    let mut values = outer.then_yielded(rw.ctx);
    let other = outer.else_yielded(rw.ctx);
    let mut selected = Vec::new();
    for (i, v) in values.iter_mut().enumerate() {
        if v.def_op() == Some(inner.op()) {
            let k = v.index(rw.ctx);
            if inner.else_yielded(rw.ctx).get(k) != other.get(i) {
                return false;
            }
            *v = inner.then_yielded(rw.ctx)[k];
        } else if v.block(rw.ctx) == Some(then) {
            return false;
        } else {
            // Yielded whenever the outer condition holds, not only with the inner.
            selected.push(i);
        }
    }
    rw.set_before(op);
    let (c_outer, c_inner) = (outer.condition(rw.ctx), inner.condition(rw.ctx));
    let Some(both) = arith::and(rw, c_outer, c_inner) else {
        return false;
    };
    let s = rw
        .state::<IfOp>()
        .operands(&[both])
        .results(&op.result_types(rw.ctx))
        .regions(2);
    let new = rw.create(s);
    let mut results = new.results(rw.ctx);
    rw.at = InsertPoint::Before(new);
    for i in selected {
        if let Some(v) = arith::select(rw, c_outer, values[i], other[i]) {
            results[i] = v;
        }
    }
    let (from, to) = (inner.op().region(rw.ctx, 0), new.region(rw.ctx, 0));
    rw.move_region(from, to);
    set_yield(rw, new.body(rw.ctx, 0), &values);
    if !other.is_empty() {
        let block = new.region(rw.ctx, 1).add_block(rw.ctx, &[]);
        rw.at = InsertPoint::End(block);
        YieldOp::build(rw, &other);
    }
    // The emptied inner op goes with the outer one.
    rw.replace_op(op, &results);
    true
}
