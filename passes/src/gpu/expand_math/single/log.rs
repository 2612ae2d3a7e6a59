//! `x = 2^k (1 + f)` with `1 + f` between `sqrt(1/2)` and `sqrt(2)`, and
//! `log(1 + f) = f + f^2 (f q(f) - 1/2)`: no division, which takes longer than the
//! terms it would save.

use super::super::emit::Emit;
use super::super::log::special;
use super::exp::{LN2_HIGH, LN2_LOW};
use terrace_ir::Value;

/// `f q(f) - 1/2`, where `q(f) = (log(1 + f) - f + f^2/2) / f^3`.
const LOG: [f64; 10] = [
    -0.5,
    0.3333333134651184,
    -0.24999980628490448,
    0.20000693202018738,
    -0.16669167578220367,
    0.14250987768173218,
    -0.12396224588155746,
    0.1163606122136116,
    -0.1166384294629097,
    0.07333024591207504,
];

/// `log2(e)` and `log10(e)`, each with what a float leaves of it.
const LOG2_E: (f64, f64) = (1.4426950216293335, 1.9259629911266175e-8);
const LOG10_E: (f64, f64) = (0.4342944920063019, -1.01030571897864e-8);

/// `log10(2)` cut after 16 bits, and what was cut off.
const LOG10_2: (f64, f64) = (0.301_029_205_322_265_6, 7.9034151667662e-7);

/// `k`, `f`, and `log(1 + f) - f`, of a positive number.
fn split(e: &mut Emit, x: Value) -> (Value, Value, Value) {
    let small = e.is_less(x, f64::from(f32::MIN_POSITIVE));
    let up = e.c(33554432.0);
    let lifted = e.mul(x, up);
    let x = e.select(small, lifted, x);
    let (down, none) = (e.ci(-25), e.ci(0));
    let k0 = e.select(small, down, none);
    let bits = e.bits(x);
    let root = e.ci(i64::from(std::f32::consts::FRAC_1_SQRT_2.to_bits()));
    let above = e.isub(bits, root);
    let k = e.sar_by(above, 23);
    let exponent = e.shl_by(k, 23);
    let m = e.isub(bits, exponent);
    let m = e.of_bits(m);
    let k = e.iadd(k, k0);
    let kf = e.signed(k);
    let one = e.c(1.0);
    let f = e.sub(m, one);
    let square = e.mul(f, f);
    let q = e.polynomial(f, &LOG);
    (kf, f, e.mul(square, q))
}

/// Within 0.9 units.
pub(super) fn log(e: &mut Emit, x: Value) -> Value {
    let (k, f, rest) = split(e, x);
    let (high, low) = (e.c(LN2_HIGH), e.c(LN2_LOW));
    let s = e.add(rest, f);
    let s = e.fma(k, low, s);
    let v = e.fma(k, high, s);
    special(e, x, v)
}

/// `f c`, and `log(1 + f) c` beyond it, where `c` has two parts.
fn times(e: &mut Emit, f: Value, rest: Value, c: (f64, f64)) -> (Value, Value) {
    let (c, low) = (e.c(c.0), e.c(c.1));
    let small = e.mul(f, low);
    (c, e.fma(rest, c, small))
}

/// Within one unit.
pub(super) fn log2(e: &mut Emit, x: Value) -> Value {
    let (k, f, rest) = split(e, x);
    let (c, small) = times(e, f, rest, LOG2_E);
    let v = e.fma(f, c, small);
    let v = e.add(k, v);
    special(e, x, v)
}

/// Within one unit.
pub(super) fn log10(e: &mut Emit, x: Value) -> Value {
    let (k, f, rest) = split(e, x);
    let (c, small) = times(e, f, rest, LOG10_E);
    let (high, low) = (e.c(LOG10_2.0), e.c(LOG10_2.1));
    let small = e.fma(k, low, small);
    let v = e.fma(f, c, small);
    let v = e.fma(k, high, v);
    special(e, x, v)
}
