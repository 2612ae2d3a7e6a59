//! An element that is the same in all iterations.
//!
//! ```text
//!                                            %0 = affine.load %m[%j]
//! affine.for %i = 0 to 10 {                  %r = affine.for %i = 0 to 10 iter_args(%a = %0) {
//!   %1 = affine.load %m[%j]
//!   %2 = arith.addf %1, %v             =>      %2 = arith.addf %a, %v
//!   affine.store %2, %m[%j]                    affine.yield %2
//! }                                          }
//!                                            affine.store %r, %m[%j]
//! ```

use super::group::Invariant;
use super::runs::{Runs, is_within};
use crate::analysis::in_bounds::is_stored_before;
use crate::loops::carry::{carry, set_yielded};
use terrace_dialects::affine::{AccessKind, ForOp, LoadOp, StoreOp};
use terrace_dialects::arith;
use terrace_ir::{Builder, Context, OpKind};

/// Keep the element in a value. Returns the loop; `None`, with nothing changed, where that
/// cannot be done: it is read under a condition only and perhaps not there, or the number
/// of iterations cannot be told.
pub fn keep(ctx: &mut Context, l: ForOp, g: &Invariant) -> Option<ForOp> {
    let first = &g.members[0];
    let (map, operands) = (&g.subscripts.map, &g.subscripts.operands);
    let ty = first.memref.ty(ctx).element(ctx)?;
    let (body, loc) = (l.body(ctx), first.op.loc(ctx));
    let stores = g.members.iter().any(|a| a.kind == AccessKind::Write);
    let certain = g.members.iter().any(|a| a.op.block(ctx) == Some(body));
    let there = is_stored_before(ctx, first, l.op());
    let runs = if is_within(ctx, first, &g.subscripts) && !stores || there {
        Runs::Always
    } else if certain {
        Runs::around(ctx, l)?
    } else {
        return None;
    };
    if let Runs::If(_) = runs {
        ctx.zero_attr(ty)?;
    }
    let mut b = Builder::before(ctx, l.op());
    b.loc = loc;
    // Where every iteration stores before it loads, what was there does not matter, and
    // may never have been written. Where it was, it stays if the loop does not run.
    let overwritten =
        !there && first.kind == AccessKind::Write && first.op.block(b.ctx) == Some(body);
    let start = match b.ctx.zero_attr(ty).filter(|_| overwritten) {
        Some(zero) => arith::constant(&mut b, zero),
        None => {
            let load = |b: &mut Builder| LoadOp::build(b, first.memref, map.clone(), operands);
            runs.value(&mut b, load, ty)?
        }
    };
    let ctx = b.ctx;
    if !stores {
        for a in &g.members {
            a.op.replace(ctx, &[start]);
        }
        return Some(l);
    }
    let new = carry(ctx, l, &[start]);
    let mut current = *new.iter_args(ctx).last()?;
    for a in &g.members {
        match a.stored(ctx) {
            Some(value) => {
                current = value;
                a.op.erase(ctx);
            }
            None => a.op.replace(ctx, &[current]),
        }
    }
    let mut yielded = new.yielded(ctx);
    *yielded.last_mut()? = current;
    set_yielded(ctx, new, &yielded);
    let last = *new.op().results(ctx).last()?;
    let mut b = Builder::after(ctx, new.op());
    b.loc = loc;
    runs.effect(&mut b, |b| {
        StoreOp::build(b, last, first.memref, map.clone(), operands);
    });
    Some(new)
}
