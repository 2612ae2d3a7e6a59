//! Folding of functions of constants.

use super::functions::function;
use crate::arith::elements::{binary, unary};
use crate::arith::{float_of, i1_like, splat_int};
use terrace_ir::num::{Float, FloatKind, Int, Rounding};
use terrace_ir::opdef::Fold;
use terrace_ir::{Attr, Context, Op, Type};

type Constants<'a> = &'a [Option<Attr>];

fn result(ctx: &Context, op: Op) -> Type {
    op.result(ctx, 0).ty(ctx)
}

fn ints(ctx: &Context, op: Op, c: Constants, f: impl Fn(&Int) -> Int) -> Fold {
    Fold::maybe(unary(ctx, c[0], result(ctx, op), |a: &Int| Some(f(a))))
}

fn floats(ctx: &Context, op: Op, c: Constants, f: impl Fn(&Float) -> Float) -> Fold {
    Fold::maybe(unary(ctx, c[0], result(ctx, op), |a: &Float| Some(f(a))))
}

pub(super) fn absi(ctx: &Context, op: Op, c: Constants) -> Fold {
    ints(ctx, op, c, Int::magnitude_s)
}

/// A count of bits in as many bits as are counted.
fn count(ctx: &Context, op: Op, c: Constants, f: fn(&Int) -> u32) -> Fold {
    ints(ctx, op, c, |a| Int::from_u64(a.width(), u64::from(f(a))))
}

pub(super) fn ctlz(ctx: &Context, op: Op, c: Constants) -> Fold {
    count(ctx, op, c, Int::leading_zeros)
}

pub(super) fn cttz(ctx: &Context, op: Op, c: Constants) -> Fold {
    count(ctx, op, c, Int::trailing_zeros)
}

pub(super) fn ctpop(ctx: &Context, op: Op, c: Constants) -> Fold {
    count(ctx, op, c, Int::count_ones)
}

/// A signed power; `None` for zero to a negative power.
fn power(base: &Int, exponent: &Int) -> Option<Int> {
    let one = Int::one(base.width());
    if exponent.is_zero() {
        return Some(one);
    }
    if exponent.is_negative() {
        if base.is_zero() {
            return None;
        }
        if *base == one {
            return Some(one);
        }
        if !base.is_all_ones() {
            return Some(Int::zero(base.width()));
        }
        return Some(if exponent.bit(0) { base.clone() } else { one });
    }
    let mut result = one;
    let mut square = base.clone();
    for i in 0..exponent.active_bits() {
        if exponent.bit(i) {
            result = result.mul(&square);
        }
        square = square.mul(&square);
    }
    Some(result)
}

pub(super) fn ipowi(ctx: &Context, op: Op, c: Constants) -> Fold {
    Fold::maybe(binary(ctx, c, result(ctx, op), power))
}

pub(super) fn absf(ctx: &Context, op: Op, c: Constants) -> Fold {
    floats(ctx, op, c, Float::abs)
}

pub(super) fn ceil(ctx: &Context, op: Op, c: Constants) -> Fold {
    floats(ctx, op, c, |a| a.round(Rounding::Up))
}

pub(super) fn floor(ctx: &Context, op: Op, c: Constants) -> Fold {
    floats(ctx, op, c, |a| a.round(Rounding::Down))
}

pub(super) fn roundeven(ctx: &Context, op: Op, c: Constants) -> Fold {
    floats(ctx, op, c, |a| a.round(Rounding::NearestEven))
}

pub(super) fn copysign(ctx: &Context, op: Op, c: Constants) -> Fold {
    Fold::maybe(binary(ctx, c, result(ctx, op), |a: &Float, b: &Float| {
        Some(a.copysign(b))
    }))
}

/// The function that the op stands for, of a number of machine precision where
/// `defined` says so; other formats are left alone, as upstream does.
fn machine(ctx: &Context, op: Op, c: Constants, defined: fn(&Float) -> bool) -> Fold {
    let Some(f) = function(op.name(ctx)) else {
        return Fold::No;
    };
    Fold::maybe(unary(ctx, c[0], result(ctx, op), |a: &Float| {
        if !defined(a) {
            return None;
        }
        match a.kind() {
            FloatKind::F32 => Some(Float::from_f32((f.f32)(a.to_f32()))),
            FloatKind::F64 => Some(Float::from_f64(FloatKind::F64, (f.f64)(a.to_f64()))),
            _ => None,
        }
    }))
}

fn machine_binary(
    ctx: &Context,
    op: Op,
    c: Constants,
    f: fn(f32, f32) -> f32,
    g: fn(f64, f64) -> f64,
) -> Fold {
    Fold::maybe(binary(
        ctx,
        c,
        result(ctx, op),
        |a: &Float, b: &Float| match a.kind() {
            FloatKind::F32 => Some(Float::from_f32(f(a.to_f32(), b.to_f32()))),
            FloatKind::F64 => Some(Float::from_f64(FloatKind::F64, g(a.to_f64(), b.to_f64()))),
            _ => None,
        },
    ))
}

pub(super) fn atan2(ctx: &Context, op: Op, c: Constants) -> Fold {
    // The angle of the origin is left to the machine.
    let origin = |v: &Option<Attr>| float_of(ctx, *v).is_some_and(|v| v.is_zero());
    if c.iter().all(origin) {
        return Fold::No;
    }
    machine_binary(ctx, op, c, f32::atan2, f64::atan2)
}

pub(super) fn powf(ctx: &Context, op: Op, c: Constants) -> Fold {
    machine_binary(ctx, op, c, f32::powf, f64::powf)
}

/// A property of a scalar, or of every element of a splat.
fn classify(ctx: &Context, op: Op, c: Constants, f: fn(&Float) -> bool) -> Fold {
    let Some(v) = float_of(ctx, c[0]) else {
        return Fold::No;
    };
    let ty = i1_like(ctx, op.operand(ctx, 0).ty(ctx));
    Fold::attr(splat_int(ctx, ty, &Int::from_bool(f(&v))))
}

pub(super) fn isfinite(ctx: &Context, op: Op, c: Constants) -> Fold {
    classify(ctx, op, c, Float::is_finite)
}

pub(super) fn isinf(ctx: &Context, op: Op, c: Constants) -> Fold {
    classify(ctx, op, c, Float::is_inf)
}

pub(super) fn isnan(ctx: &Context, op: Op, c: Constants) -> Fold {
    classify(ctx, op, c, Float::is_nan)
}

/// Neither zero, subnormal, infinite nor NaN.
fn is_normal(v: &Float) -> bool {
    let (width, precision) = (v.kind().width(), v.kind().precision());
    let exponent = match v.kind() {
        FloatKind::F8E8M0FNU => return v.is_finite(),
        // With an explicit integer bit.
        FloatKind::F80 => v.to_bits() >> 64 & 0x7fff,
        _ => v.to_bits() >> (precision - 1) & ((1 << (width - precision)) - 1),
    };
    v.is_finite() && exponent != 0
}

pub(super) fn isnormal(ctx: &Context, op: Op, c: Constants) -> Fold {
    classify(ctx, op, c, is_normal)
}

/// Not below zero, nor -0: there upstream leaves logarithms and roots alone.
fn unsigned(a: &Float) -> bool {
    !a.is_negative()
}

fn above_minus_one(a: &Float) -> bool {
    !a.add(&Float::one(a.kind())).is_negative()
}

pub(super) fn acos(ctx: &Context, op: Op, c: Constants) -> Fold {
    machine(ctx, op, c, |_| true)
}

pub(super) fn acosh(ctx: &Context, op: Op, c: Constants) -> Fold {
    machine(ctx, op, c, |_| true)
}

pub(super) fn asin(ctx: &Context, op: Op, c: Constants) -> Fold {
    machine(ctx, op, c, |_| true)
}

pub(super) fn asinh(ctx: &Context, op: Op, c: Constants) -> Fold {
    machine(ctx, op, c, |_| true)
}

pub(super) fn atan(ctx: &Context, op: Op, c: Constants) -> Fold {
    machine(ctx, op, c, |_| true)
}

pub(super) fn atanh(ctx: &Context, op: Op, c: Constants) -> Fold {
    machine(ctx, op, c, |_| true)
}

pub(super) fn cos(ctx: &Context, op: Op, c: Constants) -> Fold {
    machine(ctx, op, c, |_| true)
}

pub(super) fn cosh(ctx: &Context, op: Op, c: Constants) -> Fold {
    machine(ctx, op, c, |_| true)
}

pub(super) fn erf(ctx: &Context, op: Op, c: Constants) -> Fold {
    machine(ctx, op, c, |_| true)
}

pub(super) fn erfc(ctx: &Context, op: Op, c: Constants) -> Fold {
    machine(ctx, op, c, |_| true)
}

pub(super) fn exp(ctx: &Context, op: Op, c: Constants) -> Fold {
    machine(ctx, op, c, |_| true)
}

pub(super) fn exp2(ctx: &Context, op: Op, c: Constants) -> Fold {
    machine(ctx, op, c, |_| true)
}

pub(super) fn expm1(ctx: &Context, op: Op, c: Constants) -> Fold {
    machine(ctx, op, c, |_| true)
}

pub(super) fn round(ctx: &Context, op: Op, c: Constants) -> Fold {
    machine(ctx, op, c, |_| true)
}

pub(super) fn sin(ctx: &Context, op: Op, c: Constants) -> Fold {
    machine(ctx, op, c, |_| true)
}

pub(super) fn sinh(ctx: &Context, op: Op, c: Constants) -> Fold {
    machine(ctx, op, c, |_| true)
}

pub(super) fn tan(ctx: &Context, op: Op, c: Constants) -> Fold {
    machine(ctx, op, c, |_| true)
}

pub(super) fn tanh(ctx: &Context, op: Op, c: Constants) -> Fold {
    machine(ctx, op, c, |_| true)
}

pub(super) fn trunc(ctx: &Context, op: Op, c: Constants) -> Fold {
    machine(ctx, op, c, |_| true)
}

pub(super) fn log(ctx: &Context, op: Op, c: Constants) -> Fold {
    machine(ctx, op, c, unsigned)
}

pub(super) fn log10(ctx: &Context, op: Op, c: Constants) -> Fold {
    machine(ctx, op, c, unsigned)
}

pub(super) fn log2(ctx: &Context, op: Op, c: Constants) -> Fold {
    machine(ctx, op, c, unsigned)
}

pub(super) fn sqrt(ctx: &Context, op: Op, c: Constants) -> Fold {
    machine(ctx, op, c, unsigned)
}

pub(super) fn log1p(ctx: &Context, op: Op, c: Constants) -> Fold {
    machine(ctx, op, c, above_minus_one)
}
