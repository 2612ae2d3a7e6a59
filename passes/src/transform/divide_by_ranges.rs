//! `arith-divide-by-ranges`: a number that is not negative and not large is divided by a constant
//! with one product.
//!
//! ```text
//! %x = arith.extui %byte : i8 to i32             %x = arith.extui %byte : i8 to i32
//! %q = arith.divsi %x, %c9 : i32          =>     %p = arith.muli %x, %c57 : i32
//!                                                %q = arith.shrui %p, %c9 : i32
//! ```
//!
//! For `0 <= x <= most`, `x / c` is `x * m >> s` with `m` the quotient `2^s / c` rounded up, where
//! `most * (m * c - 2^s) < 2^s` (T. Granlund, P. Montgomery, "Division by invariant integers using
//! multiplication", 1994, with a range in place of a width), and the product has to fit. Where it
//! does not, the division is one without signs, which is shorter, too. By a power of two it is a
//! shift, and what is left over the low bits.

use crate::analysis::int_range::IntRanges;
use terrace_dialects::arith::{
    self, AndIOp, DivSIOp, DivUIOp, MulIOp, RemSIOp, RemUIOp, ShRUIOp, SubIOp,
};
use terrace_dialects::func;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Builder, Context, Op, Value};

pub static INFO: PassInfo = PassInfo {
    name: "arith-divide-by-ranges",
    title: "ArithDivideByRanges",
    summary: "Divide small numbers by constants with products and shifts",
    description: "Replaces arith.divsi, divui, remsi and remui of integers by positive constants, where the ranges of what is divided are known and have no negative numbers.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo {
        name: "num-divisions",
        doc: "Number of ops replaced",
    }],
    make: |_| Ok(Box::new(DivideByRanges)),
    ..PassInfo::EMPTY
};

struct DivideByRanges;

impl Pass for DivideByRanges {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut ranges = IntRanges::default();
        for op in op.pre_order(ctx) {
            if replace(ctx, &mut ranges, op).is_some() {
                ctx.count("num-divisions", 1);
            }
        }
        Ok(())
    }
}

fn replace(ctx: &mut Context, ranges: &mut IntRanges, op: Op) -> Option<()> {
    let signed = op.isa::<DivSIOp>(ctx) || op.isa::<RemSIOp>(ctx);
    let divides = op.isa::<DivSIOp>(ctx) || op.isa::<DivUIOp>(ctx);
    if !signed && !divides && !op.isa::<RemUIOp>(ctx) {
        return None;
    }
    let (x, by) = (op.operand(ctx, 0), op.operand(ctx, 1));
    let ty = x.ty(ctx);
    let width = ty.int_width(ctx).filter(|w| matches!(w, 16 | 32 | 64))?;
    let c = ctx.constant_int(by).filter(|c| *c > 0)?;
    let range = ranges.of(ctx, x).filter(|r| r.lo >= 0)?;
    let most = u128::try_from(range.hi).ok()?;
    let c = u128::try_from(c).ok()?;
    let factor = factor(most, c, width);
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
        op.replace(b.ctx, &[left]);
        return Some(());
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
        op.replace(b.ctx, &[left]);
        return Some(());
    };
    let result = match divides {
        true => quotient,
        false => {
            let whole = b.value::<MulIOp>(&[quotient, by], ty, &[]);
            b.value::<SubIOp>(&[x, whole], ty, &[])
        }
    };
    op.replace(b.ctx, &[result]);
    Some(())
}

/// The factor and the shift that divide all numbers up to `most` by `c`, in `width` bits.
fn factor(most: u128, c: u128, width: u32) -> Option<(u128, u32)> {
    // A product without a sign is known to be small, and so is what is made of it.
    [width - 1, width].into_iter().find_map(|room| {
        (0..width).find_map(|s| {
            let power = 1u128 << s;
            let m = power.div_ceil(c);
            let exact = most.checked_mul(m * c - power)? < power;
            let fits = most.checked_mul(m)? >> room == 0;
            (exact && fits).then_some((m, s))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::factor;

    #[test]
    fn factors_divide_all_numbers_up_to_the_greatest() {
        for most in [1u128, 7, 100, 255, 510, 2295, 65025, 65535, 100_000] {
            for c in [1u128, 2, 3, 5, 7, 9, 10, 25, 100, 169, 255, 256, 1000] {
                let Some((m, s)) = factor(most, c, 32) else {
                    continue;
                };
                for x in 0..=most {
                    assert_eq!(u128::from(x as u32 * m as u32) >> s, x / c, "{x} / {c}");
                }
            }
        }
        assert!(factor(2295, 9, 32).is_some() && factor(65025, 255, 32).is_some());
        assert!(factor(u128::from(u32::MAX), 7, 32).is_none());
    }
}
