//! `affine.for`: folding.

use super::ForOp;
use super::compose::{compose, prune};
use terrace_ir::affine::{AffineMap, ValueMap};
use terrace_ir::opdef::{Fold, FoldResult};
use terrace_ir::{Attr, Context, Op, OpKind, Value};

/// Constant bounds, canonical bounds, and results of loops that do not run or whose
/// body is empty.
pub(super) fn fold(ctx: &Context, op: Op, _: &[Option<Attr>]) -> Fold {
    let f = ForOp::wrap(op);
    let mut changed = fold_constant_bound(ctx, f, true);
    changed |= fold_constant_bound(ctx, f, false);
    changed |= canonicalize_bounds(ctx, f);
    if op.num_results(ctx) > 0 {
        if f.constant_trip_count(ctx) == Some(0) {
            return results(f.inits(ctx));
        }
        if let Some(values) = results_of_empty_body(ctx, f) {
            return results(values);
        }
    }
    if changed { Fold::InPlace } else { Fold::No }
}

fn results(values: Vec<Value>) -> Fold {
    Fold::Results(values.into_iter().map(FoldResult::Value).collect())
}

/// A bound whose operands are all constants becomes one constant.
fn fold_constant_bound(ctx: &Context, f: ForOp, is_lower: bool) -> bool {
    let (map, operands) = if is_lower {
        (f.lower_map(ctx), f.lower_operands(ctx))
    } else {
        (f.upper_map(ctx), f.upper_operands(ctx))
    };
    if map.single_constant().is_some() || map.num_inputs() != operands.len() {
        return false;
    }
    // A map over no operands may still have several constants.
    let Some(values) = operands
        .iter()
        .map(|v| ctx.constant_int(*v))
        .collect::<Option<Vec<i64>>>()
    else {
        return false;
    };
    let (dims, symbols) = values.split_at(map.num_dims() as usize);
    let Some(bounds) = map.eval(dims, symbols) else {
        return false;
    };
    let bound = if is_lower {
        bounds.iter().max()
    } else {
        bounds.iter().min()
    };
    let Some(&bound) = bound else { return false };
    if is_lower {
        f.set_constant_lower(ctx, bound);
    } else {
        f.set_constant_upper(ctx, bound);
    }
    true
}

fn canonicalize_bounds(ctx: &Context, f: ForOp) -> bool {
    let canonical = |map: &AffineMap, operands: Vec<Value>, is_max: bool| {
        let ValueMap { map, operands } = compose(ctx, map, &operands);
        let map = prune(ctx, &map, &operands, is_max).remove_duplicate_results();
        (map, operands)
    };
    let (lower, lower_operands) = canonical(f.lower_map(ctx), f.lower_operands(ctx), true);
    let (upper, upper_operands) = canonical(f.upper_map(ctx), f.upper_operands(ctx), false);
    let (new_lower, new_upper) = (lower != *f.lower_map(ctx), upper != *f.upper_map(ctx));
    if new_lower {
        f.set_lower(ctx, lower, &lower_operands);
    }
    if new_upper {
        f.set_upper(ctx, upper, &upper_operands);
    }
    new_lower || new_upper
}

/// What a loop gives whose body only yields.
fn results_of_empty_body(ctx: &Context, f: ForOp) -> Option<Vec<Value>> {
    let body = f.body(ctx);
    let end = body
        .terminator(ctx)
        .filter(|t| body.first_op(ctx) == Some(*t))?;
    let trips = f.constant_trip_count(ctx);
    let (args, inits) = (f.iter_args(ctx), f.inits(ctx));
    let (mut from_outside, mut permuted) = (false, false);
    let mut values = Vec::with_capacity(inits.len());
    for (i, v) in end.operands(ctx).into_iter().enumerate() {
        if v == f.iv(ctx) {
            return None;
        }
        match args.iter().position(|a| *a == v) {
            Some(at) => {
                permuted |= at != i;
                values.push(*inits.get(at)?);
            }
            None => {
                from_outside = true;
                values.push(v);
            }
        }
    }
    // Not knowing how often it runs, only what never changes is known.
    if trips.is_none() && (from_outside || permuted) {
        return None;
    }
    if trips.is_some_and(|t| t >= 2) && permuted {
        return None;
    }
    Some(values)
}
