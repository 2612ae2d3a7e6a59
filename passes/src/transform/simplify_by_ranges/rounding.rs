//! Divisions by powers of two that round down or up are shifts, and what is left over the low bits, whatever the sign.
//!
//! ```text
//! %n = arith.cmpi slt, %a, %c0
//! %f = arith.subi %c-1, %a
//! %d = arith.select %n, %f, %a
//! %q = arith.divsi %d, %c8              =>     %r = arith.shrsi %a, %c3
//! %b = arith.subi %c-1, %q
//! %r = arith.select %n, %b, %q
//! ```
//!
//! These are what the lowering of affine maps makes of `floordiv`, `mod` and `ceildiv` (`lower/expand.rs`). They
//! stand in front of each loop of vectors.

use terrace_dialects::arith::{
    self, AddIOp, AndIOp, CmpIOp, CmpIPredicate, DivSIOp, RemSIOp, SelectOp, ShRSIOp, SubIOp,
};
use terrace_ir::{Builder, Context, Op, OpKind, Value};

use crate::analysis::linear::Linear;

/// Replaces a choice that corrects the rounding of a division by a power of two.
pub(super) fn replace(ctx: &mut Context, op: Op) -> Option<Value> {
    op.cast::<SelectOp>(ctx)?;
    let (condition, first, second) = (op.operand(ctx, 0), op.operand(ctx, 1), op.operand(ctx, 2));
    let (a, power, what) = down(ctx, condition, first, second)
        .or_else(|| left_over(ctx, condition, first, second))
        .or_else(|| up(ctx, condition, first, second))?;
    let ty = a.ty(ctx);
    let mut b = Builder::before(ctx, op);
    b.loc = op.loc(b.ctx);
    let number = |b: &mut Builder, n: i64| {
        let attr = b.ctx.int_attr(ty, n);
        arith::constant(b, attr)
    };
    let value = match what {
        What::Down => {
            let by = number(&mut b, i64::from(power));
            b.value::<ShRSIOp>(&[a, by], ty, &[])
        }
        What::LeftOver => {
            let low = number(&mut b, (1 << power) - 1);
            b.value::<AndIOp>(&[a, low], ty, &[])
        }
        // The opposite is rounded down.
        What::Up => {
            let zero = number(&mut b, 0);
            let by = number(&mut b, i64::from(power));
            let opposite = b.value::<SubIOp>(&[zero, a], ty, &[]);
            let down = b.value::<ShRSIOp>(&[opposite, by], ty, &[]);
            b.value::<SubIOp>(&[zero, down], ty, &[])
        }
    };
    op.replace(ctx, &[value]);
    Some(value)
}

enum What {
    Down,
    LeftOver,
    Up,
}

type Found = Option<(Value, u32, What)>;

/// `a < 0 ? -1 - q : q` with `q` the quotient of `a < 0 ? -1 - a : a`.
fn down(ctx: &Context, condition: Value, first: Value, second: Value) -> Found {
    let (of, power) = by_power::<DivSIOp>(ctx, second)?;
    let [_, flipped, a] = operands::<SelectOp, 3>(ctx, of)?;
    let negative = |c: Value| compares(ctx, c, CmpIPredicate::Slt, a);
    let corrected = is_difference(ctx, flipped, -1, a) && is_difference(ctx, first, -1, second);
    let chosen = negative(condition) && negative(operands::<SelectOp, 3>(ctx, of)?[0]);
    (corrected && chosen).then_some((a, power, What::Down))
}

/// `r < 0 ? r + n : r` with `r` the remainder of `a` by `n`.
fn left_over(ctx: &Context, condition: Value, first: Value, second: Value) -> Found {
    let (a, power) = by_power::<RemSIOp>(ctx, second)?;
    let sum = operands::<AddIOp, 2>(ctx, first)?;
    let corrected = sum[0] == second && ctx.constant_int(sum[1]) == Some(1 << power);
    let negative = compares(ctx, condition, CmpIPredicate::Slt, second);
    (corrected && negative).then_some((a, power, What::LeftOver))
}

/// `a <= 0 ? -q : q + 1` with `q` the quotient of `a <= 0 ? -a : a - 1`.
fn up(ctx: &Context, condition: Value, first: Value, second: Value) -> Found {
    let [quotient, one] = operands::<AddIOp, 2>(ctx, second)?;
    let (of, power) = by_power::<DivSIOp>(ctx, quotient)?;
    let [below, negated, less] = operands::<SelectOp, 3>(ctx, of)?;
    let compared = |c: Value| c.def_op().filter(|op| op.isa::<CmpIOp>(ctx));
    let a = compared(condition)?.operand(ctx, 0);
    let less = is_difference(ctx, negated, -1, less);
    let corrected = is_difference(ctx, negated, 0, a) && is_difference(ctx, first, 0, quotient);
    let chosen = |c: Value| compares(ctx, c, CmpIPredicate::Sle, a);
    let whole = less && corrected && ctx.constant_int(one) == Some(1);
    (whole && chosen(condition) && chosen(below)).then_some((a, power, What::Up))
}

/// What is divided by a power of two above 1, and which.
fn by_power<K: OpKind>(ctx: &Context, v: Value) -> Option<(Value, u32)> {
    let [of, by] = operands::<K, 2>(ctx, v)?;
    let by = ctx.constant_int(by).filter(|c| *c > 1)?;
    let by = u64::try_from(by).ok().filter(|c| c.is_power_of_two())?;
    Some((of, by.trailing_zeros()))
}

/// Whether a value is `c - of`, which may be computed from parts of `of`.
fn is_difference(ctx: &Context, v: Value, c: i64, of: Value) -> bool {
    let (Some(v), Some(of)) = (Linear::of_value(ctx, v), Linear::of_value(ctx, of)) else {
        return false;
    };
    let sum = v.plus_times(&of, 1);
    sum.is_some_and(|sum| sum.terms.is_empty() && sum.constant == c)
}

/// Whether a condition compares a value with 0.
fn compares(ctx: &Context, c: Value, predicate: CmpIPredicate, of: Value) -> bool {
    let op = c.def_op().and_then(|op| op.cast::<CmpIOp>(ctx));
    op.is_some_and(|op| {
        let (x, y) = (op.op().operand(ctx, 0), op.op().operand(ctx, 1));
        op.predicate(ctx) == Some(predicate) && x == of && ctx.constant_int(y) == Some(0)
    })
}

/// The operands of the op that makes a value, if it is one of a kind.
fn operands<K: OpKind, const N: usize>(ctx: &Context, v: Value) -> Option<[Value; N]> {
    let op = v.def_op().filter(|op| op.isa::<K>(ctx))?;
    op.operands(ctx).try_into().ok()
}
