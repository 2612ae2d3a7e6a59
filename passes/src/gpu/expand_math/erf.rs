//! The error function and its complement: near zero a polynomial; further out
//! `erfc x = e^(-x^2) g(x) / (1 + 2 x)` with `g` a polynomial in `(x - 4) / (x + 4)`
//! (M. Shepherd and J. Laframboise, Chebyshev approximation of
//! `(1 + 2x) exp(x^2) erfc x`, 1981), and `x^2` exactly, in two parts.

use super::emit::Emit;
use super::exp::exp;
use terrace_ir::Value;

/// `erf x / x` in `x^2`, `|x| <= 1`, to 1.3e-19.
const NEAR: [f64; 13] = [
    std::f64::consts::FRAC_2_SQRT_PI,
    -0.3761263890318375,
    0.11283791670954879,
    -0.026866170645076792,
    0.0052239776248180145,
    -0.000854832698083379,
    0.0001205533111164271,
    -1.4925595266831182e-05,
    1.6461000484121368e-06,
    -1.6350312701054695e-07,
    1.4659775274047436e-08,
    -1.1372848856791674e-09,
    5.957176147748911e-11,
];

/// `(1 + 2x) e^(x^2) erfc x` in `(x - 4) / (x + 4)`, `0.5 <= x <= 32`, to 1.2e-18.
const FAR: [f64; 23] = [
    1.2329951186255526,
    -0.13962111684056247,
    0.015379652102620035,
    0.0680970542546871,
    -0.10103906603632402,
    0.09373283499858819,
    -0.06633036581169424,
    0.03716751553281539,
    -0.016197734065004014,
    0.005031970028313718,
    -0.0007577732303798991,
    -0.000199257023665867,
    0.0001506213828169198,
    -2.43978408206839e-05,
    -1.1221088721235021e-05,
    5.705986917690381e-06,
    2.9188380895718295e-07,
    -8.187801165448676e-07,
    7.706992869706111e-08,
    1.0267319824939652e-07,
    -1.9661153195932835e-08,
    -9.452293636356e-09,
    2.3795198848796893e-09,
];

fn near(e: &mut Emit, a: Value) -> Value {
    let z = e.mul(a, a);
    let p = e.polynomial(z, &NEAR);
    e.mul(a, p)
}

/// `erfc a` for `a` of at least one half.
fn far(e: &mut Emit, a: Value) -> Value {
    // From 28 on the result is zero.
    let a = e.clamp(a, 0.5, 28.0);
    let (one, two, four) = (e.c(1.0), e.c(2.0), e.c(4.0));
    let (above, below) = (e.sub(a, four), e.add(a, four));
    let t = e.div(above, below);
    let g = e.polynomial(t, &FAR);
    let square = e.two_product(a, a);
    let (hi, lo) = (e.neg(square.hi), e.neg(square.lo));
    let power = exp(e, hi, Some(lo));
    let factor = e.fma(two, a, one);
    let q = e.div(g, factor);
    e.mul(power, q)
}

pub(super) fn erf(e: &mut Emit, x: Value) -> Value {
    let a = e.abs(x);
    let n = near(e, a);
    let f = far(e, a);
    let one = e.c(1.0);
    let f = e.sub(one, f);
    let large = e.lt(one, a);
    let v = e.select(large, f, n);
    e.copysign(v, x)
}

pub(super) fn erfc(e: &mut Emit, x: Value) -> Value {
    let a = e.abs(x);
    let n = near(e, a);
    let n = e.copysign(n, x);
    let (one, two) = (e.c(1.0), e.c(2.0));
    let n = e.sub(one, n);
    let f = far(e, a);
    let other = e.sub(two, f);
    let negative = e.is_less(x, 0.0);
    let f = e.select(negative, other, f);
    let half = e.c(0.5);
    let large = e.lt(half, a);
    e.select(large, f, n)
}
