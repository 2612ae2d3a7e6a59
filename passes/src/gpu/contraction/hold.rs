//! Scalars in memory that an iteration writes before it reads them become values.
//!
//! ```text
//! affine.for %j {                             affine.for %j {
//!   affine.store %zero, %sum[]
//!   affine.for %k {                      =>     %s = affine.for %k iter_args(%a = %zero) {
//!     %a = affine.load %sum[]
//!     affine.store (%a + ...), %sum[]             affine.yield %a + ...
//!   }                                           }
//!   use(affine.load %sum[])                     use(%s)
//! }                                           }
//! ```
//!
//! Legal where the memory is local, all its accesses are in one iteration of one loop, and
//! the first of them is a store directly in that.

use crate::analysis::memory::is_root;
use crate::loops::carry::{carry, set_yielded};
use rustc_hash::FxHashSet;
use terrace_dialects::affine::{ForOp, LoadOp, StoreOp};
use terrace_dialects::memref::{AllocOp, AllocaOp};
use terrace_ir::{Block, Context, Op, OpKind, Value};

/// Does so with the scalars of a nest; how many.
pub(crate) fn hold(ctx: &mut Context, nest: Op) -> usize {
    let mut scalars: Vec<Value> = Vec::new();
    nest.walk(ctx, &mut |o| {
        if let Some(s) = o.cast::<StoreOp>(ctx).map(|_| o.operand(ctx, 1))
            && s.ty(ctx).shape(ctx).is_some_and(<[i64]>::is_empty)
            && !scalars.contains(&s)
        {
            scalars.push(s);
        }
    });
    let mut held = 0;
    for s in scalars {
        if let Some(block) = one_iteration(ctx, nest, s) {
            replace(ctx, block, s, None);
            held += 1;
        }
    }
    held
}

/// The body of the loop in one iteration of which all accesses of a scalar are.
fn one_iteration(ctx: &Context, nest: Op, scalar: Value) -> Option<Block> {
    let made = scalar.def_op()?;
    let local = made.isa::<AllocaOp>(ctx) || made.isa::<AllocOp>(ctx);
    if !local || !is_root(ctx, scalar) {
        return None;
    }
    let users: FxHashSet<Op> = scalar.users(ctx).into_iter().collect();
    let plain = |u: &Op| {
        (u.isa::<LoadOp>(ctx) || (u.isa::<StoreOp>(ctx) && u.operand(ctx, 0) != scalar))
            && nest.is_ancestor_of(ctx, *u)
            && only_loops_around(ctx, nest, *u)
    };
    if !users.iter().all(plain) {
        return None;
    }
    let order = nest.pre_order(ctx);
    let first = order.into_iter().find(|o| users.contains(o))?;
    let block = first.isa::<StoreOp>(ctx).then(|| first.block(ctx))??;
    let inside = |u: &Op| u.ancestor_in(ctx, block).is_some();
    users.iter().all(inside).then_some(block)
}

fn only_loops_around(ctx: &Context, nest: Op, op: Op) -> bool {
    let mut at = op;
    while at != nest {
        match at.parent(ctx).filter(|p| p.isa::<ForOp>(ctx)) {
            Some(p) => at = p,
            None => return false,
        }
    }
    true
}

/// Replaces the loads and stores in a block; the scalar's value at its end.
fn replace(
    ctx: &mut Context,
    block: Block,
    scalar: Value,
    mut now: Option<Value>,
) -> Option<Value> {
    for op in block.ops(ctx) {
        if op.isa::<StoreOp>(ctx) && op.operand(ctx, 1) == scalar {
            now = Some(op.operand(ctx, 0));
            op.erase(ctx);
        } else if op.isa::<LoadOp>(ctx) && op.operand(ctx, 0) == scalar {
            if let Some(v) = now {
                op.replace(ctx, &[v]);
            }
        } else if let Some(l) = op.cast::<ForOp>(ctx) {
            now = in_loop(ctx, l, scalar, now);
        }
    }
    now
}

fn in_loop(ctx: &mut Context, l: ForOp, scalar: Value, now: Option<Value>) -> Option<Value> {
    let used = |o: &Op| l.op().is_ancestor_of(ctx, *o);
    let users: Vec<Op> = scalar.users(ctx).into_iter().filter(used).collect();
    let begin = now?;
    if !users.iter().any(|u| u.isa::<StoreOp>(ctx)) {
        replace(ctx, l.body(ctx), scalar, Some(begin));
        return Some(begin);
    }
    let l = carry(ctx, l, &[begin]);
    let carried = *l.iter_args(ctx).last()?;
    let end = replace(ctx, l.body(ctx), scalar, Some(carried))?;
    let mut yielded = l.yielded(ctx);
    *yielded.last_mut()? = end;
    set_yielded(ctx, l, &yielded);
    l.op().results(ctx).last().copied()
}
