//! `e^x - 1`, and sine and cosine hyperbolic without a division: with `x = k ln 2 + r`
//! and `h = (2^k - 2^-k) / 2`, `c = (2^k + 2^-k) / 2` they are
//! `sinh x = c sinh r + h cosh r` and `cosh x = c cosh r + h sinh r`, of which the
//! polynomials for `sinh r` and `cosh r` are in `r^2`.

use super::super::emit::Emit;
use super::exp::{LN2_HIGH, LN2_LOW};
use terrace_dialects::arith;
use terrace_ir::Value;

/// `(e^r - 1 - r) / r^2` for `|r| <= 1/2`, to 5e-9 of `e^r - 1`.
const EXPM1: [f64; 6] = [
    0.5,
    0.16666662693023682,
    0.041665878146886826,
    0.008333774283528328,
    0.0013980923686176538,
    0.00019788809004239738,
];

/// `(sinh r - r) / r^3` in `r^2`, `|r| <= 1`, to 3e-10 of `sinh r`.
const SINH: [f64; 4] = [
    0.1666666716337204,
    0.00833331048488617,
    0.00019842895562760532,
    2.7822134143207222e-06,
];

/// The same for `|r| <= 0.347`, to 5e-11.
const SINH_NEAR: [f64; 3] = [
    0.1666666716337204,
    0.00833317544311285,
    0.00019974092720076442,
];

/// `(cosh r - 1) / r^2` in `r^2`, `|r| <= 0.347`, to 1e-10 of `cosh r`.
const COSH: [f64; 3] = [0.5, 0.041666459292173386, 0.0013935451861470938];

/// `k` and `r` of `x = k ln 2 + r`; where `whole` is given, `r` is `x` below it.
fn reduced(e: &mut Emit, x: Value, whole: Option<f64>) -> (Value, Value) {
    let inverse = e.c(std::f64::consts::LOG2_E);
    let mut quotient = e.mul(x, inverse);
    if let Some(whole) = whole {
        let size = e.abs(x);
        let (small, zero) = (e.is_less(size, whole), e.c(0.0));
        quotient = e.select(small, zero, quotient);
    }
    let (kf, k) = e.nearest(quotient);
    let (high, low) = (e.c(-LN2_HIGH), e.c(-LN2_LOW));
    let r = e.fma(kf, high, x);
    (k, e.fma(kf, low, r))
}

/// `2^k (e^r - 1) + (2^k - 1)`, at half the scale so that it overflows where the result
/// does. Within 1.5 units.
pub(super) fn expm1(e: &mut Emit, x: Value) -> Value {
    let clamped = e.bounded(x, -20.0, 89.0);
    let (k, r) = reduced(e, clamped, Some(0.5));
    let q = e.polynomial(r, &EXPM1);
    let square = e.mul(r, r);
    let p = e.fma(square, q, r);
    let minus_one = e.ci(-1);
    let k = e.iadd(k, minus_one);
    let h = e.power_of_two(k);
    let half = e.c(-0.5);
    let rest = e.add(h, half);
    let v = e.fma(h, p, rest);
    let v = e.add(v, v);
    // A zero keeps its sign.
    e.copysign(v, x)
}

/// `c / 2`, `h / 2`, `sinh r` and `cosh r - 1` of a positive number: halves, which do not
/// overflow.
struct Parts {
    c: Value,
    h: Value,
    sinh: Value,
    cosh_less: Value,
}

fn parts(e: &mut Emit, a: Value, whole: Option<f64>) -> Parts {
    // From 89.42 on the result is infinite.
    let a = e.bounded(a, 0.0, 89.5);
    let (k, r) = reduced(e, a, whole);
    let z = e.mul(r, r);
    let q = match whole {
        Some(_) => e.polynomial(z, &SINH),
        None => e.polynomial(z, &SINH_NEAR),
    };
    let cube = e.mul(r, z);
    let sinh = e.fma(cube, q, r);
    let q = e.polynomial(z, &COSH);
    let cosh_less = e.mul(z, q);
    let down = e.ci(-2);
    let k = e.iadd(k, down);
    let up = e.power_of_two(k);
    // The bits of 2^(k - 2) and 2^(-k - 2) have one sum, down to where the latter
    // no longer counts.
    let bits = e.bits(up);
    let (sum, none, ty) = (e.ci(250 << 23), e.ci(0), e.int_type());
    let below = e.isub(sum, bits);
    let below = e.b.value::<arith::MaxSIOp>(&[below, none], ty, &[]);
    let below = e.of_bits(below);
    Parts {
        c: e.add(up, below),
        h: e.sub(up, below),
        sinh,
        cosh_less,
    }
}

/// Within 1.5 units.
pub(super) fn sinh(e: &mut Emit, x: Value) -> Value {
    let a = e.abs(x);
    // Below one `sinh r` alone, as the sum would lose bits.
    let p = parts(e, a, Some(1.0));
    let v = e.mul(p.c, p.sinh);
    let v = e.fma(p.h, p.cosh_less, v);
    let v = e.add(p.h, v);
    let v = e.add(v, v);
    e.copysign(v, x)
}

/// Within 1.9 units.
pub(super) fn cosh(e: &mut Emit, x: Value) -> Value {
    let a = e.abs(x);
    let p = parts(e, a, None);
    let v = e.mul(p.h, p.sinh);
    let v = e.fma(p.c, p.cosh_less, v);
    let v = e.add(p.c, v);
    e.add(v, v)
}
