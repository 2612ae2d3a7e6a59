//! Loops that may run no iteration get a test in front, so that copies can move out of
//! them; and the test goes again where none did.
//!
//! ```text
//! scf.for %i = %l to %u {      %some = arith.cmpi slt, %l, %u
//!   body                   =>  scf.if %some {
//! }                              scf.for %i = %l to %u {
//!                                  body
//!                                }
//!                              }
//! ```

use terrace_dialects::arith::{self, CmpIPredicate};
use terrace_dialects::attributes::XFER_TEST;
use terrace_dialects::{affine, gpu, scf};
use terrace_ir::{AttrData, Builder, Context, InsertPoint, Op, OpKind};

/// Whether a loop runs at least once whenever it is reached: by its constant bounds, or
/// since it stands in an `scf.if` that asks for it, or in a loop with the same bounds.
pub fn surely_runs(ctx: &Context, op: Op) -> bool {
    if let Some(l) = op.cast::<affine::ForOp>(ctx) {
        return l.constant_trip_count(ctx).is_some_and(|n| n > 0);
    }
    let Some(l) = op.cast::<scf::ForOp>(ctx) else {
        return false;
    };
    let (lower, upper) = (l.lower_bound(ctx), l.upper_bound(ctx));
    if let (Some(from), Some(to)) = (ctx.constant_int(lower), ctx.constant_int(upper))
        && !l.is_unsigned(ctx)
    {
        return from < to;
    }
    let asks = |test: scf::IfOp| {
        let Some(c) = test.condition(ctx).def_op() else {
            return false;
        };
        let Some(c) = c.cast::<arith::CmpIOp>(ctx) else {
            return false;
        };
        let operands = (c.op().operand(ctx, 0), c.op().operand(ctx, 1));
        let (less, greater) = match l.is_unsigned(ctx) {
            true => (CmpIPredicate::Ult, CmpIPredicate::Ugt),
            false => (CmpIPredicate::Slt, CmpIPredicate::Sgt),
        };
        match c.predicate(ctx) {
            Some(p) if p == less => operands == (lower, upper),
            Some(p) if p == greater => operands == (upper, lower),
            _ => false,
        }
    };
    let mut at = op;
    while let Some(parent) = at.parent(ctx) {
        if let Some(test) = parent.cast::<scf::IfOp>(ctx)
            && at.block(ctx) == Some(test.then_block(ctx))
            && asks(test)
        {
            return true;
        }
        if let Some(around) = parent.cast::<scf::ForOp>(ctx)
            && around.is_unsigned(ctx) == l.is_unsigned(ctx)
            && (around.lower_bound(ctx), around.upper_bound(ctx)) == (lower, upper)
        {
            return true;
        }
        at = parent;
    }
    false
}

/// Puts a test around each `scf.for` that launches kernels or holds host code of a
/// function that does, unless it is sure to run.
pub fn add(ctx: &mut Context, function: Op) {
    for l in function.find_all::<scf::ForOp>(ctx) {
        let op = l.op();
        if surely_runs(ctx, op) || in_kernel(ctx, op) {
            continue;
        }
        let (lower, upper) = (l.lower_bound(ctx), l.upper_bound(ctx));
        let less = match l.is_unsigned(ctx) {
            true => CmpIPredicate::Ult,
            false => CmpIPredicate::Slt,
        };
        let (types, inits) = (op.result_types(ctx), l.init_args(ctx));
        let mut b = Builder::before(ctx, op);
        let some = arith::CmpIOp::build(&mut b, less, lower, upper);
        let (test, then, other) = scf::IfOp::build(&mut b, some, &types, !types.is_empty());
        if let Some(other) = other {
            b.with_point(InsertPoint::End(other), |b| {
                scf::YieldOp::build(b, &inits);
            });
        }
        for (old, new) in op.results(ctx).into_iter().zip(test.op().results(ctx)) {
            old.replace_all_uses(ctx, new);
        }
        op.move_to_end(ctx, then);
        let results = op.results(ctx);
        let mut b = Builder::after(ctx, op);
        scf::YieldOp::build(&mut b, &results);
        let mark = ctx.attr(AttrData::Unit);
        test.op().set_attr(ctx, XFER_TEST, mark);
    }
}

/// Takes away those of the tests that hold nothing but their loop.
pub fn remove_idle(ctx: &mut Context, function: Op) {
    for test in function.find_all::<scf::IfOp>(ctx).into_iter().rev() {
        let test = test.op();
        if test.remove_attr(ctx, XFER_TEST).is_none() {
            continue;
        }
        let ops = test.body(ctx, 0).ops(ctx);
        let [the_loop, _] = ops[..] else { continue };
        if !the_loop.isa::<scf::ForOp>(ctx) {
            continue;
        }
        let only_yields = |r: terrace_ir::Region| {
            let ops = r.entry(ctx).map(|b| b.ops(ctx).len());
            ops.unwrap_or(0) <= 1
        };
        if !only_yields(test.region(ctx, 1)) {
            continue;
        }
        let condition = test.operand(ctx, 0).def_op();
        the_loop.move_before(ctx, test);
        let results = the_loop.results(ctx);
        test.replace(ctx, &results);
        if let Some(c) = condition.filter(|c| !c.has_uses(ctx)) {
            c.erase(ctx);
        }
    }
}

fn in_kernel(ctx: &Context, op: Op) -> bool {
    op.parent_of::<gpu::LaunchOp>(ctx).is_some() || op.parent_of::<scf::ParallelOp>(ctx).is_some()
}
