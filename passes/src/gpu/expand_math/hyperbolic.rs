//! Hyperbolic functions from `e^x - 1` and `log(1 + x)`, which keep small arguments.

use super::emit::Emit;
use super::exp::{exp, expm1};
use super::log::{log, log1p};
use terrace_ir::Value;

/// `e^|x| / 2` where `e^|x|` itself is too large.
fn half_exp(e: &mut Emit, ax: Value) -> Value {
    let half = e.c(0.5);
    let h = e.mul(ax, half);
    let w = exp(e, h, None);
    let v = e.mul(w, half);
    e.mul(v, w)
}

pub(super) fn sinh(e: &mut Emit, x: Value) -> Value {
    let ax = e.abs(x);
    let t = expm1(e, ax);
    let (one, half) = (e.c(1.0), e.c(0.5));
    let u = e.add(t, one);
    let q = e.div(t, u);
    let sum = e.add(t, q);
    let v = e.mul(sum, half);
    let large = e.is_greater(ax, 700.0);
    let far = half_exp(e, ax);
    let v = e.select(large, far, v);
    e.copysign(v, x)
}

pub(super) fn cosh(e: &mut Emit, x: Value) -> Value {
    let ax = e.abs(x);
    let t = exp(e, ax, None);
    let half = e.c(0.5);
    let a = e.mul(t, half);
    let b = e.div(half, t);
    let v = e.add(a, b);
    let large = e.is_greater(ax, 700.0);
    let far = half_exp(e, ax);
    e.select(large, far, v)
}

pub(super) fn tanh(e: &mut Emit, x: Value) -> Value {
    let ax = e.abs(x);
    // From 20 on it is one, to the last place.
    let a = e.clamp(ax, 0.0, 20.0);
    let two = e.c(2.0);
    let a = e.mul(two, a);
    let t = expm1(e, a);
    let u = e.add(t, two);
    let v = e.div(t, u);
    e.copysign(v, x)
}

/// `log x + log 2`, for arguments whose square is too large.
fn log_twice(e: &mut Emit, x: Value) -> Value {
    let l = log(e, x);
    let c = e.c(std::f64::consts::LN_2);
    e.add(l, c)
}

pub(super) fn asinh(e: &mut Emit, x: Value) -> Value {
    let a = e.abs(x);
    let one = e.c(1.0);
    let square = e.mul(a, a);
    let inner = e.add(square, one);
    let root = e.sqrt(inner);
    let below = e.add(one, root);
    let q = e.div(square, below);
    let sum = e.add(a, q);
    let v = log1p(e, sum);
    let far = log_twice(e, a);
    let large = e.is_greater(a, 1e8);
    let v = e.select(large, far, v);
    e.copysign(v, x)
}

pub(super) fn acosh(e: &mut Emit, x: Value) -> Value {
    let (one, two) = (e.c(1.0), e.c(2.0));
    let t = e.sub(x, one);
    let s = e.add(two, t);
    let inner = e.mul(t, s);
    let root = e.sqrt(inner);
    let sum = e.add(t, root);
    let v = log1p(e, sum);
    let far = log_twice(e, x);
    let large = e.is_greater(x, 1e8);
    let v = e.select(large, far, v);
    let outside = e.lt(x, one);
    let nan = e.c(f64::NAN);
    e.select(outside, nan, v)
}

pub(super) fn atanh(e: &mut Emit, x: Value) -> Value {
    let a = e.abs(x);
    let (one, half) = (e.c(1.0), e.c(0.5));
    let twice = e.add(a, a);
    let rest = e.sub(one, a);
    let q = e.div(twice, rest);
    let l = log1p(e, q);
    let v = e.mul(l, half);
    e.copysign(v, x)
}
