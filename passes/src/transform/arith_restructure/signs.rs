//! What signs that are known make of comparisons, magnitudes and extrema.
//!
//! A sign is known of constants, of what functions and squares give, and of arguments and elements of
//! arrays with the attribute `terrace.positive` (above nought) or `terrace.nonnegative`.
//!
//! ```text
//! %p = arith.mulf %rho, %x fastmath<reassoc,nnan>      // %rho is positive
//! %c = arith.cmpf olt, %p, %zero                       =>    %c = arith.cmpf olt, %x, %zero
//! ```

use super::read::{number, ops_of};
use crate::analysis::memory::{argument_has, base};
use terrace_dialects::arith::{self, fastmath, fastmath_of};
use terrace_dialects::attributes::{TERRACE_NONNEGATIVE, TERRACE_POSITIVE};
use terrace_dialects::{affine, math, memref};
use terrace_ir::{Builder, Context, Op, Value};

/// What a value may be, as bits.
const NEG: u8 = 1;
const ZERO: u8 = 2;
const POS: u8 = 4;
const NAN: u8 = 8;
const ANY: u8 = 15;

/// How many ops back a sign is looked for.
const FAR: u32 = 24;

/// Simplifies what stands below `function`. Returns how many ops changed.
pub fn simplify(ctx: &mut Context, function: Op) -> u64 {
    let mut changed = 0;
    for op in ops_of(ctx, function) {
        let done = match op.name(ctx) {
            arith::CmpFOp::NAME => compare(ctx, op),
            math::AbsFOp::NAME => magnitude(ctx, op),
            arith::MaximumFOp::NAME | arith::MaxNumFOp::NAME => extremum(ctx, op, POS),
            arith::MinimumFOp::NAME | arith::MinNumFOp::NAME => extremum(ctx, op, NEG),
            arith::SelectOp::NAME => select(ctx, op),
            _ => false,
        };
        changed += u64::from(done);
    }
    changed
}

fn flip(s: u8) -> u8 {
    let moved = |from: u8, to: u8| if s & from != 0 { to } else { 0 };
    moved(NEG, POS) | moved(POS, NEG) | s & (ZERO | NAN)
}

fn add(a: u8, b: u8) -> u8 {
    let mut s = (a | b) & NAN;
    for (x, y) in [(a, b), (b, a)] {
        if x & POS != 0 && y & (POS | ZERO) != 0 {
            s |= POS;
        }
        if x & NEG != 0 && y & (NEG | ZERO) != 0 {
            s |= NEG;
        }
        if x & POS != 0 && y & NEG != 0 {
            s |= ANY;
        }
    }
    if a & ZERO != 0 && b & ZERO != 0 {
        s |= ZERO;
    }
    s
}

fn mul(a: u8, b: u8) -> u8 {
    let mut s = (a | b) & NAN;
    if (a | b) & ZERO != 0 {
        // Nought times infinity is none of them.
        s |= ZERO | NAN;
    }
    let (a, b) = (a & (NEG | POS), b & (NEG | POS));
    if a & b != 0 {
        s |= POS;
    }
    if a & flip(b) != 0 {
        s |= NEG;
    }
    s
}

/// What an argument, or an element of one, may be.
fn promised(ctx: &Context, v: Value) -> u8 {
    match argument_has(ctx, v, TERRACE_POSITIVE) {
        true => POS,
        false if argument_has(ctx, v, TERRACE_NONNEGATIVE) => POS | ZERO,
        false => ANY,
    }
}

/// What a value may be.
fn sign(ctx: &Context, v: Value, far: u32) -> u8 {
    if let Some(n) = number(ctx, v) {
        return match n {
            n if n < 0.0 => NEG,
            n if n > 0.0 => POS,
            _ => ZERO,
        };
    }
    let Some(op) = v.def_op() else {
        return promised(ctx, v);
    };
    if far == 0 {
        return ANY;
    }
    let of = |i: usize| sign(ctx, op.operand(ctx, i), far - 1);
    let flags = fastmath_of(ctx, op);
    // What is too small for a float is nought, but for who computes as with real numbers.
    let small = if flags & fastmath::REASSOC != 0 {
        0
    } else {
        ZERO
    };
    let s = match op.name(ctx) {
        affine::LoadOp::NAME | memref::LoadOp::NAME => promised(ctx, base(ctx, op.operand(ctx, 0))),
        arith::AddFOp::NAME => add(of(0), of(1)),
        arith::SubFOp::NAME => add(of(0), flip(of(1))),
        arith::NegFOp::NAME => flip(of(0)),
        arith::MulFOp::NAME if op.operand(ctx, 0) == op.operand(ctx, 1) => match of(0) {
            s if s & ZERO != 0 => POS | ZERO | s & NAN,
            s => POS | small | s & NAN,
        },
        arith::MulFOp::NAME => mul(of(0), of(1)) | small,
        // Infinity by infinity, and nought by nought.
        arith::DivFOp::NAME => {
            let (a, b) = (of(0), of(1));
            let nought = if a & ZERO != 0 { ZERO } else { small };
            (mul(a & !ZERO, b & !ZERO) & !ZERO)
                | nought
                | NAN
                | if b & ZERO != 0 { POS | NEG } else { 0 }
        }
        math::SqrtOp::NAME => {
            let s = of(0);
            s & (POS | ZERO | NAN) | if s & NEG != 0 { NAN } else { 0 }
        }
        math::ExpOp::NAME | math::Exp2Op::NAME => POS | small | of(0) & NAN,
        math::CoshOp::NAME => POS | of(0) & NAN,
        math::AbsFOp::NAME => match of(0) {
            s if s & NEG != 0 => s & !NEG | POS,
            s => s,
        },
        arith::MaximumFOp::NAME => match (of(0), of(1)) {
            (a, b) if a == POS || b == POS => POS | (a | b) & NAN,
            (a, b) => a | b,
        },
        arith::MaxNumFOp::NAME => match (of(0), of(1)) {
            (a, b) if a == POS || b == POS => POS,
            (a, b) => a | b,
        },
        arith::MinimumFOp::NAME | arith::MinNumFOp::NAME => of(0) | of(1),
        arith::SelectOp::NAME => of(1) | of(2),
        arith::ExtFOp::NAME => of(0),
        arith::TruncFOp::NAME => of(0) | ZERO,
        arith::UIToFPOp::NAME => POS | ZERO,
        _ => ANY,
    };
    if flags & fastmath::NNAN != 0 {
        s & !NAN
    } else {
        s
    }
}

/// A comparison with nought: decided, or without the factors that do not change its outcome.
fn compare(ctx: &mut Context, op: Op) -> bool {
    let Some(predicate) = op.cast::<arith::CmpFOp>(ctx).and_then(|c| c.predicate(ctx)) else {
        return false;
    };
    let (mut x, y) = (op.operand(ctx, 0), op.operand(ctx, 1));
    if number(ctx, y) != Some(0.0) {
        return false;
    }
    let s = sign(ctx, x, FAR);
    let outcome = |n: f64| predicate.eval_f64(n, 0.0);
    let cases = [(NEG, -1.0), (ZERO, 0.0), (POS, 1.0), (NAN, f64::NAN)];
    let mut outcomes = cases
        .iter()
        .filter(|(bit, _)| s & bit != 0)
        .map(|c| outcome(c.1));
    let i1 = op.result(ctx, 0).ty(ctx);
    if let Some(first) = outcomes.next()
        && i1 == ctx.i1()
        && outcomes.all(|o| o == first)
    {
        let mut b = Builder::before(ctx, op);
        let known = arith::constant_bool(&mut b, first);
        op.replace(ctx, &[known]);
        return true;
    }
    let mut turned = false;
    let start = x;
    while let Some((other, negative)) = without_factor(ctx, x) {
        x = other;
        turned ^= negative;
    }
    if x == start {
        return false;
    }
    op.set_operand(ctx, 0, x);
    if turned {
        let turned = predicate.swapped().attr(ctx);
        op.set_attr(ctx, "predicate", turned);
    }
    true
}

/// What is left of a product or quotient without a factor whose sign is known, and whether that is below
/// nought.
fn without_factor(ctx: &Context, v: Value) -> Option<(Value, bool)> {
    const NEEDED: i64 = fastmath::REASSOC | fastmath::NNAN;
    let op = v.def_op()?;
    let name = op.name(ctx);
    if name == arith::NegFOp::NAME {
        return Some((op.operand(ctx, 0), true));
    }
    let is_product = name == arith::MulFOp::NAME;
    if !(is_product || name == arith::DivFOp::NAME) || fastmath_of(ctx, op) & NEEDED != NEEDED {
        return None;
    }
    let (a, b) = (op.operand(ctx, 0), op.operand(ctx, 1));
    match (sign(ctx, b, FAR), sign(ctx, a, FAR)) {
        (POS, _) => Some((a, false)),
        (NEG, _) => Some((a, true)),
        (_, POS) if is_product => Some((b, false)),
        (_, NEG) if is_product => Some((b, true)),
        _ => None,
    }
}

fn magnitude(ctx: &mut Context, op: Op) -> bool {
    let x = op.operand(ctx, 0);
    let flags = fastmath_of(ctx, op);
    // The magnitude of a negative nought is another one.
    let nought = if flags & fastmath::NSZ != 0 { ZERO } else { 0 };
    let s = sign(ctx, x, FAR) & !nought;
    match s {
        0 | POS => op.replace(ctx, &[x]),
        NEG => {
            let attr = arith::FASTMATH.attr(ctx, flags);
            let ty = x.ty(ctx);
            let mut b = Builder::before(ctx, op);
            let negated = b.value::<arith::NegFOp>(&[x], ty, &[(arith::ATTR_FASTMATH, attr)]);
            op.replace(ctx, &[negated]);
        }
        _ => return false,
    }
    true
}

/// The extremum on the side `wins` of nought of something and nought.
fn extremum(ctx: &mut Context, op: Op, wins: u8) -> bool {
    let (x, y) = (op.operand(ctx, 0), op.operand(ctx, 1));
    for (x, nought) in [(x, y), (y, x)] {
        if number(ctx, nought) != Some(0.0) {
            continue;
        }
        let s = sign(ctx, x, FAR);
        let kept = match s {
            s if s == wins => x,
            s if s == flip(wins) => nought,
            _ => continue,
        };
        op.replace(ctx, &[kept]);
        return true;
    }
    false
}

/// A choice that is made already.
fn select(ctx: &mut Context, op: Op) -> bool {
    let condition = op.operand(ctx, 0).def_op();
    let constant = condition.and_then(|c| c.cast::<arith::ConstantOp>(ctx));
    let Some(known) = constant.and_then(|c| c.value(ctx)?.as_bool(ctx)) else {
        return false;
    };
    let kept = op.operand(ctx, if known { 1 } else { 2 });
    op.replace(ctx, &[kept]);
    true
}
