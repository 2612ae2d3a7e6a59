//! Coalescing: one loop over all iterations of loops perfectly nested in one another.
//!
//! ```text
//!                                       %m = affine.apply ()[s0] -> (s0)()[%M]
//!                                       %n = affine.apply ()[s0] -> (s0)()[%N]
//!                                       %all = affine.apply (d0)[s0] -> (d0 * s0)(%m)[%n]
//! affine.for %i = 0 to %M {             affine.for %k = 0 to %all {
//!   affine.for %j = 0 to %N {      =>     %j = affine.apply (d0)[s0] -> (d0 mod s0)(%k)[%n]
//!     use(%i, %j)                         %i = affine.apply (d0)[s0] -> (d0 floordiv s0)(%k)[%n]
//!   }                                     use(%i, %j)
//! }                                     }
//! ```
//!
//! The order of iterations stays, so that this is always legal. Two loops neither of which
//! runs may have bounds whose product is positive: where more than one bound is not known
//! to be at least 0, those are cut off at 0.

use super::Refusal;
use super::normalize::normalize_for;
use crate::analysis::bounds::trip_count_map;
use crate::analysis::captured::is_inside;
use crate::analysis::ranges::Ranges;
use crate::loops::splice::unwrap_body;
use terrace_dialects::affine::{ApplyOp, ForOp, MaxOp, MinOp, compose::compose, scope};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::{Builder, Context, Loc, OpKind, Value};

/// Put one loop in the place of a band: loops each of which is all that the one before
/// holds. It is the outermost, changed.
///
/// # Errors
///
/// Fewer than two loops, or not such a band; a bound depends on a loop of the band, is not
/// a symbol or is a maximum; values are carried other than through the whole band.
pub fn coalesce(ctx: &mut Context, band: &[ForOp]) -> Result<ForOp, Refusal> {
    let [outermost, .., innermost] = *band else {
        let loc = band.first().map_or(Loc::Unknown, |l| l.op().loc(ctx));
        return Err(Refusal::new(loc, "coalescing takes two loops or more"));
    };
    check_shape(ctx, band)?;
    let cut = check_bounds(ctx, band)?;
    for l in band {
        normalize_for(ctx, *l, false);
        // What computes the old variable goes where it is used.
        for op in l.body(ctx).ops(ctx) {
            if *l != innermost && op.isa::<ApplyOp>(ctx) {
                let Some(first) = innermost.body(ctx).first_op(ctx) else {
                    break;
                };
                op.move_before(ctx, first);
            }
        }
    }
    let mut b = Builder::before(ctx, outermost.op());
    let mut sizes = Vec::new();
    let mut all = None;
    for (l, cut) in band.iter().zip(cut) {
        let size = size_of(&mut b, *l, cut);
        sizes.push(size);
        all = Some(match all {
            None => size,
            Some(before) => {
                let product = AffineExpr::dim(0) * AffineExpr::symbol(0);
                let map = AffineMap::new(1, 1, vec![product]);
                ApplyOp::build(&mut b, map, &[before, size])
            }
        });
    }
    if let Some(all) = all {
        outermost.set_upper(b.ctx, AffineMap::symbol_identity(), &[all]);
    }
    split_variable(b.ctx, band, &sizes);
    for pair in band.windows(2).rev() {
        let inits = pair[1].inits(ctx);
        unwrap_body(ctx, pair[1].op(), &inits);
    }
    Ok(outermost)
}

/// The loops have to be perfectly nested, and to carry values as one loop would.
fn check_shape(ctx: &Context, band: &[ForOp]) -> Result<(), Refusal> {
    for pair in band.windows(2) {
        let [outer, inner] = [pair[0], pair[1]];
        let loc = inner.op().loc(ctx);
        let around = outer.op().loc(ctx);
        if !matches!(outer.body(ctx).ops(ctx)[..], [only, _end] if only == inner.op()) {
            let m = "cannot coalesce: this loop is not all that the loop around it holds";
            return Err(Refusal::new(loc, m).note(around, "the loop around it"));
        }
        let passed_on = inner.yielded(ctx) == inner.iter_args(ctx);
        let through = inner.inits(ctx) == outer.iter_args(ctx)
            && outer.yielded(ctx) == inner.op().results(ctx);
        if !passed_on && !through {
            let m = "cannot coalesce: the values that this loop carries are not those that \
                     the loop around it carries";
            return Err(Refusal::new(loc, m).note(around, "the loop around it"));
        }
    }
    Ok(())
}

/// Whether the size of each loop has to be cut off at 0.
fn check_bounds(ctx: &Context, band: &[ForOp]) -> Result<Vec<bool>, Refusal> {
    let outermost = band[0].op();
    let region = scope::affine_scope(ctx, outermost);
    let top = outermost.region_of(ctx) == region;
    let mut negative = Vec::new();
    let mut known: Option<i64> = Some(1);
    for l in band {
        let loc = l.op().loc(ctx);
        let refuse = |m: &str| Err(Refusal::new(loc, format!("cannot coalesce: {m}")));
        let (lower, upper) = (l.lower_map(ctx), l.upper_map(ctx));
        if lower.num_results() != 1 || l.step(ctx) < 1 {
            return refuse("the lower bound of this loop is a maximum");
        }
        if upper.num_results() != 1 && !top {
            return refuse("the upper bound of this loop is a minimum, which is no symbol here");
        }
        let lower = compose(ctx, lower, &l.lower_operands(ctx));
        let upper = compose(ctx, upper, &l.upper_operands(ctx));
        for v in lower.operands.iter().chain(&upper.operands) {
            if is_inside(ctx, outermost, *v) {
                return refuse("the bounds of this loop depend on a loop it would be one with");
            }
            if !scope::is_valid_symbol(ctx, *v, region) {
                return refuse("the bounds of this loop depend on a loop around them");
            }
        }
        let trips = l
            .constant_trip_count(ctx)
            .and_then(|n| i64::try_from(n).ok());
        known = match (known, trips) {
            (Some(a), Some(b)) => match a.checked_mul(b) {
                Some(n) => Some(n),
                None => return refuse("together the loops have too many iterations to count"),
            },
            _ => None,
        };
        let natural = trip_count_map(ctx, *l).is_some_and(|count| {
            let ranges = Ranges::default().of_results(ctx, &count.map, &count.operands);
            ranges.iter().all(|r| r.lo.is_some_and(|lo| lo >= 0))
        });
        negative.push(!natural);
    }
    if negative.iter().filter(|n| **n).count() < 2 {
        return Ok(vec![false; band.len()]);
    }
    if !top {
        let m = "cannot coalesce: the loops may have bounds below 0, and what cuts them off \
                 is no symbol here";
        return Err(Refusal::new(outermost.loc(ctx), m));
    }
    Ok(negative)
}

/// The number of iterations of a normal loop; not below 0 if `cut`.
fn size_of(b: &mut Builder, l: ForOp, cut: bool) -> Value {
    let (map, operands) = (l.upper_map(b.ctx).clone(), l.upper_operands(b.ctx));
    let plain = map.num_results() == 1;
    if cut && plain {
        let mut results = map.results().to_vec();
        results.push(AffineExpr::constant(0));
        let map = AffineMap::new(map.num_dims(), map.num_symbols(), results);
        return MaxOp::build(b, map, &operands);
    }
    if plain {
        return ApplyOp::build(b, map, &operands);
    }
    let least = MinOp::build(b, map, &operands);
    if !cut {
        return least;
    }
    let map = AffineMap::new(0, 1, vec![AffineExpr::symbol(0), AffineExpr::constant(0)]);
    MaxOp::build(b, map, &[least])
}

/// Compute the variables of all loops from that of the outermost, which now counts the
/// iterations of all: the innermost varies fastest.
fn split_variable(ctx: &mut Context, band: &[ForOp], sizes: &[Value]) {
    let [outermost, .., innermost] = *band else {
        return;
    };
    let by = |e: AffineExpr| AffineMap::new(1, 1, vec![e]);
    let all = outermost.iv(ctx);
    let users = all.uses(ctx);
    let body = innermost.body(ctx);
    let loc = outermost.op().loc(ctx);
    let mut b = Builder::at_start(ctx, body, loc);
    let mut rest = all;
    for i in (1..band.len()).rev() {
        let modulo = by(AffineExpr::dim(0).modulo(AffineExpr::symbol(0)));
        let iv = ApplyOp::build(&mut b, modulo, &[rest, sizes[i]]);
        let old = band[i].iv(b.ctx);
        old.replace_all_uses(b.ctx, iv);
        let quotient = by(AffineExpr::dim(0).floor_div(AffineExpr::symbol(0)));
        rest = ApplyOp::build(&mut b, quotient, &[rest, sizes[i]]);
    }
    all.replace_uses_if(b.ctx, rest, |u| users.contains(&u));
}
