//! The variable of a loop runs over other numbers: each further on by the same amount,
//! a constant or affine in what surrounds the loop.
//!
//! ```text
//! affine.for %i = 0 to %n {         affine.for %i = %k to %n + %k {
//!   body(%i)                   =>     body(%i - %k)
//! ```
//!
//! The order of the iterations stays as it is, so that this is always legal. It is of
//! use together with what comes after: with a fusion, which brings iterations of the
//! same number together, and as [`super::skew`].

use super::domain::Bounds;
use super::frame::Frame;
use super::substitute::substitute;
use super::{Refusal, names};
use crate::analysis::captured::is_in_body;
use terrace_dialects::affine::{ForOp, scope};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::{Context, InsertPoint, OpKind, Value};

/// Add the one result of `by` at `operands` to the variable of `l`. Gives that loop,
/// which is the same one.
///
/// # Errors
///
/// Where the amount is not one number, changes within the loop, or is none that a
/// bound may depend on.
pub fn shift(
    ctx: &mut Context,
    l: ForOp,
    by: &AffineMap,
    operands: &[Value],
) -> Result<ForOp, Refusal> {
    let at = l.op().loc(ctx);
    if by.num_results() != 1 || by.num_inputs() != operands.len() {
        return Err(Refusal::new(
            at,
            "the amount to shift by must be one number",
        ));
    }
    let around = scope::affine_scope(ctx, l.op());
    for v in operands {
        if is_in_body(ctx, l.op(), *v) {
            let m = format!(
                "{} cannot be shifted by what changes within it",
                names::describe(ctx, l)
            );
            return Err(Refusal::new(at, m).note(v.loc(ctx), "defined in the loop"));
        }
        if !scope::is_valid_dim(ctx, *v, around) {
            let m = format!(
                "{} cannot be shifted by a value that is neither a parameter nor affine in the loops around",
                names::describe(ctx, l)
            );
            return Err(Refusal::new(at, m).note(v.loc(ctx), "this value"));
        }
    }
    let iv = l.iv(ctx);
    let mut frame = Frame::new(&[iv]);
    let bounds = Bounds::of(ctx, &mut frame, &[l]);
    let amounts = frame.exprs(ctx, by, operands);
    let Some(amount) = amounts.first() else {
        return Ok(l);
    };
    let moved = |side: &[Vec<AffineExpr>]| -> Vec<AffineExpr> {
        side[0].iter().map(|e| e.clone() + amount.clone()).collect()
    };
    let lower = frame.map(ctx, moved(&bounds.lower), &[]);
    let upper = frame.map(ctx, moved(&bounds.upper), &[]);
    let old = frame.map(ctx, vec![AffineExpr::dim(0) - amount.clone()], &[]);
    l.set_lower(ctx, lower.map, &lower.operands);
    l.set_upper(ctx, upper.map, &upper.operands);
    let start = InsertPoint::Start(l.body(ctx));
    substitute(ctx, iv, &old, start, at);
    Ok(l)
}

/// As [`shift`] by a constant.
///
/// # Errors
///
/// As [`shift`].
pub fn shift_by(ctx: &mut Context, l: ForOp, by: i64) -> Result<ForOp, Refusal> {
    shift(ctx, l, &AffineMap::constant(by), &[])
}
