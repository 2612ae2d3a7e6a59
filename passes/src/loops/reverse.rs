//! A loop the other way round: its last iteration comes first.
//!
//! ```text
//! affine.for %i = 0 to %n {         affine.for %i = 0 to %n {
//!   body(%i)                   =>     body(%n - 1 - %i)
//! ```
//!
//! A variable that starts at a maximum or ends at a minimum runs over the negated
//! numbers instead. Where the step is not 1, iterations are counted first.

use super::domain::{Bounds, steps};
use super::frame::Frame;
use super::substitute::substitute;
use super::{Refusal, names};
use terrace_dialects::affine::ForOp;
use terrace_ir::affine::AffineExpr;
use terrace_ir::{Context, InsertPoint, OpKind};

/// Reverse the order of the iterations of `l`. Gives that loop, which is the same one.
/// Carried values go through the iterations in the new order.
///
/// # Errors
///
/// Where a loop with a step other than 1 starts at a maximum.
pub fn reverse(ctx: &mut Context, l: ForOp) -> Result<ForOp, Refusal> {
    let at = l.op().loc(ctx);
    let step = steps(ctx, &[l])?[0];
    let iv = l.iv(ctx);
    let mut frame = Frame::new(&[iv]);
    let mut bounds = Bounds::of(ctx, &mut frame, &[l]);
    let (mut lower, mut upper) = (bounds.lower.remove(0), bounds.upper.remove(0));
    // The number of an iteration, from its place in the order from `lower` by 1.
    let mut origin = AffineExpr::constant(0);
    if step != 1 {
        let [start] = &lower[..] else {
            let m = format!(
                "{} has a step of {step} and starts at a maximum, so that its last iteration is not known; a step of 1 can be reversed",
                names::describe(ctx, l)
            );
            return Err(Refusal::new(at, m));
        };
        origin = start.clone();
        upper = upper
            .into_iter()
            .map(|e| (e - start.clone()).ceil_div(step))
            .collect();
        lower = vec![AffineExpr::constant(0)];
    }
    let iteration = if let ([first], [end]) = (&lower[..], &upper[..]) {
        first.clone() + end.clone() - 1 - AffineExpr::dim(0)
    } else {
        let negated = |e: &AffineExpr| -e.clone() + 1;
        let (from, to) = (
            upper.iter().map(negated).collect(),
            lower.iter().map(negated).collect(),
        );
        (lower, upper) = (from, to);
        -AffineExpr::dim(0)
    };
    let old = frame.map(ctx, vec![origin + iteration * step], &[]);
    let lower = frame.map(ctx, lower, &[]);
    let upper = frame.map(ctx, upper, &[]);
    l.set_lower(ctx, lower.map, &lower.operands);
    l.set_upper(ctx, upper.map, &upper.operands);
    l.set_step(ctx, 1);
    let start = InsertPoint::Start(l.body(ctx));
    substitute(ctx, iv, &old, start, at);
    Ok(l)
}
