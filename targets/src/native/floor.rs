//! Division and remainder of indices by powers of two, rounded down.
//!
//! Affine maps round down, and arith rounds to zero: what expands the one by the other chooses by
//! the sign. For a power of two that is a shift, or the low bits.
//!
//! ```text
//! %r = arith.remsi %a, %c8
//! %n = arith.cmpi slt, %r, %c0          =>     %a & 7
//! %s = arith.addi %r, %c8
//! arith.select %n, %s, %r
//!
//! %q = arith.floordivsi %a, %c8
//! %m = arith.muli %q, %c8               =>     %a & 7
//! arith.subi %a, %m
//! ```

use super::abi::Scalar;
use super::lower::{Lower, R};
use cranelift_codegen::ir::InstBuilder;
use terrace_dialects::arith::{
    AddIOp, CmpIOp, CmpIPredicate, DivSIOp, DivUIOp, FloorDivSIOp, MulIOp, RemSIOp, SelectOp,
    ShRSIOp, ShRUIOp, SubIOp,
};
use terrace_ir::{Context, Op, OpKind, Value};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Quotient,
    Remainder,
}

/// A number divided by two to the power of `bits`.
pub(super) struct Floor {
    of: Value,
    bits: u32,
    part: Part,
}

/// The remainder by a power of two that `op`, a difference, is.
pub(super) fn of_difference(ctx: &Context, op: Op) -> Option<Floor> {
    let (of, whole) = (op.operand(ctx, 0), op.operand(ctx, 1).def_op()?);
    let product = whole.isa::<MulIOp>(ctx).then(|| whole.operands(ctx))?;
    let [quotient, by] = product[..] else {
        return None;
    };
    let (quotient, bits) = (quotient.def_op()?, power_of_two(ctx, by)?);
    let divisor = quotient.operands(ctx).get(1).copied()?;
    // Rounded down or of unsigned numbers, what is left are the low bits.
    let by_it = match quotient.name(ctx) {
        FloorDivSIOp::NAME | DivUIOp::NAME => equal(ctx, divisor, by),
        ShRSIOp::NAME | ShRUIOp::NAME => ctx.constant_int(divisor) == Some(i64::from(bits)),
        _ => false,
    };
    let fits = by_it && quotient.operand(ctx, 0) == of && !of.ty(ctx).is_vector(ctx);
    fits.then_some(Floor {
        of,
        bits,
        part: Part::Remainder,
    })
}

/// The exponent of a constant that is a power of two.
fn power_of_two(ctx: &Context, by: Value) -> Option<u32> {
    let by = ctx.constant_int(by).filter(|c| *c > 0)?;
    by.count_ones().eq(&1).then(|| by.trailing_zeros())
}

/// The division by a power of two that `op`, a select, rounds down.
pub(super) fn of_power_of_two(ctx: &Context, op: Op) -> Option<Floor> {
    let [condition, then, other] = op.operands(ctx)[..] else {
        return None;
    };
    if op.result(ctx, 0).ty(ctx).is_vector(ctx) {
        return None;
    }
    let negative = is_negative(ctx, condition)?;
    let inner = other.def_op()?;
    let bits = |by: Value| power_of_two(ctx, by);
    if inner.isa::<RemSIOp>(ctx) {
        // rem < 0 ? rem + n : rem
        let [of, by] = inner.operands(ctx)[..] else {
            return None;
        };
        let sum = then.def_op().filter(|o| o.isa::<AddIOp>(ctx))?;
        let (x, y) = (sum.operand(ctx, 0), sum.operand(ctx, 1));
        let same = (x == other && equal(ctx, y, by)) || (y == other && equal(ctx, x, by));
        return (negative == other && same).then_some(Floor {
            of,
            bits: bits(by)?,
            part: Part::Remainder,
        });
    }
    // a < 0 ? -1 - (a < 0 ? -1 - a : a) / n : (a < 0 ? -1 - a : a) / n
    let inner = inner.cast::<DivSIOp>(ctx)?.op();
    let [dividend, by] = inner.operands(ctx)[..] else {
        return None;
    };
    let chosen = dividend.def_op()?.cast::<SelectOp>(ctx)?.op();
    let [also, flipped, of] = chosen.operands(ctx)[..] else {
        return None;
    };
    let fits = of == negative
        && is_negative(ctx, also) == Some(of)
        && is_complement(ctx, flipped, of)
        && is_complement(ctx, then, other);
    fits.then_some(Floor {
        of,
        bits: bits(by)?,
        part: Part::Quotient,
    })
}

/// What a comparison asks to be less than zero.
fn is_negative(ctx: &Context, condition: Value) -> Option<Value> {
    let c = condition.def_op()?.cast::<CmpIOp>(ctx)?;
    let zero = ctx.constant_int(c.op().operand(ctx, 1)) == Some(0);
    let less = c.predicate(ctx) == Some(CmpIPredicate::Slt);
    (less && zero).then(|| c.op().operand(ctx, 0))
}

/// Whether `v` is `-1 - of`.
fn is_complement(ctx: &Context, v: Value, of: Value) -> bool {
    v.def_op().is_some_and(|op| {
        op.isa::<SubIOp>(ctx)
            && ctx.constant_int(op.operand(ctx, 0)) == Some(-1)
            && op.operand(ctx, 1) == of
    })
}

fn equal(ctx: &Context, a: Value, b: Value) -> bool {
    let (x, y) = (ctx.constant_int(a), ctx.constant_int(b));
    a == b || (x.is_some() && x == y)
}

impl Floor {
    pub fn lower(&self, l: &mut Lower, op: Op) -> R {
        let Scalar::Int(width) = l.scalar_of(self.of)? else {
            return Err("needs integers".into());
        };
        let a = l.one(self.of)?;
        let a = super::arith::sext(l, a, width);
        let ty = l.b.func.dfg.value_type(a);
        let v = match self.part {
            Part::Quotient => {
                let by = l.iconst(ty, i64::from(self.bits));
                l.b.ins().sshr(a, by)
            }
            Part::Remainder => {
                let low = l.iconst(ty, (1i64 << self.bits) - 1);
                l.b.ins().band(a, low)
            }
        };
        let v = super::arith::mask(l, v, width);
        l.bind_one(op, v);
        Ok(())
    }
}
