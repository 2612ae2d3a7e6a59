//! Stores whose place the running value gives out: `if (a[i] > 0) b[k++] = a[i]`.
//!
//! No two iterations store to the same place where each that stores makes the value greater, and none
//! makes it less.

use super::shape::{Combining, Scan};
use crate::analysis::captured::is_inside;
use terrace_dialects::arith::{
    AtomicRmwKind, ExtSIOp, ExtUIOp, IndexCastOp, IndexCastUIOp, SelectOp,
};
use terrace_dialects::memref::StoreOp;
use terrace_dialects::scf::IfOp;
use terrace_ir::{Context, Op, OpKind, Value};

/// Whether a store's place is one that no other iteration of the scan's loop has.
pub fn is_packed(ctx: &Context, s: &Scan, store: Op) -> bool {
    let Combining::Op(AtomicRmwKind::AddI, step) = s.how else {
        return false;
    };
    if store.name(ctx) != StoreOp::NAME || !given_out(ctx, s, store) {
        return false;
    }
    // By how much the value grows, and where.
    let select = step.def_op().filter(|o| o.isa::<SelectOp>(ctx));
    let Some(select) = select else {
        return ctx.constant_int(step).is_some_and(|n| n > 0);
    };
    let grows = |i: usize| ctx.constant_int(select.operand(ctx, i)).unwrap_or(-1);
    let (condition, sides) = (select.operand(ctx, 0), [grows(1), grows(2)]);
    if sides.iter().any(|n| *n < 0) {
        return false;
    }
    let side = side_of(ctx, s, store, condition);
    match side {
        Some(side) => sides[side] > 0,
        None => sides.iter().all(|n| *n > 0),
    }
}

/// Whether the running value alone, of what changes in the loop, says where the store goes.
fn given_out(ctx: &Context, s: &Scan, store: Op) -> bool {
    let running = |v: &Value| s.before.contains(v) || s.after.contains(v);
    let mut found = 0;
    let mut all = store.operands(ctx).split_off(2).into_iter();
    let fits = all.all(|v| {
        let v = uncast(ctx, v);
        found += usize::from(running(&v));
        running(&v) || !is_inside(ctx, s.l.op(), v)
    });
    fits && found == 1
}

/// A number of as many or more bits as another one that is the same.
fn uncast(ctx: &Context, v: Value) -> Value {
    let widens = |o: &Op| {
        matches!(o.name(ctx), ExtSIOp::NAME | ExtUIOp::NAME)
            || (matches!(o.name(ctx), IndexCastOp::NAME | IndexCastUIOp::NAME)
                && !o.operand(ctx, 0).ty(ctx).is_index(ctx))
    };
    match v.def_op().filter(widens) {
        Some(o) => uncast(ctx, o.operand(ctx, 0)),
        None => v,
    }
}

/// On which side of a condition an op of the body stands: 0 where it holds.
fn side_of(ctx: &Context, s: &Scan, op: Op, condition: Value) -> Option<usize> {
    let body = s.l.body(ctx);
    let mut at = op;
    while at.block(ctx) != Some(body) {
        let parent = at.parent(ctx)?;
        if let Some(i) = parent
            .cast::<IfOp>(ctx)
            .filter(|i| i.condition(ctx) == condition)
        {
            return Some(usize::from(at.block(ctx) != Some(i.then_block(ctx))));
        }
        at = parent;
    }
    None
}
