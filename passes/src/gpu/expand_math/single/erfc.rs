//! The complement of the error function. Below one, and for negative numbers above
//! minus one, from a polynomial for `erf`; beyond, `erfc x = e^(-x^2) t g(t)` with
//! `t = 1 / (1 + x/2)`, as in W. H. Press and others, Numerical Recipes, 6.2, but with a
//! polynomial for the factor itself, which is smooth in `t` down to 0, and `x^2` in two
//! parts.

use super::super::emit::Emit;
use super::exp::{EXP, LN2_HIGH, LN2_LOW};
use super::quotient::reciprocal;
use terrace_ir::Value;

/// `erf x / x - 1` in `x^2`, `x <= 1`, to 1.8e-9 of `erfc x`.
const NEAR: [f64; 7] = [
    0.12837915122509003,
    -0.37612587213516235,
    0.11283288896083832,
    -0.026843981817364693,
    0.005172364879399538,
    -0.0007885156664997339,
    7.475777965737507e-05,
];

/// `e^(x^2) erfc x / t` in `t`, `1 <= x <= 10.3`, to 2.6e-9.
const FAR: [f64; 9] = [
    0.28208497166633606,
    0.28236690163612366,
    0.2436024248600006,
    0.1978003829717636,
    -0.003940174821764231,
    0.21972934901714325,
    -0.40202000737190247,
    0.21839776635169983,
    -0.0378049835562706,
];

/// About `d log(t g(t)) / d log t`.
const STEEPNESS: f64 = 1.5;

/// `erfc b` for `b` of at least one.
fn far(e: &mut Emit, b: Value) -> Value {
    let (one, half) = (e.c(1.0), e.c(0.5));
    let below = e.fma(b, half, one);
    let back = e.sub(one, below);
    let lost = e.fma(b, half, back);
    let t = reciprocal(e, below);
    let q = e.polynomial(t, &FAR);
    let g = e.mul(q, t);
    // What the sum and the quotient lost to rounding counts for more than once.
    let minus = e.neg(t);
    let error = e.fma(minus, below, one);
    let error = e.fma(minus, lost, error);
    let steepness = e.c(STEEPNESS);
    let step = e.mul(g, error);
    let g = e.fma(step, steepness, g);
    // The scale by 2^k is last: e^(-x^2) may be subnormal where the result is not yet zero.
    let square = e.two_product(b, b);
    let inverse = e.c(-std::f64::consts::LOG2_E);
    let quotient = e.mul(square.hi, inverse);
    let (kf, k) = e.nearest(quotient);
    let (high, low) = (e.c(-LN2_HIGH), e.c(-LN2_LOW));
    let minus = e.neg(square.hi);
    let r = e.fma(kf, high, minus);
    let r = e.fma(kf, low, r);
    let r = e.sub(r, square.lo);
    let q = e.polynomial(r, &EXP);
    let rr = e.mul(r, r);
    let p = e.fma(rr, q, r);
    let v = e.fma(g, p, g);
    e.scale(v, k)
}

/// Within 3.6 units.
pub(super) fn erfc(e: &mut Emit, x: Value) -> Value {
    let a = e.abs(x);
    let z = e.mul(x, x);
    let q = e.polynomial(z, &NEAR);
    let one = e.c(1.0);
    let (rest, minus) = (e.sub(one, x), e.neg(x));
    let near = e.fma(minus, q, rest);
    // From 10.06 on the result is zero.
    let b = e.bounded(a, 1.0, 10.5);
    let far = far(e, b);
    let two = e.c(2.0);
    let other = e.sub(two, far);
    let negative = e.is_less(x, 0.0);
    let far = e.select(negative, other, far);
    let is_near = e.is_less(a, 1.0);
    e.select(is_near, near, far)
}
