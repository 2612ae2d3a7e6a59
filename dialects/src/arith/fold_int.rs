//! Folding of integer arithmetic.

use super::attrs::{i1_like, overflow, overflow_of};
use super::elements::{binary, int_of, is_one, is_zero, zero};
use super::{AddIOp, AndIOp, MulIOp, SubIOp, XOrIOp};
use terrace_ir::num::Int;
use terrace_ir::opdef::{Fold, FoldResult};
use terrace_ir::{Attr, Context, Op, OpKind, Value};

type Constants<'a> = &'a [Option<Attr>];

/// The op of kind `K` that defines `v`.
pub(super) fn definition<K: OpKind>(ctx: &Context, v: Value) -> Option<Op> {
    v.def_op().filter(|d| d.isa::<K>(ctx))
}

fn lhs(ctx: &Context, op: Op) -> Value {
    op.operand(ctx, 0)
}

fn rhs(ctx: &Context, op: Op) -> Value {
    op.operand(ctx, 1)
}

/// `f` of two constants, the result of the op's type.
fn constants(ctx: &Context, op: Op, c: Constants, f: impl Fn(&Int, &Int) -> Option<Int>) -> Fold {
    Fold::maybe(binary(ctx, c, op.result(ctx, 0).ty(ctx), f))
}

fn zero_result(ctx: &Context, op: Op) -> Option<Attr> {
    zero(ctx, op.result(ctx, 0).ty(ctx))
}

pub(super) fn addi(ctx: &Context, op: Op, c: Constants) -> Fold {
    let (a, b) = (lhs(ctx, op), rhs(ctx, op));
    if is_zero(ctx, c[1]) {
        return Fold::value(a);
    }
    // (x - y) + y = x, y + (x - y) = x
    for (sub, y) in [(a, b), (b, a)] {
        if let Some(s) = definition::<SubIOp>(ctx, sub)
            && rhs(ctx, s) == y
        {
            return Fold::value(lhs(ctx, s));
        }
    }
    constants(ctx, op, c, |a, b| Some(a.add(b)))
}

pub(super) fn subi(ctx: &Context, op: Op, c: Constants) -> Fold {
    let (a, b) = (lhs(ctx, op), rhs(ctx, op));
    if a == b
        && let Some(z) = zero_result(ctx, op)
    {
        return Fold::attr(z);
    }
    if is_zero(ctx, c[1]) {
        return Fold::value(a);
    }
    // (x + y) - y = x, (x + y) - x = y
    if let Some(s) = definition::<AddIOp>(ctx, a) {
        if rhs(ctx, s) == b {
            return Fold::value(lhs(ctx, s));
        }
        if lhs(ctx, s) == b {
            return Fold::value(rhs(ctx, s));
        }
    }
    constants(ctx, op, c, |a, b| Some(a.sub(b)))
}

pub(super) fn muli(ctx: &Context, op: Op, c: Constants) -> Fold {
    if is_zero(ctx, c[1]) {
        return Fold::value(rhs(ctx, op));
    }
    if is_one(ctx, c[1]) {
        return Fold::value(lhs(ctx, op));
    }
    constants(ctx, op, c, |a, b| Some(a.mul(b)))
}

/// Two constant results.
fn pair(a: Option<Attr>, b: Option<Attr>) -> Fold {
    match (a, b) {
        (Some(a), Some(b)) => Fold::Results(vec![FoldResult::Attr(a), FoldResult::Attr(b)]),
        _ => Fold::No,
    }
}

pub(super) fn addui_extended(ctx: &Context, op: Op, c: Constants) -> Fold {
    let ty = op.result(ctx, 0).ty(ctx);
    let flag = i1_like(ctx, ty);
    if is_zero(ctx, c[1])
        && let Some(no) = zero(ctx, flag)
    {
        return Fold::Results(vec![FoldResult::Value(lhs(ctx, op)), FoldResult::Attr(no)]);
    }
    pair(
        binary(ctx, c, ty, |a: &Int, b| Some(a.add(b))),
        binary(ctx, c, flag, |a: &Int, b| {
            Some(Int::from_bool(a.add_carry(b).1))
        }),
    )
}

pub(super) fn mulsi_extended(ctx: &Context, op: Op, c: Constants) -> Fold {
    if is_zero(ctx, c[1]) {
        return pair(c[1], c[1]);
    }
    let ty = op.result(ctx, 0).ty(ctx);
    pair(
        binary(ctx, c, ty, |a: &Int, b| Some(a.mul_extended_s(b).0)),
        binary(ctx, c, ty, |a: &Int, b| Some(a.mul_extended_s(b).1)),
    )
}

pub(super) fn mului_extended(ctx: &Context, op: Op, c: Constants) -> Fold {
    if is_zero(ctx, c[1]) {
        return pair(c[1], c[1]);
    }
    if is_one(ctx, c[1])
        && let Some(z) = zero_result(ctx, op)
    {
        return Fold::Results(vec![FoldResult::Value(lhs(ctx, op)), FoldResult::Attr(z)]);
    }
    let ty = op.result(ctx, 0).ty(ctx);
    pair(
        binary(ctx, c, ty, |a: &Int, b| Some(a.mul_extended_u(b).0)),
        binary(ctx, c, ty, |a: &Int, b| Some(a.mul_extended_u(b).1)),
    )
}

// ---- division ----

/// `(x * y) / y = x` where the product promises not to overflow.
fn div_of_mul(ctx: &Context, op: Op, flag: i64) -> Option<Value> {
    let (a, b) = (lhs(ctx, op), rhs(ctx, op));
    let mul = definition::<MulIOp>(ctx, a)?;
    if overflow_of(ctx, mul) & flag != flag {
        return None;
    }
    if lhs(ctx, mul) == b {
        return Some(rhs(ctx, mul));
    }
    (rhs(ctx, mul) == b).then(|| lhs(ctx, mul))
}

/// A quotient: of 1 the dividend, of constants what `f` says.
fn quotient(ctx: &Context, op: Op, c: Constants, f: impl Fn(&Int, &Int) -> Option<Int>) -> Fold {
    if is_one(ctx, c[1]) {
        return Fold::value(lhs(ctx, op));
    }
    constants(ctx, op, c, f)
}

pub(super) fn divui(ctx: &Context, op: Op, c: Constants) -> Fold {
    if let Some(v) = div_of_mul(ctx, op, overflow::NUW)
        && !is_one(ctx, c[1])
    {
        return Fold::value(v);
    }
    quotient(ctx, op, c, Int::udiv)
}

pub(super) fn divsi(ctx: &Context, op: Op, c: Constants) -> Fold {
    if let Some(v) = div_of_mul(ctx, op, overflow::NSW)
        && !is_one(ctx, c[1])
    {
        return Fold::value(v);
    }
    quotient(ctx, op, c, Int::sdiv)
}

pub(super) fn ceildivui(ctx: &Context, op: Op, c: Constants) -> Fold {
    quotient(ctx, op, c, Int::ceildiv_u)
}

pub(super) fn ceildivsi(ctx: &Context, op: Op, c: Constants) -> Fold {
    quotient(ctx, op, c, |a, b| {
        if b.is_zero() {
            return None;
        }
        if a.is_zero() {
            return Some(a.clone());
        }
        // Upstream negates on the way, and leaves alone what overflows there.
        if a.is_signed_min() || b.is_signed_min() {
            return None;
        }
        a.ceildiv_s(b)
    })
}

pub(super) fn floordivsi(ctx: &Context, op: Op, c: Constants) -> Fold {
    quotient(ctx, op, c, Int::floordiv_s)
}

pub(super) fn remui(ctx: &Context, op: Op, c: Constants) -> Fold {
    if is_one(ctx, c[1])
        && let Some(z) = zero_result(ctx, op)
    {
        return Fold::attr(z);
    }
    constants(ctx, op, c, Int::urem)
}

pub(super) fn remsi(ctx: &Context, op: Op, c: Constants) -> Fold {
    if is_one(ctx, c[1])
        && let Some(z) = zero_result(ctx, op)
    {
        return Fold::attr(z);
    }
    constants(ctx, op, c, Int::srem)
}

// ---- bits ----

/// The all-ones constant `c` of `xori(x, c)`, where that defines `v`.
fn not_of(ctx: &Context, v: Value, x: Value) -> Option<Value> {
    let xor = definition::<XOrIOp>(ctx, v)?;
    let ones = int_of(ctx, ctx.constant_of(rhs(ctx, xor)))?;
    (lhs(ctx, xor) == x && ones.is_all_ones()).then(|| rhs(ctx, xor))
}

pub(super) fn andi(ctx: &Context, op: Op, c: Constants) -> Fold {
    let (a, b) = (lhs(ctx, op), rhs(ctx, op));
    if let Some(v) = int_of(ctx, c[1]) {
        if v.is_zero() {
            return Fold::value(b);
        }
        if v.is_all_ones() {
            return Fold::value(a);
        }
    }
    for (x, y) in [(a, b), (b, a)] {
        if not_of(ctx, y, x).is_some()
            && let Some(z) = zero_result(ctx, op)
        {
            return Fold::attr(z);
        }
    }
    // (x & y) & x = x & y
    for (inner, other) in [(a, b), (b, a)] {
        if let Some(i) = definition::<AndIOp>(ctx, inner)
            && (lhs(ctx, i) == other || rhs(ctx, i) == other)
        {
            return Fold::value(inner);
        }
    }
    constants(ctx, op, c, |a, b| Some(a.and(b)))
}

pub(super) fn ori(ctx: &Context, op: Op, c: Constants) -> Fold {
    let (a, b) = (lhs(ctx, op), rhs(ctx, op));
    if let Some(v) = int_of(ctx, c[1]) {
        if v.is_zero() {
            return Fold::value(a);
        }
        if v.is_all_ones() {
            return Fold::value(b);
        }
    }
    for (x, y) in [(a, b), (b, a)] {
        if let Some(ones) = not_of(ctx, y, x) {
            return Fold::value(ones);
        }
    }
    constants(ctx, op, c, |a, b| Some(a.or(b)))
}

pub(super) fn xori(ctx: &Context, op: Op, c: Constants) -> Fold {
    let (a, b) = (lhs(ctx, op), rhs(ctx, op));
    if is_zero(ctx, c[1]) {
        return Fold::value(a);
    }
    if a == b
        && let Some(z) = zero_result(ctx, op)
    {
        return Fold::attr(z);
    }
    // (x ^ y) ^ y = x
    for (inner, y) in [(a, b), (b, a)] {
        if let Some(i) = definition::<XOrIOp>(ctx, inner) {
            if rhs(ctx, i) == y {
                return Fold::value(lhs(ctx, i));
            }
            if lhs(ctx, i) == y {
                return Fold::value(rhs(ctx, i));
            }
        }
    }
    constants(ctx, op, c, |a, b| Some(a.xor(b)))
}

/// A shift: by 0 nothing, of constants what `f` says, which has no result for a shift
/// by the width or more.
fn shift(ctx: &Context, op: Op, c: Constants, f: impl Fn(&Int, &Int) -> Option<Int>) -> Fold {
    if is_zero(ctx, c[1]) {
        return Fold::value(lhs(ctx, op));
    }
    constants(ctx, op, c, f)
}

pub(super) fn shli(ctx: &Context, op: Op, c: Constants) -> Fold {
    shift(ctx, op, c, Int::shl)
}

pub(super) fn shrui(ctx: &Context, op: Op, c: Constants) -> Fold {
    shift(ctx, op, c, Int::lshr)
}

pub(super) fn shrsi(ctx: &Context, op: Op, c: Constants) -> Fold {
    shift(ctx, op, c, Int::ashr)
}

// ---- minima and maxima ----

/// A minimum or maximum: of `absorbing` that value, of `neutral` the other operand.
fn extremum(
    ctx: &Context,
    op: Op,
    c: Constants,
    absorbing: fn(&Int) -> bool,
    neutral: fn(&Int) -> bool,
    f: impl Fn(&Int, &Int) -> Int,
) -> Fold {
    let (a, b) = (lhs(ctx, op), rhs(ctx, op));
    if a == b {
        return Fold::value(b);
    }
    if let Some(v) = int_of(ctx, c[1]) {
        if absorbing(&v) {
            return Fold::value(b);
        }
        if neutral(&v) {
            return Fold::value(a);
        }
    }
    constants(ctx, op, c, |a, b| Some(f(a, b)))
}

fn is_signed_max(v: &Int) -> bool {
    *v == Int::signed_max(v.width())
}

pub(super) fn maxsi(ctx: &Context, op: Op, c: Constants) -> Fold {
    extremum(ctx, op, c, is_signed_max, Int::is_signed_min, Int::max_s)
}

pub(super) fn maxui(ctx: &Context, op: Op, c: Constants) -> Fold {
    extremum(ctx, op, c, Int::is_all_ones, Int::is_zero, Int::max_u)
}

pub(super) fn minsi(ctx: &Context, op: Op, c: Constants) -> Fold {
    extremum(ctx, op, c, Int::is_signed_min, is_signed_max, Int::min_s)
}

pub(super) fn minui(ctx: &Context, op: Op, c: Constants) -> Fold {
    extremum(ctx, op, c, Int::is_zero, Int::is_all_ones, Int::min_u)
}
