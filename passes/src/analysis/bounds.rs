//! Differences of bounds and what they say of trip counts.

use num_integer::gcd;
use terrace_dialects::affine::{ForOp, compose::compose};
use terrace_ir::affine::{AffineExpr, AffineMap, ValueMap};
use terrace_ir::{Context, Value};

/// Both maps over the operands of both.
fn over_both(
    a: (&AffineMap, &[Value]),
    b: (&AffineMap, &[Value]),
) -> (AffineMap, AffineMap, Vec<Value>) {
    let ((a, a_operands), (b, b_operands)) = (a, b);
    let (a_dims, a_symbols) = a_operands.split_at((a.num_dims() as usize).min(a_operands.len()));
    let (b_dims, b_symbols) = b_operands.split_at((b.num_dims() as usize).min(b_operands.len()));
    let dims = a.num_dims().saturating_add(b.num_dims());
    let symbols = a.num_symbols().saturating_add(b.num_symbols());
    let shifted = b.shift_dims(a.num_dims()).shift_symbols(a.num_symbols());
    let wide = |m: &AffineMap| AffineMap::new(dims, symbols, m.results().to_vec());
    let operands = [a_dims, b_dims, a_symbols, b_symbols].concat();
    (wide(a), wide(&shifted), operands)
}

/// `a - b`, result by result, over the operands of both, composed and simplified.
/// There are as many results as the shorter of the two has.
pub(crate) fn difference(
    ctx: &Context,
    a: (&AffineMap, &[Value]),
    b: (&AffineMap, &[Value]),
) -> ValueMap<Value> {
    let (a, b, operands) = over_both(a, b);
    let pairs = a.results().iter().zip(b.results());
    let results = pairs.map(|(x, y)| x.clone() - y.clone()).collect();
    let map = AffineMap::new(a.num_dims(), a.num_symbols(), results);
    let composed = compose(ctx, &map, &operands);
    // Again, for what simplification no longer needs.
    compose(ctx, &composed.map.simplify(), &composed.operands)
}

/// The results of `a`, then those of `b`, over the operands of both.
pub(crate) fn both(
    ctx: &Context,
    a: (&AffineMap, &[Value]),
    b: (&AffineMap, &[Value]),
) -> ValueMap<Value> {
    let (a, b, operands) = over_both(a, b);
    let results = [a.results(), b.results()].concat();
    let map = AffineMap::new(a.num_dims(), a.num_symbols(), results);
    compose(ctx, &map, &operands)
}

/// An expression as a dimension, once or once negated, and the rest, in which that dimension is not:
/// 1 or -1, and the rest. `space`: how many dimensions and symbols there are.
pub(crate) fn unit_and_rest(
    e: &AffineExpr,
    dim: u32,
    space: (u32, u32),
) -> Option<(i64, AffineExpr)> {
    let without: Vec<AffineExpr> = (0..space.0)
        .map(|d| match d == dim {
            true => AffineExpr::constant(0),
            false => AffineExpr::dim(d),
        })
        .collect();
    let rest = e.replace_dims(&without);
    let is = |sign: &i64| {
        let other = e.clone() - rest.clone() - AffineExpr::dim(dim) * *sign;
        let other = AffineMap::new(space.0, space.1, vec![other]).simplify();
        other.single_constant() == Some(0)
    };
    let sign = [1, -1].into_iter().find(is)?;
    Some((sign, rest))
}

/// `map` with its only result `n` times.
pub(crate) fn splat(map: &AffineMap, n: usize) -> Option<AffineMap> {
    let [only] = map.results() else { return None };
    Some(AffineMap::new(
        map.num_dims(),
        map.num_symbols(),
        vec![only.clone(); n],
    ))
}

/// The number of iterations, as the least of the results of a map; it is negative
/// where the loop does not run. `None` where the lower bound is a maximum.
pub(crate) fn trip_count_map(ctx: &Context, l: ForOp) -> Option<ValueMap<Value>> {
    if let (Some(_), Some(_)) = (l.constant_lower(ctx), l.constant_upper(ctx)) {
        let trips = i64::try_from(l.constant_trip_count(ctx)?).ok()?;
        return Some(ValueMap {
            map: AffineMap::constant(trips),
            operands: Vec::new(),
        });
    }
    let upper = l.upper_map(ctx);
    let lower = splat(l.lower_map(ctx), upper.num_results())?;
    let span = difference(
        ctx,
        (upper, &l.upper_operands(ctx)),
        (&lower, &l.lower_operands(ctx)),
    );
    let step = l.step(ctx);
    if step < 1 {
        return None;
    }
    let results = span
        .map
        .results()
        .iter()
        .map(|e| e.clone().ceil_div(step))
        .collect();
    let map = AffineMap::new(span.map.num_dims(), span.map.num_symbols(), results);
    Some(ValueMap {
        map,
        operands: span.operands,
    })
}

/// As [`trip_count_map`], also where the lower bound is a maximum: one result for each of its
/// results with each of the upper bound's.
pub(crate) fn trip_count_of_all_bounds(ctx: &Context, l: ForOp) -> Option<ValueMap<Value>> {
    if let Some(count) = trip_count_map(ctx, l) {
        return Some(count);
    }
    let step = l.step(ctx);
    if step < 1 {
        return None;
    }
    let (lower, upper) = (l.lower_map(ctx), l.upper_map(ctx));
    let pairs = lower.results().iter();
    let pairs = pairs.flat_map(|low| upper.results().iter().map(move |up| (low, up)));
    let (lows, ups): (Vec<AffineExpr>, Vec<AffineExpr>) =
        pairs.map(|(low, up)| (low.clone(), up.clone())).unzip();
    let with = |map: &AffineMap, all| AffineMap::new(map.num_dims(), map.num_symbols(), all);
    let span = difference(
        ctx,
        (&with(upper, ups), &l.upper_operands(ctx)),
        (&with(lower, lows), &l.lower_operands(ctx)),
    );
    let counts = span.map.results().iter().map(|e| e.clone().ceil_div(step));
    Some(ValueMap {
        map: with(&span.map, counts.collect()),
        operands: span.operands,
    })
}

/// How often the body runs, where that is a constant even though the bounds may not
/// be.
pub fn constant_trip_count(ctx: &Context, l: ForOp) -> Option<u64> {
    let counts = trip_count_map(ctx, l)?.map.constant_results()?;
    let least = counts.into_iter().min()?;
    Some(u64::try_from(least).unwrap_or(0))
}

/// The greatest number known to divide the trip count; 0, which everything divides,
/// for a loop that does not run.
pub(crate) fn trip_count_divisor(ctx: &Context, l: ForOp) -> u64 {
    let Some(counts) = trip_count_map(ctx, l) else {
        return 1;
    };
    // The count is the least of the results, whichever that is.
    counts.map.results().iter().map(divisor).fold(0, gcd)
}

/// The greatest number known to divide an expression; 0 where that is 0 or less.
pub(crate) fn divisor(e: &AffineExpr) -> u64 {
    match e.as_constant() {
        Some(c) => u64::try_from(c).unwrap_or(0),
        None => e.largest_known_divisor().unsigned_abs(),
    }
}
