//! Scans of rows that lie side by side, written with the loop over rows inside.
//!
//! ```text
//! affine.for %i = 1 to %m {              affine.for %j = 0 to %n {
//!   affine.for %j = 0 to %n {              affine.for %i = 1 to %m {
//!     B[%i, %j] += B[%i - 1, %j]   =>        B[%i, %j] += B[%i - 1, %j]
//!   }                                      }
//! }                                      }
//! ```
//!
//! The loops may change places where the other order is a scan: no iteration depends on one of another
//! row then, and those of a row keep their order.

use super::scan;
use crate::loops::permute::permute;
use terrace_dialects::affine::{self, ForOp};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Context, Op, OpKind};

/// Puts loops over rows outside of those that are scans then.
pub fn put_rows_outside(ctx: &mut Context, function: Op, reassociate: bool) {
    let mut gone: Vec<Op> = Vec::new();
    for l in function.find_all::<ForOp>(ctx) {
        let inner = match gone.contains(&l.op()) {
            true => None,
            false => only(ctx, l),
        };
        let Some(inner) = inner else { continue };
        let innermost = inner.op().find_all::<ForOp>(ctx).len() == 1;
        if !innermost || scan(ctx, inner, reassociate).is_ok() {
            continue;
        }
        let copy = clone_op(ctx, l.op(), &mut IrMapping::new());
        copy.insert_before(ctx, l.op());
        let copy = ForOp::wrap(copy);
        let inside = only(ctx, copy);
        let turned = inside.and_then(|inner| permute(ctx, &[copy, inner], &[1, 0]).ok());
        match turned.as_deref() {
            Some([_, along]) if scan(ctx, *along, reassociate).is_ok_and(|s| s.side_by_side) => {
                gone.push(inner.op());
                l.op().erase(ctx);
            }
            Some([outer, _]) => outer.op().erase(ctx),
            _ => copy.op().erase(ctx),
        }
    }
}

/// The loop that is all that another one holds; neither carries values.
fn only(ctx: &Context, l: ForOp) -> Option<ForOp> {
    let [inner, end] = l.body(ctx).ops(ctx)[..] else {
        return None;
    };
    let inner = inner.cast::<ForOp>(ctx)?;
    let carries = |l: ForOp| !l.iter_args(ctx).is_empty();
    (end.name(ctx) == affine::YieldOp::NAME && !carries(l) && !carries(inner)).then_some(inner)
}
