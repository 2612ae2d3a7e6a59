//! A loop in two: over strips of a number of iterations each, and over those in one.
//!
//! ```text
//! affine.for %i = 0 to %n {         affine.for %s = 0 to %n step 32 {
//!   body(%i)                   =>     affine.for %i = %s to min(%s + 32, %n) {
//!                                       body(%i)
//! ```
//!
//! The order of the iterations stays as it is, so that this is always legal.

use super::domain::steps;
use super::nest::{Band, open};
use super::tile_band::point_upper;
use super::{Refusal, names};
use terrace_dialects::affine::ForOp;
use terrace_ir::affine::{AffineMap, ValueMap};
use terrace_ir::{Builder, Context, OpKind};

/// Strips of `size` iterations. Gives the loop over strips and the loop over the
/// iterations of one, which keeps the name.
///
/// # Errors
///
/// Where the size is 0 or the step of the strips does not fit.
pub fn strip_mine(ctx: &mut Context, l: ForOp, size: u64) -> Result<(ForOp, ForOp), Refusal> {
    let at = l.op().loc(ctx);
    let band = Band::new(ctx, &[l])?;
    let step = steps(ctx, &[l])?[0];
    if size == 0 {
        return Err(Refusal::new(
            at,
            "strips have 0 iterations, expected at least 1",
        ));
    }
    let span = i64::try_from(size).ok().and_then(|s| step.checked_mul(s));
    let Some(span) = span else {
        let m = format!(
            "strips of {size} iterations of {}, which has a step of {step}, do not fit in 64 bits",
            names::describe(ctx, l)
        );
        return Err(Refusal::new(at, m));
    };
    let (map, dims, symbols) = point_upper(ctx, l, size, span);
    let bound = |map: &AffineMap, operands| ValueMap {
        map: map.clone(),
        operands,
    };
    let lower = bound(l.lower_map(ctx), l.lower_operands(ctx));
    let upper = bound(l.upper_map(ctx), l.upper_operands(ctx));
    let inits = l.inits(ctx);
    let mut b = Builder::before(ctx, l.op());
    let strips = open(&mut b, lower, upper, span, &inits);
    let first = strips.iv(b.ctx);
    let start = bound(&AffineMap::dim_identity(), vec![first]);
    let end = bound(&map, [dims, vec![first], symbols].concat());
    let carried = strips.iter_args(b.ctx);
    let points = open(&mut b, start, end, step, &carried);
    let ctx = b.ctx;
    let results = points.op().results(ctx);
    if let Some(end) = strips.body(ctx).last_op(ctx) {
        end.set_operands(ctx, &results);
    }
    if let Some(end) = points.body(ctx).last_op(ctx) {
        let carried = points.iter_args(ctx);
        let yielded = band.move_body(ctx, end, &carried);
        end.set_operands(ctx, &yielded);
    }
    let (old, new) = (l.iv(ctx), points.iv(ctx));
    old.replace_all_uses(ctx, new);
    names::derive(ctx, l, strips, "_tile");
    names::copy(ctx, l, points);
    let results = strips.op().results(ctx);
    l.op().replace(ctx, &results);
    Ok((strips, points))
}
