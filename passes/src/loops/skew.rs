//! A loop further on by a multiple of the variable of a loop around it.
//!
//! ```text
//! affine.for %t = 0 to %T {               affine.for %t = 0 to %T {
//!   affine.for %i = 1 to %n {     =>        affine.for %i = %t + 1 to %t + %n {
//!     body(%t, %i)                            body(%t, %i - %t)
//! ```
//!
//! The order of the iterations stays as it is. What changes is which order other steps
//! can bring about: where a dependence goes one step on in `%t` and one back in `%i`,
//! it does not go back in the new `%i` (M. Wolfe, "Loop Skewing: The Wavefront Method
//! Revisited", 1986).

use super::shift::shift;
use super::{Refusal, names};
use terrace_dialects::affine::ForOp;
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::{Context, OpKind};

/// Add `factor` times the variable of `outer` to that of `inner`, a loop somewhere in
/// it. Gives the inner loop.
///
/// # Errors
///
/// Where `inner` is not in `outer`.
pub fn skew(ctx: &mut Context, outer: ForOp, inner: ForOp, factor: i64) -> Result<ForOp, Refusal> {
    if outer == inner || !outer.op().is_ancestor_of(ctx, inner.op()) {
        let (on, inn) = (names::describe(ctx, outer), names::describe(ctx, inner));
        let m = format!("{inn} cannot be skewed by {on}, since it is not inside of it");
        return Err(Refusal::new(inner.op().loc(ctx), m).note(outer.op().loc(ctx), on));
    }
    let by = AffineMap::new(1, 0, vec![AffineExpr::dim(0) * factor]);
    let iv = outer.iv(ctx);
    shift(ctx, inner, &by, &[iv])
}
