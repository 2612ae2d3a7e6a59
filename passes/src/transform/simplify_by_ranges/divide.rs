//! A number that is not negative and not large is divided by a constant with one product.
//!
//! ```text
//! %x = arith.extui %byte : i8 to i32             %x = arith.extui %byte : i8 to i32
//! %q = arith.divsi %x, %c9 : i32          =>     %p = arith.muli %x, %c57 : i32
//!                                                %q = arith.shrui %p, %c9 : i32
//! ```
//!
//! The product has to fit (`short_reciprocal`). Where it does not, the division is one without
//! signs, which is shorter, too. By a power of two it is a shift, and what is left over the low
//! bits.

use crate::analysis::int_range::{IntRange, IntRanges};
use terrace_dialects::arith::{
    self, AndIOp, DivSIOp, DivUIOp, MulIOp, RemSIOp, RemUIOp, ShRUIOp, SubIOp,
};
use terrace_ir::num::short_reciprocal;
use terrace_ir::{Builder, Context, Op, Value};

/// Replaces a division or remainder; nothing where the ranges do not let it.
pub(super) fn replace(ctx: &mut Context, ranges: &mut IntRanges, op: Op) -> Option<()> {
    let signed = op.isa::<DivSIOp>(ctx) || op.isa::<RemSIOp>(ctx);
    let divides = op.isa::<DivSIOp>(ctx) || op.isa::<DivUIOp>(ctx);
    if !signed && !divides && !op.isa::<RemUIOp>(ctx) {
        return None;
    }
    let (x, by) = (op.operand(ctx, 0), op.operand(ctx, 1));
    let ty = x.ty(ctx);
    let width = match ty.is_index(ctx) {
        true => None,
        false => Some(ty.int_width(ctx).filter(|w| matches!(w, 16 | 32 | 64))?),
    };
    let c = ctx.constant_int(by).filter(|c| *c > 0)?;
    let range = ranges.of(ctx, x).filter(|r| r.lo >= 0)?;
    // What replaces it is not seen to lie where it does.
    let whole = ranges.of(ctx, op.result(ctx, 0))?;
    let most = u128::try_from(range.hi).ok()?;
    let c = u128::try_from(c).ok()?;
    // How wide an index is the target says, and whether the product fits.
    let factor = width.and_then(|w| short_reciprocal(most, c, w));
    if factor.is_none() && !signed && !c.is_power_of_two() {
        return None;
    }
    let mut b = Builder::before(ctx, op);
    b.loc = op.loc(b.ctx);
    let number = |b: &mut Builder, n: u128| {
        let attr = b.ctx.int_attr(ty, n as i64);
        arith::constant(b, attr)
    };
    if c.is_power_of_two() && !divides {
        let low = number(&mut b, c - 1);
        let left = b.value::<AndIOp>(&[x, low], ty, &[]);
        return take_over(b.ctx, ranges, op, left, whole);
    }
    let quotient: Value = if c.is_power_of_two() {
        let shift = number(&mut b, u128::from(c.trailing_zeros()));
        b.value::<ShRUIOp>(&[x, shift], ty, &[])
    } else if let Some((m, s)) = factor {
        let m = number(&mut b, m);
        let product = b.value::<MulIOp>(&[x, m], ty, &[]);
        let shift = number(&mut b, u128::from(s));
        b.value::<ShRUIOp>(&[product, shift], ty, &[])
    } else if divides {
        b.value::<DivUIOp>(&[x, by], ty, &[])
    } else {
        let left = b.value::<RemUIOp>(&[x, by], ty, &[]);
        return take_over(b.ctx, ranges, op, left, whole);
    };
    let result = match divides {
        true => quotient,
        false => {
            let whole = b.value::<MulIOp>(&[quotient, by], ty, &[]);
            b.value::<SubIOp>(&[x, whole], ty, &[])
        }
    };
    take_over(b.ctx, ranges, op, result, whole)
}

/// Puts a value in the place of the result of `op`, of which the range is known.
fn take_over(
    ctx: &mut Context,
    ranges: &mut IntRanges,
    op: Op,
    value: Value,
    whole: IntRange,
) -> Option<()> {
    ranges.set(value, whole);
    op.replace(ctx, &[value]);
    Some(())
}
