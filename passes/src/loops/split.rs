//! Index-set splitting: the iterations before a point in one loop, those from it on in
//! another behind it.
//!
//! ```text
//! affine.for %i = 0 to %n {         affine.for %i = 0 to min(%n, %m) {
//!   body(%i)                   =>     body(%i)
//! }                                 }
//!                                   affine.for %i = max(0, %m) to %n {
//!                                     body(%i)
//!                                   }
//! ```
//!
//! The order of the iterations stays as it is, so that this is always legal.

use super::domain::{Bounds, steps};
use super::frame::Frame;
use super::tidy::simplify;
use super::{Refusal, names};
use crate::analysis::captured::is_in_body;
use terrace_dialects::affine::{ForOp, scope};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Context, OpKind, Value};

/// Split `l` at the one result of `at`: iterations whose variable is less come first.
/// Gives the loop over those, whose name gets the suffix `_below`, and the loop over
/// the others, `_above`.
///
/// # Errors
///
/// Where the point is not one number, changes within the loop, or is none that a bound
/// may depend on; where a loop with a step starts at a maximum.
pub fn split(
    ctx: &mut Context,
    l: ForOp,
    at: &AffineMap,
    operands: &[Value],
) -> Result<(ForOp, ForOp), Refusal> {
    let place = l.op().loc(ctx);
    if at.num_results() != 1 || at.num_inputs() != operands.len() {
        return Err(Refusal::new(
            place,
            "the point to split at must be one number",
        ));
    }
    let around = scope::affine_scope(ctx, l.op());
    for v in operands {
        if is_in_body(ctx, l.op(), *v) || !scope::is_valid_dim(ctx, *v, around) {
            let m = format!(
                "{} can only be split at what is a parameter or affine in the loops around",
                names::describe(ctx, l)
            );
            return Err(Refusal::new(place, m).note(v.loc(ctx), "this is neither"));
        }
    }
    let step = steps(ctx, &[l])?[0];
    let mut frame = Frame::new(&[l.iv(ctx)]);
    let lower = Bounds::of(ctx, &mut frame, &[l]).lower.remove(0);
    let mut points = frame.exprs(ctx, at, operands);
    let point = points.swap_remove(0);
    let mut second = lower.clone();
    if step == 1 {
        second.push(point.clone());
    } else {
        let [start] = &lower[..] else {
            let m = format!(
                "{} has a step of {step} and starts at a maximum, so that it is not known which of its iterations comes first behind a point; with a step of 1 it is",
                names::describe(ctx, l)
            );
            return Err(Refusal::new(place, m));
        };
        // The first of its numbers that is not before the point.
        let ahead = (point.clone() - start.clone()).ceil_div(step);
        second.push(start.clone() + ahead * step);
    }
    let (below, above) = cut(ctx, l, &frame, point, second);
    names::rename(ctx, below, "_below");
    names::rename(ctx, above, "_above");
    Ok((below, above))
}

/// Let `l` end before `end`, and put a copy behind it that starts at the greatest of
/// `start`. Neither is renamed.
pub(super) fn cut(
    ctx: &mut Context,
    l: ForOp,
    frame: &Frame,
    end: AffineExpr,
    start: Vec<AffineExpr>,
) -> (ForOp, ForOp) {
    let op = l.op();
    let rest = clone_op(ctx, op, &mut IrMapping::new());
    rest.insert_after(ctx, op);
    let results = op.results(ctx);
    for (a, b) in results.iter().zip(rest.results(ctx)) {
        a.replace_all_uses(ctx, b);
    }
    let rest = ForOp::wrap(rest);
    rest.set_inits(ctx, &results);
    let mut frame = frame.clone();
    let mut upper = Bounds::of(ctx, &mut frame, &[l]).upper.remove(0);
    upper.push(end);
    let first = frame.map(ctx, upper, &[]);
    l.set_upper(ctx, first.map, &first.operands);
    let second = frame.map(ctx, start, &[]);
    rest.set_lower(ctx, second.map, &second.operands);
    for half in [l, rest] {
        simplify(ctx, half);
    }
    (l, rest)
}
