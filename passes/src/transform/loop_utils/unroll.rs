//! Unrolling: copies of the body one behind the other in place of iterations.

use super::bounds::{constant_trip_count, splat, trip_count_divisor, trip_count_map};
use super::promote::promote_if_single_iteration;
use terrace_dialects::affine::{ApplyOp, ForOp, compose::compose};
use terrace_dialects::memref::DimOp;
use terrace_ir::affine::{AffineExpr, AffineMap, ValueMap};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Builder, Context, Op, OpKind, Value};

/// How many ops one loop may be unrolled to. Past it unrolling is refused: the
/// result would help nobody, and a trip count can be anything.
const MAX_OPS: u64 = 1 << 20;

/// Put all iterations of a loop with a constant trip count one behind the other.
/// Returns whether it was done; a loop that does not run is left alone, as done.
pub fn unroll_full(ctx: &mut Context, l: ForOp) -> bool {
    match constant_trip_count(ctx, l) {
        None => false,
        Some(0) => true,
        Some(1) => promote_if_single_iteration(ctx, l),
        Some(n) => unroll_by(ctx, l, n, false),
    }
}

/// Unroll by `factor`, or fully where the loop is known to run less often.
pub fn unroll_up_to(ctx: &mut Context, l: ForOp, factor: u64) -> bool {
    match constant_trip_count(ctx, l) {
        Some(0) => true,
        Some(n) if n < factor => unroll_by(ctx, l, n, false),
        _ => unroll_by(ctx, l, factor, false),
    }
}

/// Make one iteration do the work of `factor`. Iterations left over go to a loop
/// behind, or with `unroll_cleanup` all are unrolled. Returns whether the loop is now
/// unrolled: not where it is known to run less often than `factor`, where its bounds
/// are minima or maxima with a remainder, and where it would become too large.
pub fn unroll_by(ctx: &mut Context, l: ForOp, factor: u64, unroll_cleanup: bool) -> bool {
    let trips = constant_trip_count(ctx, l);
    if factor <= 1 {
        return factor == 1 && (trips != Some(1) || promote_if_single_iteration(ctx, l));
    }
    let body = l.body(ctx);
    if body.ops(ctx).len() <= 1 {
        return true;
    }
    if trips.is_some_and(|t| t < factor) {
        return unroll_cleanup && unroll_full(ctx, l);
    }
    let size = l.op().pre_order(ctx).len() as u64;
    let step = l.step(ctx);
    let new_step = i64::try_from(factor).ok().and_then(|f| step.checked_mul(f));
    let (Some(new_step), true) = (new_step, size.saturating_mul(factor) <= MAX_OPS) else {
        return false;
    };
    if !trip_count_divisor(ctx, l).is_multiple_of(factor) {
        if l.lower_map(ctx).num_results() != 1 || l.upper_map(ctx).num_results() != 1 {
            return false;
        }
        if unroll_cleanup {
            return unroll_full(ctx, l);
        }
        if !split_off_remainder(ctx, l, factor) {
            return false;
        }
    }
    l.set_step(ctx, new_step);
    repeat_body(ctx, l, factor, step);
    promote_if_single_iteration(ctx, l);
    true
}

/// Append `factor - 1` copies of the body to it, each `step` further on.
fn repeat_body(ctx: &mut Context, l: ForOp, factor: u64, step: i64) {
    let (body, iv) = (l.body(ctx), l.iv(ctx));
    let Some(end) = body.last_op(ctx) else { return };
    let originals: Vec<Op> = body.ops(ctx).into_iter().filter(|o| *o != end).collect();
    let (carried, yielded) = (l.iter_args(ctx), l.yielded(ctx));
    let iv_is_used = iv.has_uses(ctx);
    // What the copy made last yields.
    let mut last = yielded.clone();
    let mut offset = step;
    for _ in 1..factor {
        let mut map = IrMapping::new();
        map.map_all(&carried, &last);
        if iv_is_used {
            let mut b = Builder::before(ctx, end);
            b.loc = l.op().loc(b.ctx);
            let at = AffineMap::new(1, 0, vec![AffineExpr::dim(0) + offset]);
            let v = ApplyOp::build(&mut b, at, &[iv]);
            map.map(iv, v);
        }
        for o in &originals {
            let copy = clone_op(ctx, *o, &mut map);
            copy.insert_before(ctx, end);
        }
        last = yielded.iter().map(|v| map.value(*v)).collect();
        offset = offset.saturating_add(step);
    }
    end.set_operands(ctx, &last);
}

/// Cut `l` down to a multiple of `factor` iterations, the others in a copy behind it.
fn split_off_remainder(ctx: &mut Context, l: ForOp, factor: u64) -> bool {
    let op = l.op();
    let rest = clone_op(ctx, op, &mut IrMapping::new());
    rest.insert_after(ctx, op);
    let rest = ForOp::wrap(rest);
    for (a, b) in op.results(ctx).into_iter().zip(rest.op().results(ctx)) {
        a.replace_all_uses(ctx, b);
    }
    let results = op.results(ctx);
    rest.set_inits(ctx, &results);
    // With an upper bound below the lower one the start is below it too, and the copy
    // would run: it must not start before the loop would have.
    let bounds = (
        remainder_start(ctx, l, factor, false),
        remainder_start(ctx, l, factor, !never_ends_early(ctx, l)),
    );
    let (Some(start), Some(rest_start)) = bounds else {
        rest.op().replace(ctx, &results);
        return false;
    };
    rest.set_lower(ctx, rest_start.map, &rest_start.operands);
    promote_if_single_iteration(ctx, rest);
    l.set_upper(ctx, start.map, &start.operands);
    true
}

/// Whether the upper bound is known not to be below the lower one.
fn never_ends_early(ctx: &Context, l: ForOp) -> bool {
    if constant_trip_count(ctx, l).is_some_and(|n| n > 0) {
        return true;
    }
    let upper = l.upper_map(ctx);
    let size = match (l.upper_operands(ctx)[..].first(), upper.results()) {
        (Some(v), [e]) if *e == AffineExpr::dim(0) || *e == AffineExpr::symbol(0) => *v,
        _ => return false,
    };
    let is_size = size.def_op().is_some_and(|d| d.isa::<DimOp>(ctx));
    is_size && l.constant_lower(ctx).is_some_and(|c| c <= 0)
}

/// Where the iterations that do not make up `factor` begin; with `or_lower` as a map
/// with two results, the other being the lower bound.
fn remainder_start(
    ctx: &Context,
    l: ForOp,
    factor: u64,
    or_lower: bool,
) -> Option<ValueMap<Value>> {
    let factor = i64::try_from(factor).ok()?;
    let count = trip_count_map(ctx, l)?;
    let (dims, symbols) = (count.map.num_dims(), count.map.num_symbols());
    let whole = |e: &AffineExpr| (e.clone() - e.clone().modulo(factor)) * l.step(ctx);
    let spans = AffineMap::new(
        dims,
        symbols,
        count.map.results().iter().map(whole).collect(),
    );
    // lower + span over the operands of both.
    let lower = splat(l.lower_map(ctx), spans.num_results())?;
    let lower_operands = l.lower_operands(ctx);
    let (lower_dims, lower_symbols) =
        lower_operands.split_at((lower.num_dims() as usize).min(lower_operands.len()));
    let (span_dims, span_symbols) = count
        .operands
        .split_at((dims as usize).min(count.operands.len()));
    let operands = [lower_dims, span_dims, lower_symbols, span_symbols].concat();
    let shifted = spans
        .shift_dims(lower.num_dims())
        .shift_symbols(lower.num_symbols());
    let sums = lower
        .results()
        .iter()
        .zip(shifted.results())
        .map(|(a, b)| a.clone() + b.clone());
    let kept = lower.results().iter().filter(|_| or_lower).cloned();
    let results = sums.chain(kept).collect();
    let map = AffineMap::new(shifted.num_dims(), shifted.num_symbols(), results);
    let composed = compose(ctx, &map, &operands);
    Some(compose(ctx, &composed.map.simplify(), &composed.operands))
}
