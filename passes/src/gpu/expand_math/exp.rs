//! Exponentials: `e^x = 2^k e^r` with `k` the nearest integer to `x / ln 2`, so that
//! `|r| <= ln 2 / 2`, and a polynomial for `e^r`. `ln 2` is taken in two parts, of which
//! the first has few enough bits that its product with `k` is exact.

use super::emit::Emit;
use terrace_ir::Value;

/// `ln 2` cut after 40 bits, and what was cut off.
pub(super) const LN2_HIGH: f64 = 0.6931471805592082;
pub(super) const LN2_LOW: f64 = 7.371002565167799e-13;

/// `(e^r - 1 - r) / r^2` for `|r| <= 0.3466`, to 1.4e-18.
const EXP: [f64; 11] = [
    0.5,
    0.1666666666666667,
    0.04166666666666667,
    0.008333333333326136,
    0.0013888888888883748,
    0.00019841269874820627,
    2.4801587325547743e-05,
    2.7557255400206422e-06,
    2.75572736431103e-07,
    2.5105217004720745e-08,
    2.0914686968086876e-09,
];

/// `(2^r - 1) / r` for `|r| <= 1/2`, to 1.7e-19.
const EXP2: [f64; 12] = [
    std::f64::consts::LN_2,
    0.24022650695910072,
    0.055504108664821625,
    0.00961812910762848,
    0.0013333558146406436,
    0.00015403530393370715,
    1.5252733841601815e-05,
    1.3215486808727859e-06,
    1.0178057064573359e-07,
    7.054897292691627e-09,
    4.455822025014915e-10,
    2.5729344553786755e-11,
];

/// `k` as an integer, and `e^r - 1`.
fn reduced(e: &mut Emit, x: Value, lo: Option<Value>) -> (Value, Value) {
    let inverse = e.c(std::f64::consts::LOG2_E);
    let quotient = e.mul(x, inverse);
    let (kf, k) = e.nearest(quotient);
    let (high, low) = (e.c(-LN2_HIGH), e.c(-LN2_LOW));
    let mut r = e.fma(kf, high, x);
    r = e.fma(kf, low, r);
    if let Some(lo) = lo {
        r = e.add(r, lo);
    }
    let q = e.polynomial(r, &EXP);
    let square = e.mul(r, r);
    (k, e.fma(square, q, r))
}

/// `e^(x + lo)`, where `lo` is small beside one.
pub(super) fn exp(e: &mut Emit, x: Value, lo: Option<Value>) -> Value {
    // Beyond these the result is zero or infinite.
    let x = e.clamp(x, -746.0, 710.0);
    let (k, p) = reduced(e, x, lo);
    let one = e.c(1.0);
    let m = e.add(one, p);
    e.scale(m, k)
}

pub(super) fn exp2(e: &mut Emit, x: Value) -> Value {
    let x = e.clamp(x, -1080.0, 1025.0);
    let (kf, k) = e.nearest(x);
    let r = e.sub(x, kf);
    let q = e.polynomial(r, &EXP2);
    let one = e.c(1.0);
    let m = e.fma(r, q, one);
    e.scale(m, k)
}

/// `e^x - 1 = 2^k (e^r - 1) + (2^k - 1)`, at half the scale so that it overflows where
/// the result does.
pub(super) fn expm1(e: &mut Emit, x: Value) -> Value {
    let clamped = e.clamp(x, -40.0, 710.0);
    let (k, p) = reduced(e, clamped, None);
    let minus_one = e.ci(-1);
    let k = e.iadd(k, minus_one);
    let h = e.power_of_two(k);
    let half = e.c(-0.5);
    let rest = e.add(h, half);
    let sum = e.fma(h, p, rest);
    let two = e.c(2.0);
    let v = e.mul(sum, two);
    // A zero keeps its sign.
    let zero = e.is(x, 0.0);
    let v = e.select(zero, x, v);
    let nan = e.nan(x, x);
    e.select(nan, x, v)
}
