//! Arithmetic on unsigned numbers that stops at the least or greatest of them, on as few bits as they
//! have: C computes it in `int`, with twice as many registers or four times.
//!
//! ```text
//! %0 = arith.extui %x : i8 to i32            %0 = arith.xori %x, 255 : i8
//! %1 = arith.extui %y : i8 to i32            %1 = arith.minui %y, %0 : i8
//! %2 = arith.addi %0, %1 : i32         =>    %2 = arith.addi %x, %1 : i8
//! %3 = arith.minsi %2, 255 : i32             %3 = arith.extui %2 : i8 to i32
//!
//! %2 = arith.subi %0, %1 : i32               %0 = arith.maxui %x, %y : i8
//! %3 = arith.maxsi %2, 0 : i32         =>    %1 = arith.subi %0, %y : i8
//!                                            %3 = arith.extui %1 : i8 to i32
//! ```
//!
//! What `x` lacks to the greatest number is its complement, and `y` adds at most that.

use super::narrow::source;
use terrace_dialects::arith::{
    self, AddIOp, CmpIOp, CmpIPredicate, ExtUIOp, MaxSIOp, MaxUIOp, MinSIOp, MinUIOp, SelectOp,
    SubIOp, XOrIOp,
};
use terrace_ir::{Builder, Context, Op, OpKind, Value};

/// Makes `op` arithmetic that stops, where it is that of numbers with fewer bits.
pub fn saturate(ctx: &mut Context, op: Op) -> Option<()> {
    sum(ctx, op).or_else(|| difference(ctx, op))
}

/// The numbers without a sign that the operands of an op were extended from.
fn unsigned(ctx: &Context, op: Op) -> Option<(Value, Value)> {
    let of = |i: usize| {
        let v = op.operand(ctx, i);
        v.def_op()?.isa::<ExtUIOp>(ctx).then(|| source(ctx, v))?
    };
    let (x, y) = (of(0)?, of(1)?);
    let width = x.ty(ctx).int_width(ctx)?;
    (x.ty(ctx) == y.ty(ctx) && width >= 8).then_some((x, y))
}

fn sum(ctx: &mut Context, op: Op) -> Option<()> {
    if !op.isa::<MinSIOp>(ctx) && !op.isa::<MinUIOp>(ctx) {
        return None;
    }
    let (a, b) = (op.operand(ctx, 0), op.operand(ctx, 1));
    let (sum, most) = match ctx.constant_int(b) {
        Some(c) => (a, c),
        None => (b, ctx.constant_int(a)?),
    };
    let sum = sum.def_op()?.cast::<AddIOp>(ctx)?.op();
    let (x, y) = unsigned(ctx, sum)?;
    let ty = x.ty(ctx);
    let (width, wide) = (ty.int_width(ctx)?, op.result(ctx, 0).ty(ctx));
    if most != (1i64 << width.min(62)) - 1 || wide.int_width(ctx)? <= width + 1 {
        return None;
    }
    let mut b = Builder::before(ctx, op);
    b.loc = op.loc(b.ctx);
    let ones = b.ctx.int_attr(ty, -1);
    let ones = arith::constant(&mut b, ones);
    let lacks = b.value::<XOrIOp>(&[x, ones], ty, &[]);
    let added = b.value::<MinUIOp>(&[y, lacks], ty, &[]);
    let sum = b.value::<AddIOp>(&[x, added], ty, &[]);
    let new = b.value::<ExtUIOp>(&[sum], wide, &[]);
    op.replace(b.ctx, &[new]);
    Some(())
}

fn difference(ctx: &mut Context, op: Op) -> Option<()> {
    let zero = |ctx: &Context, v: Value| ctx.constant_int(v) == Some(0);
    let (x, y) = if op.isa::<MaxSIOp>(ctx) {
        let (a, b) = (op.operand(ctx, 0), op.operand(ctx, 1));
        let apart = if zero(ctx, b) { a } else { b };
        (zero(ctx, a) || zero(ctx, b)).then_some(())?;
        unsigned(ctx, apart.def_op()?.cast::<SubIOp>(ctx)?.op())?
    } else {
        chosen(ctx, op)?
    };
    let (ty, wide) = (x.ty(ctx), op.result(ctx, 0).ty(ctx));
    if wide.int_width(ctx)? <= ty.int_width(ctx)? {
        return None;
    }
    let mut b = Builder::before(ctx, op);
    b.loc = op.loc(b.ctx);
    let most = b.value::<MaxUIOp>(&[x, y], ty, &[]);
    let apart = b.value::<SubIOp>(&[most, y], ty, &[]);
    let new = b.value::<ExtUIOp>(&[apart], wide, &[]);
    op.replace(b.ctx, &[new]);
    Some(())
}

/// The numbers of `x > y ? x - y : 0`, however that compares them.
fn chosen(ctx: &Context, op: Op) -> Option<(Value, Value)> {
    use CmpIPredicate::{Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
    op.cast::<SelectOp>(ctx)?;
    let test = op.operand(ctx, 0).def_op()?.cast::<CmpIOp>(ctx)?;
    let (one, other) = (op.operand(ctx, 1), op.operand(ctx, 2));
    // Where they are equal both ways are 0.
    let greater = match test.predicate(ctx)? {
        Sgt | Sge | Ugt | Uge => true,
        Slt | Sle | Ult | Ule => false,
        _ => return None,
    };
    let (apart, nothing, greater) = match ctx.constant_int(other) {
        Some(0) => (one, other, greater),
        _ => (other, one, !greater),
    };
    if ctx.constant_int(nothing) != Some(0) {
        return None;
    }
    let (x, y) = unsigned(ctx, apart.def_op()?.cast::<SubIOp>(ctx)?.op())?;
    let wide = unsigned(ctx, test.op());
    let compared = wide.unwrap_or((test.op().operand(ctx, 0), test.op().operand(ctx, 1)));
    // Numbers that are not extended are compared without a sign, or they are others.
    let signed = !test.predicate(ctx)?.is_unsigned();
    if wide.is_none() && signed {
        return None;
    }
    let expected = if greater { (x, y) } else { (y, x) };
    (compared == expected).then_some((x, y))
}
