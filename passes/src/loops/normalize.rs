//! Loops that count from 0 by 1.

use super::single_iteration::promote_if_single_iteration;
use crate::analysis::bounds::{difference, splat};
use terrace_dialects::affine::{ApplyOp, ForOp, ParallelOp};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::{Builder, Context, InsertPoint, OpKind, Value};

/// Let the loop count from 0 by 1, its old induction variable computed in the body;
/// with `promote`, a loop of one iteration is replaced by its body. Returns whether
/// the loop is normal now: a lower bound that is a maximum cannot be.
pub fn normalize_for(ctx: &mut Context, l: ForOp, promote: bool) -> bool {
    if promote && promote_if_single_iteration(ctx, l) {
        return true;
    }
    let step = l.step(ctx);
    if l.constant_lower(ctx) == Some(0) && step == 1 {
        return true;
    }
    let (lower, lower_operands) = (l.lower_map(ctx).clone(), l.lower_operands(ctx));
    let (upper, upper_operands) = (l.upper_map(ctx).clone(), l.upper_operands(ctx));
    let Some(starts) = splat(&lower, upper.num_results()).filter(|_| step > 0) else {
        return false;
    };
    let span = difference(ctx, (&upper, &upper_operands), (&starts, &lower_operands));
    let trips = span
        .map
        .results()
        .iter()
        .map(|e| e.clone().ceil_div(step))
        .collect();
    let trips = AffineMap::new(span.map.num_dims(), span.map.num_symbols(), trips);
    l.set_upper(ctx, trips, &span.operands);
    l.set_constant_lower(ctx, 0);
    l.set_step(ctx, 1);

    // The old variable is lower - (-step * new), so that the operands of the lower
    // bound come first.
    let iv = l.iv(ctx);
    let back = AffineMap::new(1, 0, vec![AffineExpr::dim(0) * step.wrapping_neg()]);
    let old = difference(ctx, (&lower, &lower_operands), (&back, &[iv]));
    let body = l.body(ctx);
    // It goes on to be the variable of the source.
    let loc = iv.loc(ctx);
    let mut b = Builder::at_start(ctx, body, loc);
    let value = ApplyOp::build(&mut b, old.map, &old.operands);
    replace_but_in_definition(ctx, iv, value);
    true
}

/// As [`normalize_for`] for all loops of a parallel band. Returns whether the band is
/// normal now: bounds that are minima or maxima cannot be.
pub(crate) fn normalize_parallel(ctx: &mut Context, p: ParallelOp) -> bool {
    if p.has_min_max_bounds(ctx) {
        return false;
    }
    let steps = p.steps(ctx);
    let lower = p.lower_map(ctx).clone();
    let from_zero = |e: &AffineExpr| e.as_constant() == Some(0);
    if lower.results().iter().all(from_zero) && steps.iter().all(|s| *s == 1) {
        return true;
    }
    if steps.iter().any(|s| *s < 1) {
        return false;
    }
    let lower_operands = p.lower_operands(ctx);
    let upper = p.upper_map(ctx).clone();
    let span = difference(
        ctx,
        (&upper, &p.upper_operands(ctx)),
        (&lower, &lower_operands),
    );
    let trips = span.map.results().iter().zip(&steps);
    let trips = trips.map(|(e, s)| e.clone().ceil_div(*s)).collect();
    let trips = AffineMap::new(span.map.num_dims(), span.map.num_symbols(), trips);

    let ivs = p.ivs(ctx);
    let loc = p.op().loc(ctx);
    let mut at = InsertPoint::Start(p.body(ctx));
    for ((iv, start), step) in ivs.iter().zip(lower.results()).zip(&steps) {
        let (dims, symbols) =
            lower_operands.split_at((lower.num_dims() as usize).min(lower_operands.len()));
        let old = start.clone() + AffineExpr::dim(lower.num_dims()) * *step;
        let map = AffineMap::new(lower.num_dims() + 1, lower.num_symbols(), vec![old]);
        let mut b = Builder::new(ctx, at, loc);
        let value = ApplyOp::build(&mut b, map, &[dims, &[*iv], symbols].concat());
        at = b.at;
        replace_but_in_definition(ctx, *iv, value);
    }
    p.set_upper(ctx, trips, &span.operands);
    let zeros = AffineMap::new(0, 0, vec![AffineExpr::constant(0); steps.len()]);
    p.set_lower(ctx, zeros, &[]);
    p.set_steps(ctx, &vec![1; steps.len()]);
    true
}

/// Let all users of `old` use `new`, but the op that computes `new` from it.
fn replace_but_in_definition(ctx: &Context, old: Value, new: Value) {
    let definition = new.def_op();
    old.replace_uses_if(ctx, new, |u| Some(u.op) != definition);
}
