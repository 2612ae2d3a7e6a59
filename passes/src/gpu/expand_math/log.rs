//! Logarithms: `x = 2^k m` with `m` between `sqrt(1/2)` and `sqrt(2)`, and
//! `log m = 2 atanh(s)` with `s = (m - 1) / (m + 1)`, whose series in `s^2` is short.

use super::emit::{Double, Emit};
use super::exp::{LN2_HIGH, LN2_LOW};
use terrace_ir::Value;

/// `(2 atanh(s) - 2 s) / s^3` in `z = s^2` up to 0.02945, to 2e-18.
const ATANH: [f64; 8] = [
    0.6666666666666666,
    0.4000000000000088,
    0.28571428570801954,
    0.22222222392089008,
    0.18181795600060793,
    0.15386241881938595,
    0.13268714792348096,
    0.1308723619665962,
];

/// The same from the second term on, to 2.8e-16.
const ATANH_REST: [f64; 7] = [
    0.40000000000000024,
    0.28571428571338325,
    0.22222222271185313,
    0.18181808234003144,
    0.15385575782820043,
    0.13285924657242199,
    0.1291402271694836,
];

/// 2/3 and what a double leaves of it.
const TWO_THIRDS: (f64, f64) = (0.6666666666666666, 3.700743415417188e-17);

/// `log2(e)` and `log10(e)`, each with what a double leaves of it.
const LOG2_E: (f64, f64) = (std::f64::consts::LOG2_E, 2.0355273740931033e-17);
const LOG10_E: (f64, f64) = (std::f64::consts::LOG10_E, 1.098319650216765e-17);

/// `log10(2)` cut after 40 bits, and what was cut off.
const LOG10_2: (f64, f64) = (0.301029995663157, 8.241712586023572e-13);

/// `k` as a float and `m - 1`, which is exact, of a positive number.
pub(super) fn split(e: &mut Emit, x: Value) -> (Value, Value) {
    let small = e.is_less(x, f64::MIN_POSITIVE);
    let up = e.c(18014398509481984.0);
    let lifted = e.mul(x, up);
    let x = e.select(small, lifted, x);
    let (down, none) = (e.ci(-54), e.ci(0));
    let k0 = e.select(small, down, none);
    let bits = e.bits(x);
    let root = e.ci(std::f64::consts::FRAC_1_SQRT_2.to_bits() as i64);
    let above = e.isub(bits, root);
    let k = e.sar_by(above, 52);
    let exponent = e.shl_by(k, 52);
    let m = e.isub(bits, exponent);
    let m = e.of_bits(m);
    let k = e.iadd(k, k0);
    let kf = e.signed(k);
    let one = e.c(1.0);
    (kf, e.sub(m, one))
}

/// The result for numbers that are not positive and finite.
pub(super) fn special(e: &mut Emit, x: Value, v: Value) -> Value {
    let zero = e.c(0.0);
    let inf = e.c(f64::INFINITY);
    let (positive, finite) = (e.lt(zero, x), e.lt(x, inf));
    let usual = e.and(positive, finite);
    let (is_zero, negative) = (e.eq(x, zero), e.lt(x, zero));
    let (nan, minus) = (e.c(f64::NAN), e.c(f64::NEG_INFINITY));
    let s = e.select(negative, nan, x);
    let s = e.select(is_zero, minus, s);
    e.select(usual, v, s)
}

/// `log x` in the order of operations that keeps what each step rounds small beside
/// `m - 1`.
pub(super) fn log(e: &mut Emit, x: Value) -> Value {
    let (kf, f) = split(e, x);
    let two = e.c(2.0);
    let sum = e.add(two, f);
    let s = e.div(f, sum);
    let z = e.mul(s, s);
    let p = e.polynomial(z, &ATANH);
    let r = e.mul(z, p);
    let half = e.c(0.5);
    let hf = e.mul(half, f);
    let square = e.mul(hf, f);
    let (high, low) = (e.c(LN2_HIGH), e.c(LN2_LOW));
    let small = e.mul(kf, low);
    let inner = e.add(square, r);
    let inner = e.fma(s, inner, small);
    let a = e.sub(square, inner);
    let a = e.sub(a, f);
    let big = e.mul(kf, high);
    let v = e.sub(big, a);
    special(e, x, v)
}

/// `k`, and `log m` to about 66 bits.
pub(super) fn accurate(e: &mut Emit, x: Value) -> (Value, Double) {
    let (kf, f) = split(e, x);
    let two = e.c(2.0);
    let d = e.two_sum(two, f);
    let hi = e.div(f, d.hi);
    let minus = e.neg(hi);
    let rest = e.fma(minus, d.hi, f);
    let rest = e.fma(minus, d.lo, rest);
    let lo = e.div(rest, d.hi);
    let s = Double { hi, lo };
    let z = e.multiply(s, s);
    let q = e.polynomial(z.hi, &ATANH_REST);
    let (c, c_low) = (e.c(TWO_THIRDS.0), e.c(TWO_THIRDS.1));
    let w = e.fma(z.hi, q, c_low);
    let t = e.fast_two_sum(c, w);
    let u = e.multiply(s, z);
    let v = e.multiply(u, t);
    let (s2, s2_low) = (e.mul(two, s.hi), e.mul(two, s.lo));
    let a = e.fast_two_sum(s2, v.hi);
    let low = e.add(s2_low, v.lo);
    let low = e.add(a.lo, low);
    (kf, Double { hi: a.hi, lo: low })
}

/// `log x` to about 66 bits, for positive finite numbers.
pub(super) fn log_double(e: &mut Emit, x: Value) -> Double {
    let (kf, m) = accurate(e, x);
    let (high, low) = (e.c(LN2_HIGH), e.c(LN2_LOW));
    let big = e.mul(kf, high);
    let s = e.two_sum(big, m.hi);
    let small = e.fma(kf, low, m.lo);
    let small = e.add(s.lo, small);
    e.fast_two_sum(s.hi, small)
}

pub(super) fn log2(e: &mut Emit, x: Value) -> Value {
    let (kf, m) = accurate(e, x);
    let c = e.constant(LOG2_E.0, LOG2_E.1);
    let p = e.multiply(m, c);
    let s = e.two_sum(kf, p.hi);
    let low = e.add(s.lo, p.lo);
    let v = e.add(s.hi, low);
    special(e, x, v)
}

pub(super) fn log10(e: &mut Emit, x: Value) -> Value {
    let (kf, m) = accurate(e, x);
    let c = e.constant(LOG10_E.0, LOG10_E.1);
    let p = e.multiply(m, c);
    let (high, low) = (e.c(LOG10_2.0), e.c(LOG10_2.1));
    let big = e.mul(kf, high);
    let s = e.two_sum(big, p.hi);
    let small = e.fma(kf, low, p.lo);
    let small = e.add(s.lo, small);
    let v = e.add(s.hi, small);
    special(e, x, v)
}

/// `log(1 + x)`: the logarithm of the rounded sum, corrected by what was rounded off.
pub(super) fn log1p(e: &mut Emit, x: Value) -> Value {
    let one = e.c(1.0);
    let u = e.two_sum(one, x);
    let l = log(e, u.hi);
    let rest = e.div(u.lo, u.hi);
    let v = e.add(l, rest);
    // Where the sum is not finite or zero there is nothing to correct, and a zero
    // keeps its sign.
    let (zero, inf) = (e.c(0.0), e.c(f64::INFINITY));
    let (positive, finite) = (e.lt(zero, u.hi), e.lt(u.hi, inf));
    let usual = e.and(positive, finite);
    let v = e.select(usual, v, l);
    let is_zero = e.eq(x, zero);
    e.select(is_zero, x, v)
}
