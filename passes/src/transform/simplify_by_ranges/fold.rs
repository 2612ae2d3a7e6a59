//! Ops whose result is known by the ranges of their operands, or is one of these.

use crate::analysis::int_range::{IntRange, IntRanges};
use crate::loops::splice;
use terrace_dialects::arith::{
    self, AndIOp, CmpIOp, CmpIPredicate, ConstantOp, MaxSIOp, MaxUIOp, MinSIOp, MinUIOp, RemSIOp,
    RemUIOp, SelectOp,
};
use terrace_dialects::math::AbsIOp;
use terrace_dialects::scf::IfOp;
use terrace_ir::effects::is_pure;
use terrace_ir::{Builder, Context, Op, OpKind, Value};

/// Replaces an op by its only result; says whether it did.
pub(super) fn fold(ctx: &mut Context, ranges: &mut IntRanges, op: Op) -> bool {
    if let Some(i) = op.cast::<IfOp>(ctx) {
        return take_way(ctx, i);
    }
    let computes = op.num_results(ctx) == 1 && op.num_operands(ctx) > 0;
    if !computes || op.isa::<ConstantOp>(ctx) || !is_pure(ctx, op) {
        return false;
    }
    if let Some(v) = operand(ctx, ranges, op) {
        op.replace(ctx, &[v]);
        return true;
    }
    let ty = op.result(ctx, 0).ty(ctx);
    let known = match op.cast::<CmpIOp>(ctx) {
        Some(c) => compared(ctx, ranges, c).map(i128::from),
        None => ranges.of(ctx, op.result(ctx, 0)).and_then(IntRange::single),
    };
    let Some(known) = known.and_then(|n| i64::try_from(n).ok()) else {
        return false;
    };
    let mut b = Builder::before(ctx, op);
    b.loc = op.loc(b.ctx);
    let constant = arith::constant_int(&mut b, known, ty);
    op.replace(b.ctx, &[constant]);
    true
}

/// The operand that an op always gives.
fn operand(ctx: &Context, ranges: &mut IntRanges, op: Op) -> Option<Value> {
    let v = |i| op.operand(ctx, i);
    if op.isa::<SelectOp>(ctx) {
        let condition = ctx.constant_int(v(0))?;
        return Some(v(if condition == 0 { 2 } else { 1 }));
    }
    let a = ranges.of(ctx, v(0))?;
    if op.isa::<AbsIOp>(ctx) {
        return (a.lo >= 0).then(|| v(0));
    }
    if op.num_operands(ctx) != 2 {
        return None;
    }
    let b = ranges.of(ctx, v(1))?;
    let signs = a.lo >= 0 && b.lo >= 0;
    match op.name(ctx) {
        MaxSIOp::NAME => first_or_second(a.lo >= b.hi, b.lo >= a.hi),
        MinSIOp::NAME => first_or_second(a.hi <= b.lo, b.hi <= a.lo),
        MaxUIOp::NAME if signs => first_or_second(a.lo >= b.hi, b.lo >= a.hi),
        MinUIOp::NAME if signs => first_or_second(a.hi <= b.lo, b.hi <= a.lo),
        RemSIOp::NAME | RemUIOp::NAME => (signs && a.hi < b.lo).then_some(0),
        AndIOp::NAME => {
            let keeps = |x: IntRange, mask: IntRange| {
                let m = mask.single().filter(|m| (m + 1) & m == 0);
                x.lo >= 0 && m.is_some_and(|m| x.hi <= m)
            };
            first_or_second(keeps(a, b), keeps(b, a))
        }
        _ => None,
    }
    .map(v)
}

fn first_or_second(first: bool, second: bool) -> Option<usize> {
    match (first, second) {
        (true, _) => Some(0),
        (_, true) => Some(1),
        _ => None,
    }
}

/// Whether a comparison holds, where it is the same for all numbers.
fn compared(ctx: &Context, ranges: &mut IntRanges, c: CmpIOp) -> Option<bool> {
    use CmpIPredicate::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
    let a = ranges.of(ctx, c.op().operand(ctx, 0))?;
    let b = ranges.of(ctx, c.op().operand(ctx, 1))?;
    let less = |x: IntRange, y: IntRange| match (x.hi < y.lo, x.lo >= y.hi) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    let same = match (a.single(), b.single()) {
        (Some(x), Some(y)) if x == y => Some(true),
        _ => (a.hi < b.lo || b.hi < a.lo).then_some(false),
    };
    let signs = a.lo >= 0 && b.lo >= 0;
    match c.predicate(ctx)? {
        Eq => same,
        Ne => same.map(|s| !s),
        Slt => less(a, b),
        Sgt => less(b, a),
        Sge => less(a, b).map(|l| !l),
        Sle => less(b, a).map(|l| !l),
        Ult if signs => less(a, b),
        Ugt if signs => less(b, a),
        Uge if signs => less(a, b).map(|l| !l),
        Ule if signs => less(b, a).map(|l| !l),
        _ => None,
    }
}

/// Puts the way of a condition that is always taken in its place.
fn take_way(ctx: &mut Context, i: IfOp) -> bool {
    let Some(condition) = ctx.constant_int(i.condition(ctx)) else {
        return false;
    };
    let way = match condition {
        0 => i.else_block(ctx),
        _ => Some(i.then_block(ctx)),
    };
    splice::take_way(ctx, i.op(), way);
    true
}
