//! Patterns of `scf.parallel`.

use super::for_op::constant_trip_count;
use super::{ParallelOp, ReduceOp};
use crate::attributes::GPU_MAPPER;
use terrace_ir::clone::IrMapping;
use terrace_ir::rewrite::{PatternSet, Rewriter};
use terrace_ir::{Block, Op, OpKind, Value};

pub(super) fn patterns(set: &mut PatternSet) {
    set.add::<ParallelOp>(few_iterations);
    set.add::<ParallelOp>(merge_nested);
}

/// Dimensions that run once go; one that never runs takes the nest with it.
fn few_iterations(rw: &mut Rewriter, op: Op) -> bool {
    let p = ParallelOp::wrap(op);
    let Some(reduce) = p.reduce_op(rw.ctx) else {
        return false;
    };
    let (lower, upper, steps) = (
        p.lower_bounds(rw.ctx),
        p.upper_bounds(rw.ctx),
        p.steps(rw.ctx),
    );
    let inits = p.init_vals(rw.ctx);
    let constant = |v: Value| rw.ctx.constant_int(v);
    let trips = |i: usize| match lower[i] == upper[i] {
        true => Some(0),
        false => constant_trip_count(
            constant(lower[i])?,
            constant(upper[i])?,
            constant(steps[i])?,
            true,
            64,
        ),
    };
    let trips: Vec<Option<u64>> = (0..steps.len()).map(trips).collect();
    if trips.contains(&Some(0)) {
        rw.replace_op(op, &inits);
        return true;
    }
    let keep: Vec<usize> = (0..steps.len()).filter(|i| trips[*i] != Some(1)).collect();
    if keep.len() == steps.len() {
        return false;
    }
    // Blocks on tiles stay blocks, also where there is one.
    if keep.is_empty() && op.str_attr(rw.ctx, GPU_MAPPER) == Some("tile") {
        return false;
    }
    let ivs = p.induction_vars(rw.ctx);
    if keep.is_empty() {
        for (iv, l) in ivs.iter().zip(&lower) {
            rw.replace_all_uses(*iv, *l);
        }
        run_once(rw, op, reduce, &inits);
        return true;
    }
    let pick = |v: &[Value]| -> Vec<Value> { keep.iter().map(|i| v[*i]).collect() };
    rw.set_before(op);
    let (new, body) = ParallelOp::build(rw, &pick(&lower), &pick(&upper), &pick(&steps), &inits);
    let mut fresh = body.args(rw.ctx).into_iter();
    let args: Vec<Value> = (0..ivs.len())
        .map(|i| match keep.contains(&i) {
            true => fresh.next().unwrap_or(lower[i]),
            false => lower[i],
        })
        .collect();
    copy_attrs(rw, op, new.op());
    let kept: Vec<Value> = keep.iter().map(|i| ivs[*i]).collect();
    copy_names(rw, &kept, body);
    let old = p.body(rw.ctx);
    old.unlink(rw.ctx);
    rw.merge_block(old, body, &args);
    rw.replace_op_with(op, new.op());
    true
}

/// Attributes of the op, but for the sizes of its operand groups.
fn copy_attrs(rw: &mut Rewriter, from: Op, to: Op) {
    for (k, a) in from.attrs(rw.ctx) {
        let name = rw.ctx.str(k).to_string();
        if name != "operandSegmentSizes" {
            rw.set_attr(to, &name, a);
        }
    }
}

/// Counters keep their places, and with them what the source calls them.
fn copy_names(rw: &Rewriter, from: &[Value], to: Block) {
    for (i, v) in from.iter().enumerate() {
        to.set_arg_loc(rw.ctx, i, v.loc(rw.ctx));
    }
}

/// Put the body in place of the nest, and each reduction of the initial value with
/// the one contribution in place of a result.
fn run_once(rw: &mut Rewriter, op: Op, reduce: ReduceOp, inits: &[Value]) {
    let body = ParallelOp::wrap(op).body(rw.ctx);
    for o in body.ops(rw.ctx) {
        if o != reduce.op() {
            o.move_before(rw.ctx, op);
            rw.modified(o);
        }
    }
    let contributed = reduce.op().operands(rw.ctx);
    let mut results = Vec::new();
    for (i, init) in inits.iter().enumerate() {
        let block = reduce.op().body(rw.ctx, i);
        let Some(end) = block.last_op(rw.ctx) else {
            continue;
        };
        rw.inline_block_before(block, op, &[*init, contributed[i]]);
        results.push(end.operand(rw.ctx, 0));
        rw.erase(end);
    }
    rw.replace_op(op, &results);
}

/// A nest that holds nothing but another one is one nest of all dimensions.
fn merge_nested(rw: &mut Rewriter, op: Op) -> bool {
    let outer = ParallelOp::wrap(op);
    let body = outer.body(rw.ctx);
    let inner = body
        .first_op(rw.ctx)
        .and_then(|f| f.cast::<ParallelOp>(rw.ctx));
    let Some(inner) = inner else { return false };
    if inner.op().next(rw.ctx) != body.last_op(rw.ctx)
        || outer.reduce_op(rw.ctx).is_none()
        || inner.reduce_op(rw.ctx).is_none()
        || op.num_results(rw.ctx) > 0
        || inner.op().num_results(rw.ctx) > 0
    {
        return false;
    }
    let ivs = outer.induction_vars(rw.ctx);
    if inner.op().operands(rw.ctx).iter().any(|v| ivs.contains(v)) {
        return false;
    }
    let join = |a: Vec<Value>, b: Vec<Value>| [a, b].concat();
    let lower = join(outer.lower_bounds(rw.ctx), inner.lower_bounds(rw.ctx));
    let upper = join(outer.upper_bounds(rw.ctx), inner.upper_bounds(rw.ctx));
    let steps = join(outer.steps(rw.ctx), inner.steps(rw.ctx));
    rw.set_before(op);
    let (new, to) = ParallelOp::build(rw, &lower, &upper, &steps, &[]);
    let args = to.args(rw.ctx);
    let mut map = IrMapping::new();
    let all = join(ivs, inner.induction_vars(rw.ctx));
    copy_names(rw, &all, to);
    map.map_all(&all, &args);
    let (a, b) = (op, inner.op());
    copy_attrs(rw, a, new.op());
    copy_attrs(rw, b, new.op());
    let from = inner.body(rw.ctx);
    rw.at = terrace_ir::InsertPoint::End(to);
    for o in from.ops(rw.ctx) {
        rw.clone_op(o, &mut map);
    }
    rw.replace_op(op, &[]);
    true
}
