//! Rewrite patterns of comparisons and `arith.select`.

use super::canonicalize::{is_constant_bit, not, replace};
use super::elements::int_of;
use super::fold_int::definition;
use super::predicate::{CmpFPredicate, CmpIPredicate};
use super::{
    CmpFOp, CmpIOp, ExtSIOp, ExtUIOp, SIToFPOp, SelectOp, UIToFPOp, XOrIOp, constant,
    constant_bool, splat_int,
};
use std::cmp::Ordering;
use terrace_ir::num::{Float, Int};
use terrace_ir::rewrite::{PatternSet, Rewriter};
use terrace_ir::{Context, Op, OpKind, Value};

/// Equality of two extended values is that of the values.
fn compare_narrow<E: OpKind>(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let Some(p) = op.cast::<CmpIOp>(ctx).and_then(|o| o.predicate(ctx)) else {
        return false;
    };
    let (Some(a), Some(b)) = (
        definition::<E>(ctx, op.operand(ctx, 0)),
        definition::<E>(ctx, op.operand(ctx, 1)),
    ) else {
        return false;
    };
    let (x, y) = (a.operand(ctx, 0), b.operand(ctx, 0));
    let equality = matches!(p, CmpIPredicate::Eq | CmpIPredicate::Ne);
    if !equality || x.ty(ctx) != y.ty(ctx) {
        return false;
    }
    let p = p.attr(ctx);
    replace::<CmpIOp>(rw, op, &[x, y], &[("predicate", p)])
}

pub(super) fn cmpi(set: &mut PatternSet) {
    set.add::<CmpIOp>(compare_narrow::<ExtSIOp>);
    set.add::<CmpIOp>(compare_narrow::<ExtUIOp>);
}

// ---- an integer, made a float, against a constant ----

/// What becomes of the comparison.
enum Outcome {
    Always(bool),
    Integer(CmpIPredicate, Int),
}

fn integer_predicate(p: CmpFPredicate, unsigned: bool) -> Option<CmpIPredicate> {
    use CmpFPredicate as F;
    use CmpIPredicate as I;
    let pick = |s, u| if unsigned { u } else { s };
    Some(match p {
        F::Oeq | F::Ueq => I::Eq,
        F::One | F::Une => I::Ne,
        F::Ogt | F::Ugt => pick(I::Sgt, I::Ugt),
        F::Oge | F::Uge => pick(I::Sge, I::Uge),
        F::Olt | F::Ult => pick(I::Slt, I::Ult),
        F::Ole | F::Ule => pick(I::Sle, I::Ule),
        _ => return None,
    })
}

/// The exponent of the leading bit; far below zero for zero and for what is
/// subnormal in `f64`.
fn exponent(v: &Float) -> i32 {
    let bits = v.to_f64().to_bits();
    ((bits >> 52 & 0x7ff) as i32) - 1023
}

/// Whether converting the `width` bits of an integer may round it to, or past, `c`.
fn rounding_matters(c: &Float, width: u32, unsigned: bool) -> bool {
    let precision = c.kind().precision();
    if width <= precision {
        return false;
    }
    if !c.kind().fits_f64() {
        return true;
    }
    let value_bits = if unsigned { width } else { width - 1 };
    if c.is_inf() {
        let largest = exponent(&Float::largest(c.kind(), false));
        return i64::from(largest) < i64::from(value_bits);
    }
    let e = i64::from(exponent(c));
    i64::from(precision) <= e && e <= i64::from(value_bits)
}

/// The comparison `p` of an integer of `width` bits with the number `c`.
fn compare_with(p: CmpFPredicate, c: &Float, width: u32, unsigned: bool) -> Option<Outcome> {
    use CmpIPredicate as I;
    match p {
        CmpFPredicate::Ord => return Some(Outcome::Always(true)),
        CmpFPredicate::Uno => return Some(Outcome::Always(false)),
        _ => {}
    }
    let p = integer_predicate(p, unsigned)?;
    let (least, greatest) = if unsigned {
        (Int::zero(width), Int::unsigned_max(width))
    } else {
        (Int::signed_min(width), Int::signed_max(width))
    };
    let bound = |v: &Int| Float::from_int(c.kind(), v, !unsigned).compare(c);
    if bound(&greatest) == Some(Ordering::Less) {
        return Some(Outcome::Always(matches!(
            p,
            I::Ne | I::Slt | I::Sle | I::Ult | I::Ule
        )));
    }
    if bound(&least) == Some(Ordering::Greater) {
        return Some(Outcome::Always(matches!(
            p,
            I::Ne | I::Sgt | I::Sge | I::Ugt | I::Uge
        )));
    }
    let v = c.to_int(width, !unsigned)?;
    if c.is_zero() || bound(&v) == Some(Ordering::Equal) {
        return Some(Outcome::Integer(p, v));
    }
    // `v` is `c` without its fraction: nearer to zero.
    let p = match (p, c.is_negative()) {
        (I::Ne, _) => return Some(Outcome::Always(true)),
        (I::Eq, _) => return Some(Outcome::Always(false)),
        (I::Ule | I::Ult, true) => return Some(Outcome::Always(false)),
        (I::Ugt | I::Uge, true) => return Some(Outcome::Always(true)),
        (I::Sle | I::Slt, true) => I::Slt,
        (I::Sle | I::Slt, false) => I::Sle,
        (I::Sgt | I::Sge, true) => I::Sge,
        (I::Sgt | I::Sge, false) => I::Sgt,
        (I::Ule | I::Ult, false) => I::Ule,
        (I::Ugt | I::Uge, false) => I::Ugt,
    };
    Some(Outcome::Integer(p, v))
}

/// A comparison of a converted integer with a constant is one of integers.
fn compare_converted(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let Some(p) = op.cast::<CmpFOp>(ctx).and_then(|o| o.predicate(ctx)) else {
        return false;
    };
    let Some(c) = ctx
        .constant_of(op.operand(ctx, 1))
        .and_then(|a| a.as_float(ctx))
    else {
        return false;
    };
    let a = op.operand(ctx, 0);
    let (x, unsigned) = match (
        definition::<SIToFPOp>(ctx, a),
        definition::<UIToFPOp>(ctx, a),
    ) {
        (Some(d), _) => (d.operand(ctx, 0), false),
        (_, Some(d)) => (d.operand(ctx, 0), true),
        _ => return false,
    };
    let ty = x.ty(ctx);
    let Some(width) = ty.int_width(ctx).filter(|w| *w > 0) else {
        return false;
    };
    if c.is_nan() || rounding_matters(c, width, unsigned) {
        return false;
    }
    let new = match compare_with(p, c, width, unsigned) {
        Some(Outcome::Always(v)) => constant_bool(rw, v),
        Some(Outcome::Integer(p, v)) => {
            let v = splat_int(ctx, ty, &v);
            let v = constant(rw, v);
            CmpIOp::build(rw, p, x, v)
        }
        None => return false,
    };
    rw.replace_op(op, &[new]);
    true
}

pub(super) fn cmpf(set: &mut PatternSet) {
    set.add::<CmpFOp>(compare_converted);
}

// ---- select ----

/// `x` of `xori(x, all ones)`.
fn negated(ctx: &Context, v: Value) -> Option<Value> {
    let xor = definition::<XOrIOp>(ctx, v)?;
    let ones = int_of(ctx, ctx.constant_of(xor.operand(ctx, 1)))?;
    ones.is_all_ones().then(|| xor.operand(ctx, 0))
}

/// A choice inside a choice of the same condition is made already.
fn chosen_already(rw: &mut Rewriter, op: Op) -> bool {
    let v = op.operands(rw.ctx);
    for i in [2, 1] {
        if let Some(inner) = definition::<SelectOp>(rw.ctx, v[i])
            && inner.operand(rw.ctx, 0) == v[0]
        {
            let kept = inner.operand(rw.ctx, i);
            let operands = if i == 1 {
                [v[0], kept, v[2]]
            } else {
                [v[0], v[1], kept]
            };
            return replace::<SelectOp>(rw, op, &operands, &[]);
        }
    }
    false
}

/// `select(c, 0, 1)` of `i1` is the negation; of wider integers, `select(c, 1, 0)` is
/// the extension.
fn select_of_bits(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let (c, a, b) = (op.operand(ctx, 0), op.operand(ctx, 1), op.operand(ctx, 2));
    let ty = op.result(ctx, 0).ty(ctx);
    if !ty.is_int(ctx) {
        return false;
    }
    let zero_one = is_constant_bit(ctx, a, false) && is_constant_bit(ctx, b, true);
    let one_zero = is_constant_bit(ctx, a, true) && is_constant_bit(ctx, b, false);
    if zero_one {
        let n = not(rw, c);
        if ty != rw.ctx.i1() {
            return replace::<ExtUIOp>(rw, op, &[n], &[]);
        }
        rw.replace_op(op, &[n]);
        return true;
    }
    one_zero && ty != ctx.i1() && replace::<ExtUIOp>(rw, op, &[c], &[])
}

pub(super) fn select(set: &mut PatternSet) {
    set.add::<SelectOp>(chosen_already);
    set.add::<SelectOp>(|rw, op| {
        let v = op.operands(rw.ctx);
        match negated(rw.ctx, v[0]) {
            Some(x) => replace::<SelectOp>(rw, op, &[x, v[2], v[1]], &[]),
            None => false,
        }
    });
    set.add::<SelectOp>(select_of_bits);
}
