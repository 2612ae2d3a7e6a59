//! Integers of C are at least as wide as `int`; bytes and shorts need fewer bits, and a register
//! has more lanes of those.
//!
//! ```text
//! %0 = arith.extui %x : i8 to i32          %0 = arith.extui %x : i8 to i16
//! %1 = arith.extui %y : i8 to i32          %1 = arith.extui %y : i8 to i16
//! %2 = arith.addi %0, %1 : i32        =>   %2 = arith.addi %0, %1 : i16
//! %3 = arith.shrui %2, %one : i32          %3 = arith.shrui %2, %one : i16
//! %4 = arith.trunci %3 : i32 to i8         %4 = arith.trunci %3 : i16 to i8
//! ```
//!
//! An op becomes one on fewer bits where all that it works on was extended from so few or is
//! constant, and where its result has room in them, by the ranges of its operands.

use super::saturate::saturate;
use crate::analysis::int_range::{IntRange, IntRanges};
use terrace_dialects::affine::ForOp;
use terrace_dialects::arith::{
    self, AddIOp, AndIOp, CmpIOp, CmpIPredicate, ExtSIOp, ExtUIOp, MaxSIOp, MaxUIOp, MinSIOp,
    MinUIOp, MulIOp, OrIOp, SelectOp, ShLIOp, ShRSIOp, ShRUIOp, SubIOp, TruncIOp, XOrIOp,
};
use terrace_dialects::math::AbsIOp;
use terrace_ir::builder::OpState;
use terrace_ir::effects::is_pure;
use terrace_ir::{Builder, Context, Op, OpKind, Type, Value};

/// What an op asks of the numbers that it gets fewer bits of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    /// Nothing: the low bits of its result depend on the low bits of its operands.
    LowBits,
    /// That they are read with the sign they have; without one, where none is negative and there
    /// is an op that reads them so.
    Sign,
    /// That the highest of the bits is their sign.
    SignBit,
}

/// Makes the integer ops in `l`, those of loops inside too, work on as few bits as they need.
pub fn narrow(ctx: &mut Context, l: ForOp) {
    for op in ops_inside(ctx, l) {
        if difference(ctx, op).is_none() {
            saturate(ctx, op);
        }
    }
    let mut ranges = IntRanges::default();
    for op in ops_inside(ctx, l) {
        if op.isa::<TruncIOp>(ctx) {
            shorten(ctx, op);
        } else {
            narrow_op(ctx, &mut ranges, op);
        }
    }
    // Extensions that nobody uses any more would be counted as work.
    for op in ops_inside(ctx, l).into_iter().rev() {
        let unused = op.results(ctx).iter().all(|v| !v.has_uses(ctx));
        let plain = op.num_results(ctx) > 0 && op.regions(ctx).is_empty();
        if plain && unused && is_pure(ctx, op) {
            op.erase(ctx);
        }
    }
}

/// The ops of the body of `l`, and those in their regions before them.
fn ops_inside(ctx: &Context, l: ForOp) -> Vec<Op> {
    let mut all = l.op().post_order(ctx);
    all.retain(|op| *op != l.op());
    all
}

/// What an op asks of its operands, and the fewest bits on which it has an instruction.
fn needs(ctx: &Context, op: Op) -> Option<(Needs, u32)> {
    Some(match op.name(ctx) {
        AddIOp::NAME | SubIOp::NAME | AndIOp::NAME | OrIOp::NAME | XOrIOp::NAME => {
            (Needs::LowBits, 8)
        }
        SelectOp::NAME => (Needs::LowBits, 8),
        MulIOp::NAME | ShLIOp::NAME => (Needs::LowBits, 16),
        CmpIOp::NAME | MaxSIOp::NAME | MinSIOp::NAME | MaxUIOp::NAME | MinUIOp::NAME => {
            (Needs::Sign, 8)
        }
        ShRSIOp::NAME | ShRUIOp::NAME => (Needs::Sign, 16),
        AbsIOp::NAME => (Needs::SignBit, 16),
        _ => return None,
    })
}

fn narrow_op(ctx: &mut Context, ranges: &mut IntRanges, op: Op) -> Option<()> {
    let (needs, least) = needs(ctx, op)?;
    let first = usize::from(op.isa::<SelectOp>(ctx));
    let numbers: Vec<Value> = op.operands(ctx).split_off(first);
    let result = op.result(ctx, 0);
    let width = numbers.first()?.ty(ctx).int_width(ctx)?;
    let shifts = matches!(op.name(ctx), ShLIOp::NAME | ShRSIOp::NAME | ShRUIOp::NAME);
    let compares = op.isa::<CmpIOp>(ctx);
    let mut of: Vec<IntRange> = Vec::new();
    for v in &numbers {
        of.push(ranges.of(ctx, *v)?);
    }
    let whole = ranges.of(ctx, result)?;
    let bits = [8, 16, 32].into_iter().find(|bits| {
        let fits = |r: &IntRange| r.fits_signed(*bits) || r.fits_unsigned(*bits);
        let sign = of.iter().all(|r| r.fits_signed(*bits));
        let none = of.iter().all(|r| r.fits_unsigned(*bits));
        *bits >= least
            && *bits < width
            && (compares || fits(&whole))
            && numbers
                .iter()
                .zip(&of)
                .all(|(v, r)| comes_from(ctx, *v, *bits, *r))
            && match needs {
                Needs::LowBits => true,
                Needs::Sign => none || (sign && reads_sign(ctx, op)),
                Needs::SignBit => sign,
            }
            && (!shifts
                || (0..i128::from(*bits)).contains(&of[1].lo.max(of[1].hi)) && of[1].lo >= 0)
    })?;
    // A number that is constant saves nothing by itself.
    if numbers.iter().all(|v| ctx.constant_int(*v).is_some()) {
        return None;
    }
    let ty = ctx.int(bits);
    let unsigned =
        of.iter().all(|r| r.fits_unsigned(bits)) && !of.iter().all(|r| r.fits_signed(bits));
    let mut b = Builder::before(ctx, op);
    b.loc = op.loc(b.ctx);
    let mut operands = op.operands(b.ctx);
    for v in &mut operands[first..] {
        *v = resized(&mut b, *v, ty)?;
    }
    let mut s = match (op.name(b.ctx), unsigned) {
        (ShRSIOp::NAME, true) => b.state::<ShRUIOp>(),
        (MaxSIOp::NAME, true) => b.state::<MaxUIOp>(),
        (MinSIOp::NAME, true) => b.state::<MinUIOp>(),
        _ => OpState::like(b.ctx, op),
    };
    s.operands = operands;
    if compares {
        s.result_types = vec![result.ty(b.ctx)];
        let asked = op.cast::<CmpIOp>(b.ctx)?.predicate(b.ctx)?;
        let asked = if unsigned { without_sign(asked) } else { asked };
        let predicate = asked.attr(b.ctx);
        s.set_attr(b.ctx, "predicate", predicate);
        let new = b.create(s).result(b.ctx, 0);
        op.replace(b.ctx, &[new]);
        return Some(());
    }
    s.result_types = vec![ty];
    let new = b.create(s).result(b.ctx, 0);
    let wide = result.ty(b.ctx);
    let new = match whole.fits_signed(bits) {
        true => b.value::<ExtSIOp>(&[new], wide, &[]),
        false => b.value::<ExtUIOp>(&[new], wide, &[]),
    };
    op.replace(b.ctx, &[new]);
    Some(())
}

/// How far two numbers are apart that were extended: the greater less the smaller one fits in as
/// few bits as they do, though their difference does not.
///
/// ```text
/// %0 = arith.extui %x : i8 to i32          %0 = arith.maxui %x, %y : i8
/// %1 = arith.extui %y : i8 to i32          %1 = arith.minui %x, %y : i8
/// %2 = arith.subi %0, %1             =>    %2 = arith.subi %0, %1 : i8
/// %3 = math.absi %2                        %3 = arith.extui %2 : i8 to i32
/// ```
fn difference(ctx: &mut Context, op: Op) -> Option<()> {
    let subtraction = absolute(ctx, op)?.def_op()?.cast::<SubIOp>(ctx)?.op();
    let (a, b) = (subtraction.operand(ctx, 0), subtraction.operand(ctx, 1));
    let (x, y) = (source(ctx, a)?, source(ctx, b)?);
    let ty = x.ty(ctx);
    let width = ty.int_width(ctx)?;
    let extends_alike = a.def_op()?.name(ctx) == b.def_op()?.name(ctx);
    let wide = op.result(ctx, 0).ty(ctx);
    let fits = width >= 8 && wide.int_width(ctx).is_some_and(|w| w > width);
    if !fits || !extends_alike || y.ty(ctx) != ty {
        return None;
    }
    let signed = a.def_op()?.isa::<ExtSIOp>(ctx);
    let mut b = Builder::before(ctx, op);
    b.loc = op.loc(b.ctx);
    let (most, least) = match signed {
        true => (
            b.value::<MaxSIOp>(&[x, y], ty, &[]),
            b.value::<MinSIOp>(&[x, y], ty, &[]),
        ),
        false => (
            b.value::<MaxUIOp>(&[x, y], ty, &[]),
            b.value::<MinUIOp>(&[x, y], ty, &[]),
        ),
    };
    let apart = b.value::<SubIOp>(&[most, least], ty, &[]);
    let new = b.value::<ExtUIOp>(&[apart], wide, &[]);
    op.replace(b.ctx, &[new]);
    Some(())
}

/// The number of which an op gives the magnitude: `math.absi`, or a choice between the number and
/// what it lacks to 0.
fn absolute(ctx: &Context, op: Op) -> Option<Value> {
    if op.isa::<AbsIOp>(ctx) {
        return Some(op.operand(ctx, 0));
    }
    if !op.isa::<SelectOp>(ctx) {
        return None;
    }
    let zero = |v: Value| ctx.constant_int(v) == Some(0);
    let test = op.operand(ctx, 0).def_op()?.cast::<CmpIOp>(ctx)?;
    let (number, other) = (test.op().operand(ctx, 0), test.op().operand(ctx, 1));
    if !zero(other) {
        return None;
    }
    // Of 0 both are the same.
    let (negated, kept) = match test.predicate(ctx)? {
        CmpIPredicate::Slt | CmpIPredicate::Sle => (op.operand(ctx, 1), op.operand(ctx, 2)),
        CmpIPredicate::Sgt | CmpIPredicate::Sge => (op.operand(ctx, 2), op.operand(ctx, 1)),
        _ => return None,
    };
    let negation = negated.def_op()?.cast::<SubIOp>(ctx)?.op();
    let negates = zero(negation.operand(ctx, 0)) && negation.operand(ctx, 1) == number;
    (negates && kept == number).then_some(number)
}

/// Whether an op reads its operands as signed numbers.
fn reads_sign(ctx: &Context, op: Op) -> bool {
    match op.cast::<CmpIOp>(ctx) {
        Some(c) => c.predicate(ctx).is_some_and(|p| !p.is_unsigned()),
        None => !matches!(op.name(ctx), MaxUIOp::NAME | MinUIOp::NAME | ShRUIOp::NAME),
    }
}

/// The same comparison of numbers that are not negative and need all bits.
fn without_sign(p: CmpIPredicate) -> CmpIPredicate {
    use CmpIPredicate::{Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
    match p {
        Sge => Uge,
        Sgt => Ugt,
        Sle => Ule,
        Slt => Ult,
        same => same,
    }
}

/// Whether `v` was extended from at most so many bits, or is a constant that fits in them.
fn comes_from(ctx: &Context, v: Value, bits: u32, range: IntRange) -> bool {
    if ctx.constant_int(v).is_some() {
        return range.fits_signed(bits) || range.fits_unsigned(bits);
    }
    source(ctx, v).is_some_and(|s| {
        s.ty(ctx)
            .int_width(ctx)
            .is_some_and(|w| w >= 8 && w <= bits)
    })
}

/// What `v` was extended from.
pub(super) fn source(ctx: &Context, v: Value) -> Option<Value> {
    let op = v.def_op()?;
    let extends = op.isa::<ExtSIOp>(ctx) || op.isa::<ExtUIOp>(ctx);
    extends.then(|| op.operand(ctx, 0))
}

/// `v`, which [`comes_from`] so few bits, in an integer of type `ty`.
fn resized(b: &mut Builder, v: Value, ty: Type) -> Option<Value> {
    if let Some(c) = b.ctx.constant_int(v) {
        let c = b.ctx.int_attr(ty, c);
        return Some(arith::constant(b, c));
    }
    let extension = v.def_op()?;
    let s = extension.operand(b.ctx, 0);
    if s.ty(b.ctx) == ty {
        return Some(s);
    }
    Some(match extension.isa::<ExtSIOp>(b.ctx) {
        true => b.value::<ExtSIOp>(&[s], ty, &[]),
        false => b.value::<ExtUIOp>(&[s], ty, &[]),
    })
}

/// The low bits of what was extended are those of what it was extended from.
fn shorten(ctx: &mut Context, op: Op) -> Option<()> {
    let s = source(ctx, op.operand(ctx, 0))?;
    let ty = op.result(ctx, 0).ty(ctx);
    let (from, to) = (s.ty(ctx).int_width(ctx)?, ty.int_width(ctx)?);
    if from < 8 {
        return None;
    }
    let extension = op.operand(ctx, 0);
    let mut b = Builder::before(ctx, op);
    let new = match from.cmp(&to) {
        std::cmp::Ordering::Greater => b.value::<TruncIOp>(&[s], ty, &[]),
        std::cmp::Ordering::Equal => s,
        std::cmp::Ordering::Less => resized(&mut b, extension, ty)?,
    };
    op.replace(b.ctx, &[new]);
    Some(())
}
