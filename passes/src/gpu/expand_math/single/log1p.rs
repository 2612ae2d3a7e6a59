//! `log(1 + x)`, and the inverse hyperbolic functions, which are logarithms of one and a
//! little more: `1 + x = 2^k (1 + f)` with `1 + f` from 3/4 to 3/2, `f` from `x` itself,
//! so that no bits are lost where `1 + x` is rounded, and a polynomial for `log(1 + f)`.

use super::super::emit::Emit;
use super::quotient::quotient;
use terrace_ir::Value;

/// `(log(1 + f) - f) / f^2` for `f` from -1/4 to 1/2, to 1e-9 of the logarithm.
const LOG: [f64; 10] = [
    -0.5,
    0.33333340287208557,
    -0.2500016391277313,
    0.19999577105045319,
    -0.16655322909355164,
    0.14276833832263947,
    -0.12728305160999298,
    0.11696743965148926,
    -0.09106884151697159,
    0.03761373832821846,
];

/// From here on one is nothing beside the square.
const FAR: f64 = 1e9;

/// `log(1 + x)` of a finite number above -1; a zero loses its sign.
fn core(e: &mut Emit, x: Value) -> Value {
    let one = e.c(1.0);
    let sum = e.add(x, one);
    let bits = e.bits(sum);
    let first = e.ci(i64::from(0.75f32.to_bits()));
    let above = e.isub(bits, first);
    let mask = e.ci(i64::from(0xff80_0000u32.cast_signed()));
    let exponent = e.iand(above, mask);
    // x 2^-k by its bits, and 2^-k - 1, where 4 2^-k is never subnormal.
    let four = e.ci(i64::from(4f32.to_bits()));
    let scale = e.isub(four, exponent);
    let scale = e.of_bits(scale);
    let m = e.bits(x);
    let m = e.isub(m, exponent);
    let m = e.of_bits(m);
    let (quarter, minus_one) = (e.c(0.25), e.c(-1.0));
    let rest = e.fma(scale, quarter, minus_one);
    let f = e.add(m, rest);
    let k = e.signed(exponent);
    let q = e.polynomial(f, &LOG);
    let square = e.mul(f, f);
    let l = e.fma(square, q, f);
    let unit = e.c(1.0 / 8388608.0);
    let k = e.mul(k, unit);
    let ln2 = e.c(std::f64::consts::LN_2);
    e.fma(k, ln2, l)
}

/// Within 1.3 units.
pub(super) fn log1p(e: &mut Emit, x: Value) -> Value {
    let v = core(e, x);
    let v = e.copysign(v, x);
    let (one, inf, nan) = (e.c(-1.0), e.c(f64::INFINITY), e.c(f64::NAN));
    let minus = e.c(f64::NEG_INFINITY);
    let at_one = e.eq(x, one);
    let other = e.select(at_one, minus, nan);
    let is_inf = e.eq(x, inf);
    let other = e.select(is_inf, inf, other);
    let (above, below) = (e.lt(one, x), e.lt(x, inf));
    let usual = e.and(above, below);
    e.select(usual, v, other)
}

/// Half of `log(1 + 2x / (1 - x))`. Within 1.7 units.
pub(super) fn atanh(e: &mut Emit, x: Value) -> Value {
    let a = e.abs(x);
    let one = e.c(1.0);
    // As 2x + 2x x / (1 - x), of which the second is small where the first is.
    let rest = e.sub(one, a);
    let q = quotient(e, a, rest);
    let twice = e.add(a, a);
    let r = e.fma(twice, q, twice);
    let l = core(e, r);
    let half = e.c(0.5);
    let v = e.mul(half, l);
    let at_one = e.eq(a, one);
    let (inf, nan) = (e.c(f64::INFINITY), e.c(f64::NAN));
    let other = e.select(at_one, inf, nan);
    let below = e.lt(a, one);
    let v = e.select(below, v, other);
    e.copysign(v, x)
}

/// `log(1 + r)`, or `log(2x)` where `x` is so large that this is the same.
fn far_too(e: &mut Emit, x: Value, r: Value) -> Value {
    let far = e.is_greater(x, FAR);
    let r = e.select(far, x, r);
    let l = core(e, r);
    let (ln2, zero) = (e.c(std::f64::consts::LN_2), e.c(0.0));
    let more = e.select(far, ln2, zero);
    e.add(l, more)
}

/// `log(1 + x + x^2 / (1 + sqrt(1 + x^2)))`. Within 1.8 units.
pub(super) fn asinh(e: &mut Emit, x: Value) -> Value {
    let a = e.abs(x);
    let one = e.c(1.0);
    let inner = e.fma(a, a, one);
    let root = e.sqrt(inner);
    let below = e.add(root, one);
    let q = quotient(e, a, below);
    let r = e.fma(a, q, a);
    let v = far_too(e, a, r);
    let v = e.copysign(v, x);
    let finite = e.is_less(a, f64::INFINITY);
    e.select(finite, v, x)
}

/// `log(1 + t + sqrt(t^2 + 2t))` with `t = x - 1`. Within 2.1 units.
pub(super) fn acosh(e: &mut Emit, x: Value) -> Value {
    let minus_one = e.c(-1.0);
    let t = e.add(x, minus_one);
    let twice = e.add(t, t);
    let inner = e.fma(t, t, twice);
    let root = e.sqrt(inner);
    let r = e.add(t, root);
    let v = far_too(e, x, r);
    let finite = e.is_less(x, f64::INFINITY);
    let v = e.select(finite, v, x);
    let nan = e.c(f64::NAN);
    let outside = e.is_less(x, 1.0);
    e.select(outside, nan, v)
}
