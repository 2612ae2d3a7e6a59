//! Loops taken apart: an iteration by itself, or a condition that does not change in front
//! of the loop. The loop itself is kept, out of the program, so that what did not help can
//! be taken back.
//!
//! ```text
//! scf.for %i = %l to %u {         scf.if %l < %u {
//!   scf.if %i == %l { first }       first; rest          // %i = %l
//!   rest                    =>      scf.for %i = %l + 1 to %u {
//! }                                   rest
//!                                   }
//!                                 }
//! ```

use super::order::{Bounds, Part};
use crate::analysis::captured::is_inside;
use crate::xfer::guard::surely_runs;
use terrace_dialects::arith::{self, CmpIOp, CmpIPredicate};
use terrace_dialects::scf::{ExecuteRegionOp, ForOp, IfOp, YieldOp};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind, Value};

/// What stands in place of a loop.
#[derive(Debug, Clone, Copy)]
pub struct Split {
    /// The loop, in no block.
    old: Op,
    new: Op,
}

impl Split {
    /// Puts the loop back.
    pub fn undo(self, ctx: &mut Context) {
        self.old.insert_before(ctx, self.new);
        let results = self.old.results(ctx);
        self.new.replace(ctx, &results);
    }

    pub fn keep(self, ctx: &mut Context) {
        self.old.erase(ctx);
        // One that surely runs needs nothing around it.
        if self.new.isa::<ExecuteRegionOp>(ctx) {
            let mut results = Vec::new();
            for o in self.new.body(ctx, 0).ops(ctx) {
                match o.isa::<YieldOp>(ctx) {
                    true => results = o.operands(ctx),
                    false => o.move_before(ctx, self.new),
                }
            }
            self.new.replace(ctx, &results);
        }
    }
}

/// Which iteration stands by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    First,
    Last,
}

/// Takes an iteration out of a loop, and decides what is known of conditions then.
pub fn peel(ctx: &mut Context, l: ForOp, bounds: &Bounds, end: End) -> Split {
    let op = l.op();
    let (lower, upper, step) = (l.lower_bound(ctx), l.upper_bound(ctx), l.step(ctx));
    let types = op.result_types(ctx);
    let inits = l.init_args(ctx);
    let ty = lower.ty(ctx);
    let runs = surely_runs(ctx, op);
    let mut b = Builder::before(ctx, op);
    let (around, then) = match runs {
        true => {
            let s = b.state::<ExecuteRegionOp>().results(&types).regions(1);
            let region = b.create(s);
            let block = region.region(b.ctx, 0).add_block(b.ctx, &[]);
            (region, block)
        }
        false => {
            let some = arith::CmpIOp::build(&mut b, CmpIPredicate::Slt, lower, upper);
            let (test, then, other) = IfOp::build(&mut b, some, &types, !types.is_empty());
            if let Some(other) = other {
                b.with_point(InsertPoint::End(other), |b| {
                    YieldOp::build(b, &inits);
                });
            }
            (test.op(), then)
        }
    };
    let results = b.with_point(InsertPoint::End(then), |b| match end {
        End::First => {
            let one = copy(b, op, lower, upper, &inits);
            fold(b.ctx, one, bounds, Part::First);
            let carried = unwrap(b.ctx, one);
            let next = b.value::<arith::AddIOp>(&[lower, step], ty, &[]);
            let rest = copy(b, op, next, upper, &carried);
            fold(b.ctx, rest, bounds, Part::AfterFirst);
            rest.op().results(b.ctx)
        }
        End::Last => {
            let last = match bounds.last() {
                Some(n) => arith::constant_int(b, n, ty),
                None => {
                    let one = arith::constant_int(b, bounds.step(), ty);
                    b.value::<arith::SubIOp>(&[upper, one], ty, &[])
                }
            };
            let rest = copy(b, op, lower, last, &inits);
            fold(b.ctx, rest, bounds, Part::BeforeLast);
            let carried = rest.op().results(b.ctx);
            let one = copy(b, op, last, upper, &carried);
            fold(b.ctx, one, bounds, Part::Last);
            unwrap(b.ctx, one)
        }
    });
    b.with_point(InsertPoint::End(then), |b| {
        YieldOp::build(b, &results);
    });
    put(ctx, op, around)
}

/// Asks a condition that does not change in front of the loop instead of inside. What makes
/// the condition stands in front of the loop.
pub fn unswitch(ctx: &mut Context, l: ForOp, condition: Value) -> Split {
    let op = l.op();
    let types = op.result_types(ctx);
    let (lower, upper, inits) = (l.lower_bound(ctx), l.upper_bound(ctx), l.init_args(ctx));
    let mut b = Builder::before(ctx, op);
    let (test, then, other) = IfOp::build(&mut b, condition, &types, true);
    for (block, holds) in [(Some(then), true), (other, false)] {
        let Some(block) = block else { continue };
        b.with_point(InsertPoint::End(block), |b| {
            let one = copy(b, op, lower, upper, &inits);
            decide(b.ctx, one.op(), &|_, c| (c == condition).then_some(holds));
            let results = one.op().results(b.ctx);
            YieldOp::build(b, &results);
        });
    }
    put(ctx, op, test.op())
}

/// Puts `new` in place of the loop `old`, which leaves its block.
fn put(ctx: &mut Context, old: Op, new: Op) -> Split {
    for (from, to) in old.results(ctx).into_iter().zip(new.results(ctx)) {
        from.replace_all_uses(ctx, to);
    }
    old.unlink(ctx);
    Split { old, new }
}

/// A copy of a loop with other bounds and other values to start from.
fn copy(b: &mut Builder, l: Op, lower: Value, upper: Value, inits: &[Value]) -> ForOp {
    let one = clone_op(b.ctx, l, &mut IrMapping::default());
    let step = one.operand(b.ctx, 2);
    let mut operands = vec![lower, upper, step];
    operands.extend(inits);
    one.set_operands(b.ctx, &operands);
    b.insert(one);
    ForOp::wrap(one)
}

/// Puts what a loop does in its first iteration in place of the loop; what it yields.
fn unwrap(ctx: &mut Context, l: ForOp) -> Vec<Value> {
    let op = l.op();
    let (iv, lower) = (l.induction_var(ctx), l.lower_bound(ctx));
    iv.replace_all_uses(ctx, lower);
    for (arg, init) in l.iter_args(ctx).into_iter().zip(l.init_args(ctx)) {
        arg.replace_all_uses(ctx, init);
    }
    let end = l.yield_op(ctx);
    let results = end.operands(ctx);
    for o in l.body(ctx).ops(ctx) {
        if o != end {
            o.move_before(ctx, op);
        }
    }
    op.erase(ctx);
    results
}

/// Decides the conditions on the counter of a loop that are known in a part of it.
fn fold(ctx: &mut Context, l: ForOp, bounds: &Bounds, part: Part) {
    let iv = l.induction_var(ctx);
    decide(ctx, l.op(), &|ctx, c| bounds.decide(ctx, c, iv, part));
}

/// Puts the branch that is taken in place of each `scf.if` whose condition is known.
fn decide(ctx: &mut Context, root: Op, known: &dyn Fn(&Context, Value) -> Option<bool>) {
    for op in root.post_order(ctx) {
        let Some(branch) = op.cast::<IfOp>(ctx) else {
            continue;
        };
        let Some(holds) = known(ctx, branch.condition(ctx)) else {
            continue;
        };
        let taken = match holds {
            true => Some(branch.then_block(ctx)),
            false => branch.else_block(ctx),
        };
        let mut results = Vec::new();
        for o in taken.map(|b| b.ops(ctx)).unwrap_or_default() {
            if o.isa::<YieldOp>(ctx) {
                results = o.operands(ctx);
            } else {
                o.move_before(ctx, op);
            }
        }
        op.replace(ctx, &results);
    }
}

/// Moves what makes a condition in front of a loop, where that is one comparison of values
/// from outside. Whether the condition comes from outside then.
pub fn hoist(ctx: &Context, l: ForOp, condition: Value) -> bool {
    let outside = |v: Value| !is_inside(ctx, l.op(), v);
    if outside(condition) {
        return true;
    }
    let compare = condition.def_op().filter(|o| o.isa::<CmpIOp>(ctx));
    let Some(compare) = compare else { return false };
    let operands = compare.operands(ctx);
    // Constants can be moved along.
    let movable = |v: &Value| outside(*v) || ctx.constant_int(*v).is_some();
    if !operands.iter().all(movable) {
        return false;
    }
    for v in operands.into_iter().filter(|v| !outside(*v)) {
        if let Some(o) = v.def_op() {
            o.move_before(ctx, l.op());
        }
    }
    compare.move_before(ctx, l.op());
    true
}
