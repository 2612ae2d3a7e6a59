//! A slice of one loop nest put into another: a copy of the nest, its loops bounded by
//! the slice.
//!
//! ```text
//! affine.for %i = 0 to 10 {           affine.for %i = 0 to 10 {
//!   affine.store %v, %A[%i]             affine.store %v, %A[%i]
//! }                                   }
//! affine.for %j = 0 to 10 {     =>    affine.for %j = 0 to 10 {
//!   %x = affine.load %A[%j]             affine.store %v, %A[%j]
//! }                                     %x = affine.load %A[%j]
//!                                     }
//! ```
//!
//! The first nest stays; whoever knows that it is not needed any more erases it.

use super::single_iteration::promote_if_single_iteration;
use crate::analysis::slice::Slice;
use terrace_dialects::affine::{ForOp, compose::compose, scope};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Builder, Context, OpKind};

/// Put the slice of `source` before the op that it names. Gives the loops of the copy
/// that are left: those of one iteration are replaced by their bodies.
pub fn fuse_slice(ctx: &mut Context, source: ForOp, slice: &Slice) -> Vec<ForOp> {
    let mut map = IrMapping::new();
    let copy = clone_op(ctx, source.op(), &mut map);
    let mut b = Builder::before(ctx, slice.before);
    b.insert(copy);
    let mut loops = Vec::new();
    for (v, bound) in slice.ivs.iter().zip(&slice.bounds) {
        let Some(l) = map.get(*v).and_then(|v| scope::for_of_iv(ctx, v)) else {
            continue;
        };
        loops.push(l);
        if let Some(m) = &bound.lower
            && m.num_results() > 0
        {
            let c = compose(ctx, m, &slice.operands);
            l.set_lower(ctx, c.map, &c.operands);
        }
        if let Some(m) = &bound.upper
            && m.num_results() > 0
        {
            let c = compose(ctx, m, &slice.operands);
            l.set_upper(ctx, c.map, &c.operands);
        }
    }
    loops.retain(|l| !promote_if_single_iteration(ctx, *l));
    loops
}
