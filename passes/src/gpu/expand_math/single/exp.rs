//! `e^x = 2^k e^r` and `2^x = 2^k 2^r` with `k` the nearest integer. `ln 2` is in two
//! parts, of which the first has few enough bits that its product with `k` is exact.

use super::super::emit::Emit;
use terrace_ir::Value;

/// `ln 2` cut after 16 bits, and what was cut off.
pub(super) const LN2_HIGH: f64 = 0.693145751953125;
pub(super) const LN2_LOW: f64 = 1.4286068203094172e-6;

/// `(e^r - 1 - r) / r^2` for `|r| <= 0.35`.
pub(super) const EXP: [f64; 5] = [
    0.5,
    0.16666573286056519,
    0.041666362434625626,
    0.008363775908946991,
    0.0013942165533080697,
];

/// `(2^r - 1) / r` for `|r| <= 1/2`.
pub(super) const EXP2: [f64; 6] = [
    0.6931471824645996,
    0.24022650718688965,
    0.05550355091691017,
    0.00961802713572979,
    0.0013392021646723151,
    0.00015471068036276847,
];

/// `e^x`, within 1.1 units.
pub(super) fn exp(e: &mut Emit, x: Value) -> Value {
    // Beyond these the result is zero or infinite.
    let x = e.bounded(x, -105.0, 90.0);
    let inverse = e.c(std::f64::consts::LOG2_E);
    let quotient = e.mul(x, inverse);
    let (kf, k) = e.nearest(quotient);
    let (high, low) = (e.c(-LN2_HIGH), e.c(-LN2_LOW));
    let r = e.fma(kf, high, x);
    let r = e.fma(kf, low, r);
    let q = e.polynomial(r, &EXP);
    let square = e.mul(r, r);
    let p = e.fma(square, q, r);
    let one = e.c(1.0);
    let m = e.add(one, p);
    e.scale(m, k)
}

/// `2^x`, within 0.9 units.
pub(super) fn exp2(e: &mut Emit, x: Value) -> Value {
    let x = e.bounded(x, -152.0, 130.0);
    let (kf, k) = e.nearest(x);
    let r = e.sub(x, kf);
    let q = e.polynomial(r, &EXP2);
    let one = e.c(1.0);
    let m = e.fma(r, q, one);
    e.scale(m, k)
}
